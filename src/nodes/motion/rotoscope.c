/* motion/rotoscope: points of space from two drawn views.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/rotoscope.h"
#include "kg-node.h"

#include <gsl/gsl_interp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const KgTable *clicks;
  const char *joints;
  const KgGeometry *front;
  const KgGeometry *side;
  int views;
  double scale_front;
  double scale_side;
  KgVector origin_front;
  KgVector origin_side;
  bool y_down;
  bool side_mirrored;
  KgTransform camera_front;
  KgTransform camera_side;
  int64_t gap;
  double frame;
  KgMotion *motion;
  KgGeometry *points;
  double residual;
  int64_t outliers;
} Rotoscope;

enum { VIEWS_FLAT, VIEWS_CAMERAS, N_VIEWS };

static const KgChoice rotoscope_views[] = {
  [VIEWS_FLAT] = { "flat", N_ ("Flat: from the front and from the side") },
  [VIEWS_CAMERAS] = { "cameras", N_ ("Cameras") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (rotoscope_views, N_VIEWS);

static const KgTableColumn click_columns[] = {
  { "frame", N_ ("Frame"), 1, false },
  { "joint", N_ ("Joint"), 0, false },
  { "front_x", N_ ("Front x"), 0, false },
  { "front_y", N_ ("Front y"), 0, false },
  { "side_x", N_ ("Side x"), 0, false },
  { "side_y", N_ ("Side y"), 0, false },
  KG_TABLE_COLUMNS_END,
};

/* Most joints, and most clicks. */
#define MAX_JOINTS 1000
#define MAX_CLICKS 1000000
/* Most frames that all joints together are filled in at. */
#define MAX_FRAMES 500000.0

typedef struct {
  int joint;
  double frame, xyz[3], residual;
} Click;

static void
rotoscope_get_views (const Rotoscope *n, RotoscopeView views[2])
{
  const bool camera = n->views == VIEWS_CAMERAS;

  views[0] = (RotoscopeView){
    { n->origin_front.x, n->origin_front.y }, n->scale_front, n->y_down, 1, camera, n->camera_front
  };
  views[1] = (RotoscopeView){
    { n->origin_side.x, n->origin_side.y }, n->scale_side, n->y_down, n->side_mirrored ? -1 : 1, camera, n->camera_side
  };
}

/* From one place the distance of what is seen cannot be told. */
static bool
rotoscope_check_cameras (const Rotoscope *n, GError **error)
{
  const KgVector front = kg_transform_get_place (&n->camera_front), side = kg_transform_get_place (&n->camera_side);

  if (n->views != VIEWS_CAMERAS || kg_vector_distance (front, side) > 1e-9 * (1 + kg_vector_length (front)))
    return true;
  kg_set_error (error, KG_ERROR_DEGENERATE,
                "both cameras are at %g, %g, %g, so all rays meet there: separate them, ideally at a right angle",
                front.x, front.y, front.z);
  return false;
}

static int
compare_clicks (gconstpointer a, gconstpointer b)
{
  const Click *x = (const Click *) a, *y = (const Click *) b;

  return x->joint != y->joint ? (x->joint > y->joint) - (x->joint < y->joint)
                              : (x->frame > y->frame) - (x->frame < y->frame);
}

/* (transfer full) Located, by joint and frame. */
static GArray *
rotoscope_read_clicks (const Rotoscope *n, const KgContext *ctx, GError **error)
{
  g_autoptr (GArray) clicks = g_array_new (FALSE, FALSE, sizeof (Click));
  const size_t rows = kg_table_get_n_rows (n->clicks);
  RotoscopeView views[2];
  size_t parallel = 0;

  rotoscope_get_views (n, views);
  if (rows > MAX_CLICKS) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu clicks: at most %d can be used", rows, MAX_CLICKS);
    return NULL;
  }
  for (size_t i = 0; i < rows; i++) {
    const double *row = kg_table_get_row (n->clicks, i);
    Click click = { .frame = row[0] };
    KgVector point;

    if (!(row[1] >= 0 && row[1] < MAX_JOINTS) || row[1] != floor (row[1]) || !(fabs (row[0]) < 1e9)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "clicks, row %zu: there is no joint %g at frame %g: use indices from 0 to %d", i + 1, row[1],
                    row[0], MAX_JOINTS - 1);
      return NULL;
    }
    click.joint = (int) row[1];
    if (!rotoscope_locate (views, row + 2, row + 4, &point, &click.residual)) {
      parallel++;
      continue;
    }
    for (size_t c = 0; c < 3; c++)
      click.xyz[c] = kg_vector_get (point, c);
    g_array_append_val (clicks, click);
  }
  if (parallel > 0)
    kg_context_warn (ctx, "%zu clicks have parallel rays and give no point: turn the cameras apart", parallel);
  g_array_sort (clicks, compare_clicks);
  return g_steal_pointer (&clicks);
}

/* (transfer full) What joint i is called. */
static char *
rotoscope_dup_name (char *const *names, int joint)
{
  int index = 0;

  for (guint i = 0; names[i] != NULL; i++)
    if (names[i][0] != '\0' && index++ == joint)
      return g_strdup (names[i]);
  return g_strdup_printf ("joint%d", joint);
}

/* A run of clicks without a long gap, as keys at every frame: natural cubic splines, which are smooth to the second derivative. */
static void
add_run (const Click *clicks, guint n, guint c, GArray *keys)
{
  const gsl_interp_type *type = n >= 3 ? gsl_interp_cspline : gsl_interp_linear;
  g_autofree double *x = g_new (double, n), *y = g_new (double, n);
  gsl_interp *interpolation;
  KgKey key;

  for (guint i = 0; i < n; i++) {
    x[i] = clicks[i].frame;
    y[i] = clicks[i].xyz[c];
  }
  kg_key_init (&key, x[0], y[0]);
  if (n > 1) {
    interpolation = gsl_interp_alloc (type, n);
    gsl_interp_init (interpolation, x, y, n);
    for (guint i = 0; i + 1 < n; i++)
      for (double at = x[i]; at < x[i + 1]; at = floor (at) + 1) {
        kg_key_init (&key, at, gsl_interp_eval (interpolation, x, y, at, NULL));
        g_array_append_val (keys, key);
      }
    gsl_interp_free (interpolation);
    kg_key_init (&key, x[n - 1], y[n - 1]);
  }
  /* Across a long gap it holds. */
  key.interpolation = KG_INTERPOLATE_CONSTANT;
  g_array_append_val (keys, key);
}

/* Clicks from i on that belong together. */
static guint
count_run (const Rotoscope *n, const Click *clicks, guint count)
{
  guint run = 1;

  while (run < count && clicks[run].frame - clicks[run - 1].frame <= (double) n->gap + 1)
    run++;
  return run;
}

static bool
add_joint (Rotoscope *n, const char *name, const Click *clicks, guint count, double frame, GError **error)
{
  static const char *const suffixes[] = { "tx", "ty", "tz" };
  const size_t point = kg_geometry_get_n_points (n->points);
  bool seen = false;
  float xyz[3];

  for (guint c = 0; c < 3; c++) {
    g_autoptr (GArray) keys = g_array_new (FALSE, FALSE, sizeof (KgKey));
    g_autofree char *channel_name = g_strdup_printf ("%s.%s", name, suffixes[c]);
    KgChannel *channel;
    double value;

    for (guint i = 0, run; i < count; i += run) {
      run = count_run (n, clicks + i, count - i);
      add_run (clicks + i, run, c, keys);
      seen = seen || (frame >= clicks[i].frame && frame <= clicks[i + run - 1].frame);
    }
    channel = kg_channel_new_keys (1, false, (const KgKey *) (void *) keys->data, keys->len, KG_EXTEND_HOLD,
                                   KG_EXTEND_HOLD, error);
    if (channel == NULL)
      return false;
    kg_channel_evaluate (channel, frame, &value);
    xyz[c] = (float) value;
    if (kg_motion_find (n->motion, channel_name) == NULL)
      kg_motion_take_channel (n->motion, channel_name, channel);
    else
      kg_channel_unref (channel);
  }
  if (!seen)
    return true;
  if (!kg_geometry_set_n_points (n->points, point + 1, error))
    return false;
  memcpy (kg_geometry_edit_positions (n->points) + 3 * point, xyz, sizeof xyz);
  kg_geometry_set_text (n->points, KG_POINTS, "name", point, name);
  return true;
}

/* The largest disagreement of the views, and how many are more than three times the median. */
static void
rotoscope_judge (Rotoscope *n, const GArray *clicks)
{
  g_autofree double *sorted = g_new (double, MAX (clicks->len, 1));

  for (guint i = 0; i < clicks->len; i++)
    sorted[i] = g_array_index (clicks, Click, i).residual;
  qsort (sorted, clicks->len, sizeof *sorted, kg_compare_doubles);
  n->residual = clicks->len > 0 ? sorted[clicks->len - 1] : 0;
  for (guint i = 0; i < clicks->len; i++)
    n->outliers += sorted[i] > 3 * sorted[clicks->len / 2] && sorted[i] > 0;
}

/* Drawings: each point of one is the same point of the other. */
static bool
rotoscope_join_drawings (Rotoscope *n, const KgContext *ctx, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->front);
  const float *front = kg_geometry_get_positions (n->front), *side = kg_geometry_get_positions (n->side);
  RotoscopeView views[2];
  size_t parallel = 0;
  float *p, *residuals;

  if (kg_geometry_get_n_points (n->side) != count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the front view has %zu points and the side view %zu: draw each point in both, in the same order",
                  count, kg_geometry_get_n_points (n->side));
    return false;
  }
  rotoscope_get_views (n, views);
  kg_geometry_unref (n->points);
  n->points = kg_geometry_ref (n->front);
  kg_geometry_make_writable (&n->points);
  p = kg_geometry_edit_positions (n->points);
  residuals = kg_geometry_edit_float (n->points, KG_POINTS, "residual", 1);
  for (size_t i = 0; i < count; i++) {
    const double from[2] = { front[3 * i], front[3 * i + 1] }, across[2] = { side[3 * i], side[3 * i + 1] };
    double residual = 0;
    KgVector point = { 0, 0, 0 };

    parallel += !rotoscope_locate (views, from, across, &point, &residual);
    for (size_t c = 0; c < 3; c++)
      p[3 * i + c] = (float) kg_clamp (kg_vector_get (point, c), -1e30, 1e30);
    residuals[i] = (float) fmin (residual, 1e30);
    n->residual = fmax (n->residual, residual);
  }
  if (parallel > 0)
    kg_context_warn_plural (
        ctx, parallel, "%zu point has parallel rays and is put at the origin: turn the cameras apart",
        "%zu points have parallel rays and are put at the origin: turn the cameras apart", parallel);
  return true;
}

static bool
rotoscope_evaluate (Rotoscope *n, const KgContext *ctx, GError **error)
{
  g_auto (GStrv) names = g_strsplit_set (n->joints, " \t\n,;", -1);
  g_autoptr (GArray) clicks = NULL;
  double frames = 0;

  n->motion = kg_motion_new ();
  n->points = kg_geometry_new ();
  if ((n->front != NULL) != (n->side != NULL)) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "only one view is drawn: link the drawings of both, or none");
    return false;
  }
  if (!rotoscope_check_cameras (n, error))
    return false;
  if (n->front != NULL)
    return rotoscope_join_drawings (n, ctx, error);
  clicks = rotoscope_read_clicks (n, ctx, error);
  if (clicks == NULL)
    return false;
  for (guint i = 0, count; i < clicks->len; i += count) {
    const Click *first = &g_array_index (clicks, Click, i);
    g_autofree char *name = rotoscope_dup_name (names, first->joint);

    for (count = 1; i + count < clicks->len && first[count].joint == first->joint; count++)
      if (first[count].frame == first[count - 1].frame) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is clicked twice at frame %g: remove one of the rows", name,
                      first[count].frame);
        return false;
      }
    frames += first[count - 1].frame - first->frame;
    if (frames > MAX_FRAMES) {
      kg_set_error (error, KG_ERROR_LIMIT,
                    "the clicks of all joints together span %g frames: at most %g can be filled in", frames,
                    MAX_FRAMES);
      return false;
    }
    if (!add_joint (n, name, first, count, n->frame, error))
      return false;
  }
  rotoscope_judge (n, clicks);
  if (n->outliers > 0)
    kg_context_warn (ctx, "in %d clicks the views disagree by more than three times the median", (int) n->outliers);
  return true;
}

static const KgSlot rotoscope_slots[] = {
  KG_INPUT (
      Rotoscope, clicks, TABLE, .label = N_ ("Clicks"), .columns = click_columns,
      .def_text = "1 0 420 200 320 200\n24 0 520 250 370 250\n",
      .help = N_ (
          "Positions of a joint in both images, one per row: frame, index of the joint, x and y in the front view, x "
          "and y in the side view, in pixels.")),
  KG_INPUT (Rotoscope, joints, TEXT, .label = N_ ("Joints"), .help = N_ ("Names of the joints, separated by blanks.")),
  KG_INPUT (Rotoscope, front, GEOMETRY, .optional = true, .label = N_ ("Front view"),
            .help = N_ ("A drawing seen from the front, used instead of clicks.")),
  KG_INPUT (Rotoscope, side, GEOMETRY, .optional = true, .label = N_ ("Side view"),
            .help = N_ ("The same points, in the same order, seen from the side.")),
  KG_INPUT (Rotoscope, views, CHOICE, .label = N_ ("Views"), .choices = rotoscope_views,
            .help = N_ ("Flat views have no perspective; cameras stand anywhere.")),
  KG_INPUT (Rotoscope, scale_front, NUMBER, .label = N_ ("Front scale"), .def = 100, .min = 1e-6, .max = 1e9,
            .soft_max = 500,
            .help = N_ ("Pixels per metre in the front view; for a camera, its focal length in pixels.")),
  KG_INPUT (Rotoscope, scale_side, NUMBER, .label = N_ ("Side scale"), .def = 100, .min = 1e-6, .max = 1e9,
            .soft_max = 500, .help = N_ ("The same for the side view.")),
  KG_INPUT (Rotoscope, origin_front, VECTOR, .label = N_ ("Front origin"), .unit = KG_PIXELS, .def_v = { 320, 400, 0 },
            .help = N_ ("Where the origin is seen; of a camera, the centre of its image.")),
  KG_INPUT (Rotoscope, origin_side, VECTOR, .label = N_ ("Side origin"), .unit = KG_PIXELS, .def_v = { 320, 400, 0 },
            .help = N_ ("The same for the side view.")),
  KG_INPUT (Rotoscope, y_down, BOOLEAN, .label = N_ ("y down"), .def = 1,
            .help = N_ ("Pixels count from the top, as in images.")),
  KG_INPUT (Rotoscope, side_mirrored, BOOLEAN, .label = N_ ("Side mirrored"),
            .help = N_ ("In the side view, z points to the left.")),
  KG_INPUT (Rotoscope, camera_front, TRANSFORM, .label = N_ ("Front camera"), .shown_when = "views=cameras",
            .help = N_ ("Where the front camera stands; it looks along its negative z axis.")),
  KG_INPUT (Rotoscope, camera_side, TRANSFORM, .label = N_ ("Side camera"), .shown_when = "views=cameras",
            .help = N_ ("Where the side camera stands.")),
  KG_INPUT (
      Rotoscope, gap, INTEGER, .label = N_ ("Longest gap"), .unit = KG_FRAMES, .def = 24, .min = 0, .max = 100000,
      .soft_max = 100,
      .help = N_ (
          "Frames without clicks that are filled in by smooth curves. Across longer gaps a joint is missing among the points.")),
  KG_INPUT (Rotoscope, frame, NUMBER, .label = N_ ("Frame"), .driver = KG_DRIVER_FRAME, .soft_min = 1, .soft_max = 100,
            .help = N_ ("Frame whose points are output. Without a link it is the current frame.")),
  KG_OUTPUT (Rotoscope, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("Places of all joints over frames: joint0.tx and so on, or by their names.")),
  KG_OUTPUT (
      Rotoscope, points, GEOMETRY, .label = N_ ("Points"),
      .help = N_ (
          "The joints at this frame, with the attribute name; of drawings, the drawing in space, with the attribute residual.")),
  KG_OUTPUT (Rotoscope, residual, NUMBER, .unit = KG_METRES, .label = N_ ("Residual"),
             .help = N_ ("Largest distance by which the views disagree.")),
  KG_OUTPUT (Rotoscope, outliers, INTEGER, .label = N_ ("Outliers"),
             .help = N_ ("Clicks whose views disagree by more than three times the median.")),
};

KG_NODE (
    motion, rotoscope, Rotoscope, .label = N_ ("Rotoscope"), .version = 1, .since = "0.1",
    .tags = N_ ("two views trace film triangulate front side drawing capture digitise joints"),
    .formula = "x from the front, z from the side, y = Σ s² y / Σ s²; cameras: Σ (1 − d dᵀ) p = Σ (1 − d dᵀ) o",
    .source = "Wyvill, tutorial on computer animation and soft objects, 1988: rotoscoping",
    .help = N_ (
        "Finds points in space from two images of them, taken from the front and from the side: clicks on the joints of a filmed figure become its motion, and two flat drawings a figure in space."));
