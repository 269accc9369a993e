/* surface_lines: lines, curves, wires and points as ribbons and discs that face the camera.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/surface_private.h"
#include "curve/curve.h"

#include <glib/gi18n-lib.h>

/* Lines are drawn this much nearer than the surface they lie on. */
#define WIRE_BIAS 1.002f
/* Straight pieces of one piece of a curve, and for each of its control points where one piece has many. */
#define CURVE_STEPS 16
#define CURVE_STEPS_PER_POINT 4

/* Lines: ribbons that face the camera. */

static SurfaceCorner
make_corner (const SurfaceObject *o, KgVector p)
{
  SurfaceCorner corner = { .at = { 0, 0, 0 } };

  surface_make_camera_space (o, p, corner.at);
  return corner;
}

static double
get_width (const SurfaceObject *o, size_t point)
{
  return o->width != NULL ? (double) o->width[point] : o->object->material.width;
}

/* To the side of the way from a to b, unit. */
static KgVector
get_side (const SurfaceObject *o, const SurfaceCorner *a, const SurfaceCorner *b)
{
  const KgVector p = { a->at[0], a->at[1], a->at[2] }, q = { b->at[0], b->at[1], b->at[2] };
  const KgVector sight = o->surface->camera.orthographic ? kg_vector (0, 0, 1) : kg_vector_lerp (p, q, 0.5);

  return kg_vector_normalize_or (kg_vector_cross (kg_vector_subtract (q, p), sight), kg_vector (0, 0, 0));
}

static SurfaceCorner
move (const SurfaceCorner *a, KgVector side, double by)
{
  SurfaceCorner moved = *a;

  for (int c = 0; c < 3; c++)
    moved.at[c] += by * kg_vector_get (side, c);
  return moved;
}

/* From a to b, whose sides need not be parallel. */
static void
add_ribbon (SurfaceBlock *block, const SurfaceCorner *a, const SurfaceCorner *b, double wa, double wb, KgVector sa,
            KgVector sb, float bias)
{
  SurfaceCorner corners[SURFACE_MAX_CORNERS];

  corners[0] = move (a, sa, 0.5 * wa);
  corners[1] = move (a, sa, -0.5 * wa);
  corners[2] = move (b, sb, -0.5 * wb);
  corners[3] = move (b, sb, 0.5 * wb);
  surface_block_add_convex (block, corners, 4, RASTER_LIT, bias);
}

/* Fills the gap on the outer side of a bend: a piece of a disc. */
static void
add_joint (SurfaceBlock *block, const SurfaceCorner *at, double width, KgVector before, KgVector after, KgVector along)
{
  const double angle = acos (kg_clamp (kg_vector_dot (before, after), -1, 1));
  const double sign = kg_vector_dot (before, along) > 0 ? -0.5 : 0.5;
  const guint n = 1 + (guint) (angle / (KG_PI / 10));
  SurfaceCorner corners[SURFACE_MAX_CORNERS];

  corners[0] = *at;
  for (guint i = 0; i <= n; i++)
    corners[i + 1] =
        move (at, kg_vector_normalize_or (kg_vector_lerp (before, after, (double) i / n), before), sign * width);
  surface_block_add_convex (block, corners, n + 2, RASTER_LIT, 1);
}

/* The side at a joint where two pieces meet: on both of their edges, so that they join without a gap and without
 * covering each other.  False where the bend is too sharp for that. */
static bool
get_mitre (KgVector before, KgVector after, KgVector *side)
{
  const double cosine = kg_vector_dot (before, after);

  if (!(cosine > 0.5))
    return false;
  /* Half the sum is as long as the cosine of half the angle; the edges meet at one over that. */
  *side = kg_vector_scale (kg_vector_add (before, after), 1 / (1 + cosine));
  return true;
}

static void
add_strip (SurfaceBlock *block, const SurfaceCorner *corners, const double *widths, guint n, bool closed)
{
  const SurfaceObject *o = block->o;
  const guint pieces = closed ? n : n - 1;
  g_autofree KgVector *sides = g_new (KgVector, MAX (pieces, 1));
  guint m = 0;
  g_autofree guint *from = g_new (guint, MAX (pieces, 1));

  /* Pieces without length have no side: the others go on from where they were. */
  for (guint i = 0; i < pieces; i++) {
    sides[m] = get_side (o, &corners[i], &corners[(i + 1) % n]);
    from[m] = i;
    m += kg_vector_length (sides[m]) > 0;
  }
  for (guint i = 0; i < m; i++) {
    const guint a = from[i], b = (a + 1) % n;
    const bool first = i == 0 && !closed, last = i + 1 == m && !closed;
    const KgVector before = sides[(i + m - 1) % m], after = sides[(i + 1) % m];
    KgVector start = sides[i], end = sides[i];

    if (!first)
      get_mitre (before, sides[i], &start);
    if (!last && !get_mitre (sides[i], after, &end)) {
      const SurfaceCorner *p = &corners[b], *q = &corners[(from[(i + 1) % m] + 1) % n];

      add_joint (block, p, widths[b], sides[i], after,
                 kg_vector (q->at[0] - p->at[0], q->at[1] - p->at[1], q->at[2] - p->at[2]));
    }
    add_ribbon (block, &corners[a], &corners[b], widths[a], widths[b], start, end, 1);
  }
}

void
surface_draw_line (SurfaceBlock *block, size_t index, const KgPrimitive *primitive, guint object)
{
  const SurfaceObject *o = block->o;
  const uint32_t n = primitive->n_vertices;
  g_autofree SurfaceCorner *corners = g_new (SurfaceCorner, MAX (n, 1));
  g_autofree double *widths = g_new (double, MAX (n, 1));
  bool far = false;

  for (uint32_t i = 0; i < n; i++) {
    corners[i] = make_corner (o, surface_get_point (o, primitive->vertices[i]));
    surface_set_color (o, primitive->vertices[i], index, corners[i].v.color);
    widths[i] = get_width (o, primitive->vertices[i]);
    far = far || surface_is_far (corners[i].at);
  }
  if (far)
    surface_block_report (block, index, object, _ ("it is too far away to compute"));
  else if (n >= 2)
    add_strip (block, corners, widths, n, primitive->closed && n > 2);
}

void
surface_draw_spline (SurfaceBlock *block, size_t index, const KgPrimitive *primitive, guint object)
{
  const SurfaceObject *o = block->o;
  g_autoptr (GError) error = NULL;
  g_autoptr (Curve) curve = curve_new (o->geometry, index, &error);
  guint pieces, steps, n;
  g_autofree SurfaceCorner *corners = NULL;
  g_autofree double *widths = NULL;
  bool closed;

  if (curve == NULL) {
    surface_block_report (block, index, object, error->message);
    return;
  }
  closed = curve_is_closed (curve);
  pieces = curve_get_n_segments (curve);
  steps = MAX (CURVE_STEPS, CURVE_STEPS_PER_POINT * primitive->n_vertices / pieces);
  n = steps * pieces + (closed ? 0 : 1);
  corners = g_new (SurfaceCorner, n);
  widths = g_new (double, n);
  for (guint i = 0; i < n; i++) {
    const double spans = primitive->n_vertices - (closed ? 0 : 1), u = (double) i / (steps * pieces) * spans;
    const guint k = (guint) kg_clamp (floor (u), 0, fmax (spans - 1, 0));
    const size_t a = primitive->vertices[k], b = primitive->vertices[(k + 1) % primitive->n_vertices];
    float next[4];

    corners[i] = make_corner (o, curve_evaluate (curve, (double) i / steps, 0));
    surface_set_color (o, a, index, corners[i].v.color);
    surface_set_color (o, b, index, next);
    for (int c = 0; c < 4; c++)
      corners[i].v.color[c] += (float) (u - k) * (next[c] - corners[i].v.color[c]);
    widths[i] = kg_lerp (get_width (o, a), get_width (o, b), u - k);
  }
  add_strip (block, corners, widths, n, closed);
}

void
surface_block_add_wire (SurfaceBlock *block, uint32_t from, uint32_t to)
{
  const SurfaceObject *o = block->o;
  const double *rgba = &o->object->material.wire_color.r;
  const double thickness = 1.4 * o->surface->raster.samples / o->surface->focal;
  const bool flat = o->surface->camera.orthographic;
  SurfaceCorner a = make_corner (o, surface_get_point (o, from)), b = make_corner (o, surface_get_point (o, to));
  const KgVector side = get_side (o, &a, &b);

  for (int c = 0; c < 4; c++)
    a.v.color[c] = b.v.color[c] = (float) rgba[c];
  if ((o->codes[from] & o->codes[to]) == 0 && ((o->codes[from] | o->codes[to]) & SURFACE_CODE_FAR) == 0)
    add_ribbon (block, &a, &b, flat ? thickness : thickness * fmax (-a.at[2], 0),
                flat ? thickness : thickness * fmax (-b.at[2], 0), side, side, WIRE_BIAS);
}

static int
compare_uint64 (gconstpointer a, gconstpointer b)
{
  const uint64_t p = *(const uint64_t *) a, q = *(const uint64_t *) b;

  return p < q ? -1 : p > q;
}

GArray *
surface_find_edges (const KgGeometry *geometry)
{
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  guint n = 0;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.kind != KG_POLYGON || primitive.n_vertices < 3)
      continue;
    for (uint32_t k = 0; k < primitive.n_vertices; k++) {
      const uint32_t a = primitive.vertices[k], b = primitive.vertices[(k + 1) % primitive.n_vertices];
      const uint64_t edge = (uint64_t) MIN (a, b) << 32 | MAX (a, b);

      g_array_append_val (edges, edge);
    }
  }
  qsort (edges->data, edges->len, sizeof (uint64_t), compare_uint64);
  for (guint i = 0; i < edges->len; i++)
    if (n == 0 || g_array_index (edges, uint64_t, i) != g_array_index (edges, uint64_t, n - 1))
      g_array_index (edges, uint64_t, n++) = g_array_index (edges, uint64_t, i);
  g_array_set_size (edges, n);
  return edges;
}

void
surface_block_add_disc (SurfaceBlock *block, size_t point)
{
  const SurfaceObject *o = block->o;
  const double radius = 0.5 * get_width (o, point);
  SurfaceCorner corners[SURFACE_MAX_CORNERS];
  SurfaceCorner center = make_corner (o, surface_get_point (o, point));
  const double depth = o->surface->camera.orthographic ? 1 : -center.at[2];
  const double samples = radius * o->surface->focal / depth;
  const double pixels = samples / o->surface->raster.samples;
  double rim;
  int sides;

  if (!(radius > 0) || !(depth > 0) || !isfinite (samples))
    return;
  if (o->object->material.blend != KG_BLEND_OVER && KG_PI * pixels * pixels <= 1) {
    surface_set_point_color (o, point, center.v.color);
    surface_block_add_light (block, &center, KG_PI * pixels * pixels);
    return;
  }
  /* The sagitta of a side is less than a quarter of a sample. */
  sides = (int) kg_clamp (ceil (KG_PI * sqrt (2 * samples)), 8, SURFACE_MAX_SIDES);
  rim = radius * sqrt (2 * KG_PI / sides / sin (2 * KG_PI / sides));
  surface_set_point_color (o, point, center.v.color);
  for (int k = 0; k < sides; k++)
    corners[k] = move (&center, kg_vector (cos (2 * KG_PI * k / sides), sin (2 * KG_PI * k / sides), 0), rim);
  surface_block_add_convex (block, corners, (guint) sides, RASTER_LIT, 1);
}
