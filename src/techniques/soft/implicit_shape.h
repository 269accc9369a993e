/* implicit_shape: simple bodies as scalar fields: F = 1 − f, f being a function that is negative inside.
 *
 * Of all but the superquadric f is the distance from the surface; of the superquadric its inside-outside function less 1.
 * Sources: Barr, Superquadrics and Angle-Preserving Transformations, 1981; Hart, Sphere Tracing, 1996 (distances).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"

G_BEGIN_DECLS

typedef enum {
  IMPLICIT_SPHERE,       /* radius size.x */
  IMPLICIT_BOX,          /* half sides size */
  IMPLICIT_CYLINDER,     /* along y: radius size.x, half height size.y */
  IMPLICIT_CONE,         /* base at y = −size.y, tip at y = size.y: radius size.x */
  IMPLICIT_TORUS,        /* around y: radius size.x, of the tube size.y */
  IMPLICIT_PLANE,        /* all below y = 0 */
  IMPLICIT_SUPERQUADRIC, /* half axes size; around z the exponent east_west, over the poles north_south */
  IMPLICIT_N_SHAPES
} ImplicitShape;

typedef struct {
  ImplicitShape shape;
  KgVector size;         /* metres, > 0 */
  double north_south;    /* exponents ε₁ */
  double east_west;      /* and ε₂ */
  KgTransform transform; /* of the shape; must have an inverse */
} ImplicitOptions;

/* KG_ERROR_DEGENERATE: the transform has no inverse.  (transfer full) (nullable) */
KgField *implicit_shape_new (const ImplicitOptions *options, GError **error);

G_END_DECLS
