/* render: the render job on node types of its own: names, ranges, sizes, movies in order, failures, resuming,
 * cancelling.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-image-file.h"
#include "kg-render.h"

#include <glib/gstdio.h>
#include <libavformat/avformat.h>
#include <string.h>

/* What the declarations of the fakes need not say one by one. */
#define TEXTS .label = "Label", .help = "Help."

static int n_evaluated; /* pictures, by all threads */

/* test/picture: red is the frame / 100; fails at one frame. */

typedef struct {
  int64_t width, height, fail_at;
  double green;
  KgImage *image;
} Picture;

static bool
picture_evaluate (Picture *n, const KgContext *ctx, GError **error)
{
  float *p;

  g_atomic_int_inc (&n_evaluated);
  if (n->fail_at == (int64_t) ctx->frame) {
    g_set_error (error, KG_ERROR, KG_ERROR_DEGENERATE, "asked to fail");
    return false;
  }
  /* Later frames are quicker, so that parallel workers finish out of order. */
  g_usleep ((gulong) (ctx->frame < 20 ? 20 - ctx->frame : 0) * 200);
  n->image = kg_image_new (n->width, n->height, false, error);
  if (n->image == NULL)
    return false;
  p = kg_image_edit_pixels (n->image);
  for (int64_t i = 0; i < n->width * n->height; i++, p += 4) {
    p[0] = (float) (ctx->frame / 100);
    p[1] = (float) n->green;
    p[3] = 1;
  }
  return true;
}

static const KgSlot picture_slots[] = {
  KG_INPUT (Picture, width, INTEGER, TEXTS, .def = 16, .min = 1, .max = 65535),
  KG_INPUT (Picture, height, INTEGER, TEXTS, .def = 8, .min = 1, .max = 65535),
  KG_INPUT (Picture, fail_at, INTEGER, TEXTS, .def = -1),
  KG_INPUT (Picture, green, NUMBER, TEXTS),
  KG_OUTPUT (Picture, image, IMAGE, TEXTS),
};

KG_NODE (test, picture, Picture, .label = "Picture", .help = "A picture.", .version = 1, .since = "0.1",
         .time = KG_TIME_READS);

/* test/pass: an image through, and a number. */

typedef struct {
  const KgImage *image;
  const KgImage *other;
  KgImage *out;
  double number;
} Pass;

static bool
pass_evaluate (Pass *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->out = kg_image_ref (n->image);
  return true;
}

static const KgSlot pass_slots[] = {
  KG_INPUT (Pass, image, IMAGE, TEXTS),
  KG_INPUT (Pass, other, IMAGE, TEXTS, .optional = true),
  KG_OUTPUT (Pass, out, IMAGE, TEXTS),
  KG_OUTPUT (Pass, number, NUMBER, TEXTS),
};

KG_NODE (test, pass, Pass, .label = "Pass", .help = "Passes.", .version = 1, .since = "0.1");

/* test/file: names a file. */

typedef struct {
  const KgImage *image;
  const char *path;
  int64_t first, last;
  double done;
} File;

static bool
file_evaluate (File *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->done = 1;
  return true;
}

static const KgSlot file_slots[] = {
  KG_INPUT (File, image, IMAGE, TEXTS),
  KG_INPUT (File, path, TEXT, TEXTS, .fixed = true),
  KG_INPUT (File, first, INTEGER, TEXTS, .fixed = true),
  KG_INPUT (File, last, INTEGER, TEXTS, .fixed = true),
  KG_OUTPUT (File, done, NUMBER, TEXTS),
};

KG_NODE (test, file, File, .label = "File", .help = "A file.", .version = 1, .since = "0.1",
         .role = KG_ROLE_FILE_OUTPUT);

/* test/shape: geometry, which cannot be rendered as it is. */

typedef struct {
  KgGeometry *geometry;
} Shape;

static bool
shape_evaluate (Shape *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->geometry = kg_geometry_new ();
  return true;
}

static const KgSlot shape_slots[] = { KG_OUTPUT (Shape, geometry, GEOMETRY, TEXTS) };

KG_NODE (test, shape, Shape, .label = "Shape", .help = "A shape.", .version = 1, .since = "0.1");

static const KgNodeType *const table[] = { &kg_node_test_picture, &kg_node_test_pass, &kg_node_test_file,
                                           &kg_node_test_shape, NULL };

typedef struct {
  KgTypes *types;
  KgGraph *graph;
  char *folder;
  GString *log; /* of progress */
} Fixture;

static KgNode *
add (Fixture *f, const char *type, const char *name)
{
  g_autoptr (GError) error = NULL;
  KgNode *node = kg_graph_add (f->graph, type, name, 0, 0, &error);

  g_assert_no_error (error);
  return node;
}

static void
set (Fixture *f, KgNode *node, const char *slot, KgValue value)
{
  g_autoptr (GError) error = NULL;

  kg_graph_set_constant (f->graph, node, slot, &value, &error);
  g_assert_no_error (error);
  kg_value_clear (&value);
}

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->types = kg_types_new (table);
  f->graph = kg_graph_new (f->types);
  f->folder = g_dir_make_tmp ("kineograph-render-XXXXXX", NULL);
  f->log = g_string_new (NULL);
  g_assert_true (kg_graph_set_frames (f->graph, (KgFrames){ 1, 10, 24 }, NULL));
  add (f, "test/picture", "picture");
  kg_graph_set_display (f->graph, "picture.image");
  n_evaluated = 0;
}

static guint
count_files (Fixture *f)
{
  g_autoptr (GDir) dir = g_dir_open (f->folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (f->folder, 0, NULL);

  (void) data;
  for (const char *name = g_dir_read_name (dir); name != NULL; name = g_dir_read_name (dir)) {
    g_autofree char *path = g_build_filename (f->folder, name, NULL);

    g_unlink (path);
  }
  g_rmdir (f->folder);
  g_free (f->folder);
  g_string_free (f->log, TRUE);
  g_object_unref (f->graph);
  kg_types_unref (f->types);
}

static char *
in_folder (Fixture *f, const char *name)
{
  return g_build_filename (f->folder, name, NULL);
}

static void
log_progress (const KgRenderEvent *event, gpointer data)
{
  Fixture *f = data;
  const char letters[] = { 'd', 's', 'f' };

  g_string_append_printf (f->log, "%c%d ", letters[event->outcome], (int) event->frame);
}

static bool
render (Fixture *f, KgRenderOptions options, KgRenderReport *report, GError **error)
{
  g_autofree char *path = options.path != NULL ? in_folder (f, options.path) : NULL;

  options.path = path;
  options.progress = log_progress;
  options.data = f;
  g_string_truncate (f->log, 0);
  return kg_render (f->graph, &options, NULL, report, error);
}

static void
assert_pixel (Fixture *f, const char *name, int width, int height, double red)
{
  g_autofree char *path = in_folder (f, name);
  g_autoptr (GError) error = NULL;
  g_autoptr (KgImage) image = kg_image_load (path, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (kg_image_get_width (image), ==, width);
  g_assert_cmpint (kg_image_get_height (image), ==, height);
  /* Half a level of 8-bit sRGB is at most 0.0045 of linear light (at white). */
  g_assert_cmpfloat_with_epsilon (kg_image_get_pixels (image)[0], red, 0.0046);
}

static void
test_sequence (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  KgRenderReport report;

  (void) data;
  g_assert_true (render (f, (KgRenderOptions){ .path = "a.%04d.png", .jobs = 3 }, &report, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (report.total, ==, 10);
  g_assert_cmpuint (report.done, ==, 10);
  g_assert_cmpuint (count_files (f), ==, 10);
  assert_pixel (f, "a.0001.png", 16, 8, 0.01);
  assert_pixel (f, "a.0010.png", 16, 8, 0.10);
}

static void
test_step_and_names (Fixture *f, gconstpointer data)
{
  const KgRenderRange range = { 5, 60, 50 };

  (void) data;
  g_assert_true (render (f, (KgRenderOptions){ .path = "100%% %d.png", .range = &range, .jobs = 1 }, NULL, NULL));
  g_assert_cmpuint (count_files (f), ==, 2);
  assert_pixel (f, "100% 5.png", 16, 8, 0.05);
  assert_pixel (f, "100% 55.png", 16, 8, 0.55);
}

static void
test_single (Fixture *f, gconstpointer data)
{
  const KgRenderRange range = { 7, 7, 1 };

  (void) data;
  g_assert_true (render (f, (KgRenderOptions){ .path = "one.png", .range = &range }, NULL, NULL));
  assert_pixel (f, "one.png", 16, 8, 0.07);
}

static void
test_expand (void)
{
  const struct {
    const char *pattern;
    int64_t frame;
    const char *path;
  } cases[] = {
    { "a.%04d.png", 12, "a.0012.png" }, { "a.%4d.png", 12, "a.  12.png" },  { "a.%d.png", 12345, "a.12345.png" },
    { "a.%04d.png", -3, "a.-003.png" }, { "%%d.%02d.exr", 1, "%d.01.exr" }, { "plain.png", 1, "plain.png" },
    { "a.%04d.mp4", 12, "a.%04d.mp4" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = kg_render_expand_path (cases[i].pattern, cases[i].frame);

    g_assert_cmpstr (path, ==, cases[i].path);
  }
}

static void
test_check_path (void)
{
  const KgRenderRange several = { 1, 2, 1 }, one = { 1, 1, 1 };
  const struct {
    const char *path;
    const KgRenderRange *range;
    const char *part; /* of the message; NULL: fine */
  } cases[] = {
    { "a.%04d.png", &several, NULL },
    { "a.png", &one, NULL },
    { "a.mp4", &several, NULL },
    { "a.png", &several,
      "a.png: every frame would overwrite the one before: insert the frame number, as in a.%04d.png" },
    { "a.%d.%d.png", &several, "the frame number occurs more than once" },
    { "a.%s.png", &one, "write the frame number as %d, %4d or %04d, and a percent sign as %%" },
    { "a.%", &one, "must end with .png or .exr" },
    { "a.%.png", &one, "write the frame number as" },
    { "a.%999999999999999999999d.png", &one, "write the frame number as" },
    { "a.%n.exr", &one, "write the frame number as" },
    { "a.jpg", &one,
      "the name must end with .png or .exr (images), .mp4, .webm, .mov, .mkv, .avi, .gif, .apng or .webp (movies) or .wav, .flac, .ogg, .opus, .mp3 or .m4a (sound)" },
    { "", &one, "the name must end with" },
    { "/", &one, "/ is a folder: name a file in it" },
    { "no-such-folder/a.png", &one, "the folder no-such-folder does not exist: create it first" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    const bool fine = kg_render_check_path (cases[i].path, cases[i].range, &error);

    g_assert_cmpint (fine, ==, cases[i].part == NULL);
    if (!fine && strstr (error->message, cases[i].part) == NULL)
      g_error ("%s", error->message);
  }
}

static void
test_check_range (void)
{
  const struct {
    KgRenderRange range;
    bool fine;
    guint64 n;
  } cases[] = { { { 1, 10, 1 }, true, 10 },         { { 1, 10, 4 }, true, 3 },
                { { -5, 5, 1 }, true, 11 },         { { 10, 1, 1 }, false, 0 },
                { { 1, G_MAXINT64, 1 }, false, 0 }, { { G_MININT64, G_MAXINT64, 1 }, false, 0 } };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_assert_cmpint (kg_render_check_range (&cases[i].range, NULL), ==, cases[i].fine);
    if (cases[i].fine)
      g_assert_cmpuint (kg_render_count_frames (&cases[i].range), ==, cases[i].n);
  }
}

static void
test_failing_frame (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  KgRenderReport report;

  (void) data;
  set (f, kg_graph_find (f->graph, "picture"), "fail_at", kg_value_integer (4));
  g_assert_false (render (f, (KgRenderOptions){ .path = "a.%04d.png", .jobs = 2 }, &report, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  g_assert_true (g_str_has_prefix (error->message, "1 of 10 frames failed: frame 4: picture"));
  g_assert_cmpuint (report.failed, ==, 1);
  g_assert_cmpuint (report.done, ==, 9);
  g_assert_cmpuint (count_files (f), ==, 9);
}

/* Number of frames, and rate, that FFmpeg's reader finds. */
static guint
read_movie (const char *path, AVRational *rate)
{
  AVFormatContext *container = NULL;
  AVPacket *packet = av_packet_alloc ();
  guint n = 0;

  g_assert_cmpint (avformat_open_input (&container, path, NULL, NULL), >=, 0);
  g_assert_cmpint (avformat_find_stream_info (container, NULL), >=, 0);
  *rate = container->streams[0]->avg_frame_rate;
  for (; av_read_frame (container, packet) >= 0; n++)
    av_packet_unref (packet);
  av_packet_free (&packet);
  avformat_close_input (&container);
  return n;
}

static void
test_movie (Fixture *f, gconstpointer data)
{
  g_autofree char *one = in_folder (f, "one.mp4"), *many = in_folder (f, "many.mp4");
  g_autofree char *a = NULL, *b = NULL;
  gsize length_a, length_b;
  AVRational rate;

  (void) data;
  g_assert_true (render (f, (KgRenderOptions){ .path = "one.mp4", .jobs = 1 }, NULL, NULL));
  g_assert_cmpstr (f->log->str, ==, "d1 d2 d3 d4 d5 d6 d7 d8 d9 d10 ");
  g_assert_true (render (f, (KgRenderOptions){ .path = "many.mp4", .jobs = 4 }, NULL, NULL));
  /* Frames arrive in order although workers finish out of order, and the movie is the same. */
  g_assert_cmpstr (f->log->str, ==, "d1 d2 d3 d4 d5 d6 d7 d8 d9 d10 ");
  g_assert_true (g_file_get_contents (one, &a, &length_a, NULL));
  g_assert_true (g_file_get_contents (many, &b, &length_b, NULL));
  g_assert_cmpuint (length_a, ==, length_b);
  g_assert_true (memcmp (a, b, length_a) == 0);
  g_assert_cmpuint (read_movie (one, &rate), ==, 10);
  g_assert_cmpint (rate.num, ==, 24);
  g_assert_cmpuint (count_files (f), ==, 2);
}

static void
test_movie_step (Fixture *f, gconstpointer data)
{
  const KgRenderRange range = { 1, 10, 2 };
  g_autofree char *path = in_folder (f, "a.mp4");
  AVRational rate;

  (void) data;
  g_assert_true (render (f, (KgRenderOptions){ .path = "a.mp4", .range = &range }, NULL, NULL));
  g_assert_cmpuint (read_movie (path, &rate), ==, 5);
  g_assert_cmpint (rate.num, ==, 12);
}

static void
test_movie_failing (Fixture *f, gconstpointer data)
{
  const int bad[] = { 1, 4, 10 };
  g_autofree char *path = in_folder (f, "a.mp4");

  (void) data;
  for (size_t i = 0; i < G_N_ELEMENTS (bad); i++) {
    KgRenderReport report;
    AVRational rate;

    set (f, kg_graph_find (f->graph, "picture"), "fail_at", kg_value_integer (bad[i]));
    g_assert_false (render (f, (KgRenderOptions){ .path = "a.mp4", .jobs = 3 }, &report, NULL));
    g_assert_cmpuint (report.done, ==, 9);
    g_assert_cmpuint (report.failed, ==, 1);
    /* The others keep their times. */
    g_assert_cmpuint (read_movie (path, &rate), ==, 10);
  }
}

static void
test_resume (Fixture *f, gconstpointer data)
{
  const KgRenderOptions options = { .path = "a.%04d.png", .resume = true, .jobs = 1 };
  g_autofree char *third = in_folder (f, "a.0003.png");
  KgRenderReport report;
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_true (render (f, options, &report, NULL));
  g_assert_cmpuint (report.done, ==, 10);
  n_evaluated = 0;
  g_assert_true (render (f, options, &report, NULL));
  g_assert_cmpuint (report.skipped, ==, 10);
  g_assert_cmpint (n_evaluated, ==, 0);
  g_unlink (third);
  g_assert_true (render (f, options, &report, NULL));
  g_assert_cmpstr (f->log->str, ==, "s1 s2 d3 s4 s5 s6 s7 s8 s9 s10 ");
  g_assert_true (g_file_set_contents (third, "half an image", -1, NULL));
  g_assert_true (render (f, options, &report, &error));
  g_assert_cmpuint (report.done, ==, 1);
  /* Any change of what is upstream, or of the size, makes all of them out of date. */
  set (f, kg_graph_find (f->graph, "picture"), "green", kg_value_number (0.5));
  g_assert_true (render (f, options, &report, NULL));
  g_assert_cmpuint (report.done, ==, 10);
  g_assert_true (
      render (f, (KgRenderOptions){ .path = "a.%04d.png", .resume = true, .width = 4, .height = 4 }, &report, NULL));
  g_assert_cmpuint (report.done, ==, 10);
  assert_pixel (f, "a.0003.png", 4, 4, 0.03);
}

static void
test_size (Fixture *f, gconstpointer data)
{
  KgNode *pass = add (f, "test/pass", "pass"), *small = add (f, "test/picture", "small");
  g_autoptr (GError) error = NULL;

  (void) data;
  set (f, small, "width", kg_value_integer (4));
  set (f, small, "height", kg_value_integer (2));
  g_assert_true (kg_graph_link (f->graph, kg_graph_find (f->graph, "picture"), "image", pass, "image", NULL));
  g_assert_true (kg_graph_link (f->graph, small, "image", pass, "other", NULL));
  g_assert_true (
      render (f, (KgRenderOptions){ .path = "a.%d.png", .target = "pass", .width = 32, .height = 24 }, NULL, &error));
  assert_pixel (f, "a.1.png", 32, 24, 0.01);
  /* The graph itself is not changed. */
  g_assert_true (render (f, (KgRenderOptions){ .path = "b.%d.png", .target = "pass" }, NULL, &error));
  assert_pixel (f, "b.1.png", 16, 8, 0.01);
  /* Smaller pictures change in proportion: 4 x 2 beside 16 x 8 becomes 8 x 6 beside 32 x 24. */
  g_assert_true (kg_graph_link (f->graph, small, "image", pass, "image", NULL));
  g_assert_true (kg_graph_link (f->graph, kg_graph_find (f->graph, "picture"), "image", pass, "other", NULL));
  g_assert_true (
      render (f, (KgRenderOptions){ .path = "c.%d.png", .target = "pass", .width = 32, .height = 24 }, NULL, &error));
  assert_pixel (f, "c.1.png", 8, 6, 0.01);
}

static void
test_size_without (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  (void) data;
  add (f, "test/pass", "pass");
  g_assert_false (render (f, (KgRenderOptions){ .path = "a.%d.png", .target = "pass.out", .width = 32, .height = 24 },
                          NULL, &error));
  g_assert_cmpstr (error->message, ==,
                   "no node upstream of pass has a width and a height in pixels: the size cannot be changed");
}

static void
test_bad_targets (Fixture *f, gconstpointer data)
{
  const struct {
    const char *target, *part;
  } cases[] = {
    { "nobody", "nobody" },
    { "picture.nothing", "nothing" },
    { "shape",
      "shape.geometry is of kind geometry, not an image: add a render/draw node (flat drawing) or a render/scene "
      "node (camera and lights) after it and render that" },
    { "pass.number", "pass.number is of kind number, not an image: name an output that is an image" },
  };

  (void) data;
  add (f, "test/shape", "shape");
  add (f, "test/pass", "pass");
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (render (f, (KgRenderOptions){ .path = "a.%d.png", .target = cases[i].target }, NULL, &error));
    if (strstr (error->message, cases[i].part) == NULL)
      g_error ("%s", error->message);
  }
  g_assert_cmpuint (count_files (f), ==, 0);
}

static void
test_file_nodes (Fixture *f, gconstpointer data)
{
  KgNode *a = add (f, "test/file", "a"), *b = add (f, "test/file", "b");
  KgRenderReport report;
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_false (render (f, (KgRenderOptions){ 0 }, &report, &error));
  g_assert_cmpstr (
      error->message, ==,
      "2 of 2 files were not rendered: a: the path is empty: name the file to write; b: the path is empty: name the "
      "file to write");
  g_clear_error (&error);
  kg_graph_set_folder (f->graph, f->folder);
  for (int i = 0; i < 2; i++) {
    KgNode *node = i == 0 ? a : b;

    g_assert_true (kg_graph_link (f->graph, kg_graph_find (f->graph, "picture"), "image", node, "image", NULL));
    set (f, node, "path", kg_value_text (i == 0 ? "a.%02d.png" : "b.gif"));
  }
  set (f, a, "first", kg_value_integer (3));
  set (f, a, "last", kg_value_integer (5));
  g_assert_true (render (f, (KgRenderOptions){ .jobs = 2 }, &report, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (report.total, ==, 13);
  g_assert_cmpuint (report.done, ==, 13);
  g_assert_cmpuint (count_files (f), ==, 4);
  assert_pixel (f, "a.05.png", 16, 8, 0.05);
}

static void
test_no_file_nodes (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_false (render (f, (KgRenderOptions){ 0 }, NULL, &error));
  g_assert_cmpstr (error->message, ==,
                   "no node of the graph names a file to write: name one with -o, or add a render/file node");
}

/* Cancels after the third frame. */
static void
cancel_progress (const KgRenderEvent *event, gpointer data)
{
  if (event->done == 3)
    g_cancellable_cancel (data);
}

static void
test_cancel (Fixture *f, gconstpointer data)
{
  const char *const names[] = { "a.%04d.png", "a.mp4" };

  (void) data;
  for (int i = 0; i < 2; i++) {
    g_autoptr (GCancellable) cancellable = g_cancellable_new ();
    g_autofree char *path = in_folder (f, names[i]);
    const KgRenderOptions options = { .path = path, .jobs = 2, .progress = cancel_progress, .data = cancellable };
    g_autoptr (GError) error = NULL;

    g_assert_false (kg_render (f->graph, &options, cancellable, NULL, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_CANCELLED);
  }
  /* Three whole images, or four if the other worker was at its last step; nothing of the movie. */
  g_assert_cmpuint (count_files (f), >=, 3);
  g_assert_cmpuint (count_files (f), <=, 4);
  assert_pixel (f, "a.0001.png", 16, 8, 0.01);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add ("/render/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("sequence", test_sequence);
  ADD ("step-and-names", test_step_and_names);
  ADD ("single", test_single);
  ADD ("failing-frame", test_failing_frame);
  ADD ("movie", test_movie);
  ADD ("movie-step", test_movie_step);
  ADD ("movie-failing", test_movie_failing);
  ADD ("resume", test_resume);
  ADD ("size", test_size);
  ADD ("size-without", test_size_without);
  ADD ("bad-targets", test_bad_targets);
  ADD ("file-nodes", test_file_nodes);
  ADD ("no-file-nodes", test_no_file_nodes);
  ADD ("cancel", test_cancel);
#undef ADD
  g_test_add_func ("/render/expand", test_expand);
  g_test_add_func ("/render/check-path", test_check_path);
  g_test_add_func ("/render/check-range", test_check_range);
  return g_test_run ();
}
