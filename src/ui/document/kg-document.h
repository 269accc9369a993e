/* kg-document: what the panes of one window share: the graph, which part of it is shown, what is selected, the
 * current frame, and the file it belongs to.  Knows no widgets.
 *
 * Signals:
 *   changed ()            the graph, in whatever way
 *   selection-changed ()  the selected nodes, or which of them is the active one
 *   current-changed ()    another graph is shown: a sub-graph was entered or left
 *   frame-changed ()      the current frame
 *   library-changed ()    there are other presets, or newer ones
 *   state-changed ()      path, title, or whether there is something to save
 *   picking-changed ()    a colour is to be picked from what is displayed, or no longer
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-file.h"
#include "kg-library.h"

#include <glib-object.h>

G_BEGIN_DECLS

#define KG_TYPE_DOCUMENT (kg_document_get_type ())
G_DECLARE_FINAL_TYPE (KgDocument, kg_document, KG, DOCUMENT, GObject)

/* An empty graph without a file. */
KgDocument *kg_document_new (KgTypes *types);
/* NULL and problems (see kg_graph_load) when the file is not a valid graph. */
KgDocument *kg_document_load (KgTypes *types, const char *path, GPtrArray *problems);
/* The same from text; the document belongs to no file, but relative paths start at folder (nullable). */
KgDocument *kg_document_parse (KgTypes *types, const char *text, const char *folder, GPtrArray *problems);
/* Saves and belongs to path from then on. */
bool kg_document_save (KgDocument *document, const char *path, GError **error);

/* Where presets are found, from now on whenever it changes; the graph keeps the definitions that it has. */
void kg_document_set_library (KgDocument *document, KgLibrary *library);
KgLibrary *kg_document_get_library (KgDocument *document); /* (nullable) */

KgGraph *kg_document_get_graph (KgDocument *document); /* the outermost one */
/* (transfer full) What was done since the document was made, as a script that makes the graph (docs/script.md). */
char *kg_document_dup_script (KgDocument *document);
const char *kg_document_get_path (KgDocument *document); /* (nullable) */
/* (nullable) Of its graph's file, or where its relative paths start. */
const char *kg_document_get_folder (KgDocument *document);
/* For recovered work: the file that saving will propose. */
void kg_document_set_path (KgDocument *document, const char *path);
/* For a document that was not read from its file: whether that is known to hold something else than what the document
 * began with.  If not, what it holds now is. */
void kg_document_set_file_differs (KgDocument *document, bool differs);
/* (transfer full) What the window is called: the title of the graph, the name of its file, or "Untitled". */
char *kg_document_dup_name (KgDocument *document);
/* (transfer full) A file as inputs name it: relative where it is in the folder of the graph, or below. */
char *kg_document_dup_relative_path (KgDocument *document, const char *path);
/* Files outside the folder of the graph are read only when the user has named them or said so (docs/trust.md): a file or
 * folder, as inputs name it, that may be read as long as the document is open. */
void kg_document_permit (KgDocument *document, const char *path);
/* (transfer full) (element-type filename) The folders, each once, of files that the graph names, may not read, and was not
 * asked for yet by this call. */
GPtrArray *kg_document_take_unpermitted (KgDocument *document);
/* The same for writing: a folder where files may be written that nodes name. */
void kg_document_permit_writing (KgDocument *document, const char *folder);
const char *const *kg_document_get_writable (KgDocument *document);
/* (transfer full) (element-type filename) The folders, each once, where nodes would write and may not. */
GPtrArray *kg_document_dup_unwritable (KgDocument *document);
/* Something would be lost without saving. */
bool kg_document_is_modified (KgDocument *document);
void kg_document_set_modified (KgDocument *document);
/* Counts the changes of the graph: to see whether anything happened since. */
guint64 kg_document_get_serial (KgDocument *document);
/* What happened to the file since it was read or saved. */
typedef enum {
  KG_FILE_SAME,    /* nothing, or there is none */
  KG_FILE_CHANGED, /* another program wrote to it */
  KG_FILE_GONE     /* it was deleted or moved: the document counts as modified until it is there again */
} KgFileState;
KgFileState kg_document_check_file (KgDocument *document);

/* The graph that the canvas shows. */
KgGraph *kg_document_get_current (KgDocument *document);
void kg_document_enter (KgDocument *document, KgGraph *graph);

/* Selected nodes are in the current graph.  The active one (the last that was selected) is what the inspector shows. */
guint kg_document_get_n_selected (KgDocument *document);
KgNode *kg_document_get_selected (KgDocument *document, guint index);
bool kg_document_is_selected (KgDocument *document, KgNode *node);
KgNode *kg_document_get_active (KgDocument *document);                  /* (nullable) */
void kg_document_select (KgDocument *document, KgNode *node, bool add); /* node NULL, add false: nothing */
void kg_document_unselect (KgDocument *document, KgNode *node);
void kg_document_select_all (KgDocument *document, GPtrArray *nodes); /* exactly these */
/* Back or on through the history.  What is selected and does not go stays so, and followers of the selection are notified once
 * or twice, however many go.  False when there is nothing to undo or redo. */
bool kg_document_step (KgDocument *document, bool back);

/* Calls changed (watcher) after everything that a pane of the selected nodes shows: "changed", "selection-changed" and
 * "frame-changed", as long as the watcher lives. */
void kg_document_watch (KgDocument *document, GCallback changed, gpointer watcher);

double kg_document_get_frame (KgDocument *document);
void kg_document_set_frame (KgDocument *document, double frame);
/* What was typed for an input and could not be read: kept until it is corrected.  text: NULL forgets it. */
void kg_document_set_draft (KgDocument *document, KgNode *node, const char *input, const char *text);
const char *kg_document_get_draft (KgDocument *document, KgNode *node, const char *input); /* (nullable) */
/* Picking a colour from what is displayed: who wants one asks for it, and who displays something gives it. */
typedef void (*KgPickTake) (gpointer owner, const KgColor *color);
/* Calls take with a colour in linear light, not premultiplied, as soon as there is one; what was requested before is called
 * off.  Nothing is called once owner is gone, or something has called it off. */
void kg_document_begin_pick (KgDocument *document, GObject *owner, KgPickTake take);
/* (transfer none) (nullable) Who has asked. */
gpointer kg_document_get_picking (KgDocument *document);
/* color: (nullable) NULL calls it off. */
void kg_document_end_pick (KgDocument *document, const KgColor *color);
/* Whatever is changed gets a key at the frame. */
bool kg_document_get_auto_key (KgDocument *document);
void kg_document_set_auto_key (KgDocument *document, bool auto_key);
/* Frames follow the clock. */
bool kg_document_is_playing (KgDocument *document);
void kg_document_set_playing (KgDocument *document, bool playing);
/* Something is dragged while frames are played, and each frame gets keys of where it is: nobody else may jump to a frame. */
bool kg_document_is_dragged (KgDocument *document);
void kg_document_set_dragged (KgDocument *document, bool dragged);

G_END_DECLS
