/* kg-curve-area-tools: what the pointer and the keyboard do to the curves.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-curve-area-private.h"
#include "kg-plot.h"

#include <glib/gi18n.h>
#include <math.h>

#define CATCH 8.0 /* how near the pointer must be */
#define THRESHOLD 3.0

/* A track before the gesture, or after it. */
typedef struct {
  KgChannel *channel;
  GByteArray *marks;
} Original;

static void
original_free (gpointer data)
{
  Original *original = (Original *) data;

  kg_channel_unref (original->channel);
  g_byte_array_unref (original->marks);
  g_free (original);
}

/* The next drag scales: sideways the times about the current frame, up and down the values about 0. */
static void
arm_scale (KgCurveArea *self)
{
  self->armed = kg_curve_area_has_selection (self);
  kg_curve_area_set_hint (
      self, self->armed ? _ ("Drag sideways to scale times about the current frame, up or down to scale values "
                             "about 0.  Escape: cancel")
                        : _ ("Select the keys to scale first"));
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), self->armed ? "move" : NULL);
  gtk_widget_grab_focus (GTK_WIDGET (self));
}

/* Gestures.  One that edits opens a group of undo with its first movement, computes everything from the channels as they
 * were then, and leaves one change for each track when it ends. */

static bool
edits (KgCurveGesture gesture)
{
  return gesture == KG_CURVE_GESTURE_MOVE || gesture == KG_CURVE_GESTURE_HANDLE || gesture == KG_CURVE_GESTURE_SCALE;
}

static const char *
get_label (KgCurveGesture gesture)
{
  return gesture == KG_CURVE_GESTURE_MOVE     ? _ ("Move keys")
         : gesture == KG_CURVE_GESTURE_HANDLE ? _ ("Change a tangent")
                                              : _ ("Scale keys");
}

static void
begin_edit (KgCurveArea *self)
{
  self->originals = g_ptr_array_new_with_free_func (original_free);
  for (guint t = 0; t < self->tracks->len; t++) {
    const KgCurveTrack *track = kg_curve_area_edit_track (self, t);
    Original *original = g_new (Original, 1);

    original->channel = kg_channel_ref (track->channel);
    original->marks = kg_curve_marks_copy (track->marks);
    g_ptr_array_add (self->originals, original);
  }
  kg_graph_begin_group (kg_curve_area_get_graph (self), get_label (self->gesture));
}

void
kg_curve_area_forget_gesture (KgCurveArea *self)
{
  if (self->originals != NULL)
    kg_graph_end_group (kg_curve_area_get_graph (self));
  g_clear_pointer (&self->originals, g_ptr_array_unref);
  self->gesture = KG_CURVE_GESTURE_NONE;
  self->moved = false;
  self->armed = false;
  kg_curve_area_set_hint (self, NULL);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), NULL);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
kg_curve_area_finish_gesture (KgCurveArea *self, bool cancel)
{
  if (self->originals != NULL) {
    g_autoptr (GPtrArray) last = g_ptr_array_new_with_free_func (original_free);

    self->applying = true;
    for (guint t = 0; t < self->tracks->len; t++) {
      KgCurveTrack *track = kg_curve_area_edit_track (self, t);
      const Original *original = (const Original *) g_ptr_array_index (self->originals, t);
      Original *final = g_new (Original, 1);

      final->channel = kg_channel_ref (track->channel);
      final->marks = kg_curve_marks_copy (track->marks);
      g_ptr_array_add (last, final);
      kg_channel_unref (track->channel);
      track->channel = kg_channel_ref (original->channel);
      g_byte_array_unref (track->marks);
      track->marks = kg_curve_marks_copy (original->marks);
    }
    /* The steps on the way go; the last one is made again, alone. */
    kg_graph_cancel_group (kg_curve_area_get_graph (self));
    if (!cancel) {
      kg_graph_begin_group (kg_curve_area_get_graph (self), get_label (self->gesture));
      for (guint t = 0; t < self->tracks->len; t++) {
        const Original *final = (const Original *) g_ptr_array_index (last, t);

        if (!kg_channel_equal (final->channel, kg_curve_area_edit_track (self, t)->channel))
          kg_curve_area_set_channel (self, kg_curve_area_edit_track (self, t), kg_channel_ref (final->channel),
                                     kg_curve_marks_copy (final->marks));
      }
      kg_graph_end_group (kg_curve_area_get_graph (self));
    }
    self->applying = false;
    g_clear_pointer (&self->originals, g_ptr_array_unref);
  }
  kg_curve_area_forget_gesture (self);
  kg_curve_area_update_tracks (self);
}

/* Gives each track what the gesture makes of its original. */
static void
apply_gesture (KgCurveArea *self, KgCurveEdit edit, gpointer data)
{
  self->applying = true;
  for (guint t = 0; t < self->tracks->len; t++) {
    const Original *original = (const Original *) g_ptr_array_index (self->originals, t);

    if (kg_key_marks_count (original->marks) > 0) {
      GByteArray *marks = kg_curve_marks_copy (original->marks);
      KgChannel *channel = edit (original->channel, marks, data);

      kg_curve_area_set_channel (self, kg_curve_area_edit_track (self, t), channel, marks);
    }
  }
  self->applying = false;
  self->has_active = false;
  kg_curve_area_selection_changed (self);
}

typedef struct {
  double time, value;
  bool snap;
} Motion;

static KgChannel *
move_edit (const KgChannel *channel, GByteArray *marks, gpointer data)
{
  const Motion *motion = (const Motion *) data;

  return kg_key_edit_move (channel, marks, motion->time, motion->value, motion->snap);
}

typedef struct {
  KgKeyScale scale;
  bool snap;
} Scaling;

static KgChannel *
scale_edit (const KgChannel *channel, GByteArray *marks, gpointer data)
{
  const Scaling *scaling = (const Scaling *) data;

  return kg_key_edit_scale (channel, marks, &scaling->scale, scaling->snap);
}

static void
drag_keys (KgCurveArea *self, double x, double y, GdkModifierType state)
{
  const Original *original = (const Original *) g_ptr_array_index (self->originals, self->spot.track);
  const double dx = x - self->press_x, dy = y - self->press_y;
  Motion motion = { .time = kg_curve_area_from_x (self, x) - kg_curve_area_from_x (self, self->press_x),
                    .value = kg_curve_area_from_y (self, y) - kg_curve_area_from_y (self, self->press_y),
                    .snap = !(state & GDK_CONTROL_MASK) };
  gsize n;
  const KgKey *keys = kg_channel_get_keys (original->channel, &n);
  g_autofree char *value = NULL, *hint = NULL;

  /* Shift: along one axis, the one of the larger movement. */
  if (state & GDK_SHIFT_MASK && fabs (dx) < fabs (dy))
    motion.time = 0;
  else if (state & GDK_SHIFT_MASK)
    motion.value = 0;
  /* The key under the pointer decides where the frames are; the others keep their distance to it. */
  if (motion.snap) {
    const double at = keys[self->spot.key].at;

    /* Values land on round numbers that are finer than a pixel. */
    const double places = -floor (log10 ((self->top - self->bottom) / kg_curve_area_get_plot_height (self)));
    const double fine = pow (10, fabs (places)), from = keys[self->spot.key].value[self->spot.component];
    const double target = from + motion.value;

    if (motion.value != 0)
      motion.value = (places > 0 ? round (target * fine) / fine : round (target / fine) * fine) - from;
    motion.time = motion.time != 0 ? kg_curve_area_snap (self, at + motion.time) - at : 0;
    motion.snap = false;
  }
  apply_gesture (self, move_edit, &motion);
  value = kg_curve_track_dup_value (kg_curve_area_edit_track (self, self->spot.track), motion.value, true);
  hint = g_strdup_printf (self->is_motion ? _ ("position %+.4g, value %s") : _ ("frame %+.4g, value %s"), motion.time,
                          value);
  kg_curve_area_set_hint (self, hint);
}

static void
drag_scale (KgCurveArea *self, double x, double y, GdkModifierType state)
{
  const double dx = x - self->press_x, dy = self->press_y - y;
  const bool time = fabs (dx) >= fabs (dy);
  /* 100 pixels double or undo it all: independent of where the drag began, so that the pivot may be anywhere.  Whole
     pixels: what the pointer is beyond them is noise, and would stand in the file. */
  const double factor = 1 + nearbyint (time ? dx : dy) / 100;
  const Scaling scaling = { .scale = { .time_pivot = self->is_motion ? 0 : kg_document_get_frame (self->document),
                                       .time_factor = time ? factor : 1,
                                       .value_pivot = 0,
                                       .value_factor = time ? 1 : factor },
                            .snap = !self->is_motion && !(state & GDK_CONTROL_MASK) };
  g_autofree char *hint = NULL;

  apply_gesture (self, scale_edit, (gpointer) &scaling);
  hint = g_strdup_printf (time ? _ ("times × %.3g") : _ ("values × %.3g"), factor);
  kg_curve_area_set_hint (self, hint);
}

static void
drag_handle (KgCurveArea *self, double x, double y)
{
  const Original *original = (const Original *) g_ptr_array_index (self->originals, self->spot.track);
  gsize n;
  const KgKey *key = kg_channel_get_keys (original->channel, &n) + self->spot.key;
  const double away = kg_curve_area_from_x (self, x) - key->at;
  const double rise = kg_curve_area_from_y (self, y) - key->value[self->spot.component];

  self->applying = true;
  kg_curve_area_set_channel (self, kg_curve_area_edit_track (self, self->spot.track),
                             kg_key_edit_set_handle (original->channel, self->spot.key, self->spot.component,
                                                     self->side, self->side == KG_KEY_IN ? -away : away, rise),
                             kg_curve_marks_copy (original->marks));
  self->applying = false;
  kg_curve_area_selection_changed (self);
}

static void
select_box (KgCurveArea *self, bool add)
{
  const double left = kg_curve_area_from_x (self, fmin (self->press_x, self->x)),
               right = kg_curve_area_from_x (self, fmax (self->press_x, self->x));
  const double bottom = kg_curve_area_from_y (self, fmax (self->press_y, self->y)),
               top = kg_curve_area_from_y (self, fmin (self->press_y, self->y));

  if (!add)
    kg_curve_area_select_nothing (self);
  for (guint t = 0; t < self->tracks->len; t++) {
    KgCurveTrack *track = kg_curve_area_edit_track (self, t);
    gsize n;
    const KgKey *keys = kg_channel_get_keys (track->channel, &n);

    for (gsize i = 0; i < n; i++)
      for (guint c = 0; c < kg_channel_get_width (track->channel); c++)
        if (kg_curve_track_is_shown (track, c) && keys[i].at >= left && keys[i].at <= right &&
            keys[i].value[c] >= bottom && keys[i].value[c] <= top)
          track->marks->data[i] |= (guint8) (1 << c);
  }
  kg_curve_area_selection_changed (self);
}

static bool
find_key (KgCurveArea *self, double x, double y, KgCurveSpot *spot)
{
  double nearest = CATCH;

  for (guint t = 0; t < self->tracks->len; t++) {
    const KgCurveTrack *track = kg_curve_area_edit_track (self, t);
    gsize n;
    const KgKey *keys = kg_channel_get_keys (track->channel, &n);

    for (gsize i = 0; i < n; i++)
      for (guint c = 0; c < kg_channel_get_width (track->channel); c++) {
        const double distance =
            hypot (kg_curve_area_to_x (self, keys[i].at) - x, kg_curve_area_to_y (self, keys[i].value[c]) - y);

        /* Among keys that cover each other, the selected one counts. */
        if (kg_curve_track_is_shown (track, c) &&
            (distance < nearest || (distance == nearest && track->marks->data[i] & 1 << c))) {
          nearest = distance;
          *spot = (KgCurveSpot){ t, i, c };
        }
      }
  }
  return nearest < CATCH;
}

static bool
find_handle (KgCurveArea *self, double x, double y, KgCurveSpot *spot, KgKeySide *side)
{
  double nearest = CATCH;

  for (guint t = 0; t < self->tracks->len; t++) {
    const KgCurveTrack *track = kg_curve_area_edit_track (self, t);

    for (guint i = 0; i < track->marks->len; i++)
      for (guint c = 0; c < kg_channel_get_width (track->channel) && track->marks->data[i] != 0; c++)
        for (int s = KG_KEY_IN; s <= KG_KEY_OUT && track->marks->data[i] & 1 << c; s++) {
          double hx, hy;

          if (kg_curve_area_get_handle_place (self, (KgCurveSpot){ t, i, c }, (KgKeySide) s, &hx, &hy) &&
              hypot (hx - x, hy - y) < nearest) {
            nearest = hypot (hx - x, hy - y);
            *spot = (KgCurveSpot){ t, i, c };
            *side = (KgKeySide) s;
          }
        }
  }
  return nearest < CATCH;
}

/* The track whose curve is nearest above or below; -1. */
static int
find_curve (KgCurveArea *self, double x, double y)
{
  double nearest = G_MAXDOUBLE;
  int found = -1;

  for (guint t = 0; t < self->tracks->len; t++) {
    const KgCurveTrack *track = kg_curve_area_edit_track (self, t);
    double value[KG_CHANNEL_MAX_WIDTH];

    kg_channel_evaluate (track->channel, kg_curve_area_from_x (self, x), value);
    for (guint c = 0; c < kg_channel_get_width (track->channel); c++) {
      const double distance = fabs (kg_curve_area_to_y (self, value[c]) - y);

      if (kg_curve_track_is_shown (track, c) && distance < nearest) {
        nearest = distance;
        found = (int) t;
      }
    }
  }
  return found;
}

static void
insert_at_pointer (KgCurveArea *self, double x, double y, GdkModifierType state)
{
  const int track = find_curve (self, x, y);
  const double frame = kg_curve_area_from_x (self, x);

  if (track >= 0)
    kg_curve_area_insert_at (self, track, state & GDK_CONTROL_MASK ? frame : kg_curve_area_snap (self, frame));
}

static GdkModifierType
get_state (GtkEventController *controller)
{
  return gtk_event_controller_get_current_event_state (controller);
}

static void
scrub (KgCurveArea *self, double x, GdkModifierType state)
{
  const KgFrames frames = kg_graph_get_frames (kg_curve_area_get_graph (self));
  const double frame = kg_curve_area_from_x (self, x);

  kg_document_set_frame (self->document,
                         kg_clamp (state & GDK_CONTROL_MASK ? frame : round (frame), frames.start, frames.end));
}

static void
on_drag_begin (GtkGestureDrag *drag, double x, double y, KgCurveArea *self)
{
  const GdkModifierType state = get_state (GTK_EVENT_CONTROLLER (drag));
  const bool add = state & GDK_SHIFT_MASK;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->press_x = self->x = x;
  self->press_y = self->y = y;
  self->moved = false;
  if (self->pressed_twice)
    return;
  if (self->armed) {
    self->gesture = KG_CURVE_GESTURE_SCALE;
    return;
  }
  if (y < KG_CURVE_RULER && !self->is_motion) {
    self->gesture = KG_CURVE_GESTURE_SCRUB;
    scrub (self, x, state);
  } else if (find_handle (self, x, y, &self->spot, &self->side))
    self->gesture = KG_CURVE_GESTURE_HANDLE;
  else if (find_key (self, x, y, &self->spot)) {
    self->gesture = KG_CURVE_GESTURE_MOVE;
    self->was_selected = kg_curve_area_is_selected (self, self->spot);
    if (!self->was_selected)
      kg_curve_area_select_spot (self, self->spot, add);
    else {
      self->active = self->spot;
      kg_curve_area_selection_changed (self);
    }
  } else {
    self->gesture = KG_CURVE_GESTURE_BOX;
    if (!add)
      kg_curve_area_select_all (self, false);
  }
}

static void
on_drag_update (GtkGestureDrag *drag, double dx, double dy, KgCurveArea *self)
{
  const GdkModifierType state = get_state (GTK_EVENT_CONTROLLER (drag));

  self->x = self->press_x + dx;
  self->y = self->press_y + dy;
  if (self->gesture == KG_CURVE_GESTURE_SCRUB) {
    scrub (self, self->x, state);
    return;
  }
  if (self->gesture == KG_CURVE_GESTURE_NONE || (!self->moved && hypot (dx, dy) < THRESHOLD))
    return;
  if (!self->moved) {
    self->moved = true;
    if (edits (self->gesture))
      begin_edit (self);
  }
  if (self->gesture == KG_CURVE_GESTURE_MOVE)
    drag_keys (self, self->x, self->y, state);
  else if (self->gesture == KG_CURVE_GESTURE_SCALE)
    drag_scale (self, self->x, self->y, state);
  else if (self->gesture == KG_CURVE_GESTURE_HANDLE)
    drag_handle (self, self->x, self->y);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_drag_end (GtkGestureDrag *drag, double dx, double dy, KgCurveArea *self)
{
  const bool add = get_state (GTK_EVENT_CONTROLLER (drag)) & GDK_SHIFT_MASK;

  (void) dx;
  (void) dy;
  if (self->gesture == KG_CURVE_GESTURE_NONE)
    return;
  if (self->gesture == KG_CURVE_GESTURE_BOX && self->moved)
    select_box (self, add);
  else if (self->gesture == KG_CURVE_GESTURE_MOVE && !self->moved && self->was_selected) {
    /* A click, not a drag. */
    if (add) {
      kg_curve_area_edit_track (self, self->spot.track)->marks->data[self->spot.key] &=
          (guint8) ~(1 << self->spot.component);
      kg_curve_area_selection_changed (self);
    } else
      kg_curve_area_select_spot (self, self->spot, false);
  }
  kg_curve_area_finish_gesture (self, false);
}

static void
on_drag_cancel (GtkGesture *drag, GdkEventSequence *sequence, KgCurveArea *self)
{
  (void) drag;
  (void) sequence;
  if (self->gesture != KG_CURVE_GESTURE_NONE)
    kg_curve_area_finish_gesture (self, true);
}

static void
on_pressed (GtkGestureClick *click, int n_press, double x, double y, KgCurveArea *self)
{
  KgCurveSpot spot;

  /* Comes before the drag that the same press begins. */
  self->pressed_twice = n_press == 2;
  if (n_press != 2 || y < KG_CURVE_RULER || self->tracks->len == 0 || find_key (self, x, y, &spot))
    return;
  if (self->gesture != KG_CURVE_GESTURE_NONE)
    kg_curve_area_finish_gesture (self, true);
  insert_at_pointer (self, x, y, get_state (GTK_EVENT_CONTROLLER (click)));
}

static void
on_pan_begin (GtkGestureDrag *drag, double x, double y, KgCurveArea *self)
{
  (void) drag;
  (void) x;
  (void) y;
  self->pan_left = self->left;
  self->pan_right = self->right;
  self->pan_bottom = self->bottom;
  self->pan_top = self->top;
}

static void
on_pan_update (GtkGestureDrag *drag, double dx, double dy, KgCurveArea *self)
{
  const double frames = dx / kg_curve_area_get_plot_width (self) * (self->pan_right - self->pan_left);
  const double values = dy / kg_curve_area_get_plot_height (self) * (self->pan_top - self->pan_bottom);

  (void) drag;
  kg_curve_area_set_view (self, self->pan_left - frames, self->pan_right - frames, self->pan_bottom + values,
                          self->pan_top + values);
}

static gboolean
on_scroll (GtkEventControllerScroll *scroll, double dx, double dy, KgCurveArea *self)
{
  const GdkModifierType state = get_state (GTK_EVENT_CONTROLLER (scroll));
  const double factor = pow (1.15, dy != 0 ? dy : dx);

  /* A small one stands among others that the wheel scrolls through. */
  if (self->only != NULL && !(state & (GDK_SHIFT_MASK | GDK_CONTROL_MASK)))
    return FALSE;
  kg_curve_area_zoom (
      self, self->pointer_inside ? self->pointer_x : KG_CURVE_GUTTER + 0.5 * kg_curve_area_get_plot_width (self),
      self->pointer_inside ? self->pointer_y : KG_CURVE_RULER + 0.5 * kg_curve_area_get_plot_height (self),
      state & GDK_SHIFT_MASK ? 1 : factor, state & GDK_CONTROL_MASK ? 1 : factor);
  return TRUE;
}

static void
on_motion (GtkEventControllerMotion *motion, double x, double y, KgCurveArea *self)
{
  (void) motion;
  self->pointer_x = x;
  self->pointer_y = y;
  self->pointer_inside = true;
}

static void
on_leave (GtkEventControllerMotion *motion, KgCurveArea *self)
{
  (void) motion;
  self->pointer_inside = false;
}

/* The keyboard. */

/* The component that a step up or down leads to: the next one that is shown, in this track or another. */
static bool
find_other_curve (KgCurveArea *self, int direction, KgCurveSpot *spot)
{
  int t = (int) spot->track, c = (int) spot->component;

  while (true) {
    c += direction;
    if (c < 0 || c >= (int) kg_channel_get_width (kg_curve_area_edit_track (self, (guint) t)->channel)) {
      t += direction;
      if (t < 0 || t >= (int) self->tracks->len)
        return false;
      c = direction > 0 ? 0 : (int) kg_channel_get_width (kg_curve_area_edit_track (self, (guint) t)->channel) - 1;
    }
    if (kg_curve_track_is_shown (kg_curve_area_edit_track (self, (guint) t), (guint) c))
      break;
  }
  {
    gsize n, m, best = 0;
    const KgKey *from = kg_channel_get_keys (kg_curve_area_edit_track (self, spot->track)->channel, &n);
    const KgKey *to = kg_channel_get_keys (kg_curve_area_edit_track (self, (guint) t)->channel, &m);

    for (gsize i = 1; i < m; i++)
      if (fabs (to[i].at - from[spot->key].at) < fabs (to[best].at - from[spot->key].at))
        best = i;
    *spot = (KgCurveSpot){ (guint) t, best, (guint) c };
  }
  return true;
}

static void
walk (KgCurveArea *self, int sideways, int down, bool add)
{
  KgCurveSpot spot = { 0, 0, 0 };

  if (self->tracks->len == 0)
    return;
  if (!self->has_active) {
    while (spot.component + 1 < kg_channel_get_width (kg_curve_area_edit_track (self, 0)->channel) &&
           !kg_curve_track_is_shown (kg_curve_area_edit_track (self, 0), spot.component))
      spot.component++;
  } else {
    spot = self->active;
    if (sideways < 0 && spot.key > 0)
      spot.key--;
    else if (sideways > 0 && spot.key + 1 < kg_curve_area_edit_track (self, spot.track)->marks->len)
      spot.key++;
    else if (down != 0)
      find_other_curve (self, down, &spot);
  }
  kg_curve_area_select_spot (self, spot, add);
}

/* Whether a step of the selected keys reaches one that is not selected, which it would replace. */
static bool
is_in_the_way (KgCurveArea *self, double step)
{
  for (guint t = 0; t < self->tracks->len; t++) {
    const KgCurveTrack *track = kg_curve_area_edit_track (self, t);
    gsize n;
    const KgKey *keys = kg_channel_get_keys (track->channel, &n);

    for (gsize i = 0; i < n; i++) {
      const gsize next = step > 0 ? i + 1 : i - 1;

      /* Keys that are selected too make way. */
      if (track->marks->data[i] != 0 && next < n && track->marks->data[next] == 0 && keys[next].at != keys[i].at &&
          fabs (keys[next].at - keys[i].at) < fabs (step) + 1e-9)
        return true;
    }
  }
  return false;
}

static void
nudge (KgCurveArea *self, int sideways, int up)
{
  const double step = self->is_motion ? kg_plot_get_step (self->right - self->left, 100) : 1;
  Motion motion = { .time = sideways * step,
                    .value = up * kg_plot_get_step (self->top - self->bottom, 100),
                    .snap = false };

  if (!kg_curve_area_has_selection (self))
    return;
  if (sideways != 0 && is_in_the_way (self, motion.time))
    kg_curve_area_set_hint (self, _ ("Another key is in the way: drag to move past it"));
  else
    kg_curve_area_edit (self, _ ("Move keys"), move_edit, &motion);
}

static bool
press_arrow (KgCurveArea *self, int sideways, int down, GdkModifierType state)
{
  if (state & GDK_CONTROL_MASK)
    return false;
  if (state & GDK_ALT_MASK)
    nudge (self, sideways, -down);
  else
    walk (self, sideways, down, state & GDK_SHIFT_MASK);
  return true;
}

static bool
press_escape (KgCurveArea *self)
{
  if (self->gesture != KG_CURVE_GESTURE_NONE || self->armed) {
    kg_curve_area_finish_gesture (self, true);
    gtk_gesture_set_state (self->drag, GTK_EVENT_SEQUENCE_DENIED);
    return true;
  }
  if (!kg_curve_area_has_selection (self))
    return false;
  kg_curve_area_select_all (self, false);
  return true;
}

static gboolean
on_key_pressed (GtkEventControllerKey *controller, guint value, guint code, GdkModifierType state, KgCurveArea *self)
{
  const guint key = gdk_keyval_to_lower (value);

  (void) controller;
  (void) code;
  if (key == GDK_KEY_Escape)
    return press_escape (self);
  if (self->gesture == KG_CURVE_GESTURE_NONE && self->hint != NULL && !self->armed)
    kg_curve_area_set_hint (self, NULL);
  /* Whatever else is pressed during a drag would pull the keys from under it. */
  if (self->gesture != KG_CURVE_GESTURE_NONE)
    return TRUE;
  switch (key) {
  case GDK_KEY_Left:
    return press_arrow (self, -1, 0, state);
  case GDK_KEY_Right:
    return press_arrow (self, 1, 0, state);
  case GDK_KEY_Up:
    return press_arrow (self, 0, -1, state);
  case GDK_KEY_Down:
    return press_arrow (self, 0, 1, state);
  default:
    break;
  }
  if (key == GDK_KEY_a && state & GDK_CONTROL_MASK) {
    kg_curve_area_select_all (self, !(state & GDK_SHIFT_MASK));
    return TRUE;
  }
  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK))
    return FALSE;
  switch (key) {
  case GDK_KEY_a:
    kg_curve_area_fit (self, false);
    return TRUE;
  case GDK_KEY_f:
    kg_curve_area_fit (self, true);
    return TRUE;
  case GDK_KEY_i:
    if (self->pointer_inside && self->pointer_y > KG_CURVE_RULER)
      insert_at_pointer (self, self->pointer_x, self->pointer_y, state);
    else
      kg_curve_area_insert (self);
    return TRUE;
  case GDK_KEY_s:
    arm_scale (self);
    return TRUE;
  case GDK_KEY_Delete:
  case GDK_KEY_KP_Delete:
  case GDK_KEY_BackSpace:
    kg_curve_area_delete (self);
    return TRUE;
  case GDK_KEY_plus:
  case GDK_KEY_equal:
  case GDK_KEY_KP_Add:
  case GDK_KEY_minus:
  case GDK_KEY_KP_Subtract: {
    const double factor = key == GDK_KEY_minus || key == GDK_KEY_KP_Subtract ? 1.25 : 0.8;

    kg_curve_area_zoom (self, KG_CURVE_GUTTER + 0.5 * kg_curve_area_get_plot_width (self),
                        KG_CURVE_RULER + 0.5 * kg_curve_area_get_plot_height (self), factor, factor);
    return TRUE;
  }
  default:
    return FALSE;
  }
}

void
kg_curve_area_add_controllers (KgCurveArea *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkGesture *pan = gtk_gesture_drag_new (), *click = gtk_gesture_click_new ();
  GtkEventController *scroll = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *motion = gtk_event_controller_motion_new (), *key = gtk_event_controller_key_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();

  self->drag = gtk_gesture_drag_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (self->drag), GDK_BUTTON_PRIMARY);
  g_signal_connect (self->drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (self->drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (self->drag, "drag-end", G_CALLBACK (on_drag_end), self);
  g_signal_connect (self->drag, "cancel", G_CALLBACK (on_drag_cancel), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (self->drag));
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (pan), GDK_BUTTON_MIDDLE);
  g_signal_connect (pan, "drag-begin", G_CALLBACK (on_pan_begin), self);
  g_signal_connect (pan, "drag-update", G_CALLBACK (on_pan_update), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (pan));
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), self);
  gtk_widget_add_controller (widget, scroll);
  g_signal_connect (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave), self);
  gtk_widget_add_controller (widget, motion);
  g_signal_connect (key, "key-pressed", G_CALLBACK (on_key_pressed), self);
  gtk_widget_add_controller (widget, key);
  g_signal_connect_swapped (focus, "enter", G_CALLBACK (gtk_widget_queue_draw), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (gtk_widget_queue_draw), self);
  gtk_widget_add_controller (widget, focus);
}
