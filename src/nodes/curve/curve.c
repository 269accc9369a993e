/* curve: polynomial pieces, their length, and frames along them.
 * Sources: Parent, Computer Animation, B.4 (bases) and 3.2.1 (arc length); Kochanek and Bartels 1984; Wang, Juettler,
 * Zheng and Liu 2008 (double reflection).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve.h"

#include <string.h>

/* Pieces of the length table for each segment: fine enough for one Gauss rule each where the curve is tame. */
#define TABLE_STEPS 16

struct _Curve {
  guint n_segments;
  bool closed;
  guint degree;
  /* Polynomial curves: degree + 1 Bezier points for each segment.  Rational ones carry weights too. */
  KgVector *points;
  double *weights;
  double *lengths; /* from the start to step i of TABLE_STEPS * n_segments; n + 1 entries */
};

void
curve_free (Curve *curve)
{
  g_free (curve->points);
  g_free (curve->weights);
  g_free (curve->lengths);
  g_free (curve);
}

guint
curve_get_n_segments (const Curve *curve)
{
  return curve->n_segments;
}

bool
curve_is_closed (const Curve *curve)
{
  return curve->closed;
}

/* Evaluation: every basis is brought to Bezier form once; de Casteljau serves them all. */

static double
locate (const Curve *curve, double u, guint *segment)
{
  const double n = curve->n_segments;

  u = curve->closed && (u < 0 || u > n) ? u - n * floor (u / n) : kg_clamp (u, 0, n);
  *segment = (guint) kg_clamp (floor (u), 0, n - 1);
  return u - *segment;
}

/* The k-th derivative of Bezier points at t, by de Casteljau on the differences. */
static void
bezier (const double *points, guint stride, guint degree, double t, guint order, double *out)
{
  double work[64];
  double factor = 1;

  g_assert (degree < G_N_ELEMENTS (work));
  for (guint c = 0; c < stride; c++) {
    for (guint i = 0; i <= degree; i++)
      work[i] = points[i * stride + c];
    if (order > degree) {
      out[c] = 0;
      continue;
    }
    factor = 1;
    for (guint k = 0; k < order; k++) {
      for (guint i = 0; i + k < degree; i++)
        work[i] = work[i + 1] - work[i];
      factor *= degree - k;
    }
    for (guint left = degree - order; left > 0; left--)
      for (guint i = 0; i < left; i++)
        work[i] = (1 - t) * work[i] + t * work[i + 1];
    out[c] = factor * work[0];
  }
}

KgVector
curve_evaluate (const Curve *curve, double u, guint order)
{
  const guint stride = curve->degree + 1;
  KgVector d[4];
  double w[4];
  guint segment;
  const double t = locate (curve, u, &segment);

  if (curve->weights == NULL) {
    bezier (&curve->points[segment * stride].x, 3, curve->degree, t, order, &d[0].x);
    return d[0];
  }
  /* Quotient rule, order by order (points are stored times their weights). */
  for (guint k = 0; k <= order; k++) {
    static const double binomial[4][4] = { { 1 }, { 1, 1 }, { 1, 2, 1 }, { 1, 3, 3, 1 } };

    bezier (&curve->points[segment * stride].x, 3, curve->degree, t, k, &d[k].x);
    bezier (&curve->weights[segment * stride], 1, curve->degree, t, k, &w[k]);
    for (guint i = 1; i <= k; i++)
      d[k] = kg_vector_add_scaled (d[k], -binomial[k][i] * w[i], d[k - i]);
    d[k] = kg_vector_scale (d[k], 1 / w[0]);
  }
  return d[order];
}

/* Making segments. */

static void
set_hermite (Curve *curve, guint segment, KgVector p, KgVector q, KgVector out, KgVector in)
{
  KgVector *b = &curve->points[4 * segment];

  b[0] = p;
  b[1] = kg_vector_add_scaled (p, 1.0 / 3, out);
  b[2] = kg_vector_add_scaled (q, -1.0 / 3, in);
  b[3] = q;
}

typedef struct {
  const KgGeometry *geometry;
  KgPrimitive primitive;
  guint n;
  bool closed;
  KgVector *p;
} Control;

static KgVector
read_point_vector (const Control *control, const char *name, guint i)
{
  const float *x = kg_geometry_get_float (control->geometry, KG_POINTS, name, 3);

  if (x == NULL)
    return kg_vector (0, 0, 0);
  x += 3 * (size_t) control->primitive.vertices[i];
  return kg_vector ((double) x[0], (double) x[1], (double) x[2]);
}

/* Tangents at point i by tension, continuity and bias; with zeros they are those of Catmull and Rom.  At the ends
 * of an open curve the rule of Parent B.4.6: aim at the mirror image of the second neighbour. */
static void
get_tangents (const Control *control, guint i, KgVector tcb, KgVector *in, KgVector *out)
{
  const guint n = control->n;
  const KgVector *p = control->p;
  const double t = 1 - tcb.x, l = 1 - tcb.y, r = 1 + tcb.y, ba = 1 + tcb.z, be = 1 - tcb.z;
  KgVector a, e;

  if (!control->closed && (i == 0 || i == n - 1)) {
    const KgVector near = i == 0 ? p[1] : p[n - 2];
    KgVector d = kg_vector_subtract (near, p[i]);

    if (n > 2) {
      const KgVector far = i == 0 ? p[2] : p[n - 3];

      d = kg_vector_scale (kg_vector_subtract (kg_vector_subtract (kg_vector_scale (near, 2), far), p[i]), 0.5);
    }
    *in = *out = kg_vector_scale (d, i == 0 ? t : -t);
    return;
  }
  a = kg_vector_subtract (p[i], p[(i + n - 1) % n]);
  e = kg_vector_subtract (p[(i + 1) % n], p[i]);
  *in = kg_vector_add (kg_vector_scale (a, t * l * ba / 2), kg_vector_scale (e, t * r * be / 2));
  *out = kg_vector_add (kg_vector_scale (a, t * r * ba / 2), kg_vector_scale (e, t * l * be / 2));
}

static void
make_interpolating (Curve *curve, const Control *control)
{
  const KgBasis basis = control->primitive.basis;

  for (guint s = 0; s < curve->n_segments; s++) {
    const guint i = s, j = (s + 1) % control->n;
    KgVector out, in, unused;

    if (basis == KG_BASIS_HERMITE) {
      out = read_point_vector (control, "tangent_out", i);
      in = read_point_vector (control, "tangent_in", j);
    } else {
      const bool tcb = basis == KG_BASIS_KOCHANEK_BARTELS;

      get_tangents (control, i, tcb ? read_point_vector (control, "tcb", i) : kg_vector (0, 0, 0), &unused, &out);
      get_tangents (control, j, tcb ? read_point_vector (control, "tcb", j) : kg_vector (0, 0, 0), &in, &unused);
    }
    set_hermite (curve, s, control->p[i], control->p[j], out, in);
  }
}

static void
make_linear (Curve *curve, const Control *control)
{
  for (guint s = 0; s < curve->n_segments; s++) {
    curve->points[2 * s] = control->p[s];
    curve->points[2 * s + 1] = control->p[(s + 1) % control->n];
  }
}

/* Blossom of the B-spline with this knot vector, at the arguments a[0..degree-1], from the degree + 1 control values
 * around the span (Ramshaw 1989): gives the Bezier points of the span, for any knots. */
static double
blossom (const double *values, const double *knots, guint degree, const double *a)
{
  double work[64];

  memcpy (work, values, (degree + 1) * sizeof *work);
  for (guint r = 1; r <= degree; r++)
    for (guint i = degree; i >= r; i--) {
      const double low = knots[i], high = knots[i + degree + 1 - r];
      const double t = high > low ? (a[r - 1] - low) / (high - low) : 0;

      work[i] = (1 - t) * work[i - 1] + t * work[i];
    }
  return work[degree];
}

/* All spans of positive length of a B-spline.  values come as n control points of 4 numbers (x, y, z times w, w). */
static void
make_bspline (Curve *curve, const double (*values)[4], guint n, const double *knots, guint degree)
{
  guint segment = 0;

  for (guint span = degree; span < n; span++) {
    if (!(knots[span + 1] > knots[span]))
      continue;
    for (guint b = 0; b <= degree; b++)
      for (guint c = 0; c < 4; c++) {
        double around[64], a[64], x;

        for (guint i = 0; i <= degree; i++)
          around[i] = values[span - degree + i][c];
        for (guint i = 0; i < degree; i++)
          a[i] = i < degree - b ? knots[span] : knots[span + 1];
        x = blossom (around, knots + (span - degree), degree, a);
        if (c < 3)
          (&curve->points[segment * (degree + 1) + b].x)[c] = x;
        else if (curve->weights != NULL)
          curve->weights[segment * (degree + 1) + b] = x;
      }
    segment++;
  }
  curve->n_segments = segment;
}

static bool
build_bspline (Curve *curve, const Control *control, GError **error)
{
  const guint order = control->primitive.order > 0 ? control->primitive.order : 4, degree = order - 1;
  const float *w = kg_geometry_get_float (control->geometry, KG_POINTS, "weight", 1);
  const guint n = control->closed ? control->n + degree : control->n;
  g_autofree double *knots = g_new (double, n + order);
  g_autofree double (*values)[4] = g_malloc (n * sizeof *values);

  if (order < 2 || order > 16 || control->n < order) {
    g_set_error (error, KG_ERROR, KG_ERROR_DEGENERATE, "a B-spline of order %u needs at least %u points, not %u", order,
                 MAX (order, 2), control->n);
    return false;
  }
  for (guint i = 0; i < n; i++) {
    const guint k = i % control->n;
    const double weight = w != NULL ? (double) w[control->primitive.vertices[k]] : 1;

    if (!(weight > 0)) {
      g_set_error (error, KG_ERROR, KG_ERROR_DEGENERATE, "the weight of point %u is %g: it must be above 0", k, weight);
      return false;
    }
    values[i][0] = weight * control->p[k].x;
    values[i][1] = weight * control->p[k].y;
    values[i][2] = weight * control->p[k].z;
    values[i][3] = weight;
  }
  for (guint i = 0; i < n + order; i++)
    knots[i] = control->primitive.n_knots > 0 && !control->closed ? control->primitive.knots[i] : i;
  for (guint i = 1; i < n + order; i++)
    if (!(knots[i] >= knots[i - 1])) {
      g_set_error (error, KG_ERROR, KG_ERROR_DEGENERATE, "knot %u is %g after %g: knots must not decrease", i, knots[i],
                   knots[i - 1]);
      return false;
    }
  curve->degree = degree;
  curve->points = g_new0 (KgVector, (n - degree) * order);
  curve->weights = w != NULL ? g_new0 (double, (n - degree) * order) : NULL;
  make_bspline (curve, (const double (*)[4]) values, n, knots, degree);
  if (curve->n_segments > 0)
    return true;
  g_set_error (error, KG_ERROR, KG_ERROR_DEGENERATE, "the knots leave no piece of the curve");
  return false;
}

static bool
build_bezier (Curve *curve, const Control *control, GError **error)
{
  const guint order = control->primitive.order > 0 ? control->primitive.order : control->n;
  const guint degree = order - 1;
  const guint n = control->closed ? control->n : control->n - 1;

  if (order < 2 || order > 32 || control->n < 2 || n / MAX (degree, 1) == 0) {
    g_set_error (error, KG_ERROR, KG_ERROR_DEGENERATE,
                 "a Bezier curve of degree %u needs at least %u points, not %u (and at most 32 for one piece)", degree,
                 MAX (order, 2), control->n);
    return false;
  }
  curve->degree = degree;
  curve->n_segments = n / degree;
  curve->points = g_new (KgVector, curve->n_segments * order);
  for (guint s = 0; s < curve->n_segments; s++)
    for (guint i = 0; i < order; i++)
      curve->points[s * order + i] = control->p[(s * degree + i) % control->n];
  return true;
}

static bool
build (Curve *curve, const Control *control, GError **error)
{
  const KgBasis basis = control->primitive.kind == KG_SPLINE ? control->primitive.basis : KG_BASIS_LINEAR;

  if (control->n < 2) {
    g_set_error (error, KG_ERROR, KG_ERROR_DEGENERATE, "a curve needs at least 2 points, not %u", control->n);
    return false;
  }
  if (basis == KG_BASIS_BSPLINE)
    return build_bspline (curve, control, error);
  if (basis == KG_BASIS_BEZIER)
    return build_bezier (curve, control, error);
  curve->n_segments = control->closed ? control->n : control->n - 1;
  curve->degree = basis == KG_BASIS_LINEAR ? 1 : 3;
  curve->points = g_new (KgVector, curve->n_segments * (curve->degree + 1));
  if (basis == KG_BASIS_LINEAR)
    make_linear (curve, control);
  else
    make_interpolating (curve, control);
  return true;
}

/* Length. */

static double
speed (const Curve *curve, double u)
{
  return kg_vector_length (curve_evaluate (curve, u, 1));
}

/* Five-point Gauss-Legendre on [a, b], within one segment. */
static double
gauss (const Curve *curve, double a, double b)
{
  static const double x[] = { 0, 0.53846931010568309104, 0.90617984593866399280 };
  static const double w[] = { 0.56888888888888888889, 0.47862867049936646804, 0.23692688505618908751 };
  const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
  double sum = w[0] * speed (curve, middle);

  for (int i = 1; i < 3; i++)
    sum += w[i] * (speed (curve, middle - half * x[i]) + speed (curve, middle + half * x[i]));
  return half * sum;
}

/* Halves until the two halves agree with the whole; the depth bounds the work at cusps, where the speed has a
 * corner and the error falls only with the square of the width. */
static double
integrate (const Curve *curve, double a, double b, double whole, double tolerance, int depth)
{
  const double middle = 0.5 * (a + b);
  const double left = gauss (curve, a, middle), right = gauss (curve, middle, b);

  if (depth == 0 || fabs (left + right - whole) <= tolerance)
    return left + right;
  return integrate (curve, a, middle, left, 0.5 * tolerance, depth - 1) +
         integrate (curve, middle, b, right, 0.5 * tolerance, depth - 1);
}

static void
build_lengths (Curve *curve)
{
  const guint n = curve->n_segments * TABLE_STEPS;
  double rough = 0;

  curve->lengths = g_new (double, n + 1);
  curve->lengths[0] = 0;
  for (guint i = 0; i < n; i++)
    rough += gauss (curve, (double) i / TABLE_STEPS, (i + 1.0) / TABLE_STEPS);
  for (guint i = 0; i < n; i++) {
    const double a = (double) i / TABLE_STEPS, b = (i + 1.0) / TABLE_STEPS;

    curve->lengths[i + 1] = curve->lengths[i] + integrate (curve, a, b, gauss (curve, a, b), 1e-10 * rough / n, 12);
  }
}

Curve *
curve_new (const KgGeometry *geometry, size_t index, GError **error)
{
  g_autoptr (Curve) curve = NULL;
  g_autofree KgVector *points = NULL;
  Control control = { .geometry = geometry };
  const float *p = kg_geometry_get_positions (geometry);

  if (index >= kg_geometry_get_n_primitives (geometry)) {
    g_set_error (error, KG_ERROR, KG_ERROR_DEGENERATE,
                 "there is no curve %" G_GSIZE_FORMAT ": the geometry has %" G_GSIZE_FORMAT " primitives", index,
                 kg_geometry_get_n_primitives (geometry));
    return NULL;
  }
  kg_geometry_get_primitive (geometry, index, &control.primitive);
  control.n = control.primitive.n_vertices;
  control.closed = control.primitive.closed;
  points = g_new (KgVector, MAX (control.n, 1));
  for (guint i = 0; i < control.n; i++) {
    const float *x = p + 3 * (size_t) control.primitive.vertices[i];

    points[i] = kg_vector ((double) x[0], (double) x[1], (double) x[2]);
  }
  control.p = points;
  curve = g_new0 (Curve, 1);
  curve->closed = control.closed;
  if (!build (curve, &control, error))
    return NULL;
  build_lengths (curve);
  return g_steal_pointer (&curve);
}

double
curve_get_length (const Curve *curve)
{
  return curve->lengths[curve->n_segments * TABLE_STEPS];
}

double
curve_get_length_to (const Curve *curve, double u)
{
  const guint n = curve->n_segments * TABLE_STEPS;
  guint step;
  double a;

  u = kg_clamp (u, 0, curve->n_segments);
  step = (guint) kg_clamp (floor (u * TABLE_STEPS), 0, n - 1);
  a = (double) step / TABLE_STEPS;
  if (u <= a)
    return curve->lengths[step];
  return curve->lengths[step] + integrate (curve, a, u, gauss (curve, a, u), 1e-10 * curve_get_length (curve) / n, 12);
}

double
curve_get_parameter (const Curve *curve, double length)
{
  const guint n = curve->n_segments * TABLE_STEPS;
  const double whole = curve_get_length (curve);
  guint low = 0, high = n;
  double a, b, u, start;

  if (!(length > 0) || !(whole > 0))
    return 0;
  if (length >= whole)
    return curve->n_segments;
  while (high - low > 1) {
    const guint middle = (low + high) / 2;

    if (curve->lengths[middle] <= length)
      low = middle;
    else
      high = middle;
  }
  start = (double) low / TABLE_STEPS;
  a = start;
  b = (low + 1.0) / TABLE_STEPS;
  u = a + (b - a) * (length - curve->lengths[low]) / (curve->lengths[low + 1] - curve->lengths[low]);
  for (int i = 0; i < 60; i++) {
    const double error = curve->lengths[low] +
                         integrate (curve, start, u, gauss (curve, start, u), 1e-11 * whole / n, 12) - length;
    const double v = speed (curve, u);
    double next;

    if (fabs (error) <= 1e-10 * whole || b - a <= 1e-15 * curve->n_segments)
      break;
    if (error > 0)
      b = u;
    else
      a = u;
    next = v > 1e-9 * whole ? u - error / v : a;
    u = next > a && next < b ? next : 0.5 * (a + b);
  }
  return u;
}

/* Frames. */

KgVector
curve_get_tangent (const Curve *curve, double u)
{
  KgVector d = curve_evaluate (curve, u, 1);
  const double scale = curve_get_length (curve) / curve->n_segments;

  /* Where the speed vanishes the direction is that of a short chord around the place, then of longer ones. */
  for (double h = 1e-4; !(kg_vector_length (d) > 1e-9 * scale) && h < 2; h *= 4) {
    const double low = curve->closed ? u - h : fmax (u - h, 0);
    const double high = curve->closed ? u + h : fmin (u + h, curve->n_segments);

    d = kg_vector_subtract (curve_evaluate (curve, high, 0), curve_evaluate (curve, low, 0));
  }
  return kg_vector_normalize_or (d, kg_vector (1, 0, 0));
}

/* Carries the normal r with tangent t at p on to tangent t1 at p1 by two reflections. */
static KgVector
carry (KgVector p, KgVector t, KgVector r, KgVector p1, KgVector t1)
{
  const KgVector v1 = kg_vector_subtract (p1, p);
  const double c1 = kg_vector_dot (v1, v1);
  KgVector r_left, t_left, v2;
  double c2;

  if (!(c1 > 1e-300))
    return r;
  r_left = kg_vector_add_scaled (r, -2 / c1 * kg_vector_dot (v1, r), v1);
  t_left = kg_vector_add_scaled (t, -2 / c1 * kg_vector_dot (v1, t), v1);
  v2 = kg_vector_subtract (t1, t_left);
  c2 = kg_vector_dot (v2, v2);
  if (!(c2 > 1e-300))
    return r_left;
  return kg_vector_add_scaled (r_left, -2 / c2 * kg_vector_dot (v2, r_left), v2);
}

/* The normal at u, carried from the start. */
static KgVector
carry_to (const Curve *curve, double u, KgVector up)
{
  KgVector p = curve_evaluate (curve, 0, 0), t = curve_get_tangent (curve, 0);
  KgVector r =
      kg_vector_normalize_or (kg_vector_add_scaled (up, -kg_vector_dot (up, t), t), kg_vector_perpendicular (t));
  const double n = curve->n_segments;

  for (double at = 0; at < u;) {
    const double next = fmin (at + 1.0 / CURVE_FRAME_STEPS, fmin (u, n));
    const KgVector p1 = curve_evaluate (curve, next, 0);
    /* The end of a closed curve wraps to its start, where it has the same tangent. */
    const KgVector t1 = curve_get_tangent (curve, next);

    r = carry (p, t, r, p1, t1);
    r = kg_vector_normalize_or (kg_vector_add_scaled (r, -kg_vector_dot (r, t1), t1), kg_vector_perpendicular (t1));
    p = p1;
    t = t1;
    at = next;
    if (at >= n)
      break;
  }
  return r;
}

KgTransform
curve_get_frame (const Curve *curve, double u, KgVector up)
{
  guint segment;
  const double t = locate (curve, u, &segment), at = segment + t;
  const KgVector p = curve_evaluate (curve, at, 0), x = curve_get_tangent (curve, at);
  KgVector y = carry_to (curve, at, up), z;

  if (curve->closed) {
    const KgVector first = carry_to (curve, 0, up), last = carry_to (curve, curve->n_segments, up);
    const KgVector axis = curve_get_tangent (curve, 0);
    const double left = atan2 (kg_vector_dot (kg_vector_cross (last, first), axis), kg_vector_dot (last, first));

    y = kg_rotation_apply (kg_rotation_from_axis_angle (x, left * at / curve->n_segments), y);
  }
  z = kg_vector_cross (x, y);
  return (KgTransform){ { { x.x, y.x, z.x, p.x }, { x.y, y.y, z.y, p.y }, { x.z, y.z, z.z, p.z }, { 0, 0, 0, 1 } } };
}
