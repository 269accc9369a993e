/* geometry/measure: lengths, areas, volumes, centres and extents.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-hash.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *geometry;
  int64_t points;
  int64_t primitives;
  double length;
  double area;
  double volume;
  bool closed;
  KgVector centroid;
  KgVector low;
  KgVector high;
  KgVector size;
} Measure;

/* What adds up over the primitives.  Moments are sizes times centres. */
typedef struct {
  const float *p;
  KgVector origin; /* near the geometry, so that far from the world's origin no digits are lost */
  double length, area, volume;
  KgVector length_moment, area_moment, volume_moment;
  uint64_t boundary; /* 0 when every edge of the polygons is passed as often in one direction as in the other */
} Sums;

static KgVector
measure_get_point (const Sums *sums, uint32_t i)
{
  const float *x = sums->p + 3 * (size_t) i;

  return kg_vector_subtract (kg_vector ((double) x[0], (double) x[1], (double) x[2]), sums->origin);
}

static void
measure_line (const KgPrimitive *primitive, Sums *sums)
{
  const uint32_t n = primitive->n_vertices, *v = primitive->vertices;

  for (uint32_t i = 0; i + (primitive->closed ? 0 : 1) < n; i++) {
    const KgVector a = measure_get_point (sums, v[i]), b = measure_get_point (sums, v[(i + 1) % n]);
    const double length = kg_vector_distance (a, b);

    sums->length += length;
    sums->length_moment = kg_vector_add_scaled (sums->length_moment, 0.5 * length, kg_vector_add (a, b));
  }
}

/* A number for the edge between two points, the other way round its negative: those of a closed surface add up to 0,
 * others (but for one in 2^64) do not. */
static uint64_t
measure_get_edge (uint32_t a, uint32_t b)
{
  const uint64_t x = kg_hash_mix (((uint64_t) MIN (a, b) << 32) | MAX (a, b));

  return a == b ? 0 : a < b ? x : -x;
}

/* Triangles from the first corner, counted by the direction they face: right for polygons with dents too.  The solid
 * is the sum of the tetrahedra from the origin to them. */
static void
measure_polygon (const KgPrimitive *primitive, Sums *sums)
{
  const uint32_t n = primitive->n_vertices, *v = primitive->vertices;
  KgVector a, normal = { 0, 0, 0 }, facing;

  if (n == 0)
    return;
  a = measure_get_point (sums, v[0]);
  for (uint32_t i = 0; i < n; i++)
    sums->boundary += measure_get_edge (v[i], v[(i + 1) % n]);
  for (uint32_t i = 1; i + 1 < n; i++)
    normal = kg_vector_add (normal, kg_vector_cross (kg_vector_subtract (measure_get_point (sums, v[i]), a),
                                                     kg_vector_subtract (measure_get_point (sums, v[i + 1]), a)));
  facing = kg_vector_normalize_or (normal, kg_vector (0, 0, 0));
  for (uint32_t i = 1; i + 1 < n; i++) {
    const KgVector b = measure_get_point (sums, v[i]), c = measure_get_point (sums, v[i + 1]);
    const KgVector sum = kg_vector_add (a, kg_vector_add (b, c));
    const KgVector cross = kg_vector_cross (kg_vector_subtract (b, a), kg_vector_subtract (c, a));
    const double area = 0.5 * kg_vector_dot (cross, facing), volume = kg_vector_dot (a, kg_vector_cross (b, c)) / 6;

    sums->area += area;
    sums->area_moment = kg_vector_add_scaled (sums->area_moment, area / 3, sum);
    sums->volume += volume;
    sums->volume_moment = kg_vector_add_scaled (sums->volume_moment, volume / 4, sum);
  }
}

static KgVector
measure_get_mean (const Sums *sums, size_t n)
{
  KgVector sum = { 0, 0, 0 };

  for (size_t i = 0; i < n; i++)
    sum = kg_vector_add (sum, measure_get_point (sums, (uint32_t) i));
  return kg_vector_scale (sum, 1 / (double) MAX (n, 1));
}

static bool
measure_evaluate (Measure *n, const KgContext *ctx, GError **error)
{
  const size_t n_points = kg_geometry_get_n_points (n->geometry);
  Sums sums = { .p = kg_geometry_get_positions (n->geometry) };
  bool has_polygons = false;
  KgVector center;
  double size3;

  (void) ctx;
  (void) error;
  n->points = (int64_t) n_points;
  n->primitives = (int64_t) kg_geometry_get_n_primitives (n->geometry);
  kg_geometry_get_bounds (n->geometry, &n->low, &n->high);
  n->size = kg_vector_subtract (n->high, n->low);
  sums.origin = kg_vector_lerp (n->low, n->high, 0.5);
  for (size_t i = 0; i < (size_t) n->primitives; i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (n->geometry, i, &primitive);
    if (primitive.kind == KG_POLYGON) {
      has_polygons = true;
      measure_polygon (&primitive, &sums);
    } else
      measure_line (&primitive, &sums);
  }
  n->length = sums.length;
  n->area = sums.area;
  n->closed = has_polygons && sums.boundary == 0;
  n->volume = n->closed ? sums.volume : 0;
  /* What is left of the volume of a flat thing by rounding is no weight to divide by. */
  size3 = n->size.x * n->size.y * n->size.z;
  if (n->closed && fabs (n->volume) > 1e-9 * size3)
    center = kg_vector_scale (sums.volume_moment, 1 / n->volume);
  else if (n->area > 0)
    center = kg_vector_scale (sums.area_moment, 1 / n->area);
  else if (n->length > 0)
    center = kg_vector_scale (sums.length_moment, 1 / n->length);
  else
    center = measure_get_mean (&sums, n_points);
  n->centroid = kg_vector_add (sums.origin, center);
  return true;
}

static const KgSlot measure_slots[] = {
  KG_INPUT (Measure, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The geometry to measure.")),
  KG_OUTPUT (Measure, points, INTEGER, .label = N_ ("Points"), .help = N_ ("How many there are.")),
  KG_OUTPUT (Measure, primitives, INTEGER, .label = N_ ("Primitives"), .help = N_ ("Number of polygons and lines.")),
  KG_OUTPUT (
      Measure, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES,
      .help = N_ ("Total length of all lines, straight from point to point; closed lines include the closing edge.")),
  KG_OUTPUT (Measure, area, NUMBER, .label = N_ ("Area"), .help = N_ ("Total area of all polygons, in square metres.")),
  KG_OUTPUT (
      Measure, volume, NUMBER, .label = N_ ("Volume"),
      .help = N_ (
          "Volume inside a closed surface, in cubic metres; negative if the surface is inside out, 0 if it has holes.")),
  KG_OUTPUT (Measure, closed, BOOLEAN, .label = N_ ("Closed"),
             .help = N_ ("Whether every edge of the polygons has a polygon on both sides.")),
  KG_OUTPUT (
      Measure, centroid, VECTOR, .label = N_ ("Centroid"), .unit = KG_METRES,
      .help = N_ (
          "Centre of mass: of the solid if it is closed, otherwise of its surface, of its lines, or the mean of its points.")),
  KG_OUTPUT (Measure, low, VECTOR, .label = N_ ("Low"), .unit = KG_METRES,
             .help = N_ ("Corner of the bounding box with the smallest coordinates.")),
  KG_OUTPUT (Measure, high, VECTOR, .label = N_ ("High"), .unit = KG_METRES,
             .help = N_ ("Corner of the bounding box with the largest coordinates.")),
  KG_OUTPUT (Measure, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES,
             .help = N_ ("Width, height and depth of the bounding box.")),
};

KG_NODE (geometry, measure, Measure, .label = N_ ("Measure"), .version = 1, .since = "0.1",
         .tags = N_ ("length area volume perimeter centroid center bounds size count box"),
         .help = N_ ("Measures a geometry: the length of its lines, its area, its volume, its centre and its extent."));
