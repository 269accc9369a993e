/* transform/orthonormalize: makes a rotation again of what should be one.
 * Sources: Gram-Schmidt by cross products; the polar decomposition by singular values, which gives the rotation nearest to
 * a matrix (Kabsch 1976), with the sign of the smallest singular value chosen so that nothing is mirrored.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "transform/affine.h"
#include "kg-node.h"

#include <gsl/gsl_linalg.h>

typedef struct {
  int from;
  KgTransform transform;
  KgVector x_axis;
  KgVector y_axis;
  KgVector z_axis;
  int by;
  int method;
  int scale;
  bool uneven;
  KgTransform result;
  KgRotation rotation;
  KgVector x;
  KgVector y;
  KgVector z;
  double orthogonality;
  double deviation;
  bool mirrors;
} Orthonormalize;

enum { FROM_TRANSFORM, FROM_AXES, N_SOURCES };
enum { BY_COLUMNS, BY_ROWS, N_BY };
enum { METHOD_GRAM_SCHMIDT, METHOD_POLAR, N_METHODS };
enum { SCALE_UNIT, SCALE_FIRST, SCALE_AVERAGE, N_SCALES };

/* Axes that are nearer to one line than this, as the sine of their angle, span no plane. */
#define COLLINEAR 1e-12
/* Lengths may differ by this factor before it counts as a scale and not as an error. */
#define UNEVEN 1.1

static const KgChoice orthonormalize_sources[] = {
  [FROM_TRANSFORM] = { "transform", N_ ("A transform") },
  [FROM_AXES] = { "axes", N_ ("Three axes") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (orthonormalize_sources, N_SOURCES);

static const KgChoice orthonormalize_by[] = {
  [BY_COLUMNS] = { "columns", N_ ("Columns: the transformed axes") },
  [BY_ROWS] = { "rows", N_ ("Rows") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (orthonormalize_by, N_BY);

static const KgChoice orthonormalize_methods[] = {
  [METHOD_GRAM_SCHMIDT] = { "gram-schmidt", N_ ("Keep the first, straighten the others (Gram-Schmidt)") },
  [METHOD_POLAR] = { "polar", N_ ("The nearest rotation (polar)") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (orthonormalize_methods, N_METHODS);

static const KgChoice orthonormalize_scales[] = {
  [SCALE_UNIT] = { "unit", N_ ("Unit length") },
  [SCALE_FIRST] = { "first", N_ ("Length of the first") },
  [SCALE_AVERAGE] = { "average", N_ ("Average length") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (orthonormalize_scales, N_SCALES);

static const char *
orthonormalize_get_name (const Orthonormalize *n, int axis)
{
  static const char *const names[3][3] = { { "x axis", "y axis", "z axis" },
                                           { "first column", "second column", "third column" },
                                           { "first row", "second row", "third row" } };

  return names[n->from == FROM_AXES ? 0 : n->by == BY_COLUMNS ? 1 : 2][axis];
}

/* The axes at length 1 where they have one; their largest number is taken out first, so that no square overflows. */
static bool
orthonormalize_get_directions (const Orthonormalize *n, const KgVector axes[3], KgVector directions[3],
                               double lengths[3], GError **error)
{
  for (int i = 0; i < 3; i++) {
    const KgVector a = axes[i];
    const double size = kg_vector_get_largest (a);
    const KgVector scaled = kg_vector (size > 0 ? a.x / size : 0, size > 0 ? a.y / size : 0, size > 0 ? a.z / size : 0);
    const double length = kg_vector_length (scaled);

    lengths[i] = size * length;
    directions[i] = kg_vector_normalize_or (scaled, kg_vector (0, 0, 0));
    if (size > 0 || (i == 2 && n->method == METHOD_GRAM_SCHMIDT) || n->method == METHOD_POLAR)
      continue;
    kg_set_error (error, KG_ERROR_DEGENERATE, "the %s is 0 0 0, which has no direction: give it a direction",
                  orthonormalize_get_name (n, i));
    return false;
  }
  return true;
}

static bool
orthonormalize_by_crossing (const Orthonormalize *n, const KgVector u[3], KgVector out[3], GError **error)
{
  const KgVector third = kg_vector_cross (u[0], u[1]);

  if (!(kg_vector_length (third) > COLLINEAR)) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the %s and the %s are collinear, so they do not span a plane: change the direction of one of them",
                  orthonormalize_get_name (n, 0), orthonormalize_get_name (n, 1));
    return false;
  }
  out[0] = u[0];
  out[2] = kg_vector_normalize_or (third, kg_vector (0, 0, 1));
  out[1] = kg_vector_cross (out[2], out[0]);
  return true;
}

/* U Vᵀ, the third columns made from the others: that is a rotation even where a singular value is zero. */
static bool
orthonormalize_by_polar (const Orthonormalize *n, const KgVector axes[3], const KgContext *ctx, KgVector out[3],
                         GError **error)
{
  const bool mirrors = kg_vector_dot (kg_vector_cross (axes[0], axes[1]), axes[2]) < 0;
  double a[9], v[9], s[3], size = 0;
  gsl_matrix_view u_view = gsl_matrix_view_array (a, 3, 3), v_view = gsl_matrix_view_array (v, 3, 3);
  gsl_vector_view s_view = gsl_vector_view_array (s, 3);
  KgVector left[3], right[3];

  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      size = fmax (size, fabs (kg_vector_get (axes[j], i)));
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      a[3 * i + j] = size > 0 ? kg_vector_get (axes[j], i) / size : 0;
  gsl_linalg_SV_decomp_jacobi (&u_view.matrix, &v_view.matrix, &s_view.vector);
  if (!(s[1] > COLLINEAR * s[0])) {
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "the %s, %s and %s are all collinear or 0 0 0, so the nearest rotation is not unique: give two of them different directions",
        orthonormalize_get_name (n, 0), orthonormalize_get_name (n, 1), orthonormalize_get_name (n, 2));
    return false;
  }
  /* A mirror has to be taken out of the direction that matters least. */
  if (mirrors && !(s[1] - s[2] > COLLINEAR * s[0]))
    kg_context_warn (
        ctx,
        "the axes mirror, and no direction matters least, so the nearest rotation is not unique: reverse one axis");
  for (int k = 0; k < 2; k++) {
    left[k] = kg_vector (a[k], a[3 + k], a[6 + k]);
    right[k] = kg_vector (v[k], v[3 + k], v[6 + k]);
  }
  left[2] = kg_vector_cross (left[0], left[1]);
  right[2] = kg_vector_cross (right[0], right[1]);
  for (int j = 0; j < 3; j++) {
    out[j] = kg_vector (0, 0, 0);
    for (int k = 0; k < 3; k++)
      out[j] = kg_vector_add_scaled (out[j], kg_vector_get (right[k], j), left[k]);
  }
  return true;
}

static bool
orthonormalize_check_lengths (const Orthonormalize *n, const double lengths[3], GError **error)
{
  const double low = fmin (lengths[0], fmin (lengths[1], lengths[2]));
  const double high = fmax (lengths[0], fmax (lengths[1], lengths[2]));

  if (n->from == FROM_AXES || n->uneven || high <= UNEVEN * low)
    return true;
  kg_set_error (
      error, KG_ERROR_DEGENERATE,
      "the lengths %g, %g and %g differ by more than a tenth, so an intended scale cannot be distinguished from an error: turn on Even out lengths to make them equal",
      lengths[0], lengths[1], lengths[2]);
  return false;
}

static bool
orthonormalize_evaluate (Orthonormalize *n, const KgContext *ctx, GError **error)
{
  KgTransform given = n->from == FROM_AXES ? kg_transform_identity () : n->transform, source;
  KgVector axes[3], directions[3], out[3];
  double lengths[3], length = 1;

  n->rotation = kg_rotation_identity ();
  n->result = kg_transform_identity ();
  if (!affine_is (&given)) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the transform is projective, unlike any rotation: use one with a last row of 0 0 0 1");
    return false;
  }
  if (n->from == FROM_AXES) {
    kg_transform_set_column (&given, 0, n->x_axis);
    kg_transform_set_column (&given, 1, n->y_axis);
    kg_transform_set_column (&given, 2, n->z_axis);
  }
  source = n->by == BY_ROWS && n->from == FROM_TRANSFORM ? affine_transpose_linear (&given) : given;
  for (int j = 0; j < 3; j++)
    axes[j] = kg_transform_get_column (&source, j);
  if (!orthonormalize_get_directions (n, axes, directions, lengths, error) ||
      !orthonormalize_check_lengths (n, lengths, error))
    return false;
  if (!(n->method == METHOD_POLAR ? orthonormalize_by_polar (n, axes, ctx, out, error)
                                  : orthonormalize_by_crossing (n, directions, out, error)))
    return false;
  n->mirrors = kg_vector_dot (kg_vector_cross (directions[0], directions[1]), directions[2]) < 0;
  if (n->scale != SCALE_UNIT)
    length = n->scale == SCALE_FIRST ? lengths[0] : lengths[0] / 3 + lengths[1] / 3 + lengths[2] / 3;
  for (int j = 0; j < 3; j++)
    kg_transform_set_column (&n->result, j, out[j]);
  if (n->by == BY_ROWS && n->from == FROM_TRANSFORM)
    n->result = affine_transpose_linear (&n->result);
  n->rotation = kg_rotation_from_transform (n->result);
  n->x = kg_transform_get_column (&n->result, 0);
  n->y = kg_transform_get_column (&n->result, 1);
  n->z = kg_transform_get_column (&n->result, 2);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      n->result.m[i][j] *= length;
      n->deviation = fmax (n->deviation, fabs (n->result.m[i][j] - given.m[i][j]));
    }
  kg_transform_set_place (&n->result, kg_transform_get_place (&given));
  n->orthogonality = affine_get_orthogonality (&given);
  return true;
}

static const KgSlot orthonormalize_slots[] = {
  KG_INPUT (Orthonormalize, from, CHOICE, .label = N_ ("From"), .choices = orthonormalize_sources,
            .help = N_ ("What to orthonormalize.")),
  KG_INPUT (Orthonormalize, transform, TRANSFORM, .label = N_ ("Transform"), .shown_when = "from=transform",
            .help = N_ ("Rotation with errors; its translation is kept.")),
  KG_INPUT (Orthonormalize, x_axis, VECTOR, .label = N_ ("x axis"), .def_v = { 1, 0, 0 }, .shown_when = "from=axes",
            .help = N_ ("Direction of x.")),
  KG_INPUT (Orthonormalize, y_axis, VECTOR, .label = N_ ("y axis"), .def_v = { 0, 1, 0 }, .shown_when = "from=axes",
            .help = N_ ("Direction of y, followed as closely as possible.")),
  KG_INPUT (Orthonormalize, z_axis, VECTOR, .label = N_ ("z axis"), .def_v = { 0, 0, 1 }, .shown_when = "from=axes",
            .help = N_ ("Direction of z; with Gram-Schmidt it follows from the others.")),
  KG_INPUT (
      Orthonormalize, by, CHOICE, .label = N_ ("Axes in"), .choices = orthonormalize_by, .shown_when = "from=transform",
      .help = N_ (
          "Whether the axes are the columns or the rows of the matrix: matters to Gram-Schmidt only, which keeps the first.")),
  KG_INPUT (
      Orthonormalize, method, CHOICE, .label = N_ ("Method"), .choices = orthonormalize_methods,
      .help = N_ ("Gram-Schmidt keeps one direction and leaves the error to the others; polar spreads it evenly.")),
  KG_INPUT (Orthonormalize, scale, CHOICE, .label = N_ ("Length"), .choices = orthonormalize_scales,
            .help = N_ ("Length of the resulting axes: 1 for a rotation, otherwise a uniform scale.")),
  KG_INPUT (Orthonormalize, uneven, BOOLEAN, .label = N_ ("Even out lengths"), .shown_when = "from=transform",
            .help = N_ ("Treats lengths that differ by more than a tenth as an error and makes them equal.")),
  KG_OUTPUT (Orthonormalize, result, TRANSFORM, .label = N_ ("Transform"), .help = N_ ("Orthonormalized transform.")),
  KG_OUTPUT (Orthonormalize, rotation, ROTATION, .label = N_ ("Rotation"),
             .help = N_ ("Rotation of the resulting transform.")),
  KG_OUTPUT (Orthonormalize, x, VECTOR, .label = N_ ("x"), .help = N_ ("Resulting x axis, of length 1.")),
  KG_OUTPUT (Orthonormalize, y, VECTOR, .label = N_ ("y"), .help = N_ ("Resulting y axis, of length 1.")),
  KG_OUTPUT (Orthonormalize, z, VECTOR, .label = N_ ("z"), .help = N_ ("Resulting z axis, of length 1.")),
  KG_OUTPUT (Orthonormalize, orthogonality, NUMBER, .label = N_ ("Error"),
             .help = N_ ("How far the input is from a rotation: the largest entry in A Aᵀ - 1.")),
  KG_OUTPUT (Orthonormalize, deviation, NUMBER, .label = N_ ("Largest change"),
             .help = N_ ("Change of the matrix entry that changes most.")),
  KG_OUTPUT (Orthonormalize, mirrors, BOOLEAN, .label = N_ ("Mirrors"),
             .help = N_ ("Whether the input mirrors; the result does not.")),
};

KG_NODE (
    transform, orthonormalize, Orthonormalize, .label = N_ ("Orthonormalize"), .version = 1, .since = "0.1",
    .tags = N_ ("rotation matrix basis axes direction cosines gram schmidt polar drift rounding straighten rigid"),
    .help = N_ (
        "Makes a rotation from three axes, or from a transform that has accumulated errors: the axes become perpendicular and equal in length."));
