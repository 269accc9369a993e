/* image/multiplane: painted planes at different distances before a camera.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/layers.h"
#include "image/place.h"
#include "kg-node.h"

/* Largest radius of what is out of focus, in pixels. */
#define MULTIPLANE_BLUR 100

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
    kg_context_warn (ctx, "%u images for %zu planes: images without a row are left out; add rows", n->layers.n, rows);
  for (guint i = 0; i < MIN (n->layers.n, rows); i++) {
    Plane plane = { .image = n->layers.items[i].image };
    guint k = count;

    memcpy (plane.row, kg_table_get_row (n->planes, i), sizeof plane.row);
    if (!(plane.row[PLANE_Z] - n->camera.z > 1e-6)) {
      kg_context_warn (ctx, "plane %u at z = %g is not before the camera at z = %g: it is left out", i,
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

static bool
multiplane_lay (Multiplane *n, const Plane *plane, const KgProgressMonitor *monitor, GError **error)
{
  const double width = (double) n->width, distance = plane->row[PLANE_Z] - n->camera.z, scale = n->focal / distance;
  const double in_focus = n->focus - n->camera.z;
  const double blur = n->aperture > 0 && in_focus > 1e-6
                          ? 0.5 * width * n->aperture * n->focal * fabs (plane->row[PLANE_Z] - n->focus) /
                                (distance * in_focus)
                          : 0;
  const double radius = MIN (blur, MULTIPLANE_BLUR);
  /* What is beyond the edges is seen in them. */
  const int margin = radius > 0.5 ? (int) ceil (radius) : 0;
  const Place place = { .x = kg_clamp (scale * (plane->row[PLANE_X] - n->camera.x) * width, -1e6, 1e6),
                        .y = kg_clamp (scale * (plane->row[PLANE_Y] - n->camera.y) * width, -1e6, 1e6),
                        .scale_x = kg_clamp (scale * plane->row[PLANE_SCALE], -1e6, 1e6),
                        .scale_y = kg_clamp (scale * plane->row[PLANE_SCALE], -1e6, 1e6) };
  g_autoptr (KgImage) placed = place_image (plane->image, &place, (int) n->width + 2 * margin,
                                            (int) n->height + 2 * margin, 1, RESAMPLE_BILINEAR, monitor, error);
  PictureSource source;

  if (placed == NULL || !disc_blur (placed, radius, monitor))
    return false;
  source = picture_source (placed, n->image, 0, 0);
  return layer_over (&n->image, &source, kg_clamp (plane->row[PLANE_OPACITY], 0, 1), distance, monitor);
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
    if (!multiplane_lay (n, &planes[i], &monitor, error))
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
                  "sharp. The largest blur has a radius of 500 pixels.")),
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
