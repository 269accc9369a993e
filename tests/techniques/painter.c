/* tests/techniques/painter: the light of small points and streaks, wherever they are between pixels.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "render/painter.h"

/* Pixels on a side; a pixel is a metre, and the point (0, 0) is the upper left corner. */
#define SIDE 48

static void
refuse (gpointer data, size_t primitive, const GError *problem)
{
  (void) data;
  g_error ("primitive %zu: %s", primitive, problem->message);
}

/* (transfer full) A white point that goes (vx, vy) pixels in a second and streaks for one, in an image of SIDE pixels. */
static KgImage *
paint (double x, double y, double vx, double vy, double radius, PainterBlend blend)
{
  const PainterStyle style = { .center = { 0.5 * SIDE, -0.5 * SIDE, 0 },
                               .view_height = SIDE,
                               .line_width = 1,
                               .point_size = 2 * radius,
                               .blend = blend,
                               .streak = 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  g_autoptr (KgImage) image = kg_image_new (SIDE, SIDE, false, &error);
  g_autoptr (Painter) painter = painter_new (&style, image, (KgColor){ 0, 0, 0, 0 }, &error);
  float *p;

  g_assert_no_error (error);
  g_assert_true (kg_geometry_set_n_points (geometry, 1, &error));
  p = kg_geometry_edit_positions (geometry);
  p[0] = (float) x;
  p[1] = (float) -y;
  p = kg_geometry_edit_float (geometry, KG_POINTS, "v", 3);
  p[0] = (float) vx;
  p[1] = (float) -vy;
  g_assert_true (painter_paint (painter, geometry, NULL, refuse, NULL));
  return g_steal_pointer (&image);
}

/* All its light, the centre of it, and the brightest pixel. */
typedef struct {
  double sum, x, y, most;
} Light;

static Light
measure (const KgImage *image)
{
  const float *pixels = kg_image_get_pixels (image);
  Light light = { 0 };

  for (size_t i = 0; i < SIDE * SIDE; i++) {
    const double l = (double) pixels[4 * i];

    light.sum += l;
    light.x += l * ((double) (i % SIDE) + 0.5);
    light.y += l * ((double) (i / SIDE) + 0.5);
    light.most = fmax (light.most, l);
  }
  light.x /= light.sum;
  light.y /= light.sum;
  return light;
}

static Light
paint_light (double x, double y, double vx, double vy, double radius)
{
  g_autoptr (KgImage) image = paint (x, y, vx, vy, radius, PAINTER_ADD);

  return measure (image);
}

/* 55-12: the light of a point is that of its area wherever it is between pixels, so that none flickers as it moves, and the
 * light is where the point is. */
static void
test_points (void)
{
  static const double radii[] = { 0.01, 0.2, 0.4999, 0.5, 0.6, 0.75, 0.999, 1, 1.3, 1.75, 2, 2.8, 3.99 };

  for (guint k = 0; k < G_N_ELEMENTS (radii); k++) {
    const double r = radii[k], area = KG_PI * r * r;

    for (int i = 0; i <= 64; i++) {
      const double x = 20 + i % 9 / 8.0, y = 21 + i / 8 / 8.0;
      const Light light = paint_light (x, y, 0, 0, r);

      assert_near (light.sum / area, 1, 1e-5);
      g_assert_cmpfloat (hypot (light.x - x, light.y - y), <=, r < 1 ? 1e-4 : 0.08);
      g_assert_cmpfloat (light.most, <=, 1 + 1e-6);
      g_assert_cmpfloat (light.most, <=, area * (1 + 1e-6));
    }
  }
}

/* 55-12: a disc of a few pixels is round, and as large ones are where the exact light begins. */
static void
test_sizes (void)
{
  double before = 0;

  for (double r = 0.9; r < 6; r += 0.01) {
    const Light light = paint_light (20.3, 20.8, 0, 0, r);

    g_assert_cmpfloat (light.sum, >, before);
    assert_near (light.sum / (KG_PI * r * r), 1, r < 4 ? 1e-5 : 0.012);
    before = light.sum;
  }
  for (int r = 1; r < 4; r++) {
    g_autoptr (KgImage) image = paint (20.5, 20.5, 0, 0, r + 0.5, PAINTER_OVER);
    const float *pixels = kg_image_get_pixels (image);

    for (int j = -5; j <= 5; j++)
      for (int i = -5; i <= 5; i++) {
        const float covered = pixels[4 * ((20 + j) * SIDE + 20 + i) + 3];

        if (hypot (i, j) < r - 0.3)
          assert_near ((double) covered, 1, 1e-6);
        if (hypot (i, j) > r + 1.3)
          assert_near ((double) covered, 0, 1e-6);
      }
  }
}

/* 55-13: a streak has the light of its disc, at any angle, length and place. */
static void
test_streaks (void)
{
  static const double radii[] = { 0.1, 0.45, 0.7, 1, 1.6, 3 }, lengths[] = { 0.004, 0.3, 0.499, 0.51, 1, 3.3, 14 };

  for (guint k = 0; k < G_N_ELEMENTS (radii) * G_N_ELEMENTS (lengths); k++) {
    const double r = radii[k / G_N_ELEMENTS (lengths)], length = lengths[k % G_N_ELEMENTS (lengths)];

    for (int i = 0; i < 64; i++) {
      const double angle = i % 16 * KG_PI / 8, x = 24 + i % 7 / 7.0, y = 24 + i / 16 / 4.0;
      const double vx = length * cos (angle), vy = length * sin (angle);
      const Light light = paint_light (x, y, vx, vy, r);

      assert_near (light.sum / (KG_PI * r * r), 1, 1e-5);
      g_assert_cmpfloat (hypot (light.x - x + 0.5 * vx, light.y - y + 0.5 * vy), <=, 0.15);
    }
  }
}

/* 55-13: of a streak that leaves the image, the part within has the light of its share, however long it is. */
static void
test_streak_over_border (void)
{
  static const double lengths[] = { 100, 1e4, 1e6 };

  for (guint k = 0; k < G_N_ELEMENTS (lengths); k++)
    for (int i = 0; i < 16; i++) {
      const double length = lengths[k], angle = i * KG_PI / 8, r = 0.7;
      const double vx = length * cos (angle), vy = length * sin (angle), x = 24.2, y = 23.9;
      const Light light = paint_light (x + 0.5 * vx, y + 0.5 * vy, vx, vy, r);
      const double inside = SIDE / fmax (fabs (cos (angle)), fabs (sin (angle)));

      assert_near (light.sum / (KG_PI * r * r), 2 * inside / (2 * length + KG_PI * r), 0.02 * inside / length);
    }
  /* One that is much larger than the image covers it evenly. */
  {
    g_autoptr (KgImage) image = paint (24, 24, 30000, 40000, 90000, PAINTER_ADD);
    const double share = KG_PI * 90000 / (KG_PI * 90000 + 2 * 50000);

    for (size_t i = 0; i < SIDE * SIDE; i++)
      assert_near ((double) kg_image_get_pixels (image)[4 * i], share, 1e-5);
  }
  /* Beside the image there is nothing. */
  for (int i = 0; i < 4; i++) {
    g_autoptr (KgImage) image = paint (i == 0   ? -9
                                       : i == 1 ? SIDE + 9
                                                : 20,
                                       i == 2   ? -9
                                       : i == 3 ? SIDE + 9
                                                : 20,
                                       i < 2 ? 0 : 8, i < 2 ? 8 : 0, 2, PAINTER_ADD);

    for (size_t p = 0; p < (size_t) 4 * SIDE * SIDE; p++)
      g_assert_cmpfloat (kg_image_get_pixels (image)[p], ==, 0);
  }
}

/* 55-12: at the border and in the corners, a point has what is left of it within. */
static void
test_border (void)
{
  static const double radii[] = { 0.3, 0.9, 1.5, 3.2 };

  for (guint k = 0; k < G_N_ELEMENTS (radii); k++) {
    const double r = radii[k], area = KG_PI * r * r;

    assert_near (paint_light (0, 20.3, 0, 0, r).sum, 0.5 * area, 1e-5 * area);
    assert_near (paint_light (20.3, SIDE, 0, 0, r).sum, 0.5 * area, 1e-5 * area);
    assert_near (paint_light (SIDE, SIDE, 0, 0, r).sum, 0.25 * area, 1e-5 * area);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/painter/55-12/points", test_points);
  g_test_add_func ("/painter/55-12/sizes", test_sizes);
  g_test_add_func ("/painter/55-12/border", test_border);
  g_test_add_func ("/painter/55-13/streaks", test_streaks);
  g_test_add_func ("/painter/55-13/border", test_streak_over_border);
  return g_test_run ();
}
