/* sim/equations: motion from typed equations of motion.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/equations.h"
#include "kg-node.h"

#include <inttypes.h>

typedef struct {
  const char *equations;
  const char *start;
  int method;
  int64_t substeps;
  double tolerance;
  bool compare;
  const char *place;
  const char *invariant;
  double a;
  double b;
  double c;
  double d;
  /* A row for each frame: time, values, rates; the last step of methods that choose it; the same equations solved closely. */
  KgGeometry *log;
  double step;
  KgGeometry *closely;
  double close_step;
  bool lost; /* closely gave up */
  int64_t counted;
  KgVector point;
  double first;
  char *values;
  KgGeometry *trail;
  KgMotion *motion;
  double error;
  double watched;
  double drift;
  int64_t evaluations;
} EquationsNode;

static const KgChoice equations_methods[] = {
  [EQUATIONS_EULER] = { "euler", N_ ("Euler") },
  [EQUATIONS_SYMPLECTIC] = { "symplectic", N_ ("Symplectic Euler: velocities first") },
  [EQUATIONS_LEAPFROG] = { "leapfrog", N_ ("Leapfrog") },
  [EQUATIONS_MIDPOINT] = { "midpoint", N_ ("Midpoint") },
  [EQUATIONS_HEUN] = { "heun", N_ ("Heun") },
  [EQUATIONS_RK4] = { "rk4", N_ ("Runge-Kutta, fourth order") },
  [EQUATIONS_IMPLICIT] = { "implicit", N_ ("Implicit Euler") },
  [EQUATIONS_TRAPEZOID] = { "trapezoid", N_ ("Trapezoid, implicit") },
  [EQUATIONS_RKF45] = { "rkf45", N_ ("Runge-Kutta-Fehlberg, adaptive steps") },
  [EQUATIONS_RK8PD] = { "rk8pd", N_ ("Dormand-Prince, adaptive steps") },
  [EQUATIONS_BSIMP] = { "bsimp", N_ ("Bader-Deuflhard, adaptive steps for stiff equations") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (equations_methods, EQUATIONS_N_METHODS);

/* Tolerance of the reference solution. */
#define CLOSE_TOLERANCE 1e-12
/* Rows of the log; where there would be more, every second goes. */
#define MAX_ROWS 4096

/* Words of doubles as tuples of int32. */
static const double *
get_doubles (const KgGeometry *state, guint n)
{
  return (const double *) (const void *) kg_geometry_get_int (state, KG_POINTS, "memory", (uint8_t) (2 * n));
}

static double *
edit_doubles (KgGeometry *state, guint n)
{
  return (double *) (void *) kg_geometry_edit_int (state, KG_POINTS, "memory", (uint8_t) (2 * n));
}

/* Numbers of a row of the log. */
static guint
row_width (const Equations *equations)
{
  return 1 + 2 * equations_get_n (equations);
}

static bool
equations_add_row (EquationsNode *n, const Equations *equations, double t, const double *values, GError **error)
{
  const guint width = row_width (equations), count = equations_get_n (equations);
  const double numbers[EQUATIONS_NUMBERS] = { n->a, n->b, n->c, n->d };
  size_t row = kg_geometry_get_n_points (n->log);
  double *to;

  kg_geometry_make_writable (&n->log);
  if (row >= MAX_ROWS) {
    g_autofree uint8_t *kept = g_new (uint8_t, row);

    /* The first holds, and the last continues. */
    for (size_t i = 0; i < row; i++)
      kept[i] = i % 2 == 0 || i + 1 == row;
    kg_geometry_keep_points (n->log, kept);
    row = kg_geometry_get_n_points (n->log);
  }
  if (!kg_geometry_set_n_points (n->log, row + 1, error))
    return false;
  to = edit_doubles (n->log, width) + row * width;
  to[0] = t;
  memcpy (to + 1, values, count * sizeof *to);
  equations_get_rates (equations, numbers, t, values, to + 1 + count);
  return true;
}

static bool
equations_start (EquationsNode *n, const KgContext *ctx, GError **error)
{
  g_autoptr (Equations) equations = equations_new (n->equations, error);
  const double numbers[EQUATIONS_NUMBERS] = { n->a, n->b, n->c, n->d };
  double values[EQUATIONS_MAX];
  const char *missing;

  if (equations == NULL || !equations_read_start (equations, n->start, numbers, values, &missing, error))
    return false;
  if (missing != NULL)
    kg_context_warn (ctx, "%s has no start value: it starts at 0", missing);
  n->log = kg_geometry_new ();
  n->closely = kg_geometry_new ();
  if (!equations_add_row (n, equations, ctx->time, values, error) || !kg_geometry_set_n_points (n->closely, 1, error))
    return false;
  memcpy (edit_doubles (n->closely, equations_get_n (equations)), values, equations_get_n (equations) * sizeof *values);
  return true;
}

/* (nullable) The values of the reference. */
static const double *
equations_get_close (const EquationsNode *n, const Equations *equations)
{
  return kg_geometry_get_n_points (n->closely) == 1 ? get_doubles (n->closely, equations_get_n (equations)) : NULL;
}

/* The reference: where it cannot go on, the motion still can. */
static bool
equations_follow (EquationsNode *n, const Equations *equations, const KgContext *ctx, double dt, GError **error)
{
  const double numbers[EQUATIONS_NUMBERS] = { n->a, n->b, n->c, n->d };
  const bool stiff = n->method == EQUATIONS_BSIMP || n->method == EQUATIONS_IMPLICIT ||
                     n->method == EQUATIONS_TRAPEZOID;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (GError) cause = NULL;
  int64_t ignored = 0;

  if (n->lost || !n->compare)
    return true;
  /* With another number of variables there is nothing to compare with. */
  if (equations_get_close (n, equations) == NULL) {
    n->lost = true;
    return true;
  }
  kg_geometry_make_writable (&n->closely);
  n->lost = !equations_integrate (equations, stiff ? EQUATIONS_BSIMP : EQUATIONS_RK8PD, numbers, ctx->time - dt, dt, 1,
                                  CLOSE_TOLERANCE, &n->close_step,
                                  edit_doubles (n->closely, equations_get_n (equations)), &ignored, &monitor, &cause);
  if (n->lost && g_error_matches (cause, KG_ERROR, KG_ERROR_CANCELLED)) {
    g_propagate_error (error, g_steal_pointer (&cause));
    return false;
  }
  return true;
}

static bool
equations_advance (EquationsNode *n, const KgContext *ctx, double dt, GError **error)
{
  g_autoptr (Equations) equations = equations_new (n->equations, error);
  const double numbers[EQUATIONS_NUMBERS] = { n->a, n->b, n->c, n->d };
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  double values[EQUATIONS_MAX];
  const double *last;

  if (equations == NULL || !equations_check (equations, (EquationsMethod) n->method, error))
    return false;
  last = get_doubles (n->log, row_width (equations));
  if (last == NULL || kg_geometry_get_n_points (n->log) == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the number of variables changes: keep the equations the same");
    return false;
  }
  last += (kg_geometry_get_n_points (n->log) - 1) * row_width (equations);
  memcpy (values, last + 1, equations_get_n (equations) * sizeof *values);
  if (!equations_integrate (equations, (EquationsMethod) n->method, numbers, ctx->time - dt, dt, (guint) n->substeps,
                            n->tolerance, &n->step, values, &n->counted, &monitor, error)) {
    kg_prefix_error (error, "frame %g: ", ctx->frame);
    return false;
  }
  return equations_add_row (n, equations, ctx->time, values, error) && equations_follow (n, equations, ctx, dt, error);
}

/* What the place is by default: of one variable of second order its phase, else the first three variables. */
static char *
equations_default_place (const Equations *equations)
{
  const guint n = equations_get_n (equations), second = equations_get_n_second (equations);
  const guint shown = second > 1 ? MIN (second, 3) : MIN (n, 3);
  GString *text = g_string_new ("[");

  for (guint i = 0; i < MAX (shown, 2); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", i < n ? equations_get_name (equations, i) : "0");
  return g_string_free (g_string_append_c (text, ']'), FALSE);
}

/* (nullable) A formula of the variables with that number of results. */
static KgProgram *
equations_read (const Equations *equations, const char *text, const char *slot, guint wanted, GError **error)
{
  g_autoptr (KgProgram) program = equations_compile (equations, text, error);

  if (program == NULL) {
    kg_prefix_error (error, "%s: ", slot);
    return NULL;
  }
  if (kg_program_get_n_results (program) != wanted) {
    kg_set_error (error, KG_ERROR_EXPRESSION, "%s: %u results: %u are needed here", slot,
                  kg_program_get_n_results (program), wanted);
    return NULL;
  }
  return g_steal_pointer (&program);
}

static bool
equations_make_trail (EquationsNode *n, const Equations *equations, const double *rows, size_t count, GError **error)
{
  g_autofree char *usual = equations_default_place (equations);
  g_autoptr (KgProgram) program = equations_read (equations, n->place[0] != '\0' ? n->place : usual, "place", 3, error);
  const double numbers[EQUATIONS_NUMBERS] = { n->a, n->b, n->c, n->d };
  g_autofree uint32_t *vertices = g_new (uint32_t, count);
  float *p, *time;

  if (program == NULL || !kg_geometry_set_n_points (n->trail, count, error))
    return false;
  p = kg_geometry_edit_positions (n->trail);
  time = kg_geometry_edit_float (n->trail, KG_POINTS, "time", 1);
  for (size_t i = 0; i < count; i++, rows += row_width (equations)) {
    double place[3];

    equations_call (equations, program, numbers, rows[0], rows + 1, place);
    n->point = kg_vector (place[0], place[1], place[2]);
    if (!kg_vector_is_finite (n->point) || !(kg_vector_length (n->point) < 1e30)) {
      kg_set_error (error, KG_ERROR_EXPRESSION, "place: the result at t = %g s is not finite, or too far away",
                    rows[0]);
      return false;
    }
    for (guint c = 0; c < 3; c++)
      p[3 * i + c] = (float) place[c];
    time[i] = (float) rows[0];
    vertices[i] = (uint32_t) i;
  }
  if (count > 1)
    kg_geometry_add_primitive (
        n->trail, &(KgPrimitive){ .kind = KG_POLYLINE, .n_vertices = (uint32_t) count, .vertices = vertices });
  return true;
}

/* A channel for each variable: cubics between the rows that have their values and rates. */
static bool
equations_make_motion (EquationsNode *n, const Equations *equations, const double *rows, size_t count, GError **error)
{
  const guint n_variables = equations_get_n (equations), width = row_width (equations);
  const size_t pieces = MAX (count, 2) - 1;
  g_autofree double *breaks = g_new (double, pieces + 1), *coefficients = g_new0 (double, 4 * pieces);

  n->motion = kg_motion_new ();
  for (size_t i = 0; i <= pieces; i++)
    breaks[i] = i < count ? rows[i * width] : rows[0] + 1;
  for (guint k = 0; k < n_variables; k++) {
    KgChannel *channel;

    for (size_t i = 0; i < pieces; i++) {
      const double *from = rows + i * width, *to = count > 1 ? from + width : from, h = breaks[i + 1] - breaks[i];
      const double y0 = from[1 + k], y1 = to[1 + k];
      const double d0 = count > 1 ? h * from[1 + n_variables + k] : 0, d1 = count > 1 ? h * to[1 + n_variables + k] : 0;
      const double c[] = { y0, d0, 3 * (y1 - y0) - 2 * d0 - d1, 2 * (y0 - y1) + d0 + d1 };

      for (guint j = 0; j < 4; j++)
        coefficients[4 * i + j] = isfinite (c[j]) ? c[j] : j == 0 ? y0 : 0;
    }
    channel = kg_channel_new_pieces (3, pieces, breaks, coefficients, KG_EXTEND_HOLD, KG_EXTEND_HOLD, error);
    if (channel == NULL)
      return false;
    kg_motion_take_channel (n->motion, equations_get_name (equations, k), channel);
  }
  return true;
}

/* The quantity that is watched at each point of the trail, how much it has changed since the first, and what it is now. */
static bool
equations_watch (EquationsNode *n, const Equations *equations, const double *rows, size_t count, GError **error)
{
  const double numbers[EQUATIONS_NUMBERS] = { n->a, n->b, n->c, n->d };
  g_autoptr (KgProgram) program = NULL;
  double before = 0;
  float *watched;

  if (n->invariant[0] == '\0')
    return true;
  program = equations_read (equations, n->invariant, "invariant", 1, error);
  if (program == NULL)
    return false;
  watched = kg_geometry_edit_float (n->trail, KG_POINTS, "invariant", 1);
  for (size_t i = 0; i < count; i++, rows += row_width (equations)) {
    equations_call (equations, program, numbers, rows[0], rows + 1, &n->watched);
    before = i == 0 ? n->watched : before;
    n->drift = n->watched - before;
    if (!(fabs (n->watched) < 1e30) || !isfinite (n->drift)) {
      kg_set_error (error, KG_ERROR_EXPRESSION, "invariant: the result at t = %g s is not finite, or too large",
                    rows[0]);
      return false;
    }
    watched[i] = (float) n->watched;
  }
  return true;
}

static void
equations_measure (EquationsNode *n, const Equations *equations, const KgContext *ctx, const double *last)
{
  const double *close = equations_get_close (n, equations);
  const bool lost = n->lost || close == NULL;

  if (lost && n->compare)
    kg_context_warn (ctx, "the reference solution could not be continued: the error is unknown");
  if (lost || !n->compare)
    return;
  for (guint i = 0; i < equations_get_n (equations); i++)
    n->error = fmax (n->error, fabs (last[1 + i] - close[i]));
}

static bool
equations_evaluate (EquationsNode *n, const KgContext *ctx, GError **error)
{
  g_autoptr (Equations) equations = equations_new (n->equations, error);
  const size_t count = kg_geometry_get_n_points (n->log);
  const double *rows, *last;
  GString *text;

  if (equations == NULL || !equations_check (equations, (EquationsMethod) n->method, error))
    return false;
  rows = get_doubles (n->log, row_width (equations));
  if (rows == NULL || count == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the number of variables changes: keep the equations the same");
    return false;
  }
  last = rows + (count - 1) * row_width (equations);
  n->trail = kg_geometry_new ();
  n->first = last[1];
  n->evaluations = n->counted;
  text = g_string_new (NULL);
  for (guint i = 0; i < equations_get_n (equations); i++) {
    char digits[G_ASCII_DTOSTR_BUF_SIZE];

    g_string_append_printf (text, "%s%s = %s", i > 0 ? "\n" : "", equations_get_name (equations, i),
                            g_ascii_dtostr (digits, sizeof digits, last[1 + i]));
  }
  n->values = g_string_free (text, FALSE);
  equations_measure (n, equations, ctx, last);
  return equations_make_trail (n, equations, rows, count, error) &&
         equations_make_motion (n, equations, rows, count, error) && equations_watch (n, equations, rows, count, error);
}

static const KgSlot equations_slots[] = {
  KG_INPUT (EquationsNode, equations, TEXT, .label = N_ ("Equations"), .def_text = "x'' = -a*sin(x) - b*x'",
            .multiline = true, .fixed = true, .manual = "expressions",
            .help = N_ ("One equation per line: x' = ... for a rate of change, or x'' = ... for an acceleration, "
                        "where both x and x' are variables. The formulas can use all variables, their derivatives, "
                        "the time t, and the numbers a to d.")),
  KG_INPUT (EquationsNode, start, TEXT, .label = N_ ("Start"), .def_text = "x = 2", .multiline = true, .fixed = true,
            .help = N_ ("Values at the first frame, such as x = 1; x' = 0, one per line or separated by semicolons "
                        "or commas. Variables that are not mentioned start at 0.")),
  KG_INPUT (
      EquationsNode, method, CHOICE, .label = N_ ("Method"), .choices = equations_methods, .def = EQUATIONS_RK4,
      .fixed = true, .group = N_ ("Solver"),
      .help = N_ (
          "How the equations are integrated. Runge-Kutta is precise, and adaptive methods choose their steps by the error. Symplectic Euler and leapfrog keep the energy; implicit methods are stable for stiff equations.")),
  KG_INPUT (EquationsNode, substeps, INTEGER, .label = N_ ("Substeps"), .def = 4, .min = 1, .max = 100000,
            .soft_max = 100, .group = N_ ("Solver"),
            .shown_when = "method=euler|symplectic|leapfrog|midpoint|heun|rk4|implicit|trapezoid",
            .help = N_ ("Number of equal steps in each frame.")),
  KG_INPUT (EquationsNode, tolerance, NUMBER, .label = N_ ("Tolerance"), .def = 1e-8, .min = 1e-13, .max = 1,
            .soft_max = 1e-2, .group = N_ ("Solver"), .shown_when = "method=rkf45|rk8pd|bsimp",
            .help = N_ ("Error allowed in one step, absolute and relative.")),
  KG_INPUT (
      EquationsNode, compare, BOOLEAN, .label = N_ ("Measure the error"), .def = 1, .group = N_ ("Solver"),
      .help = N_ (
          "Also solves the equations accurately, with adaptive steps and a tolerance of 1e-12, and reports how far the values are from that.")),
  KG_INPUT (
      EquationsNode, place, TEXT, .label = N_ ("Position"), .group = N_ ("Outputs"),
      .help = N_ (
          "Formula of a position, such as [sin(x), -cos(x), 0] for a pendulum of angle x, or [x, x'] for its phase portrait. Empty: the first variables; for a single equation of second order, its phase: x and x'.")),
  KG_INPUT (EquationsNode, invariant, TEXT, .label = N_ ("Invariant"), .group = N_ ("Outputs"),
            .help = N_ ("Formula of a quantity to monitor, such as the energy x'^2/2 - a*cos(x). Empty: none.")),
  KG_INPUT (EquationsNode, a, NUMBER, .label = N_ ("a"), .def = 1, .soft_min = -5, .soft_max = 5,
            .group = N_ ("Numbers"), .help = N_ ("Value for the formulas: key it or link it to drive the motion.")),
  KG_INPUT (EquationsNode, b, NUMBER, .label = N_ ("b"), .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formulas.")),
  KG_INPUT (EquationsNode, c, NUMBER, .label = N_ ("c"), .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formulas.")),
  KG_INPUT (EquationsNode, d, NUMBER, .label = N_ ("d"), .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formulas.")),
  KG_STATE (EquationsNode, log, GEOMETRY, .keeps = "points memory int *"),
  KG_STATE (EquationsNode, step, NUMBER),
  KG_STATE (EquationsNode, closely, GEOMETRY, .keeps = "points memory int *"),
  KG_STATE (EquationsNode, close_step, NUMBER),
  KG_STATE (EquationsNode, lost, BOOLEAN),
  KG_STATE (EquationsNode, counted, INTEGER),
  KG_OUTPUT (EquationsNode, point, VECTOR, .label = N_ ("Position"), .unit = KG_METRES,
             .help = N_ ("The current position.")),
  KG_OUTPUT (EquationsNode, first, NUMBER, .label = N_ ("First variable"),
             .help = N_ ("Value of the variable of the first equation.")),
  KG_OUTPUT (EquationsNode, values, TEXT, .label = N_ ("Values"), .help = N_ ("All variables, one per line.")),
  KG_OUTPUT (EquationsNode, trail, GEOMETRY, .label = N_ ("Trail"),
             .help = N_ ("The positions since the first frame as a line, with the attributes time and invariant: an "
                         "orbit, or a phase portrait.")),
  KG_OUTPUT (EquationsNode, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("All variables over the seconds since the first frame, a channel each: for plots, and to be "
                         "used as motions.")),
  KG_OUTPUT (EquationsNode, error, NUMBER, .label = N_ ("Error"),
             .help = N_ ("Largest difference of a variable from the accurate solution.")),
  KG_OUTPUT (EquationsNode, watched, NUMBER, .label = N_ ("Invariant"), .help = N_ ("The monitored quantity.")),
  KG_OUTPUT (EquationsNode, drift, NUMBER, .label = N_ ("Drift"),
             .help = N_ ("Change of the monitored quantity since the first frame.")),
  KG_OUTPUT (EquationsNode, evaluations, INTEGER, .label = N_ ("Evaluations"),
             .help = N_ ("How often the equations were evaluated: the cost of the method.")),
};

KG_SIMULATION (
    sim, equations, EquationsNode, .label = N_ ("Equations of Motion"), .version = 1, .since = "0.1",
    .tags = N_ (
        "differential ode integrate euler runge kutta leapfrog verlet pendulum orbit oscillator chaos phase portrait"),
    .formula = "Euler: y ← y + h f(t, y)\n"
               "symplectic: v ← v + h a(x), x ← x + h v\n"
               "leapfrog: v ← v + h/2 a(x), x ← x + h v, v ← v + h/2 a(x)\n"
               "midpoint: y ← y + h f(t + h/2, y + h/2 f(t, y))\n"
               "Heun: y ← y + h/2 (k₁ + k₂)\n"
               "Runge-Kutta: y ← y + h/6 (k₁ + 2k₂ + 2k₃ + k₄)\n"
               "implicit: y₁ = y + h f(t + h, y₁); trapezoid: y₁ = y + h/2 (f(t, y) + f(t + h, y₁))",
    .source = "Parent, Computer Animation, B.7.2; Hairer, Lubich and Wanner, Geometric Numerical Integration, I.1; "
              "Hairer and Wanner, Solving Ordinary Differential Equations II, IV",
    .help = N_ (
        "Integrates equations of motion that are typed as formulas: a pendulum, an orbit, a predator and its prey. The values can drive anything, the trail draws the orbit or the phase portrait, and the error, the drift of an invariant and the number of evaluations show how good a method is."));
