/* body_shape: the shape of a rigid body: its mass, centre and inertia, and how far places are from its surface.
 *
 * The winding number of an outline around a place decides between inside and outside (Sunday 2001) and, in space, by the solid angle
 * of the faces (van Oosterom and Strackee 1983).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/body_shape.h"

#include "geometry/closest_pair.h"

/* Shapes of more elements are not tested for being convex. */
#define MAX_CONVEX 128
/* The sine of the angle between directions that count as one. */
#define SAME_DIRECTION 1e-4

/* Reading. */

typedef struct {
  BodyShape *shape;
  const float *places;
  bool plane;
  GHashTable *numbers;   /* number of a point in the geometry -> number in the shape, and one more */
  GArray *point_numbers; /* uint32_t: the other way round */
  GArray *points;        /* KgVector */
  GArray *elements;      /* uint32_t[3] */
} Reading;

static uint32_t
take_point (Reading *reading, uint32_t number)
{
  const gpointer key = GUINT_TO_POINTER (number);
  guint found = GPOINTER_TO_UINT (g_hash_table_lookup (reading->numbers, key));

  if (found == 0) {
    const float *p = reading->places + 3 * (size_t) number;
    const KgVector place = { (double) p[0], (double) p[1], reading->plane ? 0 : (double) p[2] };

    g_array_append_val (reading->points, place);
    g_array_append_val (reading->point_numbers, number);
    found = reading->points->len;
    g_hash_table_insert (reading->numbers, key, GUINT_TO_POINTER (found));
  }
  return found - 1;
}

static void
take_segments (Reading *reading, const KgPrimitive *primitive)
{
  const bool closed = primitive->kind == KG_POLYGON || primitive->closed;

  for (uint32_t i = 0; i + (closed ? 0 : 1) < primitive->n_vertices; i++) {
    const uint32_t element[3] = { take_point (reading, primitive->vertices[i]),
                                  take_point (reading, primitive->vertices[(i + 1) % primitive->n_vertices]), 0 };

    g_array_append_vals (reading->elements, element, 1);
  }
  if (primitive->n_vertices == 1)
    take_point (reading, primitive->vertices[0]);
}

static void
take_triangles (Reading *reading, const KgPrimitive *primitive)
{
  for (uint32_t i = 1; i + 1 < primitive->n_vertices; i++) {
    const uint32_t element[3] = { take_point (reading, primitive->vertices[0]),
                                  take_point (reading, primitive->vertices[i]),
                                  take_point (reading, primitive->vertices[i + 1]) };

    g_array_append_vals (reading->elements, element, 1);
  }
}

static int
compare_edges (const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return (x > y) - (x < y);
}

/* Each edge of a face is walked once more, in the opposite direction. */
static bool
is_closed (const BodyShape *shape)
{
  const size_t n = 3 * (size_t) shape->n_elements;
  g_autofree uint64_t *edges = g_new (uint64_t, MAX (n, 1));
  bool closed = n > 0;

  for (size_t i = 0; i < n; i++) {
    const uint32_t *e = shape->elements[i / 3];

    edges[i] = (uint64_t) e[i % 3] << 32 | e[(i + 1) % 3];
  }
  qsort (edges, n, sizeof *edges, compare_edges);
  for (size_t i = 0; closed && i < n; i++) {
    const uint64_t back = edges[i] << 32 | edges[i] >> 32;

    closed = (i + 1 == n || edges[i] != edges[i + 1]) &&
             bsearch (&back, edges, n, sizeof *edges, compare_edges) != NULL;
  }
  return closed;
}

static void
measure_lines (BodyShape *shape)
{
  for (guint k = 0; k < shape->n_elements; k++) {
    const KgVector corners[] = { shape->points[shape->elements[k][0]], shape->points[shape->elements[k][1]] };

    moments_add (&shape->moments, corners, 2, kg_vector_distance (corners[0], corners[1]));
  }
}

static KgVector
get_area (const KgVector corners[3])
{
  return kg_vector_scale (
      kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0])), 0.5);
}

/* Outlines in the plane: what is inside, whatever their orientation. */
static void
measure_outlines (BodyShape *shape)
{
  for (guint k = 0; k < shape->n_elements; k++) {
    const KgVector corners[] = { shape->points[0], shape->points[shape->elements[k][0]],
                                 shape->points[shape->elements[k][1]] };

    moments_add (&shape->moments, corners, 3, get_area (corners).z);
  }
}

static void
measure_faces (BodyShape *shape)
{
  for (guint k = 0; k < shape->n_elements; k++) {
    KgVector corners[4] = { shape->points[shape->elements[k][0]], shape->points[shape->elements[k][1]],
                            shape->points[shape->elements[k][2]], shape->points[0] };
    const KgVector area = get_area (corners);

    if (shape->closed)
      moments_add (&shape->moments, corners, 4, kg_vector_dot (area, kg_vector_subtract (corners[0], corners[3])) / 3);
    else
      moments_add (&shape->moments, corners, 3, kg_vector_length (area));
  }
}

static void
find_bounds (BodyShape *shape)
{
  shape->low = shape->high = shape->n_points > 0 ? shape->points[0] : kg_vector (0, 0, 0);
  shape->radius = 0;
  for (guint i = 0; i < shape->n_points; i++) {
    const KgVector p = shape->points[i];

    shape->low = kg_vector_min (shape->low, p);
    shape->high = kg_vector_max (shape->high, p);
    shape->radius = fmax (shape->radius, kg_vector_length (p));
  }
}

/* Edges that two outlines have in common are no border. */
static void
drop_inner_edges (BodyShape *shape)
{
  const guint n = shape->n_elements;
  g_autofree uint64_t *edges = g_new (uint64_t, MAX (n, 1));
  guint kept = 0;

  for (guint k = 0; k < n; k++)
    edges[k] = (uint64_t) shape->elements[k][0] << 32 | shape->elements[k][1];
  qsort (edges, n, sizeof *edges, compare_edges);
  for (guint k = 0; k < n; k++) {
    const uint64_t back = (uint64_t) shape->elements[k][1] << 32 | shape->elements[k][0];

    if (bsearch (&back, edges, n, sizeof *edges, compare_edges) == NULL)
      memmove (shape->elements[kept++], shape->elements[k], sizeof *shape->elements);
  }
  shape->n_elements = kept;
}

/* Convex shapes. */

/* Adds a direction unless it is there from some axis on, or the opposite one. */
static void
add_axis (GArray *axes, guint from, KgVector axis)
{
  axis = kg_vector_normalize_or (axis, kg_vector (0, 0, 0));
  for (guint i = from; i < axes->len; i++)
    if (kg_vector_length (kg_vector_cross (axis, g_array_index (axes, KgVector, i))) < SAME_DIRECTION)
      return;
  if (kg_vector_length (axis) > 0)
    g_array_append_val (axes, axis);
}

static KgVector
get_edge_direction (const BodyShape *shape, guint k, int i)
{
  return kg_vector_subtract (shape->points[shape->elements[k][(i + 1) % 3]], shape->points[shape->elements[k][i]]);
}

/* A quarter turn of an edge in the plane, or the normal of a face, as long as they are large. */
static KgVector
get_element_area (const BodyShape *shape, guint k)
{
  const KgVector d = get_edge_direction (shape, k, 0);

  return shape->segments ? kg_vector (d.y, -d.x, 0) : kg_vector_cross (d, get_edge_direction (shape, k, 1));
}

/* Where two faces meet at an angle is an edge; others only divide a face. */
static void
add_edges (const BodyShape *shape, GArray *axes, guint from)
{
  for (guint k = 0; k < shape->n_elements; k++)
    for (guint j = 0; j < k; j++)
      for (int i = 0; i < 3; i++)
        for (int l = 0; l < 3; l++) {
          const KgVector n = kg_vector_normalize_or (get_element_area (shape, k), kg_vector (0, 0, 0));
          const KgVector m = kg_vector_normalize_or (get_element_area (shape, j), kg_vector (0, 0, 0));

          if (shape->elements[k][i] == shape->elements[j][(l + 1) % 3] &&
              shape->elements[k][(i + 1) % 3] == shape->elements[j][l] &&
              kg_vector_length (kg_vector_cross (n, m)) >= SAME_DIRECTION)
            add_axis (axes, from, get_edge_direction (shape, k, i));
        }
}

/* No point is in front of a face. */
static bool
is_convex (const BodyShape *shape)
{
  const double slack = 1e-5 * kg_vector_distance (shape->low, shape->high);

  for (guint k = 0; k < shape->n_elements; k++) {
    const KgVector normal =
        kg_vector_scale (kg_vector_normalize_or (get_element_area (shape, k), kg_vector (0, 0, 0)), shape->side);
    const double at = kg_vector_dot (normal, shape->points[shape->elements[k][0]]);

    for (guint i = 0; i < shape->n_points; i++)
      if (kg_vector_dot (normal, shape->points[i]) > at + slack)
        return false;
  }
  return true;
}

static void
find_axes (BodyShape *shape, bool plane)
{
  const bool single = shape->segments && shape->n_elements == 1 && shape->n_points == 2;
  GArray *axes;

  shape->convex = single || (shape->closed && shape->n_elements <= MAX_CONVEX && is_convex (shape));
  if (!shape->convex)
    return;
  axes = g_array_new (FALSE, FALSE, sizeof (KgVector));
  for (guint k = 0; k < shape->n_elements && (plane || !single); k++)
    add_axis (axes, 0, get_element_area (shape, k));
  shape->n_faces = axes->len;
  if (!plane && single)
    add_axis (axes, shape->n_faces, get_edge_direction (shape, 0, 0));
  else if (!plane)
    add_edges (shape, axes, shape->n_faces);
  shape->n_edges = axes->len - shape->n_faces;
  shape->axes = (KgVector *) (void *) g_array_free (axes, FALSE);
}

static void
finish (BodyShape *shape, bool plane, bool filled)
{
  if (!shape->segments) {
    shape->closed = is_closed (shape);
    measure_faces (shape);
    if (shape->closed &&
        !(fabs (shape->moments.measure) > 1e-12 * pow (kg_vector_distance (shape->low, shape->high), 3))) {
      /* Folded flat: two sides of nothing. */
      shape->closed = false;
      shape->moments = (Moments){ .measure = 0 };
      measure_faces (shape);
    }
  } else if (filled) {
    const double size = kg_vector_distance (shape->low, shape->high);

    measure_outlines (shape);
    shape->closed = fabs (shape->moments.measure) > 1e-12 * size * size;
    if (shape->closed)
      drop_inner_edges (shape);
    else
      shape->moments = (Moments){ .measure = 0 };
  }
  if (shape->segments && !shape->closed)
    measure_lines (shape);
  shape->side = shape->closed && shape->moments.measure < 0 ? -1 : 1;
  find_axes (shape, plane);
}

void
body_shape_read (BodyShape *shape, const KgGeometry *geometry, const uint32_t *primitives, guint n_primitives,
                 bool plane, GArray *point_numbers)
{
  Reading reading = { .shape = shape,
                      .places = kg_geometry_get_positions (geometry),
                      .plane = plane,
                      .numbers = g_hash_table_new (NULL, NULL),
                      .point_numbers = point_numbers,
                      .points = g_array_new (FALSE, FALSE, sizeof (KgVector)),
                      .elements = g_array_new (FALSE, FALSE, 3 * sizeof (uint32_t)) };
  bool polygons = false;
  KgPrimitive primitive;

  *shape = (BodyShape){ .side = 1 };
  for (guint k = 0; k < n_primitives; k++) {
    kg_geometry_get_primitive (geometry, primitives[k], &primitive);
    polygons |= primitive.kind == KG_POLYGON && primitive.n_vertices > 2;
  }
  shape->segments = plane || !polygons;
  for (guint k = 0; k < n_primitives; k++) {
    kg_geometry_get_primitive (geometry, primitives[k], &primitive);
    if (polygons && primitive.kind != KG_POLYGON)
      /* Its points move along and touch things; what they enclose is up to the polygons. */
      for (uint32_t i = 0; i < primitive.n_vertices; i++)
        take_point (&reading, primitive.vertices[i]);
    else if (shape->segments)
      take_segments (&reading, &primitive);
    else
      take_triangles (&reading, &primitive);
  }
  g_hash_table_unref (reading.numbers);
  shape->n_points = reading.points->len;
  shape->n_elements = reading.elements->len;
  shape->points = (KgVector *) (void *) g_array_free (reading.points, FALSE);
  shape->elements = (uint32_t (*)[3]) (void *) g_array_free (reading.elements, FALSE);
  find_bounds (shape);
  finish (shape, plane, polygons);
}

void
body_shape_read_edge (BodyShape *shape, const KgGeometry *geometry, uint32_t a, uint32_t b, bool plane,
                      GArray *point_numbers)
{
  const uint32_t ends[] = { a, b };

  *shape = (BodyShape){ .n_points = 2, .n_elements = 1, .segments = true, .side = 1 };
  shape->points = g_new (KgVector, 2);
  shape->elements = g_malloc0 (sizeof *shape->elements);
  shape->elements[0][1] = 1;
  for (int i = 0; i < 2; i++) {
    const float *p = kg_geometry_get_positions (geometry) + 3 * (size_t) ends[i];

    shape->points[i] = kg_vector ((double) p[0], (double) p[1], plane ? 0 : (double) p[2]);
  }
  g_array_append_vals (point_numbers, ends, 2);
  find_bounds (shape);
  finish (shape, plane, false);
}

void
body_shape_move (BodyShape *shape, KgVector by)
{
  for (guint i = 0; i < shape->n_points; i++)
    shape->points[i] = kg_vector_add (shape->points[i], by);
  find_bounds (shape);
}

void
body_shape_clear (BodyShape *shape)
{
  g_clear_pointer (&shape->points, g_free);
  g_clear_pointer (&shape->elements, g_free);
  g_clear_pointer (&shape->axes, g_free);
}

/* Distance. */

/* Ericson, Real-Time Collision Detection (2005), 5.1.5: by the regions that corners, edges and face are nearest in. */
static KgVector
find_nearest_on_triangle (KgVector x, const KgVector c[3])
{
  const KgVector ab = kg_vector_subtract (c[1], c[0]), ac = kg_vector_subtract (c[2], c[0]);
  const KgVector ax = kg_vector_subtract (x, c[0]), bx = kg_vector_subtract (x, c[1]),
                 cx = kg_vector_subtract (x, c[2]);
  const double d1 = kg_vector_dot (ab, ax), d2 = kg_vector_dot (ac, ax), d3 = kg_vector_dot (ab, bx);
  const double d4 = kg_vector_dot (ac, bx), d5 = kg_vector_dot (ab, cx), d6 = kg_vector_dot (ac, cx);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;

  if (!(va > 0 && vb > 0 && vc > 0)) {
    /* On an edge or in a corner. */
    KgVector best = closest_segment_point (x, c[0], c[1]);

    for (int i = 1; i < 3; i++) {
      const KgVector q = closest_segment_point (x, c[i], c[(i + 1) % 3]);

      if (kg_vector_distance (x, q) < kg_vector_distance (x, best))
        best = q;
    }
    return best;
  }
  return kg_vector_add_scaled (kg_vector_add_scaled (c[0], vb / (va + vb + vc), ab), vc / (va + vb + vc), ac);
}

/* Outwards. */
static KgVector
get_element_normal (const BodyShape *shape, guint k)
{
  return kg_vector_normalize_or (kg_vector_scale (get_element_area (shape, k), shape->side), kg_vector (0, 1, 0));
}

static bool
is_inside_outline (const BodyShape *shape, KgVector x)
{
  bool inside = false;

  for (guint k = 0; k < shape->n_elements; k++) {
    const KgVector a = shape->points[shape->elements[k][0]], b = shape->points[shape->elements[k][1]];

    if ((a.y > x.y) != (b.y > x.y) && x.x < a.x + (x.y - a.y) / (b.y - a.y) * (b.x - a.x))
      inside = !inside;
  }
  return inside;
}

static bool
is_inside_faces (const BodyShape *shape, KgVector x)
{
  double angle = 0;

  for (guint k = 0; k < shape->n_elements; k++) {
    const KgVector a = kg_vector_subtract (shape->points[shape->elements[k][0]], x);
    const KgVector b = kg_vector_subtract (shape->points[shape->elements[k][1]], x);
    const KgVector c = kg_vector_subtract (shape->points[shape->elements[k][2]], x);
    const double la = kg_vector_length (a), lb = kg_vector_length (b), lc = kg_vector_length (c);

    angle += 2 *
             atan2 (kg_vector_dot (a, kg_vector_cross (b, c)),
                    la * lb * lc + kg_vector_dot (a, b) * lc + kg_vector_dot (b, c) * la + kg_vector_dot (c, a) * lb);
  }
  return fabs (angle) > 2 * KG_PI;
}

static bool
is_in_bounds (const BodyShape *shape, KgVector x)
{
  return x.x >= shape->low.x && x.x <= shape->high.x && x.y >= shape->low.y && x.y <= shape->high.y &&
         x.z >= shape->low.z && x.z <= shape->high.z;
}

double
body_shape_get_distance (const BodyShape *shape, KgVector x, bool one_sided, KgVector *normal)
{
  double best = INFINITY, best_facing = 0;
  KgVector nearest = x, out = kg_vector (0, 1, 0);
  bool inside;

  for (guint k = 0; k < shape->n_elements; k++) {
    const KgVector corners[3] = { shape->points[shape->elements[k][0]], shape->points[shape->elements[k][1]],
                                  shape->points[shape->elements[k][2]] };
    const KgVector q = shape->segments ? closest_segment_point (x, corners[0], corners[1])
                                       : find_nearest_on_triangle (x, corners);
    const double distance = kg_vector_distance (x, q);
    KgVector n;
    double facing;

    if (distance > best * (1 + 1e-9) + 1e-300)
      continue;
    n = get_element_normal (shape, k);
    facing = fabs (kg_vector_dot (n, kg_vector_subtract (x, q)));
    /* Where two faces are equally near, at their common edge, the one that faces the place more decides. */
    if (distance < best * (1 - 1e-9) || facing > best_facing) {
      best = fmin (distance, best);
      best_facing = facing;
      nearest = q;
      out = n;
    }
  }
  if (shape->closed)
    inside = is_in_bounds (shape, x) && (shape->segments ? is_inside_outline (shape, x) : is_inside_faces (shape, x));
  else
    inside = one_sided && !shape->segments && kg_vector_dot (kg_vector_subtract (x, nearest), out) < 0;
  if (best > 1e-12 && isfinite (best))
    out = kg_vector_scale (kg_vector_subtract (x, nearest), (inside ? -1 : 1) / best);
  *normal = out;
  return inside ? -best : best;
}
