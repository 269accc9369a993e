/* kg-player: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-player.h"

#include "kg-math.h"

/* Written at once: how late an order may be carried out. */
#define BLOCKS_PER_SECOND 100
/* A stream that nothing is written to keeps devices awake. */
#define IDLE_TIME (3 * G_USEC_PER_SEC)

typedef enum { IDLE, PLAY, SCRUB } Mode;

struct KgPlayer {
  gint n_references; /* the owner's and the thread's */
  const KgSoundSink *sink;
  GMutex lock; /* of all below */
  GCond changed;
  bool has_thread, quit;
  KgSound *sound; /* (nullable) */
  KgFrames frames;
  Mode mode;
  guint order; /* counts them: what was done for another is not noted */
  bool flush;  /* before anything else is written */
  /* In samples, counted as the start of a sound is. */
  int64_t first, next, end; /* end: of a scrub */
  /* The end of what had been written at a time, and how long it was to be heard from then on. */
  gint64 written_at; /* 0: nothing yet */
  double delay;
  double volume;
  bool mute;
  char *problem; /* (nullable) */
};

/* What the thread has open. */
typedef struct {
  gpointer handle; /* (nullable) */
  int rate;
  guint n_channels;
  float *block; /* of rate / BLOCKS_PER_SECOND samples */
} Stream;

static void
player_unref (KgPlayer *self)
{
  if (!g_atomic_int_dec_and_test (&self->n_references))
    return;
  g_clear_pointer (&self->sound, kg_sound_unref);
  g_free (self->problem);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static size_t
get_block_size (int rate)
{
  return (size_t) MAX (1, rate / BLOCKS_PER_SECOND);
}

/* The rest is called on the thread, with the lock held; what waits is called without it. */

static void
close_stream (KgPlayer *self, Stream *stream)
{
  if (stream->handle == NULL)
    return;
  g_mutex_unlock (&self->lock);
  self->sink->close (stream->handle);
  g_mutex_lock (&self->lock);
  stream->handle = NULL;
  g_clear_pointer (&stream->block, g_free);
}

static void
open_stream (KgPlayer *self, Stream *stream, const KgSound *sound, GError **error)
{
  const int rate = kg_sound_get_rate (sound);
  const guint n_channels = kg_sound_get_n_channels (sound);

  if (stream->handle != NULL && stream->rate == rate && stream->n_channels == n_channels)
    return;
  close_stream (self, stream);
  g_mutex_unlock (&self->lock);
  stream->handle = self->sink->open (self->sink, rate, n_channels, error);
  g_mutex_lock (&self->lock);
  if (stream->handle == NULL)
    return;
  stream->rate = rate;
  stream->n_channels = n_channels;
  stream->block = g_new (float, get_block_size (rate) * n_channels);
}

/* Writes a block of what was ordered. */
static void
work (KgPlayer *self, Stream *stream)
{
  g_autoptr (KgSound) sound = kg_sound_ref (self->sound);
  g_autoptr (GError) error = NULL;
  const guint order = self->order;
  int64_t first;
  size_t n;
  float gain;
  double delay = 0;

  open_stream (self, stream, sound, &error);
  if (order != self->order || self->quit)
    return;
  if (error == NULL) {
    first = self->next;
    n = get_block_size (stream->rate);
    if (self->mode == SCRUB)
      n = MIN (n, (size_t) (self->end - first));
    gain = self->mute ? 0 : (float) (self->volume * self->volume * self->volume);
    g_mutex_unlock (&self->lock);
    kg_sound_copy_samples (sound, first, n, stream->block);
    for (size_t i = 0; i < n * stream->n_channels; i++)
      stream->block[i] = CLAMP (gain * stream->block[i], -1, 1);
    if (self->sink->write (stream->handle, stream->block, n, &error))
      delay = self->sink->get_delay (stream->handle);
    g_mutex_lock (&self->lock);
    if (error != NULL)
      close_stream (self, stream);
    if (order != self->order)
      return;
  }
  if (error != NULL) {
    self->mode = IDLE;
    self->problem = g_strdup (error->message);
    return;
  }
  self->next = first + (int64_t) n;
  self->delay = delay;
  self->written_at = g_get_monotonic_time ();
  if (self->mode == SCRUB && self->next >= self->end)
    self->mode = IDLE;
}

static gpointer
run (gpointer data)
{
  KgPlayer *self = (KgPlayer *) data;
  Stream stream = { 0 };

  g_mutex_lock (&self->lock);
  while (!self->quit) {
    if (self->flush) {
      self->flush = false;
      if (stream.handle != NULL) {
        g_mutex_unlock (&self->lock);
        self->sink->flush (stream.handle);
        g_mutex_lock (&self->lock);
      }
    } else if (self->mode != IDLE)
      work (self, &stream);
    else if (stream.handle == NULL)
      g_cond_wait (&self->changed, &self->lock);
    else if (!g_cond_wait_until (&self->changed, &self->lock, g_get_monotonic_time () + IDLE_TIME) &&
             self->mode == IDLE)
      close_stream (self, &stream);
  }
  close_stream (self, &stream);
  g_mutex_unlock (&self->lock);
  player_unref (self);
  return NULL;
}

/* What follows is called by the owner. */

KgPlayer *
kg_player_new (const KgSoundSink *sink)
{
  KgPlayer *self = g_new0 (KgPlayer, 1);

  self->n_references = 1;
  self->sink = sink;
  self->volume = 1;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  return self;
}

void
kg_player_free (KgPlayer *self)
{
  g_mutex_lock (&self->lock);
  self->quit = true;
  self->order++;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);
  /* The thread is not waited for: a server that has stopped would stop the program, too. */
  player_unref (self);
}

/* With the lock held.  What was ordered before is not heard any more. */
static void
give_order (KgPlayer *self, Mode mode)
{
  if (mode == IDLE && self->mode == IDLE && self->written_at == 0)
    return;
  if (mode != IDLE && !self->has_thread) {
    g_autoptr (GThread) thread = NULL;

    g_atomic_int_inc (&self->n_references);
    thread = g_thread_new ("sound", run, self);
    self->has_thread = true;
  }
  self->mode = mode;
  self->order++;
  self->flush = true;
  self->written_at = 0;
  g_cond_signal (&self->changed);
}

/* The sample at which a frame begins, as in a movie that is rendered. */
static int64_t
find_sample (KgPlayer *self, double frame)
{
  return kg_sound_find_sample (self->sound, (frame - self->frames.start) / self->frames.rate);
}

void
kg_player_set_sound (KgPlayer *self, KgSound *sound, KgFrames frames)
{
  KgSound *old;

  g_mutex_lock (&self->lock);
  old = self->sound;
  if (old != NULL && (sound == NULL || kg_sound_get_rate (sound) != kg_sound_get_rate (old) ||
                      kg_sound_get_n_channels (sound) != kg_sound_get_n_channels (old) ||
                      frames.start != self->frames.start || frames.rate != self->frames.rate))
    give_order (self, IDLE);
  self->sound = sound != NULL ? kg_sound_ref (sound) : NULL;
  self->frames = frames;
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&old, kg_sound_unref);
}

void
kg_player_start (KgPlayer *self, double frame)
{
  g_mutex_lock (&self->lock);
  if (self->sound != NULL) {
    g_clear_pointer (&self->problem, g_free);
    self->first = self->next = find_sample (self, frame);
    give_order (self, PLAY);
  }
  g_mutex_unlock (&self->lock);
}

void
kg_player_stop (KgPlayer *self)
{
  g_mutex_lock (&self->lock);
  give_order (self, IDLE);
  g_mutex_unlock (&self->lock);
}

void
kg_player_scrub (KgPlayer *self, double frame)
{
  g_mutex_lock (&self->lock);
  if (self->sound != NULL && self->problem == NULL) {
    self->first = self->next = find_sample (self, frame);
    self->end = find_sample (self, frame + 1);
    give_order (self, self->end > self->next ? SCRUB : IDLE);
  }
  g_mutex_unlock (&self->lock);
}

void
kg_player_set_volume (KgPlayer *self, double volume)
{
  g_mutex_lock (&self->lock);
  self->volume = kg_clamp (volume, 0, 1);
  g_mutex_unlock (&self->lock);
}

void
kg_player_set_mute (KgPlayer *self, bool mute)
{
  g_mutex_lock (&self->lock);
  self->mute = mute;
  g_mutex_unlock (&self->lock);
}

KgPlayerState
kg_player_get_state (KgPlayer *self, double *frame)
{
  KgPlayerState state = KG_PLAYER_STOPPED;

  g_mutex_lock (&self->lock);
  if (self->problem != NULL)
    state = KG_PLAYER_FAILED;
  else if (self->mode != IDLE) {
    const double rate = kg_sound_get_rate (self->sound);
    const double waited = 1e-6 * (double) (g_get_monotonic_time () - self->written_at);
    /* Between two blocks time goes on, but not beyond what was written. */
    const double heard = (double) self->next + rate * fmin (waited - self->delay, 0);

    state = self->written_at != 0 && heard >= (double) self->first ? KG_PLAYER_PLAYING : KG_PLAYER_STARTING;
    if (state == KG_PLAYER_PLAYING && frame != NULL)
      *frame = self->frames.start + heard / rate * self->frames.rate;
  }
  g_mutex_unlock (&self->lock);
  return state;
}

char *
kg_player_dup_problem (KgPlayer *self)
{
  char *problem;

  g_mutex_lock (&self->lock);
  problem = g_strdup (self->problem);
  g_mutex_unlock (&self->lock);
  return problem;
}
