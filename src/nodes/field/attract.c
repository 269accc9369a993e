/* field/attract: pulls towards a point or another element, or pushes away from it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "field/element_field.h"
#include "kg-node.h"

typedef struct {
  int from;
  const KgGeometry *geometry;
  KgVector center;
  KgVector direction;
  double length;
  double strength;
  double distance;
  int falloff;
  double softness;
  KgField *field;
} Attract;

enum {
  ATTRACT_X,
  ATTRACT_Y,
  ATTRACT_Z,
  ATTRACT_STRENGTH,
  ATTRACT_DISTANCE,
  ATTRACT_FALLOFF,
  ATTRACT_SOFTNESS,
  ATTRACT_N
};

static const KgChoice attract_elements[] = {
  [ELEMENT_POINT] = { "point", N_ ("A point") },
  [ELEMENT_LINE] = { "line", N_ ("A line without ends") },
  [ELEMENT_SEGMENT] = { "segment", N_ ("A straight rod") },
  [ELEMENT_PLANE] = { "plane", N_ ("A plane") },
  [ELEMENT_DISC] = { "disc", N_ ("A disc") },
  [ELEMENT_POINTS] = { "points", N_ ("All points of a geometry") },
  [ELEMENT_SURFACE] = { "surface", N_ ("Surface of a geometry") },
  [ELEMENT_CURVE] = { "curve", N_ ("Curves of a geometry") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (attract_elements, ELEMENT_N);

static const KgChoice attract_falloffs[] = {
  [ELEMENT_SPRING] = { "spring", N_ ("Grows with the distance, like a rubber band") },
  [ELEMENT_EVEN] = { "even", N_ ("The same everywhere") },
  [ELEMENT_INVERSE] = { "inverse", N_ ("Inverse of the distance") },
  [ELEMENT_SQUARE] = { "inverse-square", N_ ("Inverse square, like the gravity of a planet") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (attract_falloffs, ELEMENT_N_LAWS);

/* Towards the centre with the strength s at the distance d.  The softened distance r² + softness² (Aarseth 1963) keeps
 * the pull finite at the centre; there it has no direction and is zero. */
static void
attract_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const double *p = kg_field_get_parameters (field);
  const float cx = (float) p[ATTRACT_X], cy = (float) p[ATTRACT_Y], cz = (float) p[ATTRACT_Z];
  const float s = (float) p[ATTRACT_STRENGTH], d = (float) p[ATTRACT_DISTANCE];
  const float soft = (float) fmax (p[ATTRACT_SOFTNESS] * p[ATTRACT_SOFTNESS], 1e-12);
  const int falloff = (int) p[ATTRACT_FALLOFF];

  for (size_t i = 0; i < block->n; i++) {
    const float x = cx - block->x[i], y = cy - block->y[i], z = cz - block->z[i];
    const float r2 = x * x + y * y + z * z + soft, r = sqrtf (r2), near = d / r;
    const float k = falloff == ELEMENT_SPRING    ? s / d
                    : falloff == ELEMENT_EVEN    ? s / r
                    : falloff == ELEMENT_INVERSE ? s * near / r
                                                 : s * near * near / r;

    out[0][i] = k * x;
    out[1][i] = k * y;
    out[2][i] = k * z;
  }
}

static const KgFieldClass attract_class = { "attract", 3, attract_sample };

/* False: cancelled, or *error. */
static bool
attract_to_element (Attract *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const Element element = { .kind = (ElementKind) n->from,
                            .law = (ElementLaw) n->falloff,
                            .center = n->center,
                            .direction = kg_vector_normalize_or (n->direction, kg_vector (0, 1, 0)),
                            .length = n->length,
                            .strength = n->strength,
                            .distance = n->distance,
                            .softness = n->softness,
                            .geometry = n->geometry };

  if (n->from < ELEMENT_POINTS && !(kg_vector_length (n->direction) > 1e-300))
    kg_context_warn (ctx, "the direction is 0 0 0: it counts as upright; set a direction");
  if (n->from >= ELEMENT_POINTS && n->geometry == NULL) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED,
                  "there is no geometry that attracts: link one to geometry, or attract to a point");
    return false;
  }
  if (n->from == ELEMENT_POINTS && kg_geometry_get_n_points (n->geometry) == 0)
    kg_context_warn (ctx, "the geometry has no points: nothing attracts; link one with points");
  n->field = element_field_new (&element, &monitor, error);
  return n->field != NULL;
}

static bool
attract_evaluate (Attract *n, const KgContext *ctx, GError **error)
{
  const double parameters[ATTRACT_N] = { n->center.x, n->center.y, n->center.z, n->strength,
                                         n->distance, n->falloff,  n->softness };

  if (n->from != ELEMENT_POINT)
    return attract_to_element (n, ctx, error);
  n->field = kg_field_new (&attract_class, parameters, ATTRACT_N, NULL, 0, error);
  return n->field != NULL;
}

static const KgSlot attract_slots[] = {
  KG_INPUT (Attract, from, CHOICE, .label = N_ ("Towards"), .choices = attract_elements,
            .help = N_ ("What attracts: things are pulled towards the nearest place on it. With the falloff "
                        "Inverse square, a rod attracts with all of its length. The pulls of several points add "
                        "up, each multiplied by the attribute mass if there is one.")),
  KG_INPUT (Attract, geometry, GEOMETRY, .label = N_ ("Geometry"), .optional = true,
            .shown_when = "from=points|surface|curve", .help = N_ ("The points, faces or curves that attract.")),
  KG_INPUT (Attract, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES,
            .shown_when = "from=point|line|segment|plane|disc",
            .help = N_ ("Point of attraction; a point of the line or plane, the middle of the rod or disc.")),
  KG_INPUT (Attract, direction, VECTOR, .label = N_ ("Direction"), .def_v = { 0, 1, 0 },
            .shown_when = "from=line|segment|plane|disc",
            .help = N_ ("Direction of the line or rod, or that in which the plane or disc faces.")),
  KG_INPUT (Attract, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES, .def = 2, .min = 1e-6, .max = 1e6,
            .soft_max = 10, .shown_when = "from=segment|disc",
            .help = N_ ("Length of the rod, or diameter of the disc.")),
  KG_INPUT (Attract, strength, NUMBER, .label = N_ ("Strength"), .unit = KG_METRES_PER_SECOND2, .def = 5,
            .soft_min = -20, .soft_max = 20,
            .help = N_ ("Acceleration at the distance below; negative values push away.")),
  KG_INPUT (Attract, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES, .def = 1, .min = 1e-3, .max = 1e6,
            .soft_max = 10, .help = N_ ("Distance at which the pull has this strength.")),
  KG_INPUT (Attract, falloff, CHOICE, .label = N_ ("Falloff"), .choices = attract_falloffs, .def = ELEMENT_INVERSE,
            .help = N_ ("How the pull changes with the distance. A line without ends attracts by the inverse of it, a "
                        "plane evenly.")),
  KG_INPUT (Attract, softness, NUMBER, .label = N_ ("Softness"), .unit = KG_METRES, .def = 0.1, .min = 0, .max = 1e6,
            .soft_max = 1,
            .help = N_ ("Within about this distance the pull fades, so that nothing is flung away from the centre.")),
  KG_OUTPUT (Attract, field, FIELD, .label = N_ ("Field"), .help = N_ ("Field for the forces of a simulation.")),
};

KG_NODE (field, attract, Attract, .label = N_ ("Attract"), .version = 1, .since = "0.1",
         .tags = N_ ("force point pull repel push magnet planet orbit spring line plane surface curve"),
         .formula = "spring: s r/d;  even: s;  inverse: s d/r;  inverse square: s (d/r)²;  rod: ∫ s d²/(L r²) dl",
         .source = "Parent, Computer Animation, 4.5; Aarseth 1963; Barnes and Hut 1986",
         .help = N_ ("Pulls things towards a point, like a magnet, a planet or a rubber band, or towards a line, a "
                     "plane, points, a surface or curves; or pushes them away."));
