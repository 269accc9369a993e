/* graph/input: stands inside a sub-graph for one of its inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "graph/interface_kinds.h"

typedef struct {
  int kind;
  const char *label;
  const char *help;
  KgValue value;
  KgValue output;
} Input;

static bool
input_evaluate (Input *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->output = kg_value_copy (&n->value);
  return true;
}

static const KgSlot input_slots[] = {
  KG_INPUT (Input, kind, CHOICE, .label = N_ ("Kind"), .fixed = true, .choices = interface_kinds,
            .help = N_ ("Type of value that the input of the sub-graph accepts.")),
  KG_INPUT (Input, label, TEXT, .label = N_ ("Label"), .fixed = true, .remark = true,
            .help = N_ ("Text shown beside the input. The name of the input is the name of this node.")),
  KG_INPUT (Input, help, TEXT, .label = N_ ("Help"), .fixed = true, .remark = true,
            .help = N_ ("Purpose of the input, in one sentence.")),
  KG_INPUT (Input, value, ANY, .label = N_ ("Default"), .optional = true, .like = NULL,
            .help = N_ ("Value used while nothing is set or linked outside.")),
  KG_OUTPUT (Input, output, ANY, .label = N_ ("Output"), .like = "value",
             .help = N_ ("Value that comes into the sub-graph.")),
};

KG_NODE (
    graph, input, Input, .label = N_ ("Graph Input"), .version = 1, .since = "0.1", .role = KG_ROLE_INTERFACE_INPUT,
    .tags = N_ ("interface parameter subnet argument"),
    .help = N_ (
        "Adds an input to the sub-graph that contains this node, under the name of the node. Outside a sub-graph it just outputs its default."));
