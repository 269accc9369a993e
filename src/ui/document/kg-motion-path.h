/* kg-motion-path: where something computed goes: a place that is sampled over the film, a frame after the other, beside the
 * window.  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-evaluate.h"

G_BEGIN_DECLS

/* Most samples of one path; of a longer film every so many frames are sampled. */
#define KG_MOTION_PATH_MOST 4096

/* Most ends of a skeleton that have a path each. */
#define KG_MOTION_PATH_MOST_ENDS 8

/* A place is the sum of its terms: vectors, the places of transforms, the mean point of geometries, an end of skeletons. */
typedef struct {
  char *name; /* "path.slot" of an input or output */
  double factor;
  guint end; /* of a skeleton: which of the joints that no other follows, in their order */
} KgPathTerm;

typedef struct {
  char *name;    /* what it is the path of: "path.slot" */
  GArray *terms; /* KgPathTerm */
} KgPathRequest;

KgPathRequest *kg_path_request_new (const char *name);
void kg_path_request_add (KgPathRequest *request, const char *name, double factor);
/* An end of a skeleton; where it has fewer there is no path. */
void kg_path_request_add_end (KgPathRequest *request, const char *name, guint end);
void kg_path_request_free (KgPathRequest *request);

/* Immutable. */
typedef struct {
  gatomicrefcount refs;
  double first, step; /* frames */
  GArray *places;     /* KgVector; with NaN where there was none.  As far as it is sampled */
  bool moves;         /* not all in one place */
} KgMotionPath;

KgMotionPath *kg_motion_path_ref (KgMotionPath *path);
void kg_motion_path_unref (KgMotionPath *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgMotionPath, kg_motion_path_unref)

/* Samples what was requested last, and keeps what it has until that changes. */
typedef struct _KgPathSampler KgPathSampler;

KgPathSampler *kg_path_sampler_new (void);
void kg_path_sampler_free (KgPathSampler *sampler);
/* requests: (nullable) (element-type KgPathRequest); graph: in which they are looked up from now on.  What does not depend on
 * anything that has changed is not sampled again; of what does, the old path stays until there is a new one. */
void kg_path_sampler_set (KgPathSampler *sampler, const GPtrArray *requests, KgGraph *graph);
/* Goes on until a time (monotonic, microseconds).  False when there was nothing to do, or it was cancelled. */
bool kg_path_sampler_advance (KgPathSampler *sampler, KgEvaluator *evaluator, gint64 until, GCancellable *cancellable);
/* (transfer full) char * name -> KgMotionPath *: what there is now. */
GHashTable *kg_path_sampler_dup_paths (KgPathSampler *sampler);

G_END_DECLS
