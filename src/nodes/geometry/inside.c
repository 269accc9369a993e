/* geometry/inside: which points are inside of a solid.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/triangle_mesh.h"
#include "kg-node.h"
#include "kg-floats.h"

#define INSIDE_BLOCK 256

typedef struct {
  KgGeometry *geometry;
  const KgGeometry *solid;
  int method;
  const char *name;
  bool distance;
  KgGeometry *marked;
  int64_t count;
} Inside;

enum { N_METHODS = INSIDE_PLANES + 1 };

static const KgChoice inside_methods[] = {
  [INSIDE_RAY] = { "ray", N_ ("Rays") },
  [INSIDE_WINDING] = { "winding", N_ ("Winding number") },
  [INSIDE_PLANES] = { "planes", N_ ("Planes") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (inside_methods, N_METHODS);

typedef struct {
  const TriangleMesh *mesh;
  const MeshWinding *winding;
  InsideMethod method;
  double slack; /* distance from the surface at which a point is on it */
  const float *p;
  int32_t *inside;
  float *distance; /* (nullable) */
} Asking;

/* Points on the surface are inside. */
static void
inside_test (const Asking *asking, size_t i)
{
  const float *p = asking->p + 3 * i;
  const KgVector x = kg_floats_get_vector (p, 0);
  bool in = triangle_mesh_contains (asking->mesh, asking->winding, asking->method, x);

  if (asking->distance != NULL) {
    const double distance = triangle_mesh_find_nearest (asking->mesh, x).distance;

    in = in || distance < asking->slack;
    asking->distance[i] = (float) (in ? -distance : distance);
  } else
    in = in || (asking->mesh->n > 0 && triangle_mesh_is_within (asking->mesh, x, asking->slack));
  asking->inside[i] = in;
}

static bool
inside_test_all (const Asking *asking, size_t n, const KgContext *ctx)
{
  const size_t n_blocks = (n + INSIDE_BLOCK - 1) / INSIDE_BLOCK;

#pragma omp parallel for schedule(dynamic, 4) if (n_blocks > 1)
  for (size_t k = 0; k < n_blocks; k++)
    for (size_t i = k * INSIDE_BLOCK; i < MIN (n, (k + 1) * INSIDE_BLOCK) && !kg_context_is_cancelled (ctx); i++)
      inside_test (asking, i);
  return !kg_context_is_cancelled (ctx);
}

static bool
inside_check (const Inside *n, const TriangleMesh *mesh, const KgContext *ctx, GError **error)
{
  KgAttribute known;

  if (n->name[0] == '\0') {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the name of the group is empty: type one");
    return false;
  }
  if (kg_geometry_find_attribute (n->geometry, KG_POINTS, n->name, &known) &&
      (known.scalar != KG_INT32 || known.size != 1)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the attribute \"%s\" exists and is not a group: choose another name",
                  n->name);
    return false;
  }
  if (mesh->n == 0)
    kg_context_warn (ctx, "the solid has no polygons: nothing is inside it");
  else if (n->method == INSIDE_RAY && mesh->n_open > 0)
    kg_context_warn (ctx,
                     "the solid is not closed (%zu open edges): rays may pass through the holes, use winding numbers",
                     mesh->n_open);
  return true;
}

static bool
inside_evaluate (Inside *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const size_t count = kg_geometry_get_n_points (n->geometry);
  g_autoptr (TriangleMesh) mesh = triangle_mesh_new (n->solid, &monitor, error);
  g_autoptr (MeshWinding) winding = NULL;
  Asking asking;

  if (mesh == NULL || !inside_check (n, mesh, ctx, error))
    return false;
  winding = mesh_winding_new (mesh);
  kg_geometry_make_writable (&n->geometry);
  asking = (Asking){ .mesh = mesh, .winding = winding, .method = (InsideMethod) n->method };
  /* A solid of no size has its points, too. */
  asking.slack = fmax (1e-9 * mesh->size, 1e-100);
  asking.inside = kg_geometry_edit_int (n->geometry, KG_POINTS, n->name, 1);
  if (n->distance && mesh->n > 0)
    asking.distance = kg_geometry_edit_float (n->geometry, KG_POINTS, "distance", 1);
  asking.p = kg_geometry_get_positions (n->geometry);
  if (!inside_test_all (&asking, count, ctx))
    return false;
  for (size_t i = 0; i < count; i++)
    n->count += asking.inside[i];
  n->marked = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot inside_slots[] = {
  KG_INPUT (Inside, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The points to test.")),
  KG_INPUT (Inside, solid, GEOMETRY, .label = N_ ("Solid"), .help = N_ ("A closed mesh.")),
  KG_INPUT (
      Inside, method, CHOICE, .label = N_ ("Method"), .choices = inside_methods,
      .help = N_ (
          "Rays: a point is inside if a ray from it crosses the surface an odd number of times. Winding number: how often the surface winds around the point, which tolerates holes and gaps. Planes: behind all faces, for convex solids.")),
  KG_INPUT (Inside, name, TEXT, .label = N_ ("Group"), .def_text = "inside",
            .help = N_ ("Name of the group of points that are inside.")),
  KG_INPUT (
      Inside, distance, BOOLEAN, .label = N_ ("Distance"),
      .help = N_ ("Also stores how far each point is from the surface, in the attribute distance: negative inside.")),
  KG_OUTPUT (Inside, marked, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The geometry with the group.")),
  KG_OUTPUT (Inside, count, INTEGER, .label = N_ ("Count"), .help = N_ ("Number of points inside.")),
};

KG_NODE (
    geometry, inside, Inside, .label = N_ ("Inside"), .version = 2, .since = "0.1",
    .tags = N_ ("contains within solid point test winding number ray parity distance sdf group fill"),
    .source =
        "Parent, Computer Animation, 4.2; van Oosterom and Strackee 1983; Jacobson et al. 2013; Barill et al. 2018",
    .help = N_ (
        "Finds the points inside a solid, and how far they are from its surface: to fill a shape with points, to colour what is under water, or to delete what sticks out."));
