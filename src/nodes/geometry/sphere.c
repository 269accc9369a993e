/* geometry/sphere: a closed ball of rings and segments.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  double radius;
  KgVector center;
  int64_t segments;
  int64_t rings;
  KgGeometry *geometry;
} Sphere;

static void
sphere_add_faces (KgGeometry *geometry, uint32_t segments, uint32_t rings)
{
  const uint32_t top = (rings - 1) * segments, bottom = top + 1;
  g_autofree uint32_t *quads = g_new (uint32_t, MAX ((size_t) 4 * segments * (rings - 2), 1));
  g_autofree uint32_t *caps = g_new (uint32_t, (size_t) 6 * segments);
  size_t k = 0, t = 0;

  for (uint32_t j = 0; j + 2 < rings; j++)
    for (uint32_t i = 0; i < segments; i++) {
      const uint32_t next = (i + 1) % segments;

      quads[k++] = j * segments + i;
      quads[k++] = (j + 1) * segments + i;
      quads[k++] = (j + 1) * segments + next;
      quads[k++] = j * segments + next;
    }
  for (uint32_t i = 0; i < segments; i++) {
    const uint32_t next = (i + 1) % segments, last = (rings - 2) * segments;
    const uint32_t two[] = { top, i, next, bottom, last + next, last + i };

    memcpy (caps + t, two, sizeof two);
    t += 6;
  }
  kg_geometry_add_primitives (geometry, KG_POLYGON, true, k / 4, 4, quads);
  kg_geometry_add_primitives (geometry, KG_POLYGON, true, t / 3, 3, caps);
}

static bool
sphere_evaluate (Sphere *n, const KgContext *ctx, GError **error)
{
  const size_t segments = (size_t) n->segments, rings = (size_t) n->rings, count = (rings - 1) * segments + 2;
  float *p, *normals;

  (void) ctx;
  n->geometry = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->geometry, count, error))
    return false;
  p = kg_geometry_edit_positions (n->geometry);
  normals = kg_geometry_edit_float (n->geometry, KG_POINTS, "N", 3);
  for (size_t k = 0; k < count; k++) {
    const double polar = k < count - 2    ? KG_PI * (double) (k / segments + 1) / (double) rings
                         : k == count - 2 ? 0
                                          : KG_PI;
    const double azimuth = 2 * KG_PI * (double) (k % segments) / (double) segments;
    const bool pole = k >= count - 2;
    const double s = pole ? 0 : sin (polar);
    const double x[] = { s * sin (azimuth), pole ? (k == count - 2 ? 1 : -1) : cos (polar), s * cos (azimuth) };
    const double *center = &n->center.x;

    for (size_t c = 0; c < 3; c++) {
      normals[3 * k + c] = (float) x[c];
      p[3 * k + c] = (float) (center[c] + n->radius * x[c]);
    }
  }
  sphere_add_faces (n->geometry, (uint32_t) segments, (uint32_t) rings);
  return true;
}

static const KgSlot sphere_slots[] = {
  KG_INPUT (Sphere, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 1, .min = 0, .max = INFINITY,
            .soft_max = 10, .help = N_ ("From the centre to the surface.")),
  KG_INPUT (Sphere, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES, .help = N_ ("Its middle.")),
  KG_INPUT (Sphere, segments, INTEGER, .label = N_ ("Segments"), .def = 32, .min = 3, .max = 4096, .soft_max = 128,
            .help = N_ ("Around the axis.")),
  KG_INPUT (Sphere, rings, INTEGER, .label = N_ ("Rings"), .def = 16, .min = 2, .max = 4096, .soft_max = 64,
            .help = N_ ("From pole to pole.")),
  KG_OUTPUT (Sphere, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("A closed mesh with normals.")),
};

KG_NODE (geometry, sphere, Sphere, .label = N_ ("Sphere"), .version = 1, .since = "0.1",
         .tags = N_ ("ball globe round"), .help = N_ ("Makes a ball with its poles up and down."));
