/* tests/graph/cache: the table of the cache against a simple model, with keys that all want the same places.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-evaluate-private.h"

#define N_KEYS 3000

/* Entries in the order of their use, and where each key leads. */
typedef struct {
  guint keys[2], n_keys;
  KgResult *result;
} Entry;

typedef struct {
  KgCache *cache;
  GQueue used; /* Entry: latest first */
  Entry *of[N_KEYS];
} Model;

/* Folds of few kinds, some of which are at the end of the table whatever its size, so that what follows goes on at its start. */
static KgHash
get_key (guint i)
{
  static const guint64 folds[] = { 0xffffffff, 0xfffffffe, 0, 1, 0x3ff, 0xfffffc00, 0x400, 0x7fffffff };

  return (KgHash){ (i % 4 == 0 ? (guint64) i * 7 : folds[i % G_N_ELEMENTS (folds)] - i % 3) << 32 | i, 0 };
}

static void
remove_entry (Model *model, Entry *entry)
{
  for (guint k = 0; k < entry->n_keys; k++)
    model->of[entry->keys[k]] = NULL;
  g_queue_remove (&model->used, entry);
  kg_result_unref (entry->result);
  g_free (entry);
}

static void
insert (Model *model, guint one, guint other)
{
  Entry *entry = g_new (Entry, 1);

  *entry = (Entry){ { one, other }, one == other ? 1 : 2, kg_result_new (0) };
  entry->result->bytes = 100;
  if (one == other && one % 2 == 0)
    kg_cache_insert (model->cache, get_key (one), entry->result);
  else
    kg_cache_insert_twice (model->cache, get_key (one), get_key (other), entry->result);
  for (guint k = 0; k < entry->n_keys; k++)
    if (model->of[entry->keys[k]] != NULL)
      remove_entry (model, model->of[entry->keys[k]]);
  for (guint k = 0; k < entry->n_keys; k++)
    model->of[entry->keys[k]] = entry;
  g_queue_push_head (&model->used, entry);
}

static void
look_up (Model *model, guint key)
{
  Entry *entry = model->of[key];
  g_autoptr (KgResult) result = kg_cache_lookup (model->cache, get_key (key));

  g_assert_true (result == (entry != NULL ? entry->result : NULL));
  if (entry == NULL)
    return;
  g_queue_remove (&model->used, entry);
  g_queue_push_head (&model->used, entry);
}

/* What was evicted is what was not used for longest. */
static void
follow_eviction (Model *model)
{
  KgCacheStats stats;

  kg_cache_get_stats (model->cache, &stats);
  g_assert_cmpuint (stats.entries, <=, model->used.length);
  while (model->used.length > stats.entries)
    remove_entry (model, (Entry *) g_queue_peek_tail (&model->used));
}

static void
check (const Model *model)
{
  for (guint i = 0; i < N_KEYS; i++)
    g_assert_true (kg_cache_has (model->cache, get_key (i)) == (model->of[i] != NULL));
}

static void
test_table (void)
{
  for (guint32 seed = 0; seed < 3; seed++) {
    GRand *random = g_rand_new_with_seed (seed);
    Model model = { .cache = kg_cache_new (seed == 0 ? 1 << 30 : 200000), .used = G_QUEUE_INIT };
    /* The keys of one seed are those of which all want the same few places. */
    const gint32 n_keys = seed == 2 ? 400 : N_KEYS;

    for (guint i = 0; i < 6000; i++) {
      const guint one = (guint) g_rand_int_range (random, 0, n_keys),
                  other = (guint) g_rand_int_range (random, 0, n_keys);

      if (i % 3 == 0)
        look_up (&model, one);
      else
        insert (&model, one, i % 3 == 1 ? one : other);
      follow_eviction (&model);
      if (i % 500 == 499)
        check (&model);
      if (i == 4000) {
        kg_cache_set_budget (model.cache, 20000);
        follow_eviction (&model);
        kg_cache_set_budget (model.cache, 100000);
        check (&model);
      }
    }
    while (model.used.length > 0)
      remove_entry (&model, (Entry *) g_queue_peek_tail (&model.used));
    kg_cache_clear (model.cache);
    check (&model);
    kg_cache_unref (model.cache);
    g_rand_free (random);
  }
}

/* What is evicted while it is held stays for who holds it. */
static void
test_held (void)
{
  g_autoptr (KgCache) cache = kg_cache_new (1 << 20);
  g_autoptr (KgResult) held = NULL;
  KgResult *result = kg_result_new (1);

  result->values[0] = kg_value_text ("still here");
  kg_cache_insert_twice (cache, get_key (1), get_key (2), result);
  kg_result_unref (result);
  held = kg_cache_lookup (cache, get_key (2));
  kg_cache_set_budget (cache, 0);
  g_assert_false (kg_cache_has (cache, get_key (1)));
  g_assert_false (kg_cache_has (cache, get_key (2)));
  g_assert_cmpstr (held->values[0].text, ==, "still here");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cache/table", test_table);
  g_test_add_func ("/cache/held", test_held);
  return g_test_run ();
}
