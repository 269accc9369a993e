/* geometry/measure: lengths, areas, volumes, centres and extents.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/mass_properties.h"
#include "kg-node.h"

typedef struct {
  KgGeometry *geometry;
  bool each;
  int64_t points;
  int64_t primitives;
  double length;
  double area;
  KgVector area_vector;
  int64_t winding;
  double volume;
  bool closed;
  KgVector centroid;
  KgVector low;
  KgVector high;
  KgVector size;
  KgGeometry *measured;
} Measure;

/* Writes the area of each primitive as an attribute. */
static bool
measure_note_areas (Measure *n, const KgProgressMonitor *monitor)
{
  kg_geometry_make_writable (&n->geometry);
  return mass_properties_get_areas (n->geometry, monitor,
                                    kg_geometry_edit_float (n->geometry, KG_PRIMITIVES, "area", 1));
}

static bool
measure_evaluate (Measure *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  MassExtent extent;

  (void) error;
  n->points = (int64_t) kg_geometry_get_n_points (n->geometry);
  n->primitives = (int64_t) kg_geometry_get_n_primitives (n->geometry);
  kg_geometry_get_bounds (n->geometry, &n->low, &n->high);
  n->size = kg_vector_subtract (n->high, n->low);
  if (!mass_properties_get_extent (n->geometry, &monitor, &extent, &n->centroid) ||
      !mass_properties_get_area_vector (n->geometry, &monitor, &n->area_vector))
    return false;
  n->length = extent.length;
  n->area = extent.area;
  /* A closed surface, and one across the view, have none but for rounding. */
  n->winding = fabs (n->area_vector.z) <= 1e-9 * fmax (extent.area, kg_vector_length (n->area_vector)) ? 0
               : n->area_vector.z > 0                                                                  ? 1
                                                                                                       : -1;
  n->volume = extent.volume;
  n->closed = extent.closed;
  if (n->each && n->primitives > 0 && !measure_note_areas (n, &monitor))
    return false;
  n->measured = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot measure_slots[] = {
  KG_INPUT (Measure, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The geometry to measure.")),
  KG_INPUT (
      Measure, each, BOOLEAN, .label = N_ ("Per primitive"),
      .help = N_ ("Writes the area of each polygon as the attribute area of its primitive, in square metres; 0 for "
                  "lines. Of a polygon that is not flat it is the area of its projection along its normal.")),
  KG_OUTPUT (Measure, points, INTEGER, .label = N_ ("Points"), .help = N_ ("Number of points.")),
  KG_OUTPUT (Measure, primitives, INTEGER, .label = N_ ("Primitives"), .help = N_ ("Number of polygons and lines.")),
  KG_OUTPUT (
      Measure, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES,
      .help = N_ ("Total length of all lines, straight from point to point; closed lines include the closing edge.")),
  KG_OUTPUT (Measure, area, NUMBER, .label = N_ ("Area"), .help = N_ ("Total area of all polygons, in square metres.")),
  KG_OUTPUT (
      Measure, area_vector, VECTOR, .label = N_ ("Area vector"),
      .help = N_ (
          "Sum of the normals of all polygons, each as long as the area of its polygon; without polygons, of the closed lines. Its z is the area seen from the front, less what is seen from behind. 0 for a closed surface.")),
  KG_OUTPUT (
      Measure, winding, INTEGER, .label = N_ ("Winding"),
      .help = N_ ("1 if the outline runs counter-clockwise as seen from the front, −1 if clockwise, 0 if neither.")),
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
  KG_OUTPUT (Measure, measured, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The geometry, with the areas if they are measured per primitive.")),
};

KG_NODE (
    geometry, measure, Measure, .label = N_ ("Measure"), .version = 1, .since = "0.1",
    .tags = N_ ("length area volume perimeter normal newell signed clockwise centroid center bounds size count box"),
    .help = N_ ("Measures a geometry: the length of its lines, its area, its volume, its centre and its extent."));
