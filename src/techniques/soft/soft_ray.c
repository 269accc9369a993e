/* soft_ray: rays through soft objects, without a crossing that is missed.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/soft_ray.h"

#include "geometry/symmetric_matrix.h"
#include "soft/soft_keys_private.h"

/* Of the sum of cubics of s, which is quadratic along a ray. */
#define DEGREE 6
/* Halvings until two roots count as one. */
#define MAX_DEPTH 40
/* What a field may rise and fall again between two looks at it, as a part of the level. */
#define MAX_BUMP 1e-4
/* Looks at the slope of a density. */
#define SLOPE_SAMPLES 2048

/* Where a ray is within the influence of a key. */
typedef struct {
  double from, to;
  const SoftKey *key;
  double slope; /* most that the key adds to the slope of the field */
} Span;

typedef struct {
  const SoftKeys *keys;
  const FieldRayOptions *o;
  KgVector origin, direction;
  double max_slope; /* of the density by ρ */
  bool polynomial;  /* the density is one of s, and the field a plain sum */
  bool bounded;
  GArray *spans; /* Span */
  FieldRayHit *hit;
  bool inside; /* after the last crossing */
} Ray;

/* The density as a polynomial of s; false: it is none. */
static bool
get_polynomial (DensityKind kind, double c[4])
{
  static const double polynomials[][4] = { [DENSITY_WYVILL] = { 1, -22.0 / 9, 17.0 / 9, -4.0 / 9 },
                                           [DENSITY_QUADRATIC] = { 1, -1, 0, 0 },
                                           [DENSITY_QUARTIC] = { 1, -2, 1, 0 },
                                           [DENSITY_CUBIC] = { 1, -3, 3, -1 } };

  if (kind != DENSITY_WYVILL && kind != DENSITY_QUADRATIC && kind != DENSITY_QUARTIC && kind != DENSITY_CUBIC)
    return false;
  memcpy (c, polynomials[kind], sizeof polynomials[kind]);
  return true;
}

/* The greatest slope of a density by ρ, with a margin for what is between the looks. */
static double
get_max_slope (const Density *density)
{
  const double reach = density_get_reach (density);
  double most = 0;

  for (int i = 0; i <= SLOPE_SAMPLES; i++) {
    const double r = reach * i / SLOPE_SAMPLES;
    double slope;

    density_get (density, r * r, &slope);
    most = MAX (most, fabs (2 * r * slope));
  }
  return 1.01 * most;
}

/* The greatest slope of ρ by the way; infinite where there is none. */
static double
get_key_slope (const SoftKeys *keys, const SoftKey *key)
{
  const double reach = density_get_reach (&keys->options.density);
  double most = 0;

  if (key->reach > 0)
    return INFINITY;
  if (key->kind == SOFT_ELLIPSOID) {
    SymmetricMatrix square = { 0 };
    double values[3];
    KgVector axes[3];

    if (key->power < 1)
      return INFINITY;
    for (int row = 0; row < 3; row++)
      square = symmetric_matrix_add_square (
          square, 1, kg_vector (key->inverse[row][0], key->inverse[row][1], key->inverse[row][2]));
    symmetric_matrix_decompose (square, values, axes);
    /* The norm of the power p is at most 3^(1/p − 1/2) times that of 2. */
    return sqrt (MAX (values[0], MAX (values[1], values[2]))) * (key->power < 2 ? pow (3, 1 / key->power - 0.5) : 1);
  }
  for (guint i = 0; key->kind != SOFT_PLANE && i < key->n; i++) {
    const bool chain = key->kind == SOFT_CHAIN, last = !chain || i + 1 == key->n;
    const double radius = g_array_index (keys->radii, double, key->first + i);
    const double next = last ? radius : g_array_index (keys->radii, double, key->first + i + 1);
    const double length = last ? 0
                               : kg_vector_distance (g_array_index (keys->nodes, KgVector, key->first + i),
                                                     g_array_index (keys->nodes, KgVector, key->first + i + 1));
    const double narrowing = length > 0 ? reach * fabs (next - radius) / length : 0;

    /* The radius of a face with several changes across it in a way that has no simple bound. */
    if (!chain && radius != g_array_index (keys->radii, double, key->first))
      return INFINITY;
    most = MAX (most, (1 + narrowing) / MIN (radius, next));
  }
  return key->kind == SOFT_PLANE ? INFINITY : most;
}

/* The quadratic s = a t² + b t + c along the way from t on. */
static void
get_quadratic (const Ray *ray, const SoftKey *key, double t, double unit, double q[3])
{
  const KgVector from = kg_vector_subtract (kg_vector_add_scaled (ray->origin, t, ray->direction), key->center);
  const KgVector d = kg_vector_scale (ray->direction, unit);

  q[0] = q[1] = q[2] = 0;
  for (int row = 0; row < 3; row++) {
    const KgVector m = { key->inverse[row][0], key->inverse[row][1], key->inverse[row][2] };
    const double u = kg_vector_dot (m, from), w = kg_vector_dot (m, d);

    q[0] += u * u;
    q[1] += 2 * u * w;
    q[2] += w * w;
  }
}

static bool
clip_to_box (const Ray *ray, const SoftKey *key, Span *span)
{
  for (size_t axis = 0; axis < 3; axis++) {
    const double o = kg_vector_get (ray->origin, axis), d = kg_vector_get (ray->direction, axis);
    const double low = kg_vector_get (key->low, axis), high = kg_vector_get (key->high, axis);

    if (d != 0) {
      span->from = MAX (span->from, MIN ((low - o) / d, (high - o) / d));
      span->to = MIN (span->to, MAX ((low - o) / d, (high - o) / d));
    } else if (o < low || o > high) {
      return false;
    }
  }
  return span->from < span->to;
}

static bool
add_span (gpointer data, uint32_t index)
{
  Ray *ray = (Ray *) data;
  const SoftKey *key = &g_array_index (ray->keys->keys, SoftKey, index);
  const double reach = density_get_reach (&ray->keys->options.density);
  Span span = { .to = ray->o->reach, .key = key };

  if (!clip_to_box (ray, key, &span))
    return true;
  if (key->kind == SOFT_ELLIPSOID && key->power == 2) {
    double q[3], near, root;

    get_quadratic (ray, key, 0, 1, q);
    near = -q[1] / (2 * q[2]);
    /* From the nearest place on, so that far keys do not lose their digits. */
    get_quadratic (ray, key, near, 1, q);
    if (!(q[0] < reach * reach))
      return true;
    root = sqrt ((reach * reach - q[0]) / q[2]);
    span.from = MAX (span.from, near - root);
    span.to = MIN (span.to, near + root);
    if (!(span.from < span.to))
      return true;
  } else {
    ray->polynomial = false;
  }
  span.slope = fabs (key->force) * ray->max_slope * get_key_slope (ray->keys, key);
  ray->bounded = ray->bounded && isfinite (span.slope);
  g_array_append_val (ray->spans, span);
  return true;
}

static void
ray_cross (Ray *ray, double t)
{
  if (ray->hit->n < FIELD_RAY_CROSSINGS)
    ray->hit->t[ray->hit->n++] = t;
  ray->inside = !ray->inside;
}

/* At the left half of b, and (out) right. */
static void
halve (double b[DEGREE + 1], double right[DEGREE + 1])
{
  for (int level = 0; level <= DEGREE; level++) {
    right[DEGREE - level] = b[DEGREE];
    for (int i = DEGREE; i > level; i--)
      b[i] = 0.5 * (b[i - 1] + b[i]);
  }
}

static double
evaluate (const double b[DEGREE + 1], double t)
{
  double c[DEGREE + 1];

  memcpy (c, b, sizeof c);
  for (int level = 1; level <= DEGREE; level++)
    for (int i = 0; i + level <= DEGREE; i++)
      c[i] = (1 - t) * c[i] + t * c[i + 1];
  return c[0];
}

/* Crosses the roots of a polynomial by its Bernstein coefficients on a part of the ray, from the first on. */
static void
cross_roots (Ray *ray, double b[DEGREE + 1], double from, double to, int depth)
{
  double right[DEGREE + 1];
  int changes = 0;

  for (int i = 0; i < DEGREE; i++)
    changes += (b[i] >= 0) != (b[i + 1] >= 0);
  if (changes == 0 || ray->hit->n == FIELD_RAY_CROSSINGS)
    return;
  if (changes == 1) {
    double low = 0, high = 1;

    for (int i = 0; i < 60; i++) {
      const double t = 0.5 * (low + high);

      *((evaluate (b, t) >= 0) == (b[0] >= 0) ? &low : &high) = t;
    }
    ray_cross (ray, from + 0.5 * (low + high) * (to - from));
    return;
  }
  if (depth == MAX_DEPTH) {
    if ((b[0] >= 0) != (b[DEGREE] >= 0))
      ray_cross (ray, 0.5 * (from + to));
    return;
  }
  halve (b, right);
  cross_roots (ray, b, from, 0.5 * (from + to), depth + 1);
  cross_roots (ray, right, 0.5 * (from + to), to, depth + 1);
}

/* The sum of the keys on a part of the ray, less the level, in Bernstein form. */
static void
cross_polynomial (Ray *ray, double from, double to)
{
  static const double binomials[DEGREE + 1][DEGREE + 1] = {
    { 1 }, { 1, 1 }, { 1, 2, 1 }, { 1, 3, 3, 1 }, { 1, 4, 6, 4, 1 }, { 1, 5, 10, 10, 5, 1 }, { 1, 6, 15, 20, 15, 6, 1 }
  };
  double sum[DEGREE + 1] = { 0 }, b[DEGREE + 1] = { 0 }, c[4];

  get_polynomial (ray->keys->options.density.kind, c);
  for (guint i = 0; i < ray->spans->len; i++) {
    const Span *span = &g_array_index (ray->spans, Span, i);
    double q[3], power[DEGREE + 1] = { 1 };

    if (span->from >= to || span->to <= from)
      continue;
    get_quadratic (ray, span->key, from, to - from, q);
    for (int k = 0; k < 4; k++) {
      double next[DEGREE + 1] = { 0 };

      for (int j = 0; j <= DEGREE; j++)
        sum[j] += span->key->force * c[k] * power[j];
      for (int j = 0; j <= DEGREE; j++)
        for (int m = 0; m < 3 && j + m <= DEGREE; m++)
          next[j + m] += power[j] * q[m];
      memcpy (power, next, sizeof power);
    }
  }
  for (int i = 0; i <= DEGREE; i++) {
    for (int k = 0; k <= i; k++)
      b[i] += binomials[i][k] / binomials[DEGREE][k] * sum[k];
    b[i] -= ray->o->level;
  }
  /* A crossing on the very end of the part before. */
  if ((b[0] >= 0) != ray->inside)
    ray_cross (ray, from);
  cross_roots (ray, b, from, to, 0);
}

static double
get_value (const Ray *ray, double t)
{
  return soft_keys_get_value (ray->keys, kg_vector_add_scaled (ray->origin, t, ray->direction), NULL) - ray->o->level;
}

/* Crosses the roots between two places, by the greatest slope there. */
static void
cross_bounded (Ray *ray, double from, double to, double f_from, double f_to, double slope)
{
  const bool change = (f_from >= 0) != (f_to >= 0);
  const double middle = 0.5 * (from + to);
  double f;

  if (ray->hit->n == FIELD_RAY_CROSSINGS || (!change && fabs (f_from) + fabs (f_to) > slope * (to - from)))
    return;
  if (slope * (to - from) <= MAX_BUMP * ray->o->level || !(middle > from && middle < to)) {
    double low = from, high = to;

    for (int i = 0; change && i < 50 && high - low > 1e-14 * high; i++) {
      const double t = 0.5 * (low + high);

      *((get_value (ray, t) >= 0) == (f_from >= 0) ? &low : &high) = t;
    }
    if (change)
      ray_cross (ray, 0.5 * (low + high));
    return;
  }
  f = get_value (ray, middle);
  cross_bounded (ray, from, middle, f_from, f, slope);
  cross_bounded (ray, middle, to, f, f_to, slope);
}

static void
cross_spans (Ray *ray)
{
  g_autoptr (GArray) ends = g_array_new (false, false, sizeof (double));

  for (guint i = 0; i < ray->spans->len; i++) {
    const Span *span = &g_array_index (ray->spans, Span, i);

    g_array_append_val (ends, span->from);
    g_array_append_val (ends, span->to);
  }
  g_array_sort (ends, kg_compare_doubles);
  for (guint i = 0; i + 1 < ends->len && ray->hit->n < FIELD_RAY_CROSSINGS; i++) {
    const double from = g_array_index (ends, double, i), to = g_array_index (ends, double, i + 1);
    double slope = 0;

    for (guint k = 0; k < ray->spans->len; k++) {
      const Span *span = &g_array_index (ray->spans, Span, k);

      slope += span->from < to && span->to > from ? span->slope : 0;
    }
    if (!(from < to) || slope == 0)
      continue;
    if (ray->polynomial)
      cross_polynomial (ray, from, to);
    else
      /* A norm of groups rises no faster than their sum, in each of which a key may count. */
      cross_bounded (ray, from, to, get_value (ray, from), get_value (ray, to),
                     slope * (ray->keys->options.soften > 0 ? ray->keys->n_groups : 1));
  }
}

bool
soft_ray_follow (const SoftKeys *keys, const FieldRayOptions *options, KgVector origin, KgVector direction,
                 FieldRayHit *hit)
{
  g_autoptr (GArray) spans = g_array_new (false, false, sizeof (Span));
  double c[4], distance = options->reach;
  Ray ray = { .keys = keys,
              .o = options,
              .origin = origin,
              .direction = direction,
              .max_slope = get_max_slope (&keys->options.density),
              .polynomial = keys->options.blend == SOFT_BLEND_SUM && keys->n_groups == 1 &&
                            get_polynomial (keys->options.density.kind, c),
              .bounded = true,
              .spans = spans,
              .hit = hit };

  *hit = (FieldRayHit){ .n = 0 };
  if (keys->keys->len == 0)
    return true;
  hit->inside = get_value (&ray, 0) >= 0;
  ray.inside = hit->inside;
  box_tree_visit_ray (keys->tree, origin, direction, &distance, add_span, &ray);
  if (!ray.bounded)
    return false;
  cross_spans (&ray);
  return true;
}
