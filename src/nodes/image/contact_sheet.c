/* image/contact_sheet: images of several frames side by side.
 * Pixels are averaged over the areas they come from: no light is lost or made up.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

/* Cells of one sheet. */
#define MAX_CELLS 400

typedef struct {
  const KgImage *image;
  double first;
  double step;
  int64_t count;
  int64_t per_line;
  int order;
  int64_t cell_width;
  int64_t gap;
  KgColor background;
  KgImage *sheet;
} ContactSheet;

enum { CONTACT_SHEET_ROWS, CONTACT_SHEET_COLUMNS, N_ORDERS };

static const KgChoice contact_sheet_orders[] = {
  [CONTACT_SHEET_ROWS] = { "rows", N_ ("In rows: to the right, then down") },
  [CONTACT_SHEET_COLUMNS] = { "columns", N_ ("In columns: down, then to the right") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (contact_sheet_orders, N_ORDERS);

static bool
contact_sheet_demand (const ContactSheet *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  (void) error;
  for (int64_t i = 0; i < n->count; i++)
    kg_demand_at (demand, offsetof (ContactSheet, image), (n->first + (double) i * n->step - ctx->start) / ctx->rate);
  return true;
}

/* Which pixels of a line of size make up one of to pixels, and with what weights; they overlap by parts of pixels. */
typedef struct {
  int first, end;
  double from, until;
} Span;

static inline Span
get_span (int index, int to, int size)
{
  const double scale = (double) size / to;
  Span span = { .from = index * scale, .until = (index + 1) * scale };

  span.first = (int) span.from;
  span.end = MIN ((int) ceil (span.until - 1e-9), size);
  return span;
}

static inline double
get_weight (const Span *span, int i)
{
  return (fmin (i + 1, span->until) - fmax (i, span->from)) / (span->until - span->from);
}

typedef struct {
  const KgImage *from;
  float *pixels;                /* of the sheet */
  int columns;                  /* of the sheet */
  int left, top, width, height; /* of the cell, in the sheet */
} Cell;

/* The image over what is there. */
static void
fill_row (const Cell *cell, int y)
{
  const int columns = kg_image_get_width (cell->from);
  const float *from = kg_image_get_pixels (cell->from);
  const Span down = get_span (y, cell->height, kg_image_get_height (cell->from));
  float *to = cell->pixels + 4 * ((size_t) (cell->top + y) * (size_t) cell->columns + (size_t) cell->left);

  for (int x = 0; x < cell->width; x++, to += 4) {
    const Span across = get_span (x, cell->width, columns);
    double sum[4] = { 0 };

    for (int j = down.first; j < down.end; j++)
      for (int i = across.first; i < across.end; i++) {
        const double weight = get_weight (&down, j) * get_weight (&across, i);
        const float *p = from + 4 * ((size_t) j * (size_t) columns + (size_t) i);

        for (int c = 0; c < 4; c++)
          sum[c] += weight * (double) p[c];
      }
    for (int c = 3; c >= 0; c--)
      to[c] = (float) (sum[c] + (double) to[c] * (1 - sum[3]));
  }
}

/* False when cancelled. */
static bool
fill_background (const ContactSheet *n, const KgContext *ctx)
{
  const size_t columns = (size_t) kg_image_get_width (n->sheet), rows = (size_t) kg_image_get_height (n->sheet);
  const double alpha = kg_clamp (n->background.a, 0, 1);
  const float rgba[4] = { (float) (alpha * n->background.r), (float) (alpha * n->background.g),
                          (float) (alpha * n->background.b), (float) alpha };
  float *pixels = kg_image_edit_pixels (n->sheet);

#pragma omp parallel for schedule(dynamic, 8)
  for (size_t y = 0; y < rows; y++)
    for (size_t x = 0, end = kg_context_is_cancelled (ctx) ? 0 : columns; x < end; x++)
      memcpy (pixels + 4 * (y * columns + x), rgba, sizeof rgba);
  return !kg_context_is_cancelled (ctx);
}

static bool
contact_sheet_evaluate (ContactSheet *n, const KgContext *ctx, GError **error)
{
  const guint count = kg_context_get_n_samples (ctx, offsetof (ContactSheet, image));
  const int64_t in_line = MIN (n->per_line, (int64_t) count), lines = ((int64_t) count + in_line - 1) / in_line;
  const int64_t columns = n->order == CONTACT_SHEET_ROWS ? in_line : lines;
  const int64_t rows = n->order == CONTACT_SHEET_ROWS ? lines : in_line;
  int width = 1, height = 1;
  int64_t cell_width, cell_height;
  double scale;

  for (guint i = 0; i < count; i++) {
    const KgImage *image = kg_context_get_sample (ctx, offsetof (ContactSheet, image), i)->image;

    width = MAX (width, kg_image_get_width (image));
    height = MAX (height, kg_image_get_height (image));
  }
  scale = n->cell_width > 0 ? fmin (1, (double) n->cell_width / width) : 1;
  cell_width = MAX (1, (int64_t) nearbyint (width * scale));
  cell_height = MAX (1, (int64_t) nearbyint (height * scale));
  n->sheet = kg_image_new (columns * cell_width + (columns - 1) * n->gap, rows * cell_height + (rows - 1) * n->gap,
                           false, error);
  if (n->sheet == NULL) {
    kg_prefix_error (error, "%u images of %d by %d pixels: ", count, (int) cell_width, (int) cell_height);
    return false;
  }
  kg_image_set_pixel_aspect (n->sheet, kg_image_get_pixel_aspect (n->image));
  if (!fill_background (n, ctx))
    return false;
  for (guint i = 0; i < count && !kg_context_is_cancelled (ctx); i++) {
    const int64_t along = i % in_line, across = i / in_line;
    const int64_t column = n->order == CONTACT_SHEET_ROWS ? along : across;
    const int64_t row = n->order == CONTACT_SHEET_ROWS ? across : along;
    Cell cell = { .from = kg_context_get_sample (ctx, offsetof (ContactSheet, image), i)->image,
                  .pixels = kg_image_edit_pixels (n->sheet),
                  .columns = kg_image_get_width (n->sheet) };

    cell.width = MAX (1, (int) nearbyint (kg_image_get_width (cell.from) * scale));
    cell.height = MAX (1, (int) nearbyint (kg_image_get_height (cell.from) * scale));
    /* Smaller ones are in the middle of their cells. */
    cell.left = (int) (column * (cell_width + n->gap) + (cell_width - cell.width) / 2);
    cell.top = (int) (row * (cell_height + n->gap) + (cell_height - cell.height) / 2);
#pragma omp parallel for schedule(dynamic, 4)
    for (int y = 0; y < cell.height; y++)
      fill_row (&cell, y);
    kg_context_progress (ctx, (i + 1.0) / count);
  }
  return !kg_context_is_cancelled (ctx);
}

static const KgSlot contact_sheet_slots[] = {
  KG_INPUT (ContactSheet, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image to show at several frames.")),
  KG_INPUT (ContactSheet, first, NUMBER, .label = N_ ("First frame"), .unit = KG_FRAMES, .early = true, .def = 1,
            .min = -1e6, .max = 1e6, .soft_min = 0, .soft_max = 240,
            .help = N_ ("Frame shown in the upper left corner.")),
  KG_INPUT (ContactSheet, step, NUMBER, .label = N_ ("Step"), .unit = KG_FRAMES, .early = true, .def = 1, .min = -1e4,
            .max = 1e4, .soft_min = 1, .soft_max = 24,
            .help = N_ ("Interval from one image to the next; negative values run backwards.")),
  KG_INPUT (ContactSheet, count, INTEGER, .label = N_ ("Images"), .early = true, .def = 12, .min = 1, .max = MAX_CELLS,
            .soft_max = 60, .help = N_ ("Number of images. All of them are in memory at once.")),
  KG_INPUT (ContactSheet, per_line, INTEGER, .label = N_ ("Images per line"), .def = 4, .min = 1, .max = MAX_CELLS,
            .soft_max = 12, .help = N_ ("Number of images in a row, or in a column.")),
  KG_INPUT (ContactSheet, order, CHOICE, .label = N_ ("Order"), .choices = contact_sheet_orders,
            .help = N_ ("Direction in which the frames follow each other.")),
  KG_INPUT (ContactSheet, cell_width, INTEGER, .label = N_ ("Image width"), .unit = KG_PIXELS, .min = 0,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 640,
            .help = N_ ("Width of each image; 0 keeps the original width. Images are never enlarged.")),
  KG_INPUT (ContactSheet, gap, INTEGER, .label = N_ ("Gap"), .unit = KG_PIXELS, .def = 4, .min = 0, .max = 4096,
            .soft_max = 32, .help = N_ ("Gap between the images.")),
  KG_INPUT (ContactSheet, background, COLOR, .label = N_ ("Background"), .def_v = { 0, 0, 0, 1 },
            .help = N_ ("Colour of the gaps and behind transparent images.")),
  KG_OUTPUT (ContactSheet, sheet, IMAGE, .label = N_ ("Image"), .help = N_ ("All images on one sheet.")),
};

KG_NODE_WITH_DEMAND (
    image, contact_sheet, ContactSheet, .label = N_ ("Contact Sheet"), .version = 1, .since = "0.1",
    .tags = N_ ("frames strip storyboard grid tiles sequence overview film"),
    .help = N_ (
        "Arranges the images of several frames side by side, like a photographer's contact sheet, to show a motion at a glance. The node evaluates these frames itself, so the sheet is the same at any time."));
