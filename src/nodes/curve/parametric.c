/* curve/parametric: curves from formulas: parametric, explicit and implicit.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/contour.h"
#include "curve/curve_formula.h"
#include "curve/curve_geometry.h"
#include "curve/formula_class.h"
#include "kg-expression.h"
#include "kg-node.h"

#include <gsl/gsl_linalg.h>

typedef struct {
  int form;
  const char *x;
  const char *y;
  const char *z;
  const char *f;
  double from;
  double to;
  int64_t samples;
  bool closed;
  int make;
  KgVector low;
  KgVector high;
  int64_t resolution;
  bool polish;
  double a;
  double b;
  double c;
  double d;
  KgGeometry *geometry;
  int64_t curves;
  char *kind;
} Parametric;

enum { FORM_PARAMETRIC, FORM_EXPLICIT, FORM_IMPLICIT, N_FORMS };

static const KgChoice parametric_forms[] = {
  [FORM_PARAMETRIC] = { "parametric", N_ ("Parametric: x, y and z of u") },
  [FORM_EXPLICIT] = { "explicit", N_ ("Explicit: y of x") },
  [FORM_IMPLICIT] = { "implicit", N_ ("Implicit: f of x and y is zero") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (parametric_forms, N_FORMS);

enum { MAKE_POLYLINE, MAKE_SPLINE, N_MAKES };

static const KgChoice parametric_makes[] = {
  [MAKE_POLYLINE] = { "polyline", N_ ("Straight segments") },
  [MAKE_SPLINE] = { "spline", N_ ("Smooth curve") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (parametric_makes, N_MAKES);

/* Polynomials up to here become one exact piece. */
#define PARAMETRIC_MAX_EXACT 7

/* Formulas with the names that each form knows. */
static const char *const parametric_names[][7] = { { "u", "a", "b", "c", "d", NULL },
                                                   { "x", "a", "b", "c", "d", NULL },
                                                   { "x", "y", "a", "b", "c", "d", NULL } };
static const char *const parametric_variables[][3] = { { "u", NULL }, { "x", NULL }, { "x", "y", NULL } };

/* (transfer full) (nullable) */
static KgProgram *
parametric_compile (const Parametric *n, const char *text, const char *slot, FormulaClass *c, GError **error)
{
  KgFormulaVariable variables[G_N_ELEMENTS (parametric_names[0])];
  g_autoptr (KgProgram) formula = NULL;
  guint n_variables = 0;

  for (; parametric_names[n->form][n_variables] != NULL; n_variables++)
    variables[n_variables] = (KgFormulaVariable){ .name = parametric_names[n->form][n_variables], .width = 1 };
  formula = kg_formula_compile (text, variables, n_variables, error);
  if (formula == NULL) {
    g_prefix_error (error, "%s: ", slot);
    return NULL;
  }
  if (kg_program_get_n_results (formula) != 1) {
    kg_set_error (error, KG_ERROR_EXPRESSION, "%s: the formula gives %u results, but needs exactly one", slot,
                  kg_program_get_n_results (formula));
    return NULL;
  }
  *c = formula_class_join (*c, formula_class_get (text, parametric_variables[n->form]));
  return g_steal_pointer (&formula);
}

/* The three coordinates; an explicit curve has x itself and no z. */
typedef struct {
  const Parametric *n;
  KgProgram *formulas[3];
} Formulas;

static void
formulas_clear (Formulas *f)
{
  for (guint i = 0; i < 3; i++)
    g_clear_pointer (&f->formulas[i], kg_program_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Formulas, formulas_clear)

static KgVector
formulas_at (const Formulas *f, double u)
{
  const double values[] = { u, f->n->a, f->n->b, f->n->c, f->n->d };
  KgVector p = { u, 0, 0 };

  for (guint i = 0; i < 3; i++)
    if (f->formulas[i] != NULL)
      kg_program_call (f->formulas[i], values, kg_vector_component (&p, i));
  return p;
}

/* Points are stored as floats: what is beyond these is as good as infinite. */
static bool
parametric_is_usable (KgVector p)
{
  return kg_vector_is_finite (p) && fabs (p.x) < 1e30 && fabs (p.y) < 1e30 && fabs (p.z) < 1e30;
}

/* The polynomial through degree + 1 of its points is itself: its Bezier points are the solution of a small system. */
static bool
parametric_add_exact (Parametric *n, const Formulas *f, guint degree, GError **error)
{
  const guint order = MAX (degree, 1) + 1;
  double matrix[(PARAMETRIC_MAX_EXACT + 1) * (PARAMETRIC_MAX_EXACT + 1)], right[3][PARAMETRIC_MAX_EXACT + 1];
  const double knots[] = { n->from, n->to };
  KgVector points[PARAMETRIC_MAX_EXACT + 1];
  gsl_matrix_view m = gsl_matrix_view_array (matrix, order, order);
  size_t permutation_data[PARAMETRIC_MAX_EXACT + 1];
  gsl_permutation permutation = { order, permutation_data };
  CurveControl control = {
    .basis = KG_BASIS_BEZIER, .order = order, .n = order, .points = points, .n_knots = 2, .knots = knots
  };
  int sign;

  for (guint i = 0; i < order; i++) {
    const double t = 0.5 - 0.5 * cos (KG_PI * i / (order - 1));
    const KgVector p = formulas_at (f, kg_lerp (n->from, n->to, t));
    double binomial = 1;

    if (!parametric_is_usable (p))
      return false;
    for (guint k = 0; k < order; k++) {
      matrix[i * order + k] = binomial * pow (t, k) * pow (1 - t, order - 1 - k);
      binomial = binomial * (order - 1 - k) / (k + 1);
    }
    for (guint c = 0; c < 3; c++)
      right[c][i] = kg_vector_get (p, c);
  }
  gsl_linalg_LU_decomp (&m.matrix, &permutation, &sign);
  for (guint c = 0; c < 3; c++) {
    gsl_vector_view x = gsl_vector_view_array (right[c], order);

    gsl_linalg_LU_svx (&m.matrix, &permutation, &x.vector);
    for (guint i = 0; i < order; i++)
      *kg_vector_component (&points[i], c) = right[c][i];
  }
  if (!(n->to > n->from))
    control.n_knots = 0;
  n->curves = 1;
  return curve_geometry_add (n->geometry, &control, error);
}

/* A run of samples that are all there. */
static bool
parametric_add_run (Parametric *n, const char *formula, const KgVector *points, const double *u, guint count,
                    bool closed, GError **error)
{
  const guint spans = closed ? count : count - 1;
  g_autofree double *knots = NULL;
  CurveControl control = {
    .basis = KG_BASIS_CUBIC_SPLINE, .closed = closed, .n = count, .points = points, .rule = { .end = KG_END_NOT_A_KNOT }
  };
  size_t first;

  if (count < 2)
    return true;
  n->curves++;
  if (n->make == MAKE_POLYLINE || count < 3)
    return curve_geometry_add_polyline (n->geometry, points, count, closed, &first, error);
  /* The parameter of the curve is that of the formula. */
  knots = g_new (double, spans + 1);
  for (guint i = 0; i <= spans; i++)
    knots[i] = i < count ? u[i] : 2 * u[i - 1] - u[i - 2];
  if (knots[spans] > knots[0]) {
    control.n_knots = spans + 1;
    control.knots = knots;
  }
  if (!curve_geometry_add (n->geometry, &control, error))
    return false;
  /* Curvature and torsion are those of the formula, not of points in float32. */
  kg_geometry_set_text (n->geometry, KG_PRIMITIVES, CURVE_FORMULA_ATTRIBUTE,
                        kg_geometry_get_n_primitives (n->geometry) - 1, formula);
  return true;
}

static bool
parametric_sample (Parametric *n, const Formulas *f, const KgContext *ctx, GError **error)
{
  const guint count = (guint) n->samples;
  const bool closed = n->closed && n->form == FORM_PARAMETRIC;
  g_autofree KgVector *points = g_new (KgVector, count);
  g_autofree double *u = g_new (double, count);
  const double numbers[CURVE_FORMULA_NUMBERS] = { n->a, n->b, n->c, n->d };
  const bool is_explicit = n->form == FORM_EXPLICIT;
  g_autofree char *formula = curve_formula_write (is_explicit ? "x" : "u", numbers, is_explicit ? NULL : n->x, n->y,
                                                  is_explicit ? NULL : n->z);
  guint bad = 0, run = 0;
  double where = 0;

  for (guint i = 0; i < count; i++) {
    if (i % 4096 == 4095 && kg_context_is_cancelled (ctx))
      return false;
    u[i] = kg_lerp (n->from, n->to, (double) i / (closed ? count : count - 1));
    points[i] = formulas_at (f, u[i]);
  }
  for (guint i = 0; i <= count; i++) {
    const bool there = i < count && parametric_is_usable (points[i]);

    if (there)
      continue;
    if (i < count && bad++ == 0)
      where = u[i];
    if (!parametric_add_run (n, formula, points + run, u + run, i - run, closed && bad == 0, error))
      return false;
    run = i + 1;
  }
  if (bad > 0)
    kg_context_warn (ctx, "%u of %u samples are not finite, the first at %g: the curve is broken there", bad, count,
                     where);
  return true;
}

static double
parametric_value (gpointer data, double x, double y)
{
  const Formulas *f = (const Formulas *) data;
  const double values[] = { x, y, f->n->a, f->n->b, f->n->c, f->n->d };
  double result;

  kg_program_call (f->formulas[0], values, &result);
  return result;
}

static bool
parametric_contour (Parametric *n, Formulas *f, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (GPtrArray) lines = NULL;

  if (!(n->high.x > n->low.x) || !(n->high.y > n->low.y) || !(n->high.x - n->low.x < 1e30) ||
      !(n->high.y - n->low.y < 1e30)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the box from (%g, %g) to (%g, %g) is empty: its high corner must be above the low one", n->low.x,
                  n->low.y, n->high.x, n->high.y);
    return false;
  }
  lines = contour_find (parametric_value, f, n->low.x, n->low.y, n->high.x, n->high.y, (guint) n->resolution,
                        (guint) n->resolution, n->polish, &monitor);
  if (lines == NULL)
    return false;
  for (guint i = 0; i < lines->len; i++) {
    const ContourLine *line = (const ContourLine *) g_ptr_array_index (lines, i);
    const KgVector *points = (const KgVector *) (void *) line->points->data;
    const CurveControl control = { .basis = KG_BASIS_CUBIC_SPLINE,
                                   .closed = line->closed,
                                   .n = line->points->len,
                                   .points = points,
                                   .rule = { .end = KG_END_PARABOLA, .spacing = KG_SPACING_CHORD } };
    size_t first;

    if (line->points->len < 2)
      continue;
    n->curves++;
    if (n->make == MAKE_SPLINE && line->points->len > 3
            ? !curve_geometry_add (n->geometry, &control, error)
            : !curve_geometry_add_polyline (n->geometry, points, line->points->len, line->closed, &first, error))
      return false;
  }
  if (n->curves == 0)
    kg_context_warn (ctx, "the function has no zero in the box: move or widen the box, or raise the resolution");
  return true;
}

static bool
parametric_evaluate (Parametric *n, const KgContext *ctx, GError **error)
{
  const char *const texts[3][3] = { { n->x, n->y, n->z }, { NULL, n->y, NULL }, { n->f, NULL, NULL } };
  static const char *const slots[3][3] = { { "x", "y", "z" }, { NULL, "y", NULL }, { "f", NULL, NULL } };
  g_auto (Formulas) f = { .n = n };
  FormulaClass c = { FORMULA_POLYNOMIAL, 0 };

  n->geometry = kg_geometry_new ();
  for (guint i = 0; i < 3; i++)
    if (texts[n->form][i] != NULL) {
      f.formulas[i] = parametric_compile (n, texts[n->form][i], slots[n->form][i], &c, error);
      if (f.formulas[i] == NULL)
        return false;
    }
  n->kind = formula_class_describe (c);
  if (n->form == FORM_IMPLICIT)
    return parametric_contour (n, &f, ctx, error);
  if (!(fabs (n->to - n->from) > 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the range goes from %g to %g: give two different numbers", n->from,
                  n->to);
    return false;
  }
  if (n->make == MAKE_SPLINE && c.kind == FORMULA_POLYNOMIAL && c.degree <= PARAMETRIC_MAX_EXACT && !n->closed &&
      parametric_add_exact (n, &f, n->form == FORM_EXPLICIT ? MAX (c.degree, 1) : c.degree, error))
    return true;
  return (error == NULL || *error == NULL) && parametric_sample (n, &f, ctx, error);
}

static const KgSlot parametric_slots[] = {
  KG_INPUT (
      Parametric, form, CHOICE, .label = N_ ("Form"), .choices = parametric_forms,
      .help = N_ (
          "A parametric curve may take any path; an explicit one never doubles back; an implicit one lies where a function changes its sign.")),
  KG_INPUT (Parametric, x, TEXT, .shown_when = "form=parametric", .label = N_ ("x"), .def_text = "cos(2*pi*u)",
            .help = N_ ("A formula of u, and of a, b, c and d below.")),
  KG_INPUT (Parametric, y, TEXT, .shown_when = "form=parametric|explicit", .label = N_ ("y"), .def_text = "sin(2*pi*u)",
            .help = N_ ("A formula of u (explicit: of x), and of a, b, c and d.")),
  KG_INPUT (Parametric, z, TEXT, .shown_when = "form=parametric", .label = N_ ("z"), .def_text = "0",
            .help = N_ ("A formula of u, and of a, b, c and d.")),
  KG_INPUT (Parametric, f, TEXT, .shown_when = "form=implicit", .label = N_ ("f"), .def_text = "x^2 + y^2 - 1",
            .help = N_ ("A formula of x and y, and of a, b, c and d. The curve lies where it is zero.")),
  KG_INPUT (Parametric, from, NUMBER, .shown_when = "form=parametric|explicit", .label = N_ ("From"), .soft_min = -10,
            .soft_max = 10, .help = N_ ("Start of the range of u (explicit: of x).")),
  KG_INPUT (Parametric, to, NUMBER, .shown_when = "form=parametric|explicit", .label = N_ ("To"), .def = 1,
            .soft_min = -10, .soft_max = 10, .help = N_ ("End of the range.")),
  KG_INPUT (Parametric, samples, INTEGER, .shown_when = "form=parametric|explicit", .label = N_ ("Samples"), .def = 101,
            .min = 2, .max = 1000000, .soft_max = 500,
            .help = N_ ("Number of points at which the formulas are evaluated.")),
  KG_INPUT (Parametric, closed, BOOLEAN, .shown_when = "form=parametric", .label = N_ ("Closed"),
            .help = N_ ("The end of the range joins the start.")),
  KG_INPUT (
      Parametric, make, CHOICE, .label = N_ ("Curve type"), .choices = parametric_makes,
      .help = N_ (
          "A smooth curve passes through all samples and keeps the parameter of the formulas, and its curvature and torsion are those of the formulas. If the formulas are polynomials up to degree 7, it is one exact segment.")),
  KG_INPUT (Parametric, low, VECTOR, .shown_when = "form=implicit", .label = N_ ("Low corner"),
            .def_v = { -1.5, -1.5, 0 }, .unit = KG_METRES, .help = N_ ("Corner of the box that is searched.")),
  KG_INPUT (Parametric, high, VECTOR, .shown_when = "form=implicit", .label = N_ ("High corner"),
            .def_v = { 1.5, 1.5, 0 }, .unit = KG_METRES, .help = N_ ("Corner of the box that is searched.")),
  KG_INPUT (Parametric, resolution, INTEGER, .shown_when = "form=implicit", .label = N_ ("Resolution"), .def = 64,
            .min = 1, .max = 2000, .soft_max = 200,
            .help = N_ ("Number of cells across the box. Smaller features are missed.")),
  KG_INPUT (Parametric, polish, BOOLEAN, .shown_when = "form=implicit", .label = N_ ("Refine"), .def = 1,
            .help = N_ ("Moves the points exactly onto the zero of the function, along its gradient.")),
  KG_INPUT (Parametric, a, NUMBER, .label = N_ ("a"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formulas: key it or link it to change the curve.")),
  KG_INPUT (Parametric, b, NUMBER, .label = N_ ("b"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formulas.")),
  KG_INPUT (Parametric, c, NUMBER, .label = N_ ("c"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formulas.")),
  KG_INPUT (Parametric, d, NUMBER, .label = N_ ("d"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formulas.")),
  KG_OUTPUT (Parametric, geometry, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The curve; several if it is broken or has several branches.")),
  KG_OUTPUT (Parametric, curves, INTEGER, .label = N_ ("Curves"), .help = N_ ("Number of curves.")),
  KG_OUTPUT (
      Parametric, kind, TEXT, .label = N_ ("Kind"),
      .help = N_ (
          "Kind of formula: linear, quadratic, cubic, polynomial, rational, algebraic, piecewise or transcendental.")),
};

KG_NODE (
    curve, parametric, Parametric, .label = N_ ("Formula Curve"), .version = 1, .since = "0.1",
    .tags = N_ ("equation expression function graph plot implicit explicit lissajous spiral"),
    .formula = "parametric: x = x(u), y = y(u), z = z(u)\n"
               "explicit: y = y(x)\n"
               "implicit: f(x, y) = 0, by marching squares, then p ← p − f ∇f / |∇f|²",
    .source = "Parent, Computer Animation, B.4.1; Lorensen and Cline, Marching Cubes, 1987 (in the plane)",
    .help = N_ (
        "Draws a curve from formulas: parametric, with x, y and z as functions of u; explicit, with y as a function of x; or implicit, where a function of x and y is zero. The values a to d may be keyed or linked."));
