/* hatch: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/hatch.h"

#include <math.h>

/* Where a line, by its number, meets an edge. */
typedef struct {
  int64_t line;
  double at, z;
} Crossing;

static int
compare_crossings (gconstpointer a, gconstpointer b)
{
  const Crossing *x = (const Crossing *) a, *y = (const Crossing *) b;

  return x->line != y->line ? (x->line > y->line) - (x->line < y->line) : (x->at > y->at) - (x->at < y->at);
}

/* A point along the lines and across them, in spacings. */
typedef struct {
  double along, across, z;
} Turned;

static Turned
turn (const float *p, double c, double s, double spacing, double offset)
{
  return (Turned){ p[0] * c + p[1] * s, (p[1] * c - p[0] * s) / spacing - offset, p[2] };
}

/* The lines that an edge crosses: half-open, so that a corner counts once. */
static bool
add_edge (Turned a, Turned b, GArray *crossings, GError **error)
{
  const double low = fmin (a.across, b.across), high = fmax (a.across, b.across);
  const double first = ceil (low), count = ceil (high) - first;

  if (count > HATCH_MAX_LINES || crossings->len + count > HATCH_MAX_CROSSINGS) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "the outlines are crossed by too many lines: at most %d fill them; widen the spacing",
                  HATCH_MAX_LINES);
    return false;
  }
  for (double line = first; line < high; line++) {
    const double t = (line - a.across) / (b.across - a.across);
    const Crossing crossing = { (int64_t) line, a.along + t * (b.along - a.along), a.z + t * (b.z - a.z) };

    g_array_append_val (crossings, crossing);
  }
  return true;
}

static bool
find_crossings (const KgGeometry *geometry, double spacing, double angle, double offset, GArray *crossings,
                size_t *open, const KgProgressMonitor *monitor, GError **error)
{
  const float *p = kg_geometry_get_positions (geometry);
  const double c = cos (angle), s = sin (angle);

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    if (i % 256 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.kind != KG_POLYGON && !(primitive.kind == KG_POLYLINE && primitive.closed)) {
      ++*open;
      continue;
    }
    for (uint32_t k = 0; k < primitive.n_vertices; k++) {
      const uint32_t next = primitive.vertices[(k + 1) % primitive.n_vertices];

      if (!add_edge (turn (p + 3 * (size_t) primitive.vertices[k], c, s, spacing, offset),
                     turn (p + 3 * (size_t) next, c, s, spacing, offset), crossings, error))
        return false;
    }
  }
  return true;
}

bool
hatch_fill (const KgGeometry *geometry, double spacing, double angle, double offset, KgGeometry *lines, double *length,
            size_t *open, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (GArray) crossings = g_array_new (FALSE, FALSE, sizeof (Crossing));
  const double c = cos (angle), s = sin (angle);
  g_autofree uint32_t *vertices = NULL;
  float *p;

  *length = 0;
  *open = 0;
  if (!find_crossings (geometry, spacing, angle, offset, crossings, open, monitor, error))
    return false;
  g_array_sort (crossings, compare_crossings);
  /* Closed outlines cross each line an even number of times. */
  if (!kg_geometry_set_n_points (lines, crossings->len, error))
    return false;
  p = kg_geometry_edit_positions (lines);
  vertices = g_new (uint32_t, MAX (crossings->len, 1));
  for (guint i = 0; i < crossings->len; i++) {
    const Crossing *crossing = &g_array_index (crossings, Crossing, i);
    const double across = ((double) crossing->line + offset) * spacing;

    p[3 * i] = (float) (crossing->at * c - across * s);
    p[3 * i + 1] = (float) (crossing->at * s + across * c);
    p[3 * i + 2] = (float) crossing->z;
    vertices[i] = i;
    if (i % 2 == 1)
      *length += crossing->at - crossing[-1].at;
  }
  kg_geometry_add_primitives (lines, KG_POLYLINE, false, crossings->len / 2, 2, vertices);
  return true;
}
