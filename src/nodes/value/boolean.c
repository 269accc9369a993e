/* value/boolean: a yes or no in one place.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  bool value;
  bool output;
} Boolean;

static bool
boolean_evaluate (Boolean *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->output = n->value;
  return true;
}

static const KgSlot boolean_slots[] = {
  KG_INPUT (Boolean, value, BOOLEAN, .label = N_ ("Value"), .help = N_ ("Value to output.")),
  KG_OUTPUT (Boolean, output, BOOLEAN, .label = N_ ("Output"), .help = N_ ("The value, for any number of inputs.")),
};

KG_NODE (value, boolean, Boolean, .label = N_ ("Yes or No"), .version = 1, .since = "0.1", .role = KG_ROLE_CONSTANT,
         .tags = N_ ("constant toggle switch bool"),
         .help = N_ ("Holds a yes or no. Set or key it here once, and link it wherever it is needed."));
