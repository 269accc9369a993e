/* graph/output: stands inside a sub-graph for one of its outputs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "graph/interface_kinds.h"

typedef struct {
  int kind;
  const char *label;
  const char *help;
  KgValue value;
  KgValue output;
} Output;

static bool
output_evaluate (Output *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->output = kg_value_copy (&n->value);
  return true;
}

static const KgSlot output_slots[] = {
  KG_INPUT (Output, value, ANY, .label = N_ ("Value"), .optional = true,
            .help = N_ ("Value that leaves the sub-graph here.")),
  KG_INPUT (Output, kind, CHOICE, .label = N_ ("Kind"), .fixed = true, .choices = interface_kinds,
            .help = N_ ("Type of value that the output of the sub-graph carries.")),
  KG_INPUT (Output, label, TEXT, .label = N_ ("Label"), .fixed = true, .remark = true,
            .help = N_ ("Text shown beside the output. The name of the output is the name of this node.")),
  KG_INPUT (Output, help, TEXT, .label = N_ ("Help"), .fixed = true, .remark = true,
            .help = N_ ("Meaning of the output, in one sentence.")),
  KG_OUTPUT (Output, output, ANY, .label = N_ ("Output"), .like = "value",
             .help = N_ ("The same value, for viewing it from inside.")),
};

KG_NODE (graph, output, Output, .label = N_ ("Graph Output"), .version = 1, .since = "0.1",
         .role = KG_ROLE_INTERFACE_OUTPUT, .tags = N_ ("interface result subnet return"),
         .help = N_ ("Adds an output to the sub-graph that contains this node, under the name of the node."));
