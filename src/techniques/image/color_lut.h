/* color_lut: colour look-up tables of .cube files, of one and three dimensions.
 * Sources: Adobe, Cube LUT Specification 1.0, 2013 (and DaVinci Resolve's LUT_1D_INPUT_RANGE, LUT_3D_INPUT_RANGE, with a curve before the
 * cube in one file); Kasson, Nin, Plouffe and Hafner 1995, "Performing color space conversions with three-dimensional linear
 * interpolation" (six tetrahedra along the grey axis, which keeps greys exact).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"

G_BEGIN_DECLS

/* Most entries of a line and along each side of a cube. */
#define COLOR_LUT_MAX_LINE 65536
#define COLOR_LUT_MAX_CUBE 129

typedef struct _ColorLut ColorLut;

/* (transfer full) (nullable) text: NUL-terminated.  KG_ERROR_INVALID_FILE names the line. */
ColorLut *color_lut_parse (const char *text, GError **error);
/* A cube of size entries a side over 0..1: red, green and blue of each, red fastest.  (transfer full) (nullable) */
ColorLut *color_lut_new_cube (const float *entries, guint size, GError **error);
void color_lut_free (ColorLut *lut);
/* n colours in place; what is outside of the domain has the colour of its edge. */
void color_lut_apply (const ColorLut *lut, float *r, float *g, float *b, size_t n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ColorLut, color_lut_free)

G_END_DECLS
