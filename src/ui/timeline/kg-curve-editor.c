/* kg-curve-editor: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-curve-editor.h"

#include "config.h"
#include "kg-curve-area.h"
#include "kg-follow-focus.h"
#include "kg-number.h"
#include "kg-widget.h"
#include "kg-wrap-layout.h"

#include <glib/gi18n.h>
#include <math.h>

#define AREA_HEIGHT 110 /* pixels that the bar leaves to the curves */

enum { TENSION, CONTINUITY, BIAS, N_TCB };

struct _KgCurveEditor {
  GtkWidget parent_instance;
  KgDocument *document;
  KgCurveArea *area;
  GtkWidget *bar, *bar_view, *list, *paned;
  GtkWidget *frame, *value;
  GtkDropDown *interpolation, *before, *after;
  GtkWidget *tcb[N_TCB];
  GtkWidget *time_factor, *value_factor, *tolerance, *report;
  KgUnit unit;               /* that the value and the tolerance are shown in */
  GPtrArray *need_selection; /* GtkWidget */
  bool updating;
};

G_DEFINE_FINAL_TYPE (KgCurveEditor, kg_curve_editor, GTK_TYPE_WIDGET)

/* What the bar shows. */

static void
set_quantity (GtkWidget *entry, double number, KgUnit unit)
{
  g_autofree char *text = isnan (number) ? g_strdup ("") : kg_number_format_unit (number, unit, false);

  gtk_editable_set_text (GTK_EDITABLE (entry), text);
}

static void
set_number (GtkWidget *entry, double number)
{
  set_quantity (entry, number, KG_UNIT_NONE);
}

/* NAN and a mark on the entry when its text is not a number. */
static double
get_quantity (GtkWidget *entry, KgUnit unit)
{
  bool is_expression;
  double number;

  if (!kg_number_parse (gtk_editable_get_text (GTK_EDITABLE (entry)), unit, &number, &is_expression, NULL))
    number = NAN;
  kg_widget_set_class (entry, "error", isnan (number));
  return number;
}

static double
get_number (GtkWidget *entry)
{
  return get_quantity (entry, KG_UNIT_NONE);
}

/* The key whose numbers are shown.  The tolerance is independent of the unit. */
static void
set_unit (KgCurveEditor *self, KgUnit unit)
{
  const double tolerance = get_quantity (self->tolerance, self->unit);

  if (unit != self->unit && !isnan (tolerance))
    set_quantity (self->tolerance, tolerance, unit);
  self->unit = unit;
}

/* The setting that all selected keys have in common, or GTK_INVALID_LIST_POSITION. */
static guint
get_common_interpolation (KgCurveEditor *self)
{
  guint common = GTK_INVALID_LIST_POSITION;

  for (guint t = 0; t < kg_curve_area_get_n_tracks (self->area); t++) {
    const KgCurveTrack *track = kg_curve_area_get_track (self->area, t);
    gsize n;
    const KgKey *keys = kg_channel_get_keys (track->channel, &n);

    for (gsize i = 0; i < n; i++) {
      if (track->marks->data[i] == 0)
        continue;
      if (common != GTK_INVALID_LIST_POSITION && common != keys[i].interpolation)
        return GTK_INVALID_LIST_POSITION;
      common = keys[i].interpolation;
    }
  }
  return common;
}

static void
update_extends (KgCurveEditor *self)
{
  guint common_before = GTK_INVALID_LIST_POSITION, common_after = GTK_INVALID_LIST_POSITION;
  guint track_of_key, component;
  gsize key;
  KgExtend before, after;

  if (kg_curve_area_get_active (self->area, &track_of_key, &key, &component)) {
    kg_channel_get_extend (kg_curve_area_get_track (self->area, track_of_key)->channel, &before, &after);
    common_before = before;
    common_after = after;
  } else
    for (guint t = 0; t < kg_curve_area_get_n_tracks (self->area); t++) {
      kg_channel_get_extend (kg_curve_area_get_track (self->area, t)->channel, &before, &after);
      common_before = t == 0 || common_before == before ? before : GTK_INVALID_LIST_POSITION;
      common_after = t == 0 || common_after == after ? after : GTK_INVALID_LIST_POSITION;
    }
  gtk_drop_down_set_selected (self->before, common_before);
  gtk_drop_down_set_selected (self->after, common_after);
  gtk_widget_set_sensitive (GTK_WIDGET (self->before), kg_curve_area_get_n_tracks (self->area) > 0);
  gtk_widget_set_sensitive (GTK_WIDGET (self->after), kg_curve_area_get_n_tracks (self->area) > 0);
}

static void
update_bar (KgCurveEditor *self)
{
  guint index, component;
  gsize key, n;
  double tcb[N_TCB] = { NAN, NAN, NAN };
  bool any;

  /* An entry that loses the focus because everything goes. */
  if (self->area == NULL)
    return;
  any = kg_curve_area_get_active (self->area, &index, &key, &component);
  self->updating = true;
  for (guint i = 0; i < self->need_selection->len; i++)
    gtk_widget_set_sensitive (GTK_WIDGET (g_ptr_array_index (self->need_selection, i)), any);
  set_number (self->frame, NAN);
  set_number (self->value, NAN);
  if (any) {
    const KgCurveTrack *track = kg_curve_area_get_track (self->area, index);
    const KgKey *active = kg_channel_get_keys (track->channel, &n) + key;

    set_unit (self, kg_curve_track_get_unit (track));
    set_number (self->frame, active->at);
    set_quantity (self->value, active->value[component], self->unit);
    gtk_widget_set_sensitive (self->value, !kg_channel_is_rotation (track->channel));
    tcb[TENSION] = active->tension;
    tcb[CONTINUITY] = active->continuity;
    tcb[BIAS] = active->bias;
  }
  for (guint i = 0; i < N_TCB; i++)
    set_number (self->tcb[i], tcb[i]);
  gtk_drop_down_set_selected (self->interpolation, get_common_interpolation (self));
  update_extends (self);
  self->updating = false;
}

/* The list of curves. */

static void
on_component_toggled (GtkCheckButton *button, KgCurveEditor *self)
{
  const guint index = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "track"));
  const guint component = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "component"));
  const guint8 hidden = kg_curve_area_get_track (self->area, index)->hidden, bit = (guint8) (1 << component);

  kg_curve_area_set_hidden (self->area, index,
                            gtk_check_button_get_active (button) ? hidden & (guint8) ~bit : hidden | bit);
}

static void
color_label (GtkWidget *check, const char *text, const GdkRGBA *color)
{
  GtkWidget *label = gtk_label_new (NULL);
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  g_autofree char *markup = g_strdup_printf ("<span foreground=\"#%02x%02x%02x\">●</span>%s%s",
                                             (int) (255 * color->red), (int) (255 * color->green),
                                             (int) (255 * color->blue), *text != '\0' ? " " : "", escaped);

  gtk_label_set_markup (GTK_LABEL (label), markup);
  gtk_check_button_set_child (GTK_CHECK_BUTTON (check), label);
}

static GtkWidget *
make_row (KgCurveEditor *self, guint index)
{
  const KgCurveTrack *track = kg_curve_area_get_track (self->area, index);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *checks = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  g_autofree char *label_text = kg_keyed_dup_label (&track->at);
  g_autofree char *name = g_strdup_printf ("%s · %s", kg_node_get_name (track->at.node), label_text);
  GtkWidget *label = gtk_label_new (name);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_tooltip_text (label, name);
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (GTK_BOX (row), checks);
  for (guint c = 0; c < kg_channel_get_width (track->channel); c++) {
    GtkWidget *check = gtk_check_button_new ();
    const GdkRGBA color = kg_curve_area_get_color (self->area, index, c);
    const char *component = kg_curve_track_get_component (track, c);
    g_autofree char *description = g_strdup_printf ("%s %s", name, component);

    color_label (check, component, &color);
    gtk_check_button_set_active (GTK_CHECK_BUTTON (check), !(track->hidden & 1 << c));
    gtk_widget_set_tooltip_text (check, _ ("Show this curve"));
    gtk_accessible_update_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL, description, -1);
    g_object_set_data (G_OBJECT (check), "track", GUINT_TO_POINTER (index));
    g_object_set_data (G_OBJECT (check), "component", GUINT_TO_POINTER (c));
    g_signal_connect (check, "toggled", G_CALLBACK (on_component_toggled), self);
    gtk_box_append (GTK_BOX (checks), check);
  }
  return row;
}

static void
update_list (KgCurveEditor *self)
{
  for (GtkWidget *child = gtk_widget_get_first_child (self->list); child != NULL;
       child = gtk_widget_get_first_child (self->list))
    gtk_box_remove (GTK_BOX (self->list), child);
  for (guint t = 0; t < kg_curve_area_get_n_tracks (self->area); t++)
    gtk_box_append (GTK_BOX (self->list), make_row (self, t));
}

/* What the bar does. */

static KgChannel *
tangents_edit (const KgChannel *channel, GByteArray *marks, gpointer data)
{
  return kg_key_edit_set_tangents (channel, marks, (KgKeyTangents) GPOINTER_TO_INT (data));
}

static void
on_tangents (GtkButton *button, KgCurveEditor *self)
{
  kg_curve_area_edit (self->area, _ ("Set tangents"), tangents_edit, g_object_get_data (G_OBJECT (button), "tangents"));
}

static KgChannel *
interpolation_edit (const KgChannel *channel, GByteArray *marks, gpointer data)
{
  return kg_key_edit_set_interpolation (channel, marks, (KgInterpolation) GPOINTER_TO_UINT (data));
}

static void
on_interpolation (GtkDropDown *drop_down, GParamSpec *property, KgCurveEditor *self)
{
  const guint chosen = gtk_drop_down_get_selected (drop_down);

  (void) property;
  if (!self->updating && chosen < KG_N_INTERPOLATIONS)
    kg_curve_area_edit (self->area, _ ("Set interpolation"), interpolation_edit, GUINT_TO_POINTER (chosen));
}

static void
on_extend (GtkDropDown *drop_down, GParamSpec *property, KgCurveEditor *self)
{
  const guint chosen = gtk_drop_down_get_selected (drop_down);
  const KgExtend extend = (KgExtend) chosen;

  (void) property;
  if (!self->updating && chosen < KG_N_EXTENDS)
    kg_curve_area_set_extend (self->area, drop_down == self->before ? &extend : NULL,
                              drop_down == self->after ? &extend : NULL);
}

static void
on_frame (GtkWidget *entry, KgCurveEditor *self)
{
  const double frame = get_number (entry);

  if (!isnan (frame))
    kg_curve_area_place (self->area, frame);
}

static KgChannel *
value_edit (const KgChannel *channel, GByteArray *marks, gpointer data)
{
  return kg_key_edit_set_value (channel, marks, *(const double *) data);
}

static void
on_value (GtkWidget *entry, KgCurveEditor *self)
{
  double value = get_quantity (entry, self->unit);

  if (!isnan (value))
    kg_curve_area_edit (self->area, _ ("Set values"), value_edit, &value);
}

static KgChannel *
tcb_edit (const KgChannel *channel, GByteArray *marks, gpointer data)
{
  const double *tcb = (const double *) data;

  return kg_key_edit_set_tcb (channel, marks, tcb[TENSION], tcb[CONTINUITY], tcb[BIAS]);
}

static void
on_tcb (GtkWidget *entry, KgCurveEditor *self)
{
  double tcb[N_TCB];

  /* Only the one that was typed: the others may differ between the selected keys. */
  for (guint i = 0; i < N_TCB; i++)
    tcb[i] = self->tcb[i] == entry ? get_number (entry) : NAN;
  if (!isnan (tcb[TENSION]) || !isnan (tcb[CONTINUITY]) || !isnan (tcb[BIAS]))
    kg_curve_area_edit (self->area, _ ("Set tension, continuity and bias"), tcb_edit, tcb);
}

static KgChannel *
scale_edit (const KgChannel *channel, GByteArray *marks, gpointer data)
{
  const KgKeyScale *scale = (const KgKeyScale *) data;

  return kg_key_edit_scale (channel, marks, scale, true);
}

static void
on_scale (GtkWidget *widget, KgCurveEditor *self)
{
  KgKeyScale scale = { .time_pivot = kg_document_get_frame (self->document), .value_pivot = 0 };

  (void) widget;
  scale.time_factor = get_number (self->time_factor);
  scale.value_factor = get_number (self->value_factor);
  if (!isnan (scale.time_factor) && !isnan (scale.value_factor))
    kg_curve_area_edit (self->area, _ ("Scale keys"), scale_edit, &scale);
}

typedef struct {
  double tolerance;
  gsize before, after;
} Reduction;

static KgChannel *
reduce_edit (const KgChannel *channel, GByteArray *marks, gpointer data)
{
  Reduction *reduction = (Reduction *) data;
  KgChannel *reduced;
  gsize n;

  kg_channel_get_keys (channel, &n);
  reduction->before += n;
  reduced = kg_key_edit_reduce (channel, marks, reduction->tolerance);
  kg_channel_get_keys (reduced, &n);
  reduction->after += n;
  return reduced;
}

static void
on_reduce (GtkWidget *widget, KgCurveEditor *self)
{
  Reduction reduction = { .tolerance = get_quantity (self->tolerance, self->unit) };
  g_autofree char *report = NULL;

  (void) widget;
  if (!(reduction.tolerance >= 0))
    return;
  kg_curve_area_edit (self->area, _ ("Reduce keys"), reduce_edit, &reduction);
  report = g_strdup_printf (_ ("Keys removed: %d of %d"), (int) (reduction.before - reduction.after),
                            (int) reduction.before);
  gtk_label_set_text (GTK_LABEL (self->report), report);
}

static void
on_entry_activate (GtkWidget *entry, KgCurveEditor *self)
{
  if (entry == self->frame)
    on_frame (entry, self);
  else if (entry == self->value)
    on_value (entry, self);
  else
    on_tcb (entry, self);
}

/* Making the bar. */

/* A widget and its label as one, so that no line ends between them. */
static void
append_labelled (GtkWidget *box, const char *label, GtkWidget *widget)
{
  GtkWidget *both = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *text = gtk_label_new (label);

  gtk_label_set_xalign (GTK_LABEL (text), 0);
  gtk_widget_set_hexpand (text, TRUE);
  gtk_box_append (GTK_BOX (both), text);
  gtk_box_append (GTK_BOX (both), widget);
  gtk_box_append (GTK_BOX (box), both);
}

static GtkWidget *
add_entry (GtkWidget *box, const char *label, const char *tooltip, int width)
{
  GtkWidget *entry = gtk_entry_new ();

  gtk_editable_set_width_chars (GTK_EDITABLE (entry), width);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (entry), width);
  gtk_entry_set_input_purpose (GTK_ENTRY (entry), GTK_INPUT_PURPOSE_NUMBER);
  gtk_widget_set_tooltip_text (entry, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  append_labelled (box, label, entry);
  return entry;
}

static GtkWidget *
add_key_entry (KgCurveEditor *self, GtkWidget *box, const char *label, const char *tooltip, int width)
{
  GtkWidget *entry = add_entry (box, label, tooltip, width);
  GtkEventController *focus = gtk_event_controller_focus_new ();

  g_signal_connect (entry, "activate", G_CALLBACK (on_entry_activate), self);
  /* Unfinished text is not an edit: the entry shows the key again. */
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (update_bar), self);
  gtk_widget_add_controller (entry, focus);
  g_ptr_array_add (self->need_selection, entry);
  return entry;
}

static GtkWidget *
add_button (GtkWidget *box, const char *label, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_box_append (GTK_BOX (box), button);
  return button;
}

static GtkWidget *
add_icon_button (GtkWidget *box, const char *icon, const char *label, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_box_append (GTK_BOX (box), button);
  return button;
}

static void
add_tangents (KgCurveEditor *self)
{
  static const struct {
    const char *label, *tooltip;
  } tangents[] = {
    [KG_KEY_TANGENTS_AUTO] = { N_ ("Auto"), N_ ("Tangents follow the neighbours and do not overshoot") },
    [KG_KEY_TANGENTS_ALIGNED] = { N_ ("Aligned"), N_ ("Both sides of a tangent have the same slope") },
    [KG_KEY_TANGENTS_FREE] = { N_ ("Free"), N_ ("Each side of a tangent has its own slope") },
    [KG_KEY_TANGENTS_FLAT] = { N_ ("Flat"), N_ ("Horizontal tangents: the motion rests at the key") },
  };
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_add_css_class (box, "linked");
  for (guint i = 0; i < G_N_ELEMENTS (tangents); i++) {
    GtkWidget *button = add_button (box, _ (tangents[i].label), _ (tangents[i].tooltip));

    g_object_set_data (G_OBJECT (button), "tangents", GUINT_TO_POINTER (i));
    g_signal_connect (button, "clicked", G_CALLBACK (on_tangents), self);
  }
  gtk_box_append (GTK_BOX (self->bar), box);
  g_ptr_array_add (self->need_selection, box);
}

static GtkDropDown *
add_drop_down (KgCurveEditor *self, const char *label, const char *tooltip, const char *const *names, guint n,
               GCallback callback)
{
  GtkStringList *strings = gtk_string_list_new (NULL);
  GtkWidget *drop_down;

  for (guint i = 0; i < n; i++)
    gtk_string_list_append (strings, _ (names[i]));
  drop_down = gtk_drop_down_new (G_LIST_MODEL (strings), NULL);
  gtk_widget_set_tooltip_text (drop_down, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (drop_down), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip, -1);
  if (label != NULL)
    append_labelled (self->bar, label, drop_down);
  else
    gtk_box_append (GTK_BOX (self->bar), drop_down);
  g_signal_connect (drop_down, "notify::selected", callback, self);
  return GTK_DROP_DOWN (drop_down);
}

/* (transfer none) The box of a popover under a new button of the bar. */
static GtkWidget *
add_popover (KgCurveEditor *self, const char *label, const char *tooltip)
{
  GtkWidget *button = gtk_menu_button_new (), *popover = gtk_popover_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  gtk_menu_button_set_label (GTK_MENU_BUTTON (button), label);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_box_append (GTK_BOX (self->bar), button);
  g_ptr_array_add (self->need_selection, button);
  return box;
}

static void
add_tcb (KgCurveEditor *self)
{
  GtkWidget *box = add_popover (self, _ ("TCB"),
                                _ ("Tension, continuity and bias of keys with this interpolation (usually -1 to 1)"));

  self->tcb[TENSION] = add_key_entry (self, box, _ ("Tension"), _ ("1: tight, -1: slack"), 8);
  self->tcb[CONTINUITY] = add_key_entry (self, box, _ ("Continuity"), _ ("0: smooth, otherwise a corner"), 8);
  self->tcb[BIAS] = add_key_entry (self, box, _ ("Bias"), _ ("1: overshoots, -1: undershoots"), 8);
}

static void
add_scale (KgCurveEditor *self)
{
  GtkWidget *box = add_popover (self, _ ("Scale"), _ ("Scale the selected keys (S, then drag)")), *button;

  self->time_factor = add_entry (box, _ ("Times, about the current frame"), NULL, 8);
  self->value_factor = add_entry (box, _ ("Values, about 0"), NULL, 8);
  set_number (self->time_factor, 1);
  set_number (self->value_factor, 1);
  g_signal_connect (self->time_factor, "activate", G_CALLBACK (on_scale), self);
  g_signal_connect (self->value_factor, "activate", G_CALLBACK (on_scale), self);
  button = add_button (box, _ ("Scale"), NULL);
  g_signal_connect (button, "clicked", G_CALLBACK (on_scale), self);
}

static void
add_reduce (KgCurveEditor *self)
{
  GtkWidget *box = add_popover (self, _ ("Reduce"), _ ("Remove selected keys that the curve does not need")), *button;

  self->tolerance = add_entry (box, _ ("Largest change of a value"), NULL, 8);
  set_number (self->tolerance, 0.01);
  g_signal_connect (self->tolerance, "activate", G_CALLBACK (on_reduce), self);
  button = add_button (box, _ ("Reduce keys"), NULL);
  g_signal_connect (button, "clicked", G_CALLBACK (on_reduce), self);
  self->report = gtk_label_new (NULL);
  gtk_widget_add_css_class (self->report, "kg-dim");
  gtk_box_append (GTK_BOX (box), self->report);
}

static void
on_fit_all (KgCurveEditor *self)
{
  kg_curve_area_fit (self->area, false);
}

static void
on_fit_selection (KgCurveEditor *self)
{
  kg_curve_area_fit (self->area, true);
}

static void
make_bar (KgCurveEditor *self)
{
  static const char *const interpolations[] = { N_ ("Constant"), N_ ("Linear"), N_ ("Bezier"), N_ ("TCB") };
  static const char *const extends[] = { N_ ("Hold"), N_ ("Linear"), N_ ("Cycle"), N_ ("Cycle with offset"),
                                         N_ ("Mirror") };
  GtkWidget *button;

  G_STATIC_ASSERT (G_N_ELEMENTS (interpolations) == KG_N_INTERPOLATIONS && G_N_ELEMENTS (extends) == KG_N_EXTENDS);
  self->bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_set_layout_manager (self->bar, kg_wrap_layout_new (6));
  self->frame = add_key_entry (self, self->bar, _ ("Frame"), _ ("Moves the selected keys"), 5);
  self->value = add_key_entry (self, self->bar, _ ("Value"), _ ("Sets the selected keys to this value"), 9);
  self->interpolation = add_drop_down (self, NULL, _ ("Interpolation from the selected keys to the next"),
                                       interpolations, KG_N_INTERPOLATIONS, G_CALLBACK (on_interpolation));
  g_ptr_array_add (self->need_selection, self->interpolation);
  add_tangents (self);
  add_tcb (self);
  self->before = add_drop_down (self, _ ("Before"), _ ("How curves continue before their first key"), extends,
                                KG_N_EXTENDS, G_CALLBACK (on_extend));
  self->after = add_drop_down (self, _ ("After"), _ ("How curves continue after their last key"), extends, KG_N_EXTENDS,
                               G_CALLBACK (on_extend));
  add_scale (self);
  add_reduce (self);
  button = add_icon_button (self->bar, "list-add-symbolic", _ ("Insert"),
                            _ ("Insert keys at the current frame (I; double click)"));
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (kg_curve_area_insert), self->area);
  button = add_icon_button (self->bar, "edit-delete-symbolic", _ ("Delete"), _ ("Delete the selected keys (Delete)"));
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (kg_curve_area_delete), self->area);
  g_ptr_array_add (self->need_selection, button);
  button = add_icon_button (self->bar, "zoom-fit-best-symbolic", _ ("Fit all"), _ ("Show all curves (A)"));
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (on_fit_all), self);
  button = add_icon_button (self->bar, "find-location-symbolic", _ ("Fit selection"), _ ("Show the selected keys (F)"));
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (on_fit_selection), self);
}

/* The widget. */

static GtkWidget *
make_scrolled (GtkWidget *child, GtkPolicyType horizontal, GtkPolicyType vertical)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), horizontal, vertical);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), child);
  kg_follow_focus (scrolled);
  return scrolled;
}

static void
make_content (KgCurveEditor *self)
{
  GtkWidget *paned = gtk_paned_new (GTK_ORIENTATION_HORIZONTAL), *list;

  self->list = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  gtk_widget_set_margin_start (self->list, 6);
  gtk_widget_set_margin_top (self->list, 6);
  make_bar (self);
  gtk_widget_set_margin_start (self->bar, 4);
  gtk_widget_set_margin_end (self->bar, 4);
  gtk_widget_set_margin_top (self->bar, 4);
  gtk_widget_set_margin_bottom (self->bar, 4);
  /* A narrow window breaks the bar into lines; so many that the curves would be lost are scrolled. */
  self->bar_view = make_scrolled (self->bar, GTK_POLICY_EXTERNAL, GTK_POLICY_AUTOMATIC);
  list = make_scrolled (self->list, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_widget_set_size_request (list, 100, -1);
  gtk_paned_set_start_child (GTK_PANED (paned), list);
  gtk_paned_set_resize_start_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_end_child (GTK_PANED (paned), GTK_WIDGET (self->area));
  gtk_paned_set_position (GTK_PANED (paned), 170);
  gtk_widget_set_vexpand (paned, TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (self->area), TRUE);
  self->paned = paned;
  gtk_widget_set_parent (self->bar_view, GTK_WIDGET (self));
  gtk_widget_set_parent (self->paned, GTK_WIDGET (self));
}

static void
kg_curve_editor_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                         int *minimum_baseline, int *natural_baseline)
{
  KgCurveEditor *self = KG_CURVE_EDITOR (widget);
  int bar, natural_bar;

  (void) for_size;
  gtk_widget_measure (self->bar_view, orientation, -1, &bar, &natural_bar, NULL, NULL);
  gtk_widget_measure (self->paned, orientation, -1, minimum, natural, NULL, NULL);
  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    *minimum = MAX (*minimum, bar);
    *natural = MAX (*natural, natural_bar);
  } else {
    *minimum += bar;
    *natural += natural_bar;
  }
  *minimum_baseline = *natural_baseline = -1;
}

static void
kg_curve_editor_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  KgCurveEditor *self = KG_CURVE_EDITOR (widget);
  int least, bar;

  (void) baseline;
  gtk_widget_measure (self->bar_view, GTK_ORIENTATION_VERTICAL, -1, &least, NULL, NULL, NULL);
  gtk_widget_measure (self->bar, GTK_ORIENTATION_VERTICAL, width, NULL, &bar, NULL, NULL);
  bar = MAX (least, MIN (bar, height - AREA_HEIGHT));
  gtk_widget_size_allocate (self->bar_view, &(GtkAllocation){ 0, 0, width, bar }, -1);
  gtk_widget_measure (self->paned, GTK_ORIENTATION_VERTICAL, -1, &least, NULL, NULL, NULL);
  gtk_widget_size_allocate (self->paned, &(GtkAllocation){ 0, bar, width, MAX (least, height - bar) }, -1);
}

/* To the curves, where the keys are edited. */
static gboolean
kg_curve_editor_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (KG_CURVE_EDITOR (widget)->area));
}

static void
kg_curve_editor_dispose (GObject *object)
{
  KgCurveEditor *self = KG_CURVE_EDITOR (object);

  if (self->area != NULL)
    g_signal_handlers_disconnect_by_data (self->area, self);
  self->area = NULL;
  g_clear_pointer (&self->bar_view, gtk_widget_unparent);
  g_clear_pointer (&self->paned, gtk_widget_unparent);
  g_clear_pointer (&self->need_selection, g_ptr_array_unref);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (kg_curve_editor_parent_class)->dispose (object);
}

static void
kg_curve_editor_class_init (KgCurveEditorClass *class)
{
  G_OBJECT_CLASS (class)->dispose = kg_curve_editor_dispose;
  GTK_WIDGET_CLASS (class)->grab_focus = kg_curve_editor_grab_focus;
  GTK_WIDGET_CLASS (class)->measure = kg_curve_editor_measure;
  GTK_WIDGET_CLASS (class)->size_allocate = kg_curve_editor_size_allocate;
}

static void
kg_curve_editor_init (KgCurveEditor *self)
{
  self->need_selection = g_ptr_array_new ();
}

KgCurveEditor *
kg_curve_editor_new (KgDocument *document)
{
  KgCurveEditor *self = KG_CURVE_EDITOR (g_object_new (KG_TYPE_CURVE_EDITOR, NULL));

  self->document = g_object_ref (document);
  self->area = kg_curve_area_new (document);
  make_content (self);
  g_signal_connect_swapped (self->area, "tracks-changed", G_CALLBACK (update_list), self);
  g_signal_connect_swapped (self->area, "selection-changed", G_CALLBACK (update_bar), self);
  update_list (self);
  update_bar (self);
  return self;
}
