/* field/wind: moving air with gusts, and how it takes things along.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "field/turbulence.h"

typedef struct {
  KgVector velocity;
  double hold;
  double hold_quadratic;
  double gusts;
  double gust_size;
  double gust_rate;
  int64_t seed;
  KgField *field;
} Wind;

enum { WIND_X, WIND_Y, WIND_Z, WIND_HOLD, WIND_QUADRATIC, WIND_GUSTS, WIND_SIZE, WIND_RATE, WIND_SEED, WIND_N };

/* The air at a place: the mean, plus noise in proportion to it that the mean carries along (G. I. Taylor's frozen
 * turbulence, 1938) while it changes at a rate of its own. */
static void
wind_get_air (const double *p, const KgFieldBlock *block, float *const *air)
{
  const KgVector mean = { p[WIND_X], p[WIND_Y], p[WIND_Z] };
  const Turbulence turbulence = { .seed = (uint64_t) p[WIND_SEED],
                                  .drift = mean,
                                  .size = p[WIND_SIZE],
                                  .slices = p[WIND_RATE],
                                  .octaves = 2,
                                  .lacunarity = 2,
                                  .roughness = 0.5 };
  const float strength = (float) (p[WIND_GUSTS] * kg_vector_length (mean));

  if (strength > 0)
    turbulence_sample (&turbulence, block, air);
  for (int c = 0; c < 3; c++)
    for (size_t i = 0; i < block->n; i++)
      air[c][i] = (float) p[WIND_X + c] + (strength > 0 ? strength * air[c][i] : 0);
}

/* a = (hold + hold_quadratic |w - v|) (w - v) */
static void
wind_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const double *p = kg_field_get_parameters (field);
  const float hold = (float) p[WIND_HOLD], quadratic = (float) p[WIND_QUADRATIC];

  wind_get_air (p, block, out);
  for (size_t i = 0; i < block->n; i++) {
    const float x = out[0][i] - (block->vx != NULL ? block->vx[i] : 0);
    const float y = out[1][i] - (block->vy != NULL ? block->vy[i] : 0);
    const float z = out[2][i] - (block->vz != NULL ? block->vz[i] : 0);
    const float k = hold + quadratic * sqrtf (x * x + y * y + z * z);

    out[0][i] = k * x;
    out[1][i] = k * y;
    out[2][i] = k * z;
  }
}

static double
wind_get_hold (const KgField *field)
{
  const double *p = kg_field_get_parameters (field);

  return p[WIND_QUADRATIC] > 0 ? INFINITY : p[WIND_HOLD];
}

static const KgFieldClass wind_class = { .name = "wind", .width = 3, .sample = wind_sample, .get_hold = wind_get_hold };

static bool
wind_evaluate (Wind *n, const KgContext *ctx, GError **error)
{
  const double parameters[WIND_N] = { n->velocity.x, n->velocity.y, n->velocity.z, n->hold,         n->hold_quadratic,
                                      n->gusts,      n->gust_size,  n->gust_rate,  (double) n->seed };

  (void) ctx;
  n->field = kg_field_new (&wind_class, parameters, WIND_N, NULL, 0, error);
  return n->field != NULL;
}

static const KgSlot wind_slots[] = {
  KG_INPUT (Wind, velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND, .def_v = { 3, 0, 0 },
            .help = N_ ("Average velocity of the air.")),
  KG_INPUT (Wind, gusts, NUMBER, .label = N_ ("Gusts"), .unit = KG_PERCENT, .def = 0.5, .min = 0, .max = 100,
            .soft_max = 2, .help = N_ ("How much the wind varies, as a share of its speed; 0 is a steady stream.")),
  KG_INPUT (Wind, gust_size, NUMBER, .label = N_ ("Gust size"), .unit = KG_METRES, .def = 3, .min = 1e-3, .max = 1e6,
            .soft_max = 50, .help = N_ ("Distance between a gust and the next lull.")),
  KG_INPUT (Wind, gust_rate, NUMBER, .label = N_ ("Gust rate"), .unit = KG_HERTZ, .def = 0.5, .min = 0, .max = 1e4,
            .soft_max = 5, .help = N_ ("How many times per second gusts change while the wind carries them along.")),
  KG_INPUT (Wind, hold, NUMBER, .label = N_ ("Hold"), .def = 1, .min = 0, .max = 1000, .soft_max = 10,
            .help = N_ ("How strongly the air carries things along: small for stones, large for leaves and smoke.")),
  KG_INPUT (Wind, hold_quadratic, NUMBER, .label = N_ ("Quadratic hold"), .min = 0, .max = 1000, .soft_max = 1,
            .help = N_ ("The part of the hold that grows with the difference in speed, as it does for large things.")),
  KG_INPUT (Wind, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Each number gives different gusts.")),
  KG_OUTPUT (Wind, field, FIELD, .label = N_ ("Field"), .help = N_ ("Field for the forces of a simulation.")),
};

KG_NODE (
    field, wind, Wind, .label = N_ ("Wind"), .version = 1, .since = "0.1",
    .tags = N_ ("force air gust breeze storm blow drag"),
    .help = N_ (
        "Blows things along, steadily or in gusts. Things accelerate until they are as fast as the air: no other drag is needed."));
