/* value/vector: a vector in one place.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgVector value;
  KgVector output;
} Vector;

static bool
vector_evaluate (Vector *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->output = n->value;
  return true;
}

static const KgSlot vector_slots[] = {
  KG_INPUT (Vector, value, VECTOR, .label = N_ ("Value"), .help = N_ ("Value to output.")),
  KG_OUTPUT (Vector, output, VECTOR, .label = N_ ("Output"), .help = N_ ("The value, for any number of inputs.")),
};

KG_NODE (
    value, vector, Vector, .label = N_ ("Vector"), .version = 1, .since = "0.1", .role = KG_ROLE_CONSTANT,
    .tags = N_ ("constant position direction xyz point locator"),
    .help = N_ (
        "Holds three numbers: a position, a direction, a size. Set, key or compute them here once, and link them wherever they are needed."));
