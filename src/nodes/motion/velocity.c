/* motion/velocity: a movement drawn as its speed, made to cover a given distance in a given time.
 * Source: Parent, Computer Animation, section 3.2.5; the shape of the bulges is our choice.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/constraints.h"
#include "kg-node.h"
#include "motion/timing.h"

typedef struct {
  const KgTable *rows;
  const KgMotion *source;
  int mode;
  int smoothness;
  const KgTable *weights;
  double distance;
  double duration;
  double t;
  double value;
  double speed;
  double acceleration;
  KgMotion *motion;
  double shift;
  double bulge;
  bool backs_up;
  char *findings;
} Velocity;

enum { MODE_FLOAT, MODE_FIXED, N_MODES };

static const KgChoice velocity_modes[] = {
  [MODE_FLOAT] = { "float", N_ ("Raise or lower the whole curve") },
  [MODE_FIXED] = { "fixed", N_ ("Keep the keys and bulge between them") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (velocity_modes, N_MODES);

enum { SMOOTHNESS_LINEAR, SMOOTHNESS_SMOOTH, N_SMOOTHNESS };

static const KgChoice velocity_smoothness[] = {
  [SMOOTHNESS_LINEAR] = { "linear", N_ ("Linear") },
  [SMOOTHNESS_SMOOTH] = { "smooth", N_ ("Smooth") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (velocity_smoothness, N_SMOOTHNESS);

/* The speed as drawn over 0..1, and the places of the keys. */
typedef struct {
  Pieces *speed;
  GArray *keys; /* double */
  bool is_even; /* one key, or none: a speed, but no shape */
} Drawn;

static void
drawn_clear (Drawn *drawn)
{
  g_clear_pointer (&drawn->speed, pieces_free);
  g_clear_pointer (&drawn->keys, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Drawn, drawn_clear)

static void
add_key (Drawn *drawn, double at)
{
  if (drawn->keys->len == 0 || at > g_array_index (drawn->keys, double, drawn->keys->len - 1))
    g_array_append_val (drawn->keys, at);
}

static bool
velocity_read_motion (const Velocity *n, Drawn *drawn, GError **error)
{
  const KgChannel *channel = kg_motion_get_channel (n->source, 0);
  const KgKey *keys;
  gsize n_keys;

  if (kg_channel_is_rotation (channel)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the motion is a rotation: link a motion of numbers");
    return false;
  }
  drawn->speed = pieces_new_channel (channel, 0, error);
  if (drawn->speed == NULL)
    return false;
  keys = kg_channel_get_keys (channel, &n_keys);
  drawn->is_even = n_keys == 1;
  for (gsize i = 0; i < n_keys; i++)
    add_key (drawn, keys[i].at);
  return true;
}

static bool
velocity_read_rows (const Velocity *n, Drawn *drawn, GError **error)
{
  const guint n_rows = (guint) kg_table_get_n_rows (n->rows);

  if (n_rows < 2) {
    drawn->is_even = true;
    drawn->speed = pieces_new (0, 1);
    drawn->speed->breaks[1] = 1;
    drawn->speed->c[0] = n_rows > 0 ? kg_table_get_row (n->rows, 0)[1] : 0;
    return true;
  }
  {
    g_autofree double *four = g_new (double, 4 * (gsize) n_rows);

    for (guint i = 0; i < n_rows; i++) {
      memcpy (four + 4 * i, kg_table_get_row (n->rows, i), 3 * sizeof (double));
      four[4 * i + 3] = NAN;
    }
    drawn->speed = constraints_to_pieces (
        four, n_rows, n->smoothness == SMOOTHNESS_LINEAR ? CONSTRAINTS_LINEAR : CONSTRAINTS_CUBIC, false, error);
    for (guint i = 0; drawn->speed != NULL && i < n_rows; i++)
      add_key (drawn, four[4 * i]);
  }
  return drawn->speed != NULL;
}

/* Speed over 0..1, keys over 0..1. */
static bool
velocity_read (const Velocity *n, Drawn *drawn, GError **error)
{
  double first, last;

  drawn->keys = g_array_new (FALSE, FALSE, sizeof (double));
  if (n->source != NULL && kg_motion_get_n_channels (n->source) > 0 ? !velocity_read_motion (n, drawn, error)
                                                                    : !velocity_read_rows (n, drawn, error))
    return false;
  first = drawn->speed->breaks[0];
  last = drawn->speed->breaks[drawn->speed->n];
  if (drawn->keys->len < 2) {
    g_array_set_size (drawn->keys, 0);
    add_key (drawn, first);
    add_key (drawn, last);
  }
  for (guint i = 0; i < drawn->keys->len; i++) {
    double *key = &g_array_index (drawn->keys, double, i);

    *key = i + 1 == drawn->keys->len ? 1 : (*key - first) / (last - first);
  }
  pieces_set_range (drawn->speed, 0, 1);
  return true;
}

/* size × 16 x²(1 − x)² added to the part of an interval [a, b] (x from 0 to 1 across it) that piece i covers: nothing
 * changes at the keys, neither the speed nor its slope. */
static void
add_bulge (Pieces *speed, gsize i, double a, double b, double size)
{
  const double p = (speed->breaks[i] - a) / (b - a), q = (speed->breaks[i + 1] - speed->breaks[i]) / (b - a);
  double *c = speed->c + i * (speed->degree + 1);

  /* x = p + q u in 16 (x² − 2x³ + x⁴), by powers of u. */
  size *= 16;
  c[0] += size * p * p * (1 - p) * (1 - p);
  c[1] += size * q * p * (2 - 6 * p + 4 * p * p);
  c[2] += size * q * q * (1 - 6 * p + 6 * p * p);
  c[3] += size * q * q * q * (4 * p - 2);
  c[4] += size * q * q * q * q;
}

/* Bulges all intervals by their weights, so that the area becomes what it should be. */
static bool
velocity_fix (Velocity *n, Drawn *drawn, double missing, GError **error)
{
  const double *keys = (const double *) (void *) drawn->keys->data;
  const guint n_intervals = drawn->keys->len - 1;
  const guint n_weights = (guint) kg_table_get_n_rows (n->weights);
  g_autoptr (GArray) weights = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (Pieces) speed = NULL;
  double area = 0, size = fabs (missing);
  guint k = 0;

  if (n_weights > n_intervals) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%u weights for %u intervals between keys: give at most one per interval", n_weights, n_intervals);
    return false;
  }
  if (n_weights > 0)
    g_array_append_vals (weights, kg_table_get_cells (n->weights), n_weights);
  while (weights->len < n_intervals) {
    const double one = 1;

    g_array_append_val (weights, one);
  }
  for (guint i = 0; i < n_intervals; i++) {
    if (g_array_index (weights, double, i) < 0) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "weight %u is %g: use 0 for an interval that should not change, otherwise a positive number", i + 1,
                    g_array_index (weights, double, i));
      return false;
    }
    area += g_array_index (weights, double, i) * (keys[i + 1] - keys[i]) * 8 / 15;
  }
  if (!(area > 0)) {
    if (size <= 1e-12)
      return true;
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "all intervals have the weight 0: give at least one a weight greater than 0, or raise or lower the whole curve");
    return false;
  }
  n->bulge = missing / area;
  speed = pieces_copy (drawn->speed, 4);
  for (gsize i = 0; i < speed->n; i++) {
    const double middle = 0.5 * (speed->breaks[i] + speed->breaks[i + 1]);

    while (k + 1 < n_intervals && keys[k + 1] <= middle)
      k++;
    add_bulge (speed, i, keys[k], keys[k + 1], n->bulge * g_array_index (weights, double, k));
  }
  pieces_free (drawn->speed);
  drawn->speed = g_steal_pointer (&speed);
  return true;
}

static bool
velocity_evaluate (Velocity *n, const KgContext *ctx, GError **error)
{
  const double mean = n->distance / n->duration;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (Pieces) distance = NULL;
  g_auto (Drawn) drawn = { 0 };
  TimingMoment moment;
  double missing;

  if (!velocity_read (n, &drawn, error))
    return false;
  missing = mean - pieces_integrate (drawn.speed);
  /* Without a shape to keep, the speed is that of the whole distance, whether it bulges or not. */
  if (n->mode == MODE_FLOAT || drawn.is_even) {
    n->shift = missing;
    pieces_add_constant (drawn.speed, missing);
  } else if (!velocity_fix (n, &drawn, missing, error))
    return false;
  distance = pieces_new_integral (drawn.speed, 0);
  pieces_scale (distance, 1 / mean);
  n->motion = timing_to_motion (distance, error);
  if (n->motion == NULL)
    return false;
  n->backs_up = timing_check (distance, ~0u, text) & TIMING_BACKS_UP;
  if (n->backs_up) {
    g_autofree char *backwards = timing_describe (distance, TIMING_BACKS_UP);

    kg_context_warn (ctx, "the movement %s", backwards);
  }
  n->findings = g_string_free (g_steal_pointer (&text), FALSE);
  moment = timing_evaluate (distance, n->t);
  n->value = moment.value;
  n->speed = moment.speed * mean;
  n->acceleration = moment.acceleration * mean / n->duration;
  return true;
}

static const KgTableColumn velocity_columns[] = {
  { "time", N_ ("Time"), 0, false },
  { "speed", N_ ("Speed"), 0, false },
  { "slope", N_ ("Slope"), NAN, true },
  KG_TABLE_COLUMNS_END,
};

static const KgSlot velocity_slots[] = {
  KG_INPUT (
      Velocity, rows, TABLE, .columns = velocity_columns, .shown_when = "source=unlinked", .label = N_ ("Speeds"),
      .def_text = "0 0\n0.5 1\n1 0",
      .help = N_ (
          "One key per row: time, speed in metres per second, and optionally the slope of the speed. The first key is the start of the movement and the last its end; with one key or none the speed is constant. Not used while Drawn curve is linked.")),
  KG_INPUT (Velocity, source, MOTION, .label = N_ ("Drawn curve"), .optional = true,
            .help = N_ ("Speed as a curve: set keys here and edit them in the curve editor.")),
  KG_INPUT (
      Velocity, mode, CHOICE, .label = N_ ("Fit distance by"), .choices = velocity_modes,
      .help = N_ (
          "How the curve is adjusted so that the area under it is the distance. Raising or lowering the whole curve keeps its shape, but changes all speeds, including those at the ends. Bulging between the keys keeps the speeds of the keys, but the movement may be faster between them than at any key, or run backwards.")),
  KG_INPUT (
      Velocity, smoothness, CHOICE, .label = N_ ("Between keys"), .choices = velocity_smoothness,
      .help = N_ (
          "For typed speeds: straight lines, or a curve with the given slopes or slopes from the neighbouring lines.")),
  KG_INPUT (
      Velocity, weights, TABLE, .columns = kg_table_numbers, .label = N_ ("Weights"), .shown_when = "mode=fixed",
      .help = N_ (
          "How strongly each interval between keys bulges, in order; 0 leaves it unchanged. Missing weights are 1.")),
  KG_INPUT (Velocity, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES, .def = 1, .min = 1e-9,
            .max = INFINITY, .soft_max = 100, .help = N_ ("Distance to cover.")),
  KG_INPUT (Velocity, duration, NUMBER, .label = N_ ("Duration"), .unit = KG_SECONDS, .def = 1, .min = 1e-9,
            .max = INFINITY, .soft_max = 20, .help = N_ ("Duration of the movement.")),
  KG_INPUT (
      Velocity, t, NUMBER, .label = N_ ("Time"), .driver = KG_DRIVER_PHASE, .soft_max = 1,
      .help = N_ (
          "0 at the start of the movement, 1 at its end. Without a link it runs once over the frame range of the graph.")),
  KG_OUTPUT (Velocity, value, NUMBER, .label = N_ ("Value"), .help = N_ ("Fraction of the distance covered: 0 to 1.")),
  KG_OUTPUT (Velocity, speed, NUMBER, .label = N_ ("Speed"), .unit = KG_METRES_PER_SECOND,
             .help = N_ ("Value at this time.")),
  KG_OUTPUT (Velocity, acceleration, NUMBER, .label = N_ ("Acceleration"), .unit = KG_METRES_PER_SECOND2,
             .help = N_ ("Value at this time.")),
  KG_OUTPUT (Velocity, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("Distance over time, both from 0 to 1; its slope is the speed.")),
  KG_OUTPUT (Velocity, shift, NUMBER, .label = N_ ("Shift"), .unit = KG_METRES_PER_SECOND,
             .help = N_ ("Amount by which all speeds were raised.")),
  KG_OUTPUT (Velocity, bulge, NUMBER, .label = N_ ("Bulge"), .unit = KG_METRES_PER_SECOND,
             .help = N_ ("Amount by which the speed was raised in the middle of an interval of weight 1.")),
  KG_OUTPUT (Velocity, backs_up, BOOLEAN, .label = N_ ("Backs up"),
             .help = N_ ("Whether the movement runs backwards anywhere.")),
  KG_OUTPUT (Velocity, findings, TEXT, .label = N_ ("Findings"),
             .help = N_ ("What is unusual about the movement, one finding per line, with the times.")),
};

KG_NODE (
    motion, velocity, Velocity, .label = N_ ("Speed Curve"), .version = 1, .since = "0.1",
    .tags = N_ ("timing velocity spacing distance ease graph drawn"),
    .formula = "float: v(t) = w(t) + D/T − mean of w\n"
               "fixed: v(t) = w(t) + λ Σ gᵢ βᵢ(t), βᵢ = 16 τ² (1 − τ)² between two keys, λ = (D − ∫ w "
               "dt)/(8/15 · Σ gᵢ hᵢ)\n"
               "s(t) = ∫ v dt; D the distance, T the duration, gᵢ the weights, hᵢ the intervals",
    .source = "Parent, Computer Animation, 3.2.5; the shape of the bulges is specific to Kineograph",
    .help = N_ (
        "Moves at the speeds of a drawn curve, yet covers a given distance in a given time. Unless the area under the curve happens to match, the curve has to change: choose whether its overall height changes, or its shape between the keys."));
