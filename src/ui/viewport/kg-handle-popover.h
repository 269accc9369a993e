/* kg-handle-popover: the numbers of one handle, to be typed: its place, what belongs to its point besides (tension,
 * continuity and bias), and adding and removing points.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-handle-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Of the active handle; (nullable) when there is none that has numbers.  The view must outlive it. */
GtkWidget *kg_handle_popover_new (KgHandleView *view);

G_END_DECLS
