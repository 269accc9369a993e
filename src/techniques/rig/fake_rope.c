/* fake_rope: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/fake_rope.h"

/* Level distance, as a share of the length, below which the strands hang side by side. */
#define FOLDED 1e-6
/* Slack below which the rope is straight. */
#define TAUT 1e-9

/* The a of a catenary over a level distance: 2 a sinh (level / 2a) = chord, chord > level. */
static double
solve_catenary (double level, double chord)
{
  /* With x = level / 2a: sinh x / x = chord / level. */
  const double ratio = chord / level;
  double x = ratio < 3 ? sqrt (6 * (ratio - 1)) : log (2 * ratio) + log (log (2 * ratio));

  for (int i = 0; i < 60; i++) {
    const double f = sinh (x) - ratio * x, slope = cosh (x) - ratio;
    const double next = x - f / slope;

    if (!(next > 0) || !isfinite (next))
      break;
    if (fabs (next - x) <= 1e-16 * x)
      return level / (2 * next);
    x = next;
  }
  return level / (2 * x);
}

void
hanging_rope_init (HangingRope *rope, KgVector start, KgVector end, double length, KgVector gravity)
{
  const KgVector chord = kg_vector_subtract (end, start);
  const double distance = kg_vector_length (chord);
  KgVector level;

  *rope = (HangingRope){ .start = start, .length = length };
  rope->down = kg_vector_normalize_or (gravity, kg_vector (0, 0, 0));
  rope->drop = -kg_vector_dot (chord, rope->down);
  level = kg_vector_add_scaled (chord, rope->drop, rope->down);
  rope->level = kg_vector_length (level);
  rope->along = kg_vector_normalize_or (level, kg_vector (0, 0, 0));
  if (!(length > distance * (1 + TAUT)) || !(kg_vector_length (gravity) > 0)) {
    rope->taut = true;
    rope->along = chord;
    return;
  }
  if (!(rope->level > FOLDED * length))
    return;
  rope->a = solve_catenary (rope->level, sqrt (length * length - rope->drop * rope->drop));
  rope->lowest = 0.5 * rope->level - rope->a * atanh (rope->drop / length);
}

KgVector
hanging_rope_get_point (const HangingRope *rope, double share)
{
  double x, y;

  if (rope->taut)
    return kg_vector_add_scaled (rope->start, share, rope->along);
  if (rope->a > 0) {
    x = rope->lowest + rope->a * asinh (share * rope->length / rope->a + sinh (-rope->lowest / rope->a));
    y = rope->a * (cosh ((x - rope->lowest) / rope->a) - cosh (rope->lowest / rope->a));
  } else {
    const double s = share * rope->length, turn = 0.5 * (rope->length - rope->drop);

    x = share * rope->level;
    y = s < turn ? -s : s - 2 * turn;
  }
  return kg_vector_add_scaled (kg_vector_add_scaled (rope->start, x, rope->along), -y, rope->down);
}

double
hanging_rope_get_tension (const HangingRope *rope)
{
  if (rope->taut)
    return 0;
  if (!(rope->a > 0))
    return 0.5 * (rope->length + fabs (rope->drop));
  return rope->a * cosh (fmax (fabs (rope->lowest), fabs (rope->level - rope->lowest)) / rope->a);
}

double
plucked_string_get (double at, double share, double seconds, double speed, double length, double decay, uint32_t modes)
{
  double sum = 0;

  if (!(at > 0 && at < 1) || seconds < 0 || !(length > 0))
    return 0;
  for (uint32_t k = 1; k <= modes; k++) {
    const double wave = k * KG_PI;

    sum += 2 * sin (wave * at) / (wave * wave * at * (1 - at)) * sin (wave * share) *
           cos (wave * speed * seconds / length) * exp (-decay * k * seconds);
  }
  return sum;
}

double
coil_get_radius (double wire, double length, double turns, double width)
{
  const double along = fmax (length, turns * width);

  return wire > along && turns > 0 ? sqrt (wire * wire - along * along) / (2 * KG_PI * turns) : 0;
}
