/* law: motions of a single body that have a closed form.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/law.h"

#include "geometry/vectors.h"

static KgVector
along (KgVector a, double s, KgVector b)
{
  return kg_vector_add_scaled (a, s, b);
}

/* (1 - e^(-k t))/k and (t - that)/k, also for k near 0. */
static void
get_approach (double k, double t, double *way, double *fall)
{
  if (fabs (k * t) > 1e-3) {
    *way = -expm1 (-k * t) / k;
    *fall = (t - *way) / k;
  } else {
    *way = t * (1 - k * t / 2 * (1 - k * t / 3 * (1 - k * t / 4)));
    *fall = t * t / 2 * (1 - k * t / 3 * (1 - k * t / 4 * (1 - k * t / 5)));
  }
}

static void
throw_evaluate (const Law *law, double t, LawState *state)
{
  const KgVector g = law->kind == LAW_UNIFORM ? kg_vector (0, 0, 0) : law->acceleration;
  double way = t, fall = 0.5 * t * t;

  state->acceleration = g;
  state->velocity = along (law->velocity, t, g);
  if (law->kind == LAW_THROW && law->drag > 0) {
    get_approach (law->drag, t, &way, &fall);
    state->velocity = along (kg_vector_scale (law->velocity, exp (-law->drag * t)), way, g);
    state->acceleration = along (g, -law->drag, state->velocity);
  }
  state->place = along (along (law->start, way, law->velocity), fall, g);
  state->potential = -law->mass * kg_vector_dot (g, state->place);
}

static void
circle_evaluate (const Law *law, double t, LawState *state)
{
  const double angle = law->angular_speed * t;
  KgVector axis = { 0, 1, 0 }, i, j, center;

  vectors_normalize (law->axis, &axis);
  center = along (law->center, kg_vector_dot (kg_vector_subtract (law->start, law->center), axis), axis);
  i = kg_vector_subtract (law->start, center);
  j = kg_vector_cross (axis, i);
  state->place = along (along (center, cos (angle), i), sin (angle), j);
  state->velocity = kg_vector_scale (along (kg_vector_scale (i, -sin (angle)), cos (angle), j), law->angular_speed);
  state->acceleration =
      kg_vector_scale (kg_vector_subtract (state->place, center), -law->angular_speed * law->angular_speed);
  state->potential = 0;
}

/* Stumpff's functions: C = (1 - cos √z)/z, S = (√z - sin √z)/√z³, and their continuations; series near 0. */
static void
get_stumpff (double z, double *c, double *s)
{
  if (fabs (z) < 0.1) {
    double term = 0.5;

    *c = *s = 0;
    for (int k = 0; k < 10; k++) {
      *c += term;
      *s += term / (2 * k + 3);
      term *= -z / ((2 * k + 3) * (2 * k + 4));
    }
  } else if (z > 0) {
    const double r = sqrt (z), half = sin (0.5 * r);

    *c = 2 * half * half / z;
    *s = (r - sin (r)) / (z * r);
  } else {
    const double r = sqrt (-z), half = sinh (0.5 * r);

    *c = 2 * half * half / -z;
    *s = (sinh (r) - r) / (-z * r);
  }
}

typedef struct {
  double mu, r0, rise; /* rise: (r · v)/√μ at the start */
  double alpha;        /* 1/a: positive for ellipses */
} Orbit;

static Orbit
orbit_new (const Law *law)
{
  const KgVector r = kg_vector_subtract (law->start, law->center);
  const double r0 = vectors_get_length (r), v2 = kg_vector_dot (law->velocity, law->velocity);

  return (Orbit){ law->strength, r0, kg_vector_dot (r, law->velocity) / sqrt (law->strength),
                  2 / r0 - v2 / law->strength };
}

/* √μ t and its derivative, the distance, at the universal anomaly χ. */
static double
orbit_get_time (const Orbit *o, double chi, double *distance)
{
  const double z = o->alpha * chi * chi;
  double c, s;

  get_stumpff (z, &c, &s);
  *distance = chi * chi * c + o->rise * chi * (1 - z * s) + o->r0 * (1 - z * c);
  return o->rise * chi * chi * c + (1 - o->alpha * o->r0) * chi * chi * chi * s + o->r0 * chi;
}

/* (r · v)/√μ, the derivative of the distance by χ. */
static double
orbit_get_rise (const Orbit *o, double chi)
{
  const double z = o->alpha * chi * chi;
  double c, s;

  get_stumpff (z, &c, &s);
  return o->rise * (1 - z * c) + (1 - o->alpha * o->r0) * chi * (1 - z * s);
}

static double
orbit_get_period (const Orbit *o)
{
  return o->alpha > 1e-12 / o->r0 ? 2 * KG_PI / sqrt (o->mu * o->alpha * o->alpha * o->alpha) : -1;
}

/* The χ of a time, by Newton's method in a bracket, which is halved where that would be slow: on hyperbolas time grows with
 * χ like an exponential function, and steps of Newton's method keep the same length there. */
static double
orbit_solve (const Orbit *o, double t)
{
  const double period = orbit_get_period (o), sign = t < 0 ? -1 : 1;
  double low = 0, high, chi, step, target, turn = 0;

  if (period > 0) {
    const double turns = floor (t / period);

    /* Within one turn: the rest is that many times the χ of a turn, where it does not change the place. */
    target = sqrt (o->mu) * (t - turns * period);
    turn = 2 * KG_PI / sqrt (o->alpha);
    high = turn;
  } else {
    double unused;

    target = sqrt (o->mu) * t;
    /* From below: far beyond, an exponential function leaves the finite numbers. */
    high = sign * 1e-3 * sqrt (o->r0);
    while (sign * orbit_get_time (o, high, &unused) < sign * target && fabs (high) < 1e150)
      high *= 2;
    if (high < 0) {
      low = high;
      high = 0;
    }
  }
  chi = 0.5 * (low + high);
  step = high - low;
  for (int k = 0; k < 200; k++) {
    double distance;
    const double error = orbit_get_time (o, chi, &distance) - target, before = step;
    double next = distance > 0 ? chi - error / distance : NAN;

    if (error <= 0)
      low = chi;
    else
      high = chi;
    if (!(next > low && next < high) || fabs (next - chi) > 0.5 * fabs (before))
      next = 0.5 * (low + high);
    if (next == chi || high - low <= 4 * DBL_EPSILON * (fabs (low) + fabs (high)))
      return next;
    step = next - chi;
    chi = next;
  }
  return chi;
}

static bool
orbit_evaluate (const Law *law, double t, LawState *state, GError **error)
{
  const Orbit o = orbit_new (law);
  const KgVector r = kg_vector_subtract (law->start, law->center);
  const double period = orbit_get_period (&o), chi = orbit_solve (&o, t), z = o.alpha * chi * chi, root = sqrt (o.mu);
  const double local = period > 0 ? t - floor (t / period) * period : t;
  double c, s, distance, f, g, f_dot, g_dot;
  KgVector place;

  get_stumpff (z, &c, &s);
  orbit_get_time (&o, chi, &distance);
  if (!(distance > 1e-9 * o.r0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the body passes through the centre of attraction at %g s, where its speed has no limit: give it a "
                  "sideways velocity",
                  t);
    return false;
  }
  f = 1 - chi * chi / o.r0 * c;
  g = local - chi * chi * chi / root * s;
  f_dot = root / (distance * o.r0) * chi * (z * s - 1);
  g_dot = 1 - chi * chi / distance * c;
  place = along (kg_vector_scale (r, f), g, law->velocity);
  state->place = kg_vector_add (law->center, place);
  state->velocity = along (kg_vector_scale (r, f_dot), g_dot, law->velocity);
  state->acceleration = kg_vector_scale (place, -o.mu / (distance * distance * distance));
  state->potential = -law->mass * o.mu / distance;
  return true;
}

/* sin(d t)/d for d² = a² - h² of any sign, with e^(-h t) of the damping, which keeps growing exponentials in bounds; the cosine
 * alike. */
static void
get_swing (double a2, double h, double t, double *cosine, double *sine)
{
  const double q = a2 - h * h, d = sqrt (fabs (q)), x = d * t;

  if (fabs (x) < 1e-4) {
    /* Series: near critical damping both forms lose their digits. */
    const double fade = exp (-h * t), qt2 = q * t * t;

    *cosine = fade * (1 - qt2 / 2 + qt2 * qt2 / 24);
    *sine = fade * t * (1 - qt2 / 6 + qt2 * qt2 / 120);
  } else if (q > 0) {
    *cosine = exp (-h * t) * cos (x);
    *sine = exp (-h * t) * sin (x) / d;
  } else {
    /* The product of both rates is a²: their difference would lose the digits of the slow one. */
    const double slow = exp (-a2 / (h + d) * t), fast = exp ((-d - h) * t);

    *cosine = 0.5 * (slow + fast);
    *sine = 0.5 * (slow - fast) / d;
  }
}

/* x″ = -a² x - b x′ */
static void
spring_evaluate (const Law *law, double t, LawState *state)
{
  const double b = law->damping / law->mass, a2 = law->stiffness / law->mass, h = 0.5 * b;
  const KgVector x0 = kg_vector_subtract (law->start, law->center), v0 = law->velocity;
  KgVector x;

  if (a2 == 0) {
    const double fade = exp (-b * t), way = b * fabs (t) > 1e-8 ? -expm1 (-b * t) / b : t;

    x = along (x0, way, v0);
    state->velocity = kg_vector_scale (v0, fade);
  } else {
    double cosine, sine;

    get_swing (a2, h, t, &cosine, &sine);
    x = along (kg_vector_scale (x0, cosine + h * sine), sine, v0);
    state->velocity = along (kg_vector_scale (x0, -a2 * sine), cosine - h * sine, v0);
  }
  state->place = kg_vector_add (law->center, x);
  state->acceleration = along (kg_vector_scale (x, -a2), -b, state->velocity);
  state->potential = 0.5 * law->stiffness * kg_vector_dot (x, x);
}

/* Gravity less the buoyancy of a ball. */
static KgVector
get_pull (const Law *law)
{
  const double volume = 4.0 / 3 * KG_PI * law->radius * law->radius * law->radius;

  return kg_vector_scale (law->acceleration, 1 - law->fluid_density * volume / law->mass);
}

/* The share of the speed lost a second: 6πRn/m (Stokes). */
static double
get_stokes (const Law *law)
{
  return 6 * KG_PI * law->radius * law->viscosity / law->mass;
}

static void
viscous_evaluate (const Law *law, double t, LawState *state)
{
  const KgVector pull = get_pull (law);
  const double k = get_stokes (law);
  double way, fall;

  get_approach (k, t, &way, &fall);
  state->place = along (along (law->start, way, law->velocity), fall, pull);
  state->velocity = along (kg_vector_scale (law->velocity, exp (-k * t)), way, pull);
  state->acceleration = along (pull, -k, state->velocity);
  state->potential = -law->mass * kg_vector_dot (pull, state->place);
}

/* The slope seen along its fall line: f, the pull along it, and the friction, both as accelerations. */
typedef struct {
  KgVector normal, down, across; /* down: unit, along the fall line (anything on the plane where it is level) */
  KgVector velocity;             /* the part on the plane */
  double pull, pressure;         /* m/s² */
  double speed;
} Slope;

static bool
slope_new (const Law *law, Slope *slope)
{
  KgVector tangent;

  vectors_normalize (law->normal, &slope->normal);
  slope->pressure = -kg_vector_dot (law->acceleration, slope->normal);
  tangent = along (law->acceleration, slope->pressure, slope->normal);
  slope->pull = vectors_get_length (tangent);
  /* What is left of gravity on level ground is rounding. */
  if (!(slope->pull > 1e-14 * vectors_get_length (law->acceleration)) || !vectors_normalize (tangent, &slope->down)) {
    slope->pull = 0;
    slope->down = kg_vector_perpendicular (slope->normal);
  }
  slope->velocity = along (law->velocity, -kg_vector_dot (law->velocity, slope->normal), slope->normal);
  slope->speed = vectors_get_length (slope->velocity);
  if (!(slope->speed > 1e-14 * vectors_get_length (law->velocity)))
    slope->speed = 0;
  slope->across = kg_vector_cross (slope->normal, slope->down);
  return slope->pressure >= 0;
}

/* A motion along one line: friction against it until it stops; then it stays or slides down. */
static double
slide_along (const Law *law, const Slope *slope, double speed, double t, double *velocity, double *acceleration)
{
  const double friction = law->kinetic_friction * slope->pressure;
  const double slowing = speed < 0 ? -(slope->pull + friction) : friction - slope->pull;
  const bool holds = slope->pull <= law->static_friction * slope->pressure;
  double place = 0, until = INFINITY;

  /* speed counts downwards; upwards the pull slows too. */
  if (speed < 0)
    until = slowing != 0 ? speed / slowing : INFINITY;
  else if (speed > 0 && slowing > 0)
    until = speed / slowing;
  else if (speed == 0)
    until = 0;
  if (t < until) {
    *velocity = speed - slowing * t;
    *acceleration = -slowing;
    return speed * t - 0.5 * slowing * t * t;
  }
  place = 0.5 * speed * until;
  *velocity = *acceleration = 0;
  if (holds)
    return place;
  *acceleration = slope->pull - friction;
  *velocity = *acceleration * (t - until);
  return place + 0.5 * *acceleration * (t - until) * (t - until);
}

/* ∫ u^p du from u to 1, where u and p may be anything that has one. */
static double
get_power_integral (double p, double u)
{
  return fabs (p + 1) < 1e-9 ? -log (u) : (1 - pow (u, p + 1)) / (p + 1);
}

/* Across the fall line.  The angle to it is 2 atan (w u0), w from 1 down to 0, u0 the tangent of half the first angle;
 * λ = friction/pull; the speed is proportional to u^λ/sin. */
typedef struct {
  double lambda, u0, c, pull; /* c: speed · sin at the start/u0^λ, times u0^λ */
} Sweep;

/* The time at which w is reached. */
static double
sweep_get_time (const Sweep *s, double w)
{
  return s->c / (2 * s->pull) *
         (get_power_integral (s->lambda - 2, w) / s->u0 + get_power_integral (s->lambda, w) * s->u0);
}

static double
sweep_solve (const Sweep *s, double t)
{
  double low = 0, high = 1;

  for (int k = 0; k < 200 && high - low > DBL_EPSILON * high; k++) {
    /* Times may be spread over many powers of ten: halve what is left of the exponent first. */
    const double middle = low > 0 && low < 0.25 * high ? sqrt (low * high) : low > 0 ? 0.5 * (low + high) : 0.25 * high;

    if (middle < 1e-300)
      return middle;
    if (sweep_get_time (s, middle) > t)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

/* When it stops: friction greater than the pull.  INFINITY where it does not, or not before the end of time. */
static double
sweep_get_stop (const Sweep *s)
{
  return s->lambda > 1 + 2e-9 ? s->c / (2 * s->pull) * (1 / (s->lambda - 1) / s->u0 + s->u0 / (s->lambda + 1))
                              : INFINITY;
}

static void
sweep_get_place (const Sweep *s, double w, double *down, double *sideways)
{
  const double factor = s->c * s->c / (4 * s->pull), u2 = s->u0 * s->u0;

  *down = factor * (get_power_integral (2 * s->lambda - 3, w) / u2 - get_power_integral (2 * s->lambda + 1, w) * u2);
  *sideways = factor * 2 *
              (get_power_integral (2 * s->lambda - 2, w) / s->u0 + get_power_integral (2 * s->lambda, w) * s->u0);
}

static void
slope_evaluate (const Law *law, double t, LawState *state)
{
  Slope slope;
  double forward, sideways, angle, velocity[2] = { 0, 0 }, acceleration[2] = { 0, 0 }, place[2] = { 0, 0 };
  double friction;

  slope_new (law, &slope);
  forward = kg_vector_dot (slope.velocity, slope.down);
  sideways = kg_vector_dot (slope.velocity, slope.across);
  friction = law->kinetic_friction * slope.pressure;
  angle = slope.speed > 0 ? atan2 (fabs (sideways), forward) : 0;
  if (slope.speed > 0 && slope.pull == 0) {
    /* Level ground: along the velocity. */
    vectors_normalize (slope.velocity, &slope.down);
    place[0] = slide_along (law, &slope, slope.speed, t, &velocity[0], &acceleration[0]);
  } else if (angle < 1e-7 || angle > KG_PI - 1e-7)
    place[0] = slide_along (law, &slope, forward, t, &velocity[0], &acceleration[0]);
  else {
    const Sweep sweep = { friction / slope.pull, tan (0.5 * angle), slope.speed * sin (angle), slope.pull };
    const double stop = sweep_get_stop (&sweep), side = sideways < 0 ? -1 : 1;

    if (t >= stop)
      sweep_get_place (&sweep, 0, &place[0], &place[1]);
    else {
      const double w = sweep_solve (&sweep, t), u = w * sweep.u0, sine = 2 * u / (1 + u * u);
      const double cosine = (1 - u * u) / (1 + u * u), speed = sweep.c * pow (w, sweep.lambda) / sine;

      sweep_get_place (&sweep, w, &place[0], &place[1]);
      velocity[0] = speed * cosine;
      velocity[1] = side * speed * sine;
      acceleration[0] = slope.pull - friction * cosine;
      acceleration[1] = -side * friction * sine;
    }
    place[1] *= side;
  }
  state->place = along (along (law->start, place[0], slope.down), place[1], slope.across);
  state->velocity = along (kg_vector_scale (slope.down, velocity[0]), velocity[1], slope.across);
  state->acceleration = along (kg_vector_scale (slope.down, acceleration[0]), acceleration[1], slope.across);
  state->potential = -law->mass * kg_vector_dot (law->acceleration, state->place);
}

/* A ball that bounces: heights above the plane, less its radius, and what happens along the plane. */
typedef struct {
  KgVector normal;
  double height, rise, gravity; /* gravity: towards the plane; negative: away from it */
  KgVector slide, pull;         /* velocity and acceleration along the plane */
  double first, impact;         /* when it lands, INFINITY: never; and how fast */
  double restitution, keep;     /* shares of the speed across and along the plane that are left after a bounce */
  double terminal;              /* speed at which the air carries the ball; 0: there is no air */
} Bounce;

/* Flight through air whose resistance grows with the square of the speed, across the plane. */

/* How far it has fallen after a time, from a speed towards the plane, and how fast it then is. */
static double
air_fall (const Bounce *b, double speed, double t, double *after)
{
  const double v = b->terminal, ratio = speed / v, x = b->gravity * t / v, scale = v * v / b->gravity;

  if (ratio == 1) {
    *after = v;
    return v * t;
  }
  /* Below the terminal speed it is v tanh (a + x), above v coth (a + x); the way is the logarithm of what a share of
   * e^x is left. */
  *after = v * (ratio + tanh (x)) / (1 + ratio * tanh (x));
  return scale * (x + log1p (0.5 * (1 - ratio) * expm1 (-2 * x)));
}

/* The speed after a way. */
static double
air_get_impact (const Bounce *b, double speed, double way)
{
  const double v2 = b->terminal * b->terminal, x = -2 * b->gravity * way / v2;

  return sqrt (speed * speed * exp (x) - v2 * expm1 (x));
}

/* And the time that it takes. */
static double
air_get_fall_time (const Bounce *b, double speed, double way)
{
  const double v = b->terminal, ratio = speed / v, y = b->gravity * way / (v * v);
  const double impact = air_get_impact (b, speed, way) / v;

  if (!(way > 0))
    return 0;
  /* From both speeds where rounding leaves anything of their difference, else from the way. */
  if (impact < 0.9)
    return v / b->gravity * (atanh (impact) - atanh (ratio));
  return v / b->gravity * (y + log ((1 + impact) / (1 + ratio)));
}

/* Of a ball that rises with a speed: when it is highest, and how much higher than at its start. */
static double
air_get_rise_time (const Bounce *b, double speed)
{
  return b->terminal / b->gravity * atan (speed / b->terminal);
}

static double
air_get_apex (const Bounce *b, double speed)
{
  const double ratio = speed / b->terminal;

  return 0.5 * b->terminal * b->terminal / b->gravity * log1p (ratio * ratio);
}

/* Height above the start and speed away from the plane, after a time, or before the start.  There it is as high as it
 * gets, or rises to that, and farther back would have been infinitely fast. */
static double
air_fly (const Bounce *b, double rise, double t, double *speed)
{
  const double v = b->terminal, fall = fmax (-rise, 0), ratio = fall / v;
  /* Faster than the air lets it fall, it has never risen. */
  const double top = rise > 0 ? air_get_rise_time (b, rise) : ratio < 1 ? -v / b->gravity * atanh (ratio) : -INFINITY;
  double height, angle;

  if (t >= top && rise <= 0) {
    *speed = -INFINITY;
    if (!(1 + ratio * tanh (b->gravity * t / v) > 0))
      return INFINITY;
    height = -air_fall (b, fall, t, speed);
    *speed = -*speed;
    return height;
  }
  height = rise > 0 ? air_get_apex (b, rise) : -0.5 * v * v / b->gravity * log1p (-ratio * ratio);
  if (t >= top) {
    height -= air_fall (b, 0, t - top, speed);
    *speed = -*speed;
    return height;
  }
  angle = b->gravity * (top - t) / v;
  *speed = angle < KG_PI / 2 ? v * tan (angle) : INFINITY;
  return height - air_get_apex (b, *speed);
}

/* Of slower ones the square would be zero, m/s. */
#define LEAST_TERMINAL 1e-100

/* Bounces that are counted one by one; after that many the ball is slower than a hundredth of its terminal speed, and
 * what is left of the resistance less than a ten-thousandth of its weight. */
#define AIR_BOUNCES 10000

static bool
bounce_new (const Law *law, Bounce *b)
{
  double root;

  *b = (Bounce){ .restitution = law->restitution,
                 .keep = 1 - law->loss,
                 .first = INFINITY,
                 .terminal = law->terminal_speed > 0 ? fmax (law->terminal_speed, LEAST_TERMINAL) : 0 };
  if (!vectors_normalize (law->normal, &b->normal))
    return false;
  b->height = kg_vector_dot (kg_vector_subtract (law->start, law->center), b->normal) - law->radius;
  /* On the ground but for rounding. */
  if (fabs (b->height) <= 1e-12 * (vectors_get_length (law->start) + vectors_get_length (law->center) + law->radius))
    b->height = 0;
  b->rise = kg_vector_dot (law->velocity, b->normal);
  b->gravity = -kg_vector_dot (law->acceleration, b->normal);
  b->slide = along (law->velocity, -b->rise, b->normal);
  b->pull = along (law->acceleration, b->gravity, b->normal);
  root = b->rise * b->rise + 2 * b->gravity * b->height;
  /* Without a weight there is no speed at which the air carries it. */
  if (!(b->gravity > 0))
    b->terminal = 0;
  if (b->terminal > 0 && b->height >= 0) {
    const double up = fmax (b->rise, 0), down = fmax (-b->rise, 0), way = b->height + air_get_apex (b, up);

    b->impact = air_get_impact (b, down, way);
    b->first = air_get_rise_time (b, up) + air_get_fall_time (b, down, way);
  } else if (b->gravity > 0) {
    b->impact = sqrt (fmax (root, 0));
    b->first = (b->rise + b->impact) / b->gravity;
  } else if (b->rise < 0 && root >= 0) {
    /* The earlier one of two, written so that no gravity is no division by zero. */
    b->impact = sqrt (root);
    b->first = 2 * b->height / (b->impact - b->rise);
  }
  return b->height >= 0;
}

/* When the bounces end; INFINITY: never, or there are none. */
static double
bounce_get_rest (const Bounce *b)
{
  if (!(b->gravity > 0) || b->restitution >= 1)
    return b->gravity > 0 && b->impact == 0 ? b->first : INFINITY;
  return b->first + 2 * b->impact * b->restitution / (b->gravity * (1 - b->restitution));
}

/* Sums of q^k and of k q^k, k from 0 to n - 1, for q from 0 to 1; n: a whole number or INFINITY. */
static double
get_geometric (double q, double n)
{
  return q >= 1 ? n : isinf (n) || q <= 0 ? (n > 0 ? 1 / (1 - q) : 0) : -expm1 (n * log (q)) / (1 - q);
}

static double
get_weighted (double q, double n)
{
  if (q >= 1)
    return 0.5 * n * (n - 1);
  if (isinf (n))
    return q / ((1 - q) * (1 - q));
  return n < 2 ? 0 : q * (1 - n * pow (q, n - 1) + (n - 1) * pow (q, n)) / ((1 - q) * (1 - q));
}

/* Along the plane after n whole flights between bounces, the k-th of which takes τ e^k: the velocity after the last bounce,
 * v(k + 1) = r (v(k) + a τ e^k), and the way since the first one. */
static void
bounce_slide (const Bounce *b, double n, KgVector *velocity, KgVector *way)
{
  const double e = b->restitution, r = b->keep, tau = b->gravity > 0 ? 2 * b->impact / b->gravity : 0;
  const KgVector first = kg_vector_scale (along (b->slide, b->first, b->pull), r);
  const bool same = fabs (r - e) < 1e-8;
  /* Σ r^(n-1-j) e^j, and what it adds to the way. */
  const double power = isinf (n) ? (r < 1 ? 0 : 1) : pow (r, n), other = isinf (n) ? (e < 1 ? 0 : 1) : pow (e, n);
  const double gained = same ? (isinf (n) ? 0 : n * pow (e, n - 1)) : (power - other) / (r - e);
  const double gained_way = same ? get_weighted (e * e, n)
                                 : e * (get_geometric (r * e, n) - get_geometric (e * e, n)) / (r - e);

  *velocity = along (kg_vector_scale (first, power), tau * r * e * gained, b->pull);
  *way = kg_vector_scale (first, tau * e * get_geometric (r * e, n));
  *way = along (*way, tau * tau * r * e * gained_way + 0.5 * tau * tau * e * e * get_geometric (e * e, n), b->pull);
}

/* Whole flights between the first landing and a time before the rest. */
static double
bounce_count (const Bounce *b, double t)
{
  const double e = b->restitution, tau = 2 * b->impact / b->gravity, since = t - b->first;
  double n;

  if (!(b->gravity > 0) || !(e > 0))
    return 0;
  n = e >= 1 ? floor (since / tau) : floor (log1p (-since * (1 - e) / (tau * e)) / log (e));
  /* Next to the rest there is no number; rounding may be one off. */
  n = n < 1e15 ? fmax (n, 0) : 1e15;
  if (n > 0 && tau * e * get_geometric (e, n) > since)
    n--;
  else if (tau * e * get_geometric (e, n + 1) <= since)
    n++;
  return n;
}

/* Where the ball is after its first landing, relative to that. */
typedef struct {
  double height, rise;
  KgVector slide, way, pull;
  double bounces; /* negative: it no longer bounces */
} Bounced;

/* since: after the first landing, at which the velocity along the plane was slide. */
static Bounced
bounce_again (const Bounce *b, double since)
{
  const double rest = bounce_get_rest (b) - b->first, t = b->first + since;
  const bool over = since >= rest;
  const double n = over ? INFINITY : bounce_count (b, t), e = b->restitution;
  const double flown = b->gravity > 0 ? 2 * b->impact / b->gravity * e * get_geometric (e, n) : 0;
  const double flight = over ? since - rest : fmax (since - flown, 0), up = over ? 0 : b->impact * pow (e, n + 1);
  Bounced s = { .pull = b->pull, .bounces = over ? -1 : n + 1 };

  s.height = over ? 0 : fmax (up * flight - 0.5 * b->gravity * flight * flight, 0);
  s.rise = over ? 0 : up - b->gravity * flight;
  bounce_slide (b, n, &s.slide, &s.way);
  /* Endlessly many bounces with a loss stop it. */
  if (over && b->keep < 1)
    s.slide = s.pull = kg_vector (0, 0, 0);
  s.way = along (along (s.way, flight, s.slide), 0.5 * flight * flight, s.pull);
  s.slide = along (s.slide, flight, s.pull);
  return s;
}

/* Bounces in air: flight after flight, until the ball is so slow that there is no air to speak of.  rest: (out)
 * (optional) when it no longer bounces, after the first landing. */
static Bounced
bounce_in_air (const Bounce *b, double since, double *rest)
{
  Bounce thin = *b;
  Bounced s = { .slide = along (b->slide, b->first, b->pull), .pull = b->pull };
  KgVector way = kg_vector (0, 0, 0);
  double start = 0, impact = b->impact;
  guint n = 0;

  for (; n < AIR_BOUNCES && impact > 1e-8 * b->terminal; n++) {
    const double up = b->restitution * impact, top = air_get_apex (b, up);
    const double flight = air_get_rise_time (b, up) + air_get_fall_time (b, 0, top);

    s.slide = kg_vector_scale (s.slide, b->keep);
    if (since < start + flight) {
      const double t = since - start;

      s.height = fmax (air_fly (b, up, t, &s.rise), 0);
      s.way = along (along (way, t, s.slide), 0.5 * t * t, b->pull);
      s.slide = along (s.slide, t, b->pull);
      s.bounces = n + 1;
      return s;
    }
    way = along (along (way, flight, s.slide), 0.5 * flight * flight, b->pull);
    s.slide = along (s.slide, flight, b->pull);
    impact = air_get_impact (b, 0, top);
    start += flight;
  }
  thin.terminal = thin.first = 0;
  thin.impact = impact;
  thin.slide = s.slide;
  if (rest != NULL)
    *rest = start + bounce_get_rest (&thin);
  s = bounce_again (&thin, fmax (since - start, 0));
  s.way = kg_vector_add (way, s.way);
  s.bounces += s.bounces < 0 ? 0 : n;
  return s;
}

static void
bounce_evaluate (const Law *law, double t, LawState *state)
{
  Bounce b;
  Bounced s;

  bounce_new (law, &b);
  if (t < b.first) {
    s = (Bounced){ .rise = b.rise - b.gravity * t, .slide = along (b.slide, t, b.pull), .pull = b.pull };
    s.way = along (kg_vector_scale (b.slide, t), 0.5 * t * t, b.pull);
    s.height = b.height + (b.terminal > 0 ? air_fly (&b, b.rise, t, &s.rise) : b.rise * t - 0.5 * b.gravity * t * t);
  } else {
    s = b.terminal > 0 ? bounce_in_air (&b, t - b.first, NULL) : bounce_again (&b, t - b.first);
    s.way = along (along (s.way, b.first, b.slide), 0.5 * b.first * b.first, b.pull);
  }
  state->acceleration = s.bounces < 0 ? s.pull : law->acceleration;
  if (s.bounces >= 0 && b.terminal > 0)
    state->acceleration =
        along (state->acceleration, -b.gravity * s.rise * fabs (s.rise) / (b.terminal * b.terminal), b.normal);
  state->bounces = s.bounces;
  state->place = along (kg_vector_add (law->start, s.way), s.height - b.height, b.normal);
  state->velocity = along (s.slide, s.rise, b.normal);
  state->potential = -law->mass * kg_vector_dot (law->acceleration, state->place);
}

static bool
check_bounce (const Law *law, GError **error)
{
  KgVector normal;
  Bounce b;

  if (!vectors_normalize (law->normal, &normal)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the normal of the ground is zero: give it a direction");
    return false;
  }
  if (bounce_new (law, &b))
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "the ball starts %g m deep in the ground: raise its start, or lower the ground", -b.height);
  return false;
}

static bool
check_friction (Law *law, GError **warning, GError **error)
{
  Slope slope;

  if (!vectors_normalize (law->normal, &slope.normal)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the normal of the slope is zero: give it a direction");
    return false;
  }
  if (law->kinetic_friction > law->static_friction) {
    g_clear_error (warning);
    kg_set_error (
        warning, KG_ERROR_INVALID_VALUE,
        "kinetic friction is %g, more than the static friction of %g, which is impossible: static friction is raised to it",
        law->kinetic_friction, law->static_friction);
    law->static_friction = law->kinetic_friction;
  }
  if (slope_new (law, &slope))
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "gravity pulls the body off the slope: let the normal point against gravity");
  return false;
}

bool
law_check (Law *law, GError **warning, GError **error)
{
  const KgVector from = kg_vector_subtract (law->start, law->center);
  KgVector axis;

  if (!(law->mass > 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the mass is %g kg: it must be above 0", law->mass);
    return false;
  }
  if (law->kind == LAW_CIRCLE) {
    if (!vectors_normalize (law->axis, &axis)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the axis is zero: give it a direction");
      return false;
    }
    if (!(vectors_get_length (kg_vector_cross (axis, from)) > 1e-12 * vectors_get_length (from)))
      kg_set_error (warning, KG_ERROR_INVALID_VALUE, "the start is on the axis: the body stands still");
  }
  if (law->kind == LAW_ORBIT && !(vectors_get_length (from) > 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the orbit starts at its centre: move the start away from it");
    return false;
  }
  if (law->kind == LAW_ORBIT && !(law->strength > 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the strength of the attraction is %g: it must be above 0",
                  law->strength);
    return false;
  }
  if (law->kind == LAW_BOUNCE)
    return check_bounce (law, error);
  return law->kind != LAW_SLOPE || check_friction (law, warning, error);
}

bool
law_get_state (const Law *law, double time, LawState *state, GError **error)
{
  state->bounces = 0;
  switch (law->kind) {
  case LAW_CIRCLE:
    circle_evaluate (law, time, state);
    break;
  case LAW_ORBIT:
    if (!orbit_evaluate (law, time, state, error))
      return false;
    break;
  case LAW_SPRING:
    spring_evaluate (law, time, state);
    break;
  case LAW_VISCOUS:
    viscous_evaluate (law, time, state);
    break;
  case LAW_SLOPE:
    slope_evaluate (law, time, state);
    break;
  case LAW_BOUNCE:
    bounce_evaluate (law, time, state);
    break;
  case LAW_UNIFORM:
  case LAW_THROW:
  case LAW_N:
  default:
    throw_evaluate (law, time, state);
    break;
  }
  if (kg_vector_is_finite (state->place) && kg_vector_is_finite (state->velocity) &&
      kg_vector_is_finite (state->acceleration) && isfinite (state->potential))
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "at %g s the position is too large to compute: use a time nearer to the start, or smaller numbers",
                time);
  return false;
}

/* When the distance is least for the first time from the start on: at the end of the way towards the centre. */
static double
orbit_get_nearest (const Law *law)
{
  const Orbit o = orbit_new (law);
  const double period = orbit_get_period (&o);
  const KgVector r = kg_vector_subtract (law->start, law->center);
  const KgVector h = kg_vector_cross (r, law->velocity);
  /* The eccentricity vector points to the nearest place. */
  const KgVector e = kg_vector_subtract (kg_vector_scale (kg_vector_cross (law->velocity, h), 1 / o.mu),
                                         kg_vector_scale (r, 1 / o.r0));
  const double eccentricity = vectors_get_length (e), p = kg_vector_dot (h, h) / o.mu;
  double time;

  if (eccentricity < 1e-9 || !(p > 0))
    return -1;
  if (period > 0) {
    /* Kepler's equation at the start: E from r = a(1 - e cos E) and r · v. */
    const double E = atan2 (o.rise * sqrt (o.alpha), 1 - o.r0 * o.alpha);
    const double M = E - eccentricity * sin (E);

    time = -M / (2 * KG_PI) * period;
    return time < 0 ? time + period : time;
  }
  if (o.rise >= 0)
    return o.rise > 0 ? -1 : 0;
  /* On a parabola or hyperbola the distance falls until its derivative by χ, which only grows, is 0. */
  {
    double low = 0, high = sqrt (o.r0), unused;

    while (orbit_get_rise (&o, high) < 0 && high < 1e150)
      high *= 2;
    for (int k = 0; k < 200 && high - low > 2 * DBL_EPSILON * high; k++) {
      const double middle = 0.5 * (low + high);

      if (orbit_get_rise (&o, middle) < 0)
        low = middle;
      else
        high = middle;
    }
    return orbit_get_time (&o, high, &unused) / sqrt (o.mu);
  }
}

static double
slope_get_stop (const Law *law)
{
  Slope slope;
  double forward, angle, friction;

  slope_new (law, &slope);
  forward = kg_vector_dot (slope.velocity, slope.down);
  friction = law->kinetic_friction * slope.pressure;
  if (slope.speed == 0)
    return slope.pull <= law->static_friction * slope.pressure ? 0 : -1;
  if (slope.pull == 0)
    return friction > 0 ? slope.speed / friction : -1;
  angle = atan2 (fabs (kg_vector_dot (slope.velocity, slope.across)), forward);
  if (angle > KG_PI - 1e-7)
    return -forward / (slope.pull + friction);
  if (angle < 1e-7)
    return friction > slope.pull ? forward / (friction - slope.pull) : -1;
  {
    const Sweep sweep = { friction / slope.pull, tan (0.5 * angle), slope.speed * sin (angle), slope.pull };
    const double stop = sweep_get_stop (&sweep);

    return isfinite (stop) ? stop : -1;
  }
}

/* When a throw with drag is back at the height of its start: rise (1 - e^(-ct))/c = g (t - (1 - e^(-ct))/c)/c. */
static double
throw_get_return (double rise, double g, double drag)
{
  /* Without drag it is back at 2 rise/g; with drag earlier. */
  double low = log1p (rise * drag / g) / drag, high = 2 * rise / g;

  for (int k = 0; k < 200 && high - low > 2 * DBL_EPSILON * high; k++) {
    const double middle = 0.5 * (low + high);
    double way, fall;

    get_approach (drag, middle, &way, &fall);
    if (rise * way > g * fall)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

void
law_get_facts (const Law *law, LawFacts *facts)
{
  const double b = law->damping / law->mass;

  *facts = (LawFacts){ -1, -1, -1, 0, 0 };
  if (law->kind == LAW_BOUNCE) {
    Bounce bounce;
    double rest;

    bounce_new (law, &bounce);
    rest = bounce_get_rest (&bounce);
    if (bounce.terminal > 0 && isfinite (rest)) {
      bounce_in_air (&bounce, INFINITY, &rest);
      rest += bounce.first;
    }
    facts->terminal = bounce.terminal;
    facts->event = isfinite (bounce.first) ? bounce.first : -1;
    facts->rest = isfinite (rest) ? rest : -1;
  } else if (law->kind == LAW_THROW && law->drag > 0) {
    /* Highest where the part of the velocity along gravity is gone: e^(-ct) = v∞/(v∞ - v). */
    const double g = vectors_get_length (law->acceleration);
    const double rise = g > 0 ? -kg_vector_dot (law->velocity, law->acceleration) / g : -1;

    facts->terminal = g / law->drag;
    facts->event = rise >= 0 ? log1p (rise / facts->terminal) / law->drag : -1;
    facts->period = rise >= 0 ? throw_get_return (rise, g, law->drag) : -1;
  } else if (law->kind == LAW_THROW) {
    const double g2 = kg_vector_dot (law->acceleration, law->acceleration);
    const double apex = g2 > 0 ? -kg_vector_dot (law->velocity, law->acceleration) / g2 : -1;

    facts->event = apex >= 0 ? apex : -1;
    facts->period = apex >= 0 ? 2 * apex : -1;
  } else if (law->kind == LAW_CIRCLE)
    facts->period = law->angular_speed != 0 ? 2 * KG_PI / fabs (law->angular_speed) : -1;
  else if (law->kind == LAW_ORBIT) {
    const Orbit o = orbit_new (law);

    facts->period = orbit_get_period (&o);
    facts->event = orbit_get_nearest (law);
  } else if (law->kind == LAW_SPRING) {
    const double q = law->stiffness / law->mass - 0.25 * b * b;

    facts->period = q > 0 ? 2 * KG_PI / sqrt (q) : -1;
  } else if (law->kind == LAW_VISCOUS) {
    const double k = get_stokes (law);

    facts->terminal = k > 0 ? vectors_get_length (get_pull (law)) / k : 0;
    facts->reynolds = law->viscosity > 0 ? 2 * law->fluid_density * facts->terminal * law->radius / law->viscosity : 0;
  } else if (law->kind == LAW_SLOPE) {
    const KgVector normal = kg_vector_normalize_or (law->normal, kg_vector (0, 1, 0));
    const double along = kg_vector_dot (law->acceleration, normal);

    facts->event = slope_get_stop (law);
    facts->pressing = law->mass * fmax (-along, 0);
    facts->pull = law->mass * kg_vector_length (kg_vector_add_scaled (law->acceleration, -along, normal));
  }
}

void
law_follow (const LawPull *pull, KgVector goal_before, KgVector goal, double seconds, KgVector *place,
            KgVector *velocity)
{
  const KgVector g = kg_vector_scale (kg_vector_subtract (goal, goal_before), 1 / seconds);

  if (pull->stiffness > 0) {
    /* Relative to the goal, and to where it rests relative to that. */
    const KgVector behind =
        kg_vector_scale (along (pull->load, -pull->damping * (1 - pull->lead), g), 1 / pull->stiffness);
    const Law law = { .kind = LAW_SPRING,
                      .mass = pull->mass,
                      .stiffness = pull->stiffness,
                      .damping = pull->damping,
                      .start = kg_vector_subtract (kg_vector_subtract (*place, goal_before), behind),
                      .velocity = kg_vector_subtract (*velocity, g) };
    LawState state;

    spring_evaluate (&law, seconds, &state);
    *place = kg_vector_add (kg_vector_add (goal, behind), state.place);
    *velocity = kg_vector_add (g, state.velocity);
  } else {
    const double k = pull->damping / pull->mass;
    const KgVector push = kg_vector_scale (along (pull->load, pull->damping * pull->lead, g), 1 / pull->mass);
    double way, fall;

    get_approach (k, seconds, &way, &fall);
    *place = along (along (*place, way, *velocity), fall, push);
    *velocity = along (kg_vector_scale (*velocity, exp (-k * seconds)), way, push);
  }
}

bool
law_aim_at_time (const Law *law, KgVector target, double time, KgVector *velocity, GError **error)
{
  const KgVector way = kg_vector_subtract (target, law->start);
  const bool viscous = law->kind == LAW_VISCOUS;
  double reach = time, fall = 0.5 * time * time;

  if (!(time > 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the time of arrival is %g s: it must be after the start", time);
    return false;
  }
  if (viscous || law->kind == LAW_THROW)
    get_approach (viscous ? get_stokes (law) : law->drag, time, &reach, &fall);
  if (law->kind == LAW_UNIFORM)
    fall = 0;
  *velocity = kg_vector_scale (along (way, -fall, viscous ? get_pull (law) : law->acceleration), 1 / reach);
  return true;
}

bool
law_aim_with_speed (const Law *law, KgVector target, double speed, bool high, KgVector *velocity, double *time,
                    GError **error)
{
  const KgVector d = kg_vector_subtract (target, law->start), g = law->acceleration;
  const double g2 = kg_vector_dot (g, g), d2 = kg_vector_dot (d, d), b = speed * speed + kg_vector_dot (g, d);
  /* |d - g T²/2| = speed T: ¼ g² T⁴ - (speed² + g · d) T² + d² = 0 */
  const double root = b * b - g2 * d2;
  double t2;

  if (law->drag > 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "a throw with a drag of %g per second cannot be aimed by its speed: give a time of arrival",
                  law->drag);
    return false;
  }
  if (!(d2 > 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the target is where the throw starts: move it away");
    return false;
  }
  if (!(speed > 0) || !(b > 0) || root < -1e-12 * b * b) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the throw does not reach its target at %g m/s: it takes at least %g m/s", speed,
                  sqrt (fmax (sqrt (g2 * d2) - kg_vector_dot (g, d), 0)));
    return false;
  }
  /* The smaller solution as the quotient, which does not cancel; without gravity there is only that one. */
  if (high && !(g2 > 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "without gravity there is no high arc: aim along the low one");
    return false;
  }
  t2 = high ? 2 * (b + sqrt (fmax (root, 0))) / g2 : 2 * d2 / (b + sqrt (fmax (root, 0)));
  *time = sqrt (t2);
  *velocity = kg_vector_scale (along (d, -0.5 * t2, g), 1 / *time);
  return true;
}
