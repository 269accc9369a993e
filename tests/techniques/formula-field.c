/* formula-field: fields from formulas against closed forms.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "field/formula_field.h"
#include "kg-random.h"

#include <omp.h>

#define N 5000

static const double numbers[FORMULA_FIELD_NUMBERS] = { 2, 3, 5, 7 };

static KgField *
make (const char *formula, FormulaFieldResult result)
{
  g_autoptr (GError) error = NULL;
  KgField *field = formula_field_new (formula, numbers, NULL, result, &error);

  g_assert_no_error (error);
  return field;
}

static float *
random_points (void)
{
  float *points = g_new (float, 3 * N);

  for (guint i = 0; i < 3 * N; i++)
    points[i] = (float) (3 * kg_random_signed (5, i, 0));
  return points;
}

/* Computed in doubles and rounded once: half a unit of float32. */
static void
assert_near (double value, double wanted)
{
  if (!(fabs (value - wanted) <= 6e-8 * fmax (1e-6, fabs (wanted))))
    g_error ("%.9g, expected %.9g", value, wanted);
}

static void
test_values (void)
{
  g_autoptr (KgField) field = make ("sin (x) * cos (z) + a * y - t", FORMULA_FIELD_VALUE);
  g_autoptr (KgField) vector = make ("cross (p, [b, c, d]) + v", FORMULA_FIELD_VALUE);
  g_autofree float *p = random_points (), *out = g_new (float, N), *vectors = g_new (float, 3 * N);

  g_assert_cmpuint (kg_field_get_width (field), ==, 1);
  g_assert_cmpuint (kg_field_get_width (vector), ==, 3);
  kg_field_sample_points (field, p, N, 0.25, out);
  kg_field_sample_points (vector, p, N, 0, vectors);
  for (guint i = 0; i < N; i++) {
    const double x = (double) p[3 * i], y = (double) p[3 * i + 1], z = (double) p[3 * i + 2];

    assert_near ((double) out[i], sin (x) * cos (z) + 2 * y - 0.25);
    assert_near ((double) vectors[3 * i], y * 7 - z * 5);
    assert_near ((double) vectors[3 * i + 1], z * 3 - x * 7);
    assert_near ((double) vectors[3 * i + 2], x * 5 - y * 3);
  }
}

/* f = x² y + sin z: gradient (2xy, x², cos z), Laplacian 2y − sin z; u = (xy, yz, zx): divergence x + y + z, curl
 * (−y, −z, −x); through p the same. */
static void
test_derivatives (void)
{
  g_autoptr (KgField) gradient = make ("p.x^2 * y + sin (p.z)", FORMULA_FIELD_GRADIENT);
  g_autoptr (KgField) laplacian = make ("x^2 * p.y + sin (z)", FORMULA_FIELD_LAPLACIAN);
  g_autoptr (KgField) divergence = make ("[x * y, y * z, z * x]", FORMULA_FIELD_DIVERGENCE);
  g_autoptr (KgField) curl = make ("x * y, p.y * z, z * x", FORMULA_FIELD_CURL);
  g_autofree float *p = random_points (), *g = g_new (float, 3 * N), *c = g_new (float, 3 * N);
  g_autofree float *l = g_new (float, N), *d = g_new (float, N);

  kg_field_sample_points (gradient, p, N, 0, g);
  kg_field_sample_points (laplacian, p, N, 0, l);
  kg_field_sample_points (divergence, p, N, 0, d);
  kg_field_sample_points (curl, p, N, 0, c);
  for (guint i = 0; i < N; i++) {
    const double x = (double) p[3 * i], y = (double) p[3 * i + 1], z = (double) p[3 * i + 2];

    assert_near ((double) g[3 * i], 2 * x * y);
    assert_near ((double) g[3 * i + 1], x * x);
    assert_near ((double) g[3 * i + 2], cos (z));
    assert_near ((double) l[i], 2 * y - sin (z));
    assert_near ((double) d[i], x + y + z);
    assert_near ((double) c[3 * i], -y);
    assert_near ((double) c[3 * i + 1], -z);
    assert_near ((double) c[3 * i + 2], -x);
  }
}

/* A gradient has no curl, a curl no divergence; a radial field 1/r is harmonic away from its centre. */
static void
test_identities (void)
{
  g_autoptr (KgField) harmonic = make ("1 / length (p)", FORMULA_FIELD_LAPLACIAN);
  const float points[] = { 1, 2, 3, -0.5f, 0.25f, 2, 0, 0, 1, 0, 0, 0 };
  float out[4];

  kg_field_sample_points (harmonic, points, 4, 0, out);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat_with_epsilon (out[i], 0, 1e-14);
  /* At the centre it has no value, and is 0. */
  g_assert_cmpfloat (out[3], ==, 0);
}

static void
test_child (void)
{
  g_autoptr (KgField) child = kg_field_new_constant_vector (kg_vector (1, 2, 3));
  g_autoptr (KgField)
      field = formula_field_new ("f * x + [0, 0, length (f)]", numbers, child, FORMULA_FIELD_VALUE, NULL);
  g_autoptr (KgField) same = formula_field_new ("f*x + [0,0,length(f)]", numbers, child, FORMULA_FIELD_VALUE, NULL);
  g_autoptr (KgField) other = formula_field_new ("f*y + [0,0,length(f)]", numbers, child, FORMULA_FIELD_VALUE, NULL);
  const float point[] = { 2, 0, 0 };
  float out[3];

  kg_field_sample_points (field, point, 1, 0, out);
  g_assert_cmpfloat (out[1], ==, 4);
  g_assert_cmpfloat (out[2], ==, (float) (6 + sqrt (14)));
  g_assert_true (kg_field_equal (field, same));
  g_assert_false (kg_field_equal (field, other));
}

static void
test_threads (void)
{
  g_autoptr (KgField) field = make ("noise (p * 3) + sin (x) * exp (-y^2)", FORMULA_FIELD_GRADIENT);
  g_autofree float *p = random_points (), *one = g_new (float, 3 * N), *four = g_new (float, 3 * N);

  omp_set_num_threads (1);
  kg_field_sample_points (field, p, N, 0, one);
  omp_set_num_threads (4);
  kg_field_sample_points (field, p, N, 0, four);
  g_assert_cmpmem (one, 3 * N * sizeof *one, four, 3 * N * sizeof *four);
}

static void
test_refusals (void)
{
  g_autoptr (KgField) child = kg_field_new_constant (1);
  const struct {
    const char *formula;
    FormulaFieldResult result;
    bool child;
    const char *message;
  } cases[] = {
    { "x +", FORMULA_FIELD_VALUE, false, "column 4: unexpected end: a value is missing" },
    { "q", FORMULA_FIELD_VALUE, false,
      "column 1: unknown name \"q\": a formula can use x, y, z, p, v, t, a, b, c, d, pi and e" },
    { "f", FORMULA_FIELD_VALUE, false,
      "column 1: unknown name \"f\": a formula can use x, y, z, p, v, t, a, b, c, d, pi and e" },
    { "x, y", FORMULA_FIELD_VALUE, false,
      "the formula gives 2 numbers: write one, or three for a vector field, such as [y, -x, 0]" },
    { "p", FORMULA_FIELD_GRADIENT, false,
      "the formula gives a vector, which has no gradient or Laplacian: write one number" },
    { "x", FORMULA_FIELD_CURL, false,
      "the formula gives one number, which has no divergence or curl: write a vector, such as [y, -x, 0]" },
    { "x * f", FORMULA_FIELD_GRADIENT, true,
      "the derivatives of the linked field f are not known: leave f out of the formula" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (
        formula_field_new (cases[i].formula, numbers, cases[i].child ? child : NULL, cases[i].result, &error));
    g_assert_cmpstr (error->message, ==, cases[i].message);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/formula-field/values", test_values);
  g_test_add_func ("/formula-field/derivatives", test_derivatives);
  g_test_add_func ("/formula-field/identities", test_identities);
  g_test_add_func ("/formula-field/child", test_child);
  g_test_add_func ("/formula-field/threads", test_threads);
  g_test_add_func ("/formula-field/refusals", test_refusals);
  return g_test_run ();
}
