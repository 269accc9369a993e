/* rig/skeleton_geometry: a skeleton to look at.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "rig/bone_solids.h"

typedef struct {
  const KgSkeleton *skeleton;
  int style;
  double width;
  KgColor color;
  KgGeometry *geometry;
} SkeletonGeometry;

enum { SKELETON_GEOMETRY_LINES, SKELETON_GEOMETRY_SOLIDS, N_STYLES };

static const KgChoice skeleton_geometry_styles[] = {
  [SKELETON_GEOMETRY_LINES] = { "lines", N_ ("Lines and points") },
  [SKELETON_GEOMETRY_SOLIDS] = { "solids", N_ ("Solid bones") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (skeleton_geometry_styles, N_STYLES);

static bool
skeleton_geometry_make_lines (SkeletonGeometry *n, GError **error)
{
  const guint count = kg_skeleton_get_n_joints (n->skeleton);
  g_autofree KgTransform *world = g_new (KgTransform, MAX (count, 1));
  float *p, *width;

  kg_skeleton_get_world (n->skeleton, world);
  n->geometry = kg_geometry_new ();
  /* First the ends of the bones, then the joints as loose points, so that these are drawn on top. */
  if (!kg_geometry_set_n_points (n->geometry, 2 * (size_t) count, error))
    return false;
  p = kg_geometry_edit_positions (n->geometry);
  width = kg_geometry_edit_float (n->geometry, KG_POINTS, "width", 1);
  for (guint i = 0; i < count; i++) {
    const KgVector x = kg_transform_get_place (&world[i]);
    const int parent = kg_skeleton_get_joint (n->skeleton, i)->parent;

    for (size_t c = 0; c < 3; c++)
      p[3 * (size_t) i + c] = p[3 * (size_t) (count + i) + c] = (float) kg_vector_get (x, c);
    width[i] = (float) n->width;
    width[count + i] = (float) (2.2 * n->width);
    if (parent >= 0) {
      const uint32_t bone[] = { (uint32_t) parent, i };

      kg_geometry_add_primitives (n->geometry, KG_POLYLINE, false, 1, 2, bone);
    }
  }
  return true;
}

static bool
skeleton_geometry_evaluate (SkeletonGeometry *n, const KgContext *ctx, GError **error)
{
  float *color;

  (void) ctx;
  if (n->style == SKELETON_GEOMETRY_LINES) {
    if (!skeleton_geometry_make_lines (n, error))
      return false;
  } else if ((n->geometry = bone_solids_new (n->skeleton, n->width, error)) == NULL)
    return false;
  color = kg_geometry_edit_float (n->geometry, KG_POINTS, "Cd", 4);
  for (size_t i = 0; i < 4 * kg_geometry_get_n_points (n->geometry); i++)
    color[i] = (float) (&n->color.r)[i % 4];
  return true;
}

static const KgSlot skeleton_geometry_slots[] = {
  KG_INPUT (SkeletonGeometry, skeleton, SKELETON, .label = N_ ("Skeleton"), .help = N_ ("Skeleton to show.")),
  KG_INPUT (SkeletonGeometry, style, CHOICE, .label = N_ ("Style"), .choices = skeleton_geometry_styles,
            .help = N_ ("Lines for flat drawings, solids for a scene.")),
  KG_INPUT (SkeletonGeometry, width, NUMBER, .label = N_ ("Width"), .unit = KG_METRES, .def = 0.08, .min = 0,
            .max = 1e6, .soft_max = 0.5, .help = N_ ("Width of the bones.")),
  KG_INPUT (SkeletonGeometry, color, COLOR, .label = N_ ("Colour"), .def_v = { 0.9, 0.9, 0.95, 1 },
            .help = N_ ("Colour of the whole skeleton.")),
  KG_OUTPUT (SkeletonGeometry, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("Geometry of the bones.")),
};

KG_NODE (rig, skeleton_geometry, SkeletonGeometry, .label = N_ ("Skeleton Geometry"), .version = 1, .since = "0.1",
         .role = KG_ROLE_SKELETON_DRAWING, .tags = N_ ("bones draw show armature display"),
         .help = N_ ("Makes a skeleton visible, as lines with joints or as solid bones."));
