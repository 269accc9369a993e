/* kg-recorder: every edit of a graph as a line of a script.  The text of a line is made in kg-edit-line.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-recorder.h"

#include "kg-edit-line.h"
#include "kg-file.h"
#include "kg-script.h"

struct _KgRecorder {
  KgGraph *graph; /* owned, the outermost */
  KgGraph *start; /* owned: what it was when the lines begin; NULL for an empty graph */
  GString *lines;
  gsize max_bytes;
  guint depth;   /* groups that are open */
  bool reopened; /* within the group that was the last step, in another that continues it */
  bool lost;     /* the lines do not make the graph as it is */
};

/* A $ is the start of a variable in scripts. */
static void
write_literal (const char *text, GString *out)
{
  for (; *text != '\0'; text++) {
    if (*text == '$')
      g_string_append_c (out, '$');
    g_string_append_c (out, *text);
  }
}

static bool
is_blank (KgGraph *graph)
{
  g_autoptr (KgGraph) blank = kg_graph_new (graph->types);
  const KgFrames frames = kg_graph_get_frames (graph), usual = kg_graph_get_frames (blank);

  return graph->nodes->len == 0 && graph->title[0] == '\0' && graph->comment[0] == '\0' && graph->display == NULL &&
         memcmp (&frames, &usual, sizeof frames) == 0;
}

static void record (gpointer data, const KgEdit *edit);

/* Starts the record again from the graph as it is now; earlier steps are not part of it. */
static void
restart (KgRecorder *recorder)
{
  g_clear_object (&recorder->start);
  if (!is_blank (recorder->graph))
    recorder->start = kg_graph_snapshot (recorder->graph);
  g_string_truncate (recorder->lines, 0);
  recorder->lost = false;
  kg_graph_set_log (recorder->graph, NULL, NULL);
  kg_graph_set_log (recorder->graph, record, recorder);
}

/* Goes to a step that a record that starts now does not have. */
static bool
is_history (const KgEdit *edit)
{
  return edit->verb == KG_EDIT_UNDO || edit->verb == KG_EDIT_REDO;
}

static void
write_edit (const KgEdit *edit, GString *out)
{
  g_autoptr (GString) line = g_string_new (NULL);

  kg_edit_write_line (edit, line);
  write_literal (line->str, out);
  g_string_append_c (out, '\n');
}

static void
append_edit (KgRecorder *recorder, const KgEdit *edit)
{
  g_string_append_printf (recorder->lines, "%*s", (int) (2 * recorder->depth), "");
  write_edit (edit, recorder->lines);
}

/* The end of the last group is taken back; what follows is a group within, so that it can be cancelled alone. */
static void
reopen (KgRecorder *recorder)
{
  static const char end[] = "end\n";

  g_return_if_fail (recorder->depth == 0 && g_str_has_suffix (recorder->lines->str, end));
  g_string_truncate (recorder->lines, recorder->lines->len - strlen (end));
  recorder->depth = 1;
  append_edit (recorder, &(KgEdit){ .verb = KG_EDIT_BEGIN_GROUP });
  recorder->depth = 2;
  recorder->reopened = true;
}

static void
record (gpointer data, const KgEdit *edit)
{
  KgRecorder *recorder = (KgRecorder *) data;
  const bool begins = edit->verb == KG_EDIT_BEGIN_GROUP || edit->verb == KG_EDIT_BEGIN_TRANSACTION;
  const bool ends = edit->verb == KG_EDIT_END || edit->verb == KG_EDIT_CANCEL;

  if (edit->verb == KG_EDIT_REOPEN) {
    reopen (recorder);
    return;
  }
  if (edit->verb == KG_EDIT_OTHER) {
    recorder->lost = true;
    return;
  }
  /* The edit is not made yet, so the graph is what it was after the last one. */
  if (recorder->depth == 0 && (recorder->lost || recorder->lines->len > recorder->max_bytes)) {
    recorder->lost = is_history (edit);
    if (recorder->lost)
      return;
    restart (recorder);
  }
  if (ends && recorder->depth > 0)
    recorder->depth--;
  append_edit (recorder, edit);
  if (begins)
    recorder->depth++;
  if (ends && recorder->reopened && recorder->depth == 1) {
    recorder->reopened = false;
    recorder->depth = 0;
    append_edit (recorder, &(KgEdit){ .verb = KG_EDIT_END });
  }
}

KgRecorder *
kg_recorder_new (KgGraph *graph, gsize max_bytes)
{
  KgRecorder *recorder = g_new0 (KgRecorder, 1);

  recorder->graph = g_object_ref (kg_graph_get_root (graph));
  recorder->lines = g_string_new (NULL);
  recorder->max_bytes = max_bytes;
  if (!kg_graph_set_log (recorder->graph, record, recorder)) {
    g_object_unref (recorder->graph);
    g_string_free (recorder->lines, TRUE);
    g_free (recorder);
    return NULL;
  }
  restart (recorder);
  return recorder;
}

void
kg_recorder_free (KgRecorder *recorder)
{
  if (recorder == NULL)
    return;
  kg_graph_set_log (recorder->graph, NULL, NULL);
  g_object_unref (recorder->graph);
  g_clear_object (&recorder->start);
  g_string_free (recorder->lines, TRUE);
  g_free (recorder);
}

/* A text of a node, if it was changed. */
static void
write_text_of (KgEditVerb verb, const KgNode *node, const char *text, const char *old, GString *out)
{
  if (g_strcmp0 (text, old) != 0)
    write_edit (&(KgEdit){ .verb = verb, .graph = node->parent, .node = node, .text = text }, out);
}

/* A node of an unknown type is pasted as it was read, and edited after that: saving it starts from what was read.
 * So the nodes of graph, a copy, are restored to that, and the edits are written to out. */
static void
take_edits_of_unknown (KgGraph *graph, GString *out)
{
  for (guint i = 0; i < graph->nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (graph->nodes, i);
    KgRawSettings read;

    if (node->inside != NULL)
      take_edits_of_unknown (node->inside, out);
    if (node->type != NULL)
      continue;
    read = kg_raw_get_settings (node->raw);
    if (node->x != read.x || node->y != read.y)
      write_edit (&(KgEdit){ .verb = KG_EDIT_MOVE, .graph = graph, .node = node, .x = node->x, .y = node->y }, out);
    write_text_of (KG_EDIT_COLOR, node, node->color, read.color, out);
    write_text_of (KG_EDIT_COMMENT, node, node->comment, read.comment, out);
    if (node->bypass != read.bypass)
      write_edit (&(KgEdit){ .verb = KG_EDIT_BYPASS, .graph = graph, .node = node, .flag = node->bypass }, out);
    if (node->stage != read.stage)
      write_edit (&(KgEdit){ .verb = KG_EDIT_STAGE, .graph = graph, .node = node, .text = kg_stage_nicks[node->stage] },
                  out);
    node->x = read.x;
    node->y = read.y;
    node->bypass = read.bypass;
    node->stage = read.stage;
    kg_set_string (&node->color, read.color);
    kg_set_string (&node->comment, read.comment);
  }
}

/* Lines that make graph from an empty one. */
static void
write_start (KgGraph *graph, GString *out)
{
  if (graph->title[0] != '\0')
    write_edit (&(KgEdit){ .verb = KG_EDIT_TITLE, .text = graph->title }, out);
  if (graph->comment[0] != '\0')
    write_edit (&(KgEdit){ .verb = KG_EDIT_COMMENT, .text = graph->comment }, out);
  write_edit (&(KgEdit){ .verb = KG_EDIT_FRAMES, .frames = kg_graph_get_frames (graph) }, out);
  if (graph->nodes->len > 0) {
    g_autoptr (KgGraph) copy = kg_graph_snapshot (graph);
    g_autoptr (GString) edits = g_string_new (NULL);
    g_autofree char *text = NULL;

    take_edits_of_unknown (copy, edits);
    text = kg_graph_copy (copy, (KgNode *const *) copy->nodes->pdata, copy->nodes->len);

    g_string_append (out, "paste 0 0 ");
    write_literal (g_strchomp (text), out);
    g_string_append_printf (out, "\n%s", edits->str);
  }
  if (graph->display != NULL)
    write_edit (&(KgEdit){ .verb = KG_EDIT_DISPLAY, .text = graph->display }, out);
}

static void
write_version (GString *out)
{
  g_string_append_printf (out, "kineograph %d\n", KG_SCRIPT_VERSION);
}

char *
kg_graph_to_script (KgGraph *graph)
{
  GString *out = g_string_new (NULL);

  write_version (out);
  write_start (graph, out);
  return g_string_free (out, FALSE);
}

char *
kg_recorder_dup_script (KgRecorder *recorder)
{
  GString *out = g_string_new (NULL);

  kg_graph_log_moves (recorder->graph);
  write_version (out);
  if (recorder->lost && recorder->depth == 0)
    restart (recorder);
  if (recorder->start != NULL)
    write_start (recorder->start, out);
  g_string_append (out, recorder->lines->str);
  for (guint i = recorder->depth; i > 0; i--)
    g_string_append_printf (out, "%*send\n", (int) (2 * (i - 1)), "");
  return g_string_free (out, FALSE);
}
