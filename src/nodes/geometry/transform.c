/* geometry/transform: moves, turns and scales.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgGeometry *geometry;
  KgVector translate;
  KgVector rotate;
  KgVector scale;
  KgVector pivot;
  KgTransform transform;
  KgGeometry *transformed;
} Transform;

static bool
transform_evaluate (Transform *n, const KgContext *ctx, GError **error)
{
  const KgTransform own =
      kg_transform_from_parts (kg_vector_add (n->translate, n->pivot), kg_rotation_from_angles (n->rotate), n->scale);
  const KgTransform all = kg_transform_multiply (n->transform, kg_transform_about (own, n->pivot));

  (void) ctx;
  (void) error;
  kg_geometry_make_writable (&n->geometry);
  kg_geometry_transform (n->geometry, &all);
  n->transformed = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot transform_slots[] = {
  KG_INPUT (Transform, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("Geometry to transform.")),
  KG_INPUT (Transform, translate, VECTOR, .label = N_ ("Translate"), .unit = KG_METRES,
            .handle = { KG_HANDLE_STEP, .anchor = "pivot" }, .help = N_ ("Translation along x, y and z.")),
  KG_INPUT (Transform, rotate, VECTOR, .label = N_ ("Rotate"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .handle = { KG_HANDLE_TURN, .anchor = "translate" }, .help = N_ ("Rotation about x, then y, then z.")),
  KG_INPUT (Transform, scale, VECTOR, .label = N_ ("Scale"), .def_v = { 1, 1, 1 },
            .handle = { KG_HANDLE_SCALE, .anchor = "rotate" }, .help = N_ ("Scale along x, y and z.")),
  KG_INPUT (Transform, pivot, VECTOR, .label = N_ ("Pivot"), .unit = KG_METRES,
            .help = N_ ("Point that rotation and scale leave in place.")),
  KG_INPUT (Transform, transform, TRANSFORM, .label = N_ ("Transform"),
            .help = N_ ("Transform applied after the rest: link a frame on a curve here.")),
  KG_OUTPUT (Transform, transformed, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The transformed geometry.")),
};

KG_NODE (
    geometry, transform, Transform, .label = N_ ("Transform"), .version = 1, .since = "0.1",
    .tags = N_ ("move translate rotate scale place position"),
    .help =
        N_ ("Scales, rotates and translates a geometry, in this order, about a pivot. Normals and velocities follow."));
