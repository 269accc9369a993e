/* kg-source: building, copying and comparing sources.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-source.h"

#include "kg-expression.h"

#include <stdlib.h>

KgSource
kg_source_constant (const KgValue *value)
{
  return (KgSource){ .kind = KG_SOURCE_CONSTANT, .constant = kg_value_copy (value) };
}

KgSource
kg_source_keys (KgChannel *keys)
{
  return (KgSource){ .kind = KG_SOURCE_KEYS, .keys = keys };
}

KgSource
kg_source_expression (const char *text)
{
  return (KgSource){ .kind = KG_SOURCE_EXPRESSION, .text = g_strdup (text) };
}

KgSource
kg_source_link (const char *target)
{
  return (KgSource){ .kind = KG_SOURCE_LINK, .text = g_strdup (target) };
}

KgSource
kg_source_list (guint n, const KgSource *items)
{
  KgSource source = { .kind = KG_SOURCE_LIST };

  source.list.n = n;
  source.list.items = g_new0 (KgSource, n);
  for (guint i = 0; i < n; i++)
    source.list.items[i] = kg_source_copy (&items[i]);
  return source;
}

/* Tables. */

static int
compare_cells (const void *a, const void *b)
{
  const KgCell *x = (const KgCell *) a, *y = (const KgCell *) b;

  return x->row != y->row ? (x->row > y->row) - (x->row < y->row) : (x->column > y->column) - (x->column < y->column);
}

static void
clear_cells (KgCell *cells, guint n)
{
  for (guint i = 0; i < n; i++)
    kg_source_clear (&cells[i].source);
  g_free (cells);
}

KgSource
kg_source_table_take (KgTable *rows, guint n, KgCell *cells)
{
  if (n == 0) {
    g_free (cells);
    return (KgSource){ .kind = KG_SOURCE_CONSTANT, .constant = kg_value_take (KG_TABLE, rows) };
  }
  qsort (cells, n, sizeof *cells, compare_cells);
  return (KgSource){ .kind = KG_SOURCE_TABLE, .table = { rows, n, cells } };
}

KgSource
kg_source_table (const KgTable *rows, guint n, const KgCell *cells)
{
  KgCell *copies = g_new (KgCell, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    copies[i] = (KgCell){ cells[i].row, cells[i].column, kg_source_copy (&cells[i].source) };
  return kg_source_table_take (kg_table_ref (rows), n, copies);
}

const KgSource *
kg_source_get_cell (const KgSource *source, guint row, guint column)
{
  const KgCell wanted = { .row = row, .column = column };
  const KgCell *cell;

  if (source->kind != KG_SOURCE_TABLE)
    return NULL;
  cell = (const KgCell *) bsearch (&wanted, source->table.cells, source->table.n, sizeof wanted, compare_cells);
  return cell != NULL ? &cell->source : NULL;
}

const KgTable *
kg_source_get_rows (const KgSource *source)
{
  if (source->kind == KG_SOURCE_TABLE)
    return source->table.rows;
  return source->kind == KG_SOURCE_CONSTANT && source->constant.kind == KG_TABLE ? source->constant.table : NULL;
}

bool
kg_source_set_cell (KgSource *source, guint row, guint column, const KgSource *cell, GError **error)
{
  const bool moves = cell->kind == KG_SOURCE_KEYS || cell->kind == KG_SOURCE_EXPRESSION || cell->kind == KG_SOURCE_LINK;
  const guint n_old = source->kind == KG_SOURCE_TABLE ? source->table.n : 0;
  g_autofree KgCell *cells = g_new (KgCell, n_old + 1);
  g_autoptr (KgTable) rows = kg_table_copy (kg_source_get_rows (source), error);
  double x = 0;
  guint n = 0;
  KgSource with;

  if (rows == NULL)
    return false;
  for (guint i = 0; i < n_old; i++)
    if (source->table.cells[i].row != row || source->table.cells[i].column != column)
      cells[n++] = source->table.cells[i];
  if (moves)
    cells[n++] = (KgCell){ row, column, *cell };
  else if (cell->kind == KG_SOURCE_CONSTANT)
    kg_value_get_component (&cell->constant, NULL, &x);
  kg_table_edit (rows)[(size_t) row * kg_table_get_n_columns (rows) + column] = x;
  with = kg_source_table (rows, n, cells);
  kg_source_clear (source);
  *source = with;
  return true;
}

/* Vectors. */

const char *
kg_slot_get_component (const KgSlot *slot, guint index)
{
  static const char *const names[] = { "x", "y", "z" };

  return slot->kind == KG_VECTOR && index < G_N_ELEMENTS (names) ? names[index] : NULL;
}

void
kg_cell_prefix_error (const KgCell *cell, const KgSlot *slot, GError **error)
{
  if (slot->kind == KG_VECTOR)
    g_prefix_error (error, "%s: ", kg_slot_get_component (slot, cell->column));
  else
    kg_prefix_error (error, "row %u of the table, column %u: ", cell->row + 1, cell->column + 1);
}

/* The keys of one component: a curve of its own, of the same shape. */
static KgChannel *
get_component_keys (const KgChannel *keys, guint index, GError **error)
{
  KgExtend before, after;
  gsize n;
  const KgKey *all = kg_channel_get_keys (keys, &n);
  g_autofree KgKey *own = g_new (KgKey, MAX (n, 1));

  kg_channel_get_extend (keys, &before, &after);
  for (gsize i = 0; i < n; i++) {
    own[i] = all[i];
    own[i].value[0] = all[i].value[index];
    own[i].in.rise[0] = all[i].in.rise[index];
    own[i].out.rise[0] = all[i].out.rise[index];
    for (guint k = 1; k < KG_CHANNEL_MAX_WIDTH; k++)
      own[i].value[k] = own[i].in.rise[k] = own[i].out.rise[k] = 0;
  }
  return kg_channel_new_keys (1, false, own, n, before, after, error);
}

/* (transfer full) (nullable) The three parts between the commas of an expression; NULL: it has no such parts. */
static char **
divide_expression (const char *text)
{
  g_autoptr (GStrvBuilder) parts = g_strv_builder_new ();
  const char *begin = text;
  int depth = 0;
  guint n = 0;

  for (const char *at = text;; at++) {
    if (*at == '(' || *at == '[')
      depth++;
    else if (*at == ')' || *at == ']')
      depth--;
    if (*at != '\0' && (*at != ',' || depth > 0))
      continue;
    {
      g_autofree char *part = g_strstrip (g_strndup (begin, (gsize) (at - begin)));
      g_autoptr (KgExpression) expression = kg_expression_new (part, NULL);

      if (expression == NULL || kg_expression_get_n_results (expression) != 1)
        return NULL;
      g_strv_builder_add (parts, part);
      n++;
    }
    if (*at == '\0')
      return n == 3 ? g_strv_builder_end (parts) : NULL;
    begin = at + 1;
  }
}

bool
kg_source_split (KgSource *source, GError **error)
{
  g_autoptr (KgTable) rows = NULL;
  g_auto (GStrv) parts = NULL;
  KgCell cells[3] = { 0 };
  double *x;

  if (source->kind == KG_SOURCE_TABLE)
    return true;
  if (source->kind == KG_SOURCE_EXPRESSION)
    parts = divide_expression (source->text);
  if (source->kind == KG_SOURCE_LINK) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the whole vector is linked: remove the link to set a component");
    return false;
  }
  if (parts == NULL && source->kind != KG_SOURCE_CONSTANT && source->kind != KG_SOURCE_KEYS) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the whole vector is one value that is computed: reset the input to set a component");
    return false;
  }
  rows = kg_table_new (3, NULL, 1, error);
  if (rows == NULL)
    return false;
  x = kg_table_edit (rows);
  if (source->kind == KG_SOURCE_CONSTANT) {
    g_auto (KgValue) value = KG_VALUE_INIT;

    if (!kg_value_convert (&source->constant, KG_VECTOR, &value, error))
      return false;
    for (guint i = 0; i < 3; i++)
      x[i] = kg_vector_get (value.vector, i);
  }
  for (guint i = 0; i < 3 && source->kind != KG_SOURCE_CONSTANT; i++) {
    cells[i].column = i;
    if (parts != NULL)
      cells[i].source = kg_source_expression (parts[i]);
    else {
      KgChannel *keys = get_component_keys (source->keys, i, error);

      if (keys == NULL) {
        for (guint k = 0; k < i; k++)
          kg_source_clear (&cells[k].source);
        return false;
      }
      cells[i].source = kg_source_keys (keys);
    }
  }
  {
    const guint n = source->kind != KG_SOURCE_CONSTANT ? 3 : 0;

    kg_source_clear (source);
    *source = kg_source_table_take (g_steal_pointer (&rows), n, g_memdup2 (cells, sizeof cells));
  }
  return true;
}

const KgSlot *
kg_cell_get_slot (void)
{
  static const KgSlot slot = {
    .name = "cell", .label = N_ ("Cell"), .help = N_ ("A cell of a table."), .kind = KG_NUMBER, .role = KG_SLOT_INPUT
  };

  return &slot;
}

KgSource
kg_source_copy (const KgSource *source)
{
  switch (source->kind) {
  case KG_SOURCE_CONSTANT:
    return kg_source_constant (&source->constant);
  case KG_SOURCE_KEYS:
    return kg_source_keys (kg_channel_ref (source->keys));
  case KG_SOURCE_EXPRESSION:
    return kg_source_expression (source->text);
  case KG_SOURCE_LINK:
    return kg_source_link (source->text);
  case KG_SOURCE_LIST:
    return kg_source_list (source->list.n, source->list.items);
  case KG_SOURCE_TABLE:
    return kg_source_table (source->table.rows, source->table.n, source->table.cells);
  case KG_SOURCE_DEFAULT:
  default:
    return (KgSource) KG_SOURCE_INIT;
  }
}

void
kg_source_clear (KgSource *source)
{
  switch (source->kind) {
  case KG_SOURCE_CONSTANT:
    kg_value_clear (&source->constant);
    break;
  case KG_SOURCE_KEYS:
    kg_channel_unref (source->keys);
    break;
  case KG_SOURCE_EXPRESSION:
  case KG_SOURCE_LINK:
    g_free (source->text);
    break;
  case KG_SOURCE_LIST:
    /* Items and cells are never lists or tables themselves, so this goes one level deep. */
    for (guint i = 0; i < source->list.n; i++)
      kg_source_clear (&source->list.items[i]);
    g_free (source->list.items);
    break;
  case KG_SOURCE_TABLE:
    clear_cells (source->table.cells, source->table.n);
    kg_table_unref (source->table.rows);
    break;
  case KG_SOURCE_DEFAULT:
  default:
    break;
  }
  *source = (KgSource) KG_SOURCE_INIT;
}

bool
kg_source_equal (const KgSource *a, const KgSource *b)
{
  if (a->kind != b->kind)
    return false;
  switch (a->kind) {
  case KG_SOURCE_CONSTANT:
    return kg_value_equal (&a->constant, &b->constant);
  case KG_SOURCE_KEYS:
    return kg_channel_equal (a->keys, b->keys);
  case KG_SOURCE_EXPRESSION:
  case KG_SOURCE_LINK:
    return g_str_equal (a->text, b->text);
  case KG_SOURCE_LIST:
    if (a->list.n != b->list.n)
      return false;
    for (guint i = 0; i < a->list.n; i++)
      if (!kg_source_equal (&a->list.items[i], &b->list.items[i]))
        return false;
    return true;
  case KG_SOURCE_TABLE:
    if (a->table.n != b->table.n)
      return false;
    for (guint i = 0; i < a->table.n; i++)
      if (compare_cells (&a->table.cells[i], &b->table.cells[i]) != 0 ||
          !kg_source_equal (&a->table.cells[i].source, &b->table.cells[i].source))
        return false;
    return kg_table_equal (a->table.rows, b->table.rows);
  case KG_SOURCE_DEFAULT:
  default:
    return true;
  }
}

guint
kg_kind_get_width (KgKind kind)
{
  static const guint widths[KG_N_KINDS] = {
    [KG_NUMBER] = 1,   [KG_INTEGER] = 1, [KG_BOOLEAN] = 1,   [KG_CHOICE] = 1, [KG_VECTOR] = 3, [KG_COLOR] = 4,
    [KG_ROTATION] = 4, [KG_MOTION] = 4,  [KG_TRANSFORM] = 3, [KG_FIELD] = 3,  [KG_ANY] = 4
  };

  return kind < KG_N_KINDS ? widths[kind] : 0;
}
