/* planar_links: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/planar_links.h"

#include "kg-error.h"
#include "sim/adaptive_steps.h"
#include "sim/envelope_matrix.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

/* Positions are put right where pins are farther apart than this. */
#define GAP 1e-8

/* One end of a constraint: a point of a link. */
typedef struct {
  int link; /* -1: the world */
  double at, sign;
} End;

typedef struct {
  const PlanarLinks *links;
  EnvelopeMatrix matrix;
  size_t n_pins; /* with the held point */
  double *right, *lambda, *applied;
} Work;

static size_t
count_pins (const PlanarLinks *links)
{
  return links->n_pins + links->held;
}

/* f = the point of ends[0] - the point of ends[1], or the held place - the point. */
static void
get_ends (const PlanarLinks *links, size_t k, End ends[2])
{
  if (k < links->n_pins) {
    ends[0] = (End){ links->pins[k].b, links->pins[k].at_b, 1 };
    ends[1] = (End){ links->pins[k].a, links->pins[k].at_a, -1 };
  } else {
    ends[0] = (End){ -1, 0, 1 };
    ends[1] = (End){ links->held_link, links->held_at, -1 };
  }
}

/* The derivatives of coordinate c (x, y) of a point by x, y and the angle of its link, with its sign. */
static void
get_row (const End *end, const double *q, int c, double row[3])
{
  row[0] = c == 0 ? end->sign : 0;
  row[1] = c == 1 ? end->sign : 0;
  row[2] = end->sign * end->at * (c == 0 ? -sin (q[2]) : cos (q[2]));
}

static double
get_weight (const PlanarLink *link, int c)
{
  return c < 2 ? 1 / link->mass : 3 / (link->mass * link->half * link->half);
}

/* f of pin k. */
static void
get_error (const PlanarLinks *links, const PlanarState *states, size_t k, double f[2])
{
  End ends[2];

  get_ends (links, k, ends);
  f[0] = f[1] = 0;
  for (int e = 0; e < 2; e++) {
    const double *q = ends[e].link >= 0 ? states[ends[e].link].q : NULL;

    f[0] += ends[e].sign * (q != NULL ? q[0] + ends[e].at * cos (q[2]) : links->held_place.x);
    f[1] += ends[e].sign * (q != NULL ? q[1] + ends[e].at * sin (q[2]) : links->held_place.y);
  }
}

double
planar_limit_get_torque (const PlanarLimit *limit, PlanarForm form, double exponent, double angle, double *bent)
{
  const double phi = angle - limit->equilibrium;
  const double u = phi >= 0 ? phi / (limit->high - limit->equilibrium) : phi / (limit->equilibrium - limit->low);
  const double size = fabs (u), sign = u < 0 ? -1 : 1;

  *bent = size;
  switch (form) {
  case PLANAR_EXPONENTIAL:
    return -sign * limit->torque * expm1 (3 * fmin (size, 10)) / expm1 (3);
  case PLANAR_TANGENT:
    return -sign * limit->torque * tan (0.5 * KG_PI * fmin (size, 0.999));
  case PLANAR_POWER:
  default:
    return -sign * limit->torque * pow (size, exponent);
  }
}

/* A mattress below a point presses up; never down. */
static double
get_press (const PlanarLinks *links, double share, const PlanarLink *link, double y, double speed)
{
  if (y >= links->mattress)
    return 0;
  return fmax (share * (link->press * (links->mattress - y) - link->press_drag * speed), 0);
}

/* Q, three for each link. */
static void
get_applied (const PlanarLinks *links, const PlanarState *states, double *applied)
{
  for (size_t i = 0; i < links->n_links; i++) {
    const PlanarLink *link = &links->links[i];
    const double *q = states[i].q, *v = states[i].v, share = links->ends ? 1.0 / 3 : 1;
    double *to = applied + 3 * i;

    to[0] = -link->drag * v[0];
    to[1] = -link->drag * v[1] - link->mass * links->gravity + get_press (links, share, link, q[1], v[1]);
    to[2] = links->relative && i > 0 ? 0 : -link->spin_drag * v[2];
    for (int end = -1; end <= 1 && links->ends; end += 2) {
      const double arm = end * link->half * cos (q[2]), at = q[1] + end * link->half * sin (q[2]);
      const double press = get_press (links, share, link, at, v[1] + arm * v[2]);

      to[1] += press;
      to[2] += press * arm;
    }
  }
  for (size_t k = 0; k < links->n_pins && links->relative; k++) {
    const PlanarPin *pin = &links->pins[k];
    const double torque = -links->links[pin->b].spin_drag * (states[pin->b].v[2] - states[pin->a].v[2]);

    applied[3 * pin->b + 2] += torque;
    applied[3 * pin->a + 2] -= torque;
  }
  for (size_t k = 0; k < links->n_limits; k++) {
    const PlanarLimit *limit = &links->limits[k];
    double bent;
    const double torque = planar_limit_get_torque (limit, links->form, links->exponent,
                                                   states[limit->b].q[2] - states[limit->a].q[2], &bent);

    applied[3 * limit->b + 2] += torque;
    if (links->reaction)
      applied[3 * limit->a + 2] -= torque;
  }
}

static void
work_init (Work *work, const PlanarLinks *links)
{
  const size_t n = count_pins (links);
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, 2 * sizeof (uint32_t));

  *work = (Work){ .links = links,
                  .n_pins = n,
                  .right = g_new0 (double, MAX (2 * n, 1)),
                  .lambda = g_new0 (double, MAX (2 * n, 1)),
                  .applied = g_new0 (double, 3 * MAX (links->n_links, 1)) };
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t j = 0; j <= k; j++) {
      End a[2], b[2];
      bool meet = j == k;

      get_ends (links, k, a);
      get_ends (links, j, b);
      for (int e = 0; e < 4; e++)
        meet = meet || (a[e / 2].link >= 0 && a[e / 2].link == b[e % 2].link);
      for (uint32_t c = 0; c < 4 && meet; c++) {
        const uint32_t pair[2] = { 2 * k + c / 2, 2 * j + c % 2 };

        if (pair[0] > pair[1])
          g_array_append_val (pairs, pair);
      }
    }
  envelope_matrix_init (&work->matrix, 2 * n, (const uint32_t (*)[2]) (const void *) pairs->data, pairs->len);
}

static void
work_clear (Work *work)
{
  envelope_matrix_clear (&work->matrix);
  g_free (work->right);
  g_free (work->lambda);
  g_free (work->applied);
}

/* J M^-1 J'. */
static bool
factorize (Work *work, const PlanarState *states)
{
  const PlanarLinks *links = work->links;

  envelope_matrix_set_zero (&work->matrix);
  for (size_t k = 0; k < work->n_pins; k++)
    for (size_t j = 0; j <= k; j++) {
      End a[2], b[2];

      get_ends (links, k, a);
      get_ends (links, j, b);
      for (int e = 0; e < 4; e++) {
        const End *from = &a[e / 2], *to = &b[e % 2];

        if (from->link < 0 || from->link != to->link)
          continue;
        for (int c = 0; c < 4; c++) {
          double first[3], second[3], sum = 0;

          if (2 * k + (size_t) (c / 2) < 2 * j + (size_t) (c % 2))
            continue;
          get_row (from, states[from->link].q, c / 2, first);
          get_row (to, states[to->link].q, c % 2, second);
          for (int i = 0; i < 3; i++)
            sum += first[i] * second[i] * get_weight (&links->links[from->link], i);
          envelope_matrix_add (&work->matrix, 2 * k + (size_t) (c / 2), 2 * j + (size_t) (c % 2), sum);
        }
      }
    }
  return work->n_pins == 0 || envelope_matrix_factorize (&work->matrix);
}

/* J times a vector of three for each link, of one row. */
static double
multiply_row (const PlanarLinks *links, const PlanarState *states, size_t k, int c, const double *vector, bool weighted)
{
  End ends[2];
  double sum = 0;

  get_ends (links, k, ends);
  for (int e = 0; e < 2; e++) {
    double row[3];

    if (ends[e].link < 0)
      continue;
    get_row (&ends[e], states[ends[e].link].q, c, row);
    for (int i = 0; i < 3; i++)
      sum += row[i] * vector[3 * ends[e].link + i] * (weighted ? get_weight (&links->links[ends[e].link], i) : 1);
  }
  return sum;
}

/* Adds J' lambda to a vector of three for each link. */
static void
add_forces (const Work *work, const PlanarState *states, double *vector)
{
  for (size_t k = 0; k < work->n_pins; k++) {
    End ends[2];

    get_ends (work->links, k, ends);
    for (int e = 0; e < 4; e++) {
      const End *end = &ends[e / 2];
      double row[3];

      if (end->link < 0)
        continue;
      get_row (end, states[end->link].q, e % 2, row);
      for (int i = 0; i < 3; i++)
        vector[3 * end->link + i] += row[i] * work->lambda[2 * k + (size_t) (e % 2)];
    }
  }
}

/* work->lambda, and the accelerations. */
static bool
solve (Work *work, const PlanarState *states, double *accelerations)
{
  const PlanarLinks *links = work->links;
  g_autofree double *speeds = g_new (double, 3 * MAX (links->n_links, 1));

  for (size_t i = 0; i < links->n_links; i++)
    memcpy (speeds + 3 * i, states[i].v, 3 * sizeof *speeds);
  if (!factorize (work, states))
    return false;
  get_applied (links, states, work->applied);
  for (size_t k = 0; k < work->n_pins; k++) {
    const double s = links->stabilise;
    double f[2];
    End ends[2];

    get_error (links, states, k, f);
    get_ends (links, k, ends);
    for (int c = 0; c < 2; c++) {
      double gamma = 0;

      for (int e = 0; e < 2; e++)
        if (ends[e].link >= 0) {
          const PlanarState *state = &states[ends[e].link];

          gamma -= ends[e].sign * ends[e].at * state->v[2] * state->v[2] *
                   (c == 0 ? cos (state->q[2]) : sin (state->q[2]));
        }
      work->right[2 * k + (size_t) c] = -gamma - multiply_row (links, states, k, c, work->applied, true) -
                                        2 * s * multiply_row (links, states, k, c, speeds, false) - s * s * f[c];
    }
  }
  if (work->n_pins > 0)
    envelope_matrix_solve (&work->matrix, work->right, work->lambda);
  memcpy (accelerations, work->applied, 3 * links->n_links * sizeof *accelerations);
  add_forces (work, states, accelerations);
  for (size_t i = 0; i < 3 * links->n_links; i++)
    accelerations[i] *= get_weight (&links->links[i / 3], (int) (i % 3));
  return true;
}

static void
set_degenerate (GError **error)
{
  kg_set_error (error, KG_ERROR_DEGENERATE,
                "some pins are redundant, so that their forces are undetermined: remove one of them");
}

bool
planar_links_accelerate (const PlanarLinks *links, const PlanarState *states, double *accelerations, double *forces,
                         GError **error)
{
  Work work;
  bool good;

  work_init (&work, links);
  good = solve (&work, states, accelerations);
  if (good && forces != NULL)
    memcpy (forces, work.lambda, 2 * work.n_pins * sizeof *forces);
  work_clear (&work);
  if (!good)
    set_degenerate (error);
  return good;
}

double
planar_links_get_gap (const PlanarLinks *links, const PlanarState *states)
{
  double gap = 0;

  for (size_t k = 0; k < count_pins (links); k++) {
    double f[2];

    get_error (links, states, k, f);
    gap = fmax (gap, hypot (f[0], f[1]));
  }
  return gap;
}

/* A point of a link is to be where, and move as, a point of another does; NULL: the held place. */
static void
put (const PlanarLinks *links, PlanarState *state, double at, const PlanarState *other, double at_other)
{
  const double c = cos (state->q[2]), s = sin (state->q[2]);
  PlanarState still = { { links->held_place.x, links->held_place.y, 0 }, { 0, 0, 0 } };

  if (other == NULL)
    other = &still;
  state->q[0] = other->q[0] + at_other * cos (other->q[2]) - at * c;
  state->q[1] = other->q[1] + at_other * sin (other->q[2]) - at * s;
  state->v[0] = other->v[0] - at_other * sin (other->q[2]) * other->v[2] + at * s * state->v[2];
  state->v[1] = other->v[1] + at_other * cos (other->q[2]) * other->v[2] - at * c * state->v[2];
}

bool
planar_links_assemble (const PlanarLinks *links, PlanarState *states, GError **error)
{
  g_autofree bool *placed = g_new0 (bool, MAX (links->n_links, 1));
  bool more = true;

  if (links->n_links == 0)
    return true;
  put (links, &states[links->held_link], links->held_at, NULL, 0);
  placed[links->held_link] = true;
  while (more) {
    more = false;
    for (size_t k = 0; k < links->n_pins; k++) {
      const PlanarPin *pin = &links->pins[k];

      if (placed[pin->a] == placed[pin->b])
        continue;
      if (placed[pin->a])
        put (links, &states[pin->b], pin->at_b, &states[pin->a], pin->at_a);
      else
        put (links, &states[pin->a], pin->at_a, &states[pin->b], pin->at_b);
      placed[pin->a] = placed[pin->b] = more = true;
    }
  }
  for (size_t i = 0; i < links->n_links; i++)
    if (!placed[i]) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "no pin joins link %zu to the others: add one", i);
      return false;
    }
  if (planar_links_get_gap (links, states) > 1e-6) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the pins are %g m apart at the start: change the angles so that the loops of links close",
                  planar_links_get_gap (links, states));
    return false;
  }
  return true;
}

/* Integration.  y: the six numbers of each link. */

static int
find_slope (double t, const double *y, double *slope, void *data)
{
  Work *work = (Work *) data;
  const size_t n = work->links->n_links;
  const PlanarState *states = (const PlanarState *) (const void *) y;
  g_autofree double *accelerations = g_new (double, 3 * n);

  (void) t;
  for (size_t i = 0; i < 6 * n; i++)
    if (!isfinite (y[i]))
      return GSL_EBADFUNC;
  if (!solve (work, states, accelerations))
    return GSL_EBADFUNC;
  for (size_t i = 0; i < n; i++) {
    memcpy (slope + 6 * i, states[i].v, 3 * sizeof *slope);
    memcpy (slope + 6 * i + 3, accelerations + 3 * i, 3 * sizeof *slope);
  }
  return GSL_SUCCESS;
}

/* The smallest change, weighted by the masses, that makes the pins meet again. */
static bool
correct (double *y, void *data)
{
  Work *work = (Work *) data;
  PlanarState *states = (PlanarState *) (void *) y;
  const PlanarLinks *links = work->links;
  g_autofree double *change = NULL;

  if (work->n_pins == 0 || !(planar_links_get_gap (links, states) > GAP) || !factorize (work, states))
    return false;
  for (size_t k = 0; k < work->n_pins; k++) {
    double f[2];

    get_error (links, states, k, f);
    work->right[2 * k] = -f[0];
    work->right[2 * k + 1] = -f[1];
  }
  envelope_matrix_solve (&work->matrix, work->right, work->lambda);
  change = g_new0 (double, 3 * links->n_links);
  add_forces (work, states, change);
  for (size_t i = 0; i < 3 * links->n_links; i++)
    states[i / 3].q[i % 3] += change[i] * get_weight (&links->links[i / 3], (int) (i % 3));
  return true;
}

static double
get_event (const double *y, void *data)
{
  Work *work = (Work *) data;
  const PlanarState *states = (const PlanarState *) (const void *) y;
  const PlanarLinks *links = work->links;
  g_autofree double *accelerations = NULL;

  if (links->release == PLANAR_LEVEL)
    return states[0].q[1] - links->held_place.y;
  accelerations = g_new (double, 3 * links->n_links);
  return solve (work, states, accelerations) ? -work->lambda[2 * links->n_pins + 1] : 1;
}

/* What may keep the integrator from getting on: the force that asks for the shortest steps. */
typedef enum { STIFF_NOTHING, STIFF_DRAG, STIFF_SPIN_DRAG, STIFF_MATTRESS, STIFF_LIMIT, STIFF_MASSES } StiffCause;

/* The rates (1/s) of all forces where the links are now. */
static StiffCause
find_stiffest (const PlanarLinks *links, const PlanarState *states)
{
  /* Below this rate no force alone keeps the integrator from getting on. */
  double most = 1e4, lightest = INFINITY, heaviest = 0;
  StiffCause cause = STIFF_NOTHING;

  for (size_t i = 0; i < links->n_links; i++) {
    const PlanarLink *link = &links->links[i];
    const double inertia = link->mass * link->half * link->half / 3;
    /* It may have just been thrown off. */
    const bool pressed = states[i].q[1] - 2 * link->half < links->mattress;
    const double rates[] = { [STIFF_DRAG] = link->drag / link->mass,
                             [STIFF_SPIN_DRAG] = link->spin_drag / inertia,
                             [STIFF_MATTRESS] =
                                 pressed ? fmax (sqrt (link->press / link->mass), link->press_drag / link->mass) : 0 };

    for (int k = STIFF_DRAG; k <= STIFF_MATTRESS; k++)
      if (rates[k] > most) {
        most = rates[k];
        cause = (StiffCause) k;
      }
    lightest = fmin (lightest, link->mass);
    heaviest = fmax (heaviest, link->mass);
  }
  for (size_t i = 0; i < links->n_limits; i++) {
    const PlanarLimit *limit = &links->limits[i];
    const PlanarLink *link = &links->links[limit->b];
    const double angle = states[limit->b].q[2] - states[limit->a].q[2], step = 1e-6;
    double bent;
    const double slope = (planar_limit_get_torque (limit, links->form, links->exponent, angle + step, &bent) -
                          planar_limit_get_torque (limit, links->form, links->exponent, angle - step, &bent)) /
                         (2 * step);
    const double rate = sqrt (fabs (slope) * 3 / (link->mass * link->half * link->half));

    if (rate > most) {
      most = rate;
      cause = STIFF_LIMIT;
    }
  }
  return cause == STIFF_NOTHING && heaviest > 1e6 * lightest ? STIFF_MASSES : cause;
}

static void
set_diverged (const PlanarLinks *links, const PlanarState *states, double done, GError **error)
{
  static const char *const remedies[] = {
    [STIFF_NOTHING] = N_ ("raise the tolerance"),
    [STIFF_DRAG] = N_ ("lower the drag, or raise the tolerance"),
    [STIFF_SPIN_DRAG] = N_ ("lower the rotational drag, or raise the tolerance"),
    [STIFF_MATTRESS] = N_ ("soften the mattress, or raise the tolerance"),
    [STIFF_LIMIT] = N_ ("lower the torque of the limits, or raise the tolerance"),
    [STIFF_MASSES] = N_ ("make the masses of the links more alike, or raise the tolerance"),
  };

  kg_set_error (error, KG_ERROR_DIVERGED,
                "the equations could not be solved beyond %g s of the step at a tolerance of %g: %s", done,
                links->tolerance, kg_translate (remedies[find_stiffest (links, states)]));
}

bool
planar_links_integrate (PlanarLinks *links, PlanarState *states, double seconds, double *released,
                        const KgProgressMonitor *monitor, GError **error)
{
  double done = 0;

  *released = -1;
  while (done < seconds && links->n_links > 0) {
    Work work;
    AdaptiveSteps steps = { .n = 6 * links->n_links,
                            .slope = find_slope,
                            .correct = correct,
                            .event = links->held && (links->release == PLANAR_LEVEL || links->release == PLANAR_PULL)
                                         ? get_event
                                         : NULL,
                            .data = &work,
                            .type = gsl_odeiv2_step_rk8pd,
                            .tolerance = links->tolerance };
    bool happened;

    work_init (&work, links);
    done += adaptive_steps_run (&steps, seconds - done, (double *) (void *) states, &happened, monitor);
    work_clear (&work);
    if (happened) {
      links->held = false;
      *released = done;
    } else if (!kg_progress_check (monitor, error)) {
      return false;
    } else if (done < seconds * (1 - 1e-12)) {
      set_diverged (links, states, done, error);
      return false;
    } else
      break;
  }
  return true;
}

void
planar_links_measure (const PlanarLinks *links, const PlanarState *states, double *energy, double *angular_momentum,
                      KgVector *center)
{
  double mass = 0, x = 0, y = 0, vx = 0, vy = 0;

  *energy = *angular_momentum = 0;
  for (size_t i = 0; i < links->n_links; i++) {
    const double m = links->links[i].mass;

    mass += m;
    x += m * states[i].q[0];
    y += m * states[i].q[1];
    vx += m * states[i].v[0];
    vy += m * states[i].v[1];
  }
  if (mass > 0) {
    x /= mass;
    y /= mass;
    vx /= mass;
    vy /= mass;
  }
  for (size_t i = 0; i < links->n_links; i++) {
    const PlanarLink *link = &links->links[i];
    const double *q = states[i].q, *v = states[i].v, inertia = link->mass * link->half * link->half / 3;

    *energy += 0.5 * link->mass * (v[0] * v[0] + v[1] * v[1]) + 0.5 * inertia * v[2] * v[2] +
               link->mass * links->gravity * q[1];
    *angular_momentum += link->mass * ((q[0] - x) * (v[1] - vy) - (q[1] - y) * (v[0] - vx)) + inertia * v[2];
  }
  *center = kg_vector (x, y, 0);
}
