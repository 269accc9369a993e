/* element_field: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "field/element_field.h"

#include "curve/curve.h"
#include "geometry/closest_pair.h"
#include "geometry/mass_tree.h"
#include "geometry/triangle_mesh.h"
#include "kg-floats.h"

#include <string.h>

/* Cells of points that are seen smaller than this share of their distance count as one. */
#define OPENING 0.5
/* Straight parts of each segment of a curve. */
#define CURVE_PARTS 32
/* The least softness, squared. */
#define HARDEST 1e-12

enum {
  P_KIND,
  P_LAW,
  P_X,
  P_Y,
  P_Z,
  P_DIRECTION_X,
  P_DIRECTION_Y,
  P_DIRECTION_Z,
  P_LENGTH,
  P_STRENGTH,
  P_DISTANCE,
  P_SOFTNESS,
  N_PARAMETERS
};

/* What the elements of a geometry are found in. */
typedef struct {
  KgGeometry *geometry;
  TriangleMesh *mesh;
  /* Curves: straight parts from ends[2 k] to ends[2 k + 1]. */
  KgVector *ends;
  BoxTree *parts;
  /* Points. */
  double *masses, total;
  KgVector *places, middle; /* middle: the centre of mass */
  MassTree tree;
  size_t n;
} Source;

static void
source_free (gpointer data)
{
  Source *source = (Source *) data;

  kg_geometry_unref (source->geometry);
  g_clear_pointer (&source->mesh, triangle_mesh_free);
  g_clear_pointer (&source->parts, box_tree_free);
  mass_tree_clear (&source->tree);
  g_free (source->ends);
  g_free (source->masses);
  g_free (source->places);
  g_free (source);
}

static bool
source_equal (gconstpointer a, gconstpointer b)
{
  return kg_geometry_equal (((const Source *) a)->geometry, ((const Source *) b)->geometry);
}

/* The acceleration for each metre of the way to a place whose distance has this square. */
static inline double
get_share (const double *p, double r2)
{
  const double s = p[P_STRENGTH], d = p[P_DISTANCE], r = sqrt (r2 + fmax (p[P_SOFTNESS] * p[P_SOFTNESS], HARDEST));

  switch ((ElementLaw) p[P_LAW]) {
  case ELEMENT_SPRING:
    return s / d;
  case ELEMENT_EVEN:
    return s / r;
  case ELEMENT_INVERSE:
    return s * d / (r * r);
  default:
    return s * d * d / (r * r * r);
  }
}

/* Of a homogeneous segment: ends at a and b along u from the foot of x, w from x to the foot.  The mass for each metre is that of a
 * point over the length. */
static KgVector
pull_to_segment (const double *p, KgVector w, KgVector u, double middle)
{
  const double half = 0.5 * p[P_LENGTH], a = middle - half, b = middle + half;
  const double soft = fmax (p[P_SOFTNESS] * p[P_SOFTNESS], HARDEST), r2 = kg_vector_dot (w, w) + soft;
  const double ra = sqrt (a * a + r2), rb = sqrt (b * b + r2);
  const double mass = p[P_STRENGTH] * p[P_DISTANCE] * p[P_DISTANCE] / p[P_LENGTH];
  double across;

  /* b/rb - a/ra over r²; on the line beyond an end, where that is a difference of like numbers, by its conjugate. */
  if (a > 0 || b < 0)
    across = (b - a) * (b + a) / (ra * rb * (b * ra + a * rb));
  else
    across = (b / rb - a / ra) / r2;
  return kg_vector_add_scaled (kg_vector_scale (w, mass * across), mass * (b - a) * (b + a) / (ra * rb * (ra + rb)), u);
}

/* Looking for the nearest of the parts of curves. */
typedef struct {
  const Source *source;
  KgVector x, nearest;
  double distance2;
  uint32_t index;
} Search;

static bool
visit_part (gpointer data, uint32_t index)
{
  Search *search = (Search *) data;
  const KgVector q =
      closest_segment_point (search->x, search->source->ends[2 * index], search->source->ends[2 * index + 1]);
  const KgVector d = kg_vector_subtract (q, search->x);
  const double distance2 = kg_vector_dot (d, d);

  if (distance2 < search->distance2 || (distance2 == search->distance2 && index < search->index)) {
    search->distance2 = distance2;
    search->nearest = q;
    search->index = index;
  }
  return true;
}

static KgVector
find_on_curves (const Source *source, KgVector x)
{
  Search search = { .source = source, .x = x, .nearest = x, .distance2 = INFINITY, .index = UINT32_MAX };

  box_tree_visit_near (source->parts, x, &search.distance2, visit_part, &search);
  return search.nearest;
}

static KgVector
pull_to_points (const double *p, const Source *source, KgVector x)
{
  KgVector sum = { 0, 0, 0 };

  if (source->n == 0)
    return sum;
  /* Springs to all are one to their middle. */
  if ((ElementLaw) p[P_LAW] == ELEMENT_SPRING)
    return kg_vector_scale (kg_vector_subtract (source->middle, x), source->total * get_share (p, 0));
  for (guint c = 0; c < source->tree.cells->len;) {
    const MassCell *cell = mass_tree_get_cell (&source->tree, c);
    const KgVector d = kg_vector_subtract (cell->center, x);
    const double r2 = kg_vector_dot (d, d);

    if (source->n > ELEMENT_MOST_POINTS && mass_cell_is_far (cell, sqrt (r2), OPENING)) {
      sum = kg_vector_add_scaled (sum, cell->mass * get_share (p, r2), d);
      c = cell->skip;
      continue;
    }
    for (uint32_t k = cell->first; k < cell->end && cell->leaf; k++) {
      const uint32_t i = source->tree.order[k];
      const KgVector way = kg_vector_subtract (source->places[i], x);

      sum = kg_vector_add_scaled (sum, source->masses[i] * get_share (p, kg_vector_dot (way, way)), way);
    }
    c++;
  }
  return sum;
}

static KgVector
get_pull (const double *p, const Source *source, KgVector x)
{
  const KgVector center = { p[P_X], p[P_Y], p[P_Z] }, u = { p[P_DIRECTION_X], p[P_DIRECTION_Y], p[P_DIRECTION_Z] };
  const KgVector to_center = kg_vector_subtract (center, x);
  const double along = kg_vector_dot (to_center, u);
  KgVector way = kg_vector_add_scaled (to_center, -along, u);
  double size;

  switch ((ElementKind) p[P_KIND]) {
  case ELEMENT_LINE:
    break;
  case ELEMENT_SEGMENT:
    if ((ElementLaw) p[P_LAW] == ELEMENT_SQUARE)
      return pull_to_segment (p, way, u, along);
    way = kg_vector_add_scaled (to_center, -kg_clamp (along, -0.5 * p[P_LENGTH], 0.5 * p[P_LENGTH]), u);
    break;
  case ELEMENT_PLANE:
    way = kg_vector_scale (u, along);
    break;
  case ELEMENT_DISC:
    size = kg_vector_length (way);
    way = kg_vector_add_scaled (kg_vector_scale (u, along), fmax (0, size - 0.5 * p[P_LENGTH]) / fmax (size, 1e-300),
                                way);
    break;
  case ELEMENT_POINTS:
    return pull_to_points (p, source, x);
  case ELEMENT_SURFACE:
    way = kg_vector_subtract (triangle_mesh_find_nearest (source->mesh, x).point, x);
    break;
  case ELEMENT_CURVE:
    way = kg_vector_subtract (find_on_curves (source, x), x);
    break;
  default:
    way = to_center;
    break;
  }
  return kg_vector_scale (way, get_share (p, kg_vector_dot (way, way)));
}

static void
sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const double *p = kg_field_get_parameters (field);
  const Source *source = (const Source *) kg_field_get_data (field);

  for (size_t i = 0; i < block->n; i++) {
    const KgVector pull =
        get_pull (p, source, kg_vector ((double) block->x[i], (double) block->y[i], (double) block->z[i]));

    out[0][i] = (float) pull.x;
    out[1][i] = (float) pull.y;
    out[2][i] = (float) pull.z;
  }
}

static const KgFieldClass element_class = {
  .name = "element", .width = 3, .sample = sample, .free_data = source_free, .equal_data = source_equal
};

static void
read_points (Source *source)
{
  const float *mass = kg_geometry_get_float (source->geometry, KG_POINTS, "mass", 1);

  source->n = kg_geometry_get_n_points (source->geometry);
  if (source->n == 0)
    return;
  source->places = g_new (KgVector, source->n);
  source->masses = g_new (double, source->n);
  for (size_t i = 0; i < source->n; i++) {
    source->places[i] = kg_floats_get_vector (kg_geometry_get_positions (source->geometry), i);
    source->masses[i] = mass != NULL ? fmax (0, (double) mass[i]) : 1;
    source->total += source->masses[i];
  }
  mass_tree_init (&source->tree, source->n, source->masses, source->places);
  source->middle = mass_tree_get_cell (&source->tree, 0)->center;
}

static void
add_part (GArray *ends, KgVector from, KgVector to)
{
  g_array_append_val (ends, from);
  g_array_append_val (ends, to);
}

/* The straight parts of one line. */
static bool
read_line (const Source *source, size_t index, GArray *ends, GError **error)
{
  const float *at = kg_geometry_get_positions (source->geometry);
  KgPrimitive line;
  Curve *curve;
  guint n;

  kg_geometry_get_primitive (source->geometry, index, &line);
  if (line.kind == KG_POLYLINE || line.kind == KG_POLYGON) {
    const uint32_t last = line.closed || line.kind == KG_POLYGON ? line.n_vertices : line.n_vertices - 1;

    for (uint32_t i = 0; i < last && line.n_vertices > 0; i++)
      add_part (ends, kg_floats_get_vector (at, line.vertices[i]),
                kg_floats_get_vector (at, line.vertices[(i + 1) % line.n_vertices]));
    return true;
  }
  curve = curve_new (source->geometry, index, error);
  if (curve == NULL)
    return false;
  n = CURVE_PARTS * curve_get_n_segments (curve);
  for (guint i = 0; i < n; i++)
    add_part (ends, curve_evaluate (curve, (double) i / CURVE_PARTS, 0),
              curve_evaluate (curve, (double) (i + 1) / CURVE_PARTS, 0));
  curve_free (curve);
  return true;
}

static bool
read_lines (Source *source, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (GArray) ends = g_array_new (false, false, sizeof (KgVector));
  g_autofree BoundingBox *boxes = NULL;
  size_t n;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (source->geometry); i++)
    if (kg_progress_is_cancelled (monitor) || !read_line (source, i, ends, error))
      return false;
  n = ends->len / 2;
  if (n == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "there are no curves that attract: link a geometry with lines");
    return false;
  }
  boxes = g_new (BoundingBox, n);
  source->ends = (KgVector *) (gpointer) g_array_steal (ends, NULL);
  for (size_t i = 0; i < n; i++) {
    const KgVector a = source->ends[2 * i], b = source->ends[2 * i + 1];

    boxes[i] = bounding_box_from_vectors (kg_vector_min (a, b), kg_vector_max (a, b));
  }
  source->parts = box_tree_new (boxes, n, monitor);
  return source->parts != NULL;
}

static bool
read_faces (Source *source, const KgProgressMonitor *monitor, GError **error)
{
  source->mesh = triangle_mesh_new (source->geometry, monitor, error);
  if (source->mesh != NULL && source->mesh->n == 0)
    kg_set_error (error, KG_ERROR_DEGENERATE, "there are no faces that attract: link a geometry with polygons");
  return source->mesh != NULL && source->mesh->n > 0;
}

KgField *
element_field_new (const Element *element, const KgProgressMonitor *monitor, GError **error)
{
  const double parameters[N_PARAMETERS] = { element->kind,        element->law,         element->center.x,
                                            element->center.y,    element->center.z,    element->direction.x,
                                            element->direction.y, element->direction.z, element->length,
                                            element->strength,    element->distance,    element->softness };
  const bool of_geometry = element->kind >= ELEMENT_POINTS;
  Source *source = g_new0 (Source, 1);
  bool good = true;

  source->geometry = of_geometry && element->geometry != NULL ? kg_geometry_ref (element->geometry)
                                                              : kg_geometry_new ();
  if (element->kind == ELEMENT_POINTS)
    read_points (source);
  else if (element->kind == ELEMENT_SURFACE)
    good = read_faces (source, monitor, error);
  else if (element->kind == ELEMENT_CURVE)
    good = read_lines (source, monitor, error);
  if (!good) {
    source_free (source);
    return NULL;
  }
  return kg_field_new_with_data (&element_class, parameters, N_PARAMETERS, NULL, 0, source, error);
}
