/* density: how the field of a soft object falls off around its keys.
 *
 * Each function C(ρ) of the distance relative to the radius of influence is given by s = ρ²; C(0) = 1 and C(1) = 0, but for
 * Blinn's exponential, whose radius is that of the surface and whose reach ends where it has fallen to a cutoff.
 * Sources: Blinn, A Generalization of Algebraic Surface Drawing, 1982; Nishimura and others, Object Modelling by Distribution
 * Function, 1985; Wyvill, McPheeters and Wyvill, Data Structure for Soft Objects, 1986; Murakami and Ichihara 1987.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  DENSITY_WYVILL,    /* 1 − 22/9 s + 17/9 s² − 4/9 s³: a half at ρ = ½ */
  DENSITY_SMOOTH,    /* 1 − 3ρ² + 2ρ³: a half at ρ = ½ */
  DENSITY_QUADRATIC, /* 1 − s: a kink at ρ = 1 */
  DENSITY_METABALL,  /* 1 − 3s up to ρ = ⅓, then 3/2 (1 − ρ)² */
  DENSITY_GAUSS,     /* level · exp (−B (s − 1)) − cutoff */
  DENSITY_QUARTIC,   /* (1 − s)² */
  DENSITY_CUBIC,     /* (1 − s)³ */
  DENSITY_N_KINDS
} DensityKind;

typedef struct {
  DensityKind kind;
  double level;      /* of the surface, > 0 */
  double blobbiness; /* B of the exponential, > 0 */
  double cutoff;     /* of the exponential, > 0 and below the level */
} Density;

/* C at the square s of the relative distance, and in slope (nullable) dC/ds; both 0 outside its reach.  At a distance of 0 the
 * slope of all is finite. */
double density_get (const Density *density, double s, double *slope);
/* The relative distance ρ at which it is 0 from there on. */
double density_get_reach (const Density *density);
/* ρ at which a key of that force alone has the level: the radius of its body as a part of its radius of influence; 0 where
 * the force is too weak for a surface. */
double density_get_body (const Density *density, double force);

G_END_DECLS
