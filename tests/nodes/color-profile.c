/* tests/nodes/color-profile: ICC profiles.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include <glib/gstdio.h>

static const float *
get_pixel (const KgValue *value)
{
  return kg_image_get_pixels (value->image);
}

static void
set_path (NodeTest *test, const char *node, char *path)
{
  g_autofree char *quoted = g_strdup_printf ("\"%s\"", path);

  node_test_set (test, node, "path", quoted);
  g_free (path);
}

static char *
get_example (void)
{
  return g_build_filename (g_getenv ("KG_GRAPHS"), "tables", "display_p3.icc", NULL);
}

static char *
get_data (const char *name)
{
  return g_build_filename (g_getenv ("KG_TEST_DATA"), "profiles", name, NULL);
}

/* An image of one colour, from a profile and back to it. */
static NodeTest
make (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "p", "width", "2", "height", "2", NULL);
  node_test_add (&test, "image/color_profile", "from", "image", "{\"link\": \"p.image\"}", NULL);
  node_test_add (&test, "image/color_profile", "to", "image", "{\"link\": \"from.result\"}", "direction", "\"to\"",
                 NULL);
  node_test_add (&test, "image/color_space", "known", "image", "{\"link\": \"p.image\"}", NULL);
  return test;
}

/* Built without Little CMS, the node says so. */
static bool
skip_without_library (NodeTest *test)
{
  g_autoptr (GError) error = NULL;
  KgValue value = KG_VALUE_INIT;
  KgNode *node;
  guint slot;

  kg_graph_find_output (test->graph, "from.result", &node, &slot, NULL);
  kg_evaluator_evaluate (test->evaluator, node, slot, 0, NULL, &value, &error);
  kg_value_clear (&value);
  if (error == NULL || strstr (error->message, "Little CMS") == NULL)
    return false;
  g_test_skip ("built without Little CMS");
  node_test_clear (test);
  return true;
}

static const char *const colors[] = {
  "[1, 1, 1, 1]", "[0, 0, 0, 1]",        "[1, 0, 0, 1]",         "[0, 1, 0, 1]",
  "[0, 0, 1, 1]", "[0.8, 0.2, 0.05, 1]", "[0.01, 0.5, 0.99, 1]",
};

/* A profile of curves and a matrix agrees with the closed form of its standard, and leads back to the same numbers. */
static void
test_matrix (void)
{
  NodeTest test = make ();

  set_path (&test, "from", get_example ());
  set_path (&test, "to", get_example ());
  node_test_set (&test, "known", "from", "\"display_p3\"");
  node_test_set (&test, "known", "to", "\"linear\"");
  if (skip_without_library (&test))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (colors); i++) {
    g_auto (KgValue) before = KG_VALUE_INIT, from = KG_VALUE_INIT, known = KG_VALUE_INIT, back = KG_VALUE_INIT;

    node_test_set (&test, "p", "color", colors[i]);
    before = node_test_get (&test, "p.image", 0);
    from = node_test_get (&test, "from.result", 0);
    known = node_test_get (&test, "known.result", 0);
    back = node_test_get (&test, "to.result", 0);
    for (int c = 0; c < 4; c++) {
      /* The profile has its primaries in steps of 2^-16, and the white of ICC in four digits. */
      assert_near (get_pixel (&from)[c], get_pixel (&known)[c], 1e-4);
      assert_near (get_pixel (&back)[c], get_pixel (&before)[c], 1e-5);
    }
  }
  node_test_clear (&test);
}

/* One with tables, of nine entries a side made from sRGB: at its entries it is sRGB. */
static void
test_tables (void)
{
  NodeTest test = make ();

  set_path (&test, "from", get_data ("tables.icc"));
  set_path (&test, "to", get_data ("tables.icc"));
  node_test_set (&test, "known", "from", "\"srgb\"");
  node_test_set (&test, "known", "to", "\"linear\"");
  if (skip_without_library (&test))
    return;
  for (guint i = 0; i < 6; i++) {
    static const char *const entries[] = { "[1, 1, 1, 1]", "[0, 0, 0, 1]",         "[1, 0, 0, 1]",
                                           "[0, 1, 0, 1]", "[0.5, 0.25, 0.75, 1]", "[0, 0, 1, 1]" };
    g_auto (KgValue) from = KG_VALUE_INIT, known = KG_VALUE_INIT, back = KG_VALUE_INIT;

    node_test_set (&test, "p", "color", entries[i]);
    from = node_test_get (&test, "from.result", 0);
    known = node_test_get (&test, "known.result", 0);
    back = node_test_get (&test, "to.result", 0);
    for (int c = 0; c < 4; c++) {
      /* 16 bits of L*a*b*, of which one of a* is 1/256. */
      assert_near (get_pixel (&from)[c], get_pixel (&known)[c], 3e-4);
      g_assert_cmpfloat (get_pixel (&back)[c], >=, 0);
      g_assert_cmpfloat (get_pixel (&back)[c], <=, 1);
    }
    /* Nine entries a side of L*a*b* are few, but greys lie on entries of a* and b*. */
    if (i < 2)
      assert_near (get_pixel (&back)[1], i == 0 ? 1 : 0, 6e-3);
  }
  node_test_clear (&test);
}

static void
test_wrong (void)
{
  NodeTest test = make ();
  g_autofree char *folder = g_dir_make_tmp ("kineographXXXXXX", NULL), *bytes = NULL;
  g_autofree char *path = g_build_filename (folder, "cut.icc", NULL), *whole = get_data ("tables.icc");
  gsize length;

  node_test_fails_saying (&test, "from.result", 0, "choose a colour profile");
  set_path (&test, "from", g_strdup ("/nowhere/a.icc"));
  node_test_fails_saying (&test, "from.result", 0, "No such file");
  set_path (&test, "from", get_example ());
  if (skip_without_library (&test))
    return;
  set_path (&test, "from", get_data ("grey.icc"));
  node_test_fails_saying (&test, "from.result", 0, "no colours of red, green and blue");
  g_file_set_contents (path, "not a profile", -1, NULL);
  set_path (&test, "from", g_strdup (path));
  node_test_fails_saying (&test, "from.result", 0, "not a readable colour profile");
  g_file_set_contents (path, "", 0, NULL);
  node_test_set (&test, "from", "intent", "\"perceptual\"");
  node_test_fails_saying (&test, "from.result", 0, "not a readable colour profile");
  /* Cut off anywhere: an error, or colours. */
  g_file_get_contents (whole, &bytes, &length, NULL);
  for (gsize i = 1; i < length; i += length / 12) {
    g_autoptr (GError) error = NULL;
    g_auto (KgValue) value = KG_VALUE_INIT;
    KgNode *node;
    guint slot;

    g_file_set_contents (path, bytes, (gssize) i, NULL);
    node_test_set (&test, "from", "intent", i % 2 ? "\"relative\"" : "\"saturation\"");
    kg_graph_find_output (test.graph, "from.result", &node, &slot, NULL);
    g_assert_true (kg_evaluator_evaluate (test.evaluator, node, slot, 0, NULL, &value, &error) == (error == NULL));
  }
  g_remove (path);
  g_rmdir (folder);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/color-profile/matrix", test_matrix);
  g_test_add_func ("/color-profile/tables", test_tables);
  g_test_add_func ("/color-profile/wrong", test_wrong);
  return g_test_run ();
}
