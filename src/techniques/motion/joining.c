/* joining: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/joining.h"

#include <string.h>

double
joining_ramp (double u)
{
  return kg_fade (kg_clamp (u, 0, 1));
}

static void
take (Pieces **whole, Pieces *part)
{
  if (*whole == NULL) {
    *whole = part;
    return;
  }
  pieces_append (*whole, part);
  pieces_free (part);
}

/* Any function between neighbouring breaks, where it is smooth. */
static bool
take_function (Pieces **whole, PiecesFunction function, gpointer data, const GArray *breaks, GError **error)
{
  for (guint i = 0; i + 1 < breaks->len; i++) {
    const double low = g_array_index (breaks, double, i), high = g_array_index (breaks, double, i + 1);
    Pieces *part;

    if (!(high - low > 1e-12 * fmax (fabs (low), fabs (high))))
      continue;
    part = pieces_new_function (function, data, low, high, error);
    if (part == NULL)
      return false;
    take (whole, part);
  }
  return true;
}

static void
add_breaks (GArray *breaks, const Pieces *pieces, double low, double high)
{
  for (gsize i = 0; i <= pieces->n; i++)
    if (pieces->breaks[i] > low && pieces->breaks[i] < high)
      g_array_append_val (breaks, pieces->breaks[i]);
}

/* Channels. */

/* Keys in a piece of a channel of several numbers. */
#define KEYS_PER_PIECE 16

KgChannel *
joining_new_channel (Pieces *const *components, guint width, GError **error)
{
  const double low = components[0]->breaks[0], high = components[0]->breaks[components[0]->n];
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (double));
  g_autofree KgKey *keys = NULL;
  guint n = 0;

  if (width == 1)
    return pieces_to_channel (components[0], error);
  for (guint c = 0; c < width; c++)
    for (gsize i = 0; i < components[c]->n; i++)
      for (guint k = 0; k < KEYS_PER_PIECE; k++) {
        const double at = kg_lerp (components[c]->breaks[i], components[c]->breaks[i + 1], (double) k / KEYS_PER_PIECE);

        g_array_append_val (times, at);
      }
  g_array_append_val (times, high);
  g_array_sort (times, kg_compare_doubles);
  keys = g_new0 (KgKey, times->len);
  for (guint i = 0; i < times->len; i++) {
    const double at = g_array_index (times, double, i);

    if (n > 0 && !(at - keys[n - 1].at > 1e-9 * (high - low)))
      continue;
    kg_key_init (&keys[n], at, 0);
    keys[n].interpolation = KG_INTERPOLATE_BEZIER;
    keys[n].tangents = KG_TANGENT_FREE;
    for (guint c = 0; c < width; c++)
      keys[n].value[c] = pieces_evaluate (components[c], at, 0);
    n++;
  }
  for (guint i = 0; i < n; i++) {
    keys[i].out.reach = i + 1 < n ? (keys[i + 1].at - keys[i].at) / 3 : 0;
    keys[i].in.reach = i > 0 ? (keys[i].at - keys[i - 1].at) / 3 : 0;
    for (guint c = 0; c < width; c++) {
      const double slope = pieces_evaluate (components[c], keys[i].at, 1);

      keys[i].out.rise[c] = slope * keys[i].out.reach;
      keys[i].in.rise[c] = -slope * keys[i].in.reach;
    }
  }
  return kg_channel_new_keys (width, false, keys, n, KG_EXTEND_HOLD, KG_EXTEND_HOLD, error);
}

/* Joining. */

typedef struct {
  const Pieces *first, *second;
  double low, high; /* both are there */
} Overlap;

static double
get_overlap (gpointer data, double x)
{
  const Overlap *o = (const Overlap *) data;

  return kg_lerp (pieces_evaluate (o->first, x, 0), pieces_evaluate (o->second, x, 0),
                  joining_ramp ((x - o->low) / (o->high - o->low)));
}

static Pieces *
new_bridge (const Pieces *first, const Pieces *second)
{
  const double low = first->breaks[first->n], h = second->breaks[0] - low;
  Pieces *bridge = pieces_new (5, 1);
  double a[3], b[3];

  for (guint order = 0; order < 3; order++) {
    a[order] = pieces_evaluate_in (first, first->n - 1, 1, order);
    b[order] = pieces_evaluate_in (second, 0, 0, order);
  }
  bridge->breaks[0] = low;
  bridge->breaks[1] = second->breaks[0];
  pieces_set_quintic (bridge->c, a[0], b[0], a[1] * h, b[1] * h, a[2] * h * h, b[2] * h * h);
  return bridge;
}

Pieces *
joining_join (const Pieces *first, const Pieces *second, GError **error)
{
  Overlap o = { first, second, second->breaks[0], first->breaks[first->n] };
  g_autoptr (GArray) breaks = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (Pieces) whole = NULL;

  if (o.low < first->breaks[0] || second->breaks[second->n] < o.high) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the second motion lasts from %g to %g and the first from %g to %g: let the second start and end "
                  "later than the first",
                  o.low, second->breaks[second->n], first->breaks[0], o.high);
    return NULL;
  }
  if (o.low >= o.high) {
    whole = pieces_copy (first, 0);
    if (o.low > o.high)
      take (&whole, new_bridge (first, second));
    pieces_append (whole, second);
    return g_steal_pointer (&whole);
  }
  if (o.low > first->breaks[0])
    take (&whole, pieces_restrict (first, first->breaks[0], o.low));
  g_array_append_val (breaks, o.low);
  add_breaks (breaks, first, o.low, o.high);
  add_breaks (breaks, second, o.low, o.high);
  g_array_append_val (breaks, o.high);
  g_array_sort (breaks, kg_compare_doubles);
  if (!take_function (&whole, get_overlap, &o, breaks, error))
    return NULL;
  if (second->breaks[second->n] > o.high)
    take (&whole, pieces_restrict (second, o.high, second->breaks[second->n]));
  return g_steal_pointer (&whole);
}

/* Stretching: the pace is 1 at both ends, goes over to a constant one within a share of the time, and back. */

static double
get_share (const JoiningStretch *stretch)
{
  return fmin (0.25, 0.5 / stretch->factor);
}

/* The integral of the ramp from 0 to u. */
static double
integrate_ramp (double u)
{
  return u * u * u * u * (2.5 + u * (u - 3));
}

double
joining_get_source_time (const JoiningStretch *stretch, double t)
{
  const double length = (stretch->end - stretch->start) * stretch->factor, share = get_share (stretch);
  const double pace = stretch->keep_speeds ? 1 + (1 / stretch->factor - 1) / (1 - share) : 1 / stretch->factor;
  double u = (t - stretch->start) / length, passed;

  if (u <= 0)
    return t;
  if (u >= 1)
    return t - length + (stretch->end - stretch->start);
  if (!stretch->keep_speeds)
    return stretch->start + u * length * pace;
  /* Symmetric: the second half is the first one backwards. */
  const bool back = u > 0.5;

  u = back ? 1 - u : u;
  passed = u + (pace - 1) * (u < share ? share * integrate_ramp (u / share) : u - 0.5 * share);
  return back ? stretch->end - length * passed : stretch->start + length * passed;
}

typedef struct {
  const Pieces *pieces;
  const JoiningStretch *stretch;
} Stretched;

static double
get_stretched (gpointer data, double t)
{
  const Stretched *s = (const Stretched *) data;

  return pieces_evaluate (s->pieces, joining_get_source_time (s->stretch, t), 0);
}

/* When a moment of the source comes after the stretch: the time rises throughout, so that halving finds it. */
static double
find_time (const JoiningStretch *stretch, double source)
{
  double low = stretch->start, high = stretch->start + (stretch->end - stretch->start) * stretch->factor;

  for (guint i = 0; i < 100; i++) {
    const double middle = 0.5 * (low + high);

    if (joining_get_source_time (stretch, middle) < source)
      low = middle;
    else
      high = middle;
  }
  return high;
}

Pieces *
joining_stretch (const Pieces *pieces, const JoiningStretch *stretch, GError **error)
{
  const double first = pieces->breaks[0], last = pieces->breaks[pieces->n];
  const double length = (stretch->end - stretch->start) * stretch->factor, share = get_share (stretch);
  g_autoptr (GArray) breaks = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (Pieces) whole = NULL;
  Stretched s = { pieces, stretch };
  double at = stretch->start;

  if (stretch->start > first)
    take (&whole, pieces_restrict (pieces, first, stretch->start));
  g_array_append_val (breaks, at);
  for (gsize i = 0; i <= pieces->n; i++)
    if (pieces->breaks[i] > stretch->start && pieces->breaks[i] < stretch->end) {
      at = find_time (stretch, pieces->breaks[i]);
      g_array_append_val (breaks, at);
    }
  for (guint i = 0; i < 3; i++) {
    at = stretch->start + length * (i == 0 ? share : i == 1 ? 1 - share : 1);
    g_array_append_val (breaks, at);
  }
  g_array_sort (breaks, kg_compare_doubles);
  if (!take_function (&whole, get_stretched, &s, breaks, error))
    return NULL;
  if (last > stretch->end)
    take (&whole, pieces_restrict (pieces, stretch->end, last));
  return g_steal_pointer (&whole);
}
