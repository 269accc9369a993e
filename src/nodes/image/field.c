/* image/field: any field as an image.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/image_operation.h"

#include "image/generator.h"

typedef struct {
  GENERATOR_FIELDS;
  const KgField *field;
  double view_height;
  KgVector centre;
  double low;
  double high;
  KgColor low_color;
  KgColor high_color;
  bool clamp;
} FieldImage;

typedef struct {
  const FieldImage *n;
  double metre; /* metres a pixel */
  double time;
  guint components;
  KgImagePart part;
  float *pixels;
} Sheet;

/* Vectors are red, green and blue, numbers a blend of two colours. */
static void
paint (const FieldImage *n, const float *value, guint components, float *p)
{
  const double *a = &n->low_color.r, *b = &n->high_color.r;
  double t[3];

  for (guint c = 0; c < components; c++) {
    t[c] = ((double) value[c] - n->low) / (n->high - n->low);
    if (n->clamp)
      t[c] = kg_clamp (t[c], 0, 1);
  }
  p[3] = components == 3 ? 1 : (float) kg_clamp (kg_lerp (a[3], b[3], t[0]), 0, 1);
  for (guint c = 0; c < 3; c++)
    p[c] = components == 3 ? (float) t[c] : p[3] * (float) kg_lerp (a[c], b[c], t[0]);
}

static void
field_rows (gpointer data, int first, int end)
{
  const Sheet *sheet = (const Sheet *) data;
  const FieldImage *n = sheet->n;
  float places[3][KG_FIELD_BLOCK], values[3][KG_FIELD_BLOCK];

  for (int y = first; y < end; y++)
    for (int64_t x = 0; x < sheet->part.part_width; x += KG_FIELD_BLOCK) {
      KgFieldBlock block = { .n = (size_t) MIN (sheet->part.part_width - x, KG_FIELD_BLOCK),
                             .x = places[0],
                             .y = places[1],
                             .z = places[2],
                             .time = sheet->time };
      float *p = sheet->pixels + 4 * ((int64_t) y * sheet->part.part_width + x);

      for (size_t i = 0; i < block.n; i++) {
        const double column = (double) (sheet->part.x + x) + (double) i, row = sheet->part.y + y;

        places[0][i] = (float) (n->centre.x + sheet->metre * (column + 0.5 - 0.5 * (double) n->width));
        places[1][i] = (float) (n->centre.y - sheet->metre * (row + 0.5 - 0.5 * (double) n->height));
        places[2][i] = (float) n->centre.z;
      }
      kg_field_sample (n->field, &block, (float *const[]){ values[0], values[1], values[2] });
      for (size_t i = 0; i < block.n; i++)
        paint (n, (const float[]){ values[0][i], values[1][i], values[2][i] }, sheet->components, p + 4 * i);
    }
}

static bool
field_evaluate (FieldImage *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  Sheet sheet = { .n = n, .time = ctx->time, .components = kg_field_get_width (n->field) };

  if (fabs (n->high - n->low) < 1e-12) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "low and high are both %g: make them differ", n->low);
    return false;
  }
  if (!generator_begin (n, ctx, &sheet.part, error))
    return false;
  sheet.metre = n->view_height / (double) n->height;
  sheet.pixels = kg_image_edit_pixels (n->image);
  return image_each_rows (sheet.part.part_width, sheet.part.part_height, field_rows, &sheet, &monitor);
}

static const KgSlot field_slots[] = {
  GENERATOR_SIZE (FieldImage),
  KG_INPUT (FieldImage, field, FIELD, .label = N_ ("Field"),
            .help = N_ ("A field: numbers become a blend of two colours; vectors become red, green and blue.")),
  KG_INPUT (FieldImage, view_height, NUMBER, .label = N_ ("View Height"), .unit = KG_METRES, .def = 2, .min = 1e-6,
            .max = 1e6, .soft_max = 20, .help = N_ ("Height of the part of the plane that is shown.")),
  KG_INPUT (FieldImage, centre, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES,
            .help = N_ ("The position at the centre of the image; z is the height of the plane.")),
  KG_INPUT (FieldImage, low, NUMBER, .label = N_ ("Low"), .def = -1, .min = -1e12, .max = 1e12, .soft_min = -2,
            .soft_max = 2, .help = N_ ("Value that has the low colour, or 0 in red, green and blue.")),
  KG_INPUT (FieldImage, high, NUMBER, .label = N_ ("High"), .def = 1, .min = -1e12, .max = 1e12, .soft_min = -2,
            .soft_max = 2, .help = N_ ("Value that has the high colour, or 1.")),
  KG_INPUT (FieldImage, low_color, COLOR, .label = N_ ("Low Colour"), .def_v = { 0, 0, 0, 1 },
            .help = N_ ("Colour of the low value.")),
  KG_INPUT (FieldImage, high_color, COLOR, .label = N_ ("High Colour"), .def_v = { 1, 1, 1, 1 },
            .help = N_ ("Colour of the high value.")),
  KG_INPUT (FieldImage, clamp, BOOLEAN, .label = N_ ("Clamp"), .def = 1,
            .help = N_ ("Keeps values between low and high.")),
  GENERATOR_IMAGE (FieldImage),
};

KG_NODE (
    image, field, FieldImage, .label = N_ ("Field Image"), .version = 1, .since = "0.1", .region = generator_region,
    .find_size = generator_size, .time = KG_TIME_READS,
    .tags = N_ ("field noise clouds texture turbulence perlin worley cells generator plasma map formula function plot"),
    .help = N_ (
        "Makes an image of a field on a plane: noise, formulas, implicit bodies, forces. Fields that change over time "
        "are animated."));
