/* kg-frame-fields: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-frame-fields.h"

#include "config.h"
#include "kg-number-field.h"

#include <glib/gi18n.h>

#define LABEL_WIDTH 112

struct _KgFrameFields {
  GtkWidget parent_instance;
  KgDocument *document;
  GtkWidget *start, *end, *rate;
  GtkSizeGroup *labels;
};

G_DEFINE_FINAL_TYPE (KgFrameFields, kg_frame_fields, GTK_TYPE_WIDGET)

static const KgSlot frame_slot = { .name = "frame", .label = N_ ("Frame"), .help = "", .kind = KG_INTEGER };
static const KgSlot rate_slot = { .name = "rate",
                                  .label = N_ ("Frames per second"),
                                  .help = "",
                                  .kind = KG_NUMBER,
                                  .min = 0.001,
                                  .max = 10000,
                                  .soft_min = 1,
                                  .soft_max = 120 };

static void
update (KgFrameFields *self)
{
  const KgFrames frames = kg_graph_get_frames (kg_document_get_graph (self->document));

  kg_number_field_set_value (KG_NUMBER_FIELD (self->start), frames.start);
  kg_number_field_set_value (KG_NUMBER_FIELD (self->end), frames.end);
  kg_number_field_set_value (KG_NUMBER_FIELD (self->rate), frames.rate);
}

/* The other end gives way. */
static void
on_value (GtkWidget *field, double value, KgFrameFields *self)
{
  KgGraph *graph = kg_document_get_graph (self->document);
  KgFrames frames = kg_graph_get_frames (graph);

  if (field == self->start)
    frames = (KgFrames){ value, fmax (frames.end, value), frames.rate };
  else if (field == self->end)
    frames = (KgFrames){ fmin (frames.start, value), value, frames.rate };
  else
    frames.rate = value;
  kg_graph_set_frames (graph, frames, NULL);
  /* A number that the graph refuses is not shown as if it were taken. */
  update (self);
}

/* What Enter took is done: the next key is for the canvas, unless these fields are in a popover, which stays open. */
static void
leave_field (KgFrameFields *self)
{
  if (gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_POPOVER) == NULL)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.leave-field", NULL);
}

static GtkWidget *
add_field (KgFrameFields *self, const KgSlot *slot, const char *label)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4), *text = gtk_label_new (label);
  GtkWidget *field = kg_number_field_new (slot, label);

  gtk_label_set_xalign (GTK_LABEL (text), 0);
  gtk_widget_set_size_request (text, LABEL_WIDTH, -1);
  gtk_size_group_add_widget (self->labels, text);
  gtk_widget_set_hexpand (field, TRUE);
  gtk_box_append (GTK_BOX (box), text);
  gtk_box_append (GTK_BOX (box), field);
  gtk_widget_set_parent (box, GTK_WIDGET (self));
  g_signal_connect (field, "value", G_CALLBACK (on_value), self);
  g_signal_connect_swapped (field, "done", G_CALLBACK (leave_field), self);
  return field;
}

static void
kg_frame_fields_dispose (GObject *object)
{
  KgFrameFields *self = KG_FRAME_FIELDS (object);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  g_clear_object (&self->labels);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (kg_frame_fields_parent_class)->dispose (object);
}

static void
kg_frame_fields_class_init (KgFrameFieldsClass *class)
{
  G_OBJECT_CLASS (class)->dispose = kg_frame_fields_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BOX_LAYOUT);
}

static void
kg_frame_fields_init (KgFrameFields *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (layout), 3);
  self->labels = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
  self->start = add_field (self, &frame_slot, _ ("First frame"));
  self->end = add_field (self, &frame_slot, _ ("Last frame"));
  self->rate = add_field (self, &rate_slot, _ ("Frames per second"));
}

GtkWidget *
kg_frame_fields_new (KgDocument *document)
{
  KgFrameFields *self = KG_FRAME_FIELDS (g_object_new (KG_TYPE_FRAME_FIELDS, NULL));

  self->document = (KgDocument *) g_object_ref (document);
  g_signal_connect_object (document, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
  return GTK_WIDGET (self);
}

GtkSizeGroup *
kg_frame_fields_get_labels (KgFrameFields *self)
{
  return self->labels;
}
