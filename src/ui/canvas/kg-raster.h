/* kg-raster: the few shapes that the canvas needs by the thousand, drawn straight into the pixels of an image.
 * cairo takes some 20 microseconds for a stroke, whatever its length; here it is one or two.  Coordinates are pixels;
 * what is drawn on is opaque.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-kind-color.h"

#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
  uint32_t *pixels;
  int width, height, stride; /* stride: pixels from row to row */
} KgRaster;

typedef struct {
  KgTint tint;
  double width, alpha;
  /* A wider line below, so that crossing lines stay apart; 0: none. */
  KgTint edge_tint;
  double edge_width, edge_alpha;
} KgPen;

/* For an image surface in ARGB32; cairo may draw on it in between. */
KgRaster kg_raster_begin (cairo_surface_t *surface);
void kg_raster_end (cairo_surface_t *surface);

/* Edges go to whole pixels; what is in view at all is at least one pixel wide and high. */
void kg_raster_fill (const KgRaster *raster, double x, double y, double width, double height, KgTint tint,
                     double alpha);
void kg_raster_dot (const KgRaster *raster, double x, double y, double radius, KgTint tint);
void kg_raster_line (const KgRaster *raster, double x0, double y0, double x1, double y1, const KgPen *pen);
/* A cubic: start, two handles, end. */
void kg_raster_curve (const KgRaster *raster, const double points[8], const KgPen *pen);
/* The outline of a rectangle with round corners; it has no edge. */
void kg_raster_frame (const KgRaster *raster, double x, double y, double width, double height, double radius,
                      const KgPen *pen);

G_END_DECLS
