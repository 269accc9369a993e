/* geometry/bounds: a simple shape around a geometry.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/bounding_shape.h"
#include "geometry/point_cloud.h"
#include "geometry/point_pieces.h"
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
  int per;
  const char *attribute;
  const char *group;
  double margin;
  bool include_width;
  int show;
  KgGeometry *bounds;
  KgTable *slabs;
  int64_t count;
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

enum { PER_WHOLE, PER_PIECE, PER_ATTRIBUTE, N_PERS };

static const KgChoice bounds_pers[] = {
  [PER_WHOLE] = { "whole", N_ ("The whole geometry") },
  [PER_PIECE] = { "piece", N_ ("Each connected piece") },
  [PER_ATTRIBUTE] = { "attribute", N_ ("Each value of an attribute") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (bounds_pers, N_PERS);

enum { SHOW_SOLID, SHOW_WIRE, N_SHOWS };

static const KgChoice bounds_shows[] = {
  [SHOW_SOLID] = { "solid", N_ ("Solid") },
  [SHOW_WIRE] = { "wire", N_ ("Edges") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (bounds_shows, N_SHOWS);

/* With more points than this, the hull is computed only for the shapes that are made of it: it may take minutes. */
#define BOUNDS_MOST_FOR_FIT 200000
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

/* Leaves out directions that are those of earlier ones or opposite to them: a slab between the same planes says nothing new.  A zero
 * one stays where it is, to be reported. */
static size_t
bounds_merge_directions (KgVector *directions, size_t count)
{
  size_t kept = 0;

  for (size_t i = 0; i < count; i++)
    if (kg_vector_dot (directions[i], directions[i]) == 0)
      return count;
  for (size_t i = 0; i < count; i++) {
    bool known = false;

    for (size_t k = 0; k < kept && !known; k++)
      known = kg_vector_length (kg_vector_cross (directions[i], directions[k])) <=
              1e-9 * kg_vector_length (directions[i]) * kg_vector_length (directions[k]);
    if (!known)
      directions[kept++] = directions[i];
  }
  return kept;
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
  return bounds_merge_directions (directions, count);
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

/* One shape around the points. */
static bool
bounds_find (Bounds *n, const KgVector *points, size_t count, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const HullOptions options = { .tolerance = 1e-6, .steps = -1 };
  const KgVector world[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  g_auto (ConvexHull) hull = { 0 };
  KgVector low, high;
  OrientedBox box;
  bool with_hull;

  with_hull = n->shape == SHAPE_ORIENTED || n->shape == SHAPE_CAPSULE || n->shape == SHAPE_HULL ||
              count <= BOUNDS_MOST_FOR_FIT;
  if (with_hull && !convex_hull_find (&hull, points, count, &options, &monitor, error))
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
  n->fit = !with_hull ? -1 : n->volume > 0 ? fmin (convex_hull_get_volume (&hull) / n->volume, 1) : 1;
  if (n->show == SHOW_WIRE) {
    g_autoptr (KgGeometry) solid = g_steal_pointer (&n->bounds);

    n->bounds = shape_mesh_new_wire (solid);
  }
  return true;
}

/* Half of the largest width of the points. */
static double
bounds_get_half_width (const Bounds *n, const KgContext *ctx)
{
  const float *width = kg_geometry_get_float (n->geometry, KG_POINTS, "width", 1);
  double most = 0;

  if (!n->include_width)
    return 0;
  if (width == NULL)
    kg_context_warn (ctx, "the points have no attribute width: it is not included");
  for (size_t i = 0; width != NULL && i < kg_geometry_get_n_points (n->geometry); i++)
    most = fmax (most, (double) width[i]);
  return 0.5 * most;
}

/* The points of a piece that are in the group.  Returns how many. */
static size_t
bounds_take_piece (const Bounds *n, const PointPieces *pieces, size_t piece, KgVector *points)
{
  const float *p = kg_geometry_get_positions (n->geometry);
  const int32_t *member = n->group[0] != '\0' ? kg_geometry_get_int (n->geometry, KG_POINTS, n->group, 1) : NULL;
  size_t count = 0;

  for (size_t i = pieces->first[piece]; i < pieces->first[piece + 1]; i++)
    if (member == NULL || member[pieces->points[i]] != 0)
      points[count++] = kg_floats_get_vector (p, pieces->points[i]);
  return count;
}

/* Adds the shape of a piece to those before it. */
static bool
bounds_add (Bounds *n, Bounds *one, GArray *rows, double *hull_volume, GError **error)
{
  int32_t *piece = kg_geometry_edit_int (one->bounds, KG_PRIMITIVES, "piece", 1);

  for (size_t i = 0; i < kg_geometry_get_n_primitives (one->bounds); i++)
    piece[i] = (int32_t) n->count;
  if (one->slabs != NULL)
    g_array_append_vals (rows, kg_table_get_row (one->slabs, 0), (guint) (5 * kg_table_get_n_rows (one->slabs)));
  n->count++;
  n->volume += one->volume;
  *hull_volume += one->fit * one->volume;
  return kg_geometry_append (n->bounds, one->bounds, error);
}

/* A shape around each piece. */
static bool
bounds_find_pieces (Bounds *n, const PointPieces *pieces, const KgContext *ctx, GError **error)
{
  g_autofree KgVector *points = g_new (KgVector, MAX (kg_geometry_get_n_points (n->geometry), 1));
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (double));
  static const char *const names[] = { "x", "y", "z", "low", "high" };
  double hull_volume = 0;
  bool measured = true;
  KgVector low, high;

  n->bounds = kg_geometry_new ();
  for (size_t k = 0; k < pieces->n; k++) {
    const size_t count = bounds_take_piece (n, pieces, k, points);
    Bounds one = *n;
    bool done;

    if (kg_context_is_cancelled (ctx))
      return false;
    if (count == 0)
      continue;
    one.bounds = NULL;
    one.slabs = NULL;
    done = bounds_find (&one, points, count, ctx, error) && bounds_add (n, &one, rows, &hull_volume, error);
    measured &= one.fit >= 0;
    g_clear_pointer (&one.bounds, kg_geometry_unref);
    g_clear_pointer (&one.slabs, kg_table_unref);
    if (!done)
      return false;
  }
  if (rows->len > 0) {
    n->slabs = kg_table_new (5, names, rows->len / 5, error);
    if (n->slabs == NULL)
      return false;
    memcpy (kg_table_edit (n->slabs), rows->data, rows->len * sizeof (double));
  }
  kg_geometry_get_bounds (n->bounds, &low, &high);
  n->margin = 0;
  bounds_set_extent (n, low, high);
  n->fit = !measured ? -1 : n->volume > 0 ? fmin (hull_volume / n->volume, 1) : 1;
  return true;
}

static bool
bounds_evaluate (Bounds *n, const KgContext *ctx, GError **error)
{
  size_t count;
  g_autofree KgVector *points = point_cloud_get_points (n->geometry, n->group, &count, NULL, error);
  g_auto (PointPieces) pieces = { 0 };

  if (points == NULL)
    return false;
  if (count == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "there are no points to bound: link a geometry that has some");
    return false;
  }
  n->margin += bounds_get_half_width (n, ctx);
  n->count = 1;
  if (n->per == PER_WHOLE)
    return bounds_find (n, points, count, ctx, error);
  if (n->per == PER_PIECE)
    point_pieces_find_connected (&pieces, n->geometry);
  else if (!point_pieces_find_by_attribute (&pieces, n->geometry, n->attribute, error))
    return false;
  g_clear_pointer (&points, g_free);
  n->count = 0;
  return bounds_find_pieces (n, &pieces, ctx, error);
}

static const KgSlot bounds_slots[] = {
  KG_INPUT (Bounds, geometry, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("The geometry to enclose. Only its points are used; splines lie within their control points.")),
  KG_INPUT (
      Bounds, shape, CHOICE, .label = N_ ("Shape"), .choices = bounds_shapes,
      .help = N_ (
          "Box: along the axes of the world. Oriented box: rotated to fit. Capsule: a rod with round ends along an axis of the oriented box. Slabs: cut off by several pairs of planes, closer than a box. Convex hull: the closest of all, without a margin.")),
  KG_INPUT (
      Bounds, quality, CHOICE, .label = N_ ("Quality"), .choices = bounds_qualities, .def = QUALITY_EXACT,
      .shown_when = "shape=oriented|sphere|capsule",
      .help = N_ (
          "Sphere: Ritter's quick approximation, or the smallest sphere. Oriented box: along the principal axes, or the best that lies flush with a face of the hull; a capsule takes its axes.")),
  KG_INPUT (
      Bounds, sides, CHOICE, .label = N_ ("Sides"), .choices = bounds_sides, .def = SIDES_14,
      .shown_when = "shape=slabs",
      .help = N_ (
          "Directions of the slabs, two sides each: axes (6), and diagonals of the corners (14), of the edges (18) or both (26) of a cube.")),
  KG_INPUT (Bounds, normals, GEOMETRY, .label = N_ ("Directions"), .optional = true, .shown_when = "sides=given",
            .help = N_ ("Given directions of the slabs: the normals of these points, or else their positions.")),
  KG_INPUT (Bounds, per, CHOICE, .label = N_ ("For"), .choices = bounds_pers,
            .help = N_ ("One shape around everything, or one around each part.")),
  KG_INPUT (Bounds, attribute, TEXT, .label = N_ ("Attribute"), .def_text = "body", .shown_when = "per=attribute",
            .help = N_ (
                "Points with the same value of this attribute belong together: a number, integer or text of points or "
                "primitives.")),
  KG_INPUT (Bounds, group, TEXT, .label = N_ ("Group"),
            .help = N_ ("Bounds only the points of this group; empty: all.")),
  KG_INPUT (Bounds, margin, NUMBER, .label = N_ ("Margin"), .unit = KG_METRES, .min = 0, .max = 1e9, .soft_max = 1,
            .help = N_ ("How much larger the shape is on each side.")),
  KG_INPUT (
      Bounds, include_width, BOOLEAN, .label = N_ ("Include width"),
      .help = N_ ("Adds half of the largest width of the points to the margin, so that thick lines are enclosed.")),
  KG_INPUT (Bounds, show, CHOICE, .label = N_ ("Make"), .choices = bounds_shows,
            .help = N_ ("A closed mesh, or only its edges.")),
  KG_OUTPUT (Bounds, bounds, GEOMETRY, .label = N_ ("Bounds"),
             .help = N_ ("The shape. If there are several, the primitive attribute piece is the index of the shape.")),
  KG_OUTPUT (
      Bounds, slabs, TABLE, .label = N_ ("Slabs"),
      .help = N_ ("For slabs: a row for each direction, with the least and the largest of position · direction.")),
  KG_OUTPUT (Bounds, count, INTEGER, .label = N_ ("Count"), .help = N_ ("Number of shapes.")),
  KG_OUTPUT (Bounds, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES,
             .help = N_ ("Centre of the shape. If there are several shapes, this output and the following ones "
                         "describe the box around all of them, except for the volume and the fit.")),
  KG_OUTPUT (
      Bounds, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES,
      .help = N_ (
          "Sides of a box (of an oriented box, the longest first); whole length and width of a capsule; for other shapes, sides of the box around them.")),
  KG_OUTPUT (
      Bounds, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES,
      .help = N_ ("Radius of the sphere or capsule; for other shapes, half of the diagonal of the box around them.")),
  KG_OUTPUT (Bounds, rotation, ROTATION, .label = N_ ("Rotation"),
             .help = N_ ("Rotation of an oriented box, or of a capsule, which lies along x.")),
  KG_OUTPUT (Bounds, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("Transforms a unit cube around the origin to the box.")),
  KG_OUTPUT (Bounds, volume, NUMBER, .label = N_ ("Volume"),
             .help = N_ ("Volume of the shape, or of all shapes together, in cubic metres.")),
  KG_OUTPUT (
      Bounds, fit, NUMBER, .label = N_ ("Fit"), .unit = KG_PERCENT,
      .help = N_ ("Share of its volume that the convex hull fills; −1 for a box, sphere or slabs around more than "
                  "200 000 points.")),
};

KG_NODE (
    geometry, bounds, Bounds, .label = N_ ("Bounds"), .version = 1, .since = "0.1",
    .tags = N_ ("bounding box sphere capsule oriented slab k-dop obb aabb enclosing proxy"),
    .source = "Parent, Computer Animation, B.2.10; Ritter 1990; Gärtner 1999; Klosowski et al. 1998; O'Rourke 1985",
    .help = N_ (
        "Encloses a geometry in a simple shape and measures how well it fits: to frame it with a camera, as a stand-in for collisions, or to place it."));
