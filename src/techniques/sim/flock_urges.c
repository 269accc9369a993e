/* flock_urges: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/flock_urges.h"

#include "kg-error.h"

/* Below this sum of what is given, the velocity of now has a say. */
#define LITTLE 0.05
/* The law of spacing is that of this share of the rest distance where members are closer. */
#define CLOSEST 0.2
/* Members are not pushed apart more than at this share of the separation distance. */
#define SEPARATION_CLOSEST 0.01

const char *const flock_urge_names[FLOCK_N_URGES] = { "avoid",  "separate", "match",  "center",
                                                      "rejoin", "migrate",  "follow", "slot" };

guint
flock_urges_parse (const char *text, FlockUrge order[FLOCK_N_URGES], GError **error)
{
  g_auto (GStrv) words = g_strsplit_set (text, " ,;\t\n", -1);
  bool taken[FLOCK_N_URGES] = { false };
  guint n = 0;

  for (char **word = words; *word != NULL; word++) {
    guint k = 0;

    if (**word == '\0')
      continue;
    while (k < FLOCK_N_URGES && !g_str_equal (*word, flock_urge_names[k]))
      k++;
    if (k == FLOCK_N_URGES) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "there is no urge \"%s\": use avoid, separate, match, center, rejoin, migrate, follow and slot",
                    *word);
      return 0;
    }
    if (taken[k]) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the urge \"%s\" occurs twice: name each once", *word);
      return 0;
    }
    taken[k] = true;
    order[n++] = (FlockUrge) k;
  }
  if (n == 0)
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "there are no urges in order of priority: name at least one, such as avoid");
  return n;
}

/* Σ c V / Σ c, or v + Σ c (V - v). */
static KgVector
mix (const FlockCouncil *council, const FlockWish *wishes, KgVector v, double *given)
{
  KgVector change = { 0, 0, 0 };
  double sum = 0;

  for (guint i = 0; i < council->n; i++) {
    const FlockUrge k = council->order[i];

    given[k] = wishes[k].strength;
    sum += given[k];
    change = kg_vector_add_scaled (change, given[k], kg_vector_subtract (wishes[k].velocity, v));
  }
  if (!(sum > 0))
    return v;
  return kg_vector_add_scaled (v, council->how == FLOCK_SUM ? 1 : 1 / sum, change);
}

static KgVector
allocate (const FlockCouncil *council, const FlockWish *wishes, KgVector v, double *given)
{
  KgVector wanted = { 0, 0, 0 };
  double left = council->budget, sum = 0;

  for (guint i = 0; i < council->n; i++) {
    const FlockUrge k = council->order[i];

    given[k] = fmin (wishes[k].strength, left);
    left -= given[k];
    sum += given[k];
    wanted = kg_vector_add_scaled (wanted, given[k], wishes[k].velocity);
  }
  if (!(sum > 0))
    return v;
  wanted = kg_vector_scale (wanted, 1 / sum);
  return sum < LITTLE ? kg_vector_lerp (v, wanted, sum / LITTLE) : wanted;
}

static KgVector
accelerate (const FlockCouncil *council, const FlockWish *wishes, KgVector v, double *given)
{
  double left = council->budget * council->max_acceleration;
  KgVector a = { 0, 0, 0 };

  for (guint i = 0; i < council->n; i++) {
    const FlockUrge k = council->order[i];
    const KgVector asked =
        kg_vector_scale (kg_vector_subtract (wishes[k].velocity, v), wishes[k].urgency / council->response);
    const double length = kg_vector_length (asked);

    if (!(wishes[k].strength > 0) || !(length > 0))
      continue;
    given[k] = fmin (length, left);
    left -= given[k];
    a = kg_vector_add_scaled (a, given[k] / length, asked);
  }
  return kg_vector_add_scaled (v, council->response, a);
}

KgVector
flock_negotiate (const FlockCouncil *council, const FlockWish wishes[FLOCK_N_URGES], KgVector v,
                 double given[FLOCK_N_URGES])
{
  for (int k = 0; k < FLOCK_N_URGES; k++)
    given[k] = 0;
  if (council->how == FLOCK_PRIORITY)
    return allocate (council, wishes, v, given);
  if (council->how == FLOCK_ACCELERATION)
    return accelerate (council, wishes, v, given);
  return mix (council, wishes, v, given);
}

KgVector
flock_separate_pair (KgVector d, KgVector toward, double radius, double power, double strength)
{
  const double length = kg_vector_length (d);
  const double l = fmax (length, SEPARATION_CLOSEST * radius);
  const KgVector unit = length > FLOCK_SAME_PLACE ? kg_vector_scale (d, 1 / length) : toward;

  if (!(length < radius))
    return kg_vector (0, 0, 0);
  return kg_vector_scale (unit, -strength * ((power == 2 ? radius / l * (radius / l) : pow (radius / l, power)) - 1));
}

KgVector
flock_space_pair (KgVector d, KgVector toward, double rest, double strength)
{
  const double length = kg_vector_length (d);
  const double q = rest / fmax (length, CLOSEST * rest);
  const KgVector unit = length > FLOCK_SAME_PLACE ? kg_vector_scale (d, 1 / length) : toward;

  return kg_vector_scale (unit, -strength * (q * q * q - q * q));
}

KgVector
flock_limit_acceleration (const FlockGovernors *governors, KgVector a, KgVector heading)
{
  const double along = kg_vector_dot (a, heading);
  double length;

  if (along > 0 && governors->max_thrust > 0)
    a = kg_vector_add_scaled (a, fmin (along, governors->max_thrust) - along, heading);
  else if (along < 0 && governors->max_brake > 0)
    a = kg_vector_add_scaled (a, fmax (along, -governors->max_brake) - along, heading);
  length = kg_vector_length (a);
  return length > governors->max_acceleration ? kg_vector_scale (a, governors->max_acceleration / length) : a;
}

KgVector
flock_limit_velocity (const FlockGovernors *governors, KgVector v, KgVector wanted, KgVector heading, double dt)
{
  const KgVector before = kg_vector_normalize_or (v, heading);
  const double most = governors->max_turn * dt;
  double speed = kg_vector_length (wanted);
  KgVector along = speed > FLOCK_SAME_PLACE ? kg_vector_scale (wanted, 1 / speed) : before;
  const double sine = kg_vector_length (kg_vector_cross (before, along)), cosine = kg_vector_dot (before, along);

  if (most < KG_PI && atan2 (sine, cosine) > most) {
    /* Straight back: to the left, as level as it can. */
    const KgVector side = kg_vector_add_scaled (along, -cosine, before);
    const KgVector across = sine > 1e-9 ? kg_vector_scale (side, 1 / kg_vector_length (side))
                                        : kg_vector_normalize_or (kg_vector_cross (kg_vector (0, 1, 0), before),
                                                                  kg_vector_perpendicular (before));

    along = kg_vector_add_scaled (kg_vector_scale (before, cos (most)), sin (most), across);
  }
  speed = kg_clamp (speed, governors->min_speed, governors->max_speed);
  return kg_vector_scale (along, speed);
}
