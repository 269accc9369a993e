/* geometry/polygon: typed outlines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/points_text.h"
#include "kg-node.h"

typedef struct {
  const char *points;
  bool filled;
  KgGeometry *geometry;
} Polygon;

static bool
is_blank (const char *line)
{
  return line[strspn (line, " \t\r")] == '\0';
}

/* Appends the rows as one polygon; none is none. */
static bool
polygon_add (Polygon *n, const char *rows, guint first_row, GError **error)
{
  const size_t before = kg_geometry_get_n_points (n->geometry);
  g_autoptr (GArray) typed = NULL;
  g_autofree uint32_t *vertices = NULL;
  guint count;
  float *p;

  typed = points_text_read (rows, 2, 3, &count, error);
  if (typed == NULL) {
    kg_prefix_error (error, "points, in the outline that begins in line %u: ", first_row);
    return false;
  }
  if (count == 0)
    return true;
  if (count < 3) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "points: the outline that begins in line %u has %u points: an outline needs three, and an empty line ends it",
        first_row, count);
    return false;
  }
  if (!kg_geometry_set_n_points (n->geometry, before + count, error))
    return false;
  p = kg_geometry_edit_positions (n->geometry) + 3 * before;
  vertices = g_new (uint32_t, count);
  for (guint i = 0; i < count; i++) {
    vertices[i] = (uint32_t) before + i;
    for (guint c = 0; c < 3; c++)
      p[3 * i + c] = (float) g_array_index (typed, double, 3 * i + c);
  }
  kg_geometry_add_primitives (n->geometry, n->filled ? KG_POLYGON : KG_POLYLINE, true, 1, count, vertices);
  return true;
}

static bool
polygon_evaluate (Polygon *n, const KgContext *ctx, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (n->points, "\n", -1);
  g_autoptr (GString) rows = g_string_new (NULL);
  guint first = 0;

  (void) ctx;
  n->geometry = kg_geometry_new ();
  for (guint i = 0; lines[i] != NULL; i++) {
    const bool last = lines[i + 1] == NULL;

    if (rows->len == 0)
      first = i + 1;
    if (!is_blank (lines[i]))
      g_string_append_printf (rows, "%s\n", lines[i]);
    if ((is_blank (lines[i]) || last) && rows->len > 0) {
      if (!polygon_add (n, rows->str, first, error))
        return false;
      g_string_truncate (rows, 0);
    }
  }
  return true;
}

static const KgSlot polygon_slots[] = {
  KG_INPUT (Polygon, points, TEXT, .label = N_ ("Points"), .multiline = true, .handle = { KG_HANDLE_POINTS },
            .def_text = "-1 -0.6\n1 -0.6\n0 1",
            .help = N_ ("Points of the outline, one per line, as x y or x y z. An empty line begins another outline.")),
  KG_INPUT (Polygon, filled, BOOLEAN, .label = N_ ("Filled"), .def = 1,
            .help = N_ ("Makes faces; otherwise closed lines.")),
  KG_OUTPUT (Polygon, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The outlines, in order.")),
};

KG_NODE (
    geometry, polygon, Polygon, .label = N_ ("Polygon"), .version = 1, .since = "0.1",
    .tags = N_ ("outline face shape draw trace silhouette cut out paper"),
    .help = N_ (
        "Makes faces whose points are typed or dragged in the viewport. One node can hold any number of faces, one behind the other: the last is drawn on top."));
