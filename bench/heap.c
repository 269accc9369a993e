/* bench/heap: boxes that fall into a heap, without sleeping: ours, and in the Open Dynamics Engine if it is there.  One line
 * for each: name, boxes, seconds of processor time a frame (mean), deepest overlap and the mean of all overlaps in the end, as shares of the side of a box, as our
 * contacts measure both.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/shape_mesh.h"
#include "kg-random.h"
#include "sim/rigid_world.h"

#include <time.h>

#ifdef HAVE_ODE
#include <ode/ode.h>
#endif

#define RATE 24
#define SIDE 0.2

typedef struct {
  guint n, frames;
  RigidSet *set;
  RigidWorld *world;
} Heap;

static KgTransform
get_start (guint n, guint i)
{
  const guint across = n > 1000 ? 16 : 8, layer = i / (across * across);
  const KgVector place = { 1.15 * SIDE * ((double) (i % across) - 0.5 * across), SIDE * (0.8 + 1.3 * layer),
                           1.15 * SIDE * ((double) (i / across % across) - 0.5 * across) };
  const KgRotation turn =
      kg_rotation_from_axis_angle (kg_random_direction (1, i, 0), 0.3 * kg_random_uniform (1, i, 3));

  return kg_transform_from_parts (place, turn, kg_vector (SIDE, SIDE, SIDE));
}

static Heap
heap_new (guint n)
{
  const RigidOptions options = {
    .density = 1000, .thickness = 0.01, .parts = 1, .restitution = 0, .friction = 0.5, .friction_static = 0.5
  };
  g_autoptr (KgGeometry) all = kg_geometry_new ();
  g_autoptr (GError) error = NULL;
  Heap heap = { .n = n, .frames = 10 * RATE, .set = rigid_set_new () };

  for (guint i = 0; i < n; i++) {
    g_autoptr (KgGeometry) box = shape_mesh_new_box (get_start (n, i));

    if (!kg_geometry_append (all, box, &error))
      g_error ("%s", error->message);
  }
  if (!rigid_set_add_geometry (heap.set, all, &options, NULL, &error))
    g_error ("%s", error->message);
  rigid_set_begin_obstacles (heap.set);
  heap.world = rigid_world_new (heap.set);
  return heap;
}

static const RigidGround ground = { .on = true, .friction = 0.5, .friction_static = 0.5 };

static void
report (const char *name, const Heap *heap, double seconds)
{
  const RigidContactOptions options = { .margin = 1e-4, .ground = ground };
  g_autoptr (GArray) contacts = g_array_new (FALSE, FALSE, sizeof (RigidContact));
  g_autofree KgVector *omegas = g_new0 (KgVector, heap->n + 1);
  g_autoptr (GError) error = NULL;
  double deepest = 0, sum = 0;
  guint n = 0;

  for (guint i = 0; i < heap->n; i++) {
    heap->world->motions[i].velocity = kg_vector (0, 0, 0);
    heap->world->motions[i].asleep = false;
  }
  if (!rigid_contacts_find (heap->set, heap->world->motions, omegas, &options, NULL, 0, contacts, NULL, &error))
    g_error ("%s", error->message);
  for (guint k = 0; k < contacts->len; k++) {
    const double depth = g_array_index (contacts, RigidContact, k).depth;

    deepest = fmax (deepest, depth);
    if (depth > 0) {
      sum += depth;
      n++;
    }
  }
  g_print ("%s\t%u\t%.9f\t%.6f\t%.6f\n", name, heap->n, seconds / heap->frames, deepest / SIDE,
           n > 0 ? sum / n / SIDE : 0);
}

static void
run_ours (guint n)
{
  const RigidSettings settings = { .updates = 2,
                                   .substeps = 4,
                                   .passes = 4,
                                   .turning = RIGID_QUATERNION,
                                   .gravity = { 0, -9.81, 0 },
                                   .bounce_speed = 0.5,
                                   .ground = ground };
  Heap heap = heap_new (n);
  const clock_t start = clock ();

  for (guint frame = 0; frame < heap.frames; frame++) {
    g_autoptr (GError) error = NULL;
    RigidReport found;

    if (!rigid_world_advance (heap.world, &settings, (double) frame / RATE, 1.0 / RATE, &found, NULL, &error))
      g_error ("%s", error->message);
  }
  report ("ours", &heap, (double) (clock () - start) / CLOCKS_PER_SEC);
  rigid_world_free (heap.world);
  rigid_set_free (heap.set);
}

#ifdef HAVE_ODE
typedef struct {
  dWorldID world;
  dJointGroupID joints;
} Peer;

static void
touch (void *data, dGeomID a, dGeomID b)
{
  const Peer *peer = (const Peer *) data;
  dContact contacts[4];
  const int n = dCollide (a, b, 4, &contacts[0].geom, sizeof contacts[0]);

  for (int i = 0; i < n; i++) {
    contacts[i].surface.mode = dContactApprox1;
    contacts[i].surface.mu = 0.5;
    dJointAttach (dJointCreateContact (peer->world, peer->joints, &contacts[i]), dGeomGetBody (a), dGeomGetBody (b));
  }
}

/* steps: of each frame. */
static void
run_ode (guint n, int steps, int iterations)
{
  const Peer peer = { dWorldCreate (), dJointGroupCreate (0) };
  const dSpaceID space = dHashSpaceCreate (0);
  g_autofree dBodyID *bodies = g_new (dBodyID, n);
  g_autofree char *name = g_strdup_printf ("ode-%d-steps-%d-iterations", steps, iterations);
  Heap heap = heap_new (n);
  clock_t start;

  dWorldSetGravity (peer.world, 0, -9.81, 0);
  dWorldSetQuickStepNumIterations (peer.world, iterations);
  dWorldSetContactMaxCorrectingVel (peer.world, 1);
  dCreatePlane (space, 0, 1, 0, 0);
  for (guint i = 0; i < n; i++) {
    const RigidMotion *motion = &heap.world->motions[i];
    const dQuaternion q = { motion->turn.w, motion->turn.x, motion->turn.y, motion->turn.z };
    const dGeomID geom = dCreateBox (space, SIDE, SIDE, SIDE);
    dMass mass;

    bodies[i] = dBodyCreate (peer.world);
    dMassSetBox (&mass, 1000, SIDE, SIDE, SIDE);
    dBodySetMass (bodies[i], &mass);
    dBodySetPosition (bodies[i], motion->place.x, motion->place.y, motion->place.z);
    dBodySetQuaternion (bodies[i], q);
    dGeomSetBody (geom, bodies[i]);
  }
  start = clock ();
  for (guint step = 0; step < heap.frames * (guint) steps; step++) {
    dSpaceCollide (space, (void *) &peer, touch);
    dWorldQuickStep (peer.world, 1.0 / RATE / steps);
    dJointGroupEmpty (peer.joints);
  }
  for (guint i = 0; i < n; i++) {
    const dReal *p = dBodyGetPosition (bodies[i]), *q = dBodyGetQuaternion (bodies[i]);
    RigidMotion *motion = &heap.world->motions[i];

    motion->place = kg_vector (p[0], p[1], p[2]);
    motion->turn = (KgRotation){ q[0], q[1], q[2], q[3] };
  }
  report (name, &heap, (double) (clock () - start) / CLOCKS_PER_SEC);
  dSpaceDestroy (space);
  dJointGroupDestroy (peer.joints);
  dWorldDestroy (peer.world);
  rigid_world_free (heap.world);
  rigid_set_free (heap.set);
}
#endif

int
main (int argc, char **argv)
{
  const guint most = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 4096;

#ifdef HAVE_ODE
  dInitODE2 (0);
#endif
  for (guint n = 256; n <= most; n *= 16) {
    run_ours (n);
#ifdef HAVE_ODE
    run_ode (n, 4, 20);
    run_ode (n, 16, 20);
    run_ode (n, 16, 100);
#endif
  }
  return 0;
}
