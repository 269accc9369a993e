/* kg-view-menu: the button in the corner of the viewport: what is shown, and how.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-viewport.h"

G_BEGIN_DECLS

/* Its items are actions of the viewport; onion: what it starts with. */
GtkWidget *kg_view_menu_new (KgViewport *viewport, const KgOnion *onion);

G_END_DECLS
