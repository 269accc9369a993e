/* convex_shape: the shapes themselves, see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/convex_shape_private.h"

#include "kg-kernel.h"

/* The sine of the angle between directions that count as one. */
#define SAME_DIRECTION 1e-6

ConvexShape
convex_shape_ball (double radius)
{
  return (ConvexShape){ .kind = CONVEX_BALL, .radius = radius };
}

ConvexShape
convex_shape_capsule (double radius, double half_length)
{
  return (ConvexShape){ .kind = CONVEX_CAPSULE, .radius = radius, .half = { 0, half_length, 0 } };
}

ConvexShape
convex_shape_box (KgVector half)
{
  return (ConvexShape){ .kind = CONVEX_BOX, .half = half };
}

/* Hulls. */

static void
add_face (ConvexFaces *faces, guint face, const uint32_t *corners, guint n, bool back)
{
  const guint from = faces->first[face];
  KgVector sum = { 0, 0, 0 }, a;

  for (guint k = 0; k < n; k++)
    faces->corners[from + k] = corners[back ? n - 1 - k : k];
  faces->first[face + 1] = from + n;
  a = faces->points[faces->corners[from]];
  for (guint k = 1; k + 1 < n; k++)
    sum = kg_vector_add (sum, kg_vector_cross (kg_vector_subtract (faces->points[faces->corners[from + k]], a),
                                               kg_vector_subtract (faces->points[faces->corners[from + k + 1]], a)));
  faces->normals[face] = kg_vector_normalize_or (sum, kg_vector (0, 0, 0));
}

static bool
is_known (const KgVector *directions, guint n, KgVector d)
{
  for (guint i = 0; i < n; i++)
    if (kg_vector_length (kg_vector_cross (directions[i], d)) < SAME_DIRECTION)
      return true;
  return false;
}

/* Directions of all edges; those of shapes with many of them are never looked at. */
static void
find_edges (ConvexFaces *faces)
{
  faces->edges = g_new (KgVector, 65);
  for (guint i = 0; i < faces->n_faces; i++)
    for (uint32_t k = faces->first[i]; k < faces->first[i + 1] && faces->n_edges <= 64; k++) {
      const uint32_t next = k + 1 < faces->first[i + 1] ? k + 1 : faces->first[i];
      const KgVector d = kg_vector_subtract (faces->points[faces->corners[next]], faces->points[faces->corners[k]]);
      const KgVector unit = kg_vector_normalize_or (d, kg_vector (0, 0, 0));

      if (kg_vector_length (unit) > 0 && !is_known (faces->edges, faces->n_edges, unit))
        faces->edges[faces->n_edges++] = unit;
    }
  if (faces->n_faces == 0 && faces->n_points == 2)
    faces->edges[faces->n_edges++] =
        kg_vector_normalize_or (kg_vector_subtract (faces->points[1], faces->points[0]), kg_vector (1, 0, 0));
}

/* Each edge is on two faces, once in each direction. */
static void
find_neighbours (ConvexFaces *faces)
{
  const uint32_t n_corners = faces->first[faces->n_faces];
  g_autofree uint32_t *at = g_new0 (uint32_t, faces->n_points + 2);

  for (uint32_t k = 0; k < n_corners; k++)
    at[faces->corners[k] + 2]++;
  for (size_t i = 2; i < faces->n_points + 2; i++)
    at[i] += at[i - 1];
  faces->neighbours = g_new (uint32_t, MAX (n_corners, 1));
  for (guint i = 0; i < faces->n_faces; i++)
    for (uint32_t k = faces->first[i]; k < faces->first[i + 1]; k++)
      faces->neighbours[at[faces->corners[k] + 1]++] =
          faces->corners[k + 1 < faces->first[i + 1] ? k + 1 : faces->first[i]];
  faces->neighbour_first = g_steal_pointer (&at);
}

/* The points as convex_find_in_lanes reads them. */
static void
set_lanes (ConvexFaces *faces)
{
  const size_t n = (faces->n_points + CONVEX_LANES - 1) / CONVEX_LANES * CONVEX_LANES;
  double size = 0;

  faces->lanes = NULL;
  for (size_t i = 0; i < faces->n_points; i++)
    for (size_t c = 0; c < 3; c++)
      size = fmax (size, fabs (kg_vector_get (faces->points[i], c)));
  if (faces->n_points < CONVEX_LANES_FROM || faces->n_points > CONVEX_CLIMB_FROM || !(size > 1e-150))
    return;
  faces->lanes = g_new (float, 3 * n);
  for (size_t i = 0; i < n; i++) {
    const KgVector point = faces->points[MIN (i, faces->n_points - 1)];
    float *lane = faces->lanes + 3 * (i - i % CONVEX_LANES) + i % CONVEX_LANES;

    lane[0] = (float) (point.x / size);
    lane[CONVEX_LANES] = (float) (point.y / size);
    lane[2 * CONVEX_LANES] = (float) (point.z / size);
  }
}

/* The balls around the mean of the corners, rounded to the safe side. */
static void
find_balls (ConvexFaces *faces, bool solid)
{
  double inner = INFINITY, outer = 0;

  faces->middle = kg_vector (0, 0, 0);
  for (size_t i = 0; i < faces->n_points; i++)
    faces->middle = kg_vector_add_scaled (faces->middle, 1 / (double) faces->n_points, faces->points[i]);
  for (size_t i = 0; i < faces->n_points; i++)
    outer = fmax (outer, kg_vector_distance (faces->middle, faces->points[i]));
  for (guint i = 0; i < faces->n_faces; i++)
    inner = fmin (inner,
                  kg_vector_dot (faces->normals[i],
                                 kg_vector_subtract (faces->points[faces->corners[faces->first[i]]], faces->middle)));
  faces->outer = outer * (1 + 1e-9);
  faces->inner = solid && inner > 0 && isfinite (inner) ? inner - 1e-9 * outer : 0;
  faces->inner = fmax (faces->inner, 0);
}

ConvexShape
convex_shape_hull (const ConvexHull *hull, double radius)
{
  ConvexFaces *faces = g_new0 (ConvexFaces, 1);
  const bool flat = hull->dimension == 2;
  const uint32_t n_corners = hull->first[hull->n_faces];

  faces->n_points = hull->n_points;
  faces->points = g_memdup2 (hull->points, hull->n_points * sizeof (KgVector));
  faces->n_faces = (guint) hull->n_faces * (flat ? 2 : 1);
  faces->normals = g_new (KgVector, MAX (faces->n_faces, 1));
  faces->first = g_new0 (uint32_t, faces->n_faces + 1);
  faces->corners = g_new (uint32_t, MAX (n_corners, 1) * (flat ? 2 : 1));
  for (guint i = 0; i < hull->n_faces; i++)
    add_face (faces, i, hull->corners + hull->first[i], hull->first[i + 1] - hull->first[i], false);
  if (flat)
    add_face (faces, 1, hull->corners, hull->first[1], true);
  find_edges (faces);
  find_balls (faces, hull->dimension == 3);
  if (faces->n_points > CONVEX_CLIMB_FROM && !flat)
    find_neighbours (faces);
  set_lanes (faces);
  return (ConvexShape){ .kind = CONVEX_HULL, .radius = radius, .faces = faces };
}

ConvexShape
convex_shape_triangle (const KgVector corners[3], double radius)
{
  uint32_t first[] = { 0, 3 }, indices[] = { 0, 1, 2 };
  KgVector points[] = { corners[0], corners[1], corners[2] };
  const ConvexHull hull = {
    .n_points = 3, .points = points, .n_faces = 1, .first = first, .corners = indices, .dimension = 2
  };

  return convex_shape_hull (&hull, radius);
}

ConvexShape
convex_shape_scale (const ConvexShape *shape, double scale)
{
  const ConvexFaces *from = shape->faces;
  ConvexShape scaled = *shape;
  ConvexFaces *faces;

  scaled.radius *= scale;
  scaled.half = kg_vector_scale (shape->half, scale);
  if (from == NULL)
    return scaled;
  scaled.faces = faces = g_memdup2 (from, sizeof *from);
  faces->points = g_new (KgVector, from->n_points);
  for (size_t i = 0; i < from->n_points; i++)
    faces->points[i] = kg_vector_scale (from->points[i], scale);
  faces->middle = kg_vector_scale (from->middle, scale);
  faces->inner *= scale;
  faces->outer *= scale;
  set_lanes (faces);
  faces->normals = g_memdup2 (from->normals, MAX (from->n_faces, 1) * sizeof *from->normals);
  faces->first = g_memdup2 (from->first, (from->n_faces + 1) * sizeof *from->first);
  faces->corners = g_memdup2 (from->corners, from->first[from->n_faces] * sizeof *from->corners);
  faces->edges = g_memdup2 (from->edges, from->n_edges * sizeof *from->edges);
  if (from->neighbours != NULL) {
    faces->neighbours = g_memdup2 (from->neighbours, from->first[from->n_faces] * sizeof *from->neighbours);
    faces->neighbour_first = g_memdup2 (from->neighbour_first, (from->n_points + 2) * sizeof *from->neighbour_first);
  }
  return scaled;
}

void
convex_shape_clear (ConvexShape *shape)
{
  ConvexFaces *faces = g_steal_pointer (&shape->faces);

  if (faces == NULL)
    return;
  g_free (faces->points);
  g_free (faces->normals);
  g_free (faces->first);
  g_free (faces->corners);
  g_free (faces->edges);
  g_free (faces->neighbour_first);
  g_free (faces->neighbours);
  g_free (faces->lanes);
  g_free (faces);
}

/* Places. */

ConvexPlaced
convex_shape_place (const ConvexShape *shape, KgVector position, KgRotation rotation)
{
  const KgTransform t = kg_transform_from_parts (position, rotation, kg_vector (1, 1, 1));
  ConvexPlaced placed = { .shape = shape, .position = position };

  for (int i = 0; i < 3; i++)
    placed.axes[i] = kg_transform_get_column (&t, i);
  return placed;
}

KG_KERNEL KgVector
convex_get_support (const ConvexPlaced *placed, KgVector direction)
{
  return convex_find_support (placed, direction);
}

void
convex_get_interval (const ConvexPlaced *placed, KgVector direction, double *low, double *high)
{
  const double r = placed->shape->radius;

  *high = kg_vector_dot (direction, convex_get_support (placed, direction)) + r;
  *low = kg_vector_dot (direction, convex_get_support (placed, kg_vector_scale (direction, -1))) - r;
}

void
convex_get_bounds (const ConvexPlaced *placed, KgVector *low, KgVector *high)
{
  for (size_t c = 0; c < 3; c++) {
    KgVector axis = { 0, 0, 0 };

    *kg_vector_component (&axis, c) = 1;
    convex_get_interval (placed, axis, kg_vector_component (low, c), kg_vector_component (high, c));
  }
}

double
convex_get_distance_of_point (const ConvexPlaced *placed, KgVector x, KgVector *way)
{
  const ConvexShape point = convex_shape_ball (0);
  const ConvexPlaced probe = convex_shape_place (&point, x, kg_rotation_identity ());
  ConvexManifold manifold;

  convex_find_contacts (&probe, placed, INFINITY, &manifold);
  *way = manifold.normal;
  return -manifold.depth;
}

double
convex_get_facing (const ConvexPlaced *placed, KgVector direction)
{
  const ConvexShape *shape = placed->shape;
  const KgVector d = convex_to_local (placed, direction);
  double most = -1;

  if (shape->kind == CONVEX_BOX)
    most = kg_vector_get_largest (d);
  for (guint f = 0; shape->kind == CONVEX_HULL && f < shape->faces->n_faces; f++)
    most = fmax (most, kg_vector_dot (shape->faces->normals[f], d));
  return most;
}

KgVector
convex_get_middle (const ConvexPlaced *placed)
{
  const ConvexFaces *faces = placed->shape->faces;
  KgVector sum = { 0, 0, 0 };

  for (size_t i = 0; faces != NULL && i < faces->n_points; i++)
    sum = kg_vector_add_scaled (sum, 1 / (double) faces->n_points, faces->points[i]);
  return kg_vector_add (placed->position, convex_to_world (placed, sum));
}

ConvexPlaced
convex_move (const ConvexPlaced *placed, const ConvexMotion *motion, double t)
{
  const double angle = t * kg_vector_length (motion->omega);
  const KgRotation turn = kg_rotation_from_axis_angle (motion->omega, angle);
  ConvexPlaced moved = *placed;

  moved.position = kg_vector_add_scaled (placed->position, t, motion->velocity);
  for (int i = 0; i < 3 && angle != 0; i++)
    moved.axes[i] = kg_rotation_apply (turn, placed->axes[i]);
  return moved;
}

/* How far the shape reaches from its position. */
static double
get_reach (const ConvexPlaced *placed)
{
  const ConvexShape *shape = placed->shape;
  double reach = kg_vector_length (shape->half);

  for (size_t i = 0; shape->faces != NULL && i < shape->faces->n_points; i++)
    reach = fmax (reach, kg_vector_length (shape->faces->points[i]));
  return reach + shape->radius;
}

bool
convex_find_impact (const ConvexPlaced *a, const ConvexMotion *motion_a, const ConvexPlaced *b,
                    const ConvexMotion *motion_b, double tolerance, double *time)
{
  const double turning = kg_vector_length (motion_a->omega) * get_reach (a) +
                         kg_vector_length (motion_b->omega) * get_reach (b);
  const KgVector velocity = kg_vector_subtract (motion_a->velocity, motion_b->velocity);
  double t = 0;

  for (int round = 0; round < 10000; round++) {
    const ConvexPlaced at_a = convex_move (a, motion_a, t), at_b = convex_move (b, motion_b, t);
    KgVector on_a, on_b, normal;
    const double distance = convex_find_distance (&at_a, &at_b, &on_a, &on_b);
    double approach;

    if (distance <= tolerance) {
      *time = t;
      return true;
    }
    normal = kg_vector_scale (kg_vector_subtract (on_b, on_a), 1 / distance);
    approach = kg_vector_dot (velocity, normal) + turning;
    /* Shapes that do not turn and do not approach along the shortest way never meet. */
    if (!(approach > 0))
      return false;
    t += distance / approach;
    if (t > 1)
      return false;
  }
  /* Too slow to matter. */
  *time = t;
  return true;
}
