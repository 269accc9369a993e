/* kg-application: the process: its windows, what they share, and the files given on the command line.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-type.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_APPLICATION (kg_application_get_type ())
G_DECLARE_FINAL_TYPE (KgApplication, kg_application, KG, APPLICATION, GtkApplication)

KgApplication *kg_application_new (void);
KgTypes *kg_application_get_types (KgApplication *application);

G_END_DECLS
