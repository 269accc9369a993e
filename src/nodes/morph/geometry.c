/* morph/geometry: between shapes, point by point.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/point_tree.h"
#include "kg-node.h"

#define MORPH_BLOCK 4096

typedef struct {
  KgList shapes;
  double amount;
  const KgTable *weights;
  int match;
  KgGeometry *geometry;
} Morph;

enum { MORPH_INDEX, MORPH_ID, MORPH_CLOSEST, N_MATCHES };

static const KgChoice morph_matches[] = {
  [MORPH_INDEX] = { "index", N_ ("By index") },
  [MORPH_ID] = { "id", N_ ("By the attribute id") },
  [MORPH_CLOSEST] = { "closest", N_ ("By the closest point") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (morph_matches, N_MATCHES);

/* One weight a shape, summing to 1 with what the first shape gets.  Without typed weights the amount runs through the
 * shapes: 0 the first, 1 the second, 2 the third ... */
static bool
morph_get_weights (const Morph *n, double *weights, GError **error)
{
  const guint rows = (guint) kg_table_get_n_rows (n->weights);
  double rest = 1;

  if (rows > 0) {
    if (rows != n->shapes.n - 1) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "%u weights for %u shapes: give one for each shape after the first",
                    rows, n->shapes.n);
      return false;
    }
    for (guint i = 1; i < n->shapes.n; i++) {
      weights[i] = kg_table_get_cells (n->weights)[i - 1];
      rest -= weights[i];
    }
    weights[0] = rest;
    return true;
  }
  memset (weights, 0, n->shapes.n * sizeof *weights);
  {
    const double last = n->shapes.n - 1;
    /* The movement continues beyond the ends, for eases that overshoot. */
    const guint i = (guint) kg_clamp (floor (n->amount), 0, fmax (last - 1, 0));
    const double t = n->shapes.n > 1 ? n->amount - i : 0;

    weights[i] = 1 - t;
    if (n->shapes.n > 1)
      weights[i + 1] = t;
  }
  return true;
}

/* For each point of the first shape the number of its partner in shape, or -1.  NULL: the same numbers, where there are
 * as many. */
static int64_t *
morph_match_ids (const KgGeometry *base, const KgGeometry *shape, GError **error)
{
  const int32_t *a = kg_geometry_get_int (base, KG_POINTS, "id", 1),
                *b = kg_geometry_get_int (shape, KG_POINTS, "id", 1);
  g_autoptr (GHashTable) by_id = g_hash_table_new (NULL, NULL);
  const size_t n = kg_geometry_get_n_points (base);
  int64_t *partner;

  if (a == NULL || b == NULL) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "a shape has no attribute id: match by index or closest point");
    return NULL;
  }
  for (size_t i = 0; i < kg_geometry_get_n_points (shape); i++)
    g_hash_table_insert (by_id, GINT_TO_POINTER (b[i]), GSIZE_TO_POINTER (i + 1));
  partner = g_new (int64_t, MAX (n, 1));
  for (size_t i = 0; i < n; i++)
    partner[i] = (int64_t) GPOINTER_TO_SIZE (g_hash_table_lookup (by_id, GINT_TO_POINTER (a[i]))) - 1;
  return partner;
}

static int64_t *
morph_match_closest (const KgGeometry *base, const KgGeometry *shape)
{
  const size_t n = kg_geometry_get_n_points (base);
  const float *p = kg_geometry_get_positions (base);
  int64_t *partner = g_new (int64_t, MAX (n, 1));
  g_autoptr (PointTree)
      tree = point_tree_new (kg_geometry_get_positions (shape), kg_geometry_get_n_points (shape), NULL);

#pragma omp parallel for schedule(dynamic, 256)
  for (size_t i = 0; i < n; i++)
    partner[i] = point_tree_find_closest (tree, p + 3 * i);
  return partner;
}

/* to += weight * (shape - base), for size floats a point, where base is the first shape's own attribute. */
static void
morph_add (float *restrict to, const float *base, const float *shape, size_t n_shape, guint size, size_t n,
           const int64_t *partner, float weight)
{
  const size_t n_blocks = (n + MORPH_BLOCK - 1) / MORPH_BLOCK;

#pragma omp parallel for schedule(dynamic)
  for (size_t b = 0; b < n_blocks; b++) {
    const size_t start = b * MORPH_BLOCK, end = MIN (n, start + MORPH_BLOCK);

    if (partner == NULL) {
      const size_t last = MIN (end, n_shape) * size;

      for (size_t i = start * size; i < last; i++)
        to[i] += weight * (shape[i] - base[i]);
      continue;
    }
    for (size_t i = start; i < end; i++)
      for (guint c = 0; partner[i] >= 0 && c < size; c++)
        to[size * i + c] += weight * (shape[size * (size_t) partner[i] + c] - base[size * i + c]);
  }
}

/* Two shapes with only numbers: one pass, as fast as memory. */
static void
morph_mix_two (float *restrict to, const float *restrict a, const float *restrict b, size_t n, float t)
{
#pragma omp parallel for simd schedule(dynamic, 16384)
  for (size_t i = 0; i < n; i++)
    to[i] = a[i] + t * (b[i] - a[i]);
}

static bool
morph_attribute (Morph *n, const KgAttribute *attribute, const double *weights, int64_t *const *partners)
{
  const KgGeometry *base = n->shapes.items[0].geometry;
  const size_t count = kg_geometry_get_n_points (base);
  const float *from = (const float *) attribute->data;
  float *to = kg_geometry_edit_float (n->geometry, KG_POINTS, attribute->name, attribute->size);

  for (guint i = 1; i < n->shapes.n; i++) {
    const KgGeometry *shape = n->shapes.items[i].geometry;
    const float *other = kg_geometry_get_float (shape, KG_POINTS, attribute->name, attribute->size);

    if (other == NULL || weights[i] == 0)
      continue;
    if (n->shapes.n == 2 && partners[1] == NULL && kg_geometry_get_n_points (shape) == count)
      morph_mix_two (to, from, other, count * attribute->size, (float) weights[i]);
    else
      morph_add (to, from, other, kg_geometry_get_n_points (shape), attribute->size, count, partners[i],
                 (float) weights[i]);
  }
  return true;
}

static bool
morph_evaluate (Morph *n, const KgContext *ctx, GError **error)
{
  g_autofree double *weights = g_new (double, n->shapes.n);
  g_autofree int64_t **partners = g_new0 (int64_t *, n->shapes.n);
  const KgGeometry *base = n->shapes.items[0].geometry;
  bool good;

  if (!morph_get_weights (n, weights, error))
    return false;
  good = true;
  for (guint i = 1; good && i < n->shapes.n; i++) {
    const KgGeometry *shape = n->shapes.items[i].geometry;

    if (n->match == MORPH_ID && weights[i] != 0)
      good = (partners[i] = morph_match_ids (base, shape, error)) != NULL;
    else if (n->match == MORPH_CLOSEST && weights[i] != 0)
      partners[i] = morph_match_closest (base, shape);
    else if (n->match == MORPH_INDEX && kg_geometry_get_n_points (shape) != kg_geometry_get_n_points (base))
      kg_context_warn (
          ctx,
          "shape %u has %zu points and the first has %zu: points without a match do not move; match by id or closest point",
          i, kg_geometry_get_n_points (shape), kg_geometry_get_n_points (base));
  }
  n->geometry = kg_geometry_ref (base);
  kg_geometry_make_writable (&n->geometry);
  for (guint i = 0; good && i < kg_geometry_get_n_attributes (base, KG_POINTS); i++) {
    KgAttribute attribute;

    kg_geometry_get_attribute (base, KG_POINTS, i, &attribute);
    if (attribute.scalar == KG_FLOAT32)
      morph_attribute (n, &attribute, weights, partners);
  }
  for (guint i = 0; i < n->shapes.n; i++)
    g_free (partners[i]);
  if (good && kg_geometry_get_float (n->geometry, KG_POINTS, "N", 3) != NULL)
    kg_geometry_compute_normals (n->geometry);
  return good;
}

static const KgSlot geometry_slots[] = {
  KG_INPUTS (Morph, shapes, GEOMETRY, .label = N_ ("Shapes"),
             .help = N_ ("Two or more shapes. The result has the points and faces of the first.")),
  KG_INPUT (Morph, amount, NUMBER, .label = N_ ("Amount"), .soft_max = 1,
            .help = N_ ("0 is the first shape, 1 the second, 2 the third; values in between interpolate.")),
  KG_INPUT (Morph, match, CHOICE, .label = N_ ("Match"), .choices = morph_matches,
            .help = N_ ("Which point of the other shape a point moves to. Points without a match do not move.")),
  KG_INPUT (
      Morph, weights, TABLE, .columns = kg_table_numbers, .label = N_ ("Weights"),
      .help = N_ (
          "Weights used instead of Amount: one for each shape after the first, to mix several shapes, as in a face.")),
  KG_OUTPUT (Morph, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The interpolated shape.")),
};

#define geometry_evaluate morph_evaluate

KG_NODE (
    morph, geometry, Morph, .label = N_ ("Morph Geometry"), .version = 1, .since = "0.1",
    .tags = N_ ("blend shape key tween interpolate mix target"),
    .help = N_ (
        "Morphs one shape into another by moving each point to its match. Colours and other attributes of the points are interpolated too; normals are recomputed."));
