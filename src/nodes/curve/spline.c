/* curve/spline: a curve through or near control points.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve.h"
#include "kg-node.h"
#include "points_text.h"

typedef struct {
  const KgGeometry *control;
  const char *points;
  int basis;
  bool closed;
  int64_t order;
  double tension;
  double continuity;
  double bias;
  const char *tangents;
  const char *tangents_in;
  bool handles;
  KgGeometry *geometry;
  double length;
} Spline;

enum { SPLINE_CATMULL_ROM, SPLINE_HERMITE, SPLINE_BEZIER, SPLINE_B_SPLINE, SPLINE_TCB, SPLINE_LINEAR };

static const KgChoice spline_bases[] = {
  { "catmull-rom", N_ ("Catmull-Rom: through all points") },
  { "hermite", N_ ("Hermite: through all points with given tangents") },
  { "bezier", N_ ("Bézier: handles between the points") },
  { "b-spline", N_ ("B-spline: near the points, very smooth") },
  { "kochanek-bartels", N_ ("Kochanek-Bartels: tension, continuity, bias") },
  { "linear", N_ ("Linear: straight pieces") },
  { NULL, NULL },
};

static const KgBasis spline_to_basis[] = { KG_BASIS_CATMULL_ROM, KG_BASIS_HERMITE,          KG_BASIS_BEZIER,
                                           KG_BASIS_BSPLINE,     KG_BASIS_KOCHANEK_BARTELS, KG_BASIS_LINEAR };

/* Control points from the geometry (in the order of its points), or from the text. */
static bool
spline_read_points (const Spline *n, KgGeometry *out, GError **error)
{
  g_autoptr (GArray) typed = NULL;
  guint n_points;
  float *p;

  if (n->control != NULL && kg_geometry_get_n_points (n->control) > 0) {
    const size_t count = kg_geometry_get_n_points (n->control);

    if (!kg_geometry_set_n_points (out, count, error))
      return false;
    memcpy (kg_geometry_edit_positions (out), kg_geometry_get_positions (n->control), count * 3 * sizeof (float));
    return true;
  }
  typed = points_text_read (n->points, 2, 3, &n_points, error);
  if (typed == NULL || !kg_geometry_set_n_points (out, n_points, error))
    return false;
  p = kg_geometry_edit_positions (out);
  for (guint i = 0; i < 3 * n_points; i++)
    p[i] = (float) g_array_index (typed, double, i);
  return true;
}

/* Rows of tangents, at most one for each point. */
static GArray *
spline_read_tangents (const char *text, const char *name, size_t n_points, guint *rows, GError **error)
{
  g_autoptr (GArray) typed = points_text_read (text, 2, 3, rows, error);

  if (typed == NULL) {
    g_prefix_error (error, "%s: ", name);
    return NULL;
  }
  if (*rows > n_points) {
    g_set_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE,
                 "%s: %u rows for %" G_GSIZE_FORMAT " points: give at most one for each", name, *rows, n_points);
    return NULL;
  }
  return g_steal_pointer (&typed);
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
  const double scale = n->handles ? 3 : 1, scale_in = n->handles ? -3 : 1;
  g_autoptr (GArray) typed = NULL, typed_in = NULL;
  guint rows, rows_in;

  typed = spline_read_tangents (n->tangents, "tangents", count, &rows, error);
  if (typed == NULL)
    return false;
  typed_in = spline_read_tangents (n->tangents_in, "tangents_in", count, &rows_in, error);
  if (typed_in == NULL)
    return false;
  for (size_t i = 0; i < count; i++)
    for (size_t c = 0; c < 3; c++) {
      const size_t before = i > 0 ? i - 1 : n->closed ? count - 1 : 0;
      const size_t after = i + 1 < count ? i + 1 : n->closed ? 0 : i;
      const float chord = p[3 * after + c] - p[3 * before + c];

      leaving[3 * i + c] = i < rows ? (float) (scale * g_array_index (typed, double, 3 * i + c))
                                    : chord * (after - before == 1 ? 1 : 0.5f);
      in[3 * i + c] = i < rows_in ? (float) (scale_in * g_array_index (typed_in, double, 3 * i + c))
                                  : leaving[3 * i + c];
    }
  return true;
}

static bool
spline_evaluate (Spline *n, const KgContext *ctx, GError **error)
{
  g_autofree uint32_t *vertices = NULL;
  g_autoptr (Curve) curve = NULL;
  KgPrimitive primitive = { .kind = KG_SPLINE, .closed = n->closed, .basis = spline_to_basis[n->basis] };
  size_t count;

  (void) ctx;
  n->geometry = kg_geometry_new ();
  if (!spline_read_points (n, n->geometry, error))
    return false;
  count = kg_geometry_get_n_points (n->geometry);
  vertices = g_new (uint32_t, MAX (count, 1));
  for (size_t i = 0; i < count; i++)
    vertices[i] = (uint32_t) i;
  primitive.n_vertices = (uint32_t) count;
  primitive.vertices = vertices;
  if (n->basis == SPLINE_BEZIER)
    primitive.order = 4;
  if (n->basis == SPLINE_B_SPLINE)
    primitive.order = (uint8_t) n->order;
  if (n->basis == SPLINE_HERMITE && !spline_set_tangents (n, n->geometry, error))
    return false;
  if (n->basis == SPLINE_TCB) {
    float *tcb = kg_geometry_edit_float (n->geometry, KG_POINTS, "tcb", 3);

    for (size_t i = 0; i < count; i++) {
      tcb[3 * i] = (float) n->tension;
      tcb[3 * i + 1] = (float) n->continuity;
      tcb[3 * i + 2] = (float) n->bias;
    }
  }
  kg_geometry_add_primitive (n->geometry, &primitive);
  curve = curve_new (n->geometry, 0, error);
  if (curve == NULL)
    return false;
  n->length = curve_get_length (curve);
  return true;
}

static const KgSlot spline_slots[] = {
  KG_INPUT (Spline, points, TEXT, .label = N_ ("Points"), .multiline = true, .def_text = "-2 0\n-1 1\n1 -1\n2 0",
            .help = N_ ("Control points: one a line, as x y or x y z. Not used while Control is linked.")),
  KG_INPUT (Spline, control, GEOMETRY, .label = N_ ("Control"), .optional = true,
            .help = N_ ("A geometry whose points, in order, are the control points.")),
  KG_INPUT (Spline, basis, CHOICE, .label = N_ ("Basis"), .choices = spline_bases,
            .help = N_ ("How the points make a curve.")),
  KG_INPUT (Spline, closed, BOOLEAN, .label = N_ ("Closed"), .help = N_ ("Leads back to the first point.")),
  KG_INPUT (Spline, order, INTEGER, .label = N_ ("Order"), .def = 4, .min = 2, .max = 16, .soft_max = 6,
            .help = N_ ("Of a B-spline: 4 is cubic. Higher is smoother and keeps farther from the points.")),
  KG_INPUT (Spline, tension, NUMBER, .label = N_ ("Tension"), .soft_min = -1, .soft_max = 1,
            .group = N_ ("Kochanek-Bartels"), .help = N_ ("1 is tight, -1 is loose and round.")),
  KG_INPUT (Spline, continuity, NUMBER, .label = N_ ("Continuity"), .soft_min = -1, .soft_max = 1,
            .group = N_ ("Kochanek-Bartels"), .help = N_ ("0 is smooth; -1 and 1 make corners.")),
  KG_INPUT (Spline, bias, NUMBER, .label = N_ ("Bias"), .soft_min = -1, .soft_max = 1, .group = N_ ("Kochanek-Bartels"),
            .help = N_ ("1 overshoots the point, -1 undershoots it.")),
  KG_INPUT (
      Spline, tangents, TEXT, .label = N_ ("Tangents"), .multiline = true, .group = N_ ("Hermite"),
      .help = N_ ("Of a Hermite curve: one a line, for the points in order. Missing ones follow the neighbours.")),
  KG_INPUT (Spline, tangents_in, TEXT, .label = N_ ("Incoming tangents"), .multiline = true, .group = N_ ("Hermite"),
            .help = N_ ("Where they differ from the outgoing ones, for corners: one a line, for the points in order. "
                        "Missing ones are as the outgoing.")),
  KG_INPUT (
      Spline, handles, BOOLEAN, .label = N_ ("As handles"), .group = N_ ("Hermite"),
      .help = N_ ("The tangents are typed as Bézier handles, as drawing programs show them: steps from the point to "
                  "its handle, the incoming one backwards.")),
  KG_OUTPUT (Spline, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The curve, as one spline.")),
  KG_OUTPUT (Spline, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES, .help = N_ ("Its length.")),
};

KG_NODE (
    curve, spline, Spline, .label = N_ ("Spline"), .version = 1, .since = "0.1",
    .tags = N_ ("path bezier nurbs catmull rom hermite tcb polyline curve"),
    .help = N_ ("Makes a smooth curve from a few points. Type the points or link a geometry whose points move, and "
                "choose how strictly the curve follows them. Send it to Evaluate Curve to move something along "
                "it, or to Draw to see it."));
