/* player: which samples are played, counted by a sink that only takes them down.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-player.h"

#include <gio/gio.h>
#include <locale.h>
#include <math.h>

/* Frames from 1 on, 30 a second: 1600 samples each at 48000. */
static const KgFrames frames = { 1, 100, 30 };
#define PER_FRAME 1600

typedef struct {
  KgSoundSink sink;
  GMutex lock;
  GCond changed;
  GArray *samples; /* float: since the last flush, of all channels */
  size_t room;     /* samples that may still be written; a write waits for it */
  guint n_open, n_flushes, n_closed, n_channels;
  int rate;
  double delay;
  const char *problem; /* (nullable) of opening, or of writing when it is open */
} Recorder;

static gpointer
open_recorder (const KgSoundSink *sink, int rate, guint n_channels, GError **error)
{
  Recorder *self = (Recorder *) sink->data;
  gpointer stream = self;

  g_mutex_lock (&self->lock);
  if (self->problem != NULL) {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, self->problem);
    stream = NULL;
  } else {
    self->n_open++;
    self->rate = rate;
    self->n_channels = n_channels;
  }
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  return stream;
}

static bool
write_recorder (gpointer stream, const float *samples, size_t n, GError **error)
{
  Recorder *self = (Recorder *) stream;
  bool written;

  g_mutex_lock (&self->lock);
  while (self->room < n && self->problem == NULL)
    g_cond_wait (&self->changed, &self->lock);
  written = self->problem == NULL;
  if (written) {
    self->room -= n;
    g_array_append_vals (self->samples, samples, (guint) (n * self->n_channels));
  } else
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, self->problem);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  return written;
}

static double
get_delay (gpointer stream)
{
  Recorder *self = (Recorder *) stream;
  double delay;

  g_mutex_lock (&self->lock);
  delay = self->delay;
  g_mutex_unlock (&self->lock);
  return delay;
}

static void
flush_recorder (gpointer stream)
{
  Recorder *self = (Recorder *) stream;

  g_mutex_lock (&self->lock);
  self->n_flushes++;
  g_array_set_size (self->samples, 0);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static void
close_recorder (gpointer stream)
{
  Recorder *self = (Recorder *) stream;

  g_mutex_lock (&self->lock);
  self->n_closed++;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static void
init (Recorder *self)
{
  self->sink = (KgSoundSink){ open_recorder, write_recorder, get_delay, flush_recorder, close_recorder, self };
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->samples = g_array_new (FALSE, FALSE, sizeof (float));
  self->room = SIZE_MAX;
}

/* Until so many samples of all channels, flushes and closings are there. */
static void
wait_for (Recorder *self, guint n_samples, guint n_flushes, guint n_closed)
{
  const gint64 end = g_get_monotonic_time () + 300 * G_USEC_PER_SEC;

  g_mutex_lock (&self->lock);
  while (self->samples->len < n_samples || self->n_flushes < n_flushes || self->n_closed < n_closed)
    g_assert_true (g_cond_wait_until (&self->changed, &self->lock, end));
  g_mutex_unlock (&self->lock);
}

static void
give_room (Recorder *self, size_t n)
{
  g_mutex_lock (&self->lock);
  self->room = n;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static void
clear (Recorder *self, KgPlayer *player)
{
  guint n_open;

  kg_player_free (player);
  give_room (self, SIZE_MAX);
  g_mutex_lock (&self->lock);
  n_open = self->n_open;
  g_mutex_unlock (&self->lock);
  wait_for (self, 0, 0, n_open);
  g_array_unref (self->samples);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
}

/* Samples that say where they are: 1/2 and i/2^20 more in the first channel, the same below 0 in the second. */
static float
get_sample (size_t i, guint channel)
{
  return (channel == 0 ? 1.0f : -1.0f) * (0.5f + (float) i / (1 << 20));
}

static KgSound *
make_sound (int rate, guint n_channels, size_t n)
{
  KgSound *sound = kg_sound_new (rate, n_channels, 0, n, NULL);
  float *samples = kg_sound_edit_samples (sound);

  for (size_t i = 0; i < n; i++)
    for (guint c = 0; c < n_channels; c++)
      samples[i * n_channels + c] = get_sample (i, c);
  return sound;
}

static void
test_start (void)
{
  Recorder recorder = { 0 };
  g_autoptr (KgSound) sound = make_sound (48000, 2, 20 * PER_FRAME);
  KgPlayer *player;
  const float *samples;

  init (&recorder);
  recorder.room = 18 * PER_FRAME;
  player = kg_player_new (&recorder.sink);
  g_assert_cmpint (kg_player_get_state (player, NULL), ==, KG_PLAYER_STOPPED);
  /* Without a sound nothing begins. */
  kg_player_start (player, 5);
  g_assert_cmpint (kg_player_get_state (player, NULL), ==, KG_PLAYER_STOPPED);
  kg_player_set_sound (player, sound, frames);
  kg_player_start (player, 5);
  wait_for (&recorder, 2 * 18 * PER_FRAME, 0, 0);
  g_mutex_lock (&recorder.lock);
  samples = (const float *) (gpointer) recorder.samples->data;
  g_assert_cmpint (recorder.rate, ==, 48000);
  g_assert_cmpuint (recorder.n_channels, ==, 2);
  /* The fifth frame begins after four; sixteen frames of sound are left, and then there is silence. */
  for (size_t i = 0; i < 18 * PER_FRAME; i++)
    for (guint c = 0; c < 2; c++)
      g_assert_cmpfloat (samples[2 * i + c], ==, i < 16 * PER_FRAME ? get_sample (4 * PER_FRAME + i, c) : 0);
  g_mutex_unlock (&recorder.lock);
  g_assert_cmpint (kg_player_get_state (player, NULL), ==, KG_PLAYER_PLAYING);
  clear (&recorder, player);
}

static void
test_scrub (void)
{
  Recorder recorder = { 0 };
  g_autoptr (KgSound) sound = make_sound (44100, 1, 44100);
  /* 1837.5 samples each: places are rounded, without a gap. */
  const KgFrames film = { 1, 100, 24 };
  const size_t begin[] = { 0, 1838, 3675, 5513 };
  KgPlayer *player;

  init (&recorder);
  player = kg_player_new (&recorder.sink);
  kg_player_set_sound (player, sound, film);
  for (guint f = 0; f < 3; f++) {
    const guint n = (guint) (begin[f + 1] - begin[f]);
    guint n_flushes;

    kg_player_scrub (player, 1 + f);
    /* That it has ended is what the player says; and nothing follows. */
    while (kg_player_get_state (player, NULL) != KG_PLAYER_STOPPED)
      g_usleep (1000);
    g_mutex_lock (&recorder.lock);
    g_assert_cmpuint (recorder.samples->len, ==, n);
    for (guint i = 0; i < n; i++)
      g_assert_cmpfloat (g_array_index (recorder.samples, float, i), ==, get_sample (begin[f] + i, 0));
    n_flushes = recorder.n_flushes;
    g_mutex_unlock (&recorder.lock);
    /* What is not heard yet is not heard any more. */
    kg_player_stop (player);
    wait_for (&recorder, 0, n_flushes + 1, 0);
  }
  clear (&recorder, player);
}

static void
test_stop (void)
{
  Recorder recorder = { 0 };
  g_autoptr (KgSound) sound = make_sound (48000, 1, 20 * PER_FRAME);
  KgPlayer *player;
  guint n_flushes;

  init (&recorder);
  recorder.room = PER_FRAME;
  player = kg_player_new (&recorder.sink);
  kg_player_set_sound (player, sound, frames);
  kg_player_start (player, 1);
  /* As much as there is room for, in whole blocks. */
  wait_for (&recorder, 1440, 0, 0);
  g_mutex_lock (&recorder.lock);
  n_flushes = recorder.n_flushes;
  g_mutex_unlock (&recorder.lock);
  kg_player_stop (player);
  g_assert_cmpint (kg_player_get_state (player, NULL), ==, KG_PLAYER_STOPPED);
  give_room (&recorder, SIZE_MAX);
  /* The block that had been begun was discarded, and the next that is written is what is asked for next. */
  wait_for (&recorder, 0, n_flushes + 1, 0);
  kg_player_scrub (player, 3);
  while (kg_player_get_state (player, NULL) != KG_PLAYER_STOPPED)
    g_usleep (1000);
  g_mutex_lock (&recorder.lock);
  g_assert_cmpuint (recorder.samples->len, ==, PER_FRAME);
  g_assert_cmpfloat (g_array_index (recorder.samples, float, 0), ==, get_sample (2 * PER_FRAME, 0));
  g_mutex_unlock (&recorder.lock);
  clear (&recorder, player);
}

static void
test_volume (void)
{
  Recorder recorder = { 0 };
  g_autoptr (KgSound) sound = make_sound (48000, 1, 20 * PER_FRAME);
  static const struct {
    double volume;
    bool mute;
    float gain;
  } cases[] = { { 1, false, 1 }, { 0.5, false, 0.125f }, { 0.5, true, 0 }, { 0, false, 0 } };
  KgPlayer *player;

  init (&recorder);
  player = kg_player_new (&recorder.sink);
  kg_player_set_sound (player, sound, frames);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    kg_player_set_volume (player, cases[i].volume);
    kg_player_set_mute (player, cases[i].mute);
    kg_player_scrub (player, 2);
    while (kg_player_get_state (player, NULL) != KG_PLAYER_STOPPED)
      g_usleep (1000);
    g_mutex_lock (&recorder.lock);
    /* Silence is as long as what is heard otherwise. */
    g_assert_cmpuint (recorder.samples->len, ==, PER_FRAME);
    for (guint k = 0; k < PER_FRAME; k++)
      g_assert_cmpfloat (g_array_index (recorder.samples, float, k), ==, cases[i].gain * get_sample (PER_FRAME + k, 0));
    g_mutex_unlock (&recorder.lock);
  }
  clear (&recorder, player);
}

/* The frame that is heard, while something is on its way. */
static void
test_clock (void)
{
  Recorder recorder = { 0 };
  g_autoptr (KgSound) sound = make_sound (48000, 1, 100 * PER_FRAME);
  KgPlayer *player;
  double frame = 0, later = 0;

  init (&recorder);
  recorder.delay = 3600;
  recorder.room = 15 * PER_FRAME;
  player = kg_player_new (&recorder.sink);
  kg_player_set_sound (player, sound, frames);
  kg_player_start (player, 11);
  wait_for (&recorder, 15 * PER_FRAME, 0, 0);
  /* All of it is still to be heard. */
  g_assert_cmpint (kg_player_get_state (player, NULL), ==, KG_PLAYER_STARTING);
  g_mutex_lock (&recorder.lock);
  recorder.delay = 1;
  g_mutex_unlock (&recorder.lock);
  give_room (&recorder, 30 * PER_FRAME);
  wait_for (&recorder, 45 * PER_FRAME, 0, 0);
  while (kg_player_get_state (player, &frame) != KG_PLAYER_PLAYING)
    g_usleep (1000);
  g_assert_cmpfloat (frame, >=, 11);
  /* A second and a half was written, so half a second has been heard, and more as time passes; but nothing beyond. */
  g_assert_cmpint (kg_player_get_state (player, &later), ==, KG_PLAYER_PLAYING);
  g_assert_cmpfloat (later, >=, frame);
  g_assert_cmpfloat (later, >=, 11 + 15 - 1);
  g_assert_cmpfloat (later, <=, 11 + 45);
  clear (&recorder, player);
}

/* Another sound of the same kind is played on; one of another rate is not, until it is started. */
static void
test_other_sound (void)
{
  Recorder recorder = { 0 };
  g_autoptr (KgSound) sound = make_sound (48000, 1, 20 * PER_FRAME), same = make_sound (48000, 1, PER_FRAME);
  g_autoptr (KgSound) other = make_sound (24000, 1, PER_FRAME);
  KgPlayer *player;

  init (&recorder);
  recorder.room = PER_FRAME;
  player = kg_player_new (&recorder.sink);
  kg_player_set_sound (player, sound, frames);
  kg_player_start (player, 1);
  wait_for (&recorder, 1440, 0, 0);
  kg_player_set_sound (player, same, frames);
  g_assert_cmpint (kg_player_get_state (player, NULL), !=, KG_PLAYER_STOPPED);
  kg_player_set_sound (player, other, frames);
  g_assert_cmpint (kg_player_get_state (player, NULL), ==, KG_PLAYER_STOPPED);
  give_room (&recorder, SIZE_MAX);
  kg_player_scrub (player, 1);
  wait_for (&recorder, 0, 0, 1);
  while (kg_player_get_state (player, NULL) != KG_PLAYER_STOPPED)
    g_usleep (1000);
  g_mutex_lock (&recorder.lock);
  g_assert_cmpint (recorder.rate, ==, 24000);
  g_assert_cmpuint (recorder.n_open, ==, 2);
  g_mutex_unlock (&recorder.lock);
  kg_player_set_sound (player, NULL, frames);
  kg_player_start (player, 1);
  g_assert_cmpint (kg_player_get_state (player, NULL), ==, KG_PLAYER_STOPPED);
  clear (&recorder, player);
}

static void
test_no_server (void)
{
  Recorder recorder = { 0 };
  g_autoptr (KgSound) sound = make_sound (48000, 1, 20 * PER_FRAME);
  g_autofree char *problem = NULL;
  KgPlayer *player;

  init (&recorder);
  recorder.problem = "nobody listens";
  player = kg_player_new (&recorder.sink);
  kg_player_set_sound (player, sound, frames);
  kg_player_start (player, 1);
  while (kg_player_get_state (player, NULL) != KG_PLAYER_FAILED)
    g_usleep (1000);
  problem = kg_player_dup_problem (player);
  g_assert_cmpstr (problem, ==, "nobody listens");
  /* A scrub does not ask again. */
  kg_player_scrub (player, 1);
  g_assert_cmpint (kg_player_get_state (player, NULL), ==, KG_PLAYER_FAILED);
  g_mutex_lock (&recorder.lock);
  recorder.problem = NULL;
  g_mutex_unlock (&recorder.lock);
  kg_player_start (player, 1);
  wait_for (&recorder, PER_FRAME, 0, 0);
  g_assert_null (kg_player_dup_problem (player));
  /* A server that ends. */
  g_mutex_lock (&recorder.lock);
  recorder.problem = "nobody listens any more";
  g_cond_broadcast (&recorder.changed);
  g_mutex_unlock (&recorder.lock);
  while (kg_player_get_state (player, NULL) != KG_PLAYER_FAILED)
    g_usleep (1000);
  wait_for (&recorder, 0, 0, 1);
  clear (&recorder, player);
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/player/start", test_start);
  g_test_add_func ("/player/scrub", test_scrub);
  g_test_add_func ("/player/stop", test_stop);
  g_test_add_func ("/player/volume", test_volume);
  g_test_add_func ("/player/clock", test_clock);
  g_test_add_func ("/player/other-sound", test_other_sound);
  g_test_add_func ("/player/no-server", test_no_server);
  return g_test_run ();
}
