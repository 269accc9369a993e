/* painter: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/painter.h"

#include "curve/curve.h"
#include "render/contours.h"

#include <cairo.h>

/* Straight pieces that a segment of a curve is drawn with, at most. */
#define CURVE_STEPS 64

/* Discs of smaller radii, in pixels, are given exactly the light of their area: single pixels matter to them. */
#define SMALL_RADIUS 4
/* Columns and rows that such a disc can touch. */
#define SMALL_WINDOW 12
/* Newton's steps for such a disc, at most; it takes two or three. */
#define SMALL_STEPS 8

/* Streaks that are shorter, in pixels, are discs in their middle. */
#define SHORT_STREAK 0.5

struct _Painter {
  PainterStyle style;
  float *pixels;
  int columns, rows;
  double scale;
  cairo_surface_t *mask;
  cairo_t *cairo;
  GArray *coverage; /* double: of the pixels of a streak */
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

/* What a pixel has of a shape whose edge is at a distance from its centre, inside where that is positive. */
static double
get_coverage (double inside)
{
  return kg_clamp (inside + 0.5, 0, 1);
}

/* n pixels of a row, of which some may be out of the image. */
static void
blend_row (Painter *painter, int left, int row, const double *coverage, int n, double share, const float source[4])
{
  const int first = MAX (left, 0), end = MIN (left + n, painter->columns);
  float *pixels = painter->pixels + 4 * (size_t) row * (size_t) painter->columns;

  for (int i = first; i < end; i++)
    if (coverage[i - left] > 0)
      blend (pixels + 4 * i, painter->style.blend, source, (float) (coverage[i - left] * share));
}

/* The share of each of n pixels in two points at x ± spread, each of which is shared by the two pixels beside it. */
static void
share_points (double x, double spread, int left, int n, double share[SMALL_WINDOW])
{
  for (int i = 0; i < n; i++) {
    const double d = left + i + 0.5 - x;

    share[i] = 0.5 * (fmax (1 - fabs (d - spread), 0) + fmax (1 - fabs (d + spread), 0));
  }
}

/* A disc of less than a pixel: four points that are spread as it is, each shared by four pixels in linear proportion.  Its
 * light is that of its area, and the centre of its light is its centre, wherever it is between pixels. */
static void
paint_dot (Painter *painter, double x, double y, double radius, const float source[4])
{
  const double spread = 0.5 * radius, area = KG_PI * radius * radius;
  const int left = (int) floor (x - spread - 0.5), top = (int) floor (y - spread - 0.5);
  const int columns = (int) floor (x + spread + 0.5) - left + 1, rows = (int) floor (y + spread + 0.5) - top + 1;
  double across[SMALL_WINDOW], down[SMALL_WINDOW];

  share_points (x, spread, left, columns, across);
  share_points (y, spread, top, rows, down);
  for (int j = MAX (-top, 0); j < MIN (rows, painter->rows - top); j++)
    blend_row (painter, left, top + j, across, columns, area * down[j], source);
}

/* A disc of a few pixels, by the distance of pixel centres from an edge that is moved until they cover its area together,
 * those out of the image too.  What they cover rises with the radius in straight lines: Newton's steps end at the solution. */
static void
paint_small_disc (Painter *painter, double x, double y, double radius, const float source[4])
{
  const double area = KG_PI * radius * radius;
  const int left = (int) floor (x - radius - 1), top = (int) floor (y - radius - 1);
  const int columns = (int) ceil (x + radius + 1) - left, rows = (int) ceil (y + radius + 1) - top;
  const int n = columns * rows;
  double distance[SMALL_WINDOW * SMALL_WINDOW];
  /* An edge that is a pixel wide covers π (r² + 1/12) in the mean. */
  double r = sqrt (radius * radius - 1 / 12.0);

  for (int j = 0; j < rows; j++)
    for (int i = 0; i < columns; i++) {
      const double dx = left + i + 0.5 - x, dy = top + j + 0.5 - y;

      distance[j * columns + i] = sqrt (dx * dx + dy * dy);
    }
  for (int step = 0; step < SMALL_STEPS; step++) {
    double sum = 0, slope = 0;

    for (int i = 0; i < n; i++) {
      const double inside = r - distance[i];

      sum += get_coverage (inside);
      slope += fabs (inside) < 0.5 ? 1 : 0;
    }
    if (slope == 0 || fabs (area - sum) < 1e-9)
      break;
    r += (area - sum) / slope;
  }
  for (int i = 0; i < n; i++)
    distance[i] = get_coverage (r - distance[i]);
  for (int j = MAX (-top, 0); j < MIN (rows, painter->rows - top); j++)
    blend_row (painter, left, top + j, distance + j * columns, columns, 1, source);
}

/* A disc by the distance of pixel centres from its edge: right to a hundredth of its area from a radius of SMALL_RADIUS pixels
 * on. */
static void
paint_disc (Painter *painter, double x, double y, double radius, KgColor color)
{
  const int left = (int) kg_clamp (floor (x - radius - 1), 0, painter->columns);
  const int right = (int) kg_clamp (ceil (x + radius + 1), 0, painter->columns);
  const int top = (int) kg_clamp (floor (y - radius - 1), 0, painter->rows);
  const int bottom = (int) kg_clamp (ceil (y + radius + 1), 0, painter->rows);
  float source[4];

  if (left == right || top == bottom)
    return;
  premultiply (color, source);
  if (radius < 1) {
    paint_dot (painter, x, y, radius, source);
    return;
  }
  if (radius < SMALL_RADIUS) {
    paint_small_disc (painter, x, y, radius, source);
    return;
  }
  for (int j = top; j < bottom; j++) {
    float *pixels = painter->pixels + 4 * (size_t) j * (size_t) painter->columns;

    for (int i = left; i < right; i++) {
      const double coverage = get_coverage (radius - hypot (i + 0.5 - x, j + 0.5 - y));

      if (coverage > 0)
        blend (pixels + 4 * i, painter->style.blend, source, (float) coverage);
    }
  }
}

/* All pixels within a radius of a segment. */
typedef struct {
  double x, y, dx, dy, radius;
} Capsule;

/* The columns that can be covered in a row: those beside the part of the segment that is near the row. */
static void
capsule_find_columns (const Capsule *capsule, int row, int limit_left, int limit_right, int *left, int *right)
{
  const double reach = capsule->radius + 1, y = row + 0.5 - capsule->y;
  double from = 0, to = 1;

  if (capsule->dy != 0) {
    const double a = (y - reach) / capsule->dy, b = (y + reach) / capsule->dy;

    from = kg_clamp (fmin (a, b), 0, 1);
    to = kg_clamp (fmax (a, b), 0, 1);
  }
  from = capsule->x + from * capsule->dx;
  to = capsule->x + to * capsule->dx;
  *left = (int) kg_clamp (floor (fmin (from, to) - reach), limit_left, limit_right);
  *right = (int) kg_clamp (ceil (fmax (from, to) + reach), limit_left, limit_right);
}

/* What n pixels have of it, and the sum. */
static double
capsule_cover (const Capsule *capsule, int left, int row, int n, double *coverage)
{
  const double length2 = capsule->dx * capsule->dx + capsule->dy * capsule->dy, inverse = length2 > 0 ? 1 / length2 : 0;
  const double py = row + 0.5 - capsule->y;
  double sum = 0;

  for (int i = 0; i < n; i++) {
    const double px = left + i + 0.5 - capsule->x;
    const double s = kg_clamp ((px * capsule->dx + py * capsule->dy) * inverse, 0, 1);
    const double ox = px - s * capsule->dx, oy = py - s * capsule->dy;

    coverage[i] = get_coverage (capsule->radius - sqrt (ox * ox + oy * oy));
    sum += coverage[i];
  }
  return sum;
}

/* Cuts off what a segment has beyond an edge: distance is how far its start is within, and step how much farther its end is. */
static void
cut_segment (double distance, double step, double *from, double *to)
{
  if (step > 0)
    *from = fmax (*from, -distance / step);
  else if (step < 0)
    *to = fmin (*to, -distance / step);
  else if (distance < 0)
    *to = -1;
}

/* The part of a capsule that can be seen in the image; false: none. */
static bool
capsule_cut (Capsule *capsule, const Painter *painter)
{
  const double margin = capsule->radius + 2;
  double from = 0, to = 1;

  cut_segment (capsule->x + margin, capsule->dx, &from, &to);
  cut_segment (painter->columns + margin - capsule->x, -capsule->dx, &from, &to);
  cut_segment (capsule->y + margin, capsule->dy, &from, &to);
  cut_segment (painter->rows + margin - capsule->y, -capsule->dy, &from, &to);
  if (from > to)
    return false;
  *capsule = (Capsule){ capsule->x + from * capsule->dx, capsule->y + from * capsule->dy, (to - from) * capsule->dx,
                        (to - from) * capsule->dy, capsule->radius };
  return true;
}

/* A disc smeared along the path from (x0, y0): the area that it sweeps, with its light spread over it.  What pixels cover is
 * scaled to the area, with those out of the image, where it is small. */
static void
paint_streak (Painter *painter, double x0, double y0, double x1, double y1, double radius, KgColor color)
{
  Capsule capsule = { x0, y0, x1 - x0, y1 - y0, fmax (radius, 0.5) };
  double share = KG_PI * radius / (KG_PI * radius + 2 * hypot (capsule.dx, capsule.dy)), sum = 0;
  const double *coverage;
  int first, end, top, bottom;
  float source[4];

  if (!capsule_cut (&capsule, painter))
    return;
  premultiply (color, source);
  first = (int) floor (fmin (capsule.x, capsule.x + capsule.dx) - capsule.radius - 1);
  end = (int) ceil (fmax (capsule.x, capsule.x + capsule.dx) + capsule.radius + 1);
  top = (int) floor (fmin (capsule.y, capsule.y + capsule.dy) - capsule.radius - 1);
  bottom = (int) ceil (fmax (capsule.y, capsule.y + capsule.dy) + capsule.radius + 1);
  /* A large one can be much larger than the image, and is right without a sum. */
  if (radius >= SMALL_RADIUS) {
    first = MAX (first, 0);
    end = MIN (end, painter->columns);
    top = MAX (top, 0);
    bottom = MIN (bottom, painter->rows);
  }
  g_array_set_size (painter->coverage, 0);
  for (int j = top; j < bottom; j++) {
    const guint n = painter->coverage->len;
    int left, right;

    capsule_find_columns (&capsule, j, first, end, &left, &right);
    g_array_set_size (painter->coverage, n + (guint) (right - left));
    sum += capsule_cover (&capsule, left, j, right - left, &g_array_index (painter->coverage, double, n));
  }
  if (radius < SMALL_RADIUS)
    share *= (KG_PI * radius + 2 * hypot (capsule.dx, capsule.dy)) * radius / sum;
  coverage = &g_array_index (painter->coverage, double, 0);
  for (int j = top; j < bottom; j++) {
    int left, right;

    capsule_find_columns (&capsule, j, first, end, &left, &right);
    if (j >= 0 && j < painter->rows)
      blend_row (painter, left, j, coverage, right - left, share, source);
    coverage += right - left;
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

    if (hypot (x - from_x, y - from_y) > (radius < SMALL_RADIUS ? SHORT_STREAK : 0.01)) {
      paint_streak (painter, from_x, from_y, x, y, radius, get_point_color (painter, i));
      return;
    }
    if (radius < SMALL_RADIUS) {
      paint_disc (painter, 0.5 * (from_x + x), 0.5 * (from_y + y), radius, get_point_color (painter, i));
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
  painter->coverage = g_array_new (FALSE, FALSE, sizeof (double));
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
  g_array_unref (painter->coverage);
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
