/* value/integer: a whole number in one place.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  int64_t value;
  int64_t output;
} Integer;

static bool
integer_evaluate (Integer *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->output = n->value;
  return true;
}

static const KgSlot integer_slots[] = {
  KG_INPUT (Integer, value, INTEGER, .label = N_ ("Value"), .soft_max = 100, .help = N_ ("Value to output.")),
  KG_OUTPUT (Integer, output, INTEGER, .label = N_ ("Output"), .help = N_ ("The value, for any number of inputs.")),
};

KG_NODE (value, integer, Integer, .label = N_ ("Integer"), .version = 1, .since = "0.1", .role = KG_ROLE_CONSTANT,
         .tags = N_ ("constant count whole"),
         .help = N_ ("Holds a whole number. Set, key or compute it here once, and link it wherever it is needed."));
