/* bench/scaling: how time grows with the size of what moves: chains of links, a step of a millisecond each, and boxes that
 * fall into a heap, a frame each.  One line for each: name, number, seconds (the least of several measurements).
 *
 * kineo-scaling-bench [MOST]: heaps of at most so many boxes (4,096).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/shape_mesh.h"
#include "kg-random.h"
#include "rig/joint_list.h"
#include "sim/articulated_body.h"
#include "sim/rigid_world.h"

#define RATE 24
#define SIDE 0.2
#define RUNS 7

static double
get_seconds (gint64 start)
{
  return (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
}

/* Hinges about z, each 0.1 m after the one before. */
static void
run_chain (guint n)
{
  const ArticulatedForces forces = { .gravity = { 0, -9.81, 0 } };
  g_autoptr (GString) joints = g_string_new ("j0 - hinge 0 0 0 mass 1 center 0.05 0 0\n");
  g_autoptr (KgSkeleton) skeleton = NULL;
  g_autoptr (ArticulatedBody) body = NULL;
  g_autoptr (GError) error = NULL;
  double least = INFINITY;
  guint joint;

  for (guint i = 1; i < n; i++)
    g_string_append_printf (joints, "j%u j%u hinge 0.1 0 0 mass 1 center 0.05 0 0\n", i, i - 1);
  skeleton = joint_list_read (joints->str, &error);
  if (skeleton != NULL)
    body = articulated_body_new (skeleton, NULL, &error);
  if (body == NULL)
    g_error ("%s", error->message);
  articulated_body_update (body);
  for (guint run = 0; run < RUNS; run++) {
    const gint64 start = g_get_monotonic_time ();

    for (guint step = 0; step < 20; step++)
      if (!articulated_body_step (body, &forces, 1e-3, ARTICULATED_SEMI_IMPLICIT, &joint))
        g_error ("joint %u is lost", joint);
    least = fmin (least, get_seconds (start) / 20);
  }
  g_print ("links\t%u\t%.9f\n", n, least);
}

static KgTransform
get_start (guint n, guint i)
{
  const guint across = (guint) ceil (cbrt (n)), layer = i / (across * across);
  const KgVector place = { 1.15 * SIDE * ((double) (i % across) - 0.5 * across), SIDE * (0.8 + 1.3 * layer),
                           1.15 * SIDE * ((double) (i / across % across) - 0.5 * across) };
  const KgRotation turn =
      kg_rotation_from_axis_angle (kg_random_direction (1, i, 0), 0.3 * kg_random_uniform (1, i, 3));

  return kg_transform_from_parts (place, turn, kg_vector (SIDE, SIDE, SIDE));
}

/* After a second of falling. */
static void
run_heap (guint n)
{
  const RigidOptions options = {
    .density = 1000, .thickness = 0.01, .parts = 1, .restitution = 0, .friction = 0.5, .friction_static = 0.5
  };
  const RigidSettings settings = { .updates = 2,
                                   .substeps = 4,
                                   .passes = 4,
                                   .turning = RIGID_QUATERNION,
                                   .gravity = { 0, -9.81, 0 },
                                   .bounce_speed = 0.5,
                                   .ground = { .on = true, .friction = 0.5, .friction_static = 0.5 } };
  RigidSet *set = rigid_set_new ();
  RigidWorld *world;
  g_autoptr (KgGeometry) all = kg_geometry_new ();
  g_autoptr (GError) error = NULL;
  double least = INFINITY;

  for (guint i = 0; i < n; i++) {
    g_autoptr (KgGeometry) box = shape_mesh_new_box (get_start (n, i));

    if (!kg_geometry_append (all, box, &error))
      g_error ("%s", error->message);
  }
  if (!rigid_set_add_geometry (set, all, &options, NULL, &error))
    g_error ("%s", error->message);
  rigid_set_begin_obstacles (set);
  world = rigid_world_new (set);
  for (guint frame = 0; frame < RATE + 3 * RUNS; frame++) {
    const gint64 start = g_get_monotonic_time ();
    RigidReport found;

    if (!rigid_world_advance (world, &settings, (double) frame / RATE, 1.0 / RATE, &found, NULL, &error))
      g_error ("%s", error->message);
    if (frame >= RATE)
      least = fmin (least, get_seconds (start));
  }
  g_print ("boxes\t%u\t%.9f\n", n, least);
  rigid_world_free (world);
  rigid_set_free (set);
}

int
main (int argc, char **argv)
{
  const guint most = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 4096;

  for (guint n = 125; n <= 1000; n *= 2)
    run_chain (n);
  for (guint n = 16; n <= most; n *= 2)
    run_heap (n);
  return 0;
}
