/* rigid_links: joints and springs read from tables and from geometry.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-table.h"
#include "sim/rigid_world.h"

G_BEGIN_DECLS

extern const KgTableColumn rigid_ball_columns[], rigid_axis_columns[], rigid_weld_columns[], rigid_rod_columns[],
    rigid_gear_columns[];

/* Bodies are given by their indices; -1 is the world. */
typedef struct {
  const KgTable *balls, *hinges, *sliders, *welds, *rods, *gears; /* (nullable) with the columns above */
  /* (nullable) Each point is a joint of the two bodies nearest to it, and each line a rod between those nearest to its ends.
   * Point attributes N (the axis) and strength; primitive attributes stiffness, damping, rope and strength. */
  const KgGeometry *links;
  RigidJointKind kind; /* of its points */
} RigidLinks;

/* Appends all joints, of bodies at rest.  False and *error: a row that names no body, limits in the wrong order, or a link
 * without two bodies; the message names table and row.  False without an error: cancelled. */
bool rigid_links_read (const RigidLinks *links, const RigidSet *set, GArray *joints, const KgProgressMonitor *monitor,
                       GError **error);

G_END_DECLS
