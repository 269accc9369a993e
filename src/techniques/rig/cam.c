/* cam: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/cam.h"

/* Angles at which the bend of the pitch curve is looked at. */
#define SAMPLES 1440

/* From 0 to 1 while u does, with both derivatives by u. */
static double
get_share (CamLaw law, double u, double *slope, double *bend)
{
  const double w = 2 * KG_PI * u;

  switch (law) {
  case CAM_HARMONIC:
    *slope = 0.5 * KG_PI * sin (KG_PI * u);
    *bend = 0.5 * KG_PI * KG_PI * cos (KG_PI * u);
    return 0.5 * (1 - cos (KG_PI * u));
  case CAM_POLYNOMIAL:
    *slope = 30 * u * u * (1 - u) * (1 - u);
    *bend = 60 * u * (1 - u) * (1 - 2 * u);
    return kg_fade (u);
  default:
    *slope = 1 - cos (w);
    *bend = 2 * KG_PI * sin (w);
    return u - sin (w) / (2 * KG_PI);
  }
}

double
cam_get_lift (const Cam *cam, double angle, double *slope, double *bend)
{
  const double at = angle - 2 * KG_PI * floor (angle / (2 * KG_PI)), down = at - cam->rise - cam->dwell;
  double share, first = 0, second = 0, sign = 1, length;

  *slope = *bend = 0;
  if (at < cam->rise) {
    length = cam->rise;
    share = get_share (cam->law, at / length, &first, &second);
  } else if (down < 0)
    return cam->lift;
  else if (down < cam->fall) {
    length = cam->fall;
    sign = -1;
    share = 1 - get_share (cam->law, down / length, &first, &second);
  } else
    return 0;
  *slope = sign * cam->lift * first / length;
  *bend = sign * cam->lift * second / (length * length);
  return cam->lift * share;
}

double
cam_get_pressure (const Cam *cam, double angle)
{
  double slope, bend;
  const double r = cam->base + cam->roller + cam_get_lift (cam, angle, &slope, &bend);

  return atan2 (slope, r);
}

KgVector
cam_get_contact (const Cam *cam, double angle)
{
  double slope, bend;
  const double r = cam->base + cam->roller + cam_get_lift (cam, angle, &slope, &bend), length = hypot (r, slope);

  /* The pitch curve in the frame of the disc is r (t) at the angle -t from the top: in the world its tangent is (r, slope). */
  return kg_vector (cam->roller * slope / length, r - cam->roller * r / length, 0);
}

void
cam_get_outline (const Cam *cam, KgVector *points, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const double angle = 2 * KG_PI * (double) i / (double) n, c = cos (angle), s = sin (angle);
    const KgVector p = cam_get_contact (cam, angle);

    /* Turned back by the angle at which it touches. */
    points[i] = kg_vector (c * p.x + s * p.y, -s * p.x + c * p.y, 0);
  }
}

double
cam_get_least_radius (const Cam *cam)
{
  double least = INFINITY;

  for (int i = 0; i < SAMPLES; i++) {
    double slope, bend;
    const double r = cam->base + cam->roller + cam_get_lift (cam, 2 * KG_PI * i / SAMPLES, &slope, &bend);
    const double curved = r * r + 2 * slope * slope - r * bend;

    if (curved > 0)
      least = fmin (least, pow (r * r + slope * slope, 1.5) / curved);
  }
  return least;
}
