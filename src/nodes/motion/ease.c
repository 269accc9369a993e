/* motion/ease: how a movement starts and stops.
 *
 * This file is the commented example of a node type; docs/architecture.md points here.  A node is a struct, a
 * function, a table and one line.  The build finds it: there is no list to add it to.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ani_choices.h"
#include "motion/acceleration_profile.h"
#include "motion/easing.h"
#include "kg-node.h"

/* The job.  Its fields are the inputs and outputs; their names are what files and expressions say.  By the time
 * ease_evaluate runs the evaluator has filled the inputs, from wherever they come. */
typedef struct {
  int shape;
  int direction;
  double t;
  int given;
  double k1;
  double k2;
  double full_speed;
  double x1, y1, x2, y2;
  double amount;
  int kind;
  int profile;
  bool cut_set;
  double cut;
  double value;
  double speed;
  double acceleration;
  KgMotion *motion;
} Ease;

/* Files say a choice by its nick; expressions, links and kineo --set may count by number.  So neither nicks nor their order
 * may change: a new one comes last, in the enumeration and here. */
static const KgChoice ease_shapes[] = {
  [EASING_LINEAR] = { "linear", N_ ("Linear") },
  [EASING_SINE] = { "sine", N_ ("Sine") },
  [EASING_SINE_LINEAR] = { "sine-linear", N_ ("Sine with a linear middle") },
  [EASING_PARABOLIC] = { "parabolic", N_ ("Constant acceleration") },
  [EASING_CUBIC] = { "cubic", N_ ("Cubic") },
  [EASING_DECELERATE] = { "decelerate", N_ ("Decelerate") },
  [EASING_CUBIC_BEZIER] = { "cubic-bezier", N_ ("Cubic Bézier (as in CSS)") },
  [EASING_POWER_2] = { "quad", N_ ("Quadratic") },
  [EASING_POWER_3] = { "cube", N_ ("Third power") },
  [EASING_POWER_4] = { "quart", N_ ("Fourth power") },
  [EASING_POWER_5] = { "quint", N_ ("Fifth power") },
  [EASING_EXPONENTIAL] = { "expo", N_ ("Exponential") },
  [EASING_CIRCULAR] = { "circ", N_ ("Circular") },
  [EASING_ELASTIC] = { "elastic", N_ ("Elastic") },
  [EASING_BOUNCE] = { "bounce", N_ ("Bounce") },
  [EASING_BACK] = { "back", N_ ("Back") },
  [EASING_ANI] = { "ani", N_ ("Steady, smooth, slowin, slowout") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (ease_shapes, EASING_N_SHAPES);

static const KgChoice ease_directions[] = {
  [EASING_IN] = { "in", N_ ("In: slow at the start") },
  [EASING_OUT] = { "out", N_ ("Out: slow at the end") },
  [EASING_IN_OUT] = { "in-out", N_ ("In and out") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (ease_directions, EASING_N_DIRECTIONS);

/* ProfileGiven has more of them. */
static const KgChoice ease_givens[] = {
  [PROFILE_TIMES] = { "times", N_ ("Both times") },
  [PROFILE_T1_SPEED] = { "accelerate-until-speed", N_ ("Accelerate until and Speed") },
  [PROFILE_T2_SPEED] = { "decelerate-from-speed", N_ ("Decelerate from and Speed") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (ease_givens, PROFILE_T2_SPEED + 1);

/* Both times of the movement, also if the full speed replaces one of them. */
static bool
ease_solve_times (Ease *n, GError **error)
{
  AccelerationProfile profile = { .t1 = n->k1, .t2 = n->k2, .speed = n->full_speed, .distance = 1, .duration = 1 };

  if (n->shape == EASING_PARABOLIC && n->given != PROFILE_TIMES) {
    if (!acceleration_profile_solve (&profile, (ProfileGiven) n->given, false, error))
      return false;
    n->k1 = profile.t1;
    n->k2 = profile.t2;
  }
  if (n->k1 <= n->k2)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "k1 is %g and k2 is %g: the acceleration must end before the deceleration starts; swap them", n->k1,
                n->k2);
  return false;
}

/* No clean-up and no checks of single inputs here: the evaluator handles ranges, NaN and missing links.
 * What only this node can know, that k1 must not come after k2, it says, with the remedy.  The evaluator puts the
 * name of the node in front. */
static bool
ease_evaluate (Ease *n, const KgContext *ctx, GError **error)
{
  const KgFunction *function = easing_get_function ((EasingShape) n->shape);
  double parameters[EASING_N_PARAMETERS] = { [EASING_X1] = n->x1, n->y1, n->x2, n->y2, n->amount, n->direction };
  const double t = kg_clamp (n->t, 0, 1);

  (void) ctx;
  if (!ease_solve_times (n, error))
    return false;
  parameters[EASING_K1] = n->k1;
  parameters[EASING_K2] = n->k2;
  parameters[EASING_KIND] = n->kind;
  parameters[EASING_PROFILE] = n->profile;
  parameters[EASING_CUT] = n->cut_set ? n->cut : ani_timing_get_usual_cut ((AniKind) n->kind);
  n->value = function->value (parameters, t);
  n->speed = n->t < 0 || n->t > 1 ? 0 : function->derivative (parameters, t);
  n->acceleration = n->t < 0 || n->t > 1 ? 0 : easing_get_acceleration ((EasingShape) n->shape, parameters, t);
  /* A heavy output is the evaluator's as soon as it is set. */
  n->motion = kg_motion_new_take ("ease", kg_channel_new_function (function, parameters, 0, 1));
  return true;
}

/* One row for each field.  The compiler checks that the field has the C type of its kind. */
static const KgSlot ease_slots[] = {
  KG_INPUT (Ease, shape, CHOICE, .label = N_ ("Shape"), .choices = ease_shapes, .def = EASING_SINE,
            .help = N_ ("The curve of the movement over time.")),
  KG_INPUT (Ease, direction, CHOICE, .shown_when = "shape=quad|cube|quart|quint|expo|circ|elastic|bounce|back",
            .label = N_ ("Direction"), .choices = ease_directions, .def = EASING_IN_OUT,
            .help = N_ ("Where the movement is slow; for Quadratic and the shapes below it.")),
  /* A driver feeds an input that is neither set nor linked: here the share of the graph's frames that is past. */
  KG_INPUT (
      Ease, t, NUMBER, .label = N_ ("Time"), .driver = KG_DRIVER_PHASE, .soft_max = 1,
      .help = N_ (
          "0 at the start of the movement, 1 at its end. Without a link it runs once over the frame range of the graph.")),
  KG_INPUT (
      Ease, given, CHOICE, .shown_when = "shape=parabolic", .label = N_ ("Known values"), .choices = ease_givens,
      .help = N_ (
          "For constant acceleration: which two of the three values are known; the third is computed. Acceleration Profile offers more combinations.")),
  KG_INPUT (Ease, k1, NUMBER, .shown_when = "shape=sine-linear|parabolic", .label = N_ ("Accelerate until"), .def = 0.3,
            .max = 1,
            .help = N_ ("When full speed is reached; for a sine with a linear middle and for constant acceleration.")),
  KG_INPUT (Ease, k2, NUMBER, .shown_when = "shape=sine-linear|parabolic", .label = N_ ("Decelerate from"), .def = 0.75,
            .max = 1,
            .help = N_ ("When slowing down begins, for the same shapes; not before the end of the acceleration.")),
  KG_INPUT (Ease, full_speed, NUMBER,
            .shown_when = "shape=parabolic&given=accelerate-until-speed|decelerate-from-speed",
            .label = N_ ("Full speed"), .def = 1.25, .min = 1, .max = 2,
            .help = N_ ("Speed between acceleration and deceleration; 1 is the speed of a linear movement.")),
  KG_INPUT (Ease, x1, NUMBER, .shown_when = "shape=cubic-bezier", .label = N_ ("x1"), .def = 0.25, .max = 1,
            .group = N_ ("Cubic Bézier"), .help = N_ ("Time of the first control point, as in CSS.")),
  KG_INPUT (Ease, y1, NUMBER, .shown_when = "shape=cubic-bezier", .label = N_ ("y1"), .def = 0.1, .soft_min = -1,
            .soft_max = 2, .group = N_ ("Cubic Bézier"), .help = N_ ("Value of the first control point.")),
  KG_INPUT (Ease, x2, NUMBER, .shown_when = "shape=cubic-bezier", .label = N_ ("x2"), .def = 0.25, .max = 1,
            .group = N_ ("Cubic Bézier"), .help = N_ ("Time of the second control point.")),
  KG_INPUT (Ease, y2, NUMBER, .shown_when = "shape=cubic-bezier", .label = N_ ("y2"), .def = 1, .soft_min = -1,
            .soft_max = 2, .group = N_ ("Cubic Bézier"), .help = N_ ("Value of the second control point.")),
  KG_INPUT (Ease, amount, NUMBER, .shown_when = "shape=elastic|back", .label = N_ ("Amount"), .def = 1, .soft_max = 3,
            .help = N_ ("How far the movement overshoots its ends; for Elastic and Back.")),
  KG_INPUT (Ease, kind, CHOICE, .shown_when = "shape=ani", .label = N_ ("Timing"), .choices = ani_kinds,
            .def = ANI_SMOOTH, .group = N_ ("Timing word"),
            .help = N_ ("The timing word of an Ani script: where the movement speeds up and slows down.")),
  KG_INPUT (Ease, profile, CHOICE, .shown_when = "shape=ani", .label = N_ ("Profile"), .choices = ani_profiles,
            .group = N_ ("Timing word"), .help = N_ ("How the speed rises and falls.")),
  KG_INPUT (Ease, cut_set, BOOLEAN, .shown_when = "shape=ani", .label = N_ ("Use the cut"), .group = N_ ("Timing word"),
            .help = N_ ("Otherwise Smooth is cut in the middle, Slow In at the end and Slow Out at the start.")),
  KG_INPUT (Ease, cut, NUMBER, .shown_when = "shape=ani&cut_set=true", .label = N_ ("Cut"), .def = 0.5, .max = 1,
            .group = N_ ("Timing word"),
            .help = N_ ("Where the acceleration ends and, for Smooth and Slow Out, the deceleration begins.")),
  KG_OUTPUT (Ease, value, NUMBER, .label = N_ ("Value"), .help = N_ ("Fraction of the distance covered: 0 to 1.")),
  KG_OUTPUT (Ease, speed, NUMBER, .label = N_ ("Speed"),
             .help = N_ ("How fast the value changes: 1 is the speed of a linear movement.")),
  KG_OUTPUT (Ease, acceleration, NUMBER, .label = N_ ("Acceleration"), .help = N_ ("How fast the speed changes.")),
  KG_OUTPUT (Ease, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("The whole curve, for nodes that evaluate it at other times.")),
};

/* Family and name must be those of the file.  Everything after the struct is optional but label, help and version. */
KG_NODE (
    motion, ease, Ease, .label = N_ ("Ease"), .version = 2, .since = "0.1",
    .tags = N_ ("easing slow in out acceleration interpolation timing tween css"),
    .formula = "sine: s = (1 − cos πt)/2\n"
               "sine-linear, f = 2k₁/π + k₂ − k₁ + 2(1 − k₂)/π:\n"
               "  t < k₁: s = 2k₁/πf · (sin(πt/2k₁ − π/2) + 1); k₁ ≤ t ≤ k₂: s = (2k₁/π + t − k₁)/f\n"
               "  t > k₂: s = (2k₁/π + k₂ − k₁ + 2(1 − k₂)/π · sin(π/2 · (t − k₂)/(1 − k₂)))/f\n"
               "parabolic, v = 2/(1 + k₂ − k₁):\n"
               "  t < k₁: s = v t²/2k₁; k₁ ≤ t ≤ k₂: s = v k₁/2 + v (t − k₁); "
               "t > k₂: s = 1 − v (1 − t)²/2(1 − k₂)\n"
               "cubic: s = 3t² − 2t³; decelerate: s = (2 − t) t\n"
               "cubic-bezier: x(τ) = t, s = y(τ), from (0, 0) by (x₁, y₁) and (x₂, y₂) to (1, 1)\n"
               "ani, ramp W(x) = x² − x³/3 (cubic), x²/2 or (1 − cos(πx/2)) 2/π, m = W(1), c = cut:\n"
               "  smooth: s = c W(t/c)/m, after c 1 − (1 − c) W((1 − t)/(1 − c))/m;\n"
               "  slowin, V = 1/(m c + 1 − c): s = V c W(t/c), after c 1 − V(1 − t); slowout: slowin backwards",
    .source = "Parent, Computer Animation, 3.2.2 to 3.2.4; W3C, CSS Easing Functions; "
              "Penner, Programming Macromedia Flash MX, 2002 (quad to back); "
              "Wyvill, 1988 (ani)",
    .help = N_ (
        "Starts and stops a movement gently. Outputs a value from 0 to 1 that changes slowly at the ends and fast in between; multiply it, or link it to whatever should move. The shapes range from a plain sine to the constant acceleration of a lift and to playful bounces."));
