/* mesh_inside: whether places are inside of a mesh, see triangle_mesh.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/spatial_order.h"
#include "geometry/triangle.h"
#include "geometry/triangle_mesh.h"

/* Triangles up to which nothing is lumped together. */
#define EXACT 256
/* How many radii away a part counts as one dipole. */
#define FAR 4.0
/* Barycentric coordinates that near to an edge are on it. */
#define GRAZE 1e-9

/* Winding numbers. */

typedef struct {
  KgVector center, area; /* area: the sum of the area vectors */
  double radius;
} Dipole;

struct _MeshWinding {
  const TriangleMesh *mesh;
  guint levels;
  Dipole *parts; /* of all levels */
};

/* While parts are summed up, center is what it will be times the area that the triangles have without regard to their direction, and
 * radius that area. */
static void
add_triangle (const TriangleMesh *mesh, uint32_t triangle, Dipole *dipole)
{
  KgVector c[3], area;
  double size;

  triangle_mesh_get_corners (mesh, triangle, c);
  area = kg_vector_scale (kg_vector_cross (kg_vector_subtract (c[1], c[0]), kg_vector_subtract (c[2], c[0])), 0.5);
  size = kg_vector_length (area);
  dipole->area = kg_vector_add (dipole->area, area);
  dipole->center = kg_vector_add_scaled (dipole->center, size / 3, kg_vector_add (c[0], kg_vector_add (c[1], c[2])));
  dipole->radius += size;
}

/* The sums of a part: of its triangles, or of its two halves. */
static void
add_part (MeshWinding *winding, guint level, size_t i)
{
  const TriangleMesh *mesh = winding->mesh;
  const uint32_t *order = box_tree_get_order (mesh->tree);
  const size_t node = spatial_order_get_node (level, i), to = spatial_order_get_first (mesh->n, level, i + 1);
  Dipole dipole = { .radius = 0 };

  if (level < winding->levels) {
    const Dipole *halves = &winding->parts[spatial_order_get_node (level + 1, 2 * i)];

    dipole.area = kg_vector_add (halves[0].area, halves[1].area);
    dipole.center = kg_vector_add (halves[0].center, halves[1].center);
    dipole.radius = halves[0].radius + halves[1].radius;
  } else
    for (size_t k = spatial_order_get_first (mesh->n, level, i); k < to; k++)
      add_triangle (mesh, order[k], &dipole);
  winding->parts[node] = dipole;
}

static void
finish_part (MeshWinding *winding, guint level, size_t i)
{
  const BoundingBox *box = &box_tree_get_level (winding->mesh->tree, level)[i];
  Dipole *dipole = &winding->parts[spatial_order_get_node (level, i)];
  const double weight = dipole->radius;
  KgVector d;

  if (!(weight > 0))
    return;
  dipole->center = kg_vector_scale (dipole->center, 1 / weight);
  d.x = fmax ((double) box->high[0] - dipole->center.x, dipole->center.x - (double) box->low[0]);
  d.y = fmax ((double) box->high[1] - dipole->center.y, dipole->center.y - (double) box->low[1]);
  d.z = fmax ((double) box->high[2] - dipole->center.z, dipole->center.z - (double) box->low[2]);
  dipole->radius = kg_vector_length (d);
}

MeshWinding *
mesh_winding_new (const TriangleMesh *mesh)
{
  MeshWinding *winding = g_new (MeshWinding, 1);

  winding->mesh = mesh;
  winding->levels = box_tree_get_n_levels (mesh->tree) - 1;
  winding->parts = g_new0 (Dipole, ((size_t) 2 << winding->levels) - 1);
  if (mesh->n <= EXACT)
    return winding;
  for (guint level = winding->levels + 1; level-- > 0;) {
#pragma omp parallel for schedule(dynamic, 1024) if (level > 12)
    for (size_t i = 0; i < (size_t) 1 << level; i++)
      add_part (winding, level, i);
  }
  for (guint level = 0; level <= winding->levels; level++) {
#pragma omp parallel for schedule(dynamic, 1024) if (level > 12)
    for (size_t i = 0; i < (size_t) 1 << level; i++)
      finish_part (winding, level, i);
  }
  return winding;
}

void
mesh_winding_free (MeshWinding *winding)
{
  g_free (winding->parts);
  g_free (winding);
}

static double
get_solid_angle (const TriangleMesh *mesh, uint32_t triangle, KgVector x)
{
  KgVector corners[3];

  triangle_mesh_get_corners (mesh, triangle, corners);
  return triangle_get_solid_angle (corners, x);
}

double
mesh_winding_get (const MeshWinding *winding, KgVector x)
{
  const TriangleMesh *mesh = winding->mesh;
  const uint32_t *order = box_tree_get_order (mesh->tree);
  struct {
    guint level;
    size_t part;
  } stack[80] = { { 0, 0 } };
  guint n = 1;
  double sum = 0;

  if (mesh->n <= EXACT) {
    for (uint32_t i = 0; i < mesh->n; i++)
      sum += get_solid_angle (mesh, i, x);
    return sum / (4 * KG_PI);
  }
  while (n > 0) {
    const guint level = stack[--n].level;
    const size_t part = stack[n].part;
    const Dipole *dipole = &winding->parts[spatial_order_get_node (level, part)];
    const KgVector d = kg_vector_subtract (dipole->center, x);
    const double distance = kg_vector_length (d);

    if (distance > FAR * dipole->radius) {
      sum += distance > 0 ? kg_vector_dot (d, dipole->area) / (distance * distance * distance) : 0;
    } else if (level < winding->levels) {
      stack[n].level = level + 1;
      stack[n++].part = 2 * part + 1;
      stack[n].level = level + 1;
      stack[n++].part = 2 * part;
    } else
      for (size_t i = spatial_order_get_first (mesh->n, level, part);
           i < spatial_order_get_first (mesh->n, level, part + 1); i++)
        sum += get_solid_angle (mesh, order[i], x);
  }
  return sum / (4 * KG_PI);
}

/* Rays. */

typedef struct {
  const TriangleMesh *mesh;
  const uint32_t *part; /* (nullable) of each triangle; only those of the part which count */
  uint32_t which;
  KgVector x, d;
  guint crossings;
  bool grazes;
} Ray;

static bool
cross_triangle (gpointer data, uint32_t triangle)
{
  Ray *ray = data;
  KgVector c[3], normal;
  double determinant, u, v, t, size;

  if (ray->part != NULL && ray->part[triangle] != ray->which)
    return true;
  triangle_mesh_get_corners (ray->mesh, triangle, c);
  normal = kg_vector_cross (kg_vector_subtract (c[1], c[0]), kg_vector_subtract (c[2], c[0]));
  size = kg_vector_length (normal);
  determinant = triangle_pierce (c, ray->x, ray->d, &u, &v, &t);
  if (fabs (determinant) <= 1e-12 * size) {
    /* Along the face: that matters when it is in its plane. */
    ray->grazes = size > 0 &&
                  fabs (kg_vector_dot (kg_vector_subtract (ray->x, c[0]), normal)) <= 1e-9 * size * ray->mesh->size;
    return !ray->grazes;
  }
  if (t < 0 || u < -GRAZE || v < -GRAZE || u + v > 1 + GRAZE)
    return true;
  ray->crossings++;
  ray->grazes = u < GRAZE || v < GRAZE || u + v > 1 - GRAZE;
  return !ray->grazes;
}

/* 1 or 0, or -1 where all rays graze edges.  ray: mesh, x, and the part that counts. */
static int
contains_by_ray (Ray *ray)
{
  /* The first is that of the source; the others are along no direction that models have. */
  static const KgVector directions[] = {
    { 1, 0, 0 },
    { 0.5773502691896, 0.6180339887499, 0.5336829512183 },
    { -0.3090169943749, 0.7390851332152, 0.5985434916452 },
    { 0.2236067977500, -0.5671432904098, 0.7926654595213 },
    { -0.7071067811865, -0.4142135623731, 0.5731218763927 },
    { 0.8346268416741, 0.1432110987652, -0.5318231093874 },
    { -0.1415926535898, 0.6931471805599, -0.7067476893715 },
    { 0.3678794411714, -0.7320508075689, -0.5733876127651 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (directions); i++) {
    double distance = INFINITY;

    ray->d = directions[i];
    ray->crossings = 0;
    ray->grazes = false;
    box_tree_visit_ray (ray->mesh->tree, ray->x, ray->d, &distance, cross_triangle, ray);
    if (!ray->grazes)
      return ray->crossings % 2 == 1;
  }
  return -1;
}

/* Faces without an area have no sides. */
static bool
contains_by_planes (const TriangleMesh *mesh, KgVector x)
{
  bool any = false;

  for (size_t i = 0; i < mesh->n; i++) {
    KgVector c[3], normal;
    double area;

    triangle_mesh_get_corners (mesh, i, c);
    normal = kg_vector_cross (kg_vector_subtract (c[1], c[0]), kg_vector_subtract (c[2], c[0]));
    area = kg_vector_length (normal);
    any |= area > 0;
    if (kg_vector_dot (normal, kg_vector_subtract (x, c[0])) > 1e-9 * mesh->size * area)
      return false;
  }
  return any;
}

bool
triangle_mesh_contains (const TriangleMesh *mesh, const MeshWinding *winding, InsideMethod method, KgVector x)
{
  Ray ray = { .mesh = mesh, .x = x };
  g_autoptr (MeshWinding) own = NULL;
  int in;

  if (method == INSIDE_PLANES)
    return contains_by_planes (mesh, x);
  if (method == INSIDE_RAY && (in = contains_by_ray (&ray)) >= 0)
    return in == 1;
  own = winding == NULL ? mesh_winding_new (mesh) : NULL;
  return fabs (mesh_winding_get (winding != NULL ? winding : own, x)) > 0.5;
}

bool
triangle_mesh_part_contains (const TriangleMesh *mesh, const uint32_t *part, uint32_t which, KgVector x)
{
  Ray ray = { .mesh = mesh, .part = part, .which = which, .x = x };
  const int in = contains_by_ray (&ray);
  double sum = 0;

  if (in >= 0)
    return in == 1;
  for (size_t t = 0; t < mesh->n; t++)
    sum += part[t] == which ? get_solid_angle (mesh, (uint32_t) t, x) : 0;
  return fabs (sum) > 2 * KG_PI;
}
