/* kg-palette: 256 colours for an image of millions, for GIF.
 *
 * Colours are counted in cells of 4 levels a side, each of which remembers the exact sum of what fell into it, so
 * flat artwork keeps its exact colours.  Boxes of cells are then divided until there are 256 of them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-palette.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define BITS 6
#define N_CELLS ((size_t) 1 << (3 * BITS))

/* How much a difference in red, green and blue is seen: roughly their shares of luma. */
static const double weights[3] = { 4, 8, 3 };

typedef struct {
  uint32_t cell;
  double count;
  double mean[3];
} Color;

typedef struct {
  size_t first, n; /* of the colours */
  double count;
  double mean[3];
  double error; /* weighted, over its axis of largest error */
  int axis;
} Box;

typedef struct {
  uint32_t count;
  uint64_t sum[3];
} Cell;

static uint32_t
get_cell (const uint8_t *rgba)
{
  const int shift = 8 - BITS;

  return (uint32_t) rgba[0] >> shift << (2 * BITS) | (uint32_t) rgba[1] >> shift << BITS | (uint32_t) rgba[2] >> shift;
}

/* (element-type Color) (transfer full) In the order of their cells. */
static GArray *
count_colors (const uint8_t *rgba, size_t n_pixels)
{
  GArray *colors = g_array_new (FALSE, FALSE, sizeof (Color));
  g_autofree Cell *cells = g_new0 (Cell, N_CELLS);

  for (size_t i = 0; i < n_pixels; i++) {
    Cell *cell = &cells[get_cell (rgba + 4 * i)];

    cell->count++;
    for (int c = 0; c < 3; c++)
      cell->sum[c] += rgba[4 * i + c];
  }
  for (uint32_t i = 0; i < N_CELLS; i++) {
    Color color = { .cell = i, .count = cells[i].count };

    if (cells[i].count == 0)
      continue;
    for (int c = 0; c < 3; c++)
      color.mean[c] = (double) cells[i].sum[c] / cells[i].count;
    g_array_append_val (colors, color);
  }
  return colors;
}

static void
measure_box (Box *box, const Color *colors)
{
  double sum[3] = { 0 }, squares[3] = { 0 };

  box->count = 0;
  for (size_t i = box->first; i < box->first + box->n; i++) {
    box->count += colors[i].count;
    for (int c = 0; c < 3; c++) {
      sum[c] += colors[i].count * colors[i].mean[c];
      squares[c] += colors[i].count * colors[i].mean[c] * colors[i].mean[c];
    }
  }
  box->error = -1;
  for (int c = 0; c < 3; c++) {
    const double error = weights[c] * (squares[c] - sum[c] * sum[c] / box->count);

    box->mean[c] = sum[c] / box->count;
    if (error > box->error) {
      box->error = error;
      box->axis = c;
    }
  }
  if (box->n < 2)
    box->error = 0;
}

/* Moves the colours below the box's mean to its front and cuts there; false when they are all alike. */
static bool
divide_box (Box *box, Box *other, Color *colors)
{
  const double cut = box->mean[box->axis];
  size_t n_below = 0;

  for (size_t i = box->first; i < box->first + box->n; i++) {
    if (colors[i].mean[box->axis] < cut) {
      const Color below = colors[i];

      colors[i] = colors[box->first + n_below];
      colors[box->first + n_below] = below;
      n_below++;
    }
  }
  if (n_below == 0 || n_below == box->n)
    return false;
  *other = (Box){ .first = box->first + n_below, .n = box->n - n_below };
  box->n = n_below;
  measure_box (box, colors);
  measure_box (other, colors);
  return true;
}

static guint
divide (Color *colors, size_t n_colors, guint most, Box boxes[KG_PALETTE_SIZE])
{
  guint n = 1;

  boxes[0] = (Box){ .first = 0, .n = n_colors };
  measure_box (&boxes[0], colors);
  while (n < most) {
    guint worst = 0;

    for (guint i = 1; i < n; i++) {
      if (boxes[i].error > boxes[worst].error)
        worst = i;
    }
    if (boxes[worst].error <= 0)
      break;
    if (divide_box (&boxes[worst], &boxes[n], colors))
      n++;
    else
      boxes[worst].error = 0;
  }
  return n;
}

static uint8_t
find_nearest (const double color[3], const Box *boxes, guint n)
{
  double nearest = DBL_MAX;
  guint found = 0;

  for (guint i = 0; i < n; i++) {
    double distance = 0;

    for (int c = 0; c < 3; c++)
      distance += weights[c] * (color[c] - boxes[i].mean[c]) * (color[c] - boxes[i].mean[c]);
    if (distance < nearest) {
      nearest = distance;
      found = i;
    }
  }
  return (uint8_t) found;
}

static uint32_t
get_color (const uint8_t *rgba)
{
  return 0xff000000 | (uint32_t) rgba[0] << 16 | (uint32_t) rgba[1] << 8 | (uint32_t) rgba[2];
}

static int
compare_colors (const void *a, const void *b)
{
  const uint32_t p = *(const uint32_t *) a, q = *(const uint32_t *) b;

  return p < q ? -1 : p > q;
}

/* All colours in ascending order, if there are no more than most; 0: there are. */
static guint
list_colors (const uint8_t *rgba, size_t n_pixels, guint most, uint32_t palette[KG_PALETTE_SIZE])
{
  guint n = 0;

  for (size_t i = 0; i < n_pixels; i++) {
    const uint32_t color = get_color (rgba + 4 * i);
    guint at = 0, end = n;

    if (i > 0 && color == get_color (rgba + 4 * (i - 1)))
      continue;
    while (at < end) {
      const guint middle = (at + end) / 2;

      if (palette[middle] < color)
        at = middle + 1;
      else
        end = middle;
    }
    if (at < n && palette[at] == color)
      continue;
    if (n == most)
      return 0;
    memmove (palette + at + 1, palette + at, (n - at) * sizeof *palette);
    palette[at] = color;
    n++;
  }
  return n;
}

static guint
list_boxes (const Box *boxes, guint n, uint32_t palette[KG_PALETTE_SIZE])
{
  for (guint i = 0; i < n; i++) {
    const double *mean = boxes[i].mean;

    palette[i] = 0xff000000 | (uint32_t) (mean[0] + 0.5) << 16 | (uint32_t) (mean[1] + 0.5) << 8 |
                 (uint32_t) (mean[2] + 0.5);
  }
  return n;
}

guint
kg_palette_choose (const uint8_t *rgba, size_t n_pixels, guint most, uint32_t palette[KG_PALETTE_SIZE])
{
  g_autoptr (GArray) colors = NULL;
  Box boxes[KG_PALETTE_SIZE];
  guint n = list_colors (rgba, n_pixels, most, palette);

  if (n > 0 || n_pixels == 0)
    return n;
  colors = count_colors (rgba, n_pixels);
  n = divide ((Color *) (void *) colors->data, colors->len, most, boxes);
  return list_boxes (boxes, n, palette);
}

void
kg_palette_reduce (const uint8_t *rgba, size_t n_pixels, uint32_t palette[KG_PALETTE_SIZE], uint8_t *indices)
{
  g_autoptr (GArray) colors = NULL;
  g_autofree uint8_t *index_of_cell = NULL;
  Box boxes[KG_PALETTE_SIZE];
  guint n = list_colors (rgba, n_pixels, KG_PALETTE_SIZE, palette);

  if (n > 0) {
    for (size_t i = 0; i < n_pixels; i++) {
      const uint32_t color = get_color (rgba + 4 * i);
      const uint32_t *found = bsearch (&color, palette, n, sizeof *palette, compare_colors);

      indices[i] = (uint8_t) (found - palette);
    }
  } else if (n_pixels > 0) {
    colors = count_colors (rgba, n_pixels);
    n = list_boxes (boxes, divide ((Color *) (void *) colors->data, colors->len, KG_PALETTE_SIZE, boxes), palette);
    index_of_cell = g_malloc0 (N_CELLS);
    for (guint i = 0; i < colors->len; i++) {
      const Color *color = &g_array_index (colors, Color, i);

      index_of_cell[color->cell] = find_nearest (color->mean, boxes, n);
    }
    for (size_t i = 0; i < n_pixels; i++)
      indices[i] = index_of_cell[get_cell (rgba + 4 * i)];
  }
  for (guint i = n; i < KG_PALETTE_SIZE; i++)
    palette[i] = 0xff000000;
}
