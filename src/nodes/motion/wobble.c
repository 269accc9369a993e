/* motion/wobble: small irregular movements.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "motion/wobble.h"

typedef struct {
  double time;
  double amplitude;
  KgVector spread;
  double angle;
  double period;
  int64_t octaves;
  double roughness;
  double envelope;
  double loop;
  bool anchored;
  int64_t seed;
  double duration;
  double number;
  KgVector vector;
  KgRotation rotation;
  KgMotion *motion;
} WobbleNode;

enum { CHANNEL_NUMBER, CHANNEL_VECTOR, CHANNEL_ROTATION = CHANNEL_VECTOR + 3 };
enum { F_SEED, F_PERIOD, F_OCTAVES, F_ROUGHNESS, F_LOOP, F_AMPLITUDE, F_REST, F_N };

static Wobble
wobble_get (const double *p)
{
  return (Wobble){ (uint64_t) p[F_SEED], p[F_PERIOD], (guint) p[F_OCTAVES], p[F_ROUGHNESS], p[F_LOOP] };
}

static double
wobble_function (const double *p, double x)
{
  const Wobble wobble = wobble_get (p);

  return p[F_AMPLITUDE] * wobble_get_value (&wobble, CHANNEL_NUMBER, x) - p[F_REST];
}

static const KgFunction wobble_form = { "wobble", F_N, wobble_function, NULL, NULL };

/* The channel at the time, from where it was at time 0 if it is anchored there. */
static double
wobble_read (const WobbleNode *n, const Wobble *wobble, guint channel)
{
  return wobble_get_value (wobble, channel, n->time) - (n->anchored ? wobble_get_value (wobble, channel, 0) : 0);
}

static KgVector
wobble_read_vector (const WobbleNode *n, const Wobble *wobble, guint channel)
{
  return kg_vector (wobble_read (n, wobble, channel), wobble_read (n, wobble, channel + 1),
                    wobble_read (n, wobble, channel + 2));
}

static bool
wobble_evaluate (WobbleNode *n, const KgContext *ctx, GError **error)
{
  double parameters[F_N] = { [F_SEED] = (double) n->seed,  [F_PERIOD] = n->period, [F_OCTAVES] = (double) n->octaves,
                             [F_ROUGHNESS] = n->roughness, [F_LOOP] = n->loop,     [F_AMPLITUDE] = 0 };
  const Wobble wobble = wobble_get (parameters);
  double envelope = n->envelope;
  KgVector v;

  (void) error;
  if (envelope < 0) {
    kg_context_warn (ctx, "the envelope is %g: it counts as 0", envelope);
    envelope = 0;
  }
  n->number = envelope * n->amplitude * wobble_read (n, &wobble, CHANNEL_NUMBER);
  v = wobble_read_vector (n, &wobble, CHANNEL_VECTOR);
  n->vector = kg_vector_scale (kg_vector (v.x * n->spread.x, v.y * n->spread.y, v.z * n->spread.z), envelope);
  v = kg_vector_scale (wobble_read_vector (n, &wobble, CHANNEL_ROTATION), envelope * n->angle);
  n->rotation = kg_rotation_from_axis_angle (v, kg_vector_length (v));
  parameters[F_AMPLITUDE] = envelope * n->amplitude;
  if (n->anchored)
    parameters[F_REST] = parameters[F_AMPLITUDE] * wobble_get_value (&wobble, CHANNEL_NUMBER, 0);
  n->motion = kg_motion_new_take ("wobble", kg_channel_new_function (&wobble_form, parameters, 0, n->duration));
  return true;
}

static const KgSlot wobble_slots[] = {
  KG_INPUT (WobbleNode, time, NUMBER, .label = N_ ("Time"), .driver = KG_DRIVER_TIME, .unit = KG_SECONDS,
            .soft_max = 10, .help = N_ ("Time at which the movement is read. Without a link it is the current time.")),
  KG_INPUT (WobbleNode, amplitude, NUMBER, .label = N_ ("Amplitude"), .def = 1, .min = -1e9, .max = 1e9, .soft_min = 0,
            .soft_max = 10,
            .help = N_ ("Range of the number: for 95 per cent of the time, it is at most this far from 0.")),
  KG_INPUT (WobbleNode, spread, VECTOR, .label = N_ ("Spread"), .def_v = { 1, 1, 1 }, .min = -1e9, .max = 1e9,
            .handle = { KG_HANDLE_NONE },
            .help = N_ ("The same for each component of the vector; 0 keeps an axis still.")),
  KG_INPUT (WobbleNode, angle, NUMBER, .label = N_ ("Angle"), .unit = KG_DEGREES, .def = 5, .min = -3600, .max = 3600,
            .soft_min = 0, .soft_max = 45, .help = N_ ("The same for the rotation, about each of its three axes.")),
  KG_INPUT (WobbleNode, period, NUMBER, .label = N_ ("Period"), .unit = KG_SECONDS, .def = 1, .min = 1e-6, .max = 1e9,
            .soft_min = 0.05, .soft_max = 10, .help = N_ ("Duration of the slowest swings.")),
  KG_INPUT (WobbleNode, octaves, INTEGER, .label = N_ ("Octaves"), .def = 2, .min = 1, .max = 16, .soft_max = 6,
            .help = N_ ("Number of layers, each twice as fast as the one before.")),
  KG_INPUT (WobbleNode, roughness, NUMBER, .label = N_ ("Roughness"), .def = 0.5, .min = 0, .max = 10, .soft_max = 1,
            .help = N_ ("Strength of each octave relative to the previous one.")),
  KG_INPUT (WobbleNode, envelope, NUMBER, .label = N_ ("Envelope"), .def = 1, .soft_max = 1,
            .help = N_ ("Multiplies all outputs: key it to 0 where the movement should calm down.")),
  KG_INPUT (WobbleNode, loop, NUMBER, .label = N_ ("Loop"), .unit = KG_SECONDS, .min = 0, .max = 1e9, .soft_max = 20,
            .help = N_ ("Time after which the movement repeats without a seam; 0 if it never does.")),
  KG_INPUT (WobbleNode, anchored, BOOLEAN, .label = N_ ("Anchored"),
            .help = N_ ("Starts at 0: all values are relative to those at time 0.")),
  KG_INPUT (WobbleNode, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Each number gives a different movement.")),
  KG_INPUT (WobbleNode, duration, NUMBER, .label = N_ ("Duration"), .unit = KG_SECONDS, .def = 10, .min = 1e-6,
            .max = 1e9, .soft_max = 60, .group = N_ ("Motion"), .help = N_ ("Length of the motion.")),
  KG_OUTPUT (WobbleNode, number, NUMBER, .label = N_ ("Number"), .help = N_ ("An irregular number around 0.")),
  KG_OUTPUT (WobbleNode, vector, VECTOR, .label = N_ ("Vector"), .help = N_ ("An irregular vector around 0.")),
  KG_OUTPUT (WobbleNode, rotation, ROTATION, .label = N_ ("Rotation"),
             .help = N_ ("An irregular rotation, for a camera or a joint.")),
  KG_OUTPUT (WobbleNode, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("The number over time, from 0 to the duration, to be plotted or read at other times.")),
};

KG_NODE (
    motion, wobble, WobbleNode, .label = N_ ("Wobble"), .version = 1, .since = "0.1",
    .tags = N_ ("noise shake jitter hand-held camera idle breathing sway flicker random organic"),
    .formula = "w(t) = A Σ rᵏ n(2ᵏ t/T)/(2σ √Σ r²ᵏ), σ of the noise n; looped: n on a circle of the circumference L/T",
    .source = "Parent, Computer Animation, B.5.1; Perlin 2002",
    .help = N_ (
        "Adds life: makes a number, a vector and a rotation that fluctuate around zero without ever repeating, or in a seamless loop. For hand-held cameras, idle figures, twitches and flickering light."));
