/* figure_walls: the walls that simulations of figures and bodies offer.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-table.h"
#include "sim/skeleton_solver.h"

enum { FIGURE_WALLS_NONE, FIGURE_WALLS_PLANE, FIGURE_WALLS_BOX, FIGURE_N_WALLS };

/* The inputs of the node. */
typedef struct {
  int kind;
  KgVector point, normal;     /* of a plane */
  KgVector box_low, box_high; /* corners */
  const KgTable *planes;      /* rows: a point, a normal; see figure_walls_columns */
  bool plane;                 /* everything is in the plane: boxes have no front and back */
} FigureWalls;

/* The columns of the planes. */
extern const KgTableColumn figure_walls_columns[];

/* Fills walls (room for SKELETON_MAX_WALLS).  Fails, naming the wall, on normals of 0 and corners the wrong way round. */
bool figure_walls_read (const FigureWalls *from, SkeletonWall *walls, guint *n_walls, GError **error);
