/* ani_timing: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/ani_timing.h"

#include <math.h>
#include <string.h>

/* One half of a timing: s = start + rate W((t - from) / span), or mirrored, or straight. */
typedef struct {
  double from, span; /* x = (t - from) / span; a negative span counts back from the end */
  double start;      /* where x is 0 */
  double rate;       /* of W; of x where it is straight */
  bool ramp;
} Half;

double
ani_timing_get_usual_cut (AniKind kind)
{
  static const double cuts[ANI_N_KINDS] = {
    [ANI_STEADY] = 0.5, [ANI_SMOOTH] = 0.5, [ANI_SLOWIN] = 1, [ANI_SLOWOUT] = 0
  };

  return cuts[kind];
}

/* The derivative of order k of the way W. */
static double
differentiate_way (AniProfile profile, double x, unsigned k)
{
  const double half = 0.5 * KG_PI;

  if (profile == ANI_SINE) {
    const double angle = half * x, power = pow (half, (double) k - 1);

    switch (k % 4) {
    case 0:
      return k == 0 ? (1 - cos (angle)) / half : -power * cos (angle);
    case 1:
      return power * sin (angle);
    case 2:
      return power * cos (angle);
    default:
      return -power * sin (angle);
    }
  }
  switch (k) {
  case 0:
    return profile == ANI_PARABOLIC ? 0.5 * x * x : x * x * (1 - x / 3);
  case 1:
    return profile == ANI_PARABOLIC ? x : x * (2 - x);
  case 2:
    return profile == ANI_PARABOLIC ? 1 : 2 - 2 * x;
  case 3:
    return profile == ANI_PARABOLIC ? 0 : -2;
  default:
    return 0;
  }
}

static double
get_mean (AniProfile profile)
{
  return profile == ANI_PARABOLIC ? 0.5 : profile == ANI_CUBIC ? 2.0 / 3 : 2 / KG_PI;
}

static Half
find_half (const AniTiming *timing, double t)
{
  const double c = timing->cut, m = get_mean (timing->profile);
  double speed;

  switch (timing->kind) {
  case ANI_SMOOTH:
    if (t < c)
      return (Half){ .from = 0, .span = c, .start = 0, .rate = c / m, .ramp = true };
    if (c < 1)
      return (Half){ .from = 1, .span = c - 1, .start = 1, .rate = (c - 1) / m, .ramp = true };
    return (Half){ .from = 1, .span = 1, .start = 1 };
  case ANI_SLOWIN:
    speed = 1 / (m * c + 1 - c);
    if (t < c)
      return (Half){ .from = 0, .span = c, .start = 0, .rate = speed * c, .ramp = true };
    return (Half){ .from = 1, .span = 1, .start = 1, .rate = speed };
  case ANI_SLOWOUT:
    speed = 1 / (c + m * (1 - c));
    if (t < c || c >= 1)
      return (Half){ .from = 0, .span = 1, .start = 0, .rate = speed };
    return (Half){ .from = 1, .span = c - 1, .start = 1, .rate = speed * (c - 1), .ramp = true };
  case ANI_STEADY:
  default:
    return (Half){ .from = 0, .span = 1, .start = 0, .rate = 1 };
  }
}

/* The derivative of order k by t. */
static double
differentiate_half (const Half *half, AniProfile profile, double t, unsigned k)
{
  const double x = (t - half->from) / half->span;

  if (half->ramp)
    return (k == 0 ? half->start : 0) + half->rate * differentiate_way (profile, x, k) / pow (half->span, k);
  return k == 0 ? half->start + half->rate * x : k == 1 ? half->rate / half->span : 0;
}

double
ani_timing_evaluate (const AniTiming *timing, double t, double *speed, double *acceleration)
{
  const Half half = find_half (timing, t);

  *speed = differentiate_half (&half, timing->profile, t, 1);
  *acceleration = differentiate_half (&half, timing->profile, t, 2);
  return t <= 0 ? 0 : t >= 1 ? 1 : differentiate_half (&half, timing->profile, t, 0);
}

unsigned
ani_timing_count_coefficients (AniProfile profile)
{
  return profile == ANI_SINE ? ANI_MAX_COEFFICIENTS : 4;
}

void
ani_timing_expand (const AniTiming *timing, double low, double high, double *coefficients)
{
  const Half half = find_half (timing, 0.5 * (low + high));
  double factor = 1;

  for (unsigned k = 0; k < ani_timing_count_coefficients (timing->profile); k++) {
    coefficients[k] = factor * differentiate_half (&half, timing->profile, low, k);
    factor *= (high - low) / (k + 1);
  }
}
