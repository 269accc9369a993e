/* tests/ui/stage: what the scene view shows of a graph, and pictures of it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-file.h"
#include "kg-projection.h"
#include "kg-stage.h"

static KgGraph *
parse (const char *nodes)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autofree char *text = g_strdup_printf ("{ \"kineograph\": 1, \"nodes\": { %s } }", nodes);
  KgGraph *graph = kg_graph_parse (types, text, -1, problems);

  for (guint i = 0; i < problems->len; i++)
    g_test_message ("%s", (const char *) g_ptr_array_index (problems, i));
  g_assert_nonnull (graph);
  return graph;
}

/* (transfer full) The targets in one line, templates in brackets. */
static char *
list (KgGraph *graph, KgGraph *current, const char *target)
{
  g_autoptr (GPtrArray) items = kg_stage_list (graph, current, target);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < items->len; i++) {
    const KgStageItem *item = (const KgStageItem *) g_ptr_array_index (items, i);

    g_string_append_printf (text, item->stage == KG_STAGE_TEMPLATE ? "%s[%s]" : "%s%s", i > 0 ? " " : "", item->target);
  }
  return g_string_free (text, FALSE);
}

#define ASSERT_LIST(graph, current, target, expected)                                                                  \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    g_autofree char *found = list (graph, current, target);                                                            \
    g_assert_cmpstr (found, ==, expected);                                                                             \
  }                                                                                                                    \
  G_STMT_END

/* What is displayed, and of an image what it is made of. */
static void
test_displayed (void)
{
  g_autoptr (KgGraph) graph =
      parse ("\"ball\": { \"type\": \"geometry/sphere\" },"
             "\"object\": { \"type\": \"render/object\", \"inputs\": { \"geometry\": {\"link\": \"ball\"} } },"
             "\"camera\": { \"type\": \"render/camera\" },"
             "\"scene\": { \"type\": \"render/scene\", \"inputs\": { \"scenes\": [{\"link\": \"camera\"}, {\"link\": "
             "\"object\"}] } },"
             "\"over\": { \"type\": \"image/over\", \"inputs\": { \"layers\": [{\"link\": \"scene\"}, {\"link\": "
             "\"scene\"}] } },"
             "\"one\": { \"type\": \"value/number\" }");

  ASSERT_LIST (graph, graph, NULL, "");
  ASSERT_LIST (graph, graph, "one.output", "");
  ASSERT_LIST (graph, graph, "nothing.there", "");
  ASSERT_LIST (graph, graph, "ball.geometry", "ball.geometry");
  ASSERT_LIST (graph, graph, "scene.image", "camera.scene object.scene");
  ASSERT_LIST (graph, graph, "over.image", "camera.scene object.scene");
}

/* Flags of nodes, once each. */
static void
test_flags (void)
{
  g_autoptr (KgGraph) graph = parse ("\"ball\": { \"type\": \"geometry/sphere\", \"stage\": \"shown\" },"
                                     "\"box\": { \"type\": \"geometry/box\", \"stage\": \"template\" },"
                                     "\"one\": { \"type\": \"value/number\", \"stage\": \"shown\" }");

  ASSERT_LIST (graph, graph, NULL, "ball.geometry [box.geometry]");
  ASSERT_LIST (graph, graph, "box.geometry", "box.geometry ball.geometry");
  kg_graph_set_stage (graph, kg_graph_find (graph, "ball"), KG_STAGE_OFF);
  ASSERT_LIST (graph, graph, NULL, "[box.geometry]");
  g_assert_true (kg_graph_undo (graph));
  ASSERT_LIST (graph, graph, NULL, "ball.geometry [box.geometry]");
}

/* The way upstream goes into sub-graphs and out of them. */
static void
test_inside (void)
{
  g_autoptr (KgGraph) graph =
      parse ("\"ball\": { \"type\": \"geometry/sphere\" },"
             "\"object\": { \"type\": \"render/object\", \"inputs\": { \"geometry\": {\"link\": \"ball\"} } },"
             "\"sub\": { \"type\": \"graph/subnet\", \"inputs\": { \"things\": {\"link\": \"object\"} }, \"graph\": { "
             "\"nodes\": {"
             "  \"things\": { \"type\": \"graph/input\", \"inputs\": { \"kind\": \"scene\" } },"
             "  \"camera\": { \"type\": \"render/camera\" },"
             "  \"small\": { \"type\": \"geometry/box\", \"stage\": \"template\" },"
             "  \"draw\": { \"type\": \"render/scene\", \"inputs\": { \"scenes\": [{\"link\": \"camera\"}, {\"link\": "
             "\"things\"}] } },"
             "  \"image\": { \"type\": \"graph/output\", \"inputs\": { \"value\": {\"link\": \"draw\"} } } } } }");
  KgGraph *inside = kg_node_get_graph (kg_graph_find (graph, "sub"));
  g_autoptr (GPtrArray) items = kg_stage_list (graph, graph, "sub.image"), cameras = kg_stage_list_cameras (graph);

  ASSERT_LIST (graph, graph, "sub.image", "sub/camera.scene object.scene");
  ASSERT_LIST (graph, inside, "sub.image", "sub/camera.scene object.scene [sub/small.geometry]");
  g_assert_cmpuint (cameras->len, ==, 1);
  g_assert_cmpstr ((const char *) g_ptr_array_index (cameras, 0), ==, "sub/camera.scene");
  g_assert_true (kg_stage_find_camera_node (graph, items) == kg_graph_find_path (graph, "sub/camera"));
}

/* Pictures. */

/* A square of two metres across z, at z = at. */
static KgValue
make_square (double at, float red)
{
  static const float corners[] = { -1, -1, 1, -1, 1, 1, -1, 1 };
  static const uint32_t order[] = { 0, 1, 2, 3 };
  KgGeometry *geometry = kg_geometry_new ();
  float *p, *color;

  kg_geometry_set_n_points (geometry, 4, NULL);
  p = kg_geometry_edit_positions (geometry);
  for (guint i = 0; i < 4; i++) {
    p[3 * i] = corners[2 * i];
    p[3 * i + 1] = corners[2 * i + 1];
    p[3 * i + 2] = (float) at;
  }
  color = kg_geometry_edit_float (geometry, KG_POINTS, "Cd", 3);
  for (guint i = 0; i < 4; i++)
    color[3 * i] = red;
  kg_geometry_add_primitives (geometry, KG_POLYGON, true, 1, 4, order);
  return (KgValue){ .kind = KG_GEOMETRY, .geometry = geometry };
}

static KgView
make_view (void)
{
  return (KgView){ .width = 64,
                   .height = 48,
                   .scale = 1,
                   .eye = { 0, 0, 4 },
                   .fov = 40,
                   .height_metres = 4,
                   .near_plane = 0.01,
                   .far_plane = 100 };
}

static KgImage *
draw (KgStagePainter *painter, const GPtrArray *items, const KgView *view, const KgCamera *through)
{
  g_autoptr (GError) error = NULL;
  KgImage *image = kg_stage_painter_draw (painter, items, view, view->width, view->height, through, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (image);
  return image;
}

static const float *
get_pixel (const KgImage *image, int x, int y)
{
  return kg_image_get_pixels (image) + 4 * ((size_t) y * (size_t) kg_image_get_width (image) + (size_t) x);
}

static guint
count_covered (const KgImage *image)
{
  guint n = 0;

  for (int y = 0; y < kg_image_get_height (image); y++)
    for (int x = 0; x < kg_image_get_width (image); x++)
      n += get_pixel (image, x, y)[3] > 0.5f;
  return n;
}

/* Several things in one picture, the nearer in front, where the projection has them; drafts and parallel views too. */
static void
test_draw (void)
{
  KgStageItem near = { .stage = KG_STAGE_SHOWN, .has_value = true, .value = make_square (0.5, 1) };
  KgStageItem far = { .stage = KG_STAGE_SHOWN, .has_value = true, .value = make_square (-0.5, 0) };
  KgStageItem nothing = { .stage = KG_STAGE_SHOWN };
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  g_autoptr (KgStagePainter) painter = kg_stage_painter_new ();
  KgView view = make_view ();

  g_ptr_array_add (items, &near);
  g_ptr_array_add (items, &nothing);
  g_ptr_array_add (items, &far);
  for (guint draft = 0; draft < 2; draft++)
    for (guint parallel = 0; parallel < 2; parallel++) {
      KgOrbit orbit = { .distance = 4, .fov = 40 * KG_DEGREE, .parallel = parallel != 0 };
      g_autoptr (KgImage) front = NULL, back = NULL;
      KgProjection projection;
      double x, y;

      view.draft = draft != 0;
      view.orthographic = parallel != 0;
      view.height_metres = kg_orbit_get_height (&orbit);
      view.eye = kg_vector (0, 0, 4);
      front = draw (painter, items, &view, NULL);
      g_assert_cmpfloat (get_pixel (front, 32, 24)[0], >, 0.2);
      view.eye = kg_vector (0, 0, -4);
      back = draw (painter, items, &view, NULL);
      g_assert_cmpfloat (get_pixel (back, 32, 24)[3], >, 0.99);
      g_assert_cmpfloat (get_pixel (back, 32, 24)[0], <, 0.5 * get_pixel (front, 32, 24)[0]);
      /* The picture is where the handles are: a corner of the nearer square. */
      kg_projection_from_orbit (&projection, &orbit, view.width, view.height);
      g_assert_true (kg_projection_map (&projection, kg_vector (1, 1, 0.5), &x, &y));
      g_assert_cmpfloat (get_pixel (front, (int) x - 2, (int) y + 2)[3], >, 0.9);
      g_assert_cmpfloat (get_pixel (front, (int) x + 2, (int) y - 2)[3], <, 0.1);
    }
  kg_value_clear (&near.value);
  kg_value_clear (&far.value);
}

/* Of a template there are only the edges; points are dots; a camera of a scene is looked through. */
static void
test_styles (void)
{
  KgStageItem item = { .stage = KG_STAGE_SHOWN, .has_value = true, .value = make_square (0, 1) };
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  g_autoptr (KgStagePainter) painter = kg_stage_painter_new ();
  g_autoptr (KgImage) solid = NULL, wires = NULL, points = NULL, away = NULL;
  KgView view = make_view ();
  KgCamera camera;

  g_ptr_array_add (items, &item);
  solid = draw (painter, items, &view, NULL);
  item.stage = KG_STAGE_TEMPLATE;
  wires = draw (painter, items, &view, NULL);
  g_assert_cmpuint (count_covered (wires), >, 40);
  g_assert_cmpuint (count_covered (wires), <, count_covered (solid) / 3);
  g_assert_cmpfloat (get_pixel (wires, 32, 24)[3], ==, 0);
  item.stage = KG_STAGE_SHOWN;
  view.style = KG_STYLE_POINTS;
  points = draw (painter, items, &view, NULL);
  g_assert_cmpuint (count_covered (points), ==, 4 * 9);
  view.style = KG_STYLE_SHADED;
  kg_camera_init (&camera);
  camera.transform.m[0][3] = 50;
  away = draw (painter, items, &view, &camera);
  g_assert_cmpuint (count_covered (away), ==, 0);
  kg_value_clear (&item.value);
}

/* A picture without room, one that is cancelled, a view of nothing and one from nowhere. */
static void
test_nothing (void)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  g_autoptr (KgStagePainter) painter = kg_stage_painter_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (KgImage) empty = NULL;
  KgView view = make_view ();

  g_assert_null (kg_stage_painter_draw (painter, items, &view, 0, 10, NULL, NULL, &error));
  g_assert_no_error (error);
  empty = draw (painter, items, &view, NULL);
  g_assert_cmpuint (count_covered (empty), ==, 0);
  view.near_plane = 0;
  g_assert_null (kg_stage_painter_draw (painter, items, &view, 10, 10, NULL, NULL, &error));
  g_assert_nonnull (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stage/displayed", test_displayed);
  g_test_add_func ("/stage/flags", test_flags);
  g_test_add_func ("/stage/inside", test_inside);
  g_test_add_func ("/stage/draw", test_draw);
  g_test_add_func ("/stage/styles", test_styles);
  g_test_add_func ("/stage/nothing", test_nothing);
  return g_test_run ();
}
