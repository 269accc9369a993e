/* rotation/spin: something that turns at a speed, or at speeds that change.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  double time;
  int by;
  KgVector axis;
  double speed;
  KgVector spin;
  const KgMotion *rates;
  double step;
  KgRotation start;
  KgVector pivot;
  KgVector point;
  KgRotation rotation;
  KgTransform transform;
  double turns;
  KgVector angular_velocity;
  KgVector carried;
  KgVector point_velocity;
} Spin;

enum { BY_AXIS, BY_VECTOR, BY_RATES, N_BY };

static const KgChoice spin_by[] = {
  [BY_AXIS] = { "axis", N_ ("Axis and speed") },
  [BY_VECTOR] = { "vector", N_ ("Angular velocity") },
  [BY_RATES] = { "rates", N_ ("Angular velocity over time") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (spin_by, N_BY);

/* Most steps of a motion that is integrated. */
#define MAX_STEPS 10000000

static KgRotation
spin_turn (KgVector by)
{
  return kg_rotation_from_axis_angle (by, kg_vector_length (by));
}

/* Degrees per second of the first three numbers of the motion, in radians. */
static KgVector
spin_get_rate (const KgChannel *channel, double time)
{
  const guint width = kg_channel_get_width (channel);
  double values[16] = { 0 };

  kg_channel_evaluate (channel, time, values);
  return kg_vector_scale (kg_vector (values[0], width > 1 ? values[1] : 0, width > 2 ? values[2] : 0), KG_PI / 180);
}

/* q ← exp(½ h ω(t + h/2)) q */
static bool
spin_integrate (Spin *n, const KgContext *ctx, KgRotation *turned, GError **error)
{
  const KgChannel *channel =
      n->rates != NULL && kg_motion_get_n_channels (n->rates) > 0 ? kg_motion_get_channel (n->rates, 0) : NULL;
  const double count = ceil (fabs (n->time) / n->step - 1e-9);

  if (channel == NULL || kg_channel_get_width (channel) > 16) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "there are no rates: link a motion whose first channel has up to three numbers");
    return false;
  }
  if (!(count <= MAX_STEPS)) {
    kg_set_error (error, KG_ERROR_LIMIT, "%g s by steps of %g s are more than %d steps: take longer steps", n->time,
                  n->step, MAX_STEPS);
    return false;
  }
  for (double i = 0; i < count; i++) {
    const double from = n->time * (i / count), to = n->time * ((i + 1) / count);

    if (fmod (i, 4096) == 4095 && kg_context_is_cancelled (ctx))
      return false;
    *turned = kg_rotation_normalize (kg_rotation_multiply (
        spin_turn (kg_vector_scale (spin_get_rate (channel, 0.5 * (from + to)), to - from)), *turned));
  }
  n->angular_velocity = spin_get_rate (channel, n->time);
  return true;
}

static bool
spin_evaluate (Spin *n, const KgContext *ctx, GError **error)
{
  KgRotation turned = kg_rotation_identity ();
  KgVector arm;

  n->rotation = n->start;
  if (n->by == BY_AXIS) {
    const KgVector axis = kg_vector_normalize_or (n->axis, kg_vector (0, 0, 0));

    if (!(kg_vector_length (axis) > 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the axis is zero: give it a direction");
      return false;
    }
    n->turns = n->speed * n->time / (2 * KG_PI);
    n->angular_velocity = kg_vector_scale (axis, n->speed);
    /* Whole turns leave it where it was, however many they are. */
    turned = kg_rotation_from_axis_angle (axis, 2 * KG_PI * (n->turns - floor (n->turns)));
  } else if (n->by == BY_VECTOR) {
    const double speed = kg_vector_length (n->spin);

    n->turns = speed * n->time / (2 * KG_PI);
    n->angular_velocity = n->spin;
    turned = kg_rotation_from_axis_angle (n->spin, 2 * KG_PI * (n->turns - floor (n->turns)));
  } else if (!spin_integrate (n, ctx, &turned, error))
    return false;
  n->rotation = kg_rotation_multiply (turned, n->start);
  n->transform =
      kg_transform_about (kg_transform_from_parts (kg_vector (0, 0, 0), n->rotation, kg_vector (1, 1, 1)), n->pivot);
  arm = kg_rotation_apply (n->rotation, kg_vector_subtract (n->point, n->pivot));
  n->carried = kg_vector_add (n->pivot, arm);
  n->point_velocity = kg_vector_cross (n->angular_velocity, arm);
  return true;
}

static const KgSlot spin_slots[] = {
  KG_INPUT (Spin, time, NUMBER, .label = N_ ("Time"), .driver = KG_DRIVER_TIME, .unit = KG_SECONDS, .soft_max = 10,
            .help = N_ ("Time since the start of the spin. Without a link it is the current time.")),
  KG_INPUT (Spin, by, CHOICE, .label = N_ ("Given by"), .choices = spin_by, .help = N_ ("How the spin is described.")),
  KG_INPUT (Spin, axis, VECTOR, .label = N_ ("Axis"), .def_v = { 0, 1, 0 }, .shown_when = "by=axis",
            .help = N_ ("Axis of the rotation, by the right-hand rule.")),
  KG_INPUT (Spin, speed, NUMBER, .label = N_ ("Speed"), .unit = KG_DEGREES, .def = 90, .soft_min = -720,
            .soft_max = 720, .shown_when = "by=axis", .help = N_ ("Degrees per second: 6 for each turn per minute.")),
  KG_INPUT (Spin, spin, VECTOR, .label = N_ ("Angular velocity"), .unit = KG_DEGREES, .def_v = { 0, 90, 0 },
            .soft_min = -720, .soft_max = 720, .shown_when = "by=vector", .handle = { KG_HANDLE_NONE },
            .help = N_ ("Vector whose direction is the axis, and whose length is the speed in degrees per second.")),
  KG_INPUT (Spin, rates, MOTION, .label = N_ ("Rates"), .optional = true, .shown_when = "by=rates",
            .help = N_ ("Angular velocity over the seconds: degrees per second about x, y and z of the world.")),
  KG_INPUT (Spin, step, NUMBER, .label = N_ ("Step"), .unit = KG_SECONDS, .def = 0.001, .min = 1e-9, .max = 1e6,
            .soft_min = 1e-4, .soft_max = 0.1, .shown_when = "by=rates",
            .help = N_ ("The rates are integrated in steps of this length: the error falls with its square.")),
  KG_INPUT (Spin, start, ROTATION, .label = N_ ("Start"), .def_v = { 1, 0, 0, 0 }, .handle = { KG_HANDLE_NONE },
            .help = N_ ("Rotation at time 0.")),
  KG_INPUT (Spin, pivot, VECTOR, .label = N_ ("Pivot"), .unit = KG_METRES,
            .help = N_ ("The point about which the transform rotates.")),
  KG_INPUT (Spin, point, VECTOR, .label = N_ ("Point"), .unit = KG_METRES, .def_v = { 1, 0, 0 },
            .help = N_ ("A point that is carried along: its position before the rotation.")),
  KG_OUTPUT (Spin, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("The current rotation.")),
  KG_OUTPUT (Spin, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("The same rotation about the pivot, as a transform.")),
  KG_OUTPUT (Spin, turns, NUMBER, .label = N_ ("Turns"), .help = N_ ("Number of turns so far; 0 if its axis changes.")),
  KG_OUTPUT (Spin, angular_velocity, VECTOR, .label = N_ ("Angular velocity"), .unit = KG_DEGREES,
             .help = N_ ("In degrees per second.")),
  KG_OUTPUT (Spin, carried, VECTOR, .label = N_ ("Point"), .unit = KG_METRES, .help = N_ ("Position of the point.")),
  KG_OUTPUT (Spin, point_velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND,
             .help = N_ ("Velocity of the point: ω × r.")),
};

KG_NODE (
    rotation, spin, Spin, .label = N_ ("Spin"), .version = 1, .since = "0.1",
    .tags = N_ ("turn rotate wheel propeller revolve rpm angular velocity speed turntable"),
    .formula = "q(t) = exp(½ ω t) q(0); v = ω × r; rates: q ← exp(½ h ω(t + h/2)) q",
    .source = "Parent, Computer Animation, 4.4",
    .help = N_ (
        "Rotates something about an axis at a speed: wheels, propellers, planets. Any time is computed directly, "
        "without the earlier ones. The speed may also be a motion. The velocity of a point of the body is computed "
        "too."));
