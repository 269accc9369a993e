/* motion/phrase: a movement through keys whose timing is a spline of its own.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "motion/phrase.h"

#include <math.h>

typedef struct {
  const KgTable *rows;
  int path_ends;
  KgVector start_slope;
  KgVector end_slope;
  int timing_ends;
  double start_rate;
  double end_rate;
  int retreat;
  bool local;
  const char *name;
  double time;
  KgVector place;
  KgVector velocity;
  KgVector acceleration;
  double phase;
  double rate;
  KgMotion *motion;
  KgMotion *timing;
} Phrase;

enum { COLUMN_TIME, COLUMN_VALUE, COLUMN_RATE = COLUMN_VALUE + 3, N_COLUMNS };
enum { RETREAT_WARN, RETREAT_ENFORCE, RETREAT_ALLOW, N_RETREATS };

static const KgChoice phrase_path_ends[] = {
  [PHRASE_NATURAL] = { "natural", N_ ("Natural: no acceleration at the ends") },
  [PHRASE_CLAMPED] = { "clamped", N_ ("Clamped: slopes given") },
  [PHRASE_PERIODIC] = { "periodic", N_ ("Periodic: the last key is the first again") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (phrase_path_ends, PHRASE_N_ENDS);

static const KgChoice phrase_timing_ends[] = {
  [PHRASE_NATURAL] = { "natural", N_ ("Natural: the pace does not change at the ends") },
  [PHRASE_CLAMPED] = { "clamped", N_ ("Clamped: paces given") },
  [PHRASE_PERIODIC] = { "periodic", N_ ("Periodic: the end leads to the start") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (phrase_timing_ends, PHRASE_N_ENDS);

static const KgChoice phrase_retreats[] = {
  [RETREAT_WARN] = { "warn", N_ ("Warn, and keep it going forwards") },
  [RETREAT_ENFORCE] = { "enforce", N_ ("Keep it going forwards") },
  [RETREAT_ALLOW] = { "allow", N_ ("Allow it to go back") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (phrase_retreats, N_RETREATS);

/* The keys, column by column. */
typedef struct {
  guint n, width;
  double *cells; /* time, phase, rate, and three values: n each */
} Keys;

static double *
get_column (const Keys *keys, guint column)
{
  return keys->cells + (gsize) column * keys->n;
}

enum { KEY_TIME, KEY_PHASE, KEY_RATE, KEY_VALUE, KEY_COLUMNS = KEY_VALUE + 3 };

static bool
phrase_read (const Phrase *n, Keys *keys, GError **error)
{
  keys->n = (guint) kg_table_get_n_rows (n->rows);
  keys->width = 1;
  if (keys->n < 2) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%u keys: give at least two, each with a time and a value", keys->n);
    return false;
  }
  keys->cells = g_new (double, KEY_COLUMNS *(gsize) keys->n);
  for (guint i = 0; i < keys->n; i++) {
    const double *row = kg_table_get_row (n->rows, i);

    if (i > 0 && !(row[COLUMN_TIME] > get_column (keys, KEY_TIME)[i - 1])) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "row %u: time %g does not come after %g: give each key a later time than the one before", i + 1,
                    row[COLUMN_TIME], get_column (keys, KEY_TIME)[i - 1]);
      return false;
    }
    get_column (keys, KEY_TIME)[i] = row[COLUMN_TIME];
    get_column (keys, KEY_PHASE)[i] = i;
    get_column (keys, KEY_RATE)[i] = row[COLUMN_RATE];
    for (guint c = 0; c < 3; c++) {
      get_column (keys, KEY_VALUE + c)[i] = row[COLUMN_VALUE + c];
      if (!isnan (row[COLUMN_VALUE + c]))
        keys->width = MAX (keys->width, c + 1);
    }
  }
  for (guint i = 0; i < keys->n; i++)
    for (guint c = 0; c < keys->width; c++)
      if (isnan (get_column (keys, KEY_VALUE + c)[i])) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE,
                      "row %u has fewer than %u values: give every row the same number of values", i + 1, keys->width);
        return false;
      }
  return true;
}

static bool
phrase_check_periodic (const Phrase *n, const Keys *keys, GError **error)
{
  if (n->path_ends != PHRASE_PERIODIC && n->timing_ends != PHRASE_PERIODIC)
    return true;
  if (keys->n < 3) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "a periodic phrase needs at least three keys, not %u: add a key, or choose other ends", keys->n);
    return false;
  }
  for (guint c = 0; n->path_ends == PHRASE_PERIODIC && c < keys->width; c++) {
    const double *values = get_column (keys, KEY_VALUE + c), first = values[0], last = values[keys->n - 1];

    if (!(fabs (last - first) <= 1e-9 * fmax (fabs (first), fabs (last)))) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "the last key has the value %g and the first %g: make them equal, or choose other ends for the path", last,
          first);
      return false;
    }
  }
  return true;
}

/* Phase over time.  (transfer full) */
static Pieces *
phrase_make_timing (const Phrase *n, const Keys *keys, const KgContext *ctx)
{
  const double *times = get_column (keys, KEY_TIME), *phases = get_column (keys, KEY_PHASE);
  const PhraseRule rule = { .ends = (PhraseEnds) n->timing_ends,
                            .start = n->start_rate,
                            .end = n->end_rate,
                            .local = n->local,
                            .slopes = get_column (keys, KEY_RATE) };
  g_autofree double *slopes = g_new (double, keys->n);
  Pieces *timing;
  gsize retreat;

  phrase_find_slopes (times, phases, keys->n, &rule, slopes);
  timing = phrase_new_spline (times, phases, keys->n, slopes);
  retreat = phrase_find_retreat (timing, 0);
  if (n->retreat == RETREAT_ALLOW || retreat == timing->n)
    return timing;
  if (n->retreat == RETREAT_WARN)
    kg_context_warn (
        ctx,
        "between the times %g and %g the movement would go back: the pace now changes abruptly at keys instead; move the keys apart, or choose what to do about going back",
        times[retreat], times[retreat + 1]);
  pieces_free (timing);
  phrase_find_monotone_slopes (times, phases, keys->n, slopes);
  return phrase_new_spline (times, phases, keys->n, slopes);
}

/* One value over the phase.  (transfer full) */
static Pieces *
phrase_make_path (const Phrase *n, const Keys *keys, guint component)
{
  const double *phases = get_column (keys, KEY_PHASE), *values = get_column (keys, KEY_VALUE + component);
  const PhraseRule rule = { .ends = (PhraseEnds) n->path_ends,
                            .start = kg_vector_get (n->start_slope, component),
                            .end = kg_vector_get (n->end_slope, component),
                            .local = n->local };
  g_autofree double *slopes = g_new (double, keys->n);

  phrase_find_slopes (phases, values, keys->n, &rule, slopes);
  return phrase_new_spline (phases, values, keys->n, slopes);
}

static bool
phrase_add_channel (KgMotion *motion, const char *name, const Pieces *pieces, KgExtend extend, GError **error)
{
  g_autoptr (GError) cause = NULL;
  KgChannel *channel =
      kg_channel_new_pieces (pieces->degree, pieces->n, pieces->breaks, pieces->c, extend, extend, &cause);

  if (channel == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the values are too large, or the times too close together: use numbers of a more ordinary size");
    return false;
  }
  kg_motion_take_channel (motion, name, channel);
  return true;
}

/* The movement waits before its first key and after its last one; a periodic one begins again. */
static double
get_derivative (const Phrase *n, const Pieces *pieces, guint order)
{
  const double low = pieces->breaks[0], high = pieces->breaks[pieces->n];
  const bool periodic = n->path_ends == PHRASE_PERIODIC && n->timing_ends == PHRASE_PERIODIC;
  const double t = periodic ? n->time - (high - low) * floor ((n->time - low) / (high - low)) : n->time;

  return order > 0 && (t < low || t > high) ? 0 : pieces_evaluate (pieces, t, order);
}

static bool
phrase_evaluate (Phrase *n, const KgContext *ctx, GError **error)
{
  static const char *const components[] = { ".x", ".y", ".z" };
  const bool periodic = n->path_ends == PHRASE_PERIODIC && n->timing_ends == PHRASE_PERIODIC;
  const char *name = n->name[0] != '\0' ? n->name : "value";
  double derivatives[3][3] = { { 0 } };
  g_autoptr (Pieces) timing = NULL;
  g_autofree double *cells = NULL;
  Keys keys = { 0 };
  bool read;

  read = phrase_read (n, &keys, error);
  cells = keys.cells;
  if (!read || !phrase_check_periodic (n, &keys, error))
    return false;
  timing = phrase_make_timing (n, &keys, ctx);
  n->timing = kg_motion_new ();
  n->motion = kg_motion_new ();
  if (!phrase_add_channel (n->timing, "phase", timing, periodic ? KG_EXTEND_CYCLE_OFFSET : KG_EXTEND_HOLD, error))
    return false;
  for (guint c = 0; c < keys.width; c++) {
    g_autoptr (Pieces) path = phrase_make_path (n, &keys, c);
    g_autoptr (Pieces) movement = phrase_compose (path, timing);
    g_autofree char *full = g_strconcat (name, keys.width > 1 ? components[c] : "", NULL);

    if (!phrase_add_channel (n->motion, full, movement, periodic ? KG_EXTEND_CYCLE : KG_EXTEND_HOLD, error))
      return false;
    for (guint order = 0; order < 3; order++)
      derivatives[order][c] = get_derivative (n, movement, order);
  }
  n->place = kg_vector (derivatives[0][0], derivatives[0][1], derivatives[0][2]);
  n->velocity = kg_vector (derivatives[1][0], derivatives[1][1], derivatives[1][2]);
  n->acceleration = kg_vector (derivatives[2][0], derivatives[2][1], derivatives[2][2]);
  n->phase = get_derivative (n, timing, 0);
  n->rate = get_derivative (n, timing, 1);
  return true;
}

static const KgTableColumn phrase_columns[] = {
  { "time", N_ ("Time"), 0, false },       { "value", N_ ("Value"), 0, false }, { "value2", N_ ("Value 2"), NAN, true },
  { "value3", N_ ("Value 3"), NAN, true }, { "rate", N_ ("Pace"), NAN, true },  KG_TABLE_COLUMNS_END,
};

static const KgSlot phrase_slots[] = {
  KG_INPUT (
      Phrase, rows, TABLE, .columns = phrase_columns, .label = N_ ("Keys"), .def_text = "0 0\n1 1\n2 0",
      .help = N_ (
          "One key per row: its time in seconds and one to three values, such as a place. The pace is how many keys per second the movement passes there; left blank it follows from the times.")),
  KG_INPUT (Phrase, path_ends, CHOICE, .label = N_ ("Ends of the path"), .choices = phrase_path_ends,
            .help = N_ ("How the path starts and ends, whatever the timing.")),
  KG_INPUT (Phrase, start_slope, VECTOR, .label = N_ ("Start slope"), .shown_when = "path_ends=clamped",
            .help = N_ ("How much each value changes per key at the first key.")),
  KG_INPUT (Phrase, end_slope, VECTOR, .label = N_ ("End slope"), .shown_when = "path_ends=clamped",
            .help = N_ ("How much each value changes per key at the last key.")),
  KG_INPUT (Phrase, timing_ends, CHOICE, .label = N_ ("Ends of the timing"), .choices = phrase_timing_ends,
            .help = N_ ("How the timing starts and ends. Clamped paces of 0 ease in and out.")),
  KG_INPUT (Phrase, start_rate, NUMBER, .label = N_ ("Start pace"), .shown_when = "timing_ends=clamped", .soft_max = 10,
            .help = N_ ("Keys per second at the first key.")),
  KG_INPUT (Phrase, end_rate, NUMBER, .label = N_ ("End pace"), .shown_when = "timing_ends=clamped", .soft_max = 10,
            .help = N_ ("Keys per second at the last key.")),
  KG_INPUT (
      Phrase, retreat, CHOICE, .label = N_ ("When it goes back"), .choices = phrase_retreats,
      .help = N_ (
          "Times that differ too much make the smooth timing overshoot, so that the movement goes back for a moment. It can be kept going forwards by a timing whose acceleration jumps at keys.")),
  KG_INPUT (
      Phrase, local, BOOLEAN, .label = N_ ("Local"),
      .help = N_ (
          "A change of a key reaches no farther than five keys away; accelerations then jump at keys by less than a thousandth.")),
  KG_INPUT (Phrase, name, TEXT, .label = N_ ("Name"), .def_text = "value",
            .help = N_ ("Name of the channel; several values are called name.x, name.y and name.z.")),
  KG_INPUT (Phrase, time, NUMBER, .label = N_ ("Time"), .driver = KG_DRIVER_TIME, .unit = KG_SECONDS, .soft_max = 10,
            .help = N_ ("Time at which the outputs are evaluated. Without a link it is the current time.")),
  KG_OUTPUT (Phrase, place, VECTOR, .label = N_ ("Place"), .help = N_ ("The values at the time.")),
  KG_OUTPUT (Phrase, velocity, VECTOR, .label = N_ ("Velocity"), .help = N_ ("Change of the values per second.")),
  KG_OUTPUT (Phrase, acceleration, VECTOR, .label = N_ ("Acceleration"),
             .help = N_ ("The change of the velocity per second.")),
  KG_OUTPUT (Phrase, phase, NUMBER, .label = N_ ("Phase"),
             .help = N_ ("0 at the first key, 1 at the second, and so on.")),
  KG_OUTPUT (Phrase, rate, NUMBER, .label = N_ ("Pace"), .help = N_ ("Keys per second at the time.")),
  KG_OUTPUT (Phrase, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("The whole movement, one channel for each value.")),
  KG_OUTPUT (Phrase, timing, MOTION, .label = N_ ("Timing"), .help = N_ ("The phase over time.")),
};

KG_NODE (
    motion, phrase, Phrase, .label = N_ ("Phrase"), .version = 1, .since = "0.1",
    .tags = N_ ("spline keys timing kinetic path pace inbetween interpolation"),
    .formula = "x(t) = P(K(t)): P(i) = value of key i, K(time of key i) = i, both cubic splines with continuous second "
               "derivatives\n"
               "x′ = P′(K) K′, x″ = P″(K) K′² + P′(K) K″",
    .source = "Steketee and Badler, Parametric Keyframe Interpolation Incorporating Kinetic Adjustment and Phrasing "
              "Control, 1985; Fritsch and Butland 1984",
    .help = N_ (
        "Moves through keys smoothly, with the path and its timing as two splines: changing when a key is passed does not change the path, and velocity and acceleration are continuous at every key."));
