/* bench/ode: the ragdoll of bench/bodies in the Open Dynamics Engine (libode): 16 boxes, 15 ball joints, and one more that
 * the hand hangs by.  Prints one line for each of its solvers: name, seconds a step (median of the runs).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <glib.h>
#include <ode/ode.h>

#include "ragdoll.h"

static int
compare (const void *a, const void *b)
{
  return (*(const double *) a > *(const double *) b) - (*(const double *) a < *(const double *) b);
}

static void
make (dWorldID world)
{
  dBodyID bodies[RAGDOLL_BODIES];
  dJointID grip;

  for (int i = 0; i < RAGDOLL_BODIES; i++) {
    const double *b = ragdoll_bodies[i];
    dMass mass;

    bodies[i] = dBodyCreate (world);
    dBodySetPosition (bodies[i], b[0], b[1], b[2]);
    dMassSetBoxTotal (&mass, RAGDOLL_MASS, b[3], b[4], b[5]);
    dBodySetMass (bodies[i], &mass);
  }
  for (int i = 0; i < RAGDOLL_JOINTS; i++) {
    const double *j = ragdoll_joints[i];
    dJointID joint = dJointCreateBall (world, NULL);

    dJointAttach (joint, bodies[(int) j[0]], bodies[(int) j[1]]);
    dJointSetBallAnchor (joint, j[2], j[3], j[4]);
  }
  grip = dJointCreateBall (world, NULL);
  dJointAttach (grip, bodies[RAGDOLL_HAND], NULL);
  dJointSetBallAnchor (grip, ragdoll_grip[0], ragdoll_grip[1], ragdoll_grip[2]);
}

static void
run (const char *name, int (*step) (dWorldID, dReal))
{
  double seconds[RAGDOLL_RUNS];

  for (int k = 0; k < RAGDOLL_RUNS; k++) {
    dWorldID world = dWorldCreate ();
    gint64 start;

    dWorldSetGravity (world, 0, -9.81, 0);
    dWorldSetDamping (world, 0.01, 0.01);
    make (world);
    start = g_get_monotonic_time ();
    for (int i = 0; i < RAGDOLL_STEPS; i++)
      step (world, RAGDOLL_STEP);
    seconds[k] = (double) (g_get_monotonic_time () - start) * 1e-6 / RAGDOLL_STEPS;
    dWorldDestroy (world);
  }
  qsort (seconds, RAGDOLL_RUNS, sizeof *seconds, compare);
  g_print ("%s\t%.9f\n", name, seconds[RAGDOLL_RUNS / 2]);
}

int
main (void)
{
  dInitODE2 (0);
  run ("step", dWorldStep);
  run ("quick-step", dWorldQuickStep);
  dCloseODE ();
  return 0;
}
