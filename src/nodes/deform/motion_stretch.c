/* deform/motion_stretch: what moves fast is drawn longer, and leaves lines behind.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "kg-random.h"

#include <math.h>

typedef struct {
  KgGeometry *geometry;
  KgVector center;
  int rule;
  double overlap;
  double gain;
  double max;
  int preserve;
  int64_t lines;
  double line_length;
  double min_speed;
  double line_width;
  int64_t seed;
  KgGeometry *stretched;
  KgGeometry *speed_lines;
  double stretch;
  double speed;
} MotionStretch;

enum { RULE_TOUCH, RULE_GAIN, N_RULES };
enum { PRESERVE_VOLUME, PRESERVE_AREA, PRESERVE_NOTHING, N_PRESERVES };

static const KgChoice motion_stretch_rules[] = {
  [RULE_TOUCH] = { "touch", N_ ("Until successive images touch") },
  [RULE_GAIN] = { "gain", N_ ("By the speed") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (motion_stretch_rules, N_RULES);

static const KgChoice motion_stretch_preserves[] = {
  [PRESERVE_VOLUME] = { "volume", N_ ("Volume") },
  [PRESERVE_AREA] = { "area", N_ ("Area: flat figures") },
  [PRESERVE_NOTHING] = { "none", N_ ("Nothing") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (motion_stretch_preserves, N_PRESERVES);

/* Points of a speed line. */
#define LINE_POINTS 12

static bool
motion_stretch_demand (const MotionStretch *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  const size_t field = offsetof (MotionStretch, center);

  (void) error;
  kg_demand_at (demand, field, ctx->time);
  kg_demand_at (demand, field, ctx->time - 0.5 / ctx->rate);
  kg_demand_at (demand, field, ctx->time + 0.5 / ctx->rate);
  for (int k = 1; k <= LINE_POINTS; k++)
    kg_demand_at (demand, field, ctx->time - k * n->line_length / (LINE_POINTS * ctx->rate));
  return true;
}

static KgVector
get_center (const KgContext *ctx, guint sample)
{
  return kg_context_get_sample (ctx, offsetof (MotionStretch, center), sample)->vector;
}

/* From end to end along a direction. */
static double
get_extent (const KgGeometry *geometry, KgVector along)
{
  const float *p = kg_geometry_get_positions (geometry);
  double low = INFINITY, high = -INFINITY;

  for (size_t i = 0; i < kg_geometry_get_n_points (geometry); i++) {
    const double at = kg_vector_dot (kg_floats_get_vector (p, i), along);

    low = fmin (low, at);
    high = fmax (high, at);
  }
  return fmax (high - low, 0);
}

/* k along a direction, and across what keeps the volume, or the area. */
static KgTransform
get_stretch (KgVector d, double k, int preserve)
{
  const double across = preserve == PRESERVE_VOLUME ? 1 / sqrt (k) : preserve == PRESERVE_AREA ? 1 / k : 1;
  KgTransform t = kg_transform_identity ();

  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++)
      t.m[i][j] = (i == j ? across : 0) + (k - across) * kg_vector_get (d, i) * kg_vector_get (d, j);
  return t;
}

/* From points of the rear along the way that the centre came. */
static bool
motion_stretch_add_lines (MotionStretch *n, const KgContext *ctx, KgVector d, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->stretched), lines = (size_t) n->lines, each = LINE_POINTS + 1;
  const KgVector now = get_center (ctx, 0);
  const float *from = kg_geometry_get_positions (n->stretched);
  float *p, *width;

  if (count == 0 || lines == 0 || n->speed < n->min_speed || !(n->speed > 0))
    return true;
  if (!kg_geometry_set_n_points (n->speed_lines, lines * each, error))
    return false;
  p = kg_geometry_edit_positions (n->speed_lines);
  width = kg_geometry_edit_float (n->speed_lines, KG_POINTS, "width", 1);
  for (size_t i = 0; i < lines; i++) {
    const double late = 0.4 * kg_random_uniform ((uint64_t) n->seed, i, 1);
    size_t chosen = 0;
    KgVector start;

    /* Of a few points the rearmost. */
    for (uint64_t k = 0; k < 6; k++) {
      const size_t other = (size_t) (kg_random_uniform ((uint64_t) n->seed, i, 2 + k) * (double) count) % count;

      if (k == 0 || kg_vector_dot (kg_floats_get_vector (from, other), d) <
                        kg_vector_dot (kg_floats_get_vector (from, chosen), d))
        chosen = other;
    }
    start = kg_floats_get_vector (from, chosen);
    for (size_t k = 0; k < each; k++) {
      const double back = (late + (1 - late) * (double) k / LINE_POINTS) * LINE_POINTS;
      const guint low = (guint) fmin (floor (back), LINE_POINTS - 1);
      const KgVector before = low == 0 ? now : get_center (ctx, 2 + low), after = get_center (ctx, 3 + low);
      const KgVector at = kg_vector_add (start, kg_vector_subtract (kg_vector_lerp (before, after, back - low), now));

      kg_floats_set_vector (p, i * each + k, at);
      width[i * each + k] = (float) (n->line_width * (1 - (double) k / LINE_POINTS));
    }
  }
  for (size_t i = 0; i < lines; i++) {
    uint32_t vertices[LINE_POINTS + 1];

    for (size_t k = 0; k < each; k++)
      vertices[k] = (uint32_t) (i * each + k);
    kg_geometry_add_primitives (n->speed_lines, KG_POLYLINE, false, 1, (uint32_t) each, vertices);
  }
  return true;
}

static bool
motion_stretch_evaluate (MotionStretch *n, const KgContext *ctx, GError **error)
{
  const KgVector center = get_center (ctx, 0), way = kg_vector_subtract (get_center (ctx, 2), get_center (ctx, 1));
  const double distance = kg_vector_length (way);
  const KgVector d = kg_vector_normalize_or (way, kg_vector (1, 0, 0));
  const double extent = get_extent (n->geometry, d);

  n->stretch = 1;
  n->speed = distance * ctx->rate;
  if (distance > 0 && extent > 0)
    n->stretch = n->rule == RULE_TOUCH ? fmax (1, distance / extent * n->overlap) : 1 + n->gain * distance / extent;
  n->stretch = fmin (n->stretch, n->max);
  n->stretched = g_steal_pointer (&n->geometry);
  if (n->stretch > 1) {
    KgTransform t = kg_transform_about (get_stretch (d, n->stretch, n->preserve), center);

    t.m[0][3] += center.x;
    t.m[1][3] += center.y;
    t.m[2][3] += center.z;
    kg_geometry_make_writable (&n->stretched);
    kg_geometry_transform (n->stretched, &t);
  }
  n->speed_lines = kg_geometry_new ();
  return motion_stretch_add_lines (n, ctx, d, error);
}

static const KgSlot motion_stretch_slots[] = {
  KG_INPUT (MotionStretch, geometry, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("The moving geometry, at its current position.")),
  KG_INPUT (MotionStretch, center, VECTOR, .unit = KG_METRES, .label = N_ ("Centre"),
            .help = N_ ("Position of its centre: link what moves it. The velocity is computed from this.")),
  KG_INPUT (MotionStretch, rule, CHOICE, .label = N_ ("Rule"), .choices = motion_stretch_rules,
            .help = N_ ("How far it is stretched.")),
  KG_INPUT (MotionStretch, overlap, NUMBER, .label = N_ ("Overlap"), .def = 1.1, .min = 0, .max = 100, .soft_max = 3,
            .shown_when = "rule=touch",
            .help = N_ ("1: the images of successive frames just touch; more: they overlap.")),
  KG_INPUT (MotionStretch, gain, NUMBER, .label = N_ ("Gain"), .def = 1, .min = 0, .max = 1000, .soft_max = 3,
            .shown_when = "rule=gain", .help = N_ ("1: it is longer by the distance that it travels in a frame.")),
  KG_INPUT (MotionStretch, max, NUMBER, .label = N_ ("Largest stretch"), .def = 4, .min = 1, .max = 1000,
            .soft_max = 10, .help = N_ ("Limit of the stretch.")),
  KG_INPUT (MotionStretch, preserve, CHOICE, .label = N_ ("Preserve"), .choices = motion_stretch_preserves,
            .help = N_ ("What the object keeps as it becomes thinner: its volume or its area.")),
  KG_INPUT (MotionStretch, lines, INTEGER, .label = N_ ("Speed lines"), .min = 0, .max = 10000, .soft_max = 40,
            .def = 8, .help = N_ ("Number of lines that trail behind.")),
  KG_INPUT (MotionStretch, line_length, NUMBER, .unit = KG_FRAMES, .early = true, .label = N_ ("Line length"), .def = 3,
            .min = 0, .max = 1000, .soft_max = 12, .help = N_ ("Number of frames of the path that they show.")),
  KG_INPUT (MotionStretch, min_speed, NUMBER, .unit = KG_METRES_PER_SECOND, .label = N_ ("Slowest speed"), .def = 1,
            .min = 0, .max = 1e9, .soft_max = 20, .help = N_ ("There are no lines below this speed.")),
  KG_INPUT (MotionStretch, line_width, NUMBER, .unit = KG_METRES, .label = N_ ("Line width"), .def = 0.03, .min = 0,
            .max = 1e6, .soft_max = 0.2, .help = N_ ("Width at the geometry; they taper to nothing.")),
  KG_INPUT (MotionStretch, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e15, .soft_max = 100,
            .help = N_ ("Each number gives different lines.")),
  KG_OUTPUT (MotionStretch, stretched, GEOMETRY, .label = N_ ("Stretched"), .help = N_ ("The stretched geometry.")),
  KG_OUTPUT (MotionStretch, speed_lines, GEOMETRY, .label = N_ ("Speed lines"),
             .help = N_ ("Lines along the path that it took, with the attribute width.")),
  KG_OUTPUT (MotionStretch, stretch, NUMBER, .label = N_ ("Stretch"),
             .help = N_ ("Factor along the direction of travel.")),
  KG_OUTPUT (MotionStretch, speed, NUMBER, .unit = KG_METRES_PER_SECOND, .label = N_ ("Speed"),
             .help = N_ ("Speed of the centre.")),
};

KG_NODE_WITH_DEMAND (
    deform, motion_stretch, MotionStretch, .label = N_ ("Motion Stretch"), .version = 1, .since = "0.1",
    .tags = N_ ("cartoon smear squash speed lines fast blur streak exaggerate"),
    .formula = "D = |v|/F; touch: k = max(1, D/e · overlap), gain: k = 1 + gain D/e; across k^(−1/2) or 1/k",
    .source = "Parent, Computer Animation, 1.1",
    .help = N_ (
        "Stretches fast objects along their direction of travel until successive images touch, as animators draw them "
        "by hand, and adds speed lines behind them."));
