/* mesh_steps: ways over a mesh that are found step by step: along edges, across faces, downhill.
 * Source: Parent, Computer Animation, 3.4.3.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/mesh_walk_private.h"

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

  mesh_path_add (path, walk->points[point], first < walk->first_around[point + 1] ? walk->around[first] : 0);
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
  before[start] = MESH_NONE;
  heap_push (heap, (Reached){ 0, start });
  while (heap->len > 0 && mesh_path_continues (path)) {
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
  for (uint32_t point = end; point != MESH_NONE; point = before[point])
    g_array_append_val (way, point);
  mesh_path_clear (path);
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

  mesh_path_clear (path);
  path_add_point (walk, path, at);
  visited[at] = 1;
  while (at != end && mesh_path_continues (path)) {
    const KgVector here = walk->points[at], way = kg_vector_subtract (goal, here);
    double best = -3;
    uint32_t next = MESH_NONE;

    for (uint32_t i = walk->first[at]; i < walk->first[at + 1]; i++) {
      const uint32_t to = walk->neighbours[i];
      const double cosine = to == end ? 2 : get_cosine (kg_vector_subtract (walk->points[to], here), way);

      if (!visited[to] && cosine > best) {
        best = cosine;
        next = to;
      }
    }
    if (next == MESH_NONE) {
      if (search && find_shortest (walk, start, end, path))
        return true;
      if (path->cancelled)
        return false;
      kg_set_error (
          error, KG_ERROR_DEGENERATE,
          search
              ? N_ ("no edges connect point %u to point %u: the surface is not connected")
              : N_ ("the path from point %u to point %u reaches a dead end at point %u: turn on search to find the shortest path, or choose another end"),
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

/* Where the way continues: a place, and the edge (3 * triangle + side of one of its triangles) or point it is on. */
typedef struct {
  KgVector position;
  uint32_t point;        /* or MESH_NONE */
  uint32_t triangles[2]; /* of the edge it is on, or the triangle it is in; MESH_NONE */
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
  if (!(kg_vector_length (way) > MESH_SAME * walk->size))
    return false;
  for (guint k = 0; k < 3; k++) {
    const KgVector a = mesh_walk_get_corner (walk, triangle, k), b = mesh_walk_get_corner (walk, triangle, k + 1);
    const KgVector inward = kg_vector_cross (n, kg_vector_normalize_or (kg_vector_subtract (b, a), n));
    const double height = kg_vector_dot (inward, kg_vector_subtract (from, a)), speed = kg_vector_dot (inward, way);

    if (speed >= -1e-12 * kg_vector_length (way))
      continue;
    /* Already on this edge, and leaving over it. */
    if (height <= MESH_SAME * walk->size)
      return false;
    if (-height / speed < best) {
      best = -height / speed;
      side = k;
    }
  }
  if (side == 3)
    return false;
  *stop = (Stop){ .position = kg_vector_add_scaled (from, best, way),
                  .point = MESH_NONE,
                  .triangles = { triangle, walk->across[3 * (size_t) triangle + side] } };
  /* At a corner as good as at its point. */
  for (guint k = 0; k < 3; k++)
    if (kg_vector_distance (stop->position, mesh_walk_get_corner (walk, triangle, k)) <= MESH_SAME * walk->size) {
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
  if (at->point != MESH_NONE) {
    *triangles = walk->around + walk->first_around[at->point];
    return walk->first_around[at->point + 1] - walk->first_around[at->point];
  }
  *triangles = at->triangles;
  return at->triangles[1] != MESH_NONE ? 2 : 1;
}

bool
mesh_walk_faces (const MeshWalk *walk, MeshPlace start, MeshPlace end, MeshPath *path, GError **error)
{
  g_autoptr (GHashTable) visited = g_hash_table_new (NULL, NULL);
  Stop at = { .position = start.position, .point = MESH_NONE, .triangles = { start.triangle, MESH_NONE } };
  guint still = 0;

  mesh_path_clear (path);
  mesh_path_add (path, start.position, start.triangle);
  for (guint k = 0; k < 3; k++)
    if (kg_vector_distance (start.position, mesh_walk_get_corner (walk, start.triangle, k)) <= MESH_SAME * walk->size)
      at.point = walk->corners[3 * (size_t) start.triangle + k];
  for (size_t step = 0; step < 4 * walk->n_triangles + 4 && still < 2 && mesh_path_continues (path); step++) {
    const uint32_t *touched;
    const guint n = get_touched (walk, &at, &touched);
    Stop best = { .cosine = -2 };
    KgVector closest;

    for (guint i = 0; i < n; i++)
      if (mesh_walk_get_distance (walk, touched[i], end.position, &closest) <= MESH_SAME * walk->size) {
        mesh_path_add (path, end.position, end.triangle);
        return true;
      }
    for (guint i = 0; i < n; i++) {
      Stop stop;

      if (cross_face (walk, touched[i], at.position, end.position, &stop) &&
          (stop.point == MESH_NONE || !g_hash_table_contains (visited, GUINT_TO_POINTER (stop.point + 1))))
        offer (&best, &stop, at.position, end.position);
      /* The corners, along edges or, from an edge or a face, to them. */
      for (guint k = 0; k < 3; k++) {
        stop = (Stop){ .position = mesh_walk_get_corner (walk, touched[i], k),
                       .point = walk->corners[3 * (size_t) touched[i] + k] };
        if (stop.point != at.point && !g_hash_table_contains (visited, GUINT_TO_POINTER (stop.point + 1)))
          offer (&best, &stop, at.position, end.position);
      }
    }
    if (best.cosine <= -2)
      break;
    if (best.point != MESH_NONE)
      g_hash_table_add (visited, GUINT_TO_POINTER (best.point + 1));
    still = kg_vector_distance (best.position, at.position) <= MESH_SAME * walk->size ? still + 1 : 0;
    at = best;
    get_touched (walk, &at, &touched);
    mesh_path_add (path, at.position, touched[0]);
  }
  if (path->cancelled)
    return false;
  kg_set_error (
      error, KG_ERROR_DEGENERATE,
      "the path stops at (%g, %g, %g) and gets no closer to the end: there is a hole or a border; go by way of another point, or along edges with search on",
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
  const KgVector edge =
      kg_vector_subtract (mesh_walk_get_corner (walk, triangle, k + 1), mesh_walk_get_corner (walk, triangle, k));

  return kg_vector_cross (walk->normals[triangle], kg_vector_normalize_or (edge, kg_vector (0, 0, 0)));
}

/* From a point of the mesh: the steepest way down over a face or along an edge.  Over a face: *triangle is set.  Along an
 * edge: *next.  False where all goes up. */
static bool
leave_point (const MeshWalk *walk, uint32_t point, KgVector up, uint32_t *triangle, uint32_t *next)
{
  double best = 1e-9;

  *triangle = *next = MESH_NONE;
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
      *next = MESH_NONE;
    }
    for (guint e = 1; e < 3; e++) {
      const uint32_t to = walk->corners[3 * (size_t) t + (k + e) % 3];
      const KgVector way = kg_vector_subtract (walk->points[to], walk->points[point]);
      const double drop = -kg_vector_dot (way, up) / fmax (kg_vector_length (way), 1e-300);

      if (drop > best) {
        best = drop;
        *next = to;
        *triangle = MESH_NONE;
      }
    }
  }
  return *triangle != MESH_NONE || *next != MESH_NONE;
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
    const double height =
        fmax (kg_vector_dot (inward, kg_vector_subtract (from, mesh_walk_get_corner (walk, triangle, k))), 0);

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
  uint32_t triangle = start.triangle, point = MESH_NONE, next = MESH_NONE;
  KgVector at = start.position;

  mesh_path_clear (path);
  mesh_path_add (path, at, triangle);
  for (guint k = 0; k < 3; k++)
    if (kg_vector_distance (at, mesh_walk_get_corner (walk, triangle, k)) <= MESH_SAME * walk->size)
      point = walk->corners[3 * (size_t) triangle + k];
  for (guint step = 0; step < max_steps && mesh_path_continues (path); step++) {
    KgVector d, to;
    uint32_t beyond;
    guint side;

    if (point != MESH_NONE) {
      if (!leave_point (walk, point, up, &triangle, &next)) {
        path->ended = true;
        return;
      }
      point = MESH_NONE;
      if (next != MESH_NONE) {
        point = next;
        at = walk->points[point];
        mesh_path_add (path, at, walk->around[walk->first_around[point]]);
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
    mesh_path_add (path, at, triangle);
    for (guint k = 0; k < 3; k++)
      if (kg_vector_distance (at, mesh_walk_get_corner (walk, triangle, k)) <= MESH_SAME * walk->size)
        point = walk->corners[3 * (size_t) triangle + k];
    if (point != MESH_NONE) {
      at = walk->points[point];
      continue;
    }
    beyond = walk->across[3 * (size_t) triangle + side];
    if (beyond == MESH_NONE)
      return;
    d = mesh_walk_get_downhill (walk->normals[beyond], up);
    if (kg_vector_dot (d, get_inward (walk, beyond, mesh_walk_find_side (walk, beyond, triangle))) > 1e-12) {
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
      mesh_path_add (path, at, triangle);
    }
  }
}
