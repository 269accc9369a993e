/* merge: two images as one, by the algebra of coverage and by blend modes.
 * Source: Porter and Duff 1984 (coverage); W3C Compositing and Blending Level 1, 2015 (blend modes, with coverage);
 * Foundry Nuke and Natron, node Merge (the names, and formulas on premultiplied channels).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/image_operation.h"

G_BEGIN_DECLS

/* A: foreground, B: the image; a, b their alpha. */
typedef enum {
  /* Coverage: c = F_A A + F_B B, all four channels alike. */
  MERGE_OVER,          /* A + (1 - a) B */
  MERGE_UNDER,         /* (1 - b) A + B */
  MERGE_IN,            /* b A */
  MERGE_MASK,          /* a B */
  MERGE_OUT,           /* (1 - b) A */
  MERGE_STENCIL,       /* (1 - a) B */
  MERGE_ATOP,          /* b A + (1 - a) B */
  MERGE_UNDER_ATOP,    /* (1 - b) A + a B */
  MERGE_XOR,           /* (1 - b) A + (1 - a) B */
  MERGE_PLUS,          /* A + B, alpha at most 1 */
  MERGE_COPY,          /* A */
  MERGE_CLEAR,         /* 0 */
  MERGE_MATTE,         /* a A + (1 - a) B: A is straight */
  MERGE_CONJOINT_OVER, /* coverages overlap as far as they can */
  MERGE_DISJOINT_OVER, /* coverages avoid each other as far as they can */
  /* Blend modes, each channel by itself: s of A, d of B. */
  MERGE_MULTIPLY,
  MERGE_SCREEN,
  MERGE_OVERLAY,
  MERGE_HARD_LIGHT,
  MERGE_SOFT_LIGHT,
  MERGE_COLOR_DODGE,
  MERGE_COLOR_BURN,
  MERGE_MIN,
  MERGE_MAX,
  MERGE_DIFFERENCE,
  MERGE_EXCLUSION,
  MERGE_AVERAGE,
  MERGE_MINUS, /* s - d */
  MERGE_FROM,  /* d - s */
  MERGE_DIVIDE,
  MERGE_GEOMETRIC,
  MERGE_HYPOT,
  MERGE_PIN_LIGHT,
  MERGE_REFLECT,
  MERGE_FREEZE,
  MERGE_GRAIN_EXTRACT,
  MERGE_GRAIN_MERGE,
  /* Blend modes of whole colours. */
  MERGE_HUE,
  MERGE_SATURATION,
  MERGE_COLOR,
  MERGE_LUMINOSITY,
  MERGE_N_OPERATORS
} MergeOperator;

/* How blend modes meet alpha. */
typedef enum {
  MERGE_COVERED, /* (1 - b) A + (1 - a) B + a b blend (A/a, B/b); alpha a + b - a b.  Where a or b is 0: A + (1 - a) B, so that
                     light without coverage is added, as Over does */
  MERGE_CHANNELS, /* the formula on the premultiplied channels, alpha included (whole colours: a + b - a b) */
  MERGE_MASKED,   /* the formula on the premultiplied colours; alpha a + b - a b */
  MERGE_N_ALPHAS
} MergeAlpha;

typedef struct {
  MergeOperator op;
  MergeAlpha alpha;
  float opacity; /* A's four channels are multiplied by it first */
  bool
      channel_alpha; /* r, g, b of the second of the others are the alphas of A's channels, for operators of coverage; alpha
                         of the result is their mean */
} Merge;

/* Lays others[0] on the image: image_combine with this operator. */
bool merge_combine (KgImage **image, const ImageSource *others, guint n_others, const ImageWear *wear,
                    const Merge *merge, const KgProgressMonitor *monitor);

G_END_DECLS
