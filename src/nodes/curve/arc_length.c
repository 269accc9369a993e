/* curve/arc_length: how long a curve is, by whichever method, and where a length is reached.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/arc_methods.h"
#include "kg-node.h"

#include <inttypes.h>

typedef struct {
  const KgGeometry *geometry;
  int64_t curve;
  int method;
  const KgTable *entries_typed;
  double from;
  double to;
  int units;
  double tolerance;
  int64_t entries;
  int64_t supersample;
  int64_t order;
  int64_t min_depth;
  int64_t max_depth;
  int lookup;
  double distance;
  double at;
  double length;
  double error;
  int64_t evaluations;
  int64_t rows;
  KgGeometry *table;
  double parameter;
  int64_t iterations;
  KgVector point;
  double miss;
  double length_at;
  char *report;
} ArcLength;

enum { METHOD_TYPED = ARC_N_METHODS };

/* The values of ArcMethod, then the table without a curve. */
static const KgChoice arc_length_methods[] = {
  [ARC_ADAPTIVE_GAUSS] = { "adaptive-gauss", N_ ("Adaptive Gauss: accurate where needed") },
  [ARC_GAUSS] = { "gauss", N_ ("Gauss: one rule per segment") },
  [ARC_SIMPSON] = { "simpson", N_ ("Simpson: even steps") },
  [ARC_TRAPEZOID] = { "trapezoid", N_ ("Trapezoid: even steps") },
  [ARC_TABLE] = { "table", N_ ("Chord table, even steps") },
  [ARC_ADAPTIVE_TABLE] = { "adaptive-table", N_ ("Chord table, finer in bends") },
  [ARC_CLOSED_FORM] = { "closed-form", N_ ("Closed form: lines, circles, parabolas") },
  [METHOD_TYPED] = { "typed", N_ ("Typed table, without a curve") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (arc_length_methods, METHOD_TYPED + 1);

static const KgChoice arc_length_lookups[] = {
  [ARC_LINEAR] = { "linear", N_ ("Linear") },
  [ARC_NEAREST] = { "nearest", N_ ("Nearest entry") },
  [ARC_CUBIC] = { "cubic", N_ ("Smooth curve through the entries") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (arc_length_lookups, ARC_N_LOOKUPS);

enum { UNITS_NORMALIZED, UNITS_NATURAL, N_UNITS };

static const KgChoice arc_length_units[] = {
  [UNITS_NORMALIZED] = { "normalized", N_ ("0 to 1 over the curve") },
  [UNITS_NATURAL] = { "natural", N_ ("One per segment") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (arc_length_units, N_UNITS);

static bool
arc_length_check_entries (const ArcLength *n, GError **error)
{
  if (n->entries * n->supersample <= 10000000)
    return true;
  kg_set_error (error, KG_ERROR_LIMIT,
                "%" PRId64 " entries of %" PRId64 " chords each are too many: keep the product below ten million",
                n->entries, n->supersample);
  return false;
}

/* The table as a polyline over the parameter, to be drawn and listed. */
static bool
arc_length_publish (ArcLength *n, const ArcTable *table, double scale, GError **error)
{
  g_autofree uint32_t *vertices = g_new (uint32_t, table->n);
  const KgPrimitive line = { .kind = KG_POLYLINE, .n_vertices = table->n, .vertices = vertices };
  float *p, *u, *s;

  n->table = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->table, table->n, error))
    return false;
  p = kg_geometry_edit_positions (n->table);
  u = kg_geometry_edit_float (n->table, KG_POINTS, "u", 1);
  s = kg_geometry_edit_float (n->table, KG_POINTS, "s", 1);
  for (guint i = 0; i < table->n; i++) {
    p[3 * (size_t) i] = u[i] = (float) (table->u[i] * scale);
    p[3 * (size_t) i + 1] = s[i] = (float) table->s[i];
    vertices[i] = i;
  }
  kg_geometry_add_primitive (n->table, &line);
  n->rows = table->n;
  return true;
}

static bool
arc_length_typed (ArcLength *n, const KgContext *ctx, GError **error)
{
  g_auto (ArcTable) table = { .n = 0 };
  const ArcLookup lookup = (ArcLookup) n->lookup;
  double start, target;

  if (!arc_table_read (&table, kg_table_get_cells (n->entries_typed),
                       2 * (guint) kg_table_get_n_rows (n->entries_typed), error)) {
    g_prefix_error (error, "entries_typed: ");
    return false;
  }
  start = arc_table_length (&table, n->from, lookup);
  n->length = arc_table_length (&table, n->to, lookup) - start;
  n->length_at = arc_table_length (&table, n->at, lookup);
  target = start + n->distance;
  if (target < table.s[0] || target > table.s[table.n - 1])
    kg_context_warn (ctx, "the length %g is outside the table, which covers %g to %g", target, table.s[0],
                     table.s[table.n - 1]);
  n->parameter = arc_table_parameter (&table, target, lookup);
  n->report = g_strdup_printf ("%.10g, %u entries", n->length, table.n);
  return arc_length_publish (n, &table, 1, error);
}

static void
arc_length_warn (const ArcLength *n, const ArcTable *table, const Curve *curve, const KgContext *ctx)
{
  if (curve_get_warning (curve) != NULL)
    kg_context_warn (ctx, "%s", curve_get_warning (curve));
  if (table->substituted)
    kg_context_warn (ctx, "this curve has no closed form: adaptive Gauss quadrature was used");
  if (table->too_deep)
    kg_context_warn (ctx, "the tolerance %g was not reached after %" PRId64 " subdivisions: increase the tolerance",
                     n->tolerance, n->max_depth);
}

/* The length to any parameter, by what the method has: tables are looked up; quadrature adds one rule from the entry
 * before. */
static double
arc_length_to (const ArcTable *table, const Curve *curve, const ArcRequest *request, double u, ArcLookup lookup)
{
  const bool chords = request->method == ARC_TABLE || request->method == ARC_ADAPTIVE_TABLE;
  g_auto (ArcTable) part = { .n = 0 };
  ArcRequest rest = *request;
  guint i = 0;

  if (chords)
    return arc_table_length (table, u, lookup);
  while (i + 2 < table->n && table->u[i + 1] <= u)
    i++;
  rest.from = table->u[i];
  rest.to = u;
  if (rest.method == ARC_ADAPTIVE_GAUSS)
    rest.method = ARC_GAUSS;
  if (!(u > rest.from) || !arc_table_build (&part, curve, &rest, NULL))
    return table->s[i];
  return table->s[i] + part.length;
}

static bool
arc_length_evaluate (ArcLength *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (Curve) curve = NULL;
  g_auto (ArcTable) table = { .n = 0 }, exact = { .n = 0 };
  ArcRequest request, reference;
  double scale, low, high, sign, target, at;
  guint n_iterations = 0;

  if (n->method == METHOD_TYPED)
    return arc_length_typed (n, ctx, error);
  if (n->geometry == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the curve is missing: link one, or choose the method \"typed\"");
    return false;
  }
  curve = curve_new (n->geometry, (size_t) n->curve, error);
  if (curve == NULL || !arc_length_check_entries (n, error) || !curve_prepare_lengths (curve, &monitor))
    return false;
  scale = n->units == UNITS_NORMALIZED ? curve_get_n_segments (curve) : 1;
  low = kg_clamp (fmin (n->from, n->to) * scale, 0, curve_get_n_segments (curve));
  high = kg_clamp (fmax (n->from, n->to) * scale, 0, curve_get_n_segments (curve));
  sign = n->to < n->from ? -1 : 1;
  request = (ArcRequest){ .method = (ArcMethod) n->method,
                          .from = low,
                          .to = high,
                          .tolerance = n->tolerance,
                          .entries = (guint) n->entries,
                          .supersample = (guint) n->supersample,
                          .order = (guint) n->order,
                          .min_depth = (guint) n->min_depth,
                          .max_depth = (guint) n->max_depth,
                          .monitor = &monitor };
  if (!arc_table_build (&table, curve, &request, error))
    return false;
  arc_length_warn (n, &table, curve, ctx);
  if (!(table.length > 0))
    kg_context_warn (ctx, "the curve has zero length between these parameters");
  n->length = sign * table.length;
  n->evaluations = (int64_t) table.evaluations;
  /* The reference for all methods, to the precision of doubles. */
  reference = request;
  reference.method = ARC_ADAPTIVE_GAUSS;
  reference.order = 16;
  reference.max_depth = 30;
  reference.tolerance = fmax (1e-15 * curve_get_length (curve), 1e-300);
  arc_table_build (&exact, curve, &reference, NULL);
  if (kg_context_is_cancelled (ctx))
    return false;
  n->error = fabs (table.length - exact.length);
  at = kg_clamp (n->at * scale, low, high);
  n->length_at = arc_length_to (&table, curve, &request, at, (ArcLookup) n->lookup);
  target = n->distance;
  if (target < 0 || target > table.length)
    kg_context_warn (ctx, "the distance %g m is outside the measured length of %g m", target, table.length);
  if (n->method == ARC_TABLE || n->method == ARC_ADAPTIVE_TABLE)
    at = arc_table_parameter (&table, target, (ArcLookup) n->lookup);
  else
    at = curve_search_parameter (curve, kg_clamp (target, 0, exact.length) + curve_get_length_to (curve, low),
                                 &n_iterations);
  at = kg_clamp (at, low, high);
  n->parameter = at / scale;
  n->iterations = n_iterations;
  n->point = curve_evaluate (curve, at, 0);
  n->miss =
      fabs (curve_get_length_to (curve, at) - curve_get_length_to (curve, low) - kg_clamp (target, 0, exact.length));
  n->report = g_strdup_printf ("%.10g m   error %.1e   %" G_GUINT64_FORMAT " evaluations", n->length, n->error,
                               table.evaluations);
  return arc_length_publish (n, &table, 1 / scale, error);
}

static const KgTableColumn arc_length_columns[] = {
  { "u", N_ ("Parameter"), 0, false },
  { "s", N_ ("Length"), 0, false },
  KG_TABLE_COLUMNS_END,
};

static const KgSlot arc_length_slots[] = {
  KG_INPUT (ArcLength, geometry, GEOMETRY, .label = N_ ("Curve"), .optional = true,
            .help = N_ ("A geometry with splines or polylines.")),
  KG_INPUT (ArcLength, curve, INTEGER, .label = N_ ("Curve index"), .min = 0, .max = 1e9, .soft_max = 10,
            .help = N_ ("Index of the curve in the geometry, from 0.")),
  KG_INPUT (ArcLength, method, CHOICE, .label = N_ ("Method"), .choices = arc_length_methods,
            .help = N_ ("How the length is measured. Compare the error and the number of evaluations of each method.")),
  KG_INPUT (ArcLength, entries_typed, TABLE, .shown_when = "method=typed", .label = N_ ("Table"),
            .columns = arc_length_columns, .def_text = "0 0\n0.5 0.8\n1 1",
            .help = N_ ("One entry per line: a parameter and the length up to it.")),
  KG_INPUT (ArcLength, from, NUMBER, .label = N_ ("From"), .soft_max = 1,
            .help = N_ ("Parameter at which the measurement starts.")),
  KG_INPUT (ArcLength, to, NUMBER, .label = N_ ("To"), .def = 1, .soft_max = 1,
            .help = N_ ("Parameter at which the measurement ends. If it is less than From, the length is negative.")),
  KG_INPUT (ArcLength, units, CHOICE, .label = N_ ("Parameters"), .choices = arc_length_units,
            .help = N_ ("Unit of the parameters of this node.")),
  KG_INPUT (
      ArcLength, tolerance, NUMBER, .shown_when = "method=adaptive-gauss|adaptive-table|closed-form",
      .label = N_ ("Tolerance"), .unit = KG_METRES, .def = 1e-6, .min = 0, .max = 1e9, .soft_max = 0.1,
      .help = N_ (
          "Largest difference, in metres, between the length of an interval and the sum of its halves. Above it the halves are subdivided again.")),
  KG_INPUT (ArcLength, entries, INTEGER, .shown_when = "method=table|simpson|trapezoid", .label = N_ ("Steps"),
            .def = 100, .min = 1, .max = 1000000, .soft_max = 1000,
            .help = N_ ("Number of even steps: of the whole table, or of each segment for Simpson and trapezoid.")),
  KG_INPUT (ArcLength, supersample, INTEGER, .shown_when = "method=table", .label = N_ ("Chords per step"), .def = 1,
            .min = 1, .max = 10000, .soft_max = 100,
            .help = N_ ("More chords make the table more accurate at the same size.")),
  KG_INPUT (ArcLength, order, INTEGER, .shown_when = "method=gauss|adaptive-gauss", .label = N_ ("Gauss points"),
            .def = 10, .min = 2, .max = 100, .soft_max = 32,
            .help = N_ ("Number of points at which each Gauss rule evaluates the speed.")),
  KG_INPUT (
      ArcLength, min_depth, INTEGER, .shown_when = "method=adaptive-table", .label = N_ ("Minimum subdivisions"),
      .def = 4, .min = 0, .max = 20,
      .help = N_ (
          "Number of subdivisions before the first test. Without them, a bend that is symmetric about the centre of the interval can pass the test by mistake.")),
  KG_INPUT (ArcLength, max_depth, INTEGER, .shown_when = "method=adaptive-table|adaptive-gauss",
            .label = N_ ("Maximum subdivisions"), .def = 24, .min = 1, .max = 40,
            .help = N_ ("Subdivision stops at this depth, whatever the tolerance.")),
  KG_INPUT (ArcLength, lookup, CHOICE, .shown_when = "method=table|adaptive-table|typed", .label = N_ ("Lookup"),
            .choices = arc_length_lookups, .help = N_ ("How values between the table entries are interpolated.")),
  KG_INPUT (ArcLength, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES, .soft_max = 10,
            .help = N_ ("Distance from From, in metres, at which the parameter is found.")),
  KG_INPUT (ArcLength, at, NUMBER, .label = N_ ("At"), .soft_max = 1,
            .help = N_ ("Parameter at which the length from From is measured.")),
  KG_OUTPUT (ArcLength, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES,
             .help = N_ ("Length from From to To.")),
  KG_OUTPUT (ArcLength, error, NUMBER, .label = N_ ("Error"), .unit = KG_METRES,
             .help = N_ ("Difference from the length computed to full floating-point precision.")),
  KG_OUTPUT (ArcLength, evaluations, INTEGER, .label = N_ ("Evaluations"),
             .help = N_ ("How often the method evaluated a point or a speed.")),
  KG_OUTPUT (ArcLength, rows, INTEGER, .label = N_ ("Entries"), .help = N_ ("Number of entries in the table.")),
  KG_OUTPUT (
      ArcLength, table, GEOMETRY, .label = N_ ("Table"),
      .help = N_ ("A polyline with the parameter as x and the length as y, which are also in the attributes u and s.")),
  KG_OUTPUT (ArcLength, parameter, NUMBER, .label = N_ ("Parameter"),
             .help = N_ ("Parameter at which the distance is reached.")),
  KG_OUTPUT (ArcLength, iterations, INTEGER, .label = N_ ("Iterations"),
             .help = N_ ("Number of Newton and bisection steps needed to find the parameter; 0 if a table is used.")),
  KG_OUTPUT (ArcLength, point, VECTOR, .label = N_ ("Point"), .unit = KG_METRES,
             .help = N_ ("Position on the curve at that parameter.")),
  KG_OUTPUT (ArcLength, miss, NUMBER, .label = N_ ("Distance error"), .unit = KG_METRES,
             .help = N_ ("Difference, along the curve, between the point and the requested distance.")),
  KG_OUTPUT (ArcLength, length_at, NUMBER, .label = N_ ("Length at"), .unit = KG_METRES,
             .help = N_ ("Length from From to At.")),
  KG_OUTPUT (ArcLength, report, TEXT, .label = N_ ("Report"),
             .help = N_ ("Length, error and number of evaluations as text, to be drawn with Text.")),
};

KG_NODE (
    curve, arc_length, ArcLength, .label = N_ ("Arc Length"), .version = 1, .since = "0.1",
    .tags = N_ ("measure distance table quadrature gauss simpson reparameterise speed constant"),
    .formula =
        "length(u₁, u₂) = ∫ |P′(u)| du from u₁ to u₂\n"
        "table: G₀ = 0, Gₖ = Gₖ₋₁ + |P(uₖ) − P(uₖ₋₁)|; adaptive-table: subdivides until l₁ + l₂ − l ≤ tolerance\n"
        "gauss: (b − a)/2 · Σ wᵢ |P′(((b − a) xᵢ + a + b)/2)|; "
        "adaptive-gauss: until |whole − (left + right)| ≤ tolerance\n"
        "simpson: h/3 · (f₀ + 4 f₁ + 2 f₂ + … + fₙ); trapezoid: h · (f₀/2 + f₁ + … + fₙ/2)\n"
        "closed-form of a parabola, Q = Au² + Bu + C = |P′|²:\n"
        "  (2Au + B) √Q / 4A + (4AC − B²) / 8A√A · ln|2√A √Q + 2Au + B|\n"
        "parameter of a distance s: u ← u − (length(u₁, u) − s) / |P′(u)|, halving where that "
        "leaves the bracket",
    .source = "Parent, Computer Animation, 3.2.1; "
              "Guenter and Parent, Computing the Arc Length of Parametric Curves, 1990; "
              "Fritsch and Carlson, Monotone Piecewise Cubic Interpolation, 1980",
    .help = N_ (
        "Measures a curve and finds the parameter at a distance along it. Evaluate Curve already does that well; this node demonstrates the textbook methods, each with its error, its cost and the table it makes."));
