/* point_field: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "field/point_field.h"

#include "geometry/point_tree.h"

typedef struct {
  KgGeometry *points;
  PointTree *tree;
  PointGrid *grid;
  PointFieldKind kind;
  float *values; /* (nullable) of each point */
  guint width;   /* of values */
  double radius;
} Points;

static void
points_free (gpointer data)
{
  Points *points = (Points *) data;

  kg_geometry_unref (points->points);
  g_clear_pointer (&points->tree, point_tree_free);
  g_clear_pointer (&points->grid, point_grid_free);
  g_free (points->values);
  g_free (points);
}

static bool
points_equal (gconstpointer a, gconstpointer b)
{
  const Points *first = (const Points *) a, *second = (const Points *) b;
  const size_t n = kg_geometry_get_n_points (first->points);

  return first->kind == second->kind && first->radius == second->radius && first->width == second->width &&
         n == kg_geometry_get_n_points (second->points) &&
         memcmp (kg_geometry_get_positions (first->points), kg_geometry_get_positions (second->points),
                 3 * n * sizeof (float)) == 0 &&
         (first->values == NULL) == (second->values == NULL) &&
         (first->values == NULL || memcmp (first->values, second->values, first->width * n * sizeof (float)) == 0);
}

static void
sample_one (const Points *points, const float place[3], GArray *found, double *out)
{
  const double r2 = points->radius * points->radius;
  double sum = 0;
  PointNear near;

  out[0] = out[1] = out[2] = 0;
  if (points->kind == POINT_FIELD_DISTANCE || points->kind == POINT_FIELD_NEAREST) {
    const bool any = point_tree_find_nearest (points->tree, place, 1, (float) points->radius, &near) == 1;

    if (points->kind == POINT_FIELD_DISTANCE)
      out[0] = any ? sqrt ((double) near.distance2) : points->radius;
    for (guint c = 0; points->kind == POINT_FIELD_NEAREST && any && c < points->width; c++)
      out[c] = points->values != NULL ? (double) points->values[points->width * near.index + c] : 1;
    return;
  }
  g_array_set_size (found, 0);
  point_grid_find_within (points->grid, place, (float) points->radius, found);
  for (guint k = 0; k < found->len; k++) {
    const PointNear *each = &g_array_index (found, PointNear, k);
    const double q = fmax (0, 1 - (double) each->distance2 / r2), weight = q * q * q;

    sum += weight;
    for (guint c = 0; c < points->width; c++)
      out[c] += weight * (points->values != NULL ? (double) points->values[points->width * each->index + c] : 1);
  }
  for (guint c = 0; c < points->width; c++)
    if (points->kind == POINT_FIELD_DENSITY)
      out[c] *= 315 / (64 * KG_PI * r2 * points->radius);
    else
      out[c] = sum > 0 ? out[c] / sum : 0;
}

static void
sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const Points *points = (const Points *) kg_field_get_data (field);
  g_autoptr (GArray) found = g_array_new (false, false, sizeof (PointNear));

  for (size_t i = 0; i < block->n; i++) {
    const float place[3] = { block->x[i], block->y[i], block->z[i] };
    double values[3];

    sample_one (points, place, found, values);
    for (guint c = 0; c < points->width; c++)
      out[c][i] = (float) values[c];
  }
}

static const KgFieldClass number_class = {
  .name = "points", .width = 1, .sample = sample, .free_data = points_free, .equal_data = points_equal
};
static const KgFieldClass vector_class = {
  .name = "points_vector", .width = 3, .sample = sample, .free_data = points_free, .equal_data = points_equal
};

/* What points carry as floats: one number each where density is asked for. */
static bool
read_values (Points *points, const char *name, GError **error)
{
  const size_t n = kg_geometry_get_n_points (points->points);
  const guint most = points->kind == POINT_FIELD_DENSITY ? 1 : 3;
  KgAttribute attribute;

  if (!kg_geometry_find_attribute (points->points, KG_POINTS, name, &attribute) || attribute.scalar == KG_STRING) {
    if (n == 0)
      return true;
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the points have no attribute \"%s\" of numbers: type the name of one that they have", name);
    return false;
  }
  points->width = attribute.size >= 3 ? most : 1;
  points->values = g_new (float, MAX (points->width * n, 1));
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < points->width; c++) {
      const size_t at = attribute.size * i + c;

      points->values[points->width * i + c] = attribute.scalar == KG_INT32
                                                  ? (float) ((const int32_t *) attribute.data)[at]
                                                  : ((const float *) attribute.data)[at];
    }
  return true;
}

KgField *
point_field_new (const KgGeometry *geometry, PointFieldKind kind, const char *attribute, double radius,
                 const KgProgressMonitor *monitor, GError **error)
{
  const size_t n = kg_geometry_get_n_points (geometry);
  Points *points = g_new0 (Points, 1);

  points->points = kg_geometry_ref (geometry);
  points->kind = kind;
  points->radius = radius;
  points->width = 1;
  if (attribute != NULL && kind != POINT_FIELD_DISTANCE && !read_values (points, attribute, error)) {
    points_free (points);
    return NULL;
  }
  if (kind == POINT_FIELD_DISTANCE || kind == POINT_FIELD_NEAREST)
    points->tree = point_tree_new (kg_geometry_get_positions (geometry), n, monitor);
  else
    points->grid = point_grid_new (kg_geometry_get_positions (geometry), n, (float) radius, monitor);
  if (points->tree == NULL && points->grid == NULL) {
    points_free (points);
    return NULL;
  }
  return kg_field_new_with_data (points->width == 3 ? &vector_class : &number_class, NULL, 0, NULL, 0, points, error);
}
