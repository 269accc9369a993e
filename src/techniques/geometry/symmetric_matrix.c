/* symmetric_matrix: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/symmetric_matrix.h"

#include <glib.h>

static const int others[3][2] = { { 1, 2 }, { 2, 0 }, { 0, 1 } };

SymmetricMatrix
symmetric_matrix_rotate (SymmetricMatrix a, KgRotation q)
{
  /* The rows of R. */
  const KgVector x = { 1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y) },
                 y = { 2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x) },
                 z = { 2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y) };
  const KgVector ax = symmetric_matrix_apply (a, x), ay = symmetric_matrix_apply (a, y),
                 az = symmetric_matrix_apply (a, z);

  return (SymmetricMatrix){ kg_vector_dot (x, ax), kg_vector_dot (y, ay), kg_vector_dot (z, az),
                            kg_vector_dot (x, ay), kg_vector_dot (x, az), kg_vector_dot (y, az) };
}

bool
symmetric_matrix_invert (SymmetricMatrix a, SymmetricMatrix *inverse)
{
  const double xx = a.yy * a.zz - a.yz * a.yz, yy = a.xx * a.zz - a.xz * a.xz, zz = a.xx * a.yy - a.xy * a.xy;
  const double xy = a.xz * a.yz - a.xy * a.zz, xz = a.xy * a.yz - a.xz * a.yy, yz = a.xy * a.xz - a.xx * a.yz;
  const double determinant = a.xx * xx + a.xy * xy + a.xz * xz;
  const double size = fmax (fmax (fabs (a.xx), fabs (a.yy)), fabs (a.zz));

  *inverse = (SymmetricMatrix){ 0 };
  if (!(fabs (determinant) > 1e-14 * size * size * size))
    return false;
  *inverse = symmetric_matrix_scale ((SymmetricMatrix){ xx, yy, zz, xy, xz, yz }, 1 / determinant);
  return true;
}

/* One rotation in the plane of axes p and q, which makes the entry between them zero. */
static void
rotate_away (double m[3][3], double v[3][3], int p, int q)
{
  const int r = 3 - p - q;
  const double entry = m[p][q];
  double theta, t, c, s, tau, g, h;

  if (entry == 0)
    return;
  theta = (m[q][q] - m[p][p]) / (2 * entry);
  t = isfinite (theta * theta) ? copysign (1, theta) / (fabs (theta) + sqrt (theta * theta + 1)) : 0.5 / theta;
  c = 1 / sqrt (t * t + 1);
  s = t * c;
  tau = s / (1 + c);
  m[p][p] -= t * entry;
  m[q][q] += t * entry;
  m[p][q] = m[q][p] = 0;
  g = m[r][p];
  h = m[r][q];
  m[r][p] = m[p][r] = g - s * (h + g * tau);
  m[r][q] = m[q][r] = h + s * (g - h * tau);
  for (int i = 0; i < 3; i++) {
    g = v[i][p];
    h = v[i][q];
    v[i][p] = g - s * (h + g * tau);
    v[i][q] = h + s * (g - h * tau);
  }
}

static KgVector
make_largest_positive (KgVector v)
{
  const double x = fabs (v.x), y = fabs (v.y), z = fabs (v.z);
  const double largest = x >= y && x >= z ? v.x : y >= z ? v.y : v.z;

  return largest < 0 ? kg_vector_scale (v, -1) : v;
}

void
symmetric_matrix_decompose (SymmetricMatrix a, double values[3], KgVector axes[3])
{
  double m[3][3] = { { a.xx, a.xy, a.xz }, { a.xy, a.yy, a.yz }, { a.xz, a.yz, a.zz } };
  double v[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  int order[3] = { 0, 1, 2 };

  for (int sweep = 0; sweep < 60; sweep++) {
    const double off = fabs (m[0][1]) + fabs (m[0][2]) + fabs (m[1][2]);
    const double size = fabs (m[0][0]) + fabs (m[1][1]) + fabs (m[2][2]);

    if (!(off > 1e-18 * size))
      break;
    for (int i = 0; i < 3; i++)
      rotate_away (m, v, MIN (others[i][0], others[i][1]), MAX (others[i][0], others[i][1]));
  }
  for (int i = 1; i < 3; i++)
    for (int k = i; k > 0 && m[order[k]][order[k]] < m[order[k - 1]][order[k - 1]]; k--) {
      const int swap = order[k];

      order[k] = order[k - 1];
      order[k - 1] = swap;
    }
  for (int i = 0; i < 3; i++) {
    values[i] = m[order[i]][order[i]];
    axes[i] = kg_vector (v[0][order[i]], v[1][order[i]], v[2][order[i]]);
  }
  axes[0] = make_largest_positive (axes[0]);
  axes[1] = make_largest_positive (axes[1]);
  axes[2] = kg_vector_cross (axes[0], axes[1]);
}

KgRotation
symmetric_matrix_get_rotation (const KgVector axes[3])
{
  const KgTransform t = { { { axes[0].x, axes[1].x, axes[2].x, 0 },
                            { axes[0].y, axes[1].y, axes[2].y, 0 },
                            { axes[0].z, axes[1].z, axes[2].z, 0 },
                            { 0, 0, 0, 1 } } };

  return kg_rotation_from_transform (t);
}
