/* kg-timeline: see the header.
 *
 * Playing follows the clock, not the images: when evaluation is too slow, frames are left out and the rate that is
 * reached is shown.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-timeline-private.h"

#include "config.h"
#include "kg-frame-fields.h"
#include "kg-key-edit.h"
#include "kg-keyed.h"
#include "kg-number-field.h"
#include "kg-plot.h"
#include "kg-settings.h"

#include <glib/gi18n.h>

#define RULER_HEIGHT 46
#define LABEL_GAP 4
#define KEY_Y (RULER_HEIGHT - 16.0) /* of the middle of a key */
#define KEY_REACH 6.0
#define SAME_FRAME 1e-6

/* Microseconds, see begins_again. */
#define COME_BACK_WITHIN 250000

G_DEFINE_FINAL_TYPE (KgTimeline, kg_timeline, GTK_TYPE_WIDGET)

static const KgSlot frame_slot = { .name = "frame", .label = N_ ("Frame"), .help = "", .kind = KG_NUMBER };

KgFrames
kg_timeline_get_frames (KgTimeline *self)
{
  return kg_graph_get_frames (kg_document_get_graph (self->document));
}

/* The part of them that is played. */
static KgFrames
get_played (KgTimeline *self)
{
  KgFrames frames = kg_timeline_get_frames (self);

  if (!isnan (self->first) && self->first <= frames.end && self->last >= frames.start) {
    frames.start = fmax (frames.start, self->first);
    frames.end = fmin (frames.end, self->last);
  }
  return frames;
}

static void
set_played (KgTimeline *self, double first, double last)
{
  const KgFrames frames = kg_timeline_get_frames (self);

  self->first = fmin (first, last);
  self->last = fmax (first, last);
  if (self->first <= frames.start && self->last >= frames.end)
    self->first = self->last = NAN;
  gtk_widget_queue_draw (self->ruler);
}

void
kg_timeline_frame_shown (KgTimeline *self)
{
  self->n_shown++;
}

static void
set_clock (KgTimeline *self, double frame)
{
  self->clock_start = g_get_monotonic_time ();
  self->frame_start = frame;
}

/* Playing. */

static void
show_rate (KgTimeline *self)
{
  const gint64 now = g_get_monotonic_time ();
  const double seconds = 1e-6 * (double) (now - self->rate_start);

  if (!self->playing) {
    gtk_label_set_text (GTK_LABEL (self->rate), "");
    return;
  }
  if (seconds < 0.5)
    return;
  {
    g_autofree char *text =
        g_strdup_printf (_ ("%.1f of %g frames/s"), self->n_shown / seconds, kg_timeline_get_frames (self).rate);
    g_autofree char *number = g_strdup_printf ("%.1f", self->n_shown / seconds);

    gtk_label_set_text (GTK_LABEL (self->rate), number);
    gtk_widget_set_tooltip_text (self->rate, text);
  }
  self->n_shown = 0;
  self->rate_start = now;
}

/* The next frame when it is due and the one before has been shown: as slow as it must be. */
static gboolean
play_next (KgTimeline *self)
{
  const KgFrames frames = get_played (self);
  const gint64 now = g_get_monotonic_time (), each = (gint64) (1e6 / frames.rate);
  double next = floor (kg_document_get_frame (self->document)) + 1;

  if (kg_worker_is_busy (self->worker) || now < self->clock_start + each)
    return G_SOURCE_CONTINUE;
  if (next > frames.end || next < frames.start) {
    if (next > frames.end && !gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->loop))) {
      kg_timeline_toggle_play (self);
      return G_SOURCE_REMOVE;
    }
    next = frames.start;
    kg_timeline_restart_sound (self, next);
  } else
    kg_timeline_correct_sound (self, frames, next);
  /* What came late is not made up for. */
  self->clock_start = MAX (self->clock_start + each, now - each);
  kg_document_set_frame (self->document, next);
  return G_SOURCE_CONTINUE;
}

static bool
simulates (KgTimeline *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);

  return set != NULL && set->n_simulations > 0;
}

/* The last of the frames up to one, beginning with the present one, that can be shown at once. */
static double
find_last_ready (KgTimeline *self, double up_to)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const double present = kg_document_get_frame (self->document);
  double last = present;

  while (set != NULL && last < up_to) {
    const double index = last + 1 - kg_timeline_get_frames (self).start;

    if (!(index >= 0) || index >= set->n_ready || !set->ready[(guint) index])
      break;
    last++;
  }
  return last;
}

/* Whether what is known is of the present frame: when there is much to do, that has not even been asked for at the next tick. */
static bool
is_at_frame (KgTimeline *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  KgGraph *graph = kg_document_get_graph (self->document);

  return set == NULL || set->time == kg_graph_frame_to_time (graph, kg_document_get_frame (self->document));
}

/* Frames of a simulation that are not ready come one after the other: whoever leaves some out waits for them all the same, and
 * then for more and more. */
static gboolean
play_simulated (KgTimeline *self)
{
  const gboolean goes_on = is_at_frame (self) ? play_next (self) : G_SOURCE_CONTINUE;

  self->frame_start = kg_document_get_frame (self->document);
  return goes_on;
}

/* A simulation whose inputs were changed while it plays begins again from the first frame when it would take long to come back to
 * this one: what was changed is seen at once. */
static bool
begins_again (KgTimeline *self, KgFrames frames)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  /* The next frame takes a step of each simulation. */
  const guint usual = set != NULL ? MAX (set->n_simulations, 1) : 1;
  bool renewed;

  if (!kg_worker_is_busy (self->worker)) {
    self->idle_at = g_get_monotonic_time ();
    return false;
  }
  if (kg_document_is_dragged (self->document) || kg_document_get_frame (self->document) <= frames.start ||
      g_get_monotonic_time () < self->idle_at + COME_BACK_WITHIN ||
      kg_worker_get_n_steps (self->worker, &renewed) <= usual || !renewed)
    return false;
  set_clock (self, frames.start);
  kg_document_set_frame (self->document, frames.start);
  kg_timeline_restart_sound (self, frames.start);
  return true;
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  KgTimeline *self = KG_TIMELINE (widget);
  const KgFrames frames = get_played (self);
  const double length = frames.end - frames.start + 1;
  double frame;

  (void) clock;
  (void) data;
  show_rate (self);
  kg_timeline_report_problem (self);
  if (begins_again (self, frames))
    return G_SOURCE_CONTINUE;
  if (self->every_frame)
    return play_next (self);
  kg_timeline_follow_sound (self, frames);
  frame =
      floor (self->frame_start + 1e-6 * (double) (g_get_monotonic_time () - self->clock_start) * frames.rate + 1e-9);
  if (frame > frames.end) {
    if (!gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->loop))) {
      kg_document_set_frame (self->document, frames.end);
      kg_timeline_toggle_play (self);
      return G_SOURCE_REMOVE;
    }
    frame = frames.start + fmod (frame - frames.start, length);
    if (kg_timeline_is_heard (self)) {
      set_clock (self, frame);
      kg_timeline_start_sound (self, frame);
    }
  }
  if (simulates (self) && frame > kg_document_get_frame (self->document)) {
    const double last = find_last_ready (self, frame);

    if (last <= kg_document_get_frame (self->document))
      return play_simulated (self);
    if (last < frame && !kg_worker_is_busy (self->worker))
      set_clock (self, last);
    frame = last;
  }
  /* An image that is still being made is waited for, and the frames in between are left out. */
  if (!kg_worker_is_busy (self->worker))
    kg_document_set_frame (self->document, frame);
  return G_SOURCE_CONTINUE;
}

void
kg_timeline_toggle_play (KgTimeline *self)
{
  self->playing = !self->playing;
  kg_document_set_playing (self->document, self->playing);
  gtk_button_set_icon_name (GTK_BUTTON (self->play),
                            self->playing ? "media-playback-pause-symbolic" : "media-playback-start-symbolic");
  if (self->playing) {
    const KgFrames frames = get_played (self);
    const double frame = kg_document_get_frame (self->document);

    self->rate_start = g_get_monotonic_time ();
    set_clock (self, frame >= frames.end || frame < frames.start ? frames.start : frame);
    self->n_shown = 0;
    self->idle_at = self->clock_start;
    kg_timeline_start_sound (self, self->frame_start);
    self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
  } else if (self->tick != 0) {
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick);
    self->tick = 0;
    show_rate (self);
  }
  if (!self->playing && self->player != NULL)
    kg_player_stop (self->player);
}

static void
go_to (KgTimeline *self, double frame)
{
  const KgFrames frames = kg_timeline_get_frames (self);

  kg_document_set_frame (self->document, kg_clamp (frame, frames.start, frames.end));
  if (self->playing) {
    set_clock (self, kg_document_get_frame (self->document));
    kg_timeline_restart_sound (self, self->frame_start);
  }
}

void
kg_timeline_step (KgTimeline *self, int by)
{
  go_to (self, nearbyint (kg_document_get_frame (self->document)) + by);
}

static void
visit_channels (KgTimeline *self, KgKeyedVisit visit, gpointer data)
{
  for (guint i = 0; i < kg_document_get_n_selected (self->document) && i < 100; i++) {
    KgNode *node = kg_document_get_selected (self->document, i);

    for (guint s = 0; s < kg_node_get_n_slots (node); s++)
      kg_keyed_each (node, s, visit, data);
  }
}

static void
collect_keys (const KgKeyed *keyed, KgChannel *channel, gpointer data)
{
  gsize n;
  const KgKey *keys = kg_channel_get_keys (channel, &n);

  (void) keyed;
  for (gsize k = 0; k < n; k++)
    g_array_append_val ((GArray *) data, keys[k].at);
}

/* (transfer full) Frames of the keys of the selected nodes, in no order. */
static GArray *
find_keys (KgTimeline *self)
{
  GArray *keys = g_array_new (FALSE, FALSE, sizeof (double));

  visit_channels (self, collect_keys, keys);
  return keys;
}

typedef struct {
  double from, to;
} Move;

static void
move_keys (const KgKeyed *keyed, KgChannel *channel, gpointer data)
{
  const Move *move = (const Move *) data;
  const guint8 all = (guint8) ((1 << kg_channel_get_width (channel)) - 1);
  g_autoptr (GByteArray) marks = kg_key_marks_new (channel, false);
  gsize n;
  const KgKey *keys = kg_channel_get_keys (channel, &n);

  for (gsize k = 0; k < n; k++)
    if (fabs (keys[k].at - move->from) < SAME_FRAME)
      marks->data[k] = all;
  if (kg_key_marks_count (marks) > 0) {
    g_autoptr (KgChannel) moved = kg_key_edit_move (channel, marks, move->to - move->from, 0, false);

    kg_keyed_set_channel (keyed, moved, NULL);
  }
}

void
kg_timeline_go_to_key (KgTimeline *self, int by)
{
  g_autoptr (GArray) keys = find_keys (self);
  const double frame = kg_document_get_frame (self->document);
  double best = NAN;

  for (guint i = 0; i < keys->len; i++) {
    const double at = g_array_index (keys, double, i);

    if ((at - frame) * by > SAME_FRAME && (isnan (best) || (best - at) * by > 0))
      best = at;
  }
  if (!isnan (best))
    kg_document_set_frame (self->document, best);
}

/* The ruler. */

static double
frame_to_x (KgTimeline *self, double frame, double width)
{
  const KgFrames frames = kg_timeline_get_frames (self);

  return KG_TIMELINE_MARGIN +
         (width - 2 * KG_TIMELINE_MARGIN) * (frame - frames.start) / fmax (1, frames.end - frames.start);
}

static double
x_to_frame (KgTimeline *self, double x)
{
  const KgFrames frames = kg_timeline_get_frames (self);
  const double width = gtk_widget_get_width (self->ruler);

  return nearbyint (frames.start + (x - KG_TIMELINE_MARGIN) / fmax (1, width - 2 * KG_TIMELINE_MARGIN) *
                                       fmax (1, frames.end - frames.start));
}

/* The frame of the key under the pointer; NAN. */
static double
pick_key (KgTimeline *self, double x, double y)
{
  g_autoptr (GArray) keys = find_keys (self);
  const double width = gtk_widget_get_width (self->ruler);
  double nearest = KEY_REACH, found = NAN;

  for (guint i = 0; fabs (y - KEY_Y) <= KEY_REACH && i < keys->len; i++) {
    const double at = g_array_index (keys, double, i), distance = fabs (frame_to_x (self, at, width) - x);

    if (distance <= nearest) {
      nearest = distance;
      found = at;
    }
  }
  return found;
}

static void
draw_ruler (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  KgTimeline *self = KG_TIMELINE (data);
  const KgFrames frames = kg_timeline_get_frames (self);
  g_autoptr (GArray) keys = find_keys (self);
  const double span = fmax (1, frames.end - frames.start), per_frame = (width - 2 * KG_TIMELINE_MARGIN) / span;
  /* Marks at least 40 pixels apart, on whole frames; numbers where there is room for them. */
  const double step = fmax (1, kg_plot_get_step (span, fmax (1, (width - 2 * KG_TIMELINE_MARGIN) / 60)));
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const KgFrames played = get_played (self);
  double x, taken = -INFINITY;
  GdkRGBA text;

  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (area)), &text);
  kg_timeline_draw_sound (self, cr, width, height);
  cairo_set_source_rgba (cr, 0.3, 0.7, 0.5, 0.7);
  for (guint i = 0; set != NULL && i < set->n_ready; i++)
    if (set->ready[i])
      cairo_rectangle (cr, frame_to_x (self, frames.start + i, width) - 0.5 * fmax (2, per_frame), height - 5,
                       fmax (2, per_frame), 4);
  cairo_fill (cr);
  for (double f = ceil (frames.start / step) * step; f <= frames.end; f += step) {
    g_autofree char *label = g_strdup_printf ("%g", f);
    g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (area), label);
    int label_width;

    x = floor (frame_to_x (self, f, width)) + 0.5;
    cairo_set_source_rgba (cr, (double) text.red, (double) text.green, (double) text.blue, 0.5);
    cairo_set_line_width (cr, 1);
    cairo_move_to (cr, x, 18);
    cairo_line_to (cr, x, height - 8);
    cairo_stroke (cr);
    pango_layout_get_pixel_size (layout, &label_width, NULL);
    /* Over its mark, and at the ends as near to it as there is room. */
    x = kg_clamp (x - 0.5 * label_width, 0, fmax (0, width - label_width));
    if (x < taken)
      continue;
    taken = x + label_width + LABEL_GAP;
    cairo_move_to (cr, x, 0);
    pango_cairo_show_layout (cr, layout);
  }
  if (!isnan (self->first)) {
    const double from = frame_to_x (self, played.start, width), to = frame_to_x (self, played.end, width);

    /* What is not played is dim. */
    cairo_set_source_rgba (cr, (double) text.red, (double) text.green, (double) text.blue, 0.13);
    cairo_rectangle (cr, 0, 0, from, height);
    cairo_rectangle (cr, to, 0, width - to, height);
    cairo_fill (cr);
    cairo_set_source_rgb (cr, 0.25, 0.6, 1);
    cairo_set_line_width (cr, 1.5);
    for (int i = 0; i < 2; i++) {
      const double at = i == 0 ? from : to, way = i == 0 ? 6 : -6;

      cairo_move_to (cr, at + way, 1);
      cairo_line_to (cr, at, 1);
      cairo_line_to (cr, at, height - 7);
      cairo_line_to (cr, at + way, height - 7);
    }
    cairo_stroke (cr);
  }
  cairo_set_source_rgb (cr, 0.95, 0.65, 0.15);
  for (guint i = 0; i < keys->len; i++) {
    const double at = g_array_index (keys, double, i), y = KEY_Y;

    x = frame_to_x (self, fabs (at - self->key_from) < SAME_FRAME ? self->key_to : at, width);
    cairo_move_to (cr, x, y - 5);
    cairo_line_to (cr, x + 5, y);
    cairo_line_to (cr, x, y + 5);
    cairo_line_to (cr, x - 5, y);
    cairo_close_path (cr);
  }
  cairo_fill (cr);
  x = frame_to_x (self, kg_document_get_frame (self->document), width);
  cairo_set_source_rgb (cr, 0.25, 0.6, 1);
  cairo_set_line_width (cr, 2);
  cairo_move_to (cr, x, 0);
  cairo_line_to (cr, x, height);
  cairo_stroke (cr);
  cairo_rectangle (cr, x - 5, 0, 10, 8);
  cairo_fill (cr);
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, KgTimeline *self)
{
  gtk_widget_grab_focus (self->ruler);
  self->marking = (gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture)) & GDK_SHIFT_MASK) != 0;
  self->key_from = self->key_to = self->marking ? NAN : pick_key (self, x, y);
  if (!self->marking && isnan (self->key_from))
    go_to (self, x_to_frame (self, x));
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, KgTimeline *self)
{
  double x, y;

  (void) dy;
  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  if (self->marking)
    set_played (self, x_to_frame (self, x), x_to_frame (self, x + dx));
  else if (isnan (self->key_from))
    go_to (self, x_to_frame (self, x + dx));
  else if (fabs (dx) > KEY_REACH || self->key_to != self->key_from) {
    const KgFrames frames = kg_timeline_get_frames (self);

    self->key_to = kg_clamp (x_to_frame (self, x + dx), frames.start, frames.end);
    gtk_widget_queue_draw (self->ruler);
  }
}

static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, KgTimeline *self)
{
  Move move = { self->key_from, self->key_to };

  (void) gesture;
  (void) dy;
  self->key_from = self->key_to = NAN;
  if (isnan (move.from))
    return;
  /* A click on a key goes there. */
  if (fabs (dx) <= KEY_REACH)
    go_to (self, move.from);
  else if (move.to != move.from) {
    KgGraph *graph = kg_document_get_graph (self->document);

    kg_graph_begin_group (graph, _ ("Move keys"));
    visit_channels (self, move_keys, &move);
    kg_graph_end_group (graph);
  }
  gtk_widget_queue_draw (self->ruler);
}

static void
on_drag_cancel (KgTimeline *self)
{
  self->key_from = self->key_to = NAN;
  gtk_widget_queue_draw (self->ruler);
}

static void
on_pointer (GtkEventControllerMotion *motion, double x, double y, KgTimeline *self)
{
  (void) motion;
  gtk_widget_set_cursor_from_name (self->ruler, isnan (pick_key (self, x, y)) ? NULL : "ew-resize");
}

static gboolean
on_ruler_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, KgTimeline *self)
{
  const KgFrames frames = kg_timeline_get_frames (self);

  (void) controller;
  (void) code;
  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return FALSE;
  if (key == GDK_KEY_Left || key == GDK_KEY_Right)
    kg_timeline_step (self, key == GDK_KEY_Left ? -1 : 1);
  else if (key == GDK_KEY_Page_Up || key == GDK_KEY_Page_Down)
    kg_timeline_step (self, (int) nearbyint (frames.rate) * (key == GDK_KEY_Page_Up ? -1 : 1));
  else if (key == GDK_KEY_Home || key == GDK_KEY_End)
    go_to (self, key == GDK_KEY_Home ? frames.start : frames.end);
  else
    return FALSE;
  return TRUE;
}

/* The part that is played begins or ends here, or is all again. */
static void
on_range (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgTimeline *self = KG_TIMELINE (widget);
  const KgFrames frames = kg_timeline_get_frames (self), played = get_played (self);
  const double here = kg_document_get_frame (self->document);

  (void) parameter;
  if (g_str_equal (name, "timeline.play-from-here"))
    set_played (self, here, here <= played.end ? played.end : frames.end);
  else if (g_str_equal (name, "timeline.play-to-here"))
    set_played (self, here >= played.start ? played.start : frames.start, here);
  else
    set_played (self, frames.start, frames.end);
}

static void
update (KgTimeline *self)
{
  const KgFrames frames = kg_timeline_get_frames (self);
  const double frame = kg_document_get_frame (self->document);
  /* The first and the last frame. */
  g_autofree char *range = g_strdup_printf (_ ("%g–%g"), frames.start, frames.end);
  g_autofree char *text = g_strdup_printf (_ ("frame %g"), frame);

  kg_number_field_set_value (KG_NUMBER_FIELD (self->frame), frame);
  gtk_menu_button_set_label (GTK_MENU_BUTTON (self->range), range);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->ruler), GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, frames.start,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, frames.end, GTK_ACCESSIBLE_PROPERTY_VALUE_NOW,
                                  frame, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
  gtk_widget_queue_draw (self->ruler);
  kg_timeline_update_player (self);
  if (self->player != NULL && !self->playing && frame != self->at_frame)
    kg_player_scrub (self->player, frame);
  self->at_frame = frame;
}

static void
on_frame_typed (KgTimeline *self, double frame)
{
  go_to (self, frame);
  /* Where it is now, also when that is where it was: at the end, for what is beyond it. */
  kg_number_field_set_value (KG_NUMBER_FIELD (self->frame), kg_document_get_frame (self->document));
}

/* What Enter took is done: the next key, such as that which plays, is for the pane above. */
static void
on_frame_done (KgTimeline *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.leave-field", NULL);
}

static void
on_first (KgTimeline *self)
{
  go_to (self, kg_timeline_get_frames (self).start);
}

static void
on_last (KgTimeline *self)
{
  go_to (self, kg_timeline_get_frames (self).end);
}

static void
on_back (KgTimeline *self)
{
  kg_timeline_step (self, -1);
}

static void
on_forward (KgTimeline *self)
{
  kg_timeline_step (self, 1);
}

static void
kg_timeline_dispose (GObject *object)
{
  KgTimeline *self = KG_TIMELINE (object);

  if (self->tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick);
  self->tick = 0;
  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_object (&self->document);
  g_clear_object (&self->worker);
  g_clear_pointer (&self->sound, kg_sound_unref);
  g_clear_pointer (&self->lowest, g_free);
  g_clear_pointer (&self->highest, g_free);
  g_clear_pointer (&self->player, kg_player_free);
  G_OBJECT_CLASS (kg_timeline_parent_class)->dispose (object);
}

static void
kg_timeline_class_init (KgTimelineClass *class)
{
  G_OBJECT_CLASS (class)->dispose = kg_timeline_dispose;
  static const struct {
    guint key;
    const char *action;
  } commands[] = { { GDK_KEY_i, "timeline.play-from-here" },
                   { GDK_KEY_o, "timeline.play-to-here" },
                   { GDK_KEY_x, "timeline.play-all" } };

  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BIN_LAYOUT);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++) {
    gtk_widget_class_install_action (GTK_WIDGET_CLASS (class), commands[i].action, NULL, on_range);
    gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (class), commands[i].key, 0, commands[i].action, NULL);
  }
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (class), "timeline");
}

static GtkWidget *
add_button (KgTimeline *self, GtkWidget *box, const char *icon, const char *tooltip, GCallback clicked)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_button_set_has_frame (GTK_BUTTON (button), FALSE);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip, -1);
  g_signal_connect_swapped (button, "clicked", clicked, self);
  gtk_box_append (GTK_BOX (box), button);
  return button;
}

static void
on_auto_key (KgTimeline *self)
{
  kg_document_set_auto_key (self->document, gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->auto_key)));
}

static void
kg_timeline_init (KgTimeline *self)
{
  GtkWidget *controls = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *motion = gtk_event_controller_motion_new (), *keys = gtk_event_controller_key_new ();

  self->key_from = self->key_to = NAN;
  self->first = self->last = NAN;
  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 3);
  gtk_widget_set_margin_start (self->box, 6);
  gtk_widget_set_margin_end (self->box, 6);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  add_button (self, controls, "media-skip-backward-symbolic", _ ("First frame"), G_CALLBACK (on_first));
  add_button (self, controls, "media-seek-backward-symbolic", _ ("One frame back"), G_CALLBACK (on_back));
  self->play = add_button (self, controls, "media-playback-start-symbolic", _ ("Play or pause"),
                           G_CALLBACK (kg_timeline_toggle_play));
  add_button (self, controls, "media-seek-forward-symbolic", _ ("One frame forward"), G_CALLBACK (on_forward));
  add_button (self, controls, "media-skip-forward-symbolic", _ ("Last frame"), G_CALLBACK (on_last));
  self->loop = gtk_toggle_button_new ();
  gtk_button_set_icon_name (GTK_BUTTON (self->loop), "media-playlist-repeat-symbolic");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->loop), TRUE);
  gtk_widget_set_tooltip_text (self->loop, _ ("Start again at the end"));
  gtk_box_append (GTK_BOX (controls), self->loop);
  self->auto_key = gtk_toggle_button_new ();
  gtk_button_set_icon_name (GTK_BUTTON (self->auto_key), "media-record-symbolic");
  gtk_widget_set_tooltip_text (self->auto_key, _ ("Auto key: whatever is changed gets a key at this frame"));
  g_signal_connect_swapped (self->auto_key, "toggled", G_CALLBACK (on_auto_key), self);
  gtk_box_append (GTK_BOX (controls), self->auto_key);
  self->volume = gtk_menu_button_new ();
  gtk_widget_set_visible (self->volume, FALSE);
  gtk_menu_button_set_has_frame (GTK_MENU_BUTTON (self->volume), FALSE);
  gtk_menu_button_set_direction (GTK_MENU_BUTTON (self->volume), GTK_ARROW_UP);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->volume), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Volume"), -1);
  gtk_box_append (GTK_BOX (controls), self->volume);
  self->frame = kg_number_field_new (&frame_slot, _ ("Frame"));
  kg_number_field_set_whole_steps (KG_NUMBER_FIELD (self->frame));
  gtk_widget_set_size_request (self->frame, 58, -1);
  g_signal_connect_swapped (self->frame, "value", G_CALLBACK (on_frame_typed), self);
  g_signal_connect_swapped (self->frame, "done", G_CALLBACK (on_frame_done), self);
  gtk_box_append (GTK_BOX (controls), self->frame);
  gtk_widget_set_valign (controls, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (self->box), controls);
  self->ruler = GTK_WIDGET (g_object_new (GTK_TYPE_DRAWING_AREA, "accessible-role", GTK_ACCESSIBLE_ROLE_SLIDER, NULL));
  gtk_widget_set_hexpand (self->ruler, TRUE);
  gtk_widget_set_focusable (self->ruler, TRUE);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (self->ruler), RULER_HEIGHT);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self->ruler), draw_ruler, self, NULL);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (on_drag_end), self);
  g_signal_connect_swapped (drag, "cancel", G_CALLBACK (on_drag_cancel), self);
  gtk_widget_add_controller (self->ruler, GTK_EVENT_CONTROLLER (drag));
  g_signal_connect (motion, "motion", G_CALLBACK (on_pointer), self);
  gtk_widget_add_controller (self->ruler, motion);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_ruler_key), self);
  gtk_widget_add_controller (self->ruler, keys);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->ruler), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Frames"), -1);
  gtk_box_append (GTK_BOX (self->box), self->ruler);
  self->range = gtk_menu_button_new ();
  gtk_menu_button_set_has_frame (GTK_MENU_BUTTON (self->range), FALSE);
  gtk_menu_button_set_direction (GTK_MENU_BUTTON (self->range), GTK_ARROW_UP);
  gtk_widget_set_valign (self->range, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (self->range, _ ("First and last frame, frames per second"));
  gtk_box_append (GTK_BOX (self->box), self->range);
  self->rate = gtk_label_new (NULL);
  /* The ruler does not change its scale when the rate comes and goes. */
  gtk_label_set_width_chars (GTK_LABEL (self->rate), 6);
  gtk_label_set_max_width_chars (GTK_LABEL (self->rate), 6);
  gtk_label_set_xalign (GTK_LABEL (self->rate), 1);
  gtk_widget_add_css_class (self->rate, "kg-dim");
  gtk_box_append (GTK_BOX (self->box), self->rate);
}

static void
on_every_frame (GtkCheckButton *button, KgTimeline *self)
{
  self->every_frame = gtk_check_button_get_active (button);
  set_clock (self, kg_document_get_frame (self->document));
}

/* In the order of the list. */
static const KgKeep keeps[] = { KG_KEEP_NONE, KG_KEEP_FULL, KG_KEEP_HALF, KG_KEEP_QUARTER };

static void
on_keep (GtkDropDown *list)
{
  const guint i = gtk_drop_down_get_selected (list);

  if (i < G_N_ELEMENTS (keeps))
    g_object_set (kg_settings_get_default (), "keep-frames", (guint) keeps[i], NULL);
}

static GtkWidget *
make_keep_row (void)
{
  const char *const names[] = { _ ("None"), _ ("Full size"), _ ("Half size"), _ ("Quarter size"), NULL };
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8), *label = gtk_label_new (_ ("Keep frames"));
  GtkWidget *list = gtk_drop_down_new_from_strings (names);

  for (guint i = 0; i < G_N_ELEMENTS (keeps); i++)
    if ((guint) keeps[i] == kg_settings_get_keep_frames (kg_settings_get_default ()))
      gtk_drop_down_set_selected (GTK_DROP_DOWN (list), i);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_set_tooltip_text (
      row, _ ("Frames are rendered in the background and played from memory; the bar below the numbers shows which are "
              "ready"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Keep frames"), -1);
  g_signal_connect (list, "notify::selected", G_CALLBACK (on_keep), NULL);
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (GTK_BOX (row), list);
  return row;
}

GtkWidget *
kg_timeline_new (KgDocument *document, KgWorker *worker)
{
  KgTimeline *self = KG_TIMELINE (g_object_new (KG_TYPE_TIMELINE, NULL));
  GtkWidget *popover, *box, *every;

  self->document = (KgDocument *) g_object_ref (document);
  self->worker = (KgWorker *) g_object_ref (worker);
  self->at_frame = kg_document_get_frame (document);
  kg_timeline_init_player (self);
  popover = gtk_popover_new ();
  every = gtk_check_button_new_with_mnemonic (_ ("Play _every frame"));
  gtk_widget_set_tooltip_text (every, _ ("Plays more slowly if frames take too long, instead of skipping some"));
  g_signal_connect_object (every, "toggled", G_CALLBACK (on_every_frame), self, 0);
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  gtk_box_append (GTK_BOX (box), kg_frame_fields_new (document));
  gtk_box_append (GTK_BOX (box), every);
  gtk_box_append (GTK_BOX (box), make_keep_row ());
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->range), popover);
  kg_document_watch (document, G_CALLBACK (update), self);
  update (self);
  return GTK_WIDGET (self);
}
