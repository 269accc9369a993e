/* tests/nodes/edit: shots, timelines, transitions, edit decision lists, paint and three exposures: catalogue P1-36 to P1-61.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "edit/clips.h"
#include "image/blur.h"
#include "kg-random.h"
#include "node-test.h"

/* The value of a channel at the centre of an image. */
static double
get_center (NodeTest *test, const char *target, double time, int channel)
{
  g_auto (KgValue) value = node_test_get (test, target, time);
  const int width = kg_image_get_width (value.image), height = kg_image_get_height (value.image);

  return (double) kg_image_get_pixels (value.image)[4 * (height / 2 * width + width / 2) + channel];
}

/* The time of a frame: graphs begin with frame 1 and have 24 in a second. */
static double
at_frame (double frame)
{
  return (frame - 1) / 24;
}

/* Two sources whose red is the number of their frame, with 100 and 200 in green. */
static NodeTest
make_timeline (const char *clips)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "a", "width", "4", "height", "4", "color", "{\"expr\": \"frame, 100, 0, 1\"}",
                 NULL);
  node_test_add (&test, "image/constant", "b", "width", "4", "height", "4", "color", "{\"expr\": \"frame, 200, 0, 1\"}",
                 NULL);
  node_test_add (&test, "edit/timeline", "t", "images", "[{\"link\": \"a.image\"}, {\"link\": \"b.image\"}]", "clips",
                 clips, NULL);
  return test;
}

static void
check_shown (NodeTest *test, double frame, double red, double green)
{
  assert_near (get_center (test, "t.image", at_frame (frame), 0), red, 1e-5 * (1 + fabs (red)));
  assert_near (get_center (test, "t.image", at_frame (frame), 1), green, 1e-5 * (1 + fabs (green)));
}

/* 20-003: shots one after the other make a movie of as many frames as they have together. */
static void
test_sum_of_shots (void)
{
  static const int lengths[] = { 24, 7, 1, 96, 13 };
  g_autoptr (GString) clips = g_string_new ("[");
  NodeTest test;
  int total = 0;

  for (size_t i = 0; i < G_N_ELEMENTS (lengths); i++) {
    g_string_append_printf (clips, "%s[%zu, 1, %d, %d, 0, 1, 1, 1, 0]", i > 0 ? ", " : "", i % 2 + 1, lengths[i] + 1,
                            total + 1);
    total += lengths[i];
  }
  g_string_append_c (clips, ']');
  test = make_timeline (clips->str);
  g_assert_cmpfloat (node_test_number (&test, "t.end", 0), ==, total);
  for (int frame = 1, shot = 0, first = 1; frame <= total; frame++) {
    if (frame == first + lengths[shot])
      first += lengths[shot++];
    check_shown (&test, frame, frame - first + 1, shot % 2 == 0 ? 100 : 200);
  }
  check_shown (&test, total + 1, 0, 0);
  node_test_clear (&test);
}

/* source frame = in + ((f - at) speed mod length), and nothing where there is no clip. */
static void
test_clips (void)
{
  NodeTest test = make_timeline ("[[1, 5, 9, 1, 0, 1, 1, 1, 0], [2, 10, 13, 7, 0, 1, 1, 2.5, 0],"
                                 " [1, 1, 11, 15, 0, 1, 2, 1, 0], [2, 1, 6, 20, 0, 1, -1, 1, 0],"
                                 " [1, 7, 9, 25, 0, 1, 0, 1, 0]]");
  static const double shown[][3] = {
    { 1, 5, 100 },   { 4, 8, 100 },   { 5, 0, 0 },    { 6, 0, 0 },    { 7, 10, 200 }, { 9, 12, 200 },
    { 10, 10, 200 }, { 14, 11, 200 }, { 15, 1, 100 }, { 16, 3, 100 }, { 19, 9, 100 }, { 20, 5, 200 },
    { 24, 1, 200 },  { 25, 7, 100 },  { 26, 7, 100 }, { 27, 0, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (shown); i++)
    check_shown (&test, shown[i][0], shown[i][1], shown[i][2]);
  assert_near (get_center (&test, "t.image", at_frame (5), 3), 0, 0);
  assert_near (node_test_number (&test, "t.end", 0), 26, 1e-9);
  node_test_clear (&test);
}

/* An animatic: clips without a place follow each other; the length is the sum, and frame f shows the panel whose sum exceeds
 * it.  (P1-53: so does assembling.) */
static void
test_animatic (void)
{
  static const int lengths[] = { 3, 7, 1, 12, 5 };
  NodeTest test = make_timeline ("[[1, 1, 4], [2, 1, 8], [1, 1, 2], [2, 1, 13], [1, 1, 6]]");
  int frame = 1;

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (int k = 1; k <= lengths[i]; k++, frame++)
      check_shown (&test, frame, k, i % 2 == 0 ? 100 : 200);
  assert_near (node_test_number (&test, "t.end", 0), frame - 1, 1e-9);
  check_shown (&test, frame, 0, 0);
  node_test_clear (&test);
}

/* Where clips overlap, w = (f - f0 + 1/2) / d. */
static void
test_overlap (void)
{
  NodeTest test = make_timeline ("\"1 1 11; 2 1 11 - 4\"");

  check_shown (&test, 6, 6, 100);
  for (int k = 0; k < 4; k++) {
    const double w = (k + 0.5) / 4;

    check_shown (&test, 7 + k, (1 - w) * (7 + k) + w * (1 + k), 100 + 100 * w);
  }
  check_shown (&test, 11, 5, 200);
  assert_near (node_test_number (&test, "t.end", 0), 16, 1e-9);
  /* Faded through black at the middle of an odd number of frames: nothing is left. */
  node_test_set (&test, "t", "clips", "\"1 1 11; 2 1 11 - 3 1 1 1 6\"");
  check_shown (&test, 9, 0, 0);
  check_shown (&test, 8, 8 * (1 - 2 * 0.5 / 3), 100 * (1 - 2 * 0.5 / 3));
  assert_near (get_center (&test, "t.image", at_frame (9), 3), 1, 1e-6);
  /* A cut: the later clip is seen; a higher track covers a lower one. */
  node_test_set (&test, "t", "clips", "\"1 1 11; 2 1 11 - 3 1 1 1 0\"");
  check_shown (&test, 8, 1, 200);
  node_test_set (&test, "t", "clips", "[[1, 1, 11, 1, 0, 2], [2, 1, 31, 1, 0, 1]]");
  check_shown (&test, 8, 8, 100);
  check_shown (&test, 11, 11, 200);
  node_test_clear (&test);
}

/* Sources that are not seen are not evaluated: this one fails. */
static void
test_lazy (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "c", "width", "4", "height", "4", NULL);
  node_test_add (&test, "image/lut", "lost", "image", "{\"link\": \"c.image\"}", NULL);
  node_test_add (&test, "image/constant", "a", "width", "4", "height", "4", "color", "[7, 7, 7, 1]", NULL);
  node_test_add (&test, "edit/timeline", "t", "images", "[{\"link\": \"lost.result\"}, {\"link\": \"a.image\"}]",
                 "clips", "[[2, 1, 11], [1, 1, 11]]", NULL);
  assert_near (get_center (&test, "t.image", 0, 0), 7, 0);
  node_test_set (&test, "t", "clips", "[[1, 1, 11], [2, 1, 11]]");
  node_test_fails_saying (&test, "t.image", 0, "path is empty");
  node_test_clear (&test);
}

static void
test_bad_clips (void)
{
  NodeTest test = make_timeline ("\"1 5 5; 2 1 11; 1 1 11 30 0 1 1 -1\"");

  node_test_warns (&test, "t.image", "2 of the clips (the first in row 1) show nothing");
  check_shown (&test, 1, 1, 200);
  node_test_set (&test, "t", "clips", "[[1.5, 5, 9]]");
  node_test_fails_saying (&test, "t.image", 0, "row 1: source is 1.5: give a whole number");
  node_test_set (&test, "t", "clips", "\"1 1 9; 1 5 9 1 0 1 1 1 8\"");
  node_test_fails_saying (&test, "t.image", 0, "row 2: transition is 8");
  node_test_set (&test, "t", "clips", "[[1, 1, 1e12]]");
  node_test_fails_saying (&test, "t.image", 0, "row 1: out is 1e+12");
  /* P1-54: the slate of a source that is missing is no black, and its name is told. */
  node_test_set (&test, "t", "clips", "[[5, 1, 9]]");
  node_test_set (&test, "t", "names", "\"A\\n\\nB\\nC\\nD\\n  REEL_5 01:00:00:00\"");
  node_test_warns (&test, "t.image", "source 5 (REEL_5) is missing");
  assert_near (get_center (&test, "t.image", 0, 3), 1, 0);
  /* Black is a source, and opaque. */
  node_test_set (&test, "t", "clips", "\"0 1 9\"");
  assert_near (get_center (&test, "t.image", 0, 3), 1, 0);
  assert_near (get_center (&test, "t.image", 0, 1), 0, 0);
  /* No clips, no images. */
  node_test_set (&test, "t", "clips", "[]");
  assert_near (get_center (&test, "t.image", 0, 3), 0, 0);
  node_test_set (&test, "t", "images", "[]");
  node_test_set (&test, "t", "clips", "[[1, 1, 9]]");
  node_test_warns (&test, "t.image", "source 1 (A) is missing");
  node_test_clear (&test);
}

static NodeTest
make_transition (const char *kind, int width, int height)
{
  NodeTest test = node_test_new ();
  g_autofree char *w = g_strdup_printf ("%d", width), *h = g_strdup_printf ("%d", height);

  node_test_add (&test, "image/constant", "black", "width", w, "height", h, "color", "[0, 0, 0, 1]", NULL);
  node_test_add (&test, "image/constant", "white", "width", w, "height", h, "color", "[1, 1, 1, 1]", NULL);
  node_test_add (&test, "edit/transition", "x", "first", "{\"link\": \"black.image\"}", "second",
                 "{\"link\": \"white.image\"}", "kind", kind, "progress", "0.5", NULL);
  return test;
}

static double
sum_red (NodeTest *test, const char *target)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);
  const int n = kg_image_get_width (value.image) * kg_image_get_height (value.image);
  double sum = 0;

  for (int i = 0; i < n; i++)
    sum += (double) kg_image_get_pixels (value.image)[4 * i];
  return sum;
}

/* A dissolve of black and white at 1/2 is 0.5; a wipe at w covers round (w W) columns, from its side. */
static void
test_transition (void)
{
  static const char *const wipes[] = { "\"wipe_left\"", "\"wipe_right\"", "\"wipe_top\"", "\"wipe_bottom\"" };
  NodeTest test = make_transition ("\"dissolve\"", 37, 23);

  assert_near (get_center (&test, "x.image", 0, 0), 0.5, 0);
  node_test_set (&test, "x", "progress", "0.25");
  assert_near (get_center (&test, "x.image", 0, 0), 0.25, 1e-7);
  node_test_set (&test, "x", "kind", "\"cut\"");
  assert_near (sum_red (&test, "x.image"), 0, 0);
  node_test_set (&test, "x", "progress", "0.5");
  assert_near (sum_red (&test, "x.image"), 37 * 23, 0);
  for (guint k = 0; k < G_N_ELEMENTS (wipes); k++) {
    const int size = k < 2 ? 37 : 23, other = k < 2 ? 23 : 37;

    node_test_set (&test, "x", "kind", wipes[k]);
    for (int i = 0; i <= 20; i++) {
      /* (Not at halves, which round either way.) */
      const double w = kg_clamp (i / 20.0 + 1e-4, 0, 1);
      g_auto (KgValue) value = KG_VALUE_INIT;
      const float *p;

      node_test_set_number (&test, "x", "progress", w);
      assert_near (sum_red (&test, "x.image"), round (w * size) * other, 0);
      value = node_test_get (&test, "x.image", 0);
      p = kg_image_get_pixels (value.image);
      if (i > 0 && i < 20)
        assert_near ((double) p[4 * (k == 0 ? 0 : k == 1 ? 36 : k == 2 ? 18 : 22 * 37 + 18)], 1, 0);
    }
  }
  node_test_clear (&test);
}

/* The iris covers a disc of radius w · half the diagonal; a soft edge keeps its mean place and is whole at both ends. */
static void
test_iris (void)
{
  NodeTest test = make_transition ("\"iris\"", 300, 200);
  const double radius = 0.25 * hypot (300, 200);

  assert_near (sum_red (&test, "x.image"), G_PI * radius * radius, 0.01 * G_PI * radius * radius);
  node_test_set (&test, "x", "progress", "1");
  assert_near (sum_red (&test, "x.image"), 60000, 0);
  node_test_set (&test, "x", "kind", "\"wipe_left\"");
  node_test_set (&test, "x", "softness", "0.5");
  assert_near (sum_red (&test, "x.image"), 60000, 0);
  node_test_set (&test, "x", "progress", "0.5");
  assert_near (sum_red (&test, "x.image"), 30000, 1);
  node_test_set (&test, "x", "progress", "0");
  assert_near (sum_red (&test, "x.image"), 0, 0);
  node_test_clear (&test);
}

/* Frame by frame, an overwritten movie is the old one outside the new clip and the new one inside: whatever clips there were.
 * Nothing else moves and the length stays. */
static void
test_insert (void)
{
  for (guint trial = 0; trial < 200; trial++) {
    g_autoptr (GArray) clips = g_array_new (FALSE, FALSE, sizeof (Clip));
    g_autofree Clip *before = NULL;
    ClipShown old[16], now[64];
    double at = 1, end;
    Clip clip;
    guint n;

    for (guint i = 0; i < 6; i++) {
      const uint64_t key = 100 * trial + 10 * i;
      const double speeds[] = { 1, 2, -1, 0, 1, 0.5 };

      clip = (Clip){ .source = i + 1,
                     .in = 1 + floor (20 * kg_random_uniform (1, 0, key)),
                     .at = at,
                     .track = 1,
                     .speed = speeds[i],
                     .transition = TRANSITION_CUT,
                     .repeat = i % 3 == 0 ? 1 + floor (3 * kg_random_uniform (2, 0, key)) : 1 };
      clip.out = clip.in + 2 + 2 * floor (4 * kg_random_uniform (3, 0, key));
      at = clip_get_end (&clip);
      g_array_append_val (clips, clip);
    }
    n = clips->len;
    before = (Clip *) g_memdup2 (clips->data, n * sizeof (Clip));
    end = clips_get_end (before, n, 1);
    clip = (Clip){ .source = 9,
                   .in = 1,
                   .out = 4,
                   .at = 1 + floor ((end - 4) * kg_random_uniform (4, 0, trial)),
                   .track = 1,
                   .speed = 1,
                   .repeat = 1,
                   .transition = TRANSITION_CUT };
    g_assert_true (clips_insert (clips, &clip, CLIPS_OVERWRITE, 0, 1, NULL));
    assert_near (clips_get_end ((Clip *) (void *) clips->data, clips->len, 1), end, 1e-9);
    for (double f = 1; f < end; f++) {
      const Clip *all = (const Clip *) (void *) clips->data;

      g_assert_cmpuint (clips_find (all, clips->len, f, now), ==, 1);
      g_assert_cmpuint (clips_find (before, n, f, old), ==, 1);
      if (f >= clip.at && f < clip.at + 3) {
        g_assert_cmpuint (all[now[0].clip].source, ==, 9);
        assert_near (now[0].frame, 1 + f - clip.at, 1e-9);
      } else {
        g_assert_cmpuint (all[now[0].clip].source, ==, before[old[0].clip].source);
        assert_near (now[0].frame, old[0].frame, 1e-9);
      }
    }
    /* A ripple moves what follows by three frames, and takes nothing away. */
    g_array_set_size (clips, 0);
    g_array_append_vals (clips, before, n);
    g_assert_true (clips_insert (clips, &clip, CLIPS_RIPPLE, 0, 1, NULL));
    assert_near (clips_get_end ((Clip *) (void *) clips->data, clips->len, 1), end + 3, 1e-9);
    for (double f = 1; f < end; f++) {
      const Clip *all = (const Clip *) (void *) clips->data;

      g_assert_cmpuint (clips_find (before, n, f, old), ==, 1);
      g_assert_cmpuint (clips_find (all, clips->len, f < clip.at ? f : f + 3, now), ==, 1);
      g_assert_cmpuint (all[now[0].clip].source, ==, before[old[0].clip].source);
      assert_near (now[0].frame, old[0].frame, 1e-9);
    }
  }
}

static void
test_insert_past_the_end (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "edit/insert", "i", "clips", "[[1, 1, 11]]", "source", "2", "in", "1", "out", "6", "at", "8",
                 NULL);
  node_test_fails_saying (&test, "i.edited", 0, "would end at frame 12, and the record ends at 10");
  node_test_set (&test, "i", "mode", "\"assemble\"");
  assert_near (node_test_number (&test, "i.end", 0), 12, 1e-9);
  node_test_set (&test, "i", "mode", "\"ripple\"");
  assert_near (node_test_number (&test, "i.end", 0), 15, 1e-9);
  node_test_set (&test, "i", "out", "1");
  node_test_warns (&test, "i.edited", "the clip is empty");
  assert_near (node_test_number (&test, "i.end", 0), 10, 1e-9);
  node_test_clear (&test);
}

/* The frames of a production and (shot, frame) are a bijection, and their number is the sum. */
static void
test_shots (void)
{
  static const int frames[] = { 30, 1, 12, 48, 7 }, firsts[] = { 1, 101, 1, 1001, 1 };
  static const int sequences[] = { 1, 1, 2, 2, 3 }, numbers[] = { 1, 2, 1, 2, 1 };
  NodeTest test = node_test_new ();
  int frame = 1;

  node_test_add (&test, "edit/shots", "s", "shots", "[[1, 30, 1], [1, 1, 101], [2, 12, 1], [2, 48, 1001], [3, 7, 1]]",
                 NULL);
  assert_near (node_test_number (&test, "s.total", 0), 30 + 1 + 12 + 48 + 7, 0);
  assert_near (node_test_number (&test, "s.sequences", 0), 3, 0);
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < frames[i]; k++, frame++) {
      const double time = at_frame (frame);

      assert_near (node_test_number (&test, "s.row", time), i + 1, 0);
      assert_near (node_test_number (&test, "s.sequence", time), sequences[i], 0);
      assert_near (node_test_number (&test, "s.shot", time), numbers[i], 0);
      assert_near (node_test_number (&test, "s.local", time), firsts[i] + k, 1e-6);
      if (k == 0 || k == frames[i] - 1) {
        node_test_set_number (&test, "s", "find_row", i + 1);
        node_test_set_number (&test, "s", "find_frame", firsts[i] + k);
        assert_near (node_test_number (&test, "s.found", 0), frame, 1e-6);
      }
    }
  node_test_warns_at (&test, "s.row", at_frame (frame), "outside the shots");
  node_test_set (&test, "s", "find_frame", "9");
  node_test_warns (&test, "s.found", "frame 9 is not in the shot of row 5");
  node_test_set (&test, "s", "find_row", "6");
  node_test_fails_saying (&test, "s.found", 0, "there is no shot in row 6");
  node_test_set (&test, "s", "find_row", "1");
  node_test_set (&test, "s", "shots", "[[1, 0, 1]]");
  node_test_fails_saying (&test, "s.row", 0, "row 1: a shot has 0 frames");
  node_test_set (&test, "s", "shots", "[]");
  node_test_fails_saying (&test, "s.row", 0, "there are no shots");
  node_test_clear (&test);
}

static char *
get_text (NodeTest *test, const char *target)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);

  return g_strdup (value.text);
}

/* Export and import are the identity: of every frame, with each transition, speeds, black, tracks and gaps. */
static void
test_edl_round_trip (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) in = KG_VALUE_INIT, out = KG_VALUE_INIT;
  g_auto (ClipList) before = { .clips = NULL }, after = { .clips = NULL };
  g_autofree char *list = NULL, *again = NULL;

  node_test_add (&test, "edit/insert", "c", "clips",
                 "\"1 5 29; 2 100 148 - 12; 3 1 49 - 8 1 2 1 2; 0 1 25 - 6; 1 1 49 - 6 1 1 1 6;"
                 " 2 1 25 - 5 1 -1 1 7; 3 10 34 300 0 1 0; 1 1 49 20 0 2; 2 8 32 - 10 2 1 1 5\"",
                 "out", "1", NULL);
  node_test_add (&test, "edit/edl_export", "e", "clips", "{\"link\": \"c.edited\"}", "title", "\"Round trip\"", "reels",
                 "\"TAPE1 01:00:00:00\\nTAPE2\\nTAPE3 10:20:30:10\"", "start", "\"01:00:00:00\"", NULL);
  node_test_add (&test, "edit/edl_import", "i", "text", "{\"link\": \"e.list\"}", "reels",
                 "\"TAPE1 01:00:00:00\\nTAPE2\\nTAPE3 10:20:30:10\"", "start", "\"01:00:00:00\"", NULL);
  node_test_add (&test, "edit/edl_export", "f", "clips", "{\"link\": \"i.clips\"}", "title", "{\"link\": \"i.title\"}",
                 "reels", "\"TAPE1 01:00:00:00\\nTAPE2\\nTAPE3 10:20:30:10\"", "start", "\"01:00:00:00\"", NULL);
  in = node_test_get (&test, "c.edited", 0);
  out = node_test_get (&test, "i.clips", 0);
  g_assert_true (clip_list_read (in.table, 1, &before, NULL) && clip_list_read (out.table, 1, &after, NULL));
  g_assert_cmpuint (before.n, ==, 9);
  g_assert_cmpuint (after.n, ==, 9);
  for (double f = 1; f < 330; f++) {
    ClipShown p[16], q[16];
    const guint n = clips_find (before.clips, before.n, f, p);

    g_assert_cmpuint (clips_find (after.clips, after.n, f, q), ==, n);
    for (guint i = 0; i < n; i++) {
      const Clip *a = &before.clips[p[i].clip], *b = &after.clips[q[i].clip];

      g_assert_cmpuint (a->source, ==, b->source);
      g_assert_cmpint (a->track, ==, b->track);
      assert_near (p[i].frame, q[i].frame, 1e-6);
      assert_near (p[i].share, q[i].share, 1e-6);
      g_assert_true (p[i].share == 1 || a->transition == b->transition);
    }
  }
  list = get_text (&test, "e.list");
  again = get_text (&test, "f.list");
  g_assert_cmpstr (list, ==, again);
  node_test_clear (&test);
}

/* A list as other programs write it: lengths, an unknown reel, sound, a change of speed, dropped numbers. */
static void
test_edl_import (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) clips = KG_VALUE_INIT;
  g_auto (ClipList) list = { .clips = NULL };
  g_autofree char *title = NULL, *missing = NULL, *names = NULL;

  node_test_add (&test, "edit/edl_import", "i", "rate", "30", "reels", "\"A001\\nA002 00:00:10:00\"", "text",
                 "\"TITLE:  Harbour  \\r\\nFCM: NON-DROP FRAME\\r\\n"
                 "001  A001     V     C        00:00:01:00 00:00:03:00 01:00:00:00 01:00:02:00\\r\\n"
                 "* FROM CLIP NAME: boats\\r\\n"
                 "002  A001     V     C        00:00:03:00 00:00:03:00 01:00:02:00 01:00:02:00\\r\\n"
                 "002  a002     V     D    015 00:00:12:00 00:00:14:00 01:00:02:00 01:00:04:00\\r\\n"
                 "003  A001     A     C        00:00:12:00 00:00:14:00 01:00:02:00 01:00:04:00\\r\\n"
                 "004  X9       B     C        00:00:00:00 00:00:02:00 01:00:04:00 01:00:05:00\\r\\n"
                 "M2   X9       060.0                   00:00:00:00\\r\\n\"",
                 NULL);
  clips = node_test_get (&test, "i.clips", 0);
  g_assert_true (clip_list_read (clips.table, 1, &list, NULL));
  g_assert_cmpuint (list.n, ==, 3);
  /* Record = source, and the first ends later by the dissolve. */
  assert_near (list.clips[0].in, 31, 0);
  assert_near (list.clips[0].out, 91 + 15, 0);
  assert_near (list.clips[0].at, 1, 0);
  assert_near (list.clips[1].in, 61, 0);
  assert_near (list.clips[1].at, 61, 0);
  g_assert_cmpuint (list.clips[1].source, ==, 2);
  g_assert_cmpuint (list.clips[2].source, ==, 3);
  assert_near (list.clips[2].speed, 2, 0);
  assert_near (clip_get_length (&list.clips[2]), 30, 1e-9);
  assert_near (node_test_number (&test, "i.events", 0), 3, 0);
  /* The programme is as long as the records. */
  assert_near (node_test_number (&test, "i.end", 0), 150, 0);
  title = get_text (&test, "i.title");
  missing = get_text (&test, "i.missing");
  names = get_text (&test, "i.names");
  g_assert_cmpstr (title, ==, "Harbour");
  g_assert_cmpstr (missing, ==, "X9");
  g_assert_cmpstr (names, ==, "A001\nA002\nX9");
  node_test_clear (&test);
}

static void
test_edl_bad_input (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "edit/edl_import", "i", "text", "\"\"", NULL);
  assert_near (node_test_number (&test, "i.events", 0), 0, 0);
  node_test_set (&test, "i", "text", "\"001 A V C 00:00:01:00 00:00:02:00\"");
  node_test_fails_saying (&test, "i.clips", 0, "line 1: an event has a number, a reel");
  node_test_set (&test, "i", "text", "\"\\n001 A V C 00:00:01:00 00:00:02:00 00:00:00:00 00:00:01:99\"");
  node_test_fails_saying (&test, "i.clips", 0, "line 2: timecode 4 of 4 cannot be read");
  node_test_set (&test, "i", "text", "\"001 A V C 00:00:01:00 00:00:02:00 00:00:02:00 00:00:01:00\"");
  node_test_fails_saying (&test, "i.clips", 0, "line 1: the record ends before it begins");
  node_test_set (&test, "i", "text", "\"001 A V W777 010 00:00:01:00 00:00:02:00 00:00:01:00 00:00:02:00\"");
  node_test_warns (&test, "i.clips", "1 wipes have patterns that are not available");
  node_test_set (&test, "i", "text", "\"001 A V D 00:00:01:00 00:00:02:00 00:00:01:00 00:00:02:00\"");
  node_test_fails_saying (&test, "i.clips", 0, "line 1: the transition has no number of frames");
  node_test_set (&test, "i", "text", "\"M2 A fast 00:00:00:00\"");
  node_test_fails_saying (&test, "i.clips", 0, "line 1: M2 needs a reel");
  node_test_set (&test, "i", "text", "\"hello world\"");
  node_test_warns (&test, "i.clips", "there are no events with images (0 with sound alone)");
  node_test_set (&test, "i", "text", "\"FCM: DROP FRAME\\n001 A V C 00;00;01;00 00;00;02;00 00;00;01;00 00;00;02;00\"");
  node_test_warns (&test, "i.clips", "the list drops numbers");
  node_test_set (&test, "i", "text", "\"001 A V C 00:00:01:00 00:00:03:00 00:00:01:00 00:00:02:00\"");
  node_test_warns (&test, "i.clips", "1 events have different lengths in the record");
  /* The later event wins. */
  node_test_set (&test, "i", "text",
                 "\"001 A V C 00:00:00:00 00:00:02:00 00:00:00:00 00:00:02:00\\n"
                 "002 B V C 00:00:00:00 00:00:02:00 00:00:01:00 00:00:03:00\"");
  node_test_warns (&test, "i.clips", "1 events overlap earlier ones");
  assert_near (node_test_number (&test, "i.end", 0), 72, 0);
  node_test_set (&test, "i", "path", "\"no-such-list.edl\"");
  node_test_fails (&test, "i.clips", KG_ERROR_IO);
  node_test_clear (&test);
}

/* The clips of a list that is typed. */
static ClipList
import_list (const char *text)
{
  NodeTest test = node_test_new ();
  g_autofree char *escaped = g_strescape (text, NULL), *json = g_strdup_printf ("\"%s\"", escaped);
  g_auto (KgValue) clips = KG_VALUE_INIT;
  ClipList list;

  node_test_add (&test, "edit/edl_import", "i", "text", json, NULL);
  clips = node_test_get (&test, "i.clips", 0);
  g_assert_true (clip_list_read (clips.table, 1, &list, NULL));
  node_test_clear (&test);
  return list;
}

/* A transition comes from what the line of no length before it says where no clip ends there: black, or another reel. */
static void
test_edl_starts (void)
{
  g_auto (ClipList) black = import_list ("001 BL V C 00:00:00:00 00:00:00:00 01:00:00:00 01:00:00:00\n"
                                         "001 A V D 024 00:00:10:00 00:00:12:00 01:00:00:00 01:00:02:00\n");
  g_auto (ClipList) other = import_list ("001 A V C 00:00:00:00 00:00:01:00 01:00:00:00 01:00:01:00\n"
                                         "002 B V C 00:00:05:00 00:00:05:00 01:00:02:00 01:00:02:00\n"
                                         "002 C V D 012 00:00:00:00 00:00:01:00 01:00:02:00 01:00:03:00\n");
  ClipShown shown[4];

  g_assert_cmpuint (black.n, ==, 2);
  g_assert_cmpuint (clips_find (black.clips, black.n, 1, shown), ==, 2);
  g_assert_cmpuint (black.clips[shown[0].clip].source, ==, CLIP_BLACK);
  assert_near (shown[1].share, 0.5 / 24, 1e-12);
  assert_near (shown[1].frame, 241, 0);
  g_assert_cmpuint (clips_find (black.clips, black.n, 25, shown), ==, 1);
  g_assert_cmpuint (clips_find (other.clips, other.n, 49, shown), ==, 2);
  g_assert_cmpuint (other.clips[shown[0].clip].source, ==, 2);
  assert_near (shown[0].frame, 121, 0);
  assert_near (shown[1].share, 0.5 / 12, 1e-12);
}

/* Changes of speed belong to the event with their reel, and to nothing else. */
static void
test_edl_speeds (void)
{
  g_auto (ClipList)
      sound = import_list ("001 A V C 00:00:00:00 00:00:02:00 00:00:00:00 00:00:02:00\n"
                           "002 S AA C 00:00:00:00 00:00:01:00 00:00:00:00 00:00:02:00\nM2 S 048.0 00:00:00:00\n"
                           "003 A A2 C 00:00:00:00 00:00:01:00 00:00:00:00 00:00:02:00\nM2 A 048.0 00:00:00:00\n");
  g_auto (ClipList)
      back = import_list ("001 A V C 00:00:10:00 00:00:11:00 00:00:00:00 00:00:01:00\nM2 A -024.0 00:00:10:00\n");
  g_auto (ClipList) both = import_list ("001 MY TAPE v c 00:00:00:00 00:00:02:00 00:00:00:00 00:00:02:00\r"
                                        "002 MY TAPE V C 00:00:02:00 00:00:02:00 00:00:02:00 00:00:02:00\r"
                                        "002 B V D 012 00:00:00:00 00:00:04:00 00:00:02:00 00:00:04:00\r"
                                        "M2 MY 24 00:00:02:00\rM2 B 48 00:00:00:00\r");
  ClipShown shown;

  g_assert_cmpuint (sound.n, ==, 1);
  assert_near (sound.clips[0].speed, 1, 0);
  /* The second from 10 s, from its last frame on. */
  g_assert_cmpuint (clips_find (back.clips, back.n, 1, &shown), ==, 1);
  assert_near (shown.frame, 264, 0);
  g_assert_cmpuint (clips_find (back.clips, back.n, 24, &shown), ==, 1);
  assert_near (shown.frame, 241, 0);
  g_assert_cmpuint (both.n, ==, 2);
  assert_near (both.clips[0].speed, 1, 0);
  assert_near (clip_get_length (&both.clips[0]), 60, 0);
  assert_near (both.clips[1].speed, 2, 0);
  assert_near (clip_get_length (&both.clips[1]), 48, 1e-9);
}

/* An event that overlaps others takes its place before its transition looks for what it comes from. */
static void
test_edl_overlaps (void)
{
  g_auto (ClipList) list = import_list ("001 X V C 00:00:00:00 00:00:01:00 00:00:01:00 00:00:02:00\n"
                                        "002 A V C 00:00:00:00 00:00:01:00 00:00:00:00 00:00:01:00\n"
                                        "003 A V C 00:00:01:00 00:00:01:00 00:00:01:00 00:00:01:00\n"
                                        "003 D V D 012 00:00:00:00 00:00:02:00 00:00:01:00 00:00:03:00\n");

  g_assert_cmpuint (list.n, ==, 2);
  assert_near (clip_get_length (&list.clips[0]), 36, 0);
  assert_near (clip_get_length (&list.clips[1]), 48, 0);
}

/* What comes back after a clip that lies inside another is in the list; so is one that starts with another. */
static void
test_edl_interrupted (void)
{
  static const char *const cases[] = { "\"1 1 101 1; 2 1 11 20 0 1 1 1 0; 3 1 21 60 0 1 1 1 1\"",
                                       "\"1 1 31 1 0 1 1 1 0; 2 5 15 1 0 1 1 1 1\"",
                                       "\"1 1 41 1 0 1 -2 1 0; 2 1 101 10 0 1 0.5 1 0; 1 1 9 30 0 1 1 2.5 0\"" };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    NodeTest test = node_test_new ();
    g_auto (ClipList) before = { .clips = NULL }, after = { .clips = NULL };
    g_auto (KgValue) in = KG_VALUE_INIT, out = KG_VALUE_INIT;

    node_test_add (&test, "edit/insert", "c", "clips", cases[k], "out", "1", NULL);
    node_test_add (&test, "edit/edl_export", "e", "clips", "{\"link\": \"c.edited\"}", "reels", "\"A\\nB\\nC\"", NULL);
    node_test_add (&test, "edit/edl_import", "i", "text", "{\"link\": \"e.list\"}", "reels", "\"A\\nB\\nC\"", NULL);
    in = node_test_get (&test, "c.edited", 0);
    out = node_test_get (&test, "i.clips", 0);
    g_assert_true (clip_list_read (in.table, 1, &before, NULL) && clip_list_read (out.table, 1, &after, NULL));
    for (double f = 1; f < 120; f++) {
      ClipShown p[8], q[8];
      const guint n = clips_find (before.clips, before.n, f, p);

      g_assert_cmpuint (clips_find (after.clips, after.n, f, q), ==, n);
      for (guint i = 0; i < n; i++) {
        g_assert_cmpuint (before.clips[p[i].clip].source, ==, after.clips[q[i].clip].source);
        assert_near (p[i].frame, q[i].frame, 1e-6);
        assert_near (p[i].share, q[i].share, 1e-6);
      }
    }
    node_test_clear (&test);
  }
}

/* With an overlap, the clip that was there is shown on during the transition of the new one. */
static void
test_insert_overlap (void)
{
  NodeTest test = make_timeline ("\"1 1 41\"");

  node_test_add (&test, "edit/insert", "i", "clips", "[[1, 1, 41]]", "source", "2", "in", "1", "out", "11", "at", "20",
                 "overlap", "4", NULL);
  node_test_set (&test, "t", "clips", "{\"link\": \"i.edited\"}");
  check_shown (&test, 19, 19, 100);
  for (int k = 0; k < 4; k++) {
    const double w = (k + 0.5) / 4;

    check_shown (&test, 20 + k, (1 - w) * (20 + k) + w * (1 + k), 100 + 100 * w);
  }
  check_shown (&test, 24, 5, 200);
  check_shown (&test, 30, 30, 100);
  node_test_clear (&test);
}

/* Black, gaps and slates have the pixels of the images, also where these are not square. */
static void
test_stand_ins (void)
{
  NodeTest test = make_timeline ("\"0 1 9; 5 1 9; 1 1 9 30\"");

  node_test_add (&test, "image/reformat", "wide", "image", "{\"link\": \"a.image\"}", "aspect", "2", "by", "\"factor\"",
                 "factor", "1", NULL);
  node_test_set (&test, "t", "images", "[{\"link\": \"wide.result\"}]");
  for (int sized = 0; sized < 2; sized++) {
    for (int f = 1; f < 30; f += 8) {
      g_auto (KgValue) value = node_test_get (&test, "t.image", at_frame (f));
      const int n = kg_image_get_width (value.image) * kg_image_get_height (value.image);

      assert_near (kg_image_get_pixel_aspect (value.image), 2, 0);
      for (int i = 0; i < n; i++)
        assert_near ((double) kg_image_get_pixels (value.image)[4 * i + 3], f < 17 ? 1 : 0, 0);
    }
    node_test_set (&test, "t", "width", "20");
    node_test_set (&test, "t", "height", "10");
  }
  node_test_clear (&test);
}

/* Many tracks are told of, not passed on in silence; many clips one after the other are no trouble. */
static void
test_many_clips (void)
{
  NodeTest test = make_timeline ("[]");
  g_autoptr (GString) rows = g_string_new ("\"");

  for (int i = 0; i < 5000; i++)
    g_string_append_printf (rows, "1 1 9 1 0 %d; ", i);
  g_string_append (rows, "\"");
  node_test_set (&test, "t", "clips", rows->str);
  node_test_fails_saying (&test, "t.image", 0, "5000 clips are seen at once");
  check_shown (&test, 20, 0, 0);
  g_string_assign (rows, "\"");
  for (int i = 0; i < 20000; i++)
    g_string_append (rows, "2 1 3; ");
  g_string_append (rows, "\"");
  node_test_set (&test, "t", "clips", rows->str);
  check_shown (&test, 39999, 1, 200);
  node_test_set (&test, "t", "clips", "\"1 1 9 1 0 1 1e-300\"");
  node_test_fails_saying (&test, "t.image", 0, "give 0 to hold a frame");
  node_test_set (&test, "t", "clips", "\"1 1 9 1 0 1 0.001 1e8\"");
  node_test_fails_saying (&test, "t.image", 0, "at most 1e9 are possible");
  node_test_clear (&test);
}

/* A square of 20 pixels, whose outline is black and 2 pixels wide, with a gap of some pixels on its right side. */
static NodeTest
make_drawing (const char *gap)
{
  NodeTest test = node_test_new ();
  g_autofree char *ink =
      g_strdup_printf ("max (abs (x - 20), abs (y - 20)) > 12 || max (abs (x - 20), abs (y - 20)) < 10 || "
                       "(x > 20 && abs (y - 20) < %s) ? 1 : 0",
                       gap);
  g_autofree char *json = g_strdup_printf ("\"%s\"", ink);

  node_test_add (&test, "image/constant", "paper", "width", "40", "height", "40", "color", "[1, 1, 1, 1]", NULL);
  node_test_add (&test, "image/expression", "ink", "image", "{\"link\": \"paper.image\"}", "red", json, "green", json,
                 "blue", json, NULL);
  node_test_add (&test, "image/flood_fill", "f", "image", "{\"link\": \"ink.result\"}", "color", "[1, 0, 0, 1]", NULL);
  return test;
}

/* The area is counted; paint leaks through a gap, which is told, and does not once gaps are closed. */
static void
test_flood_fill (void)
{
  NodeTest test = make_drawing ("0");

  assert_near (node_test_number (&test, "f.pixels", 0), 20 * 20, 0);
  assert_near (node_test_number (&test, "f.leaks", 0), 0, 0);
  assert_near (sum_red (&test, "f.region"), 400, 0);
  assert_near (get_center (&test, "f.result", 0, 1), 0, 0);
  node_test_set (&test, "f", "gap", "3");
  assert_near (node_test_number (&test, "f.pixels", 0), 20 * 20, 0);
  node_test_set (&test, "f", "gap", "0");
  node_test_set (&test, "f", "expand", "2");
  assert_near (node_test_number (&test, "f.pixels", 0), 24 * 24, 0);
  node_test_set (&test, "f", "expand", "0");
  node_test_set (&test, "f", "seeds", "[[0, 0], [-19, -19]]");
  node_test_warns (&test, "f.pixels", "the paint leaks");
  assert_near (node_test_number (&test, "f.pixels", 0), 400 + 40 * 40 - 24 * 24, 0);
  node_test_set (&test, "f", "seeds", "[[0, 0], [500, 0]]");
  node_test_warns (&test, "f.pixels", "seed 2 (500, 0) is outside the image");
  node_test_set (&test, "f", "seeds", "[]");
  assert_near (node_test_number (&test, "f.pixels", 0), 0, 0);
  node_test_clear (&test);

  test = make_drawing ("2");
  node_test_warns (&test, "f.pixels", "the paint leaks");
  /* Inside, the gap of 4 × 2 pixels, and outside. */
  assert_near (node_test_number (&test, "f.pixels", 0), 400 + 8 + 40 * 40 - 24 * 24, 0);
  node_test_set (&test, "f", "gap", "2");
  assert_near (node_test_number (&test, "f.leaks", 0), 0, 0);
  g_assert_cmpfloat (fabs (node_test_number (&test, "f.pixels", 0) - 400), <=, 8);
  node_test_set (&test, "f", "gap", "1");
  assert_near (node_test_number (&test, "f.leaks", 0), 1, 0);
  node_test_set (&test, "f", "gap", "12");
  node_test_warns (&test, "f.pixels", "within 12 pixels of a line");
  node_test_clear (&test);
}

/* Colour is within the tolerance or not, as display values; corners join only when asked. */
static void
test_flood_fill_rules (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "paper", "width", "40", "height", "10", "color", "[1, 1, 1, 1]", NULL);
  node_test_add (&test, "image/expression", "ramp", "image", "{\"link\": \"paper.image\"}", "red",
                 "\"((floor (x) / 39 + 0.055) / 1.055) ^ 2.4\"", "green", "\"0\"", "blue", "\"0\"", NULL);
  node_test_add (&test, "image/flood_fill", "f", "image", "{\"link\": \"ramp.result\"}", "seeds", "[[-0.5, 0]]",
                 "tolerance", "0.2", "enclosed", "false", NULL);
  /* Column 19 is 0.487; 0.2 to both sides is 7.8 columns of 1/39 each. */
  assert_near (node_test_number (&test, "f.pixels", 0), 15 * 10, 0);
  node_test_add (&test, "image/checkerboard", "board", "width", "16", "height", "16", "size", "[1, 1, 0]", "color",
                 "[1, 1, 1, 1]", "other", "[0, 0, 0, 1]", NULL);
  node_test_set (&test, "f", "image", "{\"link\": \"board.image\"}");
  assert_near (node_test_number (&test, "f.pixels", 0), 1, 0);
  node_test_set (&test, "f", "diagonal", "true");
  assert_near (node_test_number (&test, "f.pixels", 0), 128, 0);
  node_test_clear (&test);
}

/* Equal exposures give grey; an offset of one gives fringes of its colour on one side and of the others on the other. */
static void
test_triple_exposure (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  const float *p;

  node_test_add (&test, "image/constant", "paper", "width", "21", "height", "5", "color", "[1, 1, 1, 1]", NULL);
  node_test_add (&test, "image/expression", "bar", "image", "{\"link\": \"paper.image\"}", "red",
                 "\"x > 7 && x < 14 ? 0.6 : 0\"", "green", "\"r == 1 && x > 7 && x < 14 ? 0.6 : 0\"", "blue",
                 "\"x > 7 && x < 14 ? 0.6 : 0\"", NULL);
  node_test_add (&test, "image/triple_exposure", "e", "red", "{\"link\": \"bar.result\"}", "green",
                 "{\"link\": \"bar.result\"}", "blue", "{\"link\": \"bar.result\"}", NULL);
  for (int c = 0; c < 3; c++)
    assert_near (get_center (&test, "e.image", 0, c), 0.6, 1e-6);
  node_test_set (&test, "e", "red_offset", "[2, 0, 0]");
  value = node_test_get (&test, "e.image", 0);
  p = kg_image_get_pixels (value.image) + 4 * 2 * 21;
  /* The bar is in columns 7 to 13; red in 9 to 15. */
  assert_near ((double) p[4 * 7], 0, 0);
  assert_near ((double) p[4 * 7 + 1], 0.6, 1e-6);
  assert_near ((double) p[4 * 8 + 2], 0.6, 1e-6);
  for (int c = 0; c < 3; c++)
    assert_near ((double) p[4 * 10 + c], 0.6, 1e-6);
  assert_near ((double) p[4 * 15], 0.6, 1e-6);
  assert_near ((double) p[4 * 15 + 1], 0, 0);
  assert_near ((double) p[4 * 16], 0, 0);
  /* What the shifted film does not cover is black, not transparent. */
  for (int x = 0; x < 21; x++)
    assert_near ((double) p[4 * x + 3], 1, 0);
  /* The light of three filters adds up. */
  node_test_set (&test, "e", "red_offset", "[0, 0, 0]");
  node_test_set (&test, "e", "green_filter", "[0.25, 0.5, 0, 0.5]");
  assert_near (get_center (&test, "e.image", 0, 0), 0.6 * 1.125, 1e-6);
  assert_near (get_center (&test, "e.image", 0, 1), 0.6 * 0.25, 1e-6);
  g_assert_true (kg_graph_reset (test.graph, kg_graph_find (test.graph, "e"), "red", NULL));
  assert_near (get_center (&test, "e.image", 0, 0), 0.6 * 0.125, 1e-6);
  g_assert_true (kg_graph_reset (test.graph, kg_graph_find (test.graph, "e"), "green", NULL));
  g_assert_true (kg_graph_reset (test.graph, kg_graph_find (test.graph, "e"), "blue", NULL));
  assert_near (get_center (&test, "e.image", 0, 3), 0, 0);
  node_test_clear (&test);
}

/* Mean and variance of the red of an image, away from its edges. */
static void
measure (NodeTest *test, const char *target, double *mean, double *variance)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);
  const int width = kg_image_get_width (value.image), height = kg_image_get_height (value.image), edge = 20;
  const int n = (width - 2 * edge) * (height - 2 * edge);
  double sum = 0, squares = 0;

  for (int y = edge; y < height - edge; y++)
    for (int x = edge; x < width - edge; x++) {
      const double red = (double) kg_image_get_pixels (value.image)[4 * (y * width + x)];

      sum += red;
      squares += red * red;
    }
  *mean = sum / n;
  *variance = squares / n - *mean * *mean;
}

/* Blurs of copies add up to sigma root n; noise, too, where nothing blurs it, and else to what is left of each.  The
 * tolerances are four standard errors of 260 x 260 samples. */
static void
test_generation_loss (void)
{
  NodeTest test = node_test_new ();
  double mean, variance, expected = 0;
  g_auto (KgValue) lost = KG_VALUE_INIT, once = KG_VALUE_INIT, original = KG_VALUE_INIT;

  node_test_add (&test, "image/constant", "grey", "width", "300", "height", "300", "color", "[0.5, 0.5, 0.5, 1]", NULL);
  node_test_add (&test, "image/generation_loss", "g", "image", "{\"link\": \"grey.image\"}", "generation", "10", "blur",
                 "0", "noise", "0.01", NULL);
  measure (&test, "g.result", &mean, &variance);
  assert_near (mean, 0.5, 4 * 0.03 / 260);
  assert_near (variance, 9 * 1e-4, 9e-4 * 4 * sqrt (2) / 260);
  node_test_set (&test, "g", "blur", "1");
  for (int k = 1; k <= 9; k++)
    expected += 1e-4 * blur_gaussian_power (sqrt (9 - k));
  measure (&test, "g.result", &mean, &variance);
  assert_near (variance, expected, 0.03 * expected);
  /* Without noise ten copies are one blur of sigma root n. */
  node_test_add (&test, "image/checkerboard", "board", "width", "120", "height", "90", "size", "[30, 30, 0]", "color",
                 "[1, 1, 1, 1]", "other", "[0, 0, 0, 1]", NULL);
  node_test_add (&test, "image/blur", "b", "image", "{\"link\": \"board.image\"}", "size", "[3, 3, 0]", NULL);
  node_test_set (&test, "g", "image", "{\"link\": \"board.image\"}");
  node_test_set (&test, "g", "noise", "0");
  lost = node_test_get (&test, "g.result", 0);
  once = node_test_get (&test, "b.result", 0);
  for (int i = 0; i < 4 * 120 * 90; i++)
    assert_near ((double) kg_image_get_pixels (lost.image)[i], (double) kg_image_get_pixels (once.image)[i], 2e-3);
  /* Digital copies have the bits of the original, and so has the first generation. */
  original = node_test_get (&test, "board.image", 0);
  node_test_set (&test, "g", "noise", "0.5");
  node_test_set (&test, "g", "digital", "true");
  kg_value_clear (&lost);
  lost = node_test_get (&test, "g.result", 0);
  g_assert_true (kg_image_equal (lost.image, original.image));
  node_test_set (&test, "g", "digital", "false");
  node_test_set (&test, "g", "generation", "1");
  kg_value_clear (&lost);
  lost = node_test_get (&test, "g.result", 0);
  g_assert_true (kg_image_equal (lost.image, original.image));
  node_test_clear (&test);
}

/* Counting loses its place, where timecode does not: as many pulses as are likely, the same ones from wherever it counts. */
static void
test_pulse_counter (void)
{
  NodeTest test = node_test_new ();
  double lost;

  node_test_add (&test, "value/pulse_counter", "p", "frame", "100001", "from", "1", "loss", "0.02", NULL);
  lost = node_test_number (&test, "p.lost", 0);
  assert_near (lost, 2000, 4 * sqrt (100000 * 0.02 * 0.98));
  assert_near (node_test_number (&test, "p.counted", 0), 100000 - lost, 0);
  assert_near (node_test_number (&test, "p.found", 0), 100001 - lost, 0);
  /* Back again over the same pulses. */
  node_test_set (&test, "p", "frame", "1");
  node_test_set (&test, "p", "from", "100001");
  assert_near (node_test_number (&test, "p.counted", 0), lost - 100000, 0);
  node_test_set (&test, "p", "loss", "0");
  assert_near (node_test_number (&test, "p.found", 0), 1, 0);
  node_test_set (&test, "p", "from", "1e8");
  node_test_fails_saying (&test, "p.found", 0, "at most 10000000 are counted");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/edit/20-003-sum-of-shots", test_sum_of_shots);
  g_test_add_func ("/edit/P1-52-clips", test_clips);
  g_test_add_func ("/edit/P1-37-animatic-P1-53-assemble", test_animatic);
  g_test_add_func ("/edit/P1-52-overlap", test_overlap);
  g_test_add_func ("/edit/lazy", test_lazy);
  g_test_add_func ("/edit/P1-52-bad-clips", test_bad_clips);
  g_test_add_func ("/edit/P1-52-transition", test_transition);
  g_test_add_func ("/edit/P1-52-iris-and-soft-edges", test_iris);
  g_test_add_func ("/edit/P1-53-insert", test_insert);
  g_test_add_func ("/edit/P1-53-past-the-end", test_insert_past_the_end);
  g_test_add_func ("/edit/P1-36-shots", test_shots);
  g_test_add_func ("/edit/P1-54-round-trip", test_edl_round_trip);
  g_test_add_func ("/edit/P1-54-import", test_edl_import);
  g_test_add_func ("/edit/P1-54-bad-input", test_edl_bad_input);
  g_test_add_func ("/edit/P1-54-starts", test_edl_starts);
  g_test_add_func ("/edit/P1-54-speeds", test_edl_speeds);
  g_test_add_func ("/edit/P1-54-overlaps", test_edl_overlaps);
  g_test_add_func ("/edit/P1-54-interrupted", test_edl_interrupted);
  g_test_add_func ("/edit/P1-53-overlap", test_insert_overlap);
  g_test_add_func ("/edit/P1-52-stand-ins", test_stand_ins);
  g_test_add_func ("/edit/P1-52-many-clips", test_many_clips);
  g_test_add_func ("/edit/P1-43-flood-fill", test_flood_fill);
  g_test_add_func ("/edit/P1-43-rules", test_flood_fill_rules);
  g_test_add_func ("/edit/P1-61-triple-exposure", test_triple_exposure);
  g_test_add_func ("/edit/P1-53-generation-loss", test_generation_loss);
  g_test_add_func ("/edit/P1-55-pulse-counter", test_pulse_counter);
  return g_test_run ();
}
