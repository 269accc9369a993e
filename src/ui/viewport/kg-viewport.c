/* kg-viewport: the widget: what is shown, where things are in it, and the picture on the screen.  The pointer is in
 * kg-viewport-pointer.c, keys and commands in kg-viewport-actions.c.
 *
 * Pictures come from the worker.  What belongs around them is drawn by parts that know no widgets: kg-picture-view,
 * kg-scene-view, kg-value-view and kg-handle-view.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-input-value.h"
#include "kg-number.h"
#include "kg-scene-view.h"
#include "kg-value-view.h"
#include "kg-view-menu.h"
#include "kg-viewport-private.h"

#include <glib/gi18n.h>

#define MAX_SIDE 2048
/* A message has been read after so many. */
#define MESSAGE_SECONDS 8

enum { VIEW_CHANGED, FRAME_SHOWN, N_SIGNALS };

static guint signals[N_SIGNALS];

static GParamSpec *properties[KG_VIEWPORT_N_PROPERTIES];

const char *const kg_viewport_style_names[] = { "shaded", "wireframe", "points" };

G_DEFINE_FINAL_TYPE (KgViewport, kg_viewport, GTK_TYPE_WIDGET)

/* What is shown. */

bool
kg_viewport_shows_solid (const KgResultSet *set)
{
  return set != NULL && set->has_value && kg_scene_view_shows (&set->value);
}

/* Seen through a camera of the scene itself. */
static bool
is_from_scene (KgViewport *self, const KgResultSet *set)
{
  return self->from_scene && set->value.kind == KG_SCENE && kg_scene_get_n_cameras (set->value.scene) > 0;
}

bool
kg_viewport_shows_image (const KgResultSet *set)
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

void
kg_viewport_emit_view_changed (KgViewport *self)
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

void
kg_viewport_frame_all (KgViewport *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const double width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));
  KgVector low, high;

  if (kg_viewport_shows_solid (set) && height > 0 && kg_scene_view_get_bounds (&set->value, &low, &high)) {
    kg_orbit_frame (&self->orbit, low, high, width / height);
    self->framed = true;
    kg_viewport_emit_view_changed (self);
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

void
kg_viewport_describe (KgViewport *self, const KgResultSet *set)
{
  g_autoptr (GString) text = g_string_new (NULL);
  /* That nothing is shown yet is no error, but a hint in the middle. */
  const bool hint = set != NULL && set->target == NULL, failed = set != NULL && set->error != NULL && !hint;

  if (self->message != NULL)
    g_string_append (text, self->message);
  else if (set != NULL && set->error != NULL)
    g_string_append (text, set->error);
  else if (kg_viewport_shows_image (set))
    g_string_append_printf (text, _ ("Image, %d × %d pixels"), kg_image_get_width (set->value.image),
                            kg_image_get_height (set->value.image));
  else if (set != NULL && set->has_value && set->value.kind == KG_GEOMETRY)
    append_geometry (text, set->value.geometry);
  else if (set != NULL && set->has_value)
    g_string_append (text, kg_kind_get_phrase (set->value.kind));
  if (set != NULL && set->has_value && self->message == NULL) {
    g_autofree char *duration = kg_number_format_duration (set->seconds);

    g_string_append_printf (text, "  ·  %s", duration);
  }
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

static gboolean
on_message_old (gpointer data)
{
  KgViewport *self = KG_VIEWPORT (data);

  self->message_source = 0;
  kg_viewport_set_message (self, NULL);
  return G_SOURCE_REMOVE;
}

/* What the graph refused; gone with the next change, and after a while in any case. */
void
kg_viewport_set_message (KgViewport *self, const char *text)
{
  g_clear_handle_id (&self->message_source, g_source_remove);
  if (text != NULL)
    self->message_source = g_timeout_add_seconds (MESSAGE_SECONDS, on_message_old, self);
  if (g_strcmp0 (text, self->message) == 0)
    return;
  g_free (self->message);
  self->message = g_strdup (text);
  kg_viewport_describe (self, kg_worker_get_result (self->worker));
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
  kg_viewport_describe (self, set);
  if (kg_viewport_shows_solid (set) && !self->framed)
    kg_viewport_frame_all (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Where things are. */

void
kg_viewport_place_picture (KgViewport *self)
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
bool
kg_viewport_get_projection (KgViewport *self, KgProjection *projection)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const double width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));
  KgNode *node;

  if (kg_viewport_shows_solid (set)) {
    if (is_from_scene (self, set))
      kg_projection_from_camera (projection, kg_scene_get_camera (set->value.scene, 0), 0, 0, width, height);
    else
      kg_projection_from_orbit (projection, &self->orbit, width, height);
    return true;
  }
  node = kg_viewport_shows_image (set) && self->texture != NULL ? find_shown_node (self, set->target) : NULL;
  if (node == NULL)
    return false;
  kg_viewport_place_picture (self);
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

  kg_viewport_place_picture (self);
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
  if (kg_viewport_shows_solid (set) && kg_viewport_get_projection (self, &projection)) {
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
  if (set != NULL && set->has_value && set->value.kind == KG_TRANSFORM &&
      kg_viewport_get_projection (self, &projection))
    kg_scene_view_draw_frame (cr, &projection, set->value.transform, 60);
  if (set != NULL && set->has_value && !kg_viewport_shows_image (set) &&
      (!kg_viewport_shows_solid (set) || set->value.kind == KG_TRANSFORM))
    kg_value_view_draw (cr, context, &set->value, width, height);
  if (kg_handle_view_get_shown (self->handles) && kg_viewport_get_projection (self, &projection))
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

/* Whoever turns the view turns away from the camera. */
void
kg_viewport_leave_scene_camera (KgViewport *self)
{
  if (!self->from_scene)
    return;
  self->from_scene = false;
  g_object_notify_by_pspec (G_OBJECT (self), properties[KG_VIEWPORT_PROP_SCENE_CAMERA]);
}

/* The widget. */

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
  kg_viewport_emit_view_changed (self);
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
  case KG_VIEWPORT_PROP_STYLE:
    g_value_set_string (value, kg_viewport_style_names[self->style]);
    break;
  case KG_VIEWPORT_PROP_HANDLES:
    g_value_set_boolean (value, self->handles != NULL && kg_handle_view_get_shown (self->handles));
    break;
  case KG_VIEWPORT_PROP_ONION:
    g_value_set_boolean (value, self->onion_shown);
    break;
  case KG_VIEWPORT_PROP_DEPTH:
    g_value_set_boolean (value, self->depth);
    break;
  case KG_VIEWPORT_PROP_SCENE_CAMERA:
    g_value_set_boolean (value, self->from_scene);
    break;
  case KG_VIEWPORT_PROP_DRAW:
    g_value_set_boolean (value, self->draws);
    break;
  case KG_VIEWPORT_PROP_RECORD:
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

  if (!kg_viewport_check_need (self, id, G_VALUE_HOLDS_BOOLEAN (value) && g_value_get_boolean (value)))
    return;
  switch (id) {
  case KG_VIEWPORT_PROP_STYLE:
    for (guint i = 0; i < G_N_ELEMENTS (kg_viewport_style_names); i++)
      if (g_strcmp0 (g_value_get_string (value), kg_viewport_style_names[i]) == 0)
        self->style = (KgSolidStyle) i;
    break;
  case KG_VIEWPORT_PROP_HANDLES:
    kg_handle_view_set_shown (self->handles, g_value_get_boolean (value));
    break;
  case KG_VIEWPORT_PROP_ONION:
    self->onion_shown = g_value_get_boolean (value);
    break;
  case KG_VIEWPORT_PROP_DEPTH:
    self->depth = g_value_get_boolean (value);
    make_textures (self, kg_worker_get_result (self->worker));
    break;
  case KG_VIEWPORT_PROP_SCENE_CAMERA:
    if (self->from_scene == g_value_get_boolean (value))
      return;
    self->from_scene = g_value_get_boolean (value);
    break;
  case KG_VIEWPORT_PROP_DRAW:
    self->draws = g_value_get_boolean (value);
    gtk_widget_set_cursor_from_name (GTK_WIDGET (self), self->draws ? "crosshair" : NULL);
    break;
  case KG_VIEWPORT_PROP_RECORD:
    kg_handle_view_set_recording (self->handles, g_value_get_boolean (value));
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  g_object_notify_by_pspec (object, pspec);
  kg_viewport_emit_view_changed (self);
}

static void
kg_viewport_dispose (GObject *object)
{
  KgViewport *self = KG_VIEWPORT (object);

  g_clear_pointer (&self->popover, gtk_widget_unparent);
  g_clear_pointer (&self->menu, gtk_widget_unparent);
  g_clear_pointer (&self->status, gtk_widget_unparent);
  g_clear_pointer (&self->handles, kg_handle_view_free);
  g_clear_handle_id (&self->message_source, g_source_remove);
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
kg_viewport_class_init (KgViewportClass *class)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  G_OBJECT_CLASS (class)->dispose = kg_viewport_dispose;
  G_OBJECT_CLASS (class)->get_property = kg_viewport_get_property;
  G_OBJECT_CLASS (class)->set_property = kg_viewport_set_property;
  widget->snapshot = kg_viewport_snapshot;
  widget->size_allocate = kg_viewport_size_allocate;
  signals[VIEW_CHANGED] =
      g_signal_new ("view-changed", KG_TYPE_VIEWPORT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[FRAME_SHOWN] =
      g_signal_new ("frame-shown", KG_TYPE_VIEWPORT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  properties[KG_VIEWPORT_PROP_STYLE] = g_param_spec_string ("style", NULL, NULL, "shaded", flags);
  properties[KG_VIEWPORT_PROP_HANDLES] = g_param_spec_boolean ("handles", NULL, NULL, TRUE, flags);
  properties[KG_VIEWPORT_PROP_ONION] = g_param_spec_boolean ("onion-skins", NULL, NULL, FALSE, flags);
  properties[KG_VIEWPORT_PROP_DEPTH] = g_param_spec_boolean ("depth", NULL, NULL, FALSE, flags);
  properties[KG_VIEWPORT_PROP_SCENE_CAMERA] = g_param_spec_boolean ("scene-camera", NULL, NULL, TRUE, flags);
  properties[KG_VIEWPORT_PROP_DRAW] = g_param_spec_boolean ("draw", NULL, NULL, FALSE, flags);
  properties[KG_VIEWPORT_PROP_RECORD] = g_param_spec_boolean ("record", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (G_OBJECT_CLASS (class), KG_VIEWPORT_N_PROPERTIES, properties);
  for (guint i = 1; i < KG_VIEWPORT_N_PROPERTIES; i++) {
    g_autofree char *action = g_strconcat ("viewport.", properties[i]->name, NULL);

    gtk_widget_class_install_property_action (widget, action, properties[i]->name);
  }
  kg_viewport_install_actions (widget);
  gtk_widget_class_set_css_name (widget, "viewport");
  gtk_widget_class_set_accessible_role (widget, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
kg_viewport_init (KgViewport *self)
{
  g_signal_connect (self, "notify::scale-factor", G_CALLBACK (kg_viewport_emit_view_changed), NULL);
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
  kg_viewport_add_controllers (self);
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
  g_signal_connect_object (document, "frame-changed", G_CALLBACK (kg_viewport_frame_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "changed", G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
