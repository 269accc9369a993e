/* energy: rigid things that are pulled together by energies.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/energy.h"

#include "kg-error.h"

#include <string.h>

#define MAX_RESIDUALS 9 /* of a constraint */

/* Surfaces. */

double
energy_surface_get (const EnergySurface *s, KgVector x, KgVector *gradient)
{
  const KgVector d = kg_vector_subtract (x, s->center);

  switch (s->kind) {
  case ENERGY_BALL:
    *gradient = kg_vector_normalize_or (d, kg_vector (0, 1, 0));
    return kg_vector_length (d) - s->size.x;
  case ENERGY_BOX: {
    double most = -INFINITY;
    KgVector outside = kg_vector (0, 0, 0);

    for (size_t c = 0; c < 3; c++) {
      const double over = fabs (kg_vector_get (d, c)) - kg_vector_get (s->size, c);
      const double side = copysign (1, kg_vector_get (d, c));

      if (over > most) {
        most = over;
        *gradient = kg_vector (0, 0, 0);
        *kg_vector_component (gradient, c) = side;
      }
      *kg_vector_component (&outside, c) = side * fmax (over, 0);
    }
    if (most <= 0)
      return most;
    *gradient = kg_vector_normalize_or (outside, *gradient);
    return kg_vector_length (outside);
  }
  case ENERGY_CYLINDER: {
    const double r = hypot (d.x, d.z), side = r - s->size.x, end = fabs (d.y) - s->size.y;
    const KgVector out = r > 0 ? kg_vector (d.x / r, 0, d.z / r) : kg_vector (1, 0, 0);
    const KgVector up = kg_vector (0, copysign (1, d.y), 0);

    if (side > 0 && end > 0) {
      const double away = hypot (side, end);

      *gradient = kg_vector_add (kg_vector_scale (out, side / away), kg_vector_scale (up, end / away));
      return away;
    }
    *gradient = side > end ? out : up;
    return fmax (side, end);
  }
  case ENERGY_PLANE:
    *gradient = kg_vector_normalize_or (s->size, kg_vector (0, 1, 0));
    return kg_vector_dot (d, *gradient);
  case ENERGY_MESH:
  case ENERGY_N_SURFACES:
    break;
  }
  {
    const MeshNearest nearest = triangle_mesh_find_nearest (s->mesh, x);
    const bool inside = s->mesh->n_open == 0 && triangle_mesh_contains (s->mesh, NULL, INSIDE_RAY, x);
    KgVector corners[3], normal;

    triangle_mesh_get_corners (s->mesh, nearest.triangle, corners);
    normal = kg_vector_normalize_or (
        kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0])),
        kg_vector (0, 1, 0));
    /* On the surface the way there has no direction, but the face has. */
    if (nearest.distance > 1e-9 * s->mesh->size)
      normal = kg_vector_scale (kg_vector_subtract (x, nearest.point), (inside ? -1 : 1) / nearest.distance);
    *gradient = normal;
    return inside ? -nearest.distance : nearest.distance;
  }
}

/* Residuals.  Each row of a Jacobian is for the translation and the rotation of a, then of b. */

typedef struct {
  double r[MAX_RESIDUALS];
  KgVector move_a[MAX_RESIDUALS], turn_a[MAX_RESIDUALS], move_b[MAX_RESIDUALS], turn_b[MAX_RESIDUALS];
  guint n;
} Rows;

static KgVector
get_point (const EnergyPose *pose, KgVector p)
{
  return kg_vector_add (pose->place, kg_rotation_apply (pose->turn, p));
}

/* The residual n · (P_a - P_b) in the direction n, which does not change; arms from the centres of rotation. */
static void
add_offset (Rows *rows, KgVector n, double value, double weight, KgVector arm_a, KgVector arm_b)
{
  const guint i = rows->n++;

  rows->r[i] = weight * value;
  rows->move_a[i] = kg_vector_scale (n, weight);
  rows->turn_a[i] = kg_vector_scale (kg_vector_cross (arm_a, n), weight);
  rows->move_b[i] = kg_vector_scale (n, -weight);
  rows->turn_b[i] = kg_vector_scale (kg_vector_cross (arm_b, n), -weight);
}

static const KgVector axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

static void
add_points (Rows *rows, KgVector difference, double weight, KgVector arm_a, KgVector arm_b)
{
  for (size_t c = 0; c < 3; c++)
    add_offset (rows, axes[c], kg_vector_get (difference, c), weight, arm_a, arm_b);
}

/* weight (a + sign b) for directions that turn with their things: 1 + a·b is half its square. */
static void
add_normals (Rows *rows, KgVector a, KgVector b, double sign, double weight)
{
  for (size_t c = 0; c < 3; c++) {
    const guint i = rows->n++;

    rows->r[i] = weight * (kg_vector_get (a, c) + sign * kg_vector_get (b, c));
    rows->move_a[i] = rows->move_b[i] = kg_vector (0, 0, 0);
    rows->turn_a[i] = kg_vector_scale (kg_vector_cross (a, axes[c]), weight);
    rows->turn_b[i] = kg_vector_scale (kg_vector_cross (b, axes[c]), sign * weight);
  }
}

/* On a curved surface the normal also changes with the place of the point: differences of the gradient say how. */
static void
add_curvature (Rows *rows, guint first, const EnergySurface *surface, KgVector local, KgRotation turn, double step,
               double weight, KgVector arm_a, KgVector arm_b)
{
  KgVector change[3];

  for (size_t c = 0; c < 3; c++) {
    const KgVector way = kg_rotation_apply (kg_rotation_conjugate (turn), axes[c]);
    KgVector ahead, behind;

    energy_surface_get (surface, kg_vector_add_scaled (local, step, way), &ahead);
    energy_surface_get (surface, kg_vector_add_scaled (local, -step, way), &behind);
    change[c] = kg_rotation_apply (turn, kg_vector_scale (kg_vector_subtract (ahead, behind), 0.5 / step));
  }
  for (size_t i = 0; i < 3; i++) {
    const KgVector d = kg_vector_scale (
        kg_vector (kg_vector_get (change[0], i), kg_vector_get (change[1], i), kg_vector_get (change[2], i)), weight);
    const guint row = first + (guint) i;

    rows->move_a[row] = kg_vector_add (rows->move_a[row], d);
    rows->turn_a[row] = kg_vector_add (rows->turn_a[row], kg_vector_cross (arm_a, d));
    rows->move_b[row] = kg_vector_subtract (rows->move_b[row], d);
    rows->turn_b[row] = kg_vector_subtract (rows->turn_b[row], kg_vector_cross (arm_b, d));
  }
}

static void
get_rows (const EnergyModel *model, const EnergyConstraint *k, const EnergyPose *poses, Rows *rows)
{
  const EnergyPose *a = &poses[k->a], *b = &poses[k->b];
  const KgVector p = get_point (a, k->point_a);
  const KgVector arm_a = kg_vector_subtract (p, get_point (a, model->center[k->a]));
  const double w = sqrt (k->weight);
  const bool on_surface = k->kind == ENERGY_FLOAT || k->kind == ENERGY_REST || k->kind == ENERGY_APART;

  rows->n = 0;
  if (k->kind == ENERGY_FIX) {
    add_points (rows, kg_vector_subtract (p, k->point_b), w, arm_a, kg_vector (0, 0, 0));
  } else if (k->kind == ENERGY_ABOVE) {
    if (p.y < k->value)
      add_offset (rows, axes[1], p.y - k->value, w, arm_a, kg_vector (0, 0, 0));
  } else if (k->kind == ENERGY_ALIGN) {
    add_normals (rows, kg_rotation_apply (a->turn, k->normal_a), kg_rotation_apply (b->turn, k->normal_b), -1, w);
  } else if (on_surface) {
    const KgVector local = kg_rotation_apply (kg_rotation_conjugate (b->turn), kg_vector_subtract (p, b->place));
    const KgVector arm_b = kg_vector_subtract (p, get_point (b, model->center[k->b]));
    KgVector gradient;
    const double distance = energy_surface_get (&k->surface, local, &gradient);

    gradient = kg_rotation_apply (b->turn, gradient);
    if (k->kind != ENERGY_APART || distance < 0)
      add_offset (rows, gradient, distance, w, arm_a, arm_b);
    if (k->kind == ENERGY_REST) {
      const guint first = rows->n;

      add_normals (rows, kg_rotation_apply (a->turn, k->normal_a), gradient, 1, w * sqrt (0.5));
      add_curvature (rows, first, &k->surface, local, b->turn, 1e-5 * model->size[k->b], w * sqrt (0.5), arm_a, arm_b);
    }
  } else {
    const KgVector q = get_point (b, k->point_b), way = kg_vector_subtract (p, q);
    const KgVector arm_b = kg_vector_subtract (q, get_point (b, model->center[k->b]));

    if (k->kind == ENERGY_DISTANCE)
      add_offset (rows, kg_vector_normalize_or (way, axes[0]), kg_vector_length (way) - k->value, w, arm_a, arm_b);
    else
      add_points (rows, way, w, arm_a, arm_b);
    if (k->kind == ENERGY_ABUT)
      add_normals (rows, kg_rotation_apply (a->turn, k->normal_a), kg_rotation_apply (b->turn, k->normal_b), 1,
                   w * sqrt (0.5));
  }
}

double
energy_get_one (const EnergyModel *model, const EnergyPose *poses, guint constraint)
{
  double sum = 0;
  Rows rows;

  get_rows (model, &model->constraints[constraint], poses, &rows);
  for (guint i = 0; i < rows.n; i++)
    sum += rows.r[i] * rows.r[i];
  return sum;
}

/* Whether the constraint moves its second thing. */
static bool
has_second (const EnergyConstraint *k)
{
  return k->kind != ENERGY_FIX && k->kind != ENERGY_ABOVE;
}

/* Adds factor times a row to six numbers of a thing. */
static void
add_row (const EnergyModel *model, guint thing, double factor, KgVector move, KgVector turn, double *to)
{
  if (model->held[thing])
    return;
  for (size_t c = 0; c < 3; c++) {
    to[6 * thing + c] += factor * kg_vector_get (move, c);
    to[6 * thing + 3 + c] += factor * kg_vector_get (turn, c) / model->size[thing];
  }
}

double
energy_get (const EnergyModel *model, const EnergyPose *poses, double *gradient)
{
  double sum = 0;

  if (gradient != NULL)
    memset (gradient, 0, 6 * model->n_things * sizeof *gradient);
  for (guint k = 0; k < model->n_constraints; k++) {
    const EnergyConstraint *constraint = &model->constraints[k];
    Rows rows;

    get_rows (model, constraint, poses, &rows);
    for (guint i = 0; i < rows.n; i++) {
      sum += rows.r[i] * rows.r[i];
      if (gradient == NULL)
        continue;
      add_row (model, constraint->a, 2 * rows.r[i], rows.move_a[i], rows.turn_a[i], gradient);
      if (has_second (constraint))
        add_row (model, constraint->b, 2 * rows.r[i], rows.move_b[i], rows.turn_b[i], gradient);
    }
  }
  return sum;
}

/* Moves a thing by a step of six numbers; it turns about its centre. */
static EnergyPose
move_pose (const EnergyModel *model, guint thing, const EnergyPose *pose, const double *step)
{
  const KgVector turn = kg_vector_scale (kg_vector (step[3], step[4], step[5]), 1 / model->size[thing]);
  const KgVector center = get_point (pose, model->center[thing]);
  EnergyPose moved = *pose;

  if (model->held[thing])
    return moved;
  moved.turn = kg_rotation_normalize (
      kg_rotation_multiply (kg_rotation_from_axis_angle (turn, kg_vector_length (turn)), pose->turn));
  moved.place = kg_vector_subtract (kg_vector_add (center, kg_vector (step[0], step[1], step[2])),
                                    kg_rotation_apply (moved.turn, model->center[thing]));
  return moved;
}

static void
evaluate (gconstpointer data, const double *x, double *residuals, double *jacobian)
{
  const EnergyModel *model = (const EnergyModel *) data;
  const EnergyPose *poses = (const EnergyPose *) (const void *) x;

  memset (residuals, 0, MAX_RESIDUALS * model->n_constraints * sizeof *residuals);
  for (guint k = 0; k < model->n_constraints; k++) {
    const EnergyConstraint *constraint = &model->constraints[k];
    Rows rows;

    get_rows (model, constraint, poses, &rows);
    for (guint i = 0; i < rows.n; i++) {
      const size_t row = MAX_RESIDUALS * k + i;

      residuals[row] = rows.r[i];
      if (jacobian == NULL)
        continue;
      add_row (model, constraint->a, 1, rows.move_a[i], rows.turn_a[i], jacobian + row * 6 * model->n_things);
      if (has_second (constraint))
        add_row (model, constraint->b, 1, rows.move_b[i], rows.turn_b[i], jacobian + row * 6 * model->n_things);
    }
  }
}

static void
move_all (gconstpointer data, const double *x, const double *step, double *to)
{
  const EnergyModel *model = (const EnergyModel *) data;

  for (guint i = 0; i < model->n_things; i++)
    ((EnergyPose *) (void *) to)[i] = move_pose (model, i, &((const EnergyPose *) (const void *) x)[i], step + 6 * i);
}

bool
energy_solve (const EnergyModel *model, EnergyPose *poses, guint max_iterations, double tolerance,
              LeastSquaresReport *report, const KgProgressMonitor *monitor)
{
  const LeastSquares problem = { .n_numbers = 7 * model->n_things,
                                 .n_unknowns = 6 * model->n_things,
                                 .n_residuals = MAX_RESIDUALS * model->n_constraints,
                                 .evaluate = evaluate,
                                 .move = move_all,
                                 .data = model,
                                 .max_iterations = max_iterations,
                                 .tolerance = tolerance };

  G_STATIC_ASSERT (sizeof (EnergyPose) == 7 * sizeof (double));
  return least_squares_solve (&problem, (double *) (void *) poses, NULL, report, monitor);
}

/* Most steps of a flow that had to be divided, and the share of the energy at the start below which nothing is left to gain. */
#define MAX_FLOW_STEPS 20000
#define FLOW_REST 1e-14

guint
energy_flow (const EnergyModel *model, EnergyPose *poses, double h)
{
  const guint n = model->n_things;
  g_autofree double *gradient = g_new (double, MAX (6 * n, 1));
  g_autofree EnergyPose *to = g_new (EnergyPose, MAX (n, 1));
  double left = h, part = h, start = 0;
  guint halved = 0;

  for (guint step = 0; left > 1e-12 * h && step < MAX_FLOW_STEPS; step++) {
    const double energy = energy_get (model, poses, gradient);
    double gained;

    start = step == 0 ? energy : start;
    part = fmin (part, left);
    for (guint tries = 0;; tries++) {
      double after;

      for (guint i = 0; i < n; i++) {
        double by[6];

        for (int c = 0; c < 6; c++)
          by[c] = -part * gradient[6 * i + (guint) c];
        to[i] = move_pose (model, i, &poses[i], by);
      }
      after = energy_get (model, to, NULL);
      gained = energy - after;
      if (after <= energy || tries >= 40)
        break;
      part *= 0.5;
      halved++;
    }
    memcpy (poses, to, n * sizeof *poses);
    left -= part;
    /* Where steps are short because the flow is steep, it would take millions of them to the end of the frame at rest. */
    if (halved > 400 || (halved > 0 && gained <= FLOW_REST * start))
      break;
  }
  return halved;
}

/* Reading. */

typedef struct {
  char **words;
  guint next, n;
} Line;

static bool
read_number (Line *line, const char *what, double *x, GError **error)
{
  char *end;

  if (line->next >= line->n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is missing: see the help of the relations", what);
    return false;
  }
  *x = g_ascii_strtod (line->words[line->next], &end);
  if (*end != '\0' || !isfinite (*x)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "\"%s\" is not a number: %s is expected here", line->words[line->next],
                  what);
    return false;
  }
  line->next++;
  return true;
}

static bool
read_vector (Line *line, const char *what, KgVector *v, GError **error)
{
  return read_number (line, what, &v->x, error) && read_number (line, what, &v->y, error) &&
         read_number (line, what, &v->z, error);
}

static bool
read_direction (Line *line, const char *what, KgVector *v, GError **error)
{
  if (!read_vector (line, what, v, error))
    return false;
  if (!(kg_vector_length (*v) > 1e-12)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is 0 0 0: give it a direction", what);
    return false;
  }
  *v = kg_vector_normalize_or (*v, *v);
  return true;
}

static bool
read_thing (Line *line, guint n_things, guint *thing, GError **error)
{
  double x;

  if (!read_number (line, kg_translate (N_ ("the index of a thing")), &x, error))
    return false;
  if (x != floor (x) || x < 0 || x >= n_things) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "there is no thing %g: there are %u, counted from 0", x, n_things);
    return false;
  }
  *thing = (guint) x;
  return true;
}

static bool
skip_word (Line *line, const char *word)
{
  if (line->next < line->n && strcmp (line->words[line->next], word) == 0) {
    line->next++;
    return true;
  }
  return false;
}

/* One to three sizes. */
static bool
read_sizes (Line *line, size_t n, KgVector *sizes, GError **error)
{
  for (size_t i = 0; i < n; i++) {
    double *size = kg_vector_component (sizes, i);

    if (!read_number (line, kg_translate (N_ ("a size")), size, error))
      return false;
    if (!(*size >= 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "a size of %g is below 0: use 0 or more", *size);
      return false;
    }
  }
  return true;
}

static bool
read_surface (Line *line, EnergySurface *s, GError **error)
{
  static const char *const names[] = { "mesh", "ball", "box", "cylinder", "plane" };

  G_STATIC_ASSERT (G_N_ELEMENTS (names) == ENERGY_N_SURFACES);
  for (int i = 0; i < ENERGY_N_SURFACES; i++)
    if (skip_word (line, names[i])) {
      s->kind = (EnergySurfaceKind) i;
      if (s->kind == ENERGY_MESH)
        return true;
      if (!read_vector (line, kg_translate (N_ ("a centre")), &s->center, error))
        return false;
      if (s->kind == ENERGY_PLANE)
        return read_direction (line, kg_translate (N_ ("a normal")), &s->size, error);
      return read_sizes (line, s->kind == ENERGY_BOX ? 3 : s->kind == ENERGY_BALL ? 1 : 2, &s->size, error);
    }
  return true;
}

static bool
read_constraint (Line *line, guint n_things, EnergyConstraint *k, GError **error)
{
  static const char *const names[] = { "fix", "join", "abut", "float", "rest", "distance", "apart", "above", "align" };
  const char *point = kg_translate (N_ ("a point")), *normal = kg_translate (N_ ("a normal"));
  bool second, on_surface;
  int kind;

  G_STATIC_ASSERT (G_N_ELEMENTS (names) == ENERGY_N_KINDS);
  for (kind = 0; kind < ENERGY_N_KINDS && !skip_word (line, names[kind]); kind++)
    ;
  if (kind == ENERGY_N_KINDS) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "\"%s\" is not a kind of relation: use fix, join, distance, abut, align, float, rest, apart or above",
                  line->words[0]);
    return false;
  }
  k->kind = (EnergyKind) kind;
  k->weight = 1;
  on_surface = kind == ENERGY_FLOAT || kind == ENERGY_REST || kind == ENERGY_APART;
  second = kind != ENERGY_FIX && kind != ENERGY_ABOVE;
  if (!read_thing (line, n_things, &k->a, error))
    return false;
  if (kind == ENERGY_ALIGN ? !read_direction (line, normal, &k->normal_a, error)
                           : !read_vector (line, point, &k->point_a, error))
    return false;
  if ((kind == ENERGY_ABUT || kind == ENERGY_REST) && !read_direction (line, normal, &k->normal_a, error))
    return false;
  if (!skip_word (line, "to") && !skip_word (line, "on"))
    skip_word (line, "from");
  if (second && !read_thing (line, n_things, &k->b, error))
    return false;
  if (second && k->a == k->b) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "thing %u is related to itself: name two things", k->a);
    return false;
  }
  if (on_surface && !read_surface (line, &k->surface, error))
    return false;
  if (kind == ENERGY_FIX && skip_word (line, "place")) {
    double place;

    if (!read_number (line, kg_translate (N_ ("the index of a place")), &place, error))
      return false;
    k->place = place >= 0 && place <= 1e6 && place == floor (place) ? (guint) place + 1 : G_MAXUINT;
  }
  if (kind == ENERGY_ALIGN
          ? !read_direction (line, normal, &k->normal_b, error)
          : !on_surface && kind != ENERGY_ABOVE && k->place == 0 && !read_vector (line, point, &k->point_b, error))
    return false;
  if (kind == ENERGY_ABUT && !read_direction (line, normal, &k->normal_b, error))
    return false;
  if ((kind == ENERGY_DISTANCE || kind == ENERGY_ABOVE) &&
      !read_number (line, kg_translate (N_ ("a distance")), &k->value, error))
    return false;
  if (kind == ENERGY_DISTANCE && !(k->value >= 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "a distance of %g is below 0: use 0 or more", k->value);
    return false;
  }
  if (skip_word (line, "weight") && !read_number (line, kg_translate (N_ ("a weight")), &k->weight, error))
    return false;
  if (!(k->weight >= 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the weight %g would make the energy fall without bound: use a weight of 0 or more", k->weight);
    return false;
  }
  if (line->next < line->n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "\"%s\" is one word too many: remove it", line->words[line->next]);
    return false;
  }
  if (!second)
    k->b = k->a;
  return true;
}

GArray *
energy_read (const char *text, guint n_things, GError **error)
{
  g_autoptr (GArray) all = g_array_new (FALSE, TRUE, sizeof (EnergyConstraint));
  g_auto (GStrv) rows = g_strsplit_set (text, "\n;", -1);

  for (guint i = 0; rows[i] != NULL; i++) {
    EnergyConstraint constraint = { .line = i + 1 };
    g_autoptr (GPtrArray) words = g_ptr_array_new ();
    char *rest = NULL;
    Line line;

    rows[i][strcspn (rows[i], "#")] = '\0';
    for (char *word = strtok_r (rows[i], " \t\r,", &rest); word != NULL; word = strtok_r (NULL, " \t\r,", &rest))
      g_ptr_array_add (words, word);
    if (words->len == 0)
      continue;
    line = (Line){ (char **) words->pdata, 0, words->len };
    if (!read_constraint (&line, n_things, &constraint, error)) {
      kg_prefix_error (error, "line %u: ", i + 1);
      return NULL;
    }
    g_array_append_val (all, constraint);
  }
  return g_steal_pointer (&all);
}
