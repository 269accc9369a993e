/* value/compose: a vector from three numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  double x;
  double y;
  double z;
  KgVector vector;
} Compose;

static bool
compose_evaluate (Compose *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->vector = kg_vector (n->x, n->y, n->z);
  return true;
}

static const KgSlot compose_slots[] = {
  KG_INPUT (Compose, x, NUMBER, .label = N_ ("x"), .help = N_ ("The first number.")),
  KG_INPUT (Compose, y, NUMBER, .label = N_ ("y"), .help = N_ ("The second number.")),
  KG_INPUT (Compose, z, NUMBER, .label = N_ ("z"), .help = N_ ("The third number.")),
  KG_OUTPUT (Compose, vector, VECTOR, .label = N_ ("Vector"), .help = N_ ("The three as one.")),
};

KG_NODE (value, compose, Compose, .label = N_ ("Compose Vector"), .version = 1, .since = "0.1",
         .tags = N_ ("xyz combine join pack"),
         .help = N_ ("Puts three numbers together to a vector, so that each may come from elsewhere."));
