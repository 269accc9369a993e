/* kg-frame-fields: the range and the rate of the graph as numbers to type.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_FRAME_FIELDS (kg_frame_fields_get_type ())
G_DECLARE_FINAL_TYPE (KgFrameFields, kg_frame_fields, KG, FRAME_FIELDS, GtkWidget)

GtkWidget *kg_frame_fields_new (KgDocument *document);
/* (transfer none) The labels before the fields are as wide as the widest of this group, to which others may be added. */
GtkSizeGroup *kg_frame_fields_get_labels (KgFrameFields *fields);

G_END_DECLS
