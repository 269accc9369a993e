/* light_depth: against Beer and Lambert's law, for the light of the sun and of a lamp.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "field/light_depth.h"
#include "kg-error.h"

static double
get_at (const KgField *field, double x, double y, double z)
{
  const float p[] = { (float) x, (float) y, (float) z };
  float value;

  kg_field_sample_points (field, p, 1, 0, &value);
  return (double) value;
}

static KgField *
make (const LightDepth *settings)
{
  g_autoptr (GError) error = NULL;
  KgField *field = light_depth_new (settings, NULL, &error);

  g_assert_no_error (error);
  return field;
}

/* A lattice of n³ points in the middles of the cells of a cube around the origin. */
static KgGeometry *
make_lattice (size_t n, double side, double width)
{
  KgGeometry *geometry = kg_geometry_new ();
  float *p, *w;

  kg_geometry_set_n_points (geometry, n * n * n, NULL);
  p = kg_geometry_edit_positions (geometry);
  w = kg_geometry_edit_float (geometry, KG_POINTS, "width", 1);
  for (size_t i = 0; i < n * n * n; i++) {
    const size_t at[] = { i % n, i / n % n, i / n / n };

    for (int c = 0; c < 3; c++)
      p[3 * i + (size_t) c] = (float) (side * (((double) at[c] + 0.5) / (double) n - 0.5));
    w[i] = (float) width;
  }
  return geometry;
}

/* 55-14: 10 particles a cubic metre of 0.05 m² each let e^-1 through 2 m. */
static void
test_uniform (void)
{
  const double width = sqrt (4 * 0.05 / KG_PI);
  g_autoptr (KgGeometry) points = make_lattice (20, 20, width); /* one a cubic metre */
  LightDepth s = { .points = points, .strength = 10, .light = { 0, -1, 0 }, .size = { 20, 2, 20 }, .cell = 1 };
  g_autoptr (KgField) field = make (&s);
  double before = 2;

  assert_near (get_at (field, 0.3, -1, 0.2), exp (-1), 1e-5);
  assert_near (get_at (field, 0.3, -50, 0.2), exp (-1), 1e-5); /* on what lies behind */
  assert_near (get_at (field, 0.3, 0, 0.2), exp (-0.5), 1e-5);
  assert_near (get_at (field, 0.3, 1, 0.2), 1, 0);
  assert_near (get_at (field, 0, 9, 0), 1, 0);
  assert_near (get_at (field, 30, -5, 0), 1, 0); /* beside it */
  for (double y = 1; y >= -1; y -= 0.05) {
    const double light = get_at (field, -2, y, 3);

    g_assert_true (light < before + 1e-9);
    before = light;
  }
  s.depth = true;
  {
    g_autoptr (KgField) depth = make (&s);

    assert_near (get_at (depth, 0.3, -1, 0.2), 1, 1e-5);
  }
}

/* A field of density, lit from any side: the error falls with the cell. */
static void
test_density (void)
{
  g_autoptr (KgField) density = kg_field_new_constant (0.5);
  LightDepth s = { .density = density, .strength = 1, .light = { 1, -2, 0.7 }, .size = { 2, 2, 2 }, .cell = 0.05 };
  const KgVector way = kg_vector_scale (s.light, 1 / kg_vector_length (s.light));
  /* Through the middle, in by the top and out by the bottom. */
  const double path = 2 / fabs (way.y), right = exp (-0.5 * path);
  double error[2];

  for (int k = 0; k < 2; k++, s.cell *= 0.5) {
    g_autoptr (KgField) field = make (&s);

    error[k] = fabs (get_at (field, 2 * way.x, 2 * way.y, 2 * way.z) - right);
    assert_near (get_at (field, -2 * way.x, -2 * way.y, -2 * way.z), 1, 0);
    g_assert_true (error[k] < s.cell * 0.5 * right);
  }
}

/* A lamp: what each ray meets of a cloud with the same density everywhere is the length of its way through it. */
static void
test_lamp (void)
{
  g_autoptr (KgField) density = kg_field_new_constant (0.5);
  const LightDepth s = {
    .density = density, .strength = 1, .lamp = true, .light = { 0, 6, 0 }, .size = { 4, 2, 4 }, .cell = 0.02
  };
  g_autoptr (KgField) field = make (&s);

  assert_near (get_at (field, 0, -3, 0), exp (-1), 0.01);
  /* At (0.9, -3, 0), 9 m below the lamp, rays are √(1 + 0.01) as long. */
  assert_near (get_at (field, 0.9, -3, 0), exp (-sqrt (1.01)), 0.01);
  assert_near (get_at (field, 0, 3, 0), 1, 1e-6);
  assert_near (get_at (field, 0, 8, 0), 1, 0);
}

/* The total of what is cut out of a wide beam is the sum of the cross-sections, wherever in its cell a particle is. */
static void
test_one_particle (void)
{
  for (int k = 0; k < 5; k++) {
    g_autoptr (KgGeometry) points = make_lattice (1, 1, 0.1);
    LightDepth s = {
      .points = points, .strength = 1, .light = { 0, 0, 1 }, .size = { 2, 2, 2 }, .cell = 0.1, .depth = true
    };
    g_autoptr (KgField) field = NULL;
    double sum = 0;

    kg_geometry_edit_positions (points)[0] = 0.023f * (float) k;
    field = make (&s);
    for (int i = 0; i < 20; i++)
      for (int j = 0; j < 20; j++)
        sum += 0.01 * get_at (field, -0.95 + 0.1 * i, -0.95 + 0.1 * j, 3);
    assert_near (sum, 0.25 * KG_PI * 0.01, 1e-5);
  }
}

static void
check_error (LightDepth s, const char *part)
{
  g_autoptr (GError) error = NULL;
  KgField *field = light_depth_new (&s, NULL, &error);

  g_assert_null (field);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, part));
}

static void
test_degenerate (void)
{
  g_autoptr (KgField) density = kg_field_new_constant (1);
  g_autoptr (KgGeometry) none = kg_geometry_new (), one = make_lattice (1, 1, 0.1);
  LightDepth s = { .points = none, .strength = 1, .light = { 0, -1, 0 }, .cell = 0.1 };
  g_autoptr (KgField) empty = make (&s), single = NULL;

  assert_near (get_at (empty, 1, 2, 3), 1, 0);
  s.points = one;
  single = make (&s);
  g_assert_cmpfloat (get_at (single, 0, -1, 0), <, 1);
  assert_near (get_at (single, 0, 1, 0), 1, 0);
  s.light = kg_vector (0, 0, 0);
  check_error (s, "no direction");
  s.density = density;
  s.light = kg_vector (0, -1, 0);
  check_error (s, "no bounds");
  s.size = kg_vector (100, 100, 100);
  s.cell = 1e-3;
  check_error (s, "1e+15");
  s.cell = 1;
  s.lamp = true;
  s.light = s.centre;
  check_error (s, "middle");
}

/* Points behind a lamp amid them stop nothing, and are counted. */
static void
test_lamp_amid (void)
{
  g_autoptr (KgGeometry) points = make_lattice (5, 1, 0.1);
  float *p = kg_geometry_edit_positions (points);
  const size_t n = kg_geometry_get_n_points (points);
  size_t n_unseen = n;
  LightDepth s = {
    .points = points, .strength = 1, .lamp = true, .light = { 0, 0, 5 }, .cell = 0.5, .n_unseen = &n_unseen
  };
  g_autoptr (KgField) outside = NULL, amid = NULL;

  outside = make (&s);
  g_assert_cmpuint (n_unseen, ==, 0);
  for (size_t i = 0; i < n; i++)
    p[3 * i + 2] = i < n / 5 ? 9 : 0;
  amid = make (&s);
  g_assert_cmpuint (n_unseen, ==, n / 5);
}

/* A lamp in a face of the box lights what lies before it, and one within the box is told of. */
static void
test_lamp_at_box (void)
{
  g_autoptr (KgField) half = kg_field_new_constant (0.5);
  g_autoptr (GError) error = NULL;
  LightDepth s = {
    .density = half, .strength = 1, .lamp = true, .light = { 0, 1, 0 }, .size = { 2, 2, 2 }, .cell = 0.1, .depth = true
  };
  g_autoptr (KgField) ceiling = make (&s), corner = NULL, inside = NULL;

  assert_near (get_at (ceiling, 0, -1, 0), 1, 0.02);
  assert_near (get_at (ceiling, 0, 0, 0), 0.5, 0.02);
  assert_near (get_at (ceiling, 0.8, 0.2, 0), 0.5 * sqrt (0.64 + 0.64), 0.03);
  s.light = kg_vector (0.9, 1.1, 0.9); /* the nearest corner lies behind the plane of the lamp */
  corner = make (&s);
  assert_near (get_at (corner, 0.9, -1, 0.9), 1, 0.03);
  s.light = kg_vector (0, 0.5, 0);
  inside = light_depth_new (&s, NULL, &error);
  g_assert_null (inside);
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/light-depth/55-14/uniform", test_uniform);
  g_test_add_func ("/light-depth/55-14/density", test_density);
  g_test_add_func ("/light-depth/55-14/lamp", test_lamp);
  g_test_add_func ("/light-depth/55-14/lamp-at-box", test_lamp_at_box);
  g_test_add_func ("/light-depth/55-14/one-particle", test_one_particle);
  g_test_add_func ("/light-depth/55-14/degenerate", test_degenerate);
  g_test_add_func ("/light-depth/55-14/lamp-amid", test_lamp_amid);
  return g_test_run ();
}
