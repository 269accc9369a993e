/* steering: see steering.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/steering.h"

#include "curve/curve.h"

/* Circle of wandering: its distance ahead and its radius, in units of the speed. */
#define WANDER_AHEAD 1.2
#define WANDER_RADIUS 0.9

/* Most points of a path, and how many a segment of a curve gets. */
#define PATH_MOST 100000
#define PATH_STEPS 24

static const KgVector zero = { 0, 0, 0 };

KgVector
steering_seek (KgVector x, KgVector goal, double speed)
{
  return kg_vector_scale (kg_vector_normalize_or (kg_vector_subtract (goal, x), zero), speed);
}

KgVector
steering_flee (KgVector x, KgVector danger, double within, double speed)
{
  return kg_vector_distance (x, danger) > within ? zero : steering_seek (danger, x, speed);
}

KgVector
steering_arrive (KgVector x, KgVector goal, double slow_radius, double speed)
{
  const double d = kg_vector_distance (x, goal);

  return steering_seek (x, goal, slow_radius > 0 ? speed * fmin (1, d / slow_radius) : speed);
}

double
steering_get_intercept (KgVector d, KgVector v, double speed)
{
  const double a = kg_vector_dot (v, v) - speed * speed, b = kg_vector_dot (d, v), c = kg_vector_dot (d, d);
  double root, first, second;

  if (fabs (a) <= 1e-12 * speed * speed)
    return b < 0 ? -c / (2 * b) : -1;
  if (b * b < a * c)
    return -1;
  root = sqrt (b * b - a * c);
  first = (-b - root) / a;
  second = (-b + root) / a;
  if (first > second) {
    const double swap = first;

    first = second;
    second = swap;
  }
  return first > 0 ? first : second > 0 ? second : -1;
}

KgVector
steering_pursue_point (KgVector x, KgVector target, KgVector v, double speed)
{
  const double time = steering_get_intercept (kg_vector_subtract (target, x), v, speed);

  return time > 0 ? kg_vector_add_scaled (target, time, v) : target;
}

KgVector
steering_wander (KgVector heading, bool flat, double angle[2], const double jitter[2], double speed)
{
  const KgVector up = flat || fabs (heading.y) < 0.9 ? kg_vector (0, 1, 0) : kg_vector (0, 0, 1);
  const KgVector side = kg_vector_normalize_or (kg_vector_cross (up, heading), kg_vector (1, 0, 0));
  KgVector to;

  angle[0] = remainder (angle[0] + jitter[0], 2 * KG_PI);
  angle[1] = flat ? 0 : kg_clamp (angle[1] + jitter[1], -0.6, 0.6);
  to = kg_vector_scale (heading, WANDER_AHEAD + WANDER_RADIUS * cos (angle[0]));
  to = kg_vector_add_scaled (to, WANDER_RADIUS * sin (angle[0]), side);
  /* Climbs and sinks, but does not loop. */
  if (!flat)
    to = kg_vector_add (kg_vector (to.x, 0.5 * to.y, to.z), kg_vector (0, angle[1], 0));
  return kg_vector_scale (kg_vector_normalize_or (to, heading), speed);
}

KgVector
steering_orbit (KgVector x, KgVector centre, double distance, double speed, double response)
{
  const KgVector from = kg_vector_subtract (x, centre);
  const KgVector out = kg_vector_normalize_or (kg_vector (from.x, 0, from.z), kg_vector (1, 0, 0));
  const KgVector along = kg_vector_cross (kg_vector (0, 1, 0), out);
  const double error = (distance - hypot (from.x, from.z)) / fmax (distance, 1e-6);
  /* The pilot turns velocities of v into a wish within its response: on the circle it must wish inwards by k = response v / distance for
   * the acceleration v² / distance.  A wish of this speed gives v = speed / sqrt (1 + k²). */
  const double turn = response * speed / fmax (distance, 1e-6);
  const double inwards = sqrt (0.5 * (sqrt (1 + 4 * turn * turn) - 1));
  KgVector to = kg_vector_add_scaled (along, kg_clamp (2 * error, -2, 2) - inwards, out);

  to.y = -kg_clamp (from.y / fmax (distance, 1e-6), -1, 1);
  return kg_vector_scale (kg_vector_normalize_or (to, along), speed);
}

KgVector
steering_avoid (KgVector d, KgVector relative_v, double radius, double horizon, KgVector side)
{
  const double w2 = kg_vector_dot (relative_v, relative_v);
  const double time = w2 > 1e-12 ? -kg_vector_dot (d, relative_v) / w2 : 0;
  const KgVector miss = kg_vector_add_scaled (d, time, relative_v);
  const double distance = kg_vector_length (miss);
  KgVector away;

  if (!(time > 0) || time > horizon || distance >= radius)
    return zero;
  away = distance > 1e-6 * radius ? kg_vector_scale (miss, -1 / distance) : side;
  /* The sooner, the harder. */
  return kg_vector_scale (away, (1 - distance / radius) * (1 - time / horizon));
}

KgVector
steering_slide (KgVector v, KgVector normal)
{
  return kg_vector_add_scaled (v, -fmin (kg_vector_dot (v, normal), 0), normal);
}

KgVector
steering_pilot (const SteeringLimits *limits, KgVector v, KgVector heading, KgVector wish, double dt)
{
  KgVector a = kg_vector_scale (kg_vector_subtract (wish, v), 1 / fmax (limits->response, dt)), next, axis;
  const double strength = kg_vector_length (a), turn = limits->max_turn * dt;
  double speed, angle;

  if (strength > limits->max_acceleration)
    a = kg_vector_scale (a, limits->max_acceleration / strength);
  next = kg_vector_add_scaled (v, dt, a);
  speed = kg_vector_length (next);
  if (speed > limits->max_speed)
    next = kg_vector_scale (next, limits->max_speed / speed);
  else if (speed < limits->min_speed)
    next = kg_vector_scale (speed > 1e-9 ? kg_vector_scale (next, 1 / speed) : heading, limits->min_speed);
  speed = kg_vector_length (next);
  if (!(speed > 1e-9))
    return zero;
  axis = kg_vector_cross (heading, next);
  angle = atan2 (kg_vector_length (axis), kg_vector_dot (heading, next));
  if (angle <= turn)
    return next;
  if (!(kg_vector_length (axis) > 1e-12 * speed))
    axis = fabs (heading.y) < 0.9 ? kg_vector (0, 1, 0) : kg_vector (1, 0, 0);
  return kg_vector_scale (kg_rotation_apply (kg_rotation_from_axis_angle (axis, turn), heading), speed);
}

double
steering_drive (const SteeringDriver *driver, double speed, double desired, double gap, double closing)
{
  const double ratio = speed / fmax (desired, 1e-9);
  const double wanted = fmax (driver->gap, driver->gap + speed * driver->headway +
                                               speed * closing / (2 * sqrt (driver->acceleration * driver->braking)));
  const double free_road = 1 - ratio * ratio * ratio * ratio;
  const double share = wanted / fmax (gap, 1e-3);

  return driver->acceleration * (free_road - share * share);
}

static bool
read_path (SteeringPath *path, const KgGeometry *geometry, size_t index, GError **error)
{
  g_autoptr (Curve) curve = curve_new (geometry, index, error);
  size_t steps;

  if (curve == NULL)
    return false;
  steps = (size_t) curve_get_n_segments (curve) * (curve_get_degree (curve) > 1 ? PATH_STEPS : 1);
  if (steps > PATH_MOST) {
    kg_set_error (error, KG_ERROR_LIMIT, "a path of %zu points is more than %d: simplify it", steps, PATH_MOST);
    return false;
  }
  path->n = steps + 1;
  path->closed = curve_is_closed (curve);
  path->points = g_new (KgVector, path->n);
  path->length = g_new0 (double, path->n);
  for (size_t i = 0; i <= steps; i++) {
    path->points[i] = curve_evaluate (curve, curve_get_n_segments (curve) * (double) i / (double) steps, 0);
    if (i > 0)
      path->length[i] = path->length[i - 1] + kg_vector_distance (path->points[i], path->points[i - 1]);
  }
  return true;
}

bool
steering_paths_read (SteeringPaths *paths, const KgGeometry *geometry, const KgProgressMonitor *monitor, GError **error)
{
  const size_t n = geometry != NULL ? kg_geometry_get_n_primitives (geometry) : 0;

  *paths = (SteeringPaths){ g_new0 (SteeringPath, n + 1), 0 };
  for (size_t i = 0; i < n; i++) {
    KgPrimitive primitive;

    if (kg_progress_is_cancelled (monitor))
      return false;
    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.n_vertices < 2)
      continue;
    if (!read_path (&paths->paths[paths->n++], geometry, i, error))
      return false;
  }
  return true;
}

void
steering_paths_clear (SteeringPaths *paths)
{
  for (guint i = 0; i < paths->n; i++) {
    g_free (paths->paths[i].points);
    g_free (paths->paths[i].length);
  }
  g_free (paths->paths);
  *paths = (SteeringPaths){ NULL, 0 };
}

double
steering_path_get_length (const SteeringPath *path)
{
  return path->length[path->n - 1];
}

double
steering_path_find (const SteeringPath *path, KgVector x, KgVector *point)
{
  double best = INFINITY, length = 0;

  for (size_t i = 0; i + 1 < path->n; i++) {
    const KgVector d = kg_vector_subtract (path->points[i + 1], path->points[i]);
    const double d2 = kg_vector_dot (d, d);
    const double t = d2 > 0 ? kg_clamp (kg_vector_dot (kg_vector_subtract (x, path->points[i]), d) / d2, 0, 1) : 0;
    const KgVector at = kg_vector_add_scaled (path->points[i], t, d);
    const double distance = kg_vector_distance (x, at);

    if (distance < best) {
      best = distance;
      length = path->length[i] + t * sqrt (d2);
      *point = at;
    }
  }
  return length;
}

KgVector
steering_path_get (const SteeringPath *path, double length, KgVector *tangent)
{
  const double whole = steering_path_get_length (path);
  size_t low = 0, high = path->n - 1;
  double part;

  length = path->closed && whole > 0 ? length - whole * floor (length / whole) : kg_clamp (length, 0, whole);
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;

    if (path->length[middle] <= length)
      low = middle;
    else
      high = middle;
  }
  part = path->length[high] - path->length[low];
  *tangent = kg_vector_normalize_or (kg_vector_subtract (path->points[high], path->points[low]), kg_vector (0, 0, 1));
  return kg_vector_lerp (path->points[low], path->points[high], part > 0 ? (length - path->length[low]) / part : 0);
}
