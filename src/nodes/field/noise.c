/* field/noise: turbulence.
 * Source: Perlin 2002 (gradient noise); Bridson, Hourihan and Nordenstam 2007 (curl noise).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  double amplitude;
  double size;
  int64_t octaves;
  double evolution;
  KgVector drift;
  bool curl;
  int64_t seed;
  KgField *field;
} Noise;

enum {
  NOISE_AMPLITUDE,
  NOISE_SIZE,
  NOISE_OCTAVES,
  NOISE_EVOLUTION,
  NOISE_X,
  NOISE_Y,
  NOISE_Z,
  NOISE_CURL,
  NOISE_SEED,
  NOISE_N
};

/* The c-th component of a vector noise: octaves of half the size and half the strength. */
static double
noise_component (const double *p, int c, double x, double y, double z)
{
  double sum = 0, amplitude = 1, frequency = 1;

  for (int o = 0; o < (int) p[NOISE_OCTAVES]; o++) {
    sum += amplitude * kg_noise ((uint64_t) p[NOISE_SEED] * 97 + (uint64_t) (3 * o + c), x * frequency, y * frequency,
                                 z * frequency);
    amplitude *= 0.5;
    frequency *= 2;
  }
  return sum;
}

/* Time moves the place through the noise along a direction of no meaning, and along with the drift. */
static void
noise_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const double *p = kg_field_get_parameters (field);
  const double e = 1e-3, t = block->time;

  for (size_t i = 0; i < block->n; i++) {
    const double x = ((double) block->x[i] - p[NOISE_X] * t) / p[NOISE_SIZE] + 0.31 * p[NOISE_EVOLUTION] * t;
    const double y = ((double) block->y[i] - p[NOISE_Y] * t) / p[NOISE_SIZE] + 0.74 * p[NOISE_EVOLUTION] * t;
    const double z = ((double) block->z[i] - p[NOISE_Z] * t) / p[NOISE_SIZE] + 0.59 * p[NOISE_EVOLUTION] * t;

    if (p[NOISE_CURL] == 0)
      for (int c = 0; c < 3; c++)
        out[c][i] = (float) (p[NOISE_AMPLITUDE] * noise_component (p, c, x, y, z));
    else {
      /* The curl of a potential has no sources and sinks: nothing piles up. */
      double d[3][3];

      for (int c = 0; c < 3; c++) {
        d[c][0] = noise_component (p, c, x + e, y, z) - noise_component (p, c, x - e, y, z);
        d[c][1] = noise_component (p, c, x, y + e, z) - noise_component (p, c, x, y - e, z);
        d[c][2] = noise_component (p, c, x, y, z + e) - noise_component (p, c, x, y, z - e);
      }
      out[0][i] = (float) (p[NOISE_AMPLITUDE] * (d[2][1] - d[1][2]) / (2 * e));
      out[1][i] = (float) (p[NOISE_AMPLITUDE] * (d[0][2] - d[2][0]) / (2 * e));
      out[2][i] = (float) (p[NOISE_AMPLITUDE] * (d[1][0] - d[0][1]) / (2 * e));
    }
  }
}

static const KgFieldClass noise_class = { "noise", 3, noise_sample };

static bool
noise_evaluate (Noise *n, const KgContext *ctx, GError **error)
{
  const double parameters[NOISE_N] = { n->amplitude, n->size, (double) n->octaves, n->evolution, n->drift.x, n->drift.y,
                                       n->drift.z,   n->curl, (double) n->seed };

  (void) ctx;
  n->field = kg_field_new (&noise_class, parameters, NOISE_N, NULL, 0, error);
  return n->field != NULL;
}

static const KgSlot noise_slots[] = {
  KG_INPUT (Noise, amplitude, NUMBER, .label = N_ ("Amplitude"), .def = 2, .soft_max = 20,
            .help = N_ ("How strong it is.")),
  KG_INPUT (Noise, size, NUMBER, .label = N_ ("Size"), .unit = KG_METRES, .def = 1, .min = 1e-4, .max = 1e6,
            .soft_min = 0.05, .soft_max = 10, .help = N_ ("Of the largest swirls.")),
  KG_INPUT (Noise, octaves, INTEGER, .label = N_ ("Octaves"), .def = 2, .min = 1, .max = 8,
            .help = N_ ("Each adds swirls of half the size.")),
  KG_INPUT (Noise, evolution, NUMBER, .label = N_ ("Evolution"), .def = 0.5, .soft_max = 5,
            .help = N_ ("How fast the swirls change.")),
  KG_INPUT (Noise, drift, VECTOR, .label = N_ ("Drift"), .unit = KG_METRES_PER_SECOND,
            .help = N_ ("Carries the swirls along, as wind does.")),
  KG_INPUT (Noise, curl, BOOLEAN, .label = N_ ("Curl"), .def = 1,
            .help = N_ ("Swirls without sources: things mix but do not pile up.")),
  KG_INPUT (Noise, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Another number, another pattern.")),
  KG_OUTPUT (Noise, field, FIELD, .label = N_ ("Field"),
             .help = N_ ("For the forces of a simulation, or to deform by.")),
};

KG_NODE (field, noise, Noise, .label = N_ ("Turbulence"), .version = 1, .since = "0.1",
         .tags = N_ ("force noise perlin curl random wind smoke"),
         .help = N_ ("Irregular swirls that change over time: what makes smoke curl and snow wander."));
