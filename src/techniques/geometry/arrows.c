/* arrows: arrows from places to places, as bodies, flat polygons or lines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/arrows.h"

#include "kg-error.h"
#include "kg-floats.h"

/* Most points of all arrows together. */
#define ARROWS_MAX_POINTS 200000000

/* Points of a flat arrow: its outline from the tail round the tip. */
#define N_FLAT 7
/* Of one of lines: tail, tip and the two ends of the head. */
#define N_LINES 4

/* One arrow: axes of unit length, and how large it is. */
typedef struct {
  KgVector tail, along, across, up;
  double length, radius, head_radius, head;
} Arrow;

size_t
arrow_style_count_points (const ArrowStyle *style)
{
  return style->shape == ARROW_SOLID ? 3 * style->sides + 1 : style->shape == ARROW_FLAT ? N_FLAT : N_LINES;
}

static void
arrow_init (Arrow *arrow, const ArrowStyle *style, KgVector tail, KgVector tip)
{
  const KgVector way = kg_vector_subtract (tip, tail);
  const double length = kg_vector_length (way), head = style->head_length * style->width;
  const double size = head > 0 ? fmin (1, length / (2 * head)) : 1;
  KgVector across;

  arrow->tail = tail;
  arrow->length = length;
  arrow->along = kg_vector_normalize_or (way, kg_vector (0, 0, 1));
  across = kg_vector_cross (style->facing, arrow->along);
  /* Seen end on there is no side to prefer. */
  if (kg_vector_length (across) <= 1e-9 * kg_vector_length (style->facing))
    across = kg_vector_perpendicular (arrow->along);
  arrow->across = kg_vector_normalize_or (across, kg_vector (1, 0, 0));
  arrow->up = kg_vector_cross (arrow->along, arrow->across);
  arrow->radius = 0.5 * style->width * size;
  arrow->head_radius = arrow->radius * style->head_width;
  arrow->head = head * size;
}

static KgVector
arrow_place (const Arrow *arrow, double along, double across, double up)
{
  return kg_vector_add_scaled (
      kg_vector_add_scaled (kg_vector_add_scaled (arrow->tail, along, arrow->along), across, arrow->across), up,
      arrow->up);
}

/* Rings of the tail, of the shaft's end and of the head's base, then the tip. */
static void
arrow_fill_solid (const Arrow *arrow, size_t sides, float *p)
{
  for (size_t k = 0; k < sides; k++) {
    const double angle = 2 * KG_PI * (double) k / (double) sides, c = cos (angle), s = sin (angle);
    const double neck = arrow->length - arrow->head, r = arrow->radius, wide = arrow->head_radius;

    kg_floats_set_vector (p, k, arrow_place (arrow, 0, r * c, r * s));
    kg_floats_set_vector (p, sides + k, arrow_place (arrow, neck, r * c, r * s));
    kg_floats_set_vector (p, 2 * sides + k, arrow_place (arrow, neck, wide * c, wide * s));
  }
  kg_floats_set_vector (p, 3 * sides, arrow_place (arrow, arrow->length, 0, 0));
}

static void
arrow_fill_flat (const Arrow *arrow, float *p)
{
  const double neck = arrow->length - arrow->head, r = arrow->radius, wide = arrow->head_radius;
  const double outline[N_FLAT][2] = { { 0, -r },      { neck, -r }, { neck, -wide }, { arrow->length, 0 },
                                      { neck, wide }, { neck, r },  { 0, r } };

  for (size_t k = 0; k < N_FLAT; k++)
    kg_floats_set_vector (p, k, arrow_place (arrow, outline[k][0], outline[k][1], 0));
}

static void
arrow_fill_lines (const Arrow *arrow, float *p)
{
  const double neck = arrow->length - arrow->head;

  kg_floats_set_vector (p, 0, arrow->tail);
  kg_floats_set_vector (p, 1, arrow_place (arrow, arrow->length, 0, 0));
  kg_floats_set_vector (p, 2, arrow_place (arrow, neck, arrow->head_radius, 0));
  kg_floats_set_vector (p, 3, arrow_place (arrow, neck, -arrow->head_radius, 0));
}

/* Rows of size points for each arrow that repeat pattern, counted from the arrow's first point. */
static void
arrows_add (KgGeometry *geometry, KgPrimitiveKind kind, size_t n, size_t per_arrow, const uint32_t *pattern,
            size_t rows, uint32_t size)
{
  g_autofree uint32_t *vertices = g_new (uint32_t, MAX (n * rows * size, 1));

  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < rows * size; k++)
      vertices[i * rows * size + k] = (uint32_t) (i * per_arrow) + pattern[k];
  kg_geometry_add_primitives (geometry, kind, kind == KG_POLYGON, n * rows, size, vertices);
}

static void
arrows_add_solid (KgGeometry *geometry, size_t n, size_t sides)
{
  const uint32_t s = (uint32_t) sides;
  g_autofree uint32_t *cap = g_new (uint32_t, sides), *quads = g_new (uint32_t, 8 * sides),
                      *head = g_new (uint32_t, 3 * sides);

  for (uint32_t k = 0; k < s; k++) {
    const uint32_t next = (k + 1) % s;
    const uint32_t two[] = { k, next, s + next, s + k, s + k, s + next, 2 * s + next, 2 * s + k };
    const uint32_t side[] = { 2 * s + k, 2 * s + next, 3 * s };

    cap[k] = s - 1 - k;
    memcpy (quads + 8 * k, two, sizeof two);
    memcpy (head + 3 * k, side, sizeof side);
  }
  arrows_add (geometry, KG_POLYGON, n, 3 * sides + 1, cap, 1, s);
  arrows_add (geometry, KG_POLYGON, n, 3 * sides + 1, quads, 2 * sides, 4);
  arrows_add (geometry, KG_POLYGON, n, 3 * sides + 1, head, sides, 3);
}

KgGeometry *
arrows_new (const ArrowStyle *style, size_t n, const KgVector *tails, const KgVector *tips, GError **error)
{
  static const uint32_t outline[N_FLAT] = { 0, 1, 2, 3, 4, 5, 6 }, shaft[] = { 0, 1 }, head[] = { 2, 1, 3 };
  const size_t per_arrow = arrow_style_count_points (style);
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  float *p, *width = NULL;

  if (n > ARROWS_MAX_POINTS / per_arrow) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%zu arrows of %zu points are too many: make at most %d points in all, for example arrows of lines",
                  n, per_arrow, ARROWS_MAX_POINTS);
    return NULL;
  }
  if (!kg_geometry_set_n_points (geometry, n * per_arrow, error))
    return NULL;
  p = kg_geometry_edit_positions (geometry);
  if (style->shape == ARROW_LINES)
    width = kg_geometry_edit_float (geometry, KG_POINTS, "width", 1);
#pragma omp parallel for schedule(dynamic, 1024)
  for (size_t i = 0; i < n; i++) {
    float *at = p + 3 * i * per_arrow;
    Arrow arrow;

    arrow_init (&arrow, style, tails[i], tips[i]);
    if (style->shape == ARROW_SOLID)
      arrow_fill_solid (&arrow, style->sides, at);
    else if (style->shape == ARROW_FLAT)
      arrow_fill_flat (&arrow, at);
    else
      arrow_fill_lines (&arrow, at);
    for (size_t k = 0; width != NULL && k < per_arrow; k++)
      width[i * per_arrow + k] = (float) (2 * arrow.radius);
  }
  if (style->shape == ARROW_SOLID)
    arrows_add_solid (geometry, n, style->sides);
  else if (style->shape == ARROW_FLAT)
    arrows_add (geometry, KG_POLYGON, n, per_arrow, outline, 1, N_FLAT);
  else {
    arrows_add (geometry, KG_POLYLINE, n, per_arrow, shaft, 1, 2);
    arrows_add (geometry, KG_POLYLINE, n, per_arrow, head, 1, 3);
  }
  return g_steal_pointer (&geometry);
}
