/* value/triangle: all about a triangle.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/triangle.h"
#include "geometry/vectors.h"
#include "kg-node.h"

typedef struct {
  int given;
  KgVector a, b, c;
  double side_a, side_b, side_c;
  double angle_a, angle_b;
  bool other;
  KgVector p;
  KgVector toward;
  double area;
  KgVector normal;
  KgVector lengths;
  double alpha, beta, gamma;
  KgVector weights;
  bool inside;
  double distance;
  KgVector centroid, circumcenter, incenter, orthocenter;
  double circumradius, inradius;
  KgVector apex;
  int64_t solutions;
  KgGeometry *geometry;
} TriangleNode;

enum { GIVEN_CORNERS, GIVEN_SOLVE, N_GIVENS = GIVEN_SOLVE + TRIANGLE_N_GIVENS };

static const KgChoice triangle_givens[] = {
  [GIVEN_CORNERS] = { "corners", N_ ("Its corners") },
  [GIVEN_SOLVE + TRIANGLE_SIDES] = { "sides", N_ ("Its sides") },
  [GIVEN_SOLVE + TRIANGLE_SIDES_ANGLE] = { "sides-angle", N_ ("Sides b and c, and the angle at A between them") },
  [GIVEN_SOLVE + TRIANGLE_ANGLES_SIDE] = { "angles-side", N_ ("Angles at A and B, and the side c between them") },
  [GIVEN_SOLVE + TRIANGLE_ANGLES_FAR] = { "angles-far-side", N_ ("Angles at A and B, and the side a") },
  [GIVEN_SOLVE + TRIANGLE_SIDES_FAR] = { "sides-far-angle", N_ ("Sides a and b, and the angle at A") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (triangle_givens, N_GIVENS);

/* Corner A where it is, B to its right, C above them in the plane z = 0. */
static bool
triangle_place (TriangleNode *n, KgVector corners[3], GError **error)
{
  KgVector sides = { n->side_a, n->side_b, n->side_c }, angles = { n->angle_a, n->angle_b, 0 };
  guint solutions;

  if (!triangle_solve ((TriangleGiven) (n->given - GIVEN_SOLVE), n->other, &sides, &angles, &solutions, error))
    return false;
  n->solutions = solutions;
  corners[0] = n->a;
  corners[1] = kg_vector_add (n->a, kg_vector (sides.z, 0, 0));
  corners[2] = kg_vector_add (n->a, kg_vector (sides.y * cos (angles.x), sides.y * sin (angles.x), 0));
  return true;
}

static KgGeometry *
triangle_make_geometry (const KgVector corners[3])
{
  const uint32_t vertices[] = { 0, 1, 2 };
  KgGeometry *geometry = kg_geometry_new ();
  float *p;

  kg_geometry_set_n_points (geometry, 3, NULL);
  p = kg_geometry_edit_positions (geometry);
  for (size_t i = 0; i < 9; i++)
    p[i] = (float) kg_vector_get (corners[i / 3], i % 3);
  kg_geometry_add_primitives (geometry, KG_POLYGON, true, 1, 3, vertices);
  return geometry;
}

static void
triangle_locate (TriangleNode *n, const KgContext *ctx, const KgVector corners[3], const Triangle *triangle)
{
  const KgVector from = kg_vector_subtract (n->p, corners[0]);

  n->weights = triangle_get_weights (corners, n->p);
  if (triangle->degenerate) {
    kg_context_warn (
        ctx,
        "the corners lie on one line: the weights are those of the nearest point of the longest side, and there is "
        "neither a normal nor a circumcentre");
    n->distance = vectors_get_length (from);
    return;
  }
  n->inside = n->weights.x >= 0 && n->weights.y >= 0 && n->weights.z >= 0;
  n->distance = kg_vector_dot (from, triangle->normal);
}

static bool
triangle_evaluate (TriangleNode *n, const KgContext *ctx, GError **error)
{
  KgVector corners[3] = { n->a, n->b, n->c };
  Triangle triangle;

  n->solutions = 1;
  if (n->given != GIVEN_CORNERS && !triangle_place (n, corners, error))
    return false;
  triangle = triangle_new (corners);
  if (!isfinite (triangle.area) || !kg_vector_is_finite (triangle.incenter) || !isfinite (triangle.circumradius)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the triangle is too large to compute with: use smaller coordinates");
    return false;
  }
  triangle_locate (n, ctx, corners, &triangle);
  n->area = kg_vector_dot (triangle.normal, n->toward) < 0 ? -triangle.area : triangle.area;
  n->normal = triangle.normal;
  n->lengths = triangle.sides;
  n->alpha = triangle.angles.x;
  n->beta = triangle.angles.y;
  n->gamma = triangle.angles.z;
  n->centroid = triangle.centroid;
  n->circumcenter = triangle.circumcenter;
  n->incenter = triangle.incenter;
  n->orthocenter = triangle.orthocenter;
  n->circumradius = triangle.circumradius;
  n->inradius = triangle.inradius;
  n->apex = corners[2];
  n->geometry = triangle_make_geometry (corners);
  return true;
}

static const KgSlot triangle_slots[] = {
  KG_INPUT (TriangleNode, given, CHOICE, .label = N_ ("Given"), .choices = triangle_givens,
            .help = N_ ("What defines the triangle. Side a is opposite corner A, and so on.")),
  KG_INPUT (
      TriangleNode, a, VECTOR, .label = N_ ("A"), .unit = KG_METRES,
      .help =
          N_ ("First corner. From sides and angles the triangle is built from here, with B to the right and C above.")),
  KG_INPUT (TriangleNode, b, VECTOR, .label = N_ ("B"), .unit = KG_METRES, .def_v = { 1, 0, 0 },
            .shown_when = "given=corners", .help = N_ ("Second corner.")),
  KG_INPUT (TriangleNode, c, VECTOR, .label = N_ ("C"), .unit = KG_METRES, .def_v = { 0, 1, 0 },
            .shown_when = "given=corners", .help = N_ ("Third corner.")),
  KG_INPUT (TriangleNode, side_a, NUMBER, .label = N_ ("Side a"), .unit = KG_METRES, .def = 1, .max = 1e9,
            .soft_max = 10, .shown_when = "given=sides|angles-far-side|sides-far-angle",
            .help = N_ ("Length of the side from B to C.")),
  KG_INPUT (TriangleNode, side_b, NUMBER, .label = N_ ("Side b"), .unit = KG_METRES, .def = 1, .max = 1e9,
            .soft_max = 10, .shown_when = "given=sides|sides-angle|sides-far-angle",
            .help = N_ ("Length of the side from C to A.")),
  KG_INPUT (TriangleNode, side_c, NUMBER, .label = N_ ("Side c"), .unit = KG_METRES, .def = 1, .max = 1e9,
            .soft_max = 10, .shown_when = "given=sides|sides-angle|angles-side",
            .help = N_ ("Length of the side from A to B.")),
  KG_INPUT (TriangleNode, angle_a, NUMBER, .label = N_ ("Angle at A"), .unit = KG_DEGREES, .def = 60, .soft_max = 180,
            .shown_when = "given=sides-angle|angles-side|angles-far-side|sides-far-angle",
            .help = N_ ("Angle between the sides b and c.")),
  KG_INPUT (TriangleNode, angle_b, NUMBER, .label = N_ ("Angle at B"), .unit = KG_DEGREES, .def = 60, .soft_max = 180,
            .shown_when = "given=angles-side|angles-far-side", .help = N_ ("Angle between the sides c and a.")),
  KG_INPUT (
      TriangleNode, other, BOOLEAN, .label = N_ ("Acute"), .shown_when = "given=sides-far-angle",
      .help = N_ ("If two triangles are possible, takes the one with an acute angle at B instead of the obtuse one.")),
  KG_INPUT (TriangleNode, p, VECTOR, .label = N_ ("Point"), .unit = KG_METRES,
            .help = N_ ("Point whose weights are computed.")),
  KG_INPUT (
      TriangleNode, toward, VECTOR, .label = N_ ("Seen from"),
      .help = N_ (
          "Direction of the eye: the area is negative where the corners run clockwise from there. Zero: it is never negative.")),
  KG_OUTPUT (TriangleNode, area, NUMBER, .label = N_ ("Area"), .help = N_ ("Area in square metres.")),
  KG_OUTPUT (
      TriangleNode, normal, VECTOR, .label = N_ ("Normal"),
      .help = N_ (
          "Direction perpendicular to the triangle, from where its corners run counter-clockwise; zero if they lie on one line.")),
  KG_OUTPUT (TriangleNode, lengths, VECTOR, .label = N_ ("Lengths"), .unit = KG_METRES,
             .help = N_ ("Lengths of the sides a, b and c.")),
  KG_OUTPUT (TriangleNode, alpha, NUMBER, .label = N_ ("Alpha"), .unit = KG_DEGREES, .help = N_ ("Angle at A.")),
  KG_OUTPUT (TriangleNode, beta, NUMBER, .label = N_ ("Beta"), .unit = KG_DEGREES, .help = N_ ("Angle at B.")),
  KG_OUTPUT (TriangleNode, gamma, NUMBER, .label = N_ ("Gamma"), .unit = KG_DEGREES, .help = N_ ("Angle at C.")),
  KG_OUTPUT (
      TriangleNode, weights, VECTOR, .label = N_ ("Weights"),
      .help = N_ (
          "Barycentric coordinates of the point: the weights of the corners that add up to it, or to its foot on the plane. Their sum is 1.")),
  KG_OUTPUT (TriangleNode, inside, BOOLEAN, .label = N_ ("Inside"),
             .help = N_ ("Whether the foot of the point is inside the triangle.")),
  KG_OUTPUT (TriangleNode, distance, NUMBER, .label = N_ ("Height"), .unit = KG_METRES,
             .help = N_ ("Height of the point above the plane, along the normal.")),
  KG_OUTPUT (TriangleNode, centroid, VECTOR, .label = N_ ("Centroid"), .unit = KG_METRES,
             .help = N_ ("Centre of mass: the mean of the corners.")),
  KG_OUTPUT (TriangleNode, circumcenter, VECTOR, .label = N_ ("Circumcentre"), .unit = KG_METRES,
             .help = N_ ("Centre of the circle through the corners.")),
  KG_OUTPUT (TriangleNode, incenter, VECTOR, .label = N_ ("Incentre"), .unit = KG_METRES,
             .help = N_ ("Centre of the circle that touches the sides.")),
  KG_OUTPUT (TriangleNode, orthocenter, VECTOR, .label = N_ ("Orthocentre"), .unit = KG_METRES,
             .help = N_ ("Point where the three altitudes meet.")),
  KG_OUTPUT (TriangleNode, circumradius, NUMBER, .label = N_ ("Circumradius"), .unit = KG_METRES,
             .help = N_ ("Radius of the circle through the corners.")),
  KG_OUTPUT (TriangleNode, inradius, NUMBER, .label = N_ ("Inradius"), .unit = KG_METRES,
             .help = N_ ("Radius of the circle that touches the sides.")),
  KG_OUTPUT (TriangleNode, apex, VECTOR, .label = N_ ("Corner C"), .unit = KG_METRES,
             .help = N_ ("Third corner: the elbow of two bones of the lengths b and a.")),
  KG_OUTPUT (TriangleNode, solutions, INTEGER, .label = N_ ("Solutions"),
             .help = N_ ("How many triangles have the given sides and angles: 1 or 2.")),
  KG_OUTPUT (TriangleNode, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The triangle as a polygon.")),
};

KG_NODE (
    value, triangle, TriangleNode, .label = N_ ("Triangle"), .version = 1, .since = "0.1",
    .tags = N_ ("area normal angle barycentric weights circumcircle incircle cosine rule trigonometry solve"),
    .formula =
        "area = ½ ‖(A − C) × (B − C)‖; from sides a ≥ b ≥ c: ¼ √((a + (b + c))(c − (a − b))(c + (a − b))(a + (b − c)))\n"
        "cosine rule: c² = a² + b² − 2ab cos γ; sine rule: a/sin α = b/sin β = c/sin γ\n"
        "weights: u₁ = area(P, B, C)/area(A, B, C), u₂ = area(A, P, C)/…, u₃ = area(A, B, P)/…\n"
        "circumradius abc/4 area; inradius 2 area/(a + b + c)",
    .source =
        "Parent, Computer Animation, B.2.7 to B.2.9; Kahan, Miscalculating Area and Angles of a Needle-like Triangle, 2014",
    .help = N_ (
        "Measures a triangle: area, normal, angles, its circles, and the position of a point in it. Or constructs it "
        "from sides and angles, to reach a goal with two bones or to survey a position."));
