/* spacetime: the motion of a particle that gets somewhere in time with the least force of its own.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/spacetime.h"

#include "kg-error.h"

#include <string.h>

void
spacetime_path_clear (SpacetimePath *path)
{
  g_clear_pointer (&path->t, g_free);
  g_clear_pointer (&path->x, g_free);
  g_clear_pointer (&path->v, g_free);
  g_clear_pointer (&path->f, g_free);
  g_clear_pointer (&path->f_after, g_free);
}

static void
path_init (SpacetimePath *path, guint n)
{
  *path = (SpacetimePath){ .n = n,
                           .t = g_new0 (double, n),
                           .x = g_new0 (KgVector, n),
                           .v = g_new0 (KgVector, n),
                           .f = g_new0 (KgVector, n),
                           .f_after = g_new0 (KgVector, n) };
}

static bool
check (const Spacetime *task, GError **error)
{
  if (task->n_keys == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "there are no keys: give the position of the particle at one time or more");
    return false;
  }
  for (guint i = 0; i + 1 < task->n_keys; i++)
    if (!(task->keys[i + 1].time > task->keys[i].time)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "key %u is at %g s, which is not after the key before it: sort the keys", i + 2,
                    task->keys[i + 1].time);
      return false;
    }
  return true;
}

/* One axis: a cubic spline through what is given. */
typedef struct {
  guint n;
  double *t, *x, *v;
} Axis;

static void
axis_clear (Axis *axis)
{
  g_free (axis->t);
  g_free (axis->x);
  g_free (axis->v);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Axis, axis_clear)

/* Slopes that leave no jump in the second derivative where they are free, and none at all at free ends. */
static void
solve_slopes (Axis *axis)
{
  const guint n = axis->n;
  g_autofree double *matrix = g_new0 (double, 3 * (size_t) n), *right = g_new0 (double, n);

  for (guint i = 0; i < n; i++) {
    double *row = matrix + 3 * (size_t) i;

    if (isfinite (axis->v[i])) {
      row[1] = 1;
      right[i] = axis->v[i];
      continue;
    }
    if (i > 0) {
      const double h = axis->t[i] - axis->t[i - 1];

      row[0] += 2 / h;
      row[1] += 4 / h;
      right[i] += 6 * (axis->x[i] - axis->x[i - 1]) / (h * h);
    }
    if (i + 1 < n) {
      const double h = axis->t[i + 1] - axis->t[i];

      row[1] += 4 / h;
      row[2] += 2 / h;
      right[i] += 6 * (axis->x[i + 1] - axis->x[i]) / (h * h);
    }
    if (n == 1)
      row[1] = 1;
  }
  for (guint i = 1; i < n; i++) {
    const double factor = matrix[3 * (size_t) i] / matrix[3 * (size_t) i - 2];

    matrix[3 * (size_t) i + 1] -= factor * matrix[3 * (size_t) i - 1];
    right[i] -= factor * right[i - 1];
  }
  for (guint i = n; i-- > 0;)
    axis->v[i] = (right[i] - (i + 1 < n ? matrix[3 * (size_t) i + 2] * axis->v[i + 1] : 0)) /
                 matrix[3 * (size_t) i + 1];
}

/* Place, slope and second derivative in piece i at t. */
static void
evaluate_axis (const Axis *axis, guint i, double t, double value[3])
{
  const double h = axis->n > 1 ? axis->t[i + 1] - axis->t[i] : 1, u = (t - axis->t[i]) / h;
  const double x0 = axis->x[i], x1 = axis->n > 1 ? axis->x[i + 1] : x0;
  const double a = axis->v[i] * h, b = axis->n > 1 ? axis->v[i + 1] * h : a, d = x1 - x0;

  if (axis->n == 1) {
    value[0] = x0 + axis->v[0] * (t - axis->t[0]);
    value[1] = axis->v[0];
    value[2] = 0;
    return;
  }
  value[0] = x0 + u * (a + u * (3 * d - 2 * a - b + u * (a + b - 2 * d)));
  value[1] = (a + u * (2 * (3 * d - 2 * a - b) + 3 * u * (a + b - 2 * d))) / h;
  value[2] = (2 * (3 * d - 2 * a - b) + 6 * u * (a + b - 2 * d)) / (h * h);
}

/* The piece of an axis that holds the time between two samples. */
static guint
find_piece (const Axis *axis, double t)
{
  guint i = 0;

  while (i + 2 < axis->n && t >= axis->t[i + 1])
    i++;
  return i;
}

/* Samples and keys together. */
static GArray *
merge_times (const Spacetime *task, guint n)
{
  const double low = task->keys[0].time, high = task->keys[task->n_keys - 1].time;
  GArray *times = g_array_new (FALSE, FALSE, sizeof (double));
  guint count = 0;

  for (guint i = 0; i < n && high > low; i++) {
    const double t = kg_lerp (low, high, (double) i / (n - 1));

    g_array_append_val (times, t);
  }
  for (guint i = 0; i < task->n_keys; i++)
    g_array_append_val (times, task->keys[i].time);
  qsort (times->data, times->len, sizeof (double), kg_compare_doubles);
  for (guint i = 0; i < times->len; i++) {
    const double t = g_array_index (times, double, i);

    if (count == 0 || t > g_array_index (times, double, count - 1) + 1e-9 * (high - low))
      g_array_index (times, double, count++) = t;
  }
  g_array_set_size (times, count);
  /* A key that a sample nearly fell on must be the end. */
  g_array_index (times, double, count - 1) = high;
  return times;
}

bool
spacetime_solve_exact (const Spacetime *task, guint n, SpacetimePath *path, GError **error)
{
  g_autoptr (GArray) times = NULL;

  *path = (SpacetimePath){ .n = 0 };
  if (!check (task, error))
    return false;
  times = merge_times (task, MAX (n, 2));
  path_init (path, times->len);
  memcpy (path->t, times->data, times->len * sizeof (double));
  for (size_t c = 0; c < 3; c++) {
    g_auto (Axis)
        axis = { 0, g_new0 (double, task->n_keys), g_new0 (double, task->n_keys), g_new0 (double, task->n_keys) };
    const double g = kg_vector_get (task->gravity, c), start = task->keys[0].time;

    /* Falling is taken off, and put back afterwards. */
    for (guint i = 0; i < task->n_keys; i++) {
      const SpacetimeKey *key = &task->keys[i];
      const double t = key->time - start;

      if (!isfinite (key->place[c]))
        continue;
      axis.t[axis.n] = t;
      axis.x[axis.n] = key->place[c] - 0.5 * g * t * t;
      axis.v[axis.n++] = key->velocity[c] - g * t;
    }
    if (axis.n == 0) {
      axis.n = 1;
      axis.v[0] = 0;
    } else {
      solve_slopes (&axis);
      /* A single key holds it there: the force carries the weight. */
      if (task->n_keys == 1)
        axis.v[0] = isfinite (task->keys[0].velocity[c]) ? axis.v[0] : 0;
    }
    for (guint i = 0; i < path->n; i++) {
      const double t = path->t[i] - start;
      const double middle = i + 1 < path->n ? 0.5 * (t + path->t[i + 1] - start) : t;
      const double past = i > 0 ? 0.5 * (t + path->t[i - 1] - start) : t;
      /* Before the first key of this axis and after its last there is no force. */
      const bool in = axis.n > 1 && middle > axis.t[0] && middle < axis.t[axis.n - 1];
      const bool was = axis.n > 1 && past > axis.t[0] && past < axis.t[axis.n - 1];
      double value[3], end[3];

      evaluate_axis (&axis, find_piece (&axis, middle), t, value);
      evaluate_axis (&axis, find_piece (&axis, past), t, end);
      if (axis.n > 1 && t < axis.t[0]) {
        evaluate_axis (&axis, 0, axis.t[0], value);
        value[0] += value[1] * (t - axis.t[0]);
      } else if (axis.n > 1 && t > axis.t[axis.n - 1]) {
        evaluate_axis (&axis, axis.n - 2, axis.t[axis.n - 1], value);
        value[0] += value[1] * (t - axis.t[axis.n - 1]);
      }
      *kg_vector_component (&path->x[i], c) = value[0] + 0.5 * g * t * t;
      *kg_vector_component (&path->v[i], c) = value[1] + g * t;
      *kg_vector_component (&path->f[i], c) = in ? task->mass * value[2] : 0;
      *kg_vector_component (&path->f_after[i], c) = was ? task->mass * end[2] : 0;
      if (i + 1 == path->n)
        *kg_vector_component (&path->f[i], c) = kg_vector_get (path->f_after[i], c);
      else if (i == 0)
        *kg_vector_component (&path->f_after[i], c) = kg_vector_get (path->f[i], c);
    }
    for (guint i = 0; i + 1 < path->n; i++) {
      const double a = kg_vector_get (path->f[i], c), b = kg_vector_get (path->f_after[i + 1], c);

      path->cost += task->weight[c] * (path->t[i + 1] - path->t[i]) * (a * a + a * b + b * b) / 3;
    }
    if (task->n_keys == 1) {
      *kg_vector_component (&path->x[0], c) = isfinite (task->keys[0].place[c]) ? task->keys[0].place[c] : 0;
      *kg_vector_component (&path->v[0], c) = 0;
      *kg_vector_component (&path->f[0], c) = -task->mass * g;
      *kg_vector_component (&path->f_after[0], c) = -task->mass * g;
    }
  }
  return true;
}

/* Samples. */

/* A linear equation: up to three samples of one axis in a row, times factors, are a value; or there is no force at one. */
typedef struct {
  guint axis, first;
  double factors[3];
  double value;
  bool force;
  bool floor;
} Equation;

typedef struct {
  const Spacetime *task;
  guint n; /* samples */
  double h;
  const GArray *equations;
} Discrete;

/* The pull of the spring at x, and how it falls with x, row by row. */
static KgVector
get_pull (const Spacetime *task, KgVector x, double fall[3][3])
{
  const KgVector d = kg_vector_subtract (x, task->anchor);
  const double r = kg_vector_length (d);
  const KgVector unit = kg_vector_normalize_or (d, kg_vector (0, 0, 0));
  const double across = r > 1e-12 ? 1 - task->length / r : 1;

  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 3; k++)
      fall[i][k] = task->stiffness *
                   ((i == k ? across : 0) + (1 - across) * kg_vector_get (unit, i) * kg_vector_get (unit, k));
  return kg_vector_scale (unit, -task->stiffness * (r - task->length));
}

static KgVector
get_sample (const double *s, guint i)
{
  return kg_vector (s[3 * i], s[3 * i + 1], s[3 * i + 2]);
}

/* The force at sample i, 1 to n - 2; rows (nullable): its derivatives by the three samples from i - 1 on. */
static KgVector
get_force (const Discrete *d, const double *s, guint i, double rows[3][9])
{
  const double k = d->task->mass / (d->h * d->h);
  const KgVector a = get_sample (s, i - 1), x = get_sample (s, i), b = get_sample (s, i + 1);
  double fall[3][3];
  const KgVector pull = get_pull (d->task, x, fall);
  const KgVector bend = kg_vector_add (kg_vector_subtract (b, kg_vector_scale (x, 2)), a);

  for (int c = 0; rows != NULL && c < 3; c++) {
    memset (rows[c], 0, sizeof rows[c]);
    rows[c][c] = rows[c][6 + c] = k;
    for (int e = 0; e < 3; e++)
      rows[c][3 + e] = (c == e ? -2 * k : 0) + fall[c][e];
  }
  return kg_vector_subtract (kg_vector_add_scaled (kg_vector_scale (bend, k), -d->task->mass, d->task->gravity), pull);
}

static void
evaluate (gconstpointer data, const double *s, const double *lambda, double *function, double *c, double *gradient,
          double *hessian, double *jacobian)
{
  const Discrete *d = (const Discrete *) data;
  const size_t n = 3 * (size_t) d->n;
  double sum = 0;

  (void) lambda;
  for (guint i = 1; i + 1 < d->n; i++) {
    double rows[3][9];
    const KgVector f = get_force (d, s, i, rows);

    for (size_t axis = 0; axis < 3; axis++) {
      const double weight = d->h * d->task->weight[axis], value = kg_vector_get (f, axis);

      sum += weight * value * value;
      for (size_t k = 0; k < 9; k++) {
        if (gradient != NULL)
          gradient[3 * (i - 1) + k] += 2 * weight * value * rows[axis][k];
        for (size_t e = 0; hessian != NULL && e < 9; e++)
          hessian[(3 * (i - 1) + k) * n + 3 * (i - 1) + e] += 2 * weight * rows[axis][k] * rows[axis][e];
      }
    }
  }
  *function = sum;
  for (guint i = 0; i < d->equations->len; i++) {
    const Equation *equation = &g_array_index (d->equations, Equation, i);
    double rows[3][9];

    if (equation->force) {
      const double value = kg_vector_get (get_force (d, s, equation->first, rows), equation->axis);

      if (c != NULL)
        c[i] = value;
      for (size_t k = 0; jacobian != NULL && k < 9; k++)
        jacobian[i * n + 3 * (equation->first - 1) + k] = rows[equation->axis][k];
      continue;
    }
    if (c != NULL)
      c[i] = -equation->value;
    for (guint k = 0; k < 3; k++) {
      const size_t at = 3 * ((size_t) equation->first + k) + equation->axis;

      if (equation->factors[k] == 0)
        continue;
      if (c != NULL)
        c[i] += equation->factors[k] * s[at];
      if (jacobian != NULL)
        jacobian[i * n + at] = equation->factors[k];
    }
  }
}

/* What keys and the times of contact ask for. */
static void
add_equations (const Spacetime *task, guint n, double h, GArray *equations)
{
  const double start = task->keys[0].time;

  for (guint i = 0; i < task->n_keys; i++) {
    const double at = (task->keys[i].time - start) / h;
    const double near = round (at);
    const double whole = fabs (at - near) < 1e-6 ? near : floor (at), part = at - whole;
    const guint first = (guint) CLAMP (whole, 0, n - 1);

    for (guint c = 0; c < 3; c++) {
      Equation equation = { .axis = c, .first = first, .factors = { 1, 0, 0 }, .value = task->keys[i].place[c] };

      if (part > 1e-6 && first + 1 < n) {
        equation.factors[0] = 1 - part;
        equation.factors[1] = part;
      }
      if (isfinite (equation.value))
        g_array_append_val (equations, equation);
      equation = (Equation){ .axis = c, .value = task->keys[i].velocity[c] };
      if (first == 0 || first + 1 >= n) {
        equation.first = first == 0 ? 0 : n - 2;
        equation.factors[0] = -1 / h;
        equation.factors[1] = 1 / h;
      } else {
        equation.first = first - 1;
        equation.factors[0] = -0.5 / h;
        equation.factors[2] = 0.5 / h;
      }
      if (isfinite (equation.value))
        g_array_append_val (equations, equation);
    }
  }
  for (guint i = 1; task->n_contacts > 0 && i + 1 < n; i++) {
    const double t = start + i * h;
    bool touches = false;

    for (guint k = 0; k < task->n_contacts; k++)
      touches = touches || (t >= task->contacts[k][0] - 1e-9 && t <= task->contacts[k][1] + 1e-9);
    for (guint c = 0; !touches && c < 3; c++) {
      const Equation equation = { .axis = c, .first = i, .force = true };

      g_array_append_val (equations, equation);
    }
  }
}

/* Takes up samples that sink into the floor, and releases those that it would have to pull down.  False: nothing to do. */
static bool
update_floor (const Spacetime *task, guint n, const double *s, const double *lambda, GArray *equations, uint8_t *held)
{
  bool changed = false;

  for (guint i = equations->len; i-- > 0;) {
    const Equation equation = g_array_index (equations, Equation, i);

    if (equation.floor && lambda[i] > 1e-7 && held[equation.first] < 3) {
      g_array_remove_index (equations, i);
      held[equation.first] += 2;
      held[equation.first] &= 0xfe;
      changed = true;
    }
  }
  for (guint i = 0; i < n; i++) {
    const Equation equation = { .axis = 1, .first = i, .factors = { 1, 0, 0 }, .value = task->height, .floor = true };

    if (s[3 * i + 1] < task->height - 1e-7 && !(held[i] & 1)) {
      g_array_append_val (equations, equation);
      held[i] |= 1;
      changed = true;
    }
  }
  return changed;
}

static void
store_path (const Discrete *d, const double *s, SpacetimePath *path)
{
  const guint n = d->n;

  for (guint i = 0; i < n; i++) {
    const guint a = i > 0 ? i - 1 : 0, b = MIN (i + 1, n - 1), inner = CLAMP (i, 1, n - 2);

    path->t[i] = d->task->keys[0].time + i * d->h;
    path->x[i] = get_sample (s, i);
    path->v[i] = kg_vector_scale (kg_vector_subtract (get_sample (s, b), get_sample (s, a)), 1 / ((b - a) * d->h));
    /* The first and the last force are those of their neighbours: the ends have none. */
    path->f[i] = path->f_after[i] = get_force (d, s, inner, NULL);
  }
}

bool
spacetime_solve_discrete (const Spacetime *task, guint n, SpacetimePath *path, const KgProgressMonitor *monitor,
                          GError **error)
{
  g_autoptr (GArray) equations = g_array_new (FALSE, TRUE, sizeof (Equation));
  g_auto (SpacetimePath) start = { .n = 0 };
  Discrete d = { .task = task, .n = n, .equations = equations };
  g_autofree double *s = NULL, *lambda = NULL;
  g_autofree uint8_t *held = g_new0 (uint8_t, n + 1);
  SqpReport report = { .converged = false };

  *path = (SpacetimePath){ .n = 0 };
  if (!check (task, error) || !spacetime_solve_exact (task, n, &start, error))
    return false;
  if (task->n_keys < 2) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "samples need the times of at least two keys: add a key, or use the exact method");
    return false;
  }
  if (n < 3) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%u samples are too few for a force between them: use 3 or more", n);
    return false;
  }
  d.h = (task->keys[task->n_keys - 1].time - task->keys[0].time) / (n - 1);
  for (guint i = 0; i + 1 < task->n_keys; i++)
    if (task->keys[i + 1].time - task->keys[i].time < 0.999 * d.h) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "keys %u and %u are closer than the samples, which are %g s apart: use more samples", i + 1, i + 2,
                    d.h);
      return false;
    }
  add_equations (task, n, d.h, equations);
  /* From the straight way between keys on: the exact path has other times. */
  s = g_new0 (double, 3 * (size_t) n);
  for (guint i = 0, k = 0; i < n; i++) {
    const double t = start.t[0] + i * d.h;

    while (k + 2 < start.n && start.t[k + 1] < t)
      k++;
    for (size_t c = 0; c < 3; c++)
      s[3 * i + c] = kg_lerp (kg_vector_get (start.x[k], c), kg_vector_get (start.x[k + 1], c),
                              (t - start.t[k]) / (start.t[k + 1] - start.t[k]));
  }
  path_init (path, n);
  for (int round = 0; round < 60; round++) {
    if (3 * n + equations->len > SQP_MAX) {
      kg_set_error (error, KG_ERROR_LIMIT, "%u samples make %u unknowns and equations, at most %d: use fewer", n,
                    3 * n + equations->len, SQP_MAX);
      return false;
    }
    g_free (lambda);
    lambda = g_new0 (double, equations->len + 1);
    if (!sqp_solve (&(Sqp){ 3 * n, equations->len, evaluate, &d }, s, lambda, task->stiffness > 0 ? 60 : 3, 1e-10,
                    &report, monitor, error))
      return false;
    path->iterations += report.iterations;
    if (!(report.residual <= 1e-5 * (1 + task->mass))) {
      kg_set_error (
          error, KG_ERROR_DEGENERATE,
          "the keys contradict each other, or cannot be reached with the force that contacts allow: an error of "
          "%g is left; free a cell, or allow contact for longer",
          report.residual);
      return false;
    }
    if (!task->floor || !update_floor (task, n, s, lambda, equations, held))
      break;
  }
  for (guint i = 0; i < equations->len; i++)
    path->n_floor += g_array_index (equations, Equation, i).floor;
  path->cost = report.function;
  path->residual = report.residual;
  store_path (&d, s, path);
  return true;
}
