/* soft_keys_private: what reading the keys and evaluating them share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/box_tree.h"
#include "soft/soft_keys.h"

typedef enum { SOFT_ELLIPSOID, SOFT_PLANE, SOFT_CHAIN, SOFT_FACES } SoftKind;

typedef struct {
  SoftKind kind;
  guint source; /* its number among the points and primitives that keys were made of, also those that make none */
  guint group;  /* index of the group, 0 .. n_groups - 1 */
  double force;
  double color[3];
  KgVector low, high; /* its influence */
  /* Ellipsoids: the place p has the coordinates inverse (p - center) in units of the influence.  Planes: row 1 of inverse is
   * the normal, divided by the reach. */
  KgVector center;
  double inverse[3][3];
  double power;
  /* Chains of pieces between n nodes from first on; faces of n / 3 triangles, three nodes each. */
  guint first, n;
  /* Of convolved chains, else 0: their radii are then weights. */
  double reach;
} SoftKey;

struct _SoftKeys {
  gatomicrefcount refs;
  SoftOptions options; /* without the table */
  double level;        /* of the surface */
  GArray *keys;        /* SoftKey */
  GArray *nodes;       /* KgVector */
  GArray *radii;       /* double: influence at each node */
  GArray *weak;        /* guint */
  GArray *record;      /* double: all numbers the field depends on, to tell equal fields */
  GArray *group_ids;   /* int32_t: of each index */
  guint n_groups;
  guint n_sources;
  guint n_skipped;
  guint n_limited;
  uint64_t partners[SOFT_MAX_GROUPS]; /* bits of the groups that count in each, its own too */
  KgVector low, high;                 /* of all */
  BoxTree *tree;                      /* of the influences */
};
