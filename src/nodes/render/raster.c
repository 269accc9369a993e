/* raster: binning and scan conversion.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "raster.h"

#include <string.h>

/* Samples along the side of a tile: its colours and depths stay in the second-level cache. */
#define TILE 64
#define SUBSAMPLE 256

typedef struct {
  float color[TILE * TILE][4]; /* premultiplied */
  float nearness[TILE * TILE];
} Tile;

/* A triangle set up for scanning. */
typedef struct {
  int64_t a[3], b[3], c[3]; /* edge functions a x + b y + c, in units of 1/256 sample squared; >= 0 inside */
  const RasterVertex *v[3];
  float inverse_area;
} Setup;

void
raster_init (Raster *raster, int width, int height, int samples, bool orthographic)
{
  *raster = (Raster){ .width = width, .height = height, .samples = samples, .orthographic = orthographic };
  raster->vertices = g_array_new (FALSE, FALSE, sizeof (RasterVertex));
  raster->triangles = g_array_new (FALSE, FALSE, sizeof (RasterTriangle));
  raster->transparent = g_array_new (FALSE, FALSE, sizeof (RasterTriangle));
}

void
raster_clear (Raster *raster)
{
  g_array_unref (raster->vertices);
  g_array_unref (raster->triangles);
  g_array_unref (raster->transparent);
}

static int64_t
to_fixed (float x)
{
  return (int64_t) floorf (x * SUBSAMPLE + 0.5f);
}

/* False when the triangle has no area.  Its corners are put in counter-clockwise order on the screen's y-down plane, so
 * that both sides are drawn. */
static bool
set_up (const Raster *raster, const RasterTriangle *triangle, Setup *setup)
{
  int64_t x[3], y[3], area;

  for (int i = 0; i < 3; i++) {
    setup->v[i] = &g_array_index (raster->vertices, RasterVertex, triangle->vertices[i]);
    x[i] = to_fixed (setup->v[i]->x);
    y[i] = to_fixed (setup->v[i]->y);
  }
  area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
  if (area == 0)
    return false;
  if (area < 0) {
    const RasterVertex *v = setup->v[1];
    const int64_t tx = x[1], ty = y[1];

    setup->v[1] = setup->v[2];
    setup->v[2] = v;
    x[1] = x[2];
    y[1] = y[2];
    x[2] = tx;
    y[2] = ty;
    area = -area;
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const int64_t dx = x[k] - x[j], dy = y[k] - y[j];
    /* Top or left edges own their samples; the others give them away. */
    const bool owns = dy < 0 || (dy == 0 && dx > 0);

    setup->a[i] = -dy;
    setup->b[i] = dx;
    setup->c[i] = dy * x[j] - dx * y[j] - (owns ? 0 : 1);
  }
  setup->inverse_area = 1 / (float) area;
  return true;
}

/* Works out one sample that is inside, given its weights. */
static void
draw_sample (const Raster *raster, uint32_t material, const Setup *setup, const float w[3], bool blend, float *color,
             float *nearness)
{
  const RasterVertex *const *v = setup->v;
  const float near = w[0] * v[0]->nearness + w[1] * v[1]->nearness + w[2] * v[2]->nearness;
  float scale, p[3], out[4];

  if (near <= *nearness)
    return;
  /* Attributes over distance are linear on the screen; the division brings them back. */
  p[0] = w[0] * v[0]->inverse;
  p[1] = w[1] * v[1]->inverse;
  p[2] = w[2] * v[2]->inverse;
  scale = 1 / (p[0] + p[1] + p[2]);
  for (int c = 0; c < 4; c++)
    out[c] = scale * (p[0] * v[0]->color[c] + p[1] * v[1]->color[c] + p[2] * v[2]->color[c]);
  if (material != RASTER_LIT) {
    float normal[3], position[3];

    for (int c = 0; c < 3; c++) {
      normal[c] = scale * (p[0] * v[0]->normal[c] + p[1] * v[1]->normal[c] + p[2] * v[2]->normal[c]);
      position[c] = scale * (p[0] * v[0]->position[c] + p[1] * v[1]->position[c] + p[2] * v[2]->position[c]);
    }
    raster->shade (raster->shade_data, material, normal, position, out);
  }
  /* Opaque triangles are opaque in spite of the roundings of interpolation. */
  out[3] = blend ? (out[3] < 0 ? 0 : out[3] > 1 ? 1 : out[3]) : 1;
  for (int c = 0; c < 3; c++)
    color[c] = out[3] * out[c] + (blend ? (1 - out[3]) * color[c] : 0);
  color[3] = out[3] + (blend ? (1 - out[3]) * color[3] : 0);
  if (!blend)
    *nearness = near;
}

static void
draw_triangle (const Raster *raster, const RasterTriangle *triangle, int left, int top, bool blend, Tile *tile)
{
  Setup setup;
  float low[2], high[2];
  int x0, x1, y0, y1;

  if (!set_up (raster, triangle, &setup))
    return;
  low[0] = MIN (setup.v[0]->x, MIN (setup.v[1]->x, setup.v[2]->x));
  low[1] = MIN (setup.v[0]->y, MIN (setup.v[1]->y, setup.v[2]->y));
  high[0] = MAX (setup.v[0]->x, MAX (setup.v[1]->x, setup.v[2]->x));
  high[1] = MAX (setup.v[0]->y, MAX (setup.v[1]->y, setup.v[2]->y));
  x0 = MAX (left, (int) floorf (low[0] - 1));
  x1 = MIN (left + TILE - 1, (int) ceilf (high[0] + 1));
  y0 = MAX (top, (int) floorf (low[1] - 1));
  y1 = MIN (top + TILE - 1, (int) ceilf (high[1] + 1));
  for (int y = y0; y <= y1; y++) {
    const int64_t sx = (int64_t) x0 * SUBSAMPLE + SUBSAMPLE / 2, sy = (int64_t) y * SUBSAMPLE + SUBSAMPLE / 2;
    int64_t e[3];

    for (int i = 0; i < 3; i++)
      e[i] = setup.a[i] * sx + setup.b[i] * sy + setup.c[i];
    for (int x = x0; x <= x1; x++) {
      if ((e[0] | e[1] | e[2]) >= 0) {
        const size_t at = (size_t) (y - top) * TILE + (size_t) (x - left);
        const float w[] = { (float) e[0] * setup.inverse_area, (float) e[1] * setup.inverse_area,
                            (float) e[2] * setup.inverse_area };

        draw_sample (raster, triangle->material, &setup, w, blend, tile->color[at], &tile->nearness[at]);
      }
      for (int i = 0; i < 3; i++)
        e[i] += setup.a[i] * SUBSAMPLE;
    }
  }
}

/* Binning. */

typedef struct {
  int columns, rows;
  uint32_t *first; /* of each tile, into order; one more at the end */
  uint32_t *order;
} Bins;

static bool
get_tiles (const Raster *raster, const Bins *bins, const RasterTriangle *triangle, int range[4])
{
  float low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
  const float width = (float) (raster->width * raster->samples), height = (float) (raster->height * raster->samples);

  for (int i = 0; i < 3; i++) {
    const RasterVertex *v = &g_array_index (raster->vertices, RasterVertex, triangle->vertices[i]);

    low[0] = MIN (low[0], v->x);
    low[1] = MIN (low[1], v->y);
    high[0] = MAX (high[0], v->x);
    high[1] = MAX (high[1], v->y);
  }
  if (!(high[0] >= 0 && high[1] >= 0 && low[0] <= width && low[1] <= height))
    return false;
  range[0] = CLAMP ((int) (MAX (low[0] - 1, 0) / TILE), 0, bins->columns - 1);
  range[1] = CLAMP ((int) (MIN (high[0] + 1, width) / TILE), 0, bins->columns - 1);
  range[2] = CLAMP ((int) (MAX (low[1] - 1, 0) / TILE), 0, bins->rows - 1);
  range[3] = CLAMP ((int) (MIN (high[1] + 1, height) / TILE), 0, bins->rows - 1);
  return true;
}

/* Counts, adds up, fills: each tile gets its triangles in their order. */
static bool
fill_bins (const Raster *raster, const GArray *triangles, Bins *bins, GError **error)
{
  const size_t n_tiles = (size_t) bins->columns * (size_t) bins->rows;
  size_t total = 0;
  int range[4];

  bins->first = g_new0 (uint32_t, n_tiles + 2);
  for (int pass = 0; pass < 2; pass++) {
    for (guint i = 0; i < triangles->len; i++) {
      if (!get_tiles (raster, bins, &g_array_index (triangles, RasterTriangle, i), range))
        continue;
      for (int y = range[2]; y <= range[3]; y++)
        for (int x = range[0]; x <= range[1]; x++) {
          const size_t tile = (size_t) y * (size_t) bins->columns + (size_t) x;

          if (pass == 0)
            bins->first[tile + 2]++;
          else
            bins->order[bins->first[tile + 1]++] = i;
        }
      if (pass == 0)
        total += (size_t) (range[1] - range[0] + 1) * (size_t) (range[3] - range[2] + 1);
    }
    if (pass == 1)
      break;
    for (size_t k = 2; k < n_tiles + 2; k++)
      bins->first[k] += bins->first[k - 1];
    bins->order = total <= UINT32_MAX ? (uint32_t *) g_try_malloc (MAX (total, 1) * sizeof (uint32_t)) : NULL;
    if (bins->order == NULL) {
      g_set_error (error, KG_ERROR, KG_ERROR_LIMIT,
                   "there are too many large triangles for the memory: render smaller");
      return false;
    }
  }
  return true;
}

static void
bins_clear (Bins *bins)
{
  g_clear_pointer (&bins->first, g_free);
  g_clear_pointer (&bins->order, g_free);
}

/* Drawing. */

/* Averages the samples of each pixel. */
static void
resolve (const Raster *raster, const Tile *tile, int left, int top, float *pixels, float *depth)
{
  const int s = raster->samples;
  const float share = 1 / (float) (s * s);

  for (int y = 0; y < TILE && top + y < raster->height * s; y++)
    for (int x = 0; x < TILE && left + x < raster->width * s; x++) {
      const size_t pixel = (size_t) ((top + y) / s) * (size_t) raster->width + (size_t) ((left + x) / s);
      const float near = tile->nearness[y * TILE + x];

      for (int c = 0; c < 4; c++)
        pixels[4 * pixel + (size_t) c] += share * tile->color[y * TILE + x][c];
      if (depth != NULL && near > -INFINITY) {
        const float distance = raster->orthographic ? -near : 1 / near;

        depth[pixel] = MIN (depth[pixel], distance);
      }
    }
}

static void
draw_tile (const Raster *raster, const Bins *opaque, const Bins *transparent, size_t index, const float background[4],
           float *pixels, float *depth)
{
  const int left = (int) (index % (size_t) opaque->columns) * TILE,
            top = (int) (index / (size_t) opaque->columns) * TILE;
  Tile *tile = g_new (Tile, 1);

  for (size_t i = 0; i < TILE * TILE; i++) {
    memcpy (tile->color[i], background, sizeof tile->color[i]);
    tile->nearness[i] = -INFINITY;
  }
  for (uint32_t i = opaque->first[index]; i < opaque->first[index + 1]; i++)
    draw_triangle (raster, &g_array_index (raster->triangles, RasterTriangle, opaque->order[i]), left, top, false,
                   tile);
  for (uint32_t i = transparent->first[index]; i < transparent->first[index + 1]; i++)
    draw_triangle (raster, &g_array_index (raster->transparent, RasterTriangle, transparent->order[i]), left, top, true,
                   tile);
  resolve (raster, tile, left, top, pixels, depth);
  g_free (tile);
}

bool
raster_draw (const Raster *raster, KgColor background, KgImage *image, GError **error)
{
  const double a = kg_clamp (background.a, 0, 1);
  const float back[] = { (float) (a * background.r), (float) (a * background.g), (float) (a * background.b),
                         (float) a };
  Bins opaque = { (raster->width * raster->samples + TILE - 1) / TILE,
                  (raster->height * raster->samples + TILE - 1) / TILE, NULL, NULL };
  Bins transparent = opaque;
  float *pixels = kg_image_edit_pixels (image),
        *depth = kg_image_get_depth (image) != NULL ? kg_image_edit_depth (image) : NULL;
  bool good;

  /* Tiles begin at whole pixels: a pixel then belongs to one tile, whose thread alone adds to it. */
  g_return_val_if_fail (raster->samples > 0 && TILE % raster->samples == 0, false);
  good = fill_bins (raster, raster->triangles, &opaque, error) &&
         fill_bins (raster, raster->transparent, &transparent, error);
  if (good) {
    const size_t n_tiles = (size_t) opaque.columns * (size_t) opaque.rows;

#pragma omp parallel for schedule(dynamic, 4)
    for (size_t i = 0; i < n_tiles; i++)
      draw_tile (raster, &opaque, &transparent, i, back, pixels, depth);
  }
  bins_clear (&opaque);
  bins_clear (&transparent);
  return good;
}
