/* affine: transforms put together from a move, a turn, a shear and a scale, and taken apart again.
 *
 * With the scale first:  M = T R H S, H = [1 xy xz; yx 1 yz; zx zy 1].  With the scale last:  M = T S Hᵀ R.
 * Taking apart gives an H whose lower half is zero, which every linear map of full rank has (Gram-Schmidt, as Q R).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

typedef struct {
  KgVector translate;
  KgRotation rotation;
  KgVector scale;
  KgVector shear;      /* xy, xz, yz: of x by y, of x by z, of y by z */
  KgVector back_shear; /* yx, zx, zy */
  bool scale_last;
} AffineParts;

KgTransform affine_compose (const AffineParts *parts);

/* *mirrors: right becomes left, which the scale along x has as its sign.  *singular: space is flattened.  False when no parts
 * of this kind make the linear part (two of its columns, or rows, along one line); the parts are then the nearest that
 * Gram-Schmidt finds.  parts->scale_last is read. */
bool affine_decompose (const KgTransform *transform, AffineParts *parts, bool *mirrors, bool *singular);

/* Whether the last row is 0 0 0 1 but for rounding, so that nothing is divided. */
bool affine_is (const KgTransform *transform);

/* The inverse, of perspective too.  False and the identity when there is none. */
bool affine_invert (const KgTransform *transform, KgTransform *inverse);

KgTransform affine_transpose_linear (const KgTransform *transform);
/* The largest entry of |A Aᵀ - 1|, A the linear part: how far it is from a rotation or a mirror. */
double affine_get_orthogonality (const KgTransform *transform);
