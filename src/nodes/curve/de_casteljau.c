/* curve/de_casteljau: a Bezier curve made of straight lines, and cut in two.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve_geometry.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *control;
  const KgTable *points;
  double u;
  KgVector point;
  KgGeometry *construction;
  KgGeometry *left;
  KgGeometry *right;
  int64_t interpolations;
} DeCasteljau;

/* Colours of the levels: warm to cold, over and over. */
static const float de_casteljau_colors[][4] = { { 0.2f, 0.22f, 0.26f, 1 },
                                                { 1.0f, 0.3f, 0.05f, 1 },
                                                { 0.1f, 0.5f, 0.15f, 1 },
                                                { 0.08f, 0.3f, 0.9f, 1 },
                                                { 0.5f, 0.15f, 0.7f, 1 } };

/* The lines of one level, with the attributes level and Cd. */
static bool
de_casteljau_draw (KgGeometry *out, const KgVector *p, guint n, guint level, GError **error)
{
  const float *color = de_casteljau_colors[level % G_N_ELEMENTS (de_casteljau_colors)];
  size_t first;
  int32_t *levels;
  float *cd;

  if (!curve_geometry_add_polyline (out, p, n, false, &first, error))
    return false;
  levels = kg_geometry_edit_int (out, KG_POINTS, "level", 1);
  cd = kg_geometry_edit_float (out, KG_POINTS, "Cd", 4);
  for (size_t i = first; i < first + n; i++) {
    levels[i] = (int32_t) level;
    memcpy (cd + 4 * i, color, 4 * sizeof *color);
  }
  return true;
}

static KgGeometry *
de_casteljau_make (const KgVector *points, guint n, GError **error)
{
  const CurveControl control = { .basis = KG_BASIS_BEZIER, .n = n, .points = points };
  g_autoptr (KgGeometry) out = kg_geometry_new ();

  return curve_geometry_add (out, &control, error) ? g_steal_pointer (&out) : NULL;
}

static bool
de_casteljau_evaluate (DeCasteljau *n, const KgContext *ctx, GError **error)
{
  guint count;
  g_autofree KgVector *p = curve_geometry_read_points (n->control, n->points, &count);
  g_autofree KgVector *left = NULL, *right = NULL;

  (void) ctx;
  if (count < 2 || count > CURVE_MAX_ORDER) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "%u points: a Bezier curve needs 2 to %d", count, CURVE_MAX_ORDER);
    return false;
  }
  n->construction = kg_geometry_new ();
  left = g_new (KgVector, count);
  right = g_new (KgVector, count);
  for (guint level = 0; level < count; level++) {
    if (level + 1 < count && !de_casteljau_draw (n->construction, p, count - level, level, error))
      return false;
    /* The first and the last point of each level are the points of the two halves. */
    left[level] = p[0];
    right[count - 1 - level] = p[count - 1 - level];
    for (guint i = 0; i + level + 1 < count; i++) {
      p[i] = kg_vector_add_scaled (kg_vector_scale (p[i], 1 - n->u), n->u, p[i + 1]);
      n->interpolations++;
    }
  }
  n->point = left[count - 1];
  if (!kg_vector_is_finite (n->point)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "at u = %g the point is too far away to compute", n->u);
    return false;
  }
  n->left = de_casteljau_make (left, count, error);
  n->right = n->left != NULL ? de_casteljau_make (right, count, error) : NULL;
  return n->right != NULL;
}

static const KgSlot de_casteljau_slots[] = {
  KG_INPUT (DeCasteljau, points, TABLE, .label = N_ ("Points"), .columns = kg_table_points,
            .handle = { KG_HANDLE_POINTS, .unless_linked = "control" }, .def_text = "-2 -1\n-1 1\n1 1\n2 -1",
            .help = N_ ("Control points, one per line, as x y or x y z; 2 to 32. Not used while Control is linked.")),
  KG_INPUT (DeCasteljau, control, GEOMETRY, .label = N_ ("Control"), .optional = true,
            .help = N_ ("A geometry whose points, in order, are the control points.")),
  KG_INPUT (DeCasteljau, u, NUMBER, .label = N_ ("u"), .def = 1.0 / 3, .soft_max = 1, .min = -1000, .max = 1000,
            .help = N_ ("Parameter at which each line is divided and the curve is cut.")),
  KG_OUTPUT (DeCasteljau, point, VECTOR, .label = N_ ("Point"), .unit = KG_METRES,
             .help = N_ ("Point on the curve at u.")),
  KG_OUTPUT (DeCasteljau, construction, GEOMETRY, .label = N_ ("Construction"),
             .help = N_ ("The construction lines; the attribute level holds the level of each line, Cd its colour.")),
  KG_OUTPUT (DeCasteljau, left, GEOMETRY, .label = N_ ("Left"),
             .help = N_ ("The part of the curve before u, as a Bézier curve.")),
  KG_OUTPUT (DeCasteljau, right, GEOMETRY, .label = N_ ("Right"),
             .help = N_ ("The part of the curve after u, as a Bézier curve.")),
  KG_OUTPUT (DeCasteljau, interpolations, INTEGER, .label = N_ ("Interpolations"),
             .help = N_ ("Number of lines divided: 6 for a cubic.")),
};

KG_NODE (
    curve, de_casteljau, DeCasteljau, .label = N_ ("De Casteljau"), .version = 1, .since = "0.1",
    .tags = N_ ("bezier construction split subdivide cut teach"),
    .formula = "Pᵢ⁽⁰⁾ = Pᵢ\n"
               "Pᵢ⁽ʳ⁾ = (1 − u) Pᵢ⁽ʳ⁻¹⁾ + u Pᵢ₊₁⁽ʳ⁻¹⁾\n"
               "P(u) = P₀⁽ⁿ⁾; the left part has the control points P₀⁽ʳ⁾, the right part Pᵣ⁽ⁿ⁻ʳ⁾",
    .source = "de Casteljau, Outillages méthodes calcul, 1959; "
              "Farin, Curves and Surfaces for CAGD, 2002, chapter 4; Parent, Computer Animation, B.4.10",
    .help = N_ (
        "Constructs a point of a Bézier curve by repeatedly dividing straight lines. Key u to show how the curve is drawn, or use the node to cut a curve in two without changing its shape."));
