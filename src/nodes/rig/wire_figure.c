/* rig/wire_figure: a figure of points, rods and hinges, typed or added to lines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/points_text.h"
#include "kg-node.h"

/* Most corners of a typed body. */
#define MAX_CORNERS 64

typedef struct {
  KgGeometry *geometry;
  const char *points;
  const char *rods;
  const char *bodies;
  const char *masses;
  const char *hinges;
  const char *pins;
  KgGeometry *figure;
  int64_t n_rods;
  int64_t n_bodies;
  int64_t n_hinges;
} WireFigure;

/* Rows of numbers; *error names the input. */
static GArray *
wire_figure_read (const char *text, const char *name, guint min, guint max, guint *rows, GError **error)
{
  GArray *read = points_text_read (text, min, max, rows, error);

  if (read == NULL)
    g_prefix_error (error, "%s: ", name);
  return read;
}

/* A point without a mass has one kilogram, and is flat without a depth. */
static bool
wire_figure_take_place (const double row[4], guint number, float p[3], float *mass, GError **error)
{
  if (isnan (row[0]) || isnan (row[1])) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "points: point %u has no x or no y: type both", number);
    return false;
  }
  if (!isnan (row[3]) && !((float) row[3] > 0)) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "points: the mass of point %u is %g kg: type a mass above 0, or none for 1 kg; to hold a point, list its index in Pins",
        number, row[3]);
    return false;
  }
  p[0] = (float) row[0];
  p[1] = (float) row[1];
  p[2] = isnan (row[2]) ? 0 : (float) row[2];
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
  g_autoptr (GArray) typed = NULL;
  guint rows;
  float *p, *mass;

  typed = points_text_read_blanks (n->points, 2, 4, &rows, error);
  if (typed == NULL)
    g_prefix_error (error, "points: ");
  if (typed == NULL || !kg_geometry_set_n_points (n->geometry, before + rows, error))
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
    if (!wire_figure_take_place (&g_array_index (typed, double, 4 * i), (guint) before + i, p + 3 * i, mass + i, error))
      return false;
  return true;
}

static bool
wire_figure_add_rods (WireFigure *n, GError **error)
{
  const size_t before = kg_geometry_get_n_primitives (n->geometry);
  g_autoptr (GArray) typed = NULL;
  g_autofree uint32_t *vertices = NULL;
  float *shortest, *longest;
  guint rows;

  typed = wire_figure_read (n->rods, "rods", 2, 4, &rows, error);
  if (typed == NULL)
    return false;
  vertices = g_new (uint32_t, MAX (2 * rows, 1));
  for (guint i = 0; i < rows; i++)
    for (guint c = 0; c < 2; c++)
      if (!wire_figure_take_point (n, "rods", i, g_array_index (typed, double, 4 * i + c), &vertices[2 * i + c], error))
        return false;
  kg_geometry_add_primitives (n->geometry, KG_POLYLINE, false, rows, 2, vertices);
  shortest = kg_geometry_edit_float (n->geometry, KG_PRIMITIVES, "shortest", 1) + before;
  longest = kg_geometry_edit_float (n->geometry, KG_PRIMITIVES, "longest", 1) + before;
  for (guint i = 0; i < rows; i++) {
    /* Nothing typed: 0, which leaves the limits to whoever reads the figure. */
    shortest[i] = (float) g_array_index (typed, double, 4 * i + 2);
    longest[i] = (float) g_array_index (typed, double, 4 * i + 3);
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
  g_autoptr (GArray) typed = NULL;
  float *mass;

  typed = points_text_read_numbers (n->masses, error);
  if (typed == NULL) {
    g_prefix_error (error, "masses: ");
    return false;
  }
  if (typed->len > count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%u masses are typed, but there are %u rods and bodies: remove some",
                  typed->len, count);
    return false;
  }
  if (typed->len == 0)
    return true;
  mass = kg_geometry_edit_float (n->geometry, KG_PRIMITIVES, "mass", 1) + first;
  for (guint i = 0; i < typed->len; i++)
    mass[i] = (float) g_array_index (typed, double, i);
  return true;
}

static bool
wire_figure_add_hinges (WireFigure *n, GError **error)
{
  const size_t before = kg_geometry_get_n_primitives (n->geometry);
  g_autoptr (GArray) typed = NULL;
  g_autofree uint32_t *vertices = NULL;
  int32_t *hinge;
  float *angles;
  guint rows;

  typed = wire_figure_read (n->hinges, "hinges", 5, 5, &rows, error);
  if (typed == NULL)
    return false;
  vertices = g_new (uint32_t, MAX (3 * rows, 1));
  for (guint i = 0; i < rows; i++)
    for (guint c = 0; c < 3; c++)
      if (!wire_figure_take_point (n, "hinges", i, g_array_index (typed, double, 5 * i + c), &vertices[3 * i + c],
                                   error))
        return false;
  kg_geometry_add_primitives (n->geometry, KG_POLYLINE, false, rows, 3, vertices);
  hinge = kg_geometry_edit_int (n->geometry, KG_PRIMITIVES, "hinge", 1) + before;
  angles = kg_geometry_edit_float (n->geometry, KG_PRIMITIVES, "angles", 2) + 2 * before;
  for (guint i = 0; i < rows; i++) {
    hinge[i] = 1;
    for (guint c = 0; c < 2; c++)
      angles[2 * i + c] = (float) g_array_index (typed, double, 5 * i + 3 + c);
  }
  n->n_hinges = rows;
  return true;
}

static bool
wire_figure_add_pins (WireFigure *n, GError **error)
{
  g_autoptr (GArray) typed = NULL;
  guint rows;
  float *pin;

  typed = wire_figure_read (n->pins, "pins", 1, 1, &rows, error);
  if (typed == NULL)
    return false;
  if (rows == 0)
    return true;
  pin = kg_geometry_edit_float (n->geometry, KG_POINTS, "pin", 1);
  for (guint i = 0; i < rows; i++) {
    uint32_t point;

    if (!wire_figure_take_point (n, "pins", i, g_array_index (typed, double, i), &point, error))
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

static const KgSlot wire_figure_slots[] = {
  KG_INPUT (WireFigure, geometry, GEOMETRY, .label = N_ ("Lines"), .optional = true,
            .help = N_ ("Drawing to start from: its points come first, and its edges are rods.")),
  KG_INPUT (
      WireFigure, points, TEXT, .label = N_ ("Points"), .multiline = true, .def_text = "-0.5 0\n0 0\n0.4 0.3",
      .handle = { KG_HANDLE_POINTS },
      .help = N_ ("One point per line, as x y, x y z, or x y z and the mass in kilograms, which is 1 by default.")),
  KG_INPUT (
      WireFigure, rods, TEXT, .label = N_ ("Rods"), .multiline = true, .def_text = "0 1\n1 2",
      .handle = { KG_HANDLE_JOINS, .anchor = "points", .n_points = 2 },
      .help = N_ (
          "One rod per line: the indices of its two points, counted from 0. A third and a fourth number let it telescope between these multiples of its length: 0.5 2 from half to double.")),
  KG_INPUT (
      WireFigure, bodies, TEXT, .label = N_ ("Bodies"), .multiline = true,
      .handle = { KG_HANDLE_JOINS, .anchor = "points", .n_points = 64 },
      .help = N_ (
          "One body per line: the indices of three or more points around a rigid body that is more than a rod. Skeleton Dynamics treats its edges as rods.")),
  KG_INPUT (
      WireFigure, masses, TEXT, .label = N_ ("Masses"), .multiline = true,
      .handle = { KG_HANDLE_JOIN_VALUES, .anchor = "rods" },
      .help = N_ (
          "Masses in kilograms of the rods, then of the bodies, for Procedural Body; 0 leaves the mass to that node. Skeleton Dynamics uses the masses of the points.")),
  KG_INPUT (
      WireFigure, hinges, TEXT, .label = N_ ("Hinges"), .multiline = true, .def_text = "0 1 2 -90 90",
      .handle = { KG_HANDLE_JOINS, .anchor = "points", .n_points = 3 },
      .help = N_ (
          "One hinge per line: three points, with the joint in the middle, and the lower and upper limit in degrees of the angle by which the path through them bends. 0 is straight; in the plane, left is positive.")),
  KG_INPUT (WireFigure, pins, TEXT, .label = N_ ("Pins"), .multiline = true,
            .handle = { KG_HANDLE_JOINS, .anchor = "points", .n_points = 1 },
            .help = N_ ("Indices of the points that are held, one per line.")),
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
