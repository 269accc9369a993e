/* image/multiplane: painted planes at different distances before a camera.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/blur.h"
#include "image/layers.h"
#include "image/place.h"
#include "kg-node.h"

/* Largest radius of what is out of focus, in pixels: a plane that is further out of focus is one colour. */
#define MULTIPLANE_BLUR 1e5
/* Planes that are further out of focus are placed and blurred at a fraction of the size, so that neither what is needed beyond the
 * edges nor the time grows with the radius.  The rim of the disc is soft by one part in as many. */
#define MULTIPLANE_DISC 128

typedef struct {
  KgList layers;
  const KgTable *planes;
  int64_t width;
  int64_t height;
  KgVector camera;
  double focal;
  double aperture;
  double focus;
  KgImage *image;
} Multiplane;

enum { PLANE_Z, PLANE_X, PLANE_Y, PLANE_SCALE, PLANE_OPACITY, N_PLANE_COLUMNS };

static const KgTableColumn multiplane_columns[] = {
  { "z", N_ ("Z"), 0, false },
  { "x", N_ ("X"), 0, true },
  { "y", N_ ("Y"), 0, true },
  { "scale", N_ ("Scale"), 1, true },
  { "opacity", N_ ("Opacity"), 1, true },
  KG_TABLE_COLUMNS_END,
};

typedef struct {
  const KgImage *image;
  double row[N_PLANE_COLUMNS];
} Plane;

/* From far to near; equally far ones keep their order.  The number of planes before the camera. */
static guint
multiplane_sort (const Multiplane *n, const KgContext *ctx, Plane *planes)
{
  const size_t rows = kg_table_get_n_rows (n->planes);
  guint count = 0;

  if (n->layers.n > rows)
    kg_context_warn (
        ctx, "the number of images is %u, that of planes %zu: images without a plane are left out; add a row for each",
        n->layers.n, rows);
  for (guint i = 0; i < MIN (n->layers.n, rows); i++) {
    Plane plane = { .image = n->layers.items[i].image };
    guint k = count;

    memcpy (plane.row, kg_table_get_row (n->planes, i), sizeof plane.row);
    if (!(plane.row[PLANE_Z] - n->camera.z > 1e-6)) {
      kg_context_warn (ctx, "plane %u at z = %g is not in front of the camera at z = %g: it is left out", i,
                       plane.row[PLANE_Z], n->camera.z);
      continue;
    }
    for (; k > 0 && planes[k - 1].row[PLANE_Z] < plane.row[PLANE_Z]; k--)
      planes[k] = planes[k - 1];
    planes[k] = plane;
    count++;
  }
  return count;
}

/* The radius in pixels of a point of the plane. */
static double
multiplane_get_blur (const Multiplane *n, const Plane *plane, const KgContext *ctx)
{
  const double distance = plane->row[PLANE_Z] - n->camera.z, in_focus = n->focus - n->camera.z;
  const double blur = n->aperture > 0 && in_focus > 1e-6
                          ? 0.5 * (double) n->width * n->aperture * n->focal * fabs (plane->row[PLANE_Z] - n->focus) /
                                (distance * in_focus)
                          : 0;

  if (blur > MULTIPLANE_BLUR)
    kg_context_warn (ctx, "the plane at z = %g is out of focus by %g pixels, of which %g are used: close the aperture",
                     plane->row[PLANE_Z], blur, MULTIPLANE_BLUR);
  return MIN (blur, MULTIPLANE_BLUR);
}

/* (transfer full) (nullable) The plane in a frame of the image's size or larger, out of focus. */
static KgImage *
multiplane_place (const Multiplane *n, const Plane *plane, double radius, const KgProgressMonitor *monitor,
                  GError **error)
{
  const double width = (double) n->width, scale = n->focal / (plane->row[PLANE_Z] - n->camera.z);
  const int factor = (int) fmax (1, ceil (radius / MULTIPLANE_DISC));
  const int margin = radius > 0.5 ? (int) ceil (radius / factor) + 2 : 0;
  /* As even or odd as the image, so that halves of pixels are the same. */
  const int columns = ((int) n->width + factor - 1) / factor, rows = ((int) n->height + factor - 1) / factor;
  const int wide = columns + (columns + (int) n->width) % 2 + 2 * margin;
  const int high = rows + (rows + (int) n->height) % 2 + 2 * margin;
  /* Centre to centre in whole pixels of the image, as at full size. */
  const double rest_x = (kg_image_get_width (plane->image) + (int) n->width) % 2 * 0.5;
  const double rest_y = (kg_image_get_height (plane->image) + (int) n->height) % 2 * 0.5;
  const double x = kg_clamp (scale * (plane->row[PLANE_X] - n->camera.x) * width, -1e6, 1e6);
  const double y = kg_clamp (scale * (plane->row[PLANE_Y] - n->camera.y) * width, -1e6, 1e6);
  const double size = kg_clamp (scale * plane->row[PLANE_SCALE], -1e6, 1e6) / factor;
  const Place place = {
    .x = (x + rest_x) / factor - rest_x, .y = (y - rest_y) / factor + rest_y, .scale_x = size, .scale_y = size
  };
  const Place enlarged = { .scale_x = factor, .scale_y = factor };
  const BlurAperture aperture = { .radius = radius / factor, .aspect = 1 };
  KgImage *placed = place_image (plane->image, &place, wide, high, 1, RESAMPLE_BILINEAR, monitor, error), *whole;

  if (placed == NULL)
    return NULL;
  if (!blur_aperture (kg_image_edit_pixels (placed), wide, high, &aperture, RESAMPLE_TRANSPARENT, monitor)) {
    kg_image_unref (placed);
    return NULL;
  }
  if (factor == 1)
    return placed;
  whole = place_image (placed, &enlarged, (int) n->width, (int) n->height, 1, RESAMPLE_BILINEAR, monitor, error);
  kg_image_unref (placed);
  return whole;
}

static bool
multiplane_lay (Multiplane *n, const KgContext *ctx, const Plane *plane, const KgProgressMonitor *monitor,
                GError **error)
{
  g_autoptr (KgImage) placed = multiplane_place (n, plane, multiplane_get_blur (n, plane, ctx), monitor, error);
  ImageSource source;

  if (placed == NULL)
    return false;
  source = image_source (placed, n->image, 0, 0);
  return layer_over (&n->image, &source, kg_clamp (plane->row[PLANE_OPACITY], 0, 1), plane->row[PLANE_Z] - n->camera.z,
                     monitor);
}

static bool
multiplane_evaluate (Multiplane *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autofree Plane *planes = g_new (Plane, n->layers.n + 1);
  const guint count = multiplane_sort (n, ctx, planes);

  n->image = kg_image_new (n->width, n->height, true, error);
  if (n->image == NULL)
    return false;
  for (guint i = 0; i < count; i++)
    if (!multiplane_lay (n, ctx, &planes[i], &monitor, error))
      return false;
  return true;
}

static const KgSlot multiplane_slots[] = {
  KG_INPUTS (Multiplane, layers, IMAGE, .label = N_ ("Layers"), .optional = true,
             .help = N_ ("The painted planes, in any order.")),
  KG_INPUT (
      Multiplane, planes, TABLE, .columns = multiplane_columns, .label = N_ ("Planes"), .def_text = "4\n2\n1",
      .help = N_ ("A row for each layer: its z, and optionally x, y, scale and opacity. Lengths are in widths of the "
                  "image; z grows away from the camera.")),
  KG_INPUT (Multiplane, width, INTEGER, .label = N_ ("Width"), .unit = KG_PIXELS, .def = 640, .min = 1,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 3840, .help = N_ ("Size of the image.")),
  KG_INPUT (Multiplane, height, INTEGER, .label = N_ ("Height"), .unit = KG_PIXELS, .def = 360, .min = 1,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 2160, .help = N_ ("Size of the image.")),
  KG_INPUT (Multiplane, camera, VECTOR, .label = N_ ("Camera"), .min = -1e6, .max = 1e6, .soft_min = -2, .soft_max = 2,
            .help = N_ (
                "Position of the camera: x and y pan it to the right and up, z moves it towards the planes. In widths "
                "of the image.")),
  KG_INPUT (Multiplane, focal, NUMBER, .label = N_ ("Focal Length"), .def = 1, .min = 1e-3, .max = 1e3, .soft_max = 4,
            .help = N_ ("The distance at which a plane is seen with its own pixels, in widths of the image.")),
  KG_INPUT (
      Multiplane, aperture, NUMBER, .label = N_ ("Aperture"), .max = 1e3, .soft_max = 0.2,
      .help = N_ ("Diameter of the lens in widths of the image: the larger it is, the more is out of focus. 0: all is "
                  "sharp. The largest blur has a radius of 100,000 pixels.")),
  KG_INPUT (Multiplane, focus, NUMBER, .label = N_ ("Focus"), .def = 1, .min = -1e6, .max = 1e6, .soft_min = 0,
            .soft_max = 10, .help = N_ ("The z of what is in focus.")),
  KG_OUTPUT (Multiplane, image, IMAGE, .label = N_ ("Image"),
             .help = N_ ("The planes as the camera sees them, with the distance of each pixel as depth.")),
};

KG_NODE (
    image, multiplane, Multiplane, .label = N_ ("Multiplane Camera"), .version = 1, .since = "0.1",
    .tags = N_ ("parallax layers 2.5d depth of field pan zoom landscape cel camera focus picture"),
    .formula =
        "x' = f·(X + x_k − c_x)/(z_k − c_z)\nblur radius = ½·aperture·f·|z_k − z_focus|/((z_k − c_z)·(z_focus − c_z))",
    .source = "R. Thomas, O. Johnston, The Illusion of Life, 1981 (the multiplane camera of 1937)",
    .help = N_ (
        "Sees painted planes at different distances through a camera: near planes move faster than far ones when it "
        "pans, grow faster when it approaches, and are out of focus where the lens is not set to them."));
