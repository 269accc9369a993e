/* field/near: points as a field.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "field/point_field.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *points;
  int what;
  const char *name;
  double radius;
  KgField *field;
} Near;

static const KgChoice near_kinds[] = {
  [POINT_FIELD_DENSITY] = { "density", N_ ("Density") },
  [POINT_FIELD_DISTANCE] = { "distance", N_ ("Distance of the nearest") },
  [POINT_FIELD_NEAREST] = { "nearest", N_ ("Attribute of the nearest") },
  [POINT_FIELD_MEAN] = { "mean", N_ ("Mean of an attribute") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (near_kinds, POINT_N_FIELDS);

static bool
near_evaluate (Near *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);

  n->field = point_field_new (n->points, (PointFieldKind) n->what, n->name[0] != '\0' ? n->name : NULL, n->radius,
                              &monitor, error);
  return n->field != NULL;
}

static const KgSlot near_slots[] = {
  KG_INPUT (Near, points, GEOMETRY, .label = N_ ("Points"), .help = N_ ("Points, such as particles.")),
  KG_INPUT (Near, what, CHOICE, .label = N_ ("Value"), .choices = near_kinds,
            .help = N_ ("What the field gives at a position.")),
  KG_INPUT (Near, name, TEXT, .label = N_ ("Attribute"), .shown_when = "what=density|nearest|mean",
            .help = N_ ("Name of the attribute of the points, such as v, Cd or mass; without one each point counts "
                        "as 1. For colours, the first three numbers are used; for a density, only the first.")),
  KG_INPUT (
      Near, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 0.5, .min = 1e-6, .max = 1e6,
      .soft_max = 5,
      .help = N_ ("Distance up to which points have an effect. Larger radii make smoother fields and take longer.")),
  KG_OUTPUT (Near, field, FIELD, .label = N_ ("Field"), .help = N_ ("The field, of one component or of three.")),
};

KG_NODE (
    field, near, Near, .label = N_ ("Near"), .version = 1, .since = "0.1",
    .tags = N_ ("particles density distance nearest kernel volume points inverse"),
    .formula = "density = Σ a 315/(64 π R⁹) (R² − r²)³, r < R",
    .source = "Sims 1990; Müller, Charypar and Gross 2003, section 3.5",
    .help = N_ (
        "Makes a field from points: their density, the distance to the nearest one, or an attribute of those around a "
        "position, such as their velocity or colour. In this way particles act on whatever fields act on: forces, "
        "colliders, attributes, soft objects."));
