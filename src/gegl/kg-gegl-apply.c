/* kg-gegl-apply: a node of an operation of GEGL at work.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-gegl.h"
#include "kg-gegl-private.h"

#include <math.h>

/* (transfer full) */
static KgJson *
read_color (const KgColor *color)
{
  KgJson *numbers = kg_json_new (KG_JSON_ARRAY);
  const double *rgba = &color->r;

  for (int i = 0; i < 4; i++)
    kg_json_append (numbers, kg_json_new_number (rgba[i]));
  return numbers;
}

/* (transfer full) (nullable) */
static KgJson *
read_field (const void *job, const KgSlot *slot)
{
  const char *field = (const char *) job + slot->offset;
  const void *at = field;

  switch (slot->kind) {
  case KG_NUMBER: {
    const double number = *(const double *) at;

    return kg_json_new_number (slot->unit == KG_DEGREES ? number * (180 / G_PI) : number);
  }
  case KG_INTEGER:
    return kg_json_new_number ((double) *(const int64_t *) at);
  case KG_BOOLEAN:
    return kg_json_new_number (*(const bool *) at);
  case KG_CHOICE:
    return kg_json_new_number (*(const int *) at);
  case KG_COLOR:
    return read_color ((const KgColor *) at);
  case KG_TEXT:
    return kg_json_new_string (*(const char *const *) at);
  default:
    return NULL;
  }
}

/* (transfer full) */
static KgJson *
read_properties (const void *job, const GeglType *type)
{
  KgJson *to = kg_json_new (KG_JSON_OBJECT);

  for (guint i = 0; i < type->n_properties; i++) {
    KgJson *value = read_field (job, &type->type.slots[type->properties[i].slot]);

    if (value != NULL)
      kg_json_set (to, type->properties[i].name, value);
  }
  return to;
}

/* What GEGL makes is not always finite, and sources have nothing to mix it with. */
static bool
make_finite (KgImage **image, const KgProgressMonitor *monitor)
{
  static const ImageWear plain = { .mix = 1 };
  g_autoptr (KgImage) before = kg_image_ref (*image);

  return image_wear (before, &plain, image, monitor);
}

bool
gegl_filter_evaluate (void *job, const KgContext *ctx, GError **error)
{
  GeglFilter *n = (GeglFilter *) job;
  const GeglType *type = (const GeglType *) kg_context_get_type (ctx);
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  g_autoptr (KgJson) properties = read_properties (job, type);
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  KgGeglImage images[GEGL_MAX_PADS] = { { "input", before } };
  guint n_images = 1;

  for (guint i = 1; i < type->n_pads; i++)
    if (n->others[i] != NULL)
      images[n_images++] = (KgGeglImage){ type->pads[i], n->others[i] };
  IMAGE_BEGIN (n);
  kg_image_make_writable (&n->result);
  return kg_gegl_apply (type->operation, properties, images, n_images, n->result, &monitor, error) &&
         image_wear (before, &wear, &n->result, &monitor);
}

bool
gegl_source_evaluate (void *job, const KgContext *ctx, GError **error)
{
  GeglSource *n = (GeglSource *) job;
  const GeglType *type = (const GeglType *) kg_context_get_type (ctx);
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (KgJson) properties = read_properties (job, type);

  return GENERATOR_BEGIN (n, error) &&
         kg_gegl_apply (type->operation, properties, NULL, 0, n->image, &monitor, error) &&
         make_finite (&n->image, &monitor);
}
