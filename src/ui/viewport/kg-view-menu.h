/* kg-view-menu: the bar in the corner of the viewport: what dragging does, and the menu of what is shown, and how.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-viewport.h"

G_BEGIN_DECLS

/* Its buttons and items are actions of the viewport; onion: what the menu starts with. */
GtkWidget *kg_view_bar_new (KgViewport *viewport, const KgOnion *onion);

G_END_DECLS
