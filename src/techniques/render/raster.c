/* raster: binning and scan conversion.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/raster.h"

#include "kg-kernel.h"

#include <string.h>

/* Samples along the side of a tile: its colours and depths stay in the second-level cache. */
#define TILE 64
#define SUBSAMPLE_BITS 8
#define SUBSAMPLE RASTER_GRID
/* Shares that triangles are binned in, and counters for all shares and tiles. */
#define MOST_SHARES 64
#define MOST_COUNTS ((size_t) 1 << 22)
/* Fragments of transparent triangles that are kept at a time, unless one sample alone has more. */
#define MOST_FRAGMENTS (1u << 18)
/* Transparent surfaces have a distance from this opacity on. */
#define SEEN 0.5f

/* A sample of a transparent triangle. */
typedef struct {
  float color[4]; /* unpremultiplied */
  float nearness;
  uint16_t at; /* in the tile */
  uint16_t blend;
} Fragment;

G_STATIC_ASSERT (TILE *TILE <= UINT16_MAX + 1);

typedef struct {
  float color[TILE * TILE][4]; /* premultiplied */
  float nearness[TILE * TILE];
  GArray *fragments;               /* Fragment */
  GArray *order;                   /* uint32_t: fragments, sample by sample */
  uint32_t first[TILE * TILE + 1]; /* of each sample, into order */
} Tile;

/* Samples of all tiles, in their order, between two flushes.  Colours are over a transparent background, where nothing is. */
struct _RasterKept {
  float (*color)[4];
  float *nearness;
};

/* Samples of a tile, last ones included. */
typedef struct {
  int left, top, right, bottom;
} Area;

/* A triangle set up for scanning. */
typedef struct {
  int64_t a[3], b[3], c[3];     /* edge functions a x + b y + c, in units of 1/256 sample squared; >= 0 inside */
  int left, top, right, bottom; /* samples that may be inside */
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
  if (raster->kept != NULL) {
    g_free (raster->kept->color);
    g_free (raster->kept->nearness);
    g_free (raster->kept);
  }
}

/* A vertex on the grid of subsamples: RASTER_GUARD fits. */
typedef struct {
  int32_t x, y;
} Place;

/* The same as rounding down before the cast, which would call a function for each on processors without SSE 4.1.  What is
 * beyond the guard is no corner of a triangle, and may be anywhere. */
static inline int32_t
to_fixed (float x)
{
  const float most = 2 * (float) RASTER_GUARD;
  const float scaled = (x < -most ? -most : x > most ? most : x) * SUBSAMPLE + 0.5f;
  const int32_t whole = (int32_t) scaled;

  return whole - ((float) whole > scaled);
}

KG_KERNEL static void
find_places (const RasterVertex *vertices, size_t first, size_t end, Place *places)
{
  for (size_t i = first; i < end; i++)
    places[i] = (Place){ to_fixed (vertices[i].x), to_fixed (vertices[i].y) };
}

/* (transfer full) Of all vertices: each is a corner of several triangles, which are looked at when they are put into bins and in
 * each tile, and is six times as long as its place. */
static Place *
make_places (const Raster *raster)
{
  const RasterVertex *vertices = (const RasterVertex *) (const void *) raster->vertices->data;
  const size_t n = raster->vertices->len;
  Place *places = g_new (Place, MAX (n, 1));

  KG_PARALLEL (n, 16384, n >= KG_PARALLEL_FROM, find_places (vertices, first, end, places));
  return places;
}

/* The first and the last sample whose middle is not before, or after, a place. */

static int64_t
first_sample (int64_t fixed)
{
  return (fixed + SUBSAMPLE / 2 - 1) >> SUBSAMPLE_BITS;
}

static int64_t
last_sample (int64_t fixed)
{
  return (fixed - SUBSAMPLE / 2) >> SUBSAMPLE_BITS;
}

/* The samples that a triangle may cover, and twice its area; false when there are none. */
static inline bool
get_extent (const Place *places, const RasterTriangle *triangle, int64_t x[3], int64_t y[3], int64_t extent[4],
            int64_t *area)
{
  for (int i = 0; i < 3; i++) {
    const Place place = places[triangle->vertices[i]];

    x[i] = place.x;
    y[i] = place.y;
  }
  extent[0] = first_sample (MIN (x[0], MIN (x[1], x[2])));
  extent[1] = first_sample (MIN (y[0], MIN (y[1], y[2])));
  extent[2] = last_sample (MAX (x[0], MAX (x[1], x[2])));
  extent[3] = last_sample (MAX (y[0], MAX (y[1], y[2])));
  *area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
  return *area != 0 && extent[0] <= extent[2] && extent[1] <= extent[3];
}

/* False when the triangle covers no sample.  Its corners are put in counter-clockwise order on the screen's y-down
 * plane, so that both sides are drawn. */
static bool
set_up (const Raster *raster, const Place *places, const RasterTriangle *triangle, const Area *bounds, Setup *setup)
{
  int64_t x[3], y[3], extent[4], area;

  if (!get_extent (places, triangle, x, y, extent, &area))
    return false;
  setup->left = (int) MAX (extent[0], bounds->left);
  setup->top = (int) MAX (extent[1], bounds->top);
  setup->right = (int) MIN (extent[2], bounds->right);
  setup->bottom = (int) MIN (extent[3], bounds->bottom);
  for (int i = 0; i < 3; i++)
    setup->v[i] = &g_array_index (raster->vertices, RasterVertex, triangle->vertices[i]);
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

/* The colour of a sample that is inside, given its weights. */
static void
get_color (const Raster *raster, uint32_t material, const Setup *setup, const float w[3], float out[4])
{
  const RasterVertex *const *v = setup->v;
  /* Attributes over distance are linear on the screen; the division brings them back. */
  const float p[] = { w[0] * v[0]->inverse, w[1] * v[1]->inverse, w[2] * v[2]->inverse };
  const float scale = 1 / (p[0] + p[1] + p[2]);

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
}

/* Draws a sample that is inside, whose edge functions are e, if it can be seen.  False when there are more than most fragments. */
static inline bool
draw_sample (const Raster *raster, const RasterTriangle *triangle, const Setup *setup, const int64_t e[3], uint32_t at,
             bool opaque, guint most, Tile *tile)
{
  const float w[] = { (float) e[0] * setup->inverse_area, (float) e[1] * setup->inverse_area,
                      (float) e[2] * setup->inverse_area };
  const float near = w[0] * setup->v[0]->nearness + w[1] * setup->v[1]->nearness + w[2] * setup->v[2]->nearness;
  Fragment f = { .nearness = near, .at = (uint16_t) at, .blend = triangle->blend };

  if (!(near > tile->nearness[at]))
    return true;
  get_color (raster, triangle->material, setup, w, f.color);
  if (opaque) {
    /* In spite of the roundings of interpolation. */
    f.color[3] = 1;
    memcpy (tile->color[at], f.color, sizeof f.color);
    tile->nearness[at] = near;
  } else if (f.color[3] > 0) {
    if (tile->fragments->len >= most)
      return false;
    g_array_append_val (tile->fragments, f);
  }
  return true;
}

/* Scans a triangle over a part of the tile that begins at left and top.  Opaque ones are drawn at once, of transparent
 * ones the fragments that can be seen are kept.  False when there get to be more than most of these. */
static bool
scan_triangle (const Raster *raster, const Place *places, const RasterTriangle *triangle, int left, int top,
               const Area *part, bool opaque, guint most, Tile *tile)
{
  Setup setup;

  if (!set_up (raster, places, triangle, part, &setup))
    return true;
  for (int y = setup.top; y <= setup.bottom; y++) {
    const int64_t sx = (int64_t) setup.left * SUBSAMPLE + SUBSAMPLE / 2, sy = (int64_t) y * SUBSAMPLE + SUBSAMPLE / 2;
    bool inside = false;
    int64_t e[3];

    for (int i = 0; i < 3; i++)
      e[i] = setup.a[i] * sx + setup.b[i] * sy + setup.c[i];
    /* A row of a triangle is one span: nothing is computed before it, and the row is left behind it. */
    for (int x = setup.left; x <= setup.right; x++) {
      if ((e[0] | e[1] | e[2]) >= 0) {
        if (!draw_sample (raster, triangle, &setup, e, (uint32_t) ((y - top) * TILE + (x - left)), opaque, most, tile))
          return false;
        inside = true;
      } else if (inside)
        break;
      for (int i = 0; i < 3; i++)
        e[i] += setup.a[i] * SUBSAMPLE;
    }
  }
  return true;
}

/* Transparent triangles. */

/* From far to near; equal depths keep their order. */
static int
compare_fragments (gconstpointer a, gconstpointer b, gpointer data)
{
  const uint32_t i = *(const uint32_t *) a, j = *(const uint32_t *) b;
  const Fragment *fragments = (const Fragment *) data;
  const float p = fragments[i].nearness, q = fragments[j].nearness;

  if (p != q)
    return p < q ? -1 : 1;
  return i < j ? -1 : i > j;
}

static void
sort_fragments (const Fragment *fragments, uint32_t *order, guint n)
{
  enum { FEW = 24 };

  if (n > FEW) {
    g_qsort_with_data (order, (int) n, sizeof *order, compare_fragments, (gpointer) fragments);
    return;
  }
  for (guint i = 1; i < n; i++) {
    const uint32_t one = order[i];
    guint k = i;

    for (; k > 0 && fragments[order[k - 1]].nearness > fragments[one].nearness; k--)
      order[k] = order[k - 1];
    order[k] = one;
  }
}

/* Lays a fragment on a sample. */
static inline void
blend_fragment (const Fragment *f, float pixel[4], float *nearness)
{
  const float alpha = MIN (f->color[3], 1);

  for (int c = 0; c < 3; c++) {
    const float light = alpha * f->color[c];

    if (f->blend == KG_BLEND_OVER)
      pixel[c] = light + (1 - alpha) * pixel[c];
    else if (f->blend == KG_BLEND_ADD)
      pixel[c] += light;
    else if (f->blend == KG_BLEND_SCREEN)
      pixel[c] += fmaxf (light * (1 - pixel[c]), 0);
    else
      pixel[c] = fmaxf (pixel[c], light);
  }
  pixel[3] = alpha + (1 - alpha) * pixel[3];
  if (f->blend == KG_BLEND_OVER && alpha >= SEEN && f->nearness > *nearness)
    *nearness = f->nearness;
}

/* Lays the fragments of each sample on it, the farthest first. */
static void
blend_fragments (Tile *tile)
{
  const Fragment *fragments = (const Fragment *) (const void *) tile->fragments->data;
  uint32_t *first = tile->first, *order;

  g_array_set_size (tile->order, tile->fragments->len);
  order = (uint32_t *) (void *) tile->order->data;
  memset (first, 0, sizeof tile->first);
  for (guint i = 0; i < tile->fragments->len; i++)
    first[fragments[i].at + 1]++;
  for (guint i = 1; i <= TILE * TILE; i++)
    first[i] += first[i - 1];
  /* Filling moves the first of each sample up to where the next one's is. */
  for (guint i = 0; i < tile->fragments->len; i++)
    order[first[fragments[i].at]++] = i;
  for (guint at = 0; at < TILE * TILE; at++) {
    const uint32_t start = at > 0 ? first[at - 1] : 0;

    sort_fragments (fragments, order + start, first[at] - start);
    for (uint32_t i = start; i < first[at]; i++)
      blend_fragment (&fragments[order[i]], tile->color[at], &tile->nearness[at]);
  }
}

/* Binning. */

typedef struct {
  int columns, rows;
  uint32_t *first; /* of each tile, into order; one more at the end */
  uint32_t *order;
} Bins;

/* Tiles that a triangle lies in. */
typedef struct {
  uint16_t left, top, right, bottom;
} Range;

/* left > right: it covers no sample. */
static Range
get_range (const Raster *raster, const Place *places, const RasterTriangle *triangle)
{
  const int width = raster->width * raster->samples, height = raster->height * raster->samples;
  int64_t x[3], y[3], extent[4], area;

  if (!get_extent (places, triangle, x, y, extent, &area) || extent[2] < 0 || extent[3] < 0 || extent[0] >= width ||
      extent[1] >= height)
    return (Range){ 1, 1, 0, 0 };
  return (Range){ (uint16_t) (MAX (extent[0], 0) / TILE), (uint16_t) (MAX (extent[1], 0) / TILE),
                  (uint16_t) (MIN (extent[2], width - 1) / TILE), (uint16_t) (MIN (extent[3], height - 1) / TILE) };
}

/* Counts, adds up, fills: each tile gets its triangles in their order.  Triangles go in shares, one for each thread to
 * count and to fill; where a share's triangles begin in a tile follows from the counts of all before it. */
static bool
fill_bins (const Raster *raster, const Place *places, const GArray *triangles, Bins *bins, GError **error)
{
  const size_t n_tiles = (size_t) bins->columns * (size_t) bins->rows, n = triangles->len;
  const RasterTriangle *list = (const RasterTriangle *) (const void *) triangles->data;
  const size_t shares = CLAMP (MIN (n / 4096, MOST_COUNTS / n_tiles), 1, MOST_SHARES);
  g_autofree Range *ranges = g_new (Range, MAX (n, 1));
  g_autofree uint32_t *counts = g_new0 (uint32_t, n_tiles * shares);
  uint64_t total = 0;

  bins->first = g_new0 (uint32_t, n_tiles + 1);
#pragma omp parallel for schedule(static) reduction(+ : total)
  for (size_t s = 0; s < shares; s++)
    for (size_t i = n * s / shares; i < n * (s + 1) / shares; i++) {
      const Range r = ranges[i] = get_range (raster, places, &list[i]);

      for (int y = r.top; y <= r.bottom; y++)
        for (int x = r.left; x <= r.right; x++) {
          counts[s * n_tiles + (size_t) y * (size_t) bins->columns + (size_t) x]++;
          total++;
        }
    }
  bins->order = total <= UINT32_MAX ? (uint32_t *) g_try_malloc (MAX (total, 1) * sizeof (uint32_t)) : NULL;
  if (bins->order == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for this many large triangles: render at a smaller size");
    return false;
  }
  for (size_t tile = 0, sum = 0; tile < n_tiles; tile++) {
    for (size_t s = 0; s < shares; s++) {
      const uint32_t count = counts[s * n_tiles + tile];

      counts[s * n_tiles + tile] = (uint32_t) sum;
      sum += count;
    }
    bins->first[tile + 1] = (uint32_t) sum;
  }
#pragma omp parallel for schedule(static)
  for (size_t s = 0; s < shares; s++)
    for (size_t i = n * s / shares; i < n * (s + 1) / shares; i++)
      for (int y = ranges[i].top; y <= ranges[i].bottom; y++)
        for (int x = ranges[i].left; x <= ranges[i].right; x++)
          bins->order[counts[s * n_tiles + (size_t) y * (size_t) bins->columns + (size_t) x]++] = (uint32_t) i;
  return true;
}

static void
bins_clear (Bins *bins)
{
  g_clear_pointer (&bins->first, g_free);
  g_clear_pointer (&bins->order, g_free);
}

/* Drawing. */

/* Averages the samples of each pixel: of its rows in turn. */
static void
resolve (const Raster *raster, const Tile *tile, int left, int top, float *pixels, float *depth)
{
  const int s = raster->samples;
  const int n_rows = MIN (TILE, raster->height * s - top), n_columns = MIN (TILE, raster->width * s - left) / s;
  const float share = 1 / (float) (s * s);

  for (int y = 0; y < n_rows; y++) {
    const size_t start = (size_t) ((top + y) / s) * (size_t) raster->width + (size_t) (left / s);
    const float (*color)[4] = tile->color + y * TILE;
    const float *near = tile->nearness + y * TILE;

    for (int column = 0; column < n_columns; column++) {
      float *pixel = pixels + 4 * (start + (size_t) column);

      for (int x = column * s; x < (column + 1) * s; x++)
        for (int c = 0; c < 4; c++)
          pixel[c] += share * color[x][c];
    }
    for (int x = 0; depth != NULL && x < n_columns * s; x++)
      if (near[x] > -INFINITY) {
        float *at = &depth[start + (size_t) (x / s)];

        *at = MIN (*at, raster->orthographic ? -near[x] : 1 / near[x]);
      }
  }
}

/* Draws the transparent triangles of a part of a tile.  Where there are too many fragments to keep, the part is drawn
 * in halves: what becomes of a sample does not depend on its neighbours. */
static void
draw_transparent (const Raster *raster, const Place *places, const Bins *bins, size_t index, int left, int top,
                  const Area *part, Tile *tile)
{
  const bool one = part->left == part->right && part->top == part->bottom;
  Area halves[] = { *part, *part };

  g_array_set_size (tile->fragments, 0);
  for (uint32_t i = bins->first[index]; i < bins->first[index + 1]; i++)
    if (!scan_triangle (raster, places, &g_array_index (raster->transparent, RasterTriangle, bins->order[i]), left, top,
                        part, false, one ? UINT_MAX : MOST_FRAGMENTS, tile)) {
      if (part->bottom > part->top) {
        halves[0].bottom = (part->top + part->bottom) / 2;
        halves[1].top = halves[0].bottom + 1;
      } else {
        halves[0].right = (part->left + part->right) / 2;
        halves[1].left = halves[0].right + 1;
      }
      draw_transparent (raster, places, bins, index, left, top, &halves[0], tile);
      draw_transparent (raster, places, bins, index, left, top, &halves[1], tile);
      return;
    }
  blend_fragments (tile);
}

/* What is in a tile before its triangles are drawn: what was kept of it, and background where nothing is. */
static void
start_tile (const Raster *raster, size_t index, const float background[4], Tile *tile)
{
  const struct _RasterKept *kept = raster->kept;

  if (kept != NULL) {
    memcpy (tile->color, kept->color + index * TILE * TILE, sizeof tile->color);
    memcpy (tile->nearness, kept->nearness + index * TILE * TILE, sizeof tile->nearness);
  }
  for (size_t i = 0; i < TILE * TILE; i++)
    if (kept == NULL || tile->nearness[i] == -INFINITY) {
      memcpy (tile->color[i], background, sizeof tile->color[i]);
      tile->nearness[i] = -INFINITY;
    }
}

static void
draw_opaque (const Raster *raster, const Place *places, const Bins *opaque, size_t index, Area *all, Tile *tile)
{
  const int left = (int) (index % (size_t) opaque->columns) * TILE,
            top = (int) (index / (size_t) opaque->columns) * TILE;

  *all = (Area){ left, top, left + TILE - 1, top + TILE - 1 };
  for (uint32_t i = opaque->first[index]; i < opaque->first[index + 1]; i++)
    scan_triangle (raster, places, &g_array_index (raster->triangles, RasterTriangle, opaque->order[i]), left, top, all,
                   true, 0, tile);
}

static void
draw_tile (const Raster *raster, const Place *places, const Bins *opaque, const Bins *transparent, size_t index,
           const float background[4], Tile *tile, float *pixels, float *depth)
{
  Area all;

  start_tile (raster, index, background, tile);
  draw_opaque (raster, places, opaque, index, &all, tile);
  if (transparent->first[index] < transparent->first[index + 1])
    draw_transparent (raster, places, transparent, index, all.left, all.top, &all, tile);
  resolve (raster, tile, all.left, all.top, pixels, depth);
}

static bool
keep_samples (Raster *raster, size_t n, GError **error)
{
  struct _RasterKept *kept = raster->kept;

  if (kept != NULL)
    return true;
  kept = g_new0 (struct _RasterKept, 1);
  raster->kept = kept;
  kept->color = g_try_malloc0_n (n, sizeof *kept->color);
  kept->nearness = (float *) g_try_malloc_n (n, sizeof *kept->nearness);
  if (kept->color == NULL || kept->nearness == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "not enough memory for the samples of the image: render at a smaller size or with less antialiasing");
    return false;
  }
  for (size_t i = 0; i < n; i++)
    kept->nearness[i] = -INFINITY;
  return true;
}

/* Only the vertices of transparent triangles are left, in the order in which these use them. */
static void
forget_opaque (Raster *raster)
{
  const guint n = raster->vertices->len;
  g_autofree uint32_t *numbers = g_new (uint32_t, MAX (n, 1));
  GArray *left = g_array_new (FALSE, FALSE, sizeof (RasterVertex));

  memset (numbers, 0xff, n * sizeof *numbers);
  for (guint i = 0; i < raster->transparent->len; i++) {
    RasterTriangle *triangle = &g_array_index (raster->transparent, RasterTriangle, i);

    for (int c = 0; c < 3; c++) {
      uint32_t *number = &numbers[triangle->vertices[c]];

      if (*number == UINT32_MAX) {
        *number = left->len;
        g_array_append_vals (left, &g_array_index (raster->vertices, RasterVertex, triangle->vertices[c]), 1);
      }
      triangle->vertices[c] = *number;
    }
  }
  g_array_unref (raster->vertices);
  raster->vertices = left;
  g_array_set_size (raster->triangles, 0);
}

bool
raster_flush (Raster *raster, const KgProgressMonitor *monitor, GError **error)
{
  static const float nothing[4] = { 0, 0, 0, 0 };
  Bins opaque = { (raster->width * raster->samples + TILE - 1) / TILE,
                  (raster->height * raster->samples + TILE - 1) / TILE, NULL, NULL };
  const size_t n_tiles = (size_t) opaque.columns * (size_t) opaque.rows;
  g_autofree Place *places = make_places (raster);
  const bool good = keep_samples (raster, n_tiles * TILE * TILE, error) &&
                    fill_bins (raster, places, raster->triangles, &opaque, error);

  if (good) {
#pragma omp parallel
    {
      Tile *tile = g_new0 (Tile, 1);
      Area all;

#pragma omp for schedule(dynamic, 4)
      for (size_t i = 0; i < n_tiles; i++)
        if (opaque.first[i] < opaque.first[i + 1] && !kg_progress_is_cancelled (monitor)) {
          start_tile (raster, i, nothing, tile);
          draw_opaque (raster, places, &opaque, i, &all, tile);
          memcpy (raster->kept->color + i * TILE * TILE, tile->color, sizeof tile->color);
          memcpy (raster->kept->nearness + i * TILE * TILE, tile->nearness, sizeof tile->nearness);
        }
      g_free (tile);
    }
    forget_opaque (raster);
  }
  bins_clear (&opaque);
  return good && !kg_progress_is_cancelled (monitor);
}

bool
raster_draw (const Raster *raster, KgColor background, KgImage *image, const KgProgressMonitor *monitor, GError **error)
{
  const double a = kg_clamp (background.a, 0, 1);
  const float back[] = { (float) (a * background.r), (float) (a * background.g), (float) (a * background.b),
                         (float) a };
  Bins opaque = { (raster->width * raster->samples + TILE - 1) / TILE,
                  (raster->height * raster->samples + TILE - 1) / TILE, NULL, NULL };
  Bins transparent = opaque;
  g_autofree Place *places = make_places (raster);
  float *pixels = kg_image_edit_pixels (image),
        *depth = kg_image_get_depth (image) != NULL ? kg_image_edit_depth (image) : NULL;
  bool good;

  /* Tiles begin at whole pixels: a pixel then belongs to one tile, whose thread alone adds to it. */
  g_return_val_if_fail (raster->samples > 0 && TILE % raster->samples == 0, false);
  good = fill_bins (raster, places, raster->triangles, &opaque, error) &&
         fill_bins (raster, places, raster->transparent, &transparent, error);
  if (good) {
    const size_t n_tiles = (size_t) opaque.columns * (size_t) opaque.rows;

#pragma omp parallel
    {
      Tile *tile = g_new (Tile, 1);

      tile->fragments = g_array_new (FALSE, FALSE, sizeof (Fragment));
      tile->order = g_array_new (FALSE, FALSE, sizeof (uint32_t));
#pragma omp for schedule(dynamic, 4)
      for (size_t i = 0; i < n_tiles; i++)
        if (!kg_progress_is_cancelled (monitor))
          draw_tile (raster, places, &opaque, &transparent, i, back, tile, pixels, depth);
      g_array_unref (tile->fragments);
      g_array_unref (tile->order);
      g_free (tile);
    }
  }
  bins_clear (&opaque);
  bins_clear (&transparent);
  return good && !kg_progress_is_cancelled (monitor);
}
