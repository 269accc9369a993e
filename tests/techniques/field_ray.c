/* tests/techniques/field_ray: rays against spheres, tori and sums of keys in closed form, and against a search in fine steps.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "kg-random.h"
#include "soft/field_ray.h"
#include "soft/implicit_shape.h"
#include "soft/soft_keys.h"

static const FieldRayOptions plain = { .level = 0.5, .reach = 100, .step = 0.01 };

/* Keys in rows of 7: place, axes, force; power: of all. */
static SoftKeys *
make_keys (const float *rows, size_t n, double power, DensityKind density, SoftBlend blend)
{
  const SoftOptions options = { .density = { .kind = density, .level = 0.5, .blobbiness = 2, .cutoff = 1e-4 },
                                .blend = blend,
                                .power = 4 };
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  const KgGeometry *const geometries[] = { geometry };
  g_autoptr (GError) error = NULL;
  SoftKeys *keys;

  kg_geometry_set_n_points (geometry, n, NULL);
  for (size_t i = 0; i < n; i++) {
    memcpy (kg_geometry_edit_positions (geometry) + 3 * i, rows + 7 * i, 3 * sizeof (float));
    memcpy (kg_geometry_edit_float (geometry, KG_POINTS, "axes", 3) + 3 * i, rows + 7 * i + 3, 3 * sizeof (float));
    kg_geometry_edit_float (geometry, KG_POINTS, "force", 1)[i] = rows[7 * i + 6];
    kg_geometry_edit_float (geometry, KG_POINTS, "power", 1)[i] = (float) power;
  }
  keys = soft_keys_new (geometries, 1, &options, NULL, &error);
  g_assert_no_error (error);
  return keys;
}

static const float two[] = { 0, 0, 0, 1, 1, 1, 1, 0.875f, 0.25f, 0, 0.75f, 0.75f, 0.75f, 1 };

/* The two keys of the catalogue, by polynomials. */
static void
test_two_keys (void)
{
  g_autoptr (SoftKeys) keys = make_keys (two, 2, 2, DENSITY_WYVILL, SOFT_BLEND_SUM);
  g_autoptr (KgField) field = soft_keys_make_field (keys, NULL);
  const KgVector x = { 1, 0, 0 };
  FieldRayHit hit = field_ray_follow (field, &plain, kg_vector (-3, 0, 0), x);

  g_assert_cmpuint (hit.n, ==, 2);
  g_assert_false (hit.inside);
  assert_near (hit.t[0], 2.5, 1e-12);
  assert_near (hit.t[1], 4.1545085, 5e-8);
  hit = field_ray_follow (field, &plain, kg_vector (-3, 0.3, 0), x);
  g_assert_cmpuint (hit.n, ==, 2);
  assert_near (hit.t[0], 2.6, 1e-12);
  assert_near (hit.t[1], 4.2466517, 5e-8);
  /* From within, away, beyond the reach, past. */
  hit = field_ray_follow (field, &plain, kg_vector (0, 0, 0), kg_vector (-1, 0, 0));
  g_assert_true (hit.inside);
  g_assert_cmpuint (hit.n, ==, 1);
  assert_near (hit.t[0], 0.5, 1e-12);
  g_assert_cmpuint (field_ray_follow (field, &plain, kg_vector (-3, 0, 0), kg_vector (-1, 0, 0)).n, ==, 0);
  g_assert_cmpuint (
      field_ray_follow (field, &(FieldRayOptions){ .level = 0.5, .reach = 2.4, .step = 1 }, kg_vector (-3, 0, 0), x).n,
      ==, 0);
  g_assert_cmpuint (field_ray_follow (field, &plain, kg_vector (-3, 0, 0.8), x).n, ==, 0);
}

/* A grazing ray: a hair below the pole of the ball it enters and leaves, a hair above it passes. */
static void
test_grazing (void)
{
  const float one[] = { 0, 0, 0, 1, 1, 1, 1 };
  g_autoptr (SoftKeys) keys = make_keys (one, 1, 2, DENSITY_WYVILL, SOFT_BLEND_SUM);
  g_autoptr (KgField) field = soft_keys_make_field (keys, NULL);

  for (int k = 2; k <= 10; k++) {
    const double below = 0.5 - pow (10, -k), half = sqrt (0.25 - below * below);
    const FieldRayHit hit = field_ray_follow (field, &plain, kg_vector (-3, below, 0), kg_vector (1, 0, 0));

    g_assert_cmpuint (hit.n, ==, 2);
    assert_near (hit.t[0], 3 - half, 1e-6 * half + 1e-10);
    assert_near (hit.t[1], 3 + half, 1e-6 * half + 1e-10);
    g_assert_cmpuint (field_ray_follow (field, &plain, kg_vector (-3, 0.5 + pow (10, -k), 0), kg_vector (1, 0, 0)).n,
                      ==, 0);
  }
}

/* The first place where the sign changes, in steps of 1e-4. */
static double
search (const SoftKeys *keys, KgVector origin, KgVector direction)
{
  const bool inside = soft_keys_get_value (keys, origin, NULL) >= 0.5;

  for (int i = 1; i < 60000; i++)
    if ((soft_keys_get_value (keys, kg_vector_add_scaled (origin, 1e-4 * i, direction), NULL) >= 0.5) != inside)
      return 1e-4 * i;
  return -1;
}

/* Keys at random, of both signs, of all densities, blends and powers: the first crossing is the first. */
static void
test_random (void)
{
  guint n_hits = 0, n_wanted = 0;

  for (uint64_t round = 0; round < 40; round++) {
    float rows[7 * 8];
    g_autoptr (SoftKeys) keys = NULL;
    g_autoptr (KgField) field = NULL;

    for (uint64_t k = 0; k < 8; k++) {
      for (uint64_t c = 0; c < 3; c++) {
        rows[7 * k + c] = (float) (2 * kg_random_uniform (2, round, 8 * k + c));
        rows[7 * k + 3 + c] = (float) (0.3 + 0.7 * kg_random_uniform (2, round, 8 * k + 3 + c));
      }
      rows[7 * k + 6] = k % 4 == 3 ? -1 : 1;
    }
    keys = make_keys (rows, 8, round % 3 == 2 ? 1.5 + (double) (round % 4) : 2, (DensityKind) (round % DENSITY_N_KINDS),
                      (SoftBlend) (round / 8 % SOFT_BLEND_N_KINDS));
    field = soft_keys_make_field (keys, NULL);
    for (uint64_t i = 0; i < 6; i++) {
      const KgVector origin = { -1, 2 * kg_random_uniform (3, round, 4 * i),
                                2 * kg_random_uniform (3, round, 4 * i + 1) };
      const KgVector direction = kg_vector_normalize_or (
          kg_vector (1, kg_random_uniform (3, round, 4 * i + 2) - 0.5, kg_random_uniform (3, round, 4 * i + 3) - 0.5),
          kg_vector (1, 0, 0));
      const FieldRayHit hit = field_ray_follow (field, &plain, origin, direction);
      const double wanted = search (keys, origin, direction);

      if (wanted >= 0) {
        g_assert_cmpuint (hit.n, >, 0);
        /* What is thinner than a step of the search may come before. */
        g_assert_cmpfloat (hit.t[0], <=, wanted);
        n_wanted++;
        if (hit.t[0] >= wanted - 1.01e-4)
          n_hits++;
        assert_near (soft_keys_get_value (keys, kg_vector_add_scaled (origin, hit.t[0], direction), NULL), 0.5, 1e-8);
      } else {
        g_assert_cmpuint (hit.n, ==, 0);
      }
    }
  }
  g_assert_cmpuint (n_wanted, >, 60);
  g_assert_cmpuint (n_hits + 1, >=, n_wanted);
}

/* Bars of two radii and faces, whose slope has a bound too. */
static void
test_chain (void)
{
  const SoftOptions options = { .density = { .level = 0.5, .blobbiness = 2, .cutoff = 1e-4 }, .power = 4 };
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  const KgGeometry *const geometries[] = { geometry };
  const float places[] = { 0, 0, 0, 2, 0, 0 };
  const uint32_t vertices[] = { 0, 1 };
  const KgPrimitive line = { .kind = KG_POLYLINE, .n_vertices = 2, .vertices = vertices };
  g_autoptr (SoftKeys) keys = NULL;
  g_autoptr (KgField) field = NULL;
  FieldRayHit hit;

  kg_geometry_set_n_points (geometry, 2, NULL);
  memcpy (kg_geometry_edit_positions (geometry), places, sizeof places);
  for (size_t i = 0; i < 6; i++)
    kg_geometry_edit_float (geometry, KG_POINTS, "axes", 3)[i] = 0.8f;
  kg_geometry_add_primitive (geometry, &line);
  keys = soft_keys_new (geometries, 1, &options, NULL, NULL);
  field = soft_keys_make_field (keys, NULL);
  hit = field_ray_follow (field, &plain, kg_vector (1, 3, 0), kg_vector (0, -1, 0));
  g_assert_cmpuint (hit.n, ==, 2);
  assert_near (hit.t[0], 2.6, 1e-6);
  assert_near (hit.t[1], 3.4, 1e-6);
  hit = field_ray_follow (field, &plain, kg_vector (-3, 0, 0), kg_vector (1, 0, 0));
  assert_near (hit.t[0], 2.6, 1e-6);
  assert_near (hit.t[1], 5.4, 1e-6);
}

/* Other fields, in steps: a torus from above and along its plane; and a ball without bounds. */
static void
test_steps (void)
{
  const ImplicitOptions torus = { .shape = IMPLICIT_TORUS,
                                  .size = { 0.7, 0.2, 0 },
                                  .transform = kg_transform_identity () };
  g_autoptr (KgField) field = implicit_shape_new (&torus, NULL);
  const FieldRayOptions options = { .level = kg_field_get_level (field), .reach = 10, .step = 0.01 };
  const float origins[] = { 0.7f, 2, 0, 0, 2, 0, -3, 0, 0, 0, 0, 0 },
              directions[] = { 0, -5, 0, 0, -1, 0, 2, 0, 0, 0, 0, 0 };
  FieldRayHit hits[4];
  g_autoptr (GError) error = NULL;

  g_assert_true (field_ray_follow_all (field, &options, origins, directions, 4, hits, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (hits[0].n, ==, 2);
  assert_near (hits[0].t[0], 1.8, 1e-5);
  assert_near (hits[0].t[1], 2.2, 1e-5);
  g_assert_cmpuint (hits[1].n, ==, 0);
  assert_near (hits[2].t[0], 2.1, 1e-5);
  assert_near (hits[2].t[1], 2.5, 1e-5);
  g_assert_cmpuint (hits[3].n, ==, 0);
  g_assert_false (field_ray_follow_all (field, &(FieldRayOptions){ .level = 0.5, .reach = 1e6, .step = 1e-6 }, origins,
                                        directions, 4, hits, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/field_ray/20-161-two-keys", test_two_keys);
  g_test_add_func ("/field_ray/20-161-grazing", test_grazing);
  g_test_add_func ("/field_ray/20-161-random", test_random);
  g_test_add_func ("/field_ray/20-161-chain", test_chain);
  g_test_add_func ("/field_ray/20-161-steps", test_steps);
  return g_test_run ();
}
