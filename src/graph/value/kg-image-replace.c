/* kg-image-replace: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-image-replace.h"

#include "kg-finite.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

G_STATIC_ASSERT (KG_IMAGE_MAX_PIXELS <= UINT32_MAX);

typedef enum { PIXEL_FINITE, PIXEL_BAD, PIXEL_NEXT } PixelState;

typedef struct {
  size_t width, height;
  float *pixels, *depth; /* depth: (nullable) */
  uint8_t *state;        /* of each pixel */
  GArray *layer;         /* of uint32_t: those that are replaced next, beside finite ones */
} Patch;

static bool
is_bad (const float *pixel, const float *depth)
{
  return !isfinite (pixel[0]) || !isfinite (pixel[1]) || !isfinite (pixel[2]) || !isfinite (pixel[3]) ||
         (depth != NULL && isnan (*depth));
}

static void
blacken (float *pixel, float *depth)
{
  pixel[0] = pixel[1] = pixel[2] = 0;
  if (!isfinite (pixel[3]))
    pixel[3] = 0;
  if (depth != NULL && isnan (*depth))
    *depth = INFINITY;
}

static size_t
get_from (size_t i)
{
  return i > 0 ? i - 1 : 0;
}

/* The mean of the finite neighbours, into five floats.  An infinite depth hit nothing and has no part in the mean of depths.
 * Returns how many there are. */
static int
average (const Patch *patch, size_t at, float *mean)
{
  const size_t x = at % patch->width, y = at / patch->width;
  double sum[5] = { 0 };
  int n = 0, hits = 0;

  for (size_t j = get_from (y); j <= MIN (y + 1, patch->height - 1); j++)
    for (size_t i = get_from (x); i <= MIN (x + 1, patch->width - 1); i++) {
      const size_t from = j * patch->width + i;

      if (patch->state[from] != PIXEL_FINITE)
        continue;
      for (size_t c = 0; c < 4; c++)
        sum[c] += (double) patch->pixels[4 * from + c];
      n++;
      if (patch->depth == NULL || !isfinite (patch->depth[from]))
        continue;
      sum[4] += (double) patch->depth[from];
      hits++;
    }
  for (int c = 0; c < 4; c++)
    mean[c] = n > 0 ? (float) (sum[c] / n) : 0;
  mean[4] = hits > 0 ? (float) (sum[4] / hits) : INFINITY;
  return n;
}

/* Pixels of the layer count as finite only when all have their values: their order has no part in them. */
static void
replace_layer (Patch *patch)
{
  for (guint k = 0; k < patch->layer->len; k++) {
    const size_t at = g_array_index (patch->layer, uint32_t, k);
    float mean[5];

    average (patch, at, mean);
    memcpy (patch->pixels + 4 * at, mean, 4 * sizeof (float));
    /* A depth that was right stays. */
    if (patch->depth != NULL && isnan (patch->depth[at]))
      patch->depth[at] = mean[4];
  }
  for (guint k = 0; k < patch->layer->len; k++)
    patch->state[g_array_index (patch->layer, uint32_t, k)] = PIXEL_FINITE;
}

/* The bad neighbours of the layer are the next one. */
static void
find_next_layer (Patch *patch, GArray *next)
{
  g_array_set_size (next, 0);
  for (guint k = 0; k < patch->layer->len; k++) {
    const size_t at = g_array_index (patch->layer, uint32_t, k), x = at % patch->width, y = at / patch->width;

    for (size_t j = get_from (y); j <= MIN (y + 1, patch->height - 1); j++)
      for (size_t i = get_from (x); i <= MIN (x + 1, patch->width - 1); i++) {
        const uint32_t to = (uint32_t) (j * patch->width + i);

        if (patch->state[to] != PIXEL_BAD)
          continue;
        patch->state[to] = PIXEL_NEXT;
        g_array_append_val (next, to);
      }
  }
}

static void
replace_by_neighbours (Patch *patch)
{
  const uint32_t n = (uint32_t) (patch->width * patch->height);
  GArray *next = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  float ignored[5];

  for (uint32_t i = 0; i < n; i++)
    if (patch->state[i] == PIXEL_BAD && average (patch, i, ignored) > 0)
      g_array_append_val (patch->layer, i);
  for (guint k = 0; k < patch->layer->len; k++)
    patch->state[g_array_index (patch->layer, uint32_t, k)] = PIXEL_NEXT;
  while (patch->layer->len > 0) {
    GArray *last = patch->layer;

    replace_layer (patch);
    find_next_layer (patch, next);
    patch->layer = next;
    next = last;
  }
  g_array_unref (next);
}

/* Marks them. */
static void
count_bad (Patch *patch, KgImageReplaced *mended)
{
  const size_t n = patch->width * patch->height;

  for (size_t i = 0; i < n; i++) {
    if (!is_bad (patch->pixels + 4 * i, patch->depth != NULL ? patch->depth + i : NULL))
      continue;
    if (mended->n == 0) {
      mended->row = i / patch->width;
      mended->column = i % patch->width;
    }
    mended->n++;
    patch->state[i] = PIXEL_BAD;
  }
}

bool
kg_image_replace_not_finite (KgImage *image, KgImageReplacement rule, KgImageReplaced *mended, GError **error)
{
  Patch patch = { .width = (size_t) kg_image_get_width (image), .height = (size_t) kg_image_get_height (image) };
  const size_t n = patch.width * patch.height;
  const bool depth = kg_image_get_depth (image) != NULL;

  *mended = (KgImageReplaced){ 0 };
  if (kg_find_not_finite (kg_image_get_pixels (image), 4 * n, false) == 4 * n &&
      (!depth || kg_find_not_finite (kg_image_get_depth (image), n, true) == n))
    return true;
  if (rule == KG_IMAGE_REPLACE_REFUSE)
    return kg_image_check_finite (image, error);
  patch.state = g_try_new0 (uint8_t, n);
  if (patch.state == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for an image of %zu × %zu pixels", patch.width,
                  patch.height);
    return false;
  }
  patch.pixels = kg_image_edit_pixels (image);
  patch.depth = depth ? kg_image_edit_depth (image) : NULL;
  count_bad (&patch, mended);
  if (rule == KG_IMAGE_REPLACE_NEIGHBOURS) {
    patch.layer = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    replace_by_neighbours (&patch);
    g_array_unref (patch.layer);
  }
  /* Those that no finite one reaches are black by either rule. */
  for (size_t i = 0; i < n; i++)
    if (patch.state[i] != PIXEL_FINITE)
      blacken (patch.pixels + 4 * i, depth ? patch.depth + i : NULL);
  g_free (patch.state);
  return true;
}
