/* fit_shape: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/fit_shape.h"

#include "geometry/bounding_shape.h"
#include "geometry/ellipsoid.h"
#include "geometry/symmetric_matrix.h"
#include "kg-error.h"
#include "value/least_squares.h"

#define MAX_STEPS 100
/* Points that are added up in one go. */
#define BLOCK 4096

static const char *const names[] = { N_ ("a line"),   N_ ("a plane"), N_ ("a circle"),
                                     N_ ("a sphere"), N_ ("a box"),   N_ ("an ellipsoid") };

/* Sums over points in blocks of a fixed size: of up to 28 numbers each. */

#define MAX_SUMS 28

typedef void (*AddPoint) (gconstpointer data, KgVector x, double sums[MAX_SUMS]);

static bool
add_points (const KgVector *points, size_t n, AddPoint add, gconstpointer data, const KgProgressMonitor *monitor,
            double sums[MAX_SUMS])
{
  const size_t n_blocks = (n + BLOCK - 1) / BLOCK;
  g_autofree double (*blocks)[MAX_SUMS] = g_malloc0 (MAX (n_blocks, 1) * sizeof *blocks);

#pragma omp parallel for schedule(dynamic) if (n_blocks > 4)
  for (size_t k = 0; k < n_blocks; k++)
    for (size_t i = k * BLOCK; i < MIN (n, (k + 1) * BLOCK); i++)
      add (data, points[i], blocks[k]);
  memset (sums, 0, MAX_SUMS * sizeof *sums);
  for (size_t k = 0; k < n_blocks; k++)
    for (int i = 0; i < MAX_SUMS; i++)
      sums[i] += blocks[k][i];
  return !kg_progress_is_cancelled (monitor);
}

static void
add_place (gconstpointer data, KgVector x, double sums[MAX_SUMS])
{
  const KgVector *origin = data;
  const KgVector d = kg_vector_subtract (x, *origin);

  sums[0] += d.x;
  sums[1] += d.y;
  sums[2] += d.z;
}

static void
add_square (gconstpointer data, KgVector x, double sums[MAX_SUMS])
{
  const KgVector *origin = data;
  const KgVector d = kg_vector_subtract (x, *origin);
  const double square = kg_vector_dot (d, d);

  sums[0] += d.x * d.x;
  sums[1] += d.y * d.y;
  sums[2] += d.z * d.z;
  sums[3] += d.x * d.y;
  sums[4] += d.x * d.z;
  sums[5] += d.y * d.z;
  sums[6] += square * d.x;
  sums[7] += square * d.y;
  sums[8] += square * d.z;
  sums[9] += square;
}

typedef struct {
  const KgVector *points;
  size_t n;
  const KgProgressMonitor *monitor;
  double sums[MAX_SUMS]; /* of squares, about the centroid */
  double spread[3];      /* eigenvalues of the covariance, descending */
} Cloud;

/* Centroid, covariance and its axes, the longest first. */
static bool
measure (Cloud *cloud, FittedShape *fitted)
{
  SymmetricMatrix covariance;
  double values[3];
  KgVector axes[3];

  fitted->center = cloud->points[0];
  if (!add_points (cloud->points, cloud->n, add_place, &fitted->center, cloud->monitor, cloud->sums))
    return false;
  fitted->center = kg_vector_add_scaled (fitted->center, 1 / (double) cloud->n,
                                         kg_vector (cloud->sums[0], cloud->sums[1], cloud->sums[2]));
  if (!add_points (cloud->points, cloud->n, add_square, &fitted->center, cloud->monitor, cloud->sums))
    return false;
  covariance = (SymmetricMatrix){ cloud->sums[0], cloud->sums[1], cloud->sums[2],
                                  cloud->sums[3], cloud->sums[4], cloud->sums[5] };
  symmetric_matrix_decompose (symmetric_matrix_scale (covariance, 1 / (double) cloud->n), values, axes);
  for (int i = 0; i < 3; i++)
    cloud->spread[i] = fmax (values[2 - i], 0);
  fitted->axes[2] = axes[0];
  fitted->axes[0] = axes[2];
  fitted->axes[1] = kg_vector_cross (fitted->axes[2], fitted->axes[0]);
  return true;
}

/* How many dimensions the points must fill: the square of a millionth of the first is nothing. */
static bool
check_spread (FitShape shape, const Cloud *cloud, GError **error)
{
  static const size_t least[] = { 2, 3, 3, 4, 1, 9 };
  static const int dimensions[] = { 1, 2, 2, 3, 0, 3 };
  static const char *const lie[] = { N_ ("all in one place"), N_ ("on one line"), N_ ("in one plane") };
  const int need = dimensions[shape];

  if (cloud->n < least[shape]) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "%zu points are too few for %s: use at least %zu", cloud->n,
                  kg_translate (names[shape]), least[shape]);
    return false;
  }
  if (need > 0 && !(cloud->spread[need - 1] > 1e-12 * cloud->spread[0])) {
    const int have = !(cloud->spread[0] > 0) ? 0 : need - 1;

    kg_set_error (error, KG_ERROR_DEGENERATE, "the points lie %s, so %s is not determined: use others",
                  kg_translate (lie[have]), kg_translate (names[shape]));
    return false;
  }
  return true;
}

/* Circles and spheres. */

/* In the coordinates of the axes: 2 c · d + e = d². */
static void
fit_algebraic (const Cloud *cloud, FitShape shape, FittedShape *fitted)
{
  const double n = (double) cloud->n, square = cloud->sums[9] / n;
  const KgVector third = { cloud->sums[6] / n, cloud->sums[7] / n, cloud->sums[8] / n };
  KgVector center = { 0, 0, 0 };
  double offset2 = 0;

  /* Along the axes the covariance is diagonal, and the sums of the places are 0. */
  for (int i = 0; i < (shape == FIT_CIRCLE ? 2 : 3); i++) {
    const double c = 0.5 * kg_vector_dot (third, fitted->axes[i]) / cloud->spread[i];

    center = kg_vector_add_scaled (center, c, fitted->axes[i]);
    offset2 += c * c;
  }
  fitted->center = kg_vector_add (fitted->center, center);
  fitted->radius = sqrt (fmax (square - (shape == FIT_CIRCLE ? cloud->spread[2] : 0) + offset2, 0));
}

typedef struct {
  KgVector center, axes[3];
  double radius;
  int n; /* dimensions */
} Round;

/* Residual r_i = distance from the centre - radius; its derivatives are - the direction, and - 1. */
static void
add_round (gconstpointer data, KgVector x, double sums[MAX_SUMS])
{
  const Round *round = data;
  const KgVector d = kg_vector_subtract (x, round->center);
  double u[3] = { 0, 0, 0 }, length = 0, residual;

  for (int i = 0; i < round->n; i++) {
    u[i] = kg_vector_dot (d, round->axes[i]);
    length += u[i] * u[i];
  }
  length = sqrt (length);
  residual = length - round->radius;
  for (int i = 0; i < round->n; i++)
    u[i] = length > 0 ? u[i] / length : 0;
  sums[0] += u[0] * u[0];
  sums[1] += u[1] * u[1];
  sums[2] += u[2] * u[2];
  sums[3] += u[0] * u[1];
  sums[4] += u[0] * u[2];
  sums[5] += u[1] * u[2];
  for (int i = 0; i < 3; i++) {
    sums[6 + i] += u[i];
    sums[9 + i] += u[i] * residual;
  }
  sums[12] += residual;
  sums[13] += residual * residual;
}

/* Solves a small symmetric positive system by elimination. */
static void
solve (double m[4][5], int n)
{
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n && m[i][i] != 0; k++) {
      const double f = m[k][i] / m[i][i];

      for (int j = i; j <= 4; j++)
        m[k][j] -= f * m[i][j];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      m[i][4] -= m[i][k] * m[k][4];
    m[i][4] = m[i][i] != 0 ? m[i][4] / m[i][i] : 0;
  }
}

static Round
step_round (const Round *round, const double sums[MAX_SUMS], double count, double damping)
{
  const double squares[3][3] = { { sums[0], sums[3], sums[4] },
                                 { sums[3], sums[1], sums[5] },
                                 { sums[4], sums[5], sums[2] } };
  const int n = round->n;
  double m[4][5] = { { 0 } };
  Round next = *round;

  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++)
      m[i][k] = squares[i][k];
    m[i][n] = m[n][i] = sums[6 + i];
    m[i][4] = sums[9 + i];
  }
  m[n][n] = count;
  m[n][4] = sums[12];
  for (int i = 0; i <= n; i++)
    m[i][i] *= 1 + damping;
  solve (m, n + 1);
  for (int i = 0; i < n; i++)
    next.center = kg_vector_add_scaled (next.center, m[i][4], round->axes[i]);
  next.radius += m[n][4];
  return next;
}

static bool
fit_geometric (const Cloud *cloud, FitShape shape, FittedShape *fitted)
{
  Round round = { .center = fitted->center, .radius = fitted->radius, .n = shape == FIT_CIRCLE ? 2 : 3 };
  double sums[MAX_SUMS], damping = 1e-6;

  for (int i = 0; i < 3; i++)
    round.axes[i] = fitted->axes[i];
  if (!add_points (cloud->points, cloud->n, add_round, &round, cloud->monitor, sums))
    return false;
  while (fitted->steps < MAX_STEPS && damping < 1e12) {
    const Round next = step_round (&round, sums, (double) cloud->n, damping);
    const double change = kg_vector_distance (next.center, round.center) + fabs (next.radius - round.radius);
    double tried[MAX_SUMS];

    fitted->steps++;
    if (!add_points (cloud->points, cloud->n, add_round, &next, cloud->monitor, tried))
      return false;
    if (tried[13] <= sums[13]) {
      round = next;
      memcpy (sums, tried, sizeof sums);
      damping *= 0.1;
    } else
      damping *= 10;
    if (!(change > 1e-13 * round.radius))
      break;
  }
  fitted->center = round.center;
  fitted->radius = fabs (round.radius);
  return true;
}

/* A circle in space: its centre along the axes, the tilts of its plane about the first two, and its radius. */
#define RING_NUMBERS 6
#define RING_SQUARES (RING_NUMBERS * (RING_NUMBERS + 1) / 2)

/* Two residuals: the height above the plane, and the distance from its axis - radius.  Sums: the lower triangle of JᵀJ, Jᵀr and
 * r². */
static void
add_ring (gconstpointer data, KgVector x, double sums[MAX_SUMS])
{
  const Round *round = data;
  const KgVector d = kg_vector_subtract (x, round->center);
  const double u = kg_vector_dot (d, round->axes[0]), v = kg_vector_dot (d, round->axes[1]);
  const double w = kg_vector_dot (d, round->axes[2]), length = sqrt (u * u + v * v);
  const double s = length > 0 ? u / length : 0, t = length > 0 ? v / length : 0;
  const double slopes[2][RING_NUMBERS] = { { 0, 0, -1, -v, u, 0 }, { -s, -t, 0, t * w, -s * w, -1 } };
  const double residuals[2] = { w, length - round->radius };

  for (int k = 0; k < 2; k++) {
    int at = 0;

    for (int i = 0; i < RING_NUMBERS; i++) {
      for (int j = 0; j <= i; j++)
        sums[at++] += slopes[k][i] * slopes[k][j];
      sums[RING_SQUARES + i] += slopes[k][i] * residuals[k];
    }
    sums[RING_SQUARES + RING_NUMBERS] += residuals[k] * residuals[k];
  }
}

/* False where the points do not determine the step. */
static bool
step_ring (Round *round, const double sums[MAX_SUMS], double damping)
{
  double matrix[RING_NUMBERS * RING_NUMBERS] = { 0 }, step[RING_NUMBERS], angle;
  KgVector tilt;
  int at = 0;

  for (int i = 0; i < RING_NUMBERS; i++) {
    for (int j = 0; j <= i; j++)
      matrix[i * RING_NUMBERS + j] = sums[at++] * (i == j ? 1 + damping : 1);
    step[i] = -sums[RING_SQUARES + i];
  }
  if (!least_squares_cholesky (matrix, RING_NUMBERS, step))
    return false;
  for (int i = 0; i < 3; i++)
    round->center = kg_vector_add_scaled (round->center, step[i], round->axes[i]);
  tilt = kg_vector_add_scaled (kg_vector_scale (round->axes[0], step[3]), step[4], round->axes[1]);
  angle = kg_vector_length (tilt);
  if (angle > 0) {
    const KgRotation turn = kg_rotation_from_axis_angle (tilt, angle);

    for (int i = 0; i < 3; i++)
      round->axes[i] = kg_rotation_apply (turn, round->axes[i]);
  }
  round->radius += step[5];
  return true;
}

/* From the best circle in the plane that fits best: off it, tilted planes are nearer to the points. */
static bool
fit_ring (const Cloud *cloud, FittedShape *fitted)
{
  Round round = { .center = fitted->center, .radius = fitted->radius, .n = 2 };
  const int cost = RING_SQUARES + RING_NUMBERS;
  double sums[MAX_SUMS], damping = 1e-6;

  for (int i = 0; i < 3; i++)
    round.axes[i] = fitted->axes[i];
  if (!add_points (cloud->points, cloud->n, add_ring, &round, cloud->monitor, sums))
    return false;
  for (int i = 0; i < MAX_STEPS && damping < 1e12; i++) {
    Round next = round;
    double tried[MAX_SUMS], change;

    if (!step_ring (&next, sums, damping)) {
      damping *= 10;
      continue;
    }
    change = kg_vector_distance (next.center, round.center) + fabs (next.radius - round.radius) +
             round.radius * kg_vector_distance (next.axes[2], round.axes[2]);
    fitted->steps++;
    if (!add_points (cloud->points, cloud->n, add_ring, &next, cloud->monitor, tried))
      return false;
    if (tried[cost] <= sums[cost]) {
      round = next;
      memcpy (sums, tried, sizeof sums);
      damping *= 0.1;
    } else
      damping *= 10;
    if (!(change > 1e-13 * round.radius))
      break;
  }
  fitted->center = round.center;
  fitted->radius = fabs (round.radius);
  for (int i = 0; i < 3; i++)
    fitted->axes[i] = round.axes[i];
  return true;
}

/* Boxes. */

static bool
fit_box (const Cloud *cloud, FittedShape *fitted, GError **error)
{
  const HullOptions options = { .tolerance = 1e-9, .steps = -1 };
  g_auto (ConvexHull) hull = { 0 };
  OrientedBox box;

  if (!convex_hull_find (&hull, cloud->points, cloud->n, &options, cloud->monitor, error))
    return false;
  box = oriented_box_find (&hull, true, cloud->monitor);
  fitted->center = box.center;
  for (int i = 0; i < 3; i++)
    fitted->axes[i] = box.axes[i];
  fitted->half = box.half;
  return true;
}

/* Ellipsoids. */

static bool
fit_ellipsoid (const Cloud *cloud, FittedShape *fitted, GError **error)
{
  Ellipsoid ellipsoid;

  switch (
      ellipsoid_fit (cloud->points, cloud->n, fitted->center, sqrt (cloud->spread[0]), cloud->monitor, &ellipsoid)) {
  case ELLIPSOID_FITTED:
    fitted->center = ellipsoid.center;
    for (int i = 0; i < 3; i++)
      fitted->axes[i] = ellipsoid.axes[i];
    fitted->half = ellipsoid.radii;
    return true;
  case ELLIPSOID_NOT_DETERMINED:
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "many ellipsoids go through these points: use more of them, from all around it");
    return false;
  case ELLIPSOID_NOT_CLOSED:
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "the surface that fits these points best is not closed (a hyperboloid, a paraboloid or a cylinder): use points "
        "of an ellipsoid, from all around it");
    return false;
  default:
    return false;
  }
}

/* Results. */

double
fit_shape_get_distance (FitShape shape, const FittedShape *fitted, KgVector x)
{
  const KgVector d = kg_vector_subtract (x, fitted->center);
  const double u = kg_vector_dot (d, fitted->axes[0]), v = kg_vector_dot (d, fitted->axes[1]);
  const double w = kg_vector_dot (d, fitted->axes[2]);
  KgVector out;
  double inside;

  switch (shape) {
  case FIT_LINE:
    return sqrt (v * v + w * w);
  case FIT_PLANE:
    return w;
  case FIT_CIRCLE:
    return sqrt (w * w + pow (sqrt (u * u + v * v) - fitted->radius, 2));
  case FIT_SPHERE:
    return kg_vector_length (d) - fitted->radius;
  case FIT_ELLIPSOID:
    return ellipsoid_get_distance (fitted->half, kg_vector (u, v, w));
  default:
    out = kg_vector (fabs (u) - fitted->half.x, fabs (v) - fitted->half.y, fabs (w) - fitted->half.z);
    inside = fmax (fmax (out.x, out.y), out.z);
    return inside <= 0 ? inside : kg_vector_length (kg_vector (fmax (out.x, 0), fmax (out.y, 0), fmax (out.z, 0)));
  }
}

static void
measure_residuals (FitShape shape, const Cloud *cloud, FittedShape *fitted)
{
  double sum = 0;

  for (size_t i = 0; i < cloud->n; i++) {
    const double distance = fabs (fit_shape_get_distance (shape, fitted, cloud->points[i]));
    const KgVector d = kg_vector_subtract (cloud->points[i], fitted->center);

    sum += distance * distance;
    fitted->largest = fmax (fitted->largest, distance);
    for (size_t c = 0; c < 3; c++) {
      const double along = kg_vector_dot (d, fitted->axes[c]);

      *kg_vector_component (&fitted->low, c) = i > 0 ? fmin (kg_vector_get (fitted->low, c), along) : along;
      *kg_vector_component (&fitted->high, c) = i > 0 ? fmax (kg_vector_get (fitted->high, c), along) : along;
    }
  }
  fitted->residual = sqrt (sum / (double) cloud->n);
}

bool
fit_shape (FitShape shape, const KgVector *points, size_t n, bool geometric, const KgProgressMonitor *monitor,
           FittedShape *fitted, GError **error)
{
  Cloud cloud = { .points = points, .n = n, .monitor = monitor };

  *fitted = (FittedShape){ .steps = 0 };
  if (n == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "there are no points to fit %s to: link a geometry that has some",
                  kg_translate (names[shape]));
    return false;
  }
  if (!measure (&cloud, fitted) || !check_spread (shape, &cloud, error))
    return false;
  if ((shape == FIT_BOX && !fit_box (&cloud, fitted, error)) ||
      (shape == FIT_ELLIPSOID && !fit_ellipsoid (&cloud, fitted, error)))
    return false;
  if (shape == FIT_CIRCLE || shape == FIT_SPHERE) {
    fit_algebraic (&cloud, shape, fitted);
    if (geometric && (!fit_geometric (&cloud, shape, fitted) || (shape == FIT_CIRCLE && !fit_ring (&cloud, fitted))))
      return false;
  }
  measure_residuals (shape, &cloud, fitted);
  return true;
}
