/* image/wire_remove: a stroke filled from both of its sides.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/plate.h"

#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  const KgTable *points;
  double width;
} WireRemove;

static bool
wire_remove_evaluate (WireRemove *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const size_t count = kg_table_get_n_rows (n->points);
  const double proxy = kg_context_get_proxy (ctx);
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  g_autofree double (*points)[2] = (double (*)[2]) g_new (double, 2 * count + 2);

  size_t filled;

  (void) error;
  IMAGE_BEGIN (n);
  for (size_t i = 0; i < count; i++) {
    points[i][0] = 0.5 * kg_image_get_width (before) + proxy * kg_table_get_row (n->points, i)[0];
    points[i][1] = 0.5 * kg_image_get_height (before) - proxy * kg_table_get_row (n->points, i)[1];
  }
  if (!plate_fill_stroke (&n->result, (const double (*)[2]) points, (guint) count, n->width, &filled, &monitor))
    return false;
  if (count < 2)
    kg_context_warn (ctx, "the number of points is %zu, too few for a line: nothing is removed; give at least two",
                     count);
  else if (filled == 0)
    kg_context_warn (
        ctx,
        "a stroke with a width of %g pixels covers no pixel of the image: nothing is removed; widen it, or move its points apart and into the image",
        n->width);
  return image_wear (before, &wear, &n->result, &monitor);
}

static const KgSlot wire_remove_slots[] = {
  IMAGE_INPUT (WireRemove, N_ ("The image with the wire.")),
  KG_INPUT (WireRemove, points, TABLE, .columns = kg_table_points, .label = N_ ("Points"), .def_text = "0 -100\n0 100",
            .handle = { .kind = KG_HANDLE_NONE },
            .help = N_ (
                "The line along the wire, in pixels to the right and up from the centre of the image. Each cell can be "
                "keyed.")),
  KG_INPUT (WireRemove, width, NUMBER, .label = N_ ("Width"), .unit = KG_PIXELS, .def = 5, .max = 1e5, .soft_max = 50,
            .help = N_ ("Width of the stroke that is filled: a little more than that of the wire.")),
  IMAGE_WEAR (WireRemove, N_ ("The image without the wire.")),
};

KG_NODE (image, wire_remove, WireRemove, .label = N_ ("Remove Wire"), .version = 1, .since = "0.1",
         .tags = N_ ("paint out rig scratch line string inpaint clean interpolate picture"),
         .formula = "c = (1 − t)·left + t·right, t across the stroke",
         .help = N_ (
             "Removes a wire, string or scratch: each pixel of a stroke is interpolated between the pixels on its two "
             "sides."));
