/* image/over: images laid over each other.
 * Source: Porter and Duff 1984; Carpenter 1984.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/layers.h"
#include "image/image_wear.h"

typedef struct {
  KgList layers;
  double opacity;
  KgVector offset;
  const KgTable *depths;
  int edges;
  IMAGE_WEAR_FIELDS;
  KgImage *image;
} Over;

enum { OVER_UNCORRELATED, OVER_CORRELATED, OVER_N_EDGES };

static const KgChoice over_edges[] = {
  [OVER_UNCORRELATED] = { "uncorrelated", N_ ("Uncorrelated: spread over the pixel") },
  [OVER_CORRELATED] = { "correlated", N_ ("Correlated: where alpha rises") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (over_edges, OVER_N_EDGES);

static const KgTableColumn over_columns[] = {
  { "depth", N_ ("Depth"), 0, false },
  KG_TABLE_COLUMNS_END,
};

/* A layer, and how far away it is. */
typedef struct {
  const KgImage *image;
  double depth;
} OverLayer;

static int
over_compare (const void *a, const void *b)
{
  const OverLayer *p = (const OverLayer *) a, *q = (const OverLayer *) b;

  return p->depth > q->depth ? -1 : p->depth < q->depth ? 1 : 0;
}

/* The layers from back to front: as they are listed, or by the depths, where equal ones keep their order. */
static void
over_sort (const Over *n, const KgContext *ctx, OverLayer *layers)
{
  const size_t rows = kg_table_get_n_rows (n->depths);

  for (guint i = 0; i < n->layers.n; i++) {
    layers[i].image = n->layers.items[i].image;
    layers[i].depth = rows == 0 ? 0 : kg_table_get_row (n->depths, MIN (i, rows - 1))[0];
  }
  if (rows == 0)
    return;
  if (rows != n->layers.n)
    kg_context_warn (
        ctx,
        "the number of depths is %zu, that of layers %u: the last depth is repeated, or surplus ones are ignored; give each layer one depth",
        rows, n->layers.n);
  /* A stable order: insertion. */
  for (guint i = 1; i < n->layers.n; i++)
    for (guint k = i; k > 0 && over_compare (&layers[k - 1], &layers[k]) > 0; k--) {
      const OverLayer kept = layers[k];

      layers[k] = layers[k - 1];
      layers[k - 1] = kept;
    }
  for (guint i = 1; i < n->layers.n; i++)
    if (layers[i].depth == layers[i - 1].depth) {
      kg_context_warn (ctx, "two layers with a depth of %g: the one that is listed later is in front", layers[i].depth);
      break;
    }
}

static bool
over_stack (Over *n, const OverLayer *layers, const KgProgressMonitor *monitor, GError **error)
{
  const guint count = n->layers.n;
  g_autofree ImageSource *sources = g_new (ImageSource, count);
  g_autofree double *opacities = g_new (double, count);
  g_autoptr (KgImage) colors = NULL;

  for (guint i = 0; i < count; i++) {
    sources[i] = image_source (layers[i].image, n->image, i > 0 ? n->offset.x : 0, i > 0 ? -n->offset.y : 0);
    opacities[i] = i > 0 ? n->opacity : 1;
  }
  if (n->edges == OVER_CORRELATED) {
    colors = kg_image_new (kg_image_get_width (n->image), kg_image_get_height (n->image), false, error);
    if (colors == NULL || !layers_resolve (sources, opacities, count, colors, monitor))
      return false;
  }
  for (guint i = 1; i < count; i++)
    if (!layer_over (&n->image, &sources[i], opacities[i], NAN, monitor))
      return false;
  if (colors != NULL)
    memcpy (kg_image_edit_pixels (n->image), kg_image_get_pixels (colors),
            4 * sizeof (float) * (size_t) kg_image_get_width (colors) * (size_t) kg_image_get_height (colors));
  return true;
}

static bool
over_evaluate (Over *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  g_autofree OverLayer *layers = g_new (OverLayer, n->layers.n + 1);
  g_autoptr (KgImage) back = NULL;

  if (n->layers.n == 0) {
    n->image = kg_image_new (1, 1, false, error);
    return n->image != NULL;
  }
  if (n->edges == OVER_CORRELATED && n->layers.n > LAYERS_MOST) {
    kg_set_error (error, KG_ERROR_LIMIT, "correlated edges of %u layers: use at most %d, or several Over nodes",
                  n->layers.n, LAYERS_MOST);
    return false;
  }
  over_sort (n, ctx, layers);
  n->image = kg_image_ref (layers[0].image);
  for (guint i = 1; i < n->layers.n; i++) {
    if (!image_enlarge (&n->image, layers[i].image, error))
      return false;
    if (kg_image_get_depth (layers[i].image) != NULL && kg_image_get_depth (n->image) == NULL) {
      kg_image_make_writable (&n->image);
      kg_image_edit_depth (n->image);
    }
  }
  back = kg_image_ref (n->image);
  return over_stack (n, layers, &monitor, error) &&
         (!IMAGE_IS_WORN (n) || image_wear (back, &wear, &n->image, &monitor));
}

static double
over_reach (const void *job)
{
  const Over *n = (const Over *) job;

  return fmax (fabs (n->offset.x), fabs (n->offset.y)) + (n->edges == OVER_CORRELATED ? 2 : 1);
}

static const KgSlot over_slots[] = {
  KG_INPUTS (Over, layers, IMAGE, .label = N_ ("Layers"), .optional = true,
             .help = N_ ("The images to composite, from back to front.")),
  KG_INPUT (Over, opacity, NUMBER, .label = N_ ("Opacity"), .unit = KG_PERCENT, .def = 1, .max = 1,
            .help = N_ ("Opacity of every layer except the first.")),
  KG_INPUT (
      Over, offset, VECTOR, .label = N_ ("Offset"), .unit = KG_PIXELS,
      .help = N_ (
          "Offset of every layer except the first, to the right and up, rounded to whole pixels. Transform Image moves a layer by fractions of a pixel.")),
  KG_INPUT (
      Over, depths, TABLE, .columns = over_columns, .label = N_ ("Depths"), .def_text = "",
      .help =
          N_ ("Distance of each layer, one number for each: the farthest is composited first. If empty, the layers are "
              "composited in the order of the list.")),
  KG_INPUT (
      Over, edges, CHOICE, .label = N_ ("Edges"), .choices = over_edges,
      .help =
          N_ ("How a partly covered pixel is treated. Where uncorrelated edges meet, a little of the background shows "
              "through; correlated ones cover the side of the pixel towards which alpha rises, so that layers that fit "
              "together have no seam.")),
  IMAGE_WEAR_INPUTS (Over),
  KG_OUTPUT (
      Over, image, IMAGE, .label = N_ ("Image"),
      .help = N_ (
          "All layers together. It has depth if any layer has depth: the distance of what is visible, whatever the mask.")),
};

KG_NODE (
    image, over, Over, .label = N_ ("Over"), .version = 3, .since = "0.1", .reach = over_reach,
    .tags = N_ ("composite layer stack merge alpha blend background foreground order priority a-buffer seam"),
    .formula = "c = f + (1 − α_f)·b, premultiplied",
    .source =
        "T. Porter, T. Duff, Compositing Digital Images, SIGGRAPH 1984; L. Carpenter, The A-buffer, SIGGRAPH 1984",
    .help = N_ (
        "Composites images over each other; transparent parts show what is behind. Images of different sizes are centred."));
