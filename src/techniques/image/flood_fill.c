/* flood_fill: see flood_fill.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/flood_fill.h"

#include "image/image_operation.h"
#include "kg-math.h"

#include <string.h>

typedef struct {
  const KgImage *image;
  int width, height;
  float *shown;        /* straight colours as display values, and alpha: 4 a pixel */
  const float *wanted; /* those of the last seed, for which barred holds; NULL: none yet */
  const FloodFillStyle *style;
  guint8 *barred; /* of a seed, where the gap keeps it out; NULL without a gap */
  guint8 *region;
  GArray *stack; /* pixels, as int */
  const KgProgressMonitor *monitor;
  guint steps; /* since it was last asked whether to stop */
} Fill;

/* Whether to stop; asks once in so many small steps. */
static bool
is_cancelled_in_step (Fill *fill)
{
  return (++fill->steps & 0xfff) == 0 && kg_progress_is_cancelled (fill->monitor);
}

static void
show_rows (gpointer data, int first, int end)
{
  const Fill *fill = (const Fill *) data;
  const size_t from = (size_t) first * (size_t) fill->width, until = (size_t) end * (size_t) fill->width;
  const float *pixels = kg_image_get_pixels (fill->image);

  for (size_t i = from; i < until; i++) {
    const float *p = pixels + 4 * i, alpha = p[3];

    for (int c = 0; c < 3; c++)
      fill->shown[4 * i + (size_t) c] = alpha > 0 ? (float) kg_srgb_encode ((double) (p[c] / alpha)) : 0;
    fill->shown[4 * i + 3] = alpha;
  }
}

static bool
is_similar (const Fill *fill, int pixel)
{
  const float *p = fill->shown + 4 * (size_t) pixel;
  double most = 0;

  for (int c = 0; c < 4; c++)
    most = fmax (most, fabs ((double) p[c] - (double) fill->wanted[c]));
  /* (Display values of floats carry a rounding.) */
  return most <= fill->style->tolerance + 1e-6;
}

static bool
is_open (const Fill *fill, int pixel)
{
  return fill->region[pixel] == 0 && (fill->barred == NULL || fill->barred[pixel] == 0) && is_similar (fill, pixel);
}

/* Puts the first pixel of each run of a row that can be filled, between two columns, onto the stack. */
static void
push_runs (const Fill *fill, int y, int left, int right)
{
  bool inside = false;

  if (y < 0 || y >= fill->height)
    return;
  for (int x = MAX (left, 0); x <= MIN (right, fill->width - 1); x++) {
    const int pixel = y * fill->width + x;
    const bool open = is_open (fill, pixel);

    if (open && !inside)
      g_array_append_val (fill->stack, pixel);
    inside = open;
  }
}

static bool
fill_from (Fill *fill, int seed)
{
  const int corner = fill->style->diagonal ? 1 : 0;

  g_array_set_size (fill->stack, 0);
  g_array_append_val (fill->stack, seed);
  while (fill->stack->len > 0) {
    const int pixel = g_array_index (fill->stack, int, fill->stack->len - 1), y = pixel / fill->width;
    int left = pixel % fill->width, right = left;

    g_array_set_size (fill->stack, fill->stack->len - 1);
    if (is_cancelled_in_step (fill))
      return false;
    if (!is_open (fill, pixel))
      continue;
    while (left > 0 && is_open (fill, y * fill->width + left - 1))
      left--;
    while (right < fill->width - 1 && is_open (fill, y * fill->width + right + 1))
      right++;
    memset (fill->region + y * fill->width + left, 1, (size_t) (right - left + 1));
    push_runs (fill, y - 1, left - corner, right + corner);
    push_runs (fill, y + 1, left - corner, right + corner);
  }
  return true;
}

typedef struct {
  int width, height, reach;
  guint8 *set, *wide;
} Dilation;

/* Writes to wide what is within the reach of a set pixel of the same row. */
static void
dilate_rows (gpointer data, int first, int end)
{
  const Dilation *dilation = (const Dilation *) data;

  for (int y = first; y < end; y++) {
    const guint8 *set = dilation->set + (size_t) y * (size_t) dilation->width;
    guint8 *wide = dilation->wide + (size_t) y * (size_t) dilation->width;
    int until = -1; /* the last column that the set pixels so far reach */

    for (int x = 0; x < dilation->width; x++) {
      until = set[x] != 0 ? x + dilation->reach : until;
      wide[x] = x <= until;
    }
    until = dilation->width; /* the first one, from the right */
    for (int x = dilation->width - 1; x >= 0; x--) {
      until = set[x] != 0 ? x - dilation->reach : until;
      wide[x] |= x >= until;
    }
  }
}

/* Grows what is set to a square of 2 reach + 1 pixels around each pixel of it: along rows, then along columns, so that its cost
 * does not depend on the reach.  wide: scratch of the same size. */
static bool
dilate (const Fill *fill, guint8 *set, int reach, guint8 *wide)
{
  const int width = fill->width, height = fill->height;
  Dilation dilation = { width, height, reach, set, wide };
  g_autofree int *until = g_new (int, (size_t) width);

  if (reach == 0)
    return true;
  if (!image_each_rows (width, height, dilate_rows, &dilation, fill->monitor))
    return false;
  for (int x = 0; x < width; x++)
    until[x] = -1;
  for (int y = 0; y < height; y++) {
    if (kg_progress_is_cancelled (fill->monitor))
      return false;
    for (int x = 0; x < width; x++) {
      until[x] = wide[(size_t) y * (size_t) width + (size_t) x] != 0 ? y + reach : until[x];
      set[(size_t) y * (size_t) width + (size_t) x] = y <= until[x];
    }
  }
  for (int x = 0; x < width; x++)
    until[x] = height;
  for (int y = height - 1; y >= 0; y--) {
    if (kg_progress_is_cancelled (fill->monitor))
      return false;
    for (int x = 0; x < width; x++) {
      until[x] = wide[(size_t) y * (size_t) width + (size_t) x] != 0 ? y - reach : until[x];
      set[(size_t) y * (size_t) width + (size_t) x] |= y >= until[x];
    }
  }
  return true;
}

/* Grows what is set by reach steps to all eight sides, over pixels of the wanted colour only: each step goes on from what the
 * one before has added. */
static bool
grow_over_color (Fill *fill, guint8 *set, int reach)
{
  const int width = fill->width, height = fill->height, n = width * height;
  g_autoptr (GArray) edge = g_array_new (FALSE, FALSE, sizeof (int)), next = g_array_new (FALSE, FALSE, sizeof (int));

  for (int i = 0; i < n; i++) {
    if (is_cancelled_in_step (fill))
      return false;
    if (set[i] != 0)
      g_array_append_val (edge, i);
  }
  for (int step = 0; step < reach && edge->len > 0; step++) {
    GArray *added = next;

    g_array_set_size (added, 0);
    for (guint i = 0; i < edge->len; i++) {
      const int pixel = g_array_index (edge, int, i), x = pixel % width, y = pixel / width;

      if (is_cancelled_in_step (fill))
        return false;
      for (int v = MAX (y - 1, 0); v <= MIN (y + 1, height - 1); v++)
        for (int u = MAX (x - 1, 0); u <= MIN (x + 1, width - 1); u++) {
          const int side = v * width + u;

          if (set[side] == 0 && is_similar (fill, side)) {
            set[side] = 1;
            g_array_append_val (added, side);
          }
        }
    }
    next = edge;
    edge = added;
  }
  return true;
}

static void
bar_rows (gpointer data, int first, int end)
{
  const Fill *fill = (const Fill *) data;

  for (int i = first * fill->width; i < end * fill->width; i++)
    fill->barred[i] = !is_similar (fill, i);
}

/* Bars what lies within the gap of another colour. */
static bool
bar_gaps (Fill *fill, guint8 *scratch)
{
  return image_each_rows (fill->width, fill->height, bar_rows, fill, fill->monitor) &&
         dilate (fill, fill->barred, fill->style->gap, scratch);
}

/* Fills the nooks of its colour beside the region that are barred all through: corners between lines.  Those that lead on to
 * where nothing bars are gaps, and stay.  visited: zeroed scratch. */
static bool
fill_nooks (Fill *fill, guint8 *visited)
{
  const int width = fill->width, height = fill->height, n = width * height;
  g_autoptr (GArray) nook = g_array_new (FALSE, FALSE, sizeof (int));

  for (int start = 0; start < n; start++) {
    bool beside = false, closed = true;

    if (is_cancelled_in_step (fill))
      return false;
    if (visited[start] != 0 || fill->region[start] != 0 || fill->barred[start] == 0 || !is_similar (fill, start))
      continue;
    g_array_set_size (nook, 0);
    g_array_append_val (nook, start);
    visited[start] = 1;
    for (guint i = 0; i < nook->len; i++) {
      const int pixel = g_array_index (nook, int, i), x = pixel % width, y = pixel / width;
      const int sides[4][2] = { { x - 1, y }, { x + 1, y }, { x, y - 1 }, { x, y + 1 } };

      if (is_cancelled_in_step (fill))
        return false;
      for (int k = 0; k < 4; k++) {
        const int side = sides[k][1] * width + sides[k][0];

        if (sides[k][0] < 0 || sides[k][0] >= width || sides[k][1] < 0 || sides[k][1] >= height)
          continue;
        if (fill->region[side] != 0)
          beside = true;
        else if (is_similar (fill, side) && fill->barred[side] == 0)
          closed = false;
        else if (is_similar (fill, side) && visited[side] == 0) {
          visited[side] = 1;
          g_array_append_val (nook, side);
        }
      }
    }
    for (guint i = 0; beside && closed && i < nook->len; i++)
      fill->region[g_array_index (nook, int, i)] = 1;
  }
  return true;
}

/* False when it was cancelled. */
static bool
fill_seed (Fill *fill, int seed, guint8 *scratch, guint8 *own, FloodFillReport *report)
{
  const size_t n = (size_t) fill->width * (size_t) fill->height;
  const float *wanted = fill->shown + 4 * (size_t) seed;
  const bool same = fill->wanted != NULL && memcmp (fill->wanted, wanted, 4 * sizeof *wanted) == 0;
  guint8 *const region = fill->region;
  guint8 *const barred = fill->barred;

  fill->wanted = wanted;
  if (barred == NULL)
    return fill_from (fill, seed);
  if (!same && !bar_gaps (fill, scratch))
    return false;
  if (barred[seed] != 0) {
    report->narrow = true;
    return true;
  }
  /* What is barred and of its colour comes back, as far as it can be reached: over a region of its own. */
  memset (own, 0, n);
  fill->region = own;
  if (!fill_from (fill, seed) || !grow_over_color (fill, own, fill->style->gap))
    return false;
  memset (scratch, 0, n);
  if (!fill_nooks (fill, scratch))
    return false;
  fill->region = region;
  for (size_t i = 0; i < n; i++)
    region[i] |= own[i];
  return true;
}

static bool
touches_edge (const Fill *fill)
{
  const int width = fill->width, last = fill->height - 1;

  for (int x = 0; x < width; x++)
    if (fill->region[x] != 0 || fill->region[last * width + x] != 0)
      return true;
  for (int y = 0; y <= last; y++)
    if (fill->region[y * width] != 0 || fill->region[y * width + width - 1] != 0)
      return true;
  return false;
}

bool
flood_fill (const KgImage *image, const int (*seeds)[2], size_t n_seeds, const FloodFillStyle *style, guint8 *region,
            FloodFillReport *report, const KgProgressMonitor *monitor)
{
  const size_t n = (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image);
  g_autofree float *shown = g_new (float, 4 * n);
  g_autofree guint8 *scratch = g_new (guint8, n), *own = g_new (guint8, n), *barred = g_new (guint8, n);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (int));
  Fill fill = { .image = image,
                .width = kg_image_get_width (image),
                .height = kg_image_get_height (image),
                .shown = shown,
                .style = style,
                .barred = style->gap > 0 ? barred : NULL,
                .region = region,
                .stack = stack,
                .monitor = monitor };

  *report = (FloodFillReport){ .pixels = 0 };
  if (!image_each_rows (fill.width, fill.height, show_rows, &fill, monitor))
    return false;
  for (size_t i = 0; i < n_seeds; i++) {
    const int seed = seeds[i][1] * fill.width + seeds[i][0];

    if (kg_progress_is_cancelled (monitor))
      return false;
    if (region[seed] == 0 && !fill_seed (&fill, seed, scratch, own, report))
      return false;
  }
  report->leaks = touches_edge (&fill);
  if (!dilate (&fill, region, style->expand, scratch))
    return false;
  for (size_t i = 0; i < n; i++)
    report->pixels += region[i];
  return true;
}
