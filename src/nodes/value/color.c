/* value/color: a colour in one place.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgColor value;
  KgColor output;
} ValueColor;

static bool
color_evaluate (ValueColor *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->output = n->value;
  return true;
}

static const KgSlot color_slots[] = {
  KG_INPUT (ValueColor, value, COLOR, .label = N_ ("Value"), .def_v = { 1, 1, 1, 1 }, .help = N_ ("Value to output.")),
  KG_OUTPUT (ValueColor, output, COLOR, .label = N_ ("Output"), .help = N_ ("The value, for any number of inputs.")),
};

KG_NODE (value, color, ValueColor, .label = N_ ("Colour"), .version = 1, .since = "0.1", .role = KG_ROLE_CONSTANT,
         .tags = N_ ("constant rgb palette"),
         .help = N_ ("Holds a colour. Set or key it here once, and link it wherever it is needed."));
