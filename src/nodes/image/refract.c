/* image/refract: an image seen through glass whose surface another image describes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/edges.h"
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  const KgImage *normals;
  bool halved;
  KgRotation view;
  double index;
  double distance;
  double dispersion;
  int filter;
  int edges;
} Refract;

typedef struct {
  const KgImage *normals;
  double dx, dy; /* where the left upper corner of the normals is */
  bool halved;
  KgRotation view;
  double index, distance;
} Glass;

/* Where the ray through the pixel meets the image behind the glass, for the direction (0, 0, -1) that the camera looks in; n points
 * at the camera. */
static void
bend (KgVector n, double index, double distance, double *right, double *up)
{
  const double c = fmax (n.z, 0), under = 1 - (1 - c * c) / (index * index);
  /* Beyond the critical angle nothing comes through: as at that angle. */
  const double k = c / index - sqrt (fmax (under, 0));
  const double x = k * n.x, y = k * n.y, z = k * n.z - 1 / index;

  *right = distance * x / fmax (-z, 1e-3);
  *up = distance * y / fmax (-z, 1e-3);
}

static bool
find_refracted (const void *data, double x, double y, double *from)
{
  const Glass *glass = (const Glass *) data;
  float rgba[4];
  double right = 0, up = 0;

  kg_image_sample (glass->normals, x - glass->dx, y - glass->dy, rgba);
  if (rgba[3] > 0) {
    const double a = (double) rgba[3];
    const KgVector stored = kg_vector ((double) rgba[0] / a, (double) rgba[1] / a, (double) rgba[2] / a);
    const KgVector n = glass->halved ? kg_vector (2 * stored.x - 1, 2 * stored.y - 1, 2 * stored.z - 1) : stored;

    bend (kg_rotation_apply (glass->view, kg_vector_normalize_or (n, kg_vector (0, 0, 1))), glass->index,
          glass->distance, &right, &up);
  }
  from[0] = x + right;
  from[1] = y - up;
  return true;
}

static bool
refract_evaluate (Refract *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  const int width = kg_image_get_width (before), height = kg_image_get_height (before);
  const size_t count = (size_t) width * (size_t) height;
  const ResampleSource source = { kg_image_get_pixels (before), width, height, (ResampleFilter) n->filter,
                                  (ResampleEdges) n->edges };
  const ImageSource at = image_source (n->normals, before, 0, 0);
  Glass glass = { .normals = n->normals,
                  .dx = at.dx,
                  .dy = at.dy,
                  .halved = n->halved,
                  .view = kg_rotation_conjugate (n->view),
                  .index = n->index,
                  .distance = n->distance };
  const int passes = n->dispersion > 0 ? 3 : 1;
  float *pixels, *own = NULL;

  IMAGE_BEGIN (n);
  kg_image_make_writable (&n->result);
  pixels = kg_image_edit_pixels (n->result);
  if (passes > 1) {
    own = (float *) kg_context_scratch (ctx, 4 * count * sizeof *own, error);
    if (own == NULL)
      return false;
  }
  /* Green, and what covers the image, by the index itself; red is bent less and blue more. */
  for (int pass = 0; pass < passes; pass++) {
    const int channel = pass == 0 ? 1 : pass == 1 ? 0 : 2;

    glass.index = fmax (n->index + (channel - 1) * 0.5 * n->dispersion, 0.1);
    if (!resample_warp (&source, find_refracted, &glass, NULL, pass == 0 ? pixels : own, width, height, &monitor))
      return false;
    for (size_t i = 0; pass > 0 && i < count; i++)
      pixels[4 * i + (size_t) channel] = own[4 * i + (size_t) channel];
  }
  return image_wear (before, &wear, &n->result, &monitor);
}

static const KgSlot refract_slots[] = {
  IMAGE_INPUT (Refract, N_ ("The image behind the glass, such as a plate.")),
  KG_INPUT (
      Refract, normals, IMAGE, .label = N_ ("Normals"),
      .help = N_ ("Normals of the glass as colours: red to the right, green up, blue to the camera. Where alpha is "
                  "0 there is no glass. It is centred.")),
  KG_INPUT (Refract, halved, BOOLEAN, .label = N_ ("Halved"), .def = 1,
            .help = N_ ("The colours are 0 to 1 for normals of −1 to 1, as in images without negative numbers.")),
  KG_INPUT (
      Refract, view, ROTATION, .label = N_ ("View"),
      .help = N_ ("Rotation of the camera, if the normals are those of the scene: without it they are as the camera "
                  "sees them.")),
  KG_INPUT (Refract, index, NUMBER, .label = N_ ("Refractive Index"), .def = 1.5, .min = 0.1, .max = 10, .soft_min = 1,
            .soft_max = 2.5, .help = N_ ("1 changes nothing; water has 1.33, glass 1.5, diamond 2.4.")),
  KG_INPUT (Refract, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_PIXELS, .def = 100, .min = -1e6, .max = 1e6,
            .soft_min = 0, .soft_max = 500,
            .help = N_ (
                "Distance of the image behind the surface, in pixels: the larger it is, the farther refracted rays are "
                "displaced.")),
  KG_INPUT (Refract, dispersion, NUMBER, .label = N_ ("Dispersion"), .max = 2, .soft_max = 0.1,
            .help = N_ ("How much larger the index is for blue than for red, which makes coloured fringes.")),
  KG_INPUT (Refract, filter, CHOICE, .label = N_ ("Filter"), .choices = image_filters, .def = RESAMPLE_BICUBIC,
            .help = N_ ("How values between pixels are interpolated.")),
  KG_INPUT (Refract, edges, CHOICE, .label = N_ ("Edges"), .choices = image_edges, .def = RESAMPLE_EXTEND,
            .help = N_ ("What is shown outside the image.")),
  IMAGE_WEAR (Refract, N_ ("The image as seen through the glass.")),
};

KG_NODE (image, refract, Refract, .label = N_ ("Refract"), .version = 1, .since = "0.1",
         .tags = N_ ("glass water lens stained ice bump normal map snell distort displace crystal invisible"),
         .formula = "t = i/η + (cos θ/η − √(1 − sin² θ/η²)) n;   offset = distance · (t.x, t.y)/−t.z",
         .source = "Snell's law; Kay and Greenberg, Transparency for computer synthesized images, SIGGRAPH 1979",
         .help = N_ ("Shows an image through glass or water: rays are bent according to the normals of the "
                     "surface, which come from another image, such as a rendering of the object coloured by its "
                     "normals."));
