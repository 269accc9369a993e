/* kg-ghost: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-ghost.h"

#include "config.h"

#include <math.h>

/* A difference of a quarter is as good as any. */
#define CONTRAST 4.0f

/* The tints of frames before the current one, and of those after. */
static KgTint
get_tint (bool before)
{
  return before ? (KgTint){ 1.0, 0.35, 0.2 } : (KgTint){ 0.25, 0.65, 1.0 };
}

static float
get_difference (const float *p, const float *q)
{
  float difference = 0;

  for (int c = 0; c < 4; c++)
    difference = fmaxf (difference, fabsf (p[c] - q[c]));
  return difference;
}

/* How much of the colour comes where the image has p, the present one q and the neighbour r.  Where only the present
 * one differs, it is what moved that is there, and the image has the background. */
static float
get_cover (const float *p, const float *q, const float *r)
{
  float difference;

  if (q == NULL)
    return p[3];
  difference = get_difference (p, q);
  if (r != NULL)
    difference = fminf (difference, get_difference (p, r));
  return fminf (1, CONTRAST * difference);
}

void
kg_ghost_add (KgImage **ghosts, const KgImage *image, const KgImage *present, const KgImage *neighbor, bool before,
              double opacity)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  const float *from = kg_image_get_pixels (image);
  const bool opaque = present != NULL;
  const float *now = opaque ? kg_image_get_pixels (present) : NULL;
  const float *beside = opaque && neighbor != NULL && kg_image_get_width (neighbor) == width &&
                                kg_image_get_height (neighbor) == height
                            ? kg_image_get_pixels (neighbor)
                            : NULL;
  const KgTint tint = get_tint (before);
  const float color[] = { (float) tint.r, (float) tint.g, (float) tint.b };
  float *to;

  if (present != NULL && (kg_image_get_width (present) != width || kg_image_get_height (present) != height))
    return;
  if (*ghosts == NULL)
    *ghosts = kg_image_new (width, height, false, NULL);
  if (*ghosts == NULL || kg_image_get_width (*ghosts) != width || kg_image_get_height (*ghosts) != height)
    return;
  to = kg_image_edit_pixels (*ghosts);
  for (size_t i = 0; i < (size_t) width * (size_t) height; i++) {
    const float *p = from + 4 * i;
    const float cover = (float) opacity *
                        get_cover (p, now != NULL ? now + 4 * i : NULL, beside != NULL ? beside + 4 * i : NULL);
    /* Half the colour, half what was there: shapes stay to be seen. */
    const float light = p[3] > 0 ? (p[0] + p[1] + p[2]) / (3 * p[3]) : 0;

    for (int c = 0; c < 3; c++)
      to[4 * i + (size_t) c] = cover * color[c] * (0.4f + 0.6f * fminf (1, light)) +
                               (1 - cover) * to[4 * i + (size_t) c];
    to[4 * i + 3] = cover + (1 - cover) * to[4 * i + 3];
  }
}
