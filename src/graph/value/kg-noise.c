/* kg-noise: gradient noise (Perlin 1985, with the fade curve and gradients of Perlin 2002) on a hashed lattice, so
 * that there is no table and no period.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-field.h"
#include "kg-noise-private.h"
#include "kg-random.h"

/* The twelve edge directions of a cube, four of them twice. */
static const double directions[16][3] = { { 1, 1, 0 }, { -1, 1, 0 }, { 1, -1, 0 }, { -1, -1, 0 },
                                          { 1, 0, 1 }, { -1, 0, 1 }, { 1, 0, -1 }, { -1, 0, -1 },
                                          { 0, 1, 1 }, { 0, -1, 1 }, { 0, 1, -1 }, { 0, -1, -1 },
                                          { 1, 1, 0 }, { 0, -1, 1 }, { -1, 1, 0 }, { 0, -1, -1 } };

/* The dot product of (x, y, z) with the direction of a corner. */
static inline double
gradient (uint64_t seed, int64_t i, int64_t j, int64_t k, double x, double y, double z)
{
  const uint64_t cell = (uint64_t) i * UINT64_C (0x9e3779b97f4a7c15) ^ (uint64_t) j * UINT64_C (0xc2b2ae3d27d4eb4f) ^
                        (uint64_t) k * UINT64_C (0x165667b19e3779f9);
  const double *way = directions[kg_hash_mix (seed ^ kg_hash_mix (cell)) & 15];

  /* Without choices, which a processor would guess wrong. */
  return way[0] * x + way[1] * y + way[2] * z;
}

/* The cell of a place and where the place is in it.  False beyond 2^52, where there is nothing between whole numbers. */
static bool
find_cell (const double at[3], int64_t cell[3], double f[3])
{
  for (int k = 0; k < 3; k++) {
    if (!(fabs (at[k]) < 0x1p52))
      return false;
    cell[k] = (int64_t) floor (at[k]);
    f[k] = at[k] - (double) cell[k];
  }
  return true;
}

double
kg_noise (uint64_t seed, double x, double y, double z)
{
  double f[3], u, v, w, corner[2][2][2];
  int64_t cell[3];

  if (!find_cell ((const double[]){ x, y, z }, cell, f))
    return 0;
  u = kg_fade (f[0]);
  v = kg_fade (f[1]);
  w = kg_fade (f[2]);
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++)
      for (int c = 0; c < 2; c++)
        corner[a][b][c] = gradient (seed, cell[0] + a, cell[1] + b, cell[2] + c, f[0] - a, f[1] - b, f[2] - c);
  return kg_lerp (
      kg_lerp (kg_lerp (corner[0][0][0], corner[1][0][0], u), kg_lerp (corner[0][1][0], corner[1][1][0], u), v),
      kg_lerp (kg_lerp (corner[0][0][1], corner[1][0][1], u), kg_lerp (corner[0][1][1], corner[1][1][1], u), v), w);
}

/* The n-th derivative of the weight of the upper corner. */
static double
fade_derivative (double t, guint n)
{
  switch (n) {
  case 0:
    return kg_fade (t);
  case 1:
    return 30 * t * t * (t * (t - 2) + 1);
  case 2:
    return 60 * t * (t * (2 * t - 3) + 1);
  case 3:
    return 60 * (t * (6 * t - 6) + 1);
  case 4:
    return 360 * (2 * t - 1);
  case 5:
    return 720;
  default:
    return 0;
  }
}

/* The same for the weight of a corner, and for the weight times the distance from the corner. */
static double
weight_derivative (double t, int corner, guint n)
{
  const double fading = fade_derivative (t, n);

  return corner == 1 ? fading : n == 0 ? 1 - fading : -fading;
}

static double
moment_derivative (double t, int corner, guint n)
{
  return weight_derivative (t, corner, n) * (t - corner) + (n > 0 ? n * weight_derivative (t, corner, n - 1) : 0);
}

double
kg_noise_derivative (uint64_t seed, double x, double y, double z, guint nx, guint ny, guint nz)
{
  double f[3], sum = 0;
  int64_t cell[3];

  if (!find_cell ((const double[]){ x, y, z }, cell, f))
    return 0;
  for (int corner = 0; corner < 8; corner++) {
    const int a = corner & 1, b = corner >> 1 & 1, c = corner >> 2;
    const double wx = weight_derivative (f[0], a, nx), wy = weight_derivative (f[1], b, ny);
    const double wz = weight_derivative (f[2], c, nz);

    sum += gradient (seed, cell[0] + a, cell[1] + b, cell[2] + c, moment_derivative (f[0], a, nx) * wy * wz,
                     wx * moment_derivative (f[1], b, ny) * wz, wx * wy * moment_derivative (f[2], c, nz));
  }
  return sum;
}
