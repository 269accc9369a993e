/* image/depth_merge: two images with depth, the nearer in front of each pixel or part of a pixel.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/depth_merge.h"

#include "image/image_wear.h"

typedef struct {
  KgImage *a;
  const KgImage *b;
  bool sub_pixel;
  int diagonal;
  IMAGE_WEAR_FIELDS;
  KgImage *image;
  KgImage *beta;
} DepthMerge;

static const KgChoice depth_merge_diagonals[] = {
  [DEPTH_DIAGONAL_EVEN] = { "even", N_ ("Even: both share the centre") },
  [DEPTH_DIAGONAL_SADDLE] = { "saddle", N_ ("Saddle of the bilinear surface") },
  [DEPTH_DIAGONAL_TRIANGLES] = { "triangles", N_ ("Triangles: the centre belongs to the second") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (depth_merge_diagonals, DEPTH_N_DIAGONALS);

static bool
depth_merge_check (const DepthMerge *n, GError **error)
{
  const int widths[] = { kg_image_get_width (n->a), kg_image_get_width (n->b) };
  const int heights[] = { kg_image_get_height (n->a), kg_image_get_height (n->b) };

  if (kg_image_get_depth (n->a) == NULL || kg_image_get_depth (n->b) == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "an image has no depth: link images of scenes, or use Merge, which needs none");
    return false;
  }
  if (widths[0] != widths[1] || heights[0] != heights[1]) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "images of %d × %d and %d × %d pixels, whose depths do not belong together: use the same size",
                  widths[0], heights[0], widths[1], heights[1]);
    return false;
  }
  return true;
}

static bool
depth_merge_evaluate (DepthMerge *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const size_t count = (size_t) kg_image_get_width (n->a) * (size_t) kg_image_get_height (n->a);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  float *shares, *pixels;

  if (!depth_merge_check (n, error))
    return false;
  shares = (float *) kg_context_scratch (ctx, count * sizeof *shares, error);
  n->beta = kg_image_new (kg_image_get_width (n->a), kg_image_get_height (n->a), false, error);
  if (shares == NULL || n->beta == NULL)
    return false;
  /* The first is the front, so that beta is its share. */
  n->image = kg_image_ref (n->b);
  if (!depth_merge (&n->image, n->a, n->sub_pixel, (DepthDiagonal) n->diagonal, shares, &monitor) ||
      (IMAGE_IS_WORN (n) && !image_wear (n->b, &wear, &n->image, &monitor)))
    return false;
  kg_image_set_pixel_aspect (n->beta, kg_image_get_pixel_aspect (n->a));
  pixels = kg_image_edit_pixels (n->beta);
  for (size_t i = 0; i < 4 * count; i++)
    pixels[i] = i % 4 == 3 ? 1 : shares[i / 4];
  return true;
}

/* Depths at the corners are those of the pixels around them. */
static double
depth_merge_reach (const void *job)
{
  (void) job;
  return 2;
}

static const KgSlot depth_merge_slots[] = {
  KG_INPUT (DepthMerge, a, IMAGE, .label = N_ ("First"), .help = N_ ("An image with depth.")),
  KG_INPUT (DepthMerge, b, IMAGE, .label = N_ ("Second"),
            .help = N_ ("Another image with depth, of the same size. It is seen where both are equally near.")),
  KG_INPUT (DepthMerge, sub_pixel, BOOLEAN, .label = N_ ("Sub-Pixel"), .def = 1,
            .help = N_ (
                "Finds the share of each pixel in which the first is nearer, from the depths at its corners, and lays "
                "each over the other there (comp). Otherwise the nearer pixel hides the other (zmin).")),
  KG_INPUT (DepthMerge, diagonal, CHOICE, .label = N_ ("Diagonal Corners"), .choices = depth_merge_diagonals,
            .shown_when = "sub_pixel=true",
            .help = N_ ("Which image gets the centre of a pixel if the first is in front at two opposite corners.")),
  IMAGE_WEAR_INPUTS (DepthMerge),
  KG_OUTPUT (DepthMerge, image, IMAGE, .label = N_ ("Image"),
             .help = N_ ("Both images, with the smaller depth, whatever the mask. Where the mask is 0, the colours are "
                         "those of the second.")),
  KG_OUTPUT (DepthMerge, beta, IMAGE, .label = N_ ("Beta"),
             .help = N_ ("The share of each pixel in which the first is nearer, in grey.")),
};

KG_NODE (image, depth_merge, DepthMerge, .label = N_ ("Depth Merge"), .version = 1, .since = "0.1",
         .reach = depth_merge_reach,
         .tags = N_ ("zmerge zcomp zmin z buffer depth composite intersect interpenetrate comp duff picture"),
         .formula = "comp: β·(a over b) + (1 − β)·(b over a)\nzmin: z_a < z_b ? a : b",
         .source = "T. Duff, Compositing 3-D Rendered Images, SIGGRAPH 1985",
         .help = N_ ("Merges two images with depth so that the nearer one is in front, also where they interpenetrate. "
                     "The order of the layers matters only among three or more, where they are transparent."));
