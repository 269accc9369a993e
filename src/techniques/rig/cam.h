/* cam: a disc that turns and lifts a roller, which goes up and down above its axis.
 *
 * The way of the roller over the angle of the disc is a law of motion: up within an angle, a dwell, down within another, and a
 * dwell below.  The disc is what the roller leaves of a sheet when it goes around the disc: the curve at the radius of the
 * roller from the path of its axis (pitch curve).  Source: Norton, Design of Machinery, ch. 8.  Units: metres, radians.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  CAM_CYCLOIDAL,  /* u - sin (2 pi u) / 2 pi: starts and ends without acceleration */
  CAM_HARMONIC,   /* (1 - cos (pi u)) / 2: the least top acceleration that is smooth in between */
  CAM_POLYNOMIAL, /* 10 u³ - 15 u⁴ + 6 u⁵ */
  CAM_N_LAWS
} CamLaw;

typedef struct {
  double base;              /* radius of the disc where it does not lift, > 0 */
  double roller;            /* radius of the roller; 0: a knife edge */
  double lift;              /* >= 0 */
  double rise, dwell, fall; /* angles, together at most a full turn */
  CamLaw law;
} Cam;

/* How far the roller is lifted when the disc has turned by an angle (counter-clockwise; any number of turns), and the first and
 * second derivatives by the angle. */
double cam_get_lift (const Cam *cam, double angle, double *slope, double *bend);
/* The angle between the way of the roller and the normal where it touches: beyond about 30 degrees a follower jams. */
double cam_get_pressure (const Cam *cam, double angle);
/* Where the roller touches the disc, seen from the axis of the disc: the roller is above it. */
KgVector cam_get_contact (const Cam *cam, double angle);
/* n points of the disc at an angle of 0, in order of the angles at which they touch. */
void cam_get_outline (const Cam *cam, KgVector *points, size_t n);
/* The least radius with which the pitch curve bends outwards: a larger roller undercuts the disc, and does not follow the law. */
double cam_get_least_radius (const Cam *cam);

G_END_DECLS
