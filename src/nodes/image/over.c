/* image/over: images laid over each other.
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

/* What of an image is laid over what of another. */
typedef struct {
  int left, right, top, bottom; /* in the back's pixels */
  int dx, dy;                   /* the front's left upper corner there */
} OverPlace;

/* front over back, both premultiplied. */
static void
over_composite (KgImage *back, const KgImage *front, const OverPlace *place, float opacity)
{
  const int columns = kg_image_get_width (back), width = kg_image_get_width (front);
  float *to = kg_image_edit_pixels (back);
  const float *from = kg_image_get_pixels (front);

#pragma omp parallel for schedule(dynamic, 8)
  for (int y = place->top; y < place->bottom; y++) {
    float *restrict b = to + 4 * ((size_t) y * (size_t) columns + (size_t) place->left);
    const float *restrict f = from +
                              4 * ((size_t) (y - place->dy) * (size_t) width + (size_t) (place->left - place->dx));

    for (int x = place->left; x < place->right; x++, b += 4, f += 4) {
      const float keep = 1 - f[3] * opacity;

      for (int c = 0; c < 4; c++)
        b[c] = f[c] * opacity + b[c] * keep;
    }
  }
}

/* The distance of what is seen.  The order of the layers rules, as it does for colours: an opaque front hides what lies
 * behind however near it is, and a transparent one leaves it.  Where both show (edges, glass, an opacity below 1) the
 * nearer one counts, as in images of scenes.  An image without depth is nowhere: infinitely far away. */
static void
over_composite_depth (KgImage *back, const KgImage *front, const OverPlace *place, float opacity)
{
  const int columns = kg_image_get_width (back), width = kg_image_get_width (front);
  float *to = kg_image_edit_depth (back);
  const float *from = kg_image_get_pixels (front), *distance = kg_image_get_depth (front);

#pragma omp parallel for schedule(dynamic, 8)
  for (int y = place->top; y < place->bottom; y++) {
    float *restrict b = to + (size_t) y * (size_t) columns;
    const size_t row = (size_t) (y - place->dy) * (size_t) width;

    for (int x = place->left; x < place->right; x++) {
      const size_t at = row + (size_t) (x - place->dx);
      const float alpha = from[4 * at + 3] * opacity, d = distance != NULL ? distance[at] : INFINITY;
      const float nearest = d < b[x] ? d : b[x];

      b[x] = alpha >= 1 ? d : alpha > 0 ? nearest : b[x];
    }
  }
}

static bool
over_evaluate (Over *n, const KgContext *ctx, GError **error)
{
  int columns = 1, rows = 1;
  bool depth = false;

  (void) ctx;
  for (guint i = 0; i < n->layers.n; i++) {
    columns = MAX (columns, kg_image_get_width (n->layers.items[i].image));
    rows = MAX (rows, kg_image_get_height (n->layers.items[i].image));
    depth = depth || kg_image_get_depth (n->layers.items[i].image) != NULL;
  }
  n->image = kg_image_new (columns, rows, depth, error);
  if (n->image == NULL)
    return false;
  if (n->layers.n > 0)
    kg_image_set_pixel_aspect (n->image, kg_image_get_pixel_aspect (n->layers.items[0].image));
  for (guint i = 0; i < n->layers.n; i++) {
    const KgImage *layer = n->layers.items[i].image;
    const double x = 0.5 * (columns - kg_image_get_width (layer)) + (i > 0 ? n->offset.x : 0);
    const double y = 0.5 * (rows - kg_image_get_height (layer)) - (i > 0 ? n->offset.y : 0);

    const int dx = (int) kg_clamp (floor (x + 0.5), -1e6, 1e6), dy = (int) kg_clamp (floor (y + 0.5), -1e6, 1e6);
    const OverPlace place = { MAX (0, dx), MIN (columns, dx + kg_image_get_width (layer)),
                              MAX (0, dy), MIN (rows, dy + kg_image_get_height (layer)),
                              dx,          dy };
    const float opacity = i > 0 ? (float) n->opacity : 1;

    over_composite (n->image, layer, &place, opacity);
    if (depth)
      over_composite_depth (n->image, layer, &place, opacity);
  }
  return true;
}

static const KgSlot over_slots[] = {
  KG_INPUTS (Over, layers, IMAGE, .label = N_ ("Layers"), .optional = true,
             .help = N_ ("The images to composite, from back to front.")),
  KG_INPUT (Over, opacity, NUMBER, .label = N_ ("Opacity"), .unit = KG_PERCENT, .def = 1, .max = 1,
            .help = N_ ("Opacity of every layer except the first.")),
  KG_INPUT (Over, offset, VECTOR, .label = N_ ("Offset"), .unit = KG_PIXELS,
            .help = N_ ("Offset of every layer except the first, to the right and up.")),
  KG_OUTPUT (Over, image, IMAGE, .label = N_ ("Image"),
             .help = N_ ("All layers together. It has depth if any layer has depth: the distance of what is visible.")),
};

KG_NODE (
    image, over, Over, .label = N_ ("Over"), .version = 2, .since = "0.1",
    .tags = N_ ("composite layer stack merge alpha blend background foreground"),
    .help = N_ (
        "Composites images over each other; transparent parts show what is behind. Images of different sizes are centred."));
