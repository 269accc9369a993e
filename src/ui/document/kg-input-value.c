/* kg-input-value: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-input-value.h"

#include "config.h"
#include "kg-input-table.h"

#include "kg-job.h"

#include <glib/gi18n.h>
#include <string.h>

/* Frames nearer than this are one. */
#define SAME_FRAME 1e-6

/* The numbers of a value that keys can hold; 0 for kinds that have none. */
static guint
get_numbers (const KgValue *value, double x[KG_CHANNEL_MAX_WIDTH])
{
  switch (value->kind) {
  case KG_NUMBER:
    x[0] = value->number;
    return 1;
  case KG_INTEGER:
    x[0] = (double) value->integer;
    return 1;
  case KG_BOOLEAN:
    x[0] = value->boolean;
    return 1;
  case KG_VECTOR:
    x[0] = value->vector.x;
    x[1] = value->vector.y;
    x[2] = value->vector.z;
    return 3;
  case KG_COLOR:
    x[0] = value->color.r;
    x[1] = value->color.g;
    x[2] = value->color.b;
    x[3] = value->color.a;
    return 4;
  case KG_ROTATION:
    x[0] = value->rotation.w;
    x[1] = value->rotation.x;
    x[2] = value->rotation.y;
    x[3] = value->rotation.z;
    return 4;
  default:
    return 0;
  }
}

static KgValue
make_value (KgKind kind, const double *x)
{
  switch (kind) {
  case KG_INTEGER:
    return kg_value_integer ((int64_t) nearbyint (x[0]));
  case KG_BOOLEAN:
    return kg_value_boolean (x[0] >= 0.5);
  case KG_VECTOR:
    return kg_value_vector (kg_vector (x[0], x[1], x[2]));
  case KG_COLOR:
    return kg_value_color ((KgColor){ x[0], x[1], x[2], x[3] });
  case KG_ROTATION:
    return kg_value_rotation ((KgRotation){ x[0], x[1], x[2], x[3] });
  case KG_NUMBER:
  default:
    return kg_value_number (x[0]);
  }
}

const KgSource *
kg_input_get_source (KgNode *node, guint slot)
{
  KgNode *inner;
  guint input;

  return kg_node_find_inner_default (node, slot, &inner, &input) ? kg_node_get_source (inner, input)
                                                                 : kg_node_get_source (node, slot);
}

bool
kg_input_has_cells (KgNode *node, guint slot)
{
  return kg_input_get_source (node, slot)->kind == KG_SOURCE_TABLE;
}

/* Cells have keys of their own. */
static bool
keys_cells (KgNode *node, guint slot)
{
  return kg_node_get_slot (node, slot)->kind == KG_TABLE || kg_input_has_cells (node, slot);
}

static bool
get_rows (KgNode *node, guint slot, double frame, KgValue *value)
{
  bool known;
  g_autoptr (KgTable) rows = kg_input_dup_rows (node, slot, frame, &known);

  if (known && kg_node_get_slot (node, slot)->kind == KG_VECTOR)
    *value = make_value (KG_VECTOR, kg_table_get_row (rows, 0));
  else if (known)
    *value = kg_value_take (KG_TABLE, g_steal_pointer (&rows));
  return known;
}

bool
kg_input_get_value (KgNode *node, guint slot, double frame, KgValue *value)
{
  const KgSource *source = kg_input_get_source (node, slot);
  const KgSlot *declared = kg_node_get_slot (node, slot);
  double x[KG_CHANNEL_MAX_WIDTH] = { 0, 0, 0, 1 };

  switch (source->kind) {
  case KG_SOURCE_CONSTANT:
    /* The file may say 1 where a vector is declared. */
    return declared->kind == KG_ANY || declared->kind == KG_CHOICE || source->constant.kind == declared->kind
               ? (*value = kg_value_copy (&source->constant), true)
               : kg_value_convert (&source->constant, declared->kind, value, NULL);
  case KG_SOURCE_DEFAULT:
    return !declared->list && kg_slot_get_default (declared, value);
  case KG_SOURCE_KEYS:
    if (declared->kind == KG_MOTION)
      return false;
    kg_channel_evaluate (source->keys, frame, x);
    *value = make_value (declared->kind, x);
    return true;
  case KG_SOURCE_TABLE:
    return get_rows (node, slot, frame, value);
  case KG_SOURCE_EXPRESSION:
  case KG_SOURCE_LINK:
  case KG_SOURCE_LIST:
  default:
    return false;
  }
}

/* (transfer full) */
static char *
dup_components (KgNode *node, guint slot, double frame)
{
  const KgSource *source = kg_input_get_source (node, slot);
  g_autoptr (GString) text = g_string_new (NULL);
  bool known;
  g_autoptr (KgTable) rows = kg_input_dup_rows (node, slot, frame, &known);

  for (guint i = 0; rows != NULL && i < 3; i++) {
    const KgSource *cell = kg_source_get_cell (source, 0, i);

    if (i > 0)
      g_string_append (text, ", ");
    if (cell != NULL && cell->kind != KG_SOURCE_KEYS)
      g_string_append (text, cell->text);
    else
      kg_json_write_number (kg_table_get_row (rows, 0)[i], text);
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
kg_input_dup_expression (KgNode *node, guint slot, double frame)
{
  g_autoptr (GString) text = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  double x[KG_CHANNEL_MAX_WIDTH] = { 0 };
  guint n = 0;

  if (kg_node_get_slot (node, slot)->kind == KG_VECTOR && kg_input_has_cells (node, slot))
    return dup_components (node, slot, frame);
  text = g_string_new (NULL);
  if (kg_input_get_value (node, slot, frame, &value)) {
    n = get_numbers (&value, x);
    if (n == 0 && kg_value_get_component (&value, NULL, x))
      n = 1;
  }
  for (guint i = 0; i < MAX (n, 1); i++) {
    if (i > 0)
      g_string_append (text, ", ");
    kg_json_write_number (x[i], text);
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

bool
kg_input_is_shown (KgNode *node, guint slot, double frame)
{
  return kg_input_meets (node, kg_node_get_slot (node, slot)->shown_when, frame);
}

bool
kg_input_meets (KgNode *node, const char *text, double frame)
{
  g_autoptr (KgCondition) condition = text != NULL ? kg_condition_new (text, NULL) : NULL;

  return kg_input_meets_condition (node, condition, frame);
}

bool
kg_input_meets_condition (KgNode *node, const KgCondition *condition, double frame)
{
  for (guint i = 0; condition != NULL && i < kg_condition_get_n (condition); i++) {
    const int other = kg_node_find_slot (node, kg_condition_get_input (condition, i));
    const KgSlot *slot = other >= 0 ? kg_node_get_slot (node, (guint) other) : NULL;
    g_auto (KgValue) value = KG_VALUE_INIT;

    if (slot == NULL || slot->role != KG_SLOT_INPUT)
      continue;
    if (slot->list || (slot->kind >= KG_MOTION && slot->kind != KG_TABLE))
      value =
          kg_value_text (kg_node_get_source (node, (guint) other)->kind != KG_SOURCE_DEFAULT ? "linked" : "unlinked");
    else if (!kg_input_get_value (node, (guint) other, frame, &value))
      continue;
    if (!kg_condition_holds (condition, i, &value))
      return false;
  }
  return true;
}

static const KgKey *
get_keys (KgNode *node, guint slot, gsize *n)
{
  const KgSource *source = kg_input_get_source (node, slot);

  *n = 0;
  return source->kind == KG_SOURCE_KEYS ? kg_channel_get_keys (source->keys, n) : NULL;
}

bool
kg_input_find_keys (KgNode *node, guint slot, double frame, double *before, double *after)
{
  gsize n;
  const KgKey *keys = get_keys (node, slot, &n);
  bool here = false;

  if (keys_cells (node, slot))
    return kg_input_find_row_keys (node, slot, frame, before, after);
  *before = *after = NAN;
  for (gsize i = 0; i < n; i++) {
    if (fabs (keys[i].at - frame) < SAME_FRAME)
      here = true;
    else if (keys[i].at < frame)
      *before = keys[i].at;
    else if (isnan (*after))
      *after = keys[i].at;
  }
  return here;
}

static bool
set_keys (KgNode *node, guint slot, const GArray *keys, guint width, GError **error)
{
  const KgSource *old = kg_input_get_source (node, slot);
  KgExtend before = KG_EXTEND_HOLD, after = KG_EXTEND_HOLD;
  const bool rotation = kg_node_get_slot (node, slot)->kind == KG_ROTATION;
  KgChannel *channel;

  if (old->kind == KG_SOURCE_KEYS)
    kg_channel_get_extend (old->keys, &before, &after);
  channel =
      kg_channel_new_keys (width, rotation, (const KgKey *) (const void *) keys->data, keys->len, before, after, error);
  if (channel == NULL)
    return false;
  {
    g_auto (KgSource) source = kg_source_keys (channel);

    return kg_graph_set_source (kg_node_get_parent (node), node, slot, &source, error);
  }
}

bool
kg_input_set_key (KgNode *node, guint slot, double frame, const KgValue *value, GError **error)
{
  const KgKind kind = kg_node_get_slot (node, slot)->kind;
  g_autoptr (GArray) keys = g_array_new (FALSE, FALSE, sizeof (KgKey));
  double x[KG_CHANNEL_MAX_WIDTH] = { 0 };
  const guint width = get_numbers (value, x);
  gsize n;
  const KgKey *old = get_keys (node, slot, &n);
  KgKey key;

  if (keys_cells (node, slot))
    return kg_input_key_rows (node, slot, frame, error);
  if (width == 0) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s.%s is %s, which cannot have keys", kg_node_get_name (node),
                  kg_node_get_slot (node, slot)->name, kg_kind_get_phrase (kind));
    return false;
  }
  kg_key_init (&key, frame, 0);
  key.interpolation = kind == KG_BOOLEAN || kind == KG_INTEGER ? KG_INTERPOLATE_CONSTANT : KG_INTERPOLATE_BEZIER;
  for (gsize i = 0; i < n; i++) {
    if (fabs (old[i].at - frame) < SAME_FRAME)
      key = old[i];
    else
      g_array_append_val (keys, old[i]);
  }
  for (guint i = 0; i < width; i++)
    key.value[i] = x[i];
  g_array_append_val (keys, key);
  return set_keys (node, slot, keys, width, error);
}

bool
kg_input_remove_key (KgNode *node, guint slot, double frame, GError **error)
{
  g_autoptr (GArray) keys = g_array_new (FALSE, FALSE, sizeof (KgKey));
  gsize n;
  const KgKey *old = get_keys (node, slot, &n);

  if (keys_cells (node, slot))
    return kg_input_unkey_rows (node, slot, frame, false, error);
  for (gsize i = 0; i < n; i++)
    if (fabs (old[i].at - frame) >= SAME_FRAME)
      g_array_append_val (keys, old[i]);
  if (keys->len == n)
    return true;
  if (keys->len == 0) {
    const KgValue value = make_value (kg_node_get_slot (node, slot)->kind, old[0].value);

    return kg_graph_set_constant (kg_node_get_parent (node), node, kg_node_get_slot (node, slot)->name, &value, error);
  }
  return set_keys (node, slot, keys, kg_channel_get_width (kg_input_get_source (node, slot)->keys), error);
}

bool
kg_input_can_have_keys (const KgSlot *slot)
{
  return !slot->fixed && !slot->list &&
         ((slot->kind <= KG_ROTATION && slot->kind != KG_TEXT && slot->kind != KG_CHOICE) || slot->kind == KG_TABLE);
}

/* Of a vector whose components have sources of their own: those that are computed stay. */
static bool
set_components (KgNode *node, guint slot, double frame, const KgValue *value, bool key, GError **error)
{
  g_auto (KgValue) vector = KG_VALUE_INIT;
  g_autoptr (KgTable) rows = NULL;

  if (!kg_value_convert (value, KG_VECTOR, &vector, error))
    return false;
  rows = kg_table_new (3, NULL, 1, error);
  if (rows == NULL)
    return false;
  for (guint i = 0; i < 3; i++)
    kg_table_edit (rows)[i] = kg_vector_get (vector.vector, i);
  return kg_input_set_rows (node, slot, frame, rows, key, error);
}

bool
kg_input_set_value (KgNode *node, guint slot, double frame, const KgValue *value, bool key, GError **error)
{
  const KgSlot *declared = kg_node_get_slot (node, slot);
  const KgSourceKind kind = kg_input_get_source (node, slot)->kind;

  key = key && kg_input_can_have_keys (declared);
  if (declared->kind == KG_TABLE && (key || kind == KG_SOURCE_TABLE)) {
    g_auto (KgValue) rows = kg_value_copy (value);

    return kg_slot_convert_table (declared, &rows, error) &&
           kg_input_set_rows (node, slot, frame, rows.table, key, error);
  }
  if (declared->kind == KG_VECTOR && kind == KG_SOURCE_TABLE)
    return set_components (node, slot, frame, value, key, error);
  if (kind == KG_SOURCE_KEYS || key)
    return kg_input_set_key (node, slot, frame, value, error);
  return kg_graph_set_constant (kg_node_get_parent (node), node, declared->name, value, error);
}

bool
kg_input_move_item (KgNode *node, guint slot, guint from, guint to, GError **error)
{
  const KgSource *old = kg_node_get_source (node, slot);
  g_auto (KgSource) source = KG_SOURCE_INIT;
  KgGraph *graph = kg_node_get_parent (node);
  KgSource moved;
  bool good;

  if (old->kind != KG_SOURCE_LIST || from >= old->list.n || to >= old->list.n || from == to)
    return true;
  source = kg_source_copy (old);
  moved = source.list.items[from];
  memmove (&source.list.items[MIN (from, to) + (to < from)], &source.list.items[MIN (from, to) + (from < to)],
           (MAX (from, to) - MIN (from, to)) * sizeof moved);
  source.list.items[to] = moved;
  kg_graph_begin_group (graph, _ ("Move in list"));
  good = kg_graph_set_source (graph, node, slot, &source, error);
  if (good)
    kg_graph_end_group (graph);
  else
    kg_graph_cancel_group (graph);
  return good;
}
