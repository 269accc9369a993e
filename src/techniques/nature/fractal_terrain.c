/* fractal_terrain: midpoint displacement, see the header.
 *
 * No search for shared edges is needed but at the beginning: edges are numbered, edge e of a level becomes edges 2 e and 2 e + 1 of
 * the next, and the three new edges in each triangle follow.  Edge k of a part of a triangle is parallel to edge k of the
 * triangle, so that each edge knows the original one that gives its length.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "nature/fractal_terrain.h"

#include "geometry/point_pieces.h"
#include "geometry/primitive_attributes.h"
#include "geometry/triangle_mesh.h"
#include "geometry/vectors.h"
#include "kg-error.h"
#include "kg-floats.h"
#include "kg-random.h"

#include <inttypes.h>
#include <stdlib.h>

/* Edges, triangles or points between two looks at whether to stop. */
#define AT_ONCE 16384

typedef struct {
  uint32_t ends[2];
  uint32_t root; /* the original edge it is parallel to */
  bool border;   /* part of an edge with one triangle */
} Edge;

typedef struct {
  uint32_t corners[3], edges[3]; /* edge k from corner k to the next */
} Triangle;

typedef struct {
  const FractalTerrain *rule;
  const KgProgressMonitor *monitor;
  KgVector up;         /* unit */
  KgGeometry *terrain; /* has all points from the beginning */
  uint64_t *ids;       /* of all points: the same for those at the same position */
  double *amplitudes;  /* of original edges: standard deviation at level 0 */
  Edge *edges;         /* of this level */
  Triangle *triangles;
  size_t n_points, n_edges, n_triangles;
} Terrain;

/* The original mesh. */

typedef struct {
  uint32_t from, to; /* ids, sorted */
  uint32_t ends[2];  /* the points with these ids; sorted where the ids are the same */
  uint32_t side;     /* 3 times the triangle + which */
} Side;

static int
compare_sides (const void *a, const void *b)
{
  const Side *x = a, *y = b;

  return x->to != y->to             ? (x->to > y->to) - (x->to < y->to)
         : x->ends[0] != y->ends[0] ? (x->ends[0] > y->ends[0]) - (x->ends[0] < y->ends[0])
         : x->ends[1] != y->ends[1] ? (x->ends[1] > y->ends[1]) - (x->ends[1] < y->ends[1])
                                    : (x->side > y->side) - (x->side < y->side);
}

static bool
is_degenerate (const Terrain *t, const Triangle *triangle)
{
  const uint64_t a = t->ids[triangle->corners[0]], b = t->ids[triangle->corners[1]], c = t->ids[triangle->corners[2]];

  return a == b || b == c || c == a;
}

/* (transfer full) The sides of all triangles by the lower id of their ends: those of id i begin at (*first)[i]. */
static Side *
bucket_sides (const Terrain *t, uint32_t **first)
{
  Side *sides = g_new (Side, 3 * t->n_triangles);
  uint32_t *start = g_new0 (uint32_t, t->n_points + 2);

  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < t->n_triangles; i++)
      for (uint32_t k = 0; k < 3; k++) {
        uint32_t a = t->triangles[i].corners[k], b = t->triangles[i].corners[(k + 1) % 3];

        if (t->ids[a] > t->ids[b] || (t->ids[a] == t->ids[b] && a > b)) {
          const uint32_t swapped = a;

          a = b;
          b = swapped;
        }
        if (pass == 0)
          start[t->ids[a] + 2]++;
        else
          sides[start[t->ids[a] + 1]++] =
              (Side){ (uint32_t) t->ids[a], (uint32_t) t->ids[b], { a, b }, 3 * (uint32_t) i + k };
      }
    for (size_t i = 2; pass == 0 && i < t->n_points + 2; i++)
      start[i] += start[i - 1];
  }
  *first = start;
  return sides;
}

/* Sides with the same ends are one edge; it is of the border if no other triangle has an edge at the same positions. */
static void
add_edges (Terrain *t, const Side *sides, size_t n)
{
  for (size_t i = 0, k; i < n; i = k) {
    size_t n_faces = 0;

    for (k = i; k < n && sides[k].to == sides[i].to; k++)
      n_faces += !is_degenerate (t, &t->triangles[sides[k].side / 3]);
    for (size_t j = i; j < k; j++) {
      if (j == i || sides[j].ends[0] != sides[j - 1].ends[0] || sides[j].ends[1] != sides[j - 1].ends[1]) {
        t->edges[t->n_edges] = (Edge){ { sides[j].ends[0], sides[j].ends[1] }, (uint32_t) t->n_edges, n_faces == 1 };
        t->n_edges++;
      }
      t->triangles[sides[j].side / 3].edges[sides[j].side % 3] = (uint32_t) t->n_edges - 1;
    }
  }
}

static bool
find_edges (Terrain *t)
{
  g_autofree uint32_t *first = NULL;
  g_autofree Side *sides = bucket_sides (t, &first);

  for (size_t id = 0; id < t->n_points; id++) {
    const size_t n = first[id + 1] - first[id];

    if (n > 0) {
      qsort (sides + first[id], n, sizeof *sides, compare_sides);
      add_edges (t, sides + first[id], n);
    }
    if (id % AT_ONCE == 0 && kg_progress_is_cancelled (t->monitor))
      return false;
  }
  return true;
}

static void
find_amplitudes (Terrain *t)
{
  const float *p = kg_geometry_get_positions (t->terrain);

  t->amplitudes = g_new (double, t->n_edges);
  for (size_t e = 0; e < t->n_edges; e++) {
    const KgVector along = kg_vector_subtract (kg_floats_get_vector (p, t->edges[e].ends[1]),
                                               kg_floats_get_vector (p, t->edges[e].ends[0]));
    const double length = vectors_get_length (along);

    /* Two points at the same position have nothing between them that could move, whatever H is. */
    t->amplitudes[e] = length > 0 ? t->rule->height * pow (length, t->rule->H) : 0;
  }
}

/* One level. */

/* The point in the middle of edge e. */
static void
move_midpoint (const Terrain *t, float *p, size_t e, uint32_t level, double scale)
{
  const Edge *edge = &t->edges[e];
  const uint64_t a = t->ids[edge->ends[0]], b = t->ids[edge->ends[1]];
  const uint64_t id = a == b ? a : kg_random_bits (MIN (a, b), MAX (a, b), level);
  const KgVector between = kg_vector_scale (
      kg_vector_add (kg_floats_get_vector (p, edge->ends[0]), kg_floats_get_vector (p, edge->ends[1])), 0.5);
  const bool kept = edge->border && t->rule->keep_border;
  const double by = kept ? 0 : t->amplitudes[edge->root] * scale * kg_random_normal (t->rule->seed, id, level);

  t->ids[t->n_points + e] = id;
  kg_floats_set_vector (p, t->n_points + e, kg_vector_add_scaled (between, by, t->up));
}

static bool
move_midpoints (const Terrain *t, uint32_t level)
{
  const double scale = exp2 (-t->rule->H * level);
  float *p = kg_geometry_edit_positions (t->terrain);
  bool stopped = false;

#pragma omp parallel for schedule(dynamic) reduction(|| : stopped) if (t->n_edges > AT_ONCE)
  for (size_t from = 0; from < t->n_edges; from += AT_ONCE) {
    stopped = stopped || kg_progress_is_cancelled (t->monitor);
    for (size_t e = from; e < MIN (from + AT_ONCE, t->n_edges) && !stopped; e++)
      move_midpoint (t, p, e, level, scale);
  }
  return !stopped;
}

static void
average_turn (float *turns, size_t to, const Edge *edge)
{
  const KgRotation a = kg_floats_get_rotation (turns, edge->ends[0]), b = kg_floats_get_rotation (turns, edge->ends[1]);

  kg_floats_set_rotation (turns, to, kg_rotation_slerp (a, b, 0.5));
}

static void
average_floats (const Terrain *t, float *x, uint8_t size, bool turns)
{
#pragma omp parallel for schedule(static) if (t->n_edges > AT_ONCE)
  for (size_t e = 0; e < t->n_edges; e++) {
    const float *a = x + t->edges[e].ends[0] * (size_t) size, *b = x + t->edges[e].ends[1] * (size_t) size;

    if (turns)
      average_turn (x, t->n_points + e, &t->edges[e]);
    else
      for (uint8_t c = 0; c < size; c++)
        x[(t->n_points + e) * size + c] = (float) (0.5 * ((double) a[c] + (double) b[c]));
  }
}

static void
take_smaller (const Terrain *t, int32_t *x, uint8_t size)
{
#pragma omp parallel for schedule(static) if (t->n_edges > AT_ONCE)
  for (size_t e = 0; e < t->n_edges; e++) {
    const int32_t *a = x + t->edges[e].ends[0] * (size_t) size, *b = x + t->edges[e].ends[1] * (size_t) size;

    for (uint8_t c = 0; c < size; c++)
      x[(t->n_points + e) * size + c] = MIN (a[c], b[c]);
  }
}

static bool
take_common_text (const Terrain *t, const char *name)
{
  for (size_t e = 0; e < t->n_edges; e++) {
    const char *a = kg_geometry_get_text (t->terrain, KG_POINTS, name, t->edges[e].ends[0]);

    if (a != NULL && g_strcmp0 (a, kg_geometry_get_text (t->terrain, KG_POINTS, name, t->edges[e].ends[1])) == 0)
      kg_geometry_set_text (t->terrain, KG_POINTS, name, t->n_points + e, a);
    if (e % AT_ONCE == 0 && kg_progress_is_cancelled (t->monitor))
      return false;
  }
  return true;
}

static bool
fill_attributes (const Terrain *t)
{
  for (guint i = 0; i < kg_geometry_get_n_attributes (t->terrain, KG_POINTS); i++) {
    KgAttribute attribute;

    kg_geometry_get_attribute (t->terrain, KG_POINTS, i, &attribute);
    if (attribute.scalar == KG_STRING) {
      if (!take_common_text (t, attribute.name))
        return false;
    } else if (attribute.scalar == KG_INT32)
      take_smaller (t, kg_geometry_edit_int (t->terrain, KG_POINTS, attribute.name, attribute.size), attribute.size);
    else if (!g_str_equal (attribute.name, "P") && !g_str_equal (attribute.name, "N"))
      average_floats (t, kg_geometry_edit_float (t->terrain, KG_POINTS, attribute.name, attribute.size), attribute.size,
                      attribute.size == 4 && g_str_equal (attribute.name, "orient"));
    if (kg_progress_is_cancelled (t->monitor))
      return false;
  }
  return true;
}

/* Half of an edge, at this end. */
static inline uint32_t
get_half (const Terrain *t, uint32_t edge, uint32_t end)
{
  return 2 * edge + (t->edges[edge].ends[0] != end);
}

/* edges: (nullable) not needed. */
static void
divide_triangle (const Terrain *t, size_t i, Triangle *triangles, Edge *edges)
{
  const Triangle *whole = &t->triangles[i];
  const uint32_t *c = whole->corners, *e = whole->edges;
  const uint32_t inner = (uint32_t) (2 * t->n_edges + 3 * i);
  const bool flat = is_degenerate (t, whole); /* its inner edges lie on the outer ones */
  uint32_t m[3];

  for (uint32_t k = 0; k < 3; k++)
    m[k] = (uint32_t) t->n_points + e[k];
  for (uint32_t k = 0; k < 3 && edges != NULL; k++)
    edges[inner + k] = (Edge){ { m[(k + 1) % 3], m[(k + 2) % 3] }, t->edges[e[k]].root, flat && t->edges[e[k]].border };
  triangles[4 * i] =
      (Triangle){ { c[0], m[0], m[2] }, { get_half (t, e[0], c[0]), inner + 1, get_half (t, e[2], c[0]) } };
  triangles[4 * i + 1] =
      (Triangle){ { m[0], c[1], m[1] }, { get_half (t, e[0], c[1]), get_half (t, e[1], c[1]), inner + 2 } };
  triangles[4 * i + 2] =
      (Triangle){ { m[2], m[1], c[2] }, { inner, get_half (t, e[1], c[2]), get_half (t, e[2], c[2]) } };
  triangles[4 * i + 3] = (Triangle){ { m[1], m[2], m[0] }, { inner, inner + 1, inner + 2 } };
}

/* The two halves of each edge. */
static bool
divide_edges (const Terrain *t, Edge *edges)
{
  bool stopped = false;

#pragma omp parallel for schedule(dynamic) reduction(|| : stopped) if (t->n_edges > AT_ONCE)
  for (size_t from = 0; from < t->n_edges; from += AT_ONCE) {
    stopped = stopped || kg_progress_is_cancelled (t->monitor);
    for (size_t e = from; e < MIN (from + AT_ONCE, t->n_edges) && !stopped; e++)
      for (size_t k = 0; k < 2; k++)
        edges[2 * e + k] =
            (Edge){ { t->edges[e].ends[k], (uint32_t) (t->n_points + e) }, t->edges[e].root, t->edges[e].border };
  }
  return !stopped;
}

/* After the last level nobody asks for the edges. */
static bool
divide (Terrain *t, bool last)
{
  const size_t n_edges = 2 * t->n_edges + 3 * t->n_triangles;
  g_autofree Triangle *triangles = g_new (Triangle, 4 * t->n_triangles);
  g_autofree Edge *edges = last ? NULL : g_new (Edge, n_edges);
  bool stopped = !last && !divide_edges (t, edges);

#pragma omp parallel for schedule(dynamic) reduction(|| : stopped) if (t->n_triangles > AT_ONCE)
  for (size_t from = 0; from < t->n_triangles; from += AT_ONCE) {
    stopped = stopped || kg_progress_is_cancelled (t->monitor);
    for (size_t i = from; i < MIN (from + AT_ONCE, t->n_triangles) && !stopped; i++)
      divide_triangle (t, i, triangles, edges);
  }
  if (stopped)
    return false;
  t->n_points += t->n_edges;
  t->n_triangles *= 4;
  t->n_edges = n_edges;
  g_free (t->triangles);
  g_free (t->edges);
  t->triangles = g_steal_pointer (&triangles);
  t->edges = g_steal_pointer (&edges);
  return true;
}

/* The result. */

static void
raise_to_sea (const Terrain *t)
{
  float *p = kg_geometry_edit_positions (t->terrain);

#pragma omp parallel for schedule(static) if (t->n_points > AT_ONCE)
  for (size_t i = 0; i < t->n_points; i++) {
    const KgVector x = kg_floats_get_vector (p, i);
    const double below = t->rule->sea - kg_vector_dot (x, t->up);

    if (below > 0)
      kg_floats_set_vector (p, i, kg_vector_add_scaled (x, below, t->up));
  }
}

/* Adds the triangles a few at a time: sources, of which original primitive each is. */
static bool
add_triangles (const Terrain *t, const uint32_t *polygons, size_t n_cut, uint32_t *sources)
{
  const size_t n_parts = t->n_triangles / n_cut;
  g_autofree uint32_t *vertices = g_new (uint32_t, 3 * AT_ONCE);

  for (size_t from = 0; from < t->n_triangles; from += AT_ONCE) {
    const size_t n = MIN (AT_ONCE, t->n_triangles - from);

    for (size_t i = 0; i < n; i++) {
      memcpy (vertices + 3 * i, t->triangles[from + i].corners, sizeof t->triangles[from + i].corners);
      sources[from + i] = polygons[(from + i) / n_parts];
    }
    kg_geometry_add_primitives (t->terrain, KG_POLYGON, true, n, 3, vertices);
    if (kg_progress_is_cancelled (t->monitor))
      return false;
  }
  return true;
}

/* Of which original primitive each new one is: those of the triangles, and after them what is no face.  NULL: cancelled.
 * (transfer full) */
static uint32_t *
add_primitives (const Terrain *t, const KgGeometry *geometry, const uint32_t *polygons, size_t n_cut, size_t *n)
{
  const size_t n_primitives = kg_geometry_get_n_primitives (geometry);
  g_autofree uint32_t *sources = g_new (uint32_t, t->n_triangles + n_primitives);

  if (!add_triangles (t, polygons, n_cut, sources))
    return NULL;
  *n = t->n_triangles;
  for (size_t k = 0; k < n_primitives; k++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, k, &primitive);
    if (primitive.kind == KG_POLYGON && primitive.n_vertices >= 3)
      continue;
    kg_geometry_add_primitive (t->terrain, &primitive);
    sources[(*n)++] = (uint32_t) k;
  }
  return g_steal_pointer (&sources);
}

/* The number of points of the result.  False: too many. */
static bool
count_points (const Terrain *t, size_t *n_points, GError **error)
{
  uint64_t points = t->n_points, edges = t->n_edges, triangles = t->n_triangles;
  uint32_t fit = 0;

  for (uint32_t level = 0; level < t->rule->levels; level++) {
    points += edges;
    edges = 2 * edges + 3 * triangles;
    triangles *= 4;
    fit += points <= FRACTAL_TERRAIN_MOST_POINTS;
  }
  *n_points = points;
  if (fit == t->rule->levels)
    return true;
  if (fit > 0)
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%u levels make %" PRIu64 " points, more than %d: use at most %u, or a coarser mesh", t->rule->levels,
                  points, FRACTAL_TERRAIN_MOST_POINTS, fit);
  else
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%u levels make %" PRIu64 " points, more than %d: use a coarser mesh, or level 0", t->rule->levels,
                  points, FRACTAL_TERRAIN_MOST_POINTS);
  return false;
}

static bool
read_mesh (Terrain *t, const GArray *corners, GError **error)
{
  g_autofree uint32_t *same = NULL;
  size_t n_points;

  t->n_points = kg_geometry_get_n_points (t->terrain);
  t->n_triangles = corners->len / 3;
  t->triangles = g_new (Triangle, t->n_triangles);
  for (size_t i = 0; i < t->n_triangles; i++)
    memcpy (t->triangles[i].corners, &g_array_index (corners, uint32_t, 3 * i), sizeof t->triangles[i].corners);
  t->edges = g_new (Edge, 3 * t->n_triangles);
  same = point_pieces_find_same (kg_geometry_get_positions (t->terrain), t->n_points, t->monitor);
  if (same == NULL)
    return false;
  t->ids = g_new (uint64_t, t->n_points);
  for (size_t i = 0; i < t->n_points; i++)
    t->ids[i] = same[i];
  if (!find_edges (t) || !count_points (t, &n_points, error))
    return false;
  find_amplitudes (t);
  t->ids = g_renew (uint64_t, t->ids, n_points);
  return kg_geometry_set_n_points (t->terrain, n_points, error);
}

static bool
raise_levels (Terrain *t)
{
  for (uint32_t level = 0; level < t->rule->levels; level++) {
    /* A level takes four times as long as the one before. */
    kg_progress_report (t->monitor, exp2 (2.0 * ((double) level - t->rule->levels)));
    if (!move_midpoints (t, level) || !fill_attributes (t) || !divide (t, level + 1 == t->rule->levels))
      return false;
  }
  raise_to_sea (t);
  return !kg_progress_is_cancelled (t->monitor);
}

static void
terrain_clear (Terrain *t)
{
  g_clear_pointer (&t->terrain, kg_geometry_unref);
  g_free (t->ids);
  g_free (t->amplitudes);
  g_free (t->edges);
  g_free (t->triangles);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Terrain, terrain_clear)

KgGeometry *
fractal_terrain_new (const KgGeometry *geometry, const FractalTerrain *rule, const KgProgressMonitor *monitor,
                     GError **error)
{
  g_autoptr (GArray) corners = g_array_new (FALSE, FALSE, sizeof (uint32_t)),
                     polygons = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_auto (Terrain) t = { .rule = rule, .monitor = monitor, .terrain = kg_geometry_ref (geometry) };
  g_autofree uint32_t *sources = NULL;
  size_t n;

  if (rule->levels == 0)
    return kg_geometry_ref (geometry);
  if (!vectors_normalize (rule->up, &t.up)) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "up is 0 0 0, which has no direction: give it a direction");
    return NULL;
  }
  if (!triangle_mesh_cut_polygons (geometry, corners, polygons, monitor, error))
    return NULL;
  if (polygons->len == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "none of the %zu primitives is a polygon with three different points: link a mesh",
                  kg_geometry_get_n_primitives (geometry));
    return NULL;
  }
  kg_geometry_make_writable (&t.terrain);
  kg_geometry_clear_primitives (t.terrain);
  if (!read_mesh (&t, corners, error) || !raise_levels (&t))
    return NULL;
  sources = add_primitives (&t, geometry, (const uint32_t *) (const void *) polygons->data, polygons->len, &n);
  if (sources == NULL || !primitive_attributes_copy (t.terrain, geometry, sources, n, NULL, monitor))
    return NULL;
  if (kg_geometry_get_float (t.terrain, KG_POINTS, "N", 3) != NULL)
    kg_geometry_compute_normals (t.terrain);
  kg_progress_report (monitor, 1);
  return kg_progress_is_cancelled (monitor) ? NULL : g_steal_pointer (&t.terrain);
}
