/* curve/route: a way over ground and round obstacles.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve_geometry.h"
#include "group/route_grid.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *obstacles;
  const KgGeometry *ground;
  KgVector start;
  KgVector goal;
  double radius;
  double cell;
  double margin;
  double max_slope;
  bool corners;
  bool straighten;
  KgGeometry *route;
  double length;
  bool found;
  int64_t visited;
} RouteNode;

static void
route_bound (const RouteNode *n, KgVector *low, KgVector *high)
{
  const KgGeometry *over[] = { n->obstacles, n->ground };

  *low = kg_vector (fmin (n->start.x, n->goal.x), n->start.y, fmin (n->start.z, n->goal.z));
  *high = kg_vector (fmax (n->start.x, n->goal.x), n->start.y, fmax (n->start.z, n->goal.z));
  for (guint k = 0; k < G_N_ELEMENTS (over); k++) {
    KgVector a, b;

    if (over[k] == NULL || !kg_geometry_get_bounds (over[k], &a, &b))
      continue;
    *low = kg_vector (fmin (low->x, a.x), low->y, fmin (low->z, a.z));
    *high = kg_vector (fmax (high->x, b.x), high->y, fmax (high->z, b.z));
  }
  *low = kg_vector (low->x - n->margin, low->y, low->z - n->margin);
  *high = kg_vector (high->x + n->margin, high->y, high->z + n->margin);
}

static RouteGrid *
route_make_grid (const RouteNode *n, TriangleMesh **ground, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (TriangleMesh) obstacles = NULL;
  g_autoptr (RouteGrid) grid = NULL;
  KgVector low, high;

  route_bound (n, &low, &high);
  grid = route_grid_new (low, high, n->cell, error);
  if (grid == NULL)
    return NULL;
  grid->corners = n->corners;
  if (n->ground != NULL && kg_geometry_get_n_primitives (n->ground) > 0) {
    *ground = triangle_mesh_new (n->ground, monitor, error);
    if (*ground == NULL || !route_grid_add_ground (grid, *ground, n->max_slope, monitor))
      return NULL;
  }
  if (n->obstacles != NULL && kg_geometry_get_n_primitives (n->obstacles) > 0) {
    obstacles = triangle_mesh_new (n->obstacles, monitor, error);
    if (obstacles == NULL || !route_grid_add_obstacles (grid, obstacles, n->radius, n->radius, monitor))
      return NULL;
  }
  return g_steal_pointer (&grid);
}

/* A place on the ground below or above; as it is where there is no ground. */
static KgVector
route_put_on_ground (const TriangleMesh *ground, KgVector x)
{
  const BoundingBox box = box_tree_get_bounds (ground->tree);
  const KgVector from = kg_vector (x.x, (double) box.high[1] + 1, x.z);
  double t = (double) box.high[1] - (double) box.low[1] + 2;
  uint32_t triangle;

  return triangle_mesh_hit (ground, from, kg_vector (0, -1, 0), &t, &triangle) ? kg_vector (x.x, from.y - t, x.z) : x;
}

/* From the start itself to the goal itself, through the centres of cells between, and of the first and the last one where start
 * or goal are blocked: there the nearest way out is, or in.  Over a ground also through places between them, at most a cell
 * apart. */
static bool
route_write (RouteNode *n, const RouteGrid *grid, const TriangleMesh *ground, const GArray *cells, bool out, bool in,
             GError **error)
{
  const guint last = cells->len - 1;
  bool ends = false;
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (KgVector));
  KgVector at = n->start;
  size_t first;

  if (ground != NULL && ground->n > 0)
    at = route_put_on_ground (ground, at);
  g_array_append_val (points, at);
  for (guint i = out ? 0 : 1; !ends; i++) {
    const KgVector from = at,
                   to = i < last + in ? route_grid_get_centre (grid, g_array_index (cells, uint32_t, i)) : n->goal;
    const bool over = ground != NULL && ground->n > 0;
    const double count = over ? fmax (ceil (hypot (to.x - from.x, to.z - from.z) / grid->cell - 1e-6), 1) : 1;

    ends = i >= last + in;
    for (double k = 1; k <= count; k++) {
      const KgVector before = at;

      at = kg_vector_lerp (from, to, k / count);
      if (over)
        at = route_put_on_ground (ground, at);
      n->length += kg_vector_distance (before, at);
      g_array_append_val (points, at);
    }
  }
  return curve_geometry_add_polyline (n->route, (const KgVector *) (gpointer) points->data, points->len, false, &first,
                                      error);
}

/* How far a place is from the centre of a cell, in the plane; rounded, to be read. */
static double
route_get_way (const RouteGrid *grid, KgVector x, int64_t cell)
{
  const KgVector centre = route_grid_get_centre (grid, (size_t) cell);

  return round (1000 * hypot (centre.x - x.x, centre.z - x.z)) / 1000;
}

static bool
route_evaluate (RouteNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (TriangleMesh) ground = NULL;
  g_autoptr (RouteGrid) grid = route_make_grid (n, &ground, &monitor, error);
  g_auto (Route) route = { .found = false };
  g_autoptr (GArray) pulled = NULL;
  int64_t from, to;
  bool out, in;

  if (grid == NULL)
    return false;
  n->route = kg_geometry_new ();
  from = route_grid_find_free (grid, n->start);
  to = route_grid_find_free (grid, n->goal);
  if (from < 0 || to < 0) {
    kg_context_warn (ctx, "no cell is free: reduce the radius or the cells");
    return true;
  }
  out = route_grid_find (grid, n->start) != from;
  in = route_grid_find (grid, n->goal) != to;
  if (out)
    kg_context_warn (ctx,
                     "the start is blocked: the route leaves by the nearest way out, after %g m; move the start, or "
                     "reduce the radius",
                     route_get_way (grid, n->start, from));
  if (in)
    kg_context_warn (ctx,
                     "the goal is blocked: the route enters by the nearest way in, for the last %g m; move the goal, "
                     "or reduce the radius",
                     route_get_way (grid, n->goal, to));
  if (!route_grid_search (grid, (size_t) from, (size_t) to, true, &route, &monitor))
    return false;
  n->found = route.found;
  n->visited = (int64_t) route.n_visited;
  if (!route.found) {
    kg_context_warn (ctx, "there is no way from the start to the goal: widen gaps, or reduce the radius");
    return true;
  }
  pulled = n->straighten ? route_grid_pull (grid, route.cells) : g_array_ref (route.cells);
  return route_write (n, grid, ground, pulled, out, in, error);
}

static const KgSlot route_slots[] = {
  KG_INPUT (RouteNode, obstacles, GEOMETRY, .label = N_ ("Obstacles"), .optional = true,
            .help = N_ ("Meshes that the route goes round.")),
  KG_INPUT (RouteNode, ground, GEOMETRY, .label = N_ ("Ground"), .optional = true,
            .help = N_ (
                "Mesh that the route goes over; where it is missing there is no way. Without it, everything is flat at "
                "the height of the start.")),
  KG_INPUT (RouteNode, start, VECTOR, .label = N_ ("Start"), .unit = KG_METRES, .def_v = { -2, 0, 0 },
            .help = N_ ("Where the route begins.")),
  KG_INPUT (RouteNode, goal, VECTOR, .label = N_ ("Goal"), .unit = KG_METRES, .def_v = { 2, 0, 0 },
            .help = N_ ("Where it ends.")),
  KG_INPUT (RouteNode, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 0.3, .min = 0, .max = 1e4,
            .soft_max = 2, .help = N_ ("Distance that it keeps from obstacles.")),
  KG_INPUT (RouteNode, cell, NUMBER, .label = N_ ("Cell"), .unit = KG_METRES, .def = 0.25, .min = 0.01, .max = 1e4,
            .soft_max = 2, .help = N_ ("Size of the cells among which it is searched.")),
  KG_INPUT (RouteNode, margin, NUMBER, .label = N_ ("Margin"), .unit = KG_METRES, .def = 1, .min = 0, .max = 1e4,
            .soft_max = 10, .help = N_ ("How far it may leave the bounds of obstacles, start and goal.")),
  KG_INPUT (RouteNode, max_slope, NUMBER, .label = N_ ("Steepest slope"), .unit = KG_DEGREES, .def = 40, .min = 0,
            .max = 89, .help = N_ ("The route does not climb steeper ground.")),
  KG_INPUT (RouteNode, corners, BOOLEAN, .label = N_ ("Cut corners"),
            .help = N_ ("Diagonal steps may touch the corner of a blocked cell.")),
  KG_INPUT (
      RouteNode, straighten, BOOLEAN, .label = N_ ("Straighten"), .def = 1,
      .help = N_ (
          "Removes points between which the way is free, so that the route consists of straight segments from corner "
          "to corner. Over a ground the segments follow it, and do not cross what is too steep.")),
  KG_OUTPUT (RouteNode, route, GEOMETRY, .label = N_ ("Route"),
             .help = N_ ("A polyline, empty where there is no way.")),
  KG_OUTPUT (RouteNode, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES, .help = N_ ("Length of the route.")),
  KG_OUTPUT (RouteNode, found, BOOLEAN, .label = N_ ("Found"), .help = N_ ("Whether there is a way.")),
  KG_OUTPUT (RouteNode, visited, INTEGER, .label = N_ ("Visited"),
             .help = N_ ("Number of cells that the search visited.")),
};

KG_NODE (
    curve, route, RouteNode, .label = N_ ("Route"), .version = 2, .since = "0.1",
    .tags = N_ ("path finding navigation obstacle maze way shortest astar dijkstra walk"),
    .formula = "f = g + h, h = cell (max (|Δx|, |Δz|) + (√2 - 1) min (|Δx|, |Δz|))",
    .source = "Hart, Nilsson and Raphael 1968; Parent, Computer Animation, 4.6",
    .help = N_ ("Finds a short way from a start to a goal over ground and round obstacles. The plane is divided into "
                "cells; those that are blocked or too steep are avoided."));
