/* particle_mesh: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/particle_mesh.h"

#include "kg-floats.h"
#include "geometry/closest_pair.h"
#include "sim/particle_contact.h"

/* Contacts that are followed within one step. */
#define MOST_HITS 4
/* Parts of a step in which signs are compared, and halvings of the one with the contact. */
#define PARTS 8
#define HALVINGS 40
/* Points keep this share of their distance from the origin away from a surface, so that rounding does not put them behind it. */
#define HAIR 4e-6

struct _ParticleMesh {
  TriangleMesh *mesh; /* at the end of the step; (nullable) without triangles */
  KgGeometry *before; /* (nullable) it stands */
  const float *p0;    /* of its points at the start */
  BoxTree *tree;      /* around triangles on their way; the mesh's own where it stands */
  BoundingBox bounds;
  bool changed; /* its triangles are not those of before: what they held is released */
  double dt;
};

/* A triangle while it moves for the share 0..1 of a path. */
typedef struct {
  KgVector a[3], v[3]; /* corners, and how far they go within the path */
  KgVector normal;     /* of one that stands; 0 without an area */
  bool moves;
} Sweep;

/* What is looked for: the first contact of a path. */
typedef struct {
  const ParticleMesh *mesh;
  const ParticlePath *path;
  double from, till; /* of the path, in shares of the step */
  double radius;
  double reach; /* no point of the path is farther from its start, with the radius around it */
  double s;
  uint32_t triangle;
  KgVector normal, velocity, hit;
} Search;

void
particle_mesh_free (ParticleMesh *mesh)
{
  if (mesh->tree != NULL && (mesh->mesh == NULL || mesh->tree != mesh->mesh->tree))
    box_tree_free (mesh->tree);
  g_clear_pointer (&mesh->mesh, triangle_mesh_free);
  g_clear_pointer (&mesh->before, kg_geometry_unref);
  g_free (mesh);
}

ParticleMesh *
particle_mesh_new (const KgGeometry *before, const KgGeometry *now, double dt, const KgProgressMonitor *monitor,
                   GError **error)
{
  g_autoptr (ParticleMesh) mesh = g_new0 (ParticleMesh, 1);
  g_autofree BoundingBox *boxes = NULL;
  const TriangleMesh *m;

  mesh->bounds = bounding_box_new ();
  mesh->dt = dt;
  mesh->changed = before != NULL && (kg_geometry_get_n_points (before) != kg_geometry_get_n_points (now) ||
                                     !kg_geometry_same_topology (before, now));
  mesh->mesh = triangle_mesh_new (now, monitor, error);
  if (mesh->mesh == NULL)
    return NULL;
  m = mesh->mesh;
  if (m->n == 0)
    return g_steal_pointer (&mesh);
  mesh->p0 = m->p;
  mesh->tree = m->tree;
  if (before != NULL && !mesh->changed &&
      memcmp (kg_geometry_get_positions (before), m->p, 3 * kg_geometry_get_n_points (now) * sizeof (float)) != 0) {
    mesh->before = kg_geometry_ref (before);
    mesh->p0 = kg_geometry_get_positions (mesh->before);
    boxes = g_new (BoundingBox, m->n);
#pragma omp parallel for schedule(dynamic, 4096)
    for (size_t i = 0; i < m->n; i++) {
      boxes[i] = bounding_box_new ();
      for (int k = 0; k < 3; k++) {
        bounding_box_add_point (&boxes[i], m->p + 3 * (size_t) m->corners[i][k]);
        bounding_box_add_point (&boxes[i], mesh->p0 + 3 * (size_t) m->corners[i][k]);
      }
    }
    mesh->tree = NULL;
    mesh->tree = box_tree_new (boxes, m->n, monitor);
    if (mesh->tree == NULL)
      return NULL;
  }
  mesh->bounds = box_tree_get_bounds (mesh->tree);
  return g_steal_pointer (&mesh);
}

/* 0 of a triangle without an area. */
static inline KgVector
get_normal (const KgVector corners[3])
{
  return kg_vector_normalize_or (
      kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0])),
      kg_vector (0, 0, 0));
}

static inline Sweep
get_sweep (const ParticleMesh *mesh, uint32_t triangle, double from, double till)
{
  const uint32_t *corner = mesh->mesh->corners[triangle];
  Sweep sweep = { .moves = mesh->before != NULL };

  for (int k = 0; k < 3; k++) {
    const KgVector b = kg_floats_get_vector (mesh->mesh->p, (size_t) corner[k]),
                   a = sweep.moves ? kg_floats_get_vector (mesh->p0, (size_t) corner[k]) : b;

    sweep.a[k] = sweep.moves ? kg_vector_lerp (a, b, from) : b;
    sweep.v[k] = sweep.moves ? kg_vector_scale (kg_vector_subtract (b, a), till - from) : kg_vector (0, 0, 0);
  }
  if (!sweep.moves)
    sweep.normal = get_normal (sweep.a);
  return sweep;
}

static inline void
get_corners (const Sweep *sweep, double s, KgVector corners[3])
{
  for (int k = 0; k < 3; k++)
    corners[k] = sweep->moves ? kg_vector_add_scaled (sweep->a[k], s, sweep->v[k]) : sweep->a[k];
}

/* The signed distance from the plane of a triangle with these corners at that time. */
static inline double
get_distance (const Sweep *sweep, const KgVector corners[3], KgVector x, KgVector *normal)
{
  *normal = sweep->moves ? get_normal (corners) : sweep->normal;
  return kg_vector_dot (*normal, kg_vector_subtract (x, corners[0]));
}

static double
get_clearance (const Search *search, const Sweep *sweep, double side, double radius, double s, KgVector *normal)
{
  KgVector corners[3];

  get_corners (sweep, s, corners);
  return side * get_distance (sweep, corners, particle_path_get_place (search->path, s), normal) - radius;
}

/* The first share of the path at which the point is that near the plane; 0 where it is nearer at its start, whose clearance is
 * given; above 1: never. */
static double
find_first (const Search *search, const Sweep *sweep, double side, double radius, double clearance)
{
  double low = 0, at = clearance;
  KgVector normal;

  if (clearance <= 0)
    return 0;
  if (!sweep->moves) {
    double end, bend;

    /* The plane stands: the clearance is a parabola, as the path is. */
    end = get_clearance (search, sweep, side, radius, 1, &normal);
    bend = 0.5 * side * kg_vector_dot (normal, search->path->acceleration) * search->path->h * search->path->h;
    if (end < 0)
      return particle_path_find_crossing (clearance, end - clearance - bend, bend);
    /* It may dip in between. */
    if (bend > 0 && -(end - clearance - bend) < 2 * bend && end - clearance - bend < 0) {
      const double b = end - clearance - bend, inner = b * b - 4 * bend * clearance;

      return inner > 0 ? (-b - sqrt (inner)) / (2 * bend) : 2;
    }
    return 2;
  }
  for (int k = 1; k <= PARTS; k++) {
    const double s = (double) k / PARTS;
    const double next = get_clearance (search, sweep, side, radius, s, &normal);

    if (next < 0) {
      double high = s;

      for (int i = 0; i < HALVINGS && at > 0; i++) {
        const double middle = 0.5 * (low + high);

        if (get_clearance (search, sweep, side, radius, middle, &normal) < 0)
          high = middle;
        else
          low = middle;
      }
      return low;
    }
    low = s;
    at = next;
  }
  return 2;
}

static KgVector
get_surface_velocity (const Search *search, const Sweep *sweep, const KgVector corners[3], KgVector q)
{
  const double seconds = (search->till - search->from) * search->mesh->dt;
  KgVector w, v = { 0, 0, 0 };

  if (!sweep->moves || !(seconds > 0))
    return v;
  w = closest_triangle_weights (q, corners);
  for (size_t k = 0; k < 3; k++)
    v = kg_vector_add_scaled (v, kg_vector_get (w, k) / seconds, sweep->v[k]);
  return v;
}

/* Takes the contact after the share s of the path, if the point is that near the triangle there, and does not leave it. */
static bool
take_contact (Search *search, const Sweep *sweep, uint32_t triangle, double side, double radius, double s)
{
  KgVector corners[3], normal, x, q, away, velocity;
  double gap, arrival, pull;

  if (s > search->s || (s == search->s && s == 1 && search->triangle != UINT32_MAX))
    return false;
  x = particle_path_get_place (search->path, s);
  get_corners (sweep, s, corners);
  q = triangle_find_nearest (corners, x);
  away = kg_vector_subtract (x, q);
  gap = kg_vector_length (away);
  if (!(gap <= radius * (1 + 1e-6) + 1e-9))
    return false;
  get_distance (sweep, corners, x, &normal);
  normal = kg_vector_normalize_or (gap > 0.01 * search->radius ? away : kg_vector_scale (normal, side),
                                   kg_vector_scale (normal, side));
  if (kg_vector_length (normal) < 0.5)
    return false;
  velocity = get_surface_velocity (search, sweep, corners, q);
  arrival = -kg_vector_dot (
      kg_vector_subtract (s > 0 ? particle_path_get_velocity (search->path, s) : search->path->slope, velocity),
      normal);
  pull = -kg_vector_dot (search->path->acceleration, normal);
  /* It leaves, unless it is pulled back within the path: that is rest. */
  if (arrival <= 0 && !(s == 0 && pull > 0 && -2 * arrival <= pull * search->path->h))
    return false;
  search->s = s;
  search->triangle = triangle;
  search->normal = normal;
  search->velocity = velocity;
  search->hit = kg_vector_add_scaled (q, search->radius, normal);
  return true;
}

/* Whether the path meets the triangle before what was found. */
static bool
test_triangle (gpointer data, uint32_t triangle)
{
  Search *search = (Search *) data;
  const Sweep sweep = get_sweep (search->mesh, triangle, search->from, search->till);
  const double hair = fmin (search->radius, HAIR * (1 + kg_vector_length (search->path->x0)));
  KgVector corners[3], normal;
  double side, distance, s;

  get_corners (&sweep, 0, corners);
  distance = get_distance (&sweep, corners, search->path->x0, &normal);
  /* Nowhere on its way is the point near the plane of a triangle that stands. */
  if (!sweep.moves && fabs (distance) > search->reach && kg_vector_length (normal) > 0.5)
    return true;
  side = distance < 0 ? -1 : 1;
  s = find_first (search, &sweep, side, search->radius, side * distance - search->radius);
  if (s < 1 && take_contact (search, &sweep, triangle, side, search->radius, s))
    return true;
  /* Where it came beside the triangle first, it may go through it farther on. */
  s = find_first (search, &sweep, side, hair, side * distance - hair);
  if (s < 1 && take_contact (search, &sweep, triangle, side, hair, s))
    return true;
  /* And a point that passes beside a corner or edge may be near it at the end. */
  take_contact (search, &sweep, triangle, side, search->radius, 1);
  return true;
}

/* How far the path is from a straight one. */
static double
get_bulge (const ParticlePath *path)
{
  return 0.125 * path->h * path->h * kg_vector_length (path->acceleration);
}

/* Around the path, as far as the points are kept from surfaces. */
static BoundingBox
get_path_box (const ParticlePath *path, double radius)
{
  const double bulge = get_bulge (path) + radius;
  const KgVector reach = { bulge, bulge, bulge };
  const KgVector low = { fmin (path->x0.x, path->x1.x), fmin (path->x0.y, path->x1.y), fmin (path->x0.z, path->x1.z) };
  const KgVector high = { fmax (path->x0.x, path->x1.x), fmax (path->x0.y, path->x1.y), fmax (path->x0.z, path->x1.z) };

  return bounding_box_from_vectors (kg_vector_subtract (low, reach), kg_vector_add (high, reach));
}

static void
collide_point (const ParticleMesh *mesh, const ParticleObstacles *o, ParticlePath *path, double till, size_t index,
               double radius, ParticleContacts *contacts)
{
  for (int k = 0; k < MOST_HITS && path->h > 0; k++) {
    const BoundingBox box = get_path_box (path, radius);
    const double seconds = path->h;
    Search search = { .mesh = mesh,
                      .path = path,
                      .from = mesh->dt > 0 ? till - seconds / mesh->dt : till,
                      .till = till,
                      .radius = radius,
                      .reach = (radius + get_bulge (path) + kg_vector_distance (path->x0, path->x1)) * (1 + 1e-5) +
                               1e-8,
                      .s = 1,
                      .triangle = UINT32_MAX };
    ParticlePath relative = *path;
    KgVector moved;
    bool over;

    if (!bounding_box_overlaps (&box, &mesh->bounds))
      return;
    box_tree_visit_overlaps (mesh->tree, &box, test_triangle, &search);
    if (search.triangle == UINT32_MAX)
      return;
    /* In the frame of the surface. */
    moved = kg_vector_scale (search.velocity, seconds);
    relative.x1 = kg_vector_subtract (path->x1, moved);
    relative.v1 = kg_vector_subtract (path->v1, search.velocity);
    relative.slope = kg_vector_subtract (path->slope, search.velocity);
    over = particle_contact_meet (o, contacts, index, &relative, search.s,
                                  kg_vector_add_scaled (search.hit, -search.s, moved), search.normal, search.velocity,
                                  (int32_t) search.triangle + 1);
    path->x0 = search.hit;
    path->slope = kg_vector_add (relative.slope, search.velocity);
    path->x1 = kg_vector_add (relative.x1, moved);
    path->v1 = kg_vector_add (relative.v1, search.velocity);
    path->acceleration = relative.acceleration;
    path->offset = relative.offset;
    path->h = relative.h;
    if (over)
      return;
    if (k == MOST_HITS - 1) {
      /* It is caught in a corner: it stays where it touched, and goes with what it touched. */
      path->x1 = kg_vector_add_scaled (search.hit, path->h, search.velocity);
      path->v1 = search.velocity;
    }
  }
}

bool
particle_mesh_holds (const ParticleMesh *mesh, int32_t holder)
{
  return holder > 0 && !mesh->changed && (size_t) holder <= mesh->mesh->n;
}

KgVector
particle_mesh_get_velocity (const ParticleMesh *mesh, int32_t holder, KgVector x, double share)
{
  const Search search = { .mesh = mesh, .from = 0, .till = 1 };
  const Sweep sweep = get_sweep (mesh, (uint32_t) (holder - 1), 0, 1);
  KgVector corners[3];

  get_corners (&sweep, share, corners);
  return get_surface_velocity (&search, &sweep, corners, triangle_find_nearest (corners, x));
}

void
particle_mesh_collide (const ParticleMesh *mesh, const ParticleObstacles *o, const ParticleBlock *start,
                       ParticleBlock *end, const float *h, size_t n, double till, const int32_t *straight,
                       ParticleContacts *contacts)
{
  if (mesh->tree == NULL)
    return;
  for (size_t i = 0; i < n; i++) {
    ParticlePath path;
    BoundingBox box;
    double radius;

    if (!(h[i] > 0) || contacts->held[i] != PARTICLE_FREE)
      continue;
    particle_path_init (&path, start, end, i, (double) h[i]);
    if (straight != NULL && straight[i] != 0) {
      path.acceleration = kg_vector (0, 0, 0);
      path.slope = path.v1;
      path.offset = kg_vector (0, 0, 0);
    }
    radius = 0.5 * o->thickness * (double) contacts->widths[i];
    radius = fmax (radius, HAIR * (1 + kg_vector_length (path.x0)));
    box = get_path_box (&path, radius);
    if (!bounding_box_overlaps (&box, &mesh->bounds))
      continue;
    collide_point (mesh, o, &path, till, i, radius, contacts);
    particle_path_store (&path, end, i);
  }
}

typedef struct {
  const ParticleMesh *mesh;
  KgVector x;
  double reach, share, rest;
  GArray *found;
} Near;

static bool
add_near (gpointer data, uint32_t triangle)
{
  const Near *near = (const Near *) data;
  const Sweep sweep = get_sweep (near->mesh, triangle, 0, 1);
  const Search search = { .mesh = near->mesh, .from = 0, .till = 1 };
  ParticleNear place = { .triangle = triangle };
  KgVector corners[3], q, away;

  get_corners (&sweep, sweep.moves ? near->share : 0, corners);
  q = triangle_find_nearest (corners, near->x);
  away = kg_vector_subtract (near->x, q);
  place.distance = kg_vector_length (away);
  if (place.distance > near->reach)
    return true;
  place.normal = kg_vector_normalize_or (away, sweep.moves ? get_normal (corners) : sweep.normal);
  if (kg_vector_length (place.normal) < 0.5)
    return true;
  place.move = kg_vector_scale (get_surface_velocity (&search, &sweep, corners, q), near->rest * near->mesh->dt);
  g_array_append_val (near->found, place);
  return true;
}

static int
compare_near (gconstpointer a, gconstpointer b)
{
  const ParticleNear *one = (const ParticleNear *) a, *other = (const ParticleNear *) b;

  if (one->distance != other->distance)
    return kg_compare_doubles (&one->distance, &other->distance);
  return (one->triangle > other->triangle) - (one->triangle < other->triangle);
}

void
particle_mesh_find_near (const ParticleMesh *mesh, KgVector x, double reach, double share, double rest, GArray *found)
{
  const KgVector around = { reach, reach, reach };
  const BoundingBox box = bounding_box_from_vectors (kg_vector_subtract (x, around), kg_vector_add (x, around));
  Near near = { mesh, x, reach, share, rest, found };
  guint kept = 0;

  g_array_set_size (found, 0);
  if (mesh->tree == NULL || !bounding_box_overlaps (&box, &mesh->bounds))
    return;
  box_tree_visit_overlaps (mesh->tree, &box, add_near, &near);
  g_array_sort (found, compare_near);
  for (guint k = 0; k < found->len; k++) {
    const ParticleNear place = g_array_index (found, ParticleNear, k);
    bool hidden = false;

    /* In front: nearer to the point along the normal than the plane of the nearer place. */
    for (guint m = 0; m < kept && !hidden; m++) {
      const ParticleNear *nearer = &g_array_index (found, ParticleNear, m);

      hidden = place.distance * kg_vector_dot (place.normal, nearer->normal) >= nearer->distance * (1 - 1e-6);
    }
    if (!hidden)
      g_array_index (found, ParticleNear, kept++) = place;
  }
  g_array_set_size (found, kept);
}
