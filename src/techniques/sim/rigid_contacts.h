/* rigid_contacts: where rigid bodies touch each other, or are about to.
 *
 * Broad phase: trees of bounding boxes that are grown by how far a body moves (Parent, Computer Animation, 4.4.3; "bigger
 * boxes for fast things"); narrow phase: manifolds of up to four points (convex_shape.h).  Contacts are sorted by the two
 * bodies and by the features that touch, so that results do not depend on threads, and so that they are known again in the
 * next step.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/rigid_set.h"

G_BEGIN_DECLS

/* How numbers of two bodies become one of their contact. */
typedef enum {
  RIGID_GEOMETRIC_MEAN,
  RIGID_LEAST,
  RIGID_MOST,
  RIGID_MEAN,
  RIGID_PRODUCT,
  RIGID_N_COMBINATIONS
} RigidCombine;

/* What touches, numbered as in geometry/collide: a face and a corner, an edge or a round side; or two edges that cross. */
typedef enum { RIGID_TOUCH_FACE = 0, RIGID_TOUCH_EDGES = 3 } RigidTouch;

typedef struct {
  uint32_t a, b; /* bodies: a < b unless b does not yield; the ground comes after all bodies */
  uint32_t feature;
  int32_t kind;            /* RigidTouch */
  KgVector place, normal;  /* unit, from b to a */
  double depth;            /* negative: still apart */
  double round_a, round_b; /* radii of the cores there, which do not rotate the contact */
  double friction, friction_static, restitution;
  /* What a solver has found. */
  double impulse;  /* along the normal, in the last step */
  KgVector slide;  /* across it, on a */
  KgVector roll;   /* about the contact, on a */
  double total;    /* of the normal impulses in a frame */
  KgVector rubbed; /* the same across it, on a */
  double approach; /* speed at which they came together, before the contact took any impulse */
} RigidContact;

typedef struct {
  bool on;
  double height;
  double restitution, friction, friction_static;
} RigidGround;

typedef struct {
  double ahead;  /* how many seconds ahead contacts are found */
  double margin; /* metres, in addition */
  RigidCombine combine;
  RigidGround ground;
} RigidContactOptions;

/* Linked bodies do not touch: sorted pairs. */
typedef struct {
  uint32_t a, b;
} RigidPair;

/* motions and omegas: of all bodies.  unlinked: (nullable) n_unlinked pairs to skip.  contacts: RigidContact, replaced; what is
 * known from the last step keeps its impulses.  False and *error: too many bodies are at one place.  False without an error:
 * cancelled. */
bool rigid_contacts_find (const RigidSet *set, const RigidMotion *motions, const KgVector *omegas,
                          const RigidContactOptions *options, const RigidPair *unlinked, guint n_unlinked,
                          GArray *contacts, const KgProgressMonitor *monitor, GError **error);

/* Sorts contacts, which are large: equal ones stay in their order, and what is in order already is left as it is. */
void rigid_contacts_sort (GArray *contacts, int (*compare) (const void *a, const void *b));

/* A part of a body where the body is. */
ConvexPlaced rigid_part_place (const RigidPart *part, KgVector place, KgRotation turn);

G_END_DECLS
