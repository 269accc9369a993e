/* rotation/series: turning through a series of orientations.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "rotation/quaternion_path.h"

typedef struct {
  KgList rotations;
  const KgTable *rows;
  int written;
  const KgTable *times;
  int method;
  double reach;
  bool shortest;
  int evaluation;
  int64_t depth;
  double t;
  int64_t samples;
  KgVector direction;
  KgRotation rotation;
  double speed;
  KgMotion *motion;
  KgGeometry *path;
  KgGeometry *handles;
  KgGeometry *keys;
  KgRotation before;
  KgRotation after;
} Series;

enum { WRITTEN_AXIS_ANGLE, WRITTEN_QUATERNION, WRITTEN_ANGLES, N_WRITTEN };
enum { METHOD_BEZIER, METHOD_SLERP, METHOD_CASTELJAU, N_METHODS };
enum { EVALUATION_SLERP, EVALUATION_SUBDIVIDE, N_EVALUATIONS };

/* Points of an arc to a handle, as drawn. */
#define ARC_POINTS 9
/* Most orientations of a motion or a drawn path. */
#define SAMPLES_MAX 10000000

static const KgChoice series_written[] = {
  [WRITTEN_AXIS_ANGLE] = { "axis-angle", N_ ("Axis and angle: x y z degrees") },
  [WRITTEN_QUATERNION] = { "quaternion", N_ ("Quaternion: w x y z") },
  [WRITTEN_ANGLES] = { "angles", N_ ("Angles about x, then y, then z, in degrees") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (series_written, N_WRITTEN);

static const KgChoice series_methods[] = {
  [METHOD_BEZIER] = { "bezier", N_ ("Smooth, through all of them") },
  [METHOD_SLERP] = { "slerp", N_ ("Straight from one to the next") },
  [METHOD_CASTELJAU] = { "casteljau", N_ ("One curve, pulled by the inner orientations") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (series_methods, N_METHODS);

static const KgChoice series_evaluations[] = {
  [EVALUATION_SLERP] = { "slerp", N_ ("At any time") },
  [EVALUATION_SUBDIVIDE] = { "subdivide", N_ ("At powers of two, by halving") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (series_evaluations, N_EVALUATIONS);

static bool
series_read_row (const Series *n, const double *row, guint number, KgRotation *q, const KgContext *ctx, GError **error)
{
  const KgVector v = { row[0], row[1], row[2] };

  if (n->written == WRITTEN_ANGLES) {
    *q = kg_rotation_from_angles (kg_vector_scale (v, KG_DEGREE));
    return true;
  }
  if (n->written == WRITTEN_QUATERNION) {
    const Quaternion given = { row[0], { row[1], row[2], row[3] } };

    *q = quaternion_to_rotation (given);
    if (quaternion_norm (given) > 1e-300)
      return true;
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "row %u is a zero quaternion: use one that is not zero; 1 0 0 0 is no rotation", number);
    return false;
  }
  if (!(kg_vector_length (v) > 1e-300) && row[3] != 0)
    kg_context_warn (ctx, "row %u rotates about 0 0 0, which has no direction: it is not rotated", number);
  *q = kg_rotation_from_axis_angle (v, row[3] * KG_DEGREE);
  return true;
}

/* The linked rotations, or the typed ones.  (transfer full) */
static KgRotation *
series_read (const Series *n, guint *n_keys, const KgContext *ctx, GError **error)
{
  const guint columns = n->written == WRITTEN_ANGLES ? 3 : 4;
  g_autofree KgRotation *keys = NULL;

  if (n->rotations.n > 0) {
    keys = g_new (KgRotation, n->rotations.n);
    for (guint i = 0; i < n->rotations.n; i++)
      keys[i] = n->rotations.items[i].rotation;
    *n_keys = n->rotations.n;
    return g_steal_pointer (&keys);
  }
  *n_keys = (guint) kg_table_get_n_rows (n->rows);
  if (*n_keys == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "no orientations: link some, or type one per row");
    return NULL;
  }
  for (guint i = 0; i < *n_keys; i++)
    if (isnan (kg_table_get_row (n->rows, i)[3]) != (columns == 3)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %u has %u numbers: this row format has %u", i + 1, 7 - columns,
                    columns);
      return NULL;
    }
  keys = g_new (KgRotation, *n_keys);
  for (guint i = 0; i < *n_keys; i++)
    if (!series_read_row (n, kg_table_get_row (n->rows, i), i + 1, &keys[i], ctx, error))
      return NULL;
  return g_steal_pointer (&keys);
}

/* Times from 0 to 1; NULL without an error when none are given. */
static bool
series_read_times (const Series *n, guint n_keys, GArray **times, GError **error)
{
  const guint rows = (guint) kg_table_get_n_rows (n->times);

  *times = NULL;
  if (rows == 0)
    return true;
  *times = g_array_new (FALSE, FALSE, sizeof (double));
  g_array_append_vals (*times, kg_table_get_cells (n->times), rows);
  if (rows != n_keys) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%u times for %u orientations: give one for each, or none", rows,
                  n_keys);
    return false;
  }
  for (guint i = 0; i + 1 < rows; i++)
    if (!(g_array_index (*times, double, i) < g_array_index (*times, double, i + 1))) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "time %u is %g, after %g: give every orientation a later time than the previous one", i + 2,
                    g_array_index (*times, double, i + 1), g_array_index (*times, double, i));
      return false;
    }
  {
    const double first = g_array_index (*times, double, 0), last = g_array_index (*times, double, rows - 1);

    for (guint i = 0; i < rows; i++) {
      double *time = &g_array_index (*times, double, i);

      *time = rows == 1 ? 0 : i + 1 == rows ? 1 : (*time - first) / (last - first);
    }
  }
  return true;
}

/* Straight series as their keys, which is exact; others as samples. */
static KgChannel *
series_to_channel (const Series *n, const QuaternionPath *path, const KgRotation *samples, gsize n_samples,
                   GError **error)
{
  const gsize count = quaternion_path_get_n_keys (path);
  g_autofree KgKey *keys = NULL;

  if (n->method != METHOD_SLERP && count > 1)
    return kg_channel_new_samples (4, true, 0, (double) (n_samples - 1), &samples[0].w, n_samples, KG_EXTEND_HOLD,
                                   KG_EXTEND_HOLD, error);
  keys = g_new0 (KgKey, count);
  for (gsize i = 0; i < count; i++) {
    double time;
    const KgRotation q = quaternion_path_get_key (path, i, &time);

    kg_key_init (&keys[i], time, q.w);
    keys[i].value[1] = q.x;
    keys[i].value[2] = q.y;
    keys[i].value[3] = q.z;
  }
  return kg_channel_new_keys (4, true, keys, count, KG_EXTEND_HOLD, KG_EXTEND_HOLD, error);
}

static void
write_point (float *p, KgRotation q, KgVector direction)
{
  const KgVector v = kg_rotation_apply (q, direction);

  kg_floats_set_vector (p, 0, v);
}

/* The way of the tip of an arrow that is turned. */
static KgGeometry *
series_to_geometry (const Series *n, const KgRotation *samples, gsize count, bool lines, const KgContext *ctx,
                    GError **error)
{
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  g_autofree uint32_t *vertices = g_new (uint32_t, count);
  float *p;

  if (!kg_geometry_set_n_points (geometry, count, error))
    return NULL;
  p = kg_geometry_edit_positions (geometry);
  for (gsize i = 0; i < count; i++) {
    if (i % 65536 == 65535 && kg_context_is_cancelled (ctx))
      return NULL;
    write_point (p + 3 * i, samples[i], n->direction);
    vertices[i] = (uint32_t) i;
  }
  if (lines && count > 1)
    kg_geometry_add_primitives (geometry, KG_POLYLINE, false, 1, (uint32_t) count, vertices);
  return g_steal_pointer (&geometry);
}

/* The tip on the arcs from each handle by its key to the other handle. */
static KgGeometry *
series_draw_handles (const Series *n, const QuaternionPath *path, GError **error)
{
  const gsize count = quaternion_path_get_n_keys (path);
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  uint32_t vertices[2 * ARC_POINTS - 1];
  float *p;

  if (!kg_geometry_set_n_points (geometry, count * G_N_ELEMENTS (vertices), error))
    return NULL;
  p = kg_geometry_edit_positions (geometry);
  for (gsize i = 0; i < count; i++) {
    double time;
    const KgRotation q = quaternion_path_get_key (path, i, &time);
    KgRotation before, after;

    quaternion_path_get_handles (path, i, &before, &after);
    for (guint k = 0; k < G_N_ELEMENTS (vertices); k++) {
      const double x = (double) k / (ARC_POINTS - 1) - 1;
      const gsize at = i * G_N_ELEMENTS (vertices) + k;

      vertices[k] = (uint32_t) at;
      write_point (p + 3 * at, x < 0 ? quaternion_slerp (q, before, -x) : quaternion_slerp (q, after, x), n->direction);
    }
    kg_geometry_add_primitives (geometry, KG_POLYLINE, false, 1, G_N_ELEMENTS (vertices), vertices);
  }
  return g_steal_pointer (&geometry);
}

static KgGeometry *
series_draw_keys (const Series *n, const QuaternionPath *path, const KgContext *ctx, GError **error)
{
  const gsize count = quaternion_path_get_n_keys (path);
  g_autofree KgRotation *keys = g_new (KgRotation, count);

  for (gsize i = 0; i < count; i++) {
    double time;

    keys[i] = quaternion_path_get_key (path, i, &time);
  }
  return series_to_geometry (n, keys, count, false, ctx, error);
}

/* The handles of the span that t lies in. */
static void
series_find_handles (Series *n, const QuaternionPath *path)
{
  const gsize count = quaternion_path_get_n_keys (path);
  KgRotation other;
  gsize i = 0;
  double time;

  for (gsize k = 1; k + 1 < count; k++) {
    quaternion_path_get_key (path, k, &time);
    if (time <= n->t)
      i = k;
  }
  quaternion_path_get_handles (path, i, &other, &n->after);
  quaternion_path_get_handles (path, MIN (i + 1, count - 1), &n->before, &other);
}

static bool
series_make_outputs (Series *n, const QuaternionPath *path, guint depth, const KgContext *ctx, GError **error)
{
  const gsize spans = MAX (quaternion_path_get_n_keys (path), 2) - 1;
  const gsize count = MIN ((gsize) n->samples, SAMPLES_MAX / spans) * spans + 1;
  g_autofree KgRotation *samples = g_new (KgRotation, count);
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  KgChannel *channel;

  if ((gsize) n->samples > SAMPLES_MAX / spans)
    kg_context_warn (ctx, "%d samples per span are too many for %u spans: fewer are used", (int) n->samples,
                     (guint) spans);
  if (!quaternion_path_sample (path, depth, count, samples, &monitor))
    return false;
  channel = series_to_channel (n, path, samples, count, error);
  if (channel == NULL)
    return false;
  n->motion = kg_motion_new_take ("rotation", channel);
  n->path = series_to_geometry (n, samples, count, true, ctx, error);
  n->handles = n->path != NULL ? series_draw_handles (n, path, error) : NULL;
  n->keys = n->handles != NULL ? series_draw_keys (n, path, ctx, error) : NULL;
  return n->keys != NULL;
}

static bool
series_evaluate (Series *n, const KgContext *ctx, GError **error)
{
  static const QuaternionPathKind kinds[] = { QUATERNION_PATH_BEZIER, QUATERNION_PATH_SLERP,
                                              QUATERNION_PATH_CASTELJAU };
  const guint depth = n->evaluation == EVALUATION_SUBDIVIDE ? (guint) n->depth : 0;
  g_autoptr (QuaternionPath) path = NULL;
  g_autofree KgRotation *keys = NULL;
  g_autoptr (GArray) times = NULL;
  const double h = 1e-4;
  guint n_keys;
  gsize first;

  n->rotation = n->before = n->after = kg_rotation_identity ();
  keys = series_read (n, &n_keys, ctx, error);
  if (keys == NULL || !series_read_times (n, n_keys, &times, error))
    return false;
  path = quaternion_path_new (keys, times != NULL ? (const double *) (void *) times->data : NULL, n_keys,
                              kinds[n->method], n->shortest, n->reach, error);
  if (path == NULL)
    return false;
  if (quaternion_path_get_n_stops (path, &first) > 0)
    kg_context_warn (
        ctx, "at orientation %u the rotation goes straight back, so its direction there is undefined: it stops there",
        (guint) first + 1);
  for (gsize i = 1; !n->shortest && n->method != METHOD_CASTELJAU && i < n_keys; i++) {
    double time;

    if (quaternion_dot (quaternion_path_get_key (path, i - 1, &time), quaternion_path_get_key (path, i, &time)) <
        -1 + 1e-12) {
      kg_context_warn (
          ctx,
          "orientations %zu and %zu are opposite quaternions: the full rotation between them is about an arbitrary axis",
          i, i + 1);
      break;
    }
  }
  n->rotation = quaternion_path_evaluate (path, n->t, depth);
  if (n->t >= 0 && n->t <= 1) {
    const double low = fmax (0, n->t - h), high = fmin (1, n->t + h);

    n->speed = 2 *
               quaternion_angle (quaternion_path_evaluate (path, low, 0), quaternion_path_evaluate (path, high, 0)) /
               (high - low);
  }
  series_find_handles (n, path);
  return series_make_outputs (n, path, depth, ctx, error);
}

static const KgTableColumn series_columns[] = {
  { "a", N_ ("a"), 0, false },  { "b", N_ ("b"), 0, false }, { "c", N_ ("c"), 0, false },
  { "d", N_ ("d"), NAN, true }, KG_TABLE_COLUMNS_END,
};

static const KgSlot series_slots[] = {
  KG_INPUTS (Series, rotations, ROTATION, .label = N_ ("Orientations"), .optional = true,
             .help = N_ ("Orientations to rotate through, in order.")),
  KG_INPUT (Series, rows, TABLE, .columns = series_columns, .shown_when = "rotations=unlinked", .label = N_ ("Rows"),
            .def_text = "0 0 1 0\n0 0 1 90\n1 0 0 90\n0 1 0 90",
            .help = N_ ("Orientations typed, one per row. Not used while Orientations is linked.")),
  KG_INPUT (Series, written, CHOICE, .label = N_ ("Row format"), .choices = series_written,
            .help = N_ ("Meaning of the numbers in a row.")),
  KG_INPUT (
      Series, times, TABLE, .columns = kg_table_numbers, .label = N_ ("Times"),
      .help = N_ (
          "One time for each orientation; the first is the start and the last the end. If empty, they are evenly spaced.")),
  KG_INPUT (
      Series, method, CHOICE, .label = N_ ("Method"), .choices = series_methods,
      .help = N_ (
          "How it rotates. Going straight has a jerk at each orientation; the smooth method leaves each orientation in the direction in which it arrives.")),
  KG_INPUT (
      Series, reach, NUMBER, .label = N_ ("Reach"), .def = 1.0 / 3, .soft_max = 1, .min = -10, .max = 10,
      .shown_when = "method=bezier",
      .help = N_ (
          "How far the handles are from their orientation. A third rounds corners as Catmull-Rom curves do; 0 stops at each orientation; 1 swings wide.")),
  KG_INPUT (
      Series, shortest, BOOLEAN, .label = N_ ("Shortest path"), .def = 1,
      .help = N_ (
          "Rotates by at most 180 degrees from one orientation to the next. When off, quaternions are used with their own sign.")),
  KG_INPUT (
      Series, evaluation, CHOICE, .label = N_ ("Evaluation"), .choices = series_evaluations,
      .help =
          N_ ("Halving arcs needs no sines, but only reaches fractions with a power of two; the nearest one is used.")),
  KG_INPUT (Series, depth, INTEGER, .label = N_ ("Depth"), .def = 5, .min = 1, .max = 16,
            .shown_when = "evaluation=subdivide", .help = N_ ("How many times each span is halved: 5 gives 32 steps.")),
  KG_INPUT (
      Series, t, NUMBER, .label = N_ ("Time"), .driver = KG_DRIVER_PHASE, .soft_max = 1,
      .help = N_ (
          "0 at the first orientation, 1 at the last. Without a link it runs once over the frame range of the graph.")),
  KG_INPUT (Series, samples, INTEGER, .label = N_ ("Samples"), .def = 32, .min = 1, .max = SAMPLES_MAX, .soft_max = 200,
            .help = N_ ("Number of samples of the motion and the drawn path, from one orientation to the next.")),
  KG_INPUT (Series, direction, VECTOR, .label = N_ ("Arrow"), .def_v = { 1, 0, 0 },
            .help = N_ ("Vector that is rotated for the drawn outputs: its tip moves on a sphere.")),
  KG_OUTPUT (Series, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("Orientation at this time.")),
  KG_OUTPUT (Series, speed, NUMBER, .label = N_ ("Speed"), .unit = KG_DEGREES,
             .help = N_ ("Speed of rotation, if the whole series takes one unit of time.")),
  KG_OUTPUT (Series, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("The whole series of rotations, from 0 to 1.")),
  KG_OUTPUT (Series, path, GEOMETRY, .label = N_ ("Path"), .help = N_ ("Path of the arrow's tip, as one polyline.")),
  KG_OUTPUT (Series, handles, GEOMETRY, .label = N_ ("Handles"),
             .help = N_ ("Arcs that carry the handles, one polyline for each orientation.")),
  KG_OUTPUT (Series, keys, GEOMETRY, .label = N_ ("Keys"),
             .help = N_ ("Tip of the arrow at each orientation, as points.")),
  KG_OUTPUT (Series, after, ROTATION, .label = N_ ("Outgoing handle"),
             .help = N_ ("First handle of the current span.")),
  KG_OUTPUT (Series, before, ROTATION, .label = N_ ("Incoming handle"),
             .help = N_ ("Second handle of the current span.")),
};

KG_NODE (
    rotation, series, Series, .label = N_ ("Rotation Series"), .version = 1, .since = "0.1",
    .tags = N_ ("quaternion spline squad bezier shoemake casteljau keys orientation smooth tumble slerp"),
    .formula = "double(p, q) = 2(p · q) q − p; bisect(p, q) = (p + q)/|p + q|\n"
               "handles: aᵢ = bisect(double(qᵢ₋₁, qᵢ), qᵢ₊₁), bᵢ = double(aᵢ, qᵢ); "
               "a₀ = double(q₂, q₁), last b = double(qₙ₋₂, qₙ₋₁)\n"
               "span: spherical de Casteljau over qᵢ, slerp(qᵢ, aᵢ, reach), slerp(qᵢ₊₁, bᵢ₊₁, reach), qᵢ₊₁\n"
               "  p₁ = slerp(q, a, u), p₂ = slerp(a, b, u), p₃ = slerp(b, q′, u), then two between these, then one",
    .source = "Shoemake, Animating Rotation with Quaternion Curves, 1985; Parent, Computer Animation, 3.3",
    .help = N_ (
        "Rotates smoothly through several orientations. Each gets two handles on the sphere of rotations, computed from its neighbours, and each span is a curve between two orientations and two handles, without jerks on the way. The drawn outputs show it on a globe."));
