/* kg-search-list: a search entry above a list, as popovers show it: typing fills the list, Up, Down, Page Up and Page Down
 * select a row without leaving the entry, Enter or a click chooses it, Escape closes the popover.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A member of the popover, which owns the widgets. */
typedef struct {
  GtkPopover *popover;
  GtkWidget *entry, *list;
  GtkWidget *nothing; /* the label of the empty list */
  GtkWidget *box;     /* what the popover contains: more may be appended */
  /* Adds the rows for a text. */
  void (*fill) (GtkPopover *popover, const char *text);
  /* A row was chosen, and the popover is closed. */
  void (*choose) (GtkPopover *popover, GtkListBoxRow *row);
} KgSearchList;

/* Builds the widgets.  prompt: what the empty entry shows; nothing: what the empty list shows. */
void kg_search_list_init (KgSearchList *search, GtkPopover *popover, const char *prompt, const char *nothing,
                          int width);
/* Empties the entry, fills the list and moves the focus to the entry. */
void kg_search_list_start (KgSearchList *search);
/* (transfer floating) A row of two texts, the second one dim. */
GtkWidget *kg_search_list_make_row (GtkWidget *text, const char *dim);

G_END_DECLS
