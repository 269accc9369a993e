/* kg-stroke: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-stroke.h"

#include "config.h"
#include "text/points_text.h"
#include "kg-handles.h"

typedef struct {
  guint first, last;
} Span;

static KgStrokePoint
get (const GArray *points, guint index)
{
  return g_array_index (points, KgStrokePoint, index);
}

static double
get_distance (KgStrokePoint at, KgStrokePoint a, KgStrokePoint b)
{
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double t = square > 0 ? kg_clamp (((at.x - a.x) * dx + (at.y - a.y) * dy) / square, 0, 1) : 0;

  return hypot (a.x + t * dx - at.x, a.y + t * dy - at.y);
}

GArray *
kg_stroke_simplify (const GArray *points, double tolerance)
{
  GArray *simple = g_array_new (FALSE, FALSE, sizeof (KgStrokePoint));
  g_autofree bool *stays = g_new0 (bool, MAX (points->len, 1));
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (Span));

  if (points->len > 0) {
    const Span all = { 0, points->len - 1 };

    stays[0] = stays[points->len - 1] = true;
    g_array_append_val (spans, all);
  }
  while (spans->len > 0) {
    const Span span = g_array_index (spans, Span, spans->len - 1);
    double farthest = tolerance;
    guint split = 0;

    g_array_set_size (spans, spans->len - 1);
    for (guint i = span.first + 1; i < span.last; i++) {
      const double distance = get_distance (get (points, i), get (points, span.first), get (points, span.last));

      if (distance > farthest) {
        farthest = distance;
        split = i;
      }
    }
    if (split != 0) {
      const Span halves[] = { { span.first, split }, { split, span.last } };

      stays[split] = true;
      g_array_append_vals (spans, halves, 2);
    }
  }
  for (guint i = 0; i < points->len; i++)
    if (stays[i]) {
      const KgStrokePoint point = get (points, i);

      g_array_append_val (simple, point);
    }
  return simple;
}

bool
kg_stroke_is_closed (const GArray *points, double reach)
{
  const KgStrokePoint first = get (points, 0), last = get (points, points->len - 1);

  return points->len > 3 && hypot (last.x - first.x, last.y - first.y) <= reach;
}

char *
kg_stroke_dup_text (const GArray *points, const KgProjection *projection, KgVector near_to)
{
  const int decimals = kg_handles_get_decimals (kg_projection_get_metres (projection, near_to));
  char *text = g_strdup ("");

  for (guint i = 0; i < points->len; i++) {
    const KgStrokePoint point = get (points, i);
    const KgVector at =
        kg_handles_round (kg_projection_unmap (projection, point.x, point.y, near_to), kg_vector (0, 0, 0), decimals);
    const double x[] = { at.x, at.y, at.z };
    char *longer = points_text_set_row (text, i, x, at.z == 0 ? 2 : 3);

    g_free (text);
    text = longer;
  }
  return text;
}
