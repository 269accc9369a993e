/* kg-preferences: the window of preferences: a row for each of those of kg-settings that are not merely remembered.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_PREFERENCES (kg_preferences_get_type ())
G_DECLARE_FINAL_TYPE (KgPreferences, kg_preferences, KG, PREFERENCES, GtkWindow)

/* parent: (nullable) */
GtkWindow *kg_preferences_new (GtkWindow *parent);

G_END_DECLS
