/* soft_keys: the keys of a soft object, and the field that is their sum.
 *
 * A key is an ellipsoid or super-ellipsoid around a point, a chain of straight pieces, or a set of flat faces.  Each adds its
 * force times a density of the distance, relative to its radius of influence.  A body is where the field reaches a level.
 * Sources: Wyvill, McPheeters and Wyvill, Data Structure for Soft Objects, 1986; Bloomenthal and Wyvill, Interactive
 * Techniques for Implicit Modeling, 1990; Ricci, A Constructive Geometry for Computer Graphics, 1973 (powers).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "soft/density.h"

#include "kg-field.h"
#include "kg-geometry.h"
#include "kg-progress.h"
#include "kg-table.h"

G_BEGIN_DECLS

/* How the contributions of the keys become one field. */
typedef enum {
  SOFT_BLEND_SUM,
  SOFT_BLEND_MAX,   /* the largest: bodies are joined with a crease */
  SOFT_BLEND_POWER, /* (Σ Fᵖ)^(1/p): between the two; negative keys are added afterwards */
  SOFT_BLEND_N_KINDS
} SoftBlend;

typedef struct {
  Density density;
  SoftBlend blend;
  double power;            /* p >= 1 */
  const KgTable *partners; /* (nullable) pairs of groups that blend with each other */
  double soften;           /* 0: the largest of the groups counts; up to 1: their sum */
  double grow;             /* the influence of all keys but planes is 1 + grow times as large; > -1 */
  double sharpness; /* > 0: chains are convolution surfaces, see line_convolution.h; 0: the distance to them counts */
} SoftOptions;

typedef struct _SoftKeys SoftKeys;

/* The attribute kind of a point. */
typedef enum {
  SOFT_KEY_ELLIPSOID,
  SOFT_KEY_PLANE, /* through the point, its normal being the y axis of the key, its reach the extent along that */
  SOFT_KEY_N_KINDS
} SoftKeyKind;

/* The powers of ellipsoids that doubles can distinguish. */
#define SOFT_LEAST_POWER 0.5
#define SOFT_MOST_POWER 64.0

/* Most groups of keys. */
#define SOFT_MAX_GROUPS 64

/* Reads the keys of geometries, one after the other.  Points that no primitive uses are ellipsoids; polylines and splines (by
 * their points) are chains of pieces, whose radius changes evenly from point to point; polygons are faces.
 * Attributes of points: axes (3: half the extent of the influence, metres), or size (3: half the extent of the body that the
 * key would have alone), or width (1: the body's diameter), the first of these that is not 0, as merged geometries have zeros
 * where one of them lacked an attribute; without any, a body of radius 0.5.  Chains and faces use the first number as radius.
 * orient (4: a quaternion), frame (9: three columns of K, which maps the unit ball onto the influence, or onto the body where
 * size tells the extent; it wins over these and orient unless it is 0), power (1: 2 is an ellipsoid), force (1), sized (1: the
 * force with which the key has the body that size tells, where that is not its own, as of keys that fade), group
 * (integer), Cd (3 or 4), kind (integer: see SoftKeyKind).  A plane adds its
 * force below it, and above it the density of the distance, to all groups, but only where there are other keys (Wyvill,
 * McPheeters and Wyvill, Animating Soft Objects, 1986): it attracts or, with a negative force, repels what comes near.  Chains and faces take
 * force, group and Cd of their first point, or from attributes of primitives.
 * As convolution surfaces chains have no bulges where they are joined: a long straight chain of force 1 has the body that a point of force 1
 * has, and its weight changes evenly from point to point, so that it has that of its radius at each.
 * KG_ERROR_INVALID_VALUE (not finite), KG_ERROR_LIMIT (too many groups), KG_ERROR_CANCELLED.  (transfer full) (nullable) */
SoftKeys *soft_keys_new (const KgGeometry *const *geometries, guint n, const SoftOptions *options,
                         const KgProgressMonitor *monitor, GError **error);
SoftKeys *soft_keys_ref (SoftKeys *keys);
void soft_keys_unref (SoftKeys *keys);

guint soft_keys_get_n (const SoftKeys *keys);
guint soft_keys_get_n_skipped (const SoftKeys *keys); /* that have no extent along some, but not all axes */
guint soft_keys_get_n_adding (const SoftKeys *keys);  /* that can add to a body: no planes, and not negative */
guint soft_keys_get_n_limited (
    const SoftKeys *keys); /* whose power is not from SOFT_LEAST_POWER to SOFT_MOST_POWER: the nearer is used */
/* Positive keys that are too weak to show a surface alone. */
guint soft_keys_get_n_weak (const SoftKeys *keys);
/* Appends their numbers, from 1. */
void soft_keys_add_weak (const SoftKeys *keys, GString *list);
/* Their influence; false where there is none. */
bool soft_keys_get_bounds (const SoftKeys *keys, KgVector *low, KgVector *high);

/* The field at one place, in doubles; gradient: (nullable) (out). */
double soft_keys_get_value (const SoftKeys *keys, KgVector p, KgVector *gradient);

/* Another level of the surface than that of the options, before a field is made of the keys. */
void soft_keys_set_level (SoftKeys *keys, double level);

/* The keys as a scalar field that knows its gradient, bounds and level.  Both keep a reference.  (transfer full) (nullable) */
KgField *soft_keys_make_field (SoftKeys *keys, GError **error);
/* The keys of such a field; NULL of others.  (transfer none) (nullable) */
const SoftKeys *soft_keys_peek (const KgField *field);
/* Their colours, weighted by what each contributes: a field of width 3; white where there is nothing.  (transfer full)
 * (nullable) */
KgField *soft_keys_make_color_field (SoftKeys *keys, GError **error);
/* Where each place of the body was while the keys were those of rest, which are paired with them in their order: each key
 * takes a place along as it was moved, turned and stretched since then, and these are weighted as colours are.  A field of
 * width 3; out of reach of all keys the place itself.  Lines and faces are only moved, by the mean of their points.
 * rest: (nullable) nothing has moved.  KG_ERROR_INVALID_VALUE: the numbers of keys differ.  (transfer full) (nullable) */
KgField *soft_keys_make_rest_field (SoftKeys *keys, const SoftKeys *rest, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SoftKeys, soft_keys_unref)

G_END_DECLS
