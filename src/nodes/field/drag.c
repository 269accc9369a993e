/* field/drag: resistance of air or water.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  double linear;
  double quadratic;
  KgVector wind;
  KgField *field;
} Drag;

/* a = - (linear + quadratic |v - w|) (v - w) */
static void
drag_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const double *p = kg_field_get_parameters (field);
  const float linear = (float) p[0], quadratic = (float) p[1];
  const float wx = (float) p[2], wy = (float) p[3], wz = (float) p[4];

  for (size_t i = 0; i < block->n; i++) {
    const float x = (block->vx != NULL ? block->vx[i] : 0) - wx;
    const float y = (block->vy != NULL ? block->vy[i] : 0) - wy;
    const float z = (block->vz != NULL ? block->vz[i] : 0) - wz;
    const float k = -(linear + quadratic * sqrtf (x * x + y * y + z * z));

    out[0][i] = k * x;
    out[1][i] = k * y;
    out[2][i] = k * z;
  }
}

static const KgFieldClass drag_class = { "drag", 3, drag_sample };

static bool
drag_evaluate (Drag *n, const KgContext *ctx, GError **error)
{
  const double parameters[] = { n->linear, n->quadratic, n->wind.x, n->wind.y, n->wind.z };

  (void) ctx;
  n->field = kg_field_new (&drag_class, parameters, G_N_ELEMENTS (parameters), NULL, 0, error);
  return n->field != NULL;
}

static const KgSlot drag_slots[] = {
  KG_INPUT (Drag, linear, NUMBER, .label = N_ ("Linear"), .def = 0.5, .min = 0, .max = 1000, .soft_max = 5,
            .help = N_ ("Drag that grows with the speed, as in honey: the share of the speed lost per second.")),
  KG_INPUT (Drag, quadratic, NUMBER, .label = N_ ("Quadratic"), .min = 0, .max = 1000, .soft_max = 1,
            .help = N_ ("Drag that grows with the square of the speed, as in air.")),
  KG_INPUT (Drag, wind, VECTOR, .label = N_ ("Wind"), .unit = KG_METRES_PER_SECOND,
            .help = N_ ("Velocity of the air itself: things are carried along with it.")),
  KG_OUTPUT (Drag, field, FIELD, .label = N_ ("Field"), .help = N_ ("Field for the forces of a simulation.")),
};

KG_NODE (field, drag, Drag, .label = N_ ("Drag and Wind"), .version = 1, .since = "0.1",
         .tags = N_ ("force air resistance friction wind damping"),
         .help = N_ ("Slows things down like air or water, or carries them along with a wind."));
