/* field/gravity: the same acceleration everywhere.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgVector acceleration;
  KgField *field;
} Gravity;

static bool
gravity_evaluate (Gravity *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->field = kg_field_new_constant_vector (n->acceleration);
  return true;
}

static const KgSlot gravity_slots[] = {
  KG_INPUT (Gravity, acceleration, VECTOR, .label = N_ ("Acceleration"), .unit = KG_METRES_PER_SECOND2,
            .def_v = { 0, -9.81, 0 }, .help = N_ ("Acceleration: 9.81 downwards on Earth, 1.62 on the Moon.")),
  KG_OUTPUT (Gravity, field, FIELD, .label = N_ ("Field"), .help = N_ ("Field for the forces of a simulation.")),
};

KG_NODE (field, gravity, Gravity, .label = N_ ("Gravity"), .version = 1, .since = "0.1",
         .tags = N_ ("force weight fall acceleration"),
         .help = N_ ("Pulls everything with the same acceleration, whatever its mass."));
