/* timing: distance-time functions, from 0 to 1 in time and way.
 * Source of what is looked for: Parent, Computer Animation, section 3.2.5.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/timing.h"

/* Intervals of one kind that are listed one by one. */
#define MOST_LINES 6
#define SMALL 1e-9
/* The share of the whole below which a rest is an instant. */
#define INSTANT 1e-4

typedef enum { RUNS_BACK, RESTS, RUNS } Course;

/* An interval in which the movement keeps to one course, and whether it comes to rest just at its end. */
typedef struct {
  double from, to;
  Course course;
  bool ends_at_rest;
} Interval;

/* A piece that takes no time to speak of is a jump: its speed says nothing of the movement. */
static bool
is_jump (const Pieces *s, gsize i)
{
  return s->breaks[i + 1] - s->breaks[i] < SMALL * (s->breaks[s->n] - s->breaks[0]);
}

static double
get_largest_speed (const Pieces *s)
{
  double largest = 0;

  for (gsize i = 0; i < s->n; i++)
    for (guint k = 0; k <= 8 && !is_jump (s, i); k++)
      largest = fmax (largest, fabs (pieces_evaluate_in (s, i, k / 8.0, 1)));
  return largest;
}

/* Cuts the function where its speed changes sign or is at an extreme, and joins what runs the same way.  At an extreme
 * within rounding of zero the movement stands still for an instant. */
static GArray *
find_courses (const Pieces *s, double small)
{
  GArray *intervals = g_array_new (FALSE, FALSE, sizeof (Interval));
  const double range = s->breaks[s->n] - s->breaks[0];

  for (gsize i = 0; i < s->n; i++) {
    const double h = s->breaks[i + 1] - s->breaks[i];
    double u[2 * KG_CHANNEL_MAX_DEGREE + 4] = { 0 };
    guint n = 1;

    if (is_jump (s, i))
      continue;
    n += pieces_find_zeros (s, i, 1, u + n);
    n += pieces_find_zeros (s, i, 2, u + n);
    u[n++] = 1;
    qsort (u, n, sizeof *u, kg_compare_doubles);
    for (guint k = 0; k + 1 < n; k++) {
      const double a = pieces_evaluate_in (s, i, u[k], 1), b = pieces_evaluate_in (s, i, u[k + 1], 1);
      const double m = pieces_evaluate_in (s, i, 0.5 * (u[k] + u[k + 1]), 1);
      const double size = fmax (fabs (m), fmax (fabs (a), fabs (b)));
      Interval interval = { .from = s->breaks[i] + h * u[k],
                            .to = s->breaks[i] + h * u[k + 1],
                            .course = size <= small ? RESTS
                                      : m < 0       ? RUNS_BACK
                                                    : RUNS,
                            .ends_at_rest = fabs (b) <= small };
      Interval *last = intervals->len > 0 ? &g_array_index (intervals, Interval, intervals->len - 1) : NULL;

      if (!(interval.to > interval.from))
        continue;
      /* Between two zeros that differ by rounding nothing happens. */
      if (interval.to - interval.from < SMALL * range) {
        if (last != NULL) {
          last->to = interval.to;
          last->ends_at_rest = interval.ends_at_rest;
        }
        continue;
      }
      if (last == NULL)
        interval.from = s->breaks[0];
      /* A start from rest counts as standing still like a stop: both sides of a corner in the speed are looked at. */
      if (last != NULL && fabs (a) <= small)
        last->ends_at_rest = true;
      if (last != NULL && last->course == interval.course && (interval.course != RUNS || !last->ends_at_rest)) {
        last->to = interval.to;
        last->ends_at_rest = interval.ends_at_rest;
      } else
        g_array_append_val (intervals, interval);
    }
  }
  return intervals;
}

/* The findings so far, and their text. */
typedef struct {
  guint findings, mask;
  GString *text;
  guint lines[32];
} Report;

static void G_GNUC_PRINTF (3, 4) tell (Report *report, TimingFinding finding, const char *format, ...)
{
  guint *lines = &report->lines[g_bit_nth_lsf (finding, -1)];
  va_list arguments;

  report->findings |= finding;
  if (report->text == NULL || !(report->mask & finding) || *lines > MOST_LINES)
    return;
  if (report->text->len > 0)
    g_string_append_c (report->text, '\n');
  if (++*lines > MOST_LINES) {
    g_string_append (report->text, "and more of the same");
    return;
  }
  va_start (arguments, format);
  g_string_append_vprintf (report->text, format, arguments);
  va_end (arguments);
}

static void
check_speed (const Pieces *s, double small, Report *report)
{
  g_autoptr (GArray) intervals = find_courses (s, small);
  const Interval *all = (const Interval *) (void *) intervals->data;

  for (guint i = 0; i < intervals->len; i++) {
    const Interval *at = &all[i];
    const bool first = i == 0, last = i + 1 == intervals->len;
    const bool instant = at->to - at->from < INSTANT * (s->breaks[s->n] - s->breaks[0]);

    if (at->course == RUNS_BACK)
      tell (report, TIMING_BACKS_UP, "backs up between %.6g and %.6g", at->from, at->to);
    else if (at->course == RESTS && first && last)
      tell (report, TIMING_STALLS, "does not move");
    else if (at->course == RESTS && instant) {
      if (!first && !last && at[-1].course == RUNS && at[1].course == RUNS)
        tell (report, TIMING_STALLS, "stalls at %.6g", 0.5 * (at->from + at->to));
    } else if (at->course == RESTS && first)
      tell (report, TIMING_WAITS, "waits until %.6g", at->to);
    else if (at->course == RESTS && last)
      tell (report, TIMING_ARRIVES_EARLY, "has arrived by %.6g", at->from);
    else if (at->course == RESTS)
      tell (report, TIMING_STALLS, "stalls between %.6g and %.6g", at->from, at->to);
    else if (!last && at->ends_at_rest && at[1].course == RUNS)
      tell (report, TIMING_STALLS, "stalls at %.6g", at->to);
  }
}

static void
check_jumps (const Pieces *s, Report *report)
{
  for (gsize i = 0; i + 1 < s->n; i++) {
    const double jump = pieces_evaluate_in (s, i + 1, 0, 0) - pieces_evaluate_in (s, i, 1, 0);

    if (fabs (jump) > SMALL)
      tell (report, TIMING_JUMPS, "jumps by %.6g at %.6g", jump, s->breaks[i + 1]);
  }
  for (gsize i = 0; i < s->n; i++) {
    const double jump = pieces_evaluate_in (s, i, 1, 0) - pieces_evaluate_in (s, i, 0, 0);

    if (is_jump (s, i) && fabs (jump) > SMALL)
      tell (report, TIMING_JUMPS, "jumps by %.6g at %.6g", jump, s->breaks[i]);
  }
}

static void
check_ends (const Pieces *s, double small, Report *report)
{
  const double start = pieces_evaluate_in (s, 0, 0, 0), end = pieces_evaluate_in (s, s->n - 1, 1, 0);
  double start_speed, end_speed;
  gsize first = 0, last = s->n - 1;

  while (first < last && is_jump (s, first))
    first++;
  while (last > first && is_jump (s, last))
    last--;
  start_speed = pieces_evaluate_in (s, first, 0, 1);
  end_speed = pieces_evaluate_in (s, last, 1, 1);
  if (fabs (start) > SMALL)
    tell (report, TIMING_STARTS_OFF, "starts at %.6g of the distance, not at 0", start);
  if (fabs (end - 1) > SMALL)
    tell (report, TIMING_ENDS_OFF, "ends at %.6g of the distance, not at 1", end);
  if (fabs (start_speed) > small)
    tell (report, TIMING_ABRUPT_START, "starts abruptly, at the speed %.6g", start_speed);
  if (fabs (end_speed) > small)
    tell (report, TIMING_ABRUPT_END, "ends abruptly, at the speed %.6g", end_speed);
}

static void
check_range (const Pieces *s, Report *report)
{
  double low = INFINITY, high = -INFINITY, at_low = 0, at_high = 0;

  for (gsize i = 0; i < s->n; i++) {
    const double h = s->breaks[i + 1] - s->breaks[i];
    double u[KG_CHANNEL_MAX_DEGREE + 2] = { 0, 1 };
    const guint n = 2 + pieces_find_zeros (s, i, 1, u + 2);

    for (guint k = 0; k < n; k++) {
      const double y = pieces_evaluate_in (s, i, u[k], 0);

      if (y < low) {
        low = y;
        at_low = s->breaks[i] + h * u[k];
      }
      if (y > high) {
        high = y;
        at_high = s->breaks[i] + h * u[k];
      }
    }
  }
  if (low < -SMALL)
    tell (report, TIMING_EXCEEDS, "goes back beyond the start, to %.6g at %.6g", low, at_low);
  if (high > 1 + SMALL)
    tell (report, TIMING_EXCEEDS, "goes beyond the end, to %.6g at %.6g", high, at_high);
}

guint
timing_check (const Pieces *distance, guint mask, GString *text)
{
  const double small = SMALL * get_largest_speed (distance);
  Report report = { .mask = mask, .text = text };

  check_speed (distance, small, &report);
  check_jumps (distance, &report);
  check_range (distance, &report);
  check_ends (distance, small, &report);
  return report.findings;
}

char *
timing_describe (const Pieces *distance, guint mask)
{
  g_autoptr (GString) text = g_string_new (NULL);

  timing_check (distance, mask, text);
  g_string_replace (text, "\n", "; it ", 0);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

TimingMoment
timing_evaluate (const Pieces *distance, double t)
{
  const bool inside = t >= distance->breaks[0] && t <= distance->breaks[distance->n];

  return (TimingMoment){ pieces_evaluate (distance, t, 0), inside ? pieces_evaluate (distance, t, 1) : 0,
                         inside ? pieces_evaluate (distance, t, 2) : 0 };
}

KgMotion *
timing_to_motion (const Pieces *distance, GError **error)
{
  KgChannel *channel = pieces_to_channel (distance, error);

  return channel != NULL ? kg_motion_new_take ("distance", channel) : NULL;
}
