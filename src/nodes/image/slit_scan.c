/* image/slit_scan: each part of the image shows another moment.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "frame_samples.h"
#include "image/frame_mix.h"
#include "kg-floats.h"

#define MAX_SAMPLES 400

typedef struct {
  const KgImage *image;
  const KgImage *map;
  int mode;
  double span;
  double density;
  double slit;
  bool flip;
  bool smooth;
  KgImage *scanned;
} SlitScan;

enum { MODE_ROWS, MODE_COLUMNS, MODE_MAP, MODE_PHOTO_FINISH, N_MODES };

static const KgChoice slit_scan_modes[] = {
  [MODE_ROWS] = { "rows", N_ ("By rows: upper rows are later") },
  [MODE_COLUMNS] = { "columns", N_ ("By columns: columns at the right are later") },
  [MODE_MAP] = { "map", N_ ("By a map: dark is late, white is early") },
  [MODE_PHOTO_FINISH] = { "photo_finish", N_ ("Photo finish: one column over time") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (slit_scan_modes, N_MODES);

static guint
slit_scan_count (const SlitScan *n)
{
  return 1 + (guint) kg_clamp (ceil (n->span * n->density - 1e-9), 0, MAX_SAMPLES - 1);
}

/* Sample 0 is the current frame, the last one lies the whole span back. */
static bool
slit_scan_demand (const SlitScan *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  const guint count = slit_scan_count (n);

  if (ceil (n->span * n->density - 1e-9) > MAX_SAMPLES - 1) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%g frames with %g samples each are more than %d images: reduce the span or the samples", n->span,
                  n->density, MAX_SAMPLES);
    return false;
  }
  for (guint i = 0; i < count; i++)
    kg_demand_at (demand, offsetof (SlitScan, image),
                  ctx->time - (count > 1 ? n->span * i / (count - 1) : 0) / ctx->rate);
  return true;
}

/* How far back a pixel lies, 0..1. */
static double
slit_scan_delay (const SlitScan *n, int x, int y, int width, int height, const float *map)
{
  double delay;

  if (n->mode == MODE_ROWS)
    delay = (y + 0.5) / height;
  else if (n->mode == MODE_MAP)
    delay = map != NULL ? kg_clamp (kg_floats_get_luminance (map), 0, 1) : 0;
  else
    delay = 1 - (x + 0.5) / width;
  return n->flip ? 1 - delay : delay;
}

static void
slit_scan_row (const SlitScan *n, const KgImage *const *frames, guint count, int y, float *to)
{
  const int width = kg_image_get_width (n->scanned), height = kg_image_get_height (n->scanned);
  const int slit = (int) kg_clamp (floor (n->slit * width), 0, width - 1);
  int map_first = 0, map_end = 0;
  const float *map = n->map != NULL ? frame_mix_get_row (n->map, width, height, y, &map_first, &map_end) : NULL;

  for (int x = 0; x < width; x++) {
    const bool mapped = map != NULL && x >= map_first && x < map_end;
    const double place = slit_scan_delay (n, x, y, width, height, mapped ? map + 4 * x : NULL) * (count - 1);
    const guint near = (guint) (n->smooth ? floor (place) : floor (place + 0.5));
    const double part = n->smooth ? place - near : 0;
    const int from = n->mode == MODE_PHOTO_FINISH ? slit : x;

    for (guint k = 0; k < 2; k++) {
      const double weight = k == 0 ? 1 - part : part;
      int first, end;
      const float *row;

      if (weight <= 0)
        continue;
      row = frame_mix_get_row (frames[MIN (near + k, count - 1)], width, height, y, &first, &end);
      if (row == NULL || from < first || from >= end)
        continue;
      for (int c = 0; c < 4; c++)
        to[4 * x + c] += (float) (weight * (double) row[4 * from + c]);
    }
  }
}

static bool
slit_scan_evaluate (SlitScan *n, const KgContext *ctx, GError **error)
{
  guint count;
  g_autofree const KgImage **frames = frame_samples_get (ctx, offsetof (SlitScan, image), &count);
  const int width = kg_image_get_width (frames[0]), height = kg_image_get_height (frames[0]);
  float *pixels;

  if (n->mode == MODE_MAP && n->map == NULL) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "no map is linked: link an image whose brightness is the delay");
    return false;
  }
  n->scanned = frame_samples_new_like (frames[0], error);
  if (n->scanned == NULL)
    return false;
  pixels = kg_image_edit_pixels (n->scanned);
#pragma omp parallel for schedule(dynamic, 4)
  for (int y = 0; y < height; y++)
    if (!kg_context_is_cancelled (ctx))
      slit_scan_row (n, frames, count, y, pixels + 4 * (size_t) y * (size_t) width);
  return !kg_context_is_cancelled (ctx);
}

static const KgSlot slit_scan_slots[] = {
  KG_INPUT (SlitScan, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image that moves.")),
  KG_INPUT (SlitScan, mode, CHOICE, .label = N_ ("Mode"), .choices = slit_scan_modes,
            .help = N_ ("How the moment that each part of the image shows is determined.")),
  KG_INPUT (SlitScan, map, IMAGE, .label = N_ ("Map"), .optional = true, .shown_when = "mode=map",
            .help = N_ ("Image whose brightness is the delay: white shows the moment one whole span ago.")),
  KG_INPUT (SlitScan, span, NUMBER, .label = N_ ("Span"), .unit = KG_FRAMES, .early = true, .def = 24, .min = 0,
            .max = 10000, .soft_max = 120, .help = N_ ("Time between the earliest and the latest part.")),
  KG_INPUT (SlitScan, density, NUMBER, .label = N_ ("Samples per frame"), .early = true, .def = 1, .min = 0.01,
            .max = 100, .soft_max = 8,
            .help = N_ ("Images evaluated for each frame of the span; more make finer steps. All of them are in "
                        "memory at once.")),
  KG_INPUT (SlitScan, slit, NUMBER, .label = N_ ("Slit"), .unit = KG_PERCENT, .def = 0.5, .min = 0, .max = 1,
            .shown_when = "mode=photo_finish", .help = N_ ("The column that is seen, from left to right.")),
  KG_INPUT (SlitScan, flip, BOOLEAN, .label = N_ ("Flip"), .help = N_ ("Swaps early and late.")),
  KG_INPUT (SlitScan, smooth, BOOLEAN, .label = N_ ("Smooth"), .def = 1,
            .help = N_ ("Blends neighbouring moments; otherwise the nearest one is shown.")),
  KG_OUTPUT (SlitScan, scanned, IMAGE, .label = N_ ("Image"), .help = N_ ("The scanned image.")),
};

KG_NODE_WITH_DEMAND (
    image, slit_scan, SlitScan, .label = N_ ("Slit Scan"), .version = 1, .since = "0.1",
    .tags = N_ ("time displacement warp rolling shutter photo finish strip trumbull stargate"),
    .help = N_ (
        "Shows another moment in each row or column, so that moving things are bent, as by a rolling shutter. The moments can also come from a map, or show one column over time, as the photo finish of a race does."));
