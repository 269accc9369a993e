/* merge: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/merge.h"

#include "image/pixel_vectors.h"

/* Loops are written once for all operators: op is a constant where these are inlined. */
#define INLINE static inline __attribute__ ((always_inline))

INLINE float
clamp01 (float x)
{
  const float high = x < 1 ? x : 1;

  return high > 0 ? high : 0;
}

INLINE float
least (float x, float y)
{
  return x < y ? x : y;
}

INLINE float
most (float x, float y)
{
  return x > y ? x : y;
}

/* One channel (or alpha itself) of A and B, whose coverages there are a and b. */
INLINE float
cover (MergeOperator op, float s, float a, float d, float b)
{
  switch (op) {
  case MERGE_OVER:
    return s + (1 - a) * d;
  case MERGE_UNDER:
    return (1 - b) * s + d;
  case MERGE_IN:
    return b * s;
  case MERGE_MASK:
    return a * d;
  case MERGE_OUT:
    return (1 - b) * s;
  case MERGE_STENCIL:
    return (1 - a) * d;
  case MERGE_ATOP:
    return b * s + (1 - a) * d;
  case MERGE_UNDER_ATOP:
    return (1 - b) * s + a * d;
  case MERGE_XOR:
    return (1 - b) * s + (1 - a) * d;
  case MERGE_PLUS:
    return s + d;
  case MERGE_COPY:
    return s;
  case MERGE_MATTE:
    return a * s + (1 - a) * d;
  case MERGE_CONJOINT_OVER:
    return a > b ? s : s + (b > 0 ? 1 - a / b : 1) * d;
  case MERGE_DISJOINT_OVER:
    return s + (a + b < 1 ? 1 : b > 0 ? (1 - a) / b : 0) * d;
  default:
    return 0;
  }
}

INLINE float
soft_light (float s, float d)
{
  const float dark = d - (1 - 2 * s) * d * (1 - d), root = sqrtf (d > 0 ? d : 0);
  const float curve = d <= 0.25f ? ((16 * d - 12) * d + 4) * d : root;
  const float light = d + (2 * s - 1) * (curve - d);

  return s <= 0.5f ? dark : light;
}

/* One channel of the colours s of A and d of B.  Beyond 0..1 the formulas go on where they make sense; where they divide by
 * nothing, they have their limits. */
INLINE float
blend (MergeOperator op, float s, float d)
{
  switch (op) {
  case MERGE_MULTIPLY:
    /* Two negative numbers would make light. */
    return s < 0 && d < 0 ? s : s * d;
  case MERGE_SCREEN:
    return s > 1 && d > 1 ? most (s, d) : s + d - s * d;
  case MERGE_OVERLAY:
    return d <= 0.5f ? 2 * s * d : 1 - 2 * (1 - s) * (1 - d);
  case MERGE_HARD_LIGHT:
    return s <= 0.5f ? 2 * s * d : 1 - 2 * (1 - s) * (1 - d);
  case MERGE_SOFT_LIGHT:
    return soft_light (s, d);
  case MERGE_COLOR_DODGE: {
    const float brightest = most (d, 1), ratio = d / (s < 1 ? 1 - s : 1),
                dodged = s < 1 ? least (ratio, brightest) : brightest;

    return d > 0 ? dodged : d;
  }
  case MERGE_COLOR_BURN: {
    const float ratio = (1 - d) / (s > 0 ? s : 1), burnt = s > 0 ? 1 - least (ratio, 1) : 0;

    return d < 1 ? burnt : d;
  }
  case MERGE_MIN:
    return least (s, d);
  case MERGE_MAX:
    return most (s, d);
  case MERGE_DIFFERENCE:
    return fabsf (s - d);
  case MERGE_EXCLUSION:
    return s + d - 2 * s * d;
  case MERGE_AVERAGE:
    return 0.5f * (s + d);
  case MERGE_MINUS:
    return s - d;
  case MERGE_FROM:
    return d - s;
  case MERGE_DIVIDE: {
    const float ratio = s / (d != 0 ? d : 1);

    return d == 0 || (s < 0 && d < 0) ? 0 : ratio;
  }
  case MERGE_GEOMETRIC: {
    const float sum = s + d, mean = 2 * s * d / (sum != 0 ? sum : 1);

    return sum != 0 ? mean : 0;
  }
  case MERGE_HYPOT: {
    /* In double, where squares of large floats do not overflow. */
    const double root = sqrt ((double) s * (double) s + (double) d * (double) d);

    return (float) (root < (double) FLT_MAX ? root : (double) FLT_MAX);
  }
  case MERGE_PIN_LIGHT: {
    const float high = most (d, 2 * s - 1), low = least (d, 2 * s);

    return s > 0.5f ? high : low;
  }
  case MERGE_REFLECT: {
    const float reflected = s * s / (d < 1 ? 1 - d : 1);

    return d < 1 ? reflected : 1;
  }
  case MERGE_FREEZE: {
    const float frozen = 1 - sqrtf (s < 1 ? 1 - s : 0) / (d > 0 ? d : 1);

    return d > 0 ? frozen : 0;
  }
  case MERGE_GRAIN_EXTRACT:
    return d - s + 0.5f;
  case MERGE_GRAIN_MERGE:
    return d + s - 0.5f;
  default:
    return 0;
  }
}

typedef struct {
  float r, g, b;
} Rgb;

INLINE float
get_luminosity (Rgb c)
{
  return 0.3f * c.r + 0.59f * c.g + 0.11f * c.b;
}

INLINE float
get_saturation (Rgb c)
{
  return most (c.r, most (c.g, c.b)) - least (c.r, least (c.g, c.b));
}

/* The colour moved to a luminosity, and towards grey where a component would be below 0 or above 1 (or above the brightest of
 * what it is made from, for light beyond 1). */
INLINE Rgb
set_luminosity (Rgb c, float luminosity, float top)
{
  const float move = luminosity - get_luminosity (c);
  Rgb moved = { c.r + move, c.g + move, c.b + move };
  const float low = least (moved.r, least (moved.g, moved.b)), high = most (moved.r, most (moved.g, moved.b));
  const float below = low < 0 && luminosity - low > 0 ? luminosity / (luminosity - low) : 1;
  const float above = high > top && high - luminosity > 0 ? (top - luminosity) / (high - luminosity) : 1;
  const float keep = most (least (below, above), 0);

  moved.r = luminosity + (moved.r - luminosity) * keep;
  moved.g = luminosity + (moved.g - luminosity) * keep;
  moved.b = luminosity + (moved.b - luminosity) * keep;
  return moved;
}

INLINE Rgb
set_saturation (Rgb c, float saturation)
{
  const float low = least (c.r, least (c.g, c.b)), range = get_saturation (c);
  const float scale = range > 0 ? saturation / range : 0;

  return (Rgb){ (c.r - low) * scale, (c.g - low) * scale, (c.b - low) * scale };
}

INLINE Rgb
blend_whole (MergeOperator op, Rgb s, Rgb d)
{
  const float top = most (1, most (most (d.r, most (d.g, d.b)), most (s.r, most (s.g, s.b))));

  switch (op) {
  case MERGE_HUE:
    return set_luminosity (set_saturation (s, get_saturation (d)), get_luminosity (d), top);
  case MERGE_SATURATION:
    return set_luminosity (set_saturation (d, get_saturation (s)), get_luminosity (d), top);
  case MERGE_COLOR:
    return set_luminosity (s, get_luminosity (d), top);
  default:
    return set_luminosity (d, get_luminosity (s), top);
  }
}

/* Four planes of A after its opacity, and the alpha that counts for each. */
typedef struct {
  const float *channel[4], *alpha[4];
} Foreground;

INLINE void
clamp_all (const float *restrict x, size_t n, float *restrict clamped)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    clamped[i] = clamp01 (x[i]);
}

INLINE void
cover_loop (MergeOperator op, const Foreground *front, float *const to[4], size_t n)
{
  float alpha[IMAGE_BLOCK], old[IMAGE_BLOCK];

  clamp_all (to[3], n, old);
  for (int c = 0; c < 4; c++) {
    const float *restrict s = front->channel[c];
    float *restrict d = to[c];

    if (c == 0 || front->alpha[c] != front->alpha[c - 1])
      clamp_all (front->alpha[c], n, alpha);
    if (c < 3) {
#pragma omp simd
      for (size_t i = 0; i < n; i++)
        d[i] = cover (op, s[i], alpha[i], d[i], old[i]);
    } else {
      /* Alpha follows from alpha, which is coverage also where colours are straight. */
#pragma omp simd
      for (size_t i = 0; i < n; i++)
        d[i] = clamp01 (cover (op, op == MERGE_MATTE ? 1 : alpha[i], alpha[i], old[i], old[i]));
    }
  }
}

INLINE void
blend_loop (MergeOperator op, MergeAlpha how, const Foreground *front, float *const to[4], size_t n)
{
  const float *restrict fa = front->channel[3];
  float ba[IMAGE_BLOCK];

  memcpy (ba, to[3], n * sizeof *ba);
  for (int c = 0; c < (how == MERGE_CHANNELS ? 4 : 3); c++) {
    const float *restrict s = front->channel[c];
    float *restrict d = to[c];

#pragma omp simd
    for (size_t i = 0; i < n; i++) {
      const float a = clamp01 (fa[i]), b = clamp01 (ba[i]);
      const float straight = blend (op, s[i] / (a > 0 ? a : 1), d[i] / (b > 0 ? b : 1));

      d[i] = how != MERGE_COVERED ? blend (op, s[i], d[i])
             : a > 0 && b > 0     ? (1 - b) * s[i] + (1 - a) * d[i] + a * b * straight
                                  : s[i] + (1 - a) * d[i];
    }
  }
}

INLINE void
whole_loop (MergeOperator op, MergeAlpha how, const Foreground *front, float *const to[4], size_t n)
{
  const float *restrict sr = front->channel[0], *restrict sg = front->channel[1], *restrict sb = front->channel[2];
  const float *restrict fa = front->channel[3], *restrict ba = to[3];
  float *restrict r = to[0], *restrict g = to[1], *restrict b = to[2];

#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    const float a = clamp01 (fa[i]), under = clamp01 (ba[i]);
    const bool divided = how == MERGE_COVERED;
    const float x = divided && a > 0 ? a : 1, y = divided && under > 0 ? under : 1;
    const Rgb both = blend_whole (op, (Rgb){ sr[i] / x, sg[i] / x, sb[i] / x }, (Rgb){ r[i] / y, g[i] / y, b[i] / y });
    const float p = !divided ? 0 : a > 0 ? 1 - under : 1, q = divided ? 1 - a : 0, w = divided ? a * under : 1;

    r[i] = p * sr[i] + q * r[i] + w * both.r;
    g[i] = p * sg[i] + q * g[i] + w * both.g;
    b[i] = p * sb[i] + q * b[i] + w * both.b;
  }
}

#define COVER(op_)                                                                                                     \
  case op_:                                                                                                            \
    cover_loop (op_, front, to, n);                                                                                    \
    break
#define BLEND(op_)                                                                                                     \
  case op_:                                                                                                            \
    if (how == MERGE_COVERED)                                                                                          \
      blend_loop (op_, MERGE_COVERED, front, to, n);                                                                   \
    else if (how == MERGE_CHANNELS)                                                                                    \
      blend_loop (op_, MERGE_CHANNELS, front, to, n);                                                                  \
    else                                                                                                               \
      blend_loop (op_, MERGE_MASKED, front, to, n);                                                                    \
    break
#define WHOLE(op_)                                                                                                     \
  case op_:                                                                                                            \
    whole_loop (op_, how, front, to, n);                                                                               \
    break

KG_KERNEL static void
merge_channels (MergeOperator op, MergeAlpha how, const Foreground *front, float *const to[4], size_t n)
{
  switch (op) {
    COVER (MERGE_OVER);
    COVER (MERGE_UNDER);
    COVER (MERGE_IN);
    COVER (MERGE_MASK);
    COVER (MERGE_OUT);
    COVER (MERGE_STENCIL);
    COVER (MERGE_ATOP);
    COVER (MERGE_UNDER_ATOP);
    COVER (MERGE_XOR);
    COVER (MERGE_PLUS);
    COVER (MERGE_COPY);
    COVER (MERGE_CLEAR);
    COVER (MERGE_MATTE);
    COVER (MERGE_CONJOINT_OVER);
    COVER (MERGE_DISJOINT_OVER);
    BLEND (MERGE_MULTIPLY);
    BLEND (MERGE_SCREEN);
    BLEND (MERGE_OVERLAY);
    BLEND (MERGE_HARD_LIGHT);
    BLEND (MERGE_SOFT_LIGHT);
    BLEND (MERGE_COLOR_DODGE);
    BLEND (MERGE_COLOR_BURN);
    BLEND (MERGE_MIN);
    BLEND (MERGE_MAX);
    BLEND (MERGE_DIFFERENCE);
    BLEND (MERGE_EXCLUSION);
    BLEND (MERGE_AVERAGE);
    BLEND (MERGE_MINUS);
    BLEND (MERGE_FROM);
    BLEND (MERGE_DIVIDE);
    BLEND (MERGE_GEOMETRIC);
    BLEND (MERGE_HYPOT);
    BLEND (MERGE_PIN_LIGHT);
    BLEND (MERGE_REFLECT);
    BLEND (MERGE_FREEZE);
    BLEND (MERGE_GRAIN_EXTRACT);
    BLEND (MERGE_GRAIN_MERGE);
    WHOLE (MERGE_HUE);
    WHOLE (MERGE_SATURATION);
    WHOLE (MERGE_COLOR);
    WHOLE (MERGE_LUMINOSITY);
  case MERGE_N_OPERATORS:
    break;
  }
}

static void
merge_block (const ImageBlock *block, const void *data)
{
  const Merge *merge = (const Merge *) data;
  float *const to[] = { block->r, block->g, block->b, block->a };
  const bool blends = merge->op >= MERGE_MULTIPLY;
  Foreground front;
  float faded[4][IMAGE_BLOCK], alphas[4][IMAGE_BLOCK], united[IMAGE_BLOCK];

  for (int c = 0; c < 4; c++) {
    for (size_t i = 0; i < block->n && merge->opacity != 1; i++)
      faded[c][i] = merge->opacity * block->others[0][c][i];
    front.channel[c] = merge->opacity != 1 ? faded[c] : block->others[0][c];
  }
  for (int c = 0; c < 4; c++)
    front.alpha[c] = front.channel[3];
  if (merge->channel_alpha && !blends) {
    for (size_t i = 0; i < block->n; i++) {
      for (int c = 0; c < 3; c++)
        alphas[c][i] = merge->opacity * clamp01 (block->others[1][c][i]);
      alphas[3][i] = (alphas[0][i] + alphas[1][i] + alphas[2][i]) / 3;
    }
    for (int c = 0; c < 4; c++)
      front.alpha[c] = alphas[c];
  }
  for (size_t i = 0; i < block->n && blends; i++) {
    const float a = clamp01 (front.channel[3][i]), b = clamp01 (block->a[i]);

    united[i] = a + b - a * b;
  }
  merge_channels (merge->op, merge->alpha, &front, to, block->n);
  /* Whole colours have no formula for alpha. */
  if (blends && (merge->alpha != MERGE_CHANNELS || merge->op >= MERGE_HUE))
    memcpy (block->a, united, block->n * sizeof *united);
}

/* Two pixels as they lie in memory, as whole numbers. */
typedef uint32_t EightWords __attribute__ ((vector_size (32)));

/* clamp01 where mask says so. */
INLINE void
clamp_masked (EightFloats *x, EightMasks mask)
{
  const EightFloats zero = { 0 }, one = zero + 1;
  EightMasks less = *x < one;
  EightFloats high = (EightFloats) (((EightMasks) *x & less) | ((EightMasks) one & ~less));

  high = (EightFloats) ((EightMasks) high & (high > zero));
  *x = (EightFloats) (((EightMasks) high & mask) | ((EightMasks) *x & ~mask));
}

/* Two pixels, or n of them, with an alpha of any size. */
INLINE void
lay_any (const float *front, const float *back, float opacity, size_t n, float *to)
{
  const EightMasks alphas = { 0, 0, 0, -1, 0, 0, 0, -1 }, all = ~(EightMasks){ 0 };
  EightFloats source = { 0 }, behind = { 0 }, alpha;

  memcpy (&source, front, 4 * n * sizeof *front);
  memcpy (&behind, back, 4 * n * sizeof *back);
  source *= opacity;
  alpha = __builtin_shufflevector (source, source, 3, 3, 3, 3, 7, 7, 7, 7);
  clamp_masked (&alpha, all);
  source = (EightFloats) (((EightMasks) alpha & alphas) | ((EightMasks) source & ~alphas));
  clamp_masked (&behind, alphas);
  source += (1 - alpha) * behind;
  clamp_masked (&source, alphas);
  memcpy (to, &source, 4 * n * sizeof *to);
}

/* What MERGE_OVER does in cover_loop, to the bit, without taking the channels apart and putting them together again, which takes
 * longer than it does. */
KG_KERNEL static void
lay_over (const float *rgba, const float *const others[], size_t n, const void *data, float *to)
{
  enum { AT_ONCE = 8 };
  const float opacity = ((const Merge *) data)->opacity, *front = others[0];
  const EightFloats one = (EightFloats){ 0 } + 1;
  size_t i = 0;

  for (; i + AT_ONCE <= n; i += AT_ONCE) {
    EightWords beyond = { 0 };

    /* As whole numbers, alphas from 0 to 1 are positive and so is what they lack to 1. */
    for (size_t k = 4 * i; k < 4 * (i + AT_ONCE); k += 8) {
      EightFloats source;
      EightWords behind;

      memcpy (&source, front + k, sizeof source);
      memcpy (&behind, rgba + k, sizeof behind);
      source *= opacity;
      beyond |= (EightWords) source | ((EightWords) one - (EightWords) source) | behind | ((EightWords) one - behind);
    }
    if (G_LIKELY (((beyond[3] | beyond[7]) & 0x80000000U) == 0))
      for (size_t k = 4 * i; k < 4 * (i + AT_ONCE); k += 8) {
        EightFloats source, behind;

        memcpy (&source, front + k, sizeof source);
        memcpy (&behind, rgba + k, sizeof behind);
        source *= opacity;
        /* Rounded, too, alpha is at most 1. */
        source += (1 - __builtin_shufflevector (source, source, 3, 3, 3, 3, 7, 7, 7, 7)) * behind;
        memcpy (to + k, &source, sizeof source);
      }
    else
      for (size_t k = 4 * i; k < 4 * (i + AT_ONCE); k += 8)
        lay_any (front + k, rgba + k, opacity, 2, to + k);
  }
  for (; i < n; i++)
    lay_any (front + 4 * i, rgba + 4 * i, opacity, 1, to + 4 * i);
}

bool
merge_combine (KgImage **image, const ImageSource *others, guint n_others, const ImageWear *wear, const Merge *merge,
               const KgProgressMonitor *monitor)
{
  ImageWear own = *wear;

  if (merge->op == MERGE_OVER && !merge->channel_alpha)
    own.whole = lay_over;
  return image_combine (image, others, n_others, &own, merge_block, merge, monitor);
}
