/* bench/bodies: steps of figures that hang by one hand; prints one line for each way to move them: name, seconds a step
 * (median of the runs).  bench/ode.c does the same with the Open Dynamics Engine.
 * Not a test: nothing here passes or fails.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ragdoll.h"
#include "sim/body_solver.h"
#include "sim/skeleton_solver.h"

static int
compare (const void *a, const void *b)
{
  return (*(const double *) a > *(const double *) b) - (*(const double *) a < *(const double *) b);
}

static void
report (const char *name, double *seconds)
{
  qsort (seconds, RAGDOLL_RUNS, sizeof *seconds, compare);
  g_print ("%s\t%.9f\n", name, seconds[RAGDOLL_RUNS / 2]);
}

/* Boxes, each of 8 points and 6 squares. */
static KgGeometry *
make_boxes (void)
{
  static const uint32_t squares[6][4] = { { 0, 4, 6, 2 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
                                          { 2, 6, 7, 3 }, { 0, 2, 3, 1 }, { 4, 5, 7, 6 } };
  KgGeometry *boxes = kg_geometry_new ();
  uint32_t vertices[RAGDOLL_BODIES * 24], *v = vertices;
  float *p;

  kg_geometry_set_n_points (boxes, 8 * RAGDOLL_BODIES, NULL);
  p = kg_geometry_edit_positions (boxes);
  for (uint32_t b = 0; b < RAGDOLL_BODIES; b++) {
    for (uint32_t i = 0; i < 8; i++)
      for (uint32_t c = 0; c < 3; c++)
        *p++ = (float) (ragdoll_bodies[b][c] + ragdoll_bodies[b][3 + c] * ((i >> c & 1) != 0 ? 0.5 : -0.5));
    for (uint32_t i = 0; i < 24; i++)
      *v++ = 8 * b + squares[i / 4][i % 4];
  }
  kg_geometry_add_primitives (boxes, KG_POLYGON, true, (size_t) 6 * RAGDOLL_BODIES, 4, vertices);
  return boxes;
}

static void
run_bodies (void)
{
  const BodySettings settings = { .kappa = 0.16, .passes = 50, .tolerance = 1e-5 };
  g_autoptr (GString) joints = g_string_new (NULL);
  g_autoptr (KgGeometry) boxes = make_boxes ();
  g_autoptr (KgTable) typed = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (BodyAssembly) assembly = { .bodies = NULL };
  const KgVector grip = { ragdoll_grip[0], ragdoll_grip[1], ragdoll_grip[2] };
  const BodyGoal goal = { RAGDOLL_HAND, grip, grip };
  const KgVector fall = { 0, -9.81 * RAGDOLL_STEP * RAGDOLL_STEP, 0 };
  BodyAssemblyOptions options = { .division = BODY_OF_PIECE, .mass = RAGDOLL_MASS };
  double seconds[RAGDOLL_RUNS];

  for (int j = 0; j < RAGDOLL_JOINTS; j++)
    g_string_append_printf (joints, "%g %g %g %g %g\n", ragdoll_joints[j][0], ragdoll_joints[j][1],
                            ragdoll_joints[j][2], ragdoll_joints[j][3], ragdoll_joints[j][4]);
  typed = kg_table_parse (joints->str, body_assembly_joint_columns, &error);
  options.joints = typed;
  if (typed == NULL || !body_assembly_read (&assembly, boxes, &options, NULL, &error))
    g_error ("%s", error->message);
  for (int run = 0; run < RAGDOLL_RUNS; run++) {
    g_autoptr (BodySolver) solver = body_solver_new (&assembly, &settings);
    BodyPose *poses = body_solver_get_poses (solver), before[RAGDOLL_BODIES];
    const gint64 start = g_get_monotonic_time ();

    for (int step = 0; step < RAGDOLL_STEPS; step++) {
      memcpy (before, poses, sizeof before);
      for (int b = 0; b < RAGDOLL_BODIES; b++)
        body_pose_update (&poses[b], 0.98, fall, kg_vector (0, 0, 0));
      body_solver_adjust (solver, before, NULL, 0, &goal, 1);
    }
    seconds[run] = (double) (g_get_monotonic_time () - start) * 1e-6 / RAGDOLL_STEPS;
  }
  report ("procedural-body", seconds);
}

/* A rod for each body, from joint to joint, and the hinges of a person: what skeleton dynamics makes of it. */
static void
run_skeleton (void)
{
  static const double points[][3] = {
    { 0, 1.80, 0 },     { 0, 1.55, 0 },       { 0, 1.45, 0 },    { 0, 1.08, 0 },      { 0, 0.88, 0 },
    { 0.48, 1.42, 0 },  { 0.73, 1.42, 0 },    { 0.90, 1.42, 0 }, { -0.48, 1.42, 0 },  { -0.73, 1.42, 0 },
    { -0.90, 1.42, 0 }, { 0.10, 0.48, 0 },    { 0.10, 0.08, 0 }, { 0.10, 0.04, 0.2 }, { -0.10, 0.48, 0 },
    { -0.10, 0.08, 0 }, { -0.10, 0.04, 0.2 },
  };
  static const uint32_t rods[RAGDOLL_BODIES][2] = { { 0, 1 },   { 1, 2 },  { 2, 3 },   { 3, 4 },  { 2, 5 },  { 5, 6 },
                                                    { 6, 7 },   { 2, 8 },  { 8, 9 },   { 9, 10 }, { 4, 11 }, { 11, 12 },
                                                    { 12, 13 }, { 4, 14 }, { 14, 15 }, { 15, 16 } };
  const SkeletonSettings settings = { .max_sweeps = 20, .length_tolerance = 1e-3, .angle_tolerance = 1e-3, .relax = 1 };
  const size_t n = G_N_ELEMENTS (points);
  g_auto (SkeletonFigure)
      figure = { g_array_new (FALSE, FALSE, sizeof (SkeletonRod)), g_array_new (FALSE, FALSE, sizeof (SkeletonHinge)) };
  double seconds[RAGDOLL_RUNS];

  for (size_t k = 0; k < G_N_ELEMENTS (rods); k++) {
    const double *a = points[rods[k][0]], *b = points[rods[k][1]];
    const double length = kg_vector_distance (kg_vector (a[0], a[1], a[2]), kg_vector (b[0], b[1], b[2]));
    const SkeletonRod rod = { rods[k][0], rods[k][1], length, length };

    g_array_append_val (figure.rods, rod);
  }
  for (int run = 0; run < RAGDOLL_RUNS; run++) {
    g_autoptr (SkeletonSolver) solver = skeleton_solver_new (n, &figure, &settings);
    const SkeletonPoints state = skeleton_solver_get_points (solver);
    guint events = 0;
    gint64 start;

    for (size_t i = 0; i < n; i++)
      state.places[i] = kg_vector (points[i][0], points[i][1], points[i][2]);
    state.held[7] = 1;
    state.targets[7] = state.places[7];
    start = g_get_monotonic_time ();
    for (int step = 0; step < RAGDOLL_STEPS; step++) {
      for (size_t i = 0; i < n; i++)
        state.momenta[i].y -= RAGDOLL_STEP * 9.81;
      skeleton_solver_step (solver, RAGDOLL_STEP, &events, NULL);
    }
    seconds[run] = (double) (g_get_monotonic_time () - start) * 1e-6 / RAGDOLL_STEPS;
  }
  report ("skeleton-dynamics", seconds);
}

int
main (void)
{
  run_skeleton ();
  run_bodies ();
  return 0;
}
