/* kg-welcome: what an empty window shows: a new graph, recent files, and the examples as images.
 *
 * Signals:
 *   open (char *path)  a recent file or an example was chosen
 *   new ()             an empty graph is wanted
 *   browse ()          open a file of the user's choice
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>
#include <stdbool.h>

G_BEGIN_DECLS

#define KG_TYPE_WELCOME (kg_welcome_get_type ())
G_DECLARE_FINAL_TYPE (KgWelcome, kg_welcome, KG, WELCOME, GtkWidget)

GtkWidget *kg_welcome_new (void);
/* path is one of the examples: better opened as a copy without a file. */
bool kg_welcome_is_example (const char *path);

G_END_DECLS
