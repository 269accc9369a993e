/* geometry/hull: the convex hull of points.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/point_cloud.h"
#include "geometry/mass_properties.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *geometry;
  int method;
  int faces;
  double tolerance;
  int plane;
  int64_t steps;
  const char *group;
  bool keep;
  KgGeometry *hull;
  double volume;
  double area;
  int64_t points;
  int64_t polygons;
  bool flat;
} Hull;

enum { N_METHODS = HULL_WRAP + 1 };

static const KgChoice hull_methods[] = {
  [HULL_QUICK] = { "quick", N_ ("Quickhull") },
  [HULL_WRAP] = { "wrap", N_ ("Gift wrapping") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (hull_methods, N_METHODS);

enum { FACES_POLYGONS, FACES_TRIANGLES, N_FACES };

static const KgChoice hull_faces[] = {
  [FACES_POLYGONS] = { "polygons", N_ ("Polygons") },
  [FACES_TRIANGLES] = { "triangles", N_ ("Triangles") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (hull_faces, N_FACES);

enum { PLANE_SPACE, PLANE_XY, PLANE_YZ, PLANE_ZX, PLANE_BEST, N_PLANES };

static const KgChoice hull_planes[] = {
  [PLANE_SPACE] = { "space", N_ ("In space") },
  [PLANE_XY] = { "xy", N_ ("In the plane xy") },
  [PLANE_YZ] = { "yz", N_ ("In the plane yz") },
  [PLANE_ZX] = { "zx", N_ ("In the plane zx") },
  [PLANE_BEST] = { "best", N_ ("In the plane that fits best") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (hull_planes, N_PLANES);

static KgVector
hull_get_normal (const Hull *n, const KgVector *points, size_t count)
{
  Moments moments = { 0 };
  MassProperties properties;
  KgVector axes[3];
  double values[3];

  if (n->plane != PLANE_BEST)
    return n->plane == PLANE_XY   ? kg_vector (0, 0, 1)
           : n->plane == PLANE_YZ ? kg_vector (1, 0, 0)
                                  : kg_vector (0, 1, 0);
  /* Points are hardest to turn about the normal of their plane. */
  for (size_t i = 0; i < count; i++) {
    const KgVector x = kg_vector_subtract (points[i], points[0]);

    moments_add (&moments, &x, 1, 1);
  }
  moments_get_mass_properties (&moments, (double) MAX (count, 1), &properties);
  symmetric_matrix_decompose (properties.inertia, values, axes);
  return axes[2];
}

/* Moves corners before the points that are not corners. */
static bool
hull_keep_points (Hull *n, GError **error)
{
  const size_t n_hull = kg_geometry_get_n_points (n->hull), n_all = kg_geometry_get_n_points (n->geometry);
  g_autofree uint8_t *rest = g_new (uint8_t, MAX (n_all, 1));
  g_autoptr (KgGeometry) others = kg_geometry_ref (n->geometry);
  const int32_t *source = kg_geometry_get_int (n->hull, KG_POINTS, "source", 1);
  int32_t *number;

  memset (rest, 1, n_all);
  for (size_t i = 0; i < n_hull; i++)
    rest[source[i]] = 0;
  kg_geometry_make_writable (&others);
  kg_geometry_clear_primitives (others);
  number = kg_geometry_edit_int (others, KG_POINTS, "source", 1);
  for (size_t i = 0; i < n_all; i++)
    number[i] = (int32_t) i;
  kg_geometry_keep_points (others, rest);
  return kg_geometry_append (n->hull, others, error);
}

static bool
hull_find (Hull *n, const KgContext *ctx, ConvexHull *hull, uint32_t **sources, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const HullOptions options = { .method = (HullMethod) n->method,
                                .tolerance = n->tolerance,
                                .triangles = n->faces == FACES_TRIANGLES,
                                .steps = n->steps };
  size_t count;
  g_autofree KgVector *points = point_cloud_get_points (n->geometry, n->group, &count, sources, error);

  if (points == NULL)
    return false;
  if (n->plane != PLANE_SPACE && count > 0)
    return convex_hull_find_plane (hull, points, count, hull_get_normal (n, points, count), error);
  return convex_hull_find (hull, points, count, &options, &monitor, error);
}

static bool
hull_evaluate (Hull *n, const KgContext *ctx, GError **error)
{
  static const char *const lower[] = { "all points are in one place, which has no hull: use points in several places",
                                       "the points lie on one line: the hull is a line",
                                       "the points lie in one plane: the hull is a polygon with two sides" };
  g_auto (ConvexHull) hull = { 0 };
  g_autofree uint32_t *sources = NULL;

  if (!hull_find (n, ctx, &hull, &sources, error))
    return false;
  if (hull.dimension == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "%s", kg_translate (lower[0]));
    return false;
  }
  if (hull.dimension < 3 && n->plane == PLANE_SPACE)
    kg_context_warn (ctx, "%s", kg_translate (lower[hull.dimension]));
  n->hull = point_cloud_make_hull (&hull, sources, error);
  if (n->hull == NULL || (n->keep && !hull_keep_points (n, error)))
    return false;
  n->volume = n->steps >= 0 && n->method == HULL_WRAP ? 0 : convex_hull_get_volume (&hull);
  n->area = convex_hull_get_area (&hull);
  n->points = (int64_t) hull.n_points;
  n->polygons = (int64_t) hull.n_faces;
  n->flat = hull.dimension < 3;
  return true;
}

static const KgSlot hull_slots[] = {
  KG_INPUT (Hull, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The points to wrap.")),
  KG_INPUT (
      Hull, method, CHOICE, .label = N_ ("Method"), .choices = hull_methods,
      .help = N_ (
          "Both give the same hull. Quickhull is fast. Gift wrapping adds one facet after the other, and can be watched.")),
  KG_INPUT (Hull, faces, CHOICE, .label = N_ ("Faces"), .choices = hull_faces,
            .help = N_ ("Polygons: each flat side is one face. Triangles: each side is divided.")),
  KG_INPUT (
      Hull, tolerance, NUMBER, .label = N_ ("Tolerance"), .def = 1e-6, .min = 0, .max = 0.1, .soft_max = 1e-3,
      .help = N_ ("Distance from a side, relative to the size of the geometry, within which points lie in that side.")),
  KG_INPUT (Hull, plane, CHOICE, .label = N_ ("Plane"), .choices = hull_planes,
            .help = N_ ("In space, or the outline of the points as they are seen along the normal of a plane.")),
  KG_INPUT (Hull, steps, INTEGER, .label = N_ ("Steps"), .def = -1, .min = -1, .max = 1e9, .soft_max = 50,
            .shown_when = "method=wrap",
            .help = N_ ("Stops gift wrapping after this number of facets; -1 finishes it.")),
  KG_INPUT (Hull, group, TEXT, .label = N_ ("Group"), .help = N_ ("Wraps only the points of this group; empty: all.")),
  KG_INPUT (Hull, keep, BOOLEAN, .label = N_ ("Keep points"), .help = N_ ("Keeps the points inside, too.")),
  KG_OUTPUT (Hull, hull, GEOMETRY, .label = N_ ("Hull"),
             .help = N_ ("A closed mesh. The attribute source of its points is their index in the geometry.")),
  KG_OUTPUT (Hull, volume, NUMBER, .label = N_ ("Volume"), .help = N_ ("Volume of the hull, in cubic metres.")),
  KG_OUTPUT (
      Hull, area, NUMBER, .label = N_ ("Area"),
      .help = N_ (
          "Area of its faces, in square metres; a flat hull counts once. For a hull in a plane, the area of the outline seen along the normal.")),
  KG_OUTPUT (Hull, points, INTEGER, .label = N_ ("Corners"), .help = N_ ("Number of corners.")),
  KG_OUTPUT (Hull, polygons, INTEGER, .label = N_ ("Faces"), .help = N_ ("Number of faces.")),
  KG_OUTPUT (Hull, flat, BOOLEAN, .label = N_ ("Flat"),
             .help = N_ ("Whether the points lie in one plane or on one line.")),
};

KG_NODE (
    geometry, hull, Hull, .label = N_ ("Convex Hull"), .version = 2, .since = "0.1",
    .tags = N_ ("convex hull wrap gift quickhull outline shrink polytope"),
    .source =
        "Parent, Computer Animation, B.2.10; Barber, Dobkin, Huhdanpaa, The Quickhull algorithm, 1996; Andrew 1979",
    .help = N_ (
        "Wraps points in the smallest convex shape that contains them, as a sheet of rubber would: a stand-in for "
        "collisions, an outline, a crystal."));
