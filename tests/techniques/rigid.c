/* tests/techniques/rigid: rigid bodies, their contacts and joints, against closed forms and conserved quantities.
 * The numbers in names are those of the catalogue of techniques.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "geometry/shape_mesh.h"
#include "kg-random.h"
#include "sim/lcp.h"
#include "sim/newton_euler.h"
#include "sim/rigid_links.h"
#include "sim/rigid_lanes.h"
#include "sim/rigid_world.h"

#include <omp.h>

#define G 9.81

/* A world that is being set up. */
typedef struct {
  KgGeometry *geometry;
  GArray *masses; /* of each body, and how many primitives it has */
  GArray *counts;
  RigidSet *set;
  RigidWorld *world;
  RigidSettings settings;
  RigidReport report;
  double time;
} Scene;

static Scene
scene_new (void)
{
  return (Scene){ .geometry = kg_geometry_new (),
                  .masses = g_array_new (FALSE, FALSE, sizeof (float)),
                  .counts = g_array_new (FALSE, FALSE, sizeof (guint)),
                  .settings = { .updates = 1,
                                .substeps = 4,
                                .passes = 4,
                                .turning = RIGID_QUATERNION,
                                .gravity = { 0, -G, 0 },
                                .bounce_speed = 0.5,
                                .stiffness = 1e4,
                                .damping = 0.2,
                                .ground = { .on = true, .friction = 0.5, .friction_static = 0.5 } } };
}

static void
scene_clear (Scene *scene)
{
  g_clear_pointer (&scene->world, rigid_world_free);
  g_clear_pointer (&scene->set, rigid_set_free);
  kg_geometry_unref (scene->geometry);
  g_array_unref (scene->masses);
  g_array_unref (scene->counts);
}

static void
add (Scene *scene, KgGeometry *piece, double mass)
{
  g_autoptr (GError) error = NULL;
  const float kept = (float) mass;
  const guint count = (guint) kg_geometry_get_n_primitives (piece);

  g_assert_true (kg_geometry_append (scene->geometry, piece, &error));
  kg_geometry_unref (piece);
  g_array_append_val (scene->masses, kept);
  g_array_append_val (scene->counts, count);
}

static void
add_box (Scene *scene, KgVector center, KgVector size, double mass)
{
  add (scene, shape_mesh_new_box (kg_transform_from_parts (center, kg_rotation_identity (), size)), mass);
}

static void
add_ball (Scene *scene, KgVector center, double radius, double mass)
{
  add (scene, shape_mesh_new_sphere (center, radius, 24), mass);
}

/* Bodies with a mass of 0 are fixed. */
static void
scene_begin (Scene *scene, double restitution, double friction)
{
  const RigidOptions options = { .density = 1000,
                                 .thickness = 0.01,
                                 .parts = 16,
                                 .restitution = restitution,
                                 .friction = friction,
                                 .friction_static = friction };
  g_autoptr (GError) error = NULL;
  float *mass = kg_geometry_edit_float (scene->geometry, KG_PRIMITIVES, "mass", 1);
  int32_t *kind = kg_geometry_edit_int (scene->geometry, KG_PRIMITIVES, "kind", 1);
  size_t at = 0;

  for (guint i = 0; i < scene->masses->len; i++)
    for (guint k = 0; k < g_array_index (scene->counts, guint, i); k++, at++) {
      mass[at] = g_array_index (scene->masses, float, i);
      kind[at] = mass[at] > 0 ? RIGID_MOVING : RIGID_FIXED;
    }
  scene->set = rigid_set_new ();
  g_assert_true (rigid_set_add_geometry (scene->set, scene->geometry, &options, NULL, &error));
  rigid_set_begin_obstacles (scene->set);
  scene->world = rigid_world_new (scene->set);
  scene->settings.ground.friction = scene->settings.ground.friction_static = friction;
  scene->settings.ground.restitution = restitution;
}

static void
scene_run (Scene *scene, double dt, int frames)
{
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < frames; i++) {
    g_assert_true (rigid_world_advance (scene->world, &scene->settings, scene->time, dt, &scene->report, NULL, &error));
    g_assert_no_error (error);
    scene->time += dt;
  }
}

static RigidMotion *
get_motion (const Scene *scene, guint body)
{
  return &scene->world->motions[body];
}

static KgVector
get_omega (const Scene *scene, guint body)
{
  return rigid_body_get_omega (rigid_set_get_body (scene->set, body), get_motion (scene, body));
}

/* Bodies that fly. */

static const RigidBody unequal = {
  .mass = 1, .inverse_mass = 1, .inertia = { 13, 10, 5, 0, 0, 0 }, .inverse_inertia = { 1.0 / 13, 0.1, 0.2, 0, 0, 0 }
};

/* omega = R I⁻¹ Rᵀ L. */
static void
test_state (void)
{
  RigidMotion motion = { .turn =
                             kg_rotation_multiply (kg_rotation_from_axis_angle (kg_vector (0, 0, 1), 30 * KG_DEGREE),
                                                   kg_rotation_from_axis_angle (kg_vector (1, 0, 0), 20 * KG_DEGREE)),
                         .angular = { 3, -2, 5 } };
  const KgVector omega = rigid_body_get_omega (&unequal, &motion);

  assert_vector_near (omega, 0.367314, -0.390349, 1.045387, 1e-6);
  assert_near (0.5 * kg_vector_dot (omega, motion.angular), 3.554789, 1e-6);
  rigid_body_set_omega (&unequal, &motion, omega);
  assert_vector_near (motion.angular, 3, -2, 5, 1e-12);
}

/* Ten steps of 0.2 radians: exact about the axis; 10 atan 0.2 by the matrix; 20 atan 0.1 by the quaternion.  A step without
 * repair would lengthen what is across by sqrt (1.04). */
static void
test_turning (void)
{
  static const double degrees[] = {
    [RIGID_MATRIX] = 113.099325, [RIGID_AXIS_ANGLE] = 114.591559, [RIGID_QUATERNION] = 114.211862
  };

  for (int way = 0; way < RIGID_N_TURNINGS; way++) {
    KgRotation turn = kg_rotation_identity ();
    KgVector x;

    for (int i = 0; i < 10; i++)
      turn = rigid_turn_advance (turn, kg_vector (0, 0, 2), 0.1, (RigidTurning) way);
    x = kg_rotation_apply (turn, kg_vector (1, 0, 0));
    assert_near (kg_vector_length (x), 1, 1e-14);
    assert_near (atan2 (x.y, x.x) / KG_DEGREE, degrees[way], 1e-5);
  }
}

/* A box that is thrown and tumbles: its centre on the parabola, its momenta constant over 10,000 steps. */
static void
test_free_flight (void)
{
  for (int way = 0; way < RIGID_N_TURNINGS; way++) {
    Scene scene = scene_new ();
    KgVector start, angular;
    double energy;
    RigidSums sums;

    add_box (&scene, kg_vector (0, 0, 0), kg_vector (1, 2, 3), 12);
    scene_begin (&scene, 0, 0);
    scene.settings.ground.on = false;
    scene.settings.turning = (RigidTurning) way;
    get_motion (&scene, 0)->velocity = kg_vector (2, 10, -1);
    rigid_body_set_omega (rigid_set_get_body (scene.set, 0), get_motion (&scene, 0), kg_vector (1, 4, 0.5));
    start = get_motion (&scene, 0)->place;
    angular = get_motion (&scene, 0)->angular;
    energy = kg_vector_dot (angular, get_omega (&scene, 0));
    scene_run (&scene, 1.0 / 24, 48);
    assert_vector_near (get_motion (&scene, 0)->place, start.x + 4, start.y + 20 - 0.5 * G * 4, start.z - 2, 1e-9);
    scene_run (&scene, 1.0 / 240, 2500 - 48);
    assert_vector_near (get_motion (&scene, 0)->angular, angular.x, angular.y, angular.z, 1e-12);
    sums = rigid_world_get_sums (scene.world, scene.settings.gravity);
    assert_near (sums.momentum.x, 24, 1e-12);
    assert_near (sums.momentum.y, 12 * (10 - G * scene.time), 1e-8);
    assert_near (kg_vector_dot (get_motion (&scene, 0)->angular, get_omega (&scene, 0)), energy, 1e-10 * energy);
    scene_clear (&scene);
  }
}

/* A thrown stick spins a little about itself, so that its tensor has a ratio of 1250: energy and momentum stay. */
static void
test_thrown_stick (void)
{
  for (int way = 0; way < RIGID_N_TURNINGS; way++) {
    Scene scene = scene_new ();
    KgVector angular;
    double energy;

    add_box (&scene, kg_vector (0, 0, 0), kg_vector (1, 0.02, 0.02), 1);
    scene_begin (&scene, 0, 0);
    scene.settings.ground.on = false;
    scene.settings.turning = (RigidTurning) way;
    rigid_body_set_omega (rigid_set_get_body (scene.set, 0), get_motion (&scene, 0), kg_vector (3, 4, 5));
    angular = get_motion (&scene, 0)->angular;
    energy = kg_vector_dot (angular, get_omega (&scene, 0));
    scene_run (&scene, 1.0 / 24, 120);
    assert_near (kg_vector_dot (get_motion (&scene, 0)->angular, get_omega (&scene, 0)), energy, 1e-9 * energy);
    assert_vector_near (get_motion (&scene, 0)->angular, angular.x, angular.y, angular.z, 1e-12);
    scene_clear (&scene);
  }
}

/* Impulses. */

/* A ball hits a rod: the rod of 2 kg and length 2 is a thin box. */
static void
test_impulse (void)
{
  RigidSpeed ball = { .v = { 0, -3, 0 }, .inverse_mass = 1 };
  RigidSpeed rod = { .inverse_mass = 0.5, .inverse_inertia = { 1, 1.5, 1.5, 0, 0, 0 } };
  RigidSpeed box = { .v = { 0, -4, 0 },
                     .w = { 0, 0, 1 },
                     .inverse_mass = 1.0 / 12,
                     .inverse_inertia =
                         symmetric_matrix_rotate ((SymmetricMatrix){ 1.0 / 13, 0.1, 0.2, 0, 0, 0 },
                                                  kg_rotation_from_axis_angle (kg_vector (0, 0, 1), 20 * KG_DEGREE)) };
  RigidSpeed ground = { .inverse_mass = 0 };
  const RigidContact contact = { .normal = { 0, 1, 0 } };
  KgVector j = rigid_collide (&contact, &ball, kg_vector (0, 0, 0), &rod, kg_vector (0.8, 0, 0), 0.5);

  assert_near (j.y, 1.829268, 1e-6);
  assert_near (ball.v.y, -1.170732, 1e-6);
  assert_near (rod.v.y, -0.914634, 1e-6);
  assert_near (rod.w.z, -2.195122, 1e-6);
  assert_near (0.5 * ball.v.y * ball.v.y + rod.v.y * rod.v.y + rod.w.z * rod.w.z / 3, 3.128049, 1e-6);
  assert_near (ball.v.y + 2 * rod.v.y, -3, 1e-12);
  assert_near (0.8 * ball.v.y + rod.w.z * 2 / 3, -2.4, 1e-12);
  j = rigid_collide (&contact, &box, kg_vector (0.811866, -0.768683, 0), &ground, kg_vector (0, 0, 0), 0.3);
  assert_near (j.y, 19.262862, 5e-5);
  assert_near (box.v.y, -2.394761, 5e-6);
  assert_near (box.w.z, 4.127774, 5e-6);
}

/* A ball with 3 m/s across and 4 m/s into the ground sticks with a friction of 0.3, and slides with 0.1. */
static void
test_impact_friction (void)
{
  for (int slides = 0; slides < 2; slides++) {
    const double mu = slides ? 0.1 : 0.3;
    RigidSpeed ball = { .v = { 3, -4, 0 }, .inverse_mass = 1, .inverse_inertia = { 250, 250, 250, 0, 0, 0 } };
    RigidSpeed ground = { .inverse_mass = 0 };
    const RigidContact contact = { .normal = { 0, 1, 0 }, .friction = mu, .friction_static = mu };
    const KgVector j = rigid_collide (&contact, &ball, kg_vector (0, -0.1, 0), &ground, kg_vector (0, 0, 0), 0.5);

    assert_near (j.y, 6, 1e-12);
    assert_near (ball.v.y, 2, 1e-12);
    assert_near (ball.v.x, slides ? 2.4 : 2.142857, 1e-6);
    assert_near (ball.w.z, slides ? -15 : -21.428571, 1e-6);
    assert_near (ball.v.x + 0.1 * ball.w.z, slides ? 0.9 : 0, 1e-9);
  }
}

/* Two balls that meet at 30 degrees: equal ones part at a right angle. */
static void
test_two_balls (void)
{
  const RigidContact contact = { .normal = { -cos (30 * KG_DEGREE), -sin (30 * KG_DEGREE), 0 } };

  for (int heavy = 0; heavy < 2; heavy++) {
    RigidSpeed a = { .v = { 3, 0, 0 }, .inverse_mass = heavy ? 0.5 : 1 }, b = { .inverse_mass = 1 };

    rigid_collide (&contact, &a, kg_vector (0, 0, 0), &b, kg_vector (0, 0, 0), 1);
    if (heavy) {
      assert_vector_near (a.v, 1.5, -0.866025, 0, 1e-6);
      assert_vector_near (b.v, 3, 1.732051, 0, 1e-6);
    } else {
      assert_vector_near (a.v, 0.75, -1.299038, 0, 1e-6);
      assert_vector_near (b.v, 2.25, 1.299038, 0, 1e-6);
      assert_near (kg_vector_dot (a.v, b.v), 0, 1e-12);
    }
  }
}

/* Five balls that touch: the last one takes all; without bounce they share. */
static void
test_cradle (void)
{
  for (int soft = 0; soft < 2; soft++) {
    Scene scene = scene_new ();

    for (int i = 0; i < 5; i++)
      add_ball (&scene, kg_vector (i, 1, 0), 0.5, 1);
    scene_begin (&scene, soft ? 0 : 1, 0);
    scene.settings.gravity = kg_vector (0, 0, 0);
    scene.settings.response = RIGID_EXACT;
    scene.settings.bounce_speed = 1e-6;
    get_motion (&scene, 0)->velocity = kg_vector (1, 0, 0);
    scene.settings.time = RIGID_ADVANCEMENT;
    scene_run (&scene, 1.0 / 24, 1);
    for (guint i = 0; i < 5; i++)
      assert_vector_near (get_motion (&scene, i)->velocity, soft ? 0.2 : i == 4, 0, 0, soft ? 1e-5 : 1e-9);
    scene_clear (&scene);
  }
}

/* Time of impact: 5 + 3 t - g t² / 2 = 0. */
static void
test_impact (void)
{
  const double root = 1.3607454625;

  for (int how = RIGID_ADVANCEMENT; how < RIGID_N_TIMES; how++) {
    Scene scene = scene_new ();
    const RigidContactOptions options = { .margin = 1e-9, .ground = { .on = true } };
    KgVector omega[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
    double time = -1, from = how == RIGID_LINEAR ? 1.3 : 0, h = how == RIGID_LINEAR ? 0.1 : 2;

    add_ball (&scene, kg_vector (0, 0, 0), 0.5, 1);
    scene_begin (&scene, 0, 0);
    get_motion (&scene, 0)->place = kg_vector (0, 5.5 + 3 * from - 0.5 * G * from * from, 0);
    get_motion (&scene, 0)->velocity = kg_vector (1, 3 - G * from, 0);
    g_assert_true (
        rigid_find_impact (scene.world, 0, 1, &options, omega, kg_vector (0, -G, 0), h, (RigidTime) how, &time));
    assert_near (from + time * h, how == RIGID_LINEAR ? 1.3596037 : root, how == RIGID_LINEAR ? 1e-6 : 1e-7);
    g_assert_false (
        rigid_find_impact (scene.world, 0, 1, &options, omega, kg_vector (0, -G, 0), 0.05, (RigidTime) how, &time));
    scene_clear (&scene);
  }
}

/* The throw in feet: at 100 ft/s, bounces keep 0.8 of the speed. */
static void
test_bounce (void)
{
  Scene scene = scene_new ();
  double high = 0;

  add_ball (&scene, kg_vector (0, 1, 0), 1, 10);
  scene_begin (&scene, 0.8, 0);
  scene.settings.gravity = kg_vector (0, -32, 0);
  scene.settings.response = RIGID_EXACT;
  scene.settings.time = RIGID_ADVANCEMENT;
  scene.settings.substeps = 1;
  get_motion (&scene, 0)->velocity = kg_vector (0, 100, 0);
  /* The first apex is at 3.125 s, the second at 6.25 + 2.5 s: both are ends of steps. */
  scene_run (&scene, 0.03125, 100);
  high = get_motion (&scene, 0)->place.y - 1;
  assert_near (high, 156.25, 1e-6);
  scene_run (&scene, 0.03125, 180);
  assert_near (get_motion (&scene, 0)->place.y - 1, 100, 1e-4);
  assert_near (get_motion (&scene, 0)->velocity.y, 0, 1e-4);
  scene_clear (&scene);
}

static double
find_apex (Scene *scene, double dt, int frames)
{
  double high = 0;

  for (int i = 0; i < frames; i++) {
    scene_run (scene, dt, 1);
    high = fmax (high, get_motion (scene, 0)->place.y - 1);
  }
  return high;
}

/* The same throw by the other responses (K 250, m 10): sequential impulses keep about k² of the height. */
static void
test_bounce_by_steps (void)
{
  for (int way = 0; way < 2; way++) {
    Scene scene = scene_new ();
    double apex;

    add_ball (&scene, kg_vector (0, 1, 0), 1, 10);
    scene_begin (&scene, 0.8, 0);
    scene.settings.gravity = kg_vector (0, -32, 0);
    scene.settings.response = way == 0 ? RIGID_SEQUENTIAL : RIGID_EXACT;
    get_motion (&scene, 0)->velocity = kg_vector (0, 100, 0);
    scene_run (&scene, 1.0 / 30, 198);
    apex = find_apex (&scene, 1.0 / 30, 200);
    g_test_message ("apex %d: %g", way, apex);
    assert_near (apex, 100, 1.5);
    scene_clear (&scene);
  }
}

static Scene
throw_on_springs (RigidSprings springs, guint substeps)
{
  Scene scene = scene_new ();

  add_ball (&scene, kg_vector (0, 1, 0), 1, 10);
  scene_begin (&scene, 0.8, 0);
  scene.settings.gravity = kg_vector (0, -32, 0);
  scene.settings.response = RIGID_PENALTY;
  scene.settings.springs = springs;
  scene.settings.substeps = substeps;
  scene.settings.stiffness = 250;
  scene.settings.damping = 0;
  get_motion (&scene, 0)->velocity = kg_vector (0, 100, 0);
  return scene;
}

/* As published, springs feed energy or hold things under the floor; the mean of a step keeps the energy at any step. */
static void
test_springs (void)
{
  const double h = 1.0 / 30;
  Scene scene = throw_on_springs (RIGID_SPRINGS_START, 1);

  scene_run (&scene, h, 198);
  assert_near (get_motion (&scene, 0)->place.y - 1, -22.697244, 1e-4);
  scene_run (&scene, h, 10);
  assert_near (get_motion (&scene, 0)->velocity.y, 113.97, 0.01);
  assert_near (find_apex (&scene, h, 200), 206.293856, 1e-3);
  scene_clear (&scene);
  scene = throw_on_springs (RIGID_SPRINGS_START, 10);
  scene_run (&scene, h, 198);
  assert_near (find_apex (&scene, h, 200), 160.756658, 1e-3);
  scene_clear (&scene);
  scene = throw_on_springs (RIGID_SPRINGS_APPROACHING, 1);
  scene_run (&scene, h, 300);
  assert_near (get_motion (&scene, 0)->place.y - 1, -7.2346, 1e-4);
  scene_run (&scene, h, 300);
  assert_near (get_motion (&scene, 0)->place.y - 1, -2.6111, 1e-4);
  scene_run (&scene, h, 300);
  assert_near (get_motion (&scene, 0)->place.y - 1, -2.6080, 1e-4);
  scene_clear (&scene);
  for (guint substeps = 1; substeps <= 16; substeps *= 4) {
    double low = 0, high = 0;

    scene = throw_on_springs (RIGID_SPRINGS_MEAN, substeps);
    scene_run (&scene, h, 180);
    for (int i = 0; i < 1800; i++) {
      scene_run (&scene, h, 1);
      low = fmin (low, get_motion (&scene, 0)->place.y - 1);
      high = fmax (high, get_motion (&scene, 0)->place.y - 1);
    }
    g_test_message ("%u substeps: %g to %g", substeps, low, high);
    assert_near (low, -21.320918, 0.25);
    assert_near (high, 156.25, 0.1);
    g_assert_cmpfloat (high, <, 156.25 + 1e-6);
    scene_clear (&scene);
  }
}

/* What falls on springs never rises above where it came from: boxes that tumble, too, and however stiff the springs are. */
static void
test_springs_keep_energy (void)
{
  for (int kind = 0; kind < 2; kind++)
    for (double stiffness = 1e3; stiffness < 1e7; stiffness *= 10)
      for (int damped = 0; damped < 2; damped++) {
        Scene scene = scene_new ();
        double high = 0;

        if (kind == 0)
          add_ball (&scene, kg_vector (0, 2, 0), 0.5, 20);
        else
          add_box (&scene, kg_vector (0, 2, 0), kg_vector (1, 0.6, 0.8), 20);
        scene_begin (&scene, 1, 0.5);
        scene.settings.response = RIGID_PENALTY;
        scene.settings.stiffness = stiffness;
        scene.settings.damping = 0.2 * damped;
        if (kind == 1)
          get_motion (&scene, 0)->turn = kg_rotation_from_axis_angle (kg_vector (0.48, 0.6, 0.64), 0.6);
        scene_run (&scene, 1.0 / 24, 12);
        for (int i = 0; i < 240; i++) {
          scene_run (&scene, 1.0 / 24, 1);
          high = fmax (high, get_motion (&scene, 0)->place.y);
        }
        g_test_message ("kind %d, %g N/m, damped %d: %g", kind, stiffness, damped, high);
        g_assert_cmpfloat (high, <, 2 + 1e-3);
        if (kind == 0 && damped == 0)
          g_assert_cmpfloat (high, >, 1.9);
        scene_clear (&scene);
      }
}

/* Conditions of contacts at rest. */

static LcpResult
solve (size_t n, const double *a, const double *b, double low, double high, double *x)
{
  g_autofree double *matrix = g_memdup2 (a, n * n * sizeof *a);
  g_autofree double *lows = g_new (double, n), *highs = g_new (double, n);
  LcpProblem problem = { .n = n, .a = matrix, .b = b, .low = lows, .high = highs };
  size_t pivots;

  for (size_t i = 0; i < n; i++) {
    lows[i] = low;
    highs[i] = high;
  }
  return lcp_solve (&problem, x, &pivots, NULL);
}

/* How the rows of contacts from below of one body couple, and what they feel of gravity. */
static void
support (RigidSpeed body, const KgVector *feet, guint n, double *a, double *b)
{
  RigidSpeed speeds[2] = { body, { .inverse_mass = 0 } };
  RigidRow rows[4];

  for (guint i = 0; i < n; i++)
    rows[i] = rigid_row_along (0, 1, kg_vector (0, 1, 0), feet[i], kg_vector (0, 0, 0));
  for (guint i = 0; i < n; i++) {
    for (guint k = 0; k < n; k++)
      a[i * n + k] = rigid_rows_couple (&rows[i], &rows[k], speeds);
    b[i] = -G;
  }
}

/* A beam on two feet, one on both feet of one side that tips off, a cube on four corners, and a table whose weight is not
 * over its middle. */
static void
test_resting (void)
{
  const RigidSpeed beam = { .inverse_mass = 0.1, .inverse_inertia = { 0.075, 0.075, 0.075, 0, 0, 0 } };
  const RigidSpeed cube = { .inverse_mass = 0.5, .inverse_inertia = { 3, 3, 3, 0, 0, 0 } };
  const RigidSpeed table = { .inverse_mass = 0.125, .inverse_inertia = { 0.1, 0.1, 0.1, 0, 0, 0 } };
  const KgVector beam_feet[] = { { -1.5, 0, 0 }, { 1, 0, 0 } }, far[] = { { 0.5, 0, 0 }, { 1.5, 0, 0 } };
  const KgVector corners[] = { { -0.5, -0.5, -0.5 }, { 0.5, -0.5, -0.5 }, { -0.5, -0.5, 0.5 }, { 0.5, -0.5, 0.5 } };
  const KgVector legs[] = { { -1.2, -1, -1.3 }, { 0.8, -1, -1.3 }, { -1.2, -1, 0.7 }, { 0.8, -1, 0.7 } };
  double a[16], b[4], f[4];

  support (beam, beam_feet, 2, a, b);
  g_assert_cmpint (solve (2, a, b, 0, INFINITY, f), ==, LCP_SOLVED);
  assert_near (f[0], 39.24, 1e-6);
  assert_near (f[1], 58.86, 1e-6);
  support (beam, far, 2, a, b);
  assert_near (a[0], 0.11875, 1e-12);
  assert_near (a[1], 0.15625, 1e-12);
  assert_near (a[3], 0.26875, 1e-12);
  g_assert_cmpint (solve (2, a, b, 0, INFINITY, f), ==, LCP_SOLVED);
  assert_near (f[0], 82.610526, 1e-5);
  assert_near (f[1], 0, 1e-12);
  assert_near (a[2] * f[0] - G, 3.097895, 1e-5);
  support (cube, corners, 4, a, b);
  assert_near (a[0], 2, 1e-12);
  assert_near (a[1], 0.5, 1e-12);
  assert_near (a[2], 0.5, 1e-12);
  assert_near (a[3], -1, 1e-12);
  g_assert_cmpint (solve (4, a, b, 0, INFINITY, f), ==, LCP_SOLVED);
  for (int i = 0; i < 4; i++)
    assert_near (f[i], 4.905, 1e-5);
  support (table, legs, 4, a, b);
  g_assert_cmpint (solve (4, a, b, 0, INFINITY, f), ==, LCP_SOLVED);
  assert_near (f[0], 9.81, 1e-4);
  assert_near (f[1], 17.658, 1e-4);
  assert_near (f[2], 21.582, 1e-4);
  assert_near (f[3], 29.43, 1e-4);
}

/* Random problems meet their conditions, with bounds on either side; one that can grow without end says so. */
static void
test_lcp (void)
{
  const double zero = 0, minus = -1;
  double x[6];

  for (int k = 0; k < 200; k++) {
    const size_t n = 5;
    const double high = k % 2 ? 0.3 : INFINITY, low = k % 4 == 3 ? -0.3 : 0;
    double m[25], a[25], b[5];

    for (size_t i = 0; i < 25; i++)
      m[i] = sin ((double) (i + 1) * (k + 1) * 12.9898);
    for (size_t i = 0; i < n; i++) {
      b[i] = 2 * cos ((double) (i + 1) * (k + 3) * 78.233);
      for (size_t j = 0; j < n; j++) {
        a[i * n + j] = i == j ? 0.05 : 0;
        for (size_t l = 0; l < n; l++)
          a[i * n + j] += m[i * n + l] * m[j * n + l];
      }
    }
    g_assert_cmpint (solve (n, a, b, low, high, x), ==, LCP_SOLVED);
    for (size_t i = 0; i < n; i++) {
      double w = b[i];

      for (size_t j = 0; j < n; j++)
        w += a[i * n + j] * x[j];
      g_assert_cmpfloat (x[i], >=, low);
      g_assert_cmpfloat (x[i], <=, high);
      if (x[i] > low)
        g_assert_cmpfloat (w, <, 1e-7);
      if (x[i] < high)
        g_assert_cmpfloat (w, >, -1e-7);
    }
  }
  g_assert_cmpint (solve (1, &zero, &minus, 0, INFINITY, x), ==, LCP_NONE);
}

/* Friction. */

static double
slide (RigidResponse response, double degrees, double mu, double seconds)
{
  Scene scene = scene_new ();
  double way;

  add_box (&scene, kg_vector (0, 0.5, 0), kg_vector (2, 1, 2), 4);
  scene_begin (&scene, 0, mu);
  scene.settings.response = response;
  scene.settings.gravity = kg_vector (G * sin (degrees * KG_DEGREE), -G * cos (degrees * KG_DEGREE), 0);
  scene_run (&scene, 1.0 / 60, (int) (60 * seconds));
  way = get_motion (&scene, 0)->place.x;
  g_test_message ("%d %g: %g", response, degrees, way);
  scene_clear (&scene);
  return way;
}

/* A box on a slope holds up to atan mu = 16.699 degrees, and goes down 30 degrees with 2.356287 m/s². */
static void
test_slope (void)
{
  for (int response = RIGID_SEQUENTIAL; response <= RIGID_EXACT; response++) {
    /* It settles a little, then it does not creep. */
    const double settled = slide ((RigidResponse) response, 16.2, 0.3, 1);

    assert_near (settled, 0, 5e-3);
    assert_near (slide ((RigidResponse) response, 16.2, 0.3, 3), settled, 1e-5);
    g_assert_cmpfloat (slide ((RigidResponse) response, 17.2, 0.3, 2), >, 0.05);
    assert_near (slide ((RigidResponse) response, 30, 0.3, 1), 0.5 * 2.356287, 0.01);
  }
}

/* A ball rolls down 30 degrees with 5/7 g sin 30; a bowling ball that slides at 5 m/s rolls at 3.571429 m/s after 0.728 s. */
static void
test_rolling (void)
{
  for (int response = RIGID_SEQUENTIAL; response <= RIGID_EXACT; response++) {
    Scene scene = scene_new ();

    add_ball (&scene, kg_vector (0, 0.25, 0), 0.25, 4);
    scene_begin (&scene, 0, 0.4);
    scene.settings.response = (RigidResponse) response;
    scene.settings.gravity = kg_vector (0.5 * G, -G * cos (30 * KG_DEGREE), 0);
    scene_run (&scene, 1.0 / 60, 60);
    assert_near (get_motion (&scene, 0)->velocity.x, 3.503571, 0.02);
    assert_near (get_omega (&scene, 0).z, -4 * 3.503571, 0.08);
    scene_clear (&scene);
    scene = scene_new ();
    add_ball (&scene, kg_vector (0, 0.125, 0), 0.125, 4);
    scene_begin (&scene, 0, 0.2);
    scene.settings.response = (RigidResponse) response;
    get_motion (&scene, 0)->velocity = kg_vector (5, 0, 0);
    scene_run (&scene, 1.0 / 60, 40);
    g_assert_cmpfloat (get_motion (&scene, 0)->velocity.x + 0.125 * get_omega (&scene, 0).z, >, 0.1);
    scene_run (&scene, 1.0 / 60, 8);
    g_test_message ("%d: %.9g %.9g, %.9g", response, get_motion (&scene, 0)->velocity.x, get_omega (&scene, 0).z,
                    get_motion (&scene, 0)->place.y);
    assert_near (get_motion (&scene, 0)->velocity.x, 3.571429, 0.02);
    assert_near (get_motion (&scene, 0)->velocity.x + 0.125 * get_omega (&scene, 0).z, 0, 0.03);
    scene_clear (&scene);
  }
}

/* A ball that spins on one spot slows down by spinning m g / I; one that rolls does not feel it. */
static void
test_spinning (void)
{
  for (int resists = 0; resists < 3; resists++) {
    Scene scene = scene_new ();
    double turning;

    add_ball (&scene, kg_vector (0, 0.25, 0), 0.25, 4);
    add_ball (&scene, kg_vector (5, 0.25, 0), 0.25, 4);
    scene_begin (&scene, 0, 0.5);
    scene.settings.sleep = false;
    scene.settings.rolling = resists == 2 ? 0.01 : 0;
    scene.settings.spinning = resists == 1 ? 0.01 : 0;
    turning = rigid_body_get_inertia (rigid_set_get_body (scene.set, 0), kg_rotation_identity ()).yy;
    rigid_body_set_omega (rigid_set_get_body (scene.set, 0), get_motion (&scene, 0), kg_vector (0, 10, 0));
    get_motion (&scene, 1)->velocity = kg_vector (1, 0, 0);
    rigid_body_set_omega (rigid_set_get_body (scene.set, 1), get_motion (&scene, 1), kg_vector (0, 0, -4));
    scene_run (&scene, 1.0 / 60, 60);
    /* Resistance to rolling alone holds for both, as it did before there were two. */
    assert_near (get_omega (&scene, 0).y, resists == 0 ? 10 : 10 - 0.01 * 4 * G / turning, 1e-3);
    if (resists == 2)
      g_assert_cmpfloat (get_motion (&scene, 1)->velocity.x, <, 0.8);
    else
      assert_near (get_motion (&scene, 1)->velocity.x, 1, 1e-3);
    scene_clear (&scene);
  }
}

/* Stacks. */

static double
get_load (const Scene *scene, guint a, guint b, double h)
{
  double sum = 0;

  for (guint k = 0; k < scene->world->contacts->len; k++) {
    const RigidContact *contact = &g_array_index (scene->world->contacts, RigidContact, k);

    if (contact->a == a && contact->b == b)
      sum += contact->impulse / h;
  }
  return sum;
}

/* Three boxes of 2 kg: each bears what is above it. */
static void
test_loads (void)
{
  for (int response = RIGID_SEQUENTIAL; response <= RIGID_EXACT; response++) {
    Scene scene = scene_new ();

    for (int i = 0; i < 3; i++)
      add_box (&scene, kg_vector (0, 0.5 + i, 0), kg_vector (1, 1, 1), 2);
    scene_begin (&scene, 0, 0.5);
    scene.settings.response = (RigidResponse) response;
    scene_run (&scene, 1.0 / 60, 30);
    assert_near (get_load (&scene, 0, 3, 1.0 / 240), 58.86, 0.06);
    assert_near (get_load (&scene, 0, 1, 1.0 / 240), 39.24, 0.04);
    assert_near (get_load (&scene, 1, 2, 1.0 / 240), 19.62, 0.02);
    assert_near (get_motion (&scene, 2)->place.y, 2.5, 0.02);
    scene_clear (&scene);
  }
}

/* A tower of boxes with gaps between them, simulated as the node does by default; returns how far the top strays
 * from where it comes to stand. */
static double
build_tower (int n, double gap, bool sleep, int seconds)
{
  Scene scene = scene_new ();
  double off = 0;

  for (int i = 0; i < n; i++)
    add_box (&scene, kg_vector (0, 0.25 + (0.5 + gap) * i, 0), kg_vector (0.5, 0.5, 0.5), 125);
  scene_begin (&scene, 0.3, 0.5);
  scene.settings.updates = 2;
  scene.settings.sleep = sleep;
  scene_run (&scene, 1.0 / 24, seconds * 24);
  for (guint i = 0; i < (guint) n; i++)
    off = fmax (off, kg_vector_distance (get_motion (&scene, i)->place, kg_vector (0, 0.25 + 0.5 * i, 0)));
  g_test_message ("%d boxes, gaps of %g, %s: %g", n, gap, sleep ? "asleep" : "awake", off);
  scene_clear (&scene);
  return off;
}

static void
test_tower (void)
{
  g_assert_cmpfloat (build_tower (10, 0, true, 60), <, 1e-3);
  g_assert_cmpfloat (build_tower (30, 0, true, 60), <, 1e-3);
  g_assert_cmpfloat (build_tower (10, 0, false, 60), <, 1e-3);
  /* Nothing but the passes holds it here: less than a millimetre for each box. */
  g_assert_cmpfloat (build_tower (30, 0, false, 5), <, 30e-3);
  /* It comes down with a rattle, and stands. */
  g_assert_cmpfloat (build_tower (30, 1e-3, true, 60), <, 30e-3);
}

/* Heavy boxes on light ones neither sink in nor creep. */
static void
test_mass_ratio (void)
{
  static const double masses[3][4] = { { 1, 1000, 1, 1000 }, { 1, 1, 1, 1000 }, { 1, 10, 100, 1000 } };

  for (size_t k = 0; k < G_N_ELEMENTS (masses); k++)
    for (int dropped = 0; dropped < 2; dropped++) {
      Scene scene = scene_new ();
      double off = 0;

      for (int i = 0; i < 4; i++)
        add_box (&scene, kg_vector (0, 0.5 + (1 + 0.02 * dropped) * i, 0), kg_vector (1, 1, 1), masses[k][i]);
      scene_begin (&scene, 0.3, 0.5);
      scene.settings.updates = 2;
      scene.settings.sleep = true;
      scene_run (&scene, 1.0 / 24, 20 * 24);
      for (guint i = 0; i < 4; i++) {
        off = fmax (off, kg_vector_distance (get_motion (&scene, i)->place, kg_vector (0, 0.5 + i, 0)));
        g_assert_true (get_motion (&scene, i)->asleep);
      }
      g_test_message ("mass ratio %zu, dropped %d: %g", k, dropped, off);
      g_assert_cmpfloat (off, <, dropped ? 0.02 : 1e-3);
      scene_clear (&scene);
    }
}

/* A bullet does not go through a thin wall. */
static void
test_bullet (void)
{
  /* Sequential impulses, and exact ones at the moment of impact. */
  for (int way = 0; way < 2 * RIGID_N_TIMES; way++) {
    const RigidTime how = (RigidTime) (way / 2);
    Scene scene = scene_new ();

    add_ball (&scene, kg_vector (-3, 1, 0), 0.05, 0.1);
    add_box (&scene, kg_vector (0, 1, 0), kg_vector (0.01, 4, 4), 0);
    scene_begin (&scene, way % 2, 0);
    scene.settings.gravity = kg_vector (0, 0, 0);
    scene.settings.response = how == RIGID_AT_END ? RIGID_SEQUENTIAL : RIGID_EXACT;
    scene.settings.time = how;
    get_motion (&scene, 0)->velocity = kg_vector (100, 0, 0);
    scene_run (&scene, 1.0 / 60, 2);
    g_test_message ("bullet %g %g", get_motion (&scene, 0)->place.x, get_motion (&scene, 0)->velocity.x);
    if (way % 2 == 0)
      assert_near (get_motion (&scene, 0)->place.x, -0.055, 1e-3);
    else
      assert_near (get_motion (&scene, 0)->velocity.x, -100, 1e-6);
    scene_clear (&scene);
  }
}

/* Joints. */

static RigidJoint *
add_joint (Scene *scene, RigidJointKind kind, uint32_t a, uint32_t b, KgVector place)
{
  RigidJoint joint;

  rigid_joint_init (&joint, kind, scene->world->joints->len, a, get_motion (scene, a), b, get_motion (scene, b), place,
                    kg_vector (0, 0, 1));
  joint.settings = (RigidJointSettings){
    .low = NAN, .high = NAN, .speed = NAN, .target = NAN, .force = NAN, .strength = INFINITY, .length = NAN
  };
  g_array_append_val (scene->world->joints, joint);
  return &g_array_index (scene->world->joints, RigidJoint, scene->world->joints->len - 1);
}

/* A rod of 1 m and 1 kg on a hinge at its end, released level: at the bottom after a quarter of 1.933335 s, with 2.5 m g in the
 * hinge; m g / 4 at release.  Small swings take 1.637947 s. */
static void
test_pendulum (void)
{
  Scene scene = scene_new ();
  const double h = 1.0 / 960;
  double time = 0, load = 0, angle = 0, first = 0;
  int crossings = 0;

  add_box (&scene, kg_vector (0.5, 0, 0), kg_vector (1, 1.0 / 1024, 1.0 / 1024), 1);
  scene_begin (&scene, 0, 0);
  scene.settings.ground.on = false;
  scene.settings.substeps = 1;
  add_joint (&scene, RIGID_HINGE, scene.world->n, 0, kg_vector (0, 0, 0));
  scene_run (&scene, h, 1);
  assert_near (g_array_index (scene.world->joints, RigidJoint, 0).load, 2.4525, 0.02);
  assert_near (get_omega (&scene, 0).z, -14.715 * h, 1e-3 * 14.715 * h);
  for (time = h; get_motion (&scene, 0)->place.x > 0; time += h)
    scene_run (&scene, h, 1);
  load = g_array_index (scene.world->joints, RigidJoint, 0).load;
  g_test_message ("bottom after %g with %g", time, load);
  assert_near (time, 1.933335 / 4, 2e-3);
  assert_near (load, 24.525, 0.1);
  assert_near (g_array_index (scene.world->joints, RigidJoint, 0).gap, 0, 1e-4);
  scene_clear (&scene);
  scene = scene_new ();
  add_box (&scene, kg_vector (0, -0.5, 0), kg_vector (1.0 / 1024, 1, 1.0 / 1024), 1);
  scene_begin (&scene, 0, 0);
  scene.settings.ground.on = false;
  scene.settings.substeps = 1;
  add_joint (&scene, RIGID_HINGE, scene.world->n, 0, kg_vector (0, 0, 0));
  rigid_body_set_omega (rigid_set_get_body (scene.set, 0), get_motion (&scene, 0), kg_vector (0, 0, 0.05));
  get_motion (&scene, 0)->velocity = kg_vector (0.025, 0, 0);
  for (time = h; crossings < 3; time += h) {
    const double before = angle;

    scene_run (&scene, h, 1);
    angle = get_motion (&scene, 0)->place.x;
    if (before < 0 && angle >= 0 && crossings++ == 0)
      first = time;
  }
  assert_near ((time - h - first) / 2, 1.637947, 2e-3);
  scene_clear (&scene);
}

/* Two rods in a row, released level, keep their energy within 1 per cent over 10 s at 240 Hz. */
static void
test_double_pendulum (void)
{
  Scene scene = scene_new ();
  double worst = 0;

  for (int i = 0; i < 2; i++)
    add_box (&scene, kg_vector (0.5 + i, 0, 0), kg_vector (1, 1.0 / 16, 1.0 / 16), 1);
  scene_begin (&scene, 0, 0);
  scene.settings.ground.on = false;
  add_joint (&scene, RIGID_HINGE, scene.world->n, 0, kg_vector (0, 0, 0));
  add_joint (&scene, RIGID_HINGE, 0, 1, kg_vector (1, 0, 0));
  for (int i = 0; i < 600; i++) {
    RigidSums sums;

    scene_run (&scene, 1.0 / 60, 1);
    sums = rigid_world_get_sums (scene.world, scene.settings.gravity);
    worst = fmax (worst, fabs (sums.kinetic + sums.potential));
  }
  g_test_message ("energy off by %g of %g", worst, 4 * G);
  /* From level to hanging straight down is 1 g 0.5 + 1 g 1.5, and both ways. */
  g_assert_cmpfloat (worst, <, 0.01 * 4 * G);
  scene_clear (&scene);
}

/* A chain of 100 links holds a weight of a thousand links. */
static void
test_chain (void)
{
  Scene scene = scene_new ();
  double gap = 0, tension = 0;

  for (int i = 0; i < 100; i++)
    add_box (&scene, kg_vector (0, -0.125 - 0.25 * i, 0), kg_vector (0.0625, 0.25, 0.0625), 1);
  add_box (&scene, kg_vector (0, -25.5, 0), kg_vector (1, 1, 1), 1000);
  scene_begin (&scene, 0, 0);
  scene.settings.ground.on = false;
  for (guint i = 0; i < 101; i++)
    add_joint (&scene, RIGID_BALL, i == 0 ? scene.world->n : i - 1, i, kg_vector (0, -0.25 * i, 0));
  get_motion (&scene, 100)->velocity = kg_vector (2, 0, 0);
  scene_run (&scene, 1.0 / 60, 60);
  for (int i = 0; i < 30; i++) {
    scene_run (&scene, 1.0 / 60, 1);
    tension += g_array_index (scene.world->joints, RigidJoint, 0).tension / 30;
  }
  for (guint i = 0; i < 101; i++)
    gap = fmax (gap, g_array_index (scene.world->joints, RigidJoint, i).gap);
  g_test_message ("gap %g, weight at %g, load %g", gap, get_motion (&scene, 100)->place.y, tension);
  assert_near (gap, 0, 1e-3);
  assert_near (kg_vector_length (get_motion (&scene, 100)->place), 25.5, 0.02);
  assert_near (tension, 1100 * G, 0.05 * 1100 * G);
  scene_clear (&scene);
}

/* A motor by proportional and derivative control: I = 2, k = 200, c = 20; 0.849426 of the way after 0.2 s; with a load of 5 it
 * stays 0.025 short.  Then its limit holds it, and a weld breaks where it should. */
static void
test_motor (void)
{
  for (int loaded = 0; loaded < 3; loaded++) {
    Scene scene = scene_new ();
    RigidJoint *hinge;

    /* A plate of 24 by 1 kg: m a² / 12 about its middle. */
    add_box (&scene, kg_vector (0, 0, 0), kg_vector (1, 1.0 / 1024, 1), 24);
    scene_begin (&scene, 0, 0);
    scene.settings.ground.on = false;
    scene.settings.gravity = kg_vector (0, 0, 0);
    scene.settings.substeps = 1;
    hinge = add_joint (&scene, RIGID_HINGE, scene.world->n, 0, kg_vector (0, 0, 0));
    hinge->settings.target = 1;
    hinge->settings.stiffness = 200;
    hinge->settings.damping = 20;
    hinge->settings.high = loaded == 2 ? 0.5 : NAN;
    if (loaded == 1) {
      /* A force of 10 at an arm of 0.5. */
      RigidJoint *pull;

      scene.settings.gravity = kg_vector (0, -10.0 / 24, 0);
      pull = hinge;
      pull->pin_a = kg_vector (-0.5, 0, 0);
      pull->pin_b = kg_vector (-0.5, 0, 0);
      pull->settings.target = 0;
    }
    scene_run (&scene, loaded == 0 ? 1.0 / 1920 : 1.0 / 480, loaded == 0 ? 384 : 3000);
    hinge = &g_array_index (scene.world->joints, RigidJoint, 0);
    g_test_message ("motor %d: %g", loaded, hinge->angle);
    assert_near (hinge->angle, loaded == 0 ? 0.849426 : loaded == 1 ? -0.025 : 0.5, 2e-3);
    scene_clear (&scene);
  }
}

/* What swings from wide on one hinge, 10,000 steps long: its energy stays, and its angular momentum comes back. */
static void
test_pendulum_energy (void)
{
  Scene scene = scene_new ();
  double sums[2] = { 0, 0 }, energy, worst = 0;

  add_box (&scene, kg_vector (0.5, 0, 0), kg_vector (1, 1.0 / 16, 1.0 / 16), 1);
  scene_begin (&scene, 0, 0);
  scene.settings.ground.on = false;
  scene.settings.substeps = 1;
  add_joint (&scene, RIGID_HINGE, scene.world->n, 0, kg_vector (0, 0, 0));
  /* Above its pivot it has none to lose: m g is the measure. */
  energy = rigid_world_get_sums (scene.world, scene.settings.gravity).potential;
  for (int i = 0; i < 10000; i++) {
    const RigidSums now =
        (scene_run (&scene, 1.0 / 480, 1), rigid_world_get_sums (scene.world, scene.settings.gravity));
    const double off = (now.kinetic + now.potential - energy) / G;

    worst = fmax (worst, fabs (off));
    sums[i / 5000] += off / 5000;
  }
  g_test_message ("worst %g m g, means %g, %g", worst, sums[0], sums[1]);
  g_assert_cmpfloat (worst, <, 0.01);
  assert_near (sums[1] - sums[0], 0, 1e-3);
  scene_clear (&scene);
}

/* Newton's cradle on threads, 10,000 steps of single impulses: nothing is gained.  On hinges the impacts would not be elastic: a
 * ball that turns with its rod has a moment of inertia that an impulse through its centre does not stop. */
static void
test_cradle_energy (void)
{
  Scene scene = scene_new ();
  double start, first = 0, last = 0, middle = 0;

  for (int i = 0; i < 5; i++)
    add_ball (&scene, kg_vector (i, 0, 0), 0.5, 1);
  scene_begin (&scene, 1, 0);
  scene.settings.ground.on = false;
  scene.settings.response = RIGID_EXACT;
  scene.settings.time = RIGID_ADVANCEMENT;
  scene.settings.bounce_speed = 1e-6;
  scene.settings.sleep = false;
  scene.settings.substeps = 1;
  for (uint32_t i = 0; i < 5; i++) {
    RigidJoint rod;

    rigid_joint_init_rod (&rod, i, scene.world->n, get_motion (&scene, scene.world->n), i, get_motion (&scene, i),
                          kg_vector (i, 3, 0), kg_vector (i, 0, 0));
    rod.settings = (RigidJointSettings){
      .low = NAN, .high = NAN, .speed = NAN, .target = NAN, .force = NAN, .strength = INFINITY, .length = NAN
    };
    g_array_append_val (scene.world->joints, rod);
  }
  get_motion (&scene, 0)->velocity = kg_vector (-1, 0, 0);
  start = rigid_world_get_sums (scene.world, scene.settings.gravity).kinetic;
  for (int i = 0; i < 10000; i++) {
    const RigidSums now =
        (scene_run (&scene, 1.0 / 480, 1), rigid_world_get_sums (scene.world, scene.settings.gravity));
    const double energy = (now.kinetic + now.potential) / start;

    assert_near (energy, 1, 2e-3);
    if (i < 2000)
      first = fmax (first, -get_motion (&scene, 0)->place.x);
    if (i >= 8000) {
      last = fmax (last, -get_motion (&scene, 0)->place.x);
      middle = fmax (middle, fabs (get_motion (&scene, 2)->place.x - 2));
    }
    if (i == 9999)
      g_test_message ("energy %g, swings %g then %g, the middle %g", energy, first, last, middle);
  }
  assert_near (last, first, 1e-3);
  g_assert_cmpfloat (middle, <, 1e-3);
  scene_clear (&scene);
}

/* Gears of ratio r share an impulse: of two equal wheels, one of which turns at 3 rad/s, that one keeps 3 / (1 + r²), and the other
 * gets r times that; their angles stay in that ratio over many turns. */
static void
test_gears (void)
{
  static const double ratios[] = { -0.4, 2.5, -1 };

  for (size_t k = 0; k < G_N_ELEMENTS (ratios); k++) {
    const double r = ratios[k], first = 3 / (1 + r * r);
    Scene scene = scene_new ();
    RigidJoint gear;
    double turned;

    add_box (&scene, kg_vector (0, 0, 0), kg_vector (1, 1, 1), 1);
    add_box (&scene, kg_vector (3, 0, 0), kg_vector (1, 1, 1), 1);
    scene_begin (&scene, 0, 0);
    scene.settings.ground.on = false;
    scene.settings.gravity = kg_vector (0, 0, 0);
    add_joint (&scene, RIGID_HINGE, scene.world->n, 0, kg_vector (0, 0, 0));
    add_joint (&scene, RIGID_HINGE, scene.world->n, 1, kg_vector (3, 0, 0));
    rigid_joint_init_gear (&gear, 0, 0, get_motion (&scene, 0), kg_vector (0, 0, 0), kg_vector (0, 0, 1), 1,
                           get_motion (&scene, 1), kg_vector (3, 0, 0), kg_vector (0, 0, 1), r);
    gear.settings = g_array_index (scene.world->joints, RigidJoint, 0).settings;
    gear.settings.ratio = r;
    g_array_append_val (scene.world->joints, gear);
    rigid_body_set_omega (rigid_set_get_body (scene.set, 0), get_motion (&scene, 0), kg_vector (0, 0, 3));
    scene_run (&scene, 1.0 / 60, 1200);
    assert_near (get_omega (&scene, 0).z, first, 1e-6);
    assert_near (get_omega (&scene, 1).z, r * first, 1e-6);
    turned = g_array_index (scene.world->joints, RigidJoint, 2).angle;
    g_assert_cmpfloat (fabs (turned), >, 2 * KG_PI);
    assert_near (turned, g_array_index (scene.world->joints, RigidJoint, 0).angle, 1e-6);
    assert_near (g_array_index (scene.world->joints, RigidJoint, 1).angle, r * turned, 1e-5);
    scene_clear (&scene);
  }
}

static void
add_gear (Scene *scene, uint32_t a, KgVector place_a, KgVector axis_a, uint32_t b, KgVector place_b, KgVector axis_b,
          double ratio)
{
  RigidJoint gear;

  rigid_joint_init_gear (&gear, 0, a, get_motion (scene, a), place_a, axis_a, b, get_motion (scene, b), place_b, axis_b,
                         ratio);
  gear.settings = (RigidJointSettings){ .low = NAN,
                                        .high = NAN,
                                        .speed = NAN,
                                        .target = NAN,
                                        .force = NAN,
                                        .strength = INFINITY,
                                        .length = NAN,
                                        .ratio = ratio };
  g_array_append_val (scene->world->joints, gear);
}

/* A planetary gear: a sun of 24 teeth and a ring of 60, a planet of 18 on a carrier.  (w_ring - w_c) 60 = -(w_sun - w_c) 24 and
 * (w_planet - w_c) 18 = -(w_sun - w_c) 24 (Willis), whichever of the three is driven, at any number of turns; hinges at other
 * heights than the wheels change nothing. */
static void
test_planetary_gear (void)
{
  const KgVector z = { 0, 0, 1 }, middle = { 0, 0, 0 }, off = { 2.1, 0, 0 };

  for (int driven = 0; driven < 3; driven++) {
    Scene scene = scene_new ();
    RigidJoint *motor;
    double sun, carrier, planet, ring;

    add_box (&scene, middle, kg_vector (1, 1, 0.2), 1);                     /* the sun */
    add_box (&scene, kg_vector (1.05, 0, 1), kg_vector (2.1, 0.2, 0.2), 2); /* the carrier */
    add_box (&scene, off, kg_vector (0.8, 0.8, 0.2), 0.5);                  /* the planet */
    add_box (&scene, kg_vector (0, 0, -1), kg_vector (6, 6, 0.1), 3);       /* the ring */
    scene_begin (&scene, 0, 0);
    scene.settings.ground.on = false;
    scene.settings.gravity = kg_vector (0, 0, 0);
    add_joint (&scene, RIGID_HINGE, scene.world->n, 0, kg_vector (0, 0, 0.5));
    add_joint (&scene, RIGID_HINGE, scene.world->n, 1, kg_vector (0, 0, 1));
    add_joint (&scene, RIGID_HINGE, 1, 2, kg_vector (2.1, 0, 1));
    add_joint (&scene, RIGID_HINGE, scene.world->n, 3, kg_vector (0, 0, -1));
    add_gear (&scene, 0, kg_vector (0, 0, 0.5), z, 2, kg_vector (2.1, 0, 1), z, -24.0 / 18);
    add_gear (&scene, 2, kg_vector (2.1, 0, 1), z, 3, kg_vector (0, 0, -1), z, 18.0 / 60);
    /* The sun with the ring held, the carrier with the sun held, the sun and the ring against each other. */
    motor = &g_array_index (scene.world->joints, RigidJoint, driven == 1 ? 1 : 0);
    motor->settings.speed = 4;
    motor = &g_array_index (scene.world->joints, RigidJoint, driven == 1 ? 0 : 3);
    motor->settings.speed = driven == 2 ? -1 : 0;
    scene_run (&scene, 1.0 / 240, 1920);
    sun = get_omega (&scene, 0).z;
    carrier = get_omega (&scene, 1).z;
    planet = get_omega (&scene, 2).z;
    ring = get_omega (&scene, 3).z;
    g_test_message ("sun %g carrier %g planet %g ring %g", sun, carrier, planet, ring);
    /* To the square of the angle of a step. */
    assert_near (driven == 1 ? carrier : sun, 4, 1e-6);
    assert_near (carrier, (24 * sun + 60 * ring) / 84, 2e-4);
    assert_near (planet - carrier, -24.0 / 18 * (sun - carrier), 2e-4);
    /* Their angles too, after many turns: that of a gear is against the carrier. */
    g_assert_cmpfloat (fabs (g_array_index (scene.world->joints, RigidJoint, 4).angle), >, 4 * KG_PI);
    assert_near (g_array_index (scene.world->joints, RigidJoint, 1).angle,
                 (24 * g_array_index (scene.world->joints, RigidJoint, 0).angle +
                  60 * g_array_index (scene.world->joints, RigidJoint, 3).angle) /
                     84,
                 1e-4);
    scene_clear (&scene);
  }
}

/* The ring of a planetary gear is the world: w_carrier 84 = w_sun 24, and (w_planet - w_carrier) 18 = -(w_sun - w_carrier) 24. */
static void
test_ring_of_the_world (void)
{
  const KgVector z = { 0, 0, 1 }, middle = { 0, 0, 0 }, off = { 2.1, 0, 0 };
  Scene scene = scene_new ();
  double carrier;

  add_box (&scene, middle, kg_vector (1, 1, 0.2), 1);                     /* the sun */
  add_box (&scene, kg_vector (1.05, 0, 1), kg_vector (2.1, 0.2, 0.2), 2); /* the carrier */
  add_box (&scene, off, kg_vector (0.8, 0.8, 0.2), 0.5);                  /* the planet */
  scene_begin (&scene, 0, 0);
  scene.settings.ground.on = false;
  scene.settings.gravity = kg_vector (0, 0, 0);
  add_joint (&scene, RIGID_HINGE, scene.world->n, 0, kg_vector (0, 0, 0.5));
  add_joint (&scene, RIGID_HINGE, scene.world->n, 1, kg_vector (0, 0, 1));
  add_joint (&scene, RIGID_HINGE, 1, 2, kg_vector (2.1, 0, 1));
  add_gear (&scene, 0, kg_vector (0, 0, 0.5), z, 2, kg_vector (2.1, 0, 1), z, -24.0 / 18);
  add_gear (&scene, 2, kg_vector (2.1, 0, 1), z, scene.world->n, kg_vector (0, 0, -1), z, 18.0 / 60);
  g_array_index (scene.world->joints, RigidJoint, 0).settings.speed = 4;
  scene_run (&scene, 1.0 / 240, 1920);
  carrier = get_omega (&scene, 1).z;
  assert_near (get_omega (&scene, 0).z, 4, 1e-6);
  assert_near (carrier, 4 * 24.0 / 84, 2e-4);
  assert_near (get_omega (&scene, 2).z - carrier, -24.0 / 18 * (4 - carrier), 2e-4);
  /* After eight seconds; that of a gear is against the carrier. */
  assert_near (g_array_index (scene.world->joints, RigidJoint, 1).angle,
               g_array_index (scene.world->joints, RigidJoint, 0).angle * 24 / 84, 1e-4);
  assert_near (g_array_index (scene.world->joints, RigidJoint, 4).angle,
               -60.0 / 18 * g_array_index (scene.world->joints, RigidJoint, 1).angle, 1e-3);
  scene_clear (&scene);
}

/* A wheel on an arm rolls about an equal wheel of the world, whichever of the two is named first: it turns twice while the arm
 * turns once.  A spin of w shares itself out so that the arm gets 2 I w / (I_arm + m d² + 4 I), which stays. */
static void
test_wheel_of_the_world (void)
{
  const KgVector z = { 0, 0, 1 };

  for (int turned = 0; turned < 2; turned++) {
    const double wheel = 0.5 * (1 + 1) / 12, arm = 2 * (9 + 0.04) / 12 + 2 * 1.5 * 1.5;
    const double expected = 2 * wheel * 6 / (arm + 0.5 * 9 + 4 * wheel);
    Scene scene = scene_new ();

    add_box (&scene, kg_vector (3, 0, 0), kg_vector (1, 1, 0.2), 0.5);
    add_box (&scene, kg_vector (1.5, 0, 1), kg_vector (3, 0.2, 0.2), 2);
    scene_begin (&scene, 0, 0);
    scene.settings.ground.on = false;
    scene.settings.gravity = kg_vector (0, 0, 0);
    add_joint (&scene, RIGID_HINGE, scene.world->n, 1, kg_vector (0, 0, 1));
    add_joint (&scene, RIGID_HINGE, 1, 0, kg_vector (3, 0, 1));
    if (turned != 0)
      add_gear (&scene, 0, kg_vector (3, 0, 1), z, scene.world->n, kg_vector (0, 0, 1), z, -1);
    else
      add_gear (&scene, scene.world->n, kg_vector (0, 0, 1), z, 0, kg_vector (3, 0, 1), z, -1);
    rigid_body_set_omega (rigid_set_get_body (scene.set, 0), get_motion (&scene, 0), kg_vector (0, 0, 6));
    scene_run (&scene, 1.0 / 240, 1);
    assert_near (get_omega (&scene, 1).z, expected, 1e-4 * expected);
    scene_run (&scene, 1.0 / 240, 4799);
    assert_near (get_omega (&scene, 1).z, expected, 1e-3 * expected);
    assert_near (get_omega (&scene, 0).z, 2 * get_omega (&scene, 1).z, 1e-4);
    /* Against the arm it has turned as far as the arm has. */
    g_assert_cmpfloat (g_array_index (scene.world->joints, RigidJoint, 0).angle, >, 1);
    assert_near (g_array_index (scene.world->joints, RigidJoint, 1).angle,
                 g_array_index (scene.world->joints, RigidJoint, 0).angle, 1e-4);
    scene_clear (&scene);
  }
}

/* Wheels on a carrier that nothing holds: what one of them has of momentum and angular momentum goes to all three and stays. */
static void
test_free_gears (void)
{
  const KgVector z = { 0, 0, 1 };
  Scene scene = scene_new ();
  RigidSums before, after;

  add_box (&scene, kg_vector (0, 0, 0), kg_vector (1, 1, 0.2), 1);
  add_box (&scene, kg_vector (3, 0, 0), kg_vector (1, 1, 0.2), 1);
  add_box (&scene, kg_vector (1.5, 0, 1), kg_vector (3, 0.2, 0.2), 1);
  scene_begin (&scene, 0, 0);
  scene.settings.ground.on = false;
  scene.settings.gravity = kg_vector (0, 0, 0);
  add_joint (&scene, RIGID_HINGE, 2, 0, kg_vector (0, 0, 0));
  add_joint (&scene, RIGID_HINGE, 2, 1, kg_vector (3, 0, 0));
  add_gear (&scene, 0, kg_vector (0, 0, 0), z, 1, kg_vector (3, 0, 0), z, 0.5);
  rigid_body_set_omega (rigid_set_get_body (scene.set, 0), get_motion (&scene, 0), kg_vector (0, 0, 3));
  before = rigid_world_get_sums (scene.world, kg_vector (0, 0, 0));
  scene_run (&scene, 1.0 / 240, 1200);
  after = rigid_world_get_sums (scene.world, kg_vector (0, 0, 0));
  assert_vector_near (after.momentum, 0, 0, 0, 1e-9);
  assert_near (after.angular.z, before.angular.z, 1e-6 * before.angular.z);
  g_assert_cmpfloat (fabs (get_omega (&scene, 2).z), >, 0.01);
  assert_near (get_omega (&scene, 1).z - get_omega (&scene, 2).z,
               0.5 * (get_omega (&scene, 0).z - get_omega (&scene, 2).z), 1e-6);
  scene_clear (&scene);
}

/* Bevel gears of a differential: two side wheels of 20 teeth on one axis, a planet of 15 between them on a case.  The case turns
 * by the mean of the two, and the planet by half of their difference times 20/15. */
static void
test_differential (void)
{
  const KgVector x = { 1, 0, 0 }, z = { 0, 0, 1 };
  Scene scene = scene_new ();
  RigidJoint *motor;
  KgVector left, right, box;

  add_box (&scene, kg_vector (0, 0, -1.5), kg_vector (2, 2, 0.2), 1);
  add_box (&scene, kg_vector (0, 0, 1.5), kg_vector (2, 2, 0.2), 1);
  add_box (&scene, kg_vector (2, 0, 0), kg_vector (0.2, 2, 2), 1);
  add_box (&scene, kg_vector (0, 0, 4), kg_vector (1, 1, 1), 1); /* the case */
  scene_begin (&scene, 0, 0);
  scene.settings.ground.on = false;
  scene.settings.gravity = kg_vector (0, 0, 0);
  for (int i = 0; i < 4; i++)
    if (i != 2)
      add_joint (&scene, RIGID_HINGE, scene.world->n, i, kg_vector (0, 0, i == 0 ? -1.5 : i == 1 ? 1.5 : 4));
  {
    RigidJoint hinge;

    rigid_joint_init (&hinge, RIGID_HINGE, 0, 3, get_motion (&scene, 3), 2, get_motion (&scene, 2), kg_vector (2, 0, 0),
                      x);
    hinge.settings = g_array_index (scene.world->joints, RigidJoint, 0).settings;
    g_array_append_val (scene.world->joints, hinge);
  }
  add_gear (&scene, 0, kg_vector (0, 0, -1.5), z, 2, kg_vector (2, 0, 0), x, 20.0 / 15);
  add_gear (&scene, 1, kg_vector (0, 0, 1.5), z, 2, kg_vector (2, 0, 0), x, -20.0 / 15);
  motor = &g_array_index (scene.world->joints, RigidJoint, 0);
  motor->settings.speed = 3;
  motor = &g_array_index (scene.world->joints, RigidJoint, 1);
  motor->settings.speed = 1;
  scene_run (&scene, 1.0 / 240, 960);
  left = get_omega (&scene, 0);
  right = get_omega (&scene, 1);
  box = get_omega (&scene, 3);
  assert_near (left.z, 3, 1e-6);
  assert_near (right.z, 1, 1e-6);
  assert_near (box.z, 2, 1e-5);
  {
    const KgVector axis = kg_rotation_apply (get_motion (&scene, 2)->turn, x);

    assert_near (kg_vector_dot (get_omega (&scene, 2), axis), 20.0 / 15 * (3 - 1) / 2, 1e-4);
  }
  scene_clear (&scene);
}

/* A ball joint lets go of neither swing nor twist: a box that spins about its axis stops after 30 degrees, and hangs still. */
static void
test_twist (void)
{
  for (int side = -1; side <= 1; side += 2) {
    Scene scene = scene_new ();
    RigidJoint ball;
    KgRotation turn;

    add_box (&scene, kg_vector (0, -0.5, 0), kg_vector (0.5, 1, 0.5), 3);
    scene_begin (&scene, 0, 0);
    scene.settings.ground.on = false;
    rigid_joint_init (&ball, RIGID_BALL, 0, scene.world->n, get_motion (&scene, 1), 0, get_motion (&scene, 0),
                      kg_vector (0, 0, 0), kg_vector (0, -1, 0));
    ball.settings = (RigidJointSettings){ .low = 30 * KG_DEGREE,
                                          .high = 45 * KG_DEGREE,
                                          .speed = NAN,
                                          .target = NAN,
                                          .force = NAN,
                                          .strength = INFINITY,
                                          .length = NAN };
    g_array_append_val (scene.world->joints, ball);
    rigid_body_set_omega (rigid_set_get_body (scene.set, 0), get_motion (&scene, 0), kg_vector (0, 4 * side, 0));
    scene_run (&scene, 1.0 / 60, 90);
    turn = get_motion (&scene, 0)->turn;
    assert_near (2 * atan2 (turn.y, turn.w) / KG_DEGREE, 30 * side, 0.1);
    assert_vector_near (get_omega (&scene, 0), 0, 0, 0, 1e-3);
    scene_clear (&scene);
  }
}

static void
test_breaking (void)
{
  for (int strong = 0; strong < 2; strong++) {
    Scene scene = scene_new ();
    RigidJoint *weld;

    add_box (&scene, kg_vector (0, 2, 0), kg_vector (1, 1, 1), 10);
    scene_begin (&scene, 0, 0.5);
    weld = add_joint (&scene, RIGID_BALL, scene.world->n, 0, kg_vector (0, 2.5, 0));
    weld->settings.strength = strong ? 99 : 97;
    scene_run (&scene, 1.0 / 60, 60);
    g_assert_cmpint (g_array_index (scene.world->joints, RigidJoint, 0).broken, ==, !strong);
    assert_near (get_motion (&scene, 0)->place.y, strong ? 2 : 0.5, 0.01);
    scene_clear (&scene);
  }
}

/* A cube that is dropped flat stays as it is, by exact forces too. */
static void
test_flat_drop (void)
{
  for (int how = 0; how < RIGID_N_TIMES; how++) {
    Scene scene = scene_new ();

    add_box (&scene, kg_vector (0, 2, 0), kg_vector (1, 1, 1), 1000);
    scene_begin (&scene, 0.3, 0.5);
    scene.settings.response = RIGID_EXACT;
    scene.settings.time = (RigidTime) how;
    scene_run (&scene, 1.0 / 24, 96);
    assert_vector_near (get_motion (&scene, 0)->place, 0, 0.5, 0, 0.01);
    assert_near (fabs (get_motion (&scene, 0)->turn.w), 1, 1e-6);
    scene_clear (&scene);
  }
}

/* A stick that spins fast bounces on the ground: impacts at several points, with friction, create no energy. */
static void
test_bouncing_stick (void)
{
  Scene scene = scene_new ();
  RigidSums sums;
  double before;

  add_box (&scene, kg_vector (0, 0.8, 0), kg_vector (0.05, 1, 0.05), 1);
  scene_begin (&scene, 0.6, 0.1);
  get_motion (&scene, 0)->turn =
      kg_rotation_multiply (kg_rotation_from_axis_angle (kg_vector (0, 0, 1), 50 * KG_DEGREE),
                            kg_rotation_from_axis_angle (kg_vector (1, 0, 0), 20 * KG_DEGREE));
  rigid_body_set_omega (rigid_set_get_body (scene.set, 0), get_motion (&scene, 0), kg_vector (2, 16, 1));
  sums = rigid_world_get_sums (scene.world, scene.settings.gravity);
  for (int frame = 0; frame < 72; frame++) {
    before = sums.kinetic + sums.potential;
    scene_run (&scene, 1.0 / 24, 1);
    sums = rigid_world_get_sums (scene.world, scene.settings.gravity);
    g_assert_cmpfloat (sums.kinetic + sums.potential, <, before + 0.1);
  }
  scene_clear (&scene);
}

/* Two joints that cannot hold at once: both are named. */
static void
test_contradiction (void)
{
  Scene scene = scene_new ();

  add_box (&scene, kg_vector (0, 2, 0), kg_vector (1, 1, 1), 10);
  scene_begin (&scene, 0, 0.5);
  add_joint (&scene, RIGID_ROD, scene.world->n, 0, kg_vector (0, 2, 0))->settings.length = 1;
  g_array_index (scene.world->joints, RigidJoint, 0).pin_a = kg_vector (-2, 2, 0);
  add_joint (&scene, RIGID_ROD, scene.world->n, 0, kg_vector (0, 2, 0))->settings.length = 1;
  g_array_index (scene.world->joints, RigidJoint, 1).pin_a = kg_vector (2, 2, 0);
  scene_run (&scene, 1.0 / 60, 10);
  g_assert_cmpint (scene.report.events & RIGID_CONTRADICTION, !=, 0);
  g_assert_cmpuint (scene.report.joint + scene.report.other, ==, 1);
  /* They neither throw the body about nor let it fall: it hangs in between, where both pull alike. */
  for (int frame = 0; frame < 180; frame++) {
    scene_run (&scene, 1.0 / 24, 1);
    g_assert_cmpfloat (kg_vector_distance (get_motion (&scene, 0)->place, kg_vector (0, 2, 0)), <, 0.3);
    g_assert_cmpfloat (kg_vector_length (get_motion (&scene, 0)->velocity), <, 1);
  }
  scene_clear (&scene);
}

/* Boxes that spin as they fall on each other hardly sink in: contacts are found again while corners come round. */
static void
test_spinning_boxes (void)
{
  Scene scene = scene_new ();
  double deepest = 0;

  for (int i = 0; i < 81; i++)
    add_box (&scene, kg_vector (1.2 * (i % 3 - 1) + 0.02 * (i / 9), 1.2 + 0.65 * (i / 9), 0.8 * (i / 3 % 3 - 1)),
             kg_vector (0.5, 0.3, 0.4), 60);
  scene_begin (&scene, 0.3, 0.5);
  scene.settings.updates = 2;
  for (guint i = 0; i < 81; i++)
    rigid_body_set_omega (rigid_set_get_body (scene.set, i), get_motion (&scene, i), kg_vector (1.5, 0.9, 1.2));
  for (int frame = 0; frame < 48; frame++) {
    scene_run (&scene, 1.0 / 24, 1);
    deepest = fmax (deepest, scene.report.depth);
  }
  g_test_message ("deepest %g", deepest);
  g_assert_cmpfloat (deepest, <, 0.03);
  scene_clear (&scene);
}

/* A joint that fast bodies tear open contradicts no other; one that holds a body that sleeps still bears it. */
static void
test_gaping (void)
{
  Scene scene = scene_new ();

  for (int i = 0; i < 2; i++)
    add_box (&scene, kg_vector (0.5 + i, 0, 0), kg_vector (1, 0.1, 0.1), 1);
  scene_begin (&scene, 0, 0);
  scene.settings.ground.on = false;
  scene.settings.substeps = 1;
  add_joint (&scene, RIGID_BALL, scene.world->n, 0, kg_vector (0, 0, 0));
  add_joint (&scene, RIGID_BALL, 0, 1, kg_vector (1, 0, 0));
  get_motion (&scene, 1)->velocity = kg_vector (0, 200, 0);
  scene_run (&scene, 1.0 / 24, 1);
  g_assert_cmpint (scene.report.events & (RIGID_CONTRADICTION | RIGID_TOO_FAST), ==, RIGID_TOO_FAST);
  scene_clear (&scene);
  scene = scene_new ();
  add_box (&scene, kg_vector (0, -0.5, 0), kg_vector (0.2, 1, 0.2), 2);
  scene_begin (&scene, 0, 0);
  scene.settings.ground.on = false;
  scene.settings.sleep = true;
  add_joint (&scene, RIGID_BALL, scene.world->n, 0, kg_vector (0, 0, 0));
  scene_run (&scene, 1.0 / 24, 48);
  g_assert_cmpuint (scene.report.n_awake, ==, 0);
  assert_near (g_array_index (scene.world->joints, RigidJoint, 0).load, 2 * G, 0.01);
  scene_clear (&scene);
}

/* A rod hangs on a ball joint by its end and swings out of one plane: no energy comes. */
static void
test_slim_pendulum (void)
{
  static const RigidResponse responses[] = { RIGID_SEQUENTIAL, RIGID_EXACT };

  for (size_t way = 0; way < G_N_ELEMENTS (responses); way++) {
    Scene scene = scene_new ();
    RigidSums sums;
    double start;

    add_box (&scene, kg_vector (0.5, 0, 0), kg_vector (1, 0.02, 0.02), 1);
    scene_begin (&scene, 0, 0);
    scene.settings.ground.on = false;
    scene.settings.response = responses[way];
    rigid_body_set_omega (rigid_set_get_body (scene.set, 0), get_motion (&scene, 0), kg_vector (0, 4, 0));
    get_motion (&scene, 0)->velocity = kg_vector (0, 0, -2);
    add_joint (&scene, RIGID_BALL, scene.world->n, 0, kg_vector (0, 0, 0));
    sums = rigid_world_get_sums (scene.world, scene.settings.gravity);
    start = sums.kinetic + sums.potential;
    for (int frame = 0; frame < 240; frame++) {
      scene_run (&scene, 1.0 / 24, 1);
      sums = rigid_world_get_sums (scene.world, scene.settings.gravity);
      g_assert_cmpfloat (sums.kinetic + sums.potential, <, start + 0.3);
    }
    g_test_message ("energy %g of %g", sums.kinetic + sums.potential, start);
    scene_clear (&scene);
  }
}

/* Pieces of outlines: a square with a square hole in it, and one more square in the hole. */
static void
test_cut (void)
{
  const double places[12][2] = { { 0, 0 }, { 4, 0 }, { 4, 4 },     { 0, 4 },     { 1, 1 },     { 1, 3 },
                                 { 3, 3 }, { 3, 1 }, { 1.5, 1.5 }, { 2.5, 1.5 }, { 2.5, 2.5 }, { 1.5, 2.5 } };
  const uint32_t ends[] = { 4, 8, 12 };
  g_autoptr (GArray) corners = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_autoptr (GArray) firsts = g_array_new (FALSE, FALSE, sizeof (guint));
  const guint n = rigid_cut_convex (places, ends, 3, corners, firsts, NULL);
  double area = 0;

  g_assert_cmpuint (n, <=, 6);
  for (guint k = 0; k < n; k++) {
    const guint first = g_array_index (firsts, guint, k), end = g_array_index (firsts, guint, k + 1);

    for (guint i = first; i < end; i++) {
      const double *a = places[g_array_index (corners, uint32_t, i)],
                   *b = places[g_array_index (corners, uint32_t, i + 1 < end ? i + 1 : first)];

      area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
    }
  }
  assert_near (area, 13, 1e-12);
}

/* 50-52: the load about a point that is not the centre is that about the centre, carried over; the scalar forms, repaired, give
 * the same; and back. */
static void
test_newton_euler (void)
{
  const NewtonEulerBody body = { .mass = 2,
                                 .center = { 0.1, 0.2, -0.3 },
                                 .inertia = { 2 * (0.25 + 0.36) / 12, 2 * (0.16 + 0.36) / 12, 2 * (0.16 + 0.25) / 12, 0,
                                              0, 0 } };
  const KgVector a = { 1, 0, -1 }, w = { 1, 2, 3 }, u = { 0.5, -0.5, 1 }, c = body.center;
  const NewtonEulerLoad load = newton_euler_get_load (&body, w, a, u);
  KgVector acceleration, alpha;

  assert_near (kg_vector_distance (load.force, kg_vector (-1.7, -6.7, 4.3)), 0, 1e-12);
  assert_near (kg_vector_distance (load.torque, kg_vector (-1.209167, 0.136667, -0.291667)), 0, 1e-6);
  assert_near (load.force.x,
               2 * (a.x - c.x * (w.y * w.y + w.z * w.z) + c.y * (w.x * w.y - u.z) + c.z * (w.x * w.z + u.y)), 1e-12);
  assert_near (load.force.y,
               2 * (a.y - c.y * (w.x * w.x + w.z * w.z) + c.x * (w.x * w.y + u.z) + c.z * (w.y * w.z - u.x)), 1e-12);
  assert_near (load.force.z,
               2 * (a.z - c.z * (w.x * w.x + w.y * w.y) + c.x * (w.x * w.z - u.y) + c.y * (w.y * w.z + u.x)), 1e-12);
  g_assert_true (newton_euler_get_accelerations (&body, w, &load, &acceleration, &alpha));
  assert_near (kg_vector_distance (acceleration, a), 0, 1e-12);
  assert_near (kg_vector_distance (alpha, u), 0, 1e-12);
  g_assert_false (newton_euler_get_accelerations (&(NewtonEulerBody){ .mass = 1 }, w, &load, &acceleration, &alpha));
}

/* Bodies with dents. */

/* (transfer full) A prism along z over an outline that turns counter-clockwise, half of it to each side of the plane. */
static KgGeometry *
new_prism (const double (*outline)[2], guint n, double thick, KgVector at)
{
  g_autofree uint32_t *bottom = g_new (uint32_t, n), *top = g_new (uint32_t, n);
  KgGeometry *mesh = kg_geometry_new ();
  float *p;

  g_assert_true (kg_geometry_set_n_points (mesh, 2 * n, NULL));
  p = kg_geometry_edit_positions (mesh);
  for (guint i = 0; i < 2 * n; i++) {
    p[3 * i] = (float) (at.x + outline[i % n][0]);
    p[3 * i + 1] = (float) (at.y + outline[i % n][1]);
    p[3 * i + 2] = (float) (at.z + (i < n ? -0.5 : 0.5) * thick);
  }
  for (guint i = 0; i < n; i++) {
    bottom[i] = n - 1 - i;
    top[i] = n + i;
  }
  kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, n, bottom);
  kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, n, top);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t side[] = { i, (i + 1) % n, n + (i + 1) % n, n + i };

    kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, 4, side);
  }
  return mesh;
}

/* (transfer full) A ring with edges, around y. */
static KgGeometry *
new_washer (double inner, double outer, double high, guint n, KgVector at)
{
  KgGeometry *mesh = kg_geometry_new ();
  float *p;

  g_assert_true (kg_geometry_set_n_points (mesh, 4 * n, NULL));
  p = kg_geometry_edit_positions (mesh);
  for (guint i = 0; i < 4 * n; i++) {
    const double r = i % 4 == 0 || i % 4 == 3 ? inner : outer, turn = 2 * KG_PI * (i / 4) / n;

    p[3 * i] = (float) (at.x + r * cos (turn));
    p[3 * i + 1] = (float) (at.y + (i % 4 < 2 ? -0.5 : 0.5) * high);
    p[3 * i + 2] = (float) (at.z + r * sin (turn));
  }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < 4; k++) {
      const uint32_t next = (i + 1) % n;
      const uint32_t face[] = { 4 * i + k, 4 * i + (k + 1) % 4, 4 * next + (k + 1) % 4, 4 * next + k };

      kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, 4, face);
    }
  return mesh;
}

static const double trough[][2] = { { -1.5, 0 }, { 1.5, 0 },  { 1.5, 2 },  { 0.5, 2 },
                                    { 0.5, 1 },  { -0.5, 1 }, { -0.5, 2 }, { -1.5, 2 } };

/* 50-77: a trough upside down falls over a post, and hangs on it by the bottom of its dent. */
static void
test_dent (void)
{
  static const double upside_down[][2] = { { 1.5, 2 },  { -1.5, 2 }, { -1.5, 0 }, { -0.5, 0 },
                                           { -0.5, 1 }, { 0.5, 1 },  { 0.5, 0 },  { 1.5, 0 } };
  Scene scene = scene_new ();
  const RigidBody *body;
  double load = 0;

  add_box (&scene, kg_vector (0, 1.5, 0), kg_vector (0.8, 3, 2), 0);
  add (&scene, new_prism (upside_down, 8, 1, kg_vector (0, 2.1, 0)), 10);
  scene_begin (&scene, 0, 0.5);
  g_assert_cmpuint (scene.set->warnings->len, ==, 0);
  body = rigid_set_get_body (scene.set, 1);
  g_assert_cmpuint (body->n_parts, ==, 3);
  /* The centre of 3 × 1 on top of two squares. */
  assert_near (body->center.y, 2.1 + (3 * 1.5 + 2 * 0.5) / 5, 1e-6);
  scene.settings.updates = 2;
  scene_run (&scene, 1.0 / 24, 72);
  /* 0.1 m down to where the bottom of the dent is on the post. */
  assert_near (get_motion (&scene, 1)->place.y, 3 + 0.1, 0.01);
  assert_near (get_motion (&scene, 1)->place.x, 0, 0.11);
  g_assert_cmpfloat (fabs (get_motion (&scene, 1)->turn.w), >, 0.9999);
  for (guint k = 0; k < scene.world->contacts->len; k++)
    load += g_array_index (scene.world->contacts, RigidContact, k).impulse;
  g_assert_true (get_motion (&scene, 1)->asleep || load > 0);
  scene_clear (&scene);
}

/* A ring is threaded onto a pole; its hull would lie on top. */
static void
test_ring (void)
{
  Scene scene = scene_new ();

  add_box (&scene, kg_vector (0, 1, 0), kg_vector (0.3, 2, 0.3), 0);
  add (&scene, new_washer (0.5, 0.8, 0.3, 24, kg_vector (0.1, 2.5, 0)), 3);
  add (&scene, new_washer (0.5, 0.8, 0.3, 24, kg_vector (-0.1, 3.2, 0.05)), 3);
  scene_begin (&scene, 0.1, 0.5);
  scene.settings.updates = 4;
  scene.settings.sleep = true;
  scene_run (&scene, 1.0 / 24, 120);
  for (guint i = 0; i < 2; i++) {
    const KgVector at = get_motion (&scene, 1 + i)->place;

    g_test_message ("ring %u of %u parts at %g %g %g, asleep %d", i, rigid_set_get_body (scene.set, 1 + i)->n_parts,
                    at.x, at.y, at.z, get_motion (&scene, 1 + i)->asleep);
    /* One on the other, around the pole. */
    assert_near (at.y, 0.15 + 0.3 * i, 0.01);
    g_assert_cmpfloat (hypot (at.x, at.z), <, 0.36);
    g_assert_true (get_motion (&scene, 1 + i)->asleep);
  }
  scene_clear (&scene);
}

/* Where parts of a body meet, nothing that slides over them gets caught: a block and a ball cross a ring, whose parts
 * are sectors, in a straight line. */
static void
test_seams (void)
{
  static const double side = 0.2;
  Scene scene = scene_new ();

  /* The ring is heavy: it does not give way. */
  add (&scene, new_washer (0.3, 2, 0.4, 32, kg_vector (0, 0.2, 0)), 1e6);
  add_box (&scene, kg_vector (-1.5, 0.4 + 0.5 * side, 0.8), kg_vector (side, side, side), 1);
  add_ball (&scene, kg_vector (-1.5, 0.4 + 0.5 * side, -0.8), 0.5 * side, 1);
  scene_begin (&scene, 0, 0);
  g_assert_cmpuint (rigid_set_get_body (scene.set, 0)->n_parts, >, 4);
  scene.settings.updates = 2;
  for (guint i = 1; i < 3; i++)
    get_motion (&scene, i)->velocity = kg_vector (2, 0, 0);
  for (int frame = 1; frame <= 36; frame++) {
    scene_run (&scene, 1.0 / 24, 1);
    for (guint i = 1; i < 3; i++) {
      const RigidMotion *motion = get_motion (&scene, i);

      assert_near (motion->place.x, -1.5 + 2 * scene.time, 2e-3);
      assert_near (motion->place.y, 0.4 + 0.5 * side, 2e-3);
      assert_near (motion->velocity.x, 2, 0.02);
      assert_near (kg_vector_length (get_omega (&scene, i)), 0, 0.05);
    }
  }
  scene_clear (&scene);
}

/* Troughs stack, and the same bits come out for any number of threads. */
static void
test_stacked_troughs (void)
{
  KgVector places[4];

  for (int threads = 1; threads <= 4; threads += 3) {
    const int before = omp_get_max_threads ();
    Scene scene = scene_new ();

    omp_set_num_threads (threads);
    for (int i = 0; i < 4; i++)
      add (&scene, new_prism (trough, 8, 1, kg_vector (0.02 * i, 2.02 * i, 0)), 5);
    scene_begin (&scene, 0, 0.5);
    scene.settings.updates = 2;
    scene.settings.sleep = true;
    scene_run (&scene, 1.0 / 24, 120);
    for (guint i = 0; i < 4; i++) {
      const KgVector place = get_motion (&scene, i)->place;

      assert_near (place.y, 0.9 + 2 * i, 0.02);
      g_assert_true (get_motion (&scene, i)->asleep);
      if (threads > 1)
        g_assert_true (memcmp (&places[i], &place, sizeof place) == 0);
      places[i] = place;
    }
    scene_clear (&scene);
    omp_set_num_threads (before);
  }
}

/* A coin, whose corners are all on one ball, is no ball. */
static void
test_coin (void)
{
  double rim[24][2];
  Scene scene = scene_new ();

  for (guint i = 0; i < 24; i++) {
    rim[i][0] = 0.5 * cos (2 * KG_PI * i / 24);
    rim[i][1] = 0.5 * sin (2 * KG_PI * i / 24);
  }
  add (&scene, new_prism ((const double (*)[2]) rim, 24, 0.1, kg_vector (0, 1, 0)), 1);
  add_ball (&scene, kg_vector (3, 1, 0), 0.5, 1);
  scene_begin (&scene, 0, 0.5);
  g_assert_true (g_array_index (scene.set->parts, RigidPart, 0).shape.kind == CONVEX_HULL);
  g_assert_true (g_array_index (scene.set->parts, RigidPart, 1).shape.kind == CONVEX_BALL);
  /* Pushed over, it comes to lie flat. */
  rigid_body_set_omega (rigid_set_get_body (scene.set, 0), get_motion (&scene, 0), kg_vector (3, 0, 0));
  scene.settings.updates = 2;
  scene_run (&scene, 1.0 / 24, 96);
  assert_near (get_motion (&scene, 0)->place.y, 0.05, 5e-3);
  scene_clear (&scene);
}

/* Pieces with one number are one body: each of them is a part. */
static void
test_grouped_pieces (void)
{
  g_autoptr (KgGeometry) dumbbell = kg_geometry_new ();
  g_autoptr (RigidSet) set = rigid_set_new ();
  g_autoptr (GError) error = NULL;
  const RigidOptions options = {
    .division = RIGID_BY_GROUP, .group = "body", .density = 1, .thickness = 0.01, .parts = 16
  };
  int32_t *numbers;

  for (int i = -1; i <= 1; i++) {
    g_autoptr (KgGeometry) box = shape_mesh_new_box (kg_transform_from_parts (
        kg_vector (i, 0, 0), kg_rotation_identity (), i == 0 ? kg_vector (1.2, 0.2, 0.2) : kg_vector (1, 1, 1)));

    g_assert_true (kg_geometry_append (dumbbell, box, &error));
  }
  numbers = kg_geometry_edit_int (dumbbell, KG_PRIMITIVES, "body", 1);
  memset (numbers, 0, kg_geometry_get_n_primitives (dumbbell) * sizeof *numbers);
  g_assert_true (rigid_set_add_geometry (set, dumbbell, &options, NULL, &error));
  g_assert_cmpuint (set->bodies->len, ==, 1);
  g_assert_cmpuint (rigid_set_get_body (set, 0)->n_parts, ==, 3);
  g_assert_cmpuint (set->warnings->len, ==, 0);
  for (guint i = 0; i < 3; i++)
    g_assert_true (g_array_index (set->parts, RigidPart, i).shape.kind == CONVEX_BOX);
}

/* A heap has the same bits for any number of threads, and none of it sinks. */
static void
test_heap (void)
{
  KgVector places[64];

  for (int threads = 1; threads <= 4; threads += 3) {
    const int before = omp_get_max_threads ();
    Scene scene = scene_new ();

    omp_set_num_threads (threads);
    for (int i = 0; i < 64; i++)
      if (i % 3 == 0)
        add_ball (&scene, kg_vector (0.6 * (i % 4) + 0.01 * (i % 5), 1 + 0.7 * (i / 8), 0.6 * (i / 4 % 2)), 0.25, 1);
      else
        add_box (&scene, kg_vector (0.6 * (i % 4) + 0.01 * (i % 5), 1 + 0.7 * (i / 8), 0.6 * (i / 4 % 2)),
                 kg_vector (0.5, 0.3, 0.4), 1);
    scene_begin (&scene, 0.3, 0.5);
    scene.settings.updates = 2;
    scene_run (&scene, 1.0 / 24, 48);
    g_test_message ("depth %g, %u awake", scene.report.depth, scene.report.n_awake);
    g_assert_cmpfloat (scene.report.depth, <, 0.02);
    for (guint i = 0; i < 64; i++) {
      g_assert_cmpfloat (get_motion (&scene, i)->place.y, >, 0.1);
      if (threads > 1)
        g_assert_true (memcmp (&places[i], &get_motion (&scene, i)->place, sizeof places[i]) == 0);
      places[i] = get_motion (&scene, i)->place;
    }
    scene_clear (&scene);
    omp_set_num_threads (before);
  }
}

/* Contacts in the lanes of vectors: what one contact after the other gives, for bodies of any tensor, some of which do not yield
 * and some of which turn as they are driven. */

typedef struct {
  RigidPush *push;
  KgVector impulse; /* along the three directions */
  KgVector roll;
} PlainContact;

static void
push_plainly (const RigidPush *push, KgVector impulse, RigidSpeed *speeds)
{
  RigidSpeed *a = &speeds[push->a], *b = &speeds[push->b];

  a->v = kg_vector_add_scaled (a->v, a->inverse_mass, impulse);
  b->v = kg_vector_add_scaled (b->v, -b->inverse_mass, impulse);
  a->w = kg_vector_add (a->w, symmetric_matrix_apply (a->inverse_inertia, kg_vector_cross (push->arm_a, impulse)));
  b->w = kg_vector_subtract (b->w, symmetric_matrix_apply (b->inverse_inertia, kg_vector_cross (push->arm_b, impulse)));
}

static KgVector
get_plain_velocity (const RigidPush *push, const RigidSpeed *speeds)
{
  const RigidSpeed *a = &speeds[push->a], *b = &speeds[push->b];

  return kg_vector_subtract (kg_vector_add (a->v, kg_vector_cross (a->w, push->arm_a)),
                             kg_vector_add (b->v, kg_vector_cross (b->w, push->arm_b)));
}

static double
get_plain_mass (const RigidPush *push, const RigidSpeed *speeds, KgVector n)
{
  const RigidSpeed *a = &speeds[push->a], *b = &speeds[push->b];

  return 1 / (a->inverse_mass + b->inverse_mass +
              symmetric_matrix_get_along (a->inverse_inertia, kg_vector_cross (push->arm_a, n)) +
              symmetric_matrix_get_along (b->inverse_inertia, kg_vector_cross (push->arm_b, n)));
}

static void
solve_plainly (PlainContact *plain, RigidSpeed *speeds, const RigidLaneStep *step)
{
  const RigidPush *push = plain->push;
  const RigidContact *contact = push->contact;
  const double gap = -contact->depth, pressed = plain->impulse.x;
  const double bias = gap > 0 ? gap / step->h : fmax (step->bias * fmin (gap + step->slop, 0), -step->recover);
  KgVector u = get_plain_velocity (push, speeds), roll, sum = { 0, 0, 0 };
  double along = plain->impulse.y - get_plain_mass (push, speeds, push->along) * kg_vector_dot (u, push->along),
         across = plain->impulse.z - get_plain_mass (push, speeds, push->across) * kg_vector_dot (u, push->across),
         next, length = hypot (along, across);

  if (length > contact->friction_static * pressed) {
    along *= contact->friction * pressed / length;
    across *= contact->friction * pressed / length;
  }
  push_plainly (push,
                kg_vector_add (kg_vector_scale (push->along, along - plain->impulse.y),
                               kg_vector_scale (push->across, across - plain->impulse.z)),
                speeds);
  for (int side = 0; side < 2; side++) {
    const SymmetricMatrix *i = &speeds[side == 0 ? push->a : push->b].inverse_inertia;

    sum.x += i->xx + i->yy + i->zz;
  }
  roll = kg_vector_add_scaled (plain->roll, -3 / sum.x, kg_vector_subtract (speeds[push->a].w, speeds[push->b].w));
  length = kg_vector_length (roll);
  if (length > step->rolling * pressed)
    roll = kg_vector_scale (roll, step->rolling * pressed / length);
  sum = kg_vector_subtract (roll, plain->roll);
  speeds[push->a].w = kg_vector_add (speeds[push->a].w, symmetric_matrix_apply (speeds[push->a].inverse_inertia, sum));
  speeds[push->b].w =
      kg_vector_subtract (speeds[push->b].w, symmetric_matrix_apply (speeds[push->b].inverse_inertia, sum));
  u = get_plain_velocity (push, speeds);
  next = fmax (pressed - get_plain_mass (push, speeds, push->normal) * (kg_vector_dot (u, push->normal) + bias), 0);
  push_plainly (push, kg_vector_scale (push->normal, next - pressed), speeds);
  plain->impulse = kg_vector (next, along, across);
  plain->roll = roll;
}

static void
test_lanes (void)
{
  enum { BODIES = 13, CONTACTS = 90 };
  const RigidLaneStep step = { .h = 0.01, .bias = 5, .slop = 1e-3, .recover = 1, .rolling = 0.02 };
  RigidSpeed speeds[BODIES], plain_speeds[BODIES];
  RigidContact contacts[CONTACTS] = { { .a = 0 } };
  RigidPush pushes[CONTACTS] = { { .a = 0 } };
  PlainContact plain[CONTACTS];
  g_autoptr (RigidLanes) lanes = NULL;

  for (guint i = 0; i < BODIES; i++) {
    const double slim = 1 + 30 * kg_random_uniform (5, i, 0);
    const SymmetricMatrix own = { 2, slim, 0.5 + slim, 0, 0, 0 };
    const KgVector axis = kg_random_direction (5, i, 10);

    speeds[i] = (RigidSpeed){ .v = kg_random_direction (5, i, 20), .w = kg_random_direction (5, i, 30) };
    /* The last one is the ground; the one before it is driven. */
    if (i < BODIES - 2) {
      speeds[i].inverse_mass = 0.2 + kg_random_uniform (5, i, 40);
      speeds[i].inverse_inertia = symmetric_matrix_rotate (own, kg_rotation_from_axis_angle (axis, 1));
    } else if (i == BODIES - 1)
      speeds[i] = (RigidSpeed){ .inverse_mass = 0 };
  }
  for (guint k = 0; k < CONTACTS; k++) {
    /* Up to six in a row are of the same bodies. */
    const guint of = k - k % (1 + k / 15 % 6);
    const uint32_t a = (uint32_t) (kg_random_uniform (6, of, 0) * (BODIES - 2)),
                   b = (a + 1 + (uint32_t) (kg_random_uniform (6, of, 1) * (BODIES - 2))) % BODIES;
    RigidPush *push = &pushes[k];

    contacts[k] = (RigidContact){ .a = a,
                                  .b = a == b ? BODIES - 1 : b,
                                  .normal = kg_random_direction (6, of, 2),
                                  .depth = 4e-3 * (kg_random_uniform (6, k, 12) - 0.5),
                                  .friction = 0.3,
                                  .friction_static = 0.4,
                                  .impulse = kg_random_uniform (6, k, 13) };
    *push = (RigidPush){ .contact = &contacts[k],
                         .a = contacts[k].a,
                         .b = contacts[k].b,
                         .normal = contacts[k].normal,
                         .along = kg_vector_perpendicular (contacts[k].normal),
                         .arm_a = kg_random_direction (6, k, 14),
                         .arm_b = kg_random_direction (6, k, 24) };
    push->across = kg_vector_cross (push->normal, push->along);
    plain[k] = (PlainContact){ .push = push, .impulse = kg_vector (contacts[k].impulse, 0, 0) };
  }
  memcpy (plain_speeds, speeds, sizeof speeds);
  lanes = rigid_lanes_new (pushes, CONTACTS, speeds, BODIES);
  rigid_lanes_begin (lanes, speeds, &step);
  rigid_lanes_apply (lanes);
  for (guint k = 0; k < CONTACTS; k++)
    push_plainly (&pushes[k], kg_vector_scale (pushes[k].normal, contacts[k].impulse), plain_speeds);
  for (int pass = 0; pass < 4; pass++) {
    double change, most, largest = 0;

    rigid_lanes_pass (lanes, pass % 2 == 1, &change, &most);
    for (guint k = 0; k < CONTACTS; k++)
      solve_plainly (&plain[pass % 2 == 1 ? CONTACTS - 1 - k : k], plain_speeds, &step);
    for (guint k = 0; k < CONTACTS; k++)
      largest = fmax (largest, plain[k].impulse.x);
    assert_near (most, largest, 1e-9 * largest);
  }
  rigid_lanes_write_speeds (lanes, speeds);
  for (guint i = 0; i < BODIES; i++) {
    assert_vector_near (speeds[i].v, plain_speeds[i].v.x, plain_speeds[i].v.y, plain_speeds[i].v.z, 1e-9);
    assert_vector_near (speeds[i].w, plain_speeds[i].w.x, plain_speeds[i].w.y, plain_speeds[i].w.z, 1e-9);
  }
  for (guint k = 0; k < CONTACTS; k++) {
    assert_near (*rigid_push_get (&pushes[k], RIGID_NORMAL), plain[k].impulse.x, 1e-9);
    assert_near (*rigid_push_get (&pushes[k], RIGID_ALONG), plain[k].impulse.y, 1e-9);
    assert_near (*rigid_push_get (&pushes[k], RIGID_ACROSS), plain[k].impulse.z, 1e-9);
    assert_near (*rigid_push_get (&pushes[k], RIGID_ROLL_Y), plain[k].roll.y, 1e-9);
  }
}

/* Friction of a bounce is that of its whole impulse, (1 + e) m v: what slides on loses the share of it, a ball gains the spin. */
static void
test_bounce_friction (void)
{
  static const double restitutions[] = { 0, 0.3, 0.6, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (restitutions); i++) {
    const double lost = 0.08 * (1 + restitutions[i]) * 3;
    Scene scene = scene_new ();
    KgVector v;

    add_ball (&scene, kg_vector (0, 0.201, 0), 0.2, 1);
    scene_begin (&scene, restitutions[i], 0.08);
    scene.settings.gravity = kg_vector (0, 0, 0);
    get_motion (&scene, 0)->velocity = kg_vector (2, -3, 0);
    scene_run (&scene, 1.0 / 24, 1);
    v = get_motion (&scene, 0)->velocity;
    assert_vector_near (v, 2 - lost, 3 * restitutions[i], 0, 1e-3);
    assert_near (get_omega (&scene, 0).z, -2.5 * lost / 0.2, 0.05 * 2.5 * lost / 0.2);
    scene_clear (&scene);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rigid/50-71-bounce-friction", test_bounce_friction);
  g_test_add_func ("/rigid/50-49-state", test_state);
  g_test_add_func ("/rigid/50-50-rotations", test_turning);
  g_test_add_func ("/rigid/50-52-newton-euler", test_newton_euler);
  g_test_add_func ("/rigid/50-53-free-flight", test_free_flight);
  g_test_add_func ("/rigid/50-53-thrown-stick", test_thrown_stick);
  g_test_add_func ("/rigid/50-67-impulse", test_impulse);
  g_test_add_func ("/rigid/50-72-impact-friction", test_impact_friction);
  g_test_add_func ("/rigid/50-69-two-balls", test_two_balls);
  g_test_add_func ("/rigid/50-68-cradle", test_cradle);
  g_test_add_func ("/rigid/50-64-impact", test_impact);
  g_test_add_func ("/rigid/50-54-50-66-bounce", test_bounce);
  g_test_add_func ("/rigid/50-66-bouncing-stick", test_bouncing_stick);
  g_test_add_func ("/rigid/50-73-flat-drop", test_flat_drop);
  g_test_add_func ("/rigid/50-55-bounce-by-steps", test_bounce_by_steps);
  g_test_add_func ("/rigid/50-56-springs", test_springs);
  g_test_add_func ("/rigid/50-56-springs-keep-energy", test_springs_keep_energy);
  g_test_add_func ("/rigid/50-73-50-74-50-75-resting", test_resting);
  g_test_add_func ("/rigid/50-75-lcp", test_lcp);
  g_test_add_func ("/rigid/50-71-slope", test_slope);
  g_test_add_func ("/rigid/50-71-rolling", test_rolling);
  g_test_add_func ("/rigid/50-71-spinning", test_spinning);
  g_test_add_func ("/rigid/50-77-loads", test_loads);
  g_test_add_func ("/rigid/50-77-tower", test_tower);
  g_test_add_func ("/rigid/50-77-mass-ratio", test_mass_ratio);
  g_test_add_func ("/rigid/50-65-bullet", test_bullet);
  g_test_add_func ("/rigid/50-76-pendulum", test_pendulum);
  g_test_add_func ("/rigid/50-76-gaping", test_gaping);
  g_test_add_func ("/rigid/50-76-slim-pendulum", test_slim_pendulum);
  g_test_add_func ("/rigid/50-76-double-pendulum", test_double_pendulum);
  g_test_add_func ("/rigid/50-76-chain", test_chain);
  g_test_add_func ("/rigid/50-88-motor", test_motor);
  g_test_add_func ("/rigid/50-76-pendulum-energy", test_pendulum_energy);
  g_test_add_func ("/rigid/50-68-cradle-energy", test_cradle_energy);
  g_test_add_func ("/rigid/50-76-gears", test_gears);
  g_test_add_func ("/rigid/50-76-50-102-planetary-gear", test_planetary_gear);
  g_test_add_func ("/rigid/50-76-50-102-ring-of-the-world", test_ring_of_the_world);
  g_test_add_func ("/rigid/50-76-wheel-of-the-world", test_wheel_of_the_world);
  g_test_add_func ("/rigid/50-76-free-gears", test_free_gears);
  g_test_add_func ("/rigid/50-76-differential", test_differential);
  g_test_add_func ("/rigid/50-76-twist", test_twist);
  g_test_add_func ("/rigid/50-76-breaking", test_breaking);
  g_test_add_func ("/rigid/50-76-contradiction", test_contradiction);
  g_test_add_func ("/rigid/convex-parts", test_cut);
  g_test_add_func ("/rigid/50-77-dent", test_dent);
  g_test_add_func ("/rigid/50-77-ring", test_ring);
  g_test_add_func ("/rigid/50-77-seams", test_seams);
  g_test_add_func ("/rigid/50-77-stacked-troughs", test_stacked_troughs);
  g_test_add_func ("/rigid/coin", test_coin);
  g_test_add_func ("/rigid/grouped-pieces", test_grouped_pieces);
  g_test_add_func ("/rigid/50-65-spinning-boxes", test_spinning_boxes);
  g_test_add_func ("/rigid/50-77-heap", test_heap);
  g_test_add_func ("/rigid/50-77-lanes", test_lanes);
  return g_test_run ();
}
