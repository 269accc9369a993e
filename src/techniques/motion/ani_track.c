/* ani_track: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/ani_track.h"

#include <math.h>
#include <string.h>

typedef struct {
  guint n_coefficients;
  GArray *breaks, *coefficients; /* double */
} Pieces;

static int
compare_events (gconstpointer a, gconstpointer b)
{
  return kg_compare_doubles (&((const AniEvent *) a)->a, &((const AniEvent *) b)->a);
}

/* Where the polynomial of an event changes between its ends: at the cut, and for a sine halfway through its ramps. */
static guint
list_breaks (const AniEvent *event, double breaks[3])
{
  const double length = event->b - event->a, c = event->timing.cut;
  guint n = 0;

  if (event->timing.kind == ANI_STEADY)
    return 0;
  if (event->timing.profile == ANI_SINE && c > 0)
    breaks[n++] = event->a + 0.5 * c * length;
  if (c > 0 && c < 1)
    breaks[n++] = event->a + c * length;
  if (event->timing.profile == ANI_SINE && c < 1)
    breaks[n++] = event->a + 0.5 * (1 + c) * length;
  return n;
}

static void
add_share (const AniEvent *event, double low, double high, double amount, guint n, double *coefficients)
{
  double share[ANI_MAX_COEFFICIENTS];

  ani_timing_expand (&event->timing, (low - event->a) / (event->b - event->a),
                     (high - event->a) / (event->b - event->a), share);
  for (guint k = 0; k < n; k++)
    coefficients[k] += amount * share[k];
}

static double *
add_piece (Pieces *pieces, double low, double value)
{
  const guint at = pieces->coefficients->len;
  double *coefficients;

  g_array_append_val (pieces->breaks, low);
  g_array_set_size (pieces->coefficients, at + pieces->n_coefficients);
  coefficients = &g_array_index (pieces->coefficients, double, at);
  memset (coefficients, 0, pieces->n_coefficients * sizeof *coefficients);
  coefficients[0] = value;
  return coefficients;
}

/* (transfer full) Where anything begins, ends or changes, each once, in order. */
static GArray *
find_times (const GArray *events)
{
  GArray *times = g_array_new (FALSE, FALSE, sizeof (double));
  guint n = 0;

  for (guint i = 0; i < events->len; i++) {
    const AniEvent *event = &g_array_index (events, AniEvent, i);
    double breaks[3];

    g_array_append_val (times, event->a);
    if (event->b > event->a) {
      g_array_append_vals (times, breaks, list_breaks (event, breaks));
      g_array_append_val (times, event->b);
    }
  }
  g_array_sort (times, kg_compare_doubles);
  for (guint i = 0; i < times->len; i++)
    if (n == 0 || g_array_index (times, double, i) > g_array_index (times, double, n - 1))
      g_array_index (times, double, n++) = g_array_index (times, double, i);
  g_array_set_size (times, n);
  return times;
}

static bool
add_increments (const GArray *events, double start, Pieces *pieces, guint64 *work, GError **error)
{
  g_autoptr (GArray) times = find_times (events);
  g_autoptr (GPtrArray) running = g_ptr_array_new ();
  double done = start;
  guint next = 0;

  for (guint i = 0; i < times->len; i++) {
    const double low = g_array_index (times, double, i);
    double *coefficients;
    guint n = 0;

    for (guint k = 0; k < running->len; k++) {
      const AniEvent *event = (const AniEvent *) g_ptr_array_index (running, k);

      if (event->b <= low)
        done += event->amount;
      else
        g_ptr_array_index (running, n++) = (gpointer) event;
    }
    g_ptr_array_set_size (running, (gint) n);
    for (; next < events->len && g_array_index (events, AniEvent, next).a <= low; next++) {
      const AniEvent *event = &g_array_index (events, AniEvent, next);

      if (event->b > event->a)
        g_ptr_array_add (running, (gpointer) event);
      else
        done += event->amount;
    }
    *work += running->len + 1;
    if (*work > ANI_MAX_WORK) {
      kg_set_error (error, KG_ERROR_LIMIT,
                    "%u increments overlap at frame %g, too many to add up: let fewer run at the same time",
                    running->len, low);
      return false;
    }
    coefficients = add_piece (pieces, low, done);
    for (guint k = 0; k < running->len; k++) {
      const AniEvent *event = (const AniEvent *) g_ptr_array_index (running, k);

      add_share (event, low, g_array_index (times, double, i + 1), event->amount, pieces->n_coefficients, coefficients);
    }
  }
  return true;
}

/* One target up to where the next begins.  Returns the value there. */
static double
add_target (const AniEvent *event, double until, double from, Pieces *pieces)
{
  const double end = fmin (event->b, until), way = event->amount - from;
  double breaks[4], low = event->a, speed, acceleration;
  guint n = 0;

  if (event->b > event->a) {
    n = list_breaks (event, breaks);
    breaks[n++] = event->b;
  }
  for (guint i = 0; i < n && low < end; i++) {
    const double high = fmin (breaks[i], end);

    if (high > low)
      add_share (event, low, high, way, pieces->n_coefficients, add_piece (pieces, low, from));
    low = high;
  }
  if (event->b <= until) {
    if (event->b < until)
      add_piece (pieces, event->b, event->amount);
    return event->amount;
  }
  return from +
         way * ani_timing_evaluate (&event->timing, (until - event->a) / (event->b - event->a), &speed, &acceleration);
}

static void
add_targets (const GArray *events, double start, Pieces *pieces)
{
  double value = start;

  for (guint i = 0; i < events->len; i++) {
    const AniEvent *event = &g_array_index (events, AniEvent, i);
    const double until = i + 1 < events->len ? g_array_index (events, AniEvent, i + 1).a : INFINITY;

    if (until > event->a)
      value = add_target (event, until, value, pieces);
    else if (event->b <= event->a)
      value = event->amount; /* another takes over in the same frame */
  }
}

KgChannel *
ani_track_new (GArray *events, bool increments, double start, AniProfile profile, guint64 *work, GError **error)
{
  g_autoptr (GArray) breaks = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) coefficients = g_array_new (FALSE, FALSE, sizeof (double));
  Pieces pieces = { ani_timing_count_coefficients (profile), breaks, coefficients };
  double last;

  g_array_sort (events, compare_events);
  /* What holds before the first statement. */
  add_piece (&pieces, events->len > 0 ? g_array_index (events, AniEvent, 0).a - 1 : 0, start);
  if (!increments)
    add_targets (events, start, &pieces);
  else if (!add_increments (events, start, &pieces, work, error))
    return NULL;
  /* The last piece holds a jump at the end, too. */
  last = g_array_index (breaks, double, breaks->len - 1) + 1;
  g_array_append_val (breaks, last);
  for (guint i = 0; i < coefficients->len; i++)
    if (!isfinite (g_array_index (coefficients, double, i))) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the numbers of the statements are too large to add up");
      return NULL;
    }
  return kg_channel_new_pieces (pieces.n_coefficients - 1, breaks->len - 1, (const double *) (void *) breaks->data,
                                (const double *) (void *) coefficients->data, KG_EXTEND_HOLD, KG_EXTEND_HOLD, error);
}
