/* kg-number-field: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-number-field.h"

#include "config.h"
#include "kg-number.h"

#include <glib/gi18n.h>
#include <math.h>

/* Digits of a number that does not fit. */
#define MOST_DIGITS 6
#define LEAST_DIGITS 3

struct _KgNumberField {
  GtkWidget parent_instance;
  KgSlot slot; /* a copy: the node may have others meanwhile */
  GtkWidget *entry;
  char *formula; /* (nullable) what computes the number */
  char *shown;   /* what stands in the entry until something is typed */
  int room;      /* pixels for the text when that was chosen */
  bool emitted;  /* the text, as an expression */
  bool showing, focused, complains, fit_waits;
  double value, start;
  bool mixed, dragging, whole_steps;
  bool was_focused; /* when the pointer was pressed */
};

enum { BEGIN, VALUE, END, EXPRESSION, DONE, PROBLEM, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (KgNumberField, kg_number_field, GTK_TYPE_WIDGET)

static void
get_range (const KgNumberField *self, double *low, double *high)
{
  const KgSlot *slot = &self->slot;

  *low = slot->soft_min;
  *high = slot->soft_max;
  if (*low == 0 && *high == 0) {
    *low = slot->min;
    *high = slot->max;
  }
}

static double
clamp_value (const KgNumberField *self, double value)
{
  if (kg_slot_has_range (&self->slot))
    value = kg_clamp (value, self->slot.min, self->slot.max);
  return self->slot.kind == KG_INTEGER ? nearbyint (value) : value;
}

static int
get_room (const KgNumberField *self)
{
  return gtk_widget_get_width (GTK_WIDGET (gtk_editable_get_delegate (GTK_EDITABLE (self->entry))));
}

static bool
fits (const KgNumberField *self, const char *text)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (self->entry, text);
  int width;

  pango_layout_get_pixel_size (layout, &width, NULL);
  return width <= get_room (self);
}

/* (transfer full) text is the number in full.  Half a number would be another one: where there is too little room it is
 * rounded, and at last stands without its unit.  Whoever comes to edit it sees it whole. */
static char *
dup_fitting_text (const KgNumberField *self, const char *text)
{
  const bool integer = self->slot.kind == KG_INTEGER;
  const char *symbol = kg_unit_get_symbol (self->slot.unit);
  const double number = self->value * kg_number_get_factor (self->slot.unit);

  if (self->focused || get_room (self) <= 0 || fits (self, text))
    return g_strdup (text);
  for (int bare = *symbol != '\0' ? 0 : 1; bare < 2; bare++)
    for (int digits = MOST_DIGITS; digits >= LEAST_DIGITS; digits--) {
      g_autofree char *rounded = integer ? kg_number_format (number, true) : kg_number_format_digits (number, digits);
      g_autofree char *shorter = bare ? g_strdup (rounded) : g_strdup_printf ("%s %s", rounded, symbol);

      if (fits (self, shorter))
        return g_steal_pointer (&shorter);
    }
  return g_strdup (text);
}

/* What is selected to be typed over stays so. */
static void
set_text (KgNumberField *self, const char *text)
{
  GtkEditable *entry = GTK_EDITABLE (self->entry);
  const bool is_selected = gtk_editable_get_selection_bounds (entry, NULL, NULL);

  g_free (self->shown);
  self->shown = g_strdup (text);
  self->room = get_room (self);
  if (g_str_equal (gtk_editable_get_text (entry), text))
    return;
  self->showing = true;
  gtk_editable_set_text (entry, text);
  if (is_selected)
    gtk_editable_select_region (entry, 0, -1);
  self->showing = false;
}

static void
drop_formula (KgNumberField *self)
{
  if (self->formula == NULL)
    return;
  g_clear_pointer (&self->formula, g_free);
  gtk_widget_remove_css_class (self->entry, "kg-computed");
  gtk_widget_set_tooltip_text (self->entry, NULL);
}

/* error: (nullable) removes it. */
static void
complain (KgNumberField *self, const GError *error)
{
  if (error == NULL && !self->complains)
    return;
  self->complains = error != NULL;
  gtk_widget_set_tooltip_text (self->entry, error != NULL ? error->message : NULL);
  g_signal_emit (self, signals[PROBLEM], 0, error);
}

static void
show (KgNumberField *self)
{
  g_autofree char *text = kg_number_format_unit (self->value, self->slot.unit, self->slot.kind == KG_INTEGER);
  g_autofree char *fitting = dup_fitting_text (self, text);
  double low, high;

  get_range (self, &low, &high);
  gtk_widget_remove_css_class (self->entry, "error");
  complain (self, NULL);
  set_text (self, self->formula != NULL ? self->formula : self->mixed ? "" : fitting);
  if (self->formula != NULL) {
    gtk_widget_add_css_class (self->entry, "kg-computed");
    gtk_widget_set_tooltip_text (self->entry, self->formula);
    gtk_entry_set_progress_fraction (GTK_ENTRY (self->entry), 0);
    gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, self->formula, -1);
    return;
  }
  g_object_set (self->entry, "placeholder-text", self->mixed ? _ ("several") : NULL, NULL);
  gtk_entry_set_progress_fraction (GTK_ENTRY (self->entry), isfinite (high - low) && high > low && !self->mixed
                                                                ? kg_clamp ((self->value - low) / (high - low), 0, 1)
                                                                : 0);
  if (!self->mixed)
    gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, self->value,
                                    GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static void
emit_changed (KgNumberField *self, double value)
{
  value = clamp_value (self, value);
  if (value == self->value && !self->mixed && self->formula == NULL)
    return;
  drop_formula (self);
  self->mixed = false;
  self->value = value;
  show (self);
  g_signal_emit (self, signals[VALUE], 0, value);
}

static void
take_text (KgNumberField *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  g_autoptr (GError) error = NULL;
  bool is_expression;
  double value;

  /* An expression takes the place of the field, which loses the focus by that. */
  if (self->emitted)
    return;
  if (*text == '\0') {
    show (self);
    return;
  }
  /* The text shown has few digits: leaving the field must not round the value. */
  if (!self->mixed && g_str_equal (self->shown, text))
    return;
  if (kg_number_parse (text, self->slot.unit, &value, &is_expression, &error)) {
    g_signal_emit (self, signals[BEGIN], 0);
    emit_changed (self, value);
    g_signal_emit (self, signals[END], 0);
    show (self);
  } else if (is_expression) {
    self->emitted = true;
    g_signal_emit (self, signals[EXPRESSION], 0, text);
  } else {
    gtk_widget_add_css_class (self->entry, "error");
    complain (self, error);
  }
}

static void
on_activate (KgNumberField *self)
{
  /* An expression takes the place of the field. */
  g_object_ref (self);
  take_text (self);
  if (!self->complains)
    g_signal_emit (self, signals[DONE], 0);
  g_object_unref (self);
}

/* Says while it is typed what is wrong with it; it is marked once it should be taken. */
static void
on_changed (KgNumberField *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  g_autoptr (GError) error = NULL;
  bool is_expression;
  double value;

  self->emitted = false;
  if (self->showing)
    return;
  gtk_widget_remove_css_class (self->entry, "error");
  if (*text != '\0')
    kg_number_parse (text, self->slot.unit, &value, &is_expression, &error);
  complain (self, error);
}

/* What was typed and cannot be read stays to be mended. */
static void
fit (KgNumberField *self)
{
  if (self->entry != NULL && g_str_equal (gtk_editable_get_text (GTK_EDITABLE (self->entry)), self->shown))
    show (self);
}

void
kg_number_field_commit (KgNumberField *self)
{
  if (!self->dragging)
    take_text (self);
}

static void
on_focus_leave (GtkEventControllerFocus *controller, KgNumberField *self)
{
  (void) controller;
  self->focused = false;
  /* An expression takes the place of the field. */
  g_object_ref (self);
  take_text (self);
  fit (self);
  g_object_unref (self);
}

static void
on_focus_enter (GtkEventControllerFocus *controller, KgNumberField *self)
{
  (void) controller;
  self->focused = true;
  fit (self);
}

static void
fit_later (gpointer data)
{
  KgNumberField *self = KG_NUMBER_FIELD (data);

  self->fit_waits = false;
  if (!self->focused)
    fit (self);
  g_object_unref (self);
}

static void
kg_number_field_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  KgNumberField *self = KG_NUMBER_FIELD (widget);

  gtk_widget_size_allocate (self->entry, &(GtkAllocation){ 0, 0, width, height }, baseline);
  /* Texts are not changed in the middle of a layout. */
  if (get_room (self) != self->room && !self->fit_waits) {
    self->fit_waits = true;
    g_idle_add_once (fit_later, g_object_ref (self));
  }
}

static void
kg_number_field_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                         int *minimum_baseline, int *natural_baseline)
{
  gtk_widget_measure (KG_NUMBER_FIELD (widget)->entry, orientation, for_size, minimum, natural, minimum_baseline,
                      natural_baseline);
}

static double
get_step (const KgNumberField *self, GdkModifierType state)
{
  double low, high, step = 0.01;

  get_range (self, &low, &high);
  if (self->slot.kind == KG_INTEGER || self->whole_steps)
    step = 0.1;
  else if (isfinite (high - low) && high > low)
    step = (high - low) / 200;
  else if (fabs (self->start) > 10)
    step = fabs (self->start) / 400;
  if ((state & GDK_SHIFT_MASK) != 0)
    step *= 10;
  if ((state & GDK_CONTROL_MASK) != 0)
    step /= 10;
  return step;
}

static bool
has_focus (KgNumberField *self)
{
  return (gtk_widget_get_state_flags (self->entry) & GTK_STATE_FLAG_FOCUS_WITHIN) != 0;
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, KgNumberField *self)
{
  (void) gesture;
  (void) x;
  (void) y;
  self->was_focused = has_focus (self);
}

static double
round_step (const KgNumberField *self, double value)
{
  return self->whole_steps ? nearbyint (value) : value;
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, KgNumberField *self)
{
  const GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));

  if (!self->dragging) {
    if (self->formula != NULL || fabs (dx) < 6 || fabs (dx) < fabs (dy))
      return;
    self->dragging = true;
    self->start = self->value;
    gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
    g_signal_emit (self, signals[BEGIN], 0);
  }
  emit_changed (self, round_step (self, self->start + (dx - copysign (6, dx)) * get_step (self, state)));
}

static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, KgNumberField *self)
{
  (void) gesture;
  (void) dx;
  (void) dy;
  if (self->dragging) {
    self->dragging = false;
    g_signal_emit (self, signals[END], 0);
  } else if (!self->was_focused && has_focus (self))
    /* What is typed after a click replaces the number; a second click places the cursor. */
    gtk_editable_select_region (GTK_EDITABLE (self->entry), 0, -1);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state, KgNumberField *self)
{
  (void) controller;
  (void) keycode;
  if ((keyval == GDK_KEY_Up || keyval == GDK_KEY_Down) && self->formula == NULL) {
    const double step = self->slot.kind == KG_INTEGER || self->whole_steps ? 1 : 10 * get_step (self, state);

    self->start = self->value;
    g_signal_emit (self, signals[BEGIN], 0);
    emit_changed (self, round_step (self, self->value + (keyval == GDK_KEY_Up ? step : -step)));
    g_signal_emit (self, signals[END], 0);
    return TRUE;
  }
  if (keyval == GDK_KEY_Escape) {
    show (self);
    return FALSE;
  }
  return FALSE;
}

static void
set_value (KgNumberField *self, double value, bool mixed)
{
  if (self->dragging || (value == self->value && mixed == self->mixed && self->formula == NULL))
    return;
  drop_formula (self);
  self->mixed = mixed;
  self->value = value;
  show (self);
}

void
kg_number_field_set_value (KgNumberField *self, double value)
{
  set_value (self, value, false);
}

void
kg_number_field_set_mixed (KgNumberField *self, double value)
{
  set_value (self, value, true);
}

void
kg_number_field_set_formula (KgNumberField *self, const char *text)
{
  if (g_strcmp0 (self->formula, text) == 0)
    return;
  g_free (self->formula);
  self->formula = g_strdup (text);
  self->mixed = self->emitted = false;
  show (self);
}

void
kg_number_field_set_menu (KgNumberField *self, GMenuModel *menu)
{
  gtk_entry_set_extra_menu (GTK_ENTRY (self->entry), menu);
}

void
kg_number_field_set_whole_steps (KgNumberField *self)
{
  self->whole_steps = true;
}

static gboolean
kg_number_field_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (KG_NUMBER_FIELD (widget)->entry);
}

static void
kg_number_field_dispose (GObject *object)
{
  g_clear_pointer (&KG_NUMBER_FIELD (object)->entry, gtk_widget_unparent);
  G_OBJECT_CLASS (kg_number_field_parent_class)->dispose (object);
}

static void
kg_number_field_finalize (GObject *object)
{
  g_free (KG_NUMBER_FIELD (object)->shown);
  g_free (KG_NUMBER_FIELD (object)->formula);
  G_OBJECT_CLASS (kg_number_field_parent_class)->finalize (object);
}

static void
kg_number_field_class_init (KgNumberFieldClass *class)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = kg_number_field_dispose;
  G_OBJECT_CLASS (class)->finalize = kg_number_field_finalize;
  widget->grab_focus = kg_number_field_grab_focus;
  widget->measure = kg_number_field_measure;
  widget->size_allocate = kg_number_field_size_allocate;
  signals[BEGIN] = g_signal_new ("begin", KG_TYPE_NUMBER_FIELD, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[VALUE] = g_signal_new ("value", KG_TYPE_NUMBER_FIELD, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                 G_TYPE_DOUBLE);
  signals[END] = g_signal_new ("end", KG_TYPE_NUMBER_FIELD, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[EXPRESSION] = g_signal_new ("expression", KG_TYPE_NUMBER_FIELD, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                      G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[DONE] = g_signal_new ("done", KG_TYPE_NUMBER_FIELD, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[PROBLEM] = g_signal_new ("problem", KG_TYPE_NUMBER_FIELD, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                   1, G_TYPE_ERROR);
  gtk_widget_class_set_accessible_role (widget, GTK_ACCESSIBLE_ROLE_SPIN_BUTTON);
}

static void
kg_number_field_init (KgNumberField *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *keys = gtk_event_controller_key_new (), *focus = gtk_event_controller_focus_new ();

  self->entry = gtk_entry_new ();
  gtk_editable_set_width_chars (GTK_EDITABLE (self->entry), 4);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (self->entry), 8);
  gtk_entry_set_input_hints (GTK_ENTRY (self->entry), GTK_INPUT_HINT_NO_EMOJI);
  gtk_widget_set_hexpand (self->entry, TRUE);
  gtk_widget_set_parent (self->entry, GTK_WIDGET (self));
  g_signal_connect_swapped (self->entry, "activate", G_CALLBACK (on_activate), self);
  g_signal_connect_swapped (self->entry, "changed", G_CALLBACK (on_changed), self);
  g_signal_connect (focus, "enter", G_CALLBACK (on_focus_enter), self);
  g_signal_connect (focus, "leave", G_CALLBACK (on_focus_leave), self);
  gtk_widget_add_controller (self->entry, focus);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (drag), GTK_PHASE_CAPTURE);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (on_drag_end), self);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
}

GtkWidget *
kg_number_field_new (const KgSlot *slot, const char *label)
{
  KgNumberField *self = KG_NUMBER_FIELD (g_object_new (KG_TYPE_NUMBER_FIELD, NULL));

  self->slot = *slot;
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  show (self);
  return GTK_WIDGET (self);
}
