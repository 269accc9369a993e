/* convex_hull_wrap: gift wrapping, see convex_hull.h.
 *
 * A facet is found by turning the plane of its neighbour about their edge until it meets the first point.  All points in
 * the plane found make one polygon: the walk starts along the edge and goes on to the point with the smallest left turn.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/convex_hull_private.h"
#include "kg-error.h"

typedef struct {
  const HullCloud *cloud;
  HullFacets *facets;
  GArray *normals;   /* KgVector: of each facet */
  GHashTable *edges; /* uint64_t: edges that are gone along, in that direction */
  GQueue open;       /* OpenEdge: of facets so far; some have found a partner since */
} Wrapping;

typedef struct {
  uint32_t a, b;
  guint facet;
} OpenEdge;

static gint64
get_key (uint32_t a, uint32_t b)
{
  return (gint64) ((guint64) a << 32 | b);
}

static bool
has_edge (const Wrapping *wrapping, uint32_t a, uint32_t b)
{
  const gint64 key = get_key (a, b);

  return g_hash_table_contains (wrapping->edges, &key);
}

static void
add_facet (Wrapping *wrapping, const GArray *polygon, KgVector normal)
{
  const guint facet = wrapping->normals->len, n = polygon->len;
  guint end;

  g_array_append_vals (wrapping->facets->corners, polygon->data, n);
  end = wrapping->facets->corners->len;
  g_array_append_val (wrapping->facets->ends, end);
  g_array_append_val (wrapping->normals, normal);
  for (guint i = 0; i < n; i++) {
    const OpenEdge edge = { g_array_index (polygon, uint32_t, i), g_array_index (polygon, uint32_t, (i + 1) % n),
                            facet };
    const gint64 key = get_key (edge.a, edge.b);

    g_hash_table_add (wrapping->edges, g_memdup2 (&key, sizeof key));
    g_queue_push_tail (&wrapping->open, g_memdup2 (&edge, sizeof edge));
  }
}

/* The points in a plane, but for repetitions of one place: (transfer full) uint32_t. */
static GArray *
collect_plane (const HullCloud *cloud, KgVector normal, KgVector at)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  for (uint32_t i = 0; i < cloud->n; i++)
    if (fabs (kg_vector_dot (normal, kg_vector_subtract (cloud->points[i], at))) <= cloud->slack)
      g_array_append_val (found, i);
  return found;
}

/* From b, where it came along a unit direction, to the point with the smallest left turn, the farthest of those that are
 * within the slack of one line. */
static uint32_t
walk_on (const HullCloud *cloud, const GArray *plane, KgVector normal, KgVector along, uint32_t b)
{
  const KgVector from = cloud->points[b];
  const KgVector left = kg_vector_cross (normal, along);
  KgVector best = { 0, 0, 0 };
  double reach = 0;
  uint32_t found = b;

  for (guint i = 0; i < plane->len; i++) {
    const uint32_t p = g_array_index (plane, uint32_t, i);
    const KgVector d = kg_vector_subtract (cloud->points[p], from);
    const double length = kg_vector_length (d);
    double off;

    /* Here, or on the way back. */
    if (length <= cloud->slack || (kg_vector_dot (d, along) < 0 && kg_vector_dot (d, left) <= cloud->slack))
      continue;
    off = reach > 0 ? kg_vector_dot (normal, kg_vector_cross (best, d)) / fmax (length, reach) : -INFINITY;
    if (off < -cloud->slack || (off <= cloud->slack && length > reach)) {
      best = d;
      reach = length;
      found = p;
    }
  }
  return found;
}

/* The hull polygon of the points in a plane, which begins with the edge from a to b: (transfer full) (nullable: it does not
 * close) uint32_t. */
static GArray *
walk_around (const HullCloud *cloud, const GArray *plane, KgVector normal, uint32_t a, uint32_t b)
{
  GArray *polygon = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  uint32_t before = a, at = b;

  g_array_append_val (polygon, a);
  while (at != a && kg_vector_distance (cloud->points[at], cloud->points[a]) > cloud->slack) {
    const KgVector along = kg_vector_subtract (cloud->points[at], cloud->points[before]);
    const uint32_t next = walk_on (cloud, plane, normal, kg_vector_normalize_or (along, kg_vector (0, 0, 0)), at);

    if (polygon->len > plane->len || next == at) {
      g_array_unref (polygon);
      return NULL;
    }
    g_array_append_val (polygon, at);
    before = at;
    at = next;
  }
  return polygon;
}

/* Turns the plane of a facet about its edge from a to b until it meets a point.  Returns the normal of the plane found. */
static KgVector
turn_about_edge (const HullCloud *cloud, KgVector a, KgVector b, KgVector normal, uint32_t *met)
{
  const KgVector along = kg_vector_normalize_or (kg_vector_subtract (b, a), kg_vector (0, 0, 0));
  const KgVector away = kg_vector_cross (along, normal);
  double best_x = -1, best_y = 0;
  bool found = false;

  for (uint32_t i = 0; i < cloud->n; i++) {
    const KgVector d = kg_vector_subtract (cloud->points[i], a);
    const double x = kg_vector_dot (d, away), y = -kg_vector_dot (d, normal);

    /* In the plane of the facet, which is complete. */
    if (y <= cloud->slack)
      continue;
    if (!found || x * best_y > best_x * y) {
      best_x = x;
      best_y = y;
      *met = i;
      found = true;
    }
  }
  return kg_vector_normalize_or (kg_vector_add_scaled (kg_vector_scale (normal, best_x), best_y, away), normal);
}

/* The first point: the highest, of which the one with the largest x and then z. */
static uint32_t
find_top (const HullCloud *cloud)
{
  uint32_t best = 0;

  for (uint32_t i = 1; i < cloud->n; i++) {
    const KgVector p = cloud->points[i], q = cloud->points[best];

    if (p.y > q.y || (p.y == q.y && (p.x > q.x || (p.x == q.x && p.z > q.z))))
      best = i;
  }
  return best;
}

/* The second: in the direction that falls least.  The third: with the triangle that falls least.  In the same sense a plane
 * through the top is turned until it meets a point, and once more about both. */
static KgVector
find_first_plane (const HullCloud *cloud, uint32_t top)
{
  const KgVector origin = cloud->points[top], up = { 0, 1, 0 };
  double best = -INFINITY;
  KgVector along = { 1, 0, 0 }, level, normal;
  uint32_t met = top;

  for (uint32_t i = 0; i < cloud->n; i++) {
    const KgVector d = kg_vector_subtract (cloud->points[i], origin);
    const double length = kg_vector_length (d);

    if (length > cloud->slack && d.y / length > best) {
      best = d.y / length;
      along = kg_vector_scale (d, 1 / length);
    }
  }
  level = kg_vector_normalize_or (kg_vector_cross (along, up), kg_vector (1, 0, 0));
  normal = kg_vector_cross (level, along);
  if (normal.y < 0)
    normal = kg_vector_scale (normal, -1);
  /* Unless three points are in it already, the plane turns about the edge, to one side or to the other. */
  for (uint32_t i = 0; i < cloud->n; i++) {
    const KgVector d = kg_vector_subtract (cloud->points[i], origin);
    const KgVector off = kg_vector_add_scaled (d, -kg_vector_dot (d, along), along);

    if (fabs (kg_vector_dot (d, normal)) <= cloud->slack && kg_vector_length (off) > 1e3 * cloud->slack)
      return normal;
  }
  {
    const KgVector one = turn_about_edge (cloud, origin, kg_vector_add (origin, along), normal, &met);
    const KgVector two = turn_about_edge (cloud, kg_vector_add (origin, along), origin, normal, &met);

    return one.y >= two.y ? one : two;
  }
}

/* The corner of the points in a plane that is farthest from their centre, and the direction across. */
static uint32_t
find_corner (const HullCloud *cloud, const GArray *plane, KgVector normal, KgVector *across)
{
  uint32_t corner = g_array_index (plane, uint32_t, 0);
  KgVector center = { 0, 0, 0 };
  double best = -1;

  for (guint i = 0; i < plane->len; i++)
    center = kg_vector_add_scaled (center, 1.0 / plane->len, cloud->points[g_array_index (plane, uint32_t, i)]);
  for (guint i = 0; i < plane->len; i++) {
    const uint32_t p = g_array_index (plane, uint32_t, i);
    const double distance = kg_vector_distance (cloud->points[p], center);

    if (distance > best) {
      best = distance;
      corner = p;
    }
  }
  *across = kg_vector_normalize_or (kg_vector_cross (normal, kg_vector_subtract (cloud->points[corner], center)),
                                    kg_vector (0, 0, 0));
  return corner;
}

/* (transfer full) (nullable: they are no polygon) The hull of the points in a plane through one of them. */
static GArray *
find_polygon (const HullCloud *cloud, KgVector normal, uint32_t at)
{
  g_autoptr (GArray) plane = collect_plane (cloud, normal, cloud->points[at]);
  KgVector across;
  const uint32_t corner = find_corner (cloud, plane, normal, &across);
  const uint32_t next = walk_on (cloud, plane, normal, across, corner);
  GArray *polygon = next != corner ? walk_around (cloud, plane, normal, corner, next) : NULL;

  if (polygon != NULL && polygon->len < 3)
    g_clear_pointer (&polygon, g_array_unref);
  return polygon;
}

/* A flat top is a facet itself: a diagonal of it would be taken for an edge. */
static GArray *
find_first_facet (const HullCloud *cloud, KgVector *normal)
{
  const uint32_t top = find_top (cloud);
  GArray *polygon;

  *normal = kg_vector (0, 1, 0);
  polygon = find_polygon (cloud, *normal, top);
  if (polygon == NULL) {
    *normal = find_first_plane (cloud, top);
    polygon = find_polygon (cloud, *normal, top);
  }
  return polygon;
}

/* The facet on the other side of an edge.  False when rounding hides it. */
static bool
wrap_edge (Wrapping *wrapping, const OpenEdge *edge)
{
  const HullCloud *cloud = wrapping->cloud;
  const KgVector a = cloud->points[edge->a], b = cloud->points[edge->b];
  uint32_t met = edge->a;
  const KgVector normal = turn_about_edge (cloud, a, b, g_array_index (wrapping->normals, KgVector, edge->facet), &met);
  g_autoptr (GArray) plane = collect_plane (cloud, normal, a), polygon = NULL;

  polygon = walk_around (cloud, plane, normal, edge->b, edge->a);
  if (polygon == NULL || polygon->len < 3)
    return false;
  for (guint i = 0; i < polygon->len; i++)
    if (has_edge (wrapping, g_array_index (polygon, uint32_t, i),
                  g_array_index (polygon, uint32_t, (i + 1) % polygon->len)))
      return false;
  add_facet (wrapping, polygon, normal);
  return true;
}

bool
convex_hull_wrap (const HullCloud *cloud, int64_t steps, HullFacets *facets, GError **error)
{
  Wrapping wrapping = { .cloud = cloud, .facets = facets, .open = G_QUEUE_INIT };
  KgVector normal;
  GArray *first = find_first_facet (cloud, &normal);
  bool good = first != NULL;

  wrapping.normals = g_array_new (FALSE, FALSE, sizeof (KgVector));
  wrapping.edges = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  if (good && steps != 0)
    add_facet (&wrapping, first, normal);
  while (good && wrapping.open.length > 0 && (steps < 0 || wrapping.normals->len < steps)) {
    g_autofree OpenEdge *edge = g_queue_pop_head (&wrapping.open);

    good = !kg_progress_is_cancelled (cloud->monitor) &&
           (has_edge (&wrapping, edge->b, edge->a) || wrap_edge (&wrapping, edge));
  }
  if (!good && !kg_progress_is_cancelled (cloud->monitor))
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "gift wrapping failed after %u facets among points that nearly lie in one plane: use the quick method, or "
        "another tolerance",
        wrapping.normals->len);
  g_queue_clear_full (&wrapping.open, g_free);
  g_hash_table_unref (wrapping.edges);
  g_array_unref (wrapping.normals);
  g_clear_pointer (&first, g_array_unref);
  return good;
}
