/* contact_field: bodies that scalar fields stand for, pressed against each other.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/contact_field.h"

/* Steps from a place to the border of a body: more are not needed near it, and further off there is no bulge. */
#define FOOT_STEPS 8
/* Of gradients that a field does not know, metres. */
#define GRADIENT_STEP 1e-3

enum { WIDTH, FIRST_TOP };

double
contact_bulge (double d, double slope, double width, double top)
{
  const double w = slope > 0 ? MIN (width, 6 * top / slope) : 0;

  if (!(w > 0) || !(d < w))
    return 0;
  if (d > w / 2)
    return 4 * top / (w * w * w) * (d - w) * (d - w) * (4 * d - w);
  return d * (slope + d * (4 * (3 * top - w * slope) / (w * w) + d * 4 * (w * slope - 4 * top) / (w * w * w)));
}

/* Places on their way to the border of a body. */
typedef struct {
  size_t n;
  uint16_t at[KG_FIELD_BLOCK]; /* index in the block */
  float p[3][KG_FIELD_BLOCK];
} Walkers;

/* Moves all by a step of Newton's along the gradient; slopes: (out) its length.  False once none moves. */
static bool
walkers_step (Walkers *walkers, const KgField *other, double level, double time, double most, float *slopes)
{
  const KgFieldBlock block = {
    .n = walkers->n, .x = walkers->p[0], .y = walkers->p[1], .z = walkers->p[2], .time = time
  };
  KgFieldArrays values = kg_field_take_arrays (&block), gradients = kg_field_take_arrays (&block);
  bool moves = false;

  kg_field_sample_gradient (other, &block, GRADIENT_STEP, values[0],
                            (float *const[]){ gradients[0], gradients[1], gradients[2] });
  for (size_t i = 0; i < walkers->n; i++) {
    const double g = (double) values[0][i] - level;
    const KgVector slope = { (double) gradients[0][i], (double) gradients[1][i], (double) gradients[2][i] };
    const double squared = kg_vector_dot (slope, slope);
    double step;

    slopes[i] = (float) sqrt (squared);
    if (!(squared > 1e-20 * level * level) || !(fabs (g) > 1e-6 * level))
      continue;
    step = kg_clamp (-g / sqrt (squared), -most, most) / sqrt (squared);
    moves = true;
    for (size_t c = 0; c < 3; c++)
      walkers->p[c][i] += (float) (step * kg_vector_get (slope, c));
  }
  kg_field_release_arrays (&block, values);
  kg_field_release_arrays (&block, gradients);
  return moves;
}

/* Sets terms to h where a place outside the other body is near it. */
static void
add_bulge (const KgFieldBlock *block, const KgField *other, double width, double top, Walkers *walkers, float *terms)
{
  const double level = kg_field_get_level (other);
  float slopes[KG_FIELD_BLOCK];

  for (size_t i = 0; i < walkers->n; i++) {
    walkers->p[0][i] = block->x[walkers->at[i]];
    walkers->p[1][i] = block->y[walkers->at[i]];
    walkers->p[2][i] = block->z[walkers->at[i]];
  }
  for (guint step = 0; step < FOOT_STEPS; step++)
    if (!walkers_step (walkers, other, level, block->time, width, slopes))
      break;
  for (size_t i = 0; i < walkers->n; i++) {
    const size_t at = walkers->at[i];
    const double dx = (double) walkers->p[0][i] - (double) block->x[at],
                 dy = (double) walkers->p[1][i] - (double) block->y[at],
                 dz = (double) walkers->p[2][i] - (double) block->z[at];

    /* Where the other has no slope there is no way to it, and no bulge. */
    terms[at] = (float) contact_bulge (sqrt (dx * dx + dy * dy + dz * dz), (double) slopes[i], width, top);
  }
}

static void
contact_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const double *parameters = kg_field_get_parameters (field), width = parameters[WIDTH];
  const KgFieldArrays arrays = kg_field_take_arrays (block), sums = kg_field_take_arrays (block);
  g_autofree Walkers *walkers = g_new (Walkers, 1);
  float *const value = arrays[0], *const term = arrays[1], *const sum = sums[0], *const least = sums[1];

  kg_field_sample (kg_field_get_child (field, 0), block, out);
  for (size_t i = 0; i < block->n; i++) {
    sum[i] = 0;
    least[i] = INFINITY;
  }
  for (guint c = 1; c < kg_field_get_n_children (field); c++) {
    const KgField *other = kg_field_get_child (field, c);
    const double level = kg_field_get_level (other), top = parameters[FIRST_TOP + c - 1];

    kg_field_sample (other, block, (float *const[]){ value });
    walkers->n = 0;
    for (size_t i = 0; i < block->n; i++) {
      const float g = (float) ((double) value[i] - level);

      /* Out of its own reach nothing is added: a shell around the other would belong to this body. */
      term[i] = 0;
      if (!(out[0][i] > 0))
        continue;
      least[i] = MIN (least[i], -g);
      if (g < 0 && width > 0 && top > 0)
        walkers->at[walkers->n++] = (uint16_t) i;
    }
    if (walkers->n > 0)
      add_bulge (block, other, width, top, walkers, term);
    for (size_t i = 0; i < block->n; i++)
      sum[i] += term[i];
  }
  for (size_t i = 0; i < block->n; i++)
    if (out[0][i] > 0)
      out[0][i] += MIN (sum[i], least[i]);
  kg_field_release_arrays (block, arrays);
  kg_field_release_arrays (block, sums);
}

/* Bulges stand out of the body by no more than their width. */
static bool
contact_get_bounds (const KgField *field, KgVector *low, KgVector *high)
{
  const double width = kg_field_get_parameters (field)[WIDTH];
  const KgVector margin = { width, width, width };

  if (!kg_field_get_bounds (kg_field_get_child (field, 0), low, high))
    return false;
  if (low->x <= high->x) {
    *low = kg_vector_subtract (*low, margin);
    *high = kg_vector_add (*high, margin);
  }
  return true;
}

static double
contact_get_level (const KgField *field)
{
  return kg_field_get_level (kg_field_get_child (field, 0));
}

static void
contact_add_seeds (const KgField *field, GArray *seeds)
{
  kg_field_add_seeds (kg_field_get_child (field, 0), seeds);
}

static const KgFieldClass contact_class = {
  .name = "body in contact",
  .width = 1,
  .sample = contact_sample,
  .get_bounds = contact_get_bounds,
  .get_level = contact_get_level,
  .add_seeds = contact_add_seeds,
};

KgField *
contact_field_new (const KgField *own, const KgField *const *others, const double *tops, guint n, double width,
                   GError **error)
{
  g_autofree const KgField **children = g_new (const KgField *, n + 1);
  g_autofree double *parameters = g_new (double, n + FIRST_TOP);

  if (n == 0)
    return kg_field_ref ((KgField *) own);
  children[0] = own;
  parameters[WIDTH] = width;
  for (guint i = 0; i < n; i++) {
    children[i + 1] = others[i];
    parameters[FIRST_TOP + i] = tops[i];
  }
  return kg_field_new (&contact_class, parameters, n + FIRST_TOP, children, n + 1, error);
}

static void
border_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const KgField *a = kg_field_get_child (field, 0), *b = kg_field_get_child (field, 1);
  const KgFieldArrays arrays = kg_field_take_arrays (block);
  const double levels = kg_field_get_level (a) - kg_field_get_level (b);

  kg_field_sample (a, block, out);
  kg_field_sample (b, block, (float *const[]){ arrays[0] });
  for (size_t i = 0; i < block->n; i++)
    out[0][i] = (float) ((double) out[0][i] - (double) arrays[0][i] - levels);
  kg_field_release_arrays (block, arrays);
}

static void
border_sample_gradient (const KgField *field, const KgFieldBlock *block, float *value, float *const gradient[3])
{
  const KgField *a = kg_field_get_child (field, 0), *b = kg_field_get_child (field, 1);
  const KgFieldArrays arrays = kg_field_take_arrays (block), slopes = kg_field_take_arrays (block);
  const double levels = kg_field_get_level (a) - kg_field_get_level (b);

  kg_field_sample_gradient (a, block, GRADIENT_STEP, value, gradient);
  kg_field_sample_gradient (b, block, GRADIENT_STEP, arrays[0], (float *const[]){ slopes[0], slopes[1], slopes[2] });
  for (size_t i = 0; i < block->n; i++) {
    value[i] = (float) ((double) value[i] - (double) arrays[0][i] - levels);
    for (int c = 0; c < 3; c++)
      gradient[c][i] -= slopes[c][i];
  }
  kg_field_release_arrays (block, arrays);
  kg_field_release_arrays (block, slopes);
}

static double
border_get_level (const KgField *field)
{
  (void) field;
  return 0;
}

static const KgFieldClass border_class = {
  .name = "border of two bodies",
  .width = 1,
  .sample = border_sample,
  .sample_gradient = border_sample_gradient,
  .get_level = border_get_level,
};

KgField *
contact_field_new_border (const KgField *a, const KgField *b, GError **error)
{
  return kg_field_new (&border_class, NULL, 0, (const KgField *const[]){ a, b }, 2, error);
}

static void
colors_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const guint n = kg_field_get_n_children (field) / 2;
  const KgFieldArrays values = kg_field_take_arrays (block), colors = kg_field_take_arrays (block);

  for (guint body = 0; body < n; body++) {
    const float level = (float) kg_field_get_level (kg_field_get_child (field, body));

    kg_field_sample (kg_field_get_child (field, body), block, (float *const[]){ values[0] });
    kg_field_sample (kg_field_get_child (field, n + body), block, (float *const[]){ colors[0], colors[1], colors[2] });
    for (size_t i = 0; i < block->n; i++) {
      const float g = values[0][i] - level;

      if (body > 0 && !(g > values[1][i]))
        continue;
      values[1][i] = g;
      for (int c = 0; c < 3; c++)
        out[c][i] = colors[c][i];
    }
  }
  kg_field_release_arrays (block, values);
  kg_field_release_arrays (block, colors);
}

static const KgFieldClass colors_class = { .name = "colours of bodies", .width = 3, .sample = colors_sample };

KgField *
contact_field_new_colors (const KgField *const *bodies, const KgField *const *colors, guint n, GError **error)
{
  g_autofree const KgField **children = g_new (const KgField *, 2 * (size_t) n);

  for (guint i = 0; i < n; i++) {
    children[i] = bodies[i];
    children[n + i] = colors[i];
  }
  return kg_field_new (&colors_class, NULL, 0, children, 2 * n, error);
}
