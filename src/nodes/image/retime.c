/* image/retime: a movie faster, slower or along a curve of frames.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "frame_samples.h"
#include "image/frame_mix.h"
#include "image/optical_flow.h"

typedef struct {
  const KgImage *image;
  int mode;
  double speed;
  double frame;
  int filter;
  double smoothness;
  KgImage *retimed;
  double shown;
} Retime;

enum { MODE_SPEED, MODE_FRAME, N_MODES };
enum { FILTER_NEAREST, FILTER_MIX, FILTER_FLOW, N_FILTERS };

static const KgChoice retime_modes[] = {
  [MODE_SPEED] = { "speed", N_ ("By a speed") },
  [MODE_FRAME] = { "frame", N_ ("By frame number") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (retime_modes, N_MODES);

static const KgChoice retime_filters[] = {
  [FILTER_NEAREST] = { "nearest", N_ ("Nearest frame") },
  [FILTER_MIX] = { "mix", N_ ("Frame blend: mix of two frames") },
  [FILTER_FLOW] = { "flow", N_ ("Optical flow: moved along motion vectors") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (retime_filters, N_FILTERS);

/* The frame that is shown, and how far it lies after a whole one. */
static double
retime_find (const Retime *n, const KgContext *ctx, double *part)
{
  const double frame = n->mode == MODE_FRAME ? n->frame : ctx->start + (ctx->frame - ctx->start) * n->speed;
  double whole = floor (frame);

  *part = frame - whole;
  if (n->filter == FILTER_NEAREST) {
    whole = floor (frame + 0.5);
    *part = 0;
  }
  /* Less than a rounding from a frame is that frame. */
  if (*part > 1 - 1e-9) {
    whole += 1;
    *part = 0;
  } else if (*part < 1e-9)
    *part = 0;
  return whole;
}

static bool
retime_demand (const Retime *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  double part;
  const double whole = retime_find (n, ctx, &part);

  (void) error;
  kg_demand_at (demand, offsetof (Retime, image), frame_samples_time (ctx, whole));
  if (part > 0)
    kg_demand_at (demand, offsetof (Retime, image), frame_samples_time (ctx, whole + 1));
  return true;
}

static bool
retime_evaluate (Retime *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const OpticalFlowStyle style = { .smoothness = n->smoothness, .warps = 5, .iterations = 40 };
  guint count;
  g_autofree const KgImage **frames = frame_samples_get (ctx, offsetof (Retime, image), &count);
  g_autoptr (KgImage) second = NULL;
  g_autofree float *forward = NULL, *backward = NULL;
  double part, weights[2];

  n->shown = retime_find (n, ctx, &part) + part;
  if (part == 0 || frames[0] == frames[1]) {
    n->retimed = kg_image_ref (frames[0]);
    return true;
  }
  n->retimed = frame_samples_new_like (frames[0], error);
  if (n->retimed == NULL)
    return false;
  weights[0] = 1 - part;
  weights[1] = part;
  if (n->filter == FILTER_MIX)
    return frame_mix (frames, weights, 2, FRAME_MIX_MEAN, n->retimed, &monitor);
  /* Both of one size. */
  second = frame_samples_new_like (frames[0], error);
  if (second == NULL || !frame_mix (frames + 1, NULL, 1, FRAME_MIX_SUM, second, &monitor))
    return false;
  return optical_flow_find_both (frames[0], second, &style, &forward, &backward, &monitor, error) &&
         optical_flow_interpolate (frames[0], second, forward, backward, part, n->retimed, &monitor);
}

/* Motion is looked for in all of the image. */
static double
retime_reach (const void *job)
{
  return ((const Retime *) job)->filter == FILTER_FLOW ? -1 : 0;
}

static const KgSlot retime_slots[] = {
  KG_INPUT (Retime, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The movie. It is read at whole frames only.")),
  KG_INPUT (Retime, mode, CHOICE, .label = N_ ("Mode"), .early = true, .choices = retime_modes,
            .help = N_ ("Whether the movie plays at a constant speed, or shows a given frame: key the frame to "
                        "ramp the speed.")),
  KG_INPUT (Retime, speed, NUMBER, .label = N_ ("Speed"), .early = true, .def = 1, .min = -1000, .max = 1000,
            .soft_min = -2, .soft_max = 4, .shown_when = "mode=speed",
            .help = N_ ("0.5 is half as fast, counted from the first frame; -1 runs backwards.")),
  KG_INPUT (Retime, frame, NUMBER, .label = N_ ("Frame"), .unit = KG_FRAMES, .early = true, .def = 1, .min = -1e6,
            .max = 1e6, .soft_min = 0, .soft_max = 240, .shown_when = "mode=frame",
            .help = N_ ("Frame that is shown; may lie between frames.")),
  KG_INPUT (Retime, filter, CHOICE, .label = N_ ("Filter"), .early = true, .choices = retime_filters, .def = FILTER_MIX,
            .help = N_ ("What is shown between two frames.")),
  KG_INPUT (Retime, smoothness, NUMBER, .label = N_ ("Smoothness"), .def = 12, .min = 0.1, .max = 1000, .soft_max = 50,
            .shown_when = "filter=flow",
            .help = N_ ("Small values follow every detail and noise; large ones move the image as a whole.")),
  KG_OUTPUT (Retime, retimed, IMAGE, .label = N_ ("Image"), .help = N_ ("The movie at the other speed.")),
  KG_OUTPUT (Retime, shown, NUMBER, .label = N_ ("Frame"), .unit = KG_FRAMES, .help = N_ ("The frame shown.")),
};

KG_NODE_WITH_DEMAND (
    image, retime, Retime, .label = N_ ("Retime"), .version = 1, .since = "0.1", .reach = retime_reach,
    .time = KG_TIME_READS,
    .tags = N_ ("time warp slow motion speed ramp frame blend optical flow twixtor interpolate reverse"),
    .help = N_ (
        "Plays a movie faster, slower, backwards or along a curve. Between frames it shows the nearest one, a mix of "
        "two, or an image made by moving both along their optical flow. For graphs that can be evaluated between "
        "frames, use Time Shift."));
