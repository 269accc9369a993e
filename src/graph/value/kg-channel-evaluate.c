/* kg-channel-evaluate: values, derivatives and integrals of channels.
 * Sources: Kochanek and Bartels 1984 (tension, continuity, bias); Kim, Kim and Shin 1995 (smooth turning); the
 * cubic of a Bezier span in its own parameter as in the F-curves of animation programs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-channel-private.h"

#include <gsl/gsl_integration.h>

/* One span between two keys, one component, as a cubic over the parameter u in 0..1: the variable x (u) and the
 * value y (u), both in Bezier form.  For spans that are not Bezier x is the straight line. */
typedef struct {
  double x[4], y[4];
} Span;

/* Slopes. */

/* The turn from one orientation to the next, as a vector of half the angle along its axis.  The axis is the same in
 * the frame of either. */
static KgVector
rotation_log (KgRotation a, KgRotation b)
{
  const KgRotation q = kg_rotation_multiply (kg_rotation_conjugate (a), b);
  const KgVector v = { q.x, q.y, q.z };
  const double length = kg_vector_length (v);

  return length < 1e-12 ? v : kg_vector_scale (v, atan2 (length, q.w) / length);
}

/* a, then turned by v in its own frame. */
static KgRotation
rotation_exp (KgRotation a, KgVector v)
{
  const double length = kg_vector_length (v);
  const double s = length < 1e-12 ? 1 : sin (length) / length;

  return kg_rotation_multiply (a, (KgRotation){ cos (length), s * v.x, s * v.y, s * v.z });
}

static KgRotation
read_rotation (const double *x)
{
  return (KgRotation){ x[0], x[1], x[2], x[3] };
}

/* The distance from key i to the next: of rotations one of the three components of the rotation vector. */
static double
get_chord (const KgChannel *channel, gsize i, guint c)
{
  const KgKey *a = &channel->keys[i], *b = a + 1;

  if (!channel->rotation)
    return b->value[c] - a->value[c];
  return kg_vector_get (rotation_log (read_rotation (a->value), read_rotation (b->value)), (int) c);
}

/* The mean slope from key i to the next. */
static double
get_secant (const KgChannel *channel, gsize i, guint c)
{
  const double h = channel->keys[i + 1].at - channel->keys[i].at;

  return h > 0 ? get_chord (channel, i, c) / h : 0;
}

/* Flat at extremes, else the slope of the parabola through the neighbours, limited to three times the smaller
 * secant: that keeps a span monotonic where its keys are (Fritsch and Carlson 1980). */
static double
get_auto_slope (const KgChannel *channel, gsize i, guint c)
{
  const KgKey *keys = channel->keys;
  double before, after, h0, h1, slope, limit;

  if (i == 0 || i + 1 == channel->n || keys[i].at == keys[i - 1].at || keys[i + 1].at == keys[i].at)
    return 0;
  before = get_secant (channel, i - 1, c);
  after = get_secant (channel, i, c);
  if (!(before * after > 0))
    return 0;
  h0 = keys[i].at - keys[i - 1].at;
  h1 = keys[i + 1].at - keys[i].at;
  slope = (before * h1 + after * h0) / (h0 + h1);
  limit = 3 * fmin (fabs (before), fabs (after));
  return kg_clamp (slope, -limit, limit);
}

/* The tangent at the first or last key, from its span and the one beyond.  It aims at the mirror image of the second
 * neighbour in the first, ½ (2 P1 − P2 − P0) where keys are evenly spaced, which is half the difference of the two
 * chords: a steady motion starts from rest.  Slopes take the place of chords where the spacing is uneven, so that it
 * does so there too.  Without a second span it is the chord. */
static double
get_end_tangent (const KgChannel *channel, bool at_first, guint c)
{
  const gsize last = channel->n - 2;
  const double near = get_secant (channel, at_first ? 0 : last, c);
  const KgKey *p = &channel->keys[at_first ? 1 : last];

  if (channel->n < 3 || p[at_first ? 1 : -1].at == p->at)
    return near;
  return 0.5 * (near - get_secant (channel, at_first ? 1 : last - 1, c));
}

/* Tangents by tension, continuity and bias, per unit of the variable. */
static void
get_tcb_slopes (const KgChannel *channel, gsize i, guint c, double *in, double *out)
{
  const KgKey *keys = channel->keys, *key = &keys[i];
  const double t = 1 - key->tension, lc = 1 - key->continuity, rc = 1 + key->continuity;
  const double a_bias = 1 + key->bias, e_bias = 1 - key->bias;
  double h0, h1, a, e;

  if (channel->n == 1) {
    *in = *out = 0;
    return;
  }
  if (i == 0 || i + 1 == channel->n) {
    *in = *out = t * get_end_tangent (channel, i == 0, c);
    return;
  }
  h0 = key->at - keys[i - 1].at;
  h1 = keys[i + 1].at - key->at;
  if (!(h0 > 0) || !(h1 > 0)) {
    *in = *out = 0;
    return;
  }
  a = get_chord (channel, i - 1, c);
  e = get_chord (channel, i, c);
  /* For unit spacing the textbook's tangents; the factor 2 h / (h0 + h1) and the span's own length cancel, so that
   * what is left is a slope in the variable, continuous where continuity is 0. */
  *in = (t * lc * a_bias / 2 * a + t * rc * e_bias / 2 * e) * 2 / (h0 + h1);
  *out = (t * rc * a_bias / 2 * a + t * lc * e_bias / 2 * e) * 2 / (h0 + h1);
}

static void
prepare_key (KgChannel *channel, gsize i)
{
  const KgKey *key = &channel->keys[i];
  KgSlopes *slopes = &channel->slopes[i];
  const double h0 = i > 0 ? key->at - channel->keys[i - 1].at : 0;
  const double h1 = i + 1 < channel->n ? channel->keys[i + 1].at - key->at : 0;
  const bool tcb_in = i > 0 ? channel->keys[i - 1].interpolation == KG_INTERPOLATE_TCB
                            : key->interpolation == KG_INTERPOLATE_TCB;

  slopes->in_reach = h0 / 3;
  slopes->out_reach = h1 / 3;
  for (guint c = 0; c < channel->width; c++) {
    double tcb_in_slope, tcb_out_slope;

    get_tcb_slopes (channel, i, c, &tcb_in_slope, &tcb_out_slope);
    if (key->tangents == KG_TANGENT_AUTO)
      slopes->in[c] = slopes->out[c] = get_auto_slope (channel, i, c);
    else {
      /* The side of an aligned key that has no reach of its own takes the slope of the other. */
      slopes->in[c] = key->in.reach > 0 ? -key->in.rise[c] / key->in.reach : 0;
      slopes->out[c] = key->out.reach > 0 ? key->out.rise[c] / key->out.reach : 0;
      if (key->tangents == KG_TANGENT_ALIGNED) {
        if (key->out.reach > 0)
          slopes->in[c] = slopes->out[c];
        else
          slopes->out[c] = slopes->in[c];
      }
    }
    if (tcb_in)
      slopes->in[c] = tcb_in_slope;
    if (key->interpolation == KG_INTERPOLATE_TCB)
      slopes->out[c] = tcb_out_slope;
  }
  if (key->tangents != KG_TANGENT_AUTO) {
    if (!tcb_in && key->in.reach > 0)
      slopes->in_reach = key->in.reach;
    if (key->interpolation != KG_INTERPOLATE_TCB && key->out.reach > 0)
      slopes->out_reach = key->out.reach;
  }
}

/* Smooth turning has no handles of its own: all of its tangents are those of tension, continuity and bias, but for
 * the ends of what is not TCB, where it is the chord. */
static void
prepare_rotation_key (KgChannel *channel, gsize i)
{
  const bool at_end = i == 0 || i + 1 == channel->n;
  KgSlopes *slopes = &channel->slopes[i];

  for (guint c = 0; c < 3; c++)
    if (at_end && channel->n > 1 && channel->keys[i == 0 ? 0 : i - 1].interpolation != KG_INTERPOLATE_TCB)
      slopes->in[c] = slopes->out[c] = get_secant (channel, i == 0 ? 0 : i - 1, c);
    else
      get_tcb_slopes (channel, i, c, &slopes->in[c], &slopes->out[c]);
}

void
kg_channel_prepare (KgChannel *channel)
{
  channel->slopes = g_new0 (KgSlopes, channel->n);
  for (gsize i = 0; i < channel->n; i++)
    if (channel->rotation)
      prepare_rotation_key (channel, i);
    else
      prepare_key (channel, i);
}

/* Spans. */

static void
get_span (const KgChannel *channel, gsize i, guint c, Span *span)
{
  const KgKey *a = &channel->keys[i], *b = &channel->keys[i + 1];
  const double h = b->at - a->at;
  double out = channel->slopes[i].out_reach, in = channel->slopes[i + 1].in_reach;
  double out_slope = channel->slopes[i].out[c], in_slope = channel->slopes[i + 1].in[c];

  if (a->interpolation == KG_INTERPOLATE_LINEAR) {
    out = in = h / 3;
    out_slope = in_slope = h > 0 ? (b->value[c] - a->value[c]) / h : 0;
  } else if (a->interpolation == KG_INTERPOLATE_CONSTANT) {
    out = in = h / 3;
    out_slope = in_slope = 0;
  } else if (a->interpolation == KG_INTERPOLATE_TCB)
    out = in = h / 3;
  /* Handles that overlap are shortened together, so that x (u) never turns back. */
  if (out + in > h) {
    const double s = h / (out + in);

    out *= s;
    in *= s;
  }
  span->x[0] = a->at;
  span->x[1] = a->at + out;
  span->x[2] = b->at - in;
  span->x[3] = b->at;
  span->y[0] = a->value[c];
  span->y[1] = a->value[c] + out * out_slope;
  span->y[2] = b->value[c] - in * in_slope;
  span->y[3] = a->interpolation == KG_INTERPOLATE_CONSTANT ? a->value[c] : b->value[c];
  if (a->interpolation == KG_INTERPOLATE_CONSTANT)
    span->y[2] = a->value[c];
}

static double
bezier (const double p[4], double u)
{
  const double v = 1 - u;

  return v * v * v * p[0] + 3 * u * v * v * p[1] + 3 * u * u * v * p[2] + u * u * u * p[3];
}

static double
bezier_derivative (const double p[4], double u)
{
  const double v = 1 - u;

  return 3 * (v * v * (p[1] - p[0]) + 2 * u * v * (p[2] - p[1]) + u * u * (p[3] - p[2]));
}

typedef struct {
  const double *x;
  double at;
} Crossing;

static double
crossing_get (const void *data, double u, double *slope)
{
  const Crossing *crossing = (const Crossing *) data;

  *slope = bezier_derivative (crossing->x, u);
  return bezier (crossing->x, u) - crossing->at;
}

/* The u with x (u) = at.  x is monotonic. */
static double
solve_parameter (const Span *span, double at)
{
  const Crossing crossing = { span->x, at };
  const double h = span->x[3] - span->x[0];
  double u;

  if (!(h > 0))
    return 1;
  u = (at - span->x[0]) / h;
  if (fabs (span->x[1] - span->x[0] - h / 3) <= 1e-15 * h && fabs (span->x[3] - span->x[2] - h / 3) <= 1e-15 * h)
    return u;
  return kg_solve_rising (crossing_get, &crossing, u);
}

/* The span that at lies in: the last i with keys[i].at <= at.  at is within the keys. */
static gsize
find_span (const KgChannel *channel, double at)
{
  gsize low = 0, high = channel->n;

  while (high - low > 1) {
    const gsize middle = (low + high) / 2;

    if (channel->keys[middle].at <= at)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Pieces of polynomials. */

/* The piece that at lies in, and where in it.  at is within the breaks. */
static const double *
find_piece (const KgChannel *channel, double at, gsize *piece, double *u, double *h)
{
  gsize low = 0, high = channel->n;

  while (high - low > 1) {
    const gsize middle = (low + high) / 2;

    if (channel->breaks[middle] <= at)
      low = middle;
    else
      high = middle;
  }
  *piece = low;
  *h = channel->breaks[low + 1] - channel->breaks[low];
  *u = (at - channel->breaks[low]) / *h;
  return channel->coefficients + low * (channel->degree + 1);
}

static double
evaluate_piece (const KgChannel *channel, double at)
{
  double u, h, sum = 0;
  gsize i;
  const double *c = find_piece (channel, at, &i, &u, &h);

  for (guint k = channel->degree + 1; k-- > 0;)
    sum = sum * u + c[k];
  return sum;
}

static double
differentiate_piece (const KgChannel *channel, double at)
{
  double u, h, sum = 0;
  gsize i;
  const double *c = find_piece (channel, at, &i, &u, &h);

  for (guint k = channel->degree; k > 0; k--)
    sum = sum * u + k * c[k];
  return sum / h;
}

/* From the first break. */
static double
integrate_pieces (const KgChannel *channel, double at)
{
  const guint stride = channel->degree + 1;
  double sum = 0;

  for (gsize i = 0; i < channel->n && channel->breaks[i] < at; i++) {
    const double h = channel->breaks[i + 1] - channel->breaks[i];
    const double u = fmin (1, (at - channel->breaks[i]) / h);
    double own = 0;

    for (guint k = stride; k-- > 0;)
      own = (own + channel->coefficients[i * stride + k] / (k + 1)) * u;
    sum += own * h;
  }
  return sum;
}

/* Rotations. */

static void
write_rotation (KgRotation q, double *x)
{
  x[0] = q.w;
  x[1] = q.x;
  x[2] = q.y;
  x[3] = q.z;
}

/* Both keys' tangents as a cubic on the sphere: the turns between the four control points of a Bezier curve, each as
 * far as the sum of the Bernstein polynomials from its own on says (Kim, Kim and Shin 1995).  A product of turns that
 * grow steadily cannot jump, however far apart the keys are, which interpolation between interpolations on great
 * circles can.  Turns about one axis give the Bezier curve of the angle. */
static KgRotation
evaluate_turn (KgRotation p, KgRotation q, KgVector first, KgVector last, double u)
{
  const double v = 1 - u;
  const KgVector middle = rotation_log (rotation_exp (p, first), rotation_exp (q, kg_vector_scale (last, -1)));
  KgRotation r = rotation_exp (p, kg_vector_scale (first, 1 - v * v * v));

  r = rotation_exp (r, kg_vector_scale (middle, u * u * (3 - 2 * u)));
  return kg_rotation_normalize (rotation_exp (r, kg_vector_scale (last, u * u * u)));
}

static KgVector
read_third (const double *slope, double h)
{
  return kg_vector_scale (kg_vector (slope[0], slope[1], slope[2]), h / 3);
}

static void
evaluate_rotation (const KgChannel *channel, gsize i, double at, double *value)
{
  const KgKey *a = &channel->keys[i], *b = &channel->keys[i + 1];
  const double h = b->at - a->at, u = (at - a->at) / h;
  const KgRotation p = read_rotation (a->value), q = read_rotation (b->value);

  if (a->interpolation == KG_INTERPOLATE_CONSTANT)
    write_rotation (p, value);
  else if (a->interpolation == KG_INTERPOLATE_LINEAR)
    write_rotation (kg_rotation_slerp (p, q, u), value);
  else
    write_rotation (
        evaluate_turn (p, q, read_third (channel->slopes[i].out, h), read_third (channel->slopes[i + 1].in, h), u),
        value);
}

/* Within the range. */

static void
evaluate_inside (const KgChannel *channel, double at, double *value)
{
  if (channel->function != NULL)
    *value = channel->function->value (channel->parameters, at);
  else if (channel->breaks != NULL)
    *value = evaluate_piece (channel, at);
  else if (channel->samples != NULL) {
    const double x = (at - channel->start) * channel->rate;
    const gsize i = (gsize) kg_clamp (floor (x), 0, (double) (channel->n > 1 ? channel->n - 2 : 0));
    const double *a = channel->samples + i * channel->width, *b = channel->n > 1 ? a + channel->width : a;

    if (channel->rotation)
      write_rotation (kg_rotation_slerp (read_rotation (a), read_rotation (b), x - (double) i), value);
    else
      for (guint c = 0; c < channel->width; c++)
        value[c] = x == (double) i + 1 ? b[c] : a[c] + (x - (double) i) * (b[c] - a[c]);
  } else {
    const gsize i = find_span (channel, at);
    const KgKey *key = &channel->keys[i];

    /* The same bits at keys, whatever the arithmetic of the span gives there. */
    if (at == key->at || i + 1 == channel->n)
      memcpy (value, key->value, channel->width * sizeof *value);
    else if (channel->rotation)
      evaluate_rotation (channel, i, at, value);
    else
      for (guint c = 0; c < channel->width; c++) {
        Span span;

        get_span (channel, i, c, &span);
        value[c] = key->interpolation == KG_INTERPOLATE_CONSTANT ? key->value[c]
                   : key->interpolation == KG_INTERPOLATE_LINEAR
                       ? kg_lerp (span.y[0], span.y[3], (at - span.x[0]) / (span.x[3] - span.x[0]))
                       : bezier (span.y, solve_parameter (&span, at));
      }
  }
}

/* Derivative by a central difference where nothing better is known. */
static void
differentiate_numerically (const KgChannel *channel, double at, double *derivative)
{
  const double h = 1e-6 * fmax (1.0, fabs (at));
  double a[KG_CHANNEL_MAX_WIDTH], b[KG_CHANNEL_MAX_WIDTH], low, high;

  kg_channel_get_range (channel, &low, &high);
  low = fmax (low, at - h);
  high = fmin (high, at + h);
  evaluate_inside (channel, low, a);
  evaluate_inside (channel, high, b);
  for (guint c = 0; c < channel->width; c++)
    derivative[c] = high > low ? (b[c] - a[c]) / (high - low) : 0;
}

static void
differentiate_inside (const KgChannel *channel, double at, double *derivative)
{
  if (channel->function != NULL && channel->function->derivative != NULL)
    *derivative = channel->function->derivative (channel->parameters, at);
  else if (channel->breaks != NULL)
    *derivative = differentiate_piece (channel, at);
  else if (channel->function != NULL || channel->rotation)
    differentiate_numerically (channel, at, derivative);
  else if (channel->samples != NULL) {
    const double x = (at - channel->start) * channel->rate;
    const gsize i = (gsize) kg_clamp (floor (x), 0, (double) (channel->n > 1 ? channel->n - 2 : 0));

    for (guint c = 0; c < channel->width; c++)
      derivative[c] = channel->n < 2 ? 0
                                     : channel->rate * (channel->samples[(i + 1) * channel->width + c] -
                                                        channel->samples[i * channel->width + c]);
  } else {
    gsize i = find_span (channel, at);

    if (channel->n == 1) {
      memset (derivative, 0, channel->width * sizeof *derivative);
      return;
    }
    i = MIN (i, channel->n - 2);
    for (guint c = 0; c < channel->width; c++) {
      Span span;
      double u, x1;

      get_span (channel, i, c, &span);
      u = solve_parameter (&span, at);
      x1 = bezier_derivative (span.x, u);
      derivative[c] = x1 > 0 ? bezier_derivative (span.y, u) / x1 : 0;
    }
  }
}

void
kg_channel_get_slopes (const KgChannel *channel, gsize i, double in[KG_CHANNEL_MAX_WIDTH],
                       double out[KG_CHANNEL_MAX_WIDTH])
{
  g_return_if_fail (channel->keys != NULL && i < channel->n);
  for (guint c = 0; c < channel->width; c++) {
    Span span;

    in[c] = out[c] = 0;
    if (i > 0) {
      get_span (channel, i - 1, c, &span);
      in[c] = span.x[3] > span.x[2] ? (span.y[3] - span.y[2]) / (span.x[3] - span.x[2]) : 0;
    }
    if (i + 1 < channel->n) {
      get_span (channel, i, c, &span);
      out[c] = span.x[1] > span.x[0] ? (span.y[1] - span.y[0]) / (span.x[1] - span.x[0]) : 0;
    }
  }
}

/* Beyond the range. */

KgChannelPlace
kg_channel_fold (const KgChannel *channel, double at)
{
  /* Steps begin with their breaks: where they are repeated, the first one begins again where the last one ends. */
  const bool again = channel->breaks != NULL && channel->degree == 0 && channel->after == KG_EXTEND_CYCLE;
  double low, high, length;
  KgChannelPlace place = { .at = at };

  kg_channel_get_range (channel, &low, &high);
  if (at >= low && at <= high && !(again && at == high))
    return place;
  place.outside = true;
  place.extend = at < low ? channel->before : channel->after;
  length = high - low;
  if (place.extend <= KG_EXTEND_LINEAR || !(length > 0)) {
    place.at = at < low ? low : high;
    if (place.extend > KG_EXTEND_LINEAR)
      place.extend = KG_EXTEND_HOLD;
    return place;
  }
  place.rounds = floor ((at - low) / length);
  place.at = kg_clamp (at - place.rounds * length, low, high);
  place.reversed = place.extend == KG_EXTEND_MIRROR && fmod (place.rounds, 2) != 0;
  if (place.reversed)
    place.at = kg_clamp (low + high - place.at, low, high);
  return place;
}

static void
get_ends (const KgChannel *channel, double *first, double *last)
{
  double low, high;

  kg_channel_get_range (channel, &low, &high);
  evaluate_inside (channel, low, first);
  evaluate_inside (channel, high, last);
}

/* The slope with which the curve reaches an end of its range. */
static void
get_end_slope (const KgChannel *channel, double at, bool at_low, double *slope)
{
  if (channel->keys != NULL && !channel->rotation && channel->n > 1) {
    double in[KG_CHANNEL_MAX_WIDTH], out[KG_CHANNEL_MAX_WIDTH];

    kg_channel_get_slopes (channel, at_low ? 0 : channel->n - 1, in, out);
    memcpy (slope, at_low ? out : in, channel->width * sizeof *slope);
  } else
    differentiate_inside (channel, at, slope);
}

void
kg_channel_evaluate (const KgChannel *channel, double at, double *value)
{
  const KgChannelPlace place = kg_channel_fold (channel, at);
  double first[KG_CHANNEL_MAX_WIDTH], last[KG_CHANNEL_MAX_WIDTH];

  evaluate_inside (channel, place.at, value);
  if (!place.outside || channel->rotation)
    return;
  if (place.extend == KG_EXTEND_LINEAR) {
    get_end_slope (channel, place.at, at < place.at, first);
    for (guint c = 0; c < channel->width; c++)
      value[c] += (at - place.at) * first[c];
  } else if (place.extend == KG_EXTEND_CYCLE_OFFSET) {
    get_ends (channel, first, last);
    for (guint c = 0; c < channel->width; c++)
      value[c] += place.rounds * (last[c] - first[c]);
  }
}

void
kg_channel_differentiate (const KgChannel *channel, double at, double *derivative)
{
  const KgChannelPlace place = kg_channel_fold (channel, at);

  if (place.outside && place.extend == KG_EXTEND_HOLD) {
    memset (derivative, 0, channel->width * sizeof *derivative);
    return;
  }
  if (place.outside && place.extend == KG_EXTEND_LINEAR) {
    get_end_slope (channel, place.at, at < place.at, derivative);
    return;
  }
  differentiate_inside (channel, place.at, derivative);
  for (guint c = 0; place.reversed && c < channel->width; c++)
    derivative[c] = -derivative[c];
}

void
kg_channel_differentiate_right (const KgChannel *channel, double at, double *derivative)
{
  double low, high;

  kg_channel_get_range (channel, &low, &high);
  if (at == high && channel->after == KG_EXTEND_HOLD) {
    memset (derivative, 0, channel->width * sizeof *derivative);
    return;
  }
  kg_channel_differentiate (
      channel, at == high && (channel->after == KG_EXTEND_CYCLE || channel->after == KG_EXTEND_CYCLE_OFFSET) ? low : at,
      derivative);
  for (guint c = 0; at == high && channel->after == KG_EXTEND_MIRROR && c < channel->width; c++)
    derivative[c] = -derivative[c];
}

/* Integrals. */

typedef struct {
  const KgChannel *channel;
  guint component;
} Integrand;

static double
integrand (double x, void *data)
{
  const Integrand *in = (const Integrand *) data;
  double value[KG_CHANNEL_MAX_WIDTH];

  evaluate_inside (in->channel, x, value);
  return value[in->component];
}

/* The integral of y dx over a span from parameter 0 to u: y (u) x' (u) has degree 5, for which three Gauss-Legendre
 * points are exact. */
static double
integrate_span (const Span *span, double u)
{
  static const double points[] = { -0.77459666924148337704, 0, 0.77459666924148337704 };
  static const double weights[] = { 5.0 / 9, 8.0 / 9, 5.0 / 9 };
  double sum = 0;

  for (int i = 0; i < 3; i++) {
    const double v = 0.5 * u * (1 + points[i]);

    sum += weights[i] * bezier (span->y, v) * bezier_derivative (span->x, v);
  }
  return 0.5 * u * sum;
}

/* From the low end to at, within the range. */
static double
integrate_to (const KgChannel *channel, double at, guint c)
{
  double low, high, sum = 0;

  kg_channel_get_range (channel, &low, &high);
  if (!(at > low))
    return 0;
  if (channel->function != NULL && channel->function->integral != NULL)
    return channel->function->integral (channel->parameters, at) -
           channel->function->integral (channel->parameters, low);
  if (channel->function != NULL) {
    Integrand in = { channel, c };
    gsl_function f = { integrand, &in };
    gsl_integration_cquad_workspace *work = gsl_integration_cquad_workspace_alloc (100);
    double result = 0;

    gsl_integration_cquad (&f, low, at, 1e-12, 1e-12, work, &result, NULL, NULL);
    gsl_integration_cquad_workspace_free (work);
    return result;
  }
  if (channel->breaks != NULL)
    return integrate_pieces (channel, at);
  if (channel->samples != NULL) {
    const double x = (at - channel->start) * channel->rate;
    const gsize whole = (gsize) kg_clamp (floor (x), 0, (double) (channel->n - 1));
    const double part = x - (double) whole;
    const double *s = channel->samples + c;

    for (gsize i = 0; i < whole; i++)
      sum += 0.5 * (s[i * channel->width] + s[(i + 1) * channel->width]);
    if (part > 0 && whole + 1 < channel->n)
      sum += part *
             (s[whole * channel->width] + 0.5 * part * (s[(whole + 1) * channel->width] - s[whole * channel->width]));
    return sum / channel->rate;
  }
  for (gsize i = 0; i + 1 < channel->n && channel->keys[i].at < at; i++) {
    Span span;

    get_span (channel, i, c, &span);
    sum += integrate_span (&span, at >= span.x[3] ? 1 : solve_parameter (&span, at));
  }
  return sum;
}

/* The integral from the low end of the range to any place. */
static double
integrate_from_low (const KgChannel *channel, double at, guint c)
{
  const KgChannelPlace place = kg_channel_fold (channel, at);
  double low, high, whole, first[KG_CHANNEL_MAX_WIDTH], last[KG_CHANNEL_MAX_WIDTH], slope[KG_CHANNEL_MAX_WIDTH];
  double value[KG_CHANNEL_MAX_WIDTH];

  kg_channel_get_range (channel, &low, &high);
  if (!place.outside)
    return integrate_to (channel, at, c);
  whole = integrate_to (channel, high, c);
  evaluate_inside (channel, place.at, value);
  if (place.extend <= KG_EXTEND_LINEAR) {
    const double d = at - place.at;
    double sum = (at > high ? whole : 0) + d * value[c];

    if (place.extend == KG_EXTEND_LINEAR) {
      get_end_slope (channel, place.at, at < place.at, slope);
      sum += 0.5 * d * d * slope[c];
    }
    return sum;
  }
  {
    const double part = place.reversed ? whole - integrate_to (channel, place.at, c)
                                       : integrate_to (channel, place.at, c);
    double sum = place.rounds * whole + part;

    if (place.extend == KG_EXTEND_CYCLE_OFFSET) {
      /* Round k is raised by k steps; the rounds before the last are whole. */
      get_ends (channel, first, last);
      sum += (last[c] - first[c]) *
             ((high - low) * 0.5 * place.rounds * (place.rounds - 1) + place.rounds * (place.at - low));
    }
    return sum;
  }
}

void
kg_channel_integrate (const KgChannel *channel, double a, double b, double *integral)
{
  g_return_if_fail (!channel->rotation);
  for (guint c = 0; c < channel->width; c++)
    integral[c] = integrate_from_low (channel, b, c) - integrate_from_low (channel, a, c);
}
