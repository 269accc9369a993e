/* surface_block: what one thread makes of a block of primitives: vertices, and triangles clipped and projected.
 * Source: Sutherland and Hodgman 1974 (clipping).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/surface_private.h"

#include <glib/gi18n-lib.h>

/* Clipping and projection. */

/* Signed distances from the planes that bound what can be drawn: near, far, and a wide guard around the image. */
static double
get_plane (const Surface *surface, const double at[3], int plane)
{
  const double depth = -at[2], guard = 0.4 * RASTER_GUARD / surface->focal;
  const double reach = surface->camera.orthographic ? guard : guard * depth;

  switch (plane) {
  case 0:
    return depth - surface->camera.near_plane;
  case 1:
    return surface->camera.far_plane - depth;
  case 2:
    return reach - at[0];
  case 3:
    return reach + at[0];
  case 4:
    return reach - at[1];
  default:
    return reach + at[1];
  }
}

uint8_t
surface_get_code (const Surface *surface, const double at[3])
{
  int code = 0;

  for (int plane = 0; plane < 6; plane++)
    code |= (get_plane (surface, at, plane) < 0) << plane;
  return (uint8_t) code;
}

static SurfaceCorner
mix (const SurfaceCorner *a, const SurfaceCorner *b, double t)
{
  SurfaceCorner m = *a;
  const float s = (float) t;

  for (int c = 0; c < 3; c++) {
    m.at[c] = kg_lerp (a->at[c], b->at[c], t);
    m.v.normal[c] += s * (b->v.normal[c] - a->v.normal[c]);
    m.v.position[c] += s * (b->v.position[c] - a->v.position[c]);
  }
  for (int c = 0; c < 4; c++)
    m.v.color[c] += s * (b->v.color[c] - a->v.color[c]);
  return m;
}

/* Clips a convex polygon, in place; returns how many corners are left. */
static guint
clip (const Surface *surface, SurfaceCorner *corners, guint n)
{
  SurfaceCorner out[SURFACE_MAX_CORNERS];

  for (int plane = 0; plane < 6 && n > 0; plane++) {
    guint m = 0, inside = 0;

    for (guint i = 0; i < n; i++)
      inside += get_plane (surface, corners[i].at, plane) >= 0;
    if (inside == n)
      continue;
    for (guint i = 0; i < n && m + 2 <= G_N_ELEMENTS (out); i++) {
      const SurfaceCorner *a = &corners[i], *b = &corners[(i + 1) % n];
      const double da = get_plane (surface, a->at, plane), db = get_plane (surface, b->at, plane);

      if (da >= 0)
        out[m++] = *a;
      if ((da >= 0) != (db >= 0))
        out[m++] = mix (a, b, da / (da - db));
    }
    n = m;
    memcpy (corners, out, n * sizeof *out);
  }
  return n;
}

void
surface_project (const Surface *surface, const double at[3], float bias, RasterVertex *v)
{
  const Raster *raster = &surface->raster;
  const double depth = -at[2], scale = surface->camera.orthographic ? surface->focal : surface->focal / depth;

  v->x = (float) (0.5 * raster->width * raster->samples + scale * at[0]);
  v->y = (float) (0.5 * raster->height * raster->samples - scale * at[1]);
  v->nearness = surface->camera.orthographic ? (float) -depth / bias : (float) (1 / depth) * bias;
  v->inverse = surface->camera.orthographic ? 1 : (float) (1 / depth);
}

/* Blocks. */

void
surface_block_init (SurfaceBlock *block, const SurfaceObject *o)
{
  *block = (SurfaceBlock){ .o = o };
  block->vertices = g_array_new (FALSE, FALSE, sizeof (RasterVertex));
  block->triangles = g_array_new (FALSE, FALSE, sizeof (RasterTriangle));
  block->transparent = g_array_new (FALSE, FALSE, sizeof (RasterTriangle));
  block->problems = g_ptr_array_new_with_free_func (g_free);
  block->places = g_array_new (FALSE, FALSE, sizeof (SurfacePlace));
  block->ends = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  block->plane = g_array_new (FALSE, FALSE, sizeof (double));
  block->ears = g_array_new (FALSE, FALSE, sizeof (uint32_t));
}

void
surface_block_clear (SurfaceBlock *block)
{
  g_array_unref (block->vertices);
  g_array_unref (block->triangles);
  g_array_unref (block->transparent);
  g_ptr_array_unref (block->problems);
  g_array_unref (block->places);
  g_array_unref (block->ends);
  g_array_unref (block->plane);
  g_array_unref (block->ears);
}

void
surface_block_report (SurfaceBlock *block, size_t primitive, guint object, const char *message)
{
  if (block->problems->len < SURFACE_MAX_PROBLEMS)
    g_ptr_array_add (block->problems, g_strdup_printf (_ ("primitive %u of object %u was skipped: %s"),
                                                       (guint) primitive, object, message));
}

/* Whether a colour lets through what is behind (1), or is not seen at all (2). */
static int
get_transparency (const float alpha[], guint n)
{
  int clear = 2;

  for (guint i = 0; i < n; i++)
    if (alpha[i] > 0)
      clear = 1;
  for (guint i = 0; i < n && clear == 1; i++)
    if (alpha[i] < 1)
      return 1;
  return clear == 2 ? 2 : 0;
}

void
surface_block_add_convex (SurfaceBlock *block, SurfaceCorner *corners, guint n, uint32_t material, float bias)
{
  const Surface *surface = block->o->surface;
  const KgBlend blend = block->o->object->material.blend;
  float alpha[SURFACE_MAX_CORNERS];
  uint32_t first = SURFACE_LOCAL | block->vertices->len;
  int clear;

  for (guint i = 0; i < n; i++) {
    if (surface_is_far (corners[i].at))
      return;
    alpha[i] = corners[i].v.color[3];
  }
  clear = get_transparency (alpha, n);
  n = clear < 2 ? clip (surface, corners, n) : 0;
  if (n < 3)
    return;
  for (guint i = 0; i < n; i++) {
    surface_project (surface, corners[i].at, bias, &corners[i].v);
    g_array_append_val (block->vertices, corners[i].v);
  }
  for (guint i = 2; i < n; i++) {
    const RasterTriangle triangle = { { first, first + i - 1, first + i }, material & RASTER_LIT, blend };

    g_array_append_val (clear > 0 || blend != KG_BLEND_OVER ? block->transparent : block->triangles, triangle);
  }
}

void
surface_block_add_light (SurfaceBlock *block, const SurfaceCorner *center, double energy)
{
  /* The corners of the hexagon, in whole pixels. */
  static const int corners[6][2] = { { 1, 0 }, { 1, 1 }, { 0, 1 }, { -1, 0 }, { -1, -1 }, { 0, -1 } };
  const Surface *surface = block->o->surface;
  const int pixel = surface->raster.samples;
  const uint32_t first = SURFACE_LOCAL | block->vertices->len;
  RasterVertex v = center->v;
  float x, y;

  if (surface_is_far (center->at) || surface_get_code (surface, center->at) != 0 || !(v.color[3] > 0))
    return;
  surface_project (surface, center->at, 1, &v);
  /* On the raster's grid all corners are rounded alike, and what they hold of the light is exact. */
  x = v.x = roundf (v.x * RASTER_GRID) / RASTER_GRID;
  y = v.y = roundf (v.y * RASTER_GRID) / RASTER_GRID;
  v.color[3] *= (float) energy;
  g_array_append_val (block->vertices, v);
  v.color[3] = 0;
  for (int k = 0; k < 6; k++) {
    v.x = x + (float) (pixel * corners[k][0]);
    v.y = y + (float) (pixel * corners[k][1]);
    g_array_append_val (block->vertices, v);
  }
  for (uint32_t k = 0; k < 6; k++) {
    const RasterTriangle triangle = { { first, first + 1 + k, first + 1 + (k + 1) % 6 },
                                      RASTER_LIT,
                                      block->o->object->material.blend };

    g_array_append_val (block->transparent, triangle);
  }
}

void
surface_block_add_triangle (SurfaceBlock *block, const SurfacePlace *a, const SurfacePlace *b, const SurfacePlace *c)
{
  const SurfaceObject *o = block->o;
  const uint8_t *codes = o->codes;
  const uint8_t any = codes[a->point] | codes[b->point] | codes[c->point];

  if ((codes[a->point] & codes[b->point] & codes[c->point]) != 0)
    return;
  if (any == 0) {
    const float alpha[] = { surface_block_get_vertex (block, a->vertex)->color[3],
                            surface_block_get_vertex (block, b->vertex)->color[3],
                            surface_block_get_vertex (block, c->vertex)->color[3] };
    const KgBlend blend = o->object->material.blend;
    const RasterTriangle triangle = { { a->vertex, b->vertex, c->vertex }, o->material & RASTER_LIT, blend };
    /* Nearly all are quite opaque. */
    const int clear = alpha[0] >= 1 && alpha[1] >= 1 && alpha[2] >= 1 ? 0 : get_transparency (alpha, 3);

    if (clear < 2)
      g_array_append_val (clear > 0 || blend != KG_BLEND_OVER ? block->transparent : block->triangles, triangle);
  } else {
    const SurfacePlace *places[] = { a, b, c };
    SurfaceCorner corners[SURFACE_MAX_CORNERS];

    for (int i = 0; i < 3; i++) {
      surface_make_camera_space (o, surface_get_point (o, places[i]->point), corners[i].at);
      corners[i].v = *surface_block_get_vertex (block, places[i]->vertex);
    }
    surface_block_add_convex (block, corners, 3, o->material, 1);
  }
}
