/* ik_rates: rates of joints that move ends as they are wanted to, from a Jacobian.
 * Sources: Whitney 1969 (the inverse); Parent, Computer Animation, 4.2.3 to 4.2.5 (pseudo-inverse, control expression);
 * Wampler 1986, Nakamura and Hanafusa 1986, Buss and Kim 2005 (damping); Wolovich and Elliott 1984 (transpose); Siciliano and
 * Slotine 1991 (priorities); Whitney 1969 (stiffness: q̇ = W^-½ (J W^-½)⁺ ẋ).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

typedef enum {
  IK_RATES_INVERSE,        /* of a square Jacobian, rows of zeros aside; fails in a singular pose */
  IK_RATES_PSEUDO_INVERSE, /* the least rates; singular directions (below 1e-6 of the largest) are left out */
  IK_RATES_DAMPED,         /* singular value s counts as s / (s² + damping²) */
  IK_RATES_TRANSPOSE,      /* a multiple of Jᵀ e, the best one */
  IK_RATES_EFFECT, /* each joint makes what it can of the error, as if it were alone; shares add up to 1, the larger the lever */
  IK_RATES_N_METHODS
} IkRatesMethod;

typedef enum {
  IK_DAMPING_CONSTANT,
  IK_DAMPING_NEAR_SINGULAR, /* none where the least singular value is above a tenth of the largest */
  IK_DAMPING_SELECTIVE,     /* no joint rotates farther for a direction than the direction is worth, and at most 45° */
  IK_DAMPING_N_RULES
} IkDampingRule;

typedef struct {
  guint n_rows, n;
  const double
      *jacobian; /* n_rows × n, row by row; rows come in threes: the velocity of an end, or its angular velocity */
  const double *error; /* n_rows: what the rows should become */
  const int *levels;   /* (nullable) n_rows: rows of a higher level give way to those of lower ones */
  const double *wish;  /* (nullable) n: rates for the motions that leave all rows as they are */
  const double
      *stiffness; /* (nullable) n, positive: what a rate costs, so that the sum of stiffness · rate² is least */
  IkRatesMethod method;
  IkDampingRule damping_rule;
  double damping;
} IkRates;

/* rates: (out) n.  Fails where the inverse does not exist.  Priorities and the wish do not apply to the inverse, the transpose
 * and the effect of each joint. */
bool ik_rates_solve (const IkRates *ik, double *rates, GError **error);

/* The part of a wish (n) that no row notices: wish - J⁺J wish. */
bool ik_rates_project (const IkRates *ik, const double *wish, double *projected, GError **error);

G_END_DECLS
