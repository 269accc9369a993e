/* fake-types: node types for tests of the core, which must not know real ones.
 *   fake/add      value = x + y
 *   fake/time     value = time (reads it)
 *   fake/geometry one point at x; value is a geometry
 *   fake/shift    moves the points of geometry by x, in place when it may
 *   fake/switch   one of the values, by index
 *   fake/fail     fails with a message
 *   fake/nan      value = NaN
 *   fake/counter  simulation: one point whose x grows by step each frame, by step * dt * rate within
 *   fake/delay    value as it was some seconds ago
 *   fake/subnet, fake/input, fake/output
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kineograph.h"

typedef struct {
  double x, y, value;
} FakeAdd;

static bool
fake_add_evaluate (FakeAdd *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->value = n->x + n->y;
  return true;
}

static const KgSlot fake_add_slots[] = {
  KG_INPUT (FakeAdd, x, NUMBER, .label = "x", .help = "x"),
  KG_INPUT (FakeAdd, y, NUMBER, .label = "y", .help = "y", .min = -1000, .max = 1000),
  KG_OUTPUT (FakeAdd, value, NUMBER, .label = "value", .help = "value"),
};

#define FAKE(name_, T, ...)                                                                                            \
  KG__THUNK (fake_##name_, T)                                                                                          \
  static const KgNodeType fake_##name_ = { .id = "fake/" #name_,                                                       \
                                           .label = #name_,                                                            \
                                           .help = "A fake.",                                                          \
                                           .version = 1,                                                               \
                                           .size = sizeof (T),                                                         \
                                           .slots = fake_##name_##_slots,                                              \
                                           .n_slots = G_N_ELEMENTS (fake_##name_##_slots),                             \
                                           .evaluate = fake_##name_##_call_evaluate,                                   \
                                           __VA_ARGS__ }

FAKE (add, FakeAdd, .since = "0.1");

/* value: a part of the fingerprint of x. */
static bool
fake_fingerprint_evaluate (FakeAdd *n, const KgContext *ctx, GError **error)
{
  (void) error;
  n->value = (double) (kg_context_get_fingerprint (ctx, offsetof (FakeAdd, x)).a >> 16);
  return true;
}

#define fake_fingerprint_slots fake_add_slots
FAKE (fingerprint, FakeAdd, .since = "0.1");

typedef struct {
  double value;
} FakeTime;

static bool
fake_time_evaluate (FakeTime *n, const KgContext *ctx, GError **error)
{
  (void) error;
  n->value = ctx->time;
  return true;
}

static const KgSlot fake_time_slots[] = { KG_OUTPUT (FakeTime, value, NUMBER, .label = "value", .help = "value") };

FAKE (time, FakeTime, .time = KG_TIME_READS);

typedef struct {
  double x;
  KgGeometry *value;
} FakeGeometry;

static bool
fake_geometry_evaluate (FakeGeometry *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  n->value = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->value, 1, error))
    return false;
  kg_geometry_edit_positions (n->value)[0] = (float) n->x;
  return true;
}

static const KgSlot fake_geometry_slots[] = {
  KG_INPUT (FakeGeometry, x, NUMBER, .label = "x", .help = "x"),
  KG_OUTPUT (FakeGeometry, value, GEOMETRY, .label = "value", .help = "value"),
};

FAKE (geometry, FakeGeometry, .since = "0.1");

typedef struct {
  KgGeometry *geometry;
  double x;
  bool in_place;
  KgGeometry *value;
} FakeShift;

static bool
fake_shift_evaluate (FakeShift *n, const KgContext *ctx, GError **error)
{
  const KgGeometry *before = n->geometry;
  float *p;

  (void) ctx;
  (void) error;
  kg_geometry_make_writable (&n->geometry);
  n->in_place = n->geometry == before;
  p = kg_geometry_edit_positions (n->geometry);
  for (size_t i = 0; i < kg_geometry_get_n_points (n->geometry); i++)
    p[3 * i] += (float) n->x;
  n->value = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot fake_shift_slots[] = {
  KG_INPUT (FakeShift, geometry, GEOMETRY, .label = "geometry", .help = "geometry"),
  KG_INPUT (FakeShift, x, NUMBER, .label = "x", .help = "x", .unit = KG_DEGREES),
  KG_OUTPUT (FakeShift, in_place, BOOLEAN, .label = "in place", .help = "in place"),
  KG_OUTPUT (FakeShift, value, GEOMETRY, .label = "value", .help = "value"),
};

FAKE (shift, FakeShift, .since = "0.1");

typedef struct {
  int64_t index;
  KgList values;
  KgValue value;
} FakeSwitch;

static bool
fake_switch_call_demand (const void *job, const KgContext *ctx, KgDemand *demand, GError **error)
{
  (void) ctx;
  (void) error;
  kg_demand_item (demand, offsetof (FakeSwitch, values), (guint) ((const FakeSwitch *) job)->index);
  return true;
}

static bool
fake_switch_evaluate (FakeSwitch *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->value = kg_value_copy (&n->values.items[0]);
  return true;
}

static const KgSlot fake_switch_slots[] = {
  KG_INPUT (FakeSwitch, index, INTEGER, .label = "index", .help = "index", .early = true),
  KG_INPUTS (FakeSwitch, values, ANY, .label = "values", .help = "values"),
  KG_OUTPUT (FakeSwitch, value, ANY, .label = "value", .help = "value", .like = "values"),
};

FAKE (switch, FakeSwitch, .demand = fake_switch_call_demand);

static bool
fake_fail_evaluate (FakeAdd *n, const KgContext *ctx, GError **error)
{
  (void) n;
  (void) ctx;
  g_set_error (error, KG_ERROR, KG_ERROR_DEGENERATE, "out of luck: try another day");
  return false;
}

static const KgSlot fake_fail_slots[] = {
  KG_INPUT (FakeAdd, x, NUMBER, .label = "x", .help = "x"),
  KG_OUTPUT (FakeAdd, value, NUMBER, .label = "value", .help = "value"),
};

FAKE (fail, FakeAdd, .since = "0.1");

static bool
fake_nan_evaluate (FakeAdd *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->value = n->x / 0.0 - n->x / 0.0;
  return true;
}

static const KgSlot fake_nan_slots[] = {
  KG_INPUT (FakeAdd, x, NUMBER, .label = "x", .help = "x"),
  KG_OUTPUT (FakeAdd, value, NUMBER, .label = "value", .help = "value"),
};

FAKE (nan, FakeAdd, .since = "0.1");

typedef struct {
  double step;
  KgGeometry *state;
  double value;
} FakeCounter;

static bool
fake_counter_call_start (void *job, const KgContext *ctx, GError **error)
{
  FakeCounter *n = (FakeCounter *) job;

  (void) ctx;
  n->state = kg_geometry_new ();
  return kg_geometry_set_n_points (n->state, 1, error);
}

static bool
fake_counter_call_advance (void *job, const KgContext *ctx, double dt, GError **error)
{
  FakeCounter *n = (FakeCounter *) job;

  (void) error;
  kg_geometry_make_writable (&n->state);
  kg_geometry_edit_positions (n->state)[0] += (float) (n->step * dt * ctx->rate);
  return true;
}

static bool
fake_counter_evaluate (FakeCounter *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->value = (double) kg_geometry_get_positions (n->state)[0];
  return true;
}

static const KgSlot fake_counter_slots[] = {
  KG_INPUT (FakeCounter, step, NUMBER, .label = "step", .help = "step", .def = 1),
  KG_STATE (FakeCounter, state, GEOMETRY),
  KG_OUTPUT (FakeCounter, value, NUMBER, .label = "value", .help = "value"),
};

FAKE (counter, FakeCounter, .start = fake_counter_call_start, .advance = fake_counter_call_advance);

typedef struct {
  double delay;
  double x;
  double value;
} FakeDelay;

static bool
fake_delay_call_demand (const void *job, const KgContext *ctx, KgDemand *demand, GError **error)
{
  const FakeDelay *n = (const FakeDelay *) job;

  (void) error;
  kg_demand_at (demand, offsetof (FakeDelay, x), ctx->time - n->delay);
  kg_demand_at (demand, offsetof (FakeDelay, x), ctx->time);
  return true;
}

/* The value then, plus a thousandth of the value now: both samples count. */
static bool
fake_delay_evaluate (FakeDelay *n, const KgContext *ctx, GError **error)
{
  (void) error;
  g_assert_cmpuint (kg_context_get_n_samples (ctx, offsetof (FakeDelay, x)), ==, 2);
  n->value = n->x + 1e-3 * kg_context_get_sample (ctx, offsetof (FakeDelay, x), 1)->number;
  return true;
}

static const KgSlot fake_delay_slots[] = {
  KG_INPUT (FakeDelay, delay, NUMBER, .label = "delay", .help = "delay", .early = true),
  KG_INPUT (FakeDelay, x, NUMBER, .label = "x", .help = "x"),
  KG_OUTPUT (FakeDelay, value, NUMBER, .label = "value", .help = "value"),
};

FAKE (delay, FakeDelay, .demand = fake_delay_call_demand);

typedef struct {
  KgValue value;
  KgValue output;
} FakePass;

static bool
fake_pass_evaluate (FakePass *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->output = kg_value_copy (&n->value);
  return true;
}

#define fake_subnet_evaluate fake_pass_evaluate
#define fake_input_evaluate fake_pass_evaluate
#define fake_output_evaluate fake_pass_evaluate

static const KgSlot fake_subnet_slots[1];

static const KgSlot fake_input_slots[] = {
  KG_INPUT (FakePass, value, ANY, .label = "value", .help = "value", .optional = true),
  KG_OUTPUT (FakePass, output, ANY, .label = "output", .help = "output"),
};

static const KgSlot fake_output_slots[] = {
  KG_INPUT (FakePass, value, ANY, .label = "value", .help = "value", .optional = true),
  KG_OUTPUT (FakePass, output, ANY, .label = "output", .help = "output"),
};

FAKE (subnet, FakePass, .n_slots = 0, .role = KG_ROLE_SUBNET);
FAKE (input, FakePass, .role = KG_ROLE_INTERFACE_INPUT);
FAKE (output, FakePass, .role = KG_ROLE_INTERFACE_OUTPUT);

static inline KgTypes *
fake_types_new (void)
{
  static const KgNodeType *const table[] = {
    &fake_add, &fake_time,    &fake_geometry, &fake_shift,  &fake_switch, &fake_fingerprint, &fake_fail,
    &fake_nan, &fake_counter, &fake_delay,    &fake_subnet, &fake_input,  &fake_output,      NULL
  };

  return kg_types_new (table);
}
