/* curve/follow: something that travels along a path and looks where it should.
 * Sources: Parent, Computer Animation, 3.4.1.  Where the book has both, frames are right-handed: w ahead, v up, u = v x w
 * to the left; the left-handed ones of its equations are a choice.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/path_view.h"
#include "kg-node.h"
#include "kg-floats.h"

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
  const KgTable *interest_keys;
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

enum { FOLLOW_CENTER_BOUNDS, FOLLOW_CENTER_MEAN, N_CENTERS };
enum { FOLLOW_PAST_TANGENT, FOLLOW_PAST_HOLD, N_PAST };
enum { FOLLOW_BANK_NONE, FOLLOW_BANK_PROPORTIONAL, FOLLOW_BANK_PHYSICAL, N_BANKS };
enum { FOLLOW_RIGHT, FOLLOW_LEFT, N_HANDS };
enum { FOLLOW_AXES_X, FOLLOW_AXES_Z, FOLLOW_AXES_CAMERA, N_AXES };

static const KgChoice follow_by[] = {
  [PATH_BY_LENGTH] = { "length", N_ ("Fraction of the length") },
  [PATH_BY_NORMALIZED] = { "normalized", N_ ("Parameter, 0 to 1") },
  [PATH_BY_NATURAL] = { "natural", N_ ("Parameter, one per segment") },
  [PATH_BY_METRES] = { "metres", N_ ("Metres along the curve") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (follow_by, PATH_N_BY);

static const KgChoice follow_orientations[] = {
  [PATH_VIEW_TANGENT] = { "tangent", N_ ("Along the path, upright") },
  [PATH_VIEW_NONE] = { "none", N_ ("No rotation") },
  [PATH_VIEW_FRENET] = { "frenet", N_ ("Frenet frame: up points into the bend") },
  [PATH_VIEW_ROTATION_MINIMIZING] = { "rotation-minimizing", N_ ("Along the path, without twist") },
  [PATH_VIEW_INTEREST] = { "interest", N_ ("Towards a point or an object") },
  [PATH_VIEW_AHEAD] = { "ahead", N_ ("Towards a point ahead on the path") },
  [PATH_VIEW_AVERAGE] = { "average", N_ ("Towards the mean of several points ahead") },
  [PATH_VIEW_PATH] = { "path", N_ ("Towards a point on another path") },
  [PATH_VIEW_KEYED] = { "keyed", N_ ("Towards a sequence of points") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (follow_orientations, PATH_VIEW_N);

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
  const KgContext *ctx;
} FollowBuild;

static void *
follow_build (gpointer data, size_t *bytes, GError **error)
{
  const FollowBuild *build = (const FollowBuild *) data;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);
  Frames *frames = frames_new (build->geometry, build->index, &monitor, error);

  if (frames != NULL)
    *bytes = frames_get_bytes (frames);
  return frames;
}

static const Frames *
follow_get_frames (const KgContext *ctx, const KgGeometry *geometry, size_t field, size_t index, GError **error)
{
  FollowBuild build = { geometry, index, ctx };
  const KgHash key = kg_hash_text (kg_hash_uint (kg_context_get_fingerprint (ctx, field), index), "frames");

  return (const Frames *) kg_context_memo (ctx, key, follow_build, &build, (GDestroyNotify) frames_free, error);
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
    sum = kg_vector_add (sum, kg_floats_get_vector (p, i));
  return kg_vector_scale (sum, 1 / (double) count);
}

/* What a view needs besides the inputs. */
typedef struct {
  const Frames *path;
  const Frames *interest_path; /* (nullable) */
  const Frames *up_path;       /* (nullable) */
  const GArray *holds;         /* (nullable) PathViewHold */
} FollowParts;

static PathView
follow_make_view (const Follow *n, const FollowParts *parts)
{
  return (PathView){
    .kind = (PathViewKind) n->orientation,
    .path = parts->path,
    .parameter = n->parameter,
    .by = (PathBy) n->by,
    .interest = n->orientation == PATH_VIEW_INTEREST && n->interest_object != NULL ? follow_get_object_center (n)
                                                                                   : n->interest,
    .ahead = n->ahead,
    .average_count = (guint) n->average_count,
    .average_spread = n->average_spread,
    .continues = n->past_end == FOLLOW_PAST_TANGENT,
    .interest_path = parts->interest_path,
    .interest_timing = n->interest_timing != NULL ? n->interest_timing : n->timing,
    .holds = parts->holds != NULL ? (const PathViewHold *) (const void *) parts->holds->data : NULL,
    .n_holds = parts->holds != NULL ? parts->holds->len : 0,
    .clock = n->clock,
    .shift = follow_shift_shapes[n->shift],
    .up = n->up,
    .up_path = parts->up_path,
    .up_timing = n->up_timing != NULL ? n->up_timing : n->timing,
    .bridge = { n->fill, n->blend },
  };
}

/* Banking. */

typedef struct {
  Banking banking;
  const Frames *path;
} FollowBankBuild;

static void *
follow_build_bank (gpointer data, size_t *bytes, GError **error)
{
  const FollowBankBuild *build = (const FollowBankBuild *) data;

  (void) error;
  *bytes = (BANKING_STEPS + 1) * sizeof (double);
  return banking_new_table (build->path, &build->banking);
}

static const double *
follow_get_bank_table (const Follow *n, const KgContext *ctx, const Frames *path, GError **error)
{
  FollowBankBuild build = { { n->bank == FOLLOW_BANK_PHYSICAL, n->bank_gain, n->bank_speed, n->gravity, n->bank_max,
                              n->bank_smooth, n->up },
                            path };
  const double settings[] = { n->bank, n->bank_gain, n->bank_speed, n->gravity,     n->bank_max,
                              n->up.x, n->up.y,      n->up.z,       n->bank_smooth, (double) n->curve };
  KgHash key = kg_hash_text (kg_context_get_fingerprint (ctx, offsetof (Follow, geometry)), "bank");

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    key = kg_hash_double (key, settings[i]);
  return (const double *) kg_context_memo (ctx, key, follow_build_bank, &build, g_free, error);
}

/* Rows of held points, sorted by frame. */

static int
follow_compare_holds (gconstpointer a, gconstpointer b)
{
  return kg_compare_doubles (&((const PathViewHold *) a)->start, &((const PathViewHold *) b)->start);
}

/* (transfer full) (nullable) (element-type PathViewHold) */
static GArray *
follow_read_holds (const Follow *n, const KgContext *ctx, GError **error)
{
  const guint count = (guint) kg_table_get_n_rows (n->interest_keys);
  g_autoptr (GArray) holds = NULL;
  bool sorted = true;

  if (count == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "interest_keys is empty: give rows of first frame, last frame, x, y and z");
    return NULL;
  }
  holds = g_array_sized_new (FALSE, FALSE, sizeof (PathViewHold), count);
  for (guint i = 0; i < count; i++) {
    const double *row = kg_table_get_row (n->interest_keys, i);
    const PathViewHold hold = { row[0], row[1], kg_vector (row[2], row[3], row[4]) };

    if (hold.end < hold.start) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "interest_keys, row %u: the hold ends at frame %g, before its start at %g", i + 1, hold.end,
                    hold.start);
      return NULL;
    }
    sorted &= i == 0 || hold.start >= row[-5];
    g_array_append_val (holds, hold);
  }
  if (!sorted) {
    kg_context_warn (ctx, "the rows of interest_keys are not in order: they were sorted by first frame");
    g_array_sort (holds, follow_compare_holds);
  }
  for (guint i = 1; i < count; i++) {
    const PathViewHold *hold = &g_array_index (holds, PathViewHold, i);

    if (hold->start < hold[-1].end) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "interest_keys: the holds from frame %g to %g and from %g to %g overlap: end the first before the second starts",
          hold[-1].start, hold[-1].end, hold->start, hold->end);
      return NULL;
    }
  }
  return g_steal_pointer (&holds);
}

/* Turning too fast for an audience: the view of the frame before is computed as well. */

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
follow_check_rotation_rate (Follow *n, const KgContext *ctx, const FollowParts *parts)
{
  const Curve *curve = frames_get_curve (parts->path);
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  Follow before = *n;
  PathView view;
  KgVector w, v, target;
  double angle;

  before.parameter = kg_context_get_sample (ctx, offsetof (Follow, parameter), 1)->number;
  before.interest = kg_context_get_sample (ctx, offsetof (Follow, interest), 1)->vector;
  before.clock = kg_context_get_sample (ctx, offsetof (Follow, clock), 1)->number;
  view = follow_make_view (&before, parts);
  path_view_get_directions (&view, path_get_parameter (curve, before.parameter, view.by, before.timing), &w, &v,
                            &target, &monitor, NULL);
  angle = atan2 (kg_vector_length (kg_vector_cross (w, n->forward)), kg_vector_dot (w, n->forward));
  n->turn_rate = angle * ctx->rate;
  if (n->turn_rate > n->turn_limit)
    kg_context_warn (ctx, "the view rotates by %.4g° per second, more than %.4g°: keep farther away from the target",
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
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  FollowParts parts = { NULL };
  g_autoptr (GArray) holds = NULL;
  const FramesEvent *events;
  GError *warning = NULL;
  KgVector w, v;
  const Curve *curve;
  PathView view;
  double u, share;
  guint n_events;
  Frenet f;

  parts.path = follow_get_frames (ctx, n->geometry, offsetof (Follow, geometry), (size_t) n->curve, error);
  if (parts.path == NULL)
    return false;
  curve = frames_get_curve (parts.path);
  if (n->up_path == NULL && n->orientation != PATH_VIEW_NONE)
    frames_check_up (n->up, &warning);
  kg_context_take_warning (ctx, warning);
  if (n->orientation == PATH_VIEW_PATH && n->interest_path == NULL) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "interest_path is missing: link a curve to look at");
    return false;
  }
  if (n->interest_path != NULL) {
    parts.interest_path = follow_get_frames (ctx, n->interest_path, offsetof (Follow, interest_path), 0, error);
    if (parts.interest_path == NULL) {
      g_prefix_error (error, "interest_path: ");
      return false;
    }
  }
  if (n->up_path != NULL) {
    parts.up_path = follow_get_frames (ctx, n->up_path, offsetof (Follow, up_path), 0, error);
    if (parts.up_path == NULL) {
      g_prefix_error (error, "up_path: ");
      return false;
    }
  }
  if (n->orientation == PATH_VIEW_KEYED) {
    holds = follow_read_holds (n, ctx, error);
    if (holds == NULL)
      return false;
    parts.holds = holds;
  }
  n->length = curve_get_length (curve);
  if (!(n->length > 0))
    kg_context_warn (ctx, "the path has zero length: nothing moves along it");
  u = path_get_parameter (curve, n->parameter, (PathBy) n->by, n->timing);
  n->position = curve_evaluate (curve, u, 0);
  n->distance = curve_get_length_to (curve, u);
  share = n->length > 0 ? n->distance / n->length : 0;
  view = follow_make_view (n, &parts);
  warning = NULL;
  path_view_get_directions (&view, u, &w, &v, &n->looks_at, &monitor, &warning);
  kg_context_take_warning (ctx, warning);
  n->forward = w;
  if (n->turn_limit > 0)
    follow_check_rotation_rate (n, ctx, &parts);
  if (n->bank != FOLLOW_BANK_NONE) {
    const double *table = follow_get_bank_table (n, ctx, parts.path, error);

    if (table == NULL)
      return false;
    n->bank_angle = banking_read_table (table, share);
    n->banking =
        kg_motion_new_take ("bank", kg_channel_new_samples (1, false, 0, BANKING_STEPS, table, BANKING_STEPS + 1,
                                                            KG_EXTEND_HOLD, KG_EXTEND_HOLD, error));
  }
  follow_set_frame (n, w, v);
  frames_get_frenet (parts.path, u, &(FramesBridge){ true, 0 }, n->up, &f);
  n->curvature = f.curvature;
  n->torsion = f.torsion;
  events = frames_get_events (parts.path, &n_events);
  for (guint i = 0; i < n_events && n->orientation == PATH_VIEW_FRENET; i++)
    if ((events[i].kind == FRAMES_JUMP || events[i].kind == FRAMES_INFLECTION) && n->blend > events[i].room) {
      kg_context_warn (ctx, "a blend of %g m does not fit at %g m: it was shortened to %.4g m", n->blend,
                       events[i].start, events[i].room);
      break;
    }
  n->report = frames_report (parts.path);
  return true;
}

static const KgTableColumn follow_columns[] = {
  { "first", N_ ("First frame"), 0, false },
  { "last", N_ ("Last frame"), 0, false },
  { "x", N_ ("x"), 0, false },
  { "y", N_ ("y"), 0, false },
  { "z", N_ ("z"), 0, true },
  KG_TABLE_COLUMNS_END,
};

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
      Follow, interest_keys, TABLE, .columns = follow_columns, .shown_when = "orientation=keyed",
      .label = N_ ("Interest keys"), .def_text = "1 12 0 0 0", .group = N_ ("Look at"),
      .help = N_ (
          "One hold per row: first frame, last frame, x y z. The view rests on the point for these frames and moves to the next point in between.")),
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
