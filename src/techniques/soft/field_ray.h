/* field_ray: where rays enter and leave a body that a scalar field stands for.
 *
 * Of soft objects no crossing is missed.  Between the places where the ray enters and leaves the influence of keys, the sum of
 * ellipsoids with a density that is a polynomial of the squared distance is a polynomial of the way: its roots are isolated by the
 * sign changes of its Bernstein coefficients.  For other keys, densities and blends an interval is halved until the greatest
 * slope of the keys there leaves no room for a crossing.  Other fields, whose slope is not known, are looked at in steps.
 * Sources: Nishita and Nakamae, A Method for Displaying Metaballs by using Bézier Clipping, 1994 (polynomials in Bernstein form);
 * Kalra and Barr, Guaranteed Ray Intersections with Implicit Surfaces, 1989 (bounds of the slope).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef struct {
  double level; /* of the surface; > 0 for soft objects, which are 0 where they have no keys */
  double time;  /* seconds */
  double reach; /* metres, > 0: how far rays go */
  double step;  /* metres, > 0: of fields whose slope is not known */
} FieldRayOptions;

/* Most steps of one ray. */
#define FIELD_RAY_MAX_STEPS 1000000
/* Most crossings of a ray that are found. */
#define FIELD_RAY_CROSSINGS 2

typedef struct {
  bool inside;                   /* where the ray begins */
  guint n;                       /* crossings that were found, the first ones */
  double t[FIELD_RAY_CROSSINGS]; /* metres from where it begins: from one side to the other each time */
} FieldRayHit;

/* Follows a ray; direction: of length 1. */
FieldRayHit field_ray_follow (const KgField *field, const FieldRayOptions *options, KgVector origin,
                              KgVector direction);

/* n rays from origins (3 floats each) along directions (3 floats each, any length; none: nothing is hit).  KG_ERROR_LIMIT (too
 * many steps), KG_ERROR_CANCELLED. */
bool field_ray_follow_all (const KgField *field, const FieldRayOptions *options, const float *origins,
                           const float *directions, size_t n, FieldRayHit *hits, const KgProgressMonitor *monitor,
                           GError **error);

G_END_DECLS
