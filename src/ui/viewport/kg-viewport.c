/* kg-viewport: the widget: what is shown, where things are in it, and the image on the screen.  The pointer is in
 * kg-viewport-pointer.c, keys and commands in kg-viewport-actions.c.
 *
 * Images come from the worker.  What belongs around them is drawn by parts that know no widgets: kg-image-view,
 * kg-scene-view, kg-value-view and kg-handle-view.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-input-value.h"
#include "kg-number.h"
#include "kg-outline-edit.h"
#include "kg-scene-view.h"
#include "kg-value-view.h"
#include "kg-view-menu.h"
#include "kg-viewport-private.h"
#include "kg-widget.h"

#include <glib/gi18n.h>

#define MAX_SIDE 2048
/* A message has been read after so many. */
#define MESSAGE_SECONDS 8

enum { VIEW_CHANGED, FRAME_SHOWN, N_SIGNALS };

static guint signals[N_SIGNALS];

static GParamSpec *properties[KG_VIEWPORT_N_PROPERTIES];

const char *const kg_viewport_style_names[] = { "shaded", "wireframe", "points" };

/* As the property "proxy" names them, each with half the pixels along a side of the one before. */
static const char *const proxy_names[] = { "full", "half", "quarter", "eighth" };

G_DEFINE_FINAL_TYPE (KgViewport, kg_viewport, GTK_TYPE_WIDGET)

/* What is shown. */

bool
kg_viewport_shows_solid (const KgResultSet *set)
{
  return set != NULL && set->stage != NULL;
}

/* Seen through a camera of the scene itself. */
static bool
is_from_scene (KgViewport *self, const KgResultSet *set)
{
  return self->from_scene && set->through;
}

bool
kg_viewport_shows_image (const KgResultSet *set)
{
  return set != NULL && set->stage == NULL && set->has_value && set->value.kind == KG_IMAGE;
}

/* Of the part that shows the scene, or the image that is displayed; the rest is beside it. */
static double
kg_viewport_get_main_width (KgViewport *self)
{
  const int width = gtk_widget_get_width (GTK_WIDGET (self));

  return self->beside_shown ? floor (0.5 * width) : width;
}

/* An image that took longer than this (seconds) is drafted while the view moves, and a draft may take so long. */
#define QUICK 0.030

static KgView
get_view (KgViewport *self)
{
  const double scale = gtk_widget_get_scale_factor (GTK_WIDGET (self));
  const double width = kg_viewport_get_main_width (self), height = gtk_widget_get_height (GTK_WIDGET (self));
  const bool draft = self->moving && self->full_seconds > QUICK;
  const double k = scale * fmin (1, MAX_SIDE / fmax (1, scale * fmax (width, height))) *
                   (draft ? self->draft_share : 1);

  return (KgView){ .width = (int) (k * width),
                   .height = (int) (k * height),
                   .beside_width = self->beside_shown ? (int) (k * (gtk_widget_get_width (GTK_WIDGET (self)) - width))
                                                      : 0,
                   .scale = k,
                   .from_scene = self->from_scene,
                   .eye = kg_orbit_get_eye (&self->orbit),
                   .target = self->orbit.target,
                   .orthographic = self->orbit.parallel,
                   .fov = self->orbit.fov / KG_DEGREE,
                   .height_metres = kg_orbit_get_height (&self->orbit),
                   .near_plane = 1e-3 * self->orbit.distance,
                   .far_plane = 1e3 * self->orbit.distance,
                   .headlight = self->headlight,
                   .style = self->style,
                   .draft = draft,
                   .coarser = self->coarse ? self->coarser : 0,
                   .proxy = self->proxy,
                   .refines = !self->moving };
}

/* A part of an image is worth being made alone where all has so many pixels, and most of them are out of sight. */
#define PART_FROM 500000
#define PART_MOST 0.6
/* Around what is in sight, as a share of the viewport: a small step to the side needs nothing new. */
#define PART_MARGIN 0.15

/* Where the image that is shown stands, and is to be shown again: the part of it that is in sight. */
static void
find_part (KgViewport *self, const KgRequest *request, KgImagePart *part)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  int width, height;

  *part = (KgImagePart){ 0 };
  if (request->stage != NULL || !kg_viewport_shows_image (set) || set->image == NULL ||
      set->view.proxy != self->proxy || !kg_viewport_shows_pixels (self) || kg_document_is_playing (self->document) ||
      g_strcmp0 (set->target, request->target) != 0)
    return;
  width = set->is_part ? set->view.part.width : kg_image_get_width (set->image);
  height = set->is_part ? set->view.part.height : kg_image_get_height (set->image);
  kg_viewport_place_image (self);
  if (!kg_image_view_find_part (&self->image, width, height, kg_viewport_get_main_width (self),
                                gtk_widget_get_height (GTK_WIDGET (self)), PART_MARGIN, part) ||
      (double) width * height < PART_FROM ||
      (double) part->part_width * part->part_height > PART_MOST * (double) width * height)
    *part = (KgImagePart){ 0 };
}

void
kg_viewport_image_moved (KgViewport *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const KgImagePart *has;
  KgImagePart sight;

  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (set == NULL || !set->is_part)
    return;
  has = &set->view.part;
  kg_viewport_place_image (self);
  if (kg_image_view_find_part (&self->image, has->width, has->height, kg_viewport_get_main_width (self),
                               gtk_widget_get_height (GTK_WIDGET (self)), 0, &sight) &&
      (sight.x < has->x || sight.y < has->y || sight.x + sight.part_width > has->x + has->part_width ||
       sight.y + sight.part_height > has->y + has->part_height))
    kg_viewport_emit_view_changed (self);
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

/* The camera of an image of a scene is in one of these. */
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

/* Whether an output of the node is shown as it is, or on the stage. */
static bool
is_shown (KgNode *node, const KgRequest *request)
{
  g_autofree char *path = kg_node_dup_path (node), *prefix = g_strconcat (path, ".", NULL);
  bool found = request->target != NULL && g_str_has_prefix (request->target, prefix);

  for (guint i = 0; request->stage != NULL && i < request->stage->len && !found; i++)
    found = g_str_has_prefix (((const KgStageItem *) g_ptr_array_index (request->stage, i))->target, prefix);
  return found;
}

void
kg_viewport_fill_request (KgViewport *self, KgRequest *request)
{
  const KgHandles handles = kg_handle_view_get_handles (self->handles);
  const KgFrames frames = kg_graph_get_frames (kg_document_get_graph (self->document));
  KgNode *node = find_shown_node (self, request->target);
  KgGraph *root = kg_document_get_graph (self->document);
  KgNode *shown = NULL;
  guint output;

  /* A file may display an output that its node does not have. */
  if (request->target != NULL && !kg_graph_find_output (root, request->target, &shown, &output, NULL))
    shown = NULL;
  request->view = get_view (self);
  request->stage = kg_stage_list (root, kg_document_get_current (self->document), request->target);
  request->only_stage = shown != NULL && kg_node_get_slot_kind (shown, output) == KG_IMAGE && self->scene_view &&
                        !self->beside_shown;
  /* An image is shown as it is; other values without a place in space too. */
  if (request->stage->len == 0 || (shown != NULL && !self->scene_view && !self->beside_shown &&
                                   !kg_stage_takes (kg_node_get_slot_kind (shown, output))))
    g_clear_pointer (&request->stage, g_ptr_array_unref);
  if (self->from_scene && self->camera != NULL && kg_graph_find_output (root, self->camera, &shown, &output, NULL))
    request->camera = g_strdup (self->camera);
  request->wanted = kg_handles_dup_wanted (self->document, handles.node);
  if (node != NULL && handles.node != NULL)
    add_cameras (node, request->wanted);
  if (handles.node != NULL && kg_handle_view_get_paths_shown (self->handles))
    request->paths = kg_handles_dup_computed_paths (&handles, is_shown (handles.node, request));
  find_part (self, request, &request->view.part);
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
  bytes = g_bytes_new_take (kg_image_view_dup_pixels (image, depth), stride * (gsize) kg_image_get_height (image));
  return gdk_memory_texture_new (kg_image_get_width (image), kg_image_get_height (image), GDK_MEMORY_R8G8B8A8, bytes,
                                 stride);
}

bool
kg_viewport_shows_pixels (KgViewport *self)
{
  return !self->depth && !self->onion_shown && !self->beside_shown;
}

/* width, height: of the texture. */
static void
place_texture (KgViewport *self, const KgResultSet *set, int width, int height)
{
  const KgImagePart *part = &set->view.part;
  const int step = kg_result_set_get_step (set);

  self->image.step = step;
  self->image.left = set->is_part ? part->x : 0;
  self->image.top = set->is_part ? part->y : 0;
  self->image_width = step * (set->is_part ? part->width : width);
  self->image_height = step * (set->is_part ? part->height : height);
}

static void
make_textures (KgViewport *self, const KgResultSet *set)
{
  KgImage *image = set != NULL ? set->image : NULL;

  if (set != NULL && set->pixels != NULL) {
    g_clear_object (&self->ghosts);
    g_clear_object (&self->texture);
    g_clear_pointer (&self->image_shown, kg_image_unref);
    self->texture = gdk_memory_texture_new (set->pixels_width, set->pixels_height, GDK_MEMORY_R8G8B8A8, set->pixels,
                                            4 * (gsize) set->pixels_width);
    place_texture (self, set, set->pixels_width, set->pixels_height);
    return;
  }

  g_clear_object (&self->ghosts);
  if (set == NULL || !set->view.draft) {
    g_clear_object (&self->beside);
    self->beside = make_texture (set != NULL ? set->beside : NULL, false);
  }
  if (set != NULL)
    self->ghosts = make_texture (set->ghosts, false);
  if (image != NULL)
    place_texture (self, set, kg_image_get_width (image), kg_image_get_height (image));
  /* Values are never changed, so that the same image is the same texture. */
  if (image == self->image_shown && self->depth == self->depth_shown)
    return;
  g_clear_object (&self->texture);
  g_clear_pointer (&self->image_shown, kg_image_unref);
  self->texture = make_texture (image, self->depth);
  self->image_shown = image != NULL ? kg_image_ref (image) : NULL;
  self->depth_shown = self->depth;
}

void
kg_viewport_frame_all (KgViewport *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const double width = kg_viewport_get_main_width (self), height = gtk_widget_get_height (GTK_WIDGET (self));
  KgVector low, high;

  if (kg_viewport_shows_solid (set) && height > 0 && kg_scene_view_get_bounds (set->stage, &low, &high)) {
    kg_orbit_frame (&self->orbit, low, high, width / height);
    self->framed = true;
    kg_viewport_emit_view_changed (self);
  }
  self->image.fit = true;
  kg_viewport_image_moved (self);
}

static void
append_geometry (GString *text, const KgGeometry *geometry)
{
  const gsize points = kg_geometry_get_n_points (geometry), primitives = kg_geometry_get_n_primitives (geometry);

  g_string_append_printf (text, ngettext ("Geometry, %zu point", "Geometry, %zu points", points), points);
  g_string_append_printf (text, ngettext (", %zu primitive", ", %zu primitives", primitives), primitives);
}

/* Whose eye it is: the camera, or the side of an axis view. */
static void
append_eye (KgViewport *self, const KgResultSet *set, GString *text)
{
  KgNode *camera = is_from_scene (self, set) ? kg_viewport_find_camera_node (self) : NULL;

  if (camera != NULL) {
    g_string_append (text, "  ·  ");
    g_string_append_printf (text, self->locked ? _ ("Camera %s, locked to the view") : _ ("Camera %s"),
                            kg_node_get_name (camera));
  } else if (self->side != NULL && !is_from_scene (self, set))
    g_string_append_printf (text, "  ·  %s", _ (self->side));
}

static void
append_selected (KgViewport *self, GString *text)
{
  const guint n = self->handles != NULL ? kg_handle_view_get_n_selected (self->handles) : 0;

  if (n > 0) {
    g_string_append (text, "  ·  ");
    g_string_append_printf (text, ngettext ("%u handle selected", "%u handles selected", n), n);
  }
}

static void
append_image_size (KgViewport *self, const KgResultSet *set, GString *text)
{
  g_string_append_printf (text, _ ("Image, %d × %d pixels"), self->image_width, self->image_height);
  if (set->is_part) {
    g_string_append (text, "  ·  ");
    g_string_append_printf (text, _ ("Part of %d × %d"), set->view.part.part_width, set->view.part.part_height);
  }
  if (self->proxy > 1) {
    g_string_append (text, "  ·  ");
    g_string_append_printf (text, _ ("Proxy 1/%d"), self->proxy);
  }
}

void
kg_viewport_describe (KgViewport *self, const KgResultSet *set)
{
  g_autoptr (GString) text = g_string_new (NULL);
  /* That nothing is shown yet is not an error: a hint in the middle says so. */
  const bool picking = kg_document_get_picking (self->document) != NULL;
  const bool hint = set != NULL && set->target == NULL, failed = set != NULL && set->error != NULL && !hint;

  if (self->message != NULL)
    g_string_append (text, self->message);
  else if (picking)
    g_string_append (text, _ ("Click a pixel for its colour, or drag for the mean of a rectangle; Escape cancels"));
  else if (set != NULL && set->error != NULL)
    g_string_append (text, set->error);
  else if (kg_viewport_shows_image (set))
    append_image_size (self, set, text);
  else if (set != NULL && set->has_value && set->value.kind == KG_GEOMETRY)
    append_geometry (text, set->value.geometry);
  else if (set != NULL && set->has_value && !(kg_viewport_shows_solid (set) && set->value.kind == KG_IMAGE))
    g_string_append (text, kg_kind_get_phrase (set->value.kind));
  else if (kg_viewport_shows_solid (set))
    g_string_append_printf (text, ngettext ("Scene view, %u thing", "Scene view, %u things", set->stage->len),
                            set->stage->len);
  if (kg_viewport_shows_solid (set) && set->error == NULL && self->message == NULL && !picking)
    append_eye (self, set, text);
  if (set != NULL && (set->has_value || set->stage != NULL) && set->error == NULL && self->message == NULL &&
      !picking) {
    g_autofree char *duration = kg_number_format_duration (set->seconds);

    g_string_append_printf (text, "  ·  %s", duration);
    append_selected (self, text);
  }
  gtk_label_set_text (GTK_LABEL (self->status), text->str);
  kg_widget_set_class (self->status, "kg-error", failed || self->message != NULL);
  if (hint != gtk_widget_has_css_class (self->status, "kg-hint")) {
    kg_widget_set_class (self->status, "kg-hint", hint);
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

/* Drafts are as coarse as they must be to keep up; after one comes the image itself. */
static void
take_speed (KgViewport *self, const KgResultSet *set)
{
  if (!kg_viewport_shows_solid (set))
    return;
  if (!set->view.draft) {
    self->full_seconds = set->drawing;
    self->moving = false;
    return;
  }
  if (set->drawing > QUICK)
    self->draft_share = fmax (0.25, self->draft_share * fmax (0.6, sqrt (QUICK / set->drawing)));
  else if (set->drawing < 0.5 * QUICK)
    self->draft_share = fmin (1, 1.2 * self->draft_share);
  self->moving = false;
  g_signal_emit (self, signals[VIEW_CHANGED], 0);
}

/* While a handle is dragged a result may take so long (seconds); at rest for so many milliseconds it is shown as it is. */
#define QUICK_RESULT 0.040
#define REST 200

/* What takes a quarter of the time for each step is made as coarse as it must be to keep up. */
static void
take_pace (KgViewport *self, const KgResultSet *set)
{
  if (!self->coarse || set == NULL)
    return;
  if (set->seconds > QUICK_RESULT && set->view.coarser == self->coarser)
    self->coarser = MIN (self->coarser + (int) ceil (0.5 * log2 (set->seconds / QUICK_RESULT)), KG_VIEWPORT_COARSEST);
  else if (set->seconds < 0.2 * QUICK_RESULT && set->view.coarser == self->coarser && self->coarser > 0)
    self->coarser--;
}

static gboolean
on_rest (gpointer data)
{
  KgViewport *self = KG_VIEWPORT (data);
  const KgResultSet *set = kg_worker_get_result (self->worker);

  self->rest_source = 0;
  self->coarse = false;
  if (self->coarser > 0 || (set != NULL && set->view.coarser > 0))
    kg_viewport_emit_view_changed (self);
  return G_SOURCE_REMOVE;
}

void
kg_viewport_handle_moved (KgViewport *self)
{
  self->coarse = true;
  g_clear_handle_id (&self->rest_source, g_source_remove);
  self->rest_source = g_timeout_add (REST, on_rest, self);
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
    kg_handle_view_set_paths (self->handles, set->paths);
    kg_handle_view_set_stage (self->handles, set->stage);
  }
  make_textures (self, set);
  kg_viewport_describe (self, set);
  take_speed (self, set);
  take_pace (self, set);
  if (kg_viewport_shows_solid (set) && !self->framed)
    kg_viewport_frame_all (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Where things are. */

void
kg_viewport_place_image (KgViewport *self)
{
  kg_image_view_place (&self->image, self->texture != NULL ? self->image_width : 1,
                       self->texture != NULL ? self->image_height : 1, kg_viewport_get_main_width (self),
                       gtk_widget_get_height (GTK_WIDGET (self)));
}

/* An image of the plane: its node says what is in the middle, and how much fits into it. */
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
  kg_projection_from_drawing (projection, center.vector, view_height.number, self->image_width, self->image_height,
                              self->image.x, self->image.y, self->image.zoom);
  return true;
}

/* Points that a node looks for in an image are places in the image, whatever that shows: its centre is the origin, its
 * height is 2. */
static bool
get_image (KgViewport *self, KgNode *node, KgProjection *projection)
{
  bool takes = false, places = false;

  for (guint i = 0; node != NULL && i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);

    takes = takes || (slot->role == KG_SLOT_INPUT && slot->kind == KG_IMAGE);
    places = places || slot->handle.kind == KG_HANDLE_POINTS || slot->handle.kind == KG_HANDLE_LINES;
  }
  if (takes && places)
    kg_projection_from_drawing (projection, kg_vector (0, 0, 0), 2, self->image_width, self->image_height,
                                self->image.x, self->image.y, self->image.zoom);
  return takes && places;
}

/* Outlines are in the pixels of whatever image is shown, as their node scales, turns and moves them: so the view is turned and
 * moved against them. */
static bool
get_outline (KgViewport *self, const KgResultSet *set, KgProjection *projection)
{
  const KgHandles handles = kg_handle_view_get_handles (self->handles);
  const int slot = kg_outline_find_slot (&handles);
  double scale, turn;
  KgVector offset;

  /* Pixels that are not square would be no projection. */
  if (slot < 0 || (set->image != NULL && kg_image_get_pixel_aspect (set->image) != 1) ||
      !kg_outline_get_frame (&handles, (guint) slot, &scale, &turn, &offset))
    return false;
  kg_projection_from_drawing (projection, kg_vector (0, 0, 0), self->image_height / fabs (scale), self->image_width,
                              self->image_height, self->image.x, self->image.y, self->image.zoom);
  /* A negative scale turns by half a circle. */
  turn += scale < 0 ? KG_PI : 0;
  projection->right = kg_vector (cos (turn), -sin (turn), 0);
  projection->up = kg_vector (sin (turn), cos (turn), 0);
  projection->center_x += self->image.zoom * offset.x;
  projection->center_y -= self->image.zoom * offset.y;
  return true;
}

/* An image of scenes, through the first camera among them. */
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
      kg_projection_from_camera (projection, kg_scene_get_camera (value->scene, 0), self->image.x, self->image.y,
                                 self->image.zoom * self->image_width, self->image.zoom * self->image_height);
      return true;
    }
  }
  return false;
}

/* False when the place of a point of the world in what is shown is unknown. */
bool
kg_viewport_get_projection (KgViewport *self, KgProjection *projection)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const double width = kg_viewport_get_main_width (self), height = gtk_widget_get_height (GTK_WIDGET (self));
  KgNode *node;

  if (kg_viewport_shows_solid (set)) {
    if (is_from_scene (self, set))
      kg_projection_from_camera (projection, &set->camera, 0, 0, width, height);
    else
      kg_projection_from_orbit (projection, &self->orbit, width, height);
    return true;
  }
  node = kg_viewport_shows_image (set) && self->texture != NULL ? find_shown_node (self, set->target) : NULL;
  if (node == NULL)
    return false;
  kg_viewport_place_image (self);
  return get_outline (self, set, projection) || get_image (self, kg_document_get_active (self->document), projection) ||
         get_drawing (self, node, projection) || get_rendering (self, node, set, projection);
}

/* Drawing. */

static void
append_image (KgViewport *self, GtkSnapshot *snapshot, double width, double height)
{
  const graphene_rect_t all = GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height);
  graphene_rect_t place;
  double x, y, w, h, step;
  cairo_t *cr;

  kg_viewport_place_image (self);
  step = self->image.zoom * MAX (self->image.step, 1);
  x = self->image.x;
  y = self->image.y;
  w = self->image.zoom * self->image_width;
  h = self->image.zoom * self->image_height;
  place = GRAPHENE_RECT_INIT ((float) (x + step * self->image.left), (float) (y + step * self->image.top),
                              (float) (step * gdk_texture_get_width (self->texture)),
                              (float) (step * gdk_texture_get_height (self->texture)));
  cr = gtk_snapshot_append_cairo (snapshot, &all);
  kg_image_view_draw_checkers (cr, fmax (0, x), fmax (0, y), fmin (width, x + w) - fmax (0, x),
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

/* The rectangle whose mean is picked. */
static void
draw_pick (KgViewport *self, cairo_t *cr)
{
  cairo_rectangle (cr, self->start_x, self->start_y, self->pointer_x - self->start_x, self->pointer_y - self->start_y);
  cairo_set_source_rgb (cr, 1, 0.95, 0.55);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
}

/* Width over height of the images that are made of the scene. */
static double
get_aspect (KgViewport *self, const KgResultSet *set)
{
  KgNode *node = find_shown_node (self, set->target);
  const double frame = kg_document_get_frame (self->document);
  const int width_slot = node != NULL ? kg_node_find_slot (node, "width") : -1;
  const int height_slot = node != NULL ? kg_node_find_slot (node, "height") : -1;
  g_auto (KgValue) width = KG_VALUE_INIT, height = KG_VALUE_INIT;

  if (set->has_value && set->value.kind == KG_IMAGE)
    return (double) kg_image_get_width (set->value.image) / kg_image_get_height (set->value.image);
  if (width_slot >= 0 && height_slot >= 0 && kg_input_get_value (node, (guint) width_slot, frame, &width) &&
      kg_input_get_value (node, (guint) height_slot, frame, &height) && width.kind == KG_INTEGER &&
      height.kind == KG_INTEGER && width.integer > 0 && height.integer > 0)
    return (double) width.integer / (double) height.integer;
  return 16.0 / 9;
}

static void
draw_scene_view (KgViewport *self, GtkSnapshot *snapshot, const KgResultSet *set, const KgProjection *projection,
                 const graphene_rect_t *main)
{
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, main);

  if (self->grid)
    kg_scene_view_draw_floor (cr, projection, self->orbit.distance);
  cairo_destroy (cr);
  if (self->ghosts != NULL)
    gtk_snapshot_append_texture (snapshot, self->ghosts, main);
  if (self->texture != NULL)
    gtk_snapshot_append_texture (snapshot, self->texture, main);
  cr = gtk_snapshot_append_cairo (snapshot, main);
  kg_scene_view_draw_things (cr, projection, set->stage, is_from_scene (self, set) ? &set->camera : NULL,
                             get_aspect (self, set));
  cairo_destroy (cr);
}

/* What is displayed, on the right of the scene it is made of. */
static void
append_beside (KgViewport *self, GtkSnapshot *snapshot, double left, double width, double height)
{
  const graphene_rect_t all = GRAPHENE_RECT_INIT ((float) left, 0, (float) width, (float) height);
  const graphene_rect_t border = GRAPHENE_RECT_INIT ((float) left, 0, 1, (float) height);
  const GdkRGBA ground = { 0.10f, 0.10f, 0.12f, 1 }, line = { 0.05f, 0.05f, 0.06f, 1 };

  gtk_snapshot_append_color (snapshot, &ground, &all);
  gtk_snapshot_append_color (snapshot, &line, &border);
  if (self->beside != NULL) {
    const double w = gdk_texture_get_width (self->beside), h = gdk_texture_get_height (self->beside);
    const double zoom = fmin ((width - 1) / w, height / h);
    const double x = left + 1 + 0.5 * (width - 1 - zoom * w), y = 0.5 * (height - zoom * h);
    const graphene_rect_t place = GRAPHENE_RECT_INIT ((float) x, (float) y, (float) (zoom * w), (float) (zoom * h));
    cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &all);

    kg_image_view_draw_checkers (cr, x, y, zoom * w, zoom * h);
    cairo_destroy (cr);
    gtk_snapshot_append_texture (snapshot, self->beside, &place);
  }
}

/* Around handles. */
static void
draw_box (KgViewport *self, cairo_t *cr)
{
  cairo_rectangle (cr, self->start_x, self->start_y, self->pointer_x - self->start_x, self->pointer_y - self->start_y);
  cairo_set_source_rgba (cr, 1, 0.95, 0.55, 0.12);
  cairo_fill_preserve (cr);
  cairo_set_source_rgba (cr, 1, 0.95, 0.55, 0.9);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

static void
kg_viewport_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  KgViewport *self = KG_VIEWPORT (widget);
  const double width = kg_viewport_get_main_width (self), height = gtk_widget_get_height (widget);
  const double whole = gtk_widget_get_width (widget);
  const graphene_rect_t all = GRAPHENE_RECT_INIT (0, 0, (float) whole, (float) height);
  const graphene_rect_t main = GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height);
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const GdkRGBA ground = { 0.16f, 0.17f, 0.19f, 1 };
  PangoContext *context = gtk_widget_get_pango_context (widget);
  KgProjection projection;
  cairo_t *cr;

  gtk_snapshot_push_clip (snapshot, &all);
  gtk_snapshot_append_color (snapshot, &ground, &all);
  gtk_snapshot_push_clip (snapshot, &main);
  if (kg_viewport_shows_solid (set) && kg_viewport_get_projection (self, &projection))
    draw_scene_view (self, snapshot, set, &projection, &main);
  else if (self->texture != NULL)
    append_image (self, snapshot, width, height);
  cr = gtk_snapshot_append_cairo (snapshot, &main);
  if (set != NULL && set->has_value && !kg_viewport_shows_image (set) &&
      (!kg_viewport_shows_solid (set) || set->value.kind == KG_TRANSFORM))
    kg_value_view_draw (cr, context, &set->value, width, height);
  if (kg_handle_view_get_shown (self->handles) && kg_viewport_get_projection (self, &projection))
    kg_handle_view_draw (self->handles, cr, context, &projection, width, height);
  draw_stroke (self, cr);
  if (self->drag == KG_VIEWPORT_DRAG_BOX)
    draw_box (self, cr);
  if (self->drag == KG_VIEWPORT_DRAG_PICK)
    draw_pick (self, cr);
  cairo_destroy (cr);
  gtk_snapshot_pop (snapshot);
  if (self->beside_shown)
    append_beside (self, snapshot, width, whole - width, height);
  gtk_widget_snapshot_child (widget, self->status, snapshot);
  gtk_widget_snapshot_child (widget, self->bar, snapshot);
  gtk_snapshot_pop (snapshot);
  if (self->frame_waits) {
    self->frame_waits = false;
    g_signal_emit (self, signals[FRAME_SHOWN], 0);
  }
}

/* Whoever turns the view turns away from the camera, or takes it along. */

static void
leave_scene_camera (KgViewport *self)
{
  if (!self->from_scene)
    return;
  self->from_scene = false;
  g_object_notify_by_pspec (G_OBJECT (self), properties[KG_VIEWPORT_PROP_SCENE_CAMERA]);
}

void
kg_viewport_turn (KgViewport *self, double dx, double dy)
{
  if (self->axis_view) {
    self->axis_view = self->orbit.parallel = false;
    g_object_notify_by_pspec (G_OBJECT (self), properties[KG_VIEWPORT_PROP_ORTHOGRAPHIC]);
  }
  self->side = NULL;
  kg_orbit_drag (&self->orbit, dx, dy);
}

void
kg_viewport_orbit_begin (KgViewport *self)
{
  self->lock_step = 0;
  if (self->locked && self->from_scene)
    kg_viewport_take_camera (self);
}

void
kg_viewport_orbit_changed (KgViewport *self)
{
  g_autoptr (GError) error = NULL;

  if (!self->locked || !self->from_scene)
    leave_scene_camera (self);
  else if (!kg_viewport_place_camera (self, &self->lock_step, &error))
    kg_viewport_set_message (self, error->message);
  self->moving = true;
  kg_viewport_emit_view_changed (self);
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
  gtk_widget_measure (self->bar, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &corner.width, NULL, NULL);
  gtk_widget_measure (self->bar, GTK_ORIENTATION_VERTICAL, corner.width, NULL, &corner.height, NULL, NULL);
  corner.x = width - corner.width - 4;
  gtk_widget_size_allocate (self->bar, &corner, -1);
  if (self->popover != NULL)
    gtk_popover_present (GTK_POPOVER (self->popover));
  /* Placed again at the same size, as after every new text below the image, it shows the same. */
  if (width != self->width || height != self->height) {
    self->width = width;
    self->height = height;
    g_signal_emit (self, signals[VIEW_CHANGED], 0);
  }
}

static guint
get_snap (guint property)
{
  return property == KG_VIEWPORT_PROP_SNAP_GRID     ? KG_SNAP_GRID
         : property == KG_VIEWPORT_PROP_SNAP_POINTS ? KG_SNAP_POINTS
                                                    : KG_SNAP_ANGLES;
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
  case KG_VIEWPORT_PROP_SCENE:
    g_value_set_boolean (value, self->scene_view);
    break;
  case KG_VIEWPORT_PROP_BESIDE:
    g_value_set_boolean (value, self->beside_shown);
    break;
  case KG_VIEWPORT_PROP_ORTHOGRAPHIC:
    g_value_set_boolean (value, self->orbit.parallel);
    break;
  case KG_VIEWPORT_PROP_HEADLIGHT:
    g_value_set_boolean (value, self->headlight);
    break;
  case KG_VIEWPORT_PROP_GRID:
    g_value_set_boolean (value, self->grid);
    break;
  case KG_VIEWPORT_PROP_LOCK:
    g_value_set_boolean (value, self->locked);
    break;
  case KG_VIEWPORT_PROP_PATHS:
    g_value_set_boolean (value, self->handles == NULL || kg_handle_view_get_paths_shown (self->handles));
    break;
  case KG_VIEWPORT_PROP_SNAP:
    g_value_set_boolean (value, self->snaps);
    break;
  case KG_VIEWPORT_PROP_SNAP_GRID:
  case KG_VIEWPORT_PROP_SNAP_POINTS:
  case KG_VIEWPORT_PROP_SNAP_ANGLES:
    g_value_set_boolean (value, (self->snap_to & get_snap (id)) != 0);
    break;
  case KG_VIEWPORT_PROP_SOFT:
    g_value_set_boolean (value, self->handles != NULL && kg_handle_view_get_soft (self->handles));
    break;
  case KG_VIEWPORT_PROP_SELECT:
    g_value_set_boolean (value, self->selects);
    break;
  case KG_VIEWPORT_PROP_PROXY:
    g_value_set_string (value, proxy_names[g_bit_nth_lsf ((gulong) self->proxy, -1)]);
    break;
  case KG_VIEWPORT_PROP_RECORD:
    g_value_set_boolean (value, self->handles != NULL && kg_handle_view_get_recording (self->handles));
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

/* A scene with a camera of its own is first seen through this; who asks for the scene view wants to look around in it. */
static void
look_around (KgViewport *self, bool on)
{
  if (self->from_scene == !on)
    return;
  self->from_scene = !on;
  g_object_notify_by_pspec (G_OBJECT (self), properties[KG_VIEWPORT_PROP_SCENE_CAMERA]);
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
  case KG_VIEWPORT_PROP_SCENE:
    self->scene_view = g_value_get_boolean (value);
    look_around (self, self->scene_view);
    break;
  case KG_VIEWPORT_PROP_BESIDE:
    self->beside_shown = g_value_get_boolean (value);
    look_around (self, self->beside_shown);
    break;
  case KG_VIEWPORT_PROP_ORTHOGRAPHIC:
    self->orbit.parallel = g_value_get_boolean (value);
    self->axis_view = false;
    leave_scene_camera (self);
    break;
  case KG_VIEWPORT_PROP_HEADLIGHT:
    self->headlight = g_value_get_boolean (value);
    break;
  case KG_VIEWPORT_PROP_GRID:
    self->grid = g_value_get_boolean (value);
    break;
  case KG_VIEWPORT_PROP_LOCK:
    self->locked = g_value_get_boolean (value);
    kg_viewport_describe (self, kg_worker_get_result (self->worker));
    break;
  case KG_VIEWPORT_PROP_SNAP:
    self->snaps = g_value_get_boolean (value);
    break;
  case KG_VIEWPORT_PROP_SNAP_GRID:
  case KG_VIEWPORT_PROP_SNAP_POINTS:
  case KG_VIEWPORT_PROP_SNAP_ANGLES:
    self->snap_to = (self->snap_to & ~(guint) get_snap (id)) | (g_value_get_boolean (value) ? get_snap (id) : 0);
    kg_handle_view_set_snaps (self->handles, self->snap_to);
    break;
  case KG_VIEWPORT_PROP_SOFT:
    kg_handle_view_set_soft (self->handles, g_value_get_boolean (value));
    break;
  case KG_VIEWPORT_PROP_SELECT:
    self->selects = g_value_get_boolean (value);
    break;
  case KG_VIEWPORT_PROP_DRAW:
    self->draws = g_value_get_boolean (value);
    gtk_widget_set_cursor_from_name (GTK_WIDGET (self), self->draws ? "crosshair" : NULL);
    break;
  case KG_VIEWPORT_PROP_PATHS:
    kg_handle_view_set_paths_shown (self->handles, g_value_get_boolean (value));
    break;
  case KG_VIEWPORT_PROP_PROXY:
    for (guint i = 0; i < G_N_ELEMENTS (proxy_names); i++)
      if (g_strcmp0 (g_value_get_string (value), proxy_names[i]) == 0)
        self->proxy = 1 << i;
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
  g_clear_pointer (&self->bar, gtk_widget_unparent);
  g_clear_pointer (&self->status, gtk_widget_unparent);
  g_clear_pointer (&self->handles, kg_handle_view_free);
  g_clear_handle_id (&self->message_source, g_source_remove);
  g_clear_handle_id (&self->rest_source, g_source_remove);
  g_clear_pointer (&self->message, g_free);
  g_clear_pointer (&self->stroke, g_array_unref);
  g_clear_object (&self->texture);
  g_clear_object (&self->ghosts);
  g_clear_object (&self->beside);
  g_clear_pointer (&self->camera, g_free);
  g_clear_pointer (&self->image_shown, kg_image_unref);
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
  properties[KG_VIEWPORT_PROP_SCENE] = g_param_spec_boolean ("scene-view", NULL, NULL, FALSE, flags);
  properties[KG_VIEWPORT_PROP_BESIDE] = g_param_spec_boolean ("beside", NULL, NULL, FALSE, flags);
  properties[KG_VIEWPORT_PROP_ORTHOGRAPHIC] = g_param_spec_boolean ("orthographic", NULL, NULL, FALSE, flags);
  properties[KG_VIEWPORT_PROP_HEADLIGHT] = g_param_spec_boolean ("headlight", NULL, NULL, FALSE, flags);
  properties[KG_VIEWPORT_PROP_GRID] = g_param_spec_boolean ("grid", NULL, NULL, TRUE, flags);
  properties[KG_VIEWPORT_PROP_LOCK] = g_param_spec_boolean ("lock-camera", NULL, NULL, FALSE, flags);
  properties[KG_VIEWPORT_PROP_PATHS] = g_param_spec_boolean ("motion-paths", NULL, NULL, TRUE, flags);
  properties[KG_VIEWPORT_PROP_SNAP] = g_param_spec_boolean ("snap", NULL, NULL, FALSE, flags);
  properties[KG_VIEWPORT_PROP_SNAP_GRID] = g_param_spec_boolean ("snap-grid", NULL, NULL, TRUE, flags);
  properties[KG_VIEWPORT_PROP_SNAP_POINTS] = g_param_spec_boolean ("snap-points", NULL, NULL, TRUE, flags);
  properties[KG_VIEWPORT_PROP_SNAP_ANGLES] = g_param_spec_boolean ("snap-angles", NULL, NULL, TRUE, flags);
  properties[KG_VIEWPORT_PROP_SOFT] = g_param_spec_boolean ("soft", NULL, NULL, FALSE, flags);
  properties[KG_VIEWPORT_PROP_SELECT] = g_param_spec_boolean ("select", NULL, NULL, FALSE, flags);
  properties[KG_VIEWPORT_PROP_RECORD] = g_param_spec_boolean ("record", NULL, NULL, FALSE, flags);
  properties[KG_VIEWPORT_PROP_PROXY] = g_param_spec_string ("proxy", NULL, NULL, "full", flags);
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
  self->image = (KgImageView){ .zoom = 1, .fit = true };
  self->onion = (KgOnion){ .before = 3, .after = 3, .step = 2, .opacity = 0.5 };
  self->from_scene = self->grid = true;
  self->draft_share = 1;
  self->proxy = self->image.step = 1;
  self->stroke = g_array_new (FALSE, FALSE, sizeof (KgStrokePoint));
  self->shown_time = NAN;
  self->status = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->status), 0);
  gtk_label_set_wrap (GTK_LABEL (self->status), TRUE);
  gtk_widget_add_css_class (self->status, "kg-status");
  gtk_widget_set_can_target (self->status, FALSE);
  gtk_widget_set_parent (self->status, GTK_WIDGET (self));
  self->snap_to = KG_SNAP_GRID | KG_SNAP_POINTS | KG_SNAP_ANGLES;
  self->bar = kg_view_bar_new (self, &self->onion);
  gtk_widget_set_parent (self->bar, GTK_WIDGET (self));
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
  g_signal_connect_object (document, "picking-changed", G_CALLBACK (kg_viewport_picking_changed), self,
                           G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
