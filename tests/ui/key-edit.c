/* tests/ui/key-edit: what the curve editor does to keys, by numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-key-edit.h"

#include <math.h>

static KgChannel *
make (const KgKey *keys, gsize n, guint width)
{
  g_autoptr (GError) error = NULL;
  KgChannel *channel = kg_channel_new_keys (width, false, keys, n, KG_EXTEND_HOLD, KG_EXTEND_HOLD, &error);

  g_assert_no_error (error);
  return channel;
}

/* n keys, 10 frames apart from frame 0, with values that turn now and then. */
static KgChannel *
make_wave (gsize n, KgInterpolation interpolation, KgTangentMode tangents)
{
  g_autofree KgKey *keys = g_new (KgKey, n);

  for (gsize i = 0; i < n; i++) {
    const double x = (double) i;

    kg_key_init (&keys[i], 10 * x, 3 * sin (1.3 * x) + x);
    keys[i].value[1] = cos (2.1 * x);
    keys[i].interpolation = interpolation;
    keys[i].tangents = tangents;
    keys[i].in = (KgHandle){ .reach = 2 + x, .rise = { -1.5, 0.5 * x } };
    keys[i].out = (KgHandle){ .reach = 7, .rise = { 5, -0.25 } };
    keys[i].tension = 0.1 * x;
    keys[i].continuity = -0.2;
    keys[i].bias = 0.3;
  }
  return make (keys, n, 2);
}

static double
key_at (const KgChannel *channel, gsize i)
{
  gsize n;
  const KgKey *keys = kg_channel_get_keys (channel, &n);

  g_assert_cmpuint (i, <, n);
  return keys[i].at;
}

static double
key_value (const KgChannel *channel, gsize i, guint c)
{
  gsize n;
  const KgKey *keys = kg_channel_get_keys (channel, &n);

  g_assert_cmpuint (i, <, n);
  return keys[i].value[c];
}

static gsize
count_keys (const KgChannel *channel)
{
  gsize n;

  kg_channel_get_keys (channel, &n);
  return n;
}

static void
test_move (void)
{
  g_autoptr (KgChannel) channel = make_wave (4, KG_INTERPOLATE_LINEAR, KG_TANGENT_AUTO);
  g_autoptr (GByteArray) marks = kg_key_marks_new (channel, false);
  g_autoptr (KgChannel) moved = NULL, beyond = NULL;

  marks->data[1] = 1; /* the first component of key 1 */
  moved = kg_key_edit_move (channel, marks, 2.4, 0.5, true);
  g_assert_cmpfloat (key_at (moved, 1), ==, 12);
  g_assert_cmpfloat_with_epsilon (key_value (moved, 1, 0), key_value (channel, 1, 0) + 0.5, 1e-12);
  g_assert_cmpfloat (key_value (moved, 1, 1), ==, key_value (channel, 1, 1));
  g_assert_cmpuint (marks->data[1], ==, 1);

  /* Past the next key: the order and the marks follow. */
  beyond = kg_key_edit_move (moved, marks, 13.25, 0, false);
  g_assert_cmpuint (count_keys (beyond), ==, 4);
  g_assert_cmpfloat (key_at (beyond, 1), ==, 20);
  g_assert_cmpfloat (key_at (beyond, 2), ==, 25.25);
  g_assert_cmpuint (marks->data[1], ==, 0);
  g_assert_cmpuint (marks->data[2], ==, 1);
}

/* A key that arrives takes the place of the one that was there; values alone replace nothing. */
static void
test_move_onto (void)
{
  g_autoptr (KgChannel) channel = make_wave (4, KG_INTERPOLATE_LINEAR, KG_TANGENT_AUTO);
  g_autoptr (GByteArray) marks = kg_key_marks_new (channel, false);
  g_autoptr (KgChannel) moved = NULL, placed = NULL;

  marks->data[1] = 3;
  moved = kg_key_edit_move (channel, marks, 10, 0, true);
  g_assert_cmpuint (count_keys (moved), ==, 3);
  g_assert_cmpfloat (key_at (moved, 1), ==, 20);
  g_assert_cmpfloat (key_value (moved, 1, 0), ==, key_value (channel, 1, 0));
  g_assert_cmpuint (marks->len, ==, 3);
  g_assert_cmpuint (marks->data[1], ==, 3);
  placed = kg_key_edit_place (moved, marks, 1, 0.1);
  g_assert_cmpfloat (key_at (placed, 1), ==, 0.1);
}

/* Steps (two keys at one place) survive when they move as a whole, and when only one of them changes its value. */
static void
test_move_step (void)
{
  KgKey keys[4];
  g_autoptr (KgChannel) channel = NULL, moved = NULL, raised = NULL;
  g_autoptr (GByteArray) marks = NULL, one = NULL;

  kg_key_init (&keys[0], 0, 0);
  kg_key_init (&keys[1], 5, 1);
  kg_key_init (&keys[2], 5, 7);
  kg_key_init (&keys[3], 8, 2);
  channel = make (keys, 4, 1);
  marks = kg_key_marks_new (channel, false);
  marks->data[1] = marks->data[2] = 1;
  moved = kg_key_edit_move (channel, marks, 3, 0, true);
  g_assert_cmpuint (count_keys (moved), ==, 3);
  g_assert_cmpfloat (key_value (moved, 1, 0), ==, 1);
  g_assert_cmpfloat (key_value (moved, 2, 0), ==, 7);
  one = kg_key_marks_new (channel, false);
  one->data[1] = 1;
  raised = kg_key_edit_move (channel, one, 0, 1, true);
  g_assert_cmpuint (count_keys (raised), ==, 4);
  g_assert_cmpfloat (key_value (raised, 1, 0), ==, 2);
}

static void
test_scale (void)
{
  g_autoptr (KgChannel) channel = make_wave (4, KG_INTERPOLATE_BEZIER, KG_TANGENT_FREE);
  g_autoptr (GByteArray) marks = kg_key_marks_new (channel, true);
  const KgKeyScale scale = { .time_pivot = 10, .time_factor = 2, .value_pivot = 0, .value_factor = -3 };
  g_autoptr (KgChannel) scaled = kg_key_edit_scale (channel, marks, &scale, true);

  /* The whole curve is the old one seen through the scale, handles included. */
  for (int i = 0; i <= 60; i++) {
    double a[2], b[2];

    kg_channel_evaluate (channel, 0.5 * i, a);
    kg_channel_evaluate (scaled, 10 + (0.5 * i - 10) * 2, b);
    g_assert_cmpfloat_with_epsilon (b[0], -3 * a[0], 1e-12);
    g_assert_cmpfloat_with_epsilon (b[1], -3 * a[1], 1e-12);
  }
}

/* A negative factor of the time plays the keys backwards, whatever leads from key to key. */
static void
test_scale_backwards (void)
{
  for (int interpolation = KG_INTERPOLATE_LINEAR; interpolation < KG_N_INTERPOLATIONS; interpolation++) {
    g_autoptr (KgChannel) channel = make_wave (5, (KgInterpolation) interpolation, KG_TANGENT_FREE);
    g_autoptr (GByteArray) marks = kg_key_marks_new (channel, true);
    const KgKeyScale scale = { .time_pivot = 0, .time_factor = -1, .value_factor = 1 };
    g_autoptr (KgChannel) scaled = kg_key_edit_scale (channel, marks, &scale, true);

    for (int i = 0; i <= 80; i++) {
      double a[2], b[2];

      kg_channel_evaluate (channel, 0.5 * i, a);
      kg_channel_evaluate (scaled, -0.5 * i, b);
      g_assert_cmpfloat_with_epsilon (b[0], a[0], 1e-12);
      g_assert_cmpfloat_with_epsilon (b[1], a[1], 1e-12);
    }
  }
}

/* Many keys drawn together to one place are one key: the last. */
static void
test_scale_to_nothing (void)
{
  g_autoptr (KgChannel) channel = make_wave (4, KG_INTERPOLATE_LINEAR, KG_TANGENT_AUTO);
  g_autoptr (GByteArray) marks = kg_key_marks_new (channel, true);
  const KgKeyScale scale = { .time_pivot = 12, .time_factor = 0, .value_factor = 1 };
  g_autoptr (KgChannel) scaled = kg_key_edit_scale (channel, marks, &scale, true);

  g_assert_cmpuint (count_keys (scaled), ==, 1);
  g_assert_cmpfloat (key_at (scaled, 0), ==, 12);
  g_assert_cmpfloat (key_value (scaled, 0, 0), ==, key_value (channel, 3, 0));
  g_assert_cmpuint (marks->len, ==, 1);
}

/* The curve is the same before and after, in every span, for every way to lead on and all tangents. */
static void
test_insert (void)
{
  for (int interpolation = 0; interpolation < KG_N_INTERPOLATIONS; interpolation++)
    for (int tangents = 0; tangents < KG_N_TANGENT_MODES; tangents++) {
      g_autoptr (KgChannel) channel = make_wave (6, (KgInterpolation) interpolation, (KgTangentMode) tangents);

      for (double at = 0.7; at < 50; at += 4.9) {
        g_autoptr (GByteArray) marks = kg_key_marks_new (channel, true);
        g_autoptr (KgChannel) inserted = kg_key_edit_insert (channel, marks, at);
        g_autoptr (KgChannel) twice = NULL;

        g_assert_cmpuint (count_keys (inserted), ==, 7);
        g_assert_cmpuint (marks->len, ==, 7);
        g_assert_cmpuint (kg_key_marks_count (marks), ==, 1);
        g_assert_cmpfloat (kg_key_edit_distance (channel, inserted, 40), <, 1e-11);
        twice = kg_key_edit_insert (inserted, marks, at + 1.3);
        g_assert_cmpfloat (kg_key_edit_distance (channel, twice, 40), <, 1e-11);
      }
    }
}

/* Spans of different kinds side by side: a key in a straight one leaves the round one beside it as it is. */
static void
test_insert_mixed (void)
{
  g_autoptr (KgChannel) plain = make_wave (7, KG_INTERPOLATE_BEZIER, KG_TANGENT_AUTO);
  gsize n;
  const KgKey *original = kg_channel_get_keys (plain, &n);

  for (guint pattern = 0; pattern < 256; pattern++) {
    KgKey keys[7];
    g_autoptr (KgChannel) channel = NULL;

    for (gsize i = 0; i < n; i++) {
      keys[i] = original[i];
      keys[i].interpolation = i < 4 ? (KgInterpolation) (pattern >> 2 * i & 3) : KG_INTERPOLATE_TCB;
      keys[i].tangents = (KgTangentMode) ((i + pattern) % 3);
    }
    channel = make (keys, n, 2);
    for (double at = -4.5; at < 70; at += 5.3) {
      g_autoptr (GByteArray) marks = kg_key_marks_new (channel, false);
      g_autoptr (KgChannel) inserted = kg_key_edit_insert (channel, marks, at);

      g_assert_cmpfloat (kg_key_edit_distance (channel, inserted, 12), <, 1e-11);
    }
  }
}

static void
test_insert_at_key (void)
{
  g_autoptr (KgChannel) channel = make_wave (3, KG_INTERPOLATE_BEZIER, KG_TANGENT_AUTO);
  g_autoptr (GByteArray) marks = kg_key_marks_new (channel, false);
  g_autoptr (KgChannel) same = kg_key_edit_insert (channel, marks, 10);

  g_assert_true (same == channel);
  g_assert_cmpuint (marks->data[0], ==, 0);
  g_assert_cmpuint (marks->data[1], ==, 3);
}

static void
test_delete (void)
{
  g_autoptr (KgChannel) channel = make_wave (3, KG_INTERPOLATE_BEZIER, KG_TANGENT_AUTO);
  g_autoptr (GByteArray) marks = kg_key_marks_new (channel, false), all = kg_key_marks_new (channel, true);
  g_autoptr (KgChannel) deleted = NULL;

  marks->data[1] = 2;
  deleted = kg_key_edit_delete (channel, marks);
  g_assert_cmpuint (count_keys (deleted), ==, 2);
  g_assert_cmpfloat (key_at (deleted, 1), ==, 20);
  g_assert_cmpuint (marks->len, ==, 2);
  g_assert_cmpuint (kg_key_marks_count (marks), ==, 0);
  g_assert_null (kg_key_edit_delete (channel, all));
}

static void
test_tangents (void)
{
  g_autoptr (KgChannel) channel = make_wave (4, KG_INTERPOLATE_LINEAR, KG_TANGENT_AUTO);
  g_autoptr (GByteArray) marks = kg_key_marks_new (channel, true);
  g_autoptr (KgChannel) unchanged = kg_key_edit_set_tangents (channel, marks, KG_KEY_TANGENTS_FREE);
  g_autoptr (KgChannel) flat = kg_key_edit_set_tangents (unchanged, marks, KG_KEY_TANGENTS_FLAT);
  g_autoptr (KgChannel) aligned = kg_key_edit_set_tangents (unchanged, marks, KG_KEY_TANGENTS_ALIGNED);
  double in[KG_CHANNEL_MAX_WIDTH], out[KG_CHANNEL_MAX_WIDTH], before[KG_CHANNEL_MAX_WIDTH], after[KG_CHANNEL_MAX_WIDTH];

  /* Free tangents start where the curve is: straight lines stay straight, now as Bezier spans. */
  g_assert_cmpfloat (kg_key_edit_distance (channel, unchanged, 20), <, 1e-12);
  for (gsize i = 0; i < 4; i++) {
    kg_channel_get_slopes (flat, i, in, out);
    g_assert_cmpfloat_with_epsilon (in[0], 0, 1e-15);
    g_assert_cmpfloat_with_epsilon (out[1], 0, 1e-15);
  }
  /* Aligned: the mean of both sides. */
  kg_channel_get_slopes (channel, 1, before, after);
  kg_channel_get_slopes (aligned, 1, in, out);
  for (guint c = 0; c < 2; c++) {
    g_assert_cmpfloat_with_epsilon (in[c], 0.5 * (before[c] + after[c]), 1e-12);
    g_assert_cmpfloat_with_epsilon (out[c], in[c], 1e-12);
  }
  /* The first key has one side. */
  kg_channel_get_slopes (channel, 0, before, after);
  kg_channel_get_slopes (aligned, 0, in, out);
  g_assert_cmpfloat_with_epsilon (out[0], after[0], 1e-12);
}

static void
test_handles (void)
{
  g_autoptr (KgChannel) channel = make_wave (4, KG_INTERPOLATE_BEZIER, KG_TANGENT_AUTO);
  g_autoptr (KgChannel) linear = make_wave (4, KG_INTERPOLATE_LINEAR, KG_TANGENT_FREE);
  g_autoptr (KgChannel) dragged = NULL, freed = NULL, broken = NULL;
  g_autoptr (GByteArray) marks = kg_key_marks_new (channel, true);
  double reach, rise, other_reach, other_rise, in[KG_CHANNEL_MAX_WIDTH], out[KG_CHANNEL_MAX_WIDTH];

  g_assert_false (kg_key_edit_get_handle (channel, 0, 0, KG_KEY_IN, &reach, &rise));
  g_assert_false (kg_key_edit_get_handle (channel, 3, 0, KG_KEY_OUT, &reach, &rise));
  g_assert_false (kg_key_edit_get_handle (linear, 1, 0, KG_KEY_OUT, &reach, &rise));
  g_assert_true (kg_key_edit_get_handle (channel, 1, 0, KG_KEY_OUT, &reach, &rise));
  g_assert_cmpfloat_with_epsilon (reach, 10 / 3.0, 1e-12);

  kg_channel_get_slopes (channel, 1, in, out);
  dragged = kg_key_edit_set_handle (channel, 1, 0, KG_KEY_OUT, 4, 6);
  g_assert_true (kg_key_edit_get_handle (dragged, 1, 0, KG_KEY_OUT, &reach, &rise));
  g_assert_cmpfloat_with_epsilon (reach, 4, 1e-12);
  g_assert_cmpfloat_with_epsilon (rise, 6, 1e-12);
  /* The other side turned along; the other component kept its slope. */
  g_assert_true (kg_key_edit_get_handle (dragged, 1, 0, KG_KEY_IN, &other_reach, &other_rise));
  g_assert_cmpfloat_with_epsilon (-other_rise / other_reach, 1.5, 1e-12);
  g_assert_true (kg_key_edit_get_handle (dragged, 1, 1, KG_KEY_OUT, &reach, &rise));
  g_assert_cmpfloat_with_epsilon (rise / reach, out[1], 1e-12);

  freed = kg_key_edit_set_tangents (dragged, marks, KG_KEY_TANGENTS_FREE);
  broken = kg_key_edit_set_handle (freed, 1, 0, KG_KEY_IN, 2, 1);
  g_assert_true (kg_key_edit_get_handle (broken, 1, 0, KG_KEY_OUT, &reach, &rise));
  g_assert_cmpfloat_with_epsilon (rise / reach, 1.5, 1e-12);
  g_assert_true (kg_key_edit_get_handle (broken, 1, 0, KG_KEY_IN, &reach, &rise));
  g_assert_cmpfloat_with_epsilon (rise / reach, 0.5, 1e-12);
}

static void
test_settings (void)
{
  g_autoptr (KgChannel) channel = make_wave (3, KG_INTERPOLATE_LINEAR, KG_TANGENT_AUTO);
  g_autoptr (GByteArray) marks = kg_key_marks_new (channel, false);
  g_autoptr (KgChannel) constant = NULL, tcb = NULL, extended = NULL, valued = NULL;
  gsize n;
  const KgKey *keys;
  KgExtend before, after;

  marks->data[0] = 1;
  constant = kg_key_edit_set_interpolation (channel, marks, KG_INTERPOLATE_CONSTANT);
  keys = kg_channel_get_keys (constant, &n);
  g_assert_cmpint (keys[0].interpolation, ==, KG_INTERPOLATE_CONSTANT);
  g_assert_cmpint (keys[1].interpolation, ==, KG_INTERPOLATE_LINEAR);
  tcb = kg_key_edit_set_tcb (channel, marks, 0.5, NAN, -1);
  keys = kg_channel_get_keys (tcb, &n);
  g_assert_cmpfloat (keys[0].tension, ==, 0.5);
  g_assert_cmpfloat (keys[0].continuity, ==, -0.2);
  g_assert_cmpfloat (keys[0].bias, ==, -1);
  extended = kg_key_edit_set_extend (channel, KG_EXTEND_MIRROR, KG_EXTEND_CYCLE);
  kg_channel_get_extend (extended, &before, &after);
  g_assert_cmpint (before, ==, KG_EXTEND_MIRROR);
  g_assert_cmpint (after, ==, KG_EXTEND_CYCLE);
  valued = kg_key_edit_set_value (channel, marks, 42);
  g_assert_cmpfloat (key_value (valued, 0, 0), ==, 42);
  g_assert_cmpfloat (key_value (valued, 0, 1), ==, key_value (channel, 0, 1));
}

/* What subdividing added, reducing finds and takes away again, with the old handles. */
static void
test_reduce_inserted (void)
{
  g_autoptr (KgChannel) channel = make_wave (5, KG_INTERPOLATE_BEZIER, KG_TANGENT_FREE);
  g_autoptr (KgChannel) many = kg_channel_ref (channel);
  g_autoptr (KgChannel) reduced = NULL;
  g_autoptr (GByteArray) marks = kg_key_marks_new (channel, false), all = NULL;
  gsize n, m;
  const KgKey *a, *b;

  for (double at = 1.7; at < 40; at += 3.3) {
    KgChannel *more = kg_key_edit_insert (many, marks, at);

    kg_channel_unref (many);
    many = more;
  }
  g_assert_cmpuint (count_keys (many), ==, 5 + 12);
  all = kg_key_marks_new (many, true);
  reduced = kg_key_edit_reduce (many, all, 1e-9);
  a = kg_channel_get_keys (channel, &n);
  b = kg_channel_get_keys (reduced, &m);
  g_assert_cmpuint (n, ==, m);
  g_assert_cmpuint (all->len, ==, m);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat (a[i].at, ==, b[i].at);
  g_assert_cmpfloat (kg_key_edit_distance (channel, reduced, 40), <, 1e-9);
}

/* One key for each frame of a smooth motion: far fewer do, and the error is the one promised. */
static void
test_reduce_baked (void)
{
  const double tolerances[] = { 0.5, 0.05, 0.005 };
  KgKey keys[400];
  g_autoptr (KgChannel) channel = NULL;
  gsize previous = 0;

  for (int i = 0; i < 400; i++) {
    kg_key_init (&keys[i], i, 10 * sin (0.05 * i) + 3 * sin (0.21 * i));
    keys[i].interpolation = KG_INTERPOLATE_BEZIER;
  }
  channel = make (keys, 400, 1);
  for (guint t = 0; t < G_N_ELEMENTS (tolerances); t++) {
    g_autoptr (GByteArray) marks = kg_key_marks_new (channel, true);
    g_autoptr (KgChannel) reduced = kg_key_edit_reduce (channel, marks, tolerances[t]);

    g_assert_cmpuint (count_keys (reduced), >, previous);
    g_test_message ("%g: %" G_GSIZE_FORMAT " keys", tolerances[t], count_keys (reduced));
    g_assert_cmpuint (count_keys (reduced), <, 200);
    g_assert_cmpfloat (kg_key_edit_distance (channel, reduced, 20), <=, tolerances[t] * 1.02);
    previous = count_keys (reduced);
  }
}

/* Ten thousand keys of three components, in less time than it takes to look away. */
static void
test_reduce_many (void)
{
  const gsize n = 10000;
  g_autofree KgKey *keys = g_new (KgKey, n);
  g_autoptr (KgChannel) channel = NULL, reduced = NULL;
  g_autoptr (GByteArray) marks = NULL;
  const gint64 start = g_get_monotonic_time ();

  for (gsize i = 0; i < n; i++) {
    kg_key_init (&keys[i], (double) i, 5 * sin (0.01 * (double) i));
    keys[i].value[1] = cos (0.013 * (double) i);
    keys[i].value[2] = 0.001 * (double) i;
    keys[i].interpolation = KG_INTERPOLATE_BEZIER;
  }
  channel = make (keys, n, 3);
  marks = kg_key_marks_new (channel, true);
  reduced = kg_key_edit_reduce (channel, marks, 0.01);
  g_test_message ("%" G_GSIZE_FORMAT " keys left, %.0f ms", count_keys (reduced),
                  (double) (g_get_monotonic_time () - start) / 1000);
  g_assert_cmpuint (count_keys (reduced), <, 500);
  g_assert_cmpfloat (kg_key_edit_distance (channel, reduced, 5), <=, 0.0101);
}

/* Only what is selected goes; ends and steps never do. */
static void
test_reduce_selected (void)
{
  KgKey keys[6];
  g_autoptr (KgChannel) channel = NULL, reduced = NULL, kept = NULL;
  g_autoptr (GByteArray) all = NULL, none = NULL;

  for (int i = 0; i < 6; i++)
    kg_key_init (&keys[i], i == 3 ? 2 : i, 1);
  channel = make (keys, 6, 1);
  none = kg_key_marks_new (channel, false);
  kept = kg_key_edit_reduce (channel, none, 10);
  g_assert_cmpuint (count_keys (kept), ==, 6);
  all = kg_key_marks_new (channel, true);
  reduced = kg_key_edit_reduce (channel, all, 10);
  g_assert_cmpuint (count_keys (reduced), ==, 4);
  g_assert_cmpfloat (key_at (reduced, 1), ==, 2);
  g_assert_cmpfloat (key_at (reduced, 2), ==, 2);
}

/* Rotations: times move, values stay unit; a key in a straight span changes nothing. */
static void
test_rotation (void)
{
  KgKey keys[3];
  g_autoptr (KgChannel) channel = NULL, moved = NULL, inserted = NULL;
  g_autoptr (GByteArray) marks = NULL;

  for (int i = 0; i < 3; i++) {
    kg_key_init (&keys[i], 10 * i, cos (0.4 * i));
    keys[i].value[1] = sin (0.4 * i);
  }
  channel = kg_channel_new_keys (4, true, keys, 3, KG_EXTEND_HOLD, KG_EXTEND_HOLD, NULL);
  marks = kg_key_marks_new (channel, true);
  moved = kg_key_edit_move (channel, marks, 5, 3, true);
  g_assert_cmpfloat (key_at (moved, 0), ==, 5);
  g_assert_cmpfloat (key_value (moved, 1, 0), ==, key_value (channel, 1, 0));
  inserted = kg_key_edit_insert (channel, marks, 4);
  g_assert_cmpuint (count_keys (inserted), ==, 4);
  g_assert_cmpfloat (kg_key_edit_distance (channel, inserted, 20), <, 1e-12);
}

/* Numbers that would not be finite leave the channel as it is. */
static void
test_hostile (void)
{
  g_autoptr (KgChannel) channel = make_wave (3, KG_INTERPOLATE_BEZIER, KG_TANGENT_FREE);
  g_autoptr (GByteArray) marks = kg_key_marks_new (channel, true);
  g_autoptr (KgChannel) moved = kg_key_edit_move (channel, marks, INFINITY, 0, false);
  g_autoptr (KgChannel) raised = kg_key_edit_set_value (channel, marks, NAN);

  g_assert_true (moved == channel);
  g_assert_true (raised == channel);
  g_assert_cmpuint (marks->len, ==, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/key-edit/move", test_move);
  g_test_add_func ("/key-edit/move-onto", test_move_onto);
  g_test_add_func ("/key-edit/move-step", test_move_step);
  g_test_add_func ("/key-edit/scale", test_scale);
  g_test_add_func ("/key-edit/scale-backwards", test_scale_backwards);
  g_test_add_func ("/key-edit/scale-to-nothing", test_scale_to_nothing);
  g_test_add_func ("/key-edit/insert", test_insert);
  g_test_add_func ("/key-edit/insert-mixed", test_insert_mixed);
  g_test_add_func ("/key-edit/insert-at-key", test_insert_at_key);
  g_test_add_func ("/key-edit/delete", test_delete);
  g_test_add_func ("/key-edit/tangents", test_tangents);
  g_test_add_func ("/key-edit/handles", test_handles);
  g_test_add_func ("/key-edit/settings", test_settings);
  g_test_add_func ("/key-edit/reduce-inserted", test_reduce_inserted);
  g_test_add_func ("/key-edit/reduce-baked", test_reduce_baked);
  g_test_add_func ("/key-edit/reduce-many", test_reduce_many);
  g_test_add_func ("/key-edit/reduce-selected", test_reduce_selected);
  g_test_add_func ("/key-edit/rotation", test_rotation);
  g_test_add_func ("/key-edit/hostile", test_hostile);
  return g_test_run ();
}
