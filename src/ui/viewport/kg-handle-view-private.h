/* kg-handle-view-private: what kg-handle-view.c (the handles and the pointer) and kg-handle-select.c (several of them, and what
 * they snap to) share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-grab.h"
#include "kg-grip-group.h"
#include "kg-handle-view.h"

G_BEGIN_DECLS

#define KG_HANDLE_REACH 10.0 /* pixels from a handle at which it is taken, and from a point at which it snaps */

#define KG_TURN_STEP 0.1 /* degrees */
#define KG_FACTOR_STEP 0.01
#define KG_FACTOR_SNAP 0.1

struct _KgHandleView {
  KgDocument *document;
  GHashTable *values; /* (nullable) */
  GHashTable *paths;  /* (nullable) */
  bool shown, paths_shown;
  KgGrip active;
  bool has_active;
  /* Several handles: see kg-handle-select.c. */
  GHashTable *selected; /* gint64 *, by kg_grip_get_key */
  KgNode *selected_of;  /* only compared */
  bool soft;
  double radius; /* metres; 0: not known yet */
  guint snaps;   /* KgSnap */
  KgSnapShapes *shapes;
  /* While something is dragged. */
  bool dragging, group_open;
  bool moved;
  bool drawing; /* a line that is none as long as nothing has moved */
  KgGrip grip;  /* as it was */
  KgValue start;
  double grab_x, grab_y; /* from the pointer to the point */
  double grab_along;     /* of an arrow or a box: where along it the pointer took it */
  KgVector grab_at;      /* of a ring: where the pointer is on it */
  double turned;         /* so far */
  KgVector dragged_to;
  KgGripGroup *group;   /* (nullable) what moves together */
  KgGroupChange change; /* so far */
  int decimals;
  GArray *before;              /* (nullable) KgGrip: where all were */
  KgSnapShapes *shapes_before; /* (nullable) */
  KgSnapped snapped;
  KgGrab *grab;
  KgGrip rod; /* the point where one begins */
  bool has_rod;
  KgGrip part; /* whose points are chosen */
  bool has_part;
};

/* kg-handle-view.c */
/* (transfer full) With what is dragged where it is dragged to: what is evaluated comes later. */
GArray *kg_handle_view_find_grips (KgHandleView *self);
/* The active one as it is now. */
bool kg_handle_view_find_active (KgHandleView *self, KgGrip *grip);

/* kg-handle-select.c */
bool kg_handle_view_is_selected (KgHandleView *self, const KgGrip *grip);
/* Adds the handles of all that are selected together, if there are several. */
void kg_handle_view_add_together (KgHandleView *self, GArray *grips);
/* Whether the grip moves with others, and so by a group: what is near it, if that is soft, counts too. */
bool kg_handle_view_is_together (KgHandleView *self, const KgGrip *grip);
/* (transfer full) Those that move when the grip does. */
KgGripGroup *kg_handle_view_make_group (KgHandleView *self, const KgProjection *p, const KgGrip *grip);
/* What a handle snaps to: nothing unless the modifiers ask for it. */
guint kg_handle_view_get_snaps (KgHandleView *self, KgHandleModifiers modifiers);
/* A place that a point or an arrow is moved to, or near it what it snaps to.  *decimals: to round it to. */
KgVector kg_handle_view_snap (KgHandleView *self, const KgProjection *p, const KgGrip *grip, KgVector to, guint snaps,
                              int *decimals);
G_END_DECLS
