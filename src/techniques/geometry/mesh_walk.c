/* mesh_walk: paths over the surface of a mesh.
 * Sources: Parent, Computer Animation, 3.4.3; closest point of a triangle as in Ericson, Real-Time Collision Detection, 5.1.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/mesh_walk.h"

#include "geometry/triangulate.h"

#define NONE UINT32_MAX
/* What counts as the same place, as a share of the size of the mesh. */
#define SAME 1e-9
/* The same where points are off by their own rounding: for ways along a row of them, such as a border. */
#define ROUNDED 1e-6
/* How many steps are taken between two questions whether to go on. */
#define ASK_EVERY 256
/* How far outside a triangle, as a share of its size, a pair of parameters still belongs to it. */
#define CHART_TOLERANCE 1e-6
/* A triangle over more cells of a chart than this is in a list of its own. */
#define MAX_CELLS 64

struct _MeshWalk {
  size_t n_points, n_triangles;
  KgVector *points;
  KgVector *point_normals;
  uint32_t *corners; /* three of each triangle */
  uint32_t *across;  /* the triangle beyond the edge from corner k to the next, or NONE */
  KgVector *normals; /* of triangles */
  uint32_t *first;   /* of each point, into neighbours: those along edges of the polygons */
  uint32_t *neighbours;
  uint32_t *first_around; /* of each point, into around: the triangles at it */
  uint32_t *around;
  double size;
};

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

static void
path_clear (MeshPath *path)
{
  g_array_set_size (path->positions, 0);
  g_array_set_size (path->places, 0);
  g_array_set_size (path->points, 0);
  path->length = 0;
  path->ended = false;
  path->cancelled = false;
}

/* A way that is looked for on behalf of another. */
static MeshPath *
path_new_like (const MeshPath *other)
{
  MeshPath *path = mesh_path_new ();

  path->monitor = other->monitor;
  path->ticks = other->ticks;
  return path;
}

/* To be asked at each step. */
static bool
path_goes_on (MeshPath *path)
{
  path->ticks++;
  path->cancelled |= path->ticks % ASK_EVERY == 0 && kg_progress_is_cancelled (path->monitor);
  return !path->cancelled;
}

static void
path_add (MeshPath *path, KgVector p, uint32_t triangle)
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

static KgVector
corner (const MeshWalk *walk, uint32_t triangle, guint k)
{
  return walk->points[walk->corners[3 * (size_t) triangle + k % 3]];
}

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
    walk->across[i] = NONE;
    edges[i] = make_edge (walk->corners[i], walk->corners[i - i % 3 + (i + 1) % 3], (uint32_t) i);
  }
  qsort (edges, n, sizeof *edges, compare_edges);
  /* Two triangles at an edge are neighbours; what more there are is another sheet. */
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
    const KgVector a = corner (walk, (uint32_t) i, 0);
    const KgVector area = kg_vector_cross (kg_vector_subtract (corner (walk, (uint32_t) i, 1), a),
                                           kg_vector_subtract (corner (walk, (uint32_t) i, 2), a));

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
    walk->points[i] = kg_vector ((double) p[3 * i], (double) p[3 * i + 1], (double) p[3 * i + 2]);
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
                  "the geometry has no surface to walk on: give one with polygons, such as a grid or a sphere");
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

KgVector
mesh_walk_get_point (const MeshWalk *walk, uint32_t point)
{
  return walk->points[point];
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

static KgVector
mix (const MeshWalk *walk, uint32_t triangle, const double w[3])
{
  KgVector p = { 0, 0, 0 };

  for (guint k = 0; k < 3; k++)
    p = kg_vector_add_scaled (p, w[k], corner (walk, triangle, k));
  return p;
}

static double
distance_to_triangle (const MeshWalk *walk, uint32_t triangle, KgVector q, KgVector *closest)
{
  double w[3];

  closest_weights (corner (walk, triangle, 0), corner (walk, triangle, 1), corner (walk, triangle, 2), q, w);
  *closest = mix (walk, triangle, w);
  return kg_vector_distance (*closest, q);
}

MeshPlace
mesh_walk_find (const MeshWalk *walk, KgVector point)
{
  MeshPlace best = { 0, corner (walk, 0, 0) };
  double least = INFINITY;

  for (uint32_t i = 0; i < walk->n_triangles; i++) {
    KgVector closest;
    const double d = distance_to_triangle (walk, i, point, &closest);

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
    if (kg_vector_distance (corner (walk, place.triangle, k), place.position) <
        kg_vector_distance (corner (walk, place.triangle, best), place.position))
      best = k;
  return walk->corners[3 * (size_t) place.triangle + best];
}

KgVector
mesh_walk_get_normal (const MeshWalk *walk, MeshPlace place)
{
  KgVector n = { 0, 0, 0 };
  double w[3];

  closest_weights (corner (walk, place.triangle, 0), corner (walk, place.triangle, 1), corner (walk, place.triangle, 2),
                   place.position, w);
  for (size_t k = 0; k < 3; k++)
    n = kg_vector_add_scaled (n, w[k], walk->point_normals[walk->corners[3 * (size_t) place.triangle + k]]);
  return kg_vector_normalize_or (n, walk->normals[place.triangle]);
}

/* Walking along a line where a number that is given at the points is zero. */

typedef struct {
  const MeshWalk *walk;
  double (*height) (const void *data, uint32_t point);
  const void *data;
  double zero; /* a point at exactly zero counts as above for 1, as below for -1 */
} Line;

static bool
is_above (const Line *line, uint32_t point)
{
  const double h = line->height (line->data, point);

  return h > 0 || (h == 0 && line->zero > 0);
}

/* The place on the edge k of a triangle where the line crosses; false when it does not. */
static bool
get_crossing (const Line *line, uint32_t triangle, guint k, KgVector *p)
{
  const uint32_t a = line->walk->corners[3 * (size_t) triangle + k];
  const uint32_t b = line->walk->corners[3 * (size_t) triangle + (k + 1) % 3];
  double ha, hb;

  if (is_above (line, a) == is_above (line, b))
    return false;
  ha = line->height (line->data, a);
  hb = line->height (line->data, b);
  *p = ha == hb ? line->walk->points[a] : kg_vector_lerp (line->walk->points[a], line->walk->points[b], ha / (ha - hb));
  return true;
}

static guint
find_side (const MeshWalk *walk, uint32_t triangle, uint32_t neighbour)
{
  for (guint k = 0; k < 3; k++)
    if (walk->across[3 * (size_t) triangle + k] == neighbour)
      return k;
  return 3;
}

/* From a triangle that the line crosses out over its edge k, until is_end says yes.  False at a border, or when it
 * comes round to where it began. */
static bool
follow_line (const Line *line, uint32_t triangle, guint k, bool (*is_end) (const void *data, uint32_t triangle),
             const void *data, MeshPath *path)
{
  const uint32_t start = triangle;

  for (size_t step = 0; step <= line->walk->n_triangles && path_goes_on (path); step++) {
    KgVector p;
    uint32_t next;
    guint side, out = 3;

    if (is_end (data, triangle))
      return true;
    if (!get_crossing (line, triangle, k, &p))
      return false;
    path_add (path, p, triangle);
    next = line->walk->across[3 * (size_t) triangle + k];
    if (next == NONE || next == start)
      return false;
    side = find_side (line->walk, next, triangle);
    for (guint i = 0; i < 3; i++)
      if (i != side && get_crossing (line, next, i, &p))
        out = i;
    triangle = next;
    if (out == 3)
      return is_end (data, triangle);
    k = out;
  }
  return false;
}

/* Plane sections. */

typedef struct {
  const MeshWalk *walk;
  KgVector origin, normal;
  MeshPlace end;
  double same; /* what is closer to the plane is on it: rows of points along it are then read one way */
} Section;

static double
section_height (const void *data, uint32_t point)
{
  const Section *section = (const Section *) data;
  const double height =
      kg_vector_dot (section->normal, kg_vector_subtract (section->walk->points[point], section->origin));

  return fabs (height) <= section->same ? 0 : height;
}

static bool
section_is_end (const void *data, uint32_t triangle)
{
  const Section *section = (const Section *) data;
  KgVector closest;

  return triangle == section->end.triangle ||
         distance_to_triangle (section->walk, triangle, section->end.position, &closest) <= section->same;
}

/* Tries the ways out of a triangle; keeps the shortest. */
static void
try_section (const Section *section, MeshPlace start, uint32_t triangle, double zero, MeshPath *best)
{
  const Line line = { section->walk, section_height, section, zero };

  for (guint k = 0; k < 3; k++) {
    g_autoptr (MeshPath) path = path_new_like (best);
    KgVector p;

    if (best->cancelled || !get_crossing (&line, triangle, k, &p))
      continue;
    path_add (path, start.position, triangle);
    if (!follow_line (&line, triangle, k, section_is_end, section, path)) {
      best->cancelled = path->cancelled;
      best->ticks = path->ticks;
      continue;
    }
    path_add (path, section->end.position, section->end.triangle);
    if (best->positions->len == 0 || path->length < best->length) {
      const MeshPath swap = *best;

      *best = *path;
      *path = swap;
    }
  }
}

bool
mesh_walk_cut (const MeshWalk *walk, MeshPlace start, MeshPlace end, MeshPath *path, GError **error)
{
  const KgVector way = kg_vector_subtract (end.position, start.position);
  const KgVector sum = kg_vector_add (mesh_walk_get_normal (walk, start), mesh_walk_get_normal (walk, end));
  Section section = { .walk = walk, .origin = start.position, .end = end };
  KgVector closest;

  path_clear (path);
  if (kg_vector_length (way) <= SAME * walk->size) {
    path_add (path, start.position, start.triangle);
    return true;
  }
  section.normal = kg_vector_cross (kg_vector_scale (way, 1 / kg_vector_length (way)),
                                    kg_vector_normalize_or (sum, kg_vector (0, 0, 0)));
  if (!(kg_vector_length (sum) > 1e-6) || !(kg_vector_length (section.normal) > 1e-6)) {
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "start and end face away from each other, or lie one behind the other: no plane goes through both and "
        "their normals; go by a place between them");
    return false;
  }
  section.normal = kg_vector_normalize_or (section.normal, section.normal);
  if (start.triangle == end.triangle) {
    path_add (path, start.position, start.triangle);
    path_add (path, end.position, end.triangle);
    return true;
  }
  /* The start may be on an edge or at a point: all triangles that touch it, and both readings of "on the plane". */
  for (int attempt = 0; attempt < 4 && path->positions->len == 0 && !path->cancelled; attempt++) {
    const double side = attempt % 2 == 0 ? 1 : -1;

    section.same = (attempt < 2 ? SAME : ROUNDED) * walk->size;
    try_section (&section, start, start.triangle, side, path);
    for (guint k = 0; k < 3; k++) {
      const uint32_t point = walk->corners[3 * (size_t) start.triangle + k];

      for (uint32_t i = walk->first_around[point]; i < walk->first_around[point + 1]; i++)
        if (walk->around[i] != start.triangle &&
            distance_to_triangle (walk, walk->around[i], start.position, &closest) <= section.same)
          try_section (&section, start, walk->around[i], side, path);
    }
  }
  if (path->cancelled || path->positions->len > 0)
    return !path->cancelled;
  kg_set_error (
      error, KG_ERROR_DEGENERATE,
      "the plane through start and end meets the border of the surface before it reaches the end: the surface "
      "has a hole there or is not connected; go by another place, or along edges");
  return false;
}

/* Straight lines in surface parameters. */

struct _MeshChart {
  size_t n_points;
  float *uv;
  double low[2], cell[2]; /* of the grid: its corner, and the sides of a cell */
  guint n_cells[2];
  uint32_t *first; /* of each cell, into triangles */
  uint32_t *triangles;
  GArray *wide; /* uint32_t: those over many cells */
};

static guint
chart_get_cell (const MeshChart *chart, guint c, double x)
{
  const double cells = (x - chart->low[c]) / chart->cell[c];

  return cells > 0 ? (guint) fmin (cells, chart->n_cells[c] - 1) : 0;
}

/* Which cells a triangle is over, with what counts as in it; false for one that no parameters can be in. */
static bool
chart_get_cells (const MeshChart *chart, const MeshWalk *walk, uint32_t triangle, guint from[2], guint to[2])
{
  for (guint c = 0; c < 2; c++) {
    double low = INFINITY, high = -INFINITY, margin;

    for (guint k = 0; k < 3; k++) {
      const double x = (double) chart->uv[2 * (size_t) walk->corners[3 * (size_t) triangle + k] + c];

      if (!isfinite (x))
        return false;
      low = fmin (low, x);
      high = fmax (high, x);
    }
    margin = 4 * CHART_TOLERANCE * (high - low);
    from[c] = chart_get_cell (chart, c, low - margin);
    to[c] = chart_get_cell (chart, c, high + margin);
  }
  return true;
}

/* About as many cells as triangles, over what the parameters cover. */
static void
chart_lay_grid (MeshChart *chart, size_t n_triangles)
{
  const double side = kg_clamp (ceil (sqrt ((double) n_triangles)), 1, 2048);

  for (guint c = 0; c < 2; c++) {
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < chart->n_points; i++)
      if (isfinite (chart->uv[2 * i + c])) {
        low = fmin (low, (double) chart->uv[2 * i + c]);
        high = fmax (high, (double) chart->uv[2 * i + c]);
      }
    chart->n_cells[c] = (guint) side;
    chart->low[c] = low <= high ? low : 0;
    chart->cell[c] = high > low ? (high - low) / side : 1;
  }
}

/* Counts what each cell has, or (triangles made) fills it in, in order. */
static void
chart_sort_triangles (MeshChart *chart, const MeshWalk *walk, uint32_t *next)
{
  for (uint32_t i = 0; i < walk->n_triangles; i++) {
    guint from[2], to[2];

    if (!chart_get_cells (chart, walk, i, from, to))
      continue;
    if ((guint64) (to[0] - from[0] + 1) * (to[1] - from[1] + 1) > MAX_CELLS) {
      if (chart->triangles != NULL)
        g_array_append_val (chart->wide, i);
      continue;
    }
    for (guint y = from[1]; y <= to[1]; y++)
      for (guint x = from[0]; x <= to[0]; x++) {
        uint32_t *at = &next[(size_t) y * chart->n_cells[0] + x];

        if (chart->triangles != NULL)
          chart->triangles[*at] = i;
        ++*at;
      }
  }
}

MeshChart *
mesh_chart_new (const MeshWalk *walk, const float *uv)
{
  MeshChart *chart = g_new0 (MeshChart, 1);
  g_autofree uint32_t *next = NULL;
  size_t n;

  chart->n_points = walk->n_points;
  chart->uv = g_memdup2 (uv, 2 * walk->n_points * sizeof *uv);
  chart->wide = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  chart_lay_grid (chart, walk->n_triangles);
  n = (size_t) chart->n_cells[0] * chart->n_cells[1];
  chart->first = g_new0 (uint32_t, n + 1);
  chart_sort_triangles (chart, walk, chart->first + 1);
  for (size_t i = 0; i < n; i++)
    chart->first[i + 1] += chart->first[i];
  chart->triangles = g_new (uint32_t, MAX (chart->first[n], 1));
  next = g_memdup2 (chart->first, (n + 1) * sizeof *next);
  chart_sort_triangles (chart, walk, next);
  return chart;
}

void
mesh_chart_free (MeshChart *chart)
{
  g_free (chart->uv);
  g_free (chart->first);
  g_free (chart->triangles);
  g_array_unref (chart->wide);
  g_free (chart);
}

size_t
mesh_chart_get_bytes (const MeshChart *chart)
{
  const size_t n = (size_t) chart->n_cells[0] * chart->n_cells[1];

  return sizeof *chart + 2 * chart->n_points * sizeof (float) +
         (n + 1 + chart->first[n] + chart->wide->len) * sizeof (uint32_t);
}

void
mesh_chart_collect (const MeshChart *chart, const double at[2], GArray *triangles)
{
  size_t cell = 0;
  guint w = 0;

  g_array_set_size (triangles, 0);
  for (guint c = 2; c-- > 0;)
    cell = cell * chart->n_cells[c] + chart_get_cell (chart, c, at[c]);
  for (uint32_t i = chart->first[cell]; i < chart->first[cell + 1]; i++) {
    for (; w < chart->wide->len && g_array_index (chart->wide, uint32_t, w) < chart->triangles[i]; w++)
      g_array_append_val (triangles, g_array_index (chart->wide, uint32_t, w));
    g_array_append_val (triangles, chart->triangles[i]);
  }
  for (; w < chart->wide->len; w++)
    g_array_append_val (triangles, g_array_index (chart->wide, uint32_t, w));
}

/* A straight line over a chart. */
typedef struct {
  const MeshWalk *walk;
  const float *uv;
  double start[2], way[2], end[2];
} Straight;

static double
chart_height (const void *data, uint32_t point)
{
  const Straight *straight = (const Straight *) data;
  const double u = (double) straight->uv[2 * (size_t) point] - straight->start[0];
  const double v = (double) straight->uv[2 * (size_t) point + 1] - straight->start[1];

  const double height = straight->way[0] * v - straight->way[1] * u;

  return fabs (height) <= SAME * hypot (straight->way[0], straight->way[1]) ? 0 : height;
}

/* Weights of the corners for a pair of parameters, and by how much the smallest is below zero. */
static double
chart_weights (const Straight *straight, uint32_t triangle, const double at[2], double w[3])
{
  double x[3], y[3], area;

  for (guint k = 0; k < 3; k++) {
    const size_t point = straight->walk->corners[3 * (size_t) triangle + k];

    x[k] = (double) straight->uv[2 * point];
    y[k] = (double) straight->uv[2 * point + 1];
  }
  area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
  if (!(fabs (area) > 1e-30))
    return INFINITY;
  for (guint k = 0; k < 3; k++) {
    const guint a = (k + 1) % 3, b = (k + 2) % 3;

    w[k] = ((x[a] - at[0]) * (y[b] - at[1]) - (x[b] - at[0]) * (y[a] - at[1])) / area;
  }
  return fmax (fmax (-w[0], -w[1]), fmax (-w[2], 0));
}

static bool
chart_is_end (const void *data, uint32_t triangle)
{
  const Straight *straight = (const Straight *) data;
  double w[3];

  return chart_weights (straight, triangle, straight->end, w) <= SAME;
}

/* The triangle that has a pair of parameters, of some. */
static uint32_t
chart_find (const Straight *straight, const GArray *triangles, const double at[2], KgVector *position)
{
  uint32_t best = NONE;
  double least = CHART_TOLERANCE, w[3];

  for (guint i = 0; i < triangles->len; i++) {
    const uint32_t triangle = g_array_index (triangles, uint32_t, i);
    const double outside = chart_weights (straight, triangle, at, w);

    if (outside < least) {
      least = outside;
      best = triangle;
      *position = mix (straight->walk, triangle, w);
    }
  }
  return best;
}

/* How far along the line a triangle's edge is crossed. */
static bool
chart_get_share (const Straight *straight, const Line *line, uint32_t triangle, guint k, double *share)
{
  const size_t a = straight->walk->corners[3 * (size_t) triangle + k];
  const size_t b = straight->walk->corners[3 * (size_t) triangle + (k + 1) % 3];
  const double ha = chart_height (straight, (uint32_t) a), hb = chart_height (straight, (uint32_t) b);
  double t;

  if (is_above (line, (uint32_t) a) == is_above (line, (uint32_t) b))
    return false;
  t = ha == hb ? 0 : ha / (ha - hb);
  *share = 0;
  for (guint c = 0; c < 2; c++)
    *share += straight->way[c] *
              (kg_lerp ((double) straight->uv[2 * a + c], (double) straight->uv[2 * b + c], t) - straight->start[c]);
  return true;
}

bool
mesh_walk_parameters (const MeshWalk *walk, const MeshChart *chart, const double start[2], const double end[2],
                      MeshPath *path, GError **error)
{
  const Straight straight = {
    walk, chart->uv, { start[0], start[1] }, { end[0] - start[0], end[1] - start[1] }, { end[0], end[1] }
  };
  g_autoptr (GArray) triangles = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  KgVector from = { 0, 0, 0 }, to = { 0, 0, 0 };
  uint32_t first, last;

  path_clear (path);
  mesh_chart_collect (chart, end, triangles);
  last = chart_find (&straight, triangles, end, &to);
  mesh_chart_collect (chart, start, triangles);
  first = chart_find (&straight, triangles, start, &from);
  if (first == NONE || last == NONE) {
    const double *missing = first == NONE ? start : end;

    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "no face has the surface parameters %g, %g: choose ones that the attribute uv covers", missing[0],
                  missing[1]);
    return false;
  }
  path_add (path, from, first);
  if (first == last) {
    path_add (path, to, last);
    return true;
  }
  for (int side = 1; side >= -1; side -= 2) {
    const Line line = { walk, chart_height, &straight, side };
    const double size = straight.way[0] * straight.way[0] + straight.way[1] * straight.way[1];
    double w[3];

    /* The start may be on an edge: any triangle that has it and that the line leaves forwards. */
    for (guint t = 0; t < triangles->len; t++) {
      const uint32_t i = g_array_index (triangles, uint32_t, t);
      double best = -1e-9 * size, share;
      guint out = 3;

      if (i != first && chart_weights (&straight, i, start, w) > SAME)
        continue;
      for (guint k = 0; k < 3; k++)
        if (chart_get_share (&straight, &line, i, k, &share) && share > best) {
          best = share;
          out = k;
        }
      if (out == 3)
        continue;
      path_clear (path);
      path_add (path, from, i);
      if (follow_line (&line, i, out, chart_is_end, &straight, path)) {
        path_add (path, to, last);
        return true;
      }
      if (path->cancelled)
        return false;
    }
  }
  kg_set_error (
      error, KG_ERROR_DEGENERATE,
      "the line between the surface parameters leaves the surface: there is a hole or a seam of the attribute "
      "uv between them");
  return false;
}

/* Along edges. */

/* The cosine of the angle between two directions. */
static double
get_cosine (KgVector a, KgVector b)
{
  const double size = kg_vector_length (a) * kg_vector_length (b);

  return size > 0 ? kg_vector_dot (a, b) / size : -2;
}

/* Shortest ways from a point along edges, with a heap of distances. */
typedef struct {
  double distance;
  uint32_t point;
} Reached;

static bool
is_nearer (const Reached *a, const Reached *b)
{
  return a->distance < b->distance || (a->distance == b->distance && a->point < b->point);
}

static void
heap_push (GArray *heap, Reached item)
{
  guint i = heap->len;
  Reached *at;

  g_array_append_val (heap, item);
  at = &g_array_index (heap, Reached, 0);
  for (; i > 0 && is_nearer (&item, &at[(i - 1) / 2]); i = (i - 1) / 2)
    at[i] = at[(i - 1) / 2];
  at[i] = item;
}

static Reached
heap_pop (GArray *heap)
{
  Reached *at = &g_array_index (heap, Reached, 0);
  const Reached top = at[0], item = at[heap->len - 1];
  guint i = 0;

  g_array_set_size (heap, heap->len - 1);
  for (guint child = 1; child < heap->len; child = 2 * i + 1) {
    if (child + 1 < heap->len && is_nearer (&at[child + 1], &at[child]))
      child++;
    if (!is_nearer (&at[child], &item))
      break;
    at[i] = at[child];
    i = child;
  }
  if (heap->len > 0)
    at[i] = item;
  return top;
}

static void
path_add_point (const MeshWalk *walk, MeshPath *path, uint32_t point)
{
  const uint32_t first = walk->first_around[point];

  path_add (path, walk->points[point], first < walk->first_around[point + 1] ? walk->around[first] : 0);
  if (path->points->len < path->positions->len)
    g_array_append_val (path->points, point);
}

static bool
find_shortest (const MeshWalk *walk, uint32_t start, uint32_t end, MeshPath *path)
{
  g_autofree double *distance = g_new (double, walk->n_points);
  g_autofree uint32_t *before = g_new (uint32_t, walk->n_points);
  g_autoptr (GArray) heap = g_array_new (FALSE, FALSE, sizeof (Reached));
  g_autoptr (GArray) way = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  for (size_t i = 0; i < walk->n_points; i++)
    distance[i] = INFINITY;
  distance[start] = 0;
  before[start] = NONE;
  heap_push (heap, (Reached){ 0, start });
  while (heap->len > 0 && path_goes_on (path)) {
    const Reached item = heap_pop (heap);

    if (item.point == end)
      break;
    if (item.distance > distance[item.point])
      continue;
    for (uint32_t i = walk->first[item.point]; i < walk->first[item.point + 1]; i++) {
      const uint32_t next = walk->neighbours[i];
      const double d = item.distance + kg_vector_distance (walk->points[item.point], walk->points[next]);

      if (d < distance[next]) {
        distance[next] = d;
        before[next] = item.point;
        heap_push (heap, (Reached){ d, next });
      }
    }
  }
  if (path->cancelled || !isfinite (distance[end]))
    return false;
  for (uint32_t point = end; point != NONE; point = before[point])
    g_array_append_val (way, point);
  path_clear (path);
  for (guint i = way->len; i > 0; i--)
    path_add_point (walk, path, g_array_index (way, uint32_t, i - 1));
  return true;
}

bool
mesh_walk_edges (const MeshWalk *walk, uint32_t start, uint32_t end, bool search, MeshPath *path, GError **error)
{
  g_autofree uint8_t *visited = g_new0 (uint8_t, walk->n_points);
  const KgVector goal = walk->points[end];
  uint32_t at = start;

  path_clear (path);
  path_add_point (walk, path, at);
  visited[at] = 1;
  while (at != end && path_goes_on (path)) {
    const KgVector here = walk->points[at], way = kg_vector_subtract (goal, here);
    double best = -3;
    uint32_t next = NONE;

    for (uint32_t i = walk->first[at]; i < walk->first[at + 1]; i++) {
      const uint32_t to = walk->neighbours[i];
      const double cosine = to == end ? 2 : get_cosine (kg_vector_subtract (walk->points[to], here), way);

      if (!visited[to] && cosine > best) {
        best = cosine;
        next = to;
      }
    }
    if (next == NONE) {
      if (search && find_shortest (walk, start, end, path))
        return true;
      if (path->cancelled)
        return false;
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    search
                        ? N_ ("no edges lead from point %u to point %u: the surface is not connected")
                        : N_ ("the way from point %u to point %u ends in a dead end at point %u: let it search for the "
                              "shortest way, or choose another end"),
                    start, end, at);
      return false;
    }
    path_add_point (walk, path, next);
    visited[next] = 1;
    at = next;
  }
  return !path->cancelled;
}

/* Towards a goal across faces. */

/* Where the way to goes on: a place, and the edge (3 * triangle + side of one of its triangles) or point it is on. */
typedef struct {
  KgVector position;
  uint32_t point;        /* or NONE */
  uint32_t triangles[2]; /* of the edge it is on, or the triangle it is in; NONE */
  double cosine;
} Stop;

/* From a place of a triangle towards goal, in the plane of the triangle: where that leaves it, unless it does so at once. */
static bool
cross_face (const MeshWalk *walk, uint32_t triangle, KgVector from, KgVector goal, Stop *stop)
{
  const KgVector n = walk->normals[triangle];
  KgVector way = kg_vector_subtract (goal, from);
  double best = INFINITY;
  guint side = 3;

  way = kg_vector_add_scaled (way, -kg_vector_dot (way, n), n);
  if (!(kg_vector_length (way) > SAME * walk->size))
    return false;
  for (guint k = 0; k < 3; k++) {
    const KgVector a = corner (walk, triangle, k), b = corner (walk, triangle, k + 1);
    const KgVector inward = kg_vector_cross (n, kg_vector_normalize_or (kg_vector_subtract (b, a), n));
    const double height = kg_vector_dot (inward, kg_vector_subtract (from, a)), speed = kg_vector_dot (inward, way);

    if (speed >= -1e-12 * kg_vector_length (way))
      continue;
    /* Already on this edge, and leaving over it. */
    if (height <= SAME * walk->size)
      return false;
    if (-height / speed < best) {
      best = -height / speed;
      side = k;
    }
  }
  if (side == 3)
    return false;
  *stop = (Stop){ .position = kg_vector_add_scaled (from, best, way),
                  .point = NONE,
                  .triangles = { triangle, walk->across[3 * (size_t) triangle + side] } };
  /* At a corner as good as at its point. */
  for (guint k = 0; k < 3; k++)
    if (kg_vector_distance (stop->position, corner (walk, triangle, k)) <= SAME * walk->size) {
      stop->point = walk->corners[3 * (size_t) triangle + k];
      stop->position = walk->points[stop->point];
    }
  return true;
}

static void
offer (Stop *best, const Stop *stop, KgVector from, KgVector goal)
{
  const double cosine = get_cosine (kg_vector_subtract (stop->position, from), kg_vector_subtract (goal, from));

  if (cosine > best->cosine) {
    *best = *stop;
    best->cosine = cosine;
  }
}

/* The triangles that a stop touches, the number of them returned. */
static guint
get_touched (const MeshWalk *walk, const Stop *at, const uint32_t **triangles)
{
  if (at->point != NONE) {
    *triangles = walk->around + walk->first_around[at->point];
    return walk->first_around[at->point + 1] - walk->first_around[at->point];
  }
  *triangles = at->triangles;
  return at->triangles[1] != NONE ? 2 : 1;
}

bool
mesh_walk_faces (const MeshWalk *walk, MeshPlace start, MeshPlace end, MeshPath *path, GError **error)
{
  g_autoptr (GHashTable) visited = g_hash_table_new (NULL, NULL);
  Stop at = { .position = start.position, .point = NONE, .triangles = { start.triangle, NONE } };
  guint still = 0;

  path_clear (path);
  path_add (path, start.position, start.triangle);
  for (guint k = 0; k < 3; k++)
    if (kg_vector_distance (start.position, corner (walk, start.triangle, k)) <= SAME * walk->size)
      at.point = walk->corners[3 * (size_t) start.triangle + k];
  for (size_t step = 0; step < 4 * walk->n_triangles + 4 && still < 2 && path_goes_on (path); step++) {
    const uint32_t *touched;
    const guint n = get_touched (walk, &at, &touched);
    Stop best = { .cosine = -2 };
    KgVector closest;

    for (guint i = 0; i < n; i++)
      if (distance_to_triangle (walk, touched[i], end.position, &closest) <= SAME * walk->size) {
        path_add (path, end.position, end.triangle);
        return true;
      }
    for (guint i = 0; i < n; i++) {
      Stop stop;

      if (cross_face (walk, touched[i], at.position, end.position, &stop) &&
          (stop.point == NONE || !g_hash_table_contains (visited, GUINT_TO_POINTER (stop.point + 1))))
        offer (&best, &stop, at.position, end.position);
      /* The corners, along edges or, from an edge or a face, to them. */
      for (guint k = 0; k < 3; k++) {
        stop = (Stop){ .position = corner (walk, touched[i], k), .point = walk->corners[3 * (size_t) touched[i] + k] };
        if (stop.point != at.point && !g_hash_table_contains (visited, GUINT_TO_POINTER (stop.point + 1)))
          offer (&best, &stop, at.position, end.position);
      }
    }
    if (best.cosine <= -2)
      break;
    if (best.point != NONE)
      g_hash_table_add (visited, GUINT_TO_POINTER (best.point + 1));
    still = kg_vector_distance (best.position, at.position) <= SAME * walk->size ? still + 1 : 0;
    at = best;
    get_touched (walk, &at, &touched);
    path_add (path, at.position, touched[0]);
  }
  if (path->cancelled)
    return false;
  kg_set_error (error, KG_ERROR_DEGENERATE,
                "the way stops at (%g, %g, %g) without getting nearer to the end: there is a hole or a border; go by "
                "another place, or along edges with a search",
                at.position.x, at.position.y, at.position.z);
  return false;
}

/* Downhill. */

KgVector
mesh_walk_get_downhill (KgVector normal, KgVector up)
{
  return kg_vector_add_scaled (kg_vector_scale (up, -1), kg_vector_dot (normal, up), normal);
}

KgVector
mesh_walk_get_face_downhill (const MeshWalk *walk, MeshPlace place, KgVector up)
{
  return mesh_walk_get_downhill (walk->normals[place.triangle], up);
}

/* Into the triangle from its edge k, along its surface. */
static KgVector
get_inward (const MeshWalk *walk, uint32_t triangle, guint k)
{
  const KgVector edge = kg_vector_subtract (corner (walk, triangle, k + 1), corner (walk, triangle, k));

  return kg_vector_cross (walk->normals[triangle], kg_vector_normalize_or (edge, kg_vector (0, 0, 0)));
}

/* From a point of the mesh: the steepest way down over a face or along an edge.  Over a face: *triangle is set.  Along an
 * edge: *next.  False where all goes up. */
static bool
leave_point (const MeshWalk *walk, uint32_t point, KgVector up, uint32_t *triangle, uint32_t *next)
{
  double best = 1e-9;

  *triangle = *next = NONE;
  for (uint32_t i = walk->first_around[point]; i < walk->first_around[point + 1]; i++) {
    const uint32_t t = walk->around[i];
    const KgVector d = mesh_walk_get_downhill (walk->normals[t], up);
    guint k = 0;

    while (walk->corners[3 * (size_t) t + k] != point)
      k++;
    /* Between the two edges at the point. */
    if (kg_vector_dot (d, get_inward (walk, t, k)) > 0 && kg_vector_dot (d, get_inward (walk, t, (k + 2) % 3)) > 0 &&
        kg_vector_length (d) > best) {
      best = kg_vector_length (d);
      *triangle = t;
      *next = NONE;
    }
    for (guint e = 1; e < 3; e++) {
      const uint32_t to = walk->corners[3 * (size_t) t + (k + e) % 3];
      const KgVector way = kg_vector_subtract (walk->points[to], walk->points[point]);
      const double drop = -kg_vector_dot (way, up) / fmax (kg_vector_length (way), 1e-300);

      if (drop > best) {
        best = drop;
        *next = to;
        *triangle = NONE;
      }
    }
  }
  return *triangle != NONE || *next != NONE;
}

/* Where the way down leaves a triangle: the side, and the place on it. */
static guint
leave_triangle (const MeshWalk *walk, uint32_t triangle, KgVector from, KgVector d, KgVector *to)
{
  double best = INFINITY;
  guint side = 3;

  for (guint k = 0; k < 3; k++) {
    const KgVector inward = get_inward (walk, triangle, k);
    const double speed = kg_vector_dot (inward, d);
    const double height = fmax (kg_vector_dot (inward, kg_vector_subtract (from, corner (walk, triangle, k))), 0);

    if (speed < 0 && -height / speed < best) {
      best = -height / speed;
      side = k;
    }
  }
  if (side < 3)
    *to = kg_vector_add_scaled (from, best, d);
  return side;
}

void
mesh_walk_downhill (const MeshWalk *walk, MeshPlace start, KgVector up, guint max_steps, MeshPath *path)
{
  uint32_t triangle = start.triangle, point = NONE, next = NONE;
  KgVector at = start.position;

  path_clear (path);
  path_add (path, at, triangle);
  for (guint k = 0; k < 3; k++)
    if (kg_vector_distance (at, corner (walk, triangle, k)) <= SAME * walk->size)
      point = walk->corners[3 * (size_t) triangle + k];
  for (guint step = 0; step < max_steps && path_goes_on (path); step++) {
    KgVector d, to;
    uint32_t beyond;
    guint side;

    if (point != NONE) {
      if (!leave_point (walk, point, up, &triangle, &next)) {
        path->ended = true;
        return;
      }
      point = NONE;
      if (next != NONE) {
        point = next;
        at = walk->points[point];
        path_add (path, at, walk->around[walk->first_around[point]]);
        continue;
      }
    }
    d = mesh_walk_get_downhill (walk->normals[triangle], up);
    if (!(kg_vector_length (d) > 1e-9)) {
      path->ended = true;
      return;
    }
    side = leave_triangle (walk, triangle, at, d, &to);
    if (side == 3)
      return;
    at = to;
    path_add (path, at, triangle);
    for (guint k = 0; k < 3; k++)
      if (kg_vector_distance (at, corner (walk, triangle, k)) <= SAME * walk->size)
        point = walk->corners[3 * (size_t) triangle + k];
    if (point != NONE) {
      at = walk->points[point];
      continue;
    }
    beyond = walk->across[3 * (size_t) triangle + side];
    if (beyond == NONE)
      return;
    d = mesh_walk_get_downhill (walk->normals[beyond], up);
    if (kg_vector_dot (d, get_inward (walk, beyond, find_side (walk, beyond, triangle))) > 1e-12) {
      triangle = beyond;
      continue;
    }
    if (!(kg_vector_length (d) > 1e-9)) {
      /* It meets level ground. */
      path->ended = true;
      return;
    }
    /* Both faces lead to the edge: along it, down to its lower end. */
    {
      const uint32_t a = walk->corners[3 * (size_t) triangle + side];
      const uint32_t b = walk->corners[3 * (size_t) triangle + (side + 1) % 3];
      const double fall = kg_vector_dot (kg_vector_subtract (walk->points[b], walk->points[a]), up);

      if (fabs (fall) <= 1e-12 * walk->size) {
        path->ended = true;
        return;
      }
      point = fall < 0 ? b : a;
      at = walk->points[point];
      path_add (path, at, triangle);
    }
  }
}
