/* ellipsoid: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/ellipsoid.h"

#include "geometry/symmetric_matrix.h"
#include "value/least_squares.h"

/* Points that are added up in one go, and unknowns: six of the matrix, three of the vector. */
#define BLOCK 4096
#define N 9

typedef struct {
  double matrix[N][N], right[N];
} Normal;

static void
add_point (Normal *normal, KgVector q)
{
  const double row[N] = { q.x * q.x,     q.y * q.y, q.z * q.z, 2 * q.x * q.y, 2 * q.x * q.z,
                          2 * q.y * q.z, 2 * q.x,   2 * q.y,   2 * q.z };

  for (int i = 0; i < N; i++) {
    for (int k = i; k < N; k++)
      normal->matrix[i][k] += row[i] * row[k];
    normal->right[i] += row[i];
  }
}

static void
add_normal (Normal *to, const Normal *from)
{
  for (int i = 0; i < N; i++) {
    for (int k = i; k < N; k++)
      to->matrix[i][k] += from->matrix[i][k];
    to->right[i] += from->right[i];
  }
}

/* False: it is singular, but for the rounding of points in single precision. */
static bool
solve (const Normal *normal, double x[N])
{
  double matrix[N * N];

  for (int i = 0; i < N; i++) {
    for (int k = 0; k <= i; k++)
      matrix[N * i + k] = normal->matrix[k][i];
    x[i] = normal->right[i];
  }
  if (!least_squares_cholesky (matrix, N, x))
    return false;
  for (int i = 0; i < N; i++)
    if (!(matrix[(N + 1) * i] * matrix[(N + 1) * i] > 1e-9 * normal->matrix[i][i]))
      return false;
  return true;
}

EllipsoidResult
ellipsoid_fit (const KgVector *points, size_t n, KgVector center, double size, const KgProgressMonitor *monitor,
               Ellipsoid *ellipsoid)
{
  const size_t n_blocks = (n + BLOCK - 1) / BLOCK;
  g_autofree Normal *blocks = g_new0 (Normal, MAX (n_blocks, 1));
  SymmetricMatrix a, inverse;
  double x[N], values[3], level;
  KgVector axes[3], c;

#pragma omp parallel for schedule(dynamic) if (n_blocks > 4)
  for (size_t k = 0; k < n_blocks; k++)
    for (size_t i = k * BLOCK; i < MIN (n, (k + 1) * BLOCK) && (i % BLOCK != 0 || !kg_progress_is_cancelled (monitor));
         i++)
      add_point (&blocks[k], kg_vector_scale (kg_vector_subtract (points[i], center), 1 / size));
  if (kg_progress_is_cancelled (monitor))
    return ELLIPSOID_CANCELLED;
  for (size_t k = 1; k < n_blocks; k++)
    add_normal (&blocks[0], &blocks[k]);
  if (!solve (&blocks[0], x))
    return ELLIPSOID_NOT_DETERMINED;
  a = (SymmetricMatrix){ x[0], x[1], x[2], x[3], x[4], x[5] };
  symmetric_matrix_decompose (a, values, axes);
  /* As flat as this is as good as open. */
  if (!(fabs (values[0]) > 1e-9 * fabs (values[2])) || !symmetric_matrix_invert (a, &inverse))
    return ELLIPSOID_NOT_CLOSED;
  c = symmetric_matrix_apply (inverse, kg_vector (-x[6], -x[7], -x[8]));
  level = 1 - (x[6] * c.x + x[7] * c.y + x[8] * c.z);
  for (int i = 0; i < 3; i++)
    if (!(level / values[i] > 0))
      return ELLIPSOID_NOT_CLOSED;
  *ellipsoid = (Ellipsoid){ .center = kg_vector_add_scaled (center, size, c),
                            .axes = { axes[0], axes[1], kg_vector_cross (axes[0], axes[1]) },
                            .radii = kg_vector_scale (kg_vector (sqrt (level / values[0]), sqrt (level / values[1]),
                                                                 sqrt (level / values[2])),
                                                      size) };
  return ELLIPSOID_FITTED;
}

double
ellipsoid_get_distance (KgVector radii, KgVector local)
{
  const double r[] = { radii.x, radii.y, radii.z };
  const double given[] = { fabs (local.x), fabs (local.y), fabs (local.z) };
  const double most = fmax (r[0], fmax (r[1], r[2])), least = fmin (r[0], fmin (r[1], r[2]));
  double y[3], low = INFINITY, high = 0, level = 0, squares = 0;

  /* On a plane of symmetry within, the foot is not on it: a point beside it is asked for. */
  for (int i = 0; i < 3; i++) {
    y[i] = fmax (given[i], 1e-10 * most);
    level += given[i] / r[i] * (given[i] / r[i]);
    high += r[i] * y[i] * (r[i] * y[i]);
    if (r[i] == least)
      low = fmin (low, r[i] * y[i]);
  }
  high = sqrt (high);
  /* The foot is r² y / (s + r² - least²), where s makes it lie on the surface; larger s bring it nearer to the centre. */
  for (int round = 0; round < 100 && low < high; round++) {
    const double s = 0.5 * (low + high);
    double sum = 0;

    for (int i = 0; i < 3; i++) {
      const double share = r[i] * y[i] / (s + (r[i] - least) * (r[i] + least));

      sum += share * share;
    }
    if (s == low || s == high)
      break;
    if (sum > 1)
      low = s;
    else
      high = s;
  }
  for (int i = 0; i < 3; i++) {
    const double foot = r[i] * r[i] * y[i] / (high + (r[i] - least) * (r[i] + least));

    squares += (y[i] - foot) * (y[i] - foot);
  }
  return level < 1 ? -sqrt (squares) : sqrt (squares);
}
