/* pieces: functions of one variable as pieces of polynomials, so that they can be added, integrated and differentiated
 * exactly and their zeros found.  The timing nodes work on these and publish them as channels.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-channel.h"

/* Most pieces that a function is cut into. */
#define PIECES_MAX 4000000

/* Piece i lies between breaks[i] and breaks[i + 1]; its value is the sum of c[i * (degree + 1) + k] u^k, where u runs
 * from 0 to 1 across it. */
typedef struct {
  guint degree;
  gsize n;
  double *breaks;
  double *c;
} Pieces;

/* Zero everywhere; breaks still to be set.  (transfer full) */
Pieces *pieces_new (guint degree, gsize n);
void pieces_free (Pieces *pieces);
/* A copy whose degree is at least the given one.  (transfer full) */
Pieces *pieces_copy (const Pieces *pieces, guint degree);

typedef double (*PiecesFunction) (gpointer data, double x);

/* Any function over [low, high], cut in halves until a polynomial of degree 7 through eight of its values (Chebyshev's
 * extremal points, where such a polynomial errs least) is right to 1e-12 of its size between them too.  A place where it
 * does not get right however fine it is cut becomes a jump.  Fails when there are too many of those.  (transfer full)
 * (nullable) */
Pieces *pieces_new_function (PiecesFunction function, gpointer data, double low, double high, GError **error);
/* One component of a channel within its range: exact where the channel is made of polynomials, else as above.  A channel
 * of one moment lasts one unit.  Fails when there are too many samples.  (transfer full) (nullable) */
Pieces *pieces_new_channel (const KgChannel *channel, guint component, GError **error);

/* order 0: the value, 1 to 3: derivatives; from the right at a break.  x is clamped to the breaks. */
double pieces_evaluate (const Pieces *pieces, double x, guint order);
/* The same in piece i, at u = 0 from the right and at u = 1 from the left. */
double pieces_evaluate_in (const Pieces *pieces, gsize i, double u, guint order);
/* Over the whole range. */
double pieces_integrate (const Pieces *pieces);

/* A function with the given value at its first break and the given one as its derivative; it has no jumps.
 * (transfer full) */
Pieces *pieces_new_integral (const Pieces *pieces, double start);

/* Four coefficients: the cubic from s0 to s1 that starts and ends with the derivatives v0 and v1 by u. */
void pieces_set_cubic (double *c, double s0, double s1, double v0, double v1);
/* Six coefficients: the quintic that has the second derivatives a0 and a1 as well. */
void pieces_set_quintic (double *c, double s0, double s1, double v0, double v1, double a0, double a1);

void pieces_scale (Pieces *pieces, double factor);
void pieces_add_constant (Pieces *pieces, double value);
/* Stretches the variable so that it runs from low to high; values stay. */
void pieces_set_range (Pieces *pieces, double low, double high);
/* The part between low and high (low < high, both within the breaks).  (transfer full) */
Pieces *pieces_restrict (const Pieces *pieces, double low, double high);
/* Adds more, moved so that it starts where pieces ends. */
void pieces_append (Pieces *pieces, const Pieces *more);

/* The places in 0..1 (increasing) where the derivative of piece i of the given order changes its sign, at most
 * KG_CHANNEL_MAX_DEGREE of them. */
guint pieces_find_zeros (const Pieces *pieces, gsize i, guint order, double *zeros);

/* Fails on numbers that are not finite.  (transfer full) (nullable) */
KgChannel *pieces_to_channel (const Pieces *pieces, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Pieces, pieces_free)
