/* kg-job: moves values between wires and the fields of a node's struct, by the rows of its declaration.
 * Degrees become radians on the way in and degrees again on the way out.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-job.h"

#include <inttypes.h>

/* The pointer in a field of a heavy kind; all are object pointers. */
static void **
pointer_at (void *job, const KgSlot *slot)
{
  return (void **) (void *) ((char *) job + slot->offset);
}

static void *
field_at (void *job, const KgSlot *slot)
{
  return (char *) job + slot->offset;
}

static double
clamp_number (const KgSlot *slot, const KgContext *ctx, double x)
{
  const double limited = kg_slot_limit (slot, x);

  if (limited != x)
    kg_context_warn (ctx, "%s: %g is outside %g to %g: %g is used", slot->name, x, slot->min, slot->max, limited);
  return limited;
}

static void
fill_number (void *field, const KgSlot *slot, const KgValue *value, const KgContext *ctx)
{
  const double x = clamp_number (slot, ctx, value->number);

  *(double *) field = slot->unit == KG_DEGREES ? x * KG_DEGREE : x;
}

static void
fill_integer (void *field, const KgSlot *slot, const KgValue *value, const KgContext *ctx)
{
  const double x = (double) value->integer;
  const double clamped = clamp_number (slot, ctx, x);

  *(int64_t *) field = clamped == x ? value->integer : (int64_t) clamped;
}

static void
fill_vector (void *field, const KgSlot *slot, const KgValue *value, const KgContext *ctx)
{
  KgVector v = value->vector;

  v = kg_vector (clamp_number (slot, ctx, v.x), clamp_number (slot, ctx, v.y), clamp_number (slot, ctx, v.z));
  *(KgVector *) field = slot->unit == KG_DEGREES ? kg_vector_scale (v, KG_DEGREE) : v;
}

static bool
fill_choice (void *field, const KgSlot *slot, const KgValue *value, GError **error)
{
  KgValue choice = *value;

  if (!kg_slot_check_choice (slot, &choice, error)) {
    g_prefix_error (error, "%s: ", slot->name);
    return false;
  }
  *(int *) field = kg_slot_find_choice (slot, choice.text);
  return true;
}

bool
kg_slot_convert_table (const KgSlot *slot, KgValue *value, GError **error)
{
  g_autoptr (KgTable) table = NULL;

  /* Typed rows are read with the columns in mind, for they may lack optional ones. */
  if (value->kind == KG_TEXT)
    table = kg_table_parse (value->text, slot->columns, error);
  else {
    g_auto (KgValue) any = KG_VALUE_INIT;

    if (!kg_value_convert (value, KG_TABLE, &any, error))
      return false;
    table = slot->columns != NULL ? kg_table_conform (any.table, slot->columns, error) : kg_table_ref (any.table);
  }
  if (table == NULL)
    return false;
  kg_value_clear (value);
  *value = kg_value_take (KG_TABLE, g_steal_pointer (&table));
  return true;
}

bool
kg_slot_convert (const KgSlot *slot, KgValue *value, GError **error)
{
  KgValue converted = KG_VALUE_INIT;
  KgHash hash;

  if (slot->kind == KG_CHOICE && value->kind <= KG_BOOLEAN) {
    g_auto (KgValue) number = KG_VALUE_INIT;

    if (!kg_value_convert (value, KG_INTEGER, &number, error))
      return false;
    if (!kg_slot_check_choice (slot, &number, error)) {
      g_prefix_error (error, "%s: ", slot->name);
      return false;
    }
    kg_value_clear (value);
    *value = number;
    number = (KgValue) KG_VALUE_INIT;
    return true;
  }
  if (slot->kind == KG_TABLE) {
    if (kg_slot_convert_table (slot, value, error))
      return true;
    g_prefix_error (error, "%s: ", slot->name);
    return false;
  }
  if (value->kind == slot->kind || slot->kind == KG_ANY || (slot->kind == KG_CHOICE && value->kind == KG_TEXT))
    return true;
  hash = kg_hash_uint (kg_value_get_fingerprint (value), slot->kind);
  if (!kg_value_convert (value, slot->kind, &converted, error)) {
    g_prefix_error (error, "%s: ", slot->name);
    return false;
  }
  kg_value_publish (&converted, hash);
  kg_value_clear (value);
  *value = converted;
  return true;
}

/* An empty value stands for an optional heavy input without a source. */
static bool
fill_absent (void *job, const KgSlot *slot, GError **error)
{
  if (slot->kind == KG_ANY)
    return true;
  if (!slot->optional) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "%s is not connected: link %s to it", slot->name,
                  kg_kind_get_phrase (slot->kind));
    return false;
  }
  *pointer_at (job, slot) = NULL;
  return true;
}

static bool
fill_list (void *job, const KgSlot *slot, const KgSample *sample, GError **error)
{
  KgList *list = (KgList *) field_at (job, slot);

  if (sample->n_items == 0 && !slot->optional) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "%s is not connected: link one or more", slot->name);
    return false;
  }
  list->n = sample->n_items;
  list->items = sample->items;
  return true;
}

static bool
is_within (const KgSlot *slot, double x)
{
  return kg_slot_limit (slot, x) == x;
}

bool
kg_slot_takes_plainly (const KgSlot *slot, const KgValue *value)
{
  switch (slot->kind) {
  case KG_NUMBER:
    return is_within (slot, value->number);
  case KG_INTEGER:
    return is_within (slot, (double) value->integer);
  case KG_VECTOR:
    return is_within (slot, value->vector.x) && is_within (slot, value->vector.y) && is_within (slot, value->vector.z);
  case KG_CHOICE:
    return kg_slot_find_choice (slot, value->text) >= 0;
  default:
    return true;
  }
}

bool
kg_job_convert (const KgSlot *slot, KgSample *sample, KgHash *hash, GError **error)
{
  for (guint i = 0; i < sample->n_items; i++) {
    if (!kg_slot_convert (slot, &sample->items[i], error)) {
      kg_prefix_error (error, "item %u: ", i);
      return false;
    }
    *hash = kg_hash_join (*hash, kg_value_get_fingerprint (&sample->items[i]));
  }
  if (slot->list || !sample->present)
    return true;
  if (!sample->ready) {
    if (!kg_slot_convert (slot, &sample->value, error))
      return false;
    sample->fingerprint = kg_value_get_fingerprint (&sample->value);
  }
  *hash = kg_hash_join (*hash, sample->fingerprint);
  return true;
}

bool
kg_job_fill_value (void *job, const KgSlot *slot, KgValue *value, const KgContext *ctx, GError **error)
{
  void *field = field_at (job, slot);

  switch (slot->kind) {
  case KG_NUMBER:
    fill_number (field, slot, value, ctx);
    return true;
  case KG_INTEGER:
    fill_integer (field, slot, value, ctx);
    return true;
  case KG_BOOLEAN:
    *(bool *) field = value->boolean;
    return true;
  case KG_TEXT:
    *(const char **) field = value->text;
    return true;
  case KG_CHOICE:
    return fill_choice (field, slot, value, error);
  case KG_VECTOR:
    fill_vector (field, slot, value, ctx);
    return true;
  case KG_COLOR:
    *(KgColor *) field = value->color;
    return true;
  case KG_ROTATION:
    *(KgRotation *) field = value->rotation;
    return true;
  case KG_TRANSFORM:
    *(KgTransform *) field = *value->transform;
    return true;
  case KG_ANY:
    *(KgValue *) field = *value;
    return true;
  default:
    /* Given, not lent: the sample releases its reference, which may have been the only one. */
    *pointer_at (job, slot) = value->pointer;
    if (slot->owned)
      *value = (KgValue) KG_VALUE_INIT;
    return true;
  }
}

bool
kg_job_fill (void *job, const KgSlot *slot, KgSample *sample, const KgContext *ctx, KgHash *hash, GError **error)
{
  *hash = kg_hash_uint (*hash, slot->list ? sample->n_items : sample->present);
  if (sample->plain) {
    *hash = kg_hash_join (*hash, sample->fingerprint);
    return true;
  }
  if (!kg_job_convert (slot, sample, hash, error))
    return false;
  if (slot->list)
    return fill_list (job, slot, sample, error);
  if (!sample->present)
    return fill_absent (job, slot, error);
  return kg_job_fill_value (job, slot, &sample->value, ctx, error);
}

/* Lengths down to nothing stay lengths: the least that an input takes is kept to. */
static double
scale_number (const KgSlot *slot, double x, double factor)
{
  return slot->role == KG_SLOT_INPUT ? kg_slot_limit (slot, x * factor) : x * factor;
}

static void
scale_field (void *job, const KgSlot *slot, double factor)
{
  void *field = field_at (job, slot);

  switch (slot->kind) {
  case KG_NUMBER:
    *(double *) field = scale_number (slot, *(double *) field, factor);
    return;
  case KG_INTEGER:
    *(int64_t *) field = (int64_t) floor (scale_number (slot, (double) *(int64_t *) field, factor) + 0.5);
    return;
  case KG_VECTOR: {
    const KgVector v = *(KgVector *) field;

    *(KgVector *) field = kg_vector (scale_number (slot, v.x, factor), scale_number (slot, v.y, factor),
                                     scale_number (slot, v.z, factor));
    return;
  }
  default:
    return;
  }
}

void
kg_job_scale_pixels (void *job, const KgNodeType *type, KgSlotRole role, double factor)
{
  bool has_images = false;

  for (guint i = 0; i < type->n_slots && !has_images; i++)
    has_images = type->slots[i].kind == KG_IMAGE;
  for (guint i = 0; has_images && i < type->n_slots; i++)
    if (type->slots[i].role == role && type->slots[i].unit == KG_PIXELS && !type->slots[i].fixed)
      scale_field (job, &type->slots[i], role == KG_SLOT_INPUT ? factor : 1 / factor);
}

void
kg_job_clear_inputs (void *job, const KgNodeType *type)
{
  for (guint i = 0; i < type->n_slots; i++) {
    const KgSlot *slot = &type->slots[i];

    if (slot->role != KG_SLOT_OUTPUT && slot->owned && slot->kind >= KG_MOTION && *pointer_at (job, slot) != NULL) {
      KgValue value = kg_value_take (slot->kind, *pointer_at (job, slot));

      kg_value_clear (&value);
      *pointer_at (job, slot) = NULL;
    }
  }
}

static bool
make_empty (KgKind kind, KgValue *value, GError **error)
{
  KgImage *image;
  KgSound *sound;

  switch (kind) {
  case KG_MOTION:
    *value = kg_value_take (kind, kg_motion_new ());
    return true;
  case KG_GEOMETRY:
    *value = kg_value_take (kind, kg_geometry_new ());
    return true;
  case KG_SKELETON:
    *value = kg_value_take (kind, kg_skeleton_new ());
    return true;
  case KG_FIELD:
    *value = kg_value_take (kind, kg_field_new_constant (0));
    return true;
  case KG_SCENE:
    *value = kg_value_take (kind, kg_scene_new ());
    return true;
  case KG_TABLE:
    *value = kg_value_take (kind, kg_table_new (0, NULL, 0, NULL));
    return true;
  case KG_SOUND:
    sound = kg_sound_new (KG_SOUND_USUAL_RATE, 1, 0, 0, error);
    if (sound == NULL)
      return false;
    *value = kg_value_take (kind, sound);
    return true;
  default:
    image = kg_image_new (1, 1, false, error);
    if (image == NULL)
      return false;
    *value = kg_value_take (KG_IMAGE, image);
    return true;
  }
}

static bool
take_field (void *job, const KgSlot *slot, KgValue *value, GError **error)
{
  void *field = field_at (job, slot);

  switch (slot->kind) {
  case KG_NUMBER:
    *value = kg_value_number (slot->unit == KG_DEGREES ? *(double *) field / KG_DEGREE : *(double *) field);
    return true;
  case KG_INTEGER:
    *value = kg_value_integer (*(int64_t *) field);
    return true;
  case KG_BOOLEAN:
    *value = kg_value_boolean (*(bool *) field);
    return true;
  case KG_TEXT:
    *value = kg_value_text (*(const char **) field);
    if (slot->owned)
      g_clear_pointer ((char **) field, g_free);
    return true;
  case KG_CHOICE:
    *value = kg_value_text (slot->choices[*(int *) field].nick);
    return true;
  case KG_VECTOR:
    *value = kg_value_vector (slot->unit == KG_DEGREES ? kg_vector_scale (*(KgVector *) field, 1.0 / KG_DEGREE)
                                                       : *(KgVector *) field);
    return true;
  case KG_COLOR:
    *value = kg_value_color (*(KgColor *) field);
    return true;
  case KG_ROTATION:
    *value = kg_value_rotation (*(KgRotation *) field);
    return true;
  case KG_TRANSFORM:
    *value = kg_value_transform ((KgTransform *) field);
    return true;
  case KG_ANY:
    *value = *(KgValue *) field;
    *(KgValue *) field = (KgValue) KG_VALUE_INIT;
    return true;
  default:
    if (*pointer_at (job, slot) == NULL)
      return make_empty (slot->kind, value, error);
    *value = kg_value_take (slot->kind, *pointer_at (job, slot));
    *pointer_at (job, slot) = NULL;
    return true;
  }
}

/* Squares of larger ones are infinite in geometry and images, which hold 32 bits. */
#define LARGE 1e15

static double
get_larger (double a, double b)
{
  return fabs (b) > fabs (a) ? b : a;
}

/* The number furthest from 0 that a text mentions. */
static double
get_largest_in_text (const char *text)
{
  double largest = 0;
  bool in_word = false;

  while (*text != '\0') {
    char *end = (char *) text;
    const double x = in_word || g_ascii_isalpha (*text) || g_ascii_isspace (*text) ? 0 : g_ascii_strtod (text, &end);

    if (end > text && isfinite (x))
      largest = get_larger (largest, x);
    in_word = end == text && (g_ascii_isalnum (*text) || *text == '_');
    text = end > text ? end : text + 1;
  }
  return largest;
}

/* The number furthest from 0 that an input has, in its own unit. */
static double
get_largest (void *job, const KgSlot *slot)
{
  const double unit = slot->unit == KG_DEGREES ? KG_DEGREE : 1;
  void *field = field_at (job, slot);
  double x = 0;

  switch (slot->kind) {
  case KG_NUMBER:
    return *(double *) field / unit;
  case KG_INTEGER:
    return (double) *(int64_t *) field;
  case KG_VECTOR: {
    const KgVector v = *(KgVector *) field;

    return get_larger (get_larger (v.x, v.y), v.z) / unit;
  }
  case KG_COLOR: {
    const KgColor c = *(KgColor *) field;

    return get_larger (get_larger (c.r, c.g), get_larger (c.b, c.a));
  }
  case KG_TRANSFORM:
    for (guint i = 0; i < 16; i++)
      x = get_larger (x, ((KgTransform *) field)->m[i / 4][i % 4]);
    return x;
  case KG_GEOMETRY: {
    const KgGeometry *geometry = (const KgGeometry *) *pointer_at (job, slot);
    const float *p = geometry != NULL ? kg_geometry_get_positions (geometry) : NULL;

    for (size_t i = 0; p != NULL && i < 3 * kg_geometry_get_n_points (geometry); i++)
      x = get_larger (x, (double) p[i]);
    return x;
  }
  case KG_TABLE: {
    const KgTable *table = (const KgTable *) *pointer_at (job, slot);
    const size_t n = table != NULL ? kg_table_get_n_rows (table) * kg_table_get_n_columns (table) : 0;

    for (size_t i = 0; i < n; i++)
      x = get_larger (x, kg_table_get_cells (table)[i]);
    return x;
  }
  case KG_TEXT:
    return *(const char **) field != NULL ? get_largest_in_text (*(const char **) field) : 0;
  default:
    return 0;
  }
}

/* A result is not finite: which input is the likely cause, and what to do. */
static void
refuse_infinite (void *job, const KgNodeType *type, const KgSlot *output, const GError *bad, GError **error)
{
  const KgSlot *input = NULL;
  double largest = 0;

  for (guint i = 0; i < type->n_slots; i++) {
    const KgSlot *slot = &type->slots[i];
    const double x = slot->role == KG_SLOT_INPUT && !slot->list ? get_largest (job, slot) : 0;

    if (fabs (x) > fabs (largest)) {
      largest = x;
      input = slot;
    }
  }
  if (fabs (largest) > LARGE)
    kg_set_error (
        error, KG_ERROR_DIVERGED,
        "the output %s is %s; the input %s is %g, which is too large to compute with: use a number nearer to 0",
        output->name, bad->message, input->name, largest);
  else
    kg_set_error (error, KG_ERROR_DIVERGED, "the output %s is %s", output->name, bad->message);
}

bool
kg_job_take (void *job, const KgNodeType *type, KgSlotRole role, KgResult *result, KgHash fingerprint, GError **error)
{
  bool good = true;

  for (guint i = result->first; i < type->n_slots; i++) {
    const KgSlot *slot = &type->slots[i];
    KgValue *value = &result->values[i - result->first];
    g_autoptr (GError) bad = NULL;

    if (slot->role != role)
      continue;
    /* All are taken, even after an error, so that nothing is left in the job. */
    if (!take_field (job, slot, value, good ? error : NULL)) {
      good = false;
      continue;
    }
    result->present[i - result->first] = true;
    kg_value_publish (value, kg_hash_uint (fingerprint, i));
    /* The outputs of a node that failed or was cancelled are not used: they are not checked. */
    if (good && error != NULL && !kg_value_check_finite (value, &bad)) {
      refuse_infinite (job, type, slot, bad, error);
      good = false;
    }
  }
  return good;
}

static void
set_state_field (void *job, const KgSlot *slot, const KgValue *value)
{
  void *field = field_at (job, slot);
  KgValue copy = KG_VALUE_INIT;

  switch (slot->kind) {
  case KG_BOOLEAN:
    *(bool *) field = value->boolean;
    break;
  case KG_VECTOR:
    *(KgVector *) field = value->vector;
    break;
  case KG_COLOR:
    *(KgColor *) field = value->color;
    break;
  case KG_ROTATION:
    *(KgRotation *) field = value->rotation;
    break;
  case KG_TRANSFORM:
    *(KgTransform *) field = *value->transform;
    break;
  default:
    /* A number, or a reference that the job owns. */
    copy = kg_value_copy (value);
    *pointer_at (job, slot) = copy.pointer;
    break;
  }
}

void
kg_job_set_state (void *job, const KgNodeType *type, const KgResult *state)
{
  for (guint i = 0; i < type->n_slots; i++)
    if (type->slots[i].role == KG_SLOT_STATE && state->present[i])
      set_state_field (job, &type->slots[i], &state->values[i]);
}
