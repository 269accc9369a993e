/* deform/move_points: takes hold of single points, by values that can be keyed.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "deform/lattice.h"

#include <inttypes.h>

typedef struct {
  KgGeometry *geometry;
  int which;
  int64_t point;
  int64_t i, j, k;
  const char *group;
  int how;
  KgVector offset;
  KgVector place;
  KgGeometry *moved;
  int64_t count;
  KgVector start;
} MovePoints;

enum { MOVE_NUMBER, MOVE_LATTICE, MOVE_GROUP, N_WHICH };
enum { MOVE_BY, MOVE_TO, N_HOWS };

static const KgChoice move_points_which[] = {
  [MOVE_NUMBER] = { "number", N_ ("A point by index") },
  [MOVE_LATTICE] = { "lattice", N_ ("Control points of a lattice") },
  [MOVE_GROUP] = { "group", N_ ("Group") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (move_points_which, N_WHICH);

static const KgChoice move_points_hows[] = {
  [MOVE_BY] = { "by", N_ ("By an offset") },
  [MOVE_TO] = { "to", N_ ("To a position") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (move_points_hows, N_HOWS);

static void
move_points_move (MovePoints *n, float *p)
{
  const KgVector by = n->how == MOVE_BY ? n->offset : n->place;

  n->start = kg_vector_add (n->start, kg_vector (p[0], p[1], p[2]));
  for (int c = 0; c < 3; c++)
    p[c] = (float) ((n->how == MOVE_BY ? (double) p[c] : 0) + kg_vector_get (by, (size_t) c));
  n->count++;
}

static bool
move_points_number (MovePoints *n, float *p, GError **error)
{
  const size_t n_points = kg_geometry_get_n_points (n->geometry);

  if ((size_t) n->point >= n_points) {
    if (n_points == 0)
      kg_set_error (error, KG_ERROR_DEGENERATE, "the geometry has no points to move");
    else
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "point %" PRId64 " does not exist: use whole numbers from 0 to %zu",
                    n->point, n_points - 1);
    return false;
  }
  move_points_move (n, p + 3 * n->point);
  return true;
}

static bool
move_points_lattice (MovePoints *n, float *p, GError **error)
{
  const int64_t wanted[] = { n->i, n->j, n->k };
  Lattice lattice;
  int first[3], last[3];

  if (!lattice_read (n->geometry, &lattice, error))
    return false;
  for (int axis = 0; axis < 3; axis++) {
    if (wanted[axis] > lattice.divisions[axis]) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "%c is %" PRId64 ", but the lattice has %d divisions in that direction: use 0 to %d, or -1 for all",
                    "ijk"[axis], wanted[axis], lattice.divisions[axis], lattice.divisions[axis]);
      return false;
    }
    first[axis] = wanted[axis] < 0 ? 0 : (int) wanted[axis];
    last[axis] = wanted[axis] < 0 ? lattice.divisions[axis] : (int) wanted[axis];
  }
  for (int i = first[0]; i <= last[0]; i++)
    for (int j = first[1]; j <= last[1]; j++)
      for (int k = first[2]; k <= last[2]; k++)
        move_points_move (n, p + 3 * ((i * (lattice.divisions[1] + 1) + j) * (lattice.divisions[2] + 1) + k));
  return true;
}

static bool
move_points_group (MovePoints *n, float *p, GError **error)
{
  const int32_t *member = kg_geometry_get_int (n->geometry, KG_POINTS, n->group, 1);

  if (member == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the point group \"%s\" is missing: create it with geometry/group",
                  n->group);
    return false;
  }
  for (size_t i = 0; i < kg_geometry_get_n_points (n->geometry); i++)
    if (member[i] != 0)
      move_points_move (n, p + 3 * i);
  return true;
}

static bool
move_points_evaluate (MovePoints *n, const KgContext *ctx, GError **error)
{
  bool (*const moves[]) (MovePoints *, float *, GError **) = { move_points_number, move_points_lattice,
                                                               move_points_group };

  (void) ctx;
  kg_geometry_make_writable (&n->geometry);
  if (!moves[n->which](n, kg_geometry_edit_positions (n->geometry), error))
    return false;
  n->start = kg_vector_scale (n->start, 1 / (double) MAX (n->count, 1));
  if (kg_geometry_get_float (n->geometry, KG_POINTS, "N", 3) != NULL)
    kg_geometry_compute_normals (n->geometry);
  n->moved = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot move_points_slots[] = {
  KG_INPUT (MovePoints, geometry, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("The geometry whose points are moved: a mesh, a curve, a lattice.")),
  KG_INPUT (MovePoints, which, CHOICE, .label = N_ ("Which"), .choices = move_points_which,
            .help = N_ ("Which points are moved.")),
  KG_INPUT (MovePoints, point, INTEGER, .shown_when = "which=number", .label = N_ ("Point"), .min = 0, .max = 1e9,
            .soft_max = 100, .help = N_ ("Index of the point, from 0; the spreadsheet lists them.")),
  KG_INPUT (MovePoints, i, INTEGER, .shown_when = "which=lattice", .label = N_ ("i"), .min = -1, .max = LATTICE_MAX,
            .soft_max = 8, .help = N_ ("Index along the first axis of the lattice, from 0; -1 for all.")),
  KG_INPUT (MovePoints, j, INTEGER, .shown_when = "which=lattice", .label = N_ ("j"), .min = -1, .max = LATTICE_MAX,
            .soft_max = 8, .help = N_ ("Index along the second axis.")),
  KG_INPUT (MovePoints, k, INTEGER, .shown_when = "which=lattice", .label = N_ ("k"), .min = -1, .max = LATTICE_MAX,
            .soft_max = 8, .help = N_ ("Index along the third axis.")),
  KG_INPUT (MovePoints, group, TEXT, .shown_when = "which=group", .label = N_ ("Group"), .def_text = "group",
            .help = N_ ("Name of a point group, as made by Group.")),
  KG_INPUT (MovePoints, how, CHOICE, .label = N_ ("Mode"), .choices = move_points_hows,
            .help = N_ ("An offset is added to any earlier movement of the points; a position replaces it.")),
  KG_INPUT (MovePoints, offset, VECTOR, .shown_when = "how=by", .label = N_ ("Offset"), .unit = KG_METRES,
            .handle = { KG_HANDLE_STEP, .anchor = "start" },
            .help = N_ ("Distance and direction of the movement: key it. A zero offset leaves the points unchanged.")),
  KG_INPUT (MovePoints, place, VECTOR, .shown_when = "how=to", .label = N_ ("Position"), .unit = KG_METRES,
            .help = N_ ("Position that the points are moved to: key it, or link a moving position.")),
  KG_OUTPUT (MovePoints, moved, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The geometry with these points moved.")),
  KG_OUTPUT (MovePoints, count, INTEGER, .label = N_ ("Count"), .help = N_ ("Number of points moved.")),
  KG_OUTPUT (MovePoints, start, VECTOR, .label = N_ ("Start"), .unit = KG_METRES,
             .help = N_ ("Position of the point without this node; for several points, their mean.")),
};

KG_NODE (
    deform, move_points, MovePoints, .label = N_ ("Move Points"), .version = 1, .since = "0.1",
    .tags = N_ ("single vertex edit key animate control point lattice ffd shape tweak soft pin"),
    .help = N_ (
        "Moves individual points and leaves the others unchanged. Offset and position are values like any other: key them, link them, or write an expression. A row of these nodes, one per point, between FFD Lattice and FFD animates a lattice point by point; after Spline it animates a curve, after Polygon a shape."));
