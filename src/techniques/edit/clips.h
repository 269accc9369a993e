/* clips: what an edited movie is made of: pieces of sources, placed on the frames of the record.
 * Source: Parent, Computer Animation, 1.3.2 (linear and nonlinear editing).
 *
 * Frames are numbers: frame 1 is the first of a source, and a piece goes from in up to out, which it does not show.  Sources
 * are only referred to: no edit changes them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/transition.h"
#include "kg-table.h"

G_BEGIN_DECLS

/* The source that is opaque black; the others count from 1. */
#define CLIP_BLACK 0

typedef struct {
  guint source;
  double in, out;
  double at;                 /* the frame of the record with its first frame */
  int track;                 /* higher tracks are over lower ones */
  double speed;              /* frames of the source in a frame of the record; below 0: backwards; 0: in is held */
  double repeat;             /* how often it is shown; parts of a time, too */
  TransitionKind transition; /* where it overlaps one that came in earlier on its track */
} Clip;

/* Clips are not slower than so many frames of the source in one, unless they are held. */
#define CLIP_MIN_SPEED 1e-6

/* The columns of a table of clips.  A blank at: after the clip before it on the track, overlap frames earlier, but not before
 * that one begins. */
extern const KgTableColumn clip_columns[];

/* Rows that show nothing are left out; skipped is how many, and first_skipped the number of the first, from 1. */
typedef struct {
  Clip *clips;
  guint n;
  size_t skipped, first_skipped;
} ClipList;

/* Reads a table of clip_columns.  first: the frame of the record where tracks begin.  KG_ERROR_INVALID_VALUE names the row. */
bool clip_list_read (const KgTable *table, double first, ClipList *list, GError **error);
void clip_list_clear (ClipList *list);
/* (transfer full) (nullable) */
KgTable *clip_list_write (const Clip *clips, guint n, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ClipList, clip_list_clear)

/* Frames of the source in a frame of the record, and how many it goes through in one showing. */
double clip_get_pace (const Clip *clip);
/* Frames of the record that it fills, and the first after them. */
double clip_get_length (const Clip *clip);
double clip_get_end (const Clip *clip);
/* Shows it for some more frames of the record. */
void clip_lengthen (Clip *clip, double frames);
/* The first frame of the record after all clips; first without any. */
double clips_get_end (const Clip *clips, guint n, double first);
/* The last whole frame of the record with a clip; first - 1 without any. */
double clips_get_last_frame (const Clip *clips, guint n, double first);

/* A clip that is seen. */
typedef struct {
  guint clip;
  double frame; /* of its source */
  double share; /* how far its transition over the one before it on the track has come, (frame - at + 1/2) / overlap; 1
                   without one */
} ClipShown;

/* What is seen at a frame of the record, from the lowest track to the highest, on each in the order in which clips come in.
 * What a cut or a transition that is over hides on the same track is left out.  shown: room for n; the count is returned. */
guint clips_find (const Clip *clips, guint n, double frame, ClipShown *shown);

typedef enum {
  CLIPS_OVERWRITE, /* what lies under it is cut away; nothing moves, and it must end where the record ends at the latest */
  CLIPS_ASSEMBLE, /* the same, but it may lengthen the record */
  CLIPS_RIPPLE,   /* what comes later on its track moves back by its length */
  CLIPS_N_INSERTS
} ClipsInsert;

/* Puts a clip on its track.  clips: array of Clip, in which clips that are cut in two are split; a transition that is cut is
 * timed anew, by what is left of its overlap.  overlap: the clip that ends where this one begins is shown for so many frames
 * more, for its transition.  first: where the record begins.  KG_ERROR_INVALID_VALUE when an overwriting one passes the end of
 * the record. */
bool clips_insert (GArray *clips, const Clip *clip, ClipsInsert how, double overlap, double first, GError **error);
/* The index of the last clip of a track that ends at a frame, to half a frame; -1 without one. */
int clips_find_ending (const Clip *clips, guint n, int track, double frame);

G_END_DECLS
