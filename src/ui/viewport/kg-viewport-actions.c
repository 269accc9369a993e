/* kg-viewport-actions: the actions of the viewport, the keys they are bound to, and what they need.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-viewport-private.h"

#include <glib/gi18n.h>

/* What commands need: NULL where all is there, and while nothing is known yet. */

/* (nullable) */
static const char *
find_need_of_space (const KgResultSet *set, const char *need)
{
  return set != NULL && !kg_viewport_shows_solid (set) ? need : NULL;
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
const char *
kg_viewport_find_need (KgViewport *self, guint property, bool on)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  KgProjection projection;

  if (set == NULL)
    return NULL;
  switch (property) {
  case KG_VIEWPORT_PROP_STYLE:
    return find_need_of_space (
        set, _ ("wireframe and points need 3D content: show a geometry, a skeleton or a scene (D on the canvas)"));
  case KG_VIEWPORT_PROP_SCENE_CAMERA:
    return kg_viewport_shows_solid (set) && (self->camera != NULL || kg_stage_find_camera (set->stage) != NULL)
               ? NULL
               : _ ("this needs a scene with a camera: show one (D on the canvas)");
  case KG_VIEWPORT_PROP_SCENE:
  case KG_VIEWPORT_PROP_BESIDE:
    return NULL;
  case KG_VIEWPORT_PROP_ORTHOGRAPHIC:
  case KG_VIEWPORT_PROP_HEADLIGHT:
    return find_need_of_space (
        set,
        _ ("this needs 3D content: show a geometry, a skeleton or a scene (D on the canvas), or the scene view (S)"));
  case KG_VIEWPORT_PROP_LOCK:
    return on ? kg_viewport_find_lock_need (self) : NULL;
  case KG_VIEWPORT_PROP_DEPTH:
    return !on || (set->image != NULL && kg_image_get_depth (set->image) != NULL)
               ? NULL
               : _ ("depth needs 3D content, or an image with depth: show one (D on the canvas)");
  case KG_VIEWPORT_PROP_ONION:
    return !on || set->image != NULL ? NULL : _ ("onion skins need an image or 3D content: show one (D on the canvas)");
  case KG_VIEWPORT_PROP_HANDLES:
    return kg_viewport_get_projection (self, &projection)
               ? NULL
               : _ ("handles need a view of geometry: show a node that makes geometry (D on the canvas)");
  case KG_VIEWPORT_PROP_DRAW:
    return !on || kg_viewport_get_projection (self, &projection)
               ? NULL
               : _ ("drawing lines needs a view of geometry: show a node that makes geometry (D on the canvas)");
  case KG_VIEWPORT_PROP_SELECT:
    return !on || kg_viewport_get_projection (self, &projection)
               ? NULL
               : _ ("selecting handles needs a view of geometry: show a node that makes geometry (D on the canvas)");
  case KG_VIEWPORT_PROP_RECORD:
    return !on || can_grab (self)
               ? NULL
               : _ ("recording needs something that can be dragged during playback: select the simulation node that moves it");
  default:
    return NULL;
  }
}

/* False with a message. */
bool
kg_viewport_check_need (KgViewport *self, guint property, bool on)
{
  const char *need = kg_viewport_find_need (self, property, on);

  kg_viewport_set_message (self, need);
  return need == NULL;
}

/* Commands. */

static void
toggle_style (KgViewport *self, KgSolidStyle style)
{
  g_object_set (self, "style", kg_viewport_style_names[self->style == style ? KG_STYLE_SHADED : style], NULL);
}

/* A pixel of the image is a pixel of the screen; its middle is in the middle. */
static void
show_actual_size (KgViewport *self)
{
  const double zoom = 1.0 / gtk_widget_get_scale_factor (GTK_WIDGET (self));

  if (self->texture == NULL)
    return;
  self->image.x = round (0.5 * (gtk_widget_get_width (GTK_WIDGET (self)) - zoom * self->image_width));
  self->image.y = round (0.5 * (gtk_widget_get_height (GTK_WIDGET (self)) - zoom * self->image_height));
  self->image.zoom = zoom;
  self->image.fit = false;
  kg_viewport_image_moved (self);
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
    { "viewport.select-all", N_ ("this needs several handles: select a node with points") },
    { "viewport.toggle-handle", N_ ("this needs a handle: go to one with Tab") },
    { "viewport.softer", N_ ("this needs a point of a list and soft selection (T)") },
    { "viewport.harder", N_ ("this needs a point of a list and soft selection (T)") },
    { "viewport.choose", N_ ("this needs a part of an object, or a point that it can follow: go to one with Tab") },
    { "viewport.actual-size", N_ ("this needs an image: show one (D on the canvas)") },
    { "viewport.frame", N_ ("this needs an image or 3D content: show one (D on the canvas)") },
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
    done = set == NULL || kg_viewport_shows_solid (set) || self->texture != NULL;
    kg_viewport_frame_all (self);
  } else if (g_str_equal (name, "viewport.actual-size")) {
    done = set == NULL || kg_viewport_shows_image (set);
    show_actual_size (self);
  } else if (g_str_equal (name, "viewport.wireframe"))
    toggle_style (self, KG_STYLE_WIREFRAME);
  else if (g_str_equal (name, "viewport.points"))
    toggle_style (self, KG_STYLE_POINTS);
  else if (g_str_equal (name, "viewport.add-point"))
    done = kg_viewport_get_projection (self, &projection) &&
           kg_handle_view_insert_after (self->handles, &projection, &error);
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
    if (kg_document_get_picking (self->document) != NULL) {
      kg_document_end_pick (self->document, NULL);
      return;
    }
    g_object_set (self, "draw", FALSE, "select", FALSE, NULL);
    /* First the others, then the last one. */
    if (!kg_handle_view_unselect (self->handles))
      kg_handle_view_unset_active (self->handles);
  } else if (g_str_equal (name, "viewport.select-all"))
    done = kg_viewport_get_projection (self, &projection) && kg_handle_view_select_all (self->handles) > 0;
  else if (g_str_equal (name, "viewport.toggle-handle"))
    done = kg_handle_view_toggle_active (self->handles);
  else if (g_str_equal (name, "viewport.softer") || g_str_equal (name, "viewport.harder"))
    done = kg_viewport_get_projection (self, &projection) &&
           kg_handle_view_scale_radius (self->handles, &projection,
                                        g_str_equal (name, "viewport.softer") ? 1.1 : 1 / 1.1, &error);
  /* The style says for itself what it needs. */
  if (!g_str_equal (name, "viewport.wireframe") && !g_str_equal (name, "viewport.points"))
    kg_viewport_set_message (self, error != NULL ? error->message : done ? message : find_need_of_command (name));
  kg_viewport_describe (self, set);
  gtk_widget_queue_draw (widget);
}

void
kg_viewport_scale_soft (KgViewport *self, double factor)
{
  g_autoptr (GError) error = NULL;
  KgProjection projection;

  if (kg_viewport_get_projection (self, &projection))
    kg_handle_view_scale_radius (self->handles, &projection, factor, &error);
  if (error != NULL)
    kg_viewport_set_message (self, error->message);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
zoom_by_key (KgViewport *self, bool closer)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const bool image = kg_viewport_shows_image (set) && self->texture != NULL;
  const char *need = image ? NULL : find_need_of_space (set, find_need_of_command ("viewport.frame"));

  kg_viewport_set_message (self, need);
  if (need != NULL)
    return;
  if (image) {
    kg_viewport_place_image (self);
    kg_image_view_zoom (&self->image, closer ? 1.25 : 0.8, 0.5 * gtk_widget_get_width (GTK_WIDGET (self)),
                        0.5 * gtk_widget_get_height (GTK_WIDGET (self)));
    kg_viewport_image_moved (self);
    return;
  }
  kg_viewport_orbit_begin (self);
  kg_orbit_dolly (&self->orbit, closer ? 0.9 : 1.1);
  kg_viewport_orbit_changed (self);
}

static void
on_look (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgViewport *self = KG_VIEWPORT (widget);
  static const struct {
    const char *way, *side;
    double yaw, drag; /* drag: pixels that turn the view to the end */
  } ways[] = {
    { "front", N_ ("Front view"), 0, 0 },
    { "back", N_ ("Back view"), KG_PI, 0 },
    { "right", N_ ("Right view"), 0.5 * KG_PI, 0 },
    { "left", N_ ("Left view"), -0.5 * KG_PI, 0 },
    { "top", N_ ("Top view"), 0, 1e6 },
    { "bottom", N_ ("Bottom view"), 0, -1e6 },
  };
  const char *side = NULL;
  const char *way = g_variant_get_string (parameter, NULL);
  const char *need =
      find_need_of_space (kg_worker_get_result (self->worker),
                          _ ("these views need 3D content: show a geometry, a skeleton or a scene (D on the canvas)"));

  (void) name;
  if (g_str_equal (way, "in") || g_str_equal (way, "out")) {
    zoom_by_key (self, g_str_equal (way, "in"));
    return;
  }
  kg_viewport_set_message (self, need);
  if (need != NULL)
    return;
  kg_viewport_orbit_begin (self);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    if (g_str_equal (way, ways[i].way)) {
      side = ways[i].side;
      self->orbit.yaw = ways[i].yaw;
      self->orbit.pitch = 0;
      kg_orbit_drag (&self->orbit, 0, ways[i].drag);
    }
  if (!self->orbit.parallel) {
    g_object_set (self, "orthographic", TRUE, NULL);
    self->axis_view = true;
  }
  self->side = side;
  kg_viewport_orbit_changed (self);
}

static void
on_camera (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgViewport *self = KG_VIEWPORT (widget);
  g_autoptr (GError) error = NULL;
  const char *need;
  guint64 step = 0;

  if (g_str_equal (name, "viewport.look-through")) {
    kg_viewport_look_through (self, g_variant_get_string (parameter, NULL));
    return;
  }
  need = kg_viewport_find_lock_need (self);
  if (need == NULL && kg_viewport_place_camera (self, &step, &error))
    g_object_set (self, "scene-camera", TRUE, NULL);
  else
    kg_viewport_set_message (self, need != NULL ? need : error->message);
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
  if (kg_handle_view_get_active (self->handles) != NULL && kg_viewport_get_projection (self, &projection)) {
    kg_handle_view_nudge (self->handles, &projection, right, up, away,
                          (KgHandleModifiers){ .snap = (state & GDK_SHIFT_MASK) != 0 }, &error);
    kg_viewport_set_message (self, error != NULL ? error->message : NULL);
    gtk_widget_queue_draw (widget);
    return TRUE;
  }
  if (away != 0 || !kg_viewport_shows_solid (kg_worker_get_result (self->worker)))
    return FALSE;
  kg_viewport_orbit_begin (self);
  kg_viewport_turn (self, -20.0 * right, 20.0 * up);
  kg_viewport_orbit_changed (self);
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
  return kg_handle_view_get_shown (self->handles) && kg_viewport_get_projection (self, &projection) &&
         kg_handle_view_step (self->handles, by);
}

static void
add_keys (GtkWidgetClass *widget)
{
  static const struct {
    guint key;
    GdkModifierType modifiers;
    const char *way;
  } looks[] = { { GDK_KEY_1, 0, "front" },    { GDK_KEY_2, 0, "back" },
                { GDK_KEY_3, 0, "right" },    { GDK_KEY_4, 0, "left" },
                { GDK_KEY_7, 0, "top" },      { GDK_KEY_8, 0, "bottom" },
                { GDK_KEY_KP_1, 0, "front" }, { GDK_KEY_KP_1, GDK_CONTROL_MASK, "back" },
                { GDK_KEY_KP_3, 0, "right" }, { GDK_KEY_KP_3, GDK_CONTROL_MASK, "left" },
                { GDK_KEY_KP_7, 0, "top" },   { GDK_KEY_KP_7, GDK_CONTROL_MASK, "bottom" },
                { GDK_KEY_plus, 0, "in" },    { GDK_KEY_minus, 0, "out" } };
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
    { GDK_KEY_s, "viewport.scene-view" },
    { GDK_KEY_b, "viewport.beside" },
    { GDK_KEY_5, "viewport.orthographic" },
    { GDK_KEY_KP_5, "viewport.orthographic" },
    { GDK_KEY_KP_0, "viewport.scene-camera" },
    { GDK_KEY_i, "viewport.headlight" },
    { GDK_KEY_g, "viewport.grid" },
    { GDK_KEY_l, "viewport.lock-camera" },
    { GDK_KEY_v, "viewport.place-camera" },
    { GDK_KEY_z, "viewport.depth" },
    { GDK_KEY_h, "viewport.handles" },
    { GDK_KEY_m, "viewport.motion-paths" },
    { GDK_KEY_Delete, "viewport.remove-point" },
    { GDK_KEY_Insert, "viewport.add-point" },
    { GDK_KEY_Escape, "viewport.unset-handle" },
    { GDK_KEY_r, "viewport.rod" },
    { GDK_KEY_j, "viewport.hinge" },
    { GDK_KEY_n, "viewport.pin" },
    { GDK_KEY_d, "viewport.draw" },
    { GDK_KEY_k, "viewport.record" },
    { GDK_KEY_Return, "viewport.choose" },
    { GDK_KEY_x, "viewport.snap" },
    { GDK_KEY_t, "viewport.soft" },
    { GDK_KEY_q, "viewport.select" },
    { GDK_KEY_bracketright, "viewport.softer" },
    { GDK_KEY_bracketleft, "viewport.harder" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
    gtk_widget_class_add_binding_action (widget, looks[i].key, looks[i].modifiers, "viewport.look", "s", looks[i].way);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    gtk_widget_class_add_binding_action (widget, commands[i].key, 0, commands[i].action, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (arrows); i++)
    for (guint s = 0; s < G_N_ELEMENTS (states); s++)
      gtk_widget_class_add_binding (widget, arrows[i].key, states[s], on_arrow, "(iiiu)", arrows[i].right, arrows[i].up,
                                    arrows[i].away, (guint32) states[s]);
  gtk_widget_class_add_binding_action (widget, GDK_KEY_a, GDK_CONTROL_MASK, "viewport.select-all", NULL);
  gtk_widget_class_add_binding_action (widget, GDK_KEY_space, GDK_CONTROL_MASK, "viewport.toggle-handle", NULL);
  gtk_widget_class_add_binding (widget, GDK_KEY_Tab, 0, on_tab, "(i)", 1);
  gtk_widget_class_add_binding (widget, GDK_KEY_Tab, GDK_SHIFT_MASK, on_tab, "(i)", -1);
  gtk_widget_class_add_binding (widget, GDK_KEY_ISO_Left_Tab, GDK_SHIFT_MASK, on_tab, "(i)", -1);
}

void
kg_viewport_install_actions (GtkWidgetClass *widget)
{
  static const char *const actions[] = { "viewport.frame",         "viewport.actual-size", "viewport.wireframe",
                                         "viewport.points",        "viewport.add-point",   "viewport.remove-point",
                                         "viewport.unset-handle",  "viewport.rod",         "viewport.hinge",
                                         "viewport.pin",           "viewport.choose",      "viewport.select-all",
                                         "viewport.toggle-handle", "viewport.softer",      "viewport.harder" };

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget, actions[i], NULL, on_action);
  gtk_widget_class_install_action (widget, "viewport.look", "s", on_look);
  gtk_widget_class_install_action (widget, "viewport.look-through", "s", on_camera);
  gtk_widget_class_install_action (widget, "viewport.place-camera", NULL, on_camera);
  add_keys (widget);
}
