/* flight_frame: how what flies is turned: heading, bank, and the axes of its body.
 *
 * Forward is z of the body, up y, left x.  The lift carries the weight and gives the acceleration across the path, so that up is
 * along a - g, made perpendicular to the heading: for a level turn tan φ = v² / (g r).  Bank is positive with the right wing low.
 * Sources: Parent, Computer Animation, 4.5.2; Reynolds, Flocks, Herds, and Schools, 1987.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

typedef struct {
  KgVector forward, left, up; /* unit, perpendicular */
} FlightFrame;

/* Level wings; forward: unit.  up: of the world, or of the ground.  left: of the frame before, for a heading straight up or down. */
FlightFrame flight_frame_level (KgVector forward, KgVector up, KgVector left);
/* The bank that carries an acceleration beside the weight; before: what it was, where nothing is to be carried. */
double flight_frame_get_bank (const FlightFrame *level, KgVector a, KgVector gravity, double before);
FlightFrame flight_frame_bank (const FlightFrame *level, double bank);
/* From the axes of the body to those of the world. */
KgRotation flight_frame_get_rotation (const FlightFrame *frame);
