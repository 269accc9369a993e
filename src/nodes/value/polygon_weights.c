/* value/polygon_weights: a point as a blend of the corners of a polygon.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/polygon_weights.h"
#include "kg-node.h"

typedef struct {
  const KgTable *corners;
  KgVector point;
  int method;
  const KgTable *values;
  KgTable *weights;
  KgVector blend;
  bool inside;
} PolygonWeightsNode;

/* Corners of a polygon. */
#define MAX_CORNERS 100000

static const KgChoice polygon_weights_methods[] = {
  [POLYGON_WEIGHTS_MEAN_VALUE] = { "mean-value", N_ ("Mean values: any polygon, also outside") },
  [POLYGON_WEIGHTS_WACHSPRESS] = { "wachspress", N_ ("Wachspress: convex polygons, inside") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (polygon_weights_methods, POLYGON_WEIGHTS_N);

static bool
polygon_weights_evaluate (PolygonWeightsNode *n, const KgContext *ctx, GError **error)
{
  static const char *const names[] = { "weight" };
  const size_t count = kg_table_get_n_rows (n->corners), n_values = kg_table_get_n_rows (n->values);
  const KgTable *values = n_values > 0 ? n->values : n->corners;
  g_autofree KgVector *corners = g_new (KgVector, MAX (MIN (count, MAX_CORNERS), 1));
  double *weights;

  (void) ctx;
  if (count > MAX_CORNERS) {
    kg_set_error (error, KG_ERROR_LIMIT, "the polygon has %zu corners: use at most %d", count, MAX_CORNERS);
    return false;
  }
  if (n_values > 0 && n_values != count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "there are %zu corners and %zu values: give one value per corner",
                  count, n_values);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const double *row = kg_table_get_row (n->corners, i);

    corners[i] = kg_vector (row[0], row[1], row[2]);
  }
  n->weights = kg_table_new (1, names, count, error);
  if (n->weights == NULL)
    return false;
  weights = kg_table_edit (n->weights);
  if (!polygon_weights_find ((PolygonWeights) n->method, corners, count, n->point, weights, &n->inside, error))
    return false;
  for (size_t i = 0; i < count; i++) {
    const double *row = kg_table_get_row (values, i);

    n->blend = kg_vector_add_scaled (n->blend, weights[i], kg_vector (row[0], row[1], row[2]));
  }
  return true;
}

static const KgSlot polygon_weights_slots[] = {
  KG_INPUT (PolygonWeightsNode, corners, TABLE, .label = N_ ("Corners"), .columns = kg_table_points,
            .def_text = "0 0; 1 0; 1 1; 0 1", .help = N_ ("The corners of the polygon, one after the other.")),
  KG_INPUT (PolygonWeightsNode, point, VECTOR, .label = N_ ("Point"), .unit = KG_METRES, .def_v = { 0.3, 0.2, 0 },
            .help = N_ ("A point in its plane.")),
  KG_INPUT (PolygonWeightsNode, method, CHOICE, .label = N_ ("Method"), .choices = polygon_weights_methods,
            .help = N_ ("How the weights are computed; on the edges both methods agree.")),
  KG_INPUT (
      PolygonWeightsNode, values, TABLE, .label = N_ ("Values"), .columns = kg_table_points, .def_text = "",
      .help =
          N_ ("Values to blend: x, y and z for each corner, such as its new position, or a colour. Empty: the corners "
              "themselves.")),
  KG_OUTPUT (PolygonWeightsNode, weights, TABLE, .label = N_ ("Weights"),
             .help = N_ ("Weights of the corners; they add up to 1.")),
  KG_OUTPUT (PolygonWeightsNode, blend, VECTOR, .label = N_ ("Blend"),
             .help = N_ ("The values blended with these weights: the point again, if there are none.")),
  KG_OUTPUT (PolygonWeightsNode, inside, BOOLEAN, .label = N_ ("Inside"),
             .help = N_ ("Whether the point is inside of the polygon or on its edge.")),
};

KG_NODE (
    value, polygon_weights, PolygonWeightsNode, .label = N_ ("Polygon Weights"), .version = 1, .since = "0.1",
    .tags = N_ ("barycentric coordinates wachspress mean value cage blend interpolate polygon corners weights"),
    .formula = "mean values: wᵢ = (tan αᵢ₋₁/2 + tan αᵢ/2)/|Vᵢ − P|\n"
               "Wachspress: wᵢ = A(Vᵢ₋₁, Vᵢ, Vᵢ₊₁)/(A(Vᵢ₋₁, Vᵢ, P) A(Vᵢ, Vᵢ₊₁, P)); both over their sum",
    .source = "Wachspress 1975; Floater, Mean value coordinates, 2003; Parent, Computer Animation, B.2.9",
    .help = N_ ("Computes the weight of each corner of a polygon at a point, and blends values of the corners by these "
                "weights: a value that follows a handle between several poses, or a point that moves with a cage."));
