/* route_grid: see route_grid.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/route_grid.h"

/* How far ahead one looks along a way, in cells. */
#define LOOK_AHEAD 24

/* How often a way is pulled taut, at most. */
#define MAX_PULLS 64

static const int steps[8][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 }, { 1, 1 }, { -1, 1 }, { -1, -1 }, { 1, -1 } };

/* What waits to be looked at; the least first, of equals the lower cell. */
typedef struct {
  double key;
  uint32_t cell;
} Open;

/* Of a number in a message that is written with all its digits. */
#define MOST_SHOWN 1e15

RouteGrid *
route_grid_new (KgVector low, KgVector high, double cell, GError **error)
{
  const double columns = fmax (ceil ((high.x - low.x) / cell - 1e-9), 1),
               rows = fmax (ceil ((high.z - low.z) / cell - 1e-9), 1);
  RouteGrid *grid;

  if (!(columns * rows <= ROUTE_MAX_CELLS)) {
    kg_set_error (error, KG_ERROR_LIMIT, "a grid of %.0f×%.0f cells is more than %d cells: enlarge the cells",
                  fmin (columns, MOST_SHOWN), fmin (rows, MOST_SHOWN), ROUTE_MAX_CELLS);
    return NULL;
  }
  grid = g_new0 (RouteGrid, 1);
  *grid = (RouteGrid){ .low = low, .cell = cell, .columns = (guint) columns, .rows = (guint) rows, .max_slope = 1 };
  grid->blocked = g_new0 (uint8_t, (size_t) grid->columns * grid->rows);
  return grid;
}

void
route_grid_free (RouteGrid *grid)
{
  g_free (grid->blocked);
  g_free (grid->height);
  g_free (grid);
}

size_t
route_grid_get_bytes (const RouteGrid *grid)
{
  return sizeof *grid + (size_t) grid->columns * grid->rows * (1 + (grid->height != NULL ? sizeof *grid->height : 0));
}

KgVector
route_grid_get_centre (const RouteGrid *grid, size_t cell)
{
  return kg_vector (grid->low.x + ((double) (cell % grid->columns) + 0.5) * grid->cell,
                    grid->height != NULL ? (double) grid->height[cell] : grid->low.y,
                    grid->low.z + ((double) (cell / grid->columns) + 0.5) * grid->cell);
}

int64_t
route_grid_find (const RouteGrid *grid, KgVector x)
{
  const double column = floor ((x.x - grid->low.x) / grid->cell), row = floor ((x.z - grid->low.z) / grid->cell);

  if (!(column >= 0 && row >= 0 && column < grid->columns && row < grid->rows))
    return -1;
  return (int64_t) row * grid->columns + (int64_t) column;
}

/* Rings around the cell that holds the place, or around the one of the border that is nearest to it. */
int64_t
route_grid_find_free (const RouteGrid *grid, KgVector x)
{
  const int64_t columns = grid->columns, rows = grid->rows;
  const int64_t column = (int64_t) kg_clamp (floor ((x.x - grid->low.x) / grid->cell), 0, (double) (columns - 1)),
                row = (int64_t) kg_clamp (floor ((x.z - grid->low.z) / grid->cell), 0, (double) (rows - 1));

  int64_t best = -1;
  double least = INFINITY;

  /* A corner of a ring is farther than the middle of a side of the next ones. */
  for (int64_t ring = 0; ring <= MAX (columns, rows) && (double) ring <= least; ring++)
    for (int64_t j = MAX (row - ring, 0); j <= MIN (row + ring, rows - 1); j++)
      for (int64_t i = MAX (column - ring, 0); i <= MIN (column + ring, columns - 1);
           i += j == row - ring || j == row + ring || i == column + ring ? 1 : MAX (column + ring - i, 1)) {
        const double d = hypot ((double) (i - column), (double) (j - row));

        if (grid->blocked[j * columns + i] == 0 && d < least) {
          least = d;
          best = j * columns + i;
        }
      }
  return best;
}

bool
route_grid_add_ground (RouteGrid *grid, const TriangleMesh *ground, double max_slope, const KgProgressMonitor *monitor)
{
  const BoundingBox box = box_tree_get_bounds (ground->tree);
  const size_t n = (size_t) grid->columns * grid->rows;
  float *height = g_new0 (float, n);
  bool cancelled = false;

  grid->max_slope = tan (fmin (max_slope, 1.57));
#pragma omp parallel for schedule(dynamic, 256)
  for (size_t cell = 0; cell < n; cell++) {
    KgVector from = route_grid_get_centre (grid, cell);
    double t = (double) box.high[1] - (double) box.low[1] + 2;
    uint32_t triangle;

    if (cell % 256 == 0 && kg_progress_is_cancelled (monitor)) {
#pragma omp atomic write
      cancelled = true;
    }
    from.y = (double) box.high[1] + 1;
    if (ground->n > 0 && triangle_mesh_hit (ground, from, kg_vector (0, -1, 0), &t, &triangle))
      height[cell] = (float) (from.y - t);
    else
      grid->blocked[cell] = 1;
  }
  grid->height = height;
  return !cancelled;
}

bool
route_grid_add_obstacles (RouteGrid *grid, const TriangleMesh *obstacles, double radius, double y,
                          const KgProgressMonitor *monitor)
{
  const size_t n = (size_t) grid->columns * grid->rows;
  bool cancelled = false;

  if (obstacles->n == 0)
    return true;
#pragma omp parallel for schedule(dynamic, 256)
  for (size_t cell = 0; cell < n; cell++) {
    KgVector x = route_grid_get_centre (grid, cell);

    if (cell % 256 == 0 && kg_progress_is_cancelled (monitor)) {
#pragma omp atomic write
      cancelled = true;
    }
    x.y += y;
    if (grid->blocked[cell] == 0 && (triangle_mesh_find_nearest (obstacles, x).distance < radius ||
                                     triangle_mesh_contains (obstacles, NULL, INSIDE_RAY, x)))
      grid->blocked[cell] = 1;
  }
  return !cancelled;
}

/* The cost of a step from a cell, and the cell that it leads to; negative: blocked. */
static double
take_step (const RouteGrid *grid, size_t cell, const int step[2], size_t *to)
{
  const int64_t i = (int64_t) (cell % grid->columns) + step[0], j = (int64_t) (cell / grid->columns) + step[1];
  double length = grid->cell;

  if (i < 0 || j < 0 || i >= grid->columns || j >= grid->rows)
    return -1;
  *to = (size_t) j * grid->columns + (size_t) i;
  if (grid->blocked[*to] != 0)
    return -1;
  if (step[0] != 0 && step[1] != 0) {
    if (!grid->corners && (grid->blocked[(size_t) ((int64_t) cell + step[0])] != 0 ||
                           grid->blocked[(size_t) ((int64_t) cell + (int64_t) grid->columns * step[1])] != 0))
      return -1;
    length *= G_SQRT2;
  }
  if (grid->height != NULL) {
    const double rise = (double) grid->height[*to] - (double) grid->height[cell];

    if (fabs (rise) > grid->max_slope * length)
      return -1;
    length = hypot (length, rise);
  }
  return length;
}

static bool
is_before (const Open *a, const Open *b)
{
  return a->key < b->key || (a->key == b->key && a->cell < b->cell);
}

static void
push (GArray *heap, Open item)
{
  guint i = heap->len;
  Open *items;

  g_array_append_val (heap, item);
  items = (Open *) (gpointer) heap->data;
  for (; i > 0 && is_before (&item, &items[(i - 1) / 2]); i = (i - 1) / 2)
    items[i] = items[(i - 1) / 2];
  items[i] = item;
}

static Open
pop (GArray *heap)
{
  Open *items = (Open *) (gpointer) heap->data;
  const guint n = heap->len - 1;
  const Open top = items[0], last = items[n];
  guint i = 0, child;

  for (; (child = 2 * i + 1) < n; i = child) {
    child += child + 1 < n && is_before (&items[child + 1], &items[child]);
    if (!is_before (&items[child], &last))
      break;
    items[i] = items[child];
  }
  items[i] = last;
  g_array_set_size (heap, n);
  return top;
}

static double
get_octile (const RouteGrid *grid, size_t a, size_t b)
{
  const double x = fabs ((double) (a % grid->columns) - (double) (b % grid->columns)),
               z = fabs ((double) (a / grid->columns) - (double) (b / grid->columns));

  /* A hair less, so that rounding does not make it more than the way. */
  return grid->cell * (fmax (x, z) + (G_SQRT2 - 1) * fmin (x, z)) * (1 - 1e-12);
}

static void
reverse (GArray *array)
{
  uint32_t *cells = (uint32_t *) (gpointer) array->data;

  for (guint i = 0; i < array->len / 2; i++) {
    const uint32_t swap = cells[i];

    cells[i] = cells[array->len - 1 - i];
    cells[array->len - 1 - i] = swap;
  }
}

bool
route_grid_search (const RouteGrid *grid, size_t from, size_t to, bool heuristic, Route *route,
                   const KgProgressMonitor *monitor)
{
  const size_t n = (size_t) grid->columns * grid->rows;
  g_autofree double *cost = g_new (double, n);
  g_autofree uint32_t *before = g_new (uint32_t, n);
  g_autofree uint8_t *closed = g_new0 (uint8_t, n);
  g_autoptr (GArray) heap = g_array_new (FALSE, FALSE, sizeof (Open));

  *route = (Route){ .cells = g_array_new (FALSE, FALSE, sizeof (uint32_t)) };
  if (grid->blocked[from] != 0 || grid->blocked[to] != 0)
    return true;
  for (size_t i = 0; i < n; i++)
    cost[i] = INFINITY;
  cost[from] = 0;
  before[from] = (uint32_t) from;
  push (heap, (Open){ 0, (uint32_t) from });
  while (heap->len > 0) {
    const size_t cell = pop (heap).cell;

    if (closed[cell] != 0)
      continue;
    closed[cell] = 1;
    if (++route->n_visited % 1024 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    if (cell == to)
      break;
    for (guint k = 0; k < 8; k++) {
      size_t next = 0;
      const double length = take_step (grid, cell, steps[k], &next);

      if (length < 0 || !(cost[cell] + length < cost[next]))
        continue;
      cost[next] = cost[cell] + length;
      before[next] = (uint32_t) cell;
      push (heap, (Open){ cost[next] + (heuristic ? get_octile (grid, next, to) : 0), (uint32_t) next });
    }
  }
  route->found = closed[to] != 0;
  if (!route->found)
    return true;
  route->cost = cost[to];
  for (uint32_t cell = (uint32_t) to;; cell = before[cell]) {
    g_array_append_val (route->cells, cell);
    if (cell == from)
      break;
  }
  reverse (route->cells);
  return true;
}

void
route_clear (Route *route)
{
  g_clear_pointer (&route->cells, g_array_unref);
}

/* All cells that the line passes are walked (Amanatides and Woo 1987). */
bool
route_grid_sees (const RouteGrid *grid, KgVector from, KgVector to)
{
  const double x0 = (from.x - grid->low.x) / grid->cell, z0 = (from.z - grid->low.z) / grid->cell;
  const double dx = (to.x - from.x) / grid->cell, dz = (to.z - from.z) / grid->cell;
  const int64_t start = route_grid_find (grid, from), end = route_grid_find (grid, to);
  const int side_x = dx > 0 ? 1 : -1, side_z = dz > 0 ? 1 : -1;
  int64_t i = (int64_t) floor (x0), j = (int64_t) floor (z0);
  double next_x = dx != 0 ? ((double) (i + (dx > 0)) - x0) / dx : INFINITY,
         next_z = dz != 0 ? ((double) (j + (dz > 0)) - z0) / dz : INFINITY;

  if (start < 0 || end < 0)
    return false;
  for (int64_t cell = start, count = (int64_t) grid->columns + grid->rows + 2; count > 0; count--) {
    int64_t next;

    if (grid->blocked[cell] != 0)
      return false;
    if (cell == end || fmin (next_x, next_z) > 1)
      return grid->blocked[end] == 0;
    /* Through a corner: both beside it are passed. */
    if (fabs (next_x - next_z) < 1e-9) {
      if (i + side_x >= 0 && i + side_x < grid->columns && grid->blocked[cell + side_x] != 0)
        return false;
      if (j + side_z >= 0 && j + side_z < grid->rows && grid->blocked[cell + (int64_t) grid->columns * side_z] != 0)
        return false;
      i += side_x;
      j += side_z;
      next_x += 1 / fabs (dx);
      next_z += 1 / fabs (dz);
    } else if (next_x < next_z) {
      i += side_x;
      next_x += 1 / fabs (dx);
    } else {
      j += side_z;
      next_z += 1 / fabs (dz);
    }
    if (i < 0 || j < 0 || i >= grid->columns || j >= grid->rows)
      return false;
    next = j * grid->columns + i;
    if (grid->height != NULL &&
        fabs ((double) grid->height[next] - (double) grid->height[cell]) > grid->max_slope * grid->cell * G_SQRT2)
      return false;
    cell = next;
  }
  return false;
}

double
route_grid_get_height (const RouteGrid *grid, KgVector x)
{
  const double column = kg_clamp ((x.x - grid->low.x) / grid->cell - 0.5, 0, (double) (grid->columns - 1)),
               row = kg_clamp ((x.z - grid->low.z) / grid->cell - 0.5, 0, (double) (grid->rows - 1));
  const size_t i = (size_t) column, j = (size_t) row;
  double sum = 0, weights = 0;

  if (grid->height == NULL)
    return grid->low.y;
  for (guint k = 0; k < 4; k++) {
    const size_t a = MIN (i + k % 2, grid->columns - 1), b = MIN (j + k / 2, grid->rows - 1),
                 cell = b * grid->columns + a;
    const double u = column - (double) i, w = row - (double) j;
    const double weight = (k % 2 != 0 ? u : 1 - u) * (k / 2 != 0 ? w : 1 - w);

    /* Blocked ones may have no ground. */
    if (grid->blocked[cell] != 0)
      continue;
    sum += weight * (double) grid->height[cell];
    weights += weight;
  }
  return weights > 0 ? sum / weights : (double) grid->height[j * grid->columns + i];
}

/* The length straight over the ground from one place to another, in steps of at most a cell; INFINITY: one is too steep. */
static double
measure_straight (const RouteGrid *grid, KgVector from, KgVector to)
{
  const double flat = hypot (to.x - from.x, to.z - from.z);
  const double n = grid->height != NULL ? fmax (ceil (flat / grid->cell), 1) : 1;
  double before = route_grid_get_height (grid, from), length = 0;

  for (double k = 1; k <= n; k++) {
    const double height = route_grid_get_height (grid, kg_vector_lerp (from, to, k / n));

    if (grid->height != NULL && fabs (height - before) > grid->max_slope * flat / n * (1 + 1e-6))
      return INFINITY;
    length += hypot (flat / n, height - before);
    before = height;
  }
  return length;
}

static bool
can_go (const RouteGrid *grid, const GArray *cells, guint from, guint to)
{
  const KgVector a = route_grid_get_centre (grid, g_array_index (cells, uint32_t, from)),
                 b = route_grid_get_centre (grid, g_array_index (cells, uint32_t, to));

  return route_grid_sees (grid, a, b) && isfinite (measure_straight (grid, a, b));
}

/* Looks twice as far each time, and then where between the last place that is seen and the first that is not the sight
 * ends: looking at every cell would take the square of a long way. */
static guint
look_ahead (const RouteGrid *grid, const GArray *cells, guint at)
{
  guint seen = at + 1, hidden = cells->len;

  for (guint step = 1; seen + 1 < hidden;) {
    const guint next = MIN (seen + step, cells->len - 1);

    if (!can_go (grid, cells, at, next)) {
      hidden = next;
      break;
    }
    seen = next;
    step *= 2;
  }
  while (hidden - seen > 1) {
    const guint middle = seen + (hidden - seen) / 2;

    if (can_go (grid, cells, at, middle))
      seen = middle;
    else
      hidden = middle;
  }
  return seen;
}

/* From each place on to the farthest one that is seen. */
static GArray *
pull_once (const RouteGrid *grid, const GArray *cells)
{
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  guint at = 0;

  g_array_append_val (kept, g_array_index (cells, uint32_t, 0));
  while (at + 1 < cells->len) {
    at = look_ahead (grid, cells, at);
    g_array_append_val (kept, g_array_index (cells, uint32_t, at));
  }
  return kept;
}

/* The length of one step of the search, which may cut a corner; INFINITY: it is none. */
static double
measure_step (const RouteGrid *grid, uint32_t from, uint32_t to)
{
  for (guint k = 0; k < 8; k++) {
    size_t next = 0;
    const double length = take_step (grid, from, steps[k], &next);

    if (length >= 0 && next == to)
      return length;
  }
  return INFINITY;
}

/* The length straight over the ground from one cell to another; INFINITY: through something, or over what is too steep. */
static double
measure_leg (const RouteGrid *grid, uint32_t from, uint32_t to)
{
  const KgVector a = route_grid_get_centre (grid, from), b = route_grid_get_centre (grid, to);

  return route_grid_sees (grid, a, b) ? measure_straight (grid, a, b) : measure_step (grid, from, to);
}

static double
measure_route (const RouteGrid *grid, const GArray *cells)
{
  const uint32_t *at = (const uint32_t *) (gpointer) cells->data;
  double length = 0;

  for (guint i = 1; i < cells->len; i++)
    length += measure_leg (grid, at[i - 1], at[i]);
  return length;
}

/* Moves bends to cells beside them while that makes the legs at both sides shorter. */
static void
slide_bends (const RouteGrid *grid, GArray *cells)
{
  uint32_t *at = (uint32_t *) (gpointer) cells->data;
  guint n = 1;

  for (guint i = 1; i + 1 < cells->len; i++) {
    double length = measure_leg (grid, at[i - 1], at[i]) + measure_leg (grid, at[i], at[i + 1]);
    bool moved = true;

    for (guint round = 0; moved && round < MAX_PULLS; round++) {
      const size_t cell = at[i];

      moved = false;
      for (guint k = 0; k < 8; k++) {
        size_t next = 0;
        double shorter;

        if (take_step (grid, cell, steps[k], &next) < 0)
          continue;
        shorter = measure_leg (grid, at[i - 1], (uint32_t) next) + measure_leg (grid, (uint32_t) next, at[i + 1]);
        if (shorter < length * (1 - 1e-9)) {
          length = shorter;
          at[i] = (uint32_t) next;
          moved = true;
        }
      }
    }
  }
  /* Some have come to the next one. */
  for (guint i = 1; i < cells->len; i++)
    if (at[i] != at[n - 1])
      at[n++] = at[i];
  g_array_set_size (cells, n);
}

/* (transfer full) All cells along the straight segments of a route, from side to side; backwards, if asked for. */
static GArray *
walk_route (const RouteGrid *grid, const GArray *cells, bool backwards)
{
  GArray *walked = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  const int64_t columns = grid->columns;

  for (guint i = 0; i < cells->len; i++) {
    const int64_t goal = g_array_index (cells, uint32_t, backwards ? cells->len - 1 - i : i);
    const int64_t from = walked->len > 0 ? g_array_index (walked, uint32_t, walked->len - 1) : goal;
    const int64_t dx = goal % columns - from % columns, dz = goal / columns - from / columns;
    const int64_t wide = ABS (dx), deep = ABS (dz);

    if (i == 0) {
      const uint32_t cell = (uint32_t) goal;

      g_array_append_val (walked, cell);
    }
    /* The border at (x + ½) / wide or at (z + ½) / deep is met first. */
    for (int64_t x = 0, z = 0; x < wide || z < deep;) {
      const int64_t later = (2 * x + 1) * deep - (2 * z + 1) * wide;
      uint32_t cell;

      /* A step that cuts a corner goes through neither cell beside it. */
      if (grid->corners && x < wide && z < deep && later == 0) {
        x++;
        z++;
      } else if (z >= deep || (x < wide && later <= 0))
        x++;
      else
        z++;
      cell = (uint32_t) (from + (dx < 0 ? -x : x) + columns * (dz < 0 ? -z : z));
      g_array_append_val (walked, cell);
    }
  }
  return walked;
}

/* From one end a string is not taut yet: it leaves a corner where the next one comes into sight, not at the corner.  Its bends
 * slide to where it is shortest, and between them it is pulled again, from either end, until it is no shorter. */
GArray *
route_grid_pull (const RouteGrid *grid, const GArray *cells)
{
  GArray *kept;
  double length;
  guint idle = 0;

  if (cells->len == 0)
    return g_array_new (FALSE, FALSE, sizeof (uint32_t));
  kept = pull_once (grid, cells);
  length = measure_route (grid, kept);
  for (guint round = 0; round < MAX_PULLS && idle < 2 && kept->len > 2; round++) {
    const bool backwards = round % 2 == 0;
    g_autoptr (GArray) walked = walk_route (grid, kept, backwards), tried = pull_once (grid, walked);
    double shorter;

    if (backwards)
      reverse (tried);
    slide_bends (grid, tried);
    shorter = measure_route (grid, tried);
    idle++;
    if (shorter < length * (1 - 1e-9)) {
      GArray *old = kept;

      kept = g_steal_pointer (&tried);
      tried = old;
      length = shorter;
      idle = 0;
    }
  }
  return kept;
}

float *
route_grid_get_distances (const RouteGrid *grid, const uint32_t *goals, size_t n_goals,
                          const KgProgressMonitor *monitor)
{
  const size_t n = (size_t) grid->columns * grid->rows;
  g_autofree float *distances = g_new (float, n);
  g_autoptr (GArray) heap = g_array_new (FALSE, FALSE, sizeof (Open));

  for (size_t i = 0; i < n; i++)
    distances[i] = INFINITY;
  for (size_t i = 0; i < n_goals; i++) {
    distances[goals[i]] = 0;
    push (heap, (Open){ 0, goals[i] });
  }
  for (size_t count = 0; heap->len > 0; count++) {
    const Open open = pop (heap);

    if (count % 1024 == 0 && kg_progress_is_cancelled (monitor))
      return NULL;
    if (open.key > (double) distances[open.cell])
      continue;
    for (guint k = 0; k < 8; k++) {
      size_t next = 0;
      const double length = take_step (grid, open.cell, steps[k], &next);
      const float there = (float) (open.key + length);

      if (length < 0 || !(there < distances[next]))
        continue;
      distances[next] = there;
      push (heap, (Open){ (double) there, (uint32_t) next });
    }
  }
  return g_steal_pointer (&distances);
}

bool
route_grid_descend (const RouteGrid *grid, const float *distances, KgVector x, KgVector *to)
{
  const int64_t start = route_grid_find_free (grid, x);
  size_t cell;

  if (start < 0 || !isfinite (distances[start]))
    return false;
  cell = (size_t) start;
  *to = route_grid_get_centre (grid, cell);
  /* Out of a blocked cell first. */
  if (route_grid_find (grid, x) != start)
    return true;
  for (guint count = 0; count < LOOK_AHEAD; count++) {
    size_t best = cell, next = 0;

    for (guint k = 0; k < 8; k++)
      if (take_step (grid, cell, steps[k], &next) >= 0 && distances[next] < distances[best])
        best = next;
    if (best == cell || (count > 0 && !route_grid_sees (grid, x, route_grid_get_centre (grid, best))))
      break;
    cell = best;
    *to = route_grid_get_centre (grid, cell);
  }
  return true;
}
