/* tests/techniques/skeleton: figures of rods and hinges against closed forms, published figures and the exact equations.
 * The names in brackets are those of the catalogue of techniques.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "sim/envelope_matrix.h"
#include "sim/rod_equations.h"
#include "sim/skeleton_solver.h"

/* The solver by itself. */

static const SkeletonSettings defaults = {
  .max_sweeps = 20, .length_tolerance = 1e-3, .angle_tolerance = 1e-3, .relax = 1, .plane = true, .restitution = 1
};

typedef struct {
  SkeletonSettings settings;
  SkeletonFigure figure;
  SkeletonSolver *solver;
  SkeletonPoints points;
  size_t n;
} Body;

static void
body_clear (Body *body)
{
  g_clear_pointer (&body->solver, skeleton_solver_free);
  skeleton_figure_clear (&body->figure);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Body, body_clear)

/* rods: pairs, as long as they are; hinges: three points and two angles in degrees. */
static void
body_init (Body *body, const SkeletonSettings *settings, size_t n, const double (*places)[3], size_t n_rods,
           const uint32_t (*rods)[2], size_t n_hinges, const double (*hinges)[5])
{
  *body = (Body){ .settings = *settings, .n = n };
  body->figure.rods = g_array_new (FALSE, FALSE, sizeof (SkeletonRod));
  body->figure.hinges = g_array_new (FALSE, FALSE, sizeof (SkeletonHinge));
  for (size_t k = 0; k < n_rods; k++) {
    const double *a = places[rods[k][0]], *b = places[rods[k][1]];
    const double length = kg_vector_distance (kg_vector (a[0], a[1], a[2]), kg_vector (b[0], b[1], b[2]));
    const SkeletonRod rod = { rods[k][0], rods[k][1], length, length };

    g_array_append_val (body->figure.rods, rod);
  }
  for (size_t k = 0; k < n_hinges; k++) {
    const SkeletonHinge hinge = { (uint32_t) hinges[k][0], (uint32_t) hinges[k][1], (uint32_t) hinges[k][2],
                                  hinges[k][3] * KG_DEGREE, hinges[k][4] * KG_DEGREE };

    g_array_append_val (body->figure.hinges, hinge);
  }
  body->solver = skeleton_solver_new (n, &body->figure, settings);
  body->points = skeleton_solver_get_points (body->solver);
  for (size_t i = 0; i < n; i++)
    body->points.places[i] = kg_vector (places[i][0], places[i][1], places[i][2]);
}

static KgVector
get_momentum (const Body *body)
{
  KgVector sum = kg_vector (0, 0, 0);

  for (size_t i = 0; i < body->n; i++)
    sum = kg_vector_add (sum, body->points.momenta[i]);
  return sum;
}

static KgVector
get_angular (const Body *body)
{
  KgVector sum = kg_vector (0, 0, 0);

  for (size_t i = 0; i < body->n; i++)
    sum = kg_vector_add (sum, kg_vector_cross (body->points.places[i], body->points.momenta[i]));
  return sum;
}

static guint
step (Body *body, double dt, double *trace)
{
  guint events = 0;
  const guint sweeps = skeleton_solver_step (body->solver, dt, &events, trace);

  g_assert_cmpuint (events & SKELETON_DIVERGED, ==, 0);
  return sweeps;
}

/* [VO-03] One rod is right after one sweep, its ends move in inverse proportion to their masses, and its middle stays. */
static void
test_rod (void)
{
  static const double places[][3] = { { 0, 0, 0 }, { 2, 0, 0 } };
  static const uint32_t rod[][2] = { { 0, 1 } };

  for (int heavy = 0; heavy < 2; heavy++) {
    g_auto (Body) body = { .n = 0 };

    body_init (&body, &defaults, 2, places, 1, rod, 0, NULL);
    body.points.places[1].x = 3;
    body.points.masses[1] = heavy ? 3 : 1;
    step (&body, 1, NULL);
    assert_vector_near (body.points.places[0], heavy ? 0.75 : 0.5, 0, 0, 1e-15);
    assert_vector_near (body.points.places[1], heavy ? 2.75 : 2.5, 0, 0, 1e-15);
    assert_vector_near (body.points.momenta[0], heavy ? 0.75 : 0.5, 0, 0, 1e-15);
    assert_vector_near (body.points.momenta[1], heavy ? -0.75 : -0.5, 0, 0, 1e-15);
  }
}

/* [VO-03] Within its limits a telescope is left alone. */
static void
test_telescope (void)
{
  static const double places[][3] = { { 0, 0, 0 }, { 3, 0, 0 } };
  static const uint32_t rod[][2] = { { 0, 1 } };
  g_auto (Body) body = { .n = 0 };

  body_init (&body, &defaults, 2, places, 1, rod, 0, NULL);
  skeleton_solver_free (body.solver);
  g_array_index (body.figure.rods, SkeletonRod, 0).shortest = 1.5;
  g_array_index (body.figure.rods, SkeletonRod, 0).longest = 3.5;
  body.solver = skeleton_solver_new (2, &body.figure, &defaults);
  body.points = skeleton_solver_get_points (body.solver);
  body.points.places[1].x = 3;
  g_assert_cmpuint (step (&body, 1, NULL), ==, 1);
  assert_vector_near (body.points.places[1], 3, 0, 0, 0);
}

/* [VO-03] Where both ends come to lie in one place the rod pushes them apart along where it was; where it was nowhere
 * either, along x.  It is reported. */
static void
test_coincident_ends (void)
{
  static const double upright[][3] = { { 0, 0 }, { 0, 2 } };
  static const uint32_t rod[][2] = { { 0, 1 } };

  for (int nowhere = 0; nowhere < 2; nowhere++) {
    g_auto (Body) body = { .n = 0 };
    guint events = 0;

    body_init (&body, &defaults, 2, upright, 1, rod, 0, NULL);
    if (nowhere)
      body.points.places[0] = body.points.places[1] = kg_vector (3, 3, 0);
    else {
      body.points.momenta[0] = kg_vector (0, 1, 0);
      body.points.momenta[1] = kg_vector (0, -1, 0);
    }
    skeleton_solver_step (body.solver, 1, &events, NULL);
    g_assert_cmpuint (events, ==, SKELETON_COINCIDENT);
    if (nowhere)
      assert_near (fabs (body.points.places[0].x - body.points.places[1].x), 2, 1e-12);
    else {
      assert_vector_near (body.points.places[0], 0, 0, 0, 1e-12);
      assert_vector_near (body.points.places[1], 0, 2, 0, 1e-12);
    }
    assert_vector_near (get_momentum (&body), 0, 0, 0, 1e-15);
  }
}

/* [VO-04] A hinge with an arm without length rests, and is reported; one that may turn all the way round never acts. */
static void
test_resting_hinges (void)
{
  static const double places[][3] = { { -1, 0 }, { 0, 0 }, { -1, 0.1 } };
  static const double narrow[][5] = { { 0, 1, 2, 20, 40 } }, wide[][5] = { { 0, 1, 2, -180, 180 } };

  for (int k = 0; k < 4; k++) {
    const bool flat = k % 2 == 0;
    g_auto (Body) body = { .n = 0 };
    guint events = 0;

    body_init (&body, &defaults, 3, places, 0, NULL, 1, k < 2 ? narrow : wide);
    if (flat)
      body.points.places[2] = body.points.places[1];
    else if (k == 1)
      body.points.places[2] = kg_vector (cos (30 * KG_DEGREE), sin (30 * KG_DEGREE), 0);
    g_assert_cmpuint (skeleton_solver_step (body.solver, 1, &events, NULL), ==, 1);
    g_assert_cmpuint (events, ==, (k == 0 ? SKELETON_COINCIDENT : 0));
    assert_vector_near (body.points.places[0], -1, 0, 0, 0);
    assert_vector_near (body.points.momenta[2], 0, 0, 0, 0);
  }
}

/* [VO-09] With one end held the printed rule halves the excess in each sweep; with corrections by mass and a stiffness of
 * rho it falls as (1 - rho)^k, and is gone after one sweep where nothing softens it [VO-08]. */
static void
test_sweeps_are_elastic (void)
{
  static const double places[][3] = { { 0, 0, 0 }, { 1, 0, 0 } };
  static const uint32_t rod[][2] = { { 0, 1 } };

  for (guint sweeps = 1; sweeps <= 6; sweeps++)
    for (int mass = 0; mass < 3; mass++) {
      const double left = mass == 0 ? 0.5 : mass == 1 ? 0.7 : 0;
      SkeletonSettings settings = defaults;
      g_auto (Body) body = { .n = 0 };

      settings.max_sweeps = sweeps;
      settings.correction = mass ? SKELETON_BY_MASS : SKELETON_HALVES;
      settings.relax = mass == 1 ? 0.3 : 1;
      settings.length_tolerance = 0;
      body_init (&body, &settings, 2, places, 1, rod, 0, NULL);
      body.points.held[0] = 1;
      body.points.places[1].x = 1.4;
      step (&body, 1, NULL);
      assert_near (body.points.places[1].x - 1, 0.4 * pow (left, sweeps), 1e-15);
    }
}

/* [VO-02] All at once, a hub with k rods of equal masses multiplies its error by (k - 1) / 2 in each sweep. */
static void
test_hub (void)
{
  static const double published[][4] = { { 0.1, 0.05, 0.025, 0.0125 }, { 0.1, 0.15, 0.225, 0.3375 } };

  for (int many = 0; many < 2; many++) {
    const size_t k = many ? 4 : 2;
    double places[5][3] = { { 0, 0, 0 } }, trace[4];
    uint32_t rods[4][2];
    SkeletonSettings settings = defaults;
    g_auto (Body) body = { .n = 0 };

    settings.sweep = SKELETON_SIMULTANEOUS;
    settings.max_sweeps = 3;
    for (size_t i = 0; i < k; i++) {
      places[i + 1][1] = -1;
      rods[i][0] = 0;
      rods[i][1] = (uint32_t) i + 1;
    }
    body_init (&body, &settings, k + 1, places, k, rods, 0, NULL);
    body.points.momenta[0].y = 0.1;
    step (&body, 1, trace);
    for (int i = 0; i < 4; i++)
      assert_near (trace[i], published[many][i], 1e-12);
  }
}

static void
correct (SkeletonHingeRule rule, bool plane, const KgVector places[3], const double weights[3], double low, double high,
         KgVector impulses[3])
{
  const SkeletonHinge hinge = { 0, 1, 2, low, high };
  SkeletonSettings settings = defaults;

  settings.hinge_rule = rule;
  settings.plane = plane;
  settings.angle_tolerance = 0;
  g_assert_true (skeleton_solver_correct_hinge (&hinge, &settings, places, weights, impulses));
}

static KgVector
sum (const KgVector v[3])
{
  return kg_vector_add (v[0], kg_vector_add (v[1], v[2]));
}

static KgVector
sum_torque (const KgVector places[3], const KgVector v[3])
{
  return kg_vector_add (kg_vector_cross (places[0], v[0]),
                        kg_vector_add (kg_vector_cross (places[1], v[1]), kg_vector_cross (places[2], v[2])));
}

/* [VO-04] The worked example of the printed rule, with the sign of its torque put right, and what torque it leaves over:
 * -(h23 - h12) x rest / 3. */
static void
test_hinge_paper (void)
{
  static const double equal[] = { 1, 1, 1 };
  const KgVector places[] = { { -1, 0, 0 }, { 0, 0, 0 }, { cos (KG_PI / 3), sin (KG_PI / 3), 0 } };
  const KgVector crooked[] = { { -1.3, 0.2, 0 }, { 0, 0, 0 }, { 0.4, 0.9, 0 } };
  KgVector v[3];

  correct (SKELETON_PAPER, true, places, equal, -KG_PI, KG_PI / 6, v);
  assert_vector_near (v[0], -0.049839, -0.086325, 0, 1e-6);
  assert_vector_near (v[1], -0.049839, 0.163675, 0, 1e-6);
  assert_vector_near (v[2], 0.099679, -0.077351, 0, 1e-6);
  assert_vector_near (sum (v), 0, 0, 0, 1e-15);
  assert_near (sum_torque (places, v).z, -0.038675, 1e-6);
  correct (SKELETON_PAPER, true, crooked, equal, -KG_PI, 0.6, v);
  assert_near (sum_torque (crooked, v).z, -0.120067, 1e-6);
}

static double
get_angle (const KgVector places[3], bool plane)
{
  const KgVector a = kg_vector_subtract (places[1], places[0]), b = kg_vector_subtract (places[2], places[1]);
  const KgVector cross = kg_vector_cross (a, b);

  return atan2 (plane ? cross.z : kg_vector_length (cross), kg_vector_dot (a, b));
}

/* [VO-04, VO-05] The gradient rule leaves neither momentum nor torque, for any masses; it is the gradient (central
 * differences); and a small correction turns the hinge by what is missing. */
static void
test_hinge_gradient (gconstpointer data)
{
  const bool plane = GPOINTER_TO_INT (data) != 0;

  for (uint64_t trial = 0; trial < 200; trial++) {
    KgVector places[3], v[3], moved[3];
    double weights[3], angle, give = 0;
    const double turn = -1e-4;

    for (uint64_t i = 0; i < 3; i++) {
      for (uint64_t c = 0; c < 3; c++)
        *kg_vector_component (&places[i], c) =
            plane && c == 2 ? 0 : 2 * sin ((double) (1 + trial) * (1.3 + 0.7 * (double) (3 * i + c)));
      weights[i] = 0.2 + (double) ((trial + 5 * i) % 7);
    }
    angle = get_angle (places, plane);
    if (fabs (angle) < 0.2 || fabs (angle) > 2.9 || kg_vector_distance (places[0], places[1]) < 0.3 ||
        kg_vector_distance (places[2], places[1]) < 0.3)
      continue;
    correct (SKELETON_GRADIENT, plane, places, weights, angle + turn - 0.5, angle + turn, v);
    assert_vector_near (sum (v), 0, 0, 0, 1e-17);
    assert_vector_near (sum_torque (places, v), 0, 0, 0, 1e-17);
    for (int i = 0; i < 3; i++) {
      moved[i] = kg_vector_add_scaled (places[i], weights[i], v[i]);
      give += weights[i] * kg_vector_dot (v[i], v[i]);
    }
    assert_near (get_angle (moved, plane) - angle, turn, 1e-6);
    /* v = lambda g with lambda = turn / sum w g^2, so that sum w v^2 = turn lambda. */
    for (int i = 0; i < 3; i++)
      for (int c = 0; c < 3; c++) {
        const double h = 1e-5;
        double difference;

        if (plane && c == 2)
          continue;
        memcpy (moved, places, sizeof moved);
        *kg_vector_component (&moved[i], c) += h;
        difference = get_angle (moved, plane);
        *kg_vector_component (&moved[i], c) -= 2 * h;
        difference = (difference - get_angle (moved, plane)) / (2 * h);
        assert_near (kg_vector_get (v[i], c) * turn / give, difference, 1e-6 * (1 + fabs (difference)));
      }
  }
}

/* [VO-05] Straight and folded hinges in space turn some way, without momentum or torque. */
static void
test_hinge_straight (void)
{
  static const double equal[] = { 1, 1, 1 };

  for (int folded = 0; folded < 2; folded++) {
    const KgVector places[] = { { -1, 0, 0 }, { 0, 0, 0 }, { folded ? -0.5 : 0.5, 0, 0 } };
    KgVector v[3];

    correct (SKELETON_GRADIENT, false, places, equal, folded ? 0 : 0.3, folded ? 2.9 : 1, v);
    assert_vector_near (sum (v), 0, 0, 0, 1e-16);
    assert_vector_near (sum_torque (places, v), 0, 0, 0, 1e-16);
    g_assert_cmpfloat (kg_vector_length (v[2]), >, 1e-3);
  }
}

/* [VO-04] Both ways out of an interval that straddles 0, and angles beyond half a turn. */
static void
test_hinge_limits (void)
{
  static const double places[][3] = { { -1, 0, 0 }, { 0, 0, 0 }, { 0, 1, 0 } };
  static const uint32_t rods[][2] = { { 0, 1 }, { 1, 2 } };
  static const double limits[][3] = {
    { -80, 80, 80 }, { 100, 150, 100 }, { 60, 100, 90 }, { 200, 460, 90 }, { 250, 440, 80 }
  };

  for (guint k = 0; k < G_N_ELEMENTS (limits); k++) {
    const double hinge[][5] = { { 0, 1, 2, limits[k][0], limits[k][1] } };
    SkeletonSettings settings = defaults;
    g_auto (Body) body = { .n = 0 };

    settings.max_sweeps = 2000;
    settings.length_tolerance = 1e-10;
    settings.angle_tolerance = 1e-10;
    body_init (&body, &settings, 3, places, 2, rods, 1, hinge);
    step (&body, 1, NULL);
    assert_near (skeleton_solver_get_angle_deviation (body.solver), 0, 2e-10);
    assert_near (remainder (get_angle (body.points.places, true) / KG_DEGREE - limits[k][2], 360), 0, 1e-6);
    assert_vector_near (get_momentum (&body), 0, 0, 0, 1e-14);
  }
}

/* The human figures [VO-21]. */

static const double side_points[][3] = {
  { 0.02, 1.80 },  { 0.11, 1.58 }, { 0.00, 1.45 }, { 0.00, 0.95 }, { -0.10, 1.18 }, { -0.06, 0.93 },
  { -0.03, 0.77 }, { 0.12, 1.19 }, { 0.22, 0.96 }, { 0.28, 0.81 }, { -0.02, 0.50 }, { -0.10, 0.08 },
  { 0.10, 0.00 },  { 0.12, 0.52 }, { 0.08, 0.09 }, { 0.28, 0.01 },
};
static const uint32_t side_rods[][2] = { { 0, 1 },   { 1, 2 },  { 2, 0 },   { 2, 3 },  { 2, 4 },  { 4, 5 },
                                         { 5, 6 },   { 2, 7 },  { 7, 8 },   { 8, 9 },  { 3, 10 }, { 10, 11 },
                                         { 11, 12 }, { 3, 13 }, { 13, 14 }, { 14, 15 } };
static const double side_hinges[][5] = { { 3, 2, 0, -40, 40 },   { 2, 4, 5, -5, 150 },    { 2, 7, 8, -5, 150 },
                                         { 2, 3, 10, -30, 120 }, { 2, 3, 13, -30, 120 },  { 3, 10, 11, -140, 0 },
                                         { 3, 13, 14, -140, 0 }, { 10, 11, 12, 50, 120 }, { 13, 14, 15, 50, 120 } };
static const double side_lengths[] = { 0.237697, 0.170294, 0.350571, 0.5,      0.287924, 0.253180, 0.162788, 0.286356,
                                       0.250799, 0.161555, 0.450444, 0.427551, 0.215407, 0.446430, 0.431856, 0.215407 };
static const double front_points[][3] = {
  { 0, 1.80 },     { 0, 1.50 },     { -0.19, 1.42 }, { 0.19, 1.42 }, { -0.11, 0.95 }, { 0.11, 0.95 },
  { -0.28, 1.15 }, { -0.32, 0.88 }, { 0.28, 1.15 },  { 0.32, 0.88 }, { -0.14, 0.50 }, { -0.15, 0.07 },
  { -0.27, 0 },    { 0.14, 0.50 },  { 0.15, 0.07 },  { 0.27, 0 },
};
static const uint32_t front_rods[][2] = { { 0, 1 },   { 1, 2 },  { 1, 3 },   { 2, 4 },  { 3, 5 },  { 4, 5 },
                                          { 2, 6 },   { 6, 7 },  { 3, 8 },   { 8, 9 },  { 4, 10 }, { 10, 11 },
                                          { 11, 12 }, { 5, 13 }, { 13, 14 }, { 14, 15 } };

static void
side_init (Body *body, const SkeletonSettings *settings)
{
  body_init (body, settings, 16, side_points, 16, side_rods, 9, side_hinges);
}

/* [VO-01, VO-21] Its rods are as long as published and its hinges rest within their limits. */
static void
test_human_figure (void)
{
  g_auto (Body) body = { .n = 0 };

  side_init (&body, &defaults);
  for (guint k = 0; k < 16; k++)
    assert_near (g_array_index (body.figure.rods, SkeletonRod, k).longest, side_lengths[k], 1e-6);
  assert_near (skeleton_solver_get_deviation (body.solver), 0, 1e-15);
  assert_near (skeleton_solver_get_angle_deviation (body.solver), 0, 0);
}

/* Deviations after each sweep, to be matched [VO-10]. */
typedef struct {
  bool front;
  SkeletonSweep sweep;
  int q;
  double tolerance;
  double d[8];
} Trace;

static const Trace traces[] = {
  { false, SKELETON_SEQUENTIAL, 0, 5e-4, { 0.4001, 0.2156, 0.1434, 0.1021, 0.0774, 0.0636, 0.0530, 0.0447 } },
  { false, SKELETON_SEQUENTIAL, 1, 5e-4, { 0.2090, 0.0904, 0.0363, 0.0271, 0.0201, 0.0157, 0.0135, 0.0114 } },
  { false, SKELETON_SEQUENTIAL, 2, 5e-4, { 0.4043, 0.1174, 0.0379, 0.0212, 0.0163, 0.0127, 0.0096, 0.0071 } },
  { false, SKELETON_SEQUENTIAL, 3, 5e-4, { 0.2266, 0.1219, 0.0743, 0.0581, 0.0453, 0.0358, 0.0287, 0.0233 } },
  { false, SKELETON_SEQUENTIAL, 4, 5e-4, { 0.3177, 0.1752, 0.1143, 0.0803, 0.0629, 0.0520, 0.0436, 0.0368 } },
  { false, SKELETON_SEQUENTIAL, 5, 5e-4, { 0.3859, 0.0714, 0.0201, 0.0128, 0.0087, 0.0064, 0.0047, 0.0033 } },
  { true, SKELETON_SEQUENTIAL, 0, 5e-4, { 0.4001, 0.2272, 0.1558, 0.1128, 0.0831, 0.0620, 0.0465, 0.0349 } },
  { true, SKELETON_SEQUENTIAL, 2, 5e-4, { 0.3602, 0.1098, 0.0404, 0.0153, 0.0066, 0.0035, 0.0023, 0.0016 } },
  { true, SKELETON_SIMULTANEOUS, 0, 2e-3, { 0.4001, 0.2578, 0.2222, 0.1931, 0.1866, 0.1745, 0.1814, 0.1781 } },
  { true, SKELETON_SIMULTANEOUS, 2, 2e-3, { 0.3602, 0.1575, 0.1115, 0.0799, 0.0630, 0.0479, 0.0381, 0.0294 } },
  { false, SKELETON_AVERAGED, 0, 5e-4, { 0.4001, 0.3063, 0.2573, 0.2251, 0.1996, 0.1788, 0.1613, 0.1463 } },
};

static void
make_trace (bool front, SkeletonSweep sweep, int q, bool hinges, double trace[8])
{
  static const double spin[] = { 0.98, 0.5, 0, 0.7, -0.9, 0.3 }, shake[] = { 0, 0.05, 0.12, 0.05, 0.03, 0.1 };
  SkeletonSettings settings = defaults;
  KgVector mean = kg_vector (0, 0, 0);
  g_auto (Body) body = { .n = 0 };

  settings.sweep = sweep;
  settings.max_sweeps = 7;
  settings.length_tolerance = 1e-6;
  body_init (&body, &settings, 16, front ? front_points : side_points, 16, front ? front_rods : side_rods,
             hinges ? 9 : 0, side_hinges);
  for (int i = 0; i < 16; i++)
    mean = kg_vector_add_scaled (mean, 1 / 16.0, body.points.places[i]);
  for (int i = 0; i < 16; i++) {
    const KgVector from = kg_vector_subtract (body.points.places[i], mean);

    body.points.momenta[i] = kg_vector (-spin[q] * from.y + shake[q] * sin (1.7 * i + 0.9 * q),
                                        spin[q] * from.x + shake[q] * cos (2.3 * i + 1.1 * q), 0);
  }
  step (&body, 1, trace);
}

static void
test_convergence (void)
{
  double trace[8];

  for (guint k = 0; k < G_N_ELEMENTS (traces); k++) {
    make_trace (traces[k].front, traces[k].sweep, traces[k].q, false, trace);
    for (int j = 0; j < 8; j++)
      assert_near (trace[j], traces[k].d[j], traces[k].tolerance);
  }
  make_trace (false, SKELETON_SEQUENTIAL, 0, false, trace);
  /* A spin stretches every rod alike. */
  assert_near (trace[0], sqrt (1 + 0.98 * 0.98) - 1, 1e-12);
  make_trace (false, SKELETON_SIMULTANEOUS, 0, false, trace);
  g_assert_cmpfloat (trace[7], >, 0.2);
}

/* [VO-10] The published claim: deviations of up to 40 % fall below 7 % within seven sweeps. */
static void
test_seven_sweeps (void)
{
  for (int q = 0; q < 6; q++)
    for (int front = 0; front < 3; front++) {
      double trace[8];

      make_trace (front == 1, SKELETON_SEQUENTIAL, q, front == 2, trace);
      g_assert_cmpfloat (trace[0], <=, 0.41);
      g_assert_cmpfloat (trace[7], <, 0.07);
    }
}

/* [VO-02, VO-11] Momentum is kept to rounding whatever the solver is set to; a figure without forces keeps its angular
 * momentum to rounding where rods are corrected along their start and hinges by the gradient, but for what hinges at the
 * trial places contribute, so it is tried without them. */
static void
test_conservation (void)
{
  for (int kind = 0; kind < 24; kind++) {
    SkeletonSettings settings = defaults;
    KgVector before;
    double spin, largest = 1;
    g_auto (Body) body = { .n = 0 };

    settings.sweep = (SkeletonSweep) (kind % 3);
    settings.correction = (SkeletonCorrection) (kind / 3 % 2);
    settings.direction = (SkeletonDirection) (kind / 6 % 2);
    settings.hinge_rule = (SkeletonHingeRule) (kind / 12);
    settings.max_sweeps = 7;
    body_init (&body, &settings, 16, settings.sweep == SKELETON_SIMULTANEOUS ? front_points : side_points, 16,
               settings.sweep == SKELETON_SIMULTANEOUS ? front_rods : side_rods, kind < 12 ? 0 : 9, side_hinges);
    for (int i = 0; i < 16; i++) {
      body.points.masses[i] = 0.5 + 0.25 * (i % 5);
      body.points.momenta[i] = kg_vector (0.4 * sin (1.7 * i) + 1, 0.4 * cos (2.3 * i), 0);
    }
    before = get_momentum (&body);
    spin = get_angular (&body).z;
    /* As printed, all at once, it may diverge: momenta are then kept to the rounding of the largest. */
    for (int k = 0; k < (settings.sweep == SKELETON_SIMULTANEOUS ? 5 : 50); k++) {
      step (&body, 1 / 48.0, NULL);
      for (int i = 0; i < 16; i++)
        largest = fmax (largest, kg_vector_length (body.points.momenta[i]));
    }
    assert_vector_near (get_momentum (&body), before.x, before.y, 0, 1e-12 * largest);
    if (settings.direction == SKELETON_ALONG_START && kind < 12 && settings.sweep != SKELETON_SIMULTANEOUS &&
        settings.correction == SKELETON_BY_MASS)
      assert_near (get_angular (&body).z, spin, 1e-11);
  }
}

/* [VO-24] A figure in space with two sides: shoulders and hips are crossed with rods. */
static const double space_points[][3] = {
  { 0.02, 1.8, 0 },      { 0.11, 1.58, 0 },    { 0, 1.45, 0 },        { 0, 0.95, 0 },        { 0, 1.42, 0.18 },
  { 0, 1.42, -0.18 },    { 0, 0.93, 0.1 },     { 0, 0.93, -0.1 },     { -0.05, 1.16, 0.22 }, { 0, 1.16, -0.22 },
  { 0, 0.93, 0.2 },      { 0.12, 0.93, -0.2 }, { 0.03, 0.78, 0.19 },  { 0.18, 0.78, -0.19 }, { -0.02, 0.51, 0.11 },
  { 0.12, 0.51, -0.11 }, { -0.1, 0.09, 0.11 }, { 0.08, 0.09, -0.11 }, { 0.1, 0.01, 0.13 },   { 0.28, 0.01, -0.13 }
};
static const uint32_t space_rods[][2] = { { 0, 1 },   { 1, 2 },  { 2, 0 },   { 2, 3 },   { 2, 4 }, { 2, 5 },
                                          { 4, 5 },   { 3, 6 },  { 3, 7 },   { 6, 7 },   { 4, 6 }, { 5, 7 },
                                          { 4, 7 },   { 5, 6 },  { 4, 3 },   { 5, 3 },   { 4, 8 }, { 8, 10 },
                                          { 10, 12 }, { 6, 14 }, { 14, 16 }, { 16, 18 }, { 5, 9 }, { 9, 11 },
                                          { 11, 13 }, { 7, 15 }, { 15, 17 }, { 17, 19 } };
static const double space_hinges[][5] = { { 3, 2, 0, 0, 45 },    { 4, 8, 10, 0, 145 },   { 8, 10, 12, 0, 60 },
                                          { 4, 6, 14, 0, 110 },  { 6, 14, 16, 0, 140 },  { 14, 16, 18, 50, 120 },
                                          { 5, 9, 11, 0, 145 },  { 9, 11, 13, 0, 60 },   { 5, 7, 15, 0, 110 },
                                          { 7, 15, 17, 0, 140 }, { 15, 17, 19, 50, 120 } };

/* [VO-24] It keeps its momentum, and its angular momentum about every axis where rods are corrected along their start,
 * while it tumbles; its hinges hold it to within what the sweeps leave. */
static void
test_figure_in_space (void)
{
  for (int hinges = 0; hinges < 2; hinges++) {
    SkeletonSettings settings = defaults;
    g_auto (Body) body = { .n = 0 };
    KgVector before, spin;

    settings.plane = false;
    settings.direction = SKELETON_ALONG_START;
    settings.max_sweeps = 60;
    body_init (&body, &settings, G_N_ELEMENTS (space_points), space_points, G_N_ELEMENTS (space_rods), space_rods,
               hinges ? G_N_ELEMENTS (space_hinges) : 0, space_hinges);
    assert_near (skeleton_solver_get_angle_deviation (body.solver), 0, 0);
    for (guint i = 0; i < G_N_ELEMENTS (space_points); i++) {
      body.points.masses[i] = 0.5 + 0.25 * (i % 5);
      body.points.momenta[i] = kg_vector (0.4 * sin (1.7 * i) + 1, 0.4 * cos (2.3 * i), 0.4 * sin (1.1 * i + 0.5));
    }
    before = get_momentum (&body);
    spin = get_angular (&body);
    for (int k = 0; k < 100; k++)
      step (&body, 1 / 200.0, NULL);
    assert_vector_near (get_momentum (&body), before.x, before.y, before.z, 1e-12);
    if (!hinges)
      assert_vector_near (get_angular (&body), spin.x, spin.y, spin.z, 1e-11);
    g_assert_cmpfloat (skeleton_solver_get_deviation (body.solver), <, 0.01);
    if (hinges)
      g_assert_cmpfloat (skeleton_solver_get_angle_deviation (body.solver), <, 0.02);
  }
}

/* [VO-10] What the source claims of seven sweeps, all corrections at once keep for the front figure in three of six updates
 * only, and the reason: near the rest pose an error shrinks to 0.928 of itself with each sweep there, and grows to
 * 1.831 of itself in the side figure, where five rods meet at the shoulder. */
static void
test_at_once (void)
{
  static const double kept[] = { 0, 0.0479, 0.0294, 0.0489 };
  static const double published[] = { 1.831, 0.928 };

  for (int q = 0; q < 6; q++) {
    double trace[8];

    make_trace (true, SKELETON_SIMULTANEOUS, q, false, trace);
    if (q >= 1 && q <= 3)
      assert_near (trace[7], kept[q], 2e-3);
    else
      g_assert_cmpfloat (trace[7], >, 0.07);
  }
  for (int front = 0; front < 2; front++) {
    const guint sweeps = front ? 80 : 30;
    const double small = front ? 1e-7 : 1e-11;
    g_autofree double *trace = g_new (double, sweeps + 1);
    SkeletonSettings settings = defaults;
    g_auto (Body) body = { .n = 0 };

    settings.sweep = SKELETON_SIMULTANEOUS;
    settings.max_sweeps = sweeps;
    settings.length_tolerance = 0;
    body_init (&body, &settings, 16, front ? front_points : side_points, 16, front ? front_rods : side_rods, 0, NULL);
    for (int i = 0; i < 16; i++)
      body.points.momenta[i] = kg_vector (small * sin (1.7 * i), small * cos (2.3 * i), 0);
    step (&body, 1, trace);
    assert_near (pow (trace[sweeps] / trace[sweeps - 10], 0.1), published[front], 5e-4);
  }
}

/* [VO-11] A spinning dumbbell loses angular momentum by 1 / sqrt (1 + (w dt)^2) in its first step, and then as published;
 * corrected along the start of the step it loses none. */
static void
test_dumbbell (void)
{
  static const double places[][3] = { { -1, 0, 0 }, { 1, 0, 0 } };
  static const uint32_t rod[][2] = { { 0, 1 } };
  static const double published[][3] = { { 0.995037190210, 0.9853054821, 0.9758542879 },
                                         { 0.9987523388778, 0.9962694196, 0.9938049341 } };

  for (int half = 0; half < 2; half++)
    for (int start = 0; start < 2; start++) {
      SkeletonSettings settings = defaults;
      g_auto (Body) body = { .n = 0 };

      settings.direction = start ? SKELETON_ALONG_START : SKELETON_ALONG_TRIAL;
      settings.length_tolerance = 1e-14;
      settings.max_sweeps = 100;
      body_init (&body, &settings, 2, places, 1, rod, 0, NULL);
      body.points.momenta[0].y = -1;
      body.points.momenta[1].y = 1;
      for (int k = 0; k < 3; k++) {
        step (&body, half ? 0.05 : 0.1, NULL);
        assert_near (get_angular (&body).z / 2, start ? 1 : published[half][k], start ? 1e-14 : 1e-10);
      }
    }
}

/* [VO-05] A problem in the plane gives the same in any other plane of space. */
static void
test_any_plane (void)
{
  const KgRotation turn = kg_rotation_from_angles (kg_vector (0.7, -0.4, 1.1));
  static const double hinge[][5] = { { 2, 4, 5, 40, 150 }, { 10, 11, 12, 90, 120 } };
  SkeletonSettings settings = defaults, space;
  double places[16][3];
  g_auto (Body) flat = { .n = 0 };
  g_auto (Body) tilted = { .n = 0 };

  space = settings;
  space.plane = false;
  for (int i = 0; i < 16; i++) {
    const KgVector p = kg_rotation_apply (turn, kg_vector (side_points[i][0], side_points[i][1], 0));

    memcpy (places[i], &p, sizeof p);
  }
  body_init (&flat, &settings, 16, side_points, 16, side_rods, 2, hinge);
  body_init (&tilted, &space, 16, places, 16, side_rods, 2, hinge);
  for (int i = 0; i < 16; i++) {
    flat.points.momenta[i] = kg_vector (sin (1.7 * i), cos (2.3 * i), 0);
    tilted.points.momenta[i] = kg_rotation_apply (turn, flat.points.momenta[i]);
  }
  for (int k = 0; k < 3; k++) {
    step (&flat, 0.02, NULL);
    step (&tilted, 0.02, NULL);
  }
  for (int i = 0; i < 16; i++) {
    const KgVector p = kg_rotation_apply (turn, flat.points.places[i]);

    assert_vector_near (tilted.points.places[i], p.x, p.y, p.z, 1e-10);
  }
}

/* Walls. */

/* [VO-07] A point that slides over the floor loses mu g of its speed in a second, and stops for good after v^2 / (2 mu g)
 * metres; without friction it goes on. */
static void
test_friction (gconstpointer data)
{
  static const double place[][3] = { { 0, 0, 0 } };
  const SkeletonWall floor = { { 0, 1, 0 }, 0 };
  const double dt = 1e-3, g = 9.81, speed = 2;

  for (int k = 0; k < 3; k++) {
    const double mu = 0.25 * k;
    SkeletonSettings settings = defaults;
    g_auto (Body) body = { .n = 0 };

    settings.bounce = (SkeletonBounce) GPOINTER_TO_INT (data);
    settings.restitution = 0;
    settings.friction = mu;
    body_init (&body, &settings, 1, place, 0, NULL, 0, NULL);
    skeleton_solver_set_walls (body.solver, &floor, 1);
    body.points.masses[0] = 3;
    body.points.momenta[0].x = 3 * speed;
    for (int i = 0; i < 2000; i++) {
      body.points.momenta[0].y -= 3 * dt * g;
      step (&body, dt, NULL);
    }
    assert_near (body.points.places[0].y, 0, 1e-4);
    assert_near (body.points.places[0].x, mu > 0 ? speed * speed / (2 * mu * g) : 2 * speed, 3 * speed * dt);
    assert_near (body.points.momenta[0].x, mu > 0 ? 0 : 3 * speed, 1e-12);
  }
}

/* [VO-07] A ball on a floor: with restitution 1 its speed and height are kept, with 1/2 it comes up to a quarter; what it
 * does along the floor is left alone. */
static void
test_bounce (gconstpointer data)
{
  const SkeletonBounce bounce = (SkeletonBounce) GPOINTER_TO_INT (data);
  static const double place[][3] = { { 0, 1, 0 } };
  const SkeletonWall floor = { { 0, 1, 0 }, 0 };
  const double dt = 1e-4, g = 9.81;

  for (int half = 0; half < 2; half++) {
    SkeletonSettings settings = defaults;
    double highest = 0;
    bool down = false;
    g_auto (Body) body = { .n = 0 };

    settings.bounce = bounce;
    settings.restitution = half ? 0.5 : 1;
    body_init (&body, &settings, 1, place, 0, NULL, 0, NULL);
    skeleton_solver_set_walls (body.solver, &floor, 1);
    body.points.momenta[0].x = 0.7;
    for (int k = 0; k < (half ? 7000 : 9200); k++) {
      const double before = body.points.momenta[0].y;

      body.points.momenta[0].y -= dt * g;
      step (&body, dt, NULL);
      if (body.points.momenta[0].y > 0 && before < 0) {
        down = true;
        assert_near (body.points.momenta[0].y, -settings.restitution * before, 2.1 * dt * g);
      }
      if (down)
        highest = fmax (highest, body.points.places[0].y);
      if (bounce == SKELETON_MIRROR)
        g_assert_cmpfloat (body.points.places[0].y, >=, -1e-12);
    }
    g_assert_true (down);
    assert_near (highest, half ? 0.25 : 1, 3e-3);
    assert_near (body.points.momenta[0].x, 0.7, 1e-12);
  }
}

static KgVector
find_mean (const Body *body)
{
  KgVector mean = kg_vector (0, 0, 0);

  for (size_t i = 0; i < body->n; i++)
    mean = kg_vector_add_scaled (mean, 1.0 / (double) body->n, body->points.places[i]);
  return mean;
}

typedef struct {
  double turn, least_turn, lowest, drift;
  double early, late; /* the energy of frames 17 and 29, as shares of what it falls with, at frame 12 */
} Somersault;

static void
run_somersault (SkeletonSettings settings, Somersault *result)
{
  static const double heights[][2] = {
    { 1, 2.534339402 }, { 5, 2.235134402 }, { 8, 1.753218152 }, { 12, 0.767313152 }
  };
  const KgRotation tilt = kg_rotation_from_axis_angle (kg_vector (0, 0, 1), 55 * KG_DEGREE);
  const SkeletonWall floor = { { 0, 1, 0 }, 0 };
  double hinges[9][5], last = 0, lowest = INFINITY, falling = 0, side;
  g_auto (Body) body = { .n = 0 };
  KgVector mean, at[3];
  guint checked = 0;

  settings.angle_tolerance = 0.001;
  settings.length_tolerance = 1e-4;
  settings.restitution = 0.97;
  for (int k = 0; k < 9; k++) {
    memcpy (hinges[k], side_hinges[k], sizeof hinges[k]);
    for (int i = 0; i < 3; i++) {
      const double *p = side_points[(int) hinges[k][i]];

      at[i] = kg_vector (p[0], p[1], 0);
    }
    for (int i = 3; i < 5; i++) {
      const double rest = get_angle (at, true) / KG_DEGREE;

      hinges[k][i] = rest + 0.3 * (hinges[k][i] - rest);
    }
  }
  body_init (&body, &settings, 16, side_points, 16, side_rods, 9, hinges);
  mean = find_mean (&body);
  for (int i = 0; i < 16; i++) {
    body.points.places[i] =
        kg_vector_add (mean, kg_rotation_apply (tilt, kg_vector_subtract (body.points.places[i], mean)));
    lowest = fmin (lowest, body.points.places[i].y);
  }
  for (int i = 0; i < 16; i++)
    body.points.places[i].y += 2 - lowest;
  skeleton_solver_set_walls (body.solver, &floor, 1);
  side = find_mean (&body).x;
  *result = (Somersault){ .lowest = INFINITY };
  for (int frame = 1; frame < 30; frame++) {
    KgVector trunk;
    double direction, energy = 0;

    for (int k = 0; k < 10; k++) {
      for (int i = 0; i < 16; i++)
        body.points.momenta[i].y -= 9.81 * 0.005;
      step (&body, 0.005, NULL);
    }
    trunk = kg_vector_subtract (body.points.places[2], body.points.places[3]);
    direction = atan2 (trunk.y, trunk.x);
    if (frame > 1)
      result->turn += remainder (direction - last, 2 * KG_PI) / KG_DEGREE;
    last = direction;
    result->least_turn = fmin (result->least_turn, result->turn);
    mean = find_mean (&body);
    result->drift = fmax (result->drift, fabs (mean.x - side));
    if (checked < G_N_ELEMENTS (heights) && frame == (int) heights[checked][0])
      assert_near (mean.y, heights[checked++][1], 1e-9);
    for (int i = 0; i < 16; i++) {
      result->lowest = fmin (result->lowest, body.points.places[i].y);
      energy += 0.5 * kg_vector_dot (body.points.momenta[i], body.points.momenta[i]) + 9.81 * body.points.places[i].y;
    }
    if (frame == 12)
      falling = energy;
    if (frame == 17)
      result->early = energy / falling;
    result->late = energy / falling;
    g_test_message ("frame %d: turned %.1f degrees, energy %.1f, deviation %.4f", frame, result->turn, energy,
                    skeleton_solver_get_deviation (body.solver));
  }
  g_assert_cmpuint (checked, ==, 4);
}

/* [VO-22] Dropped on its back on a lively floor the figure does a backward somersault, with almost no loss of energy, as
 * the source says; with a mirror it just lies there.
 *
 * The source prints neither how many sweeps it took nor along which way of the rods; both decide how much of the bounce is
 * left, for the floor takes only 3 % of the speed and the rest is lost to rods that are put right along where they have
 * come to.  Along where they were, 20 sweeps leave 95 % at frame 29 and 160 leave 97 %; along where they have come to,
 * 7 sweeps leave 63 %, 20 leave 73 %, and 40, which is all they need, 75 %.  There, counting the way back out of the floor
 * as speed would leave 87 %, but it feeds 130 J in during the contact, and a figure that is pressed against a wall would
 * gain energy without end. */
static void
test_somersault (void)
{
  static const struct {
    SkeletonDirection direction;
    guint sweeps;
    double early, late;
  } cases[] = { { SKELETON_ALONG_START, 20, 0.95, 0.90 },
                { SKELETON_ALONG_START, 160, 0.95, 0.90 },
                { SKELETON_ALONG_TRIAL, 20, 0.85, 0.70 },
                { SKELETON_ALONG_TRIAL, 40, 0.88, 0.73 } };
  SkeletonSettings settings = defaults;
  Somersault result;

  settings.bounce = SKELETON_FIRM;
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    settings.direction = cases[i].direction;
    settings.max_sweeps = cases[i].sweeps;
    run_somersault (settings, &result);
    g_test_message ("firm, case %zu: turned %g, least %g, lowest %g, %g of the energy left at frame 17, %g at 29", i,
                    result.turn, result.least_turn, result.lowest, result.early, result.late);
    g_assert_cmpfloat (result.turn, >=, 100);
    g_assert_cmpfloat (result.least_turn, >=, -10);
    g_assert_cmpfloat (result.early, >=, cases[i].early);
    g_assert_cmpfloat (result.late, >=, cases[i].late);
    g_assert_cmpfloat (result.late, <, 1);
    g_assert_cmpfloat (result.lowest, >=, -0.03);
    g_assert_cmpfloat (result.drift, <=, 1e-12);
  }
  settings = defaults;
  settings.bounce = SKELETON_MIRROR;
  run_somersault (settings, &result);
  g_test_message ("mirror: turned %g, %g of the energy left", result.turn, result.late);
  g_assert_cmpfloat (result.turn, <=, 40);
  g_assert_cmpfloat (result.late, <, 0.2);
}

/* The exact equations. */

static void
hang (KgVector *places, const double *angles, size_t n)
{
  places[0] = kg_vector (0, 0, 0);
  for (size_t i = 0; i < n; i++)
    places[i + 1] = kg_vector_add (places[i], kg_vector (sin (angles[i]), -cos (angles[i]), 0));
}

static void
integrate (size_t n, const SkeletonRod *rods, size_t n_rods, const double *masses, const uint8_t *held, double g,
           double seconds, KgVector *places, KgVector *speeds)
{
  const RodEquations equations = { n, n_rods, rods, masses, held, { 0, -g, 0 }, ROD_RK8PD, 1e-13, 0 };
  g_autoptr (GError) error = NULL;
  bool redundant = false;

  rod_equations_integrate (&equations, places, speeds, seconds, NULL, &redundant, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (redundant);
}

static const double chain_angles[][3] = { { 1.2, 0.4 }, { 1.0, 0.5, -0.3 } };

/* [VO-12] The exact solver against the published ends of chains, which an independent solver in angles gave.  One
 * digit of the last is put right: as published, 2.606198498, its rod would be 9e-8 too short. */
static void
test_exact (void)
{
  static const double two[][2] = { { -0.28423239806735, -0.95875541400760 }, { -1.17207258499246, -1.41890734813456 } };
  static const double three[][2] = { { -0.41756331368974, -0.90864783005323 },
                                     { -0.99196832154696, -1.72721907737905 },
                                     { -0.51510880157734, -2.60619859830906 } };
  static const SkeletonRod rods[] = { { 0, 1, 1, 1 }, { 1, 2, 1, 1 }, { 2, 3, 1, 1 } };
  static const double masses[] = { 1, 1, 1, 1 };
  static const uint8_t held[4] = { 1 };

  for (size_t n = 2; n <= 3; n++) {
    const double (*wanted)[2] = n == 2 ? two : three;
    KgVector places[4], speeds[4] = { { 0 } };

    hang (places, chain_angles[n - 2], n);
    integrate (n + 1, rods, n, masses, held, 9.81, 1, places, speeds);
    for (size_t i = 0; i < n; i++)
      assert_vector_near (places[i + 1], wanted[i][0], wanted[i][1], 0, 1e-10);
  }
}

static const double free_places[][3] = { { 0, 0 }, { 1, 0 }, { 1.8, 0.6 }, { 2.3, 1.46602540378444 } };
static const double free_masses[] = { 1, 2, 1.5, 1 };
static const double free_ends[][2] = { { 0.6209547481515, 1.1992243159461 },
                                       { 0.7755566857791, 0.2112474736663 },
                                       { 1.7114784314678, 0.5634554888321 },
                                       { 2.2607142330885, 1.3991229072577 } };
static const uint32_t chain_rods[][2] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 5 },
                                          { 5, 6 }, { 6, 7 }, { 7, 8 }, { 8, 9 }, { 9, 10 } };

/* [VO-12] A free chain; momenta are kept exactly. */
static void
test_exact_free (void)
{
  static const uint8_t held[4] = { 0 };
  KgVector places[4], speeds[4] = { { 0, 1, 0 } };
  SkeletonRod rods[3];

  for (uint32_t i = 0; i < 4; i++)
    places[i] = kg_vector (free_places[i][0], free_places[i][1], 0);
  for (uint32_t k = 0; k < 3; k++) {
    const double length = kg_vector_distance (places[k], places[k + 1]);

    rods[k] = (SkeletonRod){ k, k + 1, length, length };
  }
  integrate (4, rods, 3, free_masses, held, 0, 1.5, places, speeds);
  for (int i = 0; i < 4; i++)
    assert_vector_near (places[i], free_ends[i][0], free_ends[i][1], 0, 1e-10);
}

/* The largest error of a coordinate after seconds in n steps. */
static double
measure_chain (size_t n, const double (*start)[3], const double *masses, bool pinned, double g, KgVector first_speed,
               double seconds, int steps, SkeletonDirection direction, const KgVector *wanted)
{
  SkeletonSettings settings = defaults;
  g_auto (Body) body = { .n = 0 };
  double error = 0;

  settings.direction = direction;
  settings.length_tolerance = 1e-12;
  settings.max_sweeps = 20000;
  body_init (&body, &settings, n, start, n - 1, chain_rods, 0, NULL);
  for (size_t i = 0; i < n; i++)
    body.points.masses[i] = masses != NULL ? masses[i] : 1;
  body.points.momenta[0] = kg_vector_scale (first_speed, body.points.masses[0]);
  body.points.held[0] = pinned;
  for (int k = 0; k < steps; k++) {
    for (size_t i = 0; i < n; i++)
      body.points.momenta[i].y -= g * body.points.masses[i] * seconds / steps;
    step (&body, seconds / steps, NULL);
  }
  for (size_t i = 0; i < n; i++) {
    error = fmax (error, fabs (body.points.places[i].x - wanted[i].x));
    error = fmax (error, fabs (body.points.places[i].y - wanted[i].y));
  }
  return error;
}

/* [VO-12] Chains of two, three and ten rods converge to the exact equations at first order, with the published errors. */
static void
test_first_order (void)
{
  static const double published[][5] = { { 0.3353, 0.2199, 0.1296, 0.07111, 0.03737 },
                                         { 0.4745, 0.3010, 0.1688, 0.09559, 0.05141 } };
  static const double masses[11] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
  static const uint8_t held[11] = { 1 };
  static const size_t lengths[] = { 2, 3, 10 };

  for (int which = 0; which < 3; which++) {
    const size_t n = lengths[which];
    double angles[10], start[11][3] = { { 0 } }, last = 0;
    /* Ten rods are followed for a shorter time: later they are chaotic. */
    const double seconds = which == 2 ? 0.4 : 1;
    KgVector places[11], speeds[11] = { { 0 } };
    SkeletonRod rods[10];

    for (size_t i = 0; i < n; i++) {
      angles[i] = which < 2 ? chain_angles[which][i] : 1 - 0.1 * (double) i;
      rods[i] = (SkeletonRod){ (uint32_t) i, (uint32_t) i + 1, 1, 1 };
    }
    hang (places, angles, n);
    for (size_t i = 0; i <= n; i++)
      memcpy (start[i], &places[i], sizeof start[i]);
    integrate (n + 1, rods, n, masses, held, 9.81, seconds, places, speeds);
    for (int k = 0; k < 5; k++) {
      const double error = measure_chain (n + 1, start, NULL, true, 9.81, kg_vector (0, 0, 0), seconds, 20 << k,
                                          SKELETON_ALONG_TRIAL, places);

      if (which < 2)
        assert_near (error, published[which][k], 2e-3 * published[which][k] + 1e-5);
      g_test_message ("%d rods, %d steps: error %g", (int) n, 20 << k, error);
      if (k == 4)
        g_assert_cmpfloat (last / error, >, 1.8);
      last = error;
    }
  }
}

/* [VO-12] The free chain: first order along the trial rods, second order along the rods at the start. */
static void
test_second_order (void)
{
  static const double published[][4] = { { 0.04612, 0.02427, 0.01246, 0.006318 },
                                         { 8.547e-4, 2.133e-4, 5.331e-5, 1.333e-5 } };
  KgVector wanted[4];

  for (int i = 0; i < 4; i++)
    wanted[i] = kg_vector (free_ends[i][0], free_ends[i][1], 0);
  for (int start = 0; start < 2; start++)
    for (int k = 0; k < 4; k++) {
      const double error = measure_chain (4, free_places, free_masses, false, 0, kg_vector (0, 1, 0), 1.5, 20 << k,
                                          start ? SKELETON_ALONG_START : SKELETON_ALONG_TRIAL, wanted);

      assert_near (error, published[start][k], 2e-3 * published[start][k]);
    }
}

/* [VO-13] Parts that are apart fly together as D(t) = D0 (1 + t / tau) e^(-t / tau), of which 2/e is left after tau. */
static void
test_assemble (void)
{
  static const SkeletonRod rods[] = { { 0, 1, 1, 1 }, { 1, 2, 0.8, 0.8 } };
  static const double masses[] = { 1, 2, 3 };
  static const uint8_t held[3] = { 0 };
  const RodEquations equations = { 3, 2, rods, masses, held, { 0, -9.81, 0 }, ROD_RK8PD, 1e-12, 0.2 };
  KgVector places[] = { { 0, 0, 0 }, { 1.3, 0.2, 0.1 }, { 1.5, 1.4, -0.3 } }, speeds[3] = { { 0 } };
  double first[2];
  bool redundant = false;

  for (int k = 0; k < 2; k++) {
    const KgVector d = kg_vector_subtract (places[k], places[k + 1]);

    first[k] = 0.5 * (kg_vector_dot (d, d) - rods[k].longest * rods[k].longest);
  }
  for (int i = 1; i <= 10; i++) {
    g_autoptr (GError) error = NULL;

    rod_equations_integrate (&equations, places, speeds, 0.1, NULL, &redundant, NULL, &error);
    g_assert_no_error (error);
    for (int k = 0; k < 2; k++) {
      const KgVector d = kg_vector_subtract (places[k], places[k + 1]);
      const double now = 0.5 * (kg_vector_dot (d, d) - rods[k].longest * rods[k].longest), x = 0.1 * i / 0.2;

      assert_near (now, first[k] * (1 + x) * exp (-x), 1e-9);
      if (i == 2)
        assert_near (now / first[k], 2 / G_E, 1e-8);
    }
  }
}

/* A pendulum's tension: at rest it carries the weight; a square with both diagonals shares loads in an undetermined way. */
static void
test_tension (void)
{
  static const SkeletonRod rods[] = { { 0, 1, 1, 1 },
                                      { 1, 2, 1, 1 },
                                      { 2, 3, 1, 1 },
                                      { 3, 0, 1, 1 },
                                      { 0, 2, G_SQRT2, G_SQRT2 },
                                      { 1, 3, G_SQRT2, G_SQRT2 } };
  static const double masses[] = { 1, 2, 1, 1 };
  static const uint8_t held[] = { 1, 0, 0, 0 };
  const RodEquations pendulum = { 2, 1, rods, masses, held, { 0, -9.81, 0 }, ROD_RK8PD, 1e-12, 0 };
  const RodEquations square = { 4, 6, rods, masses, held + 1, { 0, 0, 0 }, ROD_RK8PD, 1e-10, 0 };
  KgVector hanging[] = { { 0, 0, 0 }, { 0, -1, 0 } }, speeds[4] = { { 0 } };
  KgVector corners[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } };
  g_autoptr (GError) error = NULL;
  bool redundant = false;
  double tension[6];
  const uint8_t none[4] = { 0 };
  RodEquations free_square = square;

  rod_equations_integrate (&pendulum, hanging, speeds, 0.5, tension, &redundant, NULL, &error);
  g_assert_no_error (error);
  assert_near (tension[0], 2 * 9.81, 1e-9);
  g_assert_false (redundant);
  free_square.held = none;
  for (int i = 0; i < 4; i++)
    speeds[i] = kg_vector (-corners[i].y + 0.5, corners[i].x - 0.5, 0);
  rod_equations_integrate (&free_square, corners, speeds, 0.5, tension, &redundant, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (redundant);
  assert_near (kg_vector_distance (corners[0], corners[2]), G_SQRT2, 1e-8);
}

/* [VO-12] A chain of 400 rods that hangs at rest, each bearing what is below it, and one that is let go from a curl and keeps
 * its energy and lengths: the work grows with the length, not with its third power. */
static void
test_long_chain (void)
{
  enum { N = 400 };
  g_autofree SkeletonRod *rods = g_new (SkeletonRod, N);
  g_autofree KgVector *places = g_new (KgVector, N + 1), *speeds = g_new0 (KgVector, N + 1);
  g_autofree double *masses = g_new (double, N + 1), *tension = g_new0 (double, N);
  g_autofree uint8_t *held = g_new0 (uint8_t, N + 1);
  const RodEquations equations = { N + 1, N, rods, masses, held, { 0, -9.81, 0 }, ROD_RK8PD, 1e-10, 0 };
  g_autoptr (GError) error = NULL;
  double energy = 0, below = 0;
  bool redundant = false;

  held[0] = 1;
  for (uint32_t k = 0; k < N; k++)
    rods[k] = (SkeletonRod){ k, k + 1, 0.01, 0.01 };
  for (int i = 0; i <= N; i++) {
    masses[i] = 0.01 + 0.00001 * i;
    places[i] = kg_vector (0, -0.01 * i, 0);
  }
  rod_equations_integrate (&equations, places, speeds, 0.02, tension, &redundant, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (redundant);
  for (int k = N; k-- > 0;) {
    below += 9.81 * masses[k + 1];
    assert_near (tension[k], below, 1e-8);
    assert_vector_near (places[k + 1], 0, -0.01 * (k + 1), 0, 1e-10);
  }
  places[0] = kg_vector (0, 0, 0);
  for (int i = 0; i < N; i++) {
    places[i + 1] = kg_vector_add (places[i], kg_vector (0.01 * cos (0.01 * i), 0.01 * sin (0.01 * i), 0));
    speeds[i + 1] = kg_vector (0, 0, 0);
    energy += 9.81 * masses[i + 1] * places[i + 1].y;
  }
  rod_equations_integrate (&equations, places, speeds, 0.05, tension, &redundant, NULL, &error);
  g_assert_no_error (error);
  for (int i = 1; i <= N; i++) {
    energy -= masses[i] * (0.5 * kg_vector_dot (speeds[i], speeds[i]) + 9.81 * places[i].y);
    assert_near (kg_vector_distance (places[i - 1], places[i]), 0.01, 1e-9);
  }
  assert_near (energy, 0, 1e-8);
}

/* [VO-12] A web of chains that meet in a hub, with a ring: the matrix of rods, solved in its envelope, against the
 * right side that known unknowns give; and a matrix without an inverse is refused. */
static void
test_envelope (void)
{
  static const uint32_t pairs[][2] = { { 0, 5 }, { 5, 2 }, { 2, 7 }, { 7, 1 }, { 5, 3 }, { 3, 8 },
                                       { 8, 4 }, { 5, 6 }, { 6, 9 }, { 9, 4 }, { 0, 2 }, { 10, 11 } };
  g_auto (EnvelopeMatrix) matrix = { .n = 0 }, singular = { .n = 0 };
  double dense[12][12] = { { 0 } }, right[12], x[12];

  envelope_matrix_init (&matrix, 12, pairs, G_N_ELEMENTS (pairs));
  for (int round = 0; round < 2; round++) {
    envelope_matrix_set_zero (&matrix);
    memset (dense, 0, sizeof dense);
    for (size_t i = 0; i < 12; i++) {
      dense[i][i] = 4.5 + 0.1 * (double) i;
      envelope_matrix_add (&matrix, i, i, dense[i][i]);
    }
    for (size_t k = 0; k < G_N_ELEMENTS (pairs); k++) {
      const double entry = sin (1 + 3 * (double) k + round);

      dense[pairs[k][0]][pairs[k][1]] = dense[pairs[k][1]][pairs[k][0]] = entry;
      envelope_matrix_add (&matrix, pairs[k][k % 2], pairs[k][1 - k % 2], entry);
    }
    for (size_t i = 0; i < 12; i++) {
      right[i] = 0;
      for (size_t j = 0; j < 12; j++)
        right[i] += dense[i][j] * cos (2.0 * (double) j);
    }
    g_assert_true (envelope_matrix_factorize (&matrix));
    envelope_matrix_solve (&matrix, right, x);
    for (size_t i = 0; i < 12; i++)
      assert_near (x[i], cos (2.0 * (double) i), 1e-14);
  }
  envelope_matrix_init (&singular, 3, (const uint32_t[][2]){ { 0, 1 }, { 1, 2 } }, 2);
  for (size_t i = 0; i < 3; i++)
    envelope_matrix_add (&singular, i, i, i == 1 ? 2 : 1);
  envelope_matrix_add (&singular, 0, 1, -1);
  envelope_matrix_add (&singular, 1, 2, -1);
  g_assert_false (envelope_matrix_factorize (&singular));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/skeleton/vo-03/rod", test_rod);
  g_test_add_func ("/skeleton/vo-03/telescope", test_telescope);
  g_test_add_func ("/skeleton/vo-03/coincident-ends", test_coincident_ends);
  g_test_add_func ("/skeleton/vo-04/resting-hinges", test_resting_hinges);
  g_test_add_func ("/skeleton/vo-09/sweeps-are-elastic", test_sweeps_are_elastic);
  g_test_add_func ("/skeleton/vo-02/hub", test_hub);
  g_test_add_func ("/skeleton/vo-04/paper", test_hinge_paper);
  g_test_add_data_func ("/skeleton/vo-04/gradient", GINT_TO_POINTER (1), test_hinge_gradient);
  g_test_add_data_func ("/skeleton/vo-05/gradient", GINT_TO_POINTER (0), test_hinge_gradient);
  g_test_add_func ("/skeleton/vo-05/straight", test_hinge_straight);
  g_test_add_func ("/skeleton/vo-05/any-plane", test_any_plane);
  g_test_add_func ("/skeleton/vo-04/limits", test_hinge_limits);
  g_test_add_func ("/skeleton/vo-21/human-figure", test_human_figure);
  g_test_add_func ("/skeleton/vo-10/convergence", test_convergence);
  g_test_add_func ("/skeleton/vo-10/seven-sweeps", test_seven_sweeps);
  g_test_add_func ("/skeleton/vo-10/at-once", test_at_once);
  g_test_add_func ("/skeleton/vo-11/conservation", test_conservation);
  g_test_add_func ("/skeleton/vo-24/figure-in-space", test_figure_in_space);
  g_test_add_func ("/skeleton/vo-11/dumbbell", test_dumbbell);
  g_test_add_data_func ("/skeleton/vo-07/firm", GINT_TO_POINTER (SKELETON_FIRM), test_bounce);
  g_test_add_data_func ("/skeleton/vo-07/mirror", GINT_TO_POINTER (SKELETON_MIRROR), test_bounce);
  g_test_add_data_func ("/skeleton/vo-07/friction-firm", GINT_TO_POINTER (SKELETON_FIRM), test_friction);
  g_test_add_data_func ("/skeleton/vo-07/friction-mirror", GINT_TO_POINTER (SKELETON_MIRROR), test_friction);
  g_test_add_func ("/skeleton/vo-22/somersault", test_somersault);
  g_test_add_func ("/skeleton/vo-12/exact", test_exact);
  g_test_add_func ("/skeleton/vo-12/exact-free", test_exact_free);
  g_test_add_func ("/skeleton/vo-12/first-order", test_first_order);
  g_test_add_func ("/skeleton/vo-12/second-order", test_second_order);
  g_test_add_func ("/skeleton/vo-13/assemble", test_assemble);
  g_test_add_func ("/skeleton/vo-12/tension", test_tension);
  g_test_add_func ("/skeleton/vo-12/long-chain", test_long_chain);
  g_test_add_func ("/skeleton/vo-12/envelope", test_envelope);
  return g_test_run ();
}
