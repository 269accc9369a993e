/* tests/nodes/skeleton: figures of rods and hinges that fall, are led and thrown, and what their nodes warn of.
 * The names in brackets are those of the catalogue of techniques.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include <omp.h>
#include <time.h>

#define RATE 24.0

typedef struct {
  NodeTest test;
} Fixture;

static const char human[] =
    "\"0.02 1.80\\n0.11 1.58\\n0 1.45\\n0 0.95\\n-0.10 1.18\\n-0.06 0.93\\n-0.03 0.77\\n0.12 1.19\\n"
    "0.22 0.96\\n0.28 0.81\\n-0.02 0.50\\n-0.10 0.08\\n0.10 0\\n0.12 0.52\\n0.08 0.09\\n0.28 0.01\"";
static const char human_rods[] = "\"0 1;1 2;2 0;2 3;2 4;4 5;5 6;2 7;7 8;8 9;3 10;10 11;11 12;3 13;13 14;14 15\"";
static const char human_hinges[] = "\"3 2 0 -40 40;2 4 5 -5 150;2 7 8 -5 150;2 3 10 -30 120;2 3 13 -30 120;"
                                   "3 10 11 -140 0;3 13 14 -140 0;10 11 12 50 120;13 14 15 50 120\"";

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->test = node_test_new ();
  node_test_add (&f->test, "rig/wire_figure", "figure", "points", human, "rods", human_rods, "hinges", human_hinges,
                 NULL);
  node_test_add (&f->test, "sim/skeleton_dynamics", "sim", "geometry", "{\"link\": \"figure.figure\"}", NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  node_test_clear (&f->test);
}

/* Another figure than the human one. */
static void
set_figure (Fixture *f, const char *points, const char *rods, const char *hinges)
{
  node_test_set (&f->test, "figure", "points", points);
  node_test_set (&f->test, "figure", "rods", rods);
  node_test_set (&f->test, "figure", "hinges", hinges);
}

static KgGeometry *
get (Fixture *f, const char *target, int frame)
{
  return node_test_get (&f->test, target, (frame - 1) / RATE).geometry;
}

static double
get_number (Fixture *f, const char *target, int frame)
{
  return node_test_number (&f->test, target, (frame - 1) / RATE);
}

/* [VO-02, VO-06, VO-15] Without anything in its way the figure falls as points do, its rods and hinges in peace:
 * y0 + g dt^2 n (n + 1) / 2, and its momentum is m g t. */
static void
test_fall (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) start = get (f, "sim.figure", 1), end = get (f, "sim.figure", 13);
  const double dt = 1 / (4 * RATE);
  const int steps = 4 * 12;

  (void) data;
  for (size_t i = 0; i < 16; i++) {
    const float *a = kg_geometry_get_positions (start) + 3 * i, *b = kg_geometry_get_positions (end) + 3 * i;

    assert_near ((double) (b[1] - a[1]), -9.81 * dt * dt * steps * (steps + 1) / 2, 1e-6);
    assert_near ((double) (b[0] - a[0]), 0, 1e-6);
  }
  assert_vector_near (node_test_vector (&f->test, "sim.momentum", 12 / RATE), 0, -16 * 9.81 * 0.5, 0, 1e-11);
  g_assert_cmpint ((int) get_number (f, "sim.sweeps", 13), ==, 1);
}

/* [VO-08, VO-14] Led points are where they are led to, to the last bit, and all of them led is key framing. */
static void
test_led (Fixture *f, gconstpointer data)
{
  const bool all = GPOINTER_TO_INT (data) != 0;

  node_test_add (&f->test, "geometry/transform", "targets", "geometry", "{\"link\": \"figure.figure\"}", "translate",
                 "{\"expr\": \"sin(3*t), 0.3*t, 0\"}", NULL);
  if (all)
    node_test_add (&f->test, "geometry/attribute", "led", "geometry", "{\"link\": \"targets.transformed\"}", "name",
                   "\"pin\"", "number", "1", NULL);
  else
    node_test_set (&f->test, "figure", "pins", "\"2\\n9\"");
  node_test_set (&f->test, "sim", "targets", all ? "{\"link\": \"led.set\"}" : "{\"link\": \"targets.transformed\"}");
  for (int frame = 2; frame < 20; frame += 6) {
    g_autoptr (KgGeometry) wanted = get (f, "targets.transformed", frame), is = get (f, "sim.figure", frame);
    const float *a = kg_geometry_get_positions (wanted), *b = kg_geometry_get_positions (is);

    for (size_t i = 0; i < 16; i++)
      if (all || i == 2 || i == 9)
        g_assert_cmpmem (a + 3 * i, 3 * sizeof *a, b + 3 * i, 3 * sizeof *b);
  }
}

/* [VO-08] A released point flies on at the speed at which it was driven. */
static void
test_throw (Fixture *f, gconstpointer data)
{
  KgVector before, after;

  (void) data;
  set_figure (f, "\"0 0\"", "\"\"", "\"\"");
  node_test_set (&f->test, "sim", "gravity", "[0, 0, 0]");
  node_test_set (&f->test, "sim", "grab", "{\"expr\": \"frame < 7.5\"}");
  node_test_set (&f->test, "sim", "grab_to", "{\"expr\": \"2*t, 3*t, 0\"}");
  before = node_test_vector (&f->test, "sim.center", 6 / RATE);
  after = node_test_vector (&f->test, "sim.center", 18 / RATE);
  assert_vector_near (after, before.x + 1, before.y + 1.5, 0, 1e-9);
}

/* The same bits whichever way a frame is reached, and on any number of threads: a row of figures on a floor. */
static void
test_same (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) one = NULL, many = NULL, skipped = NULL;
  const int threads = omp_get_max_threads ();

  (void) data;
  node_test_add (&f->test, "geometry/line", "line", "start", "[-20, 1, 0]", "end", "[20, 2, 0]", "points", "300", NULL);
  node_test_add (&f->test, "geometry/copy_to_points", "crowd", "geometry", "{\"link\": \"figure.figure\"}", "points",
                 "{\"link\": \"line.geometry\"}", NULL);
  node_test_add (&f->test, "field/vortex", "wind", NULL);
  node_test_set (&f->test, "sim", "geometry", "{\"link\": \"crowd.copies\"}");
  node_test_set (&f->test, "sim", "forces", "[{\"link\": \"wind.field\"}]");
  node_test_set (&f->test, "sim", "walls", "\"plane\"");
  omp_set_num_threads (1);
  one = get (f, "sim.figure", 30);
  g_assert_cmpuint (kg_geometry_get_n_points (one), ==, 4800);
  omp_set_num_threads (4);
  kg_evaluator_free (f->test.evaluator);
  f->test.evaluator = kg_evaluator_new (f->test.graph, NULL);
  for (int frame = 1; frame < 30; frame += 7) {
    g_autoptr (KgGeometry) passing = get (f, "sim.figure", frame);

    g_assert_nonnull (passing);
  }
  many = get (f, "sim.figure", 30);
  g_assert_true (kg_geometry_equal (one, many));
  skipped = get (f, "sim.figure", 12);
  g_clear_pointer (&many, kg_geometry_unref);
  many = get (f, "sim.figure", 30);
  g_assert_true (kg_geometry_equal (one, many));
  omp_set_num_threads (threads);
}

/* [VO-02] Figures that nothing joins do not know of each other: in a crowd each moves as it does alone. */
static void
test_disconnected (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) alone = NULL, both = NULL;

  (void) data;
  node_test_set (&f->test, "sim", "walls", "\"plane\"");
  alone = get (f, "sim.figure", 20);
  node_test_add (&f->test, "geometry/transform", "other", "geometry", "{\"link\": \"figure.figure\"}", "translate",
                 "[3, 1, 0]", NULL);
  node_test_add (&f->test, "geometry/merge", "merge", "geometries",
                 "[{\"link\": \"figure.figure\"}, {\"link\": \"other.transformed\"}]", NULL);
  node_test_set (&f->test, "sim", "geometry", "{\"link\": \"merge.geometry\"}");
  both = get (f, "sim.figure", 20);
  g_assert_cmpmem (kg_geometry_get_positions (alone), 48 * sizeof (float), kg_geometry_get_positions (both),
                   48 * sizeof (float));
}

/* [VO-06] Muscles are forces within: they fold the arm and leave the momentum alone. */
static void
test_muscle (Fixture *f, gconstpointer data)
{
  (void) data;
  node_test_add (&f->test, "geometry/attribute", "muscle", "geometry", "{\"link\": \"figure.figure\"}", "name",
                 "\"pull\"", "domain", "\"primitives\"", "number", "5", NULL);
  node_test_set (&f->test, "sim", "geometry", "{\"link\": \"muscle.set\"}");
  node_test_set (&f->test, "sim", "gravity", "[0, 0, 0]");
  node_test_set (&f->test, "sim", "shortest", "0.5");
  assert_vector_near (node_test_vector (&f->test, "sim.momentum", 10 / RATE), 0, 0, 0, 1e-12);
  g_assert_cmpfloat (get_number (f, "sim.energy", 11), >, 0.1);
}

/* Telescopic rods, and lines that may bend only so far, from the inputs of the node. */
static void
test_limits (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) end = NULL;
  const float *p;

  (void) data;
  node_test_add (&f->test, "curve/spline", "line", "points", "\"0 0\\n1 0\\n2 0\\n3 0\"", "basis", "\"linear\"", NULL);
  node_test_set (&f->test, "figure", "geometry", "{\"link\": \"line.geometry\"}");
  set_figure (f, "\"\"", "\"\"", "\"\"");
  node_test_set (&f->test, "figure", "pins", "\"0\\n1\"");
  node_test_set (&f->test, "sim", "bend", "20");
  node_test_set (&f->test, "sim", "longest", "1.25");
  node_test_set (&f->test, "sim", "sweep_limit", "500");
  end = get (f, "sim.figure", 40);
  p = kg_geometry_get_positions (end);
  g_assert_cmpfloat (atan2 (-(double) p[7], (double) p[6] - 1) / KG_DEGREE, <=, 20.2);
  g_assert_cmpfloat (atan2 (-(double) p[7], (double) p[6] - 1) / KG_DEGREE, >=, 15);
  g_assert_cmpfloat (hypot ((double) p[6] - 1, (double) p[7]), <=, 1.252);
  g_assert_cmpfloat (get_number (f, "sim.angle_deviation", 40), <=, 0.2);
}

/* Bad figures: what is wrong is named. */
static void
expect (Fixture *f, const char *target, int frame, const char *one, const char *two)
{
  node_test_fails_saying (&f->test, target, (frame - 1) / RATE, one);
  node_test_fails_saying (&f->test, target, (frame - 1) / RATE, two);
}

static void
test_bad_figures (Fixture *f, gconstpointer data)
{
  static const struct {
    const char *points, *rods, *hinges, *one, *two;
  } cases[] = {
    { "\"0 0;1 0;1 0\"", "\"0 1;1 2\"", "\"\"", "rod 1, from point 1 to point 2", "no length" },
    { "\"0 0;1 0;2 0\"", "\"0 1 1 1;0 1 1.5 2\"", "\"\"", "rods 0 and 1", "no length satisfies both" },
    { "\"0 0;1 0;2 0\"", "\"0 1;1 2\"", "\"0 1 2 10 20;2 1 0 5 9\"", "hinge 0 (points 0 1 2", "hinge 1 (points 2 1 0" },
    { "\"0 0;1 0;2 0\"", "\"0 1;1 2\"", "\"0 1 2 10 20;0 1 2 30 40\"", "hinge 0", "hinge 1" },
    { "\"0 0;1 0;2 0\"", "\"0 1;1 2\"", "\"0 1 2 20 10\"", "hinge 0 at point 1", "swap" },
    { "\"0 0;1 0;2 0\"", "\"0 1;1 2\"", "\"0 1 1 0 10\"", "hinge 0 has points 0, 1 and 1", "three different" },
    { "\"0 0;1 0;1 1\"", "\"0 1;1 2;2 0\"", "\"0 1 2 0 30\"", "hinge 0", "rod 2" },
    { "\"0 0;1 0;1 1 0 -2\"", "\"0 1;1 2\"", "\"\"", "mass of point 2 is -2", "Pins" },
    { "\"0 0;1 0 0 0\"", "\"0 1\"", "\"\"", "mass of point 1 is 0 kg", "none for 1 kg" },
    { "\"0 0;1 0 0 1e-300\"", "\"0 1\"", "\"\"", "mass of point 1 is 1e-300 kg", "Pins" },
    { "\"0 0;1 0\"", "\"0 2\"", "\"\"", "2 is not the index of a point", "rods, row 1" },
    { "\"0 0;1 0\"", "\"0 1.5\"", "\"\"", "1.5 is not the index of a point", "rods" },
    { "\"0 0;1 0\"", "\"0 1 2 1\"", "\"\"", "at least 2", "swap" },
    { "\"0 0;1 0\"", "\"0 1;1 1\"", "\"\"", "rod 1, from point 1 to point 1", "no length" },
  };

  (void) data;
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    set_figure (f, cases[k].points, cases[k].rods, cases[k].hinges);
    expect (f, "sim.figure", 1, cases[k].one, cases[k].two);
  }
  node_test_refuses (&f->test, "figure", "points", "\"0 0;1 0 0 inf\"", KG_ERROR_INVALID_VALUE);
  node_test_refuses (&f->test, "figure", "points", "\"0 0;- 0\"", KG_ERROR_INVALID_VALUE);
  set_figure (f, "\"0 0;1 0\"", "\"0 1\"", "\"\"");
  node_test_add (&f->test, "geometry/attribute", "massless", "geometry", "{\"link\": \"figure.figure\"}", "name",
                 "\"mass\"", "number", "0", NULL);
  node_test_set (&f->test, "sim", "geometry", "{\"link\": \"massless.set\"}");
  expect (f, "sim.figure", 1, "mass of point 0 is 0", "pin");
  node_test_set (&f->test, "massless", "number", "1e30");
  expect (f, "sim.figure", 1, "mass of point 0 is 1e+30", "pin");
  node_test_set (&f->test, "massless", "number", "1");
  node_test_set (&f->test, "sim", "grab", "true");
  node_test_set (&f->test, "sim", "grab_point", "2");
  expect (f, "sim.figure", 2, "point 2 is grabbed", "2 points");
  node_test_set (&f->test, "sim", "grab", "false");
  node_test_set (&f->test, "sim", "walls", "\"box\"");
  node_test_set (&f->test, "sim", "box_high", "[2, -1, 2]");
  expect (f, "sim.figure", 2, "0 to -1 along y", "lower corner");
  node_test_set (&f->test, "sim", "walls", "\"plane\"");
  node_test_set (&f->test, "sim", "wall_normal", "[0, 0, 0]");
  expect (f, "sim.figure", 2, "normal of a wall is 0", "side");
}

/* Three points in one place, a figure beyond the walls, walls without room between them, a mouse far out of reach: the
 * result is finite, and what is left wrong is reported. */
static void
test_hard_inputs (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) end = NULL;

  (void) data;
  set_figure (f, "\"0 0;1 0;2 0\"", "\"0 1;1 2\"", "\"0 1 2 -10 10\"");
  node_test_set (&f->test, "figure", "pins", "\"0\\n1\\n2\"");
  node_test_add (&f->test, "geometry/transform", "flat", "geometry", "{\"link\": \"figure.figure\"}", "scale",
                 "{\"expr\": \"1 - (frame > 1.5), 1, 1\"}", NULL);
  node_test_set (&f->test, "sim", "targets", "{\"link\": \"flat.transformed\"}");
  assert_near (get_number (f, "sim.deviation", 5), 1, 1e-12);
  node_test_set (&f->test, "figure", "pins", "\"0\"");
  node_test_set (&f->test, "sim", "planes", "\"0 5 0 0 1 0\\n0 4 0 0 -1 0\"");
  node_test_set (&f->test, "sim", "grab", "true");
  node_test_set (&f->test, "sim", "grab_point", "2");
  node_test_set (&f->test, "sim", "grab_to", "[1000, 1000, 0]");
  for (int mirror = 0; mirror < 2; mirror++) {
    node_test_set (&f->test, "sim", "bounce", mirror ? "\"mirror\"" : "\"firm\"");
    end = get (f, "sim.figure", 20);
    g_assert_true (kg_geometry_check_finite (end, NULL));
    g_assert_cmpfloat (get_number (f, "sim.deviation", 20), >, 100);
    g_assert_true (isfinite (get_number (f, "sim.energy", 20)));
    g_clear_pointer (&end, kg_geometry_unref);
  }
}

/* Odd but valid input works, with a warning. */
static void
assert_warns (Fixture *f, const char *target, int frame, const char *words)
{
  g_auto (KgValue) value = node_test_get (&f->test, target, (frame - 1) / RATE);
  g_autofree char *name = g_strndup (target, strcspn (target, "."));
  g_auto (GStrv) warnings = kg_evaluator_dup_warnings (f->test.evaluator, kg_graph_find (f->test.graph, name));
  g_autofree char *all = warnings != NULL ? g_strjoinv ("\n", warnings) : g_strdup ("");

  g_assert_true (kg_geometry_check_finite (value.geometry, NULL));
  if (words != NULL ? strstr (all, words) == NULL : all[0] != 0)
    g_error ("%s: warnings \"%s\", expected \"%s\"", target, all, words != NULL ? words : "none");
}

static void
test_warnings (Fixture *f, gconstpointer data)
{
  (void) data;
  assert_warns (f, "sim.figure", 3, NULL);
  /* [VO-01] A hinge that is not along two rods. */
  set_figure (f, "\"0 0;1 0;2 0\"", "\"0 1\"", "\"0 1 2 -10 10\"");
  assert_warns (f, "sim.figure", 3, "hinge 0 (points 0 1 2) is not between two rods");
  set_figure (f, "\"0 0;1 0;2 0\"", "\"0 1;2 1\"", "\"0 1 2 -10 10\"");
  assert_warns (f, "sim.figure", 3, NULL);
  /* [VO-05] A straight hinge in space that has to turn. */
  set_figure (f, "\"0 0;1 0;2 0\"", "\"0 1;1 2\"", "\"0 1 2 20 40\"");
  node_test_set (&f->test, "sim", "space", "\"space\"");
  assert_warns (f, "sim.figure", 2, "an arbitrary direction was used");
  assert_warns (f, "sim.figure", 20, NULL);
  g_assert_cmpfloat (get_number (f, "sim.angle_deviation", 20), <, 0.2);
  /* [VO-07] Walls that leave no room. */
  node_test_set (&f->test, "figure", "hinges", "\"\"");
  node_test_set (&f->test, "sim", "planes", "\"0 5 0 0 1 0\\n0 4 0 0 -1 0\"");
  assert_warns (f, "sim.figure", 3, "the walls leave no room for a point");
  /* A rod longer than the room between two walls. */
  set_figure (f, "\"-1 1;1 1\"", "\"0 1\"", "\"\"");
  node_test_set (&f->test, "sim", "planes", "\"-0.5 0 0 1 0 0;0.5 0 0 -1 0 0\"");
  assert_warns (f, "sim.figure", 2, "a point is too deep inside a wall");
  node_test_set (&f->test, "sim", "planes", "\"-0.995 0 0 1 0 0;0.995 0 0 -1 0 0\"");
  assert_warns (f, "sim.figure", 2, "walls at both ends of a rod");
  node_test_set (&f->test, "sim", "planes", "\"\"");
  /* [VO-08] A mouse out of reach, of what is pinned and of a number that can be counted with. */
  node_test_set (&f->test, "figure", "pins", "\"0\"");
  node_test_set (&f->test, "sim", "grab", "true");
  node_test_set (&f->test, "sim", "grab_point", "1");
  node_test_set (&f->test, "sim", "grab_to", "[9, 1, 0]");
  assert_warns (f, "sim.figure", 3, "the rod from point 0 to point 1, 2 to 2 m long");
  set_figure (f, "\"-1 1;0 1;1 1\"", "\"0 1;1 2\"", "\"\"");
  node_test_set (&f->test, "sim", "grab_point", "2");
  assert_warns (f, "sim.figure", 3, "driven points are out of reach");
  node_test_set (&f->test, "sim", "grab_to", "[0.9, 1, 0]");
  assert_warns (f, "sim.figure", 3, NULL);
  node_test_set (&f->test, "sim", "grab", "false");
  node_test_set (&f->test, "figure", "pins", "\"\"");
  /* [VO-12] More rods than hold it together. */
  set_figure (f, "\"0 0;1 0;1 1;0 1\"", "\"0 1;1 2;2 3;3 0;0 2;1 3\"", "\"\"");
  node_test_add (&f->test, "sim/linked_rods", "exact", "geometry", "{\"link\": \"figure.figure\"}", NULL);
  assert_warns (f, "exact.figure", 3, "their loads are not determined uniquely");
}

/* Walls that exclude the figure, or a part of it: it is lifted out, at no more than a metre a second, instead of being thrown by
 * being put back at once; and a chain too long for its box does not gain energy from being squeezed. */
static void
test_buried (Fixture *f, gconstpointer data)
{
  (void) data;
  set_figure (f, human, human_rods, human_hinges);
  node_test_set (&f->test, "sim", "planes", "\"0 0.3 0 0 1 0\"");
  for (int frame = 2; frame < 80; frame += 3) {
    const KgVector center = node_test_vector (&f->test, "sim.center", (frame - 1) / RATE);

    g_assert_cmpfloat (center.y, <, 1.3);
    g_assert_cmpfloat (get_number (f, "sim.deviation", frame), <, 0.01);
  }
  g_assert_cmpfloat (get_number (f, "sim.energy", 80), <, get_number (f, "sim.energy", 1));
  set_figure (f, "\"0 2;1 2;2 2\"", "\"0 1;1 2\"", "\"\"");
  node_test_set (&f->test, "sim", "planes", "\"\"");
  node_test_set (&f->test, "sim", "walls", "\"box\"");
  node_test_set (&f->test, "sim", "box_low", "[0.5, 0, -1]");
  node_test_set (&f->test, "sim", "box_high", "[1.5, 3, 1]");
  for (int frame = 2; frame < 60; frame += 3)
    g_assert_cmpfloat (get_number (f, "sim.energy", frame), <, 1.2 * get_number (f, "sim.energy", 1));
}

/* A floor that rises, however fast, carries the figure; and what is lifted out of one wall is kept back by the others. */
static void
test_moving_floor (Fixture *f, gconstpointer data)
{
  (void) data;
  set_figure (f, "\"0 0;1 0\"", "\"0 1\"", "\"\"");
  node_test_set (&f->test, "sim", "walls", "\"plane\"");
  node_test_set (&f->test, "sim", "wall_point", "{\"expr\": \"0, 3 * max (0, t - 1), 0\"}");
  for (int frame = 2; frame < 100; frame += 7)
    g_assert_cmpfloat (node_test_vector (&f->test, "sim.center", (frame - 1) / RATE).y, >=,
                       3 * fmax (0, (frame - 1) / RATE - 1) - 0.01);
  set_figure (f, "\"0 -3;1 -3\"", "\"0 1\"", "\"\"");
  node_test_set (&f->test, "sim", "wall_point", "[0, 0, 0]");
  node_test_set (&f->test, "sim", "planes", "\"2 0 0 -1 0 0\"");
  node_test_set (&f->test, "sim", "velocity", "[3, 0, 0]");
  for (int frame = 2; frame < 100; frame += 7)
    g_assert_cmpfloat (node_test_vector (&f->test, "sim.center", (frame - 1) / RATE).x, <, 1.6);
}

/* Steps that are far too large: energy is reported as long as it is a number, then the figure is said to have flown off. */
static void
test_large_steps (Fixture *f, gconstpointer data)
{
  static const char *const orders[] = { "\"sequential\"", "\"averaged\"", "\"simultaneous\"" };

  (void) data;
  node_test_set (&f->test, "sim", "substeps", "1");
  node_test_set (&f->test, "sim", "spin", "[0, 0, 100000]");
  node_test_set (&f->test, "sim", "walls", "\"plane\"");
  for (guint k = 0; k < 3; k++)
    for (int frame = 2; frame < 60; frame += 19) {
      g_autoptr (GError) error = NULL;
      g_auto (KgValue) value = KG_VALUE_INIT;
      KgNode *node;
      guint slot;

      node_test_set (&f->test, "sim", "sweep", orders[k]);
      kg_graph_find_output (f->test.graph, "sim.energy", &node, &slot, &error);
      g_assert_no_error (error);
      if (kg_evaluator_evaluate (f->test.evaluator, node, slot, (frame - 1) / RATE, NULL, &value, &error))
        g_assert_true (isfinite (value.number));
      else
        g_assert_error (error, KG_ERROR, KG_ERROR_DIVERGED);
    }
}

/* [VO-10] The trace is a line over the sweeps. */
static void
test_trace (Fixture *f, gconstpointer data)
{
  /* After each sweep (tests/techniques/skeleton.c). */
  static const double deviations[] = { 0.4001, 0.2156, 0.1434, 0.1021, 0.0774, 0.0636, 0.0530, 0.0447 };
  g_autoptr (KgGeometry) trace = NULL;
  const float *p;

  (void) data;
  node_test_set (&f->test, "sim", "gravity", "[0, 0, 0]");
  node_test_set (&f->test, "sim", "substeps", "1");
  node_test_set (&f->test, "sim", "sweep_limit", "7");
  node_test_set (&f->test, "sim", "length_tolerance", "1e-6");
  /* 0.98 in a step of a frame. */
  node_test_set (&f->test, "sim", "spin", "[0, 0, 1347.60142241]");
  node_test_set (&f->test, "figure", "hinges", "\"\"");
  trace = get (f, "sim.trace", 2);
  p = kg_geometry_get_positions (trace);
  g_assert_cmpuint (kg_geometry_get_n_points (trace), ==, 8);
  for (size_t i = 0; i < 8; i++) {
    assert_near ((double) p[3 * i], (double) i, 0);
    assert_near ((double) p[3 * i + 1], deviations[i], 5e-4);
  }
}

/* [VO-12] What the example plots: at half the step pendulums of two, three and ten rods are half as far from the exact ones,
 * and ever more nearly so. */
static void
test_first_order_example (void)
{
  static const char *const chains[] = { "two", "three", "ten" };
  static const int steps[] = { 5, 10, 20, 40, 80 };
  NodeTest test = node_test_open_example ("first_order.json");

  for (size_t c = 0; c < G_N_ELEMENTS (chains); c++) {
    g_autofree char *exact = g_strconcat (chains[c], "_exact.center", NULL);
    const KgVector wanted = node_test_vector (&test, exact, 0.8);
    double last = NAN, last_ratio = 1.7;

    for (size_t k = 0; k < G_N_ELEMENTS (steps); k++) {
      g_autofree char *name = g_strdup_printf ("%s_%d.center", chains[c], steps[k]);
      const double off = kg_vector_distance (node_test_vector (&test, name, 0.8), wanted);

      if (k > 0) {
        g_assert_cmpfloat (last / off, >, last_ratio);
        last_ratio = last / off;
      }
      last = off;
    }
    assert_near (last_ratio, 2, 0.05);
  }
  node_test_clear (&test);
}

/* [VO-12] The node of the exact equations: energy is kept, the rods keep their length, and pins stay. */
static void
test_linked_rods (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) rods = NULL;

  (void) data;
  set_figure (f, "\"0 0;0.932039 -0.362358;1.321457 -1.283419\"", "\"0 1;1 2\"", "\"\"");
  node_test_set (&f->test, "figure", "pins", "\"0\"");
  node_test_add (&f->test, "sim/linked_rods", "exact", "geometry", "{\"link\": \"figure.figure\"}", NULL);
  assert_near (get_number (f, "exact.energy", 25), get_number (f, "exact.energy", 1), 1e-8);
  assert_near (get_number (f, "exact.deviation", 25), 0, 1e-9);
  rods = get (f, "exact.rods", 25);
  assert_near ((double) kg_geometry_get_positions (rods)[3], -0.28423239806735, 1e-5);
  assert_near ((double) kg_geometry_get_positions (rods)[7], -1.41890734813456, 1e-5);
  g_assert_nonnull (kg_geometry_get_float (rods, KG_PRIMITIVES, "tension", 1));
  node_test_set (&f->test, "figure", "rods", "\"0 1 0.5 1\"");
  expect (f, "exact.figure", 1, "rod 0", "telescopes");
}

/* Steps that would never lead to the end of a frame are not taken by the hundred thousand. */
static void
test_hopeless_rods (Fixture *f, gconstpointer data)
{
  g_autoptr (GString) points = g_string_new ("\""), rods = g_string_new ("\"");
  const clock_t start = clock ();

  (void) data;
  for (guint i = 0; i < 100; i++) {
    g_string_append_printf (points, "%s%u %d", i > 0 ? ";" : "", i % 10, -(int) (i / 10));
    if (i > 0)
      g_string_append_printf (rods, "%s%u %u", i > 1 ? ";" : "", i - 1, i);
  }
  g_string_append_c (points, '"');
  g_string_append_c (rods, '"');
  set_figure (f, points->str, rods->str, "\"\"");
  node_test_set (&f->test, "figure", "pins", "\"0\"");
  node_test_add (&f->test, "sim/linked_rods", "exact", "geometry", "{\"link\": \"figure.figure\"}", "method",
                 "\"rkf45\"", "gravity", "[0, 1e20, 0]", NULL);
  expect (f, "exact.figure", 2, "could not be solved beyond", "raise the tolerance");
  g_assert_cmpfloat ((double) (clock () - start) / CLOCKS_PER_SEC, <, 10);
}

#define ADD(name, data, function) g_test_add ("/skeleton/" name, Fixture, data, set_up, function, tear_down)

/* A warning of a step is reported with its frame, and no longer when the step is over. */
static void
test_warning_of_a_step (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/wire_figure", "f", "points", "\"0 0\\n1 0\"", "rods", "\"0 1\"", "hinges", "\"\"", "pins",
                 "\"0\"", NULL);
  node_test_add (&test, "sim/skeleton_dynamics", "s", "geometry", "{\"link\": \"f.figure\"}", "grab_point", "1",
                 "grab_to", "[3, 0, 0]", "grab",
                 "{\"keys\": [{\"frame\": 1, \"value\": 1, \"interpolation\": \"constant\"}, "
                 "{\"frame\": 6, \"value\": 0, \"interpolation\": \"constant\"}]}",
                 NULL);
  node_test_number (&test, "s.deviation", kg_graph_frame_to_time (test.graph, 9));
  {
    g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test.evaluator, kg_graph_find (test.graph, "s"));

    g_assert_cmpuint (warnings != NULL ? g_strv_length (warnings) : 0, ==, 0);
  }
  node_test_number (&test, "s.deviation", kg_graph_frame_to_time (test.graph, 4));
  {
    g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test.evaluator, kg_graph_find (test.graph, "s"));

    g_assert_cmpuint (g_strv_length (warnings), ==, 1);
    g_assert_nonnull (
        strstr (warnings[0],
                "from point 0 to point 1, 1 to 1 m long, does not fit between its ends, which are held 3 m apart"));
  }
  node_test_clear (&test);
}

/* VO-25: the stages of a rod and of a hinge. */
static void
assert_stage (NodeTest *test, guint stage, guint point, double x, double y)
{
  g_auto (KgValue) value = node_test_get (test, "stages.places", 0);
  const double *row = kg_table_get_row (value.table, 3 * (size_t) stage + point);

  g_assert_cmpfloat (row[0], ==, stage);
  assert_near (row[2], x, 1e-7);
  assert_near (row[3], y, 1e-7);
}

static void
test_correction_stages (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "sim/correction_stages", "stages", NULL);
  assert_stage (&test, 0, 2, 0.5, 0.8660254);
  assert_stage (&test, 1, 2, 0.8660254, 0.5);
  assert_stage (&test, 2, 0, -1, -0.25);
  assert_stage (&test, 2, 2, 0.6495191, 0.625);
  assert_stage (&test, 3, 0, -1.0498397, -0.0863249);
  assert_stage (&test, 3, 1, -0.0498397, 0.1636751);
  assert_stage (&test, 3, 2, 0.5996794, 0.7886751);
  assert_near (node_test_number (&test, "stages.angle", 0), 29.861643, 1e-6);
  assert_near (node_test_number (&test, "stages.torque", 0), -0.0386751, 1e-7);
  assert_vector_near (node_test_vector (&test, "stages.moved", 0), 0, 0, 0, 1e-14);
  node_test_set (&test, "stages", "rule", "\"gradient\"");
  assert_stage (&test, 1, 0, -1, -0.1047198);
  assert_stage (&test, 1, 1, -0.0906900, 0.1570796);
  assert_stage (&test, 1, 2, 0.5906900, 0.8136655);
  assert_near (node_test_number (&test, "stages.angle", 0), 27.876730, 1e-6);
  assert_near (node_test_number (&test, "stages.torque", 0), 0, 1e-14);
  /* Within its limits nothing moves; an arm without length cannot be corrected; a rod gives on both sides. */
  node_test_set (&test, "stages", "high", "90");
  node_test_set (&test, "stages", "rule", "\"paper\"");
  assert_stage (&test, 3, 2, 0.5, 0.8660254);
  node_test_set (&test, "stages", "points", "\"0 0; 0 0; 1 0\"");
  node_test_warns (&test, "stages.geometry", "no length");
  node_test_set (&test, "stages", "points", "\"0 0; 3 0\"");
  node_test_set (&test, "stages", "length", "2");
  {
    g_auto (KgValue) value = node_test_get (&test, "stages.places", 0);

    assert_near (kg_table_get_row (value.table, 2)[2], 0.5, 1e-12);
    assert_near (kg_table_get_row (value.table, 3)[2], 2.5, 1e-12);
  }
  node_test_set (&test, "stages", "points", "\"0 0\"");
  node_test_fails (&test, "stages.geometry", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/skeleton/warning-of-a-step", test_warning_of_a_step);
  ADD ("vo-02/fall", NULL, test_fall);
  ADD ("vo-08/led", NULL, test_led);
  ADD ("vo-14/all-led", GINT_TO_POINTER (1), test_led);
  ADD ("vo-08/throw", NULL, test_throw);
  ADD ("same", NULL, test_same);
  ADD ("disconnected", NULL, test_disconnected);
  ADD ("vo-06/muscle", NULL, test_muscle);
  ADD ("limits", NULL, test_limits);
  ADD ("bad-figures", NULL, test_bad_figures);
  ADD ("hard-inputs", NULL, test_hard_inputs);
  ADD ("vo-07/buried", NULL, test_buried);
  ADD ("vo-07/moving-floor", NULL, test_moving_floor);
  ADD ("large-steps", NULL, test_large_steps);
  ADD ("node/warnings", NULL, test_warnings);
  ADD ("vo-10/trace", NULL, test_trace);
  ADD ("vo-12/linked-rods", NULL, test_linked_rods);
  ADD ("hopeless-rods", NULL, test_hopeless_rods);
  g_test_add_func ("/skeleton/vo-12/first-order-example", test_first_order_example);
  g_test_add_func ("/skeleton/vo-25/correction-stages", test_correction_stages);
  return g_test_run ();
}
