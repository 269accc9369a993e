/* linear_sweep: what a closed mesh passes over when it moves straight, without turning.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/linear_sweep.h"

#include "geometry/convex_hull.h"
#include "geometry/mass_properties.h"
#include "geometry/point_cloud.h"
#include "kg-error.h"
#include "kg-floats.h"

/* An edge of a face that looks along the move, or, the other way round, of one that does not. */
typedef struct {
  uint32_t a, b;
} Edge;

static int
compare_edges (const void *x, const void *y)
{
  const Edge *e = (const Edge *) x, *f = (const Edge *) y;
  const uint32_t k[] = { MIN (e->a, e->b), MIN (f->a, f->b), MAX (e->a, e->b), MAX (f->a, f->b) };

  for (guint i = 0; i < 4; i += 2)
    if (k[i] != k[i + 1])
      return k[i] < k[i + 1] ? -1 : 1;
  return (e->a > e->b) - (f->a > f->b);
}

/* Twice the area times the normal. */
static KgVector
get_normal (const float *p, const KgPrimitive *polygon)
{
  KgVector sum = { 0, 0, 0 }, first = { 0, 0, 0 }, before = { 0, 0, 0 };

  for (uint32_t i = 0; i < polygon->n_vertices; i++) {
    const float *x = p + 3 * (size_t) polygon->vertices[i];
    const KgVector at = kg_floats_get_vector (x, 0);

    if (i == 0)
      first = at;
    else {
      const KgVector to = kg_vector_subtract (at, first);

      sum = kg_vector_add (sum, kg_vector_cross (before, to));
      before = to;
    }
  }
  return sum;
}

/* Edges where faces that look along the move end: those of them that no other such face takes up again. */
static GArray *
find_outline (const KgGeometry *body, const uint8_t *front)
{
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (Edge));
  guint kept = 0;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (body); i++) {
    KgPrimitive polygon;

    kg_geometry_get_primitive (body, i, &polygon);
    for (uint32_t k = 0; front[i] && k < polygon.n_vertices; k++) {
      const Edge edge = { polygon.vertices[k], polygon.vertices[(k + 1) % polygon.n_vertices] };

      if (edge.a != edge.b)
        g_array_append_val (edges, edge);
    }
  }
  g_array_sort (edges, compare_edges);
  for (guint i = 0, end; i < edges->len; i = end) {
    const Edge first = g_array_index (edges, Edge, i);
    const Edge edge = { MIN (first.a, first.b), MAX (first.a, first.b) };
    int net = 0;

    for (end = i; end < edges->len; end++) {
      const Edge other = g_array_index (edges, Edge, end);

      if (MIN (other.a, other.b) != edge.a || MAX (other.a, other.b) != edge.b)
        break;
      net += other.a == edge.a ? 1 : -1;
    }
    for (int k = 0; k < ABS (net); k++)
      g_array_index (edges, Edge, kept++) = net > 0 ? edge : (Edge){ edge.b, edge.a };
  }
  g_array_set_size (edges, kept);
  return edges;
}

static bool
check_convex (const KgGeometry *body, double volume, bool *convex, const KgProgressMonitor *monitor, GError **error)
{
  const HullOptions options = { .tolerance = 1e-6, .steps = -1 };
  g_auto (ConvexHull) hull = { 0 };
  g_autofree KgVector *points = NULL;
  size_t n;

  points = point_cloud_get_points (body, NULL, &n, NULL, error);
  if (points == NULL || !convex_hull_find (&hull, points, n, &options, monitor, error))
    return false;
  *convex = fabs (convex_hull_get_volume (&hull) - volume) <= 1e-5 * volume;
  return true;
}

/* Only what polygons use. */
static void
drop_unused_points (KgGeometry *geometry)
{
  g_autofree uint8_t *used = g_new0 (uint8_t, MAX (kg_geometry_get_n_points (geometry), 1));

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive polygon;

    kg_geometry_get_primitive (geometry, i, &polygon);
    for (uint32_t k = 0; k < polygon.n_vertices; k++)
      used[polygon.vertices[k]] = 1;
  }
  kg_geometry_keep_points (geometry, used);
}

/* The faces that stay, those that are moved, and the edges between them drawn out. */
static KgGeometry *
join (const KgGeometry *body, const uint8_t *front, const GArray *edges, KgVector move, GError **error)
{
  const size_t n = kg_geometry_get_n_primitives (body);
  const uint32_t n_points = (uint32_t) kg_geometry_get_n_points (body);
  const KgTransform there = kg_transform_from_parts (move, kg_rotation_identity (), kg_vector (1, 1, 1));
  g_autoptr (KgGeometry) still = kg_geometry_ref (body), moved = kg_geometry_ref (body);
  g_autofree uint8_t *keep = g_new (uint8_t, MAX (n, 1));
  g_autofree uint32_t *quads = g_new (uint32_t, 4 * MAX ((size_t) edges->len, 1));

  for (size_t i = 0; i < n; i++)
    keep[i] = !front[i];
  kg_geometry_make_writable (&still);
  kg_geometry_keep_primitives (still, keep);
  kg_geometry_make_writable (&moved);
  kg_geometry_keep_primitives (moved, front);
  kg_geometry_transform (moved, &there);
  if (!kg_geometry_append (still, moved, error))
    return NULL;
  for (guint i = 0; i < edges->len; i++) {
    const Edge edge = g_array_index (edges, Edge, i);
    const uint32_t corners[] = { edge.a, edge.b, edge.b + n_points, edge.a + n_points };

    memcpy (quads + 4 * (size_t) i, corners, sizeof corners);
  }
  if (edges->len > 0)
    kg_geometry_add_primitives (still, KG_POLYGON, true, edges->len, 4, quads);
  kg_geometry_remove_attribute (still, KG_POINTS, "N");
  drop_unused_points (still);
  return g_steal_pointer (&still);
}

static KgGeometry *
draw_outline (const KgGeometry *body, const GArray *edges, GError **error)
{
  g_autoptr (KgGeometry) outline = kg_geometry_new ();
  g_autofree uint32_t *ends = g_new (uint32_t, 2 * MAX ((size_t) edges->len, 1));
  const size_t n = kg_geometry_get_n_points (body);

  if (!kg_geometry_set_n_points (outline, n, error))
    return NULL;
  memcpy (kg_geometry_edit_positions (outline), kg_geometry_get_positions (body), 3 * n * sizeof (float));
  for (guint i = 0; i < edges->len; i++) {
    ends[2 * i] = g_array_index (edges, Edge, i).a;
    ends[2 * i + 1] = g_array_index (edges, Edge, i).b;
  }
  if (edges->len > 0)
    kg_geometry_add_primitives (outline, KG_POLYLINE, false, edges->len, 2, ends);
  drop_unused_points (outline);
  return g_steal_pointer (&outline);
}

KgGeometry *
linear_sweep_new (const KgGeometry *body, KgVector move, KgGeometry **outline, LinearSweep *sweep,
                  const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (KgGeometry) polygons = kg_geometry_ref (body), swept = NULL;
  g_autofree uint8_t *front = NULL;
  g_autoptr (GArray) edges = NULL;
  const double length = kg_vector_length (move);
  const float *p;
  KgVector center;
  MassExtent extent;
  size_t n, open;

  *sweep = (LinearSweep){ 0 };
  n = kg_geometry_get_n_primitives (body);
  front = g_new0 (uint8_t, MAX (n, 1));
  for (size_t i = 0; i < n; i++) {
    KgPrimitive polygon;

    kg_geometry_get_primitive (body, i, &polygon);
    front[i] = polygon.kind == KG_POLYGON;
  }
  kg_geometry_make_writable (&polygons);
  kg_geometry_keep_primitives (polygons, front);
  n = kg_geometry_get_n_primitives (polygons);
  open = mesh_count_open_edges (polygons);
  if (n == 0 || open > 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  n == 0 ? N_ ("there is nothing to sweep, %zu polygons: link a closed mesh")
                         : N_ ("the mesh is not closed, %zu of its edges are open: close it, or sweep its hull"),
                  n == 0 ? n : open);
    return NULL;
  }
  if (!mass_properties_get_extent (polygons, monitor, &extent, &center) ||
      !check_convex (polygons, fabs (extent.volume), &sweep->convex, monitor, error))
    return NULL;
  p = kg_geometry_get_positions (polygons);
  for (size_t i = 0; i < n; i++) {
    KgPrimitive polygon;
    KgVector normal;
    double along;

    kg_geometry_get_primitive (polygons, i, &polygon);
    normal = get_normal (p, &polygon);
    along = length > 0 ? kg_vector_dot (normal, move) / length : 0;
    front[i] = along > 1e-7 * kg_vector_length (normal);
    sweep->area += front[i] ? 0.5 * along : 0;
  }
  sweep->volume = fabs (extent.volume) + length * sweep->area;
  edges = find_outline (polygons, front);
  swept = join (polygons, front, edges, move, error);
  if (swept == NULL)
    return NULL;
  *outline = draw_outline (polygons, edges, error);
  return *outline != NULL ? g_steal_pointer (&swept) : NULL;
}
