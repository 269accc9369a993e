/* kg-edit-line: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-edit-line.h"

static void
write_path (const KgEdit *edit, GString *out)
{
  if (edit->graph != NULL && edit->graph->owner != NULL) {
    g_autofree char *path = kg_node_dup_path (edit->graph->owner);

    g_string_append_printf (out, "%s/", path);
  }
  g_string_append (out, edit->node->name);
}

static void
write_node (const char *verb, const KgEdit *edit, GString *out)
{
  g_string_append_printf (out, "%s ", verb);
  write_path (edit, out);
}

static void
write_numbers (const double *numbers, guint n, GString *out)
{
  for (guint i = 0; i < n; i++) {
    g_string_append_c (out, ' ');
    kg_json_write_number (numbers[i], out);
  }
}

static void
write_added (const KgEdit *edit, GString *out)
{
  const double place[] = { edit->node->x, edit->node->y };

  g_string_append_printf (out, "add %s ", edit->node->type_id);
  write_path (edit, out);
  g_string_append (out, " at");
  write_numbers (place, G_N_ELEMENTS (place), out);
}

static void
write_unknown (const KgEdit *edit, GString *out)
{
  g_string_append (out, "unknown ");
  kg_json_write_string (edit->node->type_id, out);
  g_string_append_c (out, ' ');
  write_path (edit, out);
  g_string_append_c (out, ' ');
  kg_json_write (edit->json, out);
}

static void
write_moved (const KgEdit *edit, GString *out)
{
  const double place[] = { edit->x, edit->y };

  write_node ("move", edit, out);
  write_numbers (place, G_N_ELEMENTS (place), out);
}

static void
write_source (const KgEdit *edit, GString *out)
{
  const KgSlot *slot = &edit->node->slots[edit->slot];
  const bool is_set = edit->source->kind != KG_SOURCE_DEFAULT;

  write_node (is_set ? "set" : "reset", edit, out);
  g_string_append_printf (out, ".%s", slot->name);
  if (!is_set)
    return;
  g_string_append_c (out, ' ');
  kg_source_write_json (edit->source, slot, out);
}

/* Of a node, or of the graph. */
static void
write_text (const char *verb, const KgEdit *edit, GString *out)
{
  if (edit->node != NULL)
    write_node (verb, edit, out);
  else
    g_string_append (out, verb);
  g_string_append_c (out, ' ');
  if (edit->text != NULL)
    kg_json_write_string (edit->text, out);
  else
    g_string_append (out, "none");
  if (edit->node == NULL && edit->graph != NULL && edit->graph->owner != NULL) {
    g_autofree char *path = kg_node_dup_path (edit->graph->owner);

    g_string_append_printf (out, " in %s", path);
  }
}

static void
write_aside (const KgEdit *edit, GString *out)
{
  write_node ("aside", edit, out);
  g_string_append_c (out, ' ');
  if (edit->json != NULL)
    kg_json_write (edit->json, out);
  else
    g_string_append (out, "none");
}

static void
write_frames (const KgFrames *frames, GString *out)
{
  const double numbers[] = { frames->start, frames->end, frames->rate };

  g_string_append (out, "frames");
  write_numbers (numbers, G_N_ELEMENTS (numbers), out);
}

static void
write_definition (const char *verb, const KgEdit *edit, GString *out)
{
  g_string_append_printf (out, "%s ", verb);
  kg_json_write (edit->json, out);
  if (edit->node == NULL)
    return;
  g_string_append_c (out, ' ');
  write_path (edit, out);
}

static void
write_begin (const char *verb, const KgEdit *edit, GString *out)
{
  g_string_append (out, verb);
  if (edit->text == NULL)
    return;
  g_string_append_c (out, ' ');
  kg_json_write_string (edit->text, out);
}

void
kg_edit_write_line (const KgEdit *edit, GString *out)
{
  switch (edit->verb) {
  case KG_EDIT_ADD:
    write_added (edit, out);
    break;
  case KG_EDIT_ADD_UNKNOWN:
    write_unknown (edit, out);
    break;
  case KG_EDIT_REMOVE:
    write_node ("remove", edit, out);
    break;
  case KG_EDIT_RENAME:
    write_node ("rename", edit, out);
    g_string_append_printf (out, " %s", edit->text);
    break;
  case KG_EDIT_MOVE:
    write_moved (edit, out);
    break;
  case KG_EDIT_SET:
    write_source (edit, out);
    break;
  case KG_EDIT_BYPASS:
    write_node ("bypass", edit, out);
    g_string_append (out, edit->flag ? " on" : " off");
    break;
  case KG_EDIT_STAGE:
    write_node ("stage", edit, out);
    g_string_append_printf (out, " %s", edit->text);
    break;
  case KG_EDIT_UNLOCK:
    write_node (edit->flag ? "unlock" : "lock", edit, out);
    break;
  case KG_EDIT_COLOR:
    write_text ("color", edit, out);
    break;
  case KG_EDIT_ASIDE:
    write_aside (edit, out);
    break;
  case KG_EDIT_COMMENT:
    write_text ("comment", edit, out);
    break;
  case KG_EDIT_TITLE:
    write_text ("title", edit, out);
    break;
  case KG_EDIT_DISPLAY:
    write_text ("display", edit, out);
    break;
  case KG_EDIT_FRAMES:
    write_frames (&edit->frames, out);
    break;
  case KG_EDIT_ADD_PRESET:
    write_definition ("preset", edit, out);
    break;
  case KG_EDIT_MATCH:
    write_node ("match", edit, out);
    break;
  case KG_EDIT_UPGRADE:
    write_definition ("upgrade", edit, out);
    break;
  case KG_EDIT_BEGIN_GROUP:
    write_begin ("group", edit, out);
    break;
  case KG_EDIT_BEGIN_TRANSACTION:
    write_begin ("transaction", edit, out);
    break;
  case KG_EDIT_END:
    g_string_append (out, "end");
    break;
  case KG_EDIT_CANCEL:
    g_string_append (out, "cancel");
    break;
  case KG_EDIT_UNDO:
    g_string_append (out, "undo");
    break;
  case KG_EDIT_REDO:
    g_string_append (out, "redo");
    break;
  case KG_EDIT_REOPEN:
  case KG_EDIT_OTHER:
  default:
    g_return_if_reached ();
  }
}
