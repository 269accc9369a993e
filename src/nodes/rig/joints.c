/* rig/joints: a skeleton of joints of any kind, written as a list.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "rig/joint_list.h"
#include "rig/linkage.h"

typedef struct {
  const char *joints;
  KgList values;
  KgSkeleton *skeleton;
  int64_t freedoms;
} Joints;

static bool
joints_evaluate (Joints *n, const KgContext *ctx, GError **error)
{
  g_auto (Linkage) linkage = { 0 };
  g_autofree double *values = NULL;

  (void) ctx;
  n->skeleton = joint_list_read (n->joints, error);
  if (n->skeleton == NULL)
    return false;
  linkage_init (&linkage, n->skeleton);
  n->freedoms = linkage.n;
  if (n->values.n > linkage.n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "there are too many values (%u; freedoms: %u): remove some, or free more joints", n->values.n,
                  linkage.n);
    return false;
  }
  values = g_new0 (double, MAX (linkage.n, 1));
  for (guint k = 0; k < n->values.n; k++)
    values[k] = n->values.items[k].number * (linkage.freedoms[k].kind == LINKAGE_SLIDE ? 1 : KG_DEGREE);
  if (n->values.n > 0)
    linkage_set_values (&linkage, n->skeleton, values);
  return true;
}

static const KgSlot joints_slots[] = {
  KG_INPUT (
      Joints, joints, TEXT, .label = N_ ("Joints"), .multiline = true,
      .def_text = "shoulder - ball 0 0 0\nelbow shoulder hinge 0.3 0 0 limits 0 150\nhand elbow fixed 0.25 0 0",
      .manual = "joints",
      .help = N_ (
          "Joints, one per line: name, parent (- for a root), kind, and position in the axes of the parent. For example, \"elbow shoulder hinge 0.3 0 0 limits 0 150\" is an elbow that bends by up to 150 degrees.")),
  KG_INPUTS (Joints, values, NUMBER, .label = N_ ("Values"), .optional = true,
             .help = N_ ("Pose: the freedoms in the order of the joints, slides (metres) before rotations (degrees), "
                         "each in the order x, y, z.")),
  KG_OUTPUT (Joints, skeleton, SKELETON, .label = N_ ("Skeleton"), .help = N_ ("The skeleton.")),
  KG_OUTPUT (Joints, freedoms, INTEGER, .label = N_ ("Freedoms"),
             .help = N_ ("Number of degrees of freedom of all joints together.")),
};

KG_NODE (
    rig, joints, Joints, .label = N_ ("Joints"), .version = 1, .since = "0.1",
    .tags = N_ ("skeleton hinge slider prismatic revolute ball universal planar free degrees freedom tree mass"),
    .source = "Parent, Computer Animation, 4.1.1",
    .help = N_ (
        "Makes a skeleton of joints of any kind, with limits and masses, as a tree: hinges, sliders, balls, and joints that combine them."));
