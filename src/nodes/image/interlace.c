/* image/interlace: two moments of a frame woven together line by line.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "frame_samples.h"
#include "image/fields.h"

typedef struct {
  const KgImage *image;
  int order;
  double interval;
  KgImage *interlaced;
} Interlace;

enum { ORDER_ODD, ORDER_EVEN, N_ORDERS };

static const KgChoice interlace_orders[] = {
  [ORDER_ODD] = { "odd", N_ ("Lines 1, 3, 5 … first (upper field first)") },
  [ORDER_EVEN] = { "even", N_ ("Lines 2, 4, 6 … first (lower field first)") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (interlace_orders, N_ORDERS);

static bool
interlace_demand (const Interlace *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  (void) error;
  kg_demand_at (demand, offsetof (Interlace, image), ctx->time);
  kg_demand_at (demand, offsetof (Interlace, image), ctx->time + n->interval / ctx->rate);
  return true;
}

static bool
interlace_region (const void *job, const KgContext *ctx, size_t field, KgImagePart *needed)
{
  (void) job;
  (void) ctx;
  (void) field;
  (void) needed;
  return true;
}

static bool
interlace_evaluate (Interlace *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  guint count;
  g_autofree const KgImage **frames = frame_samples_get (ctx, offsetof (Interlace, image), &count);
  const KgImagePart part = kg_context_get_image_part (ctx, offsetof (Interlace, image), frames[0]);
  /* Lines of a part are counted in the whole. */
  const int later = (n->order == ORDER_ODD) == (part.y % 2 == 0) ? 1 : 0;

  n->interlaced = frame_samples_new_like (frames[0], error);
  return n->interlaced != NULL && fields_weave (frames[1 - later], frames[later], n->interlaced, &monitor);
}

static const KgSlot interlace_slots[] = {
  KG_INPUT (Interlace, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image, evaluated twice a frame.")),
  KG_INPUT (Interlace, order, CHOICE, .label = N_ ("Field order"), .choices = interlace_orders,
            .help = N_ ("Which field is earlier. An odd last line belongs to the field of lines 1, 3, 5 …")),
  KG_INPUT (Interlace, interval, NUMBER, .label = N_ ("Interval"), .unit = KG_FRAMES, .early = true, .def = 0.5,
            .min = -1000, .max = 1000, .soft_min = 0, .soft_max = 1,
            .help = N_ ("Time from one field to the other: half a frame gives evenly spaced fields.")),
  KG_OUTPUT (Interlace, interlaced, IMAGE, .label = N_ ("Image"), .help = N_ ("The interlaced frame.")),
};

KG_NODE_WITH_DEMAND (
    image, interlace, Interlace, .label = N_ ("Interlace"), .version = 1, .since = "0.1", .region = interlace_region,
    .tags = N_ ("video fields television broadcast scan lines 60i 50i weave comb"),
    .help = N_ (
        "Makes interlaced video: every second line shows the image half a frame later, so that movement is sampled twice as often. The graph upstream is evaluated for both fields."));
