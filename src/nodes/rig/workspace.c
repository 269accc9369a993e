/* rig/workspace: where the end of a skeleton can be.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/workspace.h"
#include "kg-node.h"
#include "kg-floats.h"

typedef struct {
  const KgSkeleton *skeleton;
  const char *end_joint;
  int mode;
  int64_t samples;
  int64_t directions;
  int64_t seed;
  KgGeometry *geometry;
  double nearest;
  double farthest;
  double area;
  double dextrous;
} WorkspaceNode;

static const KgChoice workspace_modes[] = {
  [WORKSPACE_REACHABLE] = { "reachable", N_ ("Reachable: positions of random poses") },
  [WORKSPACE_BOUNDARY] = { "boundary", N_ ("Boundary: as far and as near as the end gets") },
  [WORKSPACE_DEXTROUS] = { "dextrous", N_ ("Dextrous: in how many orientations") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (workspace_modes, WORKSPACE_N_MODES);

static bool
workspace_evaluate (WorkspaceNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const int joint = linkage_find (n->skeleton, n->end_joint, error);
  g_auto (Workspace) workspace = { .mode = (WorkspaceMode) n->mode,
                                   .samples = (guint) n->samples,
                                   .seed = (uint64_t) n->seed,
                                   .directions = (guint) n->directions };
  float *p, *ease, *share;
  guint all = 0;

  if (joint < 0 || !workspace_explore (&workspace, n->skeleton, (guint) joint, &monitor, error))
    return false;
  n->geometry = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->geometry, workspace.places->len, error))
    return false;
  p = kg_geometry_edit_positions (n->geometry);
  ease = kg_geometry_edit_float (n->geometry, KG_POINTS, "manipulability", 1);
  share = kg_geometry_edit_float (n->geometry, KG_POINTS, "dexterity", 1);
  for (guint i = 0; i < workspace.places->len; i++) {
    const KgVector place = g_array_index (workspace.places, KgVector, i);

    kg_floats_set_vector (p, (size_t) i, place);
    ease[i] = (float) g_array_index (workspace.manipulability, double, i);
    share[i] = (float) g_array_index (workspace.dexterity, double, i);
    all += g_array_index (workspace.dexterity, double, i) >= 1;
  }
  n->nearest = workspace.nearest;
  n->farthest = workspace.farthest;
  n->area = workspace.area;
  n->dextrous = workspace.places->len > 0 ? (double) all / workspace.places->len : 0;
  return true;
}

static const KgSlot workspace_slots[] = {
  KG_INPUT (WorkspaceNode, skeleton, SKELETON, .label = N_ ("Skeleton"),
            .help = N_ ("The skeleton. Its joints keep their limits; its pose does not matter.")),
  KG_INPUT (WorkspaceNode, end_joint, TEXT, .label = N_ ("End"),
            .help = N_ ("Name of the joint whose positions are computed; empty for the last.")),
  KG_INPUT (
      WorkspaceNode, mode, CHOICE, .label = N_ ("Show"), .choices = workspace_modes,
      .help = N_ ("Which positions are found. The boundary and dextrous positions take inverse kinematics for each "
                  "point: use fewer points.")),
  KG_INPUT (WorkspaceNode, samples, INTEGER, .label = N_ ("Points"), .def = 500, .min = 0, .max = 1000000,
            .soft_max = 10000, .help = N_ ("Number of random poses.")),
  KG_INPUT (WorkspaceNode, directions, INTEGER, .label = N_ ("Directions"), .def = 12, .min = 1, .max = 1000,
            .soft_max = 50, .shown_when = "mode=dextrous",
            .help = N_ ("Number of orientations tried at each position.")),
  KG_INPUT (WorkspaceNode, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Each number gives different poses.")),
  KG_OUTPUT (WorkspaceNode, geometry, GEOMETRY, .label = N_ ("Points"),
             .help = N_ ("The positions, with the attributes manipulability (how freely the end moves there in that "
                         "pose) and dexterity (share of orientations it can have).")),
  KG_OUTPUT (WorkspaceNode, nearest, NUMBER, .label = N_ ("Nearest"), .unit = KG_METRES,
             .help = N_ ("Smallest distance found from the first free joint.")),
  KG_OUTPUT (WorkspaceNode, farthest, NUMBER, .label = N_ ("Farthest"), .unit = KG_METRES,
             .help = N_ ("Largest distance found from the first free joint.")),
  KG_OUTPUT (
      WorkspaceNode, area, NUMBER, .label = N_ ("Area"),
      .help = N_ ("Area of a planar workspace in square metres, between the nearest and the farthest position in "
                  "each direction; otherwise 0.")),
  KG_OUTPUT (WorkspaceNode, dextrous, NUMBER, .label = N_ ("Dextrous share"), .unit = KG_PERCENT,
             .help = N_ ("Share of the positions that the end can take in all orientations tried.")),
};

KG_NODE (
    rig, workspace, WorkspaceNode, .label = N_ ("Workspace"), .version = 1, .since = "0.1",
    .tags = N_ ("reach reachable dextrous boundary arm manipulability range"),
    .formula = "two links: |L₁ − L₂| ≤ r ≤ L₁ + L₂",
    .source = "Parent, Computer Animation, 4.2; Craig, Introduction to Robotics, 4.2",
    .help = N_ (
        "Shows where the end of a skeleton can be: the positions it reaches, their boundary, and the positions where it can have any orientation."));
