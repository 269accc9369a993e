/* tests/techniques/particle-system: what particles are made of, called directly: screen areas, orders, laws between pairs, looks.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "geometry/point_order.h"
#include "sim/particle_looks.h"
#include "sim/particle_pairs.h"
#include "sim/particle_parents.h"
#include "sim/particle_screen.h"

/* A camera at the origin that looks along -z, with a plane of the picture f pixels away. */
static KgCamera
get_camera (double f, double height)
{
  KgCamera camera;

  kg_camera_init (&camera);
  camera.transform = kg_transform_identity ();
  camera.fov = 2 * atan (0.5 * height / f);
  return camera;
}

static void
test_screen (void)
{
  KgCamera near = get_camera (800, 1080), other = get_camera (600, 1080);
  const double whole = 1920.0 * 1080, once = particle_screen_get_area (&near, kg_vector (0, 0, -10), 1, 1920, 1080);

  assert_near (once, 20309.29, 0.01);
  assert_near (particle_screen_get_area (&near, kg_vector (3, 2, -10), 1, 1920, 1080), 21601.61, 0.01);
  assert_near (particle_screen_get_area (&other, kg_vector (4, -1, -6), 1.5, 1920, 1080), 92457.52, 0.01);
  assert_near (particle_screen_get_area (&near, kg_vector (0, 0, -20), 1, 1920, 1080) / once, 99.0 / 399, 1e-9);
  /* Around, level with, behind and beside the camera, and nothing at all. */
  assert_near (particle_screen_get_area (&near, kg_vector (0, 0, 0.5), 1, 1920, 1080), whole, 0);
  assert_near (particle_screen_get_area (&near, kg_vector (5, 0, 0.5), 1, 1920, 1080), whole, 0);
  assert_near (particle_screen_get_area (&near, kg_vector (0, 0, 5), 1, 1920, 1080), 0, 0);
  assert_near (particle_screen_get_area (&near, kg_vector (60, 0, -10), 1, 1920, 1080), 0, 0);
  assert_near (particle_screen_get_area (&near, kg_vector (0, 0, -10), 0, 1920, 1080), 0, 0);
  near.orthographic = true;
  near.height = 10.8;
  assert_near (particle_screen_get_area (&near, kg_vector (0, 0, -10), 1, 1920, 1080), KG_PI * 1e4, 1e-6);
}

static void
test_order (void)
{
  static const float values[] = { 3, -INFINITY, 0, -1, -0.0f, NAN, INFINITY, 3, -1 };
  static const uint32_t sorted[] = { 1, 3, 8, 4, 2, 0, 7, 6, 5 };
  uint32_t order[G_N_ELEMENTS (values)];

  g_assert_cmpuint (point_order_get_key (-2), ==, 0x3fffffff);
  g_assert_cmpuint (point_order_get_key (-1), ==, 0x407fffff);
  g_assert_cmpuint (point_order_get_key (1), ==, 0xbf800000);
  g_assert_cmpuint (point_order_get_key (2), ==, 0xc0000000);
  point_order_sort (values, G_N_ELEMENTS (values), order);
  g_assert_cmpmem (order, sizeof order, sorted, sizeof sorted);
}

/* A triangle keeps its corners and its name. */
static void
test_order_of_geometry (void)
{
  static const uint32_t corners[] = { 0, 1, 2 }, order[] = { 2, 0, 1 };
  g_autoptr (KgGeometry) geometry = kg_geometry_new (), sorted = NULL;
  KgPrimitive triangle;

  kg_geometry_set_n_points (geometry, 3, NULL);
  for (int i = 0; i < 9; i++)
    kg_geometry_edit_positions (geometry)[i] = (float) i;
  kg_geometry_add_primitives (geometry, KG_POLYGON, true, 1, 3, corners);
  kg_geometry_set_text (geometry, KG_PRIMITIVES, "name", 0, "it");
  sorted = point_order_apply (geometry, order);
  kg_geometry_get_primitive (sorted, 0, &triangle);
  for (uint32_t k = 0; k < 3; k++)
    assert_near ((double) kg_geometry_get_positions (sorted)[3 * triangle.vertices[k]], 3 * k, 0);
  g_assert_cmpstr (kg_geometry_get_text (sorted, KG_PRIMITIVES, "name", 0), ==, "it");
}

/* The force on the first of two particles of 1 kg at a distance, along the line to the other. */
static double
get_pull (ParticlePairKind kind, double distance)
{
  const ParticlePairs pairs = { .kind = kind, .stiffness = 2, .length = 1, .reach = 4, .neighbours = 1, .seed = 3 };
  float p[] = { 0, 0, 0, (float) distance, 0, 0 }, v[6] = { 0 }, a[6];
  const float mass[] = { 1, 1 }, width[] = { 1, 1 }, age[] = { 0, 0 };
  const int32_t id[] = { 4, 7 };
  const ParticleSwarm swarm = { 2, p, v, mass, width, age, id, NULL, 0, 0.1 };
  g_autoptr (GError) error = NULL;

  g_assert_true (particle_pairs_accelerate (&pairs, &swarm, a, NULL, &error));
  for (int c = 0; c < 3; c++) {
    g_assert_true (isfinite (a[c]));
    assert_near ((double) a[c], -(double) a[3 + c], 1e-6);
  }
  return (double) a[0];
}

/* 55-44: nothing at rest, -0.1481481 (here attraction) at one and a half, 4 at a half, 100 at most. */
static void
test_law (void)
{
  assert_near (get_pull (PARTICLE_PAIRS_LAW, 1), 0, 1e-6);
  assert_near (get_pull (PARTICLE_PAIRS_LAW, 1.5), 2 * 0.1481481, 1e-6);
  assert_near (get_pull (PARTICLE_PAIRS_LAW, 0.5), -2 * 4, 1e-5);
  assert_near (get_pull (PARTICLE_PAIRS_LAW, 0.01), -2 * 100, 1e-3);
  assert_near (get_pull (PARTICLE_PAIRS_REPEL, 2), -2 * 0.25, 1e-6);
  assert_near (get_pull (PARTICLE_PAIRS_GRAVITY, 1), 1, 1e-6);
  assert_near (get_pull (PARTICLE_PAIRS_SPRING, 1.5), 1, 1e-6);
  assert_near (get_pull (PARTICLE_PAIRS_NEAREST, 1.5), 1, 1e-6);
  /* At one place they part, and nothing is infinite. */
  for (int kind = PARTICLE_PAIRS_SPRING; kind < PARTICLE_PAIRS_COLLIDE; kind++)
    get_pull ((ParticlePairKind) kind, 0);
}

static void
test_collision (void)
{
  const ParticlePairs pairs = { .kind = PARTICLE_PAIRS_COLLIDE, .restitution = 0.5 };
  float p[] = { 0, 0, 0, 0.1f, 0, 0 }, v[] = { 3, 0, 0, -1, 0, 0 };
  const float mass[] = { 2, 1 }, width[] = { 0.2f, 0.2f }, age[] = { 0, 0 };
  const int32_t id[] = { 0, 1 };
  const ParticleSwarm swarm = { 2, p, v, mass, width, age, id, NULL, 0, 0.1 };
  g_autoptr (GError) error = NULL;

  g_assert_true (particle_pairs_collide (&pairs, &swarm, NULL, &error));
  assert_near ((double) v[0], 1, 1e-6);
  assert_near ((double) v[3], 3, 1e-6);
  g_assert_cmpfloat (p[3] - p[0], >=, 0.2f - 1e-5f);
}

static void
test_looks_errors (void)
{
  static const struct {
    const char *text, *words;
  } wrong[] = {
    { "width", "line 1 sets nothing" }, { "P = 3", "belongs to the motion" },     { "\nCd.q = 1", "line 2" },
    { "Cd = 1", "cannot be set" },      { "width = [1, 2, 3]", "cannot be set" }, { "a b = 1", "not a name" },
    { "heat = (", "line 1" },           { "heat = nothing", "nothing" }
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (particle_looks_new (wrong[i].text, &error));
    g_assert_nonnull (error);
    g_assert_nonnull (strstr (error->message, wrong[i].words));
  }
}

static void
test_parents (void)
{
  const ParticleParents each = { .seed = 5, .from = 0.25, .till = 2.25 };
  g_autoptr (KgGeometry) emitter = kg_geometry_new ();
  g_autofree uint32_t *all = NULL, *few = NULL;
  uint64_t n, total;

  kg_geometry_set_n_points (emitter, 7, NULL);
  all = particle_parents_list (&each, emitter, 1000, &n, &total, NULL);
  g_assert_cmpuint (n, ==, 14);
  g_assert_cmpuint (all[0], ==, 0);
  g_assert_cmpuint (all[13], ==, 6);
  few = particle_parents_list (&each, emitter, 3, &n, &total, NULL);
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpuint (total, ==, 14);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/particle-system/55-06/screen", test_screen);
  g_test_add_func ("/particle-system/55-30/order", test_order);
  g_test_add_func ("/particle-system/55-30/geometry", test_order_of_geometry);
  g_test_add_func ("/particle-system/55-21/law", test_law);
  g_test_add_func ("/particle-system/55-24/collision", test_collision);
  g_test_add_func ("/particle-system/55-10/errors", test_looks_errors);
  g_test_add_func ("/particle-system/55-26/parents", test_parents);
  return g_test_run ();
}
