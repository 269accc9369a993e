/* kg-part-edit: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-part-edit.h"

#include "config.h"
#include "kg-handles-private.h"

#include <glib/gi18n.h>
#include <string.h>

/* Whether a line is the row of a part; *numbers: what follows its name. */
static bool
is_row_of (const char *line, guint part, const char **numbers)
{
  const char *colon = strchr (line, ':');
  g_autofree char *name = colon != NULL ? g_strstrip (g_strndup (line, (gsize) (colon - line))) : NULL;
  guint64 number;

  if (name == NULL || !g_ascii_string_to_unsigned (name, 10, 0, G_MAXUINT, &number, NULL) || number != part)
    return false;
  *numbers = colon + 1;
  return true;
}

static void
add_numbers (GArray *bones, const char *text)
{
  g_auto (GStrv) words = g_strsplit_set (text, " \t,", -1);

  for (guint i = 0; words[i] != NULL; i++) {
    guint64 number;

    if (g_ascii_string_to_unsigned (words[i], 10, 0, G_MAXUINT, &number, NULL)) {
      const guint bone = (guint) number;

      g_array_append_val (bones, bone);
    }
  }
}

GArray *
kg_part_get_bones (const char *text, guint part)
{
  GArray *bones = g_array_new (FALSE, FALSE, sizeof (guint));
  g_auto (GStrv) lines = g_strsplit_set (text, "\n;", -1);
  const char *numbers;

  for (guint i = 0; lines[i] != NULL; i++)
    if (is_row_of (lines[i], part, &numbers)) {
      add_numbers (bones, numbers);
      break;
    }
  return bones;
}

static char *
write_row (guint part, const GArray *bones)
{
  GString *row = g_string_new (NULL);

  g_string_append_printf (row, "%u:", part);
  for (guint i = 0; i < bones->len; i++)
    g_string_append_printf (row, " %u", g_array_index (bones, guint, i));
  return g_string_free (row, FALSE);
}

char *
kg_part_toggle (const char *text, guint part, guint bone)
{
  g_auto (GStrv) lines = g_strsplit_set (text, "\n;", -1);
  g_autoptr (GArray) bones = kg_part_get_bones (text, part);
  g_autofree char *row = NULL;
  GString *out = g_string_new (NULL);
  bool written = false, found = false;
  const char *numbers;

  for (guint i = 0; i < bones->len && !found; i++)
    if (g_array_index (bones, guint, i) == bone) {
      g_array_remove_index (bones, i);
      found = true;
    }
  if (!found)
    g_array_append_val (bones, bone);
  row = write_row (part, bones);
  for (guint i = 0; lines[i] != NULL; i++) {
    const bool here = !written && is_row_of (lines[i], part, &numbers);

    written = written || here;
    if (*lines[i] != '\0' && !(here && bones->len == 0))
      g_string_append_printf (out, "%s%s", out->len > 0 ? "\n" : "", here ? row : lines[i]);
  }
  if (!written)
    g_string_append_printf (out, "%s%s", out->len > 0 ? "\n" : "", row);
  return g_string_free (out, FALSE);
}

bool
kg_grip_toggle_bone (const KgHandles *handles, const KgGrip *part, const KgGrip *bone, GError **error)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autofree char *changed = NULL;
  KgGraph *graph = kg_node_get_parent (part->node);
  bool good;

  if (!kg_handles_check_free (part->node, part->slot, error))
    return false;
  if (!kg_handles_get_value (handles, part->slot, &value) || value.kind != KG_TEXT)
    return false;
  changed = kg_part_toggle (value.text, (guint) part->row, (guint) bone->row);
  kg_graph_begin_group (graph, _ ("Choose part"));
  good = kg_handles_set_text (handles, part->slot, changed, error);
  return kg_graph_close_group (graph, good);
}

GArray *
kg_grip_get_bones (const KgHandles *handles, const KgGrip *part)
{
  g_auto (KgValue) value = KG_VALUE_INIT;

  return kg_part_get_bones (
      kg_handles_get_value (handles, part->slot, &value) && value.kind == KG_TEXT ? value.text : "", (guint) part->row);
}
