/* denavit_hartenberg: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/denavit_hartenberg.h"

/* Sine of the angle between axes up to which they are parallel. */
#define PARALLEL 1e-9

KgTransform
dh_get_link (const DhRow *row)
{
  const double ca = cos (row->alpha), sa = sin (row->alpha), ct = cos (row->theta), st = sin (row->theta);

  return (KgTransform){ { { ct, -st, 0, row->a },
                          { ca * st, ca * ct, -sa, -row->d * sa },
                          { sa * st, sa * ct, ca, row->d * ca },
                          { 0, 0, 0, 1 } } };
}

void
dh_from_classic (DhRow *rows, guint n, double *tool_length, double *tool_twist)
{
  double a = 0, alpha = 0;

  for (guint i = 0; i < n; i++) {
    const double next_a = rows[i].a, next_alpha = rows[i].alpha;

    rows[i].a = a;
    rows[i].alpha = alpha;
    a = next_a;
    alpha = next_alpha;
  }
  *tool_length = a;
  *tool_twist = alpha;
}

KgSkeleton *
dh_new_skeleton (const DhRow *rows, guint n, KgTransform base, double tool_length, double tool_twist, GError **error)
{
  g_autoptr (KgSkeleton) skeleton = kg_skeleton_new ();
  const KgVector x = { 1, 0, 0 }, z = { 0, 0, 1 };
  KgRotation above = kg_rotation_from_transform (base);
  KgVector place = kg_transform_get_place (&base);

  for (guint i = 0; i <= n; i++) {
    const bool tool = i == n;
    const KgRotation twist =
        kg_rotation_multiply (above, kg_rotation_from_axis_angle (x, tool ? tool_twist : rows[i].alpha));
    g_autofree char *name = tool ? g_strdup ("tool") : g_strdup_printf ("joint%u", i + 1);
    const bool slides = !tool && rows[i].slides;
    KgJoint joint;
    int index;

    kg_joint_init (&joint, name, (int) i - 1);
    joint.offset = kg_vector_add (place, kg_rotation_apply (above, kg_vector (tool ? tool_length : rows[i].a, 0, 0)));
    joint.rest = twist;
    joint.free[0] = joint.free[1] = joint.free[2] = false;
    if (slides) {
      joint.rest = kg_rotation_multiply (twist, kg_rotation_from_axis_angle (z, rows[i].theta));
      joint.slide[2] = true;
      joint.slide_low.z = rows[i].low;
      joint.slide_high.z = rows[i].high;
    } else if (!tool) {
      joint.offset = kg_vector_add_scaled (joint.offset, rows[i].d, kg_rotation_apply (twist, z));
      joint.free[2] = true;
      joint.low.z = rows[i].low;
      joint.high.z = rows[i].high;
    }
    index = kg_skeleton_add_joint (skeleton, &joint, error);
    if (index < 0)
      return NULL;
    if (slides)
      kg_skeleton_set_translation (skeleton, i, kg_vector_scale (kg_rotation_apply (twist, z), rows[i].d));
    else if (!tool)
      kg_skeleton_set_rotation (skeleton, i, kg_rotation_from_axis_angle (z, rows[i].theta));
    above = kg_rotation_identity ();
    place = kg_vector (0, 0, 0);
  }
  return g_steal_pointer (&skeleton);
}

/* Feet of the common perpendicular of two lines that are not parallel. */
static void
find_feet (const DhAxis *one, const DhAxis *other, KgVector *foot, KgVector *other_foot)
{
  const KgVector between = kg_vector_subtract (other->point, one->point);
  const double b = kg_vector_dot (one->direction, other->direction);
  const KgVector c = kg_vector_cross (one->direction, other->direction);
  const double d = kg_vector_dot (one->direction, between), e = kg_vector_dot (other->direction, between);
  const double sine2 = kg_vector_dot (c, c);

  *foot = kg_vector_add_scaled (one->point, (d - b * e) / sine2, one->direction);
  *other_foot = kg_vector_add_scaled (other->point, (b * d - e) / sine2, other->direction);
}

static KgTransform
make_frame (KgVector origin, KgVector x, KgVector z)
{
  const KgVector y = kg_vector_cross (z, x);

  return (KgTransform){
    { { x.x, y.x, z.x, origin.x }, { x.y, y.y, z.y, origin.y }, { x.z, y.z, z.z, origin.z }, { 0, 0, 0, 1 } }
  };
}

/* The part of a direction that is at right angles to a unit vector, or any such direction. */
static KgVector
make_perpendicular (KgVector v, KgVector unit)
{
  const KgVector rest = kg_vector_add_scaled (v, -kg_vector_dot (v, unit), unit);

  return kg_vector_length (rest) > 1e-9 ? kg_vector_normalize_or (rest, unit) : kg_vector_perpendicular (unit);
}

void
dh_fit (const DhAxis *axes, guint n, DhRow *rows, KgTransform *base, KgTransform *last)
{
  /* Of joint i: where its frame is, along which x, and where the perpendicular from the joint before met its axis. */
  KgVector origin = { 0, 0, 0 }, x = { 1, 0, 0 }, met = { 0, 0, 0 };

  for (guint i = 0; i < n; i++) {
    const DhAxis *axis = &axes[i];
    const KgVector x_before = i > 0 ? x : make_perpendicular (kg_vector (1, 0, 0), axis->direction);
    const KgVector foot_before = i > 0 ? met : axis->point;
    KgVector foot = foot_before, next_foot = foot_before;
    double a = 0, alpha = 0;

    /* The angle and offset of this joint are between x_before and the x that leads on from it. */
    x = x_before;
    if (i + 1 < n) {
      const DhAxis *next = &axes[i + 1];
      const KgVector c = kg_vector_cross (axis->direction, next->direction);
      const double sine = kg_vector_length (c);
      KgVector across;

      if (sine > PARALLEL)
        find_feet (axis, next, &foot, &next_foot);
      else
        next_foot = kg_vector_add_scaled (
            next->point, kg_vector_dot (kg_vector_subtract (foot, next->point), next->direction), next->direction);
      across = kg_vector_subtract (next_foot, foot);
      if (sine > PARALLEL) {
        const KgVector unit = kg_vector_scale (c, 1 / sine);
        const double side = kg_vector_length (across) > 1e-12 * (1 + kg_vector_length (foot))
                                ? kg_vector_dot (across, unit)
                                : kg_vector_dot (x_before, unit);

        x = kg_vector_scale (unit, side < 0 ? -1 : 1);
      } else if (kg_vector_length (across) > 1e-12 * (1 + kg_vector_length (foot))) {
        x = make_perpendicular (across, axis->direction);
      } else {
        x = make_perpendicular (x_before, axis->direction);
      }
      a = kg_vector_dot (across, x);
      alpha = atan2 (kg_vector_dot (c, x), kg_vector_dot (axis->direction, next->direction));
    }
    origin = foot;
    rows[i].slides = axis->slides;
    rows[i].low = axis->slides ? -INFINITY : -KG_PI;
    rows[i].high = axis->slides ? INFINITY : KG_PI;
    if (i == 0) {
      *base = make_frame (origin, x, axis->direction);
      rows[i].a = rows[i].alpha = rows[i].d = rows[i].theta = 0;
    } else {
      rows[i].d = kg_vector_dot (kg_vector_subtract (foot, foot_before), axis->direction);
      rows[i].theta =
          atan2 (kg_vector_dot (kg_vector_cross (x_before, x), axis->direction), kg_vector_dot (x_before, x));
    }
    if (i + 1 < n) {
      rows[i + 1].a = a;
      rows[i + 1].alpha = alpha;
    }
    met = next_foot;
  }
  *last = n > 0 ? make_frame (origin, x, axes[n - 1].direction) : kg_transform_identity ();
}

double
dh_get_residual (const DhAxis *axes, const DhRow *rows, guint n, KgTransform base)
{
  KgTransform frame = base;
  double largest = 0;

  for (guint i = 0; i < n; i++) {
    KgVector away, z;

    frame = kg_transform_multiply (frame, dh_get_link (&rows[i]));
    z = kg_transform_get_column (&frame, 2);
    away = kg_vector_subtract (kg_transform_get_place (&frame), axes[i].point);
    away = kg_vector_add_scaled (away, -kg_vector_dot (away, axes[i].direction), axes[i].direction);
    largest = fmax (largest, fmax (kg_vector_length (away), kg_vector_distance (z, axes[i].direction)));
  }
  return largest;
}
