/* kg-pick-button: a button that asks for a colour from what the viewport shows, and is down until there is one.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* owner: a widget around the button, which take is called with: see kg_document_begin_pick. */
GtkWidget *kg_pick_button_new (KgDocument *document, GtkWidget *owner, KgPickTake take);

G_END_DECLS
