/* kg-window: one graph and its panes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-application.h"
#include "kg-document.h"

G_BEGIN_DECLS

#define KG_TYPE_WINDOW (kg_window_get_type ())
G_DECLARE_FINAL_TYPE (KgWindow, kg_window, KG, WINDOW, GtkApplicationWindow)

/* document NULL: the welcome page. */
GtkWindow *kg_window_new (KgApplication *application, KgDocument *document);
/* (nullable) */
KgDocument *kg_window_get_document (KgWindow *window);
/* Replaces the welcome page; only while there is no document. */
void kg_window_set_document (KgWindow *window, KgDocument *document);
/* Asks what to do with changes, then closes. */
void kg_window_ask_to_close (KgWindow *window);

G_END_DECLS
