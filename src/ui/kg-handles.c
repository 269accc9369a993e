/* kg-handles: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-handles.h"

#include "config.h"
#include "kg-input-row.h"

#include <glib/gi18n.h>
#include <string.h>

/* Inputs of points: texts whose lines are x y or x y z. */
static bool
is_point_list (const KgSlot *slot)
{
  return slot->kind == KG_TEXT && slot->multiline && g_str_equal (slot->name, "points");
}

static bool
parse_point (const char *line, KgVector *at, bool *flat)
{
  double x[3] = { 0 };
  guint n = 0;
  const char *p = line;

  while (n < 3) {
    char *end;

    while (*p == ' ' || *p == ',' || *p == '\t')
      p++;
    x[n] = g_ascii_strtod (p, &end);
    if (end == p)
      break;
    p = end;
    n++;
  }
  *at = kg_vector (x[0], x[1], x[2]);
  *flat = n == 2;
  return n >= 2;
}

static bool
is_free (KgNode *node, guint slot)
{
  const KgSourceKind kind = kg_node_get_source (node, slot)->kind;

  return kind == KG_SOURCE_CONSTANT || kind == KG_SOURCE_DEFAULT || kind == KG_SOURCE_KEYS;
}

GArray *
kg_handles_find (KgDocument *document, KgNode *node)
{
  GArray *handles = g_array_new (FALSE, FALSE, sizeof (KgHandlePoint));

  for (guint i = 0; node != NULL && i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);
    g_auto (KgValue) value = KG_VALUE_INIT;

    if (slot->role != KG_SLOT_INPUT || slot->list || !is_free (node, i) ||
        !kg_input_get_value (node, i, kg_document_get_frame (document), &value))
      continue;
    if (slot->kind == KG_VECTOR && slot->unit == KG_METRES && value.kind == KG_VECTOR) {
      const KgHandlePoint handle = { node, i, -1, value.vector, slot->label };

      g_array_append_val (handles, handle);
    } else if (is_point_list (slot) && value.kind == KG_TEXT) {
      g_auto (GStrv) lines = g_strsplit (value.text, "\n", -1);

      for (guint l = 0; lines[l] != NULL && l < 2000; l++) {
        KgHandlePoint handle = { node, i, (int) l, { 0, 0, 0 }, slot->label };
        bool flat;

        if (parse_point (lines[l], &handle.at, &flat))
          g_array_append_val (handles, handle);
      }
    }
  }
  return handles;
}

bool
kg_handle_move (KgDocument *document, const KgHandlePoint *handle, KgVector to, GError **error)
{
  const double frame = kg_document_get_frame (document);
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_auto (GStrv) lines = NULL;
  g_autoptr (GString) text = g_string_new (NULL);

  if (handle->line < 0) {
    value = kg_value_vector (to);
    return kg_input_set_value (handle->node, handle->slot, frame, &value, error);
  }
  if (!kg_input_get_value (handle->node, handle->slot, frame, &value) || value.kind != KG_TEXT)
    return false;
  lines = g_strsplit (value.text, "\n", -1);
  for (int l = 0; lines[l] != NULL; l++) {
    if (l > 0)
      g_string_append_c (text, '\n');
    if (l == handle->line) {
      KgVector old;
      bool flat;

      parse_point (lines[l], &old, &flat);
      kg_json_write_number (nearbyint (to.x * 1e4) / 1e4, text);
      g_string_append_c (text, ' ');
      kg_json_write_number (nearbyint (to.y * 1e4) / 1e4, text);
      if (!flat || fabs (to.z) > 1e-9) {
        g_string_append_c (text, ' ');
        kg_json_write_number (nearbyint (to.z * 1e4) / 1e4, text);
      }
    } else
      g_string_append (text, lines[l]);
  }
  kg_value_clear (&value);
  value = kg_value_text (text->str);
  return kg_input_set_value (handle->node, handle->slot, frame, &value, error);
}
