/* curve/smooth: jittery paths and motions made calm.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "curve/smoothing.h"

#include <string.h>

typedef struct {
  const KgGeometry *geometry;
  const KgMotion *motion;
  int method;
  int64_t iterations;
  int ends;
  bool closed;
  int kernel;
  double width;
  const KgTable *weights;
  int64_t every;
  bool spline;
  int64_t output_count;
  KgGeometry *smoothed;
  KgMotion *smoothed_motion;
} Smooth;

static const KgChoice smooth_methods[] = {
  [SMOOTHING_LINEAR] = { "linear", N_ ("Mean of the neighbours") },
  [SMOOTHING_CUBIC] = { "cubic", N_ ("Cubic through four neighbours") },
  [SMOOTHING_CONVOLUTION] = { "convolution", N_ ("Kernel") },
  [SMOOTHING_B_SPLINE] = { "b-spline", N_ ("B-spline near the points") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (smooth_methods, SMOOTHING_N_METHODS);

static const KgChoice smooth_ends[] = {
  [SMOOTHING_KEEP] = { "keep", N_ ("Keep the first and last points") },
  [SMOOTHING_PARABOLIC] = { "parabolic", N_ ("Smooth the ends by a parabola") },
  [SMOOTHING_EXTEND] = { "extend", N_ ("Repeat the end points") },
  [SMOOTHING_MIRROR] = { "mirror", N_ ("Mirror at the ends") },
  [SMOOTHING_ZERO] = { "zero", N_ ("Zeros beyond the ends") },
  [SMOOTHING_SKIP] = { "skip", N_ ("Keep points that lack neighbours") },
  [SMOOTHING_TURN] = { "turn", N_ ("Mirror through the end points") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (smooth_ends, SMOOTHING_N_ENDS);

static const KgChoice smooth_kernels[] = {
  { "tent", N_ ("Tent") }, { "box", N_ ("Box") }, { "gaussian", N_ ("Gaussian") }, { "custom", N_ ("Typed weights") },
  KG_CHOICES_END,
};

static const SmoothingKernel smooth_to_kernel[] = { SMOOTHING_TENT, SMOOTHING_BOX, SMOOTHING_GAUSSIAN,
                                                    SMOOTHING_CUSTOM };
KG_CHOICES_MATCH (smooth_kernels, G_N_ELEMENTS (smooth_to_kernel));

/* Typed weights, made to add up to 1. */
static GArray *
smooth_read_weights (const Smooth *n, const KgContext *ctx, GError **error)
{
  const guint rows = (guint) kg_table_get_n_rows (n->weights);
  g_autoptr (GArray) typed = g_array_sized_new (FALSE, FALSE, sizeof (double), rows);
  double sum = 0, size = 0;

  g_array_append_vals (typed, kg_table_get_cells (n->weights), rows);
  if (rows % 2 == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%u weights: give an odd number of weights, so that one is at the centre", rows);
    return NULL;
  }
  for (guint i = 0; i < rows; i++) {
    sum += g_array_index (typed, double, i);
    size += fabs (g_array_index (typed, double, i));
  }
  if (!(fabs (sum) > 1e-9 * size) || !isfinite (size)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the weights add up to %g and cannot be scaled to add up to 1: change one of them", sum);
    return NULL;
  }
  if (fabs (sum - 1) > 1e-9)
    kg_context_warn (ctx, "the weights add up to %g: they were scaled to add up to 1", sum);
  for (guint i = 0; i < rows; i++)
    g_array_index (typed, double, i) /= sum;
  return g_steal_pointer (&typed);
}

static void
smooth_warn (const KgContext *ctx, const Smoothing *smoothing, size_t count)
{
  const size_t least = smoothing_get_minimum (smoothing);

  if (count >= least)
    return;
  if (smoothing->method == SMOOTHING_CUBIC && count >= 3)
    kg_context_warn (ctx, "%zu points are too few for a cubic through four neighbours: the mean of two is used", count);
  else
    kg_context_warn (ctx, "%zu points are too few to smooth and were left unchanged: the method needs %zu", count,
                     least);
}

/* One row of points: smoothed in place, or, where their number changes, added to out as a new polyline or spline. */
static bool
smooth_row (const Smooth *n, const KgContext *ctx, Smoothing smoothing, const uint32_t *vertices, size_t count,
            KgGeometry *out, bool fresh)
{
  const float *p = kg_geometry_get_positions (n->geometry);
  g_autofree double *values = g_new (double, MAX (3 * count, 1)), *smoothed = NULL;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const bool as_spline = n->spline && smoothing.method == SMOOTHING_B_SPLINE && count >= 2;
  size_t n_out, first = 0;
  float *q;

  for (size_t i = 0; i < count; i++)
    for (size_t c = 0; c < 3; c++)
      values[3 * i + c] = (double) p[3 * (size_t) vertices[i] + c];
  smooth_warn (ctx, &smoothing, count);
  smoothed = as_spline ? smoothing_get_control (&smoothing, values, count, 3, &n_out)
                       : smoothing_apply (&smoothing, values, count, 3, &n_out, &monitor);
  if (smoothed == NULL)
    return false;
  if (fresh) {
    g_autofree uint32_t *row = g_new (uint32_t, MAX (n_out, 1));

    first = kg_geometry_get_n_points (out);
    if (!kg_geometry_set_n_points (out, first + n_out, NULL))
      return false;
    for (size_t i = 0; i < n_out; i++)
      row[i] = (uint32_t) (first + i);
    kg_geometry_add_primitive (out, &(KgPrimitive){ .kind = as_spline ? KG_SPLINE : KG_POLYLINE,
                                                    .basis = as_spline ? KG_BASIS_BSPLINE : KG_BASIS_LINEAR,
                                                    .order = as_spline ? 4 : 0,
                                                    .closed = smoothing.closed,
                                                    .n_vertices = (uint32_t) n_out,
                                                    .vertices = row });
  }
  q = kg_geometry_edit_positions (out);
  for (size_t i = 0; i < n_out; i++)
    for (size_t c = 0; c < 3; c++)
      q[3 * (fresh ? first + i : vertices[i]) + c] = (float) smoothed[3 * i + c];
  return true;
}

/* Whether a point is in more than one row, as in meshes. */
static bool
smooth_shares_points (const KgGeometry *geometry)
{
  g_autofree uint8_t *used = g_new0 (uint8_t, MAX (kg_geometry_get_n_points (geometry), 1));

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    for (uint32_t k = 0; k < primitive.n_vertices; k++)
      if (used[primitive.vertices[k]]++ != 0)
        return true;
  }
  return false;
}

static bool
smooth_geometry (Smooth *n, const KgContext *ctx, const Smoothing *options, GError **error)
{
  const size_t n_points = kg_geometry_get_n_points (n->geometry);
  const size_t n_primitives = kg_geometry_get_n_primitives (n->geometry);
  const bool resamples = options->output > 1 || (n->spline && options->method == SMOOTHING_B_SPLINE);
  Smoothing smoothing = *options;

  if (resamples)
    n->smoothed = kg_geometry_new ();
  else {
    n->smoothed = kg_geometry_ref (n->geometry);
    kg_geometry_make_writable (&n->smoothed);
  }
  if (n_primitives == 0) {
    g_autofree uint32_t *vertices = g_new (uint32_t, MAX (n_points, 1));

    for (size_t i = 0; i < n_points; i++)
      vertices[i] = (uint32_t) i;
    if (n_points > 0 && !smooth_row (n, ctx, smoothing, vertices, n_points, n->smoothed, resamples)) {
      kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for this many points: use fewer");
      return false;
    }
  }
  if (!resamples && smooth_shares_points (n->geometry))
    kg_context_warn (
        ctx,
        "lines or polygons share points: the last one determines the position of a shared point; smooth loose points or separate lines");
  for (size_t i = 0; i < n_primitives; i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (n->geometry, i, &primitive);
    smoothing.closed = primitive.closed || primitive.kind == KG_POLYGON || n->closed;
    if (!smooth_row (n, ctx, smoothing, primitive.vertices, primitive.n_vertices, n->smoothed, resamples)) {
      kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for this many points: use fewer");
      return false;
    }
  }
  return true;
}

/* Motions: the samples of a channel, or those of a keyed or computed one at the frame rate. */

static KgChannel *
smooth_channel (const KgContext *ctx, const Smoothing *smoothing, const KgChannel *channel, GError **error)
{
  const guint width = kg_channel_get_width (channel);
  const bool rotation = kg_channel_is_rotation (channel);
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autofree double *values = NULL, *smoothed = NULL;
  KgExtend before, after;
  double start, rate, low, high;
  const double *samples;
  gsize count, n_out;

  kg_channel_get_extend (channel, &before, &after);
  samples = kg_channel_get_samples (channel, &count, &start, &rate);
  if (samples == NULL) {
    kg_channel_get_range (channel, &low, &high);
    start = low;
    rate = ctx->rate;
    if (!((high - low) * rate < 1e7)) {
      kg_set_error (error, KG_ERROR_LIMIT, "the motion is %g s long: shorten it first", high - low);
      return NULL;
    }
    /* A short one, such as an ease over 0 to 1, in a hundred steps at least. */
    if ((high - low) * rate < 100)
      rate = high > low ? 100 / (high - low) : 1;
    count = 1 + (gsize) ceil ((high - low) * rate - 1e-9);
  }
  values = g_new (double, count *width);
  for (gsize i = 0; i < count; i++) {
    double *value = values + i * width, dot = 0;

    if (samples != NULL)
      memcpy (value, samples + i * width, width * sizeof *value);
    else
      kg_channel_evaluate (channel, start + (double) i / rate, value);
    /* A rotation and its negative are the same: the one nearer to the rotation before. */
    for (guint c = 0; rotation && i > 0 && c < width; c++)
      dot += value[c] * value[(int) c - (int) width];
    for (guint c = 0; dot < 0 && c < width; c++)
      value[c] = -value[c];
  }
  smooth_warn (ctx, smoothing, count);
  smoothed = smoothing_apply (smoothing, values, count, width, &n_out, &monitor);
  if (smoothed == NULL)
    return NULL;
  for (gsize i = 0; rotation && i < n_out; i++) {
    double *q = smoothed + 4 * i;
    const KgRotation unit = kg_rotation_normalize ((KgRotation){ q[0], q[1], q[2], q[3] });

    memcpy (q, &unit, sizeof unit);
  }
  if (n_out != count && n_out > 1 && count > 1)
    rate *= (double) (n_out - 1) / (double) (count - 1);
  return kg_channel_new_samples (width, rotation, start, rate, smoothed, n_out, before, after, error);
}

static bool
smooth_motion (Smooth *n, const KgContext *ctx, const Smoothing *smoothing, GError **error)
{
  n->smoothed_motion = kg_motion_new ();
  for (guint i = 0; i < kg_motion_get_n_channels (n->motion); i++) {
    KgChannel *channel = smooth_channel (ctx, smoothing, kg_motion_get_channel (n->motion, i), error);

    if (channel == NULL) {
      kg_prefix_error (error, "channel %s: ", kg_motion_get_name (n->motion, i));
      return false;
    }
    kg_motion_take_channel (n->smoothed_motion, kg_motion_get_name (n->motion, i), channel);
  }
  return true;
}

static bool
smooth_evaluate (Smooth *n, const KgContext *ctx, GError **error)
{
  g_autoptr (GArray) weights = NULL;
  Smoothing smoothing = { .method = (SmoothingMethod) n->method,
                          .ends = (SmoothingEnds) n->ends,
                          .closed = n->closed,
                          .iterations = (guint) n->iterations,
                          .kernel = smooth_to_kernel[n->kernel],
                          .width = n->width,
                          .every = (guint) n->every };

  if (smoothing.method == SMOOTHING_CONVOLUTION || smoothing.method == SMOOTHING_B_SPLINE)
    smoothing.output = (gsize) n->output_count;
  if (smoothing.method == SMOOTHING_CONVOLUTION && smoothing.kernel != SMOOTHING_CUSTOM && !(n->width > 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the kernel is %g wide: set width to more than 0", n->width);
    return false;
  }
  if (smoothing.method == SMOOTHING_CONVOLUTION && smoothing.kernel == SMOOTHING_CUSTOM) {
    weights = smooth_read_weights (n, ctx, error);
    if (weights == NULL)
      return false;
    smoothing.weights = (const double *) (const void *) weights->data;
    smoothing.n_weights = weights->len;
  }
  if (n->geometry != NULL && !smooth_geometry (n, ctx, &smoothing, error))
    return false;
  return n->motion == NULL || smooth_motion (n, ctx, &smoothing, error);
}

static const KgSlot smooth_slots[] = {
  KG_INPUT (Smooth, geometry, GEOMETRY, .label = N_ ("Geometry"), .optional = true,
            .help = N_ ("Polylines, polygons or the control points of splines; loose points are treated as one row.")),
  KG_INPUT (Smooth, motion, MOTION, .label = N_ ("Motion"), .optional = true,
            .help = N_ ("A motion whose channels are smoothed in the same way: sample by sample, keyed channels at "
                        "the frame rate.")),
  KG_INPUT (
      Smooth, method, CHOICE, .label = N_ ("Method"), .choices = smooth_methods,
      .help = N_ (
          "How points are smoothed. The mean of the neighbours smooths most but flattens bends, and the cubic preserves bends. A kernel has a width that you choose; a B-spline drops points, and is very smooth.")),
  KG_INPUT (Smooth, iterations, INTEGER, .label = N_ ("Iterations"), .def = 1, .min = 0, .max = 100000, .soft_max = 20,
            .help = N_ ("How many times the smoothing is applied.")),
  KG_INPUT (
      Smooth, ends, CHOICE, .shown_when = "method=linear|cubic|convolution", .label = N_ ("Ends"),
      .choices = smooth_ends,
      .help = N_ (
          "What is used as the neighbours of the first and last points of open rows. With the cubic, if the ends are kept, the second points are smoothed by a parabola.")),
  KG_INPUT (Smooth, closed, BOOLEAN, .label = N_ ("Closed"),
            .help = N_ ("Joins the last point to the first. Closed lines and polygons are always closed.")),
  KG_INPUT (Smooth, kernel, CHOICE, .shown_when = "method=convolution", .label = N_ ("Kernel"),
            .choices = smooth_kernels, .group = N_ ("Kernel"), .help = N_ ("Shape of the weights around a point.")),
  KG_INPUT (
      Smooth, width, NUMBER, .shown_when = "method=convolution", .label = N_ ("Width"), .def = 1, .min = 0, .max = 1000,
      .soft_max = 10, .group = N_ ("Kernel"),
      .help = N_ (
          "Half the width of the kernel, in steps from point to point: a box or a tent of width 1 lies over the two steps around a point, and gives its neighbours 1/4 or 1/8 each. For the Gaussian, the sigma; it is cut off at three of them.")),
  KG_INPUT (Smooth, weights, TABLE, .columns = kg_table_numbers, .shown_when = "method=convolution",
            .label = N_ ("Weights"), .def_text = "1 2 1", .group = N_ ("Kernel"),
            .help = N_ ("Weights of the typed kernel: an odd number of values. They are scaled to add up to 1.")),
  KG_INPUT (
      Smooth, every, INTEGER, .shown_when = "method=b-spline", .label = N_ ("Every"), .def = 2, .min = 1,
      .max = 1000000, .soft_max = 10, .group = N_ ("B-spline"),
      .help = N_ (
          "1 uses every point as a control point, 2 every second point. The first and last points are always used.")),
  KG_INPUT (Smooth, spline, BOOLEAN, .shown_when = "method=b-spline", .label = N_ ("As spline"),
            .group = N_ ("B-spline"), .help = N_ ("Outputs the curve itself instead of points on it.")),
  KG_INPUT (
      Smooth, output_count, INTEGER, .shown_when = "method=convolution|b-spline", .label = N_ ("Points"), .min = 0,
      .max = 10000000, .soft_max = 500,
      .help = N_ (
          "Number of points output for each row, spaced evenly between the old ones and without their other attributes; 0 keeps the number of points.")),
  KG_OUTPUT (Smooth, smoothed, GEOMETRY, .label = N_ ("Smoothed"), .help = N_ ("The smoothed geometry.")),
  KG_OUTPUT (Smooth, smoothed_motion, MOTION, .label = N_ ("Smoothed motion"), .help = N_ ("The smoothed motion.")),
};

KG_NODE (
    curve, smooth, Smooth, .label = N_ ("Smooth"), .version = 1, .since = "0.1",
    .tags = N_ ("path jitter noise filter relax kernel convolution gaussian average digitised capture"),
    .formula = "linear: P′ᵢ = ¼ Pᵢ₋₁ + ½ Pᵢ + ¼ Pᵢ₊₁\n"
               "cubic: P′ᵢ = ½ Pᵢ + ⅓ (Pᵢ₋₁ + Pᵢ₊₁) − 1/12 (Pᵢ₋₂ + Pᵢ₊₂)\n"
               "second point, by a parabola: ½ (P₁ + P₂ + ⅓ (P₀ − P₃)); first: ½ (P₀ + P₃ + 3 (P₁ − P₂))\n"
               "convolution: P′ᵢ = Σ gⱼ Pᵢ₊ⱼ, gⱼ = ∫ g(x) dx from j − ½ to j + ½; "
               "a tent of width 1: ⅛, ¾, ⅛\n"
               "b-spline: every m-th point as a control point of a uniform cubic B-spline",
    .source = "Parent, Computer Animation, 3.4.2",
    .help = N_ (
        "Removes jitter from a motion or from a path that was drawn or recorded by hand. Every method is a compromise: one that removes more of the jitter also removes more of the bends."));
