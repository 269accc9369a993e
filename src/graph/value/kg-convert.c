/* kg-convert: the declared conversions between kinds of value: one table, no special cases elsewhere.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-value.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

typedef bool (*Convert) (const KgValue *from, KgValue *to, GError **error);

static bool
number_to_integer (const KgValue *from, KgValue *to, GError **error)
{
  const double rounded = nearbyint (from->number);

  if (!(fabs (rounded) <= 9007199254740992.0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%g is too large for an integer: use a number between -2^53 and 2^53",
                  from->number);
    return false;
  }
  *to = kg_value_integer ((int64_t) rounded);
  return true;
}

static bool
number_to_boolean (const KgValue *from, KgValue *to, GError **error)
{
  (void) error;
  *to = kg_value_boolean (from->number != 0);
  return true;
}

static bool
number_to_vector (const KgValue *from, KgValue *to, GError **error)
{
  (void) error;
  *to = kg_value_vector (kg_vector (from->number, from->number, from->number));
  return true;
}

static bool
number_to_color (const KgValue *from, KgValue *to, GError **error)
{
  (void) error;
  *to = kg_value_color ((KgColor){ from->number, from->number, from->number, 1 });
  return true;
}

static bool
number_to_text (const KgValue *from, KgValue *to, GError **error)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  (void) error;
  *to = kg_value_text (g_ascii_formatd (digits, sizeof digits, "%.15g", from->number + 0.0));
  return true;
}

static bool
integer_to_text (const KgValue *from, KgValue *to, GError **error)
{
  g_autofree char *text = g_strdup_printf ("%" PRId64, from->integer);

  (void) error;
  *to = kg_value_text (text);
  return true;
}

static bool
boolean_to_text (const KgValue *from, KgValue *to, GError **error)
{
  (void) error;
  *to = kg_value_text (from->boolean ? "true" : "false");
  return true;
}

static bool
vector_to_text (const KgValue *from, KgValue *to, GError **error)
{
  const double numbers[] = { from->vector.x + 0.0, from->vector.y + 0.0, from->vector.z + 0.0 };
  char digits[3][G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *text = NULL;

  (void) error;
  for (guint i = 0; i < 3; i++)
    g_ascii_formatd (digits[i], sizeof digits[i], "%.15g", numbers[i]);
  text = g_strjoin (" ", digits[0], digits[1], digits[2], NULL);
  *to = kg_value_text (text);
  return true;
}

static double
constant_value (const double *parameters, double x)
{
  (void) x;
  return parameters[0];
}

static double
constant_derivative (const double *parameters, double x)
{
  (void) parameters;
  (void) x;
  return 0;
}

static double
constant_integral (const double *parameters, double x)
{
  return parameters[0] * x;
}

static bool
number_to_motion (const KgValue *from, KgValue *to, GError **error)
{
  static const KgFunction constant = { "constant", 1, constant_value, constant_derivative, constant_integral };

  (void) error;
  *to =
      kg_value_take (KG_MOTION, kg_motion_new_take ("value", kg_channel_new_function (&constant, &from->number, 0, 1)));
  return true;
}

static bool
number_to_field (const KgValue *from, KgValue *to, GError **error)
{
  (void) error;
  *to = kg_value_take (KG_FIELD, kg_field_new_constant (from->number));
  return true;
}

static bool
integer_to_number (const KgValue *from, KgValue *to, GError **error)
{
  (void) error;
  *to = kg_value_number ((double) from->integer);
  return true;
}

static bool
boolean_to_number (const KgValue *from, KgValue *to, GError **error)
{
  (void) error;
  *to = kg_value_number (from->boolean);
  return true;
}

static bool
vector_to_color (const KgValue *from, KgValue *to, GError **error)
{
  (void) error;
  *to = kg_value_color ((KgColor){ from->vector.x, from->vector.y, from->vector.z, 1 });
  return true;
}

static bool
vector_to_transform (const KgValue *from, KgValue *to, GError **error)
{
  const KgTransform t = kg_transform_from_parts (from->vector, kg_rotation_identity (), kg_vector (1, 1, 1));

  (void) error;
  *to = kg_value_transform (&t);
  return true;
}

static bool
vector_to_field (const KgValue *from, KgValue *to, GError **error)
{
  (void) error;
  *to = kg_value_take (KG_FIELD, kg_field_new_constant_vector (from->vector));
  return true;
}

static bool
color_to_vector (const KgValue *from, KgValue *to, GError **error)
{
  (void) error;
  *to = kg_value_vector (kg_vector (from->color.r, from->color.g, from->color.b));
  return true;
}

static bool
rotation_to_transform (const KgValue *from, KgValue *to, GError **error)
{
  const KgTransform t = kg_transform_from_parts (kg_vector (0, 0, 0), from->rotation, kg_vector (1, 1, 1));

  (void) error;
  *to = kg_value_transform (&t);
  return true;
}

static bool
transform_to_rotation (const KgValue *from, KgValue *to, GError **error)
{
  (void) error;
  *to = kg_value_rotation (kg_rotation_from_transform (*from->transform));
  return true;
}

static bool
transform_to_vector (const KgValue *from, KgValue *to, GError **error)
{
  const KgTransform *t = from->transform;

  (void) error;
  *to = kg_value_vector (kg_transform_get_place (t));
  return true;
}

static bool
geometry_to_scene (const KgValue *from, KgValue *to, GError **error)
{
  const KgTransform identity = kg_transform_identity ();
  KgScene *scene = kg_scene_new ();
  KgMaterial material;

  (void) error;
  kg_material_init (&material);
  kg_scene_add_object (scene, from->geometry, &identity, &material);
  *to = kg_value_take (KG_SCENE, scene);
  return true;
}

/* (transfer full) (nullable) n_rows rows of these numbers. */
static KgTable *
new_table (guint n_columns, const char *const *names, size_t n_rows, const double *cells, GError **error)
{
  KgTable *table = kg_table_new (n_columns, names, n_rows, error);

  if (table != NULL)
    memcpy (kg_table_edit (table), cells, n_rows * n_columns * sizeof (double));
  return table;
}

static bool
take_table (KgTable *table, KgValue *to)
{
  if (table != NULL)
    *to = kg_value_take (KG_TABLE, table);
  return table != NULL;
}

static bool
number_to_table (const KgValue *from, KgValue *to, GError **error)
{
  return take_table (new_table (1, NULL, 1, &from->number, error), to);
}

static bool
text_to_table (const KgValue *from, KgValue *to, GError **error)
{
  return take_table (kg_table_parse (from->text, NULL, error), to);
}

static bool
vector_to_table (const KgValue *from, KgValue *to, GError **error)
{
  static const char *const names[] = { "x", "y", "z" };
  const double cells[] = { from->vector.x, from->vector.y, from->vector.z };

  return take_table (new_table (3, names, 1, cells, error), to);
}

static bool
transform_to_table (const KgValue *from, KgValue *to, GError **error)
{
  return take_table (new_table (4, NULL, 4, &from->transform->m[0][0], error), to);
}

static bool
table_to_transform (const KgValue *from, KgValue *to, GError **error)
{
  const size_t n_rows = kg_table_get_n_rows (from->table);
  const guint n_columns = kg_table_get_n_columns (from->table);
  KgTransform t = kg_transform_identity ();

  if ((n_rows != 3 && n_rows != 4) || (n_columns != 3 && n_columns != 4)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "a table of %zu rows and %u columns is not a transform: that has 3 or 4 of each", n_rows, n_columns);
    return false;
  }
  for (size_t i = 0; i < n_rows; i++)
    memcpy (t.m[i], kg_table_get_row (from->table, i), n_columns * sizeof (double));
  *to = kg_value_transform (&t);
  return true;
}

static bool
geometry_to_table (const KgValue *from, KgValue *to, GError **error)
{
  static const char *const names[] = { "x", "y", "z" };
  const size_t n = kg_geometry_get_n_points (from->geometry);
  const float *p = kg_geometry_get_positions (from->geometry);
  KgTable *table = kg_table_new (3, names, n, error);

  for (size_t i = 0; table != NULL && p != NULL && i < 3 * n; i++)
    kg_table_edit (table)[i] = (double) p[i];
  return take_table (table, to);
}

static bool
table_to_geometry (const KgValue *from, KgValue *to, GError **error)
{
  g_autoptr (KgTable) points = kg_table_conform (from->table, kg_table_points, error);
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  float *p;

  if (points == NULL || !kg_geometry_set_n_points (geometry, kg_table_get_n_rows (points), error))
    return false;
  p = kg_geometry_edit_positions (geometry);
  for (size_t i = 0; i < 3 * kg_table_get_n_rows (points); i++)
    p[i] = (float) kg_table_get_cells (points)[i];
  *to = kg_value_take (KG_GEOMETRY, g_steal_pointer (&geometry));
  return true;
}

static const struct {
  KgKind from, to;
  Convert convert;
  const char *what;
} conversions[] = {
  { KG_NUMBER, KG_INTEGER, number_to_integer, N_ ("rounded to the nearest integer") },
  { KG_NUMBER, KG_BOOLEAN, number_to_boolean, N_ ("true unless zero") },
  { KG_NUMBER, KG_VECTOR, number_to_vector, N_ ("the number as x, y and z") },
  { KG_NUMBER, KG_COLOR, number_to_color, N_ ("an opaque grey") },
  { KG_NUMBER, KG_MOTION, number_to_motion, N_ ("a constant motion") },
  { KG_NUMBER, KG_FIELD, number_to_field, N_ ("the same everywhere") },
  { KG_NUMBER, KG_TEXT, number_to_text, N_ ("written with up to 15 digits") },
  { KG_INTEGER, KG_TEXT, integer_to_text, N_ ("written in digits") },
  { KG_BOOLEAN, KG_TEXT, boolean_to_text, N_ ("true or false") },
  { KG_VECTOR, KG_TEXT, vector_to_text, N_ ("its three numbers, with blanks between them") },
  { KG_INTEGER, KG_NUMBER, integer_to_number, N_ ("as a number") },
  { KG_BOOLEAN, KG_NUMBER, boolean_to_number, N_ ("1 for true, 0 for false") },
  { KG_VECTOR, KG_COLOR, vector_to_color, N_ ("x, y, z as red, green, blue; opaque") },
  { KG_VECTOR, KG_TRANSFORM, vector_to_transform, N_ ("a translation") },
  { KG_VECTOR, KG_FIELD, vector_to_field, N_ ("the same everywhere") },
  { KG_COLOR, KG_VECTOR, color_to_vector, N_ ("red, green, blue as x, y, z") },
  { KG_ROTATION, KG_TRANSFORM, rotation_to_transform, N_ ("as a transform") },
  { KG_TRANSFORM, KG_ROTATION, transform_to_rotation, N_ ("its rotation") },
  { KG_TRANSFORM, KG_VECTOR, transform_to_vector, N_ ("its translation") },
  { KG_GEOMETRY, KG_SCENE, geometry_to_scene, N_ ("one object with a light grey material") },
  { KG_NUMBER, KG_TABLE, number_to_table, N_ ("a table of one number") },
  { KG_TEXT, KG_TABLE, text_to_table, N_ ("the rows of numbers that are typed in it") },
  { KG_VECTOR, KG_TABLE, vector_to_table, N_ ("one row: x, y, z") },
  { KG_TRANSFORM, KG_TABLE, transform_to_table, N_ ("its matrix, row by row") },
  { KG_TABLE, KG_TRANSFORM, table_to_transform, N_ ("the matrix with these rows") },
  { KG_GEOMETRY, KG_TABLE, geometry_to_table, N_ ("a row for each point: x, y, z") },
  { KG_TABLE, KG_GEOMETRY, table_to_geometry, N_ ("a point for each row: x, y, z") },
};

/* Integers and booleans go wherever numbers go, by way of the number. */
static bool
is_like_number (KgKind kind)
{
  return kind == KG_INTEGER || kind == KG_BOOLEAN;
}

static int
find (KgKind from, KgKind to)
{
  for (guint i = 0; i < G_N_ELEMENTS (conversions); i++)
    if (conversions[i].from == from && conversions[i].to == to)
      return (int) i;
  return -1;
}

static bool
is_same (KgKind from, KgKind to)
{
  return from == to || from == KG_ANY || to == KG_ANY || (from == KG_TEXT && to == KG_CHOICE) ||
         (from == KG_CHOICE && to == KG_TEXT);
}

bool
kg_kind_converts (KgKind from, KgKind to)
{
  return is_same (from, to) || find (from, to) >= 0 || (is_like_number (from) && find (KG_NUMBER, to) >= 0) ||
         (from == KG_INTEGER && to == KG_CHOICE);
}

const char *
kg_kind_get_conversion (KgKind from, KgKind to)
{
  int index;

  if (is_same (from, to))
    return NULL;
  if (from == KG_INTEGER && to == KG_CHOICE)
    return _ ("the choice with this index, counted from 0");
  index = find (from, to);
  if (index < 0 && is_like_number (from))
    index = find (KG_NUMBER, to);
  return index < 0 ? NULL : _ (conversions[index].what);
}

bool
kg_value_convert (const KgValue *value, KgKind to, KgValue *converted, GError **error)
{
  g_auto (KgValue) number = KG_VALUE_INIT;
  int index;

  if (is_same (value->kind, to)) {
    *converted = kg_value_copy (value);
    return true;
  }
  index = find (value->kind, to);
  if (index < 0 && is_like_number (value->kind)) {
    number = kg_value_number (value->kind == KG_INTEGER ? (double) value->integer : (double) value->boolean);
    value = &number;
    index = find (KG_NUMBER, to);
  }
  if (index < 0) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "a value of kind %s cannot be converted to %s",
                  kg_kind_get_name (value->kind), kg_kind_get_name (to));
    return false;
  }
  return conversions[index].convert (value, converted, error);
}
