/* tests/nodes/preset-examples: the examples of presets are written as the program writes them, and carry the very
 * definitions that the library has.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preset.h"
#include "kineograph.h"

static void
test_example (gconstpointer data)
{
  const char *path = (const char *) data;
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgGraph) graph = NULL;
  g_autofree char *text = NULL, *again = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  g_file_get_contents (path, &text, &length, &error);
  g_assert_no_error (error);
  graph = kg_graph_parse (types, text, (gssize) length, problems);
  g_assert_cmpuint (problems->len, ==, 0);
  again = kg_graph_to_text (graph);
  g_assert_cmpstr (again, ==, text);
}

static void
test_definition (gconstpointer data)
{
  const char *path = (const char *) data;
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgPreset) preset = kg_preset_load (types, path, problems), same = NULL;
  g_autofree char *text = NULL, *again = NULL;

  g_assert_cmpuint (problems->len, ==, 0);
  text = kg_preset_to_text (preset);
  same = kg_preset_parse (types, text, -1, problems);
  g_assert_cmpuint (problems->len, ==, 0);
  again = kg_preset_to_text (same);
  g_assert_cmpstr (again, ==, text);
}

/* One test for each file of the folder with this suffix. */
static void
add_tests (const char *folder, const char *suffix, const char *name, GTestDataFunc test)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *file;

  g_assert_nonnull (dir);
  while ((file = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (file, suffix)) {
      g_autofree char *title = g_strdup_printf ("/preset-examples/%s/%s", name, file);

      g_test_add_data_func_full (title, g_build_filename (folder, file, NULL), test, g_free);
    }
}

int
main (int argc, char **argv)
{
  g_autofree char *examples = g_build_filename (g_getenv ("KG_GRAPHS"), "presets", NULL);
  g_autofree char *library = g_build_filename (g_getenv ("KG_GRAPHS"), "..", "data", "presets", NULL);

  g_test_init (&argc, &argv, NULL);
  add_tests (examples, ".json", "graphs", test_example);
  add_tests (library, KG_PRESET_SUFFIX, "definitions", test_definition);
  return g_test_run ();
}
