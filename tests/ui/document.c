/* tests/ui/document: what a document emits to the parts of a window.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-document.h"

#include "kg-file.h"
#include "kg-preset-json.h"

#include <glib/gstdio.h>

static void
count (guint *n)
{
  (*n)++;
}

/* Each part of the window draws or evaluates again when it is notified: only what changes is worth it.  A box that is drawn
 * on the canvas selects what it holds at every movement of the pointer. */
static void
test_selection (void)
{
  static const char text[] = "{ \"kineograph\": 1, \"nodes\": { \"a\": { \"type\": \"value/number\" }, "
                             "\"b\": { \"type\": \"value/number\" } } }";
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (GPtrArray) problems = kg_problems_new (), both = g_ptr_array_new (), turned = g_ptr_array_new ();
  g_autoptr (KgDocument) document = kg_document_parse (types, text, NULL, problems);
  KgGraph *graph = kg_document_get_graph (document);
  KgNode *a = kg_graph_find (graph, "a"), *b = kg_graph_find (graph, "b");
  guint emitted = 0;

  g_signal_connect_swapped (document, "selection-changed", G_CALLBACK (count), &emitted);
  /* A click emits in any case: text typed elsewhere is taken then. */
  kg_document_select (document, a, false);
  kg_document_select (document, a, false);
  kg_document_select (document, b, true);
  g_assert_cmpuint (emitted, ==, 3);
  g_assert_true (kg_document_get_active (document) == b);
  g_assert_cmpuint (kg_document_get_n_selected (document), ==, 2);
  kg_document_select (document, NULL, false);
  g_assert_cmpuint (kg_document_get_n_selected (document), ==, 0);
  g_ptr_array_add (both, a);
  g_ptr_array_add (both, b);
  g_ptr_array_add (turned, b);
  g_ptr_array_add (turned, a);
  emitted = 0;
  kg_document_select_all (document, both);
  kg_document_select_all (document, both);
  g_assert_cmpuint (emitted, ==, 1);
  /* The last is the active one, so that the order counts. */
  kg_document_select_all (document, turned);
  g_assert_cmpuint (emitted, ==, 2);
  g_assert_true (kg_document_get_active (document) == a);
  g_ptr_array_set_size (both, 0);
  kg_document_select_all (document, both);
  kg_document_select_all (document, both);
  g_assert_cmpuint (emitted, ==, 3);
  kg_document_unselect (document, a);
  g_assert_cmpuint (emitted, ==, 3);
}

/* Thousands of nodes may go with one step. */
static void
test_step (void)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (KgDocument) document = kg_document_new (types);
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  KgGraph *graph = kg_document_get_graph (document);
  KgNode *first = kg_graph_add (graph, "value/number", NULL, 0, 0, NULL);
  guint emitted = 0;

  g_ptr_array_add (all, first);
  kg_graph_begin_group (graph, "add");
  for (guint i = 0; i < 50; i++)
    g_ptr_array_add (all, kg_graph_add (graph, "value/number", NULL, 0, 0, NULL));
  kg_graph_end_group (graph);
  kg_document_select_all (document, all);
  g_signal_connect_swapped (document, "selection-changed", G_CALLBACK (count), &emitted);
  g_assert_true (kg_document_step (document, true));
  g_assert_cmpuint (emitted, ==, 2);
  g_assert_cmpuint (kg_graph_get_n_nodes (graph), ==, 1);
  g_assert_cmpuint (kg_document_get_n_selected (document), ==, 1);
  g_assert_true (kg_document_get_active (document) == first);
  g_assert_true (kg_document_step (document, false));
  g_assert_cmpuint (kg_graph_get_n_nodes (graph), ==, 51);
  g_assert_false (kg_document_step (document, false));
}

/* Thousands of nodes may come with one paste. */
static void
test_paste (void)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (KgDocument) document = kg_document_new (types);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new (), pasted = NULL;
  g_autofree char *text = NULL;
  KgGraph *graph = kg_document_get_graph (document);
  guint emitted = 0;

  for (guint i = 0; i < 50; i++) {
    KgNode *node = kg_graph_add (graph, "value/number", NULL, 0, 0, NULL);
    const KgValue value = kg_value_number (i);

    g_assert_true (kg_graph_set_constant (graph, node, "value", &value, NULL));
    g_ptr_array_add (nodes, node);
  }
  text = kg_graph_copy (graph, (KgNode *const *) nodes->pdata, nodes->len);
  g_signal_connect_swapped (document, "changed", G_CALLBACK (count), &emitted);
  pasted = kg_graph_paste (graph, text, 0, 0, NULL);
  g_assert_nonnull (pasted);
  g_assert_cmpuint (pasted->len, ==, 50);
  g_assert_cmpuint (emitted, ==, 1);
}

static const char *
get_path (KgGraph *graph, const char *name)
{
  KgNode *node = kg_graph_find_path (graph, name);

  g_assert_nonnull (node);
  return kg_node_get_source (node, (guint) kg_node_find_slot (node, "path"))->constant.text;
}

/* What a graph saved elsewhere reads is where it was, also in contents of an instance that are its own. */
static void
test_save_elsewhere (void)
{
  static const char text[] =
      "{ \"kineograph_preset\": 1, \"id\": \"test/picture\", \"version\": 1, \"title\": \"P\", \"help\": \"P.\","
      " \"interface\": { \"inputs\": {}, \"outputs\": { \"image\": { \"from\": \"file.image\" } } },"
      " \"graph\": { \"nodes\": { \"file\": { \"type\": \"image/import\", \"inputs\": { \"path\": \"a.png\" } } } } }";
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgJson) json = kg_json_parse (text, -1, problems);
  g_autoptr (KgPreset) preset = kg_preset_from_json (types, json, "", problems);
  g_autoptr (KgTypes) more = kg_types_add (types, kg_preset_get_type (preset));
  g_autoptr (KgDocument) document = kg_document_new (more);
  g_autofree char *folder = g_dir_make_tmp ("kineograph-XXXXXX", NULL);
  g_autofree char *first = g_build_filename (folder, "first", NULL),
                  *second = g_build_filename (folder, "second", NULL);
  g_autofree char *before = g_build_filename (first, "a.json", NULL),
                  *after = g_build_filename (second, "a.json", NULL);
  KgGraph *graph = kg_document_get_graph (document);
  KgNode *own = kg_graph_add (graph, "test/picture", "own", 0, 0, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir (first, 0777), ==, 0);
  g_assert_cmpint (g_mkdir (second, 0777), ==, 0);
  g_assert_nonnull (kg_graph_add (graph, "test/picture", "locked", 0, 0, NULL));
  kg_graph_set_unlocked (graph, own, true);
  g_assert_true (kg_document_save (document, before, &error));
  g_assert_true (kg_document_save (document, after, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (get_path (graph, "own/file"), ==, "../first/a.png");
  g_assert_cmpstr (get_path (graph, "locked/file"), ==, "a.png");
  g_remove (before);
  g_remove (after);
  g_rmdir (first);
  g_rmdir (second);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/document/selection", test_selection);
  g_test_add_func ("/document/step", test_step);
  g_test_add_func ("/document/paste", test_paste);
  g_test_add_func ("/document/save-elsewhere", test_save_elsewhere);
  return g_test_run ();
}
