/* value/random: a number that luck has drawn.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-random.h"

typedef struct {
  int64_t seed;
  int64_t index;
  double low;
  double high;
  double number;
  KgVector direction;
} Random;

static bool
random_evaluate (Random *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->number = kg_lerp (n->low, n->high, kg_random_uniform ((uint64_t) n->seed, (uint64_t) n->index, 0));
  n->direction = kg_random_direction ((uint64_t) n->seed, (uint64_t) n->index, 1);
  return true;
}

static const KgSlot random_slots[] = {
  KG_INPUT (Random, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("The same seed and number always give the same result.")),
  KG_INPUT (Random, index, INTEGER, .label = N_ ("Number"), .min = -1e9, .max = 1e9, .soft_max = 100,
            .help = N_ ("Index of the random value: link a frame number for a new one at each frame.")),
  KG_INPUT (Random, low, NUMBER, .label = N_ ("Low"), .help = N_ ("Smallest value.")),
  KG_INPUT (Random, high, NUMBER, .label = N_ ("High"), .def = 1, .help = N_ ("Largest value.")),
  KG_OUTPUT (Random, number, NUMBER, .label = N_ ("Number"),
             .help = N_ ("Random number, uniform between Low and High.")),
  KG_OUTPUT (Random, direction, VECTOR, .label = N_ ("Direction"),
             .help = N_ ("Random vector of length 1, uniform over all directions.")),
};

KG_NODE (
    value, random, Random, .label = N_ ("Random"), .version = 1, .since = "0.1",
    .tags = N_ ("chance luck noise seed dice"),
    .help = N_ ("Generates a random number and a random direction, the same ones every time the graph is evaluated."));
