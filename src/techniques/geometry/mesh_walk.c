/* mesh_walk: the mesh that ways lead over: which triangles and points are next to each other, and places on them.
 * Source: closest point of a triangle as in Ericson, Real-Time Collision Detection, 5.1.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/mesh_walk_private.h"
#include "kg-floats.h"
#include "geometry/triangulate.h"

/* Steps between two checks whether the work was cancelled. */
#define ASK_EVERY 256

MeshPath *
mesh_path_new (void)
{
  MeshPath *path = g_new0 (MeshPath, 1);

  path->positions = g_array_new (FALSE, FALSE, sizeof (KgVector));
  path->places = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  path->points = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  return path;
}

void
mesh_path_free (MeshPath *path)
{
  g_array_unref (path->positions);
  g_array_unref (path->places);
  g_array_unref (path->points);
  g_free (path);
}

void
mesh_path_clear (MeshPath *path)
{
  g_array_set_size (path->positions, 0);
  g_array_set_size (path->places, 0);
  g_array_set_size (path->points, 0);
  path->length = 0;
  path->ended = false;
  path->cancelled = false;
}

MeshPath *
mesh_path_new_like (const MeshPath *other)
{
  MeshPath *path = mesh_path_new ();

  path->monitor = other->monitor;
  path->ticks = other->ticks;
  return path;
}

bool
mesh_path_continues (MeshPath *path)
{
  path->ticks++;
  path->cancelled |= path->ticks % ASK_EVERY == 0 && kg_progress_is_cancelled (path->monitor);
  return !path->cancelled;
}

void
mesh_path_add (MeshPath *path, KgVector p, uint32_t triangle)
{
  if (path->positions->len > 0) {
    const double step = kg_vector_distance (p, g_array_index (path->positions, KgVector, path->positions->len - 1));

    /* The same place again adds nothing. */
    if (!(step > 0))
      return;
    path->length += step;
  }
  g_array_append_val (path->positions, p);
  g_array_append_val (path->places, triangle);
}

/* Making. */

/* Cuts a polygon of four and more corners in the plane that it faces. */
static void
cut_polygon (const MeshWalk *walk, const KgPrimitive *polygon, GArray *corners)
{
  const uint32_t n = polygon->n_vertices;
  g_autofree double *flat = g_new (double, 2 * (size_t) n);
  g_autoptr (GArray) triangles = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  const KgVector origin = walk->points[polygon->vertices[0]];
  KgVector normal = { 0, 0, 0 }, x, y;

  for (uint32_t i = 0; i < n; i++)
    normal = kg_vector_add (
        normal, kg_vector_cross (kg_vector_subtract (walk->points[polygon->vertices[i]], origin),
                                 kg_vector_subtract (walk->points[polygon->vertices[(i + 1) % n]], origin)));
  normal = kg_vector_normalize_or (normal, kg_vector (0, 0, 1));
  x = kg_vector_perpendicular (normal);
  y = kg_vector_cross (normal, x);
  for (uint32_t i = 0; i < n; i++) {
    const KgVector d = kg_vector_subtract (walk->points[polygon->vertices[i]], origin);

    flat[2 * i] = kg_vector_dot (d, x);
    flat[2 * i + 1] = kg_vector_dot (d, y);
  }
  triangulate (flat, &n, 1, triangles);
  for (guint i = 0; i + 2 < triangles->len; i += 3) {
    uint32_t t[3];
    double area = 0;

    for (guint k = 0; k < 3; k++)
      t[k] = g_array_index (triangles, uint32_t, i + k);
    for (guint k = 0; k < 3; k++)
      area += flat[2 * t[k]] * flat[2 * t[(k + 1) % 3] + 1] - flat[2 * t[(k + 1) % 3]] * flat[2 * t[k] + 1];
    /* All as the polygon turns. */
    if (area < 0) {
      const uint32_t swap = t[1];

      t[1] = t[2];
      t[2] = swap;
    }
    for (guint k = 0; k < 3; k++)
      g_array_append_val (corners, polygon->vertices[t[k]]);
  }
}

/* Edges as sorted pairs of points with the triangle side they belong to. */
typedef struct {
  uint32_t a, b;
  uint32_t side; /* 3 * triangle + k */
} Edge;

static int
compare_edges (gconstpointer x, gconstpointer y)
{
  const Edge *a = (const Edge *) x, *b = (const Edge *) y;

  if (a->a != b->a)
    return a->a < b->a ? -1 : 1;
  if (a->b != b->b)
    return a->b < b->b ? -1 : 1;
  return a->side < b->side ? -1 : a->side > b->side;
}

static Edge
make_edge (uint32_t a, uint32_t b, uint32_t side)
{
  return (Edge){ MIN (a, b), MAX (a, b), side };
}

static void
link_triangles (MeshWalk *walk)
{
  const size_t n = 3 * walk->n_triangles;
  g_autofree Edge *edges = g_new (Edge, n);

  walk->across = g_new (uint32_t, n);
  for (size_t i = 0; i < n; i++) {
    walk->across[i] = MESH_NONE;
    edges[i] = make_edge (walk->corners[i], walk->corners[i - i % 3 + (i + 1) % 3], (uint32_t) i);
  }
  qsort (edges, n, sizeof *edges, compare_edges);
  /* Two triangles at an edge are neighbours; further ones belong to another sheet. */
  for (size_t i = 0; i + 1 < n; i++)
    if (edges[i].a == edges[i + 1].a && edges[i].b == edges[i + 1].b) {
      walk->across[edges[i].side] = edges[i + 1].side / 3;
      walk->across[edges[i + 1].side] = edges[i].side / 3;
      i++;
    }
}

/* The points next to each other along edges of polygons, in order of their numbers. */
static void
link_points (MeshWalk *walk, const KgGeometry *geometry)
{
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (Edge));
  size_t kept = 0;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive polygon;

    kg_geometry_get_primitive (geometry, i, &polygon);
    for (uint32_t k = 0; polygon.kind == KG_POLYGON && polygon.n_vertices >= 3 && k < polygon.n_vertices; k++) {
      const uint32_t a = polygon.vertices[k], b = polygon.vertices[(k + 1) % polygon.n_vertices];
      const Edge there = { a, b, 0 }, back = { b, a, 0 };

      if (a == b)
        continue;
      g_array_append_val (edges, there);
      g_array_append_val (edges, back);
    }
  }
  g_array_sort (edges, compare_edges);
  walk->first = g_new0 (uint32_t, walk->n_points + 1);
  walk->neighbours = g_new (uint32_t, MAX (edges->len, 1));
  for (guint i = 0; i < edges->len; i++) {
    const Edge *e = &g_array_index (edges, Edge, i);

    if (i > 0 && e->a == e[-1].a && e->b == e[-1].b)
      continue;
    walk->neighbours[kept++] = e->b;
    walk->first[e->a + 1]++;
  }
  for (size_t i = 0; i < walk->n_points; i++)
    walk->first[i + 1] += walk->first[i];
}

static void
link_around (MeshWalk *walk)
{
  g_autofree uint32_t *next = NULL;

  walk->first_around = g_new0 (uint32_t, walk->n_points + 1);
  walk->around = g_new (uint32_t, 3 * walk->n_triangles);
  for (size_t i = 0; i < 3 * walk->n_triangles; i++)
    walk->first_around[walk->corners[i] + 1]++;
  for (size_t i = 0; i < walk->n_points; i++)
    walk->first_around[i + 1] += walk->first_around[i];
  next = g_memdup2 (walk->first_around, (walk->n_points + 1) * sizeof *next);
  for (size_t i = 0; i < 3 * walk->n_triangles; i++)
    walk->around[next[walk->corners[i]]++] = (uint32_t) (i / 3);
}

static void
find_normals (MeshWalk *walk)
{
  walk->normals = g_new (KgVector, walk->n_triangles);
  walk->point_normals = g_new0 (KgVector, walk->n_points);
  for (size_t i = 0; i < walk->n_triangles; i++) {
    const KgVector a = mesh_walk_get_corner (walk, (uint32_t) i, 0);
    const KgVector area = kg_vector_cross (kg_vector_subtract (mesh_walk_get_corner (walk, (uint32_t) i, 1), a),
                                           kg_vector_subtract (mesh_walk_get_corner (walk, (uint32_t) i, 2), a));

    walk->normals[i] = kg_vector_normalize_or (area, kg_vector (0, 0, 0));
    for (size_t k = 0; k < 3; k++) {
      KgVector *n = &walk->point_normals[walk->corners[3 * i + k]];

      *n = kg_vector_add (*n, area);
    }
  }
  for (size_t i = 0; i < walk->n_points; i++)
    walk->point_normals[i] = kg_vector_normalize_or (walk->point_normals[i], kg_vector (0, 0, 0));
}

MeshWalk *
mesh_walk_new (const KgGeometry *geometry, const KgProgressMonitor *monitor, GError **error)
{
  void (*const stages[]) (MeshWalk *) = { link_triangles, link_around, find_normals };
  g_autoptr (MeshWalk) walk = g_new0 (MeshWalk, 1);
  g_autoptr (GArray) corners = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  const float *p = kg_geometry_get_positions (geometry);
  KgVector low, high;

  walk->n_points = kg_geometry_get_n_points (geometry);
  walk->points = g_new (KgVector, MAX (walk->n_points, 1));
  for (size_t i = 0; i < walk->n_points; i++)
    walk->points[i] = kg_floats_get_vector (p, i);
  kg_geometry_get_bounds (geometry, &low, &high);
  walk->size = kg_vector_distance (low, high);
  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive polygon;

    if (i % ASK_EVERY == ASK_EVERY - 1 && kg_progress_is_cancelled (monitor))
      return NULL;
    kg_geometry_get_primitive (geometry, i, &polygon);
    if (polygon.kind != KG_POLYGON || polygon.n_vertices < 3)
      continue;
    if (polygon.n_vertices == 3)
      g_array_append_vals (corners, polygon.vertices, 3);
    else
      cut_polygon (walk, &polygon, corners);
  }
  walk->n_triangles = corners->len / 3;
  if (walk->n_triangles == 0 || !(walk->size > 0)) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the geometry has no surface to walk on: link one with polygons, such as a grid or a sphere");
    return NULL;
  }
  walk->corners = (uint32_t *) (void *) g_array_free (g_steal_pointer (&corners), FALSE);
  link_points (walk, geometry);
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++) {
    if (kg_progress_is_cancelled (monitor))
      return NULL;
    stages[i](walk);
  }
  return g_steal_pointer (&walk);
}

void
mesh_walk_free (MeshWalk *walk)
{
  g_free (walk->points);
  g_free (walk->point_normals);
  g_free (walk->corners);
  g_free (walk->across);
  g_free (walk->normals);
  g_free (walk->first);
  g_free (walk->neighbours);
  g_free (walk->first_around);
  g_free (walk->around);
  g_free (walk);
}

size_t
mesh_walk_get_bytes (const MeshWalk *walk)
{
  return sizeof *walk + walk->n_points * (2 * sizeof (KgVector) + 8 + 6 * 4) +
         walk->n_triangles * (sizeof (KgVector) + 9 * 4);
}

double
mesh_walk_get_size (const MeshWalk *walk)
{
  return walk->size;
}

size_t
mesh_walk_get_n_points (const MeshWalk *walk)
{
  return walk->n_points;
}

guint
mesh_walk_find_side (const MeshWalk *walk, uint32_t triangle, uint32_t neighbour)
{
  for (guint k = 0; k < 3; k++)
    if (walk->across[3 * (size_t) triangle + k] == neighbour)
      return k;
  return 3;
}

/* Places. */

/* Weights of the corners for the place of the triangle closest to q. */
static void
closest_weights (KgVector a, KgVector b, KgVector c, KgVector q, double w[3])
{
  const KgVector ab = kg_vector_subtract (b, a), ac = kg_vector_subtract (c, a);
  const KgVector aq = kg_vector_subtract (q, a), bq = kg_vector_subtract (q, b), cq = kg_vector_subtract (q, c);
  const double d1 = kg_vector_dot (ab, aq), d2 = kg_vector_dot (ac, aq);
  const double d3 = kg_vector_dot (ab, bq), d4 = kg_vector_dot (ac, bq);
  const double d5 = kg_vector_dot (ab, cq), d6 = kg_vector_dot (ac, cq);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, sum = va + vb + vc;
  double t;

  w[0] = w[1] = w[2] = 0;
  if (d1 <= 0 && d2 <= 0)
    w[0] = 1;
  else if (d3 >= 0 && d4 <= d3)
    w[1] = 1;
  else if (d6 >= 0 && d5 <= d6)
    w[2] = 1;
  else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    t = d1 > d3 ? d1 / (d1 - d3) : 0;
    w[0] = 1 - t;
    w[1] = t;
  } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    t = d2 > d6 ? d2 / (d2 - d6) : 0;
    w[0] = 1 - t;
    w[2] = t;
  } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double whole = (d4 - d3) + (d5 - d6);

    t = whole > 0 ? (d4 - d3) / whole : 0;
    w[1] = 1 - t;
    w[2] = t;
  } else if (sum > 0) {
    w[0] = va / sum;
    w[1] = vb / sum;
    w[2] = vc / sum;
  } else
    w[0] = 1;
}

double
mesh_walk_get_distance (const MeshWalk *walk, uint32_t triangle, KgVector q, KgVector *closest)
{
  double w[3];

  closest_weights (mesh_walk_get_corner (walk, triangle, 0), mesh_walk_get_corner (walk, triangle, 1),
                   mesh_walk_get_corner (walk, triangle, 2), q, w);
  *closest = mesh_walk_mix (walk, triangle, w);
  return kg_vector_distance (*closest, q);
}

MeshPlace
mesh_walk_find (const MeshWalk *walk, KgVector point)
{
  MeshPlace best = { 0, mesh_walk_get_corner (walk, 0, 0) };
  double least = INFINITY;

  for (uint32_t i = 0; i < walk->n_triangles; i++) {
    KgVector closest;
    const double d = mesh_walk_get_distance (walk, i, point, &closest);

    if (d < least) {
      least = d;
      best = (MeshPlace){ i, closest };
    }
  }
  return best;
}

bool
mesh_walk_find_point (const MeshWalk *walk, uint32_t point, MeshPlace *place)
{
  if (point >= walk->n_points || walk->first_around[point] == walk->first_around[point + 1])
    return false;
  *place = (MeshPlace){ walk->around[walk->first_around[point]], walk->points[point] };
  return true;
}

uint32_t
mesh_walk_get_nearest_point (const MeshWalk *walk, MeshPlace place)
{
  guint best = 0;

  for (guint k = 1; k < 3; k++)
    if (kg_vector_distance (mesh_walk_get_corner (walk, place.triangle, k), place.position) <
        kg_vector_distance (mesh_walk_get_corner (walk, place.triangle, best), place.position))
      best = k;
  return walk->corners[3 * (size_t) place.triangle + best];
}

KgVector
mesh_walk_get_normal (const MeshWalk *walk, MeshPlace place)
{
  KgVector n = { 0, 0, 0 };
  double w[3];

  closest_weights (mesh_walk_get_corner (walk, place.triangle, 0), mesh_walk_get_corner (walk, place.triangle, 1),
                   mesh_walk_get_corner (walk, place.triangle, 2), place.position, w);
  for (size_t k = 0; k < 3; k++)
    n = kg_vector_add_scaled (n, w[k], walk->point_normals[walk->corners[3 * (size_t) place.triangle + k]]);
  return kg_vector_normalize_or (n, walk->normals[place.triangle]);
}
