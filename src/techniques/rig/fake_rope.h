/* fake_rope: ropes, strings and coils that look as if they had weight, as a function of time.
 * Sources: the catenary; the plucked string (d'Alembert, Bernoulli); Ahn and others name the idea, of ropes and springs without
 * dynamics.  Units: metres, seconds.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

#include <stddef.h>
#include <stdint.h>

/* A rope that hangs between two points. */
typedef struct {
  KgVector start, along, down; /* along: level, unit; down: unit */
  double level, drop;          /* from start to end: along, and against down */
  double length;
  double a, lowest; /* of a cosh; the place of its vertex along the level; a = 0: straight, or folded straight down */
  bool taut;
} HangingRope;

/* gravity: the acceleration that it feels; without any it is straight.  length: where it is too short for the distance the rope is
 * straight, and taut. */
void hanging_rope_init (HangingRope *rope, KgVector start, KgVector end, double length, KgVector gravity);
/* At a share of its length, 0 to 1. */
KgVector hanging_rope_get_point (const HangingRope *rope, double share);
/* Largest tension, in units of the weight of a metre; 0 of a taut one, where it is not determined. */
double hanging_rope_get_tension (const HangingRope *rope);

/* How far a string that was plucked by 1 at a share of its length is out at another share, so many seconds later: the sum of its
 * first modes.  0 where it was plucked at an end, and before it is. */
double plucked_string_get (double at, double share, double seconds, double speed, double length, double decay,
                           uint32_t modes);

/* Radius of a coil of n turns of a wire along a curve of that length; at least as long as n widths of the wire.  0 where the wire
 * is too short for turns. */
double coil_get_radius (double wire, double length, double turns, double width);
