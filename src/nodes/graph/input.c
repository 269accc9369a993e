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
            .help = N_ ("What the input of the sub-graph accepts.")),
  KG_INPUT (Input, label, TEXT, .label = N_ ("Label"), .fixed = true, .remark = true,
            .help = N_ ("What people read beside the input. Its name is the name of this node.")),
  KG_INPUT (Input, help, TEXT, .label = N_ ("Help"), .fixed = true, .remark = true,
            .help = N_ ("What the input is for, in a sentence.")),
  KG_INPUT (Input, value, ANY, .label = N_ ("Default"), .optional = true, .like = NULL,
            .help = N_ ("What comes in as long as nothing is set or linked outside.")),
  KG_OUTPUT (Input, output, ANY, .label = N_ ("Output"), .like = "value",
             .help = N_ ("What comes into the sub-graph.")),
};

KG_NODE (graph, input, Input, .label = N_ ("Graph Input"), .version = 1, .since = "0.1",
         .role = KG_ROLE_INTERFACE_INPUT, .tags = N_ ("interface parameter subnet argument"),
         .help = N_ ("An input of the sub-graph it is in. Its name becomes the name of the input. Outside of a "
                     "sub-graph it just gives its default."));
