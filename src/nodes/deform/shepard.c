/* deform/shepard: points that pull, near ones more than far ones.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "deform/skin.h"

typedef struct {
  KgGeometry *geometry;
  const KgGeometry *rest;
  const KgGeometry *posed;
  double power;
  double radius;
  KgGeometry *deformed;
  KgField *field;
} Shepard;

/* The field as a value: parameters are power, radius, and six numbers for each point. */
enum { SHEPARD_POWER, SHEPARD_RADIUS, SHEPARD_POINTS };

static void
shepard_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const double *parameters = kg_field_get_parameters (field), *p = parameters + SHEPARD_POINTS;
  const size_t n = (kg_field_get_n_parameters (field) - SHEPARD_POINTS) / 6;
  const KgTransform still = kg_transform_identity ();
  g_autofree KgVector *rest = g_new (KgVector, MAX (n, 1)), *posed = g_new (KgVector, MAX (n, 1));
  const SkinSkeleton skeleton = { .n = n, .rest = rest, .posed = posed };
  g_autoptr (SkinField) skin = NULL;

  for (size_t i = 0; i < n; i++, p += 6) {
    rest[i] = kg_vector (p[0], p[1], p[2]);
    posed[i] = kg_vector (p[3], p[4], p[5]);
  }
  skin = skin_field_new (&skeleton, &still, parameters[SHEPARD_POWER], parameters[SHEPARD_RADIUS]);
  skin_field_sample (skin, block->x, block->y, block->z, block->n, out);
}

static const KgFieldClass shepard_class = { "shepard", 3, shepard_sample };

static KgField *
shepard_make_field (const Shepard *n, const SkinSkeleton *skeleton, GError **error)
{
  const size_t count = SHEPARD_POINTS + 6 * skeleton->n;
  g_autofree double *parameters = g_new (double, count);
  double *p = parameters + SHEPARD_POINTS;

  parameters[SHEPARD_POWER] = n->power;
  parameters[SHEPARD_RADIUS] = n->radius;
  for (size_t i = 0; i < skeleton->n; i++, p += 6) {
    memcpy (p, &skeleton->rest[i].x, 3 * sizeof *p);
    memcpy (p + 3, &skeleton->posed[i].x, 3 * sizeof *p);
  }
  return kg_field_new (&shepard_class, parameters, (guint) count, NULL, 0, error);
}

/* What a skeleton would be told of, in the words of this node. */
static bool
shepard_check_points (const Shepard *n, const KgContext *ctx, GError **error)
{
  const size_t rest = kg_geometry_get_n_points (n->rest), posed = kg_geometry_get_n_points (n->posed);

  if (rest != posed) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "the number of control points is %zu at rest and %zu in the pose: link the same points in the same order to both",
        rest, posed);
    return false;
  }
  if (rest == 0)
    kg_context_warn (ctx, "there are no control points, so nothing is deformed: link points to rest and posed");
  return true;
}

static bool
shepard_evaluate (Shepard *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const KgTransform still = kg_transform_identity ();
  g_auto (SkinSkeleton) skeleton = { .n = 0 };
  g_autoptr (SkinField) skin = NULL;
  size_t a, b;

  if (!shepard_check_points (n, ctx, error) || !skin_skeleton_read (&skeleton, n->rest, n->posed, NULL, error))
    return false;
  if (skeleton.n > 0 && !skin_skeleton_find_tear (&skeleton, &a, &b))
    kg_context_warn (
        ctx,
        "control points %zu and %zu coincide at rest but move apart: the geometry there moves to a position "
        "between them; delete one of them",
        a, b);
  n->field = shepard_make_field (n, &skeleton, error);
  if (n->field == NULL)
    return false;
  if (n->geometry != NULL && skeleton.n > 0) {
    g_autoptr (KgBuffer) shared = NULL;
    const float *from;
    float *to;

    skin = skin_field_new (&skeleton, &still, n->power, n->radius);
    kg_geometry_make_writable (&n->geometry);
    to = kg_geometry_rewrite_float (n->geometry, KG_POINTS, "P", &from, &shared);
    if (!skin_field_deform (skin, from, to, kg_geometry_get_n_points (n->geometry), &monitor))
      return false;
    if (kg_geometry_get_float (n->geometry, KG_POINTS, "N", 3) != NULL)
      kg_geometry_compute_normals (n->geometry);
  }
  n->deformed = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot shepard_slots[] = {
  KG_INPUT (Shepard, geometry, GEOMETRY, .label = N_ ("Geometry"), .optional = true,
            .help = N_ ("The geometry to deform.")),
  KG_INPUT (Shepard, rest, GEOMETRY, .label = N_ ("Rest"), .help = N_ ("The control points at rest.")),
  KG_INPUT (Shepard, posed, GEOMETRY, .label = N_ ("Posed"),
            .help = N_ ("The same points in the same order, at their current positions.")),
  KG_INPUT (
      Shepard, power, NUMBER, .label = N_ ("Power"), .def = 2, .min = 0.1, .max = 64, .soft_min = 1, .soft_max = 6,
      .help = N_ (
          "How fast the influence of a point falls off with distance: 2 is the inverse square. With higher values each position follows its nearest point more exclusively. At 1 and below, the points produce spikes.")),
  KG_INPUT (
      Shepard, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .min = 0, .max = INFINITY, .soft_max = 10,
      .help = N_ (
          "Radius of influence of each point; positions beyond all radii are not deformed. 0 is unlimited. Choose a radius larger than the gaps between the points.")),
  KG_OUTPUT (Shepard, deformed, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The deformed geometry.")),
  KG_OUTPUT (Shepard, field, FIELD, .label = N_ ("Field"),
             .help = N_ ("Displacement of each position, as a field in metres.")),
};

KG_NODE (
    deform, shepard, Shepard, .label = N_ ("Shepard"), .version = 1, .since = "0.1",
    .tags = N_ ("inverse distance weighting scattered data interpolation warp pull drag handles displacement idw"),
    .help = N_ (
        "Deforms a geometry by moving points. Each position is displaced by a weighted mean of the displacements of the points, with more weight on the nearest, so that geometry at a point follows it exactly. If the points rotate as a whole, the geometry is squashed: use Skeleton Skin for that."));
