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
  KG_INPUT (Compose, x, NUMBER, .label = N_ ("x"), .help = N_ ("First number.")),
  KG_INPUT (Compose, y, NUMBER, .label = N_ ("y"), .help = N_ ("Second number.")),
  KG_INPUT (Compose, z, NUMBER, .label = N_ ("z"), .help = N_ ("Third number.")),
  KG_OUTPUT (Compose, vector, VECTOR, .label = N_ ("Vector"), .help = N_ ("The three numbers as a vector.")),
};

KG_NODE (value, compose, Compose, .label = N_ ("Compose Vector"), .version = 1, .since = "0.1",
         .tags = N_ ("xyz combine join pack"),
         .help = N_ ("Combines three numbers into a vector, so that each can come from a different node."));
