/* kg-canvas-draw: how the network looks.
 *
 * Every frame is drawn anew into an image in memory, but only what is in view.  A node large enough to be read is
 * drawn with cairo once into an image of its own, kept until something about it changes; small ones are plain boxes.
 * Links and boxes go straight into the pixels (kg-raster), so that thousands are drawn in the time of a frame.
 *
 * Images of nodes take their time, so each frame makes only as many as it can afford: until its turn comes a node is
 * shown by its old image, larger or smaller, or as a box.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-canvas-private.h"
#include "kg-raster.h"

#include <glib/gi18n.h>

#define GRID 20.0
/* Slots and badges stick out of the rectangle of a node by so much. */
#define MARGIN 14.0
#define IMAGE_MICROSECONDS 7000
/* Names of nodes that are too small to be read: pixels of the widget, and how many there may be. */
#define LABEL_SIZE 11.0
#define MOST_LABELS 400
/* Pixels that a name may have in any case. */
#define LEAST_LABEL 40
/* Images of nodes out of view are kept up to here. */
#define IMAGE_BYTES ((size_t) 64 << 20)

/* What a frame is drawn on and with.  Units of cr are those of the graph. */
typedef struct {
  KgCanvas *canvas;
  cairo_t *cr;
  KgRaster raster;
  const KgCanvasColors *colors;
  KgRect view;       /* graph units */
  double scale, dpr; /* pixels of the image in a graph unit, in a pixel of the widget */
} Frame;

static const KgCanvasColors *
get_colors (KgCanvas *self)
{
  GdkRGBA color;

  /* The theme says which by the colour of its text. */
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &color);
  return color.red + color.green + color.blue > 1.5f ? &kg_canvas_colors_dark : &kg_canvas_colors_light;
}

static double
to_pixel_x (const Frame *frame, double x)
{
  return (x - frame->view.x) * frame->scale;
}

static double
to_pixel_y (const Frame *frame, double y)
{
  return (y - frame->view.y) * frame->scale;
}

static void
fill_rect (const Frame *frame, const KgRect *rect, KgTint tint)
{
  kg_raster_fill (&frame->raster, to_pixel_x (frame, rect->x), to_pixel_y (frame, rect->y), rect->width * frame->scale,
                  rect->height * frame->scale, tint, 1);
}

static void
outline_item (const Frame *frame, const KgItem *item, KgTint tint, double width)
{
  const KgPen pen = { .tint = tint, .width = width * frame->dpr, .alpha = 1 };
  const KgRect *rect = &item->layout.rect;
  const double k = frame->scale;

  kg_raster_frame (&frame->raster, to_pixel_x (frame, rect->x - 2), to_pixel_y (frame, rect->y - 2),
                   (rect->width + 4) * k, (rect->height + 4) * k, 8 * k, &pen);
}

/* Without words: for when it is small, or has no image yet. */
static void
draw_box (const Frame *frame, const KgItem *item)
{
  const KgRect *rect = &item->layout.rect;
  const bool failed = item->report != NULL && item->report->error != NULL;
  const KgTint tint = failed ? kg_canvas_error : item->tint;

  fill_rect (frame, rect, frame->canvas->zoom < KG_TEXT_ZOOM ? tint : frame->colors->body);
  if (frame->canvas->zoom >= KG_TEXT_ZOOM)
    fill_rect (frame, &(KgRect){ rect->x, rect->y, rect->width, fmin (KG_NODE_HEAD, rect->height) }, tint);
  if (item->displayed || failed || kg_node_get_stage (item->node) != KG_STAGE_OFF) {
    /* What the flags of a large node say. */
    const double radius = fmax (2.5 * frame->dpr, 4.5 * frame->scale);

    if (failed || !kg_document_is_selected (frame->canvas->document, item->node))
      outline_item (frame, item, failed ? kg_canvas_error : kg_canvas_displayed, 1.5);
    if (item->displayed)
      kg_raster_dot (&frame->raster, to_pixel_x (frame, rect->x + rect->width) - 1.6 * radius,
                     to_pixel_y (frame, rect->y) + 1.6 * radius, radius, kg_canvas_displayed);
  }
  if (frame->canvas->zoom < KG_BOX_ZOOM)
    return;
  for (guint i = 0; i < item->layout.n_places; i++) {
    const KgSlotPlace *place = &item->layout.places[i];
    const KgTint dot = kg_kind_get_tint (kg_node_get_slot_kind (item->node, place->slot));

    kg_raster_dot (&frame->raster, to_pixel_x (frame, place->x), to_pixel_y (frame, place->y), 4.5 * frame->scale, dot);
  }
}

/* The name of a node too small to be read, at the size of the screen: made once.  width: pixels that it may have at
 * most; -1: as many as it needs. */
static cairo_surface_t *
get_label (const Frame *frame, const KgItem *item, KgLabel *label, int width)
{
  KgCanvas *self = frame->canvas;
  const guint key = (g_str_hash (kg_node_get_name (item->node)) * 31 + (guint) (width + 1)) * 2 +
                    (guint) frame->colors->dark;
  g_autoptr (PangoLayout) layout = NULL;
  g_autoptr (PangoFontDescription) font = NULL;
  int text_width, height;
  cairo_t *cr;

  if (label->surface != NULL && label->key == key && label->scale == frame->dpr)
    return label->surface;
  g_clear_pointer (&label->surface, cairo_surface_destroy);
  layout = kg_canvas_create_layout (self, kg_node_get_name (item->node));
  font = pango_font_description_copy (pango_context_get_font_description (pango_layout_get_context (layout)));
  pango_font_description_set_absolute_size (font, LABEL_SIZE * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  if (width >= 0) {
    pango_layout_set_width (layout, MAX (0, width - 6) * PANGO_SCALE);
    pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  }
  pango_layout_get_pixel_size (layout, &text_width, &height);
  label->surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) ceil ((text_width + 6) * frame->dpr),
                                               (int) ceil ((height + 2) * frame->dpr));
  cr = cairo_create (label->surface);
  cairo_scale (cr, frame->dpr, frame->dpr);
  kg_canvas_add_rounded (cr, 0, 0, text_width + 6, height + 2, 3);
  kg_tint_set (cr, frame->colors->ground, 0.8);
  cairo_fill (cr);
  kg_tint_set (cr, frame->colors->text, 1);
  cairo_move_to (cr, 3, 1);
  pango_cairo_show_layout (cr, layout);
  cairo_destroy (cr);
  label->key = key;
  label->scale = frame->dpr;
  return label->surface;
}

/* Above the node, whose flag stays in sight. */
static KgRect
place_label (const Frame *frame, const KgItem *item, cairo_surface_t *surface)
{
  const KgRect *r = &item->layout.rect;
  KgRect place = { .width = cairo_image_surface_get_width (surface),
                   .height = cairo_image_surface_get_height (surface) };

  place.x = nearbyint (to_pixel_x (frame, r->x + 0.5 * r->width) - 0.5 * place.width);
  place.y = nearbyint (to_pixel_y (frame, r->y) - place.height);
  return place;
}

/* A name that has its place. */
typedef struct {
  KgItem *item;
  cairo_surface_t *surface;
  KgRect place;
} PlacedLabel;

static bool
is_free (const KgRect *place, const GArray *labels, guint except)
{
  for (guint k = 0; k < labels->len; k++)
    if (k != except && kg_rect_intersects (place, &g_array_index (labels, PlacedLabel, k).place))
      return false;
  return true;
}

/* Names over the boxes of nodes that are too small to be read, as many as there is room for: those of selected nodes first, then
 * what is displayed, then the rest from the top.  Each has the width of its node, and then as much more as nobody else
 * needs. */
static void
draw_labels (const Frame *frame, GPtrArray *order, guint from)
{
  KgCanvas *self = frame->canvas;
  g_autoptr (GArray) labels = g_array_new (FALSE, FALSE, sizeof (PlacedLabel));

  for (guint pass = 0; pass < 3; pass++)
    for (guint i = from; i < order->len && labels->len < MOST_LABELS; i++) {
      KgItem *item = (KgItem *) g_ptr_array_index (order, i);
      const bool selected = kg_document_is_selected (self->document, item->node);
      const KgRect *r = &item->layout.rect;
      PlacedLabel label = { .item = item };

      if ((selected          ? 0
           : item->displayed ? 1
                             : 2) != pass ||
          !kg_rect_intersects (r, &frame->view) || kg_node_is_dot (item->node))
        continue;
      label.surface = get_label (frame, item, &item->cut, MAX (LEAST_LABEL, (int) (r->width * self->zoom)));
      label.place = place_label (frame, item, label.surface);
      if (is_free (&label.place, labels, G_MAXUINT))
        g_array_append_val (labels, label);
    }
  for (guint i = 0; i < labels->len; i++) {
    PlacedLabel *label = &g_array_index (labels, PlacedLabel, i);
    cairo_surface_t *whole = get_label (frame, label->item, &label->item->label, -1);
    const KgRect place = place_label (frame, label->item, whole);

    if (is_free (&place, labels, i)) {
      label->surface = whole;
      label->place = place;
    }
    cairo_save (frame->cr);
    cairo_identity_matrix (frame->cr);
    cairo_scale (frame->cr, 1 / frame->dpr, 1 / frame->dpr);
    cairo_set_source_surface (frame->cr, label->surface, label->place.x, label->place.y);
    cairo_paint (frame->cr);
    cairo_restore (frame->cr);
  }
}

static void
make_image (const Frame *frame, KgItem *item)
{
  const KgRect *rect = &item->layout.rect;
  cairo_t *cr;

  g_clear_pointer (&item->image, cairo_surface_destroy);
  item->image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) ceil ((rect->width + 2 * MARGIN) * frame->scale),
                                            (int) ceil ((rect->height + 2 * MARGIN) * frame->scale));
  cr = cairo_create (item->image);
  cairo_scale (cr, frame->scale, frame->scale);
  cairo_translate (cr, MARGIN - rect->x, MARGIN - rect->y);
  kg_canvas_draw_node (frame->canvas, cr, item, frame->colors);
  cairo_destroy (cr);
  item->image_key = item->look_key;
  item->image_scale = frame->scale;
  frame->canvas->images_made = true;
}

/* While one zooms, all images are of the wrong size; they are made again when it rests. */
static void
update_image (const Frame *frame, KgItem *item)
{
  KgCanvas *self = frame->canvas;
  const bool present = item->image != NULL && item->image_key == item->look_key;
  const bool zooming = self->drawn_scale > 0 && self->drawn_scale != frame->scale;

  if (present && item->image_scale == frame->scale)
    return;
  if ((present && zooming) || g_get_monotonic_time () > self->images_until)
    self->unfinished = true;
  else
    make_image (frame, item);
}

static void
draw_item (const Frame *frame, KgItem *item)
{
  const KgRect *rect = &item->layout.rect;
  cairo_t *cr = frame->cr;
  double k;

  if (item->is_note) {
    kg_canvas_draw_note (frame->canvas, cr, item, frame->colors);
    return;
  }
  if (frame->canvas->zoom >= KG_TEXT_ZOOM)
    update_image (frame, item);
  if (frame->canvas->zoom < KG_TEXT_ZOOM || item->image == NULL) {
    draw_box (frame, item);
    return;
  }
  k = frame->scale / item->image_scale;
  cairo_save (cr);
  cairo_identity_matrix (cr);
  /* On whole pixels, so that text stays sharp and copying is plain. */
  cairo_scale (cr, 1 / frame->dpr, 1 / frame->dpr);
  cairo_translate (cr, nearbyint (to_pixel_x (frame, rect->x - MARGIN)),
                   nearbyint (to_pixel_y (frame, rect->y - MARGIN)));
  cairo_scale (cr, k, k);
  cairo_set_source_surface (cr, item->image, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), k == 1 ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_FAST);
  cairo_paint (cr);
  cairo_restore (cr);
}

/* Evicts those that were not in view lately first. */
static void
forget_images (KgCanvas *self, GPtrArray *order)
{
  size_t bytes = 0;

  for (guint i = 0; i < order->len; i++) {
    KgItem *item = (KgItem *) g_ptr_array_index (order, i);

    if (item->image == NULL)
      continue;
    bytes += (size_t) cairo_image_surface_get_stride (item->image) *
             (size_t) cairo_image_surface_get_height (item->image);
    if (bytes > IMAGE_BYTES && item->seen != self->frame)
      g_clear_pointer (&item->image, cairo_surface_destroy);
  }
}

static void
draw_links (const Frame *frame, GPtrArray *order)
{
  const bool thin = frame->canvas->zoom < KG_TEXT_ZOOM, straight = frame->canvas->zoom < KG_BOX_ZOOM;
  const KgRect *view = &frame->view;
  KgPen pen = { .width = thin ? frame->dpr : 2 * frame->scale, .alpha = 0.95 };

  if (!thin) {
    pen.edge_tint = frame->colors->outline;
    pen.edge_width = 4 * frame->scale;
    pen.edge_alpha = 0.6;
  }
  for (guint i = 0; i < order->len; i++) {
    const KgItem *item = (const KgItem *) g_ptr_array_index (order, i);

    for (guint l = 0; l < item->n_links; l++) {
      double p[8];

      kg_canvas_get_link_curve (item, &item->links[l], p);
      if (fmax (p[2], p[6]) < view->x || fmin (p[0], p[4]) > view->x + view->width || fmax (p[1], p[7]) < view->y ||
          fmin (p[1], p[7]) > view->y + view->height)
        continue;
      for (guint k = 0; k < 8; k += 2) {
        p[k] = to_pixel_x (frame, p[k]);
        p[k + 1] = to_pixel_y (frame, p[k + 1]);
      }
      pen.tint = kg_kind_get_tint (item->links[l].kind);
      if (straight)
        kg_raster_line (&frame->raster, p[0], p[1], p[6], p[7], &pen);
      else
        kg_raster_curve (&frame->raster, p, &pen);
    }
  }
}

static void
draw_grid (const Frame *frame)
{
  const KgRaster *raster = &frame->raster;
  double step = GRID * frame->scale;

  while (step < 14 * frame->dpr)
    step *= 5;
  kg_raster_fill (raster, 0, 0, raster->width, raster->height, frame->colors->ground, 1);
  for (double x = -fmod (frame->view.x * frame->scale, step) - step; x < raster->width; x += step)
    kg_raster_fill (raster, x, 0, frame->dpr, raster->height, frame->colors->grid, 1);
  for (double y = -fmod (frame->view.y * frame->scale, step) - step; y < raster->height; y += step)
    kg_raster_fill (raster, 0, y, raster->width, frame->dpr, frame->colors->grid, 1);
}

/* Where the keyboard leads the link to. */
static void
get_picked_place (KgCanvas *self, double *x, double *y)
{
  const KgEnd *end = &g_array_index (self->picks, KgEnd, self->picked);
  const KgItem *item = kg_canvas_get_item (self, end->node);
  const KgSlotPlace *place = kg_node_layout_find (&item->layout, end->slot, end->item);

  *x = place != NULL ? place->x : item->layout.rect.x;
  *y = place != NULL ? place->y : item->layout.rect.y;
}

static void
draw_dragged_link (KgCanvas *self, cairo_t *cr)
{
  const KgItem *item = kg_canvas_get_item (self, self->link.node);
  const KgSlotPlace *place = kg_node_layout_find (&item->layout, self->link.slot, self->link.item);
  const KgKind kind = kg_node_get_slot_kind (self->link.node, self->link.slot);
  double x, y, bend;

  if (place == NULL)
    return;
  if (self->pick == KG_PICK_TARGET)
    get_picked_place (self, &x, &y);
  else
    kg_canvas_to_graph (self, self->drag_x, self->drag_y, &x, &y);
  bend = fmax (30, 0.4 * fabs (x - place->x)) * (place->is_output ? 1 : -1);
  cairo_move_to (cr, place->x, place->y);
  cairo_curve_to (cr, place->x + bend, place->y, x - bend, y, x, y);
  kg_tint_set (cr, kg_kind_get_tint (kind), 1);
  cairo_set_line_width (cr, 2.5);
  cairo_stroke (cr);
}

/* While a link is dragged: slots that it fits glow, the rest fades. */
static void
draw_candidates (KgCanvas *self, cairo_t *cr, const KgItem *item, const KgCanvasColors *colors)
{
  bool any = false;

  for (guint i = 0; i < item->layout.n_places; i++) {
    const KgSlotPlace *place = &item->layout.places[i];
    const KgEnd end = { item->node, place->slot, place->item, place->is_output };
    const KgKind kind = kg_node_get_slot_kind (item->node, place->slot);

    if (!kg_canvas_ends_fit (self, &self->link, &end))
      continue;
    any = true;
    cairo_arc (cr, place->x, place->y, 9, 0, 2 * KG_PI);
    kg_tint_set (cr, kg_kind_get_tint (kind), 0.45);
    cairo_fill (cr);
    kg_canvas_draw_slot (cr, place, kind, colors, false, 1);
    if (self->hover_slot.node == item->node && self->hover_slot.slot == place->slot &&
        self->hover_slot.item == place->item) {
      const KgKind held = kg_node_get_slot_kind (self->link.node, self->link.slot);
      const char *conversion = self->link.is_output ? kg_kind_get_conversion (held, kind)
                                                    : kg_kind_get_conversion (kind, held);

      cairo_arc (cr, place->x, place->y, 11, 0, 2 * KG_PI);
      kg_tint_set (cr, colors->accent, 1);
      cairo_set_line_width (cr, 2);
      cairo_stroke (cr);
      if (conversion != NULL) {
        kg_tint_set (cr, colors->accent, 1);
        kg_canvas_show_text (self, cr, conversion, place->x - 260, place->y - 18, 250, 11, true, false);
      }
    }
  }
  if (!any && item->node != self->link.node) {
    cairo_rectangle (cr, item->layout.rect.x, item->layout.rect.y, item->layout.rect.width, item->layout.rect.height);
    kg_tint_set (cr, colors->ground, 0.55);
    cairo_fill (cr);
  }
}

/* In pixels of the widget: cr has no other matrix. */
static void
draw_overview (const Frame *frame, GPtrArray *order)
{
  KgCanvas *self = frame->canvas;
  cairo_t *cr = frame->cr;
  KgRect place, all;
  double scale;

  if (!kg_canvas_get_overview (self, &place, &all))
    return;
  scale = place.width / all.width;
  cairo_save (cr);
  kg_canvas_add_rounded (cr, place.x, place.y, place.width, place.height, 6);
  kg_tint_set (cr, frame->colors->body, 0.85);
  cairo_fill_preserve (cr);
  cairo_clip (cr);
  for (guint i = 0; i < order->len; i++) {
    KgItem *item = (KgItem *) g_ptr_array_index (order, i);
    const KgRect *r = &item->layout.rect;

    /* Nodes that were never in view have no layout yet. */
    if (item->look_stamp == 0)
      kg_canvas_update_look (self, item);
    kg_raster_fill (&frame->raster, (place.x + (r->x - all.x) * scale) * frame->dpr,
                    (place.y + (r->y - all.y) * scale) * frame->dpr, r->width * scale * frame->dpr,
                    r->height * scale * frame->dpr, item->tint, item->is_note ? 0.3 : 1);
  }
  cairo_rectangle (cr, place.x + (frame->view.x - all.x) * scale, place.y + (frame->view.y - all.y) * scale,
                   frame->view.width * scale, frame->view.height * scale);
  kg_tint_set (cr, frame->colors->accent, 1);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
  cairo_restore (cr);
}

static void
draw_tool (KgCanvas *self, cairo_t *cr, const KgCanvasColors *colors)
{
  if (self->tool == KG_TOOL_BOX) {
    cairo_rectangle (cr, MIN (self->start_x, self->drag_x), MIN (self->start_y, self->drag_y),
                     fabs (self->drag_x - self->start_x), fabs (self->drag_y - self->start_y));
    kg_tint_set (cr, colors->accent, 0.15);
    cairo_fill_preserve (cr);
    kg_tint_set (cr, colors->accent, 0.9);
    cairo_set_line_width (cr, 1);
    cairo_stroke (cr);
  }
}

static void
draw_running (const Frame *frame)
{
  KgCanvas *self = frame->canvas;
  double done;
  g_autofree char *name = kg_worker_dup_running (self->worker, &done);
  KgNode *node = name != NULL ? kg_graph_find (kg_canvas_graph (self), name) : NULL;
  const KgItem *item = node != NULL ? kg_canvas_get_item (self, node) : NULL;
  const KgRect *rect;

  if (item == NULL)
    return;
  rect = &item->layout.rect;
  outline_item (frame, item, kg_canvas_running, 2);
  fill_rect (frame, &(KgRect){ rect->x, rect->y - 6, rect->width * done, 3 }, frame->colors->accent);
}

/* A link under all that belongs to nodes, so that it stands out. */
static void
draw_marked_link (const Frame *frame, const KgEnd *end)
{
  KgCanvas *self = frame->canvas;
  const KgItem *item = end->node != NULL ? kg_canvas_get_item (self, end->node) : NULL;
  const KgSlotPlace *place = item != NULL ? kg_node_layout_find (&item->layout, end->slot, end->item) : NULL;
  double c[8];
  KgKind kind;

  if (place == NULL || !kg_canvas_get_curve (self, end->node, place, c, &kind))
    return;
  cairo_move_to (frame->cr, c[0], c[1]);
  cairo_curve_to (frame->cr, c[2], c[3], c[4], c[5], c[6], c[7]);
  kg_tint_set (frame->cr, frame->colors->accent, 0.8);
  cairo_set_line_width (frame->cr, 5);
  cairo_stroke (frame->cr);
}

/* What the keyboard chooses between: slots that could be meant have a ring, the one that is meant a stronger one. */
static void
draw_picks (const Frame *frame)
{
  KgCanvas *self = frame->canvas;

  for (guint i = 0; i < self->picks->len; i++) {
    const KgEnd *end = &g_array_index (self->picks, KgEnd, i);
    const KgSlotPlace *place =
        kg_node_layout_find (&kg_canvas_get_item (self, end->node)->layout, end->slot, end->item);

    if (place == NULL)
      continue;
    cairo_arc (frame->cr, place->x, place->y, 9, 0, 2 * KG_PI);
    kg_tint_set (frame->cr, frame->colors->accent, i == self->picked ? 1 : 0.4);
    cairo_set_line_width (frame->cr, i == self->picked ? 3 : 1.5);
    cairo_stroke (frame->cr);
  }
}

/* Lines of the tools that belong to the graph: they are drawn over the nodes. */
static void
draw_tool_lines (const Frame *frame)
{
  KgCanvas *self = frame->canvas;
  cairo_t *cr = frame->cr;
  const KgRect *view = &frame->view;

  if (self->tool == KG_TOOL_LINK)
    draw_dragged_link (self, cr);
  if (self->tool == KG_TOOL_CUT && self->cut->len >= 4) {
    const double *p = (const double *) (void *) self->cut->data;

    cairo_move_to (cr, p[0], p[1]);
    for (guint i = 2; i + 1 < self->cut->len; i += 2)
      cairo_line_to (cr, p[i], p[i + 1]);
    kg_tint_set (cr, kg_canvas_cut, 1);
    cairo_set_line_width (cr, 2 / self->zoom);
    cairo_stroke (cr);
  }
  if (self->tool == KG_TOOL_PICK)
    draw_picks (frame);
  if (self->tool == KG_TOOL_MOVE || self->tool == KG_TOOL_RESIZE) {
    kg_tint_set (cr, frame->colors->accent, 0.8);
    cairo_set_line_width (cr, 1 / self->zoom);
    if (!isnan (self->guide_x)) {
      cairo_move_to (cr, self->guide_x, view->y);
      cairo_line_to (cr, self->guide_x, view->y + view->height);
    }
    if (!isnan (self->guide_y)) {
      cairo_move_to (cr, view->x, self->guide_y);
      cairo_line_to (cr, view->x + view->width, self->guide_y);
    }
    cairo_stroke (cr);
  }
}

static void
draw_items (const Frame *frame, GPtrArray *order, guint from, guint to)
{
  KgCanvas *self = frame->canvas;
  const KgRect *view = &frame->view;
  const KgRect near_view = { view->x - MARGIN, view->y - MARGIN, view->width + 2 * MARGIN, view->height + 2 * MARGIN };
  KgNode *active = kg_document_get_active (self->document);

  for (guint i = from; i < to; i++) {
    KgItem *item = (KgItem *) g_ptr_array_index (order, i);

    if (!kg_rect_intersects (&item->layout.rect, &near_view))
      continue;
    if (item->look_stamp != self->look_stamp)
      kg_canvas_update_look (self, item);
    item->seen = self->frame;
    /* Below the node, so that its slots stay in sight. */
    if (kg_document_is_selected (self->document, item->node))
      outline_item (frame, item, frame->colors->accent, active == item->node ? 2.5 : 1.5);
    else if (self->hover_node == item->node && self->tool == KG_TOOL_NONE)
      outline_item (frame, item, frame->colors->faint, 1);
    draw_item (frame, item);
    if (self->tool == KG_TOOL_LINK && !item->is_note)
      draw_candidates (self, frame->cr, item, frame->colors);
  }
}

/* Notes, which are first in the order, then the links over them, then the nodes. */
static void
draw_network (const Frame *frame, GPtrArray *order)
{
  guint n_notes = 0;

  while (n_notes < order->len && ((const KgItem *) g_ptr_array_index (order, n_notes))->is_note)
    n_notes++;
  draw_items (frame, order, 0, n_notes);
  draw_links (frame, order);
  /* What the node in hand would go into, or what the keyboard has come to. */
  draw_marked_link (frame, &frame->canvas->insert);
  if (frame->canvas->pick == KG_PICK_UNLINK || frame->canvas->pick == KG_PICK_DOT)
    draw_marked_link (frame, &g_array_index (frame->canvas->picks, KgEnd, frame->canvas->picked));
  draw_items (frame, order, n_notes, order->len);
  if (frame->canvas->zoom < KG_NAME_ZOOM)
    draw_labels (frame, order, n_notes);
}

/* (transfer none) The surface for this frame, of the right size. */
static cairo_surface_t *
take_surface (KgCanvas *self, int width, int height, int dpr)
{
  cairo_surface_t **surface = &self->frames[++self->frame % G_N_ELEMENTS (self->frames)];

  if (*surface != NULL && (cairo_image_surface_get_width (*surface) != width * dpr ||
                           cairo_image_surface_get_height (*surface) != height * dpr))
    g_clear_pointer (surface, cairo_surface_destroy);
  if (*surface == NULL)
    *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width * dpr, height * dpr);
  cairo_surface_set_device_scale (*surface, dpr, dpr);
  return *surface;
}

static gboolean
on_next_frame (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  (void) clock;
  (void) data;
  gtk_widget_queue_draw (widget);
  return G_SOURCE_REMOVE;
}

void
kg_canvas_draw (KgCanvas *self, cairo_t *cr, int width, int height)
{
  const int dpr = gtk_widget_get_scale_factor (GTK_WIDGET (self));
  cairo_surface_t *surface = take_surface (self, width, height, dpr);
  KgResultSet *results = kg_worker_get_result (self->worker);
  GPtrArray *order = kg_canvas_get_order (self);
  Frame frame = { .canvas = self,
                  .raster = kg_raster_begin (surface),
                  .colors = get_colors (self),
                  .view = { self->x, self->y, width / self->zoom, height / self->zoom },
                  .scale = self->zoom * dpr,
                  .dpr = dpr };

  if (frame.raster.pixels == NULL)
    return;
  if (results != self->shown || frame.colors->dark != self->dark) {
    g_clear_pointer (&self->shown, kg_result_set_unref);
    self->shown = results != NULL ? kg_result_set_ref (results) : NULL;
    self->dark = frame.colors->dark;
    self->look_stamp++;
  }
  self->images_made = self->unfinished = false;
  self->images_until = g_get_monotonic_time () + IMAGE_MICROSECONDS;
  frame.cr = cairo_create (surface);
  draw_grid (&frame);
  cairo_save (frame.cr);
  cairo_scale (frame.cr, self->zoom, self->zoom);
  cairo_translate (frame.cr, -self->x, -self->y);
  draw_network (&frame, order);
  draw_running (&frame);
  draw_tool_lines (&frame);
  cairo_restore (frame.cr);
  draw_tool (self, frame.cr, frame.colors);
  draw_overview (&frame, order);
  if (order->len == 0) {
    kg_tint_set (frame.cr, frame.colors->faint, 1);
    kg_canvas_show_text (self, frame.cr, _ ("Press Tab to add a node."), 0.5 * width - 90, 0.5 * height, 300, 14, false,
                         false);
  }
  cairo_destroy (frame.cr);
  kg_raster_end (surface);
  cairo_set_source_surface (cr, surface, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  self->drawn_scale = frame.scale;
  if (self->images_made)
    forget_images (self, order);
  if (self->unfinished)
    gtk_widget_add_tick_callback (GTK_WIDGET (self), on_next_frame, NULL, NULL);
}
