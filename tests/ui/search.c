/* tests/ui/search: node types are found by what people type.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-search.h"

static const char *
first (KgTypes *types, const char *words, KgKind kind, bool is_output)
{
  g_autoptr (GPtrArray) found = kg_search_types (types, words, kind, is_output);

  return found->len > 0 ? ((const KgNodeType *) g_ptr_array_index (found, 0))->id : "";
}

static void
test_words (void)
{
  static const char *const expected[][2] = {
    { "spline", "curve/spline" },
    { "curve/spline", "curve/spline" },
    { "SPLINE", "curve/spline" },
    { "curve spline", "curve/spline" },
    { "transf geom", "geometry/transform" },
    { "tween", "motion/ease" },
    { "sclr", "" },
    { "zzz", "" },
  };
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpstr (first (types, expected[i][0], KG_N_KINDS, false), ==, expected[i][1]);
}

/* Every type is found by its label and by its name, before any other that does not have the words as well. */
static void
test_all (void)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (GPtrArray) everything = kg_search_types (types, "", KG_N_KINDS, false);

  g_assert_cmpuint (everything->len, ==, kg_types_get_n (types));
  for (guint i = 0; i < kg_types_get_n (types); i++) {
    const KgNodeType *type = kg_types_get (types, i);

    g_assert_cmpstr (first (types, type->id, KG_N_KINDS, false), ==, type->id);
    g_assert_cmpint (kg_search_score (type, type->label), >, 0);
    g_assert_cmpint (kg_search_score (type, "  "), >, 0);
  }
}

static void
test_kinds (void)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (GPtrArray) takers = kg_search_types (types, "", KG_IMAGE, true);
  g_autoptr (GPtrArray) givers = kg_search_types (types, "", KG_IMAGE, false);

  g_assert_cmpuint (takers->len, >, 0);
  g_assert_cmpuint (takers->len, <, kg_types_get_n (types));
  for (guint i = 0; i < givers->len; i++)
    g_assert_cmpstr (((const KgNodeType *) g_ptr_array_index (givers, i))->id, !=, "geometry/circle");
  g_assert_cmpstr (first (types, "casteljau", KG_IMAGE, false), ==, "");
  g_assert_cmpstr (first (types, "casteljau", KG_GEOMETRY, false), ==, "curve/de_casteljau");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/search/words", test_words);
  g_test_add_func ("/search/all", test_all);
  g_test_add_func ("/search/kinds", test_kinds);
  return g_test_run ();
}
