/* geometry/fit_shape: the simple shape that fits points best.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/fit_shape.h"
#include "geometry/point_cloud.h"
#include "geometry/shape_mesh.h"
#include "geometry/symmetric_matrix.h"
#include "kg-node.h"
#include "kg-floats.h"

#define FIT_CIRCLE_POINTS 96

typedef struct {
  KgGeometry *geometry;
  int shape;
  int fit;
  const char *group;
  KgGeometry *fitted;
  KgGeometry *measured;
  KgVector center;
  KgVector direction;
  KgRotation rotation;
  KgTransform transform;
  double radius;
  KgVector size;
  double residual;
  double largest;
} Fit;

static const KgChoice fit_shape_shapes[] = {
  [FIT_LINE] = { "line", N_ ("Line") },
  [FIT_PLANE] = { "plane", N_ ("Plane") },
  [FIT_CIRCLE] = { "circle", N_ ("Circle") },
  [FIT_SPHERE] = { "sphere", N_ ("Sphere") },
  [FIT_BOX] = { "box", N_ ("Box") },
  [FIT_ELLIPSOID] = { "ellipsoid", N_ ("Ellipsoid") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (fit_shape_shapes, FIT_N_SHAPES);

enum { FIT_GEOMETRIC, FIT_ALGEBRAIC, N_FITS };

static const KgChoice fit_shape_fits[] = {
  [FIT_GEOMETRIC] = { "distance", N_ ("Least distances") },
  [FIT_ALGEBRAIC] = { "algebraic", N_ ("Algebraic") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (fit_shape_fits, N_FITS);

/* A line from end to end, an outline or a mesh. */
static KgGeometry *
fit_shape_draw (const Fit *n, const FittedShape *fitted, const KgTransform *frame)
{
  const uint32_t count = n->shape == FIT_LINE ? 2 : n->shape == FIT_PLANE ? 4 : FIT_CIRCLE_POINTS;
  uint32_t vertices[FIT_CIRCLE_POINTS];
  KgPrimitive primitive = { .kind = n->shape == FIT_PLANE ? KG_POLYGON : KG_POLYLINE,
                            .closed = n->shape != FIT_LINE,
                            .n_vertices = count,
                            .vertices = vertices };
  KgGeometry *drawn;
  float *p;

  if (n->shape == FIT_SPHERE)
    return shape_mesh_new_sphere (fitted->center, fitted->radius, 48);
  if (n->shape == FIT_BOX)
    return shape_mesh_new_box (n->transform);
  if (n->shape == FIT_ELLIPSOID) {
    drawn = shape_mesh_new_sphere (kg_vector (0, 0, 0), 0.5, 48);
    p = kg_geometry_edit_positions (drawn);
    for (size_t i = 0; i < kg_geometry_get_n_points (drawn); i++)
      kg_floats_set_vector (p, i, kg_transform_point (n->transform, kg_floats_get_vector (p, i)));
    kg_geometry_remove_attribute (drawn, KG_POINTS, "N");
    return drawn;
  }
  drawn = kg_geometry_new ();
  kg_geometry_set_n_points (drawn, count, NULL);
  p = kg_geometry_edit_positions (drawn);
  for (uint32_t i = 0; i < count; i++) {
    const double a = 2 * KG_PI * i / FIT_CIRCLE_POINTS;
    const KgVector local = n->shape == FIT_LINE    ? kg_vector (i == 0 ? fitted->low.x : fitted->high.x, 0, 0)
                           : n->shape == FIT_PLANE ? kg_vector (i == 0 || i == 3 ? fitted->low.x : fitted->high.x,
                                                                i < 2 ? fitted->low.y : fitted->high.y, 0)
                                                   : kg_vector (fitted->radius * cos (a), fitted->radius * sin (a), 0);
    const KgVector x = kg_transform_point (*frame, local);

    vertices[i] = i;
    kg_floats_set_vector (p, i, x);
  }
  kg_geometry_add_primitive (drawn, &primitive);
  return drawn;
}

/* How far each point is off. */
static void
fit_shape_note (Fit *n, const FittedShape *fitted)
{
  const size_t count = kg_geometry_get_n_points (n->geometry);
  const float *p;
  float *distance;

  kg_geometry_make_writable (&n->geometry);
  distance = kg_geometry_edit_float (n->geometry, KG_POINTS, "distance", 1);
  p = kg_geometry_get_positions (n->geometry);
#pragma omp parallel for schedule(dynamic, 1024) if (count > 10000)
  for (size_t i = 0; i < count; i++)
    distance[i] = (float) fit_shape_get_distance ((FitShape) n->shape, fitted, kg_floats_get_vector (p, i));
  n->measured = g_steal_pointer (&n->geometry);
}

static bool
fit_shape_evaluate (Fit *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  size_t count;
  g_autofree KgVector *points = point_cloud_get_points (n->geometry, n->group, &count, NULL, error);
  FittedShape fitted;
  KgTransform frame;

  if (points == NULL ||
      !fit_shape ((FitShape) n->shape, points, count, n->fit == FIT_GEOMETRIC, &monitor, &fitted, error))
    return false;
  n->center = fitted.center;
  n->direction = fitted.axes[n->shape == FIT_PLANE || n->shape == FIT_CIRCLE ? 2 : 0];
  n->rotation = symmetric_matrix_get_rotation (fitted.axes);
  n->radius = fitted.radius;
  n->size = n->shape == FIT_CIRCLE || n->shape == FIT_SPHERE
                ? kg_vector (2 * fitted.radius, 2 * fitted.radius, n->shape == FIT_SPHERE ? 2 * fitted.radius : 0)
            : n->shape == FIT_LINE || n->shape == FIT_PLANE ? kg_vector_subtract (fitted.high, fitted.low)
                                                            : kg_vector_scale (fitted.half, 2);
  n->residual = fitted.residual;
  n->largest = fitted.largest;
  frame = kg_transform_from_parts (n->center, n->rotation, kg_vector (1, 1, 1));
  n->transform = n->shape == FIT_BOX || n->shape == FIT_ELLIPSOID
                     ? kg_transform_from_parts (n->center, n->rotation, n->size)
                     : frame;
  n->fitted = fit_shape_draw (n, &fitted, &frame);
  fit_shape_note (n, &fitted);
  return true;
}

static const KgSlot fit_shape_slots[] = {
  KG_INPUT (Fit, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The points.")),
  KG_INPUT (
      Fit, shape, CHOICE, .label = N_ ("Shape"), .choices = fit_shape_shapes, .def = FIT_PLANE,
      .help = N_ (
          "What is fitted. Line, plane, circle, sphere and ellipsoid pass between the points; a box contains them.")),
  KG_INPUT (
      Fit, fit, CHOICE, .label = N_ ("Fit"), .choices = fit_shape_fits, .shown_when = "shape=circle|sphere",
      .help = N_ (
          "Least distances: the sum of the squares of the distances is least. Algebraic: in one step, but short arcs give circles that are too small.")),
  KG_INPUT (Fit, group, TEXT, .label = N_ ("Group"), .help = N_ ("Fits only the points of this group; empty: all.")),
  KG_OUTPUT (Fit, fitted, GEOMETRY, .label = N_ ("Shape"), .help = N_ ("The shape, as far as the points reach.")),
  KG_OUTPUT (Fit, measured, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The points with their distance from it in the attribute distance.")),
  KG_OUTPUT (Fit, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES,
             .help = N_ ("Centre of the shape; of a line and a plane the mean of the points.")),
  KG_OUTPUT (Fit, direction, VECTOR, .label = N_ ("Direction"),
             .help = N_ ("Along the line or the longest side, or the normal of the plane or circle.")),
  KG_OUTPUT (
      Fit, rotation, ROTATION, .label = N_ ("Rotation"),
      .help = N_ (
          "Rotates x along a line, z to the normal of a plane or circle, x, y and z along the sides of a box or the axes of an ellipsoid, the longest first.")),
  KG_OUTPUT (
      Fit, transform, TRANSFORM, .label = N_ ("Transform"),
      .help = N_ ("Places objects on the shape; a unit cube becomes the box, and a ball of diameter 1 the ellipsoid.")),
  KG_OUTPUT (Fit, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES,
             .help = N_ ("Radius of the circle or sphere.")),
  KG_OUTPUT (
      Fit, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES,
      .help = N_ ("Sides of the box, or diameters of the ellipsoid; of a line and a plane how far the points reach.")),
  KG_OUTPUT (Fit, residual, NUMBER, .label = N_ ("Residual"), .unit = KG_METRES,
             .help = N_ ("Root of the mean square of the distances.")),
  KG_OUTPUT (Fit, largest, NUMBER, .label = N_ ("Largest"), .unit = KG_METRES,
             .help = N_ ("Largest distance of a point.")),
};

KG_NODE (
    geometry, fit_shape, Fit, .label = N_ ("Fit Shape"), .version = 2, .since = "0.1",
    .tags = N_ ("least squares regression line plane circle sphere box best pca marker calibrate"),
    .source = "Pearson 1901; Kåsa 1976; Bookstein 1979; Levenberg 1944; Eberly 2013; Parent, Computer Animation, B.1.2",
    .help = N_ ("Finds the line, plane, circle, sphere or box that fits points best: the ground under "
                "markers, the axis of a limb, the centre around which a captured hand moved."));
