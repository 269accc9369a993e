/* tests/nodes/cancelling: every node type ends soon once it is cancelled, also when it was asked for far too much.  Each
 * runs on small and on large values, with its defaults and with one number at a time at the end of its range, and is
 * cancelled in the middle.  Time is processor time of the evaluating thread, which does all the work: how busy the
 * machine is does not matter.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "any-node.h"

#include <omp.h>
#include <pango/pangocairo.h>
#include <pthread.h>
#include <time.h>

/* Seconds from the start to cancelling. */
#define BEFORE 0.02
/* Nodes are to ask every 0.1 s; at most this long until one has ended.  Sanitizers make all slower.  What the kernel does
 * for a thread, for example finding pages while other tests fill the memory, counts as time of that thread: so a node
 * that ends late is tried again, and fails when it never ends in time. */
#define TRIES 5
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define AFTER 4.0
/* Names the joints of a long line, and GLib loses the tables of its names when they grow. */
#define LEFT_OUT "rig/chain"
#else
#define AFTER 0.5
#define LEFT_OUT ""
#endif
/* When the test stops waiting. */
#define NEVER 30
/* Of large values: so many squares along each side of the geometry. */
#define DETAIL 150
/* Where a range is open, and of pixels, which take memory and not time. */
#define LARGE 1e6
#define LARGE_PIXELS 300

typedef struct {
  GCancellable *cancellable;
  clockid_t clock; /* of the evaluating thread */
  GMutex lock;
  GCond changed;
  char *what;  /* is evaluated; NULL: nothing */
  double from; /* on the clock: begun, or cancelled */
  bool cancelled;
} Canceller;

static Canceller canceller;
static KgTypes *types;

static double
read_clock (void)
{
  struct timespec now;

  clock_gettime (canceller.clock, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static gpointer
canceller_run (gpointer data)
{
  (void) data;
  g_mutex_lock (&canceller.lock);
  for (;;) {
    while (canceller.what == NULL)
      g_cond_wait (&canceller.changed, &canceller.lock);
    if (!canceller.cancelled && read_clock () - canceller.from > BEFORE) {
      g_cancellable_cancel (canceller.cancellable);
      canceller.from = read_clock ();
      canceller.cancelled = true;
    }
    if (canceller.cancelled && read_clock () - canceller.from > NEVER)
      g_error ("%s: not ended %d s after it was cancelled", canceller.what, NEVER);
    g_mutex_unlock (&canceller.lock);
    g_usleep (2000);
    g_mutex_lock (&canceller.lock);
  }
  return NULL;
}

/* Evaluates all outputs until they are there, or until a while after it was cancelled: how long that was, 0 if it ended by
 * itself. */
static double
cancel_once (KgGraph *graph, KgCache *cache, KgNode *node, char *what)
{
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, cache);
  double late;

  g_cancellable_reset (canceller.cancellable);
  g_mutex_lock (&canceller.lock);
  canceller.cancelled = false;
  canceller.from = read_clock ();
  canceller.what = what;
  g_cond_signal (&canceller.changed);
  g_mutex_unlock (&canceller.lock);
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    g_auto (KgValue) value = KG_VALUE_INIT;

    if (kg_node_get_slot (node, i)->role == KG_SLOT_OUTPUT)
      kg_evaluator_evaluate (evaluator, node, i, 2.0 / 24, canceller.cancellable, &value, NULL);
  }
  g_mutex_lock (&canceller.lock);
  canceller.what = NULL;
  late = canceller.cancelled ? read_clock () - canceller.from : 0;
  g_mutex_unlock (&canceller.lock);
  return late;
}

/* Fails the test when a node goes on for long after it was cancelled.  Takes what. */
static void
cancel_in_the_middle (KgGraph *graph, KgCache *cache, KgNode *node, char *what)
{
  double late = INFINITY;

  for (guint i = 0; i < TRIES && late > AFTER; i++) {
    late = cancel_once (graph, cache, node, what);
    if (late > AFTER)
      g_test_message ("%s: ended %.2f s after it was cancelled", what, late);
  }
  if (late > AFTER)
    g_test_fail_printf ("%s: ended %.2f s after it was cancelled, and late in %d tries", what, late, TRIES);
  g_free (what);
}

/* The number at the end of its range that asks for more work. */
static bool
make_large (const KgSlot *slot, KgValue *value)
{
  const bool closed = kg_slot_has_range (slot) && isfinite (slot->max);
  const double x = slot->unit == KG_PIXELS ? LARGE_PIXELS : closed ? slot->max : LARGE;

  if (slot->role != KG_SLOT_INPUT || slot->list)
    return false;
  if (slot->kind == KG_INTEGER)
    *value = kg_value_integer ((int64_t) x);
  else if (slot->kind == KG_NUMBER)
    *value = kg_value_number (x);
  else
    return false;
  return true;
}

/* One number at a time is large, with each choice of the first that the node has. */
static void
try_all (KgGraph *graph, KgCache *cache, KgNode *node, const char *values)
{
  const char *id = kg_node_get_type_id (node);

  cancel_in_the_middle (graph, cache, node, g_strdup_printf ("%s on %s", id, values));
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);
    g_auto (KgValue) value = KG_VALUE_INIT;

    if (slot->kind == KG_CHOICE && slot->role == KG_SLOT_INPUT && !slot->list)
      for (guint k = 0; slot->choices[k].nick != NULL; k++) {
        g_auto (KgValue) choice = kg_value_text (slot->choices[k].nick);

        kg_graph_set_constant (graph, node, slot->name, &choice, NULL);
        cancel_in_the_middle (graph, cache, node,
                              g_strdup_printf ("%s with %s %s on %s", id, slot->name, slot->choices[k].nick, values));
      }
    else if (make_large (slot, &value)) {
      kg_graph_set_constant (graph, node, slot->name, &value, NULL);
      cancel_in_the_middle (graph, cache, node, g_strdup_printf ("%s with a large %s on %s", id, slot->name, values));
    } else
      continue;
    kg_graph_reset (graph, node, slot->name, NULL);
  }
}

/* Whether it is linked to the source by a value of one of these kinds, or of any. */
static bool
takes (const KgNodeType *type, KgKind first, KgKind last)
{
  for (guint i = 0; i < type->n_slots; i++) {
    const KgSlot *slot = &type->slots[i];

    if (slot->role == KG_SLOT_INPUT && ((slot->kind >= first && slot->kind <= last) || slot->kind == KG_ANY))
      return true;
  }
  return false;
}

static void
test_type (gconstpointer data)
{
  static const struct {
    const char *what;
    int64_t detail;
    bool line;
  } values[] = { { "small values", 1, false }, { "a large mesh", DETAIL, false }, { "a long line", DETAIL, true } };
  const KgNodeType *type = (const KgNodeType *) data;
  /* The others would be the same again: the line is in the geometry, and in the scene that has it. */
  const bool with_line = takes (type, KG_GEOMETRY, KG_GEOMETRY) || takes (type, KG_SCENE, KG_SCENE);
  const guint n = with_line ? 3 : takes (type, KG_MOTION, KG_SCENE) ? 2 : 1;

  for (guint i = 0; i < n; i++) {
    g_autoptr (KgGraph) graph = kg_graph_new (types);
    g_autoptr (KgCache) cache = kg_cache_new (KG_CACHE_DEFAULT_BUDGET);
    g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, cache);
    KgNode *source = kg_graph_add (graph, "test/source", "source", 0, 0, NULL);
    KgNode *node = kg_graph_add (graph, type->id, "node", 0, 0, NULL);
    g_auto (KgValue) detail = kg_value_integer (values[i].detail), line = kg_value_boolean (values[i].line);
    g_auto (KgValue) value = KG_VALUE_INIT;

    link_to_source (graph, source, node);
    kg_graph_set_constant (graph, source, "detail", &detail, NULL);
    kg_graph_set_constant (graph, source, "line", &line, NULL);
    /* So that only the node itself takes time. */
    kg_evaluator_evaluate (evaluator, source, (guint) kg_node_find_slot (source, "geometry"), 0, NULL, &value, NULL);
    g_assert_cmpint (value.kind, ==, KG_GEOMETRY);
    try_all (graph, cache, node, values[i].what);
  }
}

/* Hundreds of bodies in rings that collide with each other: a frame takes seconds. */
static void
test_hostile_bodies (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("KG_TEST_DATA"), "hostile", "procedural_body-hang.json", NULL);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgGraph) graph = kg_graph_load (types, path, problems);
  g_autoptr (KgCache) cache = kg_cache_new (KG_CACHE_DEFAULT_BUDGET);

  g_assert_nonnull (graph);
  cancel_in_the_middle (graph, cache, kg_graph_find (graph, "x"), g_strdup ("procedural_body-hang.json"));
}

/* Fonts are looked for once in a program, which cannot be interrupted: not while it is measured. */
static void
find_fonts (void)
{
  PangoFontDescription *description = pango_font_description_from_string ("Sans 10");
  PangoContext *context = pango_font_map_create_context (pango_cairo_font_map_get_default ());

  g_clear_object (&(PangoFont *){ pango_context_load_font (context, description) });
  g_object_unref (context);
  pango_font_description_free (description);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  types = make_types ();
  omp_set_num_threads (1);
  canceller.cancellable = g_cancellable_new ();
  pthread_getcpuclockid (pthread_self (), &canceller.clock);
  g_thread_unref (g_thread_new ("canceller", canceller_run, NULL));
  g_test_add_func ("/cancelling/hostile-bodies", test_hostile_bodies);
  for (guint i = 0; kg_node_table[i] != NULL; i++) {
    const KgNodeType *type = kg_node_table[i];
    g_autofree char *path = g_strdup_printf ("/cancelling/%s", type->id);

    if (type->role != KG_ROLE_SUBNET && type->role != KG_ROLE_ANNOTATION && !g_str_equal (type->id, LEFT_OUT))
      g_test_add_data_func (path, type, test_type);
  }
  find_fonts ();
  status = g_test_run ();
  kg_types_unref (types);
  return status;
}
