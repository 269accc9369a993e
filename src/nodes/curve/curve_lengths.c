/* curve_lengths: adaptive Gauss quadrature of the speed over the pieces of a curve, and the way back by Newton's method.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve_lengths.h"

#include "curve_piece.h"

#include <math.h>
#include <string.h>

/* Entries of the table for each segment: fine enough for one Gauss rule each where the curve is tame. */
#define STEPS 8
/* Of the whole length, shared out among the entries. */
#define TOLERANCE 1e-10

struct _CurveLengths {
  double *lengths; /* from the start to step i; n + 1 */
  double *speeds;  /* at the start and at the end of step i; 2 n */
  uint8_t *tame;   /* one Gauss rule serves the whole step */
  guint n;
};

/* A segment prepared for its speed. */
typedef struct {
  const Curve *curve;
  guint segment;
  bool polynomial;
  guint degree;
  KgVector hodograph[CURVE_MAX_ORDER];
} Speed;

static void
speed_init (Speed *speed, const Curve *curve, guint segment)
{
  const CurvePieces *pieces = &curve->pieces;

  speed->curve = curve;
  speed->segment = segment;
  speed->polynomial = pieces->weights == NULL;
  speed->degree = pieces->degree - 1;
  if (speed->polynomial) {
    KgVector work[CURVE_MAX_ORDER];

    curve_piece_differentiate (curve_get_bezier (curve, segment), pieces->degree, 1, work);
    memcpy (speed->hodograph, work, pieces->degree * sizeof *work);
  }
}

static inline double
speed_at (const Speed *speed, double t)
{
  const KgVector d = speed->polynomial ? curve_piece_point (speed->hodograph, speed->degree, t)
                                       : curve_evaluate_segment (speed->curve, speed->segment, t, 1);

  return kg_vector_length (d);
}

/* Five-point Gauss-Legendre on [a, b] of one segment. */
static double
gauss (const Speed *speed, double a, double b)
{
  static const double x[] = { 0, 0.53846931010568309104, 0.90617984593866399280 };
  static const double w[] = { 0.56888888888888888889, 0.47862867049936646804, 0.23692688505618908751 };
  const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
  double sum = w[0] * speed_at (speed, middle);

  for (int i = 1; i < 3; i++)
    sum += w[i] * (speed_at (speed, middle - half * x[i]) + speed_at (speed, middle + half * x[i]));
  return half * sum;
}

/* Halves until the two halves agree with the whole; the depth bounds the work at cusps, where the speed has a
 * corner and the error falls only with the square of the width. */
static double
integrate (const Speed *speed, double a, double b, double whole, double tolerance, int depth)
{
  const double middle = 0.5 * (a + b);
  const double left = gauss (speed, a, middle), right = gauss (speed, middle, b);

  if (depth == 0 || fabs (left + right - whole) <= tolerance)
    return left + right;
  return integrate (speed, a, middle, left, 0.5 * tolerance, depth - 1) +
         integrate (speed, middle, b, right, 0.5 * tolerance, depth - 1);
}

CurveLengths *
curve_lengths_new (const Curve *curve)
{
  const guint segments = curve->pieces.n, n = segments * STEPS;
  CurveLengths *table = g_new0 (CurveLengths, 1);
  double rough = 0;

  table->n = n;
  table->lengths = g_new (double, n + 1);
  table->speeds = g_new (double, 2 * (size_t) n);
  table->tame = g_new (uint8_t, n);
  for (guint s = 0; s < segments; s++) {
    Speed speed;

    speed_init (&speed, curve, s);
    for (guint k = 0; k < STEPS; k++) {
      const guint i = s * STEPS + k;
      const double a = (double) k / STEPS, b = (k + 1.0) / STEPS;

      table->lengths[i + 1] = gauss (&speed, a, b);
      table->speeds[2 * (size_t) i] = k > 0 ? table->speeds[2 * (size_t) i - 1] : speed_at (&speed, a);
      table->speeds[2 * (size_t) i + 1] = speed_at (&speed, b);
      rough += table->lengths[i + 1];
    }
  }
  table->lengths[0] = 0;
  for (guint s = 0; s < segments; s++) {
    Speed speed;

    speed_init (&speed, curve, s);
    for (guint k = 0; k < STEPS; k++) {
      const guint i = s * STEPS + k;
      const double a = (double) k / STEPS, b = (k + 1.0) / STEPS, whole = table->lengths[i + 1];
      const double middle = 0.5 * (a + b), halves = gauss (&speed, a, middle) + gauss (&speed, middle, b);

      table->tame[i] = fabs (halves - whole) <= TOLERANCE * rough / n;
      table->lengths[i + 1] = table->lengths[i] +
                              (table->tame[i] ? halves : integrate (&speed, a, b, whole, TOLERANCE * rough / n, 14));
    }
  }
  return table;
}

void
curve_lengths_free (CurveLengths *table)
{
  g_free (table->lengths);
  g_free (table->speeds);
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

/* A first guess: the cubic that has the right places and slopes 1 / speed at both ends of the step, where they
 * are not too steep for it to stay within. */
static double
guess (double x, double v0, double v1, double mean)
{
  const double d0 = mean / v0, d1 = mean / v1;

  if (!(v0 > 0.4 * mean) || !(v1 > 0.4 * mean))
    return x;
  return x * (d0 + x * (3 - 2 * d0 - d1 + x * (d0 + d1 - 2)));
}

double
curve_lengths_get_parameter (const CurveLengths *table, const Curve *curve, double length)
{
  const double whole = curve_lengths_get_whole (table);
  guint low = 0, high = table->n, segment;
  double a, b, t, start, width;
  Speed speed;

  if (!(length > 0) || !(whole > 0))
    return 0;
  if (length >= whole)
    return curve->pieces.n;
  while (high - low > 1) {
    const guint middle = (low + high) / 2;

    if (table->lengths[middle] < length)
      low = middle;
    else
      high = middle;
  }
  segment = low / STEPS;
  start = a = (double) (low % STEPS) / STEPS;
  b = start + 1.0 / STEPS;
  width = table->lengths[low + 1] - table->lengths[low];
  speed_init (&speed, curve, segment);
  t = start + guess ((length - table->lengths[low]) / width, table->speeds[2 * (size_t) low],
                     table->speeds[2 * (size_t) low + 1], width * STEPS) /
                  STEPS;
  for (int i = 0; i < 60; i++) {
    const double error = table->lengths[low] + length_within (table, &speed, low, start, t) - length;
    const double v = speed_at (&speed, t);
    double next;

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
  return segment + t;
}
