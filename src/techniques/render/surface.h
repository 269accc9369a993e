/* surface: from the objects of a scene to triangles on the screen.
 * Positions and light are computed once for each point; polygons, lines and points become triangles that share them.
 * Sources: Sutherland and Hodgman 1974 (clipping); Gouraud 1971 (shading).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"
#include "render/raster.h"
#include "render/shading.h"

typedef struct {
  KgCamera camera;
  KgTransform view; /* world to camera */
  double focal;     /* samples for a metre at distance 1 (orthographic: for a metre) */
  Shading shading;
  Raster raster;
  GPtrArray *problems; /* char *: what is left out, and why */
} Surface;

/* The scene's lights are used; its objects are added one by one.  Fails on a camera that sees nothing. */
bool surface_init (Surface *surface, const KgCamera *camera, const KgScene *scene, int width, int height, int samples,
                   GError **error);
void surface_clear (Surface *surface);

/* The same triangles in the same order for any number of threads.  Primitives that cannot be drawn are named in
 * problems, with the object's index.  False when cancelled, or (*error) when there is too much. */
bool surface_add_object (Surface *surface, const KgProgressMonitor *monitor, const KgObject *object, guint index,
                         GError **error);
