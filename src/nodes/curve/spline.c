/* curve/spline: a curve through or near control points.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/bspline.h"
#include "curve/curve.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *control;
  const KgTable *points;
  int basis;
  bool closed;
  int64_t order;
  int knots;
  const KgTable *knot_values;
  int reach;
  const KgTable *weights;
  int pieces;
  int joint;
  double handle;
  const KgTable *places;
  int end;
  KgVector start_tangent;
  KgVector end_tangent;
  int direction;
  int lengths;
  int spacing;
  const KgTable *times;
  double tension;
  double continuity;
  double bias;
  const KgTable *tcb;
  const KgTable *tangents;
  const KgTable *tangents_in;
  bool handles;
  double tangent_scale;
  KgGeometry *geometry;
  double length;
  int64_t segments;
} Spline;

enum {
  SPLINE_CATMULL_ROM,
  SPLINE_HERMITE,
  SPLINE_BEZIER,
  SPLINE_B_SPLINE,
  SPLINE_TCB,
  SPLINE_LINEAR,
  SPLINE_CUBIC,
  SPLINE_PARABOLIC,
  SPLINE_BEZIER_THROUGH,
  SPLINE_FOUR_POINT,
  SPLINE_POLYNOMIAL,
  N_BASES
};

static const KgChoice spline_bases[] = {
  [SPLINE_CATMULL_ROM] = { "catmull-rom", N_ ("Catmull-Rom: through all points") },
  [SPLINE_HERMITE] = { "hermite", N_ ("Hermite: through all points, with given tangents") },
  [SPLINE_BEZIER] = { "bezier", N_ ("Bézier: handles between the points") },
  [SPLINE_B_SPLINE] = { "b-spline", N_ ("B-spline: near the points, very smooth") },
  [SPLINE_TCB] = { "kochanek-bartels", N_ ("Kochanek-Bartels: tension, continuity, bias") },
  [SPLINE_LINEAR] = { "linear", N_ ("Linear: straight segments") },
  [SPLINE_CUBIC] = { "cubic-spline", N_ ("Cubic spline: through all points, continuous curvature") },
  [SPLINE_PARABOLIC] = { "parabolic", N_ ("Blended parabolas: through all points") },
  [SPLINE_BEZIER_THROUGH] = { "bezier-through", N_ ("Bézier through all points, automatic handles") },
  [SPLINE_FOUR_POINT] = { "four-point", N_ ("Four-point form: one cubic per four points") },
  [SPLINE_POLYNOMIAL] = { "polynomial", N_ ("Polynomial: coefficients a, b, c, d of u³, u², u, 1") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (spline_bases, N_BASES);

/* The properties of a primitive for each of them. */
static const KgBasis spline_to_basis[] = { KG_BASIS_CATMULL_ROM, KG_BASIS_HERMITE, KG_BASIS_BEZIER, KG_BASIS_BSPLINE,
                                           KG_BASIS_KOCHANEK_BARTELS, KG_BASIS_LINEAR, KG_BASIS_CUBIC_SPLINE,
                                           /* Parabolas blended linearly have the tangents of Catmull and Rom; ... */
                                           KG_BASIS_CATMULL_ROM,
                                           /* ... these are theirs at another tension ... */
                                           KG_BASIS_KOCHANEK_BARTELS, KG_BASIS_FOUR_POINT,
                                           /* ... and coefficients become Bezier points. */
                                           KG_BASIS_BEZIER };

enum { KNOTS_UNIFORM, KNOTS_CLAMPED, KNOTS_CUSTOM, N_KNOTS };

static const KgChoice spline_knots[] = {
  [KNOTS_UNIFORM] = { "uniform", N_ ("Uniform") },
  [KNOTS_CLAMPED] = { "clamped", N_ ("Clamped: reaches the end points") },
  [KNOTS_CUSTOM] = { "custom", N_ ("As typed") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (spline_knots, N_KNOTS);

enum { REACH_NONE, REACH_PHANTOM, REACH_TRIPLE, N_REACHES };

static const KgChoice spline_reaches[] = {
  [REACH_NONE] = { "none", N_ ("Inside the points") },
  [REACH_PHANTOM] = { "phantom", N_ ("To the end points, with mirrored points") },
  [REACH_TRIPLE] = { "triple", N_ ("To the end points, with repeated points") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (spline_reaches, N_REACHES);

enum { PIECES_CUBIC, PIECES_SINGLE, N_PIECES };

static const KgChoice spline_pieces[] = {
  [PIECES_CUBIC] = { "cubic", N_ ("Cubic segments: point, handle, handle, point ...") },
  [PIECES_SINGLE] = { "single", N_ ("One segment for all points") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (spline_pieces, N_PIECES);

enum { JOINT_FREE, JOINT_ALIGNED, JOINT_MIRRORED, N_JOINTS };

static const KgChoice spline_joints[] = {
  [JOINT_FREE] = { "free", N_ ("Free: as typed") },
  [JOINT_ALIGNED] = { "aligned", N_ ("Aligned: same direction") },
  [JOINT_MIRRORED] = { "mirrored", N_ ("Mirrored: same direction and length") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (spline_joints, N_JOINTS);

static const KgChoice spline_ends[] = {
  [KG_END_AUTO] = { "auto", N_ ("Automatic") },
  [KG_END_REFLECT] = { "reflect", N_ ("Along the first segment") },
  [KG_END_REPEAT] = { "repeat", N_ ("Along the first segment, half as fast") },
  [KG_END_GIVEN] = { "given", N_ ("With given tangents") },
  [KG_END_PARABOLA] = { "parabola", N_ ("As a parabola") },
  [KG_END_NATURAL] = { "natural", N_ ("Natural: no curvature") },
  [KG_END_NOT_A_KNOT] = { "not-a-knot", N_ ("Not a knot (cubic splines)") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (spline_ends, KG_END_NOT_A_KNOT + 1);

enum { DIRECTION_NEIGHBOURS, DIRECTION_BISECTOR, N_DIRECTIONS };
enum { LENGTHS_COMMON, LENGTHS_RELATIVE, N_LENGTHS };

static const KgChoice spline_directions[] = {
  [DIRECTION_NEIGHBOURS] = { "neighbours", N_ ("Parallel to the line through the neighbours") },
  [DIRECTION_BISECTOR] = { "bisector", N_ ("Along the bisector of the angle") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (spline_directions, N_DIRECTIONS);

static const KgChoice spline_lengths[] = {
  [LENGTHS_COMMON] = { "common", N_ ("Equal on both sides") },
  [LENGTHS_RELATIVE] = { "relative", N_ ("As long as the segments") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (spline_lengths, N_LENGTHS);

enum { SPACING_TIMES = KG_N_SPACINGS };

/* The values of KgSplineSpacing, then one of this node. */
static const KgChoice spline_spacings[] = {
  [KG_SPACING_UNIFORM] = { "uniform", N_ ("Uniform: one unit per segment") },
  [KG_SPACING_CHORD] = { "chord", N_ ("By distance") },
  [KG_SPACING_CENTRIPETAL] = { "centripetal", N_ ("By the square root of the distance") },
  [SPACING_TIMES] = { "times", N_ ("As typed") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (spline_spacings, SPACING_TIMES + 1);

static void
spline_copy_attribute (const KgGeometry *from, KgGeometry *to, const char *name, uint8_t size)
{
  const float *x = kg_geometry_get_float (from, KG_POINTS, name, size);

  if (x != NULL)
    memcpy (kg_geometry_edit_float (to, KG_POINTS, name, size), x,
            kg_geometry_get_n_points (from) * size * sizeof (float));
}

/* Control points from the geometry (in the order of its points), or from the text. */
static bool
spline_read_points (const Spline *n, KgGeometry *out, GError **error)
{
  size_t n_cells;
  float *p;

  if (n->control != NULL && kg_geometry_get_n_points (n->control) > 0) {
    const size_t count = kg_geometry_get_n_points (n->control);

    if (!kg_geometry_set_n_points (out, count, error))
      return false;
    memcpy (kg_geometry_edit_positions (out), kg_geometry_get_positions (n->control), count * 3 * sizeof (float));
    if (n->basis == SPLINE_B_SPLINE)
      spline_copy_attribute (n->control, out, "weight", 1);
    if (n->basis == SPLINE_TCB)
      spline_copy_attribute (n->control, out, "tcb", 3);
    return true;
  }
  if (!kg_geometry_set_n_points (out, kg_table_get_n_rows (n->points), error))
    return false;
  p = kg_geometry_edit_positions (out);
  n_cells = 3 * kg_table_get_n_rows (n->points);
  for (size_t i = 0; i < n_cells; i++)
    p[i] = (float) kg_table_get_cells (n->points)[i];
  return true;
}

/* At most one row for each point. */
static bool
spline_check_rows (const KgTable *table, const char *name, size_t n_points, GError **error)
{
  if (kg_table_get_n_rows (table) <= n_points)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s: %zu rows for %zu points: give at most one row per point", name,
                kg_table_get_n_rows (table), n_points);
  return false;
}

/* Tangents of a Hermite curve: one row a point; rows that are missing are those of Catmull and Rom.  A point without an
 * incoming tangent of its own is smooth: it is left as it is reached. */
static bool
spline_set_tangents (const Spline *n, KgGeometry *out, GError **error)
{
  const size_t count = kg_geometry_get_n_points (out);
  const float *p = kg_geometry_get_positions (out);
  float *in = kg_geometry_edit_float (out, KG_POINTS, "tangent_in", 3);
  float *leaving = kg_geometry_edit_float (out, KG_POINTS, "tangent_out", 3);
  /* A handle of a Bezier curve is a third of the tangent away from its point, the incoming one backwards. */
  const double scale = (n->handles ? 3 : 1) * n->tangent_scale;
  const double scale_in = (n->handles ? -3 : 1) * n->tangent_scale;
  const double *typed = kg_table_get_cells (n->tangents), *typed_in = kg_table_get_cells (n->tangents_in);
  const size_t rows = kg_table_get_n_rows (n->tangents), rows_in = kg_table_get_n_rows (n->tangents_in);

  if (!spline_check_rows (n->tangents, "tangents", count, error) ||
      !spline_check_rows (n->tangents_in, "tangents_in", count, error))
    return false;
  if (n->control != NULL && rows == 0 && rows_in == 0 &&
      kg_geometry_get_float (n->control, KG_POINTS, "tangent_out", 3) != NULL) {
    spline_copy_attribute (n->control, out, "tangent_out", 3);
    spline_copy_attribute (
        n->control, out,
        kg_geometry_get_float (n->control, KG_POINTS, "tangent_in", 3) != NULL ? "tangent_in" : "tangent_out", 3);
    if (kg_geometry_get_float (n->control, KG_POINTS, "tangent_in", 3) == NULL)
      memcpy (in, kg_geometry_get_float (n->control, KG_POINTS, "tangent_out", 3), count * 3 * sizeof (float));
    return true;
  }
  for (size_t i = 0; i < count; i++)
    for (size_t c = 0; c < 3; c++) {
      const size_t before = i > 0 ? i - 1 : n->closed ? count - 1 : 0;
      const size_t after = i + 1 < count ? i + 1 : n->closed ? 0 : i;
      const float chord = p[3 * after + c] - p[3 * before + c];

      leaving[3 * i + c] = i < rows ? (float) (scale * typed[3 * i + c]) : chord * (after - before == 1 ? 1 : 0.5f);
      in[3 * i + c] = i < rows_in ? (float) (scale_in * typed_in[3 * i + c]) : leaving[3 * i + c];
    }
  return true;
}

/* Tension, continuity and bias of each point: typed rows, then those of Control, then the common ones. */
static bool
spline_set_tcb (const Spline *n, KgGeometry *out, GError **error)
{
  const size_t count = kg_geometry_get_n_points (out);
  const bool through = n->basis == SPLINE_BEZIER_THROUGH;
  const bool own = !through && kg_geometry_get_float (out, KG_POINTS, "tcb", 3) != NULL;
  const size_t rows = through ? 0 : kg_table_get_n_rows (n->tcb);
  float *tcb;

  if (!through && !spline_check_rows (n->tcb, "tcb", count, error))
    return false;
  tcb = kg_geometry_edit_float (out, KG_POINTS, "tcb", 3);
  for (size_t i = 0; i < count; i++) {
    /* Handles at a share h of the line through the neighbours are tangents of 3 h of it; tension makes (1 - t) / 2. */
    const double common[] = { through ? 1 - 6 * n->handle : n->tension, through ? 0 : n->continuity,
                              through ? 0 : n->bias };

    for (size_t c = 0; c < 3; c++)
      if (i < rows)
        tcb[3 * i + c] = (float) kg_table_get_row (n->tcb, i)[c];
      else if (!own)
        tcb[3 * i + c] = (float) common[c];
  }
  return true;
}

static void
spline_set_given (const Spline *n, KgGeometry *out)
{
  const size_t count = kg_geometry_get_n_points (out);
  float *leaving = kg_geometry_edit_float (out, KG_POINTS, "tangent_out", 3);
  float *in = kg_geometry_edit_float (out, KG_POINTS, "tangent_in", 3);

  for (size_t c = 0; c < 3 && count > 0; c++) {
    leaving[c] = (float) kg_vector_get (n->start_tangent, c);
    in[3 * (count - 1) + c] = (float) kg_vector_get (n->end_tangent, c);
  }
}

/* Brings the handles beside each joint of a chain of cubic pieces into line. */
static void
spline_align_handles (const Spline *n, float *p, size_t count)
{
  const size_t last = n->closed ? count / 3 * 3 : (count - 1) / 3 * 3;

  for (size_t j = n->closed ? 0 : 3; j < last; j += 3) {
    float *at = p + 3 * j, *after = at + 3, *before = p + 3 * (j > 0 ? j - 1 : last - 1);
    const KgVector o =
        kg_vector ((double) (after[0] - at[0]), (double) (after[1] - at[1]), (double) (after[2] - at[2]));
    const KgVector i =
        kg_vector ((double) (at[0] - before[0]), (double) (at[1] - before[1]), (double) (at[2] - before[2]));
    const KgVector zero = kg_vector (0, 0, 0);
    const KgVector way = kg_vector_normalize_or (
        kg_vector_add (kg_vector_normalize_or (o, zero), kg_vector_normalize_or (i, zero)), zero);
    const KgVector mean = kg_vector_scale (kg_vector_add (o, i), 0.5);
    const bool mirrored = n->joint == JOINT_MIRRORED;
    const KgVector new_o = mirrored ? mean : kg_vector_scale (way, kg_vector_length (o));
    const KgVector new_i = mirrored ? mean : kg_vector_scale (way, kg_vector_length (i));

    for (size_t c = 0; c < 3; c++) {
      after[c] = at[c] + (float) kg_vector_get (new_o, c);
      before[c] = at[c] - (float) kg_vector_get (new_i, c);
    }
  }
}

/* Rows a, b, c, d of each piece become its four Bezier points. */
static bool
spline_convert_polynomial (KgGeometry *out, GError **error)
{
  const size_t count = kg_geometry_get_n_points (out);
  float *p = kg_geometry_edit_positions (out);

  if (count == 0 || count % 4 != 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%zu rows do not form complete segments: give four rows, a, b, c and d, for each", count);
    return false;
  }
  for (size_t s = 0; s < count; s += 4)
    for (size_t k = 0; k < 3; k++) {
      float *x = p + 3 * s + k;
      const double a = (double) x[0], b = (double) x[3], c = (double) x[6], d = (double) x[9];

      x[0] = (float) d;
      x[3] = (float) (d + c / 3);
      x[6] = (float) (d + 2 * c / 3 + b / 3);
      x[9] = (float) (a + b + c + d);
    }
  return true;
}

/* Knots, weights, times and places, to be completed. */
static GArray *
spline_copy_numbers (const KgTable *table)
{
  const guint n = (guint) kg_table_get_n_rows (table);
  GArray *numbers = g_array_sized_new (FALSE, FALSE, sizeof (double), n);

  return g_array_append_vals (numbers, kg_table_get_cells (table), n);
}

static bool
spline_set_knots (const Spline *n, KgPrimitive *primitive, GArray **knots, GError **error)
{
  const bool through = n->basis == SPLINE_CATMULL_ROM || n->basis == SPLINE_CUBIC || n->basis == SPLINE_PARABOLIC ||
                       n->basis == SPLINE_TCB;

  if (n->basis == SPLINE_B_SPLINE && n->knots == KNOTS_CUSTOM)
    *knots = spline_copy_numbers (n->knot_values);
  else if (n->basis == SPLINE_FOUR_POINT)
    *knots = spline_copy_numbers (n->places);
  else if (through && n->spacing == SPACING_TIMES)
    *knots = spline_copy_numbers (n->times);
  else
    *knots = g_array_new (FALSE, FALSE, sizeof (double));
  if ((*knots)->len == 0 &&
      ((n->basis == SPLINE_B_SPLINE && n->knots == KNOTS_CUSTOM) || (through && n->spacing == SPACING_TIMES))) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        n->basis == SPLINE_B_SPLINE
            ? N_ ("no numbers: type as many knots as points plus order, or choose another setting for the knots")
            : N_ ("no numbers: type the time of each point, or choose another spacing"));
    return false;
  }
  if (n->basis == SPLINE_B_SPLINE && n->knots == KNOTS_CLAMPED && !n->closed && primitive->n_vertices >= n->order) {
    g_array_set_size (*knots, primitive->n_vertices + (guint) n->order);
    bspline_clamped_knots (primitive->n_vertices, (guint) n->order, (double *) (void *) (*knots)->data);
  }
  primitive->n_knots = (*knots)->len;
  primitive->knots = (const double *) (void *) (*knots)->data;
  return true;
}

static bool
spline_set_weights (const Spline *n, KgPrimitive *primitive, GArray **weights, GError **error)
{
  const bool triple = n->basis == SPLINE_B_SPLINE && n->reach == REACH_TRIPLE && !n->closed;
  const guint repeats = triple ? (guint) MAX (n->order, 2) - 2 : 0;
  const guint points = primitive->n_vertices - 2 * repeats;

  *weights = spline_copy_numbers (n->weights);
  if ((*weights)->len == 0 || (n->basis != SPLINE_B_SPLINE && n->basis != SPLINE_BEZIER))
    return true;
  if ((*weights)->len != points) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%u weights for %u points: give one for each point", (*weights)->len,
                  points);
    return false;
  }
  for (guint i = 0; i < repeats; i++) {
    g_array_prepend_val (*weights, g_array_index (*weights, double, 0));
    g_array_append_val (*weights, g_array_index (*weights, double, (*weights)->len - 1));
  }
  primitive->weights = (const double *) (void *) (*weights)->data;
  return true;
}

/* The points in order; the ends of a B-spline that is to reach them as often as makes it do so. */
static GArray *
spline_list_vertices (const Spline *n, size_t count)
{
  GArray *vertices = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  const bool triple = n->basis == SPLINE_B_SPLINE && n->reach == REACH_TRIPLE && !n->closed;
  const size_t repeats = triple && count > 0 ? (size_t) MAX (n->order, 2) - 2 : 0;

  for (size_t i = 0; i < count + 2 * repeats; i++) {
    const uint32_t vertex = (uint32_t) (i < repeats ? 0 : MIN (i - repeats, count - 1));

    g_array_append_val (vertices, vertex);
  }
  return vertices;
}

static bool
spline_set_rule (const Spline *n, KgPrimitive *primitive, GError **error)
{
  KgSplineRule *rule = &primitive->rule;
  const bool ends = n->basis == SPLINE_CATMULL_ROM || n->basis == SPLINE_CUBIC || n->basis == SPLINE_TCB ||
                    n->basis == SPLINE_BEZIER_THROUGH;

  if (ends)
    rule->end = (KgSplineEnd) n->end;
  if (rule->end == KG_END_NOT_A_KNOT && n->basis != SPLINE_CUBIC) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "the end \"not-a-knot\" works only with cubic splines: choose \"parabola\", or the basis \"cubic-spline\"");
    return false;
  }
  if (n->basis == SPLINE_PARABOLIC)
    rule->end = KG_END_PARABOLA;
  if (n->basis == SPLINE_B_SPLINE && n->reach == REACH_PHANTOM)
    rule->end = KG_END_PHANTOM;
  if (n->spacing != SPACING_TIMES && (n->basis == SPLINE_CATMULL_ROM || n->basis == SPLINE_CUBIC ||
                                      n->basis == SPLINE_PARABOLIC || n->basis == SPLINE_TCB))
    rule->spacing = (KgSplineSpacing) n->spacing;
  if (n->basis == SPLINE_CATMULL_ROM) {
    rule->bisector = n->direction == DIRECTION_BISECTOR;
    rule->relative_lengths = n->lengths == LENGTHS_RELATIVE;
  }
  return true;
}

static bool
spline_evaluate (Spline *n, const KgContext *ctx, GError **error)
{
  g_autoptr (GArray) vertices = NULL, knots = NULL, weights = NULL;
  g_autoptr (Curve) curve = NULL;
  KgPrimitive primitive = { .kind = KG_SPLINE, .closed = n->closed, .basis = spline_to_basis[n->basis] };
  size_t count;

  n->geometry = kg_geometry_new ();
  if (n->basis != SPLINE_TCB && (n->tension != 0 || n->continuity != 0 || n->bias != 0))
    kg_context_warn (ctx, "tension, continuity and bias have no effect in this basis: choose kochanek-bartels");
  if (!spline_read_points (n, n->geometry, error) || !spline_set_rule (n, &primitive, error))
    return false;
  if (n->basis == SPLINE_POLYNOMIAL) {
    if (!spline_convert_polynomial (n->geometry, error))
      return false;
    primitive.closed = false;
  }
  count = kg_geometry_get_n_points (n->geometry);
  vertices = spline_list_vertices (n, count);
  if (n->basis == SPLINE_POLYNOMIAL)
    /* Pieces need not join; those that do are joined at the start of the second. */
    for (guint i = 4; i < vertices->len; i += 3)
      g_array_remove_index (vertices, i - 1);
  primitive.n_vertices = vertices->len;
  primitive.vertices = (const uint32_t *) (void *) vertices->data;
  if ((n->basis == SPLINE_BEZIER && n->pieces == PIECES_CUBIC) || n->basis == SPLINE_POLYNOMIAL)
    primitive.order = 4;
  if (n->basis == SPLINE_B_SPLINE)
    primitive.order = (uint8_t) n->order;
  if (n->basis == SPLINE_BEZIER && n->pieces == PIECES_CUBIC && n->joint != JOINT_FREE && count > 0)
    spline_align_handles (n, kg_geometry_edit_positions (n->geometry), count);
  if ((n->basis == SPLINE_HERMITE && !spline_set_tangents (n, n->geometry, error)) ||
      ((n->basis == SPLINE_TCB || n->basis == SPLINE_BEZIER_THROUGH) && !spline_set_tcb (n, n->geometry, error)))
    return false;
  if (primitive.rule.end == KG_END_GIVEN)
    spline_set_given (n, n->geometry);
  if (!spline_set_knots (n, &primitive, &knots, error) || !spline_set_weights (n, &primitive, &weights, error))
    return false;
  kg_geometry_add_primitive (n->geometry, &primitive);
  curve = curve_new (n->geometry, 0, error);
  if (curve == NULL)
    return false;
  if (curve_get_warning (curve) != NULL)
    kg_context_warn (ctx, "%s", curve_get_warning (curve));
  n->length = curve_get_length (curve);
  n->segments = curve_get_n_segments (curve);
  return true;
}

static const KgTableColumn spline_tcb_columns[] = {
  { "tension", N_ ("Tension"), 0, false },
  { "continuity", N_ ("Continuity"), 0, true },
  { "bias", N_ ("Bias"), 0, true },
  KG_TABLE_COLUMNS_END,
};

static const KgSlot spline_slots[] = {
  KG_INPUT (Spline, points, TABLE, .columns = kg_table_points, .shown_when = "control=unlinked", .label = N_ ("Points"),
            .handle = { KG_HANDLE_POINTS, .when = "basis=bezier&pieces=cubic", .unless = "basis=polynomial",
                        .unless_linked = "control" },
            .def_text = "-2 0\n-1 1\n1 -1\n2 0",
            .help = N_ ("Control points, one per line, as x y or x y z. Not used while Control is linked.")),
  KG_INPUT (
      Spline, control, GEOMETRY, .label = N_ ("Control"), .optional = true,
      .help = N_ (
          "A geometry whose points, in order, are the control points. Its point attributes weight, tcb, tangent_in and tangent_out are used by the bases that support them.")),
  KG_INPUT (Spline, basis, CHOICE, .label = N_ ("Basis"), .choices = spline_bases,
            .help = N_ ("How the points define the curve.")),
  KG_INPUT (Spline, closed, BOOLEAN, .label = N_ ("Closed"), .help = N_ ("Joins the last point to the first.")),
  KG_INPUT (
      Spline, order, INTEGER, .shown_when = "basis=b-spline", .label = N_ ("Order"), .def = 4, .min = 2,
      .max = CURVE_MAX_ORDER, .soft_max = 6,
      .help = N_ ("Order of a B-spline: 4 is cubic. A higher order is smoother and stays farther from the points.")),
  KG_INPUT (Spline, knots, CHOICE, .shown_when = "basis=b-spline", .label = N_ ("Knots"), .choices = spline_knots,
            .help = N_ ("How the knots, at which the segments of a B-spline meet, are placed.")),
  KG_INPUT (
      Spline, knot_values, TABLE, .columns = kg_table_numbers, .shown_when = "knots=custom",
      .label = N_ ("Knot values"),
      .help = N_ (
          "As many numbers as points plus order, in non-decreasing order. A repeated knot makes the curve less smooth there. For a closed curve give points plus one.")),
  KG_INPUT (Spline, reach, CHOICE, .shown_when = "basis=b-spline", .label = N_ ("Reach"), .choices = spline_reaches,
            .help = N_ ("Whether an open B-spline with uniform knots reaches its end points.")),
  KG_INPUT (
      Spline, weights, TABLE, .columns = kg_table_numbers, .shown_when = "basis=b-spline|bezier",
      .label = N_ ("Weights"),
      .help = N_ (
          "How strongly each point attracts the curve: one weight per point. With weights a curve can be an exact circle. Empty: all weights are equal.")),
  KG_INPUT (
      Spline, pieces, CHOICE, .shown_when = "basis=bezier", .label = N_ ("Segments"), .choices = spline_pieces,
      .help = N_ ("Whether every third point is a joint between cubic segments, or all points form one segment.")),
  KG_INPUT (Spline, joint, CHOICE, .shown_when = "basis=bezier", .label = N_ ("Segment joints"),
            .choices = spline_joints, .help = N_ ("How the two handles at a joint are related.")),
  KG_INPUT (
      Spline, handle, NUMBER, .shown_when = "basis=bezier-through", .label = N_ ("Handle"), .def = 1.0 / 3, .min = -10,
      .max = 10, .soft_min = 0, .soft_max = 1,
      .help = N_ (
          "Length of the handles, as a fraction of the line through the neighbours. One sixth gives Catmull-Rom; one third is rounder.")),
  KG_INPUT (
      Spline, places, TABLE, .columns = kg_table_numbers, .shown_when = "basis=four-point",
      .label = N_ ("Point parameters"),
      .help = N_ (
          "For the four-point form: the parameters at which each segment passes through its four points. Empty: 0, 1/3, 2/3 and 1.")),
  KG_INPUT (
      Spline, end, CHOICE, .shown_when = "basis=catmull-rom|kochanek-bartels|cubic-spline|bezier-through",
      .label = N_ ("Ends"), .choices = spline_ends, .group = N_ ("Tangents"),
      .help = N_ (
          "How an open curve starts and ends. Automatic aims at the mirror image of the second neighbour, so that the curve starts from rest if the points are collinear and evenly spaced; a cubic spline has no curvature at its ends.")),
  KG_INPUT (Spline, start_tangent, VECTOR, .shown_when = "end=given", .label = N_ ("Start tangent"),
            .def_v = { 1, 0, 0 }, .group = N_ ("Tangents"), .help = N_ ("Direction and speed at the first point.")),
  KG_INPUT (Spline, end_tangent, VECTOR, .shown_when = "end=given", .label = N_ ("End tangent"), .def_v = { 1, 0, 0 },
            .group = N_ ("Tangents"), .help = N_ ("Direction and speed at the last point.")),
  KG_INPUT (Spline, direction, CHOICE, .shown_when = "basis=catmull-rom", .label = N_ ("Direction"),
            .choices = spline_directions, .group = N_ ("Tangents"),
            .help = N_ ("Direction of the tangents at the points.")),
  KG_INPUT (
      Spline, lengths, CHOICE, .shown_when = "basis=catmull-rom", .label = N_ ("Lengths"), .choices = spline_lengths,
      .group = N_ ("Tangents"),
      .help = N_ (
          "Length of the tangents. Tangents as long as the adjacent segments look better if the points are unevenly spaced; the direction stays continuous, but the speed jumps.")),
  KG_INPUT (
      Spline, spacing, CHOICE, .shown_when = "basis=catmull-rom|kochanek-bartels|cubic-spline|parabolic",
      .label = N_ ("Spacing"), .choices = spline_spacings, .group = N_ ("Tangents"),
      .help = N_ (
          "How the parameter is spaced from point to point. Spacing by distance, or by its square root, avoids loops between uneven points.")),
  KG_INPUT (Spline, times, TABLE, .columns = kg_table_numbers, .shown_when = "spacing=times", .label = N_ ("Times"),
            .group = N_ ("Tangents"), .help = N_ ("Parameter at each point, increasing; one more for a closed curve.")),
  KG_INPUT (Spline, tension, NUMBER, .shown_when = "basis=kochanek-bartels", .label = N_ ("Tension"), .soft_min = -1,
            .soft_max = 1, .group = N_ ("Kochanek-Bartels"), .help = N_ ("1 is tight, -1 is loose and round.")),
  KG_INPUT (Spline, continuity, NUMBER, .shown_when = "basis=kochanek-bartels", .label = N_ ("Continuity"),
            .soft_min = -1, .soft_max = 1, .group = N_ ("Kochanek-Bartels"),
            .help = N_ ("0 is smooth; -1 and 1 make corners.")),
  KG_INPUT (Spline, bias, NUMBER, .shown_when = "basis=kochanek-bartels", .label = N_ ("Bias"), .soft_min = -1,
            .soft_max = 1, .group = N_ ("Kochanek-Bartels"), .help = N_ ("1 overshoots the point, -1 undershoots it.")),
  KG_INPUT (
      Spline, tcb, TABLE, .columns = spline_tcb_columns, .shown_when = "basis=kochanek-bartels",
      .handle = { KG_HANDLE_ROW_VALUES, .anchor = "points", .columns = "tension continuity bias" },
      .label = N_ ("Per point"), .group = N_ ("Kochanek-Bartels"),
      .help = N_ (
          "Tension, continuity and bias of individual points: one row per point, in order. Points without a row use the common values.")),
  KG_INPUT (
      Spline, tangents, TABLE, .columns = kg_table_points, .shown_when = "basis=hermite",
      .handle = { KG_HANDLE_TANGENTS, .anchor = "points", .when = "handles=1", .unless_linked = "control",
                  .factor = "tangent_scale", .attribute = "tangent_out" },
      .label = N_ ("Tangents"), .group = N_ ("Hermite"),
      .help = N_ (
          "Tangents of a Hermite curve: one per line, for the points in order. Missing ones follow the neighbours.")),
  KG_INPUT (
      Spline, tangents_in, TABLE, .columns = kg_table_points, .shown_when = "basis=hermite",
      .handle = { KG_HANDLE_INCOMING, .anchor = "points", .when = "handles=1", .unless_linked = "control",
                  .factor = "tangent_scale", .attribute = "tangent_in" },
      .label = N_ ("Incoming tangents"), .group = N_ ("Hermite"),
      .help = N_ (
          "Incoming tangents, if they differ from the outgoing ones, to make corners: one per line, for the points in order. Missing ones are the same as the outgoing tangents.")),
  KG_INPUT (
      Spline, handles, BOOLEAN, .shown_when = "basis=hermite", .label = N_ ("As handles"), .group = N_ ("Hermite"),
      .help = N_ (
          "The tangents are typed as Bézier handles, as in drawing programs: offsets from the point to its handle, with the incoming one pointing backwards.")),
  KG_INPUT (Spline, tangent_scale, NUMBER, .shown_when = "basis=hermite", .label = N_ ("Tangent scale"), .def = 1,
            .soft_max = 4, .group = N_ ("Hermite"),
            .help = N_ ("Multiplies the typed tangents: larger values bulge more.")),
  KG_OUTPUT (Spline, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The curve, as one spline.")),
  KG_OUTPUT (Spline, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES, .help = N_ ("Length of the curve.")),
  KG_OUTPUT (Spline, segments, INTEGER, .label = N_ ("Segments"),
             .help = N_ ("Number of polynomial segments of the curve.")),
};

KG_NODE (
    curve, spline, Spline, .label = N_ ("Spline"), .version = 1, .since = "0.1", .role = KG_ROLE_FREEHAND,
    .tags = N_ ("path bezier nurbs catmull rom cardinal hermite tcb polyline curve overhauser parabola natural"),
    .formula = "piece: P(u) = [u³ u² u 1] · M · B, 0 ≤ u ≤ 1\n"
               "hermite: P = (2u³ − 3u² + 1) Pᵢ + (−2u³ + 3u²) Pᵢ₊₁ + (u³ − 2u² + u) P′ᵢ + (u³ − u²) P′ᵢ₊₁\n"
               "catmull-rom: P′ᵢ = ½ (Pᵢ₊₁ − Pᵢ₋₁); ends P′₀ = ½ (2P₁ − P₂ − P₀)\n"
               "bisector: P′ᵢ along a/|a| + e/|e|, a = Pᵢ − Pᵢ₋₁, e = Pᵢ₊₁ − Pᵢ; "
               "relative lengths: |a| before the point, |e| after it\n"
               "kochanek-bartels: incoming ½ (1−t)(1−c)(1+b) a + ½ (1−t)(1+c)(1−b) e,\n"
               "  outgoing ½ (1−t)(1+c)(1+b) a + ½ (1−t)(1−c)(1−b) e\n"
               "cubic-spline: P′ᵢ₋₁ + 4P′ᵢ + P′ᵢ₊₁ = 3 (Pᵢ₊₁ − Pᵢ₋₁)\n"
               "parabolic: (1 − u) · parabola(Pᵢ₋₁, Pᵢ, Pᵢ₊₁) + u · parabola(Pᵢ, Pᵢ₊₁, Pᵢ₊₂)\n"
               "four-point: M = V⁻¹ of the rows [uⱼ³ uⱼ² uⱼ 1]\n"
               "bezier: P = Σ C(n, i) uⁱ (1−u)ⁿ⁻ⁱ Pᵢ; bezier-through: handles at Pᵢ ± handle · (Pᵢ₊₁ − Pᵢ₋₁)\n"
               "b-spline: P(t) = Σ wᵢ Nᵢ,ₖ(t) Pᵢ / Σ wᵢ Nᵢ,ₖ(t), Nᵢ,₁ = 1 from xᵢ to xᵢ₊₁,\n"
               "  Nᵢ,ₖ(t) = (t − xᵢ)/(xᵢ₊ₖ₋₁ − xᵢ) Nᵢ,ₖ₋₁(t) + (xᵢ₊ₖ − t)/(xᵢ₊ₖ − xᵢ₊₁) Nᵢ₊₁,ₖ₋₁(t)",
    .source = "Catmull and Rom, A Class of Local Interpolating Splines, 1974; "
              "Kochanek and Bartels, Interpolating Splines with Local Tension, Continuity, and Bias "
              "Control, 1984; Overhauser 1968 (blended parabolas); "
              "de Boor, A Practical Guide to Splines, 1978; Parent, Computer Animation, B.4",
    .help = N_ (
        "Makes a smooth curve from a few points. Type the points or link a geometry whose points move, and choose how closely the curve follows them. Connect it to Evaluate Curve to move something along it, or to Draw to see it."));
