/* convex_axes: separating axes of boxes and hulls with few faces, see convex_shape.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/convex_shape_private.h"

/* Most pairs of edges that are compared. */
#define MAX_EDGE_PAIRS 400
#define MAX_FACES 40
/* By how much of its depth an edge must be better than a face. */
#define FACES_FIRST 0.02

static guint
get_n_faces (const ConvexPlaced *placed)
{
  return placed->shape->kind == CONVEX_BOX ? 6 : placed->shape->kind == CONVEX_HULL ? placed->shape->faces->n_faces : 0;
}

static guint
get_n_edges (const ConvexPlaced *placed)
{
  switch (placed->shape->kind) {
  case CONVEX_BOX:
    return 3;
  case CONVEX_HULL:
    return placed->shape->faces->n_edges;
  case CONVEX_CAPSULE:
    return placed->shape->half.y > 0 ? 1 : 0;
  default:
    return 0;
  }
}

static KgVector
get_face (const ConvexPlaced *placed, guint i)
{
  if (placed->shape->kind == CONVEX_BOX)
    return kg_vector_scale (placed->axes[i / 2], i % 2 == 0 ? 1 : -1);
  return convex_to_world (placed, placed->shape->faces->normals[i]);
}

static KgVector
get_edge (const ConvexPlaced *placed, guint i)
{
  if (placed->shape->kind == CONVEX_BOX)
    return placed->axes[i];
  if (placed->shape->kind == CONVEX_CAPSULE)
    return placed->axes[1];
  return convex_to_world (placed, placed->shape->faces->edges[i]);
}

bool
convex_has_few_axes (const ConvexPlaced *a, const ConvexPlaced *b)
{
  /* Flat and thin shapes have sides without a face: only their edges separate them. */
  return get_n_faces (a) > 2 && get_n_faces (b) > 2 && get_n_faces (a) <= MAX_FACES && get_n_faces (b) <= MAX_FACES &&
         get_n_edges (a) * get_n_edges (b) <= MAX_EDGE_PAIRS;
}

/* How far a is from b along a unit axis from b to a; negative: they overlap. */
static double
get_gap (const ConvexPlaced *a, const ConvexPlaced *b, KgVector axis)
{
  return kg_vector_dot (axis, convex_get_support (a, kg_vector_scale (axis, -1))) -
         kg_vector_dot (axis, convex_get_support (b, axis));
}

static void
take_axis (ConvexAxes *axes, KgVector axis, double gap, bool edges)
{
  const double better = edges && !axes->edges ? FACES_FIRST * fabs (axes->depth) : 0;

  axes->n_axes++;
  axes->gap = gap > axes->gap ? gap : axes->gap;
  if (gap > -axes->depth + better + 1e-12) {
    axes->depth = -gap;
    axes->normal = axis;
    axes->edges = edges;
  }
}

static void
try_axis (ConvexAxes *axes, const ConvexPlaced *a, const ConvexPlaced *b, KgVector axis, bool edges)
{
  take_axis (axes, axis, get_gap (a, b, axis), edges);
}

/* Both directions of a unit axis at once; along: how far the centre of a is from that of b along it; reach: of both together. */
static void
take_both (ConvexAxes *axes, KgVector axis, double along, double reach, bool edges)
{
  axes->n_axes++;
  take_axis (axes, along < 0 ? kg_vector_scale (axis, -1) : axis, fabs (along) - reach, edges);
}

/* The same of two boxes: what they reach along an axis of one follows from the cosines between the axes of both (Gottschalk,
 * Lin and Manocha 1996), a tenth of the work of looking for corners. */
static ConvexAxes
try_axes_of_boxes (const ConvexPlaced *a, const ConvexPlaced *b, double enough)
{
  const KgVector way = kg_vector_subtract (a->position, b->position);
  const double half_a[3] = { a->shape->half.x, a->shape->half.y, a->shape->half.z },
               half_b[3] = { b->shape->half.x, b->shape->half.y, b->shape->half.z };
  ConvexAxes axes = { .gap = -INFINITY, .depth = 1e300, .normal = { 0, 1, 0 } };
  double cosines[3][3];

  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 3; k++)
      cosines[i][k] = fabs (kg_vector_dot (a->axes[i], b->axes[k]));
  for (size_t i = 0; i < 3 && axes.gap <= enough; i++)
    take_both (&axes, a->axes[i], kg_vector_dot (a->axes[i], way),
               half_a[i] + (half_b[0] * cosines[i][0] + half_b[1] * cosines[i][1] + half_b[2] * cosines[i][2]), false);
  for (size_t k = 0; k < 3 && axes.gap <= enough; k++)
    take_both (&axes, b->axes[k], kg_vector_dot (b->axes[k], way),
               half_b[k] + (half_a[0] * cosines[0][k] + half_a[1] * cosines[1][k] + half_a[2] * cosines[2][k]), false);
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 3 && axes.gap <= enough; k++) {
      const KgVector across = kg_vector_cross (a->axes[i], b->axes[k]);
      const double length = kg_vector_length (across);
      const size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;

      if (length < 1e-6)
        continue;
      take_both (&axes, kg_vector_scale (across, 1 / length), kg_vector_dot (across, way) / length,
                 (half_a[i1] * cosines[i2][k] + half_a[i2] * cosines[i1][k] + half_b[k1] * cosines[i][k2] +
                  half_b[k2] * cosines[i][k1]) /
                     length,
                 true);
    }
  return axes;
}

ConvexAxes
convex_try_axes (const ConvexPlaced *a, const ConvexPlaced *b, double enough)
{
  const guint n_a = get_n_faces (a), n_b = get_n_faces (b);
  ConvexAxes axes = { .gap = -INFINITY, .depth = 1e300, .normal = { 0, 1, 0 } };

  if (a->shape->kind == CONVEX_BOX && b->shape->kind == CONVEX_BOX)
    return try_axes_of_boxes (a, b, enough);
  for (guint i = 0; i < n_a && axes.gap <= enough; i++)
    try_axis (&axes, a, b, kg_vector_scale (get_face (a, i), -1), false);
  for (guint i = 0; i < n_b && axes.gap <= enough; i++)
    try_axis (&axes, a, b, get_face (b, i), false);
  for (guint i = 0; i < get_n_edges (a) && axes.gap <= enough; i++)
    for (guint k = 0; k < get_n_edges (b) && axes.gap <= enough; k++) {
      const KgVector across = kg_vector_cross (get_edge (a, i), get_edge (b, k));
      const double length = kg_vector_length (across);

      if (length < 1e-6)
        continue;
      try_axis (&axes, a, b, kg_vector_scale (across, 1 / length), true);
      try_axis (&axes, a, b, kg_vector_scale (across, -1 / length), true);
    }
  return axes;
}

double
convex_find_gap (const ConvexPlaced *a, const ConvexPlaced *b, KgVector *axis, guint *n_axes)
{
  const ConvexAxes axes = convex_try_axes (a, b, INFINITY);

  *axis = axes.normal;
  *n_axes = axes.n_axes;
  return axes.gap;
}
