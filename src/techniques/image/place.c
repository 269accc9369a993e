/* place: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/place.h"

/* Cosine and sine, of right angles without the rounding of pi. */
static void
get_cos_sin (double angle, double *c, double *s)
{
  *c = cos (angle);
  *s = sin (angle);
  if (fabs (*c) < 1e-12) {
    *c = 0;
    *s = *s > 0 ? 1 : -1;
  } else if (fabs (*s) < 1e-12) {
    *c = *c > 0 ? 1 : -1;
    *s = 0;
  }
}

KgImage *
place_image (const KgImage *image, const Place *place, int width, int height, double aspect, ResampleFilter filter,
             const KgProgressMonitor *monitor, GError **error)
{
  const int columns = kg_image_get_width (image), rows = kg_image_get_height (image);
  const double own = kg_image_get_pixel_aspect (image);
  /* Centre to centre, but whole pixels from corner to corner. */
  const double cx = floor (0.5 * (width - columns) + 0.5) + 0.5 * columns + place->x;
  const double cy = floor (0.5 * (height - rows) + 0.5) + 0.5 * rows - place->y;
  g_autoptr (KgImage) out = kg_image_new (width, height, kg_image_get_depth (image) != NULL, error);
  ResampleMap map;
  double c, s;

  if (out == NULL)
    return NULL;
  kg_image_set_pixel_aspect (out, aspect);
  if (fabs (place->scale_x) < RESAMPLE_TINY || fabs (place->scale_y) < RESAMPLE_TINY)
    return (KgImage *) g_steal_pointer (&out);
  get_cos_sin (place->rotate, &c, &s);
  /* Turned back, then scaled back; turning is round where pixels are as wide as high only. */
  map.m[0][0] = c * aspect / (place->scale_x * own);
  map.m[0][1] = -s / (place->scale_x * own);
  map.m[1][0] = s * aspect / place->scale_y;
  map.m[1][1] = c / place->scale_y;
  map.offset[0] = 0.5 * columns + place->anchor_x - map.m[0][0] * cx - map.m[0][1] * cy;
  map.offset[1] = 0.5 * rows - place->anchor_y - map.m[1][0] * cx - map.m[1][1] * cy;
  return resample_image (image, &map, filter, RESAMPLE_TRANSPARENT, out, monitor) ? (KgImage *) g_steal_pointer (&out)
                                                                                  : NULL;
}
