/* tests/nodes/image-parts: parts of images, made from parts, and images made smaller for looking at.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include <math.h>
#include <string.h>

#define WIDTH 210
#define HEIGHT 150

/* Three images without any symmetry: two with alpha, one of them with depth, and a mask. */
static void
add_sources (NodeTest *test)
{
  static const char *const formulas[][4] = {
    { "0.5 + 0.5 * sin (0.31 * x + 0.13 * y)", "0.5 + 0.5 * cos (0.07 * x * y / 20)", "u * v", "0.2 + 0.8 * u" },
    { "v", "0.5 + 0.5 * sin (0.2 * y)", "0.3", "0.5 + 0.5 * sin (0.05 * x + 0.2 * y)" },
    { "u", "u", "u", "1" },
  };
  static const char *const names[] = { "s0", "s1", "s2" };

  node_test_add (test, "image/constant", "plate", "width", G_STRINGIFY (WIDTH), "height", G_STRINGIFY (HEIGHT), NULL);
  for (int i = 0; i < 3; i++) {
    g_autofree char *texts[4] = { NULL };

    node_test_add (test, "image/expression", names[i], "image", "{\"link\": \"plate.image\"}", NULL);
    for (int c = 0; c < 4; c++) {
      static const char *const slots[] = { "red", "green", "blue", "alpha" };
      g_autofree char *json = g_strdup_printf ("\"%s\"", formulas[i][c]);

      node_test_set (test, names[i], slots[c], json);
    }
  }
  node_test_add (test, "geometry/sphere", "ball", NULL);
  node_test_add (test, "render/object", "object", "geometry", "{\"link\": \"ball.geometry\"}", NULL);
  node_test_add (test, "render/camera", "camera", NULL);
  node_test_add (test, "render/scene", "deep", "scenes", "[{\"link\": \"camera.scene\"}, {\"link\": \"object.scene\"}]",
                 "width", G_STRINGIFY (WIDTH), "height", G_STRINGIFY (HEIGHT), NULL);
}

static KgNode *
find (NodeTest *test, const char *name)
{
  return kg_graph_find (test->graph, name);
}

/* (transfer full) */
static KgImage *
get_part (NodeTest *test, const char *name, const KgImagePart *part, bool *is_part)
{
  KgNode *node = find (test, name);
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  guint slot = 0;

  while (kg_node_get_slot (node, slot)->role != KG_SLOT_OUTPUT)
    slot++;
  kg_evaluator_evaluate_part (test->evaluator, node, slot, 0, part, NULL, &value, is_part, &error);
  g_assert_no_error (error);
  g_assert_cmpint (value.kind, ==, KG_IMAGE);
  return kg_image_ref (value.image);
}

/* (transfer full) */
static KgImage *
get_whole (NodeTest *test, const char *name)
{
  KgNode *node = find (test, name);
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  guint slot = 0;

  while (kg_node_get_slot (node, slot)->role != KG_SLOT_OUTPUT)
    slot++;
  kg_evaluator_evaluate (test->evaluator, node, slot, 0, NULL, &value, &error);
  g_assert_no_error (error);
  return kg_image_ref (value.image);
}

/* The largest difference of the part from that part of the whole; that of depth counts as well. */
static double
compare (const KgImage *part, const KgImage *whole, const KgImagePart *place)
{
  const float *p = kg_image_get_pixels (part), *w = kg_image_get_pixels (whole);
  const float *pz = kg_image_get_depth (part), *wz = kg_image_get_depth (whole);
  double worst = 0;

  g_assert_cmpint (kg_image_get_width (part), ==, place->part_width);
  g_assert_cmpint (kg_image_get_height (part), ==, place->part_height);
  g_assert_true ((pz == NULL) == (wz == NULL));
  for (int y = 0; y < place->part_height; y++)
    for (int x = 0; x < place->part_width; x++) {
      const size_t i = (size_t) (y * place->part_width + x);
      const size_t k = (size_t) ((y + place->y) * place->width + x + place->x);

      for (size_t c = 0; c < 4; c++)
        worst = fmax (worst, fabs ((double) p[4 * i + c] - (double) w[4 * k + c]));
      if (pz != NULL && !(pz[i] == wz[k]))
        worst = INFINITY;
    }
  return worst;
}

/* In the middle, at a corner, a column at an edge, and nearly all. */
static const KgImagePart places[] = {
  { WIDTH, HEIGHT, 90, 60, 23, 17 },
  { WIDTH, HEIGHT, 0, 0, 31, 8 },
  { WIDTH, HEIGHT, WIDTH - 3, 10, 3, 130 },
  { WIDTH, HEIGHT, 1, 1, WIDTH - 2, HEIGHT - 2 },
};

static void
check_places (NodeTest *test, const char *type, const char *what, double tolerance)
{
  g_autoptr (KgImage) whole = get_whole (test, "n");

  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    bool is_part;
    g_autoptr (KgImage) part = get_part (test, "n", &places[i], &is_part);
    double difference;

    g_assert_true (is_part);
    difference = compare (part, whole, &places[i]);
    if (!(difference <= tolerance))
      g_error ("%s, %s, part %u: differs by %g", type, what, i, difference);
  }
}

/* Other settings than those that nodes begin with, which leave the image as it is or hardly show anything. */
static void
set_typical (NodeTest *test, const char *type)
{
  static const char *const settings[][3] = {
    { "image/transform", "rotate", "17" },
    { "image/transform", "scale", "[1.3, 0.8, 1]" },
    { "image/corner_pin", "to_1", "[-80, -60, 0]" },
    { "image/corner_pin", "to_2", "[100, -66, 0]" },
    { "image/corner_pin", "to_3", "[90, 70, 0]" },
    { "image/corner_pin", "to_4", "[-101, 50, 0]" },
    { "image/lens_distortion", "k1", "0.2" },
    { "image/lens_distortion", "fringe", "0.01" },
    { "image/crop", "left", "20.3" },
    { "image/crop", "bottom", "11" },
    { "image/crop", "softness", "30" },
    { "image/displace", "scale", "[9, -14, 0]" },
    { "image/reformat", "width", G_STRINGIFY (WIDTH) },
    { "image/reformat", "height", G_STRINGIFY (HEIGHT) },
    { "image/reformat", "fit", "\"width\"" },
    { "image/expression", "red", "\"0.4 * left.r + 0.3 * downright.g + 0.01 * x + v\"" },
    { "image/expression", "step", "3" },
    { "image/grain", "size", "1.3" },
    { "image/gradient", "width", G_STRINGIFY (WIDTH) },
    { "image/constant", "gradient", "true" },
    { "image/checkerboard", "size", "[17, 11, 0]" },
    { "image/checkerboard", "line", "1.5" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    if (g_str_equal (settings[i][0], type))
      node_test_set (test, "n", settings[i][1], settings[i][2]);
}

/* What moves: the same at another time would show. */
static void
add_moving (NodeTest *test, KgNode *node)
{
  if (kg_node_get_type (node)->demand == NULL)
    return;
  if (find (test, "moving") == NULL)
    node_test_add (test, "image/expression", "moving", "image", "{\"link\": \"s0.result\"}", "red",
                   "\"fract (r + 3 * t)\"", NULL);
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);

    if (slot->role == KG_SLOT_INPUT && (slot->kind == KG_IMAGE || slot->kind == KG_ANY) &&
        !g_str_equal (slot->name, "mask"))
      node_test_set (test, "n", slot->name,
                     slot->list ? "[{\"link\": \"moving.result\"}]" : "{\"link\": \"moving.result\"}");
  }
}

/* Links what it takes: false where it needs more than images. */
static bool
link_images (NodeTest *test, KgNode *node, bool depth, bool with_mask)
{
  guint n = 0;

  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);
    const char *source = depth ? "deep" : n % 2 == 0 ? "s0" : "s1";
    const bool mask = g_str_equal (slot->name, "mask");
    g_autofree char *json = NULL;

    if (slot->role == KG_SLOT_INPUT && slot->path)
      return false;
    if (slot->role == KG_SLOT_INPUT && slot->kind == KG_FIELD) {
      if (find (test, "waves") == NULL)
        node_test_add (test, "field/noise", "waves", NULL);
      node_test_set (test, "n", slot->name, "{\"link\": \"waves.field\"}");
    }
    if (slot->role != KG_SLOT_INPUT || (slot->kind != KG_IMAGE && slot->kind != KG_ANY) || (mask && !with_mask))
      continue;
    if (slot->list)
      json = g_strdup ("[{\"link\": \"s0.result\"}, {\"link\": \"s1.result\"}]");
    else
      json = g_strdup_printf ("{\"link\": \"%s.%s\"}", mask ? "s2" : source, depth && !mask ? "image" : "result");
    node_test_set (test, "n", slot->name, json);
    n++;
  }
  return true;
}

/* Nothing but the part was made. */
static void
check_alone (NodeTest *test, const char *type)
{
  static const KgImagePart place = { WIDTH, HEIGHT, 33, 44, 21, 19 };
  KgNodeStats stats;
  bool is_part;

  kg_image_unref (get_part (test, "n", &place, &is_part));
  kg_evaluator_get_stats (test->evaluator, find (test, "n"), &stats);
  if (!(stats.bytes < 16 * 21 * 19 + 2000))
    g_error ("%s made %" G_GUINT64_FORMAT " bytes", type, stats.bytes);
}

/* Every node type that says how far around its pixels count, or where they come from, with each of its choices, with and without a mask. */
static void
test_all_types (void)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  guint n_types = 0;

  for (guint t = 0; t < kg_types_get_n (types); t++) {
    const KgNodeType *type = kg_types_get (types, t);
    /* Beyond their reach, Gaussians have less than a millionth; reduced images have cells of their own. */
    const double tolerance = type->region != NULL || type->demand != NULL ? 0 : 2e-4;
    NodeTest test;
    KgNode *node;

    if (type->reach == NULL && type->region == NULL)
      continue;
    test = node_test_new ();
    add_sources (&test);
    node = node_test_add (&test, type->id, "n", NULL);
    if (link_images (&test, node, g_str_equal (type->id, "image/depth_merge"), false)) {
      n_types++;
      set_typical (&test, type->id);
      add_moving (&test, node);
      check_places (&test, type->id, "as it is", tolerance);
      if (type->region != NULL)
        check_alone (&test, type->id);
      for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
        const KgSlot *slot = kg_node_get_slot (node, i);

        if (slot->role != KG_SLOT_INPUT || slot->kind != KG_CHOICE || g_str_equal (slot->name, "mask_by"))
          continue;
        for (const KgChoice *choice = slot->choices; choice->nick != NULL; choice++) {
          g_autofree char *json = g_strdup_printf ("\"%s\"", choice->nick);

          /* It wants a plate of its own. */
          node_test_set (&test, "n", slot->name, json);
          check_places (&test, type->id, json, tolerance);
        }
        {
          g_autofree char *json = g_strdup_printf ("\"%s\"", slot->choices[(int) slot->def].nick);

          node_test_set (&test, "n", slot->name, json);
        }
      }
      link_images (&test, node, g_str_equal (type->id, "image/depth_merge"), true);
      add_moving (&test, node);
      check_places (&test, type->id, "masked", tolerance);
    }
    node_test_clear (&test);
  }
  g_assert_cmpuint (n_types, >=, 45);
}

/* In a chain of them each takes what the next one needs, of the whole, at the time that it is needed; sizes change on the way. */
static void
test_regions (void)
{
  static const KgImagePart part = { 140, 90, 50, 20, 40, 30 };
  NodeTest test = node_test_new ();
  bool is_part;

  node_test_add (&test, "image/gradient", "g", "width", "900", "height", "700", "from", "[-300, 100, 0]", "spread",
                 "\"mirror\"", NULL);
  node_test_add (&test, "image/checkerboard", "c", "like", "{\"link\": \"g.image\"}", "size", "[23, 19, 0]", "color",
                 "[1, 0.2, 0, 0.4]", NULL);
  node_test_add (&test, "image/merge", "m", "image", "{\"link\": \"g.image\"}", "foreground", "{\"link\": \"c.image\"}",
                 NULL);
  node_test_add (&test, "image/transform", "t", "image", "{\"link\": \"m.result\"}", "rotate", "{\"expr\": \"40 * t\"}",
                 "filter", "\"bicubic\"", "edges", "\"mirror\"", NULL);
  node_test_add (&test, "graph/time_shift", "s", "value", "{\"link\": \"t.transformed\"}", "offset", "7", NULL);
  node_test_add (&test, "image/reformat", "r", "image", "{\"link\": \"s.shifted\"}", "by", "\"factor\"", "factor",
                 "0.25", NULL);
  node_test_add (&test, "image/crop", "k", "image", "{\"link\": \"r.result\"}", "left", "40", "right", "45", "top",
                 "30", "bottom", "55", "shrink", "true", NULL);
  node_test_add (&test, "image/blur", "b", "image", "{\"link\": \"k.result\"}", "size", "[1, 1, 0]", NULL);
  node_test_add (&test, "image/corner_pin", "p", "image", "{\"link\": \"b.result\"}", "to_1", "[-60, -40, 0]", "to_2",
                 "[50, -45, 0]", "to_3", "[70, 45, 0]", "to_4", "[-66, 40, 0]", "filter", "\"lanczos\"", NULL);
  node_test_add (&test, "image/grain", "n", "image", "{\"link\": \"p.result\"}", NULL);
  {
    g_autoptr (KgImage) cut = get_part (&test, "n", &part, &is_part);
    g_autoptr (KgImage) whole = NULL;
    KgNodeStats generator, turned;

    g_assert_true (is_part);
    kg_evaluator_get_stats (test.evaluator, find (&test, "g"), &generator);
    kg_evaluator_get_stats (test.evaluator, find (&test, "t"), &turned);
    /* Not even an eighth of it was ever made. */
    g_assert_cmpuint (generator.bytes, <, 16 * 900 * 700 / 2);
    g_assert_cmpuint (turned.bytes, <, 16 * 900 * 700 / 8);
    whole = get_whole (&test, "n");
    g_assert_cmpint (kg_image_get_width (whole), ==, part.width);
    g_assert_cmpint (kg_image_get_height (whole), ==, part.height);
    /* A blur is the same up to its tail. */
    g_assert_cmpfloat (compare (cut, whole, &part), <=, 2e-4);
    node_test_set (&test, "b", "size", "[0, 0, 0]");
    g_clear_pointer (&cut, kg_image_unref);
    g_clear_pointer (&whole, kg_image_unref);
    cut = get_part (&test, "n", &part, &is_part);
    whole = get_whole (&test, "n");
    g_assert_true (is_part);
    g_assert_cmpfloat (compare (cut, whole, &part), ==, 0);
  }
  node_test_clear (&test);
}

/* What a part cannot know: pixels that are not square, a map of another size, an image that shrinks to smaller copies of all of
 * it.  All is then made, and cut. */
static void
test_regions_refused (void)
{
  static const KgImagePart part = { WIDTH, HEIGHT, 100, 70, 20, 10 };
  static const struct {
    const char *node, *slot, *json;
  } changes[] = {
    { "d", "map", "{\"link\": \"small.image\"}" },
    { "n", "scale", "[0.02, 0.02, 1]" },
    { "n", "edges", "\"repeat\"" },
    { "f", "aspect", "2" },
  };
  NodeTest test = node_test_new ();
  bool is_part;

  add_sources (&test);
  node_test_add (&test, "image/checkerboard", "small", "width", "50", "height", "31", NULL);
  node_test_add (&test, "image/reformat", "f", "image", "{\"link\": \"s0.result\"}", "width", G_STRINGIFY (WIDTH),
                 "height", G_STRINGIFY (HEIGHT), "fit", "\"fill\"", NULL);
  node_test_add (&test, "image/displace", "d", "image", "{\"link\": \"f.result\"}", "map", "{\"link\": \"s1.result\"}",
                 NULL);
  node_test_add (&test, "image/transform", "n", "image", "{\"link\": \"d.result\"}", "rotate", "30", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    g_autoptr (KgImage) cut = NULL, whole = NULL;

    node_test_set (&test, changes[i].node, changes[i].slot, changes[i].json);
    cut = get_part (&test, "n", &part, &is_part);
    whole = get_whole (&test, "n");
    g_assert_true (is_part);
    g_assert_cmpfloat (compare (cut, whole, &part), ==, 0);
    g_assert_cmpfloat (kg_image_get_pixel_aspect (cut), ==, kg_image_get_pixel_aspect (whole));
  }
  node_test_clear (&test);
}

/* Point operations have the same bits; the mask's automatic choice is that of the whole mask, which is opaque only in the part. */
static void
test_same_bits (void)
{
  static const KgImagePart part = { WIDTH, HEIGHT, 100, 70, 40, 30 };
  NodeTest test = node_test_new ();
  bool is_part;

  add_sources (&test);
  node_test_add (&test, "image/expression", "mask", "image", "{\"link\": \"plate.image\"}", "red", "\"u\"", "green",
                 "\"u\"", "blue", "\"u\"", "alpha", "\"min (1, 2 * u + 0.1)\"", NULL);
  node_test_add (&test, "image/grade", "g", "image", "{\"link\": \"s0.result\"}", "gamma", "[1.3, 0.8, 1, 1]", "mask",
                 "{\"link\": \"mask.result\"}", NULL);
  node_test_add (&test, "image/saturation", "s", "image", "{\"link\": \"g.result\"}", NULL);
  node_test_add (&test, "image/merge", "n", "image", "{\"link\": \"s.result\"}", "foreground",
                 "{\"link\": \"s1.result\"}", "offset", "[13, -7, 0]", NULL);
  {
    g_autoptr (KgImage) cut = get_part (&test, "n", &part, &is_part), whole = get_whole (&test, "n");

    g_assert_true (is_part);
    g_assert_cmpfloat (compare (cut, whole, &part), ==, 0);
  }
  node_test_clear (&test);
}

/* Of a chain only the part and its margins are made, from the source on.  The same again is there already. */
static void
test_only_the_part (void)
{
  static const KgImagePart part = { WIDTH, HEIGHT, 100, 70, 20, 10 };
  NodeTest test = node_test_new ();
  KgNodeStats blur, grade, source;
  bool is_part;

  add_sources (&test);
  node_test_add (&test, "image/blur", "b", "image", "{\"link\": \"s0.result\"}", "size", "[2, 2, 0]", NULL);
  node_test_add (&test, "image/grade", "n", "image", "{\"link\": \"b.result\"}", "gamma", "[2, 2, 2, 1]", NULL);
  kg_image_unref (get_part (&test, "n", &part, &is_part));
  g_assert_true (is_part);
  kg_evaluator_get_stats (test.evaluator, find (&test, "s0"), &source);
  kg_evaluator_get_stats (test.evaluator, find (&test, "b"), &blur);
  kg_evaluator_get_stats (test.evaluator, find (&test, "n"), &grade);
  g_assert_cmpuint (source.bytes, <, 16 * 52 * 42 + 2000);
  /* 4.75 + 0.25 standard deviations and 4 pixels on each side: 48 by 38. */
  g_assert_cmpuint (blur.bytes, <, 16 * 50 * 40 + 2000);
  g_assert_cmpuint (grade.bytes, <, 16 * 20 * 10 + 2000);
  g_assert_cmpuint (blur.evaluations, ==, 1);
  kg_image_unref (get_part (&test, "n", &part, &is_part));
  kg_evaluator_get_stats (test.evaluator, find (&test, "b"), &blur);
  g_assert_cmpuint (blur.evaluations, ==, 1);
  /* An edit below leaves what is above. */
  node_test_set (&test, "n", "gamma", "[1.5, 2, 2, 1]");
  kg_image_unref (get_part (&test, "n", &part, &is_part));
  kg_evaluator_get_stats (test.evaluator, find (&test, "b"), &blur);
  g_assert_cmpuint (blur.evaluations, ==, 1);
  node_test_clear (&test);
}

/* Images of other sizes, errors, and what depends on all of an image. */
static void
test_not_alone (void)
{
  static const KgImagePart part = { WIDTH, HEIGHT, 100, 70, 20, 10 }, other = { 64, 64, 0, 0, 10, 10 };
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;
  bool is_part;

  add_sources (&test);
  node_test_add (&test, "image/constant", "small", "width", "40", "height", "31", "color", "[1, 0.5, 0, 0.5]", NULL);
  node_test_add (&test, "image/merge", "n", "image", "{\"link\": \"s0.result\"}", "foreground",
                 "{\"link\": \"small.image\"}", NULL);
  {
    g_autoptr (KgImage) cut = get_part (&test, "n", &part, &is_part), whole = get_whole (&test, "n");

    g_assert_true (is_part);
    g_assert_cmpfloat (compare (cut, whole, &part), ==, 0);
  }
  {
    /* It has another size than was thought: all of it. */
    g_autoptr (KgImage) all = get_part (&test, "n", &other, &is_part);

    g_assert_false (is_part);
    g_assert_cmpint (kg_image_get_width (all), ==, WIDTH);
  }
  node_test_add (&test, "image/grade", "bad", "image", "{\"link\": \"s0.result\"}", "white_point", "[0, 0, 0, 1]",
                 "black_point", "[0, 0, 0, 1]", NULL);
  node_test_add (&test, "image/clamp", "after", "image", "{\"link\": \"bad.result\"}", NULL);
  g_assert_false (kg_evaluator_evaluate_part (test.evaluator, find (&test, "after"),
                                              (guint) kg_node_find_slot (find (&test, "after"), "result"), 0, &part,
                                              NULL, &value, &is_part, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  g_assert_true (g_str_has_prefix (error->message, "bad: "));
  node_test_clear (&test);
}

/* Proxies: what is half as large shows the same. */
static void
test_proxy (void)
{
  NodeTest test = node_test_new ();
  g_autoptr (KgImage) full = NULL, half = NULL;
  double worst = 0;

  node_test_add (&test, "image/gradient", "g", "width", "400", "height", "300", "from", "[-150, 20, 0]", "to",
                 "[150, -40, 0]", NULL);
  node_test_add (&test, "image/roto", "r", "width", "400", "height", "300", "points", "\"-120 -90\\n120 -90\\n0 110\"",
                 "curve", "\"polygon\"", "feather", "12", NULL);
  node_test_add (&test, "image/blur", "b", "image", "{\"link\": \"r.image\"}", "size", "[10, 10, 0]", NULL);
  node_test_add (&test, "image/transform", "t", "image", "{\"link\": \"b.result\"}", "translate", "[30, 12, 0]", NULL);
  node_test_add (&test, "image/expression", "e", "image", "{\"link\": \"t.transformed\"}", "red",
                 "\"r + 0.1 * sin (0.02 * x)\"", "alpha", "\"a * y / height\"", NULL);
  node_test_add (&test, "image/merge", "n", "image", "{\"link\": \"g.image\"}", "foreground",
                 "{\"link\": \"e.result\"}", "offset", "[-16, 8, 0]", NULL);
  full = get_whole (&test, "n");
  kg_evaluator_set_proxy (test.evaluator, 0.5);
  half = get_whole (&test, "n");
  g_assert_cmpint (kg_image_get_width (half), ==, 200);
  g_assert_cmpint (kg_image_get_height (half), ==, 150);
  for (int y = 2; y < 148; y++)
    for (int x = 2; x < 198; x++)
      for (int c = 0; c < 4; c++) {
        const float *p = kg_image_get_pixels (full) + 4 * (2 * y * 400 + 2 * x) + c;
        const double mean = 0.25 * ((double) p[0] + (double) p[4] + (double) p[1600] + (double) p[1604]);

        worst = fmax (worst, fabs (mean - (double) kg_image_get_pixels (half)[4 * (y * 200 + x) + c]));
      }
  g_assert_cmpfloat (worst, <, 0.02);
  /* And all of it again, with its own bits. */
  kg_evaluator_set_proxy (test.evaluator, 1);
  {
    g_autoptr (KgImage) again = get_whole (&test, "n");

    g_assert_true (kg_image_equal (again, full));
  }
  node_test_clear (&test);
}

/* Numbers that come out of images stay numbers of their full size, and those of nodes without images stay as they are. */
static void
test_proxy_numbers (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/picture_format", "f", "format", "\"1080\"", NULL);
  node_test_add (&test, "image/constant", "c", "width", "{\"link\": \"f.width\"}", "height", "{\"link\": \"f.height\"}",
                 NULL);
  kg_evaluator_set_proxy (test.evaluator, 0.25);
  {
    g_autoptr (KgImage) image = get_whole (&test, "c");

    g_assert_cmpint (kg_image_get_width (image), ==, 480);
    g_assert_cmpint (kg_image_get_height (image), ==, 270);
  }
  g_assert_cmpfloat (node_test_number (&test, "f.width", 0), ==, 1920);
  node_test_clear (&test);
}

/* (transfer full) What an example shows. */
static KgImage *
get_shown (NodeTest *test)
{
  g_auto (KgValue) value = node_test_get (test, kg_graph_get_display (test->graph), 0.4);

  g_assert_cmpint (value.kind, ==, KG_IMAGE);
  return kg_image_ref (value.image);
}

/* The mean difference of the image of half the size from the mean of two by two pixels. */
static double
compare_halves (const KgImage *full, const KgImage *half)
{
  const int wide = kg_image_get_width (full), width = kg_image_get_width (half), height = kg_image_get_height (half);
  double sum = 0;

  g_assert_cmpint (width, ==, wide / 2);
  g_assert_cmpint (height, ==, kg_image_get_height (full) / 2);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 4; c++) {
        const float *p = kg_image_get_pixels (full) + 4 * (2 * y * wide + 2 * x) + c, *q = p + 4 * wide;
        const double mean = 0.25 * ((double) p[0] + (double) p[4] + (double) q[0] + (double) q[4]);

        sum += fabs (mean - (double) kg_image_get_pixels (half)[4 * (y * width + x) + c]);
      }
  return sum / (4.0 * width * height);
}

/* Whole graphs: keyed film, planes, morphs, paint, shadows, cuts, refraction, generators with a label each. */
static void
test_proxy_examples (void)
{
  static const char *const files[] = { "green_screen", "multiplane",    "through_each_other",
                                       "face_to_face", "ink_and_paint", "drop_shadows",
                                       "the_cut",      "behind_glass",  "zoetrope",
                                       "generators" };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *file = g_strconcat (files[i], ".json", NULL);
    NodeTest test = node_test_open_example (file);
    g_autoptr (KgImage) full = NULL, half = NULL;
    double difference;

    kg_graph_set_folder (test.graph, g_getenv ("KG_GRAPHS"));
    full = get_shown (&test);
    kg_evaluator_set_proxy (test.evaluator, 0.5);
    half = get_shown (&test);
    difference = compare_halves (full, half);
    if (!(difference < 0.01))
      g_error ("%s: the proxy differs by %g", files[i], difference);
    node_test_clear (&test);
  }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/image-parts/all-types", test_all_types);
  g_test_add_func ("/image-parts/regions", test_regions);
  g_test_add_func ("/image-parts/regions-refused", test_regions_refused);
  g_test_add_func ("/image-parts/same-bits", test_same_bits);
  g_test_add_func ("/image-parts/only-the-part", test_only_the_part);
  g_test_add_func ("/image-parts/not-alone", test_not_alone);
  g_test_add_func ("/image-parts/proxy", test_proxy);
  g_test_add_func ("/image-parts/proxy-numbers", test_proxy_numbers);
  g_test_add_func ("/image-parts/proxy-examples", test_proxy_examples);
  return g_test_run ();
}
