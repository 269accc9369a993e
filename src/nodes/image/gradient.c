/* image/gradient: colours that blend along a line, from a centre or around it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/color_ramp.h"
#include "image/image_operation.h"

#include "image/generator.h"

typedef struct {
  GENERATOR_FIELDS;
  int kind;
  KgVector from;
  KgVector to;
  const KgTable *stops;
  int interpolation;
  bool perceptual;
  int spread;
} Gradient;

enum { KIND_LINEAR, KIND_RADIAL, KIND_CONIC, KIND_SQUARE, N_KINDS };
enum { SPREAD_EXTEND, SPREAD_REPEAT, SPREAD_MIRROR, N_SPREADS };

static const KgChoice gradient_kinds[] = {
  [KIND_LINEAR] = { "linear", N_ ("Linear") },
  [KIND_RADIAL] = { "radial", N_ ("Radial") },
  [KIND_CONIC] = { "conic", N_ ("Conic: around the centre") },
  [KIND_SQUARE] = { "square", N_ ("Square") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (gradient_kinds, N_KINDS);

static const KgChoice gradient_interpolations[] = {
  [COLOR_RAMP_LINEAR] = { "linear", N_ ("Linear") },
  [COLOR_RAMP_SMOOTH] = { "smooth", N_ ("Smooth") },
  [COLOR_RAMP_STEPS] = { "steps", N_ ("Steps") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (gradient_interpolations, COLOR_RAMP_N_INTERPOLATIONS);

static const KgChoice gradient_spreads[] = {
  [SPREAD_EXTEND] = { "extend", N_ ("Extend") },
  [SPREAD_REPEAT] = { "repeat", N_ ("Repeat") },
  [SPREAD_MIRROR] = { "mirror", N_ ("Mirror") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (gradient_spreads, N_SPREADS);

static const KgTableColumn gradient_columns[] = { { "position", N_ ("Position"), 0, 0 }, { "red", N_ ("Red"), 0, 0 },
                                                  { "green", N_ ("Green"), 0, 0 },       { "blue", N_ ("Blue"), 0, 0 },
                                                  { "alpha", N_ ("Alpha"), 1, 1 },       KG_TABLE_COLUMNS_END };

typedef struct {
  const Gradient *n;
  const ColorRamp *colors;
  double start[2], along[2]; /* pixels, y down */
  KgImagePart part;
  float *pixels;
} Ramp;

static void
gradient_rows (gpointer data, int first, int end)
{
  const Ramp *ramp = (const Ramp *) data;
  const Gradient *n = ramp->n;
  const double length2 = ramp->along[0] * ramp->along[0] + ramp->along[1] * ramp->along[1], length = sqrt (length2);
  const int64_t width = ramp->part.part_width;

  for (int64_t i = first * width; i < end * width; i++) {
    const double x = (double) (ramp->part.x + i % width) + 0.5 - ramp->start[0];
    const double y = (double) (ramp->part.y + i / width) + 0.5 - ramp->start[1];
    const double along = x * ramp->along[0] + y * ramp->along[1], across = y * ramp->along[0] - x * ramp->along[1];
    float *p = ramp->pixels + 4 * i;
    double t;

    if (n->kind == KIND_CONIC)
      t = atan2 (across, along) / (2 * KG_PI) + (across < 0 ? 1 : 0);
    else if (n->kind == KIND_RADIAL)
      t = hypot (x, y) / length;
    else if (n->kind == KIND_SQUARE)
      t = fmax (fabs (along), fabs (across)) / length2;
    else
      t = along / length2;
    if (n->spread == SPREAD_REPEAT)
      t -= floor (t);
    else if (n->spread == SPREAD_MIRROR)
      t = fabs (t - 2 * floor (0.5 * t + 0.5));
    color_ramp_find (ramp->colors, t, p);
  }
}

static bool
gradient_evaluate (Gradient *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (ColorRamp) colors = color_ramp_new (n->stops, (ColorRampInterpolation) n->interpolation, n->perceptual);
  Ramp ramp = { .n = n, .colors = colors };

  if (kg_table_get_n_rows (n->stops) == 0)
    kg_context_warn (ctx, "there are no stops: the image is transparent; add a stop with its place and colour");
  if (!generator_begin (n, ctx, &ramp.part, error))
    return false;
  ramp.start[0] = 0.5 * (double) n->width + n->from.x;
  ramp.start[1] = 0.5 * (double) n->height - n->from.y;
  ramp.along[0] = n->to.x - n->from.x;
  ramp.along[1] = -(n->to.y - n->from.y);
  if (hypot (ramp.along[0], ramp.along[1]) < 1e-6) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "the gradient starts and ends at the same place: move one of its ends");
    return false;
  }
  ramp.pixels = kg_image_edit_pixels (n->image);
  return image_each_rows (ramp.part.part_width, ramp.part.part_height, gradient_rows, &ramp, &monitor);
}

static const KgSlot gradient_slots[] = {
  GENERATOR_SIZE (Gradient),
  KG_INPUT (Gradient, kind, CHOICE, .label = N_ ("Kind"), .choices = gradient_kinds,
            .help = N_ ("Direction in which the colours blend.")),
  KG_INPUT (Gradient, from, VECTOR, .label = N_ ("From"), .unit = KG_PIXELS, .def_v = { -320, 0, 0 }, .min = -1e6,
            .max = 1e6, .soft_min = -1000, .soft_max = 1000, .handle = { .kind = KG_HANDLE_NONE },
            .help = N_ ("Where the gradient starts, or its centre, to the right and up from the centre of the image.")),
  KG_INPUT (
      Gradient, to, VECTOR, .label = N_ ("To"), .unit = KG_PIXELS, .def_v = { 320, 0, 0 }, .min = -1e6, .max = 1e6,
      .soft_min = -1000, .soft_max = 1000, .handle = { .kind = KG_HANDLE_NONE },
      .help = N_ (
          "Where the gradient ends; for a conic one, the direction in which it starts, to go clockwise from there.")),
  KG_INPUT (
      Gradient, stops, TABLE, .label = N_ ("Stops"), .columns = gradient_columns, .multiline = true,
      .def_text = "0 0 0 0 1; 1 1 1 1 1",
      .help = N_ (
          "Colours and where they are: 0 is the start, 1 the end. Red, green and blue are linear light. Two stops at one "
          "place make a step.")),
  KG_INPUT (Gradient, interpolation, CHOICE, .label = N_ ("Interpolation"), .choices = gradient_interpolations,
            .help = N_ ("How colours change between stops.")),
  KG_INPUT (Gradient, perceptual, BOOLEAN, .label = N_ ("Perceptual"),
            .help = N_ ("Blends in Oklab, where steps look even, instead of mixing light.")),
  KG_INPUT (Gradient, spread, CHOICE, .label = N_ ("Beyond"), .choices = gradient_spreads,
            .help = N_ ("What is shown beyond the ends.")),
  GENERATOR_IMAGE (Gradient),
};

KG_NODE (
    image, gradient, Gradient, .label = N_ ("Gradient Image"), .version = 2, .since = "0.1", .region = generator_region,
    .find_size = generator_size,
    .tags = N_ ("gradient ramp linear radial conic angle sweep color stops background vignette generator"),
    .source = "Ottosson, Oklab, 2020",
    .help = N_ (
        "Makes an image of colours that blend into each other: along a line, from a centre outwards or around it."));
