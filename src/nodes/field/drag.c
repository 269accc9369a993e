/* field/drag: resistance of air or water.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  int of;
  double radius;
  double mass;
  double viscosity;
  double linear;
  double quadratic;
  KgVector wind;
  KgField *field;
} Drag;

enum { OF_GIVEN, OF_AIR, OF_WATER, OF_OIL, OF_GLYCERINE, OF_HONEY, OF_FLUID, N_OFS };

static const KgChoice drag_ofs[] = {
  [OF_GIVEN] = { "given", N_ ("As given") },
  [OF_AIR] = { "air", N_ ("Small balls in air") },
  [OF_WATER] = { "water", N_ ("Small balls in water") },
  [OF_OIL] = { "oil", N_ ("Small balls in olive oil") },
  [OF_GLYCERINE] = { "glycerine", N_ ("Small balls in glycerine") },
  [OF_HONEY] = { "honey", N_ ("Small balls in honey") },
  [OF_FLUID] = { "fluid", N_ ("Small balls in a fluid of a viscosity") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (drag_ofs, N_OFS);

/* Viscosity in Pa s at 20 °C. */
static const double drag_viscosities[] = { 0, 1.81e-5, 1.002e-3, 0.084, 1.41, 10 };
_Static_assert(G_N_ELEMENTS (drag_viscosities) == OF_FLUID, "a viscosity for each fluid");

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

static double
drag_get_hold (const KgField *field)
{
  const double *p = kg_field_get_parameters (field);

  return p[1] > 0 ? INFINITY : p[0];
}

static const KgFieldClass drag_class = { .name = "drag", .width = 3, .sample = drag_sample, .get_hold = drag_get_hold };

static bool
drag_evaluate (Drag *n, const KgContext *ctx, GError **error)
{
  const double viscosity = n->of == OF_FLUID ? n->viscosity : drag_viscosities[n->of];
  /* Stokes: the force on a ball is 6π R η v. */
  const double linear = n->of == OF_GIVEN ? n->linear : 6 * KG_PI * n->radius * viscosity / n->mass;
  const double parameters[] = { linear, n->of == OF_GIVEN ? n->quadratic : 0, n->wind.x, n->wind.y, n->wind.z };

  (void) ctx;
  n->field = kg_field_new (&drag_class, parameters, G_N_ELEMENTS (parameters), NULL, 0, error);
  return n->field != NULL;
}

static const KgSlot drag_slots[] = {
  KG_INPUT (
      Drag, of, CHOICE, .label = N_ ("Drag of"), .choices = drag_ofs,
      .help = N_ (
          "What determines the drag: the two numbers below, or Stokes's law for balls that are small or slow, or sink in something thick.")),
  KG_INPUT (Drag, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 0.01, .min = 0, .max = 1e6,
            .soft_max = 0.1, .shown_when = "of=air|water|oil|glycerine|honey|fluid",
            .help = N_ ("Radius of the balls.")),
  KG_INPUT (Drag, mass, NUMBER, .label = N_ ("Mass"), .unit = KG_KILOGRAMS, .def = 0.002, .min = 1e-12, .max = 1e9,
            .soft_max = 0.1, .shown_when = "of=air|water|oil|glycerine|honey|fluid", .help = N_ ("Mass of each ball.")),
  KG_INPUT (Drag, viscosity, NUMBER, .label = N_ ("Viscosity"), .def = 1, .min = 0, .max = 1e15, .soft_max = 10,
            .shown_when = "of=fluid", .help = N_ ("Viscosity of the fluid in Pa s: water 0.001, honey 10.")),
  KG_INPUT (Drag, linear, NUMBER, .shown_when = "of=given", .label = N_ ("Linear"), .def = 0.5, .min = 0, .max = 1000,
            .soft_max = 5,
            .help = N_ ("Drag that grows with the speed, as in honey: the share of the speed lost per second.")),
  KG_INPUT (Drag, quadratic, NUMBER, .shown_when = "of=given", .label = N_ ("Quadratic"), .min = 0, .max = 1000,
            .soft_max = 1, .help = N_ ("Drag that grows with the square of the speed, as in air.")),
  KG_INPUT (Drag, wind, VECTOR, .label = N_ ("Wind"), .unit = KG_METRES_PER_SECOND,
            .help = N_ ("Velocity of the air itself: things are carried along with it.")),
  KG_OUTPUT (Drag, field, FIELD, .label = N_ ("Field"), .help = N_ ("Field for the forces of a simulation.")),
};

KG_NODE (field, drag, Drag, .label = N_ ("Drag and Wind"), .version = 1, .since = "0.1",
         .tags = N_ ("force air resistance friction wind damping"),
         .help = N_ ("Slows things down like air or water, or carries them along with a wind."));
