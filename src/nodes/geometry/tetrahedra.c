/* geometry/tetrahedra: a solid mesh filled with tetrahedra, as the structure of a soft body.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/tetrahedra.h"
#include "kg-floats.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *geometry;
  double cell;
  KgGeometry *filled;
  int64_t count;
  double volume;
  double least_angle;
} TetrahedraNode;

/* Kept while the mesh stays as it is. */
typedef struct {
  KgGeometry *filled;
  size_t count, n_open;
  TetrahedraMeasure measure;
} Found;

static void
found_free (Found *found)
{
  g_clear_pointer (&found->filled, kg_geometry_unref);
  g_free (found);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Found, found_free)

typedef struct {
  const TetrahedraNode *n;
  const KgContext *ctx;
} Build;

/* The surface as triangles, then each tetrahedron as a closed line through its corners. */
static KgGeometry *
tetrahedra_make_geometry (const Tetrahedra *tetrahedra, GError **error)
{
  g_autoptr (GArray) surface = tetrahedra_get_surface (tetrahedra);
  g_autoptr (KgGeometry) filled = kg_geometry_new ();
  float *p;
  int32_t *group;

  if (!kg_geometry_set_n_points (filled, tetrahedra->n_points, error))
    return NULL;
  p = kg_geometry_edit_positions (filled);
  for (size_t i = 0; i < tetrahedra->n_points; i++)
    kg_floats_set_vector (p, i, tetrahedra->points[i]);
  kg_geometry_add_primitives (filled, KG_POLYGON, true, surface->len, 3,
                              (const uint32_t *) (const void *) surface->data);
  kg_geometry_add_primitives (filled, KG_POLYLINE, true, tetrahedra->n, 4, tetrahedra->corners[0]);
  group = kg_geometry_edit_int (filled, KG_PRIMITIVES, "tetrahedron", 1);
  for (size_t i = 0; i < tetrahedra->n; i++)
    group[surface->len + i] = 1;
  return g_steal_pointer (&filled);
}

static void *
tetrahedra_build (gpointer data, size_t *bytes, GError **error)
{
  const Build *build = (const Build *) data;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);
  g_autoptr (TriangleMesh) mesh = triangle_mesh_new (build->n->geometry, &monitor, error);
  g_autoptr (Found) found = g_new0 (Found, 1);
  g_auto (Tetrahedra) tetrahedra = { .n = 0 };

  if (mesh == NULL || !tetrahedra_fill (mesh, build->n->cell, &tetrahedra, &monitor, error))
    return NULL;
  found->n_open = mesh->n_open;
  found->count = tetrahedra.n;
  found->measure = tetrahedra_measure (&tetrahedra);
  found->filled = tetrahedra_make_geometry (&tetrahedra, error);
  *bytes = sizeof (Found) + 12 * tetrahedra.n_points + 64 * tetrahedra.n;
  return found->filled != NULL ? g_steal_pointer (&found) : NULL;
}

static bool
tetrahedra_evaluate (TetrahedraNode *n, const KgContext *ctx, GError **error)
{
  Build build = { n, ctx };
  const KgHash key = kg_hash_double (
      kg_hash_text (kg_context_get_fingerprint (ctx, offsetof (TetrahedraNode, geometry)), "tetrahedra"), n->cell);
  const Found *found =
      (const Found *) kg_context_memo (ctx, key, tetrahedra_build, &build, (GDestroyNotify) found_free, error);

  if (found == NULL)
    return false;
  if (found->n_open > 0)
    kg_context_warn (ctx, "the mesh is not closed (%zu open edges): its inside is estimated", found->n_open);
  n->filled = kg_geometry_ref (found->filled);
  n->count = (int64_t) found->count;
  n->volume = found->measure.volume;
  n->least_angle = found->measure.least_angle;
  return true;
}

static const KgSlot tetrahedra_slots[] = {
  KG_INPUT (TetrahedraNode, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("A closed mesh.")),
  KG_INPUT (TetrahedraNode, cell, NUMBER, .label = N_ ("Cell"), .unit = KG_METRES, .def = 0.1, .min = 1e-6, .max = 1e6,
            .soft_min = 0.01, .soft_max = 1,
            .help = N_ ("Size of the cells into which the inside is divided. Parts of the mesh that are thinner than "
                        "a cell may be lost, and its edges are cut off by up to half a cell.")),
  KG_OUTPUT (TetrahedraNode, filled, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The surface as triangles, and each tetrahedron as a closed line through its four corners, in "
                         "the group tetrahedron of primitives. Both share their points.")),
  KG_OUTPUT (TetrahedraNode, count, INTEGER, .label = N_ ("Tetrahedra"), .help = N_ ("Number of tetrahedra.")),
  KG_OUTPUT (TetrahedraNode, volume, NUMBER, .label = N_ ("Volume"),
             .help = N_ ("Volume of all tetrahedra, in cubic metres. The volume of the mesh is a little larger.")),
  KG_OUTPUT (TetrahedraNode, least_angle, NUMBER, .label = N_ ("Smallest angle"), .unit = KG_DEGREES,
             .help = N_ ("Smallest angle between two faces of a tetrahedron; 70.5 degrees in a regular one. Small "
                         "angles need short time steps.")),
};

KG_NODE (
    geometry, tetrahedra, TetrahedraNode, .label = N_ ("Tetrahedra"), .version = 1, .since = "0.1",
    .tags = N_ ("solid fill volume mesh tetrahedron jelly soft body finite elements lattice structure inside"),
    .source = "Labelle and Shewchuk, Isosurface stuffing, 2007; Dompierre, Labbé, Vallet and Camarero 1999",
    .help = N_ (
        "Fills a solid mesh with tetrahedra that are nearly regular, even at its surface. A soft body made of them "
        "keeps its shape and its volume without braces. To move the original mesh along, link it to Cage, with this "
        "surface as the cage."));
