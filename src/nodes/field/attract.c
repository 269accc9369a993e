/* field/attract: pulls towards a point, or pushes away from it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgVector center;
  double strength;
  double distance;
  int falloff;
  double softness;
  KgField *field;
} Attract;

enum { ATTRACT_SPRING, ATTRACT_EVEN, ATTRACT_INVERSE, ATTRACT_SQUARE, N_FALLOFFS };
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

static const KgChoice attract_falloffs[] = {
  [ATTRACT_SPRING] = { "spring", N_ ("Grows with the distance, like a rubber band") },
  [ATTRACT_EVEN] = { "even", N_ ("The same everywhere") },
  [ATTRACT_INVERSE] = { "inverse", N_ ("Inverse of the distance") },
  [ATTRACT_SQUARE] = { "inverse-square", N_ ("Inverse square, like the gravity of a planet") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (attract_falloffs, N_FALLOFFS);

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
    const float k = falloff == ATTRACT_SPRING    ? s / d
                    : falloff == ATTRACT_EVEN    ? s / r
                    : falloff == ATTRACT_INVERSE ? s * near / r
                                                 : s * near * near / r;

    out[0][i] = k * x;
    out[1][i] = k * y;
    out[2][i] = k * z;
  }
}

static const KgFieldClass attract_class = { "attract", 3, attract_sample };

static bool
attract_evaluate (Attract *n, const KgContext *ctx, GError **error)
{
  const double parameters[ATTRACT_N] = { n->center.x, n->center.y, n->center.z, n->strength,
                                         n->distance, n->falloff,  n->softness };

  (void) ctx;
  n->field = kg_field_new (&attract_class, parameters, ATTRACT_N, NULL, 0, error);
  return n->field != NULL;
}

static const KgSlot attract_slots[] = {
  KG_INPUT (Attract, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES, .help = N_ ("Point of attraction.")),
  KG_INPUT (Attract, strength, NUMBER, .label = N_ ("Strength"), .unit = KG_METRES_PER_SECOND2, .def = 5,
            .soft_min = -20, .soft_max = 20,
            .help = N_ ("Acceleration at the distance below; negative values push away.")),
  KG_INPUT (Attract, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES, .def = 1, .min = 1e-3, .max = 1e6,
            .soft_max = 10, .help = N_ ("Distance at which the pull has this strength.")),
  KG_INPUT (Attract, falloff, CHOICE, .label = N_ ("Falloff"), .choices = attract_falloffs, .def = ATTRACT_INVERSE,
            .help = N_ ("How the pull changes with the distance.")),
  KG_INPUT (Attract, softness, NUMBER, .label = N_ ("Softness"), .unit = KG_METRES, .def = 0.1, .min = 0, .max = 1e6,
            .soft_max = 1,
            .help = N_ ("Within about this distance the pull fades, so that nothing is flung away from the centre.")),
  KG_OUTPUT (Attract, field, FIELD, .label = N_ ("Field"), .help = N_ ("Field for the forces of a simulation.")),
};

KG_NODE (field, attract, Attract, .label = N_ ("Attract"), .version = 1, .since = "0.1",
         .tags = N_ ("force point pull repel push magnet planet orbit spring"),
         .help = N_ ("Pulls things towards a point, like a magnet, a planet or a rubber band, or pushes them away."));
