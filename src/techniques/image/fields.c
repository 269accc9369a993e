/* fields: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/fields.h"

#include "image/frame_mix.h"
#include "kg-math.h"

bool
fields_weave (const KgImage *even, const KgImage *odd, KgImage *out, const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (out), height = kg_image_get_height (out);
  float *pixels = kg_image_edit_pixels (out);

#pragma omp parallel for schedule(dynamic, 16)
  for (int y = 0; y < height; y++) {
    float *to = pixels + 4 * (size_t) y * (size_t) width;
    int first, end;
    const float *row;

    if (kg_progress_is_cancelled (monitor))
      continue;
    row = frame_mix_get_row (y % 2 == 0 ? even : odd, width, height, y, &first, &end);
    if (row != NULL)
      memcpy (to + 4 * first, row + 4 * first, (size_t) (end - first) * 4 * sizeof *to);
  }
  return !kg_progress_is_cancelled (monitor);
}

/* The rows of the field next to row y: above and below, or twice the same at the edge. */
static void
find_neighbours (const KgImage *frame, int y, const float **above, const float **below)
{
  const int height = kg_image_get_height (frame);
  const size_t size = 4 * (size_t) kg_image_get_width (frame);
  const float *pixels = kg_image_get_pixels (frame);
  const int up = y > 0 ? y - 1 : y + 1, down = y + 1 < height ? y + 1 : y - 1;

  *above = pixels + size * (size_t) kg_clamp (up, 0, height - 1);
  *below = pixels + size * (size_t) kg_clamp (down, 0, height - 1);
}

/* The row lies beyond both neighbours, and to the same side. */
static bool
combs (const float *p, const float *above, const float *below, double threshold)
{
  for (int c = 0; c < 4; c++) {
    const double x = kg_srgb_encode ((double) p[c]), a = x - kg_srgb_encode ((double) above[c]),
                 b = x - kg_srgb_encode ((double) below[c]);

    if (a * b > 0 && fmin (fabs (a), fabs (b)) > threshold)
      return true;
  }
  return false;
}

static void
separate_row (const KgImage *frame, FieldsMethod method, int parity, double threshold, int y, float *to)
{
  const int width = kg_image_get_width (frame);
  const float *row = kg_image_get_pixels (frame) + 4 * (size_t) y * (size_t) width;
  const bool kept = y % 2 == parity;
  const float *above, *below;

  find_neighbours (frame, y, &above, &below);
  for (int i = 0; i < 4 * width; i++) {
    const float between = 0.5f * above[i] + 0.5f * below[i];

    if (method == FIELDS_BLEND)
      to[i] = 0.5f * row[i] + 0.5f * between;
    else if (kept ||
             (method == FIELDS_ADAPT && !combs (row + i / 4 * 4, above + i / 4 * 4, below + i / 4 * 4, threshold)))
      to[i] = row[i];
    else
      to[i] = between;
  }
}

bool
fields_separate (const KgImage *frame, FieldsMethod method, int parity, double threshold, KgImage *out,
                 const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (frame), height = kg_image_get_height (frame);
  float *pixels = kg_image_edit_pixels (out);

#pragma omp parallel for schedule(dynamic, 16)
  for (int y = 0; y < height; y++)
    if (!kg_progress_is_cancelled (monitor))
      separate_row (frame, method, parity, threshold, y, pixels + 4 * (size_t) y * (size_t) width);
  return !kg_progress_is_cancelled (monitor);
}

double
fields_compare (const KgImage *a, const KgImage *b, int parity)
{
  const int width = MIN (kg_image_get_width (a), kg_image_get_width (b));
  const int height = MIN (kg_image_get_height (a), kg_image_get_height (b));
  double sum = 0;
  size_t n = 0;

  for (int y = parity; y < height; y += 2, n += (size_t) width) {
    const float *p = kg_image_get_pixels (a) + 4 * (size_t) y * (size_t) kg_image_get_width (a);
    const float *q = kg_image_get_pixels (b) + 4 * (size_t) y * (size_t) kg_image_get_width (b);

    for (int i = 0; i < 4 * width; i++)
      sum += ((double) p[i] - (double) q[i]) * ((double) p[i] - (double) q[i]);
  }
  return n > 0 ? sum / (double) (4 * n) : 0;
}
