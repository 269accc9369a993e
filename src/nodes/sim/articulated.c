/* sim/articulated: skeletons that move by their own masses, with motors and limits.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/articulated_body.h"
#include "kg-node.h"
#include "rig/freedom_numbers.h"
#include "value/number_table.h"

#include <inttypes.h>

typedef struct {
  KgSkeleton *skeleton;
  double per_metre;
  double width;
  KgList rates;
  KgVector gravity;
  KgList forces;
  bool weigh;
  double friction;
  KgList torques;
  KgList stiffness;
  KgList damping;
  const char *driven;
  int method;
  int64_t substeps;
  KgGeometry *state;
  KgSkeleton *posed;
  double energy;
  double kinetic;
  double potential;
  KgVector center;
  KgVector momentum;
  KgVector angular_momentum;
  KgTable *freedoms;
} Articulated;

static const KgChoice articulated_methods[] = {
  [ARTICULATED_SEMI_IMPLICIT] = { "semi-implicit", N_ ("Semi-implicit: stable with stiff motors") },
  [ARTICULATED_RUNGE_KUTTA] = { "rk4", N_ ("Runge-Kutta, fourth order: keeps energy") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (articulated_methods, ARTICULATED_N_METHODS);

#define MAX_SUBSTEPS 10000
/* Words of a state: four numbers of the position, three of the rate. */
#define WORDS 16

typedef struct {
  double position[4], rate[3], unused;
} Kept;

G_STATIC_ASSERT (sizeof (Kept) == WORDS * sizeof (int32_t));

/* (transfer full) (nullable) The skeleton as bodies, in its own pose. */
static ArticulatedBody *
articulated_make (const Articulated *n, const KgContext *ctx, GError **error)
{
  g_autoptr (KgSkeleton) weighted = kg_skeleton_ref (n->skeleton);
  GError *warning = NULL;
  ArticulatedBody *body;

  kg_skeleton_make_writable (&weighted);
  articulated_spread_mass (weighted, n->per_metre, n->width);
  body = articulated_body_new (weighted, &warning, error);
  if (warning != NULL)
    kg_context_take_warning (ctx, warning);
  return body;
}

static void
articulated_keep (Articulated *n, const ArticulatedBody *body)
{
  Kept *kept;

  kg_geometry_make_writable (&n->state);
  kept = (Kept *) (void *) kg_geometry_edit_int (n->state, KG_POINTS, "memory", WORDS);
  for (guint i = 0; i < body->n; i++) {
    memcpy (kept[i].position, body->states[i].position, sizeof kept[i].position);
    memcpy (kept[i].rate, body->states[i].rate, sizeof kept[i].rate);
  }
}

/* Puts the bodies into the state that was kept. */
static bool
articulated_resume (const Articulated *n, ArticulatedBody *body, GError **error)
{
  const Kept *kept = (const Kept *) (const void *) kg_geometry_get_int (n->state, KG_POINTS, "memory", WORDS);
  const size_t count = kg_geometry_get_n_points (n->state);

  if (count != body->n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the skeleton started as %zu bodies but now is %u: link one that keeps its joints", count, body->n);
    return false;
  }
  for (guint i = 0; i < body->n; i++) {
    memcpy (body->states[i].position, kept[i].position, sizeof kept[i].position);
    memcpy (body->states[i].rate, kept[i].rate, sizeof kept[i].rate);
  }
  articulated_body_update (body);
  return true;
}

static bool
articulated_start (Articulated *n, const KgContext *ctx, GError **error)
{
  g_autoptr (ArticulatedBody) body = articulated_make (n, ctx, error);
  g_auto (Linkage) linkage = { 0 };
  g_autofree double *rates = NULL;

  n->state = kg_geometry_new ();
  if (body == NULL || !kg_geometry_set_n_points (n->state, body->n, error))
    return false;
  linkage_init (&linkage, n->skeleton);
  rates = g_new (double, MAX (linkage.n, 1));
  if (!freedom_numbers_read (&n->rates, "rates", KG_DEGREE, &linkage, rates, error))
    return false;
  for (guint i = 0; i < body->n; i++)
    for (guint c = 0; c < articulated_link_count_freedoms (&body->links[i]); c++)
      body->states[i].rate[c] = rates[body->links[i].freedom + c];
  articulated_keep (n, body);
  return true;
}

/* Samples the fields at the centres of mass. */
static void
articulated_sample_forces (const Articulated *n, const KgField *field, const ArticulatedBody *body, double time,
                           KgVector *forces)
{
  for (guint first = 0; first < body->n; first += KG_FIELD_BLOCK) {
    float x[3][KG_FIELD_BLOCK], v[3][KG_FIELD_BLOCK], f[3][KG_FIELD_BLOCK];
    float *const out[] = { f[0], f[1], f[2] };
    const guint some = MIN (KG_FIELD_BLOCK, body->n - first);
    int32_t ids[KG_FIELD_BLOCK];
    const KgFieldBlock block = {
      .n = some, .x = x[0], .y = x[1], .z = x[2], .vx = v[0], .vy = v[1], .vz = v[2], .id = ids, .time = time
    };

    for (guint i = 0; i < some; i++) {
      const ArticulatedLink *link = &body->links[first + i];
      const KgVector at = kg_vector_add (link->point, link->arm);
      const KgVector speed = kg_vector_add (link->velocity, kg_vector_cross (link->omega, link->arm));

      ids[i] = (int32_t) link->joint;
      for (size_t c = 0; c < 3; c++) {
        x[c][i] = (float) kg_vector_get (at, c);
        v[c][i] = (float) kg_vector_get (speed, c);
      }
    }
    kg_field_sample (field, &block, out);
    for (guint i = 0; i < some; i++) {
      const ArticulatedLink *link = &body->links[first + i];

      forces[first + i] = link->mass > 0
                              ? kg_vector_scale (kg_vector ((double) f[0][i], (double) f[1][i], (double) f[2][i]),
                                                 n->weigh ? 1 : link->mass)
                              : kg_vector (0, 0, 0);
    }
  }
}

static bool
articulated_find_driven (const Articulated *n, const Linkage *linkage, bool *driven, bool *any, GError **error)
{
  g_auto (GStrv) names = g_strsplit_set (n->driven, " ,;\n\t", -1);

  for (guint i = 0; names[i] != NULL; i++) {
    int joint;

    if (names[i][0] == '\0')
      continue;
    joint = linkage_find (n->skeleton, names[i], error);
    if (joint < 0)
      return false;
    for (guint k = linkage->first[joint]; k < linkage->first[joint + 1]; k++)
      driven[k] = *any = true;
  }
  return true;
}

/* Accelerations that bring driven joints to a share of what is left of their way. */
static void
articulated_drive (const ArticulatedBody *body, const ArticulatedState *goals, double share, double h,
                   double *accelerations)
{
  for (guint i = 0; i < body->n; i++) {
    const ArticulatedLink *link = &body->links[i];
    const ArticulatedState *state = &body->states[i];

    if (link->kind == ARTICULATED_BALL) {
      const double *from = state->position, *to = goals[i].position;
      const KgVector way = linkage_get_rotation_vector (
          kg_rotation_multiply (kg_rotation_conjugate ((KgRotation){ from[0], from[1], from[2], from[3] }),
                                (KgRotation){ to[0], to[1], to[2], to[3] }));

      for (guint c = 0; c < 3; c++)
        accelerations[link->freedom + c] = (kg_vector_get (way, c) * share / h - state->rate[c]) / h;
    } else if (link->kind != ARTICULATED_FIXED) {
      double way = goals[i].position[0] - state->position[0];

      /* An angle without limits goes the shorter way round. */
      if (link->kind == ARTICULATED_HINGE && !isfinite (link->low))
        way = remainder (way, 2 * KG_PI);
      accelerations[link->freedom] = (way * share / h - state->rate[0]) / h;
    }
  }
}

/* Targets of motors: the pose of the skeleton now, angles as near to those of the bodies as they can be said. */
static void
articulated_aim (const ArticulatedBody *body, const ArticulatedState *goals, double *target)
{
  for (guint i = 0; i < body->n; i++) {
    const ArticulatedLink *link = &body->links[i];
    const double *q = goals[i].position;

    if (link->kind == ARTICULATED_BALL) {
      const KgVector v = linkage_get_rotation_vector ((KgRotation){ q[0], q[1], q[2], q[3] });

      for (guint c = 0; c < 3; c++)
        target[link->freedom + c] = kg_vector_get (v, c);
    } else if (link->kind == ARTICULATED_HINGE && !isfinite (link->low)) {
      const double now = body->states[i].position[0];

      target[link->freedom] = now + remainder (q[0] - now, 2 * KG_PI);
    } else if (link->kind != ARTICULATED_FIXED) {
      target[link->freedom] = q[0];
    }
  }
}

/* Says when springs and damping are too fast for explicit steps. */
static void
articulated_check_step (const Articulated *n, const KgContext *ctx, ArticulatedBody *body, double dt,
                        const double *stiffness, const double *damping)
{
  g_autofree double *resistance = g_new (double, (gsize) body->n_freedoms + 1);
  bool any = n->friction > 0;
  double rate, needed;

  for (guint k = 0; k < body->n_freedoms; k++) {
    resistance[k] = damping[k] + n->friction;
    any |= stiffness[k] > 0 || damping[k] > 0;
  }
  if (!any)
    return;
  rate = articulated_body_get_fastest_rate (body, stiffness, resistance);
  if (!(dt * rate > ARTICULATED_STABLE * (double) n->substeps))
    return;
  /* A tenth more, as the rate changes with the pose. */
  needed = ceil (1.1 * dt * rate / ARTICULATED_STABLE);
  if (needed <= MAX_SUBSTEPS)
    kg_context_warn (
        ctx,
        "the motors or friction are too strong for Runge-Kutta steps of this length: use %.0f substeps, or "
        "the semi-implicit method",
        needed);
  else
    kg_context_warn (
        ctx,
        "the motors or friction are too strong for Runge-Kutta steps: they need %g substeps; use the semi-implicit method",
        needed);
}

static bool
articulated_advance (Articulated *n, const KgContext *ctx, double dt, GError **error)
{
  g_autoptr (ArticulatedBody) body = articulated_make (n, ctx, error);
  const double h = dt / (double) n->substeps;
  g_auto (Linkage) linkage = { 0 };
  g_autofree double *numbers = NULL;
  g_autofree ArticulatedState *goals = NULL;
  g_autofree KgVector *forces = NULL;
  g_autofree bool *driven = NULL;
  g_autofree const KgField **fields = g_new (const KgField *, MAX (n->forces.n, 1));
  g_autoptr (KgField) field = NULL;
  double *torques, *stiffness, *damping, *friction, *target, *accelerations;
  ArticulatedForces acting = { .gravity = n->gravity };
  ArticulatedMethod method = (ArticulatedMethod) n->method;
  bool drives = false;
  gsize count;

  if (body == NULL)
    return false;
  goals = g_memdup2 (body->states, body->n * sizeof *goals);
  linkage_init (&linkage, n->skeleton);
  count = MAX (linkage.n, 1);
  numbers = g_new0 (double, 6 * count);
  torques = numbers;
  stiffness = torques + count;
  damping = stiffness + count;
  friction = damping + count;
  target = friction + count;
  accelerations = target + count;
  driven = g_new0 (bool, count);
  forces = g_new0 (KgVector, body->n);
  for (guint i = 0; i < n->forces.n; i++)
    fields[i] = n->forces.items[i].field;
  if ((n->forces.n > 0 && (field = kg_field_new_sum (fields, n->forces.n, error)) == NULL) ||
      !articulated_resume (n, body, error) ||
      !freedom_numbers_read (&n->torques, "torques", 1, &linkage, torques, error) ||
      !freedom_numbers_read (&n->stiffness, "stiffness", 1, &linkage, stiffness, error) ||
      !freedom_numbers_read (&n->damping, "damping", 1, &linkage, damping, error) ||
      !articulated_find_driven (n, &linkage, driven, &drives, error))
    return false;
  for (guint k = 0; k < linkage.n; k++) {
    friction[k] = n->friction;
    if (stiffness[k] < 0 || damping[k] < 0) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "joint \"%s\": stiffness %g and damping %g: use 0 or more",
                    kg_skeleton_get_joint (n->skeleton, linkage.freedoms[k].joint)->name, stiffness[k], damping[k]);
      return false;
    }
  }
  acting.torques = torques;
  acting.stiffness = stiffness;
  acting.damping = damping;
  acting.friction = friction;
  acting.target = target;
  acting.forces = field != NULL ? forces : NULL;
  if (drives) {
    acting.driven = driven;
    acting.accelerations = accelerations;
    method = ARTICULATED_SEMI_IMPLICIT;
  }
  if (method == ARTICULATED_RUNGE_KUTTA)
    articulated_check_step (n, ctx, body, dt, stiffness, damping);
  for (int64_t step = 0; step < n->substeps; step++) {
    guint joint = 0;

    if (kg_context_is_cancelled (ctx))
      return false;
    if (field != NULL)
      articulated_sample_forces (n, field, body, ctx->time - dt + (double) step * h, forces);
    articulated_aim (body, goals, target);
    if (drives)
      articulated_drive (body, goals, 1 / (double) (n->substeps - step), h, accelerations);
    if (!articulated_body_step (body, &acting, h, method, &joint)) {
      kg_set_error (error, KG_ERROR_DIVERGED,
                    "joint \"%s\" moves beyond all bounds at frame %g: use more than %" PRId64
                    " substeps, the semi-implicit method, or weaker motors and forces",
                    kg_skeleton_get_joint (n->skeleton, joint)->name, ctx->frame, n->substeps);
      return false;
    }
  }
  articulated_keep (n, body);
  return true;
}

static bool
articulated_list (Articulated *n, const ArticulatedBody *body, GError **error)
{
  static const char *const names[] = { "value", "rate" };
  g_autofree double *cells = g_new0 (double, 2 * (gsize) MAX (body->n_freedoms, 1));

  for (guint i = 0; i < body->n; i++) {
    const ArticulatedLink *link = &body->links[i];
    const double *q = body->states[i].position;
    const KgVector v = linkage_get_rotation_vector ((KgRotation){ q[0], q[1], q[2], q[3] });

    for (guint c = 0; c < articulated_link_count_freedoms (link); c++) {
      cells[2 * (link->freedom + c)] = link->kind == ARTICULATED_BALL ? kg_vector_get (v, c) : q[0];
      cells[2 * (link->freedom + c) + 1] = body->states[i].rate[c];
    }
  }
  n->freedoms = number_table_new (2, names, body->n_freedoms, cells, error);
  return n->freedoms != NULL;
}

static bool
articulated_evaluate (Articulated *n, const KgContext *ctx, GError **error)
{
  g_autoptr (ArticulatedBody) body = articulated_make (n, ctx, error);
  ArticulatedMeasure measure;

  if (body == NULL || !articulated_resume (n, body, error))
    return false;
  articulated_body_measure (body, n->gravity, &measure);
  n->kinetic = measure.kinetic;
  n->potential = measure.potential;
  n->energy = measure.kinetic + measure.potential;
  n->center = measure.center;
  n->momentum = measure.momentum;
  n->angular_momentum = measure.angular_momentum;
  kg_skeleton_make_writable (&n->skeleton);
  articulated_body_pose (body, n->skeleton);
  n->posed = kg_skeleton_ref (n->skeleton);
  return articulated_list (n, body, error);
}

static const KgSlot articulated_slots[] = {
  KG_INPUT (
      Articulated, skeleton, SKELETON, .label = N_ ("Skeleton"),
      .help = N_ (
          "The skeleton. It starts in its pose at the first frame; its motors pull towards its later poses, and its "
          "driven joints follow them. Its links have masses from Joints or Link Masses, or are rods.")),
  KG_INPUT (Articulated, per_metre, NUMBER, .label = N_ ("Mass per metre"), .unit = KG_KILOGRAMS_PER_METRE, .def = 1,
            .min = 1e-9, .max = 1e9, .soft_max = 10,
            .help = N_ ("Mass of a metre of bone, if the skeleton has no masses.")),
  KG_INPUT (Articulated, width, NUMBER, .label = N_ ("Width"), .unit = KG_METRES, .def = 0.1, .min = 0, .max = 1e6,
            .soft_max = 1, .help = N_ ("Width of the bones, if the skeleton has no masses.")),
  KG_INPUTS (
      Articulated, rates, NUMBER, .label = N_ ("Rates"), .optional = true, .group = N_ ("Start"),
      .help = N_ ("Initial rates in degrees or metres per second: one for all, one for each joint, or one for each "
                  "freedom.")),
  KG_INPUT (Articulated, gravity, VECTOR, .label = N_ ("Gravity"), .unit = KG_METRES_PER_SECOND2,
            .def_v = { 0, -9.81, 0 }, .group = N_ ("Forces"),
            .help = N_ ("Acceleration due to gravity; on earth 9.81 downwards.")),
  KG_INPUTS (Articulated, forces, FIELD, .label = N_ ("Forces"), .optional = true, .group = N_ ("Forces"),
             .help = N_ ("Other forces: they act on the centre of mass of each link.")),
  KG_INPUT (Articulated, weigh, BOOLEAN, .label = N_ ("Divide by mass"), .group = N_ ("Forces"),
            .help = N_ ("Divides the forces by the mass. Otherwise they are accelerations, like gravity.")),
  KG_INPUT (Articulated, friction, NUMBER, .label = N_ ("Friction"), .min = 0, .max = 1e9, .soft_max = 10,
            .group = N_ ("Forces"),
            .help = N_ ("Viscous friction of all joints, in newton metres per radian per second.")),
  KG_INPUTS (
      Articulated, torques, NUMBER, .label = N_ ("Torques"), .optional = true, .group = N_ ("Motors"),
      .help = N_ ("Torques of the joints in newton metres (slides: newtons): one for all, one for each joint, or "
                  "one for each freedom.")),
  KG_INPUTS (Articulated, stiffness, NUMBER, .label = N_ ("Stiffness"), .optional = true, .group = N_ ("Motors"),
             .help = N_ ("How hard motors pull the joints to the pose of the skeleton, in newton metres per radian, "
                         "given as for Torques; 0: no motor.")),
  KG_INPUTS (Articulated, damping, NUMBER, .label = N_ ("Damping"), .optional = true, .group = N_ ("Motors"),
             .help = N_ ("How much motors resist motion, in newton metres per radian per second, given as for "
                         "Torques.")),
  KG_INPUT (
      Articulated, driven, TEXT, .label = N_ ("Driven joints"), .group = N_ ("Motors"),
      .help = N_ ("Names of joints that follow the pose of the skeleton exactly, with whatever force that needs.")),
  KG_INPUT (Articulated, method, CHOICE, .label = N_ ("Method"), .choices = articulated_methods,
            .def = ARTICULATED_RUNGE_KUTTA, .group = N_ ("Solver"),
            .help = N_ ("Integration method. Driven joints and joints that meet a limit make a step semi-implicit.")),
  KG_INPUT (Articulated, substeps, INTEGER, .label = N_ ("Substeps"), .def = 10, .min = 1, .max = MAX_SUBSTEPS,
            .soft_max = 100, .group = N_ ("Solver"), .help = N_ ("Steps per frame.")),
  KG_STATE (Articulated, state, GEOMETRY, .keeps = "points memory int 16"),
  KG_OUTPUT (Articulated, posed, SKELETON, .label = N_ ("Skeleton"), .help = N_ ("The skeleton in its current pose.")),
  KG_OUTPUT (Articulated, energy, NUMBER, .label = N_ ("Energy"),
             .help = N_ ("Kinetic and potential energy in joules: constant without motors, friction and stops.")),
  KG_OUTPUT (Articulated, kinetic, NUMBER, .label = N_ ("Kinetic energy"), .help = N_ ("Energy of motion in joules.")),
  KG_OUTPUT (Articulated, potential, NUMBER, .label = N_ ("Potential energy"),
             .help = N_ ("Energy due to height in joules.")),
  KG_OUTPUT (Articulated, center, VECTOR, .label = N_ ("Centre of mass"), .unit = KG_METRES,
             .help = N_ ("Centre of mass of all links.")),
  KG_OUTPUT (Articulated, momentum, VECTOR, .label = N_ ("Momentum"), .help = N_ ("Total momentum of all links.")),
  KG_OUTPUT (Articulated, angular_momentum, VECTOR, .label = N_ ("Angular momentum"),
             .help = N_ ("Total angular momentum of all links about the origin.")),
  KG_OUTPUT (Articulated, freedoms, TABLE, .label = N_ ("Freedoms"),
             .help = N_ ("A row for each freedom: its value and rate, in radians or metres and per second.")),
};

KG_SIMULATION (
    sim, articulated, Articulated, .label = N_ ("Articulated Body"), .version = 1, .since = "0.1",
    .tags = N_ ("pendulum chain rope arm robot motor ragdoll skeleton featherstone dynamics physics simulation"),
    .source = "Featherstone, Rigid Body Dynamics Algorithms, 7; Parent, Computer Animation, 5.4.3",
    .help = N_ (
        "Simulates a skeleton whose links have masses: pendulums, chains, ragdolls, robots. Joints never come apart, limits stop them, motors pull them towards the incoming pose, and the work grows only with the number of links."));
