/* painter: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/painter.h"

#include "curve/curve.h"
#include "render/contours.h"

#include <cairo.h>

/* Straight pieces that a segment of a curve is drawn with, at most. */
#define CURVE_STEPS 64

struct _Painter {
  PainterStyle style;
  float *pixels;
  int columns, rows;
  double scale;
  cairo_surface_t *mask;
  cairo_t *cairo;
  /* Of the geometry that is painted. */
  const KgGeometry *geometry;
  const float *p;
  const float *color; /* of points, or NULL */
  guint color_size;
  const float *primitive_color;
  guint primitive_color_size;
  const float *width;
  const float *velocity; /* or NULL */
};

static double
get_x (const Painter *painter, double x)
{
  return (x - painter->style.center.x) * painter->scale + 0.5 * painter->columns;
}

static double
get_y (const Painter *painter, double y)
{
  return 0.5 * painter->rows - (y - painter->style.center.y) * painter->scale;
}

static KgColor
read_color (const float *color, guint size, size_t i)
{
  const float *c = color + size * i;

  return (KgColor){ (double) c[0], (double) c[1], (double) c[2], size == 4 ? (double) c[3] : 1 };
}

static KgColor
get_point_color (const Painter *painter, size_t i)
{
  return painter->color != NULL ? read_color (painter->color, painter->color_size, i) : (KgColor){ 1, 1, 1, 1 };
}

/* The colour of a primitive: its own, or the mean of its points'. */
static KgColor
get_primitive_color (const Painter *painter, size_t index, const KgPrimitive *primitive)
{
  KgColor sum = { 0, 0, 0, 0 };

  if (painter->primitive_color != NULL)
    return read_color (painter->primitive_color, painter->primitive_color_size, index);
  for (uint32_t i = 0; i < primitive->n_vertices; i++) {
    const KgColor c = get_point_color (painter, primitive->vertices[i]);

    sum = (KgColor){ sum.r + c.r, sum.g + c.g, sum.b + c.b, sum.a + c.a };
  }
  return (KgColor){ sum.r / primitive->n_vertices, sum.g / primitive->n_vertices, sum.b / primitive->n_vertices,
                    sum.a / primitive->n_vertices };
}

static double
get_line_width (const Painter *painter, const KgPrimitive *primitive)
{
  double sum = 0;

  if (painter->width == NULL)
    return painter->style.line_width * painter->scale;
  for (uint32_t i = 0; i < primitive->n_vertices; i++)
    sum += (double) painter->width[primitive->vertices[i]];
  return sum / primitive->n_vertices * painter->scale;
}

/* color on one pixel, covered to a share. */
static void
blend (float *pixel, PainterBlend how, const float premultiplied[4], float coverage)
{
  const float keep = 1 - premultiplied[3] * coverage;

  for (int c = 0; c < 3; c++) {
    const float light = premultiplied[c] * coverage;

    if (how == PAINTER_OVER)
      pixel[c] = light + pixel[c] * keep;
    else if (how == PAINTER_ADD)
      pixel[c] += light;
    else if (how == PAINTER_SCREEN)
      pixel[c] += fmaxf (light * (1 - pixel[c]), 0);
    else
      pixel[c] = fmaxf (pixel[c], light);
  }
  pixel[3] = premultiplied[3] * coverage + pixel[3] * keep;
}

static void
premultiply (KgColor color, float out[4])
{
  const double a = kg_clamp (color.a, 0, 1);

  out[0] = (float) (color.r * a);
  out[1] = (float) (color.g * a);
  out[2] = (float) (color.b * a);
  out[3] = (float) a;
}

/* Lays color over what the mask covers within the box, and clears the mask there. */
static void
composite (Painter *painter, KgColor color, double x0, double y0, double x1, double y1)
{
  const int left = (int) kg_clamp (floor (x0) - 1, 0, painter->columns);
  const int right = (int) kg_clamp (ceil (x1) + 1, 0, painter->columns);
  const int top = (int) kg_clamp (floor (y0) - 1, 0, painter->rows),
            bottom = (int) kg_clamp (ceil (y1) + 1, 0, painter->rows);
  const int stride = cairo_image_surface_get_stride (painter->mask);
  float source[4];

  premultiply (color, source);
  cairo_surface_flush (painter->mask);
  for (int y = top; y < bottom; y++) {
    unsigned char *row = cairo_image_surface_get_data (painter->mask) + (size_t) y * (size_t) stride;
    float *pixels = painter->pixels + 4 * (size_t) y * (size_t) painter->columns;

    for (int x = left; x < right; x++)
      if (row[x] != 0) {
        blend (pixels + 4 * x, painter->style.blend, source, (float) row[x] / 255);
        row[x] = 0;
      }
  }
  cairo_surface_mark_dirty (painter->mask);
}

static void
composite_path (Painter *painter, KgColor color, bool stroke)
{
  double x0, y0, x1, y1;

  if (stroke)
    cairo_stroke_extents (painter->cairo, &x0, &y0, &x1, &y1);
  else
    cairo_fill_extents (painter->cairo, &x0, &y0, &x1, &y1);
  if (x1 > x0 && y1 > y0 && x1 >= 0 && y1 >= 0 && x0 <= painter->columns && y0 <= painter->rows) {
    if (stroke)
      cairo_stroke_preserve (painter->cairo);
    else
      cairo_fill_preserve (painter->cairo);
    composite (painter, color, x0, y0, x1, y1);
  }
}

/* Cairo computes in fixed point with 24 bits before the point; farther out nothing can be seen anyway. */
static double
limit (double x)
{
  return kg_clamp (x, -4e6, 4e6);
}

static void
add_points (Painter *painter, const KgPrimitive *primitive)
{
  for (uint32_t i = 0; i < primitive->n_vertices; i++) {
    const float *p = painter->p + 3 * (size_t) primitive->vertices[i];

    cairo_line_to (painter->cairo, limit (get_x (painter, (double) p[0])), limit (get_y (painter, (double) p[1])));
  }
  if (primitive->closed)
    cairo_close_path (painter->cairo);
  cairo_new_sub_path (painter->cairo);
}

static bool
add_spline (Painter *painter, size_t index, GError **error)
{
  g_autoptr (Curve) curve = curve_new (painter->geometry, index, error);
  guint n, steps;

  if (curve == NULL)
    return false;
  n = curve_get_n_segments (curve);
  /* Pieces of about two pixels. */
  steps = (guint) kg_clamp (curve_get_length (curve) * painter->scale / (2.0 * n), 4, CURVE_STEPS);
  for (guint i = 0; i <= n * steps; i++) {
    const KgVector p = curve_evaluate (curve, (double) i / steps, 0);

    cairo_line_to (painter->cairo, limit (get_x (painter, p.x)), limit (get_y (painter, p.y)));
  }
  if (curve_is_closed (curve))
    cairo_close_path (painter->cairo);
  cairo_new_sub_path (painter->cairo);
  return true;
}

/* Whether colour or width change along a line. */
static bool
varies (const Painter *painter, const KgPrimitive *primitive)
{
  const guint size = painter->color_size;
  const uint32_t *at = primitive->vertices;

  for (uint32_t i = 1; i < primitive->n_vertices; i++)
    if ((painter->color != NULL && painter->primitive_color == NULL &&
         memcmp (painter->color + size * (size_t) at[i], painter->color + size * (size_t) at[0],
                 size * sizeof (float)) != 0) ||
        (painter->width != NULL && painter->width[at[i]] != painter->width[at[0]]))
      return true;
  return false;
}

/* A line whose colour or width runs from point to point: piece by piece, each as in its middle.  Where all are opaque
 * they overlap in round ends, so that bends have no gaps; transparent pieces are cut off, so that they do not show
 * twice. */
static void
paint_varying_line (Painter *painter, size_t index, const KgPrimitive *primitive)
{
  const uint32_t n = primitive->n_vertices - (primitive->closed ? 0 : 1);
  const bool whole = painter->primitive_color != NULL;
  const KgColor own = get_primitive_color (painter, index, primitive);
  bool opaque = painter->style.cap == PAINTER_CAP_ROUND;

  for (uint32_t i = 0; opaque && i < primitive->n_vertices; i++)
    opaque = (whole ? own : get_point_color (painter, primitive->vertices[i])).a >= 1;
  cairo_set_line_cap (painter->cairo, opaque ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  for (uint32_t i = 0; i < n; i++) {
    const size_t a = primitive->vertices[i], b = primitive->vertices[(i + 1) % primitive->n_vertices];
    const KgColor c = whole ? own : get_point_color (painter, a), d = whole ? own : get_point_color (painter, b);
    const double width = painter->width != NULL ? 0.5 * ((double) painter->width[a] + (double) painter->width[b])
                                                : painter->style.line_width;

    cairo_new_path (painter->cairo);
    cairo_move_to (painter->cairo, limit (get_x (painter, (double) painter->p[3 * a])),
                   limit (get_y (painter, (double) painter->p[3 * a + 1])));
    cairo_line_to (painter->cairo, limit (get_x (painter, (double) painter->p[3 * b])),
                   limit (get_y (painter, (double) painter->p[3 * b + 1])));
    cairo_set_line_width (painter->cairo, fmax (width * painter->scale, 0.1));
    composite_path (painter, (KgColor){ 0.5 * (c.r + d.r), 0.5 * (c.g + d.g), 0.5 * (c.b + d.b), 0.5 * (c.a + d.a) },
                    true);
  }
  cairo_new_path (painter->cairo);
}

static void
set_stroke (Painter *painter, double width)
{
  static const cairo_line_cap_t caps[] = { [PAINTER_CAP_ROUND] = CAIRO_LINE_CAP_ROUND,
                                           [PAINTER_CAP_BUTT] = CAIRO_LINE_CAP_BUTT,
                                           [PAINTER_CAP_SQUARE] = CAIRO_LINE_CAP_SQUARE };

  cairo_set_line_width (painter->cairo, kg_clamp (width, 0.1, 1e6));
  cairo_set_line_cap (painter->cairo, caps[painter->style.cap]);
}

/* Draws a primitive; an outline with its holes. */
static bool
paint_primitive (Painter *painter, size_t index, const Contours *contours, GError **error)
{
  KgPrimitive primitive, hole;
  KgColor color;

  kg_geometry_get_primitive (painter->geometry, index, &primitive);
  if (primitive.n_vertices == 0 || (contours != NULL && contours->is_hole[index]))
    return true;
  color = get_primitive_color (painter, index, &primitive);
  cairo_new_path (painter->cairo);
  if (primitive.kind == KG_SPLINE) {
    if (!add_spline (painter, index, error))
      return false;
  } else if (primitive.kind == KG_POLYLINE && varies (painter, &primitive)) {
    paint_varying_line (painter, index, &primitive);
    return true;
  } else
    add_points (painter, &primitive);
  if (primitive.kind == KG_POLYGON) {
    for (uint32_t h = contours != NULL ? contours->next[index] : CONTOURS_NONE; h != CONTOURS_NONE;
         h = contours->next[h]) {
      kg_geometry_get_primitive (painter->geometry, h, &hole);
      add_points (painter, &hole);
    }
    composite_path (painter, color, false);
    if (painter->style.outline) {
      set_stroke (painter, get_line_width (painter, &primitive));
      composite_path (painter, painter->style.outline_color, true);
    }
  } else {
    set_stroke (painter, get_line_width (painter, &primitive));
    composite_path (painter, color, true);
  }
  cairo_new_path (painter->cairo);
  return true;
}

/* A disc by the distance of pixel centres from its edge: right to a few thousandths of its area from a radius of one
 * pixel on.  Smaller ones keep their area by fading. */
static void
paint_disc (Painter *painter, double x, double y, double radius, KgColor color)
{
  const double r = fmax (radius, 0.5), fade = radius < 0.5 ? radius * radius / 0.25 : 1;
  const int left = (int) kg_clamp (floor (x - r - 1), 0, painter->columns);
  const int right = (int) kg_clamp (ceil (x + r + 1), 0, painter->columns);
  const int top = (int) kg_clamp (floor (y - r - 1), 0, painter->rows);
  const int bottom = (int) kg_clamp (ceil (y + r + 1), 0, painter->rows);
  float source[4];

  premultiply (color, source);
  for (int j = top; j < bottom; j++) {
    float *pixels = painter->pixels + 4 * (size_t) j * (size_t) painter->columns;

    for (int i = left; i < right; i++) {
      const double d = hypot (i + 0.5 - x, j + 0.5 - y);
      const double coverage = kg_clamp (r - d + 0.5, 0, 1) * fade;

      if (coverage > 0)
        blend (pixels + 4 * i, painter->style.blend, source, (float) coverage);
    }
  }
}

/* A disc smeared along the way from (x0, y0): the area that it sweeps, with its light spread over it. */
static void
paint_streak (Painter *painter, double x0, double y0, double x1, double y1, double radius, KgColor color)
{
  const double r = fmax (radius, 0.5), fade = radius < 0.5 ? radius * radius / 0.25 : 1;
  const double dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy;
  const double share = fade * KG_PI * r / (KG_PI * r + 2 * sqrt (length2));
  const int left = (int) kg_clamp (floor (fmin (x0, x1) - r - 1), 0, painter->columns);
  const int right = (int) kg_clamp (ceil (fmax (x0, x1) + r + 1), 0, painter->columns);
  const int top = (int) kg_clamp (floor (fmin (y0, y1) - r - 1), 0, painter->rows);
  const int bottom = (int) kg_clamp (ceil (fmax (y0, y1) + r + 1), 0, painter->rows);
  float source[4];

  premultiply (color, source);
  for (int j = top; j < bottom; j++) {
    float *pixels = painter->pixels + 4 * (size_t) j * (size_t) painter->columns;

    for (int i = left; i < right; i++) {
      const double px = i + 0.5 - x0, py = j + 0.5 - y0;
      const double s = kg_clamp ((px * dx + py * dy) / length2, 0, 1);
      const double coverage = kg_clamp (r - hypot (px - s * dx, py - s * dy) + 0.5, 0, 1) * share;

      if (coverage > 0)
        blend (pixels + 4 * i, painter->style.blend, source, (float) coverage);
    }
  }
}

static void
paint_point (Painter *painter, size_t i, double size)
{
  const float *p = painter->p + 3 * i;
  const double x = limit (get_x (painter, (double) p[0])), y = limit (get_y (painter, (double) p[1]));
  const double radius = fmin (0.5 * size * painter->scale, 1e5);

  if (painter->style.streak > 0 && painter->velocity != NULL) {
    const float *v = painter->velocity + 3 * i;
    const double from_x = limit (get_x (painter, (double) p[0] - (double) v[0] * painter->style.streak));
    const double from_y = limit (get_y (painter, (double) p[1] - (double) v[1] * painter->style.streak));

    if (hypot (x - from_x, y - from_y) > 0.01) {
      paint_streak (painter, from_x, from_y, x, y, radius, get_point_color (painter, i));
      return;
    }
  }
  paint_disc (painter, x, y, radius, get_point_color (painter, i));
}

/* Points that no primitive uses, or all of them. */
static void
paint_points (Painter *painter)
{
  const size_t n = kg_geometry_get_n_points (painter->geometry);
  g_autofree uint8_t *used = g_new0 (uint8_t, MAX (n, 1));

  for (size_t i = 0; !painter->style.points && i < kg_geometry_get_n_primitives (painter->geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (painter->geometry, i, &primitive);
    for (uint32_t k = 0; k < primitive.n_vertices; k++)
      used[primitive.vertices[k]] = 1;
  }
  for (size_t i = 0; i < n; i++) {
    const double size = painter->width != NULL ? (double) painter->width[i] : painter->style.point_size;

    if (!used[i] && size > 0)
      paint_point (painter, i, size);
  }
}

static void
find_colors (const KgGeometry *geometry, KgDomain domain, const float **color, guint *size)
{
  *size = 4;
  *color = kg_geometry_get_float (geometry, domain, "Cd", 4);
  if (*color == NULL) {
    *size = 3;
    *color = kg_geometry_get_float (geometry, domain, "Cd", 3);
  }
}

static bool
check_status (cairo_status_t status, int columns, int rows, GError **error)
{
  if (status == CAIRO_STATUS_SUCCESS)
    return true;
  kg_set_error (error, KG_ERROR_LIMIT, "a drawing of %d × %d pixels is too large for cairo: %s", columns, rows,
                cairo_status_to_string (status));
  return false;
}

Painter *
painter_new (const PainterStyle *style, KgImage *image, KgColor background, GError **error)
{
  const int columns = kg_image_get_width (image), rows = kg_image_get_height (image);
  cairo_surface_t *mask = cairo_image_surface_create (CAIRO_FORMAT_A8, columns, rows);
  Painter *painter;
  float color[4];

  if (!check_status (cairo_surface_status (mask), columns, rows, error)) {
    cairo_surface_destroy (mask);
    return NULL;
  }
  painter = g_new0 (Painter, 1);
  painter->style = *style;
  painter->pixels = kg_image_edit_pixels (image);
  painter->columns = columns;
  painter->rows = rows;
  painter->scale = rows / style->view_height;
  painter->mask = mask;
  painter->cairo = cairo_create (mask);
  cairo_set_line_join (painter->cairo, CAIRO_LINE_JOIN_ROUND);
  cairo_set_fill_rule (painter->cairo, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_set_antialias (painter->cairo, CAIRO_ANTIALIAS_BEST);
  premultiply (background, color);
  for (size_t i = 0; i < (size_t) columns * (size_t) rows; i++)
    memcpy (painter->pixels + 4 * i, color, sizeof color);
  return painter;
}

void
painter_free (Painter *painter)
{
  cairo_destroy (painter->cairo);
  cairo_surface_destroy (painter->mask);
  g_free (painter);
}

bool
painter_paint (Painter *painter, const KgGeometry *geometry, const KgProgressMonitor *monitor, PainterReport report,
               gpointer data)
{
  g_autoptr (Contours) contours = contours_find (geometry);
  bool good = true;

  painter->geometry = geometry;
  painter->p = kg_geometry_get_positions (geometry);
  painter->velocity = kg_geometry_get_float (geometry, KG_POINTS, "v", 3);
  painter->width = kg_geometry_get_float (geometry, KG_POINTS, "width", 1);
  find_colors (geometry, KG_POINTS, &painter->color, &painter->color_size);
  find_colors (geometry, KG_PRIMITIVES, &painter->primitive_color, &painter->primitive_color_size);
  for (size_t i = 0; good && i < kg_geometry_get_n_primitives (geometry); i++) {
    g_autoptr (GError) problem = NULL;

    if (!paint_primitive (painter, i, contours, &problem))
      report (data, i, problem);
    good = i % 64 != 0 || !kg_progress_is_cancelled (monitor);
  }
  if (good)
    paint_points (painter);
  return good;
}

bool
painter_check (const Painter *painter, GError **error)
{
  return check_status (cairo_status (painter->cairo), painter->columns, painter->rows, error);
}
