/* graph/reroute: a bend in a link.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgValue value;
  KgValue output;
} Reroute;

static bool
reroute_evaluate (Reroute *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->output = kg_value_copy (&n->value);
  return true;
}

static const KgSlot reroute_slots[] = {
  KG_INPUT (Reroute, value, ANY, .label = N_ ("Value"), .help = N_ ("Value to pass on.")),
  KG_OUTPUT (Reroute, output, ANY, .label = N_ ("Value"), .like = "value", .help = N_ ("The same value.")),
};

KG_NODE (graph, reroute, Reroute, .label = N_ ("Reroute"), .version = 1, .since = "0.1", .role = KG_ROLE_REROUTE,
         .tags = N_ ("dot bend elbow pass through wire"),
         .help = N_ ("Passes a value on unchanged: a dot on the canvas that leads a link around other nodes, or "
                     "one place from which several nodes read."));
