/* image/transform: moves, turns and scales a picture.
 * Source: Keys 1981 (cubic convolution, which with a = -1/2 is the spline of Catmull and Rom).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

/* Parts of a pixel that are rounding and not meant: without them, moves by whole pixels and right angles are exact. */
#define TINY 1e-9
/* Samples along each side of a pixel where the picture shrinks, at most. */
#define MAX_SAMPLES 16
/* No pixel is that far away: coordinates beyond are as good as these. */
#define FAR 1e9

typedef struct {
  const KgImage *image;
  KgVector translate;
  double rotate;
  KgVector scale;
  KgVector pivot;
  int filter;
  int edges;
  KgImage *transformed;
} Transform;

enum { TRANSFORM_NEAREST, TRANSFORM_BILINEAR, TRANSFORM_BICUBIC, N_FILTERS };
enum { TRANSFORM_TRANSPARENT, TRANSFORM_EXTEND, TRANSFORM_REPEAT, N_EDGES };

static const KgChoice transform_filters[] = {
  [TRANSFORM_NEAREST] = { "nearest", N_ ("Nearest: hard pixels") },
  [TRANSFORM_BILINEAR] = { "bilinear", N_ ("Bilinear: smooth") },
  [TRANSFORM_BICUBIC] = { "bicubic", N_ ("Bicubic: smooth and sharp") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (transform_filters, N_FILTERS);

static const KgChoice transform_edges[] = {
  [TRANSFORM_TRANSPARENT] = { "transparent", N_ ("Transparent") },
  [TRANSFORM_EXTEND] = { "extend", N_ ("Extend: the last pixel goes on") },
  [TRANSFORM_REPEAT] = { "repeat", N_ ("Repeat: tiles") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (transform_edges, N_EDGES);

/* Where a pixel of the result comes from: x' = m x + offset, in continuous coordinates (centres at + 0.5, y down). */
typedef struct {
  double m[2][2];
  double offset[2];
} Map;

/* Pixels along one side that a sample is made of; index -1: transparent. */
typedef struct {
  int n;
  int index[4];
  float weight[4];
} Taps;

/* Cosine and sine, of right angles without the rounding of pi. */
static void
transform_get_turn (double angle, double *c, double *s)
{
  *c = cos (angle);
  *s = sin (angle);
  if (fabs (*c) < 1e-12) {
    *c = 0;
    *s = *s > 0 ? 1 : -1;
  } else if (fabs (*s) < 1e-12) {
    *c = *c > 0 ? 1 : -1;
    *s = 0;
  }
}

/* False where the picture is scaled to nothing. */
static bool
transform_invert (const Transform *n, Map *map)
{
  const double aspect = kg_image_get_pixel_aspect (n->image);
  /* The pivot in coordinates of the picture, whose y goes down. */
  const double pivot[2] = { 0.5 * kg_image_get_width (n->image) + n->pivot.x,
                            0.5 * kg_image_get_height (n->image) - n->pivot.y };
  const double moved[2] = { pivot[0] + n->translate.x, pivot[1] - n->translate.y };
  double c, s;

  if (fabs (n->scale.x) < TINY || fabs (n->scale.y) < TINY)
    return false;
  transform_get_turn (n->rotate, &c, &s);
  /* Turned back, then scaled back; turning is round where pixels are wider than high only if x is measured in heights. */
  map->m[0][0] = c / n->scale.x;
  map->m[0][1] = -s / (aspect * n->scale.x);
  map->m[1][0] = s * aspect / n->scale.y;
  map->m[1][1] = c / n->scale.y;
  for (int i = 0; i < 2; i++)
    map->offset[i] = pivot[i] - map->m[i][0] * moved[0] - map->m[i][1] * moved[1];
  return true;
}

static inline int
transform_find_index (int i, int size, int edges)
{
  if (i >= 0 && i < size)
    return i;
  if (edges == TRANSFORM_TRANSPARENT)
    return -1;
  if (edges == TRANSFORM_EXTEND)
    return i < 0 ? 0 : size - 1;
  return i % size + (i % size < 0 ? size : 0);
}

/* The next whole number below x, which is within an int: floor would be a call for every pixel. */
static inline int
transform_floor (double x)
{
  const int i = (int) x;

  return i - (x < i);
}

static inline Taps
transform_find_taps (double x, int size, int filter, int edges)
{
  Taps taps = { .n = 1, .weight = { 1 } };
  double t;
  float u;
  int first;

  x = kg_clamp (x, -FAR, FAR);
  if (filter == TRANSFORM_NEAREST) {
    taps.index[0] = transform_find_index (transform_floor (x + TINY), size, edges);
    return taps;
  }
  first = transform_floor (x - 0.5 + TINY);
  t = x - 0.5 - first;
  u = (float) t;
  if (t < TINY) {
    taps.index[0] = transform_find_index (first, size, edges);
    return taps;
  }
  if (filter == TRANSFORM_BILINEAR) {
    taps.n = 2;
    taps.weight[0] = 1 - u;
    taps.weight[1] = u;
  } else {
    taps.n = 4;
    first--;
    taps.weight[0] = u * (-0.5f + u * (1 - 0.5f * u));
    taps.weight[1] = 1 + u * u * (-2.5f + 1.5f * u);
    taps.weight[2] = u * (0.5f + u * (2 - 1.5f * u));
    taps.weight[3] = u * u * (-0.5f + 0.5f * u);
  }
  for (int i = 0; i < taps.n; i++)
    taps.index[i] = transform_find_index (first + i, size, edges);
  return taps;
}

/* What is the same for every pixel. */
typedef struct {
  const float *pixels, *depth; /* depth: NULL without */
  int width, height;
  int filter, edges;
  int samples; /* along each side of a pixel */
  Map map;
} Sampler;

static inline void
transform_sample (const Sampler *n, double x, double y, double *sum)
{
  const Taps across = transform_find_taps (x, n->width, n->filter, n->edges);
  const Taps down = transform_find_taps (y, n->height, n->filter, n->edges);
  float rgba[4] = { 0 };

  for (int j = 0; j < down.n; j++)
    for (int i = 0; i < across.n; i++) {
      const float weight = across.weight[i] * down.weight[j];
      const float *p;

      if (across.index[i] < 0 || down.index[j] < 0)
        continue;
      p = n->pixels + 4 * ((size_t) down.index[j] * (size_t) n->width + (size_t) across.index[i]);
      for (int c = 0; c < 4; c++)
        rgba[c] += weight * p[c];
    }
  /* The cubic overshoots at edges: there is no negative light, and nothing covers more than all. */
  if (across.n == 4 || down.n == 4) {
    const float most = fmaxf (rgba[3], 1);

    for (int c = 0; c < 4; c++)
      rgba[c] = fmaxf (rgba[c], 0) / most;
  }
  for (int c = 0; c < 4; c++)
    sum[c] += (double) rgba[c];
}

/* Samples along each side of a pixel, so that none of a picture that shrinks is left out. */
static int
transform_count_samples (const Transform *n, const Map *map)
{
  const double step = fmax (hypot (map->m[0][0], map->m[1][0]), hypot (map->m[0][1], map->m[1][1]));

  return n->filter == TRANSFORM_NEAREST ? 1 : (int) kg_clamp (ceil (step - TINY), 1, MAX_SAMPLES);
}

static void
transform_fill_row (const Sampler *n, int y, float *row, float *depth)
{
  const Map *map = &n->map;
  const double step = 1.0 / n->samples;

  for (int x = 0; x < n->width; x++) {
    double sum[4] = { 0 };

    for (int j = 0; j < n->samples; j++)
      for (int i = 0; i < n->samples; i++) {
        const double at = x + (i + 0.5) * step, down = y + (j + 0.5) * step;

        transform_sample (n, map->m[0][0] * at + map->m[0][1] * down + map->offset[0],
                          map->m[1][0] * at + map->m[1][1] * down + map->offset[1], sum);
      }
    for (int c = 0; c < 4; c++)
      row[4 * x + c] = (float) (sum[c] * step * step);
    if (depth != NULL) {
      /* Distances are not mixed: between two things there is nothing. */
      const double at = x + 0.5, down = y + 0.5;
      const Taps i = transform_find_taps (map->m[0][0] * at + map->m[0][1] * down + map->offset[0], n->width,
                                          TRANSFORM_NEAREST, n->edges);
      const Taps j = transform_find_taps (map->m[1][0] * at + map->m[1][1] * down + map->offset[1], n->height,
                                          TRANSFORM_NEAREST, n->edges);

      depth[x] = i.index[0] < 0 || j.index[0] < 0
                     ? INFINITY
                     : n->depth[(size_t) j.index[0] * (size_t) n->width + (size_t) i.index[0]];
    }
  }
}

static bool
transform_evaluate (Transform *n, const KgContext *ctx, GError **error)
{
  const int width = kg_image_get_width (n->image), height = kg_image_get_height (n->image);
  Sampler sampler = { .pixels = kg_image_get_pixels (n->image),
                      .depth = kg_image_get_depth (n->image),
                      .width = width,
                      .height = height,
                      .filter = n->filter,
                      .edges = n->edges };
  float *pixels, *depth;

  n->transformed = kg_image_new (width, height, sampler.depth != NULL, error);
  if (n->transformed == NULL)
    return false;
  kg_image_set_pixel_aspect (n->transformed, kg_image_get_pixel_aspect (n->image));
  if (!transform_invert (n, &sampler.map))
    return true;
  sampler.samples = transform_count_samples (n, &sampler.map);
  pixels = kg_image_edit_pixels (n->transformed);
  depth = sampler.depth != NULL ? kg_image_edit_depth (n->transformed) : NULL;
#pragma omp parallel for schedule(static)
  for (int y = 0; y < height; y++)
    if (!kg_context_is_cancelled (ctx))
      transform_fill_row (&sampler, y, pixels + 4 * (size_t) width * (size_t) y,
                          depth != NULL ? depth + (size_t) width * (size_t) y : NULL);
  return !kg_context_is_cancelled (ctx);
}

static const KgSlot transform_slots[] = {
  KG_INPUT (Transform, image, IMAGE, .label = N_ ("Image"), .help = N_ ("What to move.")),
  KG_INPUT (Transform, translate, VECTOR, .label = N_ ("Translate"), .unit = KG_PIXELS, .min = -1e6, .max = 1e6,
            .soft_min = -1000, .soft_max = 1000, .help = N_ ("To the right and up.")),
  KG_INPUT (Transform, rotate, NUMBER, .label = N_ ("Rotate"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .help = N_ ("Counter-clockwise.")),
  KG_INPUT (Transform, scale, VECTOR, .label = N_ ("Scale"), .def_v = { 1, 1, 1 }, .min = -1e6, .max = 1e6,
            .soft_min = 0, .soft_max = 4, .help = N_ ("Across and up; negative ones mirror.")),
  KG_INPUT (Transform, pivot, VECTOR, .label = N_ ("Pivot"), .unit = KG_PIXELS, .min = -1e6, .max = 1e6,
            .soft_min = -1000, .soft_max = 1000,
            .help = N_ ("What turning and scaling leave in place, to the right of and up from the middle.")),
  KG_INPUT (Transform, filter, CHOICE, .label = N_ ("Filter"), .choices = transform_filters, .def = TRANSFORM_BILINEAR,
            .help = N_ ("How values between pixels are found.")),
  KG_INPUT (Transform, edges, CHOICE, .label = N_ ("Edges"), .choices = transform_edges,
            .help = N_ ("What is outside the picture.")),
  KG_OUTPUT (Transform, transformed, IMAGE, .label = N_ ("Image"), .help = N_ ("The picture, as large as before.")),
};

KG_NODE (
    image, transform, Transform, .label = N_ ("Transform Image"), .version = 1, .since = "0.1",
    .tags = N_ ("move translate rotate scale flip mirror tile pan zoom shake stabilize picture"),
    .help = N_ ("Scales, turns and moves a picture, in this order, about a pivot. Moves by whole pixels and turns by "
                "right angles lose nothing; what shrinks is averaged."));
