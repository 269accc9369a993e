/* field/vortex: turns things about an axis.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgVector center;
  KgVector axis;
  double strength;
  double pull;
  double radius;
  KgField *field;
} Vortex;

/* Along axis × r, and inwards, both fading as a Gaussian of the distance from the axis. */
static void
vortex_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const double *p = kg_field_get_parameters (field);
  const float cx = (float) p[0], cy = (float) p[1], cz = (float) p[2];
  const float ax = (float) p[3], ay = (float) p[4], az = (float) p[5];
  const float strength = (float) p[6], pull = (float) p[7], fall = (float) (-1 / (p[8] * p[8]));

  for (size_t i = 0; i < block->n; i++) {
    const float x = block->x[i] - cx, y = block->y[i] - cy, z = block->z[i] - cz;
    const float along = x * ax + y * ay + z * az;
    const float rx = x - along * ax, ry = y - along * ay, rz = z - along * az;
    const float fade = expf (fall * (rx * rx + ry * ry + rz * rz));

    out[0][i] = fade * (strength * (ay * rz - az * ry) - pull * rx);
    out[1][i] = fade * (strength * (az * rx - ax * rz) - pull * ry);
    out[2][i] = fade * (strength * (ax * ry - ay * rx) - pull * rz);
  }
}

static const KgFieldClass vortex_class = { "vortex", 3, vortex_sample };

static bool
vortex_evaluate (Vortex *n, const KgContext *ctx, GError **error)
{
  const KgVector axis = kg_vector_normalize_or (n->axis, kg_vector (0, 1, 0));
  const double parameters[] = { n->center.x, n->center.y, n->center.z, axis.x,   axis.y,
                                axis.z,      n->strength, n->pull,     n->radius };

  (void) ctx;
  n->field = kg_field_new (&vortex_class, parameters, G_N_ELEMENTS (parameters), NULL, 0, error);
  return n->field != NULL;
}

static const KgSlot vortex_slots[] = {
  KG_INPUT (Vortex, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES, .help = N_ ("A point on the axis.")),
  KG_INPUT (Vortex, axis, VECTOR, .label = N_ ("Axis"), .def_v = { 0, 1, 0 }, .help = N_ ("Direction of the axis.")),
  KG_INPUT (
      Vortex, strength, NUMBER, .label = N_ ("Strength"), .def = 4, .soft_min = -20, .soft_max = 20,
      .help = N_ ("Sideways acceleration per metre of distance from the axis; negative values rotate the other way.")),
  KG_INPUT (Vortex, pull, NUMBER, .label = N_ ("Pull"), .def = 2, .soft_min = -20, .soft_max = 20,
            .help = N_ ("Acceleration towards the axis per metre of distance from it, which keeps things circling.")),
  KG_INPUT (Vortex, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 3, .min = 1e-3, .max = 1e6,
            .soft_max = 20, .help = N_ ("Distance from the axis at which the forces have faded to about a third.")),
  KG_OUTPUT (Vortex, field, FIELD, .label = N_ ("Field"), .help = N_ ("Field for the forces of a simulation.")),
};

KG_NODE (field, vortex, Vortex, .label = N_ ("Vortex"), .version = 1, .since = "0.1",
         .tags = N_ ("force swirl tornado whirl spin"),
         .help = N_ ("Makes things whirl about an axis, like leaves in a corner of a yard."));
