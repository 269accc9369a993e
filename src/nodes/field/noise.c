/* field/noise: irregular patterns in space, as numbers, vectors or slopes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "field/noise.h"
#include "field/turbulence.h"

typedef struct {
  int gives;
  int kind;
  int sum;
  int cells;
  int table;
  double amplitude;
  double base;
  double size;
  int64_t octaves;
  double lacunarity;
  double roughness;
  double evolution;
  KgVector drift;
  bool curl;
  bool normalize;
  int64_t seed;
  KgField *field;
} Noise;

enum { GIVES_VECTOR, GIVES_NUMBER, GIVES_SLOPE, N_GIVES };
enum { TABLE_HASHED, TABLE_TEXTBOOK, N_TABLES };

static const KgChoice noise_gives[] = {
  [GIVES_VECTOR] = { "vector", N_ ("Vectors: three independent patterns") },
  [GIVES_NUMBER] = { "number", N_ ("Numbers") },
  [GIVES_SLOPE] = { "slope", N_ ("Slopes: the gradient of the numbers") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (noise_gives, N_GIVES);

static const KgChoice noise_kinds[] = {
  [NOISE_GRADIENT] = { "gradient", N_ ("Gradient noise") },
  [NOISE_SIMPLEX] = { "simplex", N_ ("Simplex noise: no trace of a lattice") },
  [NOISE_VALUE] = { "value", N_ ("Value noise: splines through random values") },
  [NOISE_CELLS] = { "cells", N_ ("Cells around scattered points") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (noise_kinds, NOISE_N_KINDS);

static const KgChoice noise_sums[] = {
  [NOISE_FRACTAL] = { "fractal", N_ ("Sum of octaves") },
  [NOISE_TURBULENCE] = { "turbulence", N_ ("Sum of absolute values: billows with creases") },
  [NOISE_RIDGED] = { "ridged", N_ ("Ridges, as of mountains") },
  [NOISE_PLAIN] = { "plain", N_ ("One octave") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (noise_sums, NOISE_N_SUMS);

static const KgChoice noise_cells[] = {
  [NOISE_CELLS_NEAREST] = { "nearest", N_ ("Distance to the nearest point") },
  [NOISE_CELLS_SECOND] = { "second", N_ ("Distance to the second nearest point") },
  [NOISE_CELLS_DIFFERENCE] = { "difference", N_ ("Difference of the two: 0 on the borders") },
  [NOISE_CELLS_VALUE] = { "value", N_ ("One value per cell") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (noise_cells, NOISE_N_CELLS);

static const KgChoice noise_tables[] = {
  [TABLE_HASHED] = { "hash", N_ ("Hashed: never repeats") },
  [TABLE_TEXTBOOK] = { "textbook", N_ ("The printed table: repeats after 256 sizes") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (noise_tables, N_TABLES);

enum {
  P_AMPLITUDE,
  P_SIZE,
  P_OCTAVES,
  P_ROUGHNESS,
  P_EVOLUTION,
  P_X,
  P_Y,
  P_Z,
  P_CURL,
  P_SEED,
  P_GIVES,
  P_KIND,
  P_SUM,
  P_CELLS,
  P_TABLE,
  P_BASE,
  P_LACUNARITY,
  P_NORMALIZE,
  N_PARAMETERS
};

static NoiseSettings
noise_get_settings (const double *p)
{
  return (NoiseSettings){ .kind = (NoiseKind) p[P_KIND],
                          .sum = (NoiseSum) p[P_SUM],
                          .cells = (NoiseCells) p[P_CELLS],
                          .textbook = p[P_TABLE] != 0,
                          .normalize = p[P_NORMALIZE] != 0,
                          .seed = (uint64_t) p[P_SEED],
                          .drift = { p[P_X], p[P_Y], p[P_Z] },
                          .size = p[P_SIZE],
                          .slices = p[P_EVOLUTION],
                          .octaves = (guint) p[P_OCTAVES],
                          .lacunarity = p[P_LACUNARITY],
                          .roughness = p[P_ROUGHNESS] };
}

static void
noise_multiply (float *out, float factor, size_t n)
{
  for (size_t i = 0; i < n; i++)
    out[i] *= factor;
}

/* Sums of gradient noise have a form of their own, of which three components cost little more than one. */
static void
noise_sample_turbulence (const double *p, const NoiseSettings *s, const KgFieldBlock *block, float *const *out)
{
  const Turbulence turbulence = { .seed = s->seed,
                                  .drift = s->drift,
                                  .size = s->size,
                                  .slices = s->slices,
                                  .octaves = s->sum == NOISE_PLAIN ? 1 : s->octaves,
                                  .lacunarity = s->lacunarity,
                                  .roughness = s->roughness,
                                  .curl = p[P_CURL] != 0 };

  turbulence_sample (&turbulence, block, out);
}

/* Three patterns with seeds of their own, or the curl of these (in units of their size, as for sums of gradient noise). */
static void
noise_sample_components (const double *p, const NoiseSettings *settings, const KgFieldBlock *block, float *const *out)
{
  const float size = (float) settings->size;
  KgFieldArrays slopes[3];

  if (p[P_CURL] == 0) {
    for (uint64_t c = 0; c < 3; c++) {
      NoiseSettings s = *settings;

      s.seed = kg_hash_mix (settings->seed ^ ((c + 1) << 40));
      noise_sample (&s, block, out[c], NULL);
    }
    return;
  }
  for (uint64_t c = 0; c < 3; c++) {
    NoiseSettings s = *settings;

    s.seed = kg_hash_mix (settings->seed ^ ((c + 1) << 40));
    slopes[c] = kg_field_take_arrays (block);
    noise_sample (&s, block, out[c], (float *const[]){ slopes[c][0], slopes[c][1], slopes[c][2] });
  }
  for (size_t i = 0; i < block->n; i++) {
    out[0][i] = size * (slopes[2][1][i] - slopes[1][2][i]);
    out[1][i] = size * (slopes[0][2][i] - slopes[2][0][i]);
    out[2][i] = size * (slopes[1][0][i] - slopes[0][1][i]);
  }
  for (int c = 0; c < 3; c++)
    kg_field_release_arrays (block, slopes[c]);
}

static void
noise_sample_vector (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const double *p = kg_field_get_parameters (field);
  const NoiseSettings s = noise_get_settings (p);
  double factor = p[P_AMPLITUDE], mean, deviation;

  if (p[P_GIVES] == GIVES_SLOPE) {
    const KgFieldArrays values = kg_field_take_arrays (block);

    noise_sample (&s, block, values[0], out);
    kg_field_release_arrays (block, values);
  } else if (s.kind == NOISE_GRADIENT && (s.sum == NOISE_FRACTAL || s.sum == NOISE_PLAIN)) {
    noise_sample_turbulence (p, &s, block, out);
    noise_get_moments (&s, &mean, &deviation);
    if (s.normalize)
      factor /= 3 * deviation;
  } else
    noise_sample_components (p, &s, block, out);
  for (int c = 0; c < 3; c++)
    noise_multiply (out[c], (float) factor, block->n);
}

static void
noise_sample_number (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const double *p = kg_field_get_parameters (field);
  const NoiseSettings s = noise_get_settings (p);
  const float amplitude = (float) p[P_AMPLITUDE], base = (float) p[P_BASE];

  noise_sample (&s, block, out[0], NULL);
  for (size_t i = 0; i < block->n; i++)
    out[0][i] = base + amplitude * out[0][i];
}

static const KgFieldClass noise_vector_class = { "noise", 3, noise_sample_vector };
static const KgFieldClass noise_number_class = { "noise numbers", 1, noise_sample_number };

static bool
noise_evaluate (Noise *n, const KgContext *ctx, GError **error)
{
  const double parameters[N_PARAMETERS] = { [P_AMPLITUDE] = n->amplitude,
                                            [P_SIZE] = n->size,
                                            [P_OCTAVES] = (double) n->octaves,
                                            [P_ROUGHNESS] = n->roughness,
                                            [P_EVOLUTION] = n->evolution,
                                            [P_X] = n->drift.x,
                                            [P_Y] = n->drift.y,
                                            [P_Z] = n->drift.z,
                                            [P_CURL] = n->curl && n->gives == GIVES_VECTOR,
                                            [P_SEED] = (double) n->seed,
                                            [P_GIVES] = n->gives,
                                            [P_KIND] = n->kind,
                                            [P_SUM] = n->sum,
                                            [P_CELLS] = n->cells,
                                            [P_TABLE] = n->kind == NOISE_VALUE && n->table == TABLE_TEXTBOOK,
                                            [P_BASE] = n->base,
                                            [P_LACUNARITY] = n->lacunarity,
                                            [P_NORMALIZE] = n->normalize };

  if (parameters[P_TABLE] != 0 && n->evolution != 0)
    kg_context_warn (ctx, "the printed table does not change over time: set Evolution to 0, or use the hashed values");
  n->field = kg_field_new (n->gives == GIVES_NUMBER ? &noise_number_class : &noise_vector_class, parameters,
                           N_PARAMETERS, NULL, 0, error);
  return n->field != NULL;
}

static const KgSlot noise_slots[] = {
  KG_INPUT (Noise, gives, CHOICE, .label = N_ ("Gives"), .choices = noise_gives,
            .help = N_ ("Vectors for forces and displacements, or numbers for heights, colours and densities.")),
  KG_INPUT (Noise, kind, CHOICE, .label = N_ ("Kind"), .choices = noise_kinds,
            .help = N_ ("What a single layer looks like.")),
  KG_INPUT (Noise, sum, CHOICE, .label = N_ ("Sum"), .choices = noise_sums,
            .help = N_ ("How layers of different size are added.")),
  KG_INPUT (Noise, cells, CHOICE, .label = N_ ("Cells"), .choices = noise_cells, .shown_when = "kind=cells",
            .help = N_ ("What is measured in the cells.")),
  KG_INPUT (
      Noise, table, CHOICE, .label = N_ ("Values"), .choices = noise_tables, .shown_when = "kind=value",
      .help = N_ (
          "Where the random values come from. The printed table gives the figures of the textbook, with all octaves in one place.")),
  KG_INPUT (Noise, amplitude, NUMBER, .label = N_ ("Amplitude"), .def = 2, .soft_max = 20,
            .help = N_ ("Strength of the noise.")),
  KG_INPUT (Noise, base, NUMBER, .label = N_ ("Base"), .soft_min = -10, .soft_max = 10, .min = -1e30, .max = 1e30,
            .shown_when = "gives=number", .help = N_ ("Added to all numbers.")),
  KG_INPUT (Noise, size, NUMBER, .label = N_ ("Size"), .unit = KG_METRES, .def = 1, .min = 1e-4, .max = 1e6,
            .soft_min = 0.05, .soft_max = 10, .help = N_ ("Size of the largest swirls or features.")),
  KG_INPUT (Noise, octaves, INTEGER, .label = N_ ("Octaves"), .def = 2, .min = 1, .max = 16, .soft_max = 8,
            .shown_when = "sum=fractal|turbulence|ridged",
            .help = N_ ("Number of layers, each smaller than the one before.")),
  KG_INPUT (Noise, lacunarity, NUMBER, .label = N_ ("Lacunarity"), .def = 2, .min = 1, .max = 8, .soft_max = 4,
            .shown_when = "sum=fractal|turbulence|ridged",
            .help = N_ ("Size of each layer relative to the next one: 2 halves it.")),
  KG_INPUT (Noise, roughness, NUMBER, .label = N_ ("Roughness"), .def = 0.5, .min = 0, .max = 10, .soft_max = 1,
            .shown_when = "sum=fractal|turbulence|ridged",
            .help = N_ ("Strength of each octave relative to the previous one.")),
  KG_INPUT (Noise, evolution, NUMBER, .label = N_ ("Evolution"), .unit = KG_HERTZ, .def = 0.5, .min = 0, .max = 1e4,
            .soft_max = 5,
            .help = N_ ("How many times per second the pattern is smoothly replaced by another; 0 keeps it.")),
  KG_INPUT (Noise, drift, VECTOR, .label = N_ ("Drift"), .unit = KG_METRES_PER_SECOND,
            .help = N_ ("Velocity at which the pattern is carried along, as by a wind.")),
  KG_INPUT (Noise, curl, BOOLEAN, .label = N_ ("Curl"), .def = 1, .shown_when = "gives=vector",
            .help = N_ ("Makes swirls without sources: things mix but do not pile up.")),
  KG_INPUT (
      Noise, normalize, BOOLEAN, .label = N_ ("Normalise"),
      .help = N_ (
          "Brings the mean to 0 and three standard deviations to the amplitude, whatever the kind, the sum and the octaves.")),
  KG_INPUT (Noise, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Each number gives a different pattern.")),
  KG_OUTPUT (Noise, field, FIELD, .label = N_ ("Field"),
             .help = N_ ("Field for the forces of a simulation, for a deformation, or to be sampled as an attribute.")),
};

KG_NODE (
    field, noise, Noise, .label = N_ ("Noise"), .version = 1, .since = "0.1",
    .tags = N_ (
        "turbulence force senoise perlin simplex worley cellular voronoi fractal ridged value curl random wind smoke texture"),
    .formula = "fractal: Σ rᵏ n(lᵏ p/size); turbulence: Σ rᵏ |n|; ridged: Σ rᵏ (1 − |n|)²; k = 0 … octaves − 1\n"
               "value: Catmull-Rom splines through V[P(i + P(j + P(k)))]; cells: distances of the nearest points\n"
               "gradient: Σ of corners, w · g · (p − corner), w from 6t⁵ − 15t⁴ + 10t³; curl: ∇ × (n₁, n₂, n₃)",
    .source =
        "Parent, Computer Animation, B.5.1; Perlin 1985, 2001 and 2002; Worley 1996; Gustavson 2005; "
        "Musgrave in Ebert and others, Texturing and Modeling, 2003; Bridson, Hourihan and Nordenstam 2007 (curl)",
    .help = N_ (
        "Creates irregular patterns that change over time: swirls that make smoke curl and snow wander, hills and mountains, the grain of stone and wood, cracks and cells."));
