/* body_touch: how deep bodies are in each other and in what is around them, and the shortest way out.
 *
 * Two convex bodies overlap unless some axis tells them apart: the normal of a face of one of them, or what is across
 * an edge of each (the separating axis theorem; Gottschalk, Lin and Manocha 1996).  The axis along which they overlap the least
 * is the shortest way out.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/body_touch.h"

/* Most pairs of edges of two bodies that are compared; beyond, only corners are. */
#define MAX_EDGE_PAIRS 1024

/* Places. */

static KgVector
to_world (const BodyPlaced *placed, KgVector x)
{
  return placed->pose != NULL ? kg_vector_add (placed->pose->place, kg_rotation_apply (placed->pose->turn, x)) : x;
}

static KgVector
to_local (const BodyPlaced *placed, KgVector x)
{
  return placed->pose != NULL ? kg_rotation_apply (kg_rotation_conjugate (placed->pose->turn),
                                                   kg_vector_subtract (x, placed->pose->place))
                              : x;
}

static KgVector
turn_to_world (const BodyPlaced *placed, KgVector direction)
{
  return placed->pose != NULL ? kg_rotation_apply (placed->pose->turn, direction) : direction;
}

static KgVector
turn_to_local (const BodyPlaced *placed, KgVector direction)
{
  return placed->pose != NULL ? kg_rotation_apply (kg_rotation_conjugate (placed->pose->turn), direction) : direction;
}

/* The nearest points of two segments. */
static void
find_nearest (const KgVector a[2], const KgVector b[2], KgVector *on_a, KgVector *on_b)
{
  const KgVector u = kg_vector_subtract (a[1], a[0]), v = kg_vector_subtract (b[1], b[0]);
  const KgVector w = kg_vector_subtract (a[0], b[0]);
  const double uu = kg_vector_dot (u, u), vv = kg_vector_dot (v, v), uv = kg_vector_dot (u, v);
  const double uw = kg_vector_dot (u, w), vw = kg_vector_dot (v, w), across = uu * vv - uv * uv;
  double s = across > 1e-14 * uu * vv ? kg_clamp ((uv * vw - vv * uw) / across, 0, 1) : 0.5, t;

  t = vv > 0 ? kg_clamp ((uv * s + vw) / vv, 0, 1) : 0;
  s = uu > 0 ? kg_clamp ((uv * t - uw) / uu, 0, 1) : 0;
  *on_a = kg_vector_add_scaled (a[0], s, u);
  *on_b = kg_vector_add_scaled (b[0], t, v);
}

/* Walls. */

void
body_touch_walls (const BodyPlaced *body, const SkeletonWall *walls, guint n, double margin, BodyTouch *deepest)
{
  const BodyShape *shape = body->shape;
  const KgVector center = to_world (body, kg_vector (0, 0, 0));

  for (guint w = 0; w < n; w++) {
    const SkeletonWall *wall = &walls[w];

    if (kg_vector_dot (wall->normal, center) - wall->distance > shape->radius + margin)
      continue;
    for (guint i = 0; i < shape->n_points; i++) {
      const KgVector x = to_world (body, shape->points[i]);
      const double depth = wall->distance + margin - kg_vector_dot (wall->normal, x);

      if (depth > deepest->depth)
        *deepest = (BodyTouch){ depth, x, wall->normal };
    }
  }
}

/* Any two shapes. */

/* Corner i of a shape; behind the corners come the middles of its edges or faces, without which solids that are exactly
 * aligned slip through each other. */
static KgVector
get_probe_point (const BodyShape *shape, guint i)
{
  const uint32_t *element;
  KgVector sum;

  if (i < shape->n_points)
    return shape->points[i];
  element = shape->elements[i - shape->n_points];
  sum = kg_vector_add (shape->points[element[0]], shape->points[element[1]]);
  return shape->segments ? kg_vector_scale (sum, 0.5)
                         : kg_vector_scale (kg_vector_add (sum, shape->points[element[2]]), 1.0 / 3);
}

static bool
is_near (const BodyShape *shape, KgVector x, double margin)
{
  return x.x >= shape->low.x - margin && x.x <= shape->high.x + margin && x.y >= shape->low.y - margin &&
         x.y <= shape->high.y + margin && x.z >= shape->low.z - margin && x.z <= shape->high.z + margin;
}

/* How deep a body is in the surface of something. */
static void
feel (const BodyPlaced *body, const BodyPlaced *in, bool one_sided, double margin, BodyTouch *deepest)
{
  const BodyShape *shape = body->shape;

  for (guint i = 0; i < shape->n_points + shape->n_elements && !kg_progress_is_cancelled (body->monitor); i++) {
    const KgVector x = to_world (body, get_probe_point (shape, i)), local = to_local (in, x);
    KgVector normal;
    double depth;

    if ((!one_sided || in->shape->closed) && !is_near (in->shape, local, margin))
      continue;
    depth = margin - body_shape_get_distance (in->shape, local, one_sided, &normal);
    if (depth > deepest->depth)
      *deepest = (BodyTouch){ depth, x, turn_to_world (in, normal) };
  }
}

/* The same from the other side: the way is still that of the body. */
static void
find_depth_reversed (const BodyPlaced *body, const BodyPlaced *other, double margin, BodyTouch *deepest)
{
  BodyTouch touch = { .depth = deepest->depth };

  feel (other, body, false, margin, &touch);
  if (touch.depth > deepest->depth)
    *deepest = (BodyTouch){ touch.depth, touch.place, kg_vector_scale (touch.normal, -1) };
}

static guint
get_n_edges (const BodyShape *shape)
{
  return shape->segments ? shape->n_elements : 3 * shape->n_elements;
}

static void
get_edge (const BodyPlaced *placed, guint i, KgVector ends[2])
{
  const BodyShape *shape = placed->shape;
  const uint32_t *element = shape->elements[shape->segments ? i : i / 3];

  ends[0] = to_world (placed, shape->points[element[shape->segments ? 0 : i % 3]]);
  ends[1] = to_world (placed, shape->points[element[shape->segments ? 1 : (i + 1) % 3]]);
}

/* Edges that pass each other within the margin, both nearer there than any corner. */
static void
compare_edges (const BodyPlaced *a, const BodyPlaced *b, double margin, BodyTouch *deepest)
{
  for (guint i = 0; i < get_n_edges (a->shape) && !kg_progress_is_cancelled (a->monitor); i++) {
    KgVector edge_a[2], edge_b[2], on_a, on_b;

    get_edge (a, i, edge_a);
    for (guint k = 0; k < get_n_edges (b->shape); k++) {
      double distance;

      get_edge (b, k, edge_b);
      find_nearest (edge_a, edge_b, &on_a, &on_b);
      distance = kg_vector_distance (on_a, on_b);
      if (distance > 1e-12 && margin - distance > deepest->depth)
        *deepest = (BodyTouch){ margin - distance, kg_vector_lerp (on_a, on_b, 0.5),
                                kg_vector_scale (kg_vector_subtract (on_b, on_a), 1 / distance) };
    }
  }
}

/* Convex shapes. */

/* What is known of two convex shapes: the axis along which they overlap the least. */
typedef struct {
  const BodyPlaced *a, *b;
  double overlap; /* negative: the gap between them is as large at least */
  KgVector normal;
} Overlap;

/* From where to where a shape reaches along a direction. */
static void
project (const BodyPlaced *placed, KgVector direction, double *low, double *high)
{
  const KgVector local = turn_to_local (placed, direction);
  const double from = placed->pose != NULL ? kg_vector_dot (direction, placed->pose->place) : 0;

  *low = INFINITY;
  *high = -INFINITY;
  for (guint i = 0; i < placed->shape->n_points; i++) {
    const double x = from + kg_vector_dot (local, placed->shape->points[i]);

    *low = fmin (*low, x);
    *high = fmax (*high, x);
  }
}

static void
try_axis (Overlap *least, KgVector axis)
{
  double low_a, high_a, low_b, high_b, overlap;

  project (least->a, axis, &low_a, &high_a);
  project (least->b, axis, &low_b, &high_b);
  overlap = fmin (high_a - low_b, high_b - low_a);
  /* Of equally good axes the first is kept: faces come before edges. */
  if (!(overlap < least->overlap - 1e-6 * fabs (least->overlap) - 1e-12))
    return;
  least->overlap = overlap;
  least->normal = high_a - low_b <= high_b - low_a ? axis : kg_vector_scale (axis, -1);
}

static bool
is_segment (const BodyShape *shape)
{
  return shape->segments && shape->n_elements == 1;
}

static KgVector
get_direction (const BodyPlaced *placed)
{
  KgVector ends[2];

  get_edge (placed, 0, ends);
  return kg_vector_normalize_or (kg_vector_subtract (ends[1], ends[0]), kg_vector (0, 0, 0));
}

/* Two segments lie in a plane in space, or on a line in the plane, where what is across both does not tell them apart: what
 * does is across one of them in that plane, or along that line. */
static void
try_axes_of_segments (Overlap *least)
{
  const KgVector along[] = { get_direction (least->a), get_direction (least->b) };
  const KgVector across = kg_vector_cross (along[0], along[1]);
  const bool plane = least->a->shape->n_faces > 0;

  for (int i = 0; i < 2; i++) {
    const KgVector axis = plane ? along[i] : kg_vector_cross (across, along[i]);

    if (kg_vector_length (axis) > 1e-4)
      try_axis (least, kg_vector_normalize_or (axis, axis));
  }
}

/* False when the two are known to be farther apart than the margin. */
static bool
find_least_overlap (Overlap *least, double margin)
{
  const BodyShape *a = least->a->shape, *b = least->b->shape;

  for (guint i = 0; i < a->n_faces + b->n_faces && least->overlap >= -margin; i++)
    try_axis (least, i < a->n_faces ? turn_to_world (least->a, a->axes[i])
                                    : turn_to_world (least->b, b->axes[i - a->n_faces]));
  for (guint i = 0; i < a->n_edges && least->overlap >= -margin; i++) {
    const KgVector edge = turn_to_world (least->a, a->axes[a->n_faces + i]);

    for (guint k = 0; k < b->n_edges; k++) {
      const KgVector across = kg_vector_cross (edge, turn_to_world (least->b, b->axes[b->n_faces + k]));

      if (kg_vector_length (across) > 1e-4)
        try_axis (least, kg_vector_normalize_or (across, across));
    }
  }
  if (is_segment (a) && is_segment (b))
    try_axes_of_segments (least);
  return least->overlap >= -margin;
}

/* The corners that reach farthest along a direction.  (transfer full) KgVector, in the world. */
static GArray *
find_support_points (const BodyPlaced *placed, KgVector direction)
{
  const double slack = 1e-6 * placed->shape->radius;
  GArray *found = g_array_new (FALSE, FALSE, sizeof (KgVector));
  double low, high;

  project (placed, direction, &low, &high);
  for (guint i = 0; i < placed->shape->n_points; i++) {
    const KgVector x = to_world (placed, placed->shape->points[i]);

    if (kg_vector_dot (direction, x) >= high - slack)
      g_array_append_val (found, x);
  }
  return found;
}

/* Adds those corners that are in the other shape once they are moved a way. */
static void
add_corners (const GArray *corners, const BodyPlaced *other, KgVector way, KgVector *sum, guint *n)
{
  for (guint i = 0; i < corners->len; i++) {
    const KgVector x = g_array_index (corners, KgVector, i);
    KgVector unused;

    if (body_shape_get_distance (other->shape, to_local (other, kg_vector_add (x, way)), false, &unused) >
        1e-6 * other->shape->radius)
      continue;
    *sum = kg_vector_add (*sum, x);
    ++*n;
  }
}

/* Which way round c is from a to b, seen against the normal. */
static double
get_side (KgVector normal, KgVector a, KgVector b, KgVector c)
{
  return kg_vector_dot (normal, kg_vector_cross (kg_vector_subtract (b, a), kg_vector_subtract (c, a)));
}

/* The convex outline of corners that lie in a plane: gift wrapping (Jarvis 1973).  (transfer full) KgVector */
static GArray *
find_outline (const GArray *corners, KgVector normal)
{
  const KgVector *all = (const KgVector *) (const void *) corners->data;
  const KgVector right = kg_vector_perpendicular (normal);
  GArray *outline = g_array_new (FALSE, FALSE, sizeof (KgVector));
  guint first = 0, at;

  for (guint i = 1; i < corners->len; i++)
    if (kg_vector_dot (right, all[i]) > kg_vector_dot (right, all[first]))
      first = i;
  at = first;
  do {
    guint next = first;

    g_array_append_val (outline, all[at]);
    for (guint i = 0; i < corners->len; i++) {
      const double side = get_side (normal, all[at], all[next], all[i]);

      if (next == at || side < 0 ||
          (side == 0 && kg_vector_distance (all[at], all[i]) > kg_vector_distance (all[at], all[next])))
        next = i;
    }
    at = next;
  } while (at != first && outline->len < corners->len);
  return outline;
}

/* Adds where the outlines of two faces cross, within reach of each other. */
static void
add_crossings (const GArray *outline_a, const GArray *outline_b, double reach, KgVector *sum, guint *n)
{
  const KgVector *all_a = (const KgVector *) (const void *) outline_a->data;
  const KgVector *all_b = (const KgVector *) (const void *) outline_b->data;

  for (guint i = 0; i < outline_a->len; i++)
    for (guint k = 0; k < outline_b->len; k++) {
      const KgVector a[] = { all_a[i], all_a[(i + 1) % outline_a->len] };
      const KgVector b[] = { all_b[k], all_b[(k + 1) % outline_b->len] };
      KgVector on_a, on_b;

      find_nearest (a, b, &on_a, &on_b);
      if (kg_vector_distance (on_a, on_b) > reach)
        continue;
      *sum = kg_vector_add (*sum, kg_vector_lerp (on_a, on_b, 0.5));
      ++*n;
    }
}

/* The middle of where two convex shapes meet: of corners of one on the other, or of edges that cross. */
static KgVector
find_middle (const Overlap *least)
{
  g_autoptr (GArray) of_a = find_support_points (least->a, least->normal);
  g_autoptr (GArray) of_b = find_support_points (least->b, kg_vector_scale (least->normal, -1));
  const double slack = 1e-6 * (least->a->shape->radius + least->b->shape->radius);
  /* Half of the way out: corners of both that take part in the contact are still in the other one then. */
  const KgVector way = kg_vector_scale (least->normal, 0.5 * least->overlap);
  KgVector sum = { 0, 0, 0 };
  guint n = 0;

  add_corners (of_b, least->a, way, &sum, &n);
  add_corners (of_a, least->b, kg_vector_scale (way, -1), &sum, &n);
  if (n == 0) {
    g_autoptr (GArray) outline_a = find_outline (of_a, least->normal);
    g_autoptr (GArray) outline_b = find_outline (of_b, least->normal);

    add_crossings (outline_a, outline_b, least->overlap + slack, &sum, &n);
  }
  return n > 0 ? kg_vector_scale (sum, 1.0 / n) : g_array_index (of_b, KgVector, 0);
}

static bool
are_convex (const BodyShape *a, const BodyShape *b)
{
  return a->convex && b->convex && (size_t) a->n_edges * b->n_edges <= MAX_EDGE_PAIRS;
}

/* True when that decides it: they overlap, or are too far apart. */
static bool
touch_convex (const BodyPlaced *a, const BodyPlaced *b, double margin, BodyTouch *deepest)
{
  Overlap least = { a, b, G_MAXDOUBLE, { 0, 0, 0 } };

  if (!find_least_overlap (&least, margin))
    return true;
  if (!(least.overlap >= 0) || least.overlap == G_MAXDOUBLE)
    return false;
  if (least.overlap + margin > deepest->depth)
    *deepest = (BodyTouch){ least.overlap + margin, find_middle (&least), least.normal };
  return true;
}

void
body_touch_obstacle (const BodyPlaced *body, const BodyPlaced *obstacle, double margin, BodyTouch *deepest)
{
  if (are_convex (body->shape, obstacle->shape) && touch_convex (obstacle, body, margin, deepest))
    return;
  feel (body, obstacle, true, margin, deepest);
  if (obstacle->shape->closed)
    find_depth_reversed (body, obstacle, margin, deepest);
}

void
body_touch_body (const BodyPlaced *a, const BodyPlaced *b, double margin, BodyTouch *deepest)
{
  const bool convex = are_convex (a->shape, b->shape);

  if (kg_vector_distance (a->pose->place, b->pose->place) > a->shape->radius + b->shape->radius + margin ||
      (convex && touch_convex (a, b, margin, deepest)))
    return;
  feel (b, a, false, margin, deepest);
  find_depth_reversed (b, a, margin, deepest);
  if (margin > 0 && (convex || (a->shape->segments && b->shape->segments)))
    compare_edges (a, b, margin, deepest);
}
