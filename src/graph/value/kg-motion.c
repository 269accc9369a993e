/* kg-motion: named channels.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-motion.h"

#include "kg-hash.h"

typedef struct {
  char *name; /* a GRefString: names come from texts that people edit, so they must be freed with their motion */
  KgChannel *channel;
} Entry;

struct _KgMotion {
  gatomicrefcount refs;
  GArray *entries;     /* Entry */
  GHashTable *by_name; /* (nullable) name -> index + 1, once there are many */
  KgHash fingerprint;
};

/* With fewer channels a linear search is as fast. */
#define MANY 16

static void
clear_entry (gpointer data)
{
  Entry *entry = data;

  g_ref_string_release (entry->name);
  kg_channel_unref (entry->channel);
}

KgMotion *
kg_motion_new (void)
{
  KgMotion *motion = g_new0 (KgMotion, 1);

  g_atomic_ref_count_init (&motion->refs);
  motion->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_array_set_clear_func (motion->entries, clear_entry);
  return motion;
}

KgMotion *
kg_motion_new_take (const char *name, KgChannel *channel)
{
  KgMotion *motion = kg_motion_new ();

  kg_motion_take_channel (motion, name, channel);
  return motion;
}

KgMotion *
kg_motion_ref (const KgMotion *motion)
{
  KgMotion *m = (KgMotion *) motion;

  g_atomic_ref_count_inc (&m->refs);
  return m;
}

void
kg_motion_unref (KgMotion *motion)
{
  if (!g_atomic_ref_count_dec (&motion->refs))
    return;
  g_array_unref (motion->entries);
  g_clear_pointer (&motion->by_name, g_hash_table_unref);
  g_free (motion);
}

static void
index_entries (KgMotion *motion)
{
  guint first = motion->entries->len - 1;

  if (motion->by_name == NULL) {
    motion->by_name = g_hash_table_new (g_str_hash, g_str_equal);
    first = 0;
  }
  for (guint i = first; i < motion->entries->len; i++)
    g_hash_table_insert (motion->by_name, g_array_index (motion->entries, Entry, i).name, GUINT_TO_POINTER (i + 1));
}

/* name and channel are taken; there is none of that name yet. */
static void
add_entry (KgMotion *motion, char *name, KgChannel *channel)
{
  const Entry fresh = { name, channel };

  g_array_append_val (motion->entries, fresh);
  if (motion->entries->len >= MANY)
    index_entries (motion);
}

guint
kg_motion_get_n_channels (const KgMotion *motion)
{
  return motion->entries->len;
}

const KgChannel *
kg_motion_get_channel (const KgMotion *motion, guint index)
{
  g_return_val_if_fail (index < motion->entries->len, NULL);
  return g_array_index (motion->entries, Entry, index).channel;
}

const char *
kg_motion_get_name (const KgMotion *motion, guint index)
{
  g_return_val_if_fail (index < motion->entries->len, NULL);
  return g_array_index (motion->entries, Entry, index).name;
}

/* -1: there is none. */
static int
find_entry (const KgMotion *motion, const char *name)
{
  if (motion->by_name != NULL)
    return GPOINTER_TO_INT (g_hash_table_lookup (motion->by_name, name)) - 1;
  for (guint i = 0; i < motion->entries->len; i++)
    if (g_str_equal (g_array_index (motion->entries, Entry, i).name, name))
      return (int) i;
  return -1;
}

const KgChannel *
kg_motion_find (const KgMotion *motion, const char *name)
{
  const int index = find_entry (motion, name);

  return index >= 0 ? g_array_index (motion->entries, Entry, index).channel : NULL;
}

void
kg_motion_take_channel (KgMotion *motion, const char *name, KgChannel *channel)
{
  const int index = find_entry (motion, name);

  motion->fingerprint = (KgHash){ 0, 0 };
  if (index >= 0) {
    Entry *entry = &g_array_index (motion->entries, Entry, index);

    kg_channel_unref (entry->channel);
    entry->channel = channel;
    return;
  }
  add_entry (motion, g_ref_string_new (name), channel);
}

double
kg_motion_evaluate (const KgMotion *motion, double at, double fallback)
{
  double value[KG_CHANNEL_MAX_WIDTH];

  if (motion->entries->len == 0)
    return fallback;
  kg_channel_evaluate (g_array_index (motion->entries, Entry, 0).channel, at, value);
  return value[0];
}

bool
kg_motion_equal (const KgMotion *a, const KgMotion *b)
{
  if (a == b)
    return true;
  if (a->entries->len != b->entries->len)
    return false;
  for (guint i = 0; i < a->entries->len; i++) {
    const Entry *x = &g_array_index (a->entries, Entry, i), *y = &g_array_index (b->entries, Entry, i);

    if (!g_str_equal (x->name, y->name) || !kg_channel_equal (x->channel, y->channel))
      return false;
  }
  return true;
}

size_t
kg_motion_get_bytes (const KgMotion *motion)
{
  size_t bytes = sizeof *motion;

  for (guint i = 0; i < motion->entries->len; i++)
    bytes += sizeof (Entry) + kg_channel_get_bytes (g_array_index (motion->entries, Entry, i).channel);
  return bytes;
}

KgHash
kg_motion_get_fingerprint (const KgMotion *motion)
{
  return motion->fingerprint;
}

void
kg_motion_set_fingerprint (KgMotion *motion, KgHash fingerprint)
{
  motion->fingerprint = fingerprint;
}
