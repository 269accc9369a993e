/* tests/techniques/mesh-warp: nets of splines, in numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "image/line_warp.h"
#include "image/mesh_warp.h"
#include "kg-base.h"
#include "kg-random.h"

static KgImage *
make_noise (int width, int height)
{
  KgImage *image = kg_image_new (width, height, false, NULL);

  for (int i = 0; i < 4 * width * height; i++)
    kg_image_edit_pixels (image)[i] = (float) kg_random_uniform (3, (uint64_t) i, 0);
  return image;
}

static WarpNet
make_net (int rows, int columns, int width, int height, double wobble)
{
  WarpNet net = { rows, columns, g_new (double, 2 * (size_t) rows * (size_t) columns) };

  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) {
      const uint64_t id = (uint64_t) (r * columns + c);

      net.points[2 * id] = width * c / (columns - 1.0) +
                           (c > 0 && c < columns - 1 ? wobble * kg_random_signed (1, id, 0) : 0);
      net.points[2 * id + 1] = height * r / (rows - 1.0) +
                               (r > 0 && r < rows - 1 ? wobble * kg_random_signed (1, id, 1) : 0);
    }
  return net;
}

/* M04: equal nets change nothing; a constant picture stays so under any net, with both splines and orders. */
static void
test_identity (void)
{
  g_autoptr (KgImage) image = make_noise (40, 30), flat = kg_image_new (40, 30, false, NULL), out = NULL;
  g_auto (WarpNet) even = make_net (5, 6, 40, 30, 0), bent = make_net (5, 6, 40, 30, 1.5);
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 4 * 40 * 30; i++)
    kg_image_edit_pixels (flat)[i] = 0.7f;
  for (int k = 0; k < 4; k++) {
    out = kg_image_new (40, 30, false, NULL);
    g_assert_true (mesh_warp_apply (image, &bent, &bent, k & 1 ? MESH_WARP_LINEAR : MESH_WARP_CATMULL_ROM, false, k & 2,
                                    out, NULL, &error));
    g_assert_no_error (error);
    for (int i = 0; i < 4 * 40 * 30; i++)
      assert_near ((double) kg_image_get_pixels (out)[i], (double) kg_image_get_pixels (image)[i], 1e-6);
    g_assert_true (mesh_warp_apply (flat, &even, &bent, k & 1 ? MESH_WARP_LINEAR : MESH_WARP_CATMULL_ROM, false, k & 2,
                                    out, NULL, &error));
    for (int i = 0; i < 4 * 40 * 30; i++)
      assert_near ((double) kg_image_get_pixels (out)[i], 0.7, 1e-6);
    g_clear_pointer (&out, kg_image_unref);
  }
}

/* M04: one line of 8 pixels, columns 0, 4, 8 go to 0, 2, 8. */
static void
test_line (void)
{
  g_autoptr (KgImage) image = make_noise (8, 1), out = kg_image_new (8, 1, false, NULL);
  double from_points[] = { 0, 0, 4, 0, 8, 0, 0, 1, 4, 1, 8, 1 }, to_points[] = { 0, 0, 2, 0, 8, 0, 0, 1, 2, 1, 8, 1 };
  const WarpNet from = { 2, 3, from_points }, to = { 2, 3, to_points };
  const float *s = kg_image_get_pixels (image), *p;
  g_autoptr (GError) error = NULL;

  g_assert_true (mesh_warp_apply (image, &from, &to, MESH_WARP_LINEAR, false, false, out, NULL, &error));
  p = kg_image_get_pixels (out);
  for (int c = 0; c < 4; c++) {
    const double expected[8] = { 0.5 * (double) (s[c] + s[4 + c]),
                                 0.5 * (double) (s[8 + c] + s[12 + c]),
                                 (double) s[16 + c],
                                 0.5 * (double) (s[16 + c] + s[20 + c]),
                                 (double) s[20 + c],
                                 (double) s[24 + c],
                                 0.5 * (double) (s[24 + c] + s[28 + c]),
                                 (double) s[28 + c] };

    for (int x = 0; x < 8; x++)
      assert_near ((double) p[4 * x + c], expected[x], 1e-6);
  }
}

/* Folds and nets of other sizes are refused; straight lines unfold what the smooth ones fold. */
static void
test_folds (void)
{
  g_autoptr (KgImage) image = make_noise (40, 30), out = kg_image_new (40, 30, false, NULL);
  g_auto (WarpNet) even = make_net (4, 4, 40, 30, 0), folded = make_net (4, 4, 40, 30, 0),
                   small = make_net (3, 4, 40, 30, 0);
  g_auto (WarpNet) tight = make_net (4, 4, 40, 30, 0), half = { 0 };
  g_autoptr (GError) error = NULL;

  folded.points[2 * 5] = 35;
  g_assert_false (mesh_warp_apply (image, &even, &folded, MESH_WARP_CATMULL_ROM, true, false, out, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  g_clear_error (&error);
  g_assert_false (mesh_warp_apply (image, &even, &small, MESH_WARP_LINEAR, false, false, out, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  g_clear_error (&error);
  for (int r = 0; r < 4; r++) {
    tight.points[2 * (4 * r + 1)] = 1;
    tight.points[2 * (4 * r + 2)] = 39;
  }
  tight.points[2 * 5] = 1;
  g_assert_false (mesh_warp_apply (image, &even, &tight, MESH_WARP_CATMULL_ROM, false, false, out, NULL, &error));
  g_clear_error (&error);
  g_assert_true (mesh_warp_apply (image, &even, &tight, MESH_WARP_CATMULL_ROM, true, false, out, NULL, &error));
  g_assert_no_error (error);
  /* M03: half way. */
  half = mesh_warp_mix_nets (&even, &tight, 0.5);
  assert_near (half.points[2 * 5], 0.5 * (40 / 3.0 + 1), 1e-12);
  assert_near (half.points[0], 0, 0);
}

/* M13: two segments that cross, parallel ones that do not, and ones that share an end. */
static void
test_crossing (void)
{
  static const WarpLine lines[] = { { 0, 0, 10, 0 }, { 0, 5, 10, 5 }, { 10, 0, 10, 5 }, { 3, -2, 4, 2 } };
  g_autoptr (GArray) some = g_array_new (FALSE, FALSE, sizeof (WarpLine));
  guint pair[2];

  g_array_append_vals (some, lines, 3);
  g_assert_false (line_warp_find_crossing (some, pair));
  g_array_append_val (some, lines[3]);
  g_assert_true (line_warp_find_crossing (some, pair));
  g_assert_cmpuint (pair[0], ==, 0);
  g_assert_cmpuint (pair[1], ==, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mesh-warp/M04-identity", test_identity);
  g_test_add_func ("/mesh-warp/M04-line", test_line);
  g_test_add_func ("/mesh-warp/M03-M04-folds", test_folds);
  g_test_add_func ("/mesh-warp/M13-crossing", test_crossing);
  return g_test_run ();
}
