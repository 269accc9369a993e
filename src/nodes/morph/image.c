/* morph/image: one picture turns into another, along pairs of lines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/line_warp.h"
#include "kg-node.h"

typedef struct {
  const KgImage *from;
  const KgImage *to;
  double amount;
  double dissolve;
  const KgGeometry *from_lines;
  const KgGeometry *to_lines;
  double a;
  double b;
  double p;
  KgImage *image;
} MorphImage;

static bool
morph_image_evaluate (MorphImage *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const int width = kg_image_get_width (n->from), height = kg_image_get_height (n->from);
  g_autoptr (GArray) from = g_array_new (FALSE, FALSE, sizeof (WarpLine));
  g_autoptr (GArray) to = g_array_new (FALSE, FALSE, sizeof (WarpLine));
  const double t = n->amount;
  /* The dissolve follows the warp unless it is set apart. */
  const WarpStyle style = { n->a, n->b, n->p, (float) kg_clamp (n->dissolve < 0 ? t : n->dissolve, 0, 1) };

  /* At its ends the morph is the picture itself, bit for bit. */
  if (t == 0 && style.share == 0) {
    n->image = kg_image_ref (n->from);
    return true;
  }
  if (t == 1 && style.share == 1 && kg_image_get_width (n->to) == width && kg_image_get_height (n->to) == height) {
    n->image = kg_image_ref (n->to);
    return true;
  }
  if ((n->from_lines == NULL) != (n->to_lines == NULL)) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "lines are linked for one picture only: link both or none");
    return false;
  }
  /* Both sets of lines in the pixels of the first picture. */
  if (n->from_lines != NULL &&
      (!line_warp_read (n->from_lines, n->from, from, error) || !line_warp_read (n->to_lines, n->from, to, error)))
    return false;
  if (from->len != to->len) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%u lines for one picture and %u for the other: they are pairs",
                  from->len, to->len);
    return false;
  }
  n->image = kg_image_new (width, height, false, error);
  return n->image != NULL && line_warp_mix (n->from, n->to, from, to, t, &style, n->image, &monitor, error);
}

#define image_evaluate morph_image_evaluate

static const KgSlot image_slots[] = {
  KG_INPUT (MorphImage, from, IMAGE, .label = N_ ("From"), .help = N_ ("The first picture; the result has its size.")),
  KG_INPUT (MorphImage, to, IMAGE, .label = N_ ("To"), .help = N_ ("The second picture.")),
  KG_INPUT (MorphImage, amount, NUMBER, .label = N_ ("Amount"), .min = 0, .max = 1,
            .help = N_ ("0 is the first picture, 1 the second.")),
  KG_INPUT (
      MorphImage, dissolve, NUMBER, .label = N_ ("Dissolve"), .def = -1, .min = -1, .max = 1,
      .help = N_ ("How much of the second picture shows, where that shall differ from the amount; -1 follows it.")),
  KG_INPUT (MorphImage, from_lines, GEOMETRY, .label = N_ ("Lines of the first"), .optional = true,
            .help = N_ ("Lines along its features. The middle of the picture is the origin, its height is 2.")),
  KG_INPUT (MorphImage, to_lines, GEOMETRY, .label = N_ ("Lines of the second"), .optional = true,
            .help = N_ ("As many lines in the same order, along the same features.")),
  KG_INPUT (MorphImage, a, NUMBER, .label = N_ ("Strictness"), .unit = KG_PIXELS, .def = 1, .min = 1e-3, .max = 1000,
            .soft_max = 20, .group = N_ ("Lines"),
            .help = N_ ("Small holds pixels on a line firmly to it; large is smoother.")),
  KG_INPUT (MorphImage, b, NUMBER, .label = N_ ("Fall-off"), .def = 2, .min = 0, .max = 10, .soft_max = 4,
            .group = N_ ("Lines"),
            .help = N_ ("How fast the pull of a line weakens with distance; 0 lets all lines pull alike.")),
  KG_INPUT (MorphImage, p, NUMBER, .label = N_ ("Length"), .def = 0, .min = 0, .max = 1, .group = N_ ("Lines"),
            .help = N_ ("1 lets long lines pull harder, 0 lets length not count.")),
  KG_OUTPUT (MorphImage, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The picture between.")),
};

KG_NODE (morph, image, MorphImage, .label = N_ ("Morph Image"), .version = 1, .since = "0.1",
         .tags = N_ ("warp dissolve beier neely transition blend face feature lines"),
         .help = N_ (
             "Turns one picture into another. With pairs of lines along matching features, eyes, mouth, outline, the "
             "features move to each other while the pictures dissolve; without lines it is a cross-dissolve."));
