/* kg-viewport: see the header.
 *
 * Pictures come from the worker; this draws them with what belongs around them: a checkerboard behind transparent
 * pictures, a floor and axes behind geometry, handles on top.  Motions are drawn as graphs, small values as text.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-viewport.h"

#include "config.h"
#include "kg-handles.h"
#include "kg-image-file.h"
#include "kg-kind-color.h"
#include "kg-projection.h"

#include <glib/gi18n.h>

#define HANDLE_RADIUS 6.0
#define MAX_SIDE 2048

typedef enum { DRAG_NONE, DRAG_ORBIT, DRAG_PAN, DRAG_HANDLE } Drag;

struct _KgViewport {
  GtkWidget parent_instance;
  KgDocument *document;
  KgWorker *worker;
  GdkTexture *texture;
  const KgResultSet *shown; /* only compared */
  GtkWidget *status;
  KgOrbit orbit;
  double zoom, x, y; /* of a picture: pixels of the widget for one of it, and where its corner is */
  bool fit;          /* the picture fills the viewport */
  bool wireframe, from_scene, depth, framed, handles;
  Drag drag;
  double start_x, start_y, pointer_x, pointer_y;
  KgOrbit start_orbit;
  KgHandlePoint handle;
  double grab_dx, grab_dy; /* from the pointer to the handle */
  bool group_open;
};

enum { VIEW_CHANGED, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (KgViewport, kg_viewport, GTK_TYPE_WIDGET)

/* What is shown. */

static bool
is_solid (const KgResultSet *set)
{
  return set != NULL && set->has_value &&
         (set->value.kind == KG_GEOMETRY || set->value.kind == KG_SKELETON || set->value.kind == KG_SCENE);
}

/* Seen through a camera of the scene itself: where that is, the viewport does not know. */
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

KgView
kg_viewport_get_view (KgViewport *self)
{
  const int scale = gtk_widget_get_scale_factor (GTK_WIDGET (self));
  const double k = fmin (1, (double) MAX_SIDE / fmax (1, scale * fmax (gtk_widget_get_width (GTK_WIDGET (self)),
                                                                       gtk_widget_get_height (GTK_WIDGET (self)))));
  KgView view = { .width = (int) (k * scale * gtk_widget_get_width (GTK_WIDGET (self))),
                  .height = (int) (k * scale * gtk_widget_get_height (GTK_WIDGET (self))),
                  .from_scene = self->from_scene,
                  .eye = kg_orbit_get_eye (&self->orbit),
                  .target = self->orbit.target,
                  .fov = self->orbit.fov / KG_DEGREE,
                  .near_plane = 1e-3 * self->orbit.distance,
                  .far_plane = 1e3 * self->orbit.distance,
                  .wireframe = self->wireframe };

  return view;
}

static void
emit_view_changed (KgViewport *self)
{
  g_signal_emit (self, signals[VIEW_CHANGED], 0);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Depth as greys: near is light. */
static void
fill_depth (const KgImage *image, uint8_t *rgba)
{
  const float *depth = kg_image_get_depth (image);
  const size_t n = (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image);
  float near_depth = INFINITY, far_depth = 0;

  for (size_t i = 0; i < n; i++)
    if (isfinite (depth[i])) {
      near_depth = MIN (near_depth, depth[i]);
      far_depth = MAX (far_depth, depth[i]);
    }
  for (size_t i = 0; i < n; i++) {
    const float t = isfinite (depth[i]) && far_depth > near_depth ? (depth[i] - near_depth) / (far_depth - near_depth)
                                                                  : 0;
    const uint8_t grey = isfinite (depth[i]) ? (uint8_t) (255 - 205 * t) : 0;

    rgba[4 * i] = rgba[4 * i + 1] = rgba[4 * i + 2] = grey;
    rgba[4 * i + 3] = 255;
  }
}

static void
make_texture (KgViewport *self, const KgResultSet *set)
{
  const KgImage *image = set != NULL ? set->picture : NULL;
  g_autoptr (GBytes) bytes = NULL;
  uint8_t *rgba;
  int width, height;

  g_clear_object (&self->texture);
  if (image == NULL)
    return;
  width = kg_image_get_width (image);
  height = kg_image_get_height (image);
  rgba = g_new (uint8_t, 4 * (size_t) width * (size_t) height);
  if (self->depth && kg_image_get_depth (image) != NULL)
    fill_depth (image, rgba);
  else
    kg_image_to_rgba8 (image, rgba);
  bytes = g_bytes_new_take (rgba, 4 * (size_t) width * (size_t) height);
  self->texture = gdk_memory_texture_new (width, height, GDK_MEMORY_R8G8B8A8, bytes, 4 * (gsize) width);
}

static bool
get_bounds (const KgValue *value, KgVector *low, KgVector *high)
{
  bool any = false;

  if (value->kind == KG_GEOMETRY)
    return kg_geometry_get_bounds (value->geometry, low, high);
  if (value->kind == KG_SKELETON) {
    const guint n = kg_skeleton_get_n_joints (value->skeleton);
    g_autofree KgTransform *world = g_new (KgTransform, MAX (n, 1));

    kg_skeleton_get_world (value->skeleton, world);
    for (guint i = 0; i < n; i++) {
      const KgVector p = { world[i].m[0][3], world[i].m[1][3], world[i].m[2][3] };

      *low = any ? kg_vector (fmin (low->x, p.x), fmin (low->y, p.y), fmin (low->z, p.z)) : p;
      *high = any ? kg_vector (fmax (high->x, p.x), fmax (high->y, p.y), fmax (high->z, p.z)) : p;
      any = true;
    }
    return any;
  }
  if (value->kind != KG_SCENE)
    return false;
  for (guint i = 0; i < kg_scene_get_n_objects (value->scene); i++) {
    const KgObject *object = kg_scene_get_object (value->scene, i);
    KgVector a, b;

    if (!kg_geometry_get_bounds (object->geometry, &a, &b))
      continue;
    for (guint corner = 0; corner < 8; corner++) {
      const KgVector p = kg_transform_point (
          object->transform, kg_vector (corner & 1 ? b.x : a.x, corner & 2 ? b.y : a.y, corner & 4 ? b.z : a.z));

      *low = any ? kg_vector (fmin (low->x, p.x), fmin (low->y, p.y), fmin (low->z, p.z)) : p;
      *high = any ? kg_vector (fmax (high->x, p.x), fmax (high->y, p.y), fmax (high->z, p.z)) : p;
      any = true;
    }
  }
  return any;
}

static void
frame_all (KgViewport *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const double width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));
  KgVector low, high;

  if (is_solid (set) && height > 0 && get_bounds (&set->value, &low, &high)) {
    kg_orbit_frame (&self->orbit, low, high, width / height);
    self->framed = true;
    emit_view_changed (self);
  }
  self->fit = true;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
describe (KgViewport *self, const KgResultSet *set)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (set != NULL && set->error != NULL)
    g_string_append (text, set->error);
  else if (is_image (set))
    g_string_append_printf (text, _ ("Picture, %d × %d pixels"), kg_image_get_width (set->value.image),
                            kg_image_get_height (set->value.image));
  else if (set != NULL && set->has_value && set->value.kind == KG_GEOMETRY)
    g_string_append_printf (text, _ ("Geometry, %" G_GSIZE_FORMAT " points, %" G_GSIZE_FORMAT " primitives"),
                            kg_geometry_get_n_points (set->value.geometry),
                            kg_geometry_get_n_primitives (set->value.geometry));
  else if (set != NULL && set->has_value)
    g_string_append (text, kg_kind_get_name (set->value.kind));
  if (set != NULL && set->has_value)
    g_string_append_printf (text, "  ·  %.3g ms", 1000 * set->seconds);
  gtk_label_set_text (GTK_LABEL (self->status), text->str);
  /* That nothing is shown yet is no error. */
  if (set != NULL && set->error != NULL && kg_graph_get_display (kg_document_get_graph (self->document)) != NULL)
    gtk_widget_add_css_class (self->status, "kg-error");
  else
    gtk_widget_remove_css_class (self->status, "kg-error");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text->str, -1);
}

void
kg_viewport_results_changed (KgViewport *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);

  if (set == self->shown && set != NULL)
    return;
  self->shown = set;
  make_texture (self, set);
  describe (self, set);
  if (is_solid (set) && !self->framed)
    frame_all (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Where things are. */

static void
place_picture (KgViewport *self, double *x, double *y, double *zoom)
{
  const double width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));
  const double w = self->texture != NULL ? gdk_texture_get_width (self->texture) : 1;
  const double h = self->texture != NULL ? gdk_texture_get_height (self->texture) : 1;

  if (self->fit) {
    self->zoom = fmin (width / w, height / h);
    self->x = 0.5 * (width - self->zoom * w);
    self->y = 0.5 * (height - self->zoom * h);
  }
  *x = self->x;
  *y = self->y;
  *zoom = self->zoom;
}

static double
read_number (KgNode *node, const char *name, double fallback)
{
  const int slot = kg_node_find_slot (node, name);
  const KgSource *source = slot >= 0 ? kg_node_get_source (node, (guint) slot) : NULL;
  double x;

  if (source == NULL)
    return NAN;
  if (source->kind == KG_SOURCE_DEFAULT)
    return fallback;
  return source->kind == KG_SOURCE_CONSTANT && kg_value_get_component (&source->constant, NULL, &x) ? x : NAN;
}

/* False when there is no telling where a point of the world is in what is shown. */
static bool
get_projection (KgViewport *self, KgProjection *projection)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const double width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));
  KgVector center = { 0, 0, 0 };
  double x, y, zoom, view_height;
  const KgSource *source;
  KgNode *node;
  guint output;
  int slot;

  if (is_solid (set) && !is_from_scene (self, set)) {
    kg_projection_from_orbit (projection, &self->orbit, width, height);
    return true;
  }
  if (!is_image (set) || set->target == NULL ||
      !kg_graph_find_output (kg_document_get_graph (self->document), set->target, &node, &output, NULL) ||
      !g_str_equal (kg_node_get_type_id (node), "render/draw") || self->texture == NULL)
    return false;
  view_height = read_number (node, "view_height", 4);
  slot = kg_node_find_slot (node, "center");
  source = slot >= 0 ? kg_node_get_source (node, (guint) slot) : NULL;
  if (source != NULL && source->kind == KG_SOURCE_CONSTANT && source->constant.kind == KG_VECTOR)
    center = source->constant.vector;
  else if (source == NULL || source->kind != KG_SOURCE_DEFAULT)
    return false;
  if (!(view_height > 0))
    return false;
  place_picture (self, &x, &y, &zoom);
  kg_projection_from_drawing (projection, center, view_height, gdk_texture_get_width (self->texture),
                              gdk_texture_get_height (self->texture), x, y, zoom);
  return true;
}

static GArray *
find_handles (KgViewport *self)
{
  return kg_handles_find (self->document, self->handles ? kg_document_get_active (self->document) : NULL);
}

/* Drawing. */

static void
draw_checkers (cairo_t *cr, double x, double y, double width, double height)
{
  cairo_save (cr);
  cairo_rectangle (cr, x, y, width, height);
  cairo_clip (cr);
  cairo_set_source_rgb (cr, 0.42, 0.42, 0.44);
  cairo_paint (cr);
  cairo_set_source_rgb (cr, 0.50, 0.50, 0.52);
  for (int j = 0; j < height / 12; j++)
    for (int i = j % 2; i < width / 12; i += 2)
      cairo_rectangle (cr, x + 12 * i, y + 12 * j, 12, 12);
  cairo_fill (cr);
  cairo_restore (cr);
}

static void
draw_line (cairo_t *cr, const KgProjection *projection, KgVector a, KgVector b)
{
  double x0, y0, x1, y1;

  if (kg_projection_map (projection, a, &x0, &y0) && kg_projection_map (projection, b, &x1, &y1)) {
    cairo_move_to (cr, x0, y0);
    cairo_line_to (cr, x1, y1);
  }
}

static void
draw_floor (KgViewport *self, cairo_t *cr, const KgProjection *projection)
{
  const double step = pow (10, floor (log10 (self->orbit.distance / 3)));
  const int n = 10;

  cairo_set_line_width (cr, 1);
  cairo_set_source_rgba (cr, 0.5, 0.5, 0.55, 0.35);
  /* In pieces, so that what is behind the camera leaves the rest. */
  for (int i = -n; i <= n; i++)
    for (int k = -n; k < n; k++) {
      draw_line (cr, projection, kg_vector (i * step, 0, k * step), kg_vector (i * step, 0, (k + 1) * step));
      draw_line (cr, projection, kg_vector (k * step, 0, i * step), kg_vector ((k + 1) * step, 0, i * step));
    }
  cairo_stroke (cr);
  cairo_set_line_width (cr, 2);
  cairo_set_source_rgb (cr, 0.85, 0.3, 0.3);
  draw_line (cr, projection, kg_vector (0, 0, 0), kg_vector (step, 0, 0));
  cairo_stroke (cr);
  cairo_set_source_rgb (cr, 0.4, 0.75, 0.3);
  draw_line (cr, projection, kg_vector (0, 0, 0), kg_vector (0, step, 0));
  cairo_stroke (cr);
  cairo_set_source_rgb (cr, 0.3, 0.5, 0.95);
  draw_line (cr, projection, kg_vector (0, 0, 0), kg_vector (0, 0, step));
  cairo_stroke (cr);
}

static void
draw_text (KgViewport *self, cairo_t *cr, const char *text, double x, double y, double width)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);

  if (width > 0) {
    pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
    pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  }
  cairo_move_to (cr, x, y);
  pango_cairo_show_layout (cr, layout);
  cairo_new_path (cr);
}

static void
draw_handles (KgViewport *self, cairo_t *cr)
{
  g_autoptr (GArray) handles = find_handles (self);
  KgProjection projection;
  double last_x = NAN, last_y = NAN;

  if (handles->len == 0 || !get_projection (self, &projection))
    return;
  for (guint i = 0; i < handles->len; i++) {
    const KgHandlePoint *handle = &g_array_index (handles, KgHandlePoint, i);
    double x, y;

    if (!kg_projection_map (&projection, handle->at, &x, &y))
      continue;
    if (handle->line > 0 && !isnan (last_x)) {
      cairo_move_to (cr, last_x, last_y);
      cairo_line_to (cr, x, y);
      cairo_set_source_rgba (cr, 1, 0.66, 0.16, 0.5);
      cairo_set_line_width (cr, 1);
      cairo_stroke (cr);
    }
    last_x = x;
    last_y = y;
  }
  for (guint i = 0; i < handles->len; i++) {
    const KgHandlePoint *handle = &g_array_index (handles, KgHandlePoint, i);
    double x, y;

    if (!kg_projection_map (&projection, handle->at, &x, &y))
      continue;
    cairo_arc (cr, x, y, HANDLE_RADIUS, 0, 2 * KG_PI);
    cairo_set_source_rgba (cr, 1, 0.66, 0.16, 0.9);
    cairo_fill_preserve (cr);
    cairo_set_source_rgb (cr, 0.1, 0.1, 0.1);
    cairo_set_line_width (cr, 1.5);
    cairo_stroke (cr);
    if (handle->line < 0) {
      cairo_set_source_rgb (cr, 1, 0.8, 0.5);
      draw_text (self, cr, _ (handle->label), x + 10, y - 8, 0);
    }
  }
}

static void
draw_motion (KgViewport *self, cairo_t *cr, const KgMotion *motion, double width, double height)
{
  static const KgTint tints[] = { { 0.95, 0.6, 0.25 }, { 0.4, 0.75, 0.4 }, { 0.4, 0.6, 0.95 }, { 0.8, 0.5, 0.8 } };
  double low = INFINITY, high = -INFINITY, from = INFINITY, to = -INFINITY;
  guint curve = 0;
  const int n = MAX (2, (int) width / 2);

  for (guint c = 0; c < kg_motion_get_n_channels (motion); c++) {
    double a, b;

    kg_channel_get_range (kg_motion_get_channel (motion, c), &a, &b);
    from = fmin (from, a);
    to = fmax (to, b);
  }
  if (!(to > from) || !isfinite (to - from)) {
    from = 0;
    to = 1;
  }
  for (guint c = 0; c < kg_motion_get_n_channels (motion); c++)
    for (int i = 0; i <= n; i++) {
      double x[KG_CHANNEL_MAX_WIDTH];
      const KgChannel *channel = kg_motion_get_channel (motion, c);

      kg_channel_evaluate (channel, from + (to - from) * i / n, x);
      for (guint k = 0; k < kg_channel_get_width (channel); k++) {
        low = fmin (low, x[k]);
        high = fmax (high, x[k]);
      }
    }
  if (!(high > low)) {
    low = isfinite (low) ? low - 1 : -1;
    high = low + 2;
  }
  cairo_set_source_rgba (cr, 0.5, 0.5, 0.55, 0.5);
  cairo_set_line_width (cr, 1);
  cairo_rectangle (cr, 40.5, 20.5, width - 60, height - 60);
  cairo_stroke (cr);
  {
    g_autofree char *bottom = g_strdup_printf ("%.3g", low), *top = g_strdup_printf ("%.3g", high);
    g_autofree char *left = g_strdup_printf ("%.3g", from), *right = g_strdup_printf ("%.3g", to);

    cairo_set_source_rgb (cr, 0.6, 0.62, 0.66);
    draw_text (self, cr, top, 4, 12, 0);
    draw_text (self, cr, bottom, 4, height - 50, 0);
    draw_text (self, cr, left, 40, height - 36, 0);
    draw_text (self, cr, right, width - 50, height - 36, 0);
  }
  cairo_set_line_width (cr, 2);
  for (guint c = 0; c < kg_motion_get_n_channels (motion); c++) {
    const KgChannel *channel = kg_motion_get_channel (motion, c);

    for (guint k = 0; k < kg_channel_get_width (channel); k++, curve++) {
      for (int i = 0; i <= n; i++) {
        double x[KG_CHANNEL_MAX_WIDTH];

        kg_channel_evaluate (channel, from + (to - from) * i / n, x);
        cairo_line_to (cr, 40 + (width - 60) * i / n, 20 + (height - 60) * (1 - (x[k] - low) / (high - low)));
      }
      kg_tint_set (cr, tints[curve % G_N_ELEMENTS (tints)], 1);
      cairo_stroke (cr);
    }
  }
}

static void
draw_value (KgViewport *self, cairo_t *cr, const KgResultSet *set, double width, double height)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (set->value.kind == KG_MOTION) {
    draw_motion (self, cr, set->value.motion, width, height);
    return;
  }
  if (set->value.kind == KG_TEXT)
    g_string_append (text, set->value.text);
  else
    kg_value_write_json (&set->value, text);
  if (text->len > 2000)
    g_string_truncate (text, 2000);
  cairo_set_source_rgb (cr, 0.9, 0.9, 0.92);
  draw_text (self, cr, text->str, 24, 24, fmax (50, width - 48));
}

static void
kg_viewport_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  KgViewport *self = KG_VIEWPORT (widget);
  const double width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  const graphene_rect_t all = GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height);
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const GdkRGBA ground = { 0.16f, 0.17f, 0.19f, 1 };
  KgProjection projection;
  cairo_t *cr;

  gtk_snapshot_push_clip (snapshot, &all);
  gtk_snapshot_append_color (snapshot, &ground, &all);
  if (is_solid (set) && get_projection (self, &projection)) {
    cr = gtk_snapshot_append_cairo (snapshot, &all);
    draw_floor (self, cr, &projection);
    cairo_destroy (cr);
  }
  if (self->texture != NULL && is_solid (set))
    gtk_snapshot_append_texture (snapshot, self->texture, &all);
  else if (self->texture != NULL) {
    double x, y, zoom, w, h;

    place_picture (self, &x, &y, &zoom);
    w = zoom * gdk_texture_get_width (self->texture);
    h = zoom * gdk_texture_get_height (self->texture);
    cr = gtk_snapshot_append_cairo (snapshot, &all);
    draw_checkers (cr, fmax (0, x), fmax (0, y), fmin (width, x + w) - fmax (0, x), fmin (height, y + h) - fmax (0, y));
    cairo_destroy (cr);
    gtk_snapshot_append_texture (snapshot, self->texture,
                                 &GRAPHENE_RECT_INIT ((float) x, (float) y, (float) w, (float) h));
  }
  cr = gtk_snapshot_append_cairo (snapshot, &all);
  if (set != NULL && set->has_value && !is_solid (set) && !is_image (set))
    draw_value (self, cr, set, width, height);
  draw_handles (self, cr);
  cairo_destroy (cr);
  gtk_widget_snapshot_child (widget, self->status, snapshot);
  gtk_snapshot_pop (snapshot);
}

/* Mouse. */

static void
show_pixel (KgViewport *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  g_autofree char *text = NULL;
  double x, y, zoom;
  int px, py;

  if (!is_image (set) || set->picture == NULL || self->texture == NULL)
    return;
  place_picture (self, &x, &y, &zoom);
  px = (int) floor ((self->pointer_x - x) / zoom);
  py = (int) floor ((self->pointer_y - y) / zoom);
  if (px < 0 || py < 0 || px >= kg_image_get_width (set->picture) || py >= kg_image_get_height (set->picture)) {
    describe (self, set);
    return;
  }
  {
    const size_t at = (size_t) py * (size_t) kg_image_get_width (set->picture) + (size_t) px;
    const float *p = kg_image_get_pixels (set->picture) + 4 * at;
    const float *depth = kg_image_get_depth (set->picture);

    text = depth != NULL ? g_strdup_printf ("%d, %d:  %.4f  %.4f  %.4f  %.4f   %.3f m", px, py, (double) p[0],
                                            (double) p[1], (double) p[2], (double) p[3], (double) depth[at])
                         : g_strdup_printf ("%d, %d:  %.4f  %.4f  %.4f  %.4f", px, py, (double) p[0], (double) p[1],
                                            (double) p[2], (double) p[3]);
    gtk_label_set_text (GTK_LABEL (self->status), text);
  }
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, KgViewport *self)
{
  (void) controller;
  self->pointer_x = x;
  self->pointer_y = y;
  if (self->drag == DRAG_NONE)
    show_pixel (self);
}

static bool
pick_handle (KgViewport *self, double wx, double wy)
{
  g_autoptr (GArray) handles = find_handles (self);
  KgProjection projection;
  double nearest = HANDLE_RADIUS + 4;

  if (handles->len == 0 || !get_projection (self, &projection))
    return false;
  for (guint i = 0; i < handles->len; i++) {
    const KgHandlePoint *handle = &g_array_index (handles, KgHandlePoint, i);
    double x, y;

    if (kg_projection_map (&projection, handle->at, &x, &y) && hypot (x - wx, y - wy) < nearest) {
      nearest = hypot (x - wx, y - wy);
      self->handle = *handle;
      self->grab_dx = x - wx;
      self->grab_dy = y - wy;
    }
  }
  return nearest < HANDLE_RADIUS + 4;
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, KgViewport *self)
{
  const guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));
  const GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));

  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->start_x = x;
  self->start_y = y;
  self->start_orbit = self->orbit;
  self->grab_dx = self->x;
  self->grab_dy = self->y;
  if (button == GDK_BUTTON_PRIMARY && pick_handle (self, x, y))
    self->drag = DRAG_HANDLE;
  else if (button == GDK_BUTTON_MIDDLE || (state & GDK_SHIFT_MASK) != 0 ||
           !is_solid (kg_worker_get_result (self->worker)))
    self->drag = DRAG_PAN;
  else
    self->drag = DRAG_ORBIT;
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, KgViewport *self)
{
  const double height = gtk_widget_get_height (GTK_WIDGET (self));
  KgProjection projection;

  (void) gesture;
  if (self->drag == DRAG_HANDLE) {
    if (!get_projection (self, &projection))
      return;
    if (!self->group_open) {
      kg_graph_begin_group (kg_document_get_graph (self->document), _ ("Drag in view"));
      self->group_open = true;
    }
    self->handle.at = kg_projection_unmap (&projection, self->start_x + dx + self->grab_dx,
                                           self->start_y + dy + self->grab_dy, self->handle.at);
    kg_handle_move (self->document, &self->handle, self->handle.at, NULL);
    gtk_widget_queue_draw (GTK_WIDGET (self));
    return;
  }
  if (is_solid (kg_worker_get_result (self->worker))) {
    self->orbit = self->start_orbit;
    if (self->drag == DRAG_PAN)
      kg_orbit_pan (&self->orbit, dx, dy, height);
    else
      kg_orbit_drag (&self->orbit, dx, dy);
    self->from_scene = false;
    emit_view_changed (self);
  } else {
    self->fit = false;
    self->x = self->grab_dx + dx;
    self->y = self->grab_dy + dy;
    gtk_widget_queue_draw (GTK_WIDGET (self));
  }
}

static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, KgViewport *self)
{
  (void) gesture;
  (void) dx;
  (void) dy;
  self->drag = DRAG_NONE;
  if (self->group_open) {
    self->group_open = false;
    kg_graph_end_group (kg_document_get_graph (self->document));
  }
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, KgViewport *self)
{
  (void) controller;
  (void) dx;
  if (is_solid (kg_worker_get_result (self->worker))) {
    kg_orbit_dolly (&self->orbit, pow (1.12, dy));
    self->from_scene = false;
    emit_view_changed (self);
  } else if (self->texture != NULL) {
    double x, y, zoom, next;

    place_picture (self, &x, &y, &zoom);
    next = kg_clamp (zoom * pow (1.15, -dy), 0.01, 100);
    self->fit = false;
    self->x = self->pointer_x - (self->pointer_x - x) * next / zoom;
    self->y = self->pointer_y - (self->pointer_y - y) * next / zoom;
    self->zoom = next;
    gtk_widget_queue_draw (GTK_WIDGET (self));
  }
  return TRUE;
}

/* Commands. */

static void
on_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgViewport *self = KG_VIEWPORT (widget);

  (void) parameter;
  if (g_str_equal (name, "viewport.frame")) {
    frame_all (self);
    return;
  }
  if (g_str_equal (name, "viewport.actual-size")) {
    self->fit = false;
    self->zoom = 1;
    self->x = self->y = 0;
  } else if (g_str_equal (name, "viewport.wireframe"))
    self->wireframe = !self->wireframe;
  else if (g_str_equal (name, "viewport.scene-camera"))
    self->from_scene = !self->from_scene;
  else if (g_str_equal (name, "viewport.handles"))
    self->handles = !self->handles;
  else if (g_str_equal (name, "viewport.depth")) {
    self->depth = !self->depth;
    make_texture (self, kg_worker_get_result (self->worker));
  }
  emit_view_changed (self);
}

static void
on_look (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgViewport *self = KG_VIEWPORT (widget);
  const char *way = g_variant_get_string (parameter, NULL);

  (void) name;
  if (g_str_equal (way, "front"))
    self->orbit.yaw = self->orbit.pitch = 0;
  else if (g_str_equal (way, "right")) {
    self->orbit.yaw = 0.5 * KG_PI;
    self->orbit.pitch = 0;
  } else if (g_str_equal (way, "top"))
    kg_orbit_drag (&self->orbit, 0, 1e6);
  else if (g_str_equal (way, "in"))
    kg_orbit_dolly (&self->orbit, 0.9);
  else if (g_str_equal (way, "out"))
    kg_orbit_dolly (&self->orbit, 1.1);
  else
    kg_orbit_drag (&self->orbit, 20.0 * (g_str_equal (way, "turn-left") - g_str_equal (way, "turn-right")), 0);
  self->from_scene = false;
  emit_view_changed (self);
}

static void
kg_viewport_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  KgViewport *self = KG_VIEWPORT (widget);
  GtkAllocation place = { 8, 0, MAX (1, width - 16), 1 };

  (void) baseline;
  gtk_widget_measure (self->status, GTK_ORIENTATION_VERTICAL, place.width, &place.height, NULL, NULL, NULL);
  place.y = height - place.height - 4;
  gtk_widget_size_allocate (self->status, &place, -1);
  g_signal_emit (self, signals[VIEW_CHANGED], 0);
}

static void
kg_viewport_dispose (GObject *object)
{
  KgViewport *self = KG_VIEWPORT (object);

  g_clear_pointer (&self->status, gtk_widget_unparent);
  g_clear_object (&self->texture);
  g_clear_object (&self->document);
  g_clear_object (&self->worker);
  G_OBJECT_CLASS (kg_viewport_parent_class)->dispose (object);
}

static void
kg_viewport_class_init (KgViewportClass *class)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);
  static const char *const actions[] = { "viewport.frame",        "viewport.actual-size", "viewport.wireframe",
                                         "viewport.scene-camera", "viewport.depth",       "viewport.handles" };
  static const struct {
    guint key;
    const char *way;
  } looks[] = { { GDK_KEY_1, "front" },         { GDK_KEY_3, "right" },   { GDK_KEY_7, "top" },
                { GDK_KEY_plus, "in" },         { GDK_KEY_minus, "out" }, { GDK_KEY_Left, "turn-left" },
                { GDK_KEY_Right, "turn-right" } };

  G_OBJECT_CLASS (class)->dispose = kg_viewport_dispose;
  widget->snapshot = kg_viewport_snapshot;
  widget->size_allocate = kg_viewport_size_allocate;
  signals[VIEW_CHANGED] =
      g_signal_new ("view-changed", KG_TYPE_VIEWPORT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget, actions[i], NULL, on_action);
  gtk_widget_class_install_action (widget, "viewport.look", "s", on_look);
  for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
    gtk_widget_class_add_binding_action (widget, looks[i].key, 0, "viewport.look", "s", looks[i].way);
  gtk_widget_class_add_binding_action (widget, GDK_KEY_f, 0, "viewport.frame", NULL);
  gtk_widget_class_add_binding_action (widget, GDK_KEY_a, 0, "viewport.frame", NULL);
  gtk_widget_class_add_binding_action (widget, GDK_KEY_0, 0, "viewport.actual-size", NULL);
  gtk_widget_class_add_binding_action (widget, GDK_KEY_w, 0, "viewport.wireframe", NULL);
  gtk_widget_class_add_binding_action (widget, GDK_KEY_c, 0, "viewport.scene-camera", NULL);
  gtk_widget_class_add_binding_action (widget, GDK_KEY_z, 0, "viewport.depth", NULL);
  gtk_widget_class_add_binding_action (widget, GDK_KEY_h, 0, "viewport.handles", NULL);
  gtk_widget_class_set_css_name (widget, "viewport");
  gtk_widget_class_set_accessible_role (widget, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
kg_viewport_init (KgViewport *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);

  self->orbit = (KgOrbit){ .yaw = 0.5, .pitch = 0.35, .distance = 6, .fov = 40 * KG_DEGREE };
  self->zoom = 1;
  self->fit = self->handles = self->from_scene = true;
  self->status = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->status), 0);
  gtk_label_set_wrap (GTK_LABEL (self->status), TRUE);
  gtk_widget_add_css_class (self->status, "kg-status");
  gtk_widget_set_parent (self->status, GTK_WIDGET (self));
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_vexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), 0);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (on_drag_end), self);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), scroll);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Viewport"), -1);
}

GtkWidget *
kg_viewport_new (KgDocument *document, KgWorker *worker)
{
  KgViewport *self = KG_VIEWPORT (g_object_new (KG_TYPE_VIEWPORT, NULL));

  self->document = (KgDocument *) g_object_ref (document);
  self->worker = (KgWorker *) g_object_ref (worker);
  g_signal_connect_object (document, "selection-changed", G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "changed", G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
