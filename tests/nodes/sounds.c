/* tests/nodes/sounds: sounds on the time line of a graph.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include <string.h>

/* A sine of amplitude 0.6 in the frames 13 to 24 of 48. */
static NodeTest
make_tone (void)
{
  NodeTest test = node_test_new ();

  kg_graph_set_frames (test.graph, (KgFrames){ .start = 1, .end = 48, .rate = 24 }, NULL);
  node_test_add (&test, "sound/tone", "t", "frequency", "480", "amplitude", "0.6", "start", "13", "length", "0.5",
                 NULL);
  return test;
}

/* The level of each frame is that of the sine, a/√2, while it sounds, and 0 in every other frame. */
static void
test_level (void)
{
  NodeTest test = make_tone ();
  g_auto (KgValue) motion = KG_VALUE_INIT;

  node_test_add (&test, "sound/level", "l", "sound", "{\"link\": \"t.sound\"}", "gain", "2", NULL);
  for (int frame = 1; frame <= 48; frame++) {
    const bool sounds = frame >= 13 && frame <= 24;

    assert_near (node_test_number (&test, "l.level", (frame - 1) / 24.0), sounds ? 2 * 0.6 / G_SQRT2 : 0, 1e-6);
  }
  motion = node_test_get (&test, "l.motion", 0);
  assert_near (kg_motion_evaluate (motion.motion, 0.75, -1), 2 * 0.6 / G_SQRT2, 1e-6);
  node_test_set (&test, "l", "low", "500");
  node_test_set (&test, "l", "high", "100");
  node_test_fails (&test, "l.level", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

/* The band of a tone holds it, and the other one does not. */
static void
test_band (void)
{
  NodeTest test = make_tone ();

  node_test_add (&test, "sound/level", "bass", "sound", "{\"link\": \"t.sound\"}", "high", "120", NULL);
  node_test_add (&test, "sound/level", "middle", "sound", "{\"link\": \"t.sound\"}", "low", "120", "high", "1920",
                 NULL);
  /* Two octaves above the limit: 1 / √(1 + 4⁸) = 1/256 of the level. */
  assert_near (node_test_number (&test, "bass.level", 0.8), 0.6 / G_SQRT2 / 256, 2e-5);
  assert_near (node_test_number (&test, "middle.level", 0.8), 0.6 / G_SQRT2, 2e-5);
  node_test_clear (&test);
}

/* The start of a graph is the start of its sounds, and a rate that is not whole is no matter. */
static void
test_place (void)
{
  NodeTest test = make_tone ();
  g_auto (KgValue) first = KG_VALUE_INIT;
  g_auto (KgValue) later = KG_VALUE_INIT;
  g_auto (KgValue) cut = KG_VALUE_INIT;

  first = node_test_get (&test, "t.sound", 0);
  g_assert_cmpint (first.kind, ==, KG_SOUND);
  g_assert_cmpint (kg_sound_get_start (first.sound), ==, 24000);
  g_assert_cmpuint (kg_sound_get_n_samples (first.sound), ==, 24000);
  kg_graph_set_frames (test.graph, (KgFrames){ .start = 11, .end = 48, .rate = 30 }, NULL);
  later = node_test_get (&test, "t.sound", 0);
  g_assert_cmpint (kg_sound_get_start (later.sound), ==, 2 * 48000 / 30);
  /* From the start frame to the end of the graph. */
  node_test_set (&test, "t", "length", "0");
  cut = node_test_get (&test, "t.sound", 0);
  g_assert_cmpuint (kg_sound_get_n_samples (cut.sound), ==, 36 * 48000 / 30);
  node_test_clear (&test);
}

static void
test_mix_and_clip (void)
{
  NodeTest test = make_tone ();
  g_auto (KgValue) mix = KG_VALUE_INIT;
  g_auto (KgValue) clip = KG_VALUE_INIT;

  node_test_add (&test, "sound/mix", "m", "sounds", "[{\"link\": \"t.sound\"}, {\"link\": \"t.sound\"}]", "tracks",
                 "\"1\\n-1 0 1\"", NULL);
  node_test_add (&test, "sound/clip", "c", "sound", "{\"link\": \"t.sound\"}", "move", "true", "start", "1", "trim",
                 "0.25", "repeats", "4", NULL);
  mix = node_test_get (&test, "m.mix", 0);
  /* A frame is 20 periods of the sine: the delayed copy takes it away, but for both ends. */
  g_assert_cmpuint (kg_sound_get_n_samples (mix.sound), ==, 26000);
  for (size_t i = 2000; i < 24000; i++)
    assert_near ((double) kg_sound_get_samples (mix.sound)[i], 0, 1e-5);
  clip = node_test_get (&test, "c.clip", 0);
  g_assert_cmpint (kg_sound_get_start (clip.sound), ==, 0);
  g_assert_cmpuint (kg_sound_get_n_samples (clip.sound), ==, 48000);
  node_test_set (&test, "m", "tracks", "\"1 2\"");
  node_test_fails (&test, "m.mix", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "m", "tracks", "\"1 0 0\\n1 0 0\\n1 0 0\"");
  node_test_warns (&test, "m.mix", "there are 3 rows of tracks for 2 sounds");
  node_test_clear (&test);
}

static void
test_beats (void)
{
  NodeTest test = make_tone ();
  g_auto (KgValue) beats = KG_VALUE_INIT;

  node_test_set (&test, "t", "mode", "\"beats\"");
  node_test_set (&test, "t", "tempo", "240");
  node_test_set (&test, "t", "decay", "0.01");
  node_test_set (&test, "t", "length", "1");
  node_test_add (&test, "sound/level", "l", "sound", "{\"link\": \"t.sound\"}", NULL);
  /* From frame 13 on, every sixth frame begins with a beat: the loudest of its six. */
  for (int frame = 13; frame < 37; frame++) {
    const double level = node_test_number (&test, "l.level", (frame - 1) / 24.0);

    if ((frame - 13) % 6 == 0)
      g_assert_cmpfloat (level, >, 0.1);
    else
      g_assert_cmpfloat (level, <, 0.02);
  }
  node_test_set (&test, "t", "tempo", "1000000");
  node_test_set (&test, "t", "length", "1000000");
  node_test_fails (&test, "t.sound", KG_ERROR_LIMIT);
  node_test_clear (&test);
}

/* The outline of a tone reaches from minus to plus its amplitude, where it sounds. */
static void
test_waveform (void)
{
  NodeTest test = make_tone ();
  g_auto (KgValue) outline = KG_VALUE_INIT;
  const float *p;

  node_test_add (&test, "sound/waveform", "w", "sound", "{\"link\": \"t.sound\"}", "columns", "48", "height", "4",
                 "width", "48", "center", "[1, 2, 3]", NULL);
  outline = node_test_get (&test, "w.outline", 0);
  g_assert_cmpuint (kg_geometry_get_n_points (outline.geometry), ==, 96);
  p = kg_geometry_get_positions (outline.geometry);
  for (int i = 0; i < 48; i++) {
    const double height = i >= 12 && i < 24 ? 2 * 0.6 : 0;

    assert_vector_near (kg_vector ((double) p[3 * i], (double) p[3 * i + 1], (double) p[3 * i + 2]), 1 + i - 23.5,
                        2 + height, 3, 1e-2);
    assert_near ((double) p[3 * (95 - i) + 1], 2 - height, 1e-2);
  }
  node_test_set (&test, "w", "first", "10");
  node_test_set (&test, "w", "last", "5");
  node_test_fails (&test, "w.outline", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

/* Nothing to hear, and nothing to read. */
static void
test_degenerate (void)
{
  NodeTest test = make_tone ();
  g_auto (KgValue) empty = KG_VALUE_INIT;
  g_autoptr (GString) json = g_string_new (NULL);

  node_test_add (&test, "sound/clip", "c", "sound", "{\"link\": \"t.sound\"}", "trim", "100", NULL);
  node_test_add (&test, "sound/level", "l", "sound", "{\"link\": \"c.clip\"}", NULL);
  node_test_add (&test, "sound/waveform", "w", "sound", "{\"link\": \"c.clip\"}", NULL);
  node_test_add (&test, "sound/import", "i", NULL);
  empty = node_test_get (&test, "c.clip", 0);
  g_assert_cmpuint (kg_sound_get_n_samples (empty.sound), ==, 0);
  kg_value_write_json (&empty, json);
  g_assert_nonnull (strstr (json->str, "\"samples\": 0, \"seconds\": 0, \"peak\": 0, \"rms\": 0"));
  g_assert_cmpfloat (node_test_number (&test, "l.level", 0.5), ==, 0);
  node_test_fails (&test, "i.sound", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "i", "path", "\"/nowhere.wav\"");
  node_test_fails (&test, "i.sound", KG_ERROR_IO);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sounds/65-81/level", test_level);
  g_test_add_func ("/sounds/65-81/band", test_band);
  g_test_add_func ("/sounds/P1-21/place", test_place);
  g_test_add_func ("/sounds/P1-44/mix-and-clip", test_mix_and_clip);
  g_test_add_func ("/sounds/beats", test_beats);
  g_test_add_func ("/sounds/waveform", test_waveform);
  g_test_add_func ("/sounds/degenerate", test_degenerate);
  return g_test_run ();
}
