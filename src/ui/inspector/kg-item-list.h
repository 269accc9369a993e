/* kg-item-list: the items of an input that takes a list, each a row that is moved by dragging its grip or with Alt+Up and
 * Alt+Down.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-source.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Rows that are shown; what follows is counted. */
#define KG_ITEM_LIST_MOST 50

/* Item from goes where item to is; those between move up or down by one. */
typedef void (*KgItemListMove) (gpointer owner, guint from, guint to);

/* source: a list, which is copied.  label: of the input, translated.  make: gives the widget of an item (transfer floating);
 * both get owner, which outlives the widget. */
GtkWidget *kg_item_list_new (const KgSource *source, const char *label, GtkWidget *(*make) (gpointer owner, guint item),
                             KgItemListMove move, gpointer owner);
/* Whether it shows just this. */
bool kg_item_list_shows (GtkWidget *list, const KgSource *source);
/* The item whose row has the keyboard, -1: none; inside: what is in the row has it, and not the row itself. */
int kg_item_list_get_focus (GtkWidget *list, bool *inside);
void kg_item_list_set_focus (GtkWidget *list, guint item, bool inside);

G_END_DECLS
