/* image/median_plate: what does not move, from several frames.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/plate.h"
#include "kg-node.h"

typedef struct {
  const KgImage *image;
  double first;
  double step;
  int64_t count;
  KgImage *plate;
} MedianPlate;

static bool
median_plate_demand (const MedianPlate *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  (void) error;
  for (int64_t i = 0; i < n->count; i++)
    kg_demand_at (demand, offsetof (MedianPlate, image), (n->first + (double) i * n->step - ctx->start) / ctx->rate);
  return true;
}

static bool
median_plate_evaluate (MedianPlate *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const guint count = MIN (kg_context_get_n_samples (ctx, offsetof (MedianPlate, image)), PLATE_MOST);
  const KgImage *images[PLATE_MOST];

  for (guint i = 0; i < count; i++)
    images[i] = kg_context_get_sample (ctx, offsetof (MedianPlate, image), i)->image;
  n->plate = plate_median (images, count, &monitor, error);
  return n->plate != NULL;
}

static const KgSlot median_plate_slots[] = {
  KG_INPUT (MedianPlate, image, IMAGE, .label = N_ ("Image"),
            .help = N_ ("The frames, from a camera that does not move.")),
  KG_INPUT (MedianPlate, first, NUMBER, .label = N_ ("First Frame"), .unit = KG_FRAMES, .def = 1, .early = true,
            .help = N_ ("The first frame that is used.")),
  KG_INPUT (MedianPlate, step, NUMBER, .label = N_ ("Step"), .unit = KG_FRAMES, .def = 10, .early = true, .soft_min = 1,
            .soft_max = 50, .help = N_ ("Interval from one frame to the next.")),
  KG_INPUT (
      MedianPlate, count, INTEGER, .label = N_ ("Count"), .def = 5, .min = 1, .max = PLATE_MOST, .early = true,
      .help = N_ (
          "Number of frames that are used. What moves vanishes if each pixel shows the background in more than half "
          "of them.")),
  KG_OUTPUT (MedianPlate, plate, IMAGE, .label = N_ ("Plate"),
             .help = N_ ("The median of each channel of each pixel.")),
};

KG_NODE_WITH_DEMAND (
    image, median_plate, MedianPlate, .label = N_ ("Median Plate"), .version = 1, .since = "0.1",
    .time = KG_TIME_FREEZES,
    .tags = N_ ("clean plate background remove people outlier temporal median denoise picture"),
    .help = N_ (
        "Makes a clean plate: the median of several frames, from which whatever passes through is removed. Use it as "
        "a background, or for a difference key."));
