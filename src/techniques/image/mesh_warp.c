/* mesh_warp: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/mesh_warp.h"

#include "kg-base.h"
#include "kg-math.h"

#define MAX_POINTS 65536
/* How near a root is found, in pixels. */
#define NEAR 1e-10
/* Places along a piece where its slope is looked at. */
#define LOOKS 8

void
mesh_warp_clear (WarpNet *net)
{
  g_clear_pointer (&net->points, g_free);
}

bool
mesh_warp_read (const KgGeometry *geometry, int columns, int width, int height, WarpNet *net, guint *moved,
                GError **error)
{
  const size_t n = kg_geometry_get_n_points (geometry);
  const float *p = kg_geometry_get_positions (geometry);
  bool down, right;

  *net = (WarpNet){ 0 };
  if (columns < 2 || n % (size_t) columns != 0 || n / (size_t) columns < 2 || n > MAX_POINTS) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%zu points do not form a net of %d columns: use at least 2 whole rows, and at most %d points", n,
                  columns, MAX_POINTS);
    return false;
  }
  *net = (WarpNet){ .rows = (int) (n / (size_t) columns), .columns = columns, .points = g_new (double, 2 * n) };
  /* Rows may be counted from below, columns from the right. */
  down = p[1] >= p[3 * (n - 1) + 1];
  right = p[0] <= p[3 * (columns - 1)];
  *moved = 0;
  for (int r = 0; r < net->rows; r++)
    for (int c = 0; c < columns; c++) {
      const float *from =
          p + 3 * ((size_t) (down ? r : net->rows - 1 - r) * (size_t) columns + (size_t) (right ? c : columns - 1 - c));
      double *to = net->points + 2 * (r * columns + c);
      double x = 0.5 * width + 0.5 * height * (double) from[0], y = 0.5 * height * (1 - (double) from[1]);

      to[0] = c == 0 ? 0 : c == columns - 1 ? width : x;
      to[1] = r == 0 ? 0 : r == net->rows - 1 ? height : y;
      *moved += fabs (to[0] - x) + fabs (to[1] - y) > 0.01;
    }
  return true;
}

WarpNet
mesh_warp_mix_nets (const WarpNet *a, const WarpNet *b, double t)
{
  const int n = 2 * a->rows * a->columns;
  WarpNet net = { .rows = a->rows, .columns = a->columns, .points = g_new (double, (size_t) n) };

  for (int i = 0; i < n; i++)
    net.points[i] = (1 - t) * a->points[i] + t * b->points[i];
  return net;
}

/* Cubic pieces through numbers, or straight ones: coefficients of each piece for a parameter of 0 to 1. */
typedef struct {
  int n; /* pieces */
  double (*a)[4];
} Spline;

static void
fit (Spline *spline, MeshWarpSpline kind, const double *values, int n)
{
  spline->n = n - 1;
  for (int i = 0; i + 1 < n; i++) {
    const double p1 = values[i], p2 = values[i + 1];
    const double p0 = i > 0 ? values[i - 1] : 2 * p1 - p2, p3 = i + 2 < n ? values[i + 2] : 2 * p2 - p1;
    double *a = spline->a[i];

    a[0] = p1;
    a[1] = kind == MESH_WARP_LINEAR ? p2 - p1 : 0.5 * (p2 - p0);
    a[2] = kind == MESH_WARP_LINEAR ? 0 : 0.5 * (2 * p0 - 5 * p1 + 4 * p2 - p3);
    a[3] = kind == MESH_WARP_LINEAR ? 0 : 0.5 * (3 * p1 - p0 - 3 * p2 + p3);
  }
}

static inline double
evaluate (const Spline *spline, double at)
{
  const int i = at >= spline->n ? spline->n - 1 : at < 0 ? 0 : (int) at;
  const double *a = spline->a[i], u = at - i;

  return a[0] + u * (a[1] + u * (a[2] + u * a[3]));
}

/* The piece that does not rise; -1: all do. */
static int
find_fold (const Spline *spline)
{
  for (int i = 0; i < spline->n; i++)
    for (int k = 0; k <= LOOKS; k++) {
      const double u = (double) k / LOOKS, *a = spline->a[i];

      if (!(a[1] + u * (2 * a[2] + u * 3 * a[3]) > 0))
        return i;
    }
  return -1;
}

/* Where a rising spline has a value; *piece: where to look first, and where it was. */
static double
solve (const Spline *spline, double value, int *piece)
{
  double low = 0, high = 1, u = 0.5;
  const double *a;

  while (*piece < spline->n - 1 && value >= spline->a[*piece + 1][0])
    ++*piece;
  while (*piece > 0 && value < spline->a[*piece][0])
    --*piece;
  a = spline->a[*piece];
  for (int k = 0; k < 80; k++) {
    const double error = a[0] + u * (a[1] + u * (a[2] + u * a[3])) - value,
                 slope = a[1] + u * (2 * a[2] + u * 3 * a[3]);
    double next;

    if (fabs (error) < NEAR)
      break;
    if (error > 0)
      high = u;
    else
      low = u;
    next = slope > 0 ? u - error / slope : low - 1;
    u = next > low && next < high ? next : 0.5 * (low + high);
  }
  return *piece + u;
}

/* One pass along rows: from and to have the same y. */
typedef struct {
  const float *pixels;
  float *out;
  int width, height;
  const WarpNet *from, *to;
  MeshWarpSpline spline;
} Pass;

/* Where the columns cross the middle of a row in both nets.  False where a column turns back; *column says which. */
static bool
find_crossings (const Pass *pass, MeshWarpSpline kind, int y, Spline *work, double *values, double *from, double *to,
                int *column)
{
  const int rows = pass->from->rows, columns = pass->from->columns;

  for (int c = 0; c < columns; c++) {
    int piece = 0;
    double at;

    for (int r = 0; r < rows; r++)
      values[r] = pass->from->points[2 * (r * columns + c) + 1];
    fit (work, kind, values, rows);
    *column = c;
    if (find_fold (work) >= 0)
      return false;
    at = solve (work, y + 0.5, &piece);
    for (int r = 0; r < rows; r++)
      values[r] = pass->from->points[2 * (r * columns + c)];
    fit (work, kind, values, rows);
    from[c] = evaluate (work, at);
    for (int r = 0; r < rows; r++)
      values[r] = pass->to->points[2 * (r * columns + c)];
    fit (work, kind, values, rows);
    to[c] = evaluate (work, at);
  }
  return true;
}

/* Lays the source pixels of a row where they go.  False where it folds. */
static bool
warp_row (const Pass *pass, MeshWarpSpline kind, int y, int *column)
{
  const int columns = pass->from->columns, size = MAX (columns, pass->from->rows);
  g_autofree double *numbers = g_new (double, 3 * (size_t) size + 5 * (size_t) pass->width);
  g_autofree double (*pieces)[4] = g_malloc_n (2 * (size_t) size, sizeof *pieces);
  double *values = numbers, *from = numbers + size, *to = from + size, *sum = to + size, before;
  Spline here = { .a = pieces }, there = { .a = pieces + size };
  const float *p = pass->pixels + 4 * (size_t) y * (size_t) pass->width;
  float *out = pass->out + 4 * (size_t) y * (size_t) pass->width;
  int piece = 0;

  if (!find_crossings (pass, kind, y, &here, values, from, to, column))
    return false;
  fit (&here, kind, from, columns);
  fit (&there, kind, to, columns);
  *column = find_fold (&here);
  if (*column < 0)
    *column = find_fold (&there);
  if (*column >= 0)
    return false;
  memset (sum, 0, 5 * (size_t) pass->width * sizeof *sum);
  before = 0;
  for (int x = 0; x < pass->width; x++, p += 4) {
    const double after = x == pass->width - 1
                             ? pass->width
                             : kg_clamp (evaluate (&there, solve (&here, x + 1, &piece)), before, pass->width);

    for (int i = (int) before; i < pass->width && i < after; i++) {
      const double part = fmin (i + 1, after) - fmax (i, before);

      for (int c = 0; c < 4; c++)
        sum[5 * i + c] += part * (double) p[c];
      sum[5 * i + 4] += part;
    }
    before = after;
  }
  for (int x = 0; x < pass->width; x++)
    for (int c = 0; c < 4; c++)
      out[4 * x + c] = sum[5 * x + 4] > 0 ? (float) (sum[5 * x + c] / sum[5 * x + 4]) : 0;
  return true;
}

/* folded: (out) the first row that folds, and its column; -1: none. */
static bool
run_pass (const Pass *pass, bool unfold, int folded[2], const KgProgressMonitor *monitor)
{
  g_autofree int *folds = g_new (int, (size_t) pass->height);

  folded[0] = -1;
  folded[1] = 0;
#pragma omp parallel for schedule(dynamic, 4)
  for (int y = 0; y < pass->height; y++) {
    int column = -1;

    folds[y] = -1;
    if (kg_progress_is_cancelled (monitor))
      continue;
    if (!warp_row (pass, pass->spline, y, &column) &&
        !(unfold && pass->spline != MESH_WARP_LINEAR && warp_row (pass, MESH_WARP_LINEAR, y, &column)))
      folds[y] = column;
  }
  for (int y = pass->height - 1; y >= 0; y--)
    if (folds[y] >= 0) {
      folded[0] = y;
      folded[1] = folds[y];
    }
  return !kg_progress_is_cancelled (monitor);
}

static float *
transpose (const float *pixels, int width, int height)
{
  float *turned = g_new (float, 4 * (size_t) width * (size_t) height);

#pragma omp parallel for schedule(static)
  for (int x = 0; x < width; x++)
    for (int y = 0; y < height; y++)
      memcpy (turned + 4 * ((size_t) x * (size_t) height + (size_t) y),
              pixels + 4 * ((size_t) y * (size_t) width + (size_t) x), 4 * sizeof *turned);
  return turned;
}

/* The net of the image turned about its diagonal: x from one net, y from another. */
static WarpNet
join_nets (const WarpNet *x, const WarpNet *y, bool turned)
{
  WarpNet net = { .rows = turned ? x->columns : x->rows,
                  .columns = turned ? x->rows : x->columns,
                  .points = g_new (double, 2 * (size_t) x->rows * (size_t) x->columns) };

  for (int r = 0; r < x->rows; r++)
    for (int c = 0; c < x->columns; c++) {
      double *to = net.points + 2 * (turned ? c * x->rows + r : r * x->columns + c);
      const int at = 2 * (r * x->columns + c);

      to[turned ? 1 : 0] = x->points[at];
      to[turned ? 0 : 1] = y->points[at + 1];
    }
  return net;
}

bool
mesh_warp_apply (const KgImage *image, const WarpNet *from, const WarpNet *to, MeshWarpSpline spline, bool unfold,
                 bool columns_first, KgImage *out, const KgProgressMonitor *monitor, GError **error)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  g_autofree float *now =
      g_memdup2 (kg_image_get_pixels (image), 4 * sizeof (float) * (size_t) width * (size_t) height);

  if (from->rows != to->rows || from->columns != to->columns) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the nets have %d x %d and %d x %d points: give both the same number of rows and columns",
                  from->columns, from->rows, to->columns, to->rows);
    return false;
  }
  for (int k = 0; k < 2; k++) {
    const bool turned = (k == 1) != columns_first;
    g_auto (WarpNet) a = { 0 }, b = { 0 };
    g_autofree float *source = NULL, *result = g_new0 (float, 4 * (size_t) width * (size_t) height);
    int folded[2];
    Pass pass;

    if (turned) {
      /* y moves; in the second pass x is where it goes already. */
      a = join_nets (k == 1 ? to : from, from, true);
      b = join_nets (k == 1 ? to : from, to, true);
    } else {
      a = join_nets (from, k == 1 ? to : from, false);
      b = join_nets (to, k == 1 ? to : from, false);
    }
    source = turned ? transpose (now, width, height) : g_steal_pointer (&now);
    pass = (Pass){ .pixels = source,
                   .out = result,
                   .width = turned ? height : width,
                   .height = turned ? width : height,
                   .from = &a,
                   .to = &b,
                   .spline = spline };
    if (!run_pass (&pass, unfold, folded, monitor))
      return false;
    if (folded[0] >= 0) {
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    turned
                        ? "the net folds over in column %d of the image, at row %d of the net: move its points apart"
                        : "the net folds over in row %d of the image, at column %d of the net: move its points apart",
                    folded[0], folded[1]);
      return false;
    }
    g_free (now);
    now = turned ? transpose (result, height, width) : g_steal_pointer (&result);
  }
  memcpy (kg_image_edit_pixels (out), now, 4 * sizeof (float) * (size_t) width * (size_t) height);
  return true;
}
