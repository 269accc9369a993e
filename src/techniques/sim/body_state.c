/* body_state: what the simulation of jointed bodies keeps from frame to frame, as a geometry with a point for each.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/body_state.h"

#include "kg-floats.h"
#include "sim/kept_record.h"

typedef struct {
  KgVector place;
  KgRotation turn;
  double unused;
} KeptPlace;

typedef struct {
  KgVector step, spin;
  double unused[2];
} KeptMotion;

typedef struct {
  double step, joint_gap, goal_gap, depth;
  double passes, events;
  double unused[2];
} KeptReport;

IS_KEPT (KeptPlace);
IS_KEPT (KeptMotion);
IS_KEPT (KeptReport);

/* The mean of the attribute v over the points of a body. */
static KgVector
get_speed (const KgGeometry *geometry, const Body *body, bool plane)
{
  const float *v = kg_geometry_get_float (geometry, KG_POINTS, "v", 3);
  KgVector sum = kg_vector (0, 0, 0);

  for (guint i = 0; v != NULL && i < body->points->len; i++) {
    const float *p = v + 3 * (size_t) g_array_index (body->points, uint32_t, i);

    sum = kg_vector_add_scaled (sum, 1.0 / body->points->len,
                                kg_vector ((double) p[0], (double) p[1], plane ? 0 : (double) p[2]));
  }
  return sum;
}

static KgVector
find_center (const BodyAssembly *assembly, const BodyPose *poses)
{
  KgVector sum = kg_vector (0, 0, 0);
  double mass = 0;

  for (guint b = 0; b < assembly->bodies->len; b++) {
    const Body *body = &g_array_index (assembly->bodies, Body, b);

    sum = kg_vector_add_scaled (sum, body->mass, poses[b].place);
    mass += body->mass;
  }
  return kg_vector_scale (sum, mass > 0 ? 1 / mass : 0);
}

KgGeometry *
body_state_new (const BodyAssembly *assembly, const KgGeometry *geometry, const BodyStart *start, GError **error)
{
  const guint n = assembly->bodies->len;
  g_autoptr (KgGeometry) state = kg_geometry_new ();
  g_autofree BodyPose *poses = g_new0 (BodyPose, MAX (n, 1));
  const BodyReport report = { .passes = 0 };
  KgVector spin = start->spin, velocity = start->velocity, center;

  if (!kg_geometry_set_n_points (state, n, error))
    return NULL;
  if (start->plane) {
    spin.x = spin.y = 0;
    velocity.z = 0;
  }
  for (guint b = 0; b < n; b++)
    poses[b] = (BodyPose){ .place = g_array_index (assembly->bodies, Body, b).center, .turn = kg_rotation_identity () };
  center = find_center (assembly, poses);
  for (guint b = 0; b < n; b++) {
    const Body *body = &g_array_index (assembly->bodies, Body, b);
    const KgVector speed = kg_vector_add (kg_vector_add (velocity, get_speed (geometry, body, start->plane)),
                                          kg_vector_cross (spin, kg_vector_subtract (body->center, center)));

    poses[b].step = kg_vector_scale (speed, start->step);
    poses[b].spin = kg_vector_scale (spin, start->step);
  }
  body_state_set (state, poses, start->step, &report);
  return g_steal_pointer (&state);
}

double
body_state_get (const KgGeometry *state, BodyPose *poses)
{
  const KeptPlace *places = (const KeptPlace *) get_kept (state, KG_POINTS, "place");
  const KeptMotion *motions = (const KeptMotion *) get_kept (state, KG_POINTS, "motion");

  for (size_t i = 0; i < kg_geometry_get_n_points (state); i++)
    poses[i] = (BodyPose){ places[i].place, places[i].turn, motions[i].step, motions[i].spin };
  return ((const KeptReport *) get_kept (state, KG_WHOLE, "report"))->step;
}

void
body_state_set (KgGeometry *state, const BodyPose *poses, double step, const BodyReport *report)
{
  KeptPlace *places = (KeptPlace *) edit_kept (state, KG_POINTS, "place");
  KeptMotion *motions = (KeptMotion *) edit_kept (state, KG_POINTS, "motion");

  for (size_t i = 0; i < kg_geometry_get_n_points (state); i++) {
    places[i] = (KeptPlace){ poses[i].place, poses[i].turn, 0 };
    motions[i] = (KeptMotion){ poses[i].step, poses[i].spin, { 0, 0 } };
  }
  *(KeptReport *) edit_kept (state, KG_WHOLE, "report") = (KeptReport){
    step, report->joint_gap, report->goal_gap, report->depth, report->passes, report->events, { 0, 0 },
  };
}

/* Kept as a double: what comes from a file may be any. */
static guint
get_count (double kept)
{
  return kept > 0 && kept < 1e9 ? (guint) kept : 0;
}

void
body_state_get_report (const KgGeometry *state, BodyReport *report)
{
  const KeptReport *kept = (const KeptReport *) get_kept (state, KG_WHOLE, "report");

  *report =
      (BodyReport){ kept->joint_gap, kept->goal_gap, kept->depth, get_count (kept->passes), get_count (kept->events) };
}

bool
body_state_check (const KgGeometry *rest, const KgGeometry *geometry, GError **error)
{
  const size_t count = kg_geometry_get_n_points (rest), now = kg_geometry_get_n_points (geometry);

  if (now != count)
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the bodies started with %zu points but now have %zu: link a geometry that keeps its points", count,
                  now);
  return now == count;
}

bool
body_state_check_bodies (const KgGeometry *state, const BodyAssembly *assembly, GError **error)
{
  const size_t kept = kg_geometry_get_n_points (state), count = assembly->bodies->len;

  if (kept != count)
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the kept state is of %zu bodies, but there are %zu: remove it from the cache folder", kept, count);
  return kept == count;
}

bool
body_state_check_finite (const KgGeometry *state, double time, const char *remedy, GError **error)
{
  const KeptPlace *places = (const KeptPlace *) get_kept (state, KG_POINTS, "place");
  const KeptMotion *motions = (const KeptMotion *) get_kept (state, KG_POINTS, "motion");

  for (size_t i = 0; i < kg_geometry_get_n_points (state); i++)
    if (!(kg_vector_length (places[i].place) < 1e30) || !(kg_vector_length (motions[i].step) < 1e30) ||
        !kg_vector_is_finite (motions[i].spin)) {
      kg_set_error (error, KG_ERROR_DIVERGED, "body %zu flew off to infinity at %g s: %s", i, time, remedy);
      return false;
    }
  return true;
}

/* Results. */

static void
turn_normals (const BodyPose *poses, const int32_t *owners, const KgGeometry *rest, KgGeometry *geometry)
{
  const float *from = kg_geometry_get_float (rest, KG_POINTS, "N", 3);
  float *to;

  if (from == NULL)
    return;
  to = kg_geometry_edit_float (geometry, KG_POINTS, "N", 3);
  for (size_t i = 0; i < kg_geometry_get_n_points (geometry); i++)
    if (owners[i] >= 0)
      kg_floats_set_vector (to, i, kg_rotation_apply (poses[owners[i]].turn, kg_floats_get_vector (from, i)));
}

void
body_state_write (const KgGeometry *state, const BodyAssembly *assembly, const KgGeometry *rest, bool plane,
                  KgGeometry *geometry)
{
  const size_t n_points = kg_geometry_get_n_points (rest);
  g_autofree int32_t *owners = body_assembly_get_owners (assembly, n_points);
  g_autofree BodyPose *poses = g_new (BodyPose, MAX (assembly->bodies->len, 1));
  const float *from = kg_geometry_get_positions (rest);
  const double step = body_state_get (state, poses);
  float *p = kg_geometry_edit_positions (geometry), *v = kg_geometry_edit_float (geometry, KG_POINTS, "v", 3);

  for (size_t i = 0; i < n_points; i++) {
    const KgVector place = { (double) from[3 * i], (double) from[3 * i + 1], plane ? 0 : (double) from[3 * i + 2] };
    const BodyPose *pose;
    const float depth = p[3 * i + 2];
    KgVector arm;

    if (owners[i] < 0)
      continue;
    pose = &poses[owners[i]];
    arm = kg_rotation_apply (
        pose->turn, kg_vector_subtract (place, g_array_index (assembly->bodies, Body, (guint) owners[i]).center));
    kg_floats_set_vector (p, i, kg_vector_add (pose->place, arm));
    kg_floats_set_vector (v, i,
                          kg_vector_scale (kg_vector_add (pose->step, kg_vector_cross (pose->spin, arm)), 1 / step));
    /* In the plane the depth only sorts images. */
    if (plane)
      p[3 * i + 2] = depth;
  }
  turn_normals (poses, owners, rest, geometry);
}

KgGeometry *
body_state_new_points (const KgGeometry *state, const BodyAssembly *assembly, KgVector *center, GError **error)
{
  const guint n = assembly->bodies->len;
  g_autoptr (KgGeometry) points = kg_geometry_new ();
  g_autofree BodyPose *poses = g_new (BodyPose, MAX (n, 1));
  const double step = body_state_get (state, poses);
  float *p, *v, *orient, *mass;

  if (!kg_geometry_set_n_points (points, n, error))
    return NULL;
  p = kg_geometry_edit_positions (points);
  v = kg_geometry_edit_float (points, KG_POINTS, "v", 3);
  orient = kg_geometry_edit_float (points, KG_POINTS, "orient", 4);
  mass = kg_geometry_edit_float (points, KG_POINTS, "mass", 1);
  for (guint b = 0; b < n; b++) {
    kg_floats_set_vector (p, b, poses[b].place);
    kg_floats_set_vector (v, b, kg_vector_scale (poses[b].step, 1 / step));
    kg_floats_set_rotation (orient, b, poses[b].turn);
    mass[b] = (float) g_array_index (assembly->bodies, Body, b).mass;
  }
  *center = find_center (assembly, poses);
  return g_steal_pointer (&points);
}

/* Poses from places. */

/* Of the points of a body, rotated: their targets, relative to their mean. */
typedef struct {
  const Body *body;
  const KgVector *to;
  KgVector middle, to_middle;
  KgRotation turn;
} Fit;

static KgVector
get_from (const Fit *fit, guint i)
{
  return kg_rotation_apply (fit->turn, kg_vector_subtract (fit->body->shape.points[i], fit->middle));
}

static KgVector
get_to (const Fit *fit, guint i)
{
  return kg_vector_subtract (fit->to[g_array_index (fit->body->points, uint32_t, i)], fit->to_middle);
}

static void
fit_in_plane (Fit *fit)
{
  double across = 0, along = 0;

  for (guint i = 0; i < fit->body->points->len; i++) {
    across += kg_vector_cross (get_from (fit, i), get_to (fit, i)).z;
    along += kg_vector_dot (get_from (fit, i), get_to (fit, i));
  }
  if (across != 0 || along < 0)
    fit->turn =
        kg_rotation_multiply (kg_rotation_from_axis_angle (kg_vector (0, 0, 1), atan2 (across, along)), fit->turn);
}

/* The point that is farthest out, then the one farthest from the axis through it, are brought where they are to be. */
static void
fit_in_space (Fit *fit)
{
  const guint n = fit->body->points->len;
  guint first = 0, second = 0;
  KgVector axis, from, to;
  double far = 0;

  for (guint i = 0; i < n; i++)
    if (kg_vector_length (get_from (fit, i)) > far) {
      far = kg_vector_length (get_from (fit, i));
      first = i;
    }
  axis = kg_vector_normalize_or (get_to (fit, first), kg_vector (0, 0, 0));
  if (!(far > 0) || !(kg_vector_length (axis) > 0))
    return;
  fit->turn = kg_rotation_multiply (kg_rotation_between (get_from (fit, first), axis), fit->turn);
  far = 1e-6 * far;
  for (guint i = 0; i < n; i++)
    if (kg_vector_length (kg_vector_cross (axis, get_from (fit, i))) > far) {
      far = kg_vector_length (kg_vector_cross (axis, get_from (fit, i)));
      second = i;
    }
  from = kg_vector_cross (axis, get_from (fit, second));
  to = kg_vector_cross (axis, get_to (fit, second));
  if (second != first && kg_vector_length (from) > 0 && kg_vector_length (to) > 0)
    fit->turn = kg_rotation_multiply (
        kg_rotation_from_axis_angle (
            axis, atan2 (kg_vector_dot (axis, kg_vector_cross (from, to)), kg_vector_dot (from, to))),
        fit->turn);
}

void
body_fit_hold (const Body *body, bool plane, const KgVector *to, BodyHold *hold)
{
  const guint n = body->points->len;
  Fit fit = { body, to, kg_vector (0, 0, 0), kg_vector (0, 0, 0), hold->turn };

  for (guint i = 0; i < n; i++) {
    fit.middle = kg_vector_add_scaled (fit.middle, 1.0 / n, body->shape.points[i]);
    fit.to_middle = kg_vector_add_scaled (fit.to_middle, 1.0 / n, to[g_array_index (body->points, uint32_t, i)]);
  }
  if (plane)
    fit_in_plane (&fit);
  else
    fit_in_space (&fit);
  hold->turn = kg_rotation_normalize (fit.turn);
  hold->place = kg_vector_subtract (fit.to_middle, kg_rotation_apply (hold->turn, fit.middle));
}
