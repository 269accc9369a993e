/* wires: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/wires.h"
#include "kg-floats.h"
#include "curve/curve.h"

/* Lines are drawn this much nearer than the surface they lie on. */
#define BIAS 1.002
/* Primitives between two looks at the monitor. */
#define ASK_EVERY 4096

typedef struct {
  double at[3]; /* camera space: x, y, z with -z ahead */
} WiresPoint;

typedef struct {
  KgTransform to_camera;
  bool orthographic;
  double near_plane, far_plane, focal;
  int width, height;
  float *pixels, *depth;
  WiresPen pen;
} Wires;

/* On the screen; nearness is what is linear there: one over the distance, or (orthographic) the distance. */
typedef struct {
  double x, y, nearness;
} WiresPlace;

static WiresPoint
get_point (const Wires *w, KgVector p)
{
  const KgVector q = kg_transform_point (w->to_camera, p);

  return (WiresPoint){ { q.x, q.y, q.z } };
}

static WiresPlace
project (const Wires *w, const WiresPoint *p)
{
  const double distance = -p->at[2], scale = w->orthographic ? w->focal : w->focal / distance;

  return (WiresPlace){ 0.5 * w->width + scale * p->at[0], 0.5 * w->height - scale * p->at[1],
                       w->orthographic ? distance : 1 / distance };
}

static void
set_pixel (const Wires *w, int x, int y, float distance)
{
  for (int v = MAX (0, y); v < MIN (w->height, y + w->pen.width); v++)
    for (int u = MAX (0, x); u < MIN (w->width, x + w->pen.width); u++) {
      const size_t at = (size_t) v * (size_t) w->width + (size_t) u;
      float *p = w->pixels + 4 * at;

      if (distance > (float) BIAS * w->depth[at])
        continue;
      w->depth[at] = MIN (w->depth[at], distance);
      p[0] = w->pen.color[0];
      p[1] = w->pen.color[1];
      p[2] = w->pen.color[2];
      p[3] = 1;
    }
}

/* The part of a line, from 0 to 1, that is between low and high in one direction (Liang and Barsky 1984). */
static bool
cut (double from, double by, double low, double high, double *t0, double *t1)
{
  if (by == 0)
    return from >= low && from <= high;
  {
    const double a = (low - from) / by, b = (high - from) / by;

    *t0 = fmax (*t0, fmin (a, b));
    *t1 = fmin (*t1, fmax (a, b));
  }
  return *t0 <= *t1;
}

static void
draw_screen_line (const Wires *w, const WiresPlace *a, const WiresPlace *b)
{
  const double dx = b->x - a->x, dy = b->y - a->y, dn = b->nearness - a->nearness;
  const double half = 0.5 * (w->pen.width - 1);
  const bool steep = fabs (dy) > fabs (dx);
  const double from = steep ? a->y - half : a->x - half, by = steep ? dy : dx;
  double t0 = 0, t1 = 1;
  int first, last;

  if (!isfinite (dx) || !isfinite (dy) || !isfinite (dn) ||
      !cut (a->x, dx, -w->pen.width, w->width + w->pen.width, &t0, &t1) ||
      !cut (a->y, dy, -w->pen.width, w->height + w->pen.width, &t0, &t1))
    return;
  first = (int) floor (from + (by < 0 ? t1 : t0) * by);
  last = (int) floor (from + (by < 0 ? t0 : t1) * by);
  for (int i = first; i <= last; i++) {
    /* Where the line passes the middle of the row or column of pixels. */
    const double t = by != 0 ? kg_clamp ((i + 0.5 - from) / by, t0, t1) : t0, nearness = a->nearness + t * dn;

    set_pixel (w, steep ? (int) floor (a->x + t * dx - half) : i, steep ? i : (int) floor (a->y + t * dy - half),
               (float) (w->orthographic ? nearness : 1 / nearness));
  }
}

static void
draw_line (const Wires *w, const WiresPoint *p, const WiresPoint *q)
{
  const double from = -p->at[2], by = p->at[2] - q->at[2];
  double t0 = 0, t1 = 1;
  WiresPoint ends[2];
  WiresPlace a, b;

  if (!isfinite (from) || !isfinite (by) || !cut (from, by, w->near_plane, w->far_plane, &t0, &t1))
    return;
  for (int c = 0; c < 3; c++) {
    ends[0].at[c] = kg_lerp (p->at[c], q->at[c], t0);
    ends[1].at[c] = kg_lerp (p->at[c], q->at[c], t1);
  }
  a = project (w, &ends[0]);
  b = project (w, &ends[1]);
  draw_screen_line (w, &a, &b);
}

static void
draw_curve (const Wires *w, const KgGeometry *geometry, size_t index)
{
  g_autoptr (Curve) curve = curve_new (geometry, index, NULL);
  const guint n = curve != NULL ? WIRES_CURVE_STEPS * curve_get_n_segments (curve) : 0;
  WiresPoint before;

  for (guint i = 0; i <= n && curve != NULL; i++) {
    const WiresPoint p = get_point (w, curve_evaluate (curve, (double) i / WIRES_CURVE_STEPS, 0));

    if (i > 0)
      draw_line (w, &before, &p);
    before = p;
  }
}

static void
draw_primitive (const Wires *w, const KgGeometry *geometry, const WiresPoint *points, uint8_t *used, size_t index)
{
  KgPrimitive primitive;
  uint32_t lines;

  kg_geometry_get_primitive (geometry, index, &primitive);
  for (uint32_t k = 0; k < primitive.n_vertices; k++)
    used[primitive.vertices[k]] = 1;
  if (primitive.kind == KG_SPLINE) {
    draw_curve (w, geometry, index);
    return;
  }
  lines = primitive.n_vertices -
          (primitive.kind == KG_POLYGON || primitive.closed || primitive.n_vertices == 0 ? 0 : 1);
  for (uint32_t k = 0; k < lines; k++)
    draw_line (w, &points[primitive.vertices[k]],
               &points[primitive.vertices[k + 1 < primitive.n_vertices ? k + 1 : 0]]);
}

bool
wires_draw (const KgGeometry *geometry, const KgTransform *transform, const KgCamera *camera, const WiresPen *pen,
            KgImage *image, const KgProgressMonitor *monitor)
{
  const size_t n = kg_geometry_get_n_points (geometry), primitives = kg_geometry_get_n_primitives (geometry);
  const float *p = kg_geometry_get_positions (geometry);
  g_autofree WiresPoint *points = g_new (WiresPoint, MAX (n, 1));
  g_autofree uint8_t *used = g_new0 (uint8_t, MAX (n, 1));
  KgTransform to_world;
  Wires w = { .orthographic = camera->orthographic,
              .near_plane = camera->near_plane,
              .far_plane = camera->far_plane,
              .width = kg_image_get_width (image),
              .height = kg_image_get_height (image),
              .pixels = kg_image_edit_pixels (image),
              .depth = kg_image_edit_depth (image),
              .pen = *pen };

  w.pen.width = CLAMP (pen->width, 1, 8);
  w.focal = w.height / (camera->orthographic ? camera->height : 2 * tan (0.5 * camera->fov));
  if (!kg_transform_invert (camera->transform, &to_world))
    return true;
  w.to_camera = kg_transform_multiply (to_world, *transform);
  for (size_t i = 0; i < n; i++)
    points[i] = get_point (&w, kg_floats_get_vector (p, i));
  for (size_t i = 0; i < primitives; i++) {
    if (i % ASK_EVERY == 0 && kg_progress_is_cancelled (monitor))
      return false;
    draw_primitive (&w, geometry, points, used, i);
  }
  for (size_t i = 0; i < n; i++)
    if (!used[i])
      draw_line (&w, &points[i], &points[i]);
  return !kg_progress_is_cancelled (monitor);
}
