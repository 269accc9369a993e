/* reduce: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/reduce.h"

#include "image/image_operation.h"
#include "kg-hash.h"

typedef struct {
  const float *from, *from_depth;
  float *to, *to_depth;
  int from_width, from_height, width, height;
} Reduction;

/* The first of the pixels that pixel i of n takes from so many. */
static int
get_first (int i, int n, int from)
{
  return (int) ((int64_t) i * from / n);
}

static void
reduce_pixel (const Reduction *work, int x, int y)
{
  const int left = get_first (x, work->width, work->from_width), top = get_first (y, work->height, work->from_height);
  const int right = MAX (left + 1, get_first (x + 1, work->width, work->from_width));
  const int bottom = MAX (top + 1, get_first (y + 1, work->height, work->from_height));
  const double share = 1.0 / ((double) (right - left) * (double) (bottom - top));
  const size_t at = (size_t) y * (size_t) work->width + (size_t) x;
  double sum[4] = { 0 };
  float nearest = INFINITY;

  for (int row = top; row < bottom; row++)
    for (int column = left; column < right; column++) {
      const size_t from = (size_t) row * (size_t) work->from_width + (size_t) column;

      for (size_t c = 0; c < 4; c++)
        sum[c] += (double) work->from[4 * from + c];
      if (work->from_depth != NULL)
        nearest = MIN (nearest, work->from_depth[from]);
    }
  for (size_t c = 0; c < 4; c++)
    work->to[4 * at + c] = (float) (share * sum[c]);
  if (work->to_depth != NULL)
    work->to_depth[at] = nearest;
}

static void
reduce_rows (gpointer data, int first, int end)
{
  const Reduction *work = (const Reduction *) data;

  for (int y = first; y < end; y++)
    for (int x = 0; x < work->width; x++)
      reduce_pixel (work, x, y);
}

KgImage *
image_reduce (const KgImage *image, double share, GError **error)
{
  Reduction work = { .from = kg_image_get_pixels (image),
                     .from_depth = kg_image_get_depth (image),
                     .from_width = kg_image_get_width (image),
                     .from_height = kg_image_get_height (image) };
  const KgHash fingerprint = kg_image_get_fingerprint (image);
  KgImage *reduced;

  if (share >= 1)
    return kg_image_ref (image);
  work.width = MAX (1, (int) floor (work.from_width * share + 0.5));
  work.height = MAX (1, (int) floor (work.from_height * share + 0.5));
  reduced = kg_image_new (work.width, work.height, work.from_depth != NULL, error);
  if (reduced == NULL)
    return NULL;
  kg_image_set_pixel_aspect (reduced, kg_image_get_pixel_aspect (image));
  work.to = kg_image_edit_pixels (reduced);
  work.to_depth = work.from_depth != NULL ? kg_image_edit_depth (reduced) : NULL;
  image_each_rows (work.width, work.height, reduce_rows, &work, NULL);
  if (!kg_hash_is_zero (fingerprint))
    kg_image_set_fingerprint (reduced, kg_hash_double (fingerprint, share));
  return reduced;
}
