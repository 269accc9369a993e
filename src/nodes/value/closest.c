/* value/closest: the closest points of two simple shapes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/closest_pair.h"
#include "geometry/vectors.h"
#include "kg-node.h"

typedef struct {
  int from;
  int to;
  int given;
  KgVector a;
  KgVector b;
  KgVector c;
  KgVector d;
  KgVector e;
  double radius;
  KgVector size;
  KgRotation turn;
  KgVector first;
  KgVector second;
  KgVector middle;
  double distance;
  double s;
  double t;
  KgVector weights;
  bool parallel;
  bool hit;
  KgGeometry *strut;
} Closest;

enum { FROM_POINT, FROM_LINE, FROM_RAY, FROM_SEGMENT, N_FROMS };
enum { TO_POINT, TO_LINE, TO_RAY, TO_SEGMENT, TO_PLANE, TO_TRIANGLE, TO_BOX, TO_BALL, N_TOS };
enum { GIVEN_POINTS, GIVEN_DIRECTIONS, N_GIVENS };

static const KgChoice closest_froms[] = {
  [FROM_POINT] = { "point", N_ ("Point a") },
  [FROM_LINE] = { "line", N_ ("Line through a and b") },
  [FROM_RAY] = { "ray", N_ ("Ray from a through b") },
  [FROM_SEGMENT] = { "segment", N_ ("Segment from a to b") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (closest_froms, N_FROMS);

static const KgChoice closest_tos[] = {
  [TO_POINT] = { "point", N_ ("Point c") },
  [TO_LINE] = { "line", N_ ("Line through c and d") },
  [TO_RAY] = { "ray", N_ ("Ray from c through d") },
  [TO_SEGMENT] = { "segment", N_ ("Segment from c to d") },
  [TO_PLANE] = { "plane", N_ ("Plane through c, d and e") },
  [TO_TRIANGLE] = { "triangle", N_ ("Triangle with the corners c, d and e") },
  [TO_BOX] = { "box", N_ ("Box around c") },
  [TO_BALL] = { "ball", N_ ("Ball around c") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (closest_tos, N_TOS);

static const KgChoice closest_givens[] = {
  [GIVEN_POINTS] = { "points", N_ ("By points") },
  [GIVEN_DIRECTIONS] = { "directions", N_ ("By a point and a direction") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (closest_givens, N_GIVENS);

/* shape: FROM_POINT ..., which TO_POINT ... begins with. */
static ClosestLine
closest_make_line (const Closest *n, const KgContext *ctx, int shape, KgVector a, KgVector b, const char *names)
{
  ClosestLine line = closest_line_new (a, n->given == GIVEN_DIRECTIONS ? b : kg_vector_subtract (b, a),
                                       shape == FROM_LINE ? -INFINITY : 0, shape == FROM_SEGMENT ? 1 : INFINITY);

  if (shape == FROM_POINT)
    return closest_line_new (a, kg_vector (0, 0, 0), 0, 0);
  if (!closest_line_is_point (&line))
    return line;
  kg_context_warn (ctx, "%s have no direction: only the first point is used", names);
  return closest_line_new (a, kg_vector (0, 0, 0), 0, 0);
}

static bool
closest_make_plane (const Closest *n, ClosestPlane *plane, GError **error)
{
  const KgVector u = kg_vector_subtract (n->d, n->c), v = kg_vector_subtract (n->e, n->c);

  plane->normal = n->given == GIVEN_DIRECTIONS ? n->d : kg_vector_cross (u, v);
  if (!(vectors_get_length (plane->normal) >
        (n->given == GIVEN_DIRECTIONS ? 0 : 1e-12 * vectors_get_length (u) * vectors_get_length (v)))) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  n->given == GIVEN_DIRECTIONS ? N_ ("the normal d of the plane is zero: give it a direction")
                                               : N_ ("c, d and e lie on one line: move one of them off it"));
    return false;
  }
  vectors_normalize (plane->normal, &plane->normal);
  plane->e = kg_vector_dot (plane->normal, n->c);
  return true;
}

static bool
closest_find (const Closest *n, const KgContext *ctx, ClosestPair *pair, GError **error)
{
  const ClosestLine first = closest_make_line (n, ctx, n->from, n->a, n->b, "a, b");
  const KgVector corners[3] = { n->c, n->d, n->e };
  const ClosestBox box = { n->c, kg_vector_scale (n->size, 0.5), n->turn };
  const ClosestBall ball = { n->c, n->radius };
  ClosestPlane plane;
  ClosestLine second;

  switch (n->to) {
  case TO_PLANE:
    if (!closest_make_plane (n, &plane, error))
      return false;
    *pair = closest_pair_with_plane (&first, &plane);
    return true;
  case TO_TRIANGLE:
    *pair = closest_pair_with_triangle (&first, corners);
    return true;
  case TO_BOX:
    *pair = closest_pair_with_box (&first, &box);
    return true;
  case TO_BALL:
    *pair = closest_pair_with_ball (&first, &ball);
    return true;
  default:
    second = closest_make_line (n, ctx, n->to, n->c, n->d, "c, d");
    *pair = closest_pair_of_lines (&first, &second);
    return true;
  }
}

static KgGeometry *
closest_make_strut (const ClosestPair *pair)
{
  const uint32_t vertices[] = { 0, 1 };
  KgGeometry *strut = kg_geometry_new ();
  float *p;

  kg_geometry_set_n_points (strut, 2, NULL);
  p = kg_geometry_edit_positions (strut);
  for (size_t c = 0; c < 3; c++) {
    p[c] = (float) kg_vector_get (pair->first, c);
    p[3 + c] = (float) kg_vector_get (pair->second, c);
  }
  kg_geometry_add_primitives (strut, KG_POLYLINE, false, 1, 2, vertices);
  return strut;
}

static bool
closest_evaluate (Closest *n, const KgContext *ctx, GError **error)
{
  ClosestPair pair;

  if (!closest_find (n, ctx, &pair, error))
    return false;
  if (!kg_vector_is_finite (pair.first) || !kg_vector_is_finite (pair.second) || !isfinite (pair.distance)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the shapes are too large to compute with: use smaller coordinates");
    return false;
  }
  if (pair.parallel && n->to != TO_TRIANGLE && !pair.hit)
    kg_context_warn (ctx, "the shapes are parallel: one of many closest pairs of points is used");
  n->first = pair.first;
  n->second = pair.second;
  n->middle = kg_vector_lerp (pair.first, pair.second, 0.5);
  n->distance = pair.distance;
  n->s = pair.s;
  n->t = pair.t;
  n->weights = pair.weights;
  n->parallel = pair.parallel;
  n->hit = pair.hit;
  n->strut = closest_make_strut (&pair);
  return true;
}

static const KgSlot closest_slots[] = {
  KG_INPUT (Closest, from, CHOICE, .label = N_ ("From"), .choices = closest_froms, .help = N_ ("The first shape.")),
  KG_INPUT (Closest, to, CHOICE, .label = N_ ("To"), .choices = closest_tos, .def = TO_LINE,
            .help = N_ ("The second shape.")),
  KG_INPUT (
      Closest, given, CHOICE, .label = N_ ("Given"), .choices = closest_givens,
      .help = N_ (
          "Whether b and d are points, or the directions of lines and the normal of a plane; a segment ends where its direction ends.")),
  KG_INPUT (Closest, a, VECTOR, .label = N_ ("a"), .unit = KG_METRES,
            .help = N_ ("The point, or first point of the line.")),
  KG_INPUT (Closest, b, VECTOR, .label = N_ ("b"), .def_v = { 1, 0, 0 }, .shown_when = "from=line|ray|segment",
            .help = N_ ("Second point, or direction, of the first line.")),
  KG_INPUT (Closest, c, VECTOR, .label = N_ ("c"), .unit = KG_METRES,
            .help = N_ ("First point or corner of the second shape, or its centre.")),
  KG_INPUT (Closest, d, VECTOR, .label = N_ ("d"), .def_v = { 0, 1, 0 },
            .shown_when = "to=line|ray|segment|plane|triangle",
            .help = N_ ("Second point or corner, direction of the second line, or normal of the plane.")),
  KG_INPUT (Closest, e, VECTOR, .label = N_ ("e"), .def_v = { 0, 0, 1 }, .shown_when = "to=plane|triangle",
            .help = N_ ("Third point of the plane, or corner of the triangle.")),
  KG_INPUT (Closest, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES, .def_v = { 1, 1, 1 }, .min = 0, .max = 1e9,
            .soft_max = 10, .shown_when = "to=box", .handle = { KG_HANDLE_SIZE, "c" },
            .help = N_ ("Lengths of the sides of the box.")),
  KG_INPUT (Closest, turn, ROTATION, .label = N_ ("Rotation"), .shown_when = "to=box",
            .handle = { KG_HANDLE_TURN, "c" }, .help = N_ ("Rotation of the box about its centre.")),
  KG_INPUT (Closest, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 1, .min = 0, .max = 1e9,
            .soft_max = 10, .shown_when = "to=ball", .help = N_ ("Radius of the ball.")),
  KG_OUTPUT (Closest, first, VECTOR, .label = N_ ("First point"), .unit = KG_METRES,
             .help = N_ ("The point of the first shape that is closest to the second.")),
  KG_OUTPUT (Closest, second, VECTOR, .label = N_ ("Second point"), .unit = KG_METRES,
             .help = N_ ("The point of the second shape that is closest to the first.")),
  KG_OUTPUT (Closest, middle, VECTOR, .label = N_ ("Middle"), .unit = KG_METRES,
             .help = N_ ("Halfway between the two: the best approximation of the point where two lines meet.")),
  KG_OUTPUT (
      Closest, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES,
      .help = N_ ("Distance between the two points: negative behind a plane, and for a point inside a box or ball.")),
  KG_OUTPUT (
      Closest, s, NUMBER, .label = N_ ("s"),
      .help = N_ ("Position of the first point on the first line: 0 at a, 1 at b or at the end of the direction.")),
  KG_OUTPUT (Closest, t, NUMBER, .label = N_ ("t"), .help = N_ ("The same for the second line: 0 at c, 1 at d.")),
  KG_OUTPUT (Closest, weights, VECTOR, .label = N_ ("Weights"),
             .help = N_ ("Weights of the corners c, d and e whose sum is the point of the triangle.")),
  KG_OUTPUT (Closest, parallel, BOOLEAN, .label = N_ ("Parallel"),
             .help = N_ ("Whether the lines, or the line and the surface, are parallel.")),
  KG_OUTPUT (Closest, hit, BOOLEAN, .label = N_ ("Hit"), .help = N_ ("Whether the shapes touch or cross.")),
  KG_OUTPUT (Closest, strut, GEOMETRY, .label = N_ ("Strut"), .help = N_ ("Line from the first point to the second.")),
};

KG_NODE (
    value, closest, Closest, .label = N_ ("Closest Points"), .version = 1, .since = "0.1",
    .tags = N_ ("distance nearest point line ray segment plane triangle box ball intersection hit foot projection"),
    .formula = "point p and line c + t w: t = (p − c) · w/w · w, distance ‖(p − c) × w‖/‖w‖\n"
               "lines a + s v and c + t w, d = c − a: s = (d × w) · (v × w)/‖v × w‖², t = (d × v) · (v × w)/‖v × w‖²\n"
               "plane n · x = e: s = (e − n · a)/(n · v)",
    .source = "Parent, Computer Animation, B.2.4 and B.2.6; Ericson, Real-Time Collision Detection, 2005, 5.1; "
              "Möller and Trumbore 1997",
    .help = N_ (
        "Finds where two simple shapes come closest: the foot of a point on a line, the shortest strut between two rods, where a ray meets a triangle, how deep a point is in a box. For meshes use the nodes of geometry."));
