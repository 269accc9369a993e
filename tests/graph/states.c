/* tests/graph/states: states of simulations in files: what goes out comes back, and nothing that a file contains is
 * believed.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fake-types.h"
#include "kg-evaluate-private.h"
#include "kg-random.h"
#include "kg-regular-file.h"
#include "kg-state-file.h"

#include <glib/gstdio.h>
#include <unistd.h>

static const KgHash key = { 11, 12 };

/* What the states of these tests are of. */
typedef struct {
  double before;
  KgGeometry *geometry;
  double number;
  double between;
  KgVector vector;
  int64_t integer;
} FakeState;

static const KgSlot fake_state_slots[] = {
  KG_INPUT (FakeState, before, NUMBER, .label = "before", .help = "before"),
  KG_STATE (FakeState, geometry, GEOMETRY),
  KG_STATE (FakeState, number, NUMBER, .min = -1, .max = 1),
  KG_OUTPUT (FakeState, between, NUMBER, .label = "between", .help = "between"),
  KG_STATE (FakeState, vector, VECTOR),
  KG_STATE (FakeState, integer, INTEGER),
};

static const KgNodeType fake_state = { .id = "fake/state", .slots = fake_state_slots, .n_slots = 6 };

typedef struct {
  char *folder;
  KgTypes *types;
  KgGraph *graph;
  KgNode *counter;
  guint n_warnings;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->folder = g_dir_make_tmp ("kineographXXXXXX", NULL);
  f->types = fake_types_new ();
  f->graph = kg_graph_new (f->types);
  f->counter = kg_graph_add (f->graph, "fake/counter", "counter", 0, 0, NULL);
}

static GPtrArray *
list_files (const Fixture *f)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  GDir *folder = g_dir_open (f->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (folder)) != NULL)
    g_ptr_array_add (files, g_build_filename (f->folder, name, NULL));
  g_dir_close (folder);
  return files;
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_autoptr (GPtrArray) files = list_files (f);

  (void) data;
  for (guint i = 0; i < files->len; i++)
    g_unlink ((const char *) g_ptr_array_index (files, i));
  g_assert_cmpint (g_rmdir (f->folder), ==, 0);
  g_free (f->folder);
  g_object_unref (f->graph);
  kg_types_unref (f->types);
}

/* Something of everything that a geometry may have. */
static KgGeometry *
make_geometry (void)
{
  static const uint32_t square[] = { 0, 1, 2, 3 };
  static const double knots[] = { 0, 0, 0, 0.5, 1, 1, 1 }, weights[] = { 1, 2, 0.1, 1 };
  const KgPrimitive polygon = { .kind = KG_POLYGON, .closed = true, .n_vertices = 4, .vertices = square };
  const KgPrimitive line = { .kind = KG_POLYLINE, .n_vertices = 2, .vertices = square + 1 };
  const KgPrimitive spline = { .kind = KG_SPLINE,
                               .basis = KG_BASIS_BSPLINE,
                               .order = 3,
                               .n_vertices = 4,
                               .vertices = square,
                               .n_knots = 7,
                               .knots = knots,
                               .weights = weights,
                               .rule = { KG_END_NATURAL, KG_SPACING_CHORD, true, false } };
  KgGeometry *geometry = kg_geometry_new ();
  float *p;

  kg_geometry_set_n_points (geometry, 4, NULL);
  p = kg_geometry_edit_positions (geometry);
  for (int i = 0; i < 12; i++)
    p[i] = 0.1f * (float) i - 0.3f;
  p[5] = -0.0f;
  kg_geometry_add_primitive (geometry, &polygon);
  kg_geometry_add_primitive (geometry, &line);
  kg_geometry_add_primitive (geometry, &spline);
  kg_geometry_edit_float (geometry, KG_POINTS, "Cd", 4)[3] = 0.25f;
  kg_geometry_edit_int (geometry, KG_POINTS, "id", 1)[2] = -7;
  kg_geometry_set_text (geometry, KG_POINTS, "name", 1, "Zoë");
  kg_geometry_edit_float (geometry, KG_PRIMITIVES, "turn", 16)[40] = 3;
  kg_geometry_set_text (geometry, KG_PRIMITIVES, "part", 2, "");
  kg_geometry_edit_int (geometry, KG_WHOLE, "counters", 4)[3] = 9;
  kg_geometry_set_fingerprint (geometry, (KgHash){ 21, 22 });
  return geometry;
}

static KgResult *
make_state (KgGeometry *geometry)
{
  KgResult *state = kg_result_new (6);

  state->values[1] = kg_value_take (KG_GEOMETRY, geometry);
  state->values[2] = kg_value_number (-0.1);
  state->values[4] = kg_value_vector (kg_vector (1, 2, 3));
  state->values[5] = kg_value_integer (INT64_MIN);
  state->present[1] = state->present[2] = state->present[4] = state->present[5] = true;
  return state;
}

static void
assert_same (const KgResult *a, const KgResult *b)
{
  g_assert_cmpuint (a->n, ==, b->n);
  for (guint i = 0; i < a->n; i++) {
    g_assert_true (a->present[i] == b->present[i]);
    g_assert_true (kg_value_equal (&a->values[i], &b->values[i]));
    g_assert_true (kg_hash_equal (kg_value_get_fingerprint (&a->values[i]), kg_value_get_fingerprint (&b->values[i])));
  }
}

static void
test_round_trip (Fixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename (f->folder, "a", NULL);
  KgGeometry *large = kg_geometry_new (), *full = make_geometry ();
  g_autoptr (KgResult) state = make_state (kg_geometry_ref (full)), other = NULL, read = NULL, read_other = NULL;
  g_autoptr (GError) error = NULL;
  const KgGeometry *geometry;

  (void) data;
  g_assert_true (kg_state_file_can_hold (state));
  g_assert_true (kg_state_file_save (state, key, path, G_MAXUINT64, &error));
  g_assert_no_error (error);
  read = kg_state_file_load (path, key, &fake_state, KG_CACHE_OWN, &error);
  g_assert_no_error (error);
  assert_same (state, read);
  geometry = read->values[1].geometry;
  g_assert_cmpmem (kg_geometry_get_positions (geometry), 48, kg_geometry_get_positions (full), 48);
  g_assert_cmpstr (kg_geometry_get_text (geometry, KG_POINTS, "name", 1), ==, "Zoë");
  g_assert_cmpuint (kg_geometry_get_n_attributes (geometry, KG_POINTS), ==, 4);
  kg_geometry_unref (full);
  /* Over whole blocks, too. */
  for (size_t n = 0; n < 40000; n += 5461) {
    kg_geometry_set_n_points (large, n, NULL);
    for (size_t i = 0; i < 3 * n; i++)
      kg_geometry_edit_positions (large)[i] = (float) kg_random_uniform (1, i, 0);
    g_clear_pointer (&other, kg_result_unref);
    g_clear_pointer (&read_other, kg_result_unref);
    other = make_state (kg_geometry_ref (large));
    g_assert_true (kg_state_file_save (other, key, path, G_MAXUINT64, &error));
    read_other = kg_state_file_load (path, key, &fake_state, KG_CACHE_OWN, &error);
    g_assert_no_error (error);
    assert_same (other, read_other);
    kg_geometry_make_writable (&large);
  }
  kg_geometry_unref (large);
  /* What would be larger than it may be is not written, and nothing is left of it. */
  g_assert_false (kg_state_file_save (state, key, path, 100, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  {
    g_autoptr (GPtrArray) files = list_files (f);

    g_assert_cmpuint (files->len, ==, 1);
  }
}

static void
test_damage (Fixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename (f->folder, "a", NULL), *bytes = NULL;
  g_autoptr (KgResult) state = make_state (make_geometry ());
  gsize length;

  (void) data;
  g_assert_true (kg_state_file_save (state, key, path, G_MAXUINT64, NULL));
  g_file_get_contents (path, &bytes, &length, NULL);
  for (gsize i = 0; i < length; i += 3) {
    g_autoptr (GError) error = NULL;

    g_file_set_contents (path, bytes, (gssize) i, NULL);
    g_assert_null (kg_state_file_load (path, key, &fake_state, KG_CACHE_OWN, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_FILE);
  }
  for (gsize i = 0; i < length; i++) {
    g_autoptr (GError) error = NULL;

    bytes[i] ^= 0x10;
    g_file_set_contents (path, bytes, (gssize) length, NULL);
    bytes[i] ^= 0x10;
    g_assert_null (kg_state_file_load (path, key, &fake_state, KG_CACHE_OWN, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_FILE);
  }
  g_file_set_contents (path, bytes, (gssize) length, NULL);
  g_assert_null (kg_state_file_load (path, (KgHash){ 11, 13 }, &fake_state, KG_CACHE_OWN, NULL));
}

/* Files whose sum is right and whose contents are not: refused, or read as something else that is valid. */
static void
test_lies (Fixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename (f->folder, "a", NULL), *bytes = NULL, *changed = NULL;
  g_autoptr (KgResult) state = make_state (make_geometry ());
  gsize length;

  (void) data;
  g_assert_true (kg_state_file_save (state, key, path, G_MAXUINT64, NULL));
  g_file_get_contents (path, &bytes, &length, NULL);
  changed = g_malloc (length);
  for (uint64_t i = 0; i < 4000; i++) {
    const gsize n = length - sizeof (KgHash);
    const gsize at = 32 + (gsize) (kg_random_uniform (2, i, 0) * (double) (n - 32));
    KgHash sum;

    memcpy (changed, bytes, length);
    changed[at] = (char) (int) (256 * kg_random_uniform (2, i, 1) - 128);
    if (i % 3 == 0)
      memset (changed + at, i % 2 ? 0xff : 0x7f, MIN (8, n - at));
    sum = kg_hash_bytes (kg_hash_begin (KG_HASH_STATE_SUM, 0), changed, n);
    memcpy (changed + n, &sum, sizeof sum);
    g_file_set_contents (path, changed, (gssize) length, NULL);
    {
      g_autoptr (KgResult) read = kg_state_file_load (path, key, &fake_state, KG_CACHE_OWN, NULL);

      for (guint k = 0; read != NULL && k < read->n; k++)
        g_assert_true (!read->present[k] || kg_value_check_finite (&read->values[k], NULL));
    }
  }
}

static void
assert_refused (const char *path, const KgNodeType *type)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (kg_state_file_load (path, key, type, KG_CACHE_OWN, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_FILE);
  if (!g_str_has_suffix (error->message, "its contents are not those that the simulation keeps"))
    g_error ("%s", error->message);
}

/* A state that is not one of the node type: other slots, other kinds, numbers out of range, or without an attribute that
 * the node reads. */
static void
test_another_type (Fixture *f, gconstpointer data)
{
  static const char *const missing[] = { "points age float 1", "points id float 1", "points id int 2",
                                         "primitives id int 1", "whole counters int 4; points name int 1" };
  g_autofree char *path = g_build_filename (f->folder, "a", NULL);
  g_autoptr (KgResult) state = make_state (make_geometry ()), read = NULL;
  KgSlot slots[G_N_ELEMENTS (fake_state_slots)];
  KgNodeType type = fake_state;

  (void) data;
  g_assert_true (kg_state_file_save (state, key, path, G_MAXUINT64, NULL));
  type.slots = slots;
  memcpy (slots, fake_state_slots, sizeof slots);
  slots[1].keeps = "points id int 1; primitives turn float 16; whole counters int 4";
  read = kg_state_file_load (path, key, &type, KG_CACHE_OWN, NULL);
  g_assert_nonnull (read);
  for (guint i = 0; i < G_N_ELEMENTS (missing); i++) {
    slots[1].keeps = missing[i];
    assert_refused (path, &type);
  }
  slots[1].keeps = NULL;
  slots[2].min = 0;
  assert_refused (path, &type);
  memcpy (slots, fake_state_slots, sizeof slots);
  slots[2].kind = KG_INTEGER;
  assert_refused (path, &type);
  slots[2].kind = KG_NUMBER;
  slots[3].role = KG_SLOT_STATE;
  assert_refused (path, &type);
  slots[3].role = KG_SLOT_OUTPUT;
  slots[4].role = KG_SLOT_OUTPUT;
  assert_refused (path, &type);
  assert_refused (path, &fake_counter);
}

/* Behind the header of a state, and with a right sum: what once read out of bounds or took a number for a pointer. */
static void
test_hostile (Fixture *f, gconstpointer data)
{
  static const KgSlot slots[] = { KG_STATE (FakeState, geometry, GEOMETRY) };
  const KgNodeType type = { .id = "fake/one", .slots = slots, .n_slots = 1 };
  g_autofree char *path = g_build_filename (f->folder, "a", NULL), *header = NULL;
  g_autofree char *folder = g_build_filename (g_getenv ("KG_TEST_DATA"), "hostile", NULL);
  g_autoptr (KgResult) state = make_state (make_geometry ());
  g_autoptr (GPtrArray) files = kg_regular_file_list (folder, ".body", NULL);

  (void) data;
  g_assert_true (kg_state_file_save (state, key, path, G_MAXUINT64, NULL));
  g_assert_true (g_file_get_contents (path, &header, NULL, NULL));
  g_assert_cmpuint (files->len, >=, 3);
  for (guint i = 0; i < files->len; i++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_autofree char *body = NULL;
    gsize length;
    KgHash sum;

    g_assert_true (g_file_get_contents ((const char *) g_ptr_array_index (files, i), &body, &length, NULL));
    g_byte_array_append (bytes, (const guint8 *) header, 32);
    g_byte_array_append (bytes, (const guint8 *) body, (guint) length);
    sum = kg_hash_bytes (kg_hash_begin (KG_HASH_STATE_SUM, 0), bytes->data, bytes->len);
    g_byte_array_append (bytes, (const guint8 *) &sum, sizeof sum);
    g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL);
    assert_refused (path, &type);
  }
}

/* Only root can give a folder away. */
static void
test_owner (Fixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename (f->folder, "a", NULL);
  g_autoptr (KgResult) state = make_state (make_geometry ()), read = NULL;
  g_autoptr (KgCache) cache = kg_cache_new (0);
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_true (kg_state_file_save (state, key, path, G_MAXUINT64, NULL));
  if (chown (path, 65534, 65534) != 0) {
    g_test_skip ("only root can give a file away");
    return;
  }
  g_assert_null (kg_state_file_load (path, key, &fake_state, KG_CACHE_OWN, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_FILE);
  g_assert_nonnull (strstr (error->message, "belongs to another user"));
  g_clear_error (&error);
  read = kg_state_file_load (path, key, &fake_state, KG_CACHE_OF_OTHERS, &error);
  g_assert_no_error (error);
  g_assert_nonnull (read);
  g_assert_cmpint (chown (f->folder, 65534, 65534), ==, 0);
  g_assert_false (kg_cache_set_folder (cache, f->folder, KG_CACHE_OWN, G_MAXUINT64, NULL, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "belongs to another user"));
  g_clear_error (&error);
  g_assert_true (kg_cache_set_folder (cache, f->folder, KG_CACHE_OF_OTHERS, G_MAXUINT64, NULL, NULL, &error));
  g_assert_no_error (error);
}

/* Simulations. */

static void
count_warning (const char *message, gpointer data)
{
  g_assert_cmpuint (strlen (message), >, 20);
  ((Fixture *) data)->n_warnings++;
}

/* Evaluates with a cache of its own that has no room; how many calls of the node that took. */
static guint64
count_calls (Fixture *f, double frame, guint64 budget)
{
  g_autoptr (KgCache) cache = kg_cache_new (0);
  g_autoptr (KgEvaluator) evaluator = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgNodeStats stats;

  kg_cache_set_folder (cache, f->folder, KG_CACHE_OWN, budget, count_warning, f, &error);
  g_assert_no_error (error);
  evaluator = kg_evaluator_new (f->graph, cache);
  kg_evaluator_evaluate (evaluator, f->counter, (guint) kg_node_find_slot (f->counter, "value"), frame / 24, NULL,
                         &value, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (value.number, ==, frame);
  kg_evaluator_get_stats (evaluator, f->counter, &stats);
  return stats.evaluations;
}

static void
test_found_again (Fixture *f, gconstpointer data)
{
  g_autoptr (GPtrArray) files = NULL;

  (void) data;
  g_assert_cmpuint (count_calls (f, 40, G_MAXUINT64), ==, 1 + 40 + 1);
  files = list_files (f);
  g_assert_cmpuint (files->len, ==, 3); /* 0, 16, 32 */
  g_assert_cmpuint (count_calls (f, 40, G_MAXUINT64), ==, 8 + 1);
  g_assert_cmpuint (count_calls (f, 20, G_MAXUINT64), ==, 4 + 1);
  /* Another simulation knows nothing of these. */
  {
    g_auto (KgValue) two = kg_value_number (2);
    g_autoptr (KgCache) cache = kg_cache_new (0);
    g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (f->graph, cache);
    g_auto (KgValue) value = KG_VALUE_INIT;

    kg_graph_set_constant (f->graph, f->counter, "step", &two, NULL);
    kg_cache_set_folder (cache, f->folder, KG_CACHE_OWN, G_MAXUINT64, count_warning, f, NULL);
    kg_evaluator_evaluate (evaluator, f->counter, (guint) kg_node_find_slot (f->counter, "value"), 40 / 24.0, NULL,
                           &value, NULL);
    g_assert_cmpfloat (value.number, ==, 80);
    kg_graph_undo (f->graph);
  }
  g_assert_cmpuint (f->n_warnings, ==, 0);
}

/* What is in memory when the cache is freed is found again, too. */
static void
test_kept_at_the_end (Fixture *f, gconstpointer data)
{
  g_autoptr (KgCache) cache = kg_cache_new (KG_CACHE_DEFAULT_BUDGET);
  g_autoptr (KgEvaluator) evaluator = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;

  (void) data;
  g_assert_true (kg_cache_set_folder (cache, f->folder, KG_CACHE_OWN, G_MAXUINT64, NULL, NULL, NULL));
  evaluator = kg_evaluator_new (f->graph, cache);
  kg_evaluator_evaluate (evaluator, f->counter, (guint) kg_node_find_slot (f->counter, "value"), 40 / 24.0, NULL,
                         &value, NULL);
  {
    g_autoptr (GPtrArray) files = list_files (f);

    g_assert_cmpuint (files->len, ==, 0);
  }
  g_clear_pointer (&evaluator, kg_evaluator_free);
  g_clear_pointer (&cache, kg_cache_unref);
  g_assert_cmpuint (count_calls (f, 40, G_MAXUINT64), ==, 8 + 1);
}

static void
test_bad_files (Fixture *f, gconstpointer data)
{
  g_autoptr (GPtrArray) files = NULL;
  g_autofree char *foreign = g_build_filename (f->folder, "notes.txt", NULL);

  (void) data;
  count_calls (f, 40, G_MAXUINT64);
  files = list_files (f);
  g_file_set_contents (foreign, "not ours", -1, NULL);
  for (guint i = 0; i < files->len; i++) {
    const char *path = (const char *) g_ptr_array_index (files, i);
    g_autofree char *bytes = NULL;
    gsize length;

    g_file_get_contents (path, &bytes, &length, NULL);
    if (i == 0)
      g_file_set_contents (path, "somebody else's", -1, NULL);
    else
      g_file_set_contents (path, bytes, (gssize) length - 5, NULL);
  }
  g_assert_cmpuint (count_calls (f, 40, G_MAXUINT64), ==, 1 + 40 + 1);
  g_assert_cmpuint (f->n_warnings, ==, 3);
  /* They were written again. */
  g_assert_cmpuint (count_calls (f, 40, G_MAXUINT64), ==, 8 + 1);
  g_assert_cmpuint (f->n_warnings, ==, 3);
  g_assert_true (g_file_test (foreign, G_FILE_TEST_EXISTS));
}

static void
test_oldest_first (Fixture *f, gconstpointer data)
{
  g_autoptr (GPtrArray) files = NULL;
  GStatBuf info;

  (void) data;
  count_calls (f, 16, G_MAXUINT64);
  files = list_files (f);
  g_assert_cmpuint (files->len, ==, 2);
  g_stat ((const char *) g_ptr_array_index (files, 0), &info);
  /* Room for two: of 0, 16, 32 and 48 the last two stay. */
  count_calls (f, 50, (guint64) info.st_size * 2 + 1);
  g_clear_pointer (&files, g_ptr_array_unref);
  files = list_files (f);
  g_assert_cmpuint (files->len, ==, 2);
  g_assert_cmpuint (count_calls (f, 50, G_MAXUINT64), ==, 2 + 1);
  g_assert_cmpuint (count_calls (f, 40, G_MAXUINT64), ==, 8 + 1);
  g_assert_cmpuint (count_calls (f, 30, G_MAXUINT64), ==, 1 + 30 + 1);
  /* Also those of earlier runs. */
  count_calls (f, 8, (guint64) info.st_size);
  g_clear_pointer (&files, g_ptr_array_unref);
  files = list_files (f);
  g_assert_cmpuint (files->len, ==, 1);
  g_assert_cmpuint (f->n_warnings, ==, 0);
}

static void
test_no_folder (void)
{
  g_autoptr (KgCache) cache = kg_cache_new (0);
  g_autoptr (GError) error = NULL;

  g_assert_false (kg_cache_set_folder (cache, "/dev/null/states", KG_CACHE_OWN, G_MAXUINT64, NULL, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
}

/* Waiting. */

typedef struct {
  KgCache *cache;
  GCancellable *cancellable;
  bool claimed;
} Claim;

static gpointer
claim (gpointer data)
{
  Claim *c = data;

  c->claimed = kg_cache_claim (c->cache, key, c->cancellable);
  return NULL;
}

static void
test_claim (void)
{
  g_autoptr (KgCache) cache = kg_cache_new (0);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Claim c = { .cache = cache, .cancellable = cancellable, .claimed = true };
  GThread *thread;

  g_assert_true (kg_cache_claim (cache, key, NULL));
  thread = g_thread_new ("waits", claim, &c);
  g_usleep (20000);
  g_cancellable_cancel (cancellable);
  g_thread_join (thread);
  g_assert_false (c.claimed);
  g_cancellable_reset (cancellable);
  thread = g_thread_new ("waits", claim, &c);
  g_usleep (20000);
  kg_cache_release (cache, key);
  g_thread_join (thread);
  g_assert_true (c.claimed);
  kg_cache_release (cache, key);
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*run) (Fixture *, gconstpointer);
  } tests[] = { { "/states/round-trip", test_round_trip },
                { "/states/damage", test_damage },
                { "/states/lies", test_lies },
                { "/states/another-type", test_another_type },
                { "/states/hostile", test_hostile },
                { "/states/owner", test_owner },
                { "/states/found-again", test_found_again },
                { "/states/kept-at-the-end", test_kept_at_the_end },
                { "/states/bad-files", test_bad_files },
                { "/states/oldest-first", test_oldest_first } };

  g_test_init (&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].run, tear_down);
  g_test_add_func ("/states/no-folder", test_no_folder);
  g_test_add_func ("/states/claim", test_claim);
  return g_test_run ();
}
