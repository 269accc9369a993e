/* kg-render: frames of a graph into files: what `kineo render` and the window share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-cache.h"
#include "kg-graph.h"
#include "kg-stream.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Frame numbers first, first + step, ... up to last. */
typedef struct {
  int64_t first, last, step;
  /* (nullable) Ascending frames instead of those of the range, which spans them; borrowed. */
  const int64_t *frames;
  guint n_frames;
} KgRenderRange;

/* Most frames of one range. */
#define KG_RENDER_MAX_FRAMES 10000000
/* Frame numbers lie between minus this and this. */
#define KG_RENDER_MAX_FRAME 1000000000
#define KG_RENDER_MAX_JOBS 256

typedef enum {
  KG_RENDER_FRAME_DONE,
  KG_RENDER_FRAME_SKIPPED, /* resuming: the file is there and up to date */
  KG_RENDER_FRAME_FAILED,
} KgRenderOutcome;

typedef struct {
  KgRenderOutcome outcome;
  const char *path;    /* of the file that this frame is in */
  int64_t frame;       /* its number */
  guint64 done, total; /* frames of all files, this one included */
  const GError *error; /* of a frame that failed */
} KgRenderEvent;

/* Called once a frame, one call at a time, on any thread of the job. */
typedef void (*KgRenderProgress) (const KgRenderEvent *event, gpointer data);

/* A node warned of something at this frame: once for each node and message, one call at a time, on any thread of the job. */
typedef void (*KgRenderWarning) (int64_t frame, const char *node, const char *message, gpointer data);

/* Without a path: a node that names a file cannot be rendered.  Called as soon as that is known, on the caller's thread; the
 * others are rendered. */
typedef void (*KgRenderRefusal) (const GError *error, gpointer data);

typedef struct {
  const char *path; /* (nullable) see kg_render_check_path; NULL: every node that names a file */
  FILE *stream;     /* (nullable) write frames here, in order, and let path (not null) only be its name */
  KgStreamFormat stream_format;
  int bits; /* of a component of images, see kg_image_format_set_bits; 0: 8 for PNG, 16 for EXR */
  const char *const
      *writable;      /* (nullable) folders where files may be written that nodes name, besides that of the graph;
                                 NULL: everywhere */
  const char *target; /* (nullable) "node" or "node.output"; NULL: what the graph displays */
  const KgRenderRange *range; /* (nullable) NULL: the graph's own frames */
  guint shard, shards;        /* of so many equal parts of the frames this one only, from 1; shards 0: all frames */
  int width, height;          /* 0: as the graph says; see kg_render */
  guint jobs;                 /* frames at a time; 0: as many as there are processors */
  bool silent;                /* movies get no sound */
  bool resume;                /* leave images alone that are up to date */
  KgCache *cache;             /* (nullable) */
  KgRenderProgress progress;  /* (nullable) */
  KgRenderWarning warning;    /* (nullable) */
  KgRenderRefusal refusal;    /* (nullable) */
  gpointer data;
} KgRenderOptions;

/* Frames of all files. */
typedef struct {
  guint64 total, done, skipped, failed;
} KgRenderReport;

/* Can frames of this range be written to path?  A movie (.mp4, .webm, .mov, .mkv, .avi, .gif, .apng, .webp) is one file, and so is what is
 * heard during the frames (.wav, .flac, .ogg, .opus, .mp3, .m4a).  Images (.png, .exr)
 * need exactly one place for the frame number, %d, %4d or %04d, as soon as there is more than one; %% is a
 * percent sign. */
bool kg_render_check_path (const char *path, const KgRenderRange *range, GError **error);
/* (transfer full) The file of one frame. */
char *kg_render_expand_path (const char *path, int64_t frame);
/* The range is not empty, runs forwards, and is not beyond KG_RENDER_MAX_FRAMES. */
bool kg_render_check_range (const KgRenderRange *range, GError **error);
guint64 kg_render_count_frames (const KgRenderRange *range);
/* index: from 0, less than there are frames. */
int64_t kg_render_get_frame (const KgRenderRange *range, guint64 index);

/* The output that is heard of a graph: of its only node of KG_ROLE_SOUND_OUTPUT that is not bypassed.  *node is NULL without
 * one; false and *error when there are several. */
bool kg_render_find_sound (KgGraph *graph, KgNode **node, guint *slot, GError **error);

/* What can be checked before anything is evaluated: the target exists and may be an image, and the path fits it; without
 * a path, some node names a file. */
bool kg_render_check_options (KgGraph *graph, const KgRenderOptions *options, GError **error);

/* Renders, with options->jobs threads that each have a snapshot of the graph and share the cache.
 *
 * Images are written whole or not at all, with a fingerprint of everything they depend on, which is how resume
 * finds those that are up to date.  A movie takes its frames in order; one that fails repeats the frame before it,
 * so that the others keep their times (a stream likewise); a step of n frames makes a movie of 1/n of the rate.  A frame that fails
 * does not stop the others, but the result is false and *error says how many failed and why the first did.  Nor does a
 * node that names a file and cannot be rendered: *error says why for each of them.
 * Movies that can have sound get that of the graph (kg_render_find_sound), if it has one: from the first frame on, cut or
 * filled with silence to the length of the frames, to the sample.  It is that of the first frame of the graph: settings that change with
 * time do not change it.
 * Cancelled: KG_ERROR_CANCELLED, whole files stay, an incomplete movie is removed.
 *
 * width and height: nodes that feed the target, give an image and have integer inputs called width and height are
 * set, the largest of them to this size and others in proportion.  It is an error when there are none.
 *
 * report (nullable) is filled in any case. */
bool kg_render (KgGraph *graph, const KgRenderOptions *options, GCancellable *cancellable, KgRenderReport *report,
                GError **error);

G_END_DECLS
