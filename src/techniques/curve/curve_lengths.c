/* curve_lengths: adaptive Gauss quadrature of the speed over the pieces of a curve, and the way back by Newton's method.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve_lengths.h"

#include "curve/curve_piece.h"

#include <math.h>
#include <string.h>

/* Entries of the table for each segment: fine enough for one Gauss rule each where the curve is tame. */
#define STEPS 8
/* Error as a share of the whole length, divided among the entries. */
#define TOLERANCE 1e-10
/* Rounding error of a speed, relative to the numbers that it is made from: smaller errors are not halved further. */
#define ROUNDING 1e-14
/* Segments between two checks for cancelling. */
#define ASK 1024

/* The share of a step's length at a share x of its parameter, nearly: a[0] x + ... + a[4] x^5, which has the right
 * values and slopes at the start, the middle and the end. */
typedef struct {
  double a[5];
} Guess;

struct _CurveLengths {
  double *lengths; /* from the start to step i; n + 1 */
  Guess *guesses;  /* of step i; n */
  uint8_t *tame;   /* one Gauss rule serves the whole step */
  guint n;
};

/* A segment prepared for its speed. */
typedef struct {
  const Curve *curve;
  guint segment;
  /* The derivative of a cubic as c[0] + c[1] t + c[2] t²: the common case, in wide registers. */
  bool quadratic;
  KgVector c[3];
} Speed;

static void
speed_init (Speed *speed, const Curve *curve, guint segment)
{
  const CurvePieces *pieces = &curve->pieces;
  const KgVector *b = curve_get_bezier (curve, segment);
  const KgVector zero = { 0, 0, 0 };

  speed->curve = curve;
  speed->segment = segment;
  speed->quadratic = pieces->weights == NULL && pieces->degree <= 3;
  if (!speed->quadratic)
    return;
  speed->c[1] = speed->c[2] = zero;
  speed->c[0] = kg_vector_scale (kg_vector_subtract (b[1], b[0]), pieces->degree);
  if (pieces->degree == 3) {
    const KgVector p = kg_vector_subtract (b[1], b[0]), q = kg_vector_subtract (b[2], b[1]);
    const KgVector r = kg_vector_subtract (b[3], b[2]);

    speed->c[1] = kg_vector_scale (kg_vector_subtract (q, p), 6);
    speed->c[2] = kg_vector_scale (kg_vector_add (kg_vector_subtract (p, q), kg_vector_subtract (r, q)), 3);
  } else if (pieces->degree == 2)
    speed->c[1] =
        kg_vector_scale (kg_vector_subtract (kg_vector_subtract (b[2], b[1]), kg_vector_subtract (b[1], b[0])), 2);
}

static inline double
speed_at (const Speed *speed, double t)
{
  const KgVector *c = speed->c;

  if (speed->quadratic)
    return kg_vector_length (kg_vector_add_scaled (c[0], t, kg_vector_add_scaled (c[1], t, c[2])));
  return kg_vector_length (curve_evaluate_segment (speed->curve, speed->segment, t, 1));
}

/* Five-point Gauss-Legendre on [a, b] of one segment; the places are filled up to a power of two. */
static double
gauss (const Speed *speed, double a, double b)
{
  static const double x[8] = { 0, -0.53846931010568309104, 0.53846931010568309104, -0.90617984593866399280,
                               0.90617984593866399280 };
  const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
  double v[8];

  if (speed->quadratic) {
    const KgVector c0 = speed->c[0], c1 = speed->c[1], c2 = speed->c[2];

    for (int i = 0; i < 8; i++) {
      const double t = middle + half * x[i];
      const double dx = c0.x + t * (c1.x + t * c2.x), dy = c0.y + t * (c1.y + t * c2.y);
      const double dz = c0.z + t * (c1.z + t * c2.z);

      v[i] = sqrt (dx * dx + dy * dy + dz * dz);
    }
  } else
    for (int i = 0; i < 5; i++)
      v[i] = speed_at (speed, middle + half * x[i]);
  return half * (0.56888888888888888889 * v[0] + 0.47862867049936646804 * (v[1] + v[2]) +
                 0.23692688505618908751 * (v[3] + v[4]));
}

/* Halves until the two halves agree with the whole; the depth bounds the work at cusps, where the speed has a
 * corner and the error falls only with the square of the width. */
static double
integrate (const Speed *speed, double a, double b, double whole, double tolerance, int depth)
{
  const double middle = 0.5 * (a + b);
  const double left = gauss (speed, a, middle), right = gauss (speed, middle, b);

  if (depth == 0 || !(fabs (left + right - whole) > tolerance)) /* what is not finite does not get better */
    return left + right;
  return integrate (speed, a, middle, left, 0.5 * tolerance, depth - 1) +
         integrate (speed, middle, b, right, 0.5 * tolerance, depth - 1);
}

/* From the slopes at the start, middle and end, and the value at the middle, for a rise from 0 to 1. */
static Guess
make_guess (double start, double middle, double end, double half)
{
  const double a = 1 - start, b = end - start - 2 * a;
  const double f = 32 * (half - 0.5 * start) - 8 * a, g = 16 * (middle - start) - 16 * a;
  const double a5 = g + 4 * b, a4 = 0.5 * (f + 4 * b - 5 * a5), a3 = b - 2 * a4 - 3 * a5;

  return (Guess){ { start, a - a3 - a4 - a5, a3, a4, a5 } };
}

/* The number farthest from 0 among the Bezier points of a segment. */
static double
get_size (const Curve *curve, guint segment)
{
  const KgVector *b = curve_get_bezier (curve, segment);
  const double *w = curve_get_bezier_weights (curve, segment);
  double size = 0;

  for (guint i = 0; i <= curve_get_degree (curve); i++)
    size = fmax (size, kg_vector_get_largest (b[i]) / (w != NULL && w[i] > 0 ? w[i] : 1));
  return size;
}

CurveLengths *
curve_lengths_new (const Curve *curve, const KgProgressMonitor *monitor)
{
  const guint segments = curve->pieces.n, n = segments * STEPS;
  CurveLengths *table = g_new0 (CurveLengths, 1);
  double rough = 0;

  table->n = n;
  table->lengths = g_new (double, n + 1);
  table->guesses = g_new (Guess, n);
  table->tame = g_new (uint8_t, n);
  for (guint s = 0; s < segments; s++) {
    Speed speed;

    if (s % ASK == ASK - 1 && kg_progress_is_cancelled (monitor)) {
      curve_lengths_free (table);
      return NULL;
    }
    speed_init (&speed, curve, s);
    for (guint k = 0; k < STEPS; k++)
      rough += table->lengths[s * STEPS + k + 1] = gauss (&speed, (double) k / STEPS, (k + 1.0) / STEPS);
  }
  table->lengths[0] = 0;
  for (guint s = 0; s < segments; s++) {
    Speed speed;
    double before, tolerance;

    if (s % ASK == ASK - 1 && kg_progress_is_cancelled (monitor)) {
      curve_lengths_free (table);
      return NULL;
    }
    speed_init (&speed, curve, s);
    tolerance = fmax (TOLERANCE * rough / n, ROUNDING * get_size (curve, s) / STEPS);
    before = speed_at (&speed, 0);
    for (guint k = 0; k < STEPS; k++) {
      const guint i = s * STEPS + k;
      const double a = (double) k / STEPS, b = (k + 1.0) / STEPS, whole = table->lengths[i + 1];
      const double middle = 0.5 * (a + b), left = gauss (&speed, a, middle), right = gauss (&speed, middle, b);
      const double after = speed_at (&speed, b), scale = 1 / (STEPS * (left + right));

      table->tame[i] = fabs (left + right - whole) <= tolerance;
      table->guesses[i] =
          make_guess (before * scale, speed_at (&speed, middle) * scale, after * scale, left / (left + right));
      table->lengths[i + 1] = table->lengths[i] +
                              (table->tame[i] ? left + right : integrate (&speed, a, b, whole, tolerance, 14));
      before = after;
    }
  }
  return table;
}

void
curve_lengths_free (CurveLengths *table)
{
  g_free (table->lengths);
  g_free (table->guesses);
  g_free (table->tame);
  g_free (table);
}

double
curve_lengths_get_whole (const CurveLengths *table)
{
  return table->lengths[table->n];
}

/* From the start of a step to t of its segment. */
static double
length_within (const CurveLengths *table, const Speed *speed, guint step, double a, double t)
{
  const double whole = gauss (speed, a, t);

  return table->tame[step]
             ? whole
             : integrate (speed, a, t, whole, 0.1 * TOLERANCE * curve_lengths_get_whole (table) / table->n, 14);
}

double
curve_lengths_get_to (const CurveLengths *table, const Curve *curve, double u)
{
  Speed speed;
  guint step, segment;
  double a;

  u = kg_clamp (u, 0, curve->pieces.n);
  step = (guint) kg_clamp (floor (u * STEPS), 0, table->n - 1.0);
  segment = step / STEPS;
  a = (double) (step % STEPS) / STEPS;
  if (u - segment <= a)
    return table->lengths[step];
  if (step == table->n - 1 && u >= curve->pieces.n)
    return table->lengths[table->n];
  speed_init (&speed, curve, segment);
  return table->lengths[step] + length_within (table, &speed, step, a, u - segment);
}

/* Where the polynomial of the step has that value, nearly, in 0..1; the value itself where it does not rise all the way. */
static double
solve_guess (const Guess *guess, double value)
{
  const double *a = guess->a;
  double x = value;

  for (int i = 0; i < 3; i++) {
    const double y = x * (a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * a[4]))));
    const double slope = a[0] + x * (2 * a[1] + x * (3 * a[2] + x * (4 * a[3] + x * 5 * a[4])));

    if (!(slope > 0.1))
      return value;
    x -= (y - value) / slope;
  }
  return x >= 0 && x <= 1 ? x : value;
}

/* The step whose lengths hold this one: the one last used, or the next, or by halving. */
static guint
find_step (const CurveLengths *table, double length, guint hint)
{
  guint low = 0, high = table->n;

  for (guint i = hint; i < MIN (hint + 2, table->n); i++)
    if (table->lengths[i] < length && length <= table->lengths[i + 1])
      return i;
  while (high - low > 1) {
    const guint middle = (low + high) / 2;

    if (table->lengths[middle] < length)
      low = middle;
    else
      high = middle;
  }
  return low;
}

double
curve_lengths_get_parameter (const CurveLengths *table, const Curve *curve, double length, guint *hint,
                             guint *n_iterations)
{
  const double whole = curve_lengths_get_whole (table);
  double a, b, t, start, width;
  guint low, segment;
  Speed speed;
  guint n = 0;

  *n_iterations = 0;
  if (!(length > 0) || !(whole > 0))
    return 0;
  if (length >= whole)
    return curve->pieces.n;
  low = *hint = find_step (table, length, *hint);
  segment = low / STEPS;
  start = a = (double) (low % STEPS) / STEPS;
  b = start + 1.0 / STEPS;
  width = table->lengths[low + 1] - table->lengths[low];
  speed_init (&speed, curve, segment);
  t = (length - table->lengths[low]) / width;
  t = start + (table->tame[low] ? solve_guess (&table->guesses[low], t) : t) / STEPS;
  while (n < 60) {
    const double error = table->lengths[low] + length_within (table, &speed, low, start, t) - length;
    const double v = speed_at (&speed, t);
    double next;

    n++;
    if (error == 0 || b - a <= 1e-15 * curve->pieces.n)
      break;
    if (error > 0)
      b = t;
    else
      a = t;
    next = v > 1e-9 * whole ? t - error / v : a;
    if (!(next > a && next < b))
      next = 0.5 * (a + b);
    else if (fabs (error) <= 1e-6 * width && v > 0.1 * width * STEPS) {
      /* So near the next error is about the square of this one: nothing is left to check. */
      t = next;
      break;
    }
    t = next;
    if (fabs (error) <= 1e-3 * TOLERANCE * whole / table->n)
      break;
  }
  *n_iterations = n;
  return segment + t;
}
