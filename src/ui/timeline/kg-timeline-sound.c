/* kg-timeline-sound: what of the timeline is heard: the player, its volume, the clock of the images that follows it, and the
 * outline in the ruler.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-timeline-private.h"

#include "config.h"
#include "kg-pulse-sink.h"
#include "kg-render.h"
#include "kg-settings.h"

#include <glib/gi18n.h>

/* How long images wait for the sound to begin, which devices of a network delay by seconds.  A server that does not answer
 * does not stop them. */
#define SOUND_PATIENCE (3 * G_USEC_PER_SEC)
/* Images and sound farther apart than this are brought together by starting the sound again. */
#define MOST_FRAMES_APART 2.0
/* Of what they are apart, the part that the images make up for at each tick: the time of a sound is not known exactly. */
#define FOLLOWED 0.1

char *
kg_timeline_dup_wanted (KgTimeline *self)
{
  KgNode *node = NULL;
  guint slot;

  if (!kg_render_find_sound (kg_document_get_graph (self->document), &node, &slot, NULL) || node == NULL)
    return NULL;
  return g_strdup_printf ("%s.%s", kg_node_get_name (node), kg_node_get_slot (node, slot)->name);
}

/* (nullable) (transfer none) The sound of the graph, as far as it is known. */
static KgSound *
find_sound (KgTimeline *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  g_autofree char *wanted = kg_timeline_dup_wanted (self);
  const KgValue *value = set != NULL && wanted != NULL ? (const KgValue *) g_hash_table_lookup (set->values, wanted)
                                                       : NULL;

  return value != NULL && value->kind == KG_SOUND ? value->sound : NULL;
}

/* The player is given the sound that was computed last. */
void
kg_timeline_update_player (KgTimeline *self)
{
  g_autofree char *wanted = NULL;
  KgSound *sound;

  if (self->player == NULL)
    return;
  wanted = kg_timeline_dup_wanted (self);
  sound = wanted != NULL ? find_sound (self) : NULL;
  gtk_widget_set_visible (self->volume, wanted != NULL);
  /* While it is being computed again, what was heard before goes on. */
  if (wanted == NULL || sound != NULL || !kg_worker_is_busy (self->worker))
    kg_player_set_sound (self->player, sound, kg_timeline_get_frames (self));
}

static void
show_volume (KgTimeline *self)
{
  g_autofree char *problem = kg_player_dup_problem (self->player), *text = NULL;
  double volume;
  gboolean mute;

  g_object_get (kg_settings_get_default (), "sound-volume", &volume, "sound-mute", &mute, NULL);
  kg_player_set_volume (self->player, volume);
  kg_player_set_mute (self->player, mute);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (self->volume), mute || volume == 0 ? "audio-volume-muted-symbolic"
                                                                 : volume < 1 / 3.0  ? "audio-volume-low-symbolic"
                                                                 : volume < 2 / 3.0  ? "audio-volume-medium-symbolic"
                                                                                     : "audio-volume-high-symbolic");
  if (problem != NULL)
    text = g_strdup_printf (_ ("No sound: %s"), problem);
  else if (mute)
    text = g_strdup (_ ("Volume: mute"));
  else
    text = g_strdup_printf (_ ("Volume: %.0f %%"), 100 * volume);
  gtk_widget_set_tooltip_text (self->volume, text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->volume), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

void
kg_timeline_start_sound (KgTimeline *self, double frame)
{
  if (self->player == NULL)
    return;
  kg_player_start (self->player, frame);
  self->sound_start = g_get_monotonic_time ();
}

/* That it cannot be heard is said by the button, and by nothing else. */
void
kg_timeline_report_problem (KgTimeline *self)
{
  const bool failed = self->player != NULL && kg_player_get_state (self->player, NULL) == KG_PLAYER_FAILED;

  if (failed == self->failed)
    return;
  self->failed = failed;
  show_volume (self);
}

void
kg_timeline_results_changed (KgTimeline *self)
{
  kg_timeline_update_player (self);
  kg_timeline_report_problem (self);
  gtk_widget_queue_draw (self->ruler);
}

/* Another start is of no use where the last one failed. */
void
kg_timeline_restart_sound (KgTimeline *self, double frame)
{
  if (self->player != NULL && kg_player_get_state (self->player, NULL) != KG_PLAYER_FAILED)
    kg_timeline_start_sound (self, frame);
}

/* Sets the clock of the images by what is heard. */
void
kg_timeline_follow_sound (KgTimeline *self, KgFrames frames)
{
  const gint64 now = g_get_monotonic_time ();
  const double shown = self->frame_start + 1e-6 * (double) (now - self->clock_start) * frames.rate;
  double heard;

  if (self->player == NULL)
    return;
  switch (kg_player_get_state (self->player, &heard)) {
  case KG_PLAYER_STOPPED:
    kg_timeline_start_sound (self, floor (shown));
    return;
  case KG_PLAYER_STARTING:
    if (now < self->sound_start + SOUND_PATIENCE)
      self->clock_start = now;
    return;
  case KG_PLAYER_PLAYING:
    if (fabs (heard - shown) > MOST_FRAMES_APART)
      kg_timeline_start_sound (self, floor (shown));
    else {
      /* Never back. */
      self->frame_start = fmax (self->frame_start, shown + FOLLOWED * (heard - shown));
      self->clock_start = now;
    }
    return;
  case KG_PLAYER_FAILED:
    return;
  }
}

bool
kg_timeline_is_heard (KgTimeline *self)
{
  const KgPlayerState state = self->player != NULL ? kg_player_get_state (self->player, NULL) : KG_PLAYER_STOPPED;

  return state == KG_PLAYER_STARTING || state == KG_PLAYER_PLAYING;
}

/* Where every image is played, the sound follows them: where they are slow, it begins again and again. */
void
kg_timeline_correct_sound (KgTimeline *self, KgFrames frames, double frame)
{
  double heard;

  if (self->player == NULL)
    return;
  switch (kg_player_get_state (self->player, &heard)) {
  case KG_PLAYER_STOPPED:
    kg_timeline_start_sound (self, frame);
    return;
  case KG_PLAYER_PLAYING:
    /* A start takes a while, which is many frames at a high rate. */
    if (fabs (heard - frame) > fmax (MOST_FRAMES_APART, 0.15 * frames.rate))
      kg_timeline_start_sound (self, frame);
    return;
  case KG_PLAYER_STARTING:
  case KG_PLAYER_FAILED:
    return;
  }
}

/* To look through a long sound at each frame would be too slow. */
static void
update_outline (KgTimeline *self, KgSound *sound, int n_columns)
{
  const KgFrames frames = kg_timeline_get_frames (self);
  const double span = fmax (1, frames.end - frames.start);

  if (sound == self->sound && n_columns == self->n_columns && frames.start == self->sound_span.start &&
      frames.end == self->sound_span.end && frames.rate == self->sound_span.rate)
    return;
  g_clear_pointer (&self->sound, kg_sound_unref);
  self->sound = kg_sound_ref (sound);
  self->sound_span = frames;
  self->n_columns = n_columns;
  self->lowest = g_renew (double, self->lowest, n_columns);
  self->highest = g_renew (double, self->highest, n_columns);
  kg_sound_find_extremes (sound, 0, span / frames.rate, (size_t) n_columns, self->lowest, self->highest);
}

/* Behind the marks, where a frame begins at its mark. */
void
kg_timeline_draw_sound (KgTimeline *self, cairo_t *cr, int width, int height)
{
  const int n_columns = width - 2 * (int) KG_TIMELINE_MARGIN;
  const double middle = 0.5 * (18 + height - 8), scale = 0.5 * (height - 8 - 18);
  KgSound *sound = find_sound (self);

  if (sound == NULL || n_columns < 1)
    return;
  update_outline (self, sound, n_columns);
  cairo_set_source_rgba (cr, 0.25, 0.62, 0.72, 0.6);
  for (int i = 0; i < n_columns; i++) {
    const double top = scale * kg_clamp (self->highest[i], -1, 1), bottom = scale * kg_clamp (self->lowest[i], -1, 1);

    /* Silence is seen, too: as a line. */
    cairo_rectangle (cr, KG_TIMELINE_MARGIN + i, middle - top, 1, fmax (top - bottom, 1));
  }
  cairo_fill (cr);
}

/* As a part of 1. */
static char *
format_volume (GtkScale *scale, double value, gpointer data)
{
  (void) scale;
  (void) data;
  return g_strdup_printf (_ ("%.0f %%"), 100 * value);
}

static GtkWidget *
make_volume_popover (void)
{
  GObject *settings = G_OBJECT (kg_settings_get_default ());
  GtkWidget *popover = gtk_popover_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *scale = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, 0, 1, 0.05);
  GtkWidget *mute = gtk_check_button_new_with_mnemonic (_ ("_Mute"));

  gtk_widget_set_size_request (scale, 160, -1);
  gtk_scale_set_draw_value (GTK_SCALE (scale), TRUE);
  gtk_scale_set_value_pos (GTK_SCALE (scale), GTK_POS_RIGHT);
  gtk_scale_set_format_value_func (GTK_SCALE (scale), format_volume, NULL, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (scale), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Volume"), -1);
  g_object_bind_property (settings, "sound-volume", gtk_range_get_adjustment (GTK_RANGE (scale)), "value",
                          G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
  g_object_bind_property (settings, "sound-mute", mute, "active", G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
  gtk_box_append (GTK_BOX (box), scale);
  gtk_box_append (GTK_BOX (box), mute);
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  return popover;
}

void
kg_timeline_toggle_mute (KgTimeline *self)
{
  GObject *settings = G_OBJECT (kg_settings_get_default ());
  gboolean mute;

  if (self->player == NULL)
    return;
  g_object_get (settings, "sound-mute", &mute, NULL);
  g_object_set (settings, "sound-mute", !mute, NULL);
}

/* Nothing where the program has no sound. */
void
kg_timeline_init_player (KgTimeline *self)
{
  const KgSoundSink *sink = kg_pulse_sink_get ();

  if (sink == NULL)
    return;
  self->player = kg_player_new (sink);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->volume), make_volume_popover ());
  g_signal_connect_object (kg_settings_get_default (), "notify::sound-volume", G_CALLBACK (show_volume), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (kg_settings_get_default (), "notify::sound-mute", G_CALLBACK (show_volume), self,
                           G_CONNECT_SWAPPED);
  show_volume (self);
}
