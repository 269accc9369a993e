/* geometry/bounds: a simple shape around a geometry.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/bounding_shape.h"
#include "geometry/point_cloud.h"
#include "geometry/shape_mesh.h"
#include "geometry/symmetric_matrix.h"
#include "kg-node.h"
#include "kg-floats.h"

typedef struct {
  const KgGeometry *geometry;
  int shape;
  int quality;
  int sides;
  const KgGeometry *normals;
  const char *group;
  double margin;
  int show;
  KgGeometry *bounds;
  KgTable *slabs;
  KgVector center;
  KgVector size;
  double radius;
  KgRotation rotation;
  KgTransform transform;
  double volume;
  double fit;
} Bounds;

enum { SHAPE_BOX, SHAPE_ORIENTED, SHAPE_SPHERE, SHAPE_CAPSULE, SHAPE_SLABS, SHAPE_HULL, N_SHAPES };

static const KgChoice bounds_shapes[] = {
  [SHAPE_BOX] = { "box", N_ ("Box") },
  [SHAPE_ORIENTED] = { "oriented", N_ ("Oriented box") },
  [SHAPE_SPHERE] = { "sphere", N_ ("Sphere") },
  [SHAPE_CAPSULE] = { "capsule", N_ ("Capsule") },
  [SHAPE_SLABS] = { "slabs", N_ ("Slabs") },
  [SHAPE_HULL] = { "hull", N_ ("Convex hull") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (bounds_shapes, N_SHAPES);

enum { QUALITY_QUICK, QUALITY_EXACT, N_QUALITIES };

static const KgChoice bounds_qualities[] = {
  [QUALITY_QUICK] = { "quick", N_ ("Quick") },
  [QUALITY_EXACT] = { "exact", N_ ("Exact") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (bounds_qualities, N_QUALITIES);

enum { SIDES_6, SIDES_14, SIDES_18, SIDES_26, SIDES_GIVEN, N_SIDES };

static const KgChoice bounds_sides[] = {
  [SIDES_6] = { "6", N_ ("6") },
  [SIDES_14] = { "14", N_ ("14") },
  [SIDES_18] = { "18", N_ ("18") },
  [SIDES_26] = { "26", N_ ("26") },
  [SIDES_GIVEN] = { "given", N_ ("As given") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (bounds_sides, N_SIDES);

enum { SHOW_SOLID, SHOW_WIRE, N_SHOWS };

static const KgChoice bounds_shows[] = {
  [SHOW_SOLID] = { "solid", N_ ("Solid") },
  [SHOW_WIRE] = { "wire", N_ ("Edges") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (bounds_shows, N_SHOWS);

/* Most directions: all triples of them are intersected. */
#define BOUNDS_MAX_DIRECTIONS 64

static void
bounds_set_box (Bounds *n, KgVector center, const KgVector axes[3], KgVector size)
{
  n->center = center;
  n->size = kg_vector_add (size, kg_vector (2 * n->margin, 2 * n->margin, 2 * n->margin));
  n->rotation = symmetric_matrix_get_rotation (axes);
  n->transform = kg_transform_from_parts (center, n->rotation, n->size);
  n->radius = 0.5 * kg_vector_length (n->size);
  n->volume = n->size.x * n->size.y * n->size.z;
  n->bounds = shape_mesh_new_box (n->transform);
}

static void
bounds_get_extent (const KgVector *points, size_t count, KgVector *low, KgVector *high)
{
  *low = *high = points[0];
  for (size_t i = 1; i < count; i++)
    for (size_t c = 0; c < 3; c++) {
      const double x = kg_vector_get (points[i], c);

      if (x < kg_vector_get (*low, c))
        *kg_vector_component (low, c) = x;
      if (x > kg_vector_get (*high, c))
        *kg_vector_component (high, c) = x;
    }
}

static void
bounds_set_extent (Bounds *n, KgVector low, KgVector high)
{
  n->center = kg_vector_lerp (low, high, 0.5);
  n->size = kg_vector_add (kg_vector_subtract (high, low), kg_vector (2 * n->margin, 2 * n->margin, 2 * n->margin));
  n->rotation = kg_rotation_identity ();
  n->transform = kg_transform_from_parts (n->center, n->rotation, n->size);
  n->radius = 0.5 * kg_vector_length (n->size);
}

static void
bounds_find_sphere (Bounds *n, const KgVector *points, size_t count)
{
  const BoundingSphere sphere = n->quality == QUALITY_EXACT ? bounding_sphere_find_smallest (points, count)
                                                            : bounding_sphere_find_quick (points, count);
  const double r = sphere.radius + n->margin;

  n->center = sphere.center;
  n->radius = r;
  n->size = kg_vector (2 * r, 2 * r, 2 * r);
  n->rotation = kg_rotation_identity ();
  n->transform = kg_transform_from_parts (n->center, n->rotation, n->size);
  n->volume = 4 * KG_PI / 3 * r * r * r;
  /* Edges of a fine mesh would hide what is inside. */
  n->bounds = shape_mesh_new_sphere (sphere.center, r, n->show == SHOW_WIRE ? 16 : 48);
}

/* Along x of its rotation. */
static void
bounds_find_capsule (Bounds *n, const ConvexHull *hull, const OrientedBox *box)
{
  const BoundingCapsule capsule = bounding_capsule_find (hull, box);
  const KgVector way = kg_vector_subtract (capsule.ends[1], capsule.ends[0]);
  const KgVector x = kg_vector_normalize_or (way, kg_vector (1, 0, 0)), y = kg_vector_perpendicular (x);
  const KgVector axes[3] = { x, y, kg_vector_cross (x, y) };
  const double r = capsule.radius + n->margin;

  n->center = kg_vector_lerp (capsule.ends[0], capsule.ends[1], 0.5);
  n->radius = r;
  n->size = kg_vector (kg_vector_length (way) + 2 * r, 2 * r, 2 * r);
  n->rotation = symmetric_matrix_get_rotation (axes);
  n->transform = kg_transform_from_parts (n->center, n->rotation, n->size);
  n->volume = bounding_capsule_get_volume (&(BoundingCapsule){ { capsule.ends[0], capsule.ends[1] }, r });
  n->bounds = shape_mesh_new_capsule (capsule.ends[0], capsule.ends[1], r, n->show == SHOW_WIRE ? 16 : 48);
}

/* Directions as they are given by normals, or else by places, of points. */
static size_t
bounds_get_directions (const Bounds *n, KgVector *directions, GError **error)
{
  static const guint sides[] = { 6, 14, 18, 26 };
  const size_t count = n->normals != NULL ? kg_geometry_get_n_points (n->normals) : 0;
  const float *from = NULL;

  if (n->sides != SIDES_GIVEN)
    return bounding_slabs_get_directions (sides[n->sides], directions);
  if (count < 3 || count > BOUNDS_MAX_DIRECTIONS) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%zu directions are given: link a geometry of 3 to %d points as the directions", count,
                  BOUNDS_MAX_DIRECTIONS);
    return 0;
  }
  from = kg_geometry_get_float (n->normals, KG_POINTS, "N", 3);
  from = from != NULL ? from : kg_geometry_get_positions (n->normals);
  for (size_t i = 0; i < count; i++)
    directions[i] = kg_floats_get_vector (from, i);
  return count;
}

/* A row for each direction. */
static bool
bounds_make_table (Bounds *n, const KgVector *directions, const double *from, const double *to, size_t count,
                   GError **error)
{
  static const char *const names[] = { "x", "y", "z", "low", "high" };
  double *cells;

  n->slabs = kg_table_new (5, names, count, error);
  if (n->slabs == NULL)
    return false;
  cells = kg_table_edit (n->slabs);
  for (size_t i = 0; i < count; i++) {
    *cells++ = directions[i].x;
    *cells++ = directions[i].y;
    *cells++ = directions[i].z;
    *cells++ = from[i];
    *cells++ = to[i];
  }
  return true;
}

static bool
bounds_find_slabs (Bounds *n, const KgVector *points, size_t count, GError **error)
{
  KgVector directions[BOUNDS_MAX_DIRECTIONS], low, high;
  double from[BOUNDS_MAX_DIRECTIONS], to[BOUNDS_MAX_DIRECTIONS];
  const size_t n_directions = bounds_get_directions (n, directions, error);
  g_auto (ConvexHull) hull = { 0 };

  if (n_directions == 0)
    return false;
  bounding_slabs_find (points, count, directions, n_directions, from, to);
  for (size_t i = 0; i < n_directions; i++) {
    from[i] -= n->margin * kg_vector_length (directions[i]);
    to[i] += n->margin * kg_vector_length (directions[i]);
  }
  if (!bounding_slabs_make_hull (directions, from, to, n_directions, &hull, error) ||
      !bounds_make_table (n, directions, from, to, n_directions, error))
    return false;
  n->volume = convex_hull_get_volume (&hull);
  n->bounds = point_cloud_make_hull (&hull, NULL, error);
  if (n->bounds == NULL)
    return false;
  kg_geometry_remove_attribute (n->bounds, KG_POINTS, "source");
  bounds_get_extent (hull.points, hull.n_points, &low, &high);
  n->margin = 0;
  bounds_set_extent (n, low, high);
  return true;
}

static bool
bounds_evaluate (Bounds *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const HullOptions options = { .tolerance = 1e-6, .steps = -1 };
  const KgVector world[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  size_t count;
  g_autofree KgVector *points = point_cloud_get_points (n->geometry, n->group, &count, NULL, error);
  g_auto (ConvexHull) hull = { 0 };
  KgVector low, high;
  OrientedBox box;

  if (points == NULL)
    return false;
  if (count == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "there are no points to bound: link a geometry that has some");
    return false;
  }
  if (!convex_hull_find (&hull, points, count, &options, &monitor, error))
    return false;
  bounds_get_extent (points, count, &low, &high);
  switch (n->shape) {
  case SHAPE_BOX:
    bounds_set_box (n, kg_vector_lerp (low, high, 0.5), world, kg_vector_subtract (high, low));
    break;
  case SHAPE_ORIENTED:
    box = oriented_box_find (&hull, n->quality == QUALITY_EXACT, &monitor);
    if (kg_context_is_cancelled (ctx))
      return false;
    bounds_set_box (n, box.center, box.axes, kg_vector_scale (box.half, 2));
    break;
  case SHAPE_SPHERE:
    bounds_find_sphere (n, points, count);
    break;
  case SHAPE_CAPSULE:
    box = oriented_box_find (&hull, n->quality == QUALITY_EXACT, &monitor);
    if (kg_context_is_cancelled (ctx))
      return false;
    bounds_find_capsule (n, &hull, &box);
    break;
  case SHAPE_SLABS:
    if (!bounds_find_slabs (n, points, count, error))
      return false;
    break;
  default:
    n->volume = convex_hull_get_volume (&hull);
    n->bounds = point_cloud_make_hull (&hull, NULL, error);
    if (n->bounds == NULL)
      return false;
    n->margin = 0;
    bounds_set_extent (n, low, high);
  }
  n->fit = n->volume > 0 ? fmin (convex_hull_get_volume (&hull) / n->volume, 1) : 1;
  if (n->show == SHOW_WIRE) {
    g_autoptr (KgGeometry) solid = g_steal_pointer (&n->bounds);

    n->bounds = shape_mesh_new_wire (solid);
  }
  return true;
}

static const KgSlot bounds_slots[] = {
  KG_INPUT (Bounds, geometry, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("The geometry to enclose. Only its points count; splines lie within theirs.")),
  KG_INPUT (
      Bounds, shape, CHOICE, .label = N_ ("Shape"), .choices = bounds_shapes,
      .help = N_ (
          "Box: along the axes of the world. Oriented box: rotated to fit. Capsule: a rod with round ends along an axis of that. Slabs: cut off by several pairs of planes, closer than a box. Convex hull: the closest of all, without a margin.")),
  KG_INPUT (
      Bounds, quality, CHOICE, .label = N_ ("Quality"), .choices = bounds_qualities, .def = QUALITY_EXACT,
      .shown_when = "shape=oriented|sphere|capsule",
      .help = N_ (
          "Sphere: Ritter's quick one, or the smallest. Oriented box: along the principal axes, or the best that lies flush with a face of the hull; a capsule takes its axes.")),
  KG_INPUT (
      Bounds, sides, CHOICE, .label = N_ ("Sides"), .choices = bounds_sides, .def = SIDES_14,
      .shown_when = "shape=slabs",
      .help = N_ (
          "Directions of the slabs, two sides each: axes (6), and diagonals of the corners (14), of the edges (18) or both (26) of a cube.")),
  KG_INPUT (Bounds, normals, GEOMETRY, .label = N_ ("Directions"), .optional = true, .shown_when = "sides=given",
            .help = N_ ("Given directions of the slabs: the normals of these points, or else their positions.")),
  KG_INPUT (Bounds, group, TEXT, .label = N_ ("Group"),
            .help = N_ ("Bounds only the points of this group; empty: all.")),
  KG_INPUT (Bounds, margin, NUMBER, .label = N_ ("Margin"), .unit = KG_METRES, .min = 0, .max = 1e9, .soft_max = 1,
            .help = N_ ("How much larger the shape is on each side.")),
  KG_INPUT (Bounds, show, CHOICE, .label = N_ ("Make"), .choices = bounds_shows,
            .help = N_ ("A closed mesh, or only its edges.")),
  KG_OUTPUT (Bounds, bounds, GEOMETRY, .label = N_ ("Bounds"), .help = N_ ("The shape.")),
  KG_OUTPUT (
      Bounds, slabs, TABLE, .label = N_ ("Slabs"),
      .help = N_ ("Of slabs: a row for each direction, with the least and the largest of position · direction.")),
  KG_OUTPUT (Bounds, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES, .help = N_ ("Centre of the shape.")),
  KG_OUTPUT (
      Bounds, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES,
      .help = N_ (
          "Of a box: its sides, of an oriented box the longest first. Of a capsule: its whole length and its width. Of other shapes: of the box around them.")),
  KG_OUTPUT (Bounds, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES,
             .help = N_ ("Of the sphere or capsule; of others: half of the diagonal of the box around them.")),
  KG_OUTPUT (Bounds, rotation, ROTATION, .label = N_ ("Rotation"),
             .help = N_ ("Of an oriented box, or a capsule, which lies along x.")),
  KG_OUTPUT (Bounds, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("Transforms a unit cube around the origin to the box.")),
  KG_OUTPUT (Bounds, volume, NUMBER, .label = N_ ("Volume"), .help = N_ ("Of the shape, in cubic metres.")),
  KG_OUTPUT (Bounds, fit, NUMBER, .label = N_ ("Fit"), .unit = KG_PERCENT,
             .help = N_ ("Share of its volume that the convex hull fills.")),
};

KG_NODE (
    geometry, bounds, Bounds, .label = N_ ("Bounds"), .version = 1, .since = "0.1",
    .tags = N_ ("bounding box sphere capsule oriented slab k-dop obb aabb enclosing proxy"),
    .source = "Parent, Computer Animation, B.2.10; Ritter 1990; Gärtner 1999; Klosowski et al. 1998; O'Rourke 1985",
    .help = N_ (
        "Encloses a geometry in a simple shape and measures how well it fits: to frame it with a camera, as a stand-in for collisions, or to place it."));
