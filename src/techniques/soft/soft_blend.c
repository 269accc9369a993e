/* soft_blend: the field of keys, for blocks of places.
 *
 * Places are worked on in small groups with a box around them: only keys whose influence overlaps the box are looked at.  They
 * are added in their order, so that the result does not depend on how places are grouped.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/soft_keys_private.h"

#include "geometry/closest_pair.h"
#include "kg-hash.h"
#include "kg-kernel.h"
#include "soft/line_convolution.h"

/* Places worked on together: their arrays stay in the first-level cache. */
#define LANES 64

typedef struct {
  size_t n;
  double x[LANES], y[LANES], z[LANES];
  KgVector low, high;
} Places;

/* What a key adds: its value, and the derivatives. */
typedef struct {
  double s[LANES]; /* square of the relative distance */
  double value[LANES];
  double slope[3][LANES];
} Contribution;

/* The sum of positive and of negative keys, in whatever way positive ones are combined. */
typedef struct {
  double plus[LANES], minus[LANES];
  double plus_slope[3][LANES], minus_slope[3][LANES];
} Accumulator;

/* Sets s, and in slope its derivatives. */
KG_KERNEL static void
measure_ellipsoid (const SoftKey *key, const Places *restrict places, Contribution *restrict c)
{
  const double (*m)[3] = key->inverse;

  for (size_t i = 0; i < places->n; i++) {
    const double x = places->x[i] - key->center.x, y = places->y[i] - key->center.y, z = places->z[i] - key->center.z;
    const double u = m[0][0] * x + m[0][1] * y + m[0][2] * z, v = m[1][0] * x + m[1][1] * y + m[1][2] * z;
    const double w = m[2][0] * x + m[2][1] * y + m[2][2] * z;

    c->s[i] = u * u + v * v + w * w;
    c->slope[0][i] = 2 * (m[0][0] * u + m[1][0] * v + m[2][0] * w);
    c->slope[1][i] = 2 * (m[0][1] * u + m[1][1] * v + m[2][1] * w);
    c->slope[2][i] = 2 * (m[0][2] * u + m[1][2] * v + m[2][2] * w);
  }
}

/* s = (Σ |q|ⁿ)^(2/n); its derivative by q is 2 (Σ |q|ⁿ)^(2/n − 1) |q|ⁿ⁻¹ sign q. */
static void
measure_super_ellipsoid (const SoftKey *key, const Places *places, Contribution *c)
{
  const double (*m)[3] = key->inverse, n = key->power;

  for (size_t i = 0; i < places->n; i++) {
    const double d[] = { places->x[i] - key->center.x, places->y[i] - key->center.y, places->z[i] - key->center.z };
    double q[3], by_q[3] = { 0, 0, 0 }, sum = 0, largest = 0;

    for (int k = 0; k < 3; k++) {
      q[k] = m[k][0] * d[0] + m[k][1] * d[1] + m[k][2] * d[2];
      largest = MAX (largest, fabs (q[k]));
    }
    /* Relative to the largest, so that high powers neither vanish nor overflow. */
    for (int k = 0; k < 3; k++)
      sum += largest > 0 ? pow (fabs (q[k]) / largest, n) : 0;
    c->s[i] = largest > 0 ? largest * largest * pow (sum, 2 / n) : 0;
    for (int k = 0; k < 3; k++)
      if (fabs (q[k]) > 1e-12 * largest)
        by_q[k] = 2 * largest * pow (sum, 2 / n - 1) * copysign (pow (fabs (q[k]) / largest, n - 1), q[k]);
    for (int k = 0; k < 3; k++)
      c->slope[k][i] = m[0][k] * by_q[0] + m[1][k] * by_q[1] + m[2][k] * by_q[2];
  }
}

/* Below the plane s is 0. */
static void
measure_plane (const SoftKey *key, const Places *places, Contribution *c)
{
  const double *row = key->inverse[1];

  for (size_t i = 0; i < places->n; i++) {
    const double d = row[0] * (places->x[i] - key->center.x) + row[1] * (places->y[i] - key->center.y) +
                     row[2] * (places->z[i] - key->center.z);

    c->s[i] = d > 0 ? d * d : 0;
    for (size_t k = 0; k < 3; k++)
      c->slope[k][i] = d > 0 ? 2 * d * row[k] : 0;
  }
}

/* Takes a foot at a distance with a radius, if it is nearer than what is there; by_radius: the derivative of the radius. */
static void
take_foot (Contribution *c, size_t i, KgVector p, KgVector foot, double radius, KgVector by_radius)
{
  const KgVector away = kg_vector_subtract (p, foot);
  const double s = kg_vector_dot (away, away) / (radius * radius);

  if (!(radius > 0) || !(s < c->s[i]))
    return;
  c->s[i] = s;
  for (size_t k = 0; k < 3; k++)
    c->slope[k][i] = 2 * kg_vector_get (away, k) / (radius * radius) - 2 * s / radius * kg_vector_get (by_radius, k);
}

static void
measure_chain (const SoftKeys *keys, const SoftKey *key, const Places *places, Contribution *c)
{
  const KgVector *nodes = &g_array_index (keys->nodes, KgVector, key->first), zero = { 0, 0, 0 };
  const double *radii = &g_array_index (keys->radii, double, key->first);

  for (size_t i = 0; i < places->n; i++) {
    const KgVector p = { places->x[i], places->y[i], places->z[i] };

    c->s[i] = INFINITY;
    for (guint k = 0; k + 1 < key->n; k++) {
      const KgVector d = kg_vector_subtract (nodes[k + 1], nodes[k]);
      const double squared = kg_vector_dot (d, d);
      const double raw = closest_line_weight (p, nodes[k], nodes[k + 1]);
      const double t = kg_clamp (raw, 0, 1);

      take_foot (c, i, p, kg_vector_add_scaled (nodes[k], t, d), radii[k] + t * (radii[k + 1] - radii[k]),
                 t == raw && squared > 0 ? kg_vector_scale (d, (radii[k + 1] - radii[k]) / squared) : zero);
    }
    if (key->n == 1)
      take_foot (c, i, p, nodes[0], radii[0], zero);
  }
}

static void
measure_faces (const SoftKeys *keys, const SoftKey *key, const Places *places, Contribution *c)
{
  const KgVector *nodes = &g_array_index (keys->nodes, KgVector, key->first), zero = { 0, 0, 0 };
  const double *radii = &g_array_index (keys->radii, double, key->first);

  for (size_t i = 0; i < places->n; i++) {
    const KgVector p = { places->x[i], places->y[i], places->z[i] };

    c->s[i] = INFINITY;
    for (guint k = 0; k + 2 < key->n; k += 3) {
      const KgVector w = closest_triangle_weights (p, nodes + k);
      const KgVector foot = kg_vector_add_scaled (
          kg_vector_add_scaled (kg_vector_scale (nodes[k], w.x), w.y, nodes[k + 1]), w.z, nodes[k + 2]);

      take_foot (c, i, p, foot, w.x * radii[k] + w.y * radii[k + 1] + w.z * radii[k + 2], zero);
    }
  }
}

/* Of the default density, in vectors. */
KG_KERNEL static void
weigh_wyvill (double force, size_t n, Contribution *restrict c)
{
  for (size_t i = 0; i < n; i++) {
    const double s = c->s[i], inside = s < 1 ? force / 9 : 0;
    const double slope = inside * (-22 + s * (34 - 12 * s));

    c->value[i] = inside * (9 + s * (-22 + s * (17 - 4 * s)));
    for (int k = 0; k < 3; k++)
      c->slope[k][i] *= slope;
  }
}

static void
weigh (const Density *density, double force, size_t n, Contribution *c)
{
  for (size_t i = 0; i < n; i++) {
    double slope;

    c->value[i] = force * density_get (density, c->s[i], &slope);
    for (int k = 0; k < 3; k++)
      c->slope[k][i] = slope != 0 ? force * slope * c->slope[k][i] : 0;
  }
}

/* Sets the value and its derivatives. */
static void
convolve_chain (const SoftKeys *keys, const SoftKey *key, const Places *places, Contribution *c)
{
  const KgVector *nodes = &g_array_index (keys->nodes, KgVector, key->first);
  const double *weights = &g_array_index (keys->radii, double, key->first);
  const LineKernel kernel = { keys->options.sharpness, key->reach };

  for (size_t i = 0; i < places->n; i++) {
    const KgVector p = { places->x[i], places->y[i], places->z[i] };
    KgVector gradient = { 0, 0, 0 };
    double sum = 0;

    for (guint k = 0; k + 1 < key->n; k++)
      sum += line_convolution_get (&kernel, nodes[k], nodes[k + 1], weights[k], weights[k + 1], p, &gradient);
    c->value[i] = key->force * sum;
    for (size_t axis = 0; axis < 3; axis++)
      c->slope[axis][i] = key->force * kg_vector_get (gradient, axis);
  }
}

static void
soft_keys_contribute (const SoftKeys *keys, const SoftKey *key, const Places *places, Contribution *c)
{
  if (key->reach > 0) {
    convolve_chain (keys, key, places, c);
    return;
  }
  if (key->kind == SOFT_CHAIN)
    measure_chain (keys, key, places, c);
  else if (key->kind == SOFT_FACES)
    measure_faces (keys, key, places, c);
  else if (key->kind == SOFT_PLANE)
    measure_plane (key, places, c);
  else if (key->power == 2)
    measure_ellipsoid (key, places, c);
  else
    measure_super_ellipsoid (key, places, c);
  if (keys->options.density.kind == DENSITY_WYVILL && (key->kind == SOFT_ELLIPSOID || key->kind == SOFT_PLANE))
    weigh_wyvill (key->force, places->n, c);
  else
    weigh (&keys->options.density, key->force, places->n, c);
}

KG_KERNEL static void
add_up (Accumulator *restrict sum, const Contribution *restrict c, size_t n)
{
  for (size_t i = 0; i < n; i++)
    sum->plus[i] += c->value[i];
  for (int k = 0; k < 3; k++)
    for (size_t i = 0; i < n; i++)
      sum->plus_slope[k][i] += c->slope[k][i];
}

static void
add_by_rule (Accumulator *sum, const Contribution *c, const SoftOptions *options, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const double f = c->value[i];
    const double factor = options->blend == SOFT_BLEND_POWER && f > 0 ? pow (f, options->power - 1) : 1;

    if (f < 0) {
      sum->minus[i] += f;
      for (int k = 0; k < 3; k++)
        sum->minus_slope[k][i] += c->slope[k][i];
    } else if (options->blend == SOFT_BLEND_POWER) {
      sum->plus[i] += factor * f;
      for (int k = 0; k < 3; k++)
        sum->plus_slope[k][i] += factor * c->slope[k][i];
    } else if (f > sum->plus[i]) {
      sum->plus[i] = f;
      for (int k = 0; k < 3; k++)
        sum->plus_slope[k][i] = c->slope[k][i];
    }
  }
}

/* The value of one group and its derivatives. */
static double
finish (const Accumulator *sum, const SoftOptions *options, size_t i, double slope[3])
{
  const double p = options->power, root = options->blend == SOFT_BLEND_POWER ? pow (sum->plus[i], 1 / p) : sum->plus[i];
  const double factor = options->blend != SOFT_BLEND_POWER ? 1 : sum->plus[i] > 0 ? root / sum->plus[i] : 0;

  for (int k = 0; k < 3; k++)
    slope[k] = factor * sum->plus_slope[k][i] + sum->minus_slope[k][i];
  return root + sum->minus[i];
}

/* Of several groups the largest, or a norm between that and the sum. */
static double
join_groups (const Accumulator *sums, guint n_groups, const SoftOptions *options, size_t i, double slope[3])
{
  const double q = options->soften > 0 ? 1 / options->soften : 0;
  double best = finish (&sums[0], options, i, slope), total = 0, total_slope[3] = { 0, 0, 0 };

  if (n_groups == 1)
    return best;
  for (guint g = 0; g < n_groups; g++) {
    double by[3];
    const double f = finish (&sums[g], options, i, by);

    if (f > best) {
      best = f;
      memcpy (slope, by, sizeof by);
    }
    if (q > 0 && f > 0) {
      const double power = pow (f, q - 1);

      total += power * f;
      for (int k = 0; k < 3; k++)
        total_slope[k] += power * by[k];
    }
  }
  if (q > 0 && total > 0) {
    best = pow (total, 1 / q);
    for (int k = 0; k < 3; k++)
      slope[k] = best / total * total_slope[k];
  }
  return best;
}

static bool
overlaps (const SoftKey *key, KgVector low, KgVector high)
{
  return key->low.x <= high.x && low.x <= key->high.x && key->low.y <= high.y && low.y <= key->high.y &&
         key->low.z <= high.z && low.z <= key->high.z;
}

/* A plane counts only where other keys do. */
static void
mask_plane (const Accumulator *sum, Contribution *c, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (sum->plus[i] == 0 && sum->minus[i] == 0) {
      c->value[i] = 0;
      for (int k = 0; k < 3; k++)
        c->slope[k][i] = 0;
    }
}

/* near: the indices of the keys to look at. */
static void
soft_keys_evaluate (const SoftKeys *keys, const uint32_t *near, guint n_near, const Places *places, Accumulator *sums,
                    double *value, double (*slope)[3])
{
  const SoftKey *all = (const SoftKey *) (const void *) keys->keys->data;
  bool planes = false;
  Contribution c;

  memset (sums, 0, keys->n_groups * sizeof *sums);
  for (guint k = 0; k < n_near; k++) {
    const SoftKey *key = &all[near[k]];

    planes = planes || key->kind == SOFT_PLANE;
    if (key->kind == SOFT_PLANE || !overlaps (key, places->low, places->high))
      continue;
    soft_keys_contribute (keys, key, places, &c);
    for (guint g = 0; g < keys->n_groups; g++) {
      if ((keys->partners[g] & (uint64_t) 1 << key->group) == 0)
        continue;
      if (keys->options.blend == SOFT_BLEND_SUM)
        add_up (&sums[g], &c, places->n);
      else
        add_by_rule (&sums[g], &c, &keys->options, places->n);
    }
  }
  for (guint k = 0; k < n_near && planes; k++)
    for (guint g = 0; g < keys->n_groups && all[near[k]].kind == SOFT_PLANE; g++) {
      soft_keys_contribute (keys, &all[near[k]], places, &c);
      mask_plane (&sums[g], &c, places->n);
      if (keys->options.blend == SOFT_BLEND_SUM)
        add_up (&sums[g], &c, places->n);
      else
        add_by_rule (&sums[g], &c, &keys->options, places->n);
    }
  for (size_t i = 0; i < places->n; i++)
    value[i] = join_groups (sums, keys->n_groups, &keys->options, i, slope[i]);
}

double
soft_keys_get_value (const SoftKeys *keys, KgVector p, KgVector *gradient)
{
  g_autofree Accumulator *sums = g_new (Accumulator, MAX (keys->n_groups, 1));
  g_autofree uint32_t *near = g_new (uint32_t, MAX (keys->keys->len, 1));
  const Places places = { .n = 1, .x = { p.x }, .y = { p.y }, .z = { p.z }, .low = p, .high = p };
  double value = 0, slope[1][3] = { { 0, 0, 0 } };

  for (guint k = 0; k < keys->keys->len; k++)
    near[k] = k;
  if (keys->keys->len > 0)
    soft_keys_evaluate (keys, near, keys->keys->len, &places, sums, &value, slope);
  if (gradient != NULL)
    *gradient = kg_vector (slope[0][0], slope[0][1], slope[0][2]);
  return value;
}

/* The least and the largest of up to LANES numbers, eight at a time. */
KG_KERNEL static void
find_range (const float *restrict numbers, size_t n, float *least, float *most)
{
  float low[8], high[8];
  size_t i = 0;

  for (size_t k = 0; k < 8; k++)
    low[k] = high[k] = numbers[0];
  for (; i + 8 <= n; i += 8)
    for (size_t k = 0; k < 8; k++) {
      low[k] = numbers[i + k] < low[k] ? numbers[i + k] : low[k];
      high[k] = numbers[i + k] > high[k] ? numbers[i + k] : high[k];
    }
  for (; i < n; i++) {
    low[0] = numbers[i] < low[0] ? numbers[i] : low[0];
    high[0] = numbers[i] > high[0] ? numbers[i] : high[0];
  }
  *least = low[0];
  *most = high[0];
  for (size_t k = 1; k < 8; k++) {
    *least = low[k] < *least ? low[k] : *least;
    *most = high[k] > *most ? high[k] : *most;
  }
}

/* Around up to LANES places of a block. */
static BoundingBox
get_group_box (const KgFieldBlock *block, size_t start)
{
  const float *const axes[] = { block->x + start, block->y + start, block->z + start };
  BoundingBox box;

  for (int c = 0; c < 3; c++)
    find_range (axes[c], MIN (LANES, block->n - start), &box.low[c], &box.high[c]);
  return box;
}

/* From start on, whose box is known. */
KG_KERNEL static void
places_set (Places *restrict places, const KgFieldBlock *block, size_t start, const BoundingBox *box)
{
  const float *x = block->x + start, *y = block->y + start, *z = block->z + start;

  places->n = MIN (LANES, block->n - start);
  for (size_t i = 0; i < places->n; i++) {
    places->x[i] = (double) x[i];
    places->y[i] = (double) y[i];
    places->z[i] = (double) z[i];
  }
  places->low = kg_vector ((double) box->low[0], (double) box->low[1], (double) box->low[2]);
  places->high = kg_vector ((double) box->high[0], (double) box->high[1], (double) box->high[2]);
}

static bool
add_near (gpointer near, uint32_t index)
{
  g_array_append_val ((GArray *) near, index);
  return true;
}

static int
compare_indices (gconstpointer a, gconstpointer b)
{
  const uint32_t i = *(const uint32_t *) a, k = *(const uint32_t *) b;

  return (i > k) - (i < k);
}

/* Sorting by insertion is quicker up to so many. */
#define FEW 32

static void
sort_near (GArray *near)
{
  uint32_t *at = (uint32_t *) (void *) near->data;

  if (near->len > FEW) {
    g_array_sort (near, compare_indices);
    return;
  }
  for (guint i = 1; i < near->len; i++) {
    const uint32_t index = at[i];
    guint k = i;

    for (; k > 0 && at[k - 1] > index; k--)
      at[k] = at[k - 1];
    at[k] = index;
  }
}

/* Fills near with the keys whose influence reaches a box, in their order. */
static void
find_near_group (const SoftKeys *keys, const BoundingBox *box, GArray *near)
{
  g_array_set_size (near, 0);
  box_tree_visit_overlaps (keys->tree, box, add_near, near);
  sort_near (near);
}

/* The same.  (element-type uint32_t) (transfer full) */
static GArray *
soft_keys_find_near (const SoftKeys *keys, const BoundingBox *box)
{
  GArray *near = g_array_new (false, false, sizeof (uint32_t));

  find_near_group (keys, box, near);
  return near;
}

/* Of the groups of places of a block, and around all of them. */
static BoundingBox
find_boxes (const KgFieldBlock *block, BoundingBox boxes[KG_FIELD_BLOCK / LANES])
{
  BoundingBox all = bounding_box_new ();

  for (size_t start = 0; start < block->n; start += LANES) {
    boxes[start / LANES] = get_group_box (block, start);
    bounding_box_join (&all, &boxes[start / LANES]);
  }
  return all;
}

/* What an ellipsoid of the default density adds: the value alone, with the same bits as measure_ellipsoid and weigh_wyvill. */
KG_KERNEL static void
add_wyvill (const SoftKey *key, const Places *restrict places, double *restrict sum)
{
  const double (*m)[3] = key->inverse, force = key->force;

  for (size_t i = 0; i < places->n; i++) {
    const double x = places->x[i] - key->center.x, y = places->y[i] - key->center.y, z = places->z[i] - key->center.z;
    const double u = m[0][0] * x + m[0][1] * y + m[0][2] * z, v = m[1][0] * x + m[1][1] * y + m[1][2] * z;
    const double w = m[2][0] * x + m[2][1] * y + m[2][2] * z, s = u * u + v * v + w * w;
    const double inside = s < 1 ? force / 9 : 0;

    sum[i] += inside * (9 + s * (-22 + s * (17 - 4 * s)));
  }
}

/* Whether values alone are those of add_wyvill for all the keys. */
static bool
are_plain (const SoftKeys *keys, const uint32_t *near, guint n_near)
{
  const SoftKey *all = (const SoftKey *) (const void *) keys->keys->data;

  if (keys->n_groups != 1 || keys->options.blend != SOFT_BLEND_SUM || keys->options.density.kind != DENSITY_WYVILL)
    return false;
  for (guint k = 0; k < n_near; k++)
    if (all[near[k]].kind != SOFT_ELLIPSOID || all[near[k]].power != 2)
      return false;
  return true;
}

static void
add_plain (const SoftKeys *keys, const uint32_t *near, guint n_near, const Places *places, double *value)
{
  const SoftKey *all = (const SoftKey *) (const void *) keys->keys->data;

  for (guint k = 0; k < n_near; k++)
    if (overlaps (&all[near[k]], places->low, places->high))
      add_wyvill (&all[near[k]], places, value);
}

/* From so many keys near a block on, they are searched for again for each group of its places. */
#define MANY_KEYS 32

static bool
add_some (gpointer near, uint32_t index)
{
  g_array_append_val ((GArray *) near, index);
  return ((const GArray *) near)->len <= MANY_KEYS;
}

/* gradient: (nullable) */
static void
sample (const KgField *field, const KgFieldBlock *block, float *value, float *const *gradient)
{
  const SoftKeys *keys = (const SoftKeys *) kg_field_get_data (field);
  g_autofree Accumulator *sums = NULL;
  BoundingBox boxes[KG_FIELD_BLOCK / LANES];
  const BoundingBox box = find_boxes (block, boxes);
  g_autoptr (GArray) near = g_array_new (false, false, sizeof (uint32_t));
  bool many;

  box_tree_visit_overlaps (keys->tree, &box, add_some, near);
  many = near->len > MANY_KEYS;
  sort_near (near);
  for (size_t start = 0; start < block->n; start += LANES) {
    Places places;
    double values[LANES] = { 0 }, slopes[LANES][3];
    const uint32_t *indices;

    places_set (&places, block, start, &boxes[start / LANES]);
    if (many)
      find_near_group (keys, &boxes[start / LANES], near);
    indices = (const uint32_t *) (const void *) near->data;
    if (gradient == NULL && are_plain (keys, indices, near->len)) {
      add_plain (keys, indices, near->len, &places, values);
    } else if (near->len > 0) {
      if (sums == NULL)
        sums = g_new (Accumulator, MAX (keys->n_groups, 1));
      soft_keys_evaluate (keys, indices, near->len, &places, sums, values, slopes);
    } else
      memset (slopes, 0, sizeof slopes);
    for (size_t i = 0; i < places.n; i++) {
      value[start + i] = (float) values[i];
      for (int k = 0; gradient != NULL && k < 3; k++)
        gradient[k][start + i] = (float) slopes[i][k];
    }
  }
}

static void
soft_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  sample (field, block, out[0], NULL);
}

static void
soft_sample_gradient (const KgField *field, const KgFieldBlock *block, float *value, float *const gradient[3])
{
  sample (field, block, value, gradient);
}

/* What a key shares in, by as much as it contributes: its colour, or where it takes places to.  take: (nullable) of each key. */
static void
take_share (const SoftKey *key, const KgTransform *take, const Places *places, const double *weights,
            double sums[3][LANES])
{
  for (size_t i = 0; i < places->n; i++) {
    const KgVector p = take != NULL ? kg_transform_point (*take, kg_vector (places->x[i], places->y[i], places->z[i]))
                                    : kg_vector (key->color[0], key->color[1], key->color[2]);

    sums[0][i] += weights[i] * p.x;
    sums[1][i] += weights[i] * p.y;
    sums[2][i] += weights[i] * p.z;
  }
}

/* The mean of the shares; without any the place itself, or white.  takes: (nullable) of all keys */
static void
soft_sample_shares (const SoftKeys *keys, const KgTransform *takes, const KgFieldBlock *block, float *const *out)
{
  BoundingBox boxes[KG_FIELD_BLOCK / LANES];
  const BoundingBox box = find_boxes (block, boxes);
  g_autoptr (GArray) near = soft_keys_find_near (keys, &box);

  for (size_t start = 0; start < block->n; start += LANES) {
    double weights[LANES] = { 0 }, sums[3][LANES] = { { 0 } };
    Contribution c;
    Places places;

    places_set (&places, block, start, &boxes[start / LANES]);
    for (guint k = 0; k < near->len; k++) {
      const uint32_t index = g_array_index (near, uint32_t, k);
      const SoftKey *key = &g_array_index (keys->keys, SoftKey, index);

      if (key->kind == SOFT_PLANE || !overlaps (key, places.low, places.high))
        continue;
      soft_keys_contribute (keys, key, &places, &c);
      for (size_t i = 0; i < places.n; i++) {
        c.value[i] = MAX (c.value[i], 0);
        weights[i] += c.value[i];
      }
      take_share (key, takes != NULL ? &takes[index] : NULL, &places, c.value, sums);
    }
    for (size_t i = 0; i < places.n; i++) {
      const double own[3] = { takes != NULL ? places.x[i] : 1, takes != NULL ? places.y[i] : 1,
                              takes != NULL ? places.z[i] : 1 };

      for (int channel = 0; channel < 3; channel++)
        out[channel][start + i] = (float) (weights[i] > 0 ? sums[channel][i] / weights[i] : own[channel]);
    }
  }
}

static void
soft_sample_color (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  soft_sample_shares ((const SoftKeys *) kg_field_get_data (field), NULL, block, out);
}

static void
free_data (gpointer data)
{
  soft_keys_unref ((SoftKeys *) data);
}

static bool
equal_data (gconstpointer a, gconstpointer b)
{
  const GArray *x = ((const SoftKeys *) a)->record, *y = ((const SoftKeys *) b)->record;

  return x->len == y->len && memcmp (x->data, y->data, x->len * sizeof (double)) == 0;
}

/* Keys, and where each takes places to that are in it. */
typedef struct {
  SoftKeys *keys;
  GArray *takes; /* KgTransform */
} SoftRest;

static void
rest_free (gpointer data)
{
  SoftRest *rest = (SoftRest *) data;

  soft_keys_unref (rest->keys);
  g_array_unref (rest->takes);
  g_free (rest);
}

static bool
rest_equal (gconstpointer a, gconstpointer b)
{
  const SoftRest *x = (const SoftRest *) a, *y = (const SoftRest *) b;

  return equal_data (x->keys, y->keys) && x->takes->len == y->takes->len &&
         memcmp (x->takes->data, y->takes->data, x->takes->len * sizeof (KgTransform)) == 0;
}

static void
soft_sample_rest (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const SoftRest *rest = (const SoftRest *) kg_field_get_data (field);

  soft_sample_shares (rest->keys, (const KgTransform *) (const void *) rest->takes->data, block, out);
}

static bool
soft_get_bounds (const KgField *field, KgVector *low, KgVector *high)
{
  soft_keys_get_bounds ((const SoftKeys *) kg_field_get_data (field), low, high);
  return true;
}

static double
soft_get_level (const KgField *field)
{
  return ((const SoftKeys *) kg_field_get_data (field))->level;
}

static void
soft_add_seeds (const KgField *field, GArray *seeds)
{
  const SoftKeys *keys = (const SoftKeys *) kg_field_get_data (field);

  for (guint k = 0; k < keys->keys->len; k++) {
    const SoftKey *key = &g_array_index (keys->keys, SoftKey, k);

    if (key->kind == SOFT_ELLIPSOID)
      g_array_append_val (seeds, key->center);
    else if (key->kind != SOFT_PLANE)
      g_array_append_vals (seeds, &g_array_index (keys->nodes, KgVector, key->first), key->n);
  }
}

/* All that its contribution depends on. */
static KgHash
soft_keys_hash_key (const SoftKeys *keys, const SoftKey *key, KgHash hash)
{
  const double numbers[] = { (double) key->kind, key->group, key->force, key->center.x, key->center.y,
                             key->center.z,      key->power, key->reach, key->n };

  hash = kg_hash_doubles (hash, numbers, G_N_ELEMENTS (numbers));
  hash = kg_hash_doubles (hash, &key->inverse[0][0], 9);
  if (key->n > 0) {
    hash = kg_hash_doubles (hash, &g_array_index (keys->nodes, KgVector, key->first).x, 3 * (size_t) key->n);
    hash = kg_hash_doubles (hash, &g_array_index (keys->radii, double, key->first), key->n);
  }
  return hash;
}

static bool
soft_hash_within (const KgField *field, KgVector low, KgVector high, KgHash *hash)
{
  const SoftKeys *keys = (const SoftKeys *) kg_field_get_data (field);
  const SoftOptions *o = &keys->options;
  const double numbers[] = { (double) o->density.kind,
                             o->density.level,
                             o->density.blobbiness,
                             o->density.cutoff,
                             (double) o->blend,
                             o->power,
                             o->soften,
                             o->sharpness };
  const BoundingBox box = bounding_box_from_vectors (low, high);
  g_autoptr (GArray) near = soft_keys_find_near (keys, &box);

  *hash = kg_hash_doubles (kg_hash_uint (*hash, keys->n_groups), numbers, G_N_ELEMENTS (numbers));
  *hash = kg_hash_bytes (*hash, keys->partners, keys->n_groups * sizeof *keys->partners);
  for (guint k = 0; k < near->len; k++)
    *hash = soft_keys_hash_key (keys, &g_array_index (keys->keys, SoftKey, g_array_index (near, uint32_t, k)), *hash);
  return true;
}

static const KgFieldClass soft_class = {
  .name = "soft object",
  .width = 1,
  .sample = soft_sample,
  .free_data = free_data,
  .equal_data = equal_data,
  .sample_gradient = soft_sample_gradient,
  .get_bounds = soft_get_bounds,
  .get_level = soft_get_level,
  .add_seeds = soft_add_seeds,
  .hash_within = soft_hash_within,
};

static const KgFieldClass color_class = {
  .name = "colours of a soft object",
  .width = 3,
  .sample = soft_sample_color,
  .free_data = free_data,
  .equal_data = equal_data,
};

static const KgFieldClass rest_class = {
  .name = "places of a soft object at rest",
  .width = 3,
  .sample = soft_sample_rest,
  .free_data = rest_free,
  .equal_data = rest_equal,
};

KgField *
soft_keys_make_field (SoftKeys *keys, GError **error)
{
  return kg_field_new_with_data (&soft_class, NULL, 0, NULL, 0, soft_keys_ref (keys), error);
}

const SoftKeys *
soft_keys_peek (const KgField *field)
{
  return kg_field_get_class (field) == &soft_class ? (const SoftKeys *) kg_field_get_data (field) : NULL;
}

KgField *
soft_keys_make_color_field (SoftKeys *keys, GError **error)
{
  return kg_field_new_with_data (&color_class, NULL, 0, NULL, 0, soft_keys_ref (keys), error);
}

static KgVector
get_mean (const SoftKeys *keys, const SoftKey *key)
{
  KgVector sum = { 0, 0, 0 };

  for (guint i = key->first; i < key->first + key->n; i++)
    sum = kg_vector_add (sum, g_array_index (keys->nodes, KgVector, i));
  return kg_vector_scale (sum, 1.0 / (double) MAX (key->n, 1));
}

/* From the place in the key to the place that it had in the other: center₀ + K₀ K⁻¹ (p − center). */
static KgTransform
get_way_back (const SoftKeys *keys, const SoftKey *key, const SoftKeys *rest, const SoftKey *was)
{
  KgTransform to = kg_transform_identity (), from = kg_transform_identity (), back;
  const KgVector center = key->kind == SOFT_ELLIPSOID ? key->center : get_mean (keys, key);
  const KgVector before = key->kind == SOFT_ELLIPSOID ? was->center : get_mean (rest, was);

  if (key->kind == SOFT_ELLIPSOID)
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) {
        to.m[r][c] = key->inverse[r][c];
        from.m[r][c] = was->inverse[r][c];
      }
  if (!kg_transform_invert (from, &from))
    return kg_transform_identity ();
  back = kg_transform_multiply (from, to);
  {
    const KgVector moved = kg_transform_point (back, center);

    back.m[0][3] = before.x - moved.x;
    back.m[1][3] = before.y - moved.y;
    back.m[2][3] = before.z - moved.z;
  }
  return back;
}

KgField *
soft_keys_make_rest_field (SoftKeys *keys, const SoftKeys *rest, GError **error)
{
  SoftRest *data;
  guint next = 0;

  if (rest != NULL && rest->n_sources != keys->n_sources) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "there are %u keys, but %u at rest: link the same keys as they are at rest", keys->n_sources,
                  rest->n_sources);
    return NULL;
  }
  data = g_new0 (SoftRest, 1);
  data->keys = soft_keys_ref (keys);
  data->takes = g_array_sized_new (false, false, sizeof (KgTransform), MAX (keys->keys->len, 1));
  for (guint k = 0; k < keys->keys->len; k++) {
    const SoftKey *key = &g_array_index (keys->keys, SoftKey, k), *was = NULL;
    KgTransform take = kg_transform_identity ();

    /* Both are in the order of what they were made of; one that has no extent at rest takes nothing along. */
    while (rest != NULL && next < rest->keys->len && g_array_index (rest->keys, SoftKey, next).source < key->source)
      next++;
    if (rest != NULL && next < rest->keys->len)
      was = &g_array_index (rest->keys, SoftKey, next);
    if (was != NULL && was->source == key->source && was->kind == key->kind)
      take = get_way_back (keys, key, rest, was);
    g_array_append_val (data->takes, take);
  }
  return kg_field_new_with_data (&rest_class, NULL, 0, NULL, 0, data, error);
}
