/* geometry/polygon: typed outlines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  const KgTable *points;
  bool filled;
  KgGeometry *geometry;
} Polygon;

/* Adds rows from first on, all of one outline, as one polygon. */
static bool
polygon_add (Polygon *n, size_t first, size_t count, GError **error)
{
  const size_t before = kg_geometry_get_n_points (n->geometry);
  g_autofree uint32_t *vertices = NULL;
  float *p;

  if (count < 3) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "points: the outline that begins in row %zu has %zu points: give an outline at least three",
                  first + 1, count);
    return false;
  }
  if (!kg_geometry_set_n_points (n->geometry, before + count, error))
    return false;
  p = kg_geometry_edit_positions (n->geometry) + 3 * before;
  vertices = g_new (uint32_t, count);
  for (size_t i = 0; i < count; i++) {
    const double *row = kg_table_get_row (n->points, first + i);

    vertices[i] = (uint32_t) (before + i);
    for (guint c = 0; c < 3; c++)
      p[3 * i + c] = (float) row[c];
  }
  kg_geometry_add_primitives (n->geometry, n->filled ? KG_POLYGON : KG_POLYLINE, true, 1, (uint32_t) count, vertices);
  return true;
}

static bool
polygon_evaluate (Polygon *n, const KgContext *ctx, GError **error)
{
  const size_t n_rows = kg_table_get_n_rows (n->points);
  size_t first = 0;

  (void) ctx;
  n->geometry = kg_geometry_new ();
  for (size_t i = 1; i <= n_rows; i++) {
    if (i < n_rows && kg_table_get_row (n->points, i)[3] == kg_table_get_row (n->points, first)[3])
      continue;
    if (!polygon_add (n, first, i - first, error))
      return false;
    first = i;
  }
  return true;
}

static const KgTableColumn polygon_columns[] = {
  { "x", N_ ("x"), 0, false }, { "y", N_ ("y"), 0, false },
  { "z", N_ ("z"), 0, true },  { "outline", N_ ("Outline"), 0, KG_COLUMN_BLOCK },
  KG_TABLE_COLUMNS_END,
};

static const KgSlot polygon_slots[] = {
  KG_INPUT (Polygon, points, TABLE, .columns = polygon_columns, .label = N_ ("Points"), .handle = { KG_HANDLE_POINTS },
            .def_text = "-1 -0.6\n1 -0.6\n0 1",
            .help = N_ ("Points of the outlines, one per row, as x y or x y z. Rows with another number of the outline "
                        "begin another one; in text, an empty line does.")),
  KG_INPUT (Polygon, filled, BOOLEAN, .label = N_ ("Filled"), .def = 1,
            .help = N_ ("Makes faces; otherwise closed lines.")),
  KG_OUTPUT (Polygon, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The outlines, in order.")),
};

KG_NODE (
    geometry, polygon, Polygon, .label = N_ ("Polygon"), .version = 1, .since = "0.1",
    .tags = N_ ("outline face shape draw trace silhouette cut out paper"),
    .help = N_ (
        "Makes faces whose points are typed or dragged in the viewport. One node can hold any number of faces, one behind the other: the last is drawn on top."));
