/* inbetween: curves between key curves: by points, by parameters, and by moving points with patches between them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "curve/curve.h"

/* A key drawing as a function of a share sigma of it, 0..1, by parameter or by length. */
typedef struct {
  const Curve *curve;
  bool by_length;
  double offset; /* closed curves: where they start, as a share */
} InbetweenKey;

KgVector inbetween_key_get (const InbetweenKey *key, double sigma);

/* How two sides of a patch are mixed. */
typedef enum {
  INBETWEEN_BILINEAR, /* Coons with straight blends */
  INBETWEEN_CUBIC,    /* Coons with 3x² - 2x³ */
  INBETWEEN_HERMITE,  /* between the moving points, with the tangents of the keys mixed */
  INBETWEEN_N_BLENDS
} InbetweenBlend;

/* A patch between two keys: P (sigma) at tau 0, Q (sigma) at tau 1, A (tau) at sigma 0, B (tau) at sigma 1. */
typedef struct {
  KgVector (*key) (const void *data, guint which, double sigma);     /* which 0: P, 1: Q */
  KgVector (*side) (const void *data, guint which, double tau);      /* which 0: A, 1: B */
  KgVector (*tangent) (const void *data, guint which, double sigma); /* dP / dsigma, for Hermite; may be NULL */
  const void *data;
} InbetweenPatch;

KgVector inbetween_patch_get (const InbetweenPatch *patch, InbetweenBlend blend, double sigma, double tau);

/* By what share the second of two closed curves must start later for the sum of squared distances of n even places to
 * be least; the first such. */
double inbetween_find_best_start (const InbetweenKey *a, const InbetweenKey *b, guint n);
