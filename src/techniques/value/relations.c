/* relations: equations between named numbers, solved for whatever is not known.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "value/relations.h"

#include "kg-error.h"
#include "value/least_squares.h"
#include "value/matrix.h"

#include <math.h>
#include <string.h>

/* A relation that holds to this part of its numbers. */
#define PRECISION 1e-9
/* The residual of a relation that has no value where it is. */
#define NOWHERE 1e150

typedef struct {
  guint line;
  guint n; /* names in it */
  guint *names;
  guint *mentions;    /* how often each is in the text */
  KgProgram *program; /* left - right, left, right, and derivatives of the first by each name */
} Relation;

struct _Relations {
  GPtrArray *names;  /* char * */
  GArray *relations; /* Relation */
};

static void
relation_clear (gpointer data)
{
  Relation *relation = (Relation *) data;

  g_free (relation->names);
  g_free (relation->mentions);
  g_clear_pointer (&relation->program, kg_program_unref);
}

void
relations_free (Relations *relations)
{
  g_ptr_array_unref (relations->names);
  g_array_unref (relations->relations);
  g_free (relations);
}

guint
relations_get_n_names (const Relations *relations)
{
  return relations->names->len;
}

const char *
relations_get_name (const Relations *relations, guint index)
{
  return (const char *) g_ptr_array_index (relations->names, index);
}

int
relations_find (const Relations *relations, const char *name)
{
  for (guint i = 0; i < relations->names->len; i++)
    if (strcmp (relations_get_name (relations, i), name) == 0)
      return (int) i;
  return -1;
}

/* Reading. */

static bool
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

/* Adds the names that a formula mentions. */
static bool
find_names (Relations *relations, Relation *relation, const char *text, GError **error)
{
  static const char *const reserved[] = { "pi", "e", "true", "false", "and", "or", "not" };

  while (*text != '\0') {
    g_autofree char *word = NULL;
    const char *end = text;
    bool skip = false;
    int name;
    guint at = 0;

    if (g_ascii_isdigit (*text) || *text == '.') {
      char *after;

      g_ascii_strtod (text, &after);
      text = after > text ? after : text + 1;
      continue;
    }
    if (!is_word (*text)) {
      text++;
      continue;
    }
    while (is_word (*end))
      end++;
    word = g_strndup (text, (gsize) (end - text));
    text = end;
    while (*end == ' ')
      end++;
    for (guint i = 0; i < G_N_ELEMENTS (reserved); i++)
      skip = skip || strcmp (word, reserved[i]) == 0;
    if (skip || *end == '(')
      continue;
    name = relations_find (relations, word);
    if (name < 0) {
      if (relations->names->len >= RELATIONS_MAX_NAMES) {
        kg_set_error (error, KG_ERROR_LIMIT, "there are more than %d names: split the relations", RELATIONS_MAX_NAMES);
        return false;
      }
      name = (int) relations->names->len;
      g_ptr_array_add (relations->names, g_steal_pointer (&word));
    }
    while (at < relation->n && relation->names[at] != (guint) name)
      at++;
    if (at == relation->n) {
      relation->names = g_renew (guint, relation->names, ++relation->n);
      relation->mentions = g_renew (guint, relation->mentions, relation->n);
      relation->names[at] = (guint) name;
      relation->mentions[at] = 0;
    }
    relation->mentions[at]++;
  }
  return true;
}

/* Whether a side is a formula of one number.  Indented as in its line, so that messages give the column there. */
static bool
check_side (const char *side, gsize indent, const KgFormulaVariable *variables, guint n, GError **error)
{
  g_autofree char *text = g_strdup_printf ("%*s%s", (int) indent, "", side);
  g_autoptr (KgProgram) program = kg_formula_compile (text, variables, n, error);

  if (program == NULL)
    return false;
  if (kg_program_get_n_results (program) == 1)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "\"%s\" is %u numbers: write a formula of one number on each side of =", side,
                kg_program_get_n_results (program));
  return false;
}

static bool
compile (const Relations *relations, Relation *relation, const char *left, const char *right, gsize indent,
         GError **error)
{
  g_autofree KgFormulaVariable *variables = g_new0 (KgFormulaVariable, relation->n + 1);
  g_autofree char *text = g_strdup_printf ("(%s) - (%s), (%s), (%s)", left, right, left, right);

  for (guint i = 0; i < relation->n; i++)
    variables[i] = (KgFormulaVariable){ relations_get_name (relations, relation->names[i]), 1, false, 0 };
  if (!check_side (left, 0, variables, relation->n, error) ||
      !check_side (right, indent, variables, relation->n, error))
    return false;
  relation->program = kg_formula_compile (text, variables, relation->n, error);
  for (guint i = 0; relation->program != NULL && i < relation->n; i++) {
    KgProgram *more = kg_program_add_derivatives (relation->program, 0, 1, i, error);

    kg_program_unref (relation->program);
    relation->program = more;
  }
  return relation->program != NULL;
}

static bool
read_row (Relations *relations, char *row, guint line, GError **error)
{
  Relation relation = { .line = line };
  char *equals = strchr (row, '=');
  gsize indent;
  bool done;

  if (equals == NULL || strchr (equals + 1, '=') != NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "\"%s\" is not a relation: write one left side, one = and one right side", g_strstrip (row));
    return false;
  }
  indent = (gsize) (equals + 1 - row) + strspn (equals + 1, " \t");
  *equals = '\0';
  if (*g_strstrip (row) == '\0' || *g_strstrip (equals + 1) == '\0') {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "one side of the relation is empty: write a formula on both sides of =");
    return false;
  }
  done = find_names (relations, &relation, row, error) && find_names (relations, &relation, equals + 1, error) &&
         compile (relations, &relation, row, equals + 1, indent, error);
  if (done)
    g_array_append_val (relations->relations, relation);
  else
    relation_clear (&relation);
  return done;
}

Relations *
relations_new (const char *rows, GError **error)
{
  g_autoptr (Relations) relations = g_new0 (Relations, 1);
  g_auto (GStrv) lines = g_strsplit_set (rows, "\n;", -1);

  relations->names = g_ptr_array_new_with_free_func (g_free);
  relations->relations = g_array_new (FALSE, TRUE, sizeof (Relation));
  g_array_set_clear_func (relations->relations, relation_clear);
  for (guint i = 0; lines[i] != NULL; i++) {
    lines[i][strcspn (lines[i], "#")] = '\0';
    if (*g_strstrip (lines[i]) == '\0')
      continue;
    if (relations->relations->len >= RELATIONS_MAX) {
      kg_set_error (error, KG_ERROR_LIMIT, "there are more than %d relations: split them", RELATIONS_MAX);
      return NULL;
    }
    if (!read_row (relations, lines[i], i + 1, error)) {
      kg_prefix_error (error, "line %u: ", i + 1);
      return NULL;
    }
  }
  return g_steal_pointer (&relations);
}

bool
relations_read_values (const Relations *relations, const char *rows, const double *numbers, double *values, bool *given,
                       GError **error)
{
  static const KgFormulaVariable variables[RELATIONS_NUMBERS] = {
    { "a", 1, false, 0 }, { "b", 1, false, 0 }, { "c", 1, false, 0 }, { "d", 1, false, 0 }
  };
  g_auto (GStrv) lines = g_strsplit_set (rows, "\n;,", -1);
  g_autofree bool *here = g_new0 (bool, relations->names->len + 1);

  for (guint i = 0; lines[i] != NULL; i++) {
    char *equals = strchr (g_strstrip (lines[i]), '=');
    g_autoptr (KgProgram) program = NULL;
    double before;
    int name;

    if (*lines[i] == '\0')
      continue;
    if (equals == NULL) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "\"%s\" does not give a value: write a name, = and a number",
                    lines[i]);
      return false;
    }
    *equals = '\0';
    name = relations_find (relations, g_strstrip (lines[i]));
    if (name < 0) {
      kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "\"%s\" is in no relation: correct its name, or remove it", lines[i]);
      return false;
    }
    program = kg_formula_compile (g_strstrip (equals + 1), variables, RELATIONS_NUMBERS, error);
    if (program == NULL) {
      kg_prefix_error (error, "%s: ", lines[i]);
      return false;
    }
    before = values[name];
    kg_program_call (program, numbers, &values[name]);
    if (kg_program_get_n_results (program) != 1 || !isfinite (values[name])) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the value of \"%s\" is not a finite number: correct its formula",
                    lines[i]);
      return false;
    }
    if (here[name] && values[name] != before) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "\"%s\" is given as %.10g and as %.10g: remove one of them",
                    lines[i], before, values[name]);
      return false;
    }
    given[name] = here[name] = true;
  }
  return true;
}

/* Solving. */

typedef struct {
  const Relations *relations;
  double *values;
  bool *known;
  int *origin; /* of each name: the relation that gave it, -1 where it is known */
  bool *used;  /* relations that gave something */
  RelationsReport *report;
} Solve;

static Relation *
get_relation (const Solve *s, guint i)
{
  return &g_array_index (s->relations->relations, Relation, i);
}

/* left - right; slopes (nullable): by each of its names; scale (nullable): of its sides. */
static double
call (const Relation *relation, const double *values, double *slopes, double *scale)
{
  double inputs[RELATIONS_MAX_NAMES + 1], results[RELATIONS_MAX_NAMES + 4];

  for (guint i = 0; i < relation->n; i++)
    inputs[i] = values[relation->names[i]];
  kg_program_call (relation->program, inputs, results);
  for (guint i = 0; slopes != NULL && i < relation->n; i++)
    slopes[i] = results[3 + i];
  if (scale != NULL)
    *scale = fmax (1, fmax (fabs (results[1]), fabs (results[2])));
  return results[0];
}

/* The unknowns of a relation; *last: one of them, by its place among the names. */
static guint
count_unknown (const Solve *s, const Relation *relation, guint *last)
{
  guint count = 0;

  for (guint i = 0; i < relation->n; i++)
    if (!s->known[relation->names[i]]) {
      *last = i;
      count++;
    }
  return count;
}

/* Newton's method, with steps halved until they help.  Leaves values alone when it does not get there. */
static bool
solve_one (const Solve *s, const Relation *relation, guint which)
{
  double *x = &s->values[relation->names[which]];
  const double start = *x;
  double slopes[RELATIONS_MAX_NAMES], scale;
  double rest = call (relation, s->values, slopes, &scale);

  for (int i = 0; i < 100 && isfinite (rest); i++) {
    const double from = *x, step = rest / slopes[which];
    double next, part = 1;

    if (rest == 0 || (fabs (rest) <= 1e-15 * scale && i > 0))
      return true;
    if (!isfinite (step) || slopes[which] == 0)
      break;
    for (int k = 0; k < 50; k++, part *= 0.5) {
      *x = from - part * step;
      next = call (relation, s->values, slopes, &scale);
      if (isfinite (next) && fabs (next) < fabs (rest))
        break;
    }
    if (!(fabs (next) < fabs (rest))) {
      *x = from;
      rest = call (relation, s->values, slopes, &scale);
      break;
    }
    rest = next;
  }
  if (isfinite (rest) && fabs (rest) <= PRECISION * scale)
    return true;
  *x = start;
  return false;
}

static void
propagate (Solve *s)
{
  bool fired = true;

  while (fired) {
    fired = false;
    for (guint i = 0; i < s->relations->relations->len; i++) {
      Relation *relation = get_relation (s, i);
      guint which = 0;

      if (s->used[i] || count_unknown (s, relation, &which) != 1 || relation->mentions[which] != 1 ||
          !solve_one (s, relation, which))
        continue;
      s->used[i] = fired = true;
      s->known[relation->names[which]] = true;
      s->origin[relation->names[which]] = (int) i;
      g_string_append_printf (s->report->order, kg_translate (N_ ("line %u gives %s = %.10g\n")), relation->line,
                              relations_get_name (s->relations, relation->names[which]),
                              s->values[relation->names[which]]);
    }
  }
}

/* A cycle: relations that share unknowns. */
typedef struct {
  const Solve *solve;
  GArray *relations, *unknowns; /* guint */
} Cycle;

static void
cycle_evaluate (gconstpointer data, const double *x, double *residuals, double *jacobian)
{
  const Cycle *cycle = (const Cycle *) data;
  const Solve *s = cycle->solve;

  for (guint i = 0; i < cycle->unknowns->len; i++)
    s->values[g_array_index (cycle->unknowns, guint, i)] = x[i];
  for (guint i = 0; i < cycle->relations->len; i++) {
    const Relation *relation = get_relation (s, g_array_index (cycle->relations, guint, i));
    double slopes[RELATIONS_MAX_NAMES];

    residuals[i] = call (relation, s->values, slopes, NULL);
    /* Beyond the range of a function nothing is gained. */
    if (!isfinite (residuals[i]))
      residuals[i] = NOWHERE;
    for (guint k = 0; jacobian != NULL && k < relation->n; k++)
      for (guint u = 0; u < cycle->unknowns->len; u++)
        if (g_array_index (cycle->unknowns, guint, u) == relation->names[k])
          jacobian[(size_t) i * cycle->unknowns->len + u] = isfinite (slopes[k]) ? slopes[k] : 0;
  }
}

/* Sutherland's: each variable in turn gets the value that its relations like best. */
static guint
relax_seidel (const Cycle *cycle, guint max_passes)
{
  const Solve *s = cycle->solve;
  guint passes = 0;

  for (; passes < max_passes; passes++) {
    double moved = 0;

    for (guint u = 0; u < cycle->unknowns->len; u++) {
      const guint name = g_array_index (cycle->unknowns, guint, u);
      double top = 0, bottom = 0;

      for (guint i = 0; i < cycle->relations->len; i++) {
        const Relation *relation = get_relation (s, g_array_index (cycle->relations, guint, i));
        double slopes[RELATIONS_MAX_NAMES];
        const double rest = call (relation, s->values, slopes, NULL);

        for (guint k = 0; k < relation->n; k++)
          if (relation->names[k] == name && isfinite (rest) && isfinite (slopes[k])) {
            top += rest * slopes[k];
            bottom += slopes[k] * slopes[k];
          }
      }
      if (bottom > 0) {
        s->values[name] -= top / bottom;
        moved = fmax (moved, fabs (top / bottom) / fmax (1, fabs (s->values[name])));
      }
    }
    if (moved <= 1e-14)
      break;
  }
  return passes;
}

/* Names that may move without breaking a relation: those of the null space. */
static void
report_free (const Cycle *cycle, const double *x)
{
  const guint m = cycle->relations->len, n = cycle->unknowns->len;
  g_autofree double *residuals = g_new0 (double, m);
  g_autoptr (Matrix) jacobian = matrix_new (MAX (m, n), n, NULL);
  g_autoptr (MatrixSvd) svd = NULL;
  guint rank;

  cycle_evaluate (cycle, x, residuals, jacobian->a);
  svd = matrix_svd_new (jacobian, NULL);
  if (svd == NULL)
    return;
  rank = matrix_svd_get_rank (svd, 1e-9);
  for (guint u = 0; u < n; u++) {
    double along = 0;

    for (guint k = rank; k < n; k++)
      along += matrix_get (svd->v, u, k) * matrix_get (svd->v, u, k);
    if (along > 1e-9)
      g_string_append_printf (cycle->solve->report->free, "%s%s", cycle->solve->report->free->len > 0 ? " " : "",
                              relations_get_name (cycle->solve->relations, g_array_index (cycle->unknowns, guint, u)));
  }
}

/* Whether the slopes are the same elsewhere. */
static bool
is_linear (const Cycle *cycle, const double *x)
{
  const guint m = cycle->relations->len, n = cycle->unknowns->len;
  g_autofree double *rest = g_new0 (double, m), *a = g_new0 (double, (size_t) m *n),
                    *b = g_new0 (double, (size_t) m *n);
  g_autofree double *other = g_new0 (double, n);
  bool linear = true;

  for (guint i = 0; i < n; i++)
    other[i] = x[i] + 0.37 + 0.11 * i;
  cycle_evaluate (cycle, other, rest, b);
  cycle_evaluate (cycle, x, rest, a);
  for (size_t i = 0; i < (size_t) m * n; i++)
    linear = linear && fabs (a[i] - b[i]) <= 1e-13 * (fabs (a[i]) + fabs (b[i]));
  return linear;
}

static void
append_names (GString *to, const Cycle *cycle)
{
  for (guint i = 0; i < cycle->unknowns->len; i++)
    g_string_append_printf (to, "%s%s", i > 0 ? ", " : "",
                            relations_get_name (cycle->solve->relations, g_array_index (cycle->unknowns, guint, i)));
}

static void
append_lines (GString *to, const Cycle *cycle)
{
  for (guint i = 0; i < cycle->relations->len; i++)
    g_string_append_printf (to, "%s%u", i > 0 ? ", " : "",
                            get_relation (cycle->solve, g_array_index (cycle->relations, guint, i))->line);
}

static bool
solve_cycle (const Cycle *cycle, RelationsMethod method, guint max_passes, const KgProgressMonitor *monitor)
{
  const Solve *s = cycle->solve;
  const guint n = cycle->unknowns->len;
  g_autofree double *x = g_new0 (double, n);
  LeastSquaresReport report = { .iterations = 0 };
  bool linear;

  for (guint i = 0; i < n; i++)
    x[i] = s->values[g_array_index (cycle->unknowns, guint, i)];
  linear = is_linear (cycle, x);
  if (method == RELATIONS_SEIDEL) {
    report.iterations = relax_seidel (cycle, max_passes);
    for (guint i = 0; i < n; i++)
      x[i] = s->values[g_array_index (cycle->unknowns, guint, i)];
  } else if (!least_squares_solve (
                 &(LeastSquares){ n, n, cycle->relations->len, cycle_evaluate, NULL, cycle, max_passes, 1e-13 }, x,
                 NULL, &report, monitor)) {
    return false;
  }
  report_free (cycle, x);
  s->report->passes += report.iterations;
  g_string_append (s->report->order, kg_translate (N_ ("lines ")));
  append_lines (s->report->order, cycle);
  g_string_append (s->report->order, kg_translate (N_ (" give ")));
  append_names (s->report->order, cycle);
  g_string_append (s->report->order, linear ? kg_translate (N_ (": a linear system\n"))
                                            : kg_translate (N_ (": relaxed from the start values\n")));
  for (guint i = 0; i < n; i++) {
    s->known[g_array_index (cycle->unknowns, guint, i)] = true;
    s->origin[g_array_index (cycle->unknowns, guint, i)] = (int) g_array_index (cycle->relations, guint, 0);
  }
  for (guint i = 0; i < cycle->relations->len; i++)
    s->used[g_array_index (cycle->relations, guint, i)] = true;
  return true;
}

/* All relations that are connected with relation first by unknowns. */
static void
collect_cycle (const Solve *s, guint first, const Cycle *cycle)
{
  g_autofree bool *in = g_new0 (bool, s->relations->names->len + 1),
                  *taken = g_new0 (bool, s->relations->relations->len);
  bool more = true;

  for (guint i = 0; i < get_relation (s, first)->n; i++)
    in[get_relation (s, first)->names[i]] = true;
  while (more) {
    more = false;
    for (guint i = 0; i < s->relations->relations->len; i++) {
      const Relation *relation = get_relation (s, i);
      bool touches = false;

      for (guint k = 0; k < relation->n; k++)
        touches = touches || (!s->known[relation->names[k]] && in[relation->names[k]]);
      if (!touches || taken[i])
        continue;
      taken[i] = more = true;
      for (guint k = 0; k < relation->n; k++)
        in[relation->names[k]] = true;
    }
  }
  for (guint i = 0; i < s->relations->relations->len; i++)
    if (taken[i])
      g_array_append_val (cycle->relations, i);
  for (guint i = 0; i < s->relations->names->len; i++)
    if (in[i] && !s->known[i])
      g_array_append_val (cycle->unknowns, i);
}

/* Lines that a relation's numbers come from, besides itself.  Returns how many. */
static guint
append_sources (const Solve *s, guint relation, bool *seen, GString *to)
{
  guint n = 0;

  for (guint i = 0; i < get_relation (s, relation)->n; i++) {
    const int from = s->origin[get_relation (s, relation)->names[i]];

    if (from < 0 || seen[from])
      continue;
    seen[from] = true;
    g_string_append_printf (to, "%s%u", to->len > 0 ? ", " : "", get_relation (s, (guint) from)->line);
    n += 1 + append_sources (s, (guint) from, seen, to);
  }
  return n;
}

static void
check (Solve *s)
{
  for (guint i = 0; i < s->relations->relations->len; i++) {
    g_autofree bool *seen = g_new0 (bool, s->relations->relations->len);
    g_autoptr (GString) sources = g_string_new (NULL);
    guint which, n_sources;
    double scale, rest;

    if (count_unknown (s, get_relation (s, i), &which) > 0) {
      s->report->solved = false;
      continue;
    }
    rest = fabs (call (get_relation (s, i), s->values, NULL, &scale));
    if (rest <= PRECISION * scale && isfinite (scale)) {
      s->report->residual = fmax (s->report->residual, rest);
      continue;
    }
    s->report->solved = false;
    seen[i] = true;
    if (!isfinite (rest)) {
      s->report->residual = NOWHERE;
      g_string_append_printf (s->report->conflicts, kg_translate (N_ ("line %u has no value\n")),
                              get_relation (s, i)->line);
      continue;
    }
    s->report->residual = fmax (s->report->residual, rest);
    n_sources = append_sources (s, i, seen, sources);
    if (n_sources > 0)
      g_string_append_printf (s->report->conflicts,
                              g_dngettext (GETTEXT_PACKAGE, "line %u is off by %.6g, against line %s\n",
                                           "line %u is off by %.6g, against lines %s\n", n_sources),
                              get_relation (s, i)->line, rest, sources->str);
    else
      g_string_append_printf (s->report->conflicts, kg_translate (N_ ("line %u is off by %.6g\n")),
                              get_relation (s, i)->line, rest);
  }
}

void
relations_report_clear (RelationsReport *report)
{
  if (report->order != NULL)
    g_string_free (report->order, TRUE);
  if (report->free != NULL)
    g_string_free (report->free, TRUE);
  if (report->conflicts != NULL)
    g_string_free (report->conflicts, TRUE);
}

bool
relations_solve (const Relations *relations, const bool *known, RelationsMethod method, guint max_passes,
                 double *values, RelationsReport *report, const KgProgressMonitor *monitor)
{
  const guint n_names = relations->names->len, n = relations->relations->len;
  g_autofree bool *is_known = g_new0 (bool, n_names + 1), *used = g_new0 (bool, n + 1);
  g_autofree int *origin = g_new (int, n_names + 1);
  Solve s = { relations, values, is_known, origin, used, report };

  *report = (RelationsReport){ g_string_new (NULL), g_string_new (NULL), g_string_new (NULL), 0, 0, true };
  for (guint i = 0; i < n_names; i++) {
    is_known[i] = known[i];
    origin[i] = -1;
  }
  propagate (&s);
  for (guint i = 0; i < n && method != RELATIONS_PROPAGATE; i++) {
    g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (guint));
    g_autoptr (GArray) unknowns = g_array_new (FALSE, FALSE, sizeof (guint));
    const Cycle cycle = { &s, members, unknowns };
    guint which;

    if (count_unknown (&s, get_relation (&s, i), &which) == 0)
      continue;
    collect_cycle (&s, i, &cycle);
    if (!solve_cycle (&cycle, method, max_passes, monitor))
      return false;
    propagate (&s);
  }
  check (&s);
  return true;
}
