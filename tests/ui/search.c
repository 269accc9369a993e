/* tests/ui/search: node types are found by what people type.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-gegl-types.h"
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

/* Who comes from Natron, or Nuke, types what a node is called there. */
static const char *const names_from_natron[][2] = {
  { "Merge", "image/merge" },
  { "Blur", "image/blur" },
  { "Grade", "image/grade" },
  { "Transform", "image/transform" },
  { "Roto", "image/roto" },
  { "ColorCorrect", "image/color_correct" },
  { "Keyer", "image/keyer" },
  { "ChromaKeyer", "image/keyer" },
  { "PIK", "image/keyer" },
  { "Keylight", "image/keyer" },
  { "Despill", "image/keyer" },
  { "Difference", "image/merge" },
  { "Premult", "image/premultiply" },
  { "Unpremult", "image/premultiply" },
  { "Shuffle", "image/channels" },
  { "Copy", "image/channels" },
  { "Constant", "image/constant" },
  { "Solid", "image/constant" },
  { "Read", "image/import" },
  { "Write", "render/file" },
  { "Crop", "image/crop" },
  { "Reformat", "image/reformat" },
  { "CornerPin", "image/corner_pin" },
  { "Tracker", "image/track" },
  { "FrameHold", "graph/frame_hold" },
  { "FrameBlend", "image/time_average" },
  { "TimeOffset", "graph/time_shift" },
  { "TimeBlur", "image/motion_blur" },
  { "Retime", "image/retime" },
  { "Dissolve", "image/merge" },
  { "KeyMix", "image/matte" },
  { "Switch", "graph/switch" },
  { "Glow", "image/glow" },
  { "Bloom", "image/glow" },
  { "Sharpen", "image/sharpen" },
  { "Soften", "image/blur" },
  { "Median", "image/median" },
  { "Saturation", "image/saturation" },
  { "HueCorrect", "image/hue_correct" },
  { "ColorLookup", "image/color_curves" },
  { "Noise", "image/grain" },
  { "SeNoise", "field/noise" },
  { "SeExpr", "image/expression" },
  { "Ramp", "image/gradient" },
  { "Text", "geometry/text" },
  { "Invert", "image/invert" },
  { "Clamp", "image/clamp" },
  { "Erode", "image/matte_tools" },
  { "Dilate", "image/matte_tools" },
  { "EdgeDetect", "image/edge" },
  { "LensDistortion", "image/lens_distortion" },
  { "Card3D", "image/corner_pin" },
  { "DirBlur", "image/blur" },
  { "GodRays", "image/blur" },
  { "Radial", "image/gradient" },
  { "Rectangle", "image/roto" },
  { "CheckerBoard", "image/checkerboard" },
  { "ColorBars", "image/color_bars" },
  { "Mirror", "image/tile" },
  { "Position", "image/transform" },
  { "AddMix", "image/merge" },
  { "ZMerge", "image/depth_merge" },
  { "IDistort", "image/displace" },
  { "STMap", "image/displace" },
  { "ContactSheet", "image/contact_sheet" },
  { "Dot", "graph/reroute" },
  { "Backdrop", "graph/note" },
};

static void
find_names_from_natron (KgTypes *types)
{
  for (guint i = 0; i < G_N_ELEMENTS (names_from_natron); i++) {
    g_autoptr (GPtrArray) found = kg_search_types (types, names_from_natron[i][0], KG_N_KINDS, false);
    guint at = 0;

    while (at < found->len && !g_str_equal (((const KgNodeType *) found->pdata[at])->id, names_from_natron[i][1]))
      at++;
    /* Others have a right to the word, too; this one is seen without scrolling. */
    if (at >= MIN (found->len, 6))
      g_error ("%s: %s is number %u of %u", names_from_natron[i][0], names_from_natron[i][1], at, found->len);
  }
}

static void
test_names_from_natron (void)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);

  find_names_from_natron (types);
}

/* Beside the operations of GEGL ours are found as before, and theirs where we have none. */
static void
test_gegl (void)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);

  kg_gegl_offer (types);
  if (!kg_types_add_offered (types, NULL)) {
    g_test_skip ("built without GEGL");
    return;
  }
  find_names_from_natron (types);
  g_assert_cmpstr (first (types, "median", KG_N_KINDS, false), ==, "image/median");
  g_assert_cmpstr (first (types, "newsprint", KG_N_KINDS, false), ==, "gegl/newsprint");
  g_assert_cmpstr (first (types, "gegl/gaussian_blur", KG_N_KINDS, false), ==, "gegl/gaussian_blur");
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
  g_assert_cmpstr (first (types, "geometry/circle", KG_IMAGE, false), ==, "");
  g_assert_cmpstr (first (types, "geometry/circle", KG_GEOMETRY, false), ==, "geometry/circle");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/search/words", test_words);
  g_test_add_func ("/search/all", test_all);
  g_test_add_func ("/search/names_from_natron", test_names_from_natron);
  g_test_add_func ("/search/gegl", test_gegl);
  g_test_add_func ("/search/kinds", test_kinds);
  return g_test_run ();
}
