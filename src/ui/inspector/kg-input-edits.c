/* kg-input-edits: what a row of the inspector does to the input, in all selected nodes that have it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-input-row-private.h"
#include "kg-input-table.h"

#include <glib/gi18n.h>

/* An input of the same name may have other choices. */
static bool
has_same_choices (const KgSlot *a, const KgSlot *b)
{
  guint i = 0;

  if (a->choices == b->choices)
    return true;
  if (a->choices == NULL || b->choices == NULL)
    return false;
  while (a->choices[i].nick != NULL && g_strcmp0 (a->choices[i].nick, b->choices[i].nick) == 0)
    i++;
  return a->choices[i].nick == NULL && b->choices[i].nick == NULL;
}

/* The input of another selected node that is edited too; -1. */
int
kg_input_row_find_same (KgInputRow *self, KgNode *other)
{
  const int index = other != self->node ? kg_node_find_slot (other, self->declared->name) : -1;
  const KgSlot *slot = index >= 0 ? kg_node_get_slot (other, (guint) index) : NULL;

  return slot != NULL && slot->role == KG_SLOT_INPUT && slot->kind == self->declared->kind &&
                 slot->list == self->declared->list && has_same_choices (slot, self->declared)
             ? index
             : -1;
}

/* Whether what feeds the input is more than the value that is edited: another selected node keeps it, unless the one that
 * is shown is fed in the same way. */
bool
kg_input_row_keeps (KgInputRow *self, KgNode *other, guint slot)
{
  const KgSourceKind kind = kg_node_get_source (other, slot)->kind;

  return (kind == KG_SOURCE_LINK || kind == KG_SOURCE_LIST || kind == KG_SOURCE_EXPRESSION) &&
         kind != kg_node_get_source (self->node, self->slot)->kind;
}

/* A field that loses the focus because its node goes has nothing to write to. */
bool
kg_input_row_can_edit (KgInputRow *self)
{
  return !self->updating && !self->abandoned && kg_node_get_parent (self->node) != NULL;
}

void
kg_input_row_edit (KgInputRow *self, KgInputEdit edit, gconstpointer data)
{
  KgGraph *graph = kg_document_get_graph (self->document);
  g_autoptr (GPtrArray) edited = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  bool good = true;

  if (!kg_input_row_can_edit (self))
    return;
  /* Before the one that is shown is fed in another way. */
  for (guint i = 0; i < self->others->len; i++) {
    KgNode *other = (KgNode *) g_ptr_array_index (self->others, i);
    const int slot = kg_node_get_parent (other) != NULL ? kg_input_row_find_same (self, other) : -1;

    if (slot >= 0 && !kg_input_row_keeps (self, other, (guint) slot))
      g_ptr_array_add (edited, other);
  }
  kg_graph_begin_group (graph, kg_type_translate (self->declared->label));
  good = edit (self, self->node, self->slot, data, &error);
  for (guint i = 0; good && i < edited->len; i++) {
    KgNode *other = (KgNode *) g_ptr_array_index (edited, i);
    /* What was set may have given it other inputs. */
    const int slot = kg_input_row_find_same (self, other);

    if (slot >= 0)
      good = edit (self, other, (guint) slot, data, &error);
  }
  kg_graph_close_group (graph, good);
  kg_input_row_show_problem (self, error);
}

bool
kg_input_edit_value (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  return kg_input_set_value (node, slot, kg_document_get_frame (self->document), (const KgValue *) data,
                             kg_document_get_auto_key (self->document), error);
}

bool
kg_input_edit_json (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  (void) self;
  return kg_graph_set_json (kg_node_get_parent (node), node, kg_node_get_slot (node, slot)->name, (const char *) data,
                            error);
}

bool
kg_input_edit_expression (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  (void) self;
  return kg_graph_set_expression (kg_node_get_parent (node), node, kg_node_get_slot (node, slot)->name,
                                  (const char *) data, error);
}

bool
kg_input_edit_reset (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  (void) self;
  (void) data;
  return kg_graph_reset (kg_node_get_parent (node), node, kg_node_get_slot (node, slot)->name, error);
}

bool
kg_input_edit_key (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  const double frame = kg_document_get_frame (self->document);
  g_auto (KgValue) value = KG_VALUE_INIT;

  if (*(const bool *) data)
    return kg_input_remove_key (node, slot, frame, error);
  if (kg_node_get_slot (node, slot)->kind == KG_TABLE || kg_input_has_cells (node, slot))
    return kg_input_key_rows (node, slot, frame, error);
  return kg_input_get_value (node, slot, frame, &value) && kg_input_set_key (node, slot, frame, &value, error);
}

/* What nodes inside compute becomes a constant, to begin with the one that the kind has. */
bool
kg_input_edit_set (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  g_auto (KgValue) value = KG_VALUE_INIT;

  (void) self;
  (void) data;
  return !kg_slot_get_default (kg_node_get_slot (node, slot), &value) ||
         kg_graph_set_constant (kg_node_get_parent (node), node, kg_node_get_slot (node, slot)->name, &value, error);
}

bool
kg_input_edit_remove_keys (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  g_auto (KgValue) value = KG_VALUE_INIT;

  (void) data;
  if (kg_input_get_source (node, slot)->kind == KG_SOURCE_TABLE)
    return kg_input_unkey_rows (node, slot, kg_document_get_frame (self->document), true, error);
  if (kg_input_get_source (node, slot)->kind != KG_SOURCE_KEYS ||
      !kg_input_get_value (node, slot, kg_document_get_frame (self->document), &value))
    return true;
  return kg_graph_set_constant (kg_node_get_parent (node), node, kg_node_get_slot (node, slot)->name, &value, error);
}

bool
kg_input_edit_split (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  (void) self;
  (void) data;
  return kg_input_split (node, slot, error);
}
