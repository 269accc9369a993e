/* kg-window-private: what kg-window.c (the window and its panes), kg-window-request.c (what is requested from the worker),
 * kg-window-files.c (the graph's file) and kg-window-actions.c share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-canvas.h"
#include "kg-inspector.h"
#include "kg-recovery.h"
#include "kg-timeline.h"
#include "kg-viewport.h"
#include "kg-window.h"

G_BEGIN_DECLS

struct _KgWindow {
  GtkApplicationWindow parent_instance;
  GtkWidget *stack, *welcome_page, *editor_page, *changed_bar, *changed_label, *reload_button;
  GtkWidget *save_again_button, *side_paned, *main_paned, *viewport_box, *inspector_box;
  GtkWidget *timeline_box, *breadcrumb, *message, *lower_stack, *spinner, *save_button, *undo_button, *redo_button;
  GtkWidget *menu_button;
  GMenu *recent_menu;
  KgDocument *document;
  KgRecovery *recovery;
  KgCache *cache;
  KgFrameStore *store;
  KgWorker *worker;
  KgCanvas *canvas;
  GtkWidget *viewport, *inspector, *timeline, *curves, *sheet, *presets;
  GFileMonitor *monitor;
  guint request_source, message_source, focus_source;
  /* What the worker has. */
  bool stale;          /* it needs a new snapshot */
  bool wanted;         /* a request in any case: for another time or view */
  KgHash sent_hash;    /* of what was displayed */
  KgHash settled_hash; /* of the settings of what was shown when nothing was dragged last */
  bool closing;
  bool narrow;
  bool space_held, space_used;
};

/* kg-window.c */
void kg_window_show_message (KgWindow *self, const char *text);

/* kg-window-request.c */
/* Sees when idle whether what was requested last is still it. */
void kg_window_check_request (KgWindow *self);
/* Asks in any case: for another time or view. */
void kg_window_want_request (KgWindow *self);
void kg_window_renew_request (KgWindow *self);
/* Images, meshes and tables that another program has changed meanwhile. */
void kg_window_read_again (KgWindow *self, bool numbered);

/* kg-window-files.c */
/* True when it is done; otherwise a question is on its way. */
bool kg_window_save (KgWindow *self);
void kg_window_save_as (KgWindow *self);
/* Shows what has become of the file. */
void kg_window_check_file (KgWindow *self);
void kg_window_watch_file (KgWindow *self);
/* Among the recent files. */
void kg_window_remember_file (KgWindow *self);
bool kg_window_is_open_elsewhere (KgWindow *self, const char *path);

/* kg-window-actions.c */
void kg_window_install_actions (GtkWidgetClass *class);

G_END_DECLS
