/* tests/nodes/generic: what every node type must stand, without knowing any of them: defaults, both ends of every
 * range, hostile numbers and empty values on every input, saving and loading, independence of time where it is
 * declared, the same bits for any number of threads.  One test for each type and each of these.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "any-node.h"
#include "kg-random.h"
#include "kg-regular-file.h"

#include <glib/gstdio.h>
#include <omp.h>

static KgTypes *types;

typedef struct {
  KgGraph *graph;
  KgNode *source, *node;
  KgEvaluator *evaluator;
} Bench;

static void
bench_clear (Bench *bench)
{
  g_clear_pointer (&bench->evaluator, kg_evaluator_free);
  g_object_unref (bench->graph);
}

/* A graph with the node, its heavy inputs linked to a source. */
static Bench
bench_new (const KgNodeType *type, bool empty)
{
  Bench bench = { .graph = kg_graph_new (types) };
  g_auto (KgValue) value = kg_value_boolean (empty);
  g_autoptr (GError) error = NULL;

  bench.source = kg_graph_add (bench.graph, "test/source", "source", 0, 0, &error);
  bench.node = kg_graph_add (bench.graph, type->id, "node", 0, 0, &error);
  g_assert_no_error (error);
  kg_graph_set_constant (bench.graph, bench.source, "empty", &value, &error);
  link_to_source (bench.graph, bench.source, bench.node);
  bench.evaluator = kg_evaluator_new (bench.graph, NULL);
  return bench;
}

/* Evaluates every output at a time.  Each must give a finite value of its kind, or an error that names the node
 * and says more than that.  Values go to out (one for each slot) where it is not NULL. */
static void
evaluate_all (Bench *bench, double time, KgValue *out)
{
  const KgNodeType *type = kg_node_get_type (bench->node);

  for (guint i = 0; i < type->n_slots; i++) {
    g_autoptr (GError) error = NULL;
    g_auto (KgValue) value = KG_VALUE_INIT;

    if (type->slots[i].role != KG_SLOT_OUTPUT)
      continue;
    if (kg_evaluator_evaluate (bench->evaluator, bench->node, i, time, NULL, &value, &error)) {
      g_assert_true (kg_value_check_finite (&value, NULL));
      g_assert_true (type->slots[i].kind == KG_ANY || type->slots[i].kind == KG_CHOICE ||
                     value.kind == type->slots[i].kind);
    } else {
      g_assert_nonnull (error);
      g_assert_true (g_str_has_prefix (error->message, "node: ") || g_str_has_prefix (error->message, "source: "));
      g_assert_cmpuint (strlen (error->message), >, 20);
    }
    if (out != NULL)
      out[i] = kg_value_copy (&value);
  }
}

static void
test_defaults (gconstpointer data)
{
  const KgNodeType *type = (const KgNodeType *) data;
  Bench bench = bench_new (type, false);

  evaluate_all (&bench, 0, NULL);
  evaluate_all (&bench, 0.5, NULL);
  bench_clear (&bench);
}

/* Nothing linked: a value, or an error that says what to link. */
static void
test_bare (gconstpointer data)
{
  const KgNodeType *type = (const KgNodeType *) data;
  Bench bench = { .graph = kg_graph_new (types) };

  bench.node = kg_graph_add (bench.graph, type->id, "node", 0, 0, NULL);
  bench.evaluator = kg_evaluator_new (bench.graph, NULL);
  evaluate_all (&bench, 0, NULL);
  bench_clear (&bench);
}

static void
test_empty (gconstpointer data)
{
  Bench bench = bench_new ((const KgNodeType *) data, true);

  evaluate_all (&bench, 0, NULL);
  evaluate_all (&bench, 0.1, NULL);
  bench_clear (&bench);
}

/* Coordinates whose squares are beyond float32, and such that vanish in it. */
static void
test_extreme (gconstpointer data)
{
  static const double sizes[] = { 1e30, 1e-40 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    Bench bench = bench_new ((const KgNodeType *) data, false);
    g_auto (KgValue) size = kg_value_number (sizes[i]);

    g_assert_true (kg_graph_set_constant (bench.graph, bench.source, "size", &size, NULL));
    evaluate_all (&bench, 0, NULL);
    evaluate_all (&bench, 0.1, NULL);
    bench_clear (&bench);
  }
}

static void
set_and_evaluate (Bench *bench, const char *slot, const KgValue *value)
{
  g_autoptr (GError) error = NULL;

  kg_graph_set_constant (bench->graph, bench->node, slot, value, &error);
  evaluate_all (bench, 0.1, NULL);
}

/* Each numeric input at the ends of its range (the soft one where the hard one is open or so wide that the node
 * would work for minutes), at 0 and -1; each choice. */
static void
test_ranges (gconstpointer data)
{
  const KgNodeType *type = (const KgNodeType *) data;

  for (guint i = 0; i < type->n_slots; i++) {
    const KgSlot *slot = &type->slots[i];
    const bool soft = slot->soft_min != 0 || slot->soft_max != 0;
    const double low = soft || !isfinite (slot->min) ? slot->soft_min : slot->min;
    const double high = soft || !isfinite (slot->max) ? slot->soft_max : slot->max;
    const double tries[] = { low, high, 0, -1 };
    Bench bench;

    if (slot->role != KG_SLOT_INPUT)
      continue;
    bench = bench_new (type, false);
    for (guint k = 0; k < G_N_ELEMENTS (tries); k++) {
      g_auto (KgValue) value = KG_VALUE_INIT;
      const double x = tries[k];

      if (slot->kind == KG_NUMBER)
        value = kg_value_number (x);
      else if (slot->kind == KG_INTEGER)
        value = kg_value_integer ((int64_t) x);
      else if (slot->kind == KG_VECTOR)
        value = kg_value_vector (kg_vector (x, x, x));
      else if (slot->kind == KG_BOOLEAN)
        value = kg_value_boolean (k % 2 == 0);
      else
        continue;
      set_and_evaluate (&bench, slot->name, &value);
    }
    for (const KgChoice *choice = slot->choices; choice != NULL; choice = choice->nick != NULL ? choice + 1 : NULL) {
      g_auto (KgValue) value = KG_VALUE_INIT;

      /* What ends the table is its end, not a value that it forgot. */
      g_assert_nonnull (choice->label);
      if (choice->nick == NULL)
        continue;
      value = kg_value_text (choice->nick);
      set_and_evaluate (&bench, slot->name, &value);
    }
    bench_clear (&bench);
  }
}

/* Numbers far out of any sense, and texts that mean nothing, one input at a time. */
static void
test_hostile (gconstpointer data)
{
  static const double numbers[] = { 1e300, -1e300, 1e-300, 4e9, -7e18, 0.1 };
  static const char *const texts[] = { "",       "\"", "nan inf 1e999", "../../../../nowhere", "%n%s%d", "ünïcödé 𝄞",
                                       "1;2;;3", "-1", "0 0 0\n0 0 0" };
  const KgNodeType *type = (const KgNodeType *) data;

  for (guint i = 0; i < type->n_slots; i++) {
    const KgSlot *slot = &type->slots[i];
    Bench bench;

    if (slot->role != KG_SLOT_INPUT)
      continue;
    bench = bench_new (type, false);
    for (guint k = 0; k < G_N_ELEMENTS (numbers); k++) {
      g_auto (KgValue) value = KG_VALUE_INIT;
      const double x = numbers[k];

      /* An open range is tried to its end; a closed one is clamped, and its ends are test_ranges' business. */
      if (kg_slot_has_range (slot) && isfinite (slot->max) && isfinite (slot->min))
        continue;
      if (slot->kind == KG_NUMBER)
        value = kg_value_number (x);
      else if (slot->kind == KG_INTEGER && fabs (x) < 9e18)
        value = kg_value_integer ((int64_t) x);
      else if (slot->kind == KG_VECTOR)
        value = kg_value_vector (kg_vector (x, k % 2 == 0 ? x : 0, -x));
      else if (slot->kind == KG_COLOR)
        value = kg_value_color ((KgColor){ x, -x, x, x });
      else
        continue;
      set_and_evaluate (&bench, slot->name, &value);
    }
    for (guint k = 0; slot->kind == KG_TEXT && k < G_N_ELEMENTS (texts); k++) {
      g_auto (KgValue) value = kg_value_text (texts[k]);

      set_and_evaluate (&bench, slot->name, &value);
    }
    bench_clear (&bench);
  }
}

/* A number, vector or colour that holds x. */
static bool
make_simple (KgKind kind, double x, KgValue *value)
{
  if (kind == KG_NUMBER)
    *value = kg_value_number (x);
  else if (kind == KG_VECTOR)
    *value = kg_value_vector (kg_vector (0, x, 1));
  else if (kind == KG_COLOR)
    *value = kg_value_color ((KgColor){ 0, 1, x, 1 });
  else
    return false;
  return true;
}

/* No input takes a constant that is not finite, and what it had stays. */
static void
test_not_finite (gconstpointer data)
{
  static const double numbers[] = { NAN, INFINITY, -INFINITY };
  const KgNodeType *type = (const KgNodeType *) data;
  Bench bench = bench_new (type, false);
  const KgHash before = kg_node_get_fingerprint (bench.node);

  for (guint i = 0; i < type->n_slots; i++)
    for (guint k = 0; type->slots[i].role == KG_SLOT_INPUT && k < G_N_ELEMENTS (numbers); k++) {
      g_auto (KgValue) value = KG_VALUE_INIT;
      g_autoptr (GError) error = NULL;

      if (!make_simple (type->slots[i].kind, numbers[k], &value))
        continue;
      g_assert_false (kg_graph_set_constant (bench.graph, bench.node, type->slots[i].name, &value, &error));
      g_assert_nonnull (error);
      g_assert_true (kg_hash_equal (before, kg_node_get_fingerprint (bench.node)));
    }
  bench_clear (&bench);
}

/* An input whose expression has no finite value gives an error that names it; what depends on it gives an error too, or a
 * finite value where it is not read. */
static void
test_not_finite_expressions (gconstpointer data)
{
  static const char *const expressions[] = { "1 / 0", "-1 / 0", "0 / 0" };
  const KgNodeType *type = (const KgNodeType *) data;

  for (guint i = 0; i < type->n_slots; i++) {
    const KgSlot *slot = &type->slots[i];
    const bool takes = slot->kind == KG_NUMBER || slot->kind == KG_INTEGER || slot->kind == KG_VECTOR ||
                       slot->kind == KG_COLOR;

    if (slot->role != KG_SLOT_INPUT || slot->list || slot->fixed || !takes)
      continue;
    for (guint k = 0; k < G_N_ELEMENTS (expressions); k++) {
      Bench bench = bench_new (type, false);
      g_autofree char *start = g_strdup_printf ("node: %s: ", slot->name);
      g_auto (KgValue) value = KG_VALUE_INIT;
      g_autoptr (GError) error = NULL;

      kg_graph_set_expression (bench.graph, bench.node, slot->name, expressions[k], &error);
      g_assert_no_error (error);
      g_assert_false (kg_evaluator_evaluate (bench.evaluator, bench.node, i, 0.1, NULL, &value, &error));
      if (!g_str_has_prefix (error->message, start))
        g_error ("%s.%s: %s", type->id, slot->name, error->message);
      evaluate_all (&bench, 0.1, NULL);
      bench_clear (&bench);
    }
  }
}

/* Saving and loading keeps the fingerprint, also with every input set. */
static void
test_file (gconstpointer data)
{
  const KgNodeType *type = (const KgNodeType *) data;
  Bench bench = bench_new (type, false);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autofree char *text = NULL, *again = NULL, *report = NULL;
  g_autoptr (KgGraph) loaded = NULL;

  for (guint i = 0; i < type->n_slots; i++) {
    const KgSlot *slot = &type->slots[i];
    g_auto (KgValue) value = KG_VALUE_INIT;

    if (slot->role == KG_SLOT_INPUT && !slot->list && kg_slot_get_default (slot, &value)) {
      if (value.kind == KG_NUMBER)
        value.number = value.number / 3 + 0.1;
      kg_graph_set_constant (bench.graph, bench.node, slot->name, &value, NULL);
    }
  }
  text = kg_graph_to_text (bench.graph);
  loaded = kg_graph_parse (types, text, -1, problems);
  report = kg_problems_to_text (problems, "text");
  g_assert_cmpstr (report, ==, "");
  g_assert_nonnull (loaded);
  g_assert_true (
      kg_hash_equal (kg_node_get_fingerprint (bench.node), kg_node_get_fingerprint (kg_graph_find (loaded, "node"))));
  again = kg_graph_to_text (loaded);
  g_assert_cmpstr (again, ==, text);
  bench_clear (&bench);
}

static void
assert_same_values (const KgNodeType *type, const KgValue *a, const KgValue *b)
{
  for (guint i = 0; i < type->n_slots; i++)
    if (!kg_value_equal (&a[i], &b[i]))
      g_error ("%s.%s differs", type->id, type->slots[i].name);
}

static void
clear_values (const KgNodeType *type, KgValue *values)
{
  for (guint i = 0; i < type->n_slots; i++)
    kg_value_clear (&values[i]);
  g_free (values);
}

static KgValue *
values_with_threads (const KgNodeType *type, int threads, double time)
{
  KgValue *values = g_new0 (KgValue, MAX (type->n_slots, 1));
  Bench bench = bench_new (type, false);

  omp_set_num_threads (threads);
  evaluate_all (&bench, time, values);
  bench_clear (&bench);
  return values;
}

static void
test_threads (gconstpointer data)
{
  const KgNodeType *type = (const KgNodeType *) data;
  KgValue *one = values_with_threads (type, 1, 0.25);

  for (int threads = 2; threads <= 8; threads += 3) {
    KgValue *many = values_with_threads (type, threads, 0.25);

    assert_same_values (type, one, many);
    clear_values (type, many);
  }
  clear_values (type, one);
  omp_set_num_threads (2);
}

/* A type that does not say it reads the time gives the same at two times, as long as its inputs stand still. */
static void
test_time (gconstpointer data)
{
  const KgNodeType *type = (const KgNodeType *) data;
  KgValue *first, *second;

  for (guint i = 0; i < type->n_slots; i++)
    if (type->slots[i].driver != KG_DRIVER_NONE)
      return;
  if (type->time == KG_TIME_READS || type->advance != NULL)
    return;
  first = values_with_threads (type, 2, 0.25);
  second = values_with_threads (type, 2, 1.75);
  assert_same_values (type, first, second);
  clear_values (type, first);
  clear_values (type, second);
}

/* How often states are changed: few types keep any, but a frame of rigid bodies or soft contacts takes long, more so under a
 * sanitizer. */
#ifdef __SANITIZE_ADDRESS__
#define N_CHANGED_STATES 75
#else
#define N_CHANGED_STATES 150
#endif
/* Before the first value of the file of a state. */
#define STATE_HEADER 32

/* A few bytes are different, and the sum at the end is right. */
static void
write_changed_state (const char *path, GBytes *original, uint64_t id)
{
  gsize length;
  const char *from = (const char *) g_bytes_get_data (original, &length);
  const gsize end = length - sizeof (KgHash);
  const gsize at = STATE_HEADER + (gsize) (kg_random_uniform (3, id, 0) * (double) (end - STATE_HEADER));
  const gsize n = MIN (id % 4 == 0 ? 1 : 8, end - at);
  const double numbers[] = { NAN, 1e300, -1, INFINITY };
  g_autofree char *changed = (char *) g_memdup2 (from, length);
  KgHash sum;

  if (id % 4 < 2)
    for (gsize i = 0; i < n; i++)
      changed[at + i] = (char) (int) (256 * kg_random_uniform (3, id, 1 + i) - 128);
  else
    memcpy (changed + at, id % 4 == 2 ? (const void *) &numbers[id / 4 % 4] : "\xff\xff\xff\x7f\0\0\0", n);
  sum = kg_hash_bytes (kg_hash_begin (KG_HASH_STATE_SUM, 0), changed, end);
  memcpy (changed + end, &sum, sizeof sum);
  g_assert_true (g_file_set_contents (path, changed, (gssize) length, NULL));
}

static void
set_cache_folder (Bench *bench, const char *folder)
{
  g_autoptr (KgCache) cache = kg_cache_new (KG_CACHE_DEFAULT_BUDGET);

  g_assert_true (kg_cache_set_folder (cache, folder, KG_CACHE_OWN, G_MAXUINT64, NULL, NULL, NULL));
  g_clear_pointer (&bench->evaluator, kg_evaluator_free);
  bench->evaluator = kg_evaluator_new (bench->graph, cache);
}

/* A geometry that a simulation keeps says what the node reads from it without looking, which files are held against. */
static void
test_keeps (gconstpointer data)
{
  static const char *const scalars[] = { "float", "int", NULL };
  static const char *const domains[] = { "points", "primitives", "whole", NULL };
  const KgNodeType *type = (const KgNodeType *) data;
  guint n_states = 0;

  for (guint i = 0; i < type->n_slots; i++) {
    const KgSlot *slot = &type->slots[i];
    g_auto (GStrv) attributes = NULL;

    if (slot->role != KG_SLOT_STATE)
      continue;
    n_states++;
    if (slot->kind != KG_GEOMETRY)
      continue;
    if (slot->keeps == NULL)
      g_error ("%s.%s does not say what it keeps", type->id, slot->name);
    attributes = g_strsplit (slot->keeps, "; ", -1);
    for (guint k = 0; *slot->keeps != '\0' && attributes[k] != NULL; k++) {
      g_auto (GStrv) words = g_strsplit (attributes[k], " ", -1);

      g_assert_cmpuint (g_strv_length (words), ==, 4);
      g_assert_true (g_strv_contains (domains, words[0]));
      g_assert_true (g_strv_contains (scalars, words[2]));
      g_assert_true (g_str_equal (words[3], "*") || g_ascii_strtoull (words[3], NULL, 10) > 0);
    }
  }
  g_assert_true ((type->advance != NULL) == (n_states > 0));
}

/* States in a folder that somebody changed: the node goes on from what it is given, or says what is wrong with it. */
static void
test_changed_states (gconstpointer data)
{
  const KgNodeType *type = (const KgNodeType *) data;
  g_autoptr (GPtrArray) files = NULL, originals = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autofree char *folder = NULL;
  Bench bench;

  if (type->advance == NULL)
    return;
  folder = g_dir_make_tmp ("kineographXXXXXX", NULL);
  bench = bench_new (type, false);
  set_cache_folder (&bench, folder);
  evaluate_all (&bench, 16.0 / 24, NULL);
  g_clear_pointer (&bench.evaluator, kg_evaluator_free);
  files = kg_regular_file_list (folder, ".kgstate", NULL);
  for (guint i = 0; i < files->len; i++) {
    char *text;
    gsize length;

    g_assert_true (g_file_get_contents ((const char *) g_ptr_array_index (files, i), &text, &length, NULL));
    g_ptr_array_add (originals, g_bytes_new_take (text, length));
  }
  for (uint64_t id = 0; files->len > 0 && id < N_CHANGED_STATES; id++) {
    /* Of the two frames that are kept, the last is found first. */
    for (guint i = 0; i < files->len; i++)
      write_changed_state ((const char *) g_ptr_array_index (files, i), (GBytes *) g_ptr_array_index (originals, i),
                           id);
    set_cache_folder (&bench, folder);
    evaluate_all (&bench, 16.0 / 24, NULL);
    evaluate_all (&bench, 17.0 / 24, NULL);
  }
  bench_clear (&bench);
  for (guint i = 0; i < files->len; i++)
    g_unlink ((const char *) g_ptr_array_index (files, i));
  g_rmdir (folder);
}

/* Whatever is changed while a simulation goes on (KgOngoing), what it reads on becomes finite values or an error. */
static void
test_goes_on (gconstpointer data)
{
  const KgNodeType *type = (const KgNodeType *) data;

  for (guint i = 0; type->advance != NULL && i <= type->n_slots; i++) {
    const KgSlot *slot = i < type->n_slots ? &type->slots[i] : NULL;
    const bool soft = slot != NULL && (slot->soft_min != 0 || slot->soft_max != 0);
    g_auto (KgValue) value = KG_VALUE_INIT;
    KgOngoing *ongoing;
    Bench bench;

    if (slot == NULL)
      value = kg_value_boolean (true);
    else if (slot->role != KG_SLOT_INPUT)
      continue;
    else if (slot->kind == KG_NUMBER)
      value = kg_value_number (soft ? slot->soft_max : isfinite (slot->max) ? slot->max : 10);
    else if (slot->kind == KG_INTEGER)
      value = kg_value_integer ((int64_t) (soft ? slot->soft_max : isfinite (slot->max) ? slot->max : 10));
    else if (slot->kind == KG_BOOLEAN)
      value = kg_value_boolean (slot->def == 0);
    else
      continue;
    bench = bench_new (type, false);
    evaluate_all (&bench, 2.0 / 24, NULL);
    ongoing = kg_ongoing_new (bench.evaluator, 2.0 / 24);
    kg_evaluator_set_ongoing (bench.evaluator, ongoing);
    /* The last: all that is linked becomes empty. */
    kg_graph_set_constant (bench.graph, slot != NULL ? bench.node : bench.source, slot != NULL ? slot->name : "empty",
                           &value, NULL);
    evaluate_all (&bench, 2.0 / 24, NULL);
    evaluate_all (&bench, 3.0 / 24, NULL);
    bench_clear (&bench);
    kg_ongoing_free (ongoing);
  }
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run) (gconstpointer);
  } tests[] = {
    { "defaults", test_defaults },
    { "bare", test_bare },
    { "empty", test_empty },
    { "ranges", test_ranges },
    { "hostile", test_hostile },
    { "extreme", test_extreme },
    { "not-finite", test_not_finite },
    { "not-finite-expressions", test_not_finite_expressions },
    { "file", test_file },
    { "threads", test_threads },
    { "time", test_time },
    { "keeps", test_keeps },
    { "changed-states", test_changed_states },
    { "goes-on", test_goes_on },
  };
  int status;

  g_test_init (&argc, &argv, NULL);
  types = make_types ();
  for (guint i = 0; kg_node_table[i] != NULL; i++) {
    const KgNodeType *type = kg_node_table[i];

    if (type->role == KG_ROLE_SUBNET || type->role == KG_ROLE_ANNOTATION)
      continue;
    for (guint k = 0; k < G_N_ELEMENTS (tests); k++) {
      g_autofree char *path = g_strdup_printf ("/%s/%s", type->id, tests[k].name);

      g_test_add_data_func (path, type, tests[k].run);
    }
  }
  status = g_test_run ();
  kg_types_unref (types);
  return status;
}
