/* geometry/sphere: a closed ball of rings and segments.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  double radius;
  KgVector center;
  int64_t segments;
  int64_t rings;
  bool parameters;
  KgGeometry *geometry;
} Sphere;

/* Faces between points that stand in rings, with the poles behind them.  open: rings have segments + 1 points, the last at the
 * place of the first, and poles one for each face. */
static void
sphere_add_faces (KgGeometry *geometry, uint32_t segments, uint32_t rings, bool open)
{
  const uint32_t columns = segments + (open ? 1 : 0), last = (rings - 2) * columns;
  const uint32_t top = last + columns, bottom = top + (open ? segments : 1);
  g_autofree uint32_t *quads = g_new (uint32_t, MAX ((size_t) 4 * segments * (rings - 2), 1));
  g_autofree uint32_t *caps = g_new (uint32_t, (size_t) 6 * segments);
  size_t k = 0, t = 0;

  for (uint32_t i = 0; i < last; i += columns)
    for (uint32_t j = 0; j < segments; j++, k += 4) {
      const uint32_t next = (j + 1) % columns;
      const uint32_t four[] = { i + j, i + columns + j, i + columns + next, i + next };

      memcpy (quads + k, four, sizeof four);
    }
  for (uint32_t j = 0; j < segments; j++, t += 6) {
    const uint32_t next = (j + 1) % columns, pole = open ? j : 0;
    const uint32_t two[] = { top + pole, j, next, bottom + pole, last + next, last + j };

    memcpy (caps + t, two, sizeof two);
  }
  kg_geometry_add_primitives (geometry, KG_POLYGON, true, k / 4, 4, quads);
  kg_geometry_add_primitives (geometry, KG_POLYGON, true, t / 3, 3, caps);
}

static void
sphere_locate (const Sphere *n, size_t k, double *segment, double *ring)
{
  const size_t segments = (size_t) n->segments, columns = segments + n->parameters;
  const size_t in_rings = ((size_t) n->rings - 1) * columns, poles = n->parameters ? segments : 1;

  if (k < in_rings) {
    *segment = (double) (k % columns);
    *ring = (double) (k / columns + 1);
  } else {
    *segment = n->parameters ? (double) ((k - in_rings) % segments) + 0.5 : 0;
    *ring = k - in_rings < poles ? 0 : (double) n->rings;
  }
}

static bool
sphere_evaluate (Sphere *n, const KgContext *ctx, GError **error)
{
  const size_t segments = (size_t) n->segments, rings = (size_t) n->rings;
  const size_t count = n->parameters ? (rings - 1) * (segments + 1) + 2 * segments : (rings - 1) * segments + 2;
  float *p, *normals, *uv = NULL;

  (void) ctx;
  n->geometry = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->geometry, count, error))
    return false;
  p = kg_geometry_edit_positions (n->geometry);
  normals = kg_geometry_edit_float (n->geometry, KG_POINTS, "N", 3);
  if (n->parameters)
    uv = kg_geometry_edit_float (n->geometry, KG_POINTS, "uv", 2);
  for (size_t k = 0; k < count; k++) {
    double segment, ring, s, azimuth;
    bool pole;

    sphere_locate (n, k, &segment, &ring);
    pole = ring == 0 || ring == (double) rings;
    s = pole ? 0 : sin (KG_PI * ring / (double) rings);
    /* Behind the last segment of an open ball is the place of the first one, to the bit. */
    azimuth = segment == (double) segments ? 0 : 2 * KG_PI * segment / (double) segments;
    const double x[] = { s * sin (azimuth), pole ? (ring == 0 ? 1 : -1) : cos (KG_PI * ring / (double) rings),
                         s * cos (azimuth) };

    for (size_t c = 0; c < 3; c++) {
      normals[3 * k + c] = (float) x[c];
      p[3 * k + c] = (float) (kg_vector_get (n->center, c) + n->radius * x[c]);
    }
    if (uv != NULL) {
      uv[2 * k] = (float) (segment / (double) segments);
      uv[2 * k + 1] = (float) (1 - ring / (double) rings);
    }
  }
  sphere_add_faces (n->geometry, (uint32_t) segments, (uint32_t) rings, n->parameters);
  return true;
}

static const KgSlot sphere_slots[] = {
  KG_INPUT (Sphere, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 1, .min = 0, .max = INFINITY,
            .soft_max = 10, .help = N_ ("Distance from the centre to the surface.")),
  KG_INPUT (Sphere, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES, .help = N_ ("Position of the centre.")),
  KG_INPUT (Sphere, segments, INTEGER, .label = N_ ("Segments"), .def = 32, .min = 3, .max = 4096, .soft_max = 128,
            .help = N_ ("Number of segments around the axis.")),
  KG_INPUT (Sphere, rings, INTEGER, .label = N_ ("Rings"), .def = 16, .min = 2, .max = 4096, .soft_max = 64,
            .help = N_ ("Number of rings from pole to pole.")),
  KG_INPUT (
      Sphere, parameters, BOOLEAN, .label = N_ ("UV coordinates"),
      .help = N_ (
          "Gives the points uv: longitude and latitude, each from 0 to 1. The sphere is then open along a seam at its front, where u begins and ends, like a world map.")),
  KG_OUTPUT (Sphere, geometry, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("A mesh with normals, closed unless it has UV coordinates.")),
};

KG_NODE (geometry, sphere, Sphere, .label = N_ ("Sphere"), .version = 1, .since = "0.1",
         .tags = N_ ("ball globe round"), .help = N_ ("Makes a sphere with its poles at the top and bottom."));
