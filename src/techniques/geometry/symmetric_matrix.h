/* symmetric_matrix: symmetric 3 × 3 matrices, such as tensors of inertia and covariances.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

typedef struct {
  double xx, yy, zz, xy, xz, yz;
} SymmetricMatrix;

/* a + s b */
static inline SymmetricMatrix
symmetric_matrix_add_scaled (SymmetricMatrix a, double s, SymmetricMatrix b)
{
  return (SymmetricMatrix){ a.xx + s * b.xx, a.yy + s * b.yy, a.zz + s * b.zz,
                            a.xy + s * b.xy, a.xz + s * b.xz, a.yz + s * b.yz };
}

/* a + s v vᵀ */
static inline SymmetricMatrix
symmetric_matrix_add_square (SymmetricMatrix a, double s, KgVector v)
{
  const double x = s * v.x, y = s * v.y, z = s * v.z;

  return (SymmetricMatrix){ a.xx + x * v.x, a.yy + y * v.y, a.zz + z * v.z,
                            a.xy + x * v.y, a.xz + x * v.z, a.yz + y * v.z };
}

static inline SymmetricMatrix
symmetric_matrix_scale (SymmetricMatrix a, double s)
{
  return (SymmetricMatrix){ s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz };
}

static inline KgVector
symmetric_matrix_apply (SymmetricMatrix a, KgVector v)
{
  return (KgVector){ a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
                     a.xz * v.x + a.yz * v.y + a.zz * v.z };
}

/* vᵀ a v */
static inline double
symmetric_matrix_get_along (SymmetricMatrix a, KgVector v)
{
  return kg_vector_dot (v, symmetric_matrix_apply (a, v));
}

/* R a Rᵀ: the matrix of the same thing, rotated. */
SymmetricMatrix symmetric_matrix_rotate (SymmetricMatrix a, KgRotation rotation);

/* False, and zeros, when a is singular to working precision. */
bool symmetric_matrix_invert (SymmetricMatrix a, SymmetricMatrix *inverse);

/* Eigenvalues in ascending order and their unit eigenvectors, which are right-handed; the largest component of the first
 * two is positive.  Jacobi's method (1846): small eigenvalues are as exact as large ones allow, and a diagonal matrix
 * keeps the axes it is given in. */
void symmetric_matrix_decompose (SymmetricMatrix a, double values[3], KgVector axes[3]);

/* The rotation that takes x, y and z to three right-handed axes. */
KgRotation symmetric_matrix_get_rotation (const KgVector axes[3]);
