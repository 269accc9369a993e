/* lens: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/lens.h"

#include <math.h>

/* The map around the centre, in units, and its derivatives. */
static void
evaluate (const Lens *n, double u, double v, double *to, double jacobian[2][2])
{
  const double r2 = u * u + v * v, f = 1 + r2 * (n->k[0] + r2 * (n->k[1] + r2 * n->k[2]));
  /* Of f by r². */
  const double g = n->k[0] + r2 * (2 * n->k[1] + r2 * 3 * n->k[2]);

  to[0] = u * f + 2 * n->p[0] * u * v + n->p[1] * (r2 + 2 * u * u);
  to[1] = v * f + n->p[0] * (r2 + 2 * v * v) + 2 * n->p[1] * u * v;
  jacobian[0][0] = f + 2 * g * u * u + 2 * n->p[0] * v + 6 * n->p[1] * u;
  jacobian[0][1] = 2 * g * u * v + 2 * n->p[0] * u + 2 * n->p[1] * v;
  jacobian[1][0] = 2 * g * u * v + 2 * n->p[0] * u + 2 * n->p[1] * v;
  jacobian[1][1] = f + 2 * g * v * v + 6 * n->p[0] * v + 2 * n->p[1] * u;
}

void
lens_distort (const Lens *n, double x, double y, double *to)
{
  double jacobian[2][2];

  evaluate (n, (x - n->centre[0]) / n->unit[0], (y - n->centre[1]) / n->unit[1], to, jacobian);
  for (int k = 0; k < 2; k++)
    to[k] = n->centre[k] + n->unit[k] * to[k];
}

bool
lens_undistort (const Lens *n, double x, double y, double *to)
{
  const double goal[2] = { (x - n->centre[0]) / n->unit[0], (y - n->centre[1]) / n->unit[1] };
  const double size = hypot (goal[0], goal[1]);
  double u = goal[0], v = goal[1], jacobian[2][2], there[2], part = 1;

  /* Strong lenses are entered from the centre out, so that the first fold is the one that is found. */
  for (int step = 1; step <= 4; step++) {
    part = step / 4.0;
    if (step == 1) {
      u = goal[0] * part;
      v = goal[1] * part;
    }
    for (int i = 0; i < 12; i++) {
      evaluate (n, u, v, there, jacobian);
      const double d = jacobian[0][0] * jacobian[1][1] - jacobian[0][1] * jacobian[1][0];
      const double a = there[0] - part * goal[0], b = there[1] - part * goal[1];

      if (!(d > 1e-9) || !(fabs (u) + fabs (v) < 1e6))
        return false;
      u -= (jacobian[1][1] * a - jacobian[0][1] * b) / d;
      v -= (jacobian[0][0] * b - jacobian[1][0] * a) / d;
      if (fabs (a) + fabs (b) < 1e-12 * (1 + size))
        break;
    }
  }
  evaluate (n, u, v, there, jacobian);
  to[0] = n->centre[0] + n->unit[0] * u;
  to[1] = n->centre[1] + n->unit[1] * v;
  return hypot (there[0] - goal[0], there[1] - goal[1]) < 1e-6 * (1 + size);
}
