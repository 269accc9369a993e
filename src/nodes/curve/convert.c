/* curve/convert: the same curve, said in another basis.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve_convert.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *geometry;
  int to;
  int64_t degree;
  KgGeometry *converted;
  double error;
} Convert;

static const KgChoice convert_targets[] = {
  [CURVE_TO_BEZIER] = { "bezier", N_ ("Bézier: points and handles") },
  [CURVE_TO_HERMITE] = { "hermite", N_ ("Hermite: points and tangents") },
  [CURVE_TO_B_SPLINE] = { "b-spline", N_ ("B-spline") },
  [CURVE_TO_FOUR_POINT] = { "four-point", N_ ("Four-point form") },
  [CURVE_TO_UNIFORM_B_SPLINE] = { "uniform-b-spline", N_ ("B-spline, uniform up to its ends") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (convert_targets, CURVE_N_TARGETS);

static bool
convert_one (Convert *n, size_t index, const KgContext *ctx, GError **error)
{
  g_autoptr (Curve) curve = curve_new (n->geometry, index, error), after = NULL;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const size_t made = kg_geometry_get_n_primitives (n->converted);

  if (curve == NULL)
    return false;
  if (curve_get_warning (curve) != NULL)
    kg_context_warn (ctx, "%s", curve_get_warning (curve));
  if (!curve_convert (curve, (CurveTarget) n->to, (guint) n->degree, n->converted, &monitor, error))
    return false;
  after = curve_new (n->converted, made, error);
  if (after == NULL)
    return false;
  n->error = fmax (n->error, curve_convert_measure (curve, after, &monitor));
  return true;
}

static bool
convert_evaluate (Convert *n, const KgContext *ctx, GError **error)
{
  n->converted = kg_geometry_new ();
  for (size_t i = 0; i < kg_geometry_get_n_primitives (n->geometry); i++) {
    if (kg_context_is_cancelled (ctx))
      return false;
    if (!convert_one (n, i, ctx, error)) {
      kg_prefix_error (error, "curve %zu: ", i);
      return false;
    }
  }
  return true;
}

static const KgSlot convert_slots[] = {
  KG_INPUT (Convert, geometry, GEOMETRY, .label = N_ ("Curves"), .help = N_ ("Splines, polylines or polygons.")),
  KG_INPUT (
      Convert, to, CHOICE, .label = N_ ("To"), .choices = convert_targets,
      .help = N_ (
          "Basis of the result. Rational curves and degrees above 3 can only be converted to Bézier curves or B-splines. A B-spline begins and ends in its first and last control points; a uniform one begins and ends between them, with evenly spaced knots beyond.")),
  KG_INPUT (Convert, degree, INTEGER, .shown_when = "to=bezier", .label = N_ ("Degree"), .min = 0, .max = 31,
            .soft_max = 6, .help = N_ ("Raises Bézier segments to at least this degree; the shape does not change.")),
  KG_OUTPUT (Convert, converted, GEOMETRY, .label = N_ ("Converted"),
             .help = N_ ("The same curves with the control points of the new basis.")),
  KG_OUTPUT (Convert, error, NUMBER, .label = N_ ("Error"), .unit = KG_METRES,
             .help = N_ (
                 "Largest distance between the curves before and after, caused by the rounding of the stored points.")),
};

KG_NODE (
    curve, convert, Convert, .label = N_ ("Convert Curve"), .version = 1, .since = "0.1",
    .tags = N_ ("basis bezier hermite b-spline handles elevate degree exact"),
    .formula = "B_new = M_new⁻¹ · M_old · B_old\n"
               "Hermite → Bézier: P₀, P₀ + T₀/3, P₁ − T₁/3, P₁\n"
               "uniform B-spline → Bézier: (P₀ + 4P₁ + P₂)/6, (2P₁ + P₂)/3, (P₁ + 2P₂)/3, (P₁ + 4P₂ + P₃)/6\n"
               "Bézier → uniform B-spline: 6b₀ − 7b₁ + 2b₂, 2b₁ − b₂, 2b₂ − b₁, 2b₁ − 7b₂ + 6b₃\n"
               "raised degree: Qᵢ = i/(n + 1) · Pᵢ₋₁ + (1 − i/(n + 1)) · Pᵢ",
    .source = "Farin, Curves and Surfaces for CAGD, 2002, chapters 5 to 8; "
              "Ramshaw, Blossoms Are Polar Forms, 1989; Parent, Computer Animation, B.4",
    .help = N_ (
        "Converts a curve to another basis without changing its shape: a curve drawn through points gets handles, or the control points of a B-spline. The curve keeps its own parameter."));
