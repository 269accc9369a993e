/* rig/jacobian: how the joints of a skeleton move its end.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "rig/linkage.h"
#include "value/matrix.h"
#include "value/number_table.h"

typedef struct {
  const KgSkeleton *skeleton;
  const char *end_joint;
  KgVector point;
  const char *in_frame;
  int rows;
  double scale;
  KgTable *matrix;
  KgTable *singular_values;
  int64_t rank;
  double manipulability;
  double condition;
  bool singular;
  KgTable *null_space;
  KgGeometry *ellipsoid;
} Jacobian;

enum { ROWS_BOTH, ROWS_POSITION, ROWS_ORIENTATION, N_ROWS };

static const KgChoice jacobian_rows[] = {
  [ROWS_BOTH] = { "both", N_ ("Velocity and angular velocity") },
  [ROWS_POSITION] = { "position", N_ ("Velocity") },
  [ROWS_ORIENTATION] = { "orientation", N_ ("Angular velocity") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (jacobian_rows, N_ROWS);

/* Singular directions are those below this share of the largest. */
#define SINGULAR 1e-6
/* Points of an ellipse. */
#define ELLIPSE 64
/* Most freedoms of which motions that leave the end are listed. */
#define NULL_SPACE_MAX 256

static KgTable *
jacobian_make_matrix (const Jacobian *n, const Linkage *linkage, guint n_rows, const double *cells, GError **error)
{
  static const char axes[] = "xyz";
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (guint k = 0; k < linkage->n; k++) {
    const LinkageFreedom *freedom = &linkage->freedoms[k];

    g_ptr_array_add (names, g_strdup_printf ("%s %s%c", kg_skeleton_get_joint (n->skeleton, freedom->joint)->name,
                                             freedom->kind == LINKAGE_SLIDE ? "slide_" : "", axes[freedom->axis]));
  }
  return number_table_new (linkage->n, (const char *const *) names->pdata, n_rows, cells, error);
}

/* The basis of all motions of the joints that leave the end: what is left of the unit motions, made orthonormal. */
static KgTable *
jacobian_make_null_space (const MatrixSvd *svd, guint n, guint rank, GError **error)
{
  const guint count = n - rank;
  g_autofree double *basis = g_new0 (double, (gsize) n *n + 1), *cells = NULL;
  guint found = 0;

  for (guint k = 0; k < rank; k++)
    for (guint i = 0; i < n; i++)
      basis[(gsize) k * n + i] = matrix_get (svd->v, i, k);
  for (guint unit = 0; unit < n && found < count; unit++) {
    double *v = basis + (gsize) (rank + found) * n, length = 0;

    memset (v, 0, n * sizeof *v);
    v[unit] = 1;
    /* Twice, so that what rounding left is taken out as well. */
    for (int pass = 0; pass < 2; pass++)
      for (guint k = 0; k < rank + found; k++) {
        double part = 0;

        for (guint i = 0; i < n; i++)
          part += basis[(gsize) k * n + i] * v[i];
        for (guint i = 0; i < n; i++)
          v[i] -= part * basis[(gsize) k * n + i];
      }
    for (guint i = 0; i < n; i++)
      length += v[i] * v[i];
    if (length < 1e-2 / n)
      continue;
    for (guint i = 0; i < n; i++)
      v[i] /= sqrt (length);
    found++;
  }
  if (found == 0)
    return kg_table_new (1, NULL, 0, error);
  cells = g_new (double, (gsize) n *found);
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < found; k++)
      cells[(gsize) i * found + k] = basis[(gsize) (rank + k) * n + i];
  return number_table_new (found, NULL, n, cells, error);
}

/* Three ellipses through the ends of the axes σ u: where the end goes for rates of length 1. */
static bool
jacobian_make_ellipsoid (Jacobian *n, const MatrixSvd *svd, KgVector center, GError **error)
{
  KgVector axes[3] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };
  float *p;

  for (guint k = 0; k < MIN (svd->n, 3); k++)
    axes[k] =
        kg_vector_scale (kg_vector (matrix_get (svd->u, 0, k), matrix_get (svd->u, 1, k), matrix_get (svd->u, 2, k)),
                         svd->w[k] * n->scale);
  if (!kg_geometry_set_n_points (n->ellipsoid, 3 * ELLIPSE, error))
    return false;
  p = kg_geometry_edit_positions (n->ellipsoid);
  for (uint32_t e = 0; e < 3; e++) {
    const KgVector u = axes[e == 2 ? 1 : 0], v = axes[e == 0 ? 1 : 2];
    uint32_t vertices[ELLIPSE];

    for (uint32_t i = 0; i < ELLIPSE; i++) {
      const double angle = 2 * KG_PI * i / ELLIPSE;
      const KgVector at = kg_vector_add_scaled (kg_vector_add_scaled (center, cos (angle), u), sin (angle), v);

      vertices[i] = e * ELLIPSE + i;
      for (size_t c = 0; c < 3; c++)
        *p++ = (float) kg_vector_get (at, c);
    }
    /* An arm in a plane has one ellipse; the others are lines along its axes. */
    kg_geometry_add_primitives (n->ellipsoid, KG_POLYLINE, true, 1, ELLIPSE, vertices);
  }
  return true;
}

static bool
jacobian_evaluate (Jacobian *n, const KgContext *ctx, GError **error)
{
  const int end = linkage_find (n->skeleton, n->end_joint, error);
  const int frame = end >= 0 && n->in_frame[0] != '\0' ? linkage_find (n->skeleton, n->in_frame, error) : 0;
  const guint row = n->rows == ROWS_ORIENTATION ? 3 : 0, n_rows = n->rows == ROWS_BOTH ? 6 : 3;
  g_auto (Linkage) linkage = { 0 };
  g_autofree double *cells = NULL;
  g_autoptr (MatrixSvd) svd = NULL, velocity = NULL;
  KgVector point;
  guint most;

  (void) ctx;
  if (end < 0 || frame < 0)
    return false;
  linkage_init (&linkage, n->skeleton);
  if (linkage.n == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "no joint is free to move: add a hinge, a slider or a ball");
    return false;
  }
  if (linkage.n > KG_TABLE_MAX_COLUMNS) {
    kg_set_error (error, KG_ERROR_LIMIT, "a skeleton of %u freedoms has too many columns: use at most %d", linkage.n,
                  KG_TABLE_MAX_COLUMNS);
    return false;
  }
  point = kg_vector_add (linkage.points[end], kg_rotation_apply (linkage.frames[end], n->point));
  cells = g_new (double, 6 * (gsize) linkage.n);
  linkage_get_jacobian (&linkage, (guint) end, point, cells);
  if (n->in_frame[0] != '\0')
    /* Velocities are seen from another set of axes; they are not moved to another point. */
    for (guint k = 0; k < 2 * linkage.n; k++) {
      double *x = cells + (k < linkage.n ? 0 : 3 * (gsize) linkage.n) + k % linkage.n;
      const KgVector v = kg_rotation_apply (kg_rotation_conjugate (linkage.frames[frame]),
                                            kg_vector (x[0], x[linkage.n], x[2 * (gsize) linkage.n]));

      x[0] = v.x;
      x[linkage.n] = v.y;
      x[2 * (gsize) linkage.n] = v.z;
    }
  {
    const Matrix rows = { n_rows, linkage.n, cells + (gsize) row * linkage.n };
    g_autofree double *turned = g_new (double, 6 * (gsize) linkage.n);
    const Matrix first = { 3, linkage.n, turned + (gsize) row * linkage.n };

    linkage_get_jacobian (&linkage, (guint) end, point, turned);
    svd = matrix_svd_new (&rows, error);
    velocity = matrix_svd_new (&first, error);
  }
  if (svd == NULL || velocity == NULL)
    return false;
  n->matrix = jacobian_make_matrix (n, &linkage, n_rows, cells + (gsize) row * linkage.n, error);
  n->singular_values = number_table_new_column ("value", svd->n, svd->w, error);
  n->rank = svd->w[0] > 0 ? matrix_svd_get_rank (svd, SINGULAR) : 0;
  most = MAX ((guint) n->rank,
              n->rank == svd->n ? 0 : linkage_get_generic_rank (&linkage, n->skeleton, (guint) end, row, n_rows));
  n->singular = n->rank < most;
  n->manipulability = most > 0 ? 1 : 0;
  for (guint k = 0; k < most; k++)
    n->manipulability *= svd->w[k];
  n->condition = n->rank > 0 ? svd->w[0] / svd->w[n->rank - 1] : 0;
  if (linkage.n <= NULL_SPACE_MAX)
    n->null_space = jacobian_make_null_space (svd, linkage.n, (guint) n->rank, error);
  else
    n->null_space = kg_table_new (1, NULL, 0, error);
  n->ellipsoid = kg_geometry_new ();
  return n->matrix != NULL && n->singular_values != NULL && n->null_space != NULL &&
         jacobian_make_ellipsoid (n, velocity, point, error);
}

static const KgSlot jacobian_slots[] = {
  KG_INPUT (Jacobian, skeleton, SKELETON, .label = N_ ("Skeleton"), .help = N_ ("The posed skeleton.")),
  KG_INPUT (Jacobian, end_joint, TEXT, .label = N_ ("End"),
            .help = N_ ("Name of the joint whose motion is computed; empty for the last.")),
  KG_INPUT (Jacobian, point, VECTOR, .label = N_ ("Point"), .unit = KG_METRES, .handle = { KG_HANDLE_NONE },
            .help = N_ ("A point that the joint carries, in its own axes.")),
  KG_INPUT (Jacobian, in_frame, TEXT, .label = N_ ("In the axes of"),
            .help = N_ ("Name of a joint along whose axes velocities are given; empty for the world.")),
  KG_INPUT (Jacobian, rows, CHOICE, .label = N_ ("Rows"), .choices = jacobian_rows,
            .help = N_ ("Velocities of the end that are computed. All other outputs refer to these rows.")),
  KG_INPUT (Jacobian, scale, NUMBER, .label = N_ ("Scale of the ellipsoid"), .def = 0.2, .min = 0, .max = 1e6,
            .soft_max = 1, .help = N_ ("Metres drawn for a metre per radian.")),
  KG_OUTPUT (Jacobian, matrix, TABLE, .label = N_ ("Matrix"),
             .help = N_ ("A row for each component of velocity (vx, vy, vz, ωx, ωy, ωz), a column for each freedom: "
                         "metres and radians per radian, or per metre of a slide.")),
  KG_OUTPUT (Jacobian, singular_values, TABLE, .label = N_ ("Singular values"),
             .help = N_ ("How fast the end can move, from its best direction to its worst.")),
  KG_OUTPUT (Jacobian, rank, INTEGER, .label = N_ ("Rank"),
             .help = N_ ("Number of directions in which the end can move in this pose.")),
  KG_OUTPUT (Jacobian, manipulability, NUMBER, .label = N_ ("Manipulability"),
             .help = N_ ("Product of the singular values that the linkage has in most poses: 0 in a singular pose.")),
  KG_OUTPUT (Jacobian, condition, NUMBER, .label = N_ ("Condition"),
             .help = N_ ("Largest over smallest of the singular values that are not 0.")),
  KG_OUTPUT (Jacobian, singular, BOOLEAN, .label = N_ ("Singular"),
             .help = N_ ("Whether the end can move in fewer directions than in most other poses.")),
  KG_OUTPUT (
      Jacobian, null_space, TABLE, .label = N_ ("Null space"),
      .help = N_ ("A column for each independent motion of the joints that leaves the end where it is. Empty for "
                  "more than 256 freedoms.")),
  KG_OUTPUT (Jacobian, ellipsoid, GEOMETRY, .label = N_ ("Ellipsoid"),
             .help = N_ ("How fast the end can move in each direction, drawn around it; with rows of angular velocity, "
                         "how fast it can rotate about each axis.")),
};

KG_NODE (
    rig, jacobian, Jacobian, .label = N_ ("Jacobian"), .version = 1, .since = "0.1",
    .tags = N_ ("velocity manipulability singular ellipsoid null space kinematics arm"),
    .formula = "rotation: (z × (e − p), z)\nslide: (z, 0)\nmanipulability = σ₁ σ₂ … σᵣ, r: the rank in most poses\n"
               "r = rows: √det (J Jᵀ), r = freedoms: √det (Jᵀ J)",
    .source = "Parent, Computer Animation, 4.2.3; Yoshikawa, Manipulability of Robotic Mechanisms, 1985",
    .help = N_ (
        "Computes how fast the end of a linkage moves for each joint that moves: the Jacobian. Its singular values show in which directions the arm moves easily, and where it is stuck."));
