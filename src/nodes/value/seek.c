/* value/seek: where a typed formula is zero, smallest or largest, and the numbers that fit it to measured rows.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "value/seek.h"
#include "kg-expression.h"
#include "kg-node.h"

typedef struct {
  int task;
  const char *formula;
  const KgTable *rows;
  KgVector start;
  double start_w;
  double low;
  double high;
  int method;
  int64_t starts;
  double tolerance;
  int64_t iterations;
  double a;
  double b;
  double c;
  double d;
  double first;
  double second;
  double third;
  double fourth;
  KgVector solution;
  double value;
  bool found;
  int64_t steps;
  int64_t evaluations;
  KgTable *solutions;
  KgTable *spread;
  KgGeometry *points;
  KgGeometry *path;
} SeekNode;

static const KgChoice seek_tasks[] = {
  [SEEK_ROOT] = { "root", N_ ("Zero: what makes the formula 0") },
  [SEEK_MINIMUM] = { "minimum", N_ ("Minimum: what makes it smallest") },
  [SEEK_MAXIMUM] = { "maximum", N_ ("Maximum: what makes it largest") },
  [SEEK_FIT] = { "fit", N_ ("Fit: the numbers a to d that fit the rows best") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (seek_tasks, SEEK_N_TASKS);

static const KgChoice seek_methods[] = {
  [SEEK_AUTO] = { "auto", N_ ("Automatic") },
  [SEEK_NEWTON] = { "newton", N_ ("Newton, kept in a bracket") },
  [SEEK_BISECTION] = { "bisection", N_ ("Bisection") },
  [SEEK_BRENT] = { "brent", N_ ("Brent") },
  [SEEK_NELDER_MEAD] = { "nelder-mead", N_ ("Simplex of Nelder and Mead: no slopes") },
  [SEEK_BFGS] = { "bfgs", N_ ("BFGS: along slopes that it learns from") },
  [SEEK_LEVENBERG] = { "levenberg", N_ ("Levenberg-Marquardt: least squares") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (seek_methods, SEEK_N_METHODS);

static const KgTableColumn seek_columns[] = {
  { .name = "x", .label = N_ ("x") },
  { .name = "y", .label = N_ ("y") },
  { .name = "z", .label = N_ ("z"), .def = NAN, .optional = true },
  { .name = "weight", .label = N_ ("Weight"), .def = 1, .optional = true },
  KG_TABLE_COLUMNS_END,
};

enum { N_COLUMNS = 4, N_NUMBERS = 4 };

/* Columns of the table, each in one piece. */
typedef struct {
  double *numbers;
  const double *columns[N_COLUMNS + N_NUMBERS];
} Rows;

static void
rows_clear (Rows *rows)
{
  g_clear_pointer (&rows->numbers, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Rows, rows_clear)

/* The last column is what was measured: the formula gives it, or, if it knows it, is 0. */
static bool
seek_read_rows (const SeekNode *n, Seek *seek, Rows *rows, GError **error)
{
  const size_t count = kg_table_get_n_rows (n->rows);
  size_t n_deep = 0;
  guint last;

  seek->n_rows = count;
  rows->numbers = g_try_new (double, N_COLUMNS *MAX (count, 1));
  if (rows->numbers == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for %zu rows: use fewer", count);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const double *row = kg_table_get_row (n->rows, i);

    for (size_t k = 0; k < N_COLUMNS; k++)
      rows->numbers[k * count + i] = row[k];
    n_deep += !isnan (row[2]);
    if (!(row[3] >= 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %zu has the weight %g: weights cannot be negative", i + 1,
                    row[3]);
      return false;
    }
  }
  if (n_deep > 0 && n_deep < count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%zu of %zu rows have a z: give all rows the same number of values",
                  n_deep, count);
    return false;
  }
  last = n_deep > 0 ? 2 : 1;
  for (guint k = 0; k <= last; k++)
    rows->columns[k] = rows->numbers + k * count;
  seek->columns = rows->columns;
  seek->weights = rows->numbers + 3 * count;
  if (kg_program_ignores_input (seek->formula, last))
    seek->measured = rows->columns[last];
  if (last == 1 && !kg_program_ignores_input (seek->formula, 2)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the formula uses z, but the rows have none: add a third column");
    return false;
  }
  return true;
}

/* Those that the formula mentions. */
static bool
seek_find_unknowns (Seek *seek, guint first, guint n, GError **error)
{
  for (guint i = first; i < first + n; i++)
    if (!kg_program_ignores_input (seek->formula, i))
      seek->unknowns[seek->n++] = i;
  if (seek->n > 0)
    return true;
  kg_set_error (error, KG_ERROR_EXPRESSION,
                seek->task == SEEK_FIT ? N_ ("formula: there is nothing to find: use a, b, c or d in it")
                                       : N_ ("formula: there is nothing to find: use x, y, z or w in it"));
  return false;
}

static bool
seek_publish (SeekNode *n, const Seek *seek, const SeekResult *result, GError **error)
{
  static const char *const names[] = { "x", "y", "z", "w", "a", "b", "c", "d" };
  const char *columns[SEEK_MAX + 2] = { NULL };
  const SeekAnswer *best = &g_array_index (result->answers, SeekAnswer, 0);
  const guint width = seek->n + 2;
  double *numbers[] = { &n->first, &n->second, &n->third, &n->fourth };
  double *cells;

  for (guint k = 0; k < seek->n; k++) {
    columns[k] = names[seek->unknowns[k]];
    *numbers[seek->unknowns[k] % N_NUMBERS] = best->x[k];
  }
  n->solution = kg_vector (n->first, n->second, n->third);
  n->value = best->value;
  n->found = best->found;
  n->steps = best->steps;
  n->evaluations = (int64_t) result->evaluations;
  columns[seek->n] = "value";
  columns[seek->n + 1] = "found";
  n->solutions = kg_table_new (width, columns, result->answers->len, error);
  if (n->solutions == NULL)
    return false;
  cells = kg_table_edit (n->solutions);
  for (guint i = 0; i < result->answers->len; i++, cells += width) {
    const SeekAnswer *answer = &g_array_index (result->answers, SeekAnswer, i);

    memcpy (cells, answer->x, seek->n * sizeof *cells);
    cells[seek->n] = answer->value;
    cells[seek->n + 1] = answer->found;
  }
  n->spread = kg_table_new (seek->n, columns, seek->task == SEEK_FIT ? 1 : 0, error);
  if (n->spread == NULL)
    return false;
  if (seek->task == SEEK_FIT)
    memcpy (kg_table_edit (n->spread), result->spread, seek->n * sizeof (double));
  return true;
}

/* A point for each.  One unknown: on the graph of the formula.  Several: in their space. */
static KgGeometry *
seek_draw (const Seek *seek, const GArray *answers, bool line, GError **error)
{
  g_autoptr (KgGeometry) out = kg_geometry_new ();
  g_autofree uint32_t *vertices = g_new (uint32_t, MAX (answers->len, 1));
  float *p, *value;

  if (!kg_geometry_set_n_points (out, answers->len, error))
    return NULL;
  p = kg_geometry_edit_positions (out);
  value = kg_geometry_edit_float (out, KG_POINTS, "value", 1);
  for (guint i = 0; i < answers->len; i++) {
    const SeekAnswer *answer = &g_array_index (answers, SeekAnswer, i);

    for (guint k = 0; k < 3; k++)
      p[3 * i + k] = (float) CLAMP (k < seek->n ? answer->x[k] : k == 1 ? answer->value : 0, -1e30, 1e30);
    value[i] = (float) CLAMP (answer->value, -1e30, 1e30);
    vertices[i] = i;
  }
  if (line && answers->len > 1)
    kg_geometry_add_primitive (out,
                               &(KgPrimitive){ .kind = KG_POLYLINE, .n_vertices = answers->len, .vertices = vertices });
  return g_steal_pointer (&out);
}

static void
seek_warn (const SeekNode *n, const KgContext *ctx, const Seek *seek)
{
  const bool bounds = seek->n == 1 && seek->task != SEEK_FIT && seek->task != SEEK_ROOT;

  if (!n->found)
    kg_context_warn (
        ctx,
        n->task == SEEK_ROOT
            ? N_ ("no zero was found: the best value of the formula is %g after %d steps; start elsewhere, or allow "
                  "more steps")
            : N_ ("no result was found: the formula is %g after %d steps; start elsewhere, or allow more steps"),
        n->value, (int) n->steps);
  else if (bounds && (n->first == seek->low || n->first == seek->high))
    kg_context_warn (ctx, "the formula is best at the end of the range, at %g: widen the range to search farther",
                     n->first);
}

static bool
seek_evaluate (SeekNode *n, const KgContext *ctx, GError **error)
{
  const bool fit = n->task == SEEK_FIT;
  const KgFormulaVariable variables[] = { { "x", 1, fit },   { "y", 1, fit },   { "z", 1, fit },   { "w", 1, fit },
                                          { "a", 1, false }, { "b", 1, false }, { "c", 1, false }, { "d", 1, false } };
  const double inputs[] = { n->start.x, n->start.y, n->start.z, n->start_w, n->a, n->b, n->c, n->d };
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  /* A fit knows no w. */
  g_autoptr (KgProgram) program = kg_formula_compile (n->formula, variables, G_N_ELEMENTS (variables), error);
  g_auto (SeekResult) result = { .answers = NULL };
  g_auto (Rows) rows = { .numbers = NULL };
  Seek seek = { .task = (SeekTask) n->task,
                .method = (SeekMethod) n->method,
                .formula = program,
                .inputs = inputs,
                .low = n->low,
                .high = n->high,
                .starts = (guint) n->starts,
                .tolerance = n->tolerance,
                .iterations = (guint) n->iterations };

  if (program == NULL) {
    kg_prefix_error (error, "formula: ");
    return false;
  }
  if (fit && !kg_program_ignores_input (program, 3)) {
    kg_set_error (error, KG_ERROR_EXPRESSION, "formula: a fit has no w: use x, y and z for the columns of the rows");
    return false;
  }
  if (!seek_find_unknowns (&seek, fit ? 4 : 0, 4, error) || (fit && !seek_read_rows (n, &seek, &rows, error)))
    return false;
  for (guint i = 0; i < seek.n; i++)
    seek.start[i] = inputs[seek.unknowns[i]];
  if (!seek_solve (&seek, &monitor, &result, error) || !seek_publish (n, &seek, &result, error))
    return false;
  seek_warn (n, ctx, &seek);
  n->path = seek_draw (&seek, result.path, true, error);
  n->points = n->path != NULL ? seek_draw (&seek, result.answers, false, error) : NULL;
  return n->points != NULL;
}

static const KgSlot seek_slots[] = {
  KG_INPUT (SeekNode, task, CHOICE, .label = N_ ("Find"), .choices = seek_tasks, .help = N_ ("What to find.")),
  KG_INPUT (
      SeekNode, formula, TEXT, .label = N_ ("Formula"), .def_text = "cos(x) - x", .manual = "expressions",
      .help = N_ (
          "A formula of the unknowns x, y, z and w, and of the numbers a to d. For example, \"x^2 - a\" is 0 at the square root of a. To solve for several unknowns, write several formulas, separated by commas.")),
  KG_INPUT (
      SeekNode, rows, TABLE, .label = N_ ("Rows"), .columns = seek_columns, .def_text = "0 0; 1 1",
      .shown_when = "task=fit",
      .help = N_ (
          "Measured numbers: x and y, or x, y and z, in each row, and optionally its weight in the column weight.")),
  KG_INPUT (SeekNode, start, VECTOR, .label = N_ ("Start"), .shown_when = "task=root|minimum|maximum",
            .handle = { KG_HANDLE_NONE },
            .help = N_ ("First guess of x, y and z. Of several zeros, the nearest is found.")),
  KG_INPUT (SeekNode, start_w, NUMBER, .label = N_ ("Start of w"), .shown_when = "task=root|minimum|maximum",
            .help = N_ ("First guess of w.")),
  KG_INPUT (SeekNode, low, NUMBER, .label = N_ ("Low"), .def = -10, .soft_min = -100, .soft_max = 100,
            .help = N_ ("Start of the range: one unknown is searched for only there; several start there.")),
  KG_INPUT (SeekNode, high, NUMBER, .label = N_ ("High"), .def = 10, .soft_min = -100, .soft_max = 100,
            .help = N_ ("End of the range.")),
  KG_INPUT (SeekNode, method, CHOICE, .label = N_ ("Method"), .choices = seek_methods, .group = N_ ("Solver"),
            .help = N_ ("Method of the search. Newton, bisection and Brent are for one unknown.")),
  KG_INPUT (
      SeekNode, starts, INTEGER, .label = N_ ("Starts"), .def = 16, .min = 1, .max = SEEK_MAX_STARTS, .soft_max = 100,
      .group = N_ ("Solver"),
      .help =
          N_ ("For one unknown, the number of equal parts of the range, each of which is searched. For several, the "
              "number of starts: the first guess and random places in the range, always the same ones. Higher numbers "
              "find more of what a rough formula hides.")),
  KG_INPUT (SeekNode, tolerance, NUMBER, .label = N_ ("Tolerance"), .def = 1e-10, .min = 1e-15, .max = 1,
            .soft_max = 1e-3, .group = N_ ("Solver"),
            .help = N_ ("Error allowed in the unknowns, relative where they are greater than 1.")),
  KG_INPUT (SeekNode, iterations, INTEGER, .label = N_ ("Steps allowed"), .def = 200, .min = 1, .max = 100000,
            .soft_max = 1000, .group = N_ ("Solver"), .help = N_ ("Number of steps after which a start is given up.")),
  KG_INPUT (SeekNode, a, NUMBER, .label = N_ ("a"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formula: key it or link it. For a fit, it is the first guess.")),
  KG_INPUT (SeekNode, b, NUMBER, .label = N_ ("b"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formula, or first guess.")),
  KG_INPUT (SeekNode, c, NUMBER, .label = N_ ("c"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formula, or first guess.")),
  KG_INPUT (SeekNode, d, NUMBER, .label = N_ ("d"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formula, or first guess.")),
  KG_OUTPUT (SeekNode, first, NUMBER, .label = N_ ("x or a"), .help = N_ ("The best x; for a fit, the best a.")),
  KG_OUTPUT (SeekNode, second, NUMBER, .label = N_ ("y or b"), .help = N_ ("The best y, or b.")),
  KG_OUTPUT (SeekNode, third, NUMBER, .label = N_ ("z or c"), .help = N_ ("The best z, or c.")),
  KG_OUTPUT (SeekNode, fourth, NUMBER, .label = N_ ("w or d"), .help = N_ ("The best w, or d.")),
  KG_OUTPUT (SeekNode, solution, VECTOR, .label = N_ ("Solution"),
             .help = N_ ("The first three unknowns as a vector.")),
  KG_OUTPUT (SeekNode, value, NUMBER, .label = N_ ("Value"),
             .help = N_ ("Value of the formula there; for several formulas, the root of the sum of their squares; "
                         "for a fit, the sum of the squares of all errors.")),
  KG_OUTPUT (SeekNode, found, BOOLEAN, .label = N_ ("Found"),
             .help = N_ ("Whether the tolerance was reached; if not, the best so far is given.")),
  KG_OUTPUT (SeekNode, steps, INTEGER, .label = N_ ("Steps"), .help = N_ ("Steps to the best answer.")),
  KG_OUTPUT (SeekNode, evaluations, INTEGER, .label = N_ ("Evaluations"),
             .help = N_ ("How often the formula was evaluated over all starts; for a fit, for all rows.")),
  KG_OUTPUT (SeekNode, solutions, TABLE, .label = N_ ("Solutions"),
             .help = N_ ("All distinct answers, the best first: the unknowns, the value, and 1 if it was found.")),
  KG_OUTPUT (
      SeekNode, spread, TABLE, .label = N_ ("Standard errors"),
      .help = N_ ("For a fit, the standard error of each number; blank if there are no more rows than numbers.")),
  KG_OUTPUT (SeekNode, points, GEOMETRY, .label = N_ ("Points"),
             .help = N_ ("A point for each answer, the best first, with the attribute value: for one unknown, on "
                         "the graph of the formula at x; for several, at x, y and z.")),
  KG_OUTPUT (SeekNode, path, GEOMETRY, .label = N_ ("Path"),
             .help = N_ ("The steps to the best answer with the attribute value: over x along the formula, or through "
                         "x, y and z.")),
};

KG_NODE (
    value, seek, SeekNode, .label = N_ ("Goal Seek"), .version = 2, .since = "0.1",
    .tags = N_ (
        "solve root zero minimum maximum optimise least squares fit regression newton bisection brent bfgs nelder mead levenberg marquardt goal"),
    .formula = "Newton: x ← x − f/f′; Levenberg-Marquardt: (JᵀJ + λD) δ = −Jᵀr, minimises Σ wᵢ rᵢ²\n"
               "BFGS: x ← x − α H ∇f, H learnt from the change of ∇f",
    .source = "Brent, Algorithms for Minimization without Derivatives, 1973; Press et al., Numerical Recipes, 9.4; "
              "Nocedal and Wright, Numerical Optimization, 2006",
    .help = N_ (
        "Finds the numbers that make a formula zero, smallest or largest, or that fit it to measured rows: when a ball meets a moving wall, which angle throws farthest, the circle through points of a track."));
