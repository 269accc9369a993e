/* image/blur: an image out of focus, in motion, or through a Gaussian.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/blur.h"

#include "image/edges.h"
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  int kind;
  KgVector size;
  double radius;
  int64_t blades;
  double aperture_rotation;
  double aspect;
  double length;
  double direction;
  double angle;
  double zoom;
  KgVector centre;
  int edges;
} Blur;

enum { KIND_GAUSSIAN, KIND_BOX, KIND_DEFOCUS, KIND_DIRECTIONAL, KIND_RADIAL, KIND_ZOOM, N_KINDS };

static const KgChoice blur_kinds[] = {
  [KIND_GAUSSIAN] = { "gaussian", N_ ("Gaussian") },
  [KIND_BOX] = { "box", N_ ("Box: the mean of a rectangle") },
  [KIND_DEFOCUS] = { "defocus", N_ ("Defocus: the shape of an aperture") },
  [KIND_DIRECTIONAL] = { "directional", N_ ("Directional: along a line") },
  [KIND_RADIAL] = { "radial", N_ ("Radial: spinning about a centre") },
  [KIND_ZOOM] = { "zoom", N_ ("Zoom: towards a centre") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (blur_kinds, N_KINDS);

static bool
blur_evaluate (Blur *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const double size[2] = { n->size.x, n->size.y };
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  const int width = kg_image_get_width (before), height = kg_image_get_height (before);
  const ResampleEdges edges = (ResampleEdges) n->edges;
  const BlurAperture aperture = { n->radius, n->aspect, (int) n->blades, n->aperture_rotation };
  const BlurMotion motion = { n->kind == KIND_DIRECTIONAL ? BLUR_STRAIGHT
                              : n->kind == KIND_RADIAL    ? BLUR_TURN
                                                          : BLUR_ZOOM,
                              n->kind == KIND_DIRECTIONAL ? n->length
                              : n->kind == KIND_RADIAL    ? n->angle
                                                          : log (fmax (n->zoom, 1e-3)),
                              n->direction,
                              { 0.5 * width + n->centre.x, 0.5 * height - n->centre.y } };
  float *pixels;
  bool done;

  (void) error;
  IMAGE_BEGIN (n);
  kg_image_make_writable (&n->result);
  pixels = kg_image_edit_pixels (n->result);
  if (n->kind == KIND_GAUSSIAN)
    done = blur_gaussian (pixels, width, height, size, edges, &monitor);
  else if (n->kind == KIND_BOX)
    done = blur_box (pixels, width, height, size, edges, &monitor);
  else if (n->kind == KIND_DEFOCUS)
    done = blur_aperture (pixels, width, height, &aperture, edges, &monitor);
  else
    done = blur_motion (pixels, width, height, &motion, edges, &monitor);
  return done && image_wear (before, &wear, &n->result, &monitor);
}

/* What spins or zooms about a centre, and what goes on at the opposite edge, depends on where it is in the image. */
static double
blur_reach (const void *job)
{
  const Blur *n = (const Blur *) job;

  if (n->edges == RESAMPLE_REPEAT)
    return -1;
  switch (n->kind) {
  case KIND_GAUSSIAN:
    return blur_gaussian_reach (fmax (n->size.x, n->size.y));
  case KIND_BOX:
    return fmax (n->size.x, n->size.y) + 2;
  case KIND_DEFOCUS:
    return n->radius * fmax (n->aspect, 1 / n->aspect) + 2;
  case KIND_DIRECTIONAL:
    return 0.5 * n->length + 2;
  default:
    return -1;
  }
}

static const KgSlot blur_slots[] = {
  IMAGE_INPUT (Blur, N_ ("The image to blur.")),
  KG_INPUT (Blur, kind, CHOICE, .label = N_ ("Kind"), .choices = blur_kinds, .help = N_ ("How the image is blurred.")),
  KG_INPUT (
      Blur, size, VECTOR, .label = N_ ("Size"), .unit = KG_PIXELS, .def_v = { 5, 5, 0 }, .max = 1e6, .soft_max = 100,
      .shown_when = "kind=gaussian|box", .handle = { .kind = KG_HANDLE_NONE },
      .help = N_ ("Across and down: the standard deviation of a Gaussian, half the width and height of a box. Large "
                  "sizes take no longer than small ones.")),
  KG_INPUT (Blur, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_PIXELS, .def = 12, .max = 1e6, .soft_max = 100,
            .shown_when = "kind=defocus", .help = N_ ("Radius of the disc that a point of light becomes.")),
  KG_INPUT (Blur, blades, INTEGER, .label = N_ ("Blades"), .def = 6, .max = 64, .soft_max = 12,
            .shown_when = "kind=defocus",
            .help = N_ ("Number of blades of the aperture: a point of light becomes a shape with as many corners. "
                        "Below 3 it becomes a disc.")),
  KG_INPUT (Blur, aperture_rotation, NUMBER, .label = N_ ("Aperture Rotation"), .unit = KG_DEGREES, .soft_min = -180,
            .soft_max = 180, .shown_when = "kind=defocus", .help = N_ ("Rotation of the aperture, counter-clockwise.")),
  KG_INPUT (Blur, aspect, NUMBER, .label = N_ ("Aperture Aspect"), .def = 1, .min = 0.01, .max = 100, .soft_min = 0.5,
            .soft_max = 2, .shown_when = "kind=defocus",
            .help = N_ ("Width of the aperture over its height. Anamorphic lenses have 0.5.")),
  KG_INPUT (Blur, length, NUMBER, .label = N_ ("Length"), .unit = KG_PIXELS, .def = 30, .max = 1e6, .soft_max = 300,
            .shown_when = "kind=directional",
            .help = N_ ("Length of the line that a point becomes, with the point in the middle.")),
  KG_INPUT (Blur, direction, NUMBER, .label = N_ ("Direction"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .shown_when = "kind=directional", .help = N_ ("Direction of the line, counter-clockwise from the right.")),
  KG_INPUT (Blur, angle, NUMBER, .label = N_ ("Angle"), .unit = KG_DEGREES, .def = 10, .min = -36000, .max = 36000,
            .soft_min = 0, .soft_max = 90, .shown_when = "kind=radial",
            .help = N_ ("Angle of the arc that a point becomes, with the point in the middle.")),
  KG_INPUT (Blur, zoom, NUMBER, .label = N_ ("Zoom"), .def = 1.1, .min = 0.01, .max = 100, .soft_min = 1, .soft_max = 2,
            .shown_when = "kind=zoom", .help = N_ ("Ratio of the largest to the smallest size in the blur. 1: none.")),
  KG_INPUT (Blur, centre, VECTOR, .label = N_ ("Centre"), .unit = KG_PIXELS, .min = -1e6, .max = 1e6, .soft_min = -1000,
            .soft_max = 1000, .shown_when = "kind=radial|zoom", .handle = { .kind = KG_HANDLE_NONE },
            .help = N_ ("The point that stays sharp, to the right and up from the centre of the image.")),
  KG_INPUT (Blur, edges, CHOICE, .label = N_ ("Edges"), .choices = image_edges, .def = RESAMPLE_EXTEND,
            .help = N_ ("What is assumed outside the image.")),
  IMAGE_WEAR (Blur, N_ ("The blurred image.")),
};

KG_NODE (
    image, blur, Blur, .label = N_ ("Blur"), .version = 1, .since = "0.1", .reach = blur_reach,
    .tags = N_ (
        "blur dirblur godrays zdefocus gaussian box directional radial zoom defocus bokeh iris aperture lens soften motion spin god rays smooth"),
    .source = "Unser, Splines, 1999; Crow, Summed-Area Tables, 1984",
    .help = N_ ("Blurs an image: with a Gaussian or a box, as if out of focus, along a line, around a "
                "centre or towards it. Sums of light are kept exactly (except for zooms), and the time "
                "hardly depends on the size of the blur. Alpha is blurred too, so that cut-out figures get "
                "soft edges."));
