/* deform/skeleton_skin: a drawing or a mesh that follows a skeleton of points.
 * Source: van Overveld, skeleton-driven deformation, steps 0 to 7.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "deform/skin.h"
#include "deform/skin_parts.h"

typedef struct {
  KgGeometry *geometry;
  const KgGeometry *rest;
  const KgGeometry *posed;
  const KgSkeleton *skeleton;
  const char *parts;
  int rotation;
  int64_t rotation_every;
  double power;
  KgGeometry *deformed;
} SkeletonSkin;

static const KgChoice skeleton_skin_rotations[] = {
  [SKIN_ROTATION_BEST] = { "procrustes", N_ ("Best fit") },
  [SKIN_ROTATION_AVERAGE] = { "average", N_ ("Average of the points") },
  [SKIN_ROTATION_REPEATED] = { "average-iterated", N_ ("Iterated average") },
  [SKIN_ROTATION_NONE] = { "none", N_ ("None: rotations squash the shape") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (skeleton_skin_rotations, SKIN_N_TURNS);

/* The pose now, and that which the turn is taken from. */
static bool
skeleton_skin_demand (const SkeletonSkin *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  const double every = (double) n->rotation_every;
  const double frame = ctx->start + floor ((ctx->frame - ctx->start) / every + 1e-9) * every;
  const double time = every > 1 ? (frame - ctx->start) / ctx->rate : ctx->time;
  const size_t fields[] = { offsetof (SkeletonSkin, posed), offsetof (SkeletonSkin, skeleton) };

  (void) error;
  for (guint i = 0; i < G_N_ELEMENTS (fields) && every > 1; i++) {
    kg_demand_at (demand, fields[i], ctx->time);
    kg_demand_at (demand, fields[i], time);
  }
  return true;
}

/* Reads the pose now and the one that the turn is taken from. */
static bool
skeleton_skin_read (const SkeletonSkin *n, const KgContext *ctx, SkinSkeleton *now, SkinSkeleton *then, GError **error)
{
  const bool held = n->rotation_every > 1;
  const KgGeometry *posed = n->posed;
  const KgSkeleton *joints = n->skeleton;

  if (joints == NULL && n->rest == NULL && n->posed == NULL) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED,
                  "the skeleton is missing: link a figure to rest and posed, or joints to skeleton");
    return false;
  }
  if (held && joints != NULL)
    joints = kg_context_get_sample (ctx, offsetof (SkeletonSkin, skeleton), 1)->skeleton;
  if (held && posed != NULL)
    posed = kg_context_get_sample (ctx, offsetof (SkeletonSkin, posed), 1)->geometry;
  if (!skin_skeleton_read (now, n->rest, n->posed, n->skeleton, error) ||
      !skin_skeleton_read (then, n->rest, posed, joints, error))
    return false;
  if (now->n != then->n) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "the skeleton has %zu points now, but had %zu when its rotation was determined: keep their number constant, or set every to 1",
        now->n, then->n);
    return false;
  }
  return true;
}

/* Moves what is numbered (NULL: all) by the part of the skeleton that is numbered (NULL: all). */
static bool
skeleton_skin_move (const SkeletonSkin *n, const KgContext *ctx, const SkinSkeleton *now, const SkinSkeleton *then,
                    const SkinPart *part)
{
  g_auto (SkinSkeleton) now_part = { .n = 0 }, then_part = { .n = 0 };
  const bool whole = part == NULL || part->n_bones == 0;
  g_autoptr (SkinField) skin = NULL;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  KgTransform turn;
  bool mirrored;

  if (!whole) {
    skin_skeleton_pick (now, part->bones, part->n_bones, &now_part);
    skin_skeleton_pick (then, part->bones, part->n_bones, &then_part);
  }
  turn = skin_find_rotation (whole ? then : &then_part, (SkinRotation) n->rotation, &mirrored);
  if (mirrored && part != NULL)
    kg_context_warn (
        ctx,
        "the skeleton of part \"%s\" is posed as its mirror image, which no rotation can match: the nearest rotation is used",
        part->name);
  else if (mirrored)
    kg_context_warn (
        ctx, "the skeleton is posed as its mirror image, which no rotation can match: the nearest rotation is used");
  skin = skin_field_new (whole ? now : &now_part, &turn, n->power, 0);
  if (part != NULL)
    return skin_field_deform_some (skin, kg_geometry_edit_positions (n->geometry), part->points, part->n_points,
                                   &monitor);
  {
    g_autoptr (KgBuffer) shared = NULL;
    const float *from;
    float *to = kg_geometry_rewrite_float (n->geometry, KG_POINTS, "P", &from, &shared);

    return skin_field_deform (skin, from, to, kg_geometry_get_n_points (n->geometry), &monitor);
  }
}

static bool
skeleton_skin_evaluate (SkeletonSkin *n, const KgContext *ctx, GError **error)
{
  g_auto (SkinSkeleton) now = { .n = 0 }, then = { .n = 0 };
  g_autoptr (GPtrArray) parts = NULL;
  GError *warning = NULL;

  if (!skeleton_skin_read (n, ctx, &now, &then, error))
    return false;
  parts = skin_parts_read (n->parts, n->geometry, now.n, error);
  if (parts == NULL)
    return false;
  skin_skeleton_check (&now, &warning);
  kg_context_take_warning (ctx, warning);
  kg_geometry_make_writable (&n->geometry);
  for (guint i = 0; now.n > 0 && i < parts->len; i++)
    if (!skeleton_skin_move (n, ctx, &now, &then, (const SkinPart *) g_ptr_array_index (parts, i)))
      return false;
  if (now.n > 0 && parts->len == 0 && !skeleton_skin_move (n, ctx, &now, &then, NULL))
    return false;
  if (kg_geometry_get_float (n->geometry, KG_POINTS, "N", 3) != NULL)
    kg_geometry_compute_normals (n->geometry);
  n->deformed = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot skeleton_skin_slots[] = {
  KG_INPUT (SkeletonSkin, geometry, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("The geometry that follows the skeleton, in its rest position around the skeleton at rest.")),
  KG_INPUT (
      SkeletonSkin, rest, GEOMETRY, .label = N_ ("Rest"), .optional = true,
      .help =
          N_ ("The skeleton at rest: a figure, of which only the points are used. Not used while Skeleton is linked.")),
  KG_INPUT (
      SkeletonSkin, posed, GEOMETRY, .label = N_ ("Posed"), .optional = true,
      .help = N_ (
          "The same figure in motion, for example from Skeleton Dynamics, with the same points in the same order.")),
  KG_INPUT (SkeletonSkin, skeleton, SKELETON, .label = N_ ("Skeleton"), .optional = true,
            .help = N_ ("A skeleton of joints, used instead of Rest and Posed: its joints are the points.")),
  KG_INPUT (
      SkeletonSkin, parts, TEXT, .label = N_ ("Parts"), .multiline = true,
      .handle = { KG_HANDLE_PARTS, .anchor = "posed" },
      .help = N_ (
          "One part per line: a group of points or primitives, and the indices of the skeleton points that it follows, from 0, as in \"arm: 2 4 5 6\". Without indices, it follows all of them; instead of a group, the index of a single polygon or line can be given. Points in two parts belong to the first, and points in none do not move. Empty: the whole geometry is one part.")),
  KG_INPUT (
      SkeletonSkin, rotation, CHOICE, .label = N_ ("Rotation"), .choices = skeleton_skin_rotations,
      .help = N_ (
          "How the rotation of each part is found. The rotation is applied to the geometry of the part without bending it. Best fit is also correct in 3D; there the average underestimates large rotations.")),
  KG_INPUT (
      SkeletonSkin, rotation_every, INTEGER, .label = N_ ("Every"), .unit = KG_FRAMES, .early = true, .def = 1,
      .min = 1, .max = 10000, .soft_max = 12,
      .help = N_ (
          "3 finds a new rotation only every third frame and holds it in between, as was done when this was expensive. The geometry still follows the skeleton in every frame.")),
  KG_INPUT (
      SkeletonSkin, power, NUMBER, .label = N_ ("Power"), .def = 2, .min = 0.1, .max = 64, .soft_min = 1, .soft_max = 6,
      .help = N_ (
          "How fast the influence of a point falls off with distance: 2 is the inverse square. With higher values each position follows its nearest point more exclusively.")),
  KG_OUTPUT (SkeletonSkin, deformed, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The geometry deformed by the skeleton.")),
};

KG_NODE_WITH_DEMAND (
    deform, skeleton_skin, SkeletonSkin, .label = N_ ("Skeleton Skin"), .version = 1, .since = "0.1",
    .tags = N_ ("skinning rig bind armature bones character outline puppet figure weights shepard procrustes"),
    .help = N_ (
        "Makes a drawing or a mesh follow the points of a skeleton. Each part rotates and moves with its part of the skeleton as a whole, and bends smoothly with any additional movement of the individual points: there are no weights to paint and no creases at the joints. Split a figure into parts, so that a hand near a hip does not stick to it."));
