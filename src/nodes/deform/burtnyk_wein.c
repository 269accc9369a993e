/* deform/burtnyk_wein: a drawing fixed to the bones of a skeleton in the plane.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "deform/bone_coordinates.h"
#include "kg-node.h"

typedef struct {
  KgGeometry *geometry;
  const KgGeometry *rest;
  const KgGeometry *posed;
  const KgSkeleton *skeleton;
  int mode;
  int thickness;
  KgGeometry *deformed;
} BurtnykWein;

enum { MODE_BONES, MODE_QUADS, N_MODES };
enum { THICKNESS_KEEP, THICKNESS_SCALE, N_THICKNESSES };

static const KgChoice burtnyk_wein_modes[] = {
  [MODE_BONES] = { "bones", N_ ("Bones: each point follows the nearest") },
  [MODE_QUADS] = { "quads", N_ ("Quads: joined along the bisectors of the joints") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (burtnyk_wein_modes, N_MODES);

static const KgChoice burtnyk_wein_thicknesses[] = {
  [THICKNESS_KEEP] = { "keep", N_ ("Constant") },
  [THICKNESS_SCALE] = { "scale", N_ ("Scales with the bone length") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (burtnyk_wein_thicknesses, N_THICKNESSES);

static bool
burtnyk_wein_evaluate (BurtnykWein *n, const KgContext *ctx, GError **error)
{
  const BoneStyle style = { .quads = n->mode == MODE_QUADS, .scales = n->thickness == THICKNESS_SCALE };
  g_auto (SkinSkeleton) skeleton = { .n = 0 };
  g_autoptr (BoneCoordinates) bones = NULL;

  if (!skin_skeleton_read (&skeleton, n->rest, n->posed, n->skeleton, error))
    return false;
  bones = bone_coordinates_new (&skeleton, n->rest, n->skeleton, &style, error);
  if (bones == NULL)
    return false;
  if (bone_coordinates_get_n_bones (bones) == 0)
    kg_context_warn (ctx, "the skeleton has no bones: the geometry is not deformed");
  if (bone_coordinates_get_folded (bones) >= 0)
    kg_context_warn (
        ctx,
        "the bones at point %d of the skeleton lie on each other, so the drawing tears there: open the angle a little",
        bone_coordinates_get_folded (bones));
  kg_geometry_make_writable (&n->geometry);
  bone_coordinates_move (bones, kg_geometry_edit_positions (n->geometry), kg_geometry_get_n_points (n->geometry));
  if (kg_geometry_get_float (n->geometry, KG_POINTS, "N", 3) != NULL)
    kg_geometry_compute_normals (n->geometry);
  n->deformed = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot burtnyk_wein_slots[] = {
  KG_INPUT (BurtnykWein, geometry, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("The drawing in its rest position around the skeleton. Its z does not change.")),
  KG_INPUT (
      BurtnykWein, rest, GEOMETRY, .label = N_ ("Rest"), .optional = true,
      .help = N_ (
          "The skeleton at rest: its lines are the bones; without lines its points are joined in order. Not used while Skeleton is linked.")),
  KG_INPUT (BurtnykWein, posed, GEOMETRY, .label = N_ ("Posed"), .optional = true,
            .help = N_ ("The same skeleton in its current pose, with the same points in the same order.")),
  KG_INPUT (BurtnykWein, skeleton, SKELETON, .label = N_ ("Skeleton"), .optional = true,
            .help = N_ ("A skeleton of joints, used instead of Rest and Posed.")),
  KG_INPUT (
      BurtnykWein, mode, CHOICE, .label = N_ ("Mode"), .choices = burtnyk_wein_modes,
      .help = N_ (
          "With bones alone, a bend tears the drawing apart on the outside and folds it over on the inside. Quads keep it together, but with a kink.")),
  KG_INPUT (BurtnykWein, thickness, CHOICE, .label = N_ ("Thickness"), .choices = burtnyk_wein_thicknesses,
            .help = N_ ("How the distance of points from a bone changes if the bone gets longer or shorter.")),
  KG_OUTPUT (BurtnykWein, deformed, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The deformed drawing.")),
};

KG_NODE (
    deform, burtnyk_wein, BurtnykWein, .label = N_ ("Burtnyk-Wein Skeleton"), .version = 1, .since = "0.1",
    .tags = N_ ("skeleton bones key frame cartoon cut out limb bend 2d relative coordinates"),
    .help = N_ (
        "Deforms a flat drawing with the earliest skeletons of computer animation: each point keeps its position along and across the bone nearest to it. Straight lines beside the bones stay straight and get a kink where two bones meet, which Skeleton Skin avoids."));
