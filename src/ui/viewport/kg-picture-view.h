/* kg-picture-view: where a picture is in the viewport, and what is drawn around it.  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"

#include <cairo.h>

G_BEGIN_DECLS

typedef struct {
  double zoom, x, y; /* pixels of the viewport for one of the picture, and where its corner is */
  bool fit;          /* it fills the viewport */
} KgPictureView;

/* Brings zoom and corner up to date for a picture and a viewport of these sizes. */
void kg_picture_view_place (KgPictureView *view, double picture_width, double picture_height, double width,
                            double height);
/* What is at (x, y) stays there. */
void kg_picture_view_zoom (KgPictureView *view, double factor, double x, double y);
void kg_picture_view_draw_checkers (cairo_t *cr, double x, double y, double width, double height);
/* (transfer full) 8 bits a channel; depth: distances as greys instead, where the picture has them. */
uint8_t *kg_picture_view_dup_pixels (const KgImage *image, bool depth);
/* (transfer full) (nullable) The numbers of the pixel at (x, y) of the viewport; NULL outside of the picture. */
char *kg_picture_view_dup_text (const KgPictureView *view, const KgImage *image, double x, double y);
/* The colour of the pixel at (x, y) of the viewport, or the mean of those from there to (x2, y2), not premultiplied; false
 * where none of them is in the picture. */
bool kg_picture_view_get_color (const KgPictureView *view, const KgImage *image, double x, double y, double x2,
                                double y2, KgColor *color);

G_END_DECLS
