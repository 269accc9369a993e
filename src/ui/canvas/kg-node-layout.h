/* kg-node-layout: where the parts of a node are on the canvas, in graph units.  No widgets: tests use it too.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-graph.h"

G_BEGIN_DECLS

#define KG_NODE_WIDTH 150.0      /* of a node with a short name */
#define KG_NODE_MOST_WIDTH 360.0 /* longer names are cut */
#define KG_NODE_HEAD 24.0
#define KG_NODE_ROW 18.0
#define KG_NODE_FOOT 6.0
#define KG_NODE_THUMBNAIL 72.0 /* height of the image below the rows */
#define KG_DOT_WIDTH 34.0      /* of a bend in a link */
#define KG_DOT_HEIGHT 18.0
#define KG_SLOT_REACH 9.0 /* how near to a slot counts as on it */

typedef struct {
  double x, y, width, height;
} KgRect;

/* One row of a node: an output at the right, or an input at the left. */
typedef struct {
  guint slot;
  guint item;              /* of a list input: its links from 0 on; the row after the last is where another goes */
  bool is_output, is_free; /* is_free: a list's place for another item */
  double x, y;             /* of the slot's dot */
} KgSlotPlace;

typedef struct {
  KgRect rect;
  guint n_places;
  KgSlotPlace *places;
} KgNodeLayout;

/* expanded: all inputs have a row.  Otherwise those that are usually linked do (heavy kinds, lists, drivers, all of a
 * node that has few), and those that are linked or keyed. */
void kg_node_layout_init (KgNodeLayout *layout, const KgNode *node, bool expanded, bool thumbnail);
void kg_node_layout_clear (KgNodeLayout *layout);
/* The node is somewhere else, and nothing else about it is. */
void kg_node_layout_place (KgNodeLayout *layout, double x, double y);
/* (nullable) The place of a slot (of the first free or only place with item G_MAXUINT). */
const KgSlotPlace *kg_node_layout_find (const KgNodeLayout *layout, guint slot, guint item);
/* (nullable) The place whose dot is at (x, y), within reach. */
const KgSlotPlace *kg_node_layout_pick (const KgNodeLayout *layout, double x, double y, double reach);
bool kg_rect_contains (const KgRect *rect, double x, double y);
bool kg_rect_intersects (const KgRect *a, const KgRect *b);
/* Grows a to hold b as well; an empty a (negative width) becomes b. */
void kg_rect_include (KgRect *a, const KgRect *b);
#define KG_RECT_EMPTY ((KgRect){ 0, 0, -1, -1 })

/* A note's rectangle comes from its own inputs. */
bool kg_node_is_note (const KgNode *node);
/* A bend in a link: small, with a slot at each side and no head. */
bool kg_node_is_dot (const KgNode *node);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (KgNodeLayout, kg_node_layout_clear)

G_END_DECLS
