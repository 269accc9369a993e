/* motion/profile: a movement of constant acceleration, constant speed and constant deceleration.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/acceleration_profile.h"
#include "kg-node.h"
#include "motion/timing.h"

typedef struct {
  int given;
  double t1;
  double t2;
  double speed;
  double acceleration;
  double deceleration;
  double distance;
  double duration;
  bool fit;
  double t;
  double value;
  double way;
  double speed_now;
  double acceleration_now;
  KgMotion *motion;
  double solved_t1;
  double solved_t2;
  double solved_speed;
  double solved_acceleration;
  double solved_deceleration;
  double solved_distance;
  double solved_duration;
} Profile;

static const KgChoice profile_givens[] = {
  [PROFILE_TIMES] = { "times", N_ ("Both times") },
  [PROFILE_T1_SPEED] = { "accelerate-until-speed", N_ ("Accelerate until and Speed") },
  [PROFILE_T2_SPEED] = { "decelerate-from-speed", N_ ("Decelerate from and Speed") },
  [PROFILE_ACCELERATION_T1] = { "acceleration-until", N_ ("Acceleration and Accelerate until") },
  [PROFILE_ACCELERATION_T2] = { "acceleration-from", N_ ("Acceleration and Decelerate from") },
  [PROFILE_DECELERATION_T1] = { "deceleration-until", N_ ("Deceleration and Accelerate until") },
  [PROFILE_DECELERATION_T2] = { "deceleration-from", N_ ("Deceleration and Decelerate from") },
  [PROFILE_ACCELERATION_SPEED] = { "acceleration-speed", N_ ("Acceleration and speed") },
  [PROFILE_DECELERATION_SPEED] = { "deceleration-speed", N_ ("Deceleration and speed") },
  [PROFILE_ACCELERATION_DECELERATION] = { "acceleration-deceleration", N_ ("Acceleration and deceleration") },
  [PROFILE_ACCELERATION_DECELERATION_T1] = { "accelerations-until",
                                             N_ ("Both accelerations and Accelerate until; computes the distance") },
  [PROFILE_ACCELERATION_DECELERATION_T2] = { "accelerations-from",
                                             N_ ("Both accelerations and Decelerate from; computes the distance") },
  [PROFILE_ACCELERATION_TIMES] = { "acceleration-times", N_ ("Acceleration and both times; computes the distance") },
  [PROFILE_DECELERATION_TIMES] = { "deceleration-times", N_ ("Deceleration and both times; computes the distance") },
  [PROFILE_DURATION] = { "open-duration", N_ ("Both accelerations and highest speed; computes the duration") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (profile_givens, PROFILE_N_GIVENS);

static Pieces *
profile_to_pieces (const AccelerationProfile *p)
{
  const double breaks[] = { 0, p->t1 / p->duration, p->t2 / p->duration, 1 };
  const double speed = p->speed * p->duration / p->distance;
  const double speeds[] = { 0, speed, speed, 0 };
  Pieces *pieces = pieces_new (2, 3);
  double start = 0;

  pieces->n = 0;
  for (guint i = 0; i < 3; i++) {
    const double h = breaks[i + 1] - breaks[i];
    double *c = pieces->c + 3 * pieces->n;

    if (!(h > 0))
      continue;
    pieces->breaks[pieces->n++] = breaks[i];
    pieces->breaks[pieces->n] = breaks[i + 1];
    c[0] = start;
    c[1] = h * speeds[i];
    c[2] = 0.5 * h * (speeds[i + 1] - speeds[i]);
    start += c[1] + c[2];
  }
  return pieces;
}

static bool
profile_evaluate (Profile *n, const KgContext *ctx, GError **error)
{
  AccelerationProfile p = {
    .t1 = n->t1 * n->duration,
    .t2 = n->t2 * n->duration,
    .speed = n->speed,
    .acceleration = n->acceleration,
    .deceleration = n->deceleration,
    .distance = n->distance,
    .duration = n->duration,
  };
  g_autoptr (Pieces) pieces = NULL;
  TimingMoment moment;
  double rate;

  if (!acceleration_profile_solve (&p, (ProfileGiven) n->given, n->fit, error))
    return false;
  pieces = profile_to_pieces (&p);
  n->motion = timing_to_motion (pieces, error);
  if (n->motion == NULL)
    return false;
  if (!(p.t1 > 0))
    kg_context_warn (ctx, "no time to accelerate: the movement starts abruptly at speed %g", p.speed);
  moment = timing_evaluate (pieces, n->t);
  rate = p.distance / p.duration;
  n->value = moment.value;
  n->way = moment.value * p.distance;
  n->speed_now = moment.speed * rate;
  n->acceleration_now = moment.acceleration * rate / p.duration;
  n->solved_t1 = p.t1 / p.duration;
  n->solved_t2 = p.t2 / p.duration;
  n->solved_speed = p.speed;
  /* A start that takes no time has no defined acceleration. */
  n->solved_acceleration = isfinite (p.acceleration) ? p.acceleration : 0;
  n->solved_deceleration = isfinite (p.deceleration) ? p.deceleration : 0;
  n->solved_distance = p.distance;
  n->solved_duration = p.duration;
  return true;
}

static const KgSlot profile_slots[] = {
  KG_INPUT (Profile, given, CHOICE, .label = N_ ("Known values"), .choices = profile_givens,
            .help = N_ (
                "Which values are known; the others are computed from them, with some choices also the distance or the "
                "duration.")),
  KG_INPUT (Profile, t1, NUMBER, .label = N_ ("Accelerate until"), .def = 0.3, .max = 1,
            .shown_when =
                "given=times|accelerate-until-speed|acceleration-until|deceleration-until|accelerations-until|"
                "acceleration-times|deceleration-times",
            .help = N_ ("When full speed is reached, as a fraction of the duration.")),
  KG_INPUT (Profile, t2, NUMBER, .label = N_ ("Decelerate from"), .def = 0.75, .max = 1,
            .shown_when = "given=times|decelerate-from-speed|acceleration-from|deceleration-from|accelerations-from|"
                          "acceleration-times|deceleration-times",
            .help = N_ ("When slowing down begins, as a fraction of the duration.")),
  KG_INPUT (Profile, speed, NUMBER, .label = N_ ("Speed"), .unit = KG_METRES_PER_SECOND, .def = 1.5, .min = 1e-9,
            .max = INFINITY, .soft_max = 10,
            .shown_when = "given=accelerate-until-speed|decelerate-from-speed|acceleration-speed|deceleration-speed|"
                          "open-duration",
            .help = N_ ("Speed between acceleration and deceleration.")),
  KG_INPUT (Profile, acceleration, NUMBER, .label = N_ ("Acceleration"), .unit = KG_METRES_PER_SECOND2, .def = 5,
            .min = 1e-9, .max = INFINITY, .soft_max = 20,
            .shown_when = "given=acceleration-until|acceleration-from|acceleration-speed|acceleration-deceleration|"
                          "accelerations-until|accelerations-from|acceleration-times|open-duration",
            .help = N_ ("Rate at which the speed increases.")),
  KG_INPUT (Profile, deceleration, NUMBER, .label = N_ ("Deceleration"), .unit = KG_METRES_PER_SECOND2, .def = 5,
            .min = 1e-9, .max = INFINITY, .soft_max = 20,
            .shown_when = "given=deceleration-until|deceleration-from|deceleration-speed|acceleration-deceleration|"
                          "accelerations-until|accelerations-from|deceleration-times|open-duration",
            .help = N_ ("Rate at which the speed decreases at the end; a positive number.")),
  KG_INPUT (Profile, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES, .def = 1, .min = 1e-9,
            .max = INFINITY, .soft_max = 100, .help = N_ ("Distance to cover.")),
  KG_INPUT (Profile, duration, NUMBER, .label = N_ ("Duration"), .unit = KG_SECONDS, .def = 1, .min = 1e-9,
            .max = INFINITY, .soft_max = 20,
            .shown_when =
                "given=times|accelerate-until-speed|decelerate-from-speed|acceleration-until|acceleration-from|"
                "deceleration-until|deceleration-from|acceleration-speed|deceleration-speed|"
                "acceleration-deceleration|accelerations-until|accelerations-from|acceleration-times|"
                "deceleration-times",
            .help = N_ ("Duration of the movement.")),
  KG_INPUT (
      Profile, fit, BOOLEAN, .label = N_ ("Fit distance"),
      .shown_when = "given=accelerations-until|accelerations-from|acceleration-times|deceleration-times",
      .help = N_ (
          "If the distance would be computed: scales speed and accelerations to cover the distance above instead.")),
  KG_INPUT (
      Profile, t, NUMBER, .label = N_ ("Time"), .driver = KG_DRIVER_PHASE, .soft_max = 1,
      .help = N_ (
          "0 at the start of the movement, 1 at its end. Without a link it runs once over the frame range of the graph.")),
  KG_OUTPUT (Profile, value, NUMBER, .label = N_ ("Value"), .help = N_ ("Fraction of the distance covered: 0 to 1.")),
  KG_OUTPUT (Profile, way, NUMBER, .label = N_ ("Distance covered"), .unit = KG_METRES,
             .help = N_ ("Distance covered at this time, in metres.")),
  KG_OUTPUT (Profile, speed_now, NUMBER, .label = N_ ("Current speed"), .unit = KG_METRES_PER_SECOND,
             .help = N_ ("Value at this time.")),
  KG_OUTPUT (Profile, acceleration_now, NUMBER, .label = N_ ("Current acceleration"), .unit = KG_METRES_PER_SECOND2,
             .help = N_ ("Acceleration at this time; negative while slowing down.")),
  KG_OUTPUT (Profile, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("The whole movement, with time and distance from 0 to 1.")),
  KG_OUTPUT (Profile, solved_t1, NUMBER, .label = N_ ("Accelerates until"), .help = N_ ("As computed or given.")),
  KG_OUTPUT (Profile, solved_t2, NUMBER, .label = N_ ("Decelerates from"), .help = N_ ("As computed or given.")),
  KG_OUTPUT (Profile, solved_speed, NUMBER, .label = N_ ("Highest speed"), .unit = KG_METRES_PER_SECOND,
             .help = N_ ("As computed or given.")),
  KG_OUTPUT (Profile, solved_acceleration, NUMBER, .label = N_ ("Solved acceleration"), .unit = KG_METRES_PER_SECOND2,
             .help = N_ ("As computed or given; 0 if the movement starts abruptly.")),
  KG_OUTPUT (Profile, solved_deceleration, NUMBER, .label = N_ ("Solved deceleration"), .unit = KG_METRES_PER_SECOND2,
             .help = N_ ("As computed or given; 0 if the movement ends abruptly.")),
  KG_OUTPUT (Profile, solved_distance, NUMBER, .label = N_ ("Solved distance"), .unit = KG_METRES,
             .help = N_ ("As computed or given.")),
  KG_OUTPUT (Profile, solved_duration, NUMBER, .label = N_ ("Solved duration"), .unit = KG_SECONDS,
             .help = N_ ("As computed or given.")),
};

KG_NODE (
    motion, profile, Profile, .label = N_ ("Acceleration Profile"), .version = 1, .since = "0.1",
    .tags = N_ ("timing speed velocity trapezoid lift brake parabolic ease constant acceleration"),
    .formula = "v₀ = acceleration · t₁ = deceleration · (duration − t₂), t₁ and t₂ in seconds\n"
               "distance = v₀ (duration + t₂ − t₁)/2; "
               "of distance 1 in duration 1: v₀ = 2/(1 + t₂ − t₁), from 1 to 2\n"
               "t < t₁: s = v₀ t²/2t₁; t₁ ≤ t ≤ t₂: s = v₀ t₁/2 + v₀ (t − t₁)\n"
               "t > t₂: s = v₀ t₁/2 + v₀ (t₂ − t₁) + (v₀ − v₀/2 · (t − t₂)/(1 − t₂)) (t − t₂)",
    .source = "Parent, Computer Animation, 3.2.4",
    .help = N_ (
        "Moves like a lift or a train: accelerates evenly, keeps its speed, and brakes evenly to a stop. Set the times, speed and accelerations that you know; the rest is computed. Impossible values are reported together with the possible range."));
