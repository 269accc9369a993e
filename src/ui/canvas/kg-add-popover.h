/* kg-add-popover: the search for a node type, at the pointer.
 *
 * Signals:
 *   chosen (char *id)   a node type; the popover closes
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-search.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_ADD_POPOVER (kg_add_popover_get_type ())
G_DECLARE_FINAL_TYPE (KgAddPopover, kg_add_popover, KG, ADD_POPOVER, GtkPopover)

GtkWidget *kg_add_popover_new (void);
/* A graph that got presets has other types than before. */
void kg_add_popover_set_types (KgAddPopover *popover, KgTypes *types);
/* Empties the search and lists what fits (see kg_search_types); then show it with gtk_popover_popup. */
void kg_add_popover_prepare (KgAddPopover *popover, KgKind kind, bool is_output);

G_END_DECLS
