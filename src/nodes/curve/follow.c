/* curve/follow: something that travels along a path and looks where it should.
 * Sources: Parent, Computer Animation, 3.4.1.  Where the book has both, frames are right-handed: w ahead, v up, u = v x w
 * to the left; the left-handed ones of its equations are a choice.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/easing.h"
#include "curve/frames.h"
#include "kg-node.h"
#include "text/points_text.h"

/* Places along the path that banking is worked out for. */
#define BANK_STEPS 1024

typedef struct {
  const KgGeometry *geometry;
  int64_t curve;
  double parameter;
  int by;
  const KgMotion *timing;
  int orientation;
  KgVector interest;
  const KgGeometry *interest_object;
  int object_center;
  const char *interest_keys;
  int shift;
  double clock;
  double ahead;
  int64_t average_count;
  double average_spread;
  int past_end;
  const KgGeometry *interest_path;
  const KgMotion *interest_timing;
  KgVector up;
  const KgGeometry *up_path;
  const KgMotion *up_timing;
  double tilt;
  int bank;
  double bank_gain;
  double bank_speed;
  double gravity;
  double bank_max;
  double bank_smooth;
  bool fill;
  double blend;
  int handedness;
  int axes;
  double turn_limit;
  KgVector position;
  KgTransform transform;
  KgRotation rotation;
  KgVector forward;
  KgVector upward;
  KgVector sideways;
  KgVector looks_at;
  double curvature;
  double torsion;
  double bank_angle;
  KgMotion *banking;
  double distance;
  double length;
  double turn_rate;
  char *report;
} Follow;

enum { FOLLOW_LENGTH, FOLLOW_NORMALIZED, FOLLOW_NATURAL, FOLLOW_METRES, N_BY };
enum {
  FOLLOW_TANGENT,
  FOLLOW_NONE,
  FOLLOW_FRENET,
  FOLLOW_ROTATION_MINIMIZING,
  FOLLOW_INTEREST,
  FOLLOW_AHEAD,
  FOLLOW_AVERAGE,
  FOLLOW_PATH,
  FOLLOW_KEYED,
  N_ORIENTATIONS
};
enum { FOLLOW_CENTER_BOUNDS, FOLLOW_CENTER_MEAN, N_CENTERS };
enum { FOLLOW_PAST_TANGENT, FOLLOW_PAST_HOLD, N_PAST };
enum { FOLLOW_BANK_NONE, FOLLOW_BANK_PROPORTIONAL, FOLLOW_BANK_PHYSICAL, N_BANKS };
enum { FOLLOW_RIGHT, FOLLOW_LEFT, N_HANDS };
enum { FOLLOW_AXES_X, FOLLOW_AXES_Z, FOLLOW_AXES_CAMERA, N_AXES };

static const KgChoice follow_by[] = {
  [FOLLOW_LENGTH] = { "length", N_ ("Fraction of the length") },
  [FOLLOW_NORMALIZED] = { "normalized", N_ ("Parameter, 0 to 1") },
  [FOLLOW_NATURAL] = { "natural", N_ ("Parameter, one per segment") },
  [FOLLOW_METRES] = { "metres", N_ ("Metres along the curve") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (follow_by, N_BY);

static const KgChoice follow_orientations[] = {
  [FOLLOW_TANGENT] = { "tangent", N_ ("Along the path, upright") },
  [FOLLOW_NONE] = { "none", N_ ("No rotation") },
  [FOLLOW_FRENET] = { "frenet", N_ ("Frenet frame: up points into the bend") },
  [FOLLOW_ROTATION_MINIMIZING] = { "rotation-minimizing", N_ ("Along the path, without twist") },
  [FOLLOW_INTEREST] = { "interest", N_ ("Towards a point or an object") },
  [FOLLOW_AHEAD] = { "ahead", N_ ("Towards a point ahead on the path") },
  [FOLLOW_AVERAGE] = { "average", N_ ("Towards the mean of several points ahead") },
  [FOLLOW_PATH] = { "path", N_ ("Towards a point on another path") },
  [FOLLOW_KEYED] = { "keyed", N_ ("Towards a sequence of points") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (follow_orientations, N_ORIENTATIONS);

static const KgChoice follow_centers[] = {
  [FOLLOW_CENTER_BOUNDS] = { "bounds", N_ ("Centre of its bounding box") },
  [FOLLOW_CENTER_MEAN] = { "mean", N_ ("Mean of its points") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (follow_centers, N_CENTERS);

static const KgChoice follow_shifts[] = {
  { "sine", N_ ("Sine") },
  { "cubic", N_ ("Cubic") },
  { "parabolic", N_ ("Constant acceleration") },
  { "linear", N_ ("Linear") },
  KG_CHOICES_END,
};

static const EasingShape follow_shift_shapes[] = { EASING_SINE, EASING_CUBIC, EASING_PARABOLIC, EASING_LINEAR };
KG_CHOICES_MATCH (follow_shifts, G_N_ELEMENTS (follow_shift_shapes));

static const KgChoice follow_past[] = {
  [FOLLOW_PAST_TANGENT] = { "tangent", N_ ("Continue straight on") },
  [FOLLOW_PAST_HOLD] = { "hold", N_ ("Stop at the end") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (follow_past, N_PAST);

static const KgChoice follow_banks[] = {
  [FOLLOW_BANK_NONE] = { "none", N_ ("None") },
  [FOLLOW_BANK_PROPORTIONAL] = { "proportional", N_ ("Proportional to the curvature") },
  [FOLLOW_BANK_PHYSICAL] = { "physical", N_ ("Physical, from speed and gravity") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (follow_banks, N_BANKS);

static const KgChoice follow_hands[] = {
  [FOLLOW_RIGHT] = { "right", N_ ("Right-handed: Sideways points left") },
  [FOLLOW_LEFT] = { "left", N_ ("Left-handed: Sideways points right") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (follow_hands, N_HANDS);

static const KgChoice follow_axes[] = {
  [FOLLOW_AXES_X] = { "x", N_ ("x forward, y up") },
  [FOLLOW_AXES_Z] = { "z", N_ ("z forward, y up") },
  [FOLLOW_AXES_CAMERA] = { "camera", N_ ("-z forward, y up, as for cameras") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (follow_axes, N_AXES);

/* A path with its scan is kept from frame to frame. */
typedef struct {
  const KgGeometry *geometry;
  size_t index;
} FollowBuild;

static void *
follow_build (gpointer data, size_t *bytes, GError **error)
{
  const FollowBuild *build = (const FollowBuild *) data;
  Frames *frames = frames_new (build->geometry, build->index, error);

  if (frames != NULL)
    *bytes = frames_get_bytes (frames);
  return frames;
}

static const Frames *
follow_get_frames (const KgContext *ctx, const KgGeometry *geometry, size_t field, size_t index, GError **error)
{
  FollowBuild build = { geometry, index };
  const KgHash key = kg_hash_text (kg_hash_uint (kg_context_get_fingerprint (ctx, field), index), "frames");

  return (const Frames *) kg_context_memo (ctx, key, follow_build, &build, (GDestroyNotify) frames_free, error);
}

/* All that a view is made from, so that it can be asked for at more than one place and time. */
typedef struct {
  const Follow *n;
  const KgContext *ctx;
  const Frames *path;
  const Curve *curve;
  const Frames *interest_path; /* or NULL */
  const Frames *up_path;       /* or NULL */
  GArray *rows;                /* of interest_keys: 5 numbers each, sorted; or NULL */
  bool quiet;                  /* no warnings: they have been given */
} FollowView;

/* Where on a curve the parameter is, as its natural parameter. */
static double
follow_get_u (const Follow *n, const Curve *curve, const KgMotion *timing)
{
  const double length = curve_get_length (curve), segments = curve_get_n_segments (curve);
  const bool closed = curve_is_closed (curve);
  double x = timing != NULL ? kg_motion_evaluate (timing, n->parameter, n->parameter) : n->parameter;

  if (n->by == FOLLOW_NATURAL)
    x /= segments;
  if (n->by == FOLLOW_METRES)
    x = length > 0 ? x / length : 0;
  /* Round and round on a closed curve; the ends hold on an open one. */
  x = closed && (x < 0 || x > 1) ? x - floor (x) : kg_clamp (x, 0, 1);
  return n->by == FOLLOW_NORMALIZED || n->by == FOLLOW_NATURAL ? x * segments : curve_get_parameter (curve, x * length);
}

/* The point a share of the length from the start; beyond the end of an open path as past_end says. */
static KgVector
follow_get_point (const FollowView *view, double share, bool go_on)
{
  const double length = curve_get_length (view->curve), segments = curve_get_n_segments (view->curve);

  if (curve_is_closed (view->curve) && share > 1)
    share -= floor (share);
  if (share > 1 && go_on)
    return kg_vector_add_scaled (curve_evaluate (view->curve, segments, 0), (share - 1) * length,
                                 curve_get_tangent (view->curve, segments));
  return curve_evaluate (view->curve, curve_get_parameter (view->curve, fmin (share, 1) * length), 0);
}

/* Looking ahead (30-82).  Near the end of an open path the view turns from the last chord to the last tangent. */
static KgVector
follow_look_ahead (const FollowView *view, double share, KgVector position, KgVector *target)
{
  const double length = curve_get_length (view->curve), end = curve_get_n_segments (view->curve);
  const double ahead = fmin (view->n->ahead, 1);
  KgVector chord, last;
  KgRotation rotation;

  if (!(ahead > 0)) {
    const double u = curve_get_parameter (view->curve, share * length);

    *target = kg_vector_add (position, curve_get_tangent (view->curve, u));
    return *target;
  }
  if (curve_is_closed (view->curve) || share + ahead <= 1) {
    *target = follow_get_point (view, share + ahead, false);
    return *target;
  }
  last = curve_get_tangent (view->curve, end);
  chord = last;
  frames_get_direction (
      kg_vector_subtract (curve_evaluate (view->curve, end, 0), follow_get_point (view, 1 - ahead, false)), &chord);
  rotation =
      kg_rotation_slerp (kg_rotation_identity (), kg_rotation_between (chord, last), (share + ahead - 1) / ahead);
  *target = kg_vector_add_scaled (position, ahead * length, kg_rotation_apply (rotation, chord));
  return *target;
}

/* Held points and the ways between them (30-85). */
static KgVector
follow_get_keyed (const FollowView *view)
{
  const KgFunction *ease = easing_get_function (follow_shift_shapes[view->n->shift]);
  /* Constant acceleration: a third of the time each way. */
  const double parameters[EASING_N_PARAMETERS] = { 1.0 / 3, 2.0 / 3 };
  const double *row = (const double *) (const void *) view->rows->data;
  const guint n = view->rows->len / 5;
  guint i = 0;
  KgVector from, to;
  double t;

  while (i + 1 < n && view->n->clock >= row[5 * (i + 1)])
    i++;
  from = kg_vector (row[5 * i + 2], row[5 * i + 3], row[5 * i + 4]);
  if (i + 1 == n || view->n->clock <= row[5 * i + 1])
    return from;
  to = kg_vector (row[5 * i + 7], row[5 * i + 8], row[5 * i + 9]);
  t = (view->n->clock - row[5 * i + 1]) / (row[5 * i + 5] - row[5 * i + 1]);
  return kg_vector_lerp (from, to, ease->value (parameters, kg_clamp (t, 0, 1)));
}

static KgVector
follow_get_object_center (const Follow *n)
{
  const size_t count = kg_geometry_get_n_points (n->interest_object);
  const float *p = kg_geometry_get_positions (n->interest_object);
  KgVector low, high, sum = { 0, 0, 0 };

  kg_geometry_get_bounds (n->interest_object, &low, &high);
  if (n->object_center == FOLLOW_CENTER_BOUNDS || count == 0)
    return kg_vector_lerp (low, high, 0.5);
  for (size_t i = 0; i < count; i++)
    sum = kg_vector_add (sum, kg_vector ((double) p[3 * i], (double) p[3 * i + 1], (double) p[3 * i + 2]));
  return kg_vector_scale (sum, 1 / (double) count);
}

/* The point looked at from a place of the path. */
static KgVector
follow_get_target (const FollowView *view, double u, KgVector position)
{
  const Follow *n = view->n;
  const double length = curve_get_length (view->curve);
  const double share = length > 0 ? curve_get_length_to (view->curve, u) / length : 0;
  KgVector target = { 0, 0, 0 };

  switch (n->orientation) {
  case FOLLOW_INTEREST:
    return n->interest_object != NULL ? follow_get_object_center (n) : n->interest;
  case FOLLOW_AHEAD:
    return follow_look_ahead (view, share, position, &target);
  case FOLLOW_AVERAGE:
    for (int64_t k = 1; k <= n->average_count; k++)
      target = kg_vector_add (
          target, follow_get_point (view, share + (double) k * n->average_spread, n->past_end == FOLLOW_PAST_TANGENT));
    return kg_vector_scale (target, 1 / (double) n->average_count);
  case FOLLOW_PATH: {
    const Curve *curve = frames_get_curve (view->interest_path);

    return curve_evaluate (curve, follow_get_u (n, curve, n->interest_timing != NULL ? n->interest_timing : n->timing),
                           0);
  }
  case FOLLOW_KEYED:
    return follow_get_keyed (view);
  default:
    return kg_vector_add (position, curve_get_tangent (view->curve, u));
  }
}

static KgVector
follow_get_up (const FollowView *view, KgVector position)
{
  const Follow *n = view->n;
  const Curve *curve;

  if (view->up_path == NULL)
    return n->up;
  curve = frames_get_curve (view->up_path);
  return kg_vector_subtract (
      curve_evaluate (curve, follow_get_u (n, curve, n->up_timing != NULL ? n->up_timing : n->timing), 0), position);
}

/* Directions ahead (w) and up (v) at u; false when they cannot be told there. */
static bool
follow_try (const FollowView *view, double u, KgVector *w, KgVector *v, KgVector *target)
{
  const KgVector position = curve_evaluate (view->curve, u, 0);
  const double size = curve_get_length (view->curve);

  *target = follow_get_target (view, u, position);
  /* Closer than rounding of the points: there is no direction. */
  if (!(kg_vector_distance (*target, position) > 1e-12 * size) ||
      !frames_get_direction (kg_vector_subtract (*target, position), w))
    return false;
  return frames_make_upright (*w, follow_get_up (view, position), v);
}

static void
follow_warn (const FollowView *view, const char *text)
{
  if (!view->quiet)
    kg_context_warn (view->ctx, "%s", kg_translate (text));
}

/* Directions for the modes that look somewhere.  Where there is nothing to see, or only up, those of the last place
 * before where there is. */
static void
follow_look (const FollowView *view, double u, KgVector *w, KgVector *v, KgVector *target)
{
  static const double steps[] = { 1e-6, 1e-4, 1e-2, 0.1, 0.5, 1 };
  const double length = curve_get_length (view->curve), s = curve_get_length_to (view->curve, u);
  const KgVector position = curve_evaluate (view->curve, u, 0);
  KgVector seen = { 0, 0, 1 }, unused;
  bool has_direction;

  if (follow_try (view, u, w, v, target))
    return;
  has_direction = kg_vector_distance (*target, position) > 1e-12 * length &&
                  frames_get_direction (kg_vector_subtract (*target, position), &seen);
  if (!has_direction && (view->n->orientation == FOLLOW_AHEAD || view->n->orientation == FOLLOW_AVERAGE)) {
    follow_warn (view,
                 "the point ahead coincides with the follower: it looks along the path; reduce the distance ahead");
    *w = curve_get_tangent (view->curve, u);
    frames_make_upright (*w, follow_get_up (view, position), v);
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (steps) && s > 0; i++) {
    const double before = curve_get_parameter (view->curve, fmax (s - steps[i] * length, 0));

    if (!follow_try (view, before, w, v, &unused))
      continue;
    if (has_direction) {
      /* Straight up or down: what was left stays left. */
      const KgVector left = kg_vector_cross (*v, *w);

      *w = seen;
      frames_make_upright (*w, kg_vector_cross (*w, left), v);
      follow_warn (view,
                   "the view is parallel to the up vector: the sideways direction of an earlier position is used");
    } else
      follow_warn (view, "the target coincides with the follower: the earlier view direction is kept");
    return;
  }
  *w = has_direction ? seen : kg_vector (0, 0, 1);
  if (!frames_make_upright (*w, follow_get_up (view, position), v) &&
      !frames_make_upright (*w, kg_vector_cross (*w, kg_vector (1, 0, 0)), v))
    frames_make_upright (*w, kg_vector (0, 1, 0), v);
  follow_warn (
      view,
      has_direction
          ? N_ ("the view is parallel to the up vector: x is used as the sideways direction; choose another up vector")
          : N_ ("the target coincides with the follower: it looks along z; move one of them"));
}

/* Directions ahead and up, without bank and tilt. */
static void
follow_get_directions (const FollowView *view, double u, KgVector *w, KgVector *v, KgVector *target)
{
  const Follow *n = view->n;
  const KgVector position = curve_evaluate (view->curve, u, 0);
  const FramesBridge bridge = { n->fill, n->blend };
  KgVector up = { 0, 1, 0 };
  KgTransform frame;
  Frenet f;

  switch (n->orientation) {
  case FOLLOW_NONE:
    *w = kg_vector (0, 0, 1);
    *v = kg_vector (0, 1, 0);
    break;
  case FOLLOW_FRENET:
    frames_get_frenet (view->path, u, &bridge, follow_get_up (view, position), &f);
    *w = f.tangent;
    *v = f.normal;
    if (frames_is_straight (view->path))
      follow_warn (view, "the path has no bend: the frame is made from the up vector");
    break;
  case FOLLOW_ROTATION_MINIMIZING:
    frames_get_direction (n->up, &up);
    frame = curve_get_frame (view->curve, u, up);
    *w = kg_vector (frame.m[0][0], frame.m[1][0], frame.m[2][0]);
    *v = kg_vector (frame.m[0][1], frame.m[1][1], frame.m[2][1]);
    break;
  default:
    follow_look (view, u, w, v, target);
    return;
  }
  *target = kg_vector_add (position, *w);
}

/* Banking (30-80), as a table over the length. */

typedef struct {
  const Follow *n;
  const Frames *path;
} FollowBankBuild;

static double
follow_get_raw_bank (const Follow *n, double side_curvature)
{
  const double angle = n->bank == FOLLOW_BANK_PHYSICAL
                           ? atan (n->bank_speed * n->bank_speed * side_curvature / n->gravity)
                           : side_curvature;

  return kg_clamp (n->bank_gain * angle, -n->bank_max, n->bank_max);
}

static void *
follow_build_bank (gpointer data, size_t *bytes, GError **error)
{
  const FollowBankBuild *build = (const FollowBankBuild *) data;
  const Follow *n = build->n;
  const Curve *curve = frames_get_curve (build->path);
  const double length = curve_get_length (curve);
  const int reach = length > 0 ? (int) kg_clamp (n->bank_smooth / length * BANK_STEPS, 0, BANK_STEPS / 2) : 0;
  double *table = g_new (double, BANK_STEPS + 1);
  double raw[BANK_STEPS + 1];

  (void) error;
  for (int i = 0; i <= BANK_STEPS; i++)
    raw[i] = follow_get_raw_bank (
        n, frames_get_side_curvature (build->path, curve_get_parameter (curve, length * i / BANK_STEPS), n->up));
  /* A tent over the length: one way in, one way out. */
  for (int i = 0; i <= BANK_STEPS; i++) {
    double sum = 0, weights = 0;

    for (int k = -reach; k <= reach; k++) {
      const double weight = reach + 1 - abs (k);
      const int at = curve_is_closed (curve) ? (i + k + BANK_STEPS) % BANK_STEPS : CLAMP (i + k, 0, BANK_STEPS);

      sum += weight * raw[at];
      weights += weight;
    }
    table[i] = sum / weights;
  }
  *bytes = (BANK_STEPS + 1) * sizeof *table;
  return table;
}

static const double *
follow_get_bank_table (const Follow *n, const KgContext *ctx, const Frames *path, GError **error)
{
  FollowBankBuild build = { n, path };
  const double settings[] = { n->bank, n->bank_gain, n->bank_speed, n->gravity,     n->bank_max,
                              n->up.x, n->up.y,      n->up.z,       n->bank_smooth, (double) n->curve };
  KgHash key = kg_hash_text (kg_context_get_fingerprint (ctx, offsetof (Follow, geometry)), "bank");

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    key = kg_hash_double (key, settings[i]);
  return (const double *) kg_context_memo (ctx, key, follow_build_bank, &build, g_free, error);
}

static double
follow_read_bank (const double *table, double share)
{
  const double x = kg_clamp (share, 0, 1) * BANK_STEPS;
  const int i = (int) fmin (floor (x), BANK_STEPS - 1);

  return kg_lerp (table[i], table[i + 1], x - i);
}

/* Rows of held points, sorted by frame. */

static int
follow_compare_rows (gconstpointer a, gconstpointer b)
{
  const double *x = (const double *) a, *y = (const double *) b;

  return x[0] < y[0] ? -1 : x[0] > y[0];
}

static GArray *
follow_read_rows (const Follow *n, const KgContext *ctx, GError **error)
{
  guint count;
  g_autoptr (GArray) typed = points_text_read (n->interest_keys, 4, 5, &count, error);
  double *row;
  bool sorted = true;

  if (typed == NULL) {
    g_prefix_error (error, "interest_keys: ");
    return NULL;
  }
  if (count == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "interest_keys is empty: give rows of first frame, last frame, x, y and z");
    return NULL;
  }
  row = (double *) (void *) typed->data;
  for (guint i = 0; i < count; i++)
    if (row[5 * i + 1] < row[5 * i]) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "interest_keys, row %u: the hold ends at frame %g, before its start at %g", i + 1, row[5 * i + 1],
                    row[5 * i]);
      return NULL;
    }
  for (guint i = 1; i < count; i++)
    sorted = sorted && row[5 * i] >= row[5 * i - 5];
  if (!sorted) {
    kg_context_warn (ctx, "the rows of interest_keys are not in order: they were sorted by first frame");
    qsort (row, count, 5 * sizeof *row, follow_compare_rows);
  }
  for (guint i = 1; i < count; i++)
    if (row[5 * i] < row[5 * i - 4]) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "interest_keys: the holds from frame %g to %g and from %g to %g overlap: end the first before the second starts",
          row[5 * i - 5], row[5 * i - 4], row[5 * i], row[5 * i + 1]);
      return NULL;
    }
  return g_steal_pointer (&typed);
}

/* Turning too fast for an audience: the view of the frame before is worked out as well. */

static bool
follow_demand (const Follow *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  static const size_t moving[] = { offsetof (Follow, parameter), offsetof (Follow, interest),
                                   offsetof (Follow, clock) };

  (void) error;
  if (!(n->turn_limit > 0))
    return true;
  for (guint i = 0; i < G_N_ELEMENTS (moving); i++) {
    kg_demand_at (demand, moving[i], ctx->time);
    kg_demand_at (demand, moving[i], ctx->time - 1 / ctx->rate);
  }
  return true;
}

static void
follow_check_rotation_rate (Follow *n, const FollowView *view)
{
  Follow before = *n;
  FollowView earlier = *view;
  KgVector w, v, target;
  double angle;

  before.parameter = kg_context_get_sample (view->ctx, offsetof (Follow, parameter), 1)->number;
  before.interest = kg_context_get_sample (view->ctx, offsetof (Follow, interest), 1)->vector;
  before.clock = kg_context_get_sample (view->ctx, offsetof (Follow, clock), 1)->number;
  earlier.n = &before;
  earlier.quiet = true;
  follow_get_directions (&earlier, follow_get_u (&before, view->curve, before.timing), &w, &v, &target);
  angle = atan2 (kg_vector_length (kg_vector_cross (w, n->forward)), kg_vector_dot (w, n->forward));
  n->turn_rate = angle * view->ctx->rate;
  if (n->turn_rate > n->turn_limit)
    kg_context_warn (view->ctx,
                     "the view rotates by %.4g° per second, more than %.4g°: keep farther away from the target",
                     n->turn_rate / KG_DEGREE, n->turn_limit / KG_DEGREE);
}

static KgTransform
follow_make_transform (KgVector x, KgVector y, KgVector z, KgVector p)
{
  return (KgTransform){ { { x.x, y.x, z.x, p.x }, { x.y, y.y, z.y, p.y }, { x.z, y.z, z.z, p.z }, { 0, 0, 0, 1 } } };
}

static void
follow_set_frame (Follow *n, KgVector w, KgVector v)
{
  const double roll = n->tilt - n->bank_angle;
  const KgVector left = kg_vector_cross (v, w);
  KgVector y, u;

  y = kg_vector_add_scaled (kg_vector_scale (v, cos (roll)), -sin (roll), left);
  u = kg_vector_cross (y, w);
  n->forward = w;
  n->upward = y;
  n->sideways = n->handedness == FOLLOW_RIGHT ? u : kg_vector_scale (u, -1);
  /* Columns for things that are built to look along x, z or -z.  Left-handed ones mirror what is to the side; the
   * rotation is that of the right-handed ones. */
  if (n->axes == FOLLOW_AXES_X)
    n->transform = follow_make_transform (w, y, kg_vector_scale (u, -1), n->position);
  else if (n->axes == FOLLOW_AXES_Z)
    n->transform = follow_make_transform (u, y, w, n->position);
  else
    n->transform = follow_make_transform (kg_vector_scale (u, -1), y, kg_vector_scale (w, -1), n->position);
  n->rotation = kg_rotation_from_transform (n->transform);
  for (guint i = 0; i < 3 && n->handedness == FOLLOW_LEFT; i++)
    n->transform.m[i][n->axes == FOLLOW_AXES_X ? 2 : 0] *= -1;
}

static bool
follow_evaluate (Follow *n, const KgContext *ctx, GError **error)
{
  FollowView view = { .n = n, .ctx = ctx };
  g_autoptr (GArray) rows = NULL;
  const FramesEvent *events;
  KgVector w, v, target;
  GError *warning = NULL;
  double u, share;
  guint n_events;
  Frenet f;

  view.path = follow_get_frames (ctx, n->geometry, offsetof (Follow, geometry), (size_t) n->curve, error);
  if (view.path == NULL)
    return false;
  view.curve = frames_get_curve (view.path);
  if (n->up_path == NULL && n->orientation != FOLLOW_NONE)
    frames_check_up (n->up, &warning);
  kg_context_take_warning (ctx, warning);
  if (n->orientation == FOLLOW_PATH && n->interest_path == NULL) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "interest_path is missing: link a curve to look at");
    return false;
  }
  if (n->interest_path != NULL) {
    view.interest_path = follow_get_frames (ctx, n->interest_path, offsetof (Follow, interest_path), 0, error);
    if (view.interest_path == NULL) {
      g_prefix_error (error, "interest_path: ");
      return false;
    }
  }
  if (n->up_path != NULL) {
    view.up_path = follow_get_frames (ctx, n->up_path, offsetof (Follow, up_path), 0, error);
    if (view.up_path == NULL) {
      g_prefix_error (error, "up_path: ");
      return false;
    }
  }
  if (n->orientation == FOLLOW_KEYED) {
    rows = follow_read_rows (n, ctx, error);
    if (rows == NULL)
      return false;
    view.rows = rows;
  }
  n->length = curve_get_length (view.curve);
  if (!(n->length > 0))
    kg_context_warn (ctx, "the path has zero length: nothing moves along it");
  u = follow_get_u (n, view.curve, n->timing);
  n->position = curve_evaluate (view.curve, u, 0);
  n->distance = curve_get_length_to (view.curve, u);
  share = n->length > 0 ? n->distance / n->length : 0;
  follow_get_directions (&view, u, &w, &v, &target);
  n->looks_at = target;
  n->forward = w;
  if (n->turn_limit > 0)
    follow_check_rotation_rate (n, &view);
  if (n->bank != FOLLOW_BANK_NONE) {
    const double *table = follow_get_bank_table (n, ctx, view.path, error);

    if (table == NULL)
      return false;
    n->bank_angle = follow_read_bank (table, share);
    n->banking = kg_motion_new_take ("bank", kg_channel_new_samples (1, false, 0, BANK_STEPS, table, BANK_STEPS + 1,
                                                                     KG_EXTEND_HOLD, KG_EXTEND_HOLD, error));
  }
  follow_set_frame (n, w, v);
  frames_get_frenet (view.path, u, &(FramesBridge){ true, 0 }, n->up, &f);
  n->curvature = f.curvature;
  n->torsion = f.torsion;
  events = frames_get_events (view.path, &n_events);
  for (guint i = 0; i < n_events && n->orientation == FOLLOW_FRENET; i++)
    if ((events[i].kind == FRAMES_JUMP || events[i].kind == FRAMES_INFLECTION) && n->blend > events[i].room) {
      kg_context_warn (ctx, "a blend of %g m does not fit at %g m: it was shortened to %.4g m", n->blend,
                       events[i].start, events[i].room);
      break;
    }
  n->report = frames_report (view.path);
  return true;
}

static const KgSlot follow_slots[] = {
  KG_INPUT (Follow, geometry, GEOMETRY, .label = N_ ("Path"), .help = N_ ("A geometry with splines or polylines.")),
  KG_INPUT (
      Follow, parameter, NUMBER, .label = N_ ("Parameter"), .driver = KG_DRIVER_PHASE, .soft_max = 1,
      .help = N_ (
          "Position on the path. Link an ease here to start and stop softly. Without a source it runs once over the frames of the graph.")),
  KG_INPUT (
      Follow, by, CHOICE, .label = N_ ("Measured by"), .choices = follow_by,
      .help = N_ (
          "Equal steps in the fraction of the length are equal steps on the path; equal steps in a parameter are not.")),
  KG_INPUT (Follow, timing, MOTION, .label = N_ ("Timing"), .optional = true,
            .help = N_ (
                "A distance-time function that the parameter is passed through first, such as the motion of an Ease.")),
  KG_INPUT (Follow, curve, INTEGER, .label = N_ ("Curve index"), .min = 0, .max = 1e9, .soft_max = 10,
            .help = N_ ("Index of the curve in the geometry, from 0.")),
  KG_INPUT (
      Follow, orientation, CHOICE, .label = N_ ("Orientation"), .choices = follow_orientations,
      .help = N_ (
          "Where the follower looks. Along the path suits vehicles; towards a point ahead, or the mean of several, is how drivers and steady cameras look; the Frenet frame rolls with every bend and flips where the path starts to bend the other way.")),
  KG_INPUT (Follow, interest, VECTOR, .shown_when = "orientation=interest", .label = N_ ("Interest"), .unit = KG_METRES,
            .group = N_ ("Look at"), .help = N_ ("The point looked at: the centre of interest.")),
  KG_INPUT (Follow, interest_object, GEOMETRY, .shown_when = "orientation=interest", .label = N_ ("Interest object"),
            .optional = true, .group = N_ ("Look at"),
            .help = N_ ("Object to look at instead of the point, while linked.")),
  KG_INPUT (Follow, object_center, CHOICE, .shown_when = "orientation=interest", .label = N_ ("Centre of the object"),
            .choices = follow_centers, .group = N_ ("Look at"), .help = N_ ("Which point of the object to look at.")),
  KG_INPUT (
      Follow, ahead, NUMBER, .shown_when = "orientation=ahead", .label = N_ ("Ahead"), .def = 0.05, .min = 0, .max = 1,
      .soft_max = 0.3, .group = N_ ("Look at"),
      .help = N_ (
          "Distance to the point ahead, as a fraction of the length. Near the end of an open path the view rotates to the direction of the end.")),
  KG_INPUT (
      Follow, average_count, INTEGER, .shown_when = "orientation=average", .label = N_ ("Points"), .def = 5, .min = 1,
      .max = 1000, .soft_max = 20, .group = N_ ("Look at"),
      .help = N_ (
          "Number of points ahead that are averaged. More points make the view steadier, very many make it stiff.")),
  KG_INPUT (Follow, average_spread, NUMBER, .shown_when = "orientation=average", .label = N_ ("Spread"), .def = 0.02,
            .min = 0, .max = 1, .soft_max = 0.1, .group = N_ ("Look at"),
            .help = N_ ("Distance from one of these points to the next, as a fraction of the length.")),
  KG_INPUT (Follow, past_end, CHOICE, .shown_when = "orientation=average", .label = N_ ("Past the end"),
            .choices = follow_past, .group = N_ ("Look at"),
            .help = N_ ("What the points do beyond the end of an open path.")),
  KG_INPUT (Follow, interest_path, GEOMETRY, .shown_when = "orientation=path", .label = N_ ("Interest path"),
            .optional = true, .group = N_ ("Look at"),
            .help = N_ ("The curve along which the point looked at travels.")),
  KG_INPUT (Follow, interest_timing, MOTION, .shown_when = "orientation=path", .label = N_ ("Interest timing"),
            .optional = true, .group = N_ ("Look at"),
            .help = N_ ("Distance-time function of that point; without one it moves with the timing of the follower.")),
  KG_INPUT (
      Follow, interest_keys, TEXT, .shown_when = "orientation=keyed", .label = N_ ("Interest keys"), .multiline = true,
      .def_text = "1 12 0 0 0", .group = N_ ("Look at"),
      .help = N_ (
          "One hold per line: first frame, last frame, x y z. The view rests on the point for these frames and moves to the next point in between.")),
  KG_INPUT (Follow, shift, CHOICE, .shown_when = "orientation=keyed", .label = N_ ("Shift"), .choices = follow_shifts,
            .group = N_ ("Look at"), .help = N_ ("How the view moves from one point to the next.")),
  KG_INPUT (Follow, clock, NUMBER, .shown_when = "orientation=keyed", .label = N_ ("Clock"), .driver = KG_DRIVER_FRAME,
            .unit = KG_FRAMES, .group = N_ ("Look at"),
            .help = N_ ("Frame at which the keys are read. Without a source it is the current frame.")),
  KG_INPUT (Follow, up, VECTOR, .label = N_ ("Up"), .def_v = { 0, 1, 0 }, .group = N_ ("Up and bank"),
            .help = N_ ("The general up direction; the follower's own up is as close to it as the view allows.")),
  KG_INPUT (Follow, up_path, GEOMETRY, .label = N_ ("Up path"), .optional = true, .group = N_ ("Up and bank"),
            .help = N_ ("A curve along which a point travels; while linked, up points towards it.")),
  KG_INPUT (Follow, up_timing, MOTION, .label = N_ ("Up timing"), .optional = true, .group = N_ ("Up and bank"),
            .help = N_ ("Distance-time function of that point; without one it moves with the timing of the follower.")),
  KG_INPUT (Follow, tilt, NUMBER, .label = N_ ("Tilt"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .group = N_ ("Up and bank"),
            .help = N_ ("Roll about the view direction; positive values roll to the right.")),
  KG_INPUT (Follow, bank, CHOICE, .label = N_ ("Bank"), .choices = follow_banks, .group = N_ ("Up and bank"),
            .help = N_ ("How the follower leans into bends.")),
  KG_INPUT (
      Follow, bank_gain, NUMBER, .shown_when = "bank=proportional|physical", .label = N_ ("Bank gain"), .def = 1,
      .min = -1e6, .max = 1e6, .soft_min = -3, .soft_max = 3, .group = N_ ("Up and bank"),
      .help = N_ (
          "Multiplies the lean: 1 is the physical lean, or one radian for a curvature of 1. Negative values lean outwards, as passengers are pushed.")),
  KG_INPUT (Follow, bank_speed, NUMBER, .shown_when = "bank=physical", .label = N_ ("Bank speed"),
            .unit = KG_METRES_PER_SECOND, .def = 5, .min = 0, .max = 1e6, .soft_max = 50, .group = N_ ("Up and bank"),
            .help = N_ ("Speed for which the physical lean is computed.")),
  KG_INPUT (Follow, gravity, NUMBER, .shown_when = "bank=physical", .label = N_ ("Gravity"),
            .unit = KG_METRES_PER_SECOND2, .def = 9.80665, .min = 1e-6, .max = 1e6, .soft_max = 20,
            .group = N_ ("Up and bank"), .help = N_ ("Downward acceleration.")),
  KG_INPUT (Follow, bank_max, NUMBER, .shown_when = "bank=proportional|physical", .label = N_ ("Bank limit"),
            .unit = KG_DEGREES, .def = 60, .min = 0, .max = 180, .group = N_ ("Up and bank"),
            .help = N_ ("Largest lean.")),
  KG_INPUT (Follow, bank_smooth, NUMBER, .shown_when = "bank=proportional|physical", .label = N_ ("Bank smoothing"),
            .unit = KG_METRES, .min = 0, .max = INFINITY, .soft_max = 5, .group = N_ ("Up and bank"),
            .help = N_ ("The lean is averaged over this many metres before and after.")),
  KG_INPUT (
      Follow, fill, BOOLEAN, .shown_when = "orientation=frenet", .label = N_ ("Fill straight spans"), .def = 1,
      .group = N_ ("Frenet frame"),
      .help = N_ (
          "A straight span has no Frenet frame: rotate evenly from the frame before it to the frame after it. Otherwise the frame before it is held.")),
  KG_INPUT (Follow, blend, NUMBER, .shown_when = "orientation=frenet", .label = N_ ("Blend jumps"), .unit = KG_METRES,
            .min = 0, .max = INFINITY, .soft_max = 2, .group = N_ ("Frenet frame"),
            .help = N_ ("At a jump of the frame, rotate over this many metres before and after.")),
  KG_INPUT (Follow, handedness, CHOICE, .label = N_ ("Handedness"), .choices = follow_hands, .group = N_ ("Result"),
            .help = N_ ("Left-handed frames mirror whatever they transform; some programs need them.")),
  KG_INPUT (Follow, axes, CHOICE, .label = N_ ("Axes"), .choices = follow_axes, .group = N_ ("Result"),
            .help = N_ ("Which axis of the transformed object points forward.")),
  KG_INPUT (
      Follow, turn_limit, NUMBER, .label = N_ ("Rotation limit"), .unit = KG_DEGREES, .early = true, .min = 0,
      .max = INFINITY, .soft_max = 360, .group = N_ ("Result"),
      .help = N_ ("Warns if the view rotates faster than this per second, and outputs the rate. 0 disables both.")),
  KG_OUTPUT (Follow, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES,
             .help = N_ ("Position on the curve.")),
  KG_OUTPUT (Follow, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("Places an object there and orients it according to Axes.")),
  KG_OUTPUT (Follow, rotation, ROTATION, .label = N_ ("Rotation"),
             .help = N_ ("Rotation only, of the right-handed frame.")),
  KG_OUTPUT (Follow, forward, VECTOR, .label = N_ ("Forward"), .help = N_ ("View direction, of length 1.")),
  KG_OUTPUT (Follow, upward, VECTOR, .label = N_ ("Upward"), .help = N_ ("Up direction of the follower, of length 1.")),
  KG_OUTPUT (Follow, sideways, VECTOR, .label = N_ ("Sideways"),
             .help = N_ ("Direction to the left of the view, or to the right in left-handed frames.")),
  KG_OUTPUT (Follow, looks_at, VECTOR, .label = N_ ("Looks at"), .unit = KG_METRES,
             .help = N_ ("The point looked at; if there is none, a point one metre ahead.")),
  KG_OUTPUT (Follow, curvature, NUMBER, .label = N_ ("Curvature"),
             .help = N_ ("Curvature of the path, per metre: one over the radius of the bend.")),
  KG_OUTPUT (Follow, torsion, NUMBER, .label = N_ ("Torsion"),
             .help = N_ ("How fast the path twists out of its plane, in radians per metre.")),
  KG_OUTPUT (Follow, bank_angle, NUMBER, .label = N_ ("Bank angle"), .unit = KG_DEGREES,
             .help = N_ ("Angle of the lean; positive to the left.")),
  KG_OUTPUT (Follow, banking, MOTION, .label = N_ ("Banking"),
             .help = N_ ("Lean in radians over the fraction of the length, for the whole path.")),
  KG_OUTPUT (Follow, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES,
             .help = N_ ("Distance from the start of the path.")),
  KG_OUTPUT (Follow, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES,
             .help = N_ ("Length of the whole path.")),
  KG_OUTPUT (Follow, turn_rate, NUMBER, .label = N_ ("Rotation rate"), .unit = KG_DEGREES,
             .help = N_ ("Rotation of the view since the last frame, per second. 0 without a rotation limit.")),
  KG_OUTPUT (Follow, report, TEXT, .label = N_ ("Report"),
             .help = N_ ("Straight spans, inflections, corners and jumps of the path, one per line.")),
};

KG_NODE_WITH_DEMAND (
    curve, follow, Follow, .label = N_ ("Follow Path"), .version = 1, .since = "0.1",
    .tags = N_ ("path frenet frame camera center of interest look at bank roll up vector parallel transport"),
    .formula = "frame: w ahead, u = g × w / |g × w| with the general up g, v = w × u (left-handed: −u)\n"
               "interest: w = C − P(s); ahead: w = P(s + δ) − P(s); average: w = 1/n · Σ P(s + kΔ) − P(s)\n"
               "path: w = C(s) − P(s), g = U(s) − P(s)\n"
               "frenet: w = P′/|P′|, v = N, the part of P″ perpendicular to P′\n"
               "tilt φ: v ← v cos φ − u sin φ\n"
               "bank: φ = gain · κ, or gain · atan(speed² κ / gravity), κ the curvature to the left on "
               "the level; leans v towards u",
    .source = "Parent, Computer Animation, 3.4.1; "
              "Wang, Jüttler, Zheng and Liu, Computation of Rotation Minimizing Frames, 2008 (double "
              "reflection)",
    .help = N_ (
        "Moves an object or a camera along a path and orients it: along the path, to a point, to a point ahead, or to a point on another path. It can also lean into bends like a bike. Use Evaluate Curve if a point and a tangent are enough."));
