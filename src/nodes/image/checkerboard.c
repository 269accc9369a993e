/* image/checkerboard: squares of two colours, with lines between them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/image_operation.h"

#include "image/generator.h"

typedef struct {
  GENERATOR_FIELDS;
  KgVector size;
  KgColor color;
  KgColor other;
  double line;
  KgColor line_color;
  KgVector offset;
} Checkerboard;

/* The integral from 0 to x of a wave that is 1 over one square, -1 over the next. */
static double
integrate_wave (double x)
{
  const double part = x - 2 * floor (0.5 * x);

  return part < 1 ? part : 2 - part;
}

/* The integral of lines of a width (both in squares) around the borders. */
static double
integrate_lines (double x, double width)
{
  const double u = x + 0.5 * width, whole = floor (u);

  return whole * width + fmin (u - whole, width);
}

typedef struct {
  const Checkerboard *n;
  KgImagePart part;
  double *wave[2], *line[2]; /* means over each column and each row of the part */
  float *pixels;
} Board;

static void
checkerboard_rows (gpointer data, int first, int end)
{
  const Board *board = (const Board *) data;
  const Checkerboard *n = board->n;
  const double *a = &n->color.r, *b = &n->other.r, *l = &n->line_color.r;
  const int64_t width = board->part.part_width;

  for (int64_t i = first * width; i < end * width; i++) {
    const int64_t x = i % width, y = i / width;
    const double share = 0.5 + 0.5 * board->wave[0][x] * board->wave[1][y];
    const double on = 1 - (1 - board->line[0][x]) * (1 - board->line[1][y]);
    float *p = board->pixels + 4 * i;

    for (int c = 0; c < 4; c++) {
      const double plain = share * a[c] * (c < 3 ? a[3] : 1) + (1 - share) * b[c] * (c < 3 ? b[3] : 1);

      p[c] = (float) kg_lerp (plain, l[c] * (c < 3 ? l[3] : 1), on);
    }
  }
}

static bool
checkerboard_evaluate (Checkerboard *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  Board board = { .n = n };
  g_autofree double *numbers = NULL;
  double *next;

  if (!generator_begin (n, ctx, &board.part, error))
    return false;
  numbers = next = g_new (double, 2 * ((gsize) board.part.part_width + (gsize) board.part.part_height));
  for (int k = 0; k < 2; k++) {
    const int64_t count = k == 0 ? board.part.part_width : board.part.part_height;
    const int64_t first = k == 0 ? board.part.x : board.part.y, all = k == 0 ? n->width : n->height;
    const double size = fmax (k == 0 ? n->size.x : n->size.y, 0.01), width = fmin (n->line / size, 1);
    const double start = (k == 0 ? -n->offset.x : n->offset.y) - 0.5 * (double) all;

    board.wave[k] = next;
    board.line[k] = next + count;
    next += 2 * count;
    for (int64_t i = 0; i < count; i++) {
      const double from = ((double) (first + i) + start) / size, to = ((double) (first + i) + 1 + start) / size;

      board.wave[k][i] = (integrate_wave (to) - integrate_wave (from)) * size;
      board.line[k][i] = kg_clamp ((integrate_lines (to, width) - integrate_lines (from, width)) * size, 0, 1);
    }
  }
  board.pixels = kg_image_edit_pixels (n->image);
  return image_each_rows (board.part.part_width, board.part.part_height, checkerboard_rows, &board, &monitor);
}

static const KgSlot checkerboard_slots[] = {
  GENERATOR_SIZE (Checkerboard),
  KG_INPUT (Checkerboard, size, VECTOR, .label = N_ ("Square"), .unit = KG_PIXELS, .def_v = { 64, 64, 0 }, .max = 1e6,
            .soft_max = 256, .handle = { .kind = KG_HANDLE_NONE }, .help = N_ ("Width and height of a square.")),
  KG_INPUT (Checkerboard, color, COLOR, .label = N_ ("Colour"), .def_v = { 0.18, 0.18, 0.18, 1 },
            .help = N_ ("Colour of every second square.")),
  KG_INPUT (Checkerboard, other, COLOR, .label = N_ ("Other Colour"), .def_v = { 0.6, 0.6, 0.6, 1 },
            .help = N_ ("Colour of the others.")),
  KG_INPUT (Checkerboard, line, NUMBER, .label = N_ ("Lines"), .unit = KG_PIXELS, .max = 1e6, .soft_max = 16,
            .help = N_ ("Width of lines between the squares: with one colour they make a grid.")),
  KG_INPUT (Checkerboard, line_color, COLOR, .label = N_ ("Line Colour"), .def_v = { 1, 1, 1, 1 },
            .help = N_ ("Colour of the lines.")),
  KG_INPUT (Checkerboard, offset, VECTOR, .label = N_ ("Offset"), .unit = KG_PIXELS, .min = -1e6, .max = 1e6,
            .soft_min = -1000, .soft_max = 1000, .handle = { .kind = KG_HANDLE_NONE },
            .help = N_ ("Moves the squares to the right and up; without it a corner of four is in the centre.")),
  GENERATOR_IMAGE (Checkerboard),
};

KG_NODE (image, checkerboard, Checkerboard, .label = N_ ("Checkerboard"), .version = 1, .since = "0.1",
         .region = generator_region, .find_size = generator_size,
         .tags = N_ ("checkerboard chessboard checker grid lines test pattern squares generator alignment"),
         .help = N_ ("Makes squares of two colours, or a grid of lines. Edges between pixels are exact averages."));
