/* hemicube: the half of a cube around a point of a surface, in pixels: the hemicube of radiosity, and bins of directions.
 *
 * The point is the origin, the surface the plane z = 0, the cube reaches from -1 to 1.  A hemicube of n (even) has n by n pixels
 * on its top, and n by n / 2 on each of its sides: 3 n n.
 *
 * Source: Cohen and Greenberg, The hemi-cube, SIGGRAPH 1985; exact shares: Howell, A catalog of radiation heat transfer
 * configuration factors, B-3 and B-4.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

static inline uint32_t
hemicube_get_n_pixels (uint32_t n)
{
  return 3 * n * n;
}

/* A vector to a place in a pixel, (0, 0) to (1, 1); its largest component is 1. */
KgVector hemicube_get_direction (uint32_t n, uint32_t pixel, double across, double up);
/* Unit vectors to the middles of all pixels.  (transfer full) */
KgVector *hemicube_make_directions (uint32_t n);

/* The pixel in which a direction with d.z >= 0 leaves the cube. */
uint32_t hemicube_find_pixel (uint32_t n, KgVector d);

/* The share of diffuse light, cos / pi, that goes through a place of the cube, for each unit of its area. */
double hemicube_get_density (KgVector on);

/* The form factor of a pixel: its density in the centre times its area; together about 1. */
double hemicube_get_factor (uint32_t n, uint32_t pixel);

/* The same by the integral over the pixel; together 1. */
double hemicube_get_exact_factor (uint32_t n, uint32_t pixel);

#define HEMICUBE_NOTHING G_MAXUINT32

/* What is seen through the centre of a pixel. */
typedef struct {
  uint32_t id;     /* HEMICUBE_NOTHING: nothing */
  double nearness; /* 1 / t, where t times the direction of the pixel is the point; 0: nothing */
  double b[2];     /* the share of the second and third corner in it */
} HemicubePixel;

void hemicube_clear (uint32_t n, HemicubePixel *pixels);

/* Draws a triangle, which may reach behind the point, with a test of depth; of what is equally near, but for rounding, the first stays. */
void hemicube_draw (uint32_t n, HemicubePixel *pixels, const KgVector corners[3], uint32_t id);

G_END_DECLS
