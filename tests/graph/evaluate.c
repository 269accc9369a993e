/* tests/graph/evaluate: laziness, dirtiness, caching, simulations, errors, long chains; which nodes run again is
 * asserted exactly.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fake-types.h"

typedef struct {
  KgTypes *types;
  KgGraph *graph;
  KgEvaluator *evaluator;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->types = fake_types_new ();
  f->graph = kg_graph_new (f->types);
  f->evaluator = kg_evaluator_new (f->graph, NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  kg_evaluator_free (f->evaluator);
  g_object_unref (f->graph);
  kg_types_unref (f->types);
}

static KgNode *
add (Fixture *f, const char *type, const char *name)
{
  g_autoptr (GError) error = NULL;
  KgNode *node = kg_graph_add (f->graph, type, name, 0, 0, &error);

  g_assert_no_error (error);
  return node;
}

static void
link_nodes (Fixture *f, KgNode *from, KgNode *to, const char *input)
{
  g_autoptr (GError) error = NULL;

  kg_graph_link (f->graph, from, "value", to, input, &error);
  g_assert_no_error (error);
}

static void
set_number (Fixture *f, KgNode *node, const char *input, double number)
{
  g_auto (KgValue) value = kg_value_number (number);
  g_autoptr (GError) error = NULL;

  kg_graph_set_constant (f->graph, node, input, &value, &error);
  g_assert_no_error (error);
}

static double
evaluate_at (Fixture *f, KgNode *node, double time)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;
  double number;

  kg_evaluator_evaluate (f->evaluator, node, (guint) kg_node_find_slot (node, "value"), time, NULL, &value, &error);
  g_assert_no_error (error);
  if (value.kind == KG_GEOMETRY)
    return (double) kg_geometry_get_positions (value.geometry)[0];
  g_assert_true (kg_value_get_component (&value, NULL, &number));
  return number;
}

static guint64
count (Fixture *f, KgNode *node)
{
  KgNodeStats stats;

  kg_evaluator_get_stats (f->evaluator, node, &stats);
  return stats.evaluations;
}

static void
test_lazy (Fixture *f, gconstpointer data)
{
  KgNode *a = add (f, "fake/add", "a"), *b = add (f, "fake/add", "b"), *unused = add (f, "fake/add", "unused");

  (void) data;
  set_number (f, a, "x", 2);
  link_nodes (f, a, b, "x");
  link_nodes (f, b, unused, "x");
  set_number (f, b, "y", 3);
  g_assert_cmpfloat (evaluate_at (f, b, 0), ==, 5);
  g_assert_cmpuint (count (f, a), ==, 1);
  g_assert_cmpuint (count (f, b), ==, 1);
  g_assert_cmpuint (count (f, unused), ==, 0);
  /* Nothing changed: nothing runs, at no time. */
  evaluate_at (f, b, 0);
  evaluate_at (f, b, 1);
  g_assert_cmpuint (kg_evaluator_get_n_evaluations (f->evaluator), ==, 2);
}

/* A new last frame is nothing new to what does not read it. */
static void
test_last_frame (Fixture *f, gconstpointer data)
{
  KgNode *plain = add (f, "fake/add", "plain"), *moving = add (f, "fake/add", "moving");
  KgNode *reader = add (f, "fake/add", "reader");
  KgFrames frames = kg_graph_get_frames (f->graph);
  g_autoptr (GError) error = NULL;

  (void) data;
  frames.end = 48;
  g_assert_true (kg_graph_set_frames (f->graph, frames, &error));
  set_number (f, plain, "x", 2);
  g_assert_true (kg_graph_set_expression (f->graph, moving, "x", "frame + rate + start", &error));
  link_nodes (f, moving, reader, "x");
  g_assert_true (kg_graph_set_expression (f->graph, reader, "y", "end-start", &error));
  g_assert_no_error (error);
  evaluate_at (f, plain, 1);
  g_assert_cmpfloat (evaluate_at (f, reader, 1), ==, 47 + 25 + 24 + 1);
  frames.end = 96;
  g_assert_true (kg_graph_set_frames (f->graph, frames, &error));
  evaluate_at (f, plain, 1);
  g_assert_cmpfloat (evaluate_at (f, reader, 1), ==, 95 + 25 + 24 + 1);
  g_assert_cmpuint (count (f, plain), ==, 1);
  g_assert_cmpuint (count (f, moving), ==, 1);
  g_assert_cmpuint (count (f, reader), ==, 2);
  /* The first one counts for all that has a time. */
  frames.start = 2;
  g_assert_true (kg_graph_set_frames (f->graph, frames, &error));
  evaluate_at (f, moving, 1);
  g_assert_cmpuint (count (f, moving), ==, 2);
}

/* The same value is the same input, whether it is typed or comes along a link. */
static void
test_typed_or_linked (Fixture *f, gconstpointer data)
{
  KgNode *four = add (f, "fake/add", "four"), *sum = add (f, "fake/add", "sum");

  (void) data;
  set_number (f, four, "x", 3);
  set_number (f, four, "y", 1);
  set_number (f, sum, "x", 4);
  set_number (f, sum, "y", 5);
  g_assert_cmpfloat (evaluate_at (f, sum, 0), ==, 9);
  link_nodes (f, four, sum, "x");
  g_assert_cmpfloat (evaluate_at (f, sum, 0), ==, 9);
  g_assert_cmpuint (count (f, sum), ==, 1);
  /* But not where the values have changed places. */
  set_number (f, sum, "y", 4);
  set_number (f, four, "x", 4);
  g_assert_cmpfloat (evaluate_at (f, sum, 0), ==, 9);
  g_assert_cmpuint (count (f, sum), ==, 2);
}

static void
test_dirty (Fixture *f, gconstpointer data)
{
  KgNode *left = add (f, "fake/add", "left"), *right = add (f, "fake/add", "right");
  KgNode *sum = add (f, "fake/add", "sum"), *top = add (f, "fake/add", "top");

  (void) data;
  link_nodes (f, left, sum, "x");
  link_nodes (f, right, sum, "y");
  link_nodes (f, sum, top, "x");
  /* Different, for nodes with the same type and inputs share one result. */
  set_number (f, right, "x", 99);
  set_number (f, right, "y", 1);
  evaluate_at (f, top, 0);
  set_number (f, left, "x", 7);
  g_assert_cmpfloat (evaluate_at (f, top, 0), ==, 107);
  g_assert_cmpuint (count (f, left), ==, 2);
  g_assert_cmpuint (count (f, right), ==, 1);
  g_assert_cmpuint (count (f, sum), ==, 2);
  g_assert_cmpuint (count (f, top), ==, 2);
  /* Undo goes back to what is still in the cache. */
  kg_graph_undo (f->graph);
  g_assert_cmpfloat (evaluate_at (f, top, 0), ==, 100);
  g_assert_cmpuint (kg_evaluator_get_n_evaluations (f->evaluator), ==, 7);
  /* A change that leaves the value of left as it was stops there. */
  set_number (f, left, "x", 4);
  set_number (f, left, "y", -4);
  g_assert_cmpfloat (evaluate_at (f, top, 0), ==, 100);
  g_assert_cmpuint (count (f, left), ==, 3);
  g_assert_cmpuint (count (f, sum), ==, 2);
}

static void
test_time (Fixture *f, gconstpointer data)
{
  KgNode *time = add (f, "fake/time", "time"), *still = add (f, "fake/add", "still");
  KgNode *sum = add (f, "fake/add", "sum");

  (void) data;
  link_nodes (f, time, sum, "x");
  link_nodes (f, still, sum, "y");
  set_number (f, still, "x", 10);
  g_assert_true (kg_node_depends_on_time (sum));
  g_assert_false (kg_node_depends_on_time (still));
  for (int i = 0; i < 5; i++)
    g_assert_cmpfloat (evaluate_at (f, sum, 0.5 * i), ==, 10 + 0.5 * i);
  g_assert_cmpuint (count (f, still), ==, 1);
  g_assert_cmpuint (count (f, time), ==, 5);
  g_assert_cmpuint (count (f, sum), ==, 5);
  evaluate_at (f, sum, 1.5);
  g_assert_cmpuint (count (f, sum), ==, 5);
}

static void
test_keys (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_auto (KgSource) source = KG_SOURCE_INIT;
  KgNode *a = add (f, "fake/add", "a");
  KgKey keys[3];

  (void) data;
  kg_key_init (&keys[0], 1, 0);
  kg_key_init (&keys[1], 25, 24);
  kg_key_init (&keys[2], 49, 24);
  source = kg_source_keys (kg_channel_new_keys (1, false, keys, 3, KG_EXTEND_HOLD, KG_EXTEND_HOLD, &error));
  g_assert_no_error (error);
  kg_graph_set_source (f->graph, a, 0, &source, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (evaluate_at (f, a, 0), ==, 0);
  g_assert_cmpfloat (evaluate_at (f, a, 12.0 / 24), ==, 12);
  g_assert_cmpfloat (evaluate_at (f, a, 1), ==, 24);
  g_assert_cmpuint (count (f, a), ==, 3);
  /* Held: the input has the value it had, so the node does not run. */
  g_assert_cmpfloat (evaluate_at (f, a, 1.5), ==, 24);
  g_assert_cmpuint (count (f, a), ==, 3);
}

static void
test_expression (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgNode *a = add (f, "fake/add", "a"), *b = add (f, "fake/add", "b");

  (void) data;
  set_number (f, a, "x", 3);
  kg_graph_set_expression (f->graph, b, "x", "10*a.value + a.x + frame", &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (evaluate_at (f, b, 0), ==, 34);
  set_number (f, a, "x", 4);
  g_assert_cmpfloat (evaluate_at (f, b, 0), ==, 45);
  kg_graph_set_expression (f->graph, b, "x", "1/(a.x - 4)", &error);
  g_assert_no_error (error);
  g_assert_false (kg_evaluator_evaluate (f->evaluator, b, 2, 0, NULL, &value, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_EXPRESSION);
  g_assert_true (g_str_has_prefix (error->message, "b: x: "));
  g_clear_error (&error);
  /* What it read goes away and comes back. */
  kg_graph_set_expression (f->graph, b, "x", "a.x", &error);
  kg_graph_remove (f->graph, a);
  g_assert_false (kg_evaluator_evaluate (f->evaluator, b, 2, 0, NULL, &value, &error));
  g_assert_cmpstr (error->message, ==, "b: x: column 1: a.x does not exist");
  g_clear_error (&error);
  kg_graph_undo (f->graph);
  g_assert_cmpfloat (evaluate_at (f, b, 0), ==, 4);
}

static void
test_switch (Fixture *f, gconstpointer data)
{
  KgNode *a = add (f, "fake/add", "a"), *bad = add (f, "fake/fail", "bad"), *s = add (f, "fake/switch", "s");
  KgNode *below = add (f, "fake/add", "below");
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;

  (void) data;
  set_number (f, a, "y", 6);
  link_nodes (f, a, s, "values");
  link_nodes (f, bad, s, "values");
  link_nodes (f, s, below, "x");
  g_assert_cmpfloat (evaluate_at (f, below, 0), ==, 6);
  g_assert_cmpuint (count (f, bad), ==, 0);
  /* An edit of a branch that is not taken runs nothing: the switch would get the values it had. */
  set_number (f, bad, "x", 5);
  evaluate_at (f, below, 0);
  g_assert_cmpuint (kg_evaluator_get_n_evaluations (f->evaluator), ==, 3);
  set_number (f, s, "index", 1);
  g_assert_false (kg_evaluator_evaluate (f->evaluator, below, 2, 0, NULL, &value, &error));
  g_assert_cmpstr (error->message, ==, "bad: out of luck: try another day");
}

static void
test_delay (Fixture *f, gconstpointer data)
{
  KgNode *time = add (f, "fake/time", "time"), *delay = add (f, "fake/delay", "delay");

  (void) data;
  link_nodes (f, time, delay, "x");
  set_number (f, delay, "delay", 2);
  g_assert_cmpfloat_with_epsilon (evaluate_at (f, delay, 5), 3.005, 1e-12);
  g_assert_cmpuint (count (f, time), ==, 2);
  evaluate_at (f, delay, 7); /* reads 5 again, and 7 */
  g_assert_cmpuint (count (f, time), ==, 3);
}

static void
test_errors (Fixture *f, gconstpointer data)
{
  KgNode *bad = add (f, "fake/fail", "bad"), *below = add (f, "fake/add", "below");
  KgNode *nan_node = add (f, "fake/nan", "nan"), *empty = add (f, "fake/shift", "empty");
  KgNode *fine = add (f, "fake/add", "fine");
  g_autoptr (GError) error = NULL, noted = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_auto (GStrv) warnings = NULL;

  (void) data;
  link_nodes (f, bad, below, "x");
  g_assert_false (kg_evaluator_evaluate (f->evaluator, below, 2, 0, NULL, &value, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  g_assert_cmpstr (error->message, ==, "bad: out of luck: try another day");
  noted = kg_evaluator_dup_error (f->evaluator, bad);
  g_assert_nonnull (noted);
  g_clear_error (&error);
  g_assert_false (kg_evaluator_evaluate (f->evaluator, nan_node, 1, 0, NULL, &value, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DIVERGED);
  g_clear_error (&error);
  g_assert_false (kg_evaluator_evaluate (f->evaluator, empty, 3, 0, NULL, &value, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_NOT_CONNECTED);
  g_clear_error (&error);
  /* Out of range: clamped, with a warning. */
  set_number (f, fine, "y", 5000);
  g_assert_cmpfloat (evaluate_at (f, fine, 0), ==, 1000);
  warnings = kg_evaluator_dup_warnings (f->evaluator, fine);
  g_assert_cmpuint (g_strv_length (warnings), ==, 1);
}

static void
test_degrees (Fixture *f, gconstpointer data)
{
  KgNode *geometry = add (f, "fake/geometry", "geometry"), *shift = add (f, "fake/shift", "shift");

  (void) data;
  link_nodes (f, geometry, shift, "geometry");
  set_number (f, shift, "x", 180);
  g_assert_cmpfloat_with_epsilon (evaluate_at (f, shift, 0), KG_PI, 1e-6);
}

/* What an input had before is never what it has: constants, within the range and beyond, links, keys and defaults take
 * turns, each at two values of the other input, which itself is a constant. */
static void
test_sources_take_turns (Fixture *f, gconstpointer data)
{
  static const char *const sources[] = { "7",  "5000", "{\"link\": \"from.value\"}", "-5000",
                                         NULL, "7",    "{\"keys\": [[1, 3]]}",       "{\"expr\": \"4\"}" };
  static const double expected[] = { 7, 1000, 20, -1000, 0, 7, 3, 4 };
  KgNode *node = add (f, "fake/add", "node"), *from = add (f, "fake/add", "from");

  (void) data;
  set_number (f, from, "x", 20);
  for (guint round = 0; round < 3; round++)
    for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
      for (guint x = 0; x < 2; x++) {
        const guint s = round == 1 ? G_N_ELEMENTS (sources) - 1 - i : i;
        g_auto (GStrv) warnings = NULL;
        g_autoptr (GError) error = NULL;

        set_number (f, node, "x", 100 * round + 10 * i + x);
        if (sources[s] != NULL)
          kg_graph_set_json (f->graph, node, "y", sources[s], &error);
        else
          kg_graph_reset (f->graph, node, "y", &error);
        g_assert_no_error (error);
        g_assert_cmpfloat (evaluate_at (f, node, 0), ==, 100 * round + 10 * i + x + expected[s]);
        warnings = kg_evaluator_dup_warnings (f->evaluator, node);
        g_assert_cmpuint (g_strv_length (warnings), ==, fabs (expected[s]) == 1000);
      }
}

/* Nodes that keep a table find it by the fingerprints of their inputs, constants too. */
static void
test_fingerprint_of_input (Fixture *f, gconstpointer data)
{
  KgNode *node = add (f, "fake/fingerprint", "node"), *from = add (f, "fake/add", "from");
  g_autoptr (GError) error = NULL;
  double one, two;

  (void) data;
  set_number (f, node, "x", 1);
  one = evaluate_at (f, node, 0);
  set_number (f, node, "x", 2);
  two = evaluate_at (f, node, 0);
  g_assert_cmpfloat (one, !=, 0);
  g_assert_cmpfloat (two, !=, 0);
  g_assert_cmpfloat (one, !=, two);
  set_number (f, from, "x", 1);
  kg_graph_link (f->graph, from, "value", node, "x", &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (evaluate_at (f, node, 0), ==, one);
}

static guint
count_warnings (KgEvaluator *evaluator, KgNode *node)
{
  g_auto (GStrv) warnings = kg_evaluator_dup_warnings (evaluator, node);

  return g_strv_length (warnings);
}

/* What a node shows is that of its present result, also where the cache has it: after an edit was taken back, and for
 * another evaluator, such as one of a snapshot. */
static void
test_known_results_warn (Fixture *f, gconstpointer data)
{
  KgNode *node = add (f, "fake/add", "node");
  g_autoptr (KgGraph) snapshot = NULL;
  g_autoptr (KgEvaluator) other = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgNode *twin;

  (void) data;
  set_number (f, node, "x", 1);
  evaluate_at (f, node, 0);
  g_assert_cmpuint (count_warnings (f->evaluator, node), ==, 0);
  set_number (f, node, "y", 5000);
  evaluate_at (f, node, 0);
  g_assert_cmpuint (count_warnings (f->evaluator, node), ==, 1);
  snapshot = kg_graph_snapshot (f->graph);
  other = kg_evaluator_new (snapshot, kg_evaluator_get_cache (f->evaluator));
  twin = kg_graph_find (snapshot, "node");
  g_assert_true (kg_evaluator_evaluate (other, twin, (guint) kg_node_find_slot (twin, "value"), 0, NULL, &value, NULL));
  g_assert_cmpuint (kg_evaluator_get_n_evaluations (other), ==, 0);
  g_assert_cmpuint (count_warnings (other, twin), ==, 1);
  kg_graph_undo (f->graph);
  evaluate_at (f, node, 0);
  g_assert_cmpuint (count (f, node), ==, 2);
  g_assert_cmpuint (count_warnings (f->evaluator, node), ==, 0);
}

static void
assert_fails_saying (Fixture *f, KgNode *node, const char *start)
{
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;

  g_assert_false (
      kg_evaluator_evaluate (f->evaluator, node, (guint) kg_node_find_slot (node, "value"), 0, NULL, &value, &error));
  g_assert_true (g_str_has_prefix (error->message, start));
}

/* Two nodes with the same settings are one to the cache, and so is one by another name. */
static void
test_errors_name_their_node (Fixture *f, gconstpointer data)
{
  KgNode *first = add (f, "fake/fail", "first"), *second = add (f, "fake/fail", "second");
  KgNode *below = add (f, "fake/add", "below");

  (void) data;
  link_nodes (f, second, below, "x");
  assert_fails_saying (f, first, "first: ");
  assert_fails_saying (f, second, "second: ");
  assert_fails_saying (f, below, "second: ");
  assert_fails_saying (f, first, "first: ");
  g_assert_true (kg_graph_rename (f->graph, second, "third", NULL));
  assert_fails_saying (f, below, "third: ");
}

static void
test_in_place (Fixture *f, gconstpointer data)
{
  KgNode *time = add (f, "fake/time", "time"), *geometry = add (f, "fake/geometry", "geometry");
  KgNode *shift = add (f, "fake/shift", "shift");
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  (void) data;
  link_nodes (f, time, geometry, "x");
  link_nodes (f, geometry, shift, "geometry");
  kg_evaluator_evaluate (f->evaluator, shift, 2, 1, NULL, &value, &error);
  g_assert_no_error (error);
  g_assert_false (value.boolean); /* the cache holds the input too */
  kg_evaluator_set_lean (f->evaluator, true);
  kg_evaluator_evaluate (f->evaluator, shift, 2, 2, NULL, &value, &error);
  g_assert_no_error (error);
  g_assert_true (value.boolean);
}

static void
test_simulation (Fixture *f, gconstpointer data)
{
  KgNode *counter = add (f, "fake/counter", "counter");
  const double rate = 24;

  (void) data;
  g_assert_cmpfloat (evaluate_at (f, counter, 0), ==, 0);
  g_assert_cmpfloat (evaluate_at (f, counter, 10 / rate), ==, 10);
  g_assert_cmpuint (count (f, counter), ==, 1 + 1 + 10 + 1); /* start, evaluate, 10 steps, evaluate */
  /* Earlier frames are in the cache; later ones continue from the last frame. */
  g_assert_cmpfloat (evaluate_at (f, counter, 4 / rate), ==, 4);
  g_assert_cmpfloat (evaluate_at (f, counter, 11 / rate), ==, 11);
  g_assert_cmpuint (count (f, counter), ==, 13 + 1 + 2);
  /* Between frames: a part of a step, which does not disturb the frames. */
  g_assert_cmpfloat_with_epsilon (evaluate_at (f, counter, 11.25 / rate), 11.25, 1e-5);
  g_assert_cmpfloat (evaluate_at (f, counter, 12 / rate), ==, 12);
  /* An edit starts it again; undo finds the old frames. */
  set_number (f, counter, "step", 2);
  g_assert_cmpfloat (evaluate_at (f, counter, 12 / rate), ==, 24);
  kg_graph_undo (f->graph);
  {
    const guint64 before = count (f, counter);

    g_assert_cmpfloat (evaluate_at (f, counter, 12 / rate), ==, 12);
    g_assert_cmpuint (count (f, counter), ==, before);
  }
}

/* While an input is dragged a simulation goes on from the state that is there, as if the input had keys; nothing of that is left when
 * it has been released. */
static void
test_ongoing (Fixture *f, gconstpointer data)
{
  KgNode *counter = add (f, "fake/counter", "counter"), *sum = add (f, "fake/add", "sum");
  KgNode *before = add (f, "fake/delay", "before");
  g_autoptr (KgOngoing) ongoing = NULL;
  const double rate = 24;
  bool ready[20];
  guint64 n;

  (void) data;
  link_nodes (f, counter, sum, "x");
  link_nodes (f, counter, before, "x");
  set_number (f, before, "delay", 2 / rate);
  g_assert_cmpfloat (evaluate_at (f, sum, 10 / rate), ==, 10);
  ongoing = kg_ongoing_new (f->evaluator, 10 / rate);
  kg_evaluator_set_ongoing (f->evaluator, ongoing);
  set_number (f, counter, "step", 3);
  n = count (f, counter);
  g_assert_cmpfloat (evaluate_at (f, sum, 10 / rate), ==, 10);
  g_assert_cmpuint (count (f, counter), ==, n + 1); /* no step */
  g_assert_cmpfloat (evaluate_at (f, sum, 11 / rate), ==, 13);
  g_assert_cmpuint (count (f, counter), ==, n + 3); /* one step */
  set_number (f, counter, "step", 5);
  g_assert_cmpfloat (evaluate_at (f, sum, 12 / rate), ==, 18);
  g_assert_cmpuint (count (f, counter), ==, n + 5);
  /* A later snapshot, as the window takes them. */
  {
    g_autoptr (KgGraph) snapshot = kg_graph_snapshot (f->graph);
    g_autoptr (KgEvaluator) later = kg_evaluator_new (snapshot, kg_evaluator_get_cache (f->evaluator));
    KgNode *node = kg_graph_find_path (snapshot, "sum");
    g_auto (KgValue) value = KG_VALUE_INIT;

    kg_evaluator_set_ongoing (later, ongoing);
    g_assert_true (
        kg_evaluator_evaluate (later, node, (guint) kg_node_find_slot (node, "value"), 13 / rate, NULL, &value, NULL));
    g_assert_cmpfloat (value.number, ==, 23);
    g_assert_cmpuint (kg_evaluator_get_n_evaluations (later), ==, 3); /* a step, and the two nodes */
  }
  /* Frames before, which other nodes may ask for, are as they were. */
  g_assert_cmpfloat_with_epsilon (evaluate_at (f, before, 12 / rate), 10.018, 1e-9);
  g_assert_cmpfloat_with_epsilon (evaluate_at (f, before, 11 / rate), 9.013, 1e-9);
  kg_evaluator_find_ready (f->evaluator, sum, (guint) kg_node_find_slot (sum, "value"), 1, 20, ready);
  for (guint i = 0; i < 20; i++)
    g_assert_true (ready[i] == (i >= 11 && i <= 13));
  /* Released: from the first frame on with the last value, and with the first after undo, without a step. */
  kg_evaluator_set_ongoing (f->evaluator, NULL);
  n = count (f, counter);
  g_assert_cmpfloat (evaluate_at (f, sum, 12 / rate), ==, 60);
  g_assert_cmpuint (count (f, counter), ==, n + 14);
  kg_graph_undo (f->graph);
  kg_graph_undo (f->graph);
  g_assert_cmpfloat (evaluate_at (f, sum, 10 / rate), ==, 10);
  g_assert_cmpuint (count (f, counter), ==, n + 14);
  g_assert_cmpfloat (evaluate_at (f, sum, 12 / rate), ==, 12);
}

/* Without a state to go on from it begins at the first frame. */
static void
test_ongoing_without_states (Fixture *f, gconstpointer data)
{
  KgNode *counter = add (f, "fake/counter", "counter");
  g_autoptr (KgOngoing) ongoing = kg_ongoing_new (NULL, 0);

  (void) data;
  g_assert_cmpfloat (evaluate_at (f, counter, 3 / 24.0), ==, 3);
  kg_evaluator_set_ongoing (f->evaluator, ongoing);
  set_number (f, counter, "step", 2);
  g_assert_cmpfloat (evaluate_at (f, counter, 4 / 24.0), ==, 8);
  kg_evaluator_set_ongoing (f->evaluator, NULL);
}

/* What is ready is what needs no step of a simulation: the frames passed on the way, not those after. */
static void
test_ready (Fixture *f, gconstpointer data)
{
  KgNode *counter = add (f, "fake/counter", "counter");
  KgNode *sum = add (f, "fake/add", "sum");
  const guint slot = (guint) kg_node_find_slot (sum, "value");
  bool ready[20];
  gint n_steps = 0;

  (void) data;
  link_nodes (f, counter, sum, "x");
  g_assert_cmpuint (kg_evaluator_find_ready (f->evaluator, sum, slot, 1, 20, ready), ==, 1);
  g_assert_false (ready[0]);
  kg_evaluator_count_steps (f->evaluator, &n_steps);
  evaluate_at (f, sum, 10.0 / 24);
  g_assert_cmpint (n_steps, ==, 11);
  evaluate_at (f, sum, 8.0 / 24);
  g_assert_cmpint (n_steps, ==, 11);
  kg_evaluator_count_steps (f->evaluator, NULL);
  kg_evaluator_find_ready (f->evaluator, sum, slot, 1, 20, ready);
  for (guint i = 0; i < 20; i++)
    g_assert_true (ready[i] == (i <= 10));
  /* An edit of the simulation takes them away, one behind it does not. */
  set_number (f, sum, "y", 3);
  kg_evaluator_find_ready (f->evaluator, sum, slot, 1, 20, ready);
  g_assert_true (ready[10]);
  set_number (f, counter, "step", 2);
  kg_evaluator_find_ready (f->evaluator, sum, slot, 1, 20, ready);
  g_assert_false (ready[0]);
  g_assert_false (ready[10]);
  /* What does not depend on time is ready at all times, once it was asked for. */
  kg_graph_reset (f->graph, sum, "x", NULL);
  evaluate_at (f, sum, 0);
  g_assert_cmpuint (kg_evaluator_find_ready (f->evaluator, sum, slot, 1, 20, ready), ==, 0);
  g_assert_true (ready[19]);
}

/* The same bits however a frame is reached, also with next to no cache. */
static void
test_simulation_access (void)
{
  static const guint64 budgets[] = { 0, 20000, KG_CACHE_DEFAULT_BUDGET };
  static const int orders[3][6] = { { 0, 10, 20, 30, 40, 50 }, { 50, 40, 30, 20, 10, 0 }, { 30, 0, 50, 10, 40, 20 } };
  double reference[6] = { 0 };

  for (guint b = 0; b < G_N_ELEMENTS (budgets); b++)
    for (guint o = 0; o < 3; o++)
      for (guint lean = 0; lean < 2; lean++) {
        Fixture f;
        KgNode *counter;
        g_autoptr (KgCache) cache = kg_cache_new (budgets[b]);

        set_up (&f, NULL);
        kg_evaluator_free (f.evaluator);
        f.evaluator = kg_evaluator_new (f.graph, cache);
        kg_evaluator_set_lean (f.evaluator, lean);
        counter = add (&f, "fake/counter", "counter");
        set_number (&f, counter, "step", 0.1);
        for (guint i = 0; i < 6; i++) {
          const int frame = orders[o][i];
          const double x = evaluate_at (&f, counter, frame / 24.0);

          if (b == 0 && o == 0 && lean == 0)
            reference[frame / 10] = x;
          g_assert_cmpfloat (x, ==, reference[frame / 10]);
        }
        tear_down (&f, NULL);
      }
}

static void
test_subnet (Fixture *f, gconstpointer data)
{
  KgNode *a = add (f, "fake/add", "a"), *outer = add (f, "fake/subnet", "outer"), *inner, *in, *out;
  KgGraph *inside = kg_node_get_graph (outer);
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;

  (void) data;
  in = kg_graph_add (inside, "fake/input", "size", 0, 0, &error);
  inner = kg_graph_add (inside, "fake/add", "inner", 0, 0, &error);
  out = kg_graph_add (inside, "fake/output", "result", 0, 0, &error);
  kg_graph_link (inside, in, "output", inner, "x", &error);
  kg_graph_link (inside, inner, "value", out, "value", &error);
  g_assert_no_error (error);
  set_number (f, a, "x", 1);
  set_number (f, a, "y", 2);
  kg_graph_link (f->graph, a, "value", outer, "size", &error);
  g_assert_no_error (error);
  kg_evaluator_evaluate (f->evaluator, outer, 1, 0, NULL, &value, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (value.number, ==, 3);
  /* Edits outside reach in, edits inside reach out, and only what depends on them runs. */
  set_number (f, a, "x", 2);
  kg_evaluator_evaluate (f->evaluator, outer, 1, 0, NULL, &value, &error);
  g_assert_cmpfloat (value.number, ==, 4);
  {
    g_auto (KgValue) ten = kg_value_number (10);

    kg_graph_set_constant (inside, inner, "y", &ten, &error);
  }
  kg_evaluator_evaluate (f->evaluator, outer, 1, 0, NULL, &value, &error);
  g_assert_cmpfloat (value.number, ==, 14);
  g_assert_cmpuint (count (f, a), ==, 2);
  g_assert_cmpuint (count (f, inner), ==, 3);
}

static void
test_bypass (Fixture *f, gconstpointer data)
{
  KgNode *a = add (f, "fake/add", "a");

  (void) data;
  set_number (f, a, "x", 3);
  set_number (f, a, "y", 4);
  g_assert_cmpfloat (evaluate_at (f, a, 0), ==, 7);
  kg_graph_set_bypass (f->graph, a, true);
  g_assert_cmpfloat (evaluate_at (f, a, 0), ==, 3);
  kg_graph_undo (f->graph);
  g_assert_cmpfloat (evaluate_at (f, a, 0), ==, 7);
}

static void
test_cancel (Fixture *f, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgNode *a = add (f, "fake/add", "a");

  (void) data;
  g_cancellable_cancel (cancellable);
  g_assert_false (kg_evaluator_evaluate (f->evaluator, a, 2, 0, cancellable, &value, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_CANCELLED);
  /* It is not remembered as an error. */
  g_assert_cmpfloat (evaluate_at (f, a, 0), ==, 0);
}

/* (transfer none) A node that depends on the time, evaluated at 1,000 of them with another cache. */
static KgNode *
fill_cache (Fixture *f, KgCache *cache)
{
  KgNode *time = add (f, "fake/time", "time"), *sum = add (f, "fake/add", "sum");

  kg_evaluator_free (f->evaluator);
  f->evaluator = kg_evaluator_new (f->graph, cache);
  link_nodes (f, time, sum, "x");
  for (int i = 0; i < 1000; i++)
    g_assert_cmpfloat (evaluate_at (f, sum, i), ==, i);
  return sum;
}

static void
test_eviction (Fixture *f, gconstpointer data)
{
  g_autoptr (KgCache) cache = kg_cache_new (50000);
  KgCacheStats stats;
  KgNode *sum;

  (void) data;
  sum = fill_cache (f, cache);
  kg_cache_get_stats (cache, &stats);
  g_assert_cmpuint (stats.bytes, <=, 50000);
  g_assert_cmpuint (stats.evictions, >, 0);
  for (int i = 0; i < 1000; i++)
    g_assert_cmpfloat (evaluate_at (f, sum, i), ==, i);
  /* A smaller budget counts at once. */
  kg_cache_set_budget (cache, 20000);
  kg_cache_get_stats (cache, &stats);
  g_assert_cmpuint (stats.budget, ==, 20000);
  g_assert_cmpuint (stats.bytes, <=, 20000);
  g_assert_cmpuint (stats.bytes, >, 10000);
  kg_cache_clear (cache);
  kg_cache_get_stats (cache, &stats);
  g_assert_cmpuint (stats.bytes, ==, 0);
}

/* The cache of a render stays small until something is asked again that it evicted. */
static void
test_growing_cache (Fixture *f, gconstpointer data)
{
  g_autoptr (KgCache) cache = kg_cache_new_growing (20000, 1000000);
  KgCacheStats stats;
  KgNode *sum;

  (void) data;
  sum = fill_cache (f, cache);
  kg_cache_get_stats (cache, &stats);
  g_assert_cmpuint (stats.evictions, >, 0);
  g_assert_cmpuint (stats.budget, ==, 20000);
  for (int again = 0; again < 10; again++)
    for (int i = 0; i < 1000; i++)
      g_assert_cmpfloat (evaluate_at (f, sum, i), ==, i);
  kg_cache_get_stats (cache, &stats);
  g_assert_cmpuint (stats.budget, >, 100000);
  g_assert_cmpuint (stats.budget, <=, 1000000);
  /* It holds all of them by now. */
  {
    const guint64 evictions = stats.evictions;

    for (int i = 0; i < 1000; i++)
      evaluate_at (f, sum, i);
    kg_cache_get_stats (cache, &stats);
    g_assert_cmpuint (stats.evictions, ==, evictions);
  }
}

/* A chain longer than any C stack is deep, built from both ends. */
static void
test_long_chain (Fixture *f, gconstpointer data)
{
  enum { N = 100000 };
  g_autofree KgNode **nodes = g_new (KgNode *, N);

  (void) data;
  kg_graph_set_recording (f->graph, false);
  for (guint i = 0; i < N; i++) {
    nodes[i] = add (f, "fake/add", NULL);
    set_number (f, nodes[i], "y", 1); /* so that no two have the same inputs */
  }
  for (guint i = 1; i < N / 2; i++)
    link_nodes (f, nodes[i - 1], nodes[i], "x");
  for (guint i = N - 1; i >= N / 2; i--)
    link_nodes (f, nodes[i - 1], nodes[i], "x");
  set_number (f, nodes[0], "x", 42);
  g_assert_cmpfloat (evaluate_at (f, nodes[N - 1], 0), ==, 42 + N);
  set_number (f, nodes[N - 2], "y", 2);
  g_assert_cmpfloat (evaluate_at (f, nodes[N - 1], 0), ==, 43 + N);
  g_assert_cmpuint (kg_evaluator_get_n_evaluations (f->evaluator), ==, N + 2);
}

typedef struct {
  KgGraph *graph;
  KgCache *cache;
  double result[25];
} Job;

static gpointer
run_job (gpointer data)
{
  Job *job = (Job *) data;
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (job->graph, job->cache);
  KgNode *node = kg_graph_find (job->graph, "sum");

  for (guint i = 0; i < 25; i++) {
    g_auto (KgValue) value = KG_VALUE_INIT;
    g_autoptr (GError) error = NULL;

    kg_evaluator_evaluate (evaluator, node, 2, i / 24.0, NULL, &value, &error);
    g_assert_no_error (error);
    job->result[i] = value.number;
  }
  return NULL;
}

static void
test_threads (Fixture *f, gconstpointer data)
{
  KgNode *counter = add (f, "fake/counter", "counter"), *sum = add (f, "fake/add", "sum");
  g_autoptr (KgCache) cache = kg_cache_new (KG_CACHE_DEFAULT_BUDGET);
  GThread *threads[4];
  Job jobs[4];

  (void) data;
  link_nodes (f, counter, sum, "x");
  for (guint i = 0; i < 4; i++) {
    jobs[i] = (Job){ .graph = kg_graph_snapshot (f->graph), .cache = cache };
    threads[i] = g_thread_new ("job", run_job, &jobs[i]);
  }
  for (guint i = 0; i < 4; i++) {
    g_thread_join (threads[i]);
    for (guint k = 0; k < 25; k++)
      g_assert_cmpfloat (jobs[i].result[k], ==, k);
    g_object_unref (jobs[i].graph);
  }
}

/* Each rung of a ladder reads the one before twice; n rungs have 2^n ways through. */
static KgNode *
build_ladder (Fixture *f, guint n, bool bypassed)
{
  KgNode *last = add (f, "fake/time", "start");

  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf ("rung%u", i), *pass = g_strdup_printf ("pass%u", i);
    KgNode *rung = add (f, "fake/add", name), *from = last;

    if (bypassed) {
      from = add (f, "fake/add", pass);
      link_nodes (f, last, from, "x");
      kg_graph_set_bypass (f->graph, from, true);
    }
    link_nodes (f, from, rung, "x");
    link_nodes (f, from, rung, "y");
    last = rung;
  }
  return last;
}

static void
check_ladder (Fixture *f, KgNode *last, guint n)
{
  /* Values beyond the range of y are clamped, so that only the number of evaluations is looked at. */
  evaluate_at (f, last, 1e-6);
  g_assert_cmpuint (kg_evaluator_get_n_evaluations (f->evaluator), ==, n + 1);
}

static void
test_ladder_without_cache (Fixture *f, gconstpointer data)
{
  g_autoptr (KgCache) cache = kg_cache_new (0);

  (void) data;
  kg_evaluator_free (f->evaluator);
  f->evaluator = kg_evaluator_new (f->graph, cache);
  check_ladder (f, build_ladder (f, 30, false), 30);
}

static void
test_ladder_of_bypassed (Fixture *f, gconstpointer data)
{
  (void) data;
  kg_evaluator_set_lean (f->evaluator, true);
  check_ladder (f, build_ladder (f, 30, true), 30);
}

/* Expressions that read inputs: each input is computed once. */
static void
test_ladder_of_expressions (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  KgNode *last = add (f, "fake/add", "rung0");

  (void) data;
  kg_graph_set_expression (f->graph, last, "x", "t", &error);
  g_assert_no_error (error);
  for (guint i = 1; i <= 60; i++) {
    g_autofree char *name = g_strdup_printf ("rung%u", i);
    g_autofree char *text = g_strdup_printf ("0.5 * rung%u.x + 0.5 * rung%u.y", i - 1, i - 1);

    last = add (f, "fake/add", name);
    kg_graph_set_expression (f->graph, last, "x", text, &error);
    g_assert_no_error (error);
    kg_graph_set_expression (f->graph, last, "y", text, &error);
    g_assert_no_error (error);
  }
  g_assert_cmpfloat (evaluate_at (f, last, 1), >, 0);
}

static void
test_far_simulation (Fixture *f, gconstpointer data)
{
  KgNode *counter = add (f, "fake/counter", "counter");
  const guint slot = (guint) kg_node_find_slot (counter, "value");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  KgValue value;

  (void) data;
  g_assert_false (kg_evaluator_evaluate (f->evaluator, counter, slot, 1e300, NULL, &value, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  g_assert_nonnull (strstr (error->message, "counter"));
  g_clear_error (&error);
  /* Looking for an earlier state of a frame far away does not take as long as going there. */
  g_cancellable_cancel (cancellable);
  g_assert_false (kg_evaluator_evaluate (f->evaluator, counter, slot, 4e7, cancellable, &value, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_CANCELLED);
}

/* States are found again at any distance, also those that only a checkpoint keeps. */
static void
test_simulation_from_checkpoint (Fixture *f, gconstpointer data)
{
  KgNode *counter = add (f, "fake/counter", "counter");
  KgNodeStats stats;

  (void) data;
  kg_evaluator_set_lean (f->evaluator, true);
  g_assert_cmpfloat (evaluate_at (f, counter, 100.0 / 24), ==, 100);
  kg_evaluator_reset_stats (f->evaluator);
  g_assert_cmpfloat (evaluate_at (f, counter, 90.0 / 24), ==, 90);
  kg_evaluator_get_stats (f->evaluator, counter, &stats);
  g_assert_cmpuint (stats.evaluations, <=, 90 - 80 + 1);
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run) (Fixture *, gconstpointer);
  } tests[] = {
    { "/evaluate/lazy", test_lazy },
    { "/evaluate/last-frame", test_last_frame },
    { "/evaluate/30-124-dirty", test_dirty },
    { "/evaluate/typed-or-linked", test_typed_or_linked },
    { "/evaluate/time", test_time },
    { "/evaluate/keys", test_keys },
    { "/evaluate/expression", test_expression },
    { "/evaluate/switch", test_switch },
    { "/evaluate/delay", test_delay },
    { "/evaluate/errors", test_errors },
    { "/evaluate/degrees", test_degrees },
    { "/evaluate/sources-take-turns", test_sources_take_turns },
    { "/evaluate/fingerprint-of-input", test_fingerprint_of_input },
    { "/evaluate/known-results-warn", test_known_results_warn },
    { "/evaluate/errors-name-their-node", test_errors_name_their_node },
    { "/evaluate/in-place", test_in_place },
    { "/evaluate/simulation", test_simulation },
    { "/evaluate/ready", test_ready },
    { "/evaluate/subnet", test_subnet },
    { "/evaluate/bypass", test_bypass },
    { "/evaluate/cancel", test_cancel },
    { "/evaluate/eviction", test_eviction },
    { "/evaluate/growing-cache", test_growing_cache },
    { "/evaluate/long-chain", test_long_chain },
    { "/evaluate/threads", test_threads },
    { "/evaluate/ladder/without-cache", test_ladder_without_cache },
    { "/evaluate/ladder/bypassed", test_ladder_of_bypassed },
    { "/evaluate/ladder/expressions", test_ladder_of_expressions },
    { "/evaluate/simulation/ongoing", test_ongoing },
    { "/evaluate/simulation/ongoing/without-states", test_ongoing_without_states },
    { "/evaluate/simulation/far", test_far_simulation },
    { "/evaluate/simulation/checkpoint", test_simulation_from_checkpoint },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].name, Fixture, NULL, set_up, tests[i].run, tear_down);
  g_test_add_func ("/evaluate/simulation-access", test_simulation_access);
  return g_test_run ();
}
