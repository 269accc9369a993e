/* light_match: the lamp of a photographed scene.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/light_match.h"

#include "geometry/symmetric_matrix.h"

/* Eigenvalues below this share of the largest count as 0. */
#define FLAT 1e-9
#define CHECK_EVERY 65536

/* Relative luminance (ITU-R BT.709), of doubles. */
static double
get_luminance (const double *c)
{
  return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}

/* Of what is above the ambient level; negative where the sample is not to be used. */
static double
get_lit (const LightSample *sample, const LightMatchLimits *limits, bool *clipped)
{
  const double brightness = get_luminance (sample->brightness) - limits->ambient;

  *clipped = sample->brightness[0] >= limits->clip || sample->brightness[1] >= limits->clip ||
             sample->brightness[2] >= limits->clip;
  return !*clipped && brightness > limits->floor ? brightness : -1;
}

typedef struct {
  SymmetricMatrix normals; /* NᵀN */
  KgVector right;          /* NᵀI */
} Sums;

/* before (nullable): what it leaves in the dark is left out. */
static bool
sum_samples (const LightSample *samples, size_t n, const LightMatchLimits *limits, const KgVector *before, Sums *sums,
             LightMatch *match, const KgProgressMonitor *monitor)
{
  *sums = (Sums){ 0 };
  match->lit = match->clipped = 0;
  for (size_t i = 0; i < n; i++) {
    const KgVector m = samples[i].normal;
    bool clipped;
    const double lit = get_lit (&samples[i], limits, &clipped);

    if (i % CHECK_EVERY == 0 && kg_progress_is_cancelled (monitor))
      return false;
    match->clipped += clipped;
    if (lit < 0 || (before != NULL && !(kg_vector_dot (m, *before) > 0)))
      continue;
    sums->normals.xx += m.x * m.x;
    sums->normals.yy += m.y * m.y;
    sums->normals.zz += m.z * m.z;
    sums->normals.xy += m.x * m.y;
    sums->normals.xz += m.x * m.z;
    sums->normals.yz += m.y * m.z;
    sums->right = kg_vector_add (sums->right, kg_vector_scale (m, lit));
    match->lit++;
  }
  return true;
}

static guint
get_rank (const Sums *sums)
{
  double values[3];
  KgVector axes[3];
  guint rank = 0;

  symmetric_matrix_decompose (sums->normals, values, axes);
  for (int i = 0; i < 3; i++)
    rank += values[i] > FLAT * values[2];
  return rank;
}

/* The colour, given the direction, and what is left over. */
static void
finish (const LightSample *samples, size_t n, const LightMatchLimits *limits, LightMatch *match)
{
  size_t count = 0;
  double squares = 0, sums[3] = { 0 }, left = 0, strength;

  for (size_t i = 0; i < n; i++) {
    const double dot = kg_vector_dot (samples[i].normal, match->light);
    bool clipped;
    const double lit = get_lit (&samples[i], limits, &clipped);

    if (lit < 0 || !(dot > 0))
      continue;
    count++;
    squares += dot * dot;
    left += (lit - dot) * (lit - dot);
    for (int c = 0; c < 3; c++)
      sums[c] += dot * (samples[i].brightness[c] - limits->ambient);
  }
  match->residual = count > 0 ? sqrt (left / (double) count) : 0;
  for (int c = 0; c < 3; c++)
    match->color[c] = squares > 0 ? fmax (sums[c] / squares, 0) : 0;
  strength = get_luminance (match->color);
  for (int c = 0; c < 3; c++)
    match->color[c] = strength > 0 ? match->color[c] / strength : 1;
}

bool
light_match_solve (const LightSample *samples, size_t n, const LightMatchLimits *limits, LightMatch *match,
                   const KgProgressMonitor *monitor, GError **error)
{
  KgVector before = { 0, 0, 0 };
  SymmetricMatrix inverse;
  Sums sums;

  for (int pass = 0; pass < 2; pass++) {
    if (!sum_samples (samples, n, limits, pass > 0 ? &before : NULL, &sums, match, monitor))
      return false;
    if (match->lit < 3 || get_rank (&sums) < 3 || !symmetric_matrix_invert (sums.normals, &inverse)) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "%zu lit samples of %zu with normals of rank %u (%zu "
          "are clipped): at least 3 must be lit, with normals that are not in one plane; lower Ambient or Floor",
          match->lit, n, match->lit > 0 ? get_rank (&sums) : 0, match->clipped);
      return false;
    }
    before = match->light = symmetric_matrix_apply (inverse, sums.right);
  }
  finish (samples, n, limits, match);
  return true;
}

bool
light_match_shadow (KgVector foot, KgVector tip, KgVector up, double height, KgVector *direction)
{
  const KgVector way = kg_vector_subtract (kg_vector_add (foot, kg_vector_scale (up, height)), tip);

  if (!(height > 0) || !(kg_vector_length (kg_vector_subtract (foot, tip)) > 0)) {
    *direction = up;
    return false;
  }
  *direction = kg_vector_normalize_or (way, up);
  return true;
}
