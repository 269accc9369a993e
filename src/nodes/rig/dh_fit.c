/* rig/dh_fit: the Denavit-Hartenberg parameters of a chain of hinges and sliders.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "rig/denavit_hartenberg.h"
#include "rig/linkage.h"
#include "value/number_table.h"

typedef struct {
  const KgSkeleton *skeleton;
  const char *end_joint;
  KgTable *table;
  KgTransform base;
  KgTransform end;
  double residual;
} DhFit;

/* The freedoms on the way to the end, from the root on.  A joint of several is as many joints at one place. */
static GArray *
dh_fit_collect (const DhFit *n, const Linkage *linkage, guint end, GError **error)
{
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (DhAxis));
  g_autofree guint *path = g_new (guint, linkage->n_joints);
  guint length = 0;

  for (int i = (int) end; i >= 0; i = linkage->parents[i])
    path[length++] = (guint) i;
  while (length-- > 0) {
    const guint i = path[length], first = linkage->first[i], count = linkage->first[i + 1] - first;

    if (count > 0 && linkage->freedoms[linkage->first[i + 1] - 1].kind == LINKAGE_BALL) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "joint \"%s\" rotates in all directions, and has no axis of its own: use hinges and sliders",
                    kg_skeleton_get_joint (n->skeleton, i)->name);
      return NULL;
    }
    for (guint pass = 0; pass < 2; pass++)
      for (guint c = 0; c < count; c++) {
        /* Slides come first; rotations about z come before those about y and x. */
        const LinkageFreedom *freedom = &linkage->freedoms[pass == 0 ? first + c : first + count - 1 - c];
        const DhAxis axis = { linkage->points[i], kg_vector_normalize_or (freedom->along, kg_vector (0, 0, 1)),
                              freedom->kind == LINKAGE_SLIDE };

        if ((freedom->kind == LINKAGE_SLIDE) == (pass == 0))
          g_array_append_val (axes, axis);
      }
  }
  if (axes->len == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "no joint on the way to the end is free to move: add a hinge or a slider");
    return NULL;
  }
  return g_steal_pointer (&axes);
}

static bool
dh_fit_evaluate (DhFit *n, const KgContext *ctx, GError **error)
{
  static const char *const names[] = { "a", "alpha", "d", "theta", "slides" };
  const int end = linkage_find (n->skeleton, n->end_joint, error);
  g_auto (Linkage) linkage = { 0 };
  g_autoptr (GArray) axes = NULL;
  g_autofree DhRow *rows = NULL;
  g_autofree double *cells = NULL;
  KgTransform last, back;

  (void) ctx;
  n->base = n->end = kg_transform_identity ();
  if (end < 0)
    return false;
  linkage_init (&linkage, n->skeleton);
  axes = dh_fit_collect (n, &linkage, (guint) end, error);
  if (axes == NULL)
    return false;
  rows = g_new (DhRow, axes->len);
  cells = g_new (double, 5 * (gsize) axes->len);
  dh_fit ((const DhAxis *) (void *) axes->data, axes->len, rows, &n->base, &last);
  for (guint i = 0; i < axes->len; i++) {
    double *row = cells + 5 * (gsize) i;

    row[0] = rows[i].a;
    row[1] = rows[i].alpha / KG_DEGREE;
    row[2] = rows[i].d;
    row[3] = rows[i].theta / KG_DEGREE;
    row[4] = rows[i].slides;
  }
  n->residual = dh_get_residual ((const DhAxis *) (void *) axes->data, rows, axes->len, n->base);
  /* Made of rotations and translations only: it always has an inverse. */
  kg_transform_invert (last, &back);
  n->end = kg_transform_multiply (
      back, kg_transform_from_parts (linkage.points[end], linkage.frames[end], kg_vector (1, 1, 1)));
  n->table = number_table_new (5, names, axes->len, cells, error);
  return n->table != NULL;
}

static const KgSlot dh_fit_slots[] = {
  KG_INPUT (DhFit, skeleton, SKELETON, .label = N_ ("Skeleton"),
            .help = N_ ("The posed skeleton. Its joints are hinges and sliders.")),
  KG_INPUT (DhFit, end_joint, TEXT, .label = N_ ("End"),
            .help = N_ ("Name of the joint that ends the chain; empty for the last.")),
  KG_OUTPUT (
      DhFit, table, TABLE, .label = N_ ("Table"),
      .help = N_ ("A row for each joint, for Denavit-Hartenberg Chain: length and twist of the link before it, its "
                  "offset and angle (metres and degrees), and 1 if it slides. Modified convention.")),
  KG_OUTPUT (DhFit, base, TRANSFORM, .label = N_ ("Base"),
             .help = N_ ("Position and rotation of the first joint when its angle and offset are 0.")),
  KG_OUTPUT (DhFit, end, TRANSFORM, .label = N_ ("End"), .help = N_ ("The end, seen from the axes of the last joint.")),
  KG_OUTPUT (DhFit, residual, NUMBER, .label = N_ ("Residual"),
             .help = N_ ("Largest difference between the axes of the skeleton and those of the table: rounding only.")),
};

KG_NODE (rig, dh_fit, DhFit, .label = N_ ("Denavit-Hartenberg Fit"), .version = 1, .since = "0.1",
         .tags = N_ ("robot arm joints table parameters axes perpendicular"),
         .formula = "x_i along the common perpendicular of z_i and z_{i+1}\n"
                    "a_i = (G_i − F_i)·x_i, α_i = ∠(z_i, z_{i+1}) about x_i\n"
                    "d_i = (F_i − G_{i−1})·z_i, θ_i = ∠(x_{i−1}, x_i) about z_i",
         .source = "Parent, Computer Animation, 4.1.3; Craig, Introduction to Robotics, 3.4",
         .help = N_ (
             "Finds the Denavit-Hartenberg parameters of a chain of hinges and sliders from the axes of its joints."));
