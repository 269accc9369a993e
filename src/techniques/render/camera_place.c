/* camera_place: where a camera must be, and how it must look, to show something that moves.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/camera_place.h"

#include "curve/curve.h"
#include "geometry/bounding_shape.h"
#include "geometry/closest_pair.h"
#include "geometry/point_cloud.h"
#include "geometry/triangle_mesh.h"
#include "geometry/vectors.h"
#include "kg-error.h"

/* Sine of the angle to up: from the first on the horizon begins to turn, from the second on there is none. */
#define POLE_BEGINS 0.02
#define POLE_REACHED 1e-3

static const KgVector nothing = { 0, 0, 0 };

static bool
find_mean (const KgVector *points, const float *weights, size_t n, CameraBall *ball, GError **error)
{
  KgVector sum = { 0, 0, 0 }, plain = { 0, 0, 0 };
  double total = 0;

  for (size_t i = 0; i < n; i++) {
    const double weight = weights != NULL ? (double) weights[i] : 1;

    if (!(weight >= 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "point %zu has the weight %g: weights cannot be negative", i,
                    weight);
      return false;
    }
    total += weight;
    sum = kg_vector_add_scaled (sum, weight, points[i]);
    plain = kg_vector_add (plain, points[i]);
  }
  ball->unweighed = !(total > 0);
  ball->center = ball->unweighed ? kg_vector_scale (plain, 1 / (double) n) : kg_vector_scale (sum, 1 / total);
  return true;
}

static void
find_bounds (const KgVector *points, size_t n, CameraBall *ball)
{
  KgVector low = points[0], high = points[0];

  for (size_t i = 1; i < n; i++) {
    low = kg_vector_min (low, points[i]);
    high = kg_vector_max (high, points[i]);
  }
  ball->center = kg_vector_lerp (low, high, 0.5);
}

bool
camera_find_subject (const KgGeometry *geometry, const KgTransform *transform, CameraSubject what, CameraBall *ball,
                     GError **error)
{
  g_autofree KgVector *points = NULL;
  size_t n = 0;

  *ball = (CameraBall){ .center = kg_transform_point (*transform, nothing) };
  if (geometry != NULL) {
    points = point_cloud_get_points (geometry, NULL, &n, NULL, error);
    if (points == NULL)
      return false;
  }
  if (n == 0) {
    if (what == CAMERA_SUBJECT_OBJECT)
      return true;
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "there is nothing to look at: link a subject that has points, or look at its transform");
    return false;
  }
  for (size_t i = 0; i < n; i++)
    points[i] = kg_transform_point (*transform, points[i]);
  if (what == CAMERA_SUBJECT_MEAN &&
      !find_mean (points, kg_geometry_get_float (geometry, KG_POINTS, "weight", 1), n, ball, error))
    return false;
  if (what == CAMERA_SUBJECT_BOUNDS)
    find_bounds (points, n, ball);
  if (what == CAMERA_SUBJECT_SPHERE)
    ball->center = bounding_sphere_find_smallest (points, n).center;
  for (size_t i = 0; i < n; i++)
    ball->radius = fmax (ball->radius, kg_vector_distance (points[i], ball->center));
  return true;
}

/* The part of a across a unit vector, of length 1; or another one across it. */
static KgVector
flatten (KgVector a, KgVector unit)
{
  return kg_vector_normalize_or (kg_vector_add_scaled (a, -kg_vector_dot (a, unit), unit),
                                 kg_vector_perpendicular (unit));
}

static KgRotation
rotation_from_axes (KgVector x, KgVector y, KgVector z)
{
  return kg_rotation_from_transform (
      (KgTransform){ { { x.x, y.x, z.x, 0 }, { x.y, y.y, z.y, 0 }, { x.z, y.z, z.z, 0 }, { 0, 0, 0, 1 } } });
}

KgRotation
camera_get_heading (KgVector velocity, KgVector up, KgRotation fallback)
{
  const double speed = kg_vector_length (velocity);
  const KgVector z = kg_vector_normalize_or (velocity, kg_vector (0, 0, 1));
  const KgVector x = kg_vector_cross (kg_vector_normalize_or (up, kg_vector (0, 1, 0)), z);

  if (!(speed > 1e-6) || !(kg_vector_length (x) > 1e-6))
    return fallback;
  return rotation_from_axes (kg_vector_normalize_or (x, z), kg_vector_cross (z, kg_vector_normalize_or (x, z)), z);
}

KgVector
camera_bind_to_plane (KgVector c, KgVector point, KgVector normal)
{
  const KgVector n = kg_vector_normalize_or (normal, kg_vector (0, 1, 0));

  return kg_vector_add_scaled (c, -kg_vector_dot (kg_vector_subtract (c, point), n), n);
}

KgVector
camera_bind_to_line (KgVector c, KgVector a, KgVector b)
{
  const ClosestLine segment = closest_line_new (a, kg_vector_subtract (b, a), 0, 1);
  const ClosestLine point = closest_line_new (c, nothing, 0, 0);

  return closest_pair_of_lines (&point, &segment).second;
}

/* Half of the derivative of the square of the distance, and its derivative. */
static double
get_pull (const Curve *curve, KgVector c, guint segment, double t, double *slope)
{
  const KgVector d = kg_vector_subtract (curve_evaluate_segment (curve, segment, t, 0), c);
  const KgVector first = curve_evaluate_segment (curve, segment, t, 1);

  *slope = kg_vector_dot (first, first) + kg_vector_dot (d, curve_evaluate_segment (curve, segment, t, 2));
  return kg_vector_dot (d, first);
}

/* The nearest place of one part of a segment, by Newton's steps within it. */
static KgVector
refine (const Curve *curve, KgVector c, guint segment, double low, double high, double t)
{
  for (guint i = 0; i < 60 && high - low > 1e-15; i++) {
    double slope;
    const double pull = get_pull (curve, c, segment, t, &slope);
    double next = t - pull / slope;

    if (pull > 0)
      high = t;
    else
      low = t;
    if (!(slope > 0) || !(next >= low && next <= high))
      next = 0.5 * (low + high);
    if (next == t)
      break;
    t = next;
  }
  return curve_evaluate_segment (curve, segment, t, 0);
}

/* Nearest so far. */
typedef struct {
  KgVector c;
  double distance;
  KgVector place;
} Nearest;

/* Parts of segments of higher degree: within one the distance has a single minimum near its ends or middle. */
#define PARTS 32

static void
search_part (const Curve *curve, guint segment, double low, double high, Nearest *nearest)
{
  const KgVector a = curve_evaluate_segment (curve, segment, low, 0);
  const KgVector b = curve_evaluate_segment (curve, segment, high, 0);
  const double from_a = kg_vector_distance (a, nearest->c), from_b = kg_vector_distance (b, nearest->c);
  KgVector at[3];

  /* Nothing in between can be nearer than what is known. */
  if (fmin (from_a, from_b) - 2 * kg_vector_distance (a, b) > nearest->distance)
    return;
  at[0] = a;
  at[1] = b;
  at[2] = refine (curve, nearest->c, segment, low, high, 0.5 * (low + high));
  for (guint j = 0; j < 3; j++)
    if (kg_vector_distance (at[j], nearest->c) < nearest->distance * (1 - 1e-14)) {
      nearest->distance = kg_vector_distance (at[j], nearest->c);
      nearest->place = at[j];
    }
}

/* False: cancelled. */
static bool
search_curve (const Curve *curve, const KgProgressMonitor *monitor, Nearest *nearest)
{
  const guint n_parts = curve_get_degree (curve) > 1 ? PARTS : 1;

  for (guint segment = 0; segment < curve_get_n_segments (curve); segment++) {
    if (segment % 1024 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    for (guint k = 0; k < n_parts; k++)
      search_part (curve, segment, (double) k / n_parts, (k + 1.0) / n_parts, nearest);
  }
  return true;
}

bool
camera_bind_to_curve (KgVector c, const KgGeometry *curves, const KgProgressMonitor *monitor, KgVector *place,
                      GError **error)
{
  const size_t n = curves != NULL ? kg_geometry_get_n_primitives (curves) : 0;
  Nearest nearest = { .c = c, .distance = INFINITY };

  for (size_t i = 0; i < n; i++) {
    g_autoptr (Curve) curve = NULL;
    KgPrimitive primitive;

    kg_geometry_get_primitive (curves, i, &primitive);
    if (primitive.kind == KG_POLYGON)
      continue;
    curve = curve_new (curves, i, error);
    if (curve == NULL)
      return false;
    if (!search_curve (curve, monitor, &nearest)) {
      kg_set_error (error, KG_ERROR_CANCELLED, "cancelled");
      return false;
    }
  }
  *place = nearest.place;
  if (isfinite (nearest.distance))
    return true;
  kg_set_error (error, KG_ERROR_DEGENERATE, "there is no curve to be bound to: link a curve or a polyline");
  return false;
}

KgVector
camera_keep_distance (KgVector camera, KgVector c, double distance, KgVector bearing)
{
  return kg_vector_add_scaled (
      c, distance,
      kg_vector_normalize_or (kg_vector_subtract (camera, c), kg_vector_normalize_or (bearing, kg_vector (0, 0, 1))));
}

bool
camera_keep_distance_in_plane (KgVector c, double distance, KgVector point, KgVector normal, KgVector bearing,
                               KgVector *place)
{
  const KgVector n = kg_vector_normalize_or (normal, kg_vector (0, 1, 0)), foot = camera_bind_to_plane (c, point, n);
  const double height = kg_vector_distance (foot, c);

  *place = foot;
  if (height > distance)
    return false;
  *place = kg_vector_add_scaled (foot, sqrt (distance * distance - height * height), flatten (bearing, n));
  return true;
}

/* The horizontal direction from c to the camera. */
static KgVector
get_bearing (KgVector camera, KgVector c, KgVector up, KgVector bearing)
{
  const KgVector d = kg_vector_subtract (camera, c), flat = kg_vector_add_scaled (d, -kg_vector_dot (d, up), up);

  return kg_vector_length (flat) > 1e-9 * fmax (1e-300, kg_vector_length (d)) ? kg_vector_normalize_or (flat, up)
                                                                              : flatten (bearing, up);
}

KgVector
camera_elevate (KgVector camera, KgVector c, KgVector up, double elevation, KgVector bearing)
{
  const double distance = kg_vector_distance (camera, c);
  const KgVector b = get_bearing (camera, c, up, bearing);

  return kg_vector_add_scaled (kg_vector_add_scaled (c, distance * cos (elevation), b), distance * sin (elevation), up);
}

KgVector
camera_avoid_pole (KgVector camera, KgVector c, KgVector up, KgVector bearing, double angle)
{
  const KgVector d = kg_vector_subtract (camera, c);
  const double distance = kg_vector_length (d), height = kg_vector_dot (d, up);
  const KgVector b = get_bearing (camera, c, up, bearing);

  if (!(fabs (height) > distance * cos (angle)))
    return camera;
  return kg_vector_add_scaled (kg_vector_add_scaled (c, distance * sin (angle), b),
                               copysign (distance * cos (angle), height), up);
}

KgRotation
camera_look_along (KgVector direction, KgVector up, KgVector second_up, double roll)
{
  const KgVector w = kg_vector_normalize_or (direction, kg_vector (0, 0, -1));
  const KgVector y = kg_vector_normalize_or (up, kg_vector (0, 1, 0));
  const KgVector level = kg_vector_cross (w, y), other = kg_vector_cross (w, flatten (second_up, y));
  const double sine = kg_vector_length (level);
  const double s = kg_clamp ((POLE_BEGINS - sine) / (POLE_BEGINS - POLE_REACHED), 0, 1);
  KgVector u = kg_vector_normalize_or (sine > 1e-300 ? level : other, kg_vector_perpendicular (w));
  const KgVector target = kg_vector_normalize_or (other, u);

  /* Turned over, not mixed: the two horizons may be opposite. */
  if (s > 0) {
    const double angle = atan2 (kg_vector_dot (kg_vector_cross (u, target), w), kg_vector_dot (u, target));

    u = kg_rotation_apply (kg_rotation_from_axis_angle (w, s * s * (3 - 2 * s) * angle), u);
  }
  u = kg_rotation_apply (kg_rotation_from_axis_angle (w, -roll), u);
  u = flatten (u, w);
  return rotation_from_axes (u, kg_vector_cross (u, w), kg_vector_scale (w, -1));
}

KgRotation
camera_look_beside (KgVector direction, KgVector up, KgVector second_up, double roll, double x, double y, double tan_x,
                    double tan_y)
{
  const KgVector wanted = kg_vector_normalize_or (direction, kg_vector (0, 0, -1));
  const KgVector seen = { x * tan_x, y * tan_y, -1 };
  KgVector ahead = wanted;
  KgRotation look = camera_look_along (ahead, up, second_up, roll);

  /* Each round turns by what is left; upright cameras turn a little besides, so that a few rounds are needed. */
  for (guint i = 0; i < 60 && (x != 0 || y != 0); i++) {
    const KgVector at = kg_vector_normalize_or (kg_rotation_apply (look, seen), wanted);

    if (kg_vector_distance (at, wanted) < 1e-15)
      break;
    ahead = kg_rotation_apply (kg_rotation_between (at, wanted), ahead);
    look = camera_look_along (ahead, up, second_up, roll);
  }
  /* Near the pole the horizon turns faster than the rounds come closer: the place counts more than the horizon. */
  return kg_rotation_multiply (kg_rotation_between (kg_rotation_apply (look, seen), wanted), look);
}

double
camera_get_half_angle (double fov, double aspect)
{
  return fmin (0.5 * fov, atan (aspect * tan (0.5 * fov)));
}

double
camera_get_distance (double radius, double margin, double fov, double aspect)
{
  return radius * (1 + margin) / sin (camera_get_half_angle (fov, aspect));
}

bool
camera_get_fov (double radius, double margin, double distance, double aspect, double *fov)
{
  const double sine = radius * (1 + margin) / distance;

  if (!(sine < 1))
    return false;
  *fov = 2 * (aspect < 1 ? atan (tan (asin (sine)) / aspect) : asin (sine));
  return true;
}

bool
camera_sees_ball (const KgTransform *camera, double fov, double aspect, double near_plane, double far_plane,
                  const CameraBall *ball)
{
  const KgVector place = kg_transform_point (*camera, nothing), d = kg_vector_subtract (ball->center, place);
  const double x = kg_vector_dot (d, kg_transform_direction (*camera, kg_vector (1, 0, 0)));
  const double y = kg_vector_dot (d, kg_transform_direction (*camera, kg_vector (0, 1, 0)));
  const double depth = -kg_vector_dot (d, kg_transform_direction (*camera, kg_vector (0, 0, 1)));
  const double half_y = 0.5 * fov, half_x = atan (aspect * tan (half_y)), least = ball->radius * (1 - 1e-9);

  return depth * sin (half_x) - fabs (x) * cos (half_x) >= least &&
         depth * sin (half_y) - fabs (y) * cos (half_y) >= least && depth - least >= near_plane &&
         depth + least <= far_plane;
}

bool
camera_get_blocked (KgVector place, const CameraBall *ball, const KgGeometry *obstacles, guint n,
                    const KgProgressMonitor *monitor, double *share, GError **error)
{
  const double golden = KG_PI * (3 - sqrt (5));
  g_autoptr (TriangleMesh) mesh = triangle_mesh_new (obstacles, monitor, error);
  guint hits = 0;

  *share = 0;
  if (mesh == NULL)
    return false;
  for (guint i = 0; i < n && mesh->n > 0; i++) {
    const double y = 1 - 2 * (i + 0.5) / n, r = sqrt (1 - y * y);
    const KgVector at =
        kg_vector_add_scaled (ball->center, ball->radius, kg_vector (r * cos (golden * i), y, r * sin (golden * i)));
    uint32_t triangle;
    double t = 1;

    hits += triangle_mesh_hit (mesh, place, kg_vector_subtract (at, place), &t, &triangle);
  }
  *share = (double) hits / MAX (n, 1);
  return true;
}

void
camera_get_weights (CameraKernel kernel, guint half, double *weights)
{
  const guint n = 2 * half + 1;
  double sum = 0;

  for (guint i = 0; i < n; i++) {
    const double x = (double) i - half;

    switch (kernel) {
    case CAMERA_KERNEL_BINOMIAL:
      weights[i] = exp (lgamma (n) - lgamma (i + 1.0) - lgamma (n - (double) i));
      break;
    case CAMERA_KERNEL_GAUSSIAN:
      /* The ends are two standard deviations away. */
      weights[i] = half > 0 ? exp (-2 * x * x / ((double) half * half)) : 1;
      break;
    default:
      weights[i] = 1;
    }
    sum += weights[i];
  }
  for (guint i = 0; i < n; i++)
    weights[i] /= sum;
}
