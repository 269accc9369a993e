/* color_ramp: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/color_ramp.h"

#include "image/color_space.h"

#include "kg-math.h"

typedef struct {
  double at;
  float color[4]; /* premultiplied; of perceptual ramps in Oklab */
} Stop;

struct _ColorRamp {
  ColorRampInterpolation interpolation;
  bool perceptual;
  ColorConversion back;
  Stop *stops;
  size_t n_stops;
};

ColorRamp *
color_ramp_new (const KgTable *table, ColorRampInterpolation interpolation, bool perceptual)
{
  ColorRamp *ramp = g_new0 (ColorRamp, 1);
  const size_t rows = kg_table_get_n_rows (table);
  const bool has_alpha = kg_table_get_n_columns (table) > 4;
  Stop *stops = g_new0 (Stop, MAX (rows, 1));
  ColorConversion there;

  ramp->interpolation = interpolation;
  ramp->perceptual = perceptual;
  ramp->stops = stops;
  ramp->n_stops = MAX (rows, 1);
  color_conversion_init (&there, COLOR_SPACE_LINEAR, COLOR_SPACE_OKLAB);
  color_conversion_init (&ramp->back, COLOR_SPACE_OKLAB, COLOR_SPACE_LINEAR);
  for (size_t i = 0; i < rows; i++) {
    const double *row = kg_table_get_row (table, i);
    float *color = stops[i].color;

    stops[i].at = row[0];
    for (int c = 0; c < 3; c++)
      color[c] = (float) kg_clamp (row[1 + c], -1e30, 1e30);
    color[3] = has_alpha ? (float) kg_clamp (row[4], 0, 1) : 1;
    if (perceptual)
      color_conversion_apply (&there, &color[0], &color[1], &color[2], 1);
    for (int c = 0; c < 3; c++)
      color[c] *= color[3];
  }
  /* The number of stops is small: an insertion keeps the order of equal ones. */
  for (size_t i = 1; i < rows; i++)
    for (size_t j = i; j > 0 && stops[j].at < stops[j - 1].at; j--) {
      const Stop swap = stops[j];

      stops[j] = stops[j - 1];
      stops[j - 1] = swap;
    }
  return ramp;
}

void
color_ramp_free (ColorRamp *ramp)
{
  g_free (ramp->stops);
  g_free (ramp);
}

void
color_ramp_find (const ColorRamp *ramp, double t, float *color)
{
  size_t low = 0, high = ramp->n_stops;

  /* The last stop at or before t. */
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;

    if (ramp->stops[middle].at <= t)
      low = middle;
    else
      high = middle;
  }
  const Stop *a = &ramp->stops[low], *b = low + 1 < ramp->n_stops ? a + 1 : a;
  float u = b->at > a->at ? (float) kg_clamp ((t - a->at) / (b->at - a->at), 0, 1) : 0;

  if (ramp->interpolation == COLOR_RAMP_SMOOTH)
    u = u * u * (3 - 2 * u);
  else if (ramp->interpolation == COLOR_RAMP_STEPS)
    u = 0;
  for (int c = 0; c < 4; c++)
    color[c] = a->color[c] + u * (b->color[c] - a->color[c]);
  if (ramp->perceptual) {
    const float alpha = color[3];

    for (int c = 0; c < 3 && alpha > 0; c++)
      color[c] /= alpha;
    color_conversion_apply (&ramp->back, &color[0], &color[1], &color[2], 1);
    for (int c = 0; c < 3; c++)
      color[c] *= alpha;
  }
}
