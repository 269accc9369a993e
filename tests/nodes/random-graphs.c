/* tests/nodes/random-graphs: graphs of all node types, made by chance from their declarations: hostile numbers, texts and
 * expressions, and links that fit.  Each output must be finite or an error, soon; the graph must be read again as it was
 * written.  A new node type is part of them without a change here.
 *
 * Each graph is a test of its own: nodes-random-graphs -p /random-graphs/17 --verbose prints it.  KG_RANDOM_GRAPHS=10000
 * makes more of them, and KG_RANDOM_GRAPHS_FIRST=700 leaves out those that were tried.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "any-node.h"
#include "kg-random.h"

#include <pthread.h>
#include <time.h>

#define N_GRAPHS 700
/* Nodes of a graph besides the sources. */
#define N_NODES 8
/* Pixels, which cost time and find nothing. */
#define MAX_PIXELS 24
/* Processor time of the evaluating thread for one value, in seconds; and once it is cancelled. */
#define END_LIMIT 5
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define LIMIT 60
#else
#define LIMIT 10
#endif

static KgTypes *types;
static GPtrArray *plain_types; /* const KgNodeType: those that stand in graphs by themselves */

/* Chance. */

typedef struct {
  uint64_t seed, drawn;
} Dice;

static guint
draw (Dice *dice, guint n)
{
  return (guint) (kg_random_bits (dice->seed, dice->drawn++, 0) >> 16) % n;
}

static double
draw_number (Dice *dice)
{
  static const double numbers[] = { 0,    1,     -1,     0.5,    2,       3,     10,    -0.1,   1e-3,  1e3,
                                    -1e6, 1e9,   1e15,   1e-30,  1e-40,   1e38,  -1e39, 1e-300, 1e300, -1e300,
                                    90,   -7e18, 1e-320, 1e-160, 1.5e154, 255.5, 1e-7,  64,     0.999 };

  return draw (dice, 3) == 0 ? kg_random_signed (dice->seed, dice->drawn++, 1)
                             : numbers[draw (dice, G_N_ELEMENTS (numbers))];
}

/* Sources, as in files. */

static void
write_numbers (Dice *dice, guint n, GString *out)
{
  g_string_append (out, n > 1 ? "[" : "");
  for (guint i = 0; i < n; i++) {
    g_string_append (out, i > 0 ? ", " : "");
    kg_json_write_number (draw_number (dice), out);
  }
  g_string_append (out, n > 1 ? "]" : "");
}

/* Counts stay small: large ones may take long. */
static void
write_integer (Dice *dice, const KgSlot *slot, GString *out)
{
  static const int numbers[] = { 0, 1, 2, 3, -1, 5, 17, 33 };

  if (slot->unit == KG_PIXELS)
    g_string_append_printf (out, "%u", 1 + draw (dice, MAX_PIXELS));
  else
    g_string_append_printf (out, "%d", numbers[draw (dice, G_N_ELEMENTS (numbers))]);
}

static void
write_text (Dice *dice, const KgSlot *slot, GString *out)
{
  static const char *const texts[] = { "",
                                       "0 0 0\n1 0 0\n1 1 0\n0 1 0",
                                       "0 1\n1 2\n2 0",
                                       "0 0 0 1 1 1",
                                       "1e300 -1e300 1e-300",
                                       "nan inf",
                                       "x*y + t",
                                       "../../nowhere.obj",
                                       "%d%s%n",
                                       "𝄞;;,",
                                       "a b c\nd",
                                       "-1 99999999999 0.5",
                                       "{[(" };
  const char *text = texts[draw (dice, G_N_ELEMENTS (texts))];

  if (draw (dice, 2) == 0 && slot->def_text != NULL)
    text = slot->def_text;
  kg_json_write_string (text, out);
}

static void
write_choice (Dice *dice, const KgSlot *slot, GString *out)
{
  guint n = 0;

  while (slot->choices != NULL && slot->choices[n].nick != NULL)
    n++;
  kg_json_write_string (n > 0 ? slot->choices[draw (dice, n)].nick : "", out);
}

/* False where constants make no sense. */
static bool
write_constant (Dice *dice, const KgSlot *slot, GString *out)
{
  switch (slot->kind) {
  case KG_NUMBER:
  case KG_MOTION:
    write_numbers (dice, 1, out);
    return true;
  case KG_INTEGER:
    write_integer (dice, slot, out);
    return true;
  case KG_BOOLEAN:
    g_string_append (out, draw (dice, 2) == 0 ? "true" : "false");
    return true;
  case KG_TEXT:
    write_text (dice, slot, out);
    return true;
  case KG_CHOICE:
    write_choice (dice, slot, out);
    return true;
  case KG_VECTOR:
    write_numbers (dice, 3, out);
    return true;
  case KG_COLOR:
  case KG_ROTATION:
    write_numbers (dice, 4, out);
    return true;
  default:
    return false;
  }
}

static void
write_expression (Dice *dice, KgGraph *graph, GString *out)
{
  static const char *const expressions[] = { "t",          "1 / (t - 0.1)", "sqrt(-1 - t)",  "frame * 1e308 * 10",
                                             "noise(t*9)", "1e300 * t",     "sin(frame) ^ 7" };
  KgNode *node = kg_graph_get_node (graph, draw (dice, kg_graph_get_n_nodes (graph)));
  const guint slot = draw (dice, MAX (kg_node_get_n_slots (node), 1));

  if (draw (dice, 2) == 0 || slot >= kg_node_get_n_slots (node))
    g_string_append_printf (out, "{\"expr\": \"%s\"}", expressions[draw (dice, G_N_ELEMENTS (expressions))]);
  else
    g_string_append_printf (out, "{\"expr\": \"%s.%s * 2 - t\"}", kg_node_get_name (node),
                            kg_node_get_slot (node, slot)->name);
}

static void
write_keys (Dice *dice, const KgSlot *slot, GString *out)
{
  for (guint i = 0; i < 2; i++) {
    g_string_append (out, i == 0 ? "{\"keys\": [[1, " : "], [3, ");
    if (slot->kind == KG_INTEGER)
      write_integer (dice, slot, out);
    else
      write_numbers (dice, kg_kind_get_width (slot->kind), out);
  }
  g_string_append (out, "]]}");
}

/* A vector whose components have sources of their own. */
static void
write_components (Dice *dice, KgGraph *graph, GString *out)
{
  const KgSlot *number = kg_cell_get_slot ();

  for (guint i = 0; i < 3; i++) {
    g_string_append (out, i == 0 ? "[" : ", ");
    if (draw (dice, 3) == 0)
      write_keys (dice, number, out);
    else if (draw (dice, 2) == 0)
      write_expression (dice, graph, out);
    else
      write_numbers (dice, 1, out);
  }
  g_string_append_c (out, ']');
}

/* Links the input to one of the outputs that fit, all with the same chance. */
static void
link_by_chance (Dice *dice, KgGraph *graph, KgNode *node, guint slot)
{
  KgNode *from = NULL;
  guint output = 0, n = 0;

  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *other = kg_graph_get_node (graph, i);

    for (guint k = 0; k < kg_node_get_n_slots (other); k++)
      if (kg_node_get_slot (other, k)->role == KG_SLOT_OUTPUT &&
          kg_graph_check_link (graph, other, k, node, slot, NULL) && draw (dice, ++n) == 0) {
        from = other;
        output = k;
      }
  }
  if (from != NULL)
    kg_graph_link (graph, from, kg_node_get_slot (from, output)->name, node, kg_node_get_slot (node, slot)->name, NULL);
}

/* What does not fit is refused, and the input keeps its default. */
static void
set_by_chance (Dice *dice, KgGraph *graph, KgNode *node, guint index)
{
  const KgSlot *slot = kg_node_get_slot (node, index);
  const bool heavy = slot->kind >= KG_MOTION && slot->kind <= KG_SCENE;
  g_autoptr (GString) json = g_string_new (NULL);
  const guint what = draw (dice, 8);
  Dice own = *dice; /* the other inputs stay what they are, whatever is drawn here */

  if (heavy || slot->list || slot->kind == KG_ANY || (what == 0 && slot->kind != KG_INTEGER)) {
    for (guint i = 0; i <= draw (dice, 3) && (i == 0 || slot->list); i++)
      if (!slot->optional || draw (dice, 4) != 0)
        link_by_chance (dice, graph, node, index);
    return;
  }
  if (what == 1 && kg_kind_get_width (slot->kind) > 0 && slot->kind != KG_INTEGER)
    write_expression (dice, graph, json);
  else if (what == 2 && kg_kind_get_width (slot->kind) > 0)
    write_keys (dice, slot, json);
  else if ((what > 4 && slot->unit != KG_PIXELS) || !write_constant (dice, slot, json))
    return;
  if ((what == 1 || what == 2) && slot->kind == KG_VECTOR && draw (&own, 2) == 0) {
    g_string_truncate (json, 0);
    write_components (&own, graph, json);
  }
  kg_graph_set_json (graph, node, slot->name, json->str, NULL);
}

/* (transfer full) */
static KgGraph *
make_graph (guint number)
{
  Dice dice = { .seed = 1000 + number };
  KgGraph *graph = kg_graph_new (types);

  for (guint i = 0; i < 2; i++) {
    KgNode *source = kg_graph_add (graph, "test/source", NULL, 0, 0, NULL);
    static const double sizes[] = { 1, 1, 1, 0, 1e30, 1e-40, -3 };
    g_auto (KgValue) size = kg_value_number (sizes[draw (&dice, G_N_ELEMENTS (sizes))]);
    g_auto (KgValue) empty = kg_value_boolean (i == 1 && draw (&dice, 4) == 0);
    g_auto (KgValue) detail = kg_value_integer (1 + draw (&dice, 3)), line = kg_value_boolean (draw (&dice, 3) == 0);

    kg_graph_set_constant (graph, source, "size", &size, NULL);
    kg_graph_set_constant (graph, source, "empty", &empty, NULL);
    kg_graph_set_constant (graph, source, "detail", &detail, NULL);
    kg_graph_set_constant (graph, source, "line", &line, NULL);
  }
  for (guint i = 0; i < N_NODES; i++) {
    /* All types in turn; half of them by chance, so that they meet others than their neighbours. */
    const guint index = i % 2 == 0 ? number * N_NODES / 2 + i / 2 : draw (&dice, plain_types->len);
    const KgNodeType *type = (const KgNodeType *) g_ptr_array_index (plain_types, index % plain_types->len);
    KgNode *node = kg_graph_add (graph, type->id, NULL, 0, 0, NULL);

    for (guint k = 0; k < kg_node_get_n_slots (node); k++)
      if (kg_node_get_slot (node, k)->role == KG_SLOT_INPUT)
        set_by_chance (&dice, graph, node, k);
    if (draw (&dice, 16) == 0)
      kg_graph_set_bypass (graph, node, true);
  }
  return graph;
}

/* The watch: what takes too long is reported, with the graph, and ends the test.  Only of a simulation may somebody ask for the
 * millionth frame: that is cancelled, and must end then. */

static struct {
  clockid_t clock; /* of the evaluating thread */
  GMutex lock;
  double begun; /* on that clock; 0: nothing to watch */
  const char *what;
  bool simulates;            /* the graph has a simulation */
  GCancellable *cancellable; /* of what began */
  char *text;
} watch;

static double
read_clock (void)
{
  struct timespec now;

  clock_gettime (watch.clock, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static gpointer
watch_run (gpointer data)
{
  (void) data;
  for (;;) {
    g_usleep (200000);
    g_mutex_lock (&watch.lock);
    if (watch.begun > 0) {
      const double taken = read_clock () - watch.begun;

      if (taken > LIMIT && watch.simulates)
        g_cancellable_cancel (watch.cancellable);
      if (taken > LIMIT + (watch.simulates ? END_LIMIT : 0))
        g_error ("%s takes more than %d s of\n%s", watch.what, LIMIT, watch.text);
    }
    g_mutex_unlock (&watch.lock);
  }
  return NULL;
}

static void
watch_begin (const char *what, GCancellable *cancellable)
{
  g_mutex_lock (&watch.lock);
  watch.begun = read_clock ();
  watch.what = what;
  watch.cancellable = cancellable;
  g_mutex_unlock (&watch.lock);
}

static void
watch_end (void)
{
  g_mutex_lock (&watch.lock);
  watch.begun = 0;
  g_mutex_unlock (&watch.lock);
}

/* The test. */

static void
evaluate_node (KgEvaluator *evaluator, KgNode *node, double time)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);
    g_auto (KgValue) value = KG_VALUE_INIT;
    g_autoptr (GCancellable) cancellable = g_cancellable_new ();
    g_autoptr (GError) error = NULL, bad = NULL;
    bool good;

    if (slot->role != KG_SLOT_OUTPUT)
      continue;
    watch_begin (kg_node_get_name (node), cancellable);
    good = kg_evaluator_evaluate (evaluator, node, i, time, cancellable, &value, &error);
    watch_end ();
    if (g_cancellable_is_cancelled (cancellable) && !good)
      continue;
    if (good && !kg_value_check_finite (&value, &bad))
      g_error ("%s.%s at %g s is %s:\n%s", kg_node_get_name (node), slot->name, time, bad->message, watch.text);
    if (good != (error == NULL) || (error != NULL && strstr (error->message, ": ") == NULL))
      g_error ("%s.%s at %g s fails without saying where and why:\n%s", kg_node_get_name (node), slot->name, time,
               watch.text);
  }
}

static void
check_text (KgGraph *graph, const char *text)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgGraph) again = kg_graph_parse (types, text, -1, problems);
  g_autofree char *report = kg_problems_to_text (problems, "graph");
  g_autofree char *text_again = again != NULL ? kg_graph_to_text (again) : NULL;

  if (again == NULL)
    g_error ("the graph is not read:\n%s%s", report, text);
  g_assert_cmpstr (text, ==, text_again);
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++)
    g_assert_true (kg_hash_equal (kg_node_get_fingerprint (kg_graph_get_node (graph, i)),
                                  kg_node_get_fingerprint (kg_graph_get_node (again, i))));
}

static void
test_graph (gconstpointer data)
{
  static const double times[] = { 0, 2.0 / 24, 0.1, -0.5 };
  g_autoptr (KgGraph) graph = make_graph (GPOINTER_TO_UINT (data));
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, NULL);
  g_autofree char *text = kg_graph_to_text (graph);

  if (g_test_verbose ())
    g_test_message ("%s", text);
  watch.text = text;
  watch.simulates = false;
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++)
    watch.simulates |= kg_node_get_type (kg_graph_get_node (graph, i))->advance != NULL;
  check_text (graph, text);
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++)
    for (guint k = 0; k < G_N_ELEMENTS (times); k++)
      evaluate_node (evaluator, kg_graph_get_node (graph, i), times[k]);
}

int
main (int argc, char **argv)
{
  const char *more = g_getenv ("KG_RANDOM_GRAPHS");
  const char *tried = g_getenv ("KG_RANDOM_GRAPHS_FIRST");
  const guint n_graphs = more != NULL ? (guint) g_ascii_strtoull (more, NULL, 10) : N_GRAPHS;
  const guint first = tried != NULL ? (guint) g_ascii_strtoull (tried, NULL, 10) : 0;
  int status;

  g_test_init (&argc, &argv, NULL);
  types = make_types ();
  plain_types = g_ptr_array_new ();
  for (guint i = 0; kg_node_table[i] != NULL; i++)
    if (kg_node_table[i]->role != KG_ROLE_INTERFACE_INPUT && kg_node_table[i]->role != KG_ROLE_INTERFACE_OUTPUT)
      g_ptr_array_add (plain_types, (gpointer) kg_node_table[i]);
  pthread_getcpuclockid (pthread_self (), &watch.clock);
  g_thread_unref (g_thread_new ("watch", watch_run, NULL));
  for (guint i = first; i < n_graphs; i++) {
    g_autofree char *path = g_strdup_printf ("/random-graphs/%u", i);

    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_graph);
  }
  status = g_test_run ();
  g_ptr_array_unref (plain_types);
  kg_types_unref (types);
  return status;
}
