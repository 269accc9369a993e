/* track: patterns of one frame found in another.
 *
 * A point: the best normalised cross-correlation within a search window, then Gauss-Newton steps on the normalised
 * difference, which finds the place between pixels and does not mind other light.  A plane: inverse compositional steps on a
 * pattern seen square on, coarse to fine.
 * Sources: Lewis, Fast Normalized Cross-Correlation, 1995; Lucas and Kanade 1981; Evangelidis and Psarakis 2008 (normalised
 * alignment); Baker and Matthews, Lucas-Kanade 20 Years On, 2004, section 3.2.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/brightness.h"
#include "image/plane_map.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Places are continuous coordinates in pixels, y down. */
typedef struct {
  double x, y;
  double score; /* normalised cross-correlation: 1 is the same but for light and contrast, 0 has nothing in common */
} TrackMatch;

/* Fills (2 radius + 1)² numbers around a place. */
void track_read_pattern (const Brightness *frame, double x, double y, int radius, float *pattern);
/* Whether a pattern can be found at all: the smaller eigenvalue of its structure tensor per pixel, as the square root, in
 * steps of brightness (0..255) a pixel.  Small along edges and in flat areas. */
double track_get_texture (const float *pattern, int radius);
/* match: where to look first; improved.  False when cancelled. */
bool track_find_point (const Brightness *frame, const float *pattern, int radius, int search, TrackMatch *match,
                       const KgProgressMonitor *monitor);

/* Numbers along each side of the pattern of a plane. */
#define TRACK_PLANE_SIZE 64

/* Fills TRACK_PLANE_SIZE² numbers, of the quadrilateral that map makes of the unit square. */
void track_read_plane (const Brightness *frame, const PlaneMap *map, float *pattern);
/* map: where the plane was; improved.  Returns the score. */
double track_find_plane (const Brightness *frame, const float *pattern, PlaneMap *map, int iterations,
                         const KgProgressMonitor *monitor);

G_END_DECLS
