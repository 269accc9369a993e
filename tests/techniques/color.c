/* tests/techniques/color: colour spaces, curves and look-up tables against the numbers of their standards.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "image/color_ramp.h"
#include "image/color_lut.h"
#include "image/color_space.h"
#include "image/tone_curve.h"

typedef struct {
  ColorSpace from, to;
  double in[3], out[3], tolerance;
} Known;

/* The standards' own numbers. */
static void
test_known (void)
{
  static const Known known[] = {
    /* IEC 61966-2-1: the curve's joint, middle grey, and the matrix. */
    { COLOR_SPACE_LINEAR, COLOR_SPACE_SRGB, { 0.0031308, 0.18, 1 }, { 0.04045, 0.461356, 1 }, 1e-5 },
    { COLOR_SPACE_LINEAR, COLOR_SPACE_XYZ, { 1, 0, 0 }, { 0.4124, 0.2126, 0.0193 }, 1e-4 },
    { COLOR_SPACE_LINEAR, COLOR_SPACE_XYZ, { 0, 1, 0 }, { 0.3576, 0.7152, 0.1192 }, 1e-4 },
    { COLOR_SPACE_LINEAR, COLOR_SPACE_XYZ, { 1, 1, 1 }, { 0.9505, 1, 1.0890 }, 2e-4 },
    /* BT.2087: BT.709 in BT.2020. */
    { COLOR_SPACE_LINEAR, COLOR_SPACE_BT2020_LINEAR, { 1, 0, 0 }, { 0.6274, 0.0691, 0.0164 }, 1e-4 },
    { COLOR_SPACE_LINEAR, COLOR_SPACE_BT709, { 0.018, 0.5, 1 }, { 0.081, 0.7055, 1 }, 1e-3 },
    /* ST 2084: 100 cd/m² have a signal of 0.5081, 10,000 of 1. */
    { COLOR_SPACE_BT2020_LINEAR, COLOR_SPACE_PQ, { 1, 100, 0 }, { 0.508078, 1, 7.3e-7 }, 2e-6 },
    { COLOR_SPACE_BT2020_LINEAR, COLOR_SPACE_HLG, { 1.0 / 12, 1, 0 }, { 0.5, 1, 0 }, 1e-5 },
    /* S-2016-001: middle grey. */
    { COLOR_SPACE_ACESCG, COLOR_SPACE_ACESCCT, { 0.18, 1, 0 }, { 0.4135884, 0.5547945, 0.0729055 }, 1e-6 },
    /* S-2014-004: AP1 to AP0. */
    { COLOR_SPACE_ACESCG, COLOR_SPACE_ACES, { 1, 0, 0 }, { 0.6954522, 0.0447946, -0.0055259 }, 1e-5 },
    { COLOR_SPACE_LINEAR, COLOR_SPACE_ACESCG, { 1, 1, 1 }, { 1, 1, 1 }, 1e-5 },
    /* Ottosson: red of sRGB, and blue as in CSS Color 4; grey has no tint. */
    { COLOR_SPACE_LINEAR, COLOR_SPACE_OKLAB, { 1, 0, 0 }, { 0.627955, 0.224863, 0.125846 }, 5e-6 },
    { COLOR_SPACE_LINEAR, COLOR_SPACE_OKLAB, { 0, 0, 1 }, { 0.452014, -0.032457, -0.311528 }, 5e-6 },
    { COLOR_SPACE_LINEAR, COLOR_SPACE_OKLAB, { 0.125, 0.125, 0.125 }, { 0.5, 0, 0 }, 5e-7 },
    { COLOR_SPACE_XYZ, COLOR_SPACE_LAB, { 0.950456 * 0.18, 0.18, 1.089058 * 0.18 }, { 0.494961, 0, 0 }, 1e-4 },
    { COLOR_SPACE_SRGB, COLOR_SPACE_HSV, { 0.25, 0.5, 1 }, { 220.0 / 360, 0.75, 1 }, 1e-6 },
    { COLOR_SPACE_SRGB, COLOR_SPACE_HSL, { 0.25, 0.5, 1 }, { 220.0 / 360, 1, 0.625 }, 1e-6 },
    { COLOR_SPACE_BT709, COLOR_SPACE_YCBCR, { 0, 0, 1 }, { 0.0722, 0.5, -0.0722 / 1.5748 }, 1e-6 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    ColorConversion conversion;
    float v[3];

    for (int c = 0; c < 3; c++)
      v[c] = (float) known[i].in[c];
    color_conversion_init (&conversion, known[i].from, known[i].to);
    color_conversion_apply (&conversion, &v[0], &v[1], &v[2], 1);
    for (int c = 0; c < 3; c++)
      assert_near ((double) v[c], known[i].out[c], known[i].tolerance);
  }
}

/* From each to each and back, of colours within all of them and of negative ones. */
static void
test_round_trips (void)
{
  for (int a = 0; a < COLOR_SPACE_N; a++)
    for (int b = 0; b < COLOR_SPACE_N; b++) {
      ColorConversion in, there, back, out;
      float r[] = { 0.2f, 0.5f, 0.9f, 0, 0.02f }, g[] = { 0.3f, 0.5f, 0.1f, 0, 0.6f },
            h[] = { 0.4f, 0.5f, 0.3f, 0, 0.01f };
      const float kept[3][5] = { { 0.2f, 0.5f, 0.9f, 0, 0.02f },
                                 { 0.3f, 0.5f, 0.1f, 0, 0.6f },
                                 { 0.4f, 0.5f, 0.3f, 0, 0.01f } };

      color_conversion_init (&in, COLOR_SPACE_LINEAR, (ColorSpace) a);
      color_conversion_init (&there, (ColorSpace) a, (ColorSpace) b);
      color_conversion_init (&back, (ColorSpace) b, (ColorSpace) a);
      color_conversion_init (&out, (ColorSpace) a, COLOR_SPACE_LINEAR);
      color_conversion_apply (&in, r, g, h, 5);
      color_conversion_apply (&there, r, g, h, 5);
      color_conversion_apply (&back, r, g, h, 5);
      color_conversion_apply (&out, r, g, h, 5);
      for (int i = 0; i < 5; i++) {
        assert_near ((double) r[i], (double) kept[0][i], 1e-4);
        assert_near ((double) g[i], (double) kept[1][i], 1e-4);
        assert_near ((double) h[i], (double) kept[2][i], 1e-4);
      }
    }
}

/* What is grey under lamplight looks grey after the balance, daylight stays. */
static void
test_balance (void)
{
  /* Chromaticity of a black body of 2856 K (illuminant A), as linear BT.709. */
  float r = (float) (0.44757 / 0.40745), g = 1, b = (float) ((1 - 0.44757 - 0.40745) / 0.40745);
  ColorConversion to_rgb;
  double m[3][3];

  color_conversion_init (&to_rgb, COLOR_SPACE_XYZ, COLOR_SPACE_LINEAR);
  color_conversion_apply (&to_rgb, &r, &g, &b, 1);
  g_assert_cmpfloat (r, >, 3 * b);
  color_balance_matrix (2856, 0, m);
  color_matrix_apply (m, &r, &g, &b, 1);
  assert_near ((double) (r / g), 1, 0.02);
  assert_near ((double) (b / g), 1, 0.03);
  color_balance_matrix (6504, 0, m);
  for (int i = 0; i < 9; i++)
    assert_near (m[i / 3][i % 3], i % 4 == 0, 1e-6);
  /* A green light is made less green. */
  color_balance_matrix (6504, 10, m);
  g_assert_cmpfloat (m[1][0] + m[1][1] + m[1][2], <, m[0][0] + m[0][1] + m[0][2]);
}

static float
read_curve (const char *points, ToneCurveKind kind, float x)
{
  static const KgTableColumn columns[] = { { "x", "", 0, 0 }, { "y", "", 0, 0 }, KG_TABLE_COLUMNS_END };
  g_autoptr (KgTable) table = kg_table_parse (points, columns, NULL);
  g_autofree ToneCurve *curve = g_new (ToneCurve, 1);

  g_assert_true (tone_curve_init (curve, table, 1, kind, 0, NULL));
  tone_curve_apply (curve, &x, 1);
  return x;
}

static void
test_curve (void)
{
  static const KgTableColumn columns[] = { { "x", "", 0, 0 }, { "y", "", 0, 0 }, KG_TABLE_COLUMNS_END };
  g_autoptr (KgTable) twice = kg_table_parse ("0 0; 0.5 1; 0.5 2", columns, NULL);
  g_autoptr (KgTable) circle = kg_table_parse ("350 1; 10 1; 180 3", columns, NULL);
  g_autofree ToneCurve *curve = g_new (ToneCurve, 1);
  g_autoptr (GError) error = NULL;
  float before = 0;

  for (float x = -1; x < 2; x += 0.05f) {
    assert_near ((double) read_curve ("1 1; 0 0", TONE_CURVE_SMOOTH, x), (double) x, 1e-7);
    assert_near ((double) read_curve ("0 1; 1 0", TONE_CURVE_LINEAR, x), 1 - (double) x, 1e-6);
    assert_near ((double) read_curve ("0.5 0.75", TONE_CURVE_SMOOTH, x), (double) x + 0.25, 1e-6);
  }
  /* Through the points, and never beyond its neighbours. */
  assert_near ((double) read_curve ("0 0; 0.25 0.1; 0.75 0.9; 1 1", TONE_CURVE_SMOOTH, 0.25f), 0.1, 1e-5);
  assert_near ((double) read_curve ("0 0; 0.25 0.1; 0.75 0.9; 1 1", TONE_CURVE_SMOOTH, 0.5f), 0.5, 1e-5);
  for (float x = 0; x <= 1; x += 0.01f) {
    const float y = read_curve ("0 0; 0.4 0; 0.5 1; 1 1", TONE_CURVE_SMOOTH, x);

    g_assert_cmpfloat (y, >=, before);
    g_assert_cmpfloat (y, <=, 1);
    before = y;
  }
  g_assert_false (tone_curve_init (curve, twice, 1, TONE_CURVE_SMOOTH, 0, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  /* Around the circle nothing happens between 350 and 10. */
  g_assert_true (tone_curve_init (curve, circle, 1, TONE_CURVE_SMOOTH, 360, NULL));
  assert_near ((double) tone_curve_read (curve, 0), 1, 1e-5);
  assert_near ((double) tone_curve_read (curve, 360), 1, 1e-5);
  assert_near ((double) tone_curve_read (curve, 180), 3, 1e-3);
}

/* (transfer full) A cube of n³ entries that adds offset, or nothing. */
static char *
make_cube (int n, double offset, const char *head)
{
  GString *text = g_string_new (head);

  g_string_append_printf (text, "LUT_3D_SIZE %d\n", n);
  for (int i = 0; i < n * n * n; i++)
    g_string_append_printf (text, "%.9g %.9g %.9g\n", (double) (i % n) / (n - 1) + offset,
                            (double) (i / n % n) / (n - 1), (double) (i / n / n) / (n - 1));
  return g_string_free (text, FALSE);
}

/* An identity is one at every place, and any linear function is exact between the entries. */
static void
test_cube (void)
{
  g_autofree char *identity = make_cube (5, 0, "TITLE \"a title\"\n# words\n"), *shifted = make_cube (2, 0.5, "");
  g_autofree char *wide = make_cube (3, 0, "DOMAIN_MIN -1 -1 -1\r\nDOMAIN_MAX 3 3 3\r\n");
  g_autoptr (ColorLut) a = color_lut_parse (identity, NULL), b = color_lut_parse (shifted, NULL);
  g_autoptr (ColorLut) c = color_lut_parse (wide, NULL);
  g_autoptr (ColorLut) line = color_lut_parse ("LUT_1D_SIZE 3\n0 0 1\n0.25 0.5 0.5\n1 1 0\n", NULL);

  for (float x = -0.2f; x < 1.3f; x += 0.13f)
    for (float y = 0; y < 1; y += 0.17f) {
      float r = x, g = y, h = 0.3f;
      const double clamped = kg_clamp ((double) x, 0, 1);

      color_lut_apply (a, &r, &g, &h, 1);
      assert_near ((double) r, clamped, 1e-6);
      assert_near ((double) g, (double) y, 1e-6);
      assert_near ((double) h, 0.3, 1e-6);
      r = x;
      color_lut_apply (b, &r, &g, &h, 1);
      assert_near ((double) r, clamped + 0.5, 1e-6);
      r = x;
      color_lut_apply (c, &r, &g, &h, 1);
      assert_near ((double) r, 0.25 * ((double) x + 1), 1e-6);
      r = x;
      g = h = 0.75f;
      color_lut_apply (line, &r, &g, &h, 1);
      assert_near ((double) r, clamped < 0.5 ? 0.5 * clamped : 1.5 * clamped - 0.5, 1e-6);
      assert_near ((double) h, 0.25, 1e-6);
    }
}

static void
test_bad_cubes (void)
{
  static const char *const bad[] = {
    "",
    "hello\n",
    "0 0 0\n",
    "LUT_3D_SIZE 1\n",
    "LUT_3D_SIZE 2000\n",
    "LUT_1D_SIZE 1e9\n",
    "LUT_3D_SIZE 2\n0 0 0\n",
    "LUT_1D_SIZE 2\n0 0 0\n1 1\n",
    "LUT_1D_SIZE 2\n0 0 0\n1 1 nan\n",
    "LUT_1D_SIZE 2\n0 0 0\n1 1 1\n2 2 2\n",
    "LUT_1D_SIZE 2\nDOMAIN_MIN 1 1 1\n0 0 0\n1 1 1\n",
    "LUT_1D_SIZE 2\nLUT_1D_SIZE 3\n",
    "LUT_1D_SIZE\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (color_lut_parse (bad[i], &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_FILE);
  }
}

static void
assert_ramp (const char *stops, ColorRampInterpolation interpolation, bool perceptual, double t, double r, double g,
             double b, double a)
{
  g_autoptr (KgTable) table = kg_table_parse (stops, NULL, NULL);
  g_autoptr (ColorRamp) ramp = color_ramp_new (table, interpolation, perceptual);
  float rgba[4];

  color_ramp_find (ramp, t, rgba);
  g_assert_cmpfloat_with_epsilon (rgba[0], r, 1e-5);
  g_assert_cmpfloat_with_epsilon (rgba[1], g, 1e-5);
  g_assert_cmpfloat_with_epsilon (rgba[2], b, 1e-5);
  g_assert_cmpfloat_with_epsilon (rgba[3], a, 1e-5);
}

/* Between stops in any order, beyond them, at steps, and through transparency. */
static void
test_ramp (void)
{
  static const char stops[] = "1 0 0 4 1\n0 1 0.5 0 1\n0.5 0 1 0 0.5";

  assert_ramp (stops, COLOR_RAMP_LINEAR, false, -3, 1, 0.5, 0, 1);
  assert_ramp (stops, COLOR_RAMP_LINEAR, false, 0.25, 0.5, 0.5, 0, 0.75);
  assert_ramp (stops, COLOR_RAMP_LINEAR, false, 0.75, 0, 0.25, 2, 0.75);
  assert_ramp (stops, COLOR_RAMP_LINEAR, false, 7, 0, 0, 4, 1);
  assert_ramp (stops, COLOR_RAMP_STEPS, false, 0.49, 1, 0.5, 0, 1);
  assert_ramp (stops, COLOR_RAMP_STEPS, false, 0.5, 0, 0.5, 0, 0.5);
  /* 3 u^2 - 2 u^3 at a quarter. */
  assert_ramp ("0 0 0 0\n1 1 1 1", COLOR_RAMP_SMOOTH, false, 0.25, 0.15625, 0.15625, 0.15625, 1);
  /* Of two stops at one place the later row is above. */
  assert_ramp ("0 0 0 0\n0.5 0 0 0\n0.5 1 1 1\n1 1 1 1", COLOR_RAMP_LINEAR, false, 0.5, 1, 1, 1, 1);
  assert_ramp ("0 0 0 0\n0.5 0 0 0\n0.5 1 1 1\n1 1 1 1", COLOR_RAMP_LINEAR, false, 0.4999, 0, 0, 0, 1);
  /* Half the lightness of Oklab is the cube of a half in light; its ends are exact. */
  assert_ramp ("0 0 0 0\n1 1 1 1", COLOR_RAMP_LINEAR, true, 0.5, 0.125, 0.125, 0.125, 1);
  assert_ramp ("0 0 0 0\n1 0.25 0.5 1", COLOR_RAMP_LINEAR, true, 1, 0.25, 0.5, 1, 1);
  assert_ramp ("0 0.2 0.4 0.6 0", COLOR_RAMP_LINEAR, true, 0, 0, 0, 0, 0);
}

static void
test_ramp_without_stops (void)
{
  static const char *const names[] = { "position", "red", "green", "blue", "alpha" };
  g_autoptr (KgTable) table = kg_table_new (5, names, 0, NULL);
  g_autoptr (ColorRamp) ramp = color_ramp_new (table, COLOR_RAMP_LINEAR, true);
  float rgba[4] = { 1, 1, 1, 1 };

  color_ramp_find (ramp, 0.5, rgba);
  for (int c = 0; c < 4; c++)
    g_assert_cmpfloat ((double) rgba[c], ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/color/known", test_known);
  g_test_add_func ("/color/round-trips", test_round_trips);
  g_test_add_func ("/color/balance", test_balance);
  g_test_add_func ("/color/curve", test_curve);
  g_test_add_func ("/color/cube", test_cube);
  g_test_add_func ("/color/bad-cubes", test_bad_cubes);
  g_test_add_func ("/color/ramp", test_ramp);
  g_test_add_func ("/color/ramp-without-stops", test_ramp_without_stops);
  return g_test_run ();
}
