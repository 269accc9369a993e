/* image/matte_tools: alpha grown, shrunk, softened, closed.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/matte_tools.h"

#include "image/blur.h"
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  int operation;
  double size;
  bool square;
  int side;
  double threshold;
  int64_t largest;
} MatteTools;

enum { MATTE_ERODE, MATTE_DILATE, MATTE_OPEN, MATTE_CLOSE, MATTE_FEATHER, MATTE_FILL_HOLES, MATTE_N_OPERATIONS };
enum { MATTE_BOTH, MATTE_INSIDE, MATTE_OUTSIDE, MATTE_N_SIDES };

static const KgChoice matte_tools_operations[] = {
  [MATTE_ERODE] = { "erode", N_ ("Erode: shrink") },
  [MATTE_DILATE] = { "dilate", N_ ("Dilate: grow") },
  [MATTE_OPEN] = { "open", N_ ("Open: remove specks") },
  [MATTE_CLOSE] = { "close", N_ ("Close: fill cracks") },
  [MATTE_FEATHER] = { "feather", N_ ("Feather: soften the edge") },
  [MATTE_FILL_HOLES] = { "fill_holes", N_ ("Fill holes") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (matte_tools_operations, MATTE_N_OPERATIONS);

static const KgChoice matte_tools_sides[] = {
  [MATTE_BOTH] = { "both", N_ ("On both sides of the edge") },
  [MATTE_INSIDE] = { "inside", N_ ("Inside") },
  [MATTE_OUTSIDE] = { "outside", N_ ("Outside") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (matte_tools_sides, MATTE_N_SIDES);

static bool
matte_tools_feather (const MatteTools *n, float *matte, int width, int height, const KgProgressMonitor *monitor)
{
  if (!matte_blur (matte, width, height, n->size, true, monitor))
    return false;
  /* The edge, which is at one half, becomes the end of the ramp. */
  for (size_t i = 0; n->side != MATTE_BOTH && i < (size_t) width * (size_t) height; i++)
    matte[i] = (float) kg_clamp (2 * (double) matte[i] - (n->side == MATTE_INSIDE), 0, 1);
  return true;
}

static bool
matte_tools_run (const MatteTools *n, float *matte, int width, int height, const KgProgressMonitor *monitor)
{
  switch (n->operation) {
  case MATTE_ERODE:
    return matte_spread (matte, width, height, -n->size, n->square, monitor);
  case MATTE_DILATE:
    return matte_spread (matte, width, height, n->size, n->square, monitor);
  case MATTE_OPEN:
    return matte_spread (matte, width, height, -n->size, n->square, monitor) &&
           matte_spread (matte, width, height, n->size, n->square, monitor);
  case MATTE_CLOSE:
    return matte_spread (matte, width, height, n->size, n->square, monitor) &&
           matte_spread (matte, width, height, -n->size, n->square, monitor);
  case MATTE_FEATHER:
    return matte_tools_feather (n, matte, width, height, monitor);
  default:
    return matte_fill_holes (matte, width, height, n->threshold, (size_t) n->largest, monitor);
  }
}

static bool
matte_tools_evaluate (MatteTools *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  g_autofree float *matte = matte_take (before);

  (void) error;
  IMAGE_BEGIN (n);
  if (!matte_tools_run (n, matte, kg_image_get_width (before), kg_image_get_height (before), &monitor))
    return false;
  kg_image_make_writable (&n->result);
  matte_put (n->result, matte);
  return image_wear (before, &wear, &n->result, &monitor);
}

/* What a hole is the whole matte decides. */
static double
matte_tools_reach (const void *job)
{
  const MatteTools *n = (const MatteTools *) job;

  return n->operation == MATTE_FILL_HOLES                            ? -1
         : n->operation == MATTE_FEATHER                             ? 2 * blur_gaussian_reach (n->size) + 4
         : n->operation == MATTE_OPEN || n->operation == MATTE_CLOSE ? 2 * n->size + 4
                                                                     : n->size + 2;
}

static const KgSlot matte_tools_slots[] = {
  IMAGE_INPUT (MatteTools, N_ ("The image whose alpha is changed.")),
  KG_INPUT (MatteTools, operation, CHOICE, .label = N_ ("Operation"), .choices = matte_tools_operations,
            .help = N_ ("How alpha is changed.")),
  KG_INPUT (
      MatteTools, size, NUMBER, .label = N_ ("Size"), .unit = KG_PIXELS, .def = 2, .max = 1e6, .soft_max = 50,
      .shown_when = "operation!=fill_holes",
      .help = N_ (
          "Distance by which the edge moves, also by fractions of a pixel, at most 500; for a feather, its standard "
          "deviation.")),
  KG_INPUT (MatteTools, square, BOOLEAN, .label = N_ ("Square"), .shown_when = "operation=erode|dilate|open|close",
            .help = N_ ("Moves the edge in a square instead of a disc, so that corners stay corners.")),
  KG_INPUT (MatteTools, side, CHOICE, .label = N_ ("Side"), .choices = matte_tools_sides,
            .shown_when = "operation=feather", .help = N_ ("Where the soft edge is.")),
  KG_INPUT (MatteTools, threshold, NUMBER, .label = N_ ("Threshold"), .unit = KG_PERCENT, .def = 0.5, .max = 1,
            .shown_when = "operation=fill_holes", .help = N_ ("Alpha below this is a hole.")),
  KG_INPUT (MatteTools, largest, INTEGER, .label = N_ ("Largest Hole"), .unit = KG_PIXELS, .max = 1 << 28,
            .soft_max = 10000, .shown_when = "operation=fill_holes",
            .help = N_ ("Largest size of the holes that are filled, in pixels. 0: all of them.")),
  IMAGE_WEAR (MatteTools,
              N_ ("The image with the new alpha. Its colours follow, so that they look the same; where the image "
                  "was transparent they are black.")),
};

KG_NODE (image, matte_tools, MatteTools, .label = N_ ("Matte Tools"), .version = 1, .since = "0.1",
         .reach = matte_tools_reach,
         .tags = N_ ("erode dilate grow shrink choke spread open close feather soften blur holes fill minimum maximum "
                     "morphology edge alpha picture"),
         .source = "R. M. Haralick, S. R. Sternberg, X. Zhuang, Image Analysis Using Mathematical Morphology, 1987",
         .help = N_ ("Shrinks, grows, softens or closes the matte that is an image's alpha."));
