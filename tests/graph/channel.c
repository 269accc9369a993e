/* tests/graph/channel: keys against closed forms, catalogue 30-01 and 30-20, and themselves by differences.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-motion.h"
#include "kg-random.h"

static KgChannel *
make (KgKey *keys, gsize n, KgExtend before, KgExtend after)
{
  g_autoptr (GError) error = NULL;
  KgChannel *channel = kg_channel_new_keys (1, false, keys, n, before, after, &error);

  g_assert_no_error (error);
  return channel;
}

static double
at (const KgChannel *channel, double x)
{
  double value;

  kg_channel_evaluate (channel, x, &value);
  return value;
}

static double
slope_at (const KgChannel *channel, double x)
{
  double value;

  kg_channel_differentiate (channel, x, &value);
  return value;
}

static double
integral (const KgChannel *channel, double a, double b)
{
  double value;

  kg_channel_integrate (channel, a, b, &value);
  return value;
}

/* The scenario of the textbook: -5 at frame 22, 5 at frame 67; x (22 + 9 k) = -5 + 2 k. */
static void
test_linear (void)
{
  KgKey keys[2];
  g_autoptr (KgChannel) channel = NULL;

  kg_key_init (&keys[0], 67, 5);
  kg_key_init (&keys[1], 22, -5);
  channel = make (keys, 2, KG_EXTEND_HOLD, KG_EXTEND_HOLD);
  for (int k = 0; k <= 5; k++)
    g_assert_cmpfloat_with_epsilon (at (channel, 22 + 9 * k), -5 + 2 * k, 1e-14);
  g_assert_cmpfloat (at (channel, 22), ==, -5);
  g_assert_cmpfloat (at (channel, 67), ==, 5);
  g_assert_cmpfloat_with_epsilon (integral (channel, 22, 67), 0, 1e-12);
  g_assert_cmpfloat_with_epsilon (integral (channel, 12, 77), 0, 1e-12);
  g_assert_cmpfloat_with_epsilon (slope_at (channel, 30), 10.0 / 45, 1e-14);
}

/* Two keys at one place are a step. */
static void
test_step (void)
{
  KgKey keys[3];
  g_autoptr (KgChannel) channel = NULL;

  kg_key_init (&keys[0], 0, 0);
  kg_key_init (&keys[1], 1, 1);
  kg_key_init (&keys[2], 1, 7);
  channel = make (keys, 3, KG_EXTEND_HOLD, KG_EXTEND_HOLD);
  g_assert_cmpfloat_with_epsilon (at (channel, 1 - 1e-9), 1, 1e-8);
  g_assert_cmpfloat (at (channel, 1), ==, 7);
  g_assert_cmpfloat (at (channel, 2), ==, 7);
}

/* Free handles a third of the span long make x (u) straight: the value is the cubic itself.  Longer ones are shortened
 * together, and the curve stays a function. */
static void
test_bezier (void)
{
  KgKey keys[2];
  g_autoptr (KgChannel) plain = NULL, longer = NULL;
  double before = -INFINITY, sum = 0;

  kg_key_init (&keys[0], 0, 0);
  kg_key_init (&keys[1], 3, 1);
  keys[0].interpolation = KG_INTERPOLATE_BEZIER;
  keys[0].tangents = keys[1].tangents = KG_TANGENT_FREE;
  keys[0].out = (KgHandle){ 1, { 2 } };
  keys[1].in = (KgHandle){ 1, { -0.5 } };
  plain = make (keys, 2, KG_EXTEND_HOLD, KG_EXTEND_HOLD);
  for (int i = 0; i <= 30; i++) {
    const double u = i / 30.0, v = 1 - u;

    g_assert_cmpfloat_with_epsilon (at (plain, 3 * u), 3 * u * v * v * 2 + 3 * u * u * v * 0.5 + u * u * u, 1e-13);
  }
  /* The Bezier ordinates' mean times the span. */
  g_assert_cmpfloat_with_epsilon (integral (plain, 0, 3), 3 * (0 + 2 + 0.5 + 1) / 4, 1e-12);
  keys[0].out = (KgHandle){ 5, { 0 } };
  keys[1].in = (KgHandle){ 5, { 0 } };
  longer = make (keys, 2, KG_EXTEND_HOLD, KG_EXTEND_HOLD);
  for (int i = 0; i <= 3000; i++) {
    const double value = at (longer, i / 1000.0);

    g_assert_cmpfloat (value, >=, before);
    sum += (i == 0 || i == 3000 ? 0.5 : 1) * value / 1000;
    before = value;
  }
  g_assert_cmpfloat_with_epsilon (at (longer, 1.5), 0.5, 1e-12);
  g_assert_cmpfloat_with_epsilon (integral (longer, 0, 3), sum, 1e-5);
  g_assert_cmpfloat_with_epsilon (slope_at (longer, 1.4), (at (longer, 1.4 + 1e-6) - at (longer, 1.4 - 1e-6)) / 2e-6,
                                  1e-4);
}

/* Automatic tangents: nothing overshoots, extremes are flat. */
static void
test_auto (void)
{
  static const double values[] = { 0, 1, 1.1, 5, 5, 2, 3 };
  KgKey keys[G_N_ELEMENTS (values)];
  g_autoptr (KgChannel) channel = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    kg_key_init (&keys[i], i * i, values[i]);
    keys[i].interpolation = KG_INTERPOLATE_BEZIER;
  }
  channel = make (keys, G_N_ELEMENTS (values), KG_EXTEND_HOLD, KG_EXTEND_HOLD);
  for (guint i = 0; i + 1 < G_N_ELEMENTS (values); i++)
    for (int k = 0; k <= 50; k++) {
      const double value = at (channel, i * i + (2 * i + 1) * k / 50.0);

      g_assert_cmpfloat (value, >=, MIN (values[i], values[i + 1]) - 1e-12);
      g_assert_cmpfloat (value, <=, MAX (values[i], values[i + 1]) + 1e-12);
    }
  g_assert_cmpfloat_with_epsilon (slope_at (channel, 25), 0, 1e-12);
}

/* Tension, continuity, bias at the middle of 0, 2, 1 (the y of catalogue 30-20), evenly spaced. */
static void
test_tcb (void)
{
  static const double cases[][5] = { { 0, 0, 0, 0.5, 0.5 }, { 1, 0, 0, 0, 0 }, { 0, -1, 0, 2, -1 },
                                     { 0, 1, 0, -1, 2 },    { 0, 0, 1, 2, 2 }, { 0.5, 0.25, -0.5, -0.28125, 0.03125 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    KgKey keys[3];
    g_autoptr (KgChannel) channel = NULL;
    double in[KG_CHANNEL_MAX_WIDTH], out[KG_CHANNEL_MAX_WIDTH];

    for (int k = 0; k < 3; k++) {
      kg_key_init (&keys[k], k, (const double[]){ 0, 2, 1 }[k]);
      keys[k].interpolation = KG_INTERPOLATE_TCB;
    }
    keys[1].tension = cases[i][0];
    keys[1].continuity = cases[i][1];
    keys[1].bias = cases[i][2];
    channel = make (keys, 3, KG_EXTEND_HOLD, KG_EXTEND_HOLD);
    kg_channel_get_slopes (channel, 1, in, out);
    g_assert_cmpfloat_with_epsilon (in[0], cases[i][3], 1e-13);
    g_assert_cmpfloat_with_epsilon (out[0], cases[i][4], 1e-13);
    g_assert_cmpfloat (at (channel, 1), ==, 2);
  }
}

/* The ends aim at the mirror image of the second neighbour: catalogue 30-15, with its numbers in x and y and evenly
 * spaced points, which start from rest, in z.  Tension counts as inside; uneven spacing does not start a steady motion
 * backwards, and of two keys there is only the chord. */
static void
test_tcb_ends (void)
{
  static const double points[3][3] = { { 0, 0, 0 }, { 1, 2, 1 }, { 4, 1, 2 } };
  double in[KG_CHANNEL_MAX_WIDTH], out[KG_CHANNEL_MAX_WIDTH];
  KgKey keys[3];

  for (int k = 0; k < 3; k++) {
    kg_key_init (&keys[k], 10 + k, 0);
    memcpy (keys[k].value, points[k], sizeof points[k]);
    keys[k].interpolation = KG_INTERPOLATE_TCB;
  }
  {
    g_autoptr (KgChannel) channel = kg_channel_new_keys (3, false, keys, 3, KG_EXTEND_HOLD, KG_EXTEND_HOLD, NULL);

    kg_channel_get_slopes (channel, 0, in, out);
    for (int c = 0; c < 3; c++)
      g_assert_cmpfloat_with_epsilon (out[c], ((const double[]){ -1, 1.5, 0 })[c], 1e-13);
    kg_channel_get_slopes (channel, 2, in, out);
    for (int c = 0; c < 3; c++)
      g_assert_cmpfloat_with_epsilon (in[c], ((const double[]){ 1, -1.5, 0 })[c], 1e-13);
  }
  keys[0].tension = 0.5;
  {
    g_autoptr (KgChannel) tense = kg_channel_new_keys (3, false, keys, 3, KG_EXTEND_HOLD, KG_EXTEND_HOLD, NULL);
    g_autoptr (KgChannel) pair = kg_channel_new_keys (3, false, keys, 2, KG_EXTEND_HOLD, KG_EXTEND_HOLD, NULL);

    kg_channel_get_slopes (tense, 0, in, out);
    g_assert_cmpfloat_with_epsilon (out[1], 0.75, 1e-13);
    kg_channel_get_slopes (pair, 0, in, out);
    g_assert_cmpfloat_with_epsilon (out[1], 1, 1e-13);
    kg_channel_get_slopes (pair, 1, in, out);
    g_assert_cmpfloat_with_epsilon (in[1], 2, 1e-13);
  }
  keys[0].tension = 0;
  keys[2].at = 15;
  keys[2].value[2] = 5;
  {
    g_autoptr (KgChannel) uneven = kg_channel_new_keys (3, false, keys, 3, KG_EXTEND_HOLD, KG_EXTEND_HOLD, NULL);

    kg_channel_get_slopes (uneven, 0, in, out);
    g_assert_cmpfloat_with_epsilon (out[2], 0, 1e-13);
    kg_channel_get_slopes (uneven, 2, in, out);
    g_assert_cmpfloat_with_epsilon (in[2], 0, 1e-13);
  }
}

/* Beyond the ends of 0 → 1 over [2, 4]; values, slopes and integrals. */
static void
test_extend (void)
{
  static const struct {
    KgExtend extend;
    double after[4]; /* at 4.5, 5, 6.5, 7.5 */
    double slope;    /* at 6.5 */
    double before;   /* at 1.5 */
    double area;     /* from 4 to 8 */
  } cases[] = {
    { KG_EXTEND_HOLD, { 1, 1, 1, 1 }, 0, 0, 4 },
    { KG_EXTEND_LINEAR, { 1.25, 1.5, 2.25, 2.75 }, 0.5, -0.25, 8 },
    { KG_EXTEND_CYCLE, { 0.25, 0.5, 0.25, 0.75 }, 0.5, 0.75, 2 },
    { KG_EXTEND_CYCLE_OFFSET, { 1.25, 1.5, 2.25, 2.75 }, 0.5, -0.25, 8 },
    { KG_EXTEND_MIRROR, { 0.75, 0.5, 0.25, 0.75 }, 0.5, 0.25, 2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    KgKey keys[2];
    g_autoptr (KgChannel) channel = NULL;

    kg_key_init (&keys[0], 2, 0);
    kg_key_init (&keys[1], 4, 1);
    channel = make (keys, 2, cases[i].extend, cases[i].extend);
    for (int k = 0; k < 4; k++)
      g_assert_cmpfloat_with_epsilon (at (channel, (const double[]){ 4.5, 5, 6.5, 7.5 }[k]), cases[i].after[k], 1e-12);
    g_assert_cmpfloat_with_epsilon (slope_at (channel, 6.5), cases[i].slope, 1e-12);
    g_assert_cmpfloat_with_epsilon (at (channel, 1.5), cases[i].before, 1e-12);
    g_assert_cmpfloat_with_epsilon (integral (channel, 4, 8), cases[i].area, 1e-12);
    g_assert_cmpfloat_with_epsilon (integral (channel, 8, 4), -cases[i].area, 1e-12);
  }
}

/* Rotations: half of a quarter turn is an eighth, on the shorter way, and unit. */
static void
test_rotation (void)
{
  KgKey keys[2];
  g_autoptr (KgChannel) channel = NULL;
  double q[4];

  kg_key_init (&keys[0], 0, 1);
  kg_key_init (&keys[1], 1, -M_SQRT1_2);
  keys[1].value[3] = -M_SQRT1_2;
  channel = kg_channel_new_keys (4, true, keys, 2, KG_EXTEND_HOLD, KG_EXTEND_HOLD, NULL);
  kg_channel_evaluate (channel, 0.5, q);
  g_assert_cmpfloat_with_epsilon (fabs (q[0]), cos (KG_PI / 8), 1e-12);
  g_assert_cmpfloat_with_epsilon (fabs (q[3]), sin (KG_PI / 8), 1e-12);
}

static KgRotation
turn_at (const KgChannel *channel, double x)
{
  double q[4];

  kg_channel_evaluate (channel, x, q);
  return (KgRotation){ q[0], q[1], q[2], q[3] };
}

/* The angle between two orientations. */
static double
get_angle (KgRotation a, KgRotation b)
{
  const KgRotation d = kg_rotation_multiply (kg_rotation_conjugate (a), b);

  return 2 * atan2 (kg_vector_length (kg_vector (d.x, d.y, d.z)), fabs (d.w));
}

static KgChannel *
make_turn (KgKey *keys, gsize n)
{
  g_autoptr (GError) error = NULL;
  KgChannel *channel = kg_channel_new_keys (4, true, keys, n, KG_EXTEND_HOLD, KG_EXTEND_HOLD, &error);

  g_assert_no_error (error);
  return channel;
}

static void
set_turn (KgKey *key, double at, KgRotation q, KgInterpolation interpolation)
{
  kg_key_init (key, at, q.w);
  key->value[1] = q.x;
  key->value[2] = q.y;
  key->value[3] = q.z;
  key->interpolation = interpolation;
}

/* A number in -1..1. */
static double
draw (uint64_t *state)
{
  return kg_random_signed (1, 2, (*state)++);
}

/* Smooth turning does not jump, whatever the keys: any orientations, or each almost or exactly half a turn from the
 * last, with any tension, continuity and bias.  The chord and both tangents bound the speed: 60 radians a span. */
static void
test_rotation_continuous (void)
{
  enum { N = 6, STEPS = 4000 };
  uint64_t state = 1;

  for (int round = 0; round < 60; round++) {
    g_autoptr (KgChannel) channel = NULL;
    KgKey keys[N];
    KgRotation q = kg_rotation_identity ();
    double fastest = 0;

    for (int k = 0; k < N; k++) {
      const KgVector axis = { draw (&state), draw (&state), draw (&state) };
      const double off = (const double[]){ draw (&state) * KG_PI, KG_PI + 1e-3 * draw (&state),
                                           KG_PI + 1e-9 * draw (&state), KG_PI }[round % 4];

      q = kg_rotation_multiply (q, kg_rotation_from_axis_angle (axis, off));
      set_turn (&keys[k], k, q, k % 2 == 0 ? KG_INTERPOLATE_TCB : KG_INTERPOLATE_BEZIER);
      if (round >= 20) {
        keys[k].tension = draw (&state);
        keys[k].continuity = draw (&state);
        keys[k].bias = draw (&state);
      }
    }
    channel = make_turn (keys, N);
    for (int i = 0; i < (N - 1) * STEPS; i++)
      fastest = MAX (fastest, get_angle (turn_at (channel, i / (double) STEPS), turn_at (channel, (i + 1.0) / STEPS)));
    g_assert_cmpfloat (fastest, <, 60.0 / STEPS);
  }
}

/* At keys without a corner the speed of turning is the same on both sides, also where the spacing is not even. */
static void
test_rotation_speed (void)
{
  enum { N = 7 };
  const double h = 1e-5;
  uint64_t state = 77;

  for (int round = 0; round < 20; round++) {
    g_autoptr (KgChannel) channel = NULL;
    KgKey keys[N];
    double at = 0;

    for (int k = 0; k < N; k++) {
      const KgVector angles = { draw (&state), draw (&state), draw (&state) };

      at += 1.5 + draw (&state);
      set_turn (&keys[k], at, kg_rotation_from_angles (angles), KG_INTERPOLATE_BEZIER);
    }
    channel = make_turn (keys, N);
    for (int k = 1; k + 1 < N; k++) {
      const KgRotation here = turn_at (channel, keys[k].at);
      const KgRotation before = kg_rotation_multiply (kg_rotation_conjugate (turn_at (channel, keys[k].at - h)), here);
      const KgRotation after = kg_rotation_multiply (kg_rotation_conjugate (here), turn_at (channel, keys[k].at + h));

      g_assert_cmpfloat_with_epsilon (before.x / h, after.x / h, 1e-3);
      g_assert_cmpfloat_with_epsilon (before.y / h, after.y / h, 1e-3);
      g_assert_cmpfloat_with_epsilon (before.z / h, after.z / h, 1e-3);
    }
  }
}

/* About one axis it is the curve of the angle: catalogue 30-70, keys at 0, 30, 90 and 120 degrees. */
static void
test_rotation_coaxial (void)
{
  static const double degrees[] = { 0, 30, 90, 120 };
  static const double facts[][2] = { { 1.25, 43.59375 }, { 4.0 / 3, 48.888888888888889 }, { 1.5, 60 } };
  const KgVector axis = { 1, -2, 0.5 };
  g_autoptr (KgChannel) channel = NULL;
  KgKey keys[4];

  for (int k = 0; k < 4; k++)
    set_turn (&keys[k], k, kg_rotation_from_axis_angle (axis, degrees[k] * KG_DEGREE), KG_INTERPOLATE_BEZIER);
  channel = make_turn (keys, 4);
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++)
    g_assert_cmpfloat (
        get_angle (turn_at (channel, facts[i][0]), kg_rotation_from_axis_angle (axis, facts[i][1] * KG_DEGREE)), <,
        1e-12);
}

/* A unit quaternion stays the same bits however often it is normalised; others become unit, of any size. */
static void
test_normalize (void)
{
  uint64_t state = 5;

  for (int i = 0; i < 200000; i++) {
    const double size = exp2 (300 * draw (&state) * (i % 4));
    const KgRotation q = { size * draw (&state), size * draw (&state), size * draw (&state), size * draw (&state) };
    const KgRotation once = kg_rotation_normalize (q), twice = kg_rotation_normalize (once);

    g_assert_cmpmem (&once, sizeof once, &twice, sizeof twice);
    g_assert_cmpfloat_with_epsilon (once.w * once.w + once.x * once.x + once.y * once.y + once.z * once.z, 1, 1e-14);
  }
}

static void
test_bad (void)
{
  KgKey key;
  g_autoptr (GError) error = NULL;

  g_assert_null (kg_channel_new_keys (1, false, NULL, 0, KG_EXTEND_HOLD, KG_EXTEND_HOLD, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  g_clear_error (&error);
  kg_key_init (&key, NAN, 0);
  g_assert_null (kg_channel_new_keys (1, false, &key, 1, KG_EXTEND_HOLD, KG_EXTEND_HOLD, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  g_clear_error (&error);
  kg_key_init (&key, 0, 0);
  key.in.reach = -1;
  g_assert_null (kg_channel_new_keys (1, false, &key, 1, KG_EXTEND_HOLD, KG_EXTEND_HOLD, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
}

/* What is equal has the same names and the same channels, wherever the names came from. */
static void
test_motion_equal (void)
{
  static const char *const names[] = { "lift", "lift", "lift", "turn" };
  static const double values[] = { 1, 1, 2, 1 };
  KgMotion *motions[4];

  for (int i = 0; i < 4; i++) {
    g_autofree char *name = g_strdup (names[i]);

    motions[i] = kg_motion_new_take (
        name, kg_channel_new_samples (1, false, 0, 1, &values[i], 1, KG_EXTEND_HOLD, KG_EXTEND_HOLD, NULL));
  }
  g_assert_true (kg_motion_equal (motions[0], motions[1]));
  g_assert_false (kg_motion_equal (motions[0], motions[2]));
  g_assert_false (kg_motion_equal (motions[0], motions[3]));
  for (int i = 0; i < 4; i++)
    kg_motion_unref (motions[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/channel/linear", test_linear);
  g_test_add_func ("/channel/step", test_step);
  g_test_add_func ("/channel/bezier", test_bezier);
  g_test_add_func ("/channel/auto", test_auto);
  g_test_add_func ("/channel/tcb", test_tcb);
  g_test_add_func ("/channel/tcb/ends", test_tcb_ends);
  g_test_add_func ("/channel/extend", test_extend);
  g_test_add_func ("/channel/rotation", test_rotation);
  g_test_add_func ("/channel/rotation/continuous", test_rotation_continuous);
  g_test_add_func ("/channel/rotation/speed", test_rotation_speed);
  g_test_add_func ("/channel/rotation/coaxial", test_rotation_coaxial);
  g_test_add_func ("/rotation/normalize", test_normalize);
  g_test_add_func ("/channel/bad", test_bad);
  g_test_add_func ("/motion/equal", test_motion_equal);
  return g_test_run ();
}
