/* plane_map: maps of the image plane, fitted to points, and images moved by them.
 * Sources: Hartley and Zisserman, Multiple View Geometry, 2nd edition, 2.4 (the hierarchy of maps) and 4.1, 4.4 (direct
 * linear transformation with normalised coordinates); Umeyama 1991 (similarities by least squares).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* p' = m p, divided by its third component. */
typedef struct {
  double m[3][3];
} PlaneMap;

typedef enum {
  PLANE_TRANSLATION,
  PLANE_RIGID,      /* and rotation */
  PLANE_SIMILARITY, /* and scale */
  PLANE_AFFINE,     /* 3 points and more */
  PLANE_PERSPECTIVE /* 4 and more */
} PlaneModel;

PlaneMap plane_map_multiply (const PlaneMap *a, const PlaneMap *b);
bool plane_map_invert (const PlaneMap *map, PlaneMap *inverse);
/* False where the point lies on or behind the horizon. */
bool plane_map_apply (const PlaneMap *map, const double p[2], double to[2]);

/* The map of the model that takes n points nearest to others, as x y pairs: least squares with these weights (nullable).
 * Fewer points than a model needs get the largest model that they determine, *model says which; points along a line, or
 * four of which three are, are KG_ERROR_DEGENERATE. */
bool plane_map_fit (const double *from, const double *to, const double *weights, guint n, PlaneModel *model,
                    PlaneMap *map, GError **error);

/* The map of the unit square (0,0 1,0 1,1 0,1) to four corners. */
bool plane_map_from_corners (const double corners[8], PlaneMap *map, GError **error);

/* Fills out from the image, whose pixels go where map says (both in continuous coordinates, y down): cubic, with the mean of
 * several samples a pixel where the image shrinks; transparent beyond. */
bool plane_map_warp (const KgImage *image, const PlaneMap *map, KgImage *out, const KgProgressMonitor *monitor);

G_END_DECLS
