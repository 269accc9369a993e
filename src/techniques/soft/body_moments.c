/* body_moments: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/body_moments.h"
#include "kg-floats.h"

/* Points of the rule in each triangle, and steps of Newton's method from them to the surface. */
#define NODES 6
#define STEPS 3
/* Triangles that are worked on together. */
#define BATCH 4096
/* Farther than so many cells from its triangle it is another part of the surface. */
#define FARTHEST 0.5

/* The weight is that of the corner that differs from the others. */
static const double rule[][3] = { /* weight, large coordinate, small coordinate */
                                  { 0.223381589678011, 0.108103018168070, 0.445948490915965 },
                                  { 0.109951743655322, 0.816847572980459, 0.091576213509771 }
};

typedef struct {
  KgVector start, normal;
  double area, height; /* m² of this point; m along the normal */
  bool lost;           /* Newton's method leads elsewhere */
} Node;

/* Of one triangle; its tetrahedron with the origin is added to the moments. */
static void
add_triangle (const KgVector corners[3], KgVector origin, Moments *moments, Node *nodes)
{
  const KgVector cross =
      kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0]));
  const KgVector normal = kg_vector_normalize_or (cross, kg_vector (0, 0, 0));
  const KgVector tetrahedron[4] = { origin, corners[0], corners[1], corners[2] };

  moments_add (moments, tetrahedron, 4, kg_vector_dot (kg_vector_subtract (corners[0], origin), cross) / 6);
  for (size_t i = 0; i < NODES; i++) {
    const double *row = rule[i / 3];
    KgVector p = { 0, 0, 0 };

    for (size_t k = 0; k < 3; k++)
      p = kg_vector_add_scaled (p, k == i % 3 ? row[1] : row[2], corners[k]);
    nodes[i] = (Node){ p, normal, row[0] * 0.5 * kg_vector_length (cross), 0, false };
  }
}

/* One step of Newton's method along the normals. */
static void
nodes_step (Node *nodes, size_t n, const KgField *field, const PolygonizeOptions *options, float *places, float *values,
            float *gradients)
{
  const double farthest = FARTHEST * options->cell;

  for (size_t i = 0; i < n; i++) {
    const KgVector p = kg_vector_add_scaled (nodes[i].start, nodes[i].height, nodes[i].normal);

    kg_floats_set_vector (places, i, p);
  }
  kg_field_sample_gradients (field, places, n, options->time, 1e-3 * options->cell, values, gradients);
  for (size_t i = 0; i < n; i++) {
    const KgVector gradient = kg_floats_get_vector (gradients, i);
    const double slope = kg_vector_dot (gradient, nodes[i].normal);
    const double height = nodes[i].height + (options->level - (double) values[i]) / slope;

    /* The field falls outwards. */
    nodes[i].lost = nodes[i].lost || !(slope < 0) || !(fabs (height) <= farthest);
    nodes[i].height = nodes[i].lost ? 0 : height;
  }
}

static void
nodes_add (const Node *nodes, size_t n, Moments *moments)
{
  for (size_t i = 0; i < n; i++) {
    const KgVector ends[2] = { nodes[i].start,
                               kg_vector_add_scaled (nodes[i].start, nodes[i].height, nodes[i].normal) };

    moments_add (moments, ends, 2, nodes[i].area * nodes[i].height);
  }
}

static KgVector
get_point (const KgGeometry *mesh, uint32_t i)
{
  return kg_floats_get_vector (kg_geometry_get_positions (mesh), (size_t) i);
}

/* False: cancelled. */
static bool
measure_mesh (const KgField *field, const KgGeometry *mesh, const PolygonizeOptions *options,
              const KgProgressMonitor *monitor, Moments *moments)
{
  const size_t n_triangles = kg_geometry_get_n_primitives (mesh), most = NODES * (size_t) BATCH;
  const KgVector origin = kg_vector_lerp (options->low, options->high, 0.5);
  g_autofree Node *nodes = g_new (Node, most);
  g_autofree float *places = g_new (float, 3 * most), *values = g_new (float, most),
                   *gradients = g_new (float, 3 * most);

  for (size_t first = 0; first < n_triangles; first += BATCH) {
    const size_t count = MIN (BATCH, n_triangles - first);

    if (kg_progress_is_cancelled (monitor))
      return false;
    for (size_t i = 0; i < count; i++) {
      KgPrimitive triangle;
      KgVector corners[3];

      kg_geometry_get_primitive (mesh, first + i, &triangle);
      for (size_t k = 0; k < 3; k++)
        corners[k] = get_point (mesh, triangle.vertices[k]);
      add_triangle (corners, origin, moments, nodes + NODES * i);
    }
    for (int step = 0; step < STEPS; step++)
      nodes_step (nodes, NODES * count, field, options, places, values, gradients);
    nodes_add (nodes, NODES * count, moments);
  }
  return true;
}

bool
body_moments_measure (const KgField *field, const PolygonizeOptions *options, const KgProgressMonitor *monitor,
                      Moments *moments, KgGeometry **mesh, GError **error)
{
  g_autoptr (KgGeometry) own = NULL;
  PolygonizeOptions draft = *options;
  PolygonizeResult result;

  draft.exact = draft.triangles = true;
  *moments = (Moments){ 0 };
  if (!polygonize (field, &draft, monitor, &result, error))
    return false;
  own = result.mesh;
  if (!measure_mesh (field, own, &draft, monitor, moments)) {
    kg_set_error (error, KG_ERROR_CANCELLED, "cancelled");
    return false;
  }
  if (mesh != NULL)
    *mesh = g_steal_pointer (&own);
  return true;
}
