/* noise: scalar noise of several kinds for blocks of points.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "field/noise.h"

#include "field/lattice_hash.h"
#include "field/lattice_noise.h"
#include "kg-kernel.h"
#include "kg-random.h"

/* Points worked on together: small enough for all arrays to stay in the first-level cache. */
#define LANES 128

typedef struct {
  int32_t cell[3][LANES];
  uint32_t sum[LANES]; /* lattice_sum of the cell */
  float f[3][LANES];   /* place within the cell, 0..1 */
} Place;

/* The noise of one octave and its derivatives by the units of the lattice. */
typedef struct {
  float n[LANES];
  float d[3][LANES];
} Octave;

KG_KERNEL static void
place_set (Place *restrict place, const float *const *at, const double *offset, double scale, size_t n)
{
  for (int c = 0; c < 3; c++) {
    const float *restrict x = at[c];
    const float factor = (float) scale, shift = (float) offset[c];

    for (size_t i = 0; i < n; i++) {
      /* Whole numbers must fit, and sums of three; there is nothing between floats this large anyway. */
      const float raw = x[i] * factor + shift, low = raw > -5e8f ? raw : -5e8f, p = low < 5e8f ? low : 5e8f;
      const int32_t cut = (int32_t) p, floor = cut - (p < (float) cut);

      place->cell[c][i] = floor;
      place->f[c][i] = p - (float) floor;
    }
  }
  for (size_t i = 0; i < n; i++)
    place->sum[i] = lattice_sum (place->cell[0][i], place->cell[1][i], place->cell[2][i]);
}

typedef struct {
  float x, y, z;
} Direction;

/* One of the twelve directions to the edges of a cube, four of them twice (Perlin 2002). */
static inline Direction
get_edge (uint32_t bits)
{
  const uint32_t h = bits & 15;
  const float u = (h & 1) != 0 ? -1 : 1, v = (h & 2) != 0 ? -1 : 1;
  const bool first = h < 8, second = h < 4, cross = h == 12 || h == 14;

  return (Direction){ (first ? u : 0) + (cross ? v : 0), (first ? 0 : u) + (second ? v : 0), second || cross ? 0 : v };
}

/* The product of that direction with a vector. */
static inline float
dot_with_edge (uint32_t bits, float x, float y, float z)
{
  const uint32_t h = bits & 15;
  const float u = h < 8 ? x : y, v = h < 4 ? y : (h & 13) == 12 ? x : z;

  return ((h & 1) != 0 ? -u : u) + ((h & 2) != 0 ? -v : v);
}

/* The fade curve along each axis and its derivative: the weight of the far side of a cell. */
typedef struct {
  float u, v, w, du, dv, dw;
} Fade;

/* What the corner (a, b, c: 0 or 1) of a cell contributes.  sum: of the cell and the seed. */
static inline void
add_gradient_corner (uint32_t sum, int32_t a, int32_t b, int32_t c, const float *f, const Fade *fade, bool slopes,
                     float *n, float *dx, float *dy, float *dz)
{
  const uint32_t bits = lattice_mix (sum + lattice_sum (a, b, c));
  const Direction g = get_edge (bits);
  const float fx = f[0] - (float) a, fy = f[1] - (float) b, fz = f[2] - (float) c;
  /* The same sum: without slopes the direction is not needed. */
  const float dot = slopes ? g.x * fx + g.y * fy + g.z * fz : dot_with_edge (bits, fx, fy, fz);
  const float u = a != 0 ? fade->u : 1 - fade->u, v = b != 0 ? fade->v : 1 - fade->v;
  const float w = c != 0 ? fade->w : 1 - fade->w, weight = u * v * w;

  *n += weight * dot;
  if (slopes) {
    *dx += weight * g.x + dot * (a != 0 ? fade->du : -fade->du) * v * w;
    *dy += weight * g.y + dot * (b != 0 ? fade->dv : -fade->dv) * u * w;
    *dz += weight * g.z + dot * (c != 0 ? fade->dw : -fade->dw) * u * v;
  }
}

/* The corners are written out, so that each stays in registers; inlined (KG_KERNEL), so that slopes is known to the loop. */
static inline void
add_gradient_of (const Place *p, uint32_t seed, float strength, bool slopes, size_t count, Octave *restrict out)
{
  for (size_t i = 0; i < count; i++) {
    const uint32_t sum = p->sum[i] + seed;
    const float f[] = { p->f[0][i], p->f[1][i], p->f[2][i] };
    const Fade fade = { lattice_fade (f[0]),       lattice_fade (f[1]),       lattice_fade (f[2]),
                        lattice_fade_slope (f[0]), lattice_fade_slope (f[1]), lattice_fade_slope (f[2]) };
    float n = 0, dx = 0, dy = 0, dz = 0;

    add_gradient_corner (sum, 0, 0, 0, f, &fade, slopes, &n, &dx, &dy, &dz);
    add_gradient_corner (sum, 1, 0, 0, f, &fade, slopes, &n, &dx, &dy, &dz);
    add_gradient_corner (sum, 0, 1, 0, f, &fade, slopes, &n, &dx, &dy, &dz);
    add_gradient_corner (sum, 1, 1, 0, f, &fade, slopes, &n, &dx, &dy, &dz);
    add_gradient_corner (sum, 0, 0, 1, f, &fade, slopes, &n, &dx, &dy, &dz);
    add_gradient_corner (sum, 1, 0, 1, f, &fade, slopes, &n, &dx, &dy, &dz);
    add_gradient_corner (sum, 0, 1, 1, f, &fade, slopes, &n, &dx, &dy, &dz);
    add_gradient_corner (sum, 1, 1, 1, f, &fade, slopes, &n, &dx, &dy, &dz);
    out->n[i] += strength * n;
    if (slopes) {
      out->d[0][i] += strength * dx;
      out->d[1][i] += strength * dy;
      out->d[2][i] += strength * dz;
    }
  }
}

KG_KERNEL static void
add_gradient (const Place *p, uint32_t seed, float strength, bool slopes, size_t n, Octave *out)
{
  if (slopes)
    add_gradient_of (p, seed, strength, true, n, out);
  else
    add_gradient_of (p, seed, strength, false, n, out);
}

/* The corner of the simplex that is reached in so many steps of the cell (0 or 1 along each axis).  sum: of the cell and the seed. */
static inline void
add_simplex_corner (uint32_t sum, const int32_t *step, const float *x0, float back, float strength, bool slopes,
                    float *n, float *dx, float *dy, float *dz)
{
  const uint32_t to = (LATTICE_X & -(uint32_t) step[0]) + (LATTICE_Y & -(uint32_t) step[1]) +
                      (LATTICE_Z & -(uint32_t) step[2]);
  const uint32_t bits = lattice_mix (sum + to);
  const Direction g = get_edge (bits);
  const float x = x0[0] - (float) step[0] + back, y = x0[1] - (float) step[1] + back,
              z = x0[2] - (float) step[2] + back;
  /* Within a radius of √½ kernels of other corners are not cut off: all derivatives up to the third continue. */
  const float raw = 0.5f - x * x - y * y - z * z, t = raw > 0 ? raw : 0;
  const float t2 = t * t, t4 = strength * t2 * t2,
              dot = slopes ? g.x * x + g.y * y + g.z * z : dot_with_edge (bits, x, y, z);

  *n += t4 * dot;
  if (slopes) {
    const float fall = 8 * strength * t2 * t * dot;

    *dx += t4 * g.x - fall * x;
    *dy += t4 * g.y - fall * y;
    *dz += t4 * g.z - fall * z;
  }
}

/* Places of the skewed lattice, whose cells hold six simplices each. */
static inline void
add_simplex_of (const Place *p, uint32_t seed, float strength, bool slopes, size_t count, Octave *restrict out)
{
  for (size_t i = 0; i < count; i++) {
    const float fx = p->f[0][i], fy = p->f[1][i], fz = p->f[2][i];
    /* What remains in the cell of the plain lattice is skewed from its corner, and carried over where it leaves the skewed cell:
     * the corner itself is skewed by a third of its sum, of which only the remainder by three is not whole. */
    const int32_t sum = p->cell[0][i] + p->cell[1][i] + p->cell[2][i];
    const int32_t thirds = sum >= 0 ? sum / 3 : -((2 - sum) / 3), rest = sum - 3 * thirds;
    const float skew = (float) rest * (1.0f / 3) + (fx + fy + fz) * (1.0f / 3);
    const float sx = fx + skew, sy = fy + skew, sz = fz + skew;
    const int32_t ix = (int32_t) sx, iy = (int32_t) sy, iz = (int32_t) sz;
    const uint32_t corner =
        seed + lattice_sum (p->cell[0][i] + thirds + ix, p->cell[1][i] + thirds + iy, p->cell[2][i] + thirds + iz);
    /* Unskewed again: the corner is at cell − (sum of cell)/6. */
    const float ex = sx - (float) ix, ey = sy - (float) iy, ez = sz - (float) iz, unskew = (ex + ey + ez) * (1.0f / 6);
    const float x0[] = { ex - unskew, ey - unskew, ez - unskew };
    const int32_t xy = x0[0] >= x0[1], xz = x0[0] >= x0[2], yz = x0[1] >= x0[2];
    const int32_t none[] = { 0, 0, 0 }, all[] = { 1, 1, 1 };
    const int32_t first[] = { xy & xz, (1 - xy) & yz, (1 - xz) & (1 - yz) };
    const int32_t second[] = { xy | xz, (1 - xy) | yz, (1 - xz) | (1 - yz) };
    float n = 0, dx = 0, dy = 0, dz = 0;

    add_simplex_corner (corner, none, x0, 0, strength, slopes, &n, &dx, &dy, &dz);
    add_simplex_corner (corner, first, x0, 1.0f / 6, strength, slopes, &n, &dx, &dy, &dz);
    add_simplex_corner (corner, second, x0, 2.0f / 6, strength, slopes, &n, &dx, &dy, &dz);
    add_simplex_corner (corner, all, x0, 0.5f, strength, slopes, &n, &dx, &dy, &dz);
    out->n[i] += n;
    if (slopes) {
      out->d[0][i] += dx;
      out->d[1][i] += dy;
      out->d[2][i] += dz;
    }
  }
}

/* Makes the largest values 1. */
#define SIMPLEX_SCALE 76.0f

KG_KERNEL static void
add_simplex (const Place *p, uint32_t seed, float strength, bool slopes, size_t n, Octave *out)
{
  if (slopes)
    add_simplex_of (p, seed, SIMPLEX_SCALE * strength, true, n, out);
  else
    add_simplex_of (p, seed, SIMPLEX_SCALE * strength, false, n, out);
}

typedef struct {
  float w[4][LANES], s[4][LANES]; /* weights of the four values along an axis, and their derivatives */
} Splines;

KG_KERNEL static void
splines_set (Splines *splines, const float *f, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const float u = f[i];

    splines->w[0][i] = ((-0.5f * u + 1) * u - 0.5f) * u;
    splines->w[1][i] = (1.5f * u - 2.5f) * u * u + 1;
    splines->w[2][i] = ((-1.5f * u + 2) * u + 0.5f) * u;
    splines->w[3][i] = (0.5f * u - 0.5f) * u * u;
    splines->s[0][i] = (-1.5f * u + 2) * u - 0.5f;
    splines->s[1][i] = (4.5f * u - 5) * u;
    splines->s[2][i] = (-4.5f * u + 4) * u + 0.5f;
    splines->s[3][i] = (1.5f * u - 1) * u;
  }
}

static inline void
add_value_row (const Place *p, const Splines along[3], uint32_t seed, int b, int c, float strength, bool slopes,
               size_t n, Octave *restrict out)
{
  for (size_t i = 0; i < n; i++) {
    const float y = along[1].w[b][i], z = strength * along[2].w[c][i];
    float row = 0, slope = 0;

    for (int a = 0; a < 4; a++) {
      const uint32_t h = lattice_mix (p->sum[i] + (seed + lattice_sum (a - 1, b - 1, c - 1)));
      const float v = (float) (int32_t) h * 0x1p-31f;

      row += along[0].w[a][i] * v;
      slope += along[0].s[a][i] * v;
    }
    out->n[i] += y * z * row;
    if (slopes) {
      out->d[0][i] += y * z * slope;
      out->d[1][i] += along[1].s[b][i] * z * row;
      out->d[2][i] += strength * along[2].s[c][i] * y * row;
    }
  }
}

KG_KERNEL static void
add_value (const Place *p, uint32_t seed, float strength, bool slopes, size_t n, Octave *out)
{
  Splines along[3];

  for (int c = 0; c < 3; c++)
    splines_set (&along[c], p->f[c], n);
  for (int k = 0; k < 16; k++)
    if (slopes)
      add_value_row (p, along, seed, k & 3, k >> 2, strength, true, n, out);
    else
      add_value_row (p, along, seed, k & 3, k >> 2, strength, false, n, out);
}

static void
add_table_value (const Place *p, const LatticeTable *table, float strength, size_t n, Octave *out)
{
  for (size_t i = 0; i < n; i++) {
    KgVector slope;
    const double value = lattice_noise (table, p->cell[0][i] + (double) p->f[0][i], p->cell[1][i] + (double) p->f[1][i],
                                        p->cell[2][i] + (double) p->f[2][i], &slope);

    out->n[i] += strength * (float) value;
    out->d[0][i] += strength * (float) slope.x;
    out->d[1][i] += strength * (float) slope.y;
    out->d[2][i] += strength * (float) slope.z;
  }
}

/* Ten bits as a number in 0..1. */
static inline float
get_share (uint32_t bits)
{
  return (float) (int32_t) (bits & 1023) * (1.0f / 1023);
}

/* The distances of the two nearest points and their directions, kept while the 27 cells around are looked at. */
typedef struct {
  float first[LANES], second[LANES]; /* squares */
  float to_first[3][LANES], to_second[3][LANES];
  uint32_t bits[LANES];
} Nearest;

static inline void
look_at_cell (const Place *p, const uint32_t seeds[2], float later, int32_t a, int32_t b, int32_t c, size_t n,
              bool moving, bool slopes, Nearest *restrict near)
{
  for (size_t i = 0; i < n; i++) {
    const uint32_t sum = p->sum[i] + lattice_sum (a, b, c), h = lattice_mix (sum + seeds[0]);
    const uint32_t g = moving ? lattice_mix (sum + seeds[1]) : h;
    const float px = get_share (h) + later * (get_share (g) - get_share (h));
    const float py = get_share (h >> 10) + later * (get_share (g >> 10) - get_share (h >> 10));
    const float pz = get_share (h >> 20) + later * (get_share (g >> 20) - get_share (h >> 20));
    const float x = p->f[0][i] - (float) a - px, y = p->f[1][i] - (float) b - py, z = p->f[2][i] - (float) c - pz;
    const float d = x * x + y * y + z * z;
    const bool first = d < near->first[i], second = d < near->second[i];

    /* The second is the former first, this one, or stays. */
    if (slopes) {
      near->to_second[0][i] = first ? near->to_first[0][i] : second ? x : near->to_second[0][i];
      near->to_second[1][i] = first ? near->to_first[1][i] : second ? y : near->to_second[1][i];
      near->to_second[2][i] = first ? near->to_first[2][i] : second ? z : near->to_second[2][i];
      near->to_first[0][i] = first ? x : near->to_first[0][i];
      near->to_first[1][i] = first ? y : near->to_first[1][i];
      near->to_first[2][i] = first ? z : near->to_first[2][i];
    }
    near->second[i] = first ? near->first[i] : second ? d : near->second[i];
    near->first[i] = first ? d : near->first[i];
    near->bits[i] = first ? h : near->bits[i];
  }
}

KG_KERNEL static void
find_nearest (const Place *p, const uint32_t seeds[2], float later, bool slopes, size_t n, Nearest *near)
{
  for (size_t i = 0; i < n; i++) {
    near->first[i] = near->second[i] = 1e9f;
    near->bits[i] = 0;
  }
  memset (near->to_first, 0, sizeof near->to_first);
  memset (near->to_second, 0, sizeof near->to_second);
  for (int32_t k = 0; k < 27; k++) {
    const int32_t a = k % 3 - 1, b = k / 3 % 3 - 1, c = k / 9 - 1;

    if (later > 0 && slopes)
      look_at_cell (p, seeds, later, a, b, c, n, true, true, near);
    else if (later > 0)
      look_at_cell (p, seeds, later, a, b, c, n, true, false, near);
    else if (slopes)
      look_at_cell (p, seeds, 0, a, b, c, n, false, true, near);
    else
      look_at_cell (p, seeds, 0, a, b, c, n, false, false, near);
  }
}

/* later: 0 to 1, how far the points have moved from where the first seed has them to where the second has. */
KG_KERNEL static void
add_cells (const Place *p, const uint32_t seeds[2], float later, NoiseCells what, bool slopes, size_t n, Octave *out)
{
  Nearest near;

  find_nearest (p, seeds, later, slopes, n, &near);
  for (size_t i = 0; i < n; i++) {
    const float one = sqrtf (near.first[i]), two = sqrtf (near.second[i]);
    const float a = what == NOISE_CELLS_NEAREST ? 1 : what == NOISE_CELLS_DIFFERENCE ? -1 : 0;
    const float b = what == NOISE_CELLS_SECOND || what == NOISE_CELLS_DIFFERENCE ? 1 : 0;
    /* At a point its distance has no gradient. */
    const float u = one > 0 ? a / one : 0, v = two > 0 ? b / two : 0;

    out->n[i] = what == NOISE_CELLS_VALUE ? (float) (int32_t) (near.bits[i] * 0x9e3779b1U) * 0x1p-31f
                                          : a * one + b * two;
    for (int c = 0; c < 3; c++)
      out->d[c][i] = u * near.to_first[c][i] + v * near.to_second[c][i];
  }
}

/* One octave at one time: a mixture of two patterns by the cosine and sine of one angle keeps its strength. */
static void
sample_octave (const NoiseSettings *s, const LatticeTable *table, const Place *place, uint64_t octave, double time,
               bool slopes, size_t n, Octave *out)
{
  const double slice = time * s->slices, before = floor (slice), f = slice - before;
  const double fade = kg_fade (f);
  const double weights[] = { cos (0.5 * KG_PI * fade), sin (0.5 * KG_PI * fade) };
  uint32_t seeds[2];

  for (uint64_t k = 0; k < 2; k++)
    seeds[k] = (uint32_t) kg_random_bits (s->seed, octave, (uint64_t) (int64_t) before + k);
  if (s->kind == NOISE_CELLS) {
    add_cells (place, seeds, (float) fade, s->cells, slopes, n, out);
    return;
  }
  memset (out, 0, sizeof *out);
  if (table != NULL) {
    add_table_value (place, table, 1, n, out);
    return;
  }
  for (int k = 0; k < 2; k++) {
    const float strength = (float) weights[k];

    if (weights[k] == 0)
      continue;
    if (s->kind == NOISE_GRADIENT)
      add_gradient (place, seeds[k], strength, slopes, n, out);
    else if (s->kind == NOISE_SIMPLEX)
      add_simplex (place, seeds[k], strength, slopes, n, out);
    else
      add_value (place, seeds[k], strength, slopes, n, out);
  }
}

/* Shapes one octave in place, for the sum: n becomes what is added, d its derivatives. */
KG_KERNEL static void
shape_octave (NoiseSum sum, size_t n, Octave *octave)
{
  float *restrict value = octave->n;

  if (sum != NOISE_TURBULENCE && sum != NOISE_RIDGED)
    return;
  for (int c = 0; c < 3; c++) {
    float *restrict d = octave->d[c];

    for (size_t i = 0; i < n; i++) {
      const float sign = value[i] < 0 ? -1 : 1;

      d[i] *= sum == NOISE_TURBULENCE ? sign : -2 * (1 - fabsf (value[i])) * sign;
    }
  }
  for (size_t i = 0; i < n; i++) {
    const float size = fabsf (value[i]), left = 1 - size;

    value[i] = sum == NOISE_TURBULENCE ? size : left * left;
  }
}

KG_KERNEL static void
add_weighted (const float *restrict from, float weight, size_t n, float *restrict to)
{
  for (size_t i = 0; i < n; i++)
    to[i] += weight * from[i];
}

static void
add_octave (NoiseSum sum, Octave *octave, double weight, double scale, size_t n, float *value, float *const *gradient)
{
  shape_octave (sum, n, octave);
  add_weighted (octave->n, (float) weight, n, value);
  for (int c = 0; gradient != NULL && c < 3; c++)
    add_weighted (octave->d[c], (float) (weight * scale), n, gradient[c]);
}

/* Mean and standard deviation of n, |n| and (1 - |n|)², measured over 4 · 10⁷ places; those of value noise follow from its weights
 * (Parent's spline: the variance is a third of (57/70)³).  tests/techniques/noise.c measures them again. */
typedef struct {
  double mean[3], deviation[3]; /* of fractal, turbulence, ridged */
} Moments;

static const Moments moments[NOISE_N_KINDS - 1] = {
  [NOISE_GRADIENT] = { { 0, 0.22015, 0.63258 }, { 0.26997, 0.15625, 0.22848 } },
  [NOISE_SIMPLEX] = { { 0, 0.31034, 0.52979 }, { 0.38791, 0.23273, 0.28619 } },
  [NOISE_VALUE] = { { 0, 0.34884, 0.48226 }, { 0.424233, 0.24136, 0.28683 } },
};
static const Moments cells_moments[NOISE_N_CELLS] = {
  [NOISE_CELLS_NEAREST] = { { 0.52042, 0.52042, 0.25972 }, { 0.17239, 0.17239, 0.17129 } },
  [NOISE_CELLS_SECOND] = { { 0.7169, 0.7169, 0.10062 }, { 0.14308, 0.14308, 0.08919 } },
  [NOISE_CELLS_DIFFERENCE] = { { 0.19648, 0.19648, 0.67063 }, { 0.15809, 0.15809, 0.23048 } },
  [NOISE_CELLS_VALUE] = { { 0, 0.5, 1.0 / 3 }, { 0.57735, 0.288675, 0.298142 } },
};

static guint
get_n_octaves (const NoiseSettings *s)
{
  return s->sum == NOISE_PLAIN ? 1 : s->octaves;
}

void
noise_get_moments (const NoiseSettings *s, double *mean, double *deviation)
{
  const Moments *m = s->kind == NOISE_CELLS ? &cells_moments[s->cells] : &moments[s->kind];
  const NoiseSum sum = s->sum == NOISE_PLAIN ? NOISE_FRACTAL : s->sum;
  double weight = 1, sum_of_weights = 0, squares = 0;

  for (guint o = 0; o < get_n_octaves (s); o++) {
    sum_of_weights += weight;
    squares += weight * weight;
    weight *= s->roughness;
  }
  *mean = sum_of_weights * m->mean[sum];
  *deviation = sqrt (squares) * m->deviation[sum];
}

/* Octaves would share the corners of their lattices at the origin. */
static double
get_shift (const NoiseSettings *s, guint octave, uint64_t axis)
{
  return octave == 0 || s->textbook ? 0 : kg_random_uniform (s->seed, octave, 1000 + axis);
}

static void
normalize (const NoiseSettings *s, size_t n, float *value, float *const *gradient)
{
  double mean, deviation;
  float shift, factor;

  noise_get_moments (s, &mean, &deviation);
  shift = (float) mean;
  factor = (float) (1 / (3 * deviation));
  for (size_t i = 0; i < n; i++)
    value[i] = (value[i] - shift) * factor;
  for (int c = 0; gradient != NULL && c < 3; c++)
    for (size_t i = 0; i < n; i++)
      gradient[c][i] *= factor;
}

void
noise_sample (const NoiseSettings *s, const KgFieldBlock *block, float *value, float *const *gradient)
{
  /* Far beyond what a movie lasts, and small enough to be a whole number. */
  const double time = kg_clamp (block->time, -1e9, 1e9);
  const double drift[] = { s->drift.x, s->drift.y, s->drift.z };
  LatticeTable table;
  const bool textbook = s->kind == NOISE_VALUE && s->textbook;

  if (textbook)
    lattice_table_init (&table, (uint32_t) s->seed);
  memset (value, 0, block->n * sizeof *value);
  for (int c = 0; gradient != NULL && c < 3; c++)
    memset (gradient[c], 0, block->n * sizeof *value);
  for (size_t first = 0; first < block->n; first += LANES) {
    const size_t n = MIN (LANES, block->n - first);
    const float *const at[] = { block->x + first, block->y + first, block->z + first };
    float *const to[] = { gradient != NULL ? gradient[0] + first : NULL, gradient != NULL ? gradient[1] + first : NULL,
                          gradient != NULL ? gradient[2] + first : NULL };
    double weight = 1, scale = 1 / s->size;

    for (guint o = 0; o < get_n_octaves (s); o++) {
      double offset[3];
      Place place;
      Octave octave;

      for (uint64_t c = 0; c < 3; c++)
        offset[c] = get_shift (s, o, c) - drift[c] * time * scale;
      place_set (&place, at, offset, scale, n);
      sample_octave (s, textbook ? &table : NULL, &place, o, time, gradient != NULL, n, &octave);
      add_octave (s->sum, &octave, weight, scale, n, value + first, gradient != NULL ? to : NULL);
      weight *= s->roughness;
      scale *= s->lacunarity;
    }
  }
  if (s->normalize)
    normalize (s, block->n, value, gradient);
}
