/* tests/nodes/gegl: operations of GEGL as node types.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-gegl-types.h"
#include "node-test.h"

#include <math.h>
#include <string.h>

/* (nullable) All types; NULL and a skipped test in a build without GEGL. */
static const KgNodeType *const *
load (void)
{
  g_autoptr (GError) error = NULL;
  const KgNodeType *const *types = kg_gegl_load_types (&error);

  if (types != NULL)
    return types;
  g_assert_nonnull (strstr (error->message, "libgegl-dev"));
  g_test_skip ("built without GEGL");
  return NULL;
}

static NodeTest
make (void)
{
  NodeTest test = node_test_new ();

  kg_gegl_offer (test.types);
  node_test_add (&test, "image/checkerboard", "p", "width", "96", "height", "64", "size", "[13, 9, 0]", "color",
                 "[0.1, 0.4, 0.7, 1]", "other", "[0.9, 0.5, 0.2, 1]", NULL);
  return test;
}

/* The largest difference between two images of one size, at least so far from the edges. */
static double
find_difference (NodeTest *test, const char *one, const char *other, int margin)
{
  g_auto (KgValue) a = node_test_get (test, one, 0), b = node_test_get (test, other, 0);
  const int width = kg_image_get_width (a.image), height = kg_image_get_height (a.image);
  const float *p = kg_image_get_pixels (a.image), *q = kg_image_get_pixels (b.image);
  double most = 0;

  g_assert_cmpint (kg_image_get_width (b.image), ==, width);
  g_assert_cmpint (kg_image_get_height (b.image), ==, height);
  for (int y = margin; y < height - margin; y++)
    for (int i = 4 * (y * width + margin); i < 4 * (y * width + width - margin); i++)
      most = fmax (most, fabs ((double) p[i] - (double) q[i]));
  return most;
}

/* Two programs have one Gaussian. */
static void
test_blur (void)
{
  NodeTest test = { 0 };

  if (load () == NULL)
    return;
  test = make ();
  node_test_add (&test, "gegl/gaussian_blur", "g", "image", "{\"link\": \"p.image\"}", "std_dev_x", "4", "std_dev_y",
                 "2", "filter", "\"fir\"", NULL);
  node_test_add (&test, "image/blur", "b", "image", "{\"link\": \"p.image\"}", "size", "[4, 2, 0]", NULL);
  g_assert_cmpfloat (find_difference (&test, "g.result", "b.result", 16), <, 2e-3);
  g_assert_cmpfloat (find_difference (&test, "g.result", "p.image", 16), >, 0.2);
  /* Mixed with nothing, it is as it was. */
  node_test_set (&test, "g", "mix", "0");
  g_assert_cmpfloat (find_difference (&test, "g.result", "p.image", 0), ==, 0);
  node_test_clear (&test);
}

static void
test_invert (void)
{
  NodeTest test = { 0 };

  if (load () == NULL)
    return;
  test = make ();
  node_test_add (&test, "gegl/invert_linear", "g", "image", "{\"link\": \"p.image\"}", NULL);
  node_test_add (&test, "image/invert", "i", "image", "{\"link\": \"p.image\"}", NULL);
  g_assert_cmpfloat (find_difference (&test, "g.result", "i.result", 0), <, 1e-6);
  node_test_clear (&test);
}

/* Squares of 8 by 4 pixels in an image of the size that is asked for; colours are linear light, and come back multiplied by
 * alpha. */
static void
test_sources (void)
{
  NodeTest test = { 0 };

  if (load () == NULL)
    return;
  test = make ();
  node_test_add (&test, "gegl/checkerboard", "g", "width", "32", "height", "24", "x", "8", "y", "4", "color1",
                 "[0.2, 0.4, 0.6, 0.5]", "color2", "[0, 0, 1, 1]", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "g.image", 0);
    const float *pixels = kg_image_get_pixels (value.image);

    g_assert_cmpint (kg_image_get_width (value.image), ==, 32);
    g_assert_cmpint (kg_image_get_height (value.image), ==, 24);
    for (int y = 0; y < 24; y++)
      for (int x = 0; x < 32; x++) {
        const bool other = ((x / 8) + (y / 4)) % 2 != 0;
        const double wanted[] = { other ? 0 : 0.1, other ? 0 : 0.2, other ? 1 : 0.3, other ? 1 : 0.5 };

        for (int c = 0; c < 4; c++)
          g_assert_cmpfloat (fabs ((double) pixels[4 * (32 * y + x) + c] - wanted[c]), <, 1e-5);
      }
  }
  node_test_set (&test, "g", "like", "{\"link\": \"p.image\"}");
  {
    g_auto (KgValue) value = node_test_get (&test, "g.image", 0);

    g_assert_cmpint (kg_image_get_width (value.image), ==, 96);
  }
  node_test_clear (&test);
}

/* A second image of another size lies in the middle of the first, as everywhere. */
static void
test_composers (void)
{
  NodeTest test = { 0 };

  if (load () == NULL)
    return;
  test = make ();
  node_test_add (&test, "image/constant", "s", "width", "20", "height", "10", "color", "[1, 0.5, 0, 0.5]", NULL);
  node_test_add (&test, "gegl/svg_src_over", "g", "image", "{\"link\": \"p.image\"}", "aux", "{\"link\": \"s.image\"}",
                 NULL);
  node_test_add (&test, "image/over", "o", "layers", "[{\"link\": \"p.image\"}, {\"link\": \"s.image\"}]", NULL);
  g_assert_cmpfloat (find_difference (&test, "g.result", "o.image", 0), <, 1e-6);
  g_assert_cmpfloat (find_difference (&test, "g.result", "p.image", 0), >, 0.1);
  node_test_clear (&test);
}

/* What reads or writes files, shows windows or runs other operations is not there; what is not there is told. */
static void
test_refused (void)
{
  static const char *const names[] = {
    "gegl/load",         "gegl/save", "gegl/png_save", "gegl/exr_load", "gegl/ff_load", "gegl/open_buffer",
    "gegl/write_buffer", "gegl/v4l",  "gegl/gegl",     "gegl/layer",    "gegl/display", "gegl/lcms_from_profile"
  };
  NodeTest test = { 0 };

  if (load () == NULL)
    return;
  test = make ();
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GError) error = kg_types_new_unknown_error (test.types, names[i]);

    g_assert_null (kg_types_find (test.types, names[i]));
    g_assert_error (error, KG_ERROR, KG_ERROR_UNKNOWN_TYPE);
  }
  for (guint i = 0; load ()[i] != NULL; i++)
    for (guint k = 0; k < load ()[i]->n_slots; k++)
      g_assert_false (g_str_has_suffix (load ()[i]->slots[k].name, "path"));
  node_test_clear (&test);
}

/* Each operation in a node of its own, and what becomes of it: a finite image, or an error in words. */
static guint
try_all (GRand *random)
{
  NodeTest test = make ();
  const KgNodeType *const *types = load ();
  guint n_failed = 0;

  for (guint i = 0; types[i] != NULL; i++) {
    const KgNodeType *type = types[i];
    const bool is_source = kg_type_find_slot (type, "result") < 0;
    g_autoptr (GError) error = NULL;
    g_autofree char *target = g_strdup_printf ("n.%s", is_source ? "image" : "result");
    g_auto (KgValue) value = KG_VALUE_INIT;
    KgNode *node = node_test_add (&test, type->id, "n", NULL);
    guint slot;

    for (guint k = 0; k < type->n_slots; k++) {
      const KgSlot *input = &type->slots[k];
      g_autofree char *json = NULL;

      if (input->kind == KG_IMAGE && input->role == KG_SLOT_INPUT && !g_str_equal (input->name, "mask"))
        json = g_strdup ("{\"link\": \"p.image\"}");
      else if (random == NULL || input->role != KG_SLOT_INPUT || g_str_equal (input->name, "width") ||
               g_str_equal (input->name, "height"))
        continue;
      else if (input->kind == KG_NUMBER && !g_str_equal (input->name, "mix"))
        json = g_strdup_printf ("%.6g", g_rand_boolean (random)
                                            ? input->min
                                            : g_rand_double_range (random, input->soft_min, input->soft_max + 1e-9));
      else if (input->kind == KG_INTEGER)
        json = g_strdup_printf ("%d", g_rand_boolean (random) ? (int) input->min : (int) input->soft_max);
      if (json != NULL && !kg_graph_set_json (test.graph, node, input->name, json, &error))
        g_clear_error (&error);
    }
    kg_graph_find_output (test.graph, target, &node, &slot, &error);
    g_assert_no_error (error);
    g_test_message ("%s", type->id);
    if (kg_evaluator_evaluate (test.evaluator, node, slot, 0, NULL, &value, &error)) {
      g_autoptr (GError) wrong = NULL;

      kg_image_check_finite (value.image, &wrong);
      g_assert_no_error (wrong);
      g_assert_cmpint (kg_image_get_height (value.image), ==, 64);
    } else {
      g_test_message ("%s: %s", type->id, error->message);
      g_assert_nonnull (strstr (error->message, "GEGL"));
      n_failed++;
    }
    kg_graph_remove (test.graph, node);
  }
  node_test_clear (&test);
  return n_failed;
}

static void
test_defaults (void)
{
  if (load () == NULL)
    return;
  g_assert_cmpuint (try_all (NULL), ==, 0);
}

/* The library may crash, this program does not. */
static void
test_random_values (void)
{
  GRand *random;

  if (load () == NULL)
    return;
  random = g_rand_new_with_seed (22);
  g_test_message ("%u operations crashed or took too long", try_all (random));
  g_rand_free (random);
}

/* The same bits from one program and from another one. */
static void
test_same_bits (void)
{
  static const char *const names[] = { "gegl/noise_rgb", "gegl/hue_chroma", "gegl/saturation", "gegl/gaussian_blur" };
  NodeTest one = { 0 }, other = { 0 };

  if (load () == NULL)
    return;
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++) {
    one = make ();
    other = make ();
    node_test_add (&one, names[i], "n", "image", "{\"link\": \"p.image\"}", NULL);
    node_test_add (&other, names[i], "n", "image", "{\"link\": \"p.image\"}", NULL);
    {
      g_auto (KgValue) a = node_test_get (&one, "n.result", 0), b = node_test_get (&other, "n.result", 0);

      g_assert_true (kg_image_equal (a.image, b.image));
    }
    node_test_clear (&one);
    node_test_clear (&other);
  }
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (300000);
  g_cancellable_cancel ((GCancellable *) cancellable);
  return NULL;
}

/* What takes minutes ends at once when it is no longer wanted, and the next one works. */
static void
test_cancelled (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  NodeTest test = { 0 };
  GThread *thread;
  KgNode *node;
  gint64 start;
  guint slot;

  if (load () == NULL)
    return;
  test = make ();
  node_test_set (&test, "p", "width", "3000");
  node_test_set (&test, "p", "height", "3000");
  node_test_add (&test, "gegl/stress", "s", "image", "{\"link\": \"p.image\"}", "radius", "1000", "samples", "20",
                 "iterations", "500", NULL);
  kg_graph_find_output (test.graph, "s.result", &node, &slot, NULL);
  thread = g_thread_new ("cancel", cancel_soon, cancellable);
  start = g_get_monotonic_time ();
  g_assert_false (kg_evaluator_evaluate (test.evaluator, node, slot, 0, cancellable, &value, &error));
  g_thread_join (thread);
  g_assert_error (error, KG_ERROR, KG_ERROR_CANCELLED);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 15 * G_USEC_PER_SEC);
  node_test_add (&test, "gegl/invert_linear", "i", "image", "{\"link\": \"p.image\"}", NULL);
  {
    g_auto (KgValue) result = node_test_get (&test, "i.result", 0);

    g_assert_cmpint (kg_image_get_width (result.image), ==, 3000);
  }
  node_test_clear (&test);
}

/* A file that names an operation is read in any build. */
static void
test_missing (void)
{
  NodeTest test = make ();
  g_autoptr (GError) error = kg_types_new_unknown_error (test.types, "gegl/gausian_blur");

  g_assert_nonnull (strstr (error->message, "gegl/gausian_blur"));
  g_assert_true (strstr (error->message, "did you mean \"gegl/gaussian_blur\"") != NULL ||
                 strstr (error->message, "libgegl-dev") != NULL);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gegl/blur", test_blur);
  g_test_add_func ("/gegl/invert", test_invert);
  g_test_add_func ("/gegl/sources", test_sources);
  g_test_add_func ("/gegl/composers", test_composers);
  g_test_add_func ("/gegl/refused", test_refused);
  g_test_add_func ("/gegl/missing", test_missing);
  g_test_add_func ("/gegl/defaults", test_defaults);
  g_test_add_func ("/gegl/random-values", test_random_values);
  g_test_add_func ("/gegl/same-bits", test_same_bits);
  g_test_add_func ("/gegl/cancelled", test_cancelled);
  return g_test_run ();
}
