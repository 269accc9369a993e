/* geometry/trail: where the points were.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/point_order.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *geometry;
  double length;
  double step;
  int mode;
  bool fade;
  KgGeometry *trail;
} Trail;

enum { TRAIL_COPIES, TRAIL_LINES, TRAIL_LIVES, N_MODES };

static const KgChoice trail_modes[] = {
  [TRAIL_COPIES] = { "copies", N_ ("Copies of the geometry") },
  [TRAIL_LINES] = { "lines", N_ ("Lines behind the points") },
  [TRAIL_LIVES] = { "lives", N_ ("Paths of lives, by id") },
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

/* The points at one of the times, and which of them a line goes through. */
typedef struct {
  KgGeometry *points;
  const int32_t *ids; /* ascending; NULL: points are identified by their index */
  size_t n, first;    /* how many are part of lines, and the first of them in the trail */
} TrailMoment;

static void
trail_moment_clear (gpointer data)
{
  kg_geometry_unref (((TrailMoment *) data)->points);
}

static int
trail_compare_ids (gconstpointer a, gconstpointer b, gpointer data)
{
  const int32_t *ids = (const int32_t *) data;
  const uint32_t i = *(const uint32_t *) a, j = *(const uint32_t *) b;

  return ids[i] != ids[j] ? (ids[i] < ids[j] ? -1 : 1) : (i > j) - (i < j);
}

/* Puts the points in the order of their ids.  False: they have none, or some have the same. */
static bool
trail_moment_order (TrailMoment *moment)
{
  const size_t n = kg_geometry_get_n_points (moment->points);
  const int32_t *ids = kg_geometry_get_int (moment->points, KG_POINTS, "id", 1);
  bool ascending = true;

  for (size_t i = 1; ids != NULL && i < n; i++)
    ascending = ascending && ids[i - 1] < ids[i];
  if (ids != NULL && !ascending) {
    g_autofree uint32_t *order = g_new (uint32_t, n);
    KgGeometry *ordered;

    for (size_t i = 0; i < n; i++)
      order[i] = (uint32_t) i;
    g_qsort_with_data (order, (int) n, sizeof *order, trail_compare_ids, (gpointer) ids);
    for (size_t i = 1; i < n; i++)
      if (ids[order[i - 1]] == ids[order[i]])
        return false;
    ordered = point_order_apply (moment->points, order);
    kg_geometry_unref (moment->points);
    moment->points = ordered;
    ids = kg_geometry_get_int (ordered, KG_POINTS, "id", 1);
  }
  moment->ids = ids;
  return ids != NULL;
}

/* (transfer full) TrailMoment, now first.  Points that have ids, each its own, are identified by these: particles are born and die, and
 * those behind them move up. */
static GArray *
trail_get_moments (const KgContext *ctx, guint count)
{
  GArray *moments = g_array_sized_new (FALSE, TRUE, sizeof (TrailMoment), count);
  bool named = true;

  g_array_set_clear_func (moments, trail_moment_clear);
  for (guint i = 0; i < count; i++) {
    TrailMoment moment = { .points =
                               kg_geometry_ref (kg_context_get_sample (ctx, offsetof (Trail, geometry), i)->geometry) };

    named = named && trail_moment_order (&moment);
    g_array_append_val (moments, moment);
  }
  for (guint i = 0; !named && i < count; i++) {
    TrailMoment *moment = &g_array_index (moments, TrailMoment, i);

    kg_geometry_unref (moment->points);
    moment->points = kg_geometry_ref (kg_context_get_sample (ctx, offsetof (Trail, geometry), i)->geometry);
    moment->ids = NULL;
  }
  return moments;
}

/* Of each point of the first moment, how many moments its line goes back without a gap; points without a line: 0.  Sets how
 * many are part of lines at each moment. */
static void
trail_measure_lines (GArray *moments, uint32_t *lengths)
{
  const TrailMoment *now = &g_array_index (moments, TrailMoment, 0);
  const size_t n = kg_geometry_get_n_points (now->points);

  for (size_t k = 0; k < n; k++)
    lengths[k] = 1;
  for (guint i = 1; i < moments->len; i++) {
    const TrailMoment *then = &g_array_index (moments, TrailMoment, i);
    const size_t n_then = kg_geometry_get_n_points (then->points);

    for (size_t k = 0, at = 0; k < n; k++) {
      while (now->ids != NULL && at < n_then && then->ids[at] < now->ids[k])
        at++;
      if (lengths[k] == i && (now->ids != NULL ? at < n_then && then->ids[at] == now->ids[k] : k < n_then))
        lengths[k]++;
    }
  }
  for (size_t k = 0; k < n; k++) {
    if (moments->len > 1 && lengths[k] < 2)
      lengths[k] = 0;
    for (guint i = 0; i < lengths[k]; i++)
      g_array_index (moments, TrailMoment, i).n++;
  }
}

/* (transfer full) The points of a moment that are part of lines, in the order of those of the first moment. */
static KgGeometry *
trail_select (const TrailMoment *now, const TrailMoment *moment, guint index, const uint32_t *lengths)
{
  const size_t n = kg_geometry_get_n_points (now->points), n_then = kg_geometry_get_n_points (moment->points);
  g_autofree uint8_t *keep = g_new0 (uint8_t, MAX (n_then, 1));
  KgGeometry *some = kg_geometry_ref (moment->points);

  for (size_t k = 0, at = 0; k < n; k++)
    if (lengths[k] > index) {
      while (now->ids != NULL && moment->ids[at] < now->ids[k])
        at++;
      keep[now->ids != NULL ? at : k] = 1;
    }
  kg_geometry_make_writable (&some);
  kg_geometry_clear_primitives (some);
  kg_geometry_keep_points (some, keep);
  return some;
}

static bool
trail_make_lines (Trail *n, const KgContext *ctx, guint count, GError **error)
{
  g_autoptr (GArray) moments = trail_get_moments (ctx, count);
  const TrailMoment *now = &g_array_index (moments, TrailMoment, 0);
  const size_t points = kg_geometry_get_n_points (now->points);
  g_autofree uint32_t *vertices = g_new (uint32_t, count), *lengths = g_new (uint32_t, MAX (points, 1));

  trail_measure_lines (moments, lengths);
  for (guint i = 0; i < count; i++) {
    TrailMoment *moment = &g_array_index (moments, TrailMoment, i);
    g_autoptr (KgGeometry) some = trail_select (now, moment, i, lengths);

    moment->first = kg_geometry_get_n_points (n->trail);
    if (kg_context_is_cancelled (ctx) || !kg_geometry_append (n->trail, some, error))
      return false;
    trail_set_age (n, n->trail, moment->first, moment->n, i * n->step);
  }
  for (size_t k = 0; k < points && count > 1; k++) {
    const KgPrimitive line = { .kind = KG_POLYLINE, .n_vertices = lengths[k], .vertices = vertices };

    if (k % 256 == 0 && kg_context_is_cancelled (ctx))
      return false;
    /* What is part of a line at a moment comes in the same order at each. */
    for (guint i = 0; i < lengths[k]; i++)
      vertices[i] = (uint32_t) g_array_index (moments, TrailMoment, i).first++;
    if (lengths[k] > 0)
      kg_geometry_add_primitive (n->trail, &line);
  }
  return true;
}

/* The index of the point with this id, whose ids ascend; -1: it was not there. */
static int64_t
trail_find (const KgGeometry *geometry, int32_t id)
{
  const int32_t *ids = kg_geometry_get_int (geometry, KG_POINTS, "id", 1);
  size_t low = 0, high = ids != NULL ? kg_geometry_get_n_points (geometry) : 0;

  while (low < high) {
    const size_t middle = low + (high - low) / 2;

    if (ids[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return ids != NULL && low < kg_geometry_get_n_points (geometry) && ids[low] == id ? (int64_t) low : -1;
}

/* Adds point i of a geometry to a path that grows backwards in time. */
static void
trail_add_to_life (Trail *n, size_t at, const KgGeometry *now, size_t i, const KgGeometry *then, size_t k, double age,
                   double share)
{
  const float *color = kg_geometry_get_float (now, KG_POINTS, "Cd", 4);
  const float *width = kg_geometry_get_float (now, KG_POINTS, "width", 1);
  float *rgba = kg_geometry_edit_float (n->trail, KG_POINTS, "Cd", 4) + 4 * at;

  memcpy (kg_geometry_edit_positions (n->trail) + 3 * at, kg_geometry_get_positions (then) + 3 * k, 3 * sizeof (float));
  for (size_t c = 0; c < 4; c++)
    rgba[c] = color != NULL ? color[4 * i + c] : 1;
  rgba[3] *= (float) (n->fade ? share : 1);
  kg_geometry_edit_float (n->trail, KG_POINTS, "age", 1)[at] = (float) age;
  kg_geometry_edit_float (n->trail, KG_POINTS, "width", 1)[at] = (width != NULL ? width[i] : 0.05f) *
                                                                 (float) (1 - share);
}

/* A line for each point that is there now, from where it is back to where it was first, thickest at that end: the points with
 * the same id.  A blade of grass is the way of a particle (Reeves and Blau 1985). */
static bool
trail_make_lives (Trail *n, const KgContext *ctx, guint count, GError **error)
{
  const KgGeometry *now = kg_context_get_sample (ctx, offsetof (Trail, geometry), 0)->geometry;
  const int32_t *ids = kg_geometry_get_int (now, KG_POINTS, "id", 1);
  const float *ages = kg_geometry_get_float (now, KG_POINTS, "age", 1);
  const size_t points = kg_geometry_get_n_points (now);
  g_autofree uint32_t *vertices = g_new (uint32_t, count);
  g_autofree uint32_t *steps = g_new0 (uint32_t, MAX (points, 1));
  size_t total = 0;

  if (ids == NULL && points > 0) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED,
                  "the points have no attribute id: link particles, or set it with Attribute and the kind index");
    return false;
  }
  for (size_t i = 0; i < points; i++) {
    /* Before the first frame everything is as it is there: what is younger was not born yet. */
    while (steps[i] < count && (ages == NULL || (steps[i] - 0.25) * n->step < (double) ages[i] * ctx->rate) &&
           trail_find (kg_context_get_sample (ctx, offsetof (Trail, geometry), steps[i])->geometry, ids[i]) >= 0)
      steps[i]++;
    total += steps[i];
    if (i % 256 == 0 && kg_context_is_cancelled (ctx))
      return false;
  }
  if (!kg_geometry_set_n_points (n->trail, total, error))
    return false;
  total = 0;
  for (size_t i = 0; i < points; i++) {
    const KgPrimitive line = { .kind = KG_POLYLINE, .n_vertices = steps[i], .vertices = vertices };

    for (uint32_t s = 0; s < steps[i]; s++) {
      const KgGeometry *then = kg_context_get_sample (ctx, offsetof (Trail, geometry), s)->geometry;

      vertices[s] = (uint32_t) total;
      trail_add_to_life (n, total++, now, i, then, (size_t) trail_find (then, ids[i]), s * n->step,
                         steps[i] > 1 ? 1 - (double) s / (steps[i] - 1) : 0);
    }
    if (steps[i] > 1)
      kg_geometry_add_primitive (n->trail, &line);
    if (i % 256 == 0 && kg_context_is_cancelled (ctx))
      return false;
  }
  return true;
}

static bool
trail_evaluate (Trail *n, const KgContext *ctx, GError **error)
{
  const guint count = kg_context_get_n_samples (ctx, offsetof (Trail, geometry));

  n->trail = kg_geometry_new ();
  if (n->mode == TRAIL_LIVES)
    return trail_make_lives (n, ctx, count, error);
  return n->mode == TRAIL_COPIES ? trail_make_copies (n, ctx, count, error) : trail_make_lines (n, ctx, count, error);
}

static const KgSlot trail_slots[] = {
  KG_INPUT (Trail, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The geometry that leaves a trail.")),
  KG_INPUT (Trail, length, NUMBER, .label = N_ ("Length"), .unit = KG_FRAMES, .early = true, .def = 12, .min = 0,
            .max = 10000, .soft_max = 100, .help = N_ ("How far back in time the trail reaches.")),
  KG_INPUT (Trail, step, NUMBER, .label = N_ ("Step"), .unit = KG_FRAMES, .early = true, .def = 1, .min = 0.01,
            .max = 1000, .soft_max = 10,
            .help = N_ ("Interval between copies; values below 1 sample between the frames.")),
  KG_INPUT (
      Trail, mode, CHOICE, .label = N_ ("Mode"), .choices = trail_modes,
      .help = N_ (
          "Whether the trail consists of whole copies, of a line behind each point (identified by its id where points "
          "have ids), or of the path of each point with its id, like blades of grass: thick at its start and pointed "
          "at its current position.")),
  KG_INPUT (Trail, fade, BOOLEAN, .label = N_ ("Fade"), .def = 1, .help = N_ ("Makes older parts more transparent.")),
  KG_OUTPUT (Trail, trail, GEOMETRY, .label = N_ ("Trail"),
             .help = N_ ("The trail, with its age in frames in the attribute age.")),
};

KG_NODE_WITH_DEMAND (
    geometry, trail, Trail, .label = N_ ("Trail"), .version = 1, .since = "0.1",
    .tags = N_ ("echo ghost onion path streak history motion"),
    .help = N_ (
        "Shows earlier positions of a geometry: copies at earlier times, or lines behind its points. The geometry is evaluated at those times, so any kind of motion leaves a trail."));
