/* image/displace: an image moved by another one.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/edges.h"
#include "image/image_part.h"

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
  double width, height, dx, dy; /* where the left upper corner of the map, or of its part, is */
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

/* width, height: of the image; dx, dy: where the left upper corner of what there is of the map is. */
static Map
displace_get_map (const Displace *n, int width, int height, double dx, double dy)
{
  return (Map){ .map = n->map,
                .width = width,
                .height = height,
                .dx = dx,
                .dy = dy,
                .neutral = { n->neutral.r, n->neutral.g },
                .scale = { n->scale.x, n->scale.y },
                .place = n->kind == KIND_PLACE };
}

/* The map first: it says how far away what it shows comes from.  A place between pixels is a mean of four of the map, and the next
 * one to the right and below counts as well. */
static bool
displace_region (const void *job, const KgContext *ctx, size_t field, KgImagePart *needed)
{
  const Displace *n = (const Displace *) job;
  const KgImagePart map = kg_context_get_image_part (ctx, offsetof (Displace, map), NULL);
  const Map places = displace_get_map (n, needed->width, needed->height, map.x, map.y);
  const ImageWarp warp = { find_displaced, &places, NULL, n->filter, n->edges };

  if (field == offsetof (Displace, map)) {
    *needed = kg_image_part_grow (*needed, 2);
    return true;
  }
  return n->map != NULL && image_warp_find_part (&warp, ctx, needed);
}

static bool
displace_evaluate (Displace *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const ImageParts parts = image_parts_of (ctx, offsetof (Displace, image), n->image);
  const KgImagePart map = kg_context_get_image_part (ctx, offsetof (Displace, map), n->map);
  const ImageSource at = image_source (n->map, n->image, 0, 0);
  KgImagePart part;
  const bool is_part = kg_context_get_part (ctx, &part);
  const Map places =
      displace_get_map (n, parts.in.width, parts.in.height, is_part ? map.x : at.dx, is_part ? map.y : at.dy);
  const ImageWarp warp = { find_displaced, &places, NULL, n->filter, n->edges };

  return image_warp_apply (&warp, &parts, n->image, &wear, &n->result, &monitor, error);
}

static const KgSlot displace_slots[] = {
  IMAGE_INPUT (Displace, N_ ("The image to displace.")),
  KG_INPUT (
      Displace, map, IMAGE, .label = N_ ("Map"),
      .help = N_ ("Red moves pixels across, green up. The map is centred; beyond its edges, its outermost pixels are "
                  "repeated.")),
  KG_INPUT (
      Displace, kind, CHOICE, .label = N_ ("Kind"), .choices = displace_kinds,
      .help = N_ (
          "Meaning of the map. In an ST map, red and green are the position from which a pixel is taken, 0 to 1 from "
          "the left and from the bottom; where its alpha is 0 the result is transparent.")),
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
    image, displace, Displace, .label = N_ ("Displace"), .version = 1, .since = "0.1", .region = displace_region,
    .tags = N_ (
        "displace displacement idistort stmap lensdistort uvmap st map uv warp distort refraction heat haze ripple offset vectors"),
    .help = N_ (
        "Moves the pixels of an image by the red and green channels of another image: by an offset, or to absolute "
        "positions (an ST map)."));
