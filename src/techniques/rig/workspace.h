/* workspace: where the end of a linkage can be.
 * Source: Parent, Computer Animation, 4.2 (reachable and dextrous workspace); Craig, Introduction to Robotics, 4.2.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"
#include "rig/linkage.h"

G_BEGIN_DECLS

typedef enum {
  WORKSPACE_REACHABLE, /* places of random poses */
  WORKSPACE_BOUNDARY,  /* places as far out, and as near to the first joint, as the end gets in random directions */
  WORKSPACE_DEXTROUS,  /* places of random poses, with the share of orientations that the end can have there */
  WORKSPACE_N_MODES
} WorkspaceMode;

typedef struct {
  WorkspaceMode mode;
  guint samples;
  uint64_t seed;
  guint directions; /* orientations tried at each place */
  /* What was found. */
  GArray *places;           /* KgVector */
  GArray *manipulability;   /* double, of velocities */
  GArray *dexterity;        /* double, 0..1 */
  KgVector center;          /* of the first joint that is free on the way to the end */
  double nearest, farthest; /* distance of the end from there */
  bool planar;
  double area; /* of a planar one, between the nearest and the farthest place in each direction */
} Workspace;

/* Fails where no joint on the way to the end is free; false without an error when cancelled. */
bool workspace_explore (Workspace *workspace, const KgSkeleton *skeleton, guint joint, const KgProgressMonitor *monitor,
                        GError **error);
void workspace_clear (Workspace *workspace);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Workspace, workspace_clear)

G_END_DECLS
