/* easing: ease curves in closed form.
 * Sources: Parent, Computer Animation, section 3.2 (sine, sine with a linear middle, constant acceleration);
 * W3C CSS Easing Functions (cubic Bezier); Penner 2002 (the named set, here from our own derivation).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/easing.h"

#include "motion/ani_timing.h"

static double
linear_value (const double *p, double t)
{
  (void) p;
  return t;
}

static double
linear_derivative (const double *p, double t)
{
  (void) p;
  (void) t;
  return 1;
}

static double
linear_second (const double *p, double t)
{
  (void) p;
  (void) t;
  return 0;
}

static double
sine_value (const double *p, double t)
{
  (void) p;
  return 0.5 * (1 - cos (KG_PI * t));
}

static double
sine_derivative (const double *p, double t)
{
  (void) p;
  return 0.5 * KG_PI * sin (KG_PI * t);
}

static double
sine_second (const double *p, double t)
{
  (void) p;
  return 0.5 * KG_PI * KG_PI * cos (KG_PI * t);
}

/* Quarter sines up to k1 and from k2 on, constant speed between; f is the distance at unit speed. */
static double
sine_linear_value (const double *p, double t)
{
  const double k1 = p[EASING_K1], k2 = p[EASING_K2];
  const double f = 2 * k1 / KG_PI + (k2 - k1) + 2 * (1 - k2) / KG_PI;

  if (t < k1)
    return 2 * k1 / KG_PI * (sin (t / k1 * 0.5 * KG_PI - 0.5 * KG_PI) + 1) / f;
  if (t < k2)
    return (2 * k1 / KG_PI + t - k1) / f;
  if (k2 < 1)
    return (2 * k1 / KG_PI + k2 - k1 + 2 * (1 - k2) / KG_PI * sin ((t - k2) / (1 - k2) * 0.5 * KG_PI)) / f;
  return 1;
}

static double
sine_linear_derivative (const double *p, double t)
{
  const double k1 = p[EASING_K1], k2 = p[EASING_K2];
  const double f = 2 * k1 / KG_PI + (k2 - k1) + 2 * (1 - k2) / KG_PI;

  if (t < k1)
    return cos ((1 - t / k1) * 0.5 * KG_PI) / f;
  if (t < k2 || k2 >= 1)
    return 1 / f;
  return cos ((t - k2) / (1 - k2) * 0.5 * KG_PI) / f;
}

static double
sine_linear_second (const double *p, double t)
{
  const double k1 = p[EASING_K1], k2 = p[EASING_K2];
  const double f = 2 * k1 / KG_PI + (k2 - k1) + 2 * (1 - k2) / KG_PI;

  if (t < k1)
    return 0.5 * KG_PI / k1 * sin ((1 - t / k1) * 0.5 * KG_PI) / f;
  if (t < k2 || k2 >= 1)
    return 0;
  return -0.5 * KG_PI / (1 - k2) * sin ((t - k2) / (1 - k2) * 0.5 * KG_PI) / f;
}

/* Constant acceleration to k1, constant speed, constant deceleration from k2; the areas of the speed sum to 1. */
static double
parabolic_value (const double *p, double t)
{
  const double k1 = p[EASING_K1], k2 = p[EASING_K2], speed = 2 / (1 + k2 - k1);

  if (t < k1)
    return 0.5 * speed * t * t / k1;
  if (t < k2)
    return 0.5 * speed * k1 + speed * (t - k1);
  if (k2 < 1)
    return 1 - 0.5 * speed * (1 - t) * (1 - t) / (1 - k2);
  return 1;
}

static double
parabolic_derivative (const double *p, double t)
{
  const double k1 = p[EASING_K1], k2 = p[EASING_K2], speed = 2 / (1 + k2 - k1);

  if (t < k1)
    return speed * t / k1;
  if (t < k2 || k2 >= 1)
    return speed;
  return speed * (1 - t) / (1 - k2);
}

static double
parabolic_second (const double *p, double t)
{
  const double k1 = p[EASING_K1], k2 = p[EASING_K2], speed = 2 / (1 + k2 - k1);

  if (t < k1)
    return speed / k1;
  return t < k2 || k2 >= 1 ? 0 : -speed / (1 - k2);
}

static double
cubic_value (const double *p, double t)
{
  (void) p;
  return t * t * (3 - 2 * t);
}

static double
cubic_derivative (const double *p, double t)
{
  (void) p;
  return 6 * t * (1 - t);
}

static double
cubic_second (const double *p, double t)
{
  (void) p;
  return 6 - 12 * t;
}

static double
decelerate_value (const double *p, double t)
{
  (void) p;
  return (2 - t) * t;
}

static double
decelerate_derivative (const double *p, double t)
{
  (void) p;
  return 2 - 2 * t;
}

static double
decelerate_second (const double *p, double t)
{
  (void) p;
  (void) t;
  return -2;
}

/* One coordinate of the Bezier curve from 0 to 1 with inner points a and b. */
static double
bezier (double a, double b, double u)
{
  return u * (3 * a + u * (3 * b - 6 * a + u * (1 + 3 * a - 3 * b)));
}

static double
bezier_derivative (double a, double b, double u)
{
  return 3 * a + u * (6 * b - 12 * a + 3 * u * (1 + 3 * a - 3 * b));
}

static double
bezier_second (double a, double b, double u)
{
  return 6 * b - 12 * a + 6 * u * (1 + 3 * a - 3 * b);
}

typedef struct {
  const double *parameters;
  double t;
} Crossing;

static double
crossing_get (const void *data, double u, double *slope)
{
  const Crossing *crossing = (const Crossing *) data;
  const double *p = crossing->parameters;

  *slope = bezier_derivative (p[EASING_X1], p[EASING_X2], u);
  return bezier (p[EASING_X1], p[EASING_X2], u) - crossing->t;
}

/* The u at which x is t; x is monotonic because x1 and x2 are within 0..1. */
static double
solve_bezier (const double *p, double t)
{
  const Crossing crossing = { p, t };

  return kg_solve_rising (crossing_get, &crossing, t);
}

static double
cubic_bezier_value (const double *p, double t)
{
  return bezier (p[EASING_Y1], p[EASING_Y2], solve_bezier (p, t));
}

static double
cubic_bezier_derivative (const double *p, double t)
{
  const double u = solve_bezier (p, t);
  const double dx = bezier_derivative (p[EASING_X1], p[EASING_X2], u);

  /* A vertical tangent has no finite speed; just beside it there is one. */
  return bezier_derivative (p[EASING_Y1], p[EASING_Y2], u) / fmax (dx, 1e-6);
}

static double
cubic_bezier_second (const double *p, double t)
{
  const double u = solve_bezier (p, t);
  const double dx = fmax (bezier_derivative (p[EASING_X1], p[EASING_X2], u), 1e-6);
  const double dy = bezier_derivative (p[EASING_Y1], p[EASING_Y2], u);

  return (bezier_second (p[EASING_Y1], p[EASING_Y2], u) * dx - dy * bezier_second (p[EASING_X1], p[EASING_X2], u)) /
         (dx * dx * dx);
}

/* The named set: each form is written as it starts, and turned round for "out", put together for "in-out". */

typedef double (*Start) (const double *p, double t);

static double
turn (const double *p, double t, Start start)
{
  if (p[EASING_DIRECTION] == EASING_IN)
    return start (p, t);
  if (p[EASING_DIRECTION] == EASING_OUT)
    return 1 - start (p, 1 - t);
  return t < 0.5 ? 0.5 * start (p, 2 * t) : 1 - 0.5 * start (p, 2 - 2 * t);
}

static double
turn_derivative (const double *p, double t, Start derivative)
{
  if (p[EASING_DIRECTION] == EASING_IN)
    return derivative (p, t);
  if (p[EASING_DIRECTION] == EASING_OUT)
    return derivative (p, 1 - t);
  return t < 0.5 ? derivative (p, 2 * t) : derivative (p, 2 - 2 * t);
}

static double
turn_second (const double *p, double t, Start second)
{
  if (p[EASING_DIRECTION] == EASING_IN)
    return second (p, t);
  if (p[EASING_DIRECTION] == EASING_OUT)
    return -second (p, 1 - t);
  return t < 0.5 ? 2 * second (p, 2 * t) : -2 * second (p, 2 - 2 * t);
}

#define EASING_TURNED(name)                                                                                            \
  static double name##_value (const double *p, double t)                                                               \
  {                                                                                                                    \
    return turn (p, t, name##_start);                                                                                  \
  }                                                                                                                    \
  static double name##_derivative (const double *p, double t)                                                          \
  {                                                                                                                    \
    return turn_derivative (p, t, name##_start_derivative);                                                            \
  }                                                                                                                    \
                                                                                                                       \
  static double name##_second (const double *p, double t)                                                              \
  {                                                                                                                    \
    return turn_second (p, t, name##_start_second);                                                                    \
  }

#define EASING_POWER(name, n)                                                                                          \
  static double name##_start (const double *p, double t)                                                               \
  {                                                                                                                    \
    (void) p;                                                                                                          \
    return pow (t, n);                                                                                                 \
  }                                                                                                                    \
  static double name##_start_derivative (const double *p, double t)                                                    \
  {                                                                                                                    \
    (void) p;                                                                                                          \
    return n * pow (t, n - 1);                                                                                         \
  }                                                                                                                    \
                                                                                                                       \
  static double name##_start_second (const double *p, double t)                                                        \
  {                                                                                                                    \
    (void) p;                                                                                                          \
    return n * (n - 1) * pow (t, n - 2);                                                                               \
  }                                                                                                                    \
  EASING_TURNED (name)

EASING_POWER (quad, 2)
EASING_POWER (cube, 3)
EASING_POWER (quart, 4)
EASING_POWER (quint, 5)

/* 2^(10 (t - 1)), moved so that it starts at exactly 0. */
static double
exponential_start (const double *p, double t)
{
  (void) p;
  return (exp2 (10 * t) - 1) / 1023;
}

static double
exponential_start_derivative (const double *p, double t)
{
  (void) p;
  return 10 * log (2.0) * exp2 (10 * t) / 1023;
}

static double
exponential_start_second (const double *p, double t)
{
  (void) p;
  return 100 * log (2.0) * log (2.0) * exp2 (10 * t) / 1023;
}

EASING_TURNED (exponential)

static double
circular_start (const double *p, double t)
{
  (void) p;
  return 1 - sqrt (fmax (0.0, 1 - t * t));
}

/* The speed is infinite where the circle stands upright; the figure just before is given there. */
static double
circular_start_derivative (const double *p, double t)
{
  (void) p;
  return t / sqrt (fmax (1e-12, 1 - t * t));
}

static double
circular_start_second (const double *p, double t)
{
  (void) p;
  return pow (fmax (1e-12, 1 - t * t), -1.5);
}

EASING_TURNED (circular)

/* An exponential whose share of amount swings; one swing takes 0.3.  With an amount of 1 it is the elastic ease that is
 * common among programs (Penner, Programming Macromedia Flash MX, 2002, chapter 7); with 0 the plain exponential. */
static double
elastic_start (const double *p, double t)
{
  const double a = p[EASING_AMOUNT], w = 2 * KG_PI / 0.3;

  return exponential_start (p, t) * (1 - a + a * cos (w * (t - 1)));
}

static double
elastic_start_derivative (const double *p, double t)
{
  const double a = p[EASING_AMOUNT], w = 2 * KG_PI / 0.3, angle = w * (t - 1);

  return exponential_start_derivative (p, t) * (1 - a + a * cos (angle)) -
         exponential_start (p, t) * w * a * sin (angle);
}

static double
elastic_start_second (const double *p, double t)
{
  const double a = p[EASING_AMOUNT], w = 2 * KG_PI / 0.3, angle = w * (t - 1);

  return exponential_start_second (p, t) * (1 - a + a * cos (angle)) -
         2 * exponential_start_derivative (p, t) * w * a * sin (angle) -
         exponential_start (p, t) * w * w * a * cos (angle);
}

EASING_TURNED (elastic)

/* A ball let fall from 1 that keeps half its speed at each of three bounces, run backwards.  With the fall taking
 * 1 the bounces take 1, 1/2 and 1/4; the whole is scaled to 0..1. */
static double
bounce_height (double t, double *speed, double *acceleration)
{
  const double scale = 2.75;
  double x = t * scale, half = 1, height = 1, center = 0;

  for (int i = 0; i < 4; i++) {
    if (x <= center + half || i == 3) {
      const double d = (x - center) / half;

      *speed = -2 * height * d / half * scale;
      *acceleration = -2 * height / (half * half) * scale * scale;
      return height * (1 - d * d);
    }
    center += half;
    half *= 0.5;
    height *= 0.25;
    center += half;
  }
  return 0;
}

static double
bounce_start (const double *p, double t)
{
  double speed, acceleration;

  (void) p;
  return bounce_height (1 - t, &speed, &acceleration);
}

static double
bounce_start_derivative (const double *p, double t)
{
  double speed, acceleration;

  (void) p;
  bounce_height (1 - t, &speed, &acceleration);
  return -speed;
}

static double
bounce_start_second (const double *p, double t)
{
  double speed, acceleration;

  (void) p;
  bounce_height (1 - t, &speed, &acceleration);
  return acceleration;
}

EASING_TURNED (bounce)

static double
back_start (const double *p, double t)
{
  const double s = 1.70158 * p[EASING_AMOUNT];

  return t * t * ((s + 1) * t - s);
}

static double
back_start_derivative (const double *p, double t)
{
  const double s = 1.70158 * p[EASING_AMOUNT];

  return t * (3 * (s + 1) * t - 2 * s);
}

static double
back_start_second (const double *p, double t)
{
  const double s = 1.70158 * p[EASING_AMOUNT];

  return 6 * (s + 1) * t - 2 * s;
}

EASING_TURNED (back)

static double
ani_all (const double *p, double t, double *speed, double *acceleration)
{
  const AniTiming timing = { .kind = (AniKind) p[EASING_KIND],
                             .profile = (AniProfile) p[EASING_PROFILE],
                             .cut = p[EASING_CUT] };

  return ani_timing_evaluate (&timing, t, speed, acceleration);
}

static double
ani_value (const double *p, double t)
{
  double speed, acceleration;

  return ani_all (p, t, &speed, &acceleration);
}

static double
ani_derivative (const double *p, double t)
{
  double speed, acceleration;

  ani_all (p, t, &speed, &acceleration);
  return speed;
}

static double
ani_second (const double *p, double t)
{
  double speed, acceleration;

  ani_all (p, t, &speed, &acceleration);
  return acceleration;
}

#define EASING_FORM(name)                                                                                              \
  {                                                                                                                    \
    "ease " #name, EASING_N_PARAMETERS, name##_value, name##_derivative, NULL                                          \
  }

static const KgFunction functions[EASING_N_SHAPES] = {
  [EASING_LINEAR] = EASING_FORM (linear),
  [EASING_SINE] = EASING_FORM (sine),
  [EASING_SINE_LINEAR] = EASING_FORM (sine_linear),
  [EASING_PARABOLIC] = EASING_FORM (parabolic),
  [EASING_CUBIC] = EASING_FORM (cubic),
  [EASING_DECELERATE] = EASING_FORM (decelerate),
  [EASING_CUBIC_BEZIER] = EASING_FORM (cubic_bezier),
  [EASING_POWER_2] = EASING_FORM (quad),
  [EASING_POWER_3] = EASING_FORM (cube),
  [EASING_POWER_4] = EASING_FORM (quart),
  [EASING_POWER_5] = EASING_FORM (quint),
  [EASING_EXPONENTIAL] = EASING_FORM (exponential),
  [EASING_CIRCULAR] = EASING_FORM (circular),
  [EASING_ELASTIC] = EASING_FORM (elastic),
  [EASING_BOUNCE] = EASING_FORM (bounce),
  [EASING_BACK] = EASING_FORM (back),
  [EASING_ANI] = EASING_FORM (ani),
};

const KgFunction *
easing_get_function (EasingShape shape)
{
  g_return_val_if_fail ((int) shape >= 0 && shape < EASING_N_SHAPES, &functions[EASING_LINEAR]);
  return &functions[shape];
}

double
easing_get_acceleration (EasingShape shape, const double *parameters, double t)
{
  static double (*const seconds[EASING_N_SHAPES]) (const double *, double) = {
    [EASING_LINEAR] = linear_second,
    [EASING_SINE] = sine_second,
    [EASING_SINE_LINEAR] = sine_linear_second,
    [EASING_PARABOLIC] = parabolic_second,
    [EASING_CUBIC] = cubic_second,
    [EASING_DECELERATE] = decelerate_second,
    [EASING_CUBIC_BEZIER] = cubic_bezier_second,
    [EASING_POWER_2] = quad_second,
    [EASING_POWER_3] = cube_second,
    [EASING_POWER_4] = quart_second,
    [EASING_POWER_5] = quint_second,
    [EASING_EXPONENTIAL] = exponential_second,
    [EASING_CIRCULAR] = circular_second,
    [EASING_ELASTIC] = elastic_second,
    [EASING_BOUNCE] = bounce_second,
    [EASING_BACK] = back_second,
    [EASING_ANI] = ani_second,
  };

  g_return_val_if_fail ((int) shape >= 0 && shape < EASING_N_SHAPES, 0);
  return seconds[shape](parameters, t);
}
