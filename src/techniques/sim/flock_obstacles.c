/* flock_obstacles: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/flock_obstacles.h"

#include "geometry/point_pieces.h"
#include "geometry/triangle_mesh.h"
#include "kg-floats.h"
#include "kg-random.h"
#include "value/disjoint_sets.h"

#include <stdlib.h>
#include <string.h>

/* Of a ball without a width. */
#define BALL_WIDTH 1.0
/* Sine below which a heading is straight at a centre. */
#define STRAIGHT 1e-4
/* Silhouette edges that are tried before the nearest one is taken all the same. */
#define TRIES 12
/* Times a slide along a surface is stopped by another one within a step. */
#define SLIDES 3
#define GOLDEN_ANGLE (KG_PI * (3 - 2.23606797749978969641))
/* How much of the way back from the wall of a room leads along it. */
#define ALONG_WALL 0.5
/* Sine of the angle between a heading and the middle of the room below which both are one way. */
#define NEARLY_STRAIGHT 0.35
/* Sine of the angle to a surface up to which a way is one along it. */
#define NEARLY_ALONG 0.1
/* Smoothest view that is looked for. */
#define SLOPE 1e-3

typedef struct {
  KgVector center;
  double radius;
} Ball;

typedef struct {
  uint32_t a, b; /* points */
  uint32_t part;
  uint32_t first, n; /* of its triangles in faces */
} Edge;

struct _FlockObstacles {
  Ball *balls; /* of loose points, then those around the parts of the mesh */
  size_t n_balls, n_parts;
  BoxTree *tree; /* of all of them */
  TriangleMesh *mesh;
  uint32_t *part;               /* of each triangle */
  Edge *edges;                  /* by part */
  uint32_t *faces, *first_edge; /* first_edge: of each part, and one more */
  size_t n_edges;
  bool *closed; /* of each part: each of its edges has two faces, or four ... */
  bool any_closed;
};

typedef struct {
  double distance;
  KgVector normal; /* unit, towards whoever looks */
  uint32_t which;  /* of balls */
} Hit;

/* Making them. */

/* Which part each triangle belongs to; returns how many. */
static size_t
find_parts (FlockObstacles *o, const uint32_t *same, size_t n_points)
{
  g_autofree uint32_t *parent = g_new (uint32_t, MAX (n_points, 1)), *number = g_new (uint32_t, MAX (n_points, 1));
  size_t n = 0;

  for (uint32_t i = 0; i < n_points; i++) {
    parent[i] = i;
    number[i] = G_MAXUINT32;
  }
  for (size_t t = 0; t < o->mesh->n; t++)
    for (int c = 1; c < 3; c++) {
      const uint32_t a = disjoint_sets_find (parent, same[o->mesh->corners[t][0]]);
      const uint32_t b = disjoint_sets_find (parent, same[o->mesh->corners[t][c]]);

      parent[MAX (a, b)] = MIN (a, b);
    }
  for (size_t t = 0; t < o->mesh->n; t++) {
    const uint32_t root = disjoint_sets_find (parent, same[o->mesh->corners[t][0]]);

    if (number[root] == G_MAXUINT32)
      number[root] = (uint32_t) n++;
    o->part[t] = number[root];
  }
  return n;
}

/* An edge as one triangle has it. */
typedef struct {
  uint32_t part, a, b, triangle;
} Side;

static int
compare_sides (const void *a, const void *b)
{
  const Side *x = a, *y = b;

  if (x->part != y->part)
    return x->part < y->part ? -1 : 1;
  if (x->a != y->a)
    return x->a < y->a ? -1 : 1;
  if (x->b != y->b)
    return x->b < y->b ? -1 : 1;
  return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static void
find_edges (FlockObstacles *o, const uint32_t *same)
{
  const size_t n = 3 * o->mesh->n;
  g_autofree Side *sides = g_new (Side, MAX (n, 1));
  uint32_t part = 0;

  for (size_t t = 0; t < o->mesh->n; t++)
    for (size_t c = 0; c < 3; c++) {
      const uint32_t a = same[o->mesh->corners[t][c]], b = same[o->mesh->corners[t][(c + 1) % 3]];

      sides[3 * t + c] = (Side){ o->part[t], MIN (a, b), MAX (a, b), (uint32_t) t };
    }
  qsort (sides, n, sizeof *sides, compare_sides);
  o->edges = g_new (Edge, MAX (n, 1));
  o->faces = g_new (uint32_t, MAX (n, 1));
  o->first_edge = g_new0 (uint32_t, o->n_parts + 1);
  for (size_t k = 0; k < n; k++) {
    o->faces[k] = sides[k].triangle;
    if (k > 0 && sides[k].part == sides[k - 1].part && sides[k].a == sides[k - 1].a && sides[k].b == sides[k - 1].b) {
      o->edges[o->n_edges - 1].n++;
      continue;
    }
    while (part < sides[k].part)
      o->first_edge[++part] = (uint32_t) o->n_edges;
    o->edges[o->n_edges++] = (Edge){ sides[k].a, sides[k].b, sides[k].part, (uint32_t) k, 1 };
  }
  while (part < o->n_parts)
    o->first_edge[++part] = (uint32_t) o->n_edges;
  o->closed = g_new (bool, MAX (o->n_parts, 1));
  o->any_closed = o->n_balls > 0;
  for (size_t k = 0; k < o->n_parts; k++) {
    o->closed[k] = true;
    for (uint32_t e = o->first_edge[k]; e < o->first_edge[k + 1]; e++)
      o->closed[k] &= o->edges[e].n % 2 == 0;
    o->any_closed |= o->closed[k];
  }
}

/* Around the middle of the bounds of each part. */
static void
find_part_balls (FlockObstacles *o)
{
  g_autofree KgVector *low = g_new (KgVector, MAX (o->n_parts, 1)), *high = g_new (KgVector, MAX (o->n_parts, 1));

  for (size_t k = 0; k < o->n_parts; k++) {
    low[k] = kg_vector (INFINITY, INFINITY, INFINITY);
    high[k] = kg_vector (-INFINITY, -INFINITY, -INFINITY);
  }
  for (size_t t = 0; t < 3 * o->mesh->n; t++) {
    const KgVector x = triangle_mesh_get_point (o->mesh, o->mesh->corners[t / 3][t % 3]);
    KgVector *l = &low[o->part[t / 3]], *h = &high[o->part[t / 3]];

    *l = kg_vector_min (*l, x);
    *h = kg_vector_max (*h, x);
  }
  for (size_t k = 0; k < o->n_parts; k++)
    o->balls[o->n_balls + k].center = kg_vector_lerp (low[k], high[k], 0.5);
  for (size_t t = 0; t < 3 * o->mesh->n; t++) {
    Ball *ball = &o->balls[o->n_balls + o->part[t / 3]];

    ball->radius =
        fmax (ball->radius,
              kg_vector_distance (ball->center, triangle_mesh_get_point (o->mesh, o->mesh->corners[t / 3][t % 3])));
  }
}

/* Points that no primitive uses. */
static GArray *
find_loose (const KgGeometry *geometry)
{
  const size_t n = kg_geometry_get_n_points (geometry);
  const float *p = kg_geometry_get_positions (geometry),
              *width = kg_geometry_get_float (geometry, KG_POINTS, "width", 1);
  g_autofree bool *used = g_new0 (bool, MAX (n, 1));
  GArray *balls = g_array_new (FALSE, TRUE, sizeof (Ball));

  for (size_t k = 0; k < kg_geometry_get_n_primitives (geometry); k++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, k, &primitive);
    for (uint32_t i = 0; i < primitive.n_vertices; i++)
      used[primitive.vertices[i]] = true;
  }
  for (size_t i = 0; i < n; i++) {
    const Ball ball = { kg_floats_get_vector (p, i), 0.5 * (width != NULL ? fmax ((double) width[i], 0) : BALL_WIDTH) };

    if (!used[i])
      g_array_append_val (balls, ball);
  }
  return balls;
}

FlockObstacles *
flock_obstacles_new (const KgGeometry *geometry, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (FlockObstacles) o = g_new0 (FlockObstacles, 1);
  const size_t n_points = kg_geometry_get_n_points (geometry);
  g_autoptr (GArray) loose = NULL;
  g_autofree uint32_t *same = NULL;
  g_autofree BoundingBox *boxes = NULL;

  if (!kg_geometry_check_finite (geometry, error))
    return NULL;
  o->mesh = triangle_mesh_new (geometry, monitor, error);
  if (o->mesh == NULL)
    return NULL;
  loose = find_loose (geometry);
  o->part = g_new (uint32_t, MAX (o->mesh->n, 1));
  /* Meshes are often cut along their edges. */
  same = point_pieces_find_same (kg_geometry_get_positions (geometry), n_points, monitor);
  if (same == NULL)
    return NULL;
  o->n_parts = find_parts (o, same, n_points);
  o->n_balls = loose->len;
  o->balls = g_new0 (Ball, o->n_balls + o->n_parts + 1);
  if (loose->len > 0)
    memcpy (o->balls, loose->data, loose->len * sizeof (Ball));
  find_part_balls (o);
  find_edges (o, same);
  boxes = g_new (BoundingBox, o->n_balls + o->n_parts + 1);
  for (size_t i = 0; i < o->n_balls + o->n_parts; i++) {
    const KgVector half = { o->balls[i].radius, o->balls[i].radius, o->balls[i].radius };

    boxes[i] = bounding_box_from_vectors (kg_vector_subtract (o->balls[i].center, half),
                                          kg_vector_add (o->balls[i].center, half));
  }
  o->tree = box_tree_new (boxes, o->n_balls + o->n_parts, monitor);
  return o->tree != NULL ? g_steal_pointer (&o) : NULL;
}

void
flock_obstacles_free (FlockObstacles *o)
{
  g_clear_pointer (&o->mesh, triangle_mesh_free);
  g_clear_pointer (&o->tree, box_tree_free);
  g_free (o->balls);
  g_free (o->part);
  g_free (o->edges);
  g_free (o->faces);
  g_free (o->first_edge);
  g_free (o->closed);
  g_free (o);
}

/* The laws. */

bool
flock_will_hit (KgVector p, KgVector heading, KgVector center, double radius, double *t, double *entry)
{
  const KgVector d = kg_vector_subtract (center, p);
  const double k = kg_vector_dot (d, heading);

  *t = kg_vector_length (kg_vector_cross (d, heading));
  *entry = 0;
  if (kg_vector_length (d) < radius)
    return true;
  if (!(*t < radius && k > 0))
    return false;
  *entry = k - sqrt (fmax (radius * radius - *t * *t, 0));
  return true;
}

KgVector
flock_find_rim (KgVector p, KgVector heading, KgVector center, double radius, double side)
{
  const KgVector to = kg_vector_subtract (center, p);
  const double distance = kg_vector_length (to);
  const KgVector u = kg_vector_scale (to, 1 / distance);
  const double along = radius * radius / distance, across = sqrt (fmax (radius * radius - along * along, 0));
  KgVector w = kg_vector_add_scaled (heading, -kg_vector_dot (heading, u), u);

  if (kg_vector_length (w) < STRAIGHT) {
    w = kg_vector_cross (u, kg_vector (0, 1, 0));
    if (kg_vector_length (w) < STRAIGHT)
      w = kg_vector_cross (u, kg_vector (1, 0, 0));
    w = kg_vector_scale (w, side);
  }
  w = kg_vector_normalize_or (w, kg_vector (1, 0, 0));
  return kg_vector_add_scaled (kg_vector_add_scaled (p, distance - along, u), across, w);
}

KgVector
flock_get_feeler (guint k, guint n, double angle)
{
  const double z = n > 1 ? 1 - (1 - cos (angle)) * (double) k / (double) (n - 1) : 1;
  const double r = sqrt (fmax (0, 1 - z * z)), turn = (double) k * GOLDEN_ANGLE;

  return kg_vector (r * cos (turn), r * sin (turn), z);
}

KgVector
flock_find_nearest_on_edge (KgVector p, KgVector heading, KgVector a, KgVector b, double *along)
{
  const KgVector w = kg_vector_subtract (a, p), d = kg_vector_subtract (b, a);
  const double f = kg_vector_dot (heading, d), c = kg_vector_dot (d, d), den = c - f * f;
  double q = 0;
  KgVector e;

  if (den > 1e-12 * c)
    q = kg_clamp ((kg_vector_dot (heading, w) * f - kg_vector_dot (d, w)) / den, 0, 1);
  *along = fmax (0, kg_vector_dot (heading, kg_vector_add_scaled (w, q, d)));
  if (c > 0)
    q = kg_clamp (kg_vector_dot (kg_vector_subtract (kg_vector_scale (heading, *along), w), d) / c, 0, 1);
  e = kg_vector_add_scaled (a, q, d);
  *along = fmax (0, kg_vector_dot (heading, kg_vector_subtract (e, p)));
  return e;
}

/* Rays. */

typedef struct {
  const FlockObstacles *o;
  KgVector p, d; /* d: unit */
  double margin;
  uint32_t room; /* that is not looked at; 0: none */
  bool mesh;     /* parts of the mesh are near */
  Hit hit;       /* the first one; distance: how far is looked */
} Cast;

static bool
visit_for_ray (gpointer data, uint32_t index)
{
  Cast *cast = data;
  const Ball *ball = &cast->o->balls[index];
  double t, entry;

  if (index + 1 == cast->room)
    return true;
  if (!flock_will_hit (cast->p, cast->d, ball->center, ball->radius + cast->margin, &t, &entry) ||
      !(entry < cast->hit.distance))
    return true;
  if (index >= cast->o->n_balls)
    cast->mesh = true;
  else
    cast->hit = (Hit){ entry,
                       kg_vector_normalize_or (
                           kg_vector_subtract (kg_vector_add_scaled (cast->p, entry, cast->d), ball->center),
                           kg_vector_scale (cast->d, -1)),
                       index };
  return true;
}

static bool
cast_at_mesh (Cast *cast, KgVector from)
{
  double t = cast->hit.distance;
  uint32_t triangle;
  KgVector corners[3], normal;

  if (!triangle_mesh_hit (cast->o->mesh, from, cast->d, &t, &triangle) ||
      cast->o->n_balls + cast->o->part[triangle] + 1 == cast->room)
    return false;
  triangle_mesh_get_corners (cast->o->mesh, triangle, corners);
  normal = kg_vector_normalize_or (
      kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0])),
      kg_vector_scale (cast->d, -1));
  if (kg_vector_dot (normal, cast->d) > 0)
    normal = kg_vector_scale (normal, -1);
  cast->hit = (Hit){ fmax (0, t), normal, (uint32_t) (cast->o->n_balls + cast->o->part[triangle]) };
  return true;
}

/* The first thing that a body with a margin around it meets within a distance: balls exactly, meshes by five rays.  room: is not
 * looked at. */
static bool
cast_body (const FlockObstacles *o, uint32_t room, KgVector p, KgVector d, double distance, double margin, Hit *hit)
{
  const KgVector side = kg_vector_perpendicular (d), up = kg_vector_cross (d, side), reach = { margin, margin, margin };
  const KgVector end = kg_vector_add_scaled (p, distance, d);
  const BoundingBox box = bounding_box_from_vectors (kg_vector_subtract (kg_vector_min (p, end), reach),
                                                     kg_vector_add (kg_vector_max (p, end), reach));
  Cast cast = { .o = o, .p = p, .d = d, .margin = margin, .room = room, .hit = { distance, d, G_MAXUINT32 } };

  box_tree_visit_overlaps (o->tree, &box, visit_for_ray, &cast);
  if (cast.mesh) {
    cast_at_mesh (&cast, p);
    for (int k = 0; k < 4 && margin > 0; k++)
      cast_at_mesh (&cast, kg_vector_add_scaled (p, k % 2 == 0 ? margin : -margin, k < 2 ? side : up));
  }
  *hit = cast.hit;
  return cast.hit.which != G_MAXUINT32;
}

bool
flock_obstacles_hide (const FlockObstacles *o, uint32_t room, KgVector a, KgVector b)
{
  const KgVector d = kg_vector_subtract (b, a);
  /* Balls have no dents that hide anything from inside. */
  const uint32_t unseen = room <= o->n_balls ? room : 0;
  const double length = kg_vector_length (d);
  Hit hit;

  return length > 0 && cast_body (o, unseen, a, kg_vector_scale (d, 1 / length), length, 0, &hit) &&
         hit.distance < length;
}

/* What is near. */

typedef struct {
  uint32_t which;
  double distance; /* of the surface; negative inside of a ball */
  KgVector normal; /* unit, away from it */
} Near;

typedef struct {
  const FlockObstacles *o;
  KgVector p;
  double within;
  GArray *found; /* Near, one of each ball or part */
} Nearby;

static bool
visit_near_triangle (gpointer data, uint32_t triangle)
{
  Nearby *near = data;
  const FlockObstacles *o = near->o;
  const uint32_t which = (uint32_t) o->n_balls + o->part[triangle];
  KgVector corners[3], x, away;
  Near item = { .which = which };
  guint k = 0;

  triangle_mesh_get_corners (o->mesh, triangle, corners);
  x = triangle_find_nearest (corners, near->p);
  away = kg_vector_subtract (near->p, x);
  item.distance = kg_vector_length (away);
  item.normal = kg_vector_normalize_or (
      kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0])),
      kg_vector (0, 1, 0));
  if (item.distance > 1e-9)
    item.normal = kg_vector_scale (away, 1 / item.distance);
  if (!(item.distance < near->within))
    return true;
  while (k < near->found->len && g_array_index (near->found, Near, k).which != which)
    k++;
  if (k == near->found->len)
    g_array_append_val (near->found, item);
  else if (item.distance < g_array_index (near->found, Near, k).distance)
    g_array_index (near->found, Near, k) = item;
  return true;
}

static bool
visit_near (gpointer data, uint32_t index)
{
  Nearby *near = data;
  const Ball *ball = &near->o->balls[index];
  const KgVector away = kg_vector_subtract (near->p, ball->center);
  const Near item = { index, kg_vector_length (away) - ball->radius,
                      kg_vector_normalize_or (away, kg_vector (0, 1, 0)) };

  if (index < near->o->n_balls && item.distance < near->within)
    g_array_append_val (near->found, item);
  return true;
}

/* Balls and parts of the mesh whose surface is within a distance.  (transfer full) (nullable) NULL: none */
static GArray *
find_near (const FlockObstacles *o, KgVector p, double within)
{
  const KgVector reach = { within, within, within };
  const BoundingBox box = bounding_box_from_vectors (kg_vector_subtract (p, reach), kg_vector_add (p, reach));
  Nearby near = { o, p, within, g_array_new (FALSE, FALSE, sizeof (Near)) };

  box_tree_visit_overlaps (o->tree, &box, visit_near, &near);
  if (o->mesh->n > 0)
    box_tree_visit_overlaps (o->mesh->tree, &box, visit_near_triangle, &near);
  if (near.found->len == 0)
    g_clear_pointer (&near.found, g_array_unref);
  return near.found;
}

/* Rooms. */

static int
compare_floats (const void *a, const void *b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

/* The middle of the sorted coordinates: in each box that holds more than half of the places. */
static KgVector
find_median (const float *p, size_t n)
{
  g_autofree float *sorted = g_new (float, n);
  double middle[3];

  for (size_t c = 0; c < 3; c++) {
    for (size_t i = 0; i < n; i++)
      sorted[i] = p[3 * i + c];
    qsort (sorted, n, sizeof *sorted, compare_floats);
    middle[c] = (double) sorted[n / 2];
  }
  return kg_vector (middle[0], middle[1], middle[2]);
}

static bool
is_in_room (const FlockObstacles *o, uint32_t which, KgVector x)
{
  if (!(kg_vector_distance (x, o->balls[which].center) < o->balls[which].radius))
    return false;
  return which < o->n_balls || triangle_mesh_part_contains (o->mesh, o->part, which - (uint32_t) o->n_balls, x);
}

static bool
visit_room (gpointer data, uint32_t index)
{
  Nearby *near = data;
  const Near item = { .which = index, .distance = near->o->balls[index].radius };

  if (index < near->o->n_balls || near->o->closed[index - near->o->n_balls])
    g_array_append_val (near->found, item);
  return true;
}

static int
compare_near (const void *a, const void *b)
{
  const Near *x = a, *y = b;

  if (x->distance != y->distance)
    return x->distance < y->distance ? -1 : 1;
  return (x->which > y->which) - (x->which < y->which);
}

bool
flock_obstacles_find_rooms (const FlockObstacles *o, const float *p, size_t n, uint32_t *room,
                            const KgProgressMonitor *monitor)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Near));
  g_autofree bool *in = NULL;

  memset (room, 0, n * sizeof *room);
  if (n == 0 || !o->any_closed)
    return true;
  {
    const KgVector median = find_median (p, n);
    const BoundingBox box = bounding_box_from_vectors (median, median);
    Nearby near = { .o = o, .found = found };

    box_tree_visit_overlaps (o->tree, &box, visit_room, &near);
  }
  g_array_sort (found, compare_near);
  in = g_new (bool, n);
  for (guint k = 0; k < found->len; k++) {
    const uint32_t which = g_array_index (found, Near, k).which;
    size_t inside = 0;

#pragma omp parallel for schedule(dynamic, 64) reduction(+ : inside) if (n > 256)
    for (size_t i = 0; i < n; i++) {
      const KgVector x = kg_floats_get_vector (p, i);

      in[i] = !kg_progress_is_cancelled (monitor) && is_in_room (o, which, x);
      inside += in[i];
    }
    if (kg_progress_is_cancelled (monitor))
      return false;
    for (size_t i = 0; i < n && 2 * inside > n; i++)
      if (in[i] && room[i] == 0)
        room[i] = which + 1;
  }
  return true;
}

/* Ways round. */

typedef struct {
  const FlockObstacles *o;
  const FlockAvoiding *avoiding;
  const FlockFlyer *flyer;
  double speed, margin, reach; /* reach: how far is looked ahead */
  double side;                 /* of this flyer, where both are as good */
  Hit hit;
} Danger;

static bool
wish_field (const Danger *danger, FlockWish *wish)
{
  const FlockAvoiding *avoiding = danger->avoiding;
  const FlockFlyer *flyer = danger->flyer;
  g_autoptr (GArray) near = find_near (danger->o, flyer->place, avoiding->distance + flyer->radius);
  KgVector a = { 0, 0, 0 };

  if (near == NULL)
    return false;
  for (guint k = 0; k < near->len; k++) {
    const Near *item = &g_array_index (near, Near, k);
    /* Of a ball that is the room, the surface is outside. */
    const double side = item->which + 1 == flyer->room && item->which < danger->o->n_balls ? -1 : 1;
    const KgVector normal = kg_vector_scale (item->normal, side);
    const double d = fmax (0, side * item->distance - flyer->radius);
    double push = avoiding->strength * pow (1 - fmin (1, d / avoiding->distance), avoiding->power);

    if (avoiding->approach)
      push *= fmax (0, -kg_vector_dot (flyer->heading, normal));
    a = kg_vector_add_scaled (a, push, normal);
  }
  *wish = (FlockWish){ kg_vector_add_scaled (flyer->velocity, avoiding->response, a),
                       fmin (1, kg_vector_length (a) / fmax (avoiding->strength, 1e-9)), 1 };
  return true;
}

/* How urgent it is: the root of the share of the look ahead that is over. */
static double
get_urgency (const Danger *danger)
{
  return sqrt (kg_clamp (1 - danger->hit.distance / fmax (danger->reach, 1e-9), 0, 1));
}

static void
wish_toward (const Danger *danger, KgVector direction, double strength, FlockWish *wish)
{
  *wish = (FlockWish){ kg_vector_scale (direction, danger->speed), strength, strength };
}

/* Along the surface that is too near, and away from it. */
static void
wish_along (const Danger *danger, KgVector normal, double distance, double strength, FlockWish *wish)
{
  const KgVector v = danger->flyer->velocity;
  const double off = kg_vector_dot (v, normal);
  /* Who keeps to an outline and leaves the surface already goes on so, and does not turn round its corner. */
  const bool leaves = danger->avoiding->how == FLOCK_AVOID_SILHOUETTE && off > 0;
  KgVector along = leaves ? v : kg_vector_add_scaled (v, -off, normal);

  if (!(kg_vector_length (along) > 1e-3 * danger->speed))
    along = kg_vector_scale (kg_vector_perpendicular (normal), danger->side * danger->speed);
  along = kg_vector_add_scaled (along, fmax (0, danger->margin - distance) / fmax (danger->avoiding->response, 1e-9),
                                normal);
  wish_toward (danger, kg_vector_normalize_or (along, normal), strength, wish);
}

static void
wish_steer (const Danger *danger, FlockWish *wish)
{
  const FlockFlyer *flyer = danger->flyer;
  const Ball *ball = &danger->o->balls[danger->hit.which];
  const double radius = ball->radius + danger->margin;
  const KgVector away = kg_vector_subtract (flyer->place, ball->center);
  KgVector rim;

  if (kg_vector_length (away) > radius) {
    rim = flock_find_rim (flyer->place, flyer->heading, ball->center, radius, danger->side);
    wish_toward (danger, kg_vector_normalize_or (kg_vector_subtract (rim, flyer->place), flyer->heading),
                 get_urgency (danger), wish);
  } else if (danger->hit.which < danger->o->n_balls)
    wish_toward (danger, kg_vector_normalize_or (away, flyer->heading), 1, wish);
  else
    wish_along (danger, danger->hit.normal, danger->hit.distance, get_urgency (danger), wish);
}

static void
wish_center (const Danger *danger, FlockWish *wish)
{
  const FlockFlyer *flyer = danger->flyer;
  const Ball *ball = &danger->o->balls[danger->hit.which];
  const double radius = ball->radius + danger->margin;
  const KgVector d = kg_vector_subtract (ball->center, flyer->place);
  KgVector across = kg_vector_add_scaled (d, -kg_vector_dot (d, flyer->heading), flyer->heading);
  const double t = kg_vector_length (across);

  if (t < STRAIGHT * radius) {
    across = kg_vector_cross (flyer->heading, kg_vector (0, danger->side, 0));
    if (kg_vector_length (across) < STRAIGHT)
      across = kg_vector_perpendicular (flyer->heading);
  }
  across = kg_vector_scale (kg_vector_normalize_or (across, kg_vector (1, 0, 0)),
                            -danger->avoiding->strength * fmax (0, 1 - t / fmax (radius, 1e-9)));
  *wish = (FlockWish){ kg_vector_add_scaled (flyer->velocity, danger->avoiding->response, across), get_urgency (danger),
                       1 };
}

static bool
looks_here (const FlockObstacles *o, uint32_t triangle, KgVector from)
{
  KgVector corners[3];

  triangle_mesh_get_corners (o->mesh, triangle, corners);
  return kg_vector_dot (
             kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0])),
             kg_vector_subtract (corners[0], from)) < 0;
}

static bool
is_silhouette (const FlockObstacles *o, const Edge *edge, KgVector from)
{
  const bool first = looks_here (o, o->faces[edge->first], from);

  if (edge->n == 1)
    return true;
  for (uint32_t k = 1; k < edge->n; k++)
    if (looks_here (o, o->faces[edge->first + k], from) != first)
      return true;
  return false;
}

GArray *
flock_obstacles_find_silhouette (const FlockObstacles *o, KgVector from)
{
  GArray *pairs = g_array_new (FALSE, FALSE, 2 * sizeof (uint32_t));

  for (size_t k = 0; k < o->n_edges; k++)
    if (is_silhouette (o, &o->edges[k], from)) {
      const uint32_t pair[] = { o->edges[k].a, o->edges[k].b };

      g_array_append_vals (pairs, pair, 1);
    }
  return pairs;
}

typedef struct {
  bool behind; /* the flyer has passed it, and would turn back */
  double distance;
  KgVector target;
  uint32_t edge;
} Passage;

static int
compare_passages (const void *a, const void *b)
{
  const Passage *x = a, *y = b;

  if (x->behind != y->behind)
    return x->behind ? 1 : -1;
  if (x->distance != y->distance)
    return x->distance < y->distance ? -1 : 1;
  return (x->edge > y->edge) - (x->edge < y->edge);
}

/* Past the nearest edge of the outline that nothing else covers: nearest to the way ahead, or, where the surface is too near for
 * that, to the flyer. */
static void
wish_silhouette (const Danger *danger, bool close, FlockWish *wish)
{
  const FlockObstacles *o = danger->o;
  const FlockFlyer *flyer = danger->flyer;
  const uint32_t part = danger->hit.which - (uint32_t) o->n_balls;
  g_autoptr (GArray) passages = NULL;
  KgVector target;

  if (danger->hit.which < o->n_balls) {
    wish_steer (danger, wish);
    return;
  }
  passages = g_array_new (FALSE, FALSE, sizeof (Passage));
  for (uint32_t k = o->first_edge[part]; k < o->first_edge[part + 1]; k++) {
    const Edge *edge = &o->edges[k];
    double along;
    KgVector e, c, out;
    Passage passage = { .edge = k };

    if (!is_silhouette (o, edge, flyer->place))
      continue;
    e = flock_find_nearest_on_edge (flyer->place, close ? kg_vector (0, 0, 0) : flyer->heading,
                                    triangle_mesh_get_point (o->mesh, edge->a),
                                    triangle_mesh_get_point (o->mesh, edge->b), &along);
    c = kg_vector_add_scaled (flyer->place, along, flyer->heading);
    out = kg_vector_subtract (e, c);
    passage.distance = kg_vector_length (out);
    passage.behind = close && kg_vector_dot (kg_vector_subtract (e, flyer->place), flyer->heading) < 0;
    /* From near by, the way to the edge leads over the body. */
    if (close)
      out = kg_vector_subtract (e, o->balls[danger->hit.which].center);
    out = kg_vector_add_scaled (out, -kg_vector_dot (out, flyer->heading), flyer->heading);
    out = kg_vector_normalize_or (out, kg_vector_scale (kg_vector_perpendicular (flyer->heading), danger->side));
    passage.target = kg_vector_add_scaled (e, 1.5 * danger->margin, out);
    g_array_append_val (passages, passage);
  }
  if (passages->len == 0) {
    wish_along (danger, danger->hit.normal, danger->hit.distance, get_urgency (danger), wish);
    return;
  }
  g_array_sort (passages, compare_passages);
  target = g_array_index (passages, Passage, 0).target;
  for (guint k = 0; k < MIN (passages->len, TRIES) && !close; k++) {
    const KgVector there = g_array_index (passages, Passage, k).target;
    const KgVector d = kg_vector_subtract (there, flyer->place);
    const double length = kg_vector_length (d);
    Hit hit;

    if (length > 0 && !cast_body (o, flyer->room, flyer->place, kg_vector_scale (d, 1 / length), length,
                                  0.5 * danger->margin, &hit)) {
      target = there;
      break;
    }
  }
  target = kg_vector_normalize_or (kg_vector_subtract (target, flyer->place), flyer->heading);
  if (close) {
    /* Along the surface, and off it. */
    target = kg_vector_add_scaled (target, -fmin (0, kg_vector_dot (target, danger->hit.normal)), danger->hit.normal);
    target = kg_vector_add_scaled (target, kg_clamp (1 - danger->hit.distance / fmax (danger->margin, 1e-9), 0, 1),
                                   danger->hit.normal);
    target = kg_vector_normalize_or (target, danger->hit.normal);
  }
  wish_toward (danger, target, close ? 1 : get_urgency (danger), wish);
}

/* Axes about the heading, as level as they can be. */
static void
get_axes (const FlockFlyer *flyer, KgVector *right, KgVector *up)
{
  *right = kg_vector_cross (flyer->heading, kg_vector (0, 1, 0));
  *right = kg_vector_length (*right) > STRAIGHT ? kg_vector_normalize_or (*right, *right)
                                                : kg_vector_perpendicular (flyer->heading);
  *up = kg_vector_cross (*right, flyer->heading);
}

static KgVector
combine (const FlockFlyer *flyer, KgVector right, KgVector up, KgVector d)
{
  return kg_vector_add_scaled (kg_vector_add_scaled (kg_vector_scale (flyer->heading, d.z), d.x, right), d.y, up);
}

static void
wish_feelers (const Danger *danger, FlockWish *wish)
{
  const FlockFlyer *flyer = danger->flyer;
  const guint n = danger->avoiding->rays;
  KgVector right, up, best = flyer->heading;
  double longest = -1;

  get_axes (flyer, &right, &up);
  right = kg_vector_scale (right, danger->side);
  for (guint k = 0; k < n; k++) {
    const KgVector d = combine (flyer, right, up, flock_get_feeler (k, n, KG_PI / 2));
    Hit hit;
    const double free = cast_body (danger->o, flyer->room, flyer->place, d, danger->reach, danger->margin, &hit)
                            ? hit.distance
                            : INFINITY;

    if (free > longest) {
      longest = free;
      best = d;
    }
    if (isinf (free))
      break;
  }
  if (isinf (longest))
    wish_toward (danger, best, get_urgency (danger), wish);
  else
    /* Nowhere is free: slowly to where it is farthest. */
    *wish =
        (FlockWish){ kg_vector_scale (best, danger->speed * kg_clamp (longest / fmax (danger->reach, 1e-9), 0.1, 1)), 1,
                     1 };
}

/* The view: what is covered, and how far it is. */
typedef struct {
  guint n;
  float *distance; /* INFINITY: nothing within reach */
  double scale;    /* tangent of half its angle */
} View;

static KgVector
get_pixel (const View *view, guint row, guint column)
{
  const double n = view->n;

  return kg_vector (((column + 0.5) / n - 0.5) * 2 * view->scale, (0.5 - (row + 0.5) / n) * 2 * view->scale, 1);
}

/* How far ahead it is, and not aside: the same for all of a wall straight ahead. */
static double
get_depth (const View *view, guint row, guint column)
{
  return (double) view->distance[row * view->n + column] / kg_vector_length (get_pixel (view, row, column));
}

/* The body fits through where no covered pixel is within the angle that it takes up at that distance; before: only pixels less
 * far ahead than that count. */
static bool
fits (const View *view, guint row, guint column, double margin, double before)
{
  const KgVector at = kg_vector_normalize_or (get_pixel (view, row, column), kg_vector (0, 0, 1));

  for (guint i = 0; i < view->n; i++)
    for (guint k = 0; k < view->n; k++) {
      const double distance = (double) view->distance[i * view->n + k];

      if (isfinite (distance) && get_depth (view, i, k) < before &&
          kg_vector_dot (at, kg_vector_normalize_or (get_pixel (view, i, k), at)) >
              cos (asin (fmin (1, margin / fmax (distance, 1e-9)))))
        return false;
    }
  return true;
}

/* Down the slope of what is covered, blurred until the middle has one, to the first free pixel.  False: there is none. */
static bool
follow_slope (const View *view, KgVector *direction)
{
  const guint n = view->n;
  g_autofree float *cover = g_new (float, (size_t) n *n), *next = g_new (float, (size_t) n *n);
  double x = 0, y = 0;

  for (guint i = 0; i < n * n; i++)
    cover[i] = isfinite (view->distance[i]) ? 1 : 0;
  for (guint pass = 0; pass < n && fabs (x) + fabs (y) <= SLOPE; pass++) {
    const guint m = n / 2;

    for (guint axis = 0; axis < 2; axis++) {
      for (guint i = 0; i < n * n; i++) {
        const guint at = axis == 0 ? i % n : i / n, step = axis == 0 ? 1 : n;
        const float low = at > 0 ? cover[i - step] : cover[i], high = at + 1 < n ? cover[i + step] : cover[i];

        next[i] = 0.25f * low + 0.5f * cover[i] + 0.25f * high;
      }
      memcpy (cover, next, (size_t) n * n * sizeof *cover);
    }
    x = (double) (cover[m * n + m] + cover[(m - 1) * n + m] - cover[m * n + m - 1] - cover[(m - 1) * n + m - 1]) / 2;
    y = (double) (cover[(m - 1) * n + m] + cover[(m - 1) * n + m - 1] - cover[m * n + m] - cover[m * n + m - 1]) / 2;
  }
  if (fabs (x) + fabs (y) <= SLOPE)
    return false;
  for (double s = 0; s < n; s += 0.5) {
    const double length = hypot (x, y), column = 0.5 * n - s * x / length, row = 0.5 * n + s * y / length;

    if (column < 0 || row < 0 || column >= n || row >= n)
      return false;
    if (isinf (view->distance[(guint) row * n + (guint) column])) {
      *direction = get_pixel (view, (guint) row, (guint) column);
      return true;
    }
  }
  return false;
}

/* How far from the middle of a view the nearest pixel is that shows something farther than what is straight ahead by more than a
 * jump, and that the body reaches past all that is nearer by as much; INFINITY: none. */
static double
find_edge_in_depth (const Danger *danger, const View *view, KgVector *best)
{
  const double jump = 2 * danger->margin;
  const guint n = view->n;
  double nearest = INFINITY, ahead = INFINITY;

  for (guint k = 0; k < 4; k++)
    ahead = fmin (ahead, get_depth (view, n / 2 - k / 2, n / 2 - k % 2));
  for (guint i = 0; i < n * n; i++) {
    const KgVector pixel = get_pixel (view, i / n, i % n);
    const double off = hypot (pixel.x, pixel.y), depth = get_depth (view, i / n, i % n);

    if (isfinite (depth) && depth > ahead + jump && off < nearest - 1e-12 &&
        fits (view, i / n, i % n, danger->margin, depth - jump)) {
      nearest = off;
      *best = pixel;
    }
  }
  return nearest;
}

static void
wish_view (const Danger *danger, FlockWish *wish)
{
  const FlockFlyer *flyer = danger->flyer;
  const guint n = danger->avoiding->size;
  g_autofree float *far = g_new (float, (size_t) n *n);
  const View view = { n, far, tan (0.5 * danger->avoiding->angle) };
  KgVector right, up, best = { 0, 0, 1 };
  double nearest = INFINITY;

  get_axes (flyer, &right, &up);
  for (guint i = 0; i < n * n; i++) {
    const KgVector d =
        kg_vector_normalize_or (combine (flyer, right, up, get_pixel (&view, i / n, i % n)), flyer->heading);
    Hit hit;

    far[i] = cast_body (danger->o, flyer->room, flyer->place, d, danger->reach, 0, &hit) ? (float) hit.distance
                                                                                         : INFINITY;
  }
  for (guint i = 0; i < n * n; i++) {
    const KgVector pixel = get_pixel (&view, i / n, i % n);
    const double off = hypot (pixel.x, pixel.y);

    if (isinf (far[i]) && off < nearest - 1e-12 && fits (&view, i / n, i % n, danger->margin, INFINITY)) {
      nearest = off;
      best = pixel;
    }
  }
  if (isinf (nearest))
    nearest = find_edge_in_depth (danger, &view, &best);
  if (isfinite (nearest) || follow_slope (&view, &best))
    wish_toward (danger, kg_vector_normalize_or (combine (flyer, right, up, best), flyer->heading),
                 get_urgency (danger), wish);
  else
    *wish = (FlockWish){ kg_vector_scale (right, 0.1 * danger->side * danger->speed), 1, 1 };
}

/* What is too near, though not ahead, beside the room.  False: nothing, and *hit is far. */
static bool
find_beside (const Danger *danger, Hit *hit)
{
  g_autoptr (GArray) near = danger->o->n_parts > 0 ? find_near (danger->o, danger->flyer->place, danger->margin) : NULL;

  *hit = (Hit){ INFINITY, danger->flyer->heading, G_MAXUINT32 };
  for (guint k = 0; near != NULL && k < near->len; k++) {
    const Near *item = &g_array_index (near, Near, k);

    if (item->which + 1 != danger->flyer->room && item->distance < hit->distance)
      *hit = (Hit){ item->distance, item->normal, item->which };
  }
  return hit->which != G_MAXUINT32;
}

/* The wall of the room ahead, or beside where that is closer than the margin.  False: it is far. */
static bool
find_wall (const Danger *danger, Hit *wall)
{
  const FlockObstacles *o = danger->o;
  const FlockFlyer *flyer = danger->flyer;
  const uint32_t which = flyer->room - 1;
  const Ball *ball = &o->balls[which];

  *wall = (Hit){ INFINITY, kg_vector_scale (flyer->heading, -1), which };
  if (which < o->n_balls) {
    const KgVector d = kg_vector_subtract (ball->center, flyer->place);
    const double along = kg_vector_dot (d, flyer->heading), r = ball->radius;
    const double ahead = along + sqrt (fmax (0, r * r - kg_vector_dot (d, d) + along * along));
    const double beside = fmax (0, r - kg_vector_length (d));

    if (ahead - danger->margin < danger->reach)
      *wall = (Hit){ fmax (0, ahead - danger->margin),
                     kg_vector_normalize_or (kg_vector_add_scaled (d, -ahead, flyer->heading), wall->normal), which };
    if (beside < danger->margin && beside < wall->distance)
      *wall = (Hit){ beside, kg_vector_normalize_or (d, wall->normal), which };
  } else {
    g_autoptr (GArray) near = find_near (o, flyer->place, danger->margin);
    Cast cast = { .o = o, .p = flyer->place, .d = flyer->heading };

    cast.hit.distance = danger->reach + danger->margin;
    if (cast_at_mesh (&cast, flyer->place) && cast.hit.which == which)
      *wall = (Hit){ fmax (0, cast.hit.distance - danger->margin), cast.hit.normal, which };
    for (guint k = 0; near != NULL && k < near->len; k++) {
      const Near *item = &g_array_index (near, Near, k);

      if (item->which == which && item->distance < wall->distance)
        *wall = (Hit){ item->distance, item->normal, which };
    }
  }
  return isfinite (wall->distance);
}

/* The side to turn to from a wall ahead: to the middle of the room, which stays where it is while walls of many faces have one
 * normal after the other; straight at both, the side of this flyer. */
static KgVector
choose_side (const Danger *danger)
{
  const KgVector heading = danger->flyer->heading;
  const KgVector middle = kg_vector_subtract (danger->o->balls[danger->hit.which].center, danger->flyer->place);
  KgVector side = kg_vector_add_scaled (middle, -kg_vector_dot (middle, heading), heading);

  if (kg_vector_length (side) > NEARLY_STRAIGHT * kg_vector_length (middle))
    return kg_vector_normalize_or (side, heading);
  side = kg_vector_scale (kg_vector_cross (heading, kg_vector (0, 1, 0)), danger->side);
  return kg_vector_normalize_or (side, kg_vector_perpendicular (heading));
}

/* Back from the wall of the room: whoever flies along it would press to it wherever it bends.  Who flies at the wall turns to the
 * side first, and sharply: a brake does not turn birds, which cannot stop. */
static void
wish_inside (const Danger *danger, FlockWish *wish)
{
  const KgVector normal = danger->hit.normal, heading = danger->flyer->heading;
  const double away = kg_vector_dot (heading, normal);
  const KgVector along = kg_vector_normalize_or (kg_vector_add_scaled (heading, -away, normal), normal);
  const KgVector back = kg_vector_normalize_or (kg_vector_add_scaled (normal, ALONG_WALL, along), normal);
  const double strength = get_urgency (danger);

  if (away < 0)
    *wish = (FlockWish){ kg_vector_scale (choose_side (danger), 2 * danger->speed), strength, strength };
  else
    wish_toward (danger, back, strength, wish);
}

bool
flock_obstacles_avoid (const FlockObstacles *o, const FlockAvoiding *avoiding, const FlockFlyer *flyer, FlockWish *wish)
{
  const double speed = kg_vector_length (flyer->velocity);
  Danger danger = { .o = o,
                    .avoiding = avoiding,
                    .flyer = flyer,
                    .speed = fmax (speed, avoiding->how == FLOCK_AVOID_SILHOUETTE ? avoiding->cruise : 0.1),
                    .margin = flyer->radius + avoiding->comfort,
                    .reach = avoiding->look_ahead * speed };
  Hit wall;
  bool ahead, close, walled, passing; /* passing: along a surface, and no longer to its outline */

  if (avoiding->how == FLOCK_AVOID_NONE || o->n_balls + o->n_parts == 0)
    return false;
  danger.side = (kg_random_bits (0x73696465, flyer->id, 0) & 1) != 0 ? 1 : -1;
  if (avoiding->how == FLOCK_AVOID_FIELD)
    return wish_field (&danger, wish);
  walled = flyer->room != 0 && find_wall (&danger, &wall);
  ahead = cast_body (o, flyer->room, flyer->place, flyer->heading, danger.reach, danger.margin, &danger.hit);
  /* Nothing ahead: only what is too near beside. */
  if (!ahead && !find_beside (&danger, &danger.hit) && !walled)
    return false;
  if (walled && wall.distance <= danger.hit.distance) {
    danger.hit = wall;
    wish_inside (&danger, wish);
    return true;
  }
  close = danger.hit.which >= o->n_balls && danger.hit.distance < avoiding->comfort;
  passing = avoiding->how == FLOCK_AVOID_SILHOUETTE && close &&
            kg_vector_dot (flyer->heading, danger.hit.normal) > -NEARLY_ALONG;
  if (avoiding->how == FLOCK_AVOID_SILHOUETTE && ahead && !passing)
    wish_silhouette (&danger, close, wish);
  else if (!ahead || passing)
    wish_along (&danger, danger.hit.normal, danger.hit.distance,
                kg_clamp (1 - danger.hit.distance / fmax (danger.margin, 1e-9), 0, 1), wish);
  else if (close && avoiding->how != FLOCK_AVOID_CENTER)
    wish_along (&danger, danger.hit.normal, danger.hit.distance, 1, wish);
  else if (avoiding->how == FLOCK_AVOID_STEER)
    wish_steer (&danger, wish);
  else if (avoiding->how == FLOCK_AVOID_CENTER)
    wish_center (&danger, wish);
  else if (avoiding->how == FLOCK_AVOID_FEELERS)
    wish_feelers (&danger, wish);
  else
    wish_view (&danger, wish);
  return true;
}

void
flock_obstacles_stop (const FlockObstacles *o, uint32_t room, KgVector before, double radius, KgVector *place,
                      KgVector *velocity)
{
  const Ball *ball = room > 0 && room <= o->n_balls ? &o->balls[room - 1] : NULL;
  const uint32_t unseen = ball != NULL ? room : 0;

  for (int k = 0; k < SLIDES; k++) {
    const KgVector way = kg_vector_subtract (*place, before);
    const double length = kg_vector_length (way);
    KgVector at, rest;
    Hit hit;

    if (!(length > 0) || !cast_body (o, unseen, before, kg_vector_scale (way, 1 / length), length + radius, 0, &hit) ||
        hit.distance - radius > length)
      break;
    at = kg_vector_add_scaled (before, fmax (0, hit.distance - radius) / length, way);
    rest = kg_vector_subtract (*place, at);
    *place = kg_vector_add_scaled (kg_vector_add (at, rest), -fmin (0, kg_vector_dot (rest, hit.normal)), hit.normal);
    *velocity = kg_vector_add_scaled (*velocity, -fmin (0, kg_vector_dot (*velocity, hit.normal)), hit.normal);
    before = at;
  }
  if (ball != NULL) {
    const KgVector out = kg_vector_subtract (*place, ball->center);
    const double most = fmax (0, ball->radius - radius), length = kg_vector_length (out);

    if (length > most) {
      *place = kg_vector_add_scaled (ball->center, most / length, out);
      *velocity = kg_vector_add_scaled (*velocity, -fmax (0, kg_vector_dot (*velocity, out)) / (length * length), out);
    }
  }
}
