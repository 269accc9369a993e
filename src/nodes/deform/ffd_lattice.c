/* deform/ffd_lattice: a lattice of control points around a geometry.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "deform/lattice.h"

typedef struct {
  const KgGeometry *geometry;
  int64_t l, m, n;
  int basis;
  double padding;
  KgVector origin;
  KgVector s, t, u;
  const KgGeometry *control;
  const KgTable *moves;
  double twist;
  double bend;
  double taper;
  KgVector shift;
  KgGeometry *lattice;
} FfdLattice;

static const KgChoice ffd_lattice_bases[] = {
  [LATTICE_BERNSTEIN] = { "bernstein", N_ ("Bernstein: each point influences all of it") },
  [LATTICE_BSPLINE] = { "b-spline", N_ ("B-spline: each point influences its neighbourhood") },
  [LATTICE_CATMULL_ROM] = { "catmull-rom", N_ ("Catmull-Rom: the jelly passes through the points") },
  [LATTICE_LINEAR] = { "linear", N_ ("Linear: each cell by itself, with creases between them") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (ffd_lattice_bases, LATTICE_N_BASES);

/* Around the geometry where there is one, else as typed. */
static void
ffd_lattice_get_frame (const FfdLattice *n, Lattice *lattice)
{
  KgVector low, high;

  lattice->origin = n->origin;
  lattice->s = n->s;
  lattice->t = n->t;
  lattice->u = n->u;
  if (n->geometry != NULL && kg_geometry_get_bounds (n->geometry, &low, &high)) {
    const double size[] = { high.x - low.x, high.y - low.y, high.z - low.z };
    const double largest = fmax (fmax (size[0], size[1]), fmax (size[2], 1e-3));
    double margin[3];

    /* A flat geometry gets a lattice of some depth. */
    for (int c = 0; c < 3; c++)
      margin[c] = fmax (n->padding * size[c], size[c] < 1e-6 * largest ? 0.05 * largest : 0);
    lattice->origin = kg_vector (low.x - margin[0], low.y - margin[1], low.z - margin[2]);
    lattice->s = kg_vector (size[0] + 2 * margin[0], 0, 0);
    lattice->t = kg_vector (0, size[1] + 2 * margin[1], 0);
    lattice->u = kg_vector (0, 0, size[2] + 2 * margin[2]);
  }
}

/* Twist about the T axis, bend and taper along it, shift of the far end: each grows from the bottom layer to the top.
 * The bend keeps the length of the middle line. */
static void
ffd_lattice_shape (const FfdLattice *n, const Lattice *lattice, float *p)
{
  const double height = kg_vector_length (lattice->t);
  const KgVector axis = kg_vector_normalize_or (lattice->t, kg_vector (0, 1, 0));
  const KgVector side = kg_vector_normalize_or (
      kg_vector_add_scaled (lattice->s, -kg_vector_dot (lattice->s, axis), axis), kg_vector_perpendicular (axis));
  const KgVector hinge = kg_vector_cross (axis, side);
  const KgVector foot = kg_vector_add_scaled (kg_vector_add_scaled (lattice->origin, 0.5, lattice->s), 0.5, lattice->u);
  size_t index = 0;

  for (int i = 0; i <= lattice->divisions[0]; i++)
    for (int j = 0; j <= lattice->divisions[1]; j++)
      for (int k = 0; k <= lattice->divisions[2]; k++, index++) {
        const double h = (double) j / lattice->divisions[1], angle = n->bend * h;
        const KgVector x = kg_floats_get_vector (p, index);
        KgVector d = kg_vector_subtract (x, foot);
        const double along = kg_vector_dot (d, axis);
        KgVector middle = kg_vector_scale (axis, along);

        d = kg_vector_scale (kg_vector_subtract (d, middle), 1 + (n->taper - 1) * h);
        d = kg_rotation_apply (kg_rotation_from_axis_angle (axis, n->twist * h), d);
        if (fabs (n->bend) > 1e-9) {
          const double radius = height / n->bend;

          middle =
              kg_vector_add_scaled (kg_vector_scale (axis, radius * sin (angle)), radius * (1 - cos (angle)), side);
          d = kg_rotation_apply (kg_rotation_from_axis_angle (hinge, angle), d);
        }
        d = kg_vector_add_scaled (kg_vector_add (kg_vector_add (foot, middle), d), h, n->shift);
        kg_floats_set_vector (p, index, d);
      }
}

/* Rows "i j k dx dy dz". */
static bool
ffd_lattice_move (const FfdLattice *n, const Lattice *lattice, float *p, GError **error)
{
  const int *d = lattice->divisions;

  for (size_t r = 0; r < kg_table_get_n_rows (n->moves); r++) {
    const double *row = kg_table_get_row (n->moves, r);
    size_t index = 0;

    for (int c = 0; c < 3; c++) {
      if (row[c] != floor (row[c]) || row[c] < 0 || row[c] > d[c]) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE,
                      "moves, row %zu: %g is not the index of a control point: use whole numbers from 0 to %d", r + 1,
                      row[c], d[c]);
        return false;
      }
      index = index * (size_t) (d[c] + 1) + (size_t) row[c];
    }
    for (size_t c = 0; c < 3; c++)
      p[3 * index + c] += (float) row[3 + c];
  }
  return true;
}

static bool
ffd_lattice_evaluate (FfdLattice *n, const KgContext *ctx, GError **error)
{
  Lattice lattice = { .divisions = { (int) n->l, (int) n->m, (int) n->n }, .basis = (LatticeBasis) n->basis }, check;
  float *p;

  (void) ctx;
  ffd_lattice_get_frame (n, &lattice);
  n->lattice = kg_geometry_new ();
  if (!lattice_write (n->lattice, &lattice, error) || !lattice_read (n->lattice, &check, error))
    return false;
  p = kg_geometry_edit_positions (n->lattice);
  if (n->control != NULL) {
    if (kg_geometry_get_n_points (n->control) != check.n_points) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "control has %zu points but the lattice has %zu: use the same number",
                    kg_geometry_get_n_points (n->control), check.n_points);
      return false;
    }
    memcpy (p, kg_geometry_get_positions (n->control), 3 * check.n_points * sizeof (float));
  }
  if (n->twist != 0 || n->bend != 0 || n->taper != 1 || n->shift.x != 0 || n->shift.y != 0 || n->shift.z != 0)
    ffd_lattice_shape (n, &check, p);
  return ffd_lattice_move (n, &check, p, error);
}

static const KgTableColumn ffd_lattice_columns[] = {
  { "i", N_ ("i"), 0, false },   { "j", N_ ("j"), 0, false },  { "k", N_ ("k"), 0, false },
  { "dx", N_ ("dx"), 0, false }, { "dy", N_ ("dy"), 0, true }, { "dz", N_ ("dz"), 0, true },
  KG_TABLE_COLUMNS_END,
};

static const KgSlot ffd_lattice_slots[] = {
  KG_INPUT (
      FfdLattice, geometry, GEOMETRY, .label = N_ ("Geometry to enclose"), .optional = true,
      .help = N_ (
          "Geometry that the lattice encloses. Link the undeformed geometry. If nothing is linked, the lattice is placed by the inputs under Frame.")),
  KG_INPUT (FfdLattice, l, INTEGER, .label = N_ ("Divisions x"), .def = 3, .min = 1, .max = LATTICE_MAX, .soft_max = 8,
            .help = N_ ("Number of cells along the first axis; there is one more control point than cells.")),
  KG_INPUT (FfdLattice, m, INTEGER, .label = N_ ("Divisions y"), .def = 3, .min = 1, .max = LATTICE_MAX, .soft_max = 8,
            .help = N_ ("Number of cells along the second axis.")),
  KG_INPUT (FfdLattice, n, INTEGER, .label = N_ ("Divisions z"), .def = 3, .min = 1, .max = LATTICE_MAX, .soft_max = 8,
            .help = N_ ("Number of cells along the third axis.")),
  KG_INPUT (FfdLattice, basis, CHOICE, .label = N_ ("Basis"), .choices = ffd_lattice_bases,
            .help = N_ ("How far the influence of a control point extends.")),
  KG_INPUT (FfdLattice, padding, NUMBER, .label = N_ ("Padding"), .unit = KG_PERCENT, .def = 0.01, .min = 0, .max = 10,
            .soft_max = 0.5, .help = N_ ("Margin between the geometry and the lattice on each side.")),
  KG_INPUT (FfdLattice, twist, NUMBER, .label = N_ ("Twist"), .unit = KG_DEGREES, .soft_min = -360, .soft_max = 360,
            .group = N_ ("Shape"), .help = N_ ("Rotates the top relative to the bottom.")),
  KG_INPUT (FfdLattice, bend, NUMBER, .label = N_ ("Bend"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .group = N_ ("Shape"), .help = N_ ("Bends the top sideways along an arc.")),
  KG_INPUT (FfdLattice, taper, NUMBER, .label = N_ ("Taper"), .def = 1, .soft_max = 3, .group = N_ ("Shape"),
            .help = N_ ("Scale of the top: 1 leaves it unchanged, 0 shrinks it to a point.")),
  KG_INPUT (FfdLattice, shift, VECTOR, .label = N_ ("Shift"), .unit = KG_METRES, .handle = { KG_HANDLE_NONE },
            .group = N_ ("Shape"), .help = N_ ("Offset of the top; the layers below follow in proportion.")),
  KG_INPUT (FfdLattice, moves, TABLE, .columns = ffd_lattice_columns, .label = N_ ("Point offsets"),
            .handle = { KG_HANDLE_MOVES }, .group = N_ ("Shape"),
            .help = N_ ("Offsets of individual control points: one per row, as i j k dx dy dz, with i, j, k from 0.")),
  KG_INPUT (FfdLattice, control, GEOMETRY, .label = N_ ("Control"), .optional = true,
            .help = N_ ("Points to use instead of the control points, in the same number and order.")),
  KG_INPUT (FfdLattice, origin, VECTOR, .label = N_ ("Origin"), .unit = KG_METRES,
            .handle = { KG_HANDLE_PLACE, .unless_linked = "geometry" }, .def_v = { -1, -1, -1 }, .group = N_ ("Frame"),
            .help = N_ ("A corner of the lattice, if Geometry to enclose is not linked.")),
  KG_INPUT (FfdLattice, s, VECTOR, .label = N_ ("Axis S"), .unit = KG_METRES,
            .handle = { KG_HANDLE_STEP, .anchor = "origin", .unless_linked = "geometry" }, .def_v = { 2, 0, 0 },
            .group = N_ ("Frame"), .help = N_ ("The first edge of the lattice, from the origin.")),
  KG_INPUT (FfdLattice, t, VECTOR, .label = N_ ("Axis T"), .unit = KG_METRES,
            .handle = { KG_HANDLE_STEP, .anchor = "origin", .unless_linked = "geometry" }, .def_v = { 0, 2, 0 },
            .group = N_ ("Frame"), .help = N_ ("The second edge of the lattice, from the origin.")),
  KG_INPUT (FfdLattice, u, VECTOR, .label = N_ ("Axis U"), .unit = KG_METRES,
            .handle = { KG_HANDLE_STEP, .anchor = "origin", .unless_linked = "geometry" }, .def_v = { 0, 0, 2 },
            .group = N_ ("Frame"), .help = N_ ("The third edge of the lattice, from the origin.")),
  KG_OUTPUT (FfdLattice, lattice, GEOMETRY, .label = N_ ("Lattice"),
             .help = N_ ("The control points, joined by lines. Move them with any node before FFD.")),
};

KG_NODE (
    deform, ffd_lattice, FfdLattice, .label = N_ ("FFD Lattice"), .version = 1, .since = "0.1",
    .tags = N_ ("free form deformation cage control box lattice"),
    .help = N_ (
        "Puts a lattice of control points around a geometry. Typed numbers, keys or any deforming node can move these points; FFD then deforms the geometry accordingly."));
