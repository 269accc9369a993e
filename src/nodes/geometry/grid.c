/* geometry/grid: a flat net of squares.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

/* Most points of one grid: enough for any mesh, small enough to be refused before memory is. */
#define GRID_MAX_POINTS 100000000

typedef struct {
  KgVector size;
  int64_t columns;
  int64_t rows;
  int plane;
  KgGeometry *geometry;
} Grid;

enum { PLANE_XY, PLANE_ZX, PLANE_YZ, N_PLANES };

static const KgChoice grid_planes[] = {
  [PLANE_XY] = { "xy", N_ ("xy, facing z") },
  [PLANE_ZX] = { "zx", N_ ("zx, facing y (a floor)") },
  [PLANE_YZ] = { "yz", N_ ("yz, facing x") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (grid_planes, N_PLANES);

static bool
grid_evaluate (Grid *n, const KgContext *ctx, GError **error)
{
  const size_t columns = (size_t) n->columns, rows = (size_t) n->rows;
  const size_t nx = columns + 1, ny = rows + 1;
  /* The two axes of the plane, such that their cross product is the third. */
  const size_t a = n->plane == PLANE_XY ? 0 : n->plane == PLANE_ZX ? 2 : 1, b = (a + 1) % 3, c = (a + 2) % 3;
  g_autofree uint32_t *vertices = NULL;
  float *p, *uv;

  if (nx * ny > GRID_MAX_POINTS) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu × %zu points are too many: a grid has at most %d points", nx, ny,
                  GRID_MAX_POINTS);
    return false;
  }
  n->geometry = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->geometry, nx * ny, error))
    return false;
  vertices = (uint32_t *) g_try_malloc (columns * rows * 4 * sizeof (uint32_t));
  if (vertices == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for this many squares: use fewer");
    return false;
  }
  p = kg_geometry_edit_positions (n->geometry);
  uv = kg_geometry_edit_float (n->geometry, KG_POINTS, "uv", 2);
  for (size_t j = 0; j < ny; j++) {
    if (kg_context_is_cancelled (ctx))
      return false;
    for (size_t i = 0; i < nx; i++) {
      const double u = (double) i / (double) columns, v = (double) j / (double) rows;
      const size_t k = j * nx + i;

      p[3 * k + a] = (float) ((u - 0.5) * n->size.x);
      p[3 * k + b] = (float) ((v - 0.5) * n->size.y);
      p[3 * k + c] = 0;
      uv[2 * k] = (float) u;
      uv[2 * k + 1] = (float) v;
    }
  }
  for (size_t j = 0; j < rows; j++) {
    if (kg_context_is_cancelled (ctx))
      return false;
    for (size_t i = 0; i < columns; i++) {
      const uint32_t first = (uint32_t) (j * nx + i);
      const uint32_t square[] = { first, first + 1, first + (uint32_t) nx + 1, first + (uint32_t) nx };

      memcpy (vertices + 4 * (j * columns + i), square, sizeof square);
    }
  }
  kg_geometry_add_primitives (n->geometry, KG_POLYGON, true, columns * rows, 4, vertices);
  return true;
}

static const KgSlot grid_slots[] = {
  KG_INPUT (Grid, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES, .handle = { KG_HANDLE_SIZE },
            .def_v = { 2, 2, 0 }, .help = N_ ("Width and height; the third component is not used.")),
  KG_INPUT (Grid, columns, INTEGER, .label = N_ ("Columns"), .def = 10, .min = 1, .max = 100000, .soft_max = 200,
            .help = N_ ("Number of squares across.")),
  KG_INPUT (Grid, rows, INTEGER, .label = N_ ("Rows"), .def = 10, .min = 1, .max = 100000, .soft_max = 200,
            .help = N_ ("Number of squares up.")),
  KG_INPUT (Grid, plane, CHOICE, .label = N_ ("Plane"), .choices = grid_planes, .help = N_ ("Plane of the grid.")),
  KG_OUTPUT (Grid, geometry, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The squares, with uv from 0 to 1 across and up.")),
};

KG_NODE (geometry, grid, Grid, .label = N_ ("Grid"), .version = 1, .since = "0.1",
         .tags = N_ ("plane net mesh floor square rectangle"),
         .help = N_ ("Makes a flat grid of squares around the origin: a floor, a flag, a canvas to deform."));
