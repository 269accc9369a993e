/* geometry/flock_measure: how much moving points are a flock, and in how many groups they are.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/flock_measure.h"

#include "geometry/point_tree.h"
#include "kg-node.h"

typedef struct {
  KgGeometry *geometry;
  double radius;
  KgGeometry *grouped;
  double polarisation;
  double rotation;
  double cohesion;
  double nearest;
  int64_t groups;
  KgVector center;
  KgVector velocity;
} FlockMeasuring;

static bool
flock_measure_evaluate (FlockMeasuring *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const size_t count = kg_geometry_get_n_points (n->geometry);
  const float *p = kg_geometry_get_positions (n->geometry);
  const float *v = kg_geometry_get_float (n->geometry, KG_POINTS, "v", 3);
  FlockMeasure measure;

  if (!kg_geometry_check_finite (n->geometry, error))
    return false;
  if (count > 0 && v == NULL)
    kg_context_warn (
        ctx, "the points have no attribute v, so they have no polarisation: link a simulation, or points that move");
  measure = flock_measure (p, v, count);
  if (!flock_measure_nearest (p, count, &n->nearest, &monitor))
    return false;
  n->polarisation = measure.polarisation;
  n->rotation = measure.rotation;
  n->cohesion = measure.cohesion;
  n->center = measure.centroid;
  n->velocity = measure.velocity;
  kg_geometry_make_writable (&n->geometry);
  n->groups = point_groups_find (kg_geometry_get_positions (n->geometry), count, (float) n->radius,
                                 kg_geometry_edit_int (n->geometry, KG_POINTS, "group", 1), &monitor);
  if (n->groups < 0)
    return false;
  n->grouped = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot flock_measure_slots[] = {
  KG_INPUT (FlockMeasuring, geometry, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("Points with velocities in the attribute v, such as those of Flock or Particles.")),
  KG_INPUT (FlockMeasuring, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 3, .min = 1e-6,
            .max = 1e9, .soft_max = 20,
            .help = N_ ("Points at most this far apart belong to one group, and so do chains of them.")),
  KG_OUTPUT (FlockMeasuring, grouped, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The points with the attribute group: the index of the group of each.")),
  KG_OUTPUT (
      FlockMeasuring, polarisation, NUMBER, .label = N_ ("Polarisation"),
      .help = N_ ("Length of the mean heading: 1 if all fly in one direction, near 0 if each flies its own way.")),
  KG_OUTPUT (FlockMeasuring, rotation, NUMBER, .label = N_ ("Rotation"),
             .help = N_ ("1 if all circle around the centre in one direction.")),
  KG_OUTPUT (
      FlockMeasuring, cohesion, NUMBER, .label = N_ ("Cohesion"), .unit = KG_METRES,
      .help = N_ ("Root mean square distance from the centre: the smaller it is, the closer they keep together.")),
  KG_OUTPUT (FlockMeasuring, nearest, NUMBER, .label = N_ ("Mean distance"), .unit = KG_METRES,
             .help = N_ ("Average distance from a point to its nearest neighbour.")),
  KG_OUTPUT (FlockMeasuring, groups, INTEGER, .label = N_ ("Groups"), .help = N_ ("Number of groups.")),
  KG_OUTPUT (FlockMeasuring, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES,
             .help = N_ ("Mean of the positions.")),
  KG_OUTPUT (FlockMeasuring, velocity, VECTOR, .label = N_ ("Velocity"), .help = N_ ("Mean of the velocities.")),
};

KG_NODE (geometry, flock_measure, FlockMeasuring, .label = N_ ("Flock Measure"), .version = 1, .since = "0.1",
         .tags = N_ ("order polarisation cohesion groups clusters components swarm school herd emergent behaviour"),
         .formula = "polarisation = |Σ v/|v|| / n\nrotation = |Σ c × v/|v|| / n\ncohesion = √(Σ (x − x̄)² / n)",
         .source = "Vicsek et al., Novel type of phase transition, 1995; Couzin et al., Collective memory, 2002",
         .help = N_ ("Measures how closely moving points resemble a flock: whether they fly in one direction or "
                     "circle, how close they keep, and in how many groups they are."));
