/* contact_patch: the border between two bodies that overlap, at single places.
 *
 * A body is a potential g with a gradient, above 0 inside.  The border is where both are the same; the compression is g there.
 * Source: Gascuel, An Implicit Formulation for Precise Contact Modeling between Flexible Solids, 1993.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-math.h"

G_BEGIN_DECLS

typedef double (*ContactPotential) (gconstpointer body, KgVector p, KgVector *gradient);

typedef struct {
  ContactPotential potential;
  gconstpointer a, b;
} ContactPair;

/* Climbs along the border to where the compression is greatest, from the place *p on, which it moves there, by steps that are
 * halved from step to precision (metres).  Returns the compression, which is below 0 where the bodies are apart. */
double contact_pair_climb (const ContactPair *pair, KgVector *p, double step, double precision);

/* A part of the contact surface. */
typedef struct {
  KgVector p, normal; /* out of body a */
  double area;        /* m² */
  double compression;
  double stiffness; /* how fast that grows when the bodies come nearer, 1/m */
} ContactSample;

/* Appends samples (ContactSample) of the contact surface around peak i of n: those that are nearer to it than to other peaks.
 * The surface is taken to be seen whole from there. */
void contact_pair_sample (const ContactPair *pair, const KgVector *peaks, guint n, guint i, double step,
                          GArray *samples);

G_END_DECLS
