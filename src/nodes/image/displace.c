/* image/displace: an image moved by another one.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/edges.h"
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  const KgImage *map;
  int kind;
  KgVector scale;
  KgColor neutral;
  int filter;
  int edges;
} Displace;

enum { KIND_OFFSET, KIND_PLACE, N_KINDS };

static const KgChoice displace_kinds[] = {
  [KIND_OFFSET] = { "offset", N_ ("Displacement: how far each pixel moves") },
  [KIND_PLACE] = { "st", N_ ("ST map: where each pixel comes from") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (displace_kinds, N_KINDS);

typedef struct {
  const KgImage *map;
  double width, height, dx, dy; /* where the map's left upper corner is */
  double neutral[2], scale[2];
  bool place;
} Map;

static bool
find_displaced (const void *data, double x, double y, double *from)
{
  const Map *map = (const Map *) data;
  float rgba[4];

  kg_image_sample (map->map, x - map->dx, y - map->dy, rgba);
  if (map->place) {
    from[0] = map->width * (double) rgba[0];
    from[1] = map->height * (1 - (double) rgba[1]);
    return rgba[3] > 0;
  }
  from[0] = x - map->scale[0] * ((double) rgba[0] - map->neutral[0]);
  from[1] = y + map->scale[1] * ((double) rgba[1] - map->neutral[1]);
  return true;
}

static bool
displace_evaluate (Displace *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  const int width = kg_image_get_width (before), height = kg_image_get_height (before);
  const ResampleSource source = { kg_image_get_pixels (before), width, height, (ResampleFilter) n->filter,
                                  (ResampleEdges) n->edges };
  const ImageSource at = image_source (n->map, before, 0, 0);
  const Map map = { .map = n->map,
                    .width = width,
                    .height = height,
                    .dx = at.dx,
                    .dy = at.dy,
                    .neutral = { n->neutral.r, n->neutral.g },
                    .scale = { n->scale.x, n->scale.y },
                    .place = n->kind == KIND_PLACE };

  (void) error;
  IMAGE_BEGIN (n);
  kg_image_make_writable (&n->result);
  return resample_warp (&source, find_displaced, &map, NULL, kg_image_edit_pixels (n->result), width, height,
                        &monitor) &&
         image_wear (before, &wear, &n->result, &monitor);
}

static const KgSlot displace_slots[] = {
  IMAGE_INPUT (Displace, N_ ("The image to displace.")),
  KG_INPUT (Displace, map, IMAGE, .label = N_ ("Map"),
            .help = N_ ("Red moves pixels across, green up. It is centred; beyond its edges its last pixels count.")),
  KG_INPUT (
      Displace, kind, CHOICE, .label = N_ ("Kind"), .choices = displace_kinds,
      .help = N_ (
          "What the map says. In an ST map red and green are the place from which a pixel is taken, 0 to 1 from the left "
          "and from the bottom; where its alpha is 0 the result is transparent.")),
  KG_INPUT (Displace, scale, VECTOR, .label = N_ ("Scale"), .unit = KG_PIXELS, .def_v = { 20, 20, 0 }, .min = -1e6,
            .max = 1e6, .soft_min = -100, .soft_max = 100, .shown_when = "kind=offset",
            .handle = { .kind = KG_HANDLE_NONE },
            .help = N_ ("How far a map of 1 moves the image to the right, and up.")),
  KG_INPUT (
      Displace, neutral, COLOR, .label = N_ ("Neutral"), .shown_when = "kind=offset", .def_v = { 0, 0, 0, 1 },
      .help = N_ ("Red and green of the map that do not move anything: 0, or 0.5 in maps without negative numbers.")),
  KG_INPUT (Displace, filter, CHOICE, .label = N_ ("Filter"), .choices = image_filters, .def = RESAMPLE_BILINEAR,
            .help = N_ ("How values between pixels are interpolated.")),
  KG_INPUT (Displace, edges, CHOICE, .label = N_ ("Edges"), .choices = image_edges, .def = RESAMPLE_EXTEND,
            .help = N_ ("What is shown outside the image.")),
  IMAGE_WEAR (Displace, N_ ("The displaced image.")),
};

KG_NODE (
    image, displace, Displace, .label = N_ ("Displace"), .version = 1, .since = "0.1",
    .tags = N_ (
        "displace displacement idistort stmap lensdistort uvmap st map uv warp distort refraction heat haze ripple offset vectors"),
    .help = N_ (
        "Moves the pixels of an image as the red and green of another image say: by an offset, or to places of their own "
        "(an ST map)."));
