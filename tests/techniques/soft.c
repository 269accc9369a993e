/* tests/techniques/soft: densities, keys and their blends against the figures of the catalogue and of their sources; cubes and
 * their loops counted; surfaces that must be closed, oriented and of known size.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "kg-hash.h"
#include "kg-random.h"
#include "soft/cube_loops.h"
#include "soft/implicit_shape.h"
#include "soft/line_convolution.h"
#include "soft/match_keys.h"
#include "soft/polygonize.h"
#include "soft/soft_keys.h"
#include "soft/solid_algebra.h"

#include <omp.h>

static const SoftOptions plain = { .density = { .level = 0.5, .blobbiness = 2, .cutoff = 1e-4 }, .power = 4 };

static Density
density (DensityKind kind)
{
  return (Density){ .kind = kind, .level = 0.5, .blobbiness = 2, .cutoff = 1e-4 };
}

static void
test_densities (void)
{
  static const struct {
    DensityKind kind;
    double quarter, half, three, body, slope; /* slope of C by ρ at the body */
  } facts[] = {
    { DENSITY_WYVILL, 0.85449219, 0.5, 0.14355469, 0.5, -1.5833333 },
    { DENSITY_SMOOTH, 0.84375, 0.5, 0.15625, 0.5, -1.5 },
    { DENSITY_QUADRATIC, 0.9375, 0.75, 0.4375, 0.70710678, -1.4142136 },
    { DENSITY_METABALL, 0.8125, 0.375, 0.09375, 0.42264973, -1.7320508 },
    { DENSITY_QUARTIC, 0.87890625, 0.5625, 0.19140625, 0.5411961, -1.5307337 },
    { DENSITY_CUBIC, 0.823974609, 0.421875, 0.083740234, 0.4542020, -1.7167761 },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (facts); i++) {
    const Density d = density (facts[i].kind);
    const double body = density_get_body (&d, 1);
    double slope;

    assert_near (density_get (&d, 0.0625, NULL), facts[i].quarter, 1e-8);
    assert_near (density_get (&d, 0.25, NULL), facts[i].half, 1e-8);
    assert_near (density_get (&d, 0.5625, NULL), facts[i].three, 1e-8);
    assert_near (body, facts[i].body, 1e-7);
    density_get (&d, body * body, &slope);
    assert_near (2 * body * slope, facts[i].slope, 1e-6);
    g_assert_cmpfloat (density_get (&d, 1, &slope), ==, 0);
    g_assert_cmpfloat (slope, ==, 0);
  }
}

/* Twice the force makes the body of the default 1.3299 times as large; half of it makes it vanish. */
static void
test_bodies (void)
{
  const Density d = density (DENSITY_WYVILL), smooth = density (DENSITY_SMOOTH);

  assert_near (density_get_body (&d, 2), 0.6649749, 1e-7);
  assert_near (density_get_body (&smooth, 2), 0.6736482, 1e-7);
  g_assert_cmpfloat (density_get_body (&d, 0.5), ==, 0);
}

/* Its cut is taken off the values, so that there is no jump. */
static void
test_gauss (void)
{
  const Density d = density (DENSITY_GAUSS);
  const double reach = density_get_reach (&d);

  assert_near (reach, 2.2931630, 1e-7);
  assert_near (density_get (&d, 0, NULL), 3.694528 - 1e-4, 1e-6);
  assert_near (density_get (&d, 2.25, NULL), 0.0410425 - 1e-4, 1e-7);
  assert_near (density_get (&d, reach * reach * (1 - 1e-9), NULL), 0, 1e-8);
  g_assert_cmpfloat (density_get (&d, reach * reach, NULL), ==, 0);
}

typedef struct {
  KgVector center, axes;
  float force, power;
  int32_t group;
} Key;

static KgGeometry *
make_keys (const Key *keys, size_t n)
{
  KgGeometry *geometry = kg_geometry_new ();
  float *p, *axes, *force, *power;
  int32_t *group;

  kg_geometry_set_n_points (geometry, n, NULL);
  p = kg_geometry_edit_positions (geometry);
  axes = kg_geometry_edit_float (geometry, KG_POINTS, "axes", 3);
  force = kg_geometry_edit_float (geometry, KG_POINTS, "force", 1);
  power = kg_geometry_edit_float (geometry, KG_POINTS, "power", 1);
  group = kg_geometry_edit_int (geometry, KG_POINTS, "group", 1);
  for (size_t i = 0; i < n; i++) {
    for (size_t c = 0; c < 3; c++) {
      p[3 * i + c] = (float) kg_vector_get (keys[i].center, c);
      axes[3 * i + c] = (float) kg_vector_get (keys[i].axes, c);
    }
    force[i] = keys[i].force;
    power[i] = keys[i].power > 0 ? keys[i].power : 2;
    group[i] = keys[i].group;
  }
  return geometry;
}

static SoftKeys *
read_keys (const Key *list, size_t n, const SoftOptions *options)
{
  g_autoptr (KgGeometry) geometry = make_keys (list, n);
  const KgGeometry *const geometries[] = { geometry };
  g_autoptr (GError) error = NULL;
  SoftKeys *keys = soft_keys_new (geometries, 1, options, NULL, &error);

  g_assert_no_error (error);
  return keys;
}

static double
value_at (const SoftKeys *keys, double x, double y, double z)
{
  return soft_keys_get_value (keys, kg_vector (x, y, z), NULL);
}

#define BALL(x, radius, force_)                                                                                        \
  {                                                                                                                    \
    .center = { x, 0, 0 }, .axes = { radius, radius, radius }, .force = force_                                         \
  }

/* The radius of a body beside the x axis at x. */
static double
radius_at (const SoftKeys *keys, double x)
{
  double low = 0, high = 1;

  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high);

    *(value_at (keys, x, middle, 0) > 0.5 ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}

/* What a step along a ray may rely on: a key of radius 2 is steepest at 0.5034696 of it, 0.7917149 for a metre, and two keys
 * together are never steeper than their sum. */
static void
test_steepest (void)
{
  const Density d = density (DENSITY_WYVILL);
  double most = 0, at = 0;

  for (int i = 1; i <= 1000000; i++) {
    const double rho = 1e-6 * i;
    double slope;

    density_get (&d, rho * rho, &slope);
    if (-2 * rho * slope > most) {
      most = -2 * rho * slope;
      at = rho;
    }
  }
  assert_near (most, 1.5834297, 1e-7);
  assert_near (at, 0.5034696, 1e-6);
  {
    const Key list[] = { BALL (0, 2, 1), BALL (1.1, 2, -0.5) };
    g_autoptr (SoftKeys) one = read_keys (list, 1, &plain), both = read_keys (list, 2, &plain);
    double steepest = 0;

    for (int i = -400; i <= 400; i++) {
      const double x = 0.01 * i;
      KgVector gradient;

      soft_keys_get_value (one, kg_vector (x, 0.1, 0), &gradient);
      steepest = MAX (steepest, kg_vector_length (gradient));
      soft_keys_get_value (both, kg_vector (x, 0.1, 0), &gradient);
      g_assert_cmpfloat (kg_vector_length (gradient), <=, 1.5 * 0.7917149);
    }
    assert_near (steepest, 0.7917149, 1e-5);
  }
}

/* A long row of keys is even to one per cent up to half the influence apart, and falls apart beyond 1.33 times that. */
static void
test_spacing (void)
{
  static const double facts[][3] = { { 0.25, 0.7223, 0.7213 }, { 0.5, 0.6221, 0.6176 }, { 0.75, 0.5217, 0.5492 },
                                     { 1, 0.5, 0.4384 },       { 1.25, 0.5, 0.2271 },   { 1.34, 0.5, 0 } };
  enum { N = 41 };

  for (size_t f = 0; f < G_N_ELEMENTS (facts); f++) {
    g_autoptr (SoftKeys) keys = NULL;
    Key list[N];

    for (int i = 0; i < N; i++)
      list[i] = (Key) BALL ((i - N / 2) * facts[f][0], 1, 1);
    keys = read_keys (list, N, &plain);
    assert_near (radius_at (keys, 0), facts[f][1], 6e-5);
    assert_near (radius_at (keys, 0.5 * facts[f][0]), facts[f][2], 6e-5);
  }
}

/* Places as float32 hold 0.6 and 0.8 to 3e-8. */
static void
test_two_keys (void)
{
  const Key list[] = { BALL (0, 1, 1), BALL (0.6, 0.8, 1) };
  g_autoptr (SoftKeys) keys = read_keys (list, 2, &plain);
  KgVector gradient;

  assert_near (soft_keys_get_value (keys, kg_vector (0.3, 0.2, 0.1), &gradient), 1.2445923, 2e-7);
  assert_vector_near (gradient, 0.4117282, -1.8278366, -0.9139183, 1e-6);
}

/* The two keys of the source's figure: apart, about to join, one body with a waist, one ball. */
static void
test_approach (void)
{
  static const struct {
    double distance, place, level;
  } facts[] = { { 1.6, 0, 0.4953513 }, { 1.5959397, 0, 0.5 }, { 1.0, 0, 1.2604485 }, { 1.6, 0.0512611, 0.5 } };

  for (size_t i = 0; i < G_N_ELEMENTS (facts); i++) {
    const Key list[] = { BALL (-0.5 * facts[i].distance, 1.2, 1), BALL (0.5 * facts[i].distance, 1.2, 1) };
    g_autoptr (SoftKeys) keys = read_keys (list, 2, &plain);

    assert_near (value_at (keys, facts[i].place, 0, 0), facts[i].level, 3e-7);
  }
  {
    const Key list[] = { BALL (-0.5, 1.2, 1), BALL (0.5, 1.2, 1) }, one[] = { BALL (0, 1.2, 1), BALL (0, 1.2, 1) };
    g_autoptr (SoftKeys) keys = read_keys (list, 2, &plain), same = read_keys (one, 2, &plain);

    assert_near (value_at (keys, 0, 0.6218970, 0), 0.5, 3e-7);
    assert_near (value_at (same, 0.7979699, 0, 0), 0.5, 3e-7);
  }
}

static void
test_negative (void)
{
  const Key list[] = { BALL (0, 1, 1), BALL (0.6, 0.6, -1) };
  g_autoptr (SoftKeys) keys = read_keys (list, 2, &plain);

  assert_near (value_at (keys, 0, 0, 0), 1, 1e-6);
  assert_near (value_at (keys, 0.2459079, 0, 0), 0.5, 5e-7);
  assert_near (value_at (keys, -0.5, 0, 0), 0.5, 1e-9);
}

/* With a radius of influence of 2: the first surface moves away from a negative key at a distance of 1.5. */
static void
test_weights (void)
{
  static const struct {
    float weight;
    double crossing;
  } facts[] = { { 1, 2.5 }, { 0, 1 }, { -1, 0.3871336 }, { -5, -0.0863441 } };

  for (size_t i = 0; i < G_N_ELEMENTS (facts); i++) {
    const Key list[] = { BALL (0, 2, 1), BALL (1.5, 2, facts[i].weight) };
    g_autoptr (SoftKeys) keys = read_keys (list, 2, &plain);

    assert_near (value_at (keys, facts[i].crossing, 0, 0), 0.5, 5e-7);
  }
}

static void
test_super_ellipsoids (void)
{
  static const struct {
    float power;
    double rho, along;
  } facts[] = { { 2, 0.5220153, 0.7559289 },
                { 2.5f, 0.4794900, 0.8029713 },
                { 3, 0.4552874, 0.8288635 },
                { 4, 0.4300573, 0.8522165 } };
  const Density d = density (DENSITY_WYVILL);

  for (size_t i = 0; i < G_N_ELEMENTS (facts); i++) {
    const Key list[] = { { .axes = { 2, 1, 0.5 }, .force = 1, .power = facts[i].power } };
    g_autoptr (SoftKeys) keys = read_keys (list, 1, &plain);
    const double half = 0.5 * facts[i].along / sqrt (3);

    assert_near (value_at (keys, 0.3, 0.3, 0.2), density_get (&d, facts[i].rho * facts[i].rho, NULL), 3e-7);
    assert_near (value_at (keys, half, half, half), 0.5, 3e-7);
  }
}

/* An ellipsoid scaled while it is turned, given by its frame. */
static void
test_frame (void)
{
  static const float frame[] = { 1.41421356f, 0.70710678f, 0, -0.70710678f, 0.35355339f, 0, 0, 0, 0.5f };
  static const float powers[] = { 2, 4 };
  static const double rho[] = { 0.5062114, 0.4637475 };
  const Density d = density (DENSITY_WYVILL);

  for (int i = 0; i < 2; i++) {
    g_autoptr (KgGeometry) geometry = kg_geometry_new ();
    const KgGeometry *const geometries[] = { geometry };
    g_autoptr (SoftKeys) keys = NULL;

    kg_geometry_set_n_points (geometry, 1, NULL);
    memcpy (kg_geometry_edit_float (geometry, KG_POINTS, "frame", 9), frame, sizeof frame);
    *kg_geometry_edit_float (geometry, KG_POINTS, "power", 1) = powers[i];
    keys = soft_keys_new (geometries, 1, &plain, NULL, NULL);
    assert_near (value_at (keys, 0.7, 0.3, 0.1), density_get (&d, rho[i] * rho[i], NULL), 3e-7);
  }
}

/* A line from the origin to (2, 0, 0), and a right triangle. */
static void
test_chains_and_faces (void)
{
  static const float line[] = { 0, 0, 0, 2, 0, 0 }, triangle[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
  static const uint32_t corners[] = { 0, 1, 2 };
  const float *const places[] = { line, triangle };

  for (uint32_t i = 0; i < 2; i++) {
    g_autoptr (KgGeometry) geometry = kg_geometry_new ();
    const KgGeometry *const geometries[] = { geometry };
    g_autoptr (SoftKeys) keys = NULL;
    float *axes;

    kg_geometry_set_n_points (geometry, 2 + i, NULL);
    memcpy (kg_geometry_edit_positions (geometry), places[i], 3 * (2 + i) * sizeof (float));
    axes = kg_geometry_edit_float (geometry, KG_POINTS, "axes", 3);
    for (uint32_t k = 0; k < 3 * (2 + i); k++)
      axes[k] = 0.8f;
    kg_geometry_add_primitives (geometry, i == 0 ? KG_POLYLINE : KG_POLYGON, i == 1, 1, 2 + i, corners);
    keys = soft_keys_new (geometries, 1, &plain, NULL, NULL);
    g_assert_cmpuint (soft_keys_get_n (keys), ==, 1);
    assert_near (i == 0 ? value_at (keys, 1, 0.4, 0) : value_at (keys, 0.2, 0.3, -0.4), 0.5, 1e-7);
    assert_near (value_at (keys, i == 0 ? 2.3 : 0.2, i == 0 ? 0.4 : -0.3, i == 0 ? 0 : 0.4), 0.30686951, 1e-7);
  }
}

/* All blends and kinds of keys: the gradient is that of differences. */
static void
test_gradients (void)
{
  for (guint round = 0; round < 40; round++) {
    SoftOptions options = plain;
    Key list[6] = { { { 0, 0, 0 }, { 0, 0, 0 }, 0, 0, 0 } };
    g_autoptr (SoftKeys) keys = NULL;

    options.blend = (SoftBlend) (round % SOFT_BLEND_N_KINDS);
    options.density.kind = (DensityKind) (round % DENSITY_N_KINDS);
    options.soften = round % 2 ? 0.5 : 0;
    for (uint64_t k = 0; k < 6; k++) {
      list[k].center = kg_vector (kg_random_uniform (1, round, 8 * k), kg_random_uniform (1, round, 8 * k + 1),
                                  kg_random_uniform (1, round, 8 * k + 2));
      list[k].axes =
          kg_vector (0.5 + kg_random_uniform (2, round, 8 * k), 0.5 + kg_random_uniform (2, round, 8 * k + 1), 0.7);
      list[k].force = k == 5 ? -0.5f : 1;
      list[k].power = round % 3 == 0 ? 3 : 2;
      list[k].group = (int32_t) (k % (1 + round % 3));
    }
    keys = read_keys (list, 6, &options);
    for (uint64_t i = 0; i < 20; i++) {
      const KgVector p = { kg_random_uniform (3, round, 3 * i), kg_random_uniform (3, round, 3 * i + 1),
                           kg_random_uniform (3, round, 3 * i + 2) };
      KgVector gradient, ignored;
      double off = 0;

      soft_keys_get_value (keys, p, &gradient);
      for (size_t c = 0; c < 3; c++) {
        KgVector low = p, high = p;
        double difference;

        *kg_vector_component (&low, c) -= 1e-6;
        *kg_vector_component (&high, c) += 1e-6;
        difference = (soft_keys_get_value (keys, high, &ignored) - soft_keys_get_value (keys, low, NULL)) / 2e-6;
        off = MAX (off, fabs (difference - kg_vector_get (gradient, c)));
      }
      /* One of the places may lie on a crease of the largest or of a support. */
      g_assert_cmpfloat (off, <, 1e-4 * (1 + kg_vector_length (gradient)));
    }
  }
}

/* Two bars end to end: where they meet the skin is thicker, much less so with the power 4, and not at all between groups. */
static void
test_bulge (void)
{
  const Key list[] = { BALL (0, 1, 1), BALL (0, 1, 1) };
  Key apart[] = { BALL (0, 1, 1), BALL (0, 1, 1) };
  SoftOptions power = plain;
  g_autoptr (SoftKeys) sum = read_keys (list, 2, &plain), flat = NULL, groups = NULL;

  power.blend = SOFT_BLEND_POWER;
  flat = read_keys (list, 2, &power);
  apart[1].group = 7;
  groups = read_keys (apart, 2, &plain);
  assert_near (value_at (sum, 0, 0.5 * 1.3299497, 0), 0.5, 2e-7);
  assert_near (value_at (flat, 0, 0.5 * 1.10083, 0), 0.5, 5e-6);
  assert_near (value_at (groups, 0, 0.5, 0), 0.5, 1e-9);
}

/* Groups that are named as partners flow together, in both directions and no others. */
static void
test_groups (void)
{
  const double pairs[] = { 1, 2 };
  Key list[] = { BALL (0, 1, 1), BALL (0, 1, 1), BALL (0, 1, 1) };
  g_autoptr (KgTable) table = kg_table_new (2, NULL, 1, NULL);
  SoftOptions options = plain;
  g_autoptr (SoftKeys) keys = NULL;

  memcpy (kg_table_edit (table), pairs, sizeof pairs);
  options.partners = table;
  for (int32_t i = 0; i < 3; i++)
    list[i].group = i + 1;
  keys = read_keys (list, 3, &options);
  assert_near (value_at (keys, 0, 0, 0), 2, 1e-12);
}

static void
test_loops (void)
{
  static const guint sizes_wanted[] = { 144, 66, 72, 52, 24 }, counts_wanted[] = { 2, 162, 82, 8, 2 };

  for (guint join = 0; join < 64; join += 63) {
    guint sizes[5] = { 0 }, counts[5] = { 0 };

    for (guint mask = 0; mask < 256; mask++) {
      CubeLoops loops;

      cube_loops_trace (mask, join, &loops);
      counts[loops.n_loops]++;
      for (guint l = 0; l < loops.n_loops; l++)
        sizes[loops.size[l] - 3]++;
    }
    for (int i = 0; i < 5; i++) {
      g_assert_cmpuint (sizes[i], ==, sizes_wanted[i]);
      g_assert_cmpuint (counts[i], ==, counts_wanted[i]);
    }
  }
}

static void
assert_loop (guint mask, guint join, guint loop, const char *edges)
{
  g_autoptr (GString) text = g_string_new (NULL);
  CubeLoops loops;

  cube_loops_trace (mask, join, &loops);
  for (guint i = 0; i < loops.size[loop]; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? " " : "", loops.edges[loop][i]);
  g_assert_cmpstr (text->str, ==, edges);
}

static void
test_printed_loops (void)
{
  assert_loop (1, 0, 0, "0 4 8");
  assert_loop (3, 0, 0, "4 8 9 5");
  assert_loop (7, 0, 0, "1 10 8 9 5");
  assert_loop (15, 0, 0, "8 9 11 10");
  assert_loop (23, 0, 0, "1 10 6 2 9 5");
  assert_loop (60, 0, 0, "4 5 11 10");
  assert_loop (60, 0, 1, "6 7 9 8");
  assert_loop (60, 63, 0, "4 5 9 8");
  assert_loop (60, 63, 1, "6 7 11 10");
  assert_loop (9, 0, 0, "0 4 8");
  assert_loop (9, 0, 1, "1 5 11");
  assert_loop (9, 63, 0, "0 5 11 1 4 8");
}

static void
test_ambiguous (void)
{
  static const float joined[] = { 0.9f, 0.2f, 0.3f, 0.7f, 0, 0, 0, 0 };
  static const float apart[] = { 0.7f, 0.1f, 0.2f, 0.6f, 0, 0, 0, 0 };
  static const guint wanted[] = { 136, 72, 30, 16, 0, 0, 2 };
  guint counts[7] = { 0 };

  for (guint mask = 0; mask < 256; mask++)
    counts[__builtin_popcount (cube_loops_get_ambiguous (mask))]++;
  for (int i = 0; i < 7; i++)
    g_assert_cmpuint (counts[i], ==, wanted[i]);
  /* Corners 0 and 3 of the face z = 0: the saddle is at 0.518 and at 0.4. */
  g_assert_cmpuint (cube_loops_get_ambiguous (9), ==, 1u << 4);
  g_assert_cmpuint (cube_loops_decide (9, 1u << 4, joined, 0.5), ==, 1u << 4);
  g_assert_cmpuint (cube_loops_decide (9, 1u << 4, apart, 0.5), ==, 0);
}

static PolygonizeResult
polygonize_in (const KgField *field, PolygonizeOptions options)
{
  g_autoptr (GError) error = NULL;
  PolygonizeResult result;

  if (options.low.x == options.high.x)
    g_assert_true (kg_field_get_bounds (field, &options.low, &options.high));
  options.level = kg_field_get_level (field);
  options.limit = 10000000;
  polygonize (field, &options, NULL, &result, &error);
  g_assert_no_error (error);
  return result;
}

static KgField *
make_field (const Key *list, size_t n)
{
  g_autoptr (SoftKeys) keys = read_keys (list, n, &plain);

  return soft_keys_make_field (keys, NULL);
}

/* One ball of radius ½: the counts at three sizes, and errors that fall with the square of the cell. */
static void
test_ball (void)
{
  static const struct {
    double cell;
    size_t cubes, points;
    double area, volume; /* less by, in per cent */
  } facts[] = { { 0.11, 416, 414, 1.517, 2.95 },
                { 0.055, 1568, 1566, 0.381, 0.75 },
                { 0.0275, 6248, 6246, 0.0951, 0.188 } };
  const Key list[] = { BALL (0, 1, 1) };
  g_autoptr (KgField) field = make_field (list, 1);

  for (size_t i = 0; i < G_N_ELEMENTS (facts); i++) {
    const PolygonizeResult r = polygonize_in (field, (PolygonizeOptions){ .cell = facts[i].cell });
    g_autoptr (KgGeometry) mesh = r.mesh;
    guint kinds[5] = { 0 };

    g_assert_cmpuint (r.cubes, ==, facts[i].cubes);
    g_assert_cmpuint (kg_geometry_get_n_points (mesh), ==, facts[i].points);
    g_assert_cmpuint (r.pieces, ==, 1);
    g_assert_cmpint (r.euler, ==, 2);
    g_assert_cmpuint (r.n_open, ==, 0);
    assert_near (100 * (1 - r.area / G_PI), facts[i].area, 0.002);
    /* The volume depends on how polygons are cut. */
    assert_near (100 * (1 - r.volume / (G_PI / 6)), facts[i].volume, 0.05 * facts[i].volume);
    for (size_t f = 0; f < kg_geometry_get_n_primitives (mesh); f++) {
      KgPrimitive polygon;

      kg_geometry_get_primitive (mesh, f, &polygon);
      kinds[polygon.n_vertices - 3]++;
    }
    if (i == 0) {
      g_assert_cmpuint (kinds[0], ==, 192);
      g_assert_cmpuint (kinds[1], ==, 48);
      g_assert_cmpuint (kinds[2], ==, 168);
      g_assert_cmpuint (kinds[3], ==, 8);
    }
  }
}

/* Exact vertices lie on the surface, and have the normals of the ball. */
static void
test_exact (void)
{
  const Key list[] = { BALL (0, 1, 1) };
  g_autoptr (KgField) field = make_field (list, 1);
  const PolygonizeResult r =
      polygonize_in (field, (PolygonizeOptions){ .cell = 0.11, .exact = true, .normals = true, .triangles = true });
  g_autoptr (KgGeometry) mesh = r.mesh;
  const float *p = kg_geometry_get_positions (mesh), *n = kg_geometry_get_float (mesh, KG_POINTS, "N", 3);

  g_assert_cmpuint (kg_geometry_get_n_primitives (mesh), ==, 824);
  for (size_t i = 0; i < 3 * kg_geometry_get_n_points (mesh); i += 3) {
    const double length = sqrt ((double) (p[i] * p[i] + p[i + 1] * p[i + 1] + p[i + 2] * p[i + 2]));

    assert_near (length, 0.5, 2e-7);
    for (size_t c = 0; c < 3; c++)
      assert_near ((double) n[i + c], (double) p[i + c] / length, 1e-5);
  }
}

static void
test_tetrahedra (void)
{
  const Key list[] = { BALL (0, 1, 1) };
  g_autoptr (KgField) field = make_field (list, 1);
  const PolygonizeResult r =
      polygonize_in (field, (PolygonizeOptions){ .cell = 0.11, .ambiguity = POLYGONIZE_TETRAHEDRA, .triangles = true });
  g_autoptr (KgGeometry) mesh = r.mesh;

  g_assert_cmpuint (kg_geometry_get_n_points (mesh), ==, 1166);
  g_assert_cmpuint (kg_geometry_get_n_primitives (mesh), ==, 2328);
  g_assert_cmpint (r.euler, ==, 2);
  g_assert_cmpfloat (r.volume, >, 0);
}

/* A negative key within a positive one makes a shell that faces inwards. */
static void
test_cavity (void)
{
  const Key list[] = { BALL (0, 1, 1), BALL (0, 0.5, -0.8f) };
  g_autoptr (KgField) field = make_field (list, 2);
  const PolygonizeResult r =
      polygonize_in (field, (PolygonizeOptions){ .cell = 0.05, .origin = { 0.013, 0.017, 0.019 } });
  g_autoptr (KgGeometry) mesh = r.mesh;
  const double outer = 4 * G_PI / 3 * 0.125, inner = 4 * G_PI / 3 * pow (0.2836362, 3);

  g_assert_cmpuint (r.cubes, ==, 2500);
  g_assert_cmpuint (kg_geometry_get_n_points (mesh), ==, 2496);
  g_assert_cmpint (r.euler, ==, 4);
  g_assert_cmpuint (r.pieces, ==, 2);
  g_assert_cmpuint (r.n_missed, ==, 0);
  assert_near (r.volume, outer - inner, 0.01 * outer);
}

/* Two weak keys that make a body only between their centres, where walking along x from these does not lead. */
static void
test_missed (void)
{
  /* No way from a key along an axis leads to what is between them. */
  const Key list[] = { { .center = { -0.2165064, -0.2165064, -0.2165064 }, .axes = { 1, 1, 1 }, .force = 0.4f },
                       { .center = { 0.2165064, 0.2165064, 0.2165064 }, .axes = { 1, 1, 1 }, .force = 0.4f } };
  g_autoptr (KgField) field = make_field (list, 2);
  g_autoptr (SoftKeys) keys = read_keys (list, 2, &plain);
  g_autoptr (GString) weak = g_string_new (NULL);
  PolygonizeResult r;

  assert_near (value_at (keys, 0, 0, 0), 0.5538936, 1e-6);
  assert_near (value_at (keys, 0.2165064, 0.2165064, 0.2165064), 0.4574219, 1e-6);
  soft_keys_add_weak (keys, weak);
  g_assert_cmpstr (weak->str, ==, "1, 2");
  r = polygonize_in (field, (PolygonizeOptions){ .cell = 0.03 });
  g_assert_cmpuint (r.pieces, ==, 1);
  g_assert_cmpuint (r.n_missed, >, 0);
  kg_geometry_unref (r.mesh);
}

/* Keys of both signs at random: closed, every edge of two polygons, and the same whichever way the cubes are found. */
static void
test_closed (void)
{
  for (uint64_t round = 0; round < 12; round++) {
    Key list[9] = { { { 0, 0, 0 }, { 0, 0, 0 }, 0, 0, 0 } };
    g_autoptr (KgField) field = NULL;
    PolygonizeOptions options = { .cell = 0.09, .triangles = round % 2 == 0, .exact = round % 3 == 0 };
    PolygonizeResult walked, all;

    for (uint64_t k = 0; k < 9; k++) {
      list[k].center = kg_vector (2 * kg_random_uniform (1, round, 4 * k), 2 * kg_random_uniform (1, round, 4 * k + 1),
                                  kg_random_uniform (1, round, 4 * k + 2));
      list[k].axes = kg_vector (0.4 + 0.5 * kg_random_uniform (1, round, 4 * k + 3), 0.6, 0.5);
      list[k].force = k % 3 == 2 ? -1 : 1;
    }
    field = make_field (list, 9);
    options.ambiguity = (PolygonizeAmbiguity) (round % POLYGONIZE_N_AMBIGUITIES);
    walked = polygonize_in (field, options);
    options.method = POLYGONIZE_FULL;
    all = polygonize_in (field, options);
    g_assert_cmpuint (walked.n_open, ==, 0);
    g_assert_cmpint (walked.euler % 2, ==, 0);
    g_assert_cmpfloat (walked.volume, >, 0);
    g_assert_true (kg_geometry_equal (walked.mesh, all.mesh));
    kg_geometry_unref (walked.mesh);
    kg_geometry_unref (all.mesh);
  }
}

/* A store of memos that forgets some of them. */
typedef struct {
  GHashTable *memos;     /* KgHash * → Memo */
  guint n_asked, forget; /* every so many-th is not found; 0: all are */
} Store;

typedef struct {
  gpointer memo;
  GDestroyNotify destroy;
} Memo;

static void
memo_free (gpointer data)
{
  Memo *memo = data;

  memo->destroy (memo->memo);
  g_free (memo);
}

static gconstpointer
store_find (gpointer data, KgHash key)
{
  Store *store = data;
  const Memo *memo = g_hash_table_lookup (store->memos, &key);

  store->n_asked++;
  return memo == NULL || (store->forget > 0 && store->n_asked % store->forget == 0) ? NULL : memo->memo;
}

static void
store_keep (gpointer data, KgHash key, gpointer kept, size_t bytes, GDestroyNotify destroy)
{
  const Store *store = data;
  Memo *memo = g_new (Memo, 1);

  g_assert_cmpuint (bytes, >, 0);
  *memo = (Memo){ kept, destroy };
  g_hash_table_replace (store->memos, g_memdup2 (&key, sizeof key), memo);
}

static Store
store_new (guint forget)
{
  return (Store){ g_hash_table_new_full (kg_hash_table_hash, kg_hash_table_equal, g_free, memo_free), 0, forget };
}

/* Keys of both signs, some in a group of their own, of which two move from frame to frame, one of them so that the bounds
 * change: each frame is the same as without memos, whatever was forgotten, and takes fewer looks at the field. */
static void
check_coherence (PolygonizeMethod method)
{
  const int n_threads = omp_get_max_threads ();

  for (uint64_t round = 0; round < 8; round++) {
    Store store = store_new (round % 4 == 3 ? 5 : 0);
    const KgMemoStore memos = { store_find, store_keep, &store };
    Key list[20] = { { { 0, 0, 0 }, { 0, 0, 0 }, 0, 0, 0 } };
    PolygonizeOptions options = { .cell = 0.13,
                                  .origin = { 0.01, -0.02, 0.03 },
                                  .method = method,
                                  .levels = round % 4 == 1 ? 5 : 3,
                                  .max_angle = round % 2 == 0 ? 0.3 : 0.8,
                                  .max_error = round == 3 ? 0.01 : 0,
                                  .graded = round != 4,
                                  .exact = round % 2 == 0,
                                  .normals = round % 4 < 2,
                                  .triangles = round % 3 == 0,
                                  .surface = round == 5   ? POLYGONIZE_DUAL
                                             : round == 6 ? POLYGONIZE_BOXES
                                                          : POLYGONIZE_POLYGONS,
                                  .ambiguity = (PolygonizeAmbiguity) (round % POLYGONIZE_N_AMBIGUITIES) };
    size_t first = 0;

    /* They need cells of one size. */
    if (method == POLYGONIZE_ADAPTIVE && options.ambiguity == POLYGONIZE_TETRAHEDRA)
      options.ambiguity = POLYGONIZE_JOIN;
    for (uint64_t k = 0; k < G_N_ELEMENTS (list); k++) {
      list[k].center = kg_vector (-4 + 8 * kg_random_uniform (2, round, 4 * k),
                                  -2 + 4 * kg_random_uniform (2, round, 4 * k + 1),
                                  3 * kg_random_uniform (2, round, 4 * k + 2));
      list[k].axes = kg_vector (0.4 + 0.7 * kg_random_uniform (2, round, 4 * k + 3), 0.6, 0.5);
      list[k].force = k % 5 == 2 ? -0.8f : 1;
    }
    for (int frame = 0; frame < 4; frame++) {
      g_autoptr (KgField) field = NULL;
      PolygonizeResult plain_result, with;

      list[0].center.x += 0.06;
      list[7].center = kg_vector (-4.5 - 0.04 * frame, 0, 0.1 * frame);
      field = make_field (list, G_N_ELEMENTS (list));
      if (round == 7) { /* combined bodies say what they depend on as well */
        const ImplicitOptions ball = { .shape = IMPLICIT_SPHERE,
                                       .size = { 1.5, 1.5, 1.5 },
                                       .transform = kg_transform_identity () };
        g_autoptr (KgField) sphere = implicit_shape_new (&ball, NULL), soft = g_steal_pointer (&field);

        field = solid_algebra_new (SOLID_DIFFERENCE, 8, (const KgField *const[]){ soft, sphere }, 2, NULL);
      }
      options.memos = NULL;
      plain_result = polygonize_in (field, options);
      options.memos = &memos;
      /* Another number of threads than without, at first. */
      omp_set_num_threads (1);
      with = polygonize_in (field, options);
      omp_set_num_threads (round == 0 && frame == 0 ? n_threads : 1);
      g_assert_true (kg_geometry_equal (plain_result.mesh, with.mesh));
      g_assert_cmpuint (plain_result.cubes, ==, with.cubes);
      g_assert_cmpuint (plain_result.pieces, ==, with.pieces);
      g_assert_cmpint (plain_result.euler, ==, with.euler);
      g_assert_cmpuint (plain_result.n_missed, ==, with.n_missed);
      g_assert_cmpuint (plain_result.n_open, ==, with.n_open);
      g_assert_cmpfloat (plain_result.volume, ==, with.volume);
      g_assert_cmpfloat (plain_result.area, ==, with.area);
      if (frame == 0)
        first = with.n_samples;
      else if (store.forget == 0)
        g_assert_cmpuint (with.n_samples, <, first);
      kg_geometry_unref (plain_result.mesh);
      kg_geometry_unref (with.mesh);
    }
    g_hash_table_unref (store.memos);
  }
  omp_set_num_threads (n_threads);
}

static void
test_coherence (void)
{
  check_coherence (POLYGONIZE_WALK);
}

/* 20-160: every cell of the blocks that no changed key reaches is known. */
static void
test_coherence_full (void)
{
  check_coherence (POLYGONIZE_FULL);
}

/* 20-160: values at corners are known, and whether the surface bends in a large cube. */
static void
test_coherence_octree (void)
{
  check_coherence (POLYGONIZE_OCTREE);
}

static void
test_coherence_adaptive (void)
{
  check_coherence (POLYGONIZE_ADAPTIVE);
}

/* Cells of 0.5 m around (-1.01, -1.01, -1.01), 0 to 11 along each axis. */
#define GRID_SIDE 12

/* What the field depends on in a cell: the same for those that no key reaches. */
static KgHash
hash_cell (const KgField *field, int x, int y, int z)
{
  const KgVector low = kg_vector (0.5 * x - 1.01 + 1e-6, 0.5 * y - 1.01 + 1e-6, 0.5 * z - 1.01 + 1e-6);
  const KgVector high = kg_vector (low.x + 0.5 - 2e-6, low.y + 0.5 - 2e-6, low.z + 0.5 - 2e-6);
  KgHash hash = kg_hash_begin (KG_HASH_SURFACE_BLOCK, 0);

  g_assert_true (kg_field_hash_within (field, low, high, &hash));
  return hash;
}

static bool
hashes_equal (KgHash a, KgHash b)
{
  return memcmp (&a, &b, sizeof a) == 0;
}

/* Cells where two fields depend on different keys. */
static guint
count_changed (const KgField *a, const KgField *b)
{
  guint n = 0;

  for (int i = 0; i < GRID_SIDE * GRID_SIDE * GRID_SIDE; i++) {
    const int x = i % GRID_SIDE, y = i / GRID_SIDE % GRID_SIDE, z = i / GRID_SIDE / GRID_SIDE;

    n += !hashes_equal (hash_cell (a, x, y, z), hash_cell (b, x, y, z));
  }
  return n;
}

/* Cells that a key reaches. */
static guint
count_occupied (const KgField *field)
{
  const KgHash none = hash_cell (field, 100, 0, 0);
  guint n = 0;

  for (int i = 0; i < GRID_SIDE * GRID_SIDE * GRID_SIDE; i++)
    n += !hashes_equal (hash_cell (field, i % GRID_SIDE, i / GRID_SIDE % GRID_SIDE, i / GRID_SIDE / GRID_SIDE), none);
  return n;
}

/* 20-155, 20-160: which cells of a grid two keys reach, alone and together, and which are flagged as one of them moves or gets
 * stronger; the field is the same to the last bit whether many places are looked at together or each alone. */
static void
test_key_grid (void)
{
  Key list[] = { { { 0, 0, 0 }, { 1, 1, 1 }, 1, 0, 0 }, { { 1.5, 0, 0 }, { 0.5, 0.5, 0.5 }, 1, 0, 0 } };
  g_autoptr (KgField) both = make_field (list, 2), first = make_field (list, 1), second = make_field (list + 1, 1);
  g_autoptr (KgField) moved = NULL, stronger = NULL;

  g_assert_cmpuint (count_occupied (both), ==, 143);
  g_assert_cmpuint (count_occupied (first) + count_occupied (second), ==, 152);
  /* Cell (4, 2, 2) lists both, (3, 1, 1) the first alone. */
  g_assert_false (hashes_equal (hash_cell (both, 4, 2, 2), hash_cell (first, 4, 2, 2)));
  g_assert_false (hashes_equal (hash_cell (both, 4, 2, 2), hash_cell (second, 4, 2, 2)));
  g_assert_true (hashes_equal (hash_cell (both, 3, 1, 1), hash_cell (first, 3, 1, 1)));
  list[0].center.x = 0.5;
  moved = make_field (list, 2);
  g_assert_cmpuint (count_changed (both, moved), ==, 150);
  list[0].center.x = 0;
  list[1].force = 1.5f;
  stronger = make_field (list, 2);
  g_assert_cmpuint (count_changed (both, stronger), ==, 27);
  {
    float places[3 * 500], together[500];

    for (guint i = 0; i < G_N_ELEMENTS (places); i++)
      places[i] = (float) (4 * kg_random_uniform (5, 0, i) - 1.5);
    kg_field_sample_points (both, places, G_N_ELEMENTS (together), 0, together);
    for (guint i = 0; i < G_N_ELEMENTS (together); i++) {
      float alone;

      kg_field_sample_points (both, places + 3 * i, 1, 0, &alone);
      g_assert_cmpfloat (alone, ==, together[i]);
    }
  }
}

/* 20-160: what one method has found is of use to another, and another angle of an adaptive one finds its own. */
static void
test_coherence_between_methods (void)
{
  static const struct {
    PolygonizeMethod method;
    double angle;
    int levels;
  } ways[] = { { POLYGONIZE_WALK, 0.3, 3 },     { POLYGONIZE_FULL, 0.3, 3 },     { POLYGONIZE_OCTREE, 0.3, 3 },
               { POLYGONIZE_ADAPTIVE, 0.3, 3 }, { POLYGONIZE_ADAPTIVE, 0.7, 3 }, { POLYGONIZE_ADAPTIVE, 0.7, 5 },
               { POLYGONIZE_FULL, 0.3, 3 },     { POLYGONIZE_WALK, 0.3, 3 },     { POLYGONIZE_OCTREE, 0.3, 6 } };
  const Key list[] = { { { 0, 0, 0 }, { 1, 0.8, 0.7 }, 1, 0, 0 },
                       { { 0.9, 0.3, 0 }, { 0.7, 0.8, 0.7 }, 1, 0, 0 },
                       { { -2.4, 0.3, 0.4 }, { 0.5, 0.5, 0.7 }, 1, 0, 0 } };
  Store store = store_new (0);
  const KgMemoStore memos = { store_find, store_keep, &store };
  g_autoptr (KgField) field = make_field (list, G_N_ELEMENTS (list));

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    PolygonizeOptions options = { .cell = 0.09,
                                  .origin = { 0.01, -0.02, 0.03 },
                                  .method = ways[i].method,
                                  .levels = ways[i].levels,
                                  .max_angle = ways[i].angle,
                                  .graded = true,
                                  .exact = true,
                                  .normals = true };
    PolygonizeResult plain_result = polygonize_in (field, options), with;

    options.memos = &memos;
    with = polygonize_in (field, options);
    g_assert_true (kg_geometry_equal (plain_result.mesh, with.mesh));
    g_assert_cmpuint (plain_result.cubes, ==, with.cubes);
    g_assert_cmpuint (plain_result.n_missed, ==, with.n_missed);
    /* All is known the second time. */
    if (i == 6)
      g_assert_cmpuint (with.n_samples, ==, 0);
    kg_geometry_unref (plain_result.mesh);
    kg_geometry_unref (with.mesh);
  }
  g_hash_table_unref (store.memos);
}

/* Two keys, a plane, a chain and a triangle.  Some number is a little more than in the others. */
static KgField *
make_varied (guint which)
{
  static const float places[] = { 0,     0,    0,    1.2f, 0.1f, 0, 0.3f, -0.9f, 0,    -1,   0.2f, 0.3f,
                                  -1.5f, 0.8f, 0.3f, 1.5f, 1,    0, 2.2f, 1,     0.3f, 1.8f, 1.6f, 0.2f };
  static const uint32_t chain[] = { 3, 4 }, face[] = { 5, 6, 7 };
  const double more = 0.01;
  KgGeometry *geometry = kg_geometry_new ();
  g_autoptr (SoftKeys) keys = NULL;
  g_autoptr (GError) error = NULL;
  SoftOptions options = { .density = { .kind = DENSITY_GAUSS, .level = 0.5, .blobbiness = 2, .cutoff = 1e-4 },
                          .power = 4 };
  float *p, *axes, *force, *power, *orient;
  int32_t *group, *kind;

  kg_geometry_set_n_points (geometry, 8, NULL);
  p = kg_geometry_edit_positions (geometry);
  axes = kg_geometry_edit_float (geometry, KG_POINTS, "axes", 3);
  force = kg_geometry_edit_float (geometry, KG_POINTS, "force", 1);
  power = kg_geometry_edit_float (geometry, KG_POINTS, "power", 1);
  orient = kg_geometry_edit_float (geometry, KG_POINTS, "orient", 4);
  group = kg_geometry_edit_int (geometry, KG_POINTS, "group", 1);
  kind = kg_geometry_edit_int (geometry, KG_POINTS, "kind", 1);
  memcpy (p, places, sizeof places);
  for (guint i = 0; i < 8; i++) {
    axes[3 * i] = 0.7f;
    axes[3 * i + 1] = axes[3 * i + 2] = 0.6f;
    force[i] = i == 2 ? 0.3f : 1;
    power[i] = i == 1 ? 3 : 2;
    orient[4 * i] = 1;
    group[i] = i == 1;
  }
  kind[2] = SOFT_KEY_PLANE;
  kg_geometry_add_primitive (geometry, &(KgPrimitive){ .kind = KG_POLYLINE, .n_vertices = 2, .vertices = chain });
  kg_geometry_add_primitive (geometry,
                             &(KgPrimitive){ .kind = KG_POLYGON, .closed = true, .n_vertices = 3, .vertices = face });
  switch (which) {
  case 1:
    options.density.level += more;
    break;
  case 2:
    options.density.blobbiness += more;
    break;
  case 3:
    options.density.cutoff *= 2;
    break;
  case 4:
    options.density.kind = DENSITY_WYVILL;
    break;
  case 5:
    options.blend = SOFT_BLEND_MAX;
    break;
  case 6:
  case 7:
    options.blend = SOFT_BLEND_POWER;
    options.power += (which - 6) * more;
    break;
  case 8:
  case 9:
    options.soften = (which - 7) * 0.25;
    break;
  case 10:
  case 11:
    options.sharpness = 3 + (which - 10) * more;
    break;
  case 12:
    group[1] = 0;
    break;
  case 13:
    orient[4] = orient[7] = (float) sqrt (0.5);
    break;
  case 14:
    power[0] += 0.1f;
    break;
  case 15:
    power[1] += 0.1f;
    break;
  case 16:
    kind[2] = SOFT_KEY_ELLIPSOID;
    break;
  case 17:
    group[3] = group[4] = 1;
    break;
  default:
    /* Of each key, and none. */
    if (which >= 18 && which < 26)
      force[which - 18] += (float) more;
    else if (which >= 26 && which < 34)
      p[3 * (which - 26)] += (float) more;
    else if (which >= 34)
      axes[3 * (which - 34)] += (float) more;
  }
  keys = soft_keys_new ((const KgGeometry *const[]){ geometry }, 1, &options, NULL, &error);
  g_assert_no_error (error);
  kg_geometry_unref (geometry);
  return soft_keys_make_field (keys, NULL);
}

/* A little more of any number that a field depends on: the memos of all others are of no use, or the result would differ. */
static void
test_coherent_changes (void)
{
  Store store = store_new (0);
  const KgMemoStore memos = { store_find, store_keep, &store };
  guint n_different = 0;
  g_autoptr (KgGeometry) first = NULL;

  for (guint which = 0; which < 42; which++) {
    g_autoptr (KgField) field = make_varied (which);
    PolygonizeOptions options = { .cell = 0.6,
                                  .low = { -3, -2, -2 },
                                  .high = { 4, 3, 2 },
                                  .level = kg_field_get_level (field),
                                  .exact = true,
                                  .normals = true };
    const PolygonizeResult without = polygonize_in (field, options);
    PolygonizeResult with;

    options.memos = &memos;
    with = polygonize_in (field, options);
    g_assert_true (kg_geometry_equal (without.mesh, with.mesh));
    n_different += which > 0 && !kg_geometry_equal (with.mesh, first);
    if (which == 0)
      first = kg_geometry_ref (with.mesh);
    kg_geometry_unref (with.mesh);
    kg_geometry_unref (without.mesh);
  }
  /* (Chains and faces take the force of their first point.) */
  g_assert_cmpuint (n_different, >, 30);
  g_hash_table_unref (store.memos);
}

/* Of two keys far apart one moves: nothing near the other is looked at again.  The same frame once more takes no look. */
static void
test_coherent_blocks (void)
{
  Store store = store_new (0);
  const KgMemoStore memos = { store_find, store_keep, &store };
  const PolygonizeOptions options = {
    .cell = 0.05, .low = { -2, -2, -2 }, .high = { 10, 2, 2 }, .exact = true, .normals = true, .memos = &memos
  };
  Key list[] = { BALL (0, 1, 1), BALL (8, 1, 1) };
  size_t samples[3];

  for (int frame = 0; frame < 3; frame++) {
    g_autoptr (KgField) field = NULL;
    PolygonizeResult r;

    list[1].center.y = frame == 2 ? 0.1 : 0;
    field = make_field (list, 2);
    r = polygonize_in (field, options);
    samples[frame] = r.n_samples;
    g_assert_cmpuint (r.pieces, ==, 2);
    kg_geometry_unref (r.mesh);
  }
  g_assert_cmpuint (samples[1], ==, 0);
  g_assert_cmpuint (samples[2], >, 0);
  g_assert_cmpuint (2 * samples[2], <, samples[0]);
  g_hash_table_unref (store.memos);
}

static KgField *
make_shape (ImplicitShape shape, KgVector size, double e1, double e2)
{
  const ImplicitOptions options = {
    .shape = shape, .size = size, .north_south = e1, .east_west = e2, .transform = kg_transform_identity ()
  };

  return implicit_shape_new (&options, NULL);
}

/* Volumes of simple bodies from their polygons, and distances at a place. */
static void
test_shapes (void)
{
  static const struct {
    ImplicitShape shape;
    KgVector size;
    double e1, e2, volume;
  } facts[] = {
    { IMPLICIT_SPHERE, { 1, 1, 1 }, 1, 1, 4.18879020 },
    { IMPLICIT_BOX, { 0.5, 0.6, 0.7 }, 1, 1, 1.68 },
    { IMPLICIT_CYLINDER, { 0.5, 0.8, 0 }, 1, 1, G_PI * 0.25 * 1.6 },
    { IMPLICIT_CONE, { 0.5, 0.8, 0 }, 1, 1, G_PI * 0.25 * 1.6 / 3 },
    { IMPLICIT_TORUS, { 0.7, 0.2, 0 }, 1, 1, 2 * G_PI * G_PI * 0.7 * 0.04 },
    { IMPLICIT_SUPERQUADRIC, { 1, 1, 1 }, 1, 1, 4.18879020 },
    { IMPLICIT_SUPERQUADRIC, { 1, 1, 1 }, 2, 2, 4.0 / 3 },
    { IMPLICIT_SUPERQUADRIC, { 1, 1, 1 }, 0.5, 0.5, 6.48198735 },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (facts); i++) {
    g_autoptr (KgField) field = make_shape (facts[i].shape, facts[i].size, facts[i].e1, facts[i].e2);
    const PolygonizeResult r = polygonize_in (
        field, (PolygonizeOptions){
                   .cell = 0.041, .origin = { 0.003, 0.005, 0.007 }, .exact = true, .surface = POLYGONIZE_DUAL });
    g_autoptr (KgGeometry) mesh = r.mesh;

    g_assert_cmpuint (r.n_open, ==, 0);
    assert_near (r.volume, facts[i].volume, 0.004 * facts[i].volume);
  }
}

/* A key of radius 1 cut off at x = 0.4: a cap of the height 0.6 is missing (π h² (3r − h)/3); and two spheres that leave nothing of each other. */
static void
test_combine (void)
{
  const Key list[] = { BALL (0, 2, 1) };
  const ImplicitOptions half = { .shape = IMPLICIT_BOX,
                                 .size = { 1, 2, 2 },
                                 .transform = kg_transform_from_parts (kg_vector (1.4, 0, 0), kg_rotation_identity (),
                                                                       kg_vector (1, 1, 1)) };
  g_autoptr (KgField) ball = make_field (list, 1), box = implicit_shape_new (&half, NULL);
  const KgField *const fields[] = { ball, box }, *const same[] = { ball, ball };
  g_autoptr (KgField) cut = solid_algebra_new (SOLID_DIFFERENCE, 8, fields, 2, NULL);
  g_autoptr (KgField) nothing = solid_algebra_new (SOLID_DIFFERENCE, 8, same, 2, NULL);
  PolygonizeResult r =
      polygonize_in (cut, (PolygonizeOptions){ .cell = 0.05, .exact = true, .surface = POLYGONIZE_DUAL });
  const float *p = kg_geometry_get_positions (r.mesh);
  double flat = 0, furthest = -1;

  assert_near (r.volume, 4 * G_PI / 3 - G_PI * 0.36 * 2.4 / 3, 0.003);
  for (size_t i = 0; i < kg_geometry_get_n_points (r.mesh); i++) {
    furthest = MAX (furthest, (double) p[3 * i]);
    if ((double) p[3 * i] > 0.399)
      flat = MAX (flat, hypot ((double) p[3 * i + 1], (double) p[3 * i + 2]));
  }
  assert_near (furthest, 0.4, 0.005);
  assert_near (flat, 0.9165151, 0.01);
  kg_geometry_unref (r.mesh);
  r = polygonize_in (nothing, (PolygonizeOptions){ .cell = 0.05 });
  assert_near (r.volume, 0, 1e-6);
  kg_geometry_unref (r.mesh);
}

static void
test_operations (void)
{
  static const double powers[] = { 1, 2, 8 }, unions[] = { 2, 1.4142136, 1.0905077 };

  g_assert_cmpfloat (solid_algebra_combine (SOLID_BLEND, 8, 1, 1, NULL, NULL), ==, 2);
  for (int i = 0; i < 3; i++)
    assert_near (solid_algebra_combine (SOLID_RICCI_UNION, powers[i], 1, 1, NULL, NULL), unions[i], 1e-7);
  g_assert_cmpfloat (solid_algebra_combine (SOLID_RICCI_INTERSECTION, 2, 1, 0, NULL, NULL), ==, 0);
  /* Derivatives, off the creases. */
  for (SolidOperation operation = 0; operation < SOLID_N_OPERATIONS; operation++) {
    const double h = 0.9, k = 0.7, e = 1e-6;
    double by_h, by_k;

    solid_algebra_combine (operation, 3, h, k, &by_h, &by_k);
    assert_near (by_h,
                 (solid_algebra_combine (operation, 3, h + e, k, NULL, NULL) -
                  solid_algebra_combine (operation, 3, h - e, k, NULL, NULL)) /
                     (2 * e),
                 1e-6);
    assert_near (by_k,
                 (solid_algebra_combine (operation, 3, h, k + e, NULL, NULL) -
                  solid_algebra_combine (operation, 3, h, k - e, NULL, NULL)) /
                     (2 * e),
                 1e-6);
  }
}

/* Bounds that the surface leaves, cells that are too many, nothing at all. */
static void
test_bad (void)
{
  const Key list[] = { BALL (0, 1, 1) };
  g_autoptr (KgField) field = make_field (list, 1), none = make_field (NULL, 0);
  PolygonizeOptions options = {
    .cell = 1e-3, .low = { -1, -1, -1 }, .high = { 1, 1, 1 }, .level = 0.5, .limit = 100000
  };
  g_autoptr (GError) error = NULL;
  PolygonizeResult r =
      polygonize_in (field, (PolygonizeOptions){ .cell = 0.1, .low = { -1, -1, -1 }, .high = { 0.2, 1, 1 } });

  g_assert_cmpuint (r.n_open, >, 0);
  kg_geometry_unref (r.mesh);
  options.method = POLYGONIZE_FULL;
  g_assert_false (polygonize (field, &options, NULL, &r, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  g_clear_error (&error);
  options.method = POLYGONIZE_WALK;
  g_assert_false (polygonize (field, &options, NULL, &r, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  g_clear_error (&error);
  options.cell = 1e-9;
  g_assert_false (polygonize (field, &options, NULL, &r, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  r = polygonize_in (none, (PolygonizeOptions){ .cell = 0.1, .low = { -1, -1, -1 }, .high = { 1, 1, 1 } });
  g_assert_cmpuint (r.cubes, ==, 0);
  kg_geometry_unref (r.mesh);
}

/* Keys without extent, flat ones, and coincident ones. */
static void
test_bad_keys (void)
{
  const Key list[] = {
    { .axes = { 0, 0, 0 }, .force = 1 }, { .axes = { 1, 0, 1 }, .force = 1 }, BALL (0, 1, 1e30f), BALL (0, 1, 1)
  };
  g_autoptr (SoftKeys) keys = read_keys (list, 4, &plain);
  KgVector gradient;

  g_assert_cmpuint (soft_keys_get_n (keys), ==, 2);
  g_assert_cmpuint (soft_keys_get_n_skipped (keys), ==, 1);
  g_assert_true (isfinite (soft_keys_get_value (keys, kg_vector (0, 0, 0), &gradient)));
  g_assert_true (kg_vector_is_finite (gradient));
}

/* The surface is an offset of a segment, also past its ends, and of a triangle; an ellipsoid has half its axes of influence. */
static void
test_cores (void)
{
  static const float triangle[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
  static const uint32_t corners[] = { 0, 1, 2 };
  static const double off[][2] = { { 0.5, 0.4 }, { 2.4, 0 }, { -0.4, 0 }, { 2.24, 0.32 } }; /* from (0, 0) to (2, 0) */
  static const Key long_key[] = { { .center = { 0, 0, 0 }, .axes = { 2, 1, 1 }, .force = 1 } };
  g_autoptr (SoftKeys) ellipsoid = read_keys (long_key, 1, &plain);
  g_autoptr (GError) error = NULL;

  assert_near (value_at (ellipsoid, 1, 0, 0), 0.5, 1e-12);
  assert_near (value_at (ellipsoid, 0, 0.5, 0), 0.5, 1e-12);
  assert_near (value_at (ellipsoid, 0, 0, 0.5), 0.5, 1e-12);
  for (int faces = 0; faces < 2; faces++) {
    g_autoptr (KgGeometry) geometry = kg_geometry_new ();
    const KgGeometry *const geometries[] = { geometry };
    g_autoptr (SoftKeys) keys = NULL;
    float *axes;

    kg_geometry_set_n_points (geometry, faces ? 3 : 2, NULL);
    memcpy (kg_geometry_edit_positions (geometry), triangle, (faces ? 9 : 6) * sizeof (float));
    if (!faces)
      kg_geometry_edit_positions (geometry)[3] = 2;
    axes = kg_geometry_edit_float (geometry, KG_POINTS, "axes", 3);
    for (int k = 0; k < (faces ? 9 : 6); k++)
      axes[k] = 0.8f;
    kg_geometry_add_primitive (
        geometry,
        &(KgPrimitive){ .kind = faces ? KG_POLYGON : KG_POLYLINE, .n_vertices = faces ? 3 : 2, .vertices = corners });
    keys = soft_keys_new (geometries, 1, &plain, NULL, &error);
    g_assert_no_error (error);
    for (size_t k = 0; k < G_N_ELEMENTS (off) && !faces; k++)
      assert_near (value_at (keys, off[k][0], off[k][1], 0), 0.5, 1e-7);
    for (int k = 1; k < 4 && faces; k++)
      for (int side = -1; side < 2; side += 2)
        assert_near (value_at (keys, 0.2 * k, 0.1 * k, 0.4 * side), 0.5, 1e-7);
    /* Beyond the right angle it is a sphere around the corner. */
    if (faces)
      assert_near (value_at (keys, -0.24, -0.32, 0), 0.5, 1e-7);
  }
}

/* A chain through n places, with an influence at each, as a convolution surface. */
static SoftKeys *
read_chain (const double (*places)[3], const double *axes, uint32_t n, double sharpness)
{
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  const KgGeometry *const geometries[] = { geometry };
  g_autofree uint32_t *indices = g_new (uint32_t, n);
  g_autoptr (GError) error = NULL;
  SoftOptions options = plain;
  SoftKeys *keys;
  float *p, *a;

  kg_geometry_set_n_points (geometry, n, NULL);
  p = kg_geometry_edit_positions (geometry);
  a = kg_geometry_edit_float (geometry, KG_POINTS, "axes", 3);
  for (uint32_t i = 0; i < n; i++) {
    indices[i] = i;
    for (uint32_t c = 0; c < 3; c++) {
      p[3 * i + c] = (float) places[i][c];
      a[3 * i + c] = (float) axes[i];
    }
  }
  kg_geometry_add_primitive (geometry, &(KgPrimitive){ .kind = KG_POLYLINE, .n_vertices = n, .vertices = indices });
  options.sharpness = sharpness;
  keys = soft_keys_new (geometries, 1, &options, NULL, &error);
  g_assert_no_error (error);
  return keys;
}

/* The parts of a segment have the field and the gradient of the whole. */
static void
test_halves (void)
{
  static const double whole[][3] = { { -1, 0.5, 0.25 }, { 1, -0.5, 0.75 } };
  static const double parts[][3] = { { -1, 0.5, 0.25 }, { 0, 0, 0.5 }, { 0.5, -0.25, 0.625 }, { 1, -0.5, 0.75 } };
  static const double axes[] = { 0.75, 0.75, 0.75, 0.75 };
  g_autoptr (SoftKeys) one = read_chain (whole, axes, 2, 3), three = read_chain (parts, axes, 4, 3);
  size_t felt = 0;

  for (uint64_t i = 0; i < 500; i++) {
    const KgVector p = { 4 * kg_random_uniform (1, i, 0) - 2, 3 * kg_random_uniform (1, i, 1) - 1.5,
                         3 * kg_random_uniform (1, i, 2) - 1 };
    KgVector a, b;
    const double value = soft_keys_get_value (one, p, &a);

    assert_near (soft_keys_get_value (three, p, &b), value, 1e-12);
    assert_vector_near (b, a.x, a.y, a.z, 1e-11);
    felt += value > 0;
  }
  g_assert_cmpuint (felt, >, 50);
}

/* The closed form against the sum over many parts of the segment; the gradient against differences. */
static void
test_closed_form (void)
{
  static const double sharp[] = { 0.5, 3, 20 };
  const KgVector a = { 0, 0, 0 }, b = { 0.8, 0.4, -0.4 };
  enum { N = 100000 };

  for (size_t k = 0; k < G_N_ELEMENTS (sharp); k++) {
    const LineKernel kernel = { sharp[k], 0.5 };
    const double s2 = sharp[k] * sharp[k], cut = 1 / ((1 + s2) * (1 + s2)), length = kg_vector_distance (a, b) / 0.5;

    for (uint64_t i = 0; i < 12; i++) {
      const KgVector p = { kg_random_uniform (2, i, 0), kg_random_uniform (2, i, 1) - 0.3,
                           kg_random_uniform (2, i, 2) - 0.7 };
      const double h = 1e-5;
      KgVector gradient = { 0, 0, 0 }, other = { 0, 0, 0 };
      const double value = line_convolution_get (&kernel, a, b, 1, 0.25, p, &gradient);
      double sum = 0;

      for (int n = 0; n < N; n++) {
        const double t = (n + 0.5) / N, r = kg_vector_distance (p, kg_vector_lerp (a, b, t)) / 0.5;

        sum += r < 1 ? (1 - 0.75 * t) * (1 / ((1 + s2 * r * r) * (1 + s2 * r * r)) - cut) : 0;
      }
      assert_near (value, sum * length / N, 1e-7);
      for (size_t c = 0; c < 3; c++) {
        KgVector low = p, high = p;

        *kg_vector_component (&low, c) -= h;
        *kg_vector_component (&high, c) += h;
        assert_near (kg_vector_get (gradient, c),
                     (line_convolution_get (&kernel, a, b, 1, 0.25, high, &other) -
                      line_convolution_get (&kernel, a, b, 1, 0.25, low, &other)) /
                         (2 * h),
                     2e-5);
      }
    }
  }
}

/* A long line has the body of a key; one that becomes thinner has that of its radius; nothing is beyond the influence. */
static void
test_convolved_bodies (void)
{
  static const double line[][3] = { { -10, 0, 0 }, { 10, 0, 0 } }, point[][3] = { { 1, 0, 0 }, { 1, 0, 0 } };
  static const double even[] = { 1, 1 }, thinner[] = { 1, 0.5 };
  g_autoptr (SoftKeys) keys = read_chain (line, even, 2, 3), cone = read_chain (line, thinner, 2, 3);
  g_autoptr (SoftKeys) empty = read_chain (point, even, 2, 3);
  KgVector low, high;

  assert_near (radius_at (keys, 0), 0.5, 1e-9);
  assert_near (radius_at (cone, -9), 0.4875, 0.01);
  assert_near (radius_at (cone, 9), 0.2625, 0.02);
  soft_keys_get_bounds (keys, &low, &high);
  assert_vector_near (low, -11, -1, -1, 1e-12);
  assert_vector_near (high, 11, 1, 1, 1e-12);
  g_assert_cmpfloat (value_at (keys, 0, 1, 0), ==, 0);
  g_assert_cmpfloat (value_at (keys, 10.99, 0, 0), >, 0);
  g_assert_cmpfloat (value_at (keys, 11, 0, 0), ==, 0);
  /* Without length a line is a key. */
  assert_near (value_at (empty, 1.5, 0, 0), 0.5, 1e-12);
}

/* Of hundreds of keys the mesh has the bits of that of the full grid, with and without threads. */
static void
test_many_keys (void)
{
  enum { N = 700 };
  g_autofree Key *list = g_new0 (Key, N);
  g_autoptr (KgField) field = NULL;
  const int n_threads = omp_get_max_threads ();
  PolygonizeOptions options = { .cell = 0.07, .exact = true, .normals = true, .triangles = true };
  PolygonizeResult full, walked, alone;

  for (uint64_t k = 0; k < N; k++) {
    for (size_t c = 0; c < 3; c++)
      *kg_vector_component (&list[k].center, c) = 5 * kg_random_uniform (21, k, c);
    list[k].axes = kg_vector (0.3, 0.25 + 0.2 * kg_random_uniform (21, k, 3), 0.35);
    list[k].force = k % 7 == 3 ? -0.7f : 1;
  }
  field = make_field (list, N);
  walked = polygonize_in (field, options);
  omp_set_num_threads (1);
  alone = polygonize_in (field, options);
  omp_set_num_threads (n_threads);
  options.method = POLYGONIZE_FULL;
  full = polygonize_in (field, options);
  g_assert_cmpuint (walked.pieces, >, 20);
  g_assert_true (kg_geometry_equal (walked.mesh, full.mesh));
  g_assert_true (kg_geometry_equal (walked.mesh, alone.mesh));
  kg_geometry_unref (walked.mesh);
  kg_geometry_unref (alone.mesh);
  kg_geometry_unref (full.mesh);
}

/* 20-155: values without slopes have the bits of those with them, wherever places are and however many keys reach them. */
static void
test_values_alone (void)
{
  enum { N = 90, N_PLACES = 2500 };
  g_autofree float *places = g_new (float, 3 * N_PLACES), *alone = g_new (float, N_PLACES);
  g_autofree float *values = g_new (float, N_PLACES), *slopes = g_new (float, 3 * N_PLACES);
  Key list[N];

  for (uint64_t k = 0; k < N; k++) {
    list[k] = (Key){ .axes = { 0.8, 0.3 + kg_random_uniform (31, k, 3), 0.6 }, .force = k % 4 == 1 ? -0.5f : 1 };
    for (size_t c = 0; c < 3; c++)
      *kg_vector_component (&list[k].center, c) = 2 * kg_random_uniform (31, k, c);
  }
  for (uint64_t i = 0; i < 3 * N_PLACES; i++)
    places[i] = (float) (-0.5 + 3 * kg_random_uniform (32, i, 0));
  /* Blocks that 90, 30 and none of the keys are near; the last key but the power of an ellipsoid is another path. */
  for (int round = 0; round < 4; round++) {
    g_autoptr (KgField) field = NULL;
    const guint n = round == 1 ? 30 : round == 2 ? 1 : N;

    list[N - 1].power = round == 3 ? 3 : 2;
    field = make_field (list, n);
    kg_field_sample_points (field, places, N_PLACES, 0, alone);
    kg_field_sample_gradients (field, places, N_PLACES, 0, 1e-3, values, slopes);
    g_assert_cmpmem (alone, N_PLACES * sizeof *alone, values, N_PLACES * sizeof *values);
  }
}

/* 20-152: exact vertices are on the surface to a hundred-thousandth of a cell, and what floats cannot tell apart. */
static void
test_exact_vertices (void)
{
  Key list[30];
  g_autoptr (KgField) field = NULL;
  g_autofree float *values = NULL, *slopes = NULL;
  const double cell = 0.06;
  PolygonizeResult r;
  size_t n;

  for (uint64_t k = 0; k < G_N_ELEMENTS (list); k++) {
    list[k] = (Key){ .axes = { 0.8, 0.4 + 0.5 * kg_random_uniform (33, k, 3), 0.6 }, .force = k % 5 == 1 ? -0.6f : 1 };
    for (size_t c = 0; c < 3; c++)
      *kg_vector_component (&list[k].center, c) = 2 * kg_random_uniform (33, k, c);
  }
  field = make_field (list, G_N_ELEMENTS (list));
  r = polygonize_in (field, (PolygonizeOptions){ .cell = cell, .exact = true });
  n = kg_geometry_get_n_points (r.mesh);
  g_assert_cmpuint (n, >, 3000);
  values = g_new (float, n);
  slopes = g_new (float, 3 * n);
  kg_field_sample_gradients (field, kg_geometry_get_positions (r.mesh), n, 0, 1e-3, values, slopes);
  for (size_t i = 0; i < n; i++) {
    const double slope = hypot (hypot ((double) slopes[3 * i], (double) slopes[3 * i + 1]), (double) slopes[3 * i + 2]);

    /* Coordinates up to 4 m are rounded to a quarter of a millionth. */
    g_assert_cmpfloat (fabs ((double) values[i] - 0.5), <, (1e-5 * cell + 3e-7) * slope + 1e-6);
  }
  kg_geometry_unref (r.mesh);
}

/* 20-153: what walking looks at grows with the surface, not with the box. */
static void
test_surface_alone (void)
{
  const Key list[] = { { { 0, 0, 0 }, { 0.6, 0.5, 0.7 }, 1, 0, 0 }, { { 3, 3, 3 }, { 0.5, 0.5, 0.5 }, 1, 0, 0 } };
  g_autoptr (KgField) field = make_field (list, 2);
  size_t samples[2], cubes[2];

  for (int i = 0; i < 2; i++) {
    const PolygonizeResult r = polygonize_in (field, (PolygonizeOptions){ .cell = i == 0 ? 0.04 : 0.02 });

    samples[i] = r.n_samples;
    cubes[i] = r.cubes;
    g_assert_cmpuint (r.pieces, ==, 2);
    kg_geometry_unref (r.mesh);
  }
  /* Half a cell is a quarter of the area; the coarse scan, up to 48³ places, is the same. */
  g_assert_cmpuint (10 * cubes[1], >, 38 * cubes[0]);
  g_assert_cmpuint (samples[1] - samples[0], <, 16 * (cubes[1] - cubes[0]));
  g_assert_cmpuint (samples[1], <, 250 * 250 * 250 / 50);
}

/* 55-80: the normal of a ball is radial with every density, that of two equal balls lies in the plane between them; where the
 * slope is nothing there is none. */
static void
test_normals (void)
{
  const Key two[] = { { { -0.3, 0, 0 }, { 1, 1, 1 }, 1, 0, 0 }, { { 0.3, 0, 0 }, { 1, 1, 1 }, 1, 0, 0 } };
  const Key one[] = { { { 0, 0, 0 }, { 1, 1, 1 }, 1, 0, 0 } };

  for (int kind = 0; kind < DENSITY_N_KINDS; kind++) {
    SoftOptions options = plain;
    g_autoptr (SoftKeys) ball = NULL, pair = NULL;

    options.density.kind = (DensityKind) kind;
    ball = read_keys (one, 1, &options);
    pair = read_keys (two, 2, &options);
    for (uint64_t i = 0; i < 20; i++) {
      KgVector p, slope;

      for (size_t c = 0; c < 3; c++)
        *kg_vector_component (&p, c) = 0.9 * kg_random_uniform (4, i, c) - 0.45;
      soft_keys_get_value (ball, p, &slope);
      g_assert_cmpfloat (kg_vector_length (slope), >, 0);
      assert_near (kg_vector_dot (slope, p), -kg_vector_length (slope) * kg_vector_length (p), 1e-12);
      p.x = 0;
      soft_keys_get_value (pair, p, &slope);
      assert_near (slope.x, 0, 1e-12);
    }
    {
      KgVector slope;

      soft_keys_get_value (ball, kg_vector (0, 0, 0), &slope);
      assert_near (kg_vector_length (slope), 0, 1e-12);
      soft_keys_get_value (ball, kg_vector (4, 4, 4), &slope);
      assert_near (kg_vector_length (slope), 0, 0);
    }
  }
}

/* Crossings are counted in vectors; here one by one, for keys of two parts in any places. */
static void
test_crossings (void)
{
  enum { N = 777 };
  const MatchOptions options = { .method = MATCH_ORDER };
  g_autoptr (KgGeometry) source = kg_geometry_new (), destination = kg_geometry_new ();
  KgGeometry *const keys[] = { source, destination };
  g_autoptr (GError) error = NULL;
  g_auto (KeyMatch) match = { NULL, NULL, NULL, 0 };
  size_t n = 0;

  for (guint g = 0; g < 2; g++) {
    float *p;
    int32_t *part;

    kg_geometry_set_n_points (keys[g], N, &error);
    g_assert_no_error (error);
    p = kg_geometry_edit_positions (keys[g]);
    part = kg_geometry_edit_int (keys[g], KG_POINTS, "part", 1);
    for (guint i = 0; i < 3 * N; i++)
      p[i] = (float) kg_random_uniform (5, g, i);
    for (guint i = 0; i < N; i++)
      part[i] = i % 3 == 0;
  }
  g_assert_true (match_keys (source, destination, &options, NULL, &match, &error));
  g_assert_cmpuint (match.pairs->len, ==, N);
  for (guint i = 0; i < N; i++)
    for (guint k = 0; k < i; k++) {
      const KeyPair *a = &g_array_index (match.pairs, KeyPair, i), *b = &g_array_index (match.pairs, KeyPair, k);

      n += (a->source % 3 == 0) == (b->source % 3 == 0) &&
           kg_vector_dot (kg_vector_subtract (a->from, b->from), kg_vector_subtract (a->to, b->to)) < 0;
    }
  g_assert_cmpuint (n, >, N);
  g_assert_cmpuint (match.crossings, ==, n);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/soft/20-142-55-83-densities", test_densities);
  g_test_add_func ("/soft/55-81-steepest", test_steepest);
  g_test_add_func ("/soft/55-88-bodies", test_bodies);
  g_test_add_func ("/soft/20-143-gauss", test_gauss);
  g_test_add_func ("/soft/20-141-two-keys", test_two_keys);
  g_test_add_func ("/soft/55-85-55-86-cores", test_cores);
  g_test_add_func ("/soft/20-144-convolved-halves", test_halves);
  g_test_add_func ("/soft/20-144-convolved-closed-form", test_closed_form);
  g_test_add_func ("/soft/20-144-convolved-bodies", test_convolved_bodies);
  g_test_add_func ("/soft/20-170-spacing", test_spacing);
  g_test_add_func ("/soft/20-149-approach", test_approach);
  g_test_add_func ("/soft/20-148-negative", test_negative);
  g_test_add_func ("/soft/55-84-weights", test_weights);
  g_test_add_func ("/soft/20-147-super-ellipsoids", test_super_ellipsoids);
  g_test_add_func ("/soft/20-141-frame", test_frame);
  g_test_add_func ("/soft/20-144-chains-and-faces", test_chains_and_faces);
  g_test_add_func ("/soft/20-150-gradients", test_gradients);
  g_test_add_func ("/soft/20-145-bulge", test_bulge);
  g_test_add_func ("/soft/20-145-groups", test_groups);
  g_test_add_func ("/soft/20-158-loops", test_loops);
  g_test_add_func ("/soft/20-158-printed-loops", test_printed_loops);
  g_test_add_func ("/soft/20-159-ambiguous", test_ambiguous);
  g_test_add_func ("/soft/20-152-ball", test_ball);
  g_test_add_func ("/soft/20-151-exact", test_exact);
  g_test_add_func ("/soft/20-159-tetrahedra", test_tetrahedra);
  g_test_add_func ("/soft/20-154-cavity", test_cavity);
  g_test_add_func ("/soft/20-154-missed", test_missed);
  g_test_add_func ("/soft/20-153-closed", test_closed);
  g_test_add_func ("/soft/20-160-coherence", test_coherence);
  g_test_add_func ("/soft/20-155-20-160-key-grid", test_key_grid);
  g_test_add_func ("/soft/20-160-coherence-full", test_coherence_full);
  g_test_add_func ("/soft/20-160-coherence-octree", test_coherence_octree);
  g_test_add_func ("/soft/20-160-coherence-adaptive", test_coherence_adaptive);
  g_test_add_func ("/soft/20-160-coherence-between-methods", test_coherence_between_methods);
  g_test_add_func ("/soft/20-160-blocks", test_coherent_blocks);
  g_test_add_func ("/soft/20-160-changes", test_coherent_changes);
  g_test_add_func ("/soft/20-017-20-019-shapes", test_shapes);
  g_test_add_func ("/soft/20-146-combine", test_combine);
  g_test_add_func ("/soft/20-018-20-146-operations", test_operations);
  g_test_add_func ("/soft/20-153-many-keys", test_many_keys);
  g_test_add_func ("/soft/20-155-values-alone", test_values_alone);
  g_test_add_func ("/soft/20-152-exact-vertices", test_exact_vertices);
  g_test_add_func ("/soft/20-153-surface-alone", test_surface_alone);
  g_test_add_func ("/soft/55-80-normals", test_normals);
  g_test_add_func ("/soft/crossings", test_crossings);
  g_test_add_func ("/soft/bad-lattices", test_bad);
  g_test_add_func ("/soft/bad-keys", test_bad_keys);
  return g_test_run ();
}
