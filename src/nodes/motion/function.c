/* motion/function: a motion from a table, a row of samples, or a formula.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/points_text.h"
#include "motion/channel_choices.h"
#include "motion/formula.h"
#include "kg-node.h"

typedef struct {
  int from;
  const KgMotion *source;
  const char *rows;
  int between;
  const char *samples;
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

/* How many numbers follow the time: those of the fullest row. */
static guint
get_width (const GArray *rows, guint n, guint stride)
{
  guint width = 1;

  for (guint i = 0; i < n; i++)
    for (guint c = 2; c < stride; c++)
      if (!isnan (g_array_index (rows, double, i *stride + c)))
        width = MAX (width, c);
  return width;
}

static KgChannel *
function_read_rows (const Function *n, GError **error)
{
  const guint stride = 1 + KG_CHANNEL_MAX_WIDTH;
  g_autoptr (GArray) rows = NULL;
  g_autofree KgKey *keys = NULL;
  guint n_rows, width;

  rows = points_text_read_blanks (n->rows, 2, stride, &n_rows, error);
  if (rows == NULL)
    return NULL;
  width = get_width (rows, n_rows, stride);
  keys = g_new0 (KgKey, MAX (n_rows, 1));
  for (guint i = 0; i < n_rows; i++) {
    const double *row = &g_array_index (rows, double, i *stride);

    if (i > 0 && row[0] < keys[i - 1].at) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %u: time %g comes after %g: sort the rows by time", i + 1,
                    row[0], keys[i - 1].at);
      return NULL;
    }
    kg_key_init (&keys[i], row[0], 0);
    keys[i].interpolation = (KgInterpolation) n->between;
    for (guint c = 0; c < width; c++) {
      if (isnan (row[1 + c]) || isnan (row[0])) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE,
                      "row %u has fewer than %u numbers after the time: give every row the same number of values",
                      i + 1, width);
        return NULL;
      }
      keys[i].value[c] = row[1 + c];
    }
  }
  return kg_channel_new_keys (width, false, keys, n_rows, (KgExtend) n->before, (KgExtend) n->after, error);
}

static KgChannel *
function_read_samples (const Function *n, GError **error)
{
  g_autoptr (GArray) rows = NULL;
  g_autofree double *samples = NULL;
  guint n_rows, width = 1;

  rows = points_text_read_blanks (n->samples, 1, KG_CHANNEL_MAX_WIDTH, &n_rows, error);
  if (rows == NULL)
    return NULL;
  for (guint i = 0; i < rows->len; i++)
    if (!isnan (g_array_index (rows, double, i)))
      width = MAX (width, i % KG_CHANNEL_MAX_WIDTH + 1);
  samples = g_new (double, (gsize) width *n_rows + 1);
  for (guint i = 0; i < n_rows; i++)
    for (guint c = 0; c < width; c++) {
      samples[i * width + c] = g_array_index (rows, double, i *KG_CHANNEL_MAX_WIDTH + c);
      if (isnan (samples[i * width + c])) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE,
                      "row %u has fewer than %u numbers: give every row the same number of values", i + 1, width);
        return NULL;
      }
    }
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

static const KgSlot function_slots[] = {
  KG_INPUT (Function, from, CHOICE, .label = N_ ("Defined by"), .choices = function_sources, .def = FROM_ROWS,
            .help = N_ ("How the motion is defined.")),
  KG_INPUT (Function, source, MOTION, .label = N_ ("Keys"), .optional = true, .shown_when = "from=keys",
            .help = N_ ("Set keys here and edit them in the curve editor; their times are in frames.")),
  KG_INPUT (Function, rows, TEXT, .label = N_ ("Rows"), .multiline = true, .shown_when = "from=rows",
            .def_text = "0 0\n1 1",
            .help = N_ (
                "One moment per line: the time, then one to four numbers. Two lines with the same time make a step.")),
  KG_INPUT (Function, between, CHOICE, .label = N_ ("Between rows"), .choices = channel_betweens,
            .shown_when = "from=rows", .def = KG_INTERPOLATE_LINEAR,
            .help = N_ ("How values are interpolated from one row to the next.")),
  KG_INPUT (Function, samples, TEXT, .label = N_ ("Samples"), .multiline = true, .shown_when = "from=samples",
            .def_text = "0; 1", .help = N_ ("One moment per line, with one to four numbers each.")),
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
