/* curve/arc: an exact arc of a circle or an ellipse.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve.h"
#include "curve/curve_geometry.h"
#include "kg-node.h"

typedef struct {
  double radius;
  double radius_y;
  double start;
  double sweep;
  KgVector center;
  int plane;
  KgGeometry *geometry;
  double length;
} Arc;

enum { PLANE_XY, PLANE_XZ, PLANE_YZ, N_PLANES };

static const KgChoice arc_planes[] = {
  [PLANE_XY] = { "xy", N_ ("Front (xy)") },
  [PLANE_XZ] = { "xz", N_ ("Floor (xz)") },
  [PLANE_YZ] = { "yz", N_ ("Side (yz)") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (arc_planes, N_PLANES);

/* Most pieces: each spans a quarter of a turn at most. */
#define ARC_MAX_PIECES 400

static KgVector
arc_get_position (const Arc *n, double x, double y)
{
  const double ry = n->radius_y > 0 ? n->radius_y : n->radius;
  const double a = n->radius * x, b = ry * y;
  const KgVector p = n->plane == PLANE_XY   ? kg_vector (a, b, 0)
                     : n->plane == PLANE_XZ ? kg_vector (a, 0, -b)
                                            : kg_vector (0, b, -a);

  return kg_vector_add (n->center, p);
}

static bool
arc_evaluate (Arc *n, const KgContext *ctx, GError **error)
{
  const guint pieces = (guint) kg_clamp (ceil (fabs (n->sweep) / (0.5 * KG_PI) - 1e-9), 1, ARC_MAX_PIECES);
  const double step = n->sweep / pieces, half = cos (0.5 * step);
  const guint count = 2 * pieces + 1;
  g_autofree KgVector *points = g_new (KgVector, count);
  g_autofree double *weights = g_new (double, count), *knots = g_new (double, count + 3);
  const CurveControl control = { .basis = KG_BASIS_BSPLINE,
                                 .order = 3,
                                 .n = count,
                                 .points = points,
                                 .n_knots = count + 3,
                                 .knots = knots,
                                 .weights = weights };

  (void) ctx;
  if (!(fabs (n->sweep) > 1e-9) || !(n->radius > 0)) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "a radius of %g and a sweep of %g degrees do not make an arc: set both to values other than 0",
                  n->radius, n->sweep * 180 / KG_PI);
    return false;
  }
  for (guint i = 0; i < count; i++) {
    const double angle = n->start + 0.5 * step * i;
    const bool corner = i % 2 == 1;

    /* Between the ends of a quarter the control point is where the tangents meet. */
    points[i] = arc_get_position (n, cos (angle) / (corner ? half : 1), sin (angle) / (corner ? half : 1));
    weights[i] = corner ? half : 1;
  }
  for (guint i = 0; i < count + 3; i++)
    knots[i] = i == 0 ? 0 : MIN ((i - 1) / 2, pieces);
  n->geometry = kg_geometry_new ();
  if (!curve_geometry_add (n->geometry, &control, error))
    return false;
  n->length = fabs (n->radius * n->sweep);
  if (n->radius_y > 0 && n->radius_y != n->radius) {
    g_autoptr (Curve) curve = curve_new (n->geometry, 0, error);

    if (curve == NULL)
      return false;
    n->length = curve_get_length (curve);
  }
  return true;
}

static const KgSlot arc_slots[] = {
  KG_INPUT (Arc, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 1, .min = 0, .max = 1e6,
            .soft_max = 10, .help = N_ ("Distance from the centre to the arc.")),
  KG_INPUT (Arc, radius_y, NUMBER, .label = N_ ("Second radius"), .unit = KG_METRES, .min = 0, .max = 1e6,
            .soft_max = 10,
            .help = N_ ("Vertical radius of an ellipse; in the xz plane, the radius along z. 0: a circle.")),
  KG_INPUT (Arc, start, NUMBER, .label = N_ ("Start"), .unit = KG_DEGREES, .min = -36000, .max = 36000,
            .soft_min = -360, .soft_max = 360,
            .help = N_ ("Angle at which the arc begins, counter-clockwise from the right.")),
  KG_INPUT (Arc, sweep, NUMBER, .label = N_ ("Sweep"), .unit = KG_DEGREES, .def = 360, .min = -36000, .max = 36000,
            .soft_min = -360, .soft_max = 360, .help = N_ ("Angle that the arc covers; negative is clockwise.")),
  KG_INPUT (Arc, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES,
            .help = N_ ("Centre of the circle or ellipse.")),
  KG_INPUT (Arc, plane, CHOICE, .label = N_ ("Plane"), .choices = arc_planes,
            .help = N_ ("Plane in which the arc lies.")),
  KG_OUTPUT (Arc, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The arc, as a rational B-spline.")),
  KG_OUTPUT (Arc, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES,
             .help = N_ ("Length of the arc; for a circle, radius times angle.")),
};

KG_NODE (
    curve, arc, Arc, .label = N_ ("Arc"), .version = 1, .since = "0.1",
    .tags = N_ ("circle ellipse nurbs rational quarter turn orbit"),
    .formula = "P(t) = Σ wᵢ Nᵢ,₃(t) Bᵢ / Σ wᵢ Nᵢ,₃(t), each segment at most a quarter turn\n"
               "quarter turn: B = (r, 0), (r, r), (0, r), w = 1, cos(sweep / 2) = √½, 1\n"
               "length of a circle's arc = r |sweep|; of an ellipse ∫ √(a² sin² θ + b² cos² θ) dθ",
    .source = "Piegl and Tiller, The NURBS Book, 1997, 7.3 and 7.5; Parent, Computer Animation, B.4.12",
    .help = N_ (
        "Makes an exact arc of a circle or an ellipse, a whole circle, or more than one turn, as a curve to travel along or to draw. It is a rational B-spline, as no polynomial can represent a circle exactly."));
