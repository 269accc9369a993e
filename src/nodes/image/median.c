/* image/median: the median around each pixel, or another rank.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/rank_filter.h"

#include "image/edges.h"
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  int64_t radius;
  double rank;
  int edges;
} Median;

static bool
median_evaluate (Median *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  float *to;

  (void) error;
  IMAGE_BEGIN (n);
  kg_image_make_writable (&n->result);
  if (n->radius == 0)
    return true;
  to = kg_image_edit_pixels (n->result);
  return rank_filter (kg_image_get_pixels (before), kg_image_get_width (before), kg_image_get_height (before),
                      (int) n->radius, n->rank, (ResampleEdges) n->edges, to, &monitor) &&
         image_wear (before, &wear, &n->result, &monitor);
}

static double
median_reach (const void *job)
{
  const Median *n = (const Median *) job;

  return n->edges == RESAMPLE_REPEAT ? -1 : (double) n->radius + 1;
}

static const KgSlot median_slots[] = {
  IMAGE_INPUT (Median, N_ ("The image to filter.")),
  KG_INPUT (Median, radius, INTEGER, .label = N_ ("Radius"), .unit = KG_PIXELS, .def = 2, .max = RANK_FILTER_MAX_RADIUS,
            .soft_max = 20,
            .help = N_ ("Half the side of the square around each pixel, not counting the pixel itself.")),
  KG_INPUT (
      Median, rank, NUMBER, .label = N_ ("Rank"), .unit = KG_PERCENT, .def = 0.5, .max = 1,
      .help = N_ ("Which of the sorted values is taken: half is the median, 0 the smallest, the whole the largest.")),
  KG_INPUT (Median, edges, CHOICE, .label = N_ ("Edges"), .choices = image_edges, .def = RESAMPLE_EXTEND,
            .help = N_ ("What is assumed outside the image.")),
  IMAGE_WEAR (Median, N_ ("The filtered image.")),
};

KG_NODE (
    image, median, Median, .label = N_ ("Median"), .version = 1, .since = "0.1", .reach = median_reach,
    .tags = N_ ("median rank percentile despeckle noise salt pepper dust minimum maximum erode dilate oil paint"),
    .source = "Huang, Yang and Tang, A Fast Two-Dimensional Median Filtering Algorithm, 1979; Weiss 2006",
    .help = N_ (
        "Replaces each value by the median of the square around it, which removes specks and keeps edges. Ranks below "
        "and above the median make dark or bright parts grow."));
