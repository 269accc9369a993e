/* rig/masses: masses of the links of a skeleton.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "sim/articulated_body.h"

typedef struct {
  KgSkeleton *skeleton;
  int from;
  double per_metre;
  double width;
  const KgTable *table;
  KgSkeleton *weighted;
  double mass;
} Masses;

enum { MASSES_RODS, MASSES_TABLE, N_MASSES };

static const KgChoice masses_from[] = {
  [MASSES_RODS] = { "rods", N_ ("Bones as rods") },
  [MASSES_TABLE] = { "table", N_ ("A table") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (masses_from, N_MASSES);

static const KgTableColumn masses_columns[] = {
  { "mass", N_ ("Mass"), 0, false },
  { "x", N_ ("Centre x"), 0, true },
  { "y", N_ ("Centre y"), 0, true },
  { "z", N_ ("Centre z"), 0, true },
  { "xx", N_ ("Moment xx"), 0, true },
  { "yy", N_ ("Moment yy"), 0, true },
  { "zz", N_ ("Moment zz"), 0, true },
  { "xy", N_ ("Tensor xy"), 0, true },
  { "xz", N_ ("Tensor xz"), 0, true },
  { "yz", N_ ("Tensor yz"), 0, true },
  KG_TABLE_COLUMNS_END,
};

static bool
masses_evaluate (Masses *n, const KgContext *ctx, GError **error)
{
  static const double none[6] = { 0 };
  const guint count = kg_skeleton_get_n_joints (n->skeleton);
  const size_t rows = n->from == MASSES_TABLE ? kg_table_get_n_rows (n->table) : 0;

  (void) ctx;
  if (rows > count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "there are %zu rows for %u joints: remove some", rows, count);
    return false;
  }
  kg_skeleton_make_writable (&n->skeleton);
  for (guint i = 0; i < count; i++)
    kg_skeleton_set_mass (n->skeleton, i, 0, kg_vector (0, 0, 0), none);
  for (guint i = 0; i < rows; i++) {
    const double *row = kg_table_get_row (n->table, i);

    if (row[0] < 0) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %u: the mass is %g kg: use 0 or more", i + 1, row[0]);
      return false;
    }
    kg_skeleton_set_mass (n->skeleton, i, row[0], kg_vector (row[1], row[2], row[3]), row + 4);
  }
  if (n->from == MASSES_RODS)
    articulated_spread_mass (n->skeleton, n->per_metre, n->width);
  for (guint i = 0; i < count; i++)
    n->mass += kg_skeleton_get_joint (n->skeleton, i)->mass;
  n->weighted = kg_skeleton_ref (n->skeleton);
  return true;
}

static const KgSlot masses_slots[] = {
  KG_INPUT (Masses, skeleton, SKELETON, .label = N_ ("Skeleton"), .help = N_ ("Skeleton whose links get masses.")),
  KG_INPUT (Masses, from, CHOICE, .label = N_ ("From"), .choices = masses_from,
            .help = N_ ("Where the masses come from: from the lengths of the bones, or from a table.")),
  KG_INPUT (Masses, per_metre, NUMBER, .label = N_ ("Mass per metre"), .unit = KG_KILOGRAMS_PER_METRE, .def = 1,
            .min = 1e-9, .max = 1e9, .soft_max = 10, .shown_when = "from=rods",
            .help = N_ ("Mass of a metre of bone.")),
  KG_INPUT (Masses, width, NUMBER, .label = N_ ("Width"), .unit = KG_METRES, .def = 0.1, .min = 0, .max = 1e6,
            .soft_max = 1, .shown_when = "from=rods",
            .help = N_ ("Width of the bones: the wider, the harder it is to rotate them about their own axis.")),
  KG_INPUT (
      Masses, table, TABLE, .label = N_ ("Table"), .columns = masses_columns, .def_text = "1",
      .shown_when = "from=table",
      .help = N_ ("A row for each joint: mass of its link, position of the centre of mass in the joint's axes, and "
                  "the tensor of inertia about it (kg m²): xx, yy, zz, xy, xz, yz. Joints without a row weigh "
                  "nothing.")),
  KG_OUTPUT (Masses, weighted, SKELETON, .label = N_ ("Skeleton"), .help = N_ ("The skeleton with its masses.")),
  KG_OUTPUT (Masses, mass, NUMBER, .label = N_ ("Mass"), .unit = KG_KILOGRAMS, .help = N_ ("Mass of all links.")),
};

KG_NODE (rig, masses, Masses, .label = N_ ("Link Masses"), .version = 1, .since = "0.1",
         .tags = N_ ("weight inertia tensor centre of mass link dynamics"),
         .help = N_ ("Gives the links of a skeleton masses, so that it can take part in dynamics."));
