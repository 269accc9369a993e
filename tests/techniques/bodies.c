/* tests/techniques/bodies: the rules and the solver of jointed rigid bodies, against closed forms and an independent solver in
 * the plane.  The names in brackets are those of the catalogue of techniques.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "sim/body_solver.h"
#include "sim/body_state.h"
#include "sim/body_touch.h"

#define RATE 24.0

/* The rules, one by one. */

static const BodyDrag unit_drag = {
  .mass = 1, .inertia = { 1.0 / 3, 1.0 / 3, 1.0 / 3, 0, 0, 0 }, .kappa = 1, .plane = false
};

static BodyPose
pose_at (double x, double y)
{
  return (BodyPose){ .place = { x, y, 0 }, .turn = kg_rotation_identity () };
}

/* [AH-02] With d = 1 a body flies as x0 + n step + a dt² n (n + 1) / 2, with less as a geometric sum says, and it ends at
 * the speed a dt / (1 - d); with d = 0 there is no inertia.  Turns likewise. */
static void
test_update (void)
{
  const double dt = 1 / RATE, a = -9.81;
  static const double keeps[] = { 1, 0.9, 0.5, 0 };

  for (size_t k = 0; k < G_N_ELEMENTS (keeps); k++) {
    const double d = keeps[k];
    BodyPose pose = pose_at (0, 0);
    double angle = 0;

    pose.step = kg_vector (0.3, 0.1, 0);
    pose.spin = kg_vector (0, 0, 0.02);
    for (int n = 1; n <= 300; n++) {
      const BodyPose before = pose;
      const double left = pow (d, n), sum = d < 1 ? (1 - left) / (1 - d) : n;
      KgRotation wanted;

      body_pose_update (&pose, d, kg_vector (0, a * dt * dt, 0), kg_vector (0, 0, 0.001));
      pose.step = kg_vector_subtract (pose.place, before.place);
      pose.spin = kg_vector (0, 0, d * pose.spin.z + 0.001);
      assert_vector_near (pose.step, 0.3 * left, 0.1 * left + a * dt * dt * sum, 0, 1e-11);
      angle += 0.02 * left + 0.001 * sum;
      wanted = kg_rotation_from_axis_angle (kg_vector (0, 0, 1), angle);
      assert_near (fabs (wanted.w * pose.turn.w + wanted.z * pose.turn.z), 1, 1e-12);
      if (d == 1)
        assert_vector_near (pose.place, n * 0.3, n * 0.1 + a * dt * dt * n * (n + 1) / 2, 0, 1e-9);
    }
    if (d == 0.9)
      assert_near (pose.step.y / dt, -4.0875, 1e-9);
    if (d == 0)
      assert_near (pose.step.y / dt, a * dt, 1e-12);
  }
}

/* [AH-03] The published example, and wherever a body is pulled from, and however much it turns, its pin is where it is
 * pulled to. */
static void
test_drag (void)
{
  BodyPose pose = pose_at (0, 0);
  const double angle = body_drag (&pose, &unit_drag, kg_vector (1, 0, 0), kg_vector (1, 1, 0));

  assert_near (angle, 1.4925909827, 1e-10);
  assert_vector_near (kg_rotation_apply (pose.turn, kg_vector (1, 0, 0)), 0.07812565, 0.99694352, 0, 1e-8);
  assert_vector_near (pose.place, 0.92187435, 0.00305648, 0, 1e-8);
  for (int k = 0; k < 500; k++) {
    const KgVector pin = { sin (k), cos (3 * k), sin (7 * k) },
                   target = { 3 * sin (2 * k), cos (5 * k), 2 * sin (11 * k) };
    const KgVector place = { cos (13 * k), sin (17 * k), cos (19 * k) };
    BodyDrag drag = unit_drag;
    KgVector arm;

    drag.kappa = pow (10, k % 7 - 4);
    drag.inertia.yy = 0.1;
    pose = (BodyPose){ .place = place, .turn = kg_rotation_from_axis_angle (target, k) };
    arm = kg_rotation_apply (kg_rotation_conjugate (pose.turn), kg_vector_subtract (pin, place));
    body_drag (&pose, &drag, arm, target);
    arm = kg_vector_add (pose.place, kg_rotation_apply (pose.turn, arm));
    assert_vector_near (arm, target.x, target.y, target.z, 1e-14);
  }
}

/* [AH-03] No pull: nothing.  A pin in the centre, or a pull straight out: no turn.  Pushed straight in: no turn, unless
 * symmetry is to be broken.  Pulled as far as can be: it trails exactly behind. */
static void
test_drag_degenerate (void)
{
  BodyDrag drag = unit_drag;
  BodyPose pose = pose_at (1, 2), before = pose;

  g_assert_cmpfloat (body_drag (&pose, &drag, kg_vector (2, 1, 0), kg_vector (3, 3, 0)), ==, 0);
  g_assert_cmpmem (&pose, sizeof pose, &before, sizeof before);
  g_assert_cmpfloat (body_drag (&pose, &drag, kg_vector (0, 0, 0), kg_vector (5, 5, 5)), ==, 0);
  assert_vector_near (pose.place, 5, 5, 5, 1e-15);
  pose = pose_at (0, 0);
  g_assert_cmpfloat (body_drag (&pose, &drag, kg_vector (1, 0, 0), kg_vector (2, 0, 0)), ==, 0);
  assert_vector_near (pose.place, 1, 0, 0, 1e-15);
  g_assert_cmpfloat (body_drag (&pose, &drag, kg_vector (1, 0, 0), kg_vector (1.5, 0, 0)), ==, 0);
  assert_vector_near (pose.place, 0.5, 0, 0, 1e-15);
  drag.break_symmetry = true;
  for (int plane = 0; plane < 2; plane++) {
    drag.plane = plane;
    pose = pose_at (0, 0);
    assert_near (fabs (body_drag (&pose, &drag, kg_vector (1, 0, 0), kg_vector (0, 0, 0))), KG_PI * (1 - exp (-3)),
                 1e-12);
  }
  /* However far it has flown, it comes back whole. */
  drag = unit_drag;
  pose = pose_at (-1e300, 1e297);
  body_drag (&pose, &drag, kg_vector (0.5, 0, 0), kg_vector (1, 0, 0));
  assert_near (kg_vector_distance (pose.place, kg_vector (1, 0, 0)), 0.5, 1e-15);
  drag.kappa = 1e9;
  pose = pose_at (0, 0);
  body_drag (&pose, &drag, kg_vector (0, 1, 0), kg_vector (0.6, 1.8, 0));
  assert_vector_near (kg_vector_subtract (kg_vector (0.6, 1.8, 0), pose.place), 0.6, 0.8, 0, 1e-12);
}

/* [AH-04] The share of the angle: figure 5 of the source at four places, no turn without any of its causes, never more than
 * the angle, always more for more, and ever more slowly. */
static void
test_turn_angle (void)
{
  static const double known[][2] = { { 0.5, 0.393469 }, { 1, 0.632121 }, { 3, 0.950213 } };
  double last = 0, last_step = INFINITY;

  for (size_t i = 0; i < G_N_ELEMENTS (known); i++) {
    assert_near (body_turn_angle (1, known[i][0], 1, 1), known[i][1], 1e-6);
    assert_near (body_turn_angle (2, 1, 0.5, 2 * known[i][0]) / 2, known[i][1], 1e-6);
  }
  g_assert_cmpfloat (body_turn_angle (0, 1, 1, 1), ==, 0);
  g_assert_cmpfloat (body_turn_angle (1, 0, 1, 1), ==, 0);
  g_assert_cmpfloat (body_turn_angle (1, 1, 0, 1), ==, 0);
  g_assert_cmpfloat (body_turn_angle (1, 1, 1, 0), ==, 0);
  assert_near (body_turn_angle (1.2, 1, 1e6, 1e6), 1.2, 1e-15);
  for (int k = 1; k < 2000; k++) {
    const double angle = body_turn_angle (1.2, 0.16, 3, 0.01 * k);

    g_assert_cmpfloat (angle, >, last);
    g_assert_cmpfloat (angle, <=, 1.2);
    g_assert_cmpfloat (angle - last, <, last_step);
    last_step = angle - last;
    last = angle;
  }
}

/* [AH-04] The default: a free rod that is knocked at its end, across, turns by lambda s / (1 + m r² / I) = lambda s / 4 to
 * first order, and so it does here with kappa = 1 / (2 pi). */
static void
test_kappa (void)
{
  const double lambda = 0.5 / (1.0 / 12), s = 1e-6;

  assert_near (body_turn_angle (KG_PI / 2, 1 / (2 * KG_PI), lambda, s) / (lambda * s), 0.25, 1e-5);
}

/* [AH-05] Where two pins meet; equal masses: half way. */
static void
test_meeting_point (void)
{
  assert_vector_near (body_meeting_point (1, kg_vector (0, 0, 0), 3, kg_vector (4, 0, 0)), 3, 0, 0, 1e-15);
  assert_vector_near (body_meeting_point (2, kg_vector (1, 2, 3), 2, kg_vector (3, 2, 1)), 2, 2, 2, 1e-15);
}

/* [AH-09] Within its limits a joint is left as it is; beyond them the nearer one is what is missing, left and right in the
 * plane, also across the half turn. */
static void
test_limit (void)
{
  static const double cases[][4] = {
    { 30, -90, 90, 0 },     { 100, -90, 90, -10 },  { -100, -90, 90, 10 }, { 0, 20, 40, 20 },
    { -175, 90, 170, -15 }, { 175, -170, -90, 15 }, { 179, 170, 200, 0 },  { -179, 170, 200, 0 },
  };
  const KgVector u = { 1, 0, 0 };
  KgVector axis;
  bool ambiguous = false;

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double a = cases[i][0] * KG_DEGREE;

    assert_near (body_limit_excess (u, kg_vector (cos (a), sin (a), 0), cases[i][1] * KG_DEGREE,
                                    cases[i][2] * KG_DEGREE, true, &axis, NULL),
                 cases[i][3] * KG_DEGREE, 1e-12);
  }
  /* In space, about the axis across both. */
  assert_near (body_limit_excess (u, kg_vector (0, 0, 2), 0, 60 * KG_DEGREE, false, &axis, &ambiguous), -30 * KG_DEGREE,
               1e-12);
  assert_vector_near (axis, 0, -1, 0, 1e-15);
  g_assert_false (ambiguous);
  assert_near (body_limit_excess (u, u, 20 * KG_DEGREE, 60 * KG_DEGREE, false, &axis, &ambiguous), 20 * KG_DEGREE,
               1e-12);
  g_assert_true (ambiguous);
  assert_near (kg_vector_dot (axis, u), 0, 1e-15);
}

/* [AH-11] Out along the normal, or back along the velocity (the published example), which along the surface is no way out. */
static void
test_way_out (void)
{
  const KgVector up = { 0, 1, 0 };

  assert_vector_near (body_way_out (BODY_PUSH_OUT, 0.2, up, kg_vector (1, -1, 0)), 0, 0.2, 0, 0);
  assert_vector_near (body_way_out (BODY_BACK_UP, 0.2, up, kg_vector (1, -1, 0)), -0.2, 0.2, 0, 1e-15);
  assert_vector_near (body_way_out (BODY_BACK_UP, 0.2, up, kg_vector (1, 0, 0)), 0, 0.2, 0, 0);
  assert_vector_near (body_way_out (BODY_BACK_UP, 0.2, up, kg_vector (0, 0, 0)), 0, 0.2, 0, 0);
  assert_vector_near (body_way_out (BODY_BACK_UP, 0.2, up, kg_vector (1, 1, 0)), 0, 0.2, 0, 0);
}

/* A push at a corner: the corner goes the way, to first order; by the mass and the inertia of a cube with a side of 1 its
 * centre goes a quarter of it: 1/m beside 1/m + (1/4 + 1/4) / I = 1/3 + 1. */
static void
test_push (void)
{
  Body body = { .mass = 3, .inertia = { 0.5, 0.5, 0.5, 0, 0, 0 } };
  const KgVector corner = { 0.5, -0.5, 0.5 }, way = { 0, 1e-6, 0 };
  BodyPose pose = pose_at (0, 0);
  KgVector moved;

  body_push (&pose, &body, false, corner, way);
  moved = kg_vector_subtract (kg_vector_add (pose.place, kg_rotation_apply (pose.turn, corner)), corner);
  assert_near (moved.y, 1e-6, 1e-11);
  assert_near (pose.place.y, 1e-6 / 4, 1e-11);
  /* Under the centre it does not turn. */
  pose = pose_at (0, 0);
  body_push (&pose, &body, true, kg_vector (0, -0.5, 0), kg_vector (0, 0.3, 0));
  assert_vector_near (pose.place, 0, 0.3, 0, 1e-15);
  g_assert_cmpfloat (pose.turn.w, ==, 1);
}

static KgVector
get_spot (const KgVector ends[2], int i)
{
  return kg_vector_lerp (ends[0], ends[1], i / 200.0);
}

/* To a hundredth of their length. */
static double
get_distance_of_lines (const KgVector a[2], const KgVector b[2])
{
  double nearest = INFINITY;

  for (int i = 0; i <= 200; i++)
    for (int k = 0; k <= 200; k++)
      nearest = fmin (nearest, kg_vector_distance (get_spot (a, i), get_spot (b, k)));
  return nearest;
}

/* Rods in one plane, or on one line, touch where they are within the margin of each other and nowhere else. */
static void
test_rods_in_line (void)
{
  static const KgVector rods[][2] = { { { 0, 0, 0 }, { 2, 0, 0 } },       { { 1, 0.1, 0 }, { 1, 2.1, 0 } },
                                      { { 2.01, 0, 0 }, { 3.01, 0, 0 } }, { { 6, 0, 0 }, { 7, 0, 0 } },
                                      { { 6, 1, 0 }, { 7, 2, 0 } },       { { 1.5, 0.2, 0 }, { 3, 1.4, 0 } },
                                      { { 2.2, 0, 0 }, { 3.2, 1, 0 } },   { { -1, -1, 0 }, { -0.02, 0.1, 0 } } };
  const double margin = 0.05;

  for (guint k = 1; k < G_N_ELEMENTS (rods); k++)
    for (int plane = 0; plane < 2; plane++) {
      g_autoptr (KgGeometry) geometry = kg_geometry_new ();
      g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (uint32_t));
      g_auto (BodyShape) shape_a = { .n_points = 0 }, shape_b = { .n_points = 0 };
      const BodyPose pose_a = { .place = kg_vector_lerp (rods[0][0], rods[0][1], 0.5),
                                .turn = kg_rotation_identity () };
      const BodyPose pose_b = { .place = kg_vector_lerp (rods[k][0], rods[k][1], 0.5),
                                .turn = kg_rotation_identity () };
      const BodyPlaced obstacle = { &shape_a, NULL }, a = { &shape_a, &pose_a }, b = { &shape_b, &pose_b };
      const double distance = get_distance_of_lines (rods[0], rods[k]);
      BodyTouch touch = { .depth = 0 };
      float *p;

      g_assert_true (kg_geometry_set_n_points (geometry, 4, NULL));
      p = kg_geometry_edit_positions (geometry);
      for (guint i = 0; i < 4; i++) {
        const KgVector x = rods[i / 2 * k][i % 2];

        for (guint c = 0; c < 3; c++)
          p[3 * i + c] = (float) kg_vector_get (x, c);
      }
      body_shape_read_edge (&shape_a, geometry, 0, 1, plane, points);
      body_shape_read_edge (&shape_b, geometry, 2, 3, plane, points);
      body_shape_move (&shape_b, kg_vector_scale (pose_b.place, -1));
      body_touch_obstacle (&b, &obstacle, margin, &touch);
      assert_near (touch.depth, fmax (0, margin - distance), 1e-3);
      body_shape_move (&shape_a, kg_vector_scale (pose_a.place, -1));
      touch = (BodyTouch){ .depth = 0 };
      body_touch_body (&a, &b, margin, &touch);
      assert_near (touch.depth, fmax (0, margin - distance), 1e-3);
    }
}

/* Bodies in the solver. */

typedef struct {
  KgGeometry *geometry;
  BodyAssembly assembly;
  BodySolver *solver;
  BodyPose *poses, *before;
  guint n;
  BodyReport report;
} Rig;

static void
rig_clear (Rig *rig)
{
  g_clear_pointer (&rig->solver, body_solver_free);
  body_assembly_clear (&rig->assembly);
  g_clear_pointer (&rig->geometry, kg_geometry_unref);
  g_clear_pointer (&rig->before, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Rig, rig_clear)

static const BodySettings plain = { .kappa = 0.16, .passes = 400, .tolerance = 1e-6, .plane = true };

/* Rods between points. */
static void
rig_init (Rig *rig, const BodySettings *settings, size_t n_points, const double (*points)[3], size_t n_rods,
          const uint32_t (*rods)[2], const float *masses)
{
  const BodyAssemblyOptions options = { .plane = settings->plane, .mass = 1 };
  g_autoptr (GError) error = NULL;

  *rig = (Rig){ .geometry = kg_geometry_new () };
  kg_geometry_set_n_points (rig->geometry, n_points, &error);
  for (size_t i = 0; i < 3 * n_points; i++)
    kg_geometry_edit_positions (rig->geometry)[i] = (float) points[i / 3][i % 3];
  kg_geometry_add_primitives (rig->geometry, KG_POLYLINE, false, n_rods, 2, rods[0]);
  if (masses != NULL)
    memcpy (kg_geometry_edit_float (rig->geometry, KG_PRIMITIVES, "mass", 1), masses, n_rods * sizeof *masses);
  body_assembly_read (&rig->assembly, rig->geometry, &options, NULL, &error);
  g_assert_no_error (error);
  rig->solver = body_solver_new (&rig->assembly, settings);
  rig->poses = body_solver_get_poses (rig->solver);
  rig->n = rig->assembly.bodies->len;
  rig->before = g_memdup2 (rig->poses, rig->n * sizeof *rig->poses);
}

/* The adjustment stage alone. */
static void
rig_adjust (Rig *rig, const BodyHold *holds, guint n_holds, const BodyGoal *goals, guint n_goals)
{
  body_solver_adjust (rig->solver, rig->before, holds, n_holds, goals, n_goals);
  body_solver_get_report (rig->solver, &rig->report);
  memcpy (rig->before, rig->poses, rig->n * sizeof *rig->poses);
}

static const double hanging[][3] = { { 0, 0 }, { 0, -1 }, { 0, -2 }, { 0, -3 }, { 0, -4 }, { 0, -5 } };
static const uint32_t chain[][2] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 5 } };

/* [AH-06] A chain of five rods whose first is moved along: where an independent solver has the others, all joints closed. */
static void
test_chain (void)
{
  static const double wanted[2][5][2] = {
    { { 6, -0.5 }, { 5.50001, -1.00247 }, { 4.50032, -1.0226 }, { 3.50479, -1.10454 }, { 2.53459, -1.32693 } },
    { { 6, -0.5 }, { 5.5, -1 }, { 4.5, -1 }, { 3.5, -1 }, { 2.5, -1 } },
  };

  for (int k = 0; k < 2; k++)
    for (int plane = 0; plane < 2; plane++) {
      BodyHold hold = { 0, { 0, -0.5, 0 }, kg_rotation_identity () };
      BodySettings settings = plain;
      g_auto (Rig) rig = { .n = 0 };

      settings.kappa = k == 0 ? 0.16 : 1;
      settings.plane = plane;
      rig_init (&rig, &settings, 6, hanging, 5, chain, NULL);
      for (int frame = 1; frame <= 60; frame++) {
        hold.place.x = 0.1 * frame;
        rig_adjust (&rig, &hold, 1, NULL, 0);
        g_assert_cmpfloat (rig.report.joint_gap, <, 1e-12);
        g_assert_cmpuint (rig.report.passes, ==, 1);
      }
      for (int i = 0; i < 5; i++)
        assert_vector_near (rig.poses[i].place, wanted[k][i][0], wanted[k][i][1], 0, 1e-5);
    }
}

/* [AH-06] What hangs on a body makes it turn more only where it is asked to. */
static void
test_group_inertia (void)
{
  static const float light[] = { 1, 1, 1, 1, 1 }, heavy[] = { 1, 1, 1, 1, 50 };
  double angles[2][2];

  for (int group = 0; group < 2; group++)
    for (int mass = 0; mass < 2; mass++) {
      const BodyHold hold = { 0, { 0.1, -0.5, 0 }, kg_rotation_identity () };
      BodySettings settings = plain;
      g_auto (Rig) rig = { .n = 0 };

      settings.group = (BodyGroupInertia) group;
      rig_init (&rig, &settings, 6, hanging, 5, chain, mass ? heavy : light);
      rig_adjust (&rig, &hold, 1, NULL, 0);
      angles[group][mass] = 2 * atan2 (rig.poses[1].turn.z, rig.poses[1].turn.w);
      g_assert_cmpfloat (rig.report.joint_gap, <, 1e-12);
    }
  /* lambda = m r / I = 6, or with the mass of four rods, or of three and a heavy one. */
  assert_near (angles[0][0], -KG_PI / 2 * (1 - exp (-0.16 * 6 * 0.1)), 1e-12);
  assert_near (angles[0][1], angles[0][0], 0);
  assert_near (angles[1][0], -KG_PI / 2 * (1 - exp (-0.16 * 24 * 0.1)), 1e-12);
  assert_near (angles[1][1], -KG_PI / 2 * (1 - exp (-0.16 * 6 * 53 * 0.1)), 1e-12);
}

/* [AH-06] After 1000 frames of whirling in space rotations are rotations, and bodies as long as they were. */
static void
test_rigid (void)
{
  BodySettings settings = plain;
  g_auto (Rig) rig = { .n = 0 };

  settings.plane = false;
  rig_init (&rig, &settings, 6, hanging, 5, chain, NULL);
  for (int frame = 0; frame < 1000; frame++) {
    const KgVector axis = { sin (0.1 * frame), cos (0.13 * frame), 1 };
    const BodyHold hold = { 2,
                            { cos (0.3 * frame), sin (0.7 * frame), sin (0.2 * frame) },
                            kg_rotation_from_axis_angle (axis, 0.4 * frame) };

    rig_adjust (&rig, &hold, 1, NULL, 0);
  }
  for (guint i = 0; i < rig.n; i++) {
    const KgRotation q = rig.poses[i].turn;

    assert_near (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-14);
    assert_near (kg_vector_distance (kg_rotation_apply (q, kg_vector (0, 0.5, 0)),
                                     kg_rotation_apply (q, kg_vector (0, -0.5, 0))),
                 1, 1e-9);
  }
  g_assert_cmpfloat (rig.report.joint_gap, <, 1e-12);
}

/* [AH-07] Both ends of three rods are led: how many passes an independent solver takes, the gap that is left when the way
 * is too long, and that eager turning never settles unless it is calmed down. */
static void
test_relaxation (void)
{
  static const double cases[][3] = { { 1, 0.16, 8 },   { 2, 0.16, 7 }, { 2.5, 0.16, 13 }, { 2.8, 0.16, 30 },
                                     { 3.2, 0.16, 0 }, { 1, 1, 0 },    { 2.5, 1, 0 } };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    const BodyGoal goals[] = { { 0, { 0, 0, 0 }, { 0, 0, 0 } }, { 2, { 0, -3, 0 }, { cases[i][0], 0, 0 } } };
    BodySettings settings = plain;
    g_auto (Rig) rig = { .n = 0 };

    settings.kappa = cases[i][1];
    rig_init (&rig, &settings, 4, hanging, 3, chain, NULL);
    rig_adjust (&rig, NULL, 0, goals, 2);
    g_assert_cmpfloat (rig.report.joint_gap, <, 1e-12);
    if (cases[i][2] > 0) {
      assert_near (rig.report.passes, cases[i][2], 2);
      g_assert_cmpfloat (rig.report.goal_gap, <=, 1e-6);
      g_assert_cmpuint (rig.report.events, ==, 0);
      continue;
    }
    g_assert_cmpuint (rig.report.events, ==, BODY_UNREACHABLE);
    g_assert_cmpuint (rig.report.passes, <, 400);
    if (cases[i][1] < 1)
      assert_near (rig.report.goal_gap, 0.2, 1e-6);
    else
      assert_near (rig.report.goal_gap, 0.995, 0.01);
    if (cases[i][1] == 1) {
      g_auto (Rig) calm = { .n = 0 };

      settings.calm = true;
      rig_init (&calm, &settings, 4, hanging, 3, chain, NULL);
      rig_adjust (&calm, NULL, 0, goals, 2);
      g_assert_cmpuint (calm.report.events, ==, 0);
      g_assert_cmpfloat (calm.report.goal_gap, <=, 1e-6);
      g_assert_cmpfloat (calm.report.joint_gap, <, 1e-12);
    }
  }
}

/* [AH-05, AH-08] Two bodies that nobody leads meet by their masses.  Gaps along the arms leave the common centre where it
 * is; with a turn it shifts by what the turned arms leave over. */
static void
test_free_pair (void)
{
  static const float masses[] = { 1, 3 };
  static const double line[][3] = { { 0, 0 }, { 1, 0 }, { 2, 0 } };

  for (int turn = 0; turn < 2; turn++) {
    BodySettings settings = plain;
    KgVector shift = kg_vector (0, 0, 0), center = kg_vector (0, 0, 0), meeting;
    g_auto (Rig) rig = { .n = 0 };

    rig_init (&rig, &settings, 3, line, 2, chain, masses);
    rig.poses[1].place = kg_vector_add (rig.poses[1].place, turn ? kg_vector (0.3, 0.8, 0) : kg_vector (0.8, 0, 0));
    center = kg_vector_add_scaled (kg_vector_scale (rig.poses[0].place, 0.25), 0.75, rig.poses[1].place);
    meeting =
        body_meeting_point (1, kg_vector (1, 0, 0), 3, kg_vector_subtract (rig.poses[1].place, kg_vector (0.5, 0, 0)));
    rig_adjust (&rig, NULL, 0, NULL, 0);
    for (int i = 0; i < 2; i++) {
      const KgVector arm = { i == 0 ? 0.5 : -0.5, 0, 0 };
      const KgVector turned = kg_rotation_apply (rig.poses[i].turn, arm);

      assert_vector_near (kg_vector_add (rig.poses[i].place, turned), meeting.x, meeting.y, 0, 1e-12);
      shift = kg_vector_add_scaled (shift, masses[i] / 4.0, kg_vector_subtract (arm, turned));
      g_assert_cmpint (rig.poses[i].turn.z != 0, ==, turn);
    }
    center = kg_vector_add (center, shift);
    assert_vector_near (kg_vector_add_scaled (kg_vector_scale (rig.poses[0].place, 0.25), 0.75, rig.poses[1].place),
                        center.x, center.y, 0, 1e-12);
    g_assert_cmpfloat (rig.report.joint_gap, <, 1e-12);
  }
}

/* [AH-08] Two equal arms that are pulled to opposite sides leave the trunk where it is; pulled to one side they take it
 * along, and all joints are closed. */
static void
test_free_tree (void)
{
  static const double cross[][3] = { { -1, 0 }, { 1, 0 }, { -1, -2 }, { 1, -2 } };
  static const uint32_t rods[][2] = { { 0, 1 }, { 0, 2 }, { 1, 3 } };

  for (int side = 0; side < 2; side++) {
    g_auto (Rig) rig = { .n = 0 };

    rig_init (&rig, &plain, 4, cross, 3, rods, NULL);
    rig.poses[1].place.x -= 0.4;
    rig.poses[2].place.x += side ? -0.4 : 0.4;
    rig_adjust (&rig, NULL, 0, NULL, 0);
    g_assert_cmpfloat (rig.report.joint_gap, <, 1e-12);
    if (side)
      /* Each arm would meet it half way. */
      assert_vector_near (rig.poses[0].place, -0.2, 0, 0, 1e-12);
    else
      assert_vector_near (rig.poses[0].place, 0, 0, 0, 1e-12);
  }
}

/* [AH-14] A rod of 1 kg and 1 m whose end is led 0.2 m aside, pass by pass; and two bodies that meet half way. */
static void
test_displacement (void)
{
  static const double gaps[] = { 0.0224438, 0.0117516, 0.0017399, 0.0008991 };
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  static const uint32_t line[] = { 0, 1 };
  float *p;

  kg_geometry_set_n_points (geometry, 2, NULL);
  p = kg_geometry_edit_positions (geometry);
  p[0] = -0.5f;
  p[3] = 0.5f;
  kg_geometry_add_primitives (geometry, KG_POLYLINE, false, 1, 2, line);
  for (guint passes = 1; passes <= G_N_ELEMENTS (gaps); passes++) {
    const BodyAssemblyOptions options = { .division = BODY_OF_PRIMITIVE, .plane = true, .mass = 1 };
    const BodySettings settings = { .method = BODY_DISPLACEMENT, .passes = passes, .plane = true };
    const BodyGoal goal = { .body = 0, .pin = { 0.5, 0, 0 }, .place = { 0.5, 0.2, 0 } };
    g_auto (BodyAssembly) assembly = { .bodies = NULL };
    g_autoptr (BodySolver) solver = NULL;
    g_autoptr (GError) error = NULL;
    BodyPose *poses, before;
    BodyReport report;

    g_assert_true (body_assembly_read (&assembly, geometry, &options, NULL, &error));
    solver = body_solver_new (&assembly, &settings);
    poses = body_solver_get_poses (solver);
    before = poses[0];
    g_assert_true (body_solver_adjust (solver, &before, NULL, 0, &goal, 1));
    body_solver_get_report (solver, &report);
    assert_near (report.goal_gap, gaps[passes - 1], 1e-7);
    if (passes == 1) {
      assert_vector_near (poses[0].place, 0, 0.05, 0, 1e-9);
      assert_near (poses[0].spin.z, 0.3, 1e-9);
    }
    if (passes == 4) {
      assert_vector_near (poses[0].place, 0.0212547, 0.0551588, 0, 1e-7);
      assert_near (poses[0].spin.z, 0.2920255, 1e-7);
      /* What the displacements did is in the velocities. */
      assert_near (poses[0].step.x * RATE, 0.5101126, 1e-6);
      assert_near (poses[0].step.y * RATE, 1.3238107, 1e-6);
      assert_near (poses[0].spin.z * RATE, 7.0086114, 1e-6);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/procedural-body/ah-02/update", test_update);
  g_test_add_func ("/procedural-body/ah-03/drag", test_drag);
  g_test_add_func ("/procedural-body/ah-03/degenerate", test_drag_degenerate);
  g_test_add_func ("/procedural-body/ah-04/turn-angle", test_turn_angle);
  g_test_add_func ("/procedural-body/ah-04/kappa", test_kappa);
  g_test_add_func ("/procedural-body/ah-05/meeting-point", test_meeting_point);
  g_test_add_func ("/procedural-body/ah-09/limit", test_limit);
  g_test_add_func ("/procedural-body/ah-11/way-out", test_way_out);
  g_test_add_func ("/procedural-body/ah-11/push", test_push);
  g_test_add_func ("/procedural-body/ah-11/rods-in-line", test_rods_in_line);
  g_test_add_func ("/procedural-body/ah-06/chain", test_chain);
  g_test_add_func ("/procedural-body/ah-06/group-inertia", test_group_inertia);
  g_test_add_func ("/procedural-body/ah-06/rigid", test_rigid);
  g_test_add_func ("/procedural-body/ah-07/relaxation", test_relaxation);
  g_test_add_func ("/procedural-body/ah-05/free-pair", test_free_pair);
  g_test_add_func ("/procedural-body/ah-08/free-tree", test_free_tree);
  g_test_add_func ("/bodies/ah-14/displacement", test_displacement);
  return g_test_run ();
}
