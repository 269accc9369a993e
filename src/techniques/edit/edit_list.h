/* edit_list: edit decision lists in the form of CMX 3600: an event a line, with the reel, the track, the transition, and where
 * it is in the source and in the record, as timecodes whose ends are not included.
 * Source: Parent, Computer Animation, 1.3.2; ANSI/SMPTE 258M (edit decision lists).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "edit/clips.h"
#include "value/timecode.h"

G_BEGIN_DECLS

/* What a source is called in a list.  start: the timecode of its frame 1, in frames since 00:00:00:00. */
typedef struct {
  char *name;
  int64_t start;
} EditReel;

/* Reels of the sources from 1 on: "name" or "name timecode" a line; empty lines are skipped.  (transfer full) (nullable) array
 * of EditReel */
GArray *edit_reels_read (const char *text, TimecodeRule rule, GError **error);
/* (transfer full) (nullable) The name of a source in such a text. */
char *edit_reels_dup_name (const char *text, guint source);

/* Where frames of the record stand in timecode. */
typedef struct {
  TimecodeRule rule;
  double first;  /* the frame of the record that ... */
  int64_t start; /* ... this timecode stands for, in frames since 00:00:00:00; -1: the first of the list */
} EditClock;

/* The most events of a list. */
#define EDIT_LIST_MOST_EVENTS 10000

/* The events as text, in the order of the record: what is seen of each track, from one frame to another.  Frames are rounded to
 * whole ones.  A clip that is shown several times becomes that many events, and so does one that another interrupts; where two
 * overlap, the second begins with a transition (D, W001 W002 W101 W102 W119).  reels: array of EditReel; sources beyond it are
 * called SOURCEn, black is BL.  (transfer full) (nullable) KG_ERROR_LIMIT */
char *edit_list_write (const Clip *clips, guint n, const GArray *reels, const char *title, const EditClock *clock,
                       GError **error);

/* What a list had besides clips. */
typedef struct {
  char *title;       /* "" without one */
  guint events;      /* of images */
  guint sounds;      /* events of sound alone, which are left out */
  guint overlaps;    /* events that cut away what stood in the record before */
  guint keys;        /* events that are keyed over others, which are read as cuts */
  guint lengths;     /* events that are not as long in the record as in the source, without a change of speed */
  guint patterns;    /* wipes of other patterns, which are read as dissolves */
  bool kept_numbers; /* it says that numbers are dropped, at a rate where none are */
} EditListNotes;

void edit_list_notes_clear (EditListNotes *notes);

/* Appends the events of a text to clips (array of Clip).  Reels that are not in reels are appended to it: their clips have the
 * numbers of sources that come after.  clock: start is set where it is -1, and dropped numbers are what the list says.
 * KG_ERROR_INVALID_VALUE names the line. */
bool edit_list_read (const char *text, EditClock *clock, GArray *reels, GArray *clips, EditListNotes *notes,
                     GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (EditListNotes, edit_list_notes_clear)

G_END_DECLS
