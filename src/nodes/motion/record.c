/* motion/record: a value of a graph as a motion.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgValue value;
  double first;
  int64_t count;
  double step;
  KgMotion *motion;
} Record;

static bool
record_demand (const Record *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  (void) error;
  for (int64_t i = 0; i < n->count; i++)
    kg_demand_at (demand, offsetof (Record, value), (n->first + (double) i * n->step - ctx->start) / ctx->rate);
  return true;
}

/* How many numbers a value of a kind has, 0 for those that cannot be recorded. */
static guint
record_get_width (KgKind kind)
{
  return kind == KG_NUMBER || kind == KG_INTEGER || kind == KG_BOOLEAN ? 1
         : kind == KG_VECTOR                                           ? 3
         : kind == KG_COLOR || kind == KG_ROTATION                     ? 4
                                                                       : 0;
}

static void
record_read (const KgValue *value, double *to)
{
  if (value->kind == KG_INTEGER)
    *to = (double) value->integer;
  else if (value->kind == KG_BOOLEAN)
    *to = value->boolean;
  else if (value->kind == KG_NUMBER)
    *to = value->number;
  else if (value->kind == KG_VECTOR)
    memcpy (to, &value->vector, 3 * sizeof *to);
  else if (value->kind == KG_COLOR)
    memcpy (to, &value->color, 4 * sizeof *to);
  else
    memcpy (to, &value->rotation, 4 * sizeof *to);
}

static bool
record_evaluate (Record *n, const KgContext *ctx, GError **error)
{
  const size_t field = offsetof (Record, value);
  const guint count = kg_context_get_n_samples (ctx, field);
  const KgKind kind = kg_context_get_sample (ctx, field, 0)->kind;
  const guint width = record_get_width (kind);
  g_autofree double *samples = g_new0 (double, 4 * (size_t) MAX (count, 1));
  KgChannel *channel;

  if (width == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "this kind of value cannot be recorded: link a number, a vector, a colour or a rotation");
    return false;
  }
  for (guint i = 0; i < count; i++)
    record_read (kg_context_get_sample (ctx, field, i), samples + (size_t) i * width);
  channel = kg_channel_new_samples (width, kind == KG_ROTATION, (n->first - ctx->start) / ctx->rate,
                                    ctx->rate / n->step, samples, count, KG_EXTEND_HOLD, KG_EXTEND_HOLD, error);
  if (channel == NULL)
    return false;
  n->motion = kg_motion_new_take ("value", channel);
  return true;
}

static const KgSlot record_slots[] = {
  KG_INPUT (Record, value, ANY, .label = N_ ("Value"),
            .help = N_ ("A number, vector, colour or rotation that changes over time.")),
  KG_INPUT (Record, first, NUMBER, .label = N_ ("First frame"), .unit = KG_FRAMES, .early = true, .def = 1, .min = -1e6,
            .max = 1e6, .soft_min = 0, .soft_max = 240, .help = N_ ("Frame of the first sample.")),
  KG_INPUT (Record, count, INTEGER, .label = N_ ("Samples"), .early = true, .def = 48, .min = 1, .max = KG_DEMAND_MAX,
            .soft_max = 240, .help = N_ ("Number of samples.")),
  KG_INPUT (Record, step, NUMBER, .label = N_ ("Step"), .unit = KG_FRAMES, .early = true, .def = 1, .min = 0.001,
            .max = 1e4, .soft_max = 10, .help = N_ ("Interval from one sample to the next.")),
  KG_OUTPUT (Record, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("The samples as a channel called value over seconds, straight between them, held beyond.")),
};

KG_NODE_WITH_DEMAND (
    motion, record, Record, .label = N_ ("Record"), .version = 1, .since = "0.1", .time = KG_TIME_FREEZES,
    .tags = N_ ("bake sample capture channel track tracked curve keys"),
    .formula = "x(t) = (1 − u) x_i + u x_{i+1}, t_i = first + i step, u = (t − t_i) / step",
    .source = "Parent, Computer Animation, 1.2.6: straight ahead, and pose to pose",
    .help = N_ (
        "Evaluates a value at many frames and returns it as a motion: a track, a simulated position or an expression as a curve that can be delayed, scaled, drawn or measured."));
