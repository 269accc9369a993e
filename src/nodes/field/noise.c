/* field/noise: turbulence.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "field/turbulence.h"

typedef struct {
  double amplitude;
  double size;
  int64_t octaves;
  double roughness;
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
  NOISE_ROUGHNESS,
  NOISE_EVOLUTION,
  NOISE_X,
  NOISE_Y,
  NOISE_Z,
  NOISE_CURL,
  NOISE_SEED,
  NOISE_N
};

static void
noise_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const double *p = kg_field_get_parameters (field);
  const Turbulence turbulence = { .seed = (uint64_t) p[NOISE_SEED],
                                  .drift = { p[NOISE_X], p[NOISE_Y], p[NOISE_Z] },
                                  .size = p[NOISE_SIZE],
                                  .slices = p[NOISE_EVOLUTION],
                                  .octaves = (guint) p[NOISE_OCTAVES],
                                  .roughness = p[NOISE_ROUGHNESS],
                                  .curl = p[NOISE_CURL] != 0 };
  const float amplitude = (float) p[NOISE_AMPLITUDE];

  turbulence_sample (&turbulence, block, out);
  for (int c = 0; c < 3; c++)
    for (size_t i = 0; i < block->n; i++)
      out[c][i] *= amplitude;
}

static const KgFieldClass noise_class = { "noise", 3, noise_sample };

static bool
noise_evaluate (Noise *n, const KgContext *ctx, GError **error)
{
  const double parameters[NOISE_N] = { n->amplitude, n->size,    (double) n->octaves, n->roughness, n->evolution,
                                       n->drift.x,   n->drift.y, n->drift.z,          n->curl,      (double) n->seed };

  (void) ctx;
  n->field = kg_field_new (&noise_class, parameters, NOISE_N, NULL, 0, error);
  return n->field != NULL;
}

static const KgSlot noise_slots[] = {
  KG_INPUT (Noise, amplitude, NUMBER, .label = N_ ("Amplitude"), .def = 2, .soft_max = 20,
            .help = N_ ("Strength of the turbulence.")),
  KG_INPUT (Noise, size, NUMBER, .label = N_ ("Size"), .unit = KG_METRES, .def = 1, .min = 1e-4, .max = 1e6,
            .soft_min = 0.05, .soft_max = 10, .help = N_ ("Size of the largest swirls.")),
  KG_INPUT (Noise, octaves, INTEGER, .label = N_ ("Octaves"), .def = 2, .min = 1, .max = 8,
            .help = N_ ("Number of layers of swirls, each half the size of the one before.")),
  KG_INPUT (Noise, roughness, NUMBER, .label = N_ ("Roughness"), .def = 0.5, .min = 0, .max = 10, .soft_max = 1,
            .help = N_ ("Strength of each octave relative to the previous one.")),
  KG_INPUT (Noise, evolution, NUMBER, .label = N_ ("Evolution"), .unit = KG_HERTZ, .def = 0.5, .min = 0, .max = 1e4,
            .soft_max = 5,
            .help = N_ ("How many times per second the swirls are smoothly replaced by others; 0 keeps them.")),
  KG_INPUT (Noise, drift, VECTOR, .label = N_ ("Drift"), .unit = KG_METRES_PER_SECOND,
            .help = N_ ("Velocity at which the swirls are carried along, as by a wind.")),
  KG_INPUT (Noise, curl, BOOLEAN, .label = N_ ("Curl"), .def = 1,
            .help = N_ ("Makes swirls without sources: things mix but do not pile up.")),
  KG_INPUT (Noise, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Each number gives a different pattern.")),
  KG_OUTPUT (Noise, field, FIELD, .label = N_ ("Field"),
             .help = N_ ("Field for the forces of a simulation, or for a deformation.")),
};

KG_NODE (field, noise, Noise, .label = N_ ("Turbulence"), .version = 1, .since = "0.1",
         .tags = N_ ("force noise perlin curl random wind smoke"),
         .help = N_ ("Creates irregular swirls that change over time, which make smoke curl and snow wander."));
