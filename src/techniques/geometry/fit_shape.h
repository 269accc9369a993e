/* fit_shape: the line, plane, circle, sphere, box or ellipsoid that fits points best.
 *
 * Lines and planes by total least squares: through the centroid, along the axes of the covariance (Pearson 1901).  Circles and
 * spheres begin with the algebraic fit, which is linear (Kåsa 1976), and go on by Gauss and Newton with Levenberg's damping
 * (1944) until the sum of the squares of distances is least; the plane of a circle tilts with it.  Ellipsoids: ellipsoid.h.  Units: metres.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef enum { FIT_LINE, FIT_PLANE, FIT_CIRCLE, FIT_SPHERE, FIT_BOX, FIT_ELLIPSOID, FIT_N_SHAPES } FitShape;

typedef struct {
  KgVector center;  /* the centroid of lines and planes */
  KgVector axes[3]; /* right-handed; x along a line, z across a plane or circle; of a box and an ellipsoid by length */
  double radius;    /* of circles and spheres */
  KgVector half;    /* of a box: half of its sides; of an ellipsoid: its radii */
  KgVector low, high; /* how far points reach from the centre along the axes */
  double residual;    /* root of the mean square of the distances */
  double largest;     /* distance */
  guint steps;        /* of the iteration */
} FittedShape;

/* geometric: least distances, else the algebraic fit of circles and spheres.  points: n finite.  False and *error: too few
 * points for the shape, or points that do not determine one (all in one place; on a line for planes and circles; in a plane for
 * spheres; on a surface that is not closed for ellipsoids).  False without an error: cancelled. */
bool fit_shape (FitShape shape, const KgVector *points, size_t n, bool geometric, const KgProgressMonitor *monitor,
                FittedShape *fitted, GError **error);

/* How far x is from a fitted shape: outside of a plane's front, a circle's or sphere's radius, a box or an ellipsoid positive. */
double fit_shape_get_distance (FitShape shape, const FittedShape *fitted, KgVector x);

G_END_DECLS
