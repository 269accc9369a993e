/* image/gradient: colours that blend along a line, from a centre or around it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/color_space.h"
#include "image/picture_operation.h"

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
enum { INTERPOLATION_LINEAR, INTERPOLATION_SMOOTH, INTERPOLATION_STEPS, N_INTERPOLATIONS };
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
  [INTERPOLATION_LINEAR] = { "linear", N_ ("Linear") },
  [INTERPOLATION_SMOOTH] = { "smooth", N_ ("Smooth") },
  [INTERPOLATION_STEPS] = { "steps", N_ ("Steps") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (gradient_interpolations, N_INTERPOLATIONS);

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
  double at;
  float color[4]; /* premultiplied; of perceptual gradients in Oklab */
} Stop;

typedef struct {
  const Gradient *n;
  Stop *stops;
  size_t n_stops;
  ColorConversion back;
  double start[2], along[2]; /* pixels, y down */
  float *pixels;
} Ramp;

static void
find_color (const Ramp *ramp, double t, float *color)
{
  const Gradient *n = ramp->n;
  size_t low = 0, high = ramp->n_stops;

  if (n->spread == SPREAD_REPEAT)
    t -= floor (t);
  else if (n->spread == SPREAD_MIRROR)
    t = fabs (t - 2 * floor (0.5 * t + 0.5));
  /* The last stop at or before t. */
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;

    if (ramp->stops[middle].at <= t)
      low = middle;
    else
      high = middle;
  }
  const Stop *a = &ramp->stops[low], *b = low + 1 < ramp->n_stops ? a + 1 : a;
  float u = b->at > a->at ? (float) kg_clamp ((t - a->at) / (b->at - a->at), 0, 1) : 0;

  if (n->interpolation == INTERPOLATION_SMOOTH)
    u = u * u * (3 - 2 * u);
  else if (n->interpolation == INTERPOLATION_STEPS)
    u = 0;
  for (int c = 0; c < 4; c++)
    color[c] = a->color[c] + u * (b->color[c] - a->color[c]);
}

static void
gradient_rows (gpointer data, int first, int end)
{
  const Ramp *ramp = (const Ramp *) data;
  const Gradient *n = ramp->n;
  const double length2 = ramp->along[0] * ramp->along[0] + ramp->along[1] * ramp->along[1], length = sqrt (length2);

  for (int64_t i = first * n->width; i < end * n->width; i++) {
    const double x = (double) (i % n->width) + 0.5 - ramp->start[0], y = (double) (i / n->width) + 0.5 - ramp->start[1];
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
    find_color (ramp, t, p);
    if (n->perceptual) {
      const float alpha = p[3];

      for (int c = 0; c < 3 && alpha > 0; c++)
        p[c] /= alpha;
      color_conversion_apply (&ramp->back, &p[0], &p[1], &p[2], 1);
      for (int c = 0; c < 3; c++)
        p[c] *= alpha;
    }
  }
}

static bool
gradient_evaluate (Gradient *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const size_t rows = kg_table_get_n_rows (n->stops);
  g_autofree Stop *stops = g_new0 (Stop, MAX (rows, 1));
  Ramp ramp = { .n = n, .stops = stops, .n_stops = MAX (rows, 1) };
  ColorConversion there;

  color_conversion_init (&there, COLOR_SPACE_LINEAR, COLOR_SPACE_OKLAB);
  color_conversion_init (&ramp.back, COLOR_SPACE_OKLAB, COLOR_SPACE_LINEAR);
  for (size_t i = 0; i < rows; i++) {
    const double *row = kg_table_get_row (n->stops, i);
    float *color = stops[i].color;

    stops[i].at = row[0];
    for (int c = 0; c < 4; c++)
      color[c] = (float) (c < 3 ? kg_clamp (row[1 + c], -1e30, 1e30) : kg_clamp (row[4], 0, 1));
    if (n->perceptual)
      color_conversion_apply (&there, &color[0], &color[1], &color[2], 1);
    for (int c = 0; c < 3; c++)
      color[c] *= color[3];
  }
  /* The number of stops is small: an insertion keeps the order of equal ones. */
  for (size_t i = 1; i < rows; i++)
    for (size_t j = i; j > 0 && stops[j].at < stops[j - 1].at; j--) {
      const Stop swap = stops[j];

      stops[j] = stops[j - 1];
      stops[j - 1] = swap;
    }
  if (!GENERATOR_BEGIN (n, error))
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
  return picture_each_rows ((int) n->width, (int) n->height, gradient_rows, &ramp, &monitor);
}

static const KgSlot gradient_slots[] = {
  GENERATOR_SIZE (Gradient),
  KG_INPUT (Gradient, kind, CHOICE, .label = N_ ("Kind"), .choices = gradient_kinds,
            .help = N_ ("Along what the colours blend.")),
  KG_INPUT (Gradient, from, VECTOR, .label = N_ ("From"), .unit = KG_PIXELS, .def_v = { -320, 0, 0 }, .min = -1e6,
            .max = 1e6, .soft_min = -1000, .soft_max = 1000, .handle = { .kind = KG_HANDLE_NONE },
            .help = N_ ("Where the gradient starts, or its centre, to the right and up from the centre of the image.")),
  KG_INPUT (
      Gradient, to, VECTOR, .label = N_ ("To"), .unit = KG_PIXELS, .def_v = { 320, 0, 0 }, .min = -1e6, .max = 1e6,
      .soft_min = -1000, .soft_max = 1000, .handle = { .kind = KG_HANDLE_NONE },
      .help = N_ (
          "Where the gradient ends; of a conic one, the direction in which it starts, from where it goes clockwise.")),
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
            .help = N_ ("What is beyond the ends.")),
  GENERATOR_IMAGE (Gradient),
};

KG_NODE (
    image, gradient, Gradient, .label = N_ ("Gradient Image"), .version = 1, .since = "0.1",
    .tags = N_ ("gradient ramp linear radial conic angle sweep color stops background vignette generator"),
    .source = "Ottosson, Oklab, 2020",
    .help = N_ (
        "Makes an image of colours that blend into each other: along a line, from a centre outwards or around it."));
