/* kg-theme: keeps GTK dark or light, as the setting "theme" says.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-settings.h"

G_BEGIN_DECLS

/* From now on; KG_THEME_FOLLOW asks the desktop, where it can be asked.  Called once, with the settings of the program. */
void kg_theme_apply (KgSettings *settings);

G_END_DECLS
