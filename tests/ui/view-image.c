/* tests/ui/view-picture: thumbnails of geometry, skeletons and scenes by the nodes that render them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-file.h"
#include "kg-view-image.h"

static const char text[] = "{ \"kineograph\": 1, \"nodes\": {"
                           " \"ball\": { \"type\": \"geometry/sphere\" },"
                           " \"arm\": { \"type\": \"rig/chain\" },"
                           " \"sun\": { \"type\": \"render/light\" },"
                           " \"one\": { \"type\": \"value/number\" } } }";

typedef struct {
  KgGraph *graph;
  KgCache *cache;
  KgEvaluator *evaluator;
  KgViewImages *pictures;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (GPtrArray) problems = kg_problems_new ();

  (void) data;
  f->graph = kg_graph_parse (types, text, -1, problems);
  g_assert_nonnull (f->graph);
  f->cache = kg_cache_new (1 << 26);
  f->evaluator = kg_evaluator_new (f->graph, f->cache);
  f->pictures = kg_view_images_new (f->graph, f->evaluator);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  kg_view_images_free (f->pictures);
  kg_evaluator_free (f->evaluator);
  kg_cache_unref (f->cache);
  g_object_unref (f->graph);
}

/* (transfer full) (nullable) Of the first output of a node. */
static KgImage *
draw (Fixture *f, const char *name, GError **error)
{
  KgNode *node = kg_graph_find (f->graph, name);
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autofree char *target = NULL;
  guint slot = 0;

  while (kg_node_get_slot (node, slot)->role != KG_SLOT_OUTPUT)
    slot++;
  target = g_strdup_printf ("%s.%s", name, kg_node_get_slot (node, slot)->name);
  g_assert_true (kg_evaluator_evaluate (f->evaluator, node, slot, 0, NULL, &value, NULL));
  return kg_view_images_draw_thumbnail (f->pictures, target, node, slot, &value, 0, NULL, error);
}

static void
test_kinds (Fixture *f, gconstpointer data)
{
  static const char *const shown[] = { "ball", "arm", "sun" };
  g_autoptr (GError) error = NULL;

  (void) data;
  for (guint times = 0; times < 2; times++)
    for (guint i = 0; i < G_N_ELEMENTS (shown); i++) {
      g_autoptr (KgImage) small = draw (f, shown[i], &error), again = NULL;

      g_assert_no_error (error);
      g_assert_cmpint (kg_image_get_width (small), ==, 120);
      g_assert_cmpint (kg_image_get_height (small), ==, 68);
      /* The same value has the same picture. */
      again = draw (f, shown[i], &error);
      g_assert_true (again == small);
    }
  /* Nodes are added once, not for each picture. */
  g_assert_cmpuint (kg_graph_get_n_nodes (f->graph), ==, 4 + 3 + 4 + 2);
}

static void
test_nothing (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_null (draw (f, "one", &error));
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/view-picture/kinds", Fixture, NULL, set_up, test_kinds, tear_down);
  g_test_add ("/view-picture/nothing", Fixture, NULL, set_up, test_nothing, tear_down);
  return g_test_run ();
}
