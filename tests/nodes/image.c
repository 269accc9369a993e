/* tests/nodes/image: images transformed, where the result is known to the bit, and filters with known results.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-image-file.h"
#include "kg-movie-file.h"
#include "kg-node.h"
#include "kg-random.h"
#include "node-test.h"

#include <glib/gstdio.h>
#include <omp.h>

/* An image of random numbers, or of a quadratic function of the place. */
typedef struct {
  int64_t width, height;
  double aspect;
  bool quadratic;
  KgImage *image;
} Picture;

static double
get_quadratic (double x, double y)
{
  return 5 + 0.25 * x + 0.5 * y + 0.03125 * x * x + 0.0625 * x * y;
}

static bool
picture_evaluate (Picture *n, const KgContext *ctx, GError **error)
{
  float *p, *depth;

  (void) ctx;
  n->image = kg_image_new (n->width, n->height, true, error);
  if (n->image == NULL)
    return false;
  kg_image_set_pixel_aspect (n->image, n->aspect);
  p = kg_image_edit_pixels (n->image);
  depth = kg_image_edit_depth (n->image);
  for (int64_t i = 0; i < n->width * n->height; i++) {
    const double x = (double) (i % n->width) + 0.5, y = (double) (i / n->width) + 0.5;

    for (int64_t c = 0; c < 4; c++)
      p[4 * i + c] = (float) (!n->quadratic ? kg_random_uniform (1, (uint64_t) i, (uint64_t) c)
                              : c < 3       ? get_quadratic (x, y)
                                            : 1);
    depth[i] = (float) i;
  }
  return true;
}

static const KgSlot picture_slots[] = {
  KG_INPUT (Picture, width, INTEGER, .label = "w", .def = 8, .help = "w"),
  KG_INPUT (Picture, height, INTEGER, .label = "h", .def = 8, .help = "h"),
  KG_INPUT (Picture, aspect, NUMBER, .label = "a", .def = 1, .help = "a"),
  KG_INPUT (Picture, quadratic, BOOLEAN, .label = "q", .help = "q"),
  KG_OUTPUT (Picture, image, IMAGE, .label = "i", .help = "i"),
};

KG_NODE (test, picture, Picture, .label = "Picture", .version = 1, .since = "0.1", .help = "A picture.");

static const char *const filters[] = { "\"nearest\"", "\"bilinear\"", "\"bicubic\"" };
static const char *const edges[] = { "\"transparent\"", "\"extend\"", "\"repeat\"" };

static NodeTest
make (const char *width, const char *height)
{
  g_autoptr (GPtrArray) table = g_ptr_array_new ();
  NodeTest test;

  for (guint i = 0; kg_node_table[i] != NULL; i++)
    g_ptr_array_add (table, (gpointer) kg_node_table[i]);
  g_ptr_array_add (table, (gpointer) &kg_node_test_picture);
  g_ptr_array_add (table, NULL);
  test.types = kg_types_new ((const KgNodeType *const *) table->pdata);
  test.graph = kg_graph_new (test.types);
  test.evaluator = kg_evaluator_new (test.graph, NULL);
  node_test_add (&test, "test/picture", "p", "width", width, "height", height, NULL);
  node_test_add (&test, "image/transform", "t", "image", "{\"link\": \"p.image\"}", NULL);
  return test;
}

/* Where the pixel (x, y) of the result comes from; -1: from outside. */
typedef struct {
  int x, y;
} Place;

typedef Place (*Find) (int x, int y, int width, int height);

/* Every number of every pixel is that of the pixel it comes from, the depth too. */
static void
check_exact (NodeTest *test, Find find)
{
  g_auto (KgValue) before = node_test_get (test, "p.image", 0);
  g_auto (KgValue) after = node_test_get (test, "t.transformed", 0);
  const int width = kg_image_get_width (after.image), height = kg_image_get_height (after.image);

  g_assert_cmpint (width, ==, kg_image_get_width (before.image));
  g_assert_cmpint (height, ==, kg_image_get_height (before.image));
  g_assert_cmpfloat (kg_image_get_pixel_aspect (after.image), ==, kg_image_get_pixel_aspect (before.image));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const Place from = find (x, y, width, height);
      const bool inside = from.x >= 0 && from.x < width && from.y >= 0 && from.y < height;

      for (int c = 0; c < 4; c++)
        g_assert_cmpfloat (kg_image_get_pixels (after.image)[4 * (y * width + x) + c], ==,
                           inside ? kg_image_get_pixels (before.image)[4 * (from.y * width + from.x) + c] : 0);
      g_assert_cmpfloat (kg_image_get_depth (after.image)[y * width + x], ==,
                         inside ? kg_image_get_depth (before.image)[from.y * width + from.x] : INFINITY);
    }
}

static Place
find_itself (int x, int y, int width, int height)
{
  (void) width;
  (void) height;
  return (Place){ x, y };
}

/* Moved by 3 to the right and 2 up. */
static Place
find_moved (int x, int y, int width, int height)
{
  (void) width;
  (void) height;
  return (Place){ x - 3, y + 2 };
}

static Place
find_moved_extended (int x, int y, int width, int height)
{
  (void) width;
  return (Place){ MAX (x - 3, 0), MIN (y + 2, height - 1) };
}

static Place
find_moved_repeated (int x, int y, int width, int height)
{
  return (Place){ (x - 3 + width) % width, (y + 2) % height };
}

/* A quarter turn counter-clockwise takes the right edge to the top. */
static Place
find_turned (int x, int y, int width, int height)
{
  (void) height;
  return (Place){ width - 1 - y, x };
}

static Place
find_turned_half (int x, int y, int width, int height)
{
  return (Place){ width - 1 - x, height - 1 - y };
}

static Place
find_mirrored (int x, int y, int width, int height)
{
  (void) height;
  return (Place){ width - 1 - x, y };
}

static Place
find_nothing (int x, int y, int width, int height)
{
  (void) x;
  (void) y;
  (void) width;
  (void) height;
  return (Place){ -1, -1 };
}

static void
test_exact (void)
{
  static const Find moved[] = { find_moved, find_moved_extended, find_moved_repeated };

  for (guint f = 0; f < G_N_ELEMENTS (filters); f++)
    for (guint e = 0; e < G_N_ELEMENTS (edges); e++) {
      NodeTest test = make ("7", "10");

      node_test_set (&test, "t", "filter", filters[f]);
      node_test_set (&test, "t", "edges", edges[e]);
      /* The pivot has no binary fraction, and makes no difference. */
      node_test_set (&test, "t", "pivot", "[0.1, 12.7, 0]");
      check_exact (&test, find_itself);
      node_test_set (&test, "t", "translate", "[3, 2, 0]");
      check_exact (&test, moved[e]);
      node_test_set (&test, "t", "translate", "[0, 0, 0]");
      node_test_set (&test, "t", "pivot", "[0, 0, 0]");
      node_test_set (&test, "t", "rotate", "180");
      check_exact (&test, find_turned_half);
      node_test_set (&test, "t", "rotate", "-360");
      check_exact (&test, find_itself);
      node_test_set (&test, "t", "scale", "[-1, 1, 1]");
      check_exact (&test, find_mirrored);
      node_test_set (&test, "p", "width", "10");
      node_test_set (&test, "t", "scale", "[1, 1, 1]");
      node_test_set (&test, "t", "rotate", "90");
      check_exact (&test, find_turned);
      node_test_set (&test, "t", "rotate", "-270");
      check_exact (&test, find_turned);
      /* Scaled to nothing. */
      node_test_set (&test, "t", "scale", "[1, 0, 1]");
      check_exact (&test, find_nothing);
      node_test_clear (&test);
    }
}

/* Twice as wide pixels, half as many of them: the quarter turn of what is seen is that of a square. */
static void
test_aspect (void)
{
  NodeTest test = make ("4", "8");
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_auto (KgValue) before = KG_VALUE_INIT;

  node_test_set (&test, "p", "aspect", "2");
  node_test_set (&test, "t", "filter", "\"nearest\"");
  node_test_set (&test, "t", "rotate", "90");
  value = node_test_get (&test, "t.transformed", 0);
  before = node_test_get (&test, "p.image", 0);
  /* Row y of the result is the column under height - y, at half the number of steps. */
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 4; x++) {
      const float now = kg_image_get_depth (value.image)[4 * y + x];

      g_assert_cmpint ((int) now % 4, ==, (7 - y) / 2);
      g_assert_true ((int) now / 4 == 2 * x || (int) now / 4 == 2 * x + 1);
    }
  node_test_clear (&test);
}

/* Halfway between pixels: the mean of two; the spline of Catmull and Rom has quadratics exactly. */
static void
test_between (void)
{
  NodeTest test = make ("16", "12");

  node_test_set (&test, "t", "translate", "[0.5, 0, 0]");
  {
    g_auto (KgValue) before = node_test_get (&test, "p.image", 0);
    g_auto (KgValue) after = node_test_get (&test, "t.transformed", 0);
    const float *p = kg_image_get_pixels (before.image), *q = kg_image_get_pixels (after.image);

    for (int i = 0; i < 4 * 16 * 12; i++) {
      const float left = i / 4 % 16 > 0 ? p[i - 4] : 0;

      assert_near (q[i], 0.5f * (left + p[i]), 1e-7);
    }
  }
  node_test_set (&test, "p", "quadratic", "true");
  node_test_set (&test, "t", "filter", "\"bicubic\"");
  node_test_set (&test, "t", "translate", "[0.3, -0.6, 0]");
  node_test_set (&test, "t", "rotate", "10");
  {
    g_auto (KgValue) after = node_test_get (&test, "t.transformed", 0);
    const double c = cos (10 * KG_DEGREE), s = sin (10 * KG_DEGREE);
    guint n = 0;

    for (int y = 0; y < 12; y++)
      for (int x = 0; x < 16; x++) {
        /* Up is minus y: turned back clockwise about the middle, (8, 6). */
        const double dx = x + 0.5 - 8 - 0.3, dy = -(y + 0.5 - 6 - 0.6);
        const double u = 8 + c * dx + s * dy, v = 6 - (-s * dx + c * dy);

        if (u < 2 || u > 14 || v < 2 || v > 10)
          continue;
        assert_near (kg_image_get_pixels (after.image)[4 * (16 * y + x)], get_quadratic (u, v), 2e-5);
        n++;
      }
    g_assert_cmpuint (n, >, 60);
  }
  node_test_clear (&test);
}

/* At half the size every pixel is the mean of four, and the light is a quarter. */
static void
test_shrink (void)
{
  NodeTest test = make ("16", "16");

  node_test_set (&test, "t", "scale", "[0.5, 0.5, 1]");
  {
    g_auto (KgValue) before = node_test_get (&test, "p.image", 0);
    g_auto (KgValue) after = node_test_get (&test, "t.transformed", 0);
    const float *p = kg_image_get_pixels (before.image), *q = kg_image_get_pixels (after.image);

    for (int y = 0; y < 16; y++)
      for (int x = 0; x < 16; x++)
        for (int c = 0; c < 4; c++) {
          const int i = 2 * (x - 4), j = 2 * (y - 4);
          const bool inside = x >= 4 && x < 12 && y >= 4 && y < 12;
          const float *a = p + 4 * (16 * j + i) + c;

          assert_near (q[4 * (16 * y + x) + c], inside ? 0.25f * (a[0] + a[4] + a[64] + a[68]) : 0, 1e-6);
        }
  }
  node_test_clear (&test);
}

/* Opaque white on nothing: at a soft edge colour and alpha fall together, as premultiplied ones do, with every filter. */
static void
test_premultiplied (void)
{
  for (guint f = 0; f < G_N_ELEMENTS (filters); f++) {
    NodeTest test = make ("8", "8");
    g_auto (KgValue) value = KG_VALUE_INIT;
    const float *p;

    node_test_add (&test, "image/constant", "white", "width", "20", "height", "20", "color", "[1, 1, 1, 1]", NULL);
    node_test_set (&test, "t", "image", "{\"link\": \"white.image\"}");
    node_test_set (&test, "t", "filter", filters[f]);
    node_test_set (&test, "t", "scale", "[0.7, 0.6, 1]");
    node_test_set (&test, "t", "rotate", "33");
    value = node_test_get (&test, "t.transformed", 0);
    p = kg_image_get_pixels (value.image);
    for (int i = 0; i < 400; i++, p += 4) {
      g_assert_cmpfloat (p[0], ==, p[3]);
      g_assert_cmpfloat (p[3], >=, 0);
      g_assert_cmpfloat (p[3], <=, 1);
    }
    node_test_clear (&test);
  }
}

static void
test_threads (void)
{
  NodeTest test = make ("61", "47");
  g_auto (KgValue) one = KG_VALUE_INIT;
  g_auto (KgValue) four = KG_VALUE_INIT;

  node_test_set (&test, "t", "filter", "\"bicubic\"");
  node_test_set (&test, "t", "rotate", "17");
  omp_set_num_threads (1);
  one = node_test_get (&test, "t.transformed", 0);
  node_test_clear (&test);
  test = make ("61", "47");
  node_test_set (&test, "t", "filter", "\"bicubic\"");
  node_test_set (&test, "t", "rotate", "17");
  omp_set_num_threads (4);
  four = node_test_get (&test, "t.transformed", 0);
  g_assert_true (kg_image_equal (one.image, four.image));
  node_test_clear (&test);
}

/* Import. */

/* An image of one pixel, whose red in linear light is this. */
static void
write_picture (const char *folder, const char *name, float red)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (KgImage) image = kg_image_new (1, 1, false, NULL);
  g_autoptr (GError) error = NULL;

  kg_image_edit_pixels (image)[0] = red;
  kg_image_edit_pixels (image)[3] = 1;
  kg_image_save (image, path, KG_IMAGE_EXR_FLOAT, 0, NULL, &error);
  g_assert_no_error (error);
}

static float
get_red (NodeTest *test, double frame)
{
  g_auto (KgValue) value = node_test_get (test, "i.image", kg_graph_frame_to_time (test->graph, frame));

  return kg_image_get_pixels (value.image)[0];
}

static void
set_path (NodeTest *test, const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *json = g_strdup_printf ("\"%s\"", path);

  node_test_set (test, "i", "path", json);
}

static void
test_import (void)
{
  g_autofree char *folder = g_dir_make_tmp ("kineographXXXXXX", NULL);
  g_autofree char *still = g_build_filename (folder, "100%.exr", NULL);
  NodeTest test = node_test_new ();
  KgNode *node = node_test_add (&test, "image/import", "i", NULL);
  KgNodeStats stats;

  for (int i = 1; i <= 3; i++) {
    g_autofree char *name = g_strdup_printf ("a.%04d.exr", i);

    write_picture (folder, name, 0.25f * (float) i);
  }
  write_picture (folder, "100%.exr", 8);
  set_path (&test, folder, "a.%04d.exr");
  for (int i = 1; i <= 3; i++)
    g_assert_cmpfloat (get_red (&test, i), ==, 0.25f * (float) i);
  g_assert_cmpfloat (get_red (&test, 1.75), ==, 0.5f);
  node_test_set (&test, "i", "frame", "4");
  node_test_fails (&test, "i.image", KG_ERROR_IO);
  node_test_set (&test, "i", "frame", "{\"expr\": \"1 + mod (frame - 1, 3)\"}");
  g_assert_cmpfloat (get_red (&test, 6), ==, 0.75f);
  /* One image is read once, whatever the frame; a percent sign in a name is not a frame number. */
  set_path (&test, folder, "100%.exr");
  kg_evaluator_reset_stats (test.evaluator);
  for (int i = 1; i <= 5; i++)
    g_assert_cmpfloat (get_red (&test, i), ==, 8);
  kg_evaluator_get_stats (test.evaluator, node, &stats);
  g_assert_cmpuint (stats.evaluations, ==, 1);
  /* After the file has changed, the next request reads it again. */
  write_picture (folder, "100%.exr", 16);
  kg_cache_clear (kg_evaluator_get_cache (test.evaluator));
  g_assert_cmpfloat (get_red (&test, 1), ==, 16);
  node_test_clear (&test);
  for (int i = 1; i <= 3; i++) {
    g_autofree char *name = g_strdup_printf ("%s/a.%04d.exr", folder, i);

    g_unlink (name);
  }
  g_unlink (still);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_import_of_nothing (void)
{
  NodeTest test = node_test_new ();
  static const struct {
    const char *path;
    int code;
  } cases[] = { { "\"\"", KG_ERROR_INVALID_VALUE },
                { "\"/nowhere/a.%04d.png\"", KG_ERROR_IO },
                { "\"/\"", KG_ERROR_IO },
                { "\"/dev/zero\"", KG_ERROR_IO },
                { "\"/proc/version\"", KG_ERROR_INVALID_FILE } };

  node_test_add (&test, "image/import", "i", NULL);
  node_test_add (&test, "image/movie", "m", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    node_test_set (&test, "i", "path", cases[i].path);
    node_test_fails (&test, "i.image", cases[i].code);
    node_test_set (&test, "m", "path", cases[i].path);
    node_test_fails (&test, "m.image", cases[i].code);
  }
  node_test_clear (&test);
}

/* 5 × 3 pixels of (1, 2, 3, 1) at depth 4, with NaN or infinity in some. */
static void
write_holes (const char *path)
{
  g_autoptr (KgImage) image = kg_image_new (5, 3, true, NULL);
  float *pixels = kg_image_edit_pixels (image), *depth = kg_image_edit_depth (image);
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 15; i++) {
    for (int c = 0; c < 4; c++)
      pixels[4 * i + c] = (float) (c < 3 ? c + 1 : 1);
    depth[i] = 4;
  }
  pixels[4 * 4] = 9;       /* row 0, column 4: bright red, and finite */
  pixels[4 * 7 + 1] = NAN; /* row 1, column 2: green */
  depth[7] = NAN;
  pixels[4 * 9] = -INFINITY;     /* row 1, column 4: red */
  pixels[4 * 10 + 3] = INFINITY; /* row 2, column 0: alpha */
  kg_image_save (image, path, KG_IMAGE_EXR_FLOAT, 0, NULL, &error);
  g_assert_no_error (error);
}

/* Renderers leave numbers in EXR files that are none. */
static void
test_import_of_not_a_number (void)
{
  g_autofree char *folder = g_dir_make_tmp ("kineographXXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "holes.exr", NULL);
  static const float black[] = { 0, 0, 0, 1 }, nothing[] = { 0, 0, 0, 0 }, usual[] = { 1, 2, 3, 1 };
  NodeTest test = node_test_new ();

  write_holes (path);
  node_test_add (&test, "image/import", "i", NULL);
  set_path (&test, folder, "holes.exr");
  node_test_warns (&test, "i.image",
                   "holes.exr: pixels that are not finite became black (3 of them, the first at row 1, column 2)");
  {
    g_auto (KgValue) value = node_test_get (&test, "i.image", 0);
    const float *pixels = kg_image_get_pixels (value.image);

    g_assert_cmpmem (pixels + 4 * 7, 16, black, 16);
    g_assert_cmpmem (pixels + 4 * 9, 16, black, 16);
    g_assert_cmpmem (pixels + 4 * 10, 16, nothing, 16);
    g_assert_cmpmem (pixels + 4 * 8, 16, usual, 16);
    g_assert_true (isinf (kg_image_get_depth (value.image)[7]));
    g_assert_cmpfloat (kg_image_get_depth (value.image)[9], ==, 4);
  }
  node_test_set (&test, "i", "not_finite", "\"neighbours\"");
  node_test_warns (&test, "i.image", "not finite became the mean of their neighbours (3 of them");
  {
    g_auto (KgValue) value = node_test_get (&test, "i.image", 0);
    const float *pixels = kg_image_get_pixels (value.image);

    g_assert_cmpmem (pixels + 4 * 7, 16, usual, 16);
    /* Five neighbours, one of them with a red of 9. */
    g_assert_cmpfloat (pixels[4 * 9], ==, (4 * 1 + 9) / 5.0f);
    g_assert_cmpmem (pixels + 4 * 9 + 1, 12, usual + 1, 12);
    g_assert_cmpmem (pixels + 4 * 10, 16, usual, 16);
    g_assert_cmpfloat (kg_image_get_depth (value.image)[7], ==, 4);
  }
  node_test_set (&test, "i", "not_finite", "\"error\"");
  node_test_fails (&test, "i.image", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
  g_unlink (path);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* A patch is filled from its edge; an image of nothing else becomes black. */
static void
test_mended_patches (void)
{
  g_autoptr (KgImage) image = kg_image_new (9, 1, false, NULL), none = kg_image_new (3, 3, false, NULL);
  static const float expected[] = { 1, 1, 1, 1, 2, 3, 3, 3, 3 };
  KgImageReplaced mended;
  float *pixels = kg_image_edit_pixels (image);

  for (int i = 0; i < 9; i++)
    for (int c = 0; c < 4; c++)
      pixels[4 * i + c] = i == 0 ? 1 : i == 8 ? 3 : NAN;
  g_assert_true (kg_image_replace_not_finite (image, KG_IMAGE_REPLACE_NEIGHBOURS, &mended, NULL));
  g_assert_cmpuint (mended.n, ==, 7);
  g_assert_cmpuint (mended.column, ==, 1);
  for (int i = 0; i < 9; i++)
    g_assert_cmpfloat (kg_image_get_pixels (image)[4 * i + 2], ==, expected[i]);
  g_assert_true (kg_image_replace_not_finite (image, KG_IMAGE_REPLACE_BLACK, &mended, NULL));
  g_assert_cmpuint (mended.n, ==, 0);
  for (int i = 0; i < 36; i++)
    kg_image_edit_pixels (none)[i] = NAN;
  g_assert_true (kg_image_replace_not_finite (none, KG_IMAGE_REPLACE_NEIGHBOURS, &mended, NULL));
  g_assert_cmpuint (mended.n, ==, 9);
  for (int i = 0; i < 36; i++)
    g_assert_cmpfloat (kg_image_get_pixels (none)[i], ==, 0);
}

/* Movies. */

/* Ten frames at 12 a second, the red of each the larger the later. */
static char *
write_movie (const char *folder)
{
  char *path = g_build_filename (folder, "a.gif", NULL);
  g_autoptr (GError) error = NULL;
  KgMovie *movie = kg_movie_new (path, 2, 2, 12.5, false, &error);

  g_assert_no_error (error);
  for (int i = 0; i < 10; i++) {
    g_autoptr (KgImage) image = kg_image_new (2, 2, false, NULL);

    for (int k = 0; k < 4; k++) {
      kg_image_edit_pixels (image)[4 * k] = (float) kg_srgb_decode (20 * i / 255.0);
      kg_image_edit_pixels (image)[4 * k + 3] = 1;
    }
    g_assert_true (kg_movie_add (movie, image, &error));
  }
  g_assert_true (kg_movie_finish (movie, &error));
  return path;
}

/* Which of these frames is shown. */
static int
get_shown (NodeTest *test, double frame)
{
  return (int) (kg_srgb_encode ((double) get_red (test, frame)) * 255 / 20 + 0.5);
}

static void
test_movie (void)
{
  /* At 25 frames a second, the frames 1, 2, ... of the graph show the movie of 12.5. */
  static const struct {
    const char *beyond, *own_speed;
    int frames[6], shown[6];
  } cases[] = {
    { "\"hold\"", "true", { 1, 3, 5, 19, 40, -8 }, { 0, 1, 2, 9, 9, 0 } },
    { "\"hold\"", "false", { 1, 2, 5, 10, 11, 0 }, { 0, 1, 4, 9, 9, 0 } },
    { "\"repeat\"", "false", { 1, 10, 11, 25, 0, -9 }, { 0, 9, 0, 4, 9, 0 } },
    { "\"mirror\"", "false", { 10, 11, 12, 19, 20, 0 }, { 9, 8, 7, 0, 1, 1 } },
  };
  g_autofree char *folder = g_dir_make_tmp ("kineographXXXXXX", NULL), *path = write_movie (folder);
  NodeTest test = node_test_new ();

  kg_graph_set_frames (test.graph, (KgFrames){ 1, 100, 25 }, NULL);
  node_test_add (&test, "image/movie", "i", NULL);
  set_path (&test, folder, "a.gif");
  assert_near (node_test_number (&test, "i.frames", 0), 10, 0);
  assert_near (node_test_number (&test, "i.rate", 0), 12.5, 0.01);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    node_test_set (&test, "i", "beyond", cases[i].beyond);
    node_test_set (&test, "i", "own_speed", cases[i].own_speed);
    for (int k = 0; k < 6; k++)
      g_assert_cmpint (get_shown (&test, cases[i].frames[k]), ==, cases[i].shown[k]);
  }
  node_test_set (&test, "i", "frame", "4");
  g_assert_cmpint (get_shown (&test, 50), ==, 3);
  node_test_clear (&test);
  g_unlink (path);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* The red of a pixel. */
static double
get_red_at (const KgImage *image, int x, int y)
{
  return (double) kg_image_get_pixels (image)[4 * ((size_t) y * (size_t) kg_image_get_width (image) + (size_t) x)];
}

/* Frames differ in their colour. */
static void
test_contact_sheet (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "c", "width", "6", "height", "4", "color", "{\"expr\": \"frame, 0, 0, 1\"}",
                 NULL);
  node_test_add (&test, "image/contact_sheet", "s", "image", "{\"link\": \"c.image\"}", "first", "3", "step", "2",
                 "count", "5", "per_line", "2", "gap", "1", NULL);
  for (int order = 0; order < 2; order++) {
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_set (&test, "s", "order", order == 0 ? "\"rows\"" : "\"columns\"");
    value = node_test_get (&test, "s.sheet", 0.5);
    g_assert_cmpint (kg_image_get_width (value.image), ==, order == 0 ? 13 : 20);
    g_assert_cmpint (kg_image_get_height (value.image), ==, order == 0 ? 14 : 9);
    for (int i = 0; i < 5; i++) {
      const int column = order == 0 ? i % 2 : i / 2, row = order == 0 ? i / 2 : i % 2;

      g_assert_cmpfloat (get_red_at (value.image, 7 * column, 5 * row), ==, 3 + 2 * i);
      g_assert_cmpfloat (get_red_at (value.image, 7 * column + 5, 5 * row + 3), ==, 3 + 2 * i);
    }
    /* The gap, and the cell that is left over. */
    g_assert_cmpfloat (get_red_at (value.image, 6, 0), ==, 0);
    g_assert_cmpfloat (get_red_at (value.image, order == 0 ? 12 : 19, order == 0 ? 13 : 8), ==, 0);
  }
  node_test_clear (&test);
}

/* No light is lost: the mean of the small image is that of the large one, whatever the sizes. */
static void
test_contact_sheet_light (void)
{
  static const int widths[] = { 37, 36, 12, 5, 1, 100 };
  NodeTest test = make ("37", "23");
  g_auto (KgValue) whole = node_test_get (&test, "p.image", 0);

  node_test_add (&test, "image/contact_sheet", "s", "image", "{\"link\": \"p.image\"}", "count", "1", "background",
                 "[0, 0, 0, 0]", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    g_auto (KgValue) small = KG_VALUE_INIT;
    double mean[2] = { 0 };

    node_test_set_number (&test, "s", "cell_width", widths[i]);
    small = node_test_get (&test, "s.sheet", 0);
    g_assert_cmpint (kg_image_get_width (small.image), ==, MIN (widths[i], 37));
    for (int k = 0; k < 2; k++) {
      const KgImage *image = k == 0 ? whole.image : small.image;
      const int count = kg_image_get_width (image) * kg_image_get_height (image);

      for (int p = 0; p < count; p++)
        mean[k] += (double) kg_image_get_pixels (image)[4 * p] / count;
    }
    g_assert_cmpfloat_with_epsilon (mean[0], mean[1], 1e-7);
  }
  node_test_set (&test, "p", "width", "65535");
  node_test_set (&test, "p", "height", "1");
  node_test_set (&test, "s", "cell_width", "0");
  node_test_set (&test, "s", "count", "4");
  node_test_fails (&test, "s.sheet", KG_ERROR_LIMIT);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/image/exact", test_exact);
  g_test_add_func ("/image/aspect", test_aspect);
  g_test_add_func ("/image/between", test_between);
  g_test_add_func ("/image/shrink", test_shrink);
  g_test_add_func ("/image/premultiplied", test_premultiplied);
  g_test_add_func ("/image/threads", test_threads);
  g_test_add_func ("/image/import", test_import);
  g_test_add_func ("/image/import-of-nothing", test_import_of_nothing);
  g_test_add_func ("/image/import-of-not-a-number", test_import_of_not_a_number);
  g_test_add_func ("/image/mended-patches", test_mended_patches);
  g_test_add_func ("/image/movie", test_movie);
  g_test_add_func ("/image/contact-sheet", test_contact_sheet);
  g_test_add_func ("/image/contact-sheet-light", test_contact_sheet_light);
  return g_test_run ();
}
