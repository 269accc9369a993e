/* image/optical_flow: motion vectors of the pixels, from the images alone.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/optical_flow.h"

#include "frame_samples.h"

typedef struct {
  const KgImage *image;
  double offset;
  double smoothness;
  int64_t warps;
  int64_t iterations;
  KgImage *vectors;
  KgVector mean;
} OpticalFlow;

static bool
optical_flow_demand (const OpticalFlow *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  (void) error;
  kg_demand_at (demand, offsetof (OpticalFlow, image), ctx->time);
  kg_demand_at (demand, offsetof (OpticalFlow, image), ctx->time + n->offset / ctx->rate);
  return true;
}

static bool
optical_flow_evaluate (OpticalFlow *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const OpticalFlowStyle style = { .smoothness = n->smoothness,
                                   .warps = (int) n->warps,
                                   .iterations = (int) n->iterations };
  guint count;
  g_autofree const KgImage **frames = frame_samples_get (ctx, offsetof (OpticalFlow, image), &count);
  g_autofree float *flow = optical_flow_find (frames[0], frames[1], &style, &monitor, error);
  const size_t size = (size_t) kg_image_get_width (frames[0]) * (size_t) kg_image_get_height (frames[0]);
  /* For one frame forward, whichever frame was compared. */
  const double scale = n->offset != 0 ? 1 / n->offset : 0;
  double sum[2] = { 0 };
  float *pixels;

  if (flow == NULL)
    return false;
  n->vectors = frame_samples_new_like (frames[0], error);
  if (n->vectors == NULL)
    return false;
  pixels = kg_image_edit_pixels (n->vectors);
  for (size_t i = 0; i < size; i++) {
    pixels[4 * i] = (float) ((double) flow[2 * i] * scale);
    pixels[4 * i + 1] = (float) (-(double) flow[2 * i + 1] * scale);
    pixels[4 * i + 3] = 1;
    sum[0] += (double) pixels[4 * i];
    sum[1] += (double) pixels[4 * i + 1];
  }
  n->mean = (KgVector){ sum[0] / (double) size, sum[1] / (double) size, 0 };
  return true;
}

static const KgSlot optical_flow_slots[] = {
  KG_INPUT (OpticalFlow, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image that moves.")),
  KG_INPUT (OpticalFlow, offset, NUMBER, .label = N_ ("Offset"), .unit = KG_FRAMES, .early = true, .def = 1,
            .min = -1000, .max = 1000, .soft_min = -4, .soft_max = 4,
            .help = N_ ("The frame to compare with, relative to the current one.")),
  KG_INPUT (OpticalFlow, smoothness, NUMBER, .label = N_ ("Smoothness"), .def = 12, .min = 0.1, .max = 1000,
            .soft_max = 50,
            .help = N_ ("Small values follow every detail and noise; large ones move the image as a "
                        "whole.")),
  KG_INPUT (OpticalFlow, warps, INTEGER, .label = N_ ("Warps"), .def = 5, .min = 1, .max = 50, .soft_max = 15,
            .help = N_ ("Corrections at each size of the image, from coarse to fine.")),
  KG_INPUT (OpticalFlow, iterations, INTEGER, .label = N_ ("Iterations"), .def = 40, .min = 1, .max = 1000,
            .soft_max = 200, .help = N_ ("Steps of the solver for each correction: more fill flat areas better.")),
  KG_OUTPUT (OpticalFlow, vectors, IMAGE, .label = N_ ("Vectors"),
             .help = N_ ("Movement in pixels for one frame: red to the right, green up.")),
  KG_OUTPUT (OpticalFlow, mean, VECTOR, .label = N_ ("Mean"), .unit = KG_PIXELS, .help = N_ ("Mean of all vectors.")),
};

KG_NODE_WITH_DEMAND (
    image, optical_flow, OpticalFlow, .label = N_ ("Optical Flow"), .version = 1, .since = "0.1",
    .tags = N_ ("motion vectors velocity horn schunck vector generator estimation"),
    .formula = "min ∫ (I₂(x + w) − I₁(x))² + α² |∇w|²",
    .source = "Horn and Schunck, Determining Optical Flow, 1981; Meinhardt-Llopis, Sánchez and Kondermann, IPOL 2013",
    .help = N_ (
        "Estimates how far each pixel moves to another frame, from the brightness of the images alone. The vectors feed Vector Blur."));
