/* particle_mesh: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/particle_mesh.h"

#include "kg-floats.h"
#include "kg-kernel.h"
#include "geometry/closest_pair.h"
#include "sim/particle_contact.h"

/* Contacts that are followed within one step. */
#define MOST_HITS 4
/* Parts of a step in which signs are compared, and halvings of the one with the contact. */
#define PARTS 8
#define HALVINGS 40
/* Points keep this share of their distance from the origin away from a surface, so that rounding does not put them behind it. */
#define HAIR 4e-6

/* Cells along each axis, as bits of a row along the first one. */
#define CELLS 64

/* Which cells of a lattice around the mesh the boxes of its triangles reach into: most paths of points in the air are in others,
 * which one look at a few rows tells, and the tree is not gone down for them. */
typedef struct {
  float low[3], scale[3]; /* of the lattice, and cells for a metre */
  uint64_t rows[CELLS * CELLS];
} Occupancy;

struct _ParticleMesh {
  TriangleMesh *mesh; /* at the end of the step; (nullable) without triangles */
  KgGeometry *before; /* (nullable) it stands */
  const float *p0;    /* of its points at the start */
  BoxTree *tree;      /* around triangles on their way; the mesh's own where it stands */
  BoundingBox bounds;
  Occupancy *occupancy; /* of the boxes of the tree */
  KgVector *normals;    /* (nullable) of its triangles, which stand; 0 without an area */
  bool changed;         /* its triangles are not those of before: what they held is released */
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
  g_free (mesh->occupancy);
  g_free (mesh->normals);
  g_clear_pointer (&mesh->mesh, triangle_mesh_free);
  g_clear_pointer (&mesh->before, kg_geometry_unref);
  g_free (mesh);
}

/* The cell of a coordinate, not below that of a lower one, whatever is rounded: boxes that overlap share a cell. */
static inline guint
get_cell (const Occupancy *occupancy, int axis, float x)
{
  const float at = (x - occupancy->low[axis]) * occupancy->scale[axis], last = CELLS - 1;
  const float within = at > 0 ? at : 0;

  return (guint) (within < last ? within : last);
}

/* The cells from low to high along the first axis. */
static inline uint64_t
get_bits (guint low, guint high)
{
  return (UINT64_MAX << low) & (UINT64_MAX >> (CELLS - 1 - high));
}

/* Whether any of these cells is occupied in the rows from first to last along y and z. */
static inline bool
has_any (const Occupancy *occupancy, uint64_t bits, const guint first[2], const guint last[2])
{
  uint64_t found = 0;

  for (guint z = first[1]; z <= last[1]; z++)
    for (guint y = first[0]; y <= last[0]; y++)
      found |= occupancy->rows[CELLS * z + y] & bits;
  return found != 0;
}

/* The bits of a box along the first axis, and the rows that it reaches into. */
static inline uint64_t
get_cells (const Occupancy *occupancy, const BoundingBox *box, guint first[2], guint last[2])
{
  const guint low = get_cell (occupancy, 0, box->low[0]), high = get_cell (occupancy, 0, box->high[0]);

  for (int c = 0; c < 2; c++) {
    first[c] = get_cell (occupancy, c + 1, box->low[c + 1]);
    last[c] = get_cell (occupancy, c + 1, box->high[c + 1]);
  }
  return get_bits (low, high);
}

static void
occupy (Occupancy *occupancy, const BoundingBox *box)
{
  guint first[2], last[2];
  const uint64_t bits = get_cells (occupancy, box, first, last);

  for (guint z = first[1]; z <= last[1]; z++)
    for (guint y = first[0]; y <= last[0]; y++)
      occupancy->rows[CELLS * z + y] |= bits;
}

static inline bool
is_occupied (const Occupancy *occupancy, const BoundingBox *box)
{
  guint first[2], last[2];
  const uint64_t bits = get_cells (occupancy, box, first, last);

  return has_any (occupancy, bits, first, last);
}

static Occupancy *
occupancy_new (const BoxTree *tree)
{
  const BoundingBox bounds = box_tree_get_bounds (tree);
  Occupancy *occupancy = g_new0 (Occupancy, 1);

  for (int c = 0; c < 3; c++) {
    const float extent = bounds.high[c] - bounds.low[c], scale = (float) CELLS / extent;

    occupancy->low[c] = bounds.low[c];
    occupancy->scale[c] = extent > 0 && isfinite (scale) ? scale : 0;
  }
  for (size_t i = 0; i < box_tree_get_n (tree); i++)
    occupy (occupancy, box_tree_get_box (tree, i));
  return occupancy;
}

/* 0 of a triangle without an area. */
static inline KgVector
get_normal (const KgVector corners[3])
{
  return kg_vector_normalize_or (
      kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0])),
      kg_vector (0, 0, 0));
}

static KgVector *
find_normals (const TriangleMesh *m)
{
  KgVector *normals = g_new (KgVector, m->n);

#pragma omp parallel for schedule(dynamic, 4096) if (m->n > 4096)
  for (size_t i = 0; i < m->n; i++) {
    KgVector corners[3];

    for (int k = 0; k < 3; k++)
      corners[k] = kg_floats_get_vector (m->p, (size_t) m->corners[i][k]);
    normals[i] = get_normal (corners);
  }
  return normals;
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
  mesh->occupancy = occupancy_new (mesh->tree);
  if (mesh->before == NULL)
    mesh->normals = find_normals (m);
  return g_steal_pointer (&mesh);
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
    sweep.normal = mesh->normals[triangle];
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
  const ParticleMesh *mesh = search->mesh;
  KgVector corners[3], normal;
  double side, distance, s, hair;
  Sweep sweep;

  /* Nowhere on its way is the point near the plane of a triangle that stands. */
  if (mesh->normals != NULL) {
    const KgVector corner = kg_floats_get_vector (mesh->mesh->p, (size_t) mesh->mesh->corners[triangle][0]);

    normal = mesh->normals[triangle];
    distance = kg_vector_dot (normal, kg_vector_subtract (search->path->x0, corner));
    if (fabs (distance) > search->reach)
      return true;
  }
  sweep = get_sweep (mesh, triangle, search->from, search->till);
  hair = fmin (search->radius, HAIR * (1 + kg_vector_length (search->path->x0)));
  get_corners (&sweep, 0, corners);
  distance = get_distance (&sweep, corners, search->path->x0, &normal);
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

/* Around the path, as far as the points are kept from surfaces.  Rounded outwards by more than rounding to floats takes away, in
 * place of a search for the next float, which takes longer than all the rest. */
static inline BoundingBox
get_path_box (const ParticlePath *path, double radius)
{
  const double bulge = get_bulge (path) + radius;
  BoundingBox box;

  for (size_t c = 0; c < 3; c++) {
    const double a = kg_vector_get (path->x0, c), b = kg_vector_get (path->x1, c);
    const double low = (a < b ? a : b) - bulge, high = (a < b ? b : a) + bulge;

    box.low[c] = (float) (low - 1.2e-7 * fabs (low));
    box.high[c] = (float) (high + 1.2e-7 * fabs (high));
  }
  return box;
}

static void
collide_point (const ParticleMesh *mesh, const ParticleObstacles *o, ParticlePath *path, double till, size_t index,
               double radius, BoundingBox box, ParticleContacts *contacts)
{
  for (int k = 0; k < MOST_HITS && path->h > 0; k++) {
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

    if (k > 0)
      box = get_path_box (path, radius);
    if (!bounding_box_overlaps (&box, &mesh->bounds) || !is_occupied (mesh->occupancy, &box))
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

/* The cells that boxes of the paths of a block of points reach into, first and last along each axis. */
typedef struct {
  int32_t first[3][KG_FIELD_BLOCK], last[3][KG_FIELD_BLOCK];
} BlockCells;

/* Along one axis, for n points: margin is how far around their straight ways. */
KG_KERNEL static void
find_axis_cells (const float *restrict x0, const float *restrict x1, const float *restrict margin, size_t n, float low,
                 float scale, int32_t *restrict first, int32_t *restrict last)
{
  const float most = CELLS - 1;

#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    const float from = x0[i] < x1[i] ? x0[i] : x1[i], to = x0[i] < x1[i] ? x1[i] : x0[i];
    float a = (from - margin[i] - low) * scale, b = (to + margin[i] - low) * scale;

    a = a > 0 ? a : 0;
    b = b > 0 ? b : 0;
    first[i] = (int32_t) (a < most ? a : most);
    last[i] = (int32_t) (b < most ? b : most);
  }
}

/* What get_path_box adds on each side, and more than rounding to floats takes away. */
KG_KERNEL static void
find_margins (const ParticleBlock *start, const ParticleBlock *end, const float *restrict h,
              const float *restrict widths, float thickness, size_t n, float *restrict margin)
{
  const float *restrict x = start->x[0], *restrict y = start->x[1], *restrict z = start->x[2];
  const float *restrict ex = end->x[0], *restrict ey = end->x[1], *restrict ez = end->x[2];
  const float *restrict u = start->v[0], *restrict v = start->v[1], *restrict w = start->v[2];
  const float *restrict eu = end->v[0], *restrict ev = end->v[1], *restrict ew = end->v[2];

#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    const float du = eu[i] - u[i], dv = ev[i] - v[i], dw = ew[i] - w[i];
    /* No less than the lengths. */
    const float away = fabsf (x[i]) + fabsf (y[i]) + fabsf (z[i]) + fabsf (ex[i]) + fabsf (ey[i]) + fabsf (ez[i]);
    const float bulge = 0.125f * h[i] * sqrtf (du * du + dv * dv + dw * dw), radius = 0.5f * thickness * widths[i];
    const float hair = (float) HAIR * (1 + away);

    margin[i] = 1.0001f * (bulge + (radius > hair ? radius : hair)) + 1e-6f * away;
  }
}

static void
find_cells (const Occupancy *occupancy, const ParticleObstacles *o, const ParticleBlock *start,
            const ParticleBlock *end, const float *h, const float *widths, size_t n, BlockCells *cells)
{
  float margin[KG_FIELD_BLOCK];

  find_margins (start, end, h, widths, (float) o->thickness, n, margin);
  for (int c = 0; c < 3; c++)
    find_axis_cells (start->x[c], end->x[c], margin, n, occupancy->low[c], occupancy->scale[c], cells->first[c],
                     cells->last[c]);
}

static inline bool
may_meet (const Occupancy *occupancy, const BlockCells *cells, size_t i)
{
  const guint first[2] = { (guint) cells->first[1][i], (guint) cells->first[2][i] },
              last[2] = { (guint) cells->last[1][i], (guint) cells->last[2][i] };

  return has_any (occupancy, get_bits ((guint) cells->first[0][i], (guint) cells->last[0][i]), first, last);
}

void
particle_mesh_collide (const ParticleMesh *mesh, const ParticleObstacles *o, const ParticleBlock *start,
                       ParticleBlock *end, const float *h, size_t n, double till, const int32_t *straight,
                       ParticleContacts *contacts)
{
  BlockCells cells;

  if (mesh->tree == NULL)
    return;
  find_cells (mesh->occupancy, o, start, end, h, contacts->widths, n, &cells);
  for (size_t i = 0; i < n; i++) {
    ParticlePath path;
    BoundingBox box;
    double radius;

    if (!(h[i] > 0) || contacts->held[i] != PARTICLE_FREE || !may_meet (mesh->occupancy, &cells, i))
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
    collide_point (mesh, o, &path, till, i, radius, box, contacts);
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
