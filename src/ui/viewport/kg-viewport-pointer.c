/* kg-viewport-pointer: what the pointer does in the viewport: turning the view, dragging handles, drawing lines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-handle-popover.h"
#include "kg-space-key.h"
#include "kg-stroke.h"
#include "kg-viewport-private.h"

#include <glib/gi18n.h>

/* What is drawn by hand: pixels that its line may be off, and from which its end is joined to its start. */
#define STROKE_TOLERANCE 1.5
#define STROKE_REACH 14.0
/* A hand that trembles while it clicks draws nothing. */
#define STROKE_LEAST 5.0
/* How far below the active node the curve that it becomes is put on the canvas. */
#define STROKE_BELOW 140

static KgHandleModifiers
get_modifiers (KgViewport *self, GtkEventController *controller)
{
  const GdkModifierType state = gtk_event_controller_get_current_event_state (controller);

  /* Ctrl is the other way round while snapping is on. */
  return (KgHandleModifiers){ .snap = ((state & GDK_CONTROL_MASK) != 0) != self->snaps,
                              .apart = (state & GDK_ALT_MASK) != 0 };
}

/* Freehand lines. */

static void
add_stroke_point (KgViewport *self, double x, double y)
{
  const KgStrokePoint point = { x, y };

  g_array_append_val (self->stroke, point);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static bool
add_line (KgViewport *self, const char *points, bool closed, GError **error)
{
  KgGraph *graph = kg_document_get_current (self->document);
  KgNode *active = kg_document_get_active (self->document), *node;
  g_auto (KgValue) text = kg_value_text (points);
  double x = 0, y = -STROKE_BELOW;

  if (active != NULL)
    kg_node_get_position (active, &x, &y);
  node = kg_graph_add (graph, kg_types_find_role (kg_graph_get_types (graph), KG_ROLE_FREEHAND)->id, NULL, x,
                       y + STROKE_BELOW, error);
  if (node == NULL || !kg_graph_set_constant (graph, node, "points", &text, error) ||
      !kg_graph_set_json (graph, node, "basis", "\"linear\"", error) ||
      !kg_graph_set_json (graph, node, "closed", closed ? "true" : "false", error))
    return false;
  kg_document_select (self->document, node, false);
  return true;
}

static bool
is_stroke (const GArray *stroke)
{
  const KgStrokePoint *first = &g_array_index (stroke, KgStrokePoint, 0);

  for (guint i = 1; i < stroke->len; i++) {
    const KgStrokePoint *at = &g_array_index (stroke, KgStrokePoint, i);

    if (hypot (at->x - first->x, at->y - first->y) > STROKE_LEAST)
      return true;
  }
  return false;
}

/* Where lines are drawn: in the middle of the view, or as far away when that is behind a camera of the scene. */
static KgVector
get_middle (KgViewport *self, const KgProjection *projection)
{
  const KgVector to = kg_vector_subtract (self->orbit.target, projection->eye);

  if (projection->parallel)
    return kg_vector (0, 0, 0);
  return kg_vector_dot (to, projection->forward) > 0
             ? self->orbit.target
             : kg_vector_add_scaled (projection->eye, self->orbit.distance, projection->forward);
}

/* What was drawn becomes a curve of straight pieces, in the plane through the middle of the view. */
static bool
finish_stroke (KgViewport *self, GError **error)
{
  KgGraph *graph = kg_document_get_current (self->document);
  const bool closed = kg_stroke_is_closed (self->stroke, STROKE_REACH);
  const bool meant = is_stroke (self->stroke);
  g_autoptr (GArray) simple = kg_stroke_simplify (self->stroke, STROKE_TOLERANCE);
  g_autofree char *text = NULL;
  KgProjection projection;
  bool good;

  g_array_set_size (self->stroke, 0);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (closed)
    g_array_set_size (simple, simple->len - 1);
  if (!meant || !kg_viewport_get_projection (self, &projection))
    return true;
  text = kg_stroke_dup_text (simple, &projection, get_middle (self, &projection));
  kg_graph_begin_group (graph, _ ("Draw line"));
  good = add_line (self, text, closed, error);
  return kg_graph_close_group (graph, good);
}

/* Picking a colour. */

/* (nullable) What a colour can be picked from, and where it is. */
static const KgImage *
find_image (KgViewport *self, KgImageView *view)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);

  if (set == NULL || set->image == NULL || set->pixels != NULL)
    return NULL;
  *view = self->image;
  if (kg_viewport_shows_solid (set)) {
    /* The image of the scene view is as large as the view, whatever its pixels. */
    const int width = gtk_widget_get_width (GTK_WIDGET (self));
    const double whole = self->beside_shown ? floor (0.5 * width) : width;

    *view = (KgImageView){ .zoom = whole / kg_image_get_width (set->image) };
  }
  return set->image;
}

void
kg_viewport_picking_changed (KgViewport *self)
{
  const bool picking = kg_document_get_picking (self->document) != NULL;
  const KgResultSet *set = kg_worker_get_result (self->worker);
  KgImageView view;

  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), picking || self->draws ? "crosshair" : NULL);
  kg_viewport_set_message (self, NULL);
  if (!picking) {
    kg_viewport_describe (self, kg_worker_get_result (self->worker));
    return;
  }
  /* A frame that is kept has its colours in 8 bits: the frame itself is made for this, and is there in a moment. */
  if (find_image (self, &view) == NULL && (set == NULL || set->pixels == NULL)) {
    kg_document_end_pick (self->document, NULL);
    kg_viewport_set_message (self, _ ("picking a colour needs an image or 3D content: show one (D on the canvas)"));
    return;
  }
  gtk_widget_grab_focus (GTK_WIDGET (self));
  kg_viewport_describe (self, kg_worker_get_result (self->worker));
}

static void
finish_pick (KgViewport *self)
{
  KgImageView view;
  const KgImage *image = find_image (self, &view);
  KgColor color;

  if (image != NULL &&
      kg_image_view_get_color (&view, image, self->start_x, self->start_y, self->pointer_x, self->pointer_y, &color))
    kg_document_end_pick (self->document, &color);
  else
    kg_viewport_set_message (self, _ ("there is no pixel here: click inside the image, or press Escape"));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
check_focus (gpointer data)
{
  KgViewport *self = KG_VIEWPORT (data);
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  const gpointer owner = kg_document_get_picking (self->document);

  if (owner != NULL && focus != GTK_WIDGET (self) &&
      !(focus != NULL && GTK_IS_WIDGET (owner) && gtk_widget_is_ancestor (focus, GTK_WIDGET (owner))))
    kg_document_end_pick (self->document, NULL);
  g_object_unref (self);
}

/* Who goes on with something else wants no colour any more; the button that has asked for it sees to itself. */
static void
on_focus_leave (KgViewport *self)
{
  if (kg_document_get_picking (self->document) != NULL)
    g_idle_add_once (check_focus, g_object_ref (self));
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, KgViewport *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  /* GTK tells of a pointer that rests, too, when what is below it changes: a message stays then. */
  const bool moved = x != self->pointer_x || y != self->pointer_y;
  g_autofree char *text = NULL;

  (void) controller;
  self->pointer_x = x;
  self->pointer_y = y;
  if (!moved || self->drag != KG_VIEWPORT_DRAG_NONE || !kg_viewport_shows_image (set) || set->image == NULL ||
      self->texture == NULL)
    return;
  kg_viewport_place_image (self);
  text = kg_image_view_dup_text (&self->image, set->image, x, y);
  if (text != NULL)
    gtk_label_set_text (GTK_LABEL (self->status), text);
  else
    kg_viewport_describe (self, set);
}

/* The values of a pixel are those below the pointer. */
static void
on_leave (KgViewport *self)
{
  kg_viewport_describe (self, kg_worker_get_result (self->worker));
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, KgViewport *self)
{
  const guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));
  const GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  /* Alt and a button always move the view, as in other programs. */
  const bool alt = (state & GDK_ALT_MASK) != 0 && kg_viewport_shows_solid (kg_worker_get_result (self->worker)) &&
                   kg_handle_view_get_active (self->handles) == NULL;
  const bool hand = button == GDK_BUTTON_PRIMARY && !self->space_held && !alt;
  g_autoptr (GError) error = NULL;
  KgProjection projection;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  kg_viewport_set_message (self, NULL);
  self->start_x = self->pointer_x = x;
  self->start_y = self->pointer_y = y;
  kg_viewport_orbit_begin (self);
  self->start_orbit = self->orbit;
  kg_viewport_place_image (self);
  self->start_image_x = self->image.x;
  self->start_image_y = self->image.y;
  if (hand && kg_document_get_picking (self->document) != NULL)
    self->drag = KG_VIEWPORT_DRAG_PICK;
  else if (hand && self->draws) {
    const char *need = kg_viewport_find_need (self, KG_VIEWPORT_PROP_DRAW, true);

    self->drag = need == NULL ? KG_VIEWPORT_DRAG_STROKE : KG_VIEWPORT_DRAG_NONE;
    g_array_set_size (self->stroke, 0);
    if (need == NULL)
      add_stroke_point (self, x, y);
    else
      g_set_error_literal (&error, KG_ERROR, KG_ERROR_NOT_CONNECTED, need);
  } else if (hand && (state & GDK_CONTROL_MASK) != 0 && kg_viewport_get_projection (self, &projection) &&
             kg_handle_view_draw_figure (self->handles, &projection, x, y, &error))
    self->drag = KG_VIEWPORT_DRAG_HANDLE;
  else if (error != NULL)
    self->drag = KG_VIEWPORT_DRAG_NONE;
  else if (hand && kg_viewport_get_projection (self, &projection) &&
           kg_handle_view_press (self->handles, &projection, x, y, (state & GDK_SHIFT_MASK) != 0)) {
    self->drag = KG_VIEWPORT_DRAG_HANDLE;
    kg_handle_view_choose (self->handles, &error);
  } else if (hand && (self->selects || (state & GDK_SHIFT_MASK) != 0) &&
             kg_viewport_get_projection (self, &projection) && kg_handle_view_can_select (self->handles)) {
    self->drag = KG_VIEWPORT_DRAG_BOX;
    self->box_adds = (state & GDK_SHIFT_MASK) != 0;
  } else if (kg_viewport_shows_solid (kg_worker_get_result (self->worker)) &&
             ((alt && button == GDK_BUTTON_SECONDARY) ||
              (button == GDK_BUTTON_MIDDLE && (state & GDK_CONTROL_MASK) != 0)))
    self->drag = KG_VIEWPORT_DRAG_DOLLY;
  else if (button == GDK_BUTTON_SECONDARY)
    self->drag = KG_VIEWPORT_DRAG_NONE;
  else if (button == GDK_BUTTON_MIDDLE || (state & GDK_SHIFT_MASK) != 0 || self->space_held ||
           !kg_viewport_shows_solid (kg_worker_get_result (self->worker)))
    self->drag = KG_VIEWPORT_DRAG_PAN;
  else
    self->drag = KG_VIEWPORT_DRAG_ORBIT;
  kg_viewport_set_message (self, error != NULL ? error->message : NULL);
  kg_viewport_describe (self, kg_worker_get_result (self->worker));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* To where the pointer is. */
static void
drag_handle (KgViewport *self, KgHandleModifiers modifiers)
{
  g_autoptr (GError) error = NULL;
  KgProjection projection;

  if (!kg_viewport_get_projection (self, &projection))
    return;
  kg_viewport_handle_moved (self);
  kg_handle_view_drag (self->handles, &projection, self->pointer_x, self->pointer_y, modifiers, &error);
  kg_viewport_set_message (self, error != NULL ? error->message : NULL);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* A hand that does not move holds, too. */
void
kg_viewport_frame_changed (KgViewport *self)
{
  kg_handle_view_frame_changed (self->handles);
  if (self->drag == KG_VIEWPORT_DRAG_HANDLE && kg_handle_view_is_grabbing (self->handles))
    drag_handle (self, (KgHandleModifiers){ 0 });
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, KgViewport *self)
{
  const double height = gtk_widget_get_height (GTK_WIDGET (self));

  self->pointer_x = self->start_x + dx;
  self->pointer_y = self->start_y + dy;
  if (self->drag == KG_VIEWPORT_DRAG_NONE)
    return;
  if (self->drag == KG_VIEWPORT_DRAG_STROKE) {
    add_stroke_point (self, self->pointer_x, self->pointer_y);
    return;
  }
  if (self->drag == KG_VIEWPORT_DRAG_PICK || self->drag == KG_VIEWPORT_DRAG_BOX) {
    gtk_widget_queue_draw (GTK_WIDGET (self));
    return;
  }
  if (self->drag == KG_VIEWPORT_DRAG_HANDLE) {
    /* While it plays the next frame takes what is grabbed along: more often would only begin the same frame again. */
    if (gtk_drag_check_threshold (GTK_WIDGET (self), 0, 0, (int) (3 * dx), (int) (3 * dy)) &&
        !(kg_handle_view_is_grabbing (self->handles) && kg_document_is_playing (self->document)))
      drag_handle (self, get_modifiers (self, GTK_EVENT_CONTROLLER (gesture)));
    return;
  }
  if (kg_viewport_shows_solid (kg_worker_get_result (self->worker))) {
    self->orbit = self->start_orbit;
    if (self->drag == KG_VIEWPORT_DRAG_PAN)
      kg_orbit_pan (&self->orbit, dx, dy, height);
    else if (self->drag == KG_VIEWPORT_DRAG_DOLLY)
      kg_orbit_dolly (&self->orbit, pow (1.006, dy - dx));
    else
      kg_viewport_turn (self, dx, dy);
    kg_viewport_orbit_changed (self);
  } else {
    self->image.fit = false;
    self->image.x = self->start_image_x + dx;
    self->image.y = self->start_image_y + dy;
    kg_viewport_image_moved (self);
  }
}

static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, KgViewport *self)
{
  g_autoptr (GError) error = NULL;

  const bool moved = gtk_drag_check_threshold (GTK_WIDGET (self), 0, 0, (int) dx, (int) dy);
  KgProjection projection;

  (void) gesture;
  if (self->drag == KG_VIEWPORT_DRAG_BOX && moved && kg_viewport_get_projection (self, &projection))
    kg_handle_view_select_box (self->handles, &projection, self->start_x, self->start_y, self->pointer_x,
                               self->pointer_y, self->box_adds);
  /* A click on empty ground, which is not one of those for more. */
  else if (!moved && (self->drag == KG_VIEWPORT_DRAG_ORBIT || self->drag == KG_VIEWPORT_DRAG_PAN ||
                      (self->drag == KG_VIEWPORT_DRAG_BOX && !self->box_adds)))
    kg_handle_view_unselect (self->handles);
  if (self->drag == KG_VIEWPORT_DRAG_STROKE && !finish_stroke (self, &error))
    kg_viewport_set_message (self, error->message);
  if (self->drag == KG_VIEWPORT_DRAG_PICK)
    finish_pick (self);
  self->drag = KG_VIEWPORT_DRAG_NONE;
  kg_handle_view_release (self->handles);
  kg_viewport_describe (self, kg_worker_get_result (self->worker));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
drop_popover (gpointer data)
{
  KgViewport *self = KG_VIEWPORT (data);

  g_clear_pointer (&self->popover, gtk_widget_unparent);
  g_object_unref (self);
}

static void
on_popover_closed (KgViewport *self)
{
  /* Not while it still answers the click that closes it. */
  g_idle_add_once (drop_popover, g_object_ref (self));
}

static void
show_numbers (KgViewport *self, double x, double y)
{
  const GdkRectangle at = { (int) x, (int) y, 1, 1 };

  if (self->popover != NULL)
    return;
  self->popover = kg_handle_popover_new (self->handles);
  if (self->popover == NULL)
    return;
  gtk_widget_set_parent (self->popover, GTK_WIDGET (self));
  gtk_popover_set_pointing_to (GTK_POPOVER (self->popover), &at);
  g_signal_connect_swapped (self->popover, "closed", G_CALLBACK (on_popover_closed), self);
  gtk_popover_popup (GTK_POPOVER (self->popover));
}

static void
on_pressed (GtkGestureClick *gesture, int times, double x, double y, KgViewport *self)
{
  const guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));
  g_autoptr (GError) error = NULL;
  KgProjection projection;

  if (!kg_handle_view_get_shown (self->handles) || kg_document_get_picking (self->document) != NULL ||
      !kg_viewport_get_projection (self, &projection))
    return;
  if (button == GDK_BUTTON_SECONDARY && kg_handle_view_press (self->handles, &projection, x, y, false)) {
    kg_handle_view_release (self->handles);
    show_numbers (self, x, y);
  } else if (button == GDK_BUTTON_PRIMARY && times == 2 && !self->draws &&
             kg_handle_view_get_active (self->handles) == NULL) {
    kg_handle_view_insert (self->handles, &projection, x, y, &error);
    if (error != NULL)
      kg_viewport_set_message (self, error->message);
  }
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, KgViewport *self)
{
  (void) controller;
  (void) dx;
  /* While something is dragged, the wheel is for how far around it is soft. */
  if (self->drag == KG_VIEWPORT_DRAG_HANDLE) {
    kg_viewport_scale_soft (self, pow (1.12, -dy));
    return TRUE;
  }
  if (kg_viewport_shows_solid (kg_worker_get_result (self->worker))) {
    kg_viewport_orbit_begin (self);
    kg_orbit_dolly (&self->orbit, pow (1.12, dy));
    kg_viewport_orbit_changed (self);
  } else if (self->texture != NULL) {
    kg_viewport_place_image (self);
    kg_image_view_zoom (&self->image, pow (1.15, -dy), self->pointer_x, self->pointer_y);
    kg_viewport_image_moved (self);
  }
  return TRUE;
}

void
kg_viewport_add_controllers (KgViewport *self)
{
  GtkGesture *drag = gtk_gesture_drag_new (), *click = gtk_gesture_click_new ();
  GtkEventController *motion = gtk_event_controller_motion_new (), *focus = gtk_event_controller_focus_new ();
  GtkEventController *scroll = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), 0);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), 0);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (on_drag_end), self);
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (on_leave), self);
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (on_focus_leave), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), focus);
  gtk_widget_add_controller (GTK_WIDGET (self), scroll);
  kg_space_key_watch (GTK_WIDGET (self), &self->space_held);
}
