/* tests/techniques/agents: steering, programs, plans, ways and the steps of a group of agents, against closed forms.
 * The numbers in names are those of the catalogue of techniques.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "geometry/shape_mesh.h"
#include "group/agent_view.h"
#include "group/agent_world.h"
#include "kg-floats.h"
#include "kg-random.h"

#include <omp.h>
#include <string.h>

/* 55-79 */
static void
test_steering (void)
{
  const KgVector o = { 0, 0, 0 }, target = { 10, 0, 0 }, v = { 0, 0, 3 };
  const SteeringLimits limits = { 0.125, 3, 0, 100, 100 };
  double x = 0;
  KgVector speed = { 3, 0, 0 };

  assert_near (steering_get_intercept (target, v, 5), 2.5, 1e-12);
  assert_vector_near (steering_pursue_point (o, target, v, 5), 10, 0, 7.5, 1e-12);
  assert_near (steering_get_intercept (target, kg_vector (9, 0, 0), 5), -1, 0);
  /* As fast as what comes towards one: half way. */
  assert_near (steering_get_intercept (target, kg_vector (-5, 0, 0), 5), 1, 1e-12);
  assert_near (kg_vector_length (steering_seek (target, target, 4)), 0, 0);
  assert_vector_near (steering_flee (o, target, 20, 2), -2, 0, 0, 1e-12);
  assert_near (kg_vector_length (steering_flee (o, target, 9, 2)), 0, 0);
  /* x'' τ + x' + x v / slow = 0 does not oscillate up to τ = slow / (4 v): it stops without overshoot. */
  for (int step = 0; step < 2000; step++) {
    const KgVector at = { x, 0, 0 };

    speed = steering_pilot (&limits, speed, kg_vector (1, 0, 0), steering_arrive (at, target, 1.5, 3), 0.01);
    x += 0.01 * speed.x;
    g_assert_cmpfloat (x, <=, 10 + 1e-6);
  }
  assert_near (x, 10, 0.01);
  assert_near (kg_vector_length (steering_slide (kg_vector (1, 0, -1), kg_vector (0, 0, 1))), 1, 1e-12);
  assert_near (kg_vector_length (steering_avoid (target, kg_vector (-5, 0, 0), 1, 1, kg_vector (0, 0, 1))), 0, 0);
  g_assert_cmpfloat (kg_vector_length (steering_avoid (target, kg_vector (-5, 0, 0), 1, 4, kg_vector (0, 0, 1))), >, 0);
}

/* 55-79: who circles something keeps the distance, however late the pilot is. */
static void
test_orbit (void)
{
  static const double speeds[] = { 1, 2, 3 }, responses[] = { 0.1, 0.5, 1 };

  for (size_t i = 0; i < G_N_ELEMENTS (speeds); i++)
    for (size_t k = 0; k < G_N_ELEMENTS (responses); k++) {
      const SteeringLimits limits = { responses[k], 10, 0, 100, 100 };
      const double dt = 1e-3;
      KgVector x = { 3, 0, 0 }, v = { 0, 0, -1 };

      for (int step = 0; step < 60000; step++) {
        v = steering_pilot (&limits, v, kg_vector_normalize_or (v, kg_vector (1, 0, 0)),
                            steering_orbit (x, kg_vector (0, 0, 0), 2, speeds[i], responses[k]), dt);
        x = kg_vector_add_scaled (x, dt, v);
      }
      assert_near (kg_vector_length (x), 2, 0.01);
    }
}

/* 55-66: the gap at which the acceleration is 0. */
static void
test_driver (void)
{
  const SteeringDriver driver = { 1.5, 3, 1.5, 2 };

  assert_near (steering_drive (&driver, 10, 15, 18.977314, 0), 0, 1e-6);
  assert_near (steering_drive (&driver, 0, 15, INFINITY, 0), 1.5, 1e-12);
  g_assert_cmpfloat (steering_drive (&driver, 10, 15, 0, 0), <, -1000);
}

static const char door[] = "trait at = 0\ntrait has = 0\ntrait open = 0\n"
                           "action goto_a needs at == 1 makes at = 0 do wait\n"
                           "action goto_b needs at == 0 or at == 2 makes at = 1 do wait\n"
                           "action goto_c needs at == 1 makes at = 2 do wait\n"
                           "action pick needs at == 1 and key_there makes has = 1 do wait\n"
                           "action unlock needs at == 2 and has makes open = 1 do wait\n"
                           "action go needs at == 2 and open makes at = 3 do wait\n";

static void
plan (const char *text, const char *goal, double key, size_t limit, AgentPlan *out)
{
  const char *const attributes[] = { "key_there", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (AgentProgram) program = agent_program_new (text, "", attributes, &error);
  g_autofree double *inputs = NULL;
  int index;

  g_assert_no_error (error);
  index = agent_program_add_expression (program, goal, &error);
  g_assert_no_error (error);
  inputs = g_new0 (double, agent_program_get_n_inputs (program));
  inputs[agent_program_get_first_attribute (program)] = key;
  g_assert_true (agent_program_plan (program, index, inputs, limit, out, NULL));
}

/* 55-77: key and door. */
static void
test_plan (void)
{
  const int expected[] = { 1, 3, 2, 4, 5 };
  static AgentPlan found;

  plan (door, "at == 3", 1, 10000, &found);
  g_assert_true (found.found);
  assert_near (found.cost, 5, 1e-12);
  g_assert_cmpuint (found.n, ==, 5);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpint (found.actions[i], ==, expected[i]);
  plan (door, "at == 3", 0, 10000, &found);
  g_assert_false (found.found);
  g_assert_false (found.limited);
  plan (door, "at == 0", 0, 10000, &found);
  g_assert_true (found.found);
  g_assert_cmpuint (found.n, ==, 0);
  /* What counts without end stops at the limit. */
  plan ("trait n = 0\naction more makes n = n + key_there do wait\n", "n < 0", 1, 500, &found);
  g_assert_false (found.found);
  g_assert_true (found.limited);
  g_assert_cmpuint (found.n_states, ==, 500);
  /* The cheaper one, though it is longer. */
  plan (
      "trait n = 0\naction jump makes n = 3 cost 5 do wait\naction walk needs n < 3 + key_there makes n = n + 1 do wait\n",
      "n == 3", 0, 500, &found);
  g_assert_cmpuint (found.n, ==, 3);
  assert_near (found.cost, 3, 1e-12);
}

static RouteGrid *
new_grid (int wall)
{
  g_autoptr (GError) error = NULL;
  RouteGrid *grid = route_grid_new (kg_vector (-0.5, 0, -0.5), kg_vector (9.5, 0, 9.5), 1, &error);

  g_assert_no_error (error);
  for (int row = 0; row < wall; row++)
    grid->blocked[row * 10 + 5] = 1;
  return grid;
}

static double
search (const RouteGrid *grid, bool heuristic, size_t *visited)
{
  g_auto (Route) route = { .found = false };

  g_assert_true (route_grid_search (grid, 0, 99, heuristic, &route, NULL));
  *visited = route.n_visited;
  return route.found ? route.cost : -1;
}

/* 55-78 */
static void
test_route (void)
{
  g_autoptr (RouteGrid) open = new_grid (0), wall = new_grid (9), shut = new_grid (10);
  g_autoptr (GError) error = NULL;
  g_autofree float *distances = NULL;
  const uint32_t goal = 99;
  g_auto (Route) route = { .found = false };
  g_autoptr (GArray) kept = NULL;
  size_t fast, slow;
  KgVector to;

  assert_near (search (open, true, &fast), 12.7279221, 1e-7);
  assert_near (search (open, false, &slow), 12.7279221, 1e-7);
  g_assert_cmpuint (fast, <, slow);
  assert_near (search (wall, true, &fast), 15.6568542, 1e-7);
  assert_near (search (wall, false, &slow), 15.6568542, 1e-7);
  wall->corners = true;
  assert_near (search (wall, true, &fast), 15.0710678, 1e-7);
  wall->corners = false;
  assert_near (search (shut, true, &fast), -1, 0);
  /* The distances of many are those of one. */
  distances = route_grid_get_distances (wall, &goal, 1, NULL);
  assert_near ((double) distances[0], 15.6568542, 1e-5);
  g_assert_true (route_grid_descend (wall, distances, kg_vector (0, 0, 0), &to));
  g_assert_true (route_grid_sees (wall, kg_vector (0, 0, 0), to));
  g_assert_false (route_grid_sees (wall, kg_vector (0, 0, 0), kg_vector (9, 0, 0)));
  /* Strings are pulled round the end of the wall. */
  g_assert_true (route_grid_search (wall, 0, 99, true, &route, NULL));
  kept = route_grid_pull (wall, route.cells);
  g_assert_cmpuint (kept->len, >=, 3);
  g_assert_cmpuint (kept->len, <=, 5);
  for (guint i = 1; i < kept->len; i++)
    g_assert_true (route_grid_sees (wall, route_grid_get_centre (wall, g_array_index (kept, uint32_t, i - 1)),
                                    route_grid_get_centre (wall, g_array_index (kept, uint32_t, i))));
  g_assert_null (route_grid_new (kg_vector (0, 0, 0), kg_vector (1e6, 0, 1e6), 0.1, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  g_assert_cmpint (route_grid_find_free (wall, kg_vector (5, 0, 0)), ==, 4);
  g_assert_cmpint (route_grid_find_free (wall, kg_vector (-1e9, 0, 1e9)), ==, 90);
}

/* Blocks some columns and rows of a grid of 80 by 80 cells. */
static void
block (RouteGrid *grid, guint left, guint right, guint low, guint high)
{
  for (guint row = low; row <= high; row++)
    for (guint column = left; column <= right; column++)
      grid->blocked[row * 80 + column] = 1;
}

/* The shortest path from the first to the second of some cells through the others: Floyd's algorithm over what sees each other. */
static double
get_shortest (const RouteGrid *grid, const uint32_t *cells, guint n)
{
  double d[16][16];

  for (guint i = 0; i < n; i++)
    for (guint j = 0; j < n; j++) {
      const KgVector a = route_grid_get_centre (grid, cells[i]), b = route_grid_get_centre (grid, cells[j]);

      d[i][j] = route_grid_sees (grid, a, b) ? kg_vector_distance (a, b) : INFINITY;
    }
  for (guint k = 0; k < n; k++)
    for (guint i = 0; i < n; i++)
      for (guint j = 0; j < n; j++)
        d[i][j] = fmin (d[i][j], d[i][k] + d[k][j]);
  return d[0][1];
}

/* The length of a pulled route, which sees from each of its cells to the next. */
static double
get_pulled (const RouteGrid *grid, uint32_t from, uint32_t to)
{
  g_auto (Route) route = { .found = false };
  g_autoptr (GArray) kept = NULL;
  double length = 0;

  g_assert_true (route_grid_search (grid, from, to, true, &route, NULL));
  g_assert_true (route.found);
  kept = route_grid_pull (grid, route.cells);
  g_assert_cmpuint (g_array_index (kept, uint32_t, 0), ==, from);
  g_assert_cmpuint (g_array_index (kept, uint32_t, kept->len - 1), ==, to);
  for (guint i = 1; i < kept->len; i++) {
    const KgVector a = route_grid_get_centre (grid, g_array_index (kept, uint32_t, i - 1)),
                   b = route_grid_get_centre (grid, g_array_index (kept, uint32_t, i));

    g_assert_true (route_grid_sees (grid, a, b));
    length += kg_vector_distance (a, b);
  }
  return length;
}

/* 55-78: round one rectangle, and between two, a taut string bends at their corners only: as long as the shortest path through
 * the cells at those corners, or a little shorter where it passes them nearer. */
static void
test_taut (void)
{
  for (guint walls = 1; walls <= 2; walls++) {
    g_autoptr (RouteGrid) grid = route_grid_new (kg_vector (0, 0, 0), kg_vector (20, 0, 20), 0.25, NULL);
    double sum = 0, exact = 0;

    block (grid, 24, 31, 0, 50);
    if (walls == 2)
      block (grid, 45, 52, 26, 79);
    for (guint a = 0; a < 80; a += 7)
      for (guint b = 0; b < 80; b += 6) {
        const uint32_t cells[] = { a * 80 + a % 20, b * 80 + 79 - b % 20, 51 * 80 + 23,
                                   51 * 80 + 32,    25 * 80 + 44,         25 * 80 + 53 };
        const double shortest = get_shortest (grid, cells, 2 + 2 * walls),
                     pulled = get_pulled (grid, cells[0], cells[1]);

        g_assert_cmpfloat (pulled, <=, shortest * 1.0015);
        g_assert_cmpfloat (pulled, >=, shortest - 0.25 * walls);
        sum += pulled;
        exact += shortest;
      }
    g_assert_cmpfloat (sum, <=, 1.0002 * exact);
  }
}

/* 55-78: steps that cut corners are pulled taut, too, and no bend comes twice: in all, routes are at most a thousandth longer than
 * those without such steps, whose legs may end anywhere. */
static void
test_taut_corners (void)
{
  double sums[2] = { 0, 0 };

  for (uint64_t seed = 0; seed < 40; seed++) {
    g_autoptr (RouteGrid) grid = route_grid_new (kg_vector (0, 0, 0), kg_vector (20, 0, 20), 0.25, NULL);

    for (guint k = 0; k < 40; k++) {
      const guint column = (guint) (76 * kg_random_uniform (seed, k, 0)),
                  row = (guint) (76 * kg_random_uniform (seed, k, 1));

      block (grid, column, column + (guint) (k % 4), row, row + 3 - (guint) (k % 4));
    }
    for (guint a = 0; a < 80; a += 11) {
      const size_t from = (size_t) route_grid_find_free (grid, route_grid_get_centre (grid, a * 80)),
                   to = (size_t) route_grid_find_free (grid, route_grid_get_centre (grid, (79 - a) * 80 + 79));
      double lengths[2] = { 0, 0 };

      for (guint corners = 0; corners < 2; corners++) {
        g_auto (Route) route = { .found = false };
        g_autoptr (GArray) kept = NULL;

        grid->corners = corners == 1;
        g_assert_true (route_grid_search (grid, from, to, true, &route, NULL));
        if (!route.found)
          continue;
        kept = route_grid_pull (grid, route.cells);
        for (guint i = 1; i < kept->len; i++) {
          const double leg = kg_vector_distance (route_grid_get_centre (grid, g_array_index (kept, uint32_t, i - 1)),
                                                 route_grid_get_centre (grid, g_array_index (kept, uint32_t, i)));

          g_assert_cmpfloat (leg, >, 0);
          lengths[corners] += leg;
        }
      }
      sums[0] += lengths[0];
      sums[1] += lengths[1];
    }
  }
  g_assert_cmpfloat (sums[1], <=, 1.001 * sums[0]);
}

/* The nearest free cell: straight, 5 cells away, and not across the corner of a ring before it, which is farther. */
static void
test_way_out (void)
{
  g_autoptr (RouteGrid) grid = route_grid_new (kg_vector (0, 0, 0), kg_vector (21, 0, 21), 1, NULL);
  const KgVector middle = { 10.5, 0, 10.5 };
  KgVector out;

  memset (grid->blocked, 1, 21 * 21);
  grid->blocked[14 * 21 + 14] = 0;
  grid->blocked[10 * 21 + 15] = 0;
  out = route_grid_get_centre (grid, (size_t) route_grid_find_free (grid, middle));
  assert_vector_near (out, 15.5, 0, 10.5, 1e-9);
  grid->blocked[14 * 21 + 14] = grid->blocked[10 * 21 + 15] = 1;
  g_assert_cmpint (route_grid_find_free (grid, middle), ==, -1);
}

/* What is pulled straight does not lead over ground that is too steep: round a hill, not through it. */
static void
test_route_over_hill (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (RouteGrid) grid = route_grid_new (kg_vector (0, 0, 0), kg_vector (40, 0, 40), 1, &error);
  g_auto (Route) route = { .found = false };
  g_autoptr (GArray) kept = NULL;

  g_assert_no_error (error);
  grid->height = g_new (float, 1600);
  grid->max_slope = 0.3;
  for (int k = 0; k < 1600; k++)
    grid->height[k] = (float) (4 * exp (-(pow (k % 40 - 20, 2) + pow (k / 40 - 20, 2)) / 18));
  g_assert_true (route_grid_search (grid, 20 * 40 + 2, 20 * 40 + 38, true, &route, NULL));
  g_assert_true (route.found);
  kept = route_grid_pull (grid, route.cells);
  g_assert_cmpuint (kept->len, >=, 4);
  g_assert_cmpuint (kept->len, <, route.cells->len);
  for (guint i = 1; i < kept->len; i++) {
    const KgVector from = route_grid_get_centre (grid, g_array_index (kept, uint32_t, i - 1)),
                   to = route_grid_get_centre (grid, g_array_index (kept, uint32_t, i));
    const double length = hypot (to.x - from.x, to.z - from.z), n = ceil (length);

    for (double k = 0; k < n; k++)
      g_assert_cmpfloat (fabs (route_grid_get_height (grid, kg_vector_lerp (from, to, (k + 1) / n)) -
                               route_grid_get_height (grid, kg_vector_lerp (from, to, k / n))),
                         <=, 0.3 * length / n + 1e-5);
  }
}

/* 55-74: two that exclude each other, and two that come to terms. */
static void
test_inhibition (void)
{
  const double a[] = { 0.8, 0.6 }, strong[] = { 0, 2, 2, 0 }, weak[] = { 0, 0.5, 0.5, 0 };
  double v[] = { 0.8, 0 };

  agent_inhibit (a, strong, 2, v);
  assert_near (v[0], 0.8, 1e-9);
  assert_near (v[1], 0, 1e-9);
  v[0] = 0;
  v[1] = 0.6;
  agent_inhibit (a, strong, 2, v);
  assert_near (v[0], 0, 1e-9);
  assert_near (v[1], 0.6, 1e-9);
  agent_inhibit (a, weak, 2, v);
  assert_near (v[0], 0.6666667, 1e-7);
  assert_near (v[1], 0.2666667, 1e-7);
}

/* A group that is stepped. */
typedef struct {
  AgentWorld world;
  AgentState state;
  AgentProgram *program;
  KgGeometry *agents, *things;
  TriangleMesh *wall;
  GError *warning, *error;
} Group;

static KgGeometry *
new_points (size_t n, const float *p, const char *kind)
{
  KgGeometry *geometry = kg_geometry_new ();

  g_assert_true (kg_geometry_set_n_points (geometry, n, NULL));
  if (n > 0)
    memcpy (kg_geometry_edit_positions (geometry), p, 3 * n * sizeof *p);
  for (size_t i = 0; kind != NULL && i < n; i++)
    kg_geometry_set_text (geometry, KG_POINTS, "kind", i, kind);
  return geometry;
}

static Group
group_new (const char *text, const char *orders, KgGeometry *agents, KgGeometry *things)
{
  g_autoptr (GError) error = NULL;
  Group group = { .agents = agents, .things = things };

  group.program = agent_program_new (text, orders, NULL, &error);
  g_assert_no_error (error);
  group.world = (AgentWorld){ .program = group.program,
                              .settings = { .limits = { 0.3, 3, 0, 8, 6.28 },
                                            .driver = { 1.5, 3, 1.5, 2 },
                                            .body_radius = 0.3,
                                            .reach = 0.2,
                                            .slow_radius = 1.5,
                                            .look_ahead = 1,
                                            .collide = true,
                                            .sense = SENSE_SIGHT,
                                            .sight_radius = 12,
                                            .sight_fov = 2 * KG_PI,
                                            .memory = 5,
                                            .memory_limit = 8,
                                            .hysteresis = 0.1,
                                            .stride = 1,
                                            .max_rules = 1000,
                                            .max_states = 10000,
                                            .autonomy = 1,
                                            .scent_size = { 4, 0, 4 },
                                            .scent_cell = 0.5 },
                              .agents = agents,
                              .things = things,
                              .frame = 1,
                              .dt = 1.0 / 24 };
  g_assert_true (agent_world_start (&group.world, &group.state, &error));
  g_assert_no_error (error);
  return group;
}

static bool
group_step (Group *group)
{
  group->world.time += group->world.dt;
  group->world.frame += 1;
  group->world.obstacles = group->wall;
  return agent_world_step (&group->world, &group->state, &group->warning, NULL, &group->error);
}

static void
group_clear (Group *group)
{
  kg_geometry_unref (group->state.agents);
  kg_geometry_unref (group->state.things);
  kg_geometry_unref (group->state.scents);
  kg_geometry_unref (group->state.rules);
  agent_program_free (group->program);
  kg_geometry_unref (group->agents);
  g_clear_pointer (&group->things, kg_geometry_unref);
  g_clear_pointer (&group->wall, triangle_mesh_free);
  g_clear_error (&group->warning);
  g_clear_error (&group->error);
}

static double
fact (const Group *group, const char *name, size_t i)
{
  return (double) kg_geometry_get_float (group->state.agents, KG_POINTS, name, 1)[i];
}

static int
number (const Group *group, const char *name, size_t i)
{
  return kg_geometry_get_int (group->state.agents, KG_POINTS, name, 1)[i];
}

static const char *
doing (const Group *group, size_t i)
{
  const int32_t b = kg_geometry_get_int (group->state.agents, KG_POINTS, "behaviours", 4)[4 * i];

  return b < 0 ? "" : g_array_index (group->program->behaviours, AgentBehaviour, b).name;
}

static const float one[] = { 0, 0, 0 };

/* 55-75: b, c, d in this order; a counter; contradictions; a loop. */
static void
test_rules (void)
{
  Group chain = group_new ("trait a = 1\nrule if a then b = 1\nrule if b then c = 1\nrule if c and a then d = 1\n", "",
                           new_points (1, one, NULL), NULL);
  Group count =
      group_new ("rule if x < 3 then x = x + 1\nrule if x == 99 then y = 1\n", "", new_points (1, one, NULL), NULL);
  Group fight =
      group_new ("trait a = 1\nrule if a then b = 1\nrule if a then b = 2\n", "", new_points (1, one, NULL), NULL);
  Group loop = group_new ("trait a = 1\nrule if a == 1 then a = 2\nrule if a == 2 then a = 1\n", "",
                          new_points (1, one, NULL), NULL);
  const int32_t *fired;

  g_assert_true (group_step (&chain));
  assert_near (fact (&chain, "b", 0) + fact (&chain, "c", 0) + fact (&chain, "d", 0), 3, 0);
  fired = kg_geometry_get_int (chain.state.agents, KG_POINTS, "fired", 16);
  g_assert_cmpint (fired[0], ==, 2);
  g_assert_cmpint (fired[1], ==, 3);
  g_assert_cmpint (fired[2], ==, 4);
  g_assert_cmpint (fired[3], ==, 0);
  g_assert_true (group_step (&count));
  assert_near (fact (&count, "x", 0), 3, 0);
  /* The second has never fired, and one sees it. */
  g_assert_cmpint (kg_geometry_get_int (count.state.rules, KG_POINTS, "fired", 1)[0], ==, 3);
  g_assert_cmpint (kg_geometry_get_int (count.state.rules, KG_POINTS, "fired", 1)[1], ==, 0);
  g_assert_true (group_step (&fight));
  assert_near (fact (&fight, "b", 0), 2, 0);
  g_assert_false (group_step (&loop));
  g_assert_error (loop.error, KG_ERROR, KG_ERROR_LIMIT);
  group_clear (&chain);
  group_clear (&count);
  group_clear (&fight);
  group_clear (&loop);
}

static int
get_fired (const Group *group, guint i)
{
  return kg_geometry_get_int (group->state.agents, KG_POINTS, "fired", 16)[16 * i];
}

/* 55-75: one rule a step.  Each that holds has its turn: once, until its condition has been false or a rule has changed what it
 * reads; and those that count without end take turns. */
static void
test_rules_once (void)
{
  Group starved =
      group_new ("trait a = 1\nrule if a then b = b + 1\nrule if a then c = c + 1\nrule if c and a then d = 1\n",
                 "at frame 8 agent 0 set a = 0\nat frame 12 agent 0 set a = 1\n", new_points (1, one, NULL), NULL);
  Group count =
      group_new ("rule if x < 3 then x = x + 1\nrule if x == 99 then y = 1\n", "", new_points (1, one, NULL), NULL);
  Group fair =
      group_new ("rule if x >= 0 then x = x + 1\nrule if y >= 0 then y = y + 1\nrule if z >= 0 then z = z + 1\n", "",
                 new_points (1, one, NULL), NULL);
  Group *const groups[] = { &starved, &count, &fair };

  for (guint k = 0; k < G_N_ELEMENTS (groups); k++)
    groups[k]->world.settings.rules_once = true;
  for (int step = 0; step < 5; step++) {
    static const int lines[] = { 2, 3, 4, 0, 0 };

    g_assert_true (group_step (&starved));
    g_assert_cmpint (get_fired (&starved, 0), ==, lines[step]);
  }
  assert_near (fact (&starved, "b", 0), 1, 0);
  assert_near (fact (&starved, "c", 0), 1, 0);
  assert_near (fact (&starved, "d", 0), 1, 0);
  /* Rules whose condition was false fire again. */
  for (int step = 5; step < 20; step++)
    g_assert_true (group_step (&starved));
  assert_near (fact (&starved, "b", 0), 2, 0);
  assert_near (fact (&starved, "c", 0), 2, 0);
  for (int step = 0; step < 6; step++) {
    g_assert_true (group_step (&count));
    assert_near (fact (&count, "x", 0), MIN (step + 1, 3), 0);
    g_assert_true (group_step (&fair));
    assert_near (fact (&fair, "x", 0) + fact (&fair, "y", 0) + fact (&fair, "z", 0), step + 1, 0);
  }
  assert_near (fact (&fair, "x", 0), 2, 0);
  assert_near (fact (&fair, "y", 0), 2, 0);
  assert_near (fact (&fair, "z", 0), 2, 0);
  for (guint k = 0; k < G_N_ELEMENTS (groups); k++)
    group_clear (groups[k]);
}

static void
assert_unknown (const char *text, const char *orders, const char *says)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (agent_program_new (text, orders, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_EXPRESSION);
  if (strstr (error->message, says) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, says);
}

/* 55-77: names that do not exist are answered with those that do. */
static void
test_unknown_names (void)
{
  static const char actions[] = "trait a = 0\naction graze needs a == 0 makes a = 1 do wait\n"
                                "action sleep needs a == 1 makes a = 0 do wait\n";

  assert_unknown ("behaviour b value 1 do fly\n", "", "no motor or action called fly: use a motor such as seek");
  assert_unknown (actions, "at frame 1 agent 0 do fly\n", "orders, line 1: there is no motor or action called fly");
  assert_unknown (actions, "at frame 1 agent 0 do fly\n", "(graze, sleep)");
  assert_unknown (actions, "at frame 1 agent 0 plan graze fly\n",
                  "no action called fly: declare it, or use one of graze, sleep");
  assert_unknown ("behaviour rest value 1 do wait\n", "at frame 1 agent 0 be resting\n",
                  "no behaviour called resting: declare it, or use one of rest");
  assert_unknown ("state calm to alarmed when time > 1\nstate alarm\n", "",
                  "no state called alarmed: declare it, or use one of calm, alarm");
}

/* 55-70: urges grow linearly, emotions fade whatever the step, actions satisfy. */
static void
test_urges (void)
{
  Group group =
      group_new ("urge hunger start 0.2 rate 0.02\nemotion fear start 1 decay 3\nurge thirst start 1 rate 0.05\n"
                 "behaviour drink when time < 3.01 do wait satisfies thirst 0.25\n",
                 "", new_points (1, one, NULL), NULL);

  for (int step = 0; step < 72; step++)
    g_assert_true (group_step (&group));
  assert_near (fact (&group, "fear", 0), 0.3678794, 1e-5);
  assert_near (fact (&group, "hunger", 0), 0.26, 1e-5);
  /* At 1 it cannot grow: the first step loses what it would have grown. */
  assert_near (fact (&group, "thirst", 0), 1 - 0.2 * 3, 0.05 / 24 + 1e-5);
  for (int step = 0; step < 27 * 24; step++)
    g_assert_true (group_step (&group));
  assert_near (fact (&group, "hunger", 0), 0.8, 1e-4);
  for (int step = 0; step < 20 * 24; step++)
    g_assert_true (group_step (&group));
  assert_near (fact (&group, "hunger", 0), 1, 0);
  group_clear (&group);
}

/* 55-71, 55-74: classes come before values; suggestions move nothing; who is active stays unless it is clear. */
static void
test_arbitration (void)
{
  Group group = group_new ("behaviour weak class imperative value 0.1 when time > 1 do wait\n"
                           "behaviour strong value 0.9 do wander\n",
                           "", new_points (1, one, NULL), NULL);
  Group style = group_new ("behaviour style class suggestion value 1 do wait with speed 5\n", "",
                           new_points (1, one, NULL), NULL);
  Group stay = group_new ("behaviour first value 0.5 do wait\n"
                          "behaviour second value time < 0.1 ? 0 : time < 0.99 ? 0.55 : 0.62 do wait\n",
                          "", new_points (1, one, NULL), NULL);

  g_assert_true (group_step (&group));
  g_assert_cmpstr (doing (&group, 0), ==, "strong");
  g_assert_true (group_step (&style));
  g_assert_cmpstr (doing (&style, 0), ==, "");
  assert_near (fact (&style, "speed", 0), 0, 0);
  for (int step = 0; step < 36; step++) {
    g_assert_true (group_step (&stay));
    g_assert_true (group_step (&group));
    g_assert_cmpstr (doing (&stay, 0), ==, stay.world.time < 0.99 ? "first" : "second");
  }
  g_assert_cmpstr (doing (&group, 0), ==, "weak");
  group_clear (&group);
  group_clear (&style);
  group_clear (&stay);
}

/* 55-76: two seconds in one state, one in the other. */
static void
test_states (void)
{
  Group group = group_new ("state A to B when 1 after 2\nstate B to A after 1\n", "", new_points (1, one, NULL), NULL);
  int in_a = 0;

  for (int step = 1; step <= 240; step++) {
    g_assert_true (group_step (&group));
    in_a += number (&group, "state", 0) == 0;
  }
  /* At 10 s: in A since 9 s. */
  g_assert_cmpint (number (&group, "state", 0), ==, 0);
  assert_near (in_a / 240.0, 2.0 / 3, 0.05);
  group_clear (&group);
}

/* 55-47, 55-48, 55-74: wishes of two sets, of 1 and 0.8 m/s at right angles, with values of 0.8 and 0.6. */
static void
test_negotiation (void)
{
  static const struct {
    AgentMerge merge;
    double x, z;
  } cases[] = {
    { AGENT_MERGES_SUM, 1 / 1.2806248, 0.8 / 1.2806248 },
    { AGENT_MERGES_AVERAGE, 0.8 / 1.4, 0.6 / 1.4 * 0.8 },
    { AGENT_MERGES_PRIORITY, 0.8, 0.2 * 0.8 },
    /* 0.5 m/s² in all, of which the first one asks for more. */
    { AGENT_MERGES_ACCELERATION, 0.5, 0 },
  };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    Group group = group_new ("behaviour a set move value 0.8 do seek (1000, 0, 0)\n"
                             "behaviour b set two value 0.6 do seek (0, 0, 1000) with speed 0.8\n"
                             "behaviour c set three value 0.9 when 0 do seek (-1000, 0, 0)\n"
                             "behaviour d set four value 0.1 do seek (-1000, 0, 1)\n",
                             "", new_points (1, one, NULL), NULL);

    group.world.settings.merge = cases[k].merge;
    group.world.settings.limits =
        (SteeringLimits){ .response = 1, .max_speed = 1, .max_acceleration = 0.5, .max_turn = 1e3 };
    group.world.settings.look_ahead = 0;
    g_assert_true (group_step (&group));
    {
      const float *v = kg_geometry_get_float (group.state.agents, KG_POINTS, "v", 3);
      const double length = hypot (cases[k].x, cases[k].z), a = fmin (0.5, length) / length * group.world.dt;

      assert_near ((double) v[0], a * cases[k].x, 1e-4);
      assert_near ((double) v[2], a * cases[k].z, 1e-4);
    }
    group_clear (&group);
  }
}

/* 55-65: a force moves who does nothing, and a mass resists; walkers do not fall. */
static void
test_forces (void)
{
  g_autoptr (KgField) wind = kg_field_new_constant_vector (kg_vector (2, -9, 0));
  Group group = group_new ("trait x = 1\n", "", new_points (1, one, NULL), NULL);
  const float *v;

  group.world.force = wind;
  for (int step = 0; step < 12; step++)
    g_assert_true (group_step (&group));
  v = kg_geometry_get_float (group.state.agents, KG_POINTS, "v", 3);
  assert_near ((double) v[0], 1, 1e-4);
  assert_near ((double) v[1], 0, 0);
  group_clear (&group);

  group = group_new ("trait x = 1\n", "", new_points (1, one, NULL), NULL);
  {
    KgGeometry *heavy = kg_geometry_ref (group.world.agents);

    kg_geometry_make_writable (&heavy);
    kg_geometry_edit_float (heavy, KG_POINTS, "mass", 1)[0] = 4;
    group.world.agents = heavy;
    group.world.force = wind;
    group.world.weigh = true;
    group.world.settings.movement = AGENT_FLIES;
    for (int step = 0; step < 12; step++)
      g_assert_true (group_step (&group));
    v = kg_geometry_get_float (group.state.agents, KG_POINTS, "v", 3);
    assert_near ((double) v[0], 0.25, 1e-4);
    assert_near ((double) v[1], -9 / 8.0, 1e-4);
    kg_geometry_unref (heavy);
  }
  group_clear (&group);
}

/* 55-76: states in states.  The outer transition goes first and leaves all that is within; who comes to the outer state begins in
 * the first one of it; what the outer one does holds where an inner one does nothing. */
static void
test_states_within (void)
{
  Group group = group_new ("state calm do wait to flee when time > 5.01\n"
                           "state calm.graze to calm.look after 1\n"
                           "state calm.look do wander to calm.graze after 0.5\n"
                           "state flee do seek (0, 0, 9) to calm after 2\n"
                           "rule if in(calm) then outer = 1\nrule if in(calm.look) then inner = 1\n"
                           "rule if not in(calm) then outer = 0\nrule if not in(calm.look) then inner = 0\n",
                           "", new_points (1, one, NULL), NULL);
  int in_look = 0;

  for (int step = 1; step <= 24 * 5; step++) {
    const double was = number (&group, "state", 0);

    g_assert_true (group_step (&group));
    /* Rules are told of the state before. */
    assert_near (fact (&group, "outer", 0), 1, 0);
    assert_near (fact (&group, "inner", 0), was == 2, 0);
    g_assert_cmpstr (doing (&group, 0), ==, number (&group, "state", 0) == 2 ? "calm.look" : "calm");
    in_look += number (&group, "state", 0) == 2;
  }
  /* A third of the time. */
  assert_near (in_look / 120.0, 1.0 / 3, 0.06);
  /* Times of 5 s and after: 2 s of flight, and calm from its beginning. */
  for (int step = 1; step <= 12; step++)
    g_assert_true (group_step (&group));
  g_assert_cmpstr (doing (&group, 0), ==, "flee");
  for (int step = 1; step <= 38; step++)
    g_assert_true (group_step (&group));
  g_assert_cmpint (number (&group, "state", 0), ==, 3);
  group_clear (&group);

  /* The time of an outer state goes on while inner ones change. */
  group = group_new ("state a to b after 2.2\nstate a.x to a.y after 0.5\nstate a.y to a.x after 0.5\nstate b\n", "",
                     new_points (1, one, NULL), NULL);
  for (int step = 1; step <= 52; step++) {
    g_assert_true (group_step (&group));
    g_assert_true ((number (&group, "state", 0) == 3) == (group.world.time > 2.19));
  }
  group_clear (&group);
}

/* 55-67, 55-68: behind a wall one knows and hears, but does not see. */
static void
test_senses (void)
{
  const float far[] = { 0, 0, 2 };
  const char text[] = "sense %s\nrule if sees(bell) then s = 1\nrule if hears(bell) then h = 1\n"
                      "rule if touches(bell) then t = 1\nrule if senses(bell) then n = count(bell)\n";
  const struct {
    const char *sense;
    double s, h, t, z;
  } cases[] = {
    { "all", 1, 0, 0, 2 },
    { "sight", 0, 0, 0, 2 },
    { "hearing threshold 1", 0, 1, 0, 2 },
    { "hearing threshold 1.01", 0, 0, 0, 2 },
    { "sight fov 90", 0, 0, 0, -1 },
    { "rendered", 0, 0, 0, 2 },
    { "rendered", 1, 0, 0, 0.9 },
    { "rendered fov 90", 0, 0, 0, -1 },
    { "rendered pixels 2049", 0, 0, 0, 0.9 },
    { "touch reach 0.2", 0, 0, 1, 0.49 },
    { "touch reach 0.2", 0, 0, 0, 0.51 },
  };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    g_autofree char *program = g_strdup_printf (text, cases[k].sense);
    KgGeometry *bell = new_points (1, far, "bell");
    const KgTransform place =
        kg_transform_from_parts (kg_vector (0, 0, 1), kg_rotation_identity (), kg_vector (4, 4, 0.1));
    g_autoptr (KgGeometry) box = shape_mesh_new_box (place);
    KgGeometry *agents = new_points (1, one, NULL);
    Group group;

    kg_geometry_edit_positions (bell)[2] = (float) cases[k].z;
    kg_geometry_edit_float (bell, KG_POINTS, "loudness", 1)[0] = 4;
    if (g_str_has_prefix (cases[k].sense, "rendered"))
      kg_geometry_edit_float (bell, KG_POINTS, "width", 1)[0] = 0.2f;
    kg_geometry_edit_float (agents, KG_POINTS, "N", 3)[2] = 1;
    group = group_new (program, "", agents, bell);
    group.wall = triangle_mesh_new (box, NULL, NULL);
    g_assert_true (group_step (&group));
    assert_near (fact (&group, "s", 0), cases[k].s, 0);
    assert_near (fact (&group, "h", 0), cases[k].h, 0);
    assert_near (fact (&group, "t", 0), cases[k].t, 0);
    assert_near (fact (&group, "n", 0), fmax (fmax (cases[k].s, cases[k].h), cases[k].t), 0);
    group_clear (&group);
  }
}

/* 55-68: what is seen late is where it was, between steps, too; before there is a past, where it began. */
static void
test_late_senses (void)
{
  Group group =
      group_new ("sense all delay 0.55\nrule if 1 then d = distance(ball)\nbehaviour b do seek nearest ball\n", "",
                 new_points (1, one, NULL), new_points (1, (const float[]){ 0, 7, 0 }, "ball"));
  const double dt = group.world.dt;
  KgGeometry *shown;

  for (int step = 1; step <= 48; step++) {
    const double seen = 2 * fmax (dt, step * dt - 0.55);

    kg_geometry_edit_positions (group.things)[0] = (float) (2 * step * dt);
    memset (kg_geometry_edit_positions (group.state.agents), 0, 3 * sizeof (float));
    g_assert_true (group_step (&group));
    assert_near (fact (&group, "d", 0), hypot (7, seen), 2e-5);
  }
  /* It goes there: to what it sees. */
  {
    const float *v = kg_geometry_get_float (group.state.agents, KG_POINTS, "v", 3);

    g_assert_cmpfloat (v[0], >, 0);
  }
  shown = agent_world_show (group.program, &group.state, group.agents);
  for (guint k = 0; k < kg_geometry_get_n_attributes (shown, KG_POINTS); k++) {
    KgAttribute attribute;

    kg_geometry_get_attribute (shown, KG_POINTS, k, &attribute);
    g_assert_false (g_str_has_prefix (attribute.name, "past_"));
  }
  /* No more is kept than is asked for. */
  g_assert_cmpuint (kg_geometry_get_n_attributes (group.state.agents, KG_POINTS), <,
                    kg_geometry_get_n_attributes (shown, KG_POINTS) + 3 * 15 + 3);
  kg_geometry_unref (shown);
  group_clear (&group);
}

/* 55-68: who looks five times a second knows in between what was there at the last look, and does not take what is gone. */
static void
test_rare_senses (void)
{
  Group group = group_new ("sense all rate 5\nrule if 1 then d = distance(ball), n = count(ball)\n", "",
                           new_points (1, one, NULL), new_points (1, (const float[]){ 0, 7, 0 }, "ball"));
  double before = -1;
  int looks = 0;

  for (int step = 1; step <= 1 + 48; step++) {
    kg_geometry_edit_positions (group.things)[0] = (float) step;
    g_assert_true (group_step (&group));
    if (fact (&group, "d", 0) != before) {
      before = fact (&group, "d", 0);
      assert_near (before, hypot (7, step), 1e-5);
      looks++;
    }
    assert_near (fact (&group, "n", 0), 1, 0);
  }
  g_assert_cmpint (looks, >=, 10);
  g_assert_cmpint (looks, <=, 11);
  group_clear (&group);
}

/* What is believed of a thing on a line, x = speed time, is where it was then; before the first step it is as in that. */
static void
place_thing (Group *group, double x)
{
  kg_geometry_edit_positions (group->things)[0] = (float) x;
  kg_geometry_edit_float (group->things, KG_POINTS, "v", 3)[0] = 2;
}

/* 55-68: agents look at times of their own, when time rate + u is whole; in between, and with a delay, too, they believe in what
 * was there at that look. */
static void
test_looks (void)
{
  static const float places[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };

  for (int k = 0; k < 3; k++) {
    const double delay = k == 0 ? 0 : k == 1 ? 0.25 : 0.2, rate = 5;
    g_autofree char *text = g_strdup_printf ("sense sight radius 100 fov 360 rate %g delay %g\n"
                                             "rule if 1 then mine = u, d = distance(ball), n = count(ball)\n",
                                             rate, delay);
    Group group = group_new (text, "", new_points (4, places, NULL), new_points (1, one, "ball"));
    const double dt = group.world.dt;
    int changes[4] = { 0 }, together = 0;
    double before[4] = { -1, -1, -1, -1 };

    group.world.settings.collide = false;
    group.world.settings.look_ahead = 0;
    for (int step = 1; step <= 96; step++) {
      int now = 0;

      place_thing (&group, 2 * step * dt);
      memset (kg_geometry_edit_positions (group.state.agents), 0, sizeof places);
      g_assert_true (group_step (&group));
      for (size_t i = 0; i < 4; i++) {
        const double u = fact (&group, "mine", i), tick = (floor (step * dt * rate + u + 1e-6) - u) / rate,
                     look = fmax (ceil (tick / dt - 1e-4), 1) * dt, seen = fmax (look - delay, dt);

        assert_near (fact (&group, "d", i), 2 * seen, 2e-5);
        assert_near (fact (&group, "n", i), 1, 0);
        if (fact (&group, "d", i) > before[i] + 1e-4) {
          changes[i]++;
          now++;
        }
        before[i] = fact (&group, "d", i);
      }
      together += step > 12 && now == 4;
    }
    /* So many times a second, but not all at once. */
    for (size_t i = 0; i < 4; i++) {
      g_assert_cmpint (changes[i], >=, 18);
      g_assert_cmpint (changes[i], <=, 21);
    }
    g_assert_cmpint (together, ==, 0);
    group_clear (&group);
  }
}

/* 55-68: of a thing that comes closer, x = 10 - 2 t, each sense knows as late as it is; where it is is known by the one that is the
 * least late. */
static void
test_each_sense_late (void)
{
  Group group = group_new ("sense sight radius 5.03 delay 0.25\nsense hearing threshold 1 delay 0.5\n"
                           "sense touch reach 0.23 delay 0.75\n"
                           "rule if 1 then s = sees(bell), h = hears(bell), t = touches(bell), d = distance(bell),"
                           " n = count(bell), b = bearing(bell)\n",
                           "", new_points (1, one, NULL), new_points (1, (const float[]){ 10, 0, 0 }, "bell"));
  const double dt = group.world.dt;

  group.world.settings.collide = false;
  group.world.settings.look_ahead = 0;
  kg_geometry_edit_float (group.things, KG_POINTS, "loudness", 1)[0] = 9.06f;
  for (int step = 1; step <= 24 * 6; step++) {
    const double t = step * dt;
    const bool sees = t - 0.25 > (10 - 5.03) / 2, hears = t - 0.5 > (10 - sqrt (9.06)) / 2,
               touches = t - 0.75 > (10 - 0.53) / 2 && t - 0.75 < (10 + 0.53) / 2;

    kg_geometry_edit_positions (group.things)[0] = (float) (10 - 2 * t);
    memset (kg_geometry_edit_positions (group.state.agents), 0, 3 * sizeof (float));
    g_assert_true (group_step (&group));
    assert_near (fact (&group, "s", 0), sees, 0);
    assert_near (fact (&group, "h", 0), hears, 0);
    assert_near (fact (&group, "t", 0), touches, 0);
    assert_near (fact (&group, "n", 0), sees, 0);
    if (sees)
      assert_near (fact (&group, "d", 0), fabs (10 - 2 * (t - 0.25)), 1e-4);
  }
  group_clear (&group);
  /* Only hearing is late: what is heard and out of sight is where it was. */
  group = group_new ("sense sight radius 1\nsense hearing threshold 0.0001 delay 0.5\n"
                     "rule if 1 then d = distance(bell)\n",
                     "", new_points (1, one, NULL), new_points (1, one, "bell"));
  group.world.settings.collide = false;
  group.world.settings.look_ahead = 0;
  for (int step = 1; step <= 48; step++) {
    const double t = step * dt;

    place_thing (&group, 2 * t);
    memset (kg_geometry_edit_positions (group.state.agents), 0, 3 * sizeof (float));
    g_assert_true (group_step (&group));
    assert_near (fact (&group, "d", 0), 2 * t <= 1 ? 2 * t : 2 * fmax (t - 0.5, dt), 1e-5);
  }
  group_clear (&group);
}

/* 55-68: who turns round sees what is there when it looks again, and with a delay what was there before it turned; where that is
 * from it follows at once. */
static void
test_turning (void)
{
  static const char *const senses[] = { "sight fov 90 rate 2", "sight fov 90 delay 0.5", "rendered fov 90 delay 0.5" };

  for (int k = 0; k < 3; k++) {
    g_autofree char *text =
        g_strdup_printf ("sense %s\nrule if 1 then s = sees(ball), mine = u, b = bearing(ball)\n", senses[k]);
    Group group = group_new (text, "", new_points (1, one, NULL), new_points (1, (const float[]){ 0, 0, 5 }, "ball"));
    const double dt = group.world.dt;
    double told = -1;

    kg_geometry_edit_float (group.things, KG_POINTS, "width", 1)[0] = 0.5f;
    for (int step = 1; step <= 48; step++) {
      float *q = kg_geometry_edit_float (group.state.agents, KG_POINTS, "orient", 4);
      const double u = step > 1 ? fact (&group, "mine", 0) : 0, t = step * dt;
      /* Turned by a right angle from step 20 on. */
      const KgRotation turned = kg_rotation_from_axis_angle (kg_vector (0, 1, 0), step < 20 ? 0 : KG_PI / 2);
      double seen = t - 0.5;

      kg_floats_set_rotation (q, 0, turned);
      g_assert_true (group_step (&group));
      if (k == 0)
        seen = fmax (ceil ((floor (t * 2 + u + 1e-6) - u) / 2 / dt - 1e-4), 1) * dt;
      if (step == 1)
        continue;
      assert_near (fact (&group, "s", 0), seen < 20 * dt - 1e-6, 0);
      if (fact (&group, "s", 0) != 0)
        assert_near (fabs (fact (&group, "b", 0)), step < 20 ? 0 : 90, 1e-3);
      if (told < 0 && fact (&group, "s", 0) == 0)
        told = t;
    }
    g_assert_cmpfloat (told, >=, 20 * dt - 1e-6);
    g_assert_cmpfloat (told, <=, 20 * dt + 0.5 + 1e-6);
    group_clear (&group);
  }
}

/* 55-68: hands and feet go where a thing was at the last look, and errors of that place stay until the next. */
static void
test_rare_targets (void)
{
  Group group = group_new ("sense sight radius 50 fov 360 rate 1 noise 2\nrule if 1 then mine = u\n"
                           "behaviour b do look nearest ball\n",
                           "", new_points (1, one, NULL), new_points (1, (const float[]){ 0, 0, 6 }, "ball"));
  const double dt = group.world.dt;
  KgVector before = { 0, 0, 0 };
  int changes = 0;
  double cross = 0;

  for (int step = 1; step <= 96; step++) {
    const double t = step * dt;
    KgVector gaze;

    memset (kg_geometry_edit_positions (group.state.agents), 0, 3 * sizeof (float));
    g_assert_true (group_step (&group));
    gaze = kg_floats_get_vector (kg_geometry_get_float (group.state.agents, KG_POINTS, "gaze", 3), 0);
    if (kg_vector_distance (gaze, before) > 1e-6) {
      const double u = fact (&group, "mine", 0), tick = floor (t + u + 1e-6) - u;

      if (step > 1)
        assert_near (t, ceil (tick / dt - 1e-4) * dt, 1e-9);
      changes++;
    }
    cross = fmax (cross, hypot (gaze.x, gaze.y));
    before = gaze;
  }
  g_assert_cmpint (changes, ==, 5);
  g_assert_cmpfloat (cross, >, 0.01);
  group_clear (&group);
}

/* 55-68, 55-69: what is seen late is remembered with the time at which it was there; what moves on from there is where it is now. */
static void
test_late_memory (void)
{
  Group group = group_new ("sense sight fov 360 radius 50 * (time < 2.01) delay 0.5\nmemory 2 extrapolate 9\n"
                           "rule if 1 then r = remembers(ball), s = sees(ball)\nbehaviour b do look remembered ball\n",
                           "", new_points (1, one, NULL), new_points (1, one, "ball"));
  const double dt = group.world.dt;

  for (int step = 1; step <= 24 * 5; step++) {
    const double t = step * dt, last = fmin (t, 48 * dt) - 0.5; /* seen for the last time */

    place_thing (&group, 2 * t);
    kg_geometry_edit_positions (group.things)[2] = 4;
    memset (kg_geometry_edit_positions (group.state.agents), 0, 3 * sizeof (float));
    g_assert_true (group_step (&group));
    assert_near (fact (&group, "s", 0), step <= 48, 0);
    assert_near (fact (&group, "r", 0), t < last + 2 + 1e-6, 0);
    if (step > 14 && fact (&group, "r", 0) != 0) {
      const float *gaze = kg_geometry_get_float (group.state.agents, KG_POINTS, "gaze", 3);

      assert_near ((double) kg_geometry_get_float (group.state.agents, KG_POINTS, "memory_time", 16)[0], last, 1e-5);
      assert_near ((double) kg_geometry_get_float (group.state.agents, KG_POINTS, "memory_x", 16)[0], 2 * last, 1e-5);
      assert_near (2 * t / 4, (double) (gaze[0] / gaze[2]), 1e-4);
    }
  }
  group_clear (&group);
  /* Who sees later than it remembers remembers what it sees; that a place is empty it sees late, too, and forgets at once. */
  group = group_new ("sense sight fov 360 radius 50 delay 1\nmemory 0.5\n"
                     "rule if 1 then r = remembers(ball), s = sees(ball)\n",
                     "", new_points (1, one, NULL), new_points (1, (const float[]){ 2, 0, 0 }, "ball"));
  for (int step = 1; step <= 72; step++) {
    if (step == 36)
      kg_geometry_edit_positions (group.things)[0] = 500;
    g_assert_true (group_step (&group));
    assert_near (fact (&group, "s", 0), step < 60, 0);
    assert_near (fact (&group, "r", 0), step < 60, 0);
  }
  group_clear (&group);
}

/* 55-68: a smell that grows, as it was at that time. */
static void
test_late_smell (void)
{
  for (int k = 0; k < 2; k++) {
    Group group =
        group_new (k == 0 ? "scent trail decay 1e9\nsense smell delay 0.4\nrule if 1 then x = smell(trail)\n"
                          : "scent trail decay 1e9\nsense smell rate 4\nrule if 1 then x = smell(trail), mine = u\n",
                   "", new_points (1, one, NULL), NULL);
    const double dt = group.world.dt;

    for (int step = 1; step <= 60; step++) {
      const size_t n = kg_geometry_get_n_points (group.state.scents);
      float *trail = kg_geometry_edit_float (group.state.scents, KG_POINTS, "trail", 1);
      double then;

      for (size_t i = 0; i < n; i++)
        trail[i] = (float) (3 * step * dt);
      g_assert_true (group_step (&group));
      then = step * dt - 0.4;
      if (k == 1) {
        const double u = fact (&group, "mine", 0);

        then = ceil ((floor (4 * step * dt + u + 1e-6) - u) / 4 / dt - 1e-4) * dt;
      }
      assert_near (fact (&group, "x", 0), 3 * fmax (then, dt), 1e-4);
    }
    group_clear (&group);
  }
}

/* 55-68: each agent its own delay: rounded to steps where they differ. */
static void
test_own_delays (void)
{
  Group group = group_new ("sense all delay 0.1 + 0.2 * id\nrule if 1 then d = distance(ball)\n", "",
                           new_points (2, (const float[]){ 0, 0, 0, 0, 0, 0 }, NULL), new_points (1, one, "ball"));

  group.world.settings.collide = false;
  group.world.settings.look_ahead = 0;
  for (int step = 1; step <= 48; step++) {
    place_thing (&group, step);
    memset (kg_geometry_edit_positions (group.state.agents), 0, 6 * sizeof (float));
    g_assert_true (group_step (&group));
    /* 2.4 and 7.2 steps. */
    assert_near (fact (&group, "d", 0), MAX (step - 2, 1), 1e-5);
    assert_near (fact (&group, "d", 1), MAX (step - 7, 1), 1e-5);
  }
  group_clear (&group);
}

static void
run_chase (const char *text, int threads, int mirror, bool restart, bool collide, bool reverse, float *places)
{
  float p[3 * 300];
  Group group;

  for (size_t i = 0; i < 300; i++) {
    const size_t at = reverse ? 299 - i : i;

    p[3 * at] = (float) (mirror * 20 * (kg_random_uniform (3, i, 0) - 0.5));
    p[3 * at + 1] = 0;
    p[3 * at + 2] = (float) (20 * (kg_random_uniform (3, i, 1) - 0.5));
  }
  omp_set_num_threads (threads);
  group = group_new (text, "", new_points (300, p, NULL), new_points (1, one, "ball"));
  group.world.settings.collide = collide;
  group.world.settings.look_ahead = collide ? 1 : 0;
  for (size_t i = 0; i < 300; i++)
    kg_floats_set_rotation (kg_geometry_edit_float (group.state.agents, KG_POINTS, "orient", 4), i,
                            kg_rotation_identity ());
  for (int step = 1; step <= 60; step++) {
    place_thing (&group, mirror * 6 * sin (0.1 * step));
    kg_geometry_edit_float (group.things, KG_POINTS, "v", 3)[0] = 0;
    if (restart && step == 30) {
      /* All that there is of the past is in the state. */
      KgGeometry **states[] = { &group.state.agents, &group.state.things, &group.state.scents, &group.state.rules };

      for (guint k = 0; k < G_N_ELEMENTS (states); k++) {
        KgGeometry *old = kg_geometry_ref (*states[k]);

        kg_geometry_make_writable (states[k]);
        g_assert_true (old != *states[k]);
        kg_geometry_unref (old);
      }
    }
    g_assert_true (group_step (&group));
    g_assert_null (group.warning);
  }
  memcpy (places, kg_geometry_get_positions (group.state.agents), sizeof p);
  for (size_t i = 0; i < 3 * 300; i++)
    g_assert_true (isfinite (places[i]));
  group_clear (&group);
}

/* 55-68: without rate and delay all is as if they were not mentioned; with them, too, the bits do not depend on threads, and a
 * mirrored world is the mirror image. */
static void
test_timing_invariance (void)
{
  static const char plain[] =
      "sense sight radius 9 fov 220%s\nsense hearing threshold 0.01%s\nsense touch%s\nmemory 2\n"
      "rule if 1 then d = distance(ball), n = count(agent), h = hears(agent)\n"
      "behaviour a when sees(ball) do pursue nearest ball\n"
      "behaviour b value 0.2 do flee remembered agent\n";
  static const char *const none[] = { "", "", "" }, *const zero[] = { " rate 0 delay 0", " rate 0", " delay 0" },
                           *const some[] = { " rate 6 delay 0.2", " delay 0.11", " rate 9" };
  const char *const *const all[] = { none, zero, some };
  float places[3][900], other[900];

  for (int k = 0; k < 3; k++) {
    g_autofree char *text = g_strdup_printf (plain, all[k][0], all[k][1], all[k][2]);

    run_chase (text, 1, 1, false, true, false, places[k]);
    run_chase (text, 2, 1, k == 2, true, false, other);
    g_assert_cmpmem (places[k], sizeof places[k], other, sizeof other);
  }
  g_assert_cmpmem (places[0], sizeof places[0], places[1], sizeof places[1]);
  g_assert_true (memcmp (places[0], places[2], sizeof places[0]) != 0);
  for (int k = 0; k < 2; k++) {
    const char *text = k == 0 ? "sense sight radius 30 fov 359\nbehaviour a do seek nearest ball\n"
                              : "sense sight radius 30 fov 359 rate 6 delay 0.2\nbehaviour a do seek nearest ball\n";

    run_chase (text, 1, 1, false, false, false, places[0]);
    run_chase (text, 1, -1, false, false, false, other);
    for (size_t i = 0; i < 300; i++) {
      assert_near ((double) places[0][3 * i], -(double) other[3 * i], 1e-3);
      assert_near ((double) places[0][3 * i + 2], (double) other[3 * i + 2], 1e-3);
    }
  }
  /* Late as they are, it does not matter in which order they come. */
  run_chase ("sense sight radius 9 fov 220 delay 0.2\nsense hearing threshold 0.01 delay 0.11\n"
             "behaviour a when sees(ball) do pursue nearest ball\nbehaviour b value 0.2 do flee nearest agent\n",
             1, 1, false, false, false, places[0]);
  run_chase ("sense sight radius 9 fov 220 delay 0.2\nsense hearing threshold 0.01 delay 0.11\n"
             "behaviour a when sees(ball) do pursue nearest ball\nbehaviour b value 0.2 do flee nearest agent\n",
             2, 1, false, false, true, other);
  for (size_t i = 0; i < 300; i++)
    g_assert_cmpmem (places[0] + 3 * i, 12, other + 3 * (299 - i), 12);
}

/* 55-68: what cannot be is refused, or counts as 0, and says so. */
/* A fact cannot take the place of anything that the state keeps. */
static void
test_names_of_the_state (void)
{
  Group group = group_new ("urge fear\nsense sight delay 0.2\nmemory 5\nstate calm\nstate calm.graze\n"
                           "behaviour flee when sees(ball) do flee nearest ball\n",
                           "", new_points (1, one, NULL), new_points (1, (const float[]){ 0, 0, 3 }, "ball"));
  guint n = 0;

  for (int k = 0; k < 8; k++)
    g_assert_true (group_step (&group));
  for (guint i = 0; i < kg_geometry_get_n_attributes (group.state.agents, KG_POINTS); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *program = NULL;
    KgAttribute attribute, own;

    kg_geometry_get_attribute (group.state.agents, KG_POINTS, i, &attribute);
    if (g_str_equal (attribute.name, "fear") ||
        kg_geometry_find_attribute (group.agents, KG_POINTS, attribute.name, &own))
      continue;
    program = g_strdup_printf ("trait %s = 1\n", attribute.name);
    g_assert_null (agent_program_new (program, "", NULL, &error));
    g_assert_nonnull (strstr (error->message, "is an attribute that all agents have: choose another name"));
    n++;
  }
  g_assert_cmpuint (n, >, 20);
  {
    g_autoptr (GError) error = NULL;

    g_assert_null (agent_program_new ("scent P\n", "", NULL, &error));
    g_assert_nonnull (strstr (error->message, "P is the positions of the grid of scents"));
  }
  group_clear (&group);
}

static void
test_bad_timing (void)
{
  static const struct {
    const char *sense, *message;
  } cases[] = { { "sense sight delay 60", "1440 steps of 0.0416667 s: senses can be at most 1000 steps late" },
                { "sense hearing delay 1e300", "senses can be at most 1000 steps late" },
                { "sense sight delay 0 - 1", "\"0 - 1\" of a sense is -1 for agent 0, and counts as 0" },
                { "sense touch rate 0 - 2", "\"0 - 2\" of a sense is -2 for agent 0, and counts as 0" },
                { "sense sight rate 0 / 0", "\"0 / 0\" is not a finite number for agent 0, and counts as 0" },
                { "sense all delay 1 / 0", "\"1 / 0\" is not a finite number for agent 0, and counts as 0" } };
  g_autoptr (GError) error = NULL;

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    g_autofree char *text = g_strconcat (cases[k].sense, "\nrule if 1 then d = distance(ball)\n", NULL);
    Group group = group_new (text, "", new_points (1, one, NULL), new_points (1, (const float[]){ 0, 0, 3 }, "ball"));

    g_assert_true (group_step (&group) == (k >= 2));
    g_assert_nonnull (strstr ((k < 2 ? group.error : group.warning)->message, cases[k].message));
    g_assert_nonnull (strstr ((k < 2 ? group.error : group.warning)->message, "line 1"));
    if (k >= 2)
      assert_near (fact (&group, "d", 0), k == 3 ? 1e6 : 3, k == 3 ? 0 : 1e-6);
    group_clear (&group);
  }
  g_assert_null (agent_program_new ("sense smell noise 1", "", NULL, &error));
  g_assert_nonnull (strstr (error->message, "smell has no noise: use rate and delay"));
  g_clear_error (&error);
  g_assert_null (agent_program_new ("sense taste rate 1", "", NULL, &error));
  g_assert_nonnull (strstr (error->message, "unknown sense taste"));
  /* As rarely as every ten seconds, more is not kept; without agents and things there is nothing to keep. */
  {
    Group group = group_new ("sense all rate 0.01 delay 1\nrule if 1 then d = distance(ball)\n", "",
                             new_points (1, one, NULL), new_points (1, one, "ball"));
    Group nobody = group_new ("sense all rate 2 delay 1\nrule if 1 then d = distance(ball)\n", "",
                              new_points (0, NULL, NULL), NULL);

    for (int step = 1; step <= 400; step++) {
      place_thing (&group, step);
      memset (kg_geometry_edit_positions (group.state.agents), 0, 3 * sizeof (float));
      g_assert_true (group_step (&group));
      if (step < 4)
        g_assert_true (group_step (&nobody));
    }
    /* It looks again after 240 steps. */
    g_assert_cmpfloat (fact (&group, "d", 0), >=, 400 - 24 - 240);
    g_assert_cmpuint (kg_geometry_get_n_attributes (group.state.agents, KG_POINTS), <, 60 + 3 * (240 + 24 + 2));
    group_clear (&group);
    group_clear (&nobody);
  }
}

/* 55-68: a thing as large as a house is touched where it ends. */
static void
test_large_things (void)
{
  for (int k = 0; k < 2; k++) {
    Group group = group_new ("sense touch reach 0.2\nrule if touches(house) then t = 1\n", "",
                             new_points (1, one, NULL),
                             new_points (1, (const float[]){ k == 0 ? 30.4f : 30.6f, 0, 0 }, "house"));

    kg_geometry_edit_float (group.things, KG_POINTS, "width", 1)[0] = 60;
    g_assert_true (group_step (&group));
    assert_near (fact (&group, "t", 0), k == 0, 0);
    group_clear (&group);
  }
}

/* 55-72: hands reach for what is there, not for where it is remembered. */
static void
test_hands_in_the_void (void)
{
  Group group = group_new ("sense sight radius 10\nmemory 9\nbehaviour b do take remembered key\n", "",
                           new_points (1, one, NULL), new_points (1, (const float[]){ 0.3f, 0, 0 }, "key"));

  /* Seen from afar, it is out of sight when it is carried off. */
  kg_geometry_edit_positions (group.state.agents)[2] = -5;
  g_assert_true (group_step (&group));
  kg_geometry_edit_positions (group.things)[0] = 500;
  group.world.settings.sight_radius = 0;
  kg_geometry_edit_positions (group.state.agents)[2] = 0;
  g_assert_true (group_step (&group));
  g_assert_cmpint (number (&group, "holds", 0), ==, -1);
  group_clear (&group);
}

/* 55-72: activities with different limbs run at once; where they need the same, the later one waits. */
static void
test_limbs (void)
{
  static const struct {
    const char *text;
    bool takes, eats, walks;
  } cases[] = {
    { "behaviour a set one do take nearest key\nbehaviour b set two do eat nearest grass\n", true, false, false },
    { "behaviour a set one do eat nearest grass\nbehaviour b set two do take nearest key\n", false, true, false },
    { "behaviour a do seek (9, 0, 0)\nbehaviour b set two do eat nearest grass\n", false, true, true },
    /* Hands that have not reached anything are free. */
    { "behaviour a do seek nearest tree and take nearest tree\nbehaviour b set two do eat nearest grass\n", false, true,
      true },
    { "behaviour a set one uses mouth do wait\nbehaviour b set two uses mouth do eat nearest grass\n", false, false,
      false },
    { "behaviour a set one uses mouth do wait\nbehaviour b set two uses tail do eat nearest grass\n", false, true,
      false },
    { "action chew uses mouth do eat nearest grass\nbehaviour a set one uses mouth do wait\nbehaviour b set two do chew\n",
      false, false, false },
    { "behaviour a do seek (9, 0, 0)\nbehaviour b set two uses legs do eat nearest grass\n", false, false, true },
  };
  const float places[] = { 0.1f, 0, 0, 0, 0, 0.1f, 0, 0, 9 };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    KgGeometry *things = new_points (3, places, "key");
    Group group;

    kg_geometry_set_text (things, KG_POINTS, "kind", 1, "grass");
    kg_geometry_set_text (things, KG_POINTS, "kind", 2, "tree");
    group = group_new (cases[k].text, "", new_points (1, one, NULL), things);
    g_assert_true (group_step (&group));
    g_assert_cmpint (number (&group, "holds", 0), ==, cases[k].takes ? 0 : -1);
    g_assert_true ((kg_geometry_get_float (group.state.things, KG_POINTS, "amount", 1)[1] < 1) == cases[k].eats);
    g_assert_true ((kg_geometry_get_float (group.state.agents, KG_POINTS, "speed", 1)[0] > 0) == cases[k].walks);
    group_clear (&group);
  }
}

/* 55-72: a plan that takes too long, or whose condition of failure is true, gives way, and is made again after a while. */
static void
test_failing (void)
{
  static const char *const how[] = { "timeout 0.25", "fails tired" };

  for (guint k = 0; k < G_N_ELEMENTS (how); k++) {
    g_autofree char *text = g_strdup_printf ("trait has = 0\nreplan 0.5\nrule if doing(go) then tired = 1\n"
                                             "action fetch makes has = 1 %s do arrive nearest key\n"
                                             "behaviour go value 2 do plan has\nbehaviour rest do wait\n",
                                             how[k]);
    Group group = group_new (text, "", new_points (1, one, NULL), new_points (1, (const float[]){ 0, 0, 90 }, "key"));
    char seen[64] = "";

    for (int step = 0; step < 48; step++) {
      const char *now;

      g_assert_true (group_step (&group));
      now = doing (&group, 0);
      seen[step] = now[0];
    }
    /* Six steps (two: it is tired once it has begun) of trying, and then rest, until half a second is over. */
    g_assert_true (
        g_str_has_prefix (seen, k == 0 ? "ggggggrrrrrrrrrrrggggggrrrrrrrrrrrgggggg" : "ggrrrrrrrrrrrgrrrrrrrrrrrg"));
    g_assert_null (group.warning);
    group_clear (&group);
  }
}

/* 55-76: what a state sets is set when an agent goes to it, in order, once; also that of the states around it. */
static void
test_entering (void)
{
  Group group = group_new ("trait n = 0\nstate a to b when 1 after 0.5\n"
                           "state b enter n = n + 1, m = 10 * n to a when 1 after 0.5\n"
                           "state b.c enter inner = m + 1\n",
                           "", new_points (1, one, NULL), NULL);

  while (group.world.time < 0.45)
    g_assert_true (group_step (&group));
  assert_near (fact (&group, "n", 0), 0, 0);
  while (group.world.time < 3.25)
    g_assert_true (group_step (&group));
  assert_near (fact (&group, "n", 0), 3, 0);
  assert_near (fact (&group, "m", 0), 30, 0);
  assert_near (fact (&group, "inner", 0), 31, 0);
  group_clear (&group);
}

/* 55-68: pixels are the solid angle of a ball; a ball in front of another one hides it, a smaller one leaves a ring; what walls
 * hide is gone; the cone and the image agree for balls that nothing hides. */
static void
test_view (void)
{
  const KgRotation look = kg_rotation_from_axis_angle (kg_vector (0, 1, 0), 0.5 * KG_PI);
  const KgTransform place =
      kg_transform_from_parts (kg_vector (1.5, 0, 2), kg_rotation_identity (), kg_vector (0.1, 4, 4));
  g_autoptr (KgGeometry) box = shape_mesh_new_box (place);
  TriangleMesh *wall = triangle_mesh_new (box, NULL, NULL);
  AgentView *view = g_new (AgentView, 1);
  const double pixel = 90 * KG_DEGREE / AGENT_VIEW_WIDTH;
  guint ring, inner;

  /* Ahead is x. */
  agent_view_begin (view, kg_vector (0, 0, 0), look, 90 * KG_DEGREE);
  agent_view_add (view, 7, kg_vector (4, 0, 0), 1);
  assert_near ((double) agent_view_count (view, 7) * pixel * pixel, 2 * KG_PI * (1 - sqrt (1 - 1 / 16.0)), 0.02);
  g_assert_false (agent_view_is_open (view, kg_vector (4, 0, 0)));
  g_assert_true (agent_view_is_open (view, kg_vector (2, 0, 0)) && agent_view_is_open (view, kg_vector (4, 0, 2)));
  ring = agent_view_count (view, 7);
  agent_view_add (view, 3, kg_vector (2, 0, 0), 0.2);
  inner = agent_view_count (view, 3);
  g_assert_cmpuint (inner, >, 10);
  g_assert_cmpuint (agent_view_count (view, 7), ==, ring - inner);
  agent_view_add (view, 4, kg_vector (2, 0, 0), 1);
  g_assert_cmpuint (agent_view_count (view, 7), ==, 0);
  agent_view_add (view, 5, kg_vector (-3, 0, 0), 1);
  g_assert_cmpuint (agent_view_count (view, 5), ==, 0);

  /* Half of it behind a wall from z = 0 on. */
  agent_view_begin (view, kg_vector (0, 0, 0), look, 90 * KG_DEGREE);
  agent_view_add (view, 7, kg_vector (4, 0, 0), 1);
  agent_view_hide (view, wall);
  g_assert_cmpuint (2 * agent_view_count (view, 7), ==, ring);
  /* Inside: all of it. */
  agent_view_begin (view, kg_vector (0, 0, 0), look, 90 * KG_DEGREE);
  agent_view_add (view, 7, kg_vector (0.1, 0, 0), 1);
  g_assert_cmpuint (agent_view_count (view, 7), ==, AGENT_VIEW_PIXELS);

  for (int angle = -90; angle <= 90; angle += 5) {
    agent_view_begin (view, kg_vector (0, 0, 0), look, 90 * KG_DEGREE);
    agent_view_add (view, 7, kg_vector (4 * cos (angle * KG_DEGREE), 0, 4 * sin (angle * KG_DEGREE)), 0.2);
    /* But for the border, which is as wide as the ball. */
    if (abs (angle) != 45)
      g_assert_true ((agent_view_count (view, 7) > 0) == (abs (angle) < 45));
  }
  triangle_mesh_free (wall);
  g_free (view);
}

/* 55-69: seen at 3 s, remembered until 11; a place that is seen to be empty is forgotten; there is a limit. */
static void
test_memory (void)
{
  float many[3 * 40];
  Group group = group_new ("sense sight radius 10\nmemory 8\nrule if remembers(ball) then m = 1\n"
                           "rule if not remembers(ball) then m = 0\n",
                           "", new_points (1, one, NULL), new_points (1, (const float[]){ 0, 0, 5 }, "ball"));
  Group crowd;

  while (group.world.time < 3 - 1e-9)
    g_assert_true (group_step (&group));
  assert_near (fact (&group, "m", 0), 1, 0);
  /* The agent is carried away from it: it is out of sight. */
  kg_geometry_edit_positions (group.state.agents)[0] = 100;
  while (group.world.time < 11 - 1.5 / 24) {
    g_assert_true (group_step (&group));
    assert_near (fact (&group, "m", 0), 1, 0);
  }
  g_assert_true (group_step (&group));
  g_assert_true (group_step (&group));
  assert_near (fact (&group, "m", 0), 0, 0);
  kg_geometry_edit_positions (group.state.agents)[0] = 0;
  g_assert_true (group_step (&group));
  assert_near (fact (&group, "m", 0), 1, 0);
  /* It jumps away: its place is empty. */
  kg_geometry_edit_positions (group.things)[0] = 500;
  g_assert_true (group_step (&group));
  assert_near (fact (&group, "m", 0), 0, 0);
  group_clear (&group);
  for (int i = 0; i < 40; i++) {
    many[3 * i] = (float) cos (i);
    many[3 * i + 1] = 0;
    many[3 * i + 2] = 3 + (float) i * 0.1f;
  }
  crowd = group_new ("sense sight\nrule if remembers(ball) then m = 1\n", "", new_points (1, one, NULL),
                     new_points (40, many, "ball"));
  crowd.world.settings.memory_limit = 4;
  for (int step = 0; step < 5; step++) {
    const int32_t *of;
    int count = 0;

    g_assert_true (group_step (&crowd));
    of = kg_geometry_get_int (crowd.state.agents, KG_POINTS, "memory_of", 16);
    for (int k = 0; k < 16; k++)
      count += of[k] >= 0;
    g_assert_cmpint (count, ==, 4);
  }
  group_clear (&crowd);
}

/* 55-73: obeyed in its frame, and over when it says. */
/* A ball is seen at (0, 0, 5) while it moves with 2 m/s along x, and then no more: with two seconds of extrapolation an agent looks
 * for it at (4, 0, 5), and without at (0, 0, 5). */
static void
test_extrapolation (void)
{
  for (int moves_on = 0; moves_on < 2; moves_on++) {
    Group group = group_new (moves_on != 0
                                 ? "sense sight radius 10\nmemory 9 extrapolate 2\nbehaviour b do seek remembered ball"
                                 : "sense sight radius 10\nmemory 9\nbehaviour b do seek remembered ball",
                             "", new_points (1, one, NULL), new_points (1, (const float[]){ 0, 0, 5 }, "ball"));
    const float *v;

    kg_geometry_edit_float (group.things, KG_POINTS, "v", 3)[0] = 2;
    g_assert_true (group_step (&group));
    for (int k = 0; k < 90; k++) {
      float *p = kg_geometry_edit_positions (group.state.agents);

      if (k < 60) {
        p[0] = 4;
        p[2] = 40;
      }
      g_assert_true (group_step (&group));
    }
    v = kg_geometry_get_float (group.state.agents, KG_POINTS, "v", 3);
    g_assert_cmpfloat (v[2], <, -1);
    assert_near ((double) (v[0] / v[2]), moves_on != 0 ? 0 : 4.0 / 35, 0.015);
    group_clear (&group);
  }
}

/* A toy at 8 m and food at 4 m: as hungry as that, food is worth more than half of the toy, and twice as near. */
static void
test_interests (void)
{
  static const float places[] = { 8, 0, 0, -4, 0, 0 };
  static const char *const weights[] = { "1", "0.45", "0" };
  g_autoptr (GError) error = NULL;

  for (int k = 0; k < 3; k++) {
    g_autofree char *text =
        g_strdup_printf ("interest toy 1\ninterest food %s\nbehaviour b do seek interest", weights[k]);
    KgGeometry *things = new_points (2, places, "toy");
    Group group;

    kg_geometry_set_text (things, KG_POINTS, "kind", 1, "food");
    group = group_new (text, "", new_points (1, one, NULL), things);
    for (int step = 0; step < 12; step++)
      g_assert_true (group_step (&group));
    g_assert_cmpfloat (kg_geometry_get_float (group.state.agents, KG_POINTS, "v", 3)[0] * (k == 0 ? -1.0f : 1.0f), >,
                       0.5);
    group_clear (&group);
  }
  g_assert_null (agent_program_new ("interest toy 1\ninterest toy 2", "", NULL, &error));
  g_assert_nonnull (strstr (error->message, "toy is declared twice"));
  g_clear_error (&error);
  g_assert_null (agent_program_new ("behaviour b do seek interest", "", NULL, &error));
  g_assert_nonnull (strstr (error->message, "no kind is declared as an interest"));
}

static void
test_orders (void)
{
  Group group = group_new ("urge hunger\nbehaviour own do wait\nbehaviour other value 0.1 do wander\n",
                           "at frame 10 agent 0 do seek (5, 0, 0) for 5\nat 20 agent all set hunger = 0.75\n"
                           "at 25 agent 1 be other for 2\n",
                           new_points (2, (const float[]){ 0, 0, 0, 3, 0, 0 }, NULL), NULL);

  while (group.world.frame < 30) {
    g_assert_true (group_step (&group));
    g_assert_cmpstr (doing (&group, 0), ==, group.world.frame >= 10 && group.world.frame < 15 ? "order" : "own");
    g_assert_cmpstr (doing (&group, 1), ==, group.world.frame >= 25 && group.world.frame < 27 ? "other" : "own");
    assert_near (fact (&group, "hunger", 1), group.world.frame >= 20 ? 0.75 : 0, 0);
  }
  group_clear (&group);
}

/* 55-72, 55-77: a plan is carried out, action by action, and its goal is true in the end. */
static void
test_carried_out (void)
{
  const float places[] = { 3, 0, 0, -3, 0, 1 };
  KgGeometry *things = new_points (2, places, "door");
  Group group;
  bool carried = false;

  kg_geometry_set_text (things, KG_POINTS, "kind", 0, "key");
  group = group_new ("trait has = 0\ntrait open = 0\n"
                     "action fetch makes has = 1 do arrive nearest key and take nearest key\n"
                     "action unlock needs has makes open = 1 do arrive nearest door\n"
                     "behaviour escape do plan open\n",
                     "", new_points (1, one, NULL), things);
  for (int step = 0; step < 24 * 12 && fact (&group, "open", 0) == 0; step++) {
    g_assert_true (group_step (&group));
    carried = carried || number (&group, "holds", 0) == 0;
    if (fact (&group, "open", 0) == 0)
      g_assert_cmpint (kg_geometry_get_int (group.state.agents, KG_POINTS, "plan_at", 4)[0], ==, 0);
  }
  g_assert_true (carried);
  assert_near (fact (&group, "open", 0), 1, 0);
  /* The key is where the agent is. */
  assert_near ((double) kg_geometry_get_float (group.state.things, KG_POINTS, "moved", 3)[0],
               (double) kg_geometry_get_positions (group.state.agents)[0], 1e-6);
  group_clear (&group);
  /* Without a way to the goal the behaviour gives way, and says so. */
  group = group_new ("trait open = 0\naction unlock needs 0 makes open = 1 do wait\nbehaviour go value 2 do plan open\n"
                     "behaviour rest do wait\n",
                     "", new_points (1, one, NULL), NULL);
  g_assert_true (group_step (&group));
  g_assert_cmpstr (doing (&group, 0), ==, "rest");
  g_assert_nonnull (group.warning);
  g_assert_cmpint (number (&group, "lost", 0), ==, 1);
  group_clear (&group);
}

/* Whom a force would carry too far stays, and says where. */
static void
test_too_far (void)
{
  const float place[] = { 1, 0, 2, 5, 0, 5 };
  Group group = group_new ("behaviour go do wait\n", "", new_points (2, place, NULL), NULL);
  g_autoptr (KgField) force = kg_field_new_constant_vector (kg_vector (1e14, 0, 0));

  group.world.force = force;
  group.world.settings.limits.max_speed = group.world.settings.limits.max_acceleration = 1e15;
  for (int i = 0; i < 3; i++) {
    g_assert_true (group_step (&group));
    g_assert_no_error (group.error);
    g_assert_nonnull (group.warning);
    g_assert_nonnull (
        strstr (group.warning->message, "agent 0 stays at (1, 0, 2): a step would carry it beyond 10^9 m"));
    g_clear_error (&group.warning);
  }
  assert_near ((double) kg_geometry_get_positions (group.state.agents)[0], 1, 0);
  assert_near ((double) kg_geometry_get_positions (group.state.agents)[3], 5, 0);
  group_clear (&group);
}

/* 55-65: an agent without behaviours coasts; whoever is first has the thing; the bits do not depend on threads. */
static void
test_steps (void)
{
  KgGeometry *runner = new_points (1, one, NULL);
  Group group;
  float p[3 * 400], first[3 * 400] = { 0 };

  kg_geometry_edit_float (runner, KG_POINTS, "v", 3)[2] = 2;
  group = group_new ("", "", runner, NULL);
  for (int step = 0; step < 24; step++)
    g_assert_true (group_step (&group));
  assert_near ((double) kg_geometry_get_positions (group.state.agents)[2], 2, 1e-5);
  group_clear (&group);
  group = group_new ("behaviour get do take nearest coin\n", "",
                     new_points (2, (const float[]){ 0.3f, 0, 0, -0.3f, 0, 0 }, NULL), new_points (1, one, "coin"));
  g_assert_true (group_step (&group));
  g_assert_cmpint (number (&group, "holds", 0), ==, 0);
  g_assert_cmpint (number (&group, "holds", 1), ==, -1);
  group_clear (&group);
  /* All at one place, and on two threads as on one. */
  memset (p, 0, sizeof p);
  for (int threads = 1; threads <= 2; threads++) {
    omp_set_num_threads (threads);
    group =
        group_new ("sense sight\nurge hunger rate u\nrule if sees(agent) and chance < 0.5 then near = count(agent)\n"
                   "behaviour go value hunger do pursue nearest agent\nbehaviour roam value 0.2 do wander\n",
                   "", new_points (400, p, NULL), NULL);
    for (int step = 0; step < 24; step++)
      g_assert_true (group_step (&group));
    if (threads == 1)
      memcpy (first, kg_geometry_get_positions (group.state.agents), sizeof first);
    g_assert_cmpint (memcmp (first, kg_geometry_get_positions (group.state.agents), sizeof first), ==, 0);
    for (int i = 0; i < 3 * 400; i++)
      g_assert_true (isfinite (first[i]));
    group_clear (&group);
  }
  /* They have come apart. */
  for (int i = 1; i < 400; i++)
    g_assert_true (first[0] != first[3 * i] || first[2] != first[3 * i + 2]);
}

/* 55-73: without will of its own an agent is where the script has it. */
static void
test_autonomy (void)
{
  Group group = group_new ("behaviour go do wander\n", "", new_points (1, one, NULL), NULL);

  group.world.settings.autonomy = 0;
  for (int step = 0; step < 10; step++) {
    kg_geometry_edit_positions (group.agents)[0] = 0.1f * (float) step;
    g_assert_true (group_step (&group));
    g_assert_true (kg_geometry_get_positions (group.state.agents)[0] == 0.1f * (float) step);
  }
  group_clear (&group);
}

/* With half a will of its own an agent gets half as far from the script as it would alone, at any number of steps a second. */
static void
test_half_autonomy (void)
{
  double far[3];

  for (int k = 0; k < 3; k++) {
    Group group = group_new ("behaviour go do seek (100, 0, 0)\n", "", new_points (1, one, NULL), NULL);
    const int steps = k == 2 ? 192 : 48;

    group.world.settings.autonomy = k == 0 ? 1 : 0.5;
    group.world.dt = 2.0 / steps;
    for (int step = 0; step < steps; step++)
      g_assert_true (group_step (&group));
    far[k] = (double) kg_geometry_get_positions (group.state.agents)[0];
    group_clear (&group);
  }
  g_assert_cmpfloat (far[0], >, 1);
  assert_near (far[1], far[0] / 2, 0.02 * far[0]);
  assert_near (far[2], far[1], 0.05 * far[1]);
}

/* Examples of docs/agents.md are programs. */
static void
test_manual (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("KG_GRAPHS"), "..", "docs", "agents.md", NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) parts = NULL;
  g_autoptr (GError) error = NULL;
  guint n = 0;

  g_assert_true (g_file_get_contents (path, &text, NULL, &error));
  parts = g_strsplit (text, "\n```\n", -1);
  for (guint i = 1; parts[i] != NULL; i += 2, n++) {
    AgentProgram *program = agent_program_new (parts[i], "", NULL, &error);

    g_assert_no_error (error);
    agent_program_free (program);
  }
  g_assert_cmpuint (n, ==, 5);
}

/* All problems of a text are reported at once, with their lines. */
static void
test_problems (void)
{
  g_autoptr (GError) error = NULL, other = NULL;
  AgentProgram *program = agent_program_new ("urge\nrule if x then\nbehaviour a do jump over\nrule if (1 then y = 1\n"
                                             "nonsense\nurge ok rate 1 +\n",
                                             "at x agent 1 do wait\n", NULL, &error);

  g_assert_null (program);
  g_assert_error (error, KG_ERROR, KG_ERROR_EXPRESSION);
  for (int line = 1; line <= 6; line++) {
    g_autofree char *place = g_strdup_printf ("line %d", line);

    g_assert_nonnull (strstr (error->message, place));
  }
  g_assert_nonnull (strstr (error->message, "orders, line 1"));
  g_assert_null (agent_program_new ("behaviour a do goto_door\n", "", NULL, &other));
  g_assert_nonnull (strstr (other->message, "goto_door"));
}

/* What is declared twice would have two meanings. */
static void
test_twice (void)
{
  static const char *const texts[] = { "urge x rate 1\nurge x rate 2", "urge x rate 1\nemotion x",
                                       "behaviour x do wander\nbehaviour x do wait",
                                       "action x do wait\naction x do wait", "state x do wait\nstate x do wander" };
  static const char *const orders[] = { "at 1 agent -1 do wait", "at 1 agent 1.5 do wait" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (agent_program_new (texts[i], "", NULL, &error));
    g_assert_nonnull (strstr (error->message, "line 2, column 1: x is declared twice"));
  }
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (agent_program_new ("", orders[i], NULL, &error));
    g_assert_nonnull (strstr (error->message, i == 0 ? "is -1" : "is 1.5"));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/agents/55-79-steering", test_steering);
  g_test_add_func ("/agents/55-79-orbit", test_orbit);
  g_test_add_func ("/agents/55-66-driver", test_driver);
  g_test_add_func ("/agents/too-far", test_too_far);
  g_test_add_func ("/agents/55-77-plan", test_plan);
  g_test_add_func ("/agents/55-78-route", test_route);
  g_test_add_func ("/agents/55-78-route-over-hill", test_route_over_hill);
  g_test_add_func ("/agents/55-78/taut", test_taut);
  g_test_add_func ("/agents/55-78/taut-corners", test_taut_corners);
  g_test_add_func ("/agents/55-78-way-out", test_way_out);
  g_test_add_func ("/agents/55-74-inhibition", test_inhibition);
  g_test_add_func ("/agents/55-75-rules", test_rules);
  g_test_add_func ("/agents/55-75/rules-once", test_rules_once);
  g_test_add_func ("/agents/55-77/unknown-names", test_unknown_names);
  g_test_add_func ("/agents/55-70-urges", test_urges);
  g_test_add_func ("/agents/55-71-55-74-arbitration", test_arbitration);
  g_test_add_func ("/agents/55-76-states", test_states);
  g_test_add_func ("/agents/55-68-view", test_view);
  g_test_add_func ("/agents/55-74-negotiation", test_negotiation);
  g_test_add_func ("/agents/55-65-forces", test_forces);
  g_test_add_func ("/agents/55-76-states-within", test_states_within);
  g_test_add_func ("/agents/55-67-55-68-senses", test_senses);
  g_test_add_func ("/agents/55-68-delay", test_late_senses);
  g_test_add_func ("/agents/55-68-rate", test_rare_senses);
  g_test_add_func ("/agents/55-68-looks", test_looks);
  g_test_add_func ("/agents/55-68-each-sense-late", test_each_sense_late);
  g_test_add_func ("/agents/55-68-turning", test_turning);
  g_test_add_func ("/agents/55-68-rare-targets", test_rare_targets);
  g_test_add_func ("/agents/55-68-55-69-late-memory", test_late_memory);
  g_test_add_func ("/agents/55-68-late-smell", test_late_smell);
  g_test_add_func ("/agents/55-68-own-delays", test_own_delays);
  g_test_add_func ("/agents/55-68-timing-invariance", test_timing_invariance);
  g_test_add_func ("/agents/55-69-names-of-the-state", test_names_of_the_state);
  g_test_add_func ("/agents/55-68-bad-timing", test_bad_timing);
  g_test_add_func ("/agents/55-68-large", test_large_things);
  g_test_add_func ("/agents/55-72-hands", test_hands_in_the_void);
  g_test_add_func ("/agents/55-72-limbs", test_limbs);
  g_test_add_func ("/agents/55-72-failing", test_failing);
  g_test_add_func ("/agents/55-76-entering", test_entering);
  g_test_add_func ("/agents/55-69-memory", test_memory);
  g_test_add_func ("/agents/55-69-extrapolation", test_extrapolation);
  g_test_add_func ("/agents/55-70-interests", test_interests);
  g_test_add_func ("/agents/55-73-orders", test_orders);
  g_test_add_func ("/agents/55-72-55-77-carried-out", test_carried_out);
  g_test_add_func ("/agents/55-65-steps", test_steps);
  g_test_add_func ("/agents/manual", test_manual);
  g_test_add_func ("/agents/55-73-autonomy", test_autonomy);
  g_test_add_func ("/agents/55-73-half-autonomy", test_half_autonomy);
  g_test_add_func ("/agents/55-65-problems", test_problems);
  g_test_add_func ("/agents/55-65-twice", test_twice);
  return g_test_run ();
}
