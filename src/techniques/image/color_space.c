/* color_space: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/color_space.h"

#include "kg-kernel.h"

typedef double Matrix[3][3];

typedef enum {
  PRIMARIES_709,
  PRIMARIES_2020,
  PRIMARIES_P3,
  PRIMARIES_ADOBE,
  PRIMARIES_ROMM,
  PRIMARIES_AP0,
  PRIMARIES_AP1,
  PRIMARIES_XYZ
} Primaries;
typedef enum {
  CURVE_LINEAR,
  CURVE_SRGB,
  CURVE_709,
  CURVE_24,
  CURVE_PQ,
  CURVE_HLG,
  CURVE_ADOBE,
  CURVE_ROMM,
  CURVE_ACESCCT
} Curve;
typedef enum { MODEL_RGB, MODEL_LAB, MODEL_OKLAB, MODEL_HSV, MODEL_HSL, MODEL_YCBCR } Model;

#define D65 0.3127, 0.3290

/* x and y of red, green, blue and white. */
static const double chromaticities[][8] = {
  [PRIMARIES_709] = { 0.64, 0.33, 0.30, 0.60, 0.15, 0.06, D65 },
  [PRIMARIES_2020] = { 0.708, 0.292, 0.170, 0.797, 0.131, 0.046, D65 },
  [PRIMARIES_P3] = { 0.680, 0.320, 0.265, 0.690, 0.150, 0.060, D65 },
  [PRIMARIES_ADOBE] = { 0.64, 0.33, 0.21, 0.71, 0.15, 0.06, D65 },
  [PRIMARIES_ROMM] = { 0.7347, 0.2653, 0.1596, 0.8404, 0.0366, 0.0001, 0.3457, 0.3585 },
  [PRIMARIES_AP0] = { 0.7347, 0.2653, 0.0, 1.0, 0.0001, -0.0770, 0.32168, 0.33767 },
  [PRIMARIES_AP1] = { 0.713, 0.293, 0.165, 0.830, 0.128, 0.044, 0.32168, 0.33767 },
};

static const struct {
  Primaries primaries;
  Curve curve;
  Model model;
} spaces[COLOR_SPACE_N] = {
  [COLOR_SPACE_LINEAR] = { PRIMARIES_709, CURVE_LINEAR, MODEL_RGB },
  [COLOR_SPACE_SRGB] = { PRIMARIES_709, CURVE_SRGB, MODEL_RGB },
  [COLOR_SPACE_BT709] = { PRIMARIES_709, CURVE_709, MODEL_RGB },
  [COLOR_SPACE_GAMMA_24] = { PRIMARIES_709, CURVE_24, MODEL_RGB },
  [COLOR_SPACE_BT2020_LINEAR] = { PRIMARIES_2020, CURVE_LINEAR, MODEL_RGB },
  [COLOR_SPACE_BT2020] = { PRIMARIES_2020, CURVE_709, MODEL_RGB },
  [COLOR_SPACE_PQ] = { PRIMARIES_2020, CURVE_PQ, MODEL_RGB },
  [COLOR_SPACE_HLG] = { PRIMARIES_2020, CURVE_HLG, MODEL_RGB },
  [COLOR_SPACE_P3_LINEAR] = { PRIMARIES_P3, CURVE_LINEAR, MODEL_RGB },
  [COLOR_SPACE_DISPLAY_P3] = { PRIMARIES_P3, CURVE_SRGB, MODEL_RGB },
  [COLOR_SPACE_ADOBE_RGB] = { PRIMARIES_ADOBE, CURVE_ADOBE, MODEL_RGB },
  [COLOR_SPACE_PROPHOTO] = { PRIMARIES_ROMM, CURVE_ROMM, MODEL_RGB },
  [COLOR_SPACE_ACES] = { PRIMARIES_AP0, CURVE_LINEAR, MODEL_RGB },
  [COLOR_SPACE_ACESCG] = { PRIMARIES_AP1, CURVE_LINEAR, MODEL_RGB },
  [COLOR_SPACE_ACESCCT] = { PRIMARIES_AP1, CURVE_ACESCCT, MODEL_RGB },
  [COLOR_SPACE_XYZ] = { PRIMARIES_XYZ, CURVE_LINEAR, MODEL_RGB },
  [COLOR_SPACE_LAB] = { PRIMARIES_XYZ, CURVE_LINEAR, MODEL_LAB },
  [COLOR_SPACE_OKLAB] = { PRIMARIES_XYZ, CURVE_LINEAR, MODEL_OKLAB },
  [COLOR_SPACE_HSV] = { PRIMARIES_709, CURVE_SRGB, MODEL_HSV },
  [COLOR_SPACE_HSL] = { PRIMARIES_709, CURVE_SRGB, MODEL_HSL },
  [COLOR_SPACE_YCBCR] = { PRIMARIES_709, CURVE_709, MODEL_YCBCR },
};

static const Matrix bradford = { { 0.8951, 0.2664, -0.1614 },
                                 { -0.7502, 1.7135, 0.0367 },
                                 { 0.0389, -0.0685, 1.0296 } };
/* Ottosson 2020, with more digits: as first published, grey has a tint of 1e-4 for this white.  These are those of CSS Color 4. */
static const Matrix oklab_cones = { { 0.8190224379967030, 0.3619062600528904, -0.1288737815209879 },
                                    { 0.0329836539323885, 0.9292868615863434, 0.0361446663506424 },
                                    { 0.0481771893596242, 0.2642395317527308, 0.6335478284694309 } };
static const Matrix oklab_axes = { { 0.2104542683093140, 0.7936177747023054, -0.0040720430116193 },
                                   { 1.9779985324311684, -2.4285922420485799, 0.4505937096174110 },
                                   { 0.0259040424655478, 0.7827717124575296, -0.8086757549230774 } };

static void
multiply (const Matrix a, const Matrix b, Matrix c)
{
  Matrix product;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      product[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
  memcpy (c, product, sizeof product);
}

static void
invert (const Matrix m, Matrix inverse)
{
  Matrix cofactors;
  double determinant = 0;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;

      cofactors[j][i] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
    }
  for (int j = 0; j < 3; j++)
    determinant += m[0][j] * cofactors[j][0];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      inverse[i][j] = cofactors[i][j] / determinant;
}

static void
transform (const Matrix m, const double *v, double *to)
{
  const double x = v[0], y = v[1], z = v[2];

  for (int i = 0; i < 3; i++)
    to[i] = m[i][0] * x + m[i][1] * y + m[i][2] * z;
}

static void
xyz_from_xy (const double *xy, double *xyz)
{
  xyz[0] = xy[0] / xy[1];
  xyz[1] = 1;
  xyz[2] = (1 - xy[0] - xy[1]) / xy[1];
}

/* What is white under one light becomes white under the other. */
static void
make_adaptation (const double *from_xy, const double *to_xy, Matrix m)
{
  double from[3], to[3];
  Matrix back, scaled;

  xyz_from_xy (from_xy, from);
  xyz_from_xy (to_xy, to);
  transform (bradford, from, from);
  transform (bradford, to, to);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      scaled[i][j] = bradford[i][j] * to[i] / from[i];
  invert (bradford, back);
  multiply (back, scaled, m);
}

/* To XYZ with the white of D65. */
static void
make_to_xyz (Primaries primaries, Matrix m)
{
  static const double d65[2] = { D65 };
  const double *xy = chromaticities[primaries];
  double white[3], amount[3];
  Matrix inverse, adaptation;

  if (primaries == PRIMARIES_XYZ) {
    memcpy (m, (const Matrix){ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, sizeof (Matrix));
    return;
  }
  /* The blue of AP0 has a y below 0: lengths are those of x y z, which never vanish. */
  for (int j = 0; j < 3; j++) {
    m[0][j] = xy[2 * j];
    m[1][j] = xy[2 * j + 1];
    m[2][j] = 1 - xy[2 * j] - xy[2 * j + 1];
  }
  xyz_from_xy (xy + 6, white);
  invert (m, inverse);
  transform (inverse, white, amount);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      m[i][j] *= amount[j];
  if (xy[6] != d65[0] || xy[7] != d65[1]) {
    make_adaptation (xy + 6, d65, adaptation);
    multiply (adaptation, m, m);
  }
}

void
color_conversion_init (ColorConversion *conversion, ColorSpace from, ColorSpace to)
{
  const Primaries a = spaces[from].primaries, b = spaces[to].primaries;
  Matrix m, inverse;

  conversion->from = from;
  conversion->to = to;
  if (a == b) {
    make_to_xyz (PRIMARIES_XYZ, conversion->matrix);
    return;
  }
  make_to_xyz (b, m);
  invert (m, inverse);
  make_to_xyz (a, m);
  multiply (inverse, m, conversion->matrix);
}

/* Signal of light, of either sign. */
void
color_adapted_matrix (const double white[3], double matrix[3][3])
{
  static const double d65[2] = { D65 };
  const double sum = white[0] + white[1] + white[2], xy[2] = { white[0] / sum, white[1] / sum };
  Matrix to_xyz, from_xyz, adaptation;

  make_to_xyz (PRIMARIES_709, to_xyz);
  invert (to_xyz, from_xyz);
  make_adaptation (xy, d65, adaptation);
  multiply (from_xyz, adaptation, matrix);
}

bool
color_matrix_invert (const double matrix[3][3], double inverse[3][3])
{
  Matrix result;

  invert (matrix, result);
  for (int i = 0; i < 9; i++)
    if (!isfinite (result[i / 3][i % 3]))
      return false;
  memcpy (inverse, result, sizeof result);
  return true;
}

static double
encode (Curve curve, double light)
{
  const double x = fabs (light);
  double y = x;

  switch (curve) {
  case CURVE_LINEAR:
    return light;
  case CURVE_SRGB:
    y = kg_srgb_encode (x);
    break;
  case CURVE_709:
    y = x < 0.018053968510807 ? 4.5 * x : 1.09929682680944 * pow (x, 0.45) - 0.09929682680944;
    break;
  case CURVE_24:
    y = pow (x, 1 / 2.4);
    break;
  case CURVE_PQ:
    y = pow (x / 100, 0.1593017578125);
    y = pow ((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 78.84375);
    break;
  case CURVE_HLG:
    y = x <= 1.0 / 12 ? sqrt (3 * x) : 0.17883277 * log (12 * x - 0.28466892) + 0.55991073;
    break;
  case CURVE_ADOBE:
    y = pow (x, 256.0 / 563);
    break;
  case CURVE_ROMM:
    y = x < 1.0 / 512 ? 16 * x : pow (x, 1 / 1.8);
    break;
  case CURVE_ACESCCT:
    /* Its straight part goes through zero. */
    return light <= 0.0078125 ? 10.5402377416545 * light + 0.0729055341958355 : (log2 (light) + 9.72) / 17.52;
  }
  return light < 0 ? -y : y;
}

static double
decode (Curve curve, double signal)
{
  const double y = fabs (signal);
  double x = y;

  switch (curve) {
  case CURVE_LINEAR:
    return signal;
  case CURVE_SRGB:
    x = kg_srgb_decode (y);
    break;
  case CURVE_709:
    x = y < 4.5 * 0.018053968510807 ? y / 4.5 : pow ((y + 0.09929682680944) / 1.09929682680944, 1 / 0.45);
    break;
  case CURVE_24:
    x = pow (y, 2.4);
    break;
  case CURVE_PQ:
    x = pow (fmin (y, 1), 1 / 78.84375);
    x = 100 * pow (fmax (x - 0.8359375, 0) / (18.8515625 - 18.6875 * x), 1 / 0.1593017578125);
    break;
  case CURVE_HLG:
    x = y <= 0.5 ? y * y / 3 : (exp ((fmin (y, 20) - 0.55991073) / 0.17883277) + 0.28466892) / 12;
    break;
  case CURVE_ADOBE:
    x = pow (y, 563.0 / 256);
    break;
  case CURVE_ROMM:
    x = y < 16.0 / 512 ? y / 16 : pow (y, 1.8);
    break;
  case CURVE_ACESCCT:
    return signal <= 0.155251141552511 ? (signal - 0.0729055341958355) / 10.5402377416545
                                       : exp2 (fmin (17.52 * signal - 9.72, 120));
  }
  return signal < 0 ? -x : x;
}

static double
bend_lab (double t)
{
  return t > 216.0 / 24389 ? cbrt (t) : (24389.0 / 27 * t + 16) / 116;
}

static double
unbend_lab (double f)
{
  return f > 6.0 / 29 ? f * f * f : (116 * f - 16) * 27 / 24389;
}

static void
to_hue (Model model, double *v)
{
  const double high = fmax (v[0], fmax (v[1], v[2])), low = fmin (v[0], fmin (v[1], v[2])), range = high - low;
  double hue = 0, light = 0.5 * (high + low), width = 1 - fabs (2 * light - 1);

  if (range > 0) {
    hue = high == v[0] ? (v[1] - v[2]) / range : high == v[1] ? 2 + (v[2] - v[0]) / range : 4 + (v[0] - v[1]) / range;
    hue = hue / 6 - floor (hue / 6);
  }
  v[0] = hue;
  if (model == MODEL_HSV) {
    v[1] = high > 0 ? range / high : 0;
    v[2] = high;
  } else {
    v[1] = range > 0 && fabs (width) > 1e-12 ? range / width : 0;
    v[2] = light;
  }
}

static void
from_hue (Model model, double *v)
{
  const double hue = 6 * (v[0] - floor (v[0]));
  const double range = model == MODEL_HSV ? v[1] * v[2] : v[1] * (1 - fabs (2 * v[2] - 1));
  const double low = model == MODEL_HSV ? v[2] - range : v[2] - 0.5 * range;

  v[0] = low + range * kg_clamp (fabs (hue - 3) - 1, 0, 1);
  v[1] = low + range * kg_clamp (2 - fabs (hue - 2), 0, 1);
  v[2] = low + range * kg_clamp (2 - fabs (hue - 4), 0, 1);
}

/* From red, green and blue (or XYZ) to what the model makes of them. */
static void
enter_model (Model model, double *v)
{
  static const double white_xy[2] = { D65 };
  double white[3], f[3];

  switch (model) {
  case MODEL_RGB:
    break;
  case MODEL_LAB:
    xyz_from_xy (white_xy, white);
    for (int c = 0; c < 3; c++)
      f[c] = bend_lab (v[c] / white[c]);
    v[0] = 1.16 * f[1] - 0.16;
    v[1] = 5 * (f[0] - f[1]);
    v[2] = 2 * (f[1] - f[2]);
    break;
  case MODEL_OKLAB:
    transform (oklab_cones, v, f);
    for (int c = 0; c < 3; c++)
      f[c] = cbrt (f[c]);
    transform (oklab_axes, f, v);
    break;
  case MODEL_HSV:
  case MODEL_HSL:
    to_hue (model, v);
    break;
  case MODEL_YCBCR:
    f[0] = 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
    f[1] = (v[2] - f[0]) / 1.8556;
    f[2] = (v[0] - f[0]) / 1.5748;
    memcpy (v, f, sizeof f);
    break;
  }
}

static void
leave_model (Model model, double *v)
{
  static const double white_xy[2] = { D65 };
  double white[3], f[3];
  Matrix inverse;

  switch (model) {
  case MODEL_RGB:
    break;
  case MODEL_LAB:
    xyz_from_xy (white_xy, white);
    f[1] = (v[0] + 0.16) / 1.16;
    f[0] = f[1] + v[1] / 5;
    f[2] = f[1] - v[2] / 2;
    for (int c = 0; c < 3; c++)
      v[c] = white[c] * unbend_lab (f[c]);
    break;
  case MODEL_OKLAB:
    invert (oklab_axes, inverse);
    transform (inverse, v, f);
    for (int c = 0; c < 3; c++)
      f[c] = f[c] * f[c] * f[c];
    invert (oklab_cones, inverse);
    transform (inverse, f, v);
    break;
  case MODEL_HSV:
  case MODEL_HSL:
    from_hue (model, v);
    break;
  case MODEL_YCBCR:
    f[0] = v[0] + 1.5748 * v[2];
    f[2] = v[0] + 1.8556 * v[1];
    f[1] = (v[0] - 0.2126 * f[0] - 0.0722 * f[2]) / 0.7152;
    memcpy (v, f, sizeof f);
    break;
  }
}

void
color_conversion_apply (const ColorConversion *conversion, float *r, float *g, float *b, size_t n)
{
  const ColorSpace from = conversion->from, to = conversion->to;

  if (from == to)
    return;
  if (spaces[from].curve == CURVE_LINEAR && spaces[to].curve == CURVE_LINEAR && spaces[from].model == MODEL_RGB &&
      spaces[to].model == MODEL_RGB) {
    color_matrix_apply (conversion->matrix, r, g, b, n);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    double v[3] = { (double) r[i], (double) g[i], (double) b[i] };

    leave_model (spaces[from].model, v);
    for (int c = 0; c < 3; c++)
      v[c] = decode (spaces[from].curve, v[c]);
    transform (conversion->matrix, v, v);
    for (int c = 0; c < 3; c++)
      v[c] = encode (spaces[to].curve, v[c]);
    enter_model (spaces[to].model, v);
    r[i] = (float) v[0];
    g[i] = (float) v[1];
    b[i] = (float) v[2];
  }
}

KG_KERNEL static void
apply_single (const float *m, float *restrict r, float *restrict g, float *restrict b, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    const float x = r[i], y = g[i], z = b[i];

    r[i] = m[0] * x + m[1] * y + m[2] * z;
    g[i] = m[3] * x + m[4] * y + m[5] * z;
    b[i] = m[6] * x + m[7] * y + m[8] * z;
  }
}

void
color_matrix_apply (const double matrix[3][3], float *r, float *g, float *b, size_t n)
{
  float m[9];

  for (int i = 0; i < 9; i++)
    m[i] = (float) matrix[i / 3][i % 3];
  apply_single (m, r, g, b, n);
}

/* Chromaticity of a light: daylight from 4000 K on, a glowing body below, blended between 3800 and 4200 K. */
static void
find_light (double kelvin, double *xy)
{
  const double t = 1000 / kelvin, share = kg_clamp ((kelvin - 3800) / 400, 0, 1);
  const double day_x = kelvin <= 7000 ? ((-4.6070 * t + 2.9678) * t + 0.09911) * t + 0.244063
                                      : ((-2.0064 * t + 1.9018) * t + 0.24748) * t + 0.237040;
  const double day_y = (-3.000 * day_x + 2.870) * day_x - 0.275;
  const double body_x = kelvin <= 4000 ? ((-0.2661239 * t - 0.2343589) * t + 0.8776956) * t + 0.179910
                                       : ((-3.0258469 * t + 2.1070379) * t + 0.2226347) * t + 0.240390;
  const double body_y = kelvin <= 2222
                            ? ((-1.1063814 * body_x - 1.34811020) * body_x + 2.18555832) * body_x - 0.20219683
                        : kelvin <= 4000
                            ? ((-0.9549476 * body_x - 1.37418593) * body_x + 2.09137015) * body_x - 0.16748867
                            : ((3.0817580 * body_x - 5.87338670) * body_x + 3.75112997) * body_x - 0.37001483;

  xy[0] = kg_lerp (body_x, day_x, share);
  xy[1] = kg_lerp (body_y, day_y, share);
}

void
color_balance_matrix (double kelvin, double tint, double matrix[3][3])
{
  const double k = kg_clamp (kelvin, 1667, 25000);
  double xy[2], d65[2];
  Matrix to_xyz, from_xyz, adaptation;

  find_light (k, xy);
  find_light (6504, d65);
  /* Off the locus: in the chromaticities of CIE 1960, whose v grows towards green. */
  const double u = 4 * xy[0] / (-2 * xy[0] + 12 * xy[1] + 3),
               v = 6 * xy[1] / (-2 * xy[0] + 12 * xy[1] + 3) + 1e-3 * tint;
  const double down = 2 * u - 8 * v + 4;

  xy[0] = 3 * u / down;
  xy[1] = 2 * v / down;
  make_adaptation (xy, d65, adaptation);
  make_to_xyz (PRIMARIES_709, to_xyz);
  invert (to_xyz, from_xyz);
  multiply (adaptation, to_xyz, matrix);
  multiply (from_xyz, matrix, matrix);
}
