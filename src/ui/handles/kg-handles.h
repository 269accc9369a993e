/* kg-handles: what of a node can be taken hold of in the viewport, and what moving it does to the inputs.  Found from the
 * declarations (KgViewHandle in kg-node.h) and from kinds and units; no node is known by name.  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"
#include "kg-motion-path.h"

G_BEGIN_DECLS

/* A node and what is known of it by evaluating. */
typedef struct {
  KgDocument *document;
  KgNode *node;       /* (nullable) */
  GHashTable *values; /* (nullable) char * "path.slot" -> KgValue *: see kg_handles_dup_wanted */
} KgHandles;

typedef enum {
  KG_GRIP_POINT,  /* dragged in the plane that faces the camera */
  KG_GRIP_AXIS,   /* moved along direction */
  KG_GRIP_RING,   /* turned about direction */
  KG_GRIP_FACTOR, /* scaled along direction */
} KgGripShape;

/* One thing that the pointer can take. */
typedef struct {
  KgNode *node;
  guint slot;
  KgHandleKind kind;
  KgGripShape shape;
  int row;            /* of a text; of a lattice the number of its point; -1: the input itself */
  int axis;           /* 0 to 2; -1: none */
  int cell[3];        /* of a lattice */
  KgVector at;        /* the point; of the other shapes what they are around */
  KgVector anchor;    /* where a step, a size or a tangent starts */
  KgVector direction; /* unit */
  bool locked;        /* linked or computed: it is shown where it is */
  bool stem;          /* a line leads here from the anchor */
  bool joined;        /* a line leads here from the grip before it */
  bool minor;         /* a handle between points */
  bool bone;          /* of parts: a point of the skeleton; otherwise a part of the object */
  bool second;        /* of pairs: of the second image */
  bool together;      /* of no input, but of all handles that are selected */
  bool timed;         /* the place at a key of another frame; row counts the keys */
  double frame;       /* of that key */
  const char *label;  /* (nullable) untranslated */
} KgGrip;

/* (transfer full) (element-type utf8) "path.slot" of what finding the grips of the node needs to have evaluated; its
 * transforms are among them. */
GPtrArray *kg_handles_dup_wanted (KgDocument *document, KgNode *node);
/* (transfer full) (element-type KgGrip) At the document's frame.  active (nullable): a point that also gets arrows. */
GArray *kg_handles_find (const KgHandles *handles, const KgGrip *active);
/* (transfer full) (element-type KgTransform) The transforms that the node takes by a link and makes. */
GArray *kg_handles_find_frames (const KgHandles *handles);
/* Where a keyed place goes. */
typedef struct {
  GArray *places; /* (element-type KgVector) one for each frame of the graph, or for every so many of a long one */
} KgHandlePath;

/* (transfer full) (element-type KgHandlePath) Of all inputs of the node with keys that are places, or steps from what stands
 * still. */
GArray *kg_handles_find_paths (const KgHandles *handles);
/* (transfer full) (element-type KgPathRequest) Places and transforms of the node that move without keys of their own: driven by
 * links and expressions, carried by an anchor, or made by the node.  geometry: where none of them does, also what it makes, as
 * a whole. */
GPtrArray *kg_handles_dup_computed_paths (const KgHandles *handles, bool geometry);
/* The node reads the input as things are: KgSlot.shown_when and KgViewHandle.unless_linked. */
bool kg_handles_is_used (const KgHandles *handles, guint slot);
/* All points of what the node makes have one depth. */
bool kg_handles_are_flat (const KgHandles *handles);
/* Of the same input, and the same row and axis of it. */
bool kg_grip_is_same (const KgGrip *a, const KgGrip *b);

/* The numbers that its input has for it: of a step or a size not where it stands, but what leads there from the anchor. */
KgVector kg_grip_get_vector (const KgGrip *grip);
/* Its position for other numbers. */
KgVector kg_grip_get_place (const KgGrip *grip, KgVector vector);

/* Moving.  start is the value that the input had when the drag began (kg_grip_get_start): all is done to that, so that
 * a drag does not add up.  decimals: places after the point that what is written is rounded to (negative: before it).
 * Inputs with keys get one at the document's frame. */
bool kg_grip_get_start (const KgHandles *handles, const KgGrip *grip, KgValue *start);
/* A point or an arrow, to a place.  apart: a tangent comes away from the one at the other side. */
bool kg_grip_move (const KgHandles *handles, const KgGrip *grip, const KgValue *start, KgVector to, int decimals,
                   bool apart, GError **error);
/* A ring, by an angle (radians). */
bool kg_grip_turn (const KgHandles *handles, const KgGrip *grip, const KgValue *start, double angle, double step,
                   GError **error);
/* A factor; what is written is a multiple of step. */
bool kg_grip_scale (const KgHandles *handles, const KgGrip *grip, const KgValue *start, double factor, double step,
                    GError **error);

/* Lists of points: a new one after that of grip (before the first: row -1), and one less. */
bool kg_grip_insert_point (const KgHandles *handles, const KgGrip *grip, KgVector at, int decimals, GError **error);
bool kg_grip_remove_point (const KgHandles *handles, const KgGrip *grip, GError **error);

/* Numbers that belong to a point besides its place: rows of inputs of the kind KG_HANDLE_ROW_VALUES. */
/* (nullable) The next slot with such numbers for the point, after slot (-1: the first); -1 at the end. */
int kg_grip_find_numbers (const KgGrip *grip, int after);
/* (transfer full) (element-type double) Those of the point; missing rows have the values of the inputs that are named
 * like the columns. */
GArray *kg_grip_get_numbers (const KgHandles *handles, const KgGrip *grip, guint slot);
bool kg_grip_set_number (const KgHandles *handles, const KgGrip *grip, guint slot, guint column, double number,
                         GError **error);

/* Rounding: the place that has not moved by half a step stays as it was. */
int kg_handles_get_decimals (double metres_per_pixel);
KgVector kg_handles_round (KgVector place, KgVector from, int decimals);
/* A round step (1, 2 or 5 times a power of ten) of at least so many pixels, and the nearest place on it. */
double kg_handles_get_snap (double metres_per_pixel);
KgVector kg_handles_snap (KgVector place, double step);

G_END_DECLS
