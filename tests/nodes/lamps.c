/* tests/nodes/lamps: beams of light in pictures, rigs of lamps, and lamps found in plates.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"
#include "render/light_match.h"

#include <omp.h>

static const float *
get_pixel (const KgValue *value, int x, int y)
{
  return kg_image_get_pixels (value->image) + 4 * (y * kg_image_get_width (value->image) + x);
}

/* A black plate of 101 × 101 pixels, of which the beam is on the middle row; only a white halo, σ = 2. */
static NodeTest
make_beam (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "plate", "width", "101", "height", "101", "color", "[0, 0, 0, 0.5]", NULL);
  node_test_add (&test, "image/beam", "beam", "image", "{\"link\": \"plate.image\"}", "from", "[-30, 0, 0]", "to",
                 "[30, 0, 0]", "width", "2", "color", "[1, 1, 1, 1]", "core", "0", NULL);
  return test;
}

static double
get_light (NodeTest *test, int x, int y, double time)
{
  g_auto (KgValue) value = node_test_get (test, "beam.result", time);

  return (double) get_pixel (&value, x, y)[0];
}

static double
sum_light (NodeTest *test, double time)
{
  g_auto (KgValue) value = node_test_get (test, "beam.result", time);
  double sum = 0;

  for (int i = 0; i < kg_image_get_width (value.image) * kg_image_get_height (value.image); i++)
    sum += (double) kg_image_get_pixels (value.image)[4 * i];
  return sum;
}

static void
test_beam_profile (void)
{
  NodeTest test = make_beam ();
  double sum = 0;

  assert_near (get_light (&test, 50, 50, 0), 1, 1e-7);
  assert_near (get_light (&test, 50, 52, 0), 0.60653066, 1e-7);
  assert_near (get_light (&test, 50, 48, 0), 0.60653066, 1e-7);
  /* Beyond the end the distance is that from the end, at column 80.5. */
  assert_near (get_light (&test, 83, 50, 0), exp (-9.0 / 8), 1e-7);
  for (int y = 0; y < 101; y++)
    sum += get_light (&test, 50, y, 0);
  assert_near (sum, 5.01325655, 1e-6);
  {
    g_auto (KgValue) value = node_test_get (&test, "beam.result", 0);

    g_assert_true (get_pixel (&value, 50, 62)[0] > 0);
    g_assert_true (get_pixel (&value, 50, 63)[0] == 0);
    g_assert_true (get_pixel (&value, 50, 50)[3] == 0.5f);
  }
  /* The core is a profile of its own. */
  node_test_set (&test, "beam", "core", "3");
  node_test_set (&test, "beam", "core_width", "0.5");
  assert_near (get_light (&test, 50, 50, 0), 4, 1e-6);
  assert_near (get_light (&test, 50, 52, 0), 0.60653066 + 3 * exp (-2), 1e-6);
  node_test_clear (&test);
}

/* Far from the beam, and where there is no width or no mix, the plate keeps its bits, whatever they are. */
static void
test_beam_plate (void)
{
  static const char *const nothing[][2] = { { "width", "0" }, { "mix", "0" }, { "length", "0.25" } };
  NodeTest test = make_beam ();

  node_test_add (&test, "image/expression", "noise", "image", "{\"link\": \"plate.image\"}", "red",
                 "\"sin(x*12.9 + y*78.2)*1000\"", NULL);
  node_test_set (&test, "beam", "image", "{\"link\": \"noise.result\"}");
  for (guint k = 0; k <= G_N_ELEMENTS (nothing); k++) {
    if (k > 0)
      node_test_set (&test, "beam", nothing[k - 1][0], nothing[k - 1][1]);
    if (k == 3) {
      node_test_set (&test, "beam", "width", "2");
      node_test_set (&test, "beam", "mix", "1");
      node_test_set (&test, "beam", "speed", "1");
    }
    /* The blast has been at the end for long. */
    g_auto (KgValue) before = node_test_get (&test, "noise.result", 5), after = node_test_get (&test, "beam.result", 5);

    for (int y = 0; y < 101; y++)
      if (k > 0 || abs (y - 50) > 12)
        g_assert_cmpmem (get_pixel (&before, 0, y), 101 * 16, get_pixel (&after, 0, y), 101 * 16);
  }
  node_test_clear (&test);
}

static void
test_beam_round (void)
{
  NodeTest test = make_beam ();

  node_test_set (&test, "beam", "from", "[10, 20, 0]");
  node_test_set (&test, "beam", "to", "[10, 20, 0]");
  assert_near (get_light (&test, 60, 30, 0), 1, 1e-7);
  assert_near (get_light (&test, 63, 34, 0), exp (-25.0 / 8), 1e-7);
  /* The whole light of a round glow is 2πσ². */
  assert_near (sum_light (&test, 0), 2 * KG_PI * 4, 1e-5);
  node_test_clear (&test);
}

static void
test_beam_blast (void)
{
  NodeTest test = make_beam ();

  node_test_set (&test, "beam", "length", "0.5");
  node_test_set (&test, "beam", "speed", "2");
  node_test_set (&test, "beam", "start", "1");
  g_assert_true (sum_light (&test, 0.9) == 0);
  /* After 0.375 s the tip is at ¾ of the way, the tail at ¼: columns 35.5 to 65.5. */
  assert_near (get_light (&test, 35, 50, 1.375), 1, 1e-6);
  assert_near (get_light (&test, 65, 50, 1.375), 1, 1e-6);
  assert_near (get_light (&test, 67, 50, 1.375), 0.60653066, 1e-6);
  assert_near (get_light (&test, 33, 50, 1.375), 0.60653066, 1e-6);
  /* It leaves by the end. */
  assert_near (get_light (&test, 80, 50, 1.7), 1, 1e-6);
  g_assert_true (sum_light (&test, 1.76) == 0);
  node_test_clear (&test);
}

static void
test_beam_flicker (void)
{
  NodeTest test = make_beam ();
  double lowest = 2, highest = 0;

  node_test_set (&test, "beam", "flicker", "0.5");
  for (int frame = 0; frame < 20; frame++) {
    const double light = get_light (&test, 50, 50, frame / 24.0);

    lowest = fmin (lowest, light);
    highest = fmax (highest, light);
    g_assert_true (light == get_light (&test, 40, 50, frame / 24.0));
  }
  g_assert_true (lowest >= 0.5 && highest <= 1 && highest - lowest > 0.2);
  node_test_clear (&test);
}

/* A camera at (0, 0, 10) with a window of ±1 at distance 1: 50.5 pixels for a metre there. */
static void
test_beam_camera (void)
{
  NodeTest test = make_beam ();

  node_test_add (&test, "render/camera", "camera", "position", "[0, 0, 10]", "fov", "90", "near", "1", "far", "100",
                 NULL);
  node_test_set (&test, "beam", "camera", "{\"link\": \"camera.scene\"}");
  node_test_set (&test, "beam", "thickness", "0.2");
  /* 5 m away: 10.1 pixels for a metre. */
  node_test_set (&test, "beam", "from", "[-2, 0, 5]");
  node_test_set (&test, "beam", "to", "[2, 0, 5]");
  assert_near (get_light (&test, 50, 52, 0), exp (-0.5 * pow (2 / 2.02, 2)), 1e-6);
  assert_near (get_light (&test, 50 + 23, 50, 0), exp (-0.5 * pow (2.8 / 2.02, 2)), 1e-6);
  /* From 2.5 m to 10 m away on one line across: at the middle of the image of it 1/z is the mean, which is 4 m. */
  node_test_set (&test, "beam", "from", "[-1, 0, 7.5]");
  node_test_set (&test, "beam", "to", "[4, 0, 0]");
  {
    const double sigma = 0.2 * 50.5 / 4;

    assert_near (get_light (&test, 50, 52, 0), exp (-0.5 * pow (2 / sigma, 2)), 1e-6);
  }
  /* One end behind the camera: clipped at 1 m in front of it; both: nothing. */
  node_test_set (&test, "beam", "from", "[0, -1, 5]");
  node_test_set (&test, "beam", "to", "[0, -1, 30]");
  g_assert_true (get_light (&test, 50, 100, 0) > 0.9);
  g_assert_true (isfinite (sum_light (&test, 0)));
  node_test_set (&test, "beam", "from", "[0, -1, 15]");
  g_assert_true (sum_light (&test, 0) == 0);
  node_test_clear (&test);
}

static void
test_beam_depth (void)
{
  NodeTest test = make_beam ();

  node_test_add (&test, "render/camera", "camera", "position", "[0, 0, 10]", "fov", "90", NULL);
  node_test_add (&test, "geometry/sphere", "ball", "radius", "1", NULL);
  node_test_add (&test, "render/object", "object", "geometry", "{\"link\": \"ball.geometry\"}", NULL);
  node_test_add (&test, "render/scene", "scene", "scenes",
                 "[{\"link\": \"camera.scene\"}, {\"link\": \"object.scene\"}]", "width", "101", "height", "101", NULL);
  node_test_set (&test, "beam", "depth", "{\"link\": \"scene.image\"}");
  node_test_warns (&test, "beam.result", "has none; link a Camera");
  node_test_set (&test, "beam", "camera", "{\"link\": \"object.scene\"}");
  node_test_fails_saying (&test, "beam.result", 0, "no camera");
  node_test_set (&test, "beam", "camera", "{\"link\": \"camera.scene\"}");
  node_test_set (&test, "beam", "from", "[-5, 0, -2]");
  node_test_set (&test, "beam", "to", "[5, 0, -2]");
  g_assert_true (get_light (&test, 50, 50, 0) == 0);
  g_assert_true (get_light (&test, 62, 50, 0) > 0.9);
  node_test_set (&test, "beam", "from", "[-5, 0, 2]");
  node_test_set (&test, "beam", "to", "[5, 0, 2]");
  g_assert_true (get_light (&test, 50, 50, 0) > 0.9);
  node_test_set (&test, "scene", "width", "50");
  node_test_fails_saying (&test, "beam.result", 0, "depth of 50 × 101 pixels");
  node_test_set (&test, "beam", "depth", "{\"link\": \"plate.image\"}");
  node_test_fails_saying (&test, "beam.result", 0, "an image without depth");
  node_test_clear (&test);
}

/* The same bits on one thread and on several. */
static void
test_beam_threads (void)
{
  NodeTest test = make_beam ();
  const int threads = omp_get_max_threads ();

  node_test_set (&test, "beam", "to", "[31, 47, 0]");
  {
    g_auto (KgValue) several = node_test_get (&test, "beam.result", 0), one = KG_VALUE_INIT;

    node_test_set (&test, "beam", "seed", "1");
    omp_set_num_threads (1);
    one = node_test_get (&test, "beam.result", 0);
    omp_set_num_threads (threads);
    g_assert_cmpmem (get_pixel (&several, 0, 0), 101 * 101 * 16, get_pixel (&one, 0, 0), 101 * 101 * 16);
  }
  node_test_clear (&test);
}

/* The lights of "rig.scene". */
static const KgLight *
get_lamp (const KgValue *value, guint i)
{
  g_assert_cmpuint (kg_scene_get_n_lights (value->scene), >, i);
  return kg_scene_get_light (value->scene, i);
}

static void
test_rig_ratio (void)
{
  NodeTest test = node_test_new ();
  const double half = sqrt (0.5);

  node_test_add (&test, "render/light_rig", "rig", "key", "1.7", NULL);
  assert_near (node_test_number (&test, "rig.contrast", 0), 5, 1e-14);
  assert_near (node_test_number (&test, "rig.stops", 0), 2.32192809, 1e-8);
  {
    g_auto (KgValue) value = node_test_get (&test, "rig.scene", 0);

    g_assert_true (get_lamp (&value, 0)->intensity == 1.7);
    g_assert_true (get_lamp (&value, 1)->intensity == 1.7 / 4);
    g_assert_true (get_lamp (&value, 2)->intensity == 0.5);
    /* Light travels away from the key, which is right, in front and above. */
    assert_vector_near (get_lamp (&value, 0)->direction, -0.5, -half, -0.5, 1e-15);
    assert_vector_near (get_lamp (&value, 2)->direction, 0, -half, half, 1e-15);
  }
  node_test_set (&test, "rig", "ratio", "0");
  node_test_fails_saying (&test, "rig.scene", 0, "it must be above 0");
  node_test_clear (&test);
}

static void
test_rig_overrides (void)
{
  NodeTest test = node_test_new ();
  static const char *const remarks[] = { "\"\"", "\"# as in the sequence\\n\\n  \"", "\"hair strength set 9\"" };

  node_test_add (&test, "render/light_rig", "rig", "key", "0.1", "ratio", "3", "key_azimuth", "33.3", "key_color",
                 "[0.3, 0.7, 0.1, 1]", NULL);
  {
    g_auto (KgValue) plain = node_test_get (&test, "rig.scene", 0);

    for (guint i = 0; i < G_N_ELEMENTS (remarks); i++) {
      node_test_set (&test, "rig", "overrides", remarks[i]);
      g_auto (KgValue) value = node_test_get (&test, "rig.scene", 0);

      g_assert_true (kg_scene_equal (plain.scene, value.scene));
    }
    node_test_warns (&test, "rig.scene", "line 1 is ignored: there is no lamp \"hair\"");
  }
  node_test_set (&test, "rig", "key", "1");
  node_test_set (&test, "rig", "overrides", "\"key strength multiply 0.5\\nkey  strength\\tmultiply 0.5 # twice\"");
  g_assert_true (node_test_number (&test, "rig.key_strength", 0) == 0.25);
  /* In their order; each parameter of its own lamp. */
  node_test_set (
      &test, "rig", "overrides",
      "\"rim strength add 1\\nrim strength multiply 2\\nfill azimuth set 90\\nfill elevation set 0\\nkey red "
      "set 0.5\"");
  g_assert_true (node_test_number (&test, "rig.rim_strength", 0) == 3);
  {
    g_auto (KgValue) value = node_test_get (&test, "rig.scene", 0);

    assert_vector_near (get_lamp (&value, 1)->direction, -1, 0, 0, 1e-15);
    assert_near (get_lamp (&value, 0)->color.r, 0.5, 0);
    assert_near (get_lamp (&value, 0)->color.g, 0.7, 1e-7);
  }
  node_test_set (&test, "rig", "overrides", "\"fill strength add -5\"");
  node_test_warns (&test, "rig.scene", "make the strength of the lamp \"fill\" -");
  node_test_warns (&test, "rig.contrast", "no fill light");
  g_assert_true (node_test_number (&test, "rig.stops", 0) == 0);
  node_test_set (&test, "rig", "overrides", "\"\\nkey strength half 2\"");
  node_test_fails_saying (&test, "rig.scene", 0, "line 2: unknown operation \"half\"");
  node_test_set (&test, "rig", "overrides", "\"key strenght set 2\"");
  node_test_fails_saying (&test, "rig.scene", 0, "did you mean \"strength\"");
  node_test_set (&test, "rig", "overrides", "\"key strength set 2x\"");
  node_test_fails_saying (&test, "rig.scene", 0, "line 1: \"2x\" is not a number");
  node_test_set (&test, "rig", "overrides", "\"key strength set nan\"");
  node_test_fails_saying (&test, "rig.scene", 0, "is not a number");
  node_test_set (&test, "rig", "overrides", "\"key strength 2\"");
  node_test_fails_saying (&test, "rig.scene", 0, "line 1: 3 words");
  node_test_clear (&test);
}

/* Lamps beyond the three have names of their own, which overrides know. */
static void
test_rig_lamps (void)
{
  static const struct {
    const char *lamps, *words;
  } wrong[] = {
    { "\"window 1 2\"", "lamps: line 1: 2 numbers" },
    { "\"window 1 2 3 4\"", "lamps: line 1: 4 numbers" },
    { "\"\\nwindow 1 2 3x\"", "lamps: line 2: \"3x\" is not a number" },
    { "\"window 1 2 nan\"", "is not a number" },
    { "\"fill 1 2 3\"", "there is already a lamp \"fill\"" },
    { "\"a 1 2 3\\na 1 2 3\"", "line 2: there is already a lamp \"a\"" },
    { "\"a 1 2 -3\"", "light of -3" },
    { "\"a 1 2 3 1 1 1 0\"", "a distance of 0" },
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "render/light_rig", "rig", "kind", "\"point\"", "distance", "3", "lamps",
                 "\"window -90 0 0.4 0.6 0.8 1 # blue\\n\\npractical 0 90 0.2 1 0.5 0.1 2\\nkicker 90 0 0.25\"", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "rig.scene", 0);

    g_assert_cmpuint (kg_scene_get_n_lights (value.scene), ==, 6);
    assert_vector_near (get_lamp (&value, 3)->position, -3, 0, 0, 1e-12);
    assert_near (get_lamp (&value, 3)->intensity, 0.4, 1e-7);
    assert_near (get_lamp (&value, 3)->color.g, 0.8, 1e-7);
    assert_vector_near (get_lamp (&value, 4)->position, 0, 2, 0, 1e-12);
    assert_vector_near (get_lamp (&value, 5)->position, 3, 0, 0, 1e-12);
    assert_near (get_lamp (&value, 5)->color.r, 1, 0);
  }
  node_test_set (&test, "rig", "overrides", "\"kicker strength multiply 2\\nwindow azimuth set 180\"");
  {
    g_auto (KgValue) value = node_test_get (&test, "rig.scene", 0);

    assert_near (get_lamp (&value, 5)->intensity, 0.5, 1e-7);
    assert_vector_near (get_lamp (&value, 3)->position, 0, 0, -3, 1e-12);
  }
  /* The contrast is that of key and fill. */
  assert_near (node_test_number (&test, "rig.contrast", 0), 5, 1e-12);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    node_test_set (&test, "rig", "lamps", wrong[i].lamps);
    node_test_fails_saying (&test, "rig.scene", 0, wrong[i].words);
  }
  {
    g_autoptr (GString) many = g_string_new ("\"");

    for (int i = 0; i < 200; i++)
      g_string_append_printf (many, "l%d 0 0 1\\n", i);
    g_string_append_c (many, '"');
    node_test_set (&test, "rig", "lamps", many->str);
    node_test_fails_saying (&test, "rig.scene", 0, "more than 200 lamps");
  }
  node_test_clear (&test);
}

/* Point lamps stand about the middle of the subject, without one about the centre, and have their strengths there. */
static void
test_rig_subject (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "render/light_rig", "rig", "kind", "\"point\"", "distance", "3", "key_azimuth", "90",
                 "key_elevation", "0", NULL);
  node_test_add (&test, "geometry/box", "box", "size", "[1, 2, 3]", "center", "[4, 5, 6]", NULL);
  for (int k = 0; k < 3; k++) {
    if (k == 1)
      node_test_set (&test, "rig", "center", "[1, 1, 0]");
    if (k == 2)
      node_test_set (&test, "rig", "subject", "{\"link\": \"box.geometry\"}");
    g_auto (KgValue) value = node_test_get (&test, "rig.scene", 0);
    const KgVector at = get_lamp (&value, 0)->position;

    assert_vector_near (at, k == 2 ? 7 : k == 1 ? 4 : 3, k == 2 ? 5 : k, k == 2 ? 6 : 0, 1e-6);
    g_assert_cmpint (get_lamp (&value, 0)->kind, ==, KG_LIGHT_POINT);
    g_assert_true (get_lamp (&value, 0)->distance == 3);
  }
  node_test_clear (&test);
}

/* The four samples of the catalogue: s = 2 (0.48, 0.6, 0.64). */
static const LightSample known[] = { { { 0, 0, 1 }, { 1.28, 1.28, 1.28 } },
                                     { { 0.6, 0, 0.8 }, { 1.6, 1.6, 1.6 } },
                                     { { 0, 0.6, 0.8 }, { 1.744, 1.744, 1.744 } },
                                     { { -0.28, 0, 0.96 }, { 0.96, 0.96, 0.96 } } };

static void
test_match_solve (void)
{
  const LightMatchLimits limits = { 0, 0.02, 2 }, strict = { 0, 0.02, 1.7 };
  LightSample more[6], plane[4] = { known[0], known[1], known[3], known[0] };
  g_autoptr (GError) error = NULL;
  LightMatch match;

  g_assert_true (light_match_solve (known, 4, &limits, &match, NULL, NULL));
  assert_vector_near (match.light, 0.96, 1.2, 1.28, 1e-12);
  assert_near (kg_vector_length (match.light), 2, 1e-12);
  assert_near (match.residual, 0, 1e-12);
  assert_near (match.color[0], 1, 1e-12);
  g_assert_cmpuint (match.lit, ==, 4);
  /* What is in the dark does not count, nor what faces away and is bright by chance after the first pass. */
  memcpy (more, known, sizeof known);
  more[4] = (LightSample){ { 0, 0, -1 }, { 0.01, 0.01, 0.01 } };
  more[5] = (LightSample){ { -0.6, -0.8, 0 }, { 0.05, 0.05, 0.05 } };
  g_assert_true (light_match_solve (more, 6, &limits, &match, NULL, NULL));
  assert_vector_near (match.light, 0.96, 1.2, 1.28, 1e-12);
  /* The ambient is subtracted, and a lamp is as red as what it lights. */
  for (int i = 0; i < 4; i++)
    for (int c = 0; c < 3; c++)
      more[i].brightness[c] = 0.1 + known[i].brightness[c] * (c == 0 ? 1 : c == 1 ? 0.5 : 0.25);
  g_assert_true (light_match_solve (more, 4, &(LightMatchLimits){ 0.1, 0.02, 2 }, &match, NULL, NULL));
  assert_near (match.color[1] / match.color[0], 0.5, 1e-12);
  assert_near (match.color[2] / match.color[0], 0.25, 1e-12);
  assert_near (kg_vector_length (match.light), 2 * (0.2126 + 0.7152 * 0.5 + 0.0722 * 0.25), 1e-12);
  /* Without the clipped one all normals are in the plane y = 0. */
  g_assert_false (light_match_solve (known, 4, &strict, &match, NULL, &error));
  g_assert_nonnull (strstr (error->message, "rank 2 (1 are clipped)"));
  g_clear_error (&error);
  g_assert_false (light_match_solve (plane, 4, &limits, &match, NULL, &error));
  g_assert_nonnull (strstr (error->message, "rank 2"));
  g_clear_error (&error);
  g_assert_false (light_match_solve (known, 0, &limits, &match, NULL, &error));
  g_assert_nonnull (strstr (error->message, "0 lit samples of 0 with normals of rank 0"));
}

static void
test_match_samples (void)
{
  NodeTest test = node_test_new ();
  g_autoptr (GString) all = g_string_new ("[");

  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    const KgVector v = known[i].normal;
    g_autofree char *line = g_strdup_printf ("line%u", i), *n = g_strdup_printf ("n%u", i),
                    *b = g_strdup_printf ("b%u", i);
    g_autofree char *from = g_strdup_printf ("{\"link\": \"%s.geometry\"}", line),
                    *after = g_strdup_printf ("{\"link\": \"%s.set\"}", n),
                    *vector = g_strdup_printf ("[%g, %g, %g]", v.x, v.y, v.z),
                    *number = g_strdup_printf ("%g", known[i].brightness[0]);

    node_test_add (&test, "geometry/line", line, NULL);
    node_test_add (&test, "geometry/attribute", n, "geometry", from, "name", "\"N\"", "kind", "\"vector\"", "vector",
                   vector, NULL);
    node_test_add (&test, "geometry/attribute", b, "geometry", after, "name", "\"brightness\"", "kind", "\"number\"",
                   "number", number, NULL);
    g_string_append_printf (all, "%s{\"link\": \"%s.set\"}", i > 0 ? ", " : "", b);
  }
  g_string_append (all, "]");
  node_test_add (&test, "geometry/merge", "all", "geometries", all->str, NULL);
  node_test_add (&test, "render/light_match", "m", "method", "\"samples\"", "samples", "{\"link\": \"all.geometry\"}",
                 "clip", "2", NULL);
  assert_vector_near (node_test_vector (&test, "m.direction", 0), 0.48, 0.6, 0.64, 1e-6);
  assert_near (node_test_number (&test, "m.strength", 0), 2, 1e-6);
  assert_near (node_test_number (&test, "m.residual", 0), 0, 1e-6);
  node_test_set (&test, "m", "albedo", "0.5");
  assert_near (node_test_number (&test, "m.strength", 0), 4, 1e-6);
  {
    g_auto (KgValue) value = node_test_get (&test, "m.scene", 0);
    const KgLight *light = kg_scene_get_light (value.scene, 0);

    assert_vector_near (light->direction, -0.48, -0.6, -0.64, 1e-6);
    assert_near (light->intensity, 4, 1e-6);
  }
  node_test_set (&test, "m", "clip", "1");
  node_test_fails_saying (&test, "m.scene", 0, "at least 3 must be lit");
  node_test_set (&test, "m", "samples", "{\"link\": \"n0.set\"}");
  node_test_fails_saying (&test, "m.scene", 0, "attributes N (a vector) and brightness");
  node_test_set (&test, "m", "method", "\"ball\"");
  node_test_fails_saying (&test, "m.scene", 0, "no image");
  node_test_clear (&test);
}

static void
test_match_shadow (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "render/light_match", "m", "method", "\"shadow\"", "height", "2", "foot", "[1, 0, 1]", "tip",
                 "[4.4641016151377544, 0, 1]", NULL);
  assert_near (node_test_number (&test, "m.elevation", 0), 30, 1e-12);
  assert_vector_near (node_test_vector (&test, "m.direction", 0), -sqrt (0.75), 0.5, 0, 1e-12);
  node_test_set (&test, "m", "tip", "[1, 0, 1]");
  node_test_warns (&test, "m.scene", "straight above");
  assert_vector_near (node_test_vector (&test, "m.direction", 0), 0, 1, 0, 0);
  node_test_set (&test, "m", "tip", "[2, 0, 1]");
  node_test_set (&test, "m", "height", "0");
  node_test_warns (&test, "m.scene", "straight above");
  node_test_clear (&test);
}

/* A rendered ball gives back the lamp that it is rendered with, also for a camera that looks from elsewhere. */
static void
test_match_ball (void)
{
  static const char *const places[] = { "[0, 0, 5]", "[4, 2, 3]" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "render/camera", "camera", "orthographic", "true", "height", "2.5", NULL);
  node_test_add (&test, "geometry/sphere", "ball", "radius", "1", "segments", "96", "rings", "48", NULL);
  node_test_add (&test, "render/object", "object", "geometry", "{\"link\": \"ball.geometry\"}", "color", "[1, 1, 1, 1]",
                 "ambient", "0", "diffuse", "1", "specular", "0", NULL);
  node_test_add (&test, "render/light", "lamp", "position", "[2, 3, 6]", "color", "[0.8, 0.4, 0.2, 1]", NULL);
  node_test_add (&test, "render/scene", "plate", "scenes",
                 "[{\"link\": \"camera.scene\"}, {\"link\": \"object.scene\"}, {\"link\": \"lamp.scene\"}]", "width",
                 "150", "height", "125", NULL);
  node_test_add (&test, "render/light_match", "m", "image", "{\"link\": \"plate.image\"}", "camera",
                 "{\"link\": \"camera.scene\"}", "radius", "50", NULL);
  for (guint k = 0; k < G_N_ELEMENTS (places); k++) {
    node_test_set (&test, "camera", "position", places[k]);
    node_test_set (&test, "camera", "target", "[0, 0, 0]");
    assert_vector_near (node_test_vector (&test, "m.direction", 0), 2.0 / 7, 3.0 / 7, 6.0 / 7, 0.01);
    assert_near (node_test_number (&test, "m.strength", 0), 0.2126 * 0.8 + 0.7152 * 0.4 + 0.0722 * 0.2, 0.01);
    g_assert_true (node_test_number (&test, "m.residual", 0) < 0.01);
  }
  {
    g_auto (KgValue) value = node_test_get (&test, "m.color", 0);

    assert_near (value.color.g / value.color.r, 0.5, 1e-3);
  }
  node_test_set (&test, "m", "clip", "0.5");
  node_test_warns (&test, "m.scene", "clipped samples are left out");
  node_test_set (&test, "m", "floor", "2");
  node_test_fails_saying (&test, "m.scene", 0, "0 lit samples");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nodes/lamps/P1-87/profile", test_beam_profile);
  g_test_add_func ("/nodes/lamps/P1-87/plate", test_beam_plate);
  g_test_add_func ("/nodes/lamps/P1-87/round", test_beam_round);
  g_test_add_func ("/nodes/lamps/P1-87/blast", test_beam_blast);
  g_test_add_func ("/nodes/lamps/P1-87/flicker", test_beam_flicker);
  g_test_add_func ("/nodes/lamps/P1-87/camera", test_beam_camera);
  g_test_add_func ("/nodes/lamps/P1-87/depth", test_beam_depth);
  g_test_add_func ("/nodes/lamps/P1-87/threads", test_beam_threads);
  g_test_add_func ("/nodes/lamps/P1-88/ratio", test_rig_ratio);
  g_test_add_func ("/nodes/lamps/P1-88/overrides", test_rig_overrides);
  g_test_add_func ("/nodes/lamps/P1-88/subject", test_rig_subject);
  g_test_add_func ("/nodes/lamps/P1-88/lamps", test_rig_lamps);
  g_test_add_func ("/nodes/lamps/P1-85/solve", test_match_solve);
  g_test_add_func ("/nodes/lamps/P1-85/samples", test_match_samples);
  g_test_add_func ("/nodes/lamps/P1-85/shadow", test_match_shadow);
  g_test_add_func ("/nodes/lamps/P1-85/ball", test_match_ball);
  return g_test_run ();
}
