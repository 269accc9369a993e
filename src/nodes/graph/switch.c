/* graph/switch: one of several inputs; the others are not evaluated.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

#include <inttypes.h>

typedef struct {
  int64_t index;
  KgList values;
  KgValue value;
} Switch;

static bool
switch_demand (const Switch *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  const guint items = kg_demand_get_n_items (demand, offsetof (Switch, values));

  (void) ctx;
  if (n->index >= (int64_t) items) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "index %" PRId64
                  " is out of range: there are %u values, counted from 0; link more values or lower the index",
                  n->index, items);
    return false;
  }
  kg_demand_item (demand, offsetof (Switch, values), (guint) n->index);
  return true;
}

static bool
switch_evaluate (Switch *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  if (n->values.n == 0) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "the selected value is empty");
    return false;
  }
  n->value = kg_value_copy (&n->values.items[0]);
  return true;
}

static const KgSlot switch_slots[] = {
  KG_INPUT (
      Switch, index, INTEGER, .label = N_ ("Index"), .early = true, .min = 0, .max = 65535, .soft_max = 8,
      .help = N_ (
          "Index of the value that is passed on, counted from 0. Key it or give it an expression to cut between values.")),
  KG_INPUTS (Switch, values, ANY, .label = N_ ("Values"), .optional = true,
             .help = N_ ("Values to choose from. Only the selected one is evaluated.")),
  KG_OUTPUT (Switch, value, ANY, .label = N_ ("Value"), .like = "values", .help = N_ ("Selected value.")),
};

KG_NODE_WITH_DEMAND (
    graph, switch, Switch, .label = N_ ("Switch"), .version = 1, .since = "0.1", .reach = kg_reach_none,
    .tags = N_ ("choose select cut if alternative variant"),
    .help = N_ ("Passes on one of several values. Only that one is evaluated, so the others cost nothing."));
