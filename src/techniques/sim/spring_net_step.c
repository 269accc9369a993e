/* spring_net_step: the steps of springs in time.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/spring_net_private.h"

#define MAX_ROUNDS 400
#define SOLVER_TOLERANCE 1e-7

/* to = from + h a, a the acceleration by the forces; held points keep their velocity. */
static void
accelerate_points (const SpringNet *net, const KgVector *from, double h, const KgVector *forces, KgVector *to,
                   size_t first, size_t end)
{
  for (size_t i = first; i < end; i++)
    to[i] = kg_vector_add_scaled (from[i], h * net->inverse[i], forces[i]);
}

static void
accelerate (const SpringNet *net, const KgVector *from, double h, const KgVector *forces, KgVector *to)
{
  KG_PARALLEL (net->n_points, SPRING_PIECE, net->n_points > SPRING_MANY,
               accelerate_points (net, from, h, forces, to, first, end));
}

/* to = from + h v for the points [first, end). */
static void
move_points (const KgVector *from, double h, const KgVector *v, KgVector *to, size_t first, size_t end)
{
  for (size_t i = first; i < end; i++)
    to[i] = kg_vector_add_scaled (from[i], h, v[i]);
}

static void
move (const SpringNet *net, const KgVector *from, double h, const KgVector *v, KgVector *to)
{
  KG_PARALLEL (net->n_points, SPRING_PIECE, net->n_points > SPRING_MANY, move_points (from, h, v, to, first, end));
}

static void
step_rk4 (SpringNet *net, const SpringSettings *settings, double time, double h)
{
  static const double parts[] = { 0.5, 0.5, 1 }, weights[] = { 1, 2, 2, 1 };
  KgVector *const *w = net->work->vectors;
  KgVector *x = w[SPRING_X], *v = w[SPRING_V], *xs = w[SPRING_A], *vs = w[SPRING_B], *sum_x = w[SPRING_C],
           *sum_v = w[SPRING_D];
  const KgVector *at = x, *speed = v;

  memset (sum_x, 0, net->n_points * sizeof *sum_x);
  memset (sum_v, 0, net->n_points * sizeof *sum_v);
  for (int stage = 0; stage < 4; stage++) {
    const double reached = stage == 0 ? 0 : parts[stage - 1];

    spring_net_evaluate (net, settings, at, speed, time + reached * h, w[SPRING_FORCE]);
    accelerate (net, sum_v, weights[stage] / 6, w[SPRING_FORCE], sum_v);
    move (net, sum_x, weights[stage] / 6, speed, sum_x);
    if (stage < 3) {
      /* The places first: they need the velocity of this stage. */
      move (net, x, parts[stage] * h, speed, xs);
      accelerate (net, v, parts[stage] * h, w[SPRING_FORCE], vs);
      at = xs;
      speed = vs;
    }
  }
  move (net, x, h, sum_x, x);
  move (net, v, h, sum_v, v);
}

/* The blocks of the diagonal of M + hC + h²K, inverted, to speed up the iteration. */
static void
set_preconditioner (SpringNet *net, double h, double of_drag)
{
  SpringWork *work = net->work;

#pragma omp parallel for schedule(static) if (net->n_points > 1024)
  for (size_t i = 0; i < net->n_points; i++) {
    const double own = net->points[i].mass + (net->pull[i] > 0 ? h * (h * net->pull[i] + net->pull_damping) : 0);
    SymmetricMatrix m = { own, own, own, 0, 0, 0 };

    for (size_t k = work->start[i]; k < work->start[i + 1]; k++) {
      const size_t part = work->entries[k] >> 1;

      if (part < net->n_springs) {
        const SpringBlock *block = &work->blocks[part];

        m.xx += block->across;
        m.yy += block->across;
        m.zz += block->across;
        m = symmetric_matrix_add_square (m, block->along, block->d);
      } else if (part < net->n_springs + 4 * net->n_hinges) {
        const SpringBend *bend = &work->bends[(part - net->n_springs) / 4];

        const size_t corner = (part - net->n_springs) % 4;

        m = symmetric_matrix_add_square (m, bend->weight, bend->g[corner]);
        if (spring_is_corner (&net->hinges[(part - net->n_springs) / 4])) {
          const SpringTilt *tilt = &work->tilts[(part - net->n_springs) / 4];

          m = symmetric_matrix_add_square (m, tilt->factors[corner] * tilt->factors[corner], tilt->across);
        }
      } else {
        const SpringBlock *gust = &work->gusts[(part - net->n_springs - 4 * net->n_hinges) / 3];

        m.xx += of_drag * gust->across;
        m.yy += of_drag * gust->across;
        m.zz += of_drag * gust->across;
        m = symmetric_matrix_add_square (m, of_drag * gust->along, gust->d);
      }
    }
    if (!symmetric_matrix_invert (m, &work->diagonal[i]))
      work->diagonal[i] = (SymmetricMatrix){ 1 / own, 1 / own, 1 / own, 0, 0, 0 };
  }
}

static void
add_own (const SpringNet *net, double h, const KgVector *p, KgVector *result, size_t first, size_t end)
{
  for (size_t i = first; i < end; i++) {
    const double own = net->points[i].mass + (net->pull[i] > 0 ? h * (h * net->pull[i] + net->pull_damping) : 0);

    result[i] = net->inverse[i] > 0 ? kg_vector_add_scaled (result[i], own, p[i]) : kg_vector (0, 0, 0);
  }
}

/* result = (M + hC + h²K) p; what is held does not change its velocity. */
static void
apply_system (SpringNet *net, double h, double of_drag, const KgVector *p, KgVector *result)
{
  spring_net_apply_blocks (net, p, of_drag, result);
  KG_PARALLEL (net->n_points, SPRING_PIECE, net->n_points > SPRING_MANY, add_own (net, h, p, result, first, end));
}

/* One step along the direction p of conjugate gradients, q being the system's of it: the rest and what the preconditioner
 * makes of it. */
static void
step_along (const SpringNet *net, double step, const KgVector *p, const KgVector *q, KgVector *dv, KgVector *r,
            KgVector *z, size_t first, size_t end)
{
  for (size_t i = first; i < end; i++) {
    dv[i] = kg_vector_add_scaled (dv[i], step, p[i]);
    r[i] = kg_vector_add_scaled (r[i], -step, q[i]);
    z[i] = symmetric_matrix_apply (net->work->diagonal[i], r[i]);
  }
}

/* (M + hC + h²K) dv = h (f - h K v), by conjugate gradients; the drag of the air is part of C. */
static bool
step_implicit (SpringNet *net, const SpringSettings *settings, double time, double h, const KgProgressMonitor *monitor)
{
  SpringWork *work = net->work;
  KgVector *const *w = work->vectors;
  KgVector *x = w[SPRING_X], *v = w[SPRING_V], *r = w[SPRING_FORCE], *dv = w[SPRING_A], *p = w[SPRING_B],
           *z = w[SPRING_C], *q = w[SPRING_D];
  const double of_drag = settings->drag > 0 ? h : 0;
  double rho, start;

  spring_net_evaluate (net, settings, x, v, time + h, r);
  spring_net_set_blocks (net, settings, x, h * h, 0);
  spring_net_apply_blocks (net, v, 0, q);
#pragma omp parallel for schedule(static) if (net->n_points > SPRING_MANY)
  for (size_t i = 0; i < net->n_points; i++) {
    const KgVector all =
        kg_vector_subtract (kg_vector_scale (r[i], h), kg_vector_add_scaled (q[i], h * h * net->pull[i], v[i]));

    r[i] = net->inverse[i] > 0 ? all : kg_vector (0, 0, 0);
    dv[i] = kg_vector (0, 0, 0);
  }
  spring_net_set_blocks (net, settings, x, h * h, h);
  set_preconditioner (net, h, of_drag);
#pragma omp parallel for schedule(static) if (net->n_points > SPRING_MANY)
  for (size_t i = 0; i < net->n_points; i++)
    p[i] = z[i] = symmetric_matrix_apply (work->diagonal[i], r[i]);
  start = rho = spring_net_dot (net, r, z);
  net->solver_rest = 0;
  for (int round = 0; round < MAX_ROUNDS && rho > SOLVER_TOLERANCE * SOLVER_TOLERANCE * start; round++) {
    double step, next;

    if (kg_progress_is_cancelled (monitor))
      return false;
    apply_system (net, h, of_drag, p, q);
    step = spring_net_dot (net, p, q);
    if (!(step > 0))
      break;
    step = rho / step;
    KG_PARALLEL (net->n_points, SPRING_PIECE, net->n_points > SPRING_MANY,
                 step_along (net, step, p, q, dv, r, z, first, end));
    next = spring_net_dot (net, r, z);
    move (net, z, next / rho, p, p);
    rho = next;
  }
  if (start > 0)
    net->solver_rest = sqrt (fmax (rho, 0) / start);
  move (net, v, 1, dv, v);
  move (net, x, h, v, x);
  return true;
}

bool
spring_net_step (SpringNet *net, const SpringSettings *settings, SpringMethod method, double time, double h,
                 const KgProgressMonitor *monitor)
{
  KgVector *const *w = net->work->vectors;
  KgVector *x = w[SPRING_X], *v = w[SPRING_V], *f = w[SPRING_FORCE];
  bool done = true;

  if (kg_progress_is_cancelled (monitor))
    return false;
  for (size_t i = 0; i < net->n_points; i++) {
    x[i] = net->points[i].x;
    v[i] = kg_vector_add_scaled (net->points[i].v, net->inverse[i], net->impulse[i]);
    net->impulse[i] = kg_vector (0, 0, 0);
  }
  switch (method) {
  case SPRING_RK4:
    step_rk4 (net, settings, time, h);
    break;
  case SPRING_IMPLICIT:
    done = step_implicit (net, settings, time, h, monitor);
    break;
  case SPRING_EXPLICIT:
    spring_net_evaluate (net, settings, x, v, time, f);
    move (net, x, h, v, x);
    accelerate (net, v, h, f, v);
    break;
  case SPRING_VERLET:
    spring_net_evaluate (net, settings, x, v, time, f);
    accelerate (net, v, 0.5 * h, f, v);
    move (net, x, h, v, x);
    spring_net_evaluate (net, settings, x, v, time + h, f);
    accelerate (net, v, 0.5 * h, f, v);
    break;
  case SPRING_MIDPOINT:
    spring_net_evaluate (net, settings, x, v, time, f);
    move (net, x, 0.5 * h, v, w[SPRING_A]);
    accelerate (net, v, 0.5 * h, f, w[SPRING_B]);
    spring_net_evaluate (net, settings, w[SPRING_A], w[SPRING_B], time + 0.5 * h, f);
    move (net, x, h, w[SPRING_B], x);
    accelerate (net, v, h, f, v);
    break;
  case SPRING_SEMI_IMPLICIT:
  case SPRING_N_METHODS:
    spring_net_evaluate (net, settings, x, v, time, f);
    accelerate (net, v, h, f, v);
    move (net, x, h, v, x);
    break;
  }
  for (size_t i = 0; done && i < net->n_points; i++) {
    net->points[i].x = x[i];
    net->points[i].v = v[i];
  }
  return done;
}
