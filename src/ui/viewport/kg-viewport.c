/* kg-viewport: see the header.
 *
 * Pictures come from the worker.  What belongs around them is drawn by parts that know no widgets: kg-picture-view,
 * kg-scene-view, kg-value-view and kg-handle-view.  This brings them together with pointer, keys and actions.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-viewport.h"

#include "config.h"
#include "kg-handle-popover.h"
#include "kg-file.h"
#include "kg-handle-view.h"
#include "kg-input-value.h"
#include "kg-picture-view.h"
#include "kg-scene-view.h"
#include "kg-space-key.h"
#include "kg-stroke.h"
#include "kg-value-view.h"
#include "kg-view-menu.h"

#include <glib/gi18n.h>

#define MAX_SIDE 2048

/* What is drawn by hand: pixels that its line may be off, and from which its end is joined to its start. */
#define STROKE_TOLERANCE 1.5
#define STROKE_REACH 14.0
/* A hand that trembles while it clicks draws nothing. */
#define STROKE_LEAST 5.0
/* How far below the active node the curve that it becomes is put on the canvas. */
#define STROKE_BELOW 140

typedef enum { DRAG_NONE, DRAG_ORBIT, DRAG_PAN, DRAG_HANDLE, DRAG_STROKE } Drag;

struct _KgViewport {
  GtkWidget parent_instance;
  KgDocument *document;
  KgWorker *worker;
  GdkTexture *texture, *ghosts;
  KgImage *picture_shown; /* (nullable) that texture is of, its depth if depth_shown */
  bool depth_shown;
  int width, height;        /* at the last allocation */
  const KgResultSet *shown; /* only compared */
  double shown_time;
  bool frame_waits; /* for its time on the screen */
  GtkWidget *status, *menu, *popover;
  KgHandleView *handles;
  KgOrbit orbit;
  KgPictureView picture;
  KgSolidStyle style;
  KgOnion onion; /* step in frames here */
  bool from_scene, depth, framed, onion_shown;
  char *message; /* (nullable) in place of the status */
  Drag drag;
  bool space_held;
  GArray *stroke; /* KgStrokePoint */
  bool draws;     /* strokes, instead of turning the view */
  double start_x, start_y, pointer_x, pointer_y;
  KgOrbit start_orbit;
  double start_picture_x, start_picture_y;
};

enum { VIEW_CHANGED, FRAME_SHOWN, N_SIGNALS };

static guint signals[N_SIGNALS];

enum {
  PROP_0,
  PROP_STYLE,
  PROP_HANDLES,
  PROP_ONION,
  PROP_DEPTH,
  PROP_SCENE_CAMERA,
  PROP_DRAW,
  PROP_RECORD,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

static const char *const style_names[] = { "shaded", "wireframe", "points" };

G_DEFINE_FINAL_TYPE (KgViewport, kg_viewport, GTK_TYPE_WIDGET)

/* What is shown. */

static bool
is_solid (const KgResultSet *set)
{
  return set != NULL && set->has_value && kg_scene_view_shows (&set->value);
}

/* Seen through a camera of the scene itself. */
static bool
is_from_scene (KgViewport *self, const KgResultSet *set)
{
  return self->from_scene && set->value.kind == KG_SCENE && kg_scene_get_n_cameras (set->value.scene) > 0;
}

static bool
is_image (const KgResultSet *set)
{
  return set != NULL && set->has_value && set->value.kind == KG_IMAGE;
}

static KgView
get_view (KgViewport *self)
{
  const int scale = gtk_widget_get_scale_factor (GTK_WIDGET (self));
  const double k = fmin (1, (double) MAX_SIDE / fmax (1, scale * fmax (gtk_widget_get_width (GTK_WIDGET (self)),
                                                                       gtk_widget_get_height (GTK_WIDGET (self)))));

  return (KgView){ .width = (int) (k * scale * gtk_widget_get_width (GTK_WIDGET (self))),
                   .height = (int) (k * scale * gtk_widget_get_height (GTK_WIDGET (self))),
                   .from_scene = self->from_scene,
                   .eye = kg_orbit_get_eye (&self->orbit),
                   .target = self->orbit.target,
                   .fov = self->orbit.fov / KG_DEGREE,
                   .near_plane = 1e-3 * self->orbit.distance,
                   .far_plane = 1e3 * self->orbit.distance,
                   .style = self->style };
}

/* (nullable) The node whose output is shown. */
static KgNode *
find_shown_node (KgViewport *self, const char *target)
{
  KgNode *node;
  guint output;

  return target != NULL && kg_graph_find_output (kg_document_get_graph (self->document), target, &node, &output, NULL)
             ? node
             : NULL;
}

/* The camera of a picture of a scene is in one of these. */
static void
add_cameras (KgNode *node, GPtrArray *wanted)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);
    KgNode *from;
    guint output;

    if (slot->role != KG_SLOT_INPUT || slot->kind != KG_SCENE)
      continue;
    for (guint k = 0; kg_node_get_link (node, i, k, &from, &output); k++) {
      g_autofree char *path = kg_node_dup_path (from);

      g_ptr_array_add (wanted, g_strdup_printf ("%s.%s", path, kg_node_get_link_name (node, i, k)));
      if (!slot->list)
        break;
    }
  }
}

void
kg_viewport_fill_request (KgViewport *self, KgRequest *request)
{
  const KgHandles handles = kg_handle_view_get_handles (self->handles);
  const KgFrames frames = kg_graph_get_frames (kg_document_get_graph (self->document));
  KgNode *node = find_shown_node (self, request->target);

  request->view = get_view (self);
  request->wanted = kg_handles_dup_wanted (self->document, handles.node);
  if (node != NULL && handles.node != NULL)
    add_cameras (node, request->wanted);
  if (self->onion_shown)
    request->onion = self->onion;
  request->onion.step = self->onion.step / frames.rate;
}

static void
emit_view_changed (KgViewport *self)
{
  g_signal_emit (self, signals[VIEW_CHANGED], 0);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* (transfer full) (nullable) */
static GdkTexture *
make_texture (const KgImage *image, bool depth)
{
  g_autoptr (GBytes) bytes = NULL;
  gsize stride;

  if (image == NULL)
    return NULL;
  stride = 4 * (gsize) kg_image_get_width (image);
  bytes = g_bytes_new_take (kg_picture_view_dup_pixels (image, depth), stride * (gsize) kg_image_get_height (image));
  return gdk_memory_texture_new (kg_image_get_width (image), kg_image_get_height (image), GDK_MEMORY_R8G8B8A8, bytes,
                                 stride);
}

static void
make_textures (KgViewport *self, const KgResultSet *set)
{
  KgImage *picture = set != NULL ? set->picture : NULL;

  g_clear_object (&self->ghosts);
  if (set != NULL)
    self->ghosts = make_texture (set->ghosts, false);
  /* Values are never changed, so that the same picture is the same texture. */
  if (picture == self->picture_shown && self->depth == self->depth_shown)
    return;
  g_clear_object (&self->texture);
  g_clear_pointer (&self->picture_shown, kg_image_unref);
  self->texture = make_texture (picture, self->depth);
  self->picture_shown = picture != NULL ? kg_image_ref (picture) : NULL;
  self->depth_shown = self->depth;
}

static void
frame_all (KgViewport *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const double width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));
  KgVector low, high;

  if (is_solid (set) && height > 0 && kg_scene_view_get_bounds (&set->value, &low, &high)) {
    kg_orbit_frame (&self->orbit, low, high, width / height);
    self->framed = true;
    emit_view_changed (self);
  }
  self->picture.fit = true;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
set_class (GtkWidget *widget, const char *name, bool on)
{
  if (on)
    gtk_widget_add_css_class (widget, name);
  else
    gtk_widget_remove_css_class (widget, name);
}

static void
append_geometry (GString *text, const KgGeometry *geometry)
{
  const gsize points = kg_geometry_get_n_points (geometry), primitives = kg_geometry_get_n_primitives (geometry);

  g_string_append_printf (text, ngettext ("Geometry, %zu point", "Geometry, %zu points", points), points);
  g_string_append_printf (text, ngettext (", %zu primitive", ", %zu primitives", primitives), primitives);
}

static void
describe (KgViewport *self, const KgResultSet *set)
{
  g_autoptr (GString) text = g_string_new (NULL);
  /* That nothing is shown yet is no error, but a hint in the middle. */
  const bool hint = set != NULL && set->target == NULL, failed = set != NULL && set->error != NULL && !hint;

  if (self->message != NULL)
    g_string_append (text, self->message);
  else if (set != NULL && set->error != NULL)
    g_string_append (text, set->error);
  else if (is_image (set))
    g_string_append_printf (text, _ ("Picture, %d × %d pixels"), kg_image_get_width (set->value.image),
                            kg_image_get_height (set->value.image));
  else if (set != NULL && set->has_value && set->value.kind == KG_GEOMETRY)
    append_geometry (text, set->value.geometry);
  else if (set != NULL && set->has_value)
    g_string_append (text, kg_kind_get_phrase (set->value.kind));
  if (set != NULL && set->has_value && self->message == NULL)
    g_string_append_printf (text, "  ·  %.3g ms", 1000 * set->seconds);
  gtk_label_set_text (GTK_LABEL (self->status), text->str);
  set_class (self->status, "kg-error", failed || self->message != NULL);
  if (hint != gtk_widget_has_css_class (self->status, "kg-hint")) {
    set_class (self->status, "kg-hint", hint);
    gtk_label_set_xalign (GTK_LABEL (self->status), hint ? 0.5f : 0);
    gtk_label_set_justify (GTK_LABEL (self->status), hint ? GTK_JUSTIFY_CENTER : GTK_JUSTIFY_LEFT);
    gtk_widget_queue_allocate (GTK_WIDGET (self));
  }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text->str, -1);
}

/* What the graph refused; gone with the next change. */
static void
set_message (KgViewport *self, const char *text)
{
  if (g_strcmp0 (text, self->message) == 0)
    return;
  g_free (self->message);
  self->message = g_strdup (text);
  describe (self, kg_worker_get_result (self->worker));
}

void
kg_viewport_results_changed (KgViewport *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);

  if (set == self->shown && set != NULL)
    return;
  self->shown = set;
  if (set != NULL) {
    self->frame_waits = self->frame_waits || set->time != self->shown_time;
    self->shown_time = set->time;
    kg_handle_view_set_values (self->handles, set->values);
  }
  make_textures (self, set);
  describe (self, set);
  if (is_solid (set) && !self->framed)
    frame_all (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Where things are. */

static void
place_picture (KgViewport *self)
{
  kg_picture_view_place (&self->picture, self->texture != NULL ? gdk_texture_get_width (self->texture) : 1,
                         self->texture != NULL ? gdk_texture_get_height (self->texture) : 1,
                         gtk_widget_get_width (GTK_WIDGET (self)), gtk_widget_get_height (GTK_WIDGET (self)));
}

/* A picture of the plane: its node says what is in the middle, and how much fits into it. */
static bool
get_drawing (KgViewport *self, KgNode *node, KgProjection *projection)
{
  const double frame = kg_document_get_frame (self->document);
  const int center_slot = kg_node_find_slot (node, "center"), height_slot = kg_node_find_slot (node, "view_height");
  g_auto (KgValue) center = KG_VALUE_INIT, view_height = KG_VALUE_INIT;

  if (center_slot < 0 || height_slot < 0 || !kg_input_get_value (node, (guint) center_slot, frame, &center) ||
      !kg_input_get_value (node, (guint) height_slot, frame, &view_height) || center.kind != KG_VECTOR ||
      view_height.kind != KG_NUMBER || !(view_height.number > 0))
    return false;
  kg_projection_from_drawing (projection, center.vector, view_height.number, gdk_texture_get_width (self->texture),
                              gdk_texture_get_height (self->texture), self->picture.x, self->picture.y,
                              self->picture.zoom);
  return true;
}

/* A picture of scenes, through the first camera among them. */
static bool
get_rendering (KgViewport *self, KgNode *node, const KgResultSet *set, KgProjection *projection)
{
  g_autoptr (GPtrArray) scenes = g_ptr_array_new_with_free_func (g_free);

  add_cameras (node, scenes);
  for (guint i = 0; i < scenes->len; i++) {
    const KgValue *value = (const KgValue *) g_hash_table_lookup (set->values, g_ptr_array_index (scenes, i));

    if (value == NULL || value->kind != KG_SCENE)
      return false;
    if (kg_scene_get_n_cameras (value->scene) > 0) {
      kg_projection_from_camera (projection, kg_scene_get_camera (value->scene, 0), self->picture.x, self->picture.y,
                                 self->picture.zoom * gdk_texture_get_width (self->texture),
                                 self->picture.zoom * gdk_texture_get_height (self->texture));
      return true;
    }
  }
  return false;
}

/* False when there is no telling where a point of the world is in what is shown. */
static bool
get_projection (KgViewport *self, KgProjection *projection)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const double width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));
  KgNode *node;

  if (is_solid (set)) {
    if (is_from_scene (self, set))
      kg_projection_from_camera (projection, kg_scene_get_camera (set->value.scene, 0), 0, 0, width, height);
    else
      kg_projection_from_orbit (projection, &self->orbit, width, height);
    return true;
  }
  node = is_image (set) && self->texture != NULL ? find_shown_node (self, set->target) : NULL;
  if (node == NULL)
    return false;
  place_picture (self);
  return get_drawing (self, node, projection) || get_rendering (self, node, set, projection);
}

/* Drawing. */

static void
append_picture (KgViewport *self, GtkSnapshot *snapshot, double width, double height)
{
  const graphene_rect_t all = GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height);
  graphene_rect_t place;
  double x, y, w, h;
  cairo_t *cr;

  place_picture (self);
  x = self->picture.x;
  y = self->picture.y;
  w = self->picture.zoom * gdk_texture_get_width (self->texture);
  h = self->picture.zoom * gdk_texture_get_height (self->texture);
  place = GRAPHENE_RECT_INIT ((float) x, (float) y, (float) w, (float) h);
  cr = gtk_snapshot_append_cairo (snapshot, &all);
  kg_picture_view_draw_checkers (cr, fmax (0, x), fmax (0, y), fmin (width, x + w) - fmax (0, x),
                                 fmin (height, y + h) - fmax (0, y));
  cairo_destroy (cr);
  gtk_snapshot_append_texture (snapshot, self->texture, &place);
  if (self->ghosts != NULL)
    gtk_snapshot_append_texture (snapshot, self->ghosts, &place);
}

static void
draw_stroke (KgViewport *self, cairo_t *cr)
{
  for (guint i = 0; i < self->stroke->len; i++) {
    const KgStrokePoint *at = &g_array_index (self->stroke, KgStrokePoint, i);

    cairo_line_to (cr, at->x, at->y);
  }
  cairo_set_source_rgb (cr, 1, 0.95, 0.55);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
}

static void
kg_viewport_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  KgViewport *self = KG_VIEWPORT (widget);
  const double width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  const graphene_rect_t all = GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height);
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const GdkRGBA ground = { 0.16f, 0.17f, 0.19f, 1 };
  PangoContext *context = gtk_widget_get_pango_context (widget);
  KgProjection projection;
  cairo_t *cr;

  gtk_snapshot_push_clip (snapshot, &all);
  gtk_snapshot_append_color (snapshot, &ground, &all);
  if (is_solid (set) && get_projection (self, &projection)) {
    cr = gtk_snapshot_append_cairo (snapshot, &all);
    kg_scene_view_draw_floor (cr, &projection, self->orbit.distance);
    cairo_destroy (cr);
    if (self->ghosts != NULL)
      gtk_snapshot_append_texture (snapshot, self->ghosts, &all);
    if (self->texture != NULL)
      gtk_snapshot_append_texture (snapshot, self->texture, &all);
  } else if (self->texture != NULL)
    append_picture (self, snapshot, width, height);
  cr = gtk_snapshot_append_cairo (snapshot, &all);
  if (set != NULL && set->has_value && set->value.kind == KG_TRANSFORM && get_projection (self, &projection))
    kg_scene_view_draw_frame (cr, &projection, set->value.transform, 60);
  if (set != NULL && set->has_value && !is_image (set) && (!is_solid (set) || set->value.kind == KG_TRANSFORM))
    kg_value_view_draw (cr, context, &set->value, width, height);
  if (kg_handle_view_get_shown (self->handles) && get_projection (self, &projection))
    kg_handle_view_draw (self->handles, cr, context, &projection, width, height);
  draw_stroke (self, cr);
  cairo_destroy (cr);
  gtk_widget_snapshot_child (widget, self->status, snapshot);
  gtk_widget_snapshot_child (widget, self->menu, snapshot);
  gtk_snapshot_pop (snapshot);
  if (self->frame_waits) {
    self->frame_waits = false;
    g_signal_emit (self, signals[FRAME_SHOWN], 0);
  }
}

/* What commands need: NULL where all is there, and while nothing is known yet. */

/* (nullable) */
static const char *
find_need_of_space (const KgResultSet *set, const char *need)
{
  return set != NULL && !is_solid (set) ? need : NULL;
}

static bool
can_grab (KgViewport *self)
{
  KgNode *node = kg_document_get_active (self->document);

  for (guint i = 0; node != NULL && i < kg_node_get_n_slots (node); i++)
    if (kg_node_get_slot (node, i)->handle.kind == KG_HANDLE_GRAB)
      return true;
  return false;
}

/* (nullable) Of a way to show things that is to be turned on, or off. */
static const char *
find_need (KgViewport *self, guint property, bool on)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  KgProjection projection;

  if (set == NULL)
    return NULL;
  switch (property) {
  case PROP_STYLE:
    return find_need_of_space (
        set,
        _ ("wireframe and points need something in space: show a geometry, a skeleton or a scene (D on the canvas)"));
  case PROP_SCENE_CAMERA:
    return is_solid (set) && set->value.kind == KG_SCENE && kg_scene_get_n_cameras (set->value.scene) > 0
               ? NULL
               : _ ("this needs a scene with a camera: show one (D on the canvas)");
  case PROP_DEPTH:
    return !on || (set->picture != NULL && kg_image_get_depth (set->picture) != NULL)
               ? NULL
               : _ ("depth needs something in space, or a picture with depth: show one (D on the canvas)");
  case PROP_ONION:
    return !on || set->picture != NULL
               ? NULL
               : _ ("onion skins need a picture, or something in space: show one (D on the canvas)");
  case PROP_HANDLES:
    return get_projection (self, &projection)
               ? NULL
               : _ ("handles stand where shapes are seen: show a node that makes geometry (D on the canvas)");
  case PROP_DRAW:
    return !on || get_projection (self, &projection)
               ? NULL
               : _ ("lines are drawn where shapes are seen: show a node that makes geometry (D on the canvas)");
  case PROP_RECORD:
    return !on || can_grab (self) ? NULL
                                  : _ ("recording needs something that can be dragged in play: select the node that "
                                       "moves it by itself");
  default:
    return NULL;
  }
}

/* False with a message. */
static bool
check_need (KgViewport *self, guint property, bool on)
{
  const char *need = find_need (self, property, on);

  set_message (self, need);
  return need == NULL;
}

/* Whoever turns the view turns away from the camera. */
static void
leave_scene_camera (KgViewport *self)
{
  if (!self->from_scene)
    return;
  self->from_scene = false;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SCENE_CAMERA]);
}

/* Mouse. */

static KgHandleModifiers
get_modifiers (GtkEventController *controller)
{
  const GdkModifierType state = gtk_event_controller_get_current_event_state (controller);

  return (KgHandleModifiers){ .snap = (state & GDK_CONTROL_MASK) != 0, .apart = (state & GDK_ALT_MASK) != 0 };
}

/* Freehand lines. */

static void
add_stroke_point (KgViewport *self, double x, double y)
{
  const KgStrokePoint point = { x, y };

  g_array_append_val (self->stroke, point);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static bool
add_line (KgViewport *self, const char *points, bool closed, GError **error)
{
  KgGraph *graph = kg_document_get_current (self->document);
  KgNode *active = kg_document_get_active (self->document), *node;
  g_auto (KgValue) text = kg_value_text (points);
  double x = 0, y = -STROKE_BELOW;

  if (active != NULL)
    kg_node_get_position (active, &x, &y);
  node = kg_graph_add (graph, kg_types_find_role (kg_graph_get_types (graph), KG_ROLE_FREEHAND)->id, NULL, x,
                       y + STROKE_BELOW, error);
  if (node == NULL || !kg_graph_set_constant (graph, node, "points", &text, error) ||
      !kg_graph_set_json (graph, node, "basis", "\"linear\"", error) ||
      !kg_graph_set_json (graph, node, "closed", closed ? "true" : "false", error))
    return false;
  kg_document_select (self->document, node, false);
  return true;
}

static bool
is_stroke (const GArray *stroke)
{
  const KgStrokePoint *first = &g_array_index (stroke, KgStrokePoint, 0);

  for (guint i = 1; i < stroke->len; i++) {
    const KgStrokePoint *at = &g_array_index (stroke, KgStrokePoint, i);

    if (hypot (at->x - first->x, at->y - first->y) > STROKE_LEAST)
      return true;
  }
  return false;
}

/* Where lines are drawn: in the middle of the view, or as far away when that is behind a camera of the scene. */
static KgVector
get_middle (KgViewport *self, const KgProjection *projection)
{
  const KgVector to = kg_vector_subtract (self->orbit.target, projection->eye);

  if (projection->parallel)
    return kg_vector (0, 0, 0);
  return kg_vector_dot (to, projection->forward) > 0
             ? self->orbit.target
             : kg_vector_add_scaled (projection->eye, self->orbit.distance, projection->forward);
}

/* What was drawn becomes a curve of straight pieces, in the plane through the middle of the view. */
static bool
finish_stroke (KgViewport *self, GError **error)
{
  KgGraph *graph = kg_document_get_current (self->document);
  const bool closed = kg_stroke_is_closed (self->stroke, STROKE_REACH);
  const bool meant = is_stroke (self->stroke);
  g_autoptr (GArray) simple = kg_stroke_simplify (self->stroke, STROKE_TOLERANCE);
  g_autofree char *text = NULL;
  KgProjection projection;
  bool good;

  g_array_set_size (self->stroke, 0);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (closed)
    g_array_set_size (simple, simple->len - 1);
  if (!meant || !get_projection (self, &projection))
    return true;
  text = kg_stroke_dup_text (simple, &projection, get_middle (self, &projection));
  kg_graph_begin_group (graph, _ ("Draw line"));
  good = add_line (self, text, closed, error);
  if (good)
    kg_graph_end_group (graph);
  else
    kg_graph_cancel_group (graph);
  return good;
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, KgViewport *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  g_autofree char *text = NULL;

  (void) controller;
  self->pointer_x = x;
  self->pointer_y = y;
  if (self->drag != DRAG_NONE || !is_image (set) || set->picture == NULL || self->texture == NULL)
    return;
  place_picture (self);
  text = kg_picture_view_dup_text (&self->picture, set->picture, x, y);
  if (text != NULL)
    gtk_label_set_text (GTK_LABEL (self->status), text);
  else
    describe (self, set);
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, KgViewport *self)
{
  const guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));
  const GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  const bool hand = button == GDK_BUTTON_PRIMARY && !self->space_held;
  g_autoptr (GError) error = NULL;
  KgProjection projection;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  set_message (self, NULL);
  self->start_x = self->pointer_x = x;
  self->start_y = self->pointer_y = y;
  self->start_orbit = self->orbit;
  place_picture (self);
  self->start_picture_x = self->picture.x;
  self->start_picture_y = self->picture.y;
  if (hand && self->draws) {
    const char *need = find_need (self, PROP_DRAW, true);

    self->drag = need == NULL ? DRAG_STROKE : DRAG_NONE;
    g_array_set_size (self->stroke, 0);
    if (need == NULL)
      add_stroke_point (self, x, y);
    else
      g_set_error_literal (&error, KG_ERROR, KG_ERROR_NOT_CONNECTED, need);
  } else if (hand && (state & GDK_CONTROL_MASK) != 0 && get_projection (self, &projection) &&
             kg_handle_view_draw_figure (self->handles, &projection, x, y, &error))
    self->drag = DRAG_HANDLE;
  else if (error != NULL)
    self->drag = DRAG_NONE;
  else if (hand && get_projection (self, &projection) && kg_handle_view_press (self->handles, &projection, x, y)) {
    self->drag = DRAG_HANDLE;
    kg_handle_view_choose (self->handles, &error);
  } else if (button == GDK_BUTTON_SECONDARY)
    self->drag = DRAG_NONE;
  else if (button == GDK_BUTTON_MIDDLE || (state & GDK_SHIFT_MASK) != 0 || self->space_held ||
           !is_solid (kg_worker_get_result (self->worker)))
    self->drag = DRAG_PAN;
  else
    self->drag = DRAG_ORBIT;
  set_message (self, error != NULL ? error->message : NULL);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* To where the pointer is. */
static void
drag_handle (KgViewport *self, KgHandleModifiers modifiers)
{
  g_autoptr (GError) error = NULL;
  KgProjection projection;

  if (!get_projection (self, &projection))
    return;
  kg_handle_view_drag (self->handles, &projection, self->pointer_x, self->pointer_y, modifiers, &error);
  set_message (self, error != NULL ? error->message : NULL);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* A hand that does not move holds, too. */
static void
on_frame_changed (KgViewport *self)
{
  kg_handle_view_frame_changed (self->handles);
  if (self->drag == DRAG_HANDLE && kg_handle_view_is_grabbing (self->handles))
    drag_handle (self, (KgHandleModifiers){ 0 });
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, KgViewport *self)
{
  const double height = gtk_widget_get_height (GTK_WIDGET (self));

  self->pointer_x = self->start_x + dx;
  self->pointer_y = self->start_y + dy;
  if (self->drag == DRAG_NONE)
    return;
  if (self->drag == DRAG_STROKE) {
    add_stroke_point (self, self->pointer_x, self->pointer_y);
    return;
  }
  if (self->drag == DRAG_HANDLE) {
    /* While it plays the next frame takes what is grabbed along: more often would only begin the same frame again. */
    if (gtk_drag_check_threshold (GTK_WIDGET (self), 0, 0, (int) (3 * dx), (int) (3 * dy)) &&
        !(kg_handle_view_is_grabbing (self->handles) && kg_document_is_playing (self->document)))
      drag_handle (self, get_modifiers (GTK_EVENT_CONTROLLER (gesture)));
    return;
  }
  if (is_solid (kg_worker_get_result (self->worker))) {
    self->orbit = self->start_orbit;
    if (self->drag == DRAG_PAN)
      kg_orbit_pan (&self->orbit, dx, dy, height);
    else
      kg_orbit_drag (&self->orbit, dx, dy);
    leave_scene_camera (self);
    emit_view_changed (self);
  } else {
    self->picture.fit = false;
    self->picture.x = self->start_picture_x + dx;
    self->picture.y = self->start_picture_y + dy;
    gtk_widget_queue_draw (GTK_WIDGET (self));
  }
}

static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, KgViewport *self)
{
  g_autoptr (GError) error = NULL;

  (void) gesture;
  (void) dx;
  (void) dy;
  if (self->drag == DRAG_STROKE && !finish_stroke (self, &error))
    set_message (self, error->message);
  self->drag = DRAG_NONE;
  kg_handle_view_release (self->handles);
}

static void
drop_popover (gpointer data)
{
  KgViewport *self = KG_VIEWPORT (data);

  g_clear_pointer (&self->popover, gtk_widget_unparent);
  g_object_unref (self);
}

static void
on_popover_closed (KgViewport *self)
{
  /* Not while it still answers the click that closes it. */
  g_idle_add_once (drop_popover, g_object_ref (self));
}

static void
show_numbers (KgViewport *self, double x, double y)
{
  const GdkRectangle at = { (int) x, (int) y, 1, 1 };

  if (self->popover != NULL)
    return;
  self->popover = kg_handle_popover_new (self->handles);
  if (self->popover == NULL)
    return;
  gtk_widget_set_parent (self->popover, GTK_WIDGET (self));
  gtk_popover_set_pointing_to (GTK_POPOVER (self->popover), &at);
  g_signal_connect_swapped (self->popover, "closed", G_CALLBACK (on_popover_closed), self);
  gtk_popover_popup (GTK_POPOVER (self->popover));
}

static void
on_pressed (GtkGestureClick *gesture, int times, double x, double y, KgViewport *self)
{
  const guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));
  g_autoptr (GError) error = NULL;
  KgProjection projection;

  if (!kg_handle_view_get_shown (self->handles) || !get_projection (self, &projection))
    return;
  if (button == GDK_BUTTON_SECONDARY && kg_handle_view_press (self->handles, &projection, x, y)) {
    kg_handle_view_release (self->handles);
    show_numbers (self, x, y);
  } else if (button == GDK_BUTTON_PRIMARY && times == 2 && !self->draws &&
             kg_handle_view_get_active (self->handles) == NULL) {
    kg_handle_view_insert (self->handles, &projection, x, y, &error);
    if (error != NULL)
      set_message (self, error->message);
  }
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, KgViewport *self)
{
  (void) controller;
  (void) dx;
  if (is_solid (kg_worker_get_result (self->worker))) {
    kg_orbit_dolly (&self->orbit, pow (1.12, dy));
    leave_scene_camera (self);
    emit_view_changed (self);
  } else if (self->texture != NULL) {
    place_picture (self);
    kg_picture_view_zoom (&self->picture, pow (1.15, -dy), self->pointer_x, self->pointer_y);
    gtk_widget_queue_draw (GTK_WIDGET (self));
  }
  return TRUE;
}

/* Commands. */

static void
toggle_style (KgViewport *self, KgSolidStyle style)
{
  g_object_set (self, "style", style_names[self->style == style ? KG_STYLE_SHADED : style], NULL);
}

/* A pixel of the picture is a pixel of the screen; its middle is in the middle. */
static void
show_actual_size (KgViewport *self)
{
  const double zoom = 1.0 / gtk_widget_get_scale_factor (GTK_WIDGET (self));

  if (self->texture == NULL)
    return;
  self->picture = (KgPictureView){
    .x = round (0.5 * (gtk_widget_get_width (GTK_WIDGET (self)) - zoom * gdk_texture_get_width (self->texture))),
    .y = round (0.5 * (gtk_widget_get_height (GTK_WIDGET (self)) - zoom * gdk_texture_get_height (self->texture))),
    .zoom = zoom,
  };
}

/* (nullable) What the command, which changed nothing, needs. */
static const char *
find_need_of_command (const char *name)
{
  static const struct {
    const char *name, *need;
  } needs[] = {
    { "viewport.add-point", N_ ("this needs a point of a line: click one, or go to it with Tab") },
    { "viewport.remove-point", N_ ("this needs a point of a line: click one, or go to it with Tab") },
    { "viewport.hinge", N_ ("this needs a point of a figure: click one, or go to it with Tab") },
    { "viewport.pin", N_ ("this needs a point of a figure: click one, or go to it with Tab") },
    { "viewport.rod", N_ ("this needs a point of a figure: click one, or go to it with Tab") },
    { "viewport.choose", N_ ("this needs a part of an object, or a point that it can follow: go to one with Tab") },
    { "viewport.actual-size", N_ ("this needs a picture: show one (D on the canvas)") },
    { "viewport.frame", N_ ("this needs a picture, or something in space: show one (D on the canvas)") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (needs); i++)
    if (g_str_equal (needs[i].name, name))
      return _ (needs[i].need);
  return NULL;
}

static void
on_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgViewport *self = KG_VIEWPORT (widget);
  const KgResultSet *set = kg_worker_get_result (self->worker);
  g_autoptr (GError) error = NULL;
  const char *message = NULL;
  KgProjection projection;
  bool done = true, begun;

  (void) parameter;
  if (g_str_equal (name, "viewport.frame")) {
    done = set == NULL || is_solid (set) || self->texture != NULL;
    frame_all (self);
  } else if (g_str_equal (name, "viewport.actual-size")) {
    done = set == NULL || is_image (set);
    show_actual_size (self);
  } else if (g_str_equal (name, "viewport.wireframe"))
    toggle_style (self, KG_STYLE_WIREFRAME);
  else if (g_str_equal (name, "viewport.points"))
    toggle_style (self, KG_STYLE_POINTS);
  else if (g_str_equal (name, "viewport.add-point"))
    done = get_projection (self, &projection) && kg_handle_view_insert_after (self->handles, &projection, &error);
  else if (g_str_equal (name, "viewport.remove-point"))
    done = kg_handle_view_remove (self->handles, &error);
  else if (g_str_equal (name, "viewport.choose"))
    done = kg_handle_view_choose (self->handles, &error);
  else if (g_str_equal (name, "viewport.hinge"))
    done = kg_handle_view_toggle_hinge (self->handles, &error);
  else if (g_str_equal (name, "viewport.pin"))
    done = kg_handle_view_toggle_pin (self->handles, &error);
  else if (g_str_equal (name, "viewport.rod")) {
    done = kg_handle_view_toggle_rod (self->handles, &begun, &error);
    if (done && begun)
      message = _ ("A rod begins here: go to another point and press the key again");
  } else if (g_str_equal (name, "viewport.unset-handle")) {
    g_object_set (self, "draw", FALSE, NULL);
    kg_handle_view_unset_active (self->handles);
  }
  /* The style says for itself what it needs. */
  if (!g_str_equal (name, "viewport.wireframe") && !g_str_equal (name, "viewport.points"))
    set_message (self, error != NULL ? error->message : done ? message : find_need_of_command (name));
  gtk_widget_queue_draw (widget);
}

static void
zoom_by_key (KgViewport *self, bool closer)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const bool picture = is_image (set) && self->texture != NULL;
  const char *need = picture ? NULL : find_need_of_space (set, find_need_of_command ("viewport.frame"));

  set_message (self, need);
  if (need != NULL)
    return;
  if (picture) {
    place_picture (self);
    kg_picture_view_zoom (&self->picture, closer ? 1.25 : 0.8, 0.5 * gtk_widget_get_width (GTK_WIDGET (self)),
                          0.5 * gtk_widget_get_height (GTK_WIDGET (self)));
    gtk_widget_queue_draw (GTK_WIDGET (self));
    return;
  }
  kg_orbit_dolly (&self->orbit, closer ? 0.9 : 1.1);
  leave_scene_camera (self);
  emit_view_changed (self);
}

static void
on_look (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgViewport *self = KG_VIEWPORT (widget);
  const char *way = g_variant_get_string (parameter, NULL);
  const char *need = find_need_of_space (
      kg_worker_get_result (self->worker),
      _ ("only what is in space has sides: show a geometry, a skeleton or a scene (D on the canvas)"));

  (void) name;
  if (g_str_equal (way, "in") || g_str_equal (way, "out")) {
    zoom_by_key (self, g_str_equal (way, "in"));
    return;
  }
  set_message (self, need);
  if (need != NULL)
    return;
  if (g_str_equal (way, "front"))
    self->orbit.yaw = self->orbit.pitch = 0;
  else if (g_str_equal (way, "right")) {
    self->orbit.yaw = 0.5 * KG_PI;
    self->orbit.pitch = 0;
  } else {
    self->orbit.yaw = 0;
    kg_orbit_drag (&self->orbit, 0, 1e6);
  }
  leave_scene_camera (self);
  emit_view_changed (self);
}

/* Arrow keys: move the active handle by a pixel, with Shift by a round step, or turn the view. */
static gboolean
on_arrow (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  KgViewport *self = KG_VIEWPORT (widget);
  g_autoptr (GError) error = NULL;
  gint32 right, up, away;
  guint32 state;
  KgProjection projection;

  (void) data;
  g_variant_get (arguments, "(iiiu)", &right, &up, &away, &state);
  if (kg_handle_view_get_active (self->handles) != NULL && get_projection (self, &projection)) {
    kg_handle_view_nudge (self->handles, &projection, right, up, away,
                          (KgHandleModifiers){ .snap = (state & GDK_SHIFT_MASK) != 0 }, &error);
    set_message (self, error != NULL ? error->message : NULL);
    gtk_widget_queue_draw (widget);
    return TRUE;
  }
  if (away != 0 || !is_solid (kg_worker_get_result (self->worker)))
    return FALSE;
  kg_orbit_drag (&self->orbit, -20.0 * right, 20.0 * up);
  leave_scene_camera (self);
  emit_view_changed (self);
  return TRUE;
}

/* Tab: from handle to handle, and on to the next widget after the last. */
static gboolean
on_tab (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  KgViewport *self = KG_VIEWPORT (widget);
  KgProjection projection;
  gint32 by;

  (void) data;
  g_variant_get (arguments, "(i)", &by);
  gtk_widget_queue_draw (widget);
  return kg_handle_view_get_shown (self->handles) && get_projection (self, &projection) &&
         kg_handle_view_step (self->handles, by);
}

/* What is selected may have handles: the window asks for their places. */
static void
on_selection_changed (KgViewport *self)
{
  kg_handle_view_release (self->handles);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
kg_viewport_set_onion (KgViewport *self, const KgOnion *onion)
{
  self->onion = *onion;
  emit_view_changed (self);
}

static void
kg_viewport_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  KgViewport *self = KG_VIEWPORT (widget);
  const bool hint = gtk_widget_has_css_class (self->status, "kg-hint");
  GtkAllocation place = { 8, 0, MAX (1, width - 16), 1 }, corner = { 0, 4, 1, 1 };

  (void) baseline;
  gtk_widget_measure (self->status, GTK_ORIENTATION_VERTICAL, place.width, &place.height, NULL, NULL, NULL);
  place.y = hint ? (height - place.height) / 2 : height - place.height - 4;
  gtk_widget_size_allocate (self->status, &place, -1);
  gtk_widget_measure (self->menu, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &corner.width, NULL, NULL);
  gtk_widget_measure (self->menu, GTK_ORIENTATION_VERTICAL, corner.width, NULL, &corner.height, NULL, NULL);
  corner.x = width - corner.width - 4;
  gtk_widget_size_allocate (self->menu, &corner, -1);
  if (self->popover != NULL)
    gtk_popover_present (GTK_POPOVER (self->popover));
  /* Placed again at the same size, as after every new text below the picture, it shows the same. */
  if (width != self->width || height != self->height) {
    self->width = width;
    self->height = height;
    g_signal_emit (self, signals[VIEW_CHANGED], 0);
  }
}

static void
kg_viewport_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  KgViewport *self = KG_VIEWPORT (object);

  switch (id) {
  case PROP_STYLE:
    g_value_set_string (value, style_names[self->style]);
    break;
  case PROP_HANDLES:
    g_value_set_boolean (value, self->handles != NULL && kg_handle_view_get_shown (self->handles));
    break;
  case PROP_ONION:
    g_value_set_boolean (value, self->onion_shown);
    break;
  case PROP_DEPTH:
    g_value_set_boolean (value, self->depth);
    break;
  case PROP_SCENE_CAMERA:
    g_value_set_boolean (value, self->from_scene);
    break;
  case PROP_DRAW:
    g_value_set_boolean (value, self->draws);
    break;
  case PROP_RECORD:
    g_value_set_boolean (value, self->handles != NULL && kg_handle_view_get_recording (self->handles));
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

static void
kg_viewport_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  KgViewport *self = KG_VIEWPORT (object);

  if (!check_need (self, id, G_VALUE_HOLDS_BOOLEAN (value) && g_value_get_boolean (value)))
    return;
  switch (id) {
  case PROP_STYLE:
    for (guint i = 0; i < G_N_ELEMENTS (style_names); i++)
      if (g_strcmp0 (g_value_get_string (value), style_names[i]) == 0)
        self->style = (KgSolidStyle) i;
    break;
  case PROP_HANDLES:
    kg_handle_view_set_shown (self->handles, g_value_get_boolean (value));
    break;
  case PROP_ONION:
    self->onion_shown = g_value_get_boolean (value);
    break;
  case PROP_DEPTH:
    self->depth = g_value_get_boolean (value);
    make_textures (self, kg_worker_get_result (self->worker));
    break;
  case PROP_SCENE_CAMERA:
    if (self->from_scene == g_value_get_boolean (value))
      return;
    self->from_scene = g_value_get_boolean (value);
    break;
  case PROP_DRAW:
    self->draws = g_value_get_boolean (value);
    gtk_widget_set_cursor_from_name (GTK_WIDGET (self), self->draws ? "crosshair" : NULL);
    break;
  case PROP_RECORD:
    kg_handle_view_set_recording (self->handles, g_value_get_boolean (value));
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  g_object_notify_by_pspec (object, pspec);
  emit_view_changed (self);
}

static void
kg_viewport_dispose (GObject *object)
{
  KgViewport *self = KG_VIEWPORT (object);

  g_clear_pointer (&self->popover, gtk_widget_unparent);
  g_clear_pointer (&self->menu, gtk_widget_unparent);
  g_clear_pointer (&self->status, gtk_widget_unparent);
  g_clear_pointer (&self->handles, kg_handle_view_free);
  g_clear_pointer (&self->message, g_free);
  g_clear_pointer (&self->stroke, g_array_unref);
  g_clear_object (&self->texture);
  g_clear_object (&self->ghosts);
  g_clear_pointer (&self->picture_shown, kg_image_unref);
  g_clear_object (&self->document);
  g_clear_object (&self->worker);
  G_OBJECT_CLASS (kg_viewport_parent_class)->dispose (object);
}

static void
add_keys (GtkWidgetClass *widget)
{
  static const struct {
    guint key;
    const char *way;
  } looks[] = { { GDK_KEY_1, "front" },
                { GDK_KEY_3, "right" },
                { GDK_KEY_7, "top" },
                { GDK_KEY_plus, "in" },
                { GDK_KEY_minus, "out" } };
  static const struct {
    guint key;
    int right, up, away;
  } arrows[] = { { GDK_KEY_Left, -1, 0, 0 }, { GDK_KEY_Right, 1, 0, 0 },   { GDK_KEY_Up, 0, 1, 0 },
                 { GDK_KEY_Down, 0, -1, 0 }, { GDK_KEY_Page_Up, 0, 0, 1 }, { GDK_KEY_Page_Down, 0, 0, -1 } };
  static const GdkModifierType states[] = { 0, GDK_SHIFT_MASK };
  static const struct {
    guint key;
    const char *action;
  } commands[] = {
    { GDK_KEY_f, "viewport.frame" },
    { GDK_KEY_a, "viewport.frame" },
    { GDK_KEY_0, "viewport.actual-size" },
    { GDK_KEY_w, "viewport.wireframe" },
    { GDK_KEY_p, "viewport.points" },
    { GDK_KEY_o, "viewport.onion-skins" },
    { GDK_KEY_c, "viewport.scene-camera" },
    { GDK_KEY_z, "viewport.depth" },
    { GDK_KEY_h, "viewport.handles" },
    { GDK_KEY_Delete, "viewport.remove-point" },
    { GDK_KEY_Insert, "viewport.add-point" },
    { GDK_KEY_Escape, "viewport.unset-handle" },
    { GDK_KEY_r, "viewport.rod" },
    { GDK_KEY_j, "viewport.hinge" },
    { GDK_KEY_n, "viewport.pin" },
    { GDK_KEY_d, "viewport.draw" },
    { GDK_KEY_k, "viewport.record" },
    { GDK_KEY_Return, "viewport.choose" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
    gtk_widget_class_add_binding_action (widget, looks[i].key, 0, "viewport.look", "s", looks[i].way);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    gtk_widget_class_add_binding_action (widget, commands[i].key, 0, commands[i].action, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (arrows); i++)
    for (guint s = 0; s < G_N_ELEMENTS (states); s++)
      gtk_widget_class_add_binding (widget, arrows[i].key, states[s], on_arrow, "(iiiu)", arrows[i].right, arrows[i].up,
                                    arrows[i].away, (guint32) states[s]);
  gtk_widget_class_add_binding (widget, GDK_KEY_Tab, 0, on_tab, "(i)", 1);
  gtk_widget_class_add_binding (widget, GDK_KEY_Tab, GDK_SHIFT_MASK, on_tab, "(i)", -1);
  gtk_widget_class_add_binding (widget, GDK_KEY_ISO_Left_Tab, GDK_SHIFT_MASK, on_tab, "(i)", -1);
}

static void
kg_viewport_class_init (KgViewportClass *class)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  static const char *const actions[] = { "viewport.frame",        "viewport.actual-size", "viewport.wireframe",
                                         "viewport.points",       "viewport.add-point",   "viewport.remove-point",
                                         "viewport.unset-handle", "viewport.rod",         "viewport.hinge",
                                         "viewport.pin",          "viewport.choose" };

  G_OBJECT_CLASS (class)->dispose = kg_viewport_dispose;
  G_OBJECT_CLASS (class)->get_property = kg_viewport_get_property;
  G_OBJECT_CLASS (class)->set_property = kg_viewport_set_property;
  widget->snapshot = kg_viewport_snapshot;
  widget->size_allocate = kg_viewport_size_allocate;
  signals[VIEW_CHANGED] =
      g_signal_new ("view-changed", KG_TYPE_VIEWPORT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[FRAME_SHOWN] =
      g_signal_new ("frame-shown", KG_TYPE_VIEWPORT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  properties[PROP_STYLE] = g_param_spec_string ("style", NULL, NULL, "shaded", flags);
  properties[PROP_HANDLES] = g_param_spec_boolean ("handles", NULL, NULL, TRUE, flags);
  properties[PROP_ONION] = g_param_spec_boolean ("onion-skins", NULL, NULL, FALSE, flags);
  properties[PROP_DEPTH] = g_param_spec_boolean ("depth", NULL, NULL, FALSE, flags);
  properties[PROP_SCENE_CAMERA] = g_param_spec_boolean ("scene-camera", NULL, NULL, TRUE, flags);
  properties[PROP_DRAW] = g_param_spec_boolean ("draw", NULL, NULL, FALSE, flags);
  properties[PROP_RECORD] = g_param_spec_boolean ("record", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (G_OBJECT_CLASS (class), N_PROPERTIES, properties);
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget, actions[i], NULL, on_action);
  for (guint i = 1; i < N_PROPERTIES; i++) {
    g_autofree char *action = g_strconcat ("viewport.", properties[i]->name, NULL);

    gtk_widget_class_install_property_action (widget, action, properties[i]->name);
  }
  gtk_widget_class_install_action (widget, "viewport.look", "s", on_look);
  add_keys (widget);
  gtk_widget_class_set_css_name (widget, "viewport");
  gtk_widget_class_set_accessible_role (widget, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
kg_viewport_init (KgViewport *self)
{
  GtkGesture *drag = gtk_gesture_drag_new (), *click = gtk_gesture_click_new ();
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);

  g_signal_connect (self, "notify::scale-factor", G_CALLBACK (emit_view_changed), NULL);
  self->orbit = (KgOrbit){ .yaw = 0.5, .pitch = 0.35, .distance = 6, .fov = 40 * KG_DEGREE };
  self->picture = (KgPictureView){ .zoom = 1, .fit = true };
  self->onion = (KgOnion){ .before = 3, .after = 3, .step = 2, .opacity = 0.5 };
  self->from_scene = true;
  self->stroke = g_array_new (FALSE, FALSE, sizeof (KgStrokePoint));
  self->shown_time = NAN;
  self->status = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->status), 0);
  gtk_label_set_wrap (GTK_LABEL (self->status), TRUE);
  gtk_widget_add_css_class (self->status, "kg-status");
  gtk_widget_set_can_target (self->status, FALSE);
  gtk_widget_set_parent (self->status, GTK_WIDGET (self));
  self->menu = kg_view_menu_new (self, &self->onion);
  gtk_widget_set_parent (self->menu, GTK_WIDGET (self));
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_vexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), 0);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), 0);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (on_drag_end), self);
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), scroll);
  kg_space_key_watch (GTK_WIDGET (self), &self->space_held);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Viewport"), -1);
}

GtkWidget *
kg_viewport_new (KgDocument *document, KgWorker *worker)
{
  KgViewport *self = KG_VIEWPORT (g_object_new (KG_TYPE_VIEWPORT, NULL));

  self->document = (KgDocument *) g_object_ref (document);
  self->worker = (KgWorker *) g_object_ref (worker);
  self->handles = kg_handle_view_new (document);
  g_signal_connect_object (document, "selection-changed", G_CALLBACK (on_selection_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "frame-changed", G_CALLBACK (on_frame_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "changed", G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
