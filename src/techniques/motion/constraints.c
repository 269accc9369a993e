/* constraints: a function that is at given places at given times.
 * Sources: Parent, Computer Animation, section 3.2.5 (the idea); Hermite interpolation of the first and second order;
 * Fritsch and Carlson 1980 (monotone pieces).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/constraints.h"

#include <string.h>

enum { TIME, PLACE, SPEED, ACCELERATION, COLUMNS };

static bool
check_rows (const double *rows, guint n, GError **error)
{
  if (n < 2) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%u rows: give at least two, each with a time and a value", n);
    return false;
  }
  for (guint i = 0; i < n; i++) {
    const double *row = rows + i * COLUMNS;

    if (isnan (row[TIME]) || isnan (row[PLACE])) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "row %u: the first two numbers, time and value, cannot be left blank", i + 1);
      return false;
    }
    if (i > 0 && row[TIME] < row[TIME - COLUMNS]) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %u: time %g comes after %g: sort the rows by time", i + 1,
                    row[TIME], row[TIME - COLUMNS]);
      return false;
    }
    if (i > 0 && row[TIME] == row[TIME - COLUMNS] && row[PLACE] != row[PLACE - COLUMNS]) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "row %u: at time %g the value cannot be both %g and %g: change the time of one of the rows", i + 1,
                    row[TIME], row[PLACE - COLUMNS], row[PLACE]);
      return false;
    }
  }
  if (!(rows[(n - 1) * COLUMNS + TIME] > rows[TIME])) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "all rows are at time %g: give at least two different times",
                  rows[TIME]);
    return false;
  }
  return true;
}

static double
get_secant (const double *rows, guint a, guint b)
{
  const double *p = rows + a * COLUMNS, *q = rows + b * COLUMNS;

  return q[TIME] > p[TIME] ? (q[PLACE] - p[PLACE]) / (q[TIME] - p[TIME]) : 0;
}

static double
get_speed (const double *rows, guint n, guint i)
{
  const double *row = rows + i * COLUMNS;
  const bool starts = i == 0 || row[TIME - COLUMNS] == row[TIME];
  const bool ends = i + 1 == n || row[TIME + COLUMNS] == row[TIME];

  if (!isnan (row[SPEED]))
    return row[SPEED];
  return get_secant (rows, starts ? i : i - 1, ends ? i : i + 1);
}

/* A span with slopes of the sign of its secant and of at most three times its size is monotonic. */
static double
limit (double speed, double secant)
{
  return speed * secant > 0 ? copysign (fmin (fabs (speed), 3 * fabs (secant)), secant) : 0;
}

Pieces *
constraints_to_pieces (const double *rows, guint n, ConstraintsOrder order, bool monotone, GError **error)
{
  static const guint degrees[] = { 1, 3, 5 };
  Pieces *pieces;

  if (!check_rows (rows, n, error))
    return NULL;
  pieces = pieces_new (degrees[order], n - 1);
  pieces->n = 0;
  for (guint i = 0; i + 1 < n; i++) {
    const double *a = rows + i * COLUMNS, *b = a + COLUMNS;
    const double h = b[TIME] - a[TIME], secant = get_secant (rows, i, i + 1);
    double *c = pieces->c + pieces->n * (pieces->degree + 1);
    double v0, v1;

    if (!(h > 0))
      continue;
    pieces->breaks[pieces->n++] = a[TIME];
    pieces->breaks[pieces->n] = b[TIME];
    if (order == CONSTRAINTS_LINEAR) {
      c[0] = a[PLACE];
      c[1] = b[PLACE] - a[PLACE];
      continue;
    }
    v0 = get_speed (rows, n, i);
    v1 = get_speed (rows, n, i + 1);
    if (order == CONSTRAINTS_QUINTIC && !isnan (a[ACCELERATION]) && !isnan (b[ACCELERATION]))
      pieces_set_quintic (c, a[PLACE], b[PLACE], v0 * h, v1 * h, a[ACCELERATION] * h * h, b[ACCELERATION] * h * h);
    else
      pieces_set_cubic (c, a[PLACE], b[PLACE], h * (monotone ? limit (v0, secant) : v0),
                        h * (monotone ? limit (v1, secant) : v1));
  }
  return pieces;
}
