/* painter: flat drawing of geometry in the plane z = 0: polygons, lines, curves and points.
 *
 * Cairo finds out how much of each pixel a shape covers; colours are laid over each other here, in linear light and
 * floats, which cairo's own surfaces do not offer.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* The ends of lines. */
typedef enum { PAINTER_CAP_ROUND, PAINTER_CAP_BUTT, PAINTER_CAP_SQUARE, PAINTER_N_CAPS } PainterCap;

/* How a colour is laid on what is there: over it, or as light: added, added without exceeding 1, or the brighter of both.  The order
 * of what is painted matters to the first only. */
typedef enum { PAINTER_OVER, PAINTER_ADD, PAINTER_SCREEN, PAINTER_MAX, PAINTER_N_BLENDS } PainterBlend;

/* How geometry is drawn.  Lengths are metres; the attributes Cd and width take the place of white and of the widths. */
typedef struct {
  KgVector center;    /* in the middle of the image */
  double view_height; /* from its lower to its upper edge */
  double line_width;
  double point_size;
  bool points;  /* all of them, not only those that no primitive uses */
  bool outline; /* of polygons */
  KgColor outline_color;
  PainterCap cap;
  PainterBlend blend;
  double
      streak; /* seconds: points with v are as long as the way they come in that time, and as much fainter (Reeves 1983) */
} PainterStyle;

/* Called for a primitive that is left out. */
typedef void (*PainterReport) (gpointer data, size_t primitive, const GError *problem);

typedef struct _Painter Painter;

/* Paints on an image, which it borrows; it is filled with the background first.  Fails when the image is too large for
 * cairo.  (transfer full) (nullable) */
Painter *painter_new (const PainterStyle *style, KgImage *image, KgColor background, GError **error);
void painter_free (Painter *painter);

/* Paints a geometry over what is there.  False when monitor (nullable) says that it is cancelled. */
bool painter_paint (Painter *painter, const KgGeometry *geometry, const KgProgressMonitor *monitor,
                    PainterReport report, gpointer data);

/* False and *error: cairo lacked memory, and parts of what was painted are missing. */
bool painter_check (const Painter *painter, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Painter, painter_free)

G_END_DECLS
