/* rig/wire_figure: a figure of points, rods and hinges, typed or added to lines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/points_text.h"
#include "kg-node.h"

/* Most corners of a typed body. */
#define MAX_CORNERS 64

typedef struct {
  KgGeometry *geometry;
  const KgTable *points;
  const KgTable *rods;
  const char *bodies;
  const KgTable *masses;
  const KgTable *hinges;
  const KgTable *pins;
  KgGeometry *figure;
  int64_t n_rods;
  int64_t n_bodies;
  int64_t n_hinges;
} WireFigure;

/* A point without a mass has one kilogram, and is flat without a depth. */
static bool
wire_figure_take_place (const double row[4], guint number, float p[3], float *mass, GError **error)
{
  if (!isnan (row[3]) && !((float) row[3] > 0)) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "points: the mass of point %u is %g kg: type a mass above 0, or none for 1 kg; to hold a point, list its index in Pins",
        number, row[3]);
    return false;
  }
  p[0] = (float) row[0];
  p[1] = (float) row[1];
  p[2] = (float) row[2];
  *mass = isnan (row[3]) ? 1 : (float) row[3];
  return true;
}

/* Takes the number of a point from a row. */
static bool
wire_figure_take_point (const WireFigure *n, const char *name, guint row, double number, uint32_t *point,
                        GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->geometry);

  if (number >= 0 && number < (double) count && number == floor (number)) {
    *point = (uint32_t) number;
    return true;
  }
  if (count == 0)
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s, row %u: no points are given: type some", name, row + 1);
  else
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s, row %u: %g is not the index of a point: use 0 to %zu", name,
                  row + 1, number, count - 1);
  return false;
}

static bool
wire_figure_add_points (WireFigure *n, GError **error)
{
  const size_t before = kg_geometry_get_n_points (n->geometry);
  const guint rows = (guint) kg_table_get_n_rows (n->points);
  float *p, *mass;

  if (!kg_geometry_set_n_points (n->geometry, before + rows, error))
    return false;
  if (rows == 0)
    return true;
  if (kg_geometry_get_float (n->geometry, KG_POINTS, "mass", 1) == NULL) {
    mass = kg_geometry_edit_float (n->geometry, KG_POINTS, "mass", 1);
    for (size_t i = 0; i < before; i++)
      mass[i] = 1;
  }
  mass = kg_geometry_edit_float (n->geometry, KG_POINTS, "mass", 1) + before;
  p = kg_geometry_edit_positions (n->geometry) + 3 * before;
  for (guint i = 0; i < rows; i++)
    if (!wire_figure_take_place (kg_table_get_row (n->points, i), (guint) before + i, p + 3 * i, mass + i, error))
      return false;
  return true;
}

static bool
wire_figure_add_rods (WireFigure *n, GError **error)
{
  const size_t before = kg_geometry_get_n_primitives (n->geometry);
  const guint rows = (guint) kg_table_get_n_rows (n->rods);
  g_autofree uint32_t *vertices = NULL;
  float *shortest, *longest;

  vertices = g_new (uint32_t, MAX (2 * rows, 1));
  for (guint i = 0; i < rows; i++)
    for (guint c = 0; c < 2; c++)
      if (!wire_figure_take_point (n, "rods", i, kg_table_get_row (n->rods, i)[c], &vertices[2 * i + c], error))
        return false;
  kg_geometry_add_primitives (n->geometry, KG_POLYLINE, false, rows, 2, vertices);
  shortest = kg_geometry_edit_float (n->geometry, KG_PRIMITIVES, "shortest", 1) + before;
  longest = kg_geometry_edit_float (n->geometry, KG_PRIMITIVES, "longest", 1) + before;
  for (guint i = 0; i < rows; i++) {
    /* Nothing typed: 0, which leaves the limits to whoever reads the figure. */
    shortest[i] = (float) kg_table_get_row (n->rods, i)[2];
    longest[i] = (float) kg_table_get_row (n->rods, i)[3];
    if (longest[i] == 0)
      longest[i] = shortest[i];
  }
  n->n_rods = rows;
  return true;
}

/* Polygons: rigid where whoever reads the figure knows bodies; else their edges are rods. */
static bool
wire_figure_add_bodies (WireFigure *n, GError **error)
{
  g_autoptr (GArray) typed = NULL;
  guint rows;

  typed = points_text_read_blanks (n->bodies, 3, MAX_CORNERS, &rows, error);
  if (typed == NULL) {
    g_prefix_error (error, "bodies: ");
    return false;
  }
  for (guint i = 0; i < rows; i++) {
    const double *row = &g_array_index (typed, double, (gsize) i *MAX_CORNERS);
    uint32_t vertices[MAX_CORNERS];
    KgPrimitive body = { .kind = KG_POLYGON, .closed = true, .vertices = vertices };

    for (guint c = 0; c < MAX_CORNERS && !isnan (row[c]); c++) {
      if (!wire_figure_take_point (n, "bodies", i, row[c], &vertices[c], error))
        return false;
      body.n_vertices++;
    }
    kg_geometry_add_primitive (n->geometry, &body);
  }
  n->n_bodies = rows;
  return true;
}

/* Of the rods and bodies that are typed, one after the other. */
static bool
wire_figure_set_masses (WireFigure *n, size_t first, GError **error)
{
  const guint count = (guint) (n->n_rods + n->n_bodies);
  const guint n_masses = (guint) kg_table_get_n_rows (n->masses);
  float *mass;

  if (n_masses > count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%u masses are typed, but there are %u rods and bodies: remove some",
                  n_masses, count);
    return false;
  }
  if (n_masses == 0)
    return true;
  mass = kg_geometry_edit_float (n->geometry, KG_PRIMITIVES, "mass", 1) + first;
  for (guint i = 0; i < n_masses; i++)
    mass[i] = (float) kg_table_get_cells (n->masses)[i];
  return true;
}

static bool
wire_figure_add_hinges (WireFigure *n, GError **error)
{
  const size_t before = kg_geometry_get_n_primitives (n->geometry);
  const guint rows = (guint) kg_table_get_n_rows (n->hinges);
  g_autofree uint32_t *vertices = NULL;
  int32_t *hinge;
  float *angles;

  vertices = g_new (uint32_t, MAX (3 * rows, 1));
  for (guint i = 0; i < rows; i++)
    for (guint c = 0; c < 3; c++)
      if (!wire_figure_take_point (n, "hinges", i, kg_table_get_row (n->hinges, i)[c], &vertices[3 * i + c], error))
        return false;
  kg_geometry_add_primitives (n->geometry, KG_POLYLINE, false, rows, 3, vertices);
  hinge = kg_geometry_edit_int (n->geometry, KG_PRIMITIVES, "hinge", 1) + before;
  angles = kg_geometry_edit_float (n->geometry, KG_PRIMITIVES, "angles", 2) + 2 * before;
  for (guint i = 0; i < rows; i++) {
    hinge[i] = 1;
    for (guint c = 0; c < 2; c++)
      angles[2 * i + c] = (float) kg_table_get_row (n->hinges, i)[3 + c];
  }
  n->n_hinges = rows;
  return true;
}

static bool
wire_figure_add_pins (WireFigure *n, GError **error)
{
  const guint rows = (guint) kg_table_get_n_rows (n->pins);
  float *pin;

  if (rows == 0)
    return true;
  pin = kg_geometry_edit_float (n->geometry, KG_POINTS, "pin", 1);
  for (guint i = 0; i < rows; i++) {
    uint32_t point;

    if (!wire_figure_take_point (n, "pins", i, kg_table_get_cells (n->pins)[i], &point, error))
      return false;
    pin[point] = 1;
  }
  return true;
}

static bool
wire_figure_evaluate (WireFigure *n, const KgContext *ctx, GError **error)
{
  size_t first;

  (void) ctx;
  if (n->geometry == NULL)
    n->geometry = kg_geometry_new ();
  kg_geometry_make_writable (&n->geometry);
  first = kg_geometry_get_n_primitives (n->geometry);
  if (!wire_figure_add_points (n, error) || !wire_figure_add_rods (n, error) || !wire_figure_add_bodies (n, error) ||
      !wire_figure_set_masses (n, first, error) || !wire_figure_add_hinges (n, error) ||
      !wire_figure_add_pins (n, error))
    return false;
  n->figure = g_steal_pointer (&n->geometry);
  return true;
}

static const KgTableColumn wire_figure_points[] = {
  { "x", N_ ("x"), 0, false },        { "y", N_ ("y"), 0, false }, { "z", N_ ("z"), 0, true },
  { "mass", N_ ("Mass"), NAN, true }, KG_TABLE_COLUMNS_END,
};

static const KgTableColumn wire_figure_rods[] = {
  { "from", N_ ("From"), 0, false },      { "to", N_ ("To"), 0, false }, { "shortest", N_ ("Shortest"), 0, true },
  { "longest", N_ ("Longest"), 0, true }, KG_TABLE_COLUMNS_END,
};

static const KgTableColumn wire_figure_hinges[] = {
  { "from", N_ ("From"), 0, false },  { "joint", N_ ("Joint"), 0, false },  { "to", N_ ("To"), 0, false },
  { "low", N_ ("Lowest"), 0, false }, { "high", N_ ("Highest"), 0, false }, KG_TABLE_COLUMNS_END,
};

static const KgSlot wire_figure_slots[] = {
  KG_INPUT (WireFigure, geometry, GEOMETRY, .label = N_ ("Lines"), .optional = true,
            .help = N_ ("Drawing to start from: its points come first, and its edges are rods.")),
  KG_INPUT (
      WireFigure, points, TABLE, .columns = wire_figure_points, .label = N_ ("Points"),
      .def_text = "-0.5 0\n0 0\n0.4 0.3", .handle = { KG_HANDLE_POINTS },
      .help = N_ ("One point per row, as x y, x y z, or x y z and the mass in kilograms, which is 1 by default.")),
  KG_INPUT (
      WireFigure, rods, TABLE, .columns = wire_figure_rods, .label = N_ ("Rods"), .def_text = "0 1\n1 2",
      .handle = { KG_HANDLE_JOINS, .anchor = "points", .n_points = 2 },
      .help = N_ (
          "One rod per row: the indices of its two points, counted from 0. A third and a fourth number let it telescope between these multiples of its length: 0.5 2 from half to double.")),
  KG_INPUT (
      WireFigure, bodies, TEXT, .label = N_ ("Bodies"), .multiline = true,
      .handle = { KG_HANDLE_JOINS, .anchor = "points", .n_points = 64 },
      .help = N_ (
          "One body per line: the indices of three or more points around a rigid body that is more than a rod. Skeleton Dynamics treats its edges as rods.")),
  KG_INPUT (
      WireFigure, masses, TABLE, .columns = kg_table_numbers, .label = N_ ("Masses"),
      .handle = { KG_HANDLE_JOIN_VALUES, .anchor = "rods" },
      .help = N_ (
          "Masses in kilograms of the rods, then of the bodies, for Procedural Body; 0 leaves the mass to that node. Skeleton Dynamics uses the masses of the points.")),
  KG_INPUT (
      WireFigure, hinges, TABLE, .columns = wire_figure_hinges, .label = N_ ("Hinges"), .def_text = "0 1 2 -90 90",
      .handle = { KG_HANDLE_JOINS, .anchor = "points", .n_points = 3 },
      .help = N_ (
          "One hinge per row: three points, with the joint in the middle, and the lower and upper limit in degrees of the angle by which the path through them bends. 0 is straight; in the plane, left is positive.")),
  KG_INPUT (WireFigure, pins, TABLE, .columns = kg_table_numbers, .label = N_ ("Pins"),
            .handle = { KG_HANDLE_JOINS, .anchor = "points", .n_points = 1 },
            .help = N_ ("Indices of the points that are held.")),
  KG_OUTPUT (
      WireFigure, figure, GEOMETRY, .label = N_ ("Figure"),
      .help = N_ (
          "Points with mass and pin, two-point lines as rods, polygons as bodies, and three-point lines as hinges.")),
  KG_OUTPUT (WireFigure, n_rods, INTEGER, .label = N_ ("Rods"), .help = N_ ("Number of entries typed.")),
  KG_OUTPUT (WireFigure, n_bodies, INTEGER, .label = N_ ("Bodies"), .help = N_ ("Number of entries typed.")),
  KG_OUTPUT (WireFigure, n_hinges, INTEGER, .label = N_ ("Hinges"), .help = N_ ("Number of entries typed.")),
};

KG_NODE (
    rig, wire_figure, WireFigure, .label = N_ ("Wire Figure"), .version = 1, .since = "0.1",
    .tags = N_ ("skeleton points rods hinges joints stick puppet person dynamics"),
    .help = N_ (
        "Makes a stick figure of points, rods, bodies and hinges for Skeleton Dynamics and Procedural Body. It has no root and can be any network: chains, rings, several bodies."));
