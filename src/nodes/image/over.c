/* image/over: pictures laid over each other.
 * Source: Porter and Duff 1984.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgList layers;
  double opacity;
  KgVector offset;
  KgImage *image;
} Over;

/* front over back, both premultiplied; front's left upper corner at (dx, dy) of back. */
static void
over_composite (KgImage *back, const KgImage *front, int dx, int dy, float opacity)
{
  const int columns = kg_image_get_width (back), rows = kg_image_get_height (back);
  const int width = kg_image_get_width (front), height = kg_image_get_height (front);
  const int left = MAX (0, dx), right = MIN (columns, dx + width);
  const int top = MAX (0, dy), bottom = MIN (rows, dy + height);
  float *to = kg_image_edit_pixels (back);
  const float *from = kg_image_get_pixels (front);

#pragma omp parallel for schedule(static)
  for (int y = top; y < bottom; y++) {
    float *restrict b = to + 4 * ((size_t) y * (size_t) columns + (size_t) left);
    const float *restrict f = from + 4 * ((size_t) (y - dy) * (size_t) width + (size_t) (left - dx));

    for (int x = left; x < right; x++, b += 4, f += 4) {
      const float keep = 1 - f[3] * opacity;

      for (int c = 0; c < 4; c++)
        b[c] = f[c] * opacity + b[c] * keep;
    }
  }
}

static bool
over_evaluate (Over *n, const KgContext *ctx, GError **error)
{
  int columns = 1, rows = 1;

  (void) ctx;
  for (guint i = 0; i < n->layers.n; i++) {
    columns = MAX (columns, kg_image_get_width (n->layers.items[i].image));
    rows = MAX (rows, kg_image_get_height (n->layers.items[i].image));
  }
  n->image = kg_image_new (columns, rows, false, error);
  if (n->image == NULL)
    return false;
  for (guint i = 0; i < n->layers.n; i++) {
    const KgImage *layer = n->layers.items[i].image;
    const double x = 0.5 * (columns - kg_image_get_width (layer)) + (i > 0 ? n->offset.x : 0);
    const double y = 0.5 * (rows - kg_image_get_height (layer)) - (i > 0 ? n->offset.y : 0);

    over_composite (n->image, layer, (int) kg_clamp (floor (x + 0.5), -1e6, 1e6),
                    (int) kg_clamp (floor (y + 0.5), -1e6, 1e6), i > 0 ? (float) n->opacity : 1);
  }
  return true;
}

static const KgSlot over_slots[] = {
  KG_INPUTS (Over, layers, IMAGE, .label = N_ ("Layers"), .optional = true, .help = N_ ("From back to front.")),
  KG_INPUT (Over, opacity, NUMBER, .label = N_ ("Opacity"), .unit = KG_PERCENT, .def = 1, .max = 1,
            .help = N_ ("Of every layer but the first.")),
  KG_INPUT (Over, offset, VECTOR, .label = N_ ("Offset"), .unit = KG_PIXELS,
            .help = N_ ("Moves every layer but the first, to the right and up.")),
  KG_OUTPUT (Over, image, IMAGE, .label = N_ ("Image"), .help = N_ ("All layers together.")),
};

KG_NODE (image, over, Over, .label = N_ ("Over"), .version = 1, .since = "0.1",
         .tags = N_ ("composite layer stack merge alpha blend background foreground"),
         .help = N_ ("Lays pictures over each other; transparent parts let through what is behind. Pictures of "
                     "different size are centred."));
