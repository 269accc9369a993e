/* value/decompose: the three numbers of a vector.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgVector vector;
  double x;
  double y;
  double z;
  double length;
} Decompose;

static bool
decompose_evaluate (Decompose *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->x = n->vector.x;
  n->y = n->vector.y;
  n->z = n->vector.z;
  n->length = hypot (hypot (n->x, n->y), n->z);
  return true;
}

static const KgSlot decompose_slots[] = {
  KG_INPUT (Decompose, vector, VECTOR, .label = N_ ("Vector"), .help = N_ ("Value to decompose.")),
  KG_OUTPUT (Decompose, x, NUMBER, .label = N_ ("x"), .help = N_ ("First number.")),
  KG_OUTPUT (Decompose, y, NUMBER, .label = N_ ("y"), .help = N_ ("Second number.")),
  KG_OUTPUT (Decompose, z, NUMBER, .label = N_ ("z"), .help = N_ ("Third number.")),
  KG_OUTPUT (Decompose, length, NUMBER, .label = N_ ("Length"), .help = N_ ("Length of the vector.")),
};

KG_NODE (value, decompose, Decompose, .label = N_ ("Decompose Vector"), .version = 1, .since = "0.1",
         .tags = N_ ("xyz split separate components unpack length"),
         .help = N_ ("Splits a vector into its numbers and its length."));
