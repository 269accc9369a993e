/* kg-render-private: what is rendered where, between planning (kg-render-plan.c) and doing (kg-render.c).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-evaluate.h"
#include "kg-render.h"

G_BEGIN_DECLS

/* One file or numbered sequence of files. */
typedef struct {
  char *node; /* path of the node */
  char *slot; /* an output, or the image input of a node that names a file */
  char *path; /* see kg_render_check_path */
  KgRenderRange range;
} KgRenderOutput;

/* (element-type KgRenderOutput) (transfer full) (nullable) What the options ask for, checked.  refusals (element-type
 * GError) gets why each node that names a file cannot be rendered, if it cannot. */
GPtrArray *kg_render_plan (KgGraph *graph, const KgRenderOptions *options, GPtrArray *refusals, GError **error);

/* A file that a node names is in the folder of the graph, or where the options permit it; what the user named may be anywhere.
 * path: of one frame, or of them all before they are numbered, of which each may be a link to elsewhere. */
bool kg_render_check_writable (KgGraph *graph, const KgRenderOptions *options, const char *path, GError **error);

/* Finds node and slot in the graph or a snapshot of it. */
void kg_render_find_target (KgGraph *graph, const KgRenderOutput *output, KgNode **node, guint *slot);

/* Whether a node that names a file has a sound of its own: then *slot is its input. */
bool kg_render_find_own_sound (const KgNode *node, guint *slot);

/* KG_ERROR_TYPE_MISMATCH with what to do when values of this kind can never be an image. */
bool kg_render_check_kind (KgNode *node, guint slot, KgKind kind, GError **error);

/* Sets the size of the images that feed the target; see kg_render.  *kept: (out) (transfer full) (nullable) the nodes, if any,
 * whose inputs in pixels keep their numbers though the size is another. */
bool kg_render_set_size (KgGraph *graph, const KgRenderOutput *output, int width, int height, char **kept,
                         GError **error);

/* Sums up the files that what feeds the target reads: which they are, and when they were written; of numbered files that
 * of this frame, if the nodes read no other.  A path that is not a constant is left out. */
KgHash kg_render_hash_files (KgNode *target, int64_t frame);
/* The same for the numbered files that the above leaves out.  Nodes may read any of them, so it is for all frames. */
KgHash kg_render_hash_series (KgNode *target);

G_END_DECLS
