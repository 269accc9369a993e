/* inbetween: patches and correspondences.
 * Sources: Reeves, Inbetweening for computer animation utilizing moving point constraints, 1981; Coons 1967; Parent,
 * Computer Animation, 3.5.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "morph/inbetween.h"

KgVector
inbetween_key_get (const InbetweenKey *key, double sigma)
{
  double at = sigma + key->offset;

  if (curve_is_closed (key->curve) && (at < 0 || at > 1))
    at -= floor (at);
  if (key->by_length)
    return curve_evaluate (key->curve, curve_get_parameter (key->curve, at * curve_get_length (key->curve)), 0);
  return curve_evaluate (key->curve, at * curve_get_n_segments (key->curve), 0);
}

static double
ease (double x)
{
  return x * x * (3 - 2 * x);
}

static KgVector
hermite (KgVector p, KgVector q, KgVector out, KgVector in, double x)
{
  const double x2 = x * x, x3 = x2 * x;

  return kg_vector_add (kg_vector_add (kg_vector_scale (p, 2 * x3 - 3 * x2 + 1), kg_vector_scale (q, 3 * x2 - 2 * x3)),
                        kg_vector_add (kg_vector_scale (out, x3 - 2 * x2 + x), kg_vector_scale (in, x3 - x2)));
}

KgVector
inbetween_patch_get (const InbetweenPatch *patch, InbetweenBlend blend, double sigma, double tau)
{
  const KgVector a = patch->side (patch->data, 0, tau), b = patch->side (patch->data, 1, tau);
  const double s = blend == INBETWEEN_CUBIC ? ease (sigma) : sigma, t = blend == INBETWEEN_CUBIC ? ease (tau) : tau;
  KgVector along, across, corners;

  if (blend == INBETWEEN_HERMITE && patch->tangent != NULL)
    return hermite (a, b, kg_vector_lerp (patch->tangent (patch->data, 0, 0), patch->tangent (patch->data, 1, 0), tau),
                    kg_vector_lerp (patch->tangent (patch->data, 0, 1), patch->tangent (patch->data, 1, 1), tau),
                    sigma);
  along = kg_vector_lerp (patch->key (patch->data, 0, sigma), patch->key (patch->data, 1, sigma), t);
  across = kg_vector_lerp (a, b, s);
  corners = kg_vector_lerp (kg_vector_lerp (patch->key (patch->data, 0, 0), patch->key (patch->data, 0, 1), s),
                            kg_vector_lerp (patch->key (patch->data, 1, 0), patch->key (patch->data, 1, 1), s), t);
  return kg_vector_subtract (kg_vector_add (along, across), corners);
}

double
inbetween_find_best_start (const InbetweenKey *a, const InbetweenKey *b, guint n)
{
  g_autofree KgVector *p = g_new (KgVector, n), *q = g_new (KgVector, n);
  double least = INFINITY;
  guint best = 0;

  for (guint i = 0; i < n; i++) {
    p[i] = inbetween_key_get (a, (double) i / n);
    q[i] = inbetween_key_get (b, (double) i / n);
  }
  for (guint shift = 0; shift < n; shift++) {
    double sum = 0;

    for (guint i = 0; i < n; i++) {
      const KgVector d = kg_vector_subtract (q[(i + shift) % n], p[i]);

      sum += kg_vector_dot (d, d);
    }
    if (sum < least) {
      least = sum;
      best = shift;
    }
  }
  return (double) best / n;
}
