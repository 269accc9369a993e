/* solid_algebra: bodies that scalar fields stand for, joined, cut and intersected.
 *
 * Each field is divided by its level first: h = F/level, inside where h >= 1.  The result has the level 1.
 * Sources: Ricci, A Constructive Geometry for Computer Graphics, 1973; Rvachev 1963, as in Pasko and others, Function
 * Representation in Geometric Modeling, 1995 (rounded); Blinn 1982 (sum).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"

G_BEGIN_DECLS

typedef enum {
  SOLID_BLEND,                /* h + k */
  SOLID_UNION,                /* max */
  SOLID_INTERSECTION,         /* min */
  SOLID_DIFFERENCE,           /* min (h, 2 − k) */
  SOLID_RICCI_UNION,          /* (hᵖ + kᵖ)^(1/p) */
  SOLID_RICCI_INTERSECTION,   /* (h⁻ᵖ + k⁻ᵖ)^(−1/p), 0 where either is */
  SOLID_RICCI_DIFFERENCE,     /* the same of h and 2 − k */
  SOLID_ROUNDED_UNION,        /* with g = h − 1: g + l + √(g² + l²) */
  SOLID_ROUNDED_INTERSECTION, /* g + l − √(g² + l²) */
  SOLID_N_OPERATIONS
} SolidOperation;

/* What an operation makes of two values; by_h and by_k: (nullable) (out) its derivatives. */
double solid_algebra_combine (SolidOperation operation, double p, double h, double k, double *by_h, double *by_k);

/* n scalar fields, from the first on; n >= 1.  p: 1 .. 64.  (transfer full) (nullable) */
KgField *solid_algebra_new (SolidOperation operation, double p, const KgField *const *fields, guint n, GError **error);

G_END_DECLS
