/* value/number: a number in one place.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  double value;
  double output;
} Number;

static bool
number_evaluate (Number *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->output = n->value;
  return true;
}

static const KgSlot number_slots[] = {
  KG_INPUT (Number, value, NUMBER, .label = N_ ("Value"), .soft_max = 10, .help = N_ ("Value to output.")),
  KG_OUTPUT (Number, output, NUMBER, .label = N_ ("Output"), .help = N_ ("The value, for any number of inputs.")),
};

KG_NODE (value, number, Number, .label = N_ ("Number"), .version = 1, .since = "0.1", .role = KG_ROLE_CONSTANT,
         .tags = N_ ("constant float slider control"),
         .help = N_ ("Holds a number. Set, key or compute it here once, and link it wherever it is needed."));
