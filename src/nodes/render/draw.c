/* render/draw: flat drawing of geometry.
 *
 * Cairo finds out how much of each pixel a shape covers; colours are laid over each other here, in linear light and
 * floats, which cairo's own surfaces do not offer.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve.h"
#include "render/contours.h"
#include "kg-node.h"

#include <cairo.h>
#include <glib/gi18n-lib.h>

/* Straight pieces that a segment of a curve is drawn with, at most. */
#define DRAW_CURVE_STEPS 64

typedef struct {
  KgList geometries;
  int64_t width;
  int64_t height;
  KgVector center;
  double view_height;
  KgColor background;
  double line_width;
  double point_size;
  bool points;
  bool outline;
  KgColor outline_color;
  int cap;
  double shutter;
  int64_t samples;
  KgImage *image;
} Draw;

typedef enum { DRAW_CAP_ROUND, DRAW_CAP_BUTT, DRAW_CAP_SQUARE, N_CAPS } DrawCap;

static const KgChoice draw_caps[] = {
  [DRAW_CAP_ROUND] = { "round", N_ ("Round") },
  [DRAW_CAP_BUTT] = { "butt", N_ ("Cut off") },
  [DRAW_CAP_SQUARE] = { "square", N_ ("Square") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (draw_caps, N_CAPS);

/* What drawing one geometry needs. */
typedef struct {
  const Draw *node;
  const KgGeometry *geometry;
  const float *p;
  const float *color; /* of points, or NULL */
  guint color_size;
  const float *primitive_color;
  guint primitive_color_size;
  const float *width;
  float *pixels;
  int columns, rows;
  double scale;
  cairo_surface_t *mask;
  cairo_t *cairo;
} Canvas;

static double
draw_x (const Canvas *canvas, double x)
{
  return (x - canvas->node->center.x) * canvas->scale + 0.5 * canvas->columns;
}

static double
draw_y (const Canvas *canvas, double y)
{
  return 0.5 * canvas->rows - (y - canvas->node->center.y) * canvas->scale;
}

static KgColor
draw_read_color (const float *color, guint size, size_t i)
{
  const float *c = color + size * i;

  return (KgColor){ (double) c[0], (double) c[1], (double) c[2], size == 4 ? (double) c[3] : 1 };
}

static KgColor
draw_point_color (const Canvas *canvas, size_t i)
{
  return canvas->color != NULL ? draw_read_color (canvas->color, canvas->color_size, i) : (KgColor){ 1, 1, 1, 1 };
}

/* The colour of a primitive: its own, or the mean of its points'. */
static KgColor
draw_primitive_color (const Canvas *canvas, size_t index, const KgPrimitive *primitive)
{
  KgColor sum = { 0, 0, 0, 0 };

  if (canvas->primitive_color != NULL)
    return draw_read_color (canvas->primitive_color, canvas->primitive_color_size, index);
  for (uint32_t i = 0; i < primitive->n_vertices; i++) {
    const KgColor c = draw_point_color (canvas, primitive->vertices[i]);

    sum = (KgColor){ sum.r + c.r, sum.g + c.g, sum.b + c.b, sum.a + c.a };
  }
  return (KgColor){ sum.r / primitive->n_vertices, sum.g / primitive->n_vertices, sum.b / primitive->n_vertices,
                    sum.a / primitive->n_vertices };
}

static double
draw_line_width (const Canvas *canvas, const KgPrimitive *primitive)
{
  double sum = 0;

  if (canvas->width == NULL)
    return canvas->node->line_width * canvas->scale;
  for (uint32_t i = 0; i < primitive->n_vertices; i++)
    sum += (double) canvas->width[primitive->vertices[i]];
  return sum / primitive->n_vertices * canvas->scale;
}

/* color over one pixel, covered to a share. */
static void
draw_blend (float *pixel, const float premultiplied[4], float coverage)
{
  const float keep = 1 - premultiplied[3] * coverage;

  for (int c = 0; c < 4; c++)
    pixel[c] = premultiplied[c] * coverage + pixel[c] * keep;
}

static void
draw_premultiply (KgColor color, float out[4])
{
  const double a = kg_clamp (color.a, 0, 1);

  out[0] = (float) (color.r * a);
  out[1] = (float) (color.g * a);
  out[2] = (float) (color.b * a);
  out[3] = (float) a;
}

/* Lays color over what the mask covers within the box, and clears the mask there. */
static void
draw_composite (Canvas *canvas, KgColor color, double x0, double y0, double x1, double y1)
{
  const int left = (int) kg_clamp (floor (x0) - 1, 0, canvas->columns);
  const int right = (int) kg_clamp (ceil (x1) + 1, 0, canvas->columns);
  const int top = (int) kg_clamp (floor (y0) - 1, 0, canvas->rows),
            bottom = (int) kg_clamp (ceil (y1) + 1, 0, canvas->rows);
  const int stride = cairo_image_surface_get_stride (canvas->mask);
  float source[4];

  draw_premultiply (color, source);
  cairo_surface_flush (canvas->mask);
  for (int y = top; y < bottom; y++) {
    unsigned char *row = cairo_image_surface_get_data (canvas->mask) + (size_t) y * (size_t) stride;
    float *pixels = canvas->pixels + 4 * (size_t) y * (size_t) canvas->columns;

    for (int x = left; x < right; x++)
      if (row[x] != 0) {
        draw_blend (pixels + 4 * x, source, (float) row[x] / 255);
        row[x] = 0;
      }
  }
  cairo_surface_mark_dirty (canvas->mask);
}

static void
draw_composite_path (Canvas *canvas, KgColor color, bool stroke)
{
  double x0, y0, x1, y1;

  if (stroke)
    cairo_stroke_extents (canvas->cairo, &x0, &y0, &x1, &y1);
  else
    cairo_fill_extents (canvas->cairo, &x0, &y0, &x1, &y1);
  if (x1 > x0 && y1 > y0 && x1 >= 0 && y1 >= 0 && x0 <= canvas->columns && y0 <= canvas->rows) {
    if (stroke)
      cairo_stroke_preserve (canvas->cairo);
    else
      cairo_fill_preserve (canvas->cairo);
    draw_composite (canvas, color, x0, y0, x1, y1);
  }
}

/* Cairo computes in fixed point with 24 bits before the point; farther out nothing can be seen anyway. */
static double
draw_limit (double x)
{
  return kg_clamp (x, -4e6, 4e6);
}

static void
draw_add_points (Canvas *canvas, const KgPrimitive *primitive)
{
  for (uint32_t i = 0; i < primitive->n_vertices; i++) {
    const float *p = canvas->p + 3 * (size_t) primitive->vertices[i];

    cairo_line_to (canvas->cairo, draw_limit (draw_x (canvas, (double) p[0])),
                   draw_limit (draw_y (canvas, (double) p[1])));
  }
  if (primitive->closed)
    cairo_close_path (canvas->cairo);
  cairo_new_sub_path (canvas->cairo);
}

static bool
draw_add_spline (Canvas *canvas, size_t index, GError **error)
{
  g_autoptr (Curve) curve = curve_new (canvas->geometry, index, error);
  guint n, steps;

  if (curve == NULL)
    return false;
  n = curve_get_n_segments (curve);
  /* Pieces of about two pixels. */
  steps = (guint) kg_clamp (curve_get_length (curve) * canvas->scale / (2.0 * n), 4, DRAW_CURVE_STEPS);
  for (guint i = 0; i <= n * steps; i++) {
    const KgVector p = curve_evaluate (curve, (double) i / steps, 0);

    cairo_line_to (canvas->cairo, draw_limit (draw_x (canvas, p.x)), draw_limit (draw_y (canvas, p.y)));
  }
  if (curve_is_closed (curve))
    cairo_close_path (canvas->cairo);
  cairo_new_sub_path (canvas->cairo);
  return true;
}

/* Whether colour or width change along a line. */
static bool
draw_varies (const Canvas *canvas, const KgPrimitive *primitive)
{
  const guint size = canvas->color_size;
  const uint32_t *at = primitive->vertices;

  for (uint32_t i = 1; i < primitive->n_vertices; i++)
    if ((canvas->color != NULL && canvas->primitive_color == NULL &&
         memcmp (canvas->color + size * (size_t) at[i], canvas->color + size * (size_t) at[0], size * sizeof (float)) !=
             0) ||
        (canvas->width != NULL && canvas->width[at[i]] != canvas->width[at[0]]))
      return true;
  return false;
}

/* A line whose colour or width runs from point to point: piece by piece, each as in its middle.  Where all are opaque
 * they overlap in round ends, so that bends have no gaps; transparent pieces are cut off, so that they do not show
 * twice. */
static void
draw_varying_line (Canvas *canvas, size_t index, const KgPrimitive *primitive)
{
  const uint32_t n = primitive->n_vertices - (primitive->closed ? 0 : 1);
  const bool whole = canvas->primitive_color != NULL;
  const KgColor own = draw_primitive_color (canvas, index, primitive);
  bool opaque = canvas->node->cap == DRAW_CAP_ROUND;

  for (uint32_t i = 0; opaque && i < primitive->n_vertices; i++)
    opaque = (whole ? own : draw_point_color (canvas, primitive->vertices[i])).a >= 1;
  cairo_set_line_cap (canvas->cairo, opaque ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  for (uint32_t i = 0; i < n; i++) {
    const size_t a = primitive->vertices[i], b = primitive->vertices[(i + 1) % primitive->n_vertices];
    const KgColor c = whole ? own : draw_point_color (canvas, a), d = whole ? own : draw_point_color (canvas, b);
    const double width = canvas->width != NULL ? 0.5 * ((double) canvas->width[a] + (double) canvas->width[b])
                                               : canvas->node->line_width;

    cairo_new_path (canvas->cairo);
    cairo_move_to (canvas->cairo, draw_limit (draw_x (canvas, (double) canvas->p[3 * a])),
                   draw_limit (draw_y (canvas, (double) canvas->p[3 * a + 1])));
    cairo_line_to (canvas->cairo, draw_limit (draw_x (canvas, (double) canvas->p[3 * b])),
                   draw_limit (draw_y (canvas, (double) canvas->p[3 * b + 1])));
    cairo_set_line_width (canvas->cairo, fmax (width * canvas->scale, 0.1));
    draw_composite_path (canvas,
                         (KgColor){ 0.5 * (c.r + d.r), 0.5 * (c.g + d.g), 0.5 * (c.b + d.b), 0.5 * (c.a + d.a) }, true);
  }
  cairo_new_path (canvas->cairo);
}

static void
draw_set_stroke (Canvas *canvas, double width)
{
  static const cairo_line_cap_t caps[] = { CAIRO_LINE_CAP_ROUND, CAIRO_LINE_CAP_BUTT, CAIRO_LINE_CAP_SQUARE };

  cairo_set_line_width (canvas->cairo, kg_clamp (width, 0.1, 1e6));
  cairo_set_line_cap (canvas->cairo, caps[canvas->node->cap]);
}

/* Draws a primitive; an outline with its holes. */
static bool
draw_primitive (Canvas *canvas, size_t index, const Contours *contours, GError **error)
{
  KgPrimitive primitive, hole;
  KgColor color;

  kg_geometry_get_primitive (canvas->geometry, index, &primitive);
  if (primitive.n_vertices == 0 || (contours != NULL && contours->is_hole[index]))
    return true;
  color = draw_primitive_color (canvas, index, &primitive);
  cairo_new_path (canvas->cairo);
  if (primitive.kind == KG_SPLINE) {
    if (!draw_add_spline (canvas, index, error))
      return false;
  } else if (primitive.kind == KG_POLYLINE && draw_varies (canvas, &primitive)) {
    draw_varying_line (canvas, index, &primitive);
    return true;
  } else
    draw_add_points (canvas, &primitive);
  if (primitive.kind == KG_POLYGON) {
    for (uint32_t h = contours != NULL ? contours->next[index] : CONTOURS_NONE; h != CONTOURS_NONE;
         h = contours->next[h]) {
      kg_geometry_get_primitive (canvas->geometry, h, &hole);
      draw_add_points (canvas, &hole);
    }
    draw_composite_path (canvas, color, false);
    if (canvas->node->outline) {
      draw_set_stroke (canvas, draw_line_width (canvas, &primitive));
      draw_composite_path (canvas, canvas->node->outline_color, true);
    }
  } else {
    draw_set_stroke (canvas, draw_line_width (canvas, &primitive));
    draw_composite_path (canvas, color, true);
  }
  cairo_new_path (canvas->cairo);
  return true;
}

/* A disc by the distance of pixel centres from its edge: right to a few thousandths of its area from a radius of one
 * pixel on.  Smaller ones keep their area by fading. */
static void
draw_disc (Canvas *canvas, double x, double y, double radius, KgColor color)
{
  const double r = fmax (radius, 0.5), fade = radius < 0.5 ? radius * radius / 0.25 : 1;
  const int left = (int) kg_clamp (floor (x - r - 1), 0, canvas->columns);
  const int right = (int) kg_clamp (ceil (x + r + 1), 0, canvas->columns);
  const int top = (int) kg_clamp (floor (y - r - 1), 0, canvas->rows);
  const int bottom = (int) kg_clamp (ceil (y + r + 1), 0, canvas->rows);
  float source[4];

  draw_premultiply (color, source);
  for (int j = top; j < bottom; j++) {
    float *pixels = canvas->pixels + 4 * (size_t) j * (size_t) canvas->columns;

    for (int i = left; i < right; i++) {
      const double d = hypot (i + 0.5 - x, j + 0.5 - y);
      const double coverage = kg_clamp (r - d + 0.5, 0, 1) * fade;

      if (coverage > 0)
        draw_blend (pixels + 4 * i, source, (float) coverage);
    }
  }
}

/* Points that no primitive uses, or all of them. */
static void
draw_points (Canvas *canvas)
{
  const size_t n = kg_geometry_get_n_points (canvas->geometry);
  g_autofree uint8_t *used = g_new0 (uint8_t, MAX (n, 1));

  for (size_t i = 0; !canvas->node->points && i < kg_geometry_get_n_primitives (canvas->geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (canvas->geometry, i, &primitive);
    for (uint32_t k = 0; k < primitive.n_vertices; k++)
      used[primitive.vertices[k]] = 1;
  }
  for (size_t i = 0; i < n; i++) {
    const double size = canvas->width != NULL ? (double) canvas->width[i] : canvas->node->point_size;

    if (!used[i] && size > 0)
      draw_disc (canvas, draw_limit (draw_x (canvas, (double) canvas->p[3 * i])),
                 draw_limit (draw_y (canvas, (double) canvas->p[3 * i + 1])), fmin (0.5 * size * canvas->scale, 1e5),
                 draw_point_color (canvas, i));
  }
}

static void
draw_find_colors (const KgGeometry *geometry, KgDomain domain, const float **color, guint *size)
{
  *size = 4;
  *color = kg_geometry_get_float (geometry, domain, "Cd", 4);
  if (*color == NULL) {
    *size = 3;
    *color = kg_geometry_get_float (geometry, domain, "Cd", 3);
  }
}

/* What cannot be drawn is left out and said once, not at every moment of the shutter. */
static void
draw_report (const KgContext *ctx, GHashTable *told, guint geometry, size_t primitive, const GError *problem)
{
  g_autofree char *text = g_strdup_printf (_ ("primitive %u of geometry %u is left out: %s"), (guint) primitive,
                                           geometry, problem->message);

  if (g_hash_table_contains (told, text))
    return;
  kg_context_warn (ctx, "%s", text);
  g_hash_table_add (told, g_steal_pointer (&text));
}

/* False when cancelled. */
static bool
draw_geometry (const Draw *n, const KgContext *ctx, const KgGeometry *geometry, guint number, KgImage *image,
               cairo_surface_t *mask, GHashTable *told)
{
  Canvas canvas = { .node = n, .geometry = geometry, .p = kg_geometry_get_positions (geometry), .mask = mask };
  g_autoptr (Contours) contours = contours_find (geometry);
  bool good = true;

  canvas.width = kg_geometry_get_float (geometry, KG_POINTS, "width", 1);
  draw_find_colors (geometry, KG_POINTS, &canvas.color, &canvas.color_size);
  draw_find_colors (geometry, KG_PRIMITIVES, &canvas.primitive_color, &canvas.primitive_color_size);
  canvas.pixels = kg_image_edit_pixels (image);
  canvas.columns = kg_image_get_width (image);
  canvas.rows = kg_image_get_height (image);
  canvas.scale = canvas.rows / n->view_height;
  canvas.cairo = cairo_create (mask);
  cairo_set_line_join (canvas.cairo, CAIRO_LINE_JOIN_ROUND);
  cairo_set_fill_rule (canvas.cairo, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_set_antialias (canvas.cairo, CAIRO_ANTIALIAS_BEST);
  for (size_t i = 0; good && i < kg_geometry_get_n_primitives (geometry); i++) {
    g_autoptr (GError) problem = NULL;

    if (!draw_primitive (&canvas, i, contours, &problem))
      draw_report (ctx, told, number, i, problem);
    good = i % 64 != 0 || !kg_context_is_cancelled (ctx);
  }
  if (good)
    draw_points (&canvas);
  cairo_destroy (canvas.cairo);
  return good;
}

static KgImage *
draw_list (const Draw *n, const KgContext *ctx, KgList list, GHashTable *told, GError **error)
{
  g_autoptr (KgImage) image = kg_image_new (n->width, n->height, false, error);
  cairo_surface_t *mask;
  float background[4];
  bool good = true;
  float *pixels;

  if (image == NULL)
    return NULL;
  mask = cairo_image_surface_create (CAIRO_FORMAT_A8, (int) n->width, (int) n->height);
  if (cairo_surface_status (mask) != CAIRO_STATUS_SUCCESS) {
    kg_set_error (error, KG_ERROR_LIMIT, "a drawing of %d × %d pixels is too large for cairo: %s", (int) n->width,
                  (int) n->height, cairo_status_to_string (cairo_surface_status (mask)));
    cairo_surface_destroy (mask);
    return NULL;
  }
  draw_premultiply (n->background, background);
  pixels = kg_image_edit_pixels (image);
  for (size_t i = 0; i < 4 * (size_t) n->width * (size_t) n->height; i++)
    pixels[i] = background[i % 4];
  for (guint i = 0; good && i < list.n; i++)
    good = draw_geometry (n, ctx, list.items[i].geometry, i, image, mask, told);
  cairo_surface_destroy (mask);
  return good ? g_steal_pointer (&image) : NULL;
}

static bool
draw_demand (const Draw *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  /* While a shutter is open for no time at all nothing moves: one moment shows what many would. */
  const int64_t samples = n->shutter > 0 ? n->samples : 1;

  (void) error;
  /* Evenly over the time the shutter is open, around the frame's own time. */
  for (int64_t i = 0; i < samples; i++) {
    const double t = samples > 1 ? ((double) i + 0.5) / (double) samples - 0.5 : 0;

    kg_demand_at (demand, offsetof (Draw, geometries), ctx->time + t * n->shutter / ctx->rate);
  }
  return true;
}

static bool
draw_evaluate (Draw *n, const KgContext *ctx, GError **error)
{
  const guint samples = kg_context_get_n_samples (ctx, offsetof (Draw, geometries));
  const size_t count = 4 * (size_t) n->width * (size_t) n->height;
  const float share = 1 / (float) samples;
  g_autoptr (GHashTable) told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < samples; i++) {
    g_autoptr (KgImage)
        one = draw_list (n, ctx, kg_context_get_list (ctx, offsetof (Draw, geometries), i), told, error);
    float *sum;

    if (one == NULL)
      return false;
    if (samples == 1) {
      n->image = g_steal_pointer (&one);
      return true;
    }
    if (n->image == NULL && (n->image = kg_image_new (n->width, n->height, false, error)) == NULL)
      return false;
    sum = kg_image_edit_pixels (n->image);
    for (size_t k = 0; k < count; k++)
      sum[k] += share * kg_image_get_pixels (one)[k];
  }
  return true;
}

static const KgSlot draw_slots[] = {
  KG_INPUTS (Draw, geometries, GEOMETRY, .label = N_ ("Geometries"), .optional = true,
             .help = N_ ("What to draw, from back to front.")),
  KG_INPUT (Draw, width, INTEGER, .label = N_ ("Width"), .unit = KG_PIXELS, .def = 640, .min = 1,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 3840, .early = true, .help = N_ ("Of the picture.")),
  KG_INPUT (Draw, height, INTEGER, .label = N_ ("Height"), .unit = KG_PIXELS, .def = 360, .min = 1,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 2160, .early = true, .help = N_ ("Of the picture.")),
  KG_INPUT (Draw, center, VECTOR, .label = N_ ("View centre"), .unit = KG_METRES,
            .help = N_ ("What is in the middle of the picture.")),
  KG_INPUT (Draw, view_height, NUMBER, .label = N_ ("View height"), .unit = KG_METRES, .def = 4, .min = 1e-6,
            .max = 1e6, .soft_min = 0.5, .soft_max = 20, .help = N_ ("How many metres fit from bottom to top.")),
  KG_INPUT (Draw, background, COLOR, .label = N_ ("Background"), .def_v = { 0, 0, 0, 0 },
            .help = N_ ("Behind everything; transparent by default.")),
  KG_INPUT (Draw, line_width, NUMBER, .label = N_ ("Line width"), .unit = KG_METRES, .def = 0.03, .min = 0, .max = 1e6,
            .soft_max = 0.5, .help = N_ ("Of lines without the attribute width.")),
  KG_INPUT (Draw, point_size, NUMBER, .label = N_ ("Point size"), .unit = KG_METRES, .def = 0.08, .min = 0, .max = 1e6,
            .soft_max = 0.5, .help = N_ ("Diameter of points without the attribute width.")),
  KG_INPUT (Draw, points, BOOLEAN, .label = N_ ("All points"),
            .help = N_ ("Also the points of lines and polygons; otherwise only loose ones.")),
  KG_INPUT (Draw, outline, BOOLEAN, .label = N_ ("Outlines"), .help = N_ ("A line around polygons.")),
  KG_INPUT (Draw, outline_color, COLOR, .label = N_ ("Outline colour"), .def_v = { 0, 0, 0, 1 },
            .help = N_ ("Of these lines.")),
  KG_INPUT (Draw, cap, CHOICE, .label = N_ ("Line ends"), .choices = draw_caps, .help = N_ ("How lines end.")),
  KG_INPUT (Draw, shutter, NUMBER, .label = N_ ("Shutter"), .unit = KG_FRAMES, .early = true, .def = 0.5, .min = 0,
            .max = 10, .soft_max = 1, .group = N_ ("Motion blur"), .help = N_ ("How long it is open.")),
  KG_INPUT (Draw, samples, INTEGER, .label = N_ ("Samples"), .early = true, .def = 1, .min = 1, .max = 256,
            .soft_max = 32, .group = N_ ("Motion blur"),
            .help = N_ ("Moments looked at while the shutter is open. 1 is a sharp picture, 8 and more blur.")),
  KG_OUTPUT (Draw, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The picture.")),
};

KG_NODE_WITH_DEMAND (
    render, draw, Draw, .label = N_ ("Draw"), .version = 2, .since = "0.1",
    .tags = N_ ("2d cairo paint stroke fill picture render cartoon vector"),
    .help = N_ ("Draws geometry flat, seen along z: polygons are filled, curves and lines stroked, loose "
                "points drawn as discs. Colours come from the attribute Cd, widths from width."));
