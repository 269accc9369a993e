/* homography: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/homography.h"

#include <math.h>

/* From the unit square, whose corners are 0 0, 1 0, 1 1, 0 1. */
static bool
from_square (const double q[4][2], double m[3][3])
{
  const double dx1 = q[1][0] - q[2][0], dx2 = q[3][0] - q[2][0], dx = q[0][0] - q[1][0] + q[2][0] - q[3][0];
  const double dy1 = q[1][1] - q[2][1], dy2 = q[3][1] - q[2][1], dy = q[0][1] - q[1][1] + q[2][1] - q[3][1];
  const double d = dx1 * dy2 - dx2 * dy1;
  double size = 0;

  for (int i = 0; i < 4; i++) {
    const double *a = q[i], *b = q[(i + 1) % 4], *c = q[(i + 2) % 4];
    const double length = hypot (b[0] - a[0], b[1] - a[1]) * hypot (c[0] - b[0], c[1] - b[1]);

    if (!(fabs ((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])) > 1e-9 * length))
      return false;
    size = fmax (size, length);
  }
  if (!(fabs (d) > 1e-12 * size))
    return false;
  m[2][0] = (dx * dy2 - dx2 * dy) / d;
  m[2][1] = (dx1 * dy - dx * dy1) / d;
  m[2][2] = 1;
  for (int k = 0; k < 2; k++) {
    m[k][0] = q[1][k] - q[0][k] + m[2][0] * q[1][k];
    m[k][1] = q[3][k] - q[0][k] + m[2][1] * q[3][k];
    m[k][2] = q[0][k];
  }
  return true;
}

bool
homography_find (const double from[4][2], const double to[4][2], double matrix[3][3])
{
  double a[3][3], b[3][3], back[3][3];
  double weight;

  if (!from_square (from, a) || !from_square (to, b))
    return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int p = (j + 1) % 3, q = (j + 2) % 3, r = (i + 1) % 3, s = (i + 2) % 3;

      back[i][j] = a[p][r] * a[q][s] - a[p][s] * a[q][r];
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      matrix[i][j] = b[i][0] * back[0][j] + b[i][1] * back[1][j] + b[i][2] * back[2][j];
  /* The sign: what is inside the corners is before the horizon. */
  weight = matrix[2][0] * from[0][0] + matrix[2][1] * from[0][1] + matrix[2][2];
  for (int i = 0; i < 9 && weight < 0; i++)
    matrix[i / 3][i % 3] = -matrix[i / 3][i % 3];
  return true;
}

bool
homography_apply (const double matrix[3][3], double x, double y, double *to)
{
  const double w = matrix[2][0] * x + matrix[2][1] * y + matrix[2][2];

  to[0] = (matrix[0][0] * x + matrix[0][1] * y + matrix[0][2]) / w;
  to[1] = (matrix[1][0] * x + matrix[1][1] * y + matrix[1][2]) / w;
  return w > 0;
}
