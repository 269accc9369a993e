/* kg-curve-area: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-curve-area.h"

#include "config.h"
#include "kg-number.h"
#include "kg-plot.h"

#include <glib/gi18n.h>
#include <math.h>

#define RULER 24.0 /* height of the strip with frames, where dragging scrubs */
#define GUTTER 58.0
#define SMALL_HEIGHT 140
#define DOT 4.0
#define CATCH 8.0 /* how near the pointer must be */
#define THRESHOLD 3.0
#define MIN_SPAN 1e-6
#define MAX_SPAN 1e9
#define LEAST_RISE 1e-11 /* of values that differ */

enum { TRACKS_CHANGED, SELECTION_CHANGED, N_SIGNALS };

static guint signals[N_SIGNALS];

typedef enum { GESTURE_NONE, GESTURE_MOVE, GESTURE_HANDLE, GESTURE_BOX, GESTURE_SCRUB, GESTURE_SCALE } Gesture;

typedef struct {
  guint track;
  gsize key;
  guint component;
} Spot;

typedef struct {
  KgChannel *channel;
  GByteArray *marks;
} Original;

struct _KgCurveArea {
  GtkWidget parent_instance;
  KgDocument *document;
  KgNode *only; /* (nullable) of a small one: the node, */
  guint only_slot;
  bool is_motion;    /* and whether places are not frames, but seconds or phases */
  GPtrArray *tracks; /* KgCurveTrack */
  double left, right, bottom, top;
  bool fitted; /* a view has been chosen for these tracks */

  bool has_active;
  Spot active;

  GtkGesture *drag;
  Gesture gesture;
  bool moved;           /* beyond the threshold: the group of undo is open where the gesture edits */
  bool armed;           /* S was pressed */
  GPtrArray *originals; /* Original, of each track, while a gesture edits */
  Spot spot;            /* under the pointer when it was pressed */
  bool was_selected;
  KgKeySide side;
  double press_x, press_y, x, y;
  double pan_left, pan_right, pan_bottom, pan_top;
  double pointer_x, pointer_y;
  bool pointer_inside;
  char *hint;
  bool pressed_twice;
  bool applying;
};

G_DEFINE_FINAL_TYPE (KgCurveArea, kg_curve_area, GTK_TYPE_WIDGET)

/* Tracks. */

static void
track_free (gpointer data)
{
  KgCurveTrack *track = (KgCurveTrack *) data;

  kg_channel_unref (track->channel);
  g_byte_array_unref (track->marks);
  g_free (track);
}

static void
original_free (gpointer data)
{
  Original *original = (Original *) data;

  kg_channel_unref (original->channel);
  g_byte_array_unref (original->marks);
  g_free (original);
}

static KgCurveTrack *
get_track (KgCurveArea *self, guint index)
{
  return (KgCurveTrack *) g_ptr_array_index (self->tracks, index);
}

static GByteArray *
copy_marks (const GByteArray *marks)
{
  GByteArray *copy = g_byte_array_sized_new (marks->len);

  return g_byte_array_append (copy, marks->data, marks->len);
}

/* The marks of an old channel for a new one that came from elsewhere (undo, the inspector): by place. */
static GByteArray *
carry_marks (const KgCurveTrack *old, const KgChannel *channel)
{
  GByteArray *marks = kg_key_marks_new (channel, false);
  gsize n, m;
  const KgKey *from = kg_channel_get_keys (old->channel, &n), *to = kg_channel_get_keys (channel, &m);

  if (n == m && n > 0) {
    memcpy (marks->data, old->marks->data, n);
    return marks;
  }
  for (gsize i = 0, k = 0; i < n && k < m;)
    if (from[i].at < to[k].at)
      i++;
    else if (from[i].at > to[k].at)
      k++;
    else
      marks->data[k++] = old->marks->data[i++];
  return marks;
}

/* (transfer full) Node -> the place of its first track, plus one; those of one node follow each other. */
static GHashTable *
index_tracks (GPtrArray *tracks)
{
  GHashTable *first = g_hash_table_new (NULL, NULL);

  for (guint i = tracks->len; i > 0; i--)
    g_hash_table_insert (first, ((const KgCurveTrack *) g_ptr_array_index (tracks, i - 1))->node, GUINT_TO_POINTER (i));
  return first;
}

/* first: of the tracks in old, see index_tracks. */
static void
add_track (KgCurveArea *self, GPtrArray *old, GHashTable *first, KgNode *node, guint slot, KgChannel *channel)
{
  KgCurveTrack *track = g_new0 (KgCurveTrack, 1);
  const guint place = GPOINTER_TO_UINT (g_hash_table_lookup (first, node));

  track->node = node;
  track->slot = slot;
  track->channel = kg_channel_ref (channel);
  for (guint i = place > 0 ? place - 1 : old->len; i < old->len; i++) {
    const KgCurveTrack *other = (const KgCurveTrack *) g_ptr_array_index (old, i);

    if (other->node != node)
      break;
    if (other->slot != slot || kg_channel_get_width (other->channel) != kg_channel_get_width (channel))
      continue;
    track->hidden = other->hidden;
    track->marks = other->channel == channel ? copy_marks (other->marks) : carry_marks (other, channel);
  }
  if (track->marks == NULL)
    track->marks = kg_key_marks_new (channel, false);
  g_ptr_array_add (self->tracks, track);
}

static bool
is_same_list (GPtrArray *a, GPtrArray *b)
{
  if (a->len != b->len)
    return false;
  for (guint i = 0; i < a->len; i++) {
    const KgCurveTrack *p = (const KgCurveTrack *) g_ptr_array_index (a, i);
    const KgCurveTrack *q = (const KgCurveTrack *) g_ptr_array_index (b, i);

    if (p->node != q->node || p->slot != q->slot ||
        kg_channel_get_width (p->channel) != kg_channel_get_width (q->channel))
      return false;
  }
  return true;
}

static bool
is_selected (KgCurveArea *self, Spot spot)
{
  const KgCurveTrack *track;

  if (spot.track >= self->tracks->len)
    return false;
  track = get_track (self, spot.track);
  return spot.key < track->marks->len && (track->marks->data[spot.key] & 1 << spot.component);
}

/* (transfer full) As the inspector shows it; a change of a value has its sign. */
static char *
dup_value (const KgCurveTrack *track, double value, bool change)
{
  g_autofree char *text = kg_number_format_unit (value, kg_curve_track_get_unit (track), false);

  return g_strconcat (change && value >= 0 ? "+" : "", text, NULL);
}

/* After any change of marks. */
static void
selection_changed (KgCurveArea *self)
{
  if (self->has_active && !is_selected (self, self->active))
    self->has_active = false;
  for (guint t = 0; t < self->tracks->len && !self->has_active; t++) {
    const KgCurveTrack *track = get_track (self, t);

    for (guint i = 0; i < track->marks->len && !self->has_active; i++)
      if (track->marks->data[i] != 0) {
        self->has_active = true;
        self->active = (Spot){ t, i, (guint) g_bit_nth_lsf (track->marks->data[i], -1) };
      }
  }
  if (self->has_active) {
    const KgCurveTrack *track = get_track (self, self->active.track);
    gsize n;
    const KgKey *key = kg_channel_get_keys (track->channel, &n) + self->active.key;
    g_autofree char *value = dup_value (track, key->value[self->active.component], false);
    g_autofree char *text = g_strdup_printf (
        /* For screen readers: node, input, component, number of the key and how many there are, frame (or seconds, or
           phase), value. */
        self->is_motion ? _ ("%s %s %s: key %d of %d, at %g, value %s")
                        : _ ("%s %s %s: key %d of %d, frame %g, value %s"),
        kg_node_get_name (track->node), kg_node_get_slot (track->node, track->slot)->name,
        kg_curve_track_get_component (track, self->active.component), (int) self->active.key + 1, (int) n, key->at,
        value);

    gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
  } else
    gtk_accessible_reset_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
  g_signal_emit (self, signals[SELECTION_CHANGED], 0);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void finish_gesture (KgCurveArea *self, bool cancel);
static void forget_gesture (KgCurveArea *self);

static void
update_tracks (KgCurveArea *self)
{
  g_autoptr (GPtrArray) old = NULL;
  g_autoptr (GHashTable) first = NULL;
  bool same;

  if (self->applying)
    return;
  old = g_steal_pointer (&self->tracks);
  self->tracks = g_ptr_array_new_with_free_func (track_free);
  first = index_tracks (old);
  if (self->only != NULL && kg_node_get_parent (self->only) != NULL &&
      self->only_slot < kg_node_get_n_slots (self->only) &&
      kg_node_get_source (self->only, self->only_slot)->kind == KG_SOURCE_KEYS)
    add_track (self, old, first, self->only, self->only_slot, kg_node_get_source (self->only, self->only_slot)->keys);
  for (guint i = 0; self->only == NULL && i < kg_document_get_n_selected (self->document); i++) {
    KgNode *node = kg_document_get_selected (self->document, i);

    for (guint s = 0; s < kg_node_get_n_slots (node); s++) {
      const KgSlot *slot = kg_node_get_slot (node, s);

      if (slot->role == KG_SLOT_INPUT && slot->kind != KG_MOTION &&
          kg_node_get_source (node, s)->kind == KG_SOURCE_KEYS)
        add_track (self, old, first, node, s, kg_node_get_source (node, s)->keys);
    }
  }
  same = is_same_list (old, self->tracks);
  /* What was being dragged is no longer here. */
  if (!same && self->gesture != GESTURE_NONE)
    forget_gesture (self);
  if (!same) {
    self->fitted = false;
    self->has_active = false;
    g_signal_emit (self, signals[TRACKS_CHANGED], 0);
  }
  selection_changed (self);
}

const char *
kg_curve_track_get_component (const KgCurveTrack *track, guint component)
{
  static const char *const axes[] = { "x", "y", "z", "w" }, *const colors[] = { "r", "g", "b", "a" };
  static const char *const parts[] = { "w", "x", "y", "z" };
  const KgSlot *slot = kg_node_get_slot (track->node, track->slot);

  if (kg_channel_get_width (track->channel) == 1)
    return "";
  return slot->kind == KG_COLOR                    ? colors[component]
         : kg_channel_is_rotation (track->channel) ? parts[component]
                                                   : axes[component];
}

KgUnit
kg_curve_track_get_unit (const KgCurveTrack *track)
{
  /* Keys of rotations are quaternions, and no angles. */
  return kg_channel_is_rotation (track->channel) ? KG_UNIT_NONE : kg_node_get_slot (track->node, track->slot)->unit;
}

GdkRGBA
kg_curve_area_get_color (KgCurveArea *self, guint index, guint component)
{
  static const GdkRGBA axes[] = {
    { 0.90f, 0.28f, 0.27f, 1 }, { 0.30f, 0.68f, 0.28f, 1 }, { 0.28f, 0.52f, 0.95f, 1 }, { 0.66f, 0.52f, 0.75f, 1 }
  };
  static const GdkRGBA singles[] = {
    { 0.93f, 0.55f, 0.14f, 1 }, { 0.12f, 0.66f, 0.66f, 1 }, { 0.68f, 0.40f, 0.90f, 1 },
    { 0.78f, 0.66f, 0.12f, 1 }, { 0.90f, 0.38f, 0.62f, 1 }, { 0.45f, 0.58f, 0.70f, 1 }
  };
  const KgCurveTrack *track = get_track (self, index);

  if (kg_channel_get_width (track->channel) == 1)
    return singles[index % G_N_ELEMENTS (singles)];
  /* The scalar part of a rotation comes first, and has the last colour. */
  return axes[kg_channel_is_rotation (track->channel) ? (component + 3) % 4 : component];
}

guint
kg_curve_area_get_n_tracks (KgCurveArea *self)
{
  return self->tracks->len;
}

const KgCurveTrack *
kg_curve_area_get_track (KgCurveArea *self, guint index)
{
  return get_track (self, index);
}

static bool
is_shown (const KgCurveTrack *track, guint component)
{
  return !(track->hidden & 1 << component);
}

KgUnit
kg_curve_area_get_unit (KgCurveArea *self)
{
  KgUnit unit = KG_UNIT_NONE;
  bool any = false;

  for (guint t = 0; t < self->tracks->len; t++) {
    const KgCurveTrack *track = get_track (self, t);
    const guint8 all = (guint8) ((1 << kg_channel_get_width (track->channel)) - 1);

    if ((track->hidden & all) == all)
      continue;
    if (any && kg_curve_track_get_unit (track) != unit)
      return KG_UNIT_NONE;
    unit = kg_curve_track_get_unit (track);
    any = true;
  }
  return unit;
}

void
kg_curve_area_set_hidden (KgCurveArea *self, guint index, guint8 hidden)
{
  KgCurveTrack *track = get_track (self, index);

  track->hidden = hidden;
  /* What is not seen must not be edited by accident. */
  for (guint i = 0; i < track->marks->len; i++)
    track->marks->data[i] &= (guint8) ~hidden;
  selection_changed (self);
}

bool
kg_curve_area_get_active (KgCurveArea *self, guint *track, gsize *key, guint *component)
{
  if (!self->has_active)
    return false;
  *track = self->active.track;
  *key = self->active.key;
  *component = self->active.component;
  return true;
}

static bool
has_selection (KgCurveArea *self)
{
  for (guint t = 0; t < self->tracks->len; t++)
    if (kg_key_marks_count (get_track (self, t)->marks) > 0)
      return true;
  return false;
}

static void
select_nothing (KgCurveArea *self)
{
  for (guint t = 0; t < self->tracks->len; t++) {
    GByteArray *marks = get_track (self, t)->marks;

    memset (marks->data, 0, marks->len);
  }
}

static void
select_spot (KgCurveArea *self, Spot spot, bool add)
{
  if (!add)
    select_nothing (self);
  get_track (self, spot.track)->marks->data[spot.key] |= (guint8) (1 << spot.component);
  self->has_active = true;
  self->active = spot;
  selection_changed (self);
}

void
kg_curve_area_select_all (KgCurveArea *self, bool all)
{
  for (guint t = 0; t < self->tracks->len; t++) {
    KgCurveTrack *track = get_track (self, t);
    const guint8 mask = (guint8) (((1 << kg_channel_get_width (track->channel)) - 1) & ~track->hidden);

    memset (track->marks->data, all ? mask : 0, track->marks->len);
  }
  selection_changed (self);
}

/* The view. */

static double
get_plot_width (KgCurveArea *self)
{
  return MAX (gtk_widget_get_width (GTK_WIDGET (self)) - GUTTER, 1);
}

static double
get_plot_height (KgCurveArea *self)
{
  return MAX (gtk_widget_get_height (GTK_WIDGET (self)) - RULER, 1);
}

static double
to_x (KgCurveArea *self, double frame)
{
  /* Far outside is as good as very far outside, and cairo's numbers are small. */
  return kg_clamp (GUTTER + (frame - self->left) / (self->right - self->left) * get_plot_width (self), -30000, 30000);
}

static double
to_y (KgCurveArea *self, double value)
{
  return kg_clamp (RULER + (self->top - value) / (self->top - self->bottom) * get_plot_height (self), -30000, 30000);
}

static double
from_x (KgCurveArea *self, double x)
{
  return self->left + (x - GUTTER) / get_plot_width (self) * (self->right - self->left);
}

static double
from_y (KgCurveArea *self, double y)
{
  return self->top - (y - RULER) / get_plot_height (self) * (self->top - self->bottom);
}

static void
set_view (KgCurveArea *self, double left, double right, double bottom, double top)
{
  if (!isfinite (left) || !isfinite (right) || !isfinite (bottom) || !isfinite (top) || right - left < MIN_SPAN ||
      right - left > MAX_SPAN || top - bottom < MIN_SPAN * 1e-6 || top - bottom > MAX_SPAN * 1e6)
    return;
  self->left = left;
  self->right = right;
  self->bottom = bottom;
  self->top = top;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

typedef struct {
  double left, right, bottom, top;
  bool any;
} Bounds;

static void
extend_bounds (Bounds *bounds, double at, double value)
{
  if (!bounds->any)
    *bounds = (Bounds){ at, at, value, value, true };
  bounds->left = fmin (bounds->left, at);
  bounds->right = fmax (bounds->right, at);
  bounds->bottom = fmin (bounds->bottom, value);
  bounds->top = fmax (bounds->top, value);
}

static void
extend_bounds_by_track (Bounds *bounds, const KgCurveTrack *track, bool only_selected)
{
  gsize n;
  const KgKey *keys = kg_channel_get_keys (track->channel, &n);

  for (guint c = 0; c < kg_channel_get_width (track->channel); c++) {
    if (!is_shown (track, c))
      continue;
    for (gsize i = 0; i < n; i++)
      if (!only_selected || track->marks->data[i] & 1 << c)
        extend_bounds (bounds, keys[i].at, keys[i].value[c]);
    /* Curves leave the range of their keys between them. */
    for (int k = 1; !only_selected && k < 200; k++) {
      const double at = kg_lerp (keys[0].at, keys[n - 1].at, k / 200.0);
      double value[KG_CHANNEL_MAX_WIDTH];

      kg_channel_evaluate (track->channel, at, value);
      extend_bounds (bounds, at, value[c]);
    }
  }
}

void
kg_curve_area_fit (KgCurveArea *self, bool only_selected)
{
  const KgFrames frames = kg_graph_get_frames (kg_document_get_graph (self->document));
  Bounds bounds = { .any = false };
  double x, y;

  for (guint t = 0; t < self->tracks->len; t++)
    extend_bounds_by_track (&bounds, get_track (self, t), only_selected && has_selection (self));
  if (!bounds.any)
    bounds = (Bounds){ self->is_motion ? 0 : frames.start, self->is_motion ? 1 : frames.end, 0, 1, true };
  /* One place, or one value, up to rounding. */
  if (!(bounds.right - bounds.left > MIN_SPAN)) {
    const double around = self->is_motion ? 0.5 : 10;

    bounds.left -= around;
    bounds.right += around;
  }
  if (!(bounds.top - bounds.bottom > fmax (1e-9 * fmax (fabs (bounds.top), fabs (bounds.bottom)), LEAST_RISE))) {
    const double around = fmax (1, 0.1 * fabs (bounds.top));

    bounds.bottom -= around;
    bounds.top += around;
  }
  x = 0.05 * (bounds.right - bounds.left);
  y = 0.1 * (bounds.top - bounds.bottom);
  set_view (self, bounds.left - x, bounds.right + x, bounds.bottom - y, bounds.top + y);
  self->fitted = true;
}

static void
zoom (KgCurveArea *self, double x, double y, double time_factor, double value_factor)
{
  const double frame = from_x (self, x), value = from_y (self, y);

  set_view (self, frame + (self->left - frame) * time_factor, frame + (self->right - frame) * time_factor,
            value + (self->bottom - value) * value_factor, value + (self->top - value) * value_factor);
}

/* Where keys land: on whole frames; those of a motion on round places finer than a pixel. */
static double
snap_place (KgCurveArea *self, double at)
{
  const double step = self->is_motion ? kg_plot_get_step (self->right - self->left, get_plot_width (self)) : 1;

  return round (at / step) * step;
}

/* Where what happens without the pointer happens: at the current frame; motions have none. */
static double
get_current_place (KgCurveArea *self)
{
  return self->is_motion ? snap_place (self, 0.5 * (self->left + self->right)) : kg_document_get_frame (self->document);
}

/* Editing. */

static void
set_hint (KgCurveArea *self, const char *hint)
{
  if (g_strcmp0 (self->hint, hint) == 0)
    return;
  g_free (self->hint);
  self->hint = g_strdup (hint);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Without keys an input keeps the value that it had at the current frame. */
static bool
set_constant (KgCurveArea *self, const KgCurveTrack *track, GError **error)
{
  const KgSlot *slot = kg_node_get_slot (track->node, track->slot);
  KgGraph *graph = kg_node_get_parent (track->node);
  const guint width = kg_channel_get_width (track->channel);
  g_autoptr (GString) json = g_string_new (width > 1 ? "[" : NULL);
  double value[KG_CHANNEL_MAX_WIDTH];

  if (slot->kind == KG_MOTION)
    return kg_graph_reset (graph, track->node, slot->name, error);
  kg_channel_evaluate (track->channel, kg_document_get_frame (self->document), value);
  for (guint c = 0; c < width; c++) {
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    g_ascii_dtostr (number, sizeof number, slot->kind == KG_INTEGER ? round (value[c]) : value[c]);
    g_string_append_printf (json, "%s%s", c > 0 ? ", " : "", number);
  }
  if (width > 1)
    g_string_append_c (json, ']');
  if (slot->kind == KG_BOOLEAN)
    g_string_assign (json, value[0] >= 0.5 ? "true" : "false");
  return kg_graph_set_json (graph, track->node, slot->name, json->str, NULL) ||
         kg_graph_reset (graph, track->node, slot->name, error);
}

/* Takes channel (NULL: no key is left) and marks. */
static void
set_channel (KgCurveArea *self, KgCurveTrack *track, KgChannel *channel, GByteArray *marks)
{
  g_autoptr (GError) error = NULL;
  bool good;

  if (channel == NULL) {
    g_byte_array_unref (marks);
    good = set_constant (self, track, &error);
  } else {
    g_auto (KgSource) source = kg_source_keys (kg_channel_ref (channel));

    good = kg_graph_set_source (kg_node_get_parent (track->node), track->node, track->slot, &source, &error);
    if (good) {
      /* An equal channel is not stored: what the node has is what counts. */
      kg_channel_unref (track->channel);
      track->channel = kg_channel_ref (kg_node_get_source (track->node, track->slot)->keys);
      g_byte_array_unref (track->marks);
      track->marks = marks;
    } else
      g_byte_array_unref (marks);
    kg_channel_unref (channel);
  }
  if (!good)
    set_hint (self, error->message);
}

static KgGraph *
get_graph (KgCurveArea *self)
{
  return kg_document_get_graph (self->document);
}

void
kg_curve_area_edit (KgCurveArea *self, const char *label, KgCurveEdit edit, gpointer data)
{
  if (self->gesture != GESTURE_NONE)
    finish_gesture (self, false);
  set_hint (self, NULL);
  kg_graph_begin_group (get_graph (self), label);
  self->applying = true;
  for (guint t = 0; t < self->tracks->len; t++) {
    KgCurveTrack *track = get_track (self, t);

    if (kg_key_marks_count (track->marks) > 0) {
      GByteArray *marks = copy_marks (track->marks);
      KgChannel *channel = edit (track->channel, marks, data);

      set_channel (self, track, channel, marks);
    }
  }
  self->applying = false;
  kg_graph_end_group (get_graph (self));
  update_tracks (self);
}

static KgChannel *
place_edit (const KgChannel *channel, GByteArray *marks, gpointer data)
{
  return kg_key_edit_move (channel, marks, *(const double *) data, 0, false);
}

void
kg_curve_area_place (KgCurveArea *self, double frame)
{
  KgCurveTrack *track;
  GByteArray *marks;
  gsize n;
  double time;
  Spot active;

  if (!self->has_active)
    return;
  active = self->active;
  track = get_track (self, active.track);
  time = frame - kg_channel_get_keys (track->channel, &n)[active.key].at;
  if (time == 0)
    return;
  kg_graph_begin_group (get_graph (self), _ ("Move keys"));
  marks = copy_marks (track->marks);
  self->applying = true;
  set_channel (self, track, kg_key_edit_place (track->channel, marks, active.key, frame), marks);
  for (guint t = 0; t < self->tracks->len; t++)
    if (t != active.track && kg_key_marks_count (get_track (self, t)->marks) > 0) {
      GByteArray *others = copy_marks (get_track (self, t)->marks);

      set_channel (self, get_track (self, t), place_edit (get_track (self, t)->channel, others, &time), others);
    }
  self->applying = false;
  kg_graph_end_group (get_graph (self));
  self->has_active = false;
  update_tracks (self);
}

void
kg_curve_area_set_extend (KgCurveArea *self, const KgExtend *before, const KgExtend *after)
{
  const bool any = has_selection (self);

  kg_graph_begin_group (get_graph (self), _ ("Extend curves"));
  self->applying = true;
  for (guint t = 0; t < self->tracks->len; t++) {
    KgCurveTrack *track = get_track (self, t);
    KgExtend b, a;

    if (any && kg_key_marks_count (track->marks) == 0)
      continue;
    kg_channel_get_extend (track->channel, &b, &a);
    set_channel (self, track,
                 kg_key_edit_set_extend (track->channel, before != NULL ? *before : b, after != NULL ? *after : a),
                 copy_marks (track->marks));
  }
  self->applying = false;
  kg_graph_end_group (get_graph (self));
  update_tracks (self);
}

/* In one track, or in all (track -1). */
static void
insert_at (KgCurveArea *self, int only, double frame)
{
  set_hint (self, NULL);
  kg_graph_begin_group (get_graph (self), _ ("Insert keys"));
  self->applying = true;
  select_nothing (self);
  for (guint t = 0; t < self->tracks->len; t++) {
    KgCurveTrack *track = get_track (self, t);
    const guint8 all = (guint8) ((1 << kg_channel_get_width (track->channel)) - 1);

    if ((only < 0 && (track->hidden & all) != all) || only == (int) t) {
      GByteArray *marks = copy_marks (track->marks);
      KgChannel *channel = kg_key_edit_insert (track->channel, marks, frame);

      for (guint i = 0; i < marks->len; i++)
        marks->data[i] &= (guint8) ~track->hidden;
      set_channel (self, track, channel, marks);
    }
  }
  self->applying = false;
  kg_graph_end_group (get_graph (self));
  self->has_active = false;
  update_tracks (self);
}

void
kg_curve_area_insert (KgCurveArea *self)
{
  insert_at (self, self->has_active ? (int) self->active.track : -1, get_current_place (self));
}

static KgChannel *
delete_edit (const KgChannel *channel, GByteArray *marks, gpointer data)
{
  (void) data;
  return kg_key_edit_delete (channel, marks);
}

void
kg_curve_area_delete (KgCurveArea *self)
{
  if (has_selection (self))
    kg_curve_area_edit (self, _ ("Delete keys"), delete_edit, NULL);
}

void
kg_curve_area_arm_scale (KgCurveArea *self)
{
  self->armed = has_selection (self);
  set_hint (self, self->armed ? _ ("Drag sideways to scale times about the current frame, up or down to scale values "
                                   "about 0.  Escape: cancel")
                              : _ ("Select the keys to scale first"));
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), self->armed ? "move" : NULL);
  gtk_widget_grab_focus (GTK_WIDGET (self));
}

/* Gestures.  One that edits opens a group of undo with its first movement, computes everything from the channels as they
 * were then, and leaves one change for each track when it ends. */

static bool
edits (Gesture gesture)
{
  return gesture == GESTURE_MOVE || gesture == GESTURE_HANDLE || gesture == GESTURE_SCALE;
}

static const char *
get_label (Gesture gesture)
{
  return gesture == GESTURE_MOVE     ? _ ("Move keys")
         : gesture == GESTURE_HANDLE ? _ ("Change a tangent")
                                     : _ ("Scale keys");
}

static void
begin_edit (KgCurveArea *self)
{
  self->originals = g_ptr_array_new_with_free_func (original_free);
  for (guint t = 0; t < self->tracks->len; t++) {
    const KgCurveTrack *track = get_track (self, t);
    Original *original = g_new (Original, 1);

    original->channel = kg_channel_ref (track->channel);
    original->marks = copy_marks (track->marks);
    g_ptr_array_add (self->originals, original);
  }
  kg_graph_begin_group (get_graph (self), get_label (self->gesture));
}

static void
forget_gesture (KgCurveArea *self)
{
  if (self->originals != NULL)
    kg_graph_end_group (get_graph (self));
  g_clear_pointer (&self->originals, g_ptr_array_unref);
  self->gesture = GESTURE_NONE;
  self->moved = false;
  self->armed = false;
  set_hint (self, NULL);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), NULL);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
finish_gesture (KgCurveArea *self, bool cancel)
{
  if (self->originals != NULL) {
    g_autoptr (GPtrArray) last = g_ptr_array_new_with_free_func (original_free);

    self->applying = true;
    for (guint t = 0; t < self->tracks->len; t++) {
      KgCurveTrack *track = get_track (self, t);
      const Original *original = (const Original *) g_ptr_array_index (self->originals, t);
      Original *final = g_new (Original, 1);

      final->channel = kg_channel_ref (track->channel);
      final->marks = copy_marks (track->marks);
      g_ptr_array_add (last, final);
      kg_channel_unref (track->channel);
      track->channel = kg_channel_ref (original->channel);
      g_byte_array_unref (track->marks);
      track->marks = copy_marks (original->marks);
    }
    /* The steps on the way go; the last one is made again, alone. */
    kg_graph_cancel_group (get_graph (self));
    if (!cancel) {
      kg_graph_begin_group (get_graph (self), get_label (self->gesture));
      for (guint t = 0; t < self->tracks->len; t++) {
        const Original *final = (const Original *) g_ptr_array_index (last, t);

        if (!kg_channel_equal (final->channel, get_track (self, t)->channel))
          set_channel (self, get_track (self, t), kg_channel_ref (final->channel), copy_marks (final->marks));
      }
      kg_graph_end_group (get_graph (self));
    }
    self->applying = false;
    g_clear_pointer (&self->originals, g_ptr_array_unref);
  }
  forget_gesture (self);
  update_tracks (self);
}

/* Gives each track what the gesture makes of its original. */
static void
apply_gesture (KgCurveArea *self, KgCurveEdit edit, gpointer data)
{
  self->applying = true;
  for (guint t = 0; t < self->tracks->len; t++) {
    const Original *original = (const Original *) g_ptr_array_index (self->originals, t);

    if (kg_key_marks_count (original->marks) > 0) {
      GByteArray *marks = copy_marks (original->marks);
      KgChannel *channel = edit (original->channel, marks, data);

      set_channel (self, get_track (self, t), channel, marks);
    }
  }
  self->applying = false;
  self->has_active = false;
  selection_changed (self);
}

typedef struct {
  double time, value;
  bool snap;
} Motion;

static KgChannel *
move_edit (const KgChannel *channel, GByteArray *marks, gpointer data)
{
  const Motion *motion = (const Motion *) data;

  return kg_key_edit_move (channel, marks, motion->time, motion->value, motion->snap);
}

typedef struct {
  KgKeyScale scale;
  bool snap;
} Scaling;

static KgChannel *
scale_edit (const KgChannel *channel, GByteArray *marks, gpointer data)
{
  const Scaling *scaling = (const Scaling *) data;

  return kg_key_edit_scale (channel, marks, &scaling->scale, scaling->snap);
}

static void
drag_keys (KgCurveArea *self, double x, double y, GdkModifierType state)
{
  const Original *original = (const Original *) g_ptr_array_index (self->originals, self->spot.track);
  const double dx = x - self->press_x, dy = y - self->press_y;
  Motion motion = { .time = from_x (self, x) - from_x (self, self->press_x),
                    .value = from_y (self, y) - from_y (self, self->press_y),
                    .snap = !(state & GDK_CONTROL_MASK) };
  gsize n;
  const KgKey *keys = kg_channel_get_keys (original->channel, &n);
  g_autofree char *value = NULL, *hint = NULL;

  /* Shift: along one axis, the one of the larger movement. */
  if (state & GDK_SHIFT_MASK && fabs (dx) < fabs (dy))
    motion.time = 0;
  else if (state & GDK_SHIFT_MASK)
    motion.value = 0;
  /* The key under the pointer decides where the frames are; the others keep their distance to it. */
  if (motion.snap) {
    const double at = keys[self->spot.key].at;

    /* Values land on round numbers that are finer than a pixel. */
    const double places = -floor (log10 ((self->top - self->bottom) / get_plot_height (self)));
    const double fine = pow (10, fabs (places)), from = keys[self->spot.key].value[self->spot.component];
    const double target = from + motion.value;

    if (motion.value != 0)
      motion.value = (places > 0 ? round (target * fine) / fine : round (target / fine) * fine) - from;
    motion.time = motion.time != 0 ? snap_place (self, at + motion.time) - at : 0;
    motion.snap = false;
  }
  apply_gesture (self, move_edit, &motion);
  value = dup_value (get_track (self, self->spot.track), motion.value, true);
  hint =
      g_strdup_printf (self->is_motion ? _ ("place %+.4g, value %s") : _ ("frame %+.4g, value %s"), motion.time, value);
  set_hint (self, hint);
}

static void
drag_scale (KgCurveArea *self, double x, double y, GdkModifierType state)
{
  const double dx = x - self->press_x, dy = self->press_y - y;
  const bool time = fabs (dx) >= fabs (dy);
  /* 100 pixels double or undo it all: independent of where the drag began, so that the pivot may be anywhere.  Whole
     pixels: what the pointer is beyond them is noise, and would stand in the file. */
  const double factor = 1 + nearbyint (time ? dx : dy) / 100;
  const Scaling scaling = { .scale = { .time_pivot = self->is_motion ? 0 : kg_document_get_frame (self->document),
                                       .time_factor = time ? factor : 1,
                                       .value_pivot = 0,
                                       .value_factor = time ? 1 : factor },
                            .snap = !self->is_motion && !(state & GDK_CONTROL_MASK) };
  g_autofree char *hint = NULL;

  apply_gesture (self, scale_edit, (gpointer) &scaling);
  hint = g_strdup_printf (time ? _ ("times × %.3g") : _ ("values × %.3g"), factor);
  set_hint (self, hint);
}

static void
drag_handle (KgCurveArea *self, double x, double y)
{
  const Original *original = (const Original *) g_ptr_array_index (self->originals, self->spot.track);
  gsize n;
  const KgKey *key = kg_channel_get_keys (original->channel, &n) + self->spot.key;
  const double away = from_x (self, x) - key->at;
  const double rise = from_y (self, y) - key->value[self->spot.component];

  self->applying = true;
  set_channel (self, get_track (self, self->spot.track),
               kg_key_edit_set_handle (original->channel, self->spot.key, self->spot.component, self->side,
                                       self->side == KG_KEY_IN ? -away : away, rise),
               copy_marks (original->marks));
  self->applying = false;
  selection_changed (self);
}

static void
select_box (KgCurveArea *self, bool add)
{
  const double left = from_x (self, fmin (self->press_x, self->x)),
               right = from_x (self, fmax (self->press_x, self->x));
  const double bottom = from_y (self, fmax (self->press_y, self->y)),
               top = from_y (self, fmin (self->press_y, self->y));

  if (!add)
    select_nothing (self);
  for (guint t = 0; t < self->tracks->len; t++) {
    KgCurveTrack *track = get_track (self, t);
    gsize n;
    const KgKey *keys = kg_channel_get_keys (track->channel, &n);

    for (gsize i = 0; i < n; i++)
      for (guint c = 0; c < kg_channel_get_width (track->channel); c++)
        if (is_shown (track, c) && keys[i].at >= left && keys[i].at <= right && keys[i].value[c] >= bottom &&
            keys[i].value[c] <= top)
          track->marks->data[i] |= (guint8) (1 << c);
  }
  selection_changed (self);
}

static bool
find_key (KgCurveArea *self, double x, double y, Spot *spot)
{
  double nearest = CATCH;

  for (guint t = 0; t < self->tracks->len; t++) {
    const KgCurveTrack *track = get_track (self, t);
    gsize n;
    const KgKey *keys = kg_channel_get_keys (track->channel, &n);

    for (gsize i = 0; i < n; i++)
      for (guint c = 0; c < kg_channel_get_width (track->channel); c++) {
        const double distance = hypot (to_x (self, keys[i].at) - x, to_y (self, keys[i].value[c]) - y);

        /* Of keys that cover each other the selected one is meant. */
        if (is_shown (track, c) && (distance < nearest || (distance == nearest && track->marks->data[i] & 1 << c))) {
          nearest = distance;
          *spot = (Spot){ t, i, c };
        }
      }
  }
  return nearest < CATCH;
}

static bool
get_handle_place (KgCurveArea *self, Spot spot, KgKeySide side, double *x, double *y)
{
  const KgCurveTrack *track = get_track (self, spot.track);
  gsize n;
  const KgKey *key = kg_channel_get_keys (track->channel, &n) + spot.key;
  double reach, rise;

  if (!kg_key_edit_get_handle (track->channel, spot.key, spot.component, side, &reach, &rise))
    return false;
  *x = to_x (self, key->at + (side == KG_KEY_IN ? -reach : reach));
  *y = to_y (self, key->value[spot.component] + rise);
  return true;
}

static bool
find_handle (KgCurveArea *self, double x, double y, Spot *spot, KgKeySide *side)
{
  double nearest = CATCH;

  for (guint t = 0; t < self->tracks->len; t++) {
    const KgCurveTrack *track = get_track (self, t);

    for (guint i = 0; i < track->marks->len; i++)
      for (guint c = 0; c < kg_channel_get_width (track->channel) && track->marks->data[i] != 0; c++)
        for (int s = KG_KEY_IN; s <= KG_KEY_OUT && track->marks->data[i] & 1 << c; s++) {
          double hx, hy;

          if (get_handle_place (self, (Spot){ t, i, c }, (KgKeySide) s, &hx, &hy) && hypot (hx - x, hy - y) < nearest) {
            nearest = hypot (hx - x, hy - y);
            *spot = (Spot){ t, i, c };
            *side = (KgKeySide) s;
          }
        }
  }
  return nearest < CATCH;
}

/* The track whose curve is nearest above or below; -1. */
static int
find_curve (KgCurveArea *self, double x, double y)
{
  double nearest = G_MAXDOUBLE;
  int found = -1;

  for (guint t = 0; t < self->tracks->len; t++) {
    const KgCurveTrack *track = get_track (self, t);
    double value[KG_CHANNEL_MAX_WIDTH];

    kg_channel_evaluate (track->channel, from_x (self, x), value);
    for (guint c = 0; c < kg_channel_get_width (track->channel); c++) {
      const double distance = fabs (to_y (self, value[c]) - y);

      if (is_shown (track, c) && distance < nearest) {
        nearest = distance;
        found = (int) t;
      }
    }
  }
  return found;
}

static void
insert_at_pointer (KgCurveArea *self, double x, double y, GdkModifierType state)
{
  const int track = find_curve (self, x, y);
  const double frame = from_x (self, x);

  if (track >= 0)
    insert_at (self, track, state & GDK_CONTROL_MASK ? frame : snap_place (self, frame));
}

static GdkModifierType
get_state (GtkEventController *controller)
{
  return gtk_event_controller_get_current_event_state (controller);
}

static void
scrub (KgCurveArea *self, double x, GdkModifierType state)
{
  const KgFrames frames = kg_graph_get_frames (get_graph (self));
  const double frame = from_x (self, x);

  kg_document_set_frame (self->document,
                         kg_clamp (state & GDK_CONTROL_MASK ? frame : round (frame), frames.start, frames.end));
}

static void
on_drag_begin (GtkGestureDrag *drag, double x, double y, KgCurveArea *self)
{
  const GdkModifierType state = get_state (GTK_EVENT_CONTROLLER (drag));
  const bool add = state & GDK_SHIFT_MASK;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->press_x = self->x = x;
  self->press_y = self->y = y;
  self->moved = false;
  if (self->pressed_twice)
    return;
  if (self->armed) {
    self->gesture = GESTURE_SCALE;
    return;
  }
  if (y < RULER && !self->is_motion) {
    self->gesture = GESTURE_SCRUB;
    scrub (self, x, state);
  } else if (find_handle (self, x, y, &self->spot, &self->side))
    self->gesture = GESTURE_HANDLE;
  else if (find_key (self, x, y, &self->spot)) {
    self->gesture = GESTURE_MOVE;
    self->was_selected = is_selected (self, self->spot);
    if (!self->was_selected)
      select_spot (self, self->spot, add);
    else {
      self->active = self->spot;
      selection_changed (self);
    }
  } else {
    self->gesture = GESTURE_BOX;
    if (!add)
      kg_curve_area_select_all (self, false);
  }
}

static void
on_drag_update (GtkGestureDrag *drag, double dx, double dy, KgCurveArea *self)
{
  const GdkModifierType state = get_state (GTK_EVENT_CONTROLLER (drag));

  self->x = self->press_x + dx;
  self->y = self->press_y + dy;
  if (self->gesture == GESTURE_SCRUB) {
    scrub (self, self->x, state);
    return;
  }
  if (self->gesture == GESTURE_NONE || (!self->moved && hypot (dx, dy) < THRESHOLD))
    return;
  if (!self->moved) {
    self->moved = true;
    if (edits (self->gesture))
      begin_edit (self);
  }
  if (self->gesture == GESTURE_MOVE)
    drag_keys (self, self->x, self->y, state);
  else if (self->gesture == GESTURE_SCALE)
    drag_scale (self, self->x, self->y, state);
  else if (self->gesture == GESTURE_HANDLE)
    drag_handle (self, self->x, self->y);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_drag_end (GtkGestureDrag *drag, double dx, double dy, KgCurveArea *self)
{
  const bool add = get_state (GTK_EVENT_CONTROLLER (drag)) & GDK_SHIFT_MASK;

  (void) dx;
  (void) dy;
  if (self->gesture == GESTURE_NONE)
    return;
  if (self->gesture == GESTURE_BOX && self->moved)
    select_box (self, add);
  else if (self->gesture == GESTURE_MOVE && !self->moved && self->was_selected) {
    /* A click, not a drag. */
    if (add) {
      get_track (self, self->spot.track)->marks->data[self->spot.key] &= (guint8) ~(1 << self->spot.component);
      selection_changed (self);
    } else
      select_spot (self, self->spot, false);
  }
  finish_gesture (self, false);
}

static void
on_drag_cancel (GtkGesture *drag, GdkEventSequence *sequence, KgCurveArea *self)
{
  (void) drag;
  (void) sequence;
  if (self->gesture != GESTURE_NONE)
    finish_gesture (self, true);
}

static void
on_pressed (GtkGestureClick *click, int n_press, double x, double y, KgCurveArea *self)
{
  Spot spot;

  /* Comes before the drag that the same press begins. */
  self->pressed_twice = n_press == 2;
  if (n_press != 2 || y < RULER || self->tracks->len == 0 || find_key (self, x, y, &spot))
    return;
  if (self->gesture != GESTURE_NONE)
    finish_gesture (self, true);
  insert_at_pointer (self, x, y, get_state (GTK_EVENT_CONTROLLER (click)));
}

static void
on_pan_begin (GtkGestureDrag *drag, double x, double y, KgCurveArea *self)
{
  (void) drag;
  (void) x;
  (void) y;
  self->pan_left = self->left;
  self->pan_right = self->right;
  self->pan_bottom = self->bottom;
  self->pan_top = self->top;
}

static void
on_pan_update (GtkGestureDrag *drag, double dx, double dy, KgCurveArea *self)
{
  const double frames = dx / get_plot_width (self) * (self->pan_right - self->pan_left);
  const double values = dy / get_plot_height (self) * (self->pan_top - self->pan_bottom);

  (void) drag;
  set_view (self, self->pan_left - frames, self->pan_right - frames, self->pan_bottom + values, self->pan_top + values);
}

static gboolean
on_scroll (GtkEventControllerScroll *scroll, double dx, double dy, KgCurveArea *self)
{
  const GdkModifierType state = get_state (GTK_EVENT_CONTROLLER (scroll));
  const double factor = pow (1.15, dy != 0 ? dy : dx);

  /* A small one stands among others that the wheel scrolls through. */
  if (self->only != NULL && !(state & (GDK_SHIFT_MASK | GDK_CONTROL_MASK)))
    return FALSE;
  zoom (self, self->pointer_inside ? self->pointer_x : GUTTER + 0.5 * get_plot_width (self),
        self->pointer_inside ? self->pointer_y : RULER + 0.5 * get_plot_height (self),
        state & GDK_SHIFT_MASK ? 1 : factor, state & GDK_CONTROL_MASK ? 1 : factor);
  return TRUE;
}

static void
on_motion (GtkEventControllerMotion *motion, double x, double y, KgCurveArea *self)
{
  (void) motion;
  self->pointer_x = x;
  self->pointer_y = y;
  self->pointer_inside = true;
}

static void
on_leave (GtkEventControllerMotion *motion, KgCurveArea *self)
{
  (void) motion;
  self->pointer_inside = false;
}

/* The keyboard. */

/* The component that a step up or down leads to: the next one that is shown, in this track or another. */
static bool
find_other_curve (KgCurveArea *self, int direction, Spot *spot)
{
  int t = (int) spot->track, c = (int) spot->component;

  while (true) {
    c += direction;
    if (c < 0 || c >= (int) kg_channel_get_width (get_track (self, (guint) t)->channel)) {
      t += direction;
      if (t < 0 || t >= (int) self->tracks->len)
        return false;
      c = direction > 0 ? 0 : (int) kg_channel_get_width (get_track (self, (guint) t)->channel) - 1;
    }
    if (is_shown (get_track (self, (guint) t), (guint) c))
      break;
  }
  {
    gsize n, m, best = 0;
    const KgKey *from = kg_channel_get_keys (get_track (self, spot->track)->channel, &n);
    const KgKey *to = kg_channel_get_keys (get_track (self, (guint) t)->channel, &m);

    for (gsize i = 1; i < m; i++)
      if (fabs (to[i].at - from[spot->key].at) < fabs (to[best].at - from[spot->key].at))
        best = i;
    *spot = (Spot){ (guint) t, best, (guint) c };
  }
  return true;
}

static void
walk (KgCurveArea *self, int sideways, int down, bool add)
{
  Spot spot = { 0, 0, 0 };

  if (self->tracks->len == 0)
    return;
  if (!self->has_active) {
    while (spot.component + 1 < kg_channel_get_width (get_track (self, 0)->channel) &&
           !is_shown (get_track (self, 0), spot.component))
      spot.component++;
  } else {
    spot = self->active;
    if (sideways < 0 && spot.key > 0)
      spot.key--;
    else if (sideways > 0 && spot.key + 1 < get_track (self, spot.track)->marks->len)
      spot.key++;
    else if (down != 0)
      find_other_curve (self, down, &spot);
  }
  select_spot (self, spot, add);
}

/* Whether a step of the selected keys reaches one that is not selected, which it would replace. */
static bool
is_in_the_way (KgCurveArea *self, double step)
{
  for (guint t = 0; t < self->tracks->len; t++) {
    const KgCurveTrack *track = get_track (self, t);
    gsize n;
    const KgKey *keys = kg_channel_get_keys (track->channel, &n);

    for (gsize i = 0; i < n; i++) {
      const gsize next = step > 0 ? i + 1 : i - 1;

      /* Keys that are selected too make way. */
      if (track->marks->data[i] != 0 && next < n && track->marks->data[next] == 0 && keys[next].at != keys[i].at &&
          fabs (keys[next].at - keys[i].at) < fabs (step) + 1e-9)
        return true;
    }
  }
  return false;
}

static void
nudge (KgCurveArea *self, int sideways, int up)
{
  const double step = self->is_motion ? kg_plot_get_step (self->right - self->left, 100) : 1;
  Motion motion = { .time = sideways * step,
                    .value = up * kg_plot_get_step (self->top - self->bottom, 100),
                    .snap = false };

  if (!has_selection (self))
    return;
  if (sideways != 0 && is_in_the_way (self, motion.time))
    set_hint (self, _ ("Another key is next to it: drag to pass over that one"));
  else
    kg_curve_area_edit (self, _ ("Move keys"), move_edit, &motion);
}

static bool
press_arrow (KgCurveArea *self, int sideways, int down, GdkModifierType state)
{
  if (state & GDK_CONTROL_MASK)
    return false;
  if (state & GDK_ALT_MASK)
    nudge (self, sideways, -down);
  else
    walk (self, sideways, down, state & GDK_SHIFT_MASK);
  return true;
}

static bool
press_escape (KgCurveArea *self)
{
  if (self->gesture != GESTURE_NONE || self->armed) {
    finish_gesture (self, true);
    gtk_gesture_set_state (self->drag, GTK_EVENT_SEQUENCE_DENIED);
    return true;
  }
  if (!has_selection (self))
    return false;
  kg_curve_area_select_all (self, false);
  return true;
}

static gboolean
on_key_pressed (GtkEventControllerKey *controller, guint value, guint code, GdkModifierType state, KgCurveArea *self)
{
  const guint key = gdk_keyval_to_lower (value);

  (void) controller;
  (void) code;
  if (key == GDK_KEY_Escape)
    return press_escape (self);
  if (self->gesture == GESTURE_NONE && self->hint != NULL && !self->armed)
    set_hint (self, NULL);
  /* Whatever else is pressed during a drag would pull the keys from under it. */
  if (self->gesture != GESTURE_NONE)
    return TRUE;
  switch (key) {
  case GDK_KEY_Left:
    return press_arrow (self, -1, 0, state);
  case GDK_KEY_Right:
    return press_arrow (self, 1, 0, state);
  case GDK_KEY_Up:
    return press_arrow (self, 0, -1, state);
  case GDK_KEY_Down:
    return press_arrow (self, 0, 1, state);
  default:
    break;
  }
  if (key == GDK_KEY_a && state & GDK_CONTROL_MASK) {
    kg_curve_area_select_all (self, !(state & GDK_SHIFT_MASK));
    return TRUE;
  }
  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK))
    return FALSE;
  switch (key) {
  case GDK_KEY_a:
    kg_curve_area_fit (self, false);
    return TRUE;
  case GDK_KEY_f:
    kg_curve_area_fit (self, true);
    return TRUE;
  case GDK_KEY_i:
    if (self->pointer_inside && self->pointer_y > RULER)
      insert_at_pointer (self, self->pointer_x, self->pointer_y, state);
    else
      kg_curve_area_insert (self);
    return TRUE;
  case GDK_KEY_s:
    kg_curve_area_arm_scale (self);
    return TRUE;
  case GDK_KEY_Delete:
  case GDK_KEY_KP_Delete:
  case GDK_KEY_BackSpace:
    kg_curve_area_delete (self);
    return TRUE;
  case GDK_KEY_plus:
  case GDK_KEY_equal:
  case GDK_KEY_KP_Add:
  case GDK_KEY_minus:
  case GDK_KEY_KP_Subtract: {
    const double factor = key == GDK_KEY_minus || key == GDK_KEY_KP_Subtract ? 1.25 : 0.8;

    zoom (self, GUTTER + 0.5 * get_plot_width (self), RULER + 0.5 * get_plot_height (self), factor, factor);
    return TRUE;
  }
  default:
    return FALSE;
  }
}

/* Drawing. */

typedef struct {
  KgCurveArea *self;
  cairo_t *cr;
  PangoLayout *layout;
  GdkRGBA ink; /* the theme's colour of text: everything else follows from it */
  double width, height;
} Pen;

static void
set_ink (const Pen *pen, double alpha)
{
  cairo_set_source_rgba (pen->cr, pen->ink.red, pen->ink.green, pen->ink.blue, alpha);
}

static double
measure_text (const Pen *pen, const char *text)
{
  int width;

  pango_layout_set_text (pen->layout, text, -1);
  pango_layout_get_pixel_size (pen->layout, &width, NULL);
  return width;
}

/* x: of its left (align 0), middle (0.5) or right (1) end. */
static void
draw_text (const Pen *pen, double x, double y, double align, const char *text)
{
  const double width = measure_text (pen, text);
  int height;

  pango_layout_get_pixel_size (pen->layout, NULL, &height);
  cairo_move_to (pen->cr, round (x - align * width), round (y - 0.5 * height));
  pango_cairo_show_layout (pen->cr, pen->layout);
}

static void
draw_line (const Pen *pen, double x0, double y0, double x1, double y1)
{
  cairo_move_to (pen->cr, x0, y0);
  cairo_line_to (pen->cr, x1, y1);
  cairo_stroke (pen->cr);
}

static void
draw_grid (const Pen *pen)
{
  KgCurveArea *self = pen->self;
  const KgFrames frames = kg_graph_get_frames (get_graph (self));
  const double time = kg_plot_get_step (self->right - self->left, get_plot_width (self) / 70);
  const double value = kg_plot_get_step (self->top - self->bottom, get_plot_height (self) / 45);

  /* What is not part of the animation is darker. */
  if (!self->is_motion) {
    set_ink (pen, 0.06);
    cairo_rectangle (pen->cr, GUTTER, RULER, fmax (to_x (self, frames.start) - GUTTER, 0), pen->height - RULER);
    cairo_rectangle (pen->cr, fmax (to_x (self, frames.end), GUTTER), RULER, pen->width, pen->height - RULER);
    cairo_fill (pen->cr);
  }
  cairo_set_line_width (pen->cr, 1);
  for (double i = ceil (self->left / time); i * time <= self->right; i++) {
    const double x = floor (to_x (self, i * time)) + 0.5;

    set_ink (pen, 0.10);
    draw_line (pen, x, RULER, x, pen->height);
  }
  for (double i = ceil (self->bottom / value); i * value <= self->top; i++) {
    const double y = floor (to_y (self, i * value)) + 0.5;

    set_ink (pen, i == 0 ? 0.35 : 0.10);
    draw_line (pen, GUTTER, y, pen->width, y);
  }
}

static void
draw_axes (const Pen *pen)
{
  KgCurveArea *self = pen->self;
  const double time = kg_plot_get_step (self->right - self->left, get_plot_width (self) / 70);
  const double value = kg_plot_get_step (self->top - self->bottom, get_plot_height (self) / 45);
  /* Shares are read as per cent; other numbers stand without their unit. */
  const double shown = kg_number_get_factor (kg_curve_area_get_unit (self));
  char text[32];

  set_ink (pen, 0.08);
  cairo_rectangle (pen->cr, 0, 0, pen->width, RULER);
  cairo_fill (pen->cr);
  for (double i = ceil (self->left / time); i * time <= self->right; i++) {
    g_snprintf (text, sizeof text, "%.7g", i == 0 ? 0 : i * time);
    set_ink (pen, 0.75);
    /* Half a number would be another one. */
    if (to_x (self, i * time) + 0.5 * measure_text (pen, text) <= pen->width)
      draw_text (pen, to_x (self, i * time), 0.5 * RULER, 0.5, text);
  }
  for (double i = ceil (self->bottom / value); i * value <= self->top; i++) {
    const double y = to_y (self, i * value);

    g_snprintf (text, sizeof text, shown != 1 ? "%.6g %%" : "%.6g", i == 0 ? 0 : i * value * shown);
    set_ink (pen, 0.6);
    if (y > RULER + 8 && y < pen->height - 8)
      draw_text (pen, fmax (GUTTER - 6, measure_text (pen, text) + 2), y, 1, text);
  }
}

/* A stretch of the curve, sampled at every other pixel. */
static void
trace (const Pen *pen, const KgCurveTrack *track, guint component, double from, double to)
{
  KgCurveArea *self = pen->self;
  const double low = fmax (GUTTER, to_x (self, from)), high = fmin (pen->width, to_x (self, to));
  double value[KG_CHANNEL_MAX_WIDTH];

  for (double x = low; x < high; x += 2) {
    kg_channel_evaluate (track->channel, from_x (self, x), value);
    cairo_line_to (pen->cr, x, to_y (self, value[component]));
  }
}

static void
trace_span (const Pen *pen, const KgCurveTrack *track, guint component, const KgKey *key)
{
  KgCurveArea *self = pen->self;

  cairo_line_to (pen->cr, to_x (self, key->at), to_y (self, key->value[component]));
  if (key->interpolation == KG_INTERPOLATE_CONSTANT)
    cairo_line_to (pen->cr, to_x (self, key[1].at), to_y (self, key->value[component]));
  else if (key->interpolation != KG_INTERPOLATE_LINEAR || kg_channel_is_rotation (track->channel))
    trace (pen, track, component, key->at, key[1].at);
  cairo_line_to (pen->cr, to_x (self, key[1].at), to_y (self, key[1].value[component]));
}

static void
draw_curve (const Pen *pen, guint index, guint component)
{
  static const double dashes[] = { 4, 4 };
  KgCurveArea *self = pen->self;
  const KgCurveTrack *track = get_track (self, index);
  const GdkRGBA color = kg_curve_area_get_color (self, index, component);
  const bool active = self->has_active && self->active.track == index && self->active.component == component;
  gsize n;
  const KgKey *keys = kg_channel_get_keys (track->channel, &n);
  const double density = (double) n / fmax (keys[n - 1].at - keys[0].at, 1e-9) * (self->right - self->left);

  gdk_cairo_set_source_rgba (pen->cr, &color);
  cairo_set_line_width (pen->cr, active ? 2.2 : 1.4);
  if (density > 2 * get_plot_width (self))
    trace (pen, track, component, keys[0].at, keys[n - 1].at);
  else
    for (gsize i = 0; i + 1 < n; i++)
      if (keys[i + 1].at >= self->left && keys[i].at <= self->right)
        trace_span (pen, track, component, &keys[i]);
  cairo_stroke (pen->cr);
  /* Before and after the keys. */
  cairo_set_dash (pen->cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_set_line_width (pen->cr, 1);
  if (keys[0].at > self->left) {
    trace (pen, track, component, self->left, keys[0].at);
    cairo_line_to (pen->cr, to_x (self, keys[0].at), to_y (self, keys[0].value[component]));
    cairo_stroke (pen->cr);
  }
  if (keys[n - 1].at < self->right) {
    cairo_move_to (pen->cr, to_x (self, keys[n - 1].at), to_y (self, keys[n - 1].value[component]));
    trace (pen, track, component, keys[n - 1].at + 1e-9 * (self->right - self->left), self->right);
    cairo_stroke (pen->cr);
  }
  cairo_set_dash (pen->cr, NULL, 0, 0);
}

static void
draw_handles (const Pen *pen, Spot spot)
{
  KgCurveArea *self = pen->self;
  gsize n;
  const KgKey *key = kg_channel_get_keys (get_track (self, spot.track)->channel, &n) + spot.key;

  for (int side = KG_KEY_IN; side <= KG_KEY_OUT; side++) {
    double x, y;

    if (!get_handle_place (self, spot, (KgKeySide) side, &x, &y))
      continue;
    set_ink (pen, 0.55);
    cairo_set_line_width (pen->cr, 1);
    draw_line (pen, to_x (self, key->at), to_y (self, key->value[spot.component]), x, y);
    set_ink (pen, 0.9);
    cairo_arc (pen->cr, x, y, 3, 0, 2 * KG_PI);
    cairo_fill (pen->cr);
  }
}

static void
draw_keys (const Pen *pen, guint index, guint component)
{
  KgCurveArea *self = pen->self;
  const KgCurveTrack *track = get_track (self, index);
  const GdkRGBA color = kg_curve_area_get_color (self, index, component);
  double last_x = NAN, last_y = NAN;
  bool last_selected = false;
  gsize n;
  const KgKey *keys = kg_channel_get_keys (track->channel, &n);
  /* Dense keys are small ones, so that the curve is still seen. */
  const double distance = (to_x (self, keys[n - 1].at) - to_x (self, keys[0].at)) / (double) MAX (n - 1, 1);
  const double radius = n > 1 ? kg_clamp (0.4 * distance, 1, DOT) : DOT;

  for (gsize i = 0; i < n; i++) {
    const bool selected = track->marks->data[i] & 1 << component;
    const double x = round (to_x (self, keys[i].at)), y = round (to_y (self, keys[i].value[component]));

    /* Many keys on one pixel look like one. */
    if (x < GUTTER - DOT || x > pen->width + DOT || (x == last_x && y == last_y && selected == last_selected))
      continue;
    last_x = x;
    last_y = y;
    last_selected = selected;
    if (selected && radius > 0.5 * DOT)
      draw_handles (pen, (Spot){ index, i, component });
    cairo_arc (pen->cr, x, y, selected ? 1.25 * radius : radius, 0, 2 * KG_PI);
    if (selected)
      set_ink (pen, 1);
    else
      gdk_cairo_set_source_rgba (pen->cr, &color);
    cairo_fill_preserve (pen->cr);
    cairo_set_line_width (pen->cr, 0.35 * radius);
    gdk_cairo_set_source_rgba (pen->cr, &color);
    cairo_stroke (pen->cr);
    if (self->has_active && self->active.track == index && self->active.component == component &&
        self->active.key == i) {
      set_ink (pen, 0.9);
      cairo_arc (pen->cr, x, y, DOT + 4, 0, 2 * KG_PI);
      cairo_set_line_width (pen->cr, 1);
      cairo_stroke (pen->cr);
    }
  }
}

static void
draw_frame (const Pen *pen)
{
  KgCurveArea *self = pen->self;
  const double frame = kg_document_get_frame (self->document), x = floor (to_x (self, frame)) + 0.5;
  char text[32];
  int width, height;

  if (self->is_motion || x < GUTTER || x > pen->width)
    return;
  cairo_set_source_rgb (pen->cr, 0.20, 0.52, 0.89);
  cairo_set_line_width (pen->cr, 1);
  draw_line (pen, x, RULER, x, pen->height);
  g_snprintf (text, sizeof text, "%.7g", frame);
  pango_layout_set_text (pen->layout, text, -1);
  pango_layout_get_pixel_size (pen->layout, &width, &height);
  cairo_rectangle (pen->cr, x - 0.5 * width - 5, 2, width + 10, RULER - 4);
  cairo_fill (pen->cr);
  cairo_set_source_rgb (pen->cr, 1, 1, 1);
  draw_text (pen, x, 0.5 * RULER, 0.5, text);
}

static void
draw_overlay (const Pen *pen)
{
  KgCurveArea *self = pen->self;

  if (self->gesture == GESTURE_BOX && self->moved) {
    cairo_rectangle (pen->cr, floor (fmin (self->press_x, self->x)) + 0.5, floor (fmin (self->press_y, self->y)) + 0.5,
                     floor (fabs (self->x - self->press_x)), floor (fabs (self->y - self->press_y)));
    cairo_set_source_rgba (pen->cr, 0.20, 0.52, 0.89, 0.15);
    cairo_fill_preserve (pen->cr);
    cairo_set_source_rgb (pen->cr, 0.20, 0.52, 0.89);
    cairo_set_line_width (pen->cr, 1);
    cairo_stroke (pen->cr);
  }
  set_ink (pen, 0.85);
  if (self->tracks->len == 0)
    draw_text (pen, 0.5 * pen->width, 0.5 * pen->height, 0.5,
               _ ("No keys here.  Select a node whose inputs are keyed."));
  else if (self->hint != NULL)
    draw_text (pen, GUTTER + 8, pen->height - 12, 0, self->hint);
  if (gtk_widget_has_focus (GTK_WIDGET (self))) {
    cairo_rectangle (pen->cr, 0.5, 0.5, pen->width - 1, pen->height - 1);
    cairo_set_source_rgba (pen->cr, 0.20, 0.52, 0.89, 0.7);
    cairo_set_line_width (pen->cr, 1);
    cairo_stroke (pen->cr);
  }
}

static void
kg_curve_area_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  KgCurveArea *self = KG_CURVE_AREA (widget);
  const float width = (float) gtk_widget_get_width (widget), height = (float) gtk_widget_get_height (widget);
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, NULL);
  Pen pen = { .self = self, .layout = layout, .width = width, .height = height };

  if (!self->fitted)
    kg_curve_area_fit (self, false);
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &pen.ink);
  pen.cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  draw_grid (&pen);
  cairo_save (pen.cr);
  cairo_rectangle (pen.cr, GUTTER, RULER, width - GUTTER, height - RULER);
  cairo_clip (pen.cr);
  for (guint t = 0; t < self->tracks->len; t++)
    for (guint c = 0; c < kg_channel_get_width (get_track (self, t)->channel); c++)
      if (is_shown (get_track (self, t), c))
        draw_curve (&pen, t, c);
  for (guint t = 0; t < self->tracks->len; t++)
    for (guint c = 0; c < kg_channel_get_width (get_track (self, t)->channel); c++)
      if (is_shown (get_track (self, t), c))
        draw_keys (&pen, t, c);
  cairo_restore (pen.cr);
  draw_axes (&pen);
  draw_frame (&pen);
  draw_overlay (&pen);
  cairo_destroy (pen.cr);
}

static void
kg_curve_area_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                       int *minimum_baseline, int *natural_baseline)
{
  const bool small = KG_CURVE_AREA (widget)->only != NULL;

  (void) for_size;
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 120 : small ? SMALL_HEIGHT : 80;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? (small ? 240 : 640) : small ? SMALL_HEIGHT : 240;
  *minimum_baseline = *natural_baseline = -1;
}

static void
kg_curve_area_dispose (GObject *object)
{
  KgCurveArea *self = KG_CURVE_AREA (object);

  if (self->originals != NULL)
    finish_gesture (self, true);
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  g_clear_pointer (&self->tracks, g_ptr_array_unref);
  g_clear_pointer (&self->hint, g_free);
  G_OBJECT_CLASS (kg_curve_area_parent_class)->dispose (object);
}

static void
kg_curve_area_class_init (KgCurveAreaClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = kg_curve_area_dispose;
  widget_class->snapshot = kg_curve_area_snapshot;
  widget_class->measure = kg_curve_area_measure;
  gtk_widget_class_set_css_name (widget_class, "curves");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  signals[TRACKS_CHANGED] =
      g_signal_new ("tracks-changed", KG_TYPE_CURVE_AREA, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SELECTION_CHANGED] =
      g_signal_new ("selection-changed", KG_TYPE_CURVE_AREA, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
add_controllers (KgCurveArea *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkGesture *pan = gtk_gesture_drag_new (), *click = gtk_gesture_click_new ();
  GtkEventController *scroll = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *motion = gtk_event_controller_motion_new (), *key = gtk_event_controller_key_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();

  self->drag = gtk_gesture_drag_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (self->drag), GDK_BUTTON_PRIMARY);
  g_signal_connect (self->drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (self->drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (self->drag, "drag-end", G_CALLBACK (on_drag_end), self);
  g_signal_connect (self->drag, "cancel", G_CALLBACK (on_drag_cancel), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (self->drag));
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (pan), GDK_BUTTON_MIDDLE);
  g_signal_connect (pan, "drag-begin", G_CALLBACK (on_pan_begin), self);
  g_signal_connect (pan, "drag-update", G_CALLBACK (on_pan_update), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (pan));
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), self);
  gtk_widget_add_controller (widget, scroll);
  g_signal_connect (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave), self);
  gtk_widget_add_controller (widget, motion);
  g_signal_connect (key, "key-pressed", G_CALLBACK (on_key_pressed), self);
  gtk_widget_add_controller (widget, key);
  g_signal_connect_swapped (focus, "enter", G_CALLBACK (gtk_widget_queue_draw), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (gtk_widget_queue_draw), self);
  gtk_widget_add_controller (widget, focus);
}

static void
kg_curve_area_init (KgCurveArea *self)
{
  self->tracks = g_ptr_array_new_with_free_func (track_free);
  self->right = 100;
  self->top = 1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Curves"), -1);
  add_controllers (self);
}

static KgCurveArea *
new_area (KgDocument *document, KgNode *only, guint slot)
{
  KgCurveArea *self = KG_CURVE_AREA (g_object_new (KG_TYPE_CURVE_AREA, NULL));

  self->document = g_object_ref (document);
  self->only = only;
  self->only_slot = slot;
  self->is_motion = only != NULL && kg_node_get_slot (only, slot)->kind == KG_MOTION;
  g_signal_connect_swapped (document, "changed", G_CALLBACK (update_tracks), self);
  g_signal_connect_swapped (document, "selection-changed", G_CALLBACK (update_tracks), self);
  g_signal_connect_swapped (document, "frame-changed", G_CALLBACK (gtk_widget_queue_draw), self);
  update_tracks (self);
  return self;
}

KgCurveArea *
kg_curve_area_new (KgDocument *document)
{
  return new_area (document, NULL, 0);
}

KgCurveArea *
kg_curve_area_new_for_input (KgDocument *document, KgNode *node, guint slot)
{
  return new_area (document, node, slot);
}
