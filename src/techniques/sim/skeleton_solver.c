/* skeleton_solver: point masses whose rods and hinges are repaired, sweep by sweep, after each has moved alone.
 *
 * Parts of a figure that nothing joins are solved apart from each other: each stops as soon as it is right, they run in
 * parallel, and the result does not depend on the number of threads.  Within a part corrections are made in the order of
 * the figure.
 * Source: van Overveld, skeleton dynamics by decoupled constraints (statements 1 to 17 in the comments).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/skeleton_solver.h"
#include "value/disjoint_sets.h"

/* Metres a second at which firm walls lift points that cannot have entered by themselves, such as those of a figure
 * that starts in the ground: put back at once, it would be thrown. */
#define LIFT_SPEED 1.0
/* Below this many points and constraints threads cost more than they bring. */
#define PARALLEL_FROM 10000

/* What a hinge is compared with, so that an angle is taken only of those that are beyond their limits. */
typedef struct {
  SkeletonHinge limits;
  double cos_middle, sin_middle;
  double cos_reach; /* of half the interval and the tolerance; -2: never reached */
} Hinge;

/* Directions in which walls guide a point in this step. */
typedef struct {
  KgVector along[3]; /* orthonormal */
  double speed[3];   /* at the end of the step */
  guint n;
} Guide;

/* Points, rods and hinges of a part: where they start in the arrays, and how many there are. */
typedef struct {
  size_t first_point, n_points;
  size_t first_rod, n_rods;
  size_t first_hinge, n_hinges;
} Part;

struct _SkeletonSolver {
  SkeletonSettings settings;
  size_t n_points, n_rods, n_hinges, n_parts;
  SkeletonPoints points;
  double *weights;   /* inverse masses, 0 where held */
  KgVector *trial;   /* n of the source: where points will be */
  KgVector *shift;   /* of the sweep, where corrections do not see each other */
  Guide *guides;     /* read where touching is not 0 */
  guint *degrees;    /* rods at a point */
  uint32_t *members; /* points, part by part */
  SkeletonRod *rods; /* part by part, in the order of the figure */
  KgVector *start;   /* of each rod, its direction and length when the step starts */
  Hinge *hinges;     /* likewise */
  Part *parts;
  double *traces; /* of each part, and room for it */
  guint n_walls;
  SkeletonWall walls[SKELETON_MAX_WALLS];
};

/* Parts. */

/* The root of a part is its first point, so that parts come in the order of these. */
static void
join (uint32_t *parents, uint32_t a, uint32_t b)
{
  a = disjoint_sets_find (parents, a);
  b = disjoint_sets_find (parents, b);
  if (a < b)
    parents[b] = a;
  else
    parents[a] = b;
}

static void
set_hinge (Hinge *hinge, const SkeletonHinge *limits, double tolerance)
{
  const double middle = 0.5 * (limits->low + limits->high), reach = 0.5 * (limits->high - limits->low) + tolerance;

  hinge->limits = *limits;
  hinge->cos_middle = cos (middle);
  hinge->sin_middle = sin (middle);
  hinge->cos_reach = reach < KG_PI ? cos (reach) : -2;
}

static void
sort_into_parts (SkeletonSolver *s, const SkeletonFigure *figure)
{
  g_autofree uint32_t *parents = g_new (uint32_t, MAX (s->n_points, 1));
  g_autofree size_t *part_of = g_new0 (size_t, MAX (s->n_points, 1));

  for (size_t i = 0; i < s->n_points; i++)
    parents[i] = (uint32_t) i;
  for (size_t k = 0; k < s->n_rods; k++)
    join (parents, s->rods[k].a, s->rods[k].b);
  for (size_t k = 0; k < s->n_hinges; k++) {
    const SkeletonHinge *hinge = &g_array_index (figure->hinges, SkeletonHinge, k);

    join (parents, hinge->a, hinge->b);
    join (parents, hinge->b, hinge->c);
  }
  for (size_t i = 0; i < s->n_points; i++) {
    const uint32_t root = disjoint_sets_find (parents, (uint32_t) i);

    part_of[i] = root == i ? s->n_parts++ : part_of[root];
  }
  s->parts = g_new0 (Part, MAX (s->n_parts, 1));
  for (size_t i = 0; i < s->n_points; i++)
    s->parts[part_of[i]].n_points++;
  for (size_t k = 0; k < s->n_rods; k++)
    s->parts[part_of[s->rods[k].a]].n_rods++;
  for (size_t k = 0; k < s->n_hinges; k++)
    s->parts[part_of[g_array_index (figure->hinges, SkeletonHinge, k).a]].n_hinges++;
  for (size_t p = 1; p < s->n_parts; p++) {
    const Part *before = &s->parts[p - 1];

    s->parts[p].first_point = before->first_point + before->n_points;
    s->parts[p].first_rod = before->first_rod + before->n_rods;
    s->parts[p].first_hinge = before->first_hinge + before->n_hinges;
  }
  for (size_t p = 0; p < s->n_parts; p++)
    s->parts[p].n_points = s->parts[p].n_rods = s->parts[p].n_hinges = 0;
  for (size_t i = 0; i < s->n_points; i++) {
    Part *part = &s->parts[part_of[i]];

    s->members[part->first_point + part->n_points++] = (uint32_t) i;
  }
  for (size_t k = 0; k < s->n_rods; k++) {
    const SkeletonRod *rod = &g_array_index (figure->rods, SkeletonRod, k);
    Part *part = &s->parts[part_of[rod->a]];

    s->rods[part->first_rod + part->n_rods++] = *rod;
  }
  for (size_t k = 0; k < s->n_hinges; k++) {
    const SkeletonHinge *hinge = &g_array_index (figure->hinges, SkeletonHinge, k);
    Part *part = &s->parts[part_of[hinge->a]];

    set_hinge (&s->hinges[part->first_hinge + part->n_hinges++], hinge, s->settings.angle_tolerance);
  }
}

SkeletonSolver *
skeleton_solver_new (size_t n_points, const SkeletonFigure *figure, const SkeletonSettings *settings)
{
  SkeletonSolver *s = g_new0 (SkeletonSolver, 1);
  const size_t room = MAX (n_points, 1);

  s->settings = *settings;
  s->n_points = n_points;
  s->n_rods = figure->rods->len;
  s->n_hinges = figure->hinges->len;
  s->points.places = g_new0 (KgVector, room);
  s->points.momenta = g_new0 (KgVector, room);
  s->points.masses = g_new0 (double, room);
  s->points.held = g_new0 (uint8_t, room);
  s->points.targets = g_new0 (KgVector, room);
  s->points.touching = g_new0 (uint32_t, room);
  s->points.buried = g_new0 (uint32_t, room);
  s->weights = g_new0 (double, room);
  s->trial = g_new0 (KgVector, room);
  s->shift = g_new0 (KgVector, room);
  s->guides = g_new0 (Guide, room);
  s->degrees = g_new0 (guint, room);
  s->members = g_new0 (uint32_t, room);
  s->rods = g_new0 (SkeletonRod, MAX (s->n_rods, 1));
  s->start = g_new0 (KgVector, MAX (s->n_rods, 1));
  s->hinges = g_new0 (Hinge, MAX (s->n_hinges, 1));
  for (size_t i = 0; i < n_points; i++) {
    s->points.masses[i] = 1;
    s->points.buried[i] = SKELETON_ALL_WALLS;
  }
  for (size_t k = 0; k < s->n_rods; k++) {
    s->rods[k] = g_array_index (figure->rods, SkeletonRod, k);
    s->degrees[s->rods[k].a]++;
    s->degrees[s->rods[k].b]++;
  }
  sort_into_parts (s, figure);
  return s;
}

void
skeleton_solver_free (SkeletonSolver *s)
{
  g_free (s->points.places);
  g_free (s->points.momenta);
  g_free (s->points.masses);
  g_free (s->points.held);
  g_free (s->points.targets);
  g_free (s->points.touching);
  g_free (s->points.buried);
  g_free (s->weights);
  g_free (s->trial);
  g_free (s->shift);
  g_free (s->guides);
  g_free (s->degrees);
  g_free (s->members);
  g_free (s->rods);
  g_free (s->start);
  g_free (s->hinges);
  g_free (s->parts);
  g_free (s->traces);
  g_free (s);
}

void
skeleton_solver_set_walls (SkeletonSolver *s, const SkeletonWall *walls, guint n)
{
  g_return_if_fail (n <= SKELETON_MAX_WALLS);
  s->n_walls = n;
  if (n > 0)
    memcpy (s->walls, walls, n * sizeof *walls);
}

SkeletonPoints
skeleton_solver_get_points (SkeletonSolver *s)
{
  return s->points;
}

/* Impulses. */

/* How far the point moves by an impulse times dt: not where it is held, and not along what guides it. */
static inline KgVector
yield (const SkeletonSolver *s, uint32_t i, KgVector impulse)
{
  if (G_UNLIKELY (s->points.touching[i] != 0)) {
    const Guide *guide = &s->guides[i];

    for (guint k = 0; k < guide->n; k++)
      impulse = kg_vector_add_scaled (impulse, -kg_vector_dot (impulse, guide->along[k]), guide->along[k]);
  }
  return kg_vector_scale (impulse, s->weights[i]);
}

static inline void
push (SkeletonSolver *s, uint32_t i, KgVector impulse, double frequency, KgVector *moved)
{
  s->points.momenta[i] = kg_vector_add_scaled (s->points.momenta[i], frequency, impulse);
  moved[i] = kg_vector_add (moved[i], yield (s, i, impulse));
}

/* Rods. */

/* G1: by how much it is too long (too short: negative), beyond the tolerance. */
static inline double
get_excess (const SkeletonRod *rod, double length, double tolerance)
{
  if (length < rod->shortest * (1 - tolerance))
    return length - rod->shortest;
  if (length > rod->longest * (1 + tolerance))
    return length - rod->longest;
  return 0;
}

/* S1.  What the impulse is to correct, as a multiple of axis: both ends approach by it along the rod. */
static bool
get_rod_impulse (SkeletonSolver *s, size_t k, KgVector d, double length, double excess, KgVector *impulse,
                 guint *events)
{
  const SkeletonRod *rod = &s->rods[k];
  const KgVector axis = length > 0 ? kg_vector_scale (d, 1 / length)
                                   : kg_vector_normalize_or (s->start[k], kg_vector (1, 0, 0));
  double give, strength;

  if (!(length > 0))
    *events |= SKELETON_COINCIDENT;
  if (s->settings.direction == SKELETON_ALONG_START) {
    const KgVector u = s->start[k];
    const double wanted = length - excess;

    give = kg_vector_dot (d, kg_vector_add (yield (s, rod->a, u), yield (s, rod->b, u)));
    if (kg_vector_dot (d, u) > 0 && give > 0) {
      *impulse = kg_vector_scale (u, 0.5 * (length * length - wanted * wanted) / give);
      return true;
    }
  }
  give = kg_vector_dot (axis, kg_vector_add (yield (s, rod->a, axis), yield (s, rod->b, axis)));
  if (!(give > 0)) {
    if (s->points.held[rod->a] && s->points.held[rod->b])
      *events |= SKELETON_HELD_APART;
    else if ((s->points.touching[rod->a] | s->points.touching[rod->b]) != 0)
      *events |= SKELETON_PRESSED;
    return false;
  }
  strength = s->settings.correction == SKELETON_HALVES ? 0.5 * excess : excess / give;
  *impulse = kg_vector_scale (axis, strength);
  return true;
}

/* True when the rod was within its limits. */
static inline bool
repair_rod (SkeletonSolver *s, size_t k, double frequency, KgVector *moved, guint *events)
{
  const SkeletonRod *rod = &s->rods[k];
  const KgVector d = kg_vector_subtract (s->trial[rod->a], s->trial[rod->b]);
  const double length = kg_vector_length (d), excess = get_excess (rod, length, s->settings.length_tolerance);
  double share = s->settings.relax;
  KgVector impulse;

  if (excess == 0)
    return true;
  if (!get_rod_impulse (s, k, d, length, excess, &impulse, events))
    return false;
  if (s->settings.sweep == SKELETON_AVERAGED)
    share *= 2.0 / (1 + MAX (s->degrees[rod->a], s->degrees[rod->b]));
  impulse = kg_vector_scale (impulse, share);
  push (s, rod->a, kg_vector_scale (impulse, -1), frequency, moved);
  push (s, rod->b, impulse, frequency, moved);
  return false;
}

/* Hinges. */

/* The turn over the three places, the axis it is about, and both arms.  False when an arm has no length. */
static bool
measure_hinge (const KgVector places[3], bool plane, KgVector *h12, KgVector *h23, KgVector *axis, double *angle,
               guint *events)
{
  KgVector cross;
  double size, straight;

  *h12 = kg_vector_subtract (places[1], places[0]);
  *h23 = kg_vector_subtract (places[2], places[1]);
  if (kg_vector_length (*h12) < 1e-12 || kg_vector_length (*h23) < 1e-12) {
    *events |= SKELETON_COINCIDENT;
    return false;
  }
  cross = kg_vector_cross (*h12, *h23);
  straight = kg_vector_dot (*h12, *h23);
  if (plane) {
    *axis = kg_vector (0, 0, 1);
    *angle = atan2 (cross.z, straight);
    return true;
  }
  size = kg_vector_length (cross);
  *angle = atan2 (size, straight);
  *axis = kg_vector_scale (cross, 1 / fmax (size, 1e-300));
  if (size < 1e-9 * kg_vector_length (*h12) * kg_vector_length (*h23)) {
    *axis = kg_vector_perpendicular (kg_vector_normalize_or (*h12, kg_vector (1, 0, 0)));
    *events |= SKELETON_AMBIGUOUS_FOLD;
  }
  return true;
}

/* By how much the hinge has to turn. */
static double
get_turn (const SkeletonHinge *hinge, double angle, double tolerance, bool plane)
{
  if (plane)
    angle += 2 * KG_PI * nearbyint ((0.5 * (hinge->low + hinge->high) - angle) / (2 * KG_PI));
  if (angle > hinge->high + tolerance)
    return hinge->high - angle;
  if (angle < hinge->low - tolerance)
    return hinge->low - angle;
  return 0;
}

/* The gradient of the angle by the places, for both kinds of space: arms turn about the axis. */
static void
get_gradient (KgVector h12, KgVector h23, KgVector axis, KgVector g[3])
{
  g[0] = kg_vector_scale (kg_vector_cross (axis, h12), 1 / kg_vector_dot (h12, h12));
  g[2] = kg_vector_scale (kg_vector_cross (axis, h23), 1 / kg_vector_dot (h23, h23));
  g[1] = kg_vector_scale (kg_vector_add (g[0], g[2]), -1);
}

/* The printed rule: the outer arm turns, the torque of that is taken back by a turn of both arms, the momentum by thirds.  The
 * moves after each of these stages. */
static void
get_paper_stages (KgVector h12, KgVector h23, KgVector axis, double turn, KgVector stages[3][3])
{
  const double c = cos (turn) - 1, sine = sin (turn), along = kg_vector_dot (axis, h23);
  const KgVector across = kg_vector_add_scaled (h23, -along, axis);
  KgVector rest;
  double t;

  stages[0][0] = stages[0][1] = stages[1][1] = kg_vector (0, 0, 0);
  stages[0][2] = kg_vector_add (kg_vector_scale (across, c), kg_vector_scale (kg_vector_cross (axis, h23), sine));
  t = kg_vector_dot (axis, kg_vector_cross (stages[0][2], h23)) / (kg_vector_dot (h12, h12) + kg_vector_dot (h23, h23));
  stages[1][2] = kg_vector_add_scaled (stages[0][2], t, kg_vector_cross (axis, h23));
  stages[1][0] = kg_vector_scale (kg_vector_cross (axis, h12), -t);
  rest = kg_vector_scale (kg_vector_add (stages[1][0], stages[1][2]), 1.0 / 3);
  stages[2][0] = kg_vector_subtract (stages[1][0], rest);
  stages[2][1] = kg_vector_scale (rest, -1);
  stages[2][2] = kg_vector_subtract (stages[1][2], rest);
}

static void
get_paper_impulses (KgVector h12, KgVector h23, KgVector axis, double turn, KgVector impulses[3])
{
  KgVector stages[3][3];

  get_paper_stages (h12, h23, axis, turn, stages);
  memcpy (impulses, stages[2], sizeof stages[2]);
}

/* The straight line that a gradient follows is good for a part of a turn only. */
static double
limit_turn (double turn)
{
  return kg_clamp (turn, -1, 1);
}

bool
skeleton_solver_correct_hinge (const SkeletonHinge *hinge, const SkeletonSettings *settings, const KgVector places[3],
                               const double weights[3], KgVector impulses[3])
{
  KgVector h12, h23, axis;
  double angle, turn, give = 0;
  guint events = 0;

  if (!measure_hinge (places, settings->plane, &h12, &h23, &axis, &angle, &events))
    return false;
  turn = get_turn (hinge, angle, settings->angle_tolerance, settings->plane);
  if (turn == 0)
    return false;
  if (settings->hinge_rule == SKELETON_PAPER) {
    get_paper_impulses (h12, h23, axis, turn, impulses);
    return true;
  }
  get_gradient (h12, h23, axis, impulses);
  for (int i = 0; i < 3; i++)
    give += weights[i] * kg_vector_dot (impulses[i], impulses[i]);
  for (int i = 0; i < 3; i++)
    impulses[i] = kg_vector_scale (impulses[i], give > 0 ? limit_turn (turn) / give : 0);
  return give > 0;
}

guint
skeleton_solver_list_stages (const SkeletonHinge *hinge, SkeletonHingeRule rule, const KgVector places[3],
                             KgVector stages[4][3], double *turn)
{
  const SkeletonSettings settings = { .hinge_rule = rule, .plane = true };
  const double weights[] = { 1, 1, 1 };
  KgVector h12, h23, axis, moves[3][3] = { { { 0 } } };
  double angle;
  guint events = 0, n = rule == SKELETON_PAPER ? 3 : 1;

  memcpy (stages[0], places, sizeof stages[0]);
  *turn = 0;
  if (!measure_hinge (places, true, &h12, &h23, &axis, &angle, &events))
    return 1;
  if (rule == SKELETON_PAPER && get_turn (hinge, angle, 0, true) != 0)
    get_paper_stages (h12, h23, axis, get_turn (hinge, angle, 0, true), moves);
  else if (!skeleton_solver_correct_hinge (hinge, &settings, places, weights, moves[0]))
    memset (moves, 0, sizeof moves);
  for (guint k = 0; k < n; k++)
    for (int i = 0; i < 3; i++)
      stages[k + 1][i] = kg_vector_add (places[i], moves[k][i]);
  if (measure_hinge (stages[n], true, &h12, &h23, &axis, &angle, &events))
    *turn = angle;
  return n + 1;
}

/* G2, without the angle: it is within the limits when its direction is near enough that of their middle. */
static inline bool
is_within (const Hinge *hinge, const KgVector *trial, bool plane)
{
  const KgVector h12 = kg_vector_subtract (trial[hinge->limits.b], trial[hinge->limits.a]);
  const KgVector h23 = kg_vector_subtract (trial[hinge->limits.c], trial[hinge->limits.b]);
  const KgVector cross = kg_vector_cross (h12, h23);
  const double x = kg_vector_dot (h12, h23), y = plane ? cross.z : kg_vector_length (cross);
  const double size = sqrt (x * x + y * y);

  /* An arm without length has no direction: reported, unless any would do. */
  return x * hinge->cos_middle + y * hinge->sin_middle >= hinge->cos_reach * size &&
         (size > 0 || hinge->cos_reach < -1);
}

/* S2.  True when the hinge was right, or cannot be corrected. */
static inline bool
repair_hinge (SkeletonSolver *s, const Hinge *hinge, double frequency, KgVector *moved, guint *events)
{
  const SkeletonSettings *settings = &s->settings;
  const uint32_t i[] = { hinge->limits.a, hinge->limits.b, hinge->limits.c };
  KgVector places[3], h12, h23, axis, impulses[3];
  double angle, turn, give = 0, share = settings->relax;

  if (is_within (hinge, s->trial, settings->plane))
    return true;
  for (int k = 0; k < 3; k++)
    places[k] = s->trial[i[k]];
  if (!measure_hinge (places, settings->plane, &h12, &h23, &axis, &angle, events))
    return true;
  turn = get_turn (&hinge->limits, angle, settings->angle_tolerance, settings->plane);
  if (turn == 0)
    return true;
  if (settings->hinge_rule == SKELETON_PAPER)
    get_paper_impulses (h12, h23, axis, turn, impulses);
  else {
    get_gradient (h12, h23, axis, impulses);
    for (int k = 0; k < 3; k++)
      give += kg_vector_dot (impulses[k], yield (s, i[k], impulses[k]));
    if (!(give > 0))
      return true;
    share *= limit_turn (turn) / give;
  }
  for (int k = 0; k < 3; k++)
    push (s, i[k], kg_vector_scale (impulses[k], share), frequency, moved);
  return false;
}

/* Walls. */

static double
get_height (const SkeletonWall *wall, KgVector place)
{
  return kg_vector_dot (wall->normal, place) - wall->distance;
}

static KgVector
get_speed (const SkeletonSolver *s, uint32_t i)
{
  return kg_vector_scale (s->points.momenta[i], s->weights[i]);
}

/* A point that was placed or driven into a wall is lifted, as if it floated. */
static void
lift_point (SkeletonSolver *s, uint32_t i, const SkeletonWall *wall, double dt)
{
  const double missing = LIFT_SPEED - kg_vector_dot (wall->normal, get_speed (s, i));

  if (!(missing > 0))
    return;
  s->points.momenta[i] = kg_vector_add_scaled (s->points.momenta[i], missing * s->points.masses[i], wall->normal);
  s->trial[i] = kg_vector_add_scaled (s->trial[i], missing * dt, wall->normal);
}

/* Which walls the point is still buried in: those that it has not been out of, and that are deeper than it could have gone
 * in by itself.  A wall that comes over it later, such as a floor that rises, pushes it along. */
static void
unmark_buried_walls (SkeletonSolver *s, uint32_t i, double frequency)
{
  for (guint w = 0; w < s->n_walls && s->points.buried[i] != 0; w++)
    if (get_height (&s->walls[w], s->points.places[i]) * frequency >=
        -fmax (2 * kg_vector_length (get_speed (s, i)), LIFT_SPEED))
      s->points.buried[i] &= ~(UINT32_C (1) << w);
}

/* Statement 4 for a point that touches walls: it leaves each with its share of the speed, and where it had gone through it is
 * put back, which is not a speed. */
static void
guide_point (SkeletonSolver *s, uint32_t i, double dt, guint *events)
{
  Guide *guide = &s->guides[i];
  const uint32_t buried = s->points.touching[i] & s->points.buried[i];
  const KgVector place = s->points.places[i];
  KgVector trial, speed;

  guide->n = 0;
  for (guint w = 0; w < s->n_walls; w++)
    if ((buried >> w & 1) != 0) {
      lift_point (s, i, &s->walls[w], dt);
      *events |= SKELETON_BURIED;
    }
  trial = s->trial[i];
  speed = get_speed (s, i);
  for (guint w = 0; w < s->n_walls && guide->n < (s->settings.plane ? 2 : 3); w++) {
    const SkeletonWall *wall = &s->walls[w];
    KgVector along = wall->normal;
    double toward, leaving, lift, slope;

    if (((s->points.touching[i] & ~buried) >> w & 1) == 0)
      continue;
    for (guint k = 0; k < guide->n; k++)
      along = kg_vector_add_scaled (along, -kg_vector_dot (along, guide->along[k]), guide->along[k]);
    if (kg_vector_length (along) < 1e-6)
      continue;
    along = kg_vector_normalize_or (along, wall->normal);
    slope = kg_vector_dot (along, wall->normal);
    toward = kg_vector_dot (wall->normal, speed);
    leaving = toward < 0 ? -s->settings.restitution * toward : toward;
    lift = fmax (get_height (wall, place), 0) + leaving * dt - get_height (wall, trial);
    trial = kg_vector_add_scaled (trial, lift / slope, along);
    guide->along[guide->n] = along;
    guide->speed[guide->n] = kg_vector_dot (along, speed) + (leaving - toward) / slope;
    guide->n++;
  }
  s->trial[i] = trial;
}

/* Takes at most this much off the length of v. */
static KgVector
slow_down (KgVector v, double by)
{
  const double length = kg_vector_length (v);

  return length > by ? kg_vector_scale (v, 1 - by / length) : kg_vector (0, 0, 0);
}

/* What the walls have taken up in the step becomes friction; along them the point keeps its momentum. */
static void
release_point (SkeletonSolver *s, uint32_t i)
{
  const Guide *guide = &s->guides[i];
  const double mass = s->points.masses[i];
  KgVector along_wall = s->points.momenta[i], out = kg_vector (0, 0, 0);
  double pressed = 0;

  for (guint k = 0; k < guide->n; k++) {
    const double across = kg_vector_dot (along_wall, guide->along[k]);

    along_wall = kg_vector_add_scaled (along_wall, -across, guide->along[k]);
    out = kg_vector_add_scaled (out, mass * guide->speed[k], guide->along[k]);
    pressed += fabs (mass * guide->speed[k] - across);
  }
  s->points.momenta[i] = kg_vector_add (slow_down (along_wall, s->settings.friction * pressed), out);
}

static void
mirror_point (SkeletonSolver *s, uint32_t i, const SkeletonWall *wall)
{
  const double e = s->settings.restitution, across = kg_vector_dot (wall->normal, s->points.momenta[i]);
  KgVector along;

  s->points.places[i] =
      kg_vector_add_scaled (s->points.places[i], -(1 + e) * get_height (wall, s->points.places[i]), wall->normal);
  if (across >= 0)
    return;
  along = kg_vector_add_scaled (s->points.momenta[i], -across, wall->normal);
  along = slow_down (along, -(1 + e) * across * s->settings.friction);
  s->points.momenta[i] = kg_vector_add_scaled (along, -e * across, wall->normal);
}

/* S3. */
static void
meet_walls (SkeletonSolver *s, uint32_t i, guint *events)
{
  const bool firm = s->settings.bounce == SKELETON_FIRM;
  uint32_t touching = 0;

  for (guint w = 0; w < s->n_walls; w++)
    if (get_height (&s->walls[w], s->points.places[i]) < 0) {
      touching |= UINT32_C (1) << w;
      if (!firm)
        mirror_point (s, i, &s->walls[w]);
    }
  s->points.touching[i] = firm ? touching : 0;
  if (touching == 0)
    return;
  /* Put back by one wall, it may be beyond another; opposite walls may leave no room. */
  for (int round = 0; !firm && round < 16; round++)
    for (guint w = 0; w < s->n_walls; w++)
      s->points.places[i] = kg_vector_add_scaled (
          s->points.places[i], fmax (0, -get_height (&s->walls[w], s->points.places[i])), s->walls[w].normal);
  for (guint w = 0; w < s->n_walls; w++) {
    const double height = get_height (&s->walls[w], s->points.places[i]);

    /* Put back by one step after the other it would never be beyond both at once. */
    for (guint v = 0; firm && v < s->n_walls && (touching >> w & 1) != 0; v++)
      if (s->walls[w].distance + s->walls[v].distance > 0 &&
          kg_vector_dot (s->walls[w].normal, s->walls[v].normal) < -1 + 1e-9)
        *events |= SKELETON_WALLED_IN;
    if (!firm && height < -1e-9 * (1 + fabs (s->walls[w].distance)))
      *events |= SKELETON_WALLED_IN;
  }
}

/* Steps. */

/* Statements 3 and 4. */
static void
begin_part (SkeletonSolver *s, const Part *part, double dt, guint *events)
{
  for (size_t k = 0; k < part->n_points; k++) {
    const uint32_t i = s->members[part->first_point + k];

    if (s->points.held[i]) {
      s->weights[i] = 0;
      s->trial[i] = s->points.targets[i];
      s->points.touching[i] = 0;
      s->points.buried[i] = SKELETON_ALL_WALLS;
      continue;
    }
    s->weights[i] = 1 / s->points.masses[i];
    s->trial[i] = kg_vector_add_scaled (s->points.places[i], dt * s->weights[i], s->points.momenta[i]);
    if (s->points.touching[i] != 0)
      guide_point (s, i, dt, events);
  }
  for (size_t k = part->first_rod; k < part->first_rod + part->n_rods; k++)
    s->start[k] = kg_vector_subtract (s->points.places[s->rods[k].a], s->points.places[s->rods[k].b]);
}

/* Statements 7 to 14; true when nothing had to be corrected. */
static bool
sweep_part (SkeletonSolver *s, const Part *part, double frequency, guint *events)
{
  const bool together = s->settings.sweep != SKELETON_SEQUENTIAL;
  KgVector *moved = together ? s->shift : s->trial;
  bool good = true;

  for (size_t k = 0; together && k < part->n_points; k++)
    s->shift[s->members[part->first_point + k]] = kg_vector (0, 0, 0);
  for (size_t k = part->first_rod; k < part->first_rod + part->n_rods; k++)
    good &= repair_rod (s, k, frequency, moved, events);
  for (size_t k = part->first_hinge; k < part->first_hinge + part->n_hinges; k++)
    good &= repair_hinge (s, &s->hinges[k], frequency, moved, events);
  for (size_t k = 0; together && k < part->n_points; k++) {
    const uint32_t i = s->members[part->first_point + k];

    s->trial[i] = kg_vector_add (s->trial[i], s->shift[i]);
  }
  return good;
}

/* Statements 16 and 17. */
static void
end_part (SkeletonSolver *s, const Part *part, double frequency, guint *events)
{
  for (size_t k = 0; k < part->n_points; k++) {
    const uint32_t i = s->members[part->first_point + k];

    if (s->points.held[i])
      /* Let go, it carries on as fast as it was led. */
      s->points.momenta[i] =
          kg_vector_scale (kg_vector_subtract (s->trial[i], s->points.places[i]), s->points.masses[i] * frequency);
    else if (s->points.touching[i] != 0)
      release_point (s, i);
    s->points.places[i] = s->trial[i];
    if (!kg_vector_is_finite (s->trial[i]) || !kg_vector_is_finite (s->points.momenta[i]))
      *events |= SKELETON_DIVERGED;
    if (!s->points.held[i] && s->n_walls > 0) {
      meet_walls (s, i, events);
      unmark_buried_walls (s, i, frequency);
    }
  }
}

static double
sum_excess (const SkeletonSolver *s, const KgVector *places, size_t first, size_t n)
{
  double sum = 0;

  for (size_t k = first; k < first + n; k++)
    sum += fabs (get_excess (&s->rods[k], kg_vector_distance (places[s->rods[k].a], places[s->rods[k].b]), 0));
  return sum;
}

static guint
step_part (SkeletonSolver *s, const Part *part, double dt, guint *events, double *trace)
{
  guint sweeps = 0;
  bool good = false;

  begin_part (s, part, dt, events);
  if (trace != NULL)
    trace[0] = sum_excess (s, s->trial, part->first_rod, part->n_rods);
  while (!good && sweeps < s->settings.max_sweeps && part->n_rods + part->n_hinges > 0) {
    good = sweep_part (s, part, 1 / dt, events);
    sweeps++;
    if (trace != NULL)
      trace[sweeps] = sum_excess (s, s->trial, part->first_rod, part->n_rods);
  }
  for (guint k = sweeps + 1; trace != NULL && k <= s->settings.max_sweeps; k++)
    trace[k] = trace[sweeps];
  end_part (s, part, 1 / dt, events);
  return sweeps;
}

static double
sum_lengths (const SkeletonSolver *s)
{
  double sum = 0;

  for (size_t k = 0; k < s->n_rods; k++)
    sum += 0.5 * (s->rods[k].shortest + s->rods[k].longest);
  return sum;
}

guint
skeleton_solver_step (SkeletonSolver *s, double dt, guint *events, double *trace)
{
  const size_t width = s->settings.max_sweeps + 1;
  const double length = sum_lengths (s);
  guint sweeps = 0, seen = 0;

  if (trace != NULL && s->traces == NULL)
    s->traces = g_new0 (double, MAX (s->n_parts, 1) * width);
#pragma omp parallel for schedule(dynamic, 1 + s->n_parts / 64) reduction(max                                          \
                                                                          : sweeps)                                    \
    reduction(|                                                                                                        \
              : seen) if (s->n_parts > 1 && s->n_points + s->n_rods + s->n_hinges > PARALLEL_FROM)
  for (size_t p = 0; p < s->n_parts; p++) {
    const guint took = step_part (s, &s->parts[p], dt, &seen, trace != NULL ? s->traces + p * width : NULL);

    sweeps = MAX (sweeps, took);
  }
  for (size_t k = 0; trace != NULL && k < width; k++) {
    trace[k] = 0;
    for (size_t p = 0; p < s->n_parts; p++)
      trace[k] += s->traces[p * width + k];
    trace[k] /= fmax (length, 1e-300);
  }
  *events |= seen;
  return sweeps;
}

double
skeleton_solver_get_deviation (const SkeletonSolver *s)
{
  return sum_excess (s, s->points.places, 0, s->n_rods) / fmax (sum_lengths (s), 1e-300);
}

const SkeletonRod *
skeleton_solver_find_held_apart (const SkeletonSolver *s)
{
  for (size_t k = 0; k < s->n_rods; k++) {
    const SkeletonRod *rod = &s->rods[k];
    const double length = kg_vector_distance (s->points.places[rod->a], s->points.places[rod->b]);

    if (s->points.held[rod->a] && s->points.held[rod->b] && get_excess (rod, length, s->settings.length_tolerance) != 0)
      return rod;
  }
  return NULL;
}

double
skeleton_solver_get_angle_deviation (const SkeletonSolver *s)
{
  double worst = 0;

  for (size_t k = 0; k < s->n_hinges; k++) {
    const SkeletonHinge *hinge = &s->hinges[k].limits;
    const KgVector places[] = { s->points.places[hinge->a], s->points.places[hinge->b], s->points.places[hinge->c] };
    KgVector h12, h23, axis;
    guint events = 0;
    double angle;

    if (measure_hinge (places, s->settings.plane, &h12, &h23, &axis, &angle, &events))
      worst = fmax (worst, fabs (get_turn (hinge, angle, 0, s->settings.plane)));
  }
  return worst;
}
