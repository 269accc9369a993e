/* tests/techniques/particle-heap: balls displaced until none is in another, called directly (AH-14, AH-16).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/heap_container.h"
#include "sim/particle_heap.h"

#include "../near.h"
#include "kg-random.h"

#include <omp.h>

#define MOST 900

/* Balls of equal radius and mass. */
typedef struct {
  size_t n;
  double radius, stride; /* stride > 0: without velocities */
  double h;              /* seconds of a step */
  float p[3 * MOST], v[3 * MOST], mass[MOST], width[MOST], age[MOST];
  int32_t id[MOST];
  ParticleObstacles obstacles;
  ParticleMesh *mesh;
  GArray *pushes;
  guint sweeps;
  double rest;
  size_t crowded;
} Balls;

static Balls *
balls_new (double radius, double stride)
{
  Balls *balls = g_new0 (Balls, 1);

  balls->radius = radius;
  balls->stride = stride;
  balls->h = 1.0 / 24;
  balls->sweeps = 50;
  balls->rest = 1e-4;
  balls->obstacles = (ParticleObstacles){ .ground = true, .thickness = 1 };
  balls->pushes = g_array_new (false, false, sizeof (ParticlePush));
  return balls;
}

static void
balls_free (Balls *balls)
{
  g_array_unref (balls->pushes);
  g_clear_pointer (&balls->mesh, particle_mesh_free);
  g_free (balls);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Balls, balls_free)

static void
add_ball (Balls *balls, double x, double y, double z)
{
  const size_t i = balls->n++;

  g_assert_cmpuint (balls->n, <=, MOST);
  balls->p[3 * i] = (float) x;
  balls->p[3 * i + 1] = (float) y;
  balls->p[3 * i + 2] = (float) z;
  balls->mass[i] = 1;
  balls->width[i] = (float) (2 * balls->radius);
  balls->id[i] = (int32_t) i;
}

static KgVector
get_place (const Balls *balls, size_t i)
{
  return kg_vector ((double) balls->p[3 * i], (double) balls->p[3 * i + 1], (double) balls->p[3 * i + 2]);
}

/* One step along gravity, or by a stride. */
static void
step (Balls *balls)
{
  size_t crowded = 0;
  const ParticlePairs pairs = { .kind = balls->stride > 0 ? PARTICLE_PAIRS_POSITION : PARTICLE_PAIRS_CONTACT,
                                .sweeps = balls->sweeps,
                                .rest = balls->rest,
                                .pushes = balls->pushes,
                                .crowded = &crowded };
  const ParticleSwarm swarm = { .n = balls->n,
                                .p = balls->p,
                                .v = balls->v,
                                .mass = balls->mass,
                                .width = balls->width,
                                .age = balls->age,
                                .id = balls->id,
                                .length = balls->h };
  const ParticleWalls walls = { .obstacles = &balls->obstacles, .mesh = balls->mesh, .till = 1 };
  g_autofree float *start = (float *) g_memdup2 (balls->p, sizeof balls->p);
  g_autoptr (GError) error = NULL;

  for (size_t i = 0; i < balls->n; i++) {
    balls->v[3 * i + 1] -= (float) (balls->stride > 0 ? 0 : 9.81 * balls->h);
    for (size_t c = 0; c < 3; c++)
      balls->p[3 * i + c] += balls->stride > 0 ? (c == 1 ? -(float) balls->stride : 0)
                                               : (float) balls->h * balls->v[3 * i + c];
  }
  g_assert_true (particle_heap_settle (&pairs, &swarm, &walls, start, NULL, &error));
  g_assert_no_error (error);
  balls->crowded = crowded;
}

/* How deep the deepest overlap of two balls is, in radii. */
static double
find_deepest (const Balls *balls)
{
  double nearest = INFINITY;

  for (size_t i = 0; i < balls->n; i++)
    for (size_t j = 0; j < i; j++)
      nearest = fmin (nearest, kg_vector_distance (get_place (balls, i), get_place (balls, j)));
  return (2 * balls->radius - nearest) / balls->radius;
}

/* Kinetic and potential energy of all, in joules. */
static double
get_energy (const Balls *balls)
{
  double energy = 0;

  for (size_t i = 0; i < balls->n; i++) {
    const KgVector v = { (double) balls->v[3 * i], (double) balls->v[3 * i + 1], (double) balls->v[3 * i + 2] };

    energy += 0.5 * kg_vector_dot (v, v) + 9.81 * get_place (balls, i).y;
  }
  return energy;
}

/* Two cones of half angle 30 degrees, joined at a neck at the origin; the ends are open. */
static KgGeometry *
make_glass (double neck, double height)
{
  enum { SLICES = 48 };
  g_autoptr (KgGeometry) glass = kg_geometry_new ();
  float *p;

  g_assert_true (kg_geometry_set_n_points (glass, 3 * SLICES, NULL));
  p = kg_geometry_edit_positions (glass);
  for (int ring = 0; ring < 3; ring++)
    for (int k = 0; k < SLICES; k++) {
      const double y = (ring - 1) * height, r = neck + fabs (y) * tan (KG_PI / 6), a = 2 * KG_PI * k / SLICES;
      float *q = p + 3 * (ring * SLICES + k);

      q[0] = (float) (r * cos (a));
      q[1] = (float) y;
      q[2] = (float) (r * sin (a));
    }
  for (uint32_t ring = 0; ring < 2; ring++)
    for (uint32_t k = 0; k < SLICES; k++) {
      const uint32_t next = (k + 1) % SLICES, a = ring * SLICES, b = a + SLICES;
      const uint32_t quad[] = { a + k, a + next, b + next, b + k };

      kg_geometry_add_primitives (glass, KG_POLYGON, true, 1, 4, quad);
    }
  return g_steal_pointer (&glass);
}

/* Balls in the upper cone: a lattice with jitter, where there is room. */
static Balls *
fill_glass (double neck, size_t n, double stride, double height)
{
  g_autoptr (Balls) balls = balls_new (0.01, stride);
  g_autoptr (KgGeometry) glass = make_glass (neck, height);
  const double r = balls->radius;

  balls->obstacles.height = -height;
  balls->mesh = particle_mesh_new (NULL, glass, 1.0 / 24, NULL, NULL);
  for (int layer = 0; balls->n < n; layer++) {
    const double y = 2 * r + 2.2 * r * layer, room = neck + y * tan (KG_PI / 6) - 1.4 * r / cos (KG_PI / 6);
    const int most = (int) ceil (room / (2.2 * r));

    for (int i = -most; i <= most; i++)
      for (int k = -most; k <= most; k++) {
        const uint64_t key = (uint64_t) ((layer * 100 + i + 50) * 100 + k + 50);
        const double x = 2.2 * r * i + 0.08 * r * kg_random_signed (1, key, 1);
        const double z = 2.2 * r * k + 0.08 * r * kg_random_signed (1, key, 2);

        if (x * x + z * z < room * room && balls->n < n)
          add_ball (balls, x, y, z);
      }
  }
  return g_steal_pointer (&balls);
}

static size_t
count_above (const Balls *balls)
{
  size_t n = 0;

  for (size_t i = 0; i < balls->n; i++)
    n += balls->p[3 * i + 1] > 0;
  return n;
}

/* [AH-16] Balls above each other on the floor: down by a step, and then nothing moves any more. */
static void
test_two_balls (void)
{
  g_autoptr (Balls) balls = balls_new (0.1, 0.1);
  float rested[6];

  add_ball (balls, 0, 0.1, 0);
  add_ball (balls, 0, 0.35, 0);
  step (balls);
  assert_near ((double) balls->p[1], 0.1, 1e-6);
  assert_near ((double) balls->p[4], 0.3, 1e-5);
  step (balls);
  memcpy (rested, balls->p, sizeof rested);
  for (int k = 0; k < 100; k++)
    step (balls);
  g_assert_cmpmem (rested, sizeof rested, balls->p, sizeof rested);
}

/* [AH-16] A ball on a plane of 30 degrees goes down it by half of the step; with friction above its slope it stays. */
static void
test_slope (void)
{
  static const float corners[] = { -8, -4.61880215f, -8, 8, 4.61880215f, -8, 8, 4.61880215f, 8, -8, -4.61880215f, 8 };
  static const uint32_t quad[] = { 0, 3, 2, 1 };
  g_autoptr (Balls) balls = balls_new (0.1, 0.1);
  g_autoptr (KgGeometry) plane = kg_geometry_new ();

  g_assert_true (kg_geometry_set_n_points (plane, 4, NULL));
  memcpy (kg_geometry_edit_positions (plane), corners, sizeof corners);
  kg_geometry_add_primitives (plane, KG_POLYGON, true, 1, 4, quad);
  balls->obstacles.ground = false;
  balls->mesh = particle_mesh_new (NULL, plane, 1.0 / 24, NULL, NULL);
  add_ball (balls, -0.05, 0.1 * cos (KG_PI / 6), 0);
  step (balls);
  assert_near ((double) balls->p[0] + 0.05, -0.0433013, 1e-6);
  assert_near ((double) balls->p[1] - 0.1 * cos (KG_PI / 6), -0.025, 1e-6);
  balls->obstacles.friction = 0.6; /* tan 30 degrees is 0.577 */
  for (int k = 0; k < 10; k++)
    step (balls);
  assert_near ((double) balls->p[0] + 0.05, -0.0433013, 1e-6);
}

/* [AH-16] The hour glass: all balls stay in it, none climbs back, none is in another one, and as many pass the neck when the
 * upper cone is full as when it is nearly empty. */
static void
test_hourglass (void)
{
  const double height = 0.2;
  g_autoptr (Balls) balls = fill_glass (0.03, 150, 0.0025, height);
  g_autoptr (GArray) near = g_array_new (false, false, sizeof (ParticleNear));
  size_t passed[3] = { 0 }, above = count_above (balls);

  balls->sweeps = 30;
  for (int k = 0; k < 100; k++) {
    const size_t before = above;

    step (balls);
    above = count_above (balls);
    g_assert_cmpuint (above, <=, before);
    if (k >= 10)
      passed[(k - 10) / 30] += before - above;
    g_assert_cmpfloat (find_deepest (balls), <, 1e-3);
    for (size_t i = 0; i < balls->n; i++) {
      const KgVector x = get_place (balls, i);
      particle_mesh_find_near (balls->mesh, x, balls->radius, 1, 0, near);
      if (near->len > 0)
        g_assert_cmpfloat (g_array_index (near, ParticleNear, 0).distance, >=, 0.999 * balls->radius);
      g_assert_cmpfloat (hypot (x.x, x.z), <, 0.03 + fabs (x.y) * tan (KG_PI / 6));
      g_assert_cmpfloat (x.y, >=, -height + 0.999 * balls->radius);
    }
  }
  g_assert_cmpuint (above, <, 75);
  g_assert_cmpuint (passed[0], >, 20);
  /* Beverloo: the flow does not depend on the head. */
  g_assert_cmpfloat (fabs ((double) passed[2] / (double) passed[0] - 1), <, 0.25);
}

/* [AH-16] What rests keeps its bits, and a heap with friction is higher than one without. */
static void
test_rest (void)
{
  double tops[2] = { 0, 0 };

  for (int k = 0; k < 2; k++) {
    g_autoptr (Balls) balls = balls_new (0.1, 0.025);
    g_autofree float *rested = NULL;

    balls->obstacles.friction = k * 0.5;
    for (int i = 0; i < 30; i++)
      add_ball (balls, 0.21 * (i % 3) + 0.01 * (i % 2), 0.15 + 0.22 * (i / 9), 0.21 * (i / 3 % 3) + 0.013 * (i % 5));
    for (int s = 0; s < 150; s++)
      step (balls);
    rested = (float *) g_memdup2 (balls->p, sizeof balls->p);
    for (int s = 0; s < 20; s++)
      step (balls);
    if (k == 1)
      g_assert_cmpmem (rested, sizeof balls->p, balls->p, sizeof balls->p);
    for (size_t i = 0; i < balls->n; i++)
      tops[k] += get_place (balls, i).y / (double) balls->n;
  }
  g_assert_cmpfloat (tops[1], >, 1.2 * tops[0]);
}

/* [AH-14] With velocities: two balls that meet go on together, and a heap that falls never has more energy than before. */
static void
test_velocities (void)
{
  g_autoptr (Balls) pair = balls_new (0.1, 0);
  g_autoptr (Balls) heap = fill_glass (0.045, 120, 0, 0.2);
  double energy;

  pair->obstacles.ground = false;
  add_ball (pair, 0, 0, 0);
  add_ball (pair, 0.21, 0, 0);
  pair->mass[0] = 2;
  pair->v[0] = 3;
  pair->v[3] = -1;
  for (int k = 0; k < 3; k++)
    step (pair);
  assert_near ((double) pair->v[0], 5.0 / 3, 1e-5);
  assert_near ((double) pair->v[3], 5.0 / 3, 1e-5);
  assert_near ((double) pair->v[1], -9.81 / 8, 1e-5);
  heap->h = 1.0 / 96;
  heap->obstacles.friction = 0.2;
  energy = get_energy (heap);
  for (int k = 0; k < 100; k++) {
    const double before = energy;

    step (heap);
    energy = get_energy (heap);
    g_assert_cmpfloat (energy, <=, before + 1e-4);
    g_assert_cmpfloat (find_deepest (heap), <, 1e-3);
  }
  g_assert_cmpuint (count_above (heap), <, 80);
}

/* A wall that comes pushes balls before it, and goes through none. */
static void
test_moving_wall (void)
{
  static const uint32_t quad[] = { 0, 1, 2, 3 };
  g_autoptr (Balls) balls = balls_new (0.1, 0);
  g_autoptr (KgGeometry) before = kg_geometry_new ();
  g_autoptr (KgGeometry) now = kg_geometry_new ();
  KgGeometry *const walls[] = { before, now };

  for (int k = 0; k < 2; k++) {
    const float x = -0.15f + 0.12f * (float) k, corners[] = { x, -1, -1, x, 1, -1, x, 1, 1, x, -1, 1 };

    g_assert_true (kg_geometry_set_n_points (walls[k], 4, NULL));
    memcpy (kg_geometry_edit_positions (walls[k]), corners, sizeof corners);
    kg_geometry_add_primitives (walls[k], KG_POLYGON, true, 1, 4, quad);
  }
  add_ball (balls, 0, 0.1, 0);
  add_ball (balls, 0.2, 0.1, 0);
  balls->mesh = particle_mesh_new (before, now, balls->h, NULL, NULL);
  step (balls);
  assert_near ((double) balls->p[0], 0.07, 1e-4);
  assert_near ((double) balls->p[3], 0.27, 1e-4);
  assert_near ((double) balls->v[0], 0.07 * 24, 3e-3);
}

/* [AH-16] The neck of a glass that is closed, and how many are outside of it. */
static void
test_container (void)
{
  enum { SLICES = 48 };
  g_autoptr (KgGeometry) glass = make_glass (0.03, 0.2);
  g_autoptr (KgGeometry) open = kg_geometry_ref (glass);
  const float p[] = { 0, 0.1f, 0, 0.01f, -0.1f, 0, 0.1f, 0, 0 };
  uint32_t bottom[SLICES], top[SLICES];
  HeapNeck neck;
  size_t outside;

  for (uint32_t k = 0; k < SLICES; k++) {
    bottom[k] = SLICES - 1 - k;
    top[k] = 2 * SLICES + k;
  }
  kg_geometry_make_writable (&glass);
  kg_geometry_add_primitives (glass, KG_POLYGON, true, 1, SLICES, bottom);
  kg_geometry_add_primitives (glass, KG_POLYGON, true, 1, SLICES, top);
  {
    g_autoptr (TriangleMesh) mesh = triangle_mesh_new (glass, NULL, NULL), sheet = triangle_mesh_new (open, NULL, NULL);

    g_assert_cmpuint (mesh->n_open, ==, 0);
    g_assert_true (heap_container_find_neck (mesh, kg_vector (0, -9.81, 0), NULL, &neck));
    g_assert_true (neck.is);
    /* The nearest points are those of the neck itself; the slices are flat. */
    assert_near (neck.clearance, 0.03 * cos (KG_PI / SLICES), 1e-5);
    assert_near (kg_vector_length (neck.place), 0, 1e-3);
    g_assert_true (heap_container_count_outside (mesh, p, 3, NULL, &outside));
    g_assert_cmpuint (outside, ==, 1);
    /* Things that most are outside of are no container; nothing is in an open one; without a way down there is no neck. */
    g_assert_true (heap_container_count_outside (mesh, p + 6, 1, NULL, &outside));
    g_assert_cmpuint (outside, ==, 0);
    g_assert_true (heap_container_count_outside (sheet, p, 3, NULL, &outside));
    g_assert_cmpuint (outside, ==, 0);
    g_assert_true (heap_container_find_neck (mesh, kg_vector (0, 0, 0), NULL, &neck));
    g_assert_false (neck.is);
    /* Across, each cone is as wide in the middle as anywhere. */
    g_assert_true (heap_container_find_neck (mesh, kg_vector (1, 0, 0), NULL, &neck));
    g_assert_false (neck.is);
  }
}

/* [AH-16] The same bits for any number of threads: with more contacts of a colour than one thread takes. */
static void
test_threads (void)
{
  const int before = omp_get_max_threads ();
  float places[2][3 * MOST];

  for (int k = 0; k < 2; k++) {
    g_autoptr (Balls) balls = balls_new (0.1, 0.025);

    omp_set_num_threads (k == 0 ? 1 : 4);
    balls->obstacles.friction = 0.3;
    for (int i = 0; i < MOST; i++)
      add_ball (balls, 0.205 * (i % 10) + 0.01 * (i % 3), 0.11 + 0.2 * (i / 100),
                0.205 * (i / 10 % 10) + 0.01 * (i % 7));
    for (int s = 0; s < 12; s++)
      step (balls);
    memcpy (places[k], balls->p, sizeof places[k]);
  }
  omp_set_num_threads (before);
  g_assert_cmpmem (places[0], sizeof places[0], places[1], sizeof places[1]);
}

/* Balls in one place part, those without a size and without time stay, and a cancelled step says so. */
static void
test_degenerate (void)
{
  g_autoptr (Balls) balls = balls_new (0.1, 0.025);
  g_autoptr (KgGeometry) kept = NULL;
  g_autoptr (GArray) recalled = NULL;

  balls->obstacles.ground = false;
  for (int i = 0; i < 4; i++)
    add_ball (balls, 0, 1, 0);
  for (int k = 0; k < 30; k++)
    step (balls);
  for (int i = 0; i < 12; i++)
    g_assert_true (isfinite (balls->p[i]));
  g_assert_cmpfloat (find_deepest (balls), <, 1e-2);
  kept = particle_heap_keep_pushes (balls->pushes, NULL);
  recalled = particle_heap_recall_pushes (kept);
  g_assert_cmpuint (recalled->len, ==, balls->pushes->len);
  for (guint k = 0; k < recalled->len; k++)
    g_assert_cmpint (memcmp (&g_array_index (recalled, ParticlePush, k),
                             &g_array_index (balls->pushes, ParticlePush, k), sizeof (ParticlePush)),
                     ==, 0);
  memset (balls->width, 0, sizeof balls->width);
  g_assert_cmpfloat (particle_heap_get_smallest (balls->width, balls->n), ==, 0);
  step (balls);
  g_assert_true (isfinite (balls->p[1]));
}

/* Hundreds of balls in one place: each keeps a bounded number of contacts, and says so, until they have parted. */
static void
test_one_place (void)
{
  const int before = omp_get_max_threads ();
  float places[2][3 * MOST];

  for (int k = 0; k < 2; k++) {
    g_autoptr (Balls) balls = balls_new (0.1, 0.025);
    double deepest;

    omp_set_num_threads (k == 0 ? 1 : 4);
    for (int i = 0; i < 400; i++)
      add_ball (balls, 0, 1, 0);
    step (balls);
    g_assert_cmpuint (balls->crowded, ==, 400);
    g_assert_cmpuint (balls->pushes->len, >, 0);
    g_assert_cmpuint (balls->pushes->len, <, 400 * (HEAP_CONTACTS + 8));
    deepest = find_deepest (balls);
    for (int s = 0; s < 40; s++)
      step (balls);
    g_assert_cmpuint (balls->crowded, ==, 0);
    g_assert_cmpfloat (find_deepest (balls), <, fmin (0.05, deepest));
    memcpy (places[k], balls->p, sizeof places[k]);
  }
  omp_set_num_threads (before);
  g_assert_cmpmem (places[0], 3 * 400 * sizeof (float), places[1], 3 * 400 * sizeof (float));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/particle-heap/AH-16/two balls", test_two_balls);
  g_test_add_func ("/particle-heap/AH-16/slope", test_slope);
  g_test_add_func ("/particle-heap/AH-16/hour glass", test_hourglass);
  g_test_add_func ("/particle-heap/AH-16/rest", test_rest);
  g_test_add_func ("/particle-heap/AH-14/velocities", test_velocities);
  g_test_add_func ("/particle-heap/55-24/moving wall", test_moving_wall);
  g_test_add_func ("/particle-heap/AH-16/container", test_container);
  g_test_add_func ("/particle-heap/AH-16/threads", test_threads);
  g_test_add_func ("/particle-heap/degenerate", test_degenerate);
  g_test_add_func ("/particle-heap/55-24/one place", test_one_place);
  return g_test_run ();
}
