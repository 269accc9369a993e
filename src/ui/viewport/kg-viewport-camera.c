/* kg-viewport-camera: the view and the cameras of the graph: looking through one, and moving it with the view.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-input-value.h"
#include "kg-viewport-private.h"

#include <glib/gi18n.h>

GPtrArray *
kg_viewport_list_cameras (KgViewport *self)
{
  return kg_stage_list_cameras (kg_document_get_graph (self->document));
}

KgNode *
kg_viewport_find_camera_node (KgViewport *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  KgGraph *root = kg_document_get_graph (self->document);
  KgNode *node;
  guint output;

  if (self->camera != NULL && kg_graph_find_output (root, self->camera, &node, &output, NULL))
    return node;
  return set != NULL && set->stage != NULL ? kg_stage_find_camera_node (root, set->stage) : NULL;
}

/* An input of a vector that can be set: a constant, or keys. */
static bool
get_vector (KgViewport *self, KgNode *node, const char *name, KgVector *vector)
{
  const int slot = kg_node_find_slot (node, name);
  g_auto (KgValue) value = KG_VALUE_INIT;

  if (slot < 0 || !kg_input_get_value (node, (guint) slot, kg_document_get_frame (self->document), &value) ||
      value.kind != KG_VECTOR)
    return false;
  *vector = value.vector;
  return true;
}

const char *
kg_viewport_find_lock_need (KgViewport *self)
{
  KgNode *node = kg_viewport_find_camera_node (self);
  KgVector position, target;

  if (node == NULL)
    return _ ("this needs a camera node: show a scene that has one (D on the canvas)");
  return get_vector (self, node, "position", &position) && get_vector (self, node, "target", &target)
             ? NULL
             : _ ("the camera is moved by a link or an expression: unlink its position and target");
}

void
kg_viewport_take_camera (KgViewport *self)
{
  KgNode *node = kg_viewport_find_camera_node (self);
  KgVector position, target;

  if (node == NULL || !get_vector (self, node, "position", &position) || !get_vector (self, node, "target", &target))
    return;
  self->side = NULL;
  kg_orbit_set_eye (&self->orbit, position, target);
}

/* No more digits than the eye can tell apart. */
static KgVector
round_to (KgVector v, double unit)
{
  return kg_vector (unit * round (v.x / unit), unit * round (v.y / unit), unit * round (v.z / unit));
}

static bool
set_vector (KgViewport *self, KgNode *node, const char *name, KgVector vector, GError **error)
{
  const KgValue value = kg_value_vector (vector);

  return kg_input_set_value (node, (guint) kg_node_find_slot (node, name), kg_document_get_frame (self->document),
                             &value, kg_document_get_auto_key (self->document), error);
}

bool
kg_viewport_place_camera (KgViewport *self, guint64 *step, GError **error)
{
  KgGraph *graph = kg_document_get_graph (self->document);
  KgNode *node = kg_viewport_find_camera_node (self);
  const double unit = pow (10, floor (log10 (self->orbit.distance)) - 3);
  bool done;

  if (node == NULL) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "%s", kg_viewport_find_lock_need (self));
    return false;
  }
  if (*step == 0 || !kg_graph_reopen_group (graph, *step))
    kg_graph_begin_group (graph, _ ("Move camera"));
  done = set_vector (self, node, "position", round_to (kg_orbit_get_eye (&self->orbit), unit), error) &&
         set_vector (self, node, "target", round_to (self->orbit.target, unit), error);
  kg_graph_close_group (graph, done);
  *step = done ? kg_graph_get_step (graph) : 0;
  return done;
}

void
kg_viewport_look_through (KgViewport *self, const char *camera)
{
  g_free (self->camera);
  self->camera = camera != NULL && *camera != '\0' ? g_strdup (camera) : NULL;
  if (self->camera == NULL || kg_viewport_shows_solid (kg_worker_get_result (self->worker))) {
    g_object_set (self, "scene-camera", self->camera != NULL, NULL);
    kg_viewport_emit_view_changed (self);
  } else {
    g_object_set (self, "scene-view", TRUE, NULL);
    self->from_scene = true;
    g_object_notify (G_OBJECT (self), "scene-camera");
    kg_viewport_emit_view_changed (self);
  }
}
