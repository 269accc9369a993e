/* lagged_random: the generator of random numbers that the textbook prints.
 *
 * A lagged Fibonacci generator (55, 24) of whole numbers below 10⁹, whose draws pass through a table of 42 that shuffles them.
 * It is here because published figures are made with it; kg-random.h is better and needs no state.
 * Source: Parent, Computer Animation, B.5.2, after a program by Gasch.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"

G_BEGIN_DECLS

#define LAGGED_RANDOM_END 1000000000 /* draws are below it */
#define LAGGED_RANDOM_MAX_SEED 85    /* most characters of a seed */

/* Copied as a plain struct. */
typedef struct {
  int32_t r[98];  /* 1 to 97 are used */
  int32_t memory; /* of the shuffle */
  int i, j;
} LaggedRandom;

/* seed: up to LAGGED_RANDOM_MAX_SEED characters, each with a code of 1 to 122 (letters and digits have).  Fails with a
 * message that names the character. */
bool lagged_random_init (LaggedRandom *random, const char *seed, GError **error);
/* A whole number from 0 to LAGGED_RANDOM_END - 1. */
int32_t lagged_random_draw (LaggedRandom *random);

G_END_DECLS
