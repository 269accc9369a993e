/* rig/chain: a skeleton that is one chain of bones.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"

/* Most bones of a chain. */
#define CHAIN_MAX 4096

typedef struct {
  const KgTable *lengths;
  const KgGeometry *geometry;
  KgVector root;
  KgVector direction;
  KgVector axis;
  bool hinge;
  double low;
  double high;
  KgList lows;
  KgList highs;
  KgSkeleton *skeleton;
} Chain;

/* The joints' places: typed lengths along the direction, or the points of the first primitive (else all points). */
static GArray *
chain_read_points (const Chain *n, GError **error)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (KgVector));

  if (n->geometry != NULL && kg_geometry_get_n_points (n->geometry) > 0) {
    const float *p = kg_geometry_get_positions (n->geometry);
    size_t count = kg_geometry_get_n_points (n->geometry);
    KgPrimitive primitive = { .vertices = NULL };

    if (kg_geometry_get_n_primitives (n->geometry) > 0) {
      kg_geometry_get_primitive (n->geometry, 0, &primitive);
      count = primitive.n_vertices;
    }
    for (size_t i = 0; i < MIN (count, CHAIN_MAX + 1); i++) {
      const float *x = p + 3 * (primitive.vertices != NULL ? (size_t) primitive.vertices[i] : i);
      const KgVector v = kg_floats_get_vector (x, 0);

      g_array_append_val (points, v);
    }
  } else {
    const guint rows = (guint) kg_table_get_n_rows (n->lengths);
    const KgVector direction = kg_vector_normalize_or (n->direction, kg_vector (1, 0, 0));
    KgVector at = n->root;

    g_array_append_val (points, at);
    for (guint i = 0; i < MIN (rows, CHAIN_MAX); i++) {
      const double length = *kg_table_get_row (n->lengths, i);

      if (length < 0) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE, "bone %u has the length %g: use 0 or more", i + 1, length);
        return NULL;
      }
      at = kg_vector_add_scaled (at, length, direction);
      g_array_append_val (points, at);
    }
  }
  if (points->len < 2) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "a chain needs at least one bone: type a length, or link two points");
    return NULL;
  }
  return g_steal_pointer (&points);
}

/* Limits of the joints in radians: the list's, where it has any, else the common one.  The last joint turns no bone, and may
 * be left out. */
static bool
chain_read_limits (const KgList *list, const char *name, double common, guint n_joints, double *limits, GError **error)
{
  for (guint i = 0; i < n_joints; i++)
    limits[i] = common;
  if (list->n == 0)
    return true;
  if (list->n != 1 && list->n != n_joints && list->n != n_joints - 1) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%s has %u values for %u joints: give one for all, or one per joint (the end can be left out)", name,
                  list->n, n_joints);
    return false;
  }
  for (guint i = 0; i < n_joints; i++) {
    const guint item = list->n == 1 ? 0 : i;
    double degrees;

    if (item == list->n)
      break;
    degrees = list->items[item].number;
    if (!(fabs (degrees) <= 180)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s: %g° for joint %u: use -180 to 180", name, degrees, i + 1);
      return false;
    }
    limits[i] = degrees * KG_DEGREE;
  }
  return true;
}

static bool
chain_evaluate (Chain *n, const KgContext *ctx, GError **error)
{
  g_autoptr (GArray) points = chain_read_points (n, error);
  g_autofree double *lows = NULL, *highs = NULL;

  (void) ctx;
  if (points == NULL)
    return false;
  lows = g_new (double, points->len);
  highs = g_new (double, points->len);
  if (!chain_read_limits (&n->lows, "lows", n->low, points->len, lows, error) ||
      !chain_read_limits (&n->highs, "highs", n->high, points->len, highs, error))
    return false;
  for (guint i = 0; i < points->len; i++)
    if (lows[i] > highs[i]) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "joint %u: the lower limit %g° is above the upper %g°: swap them",
                    i + 1, lows[i] / KG_DEGREE, highs[i] / KG_DEGREE);
      return false;
    }
  n->skeleton = kg_skeleton_new ();
  for (guint i = 0; i < points->len; i++) {
    const KgVector *p = &g_array_index (points, KgVector, i);
    g_autofree char *name = i + 1 == points->len ? g_strdup ("end") : g_strdup_printf ("joint%u", i + 1);
    KgJoint joint;

    kg_joint_init (&joint, name, (int) i - 1);
    joint.offset = i == 0 ? *p : kg_vector_subtract (*p, p[-1]);
    for (size_t c = 0; c < 3; c++) {
      /* A hinge turns about the main component of its axis only. */
      const double along = fabs (kg_vector_get (n->axis, c));
      const bool main_axis = along >= fabs (kg_vector_get (n->axis, (c + 1) % 3)) &&
                             along >= fabs (kg_vector_get (n->axis, (c + 2) % 3));

      joint.free[c] = !n->hinge || main_axis;
      *kg_vector_component (&joint.low, c) = lows[i];
      *kg_vector_component (&joint.high, c) = highs[i];
    }
    if (kg_skeleton_add_joint (n->skeleton, &joint, error) < 0)
      return false;
  }
  return true;
}

static const KgSlot chain_slots[] = {
  KG_INPUT (Chain, lengths, TABLE, .label = N_ ("Lengths"), .columns = kg_table_numbers, .def_text = "1\n1\n1",
            .help = N_ ("Lengths of the bones in metres, one per line. Not used if a geometry is linked.")),
  KG_INPUT (Chain, geometry, GEOMETRY, .label = N_ ("Geometry"), .optional = true,
            .help = N_ ("A polyline whose points are the joints.")),
  KG_INPUT (Chain, root, VECTOR, .label = N_ ("Root"), .unit = KG_METRES,
            .help = N_ ("Position where the chain starts.")),
  KG_INPUT (Chain, direction, VECTOR, .label = N_ ("Direction"), .def_v = { 1, 0, 0 },
            .help = N_ ("Direction of the stretched chain.")),
  KG_INPUT (Chain, hinge, BOOLEAN, .label = N_ ("Hinges"),
            .help = N_ ("Joints rotate about one axis only, as knees do; otherwise in all directions.")),
  KG_INPUT (Chain, axis, VECTOR, .label = N_ ("Hinge axis"), .def_v = { 0, 0, 1 },
            .help = N_ ("Axis of the hinges: x, y or z, whichever component is largest.")),
  KG_INPUT (Chain, low, NUMBER, .label = N_ ("Lower limit"), .unit = KG_DEGREES, .def = -180, .min = -180, .max = 180,
            .help = N_ ("Limit of the angles of every joint.")),
  KG_INPUT (Chain, high, NUMBER, .label = N_ ("Upper limit"), .unit = KG_DEGREES, .def = 180, .min = -180, .max = 180,
            .help = N_ ("Limit of the angles of every joint.")),
  KG_INPUTS (
      Chain, lows, NUMBER, .label = N_ ("Lower limits"), .optional = true,
      .help = N_ (
          "Individual limits in degrees, one for each joint from the root on, instead of the common limit; a single value applies to all. The limit of the end, which rotates no bone, can be left out.")),
  KG_INPUTS (Chain, highs, NUMBER, .label = N_ ("Upper limits"), .optional = true,
             .help = N_ ("Individual upper limits, given in the same way.")),
  KG_OUTPUT (Chain, skeleton, SKELETON, .label = N_ ("Skeleton"),
             .help = N_ ("A skeleton with the joints joint1, joint2, … and end.")),
};

KG_NODE (rig, chain, Chain, .label = N_ ("Chain"), .version = 1, .since = "0.1",
         .tags = N_ ("bones skeleton arm tentacle tail joints armature"),
         .help = N_ ("Makes a chain of bones, such as an arm, a tail or a tentacle. Pose it with inverse kinematics."));
