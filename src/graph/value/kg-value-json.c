/* kg-value-json: values as JSON, in and out.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-value.h"

#include <inttypes.h>

/* The most pixels of an image that are printed one by one; larger images are summarised. */
#define MAX_PIXELS 4096

/* Writing. */

static void
write_doubles (const double *x, guint n, GString *out)
{
  g_string_append_c (out, '[');
  for (guint i = 0; i < n; i++) {
    if (i > 0)
      g_string_append (out, ", ");
    kg_json_write_number (x[i], out);
  }
  g_string_append_c (out, ']');
}

/* Floats in the shortest form that reads back to the same float. */
static void
write_float (float x, GString *out)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (x)) {
    g_string_append (out, "null");
    return;
  }
  for (int digits = 6; digits <= 9; digits++) {
    char format[8];

    g_snprintf (format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd (buffer, sizeof buffer, format, (double) x);
    if ((float) g_ascii_strtod (buffer, NULL) == x)
      break;
  }
  g_string_append (out, x == 0 ? "0" : buffer);
}

static void
write_element (const KgAttribute *attribute, size_t element, GString *out)
{
  if (attribute->scalar == KG_STRING) {
    const char *text = ((char *const *) attribute->data)[element];

    kg_json_write_string (text != NULL ? text : "", out);
    return;
  }
  if (attribute->size > 1)
    g_string_append_c (out, '[');
  for (guint c = 0; c < attribute->size; c++) {
    const size_t i = element * attribute->size + c;

    if (c > 0)
      g_string_append (out, ", ");
    if (attribute->scalar == KG_FLOAT32)
      write_float (((const float *) attribute->data)[i], out);
    else
      g_string_append_printf (out, "%d", ((const int32_t *) attribute->data)[i]);
  }
  if (attribute->size > 1)
    g_string_append_c (out, ']');
}

static void
write_attributes (const KgGeometry *geometry, KgDomain domain, GString *out)
{
  g_string_append_c (out, '{');
  for (guint i = 0; i < kg_geometry_get_n_attributes (geometry, domain); i++) {
    KgAttribute attribute;

    kg_geometry_get_attribute (geometry, domain, i, &attribute);
    if (i > 0)
      g_string_append (out, ", ");
    kg_json_write_string (attribute.name, out);
    g_string_append (out, ": ");
    if (domain == KG_WHOLE) {
      write_element (&attribute, 0, out);
      continue;
    }
    g_string_append_c (out, '[');
    for (size_t k = 0; k < attribute.count; k++) {
      if (k > 0)
        g_string_append (out, ", ");
      write_element (&attribute, k, out);
    }
    g_string_append_c (out, ']');
  }
  g_string_append_c (out, '}');
}

static void
write_primitive (const KgPrimitive *primitive, GString *out)
{
  static const char *const kinds[] = { "polygon", "polyline", "spline" };
  static const char *const bases[] = { "linear",   "hermite",          "catmull-rom", "bezier",
                                       "b-spline", "kochanek-bartels", "four-point",  "cubic-spline" };
  static const char *const ends[] = { "auto",     "reflect", "repeat",     "given",
                                      "parabola", "natural", "not-a-knot", "phantom" };
  static const char *const spacings[] = { "uniform", "chord", "centripetal" };
  const KgSplineRule *rule = &primitive->rule;

  G_STATIC_ASSERT (G_N_ELEMENTS (bases) == KG_N_BASES && G_N_ELEMENTS (ends) == KG_N_ENDS &&
                   G_N_ELEMENTS (spacings) == KG_N_SPACINGS);

  g_string_append_printf (out, "{\"kind\": \"%s\", ", kinds[primitive->kind]);
  if (primitive->kind != KG_POLYGON)
    g_string_append_printf (out, "\"closed\": %s, ", primitive->closed ? "true" : "false");
  if (primitive->kind == KG_SPLINE)
    g_string_append_printf (out, "\"basis\": \"%s\", ", bases[primitive->basis]);
  if (primitive->order > 0)
    g_string_append_printf (out, "\"order\": %u, ", primitive->order);
  if (rule->end != KG_END_AUTO)
    g_string_append_printf (out, "\"end\": \"%s\", ", ends[rule->end]);
  if (rule->spacing != KG_SPACING_UNIFORM)
    g_string_append_printf (out, "\"spacing\": \"%s\", ", spacings[rule->spacing]);
  if (rule->bisector)
    g_string_append (out, "\"tangents\": \"bisector\", ");
  if (rule->relative_lengths)
    g_string_append (out, "\"lengths\": \"relative\", ");
  if (primitive->n_knots > 0) {
    g_string_append (out, "\"knots\": ");
    write_doubles (primitive->knots, primitive->n_knots, out);
    g_string_append (out, ", ");
  }
  if (primitive->weights != NULL) {
    g_string_append (out, "\"weights\": ");
    write_doubles (primitive->weights, primitive->n_vertices, out);
    g_string_append (out, ", ");
  }
  g_string_append (out, "\"points\": [");
  for (uint32_t i = 0; i < primitive->n_vertices; i++)
    g_string_append_printf (out, "%s%u", i > 0 ? ", " : "", primitive->vertices[i]);
  g_string_append (out, "]}");
}

static void
write_geometry (const KgGeometry *geometry, GString *out)
{
  const size_t n = kg_geometry_get_n_primitives (geometry);

  g_string_append (out, "{\"points\": ");
  write_attributes (geometry, KG_POINTS, out);
  g_string_append (out, ", \"primitives\": [");
  for (size_t i = 0; i < n; i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    if (i > 0)
      g_string_append (out, ", ");
    write_primitive (&primitive, out);
  }
  g_string_append_c (out, ']');
  if (kg_geometry_get_n_attributes (geometry, KG_PRIMITIVES) > 0) {
    g_string_append (out, ", \"primitive_attributes\": ");
    write_attributes (geometry, KG_PRIMITIVES, out);
  }
  if (kg_geometry_get_n_attributes (geometry, KG_WHOLE) > 0) {
    g_string_append (out, ", \"whole\": ");
    write_attributes (geometry, KG_WHOLE, out);
  }
  g_string_append_c (out, '}');
}

static void
write_keys (const KgChannel *channel, GString *out)
{
  gsize n;
  const KgKey *keys = kg_channel_get_keys (channel, &n);

  g_string_append (out, "\"keys\": [");
  for (gsize i = 0; i < n; i++) {
    g_string_append (out, i > 0 ? ", {\"at\": " : "{\"at\": ");
    kg_json_write_number (keys[i].at, out);
    g_string_append (out, ", \"value\": ");
    if (kg_channel_get_width (channel) == 1)
      kg_json_write_number (keys[i].value[0], out);
    else
      write_doubles (keys[i].value, kg_channel_get_width (channel), out);
    g_string_append_printf (out, ", \"interpolation\": \"%s\"}", kg_interpolation_nicks[keys[i].interpolation]);
  }
  g_string_append_c (out, ']');
}

static void
write_motion (const KgMotion *motion, GString *out)
{
  g_string_append_c (out, '{');
  for (guint i = 0; i < kg_motion_get_n_channels (motion); i++) {
    const KgChannel *channel = kg_motion_get_channel (motion, i);
    const double *breaks;
    double start, rate;
    guint degree;
    gsize n;

    if (i > 0)
      g_string_append (out, ", ");
    kg_json_write_string (kg_motion_get_name (motion, i), out);
    g_string_append (out, ": {");
    if (kg_channel_get_keys (channel, &n) != NULL)
      write_keys (channel, out);
    else if (kg_channel_get_samples (channel, &n, &start, &rate) != NULL) {
      g_string_append (out, "\"start\": ");
      kg_json_write_number (start, out);
      g_string_append (out, ", \"rate\": ");
      kg_json_write_number (rate, out);
      g_string_append (out, ", \"samples\": ");
      write_doubles (kg_channel_get_samples (channel, &n, &start, &rate), (guint) n * kg_channel_get_width (channel),
                     out);
    } else if (kg_channel_get_pieces (channel, &n, &degree, &breaks) != NULL) {
      g_string_append (out, "\"breaks\": ");
      write_doubles (breaks, (guint) n + 1, out);
      g_string_append_printf (out, ", \"degree\": %u, \"coefficients\": ", degree);
      write_doubles (kg_channel_get_pieces (channel, &n, &degree, &breaks), (guint) n * (degree + 1), out);
    } else {
      g_string_append (out, "\"function\": ");
      kg_json_write_string (kg_channel_get_function (channel), out);
    }
    g_string_append_c (out, '}');
  }
  g_string_append_c (out, '}');
}

static void
write_skeleton (const KgSkeleton *skeleton, GString *out)
{
  const guint n = kg_skeleton_get_n_joints (skeleton);
  g_autofree KgTransform *world = g_new (KgTransform, MAX (n, 1));

  kg_skeleton_get_world (skeleton, world);
  g_string_append (out, "{\"joints\": [");
  for (guint i = 0; i < n; i++) {
    const KgJoint *joint = kg_skeleton_get_joint (skeleton, i);
    const KgRotation q = kg_skeleton_get_rotation (skeleton, i);
    const double position[] = { world[i].m[0][3], world[i].m[1][3], world[i].m[2][3] };

    g_string_append (out, i > 0 ? ", {\"name\": " : "{\"name\": ");
    kg_json_write_string (joint->name, out);
    g_string_append_printf (out, ", \"parent\": %d, \"rotation\": ", joint->parent);
    write_doubles (&q.w, 4, out);
    g_string_append (out, ", \"position\": ");
    write_doubles (position, 3, out);
    g_string_append_c (out, '}');
  }
  g_string_append (out, "]}");
}

static void
write_image (const KgImage *image, GString *out)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  const size_t n = (size_t) width * (size_t) height;
  const float *pixels = kg_image_get_pixels (image);
  double mean[4] = { 0 };

  g_string_append_printf (out, "{\"width\": %d, \"height\": %d, \"mean\": ", width, height);
  for (size_t i = 0; i < 4 * n; i++)
    mean[i % 4] += (double) pixels[i];
  for (int c = 0; c < 4; c++)
    mean[c] /= (double) n;
  write_doubles (mean, 4, out);
  if (n <= MAX_PIXELS) {
    g_string_append (out, ", \"pixels\": [");
    for (size_t i = 0; i < 4 * n; i++) {
      if (i > 0)
        g_string_append (out, i % 4 == 0 ? ", [" : ", ");
      else
        g_string_append_c (out, '[');
      write_float (pixels[i], out);
      if (i % 4 == 3)
        g_string_append_c (out, ']');
    }
    g_string_append_c (out, ']');
  }
  g_string_append_c (out, '}');
}

static void
write_field (const KgField *field, GString *out)
{
  g_string_append (out, "{\"field\": ");
  kg_json_write_string (kg_field_get_name (field), out);
  if (kg_field_get_n_parameters (field) > 0) {
    g_string_append (out, ", \"parameters\": ");
    write_doubles (kg_field_get_parameters (field), kg_field_get_n_parameters (field), out);
  }
  if (kg_field_get_n_children (field) > 0) {
    g_string_append (out, ", \"of\": [");
    for (guint i = 0; i < kg_field_get_n_children (field); i++) {
      if (i > 0)
        g_string_append (out, ", ");
      write_field (kg_field_get_child (field, i), out);
    }
    g_string_append_c (out, ']');
  }
  g_string_append_c (out, '}');
}

static void
write_scene (const KgScene *scene, GString *out)
{
  g_string_append (out, "{\"objects\": [");
  for (guint i = 0; i < kg_scene_get_n_objects (scene); i++) {
    const KgObject *object = kg_scene_get_object (scene, i);

    g_string_append_printf (out, "%s{\"points\": %zu, \"primitives\": %zu, \"color\": ", i > 0 ? ", " : "",
                            kg_geometry_get_n_points (object->geometry),
                            kg_geometry_get_n_primitives (object->geometry));
    write_doubles (&object->material.color.r, 4, out);
    if (object->instances.points != NULL)
      g_string_append_printf (out, ", \"instances\": %zu", kg_object_get_n_instances (object));
    g_string_append (out, ", \"transform\": ");
    write_doubles (&object->transform.m[0][0], 16, out);
    g_string_append_c (out, '}');
  }
  g_string_append_printf (out, "], \"lights\": %u, \"cameras\": %u}", kg_scene_get_n_lights (scene),
                          kg_scene_get_n_cameras (scene));
}

/* The samples themselves are far too many. */
static void
write_sound (const KgSound *sound, GString *out)
{
  const size_t n = kg_sound_get_n_samples (sound) * kg_sound_get_n_channels (sound);
  const float *samples = kg_sound_get_samples (sound);
  double sum = 0, peak = 0;

  for (size_t i = 0; i < n; i++) {
    const double x = fabs ((double) samples[i]);

    sum += x * x;
    peak = x > peak ? x : peak;
  }
  g_string_append_printf (out,
                          "{\"rate\": %d, \"channels\": %u, \"start\": %" PRId64 ", \"samples\": %zu, \"seconds\": ",
                          kg_sound_get_rate (sound), kg_sound_get_n_channels (sound), kg_sound_get_start (sound),
                          kg_sound_get_n_samples (sound));
  kg_json_write_number ((double) kg_sound_get_n_samples (sound) / kg_sound_get_rate (sound), out);
  g_string_append (out, ", \"peak\": ");
  kg_json_write_number (peak, out);
  g_string_append (out, ", \"rms\": ");
  kg_json_write_number (n > 0 ? sqrt (sum / (double) n) : 0, out);
  g_string_append_c (out, '}');
}

void
kg_value_write_json (const KgValue *value, GString *out)
{
  switch (value->kind) {
  case KG_NUMBER:
    kg_json_write_number (value->number, out);
    break;
  case KG_INTEGER:
    g_string_append_printf (out, "%" PRId64, value->integer);
    break;
  case KG_BOOLEAN:
    g_string_append (out, value->boolean ? "true" : "false");
    break;
  case KG_TEXT:
    kg_json_write_string (value->text, out);
    break;
  case KG_VECTOR:
    write_doubles (&value->vector.x, 3, out);
    break;
  case KG_COLOR:
    write_doubles (&value->color.r, 4, out);
    break;
  case KG_ROTATION:
    write_doubles (&value->rotation.w, 4, out);
    break;
  case KG_TRANSFORM:
    write_doubles (&value->transform->m[0][0], 16, out);
    break;
  case KG_MOTION:
    write_motion (value->motion, out);
    break;
  case KG_GEOMETRY:
    write_geometry (value->geometry, out);
    break;
  case KG_SKELETON:
    write_skeleton (value->skeleton, out);
    break;
  case KG_FIELD:
    write_field (value->field, out);
    break;
  case KG_IMAGE:
    write_image (value->image, out);
    break;
  case KG_SCENE:
    write_scene (value->scene, out);
    break;
  case KG_TABLE:
    kg_table_write_json (value->table, KG_TABLE_NAMED, NULL, NULL, out);
    break;
  case KG_SOUND:
    write_sound (value->sound, out);
    break;
  default:
    g_string_append (out, "null");
    break;
  }
}

/* Reading. */

static bool
expected (const KgJson *json, const char *what, GError **error)
{
  kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "expected %s, found %s", kg_translate (what),
                kg_json_kind_name (kg_json_get_kind (json)));
  return false;
}

static bool
read_doubles (const KgJson *json, guint min, guint max, double *x, const char *what, GError **error)
{
  if (!kg_json_is (json, KG_JSON_ARRAY))
    return expected (json, what, error);
  if (kg_json_get_n (json) < min || kg_json_get_n (json) > max) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "expected %s, found an array of %u", kg_translate (what),
                  kg_json_get_n (json));
    return false;
  }
  for (guint i = 0; i < kg_json_get_n (json); i++) {
    if (!kg_json_is (kg_json_get_item (json, i), KG_JSON_NUMBER))
      return expected (kg_json_get_item (json, i), what, error);
    x[i] = kg_json_get_number (kg_json_get_item (json, i));
  }
  return true;
}

/* "#rrggbb" or "#rrggbbaa", sRGB-encoded as everywhere. */
static bool
read_hex_color (const char *text, KgColor *color, GError **error)
{
  const size_t length = strlen (text);
  double x[4] = { 0, 0, 0, 1 };
  bool good = text[0] == '#' && (length == 7 || length == 9);

  for (size_t i = 1; good && i < length; i += 2) {
    good = g_ascii_isxdigit (text[i]) && g_ascii_isxdigit (text[i + 1]);
    x[i / 2] = (g_ascii_xdigit_value (text[i]) * 16 + g_ascii_xdigit_value (text[i + 1])) / 255.0;
  }
  if (!good) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "\"%s\" is not a colour: write \"#rrggbb\" or [r, g, b, a]", text);
    return false;
  }
  *color = (KgColor){ kg_srgb_decode (x[0]), kg_srgb_decode (x[1]), kg_srgb_decode (x[2]), x[3] };
  return true;
}

static bool
read_color (const KgJson *json, KgValue *value, GError **error)
{
  KgColor color = { 0, 0, 0, 1 };

  if (kg_json_is (json, KG_JSON_STRING)) {
    if (!read_hex_color (kg_json_get_string (json), &color, error))
      return false;
  } else if (!read_doubles (json, 3, 4, &color.r, "a colour: \"#rrggbb\" or [r, g, b, a]", error))
    return false;
  *value = kg_value_color (color);
  return true;
}

static bool
read_integer (const KgJson *json, KgValue *value, GError **error)
{
  if (!kg_json_is (json, KG_JSON_NUMBER))
    return expected (json, "a whole number", error);
  if (kg_json_get_number (json) != floor (kg_json_get_number (json)) ||
      fabs (kg_json_get_number (json)) > 9007199254740992.0) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "expected a whole number, found %g", kg_json_get_number (json));
    return false;
  }
  *value = kg_value_integer ((int64_t) kg_json_get_number (json));
  return true;
}

/* One cell, which may be blank. */
static bool
read_cell (const KgJson *json, guint row, guint column, double *cell, GError **error)
{
  if (kg_json_is (json, KG_JSON_NULL))
    *cell = NAN;
  else if (kg_json_is (json, KG_JSON_NUMBER))
    *cell = kg_json_get_number (json);
  else {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "row %u of the table, column %u: expected a number, found %s", row + 1,
                  column + 1, kg_json_kind_name (kg_json_get_kind (json)));
    return false;
  }
  return true;
}

/* The rows into the cells of a table: arrays of numbers, or, where there is one column, numbers. */
static bool
read_rows (const KgJson *rows, KgTable *table, GError **error)
{
  const guint width = kg_table_get_n_columns (table);
  double *cells = kg_table_edit (table);

  for (guint i = 0; i < kg_json_get_n (rows); i++) {
    const KgJson *row = kg_json_get_item (rows, i);
    const bool is_array = kg_json_is (row, KG_JSON_ARRAY);

    if (is_array ? kg_json_get_n (row) != width : width != 1) {
      kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "row %u of the table has %u numbers: expected %u", i + 1,
                    is_array ? kg_json_get_n (row) : 1, width);
      return false;
    }
    for (guint j = 0; j < width; j++)
      if (!read_cell (is_array ? kg_json_get_item (row, j) : row, i, j, cells + (size_t) i * width + j, error))
        return false;
  }
  return true;
}

/* (transfer container) (nullable) The names, which belong to json. */
static const char **
read_names (const KgJson *json, GError **error)
{
  g_autofree const char **names = NULL;

  if (!kg_json_is (json, KG_JSON_ARRAY)) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "\"columns\" must be an array of names, not %s",
                  kg_json_kind_name (kg_json_get_kind (json)));
    return NULL;
  }
  names = g_new0 (const char *, kg_json_get_n (json) + 1);
  for (guint i = 0; i < kg_json_get_n (json); i++) {
    if (!kg_json_is (kg_json_get_item (json, i), KG_JSON_STRING)) {
      kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "\"columns\" must be an array of names: item %u is %s", i,
                    kg_json_kind_name (kg_json_get_kind (kg_json_get_item (json, i))));
      return NULL;
    }
    names[i] = kg_json_get_string (kg_json_get_item (json, i));
  }
  return g_steal_pointer (&names);
}

static bool
read_table (const KgJson *json, KgValue *value, GError **error)
{
  const KgJson *rows = json, *columns = NULL, *first;
  g_autofree const char **names = NULL;
  g_autoptr (KgTable) table = NULL;
  guint width;

  /* Typed rows are read by whoever knows the columns. */
  if (kg_json_is (json, KG_JSON_STRING)) {
    *value = kg_value_text (kg_json_get_string (json));
    return true;
  }
  if (kg_json_is (json, KG_JSON_OBJECT)) {
    rows = kg_json_get (json, "rows");
    columns = kg_json_get (json, "columns");
    if (rows == NULL || columns == NULL || kg_json_get_n (json) != 2) {
      kg_set_error (error, KG_ERROR_INVALID_FILE,
                    "a table is an array of rows, or an object with \"columns\" and "
                    "\"rows\" and nothing else");
      return false;
    }
    names = read_names (columns, error);
    if (names == NULL)
      return false;
  }
  if (!kg_json_is (rows, KG_JSON_ARRAY))
    return expected (rows, "a table: an array of rows of numbers", error);
  first = kg_json_get_n (rows) > 0 ? kg_json_get_item (rows, 0) : NULL;
  width = columns != NULL                                      ? kg_json_get_n (columns)
          : first != NULL && kg_json_is (first, KG_JSON_ARRAY) ? kg_json_get_n (first)
          : first != NULL                                      ? 1
                                                               : 0;
  table = kg_table_new (width, names, kg_json_get_n (rows), error);
  if (table == NULL || !read_rows (rows, table, error))
    return false;
  *value = kg_value_take (KG_TABLE, g_steal_pointer (&table));
  return true;
}

/* An array of numbers is a vector, a colour or a transform, never a table of one column: a file that means one writes its rows
 * as arrays (KG_TABLE_APART). */
static bool
read_any (const KgJson *json, KgValue *value, GError **error)
{
  const bool is_array = kg_json_is (json, KG_JSON_ARRAY);
  const guint n = is_array ? kg_json_get_n (json) : 0;

  if (kg_json_is (json, KG_JSON_NUMBER))
    *value = kg_value_number (kg_json_get_number (json));
  else if (kg_json_is (json, KG_JSON_TRUE) || kg_json_is (json, KG_JSON_FALSE))
    *value = kg_value_boolean (kg_json_is (json, KG_JSON_TRUE));
  else if (kg_json_is (json, KG_JSON_STRING))
    *value = kg_value_text (kg_json_get_string (json));
  else if (kg_json_is (json, KG_JSON_OBJECT) ||
           (is_array && (n == 0 || kg_json_is (kg_json_get_item (json, 0), KG_JSON_ARRAY))))
    return kg_value_from_json (json, KG_TABLE, value, error);
  else if (n == 4)
    return kg_value_from_json (json, KG_COLOR, value, error);
  else if (n == 16)
    return kg_value_from_json (json, KG_TRANSFORM, value, error);
  else
    return kg_value_from_json (json, KG_VECTOR, value, error);
  return true;
}

bool
kg_value_from_json (const KgJson *json, KgKind kind, KgValue *value, GError **error)
{
  KgTransform t;
  double x[4];

  switch (kind) {
  case KG_NUMBER:
  case KG_MOTION:
  case KG_FIELD:
    if (kg_json_is (json, KG_JSON_ARRAY) && kind == KG_FIELD)
      return kg_value_from_json (json, KG_VECTOR, value, error);
    if (!kg_json_is (json, KG_JSON_NUMBER))
      return expected (json, "a number", error);
    *value = kg_value_number (kg_json_get_number (json));
    return true;
  case KG_INTEGER:
    return read_integer (json, value, error);
  case KG_BOOLEAN:
    if (!kg_json_is (json, KG_JSON_TRUE) && !kg_json_is (json, KG_JSON_FALSE))
      return expected (json, "true or false", error);
    *value = kg_value_boolean (kg_json_is (json, KG_JSON_TRUE));
    return true;
  case KG_CHOICE:
    if (kg_json_is (json, KG_JSON_NUMBER))
      return read_integer (json, value, error);
    /* fall through */
  case KG_TEXT:
    if (!kg_json_is (json, KG_JSON_STRING))
      return expected (json, "a string", error);
    *value = kg_value_text (kg_json_get_string (json));
    return true;
  case KG_VECTOR:
    x[2] = 0;
    if (!read_doubles (json, 2, 3, x, "a vector [x, y] or [x, y, z]", error))
      return false;
    *value = kg_value_vector (kg_vector (x[0], x[1], x[2]));
    return true;
  case KG_COLOR:
    return read_color (json, value, error);
  case KG_ROTATION:
    if (!read_doubles (json, 4, 4, x, "a rotation [w, x, y, z]", error))
      return false;
    *value = kg_value_rotation ((KgRotation){ x[0], x[1], x[2], x[3] });
    return kg_rotation_make_unit (&value->rotation, error);
  case KG_TRANSFORM:
    if (!read_doubles (json, 16, 16, &t.m[0][0], "a transform: 16 numbers, row by row", error))
      return false;
    *value = kg_value_transform (&t);
    return true;
  case KG_TABLE:
    return read_table (json, value, error);
  case KG_ANY:
    return read_any (json, value, error);
  default:
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s cannot be written to a file: link a node that makes it",
                  kg_kind_get_phrase (kind));
    return false;
  }
}
