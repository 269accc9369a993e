/* kg-document: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-document.h"

#include "config.h"
#include "kg-preset.h"
#include "kg-recorder.h"
#include "kg-regular-file.h"

#include <gio/gio.h>
#include <glib/gi18n.h>
#include <string.h>

/* Beyond this many bytes the record of a session starts again. */
#define MAX_RECORD ((gsize) 16 << 20)

enum {
  CHANGED,
  SELECTION_CHANGED,
  CURRENT_CHANGED,
  FRAME_CHANGED,
  LIBRARY_CHANGED,
  STATE_CHANGED,
  PICKING_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

struct _KgDocument {
  GObject parent_instance;
  KgGraph *graph, *current;
  KgLibrary *library; /* (nullable) */
  KgRecorder *recorder;
  GPtrArray *watched; /* the current graph and those around it */
  char *path;
  char *saved;         /* checksum of the text that the file holds */
  GPtrArray *selected; /* KgNode, borrowed from the current graph; the last is the active one */
  GHashTable *selected_set;
  GPtrArray *writable; /* char *: folders where files may be written that nodes name; ends with NULL */
  GHashTable *asked;   /* folders for which the user was asked whether they may be read */
  bool steps;          /* through the history, which may take thousands of nodes away */
  GPtrArray *spared;   /* (nullable) while it does: what was selected and is still there */
  double frame;
  guint64 serial;
  bool playing;
  bool dragged;
  bool auto_key;
  GObject *picking; /* (nullable) weak: who wants a colour */
  KgPickTake take_pick;
  GHashTable *drafts; /* char * "path.input" -> char * */
  bool modified;
  bool gone; /* its file no longer exists */
};

G_DEFINE_FINAL_TYPE (KgDocument, kg_document, G_TYPE_OBJECT)

static void
kg_document_finalize (GObject *object)
{
  KgDocument *self = KG_DOCUMENT (object);

  for (guint i = 0; i < self->watched->len; i++)
    g_signal_handlers_disconnect_by_data (g_ptr_array_index (self->watched, i), self);
  g_clear_weak_pointer (&self->picking);
  g_signal_handlers_disconnect_by_data (self->graph, self);
  if (self->library != NULL)
    g_signal_handlers_disconnect_by_data (self->library, self);
  g_clear_object (&self->library);
  g_ptr_array_unref (self->watched);
  g_object_unref (self->current);
  g_clear_pointer (&self->recorder, kg_recorder_free);
  g_object_unref (self->graph);
  g_ptr_array_unref (self->selected);
  g_hash_table_unref (self->selected_set);
  g_hash_table_unref (self->asked);
  g_hash_table_unref (self->drafts);
  g_ptr_array_unref (self->writable);
  g_free (self->path);
  g_free (self->saved);
  G_OBJECT_CLASS (kg_document_parent_class)->finalize (object);
}

static void
kg_document_class_init (KgDocumentClass *class)
{
  static const char *const names[] = { "changed",         "selection-changed", "current-changed", "frame-changed",
                                       "library-changed", "state-changed",     "picking-changed" };

  G_OBJECT_CLASS (class)->finalize = kg_document_finalize;
  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] = g_signal_new (names[i], KG_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
kg_document_init (KgDocument *self)
{
  self->drafts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->watched = g_ptr_array_new_with_free_func (g_object_unref);
  self->selected = g_ptr_array_new ();
  self->selected_set = g_hash_table_new (NULL, NULL);
  self->asked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->writable = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->writable, NULL);
}

static void
clear_selection (KgDocument *self)
{
  g_ptr_array_set_size (self->selected, 0);
  g_hash_table_remove_all (self->selected_set);
}

static void
on_changed (KgDocument *self)
{
  const KgFrames frames = kg_graph_get_frames (self->graph);

  self->serial++;
  if (self->frame < frames.start || self->frame > frames.end)
    kg_document_set_frame (self, CLAMP (self->frame, frames.start, frames.end));
  g_signal_emit (self, signals[CHANGED], 0);
  if (!self->modified) {
    self->modified = true;
    g_signal_emit (self, signals[STATE_CHANGED], 0);
  }
}

static void
on_settings_changed (KgDocument *self)
{
  g_signal_emit (self, signals[STATE_CHANGED], 0);
}

/* A node that goes may hold the graph that is shown, or one around it. */
static void
leave_removed_graph (KgDocument *self, KgNode *removed, KgGraph *around)
{
  for (KgGraph *graph = self->current; graph != NULL;) {
    KgNode *owner = kg_graph_get_owner (graph);

    if (owner == removed) {
      kg_document_enter (self, around);
      return;
    }
    graph = owner != NULL ? kg_node_get_parent (owner) : NULL;
  }
}

static void
on_removed (KgDocument *self, KgNode *node, KgGraph *graph)
{
  /* One by one, everybody who follows the selection would look at all the others each time. */
  if (self->steps && self->spared == NULL && kg_document_is_selected (self, node)) {
    self->spared = g_ptr_array_copy (self->selected, NULL, NULL);
    kg_document_select (self, NULL, false);
  }
  if (self->spared != NULL)
    g_ptr_array_remove (self->spared, node);
  kg_document_unselect (self, node);
  leave_removed_graph (self, node, graph);
}

bool
kg_document_step (KgDocument *self, bool back)
{
  const KgGraph *current = self->current;
  g_autoptr (GPtrArray) spared = NULL;
  bool done;

  self->steps = true;
  done = back ? kg_graph_undo (self->graph) : kg_graph_redo (self->graph);
  self->steps = false;
  spared = g_steal_pointer (&self->spared);
  if (spared != NULL && spared->len > 0 && self->current == current && self->selected->len == 0)
    kg_document_select_all (self, spared);
  return done;
}

/* The graph that is shown and those around it: each may lose the node that holds the next. */
static void
connect_current (KgDocument *self, KgGraph *graph)
{
  for (guint i = 0; i < self->watched->len; i++)
    g_signal_handlers_disconnect_by_func (g_ptr_array_index (self->watched, i), (gpointer) on_removed, self);
  g_ptr_array_set_size (self->watched, 0);
  g_set_object (&self->current, graph);
  while (graph != NULL) {
    KgNode *owner = kg_graph_get_owner (graph);

    g_signal_connect_swapped (graph, "node-removed", G_CALLBACK (on_removed), self);
    g_ptr_array_add (self->watched, g_object_ref (graph));
    graph = owner != NULL ? kg_node_get_parent (owner) : NULL;
  }
}

static KgDocument *
take_graph (KgGraph *graph, const char *path)
{
  KgDocument *self = KG_DOCUMENT (g_object_new (KG_TYPE_DOCUMENT, NULL));

  self->graph = graph;
  kg_graph_set_permitted (graph, (const char *const[]){ NULL });
  self->recorder = kg_recorder_new (graph, MAX_RECORD);
  self->path = g_strdup (path);
  self->frame = kg_graph_get_frames (graph).start;
  g_signal_connect_swapped (graph, "changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (graph, "settings-changed", G_CALLBACK (on_settings_changed), self);
  connect_current (self, graph);
  return self;
}

static char *
checksum (const char *text)
{
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
}

static char *
file_checksum (const char *path)
{
  g_autofree char *text = kg_regular_file_read (path, "a graph", NULL, NULL);

  return text != NULL ? checksum (text) : NULL;
}

KgDocument *
kg_document_new (KgTypes *types)
{
  return take_graph (kg_graph_new (types), NULL);
}

KgDocument *
kg_document_load (KgTypes *types, const char *path, GPtrArray *problems)
{
  g_autoptr (GError) error = NULL;
  gsize length = 0;
  g_autofree char *text = kg_regular_file_read (path, "a graph", &length, &error);
  g_autofree char *folder = g_path_get_dirname (path);
  KgDocument *self;
  KgGraph *graph;

  if (text == NULL) {
    kg_problems_add (problems, NULL, "", "%s", error->message);
    return NULL;
  }
  graph = kg_graph_parse (types, text, (gssize) length, problems);
  if (graph == NULL)
    return NULL;
  kg_graph_set_folder (graph, folder);
  self = take_graph (graph, path);
  self->saved = checksum (text);
  return self;
}

KgDocument *
kg_document_parse (KgTypes *types, const char *text, const char *folder, GPtrArray *problems)
{
  KgGraph *graph = kg_graph_parse (types, text, -1, problems);

  if (graph == NULL)
    return NULL;
  kg_graph_set_folder (graph, folder);
  return take_graph (graph, NULL);
}

static void
on_library_changed (KgDocument *self)
{
  kg_graph_set_library (self->graph, kg_library_get_types (self->library));
  g_signal_emit (self, signals[LIBRARY_CHANGED], 0);
}

void
kg_document_set_library (KgDocument *self, KgLibrary *library)
{
  g_return_if_fail (self->library == NULL);
  self->library = (KgLibrary *) g_object_ref (library);
  g_signal_connect_swapped (library, "changed", G_CALLBACK (on_library_changed), self);
  on_library_changed (self);
}

KgLibrary *
kg_document_get_library (KgDocument *self)
{
  return self->library;
}

void
kg_document_permit (KgDocument *self, const char *path)
{
  g_autoptr (GStrvBuilder) folders = g_strv_builder_new ();
  g_autofree char *full = kg_regular_file_dup_path (kg_graph_get_folder (self->graph), path);
  /* A numbered name is that of all files of its folder. */
  g_autofree char *around = strchr (path, '%') != NULL ? g_path_get_dirname (full) : g_strdup (full);
  g_auto (GStrv) all = NULL;

  g_strv_builder_addv (folders, (const char **) (size_t) kg_graph_get_permitted (self->graph));
  g_strv_builder_add (folders, around);
  all = g_strv_builder_end (folders);
  kg_graph_set_permitted (self->graph, (const char *const *) all);
}

/* (nullable) What an input says by itself. */
static const char *
get_typed_text (const KgNode *node, guint slot)
{
  const KgSource *source = kg_node_get_slot (node, slot)->role == KG_SLOT_INPUT ? kg_node_get_source (node, slot)
                                                                                : NULL;

  return source != NULL && source->kind == KG_SOURCE_CONSTANT && source->constant.kind == KG_TEXT &&
                 *source->constant.text != '\0'
             ? source->constant.text
             : NULL;
}

/* (nullable) The file that an input names by itself. */
static const char *
get_named_file (const KgNode *node, guint slot)
{
  return kg_node_get_slot (node, slot)->path ? get_typed_text (node, slot) : NULL;
}

static void
find_unpermitted (KgDocument *self, KgGraph *graph, const char *const *permitted, GPtrArray *folders)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);

    if (kg_node_get_graph (node) != NULL)
      find_unpermitted (self, kg_node_get_graph (node), permitted, folders);
    if (kg_node_get_type (node) == NULL || kg_node_get_type (node)->role == KG_ROLE_FILE_OUTPUT)
      continue;
    for (guint s = 0; s < kg_node_get_n_slots (node); s++) {
      const char *name = get_named_file (node, s);
      g_autofree char *full = name != NULL ? kg_regular_file_dup_path (permitted[0], name) : NULL;
      g_autofree char *real = full != NULL ? kg_regular_file_dup_real_path (full) : NULL;
      g_autofree char *around = real != NULL ? g_path_get_dirname (real) : NULL;

      if (real != NULL && !kg_regular_file_is_below (real, permitted) &&
          g_hash_table_add (self->asked, g_strdup (around)))
        g_ptr_array_add (folders, g_steal_pointer (&around));
    }
  }
}

GPtrArray *
kg_document_take_unpermitted (KgDocument *self)
{
  const char *folder = kg_graph_get_folder (self->graph);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  GPtrArray *folders = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) permitted = NULL;

  g_strv_builder_add (builder, folder != NULL ? folder : ".");
  g_strv_builder_addv (builder, (const char **) (size_t) kg_graph_get_permitted (self->graph));
  permitted = g_strv_builder_end (builder);
  find_unpermitted (self, self->graph, (const char *const *) permitted, folders);
  return folders;
}

void
kg_document_permit_writing (KgDocument *self, const char *folder)
{
  g_ptr_array_insert (self->writable, 0, g_strdup (folder));
}

const char *const *
kg_document_get_writable (KgDocument *self)
{
  return (const char *const *) self->writable->pdata;
}

GPtrArray *
kg_document_dup_unwritable (KgDocument *self)
{
  const char *folder = kg_graph_get_folder (self->graph);
  const char *const own[] = { folder != NULL ? folder : ".", NULL };
  GPtrArray *folders = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < kg_graph_get_n_nodes (self->graph); i++) {
    KgNode *node = kg_graph_get_node (self->graph, i);
    g_autofree char *full = NULL, *real = NULL, *around = NULL;
    const char *name;
    int slot;

    if (kg_node_get_type (node) == NULL || kg_node_get_type (node)->role != KG_ROLE_FILE_OUTPUT ||
        kg_node_get_bypass (node))
      continue;
    slot = kg_node_find_slot (node, "path");
    name = slot >= 0 ? get_typed_text (node, (guint) slot) : NULL;
    full = name != NULL ? kg_regular_file_dup_path (own[0], name) : NULL;
    real = full != NULL ? kg_regular_file_dup_real_path (full) : NULL;
    around = real != NULL ? g_path_get_dirname (real) : NULL;
    if (real != NULL && !kg_regular_file_is_below (real, own) &&
        !kg_regular_file_is_below (real, kg_document_get_writable (self)) &&
        !g_ptr_array_find_with_equal_func (folders, around, g_str_equal, NULL))
      g_ptr_array_add (folders, g_steal_pointer (&around));
  }
  return folders;
}

/* Presets beside the file belong to it, and what was in its old folder may still be read. */
static void
follow_folder (KgDocument *self, const char *folder)
{
  const char *before = kg_graph_get_folder (self->graph);

  if (before != NULL && !g_str_equal (before, folder))
    kg_document_permit (self, before);
  kg_graph_set_folder (self->graph, folder);
  if (self->library != NULL)
    kg_library_set_graph_folder (self->library, folder);
}

/* (transfer full) What a graph in another folder calls the file that one in this folder calls path. */
static char *
dup_path_from (const char *path, const char *folder, const char *other)
{
  g_autofree char *absolute = g_canonicalize_filename (path, folder);
  g_auto (GStrv) parts = g_strsplit (absolute, "/", -1), others = g_strsplit (other, "/", -1);
  g_autoptr (GString) relative = g_string_new (NULL);
  guint same = 0;

  while (parts[same] != NULL && others[same] != NULL && g_str_equal (parts[same], others[same]))
    same++;
  /* Only the root in common, which is before the first slash. */
  if (same < 2)
    return g_steal_pointer (&absolute);
  for (guint i = same; others[i] != NULL; i++)
    g_string_append (relative, "../");
  for (guint i = same; parts[i] != NULL; i++)
    g_string_append_printf (relative, "%s%s", parts[i], parts[i + 1] != NULL ? "/" : "");
  return g_string_free (g_steal_pointer (&relative), FALSE);
}

/* Files that are read beside the graph are where they were; what it renders goes where it goes. */
static void
keep_files (KgGraph *graph, const char *folder, const char *other)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);

    /* An instance is as its preset says, until its contents are the graph's own. */
    if (kg_node_get_graph (node) != NULL && (kg_node_get_preset (node) == NULL || kg_node_is_unlocked (node)))
      keep_files (kg_node_get_graph (node), folder, other);
    if (kg_node_get_type (node) == NULL || kg_node_get_type (node)->role == KG_ROLE_FILE_OUTPUT)
      continue;
    for (guint s = 0; s < kg_node_get_n_slots (node); s++) {
      const KgSlot *slot = kg_node_get_slot (node, s);
      const KgSource *source = slot->role == KG_SLOT_INPUT && slot->path ? kg_node_get_source (node, s) : NULL;
      g_auto (KgValue) value = KG_VALUE_INIT;
      g_autofree char *path = NULL;

      if (source == NULL || source->kind != KG_SOURCE_CONSTANT || source->constant.kind != KG_TEXT ||
          *source->constant.text == '\0' || g_path_is_absolute (source->constant.text))
        continue;
      path = dup_path_from (source->constant.text, folder, other);
      value = kg_value_text (path);
      kg_graph_set_constant (graph, node, slot->name, &value, NULL);
    }
  }
}

bool
kg_document_save (KgDocument *self, const char *path, GError **error)
{
  g_autofree char *kept = g_strdup (path); /* may be the document's own */
  g_autofree char *folder = g_path_get_dirname (kept);
  const char *before = kg_graph_get_folder (self->graph);
  const bool moves = before != NULL && g_path_is_absolute (before) && !g_str_equal (before, folder);

  if (moves) {
    kg_graph_begin_group (self->graph, _ ("Save in another folder"));
    keep_files (self->graph, before, folder);
  }
  if (!kg_graph_save (self->graph, kept, error)) {
    if (moves)
      kg_graph_cancel_group (self->graph);
    return false;
  }
  if (moves)
    kg_graph_end_group (self->graph);
  follow_folder (self, folder);
  g_free (self->path);
  self->path = g_steal_pointer (&kept);
  g_free (self->saved);
  self->saved = file_checksum (self->path);
  self->modified = self->gone = false;
  g_signal_emit (self, signals[STATE_CHANGED], 0);
  return true;
}

void
kg_document_set_file_differs (KgDocument *self, bool differs)
{
  g_free (self->saved);
  self->saved = differs ? g_strdup ("") : file_checksum (self->path);
}

KgGraph *
kg_document_get_graph (KgDocument *self)
{
  return self->graph;
}

char *
kg_document_dup_script (KgDocument *self)
{
  return kg_recorder_dup_script (self->recorder);
}

const char *
kg_document_get_path (KgDocument *self)
{
  return self->path;
}

const char *
kg_document_get_folder (KgDocument *self)
{
  return kg_graph_get_folder (self->graph);
}

void
kg_document_set_path (KgDocument *self, const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_free (self->path);
  self->path = g_strdup (path);
  follow_folder (self, folder);
  g_signal_emit (self, signals[STATE_CHANGED], 0);
}

char *
kg_document_dup_name (KgDocument *self)
{
  const char *title = kg_graph_get_title (self->graph);

  if (*title != '\0')
    return g_strdup (title);
  return self->path != NULL ? g_path_get_basename (self->path) : g_strdup (_ ("Untitled"));
}

char *
kg_document_dup_relative_path (KgDocument *self, const char *path)
{
  const char *folder = kg_graph_get_folder (self->graph);
  g_autoptr (GFile) base = folder != NULL ? g_file_new_for_path (folder) : NULL;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  char *relative = base != NULL ? g_file_get_relative_path (base, file) : NULL;

  return relative != NULL ? relative : g_strdup (path);
}

bool
kg_document_is_modified (KgDocument *self)
{
  return self->modified || self->gone;
}

void
kg_document_set_modified (KgDocument *self)
{
  self->modified = true;
  g_signal_emit (self, signals[STATE_CHANGED], 0);
}

guint64
kg_document_get_serial (KgDocument *self)
{
  return self->serial;
}

KgFileState
kg_document_check_file (KgDocument *self)
{
  const bool gone = self->path != NULL && !g_file_test (self->path, G_FILE_TEST_EXISTS);
  g_autofree char *now = NULL;

  if (gone != self->gone) {
    self->gone = gone;
    g_signal_emit (self, signals[STATE_CHANGED], 0);
  }
  if (gone)
    return KG_FILE_GONE;
  if (self->path == NULL || self->saved == NULL)
    return KG_FILE_SAME;
  now = file_checksum (self->path);
  return now != NULL && !g_str_equal (now, self->saved) ? KG_FILE_CHANGED : KG_FILE_SAME;
}

KgGraph *
kg_document_get_current (KgDocument *self)
{
  return self->current;
}

void
kg_document_enter (KgDocument *self, KgGraph *graph)
{
  if (graph == self->current)
    return;
  clear_selection (self);
  connect_current (self, graph);
  g_signal_emit (self, signals[CURRENT_CHANGED], 0);
  g_signal_emit (self, signals[SELECTION_CHANGED], 0);
}

guint
kg_document_get_n_selected (KgDocument *self)
{
  return self->selected->len;
}

KgNode *
kg_document_get_selected (KgDocument *self, guint index)
{
  return (KgNode *) g_ptr_array_index (self->selected, index);
}

bool
kg_document_is_selected (KgDocument *self, KgNode *node)
{
  return g_hash_table_contains (self->selected_set, node);
}

KgNode *
kg_document_get_active (KgDocument *self)
{
  return self->selected->len > 0 ? (KgNode *) g_ptr_array_index (self->selected, self->selected->len - 1) : NULL;
}

void
kg_document_select (KgDocument *self, KgNode *node, bool add)
{
  if (!add)
    clear_selection (self);
  if (node != NULL) {
    if (!g_hash_table_add (self->selected_set, node))
      g_ptr_array_remove (self->selected, node);
    g_ptr_array_add (self->selected, node);
  }
  g_signal_emit (self, signals[SELECTION_CHANGED], 0);
}

void
kg_document_unselect (KgDocument *self, KgNode *node)
{
  if (g_hash_table_remove (self->selected_set, node) && g_ptr_array_remove (self->selected, node))
    g_signal_emit (self, signals[SELECTION_CHANGED], 0);
}

void
kg_document_select_all (KgDocument *self, GPtrArray *nodes)
{
  if (nodes->len == self->selected->len &&
      (nodes->len == 0 || memcmp (nodes->pdata, self->selected->pdata, nodes->len * sizeof (gpointer)) == 0))
    return;
  clear_selection (self);
  for (guint i = 0; i < nodes->len; i++)
    if (g_hash_table_add (self->selected_set, g_ptr_array_index (nodes, i)))
      g_ptr_array_add (self->selected, g_ptr_array_index (nodes, i));
  g_signal_emit (self, signals[SELECTION_CHANGED], 0);
}

void
kg_document_watch (KgDocument *self, GCallback changed, gpointer watcher)
{
  static const guint watched[] = { CHANGED, SELECTION_CHANGED, FRAME_CHANGED };

  for (guint i = 0; i < G_N_ELEMENTS (watched); i++)
    g_signal_connect_object (self, g_signal_name (signals[watched[i]]), changed, watcher, G_CONNECT_SWAPPED);
}

double
kg_document_get_frame (KgDocument *self)
{
  return self->frame;
}

static char *
dup_draft_key (KgNode *node, const char *input)
{
  g_autofree char *path = kg_node_dup_path (node);

  return g_strdup_printf ("%s.%s", path, input);
}

void
kg_document_set_draft (KgDocument *self, KgNode *node, const char *input, const char *text)
{
  g_autofree char *key = dup_draft_key (node, input);

  if (text != NULL)
    g_hash_table_insert (self->drafts, g_steal_pointer (&key), g_strdup (text));
  else
    g_hash_table_remove (self->drafts, key);
}

const char *
kg_document_get_draft (KgDocument *self, KgNode *node, const char *input)
{
  g_autofree char *key = dup_draft_key (node, input);

  return (const char *) g_hash_table_lookup (self->drafts, key);
}

bool
kg_document_get_auto_key (KgDocument *self)
{
  return self->auto_key;
}

void
kg_document_set_auto_key (KgDocument *self, bool auto_key)
{
  if (self->auto_key == auto_key)
    return;
  self->auto_key = auto_key;
  g_signal_emit (self, signals[STATE_CHANGED], 0);
}

bool
kg_document_is_dragged (KgDocument *self)
{
  return self->dragged;
}

void
kg_document_set_dragged (KgDocument *self, bool dragged)
{
  self->dragged = dragged;
}

bool
kg_document_is_playing (KgDocument *self)
{
  return self->playing;
}

void
kg_document_set_playing (KgDocument *self, bool playing)
{
  if (self->playing == playing)
    return;
  self->playing = playing;
  /* What was good enough for a moment is made again when it stays. */
  if (!playing)
    g_signal_emit (self, signals[FRAME_CHANGED], 0);
}

void
kg_document_set_frame (KgDocument *self, double frame)
{
  if (frame == self->frame)
    return;
  self->frame = frame;
  g_signal_emit (self, signals[FRAME_CHANGED], 0);
}

/* Picking a colour. */

void
kg_document_begin_pick (KgDocument *self, GObject *owner, KgPickTake take)
{
  g_set_weak_pointer (&self->picking, owner);
  self->take_pick = take;
  g_signal_emit (self, signals[PICKING_CHANGED], 0);
}

gpointer
kg_document_get_picking (KgDocument *self)
{
  return self->picking;
}

void
kg_document_end_pick (KgDocument *self, const KgColor *color)
{
  GObject *owner = self->picking;

  if (owner == NULL)
    return;
  g_clear_weak_pointer (&self->picking);
  g_signal_emit (self, signals[PICKING_CHANGED], 0);
  if (color != NULL)
    self->take_pick (owner, color);
}
