/* contour: marching squares with shared points on the edges, traced to lines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/contour.h"

#include <math.h>

#define NO_POINT UINT32_MAX
#define NEWTON_STEPS 24

typedef struct {
  guint columns, rows;
  double x, y, dx, dy;
  double *values;       /* (columns + 1) * (rows + 1) */
  uint32_t *horizontal; /* the point on the edge from (i, j) to (i + 1, j), or NO_POINT */
  uint32_t *vertical;   /* on that from (i, j) to (i, j + 1) */
  GArray *points;       /* KgVector */
  GArray *next;         /* two uint32_t a point */
} Grid;

static double
get_value (const Grid *grid, guint i, guint j)
{
  return grid->values[(size_t) j * (grid->columns + 1) + i];
}

/* The point where the edge between two corners of opposite sign is crossed; made once, shared by both cells. */
static uint32_t
get_crossing (Grid *grid, guint i, guint j, bool up)
{
  uint32_t *slot = (up ? grid->vertical : grid->horizontal) + (size_t) j * (grid->columns + 1) + i;
  const uint32_t none[] = { NO_POINT, NO_POINT };

  if (*slot == NO_POINT) {
    const double a = get_value (grid, i, j), b = up ? get_value (grid, i, j + 1) : get_value (grid, i + 1, j);
    const double t = a / (a - b);
    const KgVector p = kg_vector (grid->x + grid->dx * (i + (up ? 0 : t)), grid->y + grid->dy * (j + (up ? t : 0)), 0);

    *slot = grid->points->len;
    g_array_append_val (grid->points, p);
    g_array_append_vals (grid->next, none, 2);
  }
  return *slot;
}

static void
join (Grid *grid, uint32_t a, uint32_t b)
{
  uint32_t *next = (uint32_t *) (void *) grid->next->data;

  next[2 * (size_t) a + (next[2 * (size_t) a] != NO_POINT)] = b;
  next[2 * (size_t) b + (next[2 * (size_t) b] != NO_POINT)] = a;
}

static void
march (Grid *grid, guint i, guint j)
{
  const double v[] = { get_value (grid, i, j), get_value (grid, i + 1, j), get_value (grid, i + 1, j + 1),
                       get_value (grid, i, j + 1) };
  uint32_t crossings[4];
  guint n = 0;
  bool inside[4];

  for (guint k = 0; k < 4; k++) {
    if (!isfinite (v[k]))
      return;
    inside[k] = v[k] >= 0;
  }
  /* Around the cell: bottom, right, top, left. */
  for (guint k = 0; k < 4; k++)
    if (inside[k] != inside[(k + 1) % 4])
      crossings[n++] = k == 0   ? get_crossing (grid, i, j, false)
                       : k == 1 ? get_crossing (grid, i + 1, j, true)
                       : k == 2 ? get_crossing (grid, i, j + 1, false)
                                : get_crossing (grid, i, j, true);
  if (n == 2)
    join (grid, crossings[0], crossings[1]);
  if (n == 4) {
    /* Two corners each: the middle decides which belong together. */
    const bool middle = 0.25 * (v[0] + v[1] + v[2] + v[3]) >= 0, whole = middle == inside[0];

    join (grid, crossings[0], crossings[whole ? 1 : 3]);
    join (grid, crossings[2], crossings[whole ? 3 : 1]);
  }
}

/* Along the gradient to the zero, never farther than a cell. */
static KgVector
refine_point (ContourFunction f, gpointer data, KgVector p, double cell)
{
  const double h = 1e-5 * cell;
  KgVector best = p;
  double value = f (data, p.x, p.y), least = fabs (value);

  for (int i = 0; i < NEWTON_STEPS && value != 0; i++) {
    const double gx = (f (data, p.x + h, p.y) - f (data, p.x - h, p.y)) / (2 * h);
    const double gy = (f (data, p.x, p.y + h) - f (data, p.x, p.y - h)) / (2 * h);
    const double g2 = gx * gx + gy * gy;

    if (!(g2 > 0) || !isfinite (g2))
      break;
    p = kg_vector (p.x - value * gx / g2, p.y - value * gy / g2, 0);
    value = f (data, p.x, p.y);
    if (!(fabs (value) < least) || kg_vector_distance (p, best) > cell)
      break;
    least = fabs (value);
    best = p;
  }
  return best;
}

static void
line_free (gpointer data)
{
  ContourLine *line = (ContourLine *) data;

  g_array_unref (line->points);
  g_free (line);
}

/* Crossings beside a corner of the grid are almost one: one is enough. */
static void
add_point (ContourLine *line, KgVector p, double least)
{
  const guint n = line->points->len;

  if (n == 0 || kg_vector_distance (g_array_index (line->points, KgVector, n - 1), p) > least)
    g_array_append_val (line->points, p);
}

static ContourLine *
trace (const Grid *grid, uint8_t *used, uint32_t start)
{
  const uint32_t *next = (const uint32_t *) (void *) grid->next->data;
  ContourLine *line = g_new0 (ContourLine, 1);
  uint32_t at = start;

  line->points = g_array_new (FALSE, FALSE, sizeof (KgVector));
  while (at != NO_POINT && !used[at]) {
    const uint32_t a = next[2 * (size_t) at], b = next[2 * (size_t) at + 1];

    used[at] = 1;
    add_point (line, g_array_index (grid->points, KgVector, at), 1e-4 * fmin (grid->dx, grid->dy));
    at = a != NO_POINT && !used[a] ? a : b != NO_POINT && !used[b] ? b : a == start || b == start ? start : NO_POINT;
  }
  line->closed = at == start && line->points->len > 2;
  if (line->closed && kg_vector_distance (g_array_index (line->points, KgVector, 0),
                                          g_array_index (line->points, KgVector, line->points->len - 1)) <=
                          1e-4 * fmin (grid->dx, grid->dy))
    g_array_set_size (line->points, line->points->len - 1);
  return line;
}

GPtrArray *
contour_find (ContourFunction f, gpointer data, double low_x, double low_y, double high_x, double high_y, guint columns,
              guint rows, bool polish, const KgProgressMonitor *monitor)
{
  const size_t corners = ((size_t) columns + 1) * ((size_t) rows + 1);
  Grid grid = { .columns = columns,
                .rows = rows,
                .x = low_x,
                .y = low_y,
                .dx = (high_x - low_x) / columns,
                .dy = (high_y - low_y) / rows };
  GPtrArray *lines = g_ptr_array_new_with_free_func (line_free);
  g_autofree uint8_t *used = NULL;

  grid.values = g_new (double, corners);
  grid.horizontal = g_new (uint32_t, corners);
  grid.vertical = g_new (uint32_t, corners);
  grid.points = g_array_new (FALSE, FALSE, sizeof (KgVector));
  grid.next = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  memset (grid.horizontal, 0xff, corners * sizeof (uint32_t));
  memset (grid.vertical, 0xff, corners * sizeof (uint32_t));
  for (guint j = 0; j <= rows && !kg_progress_is_cancelled (monitor); j++)
    for (guint i = 0; i <= columns; i++)
      grid.values[(size_t) j * (columns + 1) + i] = f (data, low_x + grid.dx * i, low_y + grid.dy * j);
  for (guint j = 0; j < rows && !kg_progress_is_cancelled (monitor); j++)
    for (guint i = 0; i < columns; i++)
      march (&grid, i, j);
  if (polish)
    for (guint i = 0; i < grid.points->len && !kg_progress_is_cancelled (monitor); i++) {
      KgVector *p = &g_array_index (grid.points, KgVector, i);

      *p = refine_point (f, data, *p, fmin (grid.dx, grid.dy));
    }
  /* Open lines from their ends; what is left are loops. */
  used = g_new0 (uint8_t, MAX (grid.points->len, 1));
  for (guint pass = 0; pass < 2 && !kg_progress_is_cancelled (monitor); pass++)
    for (guint i = 0; i < grid.points->len; i++) {
      const bool end = g_array_index (grid.next, uint32_t, 2 * i + 1) == NO_POINT;

      if (!used[i] && (end || pass == 1))
        g_ptr_array_add (lines, trace (&grid, used, i));
    }
  g_free (grid.values);
  g_free (grid.horizontal);
  g_free (grid.vertical);
  g_array_unref (grid.points);
  g_array_unref (grid.next);
  if (kg_progress_is_cancelled (monitor))
    g_clear_pointer (&lines, g_ptr_array_unref);
  return lines;
}
