/* curve/arc: an exact arc of a circle or an ellipse.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve.h"
#include "curve/curve_geometry.h"
#include "kg-node.h"

typedef struct {
  int by;
  double radius;
  double radius_y;
  double start;
  double sweep;
  KgVector center;
  KgVector first;
  KgVector through;
  KgVector last;
  double bulge;
  int plane;
  KgGeometry *geometry;
  double length;
  double found_radius;
  KgVector found_center;
} Arc;

enum { BY_ANGLES, BY_THREE_POINTS, BY_BULGE, N_WAYS };

static const KgChoice arc_ways[] = {
  [BY_ANGLES] = { "angles", N_ ("Centre, radius and angles") },
  [BY_THREE_POINTS] = { "three-points", N_ ("Three points") },
  [BY_BULGE] = { "bulge", N_ ("Two points and the height of the bulge") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (arc_ways, N_WAYS);

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
/* Beyond it a bow is straight for the outputs that describe its circle. */
#define ARC_MOST_RADIUS 1e9

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

/* An arc above a chord.  All is relative to the chord, so that nothing cancels where the arc is nearly straight and its
 * centre is far away. */
typedef struct {
  KgVector middle; /* of the chord */
  KgVector chord;  /* from there to its end */
  KgVector rise;   /* of length 1, from the chord to the apex of the arc */
  double half;     /* half the angle that the arc covers, 0 (a line) or more, below π */
} Bow;

/* The side of the plane that faces the viewer. */
static KgVector
arc_get_normal (const Arc *n)
{
  return n->plane == PLANE_XY ? kg_vector (0, 0, 1) : n->plane == PLANE_XZ ? kg_vector (0, 1, 0) : kg_vector (1, 0, 0);
}

/* The centre is never formed. */
static bool
arc_read_bow (const Arc *n, Bow *bow, GError **error)
{
  const KgVector chord = kg_vector_scale (kg_vector_subtract (n->last, n->first), 0.5);
  const double length = kg_vector_length (chord);

  *bow = (Bow){ .middle = kg_vector_lerp (n->first, n->last, 0.5), .chord = chord };
  if (!(length > 1e-12 * (kg_vector_length (n->first) + kg_vector_length (n->last)))) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the first and the last point are both (%g, %g, %g): move one of them, or give a centre and angles",
                  n->first.x, n->first.y, n->first.z);
    return false;
  }
  if (n->by == BY_BULGE) {
    const KgVector left = kg_vector_cross (arc_get_normal (n), chord);

    if (n->bulge != 0 && !(kg_vector_length (left) > 1e-9 * length)) {
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    "the two points lie along the line of sight of the plane, so the arc has no side to bulge to: "
                    "choose another plane");
      return false;
    }
    bow->rise = kg_vector_scale (kg_vector_normalize_or (left, kg_vector (0, 0, 0)), n->bulge < 0 ? -1 : 1);
    bow->half = 2 * atan (fabs (n->bulge) / length);
  } else {
    const KgVector u = kg_vector_subtract (n->first, n->through), v = kg_vector_subtract (n->last, n->through);
    const double along = kg_vector_dot (u, chord) / (length * length);

    /* An inscribed angle is half a turn less half the arc on its own side of the chord. */
    bow->half = KG_PI - atan2 (kg_vector_length (kg_vector_cross (u, v)), kg_vector_dot (u, v));
    bow->rise = kg_vector_normalize_or (kg_vector_add_scaled (kg_vector_scale (u, -1), along, chord),
                                        kg_vector_perpendicular (chord));
    if (kg_vector_length (u) < 1e-12 * length || kg_vector_length (v) < 1e-12 * length) {
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    "the point on the way is at an end, (%g, %g, %g): move it to where the arc passes", n->through.x,
                    n->through.y, n->through.z);
      return false;
    }
  }
  if (bow->half > KG_PI - 1e-6 && n->by == BY_BULGE) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "a bulge of %g m is too high for points %g m apart: lower it, or give a centre and angles", n->bulge,
                  2 * length);
    return false;
  }
  if (bow->half > KG_PI - 1e-6) {
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "the three points lie on a line and the one on the way is not between the ends: move it between them, "
        "or off the line");
    return false;
  }
  return true;
}

/* The point at an angle from the apex, or, half_step > 0, where the tangents half a step before and after it meet. */
static KgVector
bow_get_position (const Bow *bow, double angle, double half_step)
{
  const double outer = 0.5 * (bow->half + angle), inner = 0.5 * (bow->half - angle), lift = sin (0.5 * half_step);
  const double corner = cos (half_step), sine = sin (bow->half);
  const double height = 2 * (sin (outer) * sin (inner) + lift * lift * cos (bow->half)) / (corner * sine);
  const KgVector p = kg_vector_add_scaled (bow->middle, sin (angle) / (corner * sine), bow->chord);

  return kg_vector_add_scaled (p, height * kg_vector_length (bow->chord), bow->rise);
}

static guint
get_n_pieces (double sweep)
{
  return (guint) kg_clamp (ceil (fabs (sweep) / (0.5 * KG_PI) - 1e-9), 1, ARC_MAX_PIECES);
}

/* points: 2 pieces + 1 of them, ends of pieces and, between, where their tangents meet.  sweep: of all pieces; 0: a line */
static bool
arc_add_curve (Arc *n, const KgVector *points, guint pieces, double sweep, GError **error)
{
  const guint count = 2 * pieces + 1;
  const double half = cos (0.5 * sweep / pieces);
  g_autofree double *weights = g_new (double, count), *knots = g_new (double, count + 3);
  const CurveControl control = { .basis = KG_BASIS_BSPLINE,
                                 .order = 3,
                                 .n = count,
                                 .points = points,
                                 .n_knots = count + 3,
                                 .knots = knots,
                                 .weights = weights };

  for (guint i = 0; i < count; i++)
    weights[i] = i % 2 == 1 ? half : 1;
  for (guint i = 0; i < count + 3; i++)
    knots[i] = i == 0 ? 0 : MIN ((i - 1) / 2, pieces);
  n->geometry = kg_geometry_new ();
  return curve_geometry_add (n->geometry, &control, error);
}

static bool
arc_evaluate_bow (Arc *n, GError **error)
{
  Bow bow;
  guint pieces;
  double radius;
  g_autofree KgVector *points = NULL;

  if (!arc_read_bow (n, &bow, error))
    return false;
  pieces = get_n_pieces (2 * bow.half);
  points = g_new (KgVector, 2 * pieces + 1);
  for (guint i = 0; i <= 2 * pieces; i++) {
    const double half_step = bow.half / pieces;

    if (bow.half > 0)
      points[i] = bow_get_position (&bow, -bow.half + half_step * i, i % 2 == 1 ? half_step : 0);
    else
      points[i] = kg_vector_add_scaled (bow.middle, (double) i - 1, bow.chord);
  }
  /* The ends are those that were asked for, to the last bit. */
  points[0] = n->first;
  points[2 * pieces] = n->last;
  if (!arc_add_curve (n, points, pieces, 2 * bow.half, error))
    return false;
  n->length = 2 * kg_vector_length (bow.chord);
  if (bow.half > 0) {
    radius = kg_vector_length (bow.chord) / sin (bow.half);
    n->length = 2 * radius * bow.half;
    /* A line has neither, and an arc that cannot be told from one has none that a number of metres can hold. */
    if (radius < ARC_MOST_RADIUS) {
      n->found_radius = radius;
      n->found_center = kg_vector_add_scaled (bow.middle, -radius * cos (bow.half), bow.rise);
    }
  }
  return true;
}

static bool
arc_evaluate_angles (Arc *n, GError **error)
{
  const guint pieces = get_n_pieces (n->sweep), count = 2 * pieces + 1;
  const double step = n->sweep / pieces, half = cos (0.5 * step);
  g_autofree KgVector *points = g_new (KgVector, count);

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
  }
  if (!arc_add_curve (n, points, pieces, n->sweep, error))
    return false;
  n->length = fabs (n->radius * n->sweep);
  n->found_radius = n->radius;
  n->found_center = n->center;
  if (n->radius_y > 0 && n->radius_y != n->radius) {
    g_autoptr (Curve) curve = curve_new (n->geometry, 0, error);

    if (curve == NULL)
      return false;
    n->length = curve_get_length (curve);
  }
  return true;
}

static bool
arc_evaluate (Arc *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  return n->by == BY_ANGLES ? arc_evaluate_angles (n, error) : arc_evaluate_bow (n, error);
}

static const KgSlot arc_slots[] = {
  KG_INPUT (Arc, by, CHOICE, .label = N_ ("Given by"), .choices = arc_ways, .help = N_ ("What the arc is made from.")),
  KG_INPUT (Arc, radius, NUMBER, .shown_when = "by=angles", .label = N_ ("Radius"), .unit = KG_METRES, .def = 1,
            .min = 0, .max = 1e6, .soft_max = 10, .help = N_ ("Distance from the centre to the arc.")),
  KG_INPUT (Arc, radius_y, NUMBER, .shown_when = "by=angles", .label = N_ ("Second radius"), .unit = KG_METRES,
            .min = 0, .max = 1e6, .soft_max = 10,
            .help = N_ ("Vertical radius of an ellipse; in the xz plane, the radius along z. 0: a circle.")),
  KG_INPUT (Arc, start, NUMBER, .shown_when = "by=angles", .label = N_ ("Start"), .unit = KG_DEGREES, .min = -36000,
            .max = 36000, .soft_min = -360, .soft_max = 360,
            .help = N_ ("Angle at which the arc begins, counter-clockwise from the right.")),
  KG_INPUT (Arc, sweep, NUMBER, .shown_when = "by=angles", .label = N_ ("Sweep"), .unit = KG_DEGREES, .def = 360,
            .min = -36000, .max = 36000, .soft_min = -360, .soft_max = 360,
            .help = N_ ("Angle that the arc covers; negative is clockwise.")),
  KG_INPUT (Arc, center, VECTOR, .shown_when = "by=angles", .label = N_ ("Centre"), .unit = KG_METRES,
            .help = N_ ("Centre of the circle or ellipse.")),
  KG_INPUT (Arc, first, VECTOR, .shown_when = "by=three-points|bulge", .label = N_ ("First point"), .unit = KG_METRES,
            .def_v = { -1, 0, 0 }, .help = N_ ("Where the arc begins.")),
  KG_INPUT (
      Arc, through, VECTOR, .shown_when = "by=three-points", .label = N_ ("Point on the way"), .unit = KG_METRES,
      .def_v = { 0, 0.5, 0 },
      .help = N_ ("Any point that the arc passes between its ends. On the line between them, the arc is that line.")),
  KG_INPUT (Arc, last, VECTOR, .shown_when = "by=three-points|bulge", .label = N_ ("Last point"), .unit = KG_METRES,
            .def_v = { 1, 0, 0 }, .help = N_ ("Where the arc ends.")),
  KG_INPUT (Arc, bulge, NUMBER, .shown_when = "by=bulge", .label = N_ ("Bulge"), .unit = KG_METRES, .def = 0.5,
            .min = -1e6, .max = 1e6, .soft_min = -2, .soft_max = 2,
            .help = N_ ("Height of the arc over the line between its ends, to the left of the direction of travel, "
                        "as seen from the front of the plane; negative to the right. 0: the line itself. Animators "
                        "call it the arc of a movement.")),
  KG_INPUT (Arc, plane, CHOICE, .shown_when = "by=angles|bulge", .label = N_ ("Plane"), .choices = arc_planes,
            .help = N_ ("Plane in which the arc lies, or from whose front a bulge is seen.")),
  KG_OUTPUT (Arc, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The arc, as a rational B-spline.")),
  KG_OUTPUT (Arc, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES,
             .help = N_ ("Length of the arc; for a circle, radius times angle.")),
  KG_OUTPUT (Arc, found_radius, NUMBER, .label = N_ ("Found radius"), .unit = KG_METRES,
             .help = N_ ("Radius of the arc, also where points determine it; 0 for a line.")),
  KG_OUTPUT (Arc, found_center, VECTOR, .label = N_ ("Found centre"), .unit = KG_METRES,
             .help = N_ ("Centre of the arc, also where points determine it; the origin for a line.")),
};

KG_NODE (
    curve, arc, Arc, .label = N_ ("Arc"), .version = 1, .since = "0.1",
    .tags = N_ ("circle ellipse nurbs rational quarter turn orbit sagitta bulge three points swing"),
    .formula = "P(t) = Σ wᵢ Nᵢ,₃(t) Bᵢ / Σ wᵢ Nᵢ,₃(t), each segment at most a quarter turn\n"
               "quarter turn: B = (r, 0), (r, r), (0, r), w = 1, cos(sweep / 2) = √½, 1\n"
               "length of a circle's arc = r |sweep|; of an ellipse ∫ √(a² sin² θ + b² cos² θ) dθ\n"
               "chord c and bulge b: tan(sweep / 4) = 2 b / c, r = (c² / 4 + b²) / (2 b)\n"
               "three points A, M, B: sweep = 2 (180° − ∠AMB)",
    .source = "Piegl and Tiller, The NURBS Book, 1997, 7.3 and 7.5; Parent, Computer Animation, 1.2.6 and B.4.12",
    .help = N_ (
        "Makes an exact arc of a circle or an ellipse, a whole circle, or more than one turn, as a curve to travel along or to draw; also the arc through three points, or between two with a bulge of a given height, as limbs and thrown things move. It is a rational B-spline, as no polynomial can represent a circle exactly."));
