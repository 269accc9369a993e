/* render/draw: flat drawing of geometry.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "render/painter.h"

#include <glib/gi18n-lib.h>

typedef struct {
  KgList geometries;
  int64_t width;
  int64_t height;
  KgVector center;
  double view_height;
  KgColor background;
  double line_width;
  double point_size;
  bool points;
  bool outline;
  KgColor outline_color;
  int cap;
  int blend;
  double streak;
  double shutter;
  int64_t samples;
  KgImage *image;
} Draw;

static const KgChoice draw_caps[] = {
  [PAINTER_CAP_ROUND] = { "round", N_ ("Round") },
  [PAINTER_CAP_BUTT] = { "butt", N_ ("Butt") },
  [PAINTER_CAP_SQUARE] = { "square", N_ ("Square") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (draw_caps, PAINTER_N_CAPS);

static const KgChoice draw_blends[] = {
  [PAINTER_OVER] = { "over", N_ ("Over each other") },
  [PAINTER_ADD] = { "add", N_ ("Added, as light") },
  [PAINTER_SCREEN] = { "screen", N_ ("Screen: added up to white") },
  [PAINTER_MAX] = { "max", N_ ("Brightest") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (draw_blends, PAINTER_N_BLENDS);

/* Where what is left out is said, once and not at every moment of the shutter. */
typedef struct {
  const KgContext *ctx;
  GHashTable *told;
  guint geometry;
} DrawProblems;

static void
draw_report (gpointer data, size_t primitive, const GError *problem)
{
  const DrawProblems *problems = (const DrawProblems *) data;
  g_autofree char *text = g_strdup_printf (_ ("primitive %u of geometry %u was skipped: %s"), (guint) primitive,
                                           problems->geometry, problem->message);

  if (g_hash_table_contains (problems->told, text))
    return;
  kg_context_warn (problems->ctx, "%s", text);
  g_hash_table_add (problems->told, g_steal_pointer (&text));
}

static KgImage *
draw_list (const Draw *n, const KgContext *ctx, KgList list, GHashTable *told, GError **error)
{
  const PainterStyle style = { .center = n->center,
                               .view_height = n->view_height,
                               .line_width = n->line_width,
                               .point_size = n->point_size,
                               .points = n->points,
                               .outline = n->outline,
                               .outline_color = n->outline_color,
                               .cap = (PainterCap) n->cap,
                               .blend = (PainterBlend) n->blend,
                               .streak = n->streak / ctx->rate };
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (KgImage) image = kg_image_new (n->width, n->height, false, error);
  g_autoptr (Painter) painter = image != NULL ? painter_new (&style, image, n->background, error) : NULL;
  DrawProblems problems = { .ctx = ctx, .told = told };

  if (painter == NULL)
    return NULL;
  for (; problems.geometry < list.n; problems.geometry++)
    if (!painter_paint (painter, list.items[problems.geometry].geometry, &monitor, draw_report, &problems))
      return NULL;
  return painter_check (painter, error) ? g_steal_pointer (&image) : NULL;
}

static bool
draw_demand (const Draw *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  /* Nothing moves while the shutter is open for no time: one moment is enough. */
  const int64_t samples = n->shutter > 0 ? n->samples : 1;

  (void) error;
  /* Evenly over the time the shutter is open, around the frame's own time. */
  for (int64_t i = 0; i < samples; i++) {
    const double t = samples > 1 ? ((double) i + 0.5) / (double) samples - 0.5 : 0;

    kg_demand_at (demand, offsetof (Draw, geometries), ctx->time + t * n->shutter / ctx->rate);
  }
  return true;
}

static bool
draw_evaluate (Draw *n, const KgContext *ctx, GError **error)
{
  const guint samples = kg_context_get_n_samples (ctx, offsetof (Draw, geometries));
  const size_t count = 4 * (size_t) n->width * (size_t) n->height;
  const float share = 1 / (float) samples;
  g_autoptr (GHashTable) told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < samples; i++) {
    g_autoptr (KgImage)
        one = draw_list (n, ctx, kg_context_get_list (ctx, offsetof (Draw, geometries), i), told, error);
    const float *pixels;
    float *sum;

    if (one == NULL)
      return false;
    if (samples == 1) {
      n->image = g_steal_pointer (&one);
      return true;
    }
    if (n->image == NULL && (n->image = kg_image_new (n->width, n->height, false, error)) == NULL)
      return false;
    sum = kg_image_edit_pixels (n->image);
    pixels = kg_image_get_pixels (one);
#pragma omp parallel for simd schedule(dynamic, 65536)
    for (size_t k = 0; k < count; k++)
      sum[k] += share * pixels[k];
  }
  return true;
}

static const KgSlot draw_slots[] = {
  KG_INPUTS (Draw, geometries, GEOMETRY, .label = N_ ("Geometries"), .optional = true,
             .help = N_ ("The geometries to draw, from back to front.")),
  KG_INPUT (Draw, width, INTEGER, .label = N_ ("Width"), .unit = KG_PIXELS, .def = 640, .min = 1,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 3840, .early = true, .help = N_ ("Size of the image.")),
  KG_INPUT (Draw, height, INTEGER, .label = N_ ("Height"), .unit = KG_PIXELS, .def = 360, .min = 1,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 2160, .early = true, .help = N_ ("Size of the image.")),
  KG_INPUT (Draw, center, VECTOR, .label = N_ ("View centre"), .unit = KG_METRES,
            .help = N_ ("Point shown at the centre of the image.")),
  KG_INPUT (Draw, view_height, NUMBER, .label = N_ ("View height"), .unit = KG_METRES, .def = 4, .min = 1e-6,
            .max = 1e6, .soft_min = 0.5, .soft_max = 20, .help = N_ ("Height of the view in metres.")),
  KG_INPUT (Draw, background, COLOR, .label = N_ ("Background"), .def_v = { 0, 0, 0, 0 },
            .help = N_ ("Colour behind everything; transparent by default.")),
  KG_INPUT (Draw, line_width, NUMBER, .label = N_ ("Line width"), .unit = KG_METRES, .def = 0.03, .min = 0, .max = 1e6,
            .soft_max = 0.5, .help = N_ ("Width of lines without the attribute width.")),
  KG_INPUT (Draw, point_size, NUMBER, .label = N_ ("Point size"), .unit = KG_METRES, .def = 0.08, .min = 0, .max = 1e6,
            .soft_max = 0.5, .help = N_ ("Diameter of points without the attribute width.")),
  KG_INPUT (Draw, points, BOOLEAN, .label = N_ ("All points"),
            .help = N_ ("Draws the points of lines and polygons too; otherwise only loose points.")),
  KG_INPUT (Draw, outline, BOOLEAN, .label = N_ ("Outlines"), .help = N_ ("Draws a line around polygons.")),
  KG_INPUT (Draw, outline_color, COLOR, .label = N_ ("Outline colour"), .def_v = { 0, 0, 0, 1 },
            .help = N_ ("Colour of the outlines.")),
  KG_INPUT (Draw, cap, CHOICE, .label = N_ ("Line ends"), .choices = draw_caps,
            .help = N_ ("Shape of the ends of lines.")),
  KG_INPUT (
      Draw, blend, CHOICE, .label = N_ ("Blend"), .choices = draw_blends,
      .help = N_ ("How shapes are laid on each other and on the background: sparks and fire are light, and add up.")),
  KG_INPUT (
      Draw, streak, NUMBER, .label = N_ ("Streaks"), .unit = KG_FRAMES, .min = 0, .max = 100, .soft_max = 2,
      .group = N_ ("Motion blur"),
      .help = N_ (
          "Time for which points with v shine along their path: they are drawn as streaks of that duration, with as "
          "much light as the points.")),
  KG_INPUT (Draw, shutter, NUMBER, .label = N_ ("Shutter"), .unit = KG_FRAMES, .early = true, .def = 0.5, .min = 0,
            .max = 10, .soft_max = 1, .group = N_ ("Motion blur"), .help = N_ ("How long the shutter is open.")),
  KG_INPUT (
      Draw, samples, INTEGER, .label = N_ ("Samples"), .early = true, .def = 1, .min = 1, .max = 256, .soft_max = 32,
      .group = N_ ("Motion blur"),
      .help =
          N_ ("Number of times sampled while the shutter is open. 1 gives a sharp image, 8 or more give motion blur.")),
  KG_OUTPUT (Draw, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image.")),
};

KG_NODE_WITH_DEMAND (
    render, draw, Draw, .label = N_ ("Draw"), .version = 3, .since = "0.1",
    .tags = N_ ("2d cairo paint stroke fill picture render cartoon vector"),
    .help = N_ ("Draws geometry flat, seen along z: polygons are filled, curves and lines stroked, loose "
                "points drawn as discs. Colours come from the attribute Cd, widths from width."));
