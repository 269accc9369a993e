/* track_events: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/track_events.h"

#include <math.h>

typedef struct {
  const GArray *events;     /* TrackEvent, in order */
  const TrackEvent *anchor; /* NULL before the first */
  double from;              /* the value where the anchor begins */
  double added_before;      /* by relative changes up to there */
  GPtrArray *running;       /* TrackEvent: relative changes that have begun and not ended, in order */
  double done;              /* what relative statements added that are over */
  guint next;               /* the first event that has not begun */
} Course;

static int
compare_events (gconstpointer a, gconstpointer b)
{
  const TrackEvent *x = (const TrackEvent *) a, *y = (const TrackEvent *) b;
  const int by_time = kg_compare_doubles (&x->a, &y->a);

  /* A set comes before the change that starts with it. */
  return by_time != 0 ? by_time : x->is_change != y->is_change ? x->is_change - y->is_change : 0;
}

/* Two statements that say different things of one frame. */
static bool
check_conflicts (const GArray *events, const char *name, GError **error)
{
  const TrackEvent *running = NULL, *last_set = NULL;

  for (guint i = 0; i < events->len; i++) {
    const TrackEvent *event = &g_array_index (events, TrackEvent, i);
    const TrackEvent *other = NULL;

    if (event->relative)
      continue;
    if (running != NULL && event->a < running->b)
      other = running;
    else if (!event->is_change && last_set != NULL && last_set->a == event->a && last_set->amount != event->amount)
      other = last_set;
    if (other != NULL) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "lines %u and %u both define %s at frame %g: change one of them, or make it relative (by)",
                    MIN (other->line, event->line), MAX (other->line, event->line), name, event->a);
      return false;
    }
    if (event->is_change)
      running = event;
    else
      last_set = event;
  }
  return true;
}

/* How much of a change is past. */
static double
get_share (const TrackEvent *event, double at, double *slope)
{
  return track_ease (event->ease, kg_clamp ((at - event->a) / (event->b - event->a), 0, 1), slope);
}

/* What relative statements that have begun have added at a time up to the next beginning or end, and how fast. */
static double
get_added (const Course *course, double at, double *slope)
{
  double sum = course->done;

  *slope = 0;
  for (guint i = 0; i < course->running->len; i++) {
    const TrackEvent *event = (const TrackEvent *) g_ptr_array_index (course->running, i);
    double rate;

    sum += event->amount * get_share (event, at, &rate);
    *slope += event->amount * rate / (event->b - event->a);
  }
  return sum;
}

/* The value at a time in the interval around middle, where nothing begins or ends. */
static double
get_value (const Course *course, double at, double middle, double *slope)
{
  const TrackEvent *anchor = course->anchor;
  double value = course->from + get_added (course, at, slope) - course->added_before, rate;

  if (anchor == NULL || !anchor->is_change)
    return value;
  value += (anchor->amount - course->from) * get_share (anchor, at, &rate);
  if (middle <= anchor->b)
    *slope += (anchor->amount - course->from) * rate / (anchor->b - anchor->a);
  return value;
}

/* Changes that end at at are over. */
static void
end_changes (Course *course, double at)
{
  guint n = 0;

  for (guint i = 0; i < course->running->len; i++) {
    const TrackEvent *event = (const TrackEvent *) g_ptr_array_index (course->running, i);

    if (event->b <= at)
      course->done += event->amount;
    else
      g_ptr_array_index (course->running, n++) = (gpointer) event;
  }
  g_ptr_array_set_size (course->running, (gint) n);
}

/* The statements that begin at a time: relative ones first, so that an anchor there counts from them. */
static void
begin_events (Course *course, double at)
{
  const guint first = course->next;
  const TrackEvent *anchor = NULL;
  double slope;

  for (; course->next < course->events->len; course->next++) {
    const TrackEvent *event = &g_array_index (course->events, TrackEvent, course->next);

    if (event->a > at)
      break;
    if (event->relative && event->is_change)
      g_ptr_array_add (course->running, (gpointer) event);
    else if (event->relative)
      course->done += event->amount;
  }
  /* Several sets at the same time agree, and at most one change begins there, after them. */
  for (guint i = first; i < course->next; i++) {
    const TrackEvent *event = &g_array_index (course->events, TrackEvent, i);

    if (event->relative || (anchor != NULL && !event->is_change))
      continue;
    anchor = event;
    course->from = event->is_change ? get_value (course, at, at, &slope) : event->amount;
    course->added_before = get_added (course, at, &slope);
    course->anchor = event;
  }
}

/* (transfer full) Where anything begins or ends, each once, in order. */
static GArray *
find_times (const GArray *events)
{
  GArray *times = g_array_new (FALSE, FALSE, sizeof (double));
  guint n = 0;

  for (guint i = 0; i < events->len; i++) {
    const TrackEvent *event = &g_array_index (events, TrackEvent, i);

    g_array_append_val (times, event->a);
    if (event->is_change)
      g_array_append_val (times, event->b);
  }
  g_array_sort (times, kg_compare_doubles);
  for (guint i = 0; i < times->len; i++)
    if (n == 0 || g_array_index (times, double, i) > g_array_index (times, double, n - 1))
      g_array_index (times, double, n++) = g_array_index (times, double, i);
  g_array_set_size (times, n);
  return times;
}

KgChannel *
track_events_to_channel (GArray *events, const char *name, double start, guint64 *work, GError **error)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (TrackPiece)), times = NULL;
  g_autoptr (GPtrArray) running = g_ptr_array_new ();
  Course course = { .events = events, .from = start, .running = running };

  g_array_sort (events, compare_events);
  if (!check_conflicts (events, name, error))
    return NULL;
  times = find_times (events);
  for (guint i = 0; i < times->len; i++) {
    const double low = g_array_index (times, double, i);
    const double high = i + 1 < times->len ? g_array_index (times, double, i + 1) : low, middle = 0.5 * (low + high);
    TrackPiece piece = { .low = low, .high = high };

    end_changes (&course, low);
    begin_events (&course, low);
    *work += running->len + 1;
    if (*work > TRACK_MAX_WORK) {
      kg_set_error (error, KG_ERROR_LIMIT,
                    "%u relative changes of %s overlap at frame %g, too many to add up: let fewer run at the same time",
                    running->len, name, low);
      return NULL;
    }
    piece.value[0] = piece.value[1] = get_value (&course, low, middle, &piece.slope[0]);
    if (high > low)
      piece.value[1] = get_value (&course, high, middle, &piece.slope[1]);
    else
      piece.slope[0] = 0;
    if (!isfinite (piece.value[0]) || !isfinite (piece.value[1])) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is too large at frame %g", name, high);
      return NULL;
    }
    g_array_append_val (pieces, piece);
  }
  return track_pieces_to_channel (pieces, start, error);
}
