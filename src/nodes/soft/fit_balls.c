/* soft/fit_balls: a few balls that stand for a solid mesh.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/fit_balls.h"
#include "kg-floats.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *geometry;
  int64_t count;
  int64_t places;
  int64_t seed;
  KgGeometry *balls;
  double largest;
  double mean;
} FitBallsNode;

/* Kept while the mesh stays as it is. */
typedef struct {
  size_t n;
  FittedBall *balls;
  BallsFit fit;
} Found;

static void
found_free (Found *found)
{
  g_free (found->balls);
  g_free (found);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Found, found_free)

typedef struct {
  const FitBallsNode *n;
  const KgContext *ctx;
} Build;

static void *
fit_balls_build (gpointer data, size_t *bytes, GError **error)
{
  const Build *build = (const Build *) data;
  const FitBallsNode *n = build->n;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);
  g_autoptr (TriangleMesh) mesh = triangle_mesh_new (n->geometry, &monitor, error);
  g_autoptr (Found) found = g_new0 (Found, 1);

  if (mesh == NULL)
    return NULL;
  found->n = (size_t) n->count;
  found->balls = g_new0 (FittedBall, found->n);
  if (!fit_balls (mesh, found->n, (size_t) n->places, (uint64_t) n->seed, &monitor, found->balls, &found->fit, error))
    return NULL;
  *bytes = sizeof (Found) + found->n * sizeof (FittedBall);
  return g_steal_pointer (&found);
}

static KgHash
fit_balls_get_key (const FitBallsNode *n, const KgContext *ctx)
{
  const KgHash key = kg_hash_text (kg_context_get_fingerprint (ctx, offsetof (FitBallsNode, geometry)), "fit-balls");

  return kg_hash_uint (kg_hash_uint (kg_hash_uint (key, (uint64_t) n->count), (uint64_t) n->places),
                       (uint64_t) n->seed);
}

static bool
fit_balls_evaluate (FitBallsNode *n, const KgContext *ctx, GError **error)
{
  Build build = { n, ctx };
  const Found *found = (const Found *) kg_context_memo (ctx, fit_balls_get_key (n, ctx), fit_balls_build, &build,
                                                        (GDestroyNotify) found_free, error);
  g_autoptr (KgGeometry) balls = kg_geometry_new ();
  float *p, *width;
  int32_t *id;

  if (found == NULL || !kg_geometry_set_n_points (balls, found->n, error))
    return false;
  p = kg_geometry_edit_positions (balls);
  width = kg_geometry_edit_float (balls, KG_POINTS, "width", 1);
  id = kg_geometry_edit_int (balls, KG_POINTS, "id", 1);
  for (size_t i = 0; i < found->n; i++) {
    kg_floats_set_vector (p, i, found->balls[i].center);
    width[i] = (float) (2 * found->balls[i].radius);
    id[i] = (int32_t) i;
  }
  if (found->fit.n_open > 0)
    kg_context_warn (ctx, "the mesh is not closed (%zu open edges): its inside is estimated", found->fit.n_open);
  n->balls = g_steal_pointer (&balls);
  n->largest = found->fit.largest;
  n->mean = found->fit.mean;
  return true;
}

static const KgSlot fit_balls_slots[] = {
  KG_INPUT (FitBallsNode, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("A closed mesh.")),
  KG_INPUT (FitBallsNode, count, INTEGER, .label = N_ ("Balls"), .def = 12, .min = 1, .max = FIT_BALLS_MOST,
            .soft_max = 64, .help = N_ ("Number of balls that approximate the mesh. More of them fit better.")),
  KG_INPUT (FitBallsNode, places, INTEGER, .label = N_ ("Samples"), .def = 2000, .min = 10, .max = 20000,
            .soft_min = 100,
            .help = N_ ("Number of positions on the surface and inside to which the balls are fitted. Corners are "
                        "added to them.")),
  KG_INPUT (FitBallsNode, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Each number gives different positions, and slightly different balls.")),
  KG_OUTPUT (FitBallsNode, balls, GEOMETRY, .label = N_ ("Balls"),
             .help = N_ ("A point at the centre of each ball; its width is the diameter. Soft Keys, Copy to Points and "
                         "drawing use it.")),
  KG_OUTPUT (
      FitBallsNode, largest, NUMBER, .label = N_ ("Largest distance"), .unit = KG_METRES,
      .help =
          N_ ("Largest distance between the surfaces of the mesh and of the balls: the largest error of a test against "
              "them.")),
  KG_OUTPUT (FitBallsNode, mean, NUMBER, .label = N_ ("Mean distance"), .unit = KG_METRES,
             .help = N_ ("Root of the mean square of these distances.")),
};

KG_NODE (
    soft, fit_balls, FitBallsNode, .label = N_ ("Fit Balls"), .version = 1, .since = "0.1",
    .tags = N_ ("sphere set approximation proxy collision metaballs implicit simplify bounding"),
    .formula = "surface of the balls: min (|x - cᵢ| - rᵢ) = 0; least is max |min (|x - cᵢ| - rᵢ)| over the mesh",
    .source = "Parent, Computer Animation, 4.8; Hubbard, Approximating Polyhedra with Spheres, 1996; Wang and others, "
              "Variational Sphere Set Approximation, 2006",
    .help = N_ (
        "Fits a few balls into a mesh, so that it can be turned into a soft object, filled with particles, or quickly "
        "tested against other bodies. It reports the largest distance of the balls from the mesh, because a test is "
        "only as good as the fit."));
