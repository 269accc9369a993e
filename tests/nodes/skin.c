/* tests/nodes/skin: deformation by skeletons against catalogue VO-16 to VO-21.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "deform/skin.h"
#include "node-test.h"

#include <omp.h>

/* Positions are floats: half a unit in the last place near 2, and a few operations. */
#define FLOATS 5e-7

static void
add_number (GString *text, double x)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, g_ascii_dtostr (buffer, sizeof buffer, x));
}

/* A JSON text of points, one a row. */
static char *
make_rows (const KgVector *points, size_t n)
{
  GString *text = g_string_new ("\"");

  for (size_t i = 0; i < n; i++) {
    if (i > 0)
      g_string_append (text, "\\n");
    for (int c = 0; c < 3; c++) {
      g_string_append (text, c > 0 ? " " : "");
      add_number (text, kg_vector_get (points[i], c));
    }
  }
  g_string_append (text, "\"");
  return g_string_free (text, FALSE);
}

/* The points alone, as node name. */
static void
add_points (NodeTest *test, const char *name, const KgVector *points, size_t n)
{
  g_autofree char *rows = make_rows (points, n);

  node_test_add (test, "rig/wire_figure", name, "points", rows, "rods", "\"\"", "hinges", "\"\"", NULL);
}

static void
set_points (NodeTest *test, const char *name, const KgVector *points, size_t n)
{
  g_autofree char *rows = make_rows (points, n);

  node_test_set (test, name, "points", rows);
}

/* A node of the type with what it takes: object, rest and posed. */
static NodeTest
make (const char *type, const KgVector *object, size_t n_object, const KgVector *rest, const KgVector *posed, size_t n)
{
  NodeTest test = node_test_new ();

  add_points (&test, "object", object, n_object);
  add_points (&test, "rest", rest, n);
  add_points (&test, "posed", posed, n);
  node_test_add (&test, type, "skin", "geometry", "{\"link\": \"object.figure\"}", "rest",
                 "{\"link\": \"rest.figure\"}", "posed", "{\"link\": \"posed.figure\"}", NULL);
  return test;
}

static void
get_points (NodeTest *test, const char *target, double time, KgVector *points, size_t n)
{
  g_auto (KgValue) value = node_test_get (test, target, time);
  const float *p = kg_geometry_get_positions (value.geometry);

  g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), ==, n);
  for (size_t i = 0; i < n; i++)
    points[i] = kg_vector ((double) p[3 * i], (double) p[3 * i + 1], (double) p[3 * i + 2]);
}

/* Numbers without any pattern, -1 to 1. */
static double
scatter (guint i)
{
  return remainder (12345.678 * sin (12.9898 * i + 4.1), 2);
}

static KgVector
scatter_vector (guint i)
{
  return kg_vector (scatter (3 * i), scatter (3 * i + 1), scatter (3 * i + 2));
}

/* VO-16: Shepard's field. */

/* Equation 3 in doubles, with Franke and Little's weights where there is a radius. */
static KgVector
get_shepard (KgVector q, const KgVector *rest, const KgVector *posed, size_t n, double power, double radius)
{
  KgVector sum = { 0, 0, 0 };
  double weights = 0;

  for (size_t i = 0; i < n; i++) {
    const double d = kg_vector_distance (q, rest[i]);
    const double w = radius > 0 ? pow (fmax (0, radius - d) / (radius * d), power) : pow (d, -power);

    sum = kg_vector_add_scaled (sum, w, kg_vector_subtract (posed[i], rest[i]));
    weights += w;
  }
  return weights > 0 ? kg_vector_scale (sum, 1 / weights) : kg_vector (0, 0, 0);
}

#define N_BONES 7
#define N_OBJECT 300

static void
make_random (KgVector *rest, KgVector *posed, KgVector *object)
{
  for (guint i = 0; i < N_BONES; i++) {
    rest[i] = scatter_vector (i);
    posed[i] = kg_vector_add_scaled (rest[i], 0.5, scatter_vector (100 + i));
  }
  for (guint i = 0; i < N_OBJECT; i++)
    object[i] = kg_vector_scale (scatter_vector (1000 + i), 2);
}

static void
test_shepard_sum (void)
{
  static const double settings[][2] = { { 2, 0 },  { 1, 0 },  { 3, 0 },   { 0.5, 0 }, { 4.7, 0 },
                                        { 12, 0 }, { 64, 0 }, { 2, 1.5 }, { 3, 0.8 }, { 2, 0.05 } };
  KgVector rest[N_BONES], posed[N_BONES], object[N_OBJECT], moved[N_OBJECT], samples[N_OBJECT];
  NodeTest test;

  make_random (rest, posed, object);
  test = make ("deform/shepard", object, N_OBJECT, rest, posed, N_BONES);
  for (guint s = 0; s < G_N_ELEMENTS (settings); s++) {
    g_auto (KgValue) field = KG_VALUE_INIT, plain = KG_VALUE_INIT;
    float out[3 * N_OBJECT];

    node_test_set_number (&test, "skin", "power", settings[s][0]);
    node_test_set_number (&test, "skin", "radius", settings[s][1]);
    get_points (&test, "skin.deformed", 0, moved, N_OBJECT);
    field = node_test_get (&test, "skin.field", 0);
    plain = node_test_get (&test, "object.figure", 0);
    kg_field_sample_points (field.field, kg_geometry_get_positions (plain.geometry), N_OBJECT, 0, out);
    for (guint i = 0; i < N_OBJECT; i++) {
      const KgVector expected = get_shepard (object[i], rest, posed, N_BONES, settings[s][0], settings[s][1]);

      /* Distances of floats, raised to the power. */
      for (guint c = 0; c < 3; c++) {
        assert_near (kg_vector_get (moved[i], c), kg_vector_get (object[i], c) + kg_vector_get (expected, c),
                     2e-6 + 1e-6 * settings[s][0]);
        assert_near ((double) out[3 * i + c], kg_vector_get (expected, c), 2e-6 + 1e-6 * settings[s][0]);
      }
      samples[i] = expected;
    }
  }
  /* With the last radius some places are out of reach, and do not move by a bit. */
  get_points (&test, "object.figure", 0, object, N_OBJECT);
  for (guint i = 0, still = 0; i <= N_OBJECT; i++) {
    if (i == N_OBJECT)
      g_assert_cmpuint (still, >, N_OBJECT / 2);
    else if (kg_vector_length (samples[i]) == 0) {
      g_assert_cmpmem (&moved[i], sizeof moved[i], &object[i], sizeof object[i]);
      still++;
    }
  }
  node_test_clear (&test);
}

/* What lies on a point goes where that goes, for any power; the field is level there for powers above one. */
static void
test_shepard_interpolates (void)
{
  static const double powers[] = { 0.1, 0.5, 1, 1.5, 2, 3, 7.3, 64 };
  KgVector rest[N_BONES], posed[N_BONES], object[N_OBJECT], moved[N_BONES], near[N_BONES];
  NodeTest test;

  make_random (rest, posed, object);
  test = make ("deform/shepard", rest, N_BONES, rest, posed, N_BONES);
  for (guint k = 0; k < G_N_ELEMENTS (powers); k++) {
    node_test_set_number (&test, "skin", "power", powers[k]);
    get_points (&test, "skin.deformed", 0, moved, N_BONES);
    for (guint i = 0; i < N_BONES; i++)
      assert_vector_near (moved[i], posed[i].x, posed[i].y, posed[i].z, FLOATS);
  }
  /* Beside the point by h the displacement differs by about h² for power 2: far less than h. */
  for (guint i = 0; i < N_BONES; i++)
    near[i] = kg_vector_add (rest[i], kg_vector (1e-3, 0, 0));
  set_points (&test, "object", near, N_BONES);
  node_test_set (&test, "skin", "power", "2");
  get_points (&test, "skin.deformed", 0, moved, N_BONES);
  for (guint i = 0; i < N_BONES; i++)
    assert_vector_near (moved[i], posed[i].x + 1e-3, posed[i].y, posed[i].z, 2e-5);
  node_test_clear (&test);
}

/* One point: all is translated; two: the mean half way; far away the mean of all, with an error that falls with the
 * distance; the sum of two movements is the sum of the fields; no component leaves the range of what the points do. */
static void
test_shepard_facts (void)
{
  static const KgVector two[] = { { -1, 0.5, 0 }, { 1, 0.5, 0 } }, two_moved[] = { { -1, 1.5, 0 }, { 4, 0.5, 1 } };
  static const KgVector half[] = { { 0, 0.5, 0 } };
  KgVector rest[N_BONES], posed[N_BONES], other[N_BONES], both[N_BONES], object[N_OBJECT];
  KgVector moved[N_OBJECT], moved_other[N_OBJECT], moved_both[N_OBJECT], mean = { 0, 0, 0 };
  NodeTest test = make ("deform/shepard", half, 1, two, two_moved, 2);

  get_points (&test, "skin.deformed", 0, moved, 1);
  assert_vector_near (moved[0], 1.5, 1, 0.5, FLOATS);
  make_random (rest, posed, object);
  set_points (&test, "object", object, N_OBJECT);
  set_points (&test, "rest", rest, 1);
  set_points (&test, "posed", posed, 1);
  get_points (&test, "skin.deformed", 0, moved, N_OBJECT);
  for (guint i = 0; i < N_OBJECT; i++)
    assert_vector_near (moved[i], object[i].x + posed[0].x - rest[0].x, object[i].y + posed[0].y - rest[0].y,
                        object[i].z + posed[0].z - rest[0].z, FLOATS);

  for (guint i = 0; i < N_BONES; i++) {
    other[i] = kg_vector_add (rest[i], scatter_vector (500 + i));
    both[i] = kg_vector_add (posed[i], kg_vector_subtract (other[i], rest[i]));
    mean = kg_vector_add_scaled (mean, 1.0 / N_BONES, kg_vector_subtract (posed[i], rest[i]));
  }
  set_points (&test, "rest", rest, N_BONES);
  set_points (&test, "posed", posed, N_BONES);
  get_points (&test, "skin.deformed", 0, moved, N_OBJECT);
  set_points (&test, "posed", other, N_BONES);
  get_points (&test, "skin.deformed", 0, moved_other, N_OBJECT);
  set_points (&test, "posed", both, N_BONES);
  get_points (&test, "skin.deformed", 0, moved_both, N_OBJECT);
  for (guint i = 0; i < N_OBJECT; i++)
    for (int c = 0; c < 3; c++) {
      const double x = kg_vector_get (object[i], c), field = kg_vector_get (moved[i], c) - x;
      double low = INFINITY, high = -INFINITY;

      for (guint k = 0; k < N_BONES; k++) {
        low = fmin (low, kg_vector_get (posed[k], c) - kg_vector_get (rest[k], c));
        high = fmax (high, kg_vector_get (posed[k], c) - kg_vector_get (rest[k], c));
      }
      g_assert_cmpfloat (field, >=, low - 1e-6);
      g_assert_cmpfloat (field, <=, high + 1e-6);
      assert_near (kg_vector_get (moved_both[i], c) - x, field + kg_vector_get (moved_other[i], c) - x, 1e-6);
    }

  set_points (&test, "posed", posed, N_BONES);
  for (double distance = 10; distance < 1e9; distance *= 10) {
    const KgVector far[] = { { distance, 0, 0 } };

    set_points (&test, "object", far, 1);
    get_points (&test, "skin.deformed", 0, moved, 1);
    /* y and z: x has no room beside the distance. */
    assert_near (moved[0].y, mean.y, 5 / distance + 1e-6);
    assert_near (moved[0].z, mean.z, 5 / distance + 1e-6);
  }
  node_test_clear (&test);
}

/* VO-16, bad input. */
static void
test_shepard_bad (void)
{
  static const KgVector twice[] = { { 0, 0, 0 }, { 0, 0, 0 }, { 1, 0, 0 } };
  static const KgVector torn[] = { { 1, 0, 0 }, { 0, 2, 0 }, { 1, 0, 0 } };
  static const KgVector object[] = { { 0, 0, 0 }, { 0.5, 0.5, 0 } };
  NodeTest test = make ("deform/shepard", object, 2, twice, twice, 3);
  KgVector moved[2];

  /* Points that stay together are one point that counts twice. */
  get_points (&test, "skin.deformed", 0, moved, 2);
  assert_vector_near (moved[0], 0, 0, 0, 0);
  set_points (&test, "posed", torn, 3);
  get_points (&test, "skin.deformed", 0, moved, 2);
  assert_vector_near (moved[0], 0.5, 1, 0, FLOATS);
  node_test_warns (&test, "skin.deformed", "control points 0 and 1 coincide at rest");
  set_points (&test, "posed", torn, 2);
  node_test_fails_saying (&test, "skin.deformed", 0, "the number of control points is 3 at rest and 2 in the pose");
  node_test_add (&test, "geometry/merge", "empty", NULL);
  node_test_set (&test, "skin", "rest", "{\"link\": \"empty.geometry\"}");
  node_test_set (&test, "skin", "posed", "{\"link\": \"empty.geometry\"}");
  get_points (&test, "skin.deformed", 0, moved, 2);
  assert_vector_near (moved[1], 0.5, 0.5, 0, 0);
  node_test_warns (&test, "skin.deformed", "no control points");
  node_test_clear (&test);
}

/* VO-20: the letter C. */

#define N_C 50

static void
make_c (KgVector bones[4], KgVector object[N_C])
{
  for (int i = 0; i < 4; i++)
    bones[i] = kg_vector (1.1 * cos ((45 + 90 * i) * KG_DEGREE), 1.1 * sin ((45 + 90 * i) * KG_DEGREE), 0);
  for (int k = 0; k < 25; k++) {
    const double out = (40 + k * 280.0 / 24) * KG_DEGREE, in = (320 - k * 280.0 / 24) * KG_DEGREE;

    object[k] = kg_vector (1.4 * cos (out), 1.4 * sin (out), 0);
    object[25 + k] = kg_vector (0.7 * cos (in), 0.7 * sin (in), 0);
  }
}

static KgVector
turn_and_move (KgVector p, double degrees)
{
  const double c = cos (degrees * KG_DEGREE), s = sin (degrees * KG_DEGREE);

  return kg_vector (c * p.x - s * p.y + 0.3, s * p.x + c * p.y - 0.2, p.z);
}

static void
turn_and_move_all (const KgVector *from, KgVector *to, size_t n, double degrees)
{
  for (size_t i = 0; i < n; i++)
    to[i] = turn_and_move (from[i], degrees);
}

static double
get_area (const KgVector *p, size_t n)
{
  double twice = 0;

  for (size_t i = 0; i < n; i++)
    twice += p[i].x * p[(i + 1) % n].y - p[(i + 1) % n].x * p[i].y;
  return 0.5 * twice;
}

static void
test_c_shift (void)
{
  static const struct {
    guint point;
    double x, y;
  } published[] = { { 0, 1.44250838, 1.17743727 },
                    { 24, 1.08543497, -0.89017309 },
                    { 25, 0.57019229, -0.42448044 },
                    { 49, 0.85683699, 0.69040574 } };
  KgVector bones[4], posed[4], object[N_C], moved[N_C];
  NodeTest test;

  make_c (bones, object);
  memcpy (posed, bones, sizeof posed);
  posed[0] = kg_vector_add (posed[0], kg_vector (0.4, 0.3, 0));
  test = make ("deform/shepard", object, N_C, bones, posed, 4);
  get_points (&test, "skin.deformed", 0, moved, N_C);
  for (guint i = 0; i < G_N_ELEMENTS (published); i++)
    assert_vector_near (moved[published[i].point], published[i].x, published[i].y, 0, FLOATS);
  node_test_clear (&test);
}

/* How far the plain field is from the rigid motion, farthest and root of the mean square, and the area that is left (with
 * its sign: the catalogue gives the magnitude, but at 120 degrees the polygon is inside out already). */
static void
test_c_turn (void)
{
  static const struct {
    double angle, farthest, rms, area; /* NAN: not published, but inside out */
  } published[] = { { 30, 0.448075, 0.248060, 0.903325 },      { 60, 0.865615, 0.479214, 0.639205 },
                    { 90, 1.224165, 0.677711, 0.278411 },      { 120, 1.499289, 0.830024, -0.082384 },
                    { 150, 1.672240, 0.925771, (double) NAN }, { 180, 1.731230, 0.958429, (double) NAN } };
  static const char *const rotations[] = { "\"none\"", "\"procrustes\"", "\"average\"", "\"average-iterated\"" };
  KgVector bones[4], posed[4], object[N_C], moved[N_C], rigid[N_C];

  make_c (bones, object);
  for (guint k = 0; k < G_N_ELEMENTS (published); k++) {
    NodeTest test;

    turn_and_move_all (bones, posed, 4, published[k].angle);
    turn_and_move_all (object, rigid, N_C, published[k].angle);
    test = make ("deform/skeleton_skin", object, N_C, bones, posed, 4);
    for (guint r = 0; r < G_N_ELEMENTS (rotations); r++) {
      double farthest = 0, sum = 0;

      node_test_set (&test, "skin", "rotation", rotations[r]);
      get_points (&test, "skin.deformed", 0, moved, N_C);
      for (guint i = 0; i < N_C; i++) {
        const double d = kg_vector_distance (moved[i], rigid[i]);

        farthest = fmax (farthest, d);
        sum += d * d;
      }
      if (r > 0) {
        g_assert_cmpfloat (farthest, <, FLOATS);
        continue;
      }
      assert_near (farthest, published[k].farthest, 1e-6);
      assert_near (sqrt (sum / N_C), published[k].rms, 1e-6);
      if (isnan (published[k].area))
        g_assert_cmpfloat (get_area (moved, N_C) * get_area (object, N_C), <, 0);
      else
        assert_near (get_area (moved, N_C) / get_area (object, N_C), published[k].area, 2e-6);
    }
    node_test_clear (&test);
  }
}

/* VO-17: the turn. */

static double
get_angle (const KgTransform *turn)
{
  const double x = turn->m[2][1] - turn->m[1][2], y = turn->m[0][2] - turn->m[2][0], z = turn->m[1][0] - turn->m[0][1];

  return atan2 (sqrt (x * x + y * y + z * z), turn->m[0][0] + turn->m[1][1] + turn->m[2][2] - 1) / KG_DEGREE;
}

/* In doubles, in the plane: any angle, by any method; and what is left for the points to do is nothing. */
static void
test_turn_plane (void)
{
  static const SkinRotation methods[] = { SKIN_ROTATION_BEST, SKIN_ROTATION_AVERAGE, SKIN_ROTATION_REPEATED };
  KgVector rest[4], posed[4], object[N_C];
  const SkinSkeleton skeleton = { .n = 4, .rest = rest, .posed = posed, .flat = true };

  make_c (rest, object);
  for (double angle = -350; angle <= 350; angle += 10)
    for (guint k = 0; k < G_N_ELEMENTS (methods); k++) {
      KgTransform turn;
      bool mirrored;

      turn_and_move_all (rest, posed, 4, angle);
      turn = skin_find_rotation (&skeleton, methods[k], &mirrored);
      g_assert_false (mirrored);
      for (guint i = 0; i < 4; i++) {
        const KgVector p = kg_transform_direction (turn, rest[i]);

        assert_vector_near (p, posed[i].x - 0.3, posed[i].y + 0.2, 0, 1e-12);
      }
    }
}

/* The corners of a cube turned about z: the average of what its corners turn falls short, by published amounts; repeating
 * takes away two thirds of what is left each time; the best fit is exact. */
static void
test_turn_cube (void)
{
  static const double published[][2] = { { 20, 13.242154 }, { 60, 37.327570 }, { 90, 49.871378 } };
  static const double left[] = { 22.67, 7.69, 2.57, 0.856, 0.285 };
  const KgVector axis = { 0, 0, 1 }, one = { 1, 1, 1 }, zero = { 0, 0, 0 };
  KgVector rest[8], posed[8];
  const SkinSkeleton skeleton = { .n = 8, .rest = rest, .posed = posed };
  bool mirrored;

  for (guint k = 0; k < G_N_ELEMENTS (published); k++) {
    const KgRotation whole = kg_rotation_from_axis_angle (axis, published[k][0] * KG_DEGREE);
    const KgTransform exact = kg_transform_from_parts (zero, whole, one);
    KgTransform turn;

    for (guint i = 0; i < 8; i++) {
      rest[i] = kg_vector (i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
      posed[i] = kg_vector_add (kg_rotation_apply (whole, rest[i]), kg_vector (5, -2, 1));
    }
    turn = skin_find_rotation (&skeleton, SKIN_ROTATION_AVERAGE, &mirrored);
    assert_near (get_angle (&turn), published[k][1], 1e-6);
    for (int method = 0; method < 2; method++) {
      turn = skin_find_rotation (&skeleton, method == 0 ? SKIN_ROTATION_BEST : SKIN_ROTATION_REPEATED, &mirrored);
      for (int c = 0; c < 9; c++)
        assert_near (turn.m[c / 3][c % 3], exact.m[c / 3][c % 3], method == 0 ? 1e-14 : 1e-12);
    }
    for (guint pass = 0; published[k][0] == 60 && pass < G_N_ELEMENTS (left); pass++) {
      double done;

      turn = skin_find_rotation (&skeleton, SKIN_ROTATION_AVERAGE, &mirrored);
      for (guint i = 0; i < 8; i++)
        rest[i] = kg_transform_direction (turn, rest[i]);
      done = atan2 (rest[1].y, rest[1].x) - atan2 (-1, 1);
      assert_near (60 - done / KG_DEGREE, left[pass], 0.006);
    }
  }
}

/* In space: any rotation of any points, to rounding; and of points on one line (which say nothing about a turn around
 * it) the least that lays the line where it is. */
static void
test_turn_space (void)
{
  KgVector rest[6], posed[6];
  const SkinSkeleton skeleton = { .n = 6, .rest = rest, .posed = posed };
  bool mirrored;

  for (guint k = 0; k < 300; k++) {
    const KgRotation whole = kg_rotation_from_axis_angle (scatter_vector (k), 3.14 * scatter (7000 + k));
    const KgVector line = scatter_vector (2000 + k);
    const bool straight = k % 3 == 0;
    KgTransform turn;

    for (guint i = 0; i < 6; i++) {
      rest[i] = straight ? kg_vector_scale (line, 0.3 * i * i) : scatter_vector (11 * k + i);
      posed[i] = kg_rotation_apply (whole, rest[i]);
    }
    turn = skin_find_rotation (&skeleton, SKIN_ROTATION_BEST, &mirrored);
    g_assert_false (mirrored);
    assert_near (kg_transform_determinant (turn), 1, 1e-12);
    for (guint i = 0; i < 6; i++) {
      const KgVector p = kg_transform_direction (turn, rest[i]);

      assert_vector_near (p, posed[i].x, posed[i].y, posed[i].z, 1e-12 * (1 + kg_vector_length (p)));
    }
    if (straight) {
      const KgVector before = kg_vector_normalize_or (line, line), after = kg_rotation_apply (whole, before);

      assert_near (
          get_angle (&turn),
          atan2 (kg_vector_length (kg_vector_cross (before, after)), kg_vector_dot (before, after)) / KG_DEGREE, 1e-6);
    }
  }
}

/* Angles beside 180 degrees are averaged on the circle, points at the centre do not count, and neither one point nor points
 * all at one place have a turn. */
static void
test_turn_degenerate (void)
{
  KgVector rest[5] = { { 1, 0, 0 }, { 0, 1, 0 }, { -1, 0, 0 }, { 0, -1, 0 }, { 0, 0, 0 } }, posed[5];
  SkinSkeleton skeleton = { .n = 5, .rest = rest, .posed = posed, .flat = true };
  bool mirrored;
  KgTransform turn;

  for (guint i = 0; i < 5; i++) {
    const double angle = (i % 2 == 0 ? 170 : 190) * KG_DEGREE;

    posed[i] = kg_vector (rest[i].x * cos (angle) - rest[i].y * sin (angle),
                          rest[i].x * sin (angle) + rest[i].y * cos (angle), 0);
  }
  turn = skin_find_rotation (&skeleton, SKIN_ROTATION_AVERAGE, &mirrored);
  assert_near (get_angle (&turn), 180, 1e-9);
  skeleton.n = 1;
  turn = skin_find_rotation (&skeleton, SKIN_ROTATION_BEST, &mirrored);
  assert_near (get_angle (&turn), 0, 0);
  skeleton.n = 5;
  for (guint i = 0; i < 5; i++)
    rest[i] = posed[i] = kg_vector (3, 4, 0);
  for (int flat = 0; flat < 2; flat++)
    for (int method = 0; method < 3; method++) {
      skeleton.flat = flat;
      turn = skin_find_rotation (&skeleton, (SkinRotation) method, &mirrored);
      assert_near (get_angle (&turn), 0, 0);
    }
}

/* A mirror image: a proper turn, and a word about it. */
static void
test_mirrored (void)
{
  KgVector bones[4], posed[4], object[N_C], moved[N_C];
  NodeTest test;

  make_c (bones, object);
  for (int i = 0; i < 4; i++)
    posed[i] = kg_vector (bones[i].x, -bones[i].y, 0);
  posed[0].x += 0.2;
  test = make ("deform/skeleton_skin", object, N_C, bones, posed, 4);
  node_test_warns (&test, "skin.deformed", "mirror image");
  get_points (&test, "skin.deformed", 0, moved, N_C);
  node_test_clear (&test);
}

/* Skeleton points go where they go, by any method; without rotation it is Shepard's field to the bit; and nothing moved
 * changes no bit. */
static void
test_skin_node (void)
{
  static const char *const rotations[] = { "\"procrustes\"", "\"average\"", "\"average-iterated\"", "\"none\"" };
  KgVector rest[N_BONES], posed[N_BONES], object[N_OBJECT], moved[N_OBJECT], same[N_OBJECT];
  NodeTest test, shepard;

  make_random (rest, posed, object);
  test = make ("deform/skeleton_skin", rest, N_BONES, rest, posed, N_BONES);
  for (guint r = 0; r < G_N_ELEMENTS (rotations); r++) {
    node_test_set (&test, "skin", "rotation", rotations[r]);
    get_points (&test, "skin.deformed", 0, moved, N_BONES);
    for (guint i = 0; i < N_BONES; i++)
      assert_vector_near (moved[i], posed[i].x, posed[i].y, posed[i].z, FLOATS);
  }
  set_points (&test, "object", object, N_OBJECT);
  shepard = make ("deform/shepard", object, N_OBJECT, rest, posed, N_BONES);
  get_points (&test, "skin.deformed", 0, moved, N_OBJECT);
  get_points (&shepard, "skin.deformed", 0, same, N_OBJECT);
  g_assert_cmpmem (moved, sizeof moved, same, sizeof same);
  set_points (&test, "posed", rest, N_BONES);
  get_points (&test, "object.figure", 0, same, N_OBJECT);
  for (guint r = 0; r < G_N_ELEMENTS (rotations); r++) {
    node_test_set (&test, "skin", "rotation", rotations[r]);
    get_points (&test, "skin.deformed", 0, moved, N_OBJECT);
    for (guint i = 0; i < N_OBJECT; i++)
      assert_vector_near (moved[i], same[i].x, same[i].y, same[i].z, 1e-15);
  }
  node_test_clear (&shepard);
  node_test_clear (&test);
}

/* In space, far from the origin, and turned by any angle: rigid, to the floats that are there. */
static void
test_rigid_in_space (void)
{
  KgVector rest[N_BONES], posed[N_BONES], object[N_OBJECT], moved[N_OBJECT];

  make_random (rest, posed, object);
  for (double angle = 0.5; angle < 6.2; angle += 0.7) {
    const KgRotation whole = kg_rotation_from_axis_angle (kg_vector (1, -2, 0.5), angle);
    const KgVector step = { 100, -50, 25 };
    NodeTest test;

    for (guint i = 0; i < N_BONES; i++)
      posed[i] = kg_vector_add (kg_rotation_apply (whole, rest[i]), step);
    test = make ("deform/skeleton_skin", object, N_OBJECT, rest, posed, N_BONES);
    get_points (&test, "skin.deformed", 0, moved, N_OBJECT);
    for (guint i = 0; i < N_OBJECT; i++) {
      const KgVector p = kg_vector_add (kg_rotation_apply (whole, object[i]), step);

      /* Floats near 100, and an object several times as wide as the skeleton whose turn is found from such floats. */
      assert_vector_near (moved[i], p.x, p.y, p.z, 4e-5);
    }
    node_test_clear (&test);
  }
}

/* A skeleton of joints in place of figures does what two figures of its joints do. */
static void
test_joints (void)
{
  NodeTest test = node_test_new ();
  KgVector object[N_OBJECT], by_joints[N_OBJECT], by_figures[N_OBJECT];

  for (guint i = 0; i < N_OBJECT; i++)
    object[i] = kg_vector_scale (scatter_vector (i), 3);
  add_points (&test, "object", object, N_OBJECT);
  node_test_add (&test, "rig/chain", "chain", "lengths", "\"1\\n0.7\\n1.2\"", NULL);
  node_test_add (&test, "rig/pose", "bent", "skeleton", "{\"link\": \"chain.skeleton\"}", "joint", "\"joint1\"",
                 "angles", "[20, 40, -70]", NULL);
  node_test_add (&test, "rig/skeleton_geometry", "before", "skeleton", "{\"link\": \"chain.skeleton\"}", NULL);
  node_test_add (&test, "rig/skeleton_geometry", "after", "skeleton", "{\"link\": \"bent.posed\"}", NULL);
  node_test_add (&test, "deform/skeleton_skin", "joints", "geometry", "{\"link\": \"object.figure\"}", "skeleton",
                 "{\"link\": \"bent.posed\"}", NULL);
  node_test_add (&test, "deform/skeleton_skin", "figures", "geometry", "{\"link\": \"object.figure\"}", "rest",
                 "{\"link\": \"before.geometry\"}", "posed", "{\"link\": \"after.geometry\"}", NULL);
  get_points (&test, "joints.deformed", 0, by_joints, N_OBJECT);
  get_points (&test, "figures.deformed", 0, by_figures, N_OBJECT);
  for (guint i = 0; i < N_OBJECT; i++) {
    assert_vector_near (by_joints[i], by_figures[i].x, by_figures[i].y, by_figures[i].z, 2e-6);
    if (i == 0)
      g_assert_cmpfloat (kg_vector_distance (by_joints[i], object[i]), >, 0.1);
  }
  /* Held turns are read from the joints too: of a pose that stands still they are those of now. */
  node_test_set (&test, "joints", "rotation_every", "5");
  get_points (&test, "joints.deformed", 0.3, by_figures, N_OBJECT);
  g_assert_cmpmem (by_figures, sizeof by_figures, by_joints, sizeof by_joints);
  node_test_clear (&test);
}

/* Every third frame: the turn is that of frame 1, 4, 7 ..., the points are followed in each. */
static void
test_every (void)
{
  KgVector bones[4], object[N_C], moved[N_C], expected[N_C], posed[4], held[4];
  NodeTest test = node_test_new ();

  make_c (bones, object);
  add_points (&test, "object", object, N_C);
  add_points (&test, "rest", bones, 4);
  node_test_add (&test, "geometry/transform", "posed", "geometry", "{\"link\": \"rest.figure\"}", "rotate",
                 "{\"expr\": \"0, 0, 60*t\"}", NULL);
  node_test_add (&test, "deform/skeleton_skin", "skin", "geometry", "{\"link\": \"object.figure\"}", "rest",
                 "{\"link\": \"rest.figure\"}", "posed", "{\"link\": \"posed.transformed\"}", "rotation_every", "3",
                 NULL);
  for (int frame = 1; frame <= 12; frame++) {
    const double time = (frame - 1) / 24.0, then = (frame - 1) / 3 * 3 / 24.0;
    const SkinSkeleton old = { .n = 4, .rest = bones, .posed = held, .flat = true };
    const SkinSkeleton now = { .n = 4, .rest = bones, .posed = posed, .flat = true };
    g_autoptr (SkinField) field = NULL;
    float p[3 * N_C];
    KgTransform turn;
    bool mirrored;

    for (int i = 0; i < 4; i++) {
      posed[i] = kg_vector_subtract (turn_and_move (bones[i], 60 * time), kg_vector (0.3, -0.2, 0));
      held[i] = kg_vector_subtract (turn_and_move (bones[i], 60 * then), kg_vector (0.3, -0.2, 0));
    }
    turn = skin_find_rotation (&old, SKIN_ROTATION_BEST, &mirrored);
    assert_near (get_angle (&turn), 60 * then, 1e-9);
    field = skin_field_new (&now, &turn, 2, 0);
    for (guint i = 0; i < 3 * N_C; i++)
      p[i] = (float) kg_vector_get (object[i / 3], i % 3);
    skin_field_deform (field, p, p, N_C, NULL);
    for (guint i = 0; i < N_C; i++)
      expected[i] = kg_vector ((double) p[3 * i], (double) p[3 * i + 1], (double) p[3 * i + 2]);
    get_points (&test, "skin.deformed", time, moved, N_C);
    for (guint i = 0; i < N_C; i++)
      assert_vector_near (moved[i], expected[i].x, expected[i].y, expected[i].z, FLOATS);
  }
  node_test_clear (&test);
}

/* The same bits however many threads, in one part and in several; and a block more or less makes no difference. */
static void
test_threads (void)
{
  for (int power = 2; power <= 3; power++) {
    g_auto (KgValue) one = KG_VALUE_INIT;

    for (int threads = 1; threads <= 7; threads += 2) {
      NodeTest test = node_test_new ();
      g_auto (KgValue) value = KG_VALUE_INIT;

      omp_set_num_threads (threads);
      node_test_add (&test, "geometry/grid", "grid", "columns", "173", "rows", "101", NULL);
      node_test_add (&test, "geometry/grid", "rest", "columns", "3", "rows", "2", NULL);
      node_test_add (&test, "geometry/transform", "posed", "geometry", "{\"link\": \"rest.geometry\"}", "rotate",
                     "[20, 70, 10]", "scale", "[1.3, 0.7, 1]", NULL);
      node_test_add (&test, "geometry/group", "grouped", "geometry", "{\"link\": \"grid.geometry\"}", "name",
                     "\"left\"", "first", "3", "step", "2", NULL);
      node_test_add (&test, "deform/skeleton_skin", "skin", "geometry", "{\"link\": \"grouped.grouped\"}", "rest",
                     "{\"link\": \"rest.geometry\"}", "posed", "{\"link\": \"posed.transformed\"}", "parts",
                     power == 2 ? "\"\"" : "\"left: 0 1 2 5 6\"", NULL);
      node_test_set_number (&test, "skin", "power", power);
      value = node_test_get (&test, "skin.deformed", 0);
      if (threads == 1)
        one = kg_value_copy (&value);
      g_assert_true (kg_value_equal (&one, &value));
      node_test_clear (&test);
    }
  }
  omp_set_num_threads (2);
}

/* VO-19: parts. */

/* A part takes no notice of skeleton points that are not its own, what is in no part stays to the bit, and the result is
 * that of skinning the parts one by one. */
static void
test_parts (void)
{
  KgVector rest[N_BONES], posed[N_BONES], object[N_OBJECT], moved[N_OBJECT], again[N_OBJECT], alone[N_OBJECT];
  NodeTest test, one;

  make_random (rest, posed, object);
  test = make ("deform/skeleton_skin", object, N_OBJECT, rest, posed, N_BONES);
  node_test_add (&test, "geometry/group", "a", "geometry", "{\"link\": \"object.figure\"}", "name", "\"arm\"", "last",
                 "99", NULL);
  node_test_add (&test, "geometry/group", "b", "geometry", "{\"link\": \"a.grouped\"}", "name", "\"leg\"", "first",
                 "50", "last", "199", NULL);
  node_test_set (&test, "skin", "geometry", "{\"link\": \"b.grouped\"}");
  node_test_set (&test, "skin", "parts", "\" arm : 0 1 2\\n\\nleg: 3, 4, 5, 6\"");
  get_points (&test, "skin.deformed", 0, moved, N_OBJECT);
  one = make ("deform/skeleton_skin", object, N_OBJECT, rest, posed, 3);
  get_points (&one, "skin.deformed", 0, alone, N_OBJECT);
  g_assert_cmpmem (moved, 100 * sizeof *moved, alone, 100 * sizeof *alone);
  set_points (&one, "rest", rest + 3, 4);
  set_points (&one, "posed", posed + 3, 4);
  get_points (&one, "skin.deformed", 0, alone, N_OBJECT);
  g_assert_cmpmem (moved + 100, 100 * sizeof *moved, alone + 100, 100 * sizeof *alone);
  get_points (&test, "object.figure", 0, alone, N_OBJECT);
  g_assert_cmpmem (moved + 200, 100 * sizeof *moved, alone + 200, 100 * sizeof *alone);
  posed[4] = kg_vector_add (posed[4], kg_vector (3, 2, 1));
  set_points (&test, "posed", posed, N_BONES);
  get_points (&test, "skin.deformed", 0, again, N_OBJECT);
  g_assert_cmpmem (moved, 100 * sizeof *moved, again, 100 * sizeof *again);
  g_assert_cmpint (memcmp (moved + 100, again + 100, 100 * sizeof *again), !=, 0);
  /* Without numbers a part follows the whole skeleton. */
  node_test_set (&test, "skin", "parts", "\"arm:\\nleg: \"");
  get_points (&test, "skin.deformed", 0, moved, N_OBJECT);
  node_test_set (&test, "skin", "parts", "\"\"");
  get_points (&test, "skin.deformed", 0, again, N_OBJECT);
  g_assert_cmpmem (moved, 200 * sizeof *moved, again, 200 * sizeof *again);
  node_test_clear (&one);
  node_test_clear (&test);
}

/* Primitives by their numbers and by groups of them name their points. */
static void
test_parts_of_primitives (void)
{
  static const KgVector rest[] = { { 0, 0, 0 }, { 1, 0, 0 } }, posed[] = { { 0, 1, 0 }, { 1, -1, 0 } };
  NodeTest test = make ("deform/skeleton_skin", rest, 2, rest, posed, 2);
  KgVector moved[7];

  node_test_add (&test, "geometry/polygon", "outlines", "points", "\"0 0\\n1 0\\n0 1\\n\\n5 5\\n6 5\\n6 6\\n5 6\\n\"",
                 NULL);
  node_test_set (&test, "skin", "geometry", "{\"link\": \"outlines.geometry\"}");
  node_test_set (&test, "skin", "parts", "\"0: 0\\n1: 1\"");
  get_points (&test, "skin.deformed", 0, moved, 7);
  assert_vector_near (moved[2], 0, 2, 0, 0);
  assert_vector_near (moved[3], 5, 4, 0, 0);
  node_test_add (&test, "geometry/group", "square", "geometry", "{\"link\": \"outlines.geometry\"}", "name",
                 "\"square\"", "domain", "\"primitives\"", "first", "1", NULL);
  node_test_set (&test, "skin", "geometry", "{\"link\": \"square.grouped\"}");
  node_test_set (&test, "skin", "parts", "\"square: 0\\n0: 1\"");
  get_points (&test, "skin.deformed", 0, moved, 7);
  assert_vector_near (moved[2], 0, 0, 0, 0);
  assert_vector_near (moved[3], 5, 6, 0, 0);
  node_test_clear (&test);
}

static void
test_bad_parts (void)
{
  static const KgVector rest[] = { { 0, 0, 0 }, { 1, 0, 0 } };
  static const struct {
    const char *text, *message;
  } bad[] = { { "\"0: 0\\nbody 0 1\"", "row 2: \"body 0 1\" has no colon" },
              { "\"body: 0\"", "row 1: \"body\" is neither a group" },
              { "\"0: 2\"", "row 1: 2 is not a point of the skeleton, which has 2" },
              { "\"0: 0.5\"", "0.5 is not a point" },
              { "\"0: -1\"", "-1 is not a point" },
              { "\"0: 1 1\"", "1 occurs twice" },
              { "\"0: one\"", "\"one\" is not a number" },
              { "\"1: 0\"", "\"1\" is neither a group of points or primitives nor the index" },
              { "\": 0\"", "\"\" is neither a group" } };
  NodeTest test = make ("deform/skeleton_skin", rest, 2, rest, rest, 2);

  node_test_set (&test, "object", "rods", "\"0 1\"");
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    node_test_set (&test, "skin", "parts", bad[i].text);
    node_test_fails_saying (&test, "skin.deformed", 0, bad[i].message);
  }
  node_test_set (&test, "skin", "parts", "\"\"");
  set_points (&test, "posed", rest, 1);
  node_test_fails_saying (&test, "skin.deformed", 0, "2 points at rest and 1 in the pose");
  node_test_clear (&test);
}

/* Nothing linked to follow. */
static void
test_unlinked (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "box", NULL);
  node_test_add (&test, "deform/skeleton_skin", "skin", "geometry", "{\"link\": \"box.geometry\"}", NULL);
  node_test_add (&test, "deform/burtnyk_wein", "bones", "geometry", "{\"link\": \"box.geometry\"}", "rest",
                 "{\"link\": \"box.geometry\"}", NULL);
  node_test_fails (&test, "skin.deformed", KG_ERROR_NOT_CONNECTED);
  node_test_fails_saying (&test, "bones.deformed", 0, "posed is not linked");
  node_test_clear (&test);
}

/* VO-18: Burtnyk and Wein's coordinates. */

static const char *const modes[] = { "\"bones\"", "\"quads\"" };
static const char *const thicknesses[] = { "\"keep\"", "\"scale\"" };

static const KgVector chain[] = { { -2, 0.2, 0 }, { -0.7, -0.1, 0 }, { 0.5, 0.3, 0 }, { 1.9, -0.5, 0 } };

/* The chain as it is: nothing moves.  Turned and moved as a whole: rigid. */
static void
test_bones_rigid (void)
{
  KgVector object[N_OBJECT], moved[N_OBJECT], posed[4];
  NodeTest test;

  for (guint i = 0; i < N_OBJECT; i++) {
    object[i] = kg_vector_scale (scatter_vector (i), 2.5);
    object[i].z = 0;
  }
  test = make ("deform/burtnyk_wein", object, N_OBJECT, chain, chain, 4);
  for (int k = 0; k < 4; k++) {
    node_test_set (&test, "skin", "mode", modes[k / 2]);
    node_test_set (&test, "skin", "thickness", thicknesses[k % 2]);
    for (double angle = 0; angle < 360; angle += 50) {
      turn_and_move_all (chain, posed, 4, angle);
      set_points (&test, "posed", angle > 0 ? posed : chain, 4);
      get_points (&test, "skin.deformed", 0, moved, N_OBJECT);
      for (guint i = 0; i < N_OBJECT; i++) {
        const KgVector p = angle > 0 ? turn_and_move (object[i], angle) : object[i];

        /* Rounding, where borders cross far away by the little that is left between them. */
        assert_vector_near (moved[i], p.x, p.y, 0, 3e-6);
      }
    }
  }
  node_test_clear (&test);
}

/* One bone of length 2, stretched to twice that: distances along it double, those across stay or double. */
static void
test_bones_stretch (void)
{
  static const KgVector rest[] = { { 0, 0, 0 }, { 2, 0, 0 } }, posed[] = { { 0, 0, 0 }, { 0, 4, 0 } };
  static const KgVector object[] = { { 0.5, 0.25, 3 }, { 1.5, -0.5, 3 }, { 2.5, 1, 3 }, { -1, 0, 3 } };
  KgVector moved[4];
  NodeTest test = make ("deform/burtnyk_wein", object, 4, rest, posed, 2);

  for (int mode = 0; mode < 2; mode++)
    for (int scale = 0; scale < 2; scale++) {
      node_test_set (&test, "skin", "mode", modes[mode]);
      node_test_set (&test, "skin", "thickness", thicknesses[scale]);
      get_points (&test, "skin.deformed", 0, moved, 4);
      for (int i = 0; i < 4; i++)
        assert_vector_near (moved[i], -object[i].y * (scale ? 2 : 1), 2 * object[i].x, 3, FLOATS);
    }
  node_test_clear (&test);
}

/* Largest change of direction of a line from piece to piece in degrees, and its longest piece. */
static double
get_kink (const KgVector *p, size_t n, double *longest)
{
  double largest = 0;

  *longest = 0;
  for (size_t i = 0; i + 1 < n; i++)
    *longest = fmax (*longest, kg_vector_distance (p[i], p[i + 1]));
  for (size_t i = 1; i + 1 < n; i++) {
    const KgVector a = kg_vector_subtract (p[i], p[i - 1]), b = kg_vector_subtract (p[i + 1], p[i]);

    largest = fmax (largest, fabs (atan2 (kg_vector_cross (a, b).z, kg_vector_dot (a, b))));
  }
  return largest / KG_DEGREE;
}

/* A straight line of many points above a straight chain that bends by 40 degrees.  Bones: torn apart at the border, with
 * pieces whose directions differ by 40 degrees.  Quads: whole, with a kink of 40 degrees.  The skin: neither, for the more
 * points the less it turns from piece to piece. */
static void
test_bones_kink (void)
{
  enum { N = 2001 };
  const KgVector rest[] = { { -2, 0, 0 }, { 0, 0, 0 }, { 2, 0, 0 } };
  const double bend = 40 * KG_DEGREE;
  const KgVector posed[] = { { -2, 0, 0 }, { 0, 0, 0 }, { 2 * cos (bend), -2 * sin (bend), 0 } };
  KgVector object[N], moved[N];
  double longest, kink;
  NodeTest test;

  for (int i = 0; i < N; i++)
    object[i] = kg_vector (-1.9 + 3.8 * i / (N - 1) + 1e-4, 0.4, 0);
  test = make ("deform/burtnyk_wein", object, N, rest, posed, 3);
  get_points (&test, "skin.deformed", 0, moved, N);
  kink = get_kink (moved, N, &longest);
  /* Both borders stand on their bones: as far apart as the angle at this distance. */
  assert_near (longest, 2 * 0.4 * sin (bend / 2), 3e-3);
  {
    const KgVector a = kg_vector_subtract (moved[500], moved[0]), b = kg_vector_subtract (moved[N - 1], moved[1500]);

    assert_near (atan2 (kg_vector_cross (b, a).z, kg_vector_dot (a, b)) / KG_DEGREE, 40, 1e-3);
  }
  node_test_set (&test, "skin", "mode", "\"quads\"");
  get_points (&test, "skin.deformed", 0, moved, N);
  kink = get_kink (moved, N, &longest);
  g_assert_cmpfloat (longest, <, 2 * 3.8 / (N - 1));
  /* Of pieces 2 mm long in floats; the piece over the joint may share the angle with one neighbour. */
  g_assert_cmpfloat (kink, >, 20);
  {
    const KgVector a = kg_vector_subtract (moved[990], moved[900]), b = kg_vector_subtract (moved[1100], moved[1010]);

    assert_near (atan2 (kg_vector_cross (b, a).z, kg_vector_dot (a, b)) / KG_DEGREE, 40, 0.05);
  }
  node_test_clear (&test);
  test = make ("deform/skeleton_skin", object, N, rest, posed, 3);
  get_points (&test, "skin.deformed", 0, moved, N);
  kink = get_kink (moved, N, &longest);
  g_assert_cmpfloat (longest, <, 2 * 3.8 / (N - 1));
  g_assert_cmpfloat (kink, <, 0.5);
  node_test_clear (&test);
}

/* Quads are continuous: over a sharp bend, across all borders, neighbours stay neighbours. */
static void
test_quads_continuous (void)
{
  enum { N = 20001 };
  static const KgVector posed[] = { { -2, 0.2, 0 }, { -1, 1, 0 }, { 0, 0, 0 }, { -0.3, -1.5, 0 } };
  g_autofree KgVector *object = g_new (KgVector, N), *moved = g_new (KgVector, N);
  double longest;
  NodeTest test;

  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i < N; i++)
      object[i] = kg_vector (-1.8 + 3.5 * i / (N - 1), 0.45 * side, 0);
    test = make ("deform/burtnyk_wein", object, N, chain, posed, 4);
    node_test_set (&test, "skin", "mode", "\"quads\"");
    get_points (&test, "skin.deformed", 0, moved, N);
    get_kink (moved, N, &longest);
    g_assert_cmpfloat (longest, <, 10 * 3.5 / (N - 1));
    node_test_set (&test, "skin", "mode", "\"bones\"");
    get_points (&test, "skin.deformed", 0, moved, N);
    get_kink (moved, N, &longest);
    g_assert_cmpfloat (longest, >, 0.1);
    node_test_clear (&test);
  }
}

/* Bones without a length, and figures whose rods are the bones; hinges are none. */
static void
test_bones_bad (void)
{
  static const KgVector rest[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 0, 2 } }, object[] = { { 0.5, 0.5, 0 } };
  static const KgVector folded[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 0 } };
  NodeTest test = make ("deform/burtnyk_wein", object, 1, rest, rest, 3);
  KgVector moved[1];

  node_test_fails_saying (&test, "skin.deformed", 0, "bone 1, from point 1 to point 2, has zero length at rest");
  set_points (&test, "rest", chain, 3);
  node_test_fails_saying (&test, "skin.deformed", 0, "bone 1, from point 1 to point 2, has zero length in the pose");
  /* Folded up upon itself: somewhere, but finite. */
  for (int mode = 0; mode < 2; mode++) {
    node_test_set (&test, "skin", "mode", modes[mode]);
    set_points (&test, "rest", folded, 3);
    set_points (&test, "posed", chain, 3);
    get_points (&test, "skin.deformed", 0, moved, 1);
    set_points (&test, "rest", chain, 3);
    set_points (&test, "posed", folded, 3);
    get_points (&test, "skin.deformed", 0, moved, 1);
    g_assert_cmpfloat (kg_vector_length (moved[0]), <, 10);
  }
  node_test_add (&test, "rig/wire_figure", "figure", NULL);
  node_test_set (&test, "skin", "rest", "{\"link\": \"figure.figure\"}");
  node_test_set (&test, "skin", "posed", "{\"link\": \"figure.figure\"}");
  get_points (&test, "skin.deformed", 0, moved, 1);
  assert_vector_near (moved[0], 0.5, 0.5, 0, FLOATS);
  node_test_clear (&test);
}

/* VO-18, bad input: what is as near to one bone as to the next one, in front of their joint, goes with the first. */
static void
test_bones_equally_near (void)
{
  static const KgVector rest[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 } };
  static const KgVector posed[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 } };
  static const KgVector object[] = { { 1.5, -0.5, 0 }, { 1.5, 0.5, 0 } };
  NodeTest test = make ("deform/burtnyk_wein", object, 2, rest, posed, 3);
  KgVector moved[2];

  get_points (&test, "skin.deformed", 0, moved, 2);
  assert_vector_near (moved[0], 1.5, -0.5, 0, FLOATS);
  assert_vector_near (moved[1], 1.5, -0.5, 0, FLOATS);
  node_test_clear (&test);
}

/* 40-D09, bad input: bones that lie on each other have no border between them, which is reported; those that nearly do have one. */
static void
test_bones_folded (void)
{
  static const KgVector rest[] = { { 0, 0, 0 }, { 2, 0, 0 }, { 4, 0, 0 } };
  static const KgVector posed[] = { { 0, 0, 0 }, { 2, 0, 0 }, { 0, 0, 0 } };
  static const KgVector nearly[] = { { 0, 0, 0 }, { 2, 0, 0 }, { 0, 0.01, 0 } };
  static const KgVector object[] = { { 1, 0.5, 0 } };
  NodeTest test = make ("deform/burtnyk_wein", object, 1, rest, posed, 3);

  node_test_set (&test, "skin", "mode", "\"quads\"");
  node_test_warns (&test, "skin.deformed", "the bones at point 1 of the skeleton lie on each other");
  node_test_set (&test, "skin", "mode", "\"bones\"");
  node_test_is_quiet (&test, "skin.deformed", 0);
  node_test_clear (&test);
  test = make ("deform/burtnyk_wein", object, 1, rest, nearly, 3);
  node_test_set (&test, "skin", "mode", "\"quads\"");
  node_test_is_quiet (&test, "skin.deformed", 0);
  node_test_clear (&test);
}

/* VO-21: the drawn figure of the example, five outlines around 16 points.  While it falls freely it turns as a whole: each
 * of the 101 points of the drawing is where 55 degrees about the mean of the figure and the sum of ten steps a frame put
 * it.  Lying against the floor it is bent, and still in one piece: neighbours of an outline stay neighbours. */
static void
test_human_figure (void)
{
  static const uint32_t sizes[] = { 18, 18, 29, 18, 18 };
  const double c = cos (55 * KG_DEGREE), s = sin (55 * KG_DEGREE), x = 0.06375, y = 0.80125;
  g_autofree char *path = g_build_filename (g_getenv ("KG_GRAPHS"), "human_figure.json", NULL);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  NodeTest test = { .types = kg_types_new (kg_node_table) };
  KgVector drawing[101], moved[101];

  test.graph = kg_graph_load (test.types, path, problems);
  g_assert_nonnull (test.graph);
  test.evaluator = kg_evaluator_new (test.graph, NULL);
  g_assert_cmpfloat (node_test_number (&test, "person.n_rods", 0), ==, 16);
  g_assert_cmpfloat (node_test_number (&test, "person.n_hinges", 0), ==, 9);
  get_points (&test, "person.figure", 0, moved, 16);
  get_points (&test, "drawing.geometry", 0, drawing, 101);
  {
    g_auto (KgValue) value = node_test_get (&test, "drawing.geometry", 0);

    g_assert_cmpuint (kg_geometry_get_n_primitives (value.geometry), ==, G_N_ELEMENTS (sizes));
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
      KgPrimitive outline;

      kg_geometry_get_primitive (value.geometry, i, &outline);
      g_assert_cmpint (outline.kind, ==, KG_POLYGON);
      g_assert_cmpuint (outline.n_vertices, ==, sizes[i]);
    }
  }
  for (int frame = 0; frame <= 12; frame++) {
    const int k = 10 * frame;
    const double fall = 1.7465781519705146 - 9.81 * 0.005 * 0.005 * k * (k + 1) / 2;

    get_points (&test, "skin.deformed", frame / 20.0, moved, 101);
    for (guint i = 0; i < 101; i++)
      assert_vector_near (moved[i], x + c * (drawing[i].x - x) - s * (drawing[i].y - y),
                          y + s * (drawing[i].x - x) + c * (drawing[i].y - y) + fall, 0, 3e-6);
  }
  for (int frame = 13; frame < 30; frame++) {
    guint first = 0;

    get_points (&test, "skin.deformed", frame / 20.0, moved, 101);
    for (guint k = 0; k < G_N_ELEMENTS (sizes); first += sizes[k++])
      for (guint i = 0; i < sizes[k]; i++) {
        const guint a = first + i, b = first + (i + 1) % sizes[k];

        g_assert_cmpfloat (kg_vector_distance (moved[a], moved[b]), <,
                           2.5 * kg_vector_distance (drawing[a], drawing[b]) + 0.02);
      }
  }
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/shepard/sum/VO-16", test_shepard_sum);
  g_test_add_func ("/shepard/interpolates/VO-16", test_shepard_interpolates);
  g_test_add_func ("/shepard/facts/VO-16", test_shepard_facts);
  g_test_add_func ("/shepard/bad", test_shepard_bad);
  g_test_add_func ("/c-shape/shift/VO-20", test_c_shift);
  g_test_add_func ("/c-shape/turn/VO-20", test_c_turn);
  g_test_add_func ("/turn/plane/VO-17", test_turn_plane);
  g_test_add_func ("/turn/cube/VO-17", test_turn_cube);
  g_test_add_func ("/turn/space/VO-17", test_turn_space);
  g_test_add_func ("/turn/degenerate", test_turn_degenerate);
  g_test_add_func ("/skin/mirrored/VO-17", test_mirrored);
  g_test_add_func ("/skin/node/VO-17", test_skin_node);
  g_test_add_func ("/skin/rigid/VO-17", test_rigid_in_space);
  g_test_add_func ("/skin/joints", test_joints);
  g_test_add_func ("/skin/every/VO-17", test_every);
  g_test_add_func ("/skin/threads", test_threads);
  g_test_add_func ("/parts/independent/VO-19", test_parts);
  g_test_add_func ("/parts/primitives/VO-19", test_parts_of_primitives);
  g_test_add_func ("/parts/bad", test_bad_parts);
  g_test_add_func ("/parts/human-figure/VO-21", test_human_figure);
  g_test_add_func ("/skin/unlinked", test_unlinked);
  g_test_add_func ("/bones/rigid/VO-18", test_bones_rigid);
  g_test_add_func ("/bones/stretch/VO-18", test_bones_stretch);
  g_test_add_func ("/bones/kink/VO-18", test_bones_kink);
  g_test_add_func ("/bones/continuous/VO-18", test_quads_continuous);
  g_test_add_func ("/bones/bad", test_bones_bad);
  g_test_add_func ("/bones/equally-near/VO-18", test_bones_equally_near);
  g_test_add_func ("/bones/folded/40-D09", test_bones_folded);
  return g_test_run ();
}
