/* line_warp: one image turns into another along pairs of lines.
 * Source: Beier and Neely 1992, section 3; weights with a, b and p as there.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-image.h"
#include "image/warp_sample.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Most pairs of lines: each costs a computation at every pixel. */
#define LINE_WARP_MAX_LINES 1000

/* A directed line in pixels, y down. */
typedef struct {
  double px, py, qx, qy;
} WarpLine;

/* Appends (WarpLine) the pieces of the lines of a geometry, in order.  Its coordinates are those of Draw's image of the view
 * -aspect..aspect × -1..1: the middle of the image is the origin and its height is 2. */
bool line_warp_read (const KgGeometry *geometry, const KgImage *image, GArray *lines, GError **error);

typedef struct {
  double a, b, p; /* softness (pixels), falloff, influence of the length of a line */
  float share;    /* of the second image, 0..1 */
  bool exact;     /* in double precision throughout */
  double least;   /* weights below it are none (0: all count); a pixel without any stays where it is */
  bool similar;   /* what is beside a line grows and shrinks with it, rather than keep its distance in pixels */
  WarpSampler sampler;
  bool turning; /* lines turn about their middles and keep their length, rather than that their ends go straight */
} WarpStyle;

/* The first pair of lines of one image that cross, by index; false: none do.  There a pixel would have two places. */
bool line_warp_find_crossing (const GArray *lines, guint pair[2]);

/* Fills out, which is as large as from, at t on the way.  from_lines and to_lines: as many of each, in pixels of from; without
 * any the images dissolve in place.  Fails when a line vanishes on the way; false without an error when monitor (nullable)
 * says that it is cancelled.
 *
 * Unless exact, blocks of 64 pixels are computed in single precision, about thirty times as fast: sums are of the small
 * differences from the pixel itself, and weights relative to the strongest, so that no softness or falloff is beyond the
 * range.  Sources differ from the exact ones by less than 2e-6 of their distance from the pixel, and by less than 0.001 pixel
 * where lines move by less than the size of the image.  Lines shorter than 0.01 pixel on the way or a million pixels away
 * are computed in double precision anyway.  The same bits for any number of threads and every processor. */
bool line_warp_mix (const KgImage *from, const KgImage *to, const GArray *from_lines, const GArray *to_lines, double t,
                    const WarpStyle *style, KgImage *out, const KgProgressMonitor *monitor, GError **error);

G_END_DECLS
