/* deform/path_groups: points in groups that travel along a path.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "deform/path_groups.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *points;
  const KgGeometry *path;
  int axis;
  int up;
  double travel;
  int mode;
  int group_by;
  double width;
  const char *attribute;
  bool turn;
  double max_shear;
  KgGeometry *geometry;
  int64_t groups;
  double shear;
} PathGroups;

enum { AXIS_X, AXIS_Y, AXIS_Z, N_AXES };

static const KgChoice path_groups_axes[] = {
  [AXIS_X] = { "x", N_ ("x") },
  [AXIS_Y] = { "y", N_ ("y") },
  [AXIS_Z] = { "z", N_ ("z") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (path_groups_axes, N_AXES);

static const KgChoice path_groups_modes[] = {
  [PATH_GROUPS_HEIGHT] = { "height", N_ ("Along the axis, at the height of the path") },
  [PATH_GROUPS_LENGTH] = { "length", N_ ("Along the path") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (path_groups_modes, PATH_GROUPS_N_MODES);

static const KgChoice path_groups_rules[] = {
  [PATH_GROUPS_BY_COORDINATE] = { "coordinate", N_ ("Equal coordinate along the axis") },
  [PATH_GROUPS_BY_SLICE] = { "slices", N_ ("Slices of equal width") },
  [PATH_GROUPS_BY_ATTRIBUTE] = { "attribute", N_ ("Equal number in an attribute") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (path_groups_rules, PATH_GROUPS_N_RULES);

static bool
path_groups_evaluate (PathGroups *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const PathGroupsOptions options = { .rule = (PathGroupsRule) n->group_by,
                                      .mode = (PathGroupsMode) n->mode,
                                      .axis = (size_t) n->axis,
                                      .up = (size_t) n->up,
                                      .width = n->width,
                                      .attribute = n->attribute,
                                      .travel = n->travel,
                                      .turn = n->turn,
                                      .max_shear = n->max_shear };
  PathGroupsResult result;
  g_autoptr (Curve) path = NULL;

  if (n->axis == n->up) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the axis and up are both %s: choose two different ones",
                  path_groups_axes[n->axis].nick);
    return false;
  }
  path = curve_new (n->path, 0, error);
  if (path == NULL)
    return false;
  n->geometry = kg_geometry_ref (n->points);
  kg_geometry_make_writable (&n->geometry);
  if (!path_groups_move (n->geometry, path, &options, &monitor, &result, error))
    return false;
  n->groups = (int64_t) result.n_groups;
  n->shear = result.shear;
  return true;
}

static const KgSlot path_groups_slots[] = {
  KG_INPUT (PathGroups, points, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("Points, such as the keys of a soft object, in a row along the axis.")),
  KG_INPUT (PathGroups, path, GEOMETRY, .label = N_ ("Path"), .help = N_ ("Geometry whose first curve is the path.")),
  KG_INPUT (PathGroups, axis, CHOICE, .label = N_ ("Axis"), .choices = path_groups_axes, .def = AXIS_Z,
            .help = N_ ("Axis along which the groups are lined up.")),
  KG_INPUT (PathGroups, up, CHOICE, .label = N_ ("Up"), .choices = path_groups_axes, .def = AXIS_Y,
            .help = N_ ("Axis along which the path raises them.")),
  KG_INPUT (PathGroups, travel, NUMBER, .label = N_ ("Travel"), .unit = KG_METRES, .min = -1e6, .max = 1e6,
            .soft_min = -10, .soft_max = 10, .help = N_ ("How far the groups have moved. Key it to make them travel.")),
  KG_INPUT (PathGroups, mode, CHOICE, .label = N_ ("Mode"), .choices = path_groups_modes,
            .help = N_ ("Whether distances are measured along the axis or along the path.")),
  KG_INPUT (PathGroups, group_by, CHOICE, .label = N_ ("Group by"), .choices = path_groups_rules,
            .help = N_ ("Which points move together.")),
  KG_INPUT (PathGroups, width, NUMBER, .label = N_ ("Width"), .unit = KG_METRES, .def = 0.1, .min = 1e-6, .max = 1e6,
            .soft_max = 2, .shown_when = "group_by=slices", .help = N_ ("Thickness of a slice.")),
  KG_INPUT (PathGroups, attribute, TEXT, .label = N_ ("Attribute"), .def_text = "group",
            .shown_when = "group_by=attribute",
            .help = N_ ("Name of a numeric attribute that the points of a group share.")),
  KG_INPUT (PathGroups, turn, BOOLEAN, .label = N_ ("Turn"), .def = 1, .shown_when = "mode=length",
            .help = N_ ("Rotates groups with the path.")),
  KG_INPUT (
      PathGroups, max_shear, NUMBER, .label = N_ ("Largest shear"), .min = 0, .max = 1e6, .soft_max = 4,
      .shown_when = "mode=height",
      .help = N_ ("Limits how much neighbouring groups differ in height, per metre between them; 0 sets no limit.")),
  KG_OUTPUT (PathGroups, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The moved points.")),
  KG_OUTPUT (PathGroups, groups, INTEGER, .label = N_ ("Groups"), .help = N_ ("Number of groups.")),
  KG_OUTPUT (PathGroups, shear, NUMBER, .label = N_ ("Shear"),
             .help = N_ ("The largest difference in height between neighbours, per metre between them.")),
};

KG_NODE (
    deform, path_groups, PathGroups, .label = N_ ("Groups along Path"), .version = 1, .since = "0.1",
    .tags = N_ ("path deform flow climb stairs caterpillar snake follow groups soft keys"),
    .formula = "P′ = P + travel along the axis + Y(place + travel) along up, Y being the height of the path",
    .source = "Wyvill, Computer Animation Tutorial, 1988",
    .help = N_ ("Moves points along a path in groups that stay as they are, so that letters climb stairs and remain "
                "legible, and a caterpillar follows a branch."));
