/* triangle_mesh: reading, nearest points and rays, see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/triangle_mesh.h"

#include "geometry/triangle.h"
#include "geometry/triangulate.h"
#include "kg-error.h"

/* Reading. */

/* Twice the area vector (Newell). */
static KgVector
get_area_vector (const float *p, const KgPrimitive *primitive)
{
  const KgVector a = kg_floats_get_vector (p, primitive->vertices[0]);
  KgVector sum = { 0, 0, 0 };

  for (uint32_t i = 1; i + 1 < primitive->n_vertices; i++)
    sum = kg_vector_add (
        sum, kg_vector_cross (kg_vector_subtract (kg_floats_get_vector (p, primitive->vertices[i]), a),
                              kg_vector_subtract (kg_floats_get_vector (p, primitive->vertices[i + 1]), a)));
  return sum;
}

/* Whether triangles from the first corner all face the way of the polygon. */
static bool
is_a_fan (const float *p, const KgPrimitive *primitive, KgVector facing)
{
  const KgVector a = kg_floats_get_vector (p, primitive->vertices[0]);

  for (uint32_t i = 1; i + 1 < primitive->n_vertices; i++) {
    const KgVector b = kg_floats_get_vector (p, primitive->vertices[i]);
    const KgVector c = kg_floats_get_vector (p, primitive->vertices[i + 1]);

    if (kg_vector_dot (facing, kg_vector_cross (kg_vector_subtract (b, a), kg_vector_subtract (c, a))) < 0)
      return false;
  }
  return true;
}

static void
append_triangle (GArray *triangles, GArray *polygons, uint32_t polygon, const uint32_t corners[3])
{
  if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0])
    return;
  g_array_append_vals (triangles, corners, 3);
  g_array_append_val (polygons, polygon);
}

/* In the plane that the polygon faces. */
static void
cut_polygon (const float *p, const KgPrimitive *primitive, KgVector facing, uint32_t number, GArray *triangles,
             GArray *polygons)
{
  const KgVector normal = kg_vector_normalize_or (facing, kg_vector (0, 0, 1));
  const KgVector x = kg_vector_perpendicular (normal), y = kg_vector_cross (normal, x);
  g_autofree double *flat = g_new (double, 2 * (gsize) primitive->n_vertices);
  g_autoptr (GArray) cut = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  for (uint32_t i = 0; i < primitive->n_vertices; i++) {
    const KgVector corner = kg_floats_get_vector (p, primitive->vertices[i]);

    flat[2 * i] = kg_vector_dot (corner, x);
    flat[2 * i + 1] = kg_vector_dot (corner, y);
  }
  triangulate (flat, &primitive->n_vertices, 1, cut);
  for (guint i = 0; i + 2 < cut->len; i += 3) {
    const uint32_t corners[] = { primitive->vertices[g_array_index (cut, uint32_t, i)],
                                 primitive->vertices[g_array_index (cut, uint32_t, i + 1)],
                                 primitive->vertices[g_array_index (cut, uint32_t, i + 2)] };
    const KgVector a = kg_floats_get_vector (p, corners[0]);
    const KgVector cross = kg_vector_cross (kg_vector_subtract (kg_floats_get_vector (p, corners[1]), a),
                                            kg_vector_subtract (kg_floats_get_vector (p, corners[2]), a));
    const uint32_t back[] = { corners[0], corners[2], corners[1] };

    append_triangle (triangles, polygons, number, kg_vector_dot (cross, normal) < 0 ? back : corners);
  }
}

static void
read_polygon (const float *p, const KgPrimitive *primitive, uint32_t number, GArray *triangles, GArray *polygons)
{
  if (primitive->n_vertices > 3) {
    const KgVector facing = get_area_vector (p, primitive);

    if (!is_a_fan (p, primitive, facing)) {
      cut_polygon (p, primitive, facing, number, triangles, polygons);
      return;
    }
  }
  for (uint32_t i = 1; i + 1 < primitive->n_vertices; i++) {
    const uint32_t corners[] = { primitive->vertices[0], primitive->vertices[i], primitive->vertices[i + 1] };

    append_triangle (triangles, polygons, number, corners);
  }
}

bool
triangle_mesh_cut_polygons (const KgGeometry *geometry, GArray *triangles, GArray *polygons,
                            const KgProgressMonitor *monitor, GError **error)
{
  const float *p = kg_geometry_get_positions (geometry);
  const size_t n = kg_geometry_get_n_primitives (geometry);

  for (size_t i = 0; i < n && triangles->len < G_MAXUINT / 8; i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.kind == KG_POLYGON && primitive.n_vertices >= 3)
      read_polygon (p, &primitive, (uint32_t) i, triangles, polygons);
    if (i % 65536 == 0 && kg_progress_is_cancelled (monitor))
      return false;
  }
  if (polygons->len >= G_MAXUINT / 24) {
    kg_set_error (error, KG_ERROR_LIMIT, "more than %u triangles: use a coarser mesh", G_MAXUINT / 24);
    return false;
  }
  return true;
}

/* Edges: who has each first, and which have no partner.  Sides are sorted by their lower corner, of which the triangles of one
 * neighbourhood have few: with a hash table of all edges nearly each look was one into far memory. */
typedef struct {
  uint32_t other; /* the higher corner */
  uint32_t side;  /* 6 times the triangle + twice the side + whether it goes up */
} Side;

/* More sides than this at a corner are sorted by the library: an apex may have millions. */
#define FEW_SIDES 32
/* Corners that a thread takes at once. */
#define CORNERS_AT_ONCE 8192

static int
compare_sides (const void *a, const void *b)
{
  const Side *x = a, *y = b;

  return x->other != y->other ? (x->other > y->other) - (x->other < y->other)
                              : (x->side > y->side) - (x->side < y->side);
}

/* By the higher corner; those of one edge stay in the order of the triangles. */
static void
sort_sides (Side *sides, size_t n)
{
  if (n > FEW_SIDES) {
    qsort (sides, n, sizeof *sides, compare_sides);
    return;
  }
  for (size_t i = 1; i < n; i++) {
    const Side side = sides[i];
    size_t k = i;

    for (; k > 0 && sides[k - 1].other > side.other; k--)
      sides[k] = sides[k - 1];
    sides[k] = side;
  }
}

/* Of the corners [from, to): marks the first of each edge; the number of sides without a partner. */
static size_t
pair_sides (TriangleMesh *mesh, Side *sides, const uint32_t *first, size_t from, size_t to)
{
  size_t n_open = 0;

  for (size_t corner = from; corner < to; corner++) {
    Side *of = sides + first[corner];
    const size_t n = first[corner + 1] - first[corner];

    sort_sides (of, n);
    for (size_t i = 0, k; i < n; i = k) {
      uint8_t *marks = &mesh->edges[of[i].side / 6];
      const uint8_t mark = (uint8_t) (1 << of[i].side % 6 / 2);
      int64_t balance = 0;

      /* Sides of one triangle are at several corners. */
#pragma omp atomic update
      *marks |= mark;
      for (k = i; k < n && of[k].other == of[i].other; k++)
        balance += of[k].side % 2 != 0 ? 1 : -1;
      n_open += (size_t) (balance < 0 ? -balance : balance);
    }
  }
  return n_open;
}

static void
read_edges (TriangleMesh *mesh)
{
  const size_t n_points = kg_geometry_get_n_points (mesh->geometry);
  g_autofree uint32_t *first = g_new0 (uint32_t, n_points + 2);
  g_autofree Side *sides = g_new (Side, MAX (3 * mesh->n, 1));
  size_t n_open = 0;

  mesh->edges = g_new0 (uint8_t, MAX (mesh->n, 1));
  for (size_t i = 0; i < mesh->n; i++)
    for (int k = 0; k < 3; k++)
      first[MIN (mesh->corners[i][k], mesh->corners[i][(k + 1) % 3]) + 2]++;
  for (size_t i = 2; i < n_points + 2; i++)
    first[i] += first[i - 1];
  for (size_t i = 0; i < mesh->n; i++)
    for (uint32_t k = 0; k < 3; k++) {
      const uint32_t a = mesh->corners[i][k], b = mesh->corners[i][(k + 1) % 3];

      sides[first[MIN (a, b) + 1]++] = (Side){ MAX (a, b), 6 * (uint32_t) i + 2 * k + (a < b) };
    }
#pragma omp parallel for schedule(dynamic) reduction(+ : n_open) if (n_points > CORNERS_AT_ONCE)
  for (size_t from = 0; from < n_points; from += CORNERS_AT_ONCE)
    n_open += pair_sides (mesh, sides, first, from, MIN (n_points, from + CORNERS_AT_ONCE));
  mesh->n_open = n_open;
}

static bool
build_tree (TriangleMesh *mesh, const KgProgressMonitor *monitor)
{
  g_autofree BoundingBox *boxes = g_new (BoundingBox, MAX (mesh->n, 1));

#pragma omp parallel for schedule(dynamic, 4096) if (mesh->n > 8192)
  for (size_t i = 0; i < mesh->n; i++) {
    boxes[i] = bounding_box_new ();
    for (int k = 0; k < 3; k++)
      bounding_box_add_point (&boxes[i], mesh->p + 3 * (size_t) mesh->corners[i][k]);
  }
  mesh->tree = box_tree_new (boxes, mesh->n, monitor);
  return mesh->tree != NULL;
}

TriangleMesh *
triangle_mesh_new (const KgGeometry *geometry, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (TriangleMesh) mesh = g_new0 (TriangleMesh, 1);
  GArray *triangles = g_array_new (FALSE, FALSE, sizeof (uint32_t)),
         *polygons = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  KgVector low, high;
  bool cut;

  mesh->geometry = kg_geometry_ref (geometry);
  mesh->p = kg_geometry_get_positions (geometry);
  kg_geometry_get_bounds (geometry, &low, &high);
  mesh->size = kg_vector_distance (low, high);
  cut = triangle_mesh_cut_polygons (geometry, triangles, polygons, monitor, error);
  mesh->n = polygons->len;
  mesh->corners = (uint32_t (*)[3]) (void *) g_array_free (triangles, FALSE);
  mesh->polygon = (uint32_t *) (void *) g_array_free (polygons, FALSE);
  if (!cut || kg_progress_is_cancelled (monitor) || !build_tree (mesh, monitor))
    return NULL;
  read_edges (mesh);
  return g_steal_pointer (&mesh);
}

void
triangle_mesh_free (TriangleMesh *mesh)
{
  g_clear_pointer (&mesh->tree, box_tree_free);
  kg_geometry_unref (mesh->geometry);
  g_free (mesh->corners);
  g_free (mesh->polygon);
  g_free (mesh->edges);
  g_free (mesh);
}

void
triangle_mesh_get_corners (const TriangleMesh *mesh, size_t triangle, KgVector corners[3])
{
  for (int k = 0; k < 3; k++)
    corners[k] = triangle_mesh_get_point (mesh, mesh->corners[triangle][k]);
}

/* Nearest points. */

KgVector
triangle_find_nearest (const KgVector corners[3], KgVector x)
{
  const KgVector ab = kg_vector_subtract (corners[1], corners[0]), ac = kg_vector_subtract (corners[2], corners[0]);
  const KgVector ap = kg_vector_subtract (x, corners[0]), bp = kg_vector_subtract (x, corners[1]);
  const KgVector cp = kg_vector_subtract (x, corners[2]);
  const double d1 = kg_vector_dot (ab, ap), d2 = kg_vector_dot (ac, ap), d3 = kg_vector_dot (ab, bp);
  const double d4 = kg_vector_dot (ac, bp), d5 = kg_vector_dot (ab, cp), d6 = kg_vector_dot (ac, cp);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, sum = va + vb + vc;

  if (d1 <= 0 && d2 <= 0)
    return corners[0];
  if (d3 >= 0 && d4 <= d3)
    return corners[1];
  if (d6 >= 0 && d5 <= d6)
    return corners[2];
  if (vc <= 0 && d1 >= 0 && d3 <= 0)
    return kg_vector_add_scaled (corners[0], d1 > d3 ? d1 / (d1 - d3) : 0, ab);
  if (vb <= 0 && d2 >= 0 && d6 <= 0)
    return kg_vector_add_scaled (corners[0], d2 > d6 ? d2 / (d2 - d6) : 0, ac);
  if (va <= 0 && d4 >= d3 && d5 >= d6) {
    const double across = (d4 - d3) + (d5 - d6);

    return kg_vector_lerp (corners[1], corners[2], across > 0 ? (d4 - d3) / across : 0);
  }
  return kg_vector_add_scaled (kg_vector_add_scaled (corners[0], vb / sum, ab), vc / sum, ac);
}

typedef struct {
  const TriangleMesh *mesh;
  KgVector x;
  double distance2;
  MeshNearest best;
} Nearest;

static bool
try_triangle (gpointer data, uint32_t triangle)
{
  Nearest *nearest = data;
  KgVector corners[3], point, d;
  double distance2;

  triangle_mesh_get_corners (nearest->mesh, triangle, corners);
  point = triangle_find_nearest (corners, nearest->x);
  d = kg_vector_subtract (point, nearest->x);
  distance2 = kg_vector_dot (d, d);
  if (distance2 < nearest->distance2 || (distance2 == nearest->distance2 && triangle < nearest->best.triangle)) {
    nearest->distance2 = distance2;
    nearest->best = (MeshNearest){ triangle, point, sqrt (distance2) };
  }
  return true;
}

MeshNearest
triangle_mesh_find_nearest (const TriangleMesh *mesh, KgVector x)
{
  Nearest nearest = { .mesh = mesh, .x = x, .distance2 = INFINITY, .best = { .distance = INFINITY } };

  box_tree_visit_near (mesh->tree, x, &nearest.distance2, try_triangle, &nearest);
  return nearest.best;
}

static bool
stop_within (gpointer data, uint32_t triangle)
{
  Nearest *nearest = data;

  try_triangle (nearest, triangle);
  return nearest->best.distance == INFINITY;
}

bool
triangle_mesh_is_within (const TriangleMesh *mesh, KgVector x, double distance)
{
  Nearest nearest = { .mesh = mesh, .x = x, .distance2 = distance * distance, .best = { .distance = INFINITY } };

  box_tree_visit_near (mesh->tree, x, &nearest.distance2, stop_within, &nearest);
  return nearest.best.distance < distance;
}

/* Rays. */

typedef struct {
  const TriangleMesh *mesh;
  KgVector x, d;
  double t;
  uint32_t triangle;
  bool hit;
} RayHit;

static bool
hit_triangle (gpointer data, uint32_t triangle)
{
  RayHit *ray = data;
  KgVector corners[3];
  double u, v, t;

  triangle_mesh_get_corners (ray->mesh, triangle, corners);
  if (triangle_pierce (corners, ray->x, ray->d, &u, &v, &t) == 0)
    return true;
  if (u >= 0 && v >= 0 && u + v <= 1 && t >= 0 &&
      (t < ray->t || (t == ray->t && (!ray->hit || triangle < ray->triangle)))) {
    ray->t = t;
    ray->triangle = triangle;
    ray->hit = true;
  }
  return true;
}

bool
triangle_mesh_hit (const TriangleMesh *mesh, KgVector x, KgVector d, double *t, uint32_t *triangle)
{
  RayHit ray = { .mesh = mesh, .x = x, .d = d, .t = *t };

  box_tree_visit_ray (mesh->tree, x, d, &ray.t, hit_triangle, &ray);
  *t = ray.t;
  *triangle = ray.triangle;
  return ray.hit;
}
