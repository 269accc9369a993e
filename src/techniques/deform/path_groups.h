/* path_groups: points in groups that travel along a path, each group staying as it is: clay that flows over things.
 *
 * Groups lie one behind the other along an axis.  By height, a group moves along the axis and is raised by the path's height
 * where it comes to be; by length, it is carried along the path itself.
 * Source: Wyvill, Computer Animation Tutorial, 1988 (the letters that climb stairs).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "curve/curve.h"
#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef enum {
  PATH_GROUPS_BY_COORDINATE,
  PATH_GROUPS_BY_SLICE,
  PATH_GROUPS_BY_ATTRIBUTE,
  PATH_GROUPS_N_RULES
} PathGroupsRule;
typedef enum { PATH_GROUPS_HEIGHT, PATH_GROUPS_LENGTH, PATH_GROUPS_N_MODES } PathGroupsMode;

typedef struct {
  PathGroupsRule rule;
  PathGroupsMode mode;
  size_t axis;  /* 0, 1, 2: the groups' places are coordinates along it */
  size_t up;    /* another axis */
  double width; /* of slices, metres, > 0 */
  const char *attribute;
  double travel;    /* metres along the axis, or along the path */
  bool turn;        /* by length: groups turn with the path */
  double max_shear; /* most difference of height between neighbours, per metre between them; 0: any */
} PathGroupsOptions;

typedef struct {
  size_t n_groups;
  double shear; /* the largest difference of displacement between neighbours, per metre */
} PathGroupsResult;

/* Moves the points of geometry, which must be the caller's alone.  KG_ERROR_DEGENERATE where the path turns back (by height),
 * KG_ERROR_UNKNOWN_NAME without the attribute, KG_ERROR_CANCELLED. */
bool path_groups_move (KgGeometry *geometry, const Curve *path, const PathGroupsOptions *options,
                       const KgProgressMonitor *monitor, PathGroupsResult *result, GError **error);

G_END_DECLS
