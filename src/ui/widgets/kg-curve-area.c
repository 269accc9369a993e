/* kg-curve-area: the widget, its tracks, what is selected, and edits of that.  kg-curve-area-tools.c is the pointer and the
 * keyboard, kg-curve-area-draw.c draws.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-curve-area-private.h"
#include "kg-number.h"
#include "kg-plot.h"

#include <glib/gi18n.h>
#include <math.h>

#define SMALL_HEIGHT 140
#define MIN_SPAN 1e-6
#define MAX_SPAN 1e9
#define LEAST_RISE 1e-11 /* of values that differ */

enum { TRACKS_CHANGED, SELECTION_CHANGED, N_SIGNALS };

static guint signals[N_SIGNALS];

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

KgCurveTrack *
kg_curve_area_edit_track (KgCurveArea *self, guint index)
{
  return (KgCurveTrack *) g_ptr_array_index (self->tracks, index);
}

GByteArray *
kg_curve_marks_copy (const GByteArray *marks)
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
    g_hash_table_insert (first, ((const KgCurveTrack *) g_ptr_array_index (tracks, i - 1))->at.node,
                         GUINT_TO_POINTER (i));
  return first;
}

typedef struct {
  KgCurveArea *area;
  GPtrArray *old;
  GHashTable *first; /* of the tracks in old, see index_tracks */
} Adding;

static void
add_track (const KgKeyed *keyed, KgChannel *channel, gpointer data)
{
  const Adding *adding = (const Adding *) data;
  GPtrArray *old = adding->old;
  KgCurveTrack *track = g_new0 (KgCurveTrack, 1);
  const guint place = GPOINTER_TO_UINT (g_hash_table_lookup (adding->first, keyed->node));

  track->at = *keyed;
  track->channel = kg_channel_ref (channel);
  for (guint i = place > 0 ? place - 1 : old->len; i < old->len; i++) {
    const KgCurveTrack *other = (const KgCurveTrack *) g_ptr_array_index (old, i);

    if (other->at.node != keyed->node)
      break;
    if (!kg_keyed_is_same (&other->at, keyed) ||
        kg_channel_get_width (other->channel) != kg_channel_get_width (channel))
      continue;
    track->hidden = other->hidden;
    track->marks = other->channel == channel ? kg_curve_marks_copy (other->marks) : carry_marks (other, channel);
  }
  if (track->marks == NULL)
    track->marks = kg_key_marks_new (channel, false);
  g_ptr_array_add (adding->area->tracks, track);
}

static bool
is_same_list (GPtrArray *a, GPtrArray *b)
{
  if (a->len != b->len)
    return false;
  for (guint i = 0; i < a->len; i++) {
    const KgCurveTrack *p = (const KgCurveTrack *) g_ptr_array_index (a, i);
    const KgCurveTrack *q = (const KgCurveTrack *) g_ptr_array_index (b, i);

    if (!kg_keyed_is_same (&p->at, &q->at) || kg_channel_get_width (p->channel) != kg_channel_get_width (q->channel))
      return false;
  }
  return true;
}

bool
kg_curve_area_is_selected (KgCurveArea *self, KgCurveSpot spot)
{
  const KgCurveTrack *track;

  if (spot.track >= self->tracks->len)
    return false;
  track = kg_curve_area_edit_track (self, spot.track);
  return spot.key < track->marks->len && (track->marks->data[spot.key] & 1 << spot.component);
}

/* (transfer full) As the inspector shows it; a change of a value has its sign. */
char *
kg_curve_track_dup_value (const KgCurveTrack *track, double value, bool change)
{
  g_autofree char *text = kg_number_format_unit (value, kg_curve_track_get_unit (track), false);

  return g_strconcat (change && value >= 0 ? "+" : "", text, NULL);
}

/* After any change of marks. */
void
kg_curve_area_selection_changed (KgCurveArea *self)
{
  if (self->has_active && !kg_curve_area_is_selected (self, self->active))
    self->has_active = false;
  for (guint t = 0; t < self->tracks->len && !self->has_active; t++) {
    const KgCurveTrack *track = kg_curve_area_edit_track (self, t);

    for (guint i = 0; i < track->marks->len && !self->has_active; i++)
      if (track->marks->data[i] != 0) {
        self->has_active = true;
        self->active = (KgCurveSpot){ t, i, (guint) g_bit_nth_lsf (track->marks->data[i], -1) };
      }
  }
  if (self->has_active) {
    const KgCurveTrack *track = kg_curve_area_edit_track (self, self->active.track);
    gsize n;
    const KgKey *key = kg_channel_get_keys (track->channel, &n) + self->active.key;
    g_autofree char *value = kg_curve_track_dup_value (track, key->value[self->active.component], false);
    g_autofree char *name = kg_keyed_dup_name (&track->at);
    g_autofree char *text = g_strdup_printf (
        /* For screen readers: node, input, component, number of the key and how many there are, frame (or seconds, or
           phase), value. */
        self->is_motion ? _ ("%s %s %s: key %d of %d, at %g, value %s")
                        : _ ("%s %s %s: key %d of %d, frame %g, value %s"),
        kg_node_get_name (track->at.node), name, kg_curve_track_get_component (track, self->active.component),
        (int) self->active.key + 1, (int) n, key->at, value);

    gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
  } else
    gtk_accessible_reset_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
  g_signal_emit (self, signals[SELECTION_CHANGED], 0);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
kg_curve_area_update_tracks (KgCurveArea *self)
{
  g_autoptr (GPtrArray) old = NULL;
  g_autoptr (GHashTable) first = NULL;
  Adding adding;
  bool same;

  if (self->applying)
    return;
  old = g_steal_pointer (&self->tracks);
  self->tracks = g_ptr_array_new_with_free_func (track_free);
  first = index_tracks (old);
  adding = (Adding){ self, old, first };
  if (self->only != NULL && kg_node_get_parent (self->only) != NULL &&
      self->only_slot < kg_node_get_n_slots (self->only) &&
      kg_node_get_source (self->only, self->only_slot)->kind == KG_SOURCE_KEYS) {
    const KgKeyed only = { self->only, self->only_slot, -1, -1 };

    add_track (&only, kg_node_get_source (self->only, self->only_slot)->keys, &adding);
  } else if (self->only != NULL && kg_node_get_parent (self->only) != NULL &&
             self->only_slot < kg_node_get_n_slots (self->only))
    kg_keyed_each (self->only, self->only_slot, add_track, &adding);
  for (guint i = 0; self->only == NULL && i < kg_document_get_n_selected (self->document); i++) {
    KgNode *node = kg_document_get_selected (self->document, i);

    for (guint s = 0; s < kg_node_get_n_slots (node); s++)
      kg_keyed_each (node, s, add_track, &adding);
  }
  same = is_same_list (old, self->tracks);
  /* What was being dragged no longer exists. */
  if (!same && self->gesture != KG_CURVE_GESTURE_NONE)
    kg_curve_area_forget_gesture (self);
  if (!same) {
    self->fitted = false;
    self->has_active = false;
    g_signal_emit (self, signals[TRACKS_CHANGED], 0);
  }
  kg_curve_area_selection_changed (self);
}

const char *
kg_curve_track_get_component (const KgCurveTrack *track, guint component)
{
  static const char *const axes[] = { "x", "y", "z", "w" }, *const colors[] = { "r", "g", "b", "a" };
  static const char *const parts[] = { "w", "x", "y", "z" };
  const KgSlot *slot = kg_node_get_slot (track->at.node, track->at.slot);

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
  return kg_channel_is_rotation (track->channel) ? KG_UNIT_NONE
                                                 : kg_node_get_slot (track->at.node, track->at.slot)->unit;
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
  const KgCurveTrack *track = kg_curve_area_edit_track (self, index);

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
  return kg_curve_area_edit_track (self, index);
}

bool
kg_curve_track_is_shown (const KgCurveTrack *track, guint component)
{
  return !(track->hidden & 1 << component);
}

KgUnit
kg_curve_area_get_unit (KgCurveArea *self)
{
  KgUnit unit = KG_UNIT_NONE;
  bool any = false;

  for (guint t = 0; t < self->tracks->len; t++) {
    const KgCurveTrack *track = kg_curve_area_edit_track (self, t);
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
  KgCurveTrack *track = kg_curve_area_edit_track (self, index);

  track->hidden = hidden;
  /* Hidden curves must not be edited by accident. */
  for (guint i = 0; i < track->marks->len; i++)
    track->marks->data[i] &= (guint8) ~hidden;
  kg_curve_area_selection_changed (self);
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

bool
kg_curve_area_has_selection (KgCurveArea *self)
{
  for (guint t = 0; t < self->tracks->len; t++)
    if (kg_key_marks_count (kg_curve_area_edit_track (self, t)->marks) > 0)
      return true;
  return false;
}

void
kg_curve_area_select_nothing (KgCurveArea *self)
{
  for (guint t = 0; t < self->tracks->len; t++) {
    GByteArray *marks = kg_curve_area_edit_track (self, t)->marks;

    memset (marks->data, 0, marks->len);
  }
}

void
kg_curve_area_select_spot (KgCurveArea *self, KgCurveSpot spot, bool add)
{
  if (!add)
    kg_curve_area_select_nothing (self);
  kg_curve_area_edit_track (self, spot.track)->marks->data[spot.key] |= (guint8) (1 << spot.component);
  self->has_active = true;
  self->active = spot;
  kg_curve_area_selection_changed (self);
}

void
kg_curve_area_select_all (KgCurveArea *self, bool all)
{
  for (guint t = 0; t < self->tracks->len; t++) {
    KgCurveTrack *track = kg_curve_area_edit_track (self, t);
    const guint8 mask = (guint8) (((1 << kg_channel_get_width (track->channel)) - 1) & ~track->hidden);

    memset (track->marks->data, all ? mask : 0, track->marks->len);
  }
  kg_curve_area_selection_changed (self);
}

/* The view. */

double
kg_curve_area_get_plot_width (KgCurveArea *self)
{
  return MAX (gtk_widget_get_width (GTK_WIDGET (self)) - KG_CURVE_GUTTER, 1);
}

double
kg_curve_area_get_plot_height (KgCurveArea *self)
{
  return MAX (gtk_widget_get_height (GTK_WIDGET (self)) - KG_CURVE_RULER, 1);
}

double
kg_curve_area_to_x (KgCurveArea *self, double frame)
{
  /* Far outside is as good as very far outside, and cairo's numbers are small. */
  return kg_clamp (KG_CURVE_GUTTER +
                       (frame - self->left) / (self->right - self->left) * kg_curve_area_get_plot_width (self),
                   -30000, 30000);
}

double
kg_curve_area_to_y (KgCurveArea *self, double value)
{
  return kg_clamp (KG_CURVE_RULER +
                       (self->top - value) / (self->top - self->bottom) * kg_curve_area_get_plot_height (self),
                   -30000, 30000);
}

double
kg_curve_area_from_x (KgCurveArea *self, double x)
{
  return self->left + (x - KG_CURVE_GUTTER) / kg_curve_area_get_plot_width (self) * (self->right - self->left);
}

double
kg_curve_area_from_y (KgCurveArea *self, double y)
{
  return self->top - (y - KG_CURVE_RULER) / kg_curve_area_get_plot_height (self) * (self->top - self->bottom);
}

void
kg_curve_area_set_view (KgCurveArea *self, double left, double right, double bottom, double top)
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
    if (!kg_curve_track_is_shown (track, c))
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
    extend_bounds_by_track (&bounds, kg_curve_area_edit_track (self, t),
                            only_selected && kg_curve_area_has_selection (self));
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
  kg_curve_area_set_view (self, bounds.left - x, bounds.right + x, bounds.bottom - y, bounds.top + y);
  self->fitted = true;
}

void
kg_curve_area_zoom (KgCurveArea *self, double x, double y, double time_factor, double value_factor)
{
  const double frame = kg_curve_area_from_x (self, x), value = kg_curve_area_from_y (self, y);

  kg_curve_area_set_view (self, frame + (self->left - frame) * time_factor, frame + (self->right - frame) * time_factor,
                          value + (self->bottom - value) * value_factor, value + (self->top - value) * value_factor);
}

/* Where keys land: on whole frames; those of a motion on round places finer than a pixel. */
double
kg_curve_area_snap (KgCurveArea *self, double at)
{
  const double step = self->is_motion ? kg_plot_get_step (self->right - self->left, kg_curve_area_get_plot_width (self))
                                      : 1;

  return round (at / step) * step;
}

/* Where what happens without the pointer happens: at the current frame; motions have none. */
static double
get_current_place (KgCurveArea *self)
{
  return self->is_motion ? kg_curve_area_snap (self, 0.5 * (self->left + self->right))
                         : kg_document_get_frame (self->document);
}

/* Editing. */

void
kg_curve_area_set_hint (KgCurveArea *self, const char *hint)
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
  const KgSlot *slot = kg_node_get_slot (track->at.node, track->at.slot);
  KgGraph *graph = kg_node_get_parent (track->at.node);
  const guint width = kg_channel_get_width (track->channel);
  g_autoptr (GString) json = g_string_new (width > 1 ? "[" : NULL);
  double value[KG_CHANNEL_MAX_WIDTH];

  if (slot->kind == KG_MOTION)
    return kg_graph_reset (graph, track->at.node, slot->name, error);
  kg_channel_evaluate (track->channel, kg_document_get_frame (self->document), value);
  if (track->at.row >= 0)
    return kg_keyed_set_number (&track->at, value[0], error);
  for (guint c = 0; c < width; c++) {
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    g_ascii_dtostr (number, sizeof number, slot->kind == KG_INTEGER ? round (value[c]) : value[c]);
    g_string_append_printf (json, "%s%s", c > 0 ? ", " : "", number);
  }
  if (width > 1)
    g_string_append_c (json, ']');
  if (slot->kind == KG_BOOLEAN)
    g_string_assign (json, value[0] >= 0.5 ? "true" : "false");
  return kg_graph_set_json (graph, track->at.node, slot->name, json->str, NULL) ||
         kg_graph_reset (graph, track->at.node, slot->name, error);
}

/* Takes channel (NULL: no key is left) and marks. */
void
kg_curve_area_set_channel (KgCurveArea *self, KgCurveTrack *track, KgChannel *channel, GByteArray *marks)
{
  g_autoptr (GError) error = NULL;
  bool good;

  if (channel == NULL) {
    g_byte_array_unref (marks);
    good = set_constant (self, track, &error);
  } else {
    good = kg_keyed_set_channel (&track->at, channel, &error);
    if (good) {
      /* An equal channel is not stored: what the node has is what counts. */
      kg_channel_unref (track->channel);
      track->channel = kg_channel_ref (kg_keyed_get_channel (&track->at));
      g_byte_array_unref (track->marks);
      track->marks = marks;
    } else
      g_byte_array_unref (marks);
    kg_channel_unref (channel);
  }
  if (!good)
    kg_curve_area_set_hint (self, error->message);
}

KgGraph *
kg_curve_area_get_graph (KgCurveArea *self)
{
  return kg_document_get_graph (self->document);
}

void
kg_curve_area_edit (KgCurveArea *self, const char *label, KgCurveEdit edit, gpointer data)
{
  if (self->gesture != KG_CURVE_GESTURE_NONE)
    kg_curve_area_finish_gesture (self, false);
  kg_curve_area_set_hint (self, NULL);
  kg_graph_begin_group (kg_curve_area_get_graph (self), label);
  self->applying = true;
  for (guint t = 0; t < self->tracks->len; t++) {
    KgCurveTrack *track = kg_curve_area_edit_track (self, t);

    if (kg_key_marks_count (track->marks) > 0) {
      GByteArray *marks = kg_curve_marks_copy (track->marks);
      KgChannel *channel = edit (track->channel, marks, data);

      kg_curve_area_set_channel (self, track, channel, marks);
    }
  }
  self->applying = false;
  kg_graph_end_group (kg_curve_area_get_graph (self));
  kg_curve_area_update_tracks (self);
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
  KgCurveSpot active;

  if (!self->has_active)
    return;
  active = self->active;
  track = kg_curve_area_edit_track (self, active.track);
  time = frame - kg_channel_get_keys (track->channel, &n)[active.key].at;
  if (time == 0)
    return;
  kg_graph_begin_group (kg_curve_area_get_graph (self), _ ("Move keys"));
  marks = kg_curve_marks_copy (track->marks);
  self->applying = true;
  kg_curve_area_set_channel (self, track, kg_key_edit_place (track->channel, marks, active.key, frame), marks);
  for (guint t = 0; t < self->tracks->len; t++)
    if (t != active.track && kg_key_marks_count (kg_curve_area_edit_track (self, t)->marks) > 0) {
      GByteArray *others = kg_curve_marks_copy (kg_curve_area_edit_track (self, t)->marks);

      kg_curve_area_set_channel (self, kg_curve_area_edit_track (self, t),
                                 place_edit (kg_curve_area_edit_track (self, t)->channel, others, &time), others);
    }
  self->applying = false;
  kg_graph_end_group (kg_curve_area_get_graph (self));
  self->has_active = false;
  kg_curve_area_update_tracks (self);
}

void
kg_curve_area_set_extend (KgCurveArea *self, const KgExtend *before, const KgExtend *after)
{
  const bool any = kg_curve_area_has_selection (self);

  kg_graph_begin_group (kg_curve_area_get_graph (self), _ ("Extend curves"));
  self->applying = true;
  for (guint t = 0; t < self->tracks->len; t++) {
    KgCurveTrack *track = kg_curve_area_edit_track (self, t);
    KgExtend b, a;

    if (any && kg_key_marks_count (track->marks) == 0)
      continue;
    kg_channel_get_extend (track->channel, &b, &a);
    kg_curve_area_set_channel (
        self, track, kg_key_edit_set_extend (track->channel, before != NULL ? *before : b, after != NULL ? *after : a),
        kg_curve_marks_copy (track->marks));
  }
  self->applying = false;
  kg_graph_end_group (kg_curve_area_get_graph (self));
  kg_curve_area_update_tracks (self);
}

/* In one track, or in all (track -1). */
void
kg_curve_area_insert_at (KgCurveArea *self, int only, double frame)
{
  kg_curve_area_set_hint (self, NULL);
  kg_graph_begin_group (kg_curve_area_get_graph (self), _ ("Insert keys"));
  self->applying = true;
  kg_curve_area_select_nothing (self);
  for (guint t = 0; t < self->tracks->len; t++) {
    KgCurveTrack *track = kg_curve_area_edit_track (self, t);
    const guint8 all = (guint8) ((1 << kg_channel_get_width (track->channel)) - 1);

    if ((only < 0 && (track->hidden & all) != all) || only == (int) t) {
      GByteArray *marks = kg_curve_marks_copy (track->marks);
      KgChannel *channel = kg_key_edit_insert (track->channel, marks, frame);

      for (guint i = 0; i < marks->len; i++)
        marks->data[i] &= (guint8) ~track->hidden;
      kg_curve_area_set_channel (self, track, channel, marks);
    }
  }
  self->applying = false;
  kg_graph_end_group (kg_curve_area_get_graph (self));
  self->has_active = false;
  kg_curve_area_update_tracks (self);
}

void
kg_curve_area_insert (KgCurveArea *self)
{
  kg_curve_area_insert_at (self, self->has_active ? (int) self->active.track : -1, get_current_place (self));
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
  if (kg_curve_area_has_selection (self))
    kg_curve_area_edit (self, _ ("Delete keys"), delete_edit, NULL);
}

bool
kg_curve_area_get_handle_place (KgCurveArea *self, KgCurveSpot spot, KgKeySide side, double *x, double *y)
{
  const KgCurveTrack *track = kg_curve_area_edit_track (self, spot.track);
  gsize n;
  const KgKey *key = kg_channel_get_keys (track->channel, &n) + spot.key;
  double reach, rise;

  if (!kg_key_edit_get_handle (track->channel, spot.key, spot.component, side, &reach, &rise))
    return false;
  *x = kg_curve_area_to_x (self, key->at + (side == KG_KEY_IN ? -reach : reach));
  *y = kg_curve_area_to_y (self, key->value[spot.component] + rise);
  return true;
}

static void
kg_curve_area_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  KgCurveArea *self = KG_CURVE_AREA (widget);

  if (!self->fitted)
    kg_curve_area_fit (self, false);
  kg_curve_area_draw (self, snapshot);
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
    kg_curve_area_finish_gesture (self, true);
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
kg_curve_area_init (KgCurveArea *self)
{
  self->tracks = g_ptr_array_new_with_free_func (track_free);
  self->right = 100;
  self->top = 1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Curves"), -1);
  kg_curve_area_add_controllers (self);
}

static KgCurveArea *
new_area (KgDocument *document, KgNode *only, guint slot)
{
  KgCurveArea *self = KG_CURVE_AREA (g_object_new (KG_TYPE_CURVE_AREA, NULL));

  self->document = g_object_ref (document);
  self->only = only;
  self->only_slot = slot;
  self->is_motion = only != NULL && kg_node_get_slot (only, slot)->kind == KG_MOTION;
  g_signal_connect_swapped (document, "changed", G_CALLBACK (kg_curve_area_update_tracks), self);
  g_signal_connect_swapped (document, "selection-changed", G_CALLBACK (kg_curve_area_update_tracks), self);
  g_signal_connect_swapped (document, "frame-changed", G_CALLBACK (gtk_widget_queue_draw), self);
  kg_curve_area_update_tracks (self);
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
