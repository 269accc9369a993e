/* convolution: an image and a small matrix, and what is made of such: edges and relief.
 * Sources: Prewitt 1970; Sobel and Feldman 1968; Scharr 2000; Marr and Hildreth 1980; Horn 1981 (shaded relief).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/resample.h"

G_BEGIN_DECLS

/* Largest side of a matrix. */
#define CONVOLUTION_MAX_SIDE 129

/* to: as large as from (RGBA), Σ matrix[j][i] from (x + i - columns / 2, y + j - rows / 2): the matrix as it is written, its middle (of even ones
 * the entry right below it) over the pixel, without turning it.  channels: a bit for each that is convolved; others are
 * copied.  False when monitor (nullable) says that it is cancelled. */
bool convolve_image (const float *from, int width, int height, const double *matrix, int columns, int rows,
                     int channels, ResampleEdges edges, float *to, const KgProgressMonitor *monitor);

typedef enum { EDGE_SOBEL, EDGE_SCHARR, EDGE_PREWITT, EDGE_LAPLACE, EDGE_N_KINDS } EdgeKind;

/* The length of the gradient of each channel (of the Laplacian: its absolute value), per pixel; beyond the edges are the nearest
 * pixels. */
bool find_edges (const float *from, int width, int height, EdgeKind kind, float *to, const KgProgressMonitor *monitor);

typedef struct {
  double azimuth, elevation; /* of the light, radians; azimuth counter-clockwise from the right */
  double height;             /* pixels for luminance 1 */
} Relief;

/* Writes to red, green and blue of each pixel the light on a surface as high as luminance: 1 where it faces the light, sin (elevation) where it
 * is level; alpha is 1. */
bool shade_relief (const float *from, int width, int height, const Relief *relief, float *to,
                   const KgProgressMonitor *monitor);

G_END_DECLS
