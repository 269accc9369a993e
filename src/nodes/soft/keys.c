/* soft/keys: the keys of a soft object, from points, a table or along lines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "soft/key_attributes.h"
#include "soft/keys_along.h"
#include "soft/soft_keys.h"

typedef struct {
  const KgGeometry *points;
  const KgTable *table;
  const KgGeometry *along;
  int64_t per_piece;
  double spacing;
  int ends;
  bool aligned;
  const KgGeometry *rest;
  const KgTable *along_piece;
  const KgTable *along_line;
  bool even_thickness;
  KgVector size;
  int as;
  double power;
  double force;
  int kind;
  int64_t group;
  const char *part_path;
  KgColor color;
  KgGeometry *keys;
  int64_t count;
} Keys;

enum { AS_BODY, AS_INFLUENCE, N_AS };

static const KgChoice keys_as[] = {
  [AS_BODY] = { "body", N_ ("The body of the key alone") },
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
  [ENDS_CENTRED] = { "centred", N_ ("At the centres of equal parts") },
  [ENDS_INCLUSIVE] = { "inclusive", N_ ("From end to end") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (keys_ends, N_ENDS);

static const KgTableColumn keys_factors[] = {
  { "at", N_ ("At"), 0, false },
  { "factor", N_ ("Factor"), 1, false },
  KG_TABLE_COLUMNS_END,
};

enum { X, Y, Z, A, B, C, POWER, FORCE, RX, RY, RZ, GROUP, PART, PARENT, N_COLUMNS };

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
  [PARENT] = { "parent", N_ ("Parent"), NAN, true },
  KG_TABLE_COLUMNS_END,
};

/* Where forces are divided they no longer say how far keys reach: keys are then written with their influence, which is that
 * of a soft object with its defaults. */
static const Density usual_density = { .kind = DENSITY_WYVILL, .level = 0.5 };

/* Influence / size of a key. */
static double
keys_get_influence (const Keys *n, double force)
{
  const double body = n->as == AS_BODY ? density_get_body (&usual_density, fabs (force)) : 1;

  return 1 / (body > 0 ? body : density_get_body (&usual_density, 1));
}

static bool
keys_write_axes (const Keys *n)
{
  return n->as == AS_INFLUENCE || (n->even_thickness && n->along != NULL);
}

/* The attributes of the keys, written together. */
typedef struct {
  float *p, *size, *power, *force, *color, *orient;
  int32_t *group, *part, *kind; /* kind: NULL where all are ellipsoids */
} KeyColumns;

static KeyColumns
edit_columns (const Keys *n, KgGeometry *keys)
{
  return (KeyColumns){ .p = kg_geometry_edit_positions (keys),
                       .size = kg_geometry_edit_float (keys, KG_POINTS, keys_write_axes (n) ? "axes" : "size", 3),
                       .power = kg_geometry_edit_float (keys, KG_POINTS, "power", 1),
                       .force = kg_geometry_edit_float (keys, KG_POINTS, "force", 1),
                       .color = kg_geometry_edit_float (keys, KG_POINTS, "Cd", 4),
                       .orient = kg_geometry_edit_float (keys, KG_POINTS, "orient", 4),
                       .group = kg_geometry_edit_int (keys, KG_POINTS, "group", 1),
                       .part = kg_geometry_edit_int (keys, KG_POINTS, "part", 1),
                       .kind = n->kind == SOFT_KEY_PLANE ? kg_geometry_edit_int (keys, KG_POINTS, "kind", 1) : NULL };
}

/* A key as the inputs describe it.  force: from which a body has its size. */
static void
keys_write (const Keys *n, const KeyColumns *columns, size_t i, KgVector p, KgVector size, double force,
            KgRotation turn)
{
  const float color[] = { (float) n->color.r, (float) n->color.g, (float) n->color.b, (float) n->color.a };
  const float orient[] = { (float) turn.w, (float) turn.x, (float) turn.y, (float) turn.z };

  kg_floats_set_vector (columns->p, i, p);
  kg_floats_set_vector (columns->size, i,
                        keys_write_axes (n) ? kg_vector_scale (size, keys_get_influence (n, force)) : size);
  memcpy (columns->color + 4 * i, color, sizeof color);
  memcpy (columns->orient + 4 * i, orient, sizeof orient);
  columns->power[i] = (float) n->power;
  columns->force[i] = (float) n->force;
  columns->group[i] = (int32_t) n->group;
  if (columns->kind != NULL)
    columns->kind[i] = n->kind;
}

/* What a row must be for a key to be made of it.  Numbers that may be missing are then NaN. */
static bool
keys_check_row (const double *r, size_t row, GError **error)
{
  static const struct {
    int column;
    double low, high;
    bool whole;
    const char *remedy;
  } ranges[] = {
    { X, -1e18, 1e18, false, N_ ("write metres") },
    { Y, -1e18, 1e18, false, N_ ("write metres") },
    { Z, -1e18, 1e18, false, N_ ("write metres") },
    { A, 0, 1e6, false, N_ ("write half the extent in metres, 0 for a key that has faded away") },
    { B, 0, 1e6, false, N_ ("write half the extent in metres, 0 for a key that has faded away") },
    { C, 0, 1e6, false, N_ ("write half the extent in metres, 0 for a key that has faded away") },
    { POWER, SOFT_LEAST_POWER, SOFT_MOST_POWER, false, N_ ("write a power from 0.5 to 64; 2 is an ellipsoid") },
    { FORCE, -1e6, 1e6, false, N_ ("write a number; negative keys press dents into others") },
    { RX, -1e9, 1e9, false, N_ ("write degrees") },
    { RY, -1e9, 1e9, false, N_ ("write degrees") },
    { RZ, -1e9, 1e9, false, N_ ("write degrees") },
    { GROUP, -1e9, 1e9, true, N_ ("write a whole number") },
    { PART, -1e9, 1e9, true, N_ ("write a whole number") },
    { PARENT, -1e9, 1e9, true, N_ ("write the part that it is attached to, or -1") },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (ranges); i++) {
    const double number = r[ranges[i].column];

    if (isnan (number) && isnan (keys_columns[ranges[i].column].def))
      continue;
    if (number >= ranges[i].low && number <= ranges[i].high && (!ranges[i].whole || number == floor (number)))
      continue;
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "table, row %zu: %s is %g: %s", row + 1,
                  keys_columns[ranges[i].column].name, number, kg_translate (ranges[i].remedy));
    return false;
  }
  return true;
}

static bool
keys_add_table (const Keys *n, KgGeometry *keys, GError **error)
{
  const size_t first = kg_geometry_get_n_points (keys), n_rows = kg_table_get_n_rows (n->table);
  bool parents = false;
  int32_t *parent = NULL;
  KeyColumns columns;

  if (n_rows == 0)
    return true;
  if (!kg_geometry_set_n_points (keys, first + n_rows, error))
    return false;
  columns = edit_columns (n, keys);
  for (size_t row = 0; row < n_rows && !parents; row++)
    parents = !isnan (kg_table_get_row (n->table, row)[PARENT]);
  if (parents)
    parent = kg_geometry_edit_int (keys, KG_POINTS, "parent", 1);
  for (size_t row = 0; row < n_rows; row++) {
    const double *r = kg_table_get_row (n->table, row);
    const KgVector size = { isnan (r[A]) ? n->size.x : r[A], isnan (r[B]) ? (isnan (r[A]) ? n->size.y : r[A]) : r[B],
                            isnan (r[C]) ? (isnan (r[A]) ? n->size.z : r[A]) : r[C] };
    const KgVector angles = { r[RX] * G_PI / 180, r[RY] * G_PI / 180, r[RZ] * G_PI / 180 };
    const size_t i = first + row;

    if (!keys_check_row (r, row, error))
      return false;
    keys_write (n, &columns, i, kg_vector (r[X], r[Y], r[Z]), size, isnan (r[FORCE]) ? n->force : r[FORCE],
                kg_rotation_from_angles (angles));
    if (!isnan (r[POWER]))
      columns.power[i] = (float) r[POWER];
    if (!isnan (r[FORCE]))
      columns.force[i] = (float) r[FORCE];
    if (!isnan (r[GROUP]))
      columns.group[i] = (int32_t) r[GROUP];
    columns.part[i] = (int32_t) r[PART];
    if (parent != NULL)
      parent[i] = isnan (r[PARENT]) ? -1 : (int32_t) r[PARENT];
  }
  return true;
}

static bool
keys_add_along (const Keys *n, KgGeometry *keys, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const size_t first = kg_geometry_get_n_points (keys);
  /* Rows of even thickness with a smaller force fade. */
  const double force = n->even_thickness ? MAX (fabs (n->force), 1) : n->force;
  const KeysAlongOptions options = { .rest = n->rest,
                                     .per_piece = n->per_piece,
                                     .spacing = n->spacing,
                                     .inclusive = n->ends == ENDS_INCLUSIVE,
                                     .aligned = n->aligned,
                                     .along_piece = n->along_piece,
                                     .along_line = n->along_line,
                                     .density = usual_density,
                                     .influence = kg_vector_scale (n->size, keys_get_influence (n, force)),
                                     .power = n->power,
                                     .force = n->force,
                                     .even_thickness = n->even_thickness };
  g_autoptr (GArray) places = g_array_new (false, false, sizeof (KeyAlong));
  KeyColumns columns;
  int32_t *parent;
  size_t gaps;

  if (!keys_along (n->along, &options, places, &gaps, &monitor, error))
    return false;
  if (places->len == 0)
    return true;
  if (!kg_geometry_set_n_points (keys, first + places->len, error))
    return false;
  columns = edit_columns (n, keys);
  parent = kg_geometry_get_int (keys, KG_POINTS, "parent", 1) == NULL
               ? NULL
               : kg_geometry_edit_int (keys, KG_POINTS, "parent", 1);
  for (guint k = 0; k < places->len; k++) {
    const KeyAlong *key = &g_array_index (places, KeyAlong, k);

    keys_write (n, &columns, first + k, key->place, kg_vector_scale (n->size, key->size), force, key->turn);
    columns.force[first + k] = (float) (n->force * key->force);
    if (parent != NULL)
      parent[first + k] = -1;
  }
  if (gaps > 0 && n->kind == SOFT_KEY_ELLIPSOID)
    kg_context_warn (
        ctx, "the skin of %zu pieces has gaps, because their keys are too far apart: use more keys or larger ones",
        gaps);
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
    { keys_write_axes (n) ? "axes" : "size", 3, sized, { (float) n->size.x, (float) n->size.y, (float) n->size.z } },
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

/* Points that are stretched, such as particles by their speed, give stretched keys: the factors go into the extents, so that
 * they count once. */
static void
keys_apply_scale (KgGeometry *keys)
{
  const size_t n_points = kg_geometry_get_n_points (keys);
  const float *scale = kg_geometry_get_float (keys, KG_POINTS, "scale", 3);
  const KeyAttributes from = key_attributes_find (keys);
  bool influence = false, body = false;
  g_autofree float *half = NULL;
  g_autofree bool *of_influence = NULL;

  if (scale == NULL)
    return;
  half = g_new (float, 3 * n_points);
  of_influence = g_new (bool, n_points);
  for (size_t i = 0; i < n_points; i++) {
    const KgVector extent = key_attributes_get_half_extent (&from, i, &of_influence[i]);

    for (size_t c = 0; c < 3; c++)
      half[3 * i + c] = (float) (kg_vector_get (extent, c) * fabs ((double) scale[3 * i + c]));
    influence = influence || of_influence[i];
    body = body || !of_influence[i];
  }
  for (guint kind = 0; kind < 2; kind++) {
    float *to;

    if (kind == 0 ? !influence : !body)
      continue;
    to = kg_geometry_edit_float (keys, KG_POINTS, kind == 0 ? "axes" : "size", 3);
    for (size_t i = 0; i < n_points; i++)
      if (of_influence[i] == (kind == 0))
        memcpy (to + 3 * i, half + 3 * i, 3 * sizeof (float));
  }
  kg_geometry_remove_attribute (keys, KG_POINTS, "scale");
}

/* Where some keys say what their part hangs on, the others are roots. */
static void
keys_complete_parents (KgGeometry *keys, const KgGeometry *other)
{
  const size_t n_points = kg_geometry_get_n_points (keys);
  int32_t *parent;

  if (kg_geometry_get_int (other, KG_POINTS, "parent", 1) == NULL ||
      kg_geometry_get_int (keys, KG_POINTS, "parent", 1) != NULL || n_points == 0)
    return;
  parent = kg_geometry_edit_int (keys, KG_POINTS, "parent", 1);
  for (size_t i = 0; i < n_points; i++)
    parent[i] = -1;
}

/* Points that have a path keep it. */
static void
keys_write_path (const Keys *n)
{
  for (size_t i = 0; n->part_path[0] != '\0' && i < kg_geometry_get_n_points (n->keys); i++) {
    const char *own = kg_geometry_get_text (n->keys, KG_POINTS, "path", i);

    if (own == NULL || own[0] == '\0')
      kg_geometry_set_text (n->keys, KG_POINTS, "path", i, n->part_path);
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
    keys_write (n, &columns, 0, kg_vector (0, 0, 0), n->size, n->force, kg_rotation_identity ());
  }
  if (n->points == NULL) {
    n->keys = g_steal_pointer (&typed);
  } else {
    n->keys = kg_geometry_ref (n->points);
    kg_geometry_make_writable (&n->keys);
    keys_complete_points (n, n->keys);
    keys_apply_scale (n->keys);
    keys_complete_parents (n->keys, typed);
    keys_complete_parents (typed, n->keys);
    if (kg_geometry_get_n_points (typed) > 0 && !kg_geometry_append (n->keys, typed, error))
      return false;
  }
  keys_write_path (n);
  n->count = (int64_t) kg_geometry_get_n_points (n->keys);
  return true;
}

static const KgSlot keys_slots[] = {
  KG_INPUT (
      Keys, points, GEOMETRY, .label = N_ ("Points"), .optional = true,
      .help =
          N_ ("Points that become keys, and lines and polygons between them. Their attributes are kept: size, axes, "
              "width, power, force, group, Cd, orient. Their scale, such as that of Stretch to Velocity, stretches the "
              "keys.")),
  KG_INPUT (
      Keys, table, TABLE, .label = N_ ("Table"), .columns = keys_columns, .def_text = "",
      .handle = { KG_HANDLE_BODIES, .anchor = "size" },
      .help = N_ (
          "One key per row: its position, and values that differ from the inputs below. Without rows, points or lines "
          "there is one key at the origin.")),
  KG_INPUT (Keys, along, GEOMETRY, .label = N_ ("Along"), .optional = true,
            .help = N_ ("Lines, such as the bones of a skeleton, that get keys along each piece.")),
  KG_INPUT (
      Keys, per_piece, INTEGER, .label = N_ ("Keys per piece"), .def = 4, .min = 1, .max = 1000, .soft_max = 16,
      .help =
          N_ ("Number of keys between two points of a line. Gaps appear if they are farther apart than 1.33 times the "
              "influence.")),
  KG_INPUT (
      Keys, spacing, NUMBER, .label = N_ ("Spacing"), .unit = KG_METRES, .min = 0, .max = 1e6, .soft_max = 1,
      .help = N_ (
          "Distance between keys, rounded so that a whole number of them lies on each piece. 0: as many as set above. Half the influence keeps the skin even to one per cent.")),
  KG_INPUT (Keys, ends, CHOICE, .label = N_ ("Spread"), .choices = keys_ends,
            .help = N_ ("Positions of the keys on a piece.")),
  KG_INPUT (Keys, aligned, BOOLEAN, .label = N_ ("Align"), .def = 1,
            .help = N_ ("Aligns the x axis of keys with the line.")),
  KG_INPUT (Keys, rest, GEOMETRY, .label = N_ ("Along, at rest"), .optional = true,
            .help = N_ ("The same lines at rest. Keys are spread along these and bound to them: each keeps its "
                        "distance from the first point of its piece, so that limbs keep their length. Without them "
                        "keys spread anew along lines that stretch.")),
  KG_INPUT (Keys, along_piece, TABLE, .label = N_ ("Sizes along a piece"), .columns = keys_factors, .def_text = "",
            .help = N_ ("Factors of the size, from 0, the first point of a piece, to 1, its last; linear between "
                        "rows.")),
  KG_INPUT (Keys, along_line, TABLE, .label = N_ ("Sizes along a line"), .columns = keys_factors, .def_text = "",
            .help = N_ ("Factors of the size, from 0, the beginning of a whole line, to 1, its end; linear between "
                        "rows.")),
  KG_INPUT (Keys, even_thickness, BOOLEAN, .label = N_ ("Even thickness"),
            .help = N_ ("Divides the forces along lines, where keys add up, so that the skin midway between two keys "
                        "is as thick as one key alone; for a soft object with Wyvill's density and a level of 0.5.")),
  KG_INPUT (Keys, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES, .def_v = { 0.5, 0.5, 0.5 }, .min = 0,
            .max = 1e6, .soft_max = 2, .handle = { KG_HANDLE_NONE },
            .help = N_ ("Half the extent of a key along its axes: the radius of a ball.")),
  KG_INPUT (Keys, as, CHOICE, .label = N_ ("Size of"), .choices = keys_as,
            .help = N_ ("What the size measures. The influence of a key reaches farther than its body.")),
  KG_INPUT (Keys, power, NUMBER, .label = N_ ("Power"), .def = 2, .min = 0.5, .max = 20, .soft_max = 8,
            .help = N_ ("2 is an ellipsoid; 1 an octahedron; large values come close to a box.")),
  KG_INPUT (Keys, force, NUMBER, .label = N_ ("Force"), .def = 1, .min = -1e6, .max = 1e6, .soft_min = -2,
            .soft_max = 2, .help = N_ ("Strength. Negative keys press dents into others.")),
  KG_INPUT (
      Keys, kind, CHOICE, .label = N_ ("Kind"), .choices = keys_kinds,
      .help = N_ (
          "Shape of the key. A plane lies across the y axis of its key and is itself invisible. Its size along y is "
          "its reach above the plane; below the plane it has its full force, wherever other keys have an effect. With "
          "the force of the level, 0.5, other keys stretch towards it and spread over it; with -0.5 they flatten "
          "above it.")),
  KG_INPUT (Keys, group, INTEGER, .label = N_ ("Group"), .min = -1e9, .max = 1e9, .soft_min = 0, .soft_max = 10,
            .help = N_ ("Keys of different groups do not flow together unless the soft object is set to allow it.")),
  KG_INPUT (Keys, part_path, TEXT, .label = N_ ("Path"),
            .help = N_ ("Name of the part that the keys belong to, preceded by the names of the parts that it is "
                        "attached to, such as man/arm/hand: Morph Soft Keys matches parts by it. Merge the keys of "
                        "all parts.")),
  KG_INPUT (Keys, color, COLOR, .label = N_ ("Colour"), .def_v = { 0.9, 0.6, 0.4, 1 },
            .help = N_ ("Colour of the keys.")),
  KG_OUTPUT (Keys, keys, GEOMETRY, .label = N_ ("Keys"), .help = N_ ("Points for the keys of a soft object.")),
  KG_OUTPUT (Keys, count, INTEGER, .label = N_ ("Count"), .help = N_ ("Number of keys.")),
};

KG_NODE (
    soft, keys, Keys, .label = N_ ("Soft Keys"), .version = 1, .since = "0.1",
    .tags = N_ ("soft object key metaball blob clay implicit skeleton"),
    .source = "Wyvill, McPheeters and Wyvill, Animating Soft Objects, 1986",
    .help = N_ (
        "Creates the keys of a soft object: points with a size, a force and a colour, which the soft object covers "
        "with a common skin."));
