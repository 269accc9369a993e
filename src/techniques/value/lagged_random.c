/* lagged_random: the generator of random numbers that the textbook prints.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "value/lagged_random.h"

/* a - b, taken into the range of the draws. */
static int32_t
subtract (int32_t a, int32_t b)
{
  return a - b < 0 ? a - b + LAGGED_RANDOM_END : a - b;
}

bool
lagged_random_init (LaggedRandom *random, const char *seed, GError **error)
{
  const size_t length = strlen (seed);
  char text[99];

  if (length > LAGGED_RANDOM_MAX_SEED) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the text of the seed has %zu bytes: use at most %d", length,
                  LAGGED_RANDOM_MAX_SEED);
    return false;
  }
  /* Larger codes would exceed the range of the table. */
  for (size_t i = 0; i < length; i++)
    if ((unsigned char) seed[i] > 122) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "byte %zu of the seed has the code %u: use plain letters, digits and signs, with codes up to 122",
                    i + 1, (unsigned) (unsigned char) seed[i]);
      return false;
    }
  memset (text, 'Q', sizeof text);
  memcpy (text, "aEbFcGdHeI", 10);
  memcpy (text + 10, seed, length);
  for (int n = 1; n <= 97; n++)
    random->r[n] = 8171717 * text[n] + 997 * n;
  random->r[0] = 0;
  random->i = 97;
  random->j = 12;
  for (int k = 0; k < 997; k++) {
    random->r[random->i] = subtract (random->r[random->i], random->r[random->j]);
    if (--random->i == 0)
      random->i = 97;
    if (--random->j == 0)
      random->j = 97;
  }
  random->i = 55;
  random->j = 24;
  random->memory = 77;
  return true;
}

int32_t
lagged_random_draw (LaggedRandom *random)
{
  const int32_t t = subtract (random->r[random->i], random->r[random->j]);
  int k;

  random->r[random->i] = t;
  if (--random->i == 0)
    random->i = 55;
  if (--random->j == 0)
    random->j = 55;
  k = random->memory % 42 + 56;
  random->memory = random->r[k];
  random->r[k] = t;
  return random->memory;
}
