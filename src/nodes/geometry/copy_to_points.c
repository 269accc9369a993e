/* geometry/copy_to_points: one copy of a geometry on each point of another.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

/* Most points of the result. */
#define COPY_MAX_POINTS 200000000

typedef struct {
  const KgGeometry *geometry;
  const KgGeometry *points;
  double scale;
  bool orient;
  KgGeometry *copies;
} CopyToPoints;

/* Copy i: turned so that its z follows N, or its x the velocity or tangent, scaled by width. */
static KgTransform
copy_to_points_get_transform (const CopyToPoints *n, size_t i)
{
  const float *p = kg_geometry_get_positions (n->points) + 3 * i;
  const float *width = kg_geometry_get_float (n->points, KG_POINTS, "width", 1);
  const float *normal = kg_geometry_get_float (n->points, KG_POINTS, "N", 3);
  const float *tangent = kg_geometry_get_float (n->points, KG_POINTS, "tangent", 3);
  const double s = n->scale * (width != NULL ? (double) width[i] : 1);
  KgRotation turn = kg_rotation_identity ();

  if (n->orient && (normal != NULL || tangent != NULL)) {
    const float *d = normal != NULL ? normal + 3 * i : tangent + 3 * i;

    turn = kg_rotation_between (normal != NULL ? kg_vector (0, 0, 1) : kg_vector (1, 0, 0),
                                kg_vector ((double) d[0], (double) d[1], (double) d[2]));
  }
  return kg_transform_from_parts (kg_vector ((double) p[0], (double) p[1], (double) p[2]), turn, kg_vector (s, s, s));
}

static void
copy_to_points_set_color (const CopyToPoints *n, KgGeometry *out, size_t count, size_t per_copy)
{
  for (uint8_t size = 3; size <= 4; size++) {
    const float *from = kg_geometry_get_float (n->points, KG_POINTS, "Cd", size);
    float *to;

    if (from == NULL)
      continue;
    to = kg_geometry_edit_float (out, KG_POINTS, "Cd", size);
    for (size_t i = 0; i < count; i++)
      for (size_t k = 0; k < per_copy; k++)
        memcpy (to + size * (i * per_copy + k), from + size * i, size * sizeof (float));
  }
}

static bool
copy_to_points_evaluate (CopyToPoints *n, const KgContext *ctx, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->points), per_copy = kg_geometry_get_n_points (n->geometry);
  float *p;
  const float *source = kg_geometry_get_positions (n->geometry);

  if (per_copy > 0 && count > COPY_MAX_POINTS / per_copy) {
    g_set_error (error, KG_ERROR, KG_ERROR_LIMIT,
                 "%" G_GSIZE_FORMAT " copies of %" G_GSIZE_FORMAT " points: at most %d points in all", count, per_copy,
                 COPY_MAX_POINTS);
    return false;
  }
  n->copies = kg_geometry_new ();
  for (size_t i = 0; i < count; i++) {
    if (i % 256 == 0 && kg_context_is_cancelled (ctx))
      return false;
    if (!kg_geometry_append (n->copies, n->geometry, error))
      return false;
  }
  p = kg_geometry_edit_positions (n->copies);
  for (size_t i = 0; i < count; i++) {
    const KgTransform t = copy_to_points_get_transform (n, i);

    for (size_t k = 0; k < per_copy; k++) {
      const KgVector x = kg_transform_point (
          t, kg_vector ((double) source[3 * k], (double) source[3 * k + 1], (double) source[3 * k + 2]));
      float *to = p + 3 * (i * per_copy + k);

      to[0] = (float) x.x;
      to[1] = (float) x.y;
      to[2] = (float) x.z;
    }
  }
  if (kg_geometry_get_float (n->copies, KG_POINTS, "N", 3) != NULL)
    kg_geometry_compute_normals (n->copies);
  copy_to_points_set_color (n, n->copies, count, per_copy);
  return true;
}

static const KgSlot copy_to_points_slots[] = {
  KG_INPUT (CopyToPoints, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("What to copy.")),
  KG_INPUT (CopyToPoints, points, GEOMETRY, .label = N_ ("Points"), .help = N_ ("Where the copies go.")),
  KG_INPUT (CopyToPoints, scale, NUMBER, .label = N_ ("Scale"), .def = 1, .soft_max = 4,
            .help = N_ ("Size of the copies, times the attribute width of the points where there is one.")),
  KG_INPUT (CopyToPoints, orient, BOOLEAN, .label = N_ ("Orient"), .def = 1,
            .help = N_ ("Turn the copies: their z along N, or their x along tangent, where the points have these.")),
  KG_OUTPUT (CopyToPoints, copies, GEOMETRY, .label = N_ ("Copies"),
             .help = N_ ("All copies, in the colours of the points.")),
};

KG_NODE (
    geometry, copy_to_points, CopyToPoints, .label = N_ ("Copy to Points"), .version = 1, .since = "0.1",
    .tags = N_ ("instance scatter duplicate stamp array"),
    .help = N_ ("Puts a copy of one geometry on each point of another: leaves on a twig, lamps along a path, sparks on "
                "particles."));
