/* image/vector_blur: motion blur from motion vectors.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "frame_samples.h"
#include "image/optical_flow.h"

typedef struct {
  FRAME_FIELDS;
  const KgImage *vectors;
  double shutter;
  double phase;
  int64_t samples;
} VectorBlur;

static bool
vector_blur_evaluate (VectorBlur *n, const KgContext *ctx, GError **error)
{
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);

  if (n->shutter == 0 && n->phase == 0) {
    n->result = kg_image_ref (n->image);
    return true;
  }
  n->result = frame_samples_new_like (n->image, error);
  return n->result != NULL &&
         optical_flow_blur (n->image, n->vectors, n->shutter, n->phase, (int) n->samples, n->result, &monitor) &&
         image_wear (n->image, &wear, &n->result, &monitor);
}

static const KgSlot vector_blur_slots[] = {
  KG_INPUT (VectorBlur, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image to blur.")),
  KG_INPUT (VectorBlur, vectors, IMAGE, .label = N_ ("Vectors"),
            .help = N_ ("Movement of each pixel in pixels for one frame: red to the right, green up.")),
  KG_INPUT (VectorBlur, shutter, NUMBER, .label = N_ ("Shutter"), .unit = KG_FRAMES, .def = 0.5, .min = 0, .max = 100,
            .soft_max = 2, .help = N_ ("How long the shutter is open: 0.5 is a shutter of 180°.")),
  KG_INPUT (VectorBlur, phase, NUMBER, .label = N_ ("Phase"), .unit = KG_FRAMES, .min = -100, .max = 100,
            .soft_min = -1, .soft_max = 1,
            .help = N_ ("When the shutter opens; minus half the shutter blurs to both sides.")),
  KG_INPUT (VectorBlur, samples, INTEGER, .label = N_ ("Samples"), .def = 64, .min = 1, .max = 1024, .soft_max = 128,
            .help = N_ (
                "Largest number of steps over which the light of a pixel is spread; steps are half a pixel if that is "
                "enough.")),
  IMAGE_WEAR (VectorBlur, N_ ("The blurred image.")),
};

KG_NODE (
    image, vector_blur, VectorBlur, .label = N_ ("Vector Blur"), .version = 1, .since = "0.1",
    .tags = N_ ("motion blur velocity optical flow directional smear shutter"),
    .help = N_ (
        "Spreads the light of each pixel along its motion vector, so that moving parts are blurred from a single frame. Light is conserved: what is spread is thinner."));
