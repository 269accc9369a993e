/* kg-motion: named channels.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-motion.h"

#include "kg-hash.h"

typedef struct {
  const char *name; /* interned */
  KgChannel *channel;
} Entry;

struct _KgMotion {
  gatomicrefcount refs;
  GArray *entries; /* Entry */
  KgHash fingerprint;
};

static void
clear_entry (gpointer data)
{
  kg_channel_unref (((Entry *) data)->channel);
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
  g_free (motion);
}

void
kg_motion_make_writable (KgMotion **motion)
{
  KgMotion *copy;

  if (g_atomic_ref_count_compare (&(*motion)->refs, 1))
    return;
  copy = kg_motion_new ();
  for (guint i = 0; i < (*motion)->entries->len; i++) {
    const Entry *entry = &g_array_index ((*motion)->entries, Entry, i);

    kg_motion_take_channel (copy, entry->name, kg_channel_ref (entry->channel));
  }
  kg_motion_unref (*motion);
  *motion = copy;
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

const KgChannel *
kg_motion_find (const KgMotion *motion, const char *name)
{
  for (guint i = 0; i < motion->entries->len; i++)
    if (g_str_equal (g_array_index (motion->entries, Entry, i).name, name))
      return g_array_index (motion->entries, Entry, i).channel;
  return NULL;
}

void
kg_motion_take_channel (KgMotion *motion, const char *name, KgChannel *channel)
{
  Entry fresh = { g_intern_string (name), channel };

  motion->fingerprint = (KgHash){ 0, 0 };
  for (guint i = 0; i < motion->entries->len; i++) {
    Entry *entry = &g_array_index (motion->entries, Entry, i);

    if (entry->name == fresh.name) {
      kg_channel_unref (entry->channel);
      entry->channel = channel;
      return;
    }
  }
  g_array_append_val (motion->entries, fresh);
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

    if (x->name != y->name || !kg_channel_equal (x->channel, y->channel))
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
