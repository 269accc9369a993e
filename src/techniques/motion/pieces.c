/* pieces: functions of one variable as pieces of polynomials.
 * Source of the fitting: Trefethen 2013, Approximation Theory and Approximation Practice (interpolation in Chebyshev
 * points); of the zeros: between two zeros of the derivative a polynomial is monotonic.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/pieces.h"

#include <string.h>

#define FIT_DEGREE 7
#define FIT_DEPTH 40
/* Most pieces of one function; a function between two keys has far fewer. */
#define FIT_PIECES 20000
#define FIT_TOLERANCE 1e-12
#define FIT_ROUNDING 4e-15

Pieces *
pieces_new (guint degree, gsize n)
{
  Pieces *pieces = g_new0 (Pieces, 1);

  pieces->degree = degree;
  pieces->n = n;
  pieces->breaks = g_new0 (double, n + 1);
  pieces->c = g_new0 (double, n *(degree + 1));
  return pieces;
}

void
pieces_free (Pieces *pieces)
{
  g_free (pieces->breaks);
  g_free (pieces->c);
  g_free (pieces);
}

Pieces *
pieces_copy (const Pieces *pieces, guint degree)
{
  Pieces *copy = pieces_new (MAX (pieces->degree, degree), pieces->n);

  memcpy (copy->breaks, pieces->breaks, (pieces->n + 1) * sizeof (double));
  for (gsize i = 0; i < pieces->n; i++)
    memcpy (copy->c + i * (copy->degree + 1), pieces->c + i * (pieces->degree + 1),
            (pieces->degree + 1) * sizeof (double));
  return copy;
}

/* Fitting. */

typedef struct {
  PiecesFunction function;
  gpointer data;
  double size; /* of the values seen so far */
  guint most;  /* pieces there may be */
  bool exhausted;
  GArray *breaks, *c;
} Fit;

static void
add_piece (Fit *fit, double low, const double *c)
{
  g_array_append_val (fit->breaks, low);
  g_array_append_vals (fit->c, c, FIT_DEGREE + 1);
}

/* The polynomial through n of the points: Newton's divided differences, multiplied out. */
static void
interpolate (const double *u, const double *y, const guint *which, guint n, double *c)
{
  double d[FIT_DEGREE + 1], x[FIT_DEGREE + 1];

  for (guint i = 0; i < n; i++) {
    d[i] = y[which[i]];
    x[i] = u[which[i]];
  }
  for (guint k = 1; k < n; k++)
    for (guint i = n - 1; i >= k; i--)
      d[i] = (d[i] - d[i - 1]) / (x[i] - x[i - k]);
  memset (c, 0, (FIT_DEGREE + 1) * sizeof *c);
  for (guint i = n; i-- > 0;) {
    for (guint k = FIT_DEGREE; k > 0; k--)
      c[k] = c[k - 1] - x[i] * c[k];
    c[0] = d[i] - x[i] * c[0];
  }
}

static double
horner (const double *c, guint degree, double u)
{
  double sum = 0;

  for (guint k = degree + 1; k-- > 0;)
    sum = sum * u + c[k];
  return sum;
}

/* Where a polynomial of a low degree is right to rounding it is taken: in a small piece beside a corner the higher
 * coefficients would be nothing but rounding, which derivatives make large. */
static bool
find_polynomial (const double *u, const double *y, guint n, double size, double *c)
{
  static const guint which[][FIT_DEGREE + 1] = { { 0, 7 }, { 0, 4, 7 }, { 0, 2, 5, 7 }, { 0, 1, 2, 3, 4, 5, 6, 7 } };
  static const guint counts[] = { 2, 3, 4, FIT_DEGREE + 1 };

  for (guint k = 0; k < G_N_ELEMENTS (counts); k++) {
    double error = 0;

    interpolate (u, y, which[k], counts[k], c);
    for (guint i = 0; i < n; i++)
      error = fmax (error, fabs (y[i] - horner (c, FIT_DEGREE, u[i])));
    if (!(error > (k + 1 < G_N_ELEMENTS (counts) ? FIT_ROUNDING : FIT_TOLERANCE) * size))
      return true;
  }
  return false;
}

static void
fit_piece (Fit *fit, double low, double high, guint depth)
{
  /* First the points of the highest degree, then some between them. */
  double u[2 * FIT_DEGREE + 1], y[2 * FIT_DEGREE + 1], c[FIT_DEGREE + 1];

  for (guint i = 0; i < 2 * FIT_DEGREE + 1; i++) {
    u[i] = i > FIT_DEGREE    ? 0.5 * (u[i - FIT_DEGREE - 1] + u[i - FIT_DEGREE])
           : i == FIT_DEGREE ? 1
                             : 0.5 * (1 - cos (KG_PI * i / FIT_DEGREE));
    y[i] = fit->function (fit->data, i == FIT_DEGREE ? high : low + (high - low) * u[i]);
    fit->size = fmax (fit->size, fabs (y[i]));
  }
  /* The first cuts are made in any case: a bump that all points happen to miss is then small. */
  if (depth >= 2 && find_polynomial (u, y, G_N_ELEMENTS (u), fit->size, c))
    add_piece (fit, low, c);
  else if (depth < FIT_DEPTH && high - low > 1e-14 * fmax (fabs (low), fabs (high)) && fit->breaks->len < fit->most) {
    const double middle = 0.5 * (low + high);

    fit_piece (fit, low, middle, depth + 1);
    fit_piece (fit, middle, high, depth + 1);
  } else {
    fit->exhausted |= fit->breaks->len >= fit->most;
    /* Not smooth: a steep part of a curve becomes a straight one, a jump takes the value after it. */
    const bool jump = fabs (y[FIT_DEGREE] - y[0]) > 1e-4 * fit->size;
    const double straight[FIT_DEGREE + 1] = { jump ? y[FIT_DEGREE] : y[0], jump ? 0 : y[FIT_DEGREE] - y[0] };

    add_piece (fit, low, straight);
  }
}

static void
fit_range (Fit *fit, double low, double high)
{
  fit->most = fit->breaks->len + FIT_PIECES;
  if (high > low)
    fit_piece (fit, low, high, 0);
}

static void
fit_init (Fit *fit, PiecesFunction function, gpointer data)
{
  *fit = (Fit){ .function = function, .data = data };
  fit->breaks = g_array_new (FALSE, FALSE, sizeof (double));
  fit->c = g_array_new (FALSE, FALSE, sizeof (double));
}

static Pieces *
fit_finish (Fit *fit, double high)
{
  Pieces *pieces = g_new0 (Pieces, 1);

  g_array_append_val (fit->breaks, high);
  pieces->degree = FIT_DEGREE;
  pieces->n = fit->breaks->len - 1;
  pieces->breaks = (double *) g_array_free (fit->breaks, FALSE);
  pieces->c = (double *) g_array_free (fit->c, FALSE);
  return pieces;
}

Pieces *
pieces_new_function (PiecesFunction function, gpointer data, double low, double high, GError **error)
{
  Pieces *pieces;
  Fit fit;

  fit_init (&fit, function, data);
  fit_range (&fit, low, high);
  pieces = fit_finish (&fit, high);
  if (!fit.exhausted)
    return pieces;
  pieces_free (pieces);
  kg_set_error (
      error, KG_ERROR_LIMIT,
      "the function has too many corners and jumps to approximate (more than a few hundred): make it smoother, or define it as a table");
  return NULL;
}

/* Channels. */

typedef struct {
  const KgChannel *channel;
  guint component;
  double high; /* of the piece between two keys, where the next piece may begin with a jump */
  bool open;
} ChannelValue;

static double
get_channel_value (gpointer data, double x)
{
  const ChannelValue *v = (const ChannelValue *) data;
  double value[KG_CHANNEL_MAX_WIDTH];

  kg_channel_evaluate (v->channel, v->open && x >= v->high ? nextafter (v->high, -INFINITY) : x, value);
  return value[v->component];
}

/* A channel that is worth the same throughout. */
static Pieces *
new_constant (double low, double high, double value)
{
  Pieces *pieces = pieces_new (0, 1);

  pieces->breaks[0] = low;
  pieces->breaks[1] = high > low ? high : low + 1;
  pieces->c[0] = value;
  return pieces;
}

static Pieces *
new_samples (const KgChannel *channel, guint component, GError **error)
{
  const guint width = kg_channel_get_width (channel);
  double start, rate;
  gsize n;
  const double *samples = kg_channel_get_samples (channel, &n, &start, &rate);
  Pieces *pieces;

  if (n > PIECES_MAX) {
    kg_set_error (error, KG_ERROR_LIMIT, "a motion of %zu samples is too long: at most %d are supported", n,
                  PIECES_MAX);
    return NULL;
  }
  if (n == 1)
    return new_constant (start, start, samples[component]);
  pieces = pieces_new (1, n - 1);
  for (gsize i = 0; i < n; i++)
    pieces->breaks[i] = start + (double) i / rate;
  for (gsize i = 0; i + 1 < n; i++) {
    pieces->c[2 * i] = samples[i * width + component];
    pieces->c[2 * i + 1] = samples[(i + 1) * width + component] - samples[i * width + component];
  }
  return pieces;
}

/* From key to key, so that corners and steps at keys stay where they are. */
static Pieces *
new_keys (const KgChannel *channel, guint component)
{
  gsize n;
  const KgKey *keys = kg_channel_get_keys (channel, &n);
  ChannelValue value = { .channel = channel, .component = component };
  Fit fit;

  if (!(keys[n - 1].at > keys[0].at))
    return new_constant (keys[0].at, keys[0].at, keys[n - 1].value[component]);
  fit_init (&fit, get_channel_value, &value);
  for (gsize i = 0; i + 1 < n; i++) {
    const KgKey *a = &keys[i], *b = a + 1;
    double c[FIT_DEGREE + 1] = { a->value[component] };

    if (!(b->at > a->at))
      continue;
    fit.size = fmax (fit.size, fmax (fabs (a->value[component]), fabs (b->value[component])));
    value.high = b->at;
    /* Two keys at one place are a step: before it the earlier one counts, which no evaluation at the place returns. */
    value.open = i + 2 < n && keys[i + 2].at == b->at;
    if (a->interpolation == KG_INTERPOLATE_CONSTANT)
      add_piece (&fit, a->at, c);
    else if (a->interpolation == KG_INTERPOLATE_LINEAR) {
      c[1] = b->value[component] - a->value[component];
      add_piece (&fit, a->at, c);
    } else
      fit_range (&fit, a->at, b->at);
  }
  {
    Pieces *pieces = fit_finish (&fit, keys[n - 1].at);

    if (keys[n - 1].value[component] != keys[n - 2].value[component] &&
        keys[n - 2].interpolation == KG_INTERPOLATE_CONSTANT && keys[n - 1].at > keys[n - 2].at) {
      /* What a hold ends in would have no extent at all: it takes the last moment. */
      const double last = keys[n - 1].at, moment = 1e-9 * (last - keys[0].at);

      pieces->breaks = g_renew (double, pieces->breaks, pieces->n + 2);
      pieces->c = g_renew (double, pieces->c, (pieces->n + 1) * (pieces->degree + 1));
      pieces->breaks[pieces->n] = fmax (last - moment, 0.5 * (pieces->breaks[pieces->n - 1] + last));
      pieces->breaks[pieces->n + 1] = last;
      memset (pieces->c + pieces->n * (pieces->degree + 1), 0, (pieces->degree + 1) * sizeof (double));
      pieces->c[pieces->n * (pieces->degree + 1)] = keys[n - 1].value[component];
      pieces->n++;
    }
    return pieces;
  }
}

Pieces *
pieces_new_channel (const KgChannel *channel, guint component, GError **error)
{
  ChannelValue value = { .channel = channel, .component = component };
  const double *breaks, *c;
  double low, high, start, rate;
  guint degree;
  gsize n;

  g_return_val_if_fail (component < kg_channel_get_width (channel), NULL);
  c = kg_channel_get_pieces (channel, &n, &degree, &breaks);
  if (c != NULL) {
    Pieces *pieces = pieces_new (degree, n);

    memcpy (pieces->breaks, breaks, (n + 1) * sizeof *breaks);
    memcpy (pieces->c, c, n * (degree + 1) * sizeof *c);
    return pieces;
  }
  if (kg_channel_get_samples (channel, &n, &start, &rate) != NULL)
    return new_samples (channel, component, error);
  if (kg_channel_get_keys (channel, &n) != NULL)
    return new_keys (channel, component);
  kg_channel_get_range (channel, &low, &high);
  if (!(high > low))
    return new_constant (low, high, get_channel_value (&value, low));
  return pieces_new_function (get_channel_value, &value, low, high, error);
}

/* Values. */

double
pieces_evaluate_in (const Pieces *pieces, gsize i, double u, guint order)
{
  const double *c = pieces->c + i * (pieces->degree + 1);
  const double h = pieces->breaks[i + 1] - pieces->breaks[i];
  double sum = 0, scale = 1;

  for (guint k = pieces->degree + 1; k-- > order;) {
    double factor = 1;

    for (guint j = 0; j < order; j++)
      factor *= k - j;
    sum = sum * u + factor * c[k];
  }
  for (guint j = 0; j < order; j++)
    scale *= h;
  return sum / scale;
}

static gsize
find_piece (const Pieces *pieces, double x)
{
  gsize low = 0, high = pieces->n;

  while (high - low > 1) {
    const gsize middle = (low + high) / 2;

    if (pieces->breaks[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  return low;
}

double
pieces_evaluate (const Pieces *pieces, double x, guint order)
{
  const gsize i = find_piece (pieces, x);
  const double h = pieces->breaks[i + 1] - pieces->breaks[i];

  return pieces_evaluate_in (pieces, i, kg_clamp ((x - pieces->breaks[i]) / h, 0, 1), order);
}

static double
integrate_piece (const Pieces *pieces, gsize i)
{
  const double *c = pieces->c + i * (pieces->degree + 1);
  double sum = 0;

  for (guint k = 0; k <= pieces->degree; k++)
    sum += c[k] / (k + 1);
  return sum * (pieces->breaks[i + 1] - pieces->breaks[i]);
}

double
pieces_integrate (const Pieces *pieces)
{
  double sum = 0;

  for (gsize i = 0; i < pieces->n; i++)
    sum += integrate_piece (pieces, i);
  return sum;
}

Pieces *
pieces_new_integral (const Pieces *pieces, double start)
{
  const guint stride = pieces->degree + 1;
  Pieces *integral = pieces_new (pieces->degree + 1, pieces->n);

  memcpy (integral->breaks, pieces->breaks, (pieces->n + 1) * sizeof (double));
  for (gsize i = 0; i < pieces->n; i++) {
    const double h = pieces->breaks[i + 1] - pieces->breaks[i];
    double *c = integral->c + i * (stride + 1);

    c[0] = start;
    for (guint k = 0; k < stride; k++)
      c[k + 1] = pieces->c[i * stride + k] * h / (k + 1);
    start += integrate_piece (pieces, i);
  }
  return integral;
}

void
pieces_set_cubic (double *c, double s0, double s1, double v0, double v1)
{
  c[0] = s0;
  c[1] = v0;
  c[2] = 3 * (s1 - s0) - 2 * v0 - v1;
  c[3] = 2 * (s0 - s1) + v0 + v1;
}

void
pieces_set_quintic (double *c, double s0, double s1, double v0, double v1, double a0, double a1)
{
  const double d = s1 - s0 - v0 - 0.5 * a0, e = v1 - v0 - a0, f = a1 - a0;

  c[0] = s0;
  c[1] = v0;
  c[2] = 0.5 * a0;
  c[3] = 10 * d - 4 * e + 0.5 * f;
  c[4] = -15 * d + 7 * e - f;
  c[5] = 6 * d - 3 * e + 0.5 * f;
}

void
pieces_scale (Pieces *pieces, double factor)
{
  for (gsize i = 0; i < pieces->n * (pieces->degree + 1); i++)
    pieces->c[i] *= factor;
}

void
pieces_add_constant (Pieces *pieces, double value)
{
  for (gsize i = 0; i < pieces->n; i++)
    pieces->c[i * (pieces->degree + 1)] += value;
}

void
pieces_set_range (Pieces *pieces, double low, double high)
{
  const double first = pieces->breaks[0], last = pieces->breaks[pieces->n];

  for (gsize i = 0; i <= pieces->n; i++)
    pieces->breaks[i] = i == pieces->n ? high : low + (high - low) * ((pieces->breaks[i] - first) / (last - first));
}

/* The polynomial of u as one of v, where u = a + b v: the coefficients at a by repeated division, then scaled. */
static void
restrict_polynomial (double *c, guint degree, double a, double b)
{
  double scale = 1;

  for (guint k = 0; a != 0 && k < degree; k++)
    for (guint i = degree; i-- > k;)
      c[i] += a * c[i + 1];
  for (guint k = 1; k <= degree; k++) {
    scale *= b;
    c[k] *= scale;
  }
}

Pieces *
pieces_restrict (const Pieces *pieces, double low, double high)
{
  const guint stride = pieces->degree + 1;
  Pieces *part = pieces_new (pieces->degree, pieces->n);

  part->n = 0;
  for (gsize i = 0; i < pieces->n; i++) {
    const double start = pieces->breaks[i], h = pieces->breaks[i + 1] - start;
    const double from = fmax (start, low), to = fmin (pieces->breaks[i + 1], high);
    double *c = part->c + part->n * stride;

    if (!(to > from))
      continue;
    memcpy (c, pieces->c + i * stride, stride * sizeof *c);
    restrict_polynomial (c, pieces->degree, (from - start) / h, (to - from) / h);
    part->breaks[part->n++] = from;
    part->breaks[part->n] = to;
  }
  return part;
}

void
pieces_append (Pieces *pieces, const Pieces *more)
{
  const double shift = pieces->breaks[pieces->n] - more->breaks[0];

  if (more->degree > pieces->degree) {
    Pieces *wider = pieces_copy (pieces, more->degree), old = *pieces;

    *pieces = *wider;
    *wider = old;
    pieces_free (wider);
  }
  pieces->breaks = g_renew (double, pieces->breaks, pieces->n + more->n + 1);
  pieces->c = g_renew (double, pieces->c, (pieces->n + more->n) * (pieces->degree + 1));
  memset (pieces->c + pieces->n * (pieces->degree + 1), 0, more->n * (pieces->degree + 1) * sizeof (double));
  for (gsize i = 0; i < more->n; i++) {
    pieces->breaks[pieces->n + 1] = more->breaks[i + 1] + shift;
    memcpy (pieces->c + pieces->n * (pieces->degree + 1), more->c + i * (more->degree + 1),
            (more->degree + 1) * sizeof (double));
    pieces->n++;
  }
}

/* Zeros. */

/* The zero of a polynomial that has different signs at low and high. */
static double
bisect (const double *c, guint degree, double low, double high)
{
  const bool rising = horner (c, degree, low) < 0;

  for (guint i = 0; i < 200; i++) {
    const double middle = 0.5 * (low + high);
    const double y = horner (c, degree, middle);

    if (middle <= low || middle >= high || y == 0)
      return middle;
    if ((y < 0) == rising)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

/* Where a polynomial changes its sign between 0 and 1: it is monotonic between the zeros of its derivative. */
static guint
find_zeros (const double *c, guint degree, double *zeros)
{
  double d[KG_CHANNEL_MAX_DEGREE + 1], turns[KG_CHANNEL_MAX_DEGREE + 2] = { 0 };
  guint n = 0, n_turns = 1;

  if (degree == 0)
    return 0;
  for (guint k = 1; k <= degree; k++)
    d[k - 1] = k * c[k];
  n_turns += find_zeros (d, degree - 1, turns + 1);
  turns[n_turns++] = 1;
  for (guint i = 0; i + 1 < n_turns; i++) {
    const double a = horner (c, degree, turns[i]), b = horner (c, degree, turns[i + 1]);

    if ((a < 0 && b > 0) || (a > 0 && b < 0))
      zeros[n++] = bisect (c, degree, turns[i], turns[i + 1]);
    else if (b == 0 && i + 2 < n_turns) {
      const double after = horner (c, degree, turns[i + 2]);

      if ((a < 0 && after > 0) || (a > 0 && after < 0))
        zeros[n++] = turns[i + 1];
    }
  }
  return n;
}

guint
pieces_find_zeros (const Pieces *pieces, gsize i, guint order, double *zeros)
{
  double c[KG_CHANNEL_MAX_DEGREE + 1];

  if (order > pieces->degree || pieces->degree > KG_CHANNEL_MAX_DEGREE)
    return 0;
  for (guint k = order; k <= pieces->degree; k++) {
    double factor = 1;

    for (guint j = 0; j < order; j++)
      factor *= k - j;
    c[k - order] = factor * pieces->c[i * (pieces->degree + 1) + k];
  }
  return find_zeros (c, pieces->degree - order, zeros);
}

KgChannel *
pieces_to_channel (const Pieces *pieces, GError **error)
{
  KgChannel *channel = kg_channel_new_pieces (pieces->degree, pieces->n, pieces->breaks, pieces->c, KG_EXTEND_HOLD,
                                              KG_EXTEND_HOLD, NULL);

  if (channel == NULL)
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the numbers are too large, or the times too close together: use numbers of a more ordinary size");
  return channel;
}
