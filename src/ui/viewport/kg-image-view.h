/* kg-image-view: where an image is in the viewport, and what is drawn around it.  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-evaluate.h"

#include <cairo.h>

G_BEGIN_DECLS

typedef struct {
  double zoom, x, y; /* pixels of the viewport for one of the image, and where its corner is */
  bool fit;          /* it fills the viewport */
  int step;          /* pixels of the image along a side for one of what is given of it; 0: as 1 */
  int left, top;     /* of what is given, which may be a part: where it begins, in its pixels */
} KgImageView;

/* Brings zoom and corner up to date for an image and a viewport of these sizes. */
void kg_image_view_place (KgImageView *view, double image_width, double image_height, double width, double height);
/* What is at (x, y) stays there. */
void kg_image_view_zoom (KgImageView *view, double factor, double x, double y);
/* What of an image of so many pixels (those of step) is in a viewport of this size, and a margin around it, as a share of the
 * viewport; false: nothing is. */
bool kg_image_view_find_part (const KgImageView *view, int image_width, int image_height, double width, double height,
                              double margin, KgImagePart *part);
void kg_image_view_draw_checkers (cairo_t *cr, double x, double y, double width, double height);
/* (transfer full) 8 bits a channel; depth: distances as greys instead, where the image has them. */
uint8_t *kg_image_view_dup_pixels (const KgImage *image, bool depth);
/* (transfer full) (nullable) The numbers of the pixel at (x, y) of the viewport; NULL outside of the image. */
char *kg_image_view_dup_text (const KgImageView *view, const KgImage *image, double x, double y);
/* The colour of the pixel at (x, y) of the viewport, or the mean of those from there to (x2, y2), not premultiplied; false
 * where none of them is in the image. */
bool kg_image_view_get_color (const KgImageView *view, const KgImage *image, double x, double y, double x2, double y2,
                              KgColor *color);

G_END_DECLS
