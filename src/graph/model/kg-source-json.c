/* kg-source-json: sources as JSON, as in files.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-source.h"

/* Reading. */

static bool
read_number (const KgJson *json, double *number, const char *what, GError **error)
{
  if (kg_json_is (json, KG_JSON_NUMBER)) {
    *number = kg_json_get_number (json);
    return true;
  }
  kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "expected a number for %s, found %s", kg_translate (what),
                kg_json_kind_name (kg_json_get_kind (json)));
  return false;
}

/* One number, or an array of width (an unknown width, 0, is set by the first key). */
static bool
read_key_value (const KgJson *json, guint *width, double *value, const char *what, GError **error)
{
  const guint n = kg_json_is (json, KG_JSON_ARRAY) ? kg_json_get_n (json) : 1;

  if (*width == 0 && n >= 1 && n <= KG_CHANNEL_MAX_WIDTH)
    *width = n;
  if (n != *width) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s needs %u numbers, not %u", kg_translate (what), *width, n);
    return false;
  }
  if (!kg_json_is (json, KG_JSON_ARRAY))
    return read_number (json, value, what, error);
  for (guint i = 0; i < n; i++)
    if (!read_number (kg_json_get_item (json, i), &value[i], what, error))
      return false;
  return true;
}

static bool
read_nick (const KgJson *json, const char *const *nicks, guint *index, const char *what, GError **error)
{
  g_autofree char *all = g_strjoinv (", ", (char **) nicks);

  for (*index = 0; kg_json_is (json, KG_JSON_STRING) && nicks[*index] != NULL; (*index)++)
    if (g_str_equal (kg_json_get_string (json), nicks[*index]))
      return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s must be one of: %s", what, all);
  return false;
}

static bool
read_handle (const KgJson *json, guint width, KgHandle *handle, const char *what, GError **error)
{
  if (!kg_json_is (json, KG_JSON_ARRAY) || kg_json_get_n (json) != width + 1) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s must be an array of %u numbers: reach, then rise", what,
                  width + 1);
    return false;
  }
  if (!read_number (kg_json_get_item (json, 0), &handle->reach, what, error))
    return false;
  for (guint i = 0; i < width; i++)
    if (!read_number (kg_json_get_item (json, i + 1), &handle->rise[i], what, error))
      return false;
  return true;
}

static bool
read_key_member (const char *name, const KgJson *json, guint *width, KgKey *key, GError **error)
{
  double tcb[3];
  guint index, three = 3;

  if (g_str_equal (name, "frame"))
    return read_number (json, &key->at, "\"frame\"", error);
  if (g_str_equal (name, "value"))
    return read_key_value (json, width, key->value, "\"value\"", error);
  if (g_str_equal (name, "interpolation")) {
    if (!read_nick (json, kg_interpolation_nicks, &index, "\"interpolation\"", error))
      return false;
    key->interpolation = (KgInterpolation) index;
    return true;
  }
  if (g_str_equal (name, "tangents")) {
    if (!read_nick (json, kg_tangent_nicks, &index, "\"tangents\"", error))
      return false;
    key->tangents = (KgTangentMode) index;
    return true;
  }
  if (g_str_equal (name, "in"))
    return read_handle (json, MAX (*width, 1), &key->in, "\"in\"", error);
  if (g_str_equal (name, "out"))
    return read_handle (json, MAX (*width, 1), &key->out, "\"out\"", error);
  if (g_str_equal (name, "tcb")) {
    if (!read_key_value (json, &three, tcb, "\"tcb\"", error))
      return false;
    key->tension = tcb[0];
    key->continuity = tcb[1];
    key->bias = tcb[2];
    return true;
  }
  kg_set_error (error, KG_ERROR_INVALID_FILE,
                "unknown member \"%s\" in a key (known: frame, value, interpolation, tangents, in, out, tcb)", name);
  return false;
}

static bool
read_key (const KgJson *json, guint *width, KgKey *key, GError **error)
{
  const KgJson *value = kg_json_get (json, "value");

  kg_key_init (key, 0, 0);
  if (kg_json_is (json, KG_JSON_ARRAY) && kg_json_get_n (json) == 2)
    return read_number (kg_json_get_item (json, 0), &key->at, N_ ("the frame"), error) &&
           read_key_value (kg_json_get_item (json, 1), width, key->value, N_ ("the value"), error);
  if (!kg_json_is (json, KG_JSON_OBJECT) || value == NULL || kg_json_get (json, "frame") == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_FILE,
                  "a key is [frame, value] or an object with at least \"frame\" and \"value\"");
    return false;
  }
  /* The value first: it may set the width that the handles need. */
  if (!read_key_member ("value", value, width, key, error))
    return false;
  for (KgJsonIter member = kg_json_iterate (json); kg_json_next (&member);)
    if (!read_key_member (member.name, member.value, width, key, error))
      return false;
  return true;
}

static bool
read_keys (const KgJson *json, const KgSlot *slot, KgSource *source, GError **error)
{
  const KgJson *list = kg_json_get (json, "keys");
  guint width = slot->kind == KG_MOTION ? 0 : MAX (kg_kind_get_width (slot->kind), 1);
  guint before = 0, after = 0;
  g_autofree KgKey *keys = NULL;
  KgChannel *channel;

  if (!kg_json_is (list, KG_JSON_ARRAY)) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "\"keys\" must be an array, not %s",
                  kg_json_kind_name (kg_json_get_kind (list)));
    return false;
  }
  keys = g_new (KgKey, MAX (kg_json_get_n (list), 1));
  for (guint i = 0; i < kg_json_get_n (list); i++)
    if (!read_key (kg_json_get_item (list, i), &width, &keys[i], error)) {
      kg_prefix_error (error, "key %u: ", i);
      return false;
    }
  for (KgJsonIter member = kg_json_iterate (json); kg_json_next (&member);) {
    if (g_str_equal (member.name, "before")) {
      if (!read_nick (member.value, kg_extend_nicks, &before, "\"before\"", error))
        return false;
    } else if (g_str_equal (member.name, "after")) {
      if (!read_nick (member.value, kg_extend_nicks, &after, "\"after\"", error))
        return false;
    } else if (!g_str_equal (member.name, "keys")) {
      kg_set_error (error, KG_ERROR_INVALID_FILE, "unknown member \"%s\" next to \"keys\" (known: before, after)",
                    member.name);
      return false;
    }
  }
  channel = kg_channel_new_keys (width, slot->kind == KG_ROTATION, keys, kg_json_get_n (list), (KgExtend) before,
                                 (KgExtend) after, error);
  if (channel == NULL)
    return false;
  *source = kg_source_keys (channel);
  return true;
}

static bool
read_object (const KgJson *json, const KgSlot *slot, KgSource *source, GError **error)
{
  KgJsonIter only = kg_json_iterate (json);

  if (kg_json_get (json, "keys") != NULL)
    return read_keys (json, slot, source, error);
  if (!kg_json_next (&only) || kg_json_get_n (json) != 1 ||
      (!g_str_equal (only.name, "link") && !g_str_equal (only.name, "expr"))) {
    kg_set_error (error, KG_ERROR_INVALID_FILE,
                  "a source is a constant or an object with exactly one of \"link\", \"expr\", \"keys\"");
    return false;
  }
  if (!kg_json_is (only.value, KG_JSON_STRING)) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "\"%s\" must be a string, not %s", only.name,
                  kg_json_kind_name (kg_json_get_kind (only.value)));
    return false;
  }
  *source = g_str_equal (only.name, "link") ? kg_source_link (kg_json_get_string (only.value))
                                            : kg_source_expression (kg_json_get_string (only.value));
  return true;
}

static bool
read_constant (const KgJson *json, const KgSlot *slot, KgSource *source, GError **error)
{
  *source = (KgSource){ .kind = KG_SOURCE_CONSTANT, .constant = KG_VALUE_INIT };
  if (kg_value_from_json (json, slot->kind, &source->constant, error))
    return true;
  *source = (KgSource) KG_SOURCE_INIT;
  return false;
}

/* The only constants written as objects are tables with named columns. */
static bool
is_table (const KgJson *json, const KgSlot *slot)
{
  return (slot->kind == KG_TABLE || slot->kind == KG_ANY) && kg_json_get (json, "rows") != NULL;
}

/* Tables whose cells are no constants, and vectors whose components are none. */

static bool
has_sources (const KgJson *rows)
{
  for (guint i = 0; kg_json_is (rows, KG_JSON_ARRAY) && i < kg_json_get_n (rows); i++) {
    const KgJson *row = kg_json_get_item (rows, i);

    if (kg_json_is (row, KG_JSON_OBJECT))
      return true;
    for (guint k = 0; kg_json_is (row, KG_JSON_ARRAY) && k < kg_json_get_n (row); k++)
      if (kg_json_is (kg_json_get_item (row, k), KG_JSON_OBJECT))
        return true;
  }
  return false;
}

/* (transfer full) (nullable) A cell as it is left for the constants: its number, or 0 for a source, which is appended to
 * cells. */
static KgJson *
take_cell (const KgJson *json, guint row, guint column, GArray *cells, GError **error)
{
  KgCell cell = { row, column, KG_SOURCE_INIT };

  if (!kg_json_is (json, KG_JSON_OBJECT))
    return kg_json_copy (json);
  if (!read_object (json, kg_cell_get_slot (), &cell.source, error)) {
    kg_prefix_error (error, "row %u of the table, column %u: ", row + 1, column + 1);
    return NULL;
  }
  g_array_append_val (cells, cell);
  return kg_json_new_number (0);
}

/* (transfer full) (nullable) */
static KgJson *
take_cells (const KgJson *rows, GArray *cells, GError **error)
{
  g_autoptr (KgJson) numbers = kg_json_new (KG_JSON_ARRAY);

  for (guint i = 0; i < kg_json_get_n (rows); i++) {
    const KgJson *row = kg_json_get_item (rows, i);
    const bool is_array = kg_json_is (row, KG_JSON_ARRAY);
    g_autoptr (KgJson) left = is_array ? kg_json_new (KG_JSON_ARRAY) : take_cell (row, i, 0, cells, error);

    if (left == NULL)
      return NULL;
    for (guint k = 0; is_array && k < kg_json_get_n (row); k++) {
      KgJson *number = take_cell (kg_json_get_item (row, k), i, k, cells, error);

      if (number == NULL)
        return NULL;
      kg_json_append (left, number);
    }
    kg_json_append (numbers, g_steal_pointer (&left));
  }
  return g_steal_pointer (&numbers);
}

static void
clear_cell (gpointer data)
{
  kg_source_clear (&((KgCell *) data)->source);
}

static bool
read_table (const KgJson *json, KgSource *source, GError **error)
{
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (KgCell));
  const bool named = kg_json_is (json, KG_JSON_OBJECT);
  g_autoptr (KgJson) numbers = take_cells (named ? kg_json_get (json, "rows") : json, cells, error), whole = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;

  g_array_set_clear_func (cells, clear_cell);
  if (numbers == NULL)
    return false;
  if (named) {
    whole = kg_json_copy (json);
    kg_json_set (whole, "rows", g_steal_pointer (&numbers));
  }
  if (!kg_value_from_json (named ? whole : numbers, KG_TABLE, &value, error))
    return false;
  *source = kg_source_table (value.table, cells->len, (const KgCell *) (void *) cells->data);
  return true;
}

/* [x, y, z], or [x, y]: each a number or a source. */
static bool
read_components (const KgJson *json, KgSource *source, GError **error)
{
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (KgCell));
  g_autoptr (KgTable) rows = NULL;
  const guint n = kg_json_get_n (json);
  double *x;

  g_array_set_clear_func (cells, clear_cell);
  if (n != 2 && n != 3) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "a vector has 2 or 3 components, not %u", n);
    return false;
  }
  rows = kg_table_new (3, NULL, 1, error);
  if (rows == NULL)
    return false;
  x = kg_table_edit (rows);
  for (guint i = 0; i < n; i++) {
    const KgJson *item = kg_json_get_item (json, i);
    KgCell cell = { 0, i, KG_SOURCE_INIT };

    if (!kg_json_is (item, KG_JSON_OBJECT) ? !read_number (item, &x[i], N_ ("a component"), error)
                                           : !read_object (item, kg_cell_get_slot (), &cell.source, error)) {
      kg_prefix_error (error, "component %u: ", i + 1);
      return false;
    }
    if (cell.source.kind != KG_SOURCE_DEFAULT)
      g_array_append_val (cells, cell);
  }
  *source = kg_source_table (rows, cells->len, (const KgCell *) (void *) cells->data);
  return true;
}

static bool
has_component_source (const KgJson *json)
{
  for (guint i = 0; kg_json_is (json, KG_JSON_ARRAY) && i < kg_json_get_n (json); i++)
    if (kg_json_is (kg_json_get_item (json, i), KG_JSON_OBJECT))
      return true;
  return false;
}

static bool
read_list (const KgJson *json, const KgSlot *slot, KgSource *source, GError **error)
{
  *source = (KgSource){ .kind = KG_SOURCE_LIST };
  source->list.items = g_new0 (KgSource, MAX (kg_json_get_n (json), 1));
  for (guint i = 0; i < kg_json_get_n (json); i++) {
    const KgJson *item = kg_json_get_item (json, i);
    const bool good = kg_json_is (item, KG_JSON_OBJECT) && !is_table (item, slot)
                          ? read_object (item, slot, &source->list.items[i], error)
                          : read_constant (item, slot, &source->list.items[i], error);

    source->list.n = i + 1;
    if (!good) {
      kg_prefix_error (error, "item %u: ", i);
      kg_source_clear (source);
      return false;
    }
  }
  return true;
}

bool
kg_source_from_json (const KgJson *json, const KgSlot *slot, KgSource *source, GError **error)
{
  *source = (KgSource) KG_SOURCE_INIT;
  if (!slot->list && ((is_table (json, slot) && has_sources (kg_json_get (json, "rows"))) ||
                      ((slot->kind == KG_TABLE || slot->kind == KG_ANY) && has_sources (json))))
    return read_table (json, source, error);
  if (!slot->list && slot->kind == KG_VECTOR && has_component_source (json))
    return read_components (json, source, error);
  if (kg_json_is (json, KG_JSON_OBJECT) && !is_table (json, slot))
    return read_object (json, slot, source, error);
  if (slot->list && kg_json_is (json, KG_JSON_ARRAY))
    return read_list (json, slot, source, error);
  return read_constant (json, slot, source, error);
}

/* Writing. */

static void
write_key_value (const double *value, guint width, GString *out)
{
  if (width > 1)
    g_string_append_c (out, '[');
  for (guint i = 0; i < width; i++) {
    if (i > 0)
      g_string_append (out, ", ");
    kg_json_write_number (value[i], out);
  }
  if (width > 1)
    g_string_append_c (out, ']');
}

static void
write_handle (const char *name, const KgHandle *handle, guint width, GString *out)
{
  g_string_append_printf (out, ", \"%s\": [", name);
  kg_json_write_number (handle->reach, out);
  for (guint i = 0; i < width; i++) {
    g_string_append (out, ", ");
    kg_json_write_number (handle->rise[i], out);
  }
  g_string_append_c (out, ']');
}

static bool
has_handle (const KgHandle *handle)
{
  return handle->reach != 0 || handle->rise[0] != 0 || handle->rise[1] != 0 || handle->rise[2] != 0 ||
         handle->rise[3] != 0;
}

static void
write_key (const KgKey *key, guint width, GString *out)
{
  const bool tcb = key->tension != 0 || key->continuity != 0 || key->bias != 0;
  const double tcb_values[] = { key->tension, key->continuity, key->bias };
  const bool plain = key->interpolation == KG_INTERPOLATE_LINEAR && key->tangents == KG_TANGENT_AUTO &&
                     !has_handle (&key->in) && !has_handle (&key->out) && !tcb;

  g_string_append (out, plain ? "[" : "{\"frame\": ");
  kg_json_write_number (key->at, out);
  g_string_append (out, plain ? ", " : ", \"value\": ");
  write_key_value (key->value, width, out);
  if (plain) {
    g_string_append_c (out, ']');
    return;
  }
  if (key->interpolation != KG_INTERPOLATE_LINEAR)
    g_string_append_printf (out, ", \"interpolation\": \"%s\"", kg_interpolation_nicks[key->interpolation]);
  if (key->tangents != KG_TANGENT_AUTO)
    g_string_append_printf (out, ", \"tangents\": \"%s\"", kg_tangent_nicks[key->tangents]);
  if (has_handle (&key->in))
    write_handle ("in", &key->in, width, out);
  if (has_handle (&key->out))
    write_handle ("out", &key->out, width, out);
  if (tcb) {
    g_string_append (out, ", \"tcb\": ");
    write_key_value (tcb_values, 3, out);
  }
  g_string_append_c (out, '}');
}

static void
write_keys (const KgChannel *channel, GString *out)
{
  KgExtend before, after;
  gsize n;
  const KgKey *keys = kg_channel_get_keys (channel, &n);

  g_string_append (out, "{\"keys\": [");
  for (gsize i = 0; i < n; i++) {
    if (i > 0)
      g_string_append (out, ", ");
    write_key (&keys[i], kg_channel_get_width (channel), out);
  }
  g_string_append_c (out, ']');
  kg_channel_get_extend (channel, &before, &after);
  if (before != KG_EXTEND_HOLD)
    g_string_append_printf (out, ", \"before\": \"%s\"", kg_extend_nicks[before]);
  if (after != KG_EXTEND_HOLD)
    g_string_append_printf (out, ", \"after\": \"%s\"", kg_extend_nicks[after]);
  g_string_append_c (out, '}');
}

static void
write_cell (gpointer data, size_t row, guint column, GString *out)
{
  const KgSource *cell = kg_source_get_cell ((const KgSource *) data, (guint) row, column);

  if (cell != NULL)
    kg_source_write_json (cell, kg_cell_get_slot (), out);
  else
    kg_table_write_cell (((const KgSource *) data)->table.rows, row, column, out);
}

static void
write_components (const KgSource *source, GString *out)
{
  for (guint i = 0; i < kg_table_get_n_columns (source->table.rows); i++) {
    g_string_append (out, i > 0 ? ", " : "[");
    write_cell ((gpointer) source, 0, i, out);
  }
  g_string_append_c (out, ']');
}

void
kg_source_write_json (const KgSource *source, const KgSlot *slot, GString *out)
{
  switch (source->kind) {
  case KG_SOURCE_CONSTANT:
    /* The declaration names the columns. */
    if (slot->columns != NULL && source->constant.kind == KG_TABLE)
      kg_table_write_json (source->constant.table, KG_TABLE_PLAIN, NULL, NULL, out);
    else if (slot->kind == KG_ANY && source->constant.kind == KG_TABLE)
      kg_table_write_json (source->constant.table, KG_TABLE_NAMED | KG_TABLE_APART, NULL, NULL, out);
    else
      kg_value_write_json (&source->constant, out);
    break;
  case KG_SOURCE_KEYS:
    write_keys (source->keys, out);
    break;
  case KG_SOURCE_EXPRESSION:
  case KG_SOURCE_LINK:
    g_string_append (out, source->kind == KG_SOURCE_LINK ? "{\"link\": " : "{\"expr\": ");
    kg_json_write_string (source->text, out);
    g_string_append_c (out, '}');
    break;
  case KG_SOURCE_LIST:
    g_string_append_c (out, '[');
    for (guint i = 0; i < source->list.n; i++) {
      if (i > 0)
        g_string_append (out, ", ");
      kg_source_write_json (&source->list.items[i], slot, out);
    }
    g_string_append_c (out, ']');
    break;
  case KG_SOURCE_TABLE:
    if (slot->kind == KG_VECTOR)
      write_components (source, out);
    else
      kg_table_write_json (source->table.rows, slot->columns == NULL ? KG_TABLE_NAMED : KG_TABLE_PLAIN, write_cell,
                           (gpointer) source, out);
    break;
  case KG_SOURCE_DEFAULT:
  default:
    g_string_append (out, "null");
    break;
  }
}

KgJson *
kg_source_to_json (const KgSource *source, const KgSlot *slot)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  KgJson *json;

  kg_source_write_json (source, slot, text);
  json = kg_json_parse (text->str, -1, problems);
  return json != NULL ? json : kg_json_new (KG_JSON_NULL);
}
