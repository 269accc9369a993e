/* beam: a glowing line, added to an image as light.
 *
 * The light falls off with the distance from the line as a Gaussian; a beam in space gets narrower with depth.  A pixel takes the
 * depth and the width of the nearest point of the line on the screen: of a projected line, 1/z is linear along the screen, and
 * so is the width.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/image_operation.h"
#include "render/view.h"

G_BEGIN_DECLS

/* Farther away than so many standard deviations nothing is added. */
#define BEAM_REACH 6.0

typedef struct {
  double x, y;      /* pixels from the upper left corner of the image, as high as wide */
  double deviation; /* of the light across the beam, in pixels */
  double nearness;  /* 1 over the depth in metres; of a parallel view the depth; 0 without a camera */
} BeamEnd;

typedef struct {
  BeamEnd from, to;
  bool parallel;          /* nearness is depth */
  float halo[3], core[3]; /* light on the axis */
  double core_share;      /* deviation of the core over that of the halo; up to 1 */
  const float *behind;    /* (nullable) depth of each pixel: what is nearer than the beam hides it */
} Beam;

/* The part of the segment in front of the near plane on a screen of this size in pixels; the deviation is in metres.  False where
 * nothing is. */
bool beam_project (Beam *beam, const View *view, KgVector from, KgVector to, double deviation, double width,
                   double height);
/* Adds it; alpha stays.  False when monitor (nullable) says that it is cancelled. */
bool beam_add (KgImage **image, const Beam *beam, const KgProgressMonitor *monitor);

G_END_DECLS
