/* kg-canvas-draw-node: how a node and a note look, drawn with cairo, and when they look otherwise.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-canvas-private.h"
#include "kg-family.h"
#include "kg-image-file.h"
#include "kg-number.h"
#include "kg-preset.h"

void
kg_canvas_add_rounded (cairo_t *cr, double x, double y, double width, double height, double radius)
{
  const double r = MIN (radius, MIN (width, height) / 2);

  cairo_new_sub_path (cr);
  cairo_arc (cr, x + width - r, y + r, r, -KG_PI / 2, 0);
  cairo_arc (cr, x + width - r, y + height - r, r, 0, KG_PI / 2);
  cairo_arc (cr, x + r, y + height - r, r, KG_PI / 2, KG_PI);
  cairo_arc (cr, x + r, y + r, r, KG_PI, 1.5 * KG_PI);
  cairo_close_path (cr);
}

PangoLayout *
kg_canvas_create_layout (KgCanvas *self, const char *text)
{
  PangoContext *context = gtk_widget_create_pango_context (GTK_WIDGET (self));
  cairo_font_options_t *options = cairo_font_options_create ();
  PangoLayout *layout;

  if (gtk_widget_get_font_options (GTK_WIDGET (self)) != NULL)
    cairo_font_options_merge (options, gtk_widget_get_font_options (GTK_WIDGET (self)));
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_NONE);
  pango_cairo_context_set_font_options (context, options);
  pango_context_set_round_glyph_positions (context, FALSE);
  cairo_font_options_destroy (options);
  layout = pango_layout_new (context);
  g_object_unref (context);
  pango_layout_set_text (layout, text, -1);
  return layout;
}

void
kg_canvas_show_text (KgCanvas *self, cairo_t *cr, const char *text, double x, double y, double width, double size,
                     bool right, bool bold)
{
  g_autoptr (PangoLayout) layout = kg_canvas_create_layout (self, text);
  g_autoptr (PangoFontDescription)
      font = pango_font_description_copy (pango_context_get_font_description (pango_layout_get_context (layout)));
  int height;

  pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
  if (bold)
    pango_font_description_set_weight (font, PANGO_WEIGHT_SEMIBOLD);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  pango_layout_set_alignment (layout, right ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  pango_layout_get_pixel_size (layout, NULL, &height);
  cairo_move_to (cr, x, y - 0.5 * height);
  pango_cairo_show_layout (cr, layout);
  /* Or the next arc would begin with a line from here. */
  cairo_new_path (cr);
}

static KgKind
get_node_kind (KgNode *node)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++)
    if (kg_node_get_slot (node, i)->role == KG_SLOT_OUTPUT)
      return kg_node_get_slot_kind (node, i);
  return KG_ANY;
}

static KgTint
get_head_tint (KgNode *node)
{
  KgTint tint = kg_kind_get_tint (get_node_kind (node));

  tint = (KgTint){ 0.72 * tint.r, 0.72 * tint.g, 0.72 * tint.b };
  return kg_canvas_parse_tint (kg_node_get_color (node), tint);
}

void
kg_canvas_draw_slot (cairo_t *cr, const KgSlotPlace *place, KgKind kind, const KgCanvasColors *colors, bool list,
                     double alpha)
{
  const double r = 4.5;

  if (list)
    kg_canvas_add_rounded (cr, place->x - r, place->y - r - 1, 2 * r, 2 * r + 2, 2);
  else
    cairo_arc (cr, place->x, place->y, r, 0, 2 * KG_PI);
  if (place->is_free) {
    kg_tint_set (cr, colors->body, alpha);
    cairo_fill_preserve (cr);
    kg_tint_set (cr, kg_kind_get_tint (kind), alpha);
    cairo_set_line_width (cr, 1.5);
    cairo_stroke (cr);
    return;
  }
  kg_tint_set (cr, kg_kind_get_tint (kind), alpha);
  cairo_fill_preserve (cr);
  kg_tint_set (cr, colors->outline, alpha);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

static void
draw_thumbnail (cairo_t *cr, const KgItem *item, const KgNodeReport *report, const KgCanvasColors *colors)
{
  const KgRect *rect = &item->layout.rect;
  const double top = rect->y + rect->height - KG_NODE_THUMBNAIL - 4, height = KG_NODE_THUMBNAIL - 2;

  cairo_rectangle (cr, rect->x + 8, top, rect->width - 16, height);
  kg_tint_set (cr, colors->ground, 1);
  cairo_fill (cr);
  if (report != NULL && report->thumbnail != NULL) {
    const int w = kg_image_get_width (report->thumbnail), h = kg_image_get_height (report->thumbnail);
    g_autofree uint8_t *rgba = g_new (uint8_t, 4 * (size_t) w * (size_t) h);
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, w, h);
    const double scale = MIN ((rect->width - 16) / w, height / h);

    kg_image_to_rgba8 (report->thumbnail, rgba);
    cairo_surface_flush (surface);
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
        const uint8_t *p = rgba + 4 * (y * w + x);
        uint32_t *to = (uint32_t *) (void *) (cairo_image_surface_get_data (surface) +
                                              y * cairo_image_surface_get_stride (surface) + 4 * x);

        *to = (uint32_t) p[3] << 24 | (uint32_t) (p[0] * p[3] / 255) << 16 | (uint32_t) (p[1] * p[3] / 255) << 8 |
              (uint32_t) (p[2] * p[3] / 255);
      }
    cairo_surface_mark_dirty (surface);
    cairo_save (cr);
    cairo_translate (cr, rect->x + 0.5 * rect->width - 0.5 * scale * w, top + 0.5 * (height - scale * h));
    cairo_scale (cr, scale, scale);
    cairo_set_source_surface (cr, surface, 0, 0);
    cairo_paint (cr);
    cairo_restore (cr);
    cairo_surface_destroy (surface);
  }
}

/* What marks an input that moves: keys first, in one of its components too. */
static const char *
get_mark (KgNode *node, guint slot)
{
  const KgSource *source = kg_node_get_source (node, slot);
  const bool cells = source->kind == KG_SOURCE_TABLE;
  bool keyed = source->kind == KG_SOURCE_KEYS, driven = source->kind == KG_SOURCE_EXPRESSION;

  for (guint i = 0; cells && !keyed && i < source->table.n; i++) {
    keyed = source->table.cells[i].source.kind == KG_SOURCE_KEYS;
    driven = driven || !keyed;
  }
  return keyed ? "◆ " : driven ? "ƒ " : "";
}

static void
draw_rows (KgCanvas *self, cairo_t *cr, const KgItem *item, const KgCanvasColors *colors)
{
  for (guint i = 0; i < item->layout.n_places; i++) {
    const KgSlotPlace *place = &item->layout.places[i];
    const KgSlot *slot = kg_node_get_slot (item->node, place->slot);
    const char *mark = place->is_output ? "" : get_mark (item->node, place->slot);
    g_autofree char *label = NULL;

    kg_tint_set (cr, place->is_free && place->item > 0 ? colors->faint : colors->text, 0.9);
    if (place->is_free && place->item > 0)
      label = g_strdup ("+");
    else
      label = g_strdup_printf ("%s%s", mark, kg_type_translate (slot->label));
    kg_canvas_show_text (self, cr, label, item->layout.rect.x + 11, place->y, item->layout.rect.width - 22, 11,
                         place->is_output, false);
    kg_canvas_draw_slot (cr, place, kg_node_get_slot_kind (item->node, place->slot), colors, slot->list, 1);
  }
}

/* A bend in a link: a bar of its colour between its slots. */
static void
draw_dot (cairo_t *cr, const KgItem *item, const KgCanvasColors *colors)
{
  const KgRect *rect = &item->layout.rect;
  const bool failed = item->report != NULL && item->report->error != NULL;

  kg_canvas_add_rounded (cr, rect->x, rect->y + 4, rect->width, rect->height - 8, 5);
  kg_tint_set (cr, item->tint, 1);
  cairo_fill_preserve (cr);
  kg_tint_set (cr, failed ? kg_canvas_error : item->displayed ? kg_canvas_displayed : colors->outline, 1);
  cairo_set_line_width (cr, failed || item->displayed ? 2 : 1);
  cairo_stroke (cr);
  for (guint i = 0; i < item->layout.n_places; i++) {
    const KgSlotPlace *place = &item->layout.places[i];

    kg_canvas_draw_slot (cr, place, kg_node_get_slot_kind (item->node, place->slot), colors, false, 1);
  }
}

/* The icon of the node's family on its colour. */
static void
draw_family (cairo_t *cr, const KgItem *item, const KgCanvasColors *colors, double x, double y, double size,
             double alpha)
{
  const char *type = kg_node_get_type_id (item->node);

  kg_canvas_add_rounded (cr, x, y, size, size, 3);
  kg_tint_set (cr, kg_family_get_tint (type), alpha);
  cairo_fill_preserve (cr);
  kg_tint_set (cr, colors->outline, 0.6 * alpha);
  cairo_set_line_width (cr, 0.8);
  cairo_stroke (cr);
  kg_tint_set (cr, kg_canvas_symbol, alpha);
  kg_family_draw_icon (cr, type, x + 2, y + 2, size - 4);
}

void
kg_canvas_draw_node (KgCanvas *self, cairo_t *cr, const KgItem *item, const KgCanvasColors *colors)
{
  const KgRect *rect = &item->layout.rect;
  const KgNodeReport *report = item->report;
  const bool bypass = kg_node_get_bypass (item->node);
  const KgTint head = item->tint;
  const double alpha = bypass ? 0.55 : 1;

  if (kg_node_is_dot (item->node)) {
    draw_dot (cr, item, colors);
    return;
  }
  kg_canvas_add_rounded (cr, rect->x, rect->y, rect->width, rect->height, 6);
  kg_tint_set (cr, colors->body, alpha);
  cairo_fill (cr);
  cairo_save (cr);
  kg_canvas_add_rounded (cr, rect->x, rect->y, rect->width, rect->height, 6);
  cairo_clip (cr);
  cairo_rectangle (cr, rect->x, rect->y, rect->width, KG_NODE_HEAD);
  kg_tint_set (cr, head, alpha);
  cairo_fill (cr);
  if (self->heat && report != NULL && report->seconds > 0) {
    /* From 10 microseconds to a second, on a scale of decades. */
    const double heat = kg_clamp ((log10 (report->seconds) + 5) / 5, 0, 1);
    double heat_alpha;
    const KgTint tint = kg_canvas_get_heat (heat, &heat_alpha);

    cairo_rectangle (cr, rect->x, rect->y, rect->width, rect->height);
    kg_tint_set (cr, tint, heat_alpha);
    cairo_fill (cr);
  }
  cairo_restore (cr);
  kg_canvas_add_rounded (cr, rect->x, rect->y, rect->width, rect->height, 6);
  kg_tint_set (cr, report != NULL && report->error != NULL ? kg_canvas_error : colors->outline, 1);
  cairo_set_line_width (cr, report != NULL && report->error != NULL ? 2 : 1);
  cairo_stroke (cr);
  if (kg_node_get_stage (item->node) != KG_STAGE_OFF && !item->displayed) {
    /* As the flag of what is displayed, but open; of a template only its outline is broken. */
    static const double dashes[] = { 2.2, 2.2 };

    cairo_arc (cr, rect->x + rect->width - 12, rect->y + 0.5 * KG_NODE_HEAD, 4.5, 0, 2 * KG_PI);
    kg_tint_set (cr, colors->body, 1);
    cairo_fill_preserve (cr);
    kg_tint_set (cr, kg_canvas_displayed, 1);
    cairo_set_line_width (cr, 2);
    if (kg_node_get_stage (item->node) == KG_STAGE_TEMPLATE)
      cairo_set_dash (cr, dashes, 2, 0);
    cairo_stroke (cr);
    cairo_set_dash (cr, NULL, 0, 0);
  }
  if (item->displayed) {
    cairo_arc (cr, rect->x + rect->width - 12, rect->y + 0.5 * KG_NODE_HEAD, 4.5, 0, 2 * KG_PI);
    kg_tint_set (cr, kg_canvas_displayed, 1);
    cairo_fill_preserve (cr);
    kg_tint_set (cr, kg_canvas_symbol, 1);
    cairo_set_line_width (cr, 1.2);
    cairo_stroke (cr);
  }
  kg_tint_set (cr, kg_canvas_get_name_tint (head), alpha);
  {
    const char *type = kg_node_get_type (item->node) != NULL ? "" : " (?)";
    g_autofree char *name = g_strdup_printf ("%s%s%s",
                                             kg_node_is_unlocked (item->node)         ? "✎ "
                                             : kg_node_get_graph (item->node) != NULL ? "▸ "
                                                                                      : "",
                                             kg_node_get_name (item->node), type);

    draw_family (cr, item, colors, rect->x + 5, rect->y + 4, KG_NODE_HEAD - 8, alpha);
    kg_tint_set (cr, kg_canvas_get_name_tint (head), alpha);
    kg_canvas_show_text (self, cr, name, rect->x + 26, rect->y + 0.5 * KG_NODE_HEAD, rect->width - 46, 12, false, true);
  }
  if (report != NULL && (report->error != NULL || report->warnings != NULL)) {
    const double x = rect->x + rect->width - 4, y = rect->y - 1;

    cairo_move_to (cr, x - 8, y + 7);
    cairo_line_to (cr, x, y - 8);
    cairo_line_to (cr, x + 8, y + 7);
    cairo_close_path (cr);
    kg_tint_set (cr, report->error != NULL ? kg_canvas_error : kg_canvas_warning, 1);
    cairo_fill (cr);
    kg_tint_set (cr, kg_canvas_symbol, 1);
    kg_canvas_show_text (self, cr, "!", x - 2, y + 1, 20, 11, false, true);
  }
  if (item->outdated) {
    cairo_move_to (cr, rect->x + 3, rect->y - 9);
    cairo_rel_line_to (cr, 8, 9);
    cairo_rel_line_to (cr, -5, 0);
    cairo_rel_line_to (cr, 0, 6);
    cairo_rel_line_to (cr, -6, 0);
    cairo_rel_line_to (cr, 0, -6);
    cairo_rel_line_to (cr, -5, 0);
    cairo_close_path (cr);
    kg_tint_set (cr, kg_canvas_outdated, 1);
    cairo_fill_preserve (cr);
    kg_tint_set (cr, kg_canvas_symbol, 1);
    cairo_set_line_width (cr, 1);
    cairo_stroke (cr);
  }
  draw_rows (self, cr, item, colors);
  if (item->thumbnail)
    draw_thumbnail (cr, item, report, colors);
  if (self->heat && report != NULL && report->evaluations > 0) {
    g_autofree char *text = kg_number_format_duration (report->seconds);

    kg_tint_set (cr, colors->faint, 1);
    kg_canvas_show_text (self, cr, text, rect->x, rect->y + rect->height + 8, rect->width, 10, true, false);
  }
  if (bypass) {
    cairo_move_to (cr, rect->x, rect->y + 0.5 * KG_NODE_HEAD);
    cairo_line_to (cr, rect->x + rect->width, rect->y + 0.5 * KG_NODE_HEAD);
    kg_tint_set (cr, kg_canvas_bypass, 0.8);
    cairo_set_line_width (cr, 2);
    cairo_stroke (cr);
  }
}

void
kg_canvas_draw_note (KgCanvas *self, cairo_t *cr, const KgItem *item, const KgCanvasColors *colors)
{
  const KgRect *rect = &item->layout.rect;
  const KgTint tint = kg_canvas_parse_tint (kg_node_get_color (item->node), kg_canvas_note);
  const int slot = kg_node_find_slot (item->node, "text");
  const KgSource *source = slot >= 0 ? kg_node_get_source (item->node, (guint) slot) : NULL;
  g_autoptr (PangoLayout) layout = NULL;
  g_autoptr (PangoFontDescription) font = NULL;

  kg_canvas_add_rounded (cr, rect->x, rect->y, rect->width, rect->height, 4);
  kg_tint_set (cr, tint, 0.16);
  cairo_fill_preserve (cr);
  kg_tint_set (cr, tint, 0.7);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  if (self->zoom < KG_BOX_ZOOM || source == NULL || source->kind != KG_SOURCE_CONSTANT ||
      source->constant.kind != KG_TEXT)
    return;
  layout = kg_canvas_create_layout (self, source->constant.text);
  font = pango_font_description_copy (pango_context_get_font_description (pango_layout_get_context (layout)));
  pango_font_description_set_absolute_size (font, 12 * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_width (layout, (int) ((rect->width - 16) * PANGO_SCALE));
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  cairo_save (cr);
  cairo_rectangle (cr, rect->x, rect->y, rect->width, rect->height);
  cairo_clip (cr);
  kg_tint_set (cr, colors->text, 0.95);
  cairo_move_to (cr, rect->x + 8, rect->y + 8);
  pango_cairo_show_layout (cr, layout);
  cairo_new_path (cr);
  cairo_restore (cr);
}

/* The library has a newer definition of it. */
static bool
is_outdated (KgCanvas *self, const KgNode *node)
{
  KgLibrary *library = kg_document_get_library (self->document);

  return library != NULL && kg_node_find_newer (node, kg_library_get_types (library)) != NULL;
}

void
kg_canvas_update_look (KgCanvas *self, KgItem *item)
{
  const KgNodeReport *report = kg_canvas_get_report (self, item->node);
  KgHash hash = kg_hash_begin (KG_HASH_DISPLAY, (uint64_t) item->thumbnail << 1 | (uint64_t) item->expanded);

  item->look_stamp = self->look_stamp;
  item->report = report;
  item->tint = get_head_tint (item->node);
  item->displayed = kg_canvas_is_displayed (self, item->node);
  item->outdated = is_outdated (self, item->node);
  hash = kg_hash_text (hash, kg_node_get_name (item->node));
  hash = kg_hash_text (hash, kg_node_get_color (item->node));
  hash = kg_hash_uint (hash, (uint64_t) kg_node_get_stage (item->node) << 6 | (uint64_t) item->outdated << 5 |
                                 (uint64_t) kg_node_is_unlocked (item->node) << 4 |
                                 (uint64_t) kg_node_get_bypass (item->node) << 3 | (uint64_t) item->displayed << 2 |
                                 (uint64_t) self->heat << 1 | (uint64_t) self->dark);
  if (report != NULL) {
    hash = kg_hash_uint (hash, (uint64_t) (report->error != NULL) << 1 | (uint64_t) (report->warnings != NULL));
    if (self->heat)
      hash = kg_hash_double (hash, report->seconds);
    if (item->thumbnail)
      hash = kg_hash_uint (hash, (uint64_t) (gsize) report->thumbnail);
  }
  for (guint i = 0; i < item->layout.n_places; i++) {
    const KgSlotPlace *place = &item->layout.places[i];

    hash = kg_hash_uint (hash, kg_node_get_slot_kind (item->node, place->slot));
    if (!place->is_output)
      hash = kg_hash_uint (hash, kg_node_get_source (item->node, place->slot)->kind);
  }
  item->look_key = kg_hash_fold (hash);
}
