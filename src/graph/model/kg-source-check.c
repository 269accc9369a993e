/* kg-source-check: whether an input may have a source: a constant, keys, an expression, a link or a list.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-edit-private.h"
#include "kg-job.h"
#include "kg-suggest.h"

#include <inttypes.h>

/* Without rows nothing tells how many columns without names there are. */
static bool
drop_unwritten_columns (KgValue *value, GError **error)
{
  KgTable *empty;

  if (value->kind != KG_TABLE || kg_table_get_n_rows (value->table) > 0 || kg_table_has_names (value->table) ||
      kg_table_get_n_columns (value->table) == 0)
    return true;
  empty = kg_table_new (0, NULL, 0, error);
  if (empty == NULL)
    return false;
  kg_value_clear (value);
  *value = kg_value_take (KG_TABLE, empty);
  return true;
}

/* Turns a constant into one that a file can hold and that reads back the same. */
static bool
make_writable (const KgSlot *slot, KgValue *value, GError **error)
{
  g_auto (KgValue) converted = KG_VALUE_INIT;
  const bool has_numbers = slot->kind == KG_MOTION || slot->kind == KG_FIELD;

  const bool is_table = slot->kind == KG_TABLE || slot->kind == KG_ANY;

  if ((value->kind >= KG_MOTION && !(is_table && value->kind == KG_TABLE)) ||
      (slot->kind >= KG_MOTION && slot->kind != KG_ANY && slot->kind != KG_TABLE && !has_numbers)) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s cannot be a constant: link a node that makes it",
                  kg_kind_get_phrase (slot->kind == KG_ANY ? value->kind : slot->kind));
    return false;
  }
  if (value->kind == KG_TEXT && !g_utf8_validate (value->text, -1, NULL)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the text is not UTF-8");
    return false;
  }
  if (value->kind == KG_INTEGER && ABS ((double) value->integer) > 9007199254740992.0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%" PRId64 ": an integer must be between -2^53 and 2^53",
                  value->integer);
    return false;
  }
  if ((slot->kind == KG_ANY && value->kind == KG_INTEGER) ||
      (has_numbers && !(slot->kind == KG_FIELD && value->kind == KG_VECTOR))) {
    if (!kg_value_convert (value, KG_NUMBER, &converted, error))
      return false;
  } else if (slot->kind == KG_ANY && value->kind == KG_ROTATION) {
    if (!kg_value_convert (value, KG_TRANSFORM, &converted, error))
      return false;
  } else
    return slot->kind != KG_ANY || drop_unwritten_columns (value, error);
  kg_value_clear (value);
  *value = converted;
  converted = (KgValue) KG_VALUE_INIT;
  return true;
}

static bool
is_vector_row (const KgTable *rows)
{
  return kg_table_get_n_rows (rows) == 1 && kg_table_get_n_columns (rows) == 3 && !kg_table_has_names (rows);
}

/* Checks a constant against a slot and turns it into what the slot stores. */
static bool
check_constant (const KgSlot *slot, KgValue *value, GError **error)
{
  g_auto (KgValue) converted = KG_VALUE_INIT;

  /* What is left of a vector when its last component is a number. */
  if (slot->kind == KG_VECTOR && value->kind == KG_TABLE && is_vector_row (value->table)) {
    const double *x = kg_table_get_row (value->table, 0);
    const KgVector vector = kg_vector (x[0], x[1], x[2]);

    kg_value_clear (value);
    *value = kg_value_vector (vector);
  }
  if (slot->kind == KG_CHOICE && !kg_slot_check_choice (slot, value, error))
    return false;
  if (!kg_value_check_finite (value, error) || !make_writable (slot, value, error))
    return false;
  if (slot->kind == KG_MOTION || slot->kind == KG_FIELD || slot->kind == KG_ANY)
    return true;
  if (slot->kind == KG_TABLE)
    return kg_slot_convert_table (slot, value, error) &&
           (slot->columns != NULL || drop_unwritten_columns (value, error));
  if (!kg_value_convert (value, slot->kind, &converted, error))
    return false;
  if (slot->kind == KG_ROTATION && !kg_rotation_make_unit (&converted.rotation, error))
    return false;
  kg_value_clear (value);
  *value = converted;
  converted = (KgValue) KG_VALUE_INIT;
  return true;
}

static bool
check_keys (const KgSlot *slot, const KgChannel *keys, GError **error)
{
  const guint width = kg_kind_get_width (slot->kind);
  const bool any_width = slot->kind == KG_MOTION;
  gsize n;
  const KgKey *list = kg_channel_get_keys (keys, &n);

  for (gsize i = 0; list != NULL && i < n; i++)
    if (fabs (list[i].at) > KG_GRAPH_MAX_FRAME) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "a key at %g: keys must be within ±10^9", list[i].at);
      return false;
    }
  if (slot->kind == KG_NUMBER || slot->kind == KG_INTEGER || slot->kind == KG_BOOLEAN || slot->kind == KG_VECTOR ||
      slot->kind == KG_COLOR || slot->kind == KG_ROTATION || any_width) {
    if (any_width || kg_channel_get_width (keys) == width)
      return true;
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "keys of %s have %u numbers each, not %u",
                  kg_kind_get_phrase (slot->kind), width, kg_channel_get_width (keys));
    return false;
  }
  kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s cannot be keyed: link a node that makes it",
                kg_kind_get_phrase (slot->kind));
  return false;
}

/* (transfer full) (nullable) */
static KgExpression *
check_expression (const KgSlot *slot, const char *text, GError **error)
{
  g_autoptr (KgExpression) expression = NULL;
  guint n, width = kg_kind_get_width (slot->kind);

  if (width == 0) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s cannot come from an expression: link a node that makes it",
                  kg_kind_get_phrase (slot->kind));
    return NULL;
  }
  expression = kg_expression_new (text, error);
  if (expression == NULL)
    return NULL;
  n = kg_expression_get_n_results (expression);
  if (n == 1 || n == width || (slot->kind == KG_COLOR && n == 3) || (slot->kind == KG_ANY && n == 3))
    return g_steal_pointer (&expression);
  kg_set_error (error, KG_ERROR_EXPRESSION, "%s needs %u results separated by commas, not %u",
                kg_kind_get_phrase (slot->kind), width, n);
  kg_prefix_column (error, 1);
  return NULL;
}

/* A node alone means its first output. */
static bool
complete_link (const KgNode *from, KgSource *link)
{
  guint i = 0;

  while (i < from->n_slots && from->slots[i].role != KG_SLOT_OUTPUT)
    i++;
  if (i == from->n_slots)
    return false;
  {
    char *text = g_strdup_printf ("%s.%s", from->name, from->slots[i].name);

    g_free (link->text);
    link->text = text;
  }
  return true;
}

/* Finds what a link reads. */
static bool
check_link (KgGraph *graph, KgSource *link, KgWire *wire, GError **error)
{
  const char *dot = strchr (link->text, '.');
  g_autofree char *name = dot != NULL ? g_strndup (link->text, (gsize) (dot - link->text)) : g_strdup (link->text);
  const KgNode *from = kg_graph_find (graph, name);
  g_autofree char *hint = NULL;
  g_autoptr (GString) names = NULL;

  if (!g_utf8_validate (link->text, -1, NULL) || (dot == NULL && from != NULL && from->type == NULL)) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "\"%s\" is not a link: write node.output", link->text);
    return false;
  }
  if (from == NULL) {
    hint = kg_graph_suggest_node (graph, name);
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "unknown node \"%s\"%s", name, hint);
    return false;
  }
  if (dot == NULL && complete_link (from, link))
    dot = strchr (link->text, '.');
  if (dot == NULL) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s cannot be linked: it has no outputs at all", name);
    return false;
  }
  if (kg_graph_resolve (graph, name, dot + 1, wire) && wire->reads_output)
    return true;
  names = g_string_new (NULL);
  for (guint i = 0; i < from->n_slots; i++)
    if (from->slots[i].role == KG_SLOT_OUTPUT)
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", from->slots[i].name);
  hint = kg_node_suggest_slot (from, dot + 1, KG_SLOT_OUTPUT);
  if (names->len == 0)
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s has no output \"%s\": it has no outputs at all", name, dot + 1);
  else
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s has no output \"%s\" (it has: %s)%s", name, dot + 1, names->str,
                  hint);
  return false;
}

static bool
check_list (KgGraph *graph, const KgSlot *slot, KgSource *source, bool kinds, KgWire *wires, GError **error)
{
  if (source->list.n > KG_SOURCE_MAX_ITEMS) {
    kg_set_error (error, KG_ERROR_LIMIT, "a list can have at most %d items", KG_SOURCE_MAX_ITEMS);
    return false;
  }
  for (guint i = 0; i < source->list.n; i++) {
    KgSource *item = &source->list.items[i];
    bool good;

    if (item->kind == KG_SOURCE_LINK)
      good = check_link (graph, item, &wires[i], error) && (!kinds || kg_wire_check_kind (&wires[i], slot, error));
    else if (item->kind == KG_SOURCE_CONSTANT)
      good = check_constant (slot, &item->constant, error);
    else {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "a list takes only links and constants: use a value node");
      good = false;
    }
    if (!good) {
      kg_prefix_error (error, "item %u: ", i);
      return false;
    }
  }
  return true;
}

/* Appends the wires that an expression would have; unknown names leave gaps. */
static void
add_expression_wires (KgGraph *graph, const KgExpression *expression, GArray *wires)
{
  for (guint i = 0; i < kg_expression_get_n_references (expression); i++) {
    const KgReference *reference = kg_expression_get_reference (expression, i);
    KgWire wire = { 0 };

    kg_graph_resolve (graph, reference->node, reference->slot, &wire);
    g_array_append_val (wires, wire);
  }
}

/* Tables. */

/* The column of the checked constants that a column of what was given became; -1: the input has none of it. */
static int
find_column (const KgTable *given, const KgTable *rows, guint column)
{
  if (kg_table_has_names (given) && kg_table_has_names (rows))
    return kg_table_find (rows, kg_table_get_name (given, column));
  return column < kg_table_get_n_columns (rows) ? (int) column : -1;
}

/* Checks the constants of a table, and puts its cells into the columns of the input; those of columns that it does not have
 * are dropped, as their constants are. */
static bool
check_rows (const KgSlot *slot, KgSource *source, GError **error)
{
  g_auto (KgValue) value = kg_value_take (KG_TABLE, kg_table_ref (source->table.rows));
  guint n = 0;

  if (source->table.n > KG_SOURCE_MAX_CELLS) {
    kg_set_error (error, KG_ERROR_LIMIT, "%u cells of a table are not constants: at most %d may be linked or computed",
                  source->table.n, KG_SOURCE_MAX_CELLS);
    return false;
  }
  if (!check_constant (slot, &value, error))
    return false;
  for (guint i = 0; i < source->table.n; i++) {
    KgCell cell = source->table.cells[i];
    const bool inside = cell.row < kg_table_get_n_rows (source->table.rows) &&
                        cell.column < kg_table_get_n_columns (source->table.rows);
    const int column = inside ? find_column (source->table.rows, value.table, cell.column) : -1;

    if (column < 0) {
      kg_source_clear (&cell.source);
      continue;
    }
    cell.column = (guint) column;
    source->table.cells[n++] = cell;
  }
  kg_table_unref (source->table.rows);
  *source = kg_source_table_take (kg_table_ref (value.table), n, source->table.cells);
  return true;
}

/* The row of a vector: the numbers of the components that are constants. */
static bool
check_components (const KgSource *source, GError **error)
{
  const KgTable *rows = source->table.rows;
  bool good = is_vector_row (rows);

  for (guint i = 0; good && i < 3; i++)
    good = isfinite (kg_table_get_row (rows, 0)[i]);
  for (guint i = 0; good && i < source->table.n; i++)
    good = source->table.cells[i].row == 0 && source->table.cells[i].column < 3;
  if (!good)
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "a vector is one row of three finite numbers");
  return good;
}

static bool
check_cell (KgGraph *graph, KgSource *source, bool kinds, GArray *wires, GError **error)
{
  const KgSlot *slot = kg_cell_get_slot ();
  g_autoptr (KgExpression) expression = NULL;
  KgWire wire;

  if (source->kind == KG_SOURCE_KEYS)
    return check_keys (slot, source->keys, error);
  if (source->kind != KG_SOURCE_EXPRESSION && source->kind != KG_SOURCE_LINK) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "a cell is a number, keys, an expression or a link");
    return false;
  }
  if (source->kind == KG_SOURCE_LINK &&
      (!check_link (graph, source, &wire, error) || (kinds && !kg_wire_check_kind (&wire, slot, error))))
    return false;
  expression = check_expression (slot, source->text, error);
  if (expression != NULL)
    add_expression_wires (graph, expression, wires);
  return expression != NULL;
}

static bool
check_table (KgGraph *graph, const KgSlot *slot, KgSource *source, bool kinds, GArray *wires, GError **error)
{
  if (slot->kind != KG_TABLE && slot->kind != KG_ANY && slot->kind != KG_VECTOR) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s cannot be a table", kg_kind_get_phrase (slot->kind));
    return false;
  }
  if (slot->kind == KG_VECTOR ? !check_components (source, error) : !check_rows (slot, source, error))
    return false;
  for (guint i = 0; source->kind == KG_SOURCE_TABLE && i < source->table.n; i++) {
    KgCell *cell = &source->table.cells[i];

    if (!check_cell (graph, &cell->source, kinds, wires, error)) {
      kg_cell_prefix_error (cell, slot, error);
      return false;
    }
  }
  return true;
}

KgSource
kg_source_normalize (const KgSlot *slot, const KgSource *source)
{
  if (slot->list && (source->kind == KG_SOURCE_CONSTANT || source->kind == KG_SOURCE_LINK))
    return kg_source_list (1, source);
  return kg_source_copy (source);
}

static bool
check_shape (const KgSlot *slot, const KgSource *source, GError **error)
{
  const char *message = NULL;

  if (slot->role != KG_SLOT_INPUT) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is not an input", slot->name);
    return false;
  }
  if (slot->fixed && source->kind > KG_SOURCE_CONSTANT)
    message = "this input takes a constant only";
  else if (slot->list && source->kind != KG_SOURCE_DEFAULT && source->kind != KG_SOURCE_LIST)
    message = "this input takes a list of links and constants";
  else if (!slot->list && source->kind == KG_SOURCE_LIST)
    message = "this input takes one value, not a list";
  else
    return true;
  g_set_error_literal (error, KG_ERROR, KG_ERROR_INVALID_VALUE, message);
  return false;
}

bool
kg_graph_check_source (KgGraph *graph, KgNode *node, guint index, KgSource *source, bool kinds,
                       KgExpression **expression, GError **error)
{
  const KgSlot *slot = &node->slots[index];
  g_autoptr (GArray) wires = g_array_new (FALSE, TRUE, sizeof (KgWire));
  KgKind kind;

  if (!check_shape (slot, source, error))
    return false;
  switch (source->kind) {
  case KG_SOURCE_CONSTANT:
    if (!check_constant (slot, &source->constant, error))
      return false;
    break;
  case KG_SOURCE_KEYS:
    if (!check_keys (slot, source->keys, error))
      return false;
    break;
  case KG_SOURCE_EXPRESSION:
    *expression = check_expression (slot, source->text, error);
    if (*expression == NULL)
      return false;
    add_expression_wires (graph, *expression, wires);
    break;
  case KG_SOURCE_LINK:
    g_array_set_size (wires, 1);
    if (!check_link (graph, source, (KgWire *) (void *) wires->data, error) ||
        (kinds && !kg_wire_check_kind ((const KgWire *) (void *) wires->data, slot, error)))
      return false;
    break;
  case KG_SOURCE_LIST:
    g_array_set_size (wires, MIN (source->list.n, KG_SOURCE_MAX_ITEMS));
    if (!check_list (graph, slot, source, kinds, (KgWire *) (void *) wires->data, error))
      return false;
    break;
  case KG_SOURCE_TABLE:
    if (!check_table (graph, slot, source, kinds, wires, error))
      return false;
    break;
  case KG_SOURCE_DEFAULT:
  default:
    break;
  }
  if (wires->len > 0 && !kg_graph_check_cycle (node, index, (const KgWire *) (void *) wires->data, wires->len, error))
    return false;
  if (!kinds || slot->kind != KG_ANY)
    return true;
  kind = kg_source_get_kind (source, (const KgWire *) (void *) wires->data);
  return kind == kg_node_get_slot_kind (node, index) || kg_node_check_kind_below (node, index, kind, NULL, error);
}
