/* color_ramp: colours at stops along a line, and what is between them.
 * Source: Ottosson, Oklab, 2020, for what is perceptual.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-table.h"

G_BEGIN_DECLS

typedef enum {
  COLOR_RAMP_LINEAR,
  COLOR_RAMP_SMOOTH, /* flat at the stops */
  COLOR_RAMP_STEPS,  /* the colour of the last stop */
  COLOR_RAMP_N_INTERPOLATIONS
} ColorRampInterpolation;

typedef struct _ColorRamp ColorRamp;

/* (transfer full) stops: rows of position, red, green, blue in linear light and, if there is a fifth column, alpha, in any
 * order; of stops at one place the later row is above.  Without rows it is transparent.  perceptual: blends in Oklab instead
 * of mixing light. */
ColorRamp *color_ramp_new (const KgTable *stops, ColorRampInterpolation interpolation, bool perceptual);
void color_ramp_free (ColorRamp *ramp);
/* The colour at t, premultiplied, in linear light; before the first and after the last stop it is theirs.  rgba: 4 floats
 * out. */
void color_ramp_find (const ColorRamp *ramp, double t, float *rgba);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ColorRamp, color_ramp_free)

G_END_DECLS
