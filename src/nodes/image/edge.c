/* image/edge: where an image changes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/blur.h"
#include "image/convolution.h"
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  int kind;
  double size;
  double gain;
  double threshold;
  bool luminance;
  bool matte;
} Edge;

static const KgChoice edge_kinds[] = {
  [EDGE_SOBEL] = { "sobel", N_ ("Sobel") },
  [EDGE_SCHARR] = { "scharr", N_ ("Scharr: the same in all directions") },
  [EDGE_PREWITT] = { "prewitt", N_ ("Prewitt") },
  [EDGE_LAPLACE] = { "laplacian", N_ ("Laplacian: both sides of an edge") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (edge_kinds, EDGE_N_KINDS);

typedef struct {
  const float *from;
  float *to;
  int width;
  float gain, threshold;
  bool luminance, matte;
} Finish;

static void
finish_rows (gpointer data, int first, int end)
{
  const Finish *f = (const Finish *) data;

  for (size_t i = (size_t) first * (size_t) f->width; i < (size_t) end * (size_t) f->width; i++) {
    float *p = f->to + 4 * i, most = 0;

    if (f->luminance)
      p[0] = p[1] = p[2] = image_luminance (p[0], p[1], p[2]);
    for (int c = 0; c < 3; c++) {
      p[c] = f->gain * fmaxf (p[c] - f->threshold, 0);
      most = fmaxf (most, p[c]);
    }
    p[3] = f->matte ? fminf (fmaxf (most, f->gain * fmaxf (p[3] - f->threshold, 0)), 1) : f->from[4 * i + 3];
  }
}

static bool
edge_evaluate (Edge *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const double size[2] = { n->size, n->size };
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  const int width = kg_image_get_width (before), height = kg_image_get_height (before);
  Finish finish = { .from = kg_image_get_pixels (before),
                    .width = width,
                    .gain = (float) n->gain,
                    .threshold = (float) n->threshold,
                    .luminance = n->luminance,
                    .matte = n->matte };
  g_autofree float *smooth = g_memdup2 (finish.from, 4 * (size_t) width * (size_t) height * sizeof (float));

  (void) error;
  IMAGE_BEGIN (n);
  kg_image_make_writable (&n->result);
  finish.to = kg_image_edit_pixels (n->result);
  return blur_gaussian (smooth, width, height, size, RESAMPLE_EXTEND, &monitor) &&
         find_edges (smooth, width, height, (EdgeKind) n->kind, finish.to, &monitor) &&
         image_each_rows (width, height, finish_rows, &finish, &monitor) &&
         image_wear (before, &wear, &n->result, &monitor);
}

static double
edge_reach (const void *job)
{
  const Edge *n = (const Edge *) job;

  return blur_gaussian_reach (n->size) + 2;
}

static const KgSlot edge_slots[] = {
  IMAGE_INPUT (Edge, N_ ("The image whose edges are found.")),
  KG_INPUT (Edge, kind, CHOICE, .label = N_ ("Kind"), .choices = edge_kinds, .help = N_ ("The operator.")),
  KG_INPUT (Edge, size, NUMBER, .label = N_ ("Size"), .unit = KG_PIXELS, .def = 1, .max = 1e6, .soft_max = 20,
            .help = N_ ("Standard deviation of a Gaussian blur that is applied first: smaller details have no "
                        "edges. With the Laplacian this is the operator of Marr and Hildreth.")),
  KG_INPUT (Edge, gain, NUMBER, .label = N_ ("Gain"), .def = 4, .max = 1e6, .soft_max = 20,
            .help = N_ ("Factor of the result; without it a ramp of 1 per pixel has an edge of 1.")),
  KG_INPUT (Edge, threshold, NUMBER, .label = N_ ("Threshold"), .max = 1e6, .soft_max = 0.5,
            .help = N_ ("Edges up to this are left out, before the gain.")),
  KG_INPUT (Edge, luminance, BOOLEAN, .label = N_ ("Monochrome"),
            .help = N_ ("Finds one edge for all channels, from their luminance.")),
  KG_INPUT (Edge, matte, BOOLEAN, .label = N_ ("Matte"),
            .help = N_ (
                "Makes everything except the edges transparent, including the edges of alpha; otherwise alpha does not "
                "change.")),
  IMAGE_WEAR (Edge, N_ ("The edges.")),
};

KG_NODE (
    image, edge, Edge, .label = N_ ("Edge Detect"), .version = 1, .since = "0.1", .reach = edge_reach,
    .tags = N_ ("edge detect sobel scharr prewitt laplacian gradient outline contour difference of gaussians find"),
    .source = "Sobel and Feldman 1968; Scharr 2000; Marr and Hildreth, Theory of Edge Detection, 1980",
    .help = N_ ("Finds edges: how steeply each channel changes from pixel to pixel."));
