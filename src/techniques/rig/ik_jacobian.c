/* ik_jacobian: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/ik_jacobian.h"

/* Most that an end rotates in an iteration. */
#define MOST_ROTATION (10 * KG_DEGREE)
/* Most that a freedom moves in an iteration towards its preferred value: the linear image holds that far. */
#define MOST_WISH 0.2
/* Most that an angle changes in an iteration, and how often a step is made smaller that makes things worse. */
#define MOST_CHANGE 0.5
#define MOST_ATTEMPTS 10
/* What an error of one level counts against one of the level before it, where steps are judged. */
#define LEVEL_SHARE 1e-4
/* What is left of the wish when the comfort is as small as the goals allow. */
#define COMFORT_TOLERANCE 1e-6

typedef struct {
  IkJacobian *ik;
  Linkage linkage;
  KgSkeleton *skeleton;
  double length;
  double extra; /* damping that the last steps turned out to need */
  guint n_rows;
  double *jacobian, *reduced; /* n_rows × n; without the freedoms that are blocked */
  double *error, *changes, *wish;
  int *levels;
  bool *blocked;
  double *shares;      /* what the error of each goal counts */
  KgVector *positions; /* of the goals in this substep */
  KgRotation *orientations;
} Search;

static KgVector
shorten (KgVector v, double most)
{
  const double length = kg_vector_length (v);

  return length > most ? kg_vector_scale (v, most / length) : v;
}

static bool
has_comfort (const IkJacobian *ik, guint n)
{
  for (guint k = 0; ik->gains != NULL && k < n; k++)
    if (ik->gains[k] != 0)
      return true;
  return false;
}

double
ik_jacobian_get_comfort (const IkJacobian *ik, const Linkage *linkage, double *gradient)
{
  double sum = 0;

  for (guint k = 0; k < linkage->n; k++) {
    const LinkageFreedom *freedom = &linkage->freedoms[k];
    double away = freedom->value - ik->desired[k];

    if (freedom->kind == LINKAGE_BALL) {
      /* The rotation from the preferred one, about the joint's own axes; every ball has three freedoms in a row. */
      const guint first = k - freedom->axis;
      const KgVector desired = kg_vector (ik->desired[first], ik->desired[first + 1], ik->desired[first + 2]);
      const KgVector value = kg_vector (linkage->freedoms[first].value, linkage->freedoms[first + 1].value,
                                        linkage->freedoms[first + 2].value);

      away = kg_vector_get (
          linkage_get_rotation_vector (kg_rotation_multiply (
              kg_rotation_conjugate (linkage_rotation_from_vector (desired)), linkage_rotation_from_vector (value))),
          freedom->axis);
    }
    sum += ik->gains[k] * pow (away, ik->power);
    if (gradient != NULL)
      gradient[k] = ik->power * ik->gains[k] * pow (away, ik->power - 1);
  }
  return sum;
}

/* What is descended along: the gradient, in steps that do not overshoot. */
static void
find_wish (Search *search)
{
  const IkJacobian *ik = search->ik;
  const guint n = search->linkage.n;
  double steepest = 0, largest = 0, scale;

  ik_jacobian_get_comfort (ik, &search->linkage, search->wish);
  for (guint k = 0; k < n; k++) {
    const double away = fmax (fabs (search->linkage.freedoms[k].value - ik->desired[k]), 1e-3);

    steepest = fmax (steepest, ik->power * (ik->power - 1) * ik->gains[k] * pow (away, ik->power - 2));
    largest = fmax (largest, fabs (search->wish[k]));
  }
  scale = steepest > 0.5 ? 0.5 / steepest : 1;
  if (scale * largest > MOST_WISH)
    scale = MOST_WISH / largest;
  for (guint k = 0; k < n; k++)
    search->wish[k] *= -scale;
}

/* Rows of the Jacobian and of the error; most: farthest that an end moves, in metres, infinite to measure.  Returns the length
 * of the whole error. */
static double
fill_rows (Search *search, double most)
{
  const IkJacobian *ik = search->ik;
  const gsize n = search->linkage.n;
  double sum = 0;

  for (guint g = 0; g < ik->n_goals; g++) {
    const IkJacobianGoal *goal = &ik->goals[g];
    double *rows = search->jacobian + 6 * g * n, *error = search->error + 6 * (gsize) g;
    const double turn_weight = goal->orientation_weight * search->length / (2 * KG_PI);
    KgVector away = kg_vector_subtract (search->positions[g], search->linkage.points[goal->joint]);
    KgVector turned = linkage_get_rotation_vector (
        kg_rotation_multiply (search->orientations[g], kg_rotation_conjugate (search->linkage.frames[goal->joint])));

    sum += search->shares[g] * search->shares[g] *
           (kg_vector_dot (away, away) * goal->weight * goal->weight +
            kg_vector_dot (turned, turned) * turn_weight * turn_weight);
    if (!isfinite (most))
      continue;
    linkage_get_jacobian (&search->linkage, goal->joint, search->linkage.points[goal->joint], rows);
    away = shorten (away, most);
    turned = shorten (turned, MOST_ROTATION);
    for (gsize i = 0; i < 3 * n; i++) {
      rows[i] *= goal->weight;
      rows[3 * n + i] *= turn_weight;
    }
    for (size_t c = 0; c < 3; c++) {
      error[c] = goal->weight * kg_vector_get (away, c);
      error[3 + c] = turn_weight * kg_vector_get (turned, c);
      search->levels[6 * g + c] = search->levels[6 * g + 3 + c] = goal->level;
    }
  }
  return sqrt (sum);
}

/* Fills residual and residual_angle, against the goals themselves. */
static void
measure (Search *search)
{
  IkJacobian *ik = search->ik;

  ik->residual = ik->residual_angle = 0;
  for (guint g = 0; g < ik->n_goals; g++) {
    const IkJacobianGoal *goal = &ik->goals[g];

    if (goal->weight > 0)
      ik->residual = fmax (ik->residual, kg_vector_distance (goal->position, search->linkage.points[goal->joint]));
    if (goal->orientation_weight > 0)
      ik->residual_angle = fmax (ik->residual_angle,
                                 kg_vector_length (linkage_get_rotation_vector (kg_rotation_multiply (
                                     goal->orientation, kg_rotation_conjugate (search->linkage.frames[goal->joint])))));
  }
}

/* Changes of all freedoms; those at a limit that want to go beyond it drop out, and the others are asked again. */
static bool
find_changes (Search *search, bool wishes, double *leftover, GError **error)
{
  const gsize n = search->linkage.n;
  const bool damped = search->extra > 0;
  const double given = search->ik->method == IK_RATES_DAMPED ? search->ik->damping * search->length : 0;
  bool again = true;

  memset (search->blocked, 0, n * sizeof *search->blocked);
  memcpy (search->reduced, search->jacobian, search->n_rows * n * sizeof *search->reduced);
  while (again) {
    const IkRates rates = { .n_rows = search->n_rows,
                            .n = (guint) n,
                            .jacobian = search->reduced,
                            .error = search->error,
                            .levels = search->levels,
                            .wish = wishes ? search->wish : NULL,
                            .stiffness = search->ik->stiffness,
                            .method = damped ? IK_RATES_DAMPED : search->ik->method,
                            .damping_rule = damped ? IK_DAMPING_CONSTANT : search->ik->damping_rule,
                            .damping = damped ? fmax (search->extra, given) : given };

    again = false;
    if (!ik_rates_solve (&rates, search->changes, error))
      return false;
    for (gsize k = 0; k < n; k++) {
      const LinkageFreedom *freedom = &search->linkage.freedoms[k];

      if (search->blocked[k] || !((freedom->value <= freedom->low + 1e-12 && search->changes[k] < -1e-15) ||
                                  (freedom->value >= freedom->high - 1e-12 && search->changes[k] > 1e-15)))
        continue;
      search->blocked[k] = again = true;
      search->changes[k] = search->wish[k] = 0;
      for (guint r = 0; r < search->n_rows; r++)
        search->reduced[r * n + k] = 0;
    }
    *leftover = 0;
    if (!again && wishes) {
      g_autofree double *projected = g_new (double, n);

      if (!ik_rates_project (&rates, search->wish, projected, error))
        return false;
      for (gsize k = 0; k < n; k++)
        *leftover = fmax (*leftover, fabs (projected[k]));
    }
  }
  return true;
}

/* A kink, the same every time: a stretched chain that points straight at its goal, or away from it, has no direction to bend. */
static void
kink (Search *search)
{
  guint bent = 0;

  for (guint k = 0; k < search->linkage.n; k++) {
    const LinkageFreedom *freedom = &search->linkage.freedoms[k];

    search->changes[k] = 0;
    /* Of a ball, about one axis only; the end of a chain bends nothing. */
    if (freedom->kind == LINKAGE_SLIDE || (freedom->kind == LINKAGE_BALL && freedom->axis != 2))
      continue;
    search->changes[k] = bent++ % 2 == 0 ? 0.05 : -0.1;
  }
  linkage_move (&search->linkage, search->skeleton, search->changes);
  linkage_update (&search->linkage, search->skeleton);
}

static void
keep_pose (const Search *search, KgRotation *rotations, KgVector *translations)
{
  for (guint i = 0; i < search->linkage.n_joints; i++) {
    rotations[i] = kg_skeleton_get_rotation (search->skeleton, i);
    translations[i] = kg_skeleton_get_translation (search->skeleton, i);
  }
}

static void
restore_pose (Search *search, const KgRotation *rotations, const KgVector *translations)
{
  for (guint i = 0; i < search->linkage.n_joints; i++) {
    kg_skeleton_set_rotation (search->skeleton, i, rotations[i]);
    kg_skeleton_set_translation (search->skeleton, i, translations[i]);
  }
  linkage_update (&search->linkage, search->skeleton);
}

static bool
is_reached (const Search *search)
{
  const IkJacobian *ik = search->ik;

  for (guint g = 0; g < ik->n_goals; g++) {
    const IkJacobianGoal *goal = &ik->goals[g];

    if (goal->weight > 0 &&
        kg_vector_distance (search->positions[g], search->linkage.points[goal->joint]) > ik->tolerance)
      return false;
    if (goal->orientation_weight > 0 &&
        kg_vector_length (linkage_get_rotation_vector (kg_rotation_multiply (
            search->orientations[g], kg_rotation_conjugate (search->linkage.frames[goal->joint])))) >
            ik->tolerance_angle)
      return false;
  }
  return true;
}

/* The largest change, slides as shares of the length. */
static double
get_largest_change (const Search *search)
{
  double largest = 0;

  for (guint k = 0; k < search->linkage.n; k++)
    largest = fmax (largest, fabs (search->changes[k]) /
                                 (search->linkage.freedoms[k].kind == LINKAGE_SLIDE ? search->length : 1));
  return largest;
}

static void
scale_changes (Search *search, double factor)
{
  for (guint k = 0; k < search->linkage.n; k++)
    search->changes[k] *= factor;
}

/* Moves by the changes.  Where that makes the error larger, or would throw the joints about, methods that can be damped are
 * asked again with more damping (Levenberg 1944), which lasts for a while; others go half of the way.  moved: (out) false when
 * nothing helps. */
static bool
step (Search *search, bool wishes, const KgRotation *rotations, const KgVector *translations, double *cost, bool *moved,
      GError **error)
{
  const IkJacobian *ik = search->ik;
  const bool dampens = !wishes && (ik->method == IK_RATES_PSEUDO_INVERSE ||
                                   (ik->method == IK_RATES_DAMPED && ik->damping_rule != IK_DAMPING_SELECTIVE));

  *moved = false;
  for (int attempt = 0; attempt <= MOST_ATTEMPTS; attempt++) {
    const double largest = get_largest_change (search);
    double leftover;

    if (!(largest > 1e-9))
      return true;
    if (largest <= MOST_CHANGE || !dampens) {
      double now;

      if (largest > MOST_CHANGE)
        scale_changes (search, MOST_CHANGE / largest);
      linkage_move (&search->linkage, search->skeleton, search->changes);
      linkage_update (&search->linkage, search->skeleton);
      now = fill_rows (search, INFINITY);
      if (wishes || now < *cost) {
        *cost = now;
        search->extra = search->extra > 1e-3 * search->length ? 0.25 * search->extra : 0;
        *moved = true;
        return true;
      }
      restore_pose (search, rotations, translations);
    }
    if (!dampens) {
      scale_changes (search, 0.5);
      continue;
    }
    search->extra = fmax (4 * search->extra, 0.01 * search->length);
    if (!find_changes (search, wishes, &leftover, error))
      return false;
  }
  return true;
}

/* From the present pose towards the goals of one substep. */
static bool
iterate (Search *search, const KgProgressMonitor *monitor, GError **error)
{
  IkJacobian *ik = search->ik;
  const guint n_joints = search->linkage.n_joints, n = search->linkage.n;
  g_autofree KgRotation *rotations = g_new (KgRotation, n_joints), *best = g_new (KgRotation, n_joints);
  g_autofree KgVector *translations = g_new (KgVector, n_joints), *best_translations = g_new (KgVector, n_joints);
  const bool wishes = has_comfort (ik, n) && (ik->method == IK_RATES_PSEUDO_INVERSE || ik->method == IK_RATES_DAMPED);
  double cost = fill_rows (search, INFINITY), least = cost, leftover = INFINITY;
  bool kinked = false;

  keep_pose (search, best, best_translations);
  for (int64_t i = 0; i < ik->max_iterations && !kg_progress_is_cancelled (monitor); i++) {
    bool moved;

    if (is_reached (search) && !wishes)
      break;
    if (wishes)
      find_wish (search);
    fill_rows (search, ik->step * search->length);
    if (!find_changes (search, wishes, &leftover, error))
      return false;
    if (is_reached (search) && leftover <= COMFORT_TOLERANCE)
      break;
    keep_pose (search, rotations, translations);
    if (!step (search, wishes, rotations, translations, &cost, &moved, error))
      return false;
    ik->iterations++;
    if (!moved && !is_reached (search) && !kinked) {
      kink (search);
      cost = fill_rows (search, INFINITY);
      kinked = true;
    } else if (!moved) {
      break;
    }
    /* With a preferred pose the newest is the one that is wanted, once the goals are reached. */
    if (cost < least || (wishes && is_reached (search))) {
      least = cost;
      keep_pose (search, best, best_translations);
    }
  }
  restore_pose (search, best, best_translations);
  return !kg_progress_is_cancelled (monitor);
}

static bool
check (const IkJacobian *ik, const KgSkeleton *skeleton, GError **error)
{
  if (ik->n_goals > IK_MAX_GOALS) {
    kg_set_error (error, KG_ERROR_LIMIT, "%u goals are too many: use at most %d", ik->n_goals, IK_MAX_GOALS);
    return false;
  }
  for (guint g = 0; g < ik->n_goals; g++)
    g_assert (ik->goals[g].joint < kg_skeleton_get_n_joints (skeleton));
  return true;
}

/* By how many levels there are before that of a goal. */
static double
get_share (const IkJacobian *ik, guint goal)
{
  double share = 1;

  for (guint g = 0; g < ik->n_goals; g++) {
    bool counted = ik->goals[g].level >= ik->goals[goal].level;

    for (guint before = 0; before < g; before++)
      counted |= ik->goals[before].level == ik->goals[g].level;
    if (!counted)
      share *= LEVEL_SHARE;
  }
  return share;
}

bool
ik_jacobian_run (IkJacobian *ik, KgSkeleton *skeleton, const KgProgressMonitor *monitor, GError **error)
{
  Search search = { .ik = ik, .skeleton = skeleton, .n_rows = 6 * ik->n_goals };
  g_autofree KgVector *starts = g_new (KgVector, MAX (ik->n_goals, 1));
  g_autofree KgRotation *frames = g_new (KgRotation, MAX (ik->n_goals, 1));
  g_autofree double *none = NULL;
  bool done = true;
  gsize n;

  ik->iterations = 0;
  if (!check (ik, skeleton, error))
    return false;
  linkage_init (&search.linkage, skeleton);
  n = search.linkage.n;
  none = g_new0 (double, MAX (n, 1));
  /* Into the limits first. */
  linkage_move (&search.linkage, skeleton, none);
  linkage_update (&search.linkage, skeleton);
  for (guint g = 0; g < ik->n_goals; g++) {
    search.length = fmax (search.length, linkage_get_reach (&search.linkage, ik->goals[g].joint));
    starts[g] = search.linkage.points[ik->goals[g].joint];
    frames[g] = search.linkage.frames[ik->goals[g].joint];
  }
  search.length = search.length > 1e-9 ? search.length : 1;
  search.jacobian = g_new (double, search.n_rows *n + 1);
  search.reduced = g_new (double, search.n_rows *n + 1);
  search.error = g_new0 (double, search.n_rows + 1);
  search.levels = g_new0 (int, search.n_rows + 1);
  search.changes = g_new0 (double, n + 1);
  search.wish = g_new0 (double, n + 1);
  search.blocked = g_new0 (bool, n + 1);
  search.shares = g_new (double, ik->n_goals + 1);
  for (guint g = 0; g < ik->n_goals; g++)
    search.shares[g] = get_share (ik, g);
  search.positions = g_new (KgVector, ik->n_goals + 1);
  search.orientations = g_new (KgRotation, ik->n_goals + 1);
  for (int64_t part = 1; done && n > 0 && ik->n_goals > 0 && part <= ik->substeps; part++) {
    const double share = (double) part / (double) ik->substeps;

    for (guint g = 0; g < ik->n_goals; g++) {
      search.positions[g] = part == ik->substeps ? ik->goals[g].position
                                                 : kg_vector_lerp (starts[g], ik->goals[g].position, share);
      search.orientations[g] = part == ik->substeps ? ik->goals[g].orientation
                                                    : kg_rotation_slerp (frames[g], ik->goals[g].orientation, share);
    }
    done = iterate (&search, monitor, error);
  }
  measure (&search);
  ik->comfort = ik->gains != NULL ? ik_jacobian_get_comfort (ik, &search.linkage, NULL) : 0;
  linkage_clear (&search.linkage);
  g_free (search.jacobian);
  g_free (search.reduced);
  g_free (search.error);
  g_free (search.levels);
  g_free (search.changes);
  g_free (search.wish);
  g_free (search.blocked);
  g_free (search.shares);
  g_free (search.positions);
  g_free (search.orientations);
  return done;
}
