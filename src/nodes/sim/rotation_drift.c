/* sim/rotation_drift: what rounding does to a rotation that is repeated, in three ways of animating it.
 * The points are turned again and again; or a matrix that places them is; or only an angle is counted up, and the matrix
 * is made anew each time.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "transform/affine.h"
#include "kg-floats.h"
#include "kg-kernel.h"
#include "kg-node.h"

#include <inttypes.h>

typedef struct {
  KgGeometry *geometry;
  KgTransform place;
  KgVector axis;
  double step;
  int64_t steps_per_frame;
  int method;
  int precision;
  /* The points; the columns of the matrix; the angle; how many steps are done; and how it started. */
  KgGeometry *state;
  KgVector x, y, z, t;
  double counted;
  int64_t done;
  double volume;
  KgVector first;
  KgGeometry *log;
  KgGeometry *turned;
  KgGeometry *record;
  KgTransform transform;
  int64_t steps;
  double orthogonality;
  double flatness;
  double shape;
  double angle_error;
} RotationDrift;

enum { METHOD_POINTS, METHOD_MATRIX, METHOD_ANGLE, N_METHODS };
enum { PRECISION_SINGLE, PRECISION_DOUBLE, N_PRECISIONS };

/* Rotations between two looks at whether the result is still wanted. */
#define CHUNK ((size_t) 1 << 20)
/* Turns of single points or matrices in a frame. */
#define MAX_TURNS 1000000000
/* Rows of the record; where there would be more, every second goes. */
#define MAX_ROWS 4096
/* Squares and products of what is smaller stay finite in single precision. */
#define LARGEST 1e12

static const KgChoice drift_methods[] = {
  [METHOD_POINTS] = { "points", N_ ("Rotate the points repeatedly") },
  [METHOD_MATRIX] = { "matrix", N_ ("Rotate the matrix repeatedly") },
  [METHOD_ANGLE] = { "angle", N_ ("Add up the angle, rebuild the matrix") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (drift_methods, N_METHODS);

static const KgChoice drift_precisions[] = {
  [PRECISION_SINGLE] = { "single", N_ ("Single: 7 digits") },
  [PRECISION_DOUBLE] = { "double", N_ ("Double: 16 digits") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (drift_precisions, N_PRECISIONS);

/* A point as given, as it is, and how far from the first it was. */
typedef struct {
  KgVector object, now;
  double reach;
  double unused;
} DriftPoint;

#define POINT_WORDS 16
G_STATIC_ASSERT (sizeof (DriftPoint) == POINT_WORDS * sizeof (int32_t));

/* A sum or a product of two singles, computed in doubles and rounded once, is what single precision gives. */
static inline double
keep (double x, bool single)
{
  return single ? (double) (float) x : x;
}

static inline KgVector
keep_vector (KgVector v, bool single)
{
  return kg_vector (keep (v.x, single), keep (v.y, single), keep (v.z, single));
}

static inline double
multiply_row (const double row[4], KgVector v, bool single)
{
  return keep (keep (keep (row[0] * v.x, single) + keep (row[1] * v.y, single), single) + keep (row[2] * v.z, single),
               single);
}

static inline KgVector
turn (const KgTransform *t, KgVector v, bool single)
{
  return kg_vector (multiply_row (t->m[0], v, single), multiply_row (t->m[1], v, single),
                    multiply_row (t->m[2], v, single));
}

static KgTransform
make_rotation (const RotationDrift *n, double angle)
{
  KgTransform t =
      kg_transform_from_parts (kg_vector (0, 0, 0), kg_rotation_from_axis_angle (n->axis, angle), kg_vector (1, 1, 1));

  for (int j = 0; j < 3; j++)
    kg_transform_set_column (&t, j, keep_vector (kg_transform_get_column (&t, j), n->precision == PRECISION_SINGLE));
  return t;
}

static KgTransform
get_matrix (const RotationDrift *n)
{
  KgTransform t = kg_transform_identity ();

  kg_transform_set_column (&t, 0, n->x);
  kg_transform_set_column (&t, 1, n->y);
  kg_transform_set_column (&t, 2, n->z);
  kg_transform_set_place (&t, n->t);
  return t;
}

static const DriftPoint *
get_points (const KgGeometry *state)
{
  return (const DriftPoint *) (const void *) kg_geometry_get_int (state, KG_POINTS, "memory", POINT_WORDS);
}

static DriftPoint *
edit_points (KgGeometry *state)
{
  return (DriftPoint *) (void *) kg_geometry_edit_int (state, KG_POINTS, "memory", POINT_WORDS);
}

/* Six times the volume of the first four points: 0 where they lie in a plane. */
static double
get_volume (const KgGeometry *state)
{
  const DriftPoint *p = get_points (state);

  if (kg_geometry_get_n_points (state) < 4)
    return 0;
  return kg_vector_dot (
      kg_vector_subtract (p[1].now, p[0].now),
      kg_vector_cross (kg_vector_subtract (p[2].now, p[0].now), kg_vector_subtract (p[3].now, p[0].now)));
}

static double
get_shape_error (const KgGeometry *state)
{
  const DriftPoint *p = get_points (state);
  double most = 0;

  for (size_t i = 1; i < kg_geometry_get_n_points (state); i++)
    if (p[i].reach > 0)
      most = fmax (most, fabs (kg_vector_distance (p[i].now, p[0].now) - p[i].reach) / p[i].reach);
  return most;
}

/* By how much the first point has turned too far; of an angle that is counted up, the angle itself. */
static double
get_angle_error (const RotationDrift *n)
{
  const KgVector axis = kg_vector_normalize_or (n->axis, kg_vector (0, 1, 0));
  const double wanted = (double) n->done * n->step;
  KgVector now;
  double across, along;

  if (n->method == METHOD_ANGLE)
    return n->counted - wanted;
  if (kg_geometry_get_n_points (n->state) == 0)
    return 0;
  now = get_points (n->state)[0].now;
  across = kg_vector_dot (axis, kg_vector_cross (n->first, now));
  along = kg_vector_dot (n->first, now) - kg_vector_dot (n->first, axis) * kg_vector_dot (now, axis);
  if (fabs (across) + fabs (along) < 1e-300)
    return 0;
  return remainder (atan2 (across, along) - wanted, 2 * KG_PI);
}

static void
measure (RotationDrift *n)
{
  n->transform = get_matrix (n);
  n->orthogonality = n->method == METHOD_POINTS ? 0 : affine_get_orthogonality (&n->transform);
  n->flatness = get_volume (n->state) - n->volume;
  n->shape = get_shape_error (n->state);
  n->angle_error = get_angle_error (n);
}

static bool
note (RotationDrift *n, GError **error)
{
  size_t row = kg_geometry_get_n_points (n->log);
  const double steps = (double) n->done;

  kg_geometry_make_writable (&n->log);
  if (row >= MAX_ROWS) {
    g_autofree uint8_t *kept = g_new (uint8_t, row);

    for (size_t i = 0; i < row; i++)
      kept[i] = i % 2 == 0;
    kg_geometry_keep_points (n->log, kept);
    row = kg_geometry_get_n_points (n->log);
  }
  if (!kg_geometry_set_n_points (n->log, row + 1, error))
    return false;
  measure (n);
  kg_geometry_edit_positions (n->log)[3 * row] = (float) steps;
  kg_geometry_edit_float (n->log, KG_POINTS, "orthogonality", 1)[row] = (float) n->orthogonality;
  kg_geometry_edit_float (n->log, KG_POINTS, "flatness", 1)[row] = (float) fabs (n->flatness);
  kg_geometry_edit_float (n->log, KG_POINTS, "shape", 1)[row] = (float) n->shape;
  kg_geometry_edit_float (n->log, KG_POINTS, "angle", 1)[row] = (float) fabs (n->angle_error / KG_DEGREE);
  return true;
}

/* Where the matrix puts the points as they were given.  In doubles, so that what is seen is the error of the matrix. */
static void
place_points (RotationDrift *n)
{
  const KgTransform t = get_matrix (n);
  DriftPoint *points = edit_points (n->state);

  for (size_t i = 0; i < kg_geometry_get_n_points (n->state); i++)
    points[i].now = kg_transform_point (t, points[i].object);
}

static bool
check_size (const RotationDrift *n, GError **error)
{
  const DriftPoint *points = get_points (n->state);
  double most = 0;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      most = fmax (most, fabs (n->place.m[i][j]));
  for (size_t i = 0; i < kg_geometry_get_n_points (n->state); i++)
    for (int c = 0; c < 3; c++)
      most = fmax (most, fmax (fabs (kg_vector_get (points[i].now, c)), fabs (kg_vector_get (points[i].object, c))));
  if (most <= LARGEST)
    return true;
  kg_set_error (
      error, KG_ERROR_LIMIT,
      "the geometry or its position has the number %g, but single precision cannot compute with more than %g: scale it down",
      most, LARGEST);
  return false;
}

static bool
rotation_drift_start (RotationDrift *n, const KgContext *ctx, GError **error)
{
  const float *p = kg_geometry_get_positions (n->geometry);
  const size_t count = kg_geometry_get_n_points (n->geometry);
  const bool single = n->precision == PRECISION_SINGLE;
  DriftPoint *points;

  (void) ctx;
  n->state = kg_geometry_new ();
  n->log = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->state, count, error))
    return false;
  points = edit_points (n->state);
  for (size_t i = 0; i < count; i++)
    points[i].object = kg_floats_get_vector (p, i);
  n->x = kg_transform_get_column (&n->place, 0);
  n->y = kg_transform_get_column (&n->place, 1);
  n->z = kg_transform_get_column (&n->place, 2);
  n->t = kg_transform_get_place (&n->place);
  place_points (n);
  if (!check_size (n, error))
    return false;
  n->x = keep_vector (n->x, single);
  n->y = keep_vector (n->y, single);
  n->z = keep_vector (n->z, single);
  n->t = keep_vector (n->t, single);
  n->counted = 0;
  n->done = 0;
  points = edit_points (n->state);
  n->first = count > 0 ? points[0].now : kg_vector (0, 0, 0);
  for (size_t i = 0; i < count; i++)
    points[i].reach = kg_vector_distance (points[i].now, points[0].now);
  n->volume = get_volume (n->state);
  for (size_t i = 0; i < count && n->method == METHOD_POINTS; i++)
    points[i].now = keep_vector (points[i].now, single);
  if (n->method != METHOD_POINTS)
    place_points (n);
  return note (n, error);
}

KG_KERNEL static void
turn_points (DriftPoint *points, size_t count, const KgTransform *by, int64_t steps, bool single)
{
#pragma omp parallel for schedule(dynamic, 16) if (count * (size_t) steps >= KG_PARALLEL_FROM && count > 1)
  for (size_t i = 0; i < count; i++) {
    KgVector v = points[i].now;

    for (int64_t k = 0; k < steps; k++)
      v = turn (by, v, single);
    points[i].now = v;
  }
}

/* One chunk of steps. */
static void
do_steps (RotationDrift *n, const KgTransform *by, int64_t steps)
{
  const bool single = n->precision == PRECISION_SINGLE;
  const double step = keep (n->step, single);

  if (n->method == METHOD_POINTS)
    turn_points (edit_points (n->state), kg_geometry_get_n_points (n->state), by, steps, single);
  for (int64_t k = 0; k < steps && n->method == METHOD_MATRIX; k++) {
    n->x = turn (by, n->x, single);
    n->y = turn (by, n->y, single);
    n->z = turn (by, n->z, single);
    n->t = turn (by, n->t, single);
  }
  for (int64_t k = 0; k < steps && n->method == METHOD_ANGLE; k++)
    n->counted = keep (n->counted + step, single);
  n->done += steps;
}

/* The matrix of the whole angle, times the place. */
static void
rebuild_matrix (RotationDrift *n)
{
  const KgTransform whole = make_rotation (n, n->counted);
  const bool single = n->precision == PRECISION_SINGLE;

  n->x = turn (&whole, keep_vector (kg_transform_get_column (&n->place, 0), single), single);
  n->y = turn (&whole, keep_vector (kg_transform_get_column (&n->place, 1), single), single);
  n->z = turn (&whole, keep_vector (kg_transform_get_column (&n->place, 2), single), single);
  n->t = turn (&whole, keep_vector (kg_transform_get_place (&n->place), single), single);
}

static bool
rotation_drift_advance (RotationDrift *n, const KgContext *ctx, double dt, GError **error)
{
  const size_t turned = n->method == METHOD_POINTS ? MAX (kg_geometry_get_n_points (n->state), 1) : 1;
  const KgTransform by = make_rotation (n, n->step);
  const int64_t chunk = (int64_t) MAX (CHUNK / turned, 1);
  int64_t left = llround ((double) n->steps_per_frame * dt * ctx->rate);

  if (turned > MAX_TURNS || (size_t) left > MAX_TURNS / turned) {
    kg_set_error (
        error, KG_ERROR_LIMIT,
        "%" PRId64
        " steps per frame for %zu points are more than a thousand million rotations: use fewer steps, or fewer points",
        left, turned);
    return false;
  }
  if (!check_size (n, error))
    return false;
  kg_geometry_make_writable (&n->state);
  for (; left > 0; left -= MIN (left, chunk)) {
    if (kg_context_is_cancelled (ctx))
      return false;
    do_steps (n, &by, MIN (left, chunk));
  }
  if (n->method == METHOD_ANGLE)
    rebuild_matrix (n);
  if (n->method != METHOD_POINTS)
    place_points (n);
  return note (n, error);
}

static bool
rotation_drift_evaluate (RotationDrift *n, const KgContext *ctx, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->state), now = kg_geometry_get_n_points (n->geometry);
  const size_t rows = kg_geometry_get_n_points (n->log);
  const DriftPoint *points = get_points (n->state);
  g_autofree uint32_t *vertices = g_new (uint32_t, MAX (rows, 1));
  float *p;

  n->transform = get_matrix (n);
  if (now != count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the geometry started with %zu points but now has %zu: link a geometry that keeps its points", count,
                  now);
    return false;
  }
  if (!(kg_vector_length (n->axis) > 1e-300))
    kg_context_warn (ctx, "the axis is 0 0 0: nothing rotates; set a direction");
  measure (n);
  n->steps = n->done;
  kg_geometry_make_writable (&n->geometry);
  p = kg_geometry_edit_positions (n->geometry);
  for (size_t i = 0; i < count; i++)
    for (int c = 0; c < 3; c++)
      p[3 * i + (size_t) c] = (float) kg_vector_get (points[i].now, c);
  n->turned = g_steal_pointer (&n->geometry);
  n->record = kg_geometry_ref (n->log);
  kg_geometry_make_writable (&n->record);
  for (size_t i = 0; i < rows; i++)
    vertices[i] = (uint32_t) i;
  kg_geometry_add_primitives (n->record, KG_POLYLINE, false, rows > 1 ? 1 : 0, (uint32_t) rows, vertices);
  return true;
}

static const KgSlot rotation_drift_slots[] = {
  KG_INPUT (
      RotationDrift, geometry, GEOMETRY, .label = N_ ("Geometry"),
      .help = N_ (
          "Geometry that rotates about the origin of the world. Its first four points are tested for still being in one plane.")),
  KG_INPUT (RotationDrift, place, TRANSFORM, .label = N_ ("Position"),
            .help = N_ ("Initial position and orientation of the geometry: a translation and a rotation.")),
  KG_INPUT (RotationDrift, axis, VECTOR, .label = N_ ("Axis"), .def_v = { 0, 1, 0 },
            .help = N_ ("Axis of the rotation.")),
  KG_INPUT (RotationDrift, step, NUMBER, .label = N_ ("Step"), .unit = KG_DEGREES, .def = 1, .soft_min = -45,
            .soft_max = 45, .min = -360, .max = 360, .help = N_ ("Angle of each step.")),
  KG_INPUT (RotationDrift, steps_per_frame, INTEGER, .label = N_ ("Steps per frame"), .def = 1, .min = 1, .max = 1e6,
            .soft_max = 1000,
            .help = N_ ("Number of steps per frame: more of them show sooner what would otherwise take hours.")),
  KG_INPUT (
      RotationDrift, method, CHOICE, .label = N_ ("Method"), .choices = drift_methods, .fixed = true,
      .help = N_ (
          "Points drift apart and leave their plane. A matrix begins to stretch and shear, so planes stay planes but shapes do not keep their form. A rebuilt matrix is always a rotation, and only its angle drifts.")),
  KG_INPUT (RotationDrift, precision, CHOICE, .label = N_ ("Precision"), .choices = drift_precisions, .fixed = true,
            .help = N_ ("Precision of the numbers that are kept from step to step.")),
  KG_STATE (RotationDrift, state, GEOMETRY, .keeps = "points memory int 16"),
  KG_STATE (RotationDrift, x, VECTOR),
  KG_STATE (RotationDrift, y, VECTOR),
  KG_STATE (RotationDrift, z, VECTOR),
  KG_STATE (RotationDrift, t, VECTOR),
  KG_STATE (RotationDrift, counted, NUMBER),
  KG_STATE (RotationDrift, done, INTEGER, .min = 0, .max = 1e15),
  KG_STATE (RotationDrift, volume, NUMBER),
  KG_STATE (RotationDrift, first, VECTOR),
  KG_STATE (RotationDrift, log, GEOMETRY, .keeps = ""),
  KG_OUTPUT (RotationDrift, turned, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The geometry in its current state.")),
  KG_OUTPUT (
      RotationDrift, record, GEOMETRY, .label = N_ ("Record"),
      .help = N_ (
          "A table for Plot, one point per frame: x is the number of steps, and the point attributes orthogonality, flatness, shape and angle are the absolute values of the errors below, the angle in degrees.")),
  KG_OUTPUT (RotationDrift, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("The current matrix; if points are rotated, the initial transform.")),
  KG_OUTPUT (RotationDrift, steps, INTEGER, .label = N_ ("Steps"), .help = N_ ("Number of rotations so far.")),
  KG_OUTPUT (RotationDrift, orthogonality, NUMBER, .label = N_ ("Matrix error"),
             .help = N_ ("The largest number in A Aᵀ - 1: 0 for a rotation, and always 0 if points are rotated.")),
  KG_OUTPUT (
      RotationDrift, flatness, NUMBER, .label = N_ ("Out of plane"),
      .help = N_ (
          "Change in the volume of the box spanned by the first four points: it stays 0 while they are in one plane.")),
  KG_OUTPUT (RotationDrift, shape, NUMBER, .label = N_ ("Shape error"), .unit = KG_PERCENT,
             .help = N_ ("Largest relative change in the distance of a point from the first point.")),
  KG_OUTPUT (RotationDrift, angle_error, NUMBER, .label = N_ ("Angle error"), .unit = KG_DEGREES,
             .help = N_ ("Angle by which the geometry has rotated too far.")),
};

KG_SIMULATION (
    sim, rotation_drift, RotationDrift, .label = N_ ("Rotation Drift"), .version = 1, .since = "0.1",
    .tags = N_ ("rounding roundoff error float precision matrix moon orthogonality accumulate"),
    .help = N_ (
        "Shows the effect of rounding on something that rotates for a long time, for three ways of animating it. This is why transforms are rebuilt from their angles each time instead of being updated."));
