/* solid_algebra: bodies that scalar fields stand for, joined, cut and intersected.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/solid_algebra.h"

/* Of the gradients of fields that do not know theirs, metres. */
#define GRADIENT_STEP 1e-3

enum { OPERATION, POWER, N_PARAMETERS };

double
solid_algebra_combine (SolidOperation operation, double p, double h, double k, double *by_h, double *by_k)
{
  double value, dh = 0, dk = 0;

  switch (operation) {
  case SOLID_UNION:
  case SOLID_INTERSECTION:
    dh = (operation == SOLID_UNION) == (h >= k);
    dk = 1 - dh;
    value = dh > 0 ? h : k;
    break;
  case SOLID_DIFFERENCE:
    dh = h <= 2 - k;
    dk = dh - 1;
    value = dh > 0 ? h : 2 - k;
    break;
  case SOLID_RICCI_UNION: {
    const double a = MAX (h, 0), b = MAX (k, 0), largest = MAX (a, b);

    value = largest > 0 ? largest * pow (pow (a / largest, p) + pow (b / largest, p), 1 / p) : 0;
    dh = value > 0 ? pow (a / value, p - 1) : 0;
    dk = value > 0 ? pow (b / value, p - 1) : 0;
    break;
  }
  case SOLID_RICCI_DIFFERENCE:
    value = solid_algebra_combine (SOLID_RICCI_INTERSECTION, p, h, 2 - k, &dh, &dk);
    dk = -dk;
    break;
  case SOLID_RICCI_INTERSECTION: {
    const double least = MIN (h, k);

    value = least > 0 ? least * pow (pow (least / h, p) + pow (least / k, p), -1 / p) : 0;
    dh = value > 0 ? pow (value / h, p + 1) : 0;
    dk = value > 0 ? pow (value / k, p + 1) : 0;
    break;
  }
  case SOLID_ROUNDED_UNION:
  case SOLID_ROUNDED_INTERSECTION: {
    const double sign = operation == SOLID_ROUNDED_UNION ? 1 : -1, g = h - 1, l = k - 1, root = hypot (g, l);

    value = 1 + g + l + sign * root;
    dh = 1 + (root > 0 ? sign * g / root : 0);
    dk = 1 + (root > 0 ? sign * l / root : 0);
    break;
  }
  default:
    value = h + k;
    dh = dk = 1;
  }
  if (by_h != NULL)
    *by_h = dh;
  if (by_k != NULL)
    *by_k = dk;
  return value;
}

/* gradient: (nullable) */
static void
sample (const KgField *field, const KgFieldBlock *block, float *value, float *const *gradient)
{
  const double *parameters = kg_field_get_parameters (field);
  const SolidOperation operation = (SolidOperation) parameters[OPERATION];
  const KgFieldArrays values = kg_field_take_arrays (block), slopes = kg_field_take_arrays (block);

  for (guint c = 0; c < kg_field_get_n_children (field); c++) {
    const KgField *child = kg_field_get_child (field, c);
    const double scale = 1 / kg_field_get_level (child);

    if (gradient != NULL)
      kg_field_sample_gradient (child, block, GRADIENT_STEP, values[0],
                                (float *const[]){ slopes[0], slopes[1], slopes[2] });
    else
      kg_field_sample (child, block, (float *const[]){ values[0] });
    for (size_t i = 0; i < block->n; i++) {
      double by_h = 0, by_k = 1;

      value[i] = (float) (c == 0 ? scale * (double) values[0][i]
                                 : solid_algebra_combine (operation, parameters[POWER], (double) value[i],
                                                          scale * (double) values[0][i], &by_h, &by_k));
      for (int axis = 0; gradient != NULL && axis < 3; axis++)
        gradient[axis][i] = (float) (c == 0
                                         ? scale * (double) slopes[axis][i]
                                         : by_h * (double) gradient[axis][i] + by_k * scale * (double) slopes[axis][i]);
    }
  }
  kg_field_release_arrays (block, values);
  kg_field_release_arrays (block, slopes);
}

static void
solid_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  sample (field, block, out[0], NULL);
}

static void
solid_sample_gradient (const KgField *field, const KgFieldBlock *block, float *value, float *const gradient[3])
{
  sample (field, block, value, gradient);
}

/* The level that one of n bodies reaches at least where they reach one together: blends add up. */
static double
get_least (SolidOperation operation, double p, guint n, double level)
{
  switch (operation) {
  case SOLID_BLEND:
    return level / n;
  case SOLID_RICCI_UNION:
    return level * pow (n, -1 / p);
  case SOLID_ROUNDED_UNION:
    /* Below the surface both may be higher than together: 1 + g + l + hypot (g, l) with g = l < 0, for each further body. */
    return level < 1 ? 1 - (1 - level) / pow (2 - G_SQRT2, n - 1) : level;
  default:
    return level;
  }
}

/* A difference lies within the first body, an intersection within all, others in the box around all. */
static bool
solid_get_bounds_at (const KgField *field, double level, KgVector *low, KgVector *high)
{
  const double *parameters = kg_field_get_parameters (field);
  const SolidOperation operation = (SolidOperation) parameters[OPERATION];
  const bool first = operation == SOLID_DIFFERENCE || operation == SOLID_RICCI_DIFFERENCE;
  const bool all = operation == SOLID_INTERSECTION || operation == SOLID_RICCI_INTERSECTION ||
                   operation == SOLID_ROUNDED_INTERSECTION;
  const guint n = kg_field_get_n_children (field);
  const double least = get_least (operation, parameters[POWER], n, level);
  bool bounded = false;

  for (guint c = 0; c < n && (c == 0 || !first); c++) {
    const KgField *child = kg_field_get_child (field, c);
    KgVector l = { 0, 0, 0 }, h = { 0, 0, 0 };
    const bool has = kg_field_get_bounds_at (child, least * kg_field_get_level (child), &l, &h);

    if (c == 0 || (all && has && !bounded)) {
      *low = l;
      *high = h;
      bounded = has;
      continue;
    }
    for (size_t axis = 0; axis < 3 && has && bounded; axis++) {
      double *from = kg_vector_component (low, axis), *to = kg_vector_component (high, axis);

      *from = all ? MAX (*from, kg_vector_get (l, axis)) : MIN (*from, kg_vector_get (l, axis));
      *to = all ? MIN (*to, kg_vector_get (h, axis)) : MAX (*to, kg_vector_get (h, axis));
    }
    bounded = all ? bounded || has : bounded && has;
  }
  return bounded;
}

static bool
solid_get_bounds (const KgField *field, KgVector *low, KgVector *high)
{
  return solid_get_bounds_at (field, 1, low, high);
}

static double
solid_get_level (const KgField *field)
{
  (void) field;
  return 1;
}

static void
solid_add_seeds (const KgField *field, GArray *seeds)
{
  for (guint c = 0; c < kg_field_get_n_children (field); c++)
    kg_field_add_seeds (kg_field_get_child (field, c), seeds);
}

static const KgFieldClass solid_class = {
  .name = "combined body",
  .width = 1,
  .sample = solid_sample,
  .sample_gradient = solid_sample_gradient,
  .get_bounds = solid_get_bounds,
  .get_bounds_at = solid_get_bounds_at,
  .get_level = solid_get_level,
  .add_seeds = solid_add_seeds,
  .hash_within = kg_field_hash_tree_within,
};

KgField *
solid_algebra_new (SolidOperation operation, double p, const KgField *const *fields, guint n, GError **error)
{
  const double parameters[N_PARAMETERS] = { [OPERATION] = (double) operation, [POWER] = p };

  return kg_field_new (&solid_class, parameters, N_PARAMETERS, fields, n, error);
}
