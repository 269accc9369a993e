/* kg-dope: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-dope.h"

#include "config.h"
#include "kg-input-value.h"
#include "kg-key-edit.h"

#include <glib/gi18n.h>
#include <string.h>

#define SAME_FRAME 1e-6

/* Keys of one input, or of one cell of its table, that were copied. */
typedef struct {
  char *node, *slot;
  int row, column; /* of the cell, as in KgKeyed */
  guint width;
  bool rotation;
  GArray *keys; /* KgKey, from 0 on */
} Clip;

struct _KgDope {
  GPtrArray *rows;  /* KgDopeRow */
  GPtrArray *clips; /* Clip */
};

static void
row_free (gpointer data)
{
  KgDopeRow *row = (KgDopeRow *) data;

  kg_channel_unref (row->channel);
  g_byte_array_unref (row->marks);
  g_free (row);
}

static void
clip_free (gpointer data)
{
  Clip *clip = (Clip *) data;

  g_free (clip->node);
  g_free (clip->slot);
  g_array_unref (clip->keys);
  g_free (clip);
}

KgDope *
kg_dope_new (void)
{
  KgDope *self = g_new0 (KgDope, 1);

  self->rows = g_ptr_array_new_with_free_func (row_free);
  self->clips = g_ptr_array_new_with_free_func (clip_free);
  return self;
}

void
kg_dope_free (KgDope *self)
{
  g_ptr_array_unref (self->rows);
  g_ptr_array_unref (self->clips);
  g_free (self);
}

/* Rows. */

static const KgDopeRow *
find_row (const GPtrArray *rows, const KgKeyed *keyed)
{
  for (guint i = 0; i < rows->len; i++) {
    const KgDopeRow *row = (const KgDopeRow *) rows->pdata[i];

    if (kg_keyed_is_same (&row->keyed, keyed))
      return row;
  }
  return NULL;
}

typedef struct {
  GPtrArray *rows;
  const GPtrArray *before;
} Adding;

static void
add_row (const KgKeyed *keyed, KgChannel *channel, gpointer data)
{
  const Adding *adding = (const Adding *) data;
  const KgDopeRow *old = find_row (adding->before, keyed);
  KgDopeRow *row = g_new0 (KgDopeRow, 1);

  row->keyed = *keyed;
  row->channel = kg_channel_ref (channel);
  row->marks = kg_key_marks_new (channel, false);
  if (old != NULL && old->marks->len == row->marks->len)
    memcpy (row->marks->data, old->marks->data, row->marks->len);
  g_ptr_array_add (adding->rows, row);
}

void
kg_dope_update (KgDope *self, KgGraph *graph)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (row_free);
  Adding adding = { rows, self->rows };

  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);

    for (guint s = 0; s < kg_node_get_n_slots (node); s++)
      kg_keyed_each (node, s, add_row, &adding);
  }
  g_ptr_array_unref (self->rows);
  self->rows = rows;
}

guint
kg_dope_get_n_rows (const KgDope *self)
{
  return self->rows->len;
}

static KgDopeRow *
get_row (const KgDope *self, guint row)
{
  return (KgDopeRow *) g_ptr_array_index (self->rows, row);
}

const KgDopeRow *
kg_dope_get_row (const KgDope *self, guint row)
{
  return get_row (self, row);
}

guint
kg_dope_get_n_keys (const KgDope *self)
{
  guint count = 0;

  for (guint i = 0; i < self->rows->len; i++)
    count += get_row (self, i)->marks->len;
  return count;
}

guint
kg_dope_get_n_selected (const KgDope *self)
{
  gsize count = 0;

  for (guint i = 0; i < self->rows->len; i++)
    count += kg_key_marks_count (get_row (self, i)->marks);
  return (guint) count;
}

bool
kg_dope_get_range (const KgDope *self, double *first, double *last)
{
  *first = INFINITY;
  *last = -INFINITY;
  for (guint i = 0; i < self->rows->len; i++) {
    const KgDopeRow *row = get_row (self, i);
    gsize n;
    const KgKey *keys = kg_channel_get_keys (row->channel, &n);

    for (gsize k = 0; k < n; k++)
      if (row->marks->data[k] != 0) {
        *first = fmin (*first, keys[k].at);
        *last = fmax (*last, keys[k].at);
      }
  }
  return *first <= *last;
}

/* Selecting. */

static guint8
get_all (const KgDopeRow *row)
{
  return (guint8) ((1 << kg_channel_get_width (row->channel)) - 1);
}

void
kg_dope_select (KgDope *self, guint first, guint last, double from, double to, bool add)
{
  for (guint i = 0; i < self->rows->len; i++) {
    KgDopeRow *row = get_row (self, i);
    gsize n;
    const KgKey *keys = kg_channel_get_keys (row->channel, &n);

    for (gsize k = 0; k < n; k++)
      if (i >= first && i <= last && keys[k].at >= from - SAME_FRAME && keys[k].at <= to + SAME_FRAME)
        row->marks->data[k] = get_all (row);
      else if (!add)
        row->marks->data[k] = 0;
  }
}

void
kg_dope_select_all (KgDope *self, bool all)
{
  for (guint i = 0; i < self->rows->len; i++) {
    KgDopeRow *row = get_row (self, i);

    memset (row->marks->data, all ? get_all (row) : 0, row->marks->len);
  }
}

/* Edits. */

typedef KgChannel *(*Edit) (const KgChannel *channel, GByteArray *marks, gpointer data);

/* What an edit makes of a row. */
typedef struct {
  KgKeyed keyed;
  KgChannel *channel;
  GByteArray *marks;
} Edited;

static void
edited_clear (gpointer data)
{
  Edited *edited = (Edited *) data;

  kg_channel_unref (edited->channel);
  g_byte_array_unref (edited->marks);
}

/* The graph says with each input that it has changed, and the rows are made anew: the marks come after all of it. */
static void
edit (KgDope *self, KgGraph *graph, const char *label, Edit function, gpointer data)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Edited));

  g_array_set_clear_func (all, edited_clear);
  for (guint i = 0; i < self->rows->len; i++) {
    const KgDopeRow *row = get_row (self, i);
    Edited edited = { .keyed = row->keyed };

    if (kg_key_marks_count (row->marks) == 0)
      continue;
    edited.marks = g_byte_array_append (g_byte_array_new (), row->marks->data, row->marks->len);
    edited.channel = function (row->channel, edited.marks, data);
    g_array_append_val (all, edited);
  }
  if (all->len == 0)
    return;
  kg_graph_begin_group (graph, label);
  for (guint i = 0; i < all->len; i++) {
    const Edited *edited = &g_array_index (all, Edited, i);

    kg_keyed_set_channel (&edited->keyed, edited->channel, NULL);
  }
  kg_graph_end_group (graph);
  kg_dope_update (self, graph);
  for (guint i = 0; i < all->len; i++) {
    const Edited *edited = &g_array_index (all, Edited, i);
    const KgDopeRow *row = find_row (self->rows, &edited->keyed);

    if (row != NULL && row->marks->len == edited->marks->len)
      memcpy (row->marks->data, edited->marks->data, edited->marks->len);
  }
}

static KgChannel *
move_keys (const KgChannel *channel, GByteArray *marks, gpointer data)
{
  return kg_key_edit_move (channel, marks, *(const double *) data, 0, true);
}

void
kg_dope_move (KgDope *self, KgGraph *graph, double frames)
{
  if (frames != 0)
    edit (self, graph, _ ("Move keys"), move_keys, &frames);
}

static KgChannel *
scale_keys (const KgChannel *channel, GByteArray *marks, gpointer data)
{
  return kg_key_edit_scale (channel, marks, (const KgKeyScale *) data, true);
}

void
kg_dope_scale (KgDope *self, KgGraph *graph, double pivot, double factor)
{
  KgKeyScale scale = { .time_pivot = pivot, .time_factor = factor, .value_factor = 1 };

  if (factor != 1 && isfinite (factor))
    edit (self, graph, _ ("Scale keys"), scale_keys, &scale);
}

typedef struct {
  KgKeyed keyed;
  KgChannel *channel, *left; /* before, and after (nullable) */
} Deleted;

static void
deleted_clear (gpointer data)
{
  Deleted *deleted = (Deleted *) data;

  kg_channel_unref (deleted->channel);
  g_clear_pointer (&deleted->left, kg_channel_unref);
}

/* Without keys: the value at the frame. */
static void
set_left (KgGraph *graph, const Deleted *deleted, double frame)
{
  const KgKeyed *keyed = &deleted->keyed;
  g_auto (KgValue) value = KG_VALUE_INIT;
  double x;

  if (deleted->left != NULL)
    kg_keyed_set_channel (keyed, deleted->left, NULL);
  else if (keyed->row >= 0) {
    kg_channel_evaluate (deleted->channel, frame, &x);
    kg_keyed_set_number (keyed, x, NULL);
  } else if (kg_input_get_value (keyed->node, keyed->slot, frame, &value))
    kg_graph_set_constant (graph, keyed->node, kg_node_get_slot (keyed->node, keyed->slot)->name, &value, NULL);
}

void
kg_dope_delete (KgDope *self, KgGraph *graph, double frame)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Deleted));

  g_array_set_clear_func (all, deleted_clear);
  for (guint i = 0; i < self->rows->len; i++) {
    const KgDopeRow *row = get_row (self, i);

    if (kg_key_marks_count (row->marks) > 0) {
      const Deleted deleted = { row->keyed, kg_channel_ref (row->channel),
                                kg_key_edit_delete (row->channel, row->marks) };

      g_array_append_val (all, deleted);
    }
  }
  if (all->len == 0)
    return;
  kg_graph_begin_group (graph, _ ("Delete keys"));
  for (guint i = 0; i < all->len; i++)
    set_left (graph, &g_array_index (all, Deleted, i), frame);
  kg_graph_end_group (graph);
}

/* Copies. */

void
kg_dope_copy (KgDope *self)
{
  double first, last;

  if (!kg_dope_get_range (self, &first, &last))
    return;
  g_ptr_array_set_size (self->clips, 0);
  for (guint i = 0; i < self->rows->len; i++) {
    const KgDopeRow *row = get_row (self, i);
    gsize n;
    const KgKey *keys = kg_channel_get_keys (row->channel, &n);
    Clip *clip;

    if (kg_key_marks_count (row->marks) == 0)
      continue;
    clip = g_new0 (Clip, 1);
    clip->node = g_strdup (kg_node_get_name (row->keyed.node));
    clip->slot = g_strdup (kg_node_get_slot (row->keyed.node, row->keyed.slot)->name);
    clip->row = row->keyed.row;
    clip->column = row->keyed.column;
    clip->width = kg_channel_get_width (row->channel);
    clip->rotation = kg_channel_is_rotation (row->channel);
    clip->keys = g_array_new (FALSE, FALSE, sizeof (KgKey));
    for (gsize k = 0; k < n; k++)
      if (row->marks->data[k] != 0) {
        KgKey key = keys[k];

        key.at -= first;
        g_array_append_val (clip->keys, key);
      }
    g_ptr_array_add (self->clips, clip);
  }
}

/* (transfer full) (nullable) The keys of a row with those of a clip in place of what is at the same frames. */
static KgChannel *
merge (const KgDopeRow *row, const Clip *clip, double frame)
{
  g_autoptr (GArray) merged = g_array_new (FALSE, FALSE, sizeof (KgKey));
  KgExtend before, after;
  gsize n;
  const KgKey *keys = kg_channel_get_keys (row->channel, &n);

  kg_channel_get_extend (row->channel, &before, &after);
  for (gsize k = 0; k < n; k++) {
    bool replaced = false;

    for (guint c = 0; c < clip->keys->len && !replaced; c++)
      replaced = fabs (g_array_index (clip->keys, KgKey, c).at + frame - keys[k].at) < SAME_FRAME;
    if (!replaced)
      g_array_append_val (merged, keys[k]);
  }
  for (guint c = 0; c < clip->keys->len; c++) {
    KgKey key = g_array_index (clip->keys, KgKey, c);

    key.at += frame;
    g_array_append_val (merged, key);
  }
  return kg_channel_new_keys (clip->width, clip->rotation, (const KgKey *) (const void *) merged->data, merged->len,
                              before, after, NULL);
}

guint
kg_dope_paste (KgDope *self, KgGraph *graph, double frame)
{
  guint pasted = 0;

  if (self->clips->len == 0)
    return 0;
  kg_graph_begin_group (graph, _ ("Paste keys"));
  for (guint i = 0; i < self->clips->len; i++) {
    const Clip *clip = (const Clip *) g_ptr_array_index (self->clips, i);
    KgNode *node = kg_graph_find (graph, clip->node);
    const int slot = node != NULL ? kg_node_find_slot (node, clip->slot) : -1;
    const KgKeyed keyed = { node, (guint) slot, clip->row, clip->column };
    const KgDopeRow *row = slot >= 0 ? find_row (self->rows, &keyed) : NULL;
    g_autoptr (KgChannel) channel = row != NULL && kg_channel_get_width (row->channel) == clip->width &&
                                            kg_channel_is_rotation (row->channel) == clip->rotation
                                        ? merge (row, clip, frame)
                                        : NULL;

    if (channel != NULL && kg_keyed_set_channel (&keyed, channel, NULL))
      pasted += clip->keys->len;
  }
  kg_graph_end_group (graph);
  kg_dope_update (self, graph);
  kg_dope_select_all (self, false);
  for (guint i = 0; i < self->clips->len; i++) {
    const Clip *clip = (const Clip *) g_ptr_array_index (self->clips, i);

    for (guint r = 0; r < self->rows->len; r++) {
      const KgDopeRow *row = get_row (self, r);

      if (g_str_equal (kg_node_get_name (row->keyed.node), clip->node) &&
          g_str_equal (kg_node_get_slot (row->keyed.node, row->keyed.slot)->name, clip->slot) &&
          row->keyed.row == clip->row && row->keyed.column == clip->column)
        for (guint c = 0; c < clip->keys->len; c++) {
          const double at = g_array_index (clip->keys, KgKey, c).at + frame;

          kg_dope_select (self, r, r, at, at, true);
        }
    }
  }
  return pasted;
}
