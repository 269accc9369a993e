/* camera_calibration: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "transform/camera_calibration.h"

#include "value/least_squares.h"
#include "value/matrix.h"

#define UNKNOWNS 11
/* Singular values relative to the largest that count as none. */
#define TINY 1e-10

static double
dot (const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

bool
camera_project (const CameraPixels *camera, const double p[3], double *column, double *row, double *depth)
{
  const double z = dot (camera->r[2], p) + camera->t[2];

  *depth = z;
  if (z == 0)
    return false;
  *column = camera->c0 + camera->fu * (dot (camera->r[0], p) + camera->t[0]) / z;
  *row = camera->r0 + camera->fv * (dot (camera->r[1], p) + camera->t[1]) / z;
  return true;
}

/* The rotation nearest to a matrix (Frobenius).  False where it is not unique: the two smallest singular values vanish or
 * cancel. */
static bool
find_rotation (const double m[3][3], double rotation[3][3], GError **error)
{
  g_autoptr (Matrix) a = matrix_new (3, 3, error);
  g_autoptr (MatrixSvd) svd = NULL;
  double det = 1;

  if (a == NULL)
    return false;
  memcpy (a->a, m, 9 * sizeof (double));
  svd = matrix_svd_new (a, error);
  if (svd == NULL)
    return false;
  det = matrix_get_cofactor_determinant (svd->u) * matrix_get_cofactor_determinant (svd->v);
  /* Mirrored, the smallest is turned over; where it equals the one before, either would do. */
  if (svd->w[1] < TINY * svd->w[0] || svd->w[0] == 0 || (det < 0 && svd->w[1] - svd->w[2] < TINY * svd->w[0])) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "no single rotation is nearest to the matrix");
    return false;
  }
  for (guint i = 0; i < 3; i++)
    for (guint j = 0; j < 3; j++) {
      rotation[i][j] = 0;
      for (guint k = 0; k < 3; k++)
        rotation[i][j] += matrix_get (svd->u, i, k) * matrix_get (svd->v, j, k) * (k == 2 && det < 0 ? -1 : 1);
    }
  return true;
}

/* Coordinates about their mean, at a mean distance of 1. */
typedef struct {
  double world[3], world_scale, column, row, pixel_scale;
} Normal;

static Normal
normalise (const CameraMeasurement *m, guint n)
{
  Normal normal = { .world_scale = 1, .pixel_scale = 1 };
  double far = 0, wide = 0;

  for (guint i = 0; i < n; i++) {
    for (int c = 0; c < 3; c++)
      normal.world[c] += m[i].p[c] / n;
    normal.column += m[i].column / n;
    normal.row += m[i].row / n;
  }
  for (guint i = 0; i < n; i++) {
    double square = 0;

    for (int c = 0; c < 3; c++)
      square += pow (m[i].p[c] - normal.world[c], 2);
    far += sqrt (square) / n;
    wide += hypot (m[i].column - normal.column, m[i].row - normal.row) / n;
  }
  if (far > 0)
    normal.world_scale = 1 / far;
  if (wide > 0)
    normal.pixel_scale = 1 / wide;
  return normal;
}

/* W of the two linear equations of each point, with w11 = 1: the middle of the points lies in front of the camera. */
static bool
solve_linear (const CameraMeasurement *m, guint n, const Normal *normal, double w[12], GError **error)
{
  g_autoptr (Matrix) a = matrix_new (2 * n, UNKNOWNS, error);
  g_autoptr (Matrix) b = matrix_new (2 * n, 1, error);
  g_autoptr (MatrixSvd) svd = NULL;
  g_autoptr (Matrix) solution = NULL;
  guint rank;

  if (a == NULL || b == NULL)
    return false;
  for (guint i = 0; i < n; i++) {
    const double c = normal->pixel_scale * (m[i].column - normal->column);
    const double r = normal->pixel_scale * (m[i].row - normal->row);

    for (guint k = 0; k < 3; k++) {
      const double x = normal->world_scale * (m[i].p[k] - normal->world[k]);

      matrix_set (a, 2 * i, k, -x);
      matrix_set (a, 2 * i, 6 + k, c * x);
      matrix_set (a, 2 * i + 1, 3 + k, -x);
      matrix_set (a, 2 * i + 1, 6 + k, r * x);
    }
    matrix_set (a, 2 * i, 9, -1);
    matrix_set (a, 2 * i + 1, 10, -1);
    matrix_set (b, 2 * i, 0, -c);
    matrix_set (b, 2 * i + 1, 0, -r);
  }
  svd = matrix_svd_new (a, error);
  if (svd == NULL)
    return false;
  rank = matrix_svd_get_rank (svd, 1e-9);
  if (rank < UNKNOWNS) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the points determine only %u of %d unknowns: they must not lie in one plane", rank, UNKNOWNS);
    return false;
  }
  solution = matrix_svd_solve (svd, b, 0, 0, error);
  if (solution == NULL)
    return false;
  memcpy (w, solution->a, UNKNOWNS * sizeof *w);
  w[11] = 1;
  return true;
}

/* The rows W0, W3, W6 and w9, w10, w11, of pixels and world as they were. */
static void
leave_normal (const Normal *normal, const double w[12], double rows[3][3], double offsets[3])
{
  for (int k = 0; k < 3; k++) {
    rows[0][k] = normal->world_scale * (w[k] / normal->pixel_scale + normal->column * w[6 + k]);
    rows[1][k] = normal->world_scale * (w[3 + k] / normal->pixel_scale + normal->row * w[6 + k]);
    rows[2][k] = normal->world_scale * w[6 + k];
  }
  offsets[0] = w[9] / normal->pixel_scale + normal->column * w[11] - dot (rows[0], normal->world);
  offsets[1] = w[10] / normal->pixel_scale + normal->row * w[11] - dot (rows[1], normal->world);
  offsets[2] = w[11] - dot (rows[2], normal->world);
}

/* Centre, focal lengths and T for the rows of a rotation; a sign of fu that makes it one. */
static void
take_apart (const double rows[3][3], const double offsets[3], const double axis[3], CameraPixels *camera)
{
  double u[3], v[3];

  camera->c0 = dot (rows[0], axis);
  camera->r0 = dot (rows[1], axis);
  for (int k = 0; k < 3; k++) {
    u[k] = rows[0][k] - camera->c0 * axis[k];
    v[k] = rows[1][k] - camera->r0 * axis[k];
  }
  camera->fu = sqrt (dot (u, u));
  camera->fv = sqrt (dot (v, v));
  if (u[0] * (v[1] * axis[2] - v[2] * axis[1]) - u[1] * (v[0] * axis[2] - v[2] * axis[0]) +
          u[2] * (v[0] * axis[1] - v[1] * axis[0]) <
      0)
    camera->fu = -camera->fu;
  for (int k = 0; k < 3; k++) {
    camera->r[0][k] = u[k] / camera->fu;
    camera->r[1][k] = v[k] / camera->fv;
    camera->r[2][k] = axis[k];
  }
  camera->t[2] = offsets[2];
  camera->t[0] = (offsets[0] - camera->c0 * offsets[2]) / camera->fu;
  camera->t[1] = (offsets[1] - camera->r0 * offsets[2]) / camera->fv;
}

/* Numbers of a camera: fu fv c0 r0, t, and the rotation's rows; a step has three for the rotation. */
typedef struct {
  const CameraMeasurement *m;
  guint n;
} Refine;

static void
read_numbers (const double *x, CameraPixels *camera)
{
  camera->fu = x[0];
  camera->fv = x[1];
  camera->c0 = x[2];
  camera->r0 = x[3];
  memcpy (camera->t, x + 4, 3 * sizeof *x);
  memcpy (camera->r, x + 7, 9 * sizeof *x);
}

static void
write_numbers (const CameraPixels *camera, double *x)
{
  x[0] = camera->fu;
  x[1] = camera->fv;
  x[2] = camera->c0;
  x[3] = camera->r0;
  memcpy (x + 4, camera->t, 3 * sizeof *x);
  memcpy (x + 7, camera->r, 9 * sizeof *x);
}

static void
refine_evaluate (gconstpointer data, const double *x, double *residuals, double *jacobian)
{
  const Refine *refine = data;
  CameraPixels camera;

  read_numbers (x, &camera);
  for (guint i = 0; i < refine->n; i++) {
    const CameraMeasurement *m = &refine->m[i];
    double q[3], turned[3];

    for (int k = 0; k < 3; k++) {
      turned[k] = dot (camera.r[k], m->p);
      q[k] = turned[k] + camera.t[k];
    }
    if (fabs (q[2]) < 1e-12)
      q[2] = copysign (1e-12, q[2]);
    residuals[2 * i] = camera.c0 + camera.fu * q[0] / q[2] - m->column;
    residuals[2 * i + 1] = camera.r0 + camera.fv * q[1] / q[2] - m->row;
    for (int c = 0; c < 2 && jacobian != NULL; c++) {
      double *row = jacobian + (size_t) 10 * (2 * i + (guint) c);
      const double f = c == 0 ? camera.fu : camera.fv;
      /* By q: only its own component and the depth. */
      const double own = f / q[2], deep = -f * q[c] / (q[2] * q[2]);

      row[c] = q[c] / q[2];
      row[2 + c] = 1;
      row[4 + c] = own;
      row[6] = deep;
      /* q changes by w x turned. */
      if (c == 0) {
        row[7] = deep * turned[1];
        row[8] = own * turned[2] - deep * turned[0];
        row[9] = -own * turned[1];
      } else {
        row[7] = -own * turned[2] + deep * turned[1];
        row[8] = -deep * turned[0];
        row[9] = own * turned[0];
      }
    }
  }
}

static void
refine_move (gconstpointer data, const double *x, const double *step, double *to)
{
  const double angle = sqrt (dot (step + 7, step + 7));
  const KgVector axis = angle > 0 ? (KgVector){ step[7] / angle, step[8] / angle, step[9] / angle }
                                  : (KgVector){ 0, 0, 1 };
  const KgTransform turn =
      kg_transform_from_parts (kg_vector (0, 0, 0), kg_rotation_from_axis_angle (axis, angle), kg_vector (1, 1, 1));

  (void) data;
  for (int k = 0; k < 7; k++)
    to[k] = x[k] + step[k];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;

      for (int k = 0; k < 3; k++)
        sum += turn.m[i][k] * x[7 + 3 * k + j];
      to[7 + 3 * i + j] = sum;
    }
}

bool
camera_calibrate (const CameraMeasurement *measurements, guint n, bool refine, CameraPixels *camera,
                  const KgProgressMonitor *monitor, GError **error)
{
  const Normal normal = normalise (measurements, n);
  double w[12], rows[3][3], offsets[3], axis[3], length, rotation[3][3], residual = 0;

  if (n < 6) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%u points are too few: a camera needs at least 6", n);
    return false;
  }
  if (!solve_linear (measurements, n, &normal, w, error))
    return false;
  leave_normal (&normal, w, rows, offsets);
  length = sqrt (dot (rows[2], rows[2]));
  if (!(length > 0)) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "the image has no perspective: the camera is infinitely far away");
    return false;
  }
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++)
      rows[i][k] /= length;
    offsets[i] /= length;
  }
  memcpy (axis, rows[2], sizeof axis);
  take_apart (rows, offsets, axis, camera);
  /* Measurements with errors make no rotation: the nearest one, and the rest for its axis. */
  if (!find_rotation (camera->r, rotation, error))
    return false;
  memcpy (axis, rotation[2], sizeof axis);
  take_apart (rows, offsets, axis, camera);
  memcpy (camera->r, rotation, sizeof rotation);
  if (refine) {
    const Refine data = { .m = measurements, .n = n };
    const LeastSquares problem = { .n_numbers = 16,
                                   .n_unknowns = 10,
                                   .n_residuals = 2 * n,
                                   .evaluate = refine_evaluate,
                                   .move = refine_move,
                                   .data = &data,
                                   .max_iterations = 100,
                                   .tolerance = 1e-12 };
    LeastSquaresReport report;
    double x[16];

    write_numbers (camera, x);
    if (!least_squares_solve (&problem, x, NULL, &report, monitor))
      return false;
    read_numbers (x, camera);
    residual = report.energy;
  }
  for (int k = 0; k < 3; k++)
    residual += camera->t[k] + camera->fu + camera->fv;
  if (!isfinite (residual)) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "the points do not determine a camera");
    return false;
  }
  return true;
}
