/* tests/techniques/picture: the frame of picture operations, and its kernels against double precision.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "geometry/planar_shadow.h"
#include "image/channels.h"
#include "image/depth_merge.h"
#include "image/fragments.h"
#include "image/grade.h"
#include "image/keyer.h"
#include "image/layers.h"
#include "image/matte_tools.h"
#include "image/merge.h"
#include "image/place.h"
#include "image/plate.h"
#include "image/rank_filter.h"
#include "image/roto.h"
#include "kg-random.h"

#include <omp.h>
#include <string.h>

/* Random colours; alpha 0, 1 or between. (transfer full) */
static KgImage *
make (int width, int height, uint64_t seed)
{
  KgImage *image = kg_image_new (width, height, false, NULL);
  float *p = kg_image_edit_pixels (image);

  for (int i = 0; i < width * height; i++) {
    const double a = kg_clamp (2 * kg_random_uniform (seed, (uint64_t) i, 3) - 0.5, 0, 1);

    for (int c = 0; c < 3; c++)
      p[4 * i + c] = (float) (a * kg_random_uniform (seed, (uint64_t) i, (uint64_t) c));
    p[4 * i + 3] = (float) a;
  }
  return image;
}

/* (transfer full) */
static KgImage *
make_plain (int width, int height, float r, float g, float b, float a)
{
  KgImage *image = kg_image_new (width, height, false, NULL);
  const float rgba[] = { r, g, b, a };

  for (int i = 0; i < width * height; i++)
    memcpy (kg_image_edit_pixels (image) + 4 * i, rgba, sizeof rgba);
  return image;
}

static void
double_block (const ImageBlock *block, const void *data)
{
  (void) data;
  for (size_t i = 0; i < block->n; i++) {
    block->r[i] *= 2;
    block->g[i] += 0.5f;
    block->b[i] = 1e30f * block->b[i] * 1e30f;
    block->a[i] = sqrtf (block->a[i]);
  }
}

/* Adds the first of the others. */
static void
add_block (const ImageBlock *block, const void *data)
{
  float *const to[] = { block->r, block->g, block->b, block->a };

  (void) data;
  for (int c = 0; c < 4; c++)
    for (size_t i = 0; i < block->n; i++)
      to[c][i] += block->others[0][c][i];
}

static const float *
at (const KgImage *image, int x, int y)
{
  return kg_image_get_pixels (image) + 4 * (y * kg_image_get_width (image) + x);
}

#define assert_pixel(image, x, y, r, g, b, a, tolerance)                                                               \
  do {                                                                                                                 \
    const float *const pixel_ = at (image, x, y);                                                                      \
    assert_near (pixel_[0], r, tolerance);                                                                             \
    assert_near (pixel_[1], g, tolerance);                                                                             \
    assert_near (pixel_[2], b, tolerance);                                                                             \
    assert_near (pixel_[3], a, tolerance);                                                                             \
  } while (0)

/* An image that others hold is not written; one that is alone is, in place; what is not finite becomes finite. */
static void
test_apply (void)
{
  const ImageWear wear = { .mix = 1 };
  g_autoptr (KgImage) image = make_plain (3, 2, 0.25f, 0.5f, 1, 0.25f), kept = kg_image_ref (image), other = NULL;
  const float *place;

  kg_image_set_pixel_aspect (image, 2);
  g_assert_true (image_apply (&image, &wear, double_block, NULL, NULL));
  assert_pixel (kept, 2, 1, 0.25, 0.5, 1, 0.25, 0);
  assert_pixel (image, 2, 1, 0.5, 1, (double) FLT_MAX, 0.5, 0);
  g_assert_cmpfloat (kg_image_get_pixel_aspect (image), ==, 2);
  place = kg_image_get_pixels (image);
  g_assert_true (image_apply (&image, &wear, double_block, NULL, NULL));
  g_assert_true (kg_image_get_pixels (image) == place);
  /* 1e30 * FLT_MAX: infinite, then the largest float; the root of a negative number: 0. */
  other = make_plain (1, 1, 1, 1, -1, -1);
  g_assert_true (image_apply (&other, &wear, double_block, NULL, NULL));
  assert_pixel (other, 0, 0, 2, 1.5, -(double) FLT_MAX, 0, 0);
  g_assert_true (kg_image_check_finite (other, NULL));
}

/* m = 0 and 1: the bits of one or the other; between: the mean, weighted. */
static void
test_mix_and_mask (void)
{
  g_autoptr (KgImage) image = make (300, 3, 1), full = kg_image_ref (image), half = kg_image_ref (image);
  g_autoptr (KgImage) none = kg_image_ref (image), masked = kg_image_ref (image), inverted = kg_image_ref (image);
  g_autoptr (KgImage) mask = kg_image_new (300, 3, false, NULL), light = make_plain (300, 3, 1, 0, 0, 1);
  ImageWear wear = { .mix = 1 };

  for (int i = 0; i < 900; i++)
    kg_image_edit_pixels (mask)[4 * i + 3] = i % 3 == 0 ? -2 : i % 3 == 1 ? 0.25f : 7;
  image_apply (&full, &wear, double_block, NULL, NULL);
  wear.mix = 0.5;
  image_apply (&half, &wear, double_block, NULL, NULL);
  wear.mix = 0;
  image_apply (&none, &wear, double_block, NULL, NULL);
  wear.mix = 1;
  wear.mask = mask;
  image_apply (&masked, &wear, double_block, NULL, NULL);
  wear.invert_mask = true;
  image_apply (&inverted, &wear, double_block, NULL, NULL);
  for (int i = 0; i < 900; i++)
    for (int c = 0; c < 4; c++) {
      const float before = kg_image_get_pixels (image)[4 * i + c], after = kg_image_get_pixels (full)[4 * i + c];
      const double m = i % 3 == 0 ? 0 : i % 3 == 1 ? 0.25 : 1, size = fabs ((double) after) + 1;

      assert_near (kg_image_get_pixels (half)[4 * i + c], 0.5 * (double) before + 0.5 * (double) after, 1e-6 * size);
      g_assert_cmpfloat (kg_image_get_pixels (none)[4 * i + c], ==, before);
      assert_near (kg_image_get_pixels (masked)[4 * i + c], kg_lerp (before, after, m),
                   m > 0 && m < 1 ? 1e-6 * size : 0);
      assert_near (kg_image_get_pixels (inverted)[4 * i + c], kg_lerp (after, before, m),
                   m > 0 && m < 1 ? 1e-6 * size : 0);
    }
  /* An opaque mask counts by its luminance, if nothing else is said. */
  {
    g_autoptr (KgImage) red = make_plain (300, 3, 1, 0, 0, 1), alpha = kg_image_ref (red);

    wear = (ImageWear){ .mask = light, .mix = 1 };
    image_apply (&red, &wear, double_block, NULL, NULL);
    assert_pixel (red, 7, 1, 1.2126, 0.5 * 0.2126, 0, 1, 1e-6);
    wear.mask_by = IMAGE_MASK_ALPHA;
    image_apply (&alpha, &wear, double_block, NULL, NULL);
    assert_pixel (alpha, 7, 1, 2, 0.5, 0, 1, 0);
  }
}

/* Straight: alpha 0 stays as it is, light included; the rest as if it were opaque. */
static void
test_straight (void)
{
  const ImageWear wear = { .mix = 1, .straight = true };
  g_autoptr (KgImage) image = make_plain (2, 1, 0.25f, 0.125f, 0, 0.25f);
  const float light[] = { 0.5f, 3, -1, 0 };

  memcpy (kg_image_edit_pixels (image) + 4, light, sizeof light);
  image_apply (&image, &wear, double_block, NULL, NULL);
  assert_pixel (image, 0, 0, 2 * 0.5, (0.5 + 0.5) * 0.5, 0, 0.5, 1e-7);
  assert_pixel (image, 1, 0, 0.5, 3, -1, 0, 0);
}

/* Other sizes are centred, outside is transparent; other aspects are stretched, the mean is kept. */
static void
test_sizes (void)
{
  const ImageWear wear = { .mix = 1 };
  g_autoptr (KgImage) image = make_plain (8, 6, 0, 0, 0, 0), small = make_plain (3, 2, 1, 1, 1, 1);
  g_autoptr (KgImage) large = make_plain (20, 9, 0.5f, 0.5f, 0.5f, 0.5f), wide = NULL, moved = NULL;
  ImageSource source = image_source (small, image, 0, 0);
  double sum = 0;

  image_combine (&image, &source, 1, &wear, add_block, NULL, NULL);
  for (int y = 0; y < 6; y++)
    for (int x = 0; x < 8; x++)
      g_assert_cmpfloat (at (image, x, y)[3], ==, x >= 3 && x < 6 && y >= 2 && y < 4);
  source = image_source (large, image, 0, 0);
  image_combine (&image, &source, 1, &wear, add_block, NULL, NULL);
  g_assert_cmpfloat (at (image, 0, 0)[3], ==, 0.5);
  g_assert_cmpfloat (at (image, 3, 2)[3], ==, 1.5);
  /* Offsets out of sight, far away. */
  moved = make_plain (4, 4, 0, 0, 0, 0);
  source = image_source (large, moved, 1e300, -1e9);
  image_combine (&moved, &source, 1, &wear, add_block, NULL, NULL);
  g_assert_cmpfloat (at (moved, 0, 0)[0], ==, 0);
  /* Pixels twice as wide: 3 of them cover 6. */
  wide = make_plain (12, 2, 0, 0, 0, 0);
  kg_image_set_pixel_aspect (small, 2);
  source = image_source (small, wide, 0, 0);
  image_combine (&wide, &source, 1, &wear, add_block, NULL, NULL);
  for (int x = 0; x < 12; x++)
    sum += (double) at (wide, x, 0)[0];
  assert_near (sum, 6, 1e-6);
  assert_near (at (wide, 5, 0)[0], 1, 1e-6);
  g_assert_cmpfloat (at (wide, 0, 0)[0], ==, 0);
  /* And half as wide. */
  kg_image_set_pixel_aspect (large, 0.25);
  g_assert_true (image_enlarge (&wide, large, NULL));
  g_assert_cmpint (kg_image_get_width (wide), ==, 12);
  g_assert_cmpint (kg_image_get_height (wide), ==, 9);
  source = image_source (large, wide, 0, 0);
  image_combine (&wide, &source, 1, &wear, add_block, NULL, NULL);
  sum = 0;
  for (int x = 0; x < 12; x++)
    sum += (double) at (wide, x, 0)[0];
  assert_near (sum, 0.5 * 5, 1e-6);
  /* The wear of what is no kernel. */
  {
    g_autoptr (KgImage) before = make (300, 5, 3), after = make (300, 5, 4);
    const ImageWear half = { .mix = 0.25 };
    const double a = (double) at (before, 280, 4)[1], b = (double) at (after, 280, 4)[1];

    g_assert_true (image_wear (before, &half, &after, NULL));
    assert_near (at (after, 280, 4)[1], kg_lerp (a, b, 0.25), 1e-7);
  }
}

static bool
say_cancelled (gpointer data)
{
  (void) data;
  return true;
}

static void
mark_rows (gpointer data, int first, int end)
{
  for (int y = first; y < end; y++)
    ((int *) data)[y]++;
}

/* As wide or high as images can be; the same bits for any number of threads; cancelling. */
static void
test_extreme (void)
{
  static const int sizes[][2] = { { 1, 1 }, { 32768, 2 }, { 1, 32768 }, { 257, 300 } };
  const KgProgressMonitor cancelled = { .is_cancelled = say_cancelled };
  const ImageWear wear = { .mix = 0.75, .straight = true };
  int seen[300] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autoptr (KgImage) one = make (sizes[i][0], sizes[i][1], i), two = kg_image_ref (one);
    const int threads = omp_get_max_threads ();

    omp_set_num_threads (1);
    image_apply (&one, &wear, double_block, NULL, NULL);
    omp_set_num_threads (7);
    image_apply (&two, &wear, double_block, NULL, NULL);
    omp_set_num_threads (threads);
    g_assert_true (kg_image_equal (one, two));
    g_assert_false (image_apply (&two, &wear, double_block, NULL, &cancelled));
  }
  g_assert_true (image_each_rows (1000, 300, mark_rows, seen, NULL));
  for (int y = 0; y < 300; y++)
    g_assert_cmpint (seen[y], ==, 1);
  g_assert_false (image_each_rows (1000, 300, mark_rows, seen, &cancelled));
}

static void
test_power (void)
{
  for (int i = 0; i < 20000; i++) {
    const float x = (float) exp (30 * (kg_random_uniform (5, (uint64_t) i, 0) - 0.5));
    const float p = (float) (6 * kg_random_uniform (5, (uint64_t) i, 1) - 3);
    const double want = pow ((double) x, (double) p);

    /* The logarithm has 24 bits: a large exponent costs some of them. */
    assert_near (image_power (x, p), want, want * (2e-6 + 1e-7 * fabs (log (want))));
  }
  g_assert_cmpfloat (image_power (1, 0.45f), ==, 1);
  g_assert_cmpfloat (image_power (0, 2), ==, 0);
  g_assert_cmpfloat (image_power (-1, 2), ==, 0);
  g_assert_true (isfinite (image_power (FLT_MAX, 1)));
}

/* Against the formula in double precision. */
static void
test_grade (void)
{
  const KgColor black = { 0.1, -0.1, 0, 1 }, white = { 0.9, 1.5, 1, 1 }, lift = { 0.05, 0, -0.1, 1 };
  const KgColor gain = { 1.2, 0.7, 2, 1 }, multiply = { 0.5, 1, 3, 1 }, offset = { 0.1, -0.2, 0, 1 };
  const KgColor gamma = { 2.2, 1, 0.5, 1 };
  const ImageWear wear = { .mix = 1, .straight = true };
  g_autoptr (KgImage) image = make (100, 30, 9), before = kg_image_ref (image);
  g_autoptr (GError) error = NULL;
  Grade grade = { 0 };

  g_assert_true (grade_set (&grade, black, white, lift, gain, multiply, offset, gamma, NULL));
  image_apply (&image, &wear, grade_block, &grade, NULL);
  for (int i = 0; i < 3000; i++)
    for (int c = 0; c < 3; c++) {
      const double a = (double) kg_image_get_pixels (before)[4 * i + 3];
      const double x = a > 0 ? (double) kg_image_get_pixels (before)[4 * i + c] / a : 0;
      const double y =
          (&multiply.r)[c] *
              (((&gain.r)[c] - (&lift.r)[c]) * (x - (&black.r)[c]) / ((&white.r)[c] - (&black.r)[c]) + (&lift.r)[c]) +
          (&offset.r)[c];

      assert_near (kg_image_get_pixels (image)[4 * i + c], a * (y > 0 ? pow (y, 1 / (&gamma.r)[c]) : y), 3e-5);
      g_assert_cmpfloat (kg_image_get_pixels (image)[4 * i + 3], ==, kg_image_get_pixels (before)[4 * i + 3]);
    }
  g_assert_false (grade_set (&grade, white, white, lift, gain, multiply, offset, gamma, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
}

/* (transfer full) front merged with back, both as large. */
static KgImage *
merge_images (MergeOperator op, MergeAlpha alpha, const KgImage *front, const KgImage *back)
{
  const ImageWear wear = { .mix = 1 };
  const Merge merge = { .op = op, .alpha = alpha, .opacity = 1 };
  KgImage *image = kg_image_ref (back);
  const ImageSource source = image_source (front, image, 0, 0);

  g_assert_true (merge_combine (&image, &source, 1, &wear, &merge, NULL));
  return image;
}

static void
assert_images_near (const KgImage *a, const KgImage *b, double tolerance)
{
  const int n = 4 * kg_image_get_width (a) * kg_image_get_height (a);

  for (int i = 0; i < n; i++)
    assert_near (kg_image_get_pixels (a)[i], kg_image_get_pixels (b)[i], tolerance);
}

/* The shares of A and B that an operator of coverage takes. */
static void
find_shares (MergeOperator op, double a, double b, double *from_a, double *from_b)
{
  const double shares[][2] = {
    [MERGE_OVER] = { 1, 1 - a },
    [MERGE_UNDER] = { 1 - b, 1 },
    [MERGE_IN] = { b, 0 },
    [MERGE_MASK] = { 0, a },
    [MERGE_OUT] = { 1 - b, 0 },
    [MERGE_STENCIL] = { 0, 1 - a },
    [MERGE_ATOP] = { b, 1 - a },
    [MERGE_UNDER_ATOP] = { 1 - b, a },
    [MERGE_XOR] = { 1 - b, 1 - a },
    [MERGE_PLUS] = { 1, 1 },
    [MERGE_COPY] = { 1, 0 },
    [MERGE_CLEAR] = { 0, 0 },
    [MERGE_MATTE] = { a, 1 - a },
    [MERGE_CONJOINT_OVER] = { 1, a > b || b == 0 ? (a > b ? 0 : 1) : 1 - a / b },
    [MERGE_DISJOINT_OVER] = { 1, a + b < 1 ? 1
                                 : b > 0   ? (1 - a) / b
                                           : 0 },
  };

  /* Blend modes where there is nothing to blend with. */
  *from_a = op < MERGE_MULTIPLY ? shares[op][0] : 1;
  *from_b = op < MERGE_MULTIPLY ? shares[op][1] : 1 - a;
}

/* C11: light without coverage (fire, a flare: colours with an alpha of 0) by the formulas of all operators, in front and behind. */
static void
test_c11_light_without_coverage (void)
{
  static const double coverages[] = { 0, 0.25, 1 }, front[] = { 0.75, 2, 0.125 }, back[] = { 0.25, 0.0625, 3 };
  g_autoptr (KgImage) one = kg_image_new (1, 1, false, NULL), two = kg_image_new (1, 1, false, NULL);

  for (int op = 0; op < MERGE_N_OPERATORS; op++)
    for (int i = 0; i < 9; i++) {
      const double a = coverages[i / 3], b = coverages[i % 3];
      g_autoptr (KgImage) result = NULL;
      double from_a, from_b;

      if (op >= MERGE_MULTIPLY && a > 0 && b > 0)
        continue;
      find_shares ((MergeOperator) op, a, b, &from_a, &from_b);
      for (int c = 0; c < 4; c++) {
        kg_image_edit_pixels (one)[c] = (float) (c < 3 ? front[c] : a);
        kg_image_edit_pixels (two)[c] = (float) (c < 3 ? back[c] : b);
      }
      result = merge_images ((MergeOperator) op, MERGE_COVERED, one, two);
      for (int c = 0; c < 3; c++)
        assert_near ((double) kg_image_get_pixels (result)[c], from_a * front[c] + from_b * back[c], 1e-6);
      assert_near ((double) kg_image_get_pixels (result)[3],
                   fmin (from_a * (op == MERGE_MATTE ? 1 : a) + from_b * b, 1), 1e-6);
    }
}

/* C11: a = (.5, 0, 0, .5), b = (0, 0, 1, 1). */
static void
test_c11_operators (void)
{
  static const struct {
    MergeOperator op;
    double rgba[4];
  } cases[] = {
    { MERGE_OVER, { 0.5, 0, 0.5, 1 } },
    { MERGE_UNDER, { 0, 0, 1, 1 } },
    { MERGE_IN, { 0.5, 0, 0, 0.5 } },
    { MERGE_MASK, { 0, 0, 0.5, 0.5 } },
    { MERGE_OUT, { 0, 0, 0, 0 } },
    { MERGE_STENCIL, { 0, 0, 0.5, 0.5 } },
    { MERGE_ATOP, { 0.5, 0, 0.5, 1 } },
    { MERGE_UNDER_ATOP, { 0, 0, 0.5, 0.5 } },
    { MERGE_XOR, { 0, 0, 0.5, 0.5 } },
    { MERGE_PLUS, { 0.5, 0, 1, 1 } },
    { MERGE_COPY, { 0.5, 0, 0, 0.5 } },
    { MERGE_CLEAR, { 0, 0, 0, 0 } },
    { MERGE_MATTE, { 0.25, 0, 0.5, 1 } },
    { MERGE_CONJOINT_OVER, { 0.5, 0, 0.5, 1 } },
    { MERGE_DISJOINT_OVER, { 0.5, 0, 0.5, 1 } },
  };
  g_autoptr (KgImage) a = make_plain (3, 3, 0.5f, 0, 0, 0.5f), b = make_plain (3, 3, 0, 0, 1, 1);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (KgImage) c = merge_images (cases[i].op, MERGE_COVERED, a, b);
    const double *want = cases[i].rgba;

    assert_pixel (c, 1, 1, want[0], want[1], want[2], want[3], 1e-7);
  }
  /* The squares of large numbers are beyond a float, their root is not. */
  {
    g_autoptr (KgImage) large = make_plain (1, 1, 3e30f, 0, 0, 1), other = make_plain (1, 1, 4e30f, 0, 0, 1);
    g_autoptr (KgImage) root = merge_images (MERGE_HYPOT, MERGE_CHANNELS, large, other);

    assert_near ((double) at (root, 0, 0)[0] / 5e30, 1, 1e-6);
  }
  /* Conjoint: equal coverages are the same; disjoint: halves complement each other. */
  {
    g_autoptr (KgImage) half = make_plain (3, 3, 0, 0, 0.5f, 0.5f);
    g_autoptr (KgImage) same = merge_images (MERGE_CONJOINT_OVER, MERGE_COVERED, a, half);
    g_autoptr (KgImage) both = merge_images (MERGE_DISJOINT_OVER, MERGE_COVERED, a, half);

    assert_pixel (same, 0, 0, 0.5, 0, 0, 0.5, 1e-7);
    assert_pixel (both, 0, 0, 0.5, 0, 0.5, 1, 1e-7);
  }
}

/* C04, C10, C11, C16: identities of the algebra, on random images. */
/* Pixels at once and channels one by one: a mask of ones makes it the latter. */
static void
test_c11_whole_pixels (void)
{
  const float hostile[] = { -1, -0.0f, 0, 1e-40f, 0.5f, 1, 1.0000001f, 3e38f, INFINITY, -INFINITY, NAN };
  enum { WIDTH = 531, HEIGHT = 40 };

  for (int run = 0; run < 4; run++) {
    const Merge merge = { .op = MERGE_OVER, .opacity = run % 2 == 0 ? 1 : 0.3f };
    g_autoptr (KgImage) back = make (WIDTH, HEIGHT, 1), front = make (WIDTH - 7, HEIGHT - 3, 2);
    g_autoptr (KgImage) mask = make_plain (WIDTH, HEIGHT, 1, 1, 1, 1), other = NULL;
    const ImageWear plain = { .mix = 1 }, masked = { .mix = 1, .mask = mask, .mask_by = IMAGE_MASK_ALPHA };
    const float *a, *b;
    ImageSource source;

    /* An image is finite; what is laid on it need not be. */
    for (uint64_t i = 0; run >= 2 && i < 2000; i++) {
      const size_t kinds = G_N_ELEMENTS (hostile) - (i % 2 == 0 ? 3 : 0);
      const double at = kg_random_uniform (3, i, 0) * 4 * (WIDTH - 7) * (HEIGHT - 3);

      kg_image_edit_pixels (i % 2 == 0 ? back : front)[(size_t) at] =
          hostile[(size_t) (kg_random_uniform (4, i, 0) * (double) kinds)];
    }
    source = image_source (front, back, 5, 2);
    other = kg_image_ref (back);
    g_assert_true (merge_combine (&back, &source, 1, &plain, &merge, NULL));
    g_assert_true (merge_combine (&other, &source, 1, &masked, &merge, NULL));
    a = kg_image_get_pixels (back);
    b = kg_image_get_pixels (other);
    for (int i = 0; i < 4 * WIDTH * HEIGHT; i++)
      g_assert_true (isfinite (a[i]) && a[i] == b[i]);
  }
}

static void
test_c04_c10_c16_algebra (void)
{
  static const MergeOperator swapped[][2] = {
    { MERGE_OVER, MERGE_UNDER },
    { MERGE_IN, MERGE_MASK },
    { MERGE_OUT, MERGE_STENCIL },
    { MERGE_ATOP, MERGE_UNDER_ATOP },
    { MERGE_XOR, MERGE_XOR },
    { MERGE_PLUS, MERGE_PLUS },
    { MERGE_MULTIPLY, MERGE_MULTIPLY },
    { MERGE_SCREEN, MERGE_SCREEN },
    { MERGE_OVERLAY, MERGE_HARD_LIGHT },
    { MERGE_DIFFERENCE, MERGE_DIFFERENCE },
    { MERGE_EXCLUSION, MERGE_EXCLUSION },
    { MERGE_MIN, MERGE_MIN },
    { MERGE_MAX, MERGE_MAX },
    { MERGE_AVERAGE, MERGE_AVERAGE },
    { MERGE_GEOMETRIC, MERGE_GEOMETRIC },
    { MERGE_HYPOT, MERGE_HYPOT },
    { MERGE_GRAIN_MERGE, MERGE_GRAIN_MERGE },
    { MERGE_MINUS, MERGE_FROM },
    { MERGE_COLOR, MERGE_LUMINOSITY },
  };
  g_autoptr (KgImage) a = make (40, 30, 1), b = make (40, 30, 2), c = make (40, 30, 3), nothing = NULL;
  g_autoptr (KgImage) ab = merge_images (MERGE_OVER, MERGE_COVERED, a, b);
  g_autoptr (KgImage) bc = merge_images (MERGE_OVER, MERGE_COVERED, b, c);
  g_autoptr (KgImage) left = merge_images (MERGE_OVER, MERGE_COVERED, ab, c);
  g_autoptr (KgImage) right = merge_images (MERGE_OVER, MERGE_COVERED, a, bc);
  g_autoptr (KgImage) in = merge_images (MERGE_IN, MERGE_COVERED, a, b);
  g_autoptr (KgImage) out = merge_images (MERGE_OUT, MERGE_COVERED, a, b);
  g_autoptr (KgImage) sum = merge_images (MERGE_PLUS, MERGE_COVERED, in, out);
  g_autoptr (KgImage) far = merge_images (MERGE_OVER, MERGE_COVERED, a, c), wrong = NULL, ba = NULL;
  double difference = 0;

  assert_images_near (left, right, 2e-7);
  assert_images_near (sum, a, 1e-7);
  nothing = kg_image_new (40, 30, false, NULL);
  for (int op = 0; op < MERGE_N_OPERATORS; op++) {
    /* Blend modes that know where they cover leave what stands alone. */
    if (op >= MERGE_MULTIPLY || op == MERGE_OVER || op == MERGE_PLUS || op == MERGE_XOR) {
      g_autoptr (KgImage) on = merge_images ((MergeOperator) op, MERGE_COVERED, a, nothing);
      g_autoptr (KgImage) under = merge_images ((MergeOperator) op, MERGE_COVERED, nothing, a);

      assert_images_near (on, a, 1e-7);
      assert_images_near (under, a, 1e-7);
    }
    /* And all stay finite on anything. */
    for (int how = 0; how < MERGE_N_ALPHAS; how++) {
      g_autoptr (KgImage) odd = make_plain (2, 2, -3, 1e38f, 0, 5), light = make_plain (2, 2, 1e38f, 1, -1e38f, 0);
      g_autoptr (KgImage) one = merge_images ((MergeOperator) op, (MergeAlpha) how, odd, light);
      g_autoptr (KgImage) two = merge_images ((MergeOperator) op, (MergeAlpha) how, light, odd);

      g_assert_true (kg_image_check_finite (one, NULL));
      g_assert_true (kg_image_check_finite (two, NULL));
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (swapped); i++)
    for (int how = 0; how < (swapped[i][0] < MERGE_COLOR ? MERGE_N_ALPHAS : 1); how++) {
      g_autoptr (KgImage) one = merge_images (swapped[i][0], (MergeAlpha) how, a, b);
      g_autoptr (KgImage) two = merge_images (swapped[i][1], (MergeAlpha) how, b, a);

      if (swapped[i][0] == MERGE_MINUS && how == MERGE_CHANNELS)
        continue; /* alpha is a number like others there, and limited to none */
      assert_images_near (one, two, 1e-5);
    }
  /* C04: alpha is symmetric, the colour is not; C16: a pair that is not adjacent leaves no place for what is between. */
  ba = merge_images (MERGE_OVER, MERGE_COVERED, b, a);
  wrong = merge_images (MERGE_OVER, MERGE_COVERED, b, far);
  for (int i = 0; i < 1200; i++) {
    assert_near (kg_image_get_pixels (ab)[4 * i + 3], kg_image_get_pixels (ba)[4 * i + 3], 1e-7);
    difference += fabs ((double) kg_image_get_pixels (ab)[4 * i] - (double) kg_image_get_pixels (ba)[4 * i]);
    /* C04 in straight colours equals C10. */
    {
      const float *p = kg_image_get_pixels (a) + 4 * i, *q = kg_image_get_pixels (b) + 4 * i;
      const double f = (double) p[3], g = (double) q[3], alpha = f + (1 - f) * g;

      for (int k = 0; k < 3 && alpha > 0; k++) {
        const double sf = f > 0 ? (double) p[k] / f : 0, sb = g > 0 ? (double) q[k] / g : 0;
        const double straight = (f * sf + (1 - f) * g * sb) / alpha;

        assert_near (kg_image_get_pixels (ab)[4 * i + k], straight * alpha, 1e-6);
      }
    }
  }
  g_assert_cmpfloat (difference, >, 1);
  difference = 0;
  for (int i = 0; i < 4800; i++)
    difference += fabs ((double) kg_image_get_pixels (wrong)[i] - (double) kg_image_get_pixels (left)[i]);
  g_assert_cmpfloat (difference, >, 1);
}

/* All groupings of neighbours of five layers: 14, one result.  (transfer full) for each, counted. */
static guint
check_groupings (KgImage *const *layers, int n, const KgImage *want)
{
  guint count = 0;

  if (n == 1) {
    assert_images_near (layers[0], want, 1e-6);
    return 1;
  }
  /* Every tree is found once for each order of its inner nodes: 4! orders in all. */
  for (int i = 0; i + 1 < n; i++) {
    g_autoptr (KgImage) pair = merge_images (MERGE_OVER, MERGE_COVERED, layers[i], layers[i + 1]);
    KgImage *next[5];

    for (int k = 0, j = 0; k < n; k++)
      if (k == i)
        next[j++] = pair;
      else if (k != i + 1)
        next[j++] = layers[k];
    count += check_groupings (next, n - 1, want);
  }
  return count;
}

static void
test_c16_groupings (void)
{
  KgImage *layers[5];
  g_autoptr (KgImage) want = NULL;

  for (int i = 0; i < 5; i++)
    layers[i] = make (9, 7, 20 + (uint64_t) i);
  want = kg_image_ref (layers[4]);
  for (int i = 3; i >= 0; i--) {
    KgImage *next = merge_images (MERGE_OVER, MERGE_COVERED, layers[i], want);

    kg_image_unref (want);
    want = next;
  }
  g_assert_cmpuint (check_groupings (layers, 5, want), ==, 24);
  for (int i = 0; i < 5; i++)
    kg_image_unref (layers[i]);
}

/* The formulas of blend modes in double precision, for one pair of opaque colours each. */
static void
test_blend_modes (void)
{
  static const struct {
    MergeOperator op;
    double s, d, result;
  } cases[] = {
    { MERGE_MULTIPLY, 0.5, 0.25, 0.125 },
    { MERGE_SCREEN, 0.5, 0.25, 0.625 },
    { MERGE_OVERLAY, 0.5, 0.25, 0.25 },
    { MERGE_OVERLAY, 0.25, 0.75, 0.625 },
    { MERGE_HARD_LIGHT, 0.25, 0.75, 0.375 },
    { MERGE_HARD_LIGHT, 0.75, 0.25, 0.625 },
    { MERGE_SOFT_LIGHT, 0.25, 0.5, 0.375 },
    { MERGE_SOFT_LIGHT, 0.75, 0.64, 0.72 },
    { MERGE_SOFT_LIGHT, 1, 0.25, 0.5 },
    { MERGE_COLOR_DODGE, 0.5, 0.25, 0.5 },
    { MERGE_COLOR_DODGE, 0.75, 0.5, 1 },
    { MERGE_COLOR_DODGE, 1, 0, 0 },
    { MERGE_COLOR_BURN, 0.5, 0.75, 0.5 },
    { MERGE_COLOR_BURN, 0, 0.5, 0 },
    { MERGE_COLOR_BURN, 0, 1, 1 },
    { MERGE_MIN, 0.5, 0.25, 0.25 },
    { MERGE_MAX, 0.5, 0.25, 0.5 },
    { MERGE_DIFFERENCE, 0.25, 0.75, 0.5 },
    { MERGE_EXCLUSION, 0.5, 0.25, 0.5 },
    { MERGE_AVERAGE, 0.5, 0.25, 0.375 },
    { MERGE_MINUS, 0.5, 0.75, -0.25 },
    { MERGE_FROM, 0.5, 0.75, 0.25 },
    { MERGE_DIVIDE, 0.5, 0.25, 2 },
    { MERGE_DIVIDE, 0.5, 0, 0 },
    { MERGE_GEOMETRIC, 0.5, 0.5, 0.5 },
    { MERGE_HYPOT, 0.75, 1, 1.25 },
    { MERGE_PIN_LIGHT, 0.75, 0.25, 0.5 },
    { MERGE_PIN_LIGHT, 0.25, 0.75, 0.5 },
    { MERGE_REFLECT, 0.5, 0.5, 0.5 },
    { MERGE_REFLECT, 0.5, 1, 1 },
    { MERGE_FREEZE, 0.75, 1, 0.5 },
    { MERGE_FREEZE, 0.75, 0, 0 },
    { MERGE_GRAIN_EXTRACT, 0.25, 0.5, 0.75 },
    { MERGE_GRAIN_MERGE, 0.25, 0.5, 0.25 },
  };
  g_autoptr (KgImage) red = make_plain (1, 1, 1, 0, 0, 1), grey = make_plain (1, 1, 0.59f, 0.59f, 0.59f, 1);
  g_autoptr (KgImage) mixed = make_plain (1, 1, 0.2f, 0.4f, 0.6f, 1), c = NULL, d = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int how = 0; how < MERGE_N_ALPHAS; how++) {
      const float s = (float) cases[i].s, b = (float) cases[i].d;
      g_autoptr (KgImage) front = make_plain (1, 1, s, s, s, 1), back = make_plain (1, 1, b, b, b, 1);
      g_autoptr (KgImage) result = merge_images (cases[i].op, (MergeAlpha) how, front, back);

      assert_near (at (result, 0, 0)[1], cases[i].result, 1e-6);
      if (how != MERGE_CHANNELS)
        g_assert_cmpfloat (at (result, 0, 0)[3], ==, 1);
    }
  /* W3C 10.2: the luminosity of one, the rest of the other. */
  c = merge_images (MERGE_COLOR, MERGE_COVERED, red, grey);
  assert_near (0.3 * (double) at (c, 0, 0)[0] + 0.59 * (double) at (c, 0, 0)[1] + 0.11 * (double) at (c, 0, 0)[2], 0.59,
               1e-6);
  assert_near (at (c, 0, 0)[0], 1, 1e-6);
  assert_near (at (c, 0, 0)[1], at (c, 0, 0)[2], 1e-6);
  /* Grey has no saturation to give. */
  d = merge_images (MERGE_SATURATION, MERGE_COVERED, grey, mixed);
  assert_near (at (d, 0, 0)[0], 0.3 * 0.2 + 0.59 * 0.4 + 0.11 * 0.6, 1e-6);
  assert_near (at (d, 0, 0)[2], at (d, 0, 0)[0], 1e-6);
}

/* C08: equal alphas are one alpha; red glass lets only red pass. */
static void
test_c08_channel_alpha (void)
{
  const ImageWear wear = { .mix = 1 };
  const Merge merge = { .op = MERGE_OVER, .opacity = 1, .channel_alpha = true };
  g_autoptr (KgImage) glass = make_plain (2, 2, 0, 0, 0, 1), red = make_plain (2, 2, 0, 1, 1, 1);
  g_autoptr (KgImage) back = make_plain (2, 2, 0.3f, 0.5f, 0.7f, 1), a = make (30, 20, 5), b = make (30, 20, 6);
  g_autoptr (KgImage) over = merge_images (MERGE_OVER, MERGE_COVERED, a, b),
                      alphas = kg_image_new (30, 20, false, NULL);
  ImageSource others[] = { image_source (glass, back, 0, 0), image_source (red, back, 0, 0) };

  merge_combine (&back, others, 2, &wear, &merge, NULL);
  assert_pixel (back, 1, 1, 0.3, 0, 0, 1, 1e-7);
  for (int i = 0; i < 4 * 600; i++)
    kg_image_edit_pixels (alphas)[i] = kg_image_get_pixels (a)[i | 3];
  others[0] = image_source (a, b, 0, 0);
  others[1] = image_source (alphas, b, 0, 0);
  merge_combine (&b, others, 2, &wear, &merge, NULL);
  assert_images_near (b, over, 1e-6);
}

/* C09: half a white pixel is stored as four halves; there and back is where it was; C06: all or nothing. */
static void
test_c06_c09_channels (void)
{
  const ImageWear wear = { .mix = 1 };
  g_autoptr (KgImage) image = make_plain (1, 1, 1, 1, 1, 0.5f), a = make (30, 20, 7), b = make (30, 20, 8);
  g_autoptr (KgImage) there = kg_image_ref (a), light = make_plain (1, 1, 5, 5, 5, 0), out = kg_image_ref (b);
  g_autoptr (KgImage) swapped = kg_image_ref (a), all = kg_image_ref (b), over = NULL, cut = kg_image_ref (a);
  Matte matte = { .one_bit = true, .threshold = 0.5f };
  Channels channels = { .from = { CHANNEL_BLUE, CHANNEL_OTHER_GREEN, CHANNEL_ONE, CHANNEL_OTHER_ALPHA } };
  const ImageSource others[] = { image_source (a, b, 0, 0), image_source (a, b, 0, 0) };
  const ImageSource other = image_source (b, a, 0, 0);

  image_apply (&image, &wear, premultiply_block, NULL, NULL);
  assert_pixel (image, 0, 0, 0.5, 0.5, 0.5, 0.5, 0);
  image_apply (&there, &wear, unpremultiply_block, NULL, NULL);
  image_apply (&there, &wear, premultiply_block, NULL, NULL);
  assert_images_near (there, a, 1e-7);
  image_apply (&light, &wear, unpremultiply_block, NULL, NULL);
  assert_pixel (light, 0, 0, 0, 0, 0, 0, 0);

  image_combine (&out, others, 2, &wear, matte_block, &matte, NULL);
  matte.threshold = 0;
  image_combine (&all, others, 2, &wear, matte_block, &matte, NULL);
  g_assert_true (kg_image_equal (all, a));
  for (int i = 0; i < 600; i++) {
    const bool front = kg_image_get_pixels (a)[4 * i + 3] >= 0.5f;

    g_assert_cmpmem (kg_image_get_pixels (out) + 4 * i, 16, kg_image_get_pixels (front ? a : b) + 4 * i, 16);
    /* C06: over, of what is there or not. */
    for (int c = 0; c < 4; c++)
      if (!front)
        kg_image_edit_pixels (cut)[4 * i + c] = 0;
      else if (c == 3)
        kg_image_edit_pixels (cut)[4 * i + c] = 1;
  }
  over = merge_images (MERGE_OVER, MERGE_COVERED, cut, b);
  for (int i = 0; i < 600; i++)
    for (int c = 0; c < 3; c++)
      g_assert_cmpfloat (kg_image_get_pixels (over)[4 * i + c], ==, kg_image_get_pixels (out)[4 * i + c]);

  image_combine (&swapped, &other, 1, &wear, channels_block, &channels, NULL);
  for (int i = 0; i < 600; i++) {
    const float *p = kg_image_get_pixels (swapped) + 4 * i, *from = kg_image_get_pixels (a) + 4 * i;
    const float *second = kg_image_get_pixels (b) + 4 * i;

    g_assert_true (p[0] == from[2] && p[1] == second[1] && p[2] == 1 && p[3] == second[3]);
  }
  channels = (Channels){ .from = { CHANNEL_LUMINANCE, CHANNEL_ZERO, CHANNEL_OTHER_LUMINANCE, CHANNEL_OTHER_ALPHA },
                         .premultiply = true };
  g_clear_pointer (&swapped, kg_image_unref);
  swapped = kg_image_ref (a);
  image_combine (&swapped, &other, 1, &wear, channels_block, &channels, NULL);
  for (int i = 0; i < 600; i++) {
    const float *from = kg_image_get_pixels (a) + 4 * i, alpha = kg_image_get_pixels (b)[4 * i + 3];

    assert_near (kg_image_get_pixels (swapped)[4 * i], image_luminance (from[0], from[1], from[2]) * alpha, 1e-7);
  }
}

/* C15: shares of a pixel. */
static void
test_c15_beta (void)
{
  static const struct {
    double d[4], beta;
  } cases[] = {
    { { -1, 1, 1, 1 }, 1.0 / 8 },  { { -1, -1, 1, 1 }, 0.5 },           { { -1, 1, -1, 1 }, 0.5 },
    { { -1, 3, 3, 3 }, 1.0 / 32 }, { { -1, -1, -1, -1 }, 1 },           { { 1, 2, 0, 4 }, 0 },
    { { 3, -1, 3, 3 }, 1.0 / 32 }, { { -3, -3, 1, -3 }, 1 - 1.0 / 32 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_near (depth_get_beta (cases[i].d, DEPTH_DIAGONAL_EVEN), cases[i].beta, 1e-15);
  /* Commutative, for all signs; and with the saddle as well. */
  for (uint64_t i = 0; i < 5000; i++) {
    double d[4], back[4], area = 0;

    for (uint64_t c = 0; c < 4; c++) {
      d[c] = kg_random_uniform (3, i, c) - 0.5;
      back[c] = -d[c];
    }
    for (int k = 0; k < 2; k++)
      assert_near (depth_get_beta (d, (DepthDiagonal) k) + depth_get_beta (back, (DepthDiagonal) k), 1, 1e-12);
    g_assert_cmpfloat (depth_get_beta (d, DEPTH_DIAGONAL_TRIANGLES), <=, 1);
    /* Planes: the exact area where they are in front, in corner and split cases. */
    d[2] = d[1] + d[3] - d[0];
    for (int y = 0; y < 200; y++)
      for (int x = 0; x < 200 && i < 20; x++)
        area += d[0] + (x + 0.5) / 200 * (d[1] - d[0]) + (y + 0.5) / 200 * (d[3] - d[0]) < 0;
    if (i < 20)
      assert_near (depth_get_beta (d, DEPTH_DIAGONAL_EVEN), area / 40000, 0.005);
  }
}

/* (transfer full) One colour, and depths of a plane through the pixels' centres. */
static KgImage *
make_plane (float r, float g, float b, float a, float z, float slope)
{
  KgImage *image = make_plain (6, 4, r, g, b, a);
  float *depth = kg_image_edit_depth (image);

  for (int i = 0; i < 24; i++)
    depth[i] = z + slope * (float) (i % 6);
  return image;
}

/* (transfer full) */
static KgImage *
merge_depths (const KgImage *front, const KgImage *back, bool comp)
{
  KgImage *image = kg_image_ref (back);

  g_assert_true (depth_merge (&image, front, comp, DEPTH_DIAGONAL_EVEN, NULL, NULL));
  return image;
}

/* C03, C14, C15: the nearer is in front, in any order; three transparent ones are not associative. */
static void
test_c03_c14_c15_depth (void)
{
  g_autoptr (KgImage) f = make_plane (0.5f, 0, 0, 0.5f, 1, 0), g = make_plane (0, 0.5f, 0, 0.5f, 2, 0);
  g_autoptr (KgImage) b = make_plane (0, 0, 0.5f, 0.5f, 3, 0), tilted = make_plane (1, 1, 1, 1, 0, 0.9f);
  g_autoptr (KgImage) opaque = make_plane (1, 0, 0, 1, 2, 0), nowhere = kg_image_new (6, 4, true, NULL);
  g_autoptr (KgImage) fb = merge_depths (f, b, true), fg = merge_depths (f, g, true);
  g_autoptr (KgImage) fb_g = merge_depths (fb, g, true), fg_b = merge_depths (fg, b, true);
  g_autoptr (KgImage) one = merge_depths (tilted, opaque, true), two = merge_depths (opaque, tilted, true);
  g_autoptr (KgImage) near = merge_depths (tilted, opaque, false), other = merge_depths (opaque, tilted, false);
  g_autoptr (KgImage) alone = merge_depths (nowhere, f, true), too = merge_depths (f, nowhere, true);

  assert_pixel (fb_g, 3, 2, 0.5, 0.125, 0.25, 0.875, 1e-7);
  assert_pixel (fg_b, 3, 2, 0.5, 0.25, 0.125, 0.875, 1e-7);
  assert_images_near (one, two, 1e-6);
  g_assert_true (kg_image_equal (near, other));
  for (int x = 0; x < 6; x++) {
    g_assert_cmpfloat (at (near, x, 1)[1], ==, 0.9f * (float) x < 2);
    g_assert_cmpfloat (kg_image_get_depth (near)[x], ==, MIN (2, 0.9f * (float) x));
  }
  /* They cross at x = 2.22 of the centres: in pixel 2, 0.72 of which is the tilted one's. */
  assert_near (at (one, 2, 1)[1], 2 / 0.9 - 1.5, 1e-5);
  assert_near (at (one, 1, 1)[1], 1, 0);
  assert_near (at (one, 3, 1)[1], 0, 0);
  g_assert_true (kg_image_equal (alone, f) && kg_image_equal (too, f));
}

/* C12, C13: fragments that complement each other leave nothing of what is behind; those at random leave what over leaves. */
static void
test_c12_c13_fragments (void)
{
  const double red[] = { 1, 0, 0, 1 }, green[] = { 0, 1, 0, 1 }, blue[] = { 0, 0, 1, 1 };
  Fragment f[3] = { { .z = 3, .mask = UINT32_MAX }, { .z = 1 }, { .z = 2 } };
  double rgba[4], sum[4] = { 0 };

  memcpy (f[0].rgba, blue, sizeof blue);
  memcpy (f[1].rgba, red, sizeof red);
  memcpy (f[2].rgba, green, sizeof green);
  for (int turn = 0; turn < 16; turn++) {
    const double gx = cos (turn * KG_PI / 8), gy = sin (turn * KG_PI / 8);
    Fragment copy[3];

    memcpy (copy, f, sizeof f);
    fragment_cover (&copy[1], 0.5, gx, gy);
    fragment_cover (&copy[2], 0.5, -gx, -gy);
    g_assert_cmpuint (copy[1].mask ^ copy[2].mask, ==, UINT32_MAX);
    fragments_resolve (copy, 3, rgba);
    assert_near (rgba[0], 0.5, 1e-15);
    assert_near (rgba[1], 0.5, 1e-15);
    assert_near (rgba[2], 0, 1e-15);
    /* All of one behind the other. */
    memcpy (copy, f, sizeof f);
    fragment_cover (&copy[1], 0.5, gx, gy);
    fragment_cover (&copy[2], 0.5, gx, gy);
    fragments_resolve (copy, 3, rgba);
    assert_near (rgba[0], 0.5, 1e-15);
    assert_near (rgba[1], 0, 1e-15);
    assert_near (rgba[2], 0.5, 1e-15);
  }
  /* Coverages that are no number of samples: neither is rounded, and nothing of the background is between them. */
  for (int k = 1; k < 200; k++) {
    const double coverage = k / 200.0, gx = cos (k), gy = sin (k);
    Fragment copy[3];

    memcpy (copy, f, sizeof f);
    fragment_cover (&copy[1], coverage, gx, gy);
    fragment_cover (&copy[2], 1 - coverage, -gx, -gy);
    fragments_resolve (copy, 3, rgba);
    assert_near (rgba[0], coverage, 1e-12);
    assert_near (rgba[1], 1 - coverage, 1e-12);
    assert_near (rgba[2], 0, 1e-12);
    /* One edge for both. */
    memcpy (copy, f, sizeof f);
    fragment_cover (&copy[1], coverage, gx, gy);
    fragment_cover (&copy[2], coverage, gx, gy);
    fragments_resolve (copy, 3, rgba);
    assert_near (rgba[0], coverage, 1e-12);
    assert_near (rgba[1], 0, 1e-12);
    assert_near (rgba[2], 1 - coverage, 1e-12);
  }
  /* Random masks of half of the samples: the weights .5, .25, .25 of over, within three standard deviations. */
  for (uint64_t i = 0; i < 4000; i++) {
    Fragment copy[3];

    memcpy (copy, f, sizeof f);
    copy[1].mask = copy[2].mask = 0;
    for (uint64_t q = 0; q < 32; q++) {
      copy[1].mask |= (uint32_t) (kg_random_uniform (1, i, q) < 0.5) << q;
      copy[2].mask |= (uint32_t) (kg_random_uniform (2, i, q) < 0.5) << q;
    }
    fragments_resolve (copy, 3, rgba);
    assert_near (rgba[3], 1, 1e-12);
    for (int c = 0; c < 3; c++)
      sum[c] += rgba[c] / 4000;
  }
  assert_near (sum[0], 0.5, 3 * 0.5 / sqrt (32 * 4000));
  assert_near (sum[1], 0.25, 3 * 0.5 / sqrt (32 * 4000));
  assert_near (sum[2], 0.25, 3 * 0.5 / sqrt (32 * 4000));
  /* Full masks: over; nothing: transparent. */
  for (int k = 0; k < 3; k++) {
    f[k].mask = UINT32_MAX;
    for (int c = 0; c < 4; c++)
      f[k].rgba[c] *= f[k].z < 3 ? 0.5 : 1;
  }
  fragments_resolve (f, 3, rgba);
  assert_near (rgba[0], 0.5, 1e-15);
  assert_near (rgba[1], 0.25, 1e-15);
  assert_near (rgba[2], 0.25, 1e-15);
  fragments_resolve (f, 0, rgba);
  g_assert_true (rgba[0] == 0 && rgba[3] == 0);
  g_assert_true (fragment_cover (&f[0], 0, 1, 0) && f[0].mask == 0 && f[0].low == f[0].high);
  g_assert_true (fragment_cover (&f[0], 1, 1, 0) && f[0].mask == UINT32_MAX);
  g_assert_true (!fragment_cover (&f[0], 0.25, 0, 0) && f[0].mask == UINT32_MAX);
}

/* (transfer full) One colour left of x (sign 1) or right of it (-1), with the exact coverage of each pixel. */
static KgImage *
make_half (double x, int sign, float r, float g, float b)
{
  KgImage *image = kg_image_new (9, 5, false, NULL);

  for (int i = 0; i < 45; i++) {
    const double left = kg_clamp (x - i % 9, 0, 1);
    const float a = (float) (sign > 0 ? left : 1 - left), rgba[] = { r * a, g * a, b * a, a };

    memcpy (kg_image_edit_pixels (image) + 4 * i, rgba, sizeof rgba);
  }
  return image;
}

/* C12: two halves that share an edge, on images: no seam with correlated edges, a quarter of the background without. */
static void
test_c12_layers (void)
{
  const double opacities[] = { 1, 1, 1 };
  g_autoptr (KgImage) back = make_plain (9, 5, 0, 0, 1, 1), left = make_half (4.5, 1, 1, 0, 0);
  g_autoptr (KgImage) right = make_half (4.5, -1, 0, 1, 0), out = kg_image_new (9, 5, false, NULL);
  g_autoptr (KgImage) over = kg_image_ref (back);
  const ImageSource sources[] = { image_source (back, out, 0, 0), image_source (left, out, 0, 0),
                                  image_source (right, out, 0, 0) };

  g_assert_true (layers_resolve (sources, opacities, 3, out, NULL));
  assert_pixel (out, 4, 2, 0.5, 0.5, 0, 1, 1e-6);
  assert_pixel (out, 3, 2, 1, 0, 0, 1, 0);
  g_assert_true (layer_over (&over, &sources[1], 1, NAN, NULL) && layer_over (&over, &sources[2], 1, NAN, NULL));
  assert_pixel (over, 4, 2, 0.25, 0.5, 0.25, 1, 1e-6);
  /* Alone, an edge is what it was, to the last bits. */
  for (int i = 0; i < 20; i++) {
    g_autoptr (KgImage) edge = make_half (3 + i / 20.0, 1, 1, 0.5f, 0);
    const ImageSource one = image_source (edge, out, 0, 0);

    g_assert_true (layers_resolve (&one, opacities, 1, out, NULL));
    assert_images_near (out, edge, 1e-6);
  }
  /* Halves that meet along a row of pixels have no seam at the border of the image either. */
  g_assert_true (layers_resolve (sources, opacities, 3, out, NULL));
  for (int y = 0; y < 5; y++)
    assert_pixel (out, 4, y, 0.5, 0.5, 0, 1, 1e-6);
}

/* C05: whole positions copy pixels exactly, at all borders. */
static void
test_c05_place (void)
{
  static const int at_[][2] = { { 0, 0 }, { 3, -2 }, { -9, 0 }, { 9, 1 }, { 0, 7 }, { 2, -8 }, { 400, 3 } };
  g_autoptr (KgImage) sprite = make (7, 5, 31);

  for (guint i = 0; i < G_N_ELEMENTS (at_); i++) {
    const Place place = { at_[i][0], at_[i][1], 0, 1, 1, 0, 0 };
    g_autoptr (KgImage) placed = place_image (sprite, &place, 20, 12, 1, RESAMPLE_BILINEAR, NULL, NULL);

    for (int y = 0; y < 12; y++)
      for (int x = 0; x < 20; x++) {
        const int sx = x - 7 - at_[i][0], sy = y - 4 + at_[i][1];

        for (int c = 0; c < 4; c++)
          g_assert_cmpfloat (at (placed, x, y)[c], ==,
                             sx >= 0 && sx < 7 && sy >= 0 && sy < 5 ? at (sprite, sx, sy)[c] : 0);
      }
  }
}

/* (transfer full) A subject of grey and warm colours over a screen, with its alpha. */
static KgImage *
make_on_screen (const float screen[3], KgImage **subject)
{
  KgImage *image = kg_image_new (40, 20, false, NULL);

  *subject = kg_image_new (40, 20, false, NULL);
  for (uint64_t i = 0; i < 800; i++) {
    const double alpha = kg_clamp (3 * kg_random_uniform (4, i, 0) - 1, 0, 1);
    /* Nothing in it is stronger in the screen's channel: that is what can be told apart. */
    const double grey = 0.8 * kg_random_uniform (4, i, 1);

    for (uint64_t c = 0; c < 4; c++) {
      kg_image_edit_pixels (*subject)[4 * i + c] = (float) (c < 3 ? grey * alpha : alpha);
      kg_image_edit_pixels (image)[4 * i + c] = (float) (c < 3 ? grey * alpha + (1 - alpha) * (double) screen[c] : 1);
    }
  }
  return image;
}

static void
key (KgImage **image, const Keyer *keyer, const KgImage *plate, const KgImage *keep, const KgImage *drop)
{
  const ImageWear wear = { .mix = 1 };
  const ImageSource others[] = { image_source (plate, *image, 0, 0), image_source (keep, *image, 0, 0),
                                 image_source (drop, *image, 0, 0) };

  g_assert_true (image_combine (image, others, 3, &wear, keyer_block, keyer, NULL));
}

/* P1-77: subject and alpha come back from in front of a pure screen, blue, green or red; the matte is 1 - (B - max (R, G)). */
static void
test_p1_77_keyer (void)
{
  static const float screens[][3] = { { 0, 0, 1 }, { 0, 0.8f, 0 }, { 0.6f, 0, 0 }, { 0.05f, 0.5f, 0.1f } };
  g_autoptr (KgImage) nothing = kg_image_new (1, 1, false, NULL), white = make_plain (40, 20, 1, 1, 1, 1);

  for (guint i = 0; i < G_N_ELEMENTS (screens); i++)
    for (int spill = 0; spill < KEYER_N_SPILLS; spill++) {
      g_autoptr (KgImage) subject = NULL, image = make_on_screen (screens[i], &subject), kept = kg_image_ref (image);
      g_autoptr (KgImage) dropped = kg_image_ref (image), matte = kg_image_ref (image);
      Keyer keyer = { .screen = { screens[i][0], screens[i][1], screens[i][2] },
                      .white = 1,
                      .subtract_screen = true,
                      .despill = 1,
                      .spill = (KeyerSpill) spill };

      key (&image, &keyer, nothing, nothing, nothing);
      assert_images_near (image, subject, 2e-6);
      keyer.show_matte = true;
      key (&matte, &keyer, nothing, nothing, nothing);
      for (int k = 0; k < 800; k++)
        assert_near (kg_image_get_pixels (matte)[4 * k], kg_image_get_pixels (subject)[4 * k + 3], 2e-6);
      keyer.show_matte = false;
      keyer.has_keep = keyer.keep_luminance = true;
      keyer.despill = 0;
      key (&kept, &keyer, nothing, white, nothing);
      g_assert_cmpfloat (at (kept, 3, 3)[3], ==, 1);
      keyer.has_drop = keyer.drop_luminance = true;
      key (&dropped, &keyer, nothing, white, white);
      g_assert_cmpfloat (at (dropped, 3, 3)[3], ==, 0);
    }
}

/* A soft garbage matte fades what it covers, subject or studio: half of it leaves half of what the key gives, in every
 * channel, and no tint of a screen that is not there. */
static void
test_keyer_garbage (void)
{
  g_autoptr (KgImage) nothing = kg_image_new (1, 1, false, NULL), half = make_plain (4, 4, 0, 0, 0, 0.5f);
  g_autoptr (KgImage) lamp = make_plain (4, 4, 0.04f, 0.05f, 0.06f, 1), image = kg_image_ref (lamp);
  const Keyer keyer = {
    .screen = { 0.01f, 0.35f, 0.05f }, .white = 1, .subtract_screen = true, .despill = 1, .has_drop = true
  };

  key (&image, &keyer, nothing, nothing, half);
  assert_pixel (image, 1, 1, 0.02, 0.025, 0.03, 0.5, 1e-6);
}

static void
test_keyer_methods (void)
{
  g_autoptr (KgImage) nothing = kg_image_new (1, 1, false, NULL), plate = make (40, 20, 11);
  g_autoptr (KgImage) same = kg_image_ref (plate), other = make_plain (40, 20, 3, 3, 3, 1),
                      luma = make_plain (4, 4, 0.5f, 0.5f, 0.5f, 1);
  g_autoptr (KgImage) chroma = make_plain (4, 4, 0.1f, 0.6f, 0.1f, 1), darker = NULL,
                      green = make_plain (4, 4, 0.3f, 0.9f, 0.5f, 1);
  g_autoptr (KgImage) odd = make_plain (4, 4, -5, 1e38f, 0, 7);
  Keyer keyer = {
    .method = KEYER_DIFFERENCE, .tolerance = 0.01f, .softness = 0.1f, .white = 1, .subtract_screen = true
  };

  key (&same, &keyer, plate, nothing, nothing);
  for (int i = 0; i < 3200; i++)
    g_assert_cmpfloat (kg_image_get_pixels (same)[i], ==, 0);
  key (&other, &keyer, plate, nothing, nothing);
  g_assert_cmpfloat (at (other, 1, 1)[3], ==, 1);
  keyer = (Keyer){ .method = KEYER_LUMA, .low = 0.25f, .high = 0.75f, .white = 1 };
  key (&luma, &keyer, nothing, nothing, nothing);
  assert_pixel (luma, 1, 1, 0.25, 0.25, 0.25, 0.5, 1e-6);
  keyer = (Keyer){
    .method = KEYER_CHROMA, .screen = { 0.1f, 0.6f, 0.1f }, .tolerance = 0.02f, .softness = 0.1f, .white = 1
  };
  darker = make_plain (4, 4, 0.5f, 0.5f, 0.5f, 1);
  key (&chroma, &keyer, nothing, nothing, nothing);
  g_assert_cmpfloat (at (chroma, 0, 0)[3], ==, 0);
  key (&darker, &keyer, nothing, nothing, nothing);
  assert_pixel (darker, 0, 0, 0.5, 0.5, 0.5, 1, 0);
  /* Spill: green no stronger than the mean, or the larger, of the others. */
  keyer = (Keyer){ .method = KEYER_CHROMA, .screen = { 0, 1, 0 }, .white = 1, .despill = 1, .invert = false };
  key (&green, &keyer, nothing, nothing, nothing);
  assert_pixel (green, 0, 0, 0.3, 0.4, 0.5, 1, 1e-6);
  keyer.method = KEYER_COLOR_DIFFERENCE;
  keyer.screen[0] = keyer.screen[1] = keyer.screen[2] = 0.5f; /* a grey screen */
  key (&odd, &keyer, nothing, nothing, nothing);
  g_assert_true (kg_image_check_finite (odd, NULL));
}

/* A matte of one pixel, or of all but one, grows by the discs and squares of pixels. */
static void
test_matte_spread (void)
{
  enum { W = 31, H = 23 };
  static const int discs[] = { 1, 5, 13, 29, 49 }; /* centres no farther than the radius */
  float matte[W * H], dark[W * H];

  for (int radius = 0; radius < 5; radius++)
    for (int square = 0; square < 2; square++) {
      int count = 0, holes = 0;

      for (int i = 0; i < W * H; i++) {
        matte[i] = i == 11 * W + 15;
        dark[i] = 1 - matte[i];
      }
      matte_spread (matte, W, H, radius, square, NULL);
      matte_spread (dark, W, H, -radius, square, NULL);
      for (int i = 0; i < W * H; i++) {
        count += matte[i] == 1;
        holes += dark[i] == 0;
        g_assert_true (matte[i] == 0 || matte[i] == 1);
        if (matte[i] == 1)
          g_assert_cmpfloat (square ? MAX (abs (i % W - 15), abs (i / W - 11)) : hypot (i % W - 15, (int) (i / W) - 11),
                             <=, radius);
      }
      g_assert_cmpint (count, ==, holes);
      if (square)
        g_assert_cmpint (count, ==, (2 * radius + 1) * (2 * radius + 1));
      else
        g_assert_cmpint (count, ==, discs[radius]);
    }
  /* Between whole radii: the mean of both; far more than the matte: all of it. */
  memset (matte, 0, sizeof matte);
  matte[11 * W + 15] = 1;
  matte_spread (matte, W, H, 1.25, true, NULL);
  assert_near (matte[11 * W + 17], 0.25, 1e-7);
  matte_spread (matte, W, H, 1e9, false, NULL);
  g_assert_cmpfloat (matte[0], ==, 1);
  matte_spread (matte, 1, 1, -3, false, NULL);
  g_assert_cmpfloat (matte[0], ==, 1);
}

static void
test_matte_blur_and_holes (void)
{
  enum { W = 101, H = 91 };
  g_autofree float *matte = g_new0 (float, W *H);
  double sum = 0, across = 0, down = 0;

  matte[45 * W + 50] = 1;
  matte_blur (matte, W, H, 6.3, false, NULL);
  for (int i = 0; i < W * H; i++) {
    sum += (double) matte[i];
    across += (double) matte[i] * (i % W - 50) * (i % W - 50);
    down += (double) matte[i] * ((int) (i / W) - 45) * ((int) (i / W) - 45);
    g_assert_cmpfloat (matte[i], >=, 0);
  }
  assert_near (sum, 1, 1e-5);
  assert_near (across, 6.3 * 6.3, 0.5);
  assert_near (down, 6.3 * 6.3, 0.5);
  /* All the same stays so; a million pixels wide is a mean. */
  for (int i = 0; i < W * H; i++)
    matte[i] = 0.75f;
  matte_blur (matte, W, H, 40, true, NULL);
  assert_near (matte[7], 0.75, 1e-6);
  matte_blur (matte, W, H, 1e6, true, NULL);
  assert_near (matte[7], 0.75, 1e-5);
  /* A ring with a hole of nine pixels, and one that is open. */
  for (int limit = 8; limit < 10; limit++) {
    memset (matte, 0, sizeof (float) * W * H);
    for (int y = 10; y < 15; y++)
      for (int x = 10; x < 15; x++)
        matte[y * W + x] = x == 10 || x == 14 || y == 10 || y == 14;
    matte_fill_holes (matte, W, H, 0.5, (size_t) limit, NULL);
    g_assert_cmpfloat (matte[12 * W + 12], ==, limit == 9);
    g_assert_cmpfloat (matte[0], ==, 0);
  }
  matte[10 * W + 12] = 0;
  matte[12 * W + 12] = 0;
  matte_fill_holes (matte, W, H, 0.5, 0, NULL);
  g_assert_cmpfloat (matte[12 * W + 12], ==, 1); /* all around it is filled already */
}

/* R12: the shadow of a square: black or transparent, and a penumbra that falls evenly. */
static void
test_r12_shadow (void)
{
  g_autoptr (KgImage) image = kg_image_new (60, 40, false, NULL), hard = NULL, soft = NULL;

  for (int i = 0; i < 2400; i++)
    for (int c = 0; c < 4; c++)
      kg_image_edit_pixels (image)[4 * i + c] = i % 60 >= 20 && i % 60 < 40 && i / 60 >= 10 && i / 60 < 30;
  hard = matte_make_shadow (image, 4, 3, 0, 0, (KgColor){ 0, 0, 0, 1 }, NULL, NULL);
  soft = matte_make_shadow (image, 4, 3, 0, 3, (KgColor){ 0.5, 0, 0, 0.5 }, NULL, NULL);
  for (int y = 0; y < 40; y++)
    for (int x = 0; x < 60; x++) {
      g_assert_cmpfloat (at (hard, x, y)[3], ==, x >= 24 && x < 44 && y >= 13 && y < 33);
      g_assert_cmpfloat (at (soft, x, y)[3], <=, 0.5 + 1e-6);
      assert_near (at (soft, x, y)[0], 0.5f * at (soft, x, y)[3], 1e-7);
    }
  for (int x = 34; x + 1 < 60; x++)
    g_assert_cmpfloat (at (soft, x + 1, 23)[3], <=, at (soft, x, 23)[3] + 1e-7f);
}

static double
sum_matte (const float *matte, int n)
{
  double sum = 0;

  for (int i = 0; i < n; i++)
    sum += (double) matte[i];
  return sum;
}

/* C07: coverage is area, of any shape anywhere; left of x = 0.4 in a pixel: 0.4. */
static void
test_c07_roto (void)
{
  enum { W = 40, H = 30 };
  const RotoPoint half[] = { { -5, -5, 0 }, { 10.5, -5, 0 }, { 10.5, 50, 0 }, { -5, 50, 0 } };
  const RotoPoint part[] = { { 3, 3, 0 }, { 7.4, 3, 0 }, { 7.4, 9, 0 }, { 3, 9, 0 } };
  const RotoPoint far[] = { { -1e7, -1e7, 0 }, { 1e7, -1e7, 0 }, { 1e7, 1e7, 0 }, { -1e7, 1e7, 0 } };
  float matte[W * H] = { 0 };

  roto_add_shape (half, 4, true, matte, W, H, NULL);
  assert_near (matte[10], 0.5, 1e-6);
  assert_near (sum_matte (matte, W * H), 10.5 * H, 1e-3);
  memset (matte, 0, sizeof matte);
  roto_add_shape (part, 4, true, matte, W, H, NULL);
  assert_near (matte[4 * W + 7], 0.4, 1e-6);
  for (uint64_t i = 0; i < 300; i++) {
    RotoPoint t[3];
    double area;

    for (uint64_t k = 0; k < 3; k++)
      t[k] = (RotoPoint){ W * kg_random_uniform (8, i, 2 * k), H * kg_random_uniform (8, i, 2 * k + 1), 0 };
    area = 0.5 * fabs ((t[1].x - t[0].x) * (t[2].y - t[0].y) - (t[2].x - t[0].x) * (t[1].y - t[0].y));
    memset (matte, 0, sizeof matte);
    roto_add_shape (t, 3, true, matte, W, H, NULL);
    assert_near (sum_matte (matte, W * H), area, 1e-3);
    /* Half of it outside, on each side. */
    for (int k = 0; k < 3; k++)
      t[k].x -= W / 2;
    memset (matte, 0, sizeof matte);
    roto_add_shape (t, 3, true, matte, W, H, NULL);
    for (int k = 0; k < W * H; k++)
      g_assert_true (matte[k] >= 0 && matte[k] <= 1);
  }
  memset (matte, 0, sizeof matte);
  roto_add_shape (far, 4, true, matte, W, H, NULL);
  assert_near (sum_matte (matte, W * H), W * H, 1e-3);
  /* Nothing has no area. */
  memset (matte, 0, sizeof matte);
  roto_add_shape (far, 0, true, matte, W, H, NULL);
  roto_add_shape (far, 1, true, matte, W, H, NULL);
  roto_add_shape (far, 2, true, matte, W, H, NULL);
  g_assert_cmpfloat (sum_matte (matte, W * H), ==, 0);
}

static void
test_roto_feather (void)
{
  enum { W = 60, H = 40 };
  RotoPoint square[] = { { 20, 10, 8 }, { 40, 10, 8 }, { 40, 30, 8 }, { 20, 30, 8 } };
  const RotoPoint circle[] = { { 40, 20, 0 }, { 30, 30, 0 }, { 20, 20, 0 }, { 30, 10, 0 } };
  float matte[W * H] = { 0 };
  g_autoptr (GArray) lines = roto_smooth (circle, 4);

  roto_add_shape (square, 4, false, matte, W, H, NULL);
  for (int x = 40; x < 48; x++)
    assert_near (matte[20 * W + x], 1 - (x + 0.5 - 40) / 8, 1e-6);
  g_assert_cmpfloat (matte[20 * W + 49], ==, 0);
  g_assert_cmpfloat (matte[20 * W + 30], ==, 1);
  /* Inwards, and of a point with a feather of its own. */
  for (int i = 0; i < 4; i++)
    square[i].feather = i == 1 || i == 2 ? -4 : 0;
  memset (matte, 0, sizeof matte);
  roto_add_shape (square, 4, false, matte, W, H, NULL);
  g_assert_cmpfloat (matte[20 * W + 40], ==, 0);
  for (int x = 36; x < 40; x++)
    assert_near (matte[20 * W + x], (40 - x - 0.5) / 4, 1e-6);
  g_assert_cmpfloat (matte[20 * W + 21], ==, 1);
  /* The smooth curve goes through its points and bulges between them. */
  memset (matte, 0, sizeof matte);
  roto_add_shape ((const RotoPoint *) (void *) lines->data, lines->len, true, matte, W, H, NULL);
  g_assert_cmpfloat (sum_matte (matte, W * H), >, 240);
  g_assert_cmpfloat (sum_matte (matte, W * H), <, KG_PI * 100);
}

/* Four points with the tangents of a circle are one to a thousandth; blank ones are those of the smooth curve; without length
 * they are corners. */
static void
test_roto_tangents (void)
{
  enum { W = 60, H = 60 };
  const double r = 20, k = r * 4 / 3 * (sqrt (2) - 1);
  const RotoPoint points[] = { { 50, 30, 0 }, { 30, 50, 0 }, { 10, 30, 0 }, { 30, 10, 0 } };
  const RotoTangents circle[] = { { 0, -k, 0, k }, { k, 0, -k, 0 }, { 0, k, 0, -k }, { -k, 0, k, 0 } };
  const RotoTangents none[] = {
    { NAN, NAN, NAN, NAN }, { NAN, NAN, NAN, NAN }, { NAN, NAN, NAN, NAN }, { NAN, NAN, NAN, NAN }
  };
  const RotoTangents corners[4] = { { 0 } };
  g_autoptr (GArray) bent = roto_bend (points, circle, 4), plain = roto_bend (points, none, 4),
                     smooth = roto_smooth (points, 4), straight = roto_bend (points, corners, 4);
  RotoTangents own[4];
  float matte[W * H] = { 0 };

  roto_add_shape ((const RotoPoint *) (void *) bent->data, bent->len, true, matte, W, H, NULL);
  /* Chords of 3 pixels of a circle of 20 lack 0.15^2 / 6 of its area. */
  assert_near (sum_matte (matte, W * H), KG_PI * r * r, 4e-3 * KG_PI * r * r);
  for (guint i = 0; i < bent->len; i++) {
    const RotoPoint *at = &g_array_index (bent, RotoPoint, i);

    /* The largest error of the known approximation is 2.7e-4 of the radius. */
    assert_near (hypot (at->x - 30, at->y - 30), r, 3e-4 * r);
  }
  g_assert_cmpuint (plain->len, ==, smooth->len);
  g_assert_true (memcmp (plain->data, smooth->data, plain->len * sizeof (RotoPoint)) == 0);
  memset (matte, 0, sizeof matte);
  roto_add_shape ((const RotoPoint *) (void *) straight->data, straight->len, true, matte, W, H, NULL);
  assert_near (sum_matte (matte, W * H), 2 * r * r, 1e-2);
  /* The tangents that the smooth curve has give the same curve as none. */
  for (guint i = 0; i < 4; i++)
    own[i] = roto_get_tangents (points, NULL, 4, i);
  {
    g_autoptr (GArray) again = roto_bend (points, own, 4);
    double area = 0, other = 0;

    memset (matte, 0, sizeof matte);
    roto_add_shape ((const RotoPoint *) (void *) again->data, again->len, true, matte, W, H, NULL);
    area = sum_matte (matte, W * H);
    memset (matte, 0, sizeof matte);
    roto_add_shape ((const RotoPoint *) (void *) smooth->data, smooth->len, true, matte, W, H, NULL);
    other = sum_matte (matte, W * H);
    /* Of as many lines, or nearly. */
    assert_near (area, other, 1e-3 * other);
  }
  {
    g_autoptr (GArray) nothing = roto_bend (points, circle, 0);

    g_assert_cmpuint (nothing->len, ==, 0);
  }
}

static int
compare_floats (const void *a, const void *b)
{
  return (*(const float *) a > *(const float *) b) - (*(const float *) a < *(const float *) b);
}

/* Every rank of each square, sorted by itself. */
static void
check_ranks (const float *from, int width, int height, int radius, double rank, ResampleEdges edges)
{
  const int side = 2 * radius + 1, n = side * side;
  g_autofree float *to = g_new (float, 4 * width * height), *square = g_new (float, n);

  g_assert_true (rank_filter (from, width, height, radius, rank, edges, to, NULL));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 4; c++) {
        for (int i = 0; i < n; i++) {
          const int row = resample_find_index (y + i / side - radius, height, edges);
          const int column = resample_find_index (x + i % side - radius, width, edges);

          square[i] = row < 0 || column < 0 ? 0 : from[4 * (row * width + column) + c];
        }
        qsort (square, (size_t) n, sizeof *square, compare_floats);
        g_assert_true (to[4 * (y * width + x) + c] == square[(int) (rank * (n - 1) + 0.5)]);
      }
}

static void
test_ranks (void)
{
  const int sizes[][2] = { { 1, 1 }, { 2, 3 }, { 37, 21 }, { 70, 35 } };
  const float hostile[] = { -0.0f, 0, 1e-40f, -1e-40f, 3e38f, -3e38f, INFINITY, -INFINITY, 0.5f, -0.5f };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
    const int width = sizes[s][0], height = sizes[s][1], n = 4 * width * height;
    g_autofree float *from = g_new (float, n);

    for (int i = 0; i < n; i++) {
      const double u = kg_random_uniform (7, (uint64_t) i, s);

      from[i] = u < 0.3 ? hostile[(int) (u / 0.3 * G_N_ELEMENTS (hostile))] : (float) (4 * u - 3);
    }
    for (ResampleEdges edges = RESAMPLE_TRANSPARENT; edges <= RESAMPLE_MIRROR; edges++) {
      for (int rank = 0; rank < 9; rank++)
        check_ranks (from, width, height, 1, rank / 8.0, edges);
      check_ranks (from, width, height, 2, 0.5, edges);
      check_ranks (from, width, height, 3, 0.9, edges);
    }
  }
}

/* P1-79: of three plates and more, one of which is wrong anywhere, the median is the background. */
static void
test_p1_79_median (void)
{
  g_autoptr (KgImage) back = make (50, 20, 12);

  for (guint n = 3; n < 8; n++) {
    KgImage *frames[8];
    g_autoptr (KgImage) plate = NULL;

    for (guint i = 0; i < n; i++) {
      frames[i] = kg_image_ref (back);
      kg_image_make_writable (&frames[i]);
      /* A block that passes. */
      for (guint y = 3; y < 9; y++)
        for (guint x = 6 * i; x < 6 * i + 6; x++)
          kg_image_edit_pixels (frames[i])[4 * (50 * y + x)] = i % 2 == 0 ? 9 : -9;
    }
    plate = plate_median ((const KgImage *const *) frames, n, NULL, NULL);
    g_assert_true (kg_image_equal (plate, back));
    for (guint i = 0; i < n; i++)
      kg_image_unref (frames[i]);
  }
}

/* P1-77: a linear gradient under a wire comes back. */
static void
test_p1_77_wire (void)
{
  const double wire[][2] = { { 20, -10 }, { 34, 22 }, { 30, 70 } };
  KgImage *image = kg_image_new (64, 64, false, NULL);
  size_t filled;
  int wrong = 0;

  for (int i = 0; i < 4096; i++) {
    const double x = i % 64 + 0.5, y = (int) (i / 64) + 0.5;
    float *p = kg_image_edit_pixels (image) + 4 * i;

    for (int c = 0; c < 4; c++)
      p[c] = (float) (c == 3 ? 1 : 0.1 + 0.01 * (c + 1) * x + 0.005 * y);
    for (int k = 0; k < 2; k++) {
      const double dx = wire[k + 1][0] - wire[k][0], dy = wire[k + 1][1] - wire[k][1];
      const double t = kg_clamp (((x - wire[k][0]) * dx + (y - wire[k][1]) * dy) / (dx * dx + dy * dy), 0, 1);

      if (hypot (x - wire[k][0] - t * dx, y - wire[k][1] - t * dy) < 1.9)
        p[0] = p[1] = p[2] = 0;
    }
  }
  g_assert_true (plate_fill_stroke (&image, wire, 3, 4, &filled, NULL));
  /* 4 pixels across a line of 64 rows. */
  g_assert_cmpuint (filled, >, 4 * 64);
  g_assert_cmpuint (filled, <, 5 * 64);
  for (int i = 0; i < 4096; i++)
    for (int c = 0; c < 3; c++) {
      const double x = i % 64 + 0.5, y = (int) (i / 64) + 0.5, want = 0.1 + 0.01 * (c + 1) * x + 0.005 * y;
      const bool near_edge = y < 4 || y > 60;

      /* Where the line bends, and where the image ends, there is less to see it by. */
      wrong += !near_edge && fabs (y - 22) > 6 && fabs ((double) kg_image_get_pixels (image)[4 * i + c] - want) > 1e-5;
    }
  g_assert_cmpint (wrong, ==, 0);
  g_assert_true (plate_fill_stroke (&image, wire, 0, 4, &filled, NULL));
  g_assert_cmpuint (filled, ==, 0);
  g_assert_true (plate_fill_stroke (&image, wire, 1, 4, &filled, NULL));
  g_assert_cmpuint (filled, ==, 0);
  kg_image_unref (image);
}

/* R09: on the plane, in line with light and point; the catalogue's example; R10: straight down; R11, R12: what a disc tells. */
static void
test_r09_r10_r11_planar_shadow (void)
{
  const uint32_t corners[] = { 0, 1, 2 };
  PlanarShadow shadow = { .normal = { 0, 1, 0 }, .light = { 0, 4, 0 } };
  const KgVector p = planar_shadow_project (&shadow, kg_vector (1, 2, 0));
  g_autoptr (KgGeometry) triangle = kg_geometry_new (), low = NULL, clipped = NULL, disc = NULL, high = NULL;
  g_autoptr (GError) error = NULL;
  ShadowDisc look = { .grow = 0.5, .soft = 0.2, .blur = 0.1, .fade = 1 };
  float *positions;

  assert_vector_near (p, 2, 0, 0, 1e-12);
  for (uint64_t i = 0; i < 1000; i++) {
    KgVector at = kg_vector (kg_random_uniform (6, i, 0) - 0.5, kg_random_uniform (6, i, 1),
                             kg_random_uniform (6, i, 2)),
             to, a, b;

    shadow.normal = kg_vector_normalize_or (kg_vector (kg_random_uniform (6, i, 3) - 0.5, 1, 0.3), shadow.normal);
    shadow.point = kg_vector (0, -1, 0);
    shadow.light = kg_vector (1, 5, kg_random_uniform (6, i, 4));
    to = planar_shadow_project (&shadow, at);
    assert_near (kg_vector_dot (shadow.normal, kg_vector_subtract (to, shadow.point)), 0, 1e-12);
    a = kg_vector_subtract (at, shadow.light);
    b = kg_vector_subtract (to, shadow.light);
    assert_near (kg_vector_length (kg_vector_cross (a, b)), 0, 1e-11);
    /* A point of the plane stays. */
    assert_near (kg_vector_distance (planar_shadow_project (&shadow, to), to), 0, 1e-11);
    /* Light that shines straight down flattens. */
    shadow.kind = SHADOW_PARALLEL;
    shadow.light = kg_vector_scale (shadow.normal, -3);
    to = planar_shadow_project (&shadow, at);
    shadow.kind = SHADOW_FLATTEN;
    assert_near (kg_vector_distance (planar_shadow_project (&shadow, at), to), 0, 1e-12);
    shadow.kind = SHADOW_POINT;
  }
  /* A triangle that reaches above the light is cut below it. */
  kg_geometry_set_n_points (triangle, 3, NULL);
  positions = kg_geometry_edit_positions (triangle);
  memcpy (positions, (const float[]){ -1, 1, 0, 1, 1, 1, 0, 9, 0 }, 9 * sizeof (float));
  kg_geometry_add_primitives (triangle, KG_POLYGON, true, 1, 3, corners);
  shadow = (PlanarShadow){ .normal = { 0, 1, 0 }, .light = { 0, 4, 3 }, .lift = 0.01 };
  clipped = planar_shadow_make (&shadow, triangle, NULL, NULL);
  g_assert_cmpuint (kg_geometry_get_n_points (clipped), ==, 4);
  g_assert_cmpuint (kg_geometry_get_n_primitives (clipped), ==, 1);
  for (size_t i = 0; i < 4; i++)
    assert_near (kg_geometry_get_positions (clipped)[3 * i + 1], 0.01, 1e-7);
  shadow.light.y = 0;
  g_assert_null (planar_shadow_make (&shadow, triangle, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  g_clear_error (&error);
  shadow.kind = SHADOW_PARALLEL;
  shadow.light = kg_vector (1, 0, 0);
  g_assert_null (planar_shadow_make (&shadow, triangle, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  /* R10: flattened, whatever its height; the area of the plan. */
  shadow.kind = SHADOW_FLATTEN;
  low = planar_shadow_make (&shadow, triangle, NULL, NULL);
  for (size_t i = 0; i < 3; i++) {
    g_assert_cmpfloat (kg_geometry_get_positions (low)[3 * i], ==, kg_geometry_get_positions (triangle)[3 * i]);
    g_assert_cmpfloat (kg_geometry_get_positions (low)[3 * i + 2], ==, kg_geometry_get_positions (triangle)[3 * i + 2]);
  }
  /* R11: the higher, the wider, the softer and the lighter. */
  disc = planar_shadow_make_disc (&shadow, &look, (KgColor){ 0, 0, 0, 0.8 }, triangle, NULL);
  kg_geometry_make_writable (&triangle);
  for (size_t i = 0; i < 3; i++)
    kg_geometry_edit_positions (triangle)[3 * i + 1] += 2;
  high = planar_shadow_make_disc (&shadow, &look, (KgColor){ 0, 0, 0, 0.8 }, triangle, NULL);
  /* No point is without a face, which would be drawn as a dot. */
  {
    g_autofree bool *used = g_new0 (bool, kg_geometry_get_n_points (disc));

    for (size_t i = 0; i < kg_geometry_get_n_primitives (disc); i++) {
      KgPrimitive primitive;

      kg_geometry_get_primitive (disc, i, &primitive);
      for (guint k = 0; k < primitive.n_vertices; k++)
        used[primitive.vertices[k]] = true;
    }
    for (size_t i = 0; i < kg_geometry_get_n_points (disc); i++)
      g_assert_true (used[i]);
  }
  assert_near (kg_geometry_get_float (disc, KG_POINTS, "Cd", 4)[3], 0.8 / 2, 1e-6);
  assert_near (kg_geometry_get_float (high, KG_POINTS, "Cd", 4)[3], 0.8 / 4, 1e-6);
  {
    const size_t last = kg_geometry_get_n_points (disc) - 48;
    const float *a = kg_geometry_get_positions (disc), *b = kg_geometry_get_positions (high);
    const double wide = hypot ((double) (a[3 * last] - a[0]), (double) (a[3 * last + 2] - a[2]));
    const double wider = hypot ((double) (b[3 * last] - b[0]), (double) (b[3 * last + 2] - b[2]));

    assert_near (wider / wide, 2.5 / 1.5, 1e-5);
    g_assert_cmpfloat (kg_geometry_get_float (disc, KG_POINTS, "Cd", 4)[4 * last + 3], ==, 0);
  }
  for (double soft = 0; soft < 1; soft += 0.25)
    for (double r = 0; r < 1.2; r += 0.01) {
      g_assert_cmpfloat (planar_shadow_get_falloff (soft, r + 0.01), <=, planar_shadow_get_falloff (soft, r));
      g_assert_cmpfloat (planar_shadow_get_falloff (soft + 0.2, 0.9), <=, planar_shadow_get_falloff (soft, 0.9));
    }
  g_assert_cmpfloat (planar_shadow_get_falloff (0.5, 0.4), ==, 1);
  g_assert_cmpfloat (planar_shadow_get_falloff (0.5, 1), ==, 0);
}

/* r, g and b times the numbers of data. */
static void
scale_block (const ImageBlock *block, const void *data)
{
  const float *by = (const float *) data;
  float *const to[] = { block->r, block->g, block->b };

  for (int c = 0; c < 3; c++)
    for (size_t i = 0; i < block->n; i++)
      to[c][i] *= by[c];
}

/* n operations in a row, the last of which is not left to be done; each with another mask, mix and alpha. */
static void
run_row (KgImage **image, const KgImage *mask, guint n, bool later)
{
  for (guint k = 0; k < n; k++) {
    const ImageWear wear = { .mask = k % 3 == 1 ? mask : NULL,
                             .invert_mask = k % 2,
                             .mix = k % 5 == 2   ? 0.5
                                    : k % 7 == 6 ? 0
                                                 : 1,
                             .straight = k % 2 == 0,
                             .keeps = k % 6 !=
                                      5 }; /* looked at for numbers that are not finite after several in a row */
    float by[] = { 1.5f, 0.75f, 1 + (float) k / 100 };

    if (k % 4 == 3)
      image_apply_later (image, &wear, double_block, NULL, 0, later && k + 1 < n, NULL);
    else
      image_apply_later (image, &wear, scale_block, by, sizeof by, later && k + 1 < n, NULL);
    by[0] = NAN; /* it has a copy */
  }
}

static bool
is_always_cancelled (gpointer data)
{
  (void) data;
  return true;
}

/* Operations that are done at once have the bits of those that are done one by one, wherever the pixels are, and also where numbers
 * overflow on the way. */
static void
test_pending (void)
{
  const KgProgressMonitor cancelled = { .is_cancelled = is_always_cancelled };
  const ImageWear wear = { .mix = 1 };
  const guint lengths[] = { 1, 2, 10, 100 };

  for (guint shared = 0; shared < 2; shared++)
    for (guint l = 0; l < G_N_ELEMENTS (lengths); l++) {
      g_autoptr (KgImage) image = make (300, 70, 3), original = make (300, 70, 3), step = NULL,
                          mask = make (200, 80, 4);
      g_autoptr (KgImage) kept = shared ? kg_image_ref (image) : NULL;

      step = kg_image_ref (original);
      run_row (&image, mask, lengths[l], true);
      run_row (&step, mask, lengths[l], false);
      g_assert_true (memcmp (kg_image_get_pixels (image), kg_image_get_pixels (step), 300 * 70 * 16) == 0);
      g_assert_true (kept == NULL || kg_image_equal (kept, original));
    }
  /* Nobody asks for the pixels; the mask is released before they are asked for; what shares them finds them complete. */
  {
    g_autoptr (KgImage) dropped = make (40, 30, 1), image = make (40, 30, 1), other = NULL, step = make (40, 30, 1);
    g_autoptr (KgImage) mask = make (40, 30, 2), again = make (40, 30, 2);
    const ImageWear masked = { .mask = mask, .mix = 1 }, now = { .mask = again, .mix = 1 };

    image_apply_later (&dropped, &masked, double_block, NULL, 0, true, NULL);
    image_apply_later (&image, &masked, double_block, NULL, 0, true, NULL);
    g_clear_pointer (&mask, kg_image_unref);
    other = kg_image_ref (image);
    image_apply_later (&image, &wear, double_block, NULL, 0, true, NULL);
    image_apply (&step, &now, double_block, NULL, NULL);
    g_assert_true (kg_image_equal (other, step));
    image_apply (&step, &wear, double_block, NULL, NULL);
    g_assert_true (kg_image_equal (image, step));
    g_assert_true (kg_image_check_finite (image, NULL));
  }
  /* Cancelled. */
  {
    g_autoptr (KgImage) image = make (40, 30, 1);

    g_assert_true (image_apply_later (&image, &wear, double_block, NULL, 0, true, &cancelled));
    g_assert_false (kg_image_complete (image, &cancelled));
    g_assert_true (kg_image_complete (image, &cancelled));
    image_apply_later (&image, &wear, double_block, NULL, 0, true, NULL);
    g_assert_false (image_apply (&image, &wear, double_block, NULL, &cancelled));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/picture/apply", test_apply);
  g_test_add_func ("/picture/mix-and-mask", test_mix_and_mask);
  g_test_add_func ("/picture/straight", test_straight);
  g_test_add_func ("/picture/pending", test_pending);
  g_test_add_func ("/picture/sizes", test_sizes);
  g_test_add_func ("/picture/extreme", test_extreme);
  g_test_add_func ("/picture/power", test_power);
  g_test_add_func ("/picture/grade", test_grade);
  g_test_add_func ("/picture/C11-light-without-coverage", test_c11_light_without_coverage);
  g_test_add_func ("/picture/C11-operators", test_c11_operators);
  g_test_add_func ("/picture/C11-whole-pixels", test_c11_whole_pixels);
  g_test_add_func ("/picture/C04-C10-C16-algebra", test_c04_c10_c16_algebra);
  g_test_add_func ("/picture/C16-groupings", test_c16_groupings);
  g_test_add_func ("/picture/blend-modes", test_blend_modes);
  g_test_add_func ("/picture/C08-channel-alpha", test_c08_channel_alpha);
  g_test_add_func ("/picture/C06-C09-channels", test_c06_c09_channels);
  g_test_add_func ("/picture/C15-beta", test_c15_beta);
  g_test_add_func ("/picture/C03-C14-C15-depth", test_c03_c14_c15_depth);
  g_test_add_func ("/picture/C12-C13-fragments", test_c12_c13_fragments);
  g_test_add_func ("/picture/C12-layers", test_c12_layers);
  g_test_add_func ("/picture/C05-place", test_c05_place);
  g_test_add_func ("/picture/P1-77-keyer", test_p1_77_keyer);
  g_test_add_func ("/picture/keyer_garbage", test_keyer_garbage);
  g_test_add_func ("/picture/keyer-methods", test_keyer_methods);
  g_test_add_func ("/picture/matte-spread", test_matte_spread);
  g_test_add_func ("/picture/matte-blur-and-holes", test_matte_blur_and_holes);
  g_test_add_func ("/picture/R12-shadow", test_r12_shadow);
  g_test_add_func ("/picture/C07-roto", test_c07_roto);
  g_test_add_func ("/picture/roto-feather", test_roto_feather);
  g_test_add_func ("/picture/roto-tangents", test_roto_tangents);
  g_test_add_func ("/picture/ranks", test_ranks);
  g_test_add_func ("/picture/P1-79-median", test_p1_79_median);
  g_test_add_func ("/picture/P1-77-wire", test_p1_77_wire);
  g_test_add_func ("/picture/R09-R10-R11-planar-shadow", test_r09_r10_r11_planar_shadow);
  return g_test_run ();
}
