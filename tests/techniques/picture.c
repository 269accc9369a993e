/* tests/techniques/picture: the frame of picture operations, and its kernels against double precision.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "image/grade.h"
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
double_block (const PictureBlock *block, const void *data)
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
add_block (const PictureBlock *block, const void *data)
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
  const PictureWear wear = { .mix = 1 };
  g_autoptr (KgImage) image = make_plain (3, 2, 0.25f, 0.5f, 1, 0.25f), kept = kg_image_ref (image), other = NULL;
  const float *place;

  kg_image_set_pixel_aspect (image, 2);
  g_assert_true (picture_apply (&image, &wear, double_block, NULL, NULL));
  assert_pixel (kept, 2, 1, 0.25, 0.5, 1, 0.25, 0);
  assert_pixel (image, 2, 1, 0.5, 1, (double) FLT_MAX, 0.5, 0);
  g_assert_cmpfloat (kg_image_get_pixel_aspect (image), ==, 2);
  place = kg_image_get_pixels (image);
  g_assert_true (picture_apply (&image, &wear, double_block, NULL, NULL));
  g_assert_true (kg_image_get_pixels (image) == place);
  /* 1e30 * FLT_MAX: infinite, then the largest float; the root of a negative number: 0. */
  other = make_plain (1, 1, 1, 1, -1, -1);
  g_assert_true (picture_apply (&other, &wear, double_block, NULL, NULL));
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
  PictureWear wear = { .mix = 1 };

  for (int i = 0; i < 900; i++)
    kg_image_edit_pixels (mask)[4 * i + 3] = i % 3 == 0 ? -2 : i % 3 == 1 ? 0.25f : 7;
  picture_apply (&full, &wear, double_block, NULL, NULL);
  wear.mix = 0.5;
  picture_apply (&half, &wear, double_block, NULL, NULL);
  wear.mix = 0;
  picture_apply (&none, &wear, double_block, NULL, NULL);
  wear.mix = 1;
  wear.mask = mask;
  picture_apply (&masked, &wear, double_block, NULL, NULL);
  wear.invert_mask = true;
  picture_apply (&inverted, &wear, double_block, NULL, NULL);
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

    wear = (PictureWear){ .mask = light, .mix = 1 };
    picture_apply (&red, &wear, double_block, NULL, NULL);
    assert_pixel (red, 7, 1, 1.2126, 0.5 * 0.2126, 0, 1, 1e-6);
    wear.mask_by = PICTURE_MASK_ALPHA;
    picture_apply (&alpha, &wear, double_block, NULL, NULL);
    assert_pixel (alpha, 7, 1, 2, 0.5, 0, 1, 0);
  }
}

/* Straight: alpha 0 stays as it is, light included; the rest as if it were opaque. */
static void
test_straight (void)
{
  const PictureWear wear = { .mix = 1, .straight = true };
  g_autoptr (KgImage) image = make_plain (2, 1, 0.25f, 0.125f, 0, 0.25f);
  const float light[] = { 0.5f, 3, -1, 0 };

  memcpy (kg_image_edit_pixels (image) + 4, light, sizeof light);
  picture_apply (&image, &wear, double_block, NULL, NULL);
  assert_pixel (image, 0, 0, 2 * 0.5, (0.5 + 0.5) * 0.5, 0, 0.5, 1e-7);
  assert_pixel (image, 1, 0, 0.5, 3, -1, 0, 0);
}

/* Other sizes are centred, outside is transparent; other aspects are stretched, the mean is kept. */
static void
test_sizes (void)
{
  const PictureWear wear = { .mix = 1 };
  g_autoptr (KgImage) image = make_plain (8, 6, 0, 0, 0, 0), small = make_plain (3, 2, 1, 1, 1, 1);
  g_autoptr (KgImage) large = make_plain (20, 9, 0.5f, 0.5f, 0.5f, 0.5f), wide = NULL, moved = NULL;
  PictureSource source = picture_source (small, image, 0, 0);
  double sum = 0;

  picture_combine (&image, &source, 1, &wear, add_block, NULL, NULL);
  for (int y = 0; y < 6; y++)
    for (int x = 0; x < 8; x++)
      g_assert_cmpfloat (at (image, x, y)[3], ==, x >= 3 && x < 6 && y >= 2 && y < 4);
  source = picture_source (large, image, 0, 0);
  picture_combine (&image, &source, 1, &wear, add_block, NULL, NULL);
  g_assert_cmpfloat (at (image, 0, 0)[3], ==, 0.5);
  g_assert_cmpfloat (at (image, 3, 2)[3], ==, 1.5);
  /* Offsets out of sight, far away. */
  moved = make_plain (4, 4, 0, 0, 0, 0);
  source = picture_source (large, moved, 1e300, -1e9);
  picture_combine (&moved, &source, 1, &wear, add_block, NULL, NULL);
  g_assert_cmpfloat (at (moved, 0, 0)[0], ==, 0);
  /* Pixels twice as wide: 3 of them cover 6. */
  wide = make_plain (12, 2, 0, 0, 0, 0);
  kg_image_set_pixel_aspect (small, 2);
  source = picture_source (small, wide, 0, 0);
  picture_combine (&wide, &source, 1, &wear, add_block, NULL, NULL);
  for (int x = 0; x < 12; x++)
    sum += (double) at (wide, x, 0)[0];
  assert_near (sum, 6, 1e-6);
  assert_near (at (wide, 5, 0)[0], 1, 1e-6);
  g_assert_cmpfloat (at (wide, 0, 0)[0], ==, 0);
  /* And half as wide. */
  kg_image_set_pixel_aspect (large, 0.25);
  g_assert_true (picture_enlarge (&wide, large, NULL));
  g_assert_cmpint (kg_image_get_width (wide), ==, 12);
  g_assert_cmpint (kg_image_get_height (wide), ==, 9);
  source = picture_source (large, wide, 0, 0);
  picture_combine (&wide, &source, 1, &wear, add_block, NULL, NULL);
  sum = 0;
  for (int x = 0; x < 12; x++)
    sum += (double) at (wide, x, 0)[0];
  assert_near (sum, 0.5 * 5, 1e-6);
  /* The wear of what is no kernel. */
  {
    g_autoptr (KgImage) before = make (300, 5, 3), after = make (300, 5, 4);
    const PictureWear half = { .mix = 0.25 };
    const double a = (double) at (before, 280, 4)[1], b = (double) at (after, 280, 4)[1];

    g_assert_true (picture_wear (before, &half, &after, NULL));
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
  const PictureWear wear = { .mix = 0.75, .straight = true };
  int seen[300] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autoptr (KgImage) one = make (sizes[i][0], sizes[i][1], i), two = kg_image_ref (one);
    const int threads = omp_get_max_threads ();

    omp_set_num_threads (1);
    picture_apply (&one, &wear, double_block, NULL, NULL);
    omp_set_num_threads (7);
    picture_apply (&two, &wear, double_block, NULL, NULL);
    omp_set_num_threads (threads);
    g_assert_true (kg_image_equal (one, two));
    g_assert_false (picture_apply (&two, &wear, double_block, NULL, &cancelled));
  }
  g_assert_true (picture_each_rows (1000, 300, mark_rows, seen, NULL));
  for (int y = 0; y < 300; y++)
    g_assert_cmpint (seen[y], ==, 1);
  g_assert_false (picture_each_rows (1000, 300, mark_rows, seen, &cancelled));
}

static void
test_power (void)
{
  for (int i = 0; i < 20000; i++) {
    const float x = (float) exp (30 * (kg_random_uniform (5, (uint64_t) i, 0) - 0.5));
    const float p = (float) (6 * kg_random_uniform (5, (uint64_t) i, 1) - 3);
    const double want = pow ((double) x, (double) p);

    /* The logarithm has 24 bits: a large exponent costs some of them. */
    assert_near (picture_power (x, p), want, want * (2e-6 + 1e-7 * fabs (log (want))));
  }
  g_assert_cmpfloat (picture_power (1, 0.45f), ==, 1);
  g_assert_cmpfloat (picture_power (0, 2), ==, 0);
  g_assert_cmpfloat (picture_power (-1, 2), ==, 0);
  g_assert_true (isfinite (picture_power (FLT_MAX, 1)));
}

/* Against the formula in double precision. */
static void
test_grade (void)
{
  const KgColor black = { 0.1, -0.1, 0, 1 }, white = { 0.9, 1.5, 1, 1 }, lift = { 0.05, 0, -0.1, 1 };
  const KgColor gain = { 1.2, 0.7, 2, 1 }, multiply = { 0.5, 1, 3, 1 }, offset = { 0.1, -0.2, 0, 1 };
  const KgColor gamma = { 2.2, 1, 0.5, 1 };
  const PictureWear wear = { .mix = 1, .straight = true };
  g_autoptr (KgImage) image = make (100, 30, 9), before = kg_image_ref (image);
  g_autoptr (GError) error = NULL;
  Grade grade = { 0 };

  g_assert_true (grade_set (&grade, black, white, lift, gain, multiply, offset, gamma, NULL));
  picture_apply (&image, &wear, grade_block, &grade, NULL);
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/picture/apply", test_apply);
  g_test_add_func ("/picture/mix-and-mask", test_mix_and_mask);
  g_test_add_func ("/picture/straight", test_straight);
  g_test_add_func ("/picture/sizes", test_sizes);
  g_test_add_func ("/picture/extreme", test_extreme);
  g_test_add_func ("/picture/power", test_power);
  g_test_add_func ("/picture/grade", test_grade);
  return g_test_run ();
}
