/* image/pulldown: film on video, and film back from video.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "frame_samples.h"
#include "image/cadence.h"
#include "image/fields.h"

/* Frames that are compared to find where a period begins: the pairs of two periods. */
#define N_COMPARED 11

typedef struct {
  const KgImage *image;
  int direction;
  int cadence;
  int order;
  bool find;
  int64_t phase;
  KgImage *converted;
  int64_t found;
} Pulldown;

enum { DIRECTION_ADD, DIRECTION_REMOVE, N_DIRECTIONS };

static const KgChoice pulldown_directions[] = {
  [DIRECTION_ADD] = { "add", N_ ("Add: film to video") },
  [DIRECTION_REMOVE] = { "remove", N_ ("Remove: video to film") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (pulldown_directions, N_DIRECTIONS);

static const KgChoice pulldown_cadences[] = {
  [CADENCE_2_3] = { "2:3", N_ ("2:3 (AA BB BC CD DD), 24 to 30 frames") },
  [CADENCE_2_3_3_2] = { "2:3:3:2", N_ ("2:3:3:2 (AA BB BC CC DD), 24 to 30 frames") },
  [CADENCE_2_2] = { "2:2", N_ ("2:2, 24 to 25 frames with one repeated") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (pulldown_cadences, CADENCE_N);

static const KgChoice pulldown_orders[] = {
  { "odd", N_ ("Lines 1, 3, 5 … first (upper field first)") },
  { "even", N_ ("Lines 2, 4, 6 … first (lower field first)") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (pulldown_orders, 2);

/* Removal may find the phase where the cadence shows in a single period. */
static bool
pulldown_finds (const Pulldown *n)
{
  return n->direction == DIRECTION_REMOVE && n->find && n->cadence != CADENCE_2_2;
}

/* The frames for the fields at a phase, counted from the graph's first frame. */
static void
pulldown_find_fields (const Pulldown *n, const KgContext *ctx, int64_t phase, int64_t fields[2])
{
  const int64_t frame = (int64_t) frame_samples_whole (ctx->frame - ctx->start);

  if (n->direction == DIRECTION_ADD) {
    cadence_find_film ((Cadence) n->cadence, frame + phase, fields);
    return;
  }
  cadence_find_video ((Cadence) n->cadence, frame, fields);
  for (int i = 0; i < 2; i++)
    fields[i] -= phase;
}

static bool
pulldown_demand (const Pulldown *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  const size_t field = offsetof (Pulldown, image);
  int64_t fields[2];

  (void) error;
  for (int64_t phase = 0; pulldown_finds (n) && phase < 5; phase++) {
    pulldown_find_fields (n, ctx, phase, fields);
    for (int i = 0; i < 2; i++)
      kg_demand_at (demand, field, (double) fields[i] / ctx->rate);
  }
  if (pulldown_finds (n)) {
    /* The first frames, the same for all: the phase of a clip does not change. */
    for (int i = 0; i < N_COMPARED; i++)
      kg_demand_at (demand, field, i / ctx->rate);
    return true;
  }
  pulldown_find_fields (n, ctx, n->phase, fields);
  for (int i = 0; i < 2; i++)
    kg_demand_at (demand, field, (double) fields[i] / ctx->rate);
  return true;
}

/* Where the fields that the cadence repeats differ least from those before. */
static int64_t
pulldown_find_phase (const Pulldown *n, const KgImage *const *frames)
{
  int64_t best = 0;
  double least = HUGE_VAL;

  for (int64_t phase = 0; phase < 5; phase++) {
    double sum = 0;

    for (int i = 1; i < N_COMPARED; i++) {
      int64_t now[2], before[2];

      cadence_find_film ((Cadence) n->cadence, i + phase, now);
      cadence_find_film ((Cadence) n->cadence, i - 1 + phase, before);
      for (int field = 0; field < 2; field++)
        if (now[field] == before[field])
          sum += fields_compare (frames[i - 1], frames[i], field ^ n->order);
    }
    if (sum < least) {
      least = sum;
      best = phase;
    }
  }
  return best;
}

static bool
pulldown_evaluate (Pulldown *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  guint count;
  g_autofree const KgImage **frames = frame_samples_get (ctx, offsetof (Pulldown, image), &count);
  const KgImage *fields[2];

  n->found = n->phase;
  if (pulldown_finds (n))
    n->found = pulldown_find_phase (n, frames + 10);
  for (int i = 0; i < 2; i++)
    fields[i] = frames[(pulldown_finds (n) ? 2 * n->found : 0) + i];
  n->converted = frame_samples_new_like (fields[0], error);
  return n->converted != NULL && fields_weave (fields[n->order], fields[1 - n->order], n->converted, &monitor);
}

static const KgSlot pulldown_slots[] = {
  KG_INPUT (Pulldown, image, IMAGE, .label = N_ ("Image"),
            .help = N_ ("Film frames, one for each frame of the graph; or video with pulldown.")),
  KG_INPUT (Pulldown, direction, CHOICE, .label = N_ ("Direction"), .early = true, .choices = pulldown_directions,
            .help = N_ ("Whether fields are repeated, or repeated fields are removed.")),
  KG_INPUT (Pulldown, cadence, CHOICE, .label = N_ ("Cadence"), .early = true, .choices = pulldown_cadences,
            .help = N_ ("How many fields show each film frame.")),
  KG_INPUT (Pulldown, order, CHOICE, .label = N_ ("Field order"), .choices = pulldown_orders,
            .help = N_ ("Which field is earlier.")),
  KG_INPUT (Pulldown, find, BOOLEAN, .label = N_ ("Find phase"), .early = true, .def = 1,
            .shown_when = "direction=remove",
            .help = N_ ("Finds where the cadence begins by the fields that repeat among the first 11 frames; not for "
                        "2:2.")),
  KG_INPUT (Pulldown, phase, INTEGER, .label = N_ ("Phase"), .unit = KG_FRAMES, .early = true, .min = 0, .max = 24,
            .soft_max = 4, .help = N_ ("Position of the first frame of the graph in the cadence.")),
  KG_OUTPUT (Pulldown, converted, IMAGE, .label = N_ ("Image"),
             .help = N_ ("Video: 5 frames for 4 of film. Or film: 4 frames for 5 of video.")),
  KG_OUTPUT (Pulldown, found, INTEGER, .label = N_ ("Phase"), .help = N_ ("The phase that was used.")),
};

KG_NODE_WITH_DEMAND (
    image, pulldown, Pulldown, .label = N_ ("Pulldown"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("telecine inverse 3:2 2:3 film video fields 24 30 frame rate ivtc"),
    .help = N_ (
        "Converts film at 24 frames per second to interlaced video at 25 or 30 by repeating fields, or removes the "
        "repeated fields again and returns the film frames exactly."));
