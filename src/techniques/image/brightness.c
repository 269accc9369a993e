/* brightness: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/brightness.h"

#include "image/frame_mix.h"
#include "kg-base.h"
#include "kg-floats.h"
#include "kg-math.h"

bool
brightness_read (const KgImage *image, int width, int height, Brightness *brightness, GError **error)
{
  float *a = g_try_new (float, (size_t) width *(size_t) height);

  *brightness = (Brightness){ .width = width, .height = height, .a = a };
  if (a == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory to compare %d by %d pixels", width, height);
    return false;
  }
#pragma omp parallel for schedule(dynamic, 16)
  for (int y = 0; y < height; y++) {
    int first = 0, end = 0;
    const float *row = frame_mix_get_row (image, width, height, y, &first, &end);

    for (int x = 0; x < width; x++) {
      const float *p = row != NULL && x >= first && x < end ? row + 4 * x : NULL;

      a[(size_t) y * (size_t) width + (size_t) x] =
          p == NULL ? 0
                    : (float) (170 * kg_srgb_encode (kg_clamp (kg_floats_get_luminance (p), 0, 4)) +
                               85 * kg_clamp ((double) p[3], 0, 1));
    }
  }
  return true;
}

Brightness
brightness_halve (const Brightness *large)
{
  static const float weights[4] = { 0.125f, 0.375f, 0.375f, 0.125f };
  Brightness half = { .width = (large->width + 1) / 2, .height = (large->height + 1) / 2 };

  half.a = g_new (float, (size_t) half.width *(size_t) half.height);
#pragma omp parallel for schedule(dynamic, 16)
  for (int y = 0; y < half.height; y++)
    for (int x = 0; x < half.width; x++) {
      float sum = 0;

      for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++)
          sum += weights[j] * weights[i] * brightness_get (large, 2 * x + i - 1, 2 * y + j - 1);
      half.a[(size_t) y * (size_t) half.width + (size_t) x] = sum;
    }
  return half;
}

void
brightness_clear (Brightness *brightness)
{
  g_clear_pointer (&brightness->a, g_free);
}

double
brightness_sample_cubic (const Brightness *b, double x, double y, double gradient[2])
{
  const double fx = floor (x), fy = floor (y), u[2] = { x - fx, y - fy };
  /* The edge is repeated for ever: what is farther than this is no different. */
  const int left = (int) kg_clamp (fx, -1e9, 1e9), top = (int) kg_clamp (fy, -1e9, 1e9);
  double w[2][4], d[2][4], sum = 0;

  for (int k = 0; k < 2; k++) {
    const double t = u[k];

    w[k][0] = t * (-0.5 + t * (1 - 0.5 * t));
    w[k][1] = 1 + t * t * (-2.5 + 1.5 * t);
    w[k][2] = t * (0.5 + t * (2 - 1.5 * t));
    w[k][3] = t * t * (-0.5 + 0.5 * t);
    d[k][0] = -0.5 + t * (2 - 1.5 * t);
    d[k][1] = t * (-5 + 4.5 * t);
    d[k][2] = 0.5 + t * (4 - 4.5 * t);
    d[k][3] = t * (-1 + 1.5 * t);
  }
  if (gradient != NULL)
    gradient[0] = gradient[1] = 0;
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 4; i++) {
      const double value = (double) brightness_get (b, left + i - 1, top + j - 1);

      sum += w[0][i] * w[1][j] * value;
      if (gradient != NULL) {
        gradient[0] += d[0][i] * w[1][j] * value;
        gradient[1] += w[0][i] * d[1][j] * value;
      }
    }
  return sum;
}
