/* motion/distance_time: how far something is at every moment, however that is said, and whether it makes sense.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/constraints.h"
#include "motion/formula.h"
#include "kg-node.h"
#include "motion/timing.h"

typedef struct {
  int from;
  int quantity;
  const KgTable *rows;
  const char *formula;
  const KgMotion *source;
  int smoothness;
  bool monotone;
  bool stretch;
  double start_speed;
  int scale;
  int faults;
  double t;
  double value;
  double speed;
  double acceleration;
  KgMotion *motion;
  char *findings;
  bool backs_up;
  bool jumps;
  bool exceeds;
  bool starts_off;
  bool ends_off;
  bool stalls;
  bool abrupt_start;
  bool abrupt_end;
} DistanceTime;

enum { FROM_ROWS, FROM_FORMULA, FROM_MOTION, N_SOURCES };
enum { QUANTITY_DISTANCE, QUANTITY_SPEED, QUANTITY_ACCELERATION, N_QUANTITIES };
enum { SCALE_AUTO, SCALE_ALWAYS, SCALE_NEVER, N_SCALES };
enum { FAULTS_WARN, FAULTS_REFUSE, FAULTS_ACCEPT, N_FAULTS };

static const KgChoice distance_time_sources[] = {
  [FROM_ROWS] = { "rows", N_ ("A table of times and values") },
  [FROM_FORMULA] = { "formula", N_ ("A formula of t") },
  [FROM_MOTION] = { "motion", N_ ("A motion: keys, samples or an ease") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (distance_time_sources, N_SOURCES);

static const KgChoice distance_time_quantities[] = {
  [QUANTITY_DISTANCE] = { "distance", N_ ("Distance") },
  [QUANTITY_SPEED] = { "speed", N_ ("Speed") },
  [QUANTITY_ACCELERATION] = { "acceleration", N_ ("Acceleration") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (distance_time_quantities, N_QUANTITIES);

static const KgChoice distance_time_smoothness[] = {
  [CONSTRAINTS_LINEAR] = { "linear", N_ ("Linear: straight from row to row") },
  [CONSTRAINTS_CUBIC] = { "cubic", N_ ("Cubic: matches the speeds of the rows") },
  [CONSTRAINTS_QUINTIC] = { "quintic", N_ ("Quintic: matches their accelerations too") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (distance_time_smoothness, CONSTRAINTS_N_ORDERS);

static const KgChoice distance_time_scales[] = {
  [SCALE_AUTO] = { "auto", N_ ("Only speeds and accelerations, to end at 1") },
  [SCALE_ALWAYS] = { "always", N_ ("Always, to end at 1") },
  [SCALE_NEVER] = { "never", N_ ("Never: as given") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (distance_time_scales, N_SCALES);

static const KgChoice distance_time_faults[] = {
  [FAULTS_WARN] = { "warn", N_ ("Warn") },
  [FAULTS_REFUSE] = { "refuse", N_ ("Report an error") },
  [FAULTS_ACCEPT] = { "accept", N_ ("Accept") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (distance_time_faults, N_FAULTS);

/* Holds what the rows leave of 0..1 before the first and after the last. */
static Pieces *
distance_time_fill (const Pieces *given)
{
  const double first = given->breaks[0], last = given->breaks[given->n];
  const gsize before = first > 0, after = last < 1;
  Pieces *filled = pieces_new (given->degree, given->n + before + after);
  const gsize stride = given->degree + 1;

  filled->breaks[0] = 0;
  memcpy (filled->breaks + before, given->breaks, (given->n + 1) * sizeof (double));
  filled->breaks[filled->n] = 1;
  memcpy (filled->c + before * stride, given->c, given->n * stride * sizeof (double));
  if (before)
    filled->c[0] = given->c[0];
  if (after)
    filled->c[(filled->n - 1) * stride] = pieces_evaluate_in (given, given->n - 1, 1, 0);
  return filled;
}

static Pieces *
distance_time_read_rows (const DistanceTime *n, GError **error)
{
  g_autoptr (Pieces) pieces = NULL;

  pieces = constraints_to_pieces (kg_table_get_cells (n->rows), (guint) kg_table_get_n_rows (n->rows),
                                  (ConstraintsOrder) n->smoothness, n->monotone, error);
  if (pieces == NULL || n->stretch)
    return g_steal_pointer (&pieces);
  if (pieces->breaks[0] < 0 || pieces->breaks[pieces->n] > 1) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the rows run from %g to %g: use times from 0 to 1, or turn on Stretch for times in other units",
                  pieces->breaks[0], pieces->breaks[pieces->n]);
    return NULL;
  }
  return distance_time_fill (pieces);
}

static Pieces *
distance_time_read_motion (const DistanceTime *n, GError **error)
{
  const KgChannel *channel;

  if (n->source == NULL || kg_motion_get_n_channels (n->source) == 0) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "no motion: set keys on the input, or link an ease or another motion");
    return NULL;
  }
  channel = kg_motion_get_channel (n->source, 0);
  if (kg_channel_is_rotation (channel)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the motion is a rotation: link a motion of numbers");
    return NULL;
  }
  return pieces_new_channel (channel, 0, error);
}

/* What is given, as a distance over its own time. */
static Pieces *
distance_time_integrate (const DistanceTime *n, Pieces *given)
{
  g_autoptr (Pieces) own = given;
  g_autoptr (Pieces) speed = NULL;

  if (n->quantity == QUANTITY_DISTANCE)
    return g_steal_pointer (&own);
  if (n->quantity == QUANTITY_SPEED)
    return pieces_new_integral (own, 0);
  speed = pieces_new_integral (own, n->start_speed);
  return pieces_new_integral (speed, 0);
}

static bool
distance_time_scale (const DistanceTime *n, Pieces *distance, GError **error)
{
  const double end = pieces_evaluate_in (distance, distance->n - 1, 1, 0);
  double size = 0;

  if (n->scale == SCALE_NEVER || (n->scale == SCALE_AUTO && n->quantity == QUANTITY_DISTANCE))
    return true;
  for (gsize i = 0; i < distance->n; i++)
    size = fmax (size, fabs (pieces_evaluate_in (distance, i, 0.5, 0)));
  if (!(fabs (end) > 1e-9 * size) || !isfinite (1 / end)) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "the movement ends where it starts (%g), so it cannot be scaled to end at 1: make it move further forwards than backwards, or set Scale to Never",
        end);
    return false;
  }
  pieces_scale (distance, 1 / end);
  return true;
}

static bool
distance_time_report (DistanceTime *n, const Pieces *distance, const KgContext *ctx, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const guint findings = timing_check (distance, ~0u, text);

  if (findings & TIMING_FAULTS && n->faults != FAULTS_ACCEPT) {
    g_autofree char *faults = timing_describe (distance, TIMING_FAULTS);

    if (n->faults == FAULTS_REFUSE) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "the movement %s: change its definition, or set Faults to Warn or Accept", faults);
      return false;
    }
    kg_context_warn (ctx, "the movement %s", faults);
  }
  n->findings = g_string_free (g_steal_pointer (&text), FALSE);
  n->backs_up = findings & TIMING_BACKS_UP;
  n->jumps = findings & TIMING_JUMPS;
  n->exceeds = findings & TIMING_EXCEEDS;
  n->starts_off = findings & TIMING_STARTS_OFF;
  n->ends_off = findings & TIMING_ENDS_OFF;
  n->stalls = findings & TIMING_STALLS;
  n->abrupt_start = findings & TIMING_ABRUPT_START;
  n->abrupt_end = findings & TIMING_ABRUPT_END;
  return true;
}

static bool
distance_time_evaluate (DistanceTime *n, const KgContext *ctx, GError **error)
{
  g_autoptr (Pieces) distance = NULL;
  TimingMoment moment;

  if (n->from == FROM_ROWS)
    distance = distance_time_read_rows (n, error);
  else if (n->from == FROM_FORMULA)
    distance = formula_to_pieces (n->formula, 0, 1, error);
  else
    distance = distance_time_read_motion (n, error);
  if (distance == NULL)
    return false;
  distance = distance_time_integrate (n, g_steal_pointer (&distance));
  pieces_set_range (distance, 0, 1);
  if (!distance_time_scale (n, distance, error))
    return false;
  n->motion = timing_to_motion (distance, error);
  if (n->motion == NULL || !distance_time_report (n, distance, ctx, error))
    return false;
  moment = timing_evaluate (distance, n->t);
  n->value = moment.value;
  n->speed = moment.speed;
  n->acceleration = moment.acceleration;
  return true;
}

static const KgTableColumn distance_time_columns[] = {
  { "time", N_ ("Time"), 0, false },
  { "value", N_ ("Value"), 0, false },
  { "speed", N_ ("Speed"), NAN, true },
  { "acceleration", N_ ("Acceleration"), NAN, true },
  KG_TABLE_COLUMNS_END,
};

static const KgSlot distance_time_slots[] = {
  KG_INPUT (DistanceTime, from, CHOICE, .label = N_ ("Defined by"), .choices = distance_time_sources,
            .help = N_ ("How the movement is defined.")),
  KG_INPUT (
      DistanceTime, quantity, CHOICE, .label = N_ ("Quantity given"), .choices = distance_time_quantities,
      .help = N_ (
          "What the definition gives. Speeds are integrated to a distance, accelerations to a speed and then to a distance. The distance starts at 0.")),
  KG_INPUT (
      DistanceTime, rows, TABLE, .columns = distance_time_columns, .label = N_ ("Rows"), .shown_when = "from=rows",
      .def_text = "0 0 0\n1 1 0",
      .help = N_ (
          "One moment per row: time, value, speed, acceleration. Speed and acceleration can be omitted, or left blank (- in text): then the speed follows from the neighbouring rows. Two rows with the same time and value make a corner.")),
  KG_INPUT (DistanceTime, formula, TEXT, .label = N_ ("Formula"), .shown_when = "from=formula", .def_text = "(2 - t)*t",
            .help = N_ ("A formula of t, which runs from 0 to 1, in the notation of expressions.")),
  KG_INPUT (
      DistanceTime, source, MOTION, .label = N_ ("Motion"), .shown_when = "from=motion", .optional = true,
      .help = N_ (
          "Set keys and edit them in the curve editor, or link an ease. Only the first channel is used; its first key is the start of the movement and its last key the end.")),
  KG_INPUT (DistanceTime, smoothness, CHOICE, .label = N_ ("Smoothness"), .choices = distance_time_smoothness,
            .def = CONSTRAINTS_CUBIC, .shown_when = "from=rows",
            .help = N_ ("What is continuous from one line to the next: the position, the speed, or the acceleration.")),
  KG_INPUT (DistanceTime, monotone, BOOLEAN, .label = N_ ("Monotonic"), .shown_when = "from=rows",
            .help = N_ ("For Cubic: lowers speeds that would carry the movement beyond the next line and back.")),
  KG_INPUT (
      DistanceTime, stretch, BOOLEAN, .label = N_ ("Stretch"), .shown_when = "from=rows",
      .help = N_ (
          "Makes the first line the start of the movement and the last line its end, whatever the units of the times. Otherwise times are from 0 to 1, and the movement waits before the first line and after the last.")),
  KG_INPUT (DistanceTime, start_speed, NUMBER, .label = N_ ("Initial speed"), .shown_when = "quantity=acceleration",
            .soft_max = 5, .help = N_ ("Speed at the start, to which the accelerations add.")),
  KG_INPUT (DistanceTime, scale, CHOICE, .label = N_ ("Scale"), .choices = distance_time_scales,
            .help = N_ ("Whether to scale the movement so that it ends at 1 and can be used on a path of any length.")),
  KG_INPUT (
      DistanceTime, faults, CHOICE, .label = N_ ("Faults"), .choices = distance_time_faults,
      .help = N_ (
          "What to do about a movement that backs up, jumps, leaves the range from 0 to 1, does not start at 0 or does not end at 1.")),
  KG_INPUT (
      DistanceTime, t, NUMBER, .label = N_ ("Time"), .driver = KG_DRIVER_PHASE, .soft_max = 1,
      .help = N_ (
          "0 at the start of the movement, 1 at its end. Without a link it runs once over the frame range of the graph.")),
  KG_OUTPUT (
      DistanceTime, value, NUMBER, .label = N_ ("Value"),
      .help = N_ ("Fraction of the distance covered. Link it to Evaluate Curve, measured by fraction of the length.")),
  KG_OUTPUT (DistanceTime, speed, NUMBER, .label = N_ ("Speed"), .help = N_ ("1 is the speed of a uniform movement.")),
  KG_OUTPUT (DistanceTime, acceleration, NUMBER, .label = N_ ("Acceleration"),
             .help = N_ ("Rate of change of the speed, in the same units.")),
  KG_OUTPUT (DistanceTime, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("The whole function, for nodes that evaluate it at other times.")),
  KG_OUTPUT (DistanceTime, findings, TEXT, .label = N_ ("Findings"),
             .help = N_ ("What is unusual about the movement, one finding per line, with the times.")),
  KG_OUTPUT (DistanceTime, backs_up, BOOLEAN, .label = N_ ("Backs up"),
             .help = N_ ("Whether the movement runs backwards anywhere.")),
  KG_OUTPUT (DistanceTime, jumps, BOOLEAN, .label = N_ ("Jumps"),
             .help = N_ ("Whether the position changes abruptly anywhere.")),
  KG_OUTPUT (DistanceTime, exceeds, BOOLEAN, .label = N_ ("Out of range"),
             .help = N_ ("Whether the movement is before the start or beyond the end anywhere.")),
  KG_OUTPUT (DistanceTime, starts_off, BOOLEAN, .label = N_ ("Wrong start"),
             .help = N_ ("Whether the movement does not start at 0.")),
  KG_OUTPUT (DistanceTime, ends_off, BOOLEAN, .label = N_ ("Wrong end"),
             .help = N_ ("Whether the movement does not end at 1.")),
  KG_OUTPUT (DistanceTime, stalls, BOOLEAN, .label = N_ ("Stalls"),
             .help = N_ ("Whether the movement stops on the way.")),
  KG_OUTPUT (DistanceTime, abrupt_start, BOOLEAN, .label = N_ ("Starts abruptly"),
             .help = N_ ("Whether the speed at the start is not 0.")),
  KG_OUTPUT (DistanceTime, abrupt_end, BOOLEAN, .label = N_ ("Ends abruptly"),
             .help = N_ ("Whether the speed at the end is not 0.")),
};

KG_NODE (
    motion, distance_time, DistanceTime, .label = N_ ("Distance over Time"), .version = 1, .since = "0.1",
    .tags = N_ ("timing ease speed velocity acceleration constraints spacing slow function check validate"),
    .formula = "speed: s(t) = ∫ v dt; acceleration: v(t) = ∫ a dt, s(t) = ∫ v dt, from s = v = 0\n"
               "rows with speeds, h = t₁ − t₀, τ = (t − t₀)/h:\n"
               "  s = (2τ³ − 3τ² + 1) s₀ + (τ³ − 2τ² + τ) h v₀ + (3τ² − 2τ³) s₁ + (τ³ − τ²) h v₁\n"
               "rows with accelerations: the quintic with the given s, v and a at both ends\n"
               "backs up where s′ < 0, stalls where s′ = 0 on the way, starts or ends abruptly where s′ "
               "≠ 0 there",
    .source = "Parent, Computer Animation, 3.2.2 and 3.2.5; Fritsch and Carlson 1980 (monotone slopes)",
    .help = N_ (
        "Defines the distance covered at each moment, with time and distance both from 0 to 1, so that one timing "
        "fits any path. Define the movement by positions at times, by a formula, or by keys, as a distance, a speed "
        "or an acceleration. The node checks the result and reports where it backs up, stalls, jumps or leaves the "
        "path."));
