/* geometry/text: words as outlines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/font_fallback.h"
#include "kg-node.h"

#include <pango/pangocairo.h>

/* Most bytes of text: outlines are a hundred times as large. */
#define TEXT_MAX 20000
/* Pango lays out at this size; the result is scaled. */
#define TEXT_UNITS 100

typedef struct {
  const char *text;
  const char *font;
  double size;
  int align;
  double spacing;
  double shown;
  KgVector position;
  KgGeometry *geometry;
  int64_t glyphs;
} Text;

enum { TEXT_LEFT, TEXT_CENTER, TEXT_RIGHT, N_ALIGNS };

static const KgChoice text_aligns[] = {
  [TEXT_LEFT] = { "left", N_ ("Left") },
  [TEXT_CENTER] = { "center", N_ ("Centre") },
  [TEXT_RIGHT] = { "right", N_ ("Right") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (text_aligns, N_ALIGNS);

typedef struct {
  const Text *node;
  KgGeometry *geometry;
  GArray *points; /* float, 3 each */
  GArray *first;  /* guint: first point of each contour */
  GArray *glyph;  /* int: glyph of each contour */
} TextBuild;

/* The contours of a path, flattened by cairo; y turns up.  Points that no contour closes over (where the pen was set
 * down and lifted again) are dropped. */
static void
text_add_path (TextBuild *build, const cairo_path_t *path, int glyph, double scale)
{
  guint start = build->points->len / 3;

  for (int i = 0; i < path->num_data; i += path->data[i].header.length) {
    const cairo_path_data_t *data = &path->data[i];

    if (data->header.type == CAIRO_PATH_MOVE_TO)
      g_array_set_size (build->points, 3 * start);
    if (data->header.type == CAIRO_PATH_MOVE_TO || data->header.type == CAIRO_PATH_LINE_TO) {
      const float p[] = { (float) (data[1].point.x * scale), (float) (-data[1].point.y * scale), 0 };

      g_array_append_vals (build->points, p, 3);
    } else if (data->header.type == CAIRO_PATH_CLOSE_PATH && build->points->len / 3 - start >= 3) {
      const guint n = build->points->len / 3;
      const float *a = &g_array_index (build->points, float, 3 * start);
      const float *b = &g_array_index (build->points, float, 3 * (n - 1));

      /* Cairo closes a contour with its first point again. */
      if (a[0] == b[0] && a[1] == b[1])
        g_array_set_size (build->points, 3 * (n - 1));
      g_array_append_val (build->first, start);
      g_array_append_val (build->glyph, glyph);
      start = build->points->len / 3;
    }
  }
  g_array_set_size (build->points, 3 * start);
}

static void
text_trace (TextBuild *build, PangoLayout *layout, cairo_t *cairo, double scale, int64_t shown, int64_t *n_glyphs)
{
  PangoLayoutIter *iter = pango_layout_get_iter (layout);

  do {
    PangoLayoutRun *run = pango_layout_iter_get_run_readonly (iter);
    PangoRectangle extents;
    int x;

    if (run == NULL)
      continue;
    pango_layout_iter_get_run_extents (iter, NULL, &extents);
    x = extents.x;
    for (int i = 0; i < run->glyphs->num_glyphs; i++) {
      PangoGlyphString one = { .num_glyphs = 1,
                               .glyphs = &run->glyphs->glyphs[i],
                               .log_clusters = &run->glyphs->log_clusters[i] };

      if (*n_glyphs < shown) {
        cairo_path_t *path;

        cairo_new_path (cairo);
        cairo_move_to (cairo, (double) x / PANGO_SCALE, (double) pango_layout_iter_get_baseline (iter) / PANGO_SCALE);
        pango_cairo_glyph_string_path (cairo, run->item->analysis.font, &one);
        path = cairo_copy_path_flat (cairo);
        /* From 1: merging gives 0 to polygons that are not letters. */
        text_add_path (build, path, (int) *n_glyphs + 1, scale);
        cairo_path_destroy (path);
      }
      ++*n_glyphs;
      x += run->glyphs->glyphs[i].geometry.width;
    }
  } while (pango_layout_iter_next_run (iter));
  pango_layout_iter_free (iter);
}

static bool
text_make_geometry (Text *n, TextBuild *build, double width, double height, GError **error)
{
  const size_t count = build->points->len / 3;
  int32_t *glyph;
  float *p;

  n->geometry = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->geometry, count, error))
    return false;
  p = kg_geometry_edit_positions (n->geometry);
  for (size_t i = 0; i < count; i++) {
    const float *from = &g_array_index (build->points, float, 3 * i);

    p[3 * i] = from[0] + (float) (n->position.x - 0.5 * n->align * width);
    p[3 * i + 1] = from[1] + (float) (n->position.y + 0.5 * height);
    p[3 * i + 2] = (float) n->position.z;
  }
  for (guint c = 0; c < build->first->len; c++) {
    const guint first = g_array_index (build->first, guint, c);
    const guint end = c + 1 < build->first->len ? g_array_index (build->first, guint, c + 1) : (guint) count;
    g_autofree uint32_t *vertices = g_new (uint32_t, MAX (end - first, 1));
    const KgPrimitive polygon = { .kind = KG_POLYGON, .closed = true, .n_vertices = end - first, .vertices = vertices };

    for (guint i = first; i < end; i++)
      vertices[i - first] = i;
    kg_geometry_add_primitive (n->geometry, &polygon);
  }
  glyph = kg_geometry_edit_int (n->geometry, KG_PRIMITIVES, "glyph", 1);
  for (guint c = 0; c < build->glyph->len; c++)
    glyph[c] = g_array_index (build->glyph, int, c);
  return true;
}

static bool
text_evaluate (Text *n, const KgContext *ctx, GError **error)
{
  static const PangoAlignment alignments[] = {
    [TEXT_LEFT] = PANGO_ALIGN_LEFT, [TEXT_CENTER] = PANGO_ALIGN_CENTER, [TEXT_RIGHT] = PANGO_ALIGN_RIGHT
  };
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (float));
  g_autoptr (GArray) first = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) glyph = g_array_new (FALSE, FALSE, sizeof (int));
  TextBuild build = { n, NULL, points, first, glyph };
  PangoContext *context;
  PangoLayout *layout;
  PangoFontDescription *font;
  cairo_surface_t *surface;
  cairo_t *cairo;
  GError *warning = NULL;
  int width, height;
  const double scale = n->size / TEXT_UNITS;
  const glong length = g_utf8_strlen (n->text, -1);

  if (strlen (n->text) > TEXT_MAX) {
    kg_set_error (error, KG_ERROR_LIMIT, "a text of %zu bytes is too long: use at most %d", strlen (n->text), TEXT_MAX);
    return false;
  }
  /* That of the thread: a map of its own would look for the fonts again, which takes ten times as long as all the rest. */
  context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  layout = pango_layout_new (context);
  font = pango_font_description_from_string (n->font);
  pango_font_description_set_absolute_size (font, TEXT_UNITS * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  font_fallback_check (context, font, &warning);
  kg_context_take_warning (ctx, warning);
  pango_font_description_free (font);
  pango_layout_set_text (layout, n->text, -1);
  pango_layout_set_alignment (layout, alignments[n->align]);
  pango_layout_set_line_spacing (layout, (float) n->spacing);
  /* Without bounds: cairo leaves out letters that are farther than ten times their size from a surface. */
  surface = cairo_recording_surface_create (CAIRO_CONTENT_ALPHA, NULL);
  cairo = cairo_create (surface);
  cairo_set_tolerance (cairo, 0.05);
  text_trace (&build, layout, cairo, scale, (int64_t) floor (n->shown * (double) length + 1e-9), &n->glyphs);
  cairo_destroy (cairo);
  cairo_surface_destroy (surface);
  pango_layout_get_size (layout, &width, &height);
  g_object_unref (layout);
  g_object_unref (context);
  return text_make_geometry (n, &build, (double) width / PANGO_SCALE * scale, (double) height / PANGO_SCALE * scale,
                             error);
}

static const KgSlot text_slots[] = {
  KG_INPUT (Text, text, TEXT, .label = N_ ("Text"), .multiline = true, .def_text = "Kineograph",
            .help = N_ ("The text to draw.")),
  KG_INPUT (
      Text, font, TEXT, .label = N_ ("Font"), .def_text = "DejaVu Sans Bold",
      .help = N_ (
          "Name of a font, with words such as Bold or Italic. A missing font is replaced by the closest one, which a warning names.")),
  KG_INPUT (Text, size, NUMBER, .label = N_ ("Size"), .unit = KG_METRES, .def = 0.5, .min = 0, .max = 1e6,
            .soft_max = 5, .help = N_ ("Height of the letters, including ascenders.")),
  KG_INPUT (Text, align, CHOICE, .label = N_ ("Alignment"), .choices = text_aligns, .def = 1,
            .help = N_ ("Which part of the text is placed at its position.")),
  KG_INPUT (Text, spacing, NUMBER, .label = N_ ("Line spacing"), .def = 1, .min = 0.1, .max = 10, .soft_max = 3,
            .help = N_ ("Distance between lines; 1 is the line spacing of the font.")),
  KG_INPUT (Text, shown, NUMBER, .label = N_ ("Shown"), .unit = KG_PERCENT, .def = 1, .min = 0, .max = 1,
            .help = N_ ("Fraction of the letters that is shown: key it to type the text on.")),
  KG_INPUT (Text, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES,
            .help = N_ ("Position of the middle line of the text.")),
  KG_OUTPUT (Text, geometry, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("Outlines as polygons; the primitive attribute glyph holds the index of the letter.")),
  KG_OUTPUT (Text, glyphs, INTEGER, .label = N_ ("Letters"), .help = N_ ("Number of letters in the whole text.")),
};

KG_NODE (geometry, text, Text, .label = N_ ("Text"), .version = 2, .since = "0.1",
         .tags = N_ ("title letters words font type caption"),
         .help = N_ (
             "Makes text from the outlines of a font, which can be drawn, moved and deformed like any other shape."));
