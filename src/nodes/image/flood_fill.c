/* image/flood_fill: paint poured into an area of one colour.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/flood_fill.h"

#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  const KgTable *seeds;
  KgColor color;
  int paint;
  double tolerance;
  bool diagonal;
  int64_t gap;
  int64_t expand;
  bool enclosed;
  KgImage *region;
  int64_t pixels;
  bool leaks;
} FloodFill;

enum { PAINT_COVER, PAINT_MULTIPLY, N_PAINTS };

static const KgChoice flood_fill_paints[] = {
  [PAINT_COVER] = { "cover", N_ ("Cover: the colour alone") },
  [PAINT_MULTIPLY] = { "multiply", N_ ("Multiply: under the lines") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (flood_fill_paints, N_PAINTS);

/* (transfer full) (nullable) The seeds inside the image, as columns and rows. */
static int (*flood_fill_find_seeds (const FloodFill *n, const KgContext *ctx, size_t *count, GError **error))[2]
{
  const size_t rows = kg_table_get_n_rows (n->seeds);
  const int width = kg_image_get_width (n->image), height = kg_image_get_height (n->image);
  const double proxy = kg_context_get_proxy (ctx);
  int (*seeds)[2] = g_malloc_n (rows + 1, sizeof *seeds);

  if (rows > 10000) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu seeds: use at most 10000, or several nodes", rows);
    g_free (seeds);
    return NULL;
  }
  for (size_t i = 0; i < rows; i++) {
    const double *row = kg_table_get_row (n->seeds, i);
    const double x = floor (0.5 * width + proxy * row[0]), y = ceil (0.5 * height - proxy * row[1]) - 1;

    if (x < 0 || x >= width || y < 0 || y >= height) {
      kg_context_warn (ctx, "seed %zu (%g, %g) is outside the image and fills nothing", i + 1, row[0], row[1]);
      continue;
    }
    seeds[*count][0] = (int) x;
    seeds[(*count)++][1] = (int) y;
  }
  return seeds;
}

/* Lays the colour on the pixels of the region, and makes an image of it. */
static void
flood_fill_paint (FloodFill *n, const guint8 *region)
{
  const int64_t count = (int64_t) kg_image_get_width (n->region) * kg_image_get_height (n->region);
  const float opacity = (float) n->color.a;
  const float color[3] = { (float) n->color.r, (float) n->color.g, (float) n->color.b };
  float *mask = kg_image_edit_pixels (n->region), *pixels;

  kg_image_make_writable (&n->result);
  pixels = kg_image_edit_pixels (n->result);
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < count; i++) {
    float *p = pixels + 4 * i;

    if (region[i] == 0)
      continue;
    mask[4 * i] = mask[4 * i + 1] = mask[4 * i + 2] = mask[4 * i + 3] = 1;
    for (int c = 0; c < 3; c++)
      p[c] = n->paint == PAINT_MULTIPLY ? p[c] * (1 - opacity + opacity * color[c])
                                        : p[c] * (1 - opacity) + color[c] * opacity;
    if (n->paint == PAINT_COVER)
      p[3] = p[3] * (1 - opacity) + opacity;
  }
}

static bool
flood_fill_evaluate (FloodFill *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const FloodFillStyle style = { n->tolerance, n->diagonal, (int) n->gap, (int) n->expand };
  const int width = kg_image_get_width (n->image), height = kg_image_get_height (n->image);
  g_autofree guint8 *region = g_new0 (guint8, (size_t) width * (size_t) height);
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  g_autofree int (*seeds)[2] = NULL;
  FloodFillReport report;
  size_t count = 0;

  seeds = flood_fill_find_seeds (n, ctx, &count, error);
  n->region = kg_image_new (width, height, false, error);
  if (seeds == NULL || n->region == NULL)
    return false;
  if (!flood_fill (before, seeds, count, &style, region, &report, &monitor))
    return false;
  if (report.narrow)
    kg_context_warn (ctx, "a seed is within %d pixels of a line and fills nothing: move it, or lower the gap",
                     (int) n->gap);
  if (report.leaks && n->enclosed)
    kg_context_warn (ctx,
                     "the paint leaks: it reaches the edge of the image. Close the outline, raise the gap or lower "
                     "the tolerance; for a background turn off Enclosed");
  n->pixels = (int64_t) report.pixels;
  n->leaks = report.leaks;
  IMAGE_BEGIN (n);
  flood_fill_paint (n, region);
  return !IMAGE_IS_WORN (n) || image_wear (before, &wear, &n->result, &monitor);
}

static const KgSlot flood_fill_slots[] = {
  IMAGE_INPUT (FloodFill, N_ ("The drawing.")),
  KG_INPUT (FloodFill, seeds, TABLE, .label = N_ ("Seeds"), .columns = kg_table_points, .def_text = "0 0",
            .help = N_ ("Where the paint is poured, in pixels to the right and up from the centre. Each seed fills the "
                        "connected area that has the colour under the seed.")),
  KG_INPUT (FloodFill, color, COLOR, .label = N_ ("Colour"), .def_v = { 0.8, 0.3, 0.1, 1 },
            .help = N_ ("The paint; its alpha is its opacity.")),
  KG_INPUT (
      FloodFill, paint, CHOICE, .label = N_ ("Paint"), .choices = flood_fill_paints,
      .help = N_ ("How the paint is applied: over everything, or multiplied, so that soft edges of lines stay dark.")),
  KG_INPUT (FloodFill, tolerance, NUMBER, .label = N_ ("Tolerance"), .unit = KG_PERCENT, .def = 0.1, .max = 1,
            .help = N_ ("How far display colours may differ from the colour at the seed, in each component.")),
  KG_INPUT (FloodFill, diagonal, BOOLEAN, .label = N_ ("Diagonal"),
            .help = N_ ("Pixels that touch only at a corner are also connected.")),
  KG_INPUT (FloodFill, gap, INTEGER, .label = N_ ("Gap"), .unit = KG_PIXELS, .max = FLOOD_FILL_MAX_REACH,
            .soft_max = 10, .help = N_ ("Paint does not leak through gaps in lines of up to twice this many pixels.")),
  KG_INPUT (FloodFill, expand, INTEGER, .label = N_ ("Expand"), .unit = KG_PIXELS, .max = FLOOD_FILL_MAX_REACH,
            .soft_max = 10, .help = N_ ("Extends the paint under the lines by this many pixels.")),
  KG_INPUT (FloodFill, enclosed, BOOLEAN, .label = N_ ("Enclosed"), .def = 1,
            .help = N_ ("Warns when the paint reaches the edge of the image.")),
  IMAGE_WEAR (FloodFill, N_ ("The painted drawing.")),
  KG_OUTPUT (FloodFill, region, IMAGE, .label = N_ ("Region"),
             .help = N_ ("A mask: white where the drawing was "
                         "filled.")),
  KG_OUTPUT (FloodFill, pixels, INTEGER, .label = N_ ("Pixels"), .help = N_ ("How many pixels were filled.")),
  KG_OUTPUT (FloodFill, leaks, BOOLEAN, .label = N_ ("Leaks"),
             .help = N_ ("Whether the paint reaches the edge of the image.")),
};

KG_NODE (
    image, flood_fill, FloodFill, .label = N_ ("Flood Fill"), .version = 1, .since = "0.1",
    .tags = N_ ("paint bucket opaque ink and paint colour area magic wand select tint"),
    .formula = "filled: connected to the seed through pixels with max |c − c_seed| ≤ tolerance",
    .source = "A. R. Smith, Tint Fill, SIGGRAPH 1979; Parent, Computer Animation, 1.3.1",
    .help = N_ (
        "Pours paint into areas of a drawing, as cels are painted between inked lines. The node closes gaps in the "
        "lines, and reports how many pixels were filled and whether paint leaked out. The filled region is also a "
        "mask for other operations."));
