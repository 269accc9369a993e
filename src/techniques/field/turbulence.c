/* turbulence: gradient noise for blocks of points, as three components or as their curl.
 *
 * Noise: Perlin 1985, with the fade curve of Perlin 2002; gradients are hashed from the corner of the lattice instead
 * of taken from a table, so that there is no period and the loops vectorise.  Curl: Bridson, Hourihan and Nordenstam
 * 2007, from the exact derivatives.  Over time independent patterns follow each other, two at a time, weighted by the
 * cosine and sine of one angle: that keeps the strength, and any fixed mixture of curls is a curl.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "field/turbulence.h"

#include "field/lattice_hash.h"
#include "kg-kernel.h"
#include "kg-random.h"

/* Points worked on together: small enough for all arrays to stay in the first-level cache. */
#define LANES 128

typedef struct {
  int32_t cell[3][LANES];
  uint32_t sum[LANES];                   /* lattice_sum of the cell */
  float f[3][LANES];                     /* place within the cell, 0..1 */
  float fade[3][LANES], slope[3][LANES]; /* lattice_fade and its derivative */
} Lattice;

KG_KERNEL static void
lattice_set (Lattice *lattice, const float *const *at, const double *offset, double scale, size_t n)
{
  for (int c = 0; c < 3; c++) {
    const float *x = at[c];
    const float factor = (float) scale, shift = (float) offset[c];

    for (size_t i = 0; i < n; i++) {
      /* Whole numbers must fit; there is nothing between floats this large anyway. */
      const float raw = x[i] * factor + shift, low = raw > -1e9f ? raw : -1e9f, place = low < 1e9f ? low : 1e9f;
      const int32_t cut = (int32_t) place, floor = cut - (place < (float) cut);
      const float f = place - (float) floor;

      lattice->cell[c][i] = floor;
      lattice->f[c][i] = f;
      lattice->fade[c][i] = lattice_fade (f);
      lattice->slope[c][i] = lattice_fade_slope (f);
    }
  }
  for (size_t i = 0; i < n; i++)
    lattice->sum[i] = lattice_sum (lattice->cell[0][i], lattice->cell[1][i], lattice->cell[2][i]);
}

/* Ten bits as a number in -1..1, times sqrt 2 so that gradients are as long as those of Perlin's edges on average. */
static inline float
component (uint32_t bits)
{
  return (float) (int32_t) (bits & 1023) * (2.828427f / 1023) - 1.414214f;
}

typedef struct {
  float x, y, z;
} Gradient;

static inline Gradient
gradient (uint32_t h)
{
  return (Gradient){ component (h), component (h >> 10), component (h >> 20) };
}

/* Adds what one corner (a, b, c: 0 or 1) of each cell contributes.  Inlined (KG_KERNEL), so that curl is known to the loop. */
static inline void
add_corner (const Lattice *l, uint32_t seed, const int32_t corner[3], bool curl, float strength, size_t n,
            float *restrict x, float *restrict y, float *restrict z)
{
  const int32_t a = corner[0], b = corner[1], c = corner[2];
  /* The weight of the corner is fade or 1 - fade along each axis. */
  const float sa = a != 0 ? 1 : -1, sb = b != 0 ? 1 : -1, sc = c != 0 ? 1 : -1;
  const float oa = a != 0 ? 0 : 1, ob = b != 0 ? 0 : 1, oc = c != 0 ? 0 : 1;
  const uint32_t sum = seed + lattice_sum (a, b, c);

  for (size_t i = 0; i < n; i++) {
    const uint32_t h = lattice_mix (l->sum[i] + sum);
    const uint32_t h1 = h * 0x9e3779b1U, h2 = h1 * 0x85ebca77U;
    const Gradient p = gradient (h), q = gradient (h1 >> 2), r = gradient (h2 >> 2);
    const float dx = l->f[0][i] - (float) a, dy = l->f[1][i] - (float) b, dz = l->f[2][i] - (float) c;
    const float u = oa + sa * l->fade[0][i], v = ob + sb * l->fade[1][i], w = oc + sc * l->fade[2][i];
    const float weight = strength * u * v * w;
    const float P = p.x * dx + p.y * dy + p.z * dz, Q = q.x * dx + q.y * dy + q.z * dz;
    const float R = r.x * dx + r.y * dy + r.z * dz;

    if (curl) {
      const float wx = strength * sa * l->slope[0][i] * v * w, wy = strength * u * sb * l->slope[1][i] * w;
      const float wz = strength * u * v * sc * l->slope[2][i];

      x[i] += (wy * R + weight * r.y) - (wz * Q + weight * q.z);
      y[i] += (wz * P + weight * p.z) - (wx * R + weight * r.x);
      z[i] += (wx * Q + weight * q.x) - (wy * P + weight * p.y);
    } else {
      x[i] += weight * P;
      y[i] += weight * Q;
      z[i] += weight * R;
    }
  }
}

KG_KERNEL static void
add_octave (const Turbulence *t, const Lattice *lattice, uint64_t octave, double time, double strength, size_t n,
            float *const out[3])
{
  const double slice = time * t->slices, before = floor (slice), f = slice - before;
  const double angle = 0.5 * KG_PI * kg_fade (f);
  const double weights[] = { cos (angle), sin (angle) };

  for (int k = 0; k < 2; k++) {
    const uint32_t seed = (uint32_t) kg_random_bits (t->seed, octave, (uint64_t) (int64_t) before + (uint64_t) k);

    if (weights[k] == 0)
      continue;
    for (int32_t j = 0; j < 8; j++) {
      const int32_t corner[] = { j & 1, j >> 1 & 1, j >> 2 };

      if (t->curl)
        add_corner (lattice, seed, corner, true, (float) (strength * weights[k]), n, out[0], out[1], out[2]);
      else
        add_corner (lattice, seed, corner, false, (float) (strength * weights[k]), n, out[0], out[1], out[2]);
    }
  }
}

void
turbulence_sample (const Turbulence *t, const KgFieldBlock *block, float *const *out)
{
  /* Far beyond what a movie lasts, and small enough to be a whole number. */
  const double time = kg_clamp (block->time, -1e9, 1e9);

  for (size_t first = 0; first < block->n; first += LANES) {
    const size_t n = MIN (LANES, block->n - first);
    const float *const at[] = { block->x + first, block->y + first, block->z + first };
    float *const to[] = { out[0] + first, out[1] + first, out[2] + first };
    double strength = 1, scale = 1 / t->size;

    for (int c = 0; c < 3; c++)
      memset (to[c], 0, n * sizeof (float));
    for (guint o = 0; o < t->octaves; o++) {
      const double offset[] = { -t->drift.x * time * scale, -t->drift.y * time * scale, -t->drift.z * time * scale };
      Lattice lattice;

      lattice_set (&lattice, at, offset, scale, n);
      add_octave (t, &lattice, o, time, strength, n, to);
      strength *= t->roughness;
      scale *= t->lacunarity;
    }
  }
}
