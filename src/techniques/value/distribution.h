/* distribution: random numbers and places of many distributions, from uniform ones.
 *
 * Sources: Devroye, Non-Uniform Random Variate Generation, 1986 (inversion, II.2); Box and Muller 1958 (normal); Hörmann, The
 * Transformed Rejection Method for Generating Poisson Random Variables, 1993 (PTRS, means from 10 on); Archimedes (sphere).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-math.h"

G_BEGIN_DECLS

/* Where uniform numbers in [0, 1) come from. */
typedef struct {
  double (*draw) (gpointer data);
  gpointer data;
} DistributionSource;

/* Each draws the number of values stated with it. */
double distribution_draw_normal (const DistributionSource *source, double mean, double deviation); /* 2 */
double distribution_draw_exponential (const DistributionSource *source, double rate);              /* 1; rate > 0 */
/* Rises from low to mode and falls to high, low <= mode <= high. 1 */
double distribution_draw_triangular (const DistributionSource *source, double low, double mode, double high);
/* How many of many rare events happen, mean of them on average; mean from 0 to 1e9.  1 below a mean of 30, else 2 or more. */
int64_t distribution_draw_poisson (const DistributionSource *source, double mean);
/* Uniform in a ball around the origin. 3 */
KgVector distribution_draw_in_ball (const DistributionSource *source, double radius);
/* Uniform in a disc around the origin, perpendicular to the unit vector axis. 2 */
KgVector distribution_draw_in_disc (const DistributionSource *source, double radius, KgVector axis);
/* A unit vector, uniform over the directions within angle (radians, 0 to pi) of the unit vector axis. 2 */
KgVector distribution_draw_in_cone (const DistributionSource *source, double angle, KgVector axis);

/* The one of n > 0 parts that a number falls into, from 0 to the last of sums, which rise from part to part: of lengths, areas
 * or chances up to the end of each.  The last part where the number is beyond all. */
size_t distribution_find_part (const double *sums, size_t n, double x);

/* Points that keep clear of each other, n from 1 on, a number in [0, 1) for each dimension: Halton's (1960), the digits of n
 * mirrored at the point in the bases 2, 3, 5 and 7; and Roberts' (2018) for two dimensions, multiples of 1/g and 1/g² for the
 * root g of g³ = g + 1. */
#define SPREAD_DIMENSIONS 4
double distribution_get_halton (uint64_t n, guint dimension);
double distribution_get_r2 (uint64_t n, guint dimension);

G_END_DECLS
