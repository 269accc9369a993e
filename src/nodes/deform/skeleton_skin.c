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
  [SKIN_TURN_BEST] = { "procrustes", N_ ("Best fit") },
  [SKIN_TURN_AVERAGE] = { "average", N_ ("Average of the points") },
  [SKIN_TURN_REPEATED] = { "average-iterated", N_ ("Average, repeated until it fits") },
  [SKIN_TURN_NONE] = { "none", N_ ("None: turning crushes") },
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
                  "there is no skeleton: link a figure to rest and posed, or joints to skeleton");
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
        "the skeleton has %zu points now and had %zu when its turn was taken: let the number stay, or set every to 1",
        now->n, then->n);
    return false;
  }
  return true;
}

/* Moves what is numbered (NULL: all) by the part of the skeleton that is numbered (NULL: all). */
static void
skeleton_skin_move (const SkeletonSkin *n, const KgContext *ctx, const SkinSkeleton *now, const SkinSkeleton *then,
                    const SkinPart *part, float *points, size_t n_points)
{
  g_auto (SkinSkeleton) now_part = { .n = 0 }, then_part = { .n = 0 };
  const bool whole = part == NULL || part->n_bones == 0;
  g_autoptr (SkinField) skin = NULL;
  KgTransform turn;
  bool mirrored;

  if (!whole) {
    skin_skeleton_pick (now, part->bones, part->n_bones, &now_part);
    skin_skeleton_pick (then, part->bones, part->n_bones, &then_part);
  }
  turn = skin_find_turn (whole ? then : &then_part, (SkinTurn) n->rotation, &mirrored);
  if (mirrored && part != NULL)
    kg_context_warn (
        ctx, "the skeleton of part \"%s\" is posed as its mirror image: no turn does that, and the nearest one is used",
        part->name);
  else if (mirrored)
    kg_context_warn (ctx, "the skeleton is posed as its mirror image: no turn does that, and the nearest one is used");
  skin = skin_field_new (whole ? now : &now_part, &turn, n->power, 0);
  if (part != NULL)
    skin_field_deform (skin, points, part->points, part->n_points);
  else
    skin_field_deform (skin, points, NULL, n_points);
}

static bool
skeleton_skin_evaluate (SkeletonSkin *n, const KgContext *ctx, GError **error)
{
  g_auto (SkinSkeleton) now = { .n = 0 }, then = { .n = 0 };
  g_autoptr (GPtrArray) parts = NULL;
  GError *warning = NULL;
  float *points;

  if (!skeleton_skin_read (n, ctx, &now, &then, error))
    return false;
  parts = skin_parts_read (n->parts, n->geometry, now.n, error);
  if (parts == NULL)
    return false;
  skin_skeleton_check (&now, &warning);
  kg_context_take_warning (ctx, warning);
  kg_geometry_make_writable (&n->geometry);
  points = kg_geometry_edit_positions (n->geometry);
  for (guint i = 0; now.n > 0 && i < parts->len; i++)
    skeleton_skin_move (n, ctx, &now, &then, (const SkinPart *) g_ptr_array_index (parts, i), points, 0);
  if (now.n > 0 && parts->len == 0)
    skeleton_skin_move (n, ctx, &now, &then, NULL, points, kg_geometry_get_n_points (n->geometry));
  if (kg_geometry_get_float (n->geometry, KG_POINTS, "N", 3) != NULL)
    kg_geometry_compute_normals (n->geometry);
  n->deformed = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot skeleton_skin_slots[] = {
  KG_INPUT (SkeletonSkin, geometry, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("What follows the skeleton, as it is around the skeleton at rest.")),
  KG_INPUT (SkeletonSkin, rest, GEOMETRY, .label = N_ ("Rest"), .optional = true,
            .help = N_ ("The skeleton at rest: a figure whose points count. Not used while Skeleton is linked.")),
  KG_INPUT (SkeletonSkin, posed, GEOMETRY, .label = N_ ("Posed"), .optional = true,
            .help = N_ ("The same figure as it moves, such as from Skeleton Dynamics: the same points in the same "
                        "order.")),
  KG_INPUT (SkeletonSkin, skeleton, SKELETON, .label = N_ ("Skeleton"), .optional = true,
            .help = N_ ("A skeleton of joints in place of Rest and Posed: its joints are the points.")),
  KG_INPUT (
      SkeletonSkin, parts, TEXT, .label = N_ ("Parts"), .multiline = true,
      .handle = { KG_HANDLE_PARTS, .anchor = "posed" },
      .help = N_ ("One a line, as arm: 2 4 5 6, a group of points or primitives and the points of the skeleton that it "
                  "follows, from 0; without numbers it follows all of them. In place of the group the number of one "
                  "polygon or line will do. What is in two parts belongs to the first, what is in none stays. Empty: "
                  "all is one part.")),
  KG_INPUT (
      SkeletonSkin, rotation, CHOICE, .label = N_ ("Rotation"), .choices = skeleton_skin_rotations,
      .help = N_ ("How the turn of each part is found, which then takes along what it follows without bending it. "
                  "Best fit is right in space too; there the average falls short of large turns.")),
  KG_INPUT (SkeletonSkin, rotation_every, INTEGER, .label = N_ ("Every"), .unit = KG_FRAMES, .early = true, .def = 1,
            .min = 1, .max = 10000, .soft_max = 12,
            .help = N_ ("3 looks for a new turn only every third frame and keeps it in between, as was done when it "
                        "cost time. The skeleton is followed in each frame all the same.")),
  KG_INPUT (
      SkeletonSkin, power, NUMBER, .label = N_ ("Power"), .def = 2, .min = 0.1, .max = 64, .soft_min = 1, .soft_max = 6,
      .help = N_ ("How fast the pull of a point falls with the distance: 2 with its square. With more, each place "
                  "follows its nearest point more and more alone.")),
  KG_OUTPUT (SkeletonSkin, deformed, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("As the skeleton moves it.")),
};

KG_NODE_WITH_DEMAND (
    deform, skeleton_skin, SkeletonSkin, .label = N_ ("Skeleton Skin"), .version = 1, .since = "0.1",
    .tags = N_ ("skinning rig bind armature bones character outline puppet figure weights shepard procrustes"),
    .help = N_ ("Lets a drawing or a mesh follow the points of a skeleton. Each part turns and moves with its share of "
                "the skeleton as a whole, and bends smoothly by what the single points do beyond that: there are no "
                "weights to paint and no creases at the joints. Split a figure into parts, so that a hand beside a "
                "hip does not stick to it."));
