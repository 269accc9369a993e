/* kg-key-edit: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-key-edit.h"

#include <math.h>
#include <string.h>

/* Shorter handles would look like missing ones. */
#define MIN_REACH 1e-3
/* Most parts into which the way between two keys is divided to measure the curve while keys are removed. */
#define REDUCE_STEPS 16

/* Marks. */

GByteArray *
kg_key_marks_new (const KgChannel *channel, bool all)
{
  GByteArray *marks = g_byte_array_new ();
  gsize n;

  kg_channel_get_keys (channel, &n);
  g_byte_array_set_size (marks, (guint) n);
  if (n > 0)
    memset (marks->data, all ? (1 << kg_channel_get_width (channel)) - 1 : 0, n);
  return marks;
}

gsize
kg_key_marks_count (const GByteArray *marks)
{
  gsize count = 0;

  for (guint i = 0; i < marks->len; i++)
    count += marks->data[i] != 0;
  return count;
}

/* Keys on their way. */

typedef struct {
  KgKey key;
  guint8 marks;
  bool moved;  /* stands elsewhere than before */
  double from; /* where it stood */
  gsize order; /* among keys at one place */
} Item;

static GArray *
items_new (const KgChannel *channel, const GByteArray *marks)
{
  gsize n;
  const KgKey *keys = kg_channel_get_keys (channel, &n);
  GArray *items = g_array_sized_new (FALSE, FALSE, sizeof (Item), (guint) n);

  for (gsize i = 0; i < n; i++) {
    const Item item = { .key = keys[i], .marks = marks->data[i], .from = keys[i].at, .order = i };

    g_array_append_val (items, item);
  }
  return items;
}

#define ITEM(items, i) (&g_array_index (items, Item, i))

static int
compare_items (gconstpointer a, gconstpointer b)
{
  const Item *p = (const Item *) a, *q = (const Item *) b;

  if (p->key.at != q->key.at)
    return p->key.at < q->key.at ? -1 : 1;
  return p->order < q->order ? -1 : p->order > q->order;
}

/* At each place: keys that arrived push away those that stood there; of keys that arrived from several places the last
 * stays.  Steps that moved as a whole stay steps. */
static void
make_room (GArray *items)
{
  guint kept = 0;

  g_array_sort (items, compare_items);
  for (guint start = 0, end; start < items->len; start = end) {
    const Item *winner = NULL;

    for (end = start; end < items->len && ITEM (items, end)->key.at == ITEM (items, start)->key.at; end++)
      if (ITEM (items, end)->moved && (winner == NULL || ITEM (items, end)->from >= winner->from))
        winner = ITEM (items, end);
    if (winner == NULL) {
      for (guint i = start; i < end; i++)
        *ITEM (items, kept++) = *ITEM (items, i);
    } else {
      const double from = winner->from;

      for (guint i = start; i < end; i++)
        if (ITEM (items, i)->moved && ITEM (items, i)->from == from)
          *ITEM (items, kept++) = *ITEM (items, i);
    }
  }
  g_array_set_size (items, kept);
}

static KgChannel *
with_keys (const KgChannel *channel, const KgKey *keys, gsize n)
{
  KgExtend before, after;
  KgChannel *made;

  kg_channel_get_extend (channel, &before, &after);
  made = kg_channel_new_keys (kg_channel_get_width (channel), kg_channel_is_rotation (channel), keys, n, before, after,
                              NULL);
  return made != NULL ? made : kg_channel_ref (channel);
}

/* Takes items. */
static KgChannel *
items_finish (GArray *items, const KgChannel *channel, GByteArray *marks)
{
  g_autoptr (GArray) owned = items;
  g_autofree KgKey *keys = NULL;
  KgChannel *made;

  if (items->len == 0) {
    g_byte_array_set_size (marks, 0);
    return NULL;
  }
  keys = g_new (KgKey, items->len);
  for (guint i = 0; i < items->len; i++)
    keys[i] = ITEM (items, i)->key;
  made = with_keys (channel, keys, items->len);
  if (made == channel)
    return made;
  g_byte_array_set_size (marks, items->len);
  for (guint i = 0; i < items->len; i++)
    marks->data[i] = ITEM (items, i)->marks;
  return made;
}

/* (transfer full) The keys, to be changed in place. */
static KgKey *
dup_keys (const KgChannel *channel, gsize *n)
{
  const KgKey *keys = kg_channel_get_keys (channel, n);

  return (KgKey *) g_memdup2 (keys, *n * sizeof *keys);
}

/* Moving and scaling. */

static void
set_at (Item *item, double at, bool snap)
{
  item->key.at = snap ? round (at) : at;
  item->moved = item->key.at != item->from;
}

/* Without the last digits of a sum, so that 0.4 - 0.351 is written as 0.049. */
static double
round_off_noise (double x)
{
  const double scale = x != 0 ? pow (10, 13 - ceil (log10 (fabs (x)))) : 0;

  return scale >= 1 && scale < 1e300 ? round (x * scale) / scale : x;
}

KgChannel *
kg_key_edit_move (const KgChannel *channel, GByteArray *marks, double time, double value, bool snap)
{
  const guint width = kg_channel_get_width (channel);
  GArray *items = items_new (channel, marks);

  for (guint i = 0; i < items->len; i++) {
    Item *item = ITEM (items, i);

    if (item->marks == 0)
      continue;
    if (time != 0)
      set_at (item, item->key.at + time, snap);
    for (guint c = 0; c < width && !kg_channel_is_rotation (channel); c++)
      if (item->marks & 1 << c)
        item->key.value[c] = value != 0 ? round_off_noise (item->key.value[c] + value) : item->key.value[c];
  }
  make_room (items);
  return items_finish (items, channel, marks);
}

KgChannel *
kg_key_edit_place (const KgChannel *channel, GByteArray *marks, gsize index, double at)
{
  GArray *items = items_new (channel, marks);
  const double time = at - ITEM (items, index)->key.at;

  for (guint i = 0; i < items->len; i++)
    if (i == index || ITEM (items, i)->marks != 0)
      set_at (ITEM (items, i), i == index ? at : ITEM (items, i)->key.at + time, false);
  make_room (items);
  return items_finish (items, channel, marks);
}

KgChannel *
kg_key_edit_set_value (const KgChannel *channel, const GByteArray *marks, double value)
{
  gsize n;
  g_autofree KgKey *keys = dup_keys (channel, &n);

  if (kg_channel_is_rotation (channel))
    return kg_channel_ref (channel);
  for (gsize i = 0; i < n; i++)
    for (guint c = 0; c < kg_channel_get_width (channel); c++)
      if (marks->data[i] & 1 << c)
        keys[i].value[c] = value;
  return with_keys (channel, keys, n);
}

/* Backwards in time: what led in leads out, and the way from one key to the next belongs to the other end. */
static void
reverse_items (GArray *items)
{
  Item *first = NULL;
  KgInterpolation carried = KG_INTERPOLATE_LINEAR;

  for (guint i = 0; i < items->len; i++) {
    Item *item = ITEM (items, i);
    const KgInterpolation own = item->key.interpolation;
    const KgHandle in = item->key.in;

    if (item->marks == 0)
      continue;
    item->key.in = item->key.out;
    item->key.out = in;
    item->key.bias = -item->key.bias;
    item->order = items->len - item->order;
    if (first == NULL)
      first = item;
    else
      item->key.interpolation = carried;
    carried = own;
  }
  if (first != NULL)
    first->key.interpolation = carried;
}

KgChannel *
kg_key_edit_scale (const KgChannel *channel, GByteArray *marks, const KgKeyScale *scale, bool snap)
{
  const guint width = kg_channel_is_rotation (channel) ? 0 : kg_channel_get_width (channel);
  GArray *items = items_new (channel, marks);

  if (scale->time_factor < 0)
    reverse_items (items);
  for (guint i = 0; i < items->len; i++) {
    Item *item = ITEM (items, i);
    KgKey *key = &item->key;

    if (item->marks == 0)
      continue;
    if (scale->time_factor != 1) {
      set_at (item, scale->time_pivot + (key->at - scale->time_pivot) * scale->time_factor, snap);
      key->in.reach *= fabs (scale->time_factor);
      key->out.reach *= fabs (scale->time_factor);
    }
    for (guint c = 0; c < width; c++)
      if (item->marks & 1 << c) {
        key->value[c] = scale->value_pivot + (key->value[c] - scale->value_pivot) * scale->value_factor;
        key->in.rise[c] *= scale->value_factor;
        key->out.rise[c] *= scale->value_factor;
      }
  }
  make_room (items);
  return items_finish (items, channel, marks);
}

/* Tangents. */

/* The way into or out of a key: whether its shape follows from tangents, and how long it is (0 where there is none). */
static bool
is_smooth (const KgKey *keys, gsize n, gsize i, KgKeySide side, double *length)
{
  const bool exists = side == KG_KEY_IN ? i > 0 : i + 1 < n;
  const gsize from = side == KG_KEY_IN ? i - 1 : i;

  *length = 0;
  if (!exists)
    return false;
  *length = keys[from + 1].at - keys[from].at;
  return keys[from].interpolation == KG_INTERPOLATE_BEZIER || keys[from].interpolation == KG_INTERPOLATE_TCB;
}

/* The handle in effect, before handles that overlap are shortened together. */
static void
get_handle (const KgChannel *channel, gsize i, KgKeySide side, KgHandle *handle)
{
  const guint width = kg_channel_get_width (channel);
  gsize n;
  const KgKey *keys = kg_channel_get_keys (channel, &n), *key = &keys[i];
  const KgHandle *given = side == KG_KEY_IN ? &key->in : &key->out;
  double in[KG_CHANNEL_MAX_WIDTH], out[KG_CHANNEL_MAX_WIDTH], length;
  const bool smooth = is_smooth (keys, n, i, side, &length);
  const bool tcb = smooth && keys[side == KG_KEY_IN ? i - 1 : i].interpolation == KG_INTERPOLATE_TCB;

  kg_channel_get_slopes (channel, i, in, out);
  *handle = (KgHandle){ .reach = length / 3 };
  if (key->tangents != KG_TANGENT_AUTO && given->reach > 0 && !tcb)
    handle->reach = given->reach;
  for (guint c = 0; c < width; c++)
    handle->rise[c] = side == KG_KEY_IN ? -in[c] * handle->reach : out[c] * handle->reach;
}

static bool
has_equal_slopes (const KgKey *key, guint width)
{
  for (guint c = 0; c < width; c++) {
    const double in = -key->in.rise[c] * key->out.reach, out = key->out.rise[c] * key->in.reach;

    if (fabs (in - out) > 1e-8 * (fabs (in) + fabs (out)))
      return false;
  }
  return true;
}

/* Continues one side of a key on its other side. */
static void
mirror_handle (KgKey *key, KgKeySide to, guint width)
{
  KgHandle *target = to == KG_KEY_IN ? &key->in : &key->out;
  const KgHandle *source = to == KG_KEY_IN ? &key->out : &key->in;

  if (!(target->reach > 0))
    target->reach = source->reach;
  for (guint c = 0; c < width && source->reach > 0; c++)
    target->rise[c] = -source->rise[c] * target->reach / source->reach;
}

/* Gives a key the handles that it has in effect, so that the curve no longer follows its neighbours there. */
static void
freeze (const KgChannel *channel, gsize i, KgKey *key)
{
  const guint width = kg_channel_get_width (channel);
  gsize n;
  const KgKey *keys = kg_channel_get_keys (channel, &n);
  double length;
  const bool in = is_smooth (keys, n, i, KG_KEY_IN, &length), out = is_smooth (keys, n, i, KG_KEY_OUT, &length);

  if (in || key->tangents == KG_TANGENT_AUTO)
    get_handle (channel, i, KG_KEY_IN, &key->in);
  if (out || key->tangents == KG_TANGENT_AUTO)
    get_handle (channel, i, KG_KEY_OUT, &key->out);
  if (key->tangents == KG_TANGENT_AUTO && in != out)
    mirror_handle (key, in ? KG_KEY_OUT : KG_KEY_IN, width);
  key->tangents = has_equal_slopes (key, width) ? KG_TANGENT_ALIGNED : KG_TANGENT_FREE;
}

/* Inserting. */

static void
split (const double p[4], double u, double left[4], double right[4])
{
  const double a = kg_lerp (p[0], p[1], u), b = kg_lerp (p[1], p[2], u), c = kg_lerp (p[2], p[3], u);
  const double ab = kg_lerp (a, b, u), bc = kg_lerp (b, c, u), middle = kg_lerp (ab, bc, u);

  memcpy (left, (const double[4]){ p[0], a, ab, middle }, 4 * sizeof *left);
  memcpy (right, (const double[4]){ middle, bc, c, p[3] }, 4 * sizeof *right);
}

/* The u in 0..1 with x (u) = at; x grows from x[0] to x[3]. */
static double
solve (const double x[4], double at)
{
  double low = 0, high = 1;

  while (true) {
    const double u = 0.5 * (low + high);
    double left[4], right[4];

    if (!(u > low && u < high))
      return u;
    split (x, u, left, right);
    if (right[0] < at)
      low = u;
    else
      high = u;
  }
}

/* Two frozen keys and the new one between them, by de Casteljau's construction. */
static void
subdivide (KgKey *a, KgKey *b, KgKey *key, guint width)
{
  const double length = b->at - a->at, sum = a->out.reach + b->in.reach;
  const double shortened = sum > length ? length / sum : 1;
  const double x[4] = { a->at, a->at + shortened * a->out.reach, b->at - shortened * b->in.reach, b->at };
  const double u = solve (x, key->at);
  double left[4], right[4];

  split (x, u, left, right);
  /* Both sides from one direction, so that they stay aligned to the last bit. */
  key->in.reach = u * (right[1] - left[2]);
  key->out.reach = (1 - u) * (right[1] - left[2]);
  for (guint c = 0; c < width; c++) {
    const double y[4] = { a->value[c], a->value[c] + shortened * a->out.rise[c],
                          b->value[c] + shortened * b->in.rise[c], b->value[c] };
    double low[4], high[4];

    split (y, u, low, high);
    key->value[c] = high[0];
    key->in.rise[c] = -u * (high[1] - low[2]);
    key->out.rise[c] = (1 - u) * (high[1] - low[2]);
    a->out.rise[c] *= shortened * u;
    b->in.rise[c] *= shortened * (1 - u);
  }
  a->out.reach *= shortened * u;
  b->in.reach *= shortened * (1 - u);
  key->tangents = KG_TANGENT_ALIGNED;
  key->interpolation = a->interpolation = KG_INTERPOLATE_BEZIER;
}

/* Before a key is put between keys place - 1 and place: what would follow the new neighbour is made to stay. */
static void
prepare_neighbours (const KgChannel *channel, KgKey *keys, gsize n, gsize place)
{
  const gsize first = place > 2 ? place - 2 : 0, last = MIN (place + 1, n);
  gsize count;
  const KgKey *original = kg_channel_get_keys (channel, &count);

  for (gsize i = place > 0 ? place - 1 : 0; i < MIN (place + 1, n); i++) {
    double length;

    if (keys[i].tangents == KG_TANGENT_AUTO &&
        (is_smooth (original, n, i, KG_KEY_IN, &length) || is_smooth (original, n, i, KG_KEY_OUT, &length)))
      freeze (channel, i, &keys[i]);
  }
  for (gsize i = first; i < last && i + 1 < n; i++)
    if (original[i].interpolation == KG_INTERPOLATE_TCB) {
      freeze (channel, i, &keys[i]);
      freeze (channel, i + 1, &keys[i + 1]);
      keys[i].interpolation = KG_INTERPOLATE_BEZIER;
    }
}

KgChannel *
kg_key_edit_insert (const KgChannel *channel, GByteArray *marks, double at)
{
  const guint width = kg_channel_get_width (channel);
  gsize n, place = 0;
  const KgKey *original = kg_channel_get_keys (channel, &n);
  g_autofree KgKey *keys = g_new (KgKey, n + 1);
  KgKey key;
  KgChannel *made;

  memset (marks->data, 0, marks->len);
  while (place < n && original[place].at <= at)
    place++;
  if (place > 0 && original[place - 1].at == at) {
    marks->data[place - 1] = (guint8) ((1 << width) - 1);
    return kg_channel_ref (channel);
  }
  memcpy (keys, original, n * sizeof *keys);
  kg_key_init (&key, at, 0);
  kg_channel_evaluate (channel, at, key.value);
  if (!kg_channel_is_rotation (channel))
    prepare_neighbours (channel, keys, n, place);
  if (place > 0 && place < n) {
    KgKey *before = &keys[place - 1];

    key.interpolation = before->interpolation;
    key.tension = before->tension;
    if (before->interpolation == KG_INTERPOLATE_BEZIER && !kg_channel_is_rotation (channel)) {
      freeze (channel, place - 1, before);
      freeze (channel, place, &keys[place]);
      subdivide (before, &keys[place], &key, width);
    }
  } else if (place == n && keys[n - 1].interpolation != KG_INTERPOLATE_LINEAR) {
    /* Beyond the end the last key leads on for the first time: straight on, as its extension did. */
    keys[n - 1].interpolation = KG_INTERPOLATE_LINEAR;
  }
  memmove (&keys[place + 1], &keys[place], (n - place) * sizeof *keys);
  keys[place] = key;
  made = with_keys (channel, keys, n + 1);
  if (made != channel) {
    g_byte_array_set_size (marks, (guint) (n + 1));
    memset (marks->data, 0, marks->len);
    marks->data[place] = (guint8) ((1 << width) - 1);
  }
  return made;
}

KgChannel *
kg_key_edit_delete (const KgChannel *channel, GByteArray *marks)
{
  GArray *items = items_new (channel, marks);
  guint kept = 0;

  for (guint i = 0; i < items->len; i++)
    if (ITEM (items, i)->marks == 0)
      *ITEM (items, kept++) = *ITEM (items, i);
  g_array_set_size (items, kept);
  return items_finish (items, channel, marks);
}

/* Settings of keys. */

KgChannel *
kg_key_edit_set_interpolation (const KgChannel *channel, const GByteArray *marks, KgInterpolation interpolation)
{
  gsize n;
  g_autofree KgKey *keys = dup_keys (channel, &n);

  for (gsize i = 0; i < n; i++)
    if (marks->data[i] != 0)
      keys[i].interpolation = interpolation;
  return with_keys (channel, keys, n);
}

static void
align (KgKey *key, bool has_in, bool has_out, bool flat, guint width)
{
  for (guint c = 0; c < width; c++) {
    const double in = key->in.reach > 0 ? -key->in.rise[c] / key->in.reach : 0;
    const double out = key->out.reach > 0 ? key->out.rise[c] / key->out.reach : 0;
    const double slope = flat ? 0 : has_in && has_out ? 0.5 * (in + out) : has_in ? in : out;

    key->in.rise[c] = -slope * key->in.reach;
    key->out.rise[c] = slope * key->out.reach;
  }
}

KgChannel *
kg_key_edit_set_tangents (const KgChannel *channel, const GByteArray *marks, KgKeyTangents tangents)
{
  const guint width = kg_channel_get_width (channel);
  gsize n;
  g_autofree KgKey *keys = dup_keys (channel, &n);

  for (gsize i = 0; i < n; i++) {
    KgKey *key = &keys[i];

    if (marks->data[i] == 0)
      continue;
    if (tangents == KG_KEY_TANGENTS_AUTO)
      key->tangents = KG_TANGENT_AUTO;
    else {
      get_handle (channel, i, KG_KEY_IN, &key->in);
      get_handle (channel, i, KG_KEY_OUT, &key->out);
      key->tangents = tangents == KG_KEY_TANGENTS_FREE ? KG_TANGENT_FREE : KG_TANGENT_ALIGNED;
      if (tangents != KG_KEY_TANGENTS_FREE)
        align (key, i > 0, i + 1 < n, tangents == KG_KEY_TANGENTS_FLAT, width);
    }
    key->interpolation = KG_INTERPOLATE_BEZIER;
  }
  return with_keys (channel, keys, n);
}

KgChannel *
kg_key_edit_set_tcb (const KgChannel *channel, const GByteArray *marks, double tension, double continuity, double bias)
{
  gsize n;
  g_autofree KgKey *keys = dup_keys (channel, &n);

  for (gsize i = 0; i < n; i++) {
    if (marks->data[i] == 0)
      continue;
    if (!isnan (tension))
      keys[i].tension = tension;
    if (!isnan (continuity))
      keys[i].continuity = continuity;
    if (!isnan (bias))
      keys[i].bias = bias;
  }
  return with_keys (channel, keys, n);
}

KgChannel *
kg_key_edit_set_extend (const KgChannel *channel, KgExtend before, KgExtend after)
{
  gsize n;
  const KgKey *keys = kg_channel_get_keys (channel, &n);

  return kg_channel_new_keys (kg_channel_get_width (channel), kg_channel_is_rotation (channel), keys, n, before, after,
                              NULL);
}

bool
kg_key_edit_get_handle (const KgChannel *channel, gsize index, guint component, KgKeySide side, double *reach,
                        double *rise)
{
  gsize n;
  const KgKey *keys = kg_channel_get_keys (channel, &n);
  KgHandle handle;
  double length;

  if (kg_channel_is_rotation (channel) || !is_smooth (keys, n, index, side, &length) || !(length > 0) ||
      keys[side == KG_KEY_IN ? index - 1 : index].interpolation == KG_INTERPOLATE_TCB)
    return false;
  get_handle (channel, index, side, &handle);
  *reach = handle.reach;
  *rise = handle.rise[component];
  return true;
}

KgChannel *
kg_key_edit_set_handle (const KgChannel *channel, gsize index, guint component, KgKeySide side, double reach,
                        double rise)
{
  const guint width = kg_channel_get_width (channel);
  gsize n;
  g_autofree KgKey *keys = dup_keys (channel, &n);
  KgKey *key = &keys[index];
  const bool aligned = key->tangents != KG_TANGENT_FREE;
  KgHandle *handle = side == KG_KEY_IN ? &key->in : &key->out, *other = side == KG_KEY_IN ? &key->out : &key->in;
  double factor;

  if (key->tangents == KG_TANGENT_AUTO)
    freeze (channel, index, key);
  else
    get_handle (channel, index, side, handle);
  /* One component is dragged; the others keep their slopes over the new reach. */
  reach = fmax (reach, MIN_REACH);
  factor = handle->reach > 0 ? reach / handle->reach : 1;
  for (guint c = 0; c < width; c++)
    handle->rise[c] *= factor;
  handle->reach = reach;
  handle->rise[component] = rise;
  if (aligned) {
    key->tangents = KG_TANGENT_ALIGNED;
    if (!(other->reach > 0))
      mirror_handle (key, side == KG_KEY_IN ? KG_KEY_OUT : KG_KEY_IN, width);
    other->rise[component] = -rise * other->reach / reach;
  }
  return with_keys (channel, keys, n);
}

/* Reducing. */

static double
difference_at (const KgChannel *a, const KgChannel *b, double at)
{
  double p[KG_CHANNEL_MAX_WIDTH], q[KG_CHANNEL_MAX_WIDTH], largest = 0;

  kg_channel_evaluate (a, at, p);
  kg_channel_evaluate (b, at, q);
  for (guint c = 0; c < kg_channel_get_width (a); c++)
    largest = fmax (largest, fabs (p[c] - q[c]));
  return largest;
}

/* Compared at the keys of a and between any two of them. */
static double
difference_along (const KgChannel *a, const KgChannel *b, guint steps)
{
  gsize n;
  const KgKey *keys = kg_channel_get_keys (a, &n);
  double largest = difference_at (a, b, keys[0].at);

  for (gsize i = 1; i < n; i++)
    for (guint k = 1; k <= steps + 1; k++)
      largest = fmax (largest, difference_at (a, b, kg_lerp (keys[i - 1].at, keys[i].at, k / (steps + 1.0))));
  return largest;
}

double
kg_key_edit_distance (const KgChannel *a, const KgChannel *b, guint steps)
{
  return fmax (difference_along (a, b, steps), difference_along (b, a, steps));
}

/* Takes key i out.  The tangents of its neighbours grow by the parts in which it divided the span: the inverse of
 * subdividing.  Automatic ones would follow the neighbours that are left, not the curve: they are replaced by what they
 * were at first (frozen, as long as keys). */
static void
take_out (KgKey *keys, KgKey *frozen, gsize n, gsize i, guint width)
{
  KgKey *a = &keys[i - 1], *b = &keys[i + 1];
  const KgKey *key = &keys[i];
  const double length = b->at - a->at;
  const double sum = key->tangents != KG_TANGENT_AUTO ? key->in.reach + key->out.reach : 0;
  const double u = sum > 0 && key->in.reach > 0 && key->out.reach > 0 ? key->in.reach / sum
                                                                      : (key->at - a->at) / length;

  if (a->interpolation == KG_INTERPOLATE_BEZIER && key->interpolation == KG_INTERPOLATE_BEZIER) {
    const double out = 1 / u, in = 1 / (1 - u);

    if (a->tangents == KG_TANGENT_AUTO)
      *a = frozen[i - 1];
    if (b->tangents == KG_TANGENT_AUTO)
      *b = frozen[i + 1];
    a->out.reach *= out;
    b->in.reach *= in;
    for (guint c = 0; c < width; c++) {
      a->out.rise[c] *= out;
      b->in.rise[c] *= in;
    }
  }
  memmove (&keys[i], &keys[i + 1], (n - i - 1) * sizeof *keys);
  memmove (&frozen[i], &frozen[i + 1], (n - i - 1) * sizeof *frozen);
}

/* How many keys on either side a key can have an influence on, and how many more are needed to work that out. */
#define REACH 2
#define WINDOW 4

/* What the original curve is at its keys and at some places between them: the measure of what may go. */
typedef struct {
  guint width;
  GArray *places; /* double */
  GArray *values; /* width doubles for each */
} Samples;

static void
samples_init (Samples *samples, const KgChannel *channel)
{
  gsize n;
  const KgKey *keys = kg_channel_get_keys (channel, &n);
  double value[KG_CHANNEL_MAX_WIDTH];

  samples->width = kg_channel_get_width (channel);
  samples->places = g_array_new (FALSE, FALSE, sizeof (double));
  samples->values = g_array_new (FALSE, FALSE, sizeof (double));
  for (gsize i = 0; i + 1 < n; i++) {
    const double length = keys[i + 1].at - keys[i].at;
    const guint steps = (guint) kg_clamp (4 * ceil (length), 4, REDUCE_STEPS);

    for (guint k = 0; k < steps && length > 0; k++) {
      const double at = kg_lerp (keys[i].at, keys[i + 1].at, k / (double) steps);

      kg_channel_evaluate (channel, at, value);
      g_array_append_val (samples->places, at);
      g_array_append_vals (samples->values, value, samples->width);
    }
  }
}

static void
samples_clear (Samples *samples)
{
  g_array_unref (samples->places);
  g_array_unref (samples->values);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Samples, samples_clear)

/* The largest distance of a channel from the samples from low to high; looks no further once it is beyond limit. */
static double
get_distance (const Samples *samples, const KgChannel *channel, double low, double high, double limit)
{
  const double *values = (const double *) (void *) samples->values->data;
  guint i = 0, end = samples->places->len;
  double value[KG_CHANNEL_MAX_WIDTH], largest = 0;

  while (i < end) {
    const guint middle = (i + end) / 2;

    if (g_array_index (samples->places, double, middle) < low)
      i = middle + 1;
    else
      end = middle;
  }
  for (; i < samples->places->len && largest <= limit; i++) {
    const double at = g_array_index (samples->places, double, i);

    if (at > high)
      break;
    kg_channel_evaluate (channel, at, value);
    for (guint c = 0; c < samples->width; c++)
      largest = fmax (largest, fabs (value[c] - values[i * samples->width + c]));
  }
  return largest;
}

/* How far the curve would leave the original if key i went. */
static double
get_cost (const KgChannel *original, const Samples *samples, const KgKey *keys, const KgKey *frozen, gsize n, gsize i,
          double limit)
{
  const gsize start = i > WINDOW ? i - WINDOW : 0, end = MIN (i + WINDOW + 1, n);
  const double low = keys[i > REACH ? i - REACH : 0].at, high = keys[MIN (i + REACH, n - 1)].at;
  KgKey window[2 * WINDOW + 1], window_frozen[2 * WINDOW + 1];
  g_autoptr (KgChannel) without = NULL;

  memcpy (window, &keys[start], (end - start) * sizeof *window);
  memcpy (window_frozen, &frozen[start], (end - start) * sizeof *window);
  take_out (window, window_frozen, end - start, i - start, samples->width);
  without = with_keys (original, window, end - start - 1);
  /* Handles that grew beyond the finite numbers. */
  if (without == original)
    return INFINITY;
  return get_distance (samples, without, low, high, limit);
}

KgChannel *
kg_key_edit_reduce (const KgChannel *channel, GByteArray *marks, double tolerance)
{
  const guint width = kg_channel_get_width (channel);
  gsize n;
  g_autofree KgKey *keys = dup_keys (channel, &n);
  g_autofree KgKey *frozen = dup_keys (channel, &n);
  g_autofree double *costs = g_new0 (double, n);
  g_autofree bool *stale = g_new (bool, n);
  g_auto (Samples) samples = { 0 };
  KgChannel *made;

  samples_init (&samples, channel);
  for (gsize i = 0; i < n; i++) {
    stale[i] = true;
    if (!kg_channel_is_rotation (channel))
      freeze (channel, i, &frozen[i]);
  }
  while (n > 2) {
    gsize best = 0;

    for (gsize i = 1; i + 1 < n; i++)
      if (marks->data[i] != 0 && keys[i - 1].at < keys[i].at && keys[i].at < keys[i + 1].at &&
          (best == 0 || costs[i] < costs[best]))
        best = i;
    if (best == 0 || !(costs[best] <= tolerance))
      break;
    /* Costs hardly ever fall when a neighbour goes: the old one says which key to look at first. */
    if (stale[best]) {
      costs[best] = get_cost (channel, &samples, keys, frozen, n, best, tolerance);
      stale[best] = false;
      continue;
    }
    take_out (keys, frozen, n, best, width);
    memmove (&costs[best], &costs[best + 1], (n - best - 1) * sizeof *costs);
    memmove (&stale[best], &stale[best + 1], (n - best - 1) * sizeof *stale);
    memmove (&marks->data[best], &marks->data[best + 1], n - best - 1);
    n--;
    for (gsize i = best > WINDOW ? best - WINDOW : 0; i < MIN (best + WINDOW, n); i++)
      stale[i] = true;
  }
  made = with_keys (channel, keys, n);
  g_byte_array_set_size (marks, (guint) n);
  return made;
}
