/* transform/interpolate: from one transform to another, with each of their parts as befits it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rotation/conversion.h"
#include "transform/affine.h"
#include "kg-node.h"

typedef struct {
  KgTransform a;
  KgTransform b;
  double t;
  int method;
  int turn;
  int scale;
  KgTransform transform;
  KgRotation rotation;
  double determinant;
} Interpolate;

/* The share of the smaller volume of both ends that counts as none. */
#define FLAT 1e-12

enum { METHOD_PARTS, METHOD_MATRIX, N_METHODS };
enum { TURN_SLERP, TURN_AXIS_ANGLE, N_TURNS };
enum { SCALE_LINEAR, SCALE_EXPONENTIAL, N_SCALES };

static const KgChoice interpolate_methods[] = {
  [METHOD_PARTS] = { "parts", N_ ("Position, rotation, scale and shear separately") },
  [METHOD_MATRIX] = { "matrix", N_ ("Entries of the matrix, for comparison") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (interpolate_methods, N_METHODS);

static const KgChoice interpolate_turns[] = {
  [TURN_SLERP] = { "slerp", N_ ("About one axis, by the shortest path (slerp)") },
  [TURN_AXIS_ANGLE] = { "axis-angle", N_ ("Axis rotates to the other axis, angle changes evenly") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (interpolate_turns, N_TURNS);

static const KgChoice interpolate_scales[] = {
  [SCALE_LINEAR] = { "linear", N_ ("In equal steps") },
  [SCALE_EXPONENTIAL] = { "exponential", N_ ("In equal factors") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (interpolate_scales, N_SCALES);

static KgTransform
interpolate_numbers (const Interpolate *n)
{
  KgTransform mixed;

  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      /* What is the same in both stays so to the last bit, as the last row. */
      mixed.m[i][j] = n->a.m[i][j] == n->b.m[i][j] ? n->a.m[i][j] : kg_lerp (n->a.m[i][j], n->b.m[i][j], n->t);
  return mixed;
}

static KgRotation
interpolate_axis_angle (KgRotation a, KgRotation b, double t)
{
  KgVector axis_a, axis_b, across, axis;
  double angle_a, angle_b, apart;

  conversion_to_axis_angle (a, &axis_a, &angle_a);
  conversion_to_axis_angle (b, &axis_b, &angle_b);
  /* What does not turn has no axis of its own. */
  if (angle_a == 0)
    axis_a = axis_b;
  if (angle_b == 0)
    axis_b = axis_a;
  across = kg_vector_cross (axis_a, axis_b);
  apart = atan2 (kg_vector_length (across), kg_vector_dot (axis_a, axis_b));
  /* Between opposite axes every way is as short: the same turn the other way about has one axis for both. */
  if (apart > KG_PI - 1e-9) {
    axis_b = axis_a;
    angle_b = -angle_b;
    apart = 0;
  }
  axis = apart > 0 ? kg_rotation_apply (kg_rotation_from_axis_angle (across, t * apart), axis_a) : axis_a;
  return kg_rotation_from_axis_angle (axis, kg_lerp (angle_a, angle_b, t));
}

/* By equal factors where both have the same sign and are not 0. */
static bool
interpolate_scale (double a, double b, double t, bool exponential, double *scale)
{
  const bool can = a != 0 && b != 0 && (a > 0) == (b > 0);

  *scale = exponential && can ? copysign (exp (kg_lerp (log (fabs (a)), log (fabs (b)), t)), a) : kg_lerp (a, b, t);
  return can;
}

static void
interpolate_all_scales (const Interpolate *n, const AffineParts *a, const AffineParts *b, AffineParts *mixed,
                        const KgContext *ctx)
{
  static const char axes[] = "xyz";

  for (int i = 0; i < 3; i++) {
    const double from = kg_vector_get (a->scale, i), to = kg_vector_get (b->scale, i);
    const bool can =
        interpolate_scale (from, to, n->t, n->scale == SCALE_EXPONENTIAL, kg_vector_component (&mixed->scale, i));

    if (!can && n->scale == SCALE_EXPONENTIAL)
      kg_context_warn (
          ctx,
          "the scale along %c goes from %g to %g, which equal factors cannot do: equal steps are used; set both scales to values that are not 0 and have the same sign",
          axes[i], from, to);
  }
}

static void
interpolate_parts (Interpolate *n, const KgContext *ctx)
{
  AffineParts a = { .scale_last = false }, b = { .scale_last = false }, mixed = { .scale_last = false };
  bool mirrors_a, mirrors_b, singular_a, singular_b;
  const bool exact_a = affine_decompose (&n->a, &a, &mirrors_a, &singular_a);
  const bool exact_b = affine_decompose (&n->b, &b, &mirrors_b, &singular_b);

  if (!exact_a || !exact_b || !affine_is (&n->a) || !affine_is (&n->b)) {
    kg_context_warn (
        ctx,
        "%s does not consist of translation, rotation, shear and scale (it is projective, or puts two axes on one line): the matrix entries are mixed; use an invertible transform",
        exact_a && affine_is (&n->a) ? "b" : "a");
    n->transform = interpolate_numbers (n);
    n->rotation = kg_rotation_from_transform (n->transform);
    return;
  }
  if (mirrors_a != mirrors_b)
    kg_context_warn (ctx,
                     "only %s mirrors, so the transform is flat at one moment in between: make both mirror, or neither",
                     mirrors_a ? "a" : "b");
  mixed.translate = kg_vector_lerp (a.translate, b.translate, n->t);
  mixed.rotation = n->turn == TURN_AXIS_ANGLE ? interpolate_axis_angle (a.rotation, b.rotation, n->t)
                                              : kg_rotation_slerp (a.rotation, b.rotation, n->t);
  mixed.shear = kg_vector_lerp (a.shear, b.shear, n->t);
  interpolate_all_scales (n, &a, &b, &mixed, ctx);
  n->transform = affine_compose (&mixed);
  n->rotation = mixed.rotation;
}

static bool
interpolate_evaluate (Interpolate *n, const KgContext *ctx, GError **error)
{
  (void) error;
  if (n->method == METHOD_PARTS) {
    interpolate_parts (n, ctx);
    n->determinant = kg_transform_determinant (n->transform);
    return true;
  }
  n->transform = interpolate_numbers (n);
  n->rotation = kg_rotation_from_transform (n->transform);
  n->determinant = kg_transform_determinant (n->transform);
  if (fabs (n->determinant) <
      FLAT * fmin (fabs (kg_transform_determinant (n->a)), fabs (kg_transform_determinant (n->b))))
    kg_context_warn (
        ctx,
        "neither end is flat, but the mixed matrix is flat at this time: set Method to Position, rotation, scale and shear separately");
  return true;
}

static const KgSlot interpolate_slots[] = {
  KG_INPUT (Interpolate, a, TRANSFORM, .label = N_ ("From"), .help = N_ ("Transform at 0.")),
  KG_INPUT (Interpolate, b, TRANSFORM, .label = N_ ("To"), .help = N_ ("Transform at 1.")),
  KG_INPUT (
      Interpolate, t, NUMBER, .label = N_ ("Time"), .driver = KG_DRIVER_PHASE, .soft_max = 1,
      .help = N_ (
          "0 to 1. Link an ease here to start and stop softly. Without a link it runs once over the frame range of the graph.")),
  KG_INPUT (
      Interpolate, method, CHOICE, .label = N_ ("Method"), .choices = interpolate_methods,
      .help = N_ (
          "Separately, objects keep their size while they rotate. Mixed matrices shrink on the way: halfway through a rotation of 180 degrees only the axis is left.")),
  KG_INPUT (Interpolate, turn, CHOICE, .label = N_ ("Rotation path"), .choices = interpolate_turns,
            .shown_when = "method=parts", .help = N_ ("How the rotation is interpolated.")),
  KG_INPUT (Interpolate, scale, CHOICE, .label = N_ ("Scale"), .choices = interpolate_scales,
            .shown_when = "method=parts",
            .help = N_ ("Halfway from 1 to 4 is 2.5 in equal steps, and 2 in equal factors, which looks steadier.")),
  KG_OUTPUT (Interpolate, transform, TRANSFORM, .label = N_ ("Transform"), .help = N_ ("Interpolated transform.")),
  KG_OUTPUT (Interpolate, rotation, ROTATION, .label = N_ ("Rotation"),
             .help = N_ ("Rotation of the resulting transform.")),
  KG_OUTPUT (Interpolate, determinant, NUMBER, .label = N_ ("Determinant"),
             .help = N_ ("Volume of the transformed unit cube: 1 for rotations, if all goes well.")),
};

KG_NODE (
    transform, interpolate, Interpolate, .label = N_ ("Interpolate Transform"), .version = 1, .since = "0.1",
    .tags = N_ ("matrix blend mix between lerp slerp pose keyframe axis angle"),
    .help = N_ (
        "Interpolates between two transforms: the position along a straight line, the rotation about an axis, scale and shear evenly. For comparison it can also mix the matrices entry by entry, which flattens what rotates."));
