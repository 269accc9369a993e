/* color_space: colours of named standards, and what temperature of light does to them.
 * Sources: IEC 61966-2-1 (sRGB); ITU-R BT.709, BT.2020 and BT.2100 (PQ, HLG); SMPTE EG 432-1 (P3); Adobe RGB (1998); ROMM (ISO
 * 22028-2); SMPTE ST 2065-1 and Academy S-2014-004, S-2016-001 (ACES, ACEScg, ACEScct); CIE 15 (XYZ, L*a*b*, daylight);
 * Ottosson 2020 (Oklab); Smith 1978 (HSV); Lam 1985 (Bradford adaptation); Kim and others 2002 (Planck's locus).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"

G_BEGIN_DECLS

typedef enum {
  COLOR_SPACE_LINEAR, /* BT.709 primaries, linear light: what images are in */
  COLOR_SPACE_SRGB,
  COLOR_SPACE_BT709, /* camera curve */
  COLOR_SPACE_GAMMA_24,
  COLOR_SPACE_BT2020_LINEAR,
  COLOR_SPACE_BT2020,
  COLOR_SPACE_PQ,  /* 1: 100 cd/m² */
  COLOR_SPACE_HLG, /* scene light, 1: the signal's peak */
  COLOR_SPACE_P3_LINEAR,
  COLOR_SPACE_DISPLAY_P3,
  COLOR_SPACE_ADOBE_RGB,
  COLOR_SPACE_PROPHOTO,
  COLOR_SPACE_ACES,
  COLOR_SPACE_ACESCG,
  COLOR_SPACE_ACESCCT,
  COLOR_SPACE_XYZ,
  COLOR_SPACE_LAB, /* L* / 100, a* / 100, b* / 100, white D65 */
  COLOR_SPACE_OKLAB,
  COLOR_SPACE_HSV,   /* of sRGB; all 0..1 */
  COLOR_SPACE_HSL,   /* of sRGB; all 0..1 */
  COLOR_SPACE_YCBCR, /* of BT.709's signal; Cb and Cr -0.5..0.5 */
  COLOR_SPACE_N
} ColorSpace;

typedef struct {
  ColorSpace from, to;
  double matrix[3][3]; /* from linear light to linear light */
} ColorConversion;

void color_conversion_init (ColorConversion *conversion, ColorSpace from, ColorSpace to);
/* n colours in place.  Transfer curves of negative numbers are those of positive ones, mirrored. */
void color_conversion_apply (const ColorConversion *conversion, float *r, float *g, float *b, size_t n);

/* The matrix that takes linear light seen under a light of that temperature (kelvin, 1667..25000) and tint (Duv in
 * thousandths, green positive) to what it looks like under D65; 6504 and 0: the identity, almost. */
void color_balance_matrix (double kelvin, double tint, double matrix[3][3]);
/* The matrix that takes XYZ with that white to linear light of BT.709 primaries, adapted by the Bradford transform. */
void color_adapted_matrix (const double white[3], double matrix[3][3]);
/* False where it has no inverse.  inverse may be matrix. */
bool color_matrix_invert (const double matrix[3][3], double inverse[3][3]);
/* n colours times a matrix, in place. */
void color_matrix_apply (const double matrix[3][3], float *r, float *g, float *b, size_t n);

G_END_DECLS
