/* raster: scan conversion of triangles with a z-buffer, in tiles.
 * Coordinates are in samples (supersampled pixels), y down, with the top-left fill rule on a grid of 1/256 sample: a
 * sample on an edge that two triangles share belongs to exactly one of them.  Triangles must be clipped to
 * RASTER_GUARD samples around the image.
 * Source: Pineda 1988 (edge functions); Heckbert and Moreton 1991 (perspective-correct interpolation).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"
#include "kg-scene.h"

/* How far beyond the image a vertex may be: 64 bits hold the edge functions of what is larger than this. */
#define RASTER_GUARD 400000.0

/* Parts of a sample that vertices are rounded to. */
#define RASTER_GRID 256

/* What is interpolated over a triangle. */
typedef struct {
  float x, y;     /* samples */
  float nearness; /* perspective: 1 / distance; orthographic: minus the distance; linear in x and y either way */
  float inverse;  /* what attributes are weighed by: 1 / distance, or 1 */
  float color[4]; /* lit (flat, Gouraud, constant) or to be lit (Phong); unpremultiplied */
  float normal[3];
  float position[3]; /* world */
} RasterVertex;

typedef struct {
  uint32_t vertices[3];
  uint32_t material : 30; /* index for shading at each sample, or RASTER_LIT */
  uint32_t blend : 2;     /* KgBlend; all but over belong to what is transparent */
} RasterTriangle;

#define RASTER_LIT 0x3fffffffu

/* Lights a sample: color in and out unpremultiplied. */
typedef void (*RasterShade) (gconstpointer data, uint32_t material, const float normal[3], const float position[3],
                             float color[4]);

typedef struct {
  int width, height; /* pixels */
  int samples;       /* per axis: 1, 2, 4 or 8 */
  bool orthographic;
  GArray *vertices;    /* RasterVertex */
  GArray *triangles;   /* RasterTriangle; opaque ones */
  GArray *transparent; /* RasterTriangle; hidden by opaque ones, and laid on each other from far to near */
  RasterShade shade;
  gconstpointer shade_data;
  struct _RasterKept *kept; /* (nullable) what raster_flush has drawn so far */
} Raster;

void raster_init (Raster *raster, int width, int height, int samples, bool orthographic);
void raster_clear (Raster *raster);

/* Draws the opaque triangles that are there and forgets them, so that a scene may have more than fit into memory; vertices that
 * no transparent triangle uses are forgotten too.  Keeps 20 bytes a sample.  The same bits as without.  False without an
 * error when cancelled. */
bool raster_flush (Raster *raster, const KgProgressMonitor *monitor, GError **error);

/* Lays everything over background into the image (size of the raster; with a depth plane: the distance of the nearest
 * sample that is at least half opaque).  Transparent triangles are ordered sample by sample, so that they may also cut
 * through each other.  The same bits for any number of threads.  False without an error when monitor (nullable) says that it
 * is cancelled. */
bool raster_draw (const Raster *raster, KgColor background, KgImage *image, const KgProgressMonitor *monitor,
                  GError **error);
