/* path_view: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/path_view.h"

#include "kg-error.h"

double
path_get_parameter (const Curve *curve, double number, PathBy by, const KgMotion *timing)
{
  const double length = curve_get_length (curve), segments = curve_get_n_segments (curve);
  const bool closed = curve_is_closed (curve);
  double x = timing != NULL ? kg_motion_evaluate (timing, number, number) : number;

  if (by == PATH_BY_NATURAL)
    x /= segments;
  if (by == PATH_BY_METRES)
    x = length > 0 ? x / length : 0;
  /* Round and round on a closed curve; the ends hold on an open one. */
  x = closed && (x < 0 || x > 1) ? x - floor (x) : kg_clamp (x, 0, 1);
  return by == PATH_BY_NORMALIZED || by == PATH_BY_NATURAL ? x * segments : curve_get_parameter (curve, x * length);
}

/* The point a share of the length from the start; beyond the end of an open path it may continue along the tangent. */
static KgVector
get_point (const Curve *curve, double share, bool continues)
{
  const double length = curve_get_length (curve), segments = curve_get_n_segments (curve);

  if (curve_is_closed (curve) && share > 1)
    share -= floor (share);
  if (share > 1 && continues)
    return kg_vector_add_scaled (curve_evaluate (curve, segments, 0), (share - 1) * length,
                                 curve_get_tangent (curve, segments));
  return curve_evaluate (curve, curve_get_parameter (curve, fmin (share, 1) * length), 0);
}

/* Looking ahead (30-82).  Near the end of an open path the view turns from the last chord to the last tangent. */
static KgVector
look_ahead (const PathView *view, double share, KgVector position)
{
  const Curve *curve = frames_get_curve (view->path);
  const double length = curve_get_length (curve), end = curve_get_n_segments (curve), ahead = fmin (view->ahead, 1);
  KgVector chord, last;
  KgRotation rotation;

  if (!(ahead > 0))
    return kg_vector_add (position, curve_get_tangent (curve, curve_get_parameter (curve, share * length)));
  if (curve_is_closed (curve) || share + ahead <= 1)
    return get_point (curve, share + ahead, false);
  last = curve_get_tangent (curve, end);
  chord = last;
  frames_get_direction (kg_vector_subtract (curve_evaluate (curve, end, 0), get_point (curve, 1 - ahead, false)),
                        &chord);
  rotation =
      kg_rotation_slerp (kg_rotation_identity (), kg_rotation_between (chord, last), (share + ahead - 1) / ahead);
  return kg_vector_add_scaled (position, ahead * length, kg_rotation_apply (rotation, chord));
}

/* Held points and the ways between them (30-85). */
static KgVector
get_keyed_target (const PathView *view)
{
  const KgFunction *ease = easing_get_function (view->shift);
  /* Constant acceleration: a third of the time each way. */
  const double parameters[EASING_N_PARAMETERS] = { 1.0 / 3, 2.0 / 3 };
  const PathViewHold *hold = view->holds, *last = view->holds + view->n_holds - 1;
  double t;

  while (hold < last && view->clock >= hold[1].start)
    hold++;
  if (hold == last || view->clock <= hold->end)
    return hold->point;
  t = (view->clock - hold->end) / (hold[1].start - hold->end);
  return kg_vector_lerp (hold->point, hold[1].point, ease->value (parameters, kg_clamp (t, 0, 1)));
}

static KgVector
get_average (const PathView *view, const Curve *curve, double share)
{
  KgVector sum = { 0, 0, 0 };

  for (guint k = 1; k <= view->average_count; k++)
    sum = kg_vector_add (sum, get_point (curve, share + (double) k * view->average_spread, view->continues));
  return kg_vector_scale (sum, 1 / (double) view->average_count);
}

/* The point looked at from a place of the path. */
static KgVector
get_target (const PathView *view, double u, KgVector position)
{
  const Curve *curve = frames_get_curve (view->path), *other;
  const double length = curve_get_length (curve), share = length > 0 ? curve_get_length_to (curve, u) / length : 0;

  switch (view->kind) {
  case PATH_VIEW_INTEREST:
    return view->interest;
  case PATH_VIEW_AHEAD:
    return look_ahead (view, share, position);
  case PATH_VIEW_AVERAGE:
    return get_average (view, curve, share);
  case PATH_VIEW_PATH:
    other = frames_get_curve (view->interest_path);
    return curve_evaluate (other, path_get_parameter (other, view->parameter, view->by, view->interest_timing), 0);
  case PATH_VIEW_KEYED:
    return get_keyed_target (view);
  case PATH_VIEW_TANGENT:
  case PATH_VIEW_NONE:
  case PATH_VIEW_FRENET:
  case PATH_VIEW_ROTATION_MINIMIZING:
  case PATH_VIEW_N:
  default:
    return kg_vector_add (position, curve_get_tangent (curve, u));
  }
}

static KgVector
get_up (const PathView *view, KgVector position)
{
  const Curve *curve;

  if (view->up_path == NULL)
    return view->up;
  curve = frames_get_curve (view->up_path);
  return kg_vector_subtract (
      curve_evaluate (curve, path_get_parameter (curve, view->parameter, view->by, view->up_timing), 0), position);
}

/* Directions ahead (w) and up (v) at u; false when they are undefined there. */
static bool
try_look (const PathView *view, double u, KgVector *w, KgVector *v, KgVector *target)
{
  const Curve *curve = frames_get_curve (view->path);
  const KgVector position = curve_evaluate (curve, u, 0);

  *target = get_target (view, u, position);
  /* Closer than the points are rounded: the direction is undefined. */
  if (!(kg_vector_distance (*target, position) > 1e-12 * curve_get_length (curve)) ||
      !frames_get_direction (kg_vector_subtract (*target, position), w))
    return false;
  return frames_make_upright (*w, get_up (view, position), v);
}

/* Those of the last place before u where there are any.  seen: (nullable) the direction ahead, if only up is missing. */
static bool
look_from_before (const PathView *view, double u, const KgVector *seen, KgVector *w, KgVector *v)
{
  static const double steps[] = { 1e-6, 1e-4, 1e-2, 0.1, 0.5, 1 };
  const Curve *curve = frames_get_curve (view->path);
  const double length = curve_get_length (curve), s = curve_get_length_to (curve, u);
  KgVector unused;

  for (guint i = 0; i < G_N_ELEMENTS (steps) && s > 0; i++) {
    const double before = curve_get_parameter (curve, fmax (s - steps[i] * length, 0));

    if (!try_look (view, before, w, v, &unused))
      continue;
    if (seen != NULL) {
      /* Straight up or down: what was left stays left. */
      const KgVector left = kg_vector_cross (*v, *w);

      *w = *seen;
      frames_make_upright (*w, kg_vector_cross (*w, left), v);
    }
    return true;
  }
  return false;
}

/* Directions for the kinds that look somewhere. */
static void
look (const PathView *view, double u, KgVector *w, KgVector *v, KgVector *target, GError **warning)
{
  const Curve *curve = frames_get_curve (view->path);
  const KgVector position = curve_evaluate (curve, u, 0);
  KgVector seen = { 0, 0, 1 };
  bool has_direction;

  if (try_look (view, u, w, v, target))
    return;
  has_direction = kg_vector_distance (*target, position) > 1e-12 * curve_get_length (curve) &&
                  frames_get_direction (kg_vector_subtract (*target, position), &seen);
  if (!has_direction && (view->kind == PATH_VIEW_AHEAD || view->kind == PATH_VIEW_AVERAGE)) {
    kg_set_error (warning, KG_ERROR_DEGENERATE,
                  "the point ahead coincides with the follower: it looks along the path; reduce the distance ahead");
    *w = curve_get_tangent (curve, u);
    frames_make_upright (*w, get_up (view, position), v);
    return;
  }
  if (look_from_before (view, u, has_direction ? &seen : NULL, w, v)) {
    kg_set_error (
        warning, KG_ERROR_DEGENERATE,
        has_direction
            ? N_ ("the view is parallel to the up vector: the sideways direction of an earlier position is used")
            : N_ ("the target coincides with the follower: the earlier view direction is kept"));
    return;
  }
  *w = has_direction ? seen : kg_vector (0, 0, 1);
  if (!frames_make_upright (*w, get_up (view, position), v) &&
      !frames_make_upright (*w, kg_vector_cross (*w, kg_vector (1, 0, 0)), v))
    frames_make_upright (*w, kg_vector (0, 1, 0), v);
  kg_set_error (
      warning, KG_ERROR_DEGENERATE,
      has_direction
          ? N_ ("the view is parallel to the up vector: x is used as the sideways direction; choose another up vector")
          : N_ ("the target coincides with the follower: it looks along z; move one of them"));
}

void
path_view_get_directions (const PathView *view, double u, KgVector *w, KgVector *v, KgVector *target,
                          const KgProgressMonitor *monitor, GError **warning)
{
  const Curve *curve = frames_get_curve (view->path);
  const KgVector position = curve_evaluate (curve, u, 0);
  KgVector up = { 0, 1, 0 };
  KgTransform frame;
  Frenet f;

  *w = kg_vector (0, 0, 1);
  *v = kg_vector (0, 1, 0);
  *target = kg_vector_add (position, *w);
  switch (view->kind) {
  case PATH_VIEW_NONE:
    break;
  case PATH_VIEW_FRENET:
    frames_get_frenet (view->path, u, &view->bridge, get_up (view, position), &f);
    *w = f.tangent;
    *v = f.normal;
    if (frames_is_straight (view->path))
      kg_set_error (warning, KG_ERROR_DEGENERATE, "the path has no bend: the frame is made from the up vector");
    break;
  case PATH_VIEW_ROTATION_MINIMIZING:
    frames_get_direction (view->up, &up);
    if (!curve_get_frames (curve, &u, 1, up, monitor, &frame))
      return;
    *w = kg_transform_get_column (&frame, 0);
    *v = kg_transform_get_column (&frame, 1);
    break;
  case PATH_VIEW_TANGENT:
  case PATH_VIEW_INTEREST:
  case PATH_VIEW_AHEAD:
  case PATH_VIEW_AVERAGE:
  case PATH_VIEW_PATH:
  case PATH_VIEW_KEYED:
  case PATH_VIEW_N:
  default:
    look (view, u, w, v, target, warning);
    return;
  }
  *target = kg_vector_add (position, *w);
}

/* Banking (30-80), as a table over the length. */

static double
get_raw_bank (const Banking *banking, double side_curvature)
{
  const double angle = banking->physical ? atan (banking->speed * banking->speed * side_curvature / banking->gravity)
                                         : side_curvature;

  return kg_clamp (banking->gain * angle, -banking->max, banking->max);
}

double *
banking_new_table (const Frames *path, const Banking *banking)
{
  const Curve *curve = frames_get_curve (path);
  const double length = curve_get_length (curve);
  const int reach = length > 0 ? (int) kg_clamp (banking->smooth / length * BANKING_STEPS, 0, BANKING_STEPS / 2) : 0;
  double *table = g_new (double, BANKING_STEPS + 1);
  double raw[BANKING_STEPS + 1];

  for (int i = 0; i <= BANKING_STEPS; i++)
    raw[i] = get_raw_bank (banking, frames_get_side_curvature (
                                        path, curve_get_parameter (curve, length * i / BANKING_STEPS), banking->up));
  /* A tent over the length: one way in, one way out. */
  for (int i = 0; i <= BANKING_STEPS; i++) {
    double sum = 0, weights = 0;

    for (int k = -reach; k <= reach; k++) {
      const double weight = reach + 1 - abs (k);
      const int at = curve_is_closed (curve) ? (i + k + BANKING_STEPS) % BANKING_STEPS
                                             : CLAMP (i + k, 0, BANKING_STEPS);

      sum += weight * raw[at];
      weights += weight;
    }
    table[i] = sum / weights;
  }
  return table;
}

double
banking_read_table (const double *table, double share)
{
  const double x = kg_clamp (share, 0, 1) * BANKING_STEPS;
  const int i = (int) fmin (floor (x), BANKING_STEPS - 1);

  return kg_lerp (table[i], table[i + 1], x - i);
}
