/* tests/nodes/particle-system: births, deaths, pairs and collisions of particles against the catalogue's numbers (55-05 to
 * 55-32), and what they do with hostile input.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include <omp.h>

/* Frames a second, unless a graph says otherwise. */
#define RATE 24.0

typedef struct {
  NodeTest test;
} Fixture;

static void
set (Fixture *f, const char *slot, const char *json)
{
  g_autofree char *text = g_strdelimit (g_strdup (json), "'", '"');

  node_test_set (&f->test, "particles", slot, text);
}

/* Particles at the origin that stand still, one a frame, all alike. */
static void
set_up (Fixture *f, gconstpointer data)
{
  static const char *const zero[] = { "speed", "speed_variance", "spread", "lifetime_variance", "size_variance" };

  (void) data;
  f->test = node_test_new ();
  node_test_add (&f->test, "sim/particles", "particles", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (zero); i++)
    set (f, zero[i], "0");
  set (f, "lifetime", "1000");
  set (f, "births", "'reeves'");
  set (f, "rate", "24");
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  node_test_clear (&f->test);
}

static KgGeometry *
get_of (Fixture *f, const char *output, int frame)
{
  return node_test_get (&f->test, output, (frame - 1) / RATE).geometry;
}

static KgGeometry *
get (Fixture *f, int frame)
{
  return get_of (f, "particles.geometry", frame);
}

static size_t
count (Fixture *f, const char *output, int frame)
{
  g_autoptr (KgGeometry) geometry = get_of (f, output, frame);

  return kg_geometry_get_n_points (geometry);
}

static double
read_float (const KgGeometry *geometry, const char *name, uint8_t size, size_t i)
{
  const float *array = kg_geometry_get_float (geometry, KG_POINTS, name, size);

  g_assert_nonnull (array);
  return (double) array[i];
}

static double
read_place (const KgGeometry *geometry, size_t i)
{
  return (double) kg_geometry_get_positions (geometry)[i];
}

static void
add_gravity (Fixture *f, const char *acceleration)
{
  node_test_add (&f->test, "field/gravity", "gravity", "acceleration", acceleration, NULL);
  set (f, "forces", "[{'link': 'gravity.field'}]");
}

/* All from the start on, at the points of a geometry of that type. */
static void
start_on (Fixture *f, const char *output)
{
  g_autofree char *link = g_strdup_printf ("{'link': '%s'}", output);

  set (f, "births", "'once'");
  set (f, "shape", "'geometry'");
  set (f, "emitter", link);
}

/* A rate below one a frame: 0.4 gives 0 0 1 0 1, again and again. */
static void
test_carry (Fixture *f, gconstpointer data)
{
  static const size_t sums[] = { 0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4 };

  (void) data;
  set (f, "rate", "9.6");
  for (int frame = 1; frame <= 11; frame++)
    g_assert_cmpuint (count (f, "particles.geometry", frame), ==, sums[frame - 1]);
}

/* Speeds within their variance by each distribution, with the deviation that is due to it: 1/sqrt (3), 0.3288595, 1/sqrt (6). */
static void
test_distribution (Fixture *f, gconstpointer data)
{
  static const struct {
    const char *name;
    double deviation;
  } expected[] = { { "'uniform'", 0.5773503 }, { "'gaussian'", 0.3288595 }, { "'triangular'", 0.4082483 } };

  (void) data;
  set (f, "rate", "480000");
  set (f, "speed", "4");
  set (f, "speed_variance", "0.5");
  for (guint k = 0; k < G_N_ELEMENTS (expected); k++) {
    g_autoptr (KgGeometry) geometry = NULL;
    double sum = 0, squares = 0;
    size_t n;

    set (f, "distribution", expected[k].name);
    geometry = get (f, 2);
    n = kg_geometry_get_n_points (geometry);
    g_assert_cmpuint (n, ==, 20000);
    for (size_t i = 0; i < n; i++) {
      const double x = (read_float (geometry, "v", 3, 3 * i + 1) - 4) / 0.5;

      g_assert_cmpfloat (fabs (x), <=, 1 + 1e-5);
      sum += x;
      squares += x * x;
    }
    assert_near (sum / (double) n, 0, 0.02);
    assert_near (sqrt (squares / (double) n), expected[k].deviation, 0.01);
  }
}

/* A ball of radius 1 ten metres ahead, 800 pixels before a camera: 20309.29 pixels, so 20.309 births for each per kilo-pixel. */
static void
test_screen (Fixture *f, gconstpointer data)
{
  static const struct {
    const char *position;
    double pixels;
  } places[] = {
    { "[0, 0, -10]", 20309.29 }, { "[3, 2, -10]", 21601.61 }, { "[0, 0, 10]", 0 }, { "[0, 0, 0.5]", 1920.0 * 1080 }
  };

  (void) data;
  node_test_add (&f->test, "render/camera", "camera", "position", "[0, 0, 0]", "target", "[0, 0, -1]", NULL);
  node_test_set (&f->test, "camera", "fov", "68.03886");
  set (f, "births", "'screen'");
  set (f, "camera", "{'link': 'camera.scene'}");
  set (f, "per_area", "2400");
  set (f, "per_area_variance", "0");
  set (f, "screen_radius", "1");
  for (guint k = 0; k < G_N_ELEMENTS (places); k++) {
    set (f, "position", places[k].position);
    /* 100 a frame for each kilo-pixel. */
    assert_near ((double) count (f, "particles.geometry", 2), places[k].pixels / 10, 1.01);
  }
}

/* Ten points that emit at 24 a second, at 24 frames a second: one each a frame. */
static void
test_each (Fixture *f, gconstpointer data)
{
  (void) data;
  node_test_add (&f->test, "geometry/line", "line", "points", "10", NULL);
  set (f, "births", "'each'");
  set (f, "emitter", "{'link': 'line.geometry'}");
  for (int frame = 2; frame < 12; frame++) {
    g_autoptr (KgGeometry) geometry = get (f, frame);

    g_assert_cmpuint (kg_geometry_get_n_points (geometry), ==, (size_t) (10 * (frame - 1)));
  }
}

static void
assert_warned (Fixture *f, const char *words)
{
  g_auto (GStrv) warnings = NULL;
  g_autofree char *all = NULL;

  g_assert_cmpuint (count (f, "particles.geometry", 3), ==, 0);
  warnings = kg_evaluator_dup_warnings (f->test.evaluator, kg_graph_find (f->test.graph, "particles"));
  all = g_strjoinv ("\n", warnings);
  g_assert_nonnull (strstr (all, words));
}

/* A list says how many are born in each frame, the first one too; without a list, or without an emitter for bursts, none are,
 * and a warning says so. */
static void
test_list (Fixture *f, gconstpointer data)
{
  static const size_t expected[] = { 5, 7, 17, 20 };

  (void) data;
  set (f, "births", "'list'");
  assert_warned (f, "no list of births");
  set (f, "births_list", "{'keys': [[1, 5], [2, 2], [3, 10], [4, 3]]}");
  for (int frame = 1; frame <= 4; frame++)
    g_assert_cmpuint (count (f, "particles.geometry", frame), ==, expected[frame - 1]);
  set (f, "births", "'event'");
  assert_warned (f, "no emitter");
}

/* Ten rockets that live for half a second, and burst into 200 stars each where they died. */
static void
test_firework (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) dead = NULL, stars = NULL;

  (void) data;
  set (f, "births", "'once'");
  set (f, "event_count", "10");
  set (f, "speed", "3");
  set (f, "spread", "40");
  set (f, "lifetime", "0.51");
  node_test_add (&f->test, "sim/particles", "stars", "births", "\"event\"", "event_count", "200", "emitter",
                 "{\"link\": \"particles.died\"}", "speed", "0", "speed_variance", "0", "inherit", "1", "lifetime", "5",
                 NULL);
  g_assert_cmpuint (count (f, "particles.geometry", 13), ==, 10);
  g_assert_cmpuint (count (f, "stars.geometry", 13), ==, 0);
  dead = get_of (f, "particles.died", 14);
  stars = get_of (f, "stars.geometry", 14);
  g_assert_cmpuint (kg_geometry_get_n_points (dead), ==, 10);
  g_assert_cmpuint (kg_geometry_get_n_points (stars), ==, 2000);
  g_assert_cmpint (kg_geometry_get_int (dead, KG_POINTS, "cause", 1)[3], ==, 1);
  for (size_t i = 0; i < 2000; i++)
    for (size_t c = 0; c < 3; c++) {
      const double v = read_float (dead, "v", 3, 3 * (i / 200) + c), age = read_float (stars, "age", 1, i);

      assert_near (read_float (stars, "v", 3, 3 * i + c), v, 1e-6);
      assert_near (read_place (stars, 3 * i + c), read_place (dead, 3 * (i / 200) + c) + v * age, 1e-5);
    }
  g_assert_cmpuint (count (f, "stars.geometry", 20), ==, 2000);
}

/* Fading from 1 to 0 they die at three quarters of their life when the limit is a quarter; those who live and those who have died
 * are all who were born. */
static void
test_deaths (Fixture *f, gconstpointer data)
{
  size_t died = 0;

  (void) data;
  set (f, "lifetime", "1");
  set (f, "alpha_over_age", "{'keys': [[0, 1], [1, 0]]}");
  set (f, "kill_alpha", "0.25");
  for (int frame = 2; frame < 60; frame++) {
    g_autoptr (KgGeometry) geometry = get (f, frame), dead = get_of (f, "particles.died", frame);

    for (size_t i = 0; i < kg_geometry_get_n_points (geometry); i++)
      g_assert_cmpfloat (read_float (geometry, "age", 1, i), <=, 0.7501);
    for (size_t i = 0; i < kg_geometry_get_n_points (dead); i++)
      g_assert_cmpint (kg_geometry_get_int (dead, KG_POINTS, "cause", 1)[i], ==, 2);
    died += kg_geometry_get_n_points (dead);
    g_assert_cmpuint (kg_geometry_get_n_points (geometry) + died, ==, (size_t) (frame - 1));
  }
  g_assert_cmpuint (died, >, 30);
}

/* At 4 m/s they die in the first step that ends beyond half a second when 2 m are allowed. */
static void
test_distance (Fixture *f, gconstpointer data)
{
  (void) data;
  set (f, "births", "'once'");
  set (f, "event_count", "5");
  set (f, "speed", "4");
  set (f, "kill_distance", "2.001");
  g_assert_cmpuint (count (f, "particles.geometry", 13), ==, 5);
  g_assert_cmpuint (count (f, "particles.geometry", 14), ==, 0);
  g_assert_cmpuint (count (f, "particles.died", 14), ==, 5);
  set (f, "kill_distance", "0");
  set (f, "kill_below", "true");
  set (f, "kill_height", "1");
  g_assert_cmpuint (count (f, "particles.geometry", 1), ==, 0);
}

/* A throw of 12 steps: 0.32375 m by the mean of the speeds, by Verlet and Runge-Kutta; 0.2215625 by semi-implicit Euler; as
 * much too high by the explicit one. */
static void
test_integrators (Fixture *f, gconstpointer data)
{
  static const struct {
    const char *name;
    double height;
  } expected[] = { { "'average'", 0.32375 },
                   { "'verlet'", 0.32375 },
                   { "'rk4'", 0.32375 },
                   { "'euler'", 0.2215625 },
                   { "'explicit'", 0.4259375 } };

  (void) data;
  add_gravity (f, "[0, -9.81, 0]");
  set (f, "births", "'once'");
  set (f, "event_count", "1");
  set (f, "speed", "3.1");
  for (guint k = 0; k < G_N_ELEMENTS (expected); k++) {
    g_autoptr (KgGeometry) geometry = NULL;

    set (f, "integrator", expected[k].name);
    geometry = get (f, 13);
    assert_near (read_place (geometry, 1), expected[k].height, 2e-6);
  }
}

static void
test_looks (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) geometry = NULL;

  (void) data;
  set (f, "lifetime", "2");
  set (f, "speed", "3");
  set (f, "looks", "'Cd.r = age/life\\nwidth = 0.1*speed\\n# a remark\\nheat = 5*P.y + Cd.r\\nCd.a = 1/(age - age)'");
  geometry = get (f, 13);
  for (size_t i = 0; i < 12; i++) {
    const double age = read_float (geometry, "age", 1, i);

    assert_near (read_float (geometry, "Cd", 4, 4 * i), age / 2, 1e-6);
    assert_near (read_float (geometry, "width", 1, i), 0.3, 1e-6);
    assert_near (read_float (geometry, "heat", 1, i), 5 * 3 * age + age / 2, 1e-4);
    /* What is not finite stays as it was. */
    assert_near (read_float (geometry, "Cd", 4, 4 * i + 3), 1, 1e-9);
  }
}

/* Two masses on a spring, by semi-implicit Euler in steps of a hundredth of a second: the closed form of the discrete motion. */
static void
test_spring (Fixture *f, gconstpointer data)
{
  const double theta = acos (1 - 0.5 * 10 * 10 * 0.01 * 0.01), e0 = 0.1;
  const bool links = GPOINTER_TO_INT (data) != 0;

  node_test_add (&f->test, "geometry/line", "line", "points", "2", "start", "[0, 0, 0]", "end",
                 links ? "[0.2, 0, 0]" : "[0.3, 0, 0]", NULL);
  if (links) {
    /* The links rest at 0.2 m; the particles start 0.3 m apart. */
    node_test_add (&f->test, "geometry/line", "wide", "points", "2", "start", "[0, 0, 0]", "end", "[0.3, 0, 0]", NULL);
    set (f, "links", "{'link': 'line.geometry'}");
  }
  start_on (f, links ? "wide.geometry" : "line.geometry");
  set (f, "pairs", links ? "'links'" : "'spring'");
  set (f, "pair_reach", "1");
  set (f, "pair_damping", "0");
  g_assert_true (kg_graph_set_frames (f->test.graph, (KgFrames){ .start = 1, .end = 200, .rate = 100 }, NULL));
  for (int n = 1; n <= 50; n++) {
    g_autoptr (KgGeometry) geometry = node_test_get (&f->test, "particles.geometry", n * 0.01).geometry;
    const double stretch = read_place (geometry, 3) - read_place (geometry, 0) - 0.2;

    assert_near (stretch, e0 * cos ((n + 0.5) * theta) / cos (0.5 * theta), 2e-6);
    assert_near (read_float (geometry, "v", 3, 0) + read_float (geometry, "v", 3, 3), 0, 1e-6);
  }
}

/* Head on, 2 kg at 3 m/s and 1 kg at -1 m/s, half of the speed left: 1 and 3 m/s. */
static void
test_pair_collision (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) geometry = NULL;

  (void) data;
  node_test_add (&f->test, "geometry/line", "line", "points", "2", "start", "[-1, 0, 0]", "end", "[1, 0, 0]", NULL);
  node_test_add (&f->test, "field/formula", "push", "formula", "\"[-p.x, 0, 0]\"", NULL);
  node_test_add (&f->test, "geometry/attribute", "moving", "geometry", "{\"link\": \"line.geometry\"}", "name", "\"v\"",
                 "kind", "\"field\"", "field", "{\"link\": \"push.field\"}", NULL);
  start_on (f, "moving.set");
  set (f, "inherit", "1");
  set (f, "pairs", "'collide'");
  set (f, "pair_restitution", "1");
  geometry = get (f, 48);
  assert_near (read_float (geometry, "v", 3, 0), -1, 1e-6);
  assert_near (read_float (geometry, "v", 3, 3), 1, 1e-6);
  set (f, "pair_restitution", "0.5");
  kg_geometry_unref (geometry);
  geometry = get (f, 48);
  assert_near (read_float (geometry, "v", 3, 0), -0.5, 1e-6);
  assert_near (read_float (geometry, "v", 3, 3), 0.5, 1e-6);
}

/* AH-16: balls above each other on the floor go down by a step of their radius, and rest; AH-14: with velocities they fall, and
 * rest.  None of them goes below. */
static void
test_heap (Fixture *f, gconstpointer data)
{
  const bool still = GPOINTER_TO_INT (data) != 0;
  g_autoptr (KgGeometry) first = NULL, geometry = NULL;

  node_test_add (&f->test, "geometry/line", "line", "points", "2", "start", "[0, 0.1, 0]", "end", "[0, 0.35, 0]", NULL);
  start_on (f, "line.geometry");
  add_gravity (f, "[0, -9.81, 0]");
  set (f, "particle_size", "0.2");
  set (f, "ground", "true");
  set (f, "heap_step", "1");
  set (f, "pairs", still ? "'position'" : "'contact'");
  first = get (f, 2);
  assert_near (read_place (first, 1), 0.1, 1e-5);
  assert_near (read_place (first, 4), still ? 0.3 : 0.35 - 9.81 / (RATE * RATE), 1e-5);
  geometry = get (f, 48);
  assert_near (read_place (geometry, 1), 0.1, 2e-4);
  assert_near (read_place (geometry, 4), 0.3, 2e-4);
  assert_near (read_float (geometry, "v", 3, 4), 0, 1e-4);
  /* Of no size they do not meet, and nothing is lost. */
  set (f, "particle_size", "0");
  g_assert_cmpuint (count (f, "particles.geometry", 12), ==, 2);
}

static bool
warns (Fixture *f, const char *words)
{
  g_autoptr (KgGeometry) geometry = get (f, 2);
  g_auto (GStrv) warnings = kg_evaluator_dup_warnings (f->test.evaluator, kg_graph_find (f->test.graph, "particles"));
  g_autofree char *all = warnings != NULL ? g_strjoinv ("\n", warnings) : g_strdup ("");

  return strstr (all, words) != NULL;
}

/* AH-16: balls within a mesh whose neck has not room enough for them are told, as long as some are above it; balls outside of a
 * mesh that others are in are an error with their number. */
static void
test_container (Fixture *f, gconstpointer data)
{
  (void) data;
  node_test_add (&f->test, "geometry/sphere", "ball", "radius", "1", "segments", "24", "rings", "16", NULL);
  node_test_add (&f->test, "field/formula", "waist", "formula",
                 "\"[x*(0.15 + y*y)/max(sqrt(1 - y*y), 1e-3), 1.5*y, z*(0.15 + y*y)/max(sqrt(1 - y*y), 1e-3)]\"", NULL);
  node_test_add (&f->test, "geometry/attribute", "glass", "geometry", "{\"link\": \"ball.geometry\"}", "name", "\"P\"",
                 "kind", "\"field\"", "field", "{\"link\": \"waist.field\"}", NULL);
  node_test_add (&f->test, "geometry/line", "line", "points", "3", "start", "[0, 0.6, 0]", "end", "[0, 1, 0]", NULL);
  start_on (f, "line.geometry");
  add_gravity (f, "[0, -9.81, 0]");
  set (f, "colliders", "[{'link': 'glass.set'}]");
  set (f, "pairs", "'position'");
  set (f, "particle_size", "0.24");
  g_assert_true (warns (f, "will not pass the neck at"));
  set (f, "particle_size", "0.1");
  g_assert_false (warns (f, "will not pass"));
  node_test_set (&f->test, "line", "end", "[0, 2.2, 0]");
  node_test_fails_saying (&f->test, "particles.geometry", 0, "1 of 3 balls are outside the colliders");
}

/* A plane of two triangles. */
static void
add_floor (Fixture *f, const char *position)
{
  node_test_add (&f->test, "geometry/grid", "grid", "size", "[20, 20, 0]", "columns", "3", "rows", "3", NULL);
  node_test_add (&f->test, "geometry/transform", "floor", "geometry", "{\"link\": \"grid.geometry\"}", "rotate",
                 "[-90, 0, 0]", "translate", position, NULL);
  set (f, "colliders", "[{'link': 'floor.transformed'}]");
  set (f, "thickness", "0");
}

/* Dropped from 2 m on a mesh it rises to 0.5, then 0.125 m. */
static void
test_mesh_bounce (Fixture *f, gconstpointer data)
{
  double highest[3] = { 0, 0, 0 };
  int bounce = 0;
  double before = 2;

  (void) data;
  add_floor (f, "[0, 0, 0]");
  add_gravity (f, "[0, -9.81, 0]");
  set (f, "births", "'once'");
  set (f, "event_count", "1");
  set (f, "position", "[0.3, 2, 0.2]");
  set (f, "integrator", "'rk4'");
  g_assert_true (kg_graph_set_frames (f->test.graph, (KgFrames){ .start = 1, .end = 800, .rate = 240 }, NULL));
  for (int n = 1; n <= 420; n++) {
    g_autoptr (KgGeometry) geometry = node_test_get (&f->test, "particles.geometry", n / 240.0).geometry;
    const double y = read_place (geometry, 1), v = read_float (geometry, "v", 3, 1);

    g_assert_cmpfloat (y, >=, 0);
    if (v > 0 && before <= 0)
      bounce = MIN (bounce + 1, 2);
    highest[bounce] = MAX (highest[bounce], y);
    before = v;
  }
  assert_near (highest[1], 0.5, 1e-3);
  assert_near (highest[2], 0.125, 1e-3);
}

/* Whether a path may meet the mesh is first looked up in a lattice around it.  A triangle far away makes the cells so large that all
 * are occupied: the same bits, whether the mesh stands or moves. */
static void
test_mesh_lattice (Fixture *f, gconstpointer data)
{
  const bool moves = GPOINTER_TO_INT (data) != 0;
  g_autoptr (KgGeometry) fine = NULL, coarse = NULL, free = NULL;
  const size_t n = 400;

  node_test_add (&f->test, "geometry/sphere", "ball", "radius", "0.8", "segments", "24", "rings", "13", NULL);
  node_test_add (&f->test, "geometry/transform", "placed", "geometry", "{\"link\": \"ball.geometry\"}", "rotate",
                 "[3, 5, 7]", "translate",
                 moves ? "{\"keys\": [[1, [0, 0, 0]], [40, [0.7, 0.2, -0.4]]]}" : "[0.1, 0, 0]", NULL);
  node_test_add (&f->test, "geometry/polygon", "triangle", "points",
                 "[[3000, 0, 0, 0], [3000.1, 0, 0, 0], [3000, 0.1, 4000, 0]]", NULL);
  add_gravity (f, "[0, -9.81, 0]");
  set (f, "births", "'once'");
  set (f, "event_count", "400");
  set (f, "lifetime", "100");
  set (f, "shape", "'box'");
  set (f, "size", "[2, 1, 2]");
  set (f, "position", "[0, 1.6, 0]");
  set (f, "particle_size", "0.03");
  free = get (f, 20);
  set (f, "colliders", "[{'link': 'placed.transformed'}]");
  fine = get (f, 20);
  set (f, "colliders", "[{'link': 'placed.transformed'}, {'link': 'triangle.geometry'}]");
  coarse = get (f, 20);
  g_assert_cmpuint (kg_geometry_get_n_points (fine), ==, n);
  if (!moves)
    g_assert_cmpmem (kg_geometry_get_positions (fine), (int) (3 * n * sizeof (float)),
                     kg_geometry_get_positions (coarse), (int) (3 * n * sizeof (float)));
  /* Many have met it. */
  {
    size_t met = 0, other = 0;

    for (size_t i = 0; i < n; i++) {
      met += fabs (read_place (fine, 3 * i) - read_place (free, 3 * i)) > 1e-3;
      other += fabs (read_place (fine, 3 * i) - read_place (coarse, 3 * i)) > 1e-3;
    }
    g_assert_cmpuint (other, <, n / 50);
    g_assert_cmpuint (met, >, n / 10);
  }
}

/* On a slope of 30 degrees with friction above its tangent they come to rest, without they slide. */
static void
test_slope (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) rough = NULL, later = NULL, smooth = NULL;

  (void) data;
  add_floor (f, "[0, 0, 0]");
  node_test_set (&f->test, "floor", "rotate", "[-60, 0, 0]");
  add_gravity (f, "[0, -9.81, 0]");
  set (f, "births", "'once'");
  set (f, "event_count", "1");
  set (f, "position", "[0, 0.4, 0]");
  set (f, "restitution", "0");
  set (f, "friction", "0.8");
  rough = get (f, 60);
  later = get (f, 90);
  assert_near (read_place (rough, 1), read_place (later, 1), 1e-5);
  assert_near (read_float (later, "v", 3, 2), 0, 1e-4);
  set (f, "friction", "0");
  smooth = get (f, 60);
  g_assert_cmpfloat (fabs (read_float (smooth, "v", 3, 2)), >, 3);
  /* Along the slope. */
  assert_near (fabs (read_place (smooth, 1) / read_place (smooth, 2)), tan (KG_PI / 6), 1e-3);
}

/* 12.5 m in a frame, through a mesh without thickness. */
static void
test_fast (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) geometry = NULL;

  (void) data;
  add_floor (f, "[0, 0, 0]");
  set (f, "position", "[0, -5, 0]");
  set (f, "births", "'once'");
  set (f, "event_count", "200");
  set (f, "speed", "300");
  set (f, "spread", "30");
  geometry = get (f, 10);
  for (size_t i = 0; i < 200; i++)
    g_assert_cmpfloat (read_place (geometry, 3 * i + 1), <, 0);
}

/* A mesh that moves at 3 m/s against particles at rest, without loss: they leave at 6 m/s, and none is passed. */
static void
test_moving_mesh (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) geometry = NULL;

  (void) data;
  add_floor (f, "{\"expr\": \"0, -1 + 3*t, 0\"}");
  set (f, "births", "'once'");
  set (f, "event_count", "50");
  set (f, "shape", "'box'");
  set (f, "size", "[4, 0.5, 4]");
  set (f, "restitution", "1");
  geometry = get (f, 24);
  for (size_t i = 0; i < 50; i++) {
    assert_near (read_float (geometry, "v", 3, 3 * i + 1), 6, 1e-4);
    g_assert_cmpfloat (read_place (geometry, 3 * i + 1), >, -1 + 3 * 23 / RATE);
  }
}

/* What sticks to a mesh goes with it, and is free once the mesh is another one. */
static void
test_stick (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) geometry = NULL, freed = NULL;

  (void) data;
  add_floor (f, "{\"expr\": \"t, -1, 0\"}");
  add_gravity (f, "[0, -9.81, 0]");
  set (f, "births", "'once'");
  set (f, "event_count", "400");
  set (f, "shape", "'box'");
  set (f, "size", "[4, 0.5, 4]");
  set (f, "on_hit", "'stick'");
  set (f, "stick", "0.5");
  geometry = get (f, 49);
  {
    const int32_t *stuck = kg_geometry_get_int (geometry, KG_POINTS, "stuck", 1);
    size_t n = 0;

    g_assert_nonnull (stuck);
    for (size_t i = 0; i < 400; i++)
      if (stuck[i] > 0) {
        n++;
        assert_near (read_float (geometry, "v", 3, 3 * i), 1, 1e-4);
        assert_near (read_place (geometry, 3 * i + 1), -1, 1e-3);
      }
    g_assert_cmpuint (n, >, 150);
    g_assert_cmpuint (n, <, 250);
  }
  node_test_set (&f->test, "grid", "columns", "{\"expr\": \"3 + (frame > 30)\"}");
  node_test_set (&f->test, "floor", "translate", "{\"expr\": \"t, -1 - 100*(frame > 30), 0\"}");
  freed = get (f, 49);
  for (size_t i = 0; i < 400; i++)
    g_assert_cmpfloat (read_place (freed, 3 * i + 1), <, -1.5);
}

/* Drops that die where they fall, and are published there; a soft ball keeps points out. */
static void
test_hits (Fixture *f, gconstpointer data)
{
  size_t hits = 0, died = 0;

  (void) data;
  add_gravity (f, "[0, -9.81, 0]");
  set (f, "ground", "true");
  set (f, "births", "'once'");
  set (f, "event_count", "100");
  set (f, "shape", "'box'");
  set (f, "size", "[4, 2, 4]");
  set (f, "position", "[0, 2, 0]");
  set (f, "on_hit", "'die'");
  set (f, "report_hits", "true");
  for (int frame = 1; frame < 40; frame++) {
    g_autoptr (KgGeometry) touched = get_of (f, "particles.hits", frame), dead = get_of (f, "particles.died", frame);

    for (size_t i = 0; i < kg_geometry_get_n_points (touched); i++) {
      assert_near (read_place (touched, 3 * i + 1), 0, 1e-5);
      assert_near (read_float (touched, "N", 3, 3 * i + 1), 1, 1e-6);
      g_assert_cmpfloat (read_float (touched, "v", 3, 3 * i + 1), <, -1);
    }
    hits += kg_geometry_get_n_points (touched);
    died += kg_geometry_get_n_points (dead);
  }
  g_assert_cmpuint (hits, ==, 100);
  g_assert_cmpuint (died, ==, 100);
}

static void
test_field_collider (Fixture *f, gconstpointer data)
{
  (void) data;
  node_test_add (&f->test, "field/formula", "ball", "formula", "\"1.5 - length(p)\"", NULL);
  add_gravity (f, "[0, -9.81, 0]");
  set (f, "collider_fields", "[{'link': 'ball.field'}]");
  set (f, "births", "'once'");
  set (f, "event_count", "500");
  set (f, "shape", "'box'");
  set (f, "size", "[3, 3, 3]");
  set (f, "position", "[0, 1, 0]");
  for (int frame = 2; frame < 60; frame += 3) {
    g_autoptr (KgGeometry) geometry = get (f, frame);

    for (size_t i = 0; i < 500; i++) {
      const KgVector x =
          kg_vector (read_place (geometry, 3 * i), read_place (geometry, 3 * i + 1), read_place (geometry, 3 * i + 2));

      g_assert_cmpfloat (kg_vector_length (x), >=, 1 - 1e-4);
    }
  }
}

/* A critically damped spring: (1 + ω t) e^-ωt of the way is left. */
static void
test_goal (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) geometry = NULL;

  (void) data;
  node_test_add (&f->test, "geometry/line", "line", "points", "2", "start", "[1, 0, 0]", "end", "[1, 0, 0]", NULL);
  set (f, "births", "'once'");
  set (f, "event_count", "2");
  set (f, "goal", "{'link': 'line.geometry'}");
  set (f, "goal_strength", "4");
  set (f, "integrator", "'rk4'");
  set (f, "substeps", "4");
  geometry = get (f, 13);
  assert_near (1 - read_place (geometry, 0), 0.4060058, 1e-6);
}

/* A full house: either no more are born, or the oldest make room; numbers rise from point to point. */
static void
test_full (Fixture *f, gconstpointer data)
{
  (void) data;
  set (f, "rate", "2400");
  set (f, "limit", "250");
  for (int k = 0; k < 2; k++) {
    g_autoptr (KgGeometry) geometry = NULL;
    const int32_t *id;

    set (f, "full", k == 0 ? "'drop'" : "'replace'");
    geometry = get (f, 8);
    id = kg_geometry_get_int (geometry, KG_POINTS, "id", 1);
    g_assert_cmpuint (kg_geometry_get_n_points (geometry), ==, 250);
    for (size_t i = 1; i < 250; i++)
      g_assert_cmpint (id[i], >, id[i - 1]);
    g_assert_cmpint (id[249], ==, k == 0 ? 249 : 699);
    g_assert_cmpuint (count (f, "particles.died", 8), ==, k == 0 ? 0 : 100);
  }
}

/* A surface that moves 24 m/s: born along its way, with its speed. */
static void
test_follow (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) geometry = NULL;
  double low = INFINITY, high = -INFINITY;

  (void) data;
  add_floor (f, "{\"expr\": \"0, 24*t, 0\"}");
  set (f, "colliders", "[]");
  set (f, "shape", "'surface'");
  set (f, "emitter", "{'link': 'floor.transformed'}");
  set (f, "rate", "24000");
  set (f, "follow", "true");
  geometry = get (f, 2);
  for (size_t i = 0; i < 1000; i++) {
    low = fmin (low, read_place (geometry, 3 * i + 1));
    high = fmax (high, read_place (geometry, 3 * i + 1));
  }
  assert_near (low, 0, 0.01);
  assert_near (high, 1, 0.01);
  set (f, "inherit", "1");
  kg_geometry_unref (geometry);
  geometry = get (f, 2);
  assert_near (read_float (geometry, "v", 3, 1), 24, 1e-4);
}

/* 55-03: each simplification holds unless it is switched off: particles pass through each other, and their way is the one that
 * each goes alone. */
static void
test_assumptions (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) together = NULL, touched = NULL;

  (void) data;
  node_test_add (&f->test, "geometry/line", "line", "points", "2", "start", "[-1, 0, 0]", "end", "[1, 0, 0]", NULL);
  node_test_add (&f->test, "field/formula", "push", "formula", "\"[-p.x, 0, 0]\"", NULL);
  node_test_add (&f->test, "geometry/attribute", "moving", "geometry", "{\"link\": \"line.geometry\"}", "name", "\"v\"",
                 "kind", "\"field\"", "field", "{\"link\": \"push.field\"}", NULL);
  start_on (f, "moving.set");
  set (f, "inherit", "1");
  set (f, "particle_size", "0.5");
  together = get (f, 49);
  assert_near (read_place (together, 0), 1, 1e-6);
  assert_near (read_place (together, 3), -1, 1e-6);
  set (f, "pairs", "'collide'");
  set (f, "pair_restitution", "1");
  touched = get (f, 49);
  g_assert_cmpfloat (read_place (touched, 0), <, 0);
  g_assert_cmpfloat (read_place (touched, 3), >, 0);
}

/* 55-04: who lives for n frames is seen in n of them; as many are alive as are born in a lifetime (Little's law). */
static void
test_life (Fixture *f, gconstpointer data)
{
  (void) data;
  set (f, "births", "'once'");
  set (f, "event_count", "7");
  for (int n = 1; n < 6; n++) {
    size_t seen = 0;

    node_test_set_number (&f->test, "particles", "lifetime", n / RATE - 1e-4);
    for (int frame = 1; frame < 12; frame++)
      seen += count (f, "particles.geometry", frame);
    g_assert_cmpuint (seen, ==, 7 * n);
  }
  set (f, "births", "'reeves'");
  set (f, "lifetime", "0.5");
  for (int frame = 20; frame < 60; frame += 7)
    assert_near ((double) count (f, "particles.geometry", frame), 12, 1);
  /* By chance: the standard deviation of 2500 is 50. */
  set (f, "births", "'poisson'");
  set (f, "rate", "1000");
  set (f, "lifetime", "2.5");
  assert_near ((double) count (f, "particles.geometry", 80), 2500, 250);
}

/* 55-07: speeds within their variance, directions evenly over the cap of a cone, places evenly in a ball and on a disc. */
static void
test_birth (Fixture *f, gconstpointer data)
{
  enum { N = 100000 };
  double sum = 0, cosine = 0, radius = 0, inner = 0;
  g_autoptr (KgGeometry) cone = NULL, ball = NULL, disc = NULL;

  (void) data;
  set (f, "births", "'once'");
  set (f, "event_count", "100000");
  set (f, "speed", "4");
  set (f, "speed_variance", "0.5");
  set (f, "direction", "[0, 1, 0]");
  set (f, "spread", "30");
  cone = get (f, 1);
  for (size_t i = 0; i < N; i++) {
    const double x = read_float (cone, "v", 3, 3 * i), y = read_float (cone, "v", 3, 3 * i + 1),
                 z = read_float (cone, "v", 3, 3 * i + 2), speed = sqrt (x * x + y * y + z * z);

    g_assert_true (speed >= 3.5 - 1e-5 && speed <= 4.5 + 1e-5);
    g_assert_cmpfloat (y / speed, >=, cos (KG_PI / 6) - 1e-5);
    sum += speed / N;
    cosine += y / speed / N;
  }
  assert_near (sum, 4, 0.005);
  assert_near (cosine, (1 + cos (KG_PI / 6)) / 2, 5e-4);
  set (f, "shape", "'sphere'");
  set (f, "size", "[2, 2, 2]");
  ball = get (f, 1);
  for (size_t i = 0; i < N; i++) {
    const double x = read_place (ball, 3 * i), y = read_place (ball, 3 * i + 1), z = read_place (ball, 3 * i + 2),
                 r = sqrt (x * x + y * y + z * z);

    radius += r / N;
    inner += r < 0.5 ? 1.0 / N : 0;
  }
  assert_near (radius, 0.75, 0.003);
  assert_near (inner, 0.125, 0.006);
  set (f, "shape", "'disc'");
  disc = get (f, 1);
  radius = inner = 0;
  for (size_t i = 0; i < N; i++) {
    const double r = hypot (read_place (disc, 3 * i), read_place (disc, 3 * i + 2));

    assert_near (read_place (disc, 3 * i + 1), 0, 1e-6);
    radius += r / N;
    inner += r < 0.5 ? 1.0 / N : 0;
  }
  assert_near (radius, 2.0 / 3, 0.003);
  assert_near (inner, 0.25, 0.008);
}

/* 55-15: the same state through any solver, each as near as its order says: on x" = -w^2 x over one turn, half the step has half
 * the error, a quarter, a sixteenth. */
static void
test_orders (Fixture *f, gconstpointer data)
{
  static const struct {
    const char *method;
    double ratio, slack;
    int substeps;
  } rows[] = { { "'explicit'", 2, 0.1, 40 }, { "'verlet'", 4, 0.1, 2 }, { "'rk4'", 16, 1.5, 1 } };

  (void) data;
  node_test_add (&f->test, "field/formula", "spring", "formula", "\"-a*p\"", "a", "39.47841760435743", NULL);
  set (f, "forces", "[{'link': 'spring.field'}]");
  set (f, "births", "'once'");
  set (f, "event_count", "1");
  set (f, "position", "[1, 0, 0]");
  for (guint k = 0; k < G_N_ELEMENTS (rows); k++) {
    double errors[2];

    set (f, "integrator", rows[k].method);
    for (int half = 0; half < 2; half++) {
      g_autoptr (KgGeometry) geometry = NULL;

      node_test_set_number (&f->test, "particles", "substeps", rows[k].substeps * (half + 1));
      geometry = get (f, 25);
      errors[half] = hypot (read_place (geometry, 0) - 1, read_float (geometry, "v", 3, 0) / (2 * KG_PI));
    }
    assert_near (errors[0] / errors[1], rows[k].ratio, rows[k].slack);
  }
}

/* 55-16: the listing, explicit Euler, gains exactly w^2 dt^2 of the energy in each step; the speed first, and it stays within 5 %. */
static void
test_listing (Fixture *f, gconstpointer data)
{
  const double w = 0.1 * RATE;

  (void) data;
  node_test_add (&f->test, "field/formula", "spring", "formula", "\"-a*p\"", NULL);
  node_test_set_number (&f->test, "spring", "a", w * w);
  set (f, "forces", "[{'link': 'spring.field'}]");
  set (f, "births", "'once'");
  set (f, "event_count", "1");
  set (f, "position", "[1, 0, 0]");
  for (int listing = 0; listing < 2; listing++) {
    set (f, "integrator", listing ? "'explicit'" : "'euler'");
    for (int frame = 2; frame < 100; frame += 7) {
      g_autoptr (KgGeometry) geometry = get (f, frame);
      const double x = read_place (geometry, 0), v = read_float (geometry, "v", 3, 0) / w, energy = x * x + v * v;

      if (listing)
        assert_near (energy / pow (1.01, frame - 1), 1, 1e-5);
      else
        /* Within 1/(1 ± w dt/2): what it keeps is this. */
        assert_near (energy - 0.1 * x * v, 1, 1e-5);
    }
  }
}

/* 55-17, 55-18: falling in drag by semi-implicit Euler, as the catalogue has it, and the approach to the velocity of a wind. */
static void
test_drag_and_wind (Fixture *f, gconstpointer data)
{
  static const int frames[] = { 2, 25, 49 };
  static const double falls[] = { 0.40875, 4.2972660, 4.8297012 };

  (void) data;
  set (f, "births", "'once'");
  set (f, "event_count", "1");
  add_gravity (f, "[0, -9.81, 0]");
  node_test_add (&f->test, "field/drag", "air", "linear", "2", NULL);
  set (f, "forces", "[{'link': 'gravity.field'}, {'link': 'air.field'}]");
  for (int k = 0; k < 3; k++) {
    g_autoptr (KgGeometry) geometry = get (f, frames[k]);

    assert_near (read_float (geometry, "v", 3, 1), -falls[k], 2e-6);
  }
  set (f, "integrator", "'rk4'");
  {
    g_autoptr (KgGeometry) geometry = get (f, 25);

    assert_near (read_float (geometry, "v", 3, 1), -4.2411804, 2e-5);
  }
  node_test_add (&f->test, "field/wind", "wind", "velocity", "[3, 0, -1]", "gusts", "0", "hold", "1.5", NULL);
  set (f, "forces", "[{'link': 'wind.field'}]");
  for (int k = 0; k < 3; k++) {
    g_autoptr (KgGeometry) geometry = get (f, frames[k]);
    const double share = 1 - exp (-1.5 * (frames[k] - 1) / RATE);

    assert_near (read_float (geometry, "v", 3, 0), 3 * share, 2e-5);
    assert_near (read_float (geometry, "v", 3, 2), -share, 2e-5);
  }
}

/* 55-20: the pull of a place by four laws, and of a surface: none on it, and a soft wall none above it. */
static void
test_elements (Fixture *f, gconstpointer data)
{
  static const struct {
    const char *falloff;
    double at_2;
  } laws[] = { { "\"even\"", 6 }, { "\"inverse\"", 3 }, { "\"inverse-square\"", 1.5 }, { "\"spring\"", 12 } };
  float place[3] = { 0, 2, 0 }, a[3];

  (void) data;
  node_test_add (&f->test, "field/attract", "point", "strength", "6", "softness", "0", NULL);
  for (guint k = 0; k < G_N_ELEMENTS (laws); k++) {
    g_auto (KgValue) field = KG_VALUE_INIT;

    node_test_set (&f->test, "point", "falloff", laws[k].falloff);
    field = node_test_get (&f->test, "point.field", 0);
    kg_field_sample_points (field.field, place, 1, 0, a);
    assert_near ((double) a[1], -laws[k].at_2, 1e-5);
    assert_near (hypot ((double) a[0], (double) a[2]), 0, 1e-6);
  }
  node_test_add (&f->test, "geometry/grid", "floor", "size", "[8, 8, 0]", "plane", "\"zx\"", NULL);
  node_test_add (&f->test, "field/spring", "wall", "surface", "{\"link\": \"floor.geometry\"}", "stiffness", "40",
                 "length", "0.5", "acts", "\"pushes\"", NULL);
  for (int k = 0; k < 4; k++) {
    const double height = 0.2 * k + 0.1;
    g_auto (KgValue) field = node_test_get (&f->test, "wall.field", 0);

    place[1] = (float) height;
    kg_field_sample_points (field.field, place, 1, 0, a);
    assert_near ((double) a[1], 40 * fmax (0, 0.5 - height), 1e-4);
  }
  node_test_set (&f->test, "wall", "length", "0");
  node_test_set (&f->test, "wall", "acts", "\"both\"");
  {
    g_auto (KgValue) field = node_test_get (&f->test, "wall.field", 0);

    place[1] = 0;
    kg_field_sample_points (field.field, place, 1, 0, a);
    assert_near ((double) a[1], 0, 1e-6);
    place[1] = -0.25f;
    kg_field_sample_points (field.field, place, 1, 0, a);
    assert_near ((double) a[1], 10, 1e-4);
  }
}

/* 55-17: resistance that would stop a particle within less than a step: v = u + (v0 - u) e^-ct, and the place after it, in
 * every frame and by every method but explicit Euler; with the air's velocity, gravity, and over the mass. */
static void
test_stiff_drag (Fixture *f, gconstpointer data)
{
  static const char *const methods[] = { "'euler'", "'rk4'", "'average'", "'verlet'" };
  static const double rates[] = { 30, 200, 1000 };

  (void) data;
  set (f, "births", "'once'");
  set (f, "event_count", "3");
  set (f, "speed", "20");
  set (f, "direction", "[1, 0, 0]");
  set (f, "mass", "2");
  add_gravity (f, "[0, -9.81, 0]");
  node_test_add (&f->test, "field/drag", "air", "wind", "[0, 0, 3]", NULL);
  set (f, "forces", "[{'link': 'gravity.field'}, {'link': 'air.field'}]");
  for (int weighed = 0; weighed < 2; weighed++)
    for (guint m = 0; m < G_N_ELEMENTS (methods); m++)
      for (guint r = 0; r < G_N_ELEMENTS (rates); r++) {
        const double c = weighed ? rates[r] / 2 : rates[r], g = weighed ? 9.81 / 2 : 9.81;

        if (c <= RATE)
          continue;
        set (f, "weigh", weighed ? "true" : "false");
        set (f, "integrator", methods[m]);
        node_test_set_number (&f->test, "air", "linear", rates[r]);
        for (int frame = 2; frame < 50; frame += frame < 6 ? 1 : 11) {
          g_autoptr (KgGeometry) geometry = get (f, frame);
          const double t = (frame - 1) / RATE, left = exp (-c * t), gone = (1 - left) / c, fall = -g / c;

          assert_near (read_float (geometry, "v", 3, 0), 20 * left, 2e-5);
          assert_near (read_float (geometry, "v", 3, 1), fall * (1 - left), 2e-5);
          assert_near (read_float (geometry, "v", 3, 2), 3 * (1 - left), 2e-5);
          assert_near (read_place (geometry, 0), 20 * gone, 3e-5);
          assert_near (read_place (geometry, 1), fall * (t - gone), 3e-5);
          assert_near (read_place (geometry, 2), 3 * (t - gone), 3e-5);
        }
      }
  /* With the square of the speed: from 1000 m/s to the speed of falling, without turning round. */
  set (f, "weigh", "false");
  set (f, "speed", "1000");
  set (f, "direction", "[0, -1, 0]");
  node_test_set (&f->test, "air", "linear", "0");
  node_test_set (&f->test, "air", "quadratic", "50");
  node_test_set (&f->test, "air", "wind", "[0, 0, 0]");
  for (guint m = 0; m < G_N_ELEMENTS (methods); m++) {
    double last = 0;

    set (f, "integrator", methods[m]);
    /* v0 / (1 + q v0 t) without gravity: 0.48 m/s after the first frame. */
    for (int frame = 2; frame < 60; frame++) {
      g_autoptr (KgGeometry) geometry = get (f, frame);

      last = read_float (geometry, "v", 3, 1);
      g_assert_cmpfloat (last, >, -0.5);
      g_assert_cmpfloat (last, <, 0);
    }
    assert_near (last, -sqrt (9.81 / 50), 1e-4);
  }
  /* A formula resists, too. */
  set (f, "speed", "20");
  node_test_add (&f->test, "field/formula", "resist", "formula", "\"-80*v\"", NULL);
  set (f, "forces", "[{'link': 'resist.field'}]");
  {
    g_autoptr (KgGeometry) geometry = get (f, 3);

    assert_near (read_float (geometry, "v", 3, 1), -20 * exp (-80 * 2 / RATE), 2e-5);
  }
}

/* What is hostile ends in points that are finite, or in an error: all at one place, no collider left, a spring too stiff. */
static void
test_hostile (Fixture *f, gconstpointer data)
{
  static const char *const pairs[] = {
    "'spring'", "'nearest'", "'repel'", "'law'", "'gravity'", "'collide'", "'links'"
  };

  (void) data;
  /* Too many at one place for pairs. */
  set (f, "births", "'once'");
  set (f, "event_count", "20000");
  set (f, "pairs", "'collide'");
  node_test_fails_saying (&f->test, "particles.geometry", 0.5, "neighbours: use a smaller radius");
  add_floor (f, "[0, -1, 0]");
  node_test_set (&f->test, "grid", "columns", "{\"expr\": \"2 + mod(frame, 3)\"}");
  set (f, "births", "'once'");
  set (f, "event_count", "300");
  set (f, "ground", "true");
  set (f, "on_hit", "'stick'");
  for (guint k = 0; k < G_N_ELEMENTS (pairs); k++) {
    g_autoptr (KgGeometry) geometry = NULL;

    set (f, "pairs", pairs[k]);
    geometry = get (f, 6);
    g_assert_true (kg_geometry_check_finite (geometry, NULL));
    g_assert_cmpuint (kg_geometry_get_n_points (geometry), ==, 300);
  }
  set (f, "pairs", "'spring'");
  set (f, "pair_stiffness", "1e9");
  node_test_fails_saying (&f->test, "particles.geometry", 0.5, "substeps");
}

/* Twice as long as wide: 1.5874011 and 0.7937005; four times, the most: 2.5198421 and 0.6299605.  The volume stays. */
static void
test_stretch (Fixture *f, gconstpointer data)
{
  static const double speeds[] = { 0, 10, 300 }, along[] = { 1, 1.5874011, 2.5198421 },
                      across[] = { 1, 0.7937005, 0.6299605 };

  (void) data;
  set (f, "births", "'once'");
  set (f, "event_count", "1");
  set (f, "direction", "[1, 0, 0]");
  node_test_add (&f->test, "geometry/stretch_to_velocity", "long", "points", "{\"link\": \"particles.geometry\"}",
                 NULL);
  for (guint k = 0; k < 3; k++) {
    g_autofree char *speed = g_strdup_printf ("%g", speeds[k]);
    g_autoptr (KgGeometry) geometry = NULL;
    KgVector z;

    set (f, "speed", speed);
    geometry = get_of (f, "long.stretched", 3);
    assert_near (read_float (geometry, "scale", 3, 2), along[k], 1e-6);
    assert_near (read_float (geometry, "scale", 3, 0), across[k], 1e-6);
    assert_near (read_float (geometry, "scale", 3, 1), across[k], 1e-6);
    z = kg_rotation_apply ((KgRotation){ read_float (geometry, "orient", 4, 0), read_float (geometry, "orient", 4, 1),
                                         read_float (geometry, "orient", 4, 2), read_float (geometry, "orient", 4, 3) },
                           kg_vector (0, 0, 1));
    assert_near (k == 0 ? z.z : z.x, 1, 1e-6);
  }
}

/* Each line is the parabola of its particle, and as many as live. */
static void
test_lives (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) trail = NULL, now = NULL;

  (void) data;
  add_gravity (f, "[0, -2, 0]");
  set (f, "integrator", "'average'");
  set (f, "speed", "3");
  set (f, "rate", "48");
  set (f, "lifetime", "0.5");
  node_test_add (&f->test, "geometry/trail", "trail", "geometry", "{\"link\": \"particles.geometry\"}", "length", "40",
                 "mode", "\"lives\"", NULL);
  /* A path longer than the film so far begins at the birth, once. */
  set (f, "lifetime", "5");
  set (f, "births", "'once'");
  set (f, "event_count", "1");
  trail = get_of (f, "trail.trail", 9);
  g_assert_cmpuint (kg_geometry_get_n_points (trail), ==, 9);
  g_clear_pointer (&trail, kg_geometry_unref);
  set (f, "births", "'reeves'");
  set (f, "lifetime", "0.5");
  trail = get_of (f, "trail.trail", 30);
  now = get (f, 30);
  g_assert_cmpuint (kg_geometry_get_n_primitives (trail), ==, kg_geometry_get_n_points (now) - 2);
  for (size_t k = 0; k < kg_geometry_get_n_primitives (trail); k++) {
    const double age = read_float (now, "age", 1, k);
    KgPrimitive line;

    kg_geometry_get_primitive (trail, k, &line);
    for (uint32_t v = 0; v < line.n_vertices; v++) {
      const double then = age - v / RATE;

      assert_near (read_place (trail, 3 * (size_t) line.vertices[v] + 1), 3 * then - then * then, 1e-5);
    }
    assert_near (read_float (trail, "width", 1, line.vertices[0]), 0, 1e-9);
    assert_near (read_float (trail, "width", 1, line.vertices[line.n_vertices - 1]), read_float (now, "width", 1, k),
                 1e-6);
  }
}

/* Two lights on one place add up, in any order; a streak has as much light as its disc. */
static void
test_light (Fixture *f, gconstpointer data)
{
  double sums[2] = { 0, 0 };

  (void) data;
  set (f, "births", "'once'");
  set (f, "event_count", "2");
  set (f, "color", "[0.3, 0.2, 0, 1]");
  set (f, "particle_size", "1");
  node_test_add (&f->test, "render/draw", "picture", "geometries", "[{\"link\": \"particles.geometry\"}]", "blend",
                 "\"add\"", "width", "160", "height", "90", NULL);
  {
    g_auto (KgValue) image = node_test_get (&f->test, "picture.image", 0);
    const float *pixel = kg_image_get_pixels (image.image) + 4 * (45 * 160 + 80);

    assert_near ((double) pixel[0], 0.6, 1e-6);
    assert_near ((double) pixel[1], 0.4, 1e-6);
    assert_near ((double) pixel[2], 0, 1e-9);
  }
  set (f, "particle_size", "0.3");
  set (f, "speed", "10");
  set (f, "position", "[0, -0.6, 0]");
  for (int k = 0; k < 2; k++) {
    g_auto (KgValue) image = KG_VALUE_INIT;

    node_test_set (&f->test, "picture", "streak", k == 0 ? "0" : "2");
    image = node_test_get (&f->test, "picture.image", 2 / RATE);
    for (size_t i = 0; i < 160 * 90; i++)
      sums[k] += (double) kg_image_get_pixels (image.image)[4 * i];
  }
  g_assert_cmpfloat (sums[0], >, 10);
  assert_near (sums[1] / sums[0], 1, 0.02);
}

/* 55-13: a line behind each particle is its own way though others are born and die, and ends where it was born. */
static void
test_trail_lines (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) trail = NULL, now = NULL;
  size_t longer = 0;

  (void) data;
  set (f, "rate", "120");
  set (f, "births", "'poisson'");
  set (f, "speed", "2");
  set (f, "speed_variance", "1");
  set (f, "spread", "90");
  set (f, "lifetime", "0.4");
  set (f, "lifetime_variance", "0.3");
  node_test_add (&f->test, "geometry/sort", "mixed", "geometry", "{\"link\": \"particles.geometry\"}", "by",
                 "\"random\"", NULL);
  node_test_add (&f->test, "geometry/trail", "trail", "geometry", "{\"link\": \"mixed.sorted\"}", "length", "4", "mode",
                 "\"lines\"", NULL);
  for (int frame = 20; frame < 30; frame++) {
    size_t old = 0;

    g_clear_pointer (&trail, kg_geometry_unref);
    g_clear_pointer (&now, kg_geometry_unref);
    trail = get_of (f, "trail.trail", frame);
    now = get (f, frame);
    for (size_t k = 0; k < kg_geometry_get_n_points (now); k++)
      old += read_float (now, "age", 1, k) * RATE > 1;
    g_assert_cmpuint (kg_geometry_get_n_primitives (trail), ==, old);
    for (size_t k = 0; k < old; k++) {
      KgPrimitive line;

      kg_geometry_get_primitive (trail, k, &line);
      longer += line.n_vertices == 5;
      g_assert_cmpuint (line.n_vertices, >=, 2);
      for (uint32_t i = 1; i < line.n_vertices; i++) {
        const uint32_t a = line.vertices[i - 1], b = line.vertices[i];
        double way = 0;

        g_assert_cmpint (kg_geometry_get_int (trail, KG_POINTS, "id", 1)[a], ==,
                         kg_geometry_get_int (trail, KG_POINTS, "id", 1)[b]);
        /* Without forces each frame is as long as the speed says, and backwards. */
        for (size_t c = 0; c < 3; c++) {
          const double step = read_place (trail, 3 * a + c) - read_place (trail, 3 * b + c);

          assert_near (step, read_float (trail, "v", 3, 3 * a + c) / RATE, 1e-5);
          way += step * step;
        }
        g_assert_cmpfloat (way, >, 0);
      }
    }
  }
  g_assert_cmpuint (longer, >, 20);
}

static void
test_sort (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) sorted = NULL, reversed = NULL, shuffled = NULL;
  const int32_t *id;

  (void) data;
  set (f, "rate", "2400");
  set (f, "shape", "'box'");
  node_test_add (&f->test, "geometry/sort", "order", "geometry", "{\"link\": \"particles.geometry\"}", NULL);
  sorted = get_of (f, "order.sorted", 4);
  for (size_t i = 1; i < kg_geometry_get_n_points (sorted); i++)
    g_assert_cmpfloat (read_place (sorted, 3 * i + 2), >=, read_place (sorted, 3 * i - 1));
  node_test_set (&f->test, "order", "by", "\"random\"");
  shuffled = get_of (f, "order.sorted", 4);
  id = kg_geometry_get_int (shuffled, KG_POINTS, "id", 1);
  g_assert_false (id[0] == 0 && id[1] == 1 && id[2] == 2);
  node_test_set (&f->test, "order", "by", "\"attribute\"");
  node_test_set (&f->test, "order", "name", "\"id\"");
  node_test_set (&f->test, "order", "reverse", "true");
  reversed = get_of (f, "order.sorted", 4);
  id = kg_geometry_get_int (reversed, KG_POINTS, "id", 1);
  for (size_t i = 1; i < kg_geometry_get_n_points (reversed); i++)
    g_assert_cmpint (id[i], <, id[i - 1]);
  node_test_set (&f->test, "order", "name", "\"nothing\"");
  node_test_fails_saying (&f->test, "order.sorted", 0.1, "no attribute");
}

/* One point is a kernel with the integral 1, 315 / (64 π) in its middle; what it carries is found around it, and nothing beyond
 * the radius. */
static void
test_near (Fixture *f, gconstpointer data)
{
  static const float places[] = { 0, 0, 0, 0.5f, 0, 0, 2, 0, 0 };
  static const struct {
    const char *what, *name;
    double values[3];
  } expected[] = { { "\"density\"", "\"\"", { 315 / (64 * KG_PI), 315 / (64 * KG_PI) * 27 / 64, 0 } },
                   { "\"density\"", "\"mass\"", { 630 / (64 * KG_PI), 630 / (64 * KG_PI) * 27 / 64, 0 } },
                   { "\"distance\"", "\"\"", { 0, 0.5, 1 } },
                   { "\"nearest\"", "\"mass\"", { 2, 2, 0 } },
                   { "\"mean\"", "\"mass\"", { 2, 2, 0 } } };

  (void) data;
  set (f, "births", "'once'");
  set (f, "event_count", "1");
  set (f, "mass", "2");
  node_test_add (&f->test, "field/near", "near", "points", "{\"link\": \"particles.geometry\"}", "radius", "1", NULL);
  for (guint k = 0; k < G_N_ELEMENTS (expected); k++) {
    g_auto (KgValue) field = KG_VALUE_INIT;
    float values[3];

    node_test_set (&f->test, "near", "what", expected[k].what);
    node_test_set (&f->test, "near", "name", expected[k].name);
    field = node_test_get (&f->test, "near.field", 0);
    kg_field_sample_points (field.field, places, 3, 0, values);
    for (int i = 0; i < 3; i++)
      assert_near ((double) values[i], expected[k].values[i], 1e-6);
  }
  node_test_set (&f->test, "near", "name", "\"nothing\"");
  node_test_fails_saying (&f->test, "near.field", 0, "no attribute");
}

/* The same bits for any number of threads, with everything on. */
static void
test_sameness (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) one = NULL, many = NULL;
  const int threads = omp_get_max_threads ();

  (void) data;
  add_floor (f, "{\"expr\": \"0, sin(9*t), 0\"}");
  add_gravity (f, "[0, -3, 0]");
  set (f, "births", "'poisson'");
  set (f, "rate", "20000");
  set (f, "shape", "'box'");
  set (f, "size", "[6, 2, 6]");
  set (f, "speed", "2");
  set (f, "spread", "180");
  set (f, "pairs", "'repel'");
  set (f, "pair_reach", "0.2");
  set (f, "on_hit", "'stick'");
  set (f, "stick", "0.3");
  set (f, "report_hits", "true");
  omp_set_num_threads (1);
  one = get_of (f, "particles.geometry", 6);
  node_test_clear (&f->test);
  omp_set_num_threads (4);
  set_up (f, NULL);
  add_floor (f, "{\"expr\": \"0, sin(9*t), 0\"}");
  add_gravity (f, "[0, -3, 0]");
  set (f, "births", "'poisson'");
  set (f, "rate", "20000");
  set (f, "shape", "'box'");
  set (f, "size", "[6, 2, 6]");
  set (f, "speed", "2");
  set (f, "spread", "180");
  set (f, "pairs", "'repel'");
  set (f, "pair_reach", "0.2");
  set (f, "on_hit", "'stick'");
  set (f, "stick", "0.3");
  set (f, "report_hits", "true");
  many = get_of (f, "particles.geometry", 6);
  omp_set_num_threads (threads);
  g_assert_cmpuint (kg_geometry_get_n_points (one), >, 3000);
  g_assert_true (kg_geometry_equal (one, many));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, data, test) g_test_add ("/particle-system/" name, Fixture, data, set_up, test, tear_down)
  ADD ("55-03/assumptions", NULL, test_assumptions);
  ADD ("55-04/life", NULL, test_life);
  ADD ("55-07/birth", NULL, test_birth);
  ADD ("55-15/orders", NULL, test_orders);
  ADD ("55-16/listing", NULL, test_listing);
  ADD ("55-17-55-18/drag-and-wind", NULL, test_drag_and_wind);
  ADD ("55-20/elements", NULL, test_elements);
  ADD ("55-05/carry", NULL, test_carry);
  ADD ("55-05/distribution", NULL, test_distribution);
  ADD ("55-06/screen", NULL, test_screen);
  ADD ("55-08/deaths", NULL, test_deaths);
  ADD ("55-08/distance", NULL, test_distance);
  ADD ("55-09/integrators", NULL, test_integrators);
  ADD ("55-10/looks", NULL, test_looks);
  ADD ("55-21/spring", GINT_TO_POINTER (0), test_spring);
  ADD ("55-21/links", GINT_TO_POINTER (1), test_spring);
  ADD ("55-23/mesh", NULL, test_mesh_bounce);
  ADD ("55-23/lattice", GINT_TO_POINTER (0), test_mesh_lattice);
  ADD ("55-23/lattice-of-moving", GINT_TO_POINTER (1), test_mesh_lattice);
  ADD ("55-23/slope", NULL, test_slope);
  ADD ("55-23/fast", NULL, test_fast);
  ADD ("55-23/moving", NULL, test_moving_mesh);
  ADD ("55-23/stick", NULL, test_stick);
  ADD ("55-23/hits", NULL, test_hits);
  ADD ("55-23/field", NULL, test_field_collider);
  ADD ("55-24/collision", NULL, test_pair_collision);
  ADD ("AH-16/container", NULL, test_container);
  ADD ("AH-16/heap", GINT_TO_POINTER (1), test_heap);
  ADD ("AH-14/heap", GINT_TO_POINTER (0), test_heap);
  ADD ("55-25/full", NULL, test_full);
  ADD ("55-05/list", NULL, test_list);
  ADD ("55-26/each", NULL, test_each);
  ADD ("55-26/firework", NULL, test_firework);
  ADD ("55-26/follow", NULL, test_follow);
  ADD ("55-17/stiff-drag", NULL, test_stiff_drag);
  ADD ("55-32/goal", NULL, test_goal);
  ADD ("55-11/stretch", NULL, test_stretch);
  ADD ("55-12-55-13/light", NULL, test_light);
  ADD ("55-13/trail-lines", NULL, test_trail_lines);
  ADD ("55-28/lives", NULL, test_lives);
  ADD ("55-30/sort", NULL, test_sort);
  ADD ("55-32/near", NULL, test_near);
  ADD ("hostile", NULL, test_hostile);
  ADD ("sameness", NULL, test_sameness);
  return g_test_run ();
}
