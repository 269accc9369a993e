/* geometry/trail: where the points were.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  const KgGeometry *geometry;
  double length;
  double step;
  int mode;
  bool fade;
  KgGeometry *trail;
} Trail;

enum { TRAIL_COPIES, TRAIL_LINES, N_MODES };

static const KgChoice trail_modes[] = {
  [TRAIL_COPIES] = { "copies", N_ ("Copies of the geometry") },
  [TRAIL_LINES] = { "lines", N_ ("Lines behind the points") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (trail_modes, N_MODES);

static guint
trail_get_count (const Trail *n)
{
  return 1 + (guint) kg_clamp (floor (n->length / n->step + 1e-9), 0, KG_DEMAND_MAX - 1);
}

static bool
trail_demand (const Trail *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  const guint count = trail_get_count (n);

  (void) error;
  /* Now first, then back in time. */
  for (guint i = 0; i < count; i++)
    kg_demand_at (demand, offsetof (Trail, geometry), ctx->time - i * n->step / ctx->rate);
  return true;
}

/* Sets age (in frames) and, for fading, the opacity of the points from first on. */
static void
trail_set_age (const Trail *n, KgGeometry *out, size_t first, size_t count, double age)
{
  float *ages = kg_geometry_edit_float (out, KG_POINTS, "age", 1);
  const float alpha = (float) (1 - age / (n->length + n->step));

  for (size_t i = first; i < first + count; i++)
    ages[i] = (float) age;
  if (n->fade) {
    const float *rgb = kg_geometry_get_float (out, KG_POINTS, "Cd", 3);
    const bool fresh = rgb == NULL && kg_geometry_get_float (out, KG_POINTS, "Cd", 4) == NULL;
    float *color;

    if (rgb != NULL)
      return;
    color = kg_geometry_edit_float (out, KG_POINTS, "Cd", 4);
    for (size_t i = fresh ? 0 : first; i < first + count; i++) {
      for (size_t c = 0; c < 4 && fresh; c++)
        color[4 * i + c] = 1;
      color[4 * i + 3] *= alpha;
    }
  }
}

static bool
trail_make_copies (Trail *n, const KgContext *ctx, guint count, GError **error)
{
  /* Oldest first, so that the newest is drawn on top. */
  for (guint i = count; i > 0; i--) {
    const KgGeometry *then = kg_context_get_sample (ctx, offsetof (Trail, geometry), i - 1)->geometry;
    const size_t first = kg_geometry_get_n_points (n->trail);

    if (kg_context_is_cancelled (ctx) || !kg_geometry_append (n->trail, then, error))
      return false;
    trail_set_age (n, n->trail, first, kg_geometry_get_n_points (then), (i - 1) * n->step);
  }
  return true;
}

static bool
trail_make_lines (Trail *n, const KgContext *ctx, guint count, GError **error)
{
  size_t points = kg_geometry_get_n_points (n->geometry);
  g_autofree uint32_t *vertices = g_new (uint32_t, count);
  float *p;

  /* Points that were not there all the time have no line: the least number counts. */
  for (guint i = 1; i < count; i++)
    points =
        MIN (points, kg_geometry_get_n_points (kg_context_get_sample (ctx, offsetof (Trail, geometry), i)->geometry));
  for (guint i = 0; i < count; i++) {
    const KgGeometry *then = kg_context_get_sample (ctx, offsetof (Trail, geometry), i)->geometry;
    const size_t first = kg_geometry_get_n_points (n->trail);
    g_autoptr (KgGeometry) some = kg_geometry_ref (then);

    if (kg_context_is_cancelled (ctx))
      return false;
    kg_geometry_make_writable (&some);
    kg_geometry_clear_primitives (some);
    if (!kg_geometry_set_n_points (some, points, error) || !kg_geometry_append (n->trail, some, error))
      return false;
    trail_set_age (n, n->trail, first, points, i * n->step);
    p = kg_geometry_edit_positions (n->trail) + 3 * first;
    memcpy (p, kg_geometry_get_positions (then), points * 3 * sizeof (float));
  }
  for (size_t k = 0; k < points && count > 1; k++) {
    const KgPrimitive line = { .kind = KG_POLYLINE, .n_vertices = count, .vertices = vertices };

    if (k % 256 == 0 && kg_context_is_cancelled (ctx))
      return false;
    for (guint i = 0; i < count; i++)
      vertices[i] = (uint32_t) (i * points + k);
    kg_geometry_add_primitive (n->trail, &line);
  }
  return true;
}

static bool
trail_evaluate (Trail *n, const KgContext *ctx, GError **error)
{
  const guint count = kg_context_get_n_samples (ctx, offsetof (Trail, geometry));

  n->trail = kg_geometry_new ();
  return n->mode == TRAIL_COPIES ? trail_make_copies (n, ctx, count, error) : trail_make_lines (n, ctx, count, error);
}

static const KgSlot trail_slots[] = {
  KG_INPUT (Trail, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The geometry that leaves a trail.")),
  KG_INPUT (Trail, length, NUMBER, .label = N_ ("Length"), .unit = KG_FRAMES, .early = true, .def = 12, .min = 0,
            .max = 10000, .soft_max = 100, .help = N_ ("How far back in time the trail reaches.")),
  KG_INPUT (Trail, step, NUMBER, .label = N_ ("Step"), .unit = KG_FRAMES, .early = true, .def = 1, .min = 0.01,
            .max = 1000, .soft_max = 10,
            .help = N_ ("Interval between copies; values below 1 sample between the frames.")),
  KG_INPUT (Trail, mode, CHOICE, .label = N_ ("Mode"), .choices = trail_modes,
            .help = N_ ("Whether the trail consists of whole copies, or of a line behind each point.")),
  KG_INPUT (Trail, fade, BOOLEAN, .label = N_ ("Fade"), .def = 1, .help = N_ ("Makes older parts more transparent.")),
  KG_OUTPUT (Trail, trail, GEOMETRY, .label = N_ ("Trail"),
             .help = N_ ("The trail, with its age in frames in the attribute age.")),
};

KG_NODE_WITH_DEMAND (
    geometry, trail, Trail, .label = N_ ("Trail"), .version = 1, .since = "0.1",
    .tags = N_ ("echo ghost onion path streak history motion"),
    .help = N_ (
        "Shows earlier positions of a geometry: copies at earlier times, or lines behind its points. The geometry is evaluated at those times, so any kind of motion leaves a trail."));
