/* curve/sample: curves as polylines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve.h"
#include "kg-node.h"
#include "kg-floats.h"

/* Points between two checks for cancelling; a multiple of what techniques work on at a time. */
#define SAMPLE_BLOCK ((size_t) 1 << 14)

typedef struct {
  const KgGeometry *geometry;
  int64_t points;
  bool even;
  double start;
  double end;
  KgGeometry *sampled;
} Sample;

static bool
sample_one (const Sample *n, size_t index, const KgContext *ctx, KgGeometry *out, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (Curve) curve = curve_new (n->geometry, index, error);
  const size_t first = kg_geometry_get_n_points (out), count = (size_t) n->points;
  g_autofree uint32_t *vertices = g_new (uint32_t, count);
  g_autofree double *u = g_new (double, count);
  g_autofree KgVector *point = g_new (KgVector, 2 * count);
  KgVector *direction = point + count;
  KgPrimitive primitive = { .kind = KG_POLYLINE, .n_vertices = (uint32_t) count, .vertices = vertices };
  double low, high, least;
  float *p, *tangent;

  if (curve == NULL || !curve_prepare_lengths (curve, &monitor) ||
      !kg_geometry_set_n_points (out, first + count, error))
    return false;
  p = kg_geometry_edit_positions (out) + 3 * first;
  tangent = kg_geometry_edit_float (out, KG_POINTS, "tangent", 3) + 3 * first;
  low = kg_clamp (MIN (n->start, n->end), 0, 1);
  high = kg_clamp (MAX (n->start, n->end), 0, 1);
  /* A whole closed curve is a closed polyline: its last point is not the first again. */
  primitive.closed = curve_is_closed (curve) && low == 0 && high == 1;
  for (size_t i = 0; i < count; i++)
    u[i] = (low + (high - low) * (double) i / (double) (primitive.closed ? count : count - 1)) *
           (n->even ? curve_get_length (curve) : curve_get_n_segments (curve));
  for (size_t i = 0; i < count; i += SAMPLE_BLOCK) {
    const size_t here = MIN (SAMPLE_BLOCK, count - i);

    if (kg_context_is_cancelled (ctx))
      return false;
    if (n->even)
      curve_get_parameters (curve, u + i, here, u + i);
    curve_evaluate_many (curve, u + i, here, 0, point + i);
    curve_evaluate_many (curve, u + i, here, 1, direction + i);
  }
  /* Slower than this the direction is that of a chord. */
  least = 1e-6 * curve_get_length (curve) / curve_get_n_segments (curve);
  for (size_t i = 0; i < count; i++) {
    const double speed = kg_vector_length (direction[i]);
    const KgVector d = speed > least ? kg_vector_scale (direction[i], 1 / speed) : curve_get_tangent (curve, u[i]);

    if (i % SAMPLE_BLOCK == SAMPLE_BLOCK - 1 && kg_context_is_cancelled (ctx))
      return false;
    kg_floats_set_vector (p, i, point[i]);
    kg_floats_set_vector (tangent, i, d);
    vertices[i] = (uint32_t) (first + i);
  }
  kg_geometry_add_primitive (out, &primitive);
  return true;
}

static bool
sample_evaluate (Sample *n, const KgContext *ctx, GError **error)
{
  n->sampled = kg_geometry_new ();
  for (size_t i = 0; i < kg_geometry_get_n_primitives (n->geometry); i++) {
    if (kg_context_is_cancelled (ctx))
      return false;
    if (!sample_one (n, i, ctx, n->sampled, error)) {
      kg_prefix_error (error, "curve %zu: ", i);
      return false;
    }
  }
  return true;
}

static const KgSlot sample_slots[] = {
  KG_INPUT (Sample, geometry, GEOMETRY, .label = N_ ("Curves"), .help = N_ ("Splines, polylines or polygons.")),
  KG_INPUT (Sample, points, INTEGER, .label = N_ ("Points"), .def = 64, .min = 2, .max = 1000000, .soft_max = 500,
            .help = N_ ("Number of points on each curve.")),
  KG_INPUT (
      Sample, even, BOOLEAN, .label = N_ ("Even"), .def = 1,
      .help = N_ ("Spaces the points at equal distances along the curve; otherwise at equal steps of the parameter.")),
  KG_INPUT (
      Sample, start, NUMBER, .label = N_ ("Start"), .max = 1,
      .help = N_ (
          "Start of the sampled part, as a fraction of the length. Key Start and End to draw the line progressively.")),
  KG_INPUT (Sample, end, NUMBER, .label = N_ ("End"), .def = 1, .max = 1, .help = N_ ("End of the sampled part.")),
  KG_OUTPUT (Sample, sampled, GEOMETRY, .label = N_ ("Sampled"),
             .help = N_ ("A polyline for each curve, with its direction in the attribute tangent.")),
};

KG_NODE (
    curve, sample, Sample, .label = N_ ("Sample Curve"), .version = 1, .since = "0.1",
    .tags = N_ ("resample polyline convert divide points trim"),
    .formula = "points P(u(sᵢ)) with sᵢ = start + i (end − start)/(n − 1) of the length, and u(s) from "
               "∫ |P′| du = s",
    .source = "Parent, Computer Animation, 3.2.1",
    .help = N_ (
        "Places points on curves at even distances and joins them to polylines. Use it to place copies along a curve, or to make a line grow by keying its end."));
