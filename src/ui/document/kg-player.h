/* kg-player: plays the sound of a graph, on a thread of its own.
 *
 * Nothing here waits: an order is noted, and the thread carries it out.  Where samples cannot be played, the player
 * fails, which it reports only when asked; the next kg_player_start tries again.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-graph.h"
#include "kg-sound.h"

G_BEGIN_DECLS

/* What plays samples.  All functions are called on the thread of the player and may wait. */
typedef struct KgSoundSink KgSoundSink;
struct KgSoundSink {
  /* (transfer full) (nullable) rate: samples per second. */
  gpointer (*open) (const KgSoundSink *sink, int rate, guint n_channels, GError **error);
  /* Appends n samples of each channel, interleaved, of -1 to 1; waits while more than a short time is still to be heard. */
  bool (*write) (gpointer stream, const float *samples, size_t n, GError **error);
  /* Seconds until what is written now would be heard. */
  double (*get_delay) (gpointer stream);
  /* Discards what is not heard yet. */
  void (*flush) (gpointer stream);
  void (*close) (gpointer stream);
  gpointer data; /* of the sink */
};

typedef enum {
  KG_PLAYER_STOPPED,
  KG_PLAYER_STARTING, /* nothing is heard yet */
  KG_PLAYER_PLAYING,
  KG_PLAYER_FAILED, /* the last start or scrub */
} KgPlayerState;

typedef struct KgPlayer KgPlayer;

/* (transfer full) sink: lives as long as the program. */
KgPlayer *kg_player_new (const KgSoundSink *sink);
/* What is heard ends soon afterwards. */
void kg_player_free (KgPlayer *player);
/* sound: (nullable).  frames: those of the graph.  A sound of another rate or number of channels, other frames, or none
 * stop what plays. */
void kg_player_set_sound (KgPlayer *player, KgSound *sound, KgFrames frames);
/* Plays from the beginning of a frame on, at the rate of the frames; after the sound, silence.  No sound: nothing. */
void kg_player_start (KgPlayer *player, double frame);
void kg_player_stop (KgPlayer *player);
/* Plays what is heard during one frame.  Nothing after a failure. */
void kg_player_scrub (KgPlayer *player, double frame);
/* 0 to 1, where loudness, not amplitude, grows evenly: samples are multiplied with the third power.  1 at first. */
void kg_player_set_volume (KgPlayer *player, double volume);
/* Silence is played instead. */
void kg_player_set_mute (KgPlayer *player, bool mute);
/* frame: (nullable) while it is PLAYING, where in the frames what is heard now is, with its fraction. */
KgPlayerState kg_player_get_state (KgPlayer *player, double *frame);
/* (transfer full) (nullable) Why it has failed; NULL unless it has. */
char *kg_player_dup_problem (KgPlayer *player);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgPlayer, kg_player_free)

G_END_DECLS
