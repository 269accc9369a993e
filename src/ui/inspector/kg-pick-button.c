/* kg-pick-button: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-pick-button.h"

#include "config.h"

#include <glib/gi18n.h>

typedef struct {
  KgDocument *document;
  GtkWidget *owner; /* borrowed: around the button */
  KgPickTake take;
} Picking;

static void
on_toggled (GtkToggleButton *button, Picking *picking)
{
  const bool wanted = gtk_toggle_button_get_active (button);

  if (wanted == (kg_document_get_picking (picking->document) == picking->owner))
    return;
  if (wanted)
    kg_document_begin_pick (picking->document, G_OBJECT (picking->owner), picking->take);
  else
    kg_document_end_pick (picking->document, NULL);
}

static void
show_picking (GtkToggleButton *button, KgDocument *document)
{
  const gpointer owner = kg_document_get_picking (document);

  gtk_toggle_button_set_active (button,
                                owner != NULL && gtk_widget_is_ancestor (GTK_WIDGET (button), GTK_WIDGET (owner)));
}

static void
free_picking (gpointer data, GClosure *closure)
{
  (void) closure;
  g_object_unref (((Picking *) data)->document);
  g_free (data);
}

GtkWidget *
kg_pick_button_new (KgDocument *document, GtkWidget *owner, KgPickTake take)
{
  GtkWidget *button = gtk_toggle_button_new ();
  Picking *picking = g_new (Picking, 1);

  *picking = (Picking){ (KgDocument *) g_object_ref (document), owner, take };
  gtk_button_set_icon_name (GTK_BUTTON (button), "color-select-symbolic");
  gtk_button_set_has_frame (GTK_BUTTON (button), FALSE);
  gtk_widget_set_tooltip_text (button, _ ("Pick a colour from the viewport"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Pick a colour from the viewport"), -1);
  g_signal_connect_data (button, "toggled", G_CALLBACK (on_toggled), picking, free_picking, 0);
  g_signal_connect_object (document, "picking-changed", G_CALLBACK (show_picking), button, G_CONNECT_SWAPPED);
  return button;
}
