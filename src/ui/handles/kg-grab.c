/* kg-grab: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-grab.h"

#include "config.h"
#include "kg-handles-private.h"
#include "kg-input-value.h"

#include <glib/gi18n.h>

struct _KgGrab {
  KgDocument *document;
  bool recording;
  /* While something is held. */
  KgNode *node; /* (nullable) */
  char *path;   /* of the node, which may be deleted meanwhile */
  guint slots[3];
  double first, last; /* frames */
  /* What will be discarded. */
  guint n_steps;
  double earliest;
  guint64 serial, step; /* of the document after them, and the last of them */
  double shown;         /* the frame before this one */
};

/* In slots. */
enum { PLACE, NUMBER, HELD, N_INPUTS };

KgGrab *
kg_grab_new (KgDocument *document)
{
  KgGrab *self = g_new0 (KgGrab, 1);

  self->document = document;
  return self;
}

void
kg_grab_free (KgGrab *self)
{
  kg_grab_release (self);
  g_free (self);
}

void
kg_grab_set_recording (KgGrab *self, bool recording)
{
  self->recording = recording;
  if (recording)
    self->n_steps = 0;
}

bool
kg_grab_get_recording (KgGrab *self)
{
  return self->recording;
}

bool
kg_grab_is_holding (KgGrab *self)
{
  return self->node != NULL;
}

/* Keys between the frame that was held last and this one are written over, and what says here that another point is held,
 * or none. */
static bool
remove_keys (KgGrab *self, double frame, GError **error)
{
  for (int i = 0; i < N_INPUTS; i++) {
    double none, next;

    while (kg_input_find_keys (self->node, self->slots[i], self->last, &none, &next), next < frame)
      if (!kg_input_remove_key (self->node, self->slots[i], next, error))
        return false;
    if (i != PLACE && frame > self->first && !kg_input_remove_key (self->node, self->slots[i], frame, error))
      return false;
  }
  return true;
}

static bool
set_key (KgGrab *self, int input, double frame, KgValue value, GError **error)
{
  return kg_input_set_key (self->node, self->slots[input], frame, &value, error);
}

/* The previous value holds until the frame before. */
static bool
keep_before (KgGrab *self, double frame, GError **error)
{
  for (int i = 0; i < N_INPUTS; i++) {
    g_auto (KgValue) value = KG_VALUE_INIT;

    if (!kg_input_get_value (self->node, self->slots[i], frame - 1, &value) ||
        !kg_input_set_key (self->node, self->slots[i], frame - 1, &value, error))
      return false;
  }
  return true;
}

static bool
begin (KgGrab *self, const KgGrip *grip, GError **error)
{
  const char *on = kg_node_get_slot (grip->node, grip->slot)->handle.on;
  const int number = kg_handles_get_anchor (grip->node, grip->slot);
  const int held = on != NULL ? kg_node_find_slot (grip->node, on) : -1;
  const double frame = kg_document_get_frame (self->document);
  const KgFrames frames = kg_graph_get_frames (kg_document_get_graph (self->document));

  if (number < 0 || held < 0)
    return false;
  for (int i = 0; i < N_INPUTS; i++) {
    const guint slot = i == PLACE ? grip->slot : i == NUMBER ? (guint) number : (guint) held;

    if (!kg_handles_check_free (grip->node, slot, error))
      return false;
    self->slots[i] = slot;
  }
  self->node = grip->node;
  self->path = kg_node_dup_path (grip->node);
  kg_graph_begin_group (kg_document_get_graph (self->document), _ ("Drag figure"));
  kg_document_set_dragged (self->document, true);
  self->first = self->last = frame;
  return (frame <= frames.start || keep_before (self, frame, error)) &&
         set_key (self, NUMBER, frame, kg_value_integer (grip->row), error) &&
         set_key (self, HELD, frame, kg_value_boolean (true), error);
}

bool
kg_grab_hold (KgGrab *self, const KgGrip *grip, KgVector to, GError **error)
{
  const double frame = kg_document_get_frame (self->document);

  /* Played round to the start again. */
  if (self->node != NULL && (self->node != grip->node || frame < self->last))
    kg_grab_release (self);
  if (self->node == NULL && !begin (self, grip, error)) {
    kg_grab_release (self);
    return false;
  }
  if (!remove_keys (self, frame, error) || !set_key (self, PLACE, frame, kg_value_vector (to), error))
    return false;
  self->last = frame;
  return true;
}

void
kg_grab_release (KgGrab *self)
{
  KgGraph *graph = kg_document_get_graph (self->document);
  const KgFrames frames = kg_graph_get_frames (graph);
  const guint64 before = kg_graph_get_step (graph);

  if (self->node == NULL)
    return;
  if (self->last < frames.end && kg_graph_find_path (graph, self->path) == self->node)
    set_key (self, HELD, self->last + 1, kg_value_boolean (false), NULL);
  kg_graph_end_group (graph);
  kg_document_set_dragged (self->document, false);
  self->node = NULL;
  g_clear_pointer (&self->path, g_free);
  /* Nothing changed: no step to undo. */
  if (self->recording || kg_graph_get_step (graph) == before)
    return;
  if (self->n_steps == 0 || self->first < self->earliest)
    self->earliest = self->first;
  self->n_steps++;
  self->serial = kg_document_get_serial (self->document);
  self->step = kg_graph_get_step (graph);
}

void
kg_grab_frame_changed (KgGrab *self)
{
  KgGraph *graph = kg_document_get_graph (self->document);
  const double frame = kg_document_get_frame (self->document), before = self->shown;

  self->shown = frame;
  if (self->node != NULL || self->n_steps == 0)
    return;
  if (kg_document_get_serial (self->document) != self->serial || kg_graph_get_step (graph) != self->step)
    self->n_steps = 0;
  /* Nothing precedes the first frame: returning to it is enough. */
  else if (frame < self->earliest || (frame == self->earliest && frame < before))
    for (; self->n_steps > 0; self->n_steps--)
      kg_graph_undo (graph);
}
