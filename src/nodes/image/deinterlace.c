/* image/deinterlace: whole frames from fields.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "frame_samples.h"
#include "image/fields.h"

typedef struct {
  const KgImage *image;
  int method;
  int order;
  double threshold;
  IMAGE_WEAR_FIELDS;
  KgImage *frame;
} Deinterlace;

enum { METHOD_BOB, METHOD_FIRST, METHOD_BLEND, METHOD_ADAPT, METHOD_WEAVE, N_METHODS };

static const KgChoice deinterlace_methods[] = {
  [METHOD_BOB] = { "bob", N_ ("Bob: each field in its half of the frame") },
  [METHOD_FIRST] = { "first", N_ ("Earlier field only") },
  [METHOD_BLEND] = { "blend", N_ ("Blend of both fields") },
  [METHOD_ADAPT] = { "adapt", N_ ("Adaptive: weave what stands still") },
  [METHOD_WEAVE] = { "weave", N_ ("Weave: both fields as they are") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (deinterlace_methods, N_METHODS);

static const KgChoice deinterlace_orders[] = {
  { "odd", N_ ("Lines 1, 3, 5 … first (upper field first)") },
  { "even", N_ ("Lines 2, 4, 6 … first (lower field first)") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (deinterlace_orders, 2);

static bool
deinterlace_demand (const Deinterlace *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  (void) error;
  kg_demand_at (demand, offsetof (Deinterlace, image), frame_samples_time (ctx, frame_samples_whole (ctx->frame)));
  (void) n;
  return true;
}

static bool
deinterlace_evaluate (Deinterlace *n, const KgContext *ctx, GError **error)
{
  static const FieldsMethod methods[N_METHODS] = { FIELDS_BOB, FIELDS_BOB, FIELDS_BLEND, FIELDS_ADAPT, FIELDS_BOB };
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const bool second = n->method == METHOD_BOB && ctx->frame - frame_samples_whole (ctx->frame) >= 0.5 - 1e-6;

  if (n->method == METHOD_WEAVE) {
    n->frame = kg_image_ref (n->image);
    return true;
  }
  n->frame = frame_samples_new_like (n->image, error);
  return n->frame != NULL &&
         fields_separate (n->image, methods[n->method], second ? 1 - n->order : n->order, n->threshold, n->frame,
                          &monitor) &&
         (!IMAGE_IS_WORN (n) || image_wear (n->image, &wear, &n->frame, &monitor));
}

static const KgSlot deinterlace_slots[] = {
  KG_INPUT (Deinterlace, image, IMAGE, .label = N_ ("Image"), .help = N_ ("Interlaced frames.")),
  KG_INPUT (
      Deinterlace, method, CHOICE, .label = N_ ("Method"), .choices = deinterlace_methods,
      .help = N_ (
          "Bob shows the second field half a frame later: play at half speed, or render at twice the rate, to see all "
          "movement.")),
  KG_INPUT (Deinterlace, order, CHOICE, .label = N_ ("Field order"), .choices = deinterlace_orders,
            .help = N_ ("Which field is earlier.")),
  KG_INPUT (Deinterlace, threshold, NUMBER, .label = N_ ("Threshold"), .def = 0.06, .min = 0, .max = 1, .soft_max = 0.3,
            .shown_when = "method=adapt",
            .help = N_ ("How far a line may differ from both lines beside it before it counts as moving.")),
  IMAGE_WEAR_INPUTS (Deinterlace),
  KG_OUTPUT (Deinterlace, frame, IMAGE, .label = N_ ("Image"), .help = N_ ("Whole frames, at the same size.")),
};

KG_NODE_WITH_DEMAND (
    image, deinterlace, Deinterlace, .label = N_ ("Deinterlace"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("video fields bob weave blend yadif comb progressive 60i 50i"),
    .help = N_ (
        "Turns interlaced video into whole frames: by one field with its missing lines interpolated, by a blend of both, or by weaving only where nothing moves."));
