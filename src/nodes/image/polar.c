/* image/polar: rows bent into circles, and circles unrolled.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/edges.h"
#include "image/image_part.h"

typedef struct {
  IMAGE_FIELDS;
  int direction;
  KgVector centre;
  double radius;
  double start;
  bool logarithmic;
  int filter;
} Polar;

enum { DIRECTION_BEND, DIRECTION_UNROLL, N_DIRECTIONS };

static const KgChoice polar_directions[] = {
  [DIRECTION_BEND] = { "bend", N_ ("Bend: rows become circles") },
  [DIRECTION_UNROLL] = { "unroll", N_ ("Unroll: circles become rows") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (polar_directions, N_DIRECTIONS);

typedef struct {
  double width, height, centre[2], radius, start, aspect;
  bool logarithmic;
} Circle;

/* The bottom row is the centre, the top one the circle of the radius; left to right is clockwise from the start. */
static bool
find_bent (const void *data, double x, double y, double *from)
{
  const Circle *p = (const Circle *) data;
  const double u = p->aspect * (x - p->centre[0]), v = p->centre[1] - y, r = hypot (u, v);
  const double turn = (p->start - atan2 (v, u)) / (2 * KG_PI);
  const double out = p->logarithmic ? log1p (r) / log1p (p->radius) : r / p->radius;

  from[0] = p->width * (turn - floor (turn));
  from[1] = p->height * (1 - out);
  return out <= 1;
}

static bool
find_unrolled (const void *data, double x, double y, double *from)
{
  const Circle *p = (const Circle *) data;
  const double out = 1 - y / p->height, angle = p->start - 2 * KG_PI * x / p->width;
  const double r = p->logarithmic ? expm1 (out * log1p (p->radius)) : out * p->radius;

  from[0] = p->centre[0] + r * cos (angle) / p->aspect;
  from[1] = p->centre[1] - r * sin (angle);
  return true;
}

/* Of an image of this size. */
static Circle
polar_get_circle (const Polar *n, int width, int height, double aspect)
{
  return (Circle){ .width = width,
                   .height = height,
                   .centre = { 0.5 * width + n->centre.x, 0.5 * height - n->centre.y },
                   .radius = n->radius > 0 ? n->radius : 0.5 * fmin (width * aspect, height),
                   .start = n->start,
                   .aspect = aspect,
                   .logarithmic = n->logarithmic };
}

static ImageWarp
polar_get_warp (const Polar *n, const Circle *circle)
{
  const bool bend = n->direction == DIRECTION_BEND;

  return (ImageWarp){ bend ? find_bent : find_unrolled, circle, NULL, n->filter,
                      bend ? RESAMPLE_REPEAT : RESAMPLE_TRANSPARENT };
}

static bool
polar_region (const void *job, const KgContext *ctx, size_t field, KgImagePart *needed)
{
  const Polar *n = (const Polar *) job;
  const Circle circle = polar_get_circle (n, needed->width, needed->height, 1);
  const ImageWarp warp = polar_get_warp (n, &circle);

  (void) field;
  return image_warp_find_part (&warp, ctx, needed);
}

static bool
polar_evaluate (Polar *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const ImageParts parts = image_parts_of (ctx, offsetof (Polar, image), n->image);
  const Circle circle = polar_get_circle (n, parts.in.width, parts.in.height, kg_image_get_pixel_aspect (n->image));
  const ImageWarp warp = polar_get_warp (n, &circle);

  return !image_parts_refuse (ctx, n->image) &&
         image_warp_apply (&warp, &parts, n->image, &wear, &n->result, &monitor, error);
}

static const KgSlot polar_slots[] = {
  IMAGE_INPUT (Polar, N_ ("The image to bend.")),
  KG_INPUT (Polar, direction, CHOICE, .label = N_ ("Direction"), .choices = polar_directions,
            .help = N_ ("What becomes what.")),
  KG_INPUT (Polar, centre, VECTOR, .label = N_ ("Centre"), .unit = KG_PIXELS, .min = -1e6, .max = 1e6,
            .soft_min = -1000, .soft_max = 1000, .handle = { .kind = KG_HANDLE_NONE },
            .help = N_ ("Centre of the circles, to the right and up from that of the image.")),
  KG_INPUT (Polar, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_PIXELS, .max = 1e6, .soft_max = 1000,
            .help = N_ ("Radius of the circle that the top row becomes. 0: the largest that fits.")),
  KG_INPUT (
      Polar, start, NUMBER, .label = N_ ("Start"), .unit = KG_DEGREES, .def = 90, .soft_min = -180, .soft_max = 180,
      .help = N_ ("Direction of the left edge, counter-clockwise from the right; from there the rows run clockwise.")),
  KG_INPUT (Polar, logarithmic, BOOLEAN, .label = N_ ("Logarithmic"),
            .help = N_ ("Rows grow with the distance, so that small squares stay squares.")),
  KG_INPUT (Polar, filter, CHOICE, .label = N_ ("Filter"), .choices = image_filters, .def = RESAMPLE_BILINEAR,
            .help = N_ ("How values between pixels are interpolated.")),
  IMAGE_WEAR (Polar, N_ ("The bent image, as large as before.")),
};

KG_NODE (
    image, polar, Polar, .label = N_ ("Polar Coordinates"), .version = 1, .since = "0.1", .region = polar_region,
    .tags = N_ ("polar coordinates rectangular circle wrap unwrap tiny planet little tunnel bend unroll log-polar"),
    .help =
        N_ ("Bends the rows of an image into circles, the bottom row to the centre, or unrolls circles into rows."));
