/* curve/show_frames: the frames along a curve as geometry, for looking at them and for finding where they jump.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/frames.h"
#include "kg-node.h"
#include "kg-floats.h"

typedef struct {
  const KgGeometry *geometry;
  int64_t curve;
  int method;
  int64_t samples;
  double size;
  double width;
  bool tangents;
  bool binormals;
  KgVector up;
  bool fill;
  double blend;
  KgGeometry *axes;
  KgGeometry *tips;
  KgGeometry *jumps;
  KgMotion *profile;
  char *report;
} ShowFrames;

enum { SHOW_FRENET, SHOW_ROTATION_MINIMIZING, SHOW_UPRIGHT, N_METHODS };

static const KgChoice show_methods[] = {
  [SHOW_FRENET] = { "frenet", N_ ("Frenet frame") },
  [SHOW_ROTATION_MINIMIZING] = { "rotation-minimizing", N_ ("Without twist") },
  [SHOW_UPRIGHT] = { "upright", N_ ("Upright") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (show_methods, N_METHODS);

/* Red, green and blue for tangent, normal and binormal, as for x, y and z. */
static const float show_colors[3][4] = { { 0.9f, 0.1f, 0.1f, 1 }, { 0.15f, 0.75f, 0.15f, 1 }, { 0.15f, 0.35f, 1, 1 } };

static void
show_get_axes (const ShowFrames *n, const Frames *frames, double u, const KgTransform *untwisted, KgVector axes[3],
               Frenet *f)
{
  const FramesBridge bridge = { n->fill, n->blend };
  KgVector up = { 0, 1, 0 };

  frames_get_direction (n->up, &up);
  frames_get_frenet (frames, u, &bridge, up, f);
  axes[0] = f->tangent;
  axes[1] = f->normal;
  if (n->method == SHOW_ROTATION_MINIMIZING)
    axes[1] = kg_transform_get_column (untwisted, 1);
  else if (n->method == SHOW_UPRIGHT)
    frames_make_upright (f->tangent, up, &axes[1]);
  axes[2] = kg_vector_cross (axes[0], axes[1]);
}

/* Lines for the axes at every sample, the line that joins the tips of the second axis, curvature and torsion. */
static bool
show_sample (ShowFrames *n, const KgContext *ctx, const Frames *frames, GError **error)
{
  const Curve *curve = frames_get_curve (frames);
  const bool shown[3] = { n->tangents, true, n->binormals };
  const size_t count = (size_t) n->samples, lines = 1 + (size_t) n->tangents + (size_t) n->binormals;
  const double length = curve_get_length (curve);
  g_autofree uint32_t *pairs = g_new (uint32_t, 2 * lines * count), *row = g_new (uint32_t, count);
  g_autofree double *curvature = g_new (double, count), *torsion = g_new (double, count), *u = g_new (double, count);
  g_autofree KgTransform *untwisted = n->method == SHOW_ROTATION_MINIMIZING ? g_new (KgTransform, count) : NULL;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  KgVector up = { 0, 1, 0 };
  float *p, *color, *width, *tips, *normals;
  KgChannel *channel;
  size_t at = 0;

  if (!kg_geometry_set_n_points (n->axes, 2 * lines * count, error) ||
      !kg_geometry_set_n_points (n->tips, count, error))
    return false;
  p = kg_geometry_edit_positions (n->axes);
  color = kg_geometry_edit_float (n->axes, KG_POINTS, "Cd", 4);
  width = kg_geometry_edit_float (n->axes, KG_POINTS, "width", 1);
  tips = kg_geometry_edit_positions (n->tips);
  normals = kg_geometry_edit_float (n->tips, KG_POINTS, "N", 3);
  for (size_t i = 0; i < count; i++)
    u[i] = curve_get_parameter (curve, length * (double) i / (double) (count - 1));
  frames_get_direction (n->up, &up);
  if (untwisted != NULL && !curve_get_frames (curve, u, count, up, &monitor, untwisted))
    return false;
  for (size_t i = 0; i < count; i++) {
    const KgVector place = curve_evaluate (curve, u[i], 0);
    KgVector axes[3];
    Frenet f;

    if (i % 64 == 0 && kg_context_is_cancelled (ctx))
      return false;
    show_get_axes (n, frames, u[i], untwisted != NULL ? &untwisted[i] : NULL, axes, &f);
    for (guint a = 0; a < 3; a++) {
      if (!shown[a])
        continue;
      kg_floats_set_vector (p, at, place);
      kg_floats_set_vector (p, at + 1, kg_vector_add_scaled (place, n->size, axes[a]));
      memcpy (color + 4 * at, show_colors[a], sizeof show_colors[a]);
      memcpy (color + 4 * at + 4, show_colors[a], sizeof show_colors[a]);
      width[at] = width[at + 1] = (float) n->width;
      at += 2;
    }
    kg_floats_set_vector (tips, i, kg_vector_add_scaled (place, n->size, axes[1]));
    kg_floats_set_vector (normals, i, axes[1]);
    row[i] = (uint32_t) i;
    curvature[i] = f.curvature;
    torsion[i] = f.torsion;
  }
  for (size_t i = 0; i < at; i++)
    pairs[i] = (uint32_t) i;
  kg_geometry_add_primitives (n->axes, KG_POLYLINE, false, at / 2, 2, pairs);
  kg_geometry_add_primitive (n->tips,
                             &(KgPrimitive){ .kind = KG_POLYLINE, .n_vertices = (uint32_t) count, .vertices = row });
  channel = kg_channel_new_samples (1, false, 0, (double) (count - 1), curvature, count, KG_EXTEND_HOLD, KG_EXTEND_HOLD,
                                    error);
  if (channel == NULL)
    return false;
  n->profile = kg_motion_new_take ("curvature", channel);
  channel =
      kg_channel_new_samples (1, false, 0, (double) (count - 1), torsion, count, KG_EXTEND_HOLD, KG_EXTEND_HOLD, error);
  if (channel == NULL)
    return false;
  kg_motion_take_channel (n->profile, "torsion", channel);
  return true;
}

/* A point for each place where the frame breaks, with what breaks there. */
static bool
show_jumps (ShowFrames *n, const Frames *frames, GError **error)
{
  static const char *const kinds[FRAMES_N_EVENTS] = { "corner", "jump", "curvature", "inflection", "span" };
  const Curve *curve = frames_get_curve (frames);
  float *p, *angle, *start, *end;
  guint count;
  const FramesEvent *events = frames_get_events (frames, &count);

  if (!kg_geometry_set_n_points (n->jumps, count, error))
    return false;
  p = kg_geometry_edit_positions (n->jumps);
  angle = kg_geometry_edit_float (n->jumps, KG_POINTS, "angle", 1);
  start = kg_geometry_edit_float (n->jumps, KG_POINTS, "start", 1);
  end = kg_geometry_edit_float (n->jumps, KG_POINTS, "end", 1);
  for (guint i = 0; i < count; i++) {
    const double last = curve_get_n_segments (curve), u = 0.5 * (events[i].u0 + events[i].u1);

    kg_floats_set_vector (p, i, curve_evaluate (curve, curve_is_closed (curve) && u > last ? u - last : u, 0));
    angle[i] = (float) (events[i].angle / KG_DEGREE);
    start[i] = (float) events[i].start;
    end[i] = (float) events[i].end;
    kg_geometry_set_text (n->jumps, KG_POINTS, "kind", i, kinds[events[i].kind]);
  }
  return true;
}

static bool
show_frames_evaluate (ShowFrames *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (Frames) frames = frames_new (n->geometry, (size_t) n->curve, &monitor, error);
  GError *warning = NULL;

  if (frames == NULL)
    return false;
  frames_check_up (n->up, &warning);
  kg_context_take_warning (ctx, warning);
  n->axes = kg_geometry_new ();
  n->tips = kg_geometry_new ();
  n->jumps = kg_geometry_new ();
  if (!show_sample (n, ctx, frames, error) || !show_jumps (n, frames, error))
    return false;
  if (n->method == SHOW_FRENET && frames_is_straight (frames))
    kg_context_warn (ctx, "the curve has no bend: its frames are made from the up vector");
  n->report = frames_report (frames);
  return true;
}

static const KgSlot show_frames_slots[] = {
  KG_INPUT (ShowFrames, geometry, GEOMETRY, .label = N_ ("Curve"),
            .help = N_ ("A geometry with splines or polylines.")),
  KG_INPUT (ShowFrames, curve, INTEGER, .label = N_ ("Curve index"), .min = 0, .max = 1e9, .soft_max = 10,
            .help = N_ ("Index of the curve in the geometry, from 0.")),
  KG_INPUT (
      ShowFrames, method, CHOICE, .label = N_ ("Frame"), .choices = show_methods,
      .help = N_ (
          "The Frenet frame bends with the curve and breaks if the curve is straight; the frame without twist never breaks; the upright frame follows the up vector.")),
  KG_INPUT (ShowFrames, samples, INTEGER, .label = N_ ("Samples"), .def = 60, .min = 2, .max = 100000, .soft_max = 300,
            .help = N_ ("Number of frames, at even distances.")),
  KG_INPUT (ShowFrames, size, NUMBER, .label = N_ ("Size"), .unit = KG_METRES, .def = 0.3, .min = 0, .max = 1e9,
            .soft_max = 2, .help = N_ ("Length of the drawn axes.")),
  KG_INPUT (ShowFrames, width, NUMBER, .label = N_ ("Width"), .unit = KG_METRES, .def = 0.015, .min = 0, .max = 1e6,
            .soft_max = 0.1, .help = N_ ("Thickness of the drawn axes.")),
  KG_INPUT (ShowFrames, tangents, BOOLEAN, .label = N_ ("Tangents"), .help = N_ ("Draws the first axis too.")),
  KG_INPUT (ShowFrames, binormals, BOOLEAN, .label = N_ ("Binormals"), .help = N_ ("Draws the third axis too.")),
  KG_INPUT (
      ShowFrames, up, VECTOR, .label = N_ ("Up"), .def_v = { 0, 1, 0 },
      .help = N_ (
          "The second axis is close to this direction: at the start without twist, everywhere if upright, and for the Frenet frame only if the curve has no bend at all.")),
  KG_INPUT (ShowFrames, fill, BOOLEAN, .shown_when = "method=frenet", .label = N_ ("Fill straight spans"), .def = 1,
            .help = N_ ("Rotates evenly over straight spans; otherwise the frame before them is held.")),
  KG_INPUT (ShowFrames, blend, NUMBER, .shown_when = "method=frenet", .label = N_ ("Blend jumps"), .unit = KG_METRES,
            .min = 0, .max = INFINITY, .soft_max = 2,
            .help = N_ ("At a jump of the frame, rotate over this many metres before and after.")),
  KG_OUTPUT (ShowFrames, axes, GEOMETRY, .label = N_ ("Axes"),
             .help = N_ ("A line for each axis: red for the tangent, green for the normal, blue for the binormal.")),
  KG_OUTPUT (ShowFrames, tips, GEOMETRY, .label = N_ ("Tips"),
             .help = N_ ("A line through the tips of the normals, which shows how the frame rotates.")),
  KG_OUTPUT (ShowFrames, jumps, GEOMETRY, .label = N_ ("Jumps"),
             .help = N_ ("A point for each corner, jump, inflection and straight span, with the attributes kind, angle "
                         "in degrees, start and end in metres.")),
  KG_OUTPUT (ShowFrames, profile, MOTION, .label = N_ ("Profile"),
             .help = N_ ("Curvature and torsion over the fraction of the length.")),
  KG_OUTPUT (ShowFrames, report, TEXT, .label = N_ ("Report"), .help = N_ ("The same as text, one per line.")),
};

KG_NODE (
    curve, show_frames, ShowFrames, .label = N_ ("Show Frames"), .version = 1, .since = "0.1",
    .tags = N_ ("frenet normal binormal curvature torsion comb jump inflection parallel transport"),
    .formula = "T = P′/|P′|, B = P′ × P″ / |P′ × P″|, N = B × T\n"
               "κ = |P′ × P″| / |P′|³, τ = (P′ × P″) · P‴ / |P′ × P″|²\n"
               "over a straight span from a to b: turn about T by θ (s − a)/(b − a), θ = atan2(T · (N₁ "
               "× N₂), N₁ · N₂)",
    .source = "do Carmo, Differential Geometry of Curves and Surfaces, 1976, 1.5; "
              "Parent, Computer Animation, 3.4.1; "
              "Wang, Jüttler, Zheng and Liu 2008 (frame without twist)",
    .help = N_ (
        "Draws the frames along a curve and finds where they break: straight spans, inflections, corners and jumps. Use it to find out why an object that follows a path flips over."));
