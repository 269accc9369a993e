/* rig/torques: what the joints of a moving skeleton must do.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "rig/freedom_numbers.h"
#include "sim/articulated_body.h"
#include "value/number_table.h"

typedef struct {
  const KgSkeleton *skeleton;
  double per_metre;
  double width;
  int motion;
  KgList rates;
  KgList accelerations;
  KgVector gravity;
  const char *end_joint;
  KgVector force;
  KgVector moment;
  double friction;
  KgTable *torques;
  double power;
  KgTable *inertia;
  KgTable *coupling;
  KgTable *weight;
} Torques;

enum { MOTION_POSES, MOTION_TYPED, N_MOTIONS };

static const KgChoice torques_motions[] = {
  [MOTION_POSES] = { "poses", N_ ("The poses before and after") },
  [MOTION_TYPED] = { "typed", N_ ("Typed rates and accelerations") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (torques_motions, N_MOTIONS);

/* Most freedoms of which the matrix of inertia is listed. */
#define MAX_MATRIX 256

static double
torques_get_step (const KgContext *ctx)
{
  return 0.5 / ctx->rate;
}

static bool
torques_demand (const Torques *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  (void) error;
  kg_demand_at (demand, offsetof (Torques, skeleton), ctx->time);
  if (n->motion == MOTION_POSES) {
    kg_demand_at (demand, offsetof (Torques, skeleton), ctx->time - torques_get_step (ctx));
    kg_demand_at (demand, offsetof (Torques, skeleton), ctx->time + torques_get_step (ctx));
  }
  return true;
}

/* Central differences of all freedoms; of balls, of their rotation about their own axes. */
static bool
torques_measure_motion (const Torques *n, const KgContext *ctx, const Linkage *now, double *rates,
                        double *accelerations, GError **error)
{
  const double h = torques_get_step (ctx);
  g_auto (Linkage) before = { 0 }, after = { 0 };

  linkage_init (&before, kg_context_get_sample (ctx, offsetof (Torques, skeleton), 1)->skeleton);
  linkage_init (&after, kg_context_get_sample (ctx, offsetof (Torques, skeleton), 2)->skeleton);
  if (before.n != now->n || after.n != now->n) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "the skeleton has %u freedoms now, but %u and %u half a frame before and after: link one that keeps its joints",
        now->n, before.n, after.n);
    return false;
  }
  for (guint k = 0; k < now->n; k++) {
    const LinkageFreedom *freedom = &now->freedoms[k];

    if (freedom->kind == LINKAGE_BALL) {
      const guint joint = freedom->joint;
      const KgSkeleton *from = kg_context_get_sample (ctx, offsetof (Torques, skeleton), 1)->skeleton;
      const KgSkeleton *to = kg_context_get_sample (ctx, offsetof (Torques, skeleton), 2)->skeleton;
      const KgRotation q = kg_skeleton_get_rotation (n->skeleton, joint);
      const KgVector gone = linkage_get_rotation_vector (
          kg_rotation_multiply (kg_rotation_conjugate (kg_skeleton_get_rotation (from, joint)), q));
      const KgVector coming = linkage_get_rotation_vector (
          kg_rotation_multiply (kg_rotation_conjugate (q), kg_skeleton_get_rotation (to, joint)));

      rates[k] = (kg_vector_get (gone, freedom->axis) + kg_vector_get (coming, freedom->axis)) / (2 * h);
      accelerations[k] = (kg_vector_get (coming, freedom->axis) - kg_vector_get (gone, freedom->axis)) / (h * h);
    } else {
      double gone = freedom->value - before.freedoms[k].value, coming = after.freedoms[k].value - freedom->value;

      /* An angle that goes round passes from half a circle to minus half a circle. */
      if (freedom->kind == LINKAGE_ANGLE) {
        gone = remainder (gone, 2 * KG_PI);
        coming = remainder (coming, 2 * KG_PI);
      }
      rates[k] = (gone + coming) / (2 * h);
      accelerations[k] = (coming - gone) / (h * h);
    }
  }
  return true;
}

static void
torques_set_rates (ArticulatedBody *body, const double *rates)
{
  for (guint i = 0; i < body->n; i++) {
    const ArticulatedLink *link = &body->links[i];

    for (guint c = 0; c < articulated_link_count_freedoms (link); c++)
      body->states[i].rate[c] = rates != NULL ? rates[link->freedom + c] : 0;
  }
  articulated_body_update (body);
}

/* The parts of the equation: H q̈ + C + G. */
static bool
torques_make_parts (Torques *n, ArticulatedBody *body, const double *rates, GError **error)
{
  const guint count = body->n_freedoms;
  const ArticulatedForces still = { .gravity = { 0, 0, 0 } }, heavy = { .gravity = n->gravity };
  g_autofree double *unit = g_new0 (double, MAX (count, 1)), *column = g_new0 (double, MAX (count, 1));
  g_autofree double *cells = NULL;

  torques_set_rates (body, rates);
  articulated_body_get_torques (body, &still, unit, column);
  n->coupling = number_table_new_column ("torque", count, column, error);
  torques_set_rates (body, NULL);
  articulated_body_get_torques (body, &heavy, unit, column);
  n->weight = number_table_new_column ("torque", count, column, error);
  if (count == 0 || count > MAX_MATRIX) {
    n->inertia = kg_table_new (1, NULL, 0, error);
    return n->coupling != NULL && n->weight != NULL && n->inertia != NULL;
  }
  cells = g_new (double, (gsize) count *count);
  for (guint k = 0; k < count; k++) {
    unit[k] = 1;
    articulated_body_get_torques (body, &still, unit, column);
    unit[k] = 0;
    for (guint i = 0; i < count; i++)
      cells[(gsize) i * count + k] = column[i];
  }
  n->inertia = number_table_new (count, NULL, count, cells, error);
  return n->coupling != NULL && n->weight != NULL && n->inertia != NULL;
}

static bool
torques_evaluate (Torques *n, const KgContext *ctx, GError **error)
{
  const int end = linkage_find (n->skeleton, n->end_joint, error);
  g_autoptr (KgSkeleton) weighted = kg_skeleton_ref (n->skeleton);
  g_autoptr (ArticulatedBody) body = NULL;
  g_auto (Linkage) linkage = { 0 };
  g_autofree double *numbers = NULL, *jacobian = NULL;
  const ArticulatedForces heavy = { .gravity = n->gravity };
  double *rates, *accelerations, *torques;
  g_autoptr (GError) warning = NULL;

  if (end < 0)
    return false;
  kg_skeleton_make_writable (&weighted);
  articulated_spread_mass (weighted, n->per_metre, n->width);
  body = articulated_body_new (weighted, &warning, error);
  if (body == NULL)
    return false;
  linkage_init (&linkage, n->skeleton);
  numbers = g_new0 (double, 3 * ((gsize) linkage.n + 1));
  jacobian = g_new (double, 6 * ((gsize) linkage.n + 1));
  rates = numbers;
  accelerations = rates + linkage.n;
  torques = accelerations + linkage.n;
  if (n->motion == MOTION_TYPED) {
    if (!freedom_numbers_read (&n->rates, "rates", KG_DEGREE, &linkage, rates, error) ||
        !freedom_numbers_read (&n->accelerations, "accelerations", KG_DEGREE, &linkage, accelerations, error))
      return false;
  } else if (!torques_measure_motion (n, ctx, &linkage, rates, accelerations, error)) {
    return false;
  }
  torques_set_rates (body, rates);
  articulated_body_get_torques (body, &heavy, accelerations, torques);
  linkage_get_jacobian (&linkage, (guint) end, linkage.points[end], jacobian);
  for (guint k = 0; k < linkage.n; k++) {
    for (size_t c = 0; c < 3; c++)
      torques[k] += jacobian[c * linkage.n + k] * kg_vector_get (n->force, c) +
                    jacobian[(3 + c) * linkage.n + k] * kg_vector_get (n->moment, c);
    torques[k] += n->friction * rates[k];
    n->power += torques[k] * rates[k];
  }
  n->torques = number_table_new_column ("torque", linkage.n, torques, error);
  return n->torques != NULL && torques_make_parts (n, body, rates, error);
}

static const KgSlot torques_slots[] = {
  KG_INPUT (Torques, skeleton, SKELETON, .label = N_ ("Skeleton"),
            .help = N_ ("The moving skeleton. Its links have masses from Joints or Link Masses, or are rods.")),
  KG_INPUT (Torques, per_metre, NUMBER, .label = N_ ("Mass per metre"), .unit = KG_KILOGRAMS_PER_METRE, .def = 1,
            .min = 1e-9, .max = 1e9, .soft_max = 10,
            .help = N_ ("Mass of a metre of bone, if the skeleton has no masses.")),
  KG_INPUT (Torques, width, NUMBER, .label = N_ ("Width"), .unit = KG_METRES, .def = 0.1, .min = 0, .max = 1e6,
            .soft_max = 1, .help = N_ ("Width of the bones, if the skeleton has no masses.")),
  KG_INPUT (Torques, motion, CHOICE, .label = N_ ("Motion"), .choices = torques_motions, .early = true,
            .help = N_ ("Where rates and accelerations come from: from the poses half a frame before and after, or "
                        "typed.")),
  KG_INPUTS (Torques, rates, NUMBER, .label = N_ ("Rates"), .optional = true, .shown_when = "motion=typed",
             .help = N_ ("Rates in degrees or metres per second: one for all, one for each joint, or one for each "
                         "freedom.")),
  KG_INPUTS (Torques, accelerations, NUMBER, .label = N_ ("Accelerations"), .optional = true,
             .shown_when = "motion=typed",
             .help = N_ ("Accelerations in degrees or metres per second squared, given in the same way.")),
  KG_INPUT (Torques, gravity, VECTOR, .label = N_ ("Gravity"), .unit = KG_METRES_PER_SECOND2, .def_v = { 0, -9.81, 0 },
            .help = N_ ("Acceleration due to gravity; on earth 9.81 downwards.")),
  KG_INPUT (Torques, end_joint, TEXT, .label = N_ ("End"), .group = N_ ("Load"),
            .help = N_ ("Name of the joint that exerts a force; empty for the last.")),
  KG_INPUT (Torques, force, VECTOR, .label = N_ ("Force"), .handle = { KG_HANDLE_NONE }, .group = N_ ("Load"),
            .help = N_ ("Force in newtons that the end exerts on the world. To hold a weight, it equals the weight "
                        "and points upwards.")),
  KG_INPUT (Torques, moment, VECTOR, .label = N_ ("Torque"), .handle = { KG_HANDLE_NONE }, .group = N_ ("Load"),
            .help = N_ ("Torque in newton metres that the end exerts on the world.")),
  KG_INPUT (Torques, friction, NUMBER, .label = N_ ("Friction"), .min = 0, .max = 1e9, .soft_max = 10,
            .group = N_ ("Load"),
            .help = N_ ("Viscous friction of all joints, in newton metres per radian per second.")),
  KG_OUTPUT (Torques, torques, TABLE, .label = N_ ("Torques"),
             .help = N_ ("Torque of each freedom in newton metres; of slides, force in newtons.")),
  KG_OUTPUT (Torques, power, NUMBER, .label = N_ ("Power"), .help = N_ ("Power of all joints together in watts.")),
  KG_OUTPUT (
      Torques, inertia, TABLE, .label = N_ ("Inertia"),
      .help = N_ ("The matrix of inertia H: torque of each freedom for a unit acceleration of each. Empty for more "
                  "than 256 freedoms.")),
  KG_OUTPUT (Torques, coupling, TABLE, .label = N_ ("Rate torques"),
             .help = N_ ("Torques that the rates alone need: centrifugal and Coriolis forces.")),
  KG_OUTPUT (Torques, weight, TABLE, .label = N_ ("Gravity torques"),
             .help = N_ ("Torques that hold the skeleton still against gravity.")),
};

KG_NODE_WITH_DEMAND (
    rig, torques, Torques, .label = N_ ("Joint Torques"), .version = 1, .since = "0.1",
    .tags = N_ ("inverse dynamics force newton euler power load weight effort statics"),
    .formula = "τ = H(q) q̈ + C(q, q̇) + G(q) + Jᵀ f + V q̇",
    .source = "Luh, Walker and Paul, On-line Computational Scheme for Mechanical Manipulators, 1980; Parent, Computer "
              "Animation, course notes 5.10",
    .help = N_ (
        "Computes the torques that the joints of a moving skeleton need: how hard the motion is, and what it takes to hold a load."));
