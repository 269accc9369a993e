/* kg-plot: what rulers, grids and graphs of curves share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A round step that cuts a range into about so many parts: 1, 2 or 5 times a power of ten. */
double kg_plot_get_step (double range, double parts);

G_END_DECLS
