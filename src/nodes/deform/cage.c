/* deform/cage: lets a closed mesh deform what is around and inside of it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "deform/cage.h"

/* Weights that take more memory than this are found again in each frame. */
#define MOST_BYTES ((size_t) 1 << 30)

typedef struct {
  KgGeometry *geometry;
  const KgGeometry *rest;
  const KgGeometry *posed;
  int region;
  KgGeometry *deformed;
} CageNode;

enum { CAGE_ALL, CAGE_INSIDE, N_REGIONS };

static const KgChoice cage_regions[] = {
  [CAGE_ALL] = { "all", N_ ("All points") },
  [CAGE_INSIDE] = { "inside", N_ ("Only points inside the cage") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (cage_regions, N_REGIONS);

/* What does not change while the cage moves. */
typedef struct {
  Cage *cage;
  CageWeights *weights; /* NULL: too many to keep */
} Bound;

static void
bound_free (Bound *bound)
{
  g_clear_pointer (&bound->cage, cage_free);
  g_clear_pointer (&bound->weights, cage_weights_free);
  g_free (bound);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Bound, bound_free)

typedef struct {
  const CageNode *n;
  const KgContext *ctx;
} Build;

static void *
cage_build (gpointer data, size_t *bytes, GError **error)
{
  const Build *build = (const Build *) data;
  const CageNode *n = build->n;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);
  const size_t n_points = kg_geometry_get_n_points (n->geometry);
  g_autoptr (Bound) bound = g_new0 (Bound, 1);

  bound->cage = cage_new (n->rest, &monitor, error);
  if (bound->cage == NULL)
    return NULL;
  *bytes = sizeof *bound;
  if (cage_get_weights_bytes (bound->cage, n_points) <= MOST_BYTES) {
    bound->weights = cage_weights_new (bound->cage, kg_geometry_get_positions (n->geometry), n_points, &monitor);
    if (bound->weights == NULL)
      return NULL;
    *bytes += cage_get_weights_bytes (bound->cage, n_points);
  }
  return g_steal_pointer (&bound);
}

static bool
cage_evaluate (CageNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const size_t n_rest = kg_geometry_get_n_points (n->rest), n_posed = kg_geometry_get_n_points (n->posed);
  Build build = { n, ctx };
  g_autoptr (KgBuffer) shared = NULL;
  const Bound *bound;
  const float *from;
  float *to;

  if (n_rest != n_posed) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the cage has %zu points at rest and %zu posed: link the same mesh, before and after it is changed",
                  n_rest, n_posed);
    return false;
  }
  bound = (const Bound *) kg_context_memo (
      ctx,
      kg_hash_text (kg_hash_join (kg_context_get_fingerprint (ctx, offsetof (CageNode, geometry)),
                                  kg_context_get_fingerprint (ctx, offsetof (CageNode, rest))),
                    "cage"),
      cage_build, &build, (GDestroyNotify) bound_free, error);
  if (bound == NULL)
    return false;
  kg_geometry_make_writable (&n->geometry);
  to = kg_geometry_rewrite_float (n->geometry, KG_POINTS, "P", &from, &shared);
  if (!cage_deform (bound->cage, bound->weights, kg_geometry_get_positions (n->posed), from, to,
                    kg_geometry_get_n_points (n->geometry), n->region == CAGE_INSIDE, &monitor))
    return false;
  if (kg_geometry_get_float (n->geometry, KG_POINTS, "N", 3) != NULL)
    kg_geometry_compute_normals (n->geometry);
  n->deformed = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot cage_slots[] = {
  KG_INPUT (CageNode, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The geometry to deform.")),
  KG_INPUT (
      CageNode, rest, GEOMETRY, .label = N_ ("Rest"),
      .help = N_ (
          "The cage at rest: a closed mesh around the geometry with few faces, such as a box or a coarse copy of it. It may have dents, holes through it, and several parts.")),
  KG_INPUT (CageNode, posed, GEOMETRY, .label = N_ ("Posed"),
            .help = N_ ("The same cage with its points moved, in the same order.")),
  KG_INPUT (
      CageNode, region, CHOICE, .label = N_ ("Region"), .choices = cage_regions,
      .help = N_ (
          "Which points follow. Outside of the cage the influence of its corners continues and turns into that of the cage as a whole.")),
  KG_OUTPUT (CageNode, deformed, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The deformed geometry.")),
};

KG_NODE (
    deform, cage, CageNode, .label = N_ ("Cage"), .version = 1, .since = "0.1",
    .tags = N_ (
        "mean value coordinates mesh deform modifier control mesh proxy bind wrap lattice ffd free form bend squash"),
    .formula = "x′ = Σ wᵢ(x) pᵢ′, Σ wᵢ = 1, Σ wᵢ pᵢ = x\n"
               "wᵢ = Σ over triangles at pᵢ of nᵢ·m/(nᵢ·(pᵢ − x)), m = ½ Σ θₖ nₖ",
    .source = "Ju, Schaefer and Warren, Mean value coordinates for closed triangular meshes, 2005; Parent, Computer "
              "Animation, B.2.9",
    .help = N_ (
        "Deforms a geometry by moving the points of a closed mesh around it, which can have the shape of the object. Points on a face follow the face exactly, and points inside move smoothly. A cage that is moved, rotated, scaled or sheared as a whole takes all geometry along."));
