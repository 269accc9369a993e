/* image/corner_pin: an image pinned to four corners.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/homography.h"

#include "image/edges.h"
#include "image/image_part.h"

typedef struct {
  IMAGE_FIELDS;
  KgVector to_1;
  KgVector to_2;
  KgVector to_3;
  KgVector to_4;
  bool other;
  KgVector from_1;
  KgVector from_2;
  KgVector from_3;
  KgVector from_4;
  bool invert;
  int filter;
  int edges;
} CornerPin;

static bool
find_pinned (const void *data, double x, double y, double *from)
{
  return homography_apply ((const double (*)[3]) data, x, y, from);
}

/* The homography of an image of this size; false where corners lie on a line. */
static bool
corner_pin_find (const CornerPin *n, int width, int height, double matrix[3][3])
{
  const KgVector pins[] = { n->to_1, n->to_2, n->to_3, n->to_4 },
                 others[] = { n->from_1, n->from_2, n->from_3, n->from_4 };
  double to[4][2], from[4][2];

  /* Counter-clockwise from the bottom left, measured from the centre and up. */
  for (int k = 0; k < 4; k++) {
    const double right = k == 1 || k == 2 ? width : 0, down = k < 2 ? height : 0;

    to[k][0] = 0.5 * width + pins[k].x;
    to[k][1] = 0.5 * height - pins[k].y;
    from[k][0] = n->other ? 0.5 * width + others[k].x : right;
    from[k][1] = n->other ? 0.5 * height - others[k].y : down;
  }
  return homography_find (n->invert ? (const double (*)[2]) from : (const double (*)[2]) to,
                          n->invert ? (const double (*)[2]) to : (const double (*)[2]) from, matrix);
}

static bool
corner_pin_region (const void *job, const KgContext *ctx, size_t field, KgImagePart *needed)
{
  const CornerPin *n = (const CornerPin *) job;
  double matrix[3][3];
  const ImageWarp warp = { find_pinned, matrix, NULL, n->filter, n->edges };

  (void) field;
  return corner_pin_find (n, needed->width, needed->height, matrix) && image_warp_find_part (&warp, ctx, needed);
}

static bool
corner_pin_evaluate (CornerPin *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const ImageParts parts = image_parts_of (ctx, offsetof (CornerPin, image), n->image);
  double matrix[3][3];
  const ImageWarp warp = { find_pinned, matrix, NULL, n->filter, n->edges };

  if (!corner_pin_find (n, parts.in.width, parts.in.height, matrix)) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "three of the corners lie on a line: move one of them");
    return false;
  }
  return image_warp_apply (&warp, &parts, n->image, &wear, &n->result, &monitor, error);
}

/* The corners of an image of 640 × 360 pixels, the size that generators start with. */
#define CORNER(name_, label_, x_, y_, ...)                                                                             \
  KG_INPUT (CornerPin, name_, VECTOR, .label = label_, .unit = KG_PIXELS, .def_v = { x_, y_, 0 }, .min = -1e6,         \
            .max = 1e6, .soft_min = -1000, .soft_max = 1000, .handle = { .kind = KG_HANDLE_NONE }, __VA_ARGS__)

static const KgSlot corner_pin_slots[] = {
  IMAGE_INPUT (CornerPin, N_ ("The image to pin.")),
  CORNER (
      to_1, N_ ("Bottom Left"), -320, -180,
      .help = N_ (
          "Where the corner goes, to the right and up from the centre. The preset values leave an image of 640 × 360 pixels as it is.")),
  CORNER (
      to_2, N_ ("Bottom Right"), 320, -180,
      .help = N_ (
          "Where the corner goes, to the right and up from the centre. The preset values leave an image of 640 × 360 pixels as it is.")),
  CORNER (
      to_3, N_ ("Top Right"), 320, 180,
      .help = N_ (
          "Where the corner goes, to the right and up from the centre. The preset values leave an image of 640 × 360 pixels as it is.")),
  CORNER (
      to_4, N_ ("Top Left"), -320, 180,
      .help = N_ (
          "Where the corner goes, to the right and up from the centre. The preset values leave an image of 640 × 360 pixels as it is.")),
  KG_INPUT (CornerPin, other, BOOLEAN, .label = N_ ("Own Starting Points"), .group = N_ ("From"),
            .help = N_ ("Pins four points of the image instead of its corners.")),
  CORNER (
      from_1, N_ ("From Bottom Left"), -320, -180, .group = N_ ("From"), .shown_when = "other=true",
      .help = N_ (
          "The point of the image that is pinned, to the right and up from the centre. The preset values are the corners of an image of 640 × 360 pixels.")),
  CORNER (
      from_2, N_ ("From Bottom Right"), 320, -180, .group = N_ ("From"), .shown_when = "other=true",
      .help = N_ (
          "The point of the image that is pinned, to the right and up from the centre. The preset values are the corners of an image of 640 × 360 pixels.")),
  CORNER (
      from_3, N_ ("From Top Right"), 320, 180, .group = N_ ("From"), .shown_when = "other=true",
      .help = N_ (
          "The point of the image that is pinned, to the right and up from the centre. The preset values are the corners of an image of 640 × 360 pixels.")),
  CORNER (
      from_4, N_ ("From Top Left"), -320, 180, .group = N_ ("From"), .shown_when = "other=true",
      .help = N_ (
          "The point of the image that is pinned, to the right and up from the centre. The preset values are the corners of an image of 640 × 360 pixels.")),
  KG_INPUT (CornerPin, invert, BOOLEAN, .label = N_ ("Invert"),
            .help = N_ ("Moves the pinned corners back to their original positions: unwarps a screen.")),
  KG_INPUT (CornerPin, filter, CHOICE, .label = N_ ("Filter"), .choices = image_filters, .def = RESAMPLE_BICUBIC,
            .help = N_ ("How values between pixels are interpolated.")),
  KG_INPUT (CornerPin, edges, CHOICE, .label = N_ ("Edges"), .choices = image_edges,
            .help = N_ ("What is shown outside the image.")),
  IMAGE_WEAR (CornerPin, N_ ("The pinned image, as large as before.")),
};

KG_NODE (
    image, corner_pin, CornerPin, .label = N_ ("Corner Pin"), .version = 1, .since = "0.1", .region = corner_pin_region,
    .tags = N_ (
        "corner pin cornerpin perspective homography projective screen replacement insert quad four points card3d distort warp"),
    .source = "Heckbert, Fundamentals of Texture Mapping and Image Warping, 1989",
    .help = N_ (
        "Moves the corners of an image to four positions and the image with them, in perspective, like a poster on a wall."));
