/* least_energy: points that restore their shape, and lines that bend or stretch least.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "deform/least_energy.h"

#include "kg-error.h"
#include "kg-floats.h"
#include "sim/envelope_matrix.h"

#define MAX_STEPS 60
#define N_PARAMETERS 7 /* rotation, translation, size */
/* Of what nothing holds, as a share of the largest entry. */
#define HOLD 1e-9

static double
square (double x)
{
  return x * x;
}

/* Part of a residual: factor times a point. */
typedef struct {
  guint n;
  uint32_t points[3];
  double factors[3];
  bool bends;
} Term;

struct _LeastEnergy {
  size_t n, n_free;
  LeastEnergyWeights weights;
  KgVector *rest; /* from the centre */
  KgVector center;
  double size;
  double *weight, *pulls;
  uint32_t *unknown; /* of a point, G_MAXUINT32: held */
  uint32_t *point;   /* of an unknown */
  GArray *terms;
  double hold; /* above 0: some points are held by nothing else */
  EnvelopeMatrix matrix;
};

void
least_energy_free (LeastEnergy *e)
{
  if (e == NULL)
    return;
  g_free (e->rest);
  g_free (e->weight);
  g_free (e->pulls);
  g_free (e->unknown);
  g_free (e->point);
  if (e->terms != NULL)
    g_array_unref (e->terms);
  envelope_matrix_clear (&e->matrix);
  g_free (e);
}

/* Terms of polylines. */

static bool
add_line (LeastEnergy *e, const KgPrimitive *line, size_t index, GError **error)
{
  const uint32_t n = line->n_vertices, *v = line->vertices;
  const uint32_t edges = line->closed ? n : n - 1;
  double length = 0, h;

  for (uint32_t i = 0; i < edges; i++)
    length += kg_vector_distance (e->rest[v[i]], e->rest[v[(i + 1) % n]]);
  h = length / edges;
  if (!(h > 0)) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "primitive %zu has a length of 0: a line that bends or stretches needs points at some distance",
                  index);
    return false;
  }
  for (uint32_t i = 0; i < edges && e->weights.stretch > 0; i++) {
    const double f = sqrt (e->weights.stretch / h);
    const Term term = { 2, { v[i], v[(i + 1) % n], 0 }, { -f, f, 0 }, false };

    g_array_append_val (e->terms, term);
  }
  for (uint32_t i = line->closed ? 0 : 1; n > 2 && i < (line->closed ? n : n - 1) && e->weights.bend > 0; i++) {
    const double f = sqrt (e->weights.bend / (h * h * h));
    const Term term = { 3, { v[(i + n - 1) % n], v[i], v[(i + 1) % n] }, { f, -2 * f, f }, true };

    g_array_append_val (e->terms, term);
  }
  return true;
}

static bool
read_lines (LeastEnergy *e, const KgGeometry *geometry, GError **error)
{
  if (!(e->weights.bend > 0) && !(e->weights.stretch > 0))
    return true;
  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.kind == KG_POLYLINE && primitive.n_vertices > 1 && !add_line (e, &primitive, i, error))
      return false;
  }
  return true;
}

static bool
read_points (LeastEnergy *e, const KgGeometry *geometry, const double *pulls, GError **error)
{
  const float *p = kg_geometry_get_positions (geometry),
              *weight = kg_geometry_get_float (geometry, KG_POINTS, "weight", 1);
  double sum = 0;

  for (size_t i = 0; i < e->n; i++) {
    e->rest[i] = kg_floats_get_vector (p, i);
    e->weight[i] = weight != NULL ? (double) weight[i] : 1;
    e->pulls[i] = pulls[i];
    if (!(e->weight[i] >= 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "point %zu has a weight of %g: weights must not be below 0", i,
                    e->weight[i]);
      return false;
    }
    sum += e->weight[i];
    e->center = kg_vector_add_scaled (e->center, e->weight[i], e->rest[i]);
    if (isinf (pulls[i])) {
      e->unknown[i] = G_MAXUINT32;
    } else {
      e->point[e->n_free] = (uint32_t) i;
      e->unknown[i] = (uint32_t) e->n_free++;
    }
  }
  e->center = sum > 0 ? kg_vector_scale (e->center, 1 / sum) : kg_vector (0, 0, 0);
  if (!(sum > 0))
    e->weights.shape = 0;
  for (size_t i = 0; i < e->n; i++) {
    e->rest[i] = kg_vector_subtract (e->rest[i], e->center);
    e->size = fmax (e->size, kg_vector_length (e->rest[i]));
  }
  return true;
}

/* diagonal + factor times the matrix of the energy.  False: not positive definite. */
static bool
fill_matrix (const LeastEnergy *e, EnvelopeMatrix *matrix, double diagonal, double factor)
{
  envelope_matrix_set_zero (matrix);
  for (size_t k = 0; k < e->n_free; k++) {
    const uint32_t i = e->point[k];

    envelope_matrix_add (matrix, k, k, diagonal + factor * (e->weights.shape * e->weight[i] + e->pulls[i]));
  }
  for (guint t = 0; t < e->terms->len; t++) {
    const Term *term = &g_array_index (e->terms, Term, t);

    for (guint a = 0; a < term->n; a++)
      for (guint b = 0; b <= a; b++) {
        const uint32_t i = e->unknown[term->points[a]], j = e->unknown[term->points[b]];

        if (i == G_MAXUINT32 || j == G_MAXUINT32)
          continue;
        /* A line may come by a point twice. */
        envelope_matrix_add (matrix, i, j, (i == j && a != b ? 2 : 1) * factor * term->factors[a] * term->factors[b]);
      }
  }
  return envelope_matrix_factorize (matrix);
}

static void
init_matrix (const LeastEnergy *e, EnvelopeMatrix *matrix)
{
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, 2 * sizeof (uint32_t));

  for (guint t = 0; t < e->terms->len; t++) {
    const Term *term = &g_array_index (e->terms, Term, t);

    for (guint a = 0; a < term->n; a++)
      for (guint b = 0; b < a; b++) {
        const uint32_t pair[2] = { e->unknown[term->points[a]], e->unknown[term->points[b]] };

        if (pair[0] != G_MAXUINT32 && pair[1] != G_MAXUINT32 && pair[0] != pair[1])
          g_array_append_vals (pairs, pair, 1);
      }
  }
  envelope_matrix_init (matrix, e->n_free, (const uint32_t (*)[2]) (const void *) pairs->data, pairs->len);
}

/* What nothing holds is held a little, at rest. */
static double
get_hold (const LeastEnergy *e)
{
  double most = 0;

  for (guint t = 0; t < e->terms->len; t++)
    for (guint a = 0; a < 3; a++)
      most = fmax (most, square (g_array_index (e->terms, Term, t).factors[a]));
  for (size_t i = 0; i < e->n; i++)
    if (!isinf (e->pulls[i]))
      most = fmax (most, e->weights.shape * e->weight[i] + e->pulls[i]);
  return HOLD * (most > 0 ? most : 1);
}

LeastEnergy *
least_energy_new (const KgGeometry *geometry, const double *pulls, const LeastEnergyWeights *weights, GError **error)
{
  const size_t n = kg_geometry_get_n_points (geometry);
  g_autoptr (LeastEnergy) e = g_new0 (LeastEnergy, 1);

  e->n = n;
  e->weights = *weights;
  e->rest = g_new0 (KgVector, MAX (n, 1));
  e->weight = g_new0 (double, MAX (n, 1));
  e->pulls = g_new0 (double, MAX (n, 1));
  e->unknown = g_new0 (uint32_t, MAX (n, 1));
  e->point = g_new0 (uint32_t, MAX (n, 1));
  e->terms = g_array_new (FALSE, FALSE, sizeof (Term));
  if (!read_points (e, geometry, pulls, error) || !read_lines (e, geometry, error))
    return NULL;
  init_matrix (e, &e->matrix);
  if (!fill_matrix (e, &e->matrix, 0, 1)) {
    e->hold = get_hold (e);
    fill_matrix (e, &e->matrix, e->hold, 1);
  }
  return g_steal_pointer (&e);
}

/* The rest shape as it lies now. */
typedef struct {
  KgRotation turn;
  KgVector place;
  double scale;
} Fit;

static KgVector
get_arm (const LeastEnergy *e, const Fit *fit, size_t i)
{
  return kg_vector_scale (kg_rotation_apply (fit->turn, e->rest[i]), fit->scale);
}

static double
measure (const LeastEnergy *e, const Fit *fit, const KgVector *targets, const KgVector *points,
         LeastEnergyReport *report)
{
  double shape = 0, bend = 0, stretch = 0, pull = 0;

  for (size_t i = 0; i < e->n; i++) {
    const KgVector goal = kg_vector_add (fit->place, get_arm (e, fit, i));

    shape += e->weights.shape * e->weight[i] * square (kg_vector_distance (points[i], goal));
    if (e->pulls[i] > 0 && !isinf (e->pulls[i]))
      pull += e->pulls[i] * square (kg_vector_distance (points[i], targets[i]));
  }
  for (guint t = 0; t < e->terms->len; t++) {
    const Term *term = &g_array_index (e->terms, Term, t);
    KgVector sum = { 0, 0, 0 };

    for (guint a = 0; a < term->n; a++)
      sum = kg_vector_add_scaled (sum, term->factors[a], points[term->points[a]]);
    *(term->bends ? &bend : &stretch) += kg_vector_dot (sum, sum);
  }
  report->energy = shape + bend + stretch + pull;
  report->shape = shape;
  report->bend = bend;
  report->stretch = stretch;
  report->pull = pull;
  report->turn = fit->turn;
  report->place = fit->place;
  report->scale = fit->scale;
  report->loose = e->hold > 0;
  return report->energy;
}

/* The right sides of the system, three of n_free numbers each. */
static void
get_right (const LeastEnergy *e, const Fit *fit, const KgVector *targets, double *right)
{
  for (size_t k = 0; k < e->n_free; k++) {
    const uint32_t i = e->point[k];
    KgVector b = kg_vector_scale (kg_vector_add (fit->place, get_arm (e, fit, i)), e->weights.shape * e->weight[i]);

    if (e->pulls[i] > 0)
      b = kg_vector_add_scaled (b, e->pulls[i], targets[i]);
    b = kg_vector_add_scaled (b, e->hold, kg_vector_add (e->center, e->rest[i]));
    for (size_t c = 0; c < 3; c++)
      right[c * e->n_free + k] = kg_vector_get (b, c);
  }
  for (guint t = 0; t < e->terms->len; t++) {
    const Term *term = &g_array_index (e->terms, Term, t);

    for (guint a = 0; a < term->n; a++)
      for (guint b = 0; b < term->n; b++) {
        const uint32_t k = e->unknown[term->points[a]];

        if (k == G_MAXUINT32 || e->unknown[term->points[b]] != G_MAXUINT32)
          continue;
        for (size_t c = 0; c < 3; c++)
          right[c * e->n_free + k] -= term->factors[a] * term->factors[b] * kg_vector_get (targets[term->points[b]], c);
      }
  }
}

static void
solve_points (const LeastEnergy *e, const Fit *fit, const KgVector *targets, double *work, KgVector *points)
{
  get_right (e, fit, targets, work);
  for (size_t c = 0; c < 3; c++) {
    envelope_matrix_solve (&e->matrix, work + c * e->n_free, work + c * e->n_free);
    for (size_t k = 0; k < e->n_free; k++)
      *kg_vector_component (&points[e->point[k]], c) = work[c * e->n_free + k];
  }
  for (size_t i = 0; i < e->n; i++)
    if (e->unknown[i] == G_MAXUINT32)
      points[i] = targets[i];
}

/* How a goal moves with a parameter. */
static KgVector
get_change (const LeastEnergy *e, guint parameter, KgVector arm)
{
  KgVector axis = { 0, 0, 0 };

  if (parameter == 6)
    return e->weights.scale ? arm : axis;
  *kg_vector_component (&axis, parameter % 3) = 1;
  return parameter < 3 ? kg_vector_cross (axis, arm) : axis;
}

/* The matrix of the parameters' problem; the points follow, or (frozen) do not. */
static void
get_matrix (const LeastEnergy *e, const Fit *fit, bool frozen, double *work, double (*h)[N_PARAMETERS])
{
  memset (h, 0, N_PARAMETERS * sizeof *h);
  for (guint q = 0; q < N_PARAMETERS; q++) {
    for (size_t c = 0; c < 3 && !frozen; c++) {
      for (size_t k = 0; k < e->n_free; k++) {
        const uint32_t i = e->point[k];

        work[c * e->n_free + k] = e->weights.shape * e->weight[i] *
                                  kg_vector_get (get_change (e, q, get_arm (e, fit, i)), c);
      }
      envelope_matrix_solve (&e->matrix, work + c * e->n_free, work + c * e->n_free);
    }
    for (size_t i = 0; i < e->n; i++) {
      const KgVector arm = get_arm (e, fit, i);
      KgVector change = get_change (e, q, arm);
      const uint32_t k = e->unknown[i];

      if (k != G_MAXUINT32 && !frozen)
        change = kg_vector_subtract (change, kg_vector (work[k], work[e->n_free + k], work[2 * e->n_free + k]));
      for (guint p = 0; p < N_PARAMETERS; p++)
        h[p][q] += e->weight[i] * kg_vector_dot (get_change (e, p, arm), change);
    }
  }
}

/* Gauss' elimination with a little on the diagonal, so that what makes no difference, such as a turn about the line that all
 * points are on, stays 0. */
static void
solve_parameters (double (*h)[N_PARAMETERS], double *b)
{
  double most = 0;

  for (guint p = 0; p < N_PARAMETERS; p++)
    most = fmax (most, h[p][p]);
  for (guint p = 0; p < N_PARAMETERS; p++)
    h[p][p] += 1e-12 * most + 1e-300;
  for (guint p = 0; p < N_PARAMETERS; p++)
    for (guint q = p + 1; q < N_PARAMETERS; q++) {
      const double f = h[q][p] / h[p][p];

      for (guint r = p; r < N_PARAMETERS; r++)
        h[q][r] -= f * h[p][r];
      b[q] -= f * b[p];
    }
  for (guint p = N_PARAMETERS; p-- > 0;) {
    for (guint q = p + 1; q < N_PARAMETERS; q++)
      b[p] -= h[p][q] * b[q];
    b[p] /= h[p][p];
  }
}

static Fit
move_fit (const Fit *fit, const double *step, double share)
{
  const KgVector turn = kg_vector_scale (kg_vector (step[0], step[1], step[2]), share);

  return (Fit){ .turn = kg_rotation_normalize (
                    kg_rotation_multiply (kg_rotation_from_axis_angle (turn, kg_vector_length (turn)), fit->turn)),
                .place = kg_vector_add_scaled (fit->place, share, kg_vector (step[3], step[4], step[5])),
                .scale = fit->scale * exp (kg_clamp (share * step[6], -1, 1)) };
}

/* Fits the rest shape; frozen: to the points as they are.  False: cancelled. */
static bool
improve (const LeastEnergy *e, const KgVector *targets, bool frozen, Fit *fit, double *work, KgVector *points,
         LeastEnergyReport *report, const KgProgressMonitor *monitor)
{
  g_autofree KgVector *tried = g_memdup2 (points, MAX (e->n, 1) * sizeof *points);
  double energy = measure (e, fit, targets, points, report);

  for (report->steps = 0; report->steps < MAX_STEPS && e->weights.shape > 0; report->steps++) {
    double h[N_PARAMETERS][N_PARAMETERS], step[N_PARAMETERS] = { 0 }, share = 1, after = INFINITY, way = 0;
    Fit next = *fit;

    get_matrix (e, fit, frozen, work, h);
    for (size_t i = 0; i < e->n; i++) {
      const KgVector arm = get_arm (e, fit, i), left = kg_vector_subtract (points[i], kg_vector_add (fit->place, arm));

      for (guint p = 0; p < N_PARAMETERS; p++)
        step[p] += e->weight[i] * kg_vector_dot (get_change (e, p, arm), left);
    }
    solve_parameters (h, step);
    for (int tries = 0; tries < 30; tries++, share *= 0.5) {
      next = move_fit (fit, step, share);
      if (!frozen)
        solve_points (e, &next, targets, work, tried);
      after = measure (e, &next, targets, tried, report);
      if (after <= energy)
        break;
    }
    if (!(after <= energy))
      break;
    for (guint p = 0; p < N_PARAMETERS; p++)
      way = fmax (way, share * fabs (step[p]) * (p < 3 || p == 6 ? e->size : 1));
    energy = after;
    *fit = next;
    memcpy (points, tried, e->n * sizeof *points);
    if (way <= 1e-13 * e->size)
      break;
    if (kg_progress_is_cancelled (monitor))
      return false;
  }
  measure (e, fit, targets, points, report);
  return true;
}

bool
least_energy_solve (LeastEnergy *e, const KgVector *targets, KgVector *points, LeastEnergyReport *report,
                    const KgProgressMonitor *monitor)
{
  g_autofree double *work = g_new0 (double, 3 * e->n_free + 1);
  Fit fit = { kg_rotation_identity (), e->center, 1 };
  double sum = 0;
  KgVector shift = { 0, 0, 0 };

  *report = (LeastEnergyReport){ .scale = 1 };
  /* Starts where the led points have gone on average. */
  for (size_t i = 0; i < e->n; i++)
    if (e->pulls[i] > 0) {
      const double w = isinf (e->pulls[i]) ? 1 : e->pulls[i] / (1 + e->pulls[i]);

      sum += w;
      shift = kg_vector_add_scaled (shift, w, kg_vector_subtract (targets[i], kg_vector_add (e->center, e->rest[i])));
    }
  if (sum > 0)
    fit.place = kg_vector_add_scaled (fit.place, 1 / sum, shift);
  solve_points (e, &fit, targets, work, points);
  return improve (e, targets, false, &fit, work, points, report, monitor);
}

/* -2 rate (A x - b), as a rate of change of the free points; x holds all of them. */
static void
get_flow (const LeastEnergy *e, const Fit *fit, const KgVector *targets, double rate, const KgVector *x, double *flow)
{
  get_right (e, fit, targets, flow);
  for (size_t k = 0; k < e->n_free; k++) {
    const uint32_t i = e->point[k];

    for (size_t c = 0; c < 3; c++)
      flow[c * e->n_free + k] -= (e->weights.shape * e->weight[i] + e->pulls[i] + e->hold) * kg_vector_get (x[i], c);
  }
  for (guint t = 0; t < e->terms->len; t++) {
    const Term *term = &g_array_index (e->terms, Term, t);

    for (guint a = 0; a < term->n; a++)
      for (guint b = 0; b < term->n; b++) {
        const uint32_t k = e->unknown[term->points[a]];

        if (k == G_MAXUINT32 || e->unknown[term->points[b]] == G_MAXUINT32)
          continue;
        for (size_t c = 0; c < 3; c++)
          flow[c * e->n_free + k] -= term->factors[a] * term->factors[b] * kg_vector_get (x[term->points[b]], c);
      }
  }
  for (size_t k = 0; k < 3 * e->n_free; k++)
    flow[k] *= 2 * rate;
}

static void
add_flow (const LeastEnergy *e, const double *flow, double h, KgVector *x)
{
  for (size_t k = 0; k < e->n_free; k++)
    for (size_t c = 0; c < 3; c++)
      *kg_vector_component (&x[e->point[k]], c) += h * flow[c * e->n_free + k];
}

void
least_energy_flow (LeastEnergy *e, const KgVector *targets, double rate, double h, guint steps, KgVector *points,
                   LeastEnergyReport *report)
{
  const double part = h / steps, gamma = 1 - sqrt (0.5);
  g_autofree double *work = g_new0 (double, 3 * e->n_free + 1), *first = g_new0 (double, 3 * e->n_free + 1),
                    *second = g_new0 (double, 3 * e->n_free + 1);
  g_autofree KgVector *between = g_new0 (KgVector, MAX (e->n, 1));
  g_auto (EnvelopeMatrix) matrix = { .n = 0 };
  Fit fit = { kg_rotation_identity (), e->center, 1 };

  *report = (LeastEnergyReport){ .scale = 1 };
  for (size_t i = 0; i < e->n; i++)
    if (e->unknown[i] == G_MAXUINT32)
      points[i] = targets[i];
  init_matrix (e, &matrix);
  fill_matrix (e, &matrix, 1, 2 * rate * gamma * part);
  for (guint s = 0; s < steps; s++) {
    improve (e, targets, true, &fit, work, points, report, NULL);
    get_flow (e, &fit, targets, rate, points, first);
    for (size_t c = 0; c < 3; c++)
      envelope_matrix_solve (&matrix, first + c * e->n_free, first + c * e->n_free);
    memcpy (between, points, e->n * sizeof *between);
    add_flow (e, first, (1 - gamma) * part, between);
    improve (e, targets, true, &fit, work, between, report, NULL);
    get_flow (e, &fit, targets, rate, between, second);
    for (size_t c = 0; c < 3; c++)
      envelope_matrix_solve (&matrix, second + c * e->n_free, second + c * e->n_free);
    add_flow (e, first, (1 - gamma) * part, points);
    add_flow (e, second, gamma * part, points);
  }
  improve (e, targets, true, &fit, work, points, report, NULL);
}

KgTransform
least_energy_get_transform (const LeastEnergy *e, const LeastEnergyReport *report)
{
  const KgVector center = kg_vector_scale (kg_rotation_apply (report->turn, e->center), report->scale);

  return kg_transform_from_parts (kg_vector_subtract (report->place, center), report->turn,
                                  kg_vector (report->scale, report->scale, report->scale));
}
