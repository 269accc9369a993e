/* value/text: a text in one place.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  const char *value;
  const char *output;
} ValueText;

static bool
text_evaluate (ValueText *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->output = n->value;
  return true;
}

static const KgSlot text_slots[] = {
  KG_INPUT (ValueText, value, TEXT, .label = N_ ("Value"), .multiline = true, .help = N_ ("Value to output.")),
  KG_OUTPUT (ValueText, output, TEXT, .label = N_ ("Output"), .help = N_ ("The text, for any number of inputs.")),
};

KG_NODE (value, text, ValueText, .label = N_ ("Text Value"), .version = 1, .since = "0.1", .role = KG_ROLE_CONSTANT,
         .tags = N_ ("constant string words"),
         .help = N_ ("Holds a text. Type it here once, and link it wherever it is needed."));
