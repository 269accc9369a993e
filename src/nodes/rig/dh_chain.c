/* rig/dh_chain: a skeleton from a table of Denavit-Hartenberg parameters.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "rig/denavit_hartenberg.h"
#include "value/number_table.h"

typedef struct {
  const KgTable *table;
  int convention;
  double tool_length;
  double tool_twist;
  KgTransform base;
  KgList values;
  int vectors;
  double axis_length;
  KgSkeleton *skeleton;
  KgTransform tip;
  KgVector position;
  KgTable *matrices;
  KgGeometry *frames;
} DhChain;

static const KgChoice dh_chain_conventions[] = {
  [DH_MODIFIED] = { "modified", N_ ("Modified: a row holds the link before its joint") },
  [DH_CLASSIC] = { "classic", N_ ("Classic: a row holds the link after its joint") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (dh_chain_conventions, DH_N_CONVENTIONS);

enum { VECTORS_COLUMN, VECTORS_ROW, N_VECTORS };

static const KgChoice dh_chain_vectors[] = {
  [VECTORS_COLUMN] = { "columns", N_ ("Column vectors: p' = M p") },
  [VECTORS_ROW] = { "rows", N_ ("Row vectors: p' = p M") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (dh_chain_vectors, N_VECTORS);

static const KgTableColumn dh_chain_columns[] = {
  { "a", N_ ("Link length"), 0, false },     { "alpha", N_ ("Link twist"), 0, false },
  { "d", N_ ("Offset"), 0, false },          { "theta", N_ ("Angle"), 0, false },
  { "slides", N_ ("Slides"), 0, true },      { "low", N_ ("Lower limit"), NAN, true },
  { "high", N_ ("Upper limit"), NAN, true }, KG_TABLE_COLUMNS_END,
};

/* Blank limits are none. */
static bool
dh_chain_read_row (const double *cells, guint number, DhRow *row, GError **error)
{
  const bool slides = cells[4] != 0;
  const double unit = slides ? 1 : KG_DEGREE, most = slides ? INFINITY : KG_PI;

  *row = (DhRow){ .a = cells[0],
                  .alpha = cells[1] * KG_DEGREE,
                  .d = cells[2],
                  .theta = cells[3] * KG_DEGREE,
                  .slides = slides,
                  .low = isnan (cells[5]) ? -most : cells[5] * unit,
                  .high = isnan (cells[6]) ? most : cells[6] * unit };
  if (cells[4] != 0 && cells[4] != 1) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "row %u: slides is %g: use 0 for a joint that rotates, 1 for one that slides", number, cells[4]);
    return false;
  }
  if (row->low > row->high) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %u: the lower limit %g is above the upper %g: swap them", number,
                  cells[5], cells[6]);
    return false;
  }
  if (!slides && (row->low < -KG_PI - 1e-9 || row->high > KG_PI + 1e-9)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %u: limits %g° to %g°: use -180 to 180", number,
                  row->low / KG_DEGREE, row->high / KG_DEGREE);
    return false;
  }
  return true;
}

static bool
dh_chain_read_rows (const DhChain *n, DhRow *rows, GError **error)
{
  const guint count = (guint) kg_table_get_n_rows (n->table);

  if (n->values.n > count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "there are %u values for %u joints: remove some, or add rows",
                  n->values.n, count);
    return false;
  }
  for (guint i = 0; i < count; i++) {
    if (!dh_chain_read_row (kg_table_get_row (n->table, i), i + 1, &rows[i], error))
      return false;
    if (i < n->values.n && rows[i].slides)
      rows[i].d += n->values.items[i].number;
    else if (i < n->values.n)
      rows[i].theta += n->values.items[i].number * KG_DEGREE;
    if (rows[i].slides)
      rows[i].d = kg_clamp (rows[i].d, rows[i].low, rows[i].high);
    else if (rows[i].low > -KG_PI + 1e-9 || rows[i].high < KG_PI - 1e-9)
      rows[i].theta = kg_clamp (rows[i].theta, rows[i].low, rows[i].high);
  }
  return true;
}

/* One matrix below the other, from each frame to the one before, the tool last. */
static KgTable *
dh_chain_make_matrices (const DhChain *n, const DhRow *rows, guint count, double tool_length, double tool_twist,
                        GError **error)
{
  static const char *const names[] = { "x", "y", "z", "translation" };
  g_autofree double *cells = g_new (double, 16 * ((gsize) count + 1));
  const DhRow tool = { .a = tool_length, .alpha = tool_twist };

  for (guint i = 0; i <= count; i++) {
    const KgTransform t = dh_get_link (i < count ? &rows[i] : &tool);

    for (guint r = 0; r < 4; r++)
      for (guint c = 0; c < 4; c++)
        cells[16 * (gsize) i + 4 * r + c] = n->vectors == VECTORS_ROW ? t.m[c][r] : t.m[r][c];
  }
  return number_table_new (4, n->vectors == VECTORS_ROW ? NULL : names, 4 * ((size_t) count + 1), cells, error);
}

/* Three lines a frame: x red, y green, z blue. */
static KgGeometry *
dh_chain_make_frames (const KgTransform *world, guint count, double length, GError **error)
{
  static const float colors[3][4] = { { 0.8f, 0.1f, 0.1f, 1 }, { 0.1f, 0.6f, 0.15f, 1 }, { 0.15f, 0.3f, 0.9f, 1 } };
  g_autoptr (KgGeometry) frames = kg_geometry_new ();
  float *p, *color;

  if (!kg_geometry_set_n_points (frames, 6 * (size_t) count, error))
    return NULL;
  p = kg_geometry_edit_positions (frames);
  color = kg_geometry_edit_float (frames, KG_POINTS, "Cd", 4);
  for (uint32_t k = 0; k < 3 * count; k++) {
    const KgTransform *t = &world[k / 3];
    const uint32_t line[] = { 2 * k, 2 * k + 1 };

    for (int r = 0; r < 3; r++) {
      p[6 * (size_t) k + (size_t) r] = (float) t->m[r][3];
      p[6 * (size_t) k + 3 + (size_t) r] = (float) (t->m[r][3] + length * t->m[r][k % 3]);
    }
    memcpy (color + 8 * (size_t) k, colors[k % 3], sizeof colors[0]);
    memcpy (color + 8 * (size_t) k + 4, colors[k % 3], sizeof colors[0]);
    kg_geometry_add_primitives (frames, KG_POLYLINE, false, 1, 2, line);
  }
  return g_steal_pointer (&frames);
}

static bool
dh_chain_evaluate (DhChain *n, const KgContext *ctx, GError **error)
{
  const size_t size = kg_table_get_n_rows (n->table);
  const guint count = (guint) MIN (size, DH_MAX_JOINTS);
  g_autofree DhRow *rows = g_new (DhRow, MAX (count, 1));
  g_autofree KgTransform *world = g_new (KgTransform, (gsize) count + 1);
  double tool_length = n->tool_length, tool_twist = n->tool_twist;

  (void) ctx;
  if (size == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "a chain needs at least one joint: type a row a, alpha, d, theta");
    return false;
  }
  if (size > DH_MAX_JOINTS) {
    kg_set_error (error, KG_ERROR_LIMIT, "a table of %zu joints is too long: use at most %d", size, DH_MAX_JOINTS);
    return false;
  }
  if (!dh_chain_read_rows (n, rows, error))
    return false;
  if (n->convention == DH_CLASSIC)
    dh_from_classic (rows, count, &tool_length, &tool_twist);
  n->skeleton = dh_new_skeleton (rows, count, n->base, tool_length, tool_twist, error);
  if (n->skeleton == NULL)
    return false;
  kg_skeleton_get_world (n->skeleton, world);
  n->tip = world[count];
  n->position = kg_transform_get_place (&n->tip);
  n->matrices = dh_chain_make_matrices (n, rows, count, tool_length, tool_twist, error);
  n->frames = dh_chain_make_frames (world, count + 1, n->axis_length, error);
  return n->matrices != NULL && n->frames != NULL;
}

static const KgSlot dh_chain_slots[] = {
  KG_INPUT (
      DhChain, table, TABLE, .label = N_ ("Table"), .columns = dh_chain_columns,
      .def_text = "0 0 0 30\n1 0 0 30\n1 0 0 -20",
      .help = N_ (
          "A row for each joint: length (metres) and twist (degrees) of the link, offset (metres) and angle (degrees) of the joint; then 1 if it slides instead of rotating, and the limits of its offset or angle.")),
  KG_INPUT (DhChain, convention, CHOICE, .label = N_ ("Convention"), .choices = dh_chain_conventions,
            .help = N_ ("Which link the length and twist of a row belong to. Data sheets of robots use either.")),
  KG_INPUT (DhChain, tool_length, NUMBER, .label = N_ ("Tool length"), .unit = KG_METRES,
            .shown_when = "convention=modified", .min = -1e6, .max = 1e6, .soft_min = 0, .soft_max = 2, .def = 1,
            .help = N_ ("Length of the link after the last joint.")),
  KG_INPUT (DhChain, tool_twist, NUMBER, .label = N_ ("Tool twist"), .unit = KG_DEGREES,
            .shown_when = "convention=modified", .min = -360, .max = 360,
            .help = N_ ("Twist of the link after the last joint.")),
  KG_INPUT (DhChain, base, TRANSFORM, .label = N_ ("Base"),
            .help = N_ ("Position and rotation of the chain in the world. Scale is ignored.")),
  KG_INPUTS (DhChain, values, NUMBER, .label = N_ ("Values"), .optional = true,
             .help = N_ ("Added to the angles (degrees) and offsets (metres) of the joints in order, to move the arm; "
                         "limits apply.")),
  KG_INPUT (DhChain, vectors, CHOICE, .label = N_ ("Matrices"), .choices = dh_chain_vectors, .group = N_ ("Display"),
            .help = N_ ("How the table of matrices is written. Books that use row vectors show them transposed.")),
  KG_INPUT (DhChain, axis_length, NUMBER, .label = N_ ("Length of axes"), .unit = KG_METRES, .def = 0.3, .min = 0,
            .max = 1e6, .soft_max = 1, .group = N_ ("Display"), .help = N_ ("Length of the axes that are drawn.")),
  KG_OUTPUT (DhChain, skeleton, SKELETON, .label = N_ ("Skeleton"),
             .help = N_ ("A skeleton with the joints joint1, joint2, … and tool.")),
  KG_OUTPUT (DhChain, tip, TRANSFORM, .label = N_ ("Tip"), .help = N_ ("Transform of the tool in the world.")),
  KG_OUTPUT (DhChain, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES,
             .help = N_ ("Position of the tool.")),
  KG_OUTPUT (DhChain, matrices, TABLE, .label = N_ ("Matrices"),
             .help = N_ ("The 4×4 matrix of each joint against the one before, one below the other; the last is the "
                         "tool's.")),
  KG_OUTPUT (DhChain, frames, GEOMETRY, .label = N_ ("Axes"),
             .help = N_ ("The axes of all joints as lines: x red, y green, z blue.")),
};

KG_NODE (
    rig, dh_chain, DhChain, .label = N_ ("Denavit-Hartenberg Chain"), .version = 1, .since = "0.1",
    .tags = N_ ("robot arm manipulator joints table parameters prismatic revolute craig"),
    .formula = "modified: M_i = T_x(a_{i−1}) R_x(α_{i−1}) T_z(d_i) R_z(θ_i)\n"
               "classic: A_i = R_z(θ_i) T_z(d_i) T_x(a_i) R_x(α_i)",
    .source = "Parent, Computer Animation, 4.1.3; Craig, Introduction to Robotics, 3",
    .help = N_ (
        "Makes a chain of joints from four numbers per joint, as in the data sheets of robots. Joints rotate about or slide along their z axis."));
