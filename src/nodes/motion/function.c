/* motion/function: a motion from a table, a row of samples, or a formula.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/channel_choices.h"
#include "motion/formula.h"
#include "kg-node.h"

typedef struct {
  int from;
  const KgMotion *source;
  const KgTable *rows;
  int between;
  const KgTable *samples;
  double rate;
  double start;
  const char *formula;
  double low;
  double high;
  const char *name;
  int before;
  int after;
  KgMotion *motion;
} Function;

enum { FROM_KEYS, FROM_ROWS, FROM_SAMPLES, FROM_FORMULA, N_SOURCES };

static const KgChoice function_sources[] = {
  [FROM_KEYS] = { "keys", N_ ("Keys") },
  [FROM_ROWS] = { "rows", N_ ("A table of times and values") },
  [FROM_SAMPLES] = { "samples", N_ ("Values at a constant rate") },
  [FROM_FORMULA] = { "formula", N_ ("A formula of t") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (function_sources, N_SOURCES);

/* The numbers of the fullest row, from column first on; the others must have as many.  0: an error. */
static guint
function_get_width (const KgTable *rows, guint first, GError **error)
{
  guint width = 1;

  for (size_t i = 0; i < kg_table_get_n_rows (rows); i++)
    for (guint c = 0; c < KG_CHANNEL_MAX_WIDTH; c++)
      if (!isnan (kg_table_get_row (rows, i)[first + c]))
        width = MAX (width, c + 1);
  for (size_t i = 0; i < kg_table_get_n_rows (rows); i++)
    for (guint c = 0; c < width; c++)
      if (isnan (kg_table_get_row (rows, i)[first + c])) {
        if (first > 0)
          kg_set_error (error, KG_ERROR_INVALID_VALUE,
                        "row %zu has fewer than %u numbers after the time: give every row the same number of values",
                        i + 1, width);
        else
          kg_set_error (error, KG_ERROR_INVALID_VALUE,
                        "row %zu has fewer than %u numbers: give every row the same number of values", i + 1, width);
        return 0;
      }
  return width;
}

static KgChannel *
function_read_rows (const Function *n, GError **error)
{
  const size_t n_rows = kg_table_get_n_rows (n->rows);
  g_autofree KgKey *keys = NULL;
  guint width;

  for (size_t i = 1; i < n_rows; i++)
    if (kg_table_get_row (n->rows, i)[0] < kg_table_get_row (n->rows, i - 1)[0]) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %zu: time %g comes after %g: sort the rows by time", i + 1,
                    kg_table_get_row (n->rows, i)[0], kg_table_get_row (n->rows, i - 1)[0]);
      return NULL;
    }
  width = function_get_width (n->rows, 1, error);
  if (width == 0)
    return NULL;
  keys = g_new0 (KgKey, MAX (n_rows, 1));
  for (size_t i = 0; i < n_rows; i++) {
    const double *row = kg_table_get_row (n->rows, i);

    kg_key_init (&keys[i], row[0], 0);
    keys[i].interpolation = (KgInterpolation) n->between;
    for (guint c = 0; c < width; c++)
      keys[i].value[c] = row[1 + c];
  }
  return kg_channel_new_keys (width, false, keys, n_rows, (KgExtend) n->before, (KgExtend) n->after, error);
}

static KgChannel *
function_read_samples (const Function *n, GError **error)
{
  const size_t n_rows = kg_table_get_n_rows (n->samples);
  const guint width = function_get_width (n->samples, 0, error);
  g_autofree double *samples = NULL;

  if (width == 0)
    return NULL;
  samples = g_new (double, width *n_rows + 1);
  for (size_t i = 0; i < n_rows; i++)
    memcpy (samples + i * width, kg_table_get_row (n->samples, i), width * sizeof *samples);
  return kg_channel_new_samples (width, false, n->start, n->rate, samples, n_rows, (KgExtend) n->before,
                                 (KgExtend) n->after, error);
}

static KgChannel *
function_read_formula (const Function *n, GError **error)
{
  g_autoptr (Pieces) pieces = formula_to_pieces (n->formula, n->low, n->high, error);

  if (pieces == NULL)
    return NULL;
  return kg_channel_new_pieces (pieces->degree, pieces->n, pieces->breaks, pieces->c, (KgExtend) n->before,
                                (KgExtend) n->after, error);
}

/* Keys as they are, with these extensions. */
static KgChannel *
function_read_keys (const Function *n, GError **error)
{
  const KgChannel *channel;
  const KgKey *keys;
  gsize n_keys;

  if (n->source == NULL || kg_motion_get_n_channels (n->source) == 0) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "no keys: set keys on the input Keys");
    return NULL;
  }
  channel = kg_motion_get_channel (n->source, 0);
  keys = kg_channel_get_keys (channel, &n_keys);
  if (keys == NULL)
    return kg_channel_ref (channel);
  return kg_channel_new_keys (kg_channel_get_width (channel), kg_channel_is_rotation (channel), keys, n_keys,
                              (KgExtend) n->before, (KgExtend) n->after, error);
}

static bool
function_evaluate (Function *n, const KgContext *ctx, GError **error)
{
  KgChannel *channel;

  (void) ctx;
  channel = n->from == FROM_KEYS      ? function_read_keys (n, error)
            : n->from == FROM_ROWS    ? function_read_rows (n, error)
            : n->from == FROM_SAMPLES ? function_read_samples (n, error)
                                      : function_read_formula (n, error);
  if (channel == NULL)
    return false;
  n->motion = kg_motion_new_take (n->name[0] != '\0' ? n->name : "value", channel);
  return true;
}

static const KgTableColumn function_row_columns[] = {
  { "time", N_ ("Time"), 0, false },       { "value", N_ ("Value"), 0, false },
  { "value2", N_ ("Value 2"), NAN, true }, { "value3", N_ ("Value 3"), NAN, true },
  { "value4", N_ ("Value 4"), NAN, true }, KG_TABLE_COLUMNS_END,
};

static const KgTableColumn function_sample_columns[] = {
  { "value", N_ ("Value"), 0, false },
  { "value2", N_ ("Value 2"), NAN, true },
  { "value3", N_ ("Value 3"), NAN, true },
  { "value4", N_ ("Value 4"), NAN, true },
  KG_TABLE_COLUMNS_END,
};

static const KgSlot function_slots[] = {
  KG_INPUT (Function, from, CHOICE, .label = N_ ("Defined by"), .choices = function_sources, .def = FROM_ROWS,
            .help = N_ ("How the motion is defined.")),
  KG_INPUT (Function, source, MOTION, .label = N_ ("Keys"), .optional = true, .shown_when = "from=keys",
            .help = N_ ("Set keys here and edit them in the curve editor; their times are in frames.")),
  KG_INPUT (
      Function, rows, TABLE, .columns = function_row_columns, .label = N_ ("Rows"), .shown_when = "from=rows",
      .def_text = "0 0\n1 1",
      .help = N_ ("One moment per row: the time, then one to four numbers. Two rows with the same time make a step.")),
  KG_INPUT (Function, between, CHOICE, .label = N_ ("Between rows"), .choices = channel_betweens,
            .shown_when = "from=rows", .def = KG_INTERPOLATE_LINEAR,
            .help = N_ ("How values are interpolated from one row to the next.")),
  KG_INPUT (Function, samples, TABLE, .columns = function_sample_columns, .label = N_ ("Samples"),
            .shown_when = "from=samples", .def_text = "0; 1",
            .help = N_ ("One moment per row, with one to four numbers each.")),
  KG_INPUT (Function, rate, NUMBER, .label = N_ ("Rate"), .unit = KG_HERTZ, .shown_when = "from=samples", .def = 24,
            .min = 1e-6, .max = 1e9, .soft_max = 120, .help = N_ ("Samples per second.")),
  KG_INPUT (Function, start, NUMBER, .label = N_ ("Start"), .unit = KG_SECONDS, .shown_when = "from=samples",
            .help = N_ ("Time of the first sample.")),
  KG_INPUT (Function, formula, TEXT, .label = N_ ("Formula"), .shown_when = "from=formula", .def_text = "sin(2*pi*t)",
            .help = N_ ("A formula of t, in the notation of expressions.")),
  KG_INPUT (Function, low, NUMBER, .label = N_ ("From"), .shown_when = "from=formula",
            .help = N_ ("Start of the range of t.")),
  KG_INPUT (Function, high, NUMBER, .label = N_ ("To"), .shown_when = "from=formula", .def = 1,
            .help = N_ ("End of the range of t.")),
  KG_INPUT (Function, before, CHOICE, .label = N_ ("Before"), .choices = channel_extends,
            .group = N_ ("Beyond the ends"), .help = N_ ("What happens before the start.")),
  KG_INPUT (Function, after, CHOICE, .label = N_ ("After"), .choices = channel_extends, .group = N_ ("Beyond the ends"),
            .help = N_ ("What happens after the end.")),
  KG_INPUT (Function, name, TEXT, .label = N_ ("Name"), .def_text = "value", .help = N_ ("Name of the channel.")),
  KG_OUTPUT (Function, motion, MOTION, .label = N_ ("Motion"), .help = N_ ("Motion with one channel.")),
};

KG_NODE (
    motion, function, Function, .label = N_ ("Function"), .version = 1, .since = "0.1",
    .tags = N_ ("keys table samples formula expression curve channel avar lookup data"),
    .formula = "between keys at t₀ and t₁, τ = (t − t₀)/(t₁ − t₀):\n"
               "linear: (1 − τ) x₀ + τ x₁; round: Hermite with the slope (xᵢ₊₁ − xᵢ₋₁)/(tᵢ₊₁ − tᵢ₋₁) at key i\n"
               "smooth: the same, 0 at extremes and limited so that it never overshoots\n"
               "samples: xᵢ at start + i/rate; formula: x = f(t)",
    .source = "Parent, Computer Animation, 3.1, 3.5 and 3.6.2",
    .help = N_ (
        "Creates a motion, a function of time that can be linked between nodes, from keys, a typed table, measured samples, or a formula. Read it with Evaluate Motion, at any time and as often as you like."));
