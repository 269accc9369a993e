/* ik_rates: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/ik_rates.h"

#include "value/matrix.h"

/* Singular values below this share of the largest are directions that the linkage cannot move in. */
#define CUTOFF 1e-6
/* Least over largest singular value, below which damping near singular poses sets in. */
#define NEAR_SINGULAR 0.1
/* Most that a freedom changes in a step of selective damping. */
#define SELECTIVE_MOST (KG_PI / 4)

/* Orthonormal rows that span what the levels so far see. */
typedef struct {
  double *vectors; /* n each */
  guint n_vectors;
} Seen;

static double
dot (const double *a, const double *b, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Takes out of v what is seen already. */
static void
project (const Seen *seen, guint n, double *v)
{
  for (guint k = 0; k < seen->n_vectors; k++) {
    const double *b = seen->vectors + (gsize) k * n;
    const double part = dot (b, v, n);

    for (guint i = 0; i < n; i++)
      v[i] -= part * b[i];
  }
}

static double
get_largest (const double *v, guint n)
{
  double largest = 0;

  for (guint i = 0; i < n; i++)
    largest = fmax (largest, fabs (v[i]));
  return largest;
}

/* How far a freedom may go for singular direction k: the worse the direction, the less. */
static double
get_selective_limit (const Matrix *rows, const MatrixSvd *svd, guint k)
{
  double worth = 0, effort = 0;

  for (guint r = 0; r < rows->n_rows; r += 3) {
    double u = 0;

    for (guint c = r; c < MIN (r + 3, rows->n_rows); c++)
      u += matrix_get (svd->u, c, k) * matrix_get (svd->u, c, k);
    worth += sqrt (u);
    for (guint j = 0; j < rows->n_columns; j++) {
      double move = 0;

      for (guint c = r; c < MIN (r + 3, rows->n_rows); c++)
        move += matrix_get (rows, c, j) * matrix_get (rows, c, j);
      effort += fabs (matrix_get (svd->v, j, k)) * sqrt (move) / svd->w[k];
    }
  }
  return fmin (1, effort > 0 ? worth / effort : 1) * SELECTIVE_MOST;
}

/* Adds the rates that make the rest of the error of one level with rows (projected: they see nothing of the levels before). */
static bool
add_level (const IkRates *ik, const Matrix *rows, const double *rest, double size, double *rates, Seen *seen,
           GError **error)
{
  g_autoptr (MatrixSvd) svd = matrix_svd_new (rows, error);
  g_autofree double *change = g_new0 (double, ik->n);
  const bool selective = ik->method == IK_RATES_DAMPED && ik->damping_rule == IK_DAMPING_SELECTIVE;
  double damping = 0;

  if (svd == NULL)
    return false;
  if (ik->method == IK_RATES_DAMPED && !selective) {
    const guint rank = svd->w[0] > 0 ? matrix_svd_get_rank (svd, 1e-9) : 0;
    const double ease = rank > 0 ? svd->w[rank - 1] / svd->w[0] : 0;

    damping = ik->damping;
    if (ik->damping_rule == IK_DAMPING_NEAR_SINGULAR)
      damping *= fmax (0, 1 - ease / NEAR_SINGULAR);
  }
  for (guint k = 0; k < svd->n; k++) {
    const double w = svd->w[k];
    double part = 0, most = INFINITY, scale = 1;

    if (!(w > (damping > 0 ? 1e-12 : CUTOFF) * size))
      continue;
    for (guint r = 0; r < rows->n_rows; r++)
      part += matrix_get (svd->u, r, k) * rest[r];
    part *= w / (w * w + damping * damping);
    if (selective) {
      double largest = 0;

      for (guint i = 0; i < ik->n; i++)
        largest = fmax (largest, fabs (part * matrix_get (svd->v, i, k)));
      most = get_selective_limit (rows, svd, k);
      scale = largest > most ? most / largest : 1;
    }
    for (guint i = 0; i < ik->n; i++)
      change[i] += scale * part * matrix_get (svd->v, i, k);
    if (w > CUTOFF * size) {
      for (guint i = 0; i < ik->n; i++)
        seen->vectors[(gsize) seen->n_vectors * ik->n + i] = matrix_get (svd->v, i, k);
      seen->n_vectors++;
    }
  }
  if (selective && get_largest (change, ik->n) > SELECTIVE_MOST) {
    const double scale = SELECTIVE_MOST / get_largest (change, ik->n);

    for (guint i = 0; i < ik->n; i++)
      change[i] *= scale;
  }
  for (guint i = 0; i < ik->n; i++)
    rates[i] += change[i];
  return true;
}

/* Level after level, each among the motions that those before do not notice. */
static bool
solve_levels (const IkRates *ik, double *rates, Seen *seen, GError **error)
{
  int level = G_MININT;

  for (;;) {
    int next = G_MAXINT;
    guint n_rows = 0, row = 0;
    g_autoptr (Matrix) rows = NULL;
    g_autofree double *rest = NULL;
    double size = 0;
    bool found = false;

    for (guint r = 0; r < ik->n_rows; r++) {
      const int own = ik->levels != NULL ? ik->levels[r] : 0;

      if (own > level && (!found || own < next)) {
        next = own;
        found = true;
      }
    }
    if (!found)
      return true;
    level = next;
    for (guint r = 0; r < ik->n_rows; r++)
      n_rows += (ik->levels != NULL ? ik->levels[r] : 0) == level;
    rows = matrix_new (n_rows, ik->n, error);
    if (rows == NULL)
      return false;
    rest = g_new (double, n_rows);
    for (guint r = 0; r < ik->n_rows; r++)
      if ((ik->levels != NULL ? ik->levels[r] : 0) == level) {
        double *to = rows->a + (gsize) row * ik->n;

        memcpy (to, ik->jacobian + (gsize) r * ik->n, ik->n * sizeof *to);
        rest[row] = ik->error[r] - dot (to, rates, ik->n);
        size = fmax (size, sqrt (dot (to, to, ik->n)));
        project (seen, ik->n, to);
        row++;
      }
    if (!add_level (ik, rows, rest, size, rates, seen, error))
      return false;
  }
}

static bool
solve_inverse (const IkRates *ik, double *rates, GError **error)
{
  g_autofree guint *rows = g_new (guint, ik->n_rows), *columns = g_new (guint, ik->n);
  guint n_rows = 0, n_columns = 0;
  const double size = get_largest (ik->jacobian, ik->n_rows * ik->n);
  g_autoptr (Matrix) square = NULL;
  g_autoptr (MatrixSvd) svd = NULL;
  g_autoptr (MatrixLu) lu = NULL;
  g_autofree double *b = NULL;

  /* The arm in a plane cannot leave it: that row asks for nothing that can be had. */
  for (guint r = 0; r < ik->n_rows; r++)
    if (get_largest (ik->jacobian + (gsize) r * ik->n, ik->n) > 1e-12 * size)
      rows[n_rows++] = r;
  for (guint c = 0; c < ik->n; c++) {
    bool moves = false;

    for (guint r = 0; r < ik->n_rows; r++)
      moves |= fabs (ik->jacobian[(gsize) r * ik->n + c]) > 1e-12 * size;
    if (moves)
      columns[n_columns++] = c;
  }
  if (n_rows > n_columns || n_rows == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the pose is singular (free joints: %u, directions: %u): choose damped-least-squares", n_columns,
                  n_rows);
    return false;
  }
  if (n_rows < n_columns) {
    /* A straight arm: the directions that are left are fewer than the joints, as they are for a redundant one. */
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "the Jacobian has no inverse (freedoms: %u, directions: %u): choose pseudo-inverse for a redundant arm, or damped-least-squares for a singular pose",
        n_columns, n_rows);
    return false;
  }
  square = matrix_new (n_rows, n_rows, error);
  if (square == NULL)
    return false;
  for (guint r = 0; r < n_rows; r++)
    for (guint c = 0; c < n_rows; c++)
      matrix_set (square, r, c, ik->jacobian[(gsize) rows[r] * ik->n + columns[c]]);
  svd = matrix_svd_new (square, error);
  if (svd == NULL)
    return false;
  if (!(svd->w[n_rows - 1] > CUTOFF * svd->w[0])) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the pose is singular (singular values %g to %g): choose damped-least-squares", svd->w[0],
                  svd->w[n_rows - 1]);
    return false;
  }
  lu = matrix_lu_new (square, MATRIX_PIVOT_PARTIAL, NULL, error);
  if (lu == NULL)
    return false;
  b = g_new (double, n_rows);
  for (guint r = 0; r < n_rows; r++)
    b[r] = ik->error[rows[r]];
  matrix_lu_solve (lu, b, 1);
  for (guint c = 0; c < n_rows; c++)
    rates[columns[c]] = b[c];
  return true;
}

static void
solve_transpose (const IkRates *ik, double *rates)
{
  double along = 0, square = 0;

  for (guint r = 0; r < ik->n_rows; r++)
    for (guint c = 0; c < ik->n; c++)
      rates[c] += ik->jacobian[(gsize) r * ik->n + c] * ik->error[r];
  for (guint r = 0; r < ik->n_rows; r++) {
    const double moved = dot (ik->jacobian + (gsize) r * ik->n, rates, ik->n);

    along += ik->error[r] * moved;
    square += moved * moved;
  }
  for (guint c = 0; c < ik->n; c++)
    rates[c] = square > 0 ? rates[c] * along / square : 0;
}

static void
solve_effect (const IkRates *ik, double *rates)
{
  double sum = 0;

  for (guint c = 0; c < ik->n; c++) {
    double square = 0, along = 0;

    for (guint r = 0; r < ik->n_rows; r++) {
      const double x = ik->jacobian[(gsize) r * ik->n + c];

      square += x * x;
      along += x * ik->error[r];
    }
    if (square > 0) {
      sum += sqrt (square);
      rates[c] = kg_clamp (along / square, -5 * KG_DEGREE, 5 * KG_DEGREE) * sqrt (square);
    }
  }
  for (guint c = 0; c < ik->n; c++)
    rates[c] = sum > 0 ? rates[c] / sum : 0;
}

static bool
solve (const IkRates *ik, double *rates, GError **error)
{
  g_autofree double *wish = NULL;
  Seen seen = { NULL, 0 };
  bool solved;

  memset (rates, 0, ik->n * sizeof *rates);
  if (ik->n == 0)
    return true;
  if (ik->method == IK_RATES_INVERSE)
    return solve_inverse (ik, rates, error);
  if (ik->method == IK_RATES_TRANSPOSE || ik->method == IK_RATES_EFFECT) {
    (ik->method == IK_RATES_TRANSPOSE ? solve_transpose : solve_effect) (ik, rates);
    return true;
  }
  seen.vectors = g_new (double, (gsize) MAX (ik->n_rows, 1) * ik->n);
  solved = solve_levels (ik, rates, &seen, error);
  if (solved && ik->wish != NULL) {
    wish = g_memdup2 (ik->wish, ik->n * sizeof *wish);
    project (&seen, ik->n, wish);
    for (guint i = 0; i < ik->n; i++)
      rates[i] += wish[i];
  }
  g_free (seen.vectors);
  return solved;
}

/* Every freedom in units in which it is as stiff as the softest. */
static bool
solve_stiff (const IkRates *ik, double *rates, GError **error)
{
  g_autofree double *units = g_new (double, ik->n), *wish = g_new (double, ik->n);
  g_autofree double *jacobian = g_new (double, (gsize) ik->n_rows * ik->n + 1);
  IkRates scaled = *ik;
  double softest = INFINITY;

  for (guint k = 0; k < ik->n; k++)
    softest = fmin (softest, ik->stiffness[k]);
  for (guint k = 0; k < ik->n; k++) {
    units[k] = sqrt (softest / ik->stiffness[k]);
    wish[k] = ik->wish != NULL ? ik->wish[k] / units[k] : 0;
    for (guint r = 0; r < ik->n_rows; r++)
      jacobian[(gsize) r * ik->n + k] = ik->jacobian[(gsize) r * ik->n + k] * units[k];
  }
  scaled.jacobian = jacobian;
  scaled.wish = ik->wish != NULL ? wish : NULL;
  if (!solve (&scaled, rates, error))
    return false;
  for (guint k = 0; k < ik->n; k++)
    rates[k] *= units[k];
  return true;
}

bool
ik_rates_solve (const IkRates *ik, double *rates, GError **error)
{
  return ik->stiffness != NULL && ik->n > 0 ? solve_stiff (ik, rates, error) : solve (ik, rates, error);
}

bool
ik_rates_project (const IkRates *ik, const double *wish, double *projected, GError **error)
{
  g_autofree double *still = g_new0 (double, MAX (ik->n_rows, 1));
  IkRates projection = *ik;

  projection.error = still;
  projection.wish = wish;
  projection.method = IK_RATES_PSEUDO_INVERSE;
  projection.levels = NULL;
  return ik_rates_solve (&projection, projected, error);
}
