/* kg-figure-edit: drawing figures of points and rods: the texts whose rows begin with numbers of points
 * (KG_HANDLE_JOINS in kg-node.h) follow what is done to the points.  No node is known by name, and no widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-handles.h"

G_BEGIN_DECLS

/* A rod (two places), a hinge (three, with the joint in the middle), or a mark on a point (one). */
typedef struct {
  guint n;
  KgVector at[3];
} KgFigureLine;

/* The points of the input are those of a figure. */
bool kg_figure_has_points (KgNode *node, guint slot);
/* The input with the points of the node's figure; -1 when it has none. */
int kg_figure_find_points (KgNode *node);
/* What rods and hinges call a point; its row where that is not known yet. */
guint kg_figure_get_number (const KgHandles *handles, const KgGrip *grip);
/* All points that are typed lie in the plane z = 0. */
bool kg_figure_is_flat (const KgHandles *handles);
/* The geometry that comes before the points; -1 when none is linked. */
int kg_figure_find_linked (KgNode *node);
/* (transfer full) (element-type KgFigureLine) */
GArray *kg_figure_find_lines (const KgHandles *handles);

/* One step of undo each.  A new last point, joined to one (nullable) by a rod; *row: which one it is. */
bool kg_figure_add_point (const KgHandles *handles, const KgGrip *from, KgVector at, int decimals, guint *row,
                          GError **error);
/* Adds a rod between two points, or removes the one that is there. */
bool kg_figure_toggle_rod (const KgHandles *handles, const KgGrip *a, const KgGrip *b, GError **error);
/* A hinge over the point, limited to 45 degrees to both sides of how it stands; where more than two rods meet, the next
 * pair of them at each call; at last none. */
bool kg_figure_toggle_hinge (const KgHandles *handles, const KgGrip *grip, GError **error);
/* Adds a mark to the point, such as a pin, or removes it. */
bool kg_figure_toggle_mark (const KgHandles *handles, const KgGrip *grip, GError **error);
/* Rows that name a point that goes are removed, and the numbers of later ones lowered (insert: raised). */
bool kg_figure_renumber (const KgHandles *handles, int points, guint row, bool insert, GError **error);

G_END_DECLS
