/* graph/linear_motion: a value that moves straight on between the times at which it is evaluated.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "value/value_mix.h"

typedef struct {
  KgValue value;
  double interval;
  double phase;
  KgValue moved;
} LinearMotion;

/* The frame before, and how far it is to the next one, 0..1. */
static double
linear_motion_find (const LinearMotion *n, const KgContext *ctx, double *part)
{
  const double steps = (ctx->frame - n->phase) / n->interval, before = floor (steps + 1e-9);

  *part = steps - before < 1e-9 ? 0 : steps - before;
  return n->phase + before * n->interval;
}

static bool
linear_motion_demand (const LinearMotion *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  double part;
  const double before = linear_motion_find (n, ctx, &part);

  (void) error;
  kg_demand_at (demand, offsetof (LinearMotion, value), (before - ctx->start) / ctx->rate);
  if (part > 0)
    kg_demand_at (demand, offsetof (LinearMotion, value), (before + n->interval - ctx->start) / ctx->rate);
  return true;
}

/* Points, and normals where both have them. */
static bool
linear_motion_mix_points (const KgGeometry *a, const KgGeometry *b, double t, KgGeometry **mixed)
{
  const size_t n = kg_geometry_get_n_points (a);
  const float *normals[2] = { kg_geometry_get_float (a, KG_POINTS, "N", 3),
                              kg_geometry_get_float (b, KG_POINTS, "N", 3) };
  const float *p = kg_geometry_get_positions (a), *q = kg_geometry_get_positions (b);
  float *to;

  if (kg_geometry_get_n_points (b) != n)
    return false;
  *mixed = kg_geometry_ref (a);
  kg_geometry_make_writable (mixed);
  to = kg_geometry_edit_positions (*mixed);
  for (size_t i = 0; i < 3 * n; i++)
    to[i] = (float) kg_lerp ((double) p[i], (double) q[i], t);
  if (normals[0] == NULL || normals[1] == NULL)
    return true;
  to = kg_geometry_edit_float (*mixed, KG_POINTS, "N", 3);
  for (size_t i = 0; i < n; i++) {
    const float *x = normals[0] + 3 * i, *y = normals[1] + 3 * i;
    const KgVector mean = kg_vector_lerp (kg_floats_get_vector (x, 0), kg_floats_get_vector (y, 0), t);
    const double length = kg_vector_length (mean);

    if (length > 0) {
      to[3 * i] = (float) (mean.x / length);
      to[3 * i + 1] = (float) (mean.y / length);
      to[3 * i + 2] = (float) (mean.z / length);
    }
  }
  return true;
}

static bool
linear_motion_mix (LinearMotion *n, const KgContext *ctx, const KgValue *a, const KgValue *b, double t, GError **error)
{
  KgGeometry *geometry = NULL;

  switch (a->kind) {
  case KG_GEOMETRY:
    if (b->kind == KG_GEOMETRY && linear_motion_mix_points (a->geometry, b->geometry, t, &geometry)) {
      n->moved = kg_value_take (KG_GEOMETRY, geometry);
      return true;
    }
    kg_context_warn (ctx, "the number of points changes within the interval, so they stay as they are at its "
                          "beginning: shorten the interval");
    break;
  case KG_NUMBER:
  case KG_VECTOR:
  case KG_COLOR:
  case KG_ROTATION:
  case KG_TRANSFORM:
    if (b->kind == a->kind)
      return value_mix (a, b, t, &n->moved, error);
    break;
  default:
    break;
  }
  n->moved = kg_value_copy (a);
  return true;
}

static bool
linear_motion_evaluate (LinearMotion *n, const KgContext *ctx, GError **error)
{
  const size_t field = offsetof (LinearMotion, value);
  double part;

  linear_motion_find (n, ctx, &part);
  if (kg_context_get_n_samples (ctx, field) > 1)
    return linear_motion_mix (n, ctx, &n->value, kg_context_get_sample (ctx, field, 1), part, error);
  n->moved = kg_value_copy (&n->value);
  return true;
}

static const KgSlot linear_motion_slots[] = {
  KG_INPUT (
      LinearMotion, value, ANY, .label = N_ ("Value"),
      .help = N_ ("What moves: a geometry, number, vector, colour, rotation or transform. Others stay as they are at "
                  "the beginning of each interval.")),
  KG_INPUT (
      LinearMotion, interval, NUMBER, .label = N_ ("Interval"), .unit = KG_FRAMES, .early = true, .def = 1, .min = 1e-3,
      .max = 1e6, .soft_max = 4,
      .help = N_ ("Frames from one evaluation to the next: 1 for whole frames, or as long as the shutter is open.")),
  KG_INPUT (LinearMotion, phase, NUMBER, .label = N_ ("Phase"), .unit = KG_FRAMES, .early = true, .def = 1, .min = -1e6,
            .max = 1e6, .soft_min = 0, .soft_max = 2, .help = N_ ("A frame at which an interval begins.")),
  KG_OUTPUT (LinearMotion, moved, ANY, .label = N_ ("Moved"), .like = "value",
             .help = N_ ("The value between the ends of the interval.")),
};

KG_NODE_WITH_DEMAND (
    graph, linear_motion, LinearMotion, .label = N_ ("Linear Motion"), .version = 1, .since = "0.1",
    .time = KG_TIME_READS, .tags = N_ ("subframe sub-frame motion blur shutter interpolate cheap slerp resample"),
    .formula = "x(t) = (1 − u) x(t₀) + u x(t₀ + s), u = (t − t₀)/s; rotations by slerp",
    .source = "Parent, Computer Animation, A.3",
    .help = N_ (
        "Evaluates everything upstream only at the ends of an interval and interpolates linearly between them: motion "
        "blur with many samples then needs two simulated moments instead of one for each sample."));
