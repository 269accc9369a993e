/* contours: nesting by boxes, planes and points.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/contours.h"
#include "kg-floats.h"

#include <stdlib.h>
#include <string.h>

/* Contours in one plane: a bent letter's may differ by 25 degrees, and by a tenth of its size. */
#define SAME_NORMAL 0.9
#define SAME_PLANE 0.1
/* Steps for each contour of a row, on average: a file must not make this take for ever. */
#define WORK 20000

/* One polygon of a row. */
typedef struct {
  uint32_t index;
  KgPrimitive primitive;
  KgVector low, high;
  KgVector normal; /* unit */
  double area;
} Contour;

static Contour
measure (const KgGeometry *geometry, uint32_t index)
{
  const float *p = kg_geometry_get_positions (geometry);
  Contour c = { .index = index };
  KgVector sum = { 0, 0, 0 };

  kg_geometry_get_primitive (geometry, index, &c.primitive);
  for (uint32_t i = 0; i < c.primitive.n_vertices; i++) {
    const KgVector a = kg_floats_get_vector (p, (size_t) c.primitive.vertices[i]);
    const KgVector b = kg_floats_get_vector (p, (size_t) (c.primitive.vertices[(i + 1) % c.primitive.n_vertices]));

    sum.x += (a.y - b.y) * (a.z + b.z);
    sum.y += (a.z - b.z) * (a.x + b.x);
    sum.z += (a.x - b.x) * (a.y + b.y);
    c.low = i > 0 ? kg_vector_min (c.low, a) : a;
    c.high = i > 0 ? kg_vector_max (c.high, a) : a;
  }
  c.area = kg_vector_length (sum);
  c.normal = kg_vector_normalize_or (sum, kg_vector (0, 0, 0));
  return c;
}

/* Whether inner lies in outer: 1 when both turn the same way, -1 when not; 0 when it does not lie there. */
static int
get_relative_winding (const float *p, const Contour *outer, const Contour *inner, guint64 *work)
{
  const KgVector n = outer->normal, at = kg_floats_get_vector (p, (size_t) inner->primitive.vertices[0]);
  const double along = kg_vector_dot (n, inner->normal);
  const double size = kg_vector_distance (outer->low, outer->high);
  const double x = fabs (n.x), y = fabs (n.y), z = fabs (n.z);
  const int drop = x >= y && x >= z ? 0 : y >= z ? 1 : 2, u = (drop + 1) % 3, v = (drop + 2) % 3;
  bool inside = false;

  if (!(fabs (along) >= SAME_NORMAL) || !(kg_vector_get (outer->low, u) < kg_vector_get (inner->low, u)) ||
      !(kg_vector_get (outer->low, v) < kg_vector_get (inner->low, v)) ||
      !(kg_vector_get (outer->high, u) > kg_vector_get (inner->high, u)) ||
      !(kg_vector_get (outer->high, v) > kg_vector_get (inner->high, v)) ||
      fabs (
          kg_vector_dot (n, kg_vector_subtract (at, kg_floats_get_vector (p, (size_t) outer->primitive.vertices[0])))) >
          SAME_PLANE * size)
    return 0;
  *work -= MIN (*work, outer->primitive.n_vertices);
  for (uint32_t i = 0; i < outer->primitive.n_vertices; i++) {
    const KgVector a = kg_floats_get_vector (p, (size_t) outer->primitive.vertices[i]);
    const KgVector b =
        kg_floats_get_vector (p, (size_t) (outer->primitive.vertices[(i + 1) % outer->primitive.n_vertices]));
    const double au = kg_vector_get (a, u), av = kg_vector_get (a, v), bu = kg_vector_get (b, u),
                 bv = kg_vector_get (b, v);

    if ((av > kg_vector_get (at, v)) != (bv > kg_vector_get (at, v)) &&
        kg_vector_get (at, u) < au + (bu - au) * (kg_vector_get (at, v) - av) / (bv - av))
      inside = !inside;
  }
  return !inside ? 0 : along > 0 ? 1 : -1;
}

static int
compare_low (gconstpointer a, gconstpointer b, gpointer data)
{
  const Contour *p = (const Contour *) a, *q = (const Contour *) b;
  const int axis = *(const int *) data;
  const double x = kg_vector_get (p->low, axis), y = kg_vector_get (q->low, axis);

  if (x != y)
    return x < y ? -1 : 1;
  return p->index < q->index ? -1 : p->index > q->index;
}

/* Sweeps over a row along the axis where it is longest; only contours that the sweep is in can lie around. */
static bool
find_in_row (const KgGeometry *geometry, uint32_t first, uint32_t n, Contours *contours)
{
  const float *p = kg_geometry_get_positions (geometry);
  g_autofree Contour *row = g_new (Contour, n);
  g_autofree uint32_t *active = g_new (uint32_t, n);
  uint32_t n_active = 0;
  guint64 work = (guint64) n * WORK;
  KgVector low, high;
  bool any = false;
  int axis;

  for (uint32_t i = 0; i < n; i++) {
    row[i] = measure (geometry, first + i);
    low = i > 0 ? kg_vector_min (low, row[i].low) : row[i].low;
    high = i > 0 ? kg_vector_max (high, row[i].high) : row[i].high;
  }
  axis = high.x - low.x >= high.y - low.y && high.x - low.x >= high.z - low.z ? 0
         : high.y - low.y >= high.z - low.z                                   ? 1
                                                                              : 2;
  g_qsort_with_data (row, (int) n, sizeof *row, compare_low, &axis);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t kept = 0, outline = CONTOURS_NONE;
    int around = 0;

    for (uint32_t k = 0; k < n_active && work > 0; k++) {
      const Contour *outer = &row[active[k]];
      int turn;

      work--;
      if (kg_vector_get (outer->high, axis) < kg_vector_get (row[i].low, axis))
        continue;
      active[kept++] = active[k];
      turn = get_relative_winding (p, outer, &row[i], &work);
      around += turn;
      /* The innermost of those that it can be a hole in. */
      if (turn < 0 && (outline == CONTOURS_NONE || outer->area < row[outline].area))
        outline = active[k];
    }
    n_active = kept;
    active[n_active++] = i;
    if (around == -1) {
      contours->is_hole[row[i].index] = 1;
      contours->next[row[i].index] = contours->next[row[outline].index];
      contours->next[row[outline].index] = row[i].index;
      any = true;
    }
  }
  return any;
}

Contours *
contours_find (const KgGeometry *geometry)
{
  const int32_t *glyphs = kg_geometry_get_int (geometry, KG_PRIMITIVES, "glyph", 1);
  const size_t n = kg_geometry_get_n_primitives (geometry);
  Contours *contours;
  bool any = false;

  if (glyphs == NULL || n == 0)
    return NULL;
  contours = g_new (Contours, 1);
  contours->is_hole = g_new0 (uint8_t, n);
  contours->next = g_new (uint32_t, n);
  memset (contours->next, 0xff, n * sizeof *contours->next);
  for (size_t first = 0, end; first < n; first = end) {
    for (end = first; end < n && glyphs[end] == glyphs[first]; end++) {
      KgPrimitive primitive;

      kg_geometry_get_primitive (geometry, end, &primitive);
      if (primitive.kind != KG_POLYGON || primitive.n_vertices < 3)
        break;
    }
    if (glyphs[first] > 0 && end - first > 1)
      any = find_in_row (geometry, (uint32_t) first, (uint32_t) (end - first), contours) || any;
    end = MAX (end, first + 1);
  }
  if (!any)
    g_clear_pointer (&contours, contours_free);
  return contours;
}

void
contours_free (Contours *contours)
{
  g_free (contours->is_hole);
  g_free (contours->next);
  g_free (contours);
}
