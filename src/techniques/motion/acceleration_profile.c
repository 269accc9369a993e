/* acceleration_profile: constant acceleration, constant speed, constant deceleration to rest.
 * Source: Parent, Computer Animation, section 3.2.4; the intervals are our own algebra.
 *
 * With v the speed, T the duration, D the distance, b = T - t2 the time of braking:
 *   v = acceleration t1 = deceleration b,  D = v (T + t2 - t1) / 2.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/acceleration_profile.h"

#include <math.h>

/* Rounded input must not make the very end of an interval infeasible. */
#define SLACK 1e-12

/* False and an error when x is not within [low, high]; snaps it to an end that it misses by rounding. */
static bool
require (double *x, double low, double high, const char *name, const char *because, GError **error)
{
  const double slack = SLACK * fmax (fabs (low), isfinite (high) ? fabs (high) : 0);

  if (*x >= low - slack && *x <= high + slack) {
    *x = fmin (fmax (*x, low), high);
    return true;
  }
  if (isfinite (high))
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is %g: with %s, it must be from %.10g to %.10g",
                  kg_translate (name), *x, because, low, high);
  else
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is %g: with %s, it must be at least %.10g", kg_translate (name),
                  *x, because, low);
  return false;
}

/* Checks what is wrong whatever else is given. */
static bool
require_above (double x, double low, const char *name, const char *because, GError **error)
{
  if (x > low)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is %g: %s, it must be greater than %.10g", kg_translate (name), x,
                kg_translate (because), low);
  return false;
}

/* All that a profile with both times and a distance has. */
static void
finish (AccelerationProfile *p)
{
  p->speed = 2 * p->distance / (p->duration + p->t2 - p->t1);
  p->acceleration = p->t1 > 0 ? p->speed / p->t1 : INFINITY;
  p->deceleration = p->duration > p->t2 ? p->speed / (p->duration - p->t2) : INFINITY;
}

/* The times from two of five quantities, distance and duration.  D and T are known. */

static bool
solve_times (AccelerationProfile *p, GError **error)
{
  g_autofree char *because = g_strdup_printf (kg_translate ("t1 = %g and the duration %g"), p->t1, p->duration);

  return require (&p->t2, p->t1, p->duration, "t2", because, error);
}

static bool
solve_t1_speed (AccelerationProfile *p, GError **error)
{
  g_autofree char *because =
      g_strdup_printf (kg_translate ("t1 = %g, distance %g and duration %g"), p->t1, p->distance, p->duration);

  if (!require (&p->speed, 2 * p->distance / (2 * p->duration - p->t1), 2 * p->distance / p->duration, N_ ("the speed"),
                because, error))
    return false;
  p->t2 = fmin (p->duration, fmax (p->t1, 2 * p->distance / p->speed + p->t1 - p->duration));
  return true;
}

static bool
solve_t2_speed (AccelerationProfile *p, GError **error)
{
  g_autofree char *because =
      g_strdup_printf (kg_translate ("t2 = %g, distance %g and duration %g"), p->t2, p->distance, p->duration);

  if (!require (&p->speed, 2 * p->distance / (p->duration + p->t2), 2 * p->distance / p->duration, N_ ("the speed"),
                because, error))
    return false;
  p->t1 = fmin (p->t2, fmax (0, p->duration + p->t2 - 2 * p->distance / p->speed));
  return true;
}

static bool
solve_acceleration_t1 (AccelerationProfile *p, GError **error)
{
  g_autofree char *because =
      g_strdup_printf (kg_translate ("t1 = %g, distance %g and duration %g"), p->t1, p->distance, p->duration);

  if (!require_above (p->t1, 0, "t1", N_ ("to accelerate at a given rate"), error) ||
      !require (&p->acceleration, 2 * p->distance / (p->t1 * (2 * p->duration - p->t1)),
                2 * p->distance / (p->t1 * p->duration), N_ ("the acceleration"), because, error))
    return false;
  p->speed = p->acceleration * p->t1;
  return solve_t1_speed (p, error);
}

static bool
solve_deceleration_t2 (AccelerationProfile *p, GError **error)
{
  const double b = p->duration - p->t2;
  g_autofree char *because =
      g_strdup_printf (kg_translate ("t2 = %g, distance %g and duration %g"), p->t2, p->distance, p->duration);

  if (!require_above (b, 0, N_ ("the duration minus t2"), N_ ("to decelerate at a given rate"), error) ||
      !require (&p->deceleration, 2 * p->distance / (b * (2 * p->duration - b)), 2 * p->distance / (b * p->duration),
                N_ ("the deceleration"), because, error))
    return false;
  p->speed = p->deceleration * b;
  return solve_t2_speed (p, error);
}

/* The smaller root of x^2 - sum x + product = 0, without cancellation. */
static double
solve_quadratic (double sum, double product)
{
  return 2 * product / (sum + sqrt (fmax (0, sum * sum - 4 * product)));
}

static bool
solve_acceleration_t2 (AccelerationProfile *p, GError **error)
{
  g_autofree char *because =
      g_strdup_printf (kg_translate ("t2 = %g, distance %g and duration %g"), p->t2, p->distance, p->duration);

  if (!require_above (p->t2, 0, "t2", N_ ("to accelerate at a given rate"), error) ||
      !require (&p->acceleration, 2 * p->distance / (p->t2 * p->duration), INFINITY, N_ ("the acceleration"), because,
                error))
    return false;
  p->t1 = fmin (p->t2, solve_quadratic (p->duration + p->t2, 2 * p->distance / p->acceleration));
  return true;
}

static bool
solve_deceleration_t1 (AccelerationProfile *p, GError **error)
{
  const double left = p->duration - p->t1;
  g_autofree char *because =
      g_strdup_printf (kg_translate ("t1 = %g, distance %g and duration %g"), p->t1, p->distance, p->duration);

  if (!require_above (left, 0, N_ ("the duration minus t1"), N_ ("to decelerate at a given rate"), error) ||
      !require (&p->deceleration, 2 * p->distance / (left * p->duration), INFINITY, N_ ("the deceleration"), because,
                error))
    return false;
  p->t2 = fmax (p->t1, p->duration - solve_quadratic (2 * p->duration - p->t1, 2 * p->distance / p->deceleration));
  return true;
}

/* The least rate of change with which a speed can be reached in time. */
static bool
require_rate (const AccelerationProfile *p, double *rate, const char *name, GError **error)
{
  const double mean = p->distance / p->duration;
  g_autofree char *because =
      g_strdup_printf (kg_translate ("speed %g, distance %g and duration %g"), p->speed, p->distance, p->duration);
  double speed = p->speed;
  g_autofree char *given = g_strdup_printf (kg_translate ("distance %g and duration %g"), p->distance, p->duration);

  return require_above (speed, mean, N_ ("the speed"), N_ ("to start or stop at a given rate"), error) &&
         require (&speed, mean, 2 * mean, N_ ("the speed"), given, error) &&
         require (rate, speed * speed / (2 * (speed * p->duration - p->distance)), INFINITY, name, because, error);
}

static bool
solve_acceleration_speed (AccelerationProfile *p, GError **error)
{
  if (!require_rate (p, &p->acceleration, N_ ("the acceleration"), error))
    return false;
  p->t1 = p->speed / p->acceleration;
  p->t2 = fmin (p->duration, fmax (p->t1, 2 * p->distance / p->speed + p->t1 - p->duration));
  return true;
}

static bool
solve_deceleration_speed (AccelerationProfile *p, GError **error)
{
  if (!require_rate (p, &p->deceleration, N_ ("the deceleration"), error))
    return false;
  p->t2 = p->duration - p->speed / p->deceleration;
  p->t1 = fmin (p->t2, fmax (0, p->duration + p->t2 - 2 * p->distance / p->speed));
  return true;
}

static bool
solve_acceleration_deceleration (AccelerationProfile *p, GError **error)
{
  const double least = 2 * p->distance / (p->duration * p->duration);
  g_autofree char *because = g_strdup_printf (kg_translate ("deceleration %g, distance %g and duration %g"),
                                              p->deceleration, p->distance, p->duration);
  double sum;

  if (!require_above (p->deceleration, least, N_ ("the deceleration"), N_ ("to stop in time"), error) ||
      !require (&p->acceleration, least * p->deceleration / (p->deceleration - least), INFINITY,
                N_ ("the acceleration"), because, error))
    return false;
  /* v T - v^2 (1/acc + 1/dec) / 2 = D */
  sum = 1 / p->acceleration + 1 / p->deceleration;
  p->speed = solve_quadratic (2 * p->duration / sum, 2 * p->distance / sum);
  p->t1 = p->speed / p->acceleration;
  p->t2 = fmax (p->t1, p->duration - p->speed / p->deceleration);
  return true;
}

/* The missing one of acceleration, deceleration and the times: acceleration t1 = deceleration (T - t2). */

static bool
solve_all_but_t2 (AccelerationProfile *p, GError **error)
{
  g_autofree char *because = g_strdup_printf (kg_translate ("acceleration %g, deceleration %g and duration %g"),
                                              p->acceleration, p->deceleration, p->duration);

  if (!require (&p->t1, 0, p->duration * p->deceleration / (p->acceleration + p->deceleration), "t1", because, error))
    return false;
  p->t2 = fmax (p->t1, p->duration - p->acceleration * p->t1 / p->deceleration);
  return true;
}

static bool
solve_all_but_t1 (AccelerationProfile *p, GError **error)
{
  g_autofree char *because = g_strdup_printf (kg_translate ("acceleration %g, deceleration %g and duration %g"),
                                              p->acceleration, p->deceleration, p->duration);

  if (!require (&p->t2, p->duration * p->deceleration / (p->acceleration + p->deceleration), p->duration, "t2", because,
                error))
    return false;
  p->t1 = fmin (p->t2, p->deceleration * (p->duration - p->t2) / p->acceleration);
  return true;
}

static bool
solve_open_distance (AccelerationProfile *p, ProfileGiven given, bool fit, GError **error)
{
  const bool by_start = given == PROFILE_ACCELERATION_DECELERATION_T1 || given == PROFILE_ACCELERATION_TIMES;
  const double wanted = p->distance;
  bool solved;

  if (given == PROFILE_ACCELERATION_DECELERATION_T1)
    solved = solve_all_but_t2 (p, error);
  else if (given == PROFILE_ACCELERATION_DECELERATION_T2)
    solved = solve_all_but_t1 (p, error);
  else
    solved = solve_times (p, error);
  if (!solved ||
      (by_start ? !require_above (p->t1, 0, "t1", N_ ("to get anywhere"), error)
                : !require_above (p->duration - p->t2, 0, N_ ("the duration minus t2"), N_ ("to get anywhere"), error)))
    return false;
  p->speed = by_start ? p->acceleration * p->t1 : p->deceleration * (p->duration - p->t2);
  p->distance = fit ? wanted : p->speed * (p->duration + p->t2 - p->t1) / 2;
  return true;
}

static bool
solve_duration (AccelerationProfile *p)
{
  const double sum = 1 / p->acceleration + 1 / p->deceleration;

  p->speed = fmin (p->speed, sqrt (2 * p->distance / sum));
  p->t1 = p->speed / p->acceleration;
  p->duration = p->distance / p->speed + 0.5 * p->speed * sum;
  p->t2 = fmax (p->t1, p->duration - p->speed / p->deceleration);
  return true;
}

bool
acceleration_profile_solve (AccelerationProfile *p, ProfileGiven given, bool fit, GError **error)
{
  static bool (*const pairs[]) (AccelerationProfile *, GError **) = {
    [PROFILE_TIMES] = solve_times,
    [PROFILE_T1_SPEED] = solve_t1_speed,
    [PROFILE_T2_SPEED] = solve_t2_speed,
    [PROFILE_ACCELERATION_T1] = solve_acceleration_t1,
    [PROFILE_ACCELERATION_T2] = solve_acceleration_t2,
    [PROFILE_DECELERATION_T1] = solve_deceleration_t1,
    [PROFILE_DECELERATION_T2] = solve_deceleration_t2,
    [PROFILE_ACCELERATION_SPEED] = solve_acceleration_speed,
    [PROFILE_DECELERATION_SPEED] = solve_deceleration_speed,
    [PROFILE_ACCELERATION_DECELERATION] = solve_acceleration_deceleration,
  };

  if (given < G_N_ELEMENTS (pairs) ? !pairs[given](p, error)
      : given == PROFILE_DURATION  ? !solve_duration (p)
                                   : !solve_open_distance (p, given, fit, error))
    return false;
  finish (p);
  if (isfinite (p->speed) && isfinite (p->duration) && isfinite (p->t1) && isfinite (p->t2) && p->t1 <= p->t2 &&
      p->t2 <= p->duration && p->speed > 0)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "the movement cannot be computed with distance %g and duration %g: use numbers of a more ordinary size",
                p->distance, p->duration);
  return false;
}
