/* arc_methods: chords, quadrature and closed forms.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/arc_methods.h"

#include "curve/monotone_slope.h"

#include <gsl/gsl_integration.h>
#include <math.h>
#include <string.h>

/* Segments that wait for their test; each level adds one. */
#define MAX_DEPTH 60
/* Where halving ends, whatever the tolerance. */
#define MAX_ENTRIES (1u << 22)

static void
add_entry (ArcTable *table, double u, double s)
{
  if (table->n == table->capacity) {
    table->capacity = MAX (64, 2 * table->capacity);
    table->u = g_renew (double, table->u, table->capacity);
    table->s = g_renew (double, table->s, table->capacity);
  }
  table->u[table->n] = u;
  table->s[table->n++] = s;
}

void
arc_table_clear (ArcTable *table)
{
  g_clear_pointer (&table->u, g_free);
  g_clear_pointer (&table->s, g_free);
  table->n = table->capacity = 0;
}

static KgVector
get_point (ArcTable *table, const Curve *curve, double u)
{
  table->evaluations++;
  return curve_evaluate (curve, u, 0);
}

static double
get_distance (KgVector a, KgVector b)
{
  return kg_vector_length (kg_vector_subtract (b, a));
}

/* Speed at t of a segment, so that the ends of a segment are its own and not its neighbour's. */
static double
get_speed (ArcTable *table, const Curve *curve, guint segment, double t)
{
  table->evaluations++;
  return kg_vector_length (curve_evaluate_segment (curve, segment, t, 1));
}

/* Chords. */

static bool
is_cancelled (const ArcRequest *request, guint64 step)
{
  return step % 64 == 63 && kg_progress_is_cancelled (request->monitor);
}

static void
build_chords (ArcTable *table, const Curve *curve, const ArcRequest *request)
{
  const guint m = MAX (request->supersample, 1), n = MAX (request->entries, 1);
  KgVector before = get_point (table, curve, request->from);
  double s = 0;

  add_entry (table, request->from, 0);
  for (guint64 i = 1; i <= (guint64) n * m && !is_cancelled (request, i); i++) {
    const double u = request->from + (request->to - request->from) * ((double) i / ((double) n * m));
    const KgVector p = get_point (table, curve, u);

    s += get_distance (before, p);
    before = p;
    if (i % m == 0)
      add_entry (table, u, s);
  }
}

/* One segment of the parameter that waits to be tested, with its end; its start is the end of the last one done. */
typedef struct {
  double u;
  KgVector p;
  guint depth;
} Waiting;

static void
build_adaptive_chords (ArcTable *table, const Curve *curve, const ArcRequest *request)
{
  Waiting waiting[MAX_DEPTH + 2];
  guint n = 1;
  double u = request->from, s = 0;
  KgVector p = get_point (table, curve, u);

  add_entry (table, u, 0);
  waiting[0] = (Waiting){ request->to, get_point (table, curve, request->to), 0 };
  while (n > 0 && !is_cancelled (request, table->n)) {
    Waiting *top = &waiting[n - 1];
    const double middle = 0.5 * (u + top->u);
    const KgVector q = get_point (table, curve, middle);
    const double first = get_distance (p, q), second = get_distance (q, top->p);
    const bool coarse = top->depth < request->min_depth ||
                        first + second - get_distance (p, top->p) > request->tolerance;

    if (coarse && top->depth < MIN (request->max_depth, MAX_DEPTH) && table->n < MAX_ENTRIES) {
      top->depth++;
      waiting[n++] = (Waiting){ middle, q, top->depth };
      continue;
    }
    table->too_deep = table->too_deep || coarse;
    add_entry (table, middle, s + first);
    s += first + second;
    add_entry (table, top->u, s);
    u = top->u;
    p = top->p;
    n--;
  }
}

/* Quadrature: piece by piece, for joints are not smooth. */

typedef double (*Rule) (ArcTable *table, const Curve *curve, guint segment, double a, double b, const void *data);

/* Places and weights on -1..1. */
typedef struct {
  guint n;
  double x[ARC_MAX_ORDER], w[ARC_MAX_ORDER];
} GaussRule;

/* GSL has tables up to 20 that are right to the last digit; beyond, the eigenvalues of Golub and Welsch are nearly so. */
static void
gauss_init (GaussRule *rule, guint n)
{
  rule->n = CLAMP (n, 1, ARC_MAX_ORDER);
  if (rule->n <= 20) {
    gsl_integration_glfixed_table *table = gsl_integration_glfixed_table_alloc (rule->n);

    for (guint i = 0; i < rule->n; i++)
      gsl_integration_glfixed_point (-1, 1, i, &rule->x[i], &rule->w[i], table);
    gsl_integration_glfixed_table_free (table);
  } else {
    gsl_integration_fixed_workspace *work =
        gsl_integration_fixed_alloc (gsl_integration_fixed_legendre, rule->n, -1, 1, 0, 0);

    memcpy (rule->x, gsl_integration_fixed_nodes (work), rule->n * sizeof (double));
    memcpy (rule->w, gsl_integration_fixed_weights (work), rule->n * sizeof (double));
    gsl_integration_fixed_free (work);
  }
}

static double
gauss_rule (ArcTable *table, const Curve *curve, guint segment, double a, double b, const void *data)
{
  const GaussRule *rule = (const GaussRule *) data;
  const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
  double sum = 0;

  for (guint i = 0; i < rule->n; i++)
    sum += rule->w[i] * get_speed (table, curve, segment, middle + half * rule->x[i]);
  return half * sum;
}

static double
trapezoid_rule (ArcTable *table, const Curve *curve, guint segment, double a, double b, const void *data)
{
  const guint n = *(const guint *) data;
  const double h = (b - a) / n;
  double sum = 0.5 * (get_speed (table, curve, segment, a) + get_speed (table, curve, segment, b));

  for (guint i = 1; i < n; i++)
    sum += get_speed (table, curve, segment, a + i * h);
  return h * sum;
}

/* An even number of intervals, rounded up. */
static double
simpson_rule (ArcTable *table, const Curve *curve, guint segment, double a, double b, const void *data)
{
  const guint n = (*(const guint *) data + 1) / 2 * 2;
  const double h = (b - a) / n;
  double sum = get_speed (table, curve, segment, a) + get_speed (table, curve, segment, b);

  for (guint i = 1; i < n; i++)
    sum += (i % 2 == 1 ? 4 : 2) * get_speed (table, curve, segment, a + i * h);
  return h / 3 * sum;
}

/* Entries at the middle and end of the interval once its halves agree with it. */
static void
subdivide (ArcTable *table, const Curve *curve, const ArcRequest *request, guint segment, double a, double b,
           double whole, double before, guint depth, const GaussRule *points)
{
  const double middle = 0.5 * (a + b);
  const double left = gauss_rule (table, curve, segment, a, middle, points);
  const double right = gauss_rule (table, curve, segment, middle, b, points);
  /* Rounding cannot be halved away. */
  const bool coarse = fabs (whole - (left + right)) > fmax (request->tolerance, 2e-15 * whole);

  if (coarse && depth < MIN (request->max_depth, MAX_DEPTH) && table->n < MAX_ENTRIES &&
      !is_cancelled (request, table->n)) {
    subdivide (table, curve, request, segment, a, middle, left, before, depth + 1, points);
    subdivide (table, curve, request, segment, middle, b, right, table->s[table->n - 1], depth + 1, points);
    return;
  }
  table->too_deep = table->too_deep || coarse;
  add_entry (table, segment + middle, before + left);
  add_entry (table, segment + b, before + left + right);
}

/* The part of a segment between from and to; false when there is none. */
static bool
clip (const ArcRequest *request, guint segment, double *a, double *b)
{
  *a = fmax (request->from - segment, 0);
  *b = fmin (request->to - segment, 1);
  return *b > *a;
}

static void
build_quadrature (ArcTable *table, const Curve *curve, const ArcRequest *request, Rule rule, const void *data)
{
  add_entry (table, request->from, 0);
  for (guint i = 0; i < curve_get_n_segments (curve) && !is_cancelled (request, i); i++) {
    double a, b;

    if (clip (request, i, &a, &b))
      add_entry (table, i + b, table->s[table->n - 1] + rule (table, curve, i, a, b, data));
  }
}

static void
build_adaptive_gauss (ArcTable *table, const Curve *curve, const ArcRequest *request)
{
  GaussRule points;

  gauss_init (&points, MAX (request->order, 2));
  add_entry (table, request->from, 0);
  for (guint i = 0; i < curve_get_n_segments (curve) && !is_cancelled (request, i); i++) {
    double a, b;

    if (clip (request, i, &a, &b))
      subdivide (table, curve, request, i, a, b, gauss_rule (table, curve, i, a, b, &points), table->s[table->n - 1], 1,
                 &points);
  }
}

/* Closed forms. */

/* Integral of sqrt (a u² + b u + c) from 0 to u, for a parabola that is not on a line. */
static double
parabola_length (double a, double b, double c, double u)
{
  const double q = sqrt (fmax ((a * u + b) * u + c, 0)), root = sqrt (a);

  return (2 * a * u + b) * q / (4 * a) +
         (4 * a * c - b * b) / (8 * a * root) * log (fabs (2 * root * q + 2 * a * u + b));
}

/* The length of a piece whose derivative is first + u * second, from a to b. */
static double
quadratic_length (KgVector first, KgVector second, double a, double b)
{
  const double qa = kg_vector_dot (second, second), qb = 2 * kg_vector_dot (first, second);
  const double qc = kg_vector_dot (first, first), middle = -qb / (2 * qa);

  if (!(qa > 1e-20 * qc))
    return (b - a) * kg_vector_length (kg_vector_add_scaled (first, 0.5 * (a + b), second));
  /* On a line the speed is |u - middle| times a number. */
  if (!(4 * qa * qc - qb * qb > 1e-14 * qa * fmax (qc, qa)))
    return sqrt (qa) / 2 * ((b - middle) * fabs (b - middle) - (a - middle) * fabs (a - middle));
  return parabola_length (qa, qb, qc, b) - parabola_length (qa, qb, qc, a);
}

/* A rational quadratic piece that is an arc of a circle: its points stand on it at the angle between their ways to the
 * middle. */
static bool
find_circle (const Curve *curve, guint segment, double *radius, KgVector *middle)
{
  const KgVector *b = curve_get_bezier (curve, segment);
  const double *w = curve_get_bezier_weights (curve, segment);
  KgVector p[3], half, chord;
  double side, other, cosine, reach, ratio;

  if (w == NULL || curve_get_degree (curve) != 2 || !(w[1] > 0))
    return false;
  for (guint i = 0; i < 3; i++)
    p[i] = kg_vector_scale (b[i], 1 / w[i]);
  side = get_distance (p[0], p[1]);
  other = get_distance (p[1], p[2]);
  chord = kg_vector_subtract (p[2], p[0]);
  half = kg_vector_lerp (p[0], p[2], 0.5);
  reach = get_distance (half, p[1]);
  cosine = 0.5 * kg_vector_length (chord) / side;
  ratio = w[1] / sqrt (w[0] * w[2]);
  if (!(side > 0) || fabs (side - other) > 1e-9 * side || fabs (ratio - cosine) > 1e-9 || !(reach > 1e-9 * side))
    return false;
  *radius = side * cosine / sqrt (1 - cosine * cosine);
  /* From the corner past the middle of the chord: the three distances are those of similar triangles. */
  *middle = kg_vector_add_scaled (half, 0.25 * kg_vector_dot (chord, chord) / (reach * reach),
                                  kg_vector_subtract (half, p[1]));
  return true;
}

static bool
closed_form (ArcTable *table, const Curve *curve, guint segment, double a, double b, double *length)
{
  const KgVector first = curve_evaluate_segment (curve, segment, 0, 1);
  KgVector middle;
  double radius;

  table->evaluations++;
  if (curve_get_bezier_weights (curve, segment) == NULL) {
    const double size = kg_vector_length (first) + kg_vector_length (curve_evaluate_segment (curve, segment, 0.5, 1));

    /* A cubic whose third derivative is nothing is a quadratic. */
    if (curve_get_degree (curve) > 3 || kg_vector_length (curve_evaluate_segment (curve, segment, 0, 3)) > 1e-14 * size)
      return false;
    *length = quadratic_length (first, curve_evaluate_segment (curve, segment, 0, 2), a, b);
    return true;
  }
  if (!find_circle (curve, segment, &radius, &middle))
    return false;
  *length = 0;
  /* Halves, so that the angle of each stays well below half a turn. */
  for (guint i = 0; i < 2; i++) {
    const double from = i == 0 ? a : 0.5 * (a + b), to = i == 0 ? 0.5 * (a + b) : b;
    const KgVector p = kg_vector_subtract (curve_evaluate_segment (curve, segment, from, 0), middle);
    const KgVector q = kg_vector_subtract (curve_evaluate_segment (curve, segment, to, 0), middle);

    *length += radius * atan2 (kg_vector_length (kg_vector_cross (p, q)), kg_vector_dot (p, q));
  }
  return true;
}

static void
build_closed_form (ArcTable *table, const Curve *curve, const ArcRequest *request)
{
  add_entry (table, request->from, 0);
  for (guint i = 0; i < curve_get_n_segments (curve) && !is_cancelled (request, i); i++) {
    double a, b, length;

    if (!clip (request, i, &a, &b))
      continue;
    if (!closed_form (table, curve, i, a, b, &length)) {
      arc_table_clear (table);
      table->substituted = true;
      build_adaptive_gauss (table, curve, request);
      return;
    }
    add_entry (table, i + b, table->s[table->n - 1] + length);
  }
}

bool
arc_table_build (ArcTable *table, const Curve *curve, const ArcRequest *request, GError **error)
{
  GaussRule points;

  *table = (ArcTable){ .n = 0 };
  if (!(request->tolerance > 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the tolerance is %g: set it to a length above 0, such as 0.000001",
                  request->tolerance);
    return false;
  }
  switch (request->method) {
  case ARC_TABLE:
    build_chords (table, curve, request);
    break;
  case ARC_ADAPTIVE_TABLE:
    build_adaptive_chords (table, curve, request);
    break;
  case ARC_GAUSS:
    gauss_init (&points, request->order);
    build_quadrature (table, curve, request, gauss_rule, &points);
    break;
  case ARC_SIMPSON:
    build_quadrature (table, curve, request, simpson_rule, &request->entries);
    break;
  case ARC_TRAPEZOID:
    build_quadrature (table, curve, request, trapezoid_rule, &request->entries);
    break;
  case ARC_CLOSED_FORM:
    build_closed_form (table, curve, request);
    break;
  case ARC_ADAPTIVE_GAUSS:
  case ARC_N_METHODS:
  default:
    build_adaptive_gauss (table, curve, request);
    break;
  }
  table->length = table->s[table->n - 1];
  return true;
}

bool
arc_table_read (ArcTable *table, const double *numbers, guint n, GError **error)
{
  *table = (ArcTable){ .n = 0 };
  if (n < 4 || n % 2 != 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%u numbers do not make a table: give a parameter and a length for each of at least two entries", n);
    return false;
  }
  for (guint i = 0; i < n; i += 2) {
    if (i > 0 && (!(numbers[i] > numbers[i - 2]) || !(numbers[i + 1] >= numbers[i - 1]))) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "entry %u (%g, %g) follows (%g, %g): parameters must increase, and lengths must not decrease",
                    i / 2, numbers[i], numbers[i + 1], numbers[i - 2], numbers[i - 1]);
      arc_table_clear (table);
      return false;
    }
    add_entry (table, numbers[i], numbers[i + 1]);
  }
  table->length = table->s[table->n - 1] - table->s[0];
  return true;
}

/* Looking up. */

/* The entry i with x[i] <= at < x[i + 1] (the last span at the end).  A value that is an entry but for rounding counts
 * as it. */
static guint
find (const double *x, guint n, double at)
{
  guint low = 0, high = n - 1;

  while (high - low > 1) {
    const guint middle = (low + high) / 2;

    if (x[middle] <= at + 1e-9 * (x[middle] - x[middle - 1]))
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Slope of the monotone cubic at entry i. */
static double
get_monotone_slope (const ArcTable *table, guint i)
{
  const double *u = table->u, *s = table->s;
  double h, k, before, after;

  if (i == 0 || i == table->n - 1) {
    const guint a = i == 0 ? 0 : i - 1;
    const double chord = (s[a + 1] - s[a]) / (u[a + 1] - u[a]);
    double inner, slope;

    if (table->n == 2)
      return chord;
    /* Of the parabola with the slope at the neighbour; not so steep that the curve would turn. */
    inner = get_monotone_slope (table, i == 0 ? 1 : i - 1);
    slope = 2 * chord - inner;
    return kg_clamp (slope, 0, 3 * chord);
  }
  h = u[i] - u[i - 1];
  k = u[i + 1] - u[i];
  before = (s[i] - s[i - 1]) / h;
  after = (s[i + 1] - s[i]) / k;
  return monotone_slope (before, after, h, k);
}

/* The monotone cubic of span i at x in 0..1. */
static double
cubic_at (const ArcTable *table, guint i, double x)
{
  const double width = table->u[i + 1] - table->u[i], s = table->s[i], rise = table->s[i + 1] - s;
  const double a = width * get_monotone_slope (table, i), b = width * get_monotone_slope (table, i + 1);

  return s + x * (a + x * (3 * rise - 2 * a - b + x * (a + b - 2 * rise)));
}

double
arc_table_length (const ArcTable *table, double u, ArcLookup lookup)
{
  double x;
  guint i;

  u = kg_clamp (u, table->u[0], table->u[table->n - 1]);
  i = find (table->u, table->n, u);
  x = (u - table->u[i]) / (table->u[i + 1] - table->u[i]);
  if (lookup == ARC_NEAREST)
    return x >= 0.5 - 1e-9 ? table->s[i + 1] : table->s[i];
  if (lookup == ARC_CUBIC)
    return cubic_at (table, i, x);
  return table->s[i] + x * (table->s[i + 1] - table->s[i]);
}

double
arc_table_parameter (const ArcTable *table, double s, ArcLookup lookup)
{
  double rise, x, low = 0, high = 1;
  guint i;

  s = kg_clamp (s, table->s[0], table->s[table->n - 1]);
  /* The first of several entries of one length: where a stalled curve arrives. */
  for (i = find (table->s, table->n, s); i > 0 && table->s[i] >= s; i--)
    ;
  if (s >= table->s[i + 1])
    return table->u[table->s[i] < table->s[i + 1] ? i + 1 : i];
  rise = table->s[i + 1] - table->s[i];
  x = rise > 0 ? (s - table->s[i]) / rise : 0;
  if (lookup == ARC_NEAREST)
    return x >= 0.5 - 1e-9 ? table->u[i + 1] : table->u[i];
  if (lookup == ARC_CUBIC && rise > 0) {
    /* Monotone: bisection cannot fail, and 60 steps exhaust a double. */
    for (int k = 0; k < 60; k++) {
      x = 0.5 * (low + high);
      if (cubic_at (table, i, x) < s)
        low = x;
      else
        high = x;
    }
  }
  return table->u[i] + x * (table->u[i + 1] - table->u[i]);
}
