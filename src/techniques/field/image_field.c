/* image_field: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "field/image_field.h"

enum { LOW, HIGH = LOW + 3, AXIS = HIGH + 3, FEATHER, COLOR, N_PARAMETERS = COLOR + 3 };

/* Of a place; 0 also for one that is not a number. */
static double
get_weight (const double *parameters, const double place[3])
{
  double inside = INFINITY;

  for (guint c = 0; c < 3; c++) {
    const double depth = fmin (place[c] - parameters[LOW + c], parameters[HIGH + c] - place[c]);

    if (!(depth >= 0))
      return 0;
    inside = fmin (inside, depth);
  }
  return inside < parameters[FEATHER] ? inside / parameters[FEATHER] : 1;
}

static double
get_share (const double *parameters, const double place[3], guint c)
{
  return (place[c] - parameters[LOW + c]) / (parameters[HIGH + c] - parameters[LOW + c]);
}

/* Of the image at a place of the box, premultiplied. */
static void
sample_image (const KgImage *image, const double *parameters, const double place[3], float rgba[4])
{
  const ImageFieldAxis axis = (ImageFieldAxis) parameters[AXIS];
  const double u = get_share (parameters, place, axis == IMAGE_FIELD_X ? 2 : 0);
  const double v = axis == IMAGE_FIELD_Y ? 1 - get_share (parameters, place, 2) : get_share (parameters, place, 1);

  kg_image_sample (image, u * kg_image_get_width (image), (1 - v) * kg_image_get_height (image), rgba);
}

static void
color_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const KgImage *image = (const KgImage *) kg_field_get_data (field);
  const double *parameters = kg_field_get_parameters (field);

  if (kg_field_get_n_children (field) > 0) {
    const KgField *outside = kg_field_get_child (field, 0);

    kg_field_sample (outside, block, out);
    for (guint c = kg_field_get_width (outside); c < 3; c++)
      memcpy (out[c], out[0], block->n * sizeof (float));
  } else {
    for (guint c = 0; c < 3; c++)
      for (size_t i = 0; i < block->n; i++)
        out[c][i] = (float) parameters[COLOR + c];
  }
  for (size_t i = 0; i < block->n; i++) {
    const double place[3] = { (double) block->x[i], (double) block->y[i], (double) block->z[i] };
    const double weight = get_weight (parameters, place);
    float rgba[4];

    if (weight <= 0)
      continue;
    sample_image (image, parameters, place, rgba);
    for (guint c = 0; c < 3; c++)
      out[c][i] = (float) (weight * (double) rgba[c] + (1 - weight * (double) rgba[3]) * (double) out[c][i]);
  }
}

static void
color_free (gpointer data)
{
  kg_image_unref ((KgImage *) data);
}

static bool
color_equal (gconstpointer a, gconstpointer b)
{
  return kg_image_equal ((const KgImage *) a, (const KgImage *) b);
}

static void
weight_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const double *parameters = kg_field_get_parameters (field);

  for (size_t i = 0; i < block->n; i++) {
    const double place[3] = { (double) block->x[i], (double) block->y[i], (double) block->z[i] };

    out[0][i] = (float) get_weight (parameters, place);
  }
}

static const KgFieldClass color_class = {
  .name = "image", .width = 3, .sample = color_sample, .free_data = color_free, .equal_data = color_equal
};
static const KgFieldClass weight_class = { .name = "image_weight", .width = 1, .sample = weight_sample };

static void
write_parameters (const ImageFieldBox *box, KgVector color, double parameters[N_PARAMETERS])
{
  const double numbers[N_PARAMETERS] = {
    box->low.x,         box->low.y,   box->low.z, box->high.x, box->high.y, box->high.z,
    (double) box->axis, box->feather, color.x,    color.y,     color.z,
  };

  memcpy (parameters, numbers, sizeof numbers);
}

KgField *
image_field_new (const KgImage *image, const ImageFieldBox *box, const KgField *outside, KgVector color,
                 const KgProgressMonitor *monitor, GError **error)
{
  double parameters[N_PARAMETERS];

  /* Now, and not by the first of many threads that sample it. */
  if (!kg_image_complete (image, monitor))
    return NULL;
  write_parameters (box, color, parameters);
  return kg_field_new_with_data (&color_class, parameters, N_PARAMETERS, &outside, outside != NULL ? 1 : 0,
                                 kg_image_ref (image), error);
}

KgField *
image_field_new_weight (const ImageFieldBox *box, GError **error)
{
  double parameters[N_PARAMETERS];

  write_parameters (box, kg_vector (0, 0, 0), parameters);
  return kg_field_new (&weight_class, parameters, N_PARAMETERS, NULL, 0, error);
}
