/* graph/note: words on the canvas.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  const char *text;
  double width;
  double height;
} Note;

static bool
note_evaluate (Note *n, const KgContext *ctx, GError **error)
{
  (void) n;
  (void) ctx;
  (void) error;
  return true;
}

static const KgSlot note_slots[] = {
  KG_INPUT (Note, text, TEXT, .label = N_ ("Text"), .fixed = true, .multiline = true, .help = N_ ("Text of the note.")),
  KG_INPUT (Note, width, NUMBER, .label = N_ ("Width"), .fixed = true, .unit = KG_PIXELS, .def = 240, .min = 20,
            .max = 100000, .soft_max = 800, .help = N_ ("Width on the canvas.")),
  KG_INPUT (Note, height, NUMBER, .label = N_ ("Height"), .fixed = true, .unit = KG_PIXELS, .def = 120, .min = 20,
            .max = 100000, .soft_max = 800, .help = N_ ("Height on the canvas.")),
};

KG_NODE (graph, note, Note, .label = N_ ("Note"), .version = 1, .since = "0.1", .role = KG_ROLE_ANNOTATION,
         .tags = N_ ("comment sticky text backdrop documentation"),
         .help = N_ ("Shows text on the canvas. It has no outputs and is never evaluated."));
