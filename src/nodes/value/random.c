/* value/random: numbers and places drawn by chance.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/vectors.h"
#include "kg-node.h"

#include "kg-random.h"
#include "value/distribution.h"
#include "value/lagged_random.h"

#include <inttypes.h>

typedef struct {
  int generator;
  int64_t seed;
  const char *seed_text;
  int64_t index;
  int distribution;
  double low;
  double high;
  double mode;
  double mean;
  double deviation;
  double rate;
  double probability;
  double radius;
  KgVector axis;
  double angle;
  double number;
  int64_t integer;
  KgVector direction;
  KgVector point;
} Random;

enum { GENERATOR_HASH, GENERATOR_TEXTBOOK, GENERATOR_HALTON, GENERATOR_R2, N_GENERATORS };
enum {
  DISTRIBUTION_UNIFORM,
  DISTRIBUTION_INTEGER,
  DISTRIBUTION_NORMAL,
  DISTRIBUTION_EXPONENTIAL,
  DISTRIBUTION_TRIANGULAR,
  DISTRIBUTION_POISSON,
  DISTRIBUTION_SIGN,
  DISTRIBUTION_BALL,
  DISTRIBUTION_DISC,
  DISTRIBUTION_CONE,
  N_DISTRIBUTIONS
};

#define MAX_SKIP 10000000 /* draws of the textbook's generator: some hundredths of a second */

static const KgChoice random_generators[] = {
  [GENERATOR_HASH] = { "hash", N_ ("Hash of seed and number") },
  [GENERATOR_TEXTBOOK] = { "textbook", N_ ("Lagged Fibonacci, as printed in the textbook") },
  [GENERATOR_HALTON] = { "halton", N_ ("Halton: spread evenly") },
  [GENERATOR_R2] = { "r2", N_ ("Roberts' R2: spread evenly over a plane") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (random_generators, N_GENERATORS);

static const KgChoice random_distributions[] = {
  [DISTRIBUTION_UNIFORM] = { "uniform", N_ ("Uniform between Low and High") },
  [DISTRIBUTION_INTEGER] = { "integer", N_ ("Integer from Low to High, as a die") },
  [DISTRIBUTION_NORMAL] = { "normal", N_ ("Normal: most near the mean") },
  [DISTRIBUTION_EXPONENTIAL] = { "exponential", N_ ("Exponential: time until the next event") },
  [DISTRIBUTION_TRIANGULAR] = { "triangular", N_ ("Triangular: most near the mode") },
  [DISTRIBUTION_POISSON] = { "poisson", N_ ("Poisson: number of events") },
  [DISTRIBUTION_SIGN] = { "sign", N_ ("1 or −1, as a coin") },
  [DISTRIBUTION_BALL] = { "ball", N_ ("Point in a ball") },
  [DISTRIBUTION_DISC] = { "disc", N_ ("Point in a disc") },
  [DISTRIBUTION_CONE] = { "cone", N_ ("Direction in a cone") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (random_distributions, N_DISTRIBUTIONS);

/* One source of uniform numbers for either generator. */
typedef struct {
  LaggedRandom lagged;
  int generator;
  uint64_t seed, index, counter;
  guint dimension; /* of a spread: each draw is another coordinate of the same point */
} Draws;

static double
draws_next (gpointer data)
{
  Draws *draws = (Draws *) data;

  if (draws->generator == GENERATOR_TEXTBOOK)
    return lagged_random_draw (&draws->lagged) / (double) LAGGED_RANDOM_END;
  if (draws->generator != GENERATOR_HASH && draws->dimension < SPREAD_DIMENSIONS) {
    const guint dimension = draws->dimension++;
    const double x = draws->generator == GENERATOR_R2 && dimension < 2
                         ? distribution_get_r2 (draws->index + 1, dimension)
                         : distribution_get_halton (draws->index + 1, dimension);
    /* Another seed shifts all points by the same step, round and round; 0 leaves them. */
    const double shifted = draws->seed == 0 ? x : x + kg_random_uniform (draws->seed, 0, 100 + dimension);

    return shifted - floor (shifted);
  }
  return kg_random_uniform (draws->seed, draws->index, draws->counter++);
}

static bool
random_begin (const Random *n, Draws *draws, GError **error)
{
  /* The plain number is drawn with counter 0, the direction with 2 and 3. */
  *draws = (Draws){ .generator = n->generator,
                    .seed = (uint64_t) n->seed,
                    .index = (uint64_t) n->index,
                    .counter = n->distribution == DISTRIBUTION_UNIFORM ? 0 : 16 };
  if (n->index < 0 && (n->generator == GENERATOR_HALTON || n->generator == GENERATOR_R2)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the number is %" PRId64 ": an even spread begins with number 0",
                  n->index);
    return false;
  }
  if (n->generator != GENERATOR_TEXTBOOK)
    return true;
  if (n->index < 0 || n->index > MAX_SKIP) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the number is %" PRId64
                  ": the textbook's generator draws one number after the other, from number 0 to %d",
                  n->index, MAX_SKIP);
    return false;
  }
  if (!lagged_random_init (&draws->lagged, n->seed_text, error))
    return false;
  for (int64_t i = 0; i < n->index; i++)
    lagged_random_draw (&draws->lagged);
  return true;
}

/* From low to high, all equally likely. */
static bool
random_draw_integer (Random *n, Draws *draws, GError **error)
{
  const double low = ceil (fmin (n->low, n->high)), high = floor (fmax (n->low, n->high)), range = high - low + 1;
  const double limit = draws->generator == GENERATOR_TEXTBOOK ? LAGGED_RANDOM_END : 0x1p53;

  if (!(range >= 1) || !(range <= limit) || !(fabs (low) <= 0x1p53) || !(fabs (high) <= 0x1p53)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  range >= 1 ? N_ ("there are too many integers from %g to %g: bring Low and High closer together")
                             : N_ ("there is no integer from %g to %g: move Low and High apart"),
                  n->low, n->high);
    return false;
  }
  if (draws->generator == GENERATOR_HALTON || draws->generator == GENERATOR_R2) {
    n->integer = (int64_t) (low + floor (draws_next (draws) * range));
  } else if (draws->generator == GENERATOR_TEXTBOOK) {
    /* As printed: the remainder, which favours small numbers by at most one in 10⁹/range. */
    n->integer = (int64_t) low + lagged_random_draw (&draws->lagged) % (int64_t) range;
  } else {
    const uint64_t count = (uint64_t) range, end = UINT64_MAX - UINT64_MAX % count;
    uint64_t bits;

    /* Draws beyond the last whole multiple are drawn again. */
    do
      bits = kg_random_bits (draws->seed, draws->index, draws->counter++);
    while (bits >= end);
    n->integer = (int64_t) low + (int64_t) (bits % count);
  }
  n->number = (double) n->integer;
  return true;
}

static bool
random_draw_number (Random *n, const DistributionSource *source, GError **error)
{
  switch (n->distribution) {
  case DISTRIBUTION_NORMAL:
    n->number = distribution_draw_normal (source, n->mean, n->deviation);
    return true;
  case DISTRIBUTION_EXPONENTIAL:
    if (!(n->rate > 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the rate is %g per second: it must be above 0", n->rate);
      return false;
    }
    n->number = distribution_draw_exponential (source, n->rate);
    return true;
  case DISTRIBUTION_TRIANGULAR: {
    const double low = fmin (n->low, n->high), high = fmax (n->low, n->high);

    if (!(n->mode >= low && n->mode <= high)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the mode is %g: it must be from Low, %g, to High, %g", n->mode, low,
                    high);
      return false;
    }
    n->number = distribution_draw_triangular (source, low, n->mode, high);
    return true;
  }
  case DISTRIBUTION_POISSON:
    n->number = (double) distribution_draw_poisson (source, n->mean);
    return true;
  case DISTRIBUTION_SIGN:
    n->number = source->draw (source->data) < n->probability ? 1 : -1;
    return true;
  case DISTRIBUTION_UNIFORM:
  default:
    n->number = kg_lerp (fmin (n->low, n->high), fmax (n->low, n->high), source->draw (source->data));
    return true;
  }
}

static bool
random_draw_place (Random *n, const DistributionSource *source, GError **error)
{
  KgVector axis = { 0, 0, 1 };

  if (n->distribution != DISTRIBUTION_BALL && !vectors_normalize (n->axis, &axis)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the axis is zero: give it a direction");
    return false;
  }
  n->point = n->distribution == DISTRIBUTION_BALL   ? distribution_draw_in_ball (source, n->radius)
             : n->distribution == DISTRIBUTION_DISC ? distribution_draw_in_disc (source, n->radius, axis)
                                                    : distribution_draw_in_cone (source, n->angle, axis);
  n->number = vectors_get_length (n->point);
  if (n->distribution == DISTRIBUTION_CONE)
    n->direction = n->point;
  return true;
}

static bool
random_evaluate (Random *n, const KgContext *ctx, GError **error)
{
  Draws draws;
  const DistributionSource source = { draws_next, &draws };

  n->direction = kg_random_direction ((uint64_t) n->seed, (uint64_t) n->index, 1);
  if (!random_begin (n, &draws, error))
    return false;
  if (n->low > n->high && (n->distribution == DISTRIBUTION_UNIFORM || n->distribution == DISTRIBUTION_INTEGER ||
                           n->distribution == DISTRIBUTION_TRIANGULAR))
    kg_context_warn (ctx, "Low is %g and High is %g: they are swapped", n->low, n->high);
  if (n->distribution == DISTRIBUTION_INTEGER)
    return random_draw_integer (n, &draws, error);
  if (n->distribution == DISTRIBUTION_POISSON && !(n->mean >= 0 && n->mean <= 1e9)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the mean is %g: a number of events needs a mean from 0 to 1e9",
                  n->mean);
    return false;
  }
  if (n->distribution >= DISTRIBUTION_BALL ? !random_draw_place (n, &source, error)
                                           : !random_draw_number (n, &source, error))
    return false;
  n->integer = (int64_t) kg_clamp (floor (n->number), -0x1p62, 0x1p62);
  return true;
}

static const KgSlot random_slots[] = {
  KG_INPUT (
      Random, generator, CHOICE, .label = N_ ("Generator"), .choices = random_generators,
      .help = N_ (
          "Source of the random numbers: a hash computes any number directly, the textbook's generator one after the "
          "other. An even spread is not random: its numbers keep clear of each other, so that points in a disc or a "
          "ball neither clump nor leave gaps.")),
  KG_INPUT (Random, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("The same seed and number always give the same result.")),
  KG_INPUT (Random, seed_text, TEXT, .label = N_ ("Seed text"), .def_text = "kineograph",
            .shown_when = "generator=textbook",
            .help = N_ ("Seed of the textbook's generator: up to 85 plain characters.")),
  KG_INPUT (Random, index, INTEGER, .label = N_ ("Number"), .min = -1e9, .max = 1e9, .soft_max = 100,
            .help = N_ ("Index of the random value: link a frame number for a new one at each frame.")),
  KG_INPUT (Random, distribution, CHOICE, .label = N_ ("Distribution"), .choices = random_distributions,
            .help = N_ ("Which values are likely.")),
  KG_INPUT (Random, low, NUMBER, .label = N_ ("Low"), .shown_when = "distribution=uniform|integer|triangular",
            .help = N_ ("Smallest value.")),
  KG_INPUT (Random, high, NUMBER, .label = N_ ("High"), .def = 1,
            .shown_when = "distribution=uniform|integer|triangular", .help = N_ ("Largest value.")),
  KG_INPUT (Random, mode, NUMBER, .label = N_ ("Mode"), .def = 0.5, .shown_when = "distribution=triangular",
            .help = N_ ("The most likely value.")),
  KG_INPUT (Random, mean, NUMBER, .label = N_ ("Mean"), .def = 1, .shown_when = "distribution=normal|poisson",
            .help = N_ ("Mean of the values.")),
  KG_INPUT (Random, deviation, NUMBER, .label = N_ ("Deviation"), .def = 1, .min = 0, .max = 1e150, .soft_max = 10,
            .shown_when = "distribution=normal",
            .help = N_ ("Standard deviation: two thirds of the values lie within this distance of the mean.")),
  KG_INPUT (Random, rate, NUMBER, .label = N_ ("Rate"), .unit = KG_HERTZ, .def = 1, .min = 0, .max = 1e9,
            .soft_max = 100, .shown_when = "distribution=exponential",
            .help = N_ ("Events per second; the mean of the values is 1 over it.")),
  KG_INPUT (Random, probability, NUMBER, .label = N_ ("Probability"), .unit = KG_PERCENT, .def = 0.5, .min = 0,
            .max = 1, .shown_when = "distribution=sign", .help = N_ ("Probability of 1.")),
  KG_INPUT (Random, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 1, .min = 0, .max = 1e9,
            .soft_max = 10, .shown_when = "distribution=ball|disc",
            .help = N_ ("Radius of the ball or disc around the origin.")),
  KG_INPUT (Random, axis, VECTOR, .label = N_ ("Axis"), .def_v = { 0, 1, 0 }, .shown_when = "distribution=disc|cone",
            .help = N_ ("Axis of the cone, or of the disc, which is perpendicular to it.")),
  KG_INPUT (Random, angle, NUMBER, .label = N_ ("Angle"), .unit = KG_DEGREES, .def = 30, .min = 0, .max = 180,
            .shown_when = "distribution=cone", .help = N_ ("Angle between the axis of the cone and its side.")),
  KG_OUTPUT (Random, number, NUMBER, .label = N_ ("Number"),
             .help = N_ ("Random number; for points their distance from the origin.")),
  KG_OUTPUT (Random, integer, INTEGER, .label = N_ ("Integer"), .help = N_ ("The number, rounded down.")),
  KG_OUTPUT (Random, direction, VECTOR, .label = N_ ("Direction"),
             .help = N_ ("Random vector of length 1, uniform over all directions, or over those of the cone.")),
  KG_OUTPUT (Random, point, VECTOR, .label = N_ ("Point"), .unit = KG_METRES,
             .help = N_ ("Random point in the ball or disc, or the end of the direction in the cone.")),
};

KG_NODE (
    value, random, Random, .label = N_ ("Random"), .version = 1, .since = "0.1",
    .tags = N_ ("chance luck noise seed dice coin normal gauss exponential poisson distribution"),
    .formula =
        "normal: μ + σ √(−2 ln(1 − u)) cos 2πv; exponential: −ln(1 − u)/λ; ball: R ∛u; disc: R √u; cone: cos θ = 1 − u(1 − cos α)\n"
        "textbook: xₙ = (xₙ₋₅₅ − xₙ₋₂₄) mod 10⁹, shuffled",
    .source = "Parent, Computer Animation, B.5.2; Box and Muller 1958; Hörmann 1993 (Poisson)",
    .help = N_ (
        "Generates a random number and a random direction, the same ones every time the graph is evaluated, with the distribution that dice, crowds, raindrops or sparks need."));
