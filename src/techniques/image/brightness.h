/* brightness: images as one number a pixel, for comparing them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"

G_BEGIN_DECLS

typedef struct {
  int width, height;
  float *a;
} Brightness;

/* As seen, 0..255: two thirds from the sRGB-coded luminance, one third from the coverage, so that black on nothing counts.
 * width, height: of the result, on which the image is centred.  False when memory runs out. */
bool brightness_read (const KgImage *image, int width, int height, Brightness *brightness, GError **error);
/* Half as wide and high, rounded up: binomial weights 1 3 3 1 in each direction. */
Brightness brightness_halve (const Brightness *large);
void brightness_clear (Brightness *brightness);

static inline float
brightness_get (const Brightness *b, int x, int y)
{
  x = x < 0 ? 0 : x >= b->width ? b->width - 1 : x;
  y = y < 0 ? 0 : y >= b->height ? b->height - 1 : y;
  return b->a[(size_t) y * (size_t) b->width + (size_t) x];
}

/* Bilinear, at indices: pixel centres are whole numbers; edges are extended. */
static inline float
brightness_sample (const Brightness *b, float x, float y)
{
  const float fx = floorf (x), fy = floorf (y), u = x - fx, v = y - fy;
  const int i = (int) fx, j = (int) fy;

  return (1 - v) * ((1 - u) * brightness_get (b, i, j) + u * brightness_get (b, i + 1, j)) +
         v * ((1 - u) * brightness_get (b, i, j + 1) + u * brightness_get (b, i + 1, j + 1));
}

/* The same by cubic convolution (Keys 1981), with the derivatives by x and y where they are wanted. */
double brightness_sample_cubic (const Brightness *b, double x, double y, double gradient[2]);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Brightness, brightness_clear)

G_END_DECLS
