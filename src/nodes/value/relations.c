/* value/relations: equations between named numbers, read in any direction.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "value/relations.h"

#include <inttypes.h>

#define START 0.5

typedef struct {
  const char *relations;
  const char *known;
  const char *start;
  double a, b, c, d;
  const char *wanted;
  int method;
  int64_t passes;
  double value, value_2, value_3, value_4;
  KgTable *values;
  bool solved;
  double residual;
  char *order;
  char *free;
  char *conflicts;
} RelationsNode;

static const KgChoice relations_methods[] = {
  [RELATIONS_AUTO] = { "auto", N_ ("Propagate, then solve cycles") },
  [RELATIONS_PROPAGATE] = { "propagate", N_ ("Propagate only") },
  [RELATIONS_SEIDEL] = { "relax", N_ ("Propagate, then relax one value at a time") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (relations_methods, RELATIONS_N_METHODS);

static bool
relations_make_table (RelationsNode *n, const Relations *relations, const double *values, GError **error)
{
  const guint count = relations_get_n_names (relations);
  g_autofree const char **names = g_new0 (const char *, count + 1);

  for (guint i = 0; i < count; i++)
    names[i] = relations_get_name (relations, i);
  n->values = kg_table_new (count, count > 0 ? names : NULL, count > 0 ? 1 : 0, error);
  if (n->values == NULL)
    return false;
  for (guint i = 0; i < count; i++)
    kg_table_edit (n->values)[i] = values[i];
  return true;
}

/* The values that are asked for by name; without names the first ones. */
static bool
relations_pick (RelationsNode *n, const Relations *relations, const double *values, GError **error)
{
  double *const to[] = { &n->value, &n->value_2, &n->value_3, &n->value_4 };
  g_auto (GStrv) words = g_strsplit_set (n->wanted, " ,;\n\t", -1);
  guint count = 0;

  for (guint i = 0; words[i] != NULL; i++) {
    const int name = relations_find (relations, words[i]);

    if (*words[i] == '\0')
      continue;
    if (name < 0) {
      kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "\"%s\" is in no relation: correct the wanted names", words[i]);
      return false;
    }
    if (count == G_N_ELEMENTS (to)) {
      kg_set_error (error, KG_ERROR_LIMIT, "more than %zu names are wanted: get the others from the table",
                    G_N_ELEMENTS (to));
      return false;
    }
    *to[count++] = values[name];
  }
  for (guint i = 0; count == 0 && i < MIN (relations_get_n_names (relations), G_N_ELEMENTS (to)); i++)
    *to[i] = values[i];
  return true;
}

static void
relations_warn (const RelationsNode *n, const KgContext *ctx, const RelationsReport *report)
{
  if (report->conflicts->len > 0)
    kg_context_warn (ctx, "the relations contradict each other, or have no solution near the start values: %s",
                     report->conflicts->str);
  else if (!report->solved && n->method == RELATIONS_PROPAGATE)
    kg_context_warn (ctx, "nothing more propagates: the rest is a cycle; choose a method that solves cycles");
  if (report->free->len > 0)
    kg_context_warn (ctx, "nothing determines %s: they stay near their start values; give more of them",
                     report->free->str);
}

static bool
relations_evaluate (RelationsNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const double numbers[RELATIONS_NUMBERS] = { n->a, n->b, n->c, n->d };
  g_autoptr (Relations) relations = relations_new (n->relations, error);
  g_auto (RelationsReport) report = { .order = NULL };
  g_autofree double *values = NULL;
  g_autofree bool *known = NULL, *started = NULL;
  guint count;

  if (relations == NULL)
    return false;
  count = relations_get_n_names (relations);
  values = g_new (double, count + 1);
  known = g_new0 (bool, count + 1);
  started = g_new0 (bool, count + 1);
  for (guint i = 0; i < count; i++)
    values[i] = START;
  if (!relations_read_values (relations, n->start, numbers, values, started, error) ||
      !relations_read_values (relations, n->known, numbers, values, known, error) ||
      !relations_solve (relations, known, (RelationsMethod) n->method, (guint) n->passes, values, &report, &monitor))
    return false;
  relations_warn (n, ctx, &report);
  n->solved = report.solved;
  n->residual = report.residual;
  n->order = g_strdup (report.order->str);
  n->free = g_strdup (report.free->str);
  n->conflicts = g_strdup (report.conflicts->str);
  return relations_make_table (n, relations, values, error) && relations_pick (n, relations, values, error);
}

static const KgSlot relations_slots[] = {
  KG_INPUT (
      RelationsNode, relations, TEXT, .label = N_ ("Relations"), .multiline = true, .def_text = "F = 9/5*C + 32",
      .manual = "expressions",
      .help = N_ (
          "One relation per line: a formula, = and another formula, with names of your choice. Relations work in all "
          "directions, in any order. # starts a comment.")),
  KG_INPUT (RelationsNode, known, TEXT, .label = N_ ("Known"), .multiline = true, .def_text = "C = a",
            .help = N_ ("Known values, one per line: a name, = and a formula of the numbers a to d.")),
  KG_INPUT (RelationsNode, a, NUMBER, .label = N_ ("a"),
            .help = N_ ("Number for the known values: key it or link it.")),
  KG_INPUT (RelationsNode, b, NUMBER, .label = N_ ("b"), .help = N_ ("Number for the known values.")),
  KG_INPUT (RelationsNode, c, NUMBER, .label = N_ ("c"), .help = N_ ("Number for the known values.")),
  KG_INPUT (RelationsNode, d, NUMBER, .label = N_ ("d"), .help = N_ ("Number for the known values.")),
  KG_INPUT (RelationsNode, wanted, TEXT, .label = N_ ("Wanted"), .def_text = "F",
            .help = N_ ("Names of up to four values to output; without names the first ones.")),
  KG_INPUT (
      RelationsNode, start, TEXT, .label = N_ ("Start"), .multiline = true, .group = N_ ("Solver"),
      .help = N_ (
          "Start values for the search, written like known values. Of several solutions the nearest is found; values "
          "that nothing determines stay there.")),
  KG_INPUT (
      RelationsNode, method, CHOICE, .label = N_ ("Method"), .choices = relations_methods, .group = N_ ("Solver"),
      .help =
          N_ ("How the relations are solved. A relation with one unknown gives it; relations that depend on each other "
              "form cycles.")),
  KG_INPUT (RelationsNode, passes, INTEGER, .label = N_ ("Most passes"), .def = 200, .min = 1, .max = 100000,
            .soft_max = 1000, .group = N_ ("Solver"), .help = N_ ("Largest number of passes over a cycle.")),
  KG_OUTPUT (RelationsNode, value, NUMBER, .label = N_ ("Value"), .help = N_ ("The first wanted value.")),
  KG_OUTPUT (RelationsNode, value_2, NUMBER, .label = N_ ("Second value"), .help = N_ ("The second wanted value.")),
  KG_OUTPUT (RelationsNode, value_3, NUMBER, .label = N_ ("Third value"), .help = N_ ("The third wanted value.")),
  KG_OUTPUT (RelationsNode, value_4, NUMBER, .label = N_ ("Fourth value"), .help = N_ ("The fourth wanted value.")),
  KG_OUTPUT (RelationsNode, values, TABLE, .label = N_ ("Values"), .help = N_ ("All values, a column for each name.")),
  KG_OUTPUT (RelationsNode, solved, BOOLEAN, .label = N_ ("Solved"), .help = N_ ("Whether all relations hold.")),
  KG_OUTPUT (RelationsNode, residual, NUMBER, .label = N_ ("Residual"),
             .help = N_ ("Largest difference of the two sides of a relation.")),
  KG_OUTPUT (RelationsNode, order, TEXT, .label = N_ ("Order"), .help = N_ ("The order in which values were solved.")),
  KG_OUTPUT (RelationsNode, free, TEXT, .label = N_ ("Free"), .help = N_ ("Names that nothing determines.")),
  KG_OUTPUT (RelationsNode, conflicts, TEXT, .label = N_ ("Conflicts"), .help = N_ ("Relations that do not hold.")),
};

KG_NODE (
    value, relations, RelationsNode, .label = N_ ("Relations"), .version = 2, .since = "0.1",
    .tags = N_ ("constraint equation solve unknown spreadsheet sketchpad bidirectional"),
    .source = "Sutherland, Sketchpad, 1963; Borning, ThingLab, 1979; Leler 1988",
    .help = N_ (
        "Solves equations between named numbers for whatever is unknown: write the relations once, give any of the "
        "values, and read the others. Known values propagate; equations that form cycles are solved together."));
