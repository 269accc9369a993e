/* field/gravity: the same acceleration everywhere.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/vectors.h"
#include "kg-node.h"

typedef struct {
  int on;
  KgVector acceleration;
  KgField *field;
} Gravity;

enum {
  ON_GIVEN,
  ON_MERCURY,
  ON_VENUS,
  ON_EARTH,
  ON_MOON,
  ON_MARS,
  ON_JUPITER,
  ON_SATURN,
  ON_URANUS,
  ON_NEPTUNE,
  N_ONS
};

static const KgChoice gravity_ons[] = {
  [ON_GIVEN] = { "given", N_ ("As given") },
  [ON_MERCURY] = { "mercury", N_ ("Mercury: 3.70 m/s²") },
  [ON_VENUS] = { "venus", N_ ("Venus: 8.87 m/s²") },
  [ON_EARTH] = { "earth", N_ ("Earth: 9.80665 m/s²") },
  [ON_MOON] = { "moon", N_ ("Moon: 1.62 m/s²") },
  [ON_MARS] = { "mars", N_ ("Mars: 3.71 m/s²") },
  [ON_JUPITER] = { "jupiter", N_ ("Jupiter: 24.79 m/s²") },
  [ON_SATURN] = { "saturn", N_ ("Saturn: 10.44 m/s²") },
  [ON_URANUS] = { "uranus", N_ ("Uranus: 8.87 m/s²") },
  [ON_NEPTUNE] = { "neptune", N_ ("Neptune: 11.15 m/s²") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (gravity_ons, N_ONS);

/* At the surface, m/s². */
static const double gravity_strengths[] = { 0, 3.70, 8.87, 9.80665, 1.62, 3.71, 24.79, 10.44, 8.87, 11.15 };
_Static_assert(G_N_ELEMENTS (gravity_strengths) == N_ONS, "a strength for each");

static bool
gravity_evaluate (Gravity *n, const KgContext *ctx, GError **error)
{
  KgVector down = { 0, -1, 0 };

  (void) ctx;
  (void) error;
  /* A planet pulls the way the acceleration points. */
  vectors_normalize (n->acceleration, &down);
  n->field = kg_field_new_constant_vector (n->on == ON_GIVEN ? n->acceleration
                                                             : kg_vector_scale (down, gravity_strengths[n->on]));
  return true;
}

static const KgSlot gravity_slots[] = {
  KG_INPUT (
      Gravity, on, CHOICE, .label = N_ ("Strength of"), .choices = gravity_ons,
      .help =
          N_ ("Whose gravity it is: of a planet, in the direction of the acceleration, or exactly the acceleration.")),
  KG_INPUT (Gravity, acceleration, VECTOR, .label = N_ ("Acceleration"), .unit = KG_METRES_PER_SECOND2,
            .def_v = { 0, -9.81, 0 }, .help = N_ ("Acceleration: 9.81 downwards on Earth, 1.62 on the Moon.")),
  KG_OUTPUT (Gravity, field, FIELD, .label = N_ ("Field"), .help = N_ ("Field for the forces of a simulation.")),
};

KG_NODE (field, gravity, Gravity, .label = N_ ("Gravity"), .version = 1, .since = "0.1",
         .tags = N_ ("force weight fall acceleration planet moon mars jupiter"),
         .help = N_ ("Pulls everything with the same acceleration, whatever its mass."));
