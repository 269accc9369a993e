/* soft/keys: the keys of a soft object, from points, a table or along lines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "soft/soft_keys.h"

#include <inttypes.h>

/* Most keys along lines. */
#define KEYS_MAX 10000000

typedef struct {
  const KgGeometry *points;
  const KgTable *table;
  const KgGeometry *along;
  int64_t per_piece;
  int ends;
  bool aligned;
  KgVector size;
  int as;
  double power;
  double force;
  int kind;
  int64_t group;
  KgColor color;
  KgGeometry *keys;
  int64_t count;
} Keys;

enum { AS_BODY, AS_INFLUENCE, N_AS };

static const KgChoice keys_as[] = {
  [AS_BODY] = { "body", N_ ("The body that the key has alone") },
  [AS_INFLUENCE] = { "influence", N_ ("Its influence") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (keys_as, N_AS);

static const KgChoice keys_kinds[] = {
  [SOFT_KEY_ELLIPSOID] = { "ellipsoid", N_ ("Ball, ellipsoid or box with round edges") },
  [SOFT_KEY_PLANE] = { "plane", N_ ("Plane that attracts or repels other keys") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (keys_kinds, SOFT_KEY_N_KINDS);

enum { ENDS_CENTRED, ENDS_INCLUSIVE, N_ENDS };

static const KgChoice keys_ends[] = {
  [ENDS_CENTRED] = { "centred", N_ ("In the middle of equal parts") },
  [ENDS_INCLUSIVE] = { "inclusive", N_ ("From end to end") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (keys_ends, N_ENDS);

enum { X, Y, Z, A, B, C, POWER, FORCE, RX, RY, RZ, GROUP, PART, N_COLUMNS };

static const KgTableColumn keys_columns[] = {
  [X] = { "x", N_ ("x"), 0, false },
  [Y] = { "y", N_ ("y"), 0, false },
  [Z] = { "z", N_ ("z"), 0, true },
  [A] = { "a", N_ ("Size along x"), NAN, true },
  [B] = { "b", N_ ("Size along y"), NAN, true },
  [C] = { "c", N_ ("Size along z"), NAN, true },
  [POWER] = { "power", N_ ("Power"), NAN, true },
  [FORCE] = { "force", N_ ("Force"), NAN, true },
  [RX] = { "rx", N_ ("Angle about x"), 0, true },
  [RY] = { "ry", N_ ("Angle about y"), 0, true },
  [RZ] = { "rz", N_ ("Angle about z"), 0, true },
  [GROUP] = { "group", N_ ("Group"), NAN, true },
  [PART] = { "part", N_ ("Part"), 0, true },
  KG_TABLE_COLUMNS_END,
};

/* The attributes of the keys, written together. */
typedef struct {
  float *p, *size, *power, *force, *color, *orient;
  int32_t *group, *part, *kind; /* kind: NULL where all are ellipsoids */
} KeyColumns;

static KeyColumns
edit_columns (const Keys *n, KgGeometry *keys)
{
  return (KeyColumns){ .p = kg_geometry_edit_positions (keys),
                       .size = kg_geometry_edit_float (keys, KG_POINTS, n->as == AS_BODY ? "size" : "axes", 3),
                       .power = kg_geometry_edit_float (keys, KG_POINTS, "power", 1),
                       .force = kg_geometry_edit_float (keys, KG_POINTS, "force", 1),
                       .color = kg_geometry_edit_float (keys, KG_POINTS, "Cd", 4),
                       .orient = kg_geometry_edit_float (keys, KG_POINTS, "orient", 4),
                       .group = kg_geometry_edit_int (keys, KG_POINTS, "group", 1),
                       .part = kg_geometry_edit_int (keys, KG_POINTS, "part", 1),
                       .kind = n->kind == SOFT_KEY_PLANE ? kg_geometry_edit_int (keys, KG_POINTS, "kind", 1) : NULL };
}

static void
write_vector (float *to, KgVector v)
{
  to[0] = (float) v.x;
  to[1] = (float) v.y;
  to[2] = (float) v.z;
}

/* A key as the inputs describe it. */
static void
keys_write (const Keys *n, const KeyColumns *columns, size_t i, KgVector p, KgVector size, KgRotation turn)
{
  const float color[] = { (float) n->color.r, (float) n->color.g, (float) n->color.b, (float) n->color.a };
  const float orient[] = { (float) turn.w, (float) turn.x, (float) turn.y, (float) turn.z };

  write_vector (columns->p + 3 * i, p);
  write_vector (columns->size + 3 * i, size);
  memcpy (columns->color + 4 * i, color, sizeof color);
  memcpy (columns->orient + 4 * i, orient, sizeof orient);
  columns->power[i] = (float) n->power;
  columns->force[i] = (float) n->force;
  columns->group[i] = (int32_t) n->group;
  if (columns->kind != NULL)
    columns->kind[i] = n->kind;
}

static bool
keys_add_table (const Keys *n, KgGeometry *keys, GError **error)
{
  const size_t first = kg_geometry_get_n_points (keys), n_rows = kg_table_get_n_rows (n->table);
  KeyColumns columns;

  if (n_rows == 0)
    return true;
  if (!kg_geometry_set_n_points (keys, first + n_rows, error))
    return false;
  columns = edit_columns (n, keys);
  for (size_t row = 0; row < n_rows; row++) {
    const double *r = kg_table_get_row (n->table, row);
    const KgVector size = { isnan (r[A]) ? n->size.x : r[A], isnan (r[B]) ? (isnan (r[A]) ? n->size.y : r[A]) : r[B],
                            isnan (r[C]) ? (isnan (r[A]) ? n->size.z : r[A]) : r[C] };
    const KgVector angles = { r[RX] * G_PI / 180, r[RY] * G_PI / 180, r[RZ] * G_PI / 180 };
    const size_t i = first + row;

    keys_write (n, &columns, i, kg_vector (r[X], r[Y], r[Z]), size, kg_rotation_from_angles (angles));
    if (!isnan (r[POWER]))
      columns.power[i] = (float) r[POWER];
    if (!isnan (r[FORCE]))
      columns.force[i] = (float) r[FORCE];
    if (!isnan (r[GROUP]))
      columns.group[i] = (int32_t) kg_clamp (r[GROUP], -1e9, 1e9);
    columns.part[i] = (int32_t) kg_clamp (r[PART], -1e9, 1e9);
  }
  return true;
}

static KgVector
get_point (const KgGeometry *geometry, uint32_t i)
{
  const float *p = kg_geometry_get_positions (geometry) + 3 * (size_t) i;

  return kg_vector ((double) p[0], (double) p[1], (double) p[2]);
}

/* Keys between two points of a line. */
static void
keys_fill_piece (const Keys *n, const KeyColumns *columns, size_t first, KgVector a, KgVector b)
{
  const KgVector d = kg_vector_subtract (b, a);
  const KgRotation turn = n->aligned && kg_vector_dot (d, d) > 0 ? kg_rotation_between (kg_vector (1, 0, 0), d)
                                                                 : kg_rotation_identity ();
  const double count = (double) n->per_piece;

  for (int64_t k = 0; k < n->per_piece; k++) {
    const double centred = ((double) k + 0.5) / count;
    const double u = n->ends == ENDS_CENTRED || n->per_piece == 1 ? centred : (double) k / (count - 1);

    keys_write (n, columns, first + (size_t) k, kg_vector_add_scaled (a, u, d), n->size, turn);
  }
}

static bool
keys_add_along (const Keys *n, KgGeometry *keys, const KgContext *ctx, GError **error)
{
  const size_t n_lines = kg_geometry_get_n_primitives (n->along);
  size_t at = kg_geometry_get_n_points (keys), pieces = 0;
  KeyColumns columns;
  KgPrimitive line;

  for (size_t i = 0; i < n_lines; i++) {
    kg_geometry_get_primitive (n->along, i, &line);
    pieces += line.n_vertices > 1 ? line.n_vertices - (line.closed || line.kind == KG_POLYGON ? 0 : 1) : 0;
  }
  if (pieces == 0)
    return true;
  if (pieces > KEYS_MAX / (size_t) n->per_piece) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%zu pieces of lines with %" PRId64 " keys each are more than %d keys: use fewer", pieces,
                  n->per_piece, KEYS_MAX);
    return false;
  }
  if (!kg_geometry_set_n_points (keys, at + pieces * (size_t) n->per_piece, error))
    return false;
  columns = edit_columns (n, keys);
  for (size_t i = 0; i < n_lines; i++) {
    uint32_t n_pieces;

    if (kg_context_is_cancelled (ctx))
      return false;
    kg_geometry_get_primitive (n->along, i, &line);
    n_pieces = line.n_vertices > 1 ? line.n_vertices - (line.closed || line.kind == KG_POLYGON ? 0 : 1) : 0;
    for (uint32_t v = 0; v < n_pieces; v++, at += (size_t) n->per_piece)
      keys_fill_piece (n, &columns, at, get_point (n->along, line.vertices[v]),
                       get_point (n->along, line.vertices[(v + 1) % line.n_vertices]));
  }
  return true;
}

/* The points that are linked, with what they lack. */
static void
keys_complete_points (const Keys *n, KgGeometry *keys)
{
  const size_t n_points = kg_geometry_get_n_points (keys);
  const bool sized = kg_geometry_get_float (keys, KG_POINTS, "axes", 3) != NULL ||
                     kg_geometry_get_float (keys, KG_POINTS, "size", 3) != NULL ||
                     kg_geometry_get_float (keys, KG_POINTS, "width", 1) != NULL;
  const bool colored = kg_geometry_get_float (keys, KG_POINTS, "Cd", 3) != NULL ||
                       kg_geometry_get_float (keys, KG_POINTS, "Cd", 4) != NULL;
  const struct {
    const char *name;
    uint8_t size;
    bool given;
    float values[4];
  } attributes[] = {
    { n->as == AS_BODY ? "size" : "axes", 3, sized, { (float) n->size.x, (float) n->size.y, (float) n->size.z } },
    { "power", 1, false, { (float) n->power } },
    { "force", 1, false, { (float) n->force } },
    { "Cd", 4, colored, { (float) n->color.r, (float) n->color.g, (float) n->color.b, (float) n->color.a } },
  };

  for (size_t a = 0; a < G_N_ELEMENTS (attributes); a++) {
    const uint8_t size = attributes[a].size;
    float *to;

    if (attributes[a].given || kg_geometry_get_float (keys, KG_POINTS, attributes[a].name, size) != NULL)
      continue;
    to = kg_geometry_edit_float (keys, KG_POINTS, attributes[a].name, size);
    for (size_t i = 0; i < n_points; i++)
      memcpy (to + size * i, attributes[a].values, size * sizeof (float));
  }
  if (kg_geometry_get_int (keys, KG_POINTS, "group", 1) == NULL) {
    int32_t *group = kg_geometry_edit_int (keys, KG_POINTS, "group", 1);

    for (size_t i = 0; i < n_points; i++)
      group[i] = (int32_t) n->group;
  }
}

static bool
keys_evaluate (Keys *n, const KgContext *ctx, GError **error)
{
  g_autoptr (KgGeometry) typed = kg_geometry_new ();

  if (!keys_add_table (n, typed, error) || (n->along != NULL && !keys_add_along (n, typed, ctx, error)))
    return false;
  if (n->points == NULL && n->along == NULL && kg_table_get_n_rows (n->table) == 0) {
    KeyColumns columns;

    if (!kg_geometry_set_n_points (typed, 1, error))
      return false;
    columns = edit_columns (n, typed);
    keys_write (n, &columns, 0, kg_vector (0, 0, 0), n->size, kg_rotation_identity ());
  }
  if (n->points == NULL) {
    n->keys = g_steal_pointer (&typed);
  } else {
    n->keys = kg_geometry_ref (n->points);
    kg_geometry_make_writable (&n->keys);
    keys_complete_points (n, n->keys);
    if (kg_geometry_get_n_points (typed) > 0 && !kg_geometry_append (n->keys, typed, error))
      return false;
  }
  n->count = (int64_t) kg_geometry_get_n_points (n->keys);
  return true;
}

static const KgSlot keys_slots[] = {
  KG_INPUT (Keys, points, GEOMETRY, .label = N_ ("Points"), .optional = true,
            .help = N_ ("Points that become keys, and lines and polygons between them. What they have keeps its value: "
                        "size, axes, width, power, force, group, Cd, orient.")),
  KG_INPUT (
      Keys, table, TABLE, .label = N_ ("Table"), .columns = keys_columns, .def_text = "",
      .help = N_ ("A key in each row: its place, and what differs from the inputs below. Without any row, points or "
                  "lines there is one key at the origin.")),
  KG_INPUT (Keys, along, GEOMETRY, .label = N_ ("Along"), .optional = true,
            .help = N_ ("Lines, such as the bones of a skeleton, that get keys along each piece.")),
  KG_INPUT (Keys, per_piece, INTEGER, .label = N_ ("Keys per piece"), .def = 4, .min = 1, .max = 1000, .soft_max = 16,
            .help = N_ ("How many keys lie between two points of a line. Gaps appear where they are further apart than "
                        "1.33 times the influence.")),
  KG_INPUT (Keys, ends, CHOICE, .label = N_ ("Spread"), .choices = keys_ends, .help = N_ ("Where they lie.")),
  KG_INPUT (Keys, aligned, BOOLEAN, .label = N_ ("Align"), .def = 1,
            .help = N_ ("Turns the x axis of keys along the line.")),
  KG_INPUT (Keys, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES, .def_v = { 0.5, 0.5, 0.5 }, .min = 0,
            .max = 1e6, .soft_max = 2, .help = N_ ("Half the extent of a key along its axes: the radius of a ball.")),
  KG_INPUT (Keys, as, CHOICE, .label = N_ ("Size of"), .choices = keys_as,
            .help = N_ ("What the size measures. The influence of a key reaches further than its body.")),
  KG_INPUT (Keys, power, NUMBER, .label = N_ ("Power"), .def = 2, .min = 0.5, .max = 20, .soft_max = 8,
            .help = N_ ("2 is an ellipsoid; 1 an octahedron; large values come close to a box.")),
  KG_INPUT (Keys, force, NUMBER, .label = N_ ("Force"), .def = 1, .min = -1e6, .max = 1e6, .soft_min = -2,
            .soft_max = 2, .help = N_ ("Strength. Negative keys press dents into others.")),
  KG_INPUT (
      Keys, kind, CHOICE, .label = N_ ("Kind"), .choices = keys_kinds,
      .help = N_ (
          "A plane lies across the y axis of its key and is not seen itself. With the level as its force other keys reach for it; with the negative of that they flatten above it. Its size along y says how far it reaches.")),
  KG_INPUT (Keys, group, INTEGER, .label = N_ ("Group"), .min = -1e9, .max = 1e9, .soft_min = 0, .soft_max = 10,
            .help = N_ ("Keys of different groups do not flow together unless the soft object says so.")),
  KG_INPUT (Keys, color, COLOR, .label = N_ ("Colour"), .def_v = { 0.9, 0.6, 0.4, 1 },
            .help = N_ ("Colour of the keys.")),
  KG_OUTPUT (Keys, keys, GEOMETRY, .label = N_ ("Keys"), .help = N_ ("Points for the keys of a soft object.")),
  KG_OUTPUT (Keys, count, INTEGER, .label = N_ ("Count"), .help = N_ ("Number of keys.")),
};

KG_NODE (
    soft, keys, Keys, .label = N_ ("Soft Keys"), .version = 1, .since = "0.1",
    .tags = N_ ("soft object key metaball blob clay implicit skeleton"),
    .source = "Wyvill, McPheeters and Wyvill, Animating Soft Objects, 1986",
    .help = N_ ("Creates the keys of a soft object: points with a size, a force and a colour, which the soft object "
                "clothes in a common skin."));
