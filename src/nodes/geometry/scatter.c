/* geometry/scatter: points strewn over a geometry.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/scatter.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *geometry;
  const KgGeometry *rest;
  int on;
  int pattern;
  int64_t count;
  double distance;
  const KgField *density;
  const char *attribute;
  double spin;
  int64_t seed;
  KgGeometry *points;
  int64_t found;
  double measure;
} ScatterNode;

static const KgChoice scatter_domains[] = {
  [SCATTER_SURFACE] = { "surface", N_ ("Its surface") },
  [SCATTER_VOLUME] = { "volume", N_ ("Its inside") },
  [SCATTER_CURVE] = { "curve", N_ ("Its lines") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (scatter_domains, SCATTER_N_DOMAINS);

static const KgChoice scatter_patterns[] = {
  [SCATTER_RANDOM] = { "random", N_ ("Random: clumps and gaps") },
  [SCATTER_EVEN] = { "even", N_ ("Even: a number of points, spread out") },
  [SCATTER_DISC] = { "disc", N_ ("Discs: as many as keep a distance") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (scatter_patterns, SCATTER_N_PATTERNS);

/* What was found on the geometry at rest. */
typedef struct {
  TriangleMesh *mesh; /* (nullable) */
  Scatter scatter;
} Strewn;

static void
strewn_free (Strewn *strewn)
{
  g_clear_pointer (&strewn->mesh, triangle_mesh_free);
  scatter_clear (&strewn->scatter);
  g_free (strewn);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Strewn, strewn_free)

typedef struct {
  const ScatterNode *n;
  const KgContext *ctx;
  const KgGeometry *rest;
} Build;

static void *
scatter_build (gpointer data, size_t *bytes, GError **error)
{
  const Build *build = (const Build *) data;
  const ScatterNode *n = build->n;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);
  const ScatterRule rule = { .domain = (ScatterDomain) n->on,
                             .pattern = (ScatterPattern) n->pattern,
                             .count = (size_t) n->count,
                             .distance = n->distance,
                             .seed = (uint64_t) n->seed,
                             .density = n->density,
                             .time = build->ctx->time,
                             .attribute = n->attribute };
  g_autoptr (Strewn) strewn = g_new0 (Strewn, 1);

  if (rule.domain != SCATTER_CURVE) {
    strewn->mesh = triangle_mesh_new (build->rest, &monitor, error);
    if (strewn->mesh == NULL)
      return NULL;
  }
  if (!scatter_find (&strewn->scatter, build->rest, strewn->mesh, &rule, &monitor, error))
    return NULL;
  *bytes = scatter_get_bytes (&strewn->scatter) +
           (strewn->mesh != NULL ? strewn->mesh->n * (sizeof *strewn->mesh->corners + 2 * sizeof (BoundingBox)) : 0);
  return g_steal_pointer (&strewn);
}

/* Everything that decides where points are at rest. */
static KgHash
scatter_get_key (const ScatterNode *n, const KgContext *ctx)
{
  KgHash key = kg_hash_text (kg_context_get_fingerprint (ctx, n->rest != NULL ? offsetof (ScatterNode, rest)
                                                                              : offsetof (ScatterNode, geometry)),
                             "scatter");

  key = kg_hash_uint (kg_hash_uint (key, (uint64_t) n->on), (uint64_t) n->pattern);
  key = kg_hash_uint (kg_hash_uint (key, (uint64_t) n->count), (uint64_t) n->seed);
  key = kg_hash_text (kg_hash_double (key, n->distance), n->attribute);
  if (n->density != NULL)
    key = kg_hash_double (kg_hash_join (key, kg_context_get_fingerprint (ctx, offsetof (ScatterNode, density))),
                          ctx->time);
  return key;
}

static bool
scatter_check (const ScatterNode *n, const KgContext *ctx, GError **error)
{
  if (n->density != NULL && kg_field_get_width (n->density) != 1) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the density is a field of vectors: link one of numbers, such as Noise or Formula");
    return false;
  }
  if (n->rest != NULL && (kg_geometry_get_n_points (n->rest) != kg_geometry_get_n_points (n->geometry) ||
                          !kg_geometry_same_topology (n->rest, n->geometry))) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "the geometry has %zu points and %zu primitives, and at rest %zu and %zu: link the same mesh before its deformation to rest",
        kg_geometry_get_n_points (n->geometry), kg_geometry_get_n_primitives (n->geometry),
        kg_geometry_get_n_points (n->rest), kg_geometry_get_n_primitives (n->rest));
    return false;
  }
  if (n->on == SCATTER_VOLUME && n->attribute[0] != '\0')
    kg_context_warn (ctx, "the attribute \"%s\" has no values inside, and is ignored: use a field", n->attribute);
  return true;
}

/* Of fewer points than were wanted. */
static void
scatter_warn_few (const ScatterNode *n, const KgContext *ctx, const Scatter *scatter)
{
  const bool some_wanted = n->pattern == SCATTER_DISC || n->count > 0;

  if (scatter->n == 0 && some_wanted && n->on == SCATTER_VOLUME && scatter->n_tried > 0)
    kg_context_warn (ctx,
                     "there are no points: none of %zu places tried is inside where the density is above 0: link a "
                     "closed mesh that fills more of its bounds, or raise the density",
                     scatter->n_tried);
  else if (scatter->n == 0 && some_wanted)
    kg_context_warn (ctx, "there are no points: the density is 0 at every place tried: raise it");
  else if (scatter->n_tried > 0)
    kg_context_warn (ctx,
                     "there are %zu points, fewer than wanted: %zu places were tried, of which few are inside and have "
                     "a density above 0: link a mesh that fills more of its bounds, or raise the density",
                     scatter->n, scatter->n_tried);
}

static bool
scatter_evaluate (ScatterNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  Build build = { n, ctx, n->rest != NULL ? n->rest : n->geometry };
  const Strewn *strewn;

  if (!scatter_check (n, ctx, error))
    return false;
  strewn = (const Strewn *) kg_context_memo (ctx, scatter_get_key (n, ctx), scatter_build, &build,
                                             (GDestroyNotify) strewn_free, error);
  if (strewn == NULL)
    return false;
  n->points =
      scatter_make_points (&strewn->scatter, n->geometry, strewn->mesh, (uint64_t) n->seed, n->spin, &monitor, error);
  if (n->points == NULL)
    return false;
  if (strewn->scatter.n_open > 0)
    kg_context_warn (ctx, "the mesh is not closed (%zu open edges): its inside is estimated", strewn->scatter.n_open);
  scatter_warn_few (n, ctx, &strewn->scatter);
  n->found = (int64_t) strewn->scatter.n;
  n->measure = strewn->scatter.measure;
  return true;
}

static const KgSlot scatter_slots[] = {
  KG_INPUT (ScatterNode, geometry, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("The geometry to scatter points on.")),
  KG_INPUT (
      ScatterNode, rest, GEOMETRY, .label = N_ ("Rest"), .optional = true,
      .help = N_ (
          "The same geometry before it is deformed: places are chosen on it, and each point stays on its face or line while the geometry moves. Without a link, places are chosen anew for each shape.")),
  KG_INPUT (ScatterNode, on, CHOICE, .label = N_ ("On"), .choices = scatter_domains,
            .help = N_ ("Where the points are. Points inside stay where they are in space.")),
  KG_INPUT (ScatterNode, pattern, CHOICE, .label = N_ ("Pattern"), .choices = scatter_patterns, .def = SCATTER_EVEN,
            .help = N_ ("How the points are spread. Even takes longest, and is limited to 250,000 points.")),
  KG_INPUT (ScatterNode, count, INTEGER, .label = N_ ("Count"), .def = 500, .min = 0, .max = SCATTER_MAX_POINTS,
            .soft_max = 10000, .shown_when = "pattern=random|even",
            .help = N_ ("Number of points; with Random, the number if the density is 1 everywhere.")),
  KG_INPUT (ScatterNode, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES, .def = 0.1, .min = 1e-6,
            .max = 1e6, .soft_min = 0.01, .soft_max = 1, .shown_when = "pattern=disc",
            .help = N_ ("Least distance between two points.")),
  KG_INPUT (
      ScatterNode, density, FIELD, .label = N_ ("Density"), .optional = true,
      .help = N_ (
          "Share of the points that is kept at each position at rest, from 0 to 1, such as a noise. When the density "
          "changes, points appear or disappear but do not move; Even keeps their number, and moves them.")),
  KG_INPUT (ScatterNode, attribute, TEXT, .label = N_ ("Attribute"), .shown_when = "on=surface|curve",
            .help = N_ ("Name of an attribute of the geometry's points that multiplies the density; empty for none.")),
  KG_INPUT (ScatterNode, spin, NUMBER, .label = N_ ("Spin"), .unit = KG_DEGREES, .def = 180, .min = 0, .max = 180,
            .help = N_ ("Each point is rotated about its normal by a random angle, up to this to either side.")),
  KG_INPUT (ScatterNode, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Each number gives different positions.")),
  KG_OUTPUT (
      ScatterNode, points, GEOMETRY, .label = N_ ("Points"),
      .help = N_ (
          "The points, with a normal N, a rotation orient (z along N), the primitive they are on, an id, and the attributes of the geometry's points, mixed. Copy to Points places copies on them.")),
  KG_OUTPUT (ScatterNode, found, INTEGER, .label = N_ ("Count"), .help = N_ ("Number of points.")),
  KG_OUTPUT (ScatterNode, measure, NUMBER, .label = N_ ("Measure"),
             .help = N_ ("Area, volume or length at rest, in square metres, cubic metres or metres.")),
};

KG_NODE (
    geometry, scatter, ScatterNode, .label = N_ ("Scatter"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("distribute strew sprinkle random blue noise poisson disc instances points surface volume plants"),
    .source =
        "Turk, Generating Random Points in Triangles, 1990; Cook, Stochastic Sampling in Computer Graphics, 1986; "
        "Yuksel, Sample Elimination for Generating Poisson Disk Sample Sets, 2015",
    .help = N_ (
        "Scatters points over the surface of a geometry, through its inside or along its lines, evenly by area, volume or length, and thinned by a field or an attribute: grass on a hill, rivets on a plate, bubbles in a bottle. The points stick to a surface that moves."));
