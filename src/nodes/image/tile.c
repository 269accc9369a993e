/* image/tile: an image several times, or mirrored.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/edges.h"
#include "image/image_part.h"

typedef struct {
  IMAGE_FIELDS;
  int kind;
  double columns;
  double rows;
  int pattern;
  KgVector offset;
  int64_t sectors;
  double rotate;
  KgVector centre;
  int filter;
} Tile;

enum { KIND_TILES, KIND_MIRROR_ACROSS, KIND_MIRROR_DOWN, KIND_MIRROR_BOTH, KIND_KALEIDOSCOPE, N_KINDS };
enum { PATTERN_PLAIN, PATTERN_MIRROR, PATTERN_BRICKS, N_PATTERNS };

static const KgChoice tile_kinds[] = {
  [KIND_TILES] = { "tiles", N_ ("Tiles") },
  [KIND_MIRROR_ACROSS] = { "flop", N_ ("Mirror from left to right (flop)") },
  [KIND_MIRROR_DOWN] = { "flip", N_ ("Mirror upside down (flip)") },
  [KIND_MIRROR_BOTH] = { "both", N_ ("Mirror both") },
  [KIND_KALEIDOSCOPE] = { "kaleidoscope", N_ ("Kaleidoscope") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (tile_kinds, N_KINDS);

static const KgChoice tile_patterns[] = {
  [PATTERN_PLAIN] = { "plain", N_ ("Plain") },
  [PATTERN_MIRROR] = { "mirror", N_ ("Every second one mirrored") },
  [PATTERN_BRICKS] = { "bricks", N_ ("Bricks: every second row shifted by half") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (tile_patterns, N_PATTERNS);

typedef struct {
  const Tile *n;
  double width, height, centre[2];
} Place;

static bool
find_tile (const void *data, double x, double y, double *from)
{
  const Place *p = (const Place *) data;
  const Tile *n = p->n;

  if (n->kind == KIND_KALEIDOSCOPE) {
    const double r = hypot (x - p->centre[0], y - p->centre[1]), sector = 2 * KG_PI / (double) n->sectors;
    const double turn = (atan2 (p->centre[1] - y, x - p->centre[0]) - n->rotate) / sector;
    const double part = turn - floor (turn), angle = n->rotate + sector * (part < 0.5 ? part : 1 - part);

    from[0] = p->centre[0] + r * cos (angle);
    from[1] = p->centre[1] - r * sin (angle);
    return true;
  }
  const double row = (y + n->offset.y) / p->height * n->rows;
  const double shift = n->pattern == PATTERN_BRICKS && (int64_t) floor (row) % 2 != 0 ? 0.5 : 0;
  const double column = (x - n->offset.x) / p->width * n->columns + shift;

  from[0] = p->width * (column - floor (column));
  from[1] = p->height * (row - floor (row));
  if (n->pattern == PATTERN_MIRROR && (int64_t) floor (column) % 2 != 0)
    from[0] = p->width - from[0];
  if (n->pattern == PATTERN_MIRROR && (int64_t) floor (row) % 2 != 0)
    from[1] = p->height - from[1];
  return true;
}

static bool
find_mirrored (const void *data, double x, double y, double *from)
{
  const Place *p = (const Place *) data;

  from[0] = p->n->kind == KIND_MIRROR_DOWN ? x : p->width - x;
  from[1] = p->n->kind == KIND_MIRROR_ACROSS ? y : p->height - y;
  return true;
}

typedef struct {
  Place place;
  double known[2]; /* the jump from a tile to the next one is no shrinking */
  ImageWarp warp;
} Tiling;

/* Of an image of this size; tiling is where it stays. */
static void
tile_begin (const Tile *n, int width, int height, Tiling *tiling)
{
  const bool turns = n->kind == KIND_KALEIDOSCOPE, tiles = n->kind == KIND_TILES;

  *tiling = (Tiling){
    .place = { n, width, height, { 0.5 * width + n->centre.x, 0.5 * height - n->centre.y } },
    .known = { n->columns, n->rows },
    .warp = { .find = tiles || turns ? find_tile : find_mirrored,
              .data = &tiling->place,
              .steps = tiles ? tiling->known : NULL,
              .filter = tiles || turns ? n->filter : RESAMPLE_NEAREST,
              .edges = tiles && n->pattern != PATTERN_MIRROR ? RESAMPLE_REPEAT : RESAMPLE_MIRROR },
  };
}

static bool
tile_region (const void *job, const KgContext *ctx, size_t field, KgImagePart *needed)
{
  Tiling tiling;

  (void) field;
  tile_begin ((const Tile *) job, needed->width, needed->height, &tiling);
  return image_warp_find_part (&tiling.warp, ctx, needed);
}

static bool
tile_evaluate (Tile *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const ImageParts parts = image_parts_of (ctx, offsetof (Tile, image), n->image);
  Tiling tiling;

  /* One tile where the image is: filters that soften have nothing to do. */
  if (n->kind == KIND_TILES && n->columns == 1 && n->rows == 1 && n->offset.x == 0 && n->offset.y == 0) {
    n->result = image_parts_cut (&parts, n->image, error);
    return n->result != NULL;
  }
  tile_begin (n, parts.in.width, parts.in.height, &tiling);
  return image_warp_apply (&tiling.warp, &parts, n->image, &wear, &n->result, &monitor, error);
}

static const KgSlot tile_slots[] = {
  IMAGE_INPUT (Tile, N_ ("The image to repeat.")),
  KG_INPUT (Tile, kind, CHOICE, .label = N_ ("Kind"), .choices = tile_kinds, .help = N_ ("How the image is repeated.")),
  KG_INPUT (Tile, columns, NUMBER, .label = N_ ("Columns"), .def = 3, .min = 0.001, .max = 1000, .soft_min = 1,
            .soft_max = 12, .shown_when = "kind=tiles", .help = N_ ("Tiles side by side.")),
  KG_INPUT (Tile, rows, NUMBER, .label = N_ ("Rows"), .def = 3, .min = 0.001, .max = 1000, .soft_min = 1,
            .soft_max = 12, .shown_when = "kind=tiles", .help = N_ ("Tiles above each other.")),
  KG_INPUT (Tile, pattern, CHOICE, .label = N_ ("Pattern"), .choices = tile_patterns, .shown_when = "kind=tiles",
            .help = N_ ("How tiles differ from their neighbours. Mirrored ones have no seams.")),
  KG_INPUT (Tile, offset, VECTOR, .label = N_ ("Offset"), .unit = KG_PIXELS, .min = -1e6, .max = 1e6, .soft_min = -1000,
            .soft_max = 1000, .shown_when = "kind=tiles", .handle = { .kind = KG_HANDLE_NONE },
            .help = N_ ("Translation of all tiles to the right and up.")),
  KG_INPUT (Tile, sectors, INTEGER, .label = N_ ("Sectors"), .def = 6, .min = 1, .max = 360, .soft_max = 24,
            .shown_when = "kind=kaleidoscope", .help = N_ ("Pairs of mirror images around the centre.")),
  KG_INPUT (Tile, rotate, NUMBER, .label = N_ ("Rotate"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .shown_when = "kind=kaleidoscope", .help = N_ ("Rotates the mirrors, counter-clockwise.")),
  KG_INPUT (Tile, centre, VECTOR, .label = N_ ("Centre"), .unit = KG_PIXELS, .min = -1e6, .max = 1e6, .soft_min = -1000,
            .soft_max = 1000, .shown_when = "kind=kaleidoscope", .handle = { .kind = KG_HANDLE_NONE },
            .help = N_ ("Where the mirrors meet, to the right and up from the centre of the image.")),
  KG_INPUT (Tile, filter, CHOICE, .label = N_ ("Filter"), .choices = image_filters, .def = RESAMPLE_BILINEAR,
            .shown_when = "kind=tiles|kaleidoscope", .help = N_ ("How values between pixels are interpolated.")),
  IMAGE_WEAR (Tile, N_ ("The repeated image, as large as before.")),
};

KG_NODE (image, tile, Tile, .label = N_ ("Tile and Mirror"), .version = 1, .since = "0.1", .region = tile_region,
         .tags = N_ ("tile mirror flip flop repeat wallpaper pattern bricks kaleidoscope symmetry copies"),
         .help = N_ ("Repeats an image in columns and rows, mirrors it, or shows it through a kaleidoscope."));
