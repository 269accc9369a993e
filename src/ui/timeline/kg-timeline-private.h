/* kg-timeline-private: what the timeline and its sound share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-player.h"
#include "kg-timeline.h"

G_BEGIN_DECLS

/* Pixels beside the first and the last frame in the ruler. */
#define KG_TIMELINE_MARGIN 12.0

struct _KgTimeline {
  GtkWidget parent_instance;
  KgDocument *document;
  KgWorker *worker;
  GtkWidget *box, *ruler, *play, *loop, *auto_key, *frame, *range, *rate;
  /* Keys that are dragged: all of the selected nodes at this frame; NAN: none.  They move when they are released. */
  double key_from, key_to;
  bool playing, marking;
  bool every_frame; /* none is left out to keep the rate */
  gint64 idle_at;   /* when the worker was last seen to have nothing to do */
  guint tick;
  gint64 clock_start; /* of playing */
  double frame_start;
  guint n_shown; /* images since rate_start */
  gint64 rate_start;
  double first, last; /* of what is played; both NAN: all frames of the graph */
  /* The outline of the sound that is drawn, a column for each pixel. */
  KgSound *sound;      /* (nullable) */
  KgFrames sound_span; /* of the outline */
  int n_columns;
  double *lowest, *highest;
  /* What plays the sound. */
  KgPlayer *player; /* (nullable) none in a program without sound */
  GtkWidget *volume;
  double at_frame;    /* where the last scrub was, or would have been */
  gint64 sound_start; /* of the player */
  bool failed;        /* as far as the button says */
};

/* Of the graph. */
KgFrames kg_timeline_get_frames (KgTimeline *timeline);

/* kg-timeline-sound.c; what plays does nothing in a program without sound. */
void kg_timeline_init_player (KgTimeline *timeline);
/* The player is given the sound that was computed last. */
void kg_timeline_update_player (KgTimeline *timeline);
void kg_timeline_start_sound (KgTimeline *timeline, double frame);
/* Another start is of no use where the last one failed. */
void kg_timeline_restart_sound (KgTimeline *timeline, double frame);
bool kg_timeline_is_heard (KgTimeline *timeline);
/* Sets the clock of the images by what is heard. */
void kg_timeline_follow_sound (KgTimeline *timeline, KgFrames frames);
/* Where every image is played, the sound follows them: where they are slow, it begins again and again. */
void kg_timeline_correct_sound (KgTimeline *timeline, KgFrames frames, double frame);
/* That it cannot be heard is said by the button, and by nothing else. */
void kg_timeline_report_problem (KgTimeline *timeline);
/* Behind the marks of the ruler, where a frame begins at its mark. */
void kg_timeline_draw_sound (KgTimeline *timeline, cairo_t *cr, int width, int height);

G_END_DECLS
