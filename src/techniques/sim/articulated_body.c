/* articulated_body: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/articulated_body.h"

#include "sim/newton_euler.h"

#include "rig/chain_pose.h"

#include <string.h>

/* A freedom that resists less than this share of the inertia of all that it carries, taken as one body, cannot be accelerated: a
 * point mass on the axis. */
#define IDLE 1e-13
/* Limits of the middle one of three angles: beyond, the first and the last are one. */
#define MOST_MIDDLE (85 * KG_DEGREE)
/* Rounds of the search for the joints that stop at a limit. */
#define MAX_ROUNDS 16
/* Rounds of the search for the fastest spring, whose frequency is needed to a few per cent. */
#define POWER_ROUNDS 12

/* Share by which the moments of a flat body may contradict each other, as typed numbers are rounded. */
#define ROUNDED 0.01

typedef double Matrix3[3][3];

/* What resists acceleration at a point: torque = a alpha + b acc, force = bᵀ alpha + c acc. */
typedef struct {
  Matrix3 a, b, c;
} Inertia6;

typedef struct {
  KgVector torque, force;
} Wrench;

typedef struct {
  KgVector alpha, acc; /* acc: of the point, as a point of the body */
} Acceleration;

typedef struct _ArticulatedWork {
  Inertia6 *inertias;
  Wrench *biases;
  Acceleration *extra; /* accelerations that the rates alone cause */
  Acceleration *accelerations;
  KgVector *d;      /* from the parent's point */
  Inertia6 *u;      /* columns of inertia times freedoms: a: torques, c: forces */
  Matrix3 *inverse; /* of what each freedom resists */
  double (*rest)[3];
  double *masses,
      *sizes; /* of all that a link carries, taken as one body: mass, and trace of the inertia at its point */
  bool *stopped;
  double *stops;
  double *rates;
} Work;

/* Arithmetic. */

static inline KgVector
matrix_apply (Matrix3 m, KgVector v)
{
  return kg_vector (m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                    m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
}

static inline KgVector
matrix_apply_transposed (Matrix3 m, KgVector v)
{
  return kg_vector (m[0][0] * v.x + m[1][0] * v.y + m[2][0] * v.z, m[0][1] * v.x + m[1][1] * v.y + m[2][1] * v.z,
                    m[0][2] * v.x + m[1][2] * v.y + m[2][2] * v.z);
}

/* [d]× m */
static inline void
cross_rows (KgVector d, Matrix3 m, Matrix3 out)
{
  for (int j = 0; j < 3; j++) {
    out[0][j] = d.y * m[2][j] - d.z * m[1][j];
    out[1][j] = d.z * m[0][j] - d.x * m[2][j];
    out[2][j] = d.x * m[1][j] - d.y * m[0][j];
  }
}

static inline void
get_rigid_inertia (const ArticulatedLink *link, Inertia6 *out)
{
  const double m = link->mass;
  const KgVector r = link->arm;
  const SymmetricMatrix *i = &link->world_inertia;
  const double rr = kg_vector_dot (r, r);

  *out = (Inertia6){ .a = { { i->xx + m * (rr - r.x * r.x), i->xy - m * r.x * r.y, i->xz - m * r.x * r.z },
                            { i->xy - m * r.x * r.y, i->yy + m * (rr - r.y * r.y), i->yz - m * r.y * r.z },
                            { i->xz - m * r.x * r.z, i->yz - m * r.y * r.z, i->zz + m * (rr - r.z * r.z) } },
                     .b = { { 0, -m * r.z, m * r.y }, { m * r.z, 0, -m * r.x }, { -m * r.y, m * r.x, 0 } },
                     .c = { { m, 0, 0 }, { 0, m, 0 }, { 0, 0, m } } };
}

/* Adds to an inertia at a point what one at the point d farther resists, carried by the same body. */
static void
add_shifted (Inertia6 *to, Inertia6 *from, KgVector d)
{
  Matrix3 dc, db, b;

  cross_rows (d, from->c, dc);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      b[i][j] = from->b[i][j] + dc[i][j];
  /* a' = a - b D + D bᵀ - D c D = a + (D bᵀ) - (b + D c) D, with x D = -(D xᵀ)ᵀ for any x. */
  {
    Matrix3 transposed, whole;

    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        transposed[i][j] = from->b[j][i];
    cross_rows (d, transposed, db);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        transposed[i][j] = b[j][i];
    cross_rows (d, transposed, whole);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        to->a[i][j] += from->a[i][j] + db[i][j] + whole[j][i];
        to->b[i][j] += b[i][j];
        to->c[i][j] += from->c[i][j];
      }
  }
}

static inline void
add_shifted_wrench (Wrench *to, const Wrench *from, KgVector d)
{
  to->force = kg_vector_add (to->force, from->force);
  to->torque = kg_vector_add (to->torque, kg_vector_add (from->torque, kg_vector_cross (d, from->force)));
}

/* Making. */

static SymmetricMatrix
get_inertia (const KgJoint *joint)
{
  return (SymmetricMatrix){ joint->inertia[0], joint->inertia[1], joint->inertia[2],
                            joint->inertia[3], joint->inertia[4], joint->inertia[5] };
}

static bool
check_link (const KgJoint *joint, GError **error)
{
  double values[3];
  KgVector axes[3];

  if (joint->mass < 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the link of joint \"%s\" has the mass %g kg: use 0 or more",
                  joint->name, joint->mass);
    return false;
  }
  symmetric_matrix_decompose (get_inertia (joint), values, axes);
  if (values[0] < -1e-9 * fabs (values[2])) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the link of joint \"%s\" has the moment of inertia %g kg m²: use 0 or more", joint->name, values[0]);
    return false;
  }
  if (joint->mass > 0 && values[0] + values[1] < (1 - ROUNDED) * values[2]) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "the link of joint \"%s\" has the principal moments of inertia %g, %g and %g kg m², as no body has: the largest is at most the sum of the others",
        joint->name, values[0], values[1], values[2]);
    return false;
  }
  for (size_t c = 0; c < 3; c++)
    if ((joint->free[c] && kg_vector_get (joint->low, c) > kg_vector_get (joint->high, c)) ||
        (joint->slide[c] && kg_vector_get (joint->slide_low, c) > kg_vector_get (joint->slide_high, c))) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "joint \"%s\": its lower limit is above its upper one: swap them",
                    joint->name);
      return false;
    }
  return true;
}

/* Appends a body below the parent, in whose axes it has this place and rotation. */
static guint
add_link (ArticulatedBody *body, int parent, guint joint, ArticulatedKind kind, KgVector offset, KgRotation rest)
{
  ArticulatedLink *link = &body->links[body->n];

  *link = (ArticulatedLink){
    .parent = parent, .joint = joint, .kind = kind, .offset = offset, .rest = rest, .low = -INFINITY, .high = INFINITY
  };
  body->states[body->n] = (ArticulatedState){ .position = { kind == ARTICULATED_BALL ? 1 : 0 } };
  return body->n++;
}

/* The bodies of one joint; returns the last. */
static guint
add_joint (ArticulatedBody *body, const Linkage *linkage, const KgSkeleton *skeleton, guint i, int parent,
           GError **warning)
{
  const KgJoint *joint = kg_skeleton_get_joint (skeleton, i);
  const KgRotation rotation = kg_skeleton_get_rotation (skeleton, i);
  KgVector slides = kg_rotation_apply (kg_rotation_conjugate (joint->rest), kg_skeleton_get_translation (skeleton, i));
  KgVector offset;
  KgRotation rest = joint->rest;
  bool turns = false, middle = false;
  guint last = 0, first_freedom = linkage->first[i];

  for (guint k = linkage->first[i]; k < linkage->first[i + 1]; k++)
    if (linkage->freedoms[k].kind == LINKAGE_SLIDE)
      *kg_vector_component (&slides, linkage->freedoms[k].axis) = 0;
    else
      turns = true;
  /* Parts of the pose that belong to no freedom stay as they are. */
  offset = kg_vector_add (joint->offset, kg_rotation_apply (joint->rest, slides));
  for (guint k = linkage->first[i]; k < linkage->first[i + 1]; k++, first_freedom++) {
    const LinkageFreedom *freedom = &linkage->freedoms[k];

    if (freedom->kind != LINKAGE_SLIDE)
      break;
    last = add_link (body, parent, i, ARTICULATED_SLIDE, offset, rest);
    body->links[last].axis = freedom->axis;
    body->links[last].freedom = k;
    body->links[last].low = freedom->low;
    body->links[last].high = freedom->high;
    body->states[last].position[0] = freedom->value;
    parent = (int) last;
    offset = kg_vector (0, 0, 0);
    rest = kg_rotation_identity ();
  }
  if (!turns) {
    if (first_freedom == linkage->first[i] || kg_rotation_identity ().w != rotation.w) {
      /* A fixed joint, or a slider whose pose rotates it. */
      last = add_link (body, parent, i, ARTICULATED_FIXED, offset, kg_rotation_multiply (rest, rotation));
    }
    return last;
  }
  if (linkage->freedoms[first_freedom].kind == LINKAGE_BALL) {
    last = add_link (body, parent, i, ARTICULATED_BALL, offset, rest);
    body->links[last].freedom = first_freedom;
    body->states[last] = (ArticulatedState){ .position = { rotation.w, rotation.x, rotation.y, rotation.z } };
    return last;
  }
  middle = joint->free[0] && joint->free[1] && joint->free[2];
  for (guint k = linkage->first[i + 1]; k-- > first_freedom;) {
    const LinkageFreedom *freedom = &linkage->freedoms[k];

    last = add_link (body, parent, i, ARTICULATED_HINGE, offset, rest);
    body->links[last].axis = freedom->axis;
    body->links[last].freedom = k;
    body->links[last].low = freedom->low;
    body->links[last].high = freedom->high;
    if (middle && freedom->axis == 1 && (freedom->low < -MOST_MIDDLE || freedom->high > MOST_MIDDLE)) {
      body->links[last].low = fmax (freedom->low, -MOST_MIDDLE);
      body->links[last].high = fmin (freedom->high, MOST_MIDDLE);
      if (warning != NULL && *warning == NULL)
        *warning = kg_error_new (
            KG_ERROR_INVALID_VALUE,
            "joint \"%s\" rotates about three axes with limits: its angle about y was kept within 85°, beyond which the other two are one; use narrower limits for y, or none at all",
            joint->name);
    }
    body->states[last].position[0] = kg_clamp (freedom->value, body->links[last].low, body->links[last].high);
    parent = (int) last;
    offset = kg_vector (0, 0, 0);
    rest = kg_rotation_identity ();
  }
  return last;
}

/* A joint that carries no mass cannot be accelerated: it keeps its pose. */
static void
fix_idle_links (ArticulatedBody *body)
{
  g_autofree double *below = g_new0 (double, body->n);

  for (guint i = body->n; i-- > 0;) {
    ArticulatedLink *link = &body->links[i];

    below[i] += link->mass;
    if (link->parent >= 0)
      below[link->parent] += below[i];
    if (below[i] > 0 || link->kind == ARTICULATED_FIXED)
      continue;
    if (link->kind == ARTICULATED_SLIDE) {
      KgVector along = { 0, 0, 0 };

      *kg_vector_component (&along, link->axis) = body->states[i].position[0];
      link->offset = kg_vector_add (link->offset, kg_rotation_apply (link->rest, along));
    } else if (link->kind == ARTICULATED_HINGE) {
      KgVector axis = { 0, 0, 0 };

      *kg_vector_component (&axis, link->axis) = 1;
      link->rest = kg_rotation_multiply (link->rest, kg_rotation_from_axis_angle (axis, body->states[i].position[0]));
    } else {
      const double *q = body->states[i].position;

      link->rest = kg_rotation_multiply (link->rest, (KgRotation){ q[0], q[1], q[2], q[3] });
    }
    link->kind = ARTICULATED_FIXED;
  }
}

ArticulatedBody *
articulated_body_new (const KgSkeleton *skeleton, GError **warning, GError **error)
{
  g_autoptr (ArticulatedBody) body = g_new0 (ArticulatedBody, 1);
  g_auto (Linkage) linkage = { 0 };
  g_autofree guint *last = NULL;
  double mass = 0;
  gsize most;

  linkage_init (&linkage, skeleton);
  most = (gsize) linkage.n + 2 * (gsize) linkage.n_joints;
  last = g_new0 (guint, MAX (linkage.n_joints, 1));
  body->n_joints = linkage.n_joints;
  body->n_freedoms = linkage.n;
  body->links = g_new0 (ArticulatedLink, MAX (most, 1));
  body->states = g_new0 (ArticulatedState, MAX (most, 1));
  for (guint i = 0; i < linkage.n_joints; i++) {
    const KgJoint *joint = kg_skeleton_get_joint (skeleton, i);

    if (!check_link (joint, error))
      return NULL;
    last[i] = add_joint (body, &linkage, skeleton, i, joint->parent < 0 ? -1 : (int) last[joint->parent], warning);
    body->links[last[i]].mass = joint->mass;
    body->links[last[i]].center = joint->center;
    if (joint->mass > 0)
      body->links[last[i]].inertia = get_inertia (joint);
    mass += joint->mass;
  }
  if (!(mass > 0)) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  linkage.n_joints == 0
                      ? N_ ("the skeleton has no joints: link one that has")
                      : N_ ("no link of the skeleton has a mass: give its bones lengths, or its joints masses"));
    return NULL;
  }
  fix_idle_links (body);
  body->work = g_new0 (Work, 1);
  body->work->inertias = g_new (Inertia6, body->n);
  body->work->biases = g_new (Wrench, body->n);
  body->work->extra = g_new (Acceleration, body->n);
  body->work->accelerations = g_new (Acceleration, body->n);
  body->work->d = g_new (KgVector, body->n);
  body->work->u = g_new (Inertia6, body->n);
  body->work->inverse = g_new (Matrix3, body->n);
  body->work->rest = g_malloc_n (body->n, 3 * sizeof (double));
  body->work->masses = g_new (double, body->n);
  body->work->sizes = g_new (double, body->n);
  body->work->stopped = g_new0 (bool, (gsize) body->n_freedoms + 1);
  body->work->stops = g_new0 (double, (gsize) body->n_freedoms + 1);
  body->work->rates = g_new0 (double, 4 * ((gsize) body->n_freedoms + 1));
  articulated_body_update (body);
  return g_steal_pointer (&body);
}

void
articulated_body_free (ArticulatedBody *body)
{
  if (body == NULL)
    return;
  if (body->work != NULL) {
    g_free (body->work->inertias);
    g_free (body->work->biases);
    g_free (body->work->extra);
    g_free (body->work->accelerations);
    g_free (body->work->d);
    g_free (body->work->u);
    g_free (body->work->inverse);
    g_free (body->work->rest);
    g_free (body->work->masses);
    g_free (body->work->sizes);
    g_free (body->work->stopped);
    g_free (body->work->stops);
    g_free (body->work->rates);
    g_free (body->work);
  }
  g_free (body->links);
  g_free (body->states);
  g_free (body);
}

bool
articulated_spread_mass (KgSkeleton *skeleton, double per_metre, double width)
{
  const guint n = kg_skeleton_get_n_joints (skeleton);
  g_autofree double *masses = g_new0 (double, MAX (n, 1));
  g_autofree KgVector *firsts = g_new0 (KgVector, MAX (n, 1));
  g_autofree SymmetricMatrix *tensors = g_new0 (SymmetricMatrix, MAX (n, 1));
  const double r2 = 0.25 * width * width;

  for (guint i = 0; i < n; i++)
    if (kg_skeleton_get_joint (skeleton, i)->mass != 0)
      return false;
  for (guint i = 0; i < n; i++) {
    const KgJoint *joint = kg_skeleton_get_joint (skeleton, i);
    const KgVector rod = kg_vector_add (joint->offset, kg_skeleton_get_translation (skeleton, i));
    const double length2 = kg_vector_dot (rod, rod), mass = per_metre * sqrt (length2);
    SymmetricMatrix *tensor;

    if (joint->parent < 0 || !(mass > 0))
      continue;
    masses[joint->parent] += mass;
    firsts[joint->parent] = kg_vector_add_scaled (firsts[joint->parent], 0.5 * mass, rod);
    /* About the joint: m (r²/4 (1 + u uᵀ) + L²/3 (1 - u uᵀ)), a cylinder along u. */
    tensor = &tensors[joint->parent];
    *tensor =
        symmetric_matrix_add_scaled (*tensor, mass * (r2 / 4 + length2 / 3), (SymmetricMatrix){ 1, 1, 1, 0, 0, 0 });
    *tensor = symmetric_matrix_add_square (*tensor, mass * (r2 / 4 - length2 / 3) / length2, rod);
  }
  for (guint i = 0; i < n; i++)
    if (masses[i] > 0) {
      const KgVector c = kg_vector_scale (firsts[i], 1 / masses[i]);
      SymmetricMatrix tensor = tensors[i];
      double inertia[6];

      tensor = symmetric_matrix_add_scaled (tensor, -masses[i] * kg_vector_dot (c, c),
                                            (SymmetricMatrix){ 1, 1, 1, 0, 0, 0 });
      tensor = symmetric_matrix_add_square (tensor, masses[i], c);
      inertia[0] = tensor.xx;
      inertia[1] = tensor.yy;
      inertia[2] = tensor.zz;
      inertia[3] = tensor.xy;
      inertia[4] = tensor.xz;
      inertia[5] = tensor.yz;
      kg_skeleton_set_mass (skeleton, i, masses[i], c, inertia);
    }
  return true;
}

/* Kinematics. */

static KgVector
get_axis (guint axis)
{
  return kg_vector (axis == 0, axis == 1, axis == 2);
}

void
articulated_body_update (ArticulatedBody *body)
{
  for (guint i = 0; i < body->n; i++) {
    ArticulatedLink *link = &body->links[i];
    const ArticulatedLink *above = link->parent < 0 ? NULL : &body->links[link->parent];
    const ArticulatedState *state = &body->states[i];
    const KgRotation frame = above != NULL ? kg_rotation_multiply (above->frame, link->rest) : link->rest;
    KgVector d = above != NULL ? kg_rotation_apply (above->frame, link->offset) : link->offset;
    KgVector relative = { 0, 0, 0 }, sliding = { 0, 0, 0 };

    link->frame = frame;
    if (link->kind == ARTICULATED_SLIDE || link->kind == ARTICULATED_HINGE)
      link->along = kg_rotation_apply (frame, get_axis (link->axis));
    if (link->kind == ARTICULATED_SLIDE) {
      d = kg_vector_add_scaled (d, state->position[0], link->along);
      sliding = kg_vector_scale (link->along, state->rate[0]);
    } else if (link->kind == ARTICULATED_HINGE) {
      link->frame =
          kg_rotation_multiply (frame, kg_rotation_from_axis_angle (get_axis (link->axis), state->position[0]));
      relative = kg_vector_scale (link->along, state->rate[0]);
    } else if (link->kind == ARTICULATED_BALL) {
      link->frame =
          kg_rotation_multiply (frame, kg_rotation_normalize ((KgRotation){ state->position[0], state->position[1],
                                                                            state->position[2], state->position[3] }));
      relative = kg_rotation_apply (link->frame, kg_vector (state->rate[0], state->rate[1], state->rate[2]));
    }
    link->frame = kg_rotation_normalize (link->frame);
    link->point = above != NULL ? kg_vector_add (above->point, d) : d;
    link->arm = kg_rotation_apply (link->frame, link->center);
    link->world_inertia = link->mass > 0 ? symmetric_matrix_rotate (link->inertia, link->frame)
                                         : (SymmetricMatrix){ 0, 0, 0, 0, 0, 0 };
    link->omega = above != NULL ? kg_vector_add (above->omega, relative) : relative;
    link->velocity = sliding;
    if (above != NULL)
      link->velocity = kg_vector_add (kg_vector_add (above->velocity, kg_vector_cross (above->omega, d)), sliding);
    if (body->work == NULL)
      continue;
    body->work->d[i] = d;
    /* Accelerations that the rates alone cause. */
    body->work->extra[i] = (Acceleration){ { 0, 0, 0 }, { 0, 0, 0 } };
    if (above != NULL) {
      body->work->extra[i].alpha = kg_vector_cross (above->omega, relative);
      body->work->extra[i].acc =
          kg_vector_add_scaled (kg_vector_cross (above->omega, kg_vector_cross (above->omega, d)), 2,
                                kg_vector_cross (above->omega, sliding));
    }
  }
}

void
articulated_body_pose (const ArticulatedBody *body, KgSkeleton *skeleton)
{
  for (guint i = 0, next; i < body->n; i = next) {
    const guint joint = body->links[i].joint;
    const KgJoint *rest = kg_skeleton_get_joint (skeleton, joint);
    KgVector slides =
        kg_rotation_apply (kg_rotation_conjugate (rest->rest), kg_skeleton_get_translation (skeleton, joint));
    KgRotation rotation = { 1, 0, 0, 0 };
    bool slid = false, turned = false;

    for (next = i; next < body->n && body->links[next].joint == joint; next++) {
      const ArticulatedLink *link = &body->links[next];
      const double *q = body->states[next].position;

      if (link->kind == ARTICULATED_SLIDE) {
        *kg_vector_component (&slides, link->axis) = q[0];
        slid = true;
      } else if (link->kind == ARTICULATED_HINGE) {
        rotation = kg_rotation_multiply (rotation, kg_rotation_from_axis_angle (get_axis (link->axis), q[0]));
        turned = true;
      } else if (link->kind == ARTICULATED_BALL) {
        rotation = (KgRotation){ q[0], q[1], q[2], q[3] };
        turned = true;
      }
    }
    if (slid)
      kg_skeleton_set_translation (skeleton, joint, kg_rotation_apply (rest->rest, slides));
    if (turned)
      kg_skeleton_set_rotation (skeleton, joint, rotation);
  }
}

/* Dynamics. */

/* The bias force of a link at its point: what it needs besides inertia times acceleration. */
static Wrench
get_bias (const ArticulatedLink *link, const KgVector *force)
{
  const NewtonEulerBody body = { link->mass, link->arm, link->world_inertia };
  const KgVector none = { 0, 0, 0 };
  NewtonEulerLoad load = newton_euler_get_load (&body, link->omega, none, none);

  if (force != NULL) {
    load.force = kg_vector_subtract (load.force, *force);
    load.torque = kg_vector_subtract (load.torque, kg_vector_cross (link->arm, *force));
  }
  return (Wrench){ load.torque, load.force };
}

void
articulated_body_get_torques (ArticulatedBody *body, const ArticulatedForces *forces, const double *accelerations,
                              double *torques)
{
  Work *work = body->work;

  memset (torques, 0, body->n_freedoms * sizeof *torques);
  for (guint i = 0; i < body->n; i++) {
    const ArticulatedLink *link = &body->links[i];
    Acceleration a = { { 0, 0, 0 }, kg_vector_scale (forces->gravity, -1) };
    Inertia6 inertia;

    if (link->parent >= 0)
      a = work->accelerations[link->parent];
    a.acc = kg_vector_add (a.acc, kg_vector_add (kg_vector_cross (a.alpha, work->d[i]), work->extra[i].acc));
    a.alpha = kg_vector_add (a.alpha, work->extra[i].alpha);
    if (link->kind == ARTICULATED_SLIDE)
      a.acc = kg_vector_add_scaled (a.acc, accelerations[link->freedom], link->along);
    else if (link->kind == ARTICULATED_HINGE)
      a.alpha = kg_vector_add_scaled (a.alpha, accelerations[link->freedom], link->along);
    else if (link->kind == ARTICULATED_BALL)
      a.alpha = kg_vector_add (a.alpha, kg_rotation_apply (link->frame, kg_vector (accelerations[link->freedom],
                                                                                   accelerations[link->freedom + 1],
                                                                                   accelerations[link->freedom + 2])));
    work->accelerations[i] = a;
    get_rigid_inertia (link, &inertia);
    work->biases[i] = get_bias (link, forces->forces != NULL ? &forces->forces[i] : NULL);
    work->biases[i].torque = kg_vector_add (
        work->biases[i].torque, kg_vector_add (matrix_apply (inertia.a, a.alpha), matrix_apply (inertia.b, a.acc)));
    work->biases[i].force =
        kg_vector_add (work->biases[i].force,
                       kg_vector_add (matrix_apply_transposed (inertia.b, a.alpha), matrix_apply (inertia.c, a.acc)));
  }
  for (guint i = body->n; i-- > 0;) {
    const ArticulatedLink *link = &body->links[i];

    if (link->kind == ARTICULATED_SLIDE) {
      torques[link->freedom] = kg_vector_dot (link->along, work->biases[i].force);
    } else if (link->kind == ARTICULATED_HINGE) {
      torques[link->freedom] = kg_vector_dot (link->along, work->biases[i].torque);
    } else if (link->kind == ARTICULATED_BALL) {
      const KgVector t = kg_rotation_apply (kg_rotation_conjugate (link->frame), work->biases[i].torque);

      torques[link->freedom] = t.x;
      torques[link->freedom + 1] = t.y;
      torques[link->freedom + 2] = t.z;
    }
    if (link->parent >= 0)
      add_shifted_wrench (&work->biases[link->parent], &work->biases[i], work->d[i]);
  }
}

static double
get (const double *numbers, guint k)
{
  return numbers != NULL ? numbers[k] : 0;
}

/* How far freedom c of a ball is from its target: the rotation that is missing, about the joint's own axes. */
static double
get_spring_way (const ArticulatedLink *link, const ArticulatedState *state, const double *target, guint c)
{
  const guint k = link->freedom;

  if (link->kind != ARTICULATED_BALL)
    return get (target, k) - state->position[0];
  return kg_vector_get (
      linkage_get_rotation_vector (kg_rotation_multiply (
          kg_rotation_conjugate (
              (KgRotation){ state->position[0], state->position[1], state->position[2], state->position[3] }),
          linkage_rotation_from_vector (kg_vector (get (target, k), get (target, k + 1), get (target, k + 2))))),
      c);
}

/* Torque of a freedom; yield: (out) how much less it is for a unit of acceleration. */
static double
get_torque (const ArticulatedLink *link, const ArticulatedState *state, const ArticulatedForces *forces, guint c,
            double step, double *yield)
{
  const guint k = link->freedom + c;
  const double stiffness = get (forces->stiffness, k);
  const double damping = get (forces->damping, k) + get (forces->friction, k);
  double torque = get (forces->torques, k) - damping * state->rate[c];

  *yield = step * damping + step * step * stiffness;
  if (stiffness > 0)
    torque += stiffness * (get_spring_way (link, state, forces->target, c) - step * state->rate[c]);
  return torque;
}

/* Inverts the inertia about the axes of a ball; directions without inertia get no acceleration. */
static void
invert_ball (SymmetricMatrix m, double least, Matrix3 out)
{
  double values[3];
  KgVector axes[3];
  SymmetricMatrix inverse = { 0, 0, 0, 0, 0, 0 };

  symmetric_matrix_decompose (m, values, axes);
  for (int i = 0; i < 3; i++)
    if (values[i] > least)
      inverse = symmetric_matrix_add_square (inverse, 1 / values[i], axes[i]);
  out[0][0] = inverse.xx;
  out[1][1] = inverse.yy;
  out[2][2] = inverse.zz;
  out[0][1] = out[1][0] = inverse.xy;
  out[0][2] = out[2][0] = inverse.xz;
  out[1][2] = out[2][1] = inverse.yz;
}

/* Column of the motion of freedom c of a link. */
static void
get_column (const ArticulatedLink *link, guint c, KgVector *turn, KgVector *slide)
{
  *turn = *slide = kg_vector (0, 0, 0);
  if (link->kind == ARTICULATED_SLIDE)
    *slide = link->along;
  else if (link->kind == ARTICULATED_HINGE)
    *turn = link->along;
  else
    *turn = kg_rotation_apply (link->frame, get_axis (c));
}

static bool
is_driven (const ArticulatedBody *body, const ArticulatedForces *forces, guint k)
{
  return body->work->stopped[k] || (forces->driven != NULL && forces->driven[k]);
}

static double
get_driven (const ArticulatedBody *body, const ArticulatedForces *forces, guint k)
{
  return body->work->stopped[k] ? body->work->stops[k] : forces->accelerations[k];
}

/* Takes the freedoms of link i out of its inertia, which then is what its parent feels. */
static void
release_link (ArticulatedBody *body, const ArticulatedForces *forces, guint i, double step)
{
  Work *work = body->work;
  const ArticulatedLink *link = &body->links[i];
  Inertia6 *inertia = &work->inertias[i];
  Wrench *bias = &work->biases[i];
  const guint n = articulated_link_count_freedoms (link);
  KgVector torques[3], pulls[3], turn, slide, shift_turn = { 0, 0, 0 }, shift_slide = { 0, 0, 0 };
  const Acceleration *extra = &work->extra[i];
  Matrix3 resist = { { 0 } };
  double u[3];

  bias->torque = kg_vector_add (
      bias->torque, kg_vector_add (matrix_apply (inertia->a, extra->alpha), matrix_apply (inertia->b, extra->acc)));
  bias->force = kg_vector_add (bias->force, kg_vector_add (matrix_apply_transposed (inertia->b, extra->alpha),
                                                           matrix_apply (inertia->c, extra->acc)));
  if (n == 0)
    return;
  if (is_driven (body, forces, link->freedom)) {
    for (guint c = 0; c < n; c++) {
      const double a = get_driven (body, forces, link->freedom + c);

      get_column (link, c, &turn, &slide);
      shift_turn = kg_vector_add_scaled (shift_turn, a, turn);
      shift_slide = kg_vector_add_scaled (shift_slide, a, slide);
    }
    bias->torque = kg_vector_add (
        bias->torque, kg_vector_add (matrix_apply (inertia->a, shift_turn), matrix_apply (inertia->b, shift_slide)));
    bias->force = kg_vector_add (bias->force, kg_vector_add (matrix_apply_transposed (inertia->b, shift_turn),
                                                             matrix_apply (inertia->c, shift_slide)));
    return;
  }
  for (guint c = 0; c < n; c++) {
    get_column (link, c, &turn, &slide);
    torques[c] = kg_vector_add (matrix_apply (inertia->a, turn), matrix_apply (inertia->b, slide));
    pulls[c] = kg_vector_add (matrix_apply_transposed (inertia->b, turn), matrix_apply (inertia->c, slide));
  }
  for (guint c = 0; c < n; c++) {
    double yield;

    get_column (link, c, &turn, &slide);
    for (guint e = 0; e < n; e++)
      resist[c][e] = kg_vector_dot (turn, torques[e]) + kg_vector_dot (slide, pulls[e]);
    u[c] = get_torque (link, &body->states[i], forces, c, step, &yield) -
           (kg_vector_dot (turn, bias->torque) + kg_vector_dot (slide, bias->force));
    resist[c][c] += yield;
  }
  if (n == 1) {
    const double least = IDLE * (link->kind == ARTICULATED_SLIDE ? work->masses[i] : work->sizes[i]);

    work->inverse[i][0][0] = resist[0][0] > least ? 1 / resist[0][0] : 0;
  } else {
    invert_ball ((SymmetricMatrix){ resist[0][0], resist[1][1], resist[2][2], 0.5 * (resist[0][1] + resist[1][0]),
                                    0.5 * (resist[0][2] + resist[2][0]), 0.5 * (resist[1][2] + resist[2][1]) },
                 IDLE * work->sizes[i], work->inverse[i]);
  }
  for (guint c = 0; c < n; c++) {
    work->rest[i][c] = u[c];
    for (int r = 0; r < 3; r++) {
      work->u[i].a[r][c] = kg_vector_get (torques[c], (size_t) r);
      work->u[i].c[r][c] = kg_vector_get (pulls[c], (size_t) r);
    }
  }
  for (guint c = 0; c < n; c++) {
    double made = 0;

    for (guint e = 0; e < n; e++)
      made += work->inverse[i][c][e] * u[e];
    bias->torque = kg_vector_add_scaled (bias->torque, made, torques[c]);
    bias->force = kg_vector_add_scaled (bias->force, made, pulls[c]);
    for (guint e = 0; e < n; e++) {
      const double w = work->inverse[i][c][e];

      for (size_t r = 0; r < 3; r++)
        for (size_t s = 0; s < 3; s++) {
          inertia->a[r][s] -= w * kg_vector_get (torques[c], r) * kg_vector_get (torques[e], s);
          inertia->b[r][s] -= w * kg_vector_get (torques[c], r) * kg_vector_get (pulls[e], s);
          inertia->c[r][s] -= w * kg_vector_get (pulls[c], r) * kg_vector_get (pulls[e], s);
        }
    }
  }
}

void
articulated_body_accelerate (ArticulatedBody *body, const ArticulatedForces *forces, double step, double *accelerations)
{
  Work *work = body->work;

  for (guint i = 0; i < body->n; i++) {
    get_rigid_inertia (&body->links[i], &work->inertias[i]);
    work->biases[i] = get_bias (&body->links[i], forces->forces != NULL ? &forces->forces[i] : NULL);
    work->masses[i] = body->links[i].mass;
    work->sizes[i] = work->inertias[i].a[0][0] + work->inertias[i].a[1][1] + work->inertias[i].a[2][2];
  }
  for (guint i = body->n; i-- > 0;) {
    release_link (body, forces, i, step);
    if (body->links[i].parent >= 0) {
      const guint parent = (guint) body->links[i].parent;

      work->masses[parent] += work->masses[i];
      work->sizes[parent] += work->sizes[i] + 2 * work->masses[i] * kg_vector_dot (work->d[i], work->d[i]);
      add_shifted (&work->inertias[body->links[i].parent], &work->inertias[i], work->d[i]);
      add_shifted_wrench (&work->biases[body->links[i].parent], &work->biases[i], work->d[i]);
    }
  }
  memset (accelerations, 0, body->n_freedoms * sizeof *accelerations);
  for (guint i = 0; i < body->n; i++) {
    const ArticulatedLink *link = &body->links[i];
    const guint n = articulated_link_count_freedoms (link);
    Acceleration a = { { 0, 0, 0 }, kg_vector_scale (forces->gravity, -1) };
    double rest[3];

    if (link->parent >= 0)
      a = work->accelerations[link->parent];
    a.acc = kg_vector_add (a.acc, kg_vector_cross (a.alpha, work->d[i]));
    /* The bias has the extra part already. */
    for (guint c = 0; n > 0 && c < n && !is_driven (body, forces, link->freedom); c++) {
      rest[c] = work->rest[i][c];
      for (int r = 0; r < 3; r++)
        rest[c] -= work->u[i].a[r][c] * kg_vector_get (a.alpha, (size_t) r) +
                   work->u[i].c[r][c] * kg_vector_get (a.acc, (size_t) r);
    }
    a.acc = kg_vector_add (a.acc, work->extra[i].acc);
    a.alpha = kg_vector_add (a.alpha, work->extra[i].alpha);
    for (guint c = 0; c < n; c++) {
      KgVector turn, slide;
      double q = 0;

      if (is_driven (body, forces, link->freedom))
        q = get_driven (body, forces, link->freedom + c);
      else
        for (guint e = 0; e < n; e++)
          q += work->inverse[i][c][e] * rest[e];
      get_column (link, c, &turn, &slide);
      accelerations[link->freedom + c] = q;
      a.alpha = kg_vector_add_scaled (a.alpha, q, turn);
      a.acc = kg_vector_add_scaled (a.acc, q, slide);
    }
    work->accelerations[i] = a;
  }
}

/* The largest eigenvalue of the inverse of the inertia times a diagonal matrix, of a body at rest without weight. */
static double
find_largest_ratio (ArticulatedBody *body, const double *diagonal)
{
  const guint n = body->n_freedoms;
  g_autofree double *x = g_new (double, (gsize) n + 1), *torques = g_new0 (double, (gsize) n + 1);
  g_autofree double *accelerations = g_new0 (double, (gsize) n + 1);
  const ArticulatedForces forces = { .torques = torques };
  double ratio = 0;

  for (guint k = 0; k < n; k++)
    x[k] = k % 2 == 0 ? 1 : -1;
  for (int round = 0; round < POWER_ROUNDS; round++) {
    double above = 0, below = 0, largest = 0;

    for (guint k = 0; k < n; k++)
      torques[k] = diagonal[k] * x[k];
    articulated_body_accelerate (body, &forces, 0, accelerations);
    for (guint k = 0; k < n; k++) {
      above += torques[k] * accelerations[k];
      below += torques[k] * x[k];
      largest = fmax (largest, fabs (accelerations[k]));
    }
    if (!(below > 0) || !(largest > 0) || !isfinite (above))
      break;
    ratio = fmax (ratio, above / below);
    for (guint k = 0; k < n; k++)
      x[k] = accelerations[k] / largest;
  }
  return ratio;
}

double
articulated_body_get_fastest_rate (ArticulatedBody *body, const double *stiffness, const double *damping)
{
  g_autofree ArticulatedState *states = g_memdup2 (body->states, body->n * sizeof *states);
  double rate;

  for (guint i = 0; i < body->n; i++)
    memset (body->states[i].rate, 0, sizeof body->states[i].rate);
  articulated_body_update (body);
  rate = fmax (sqrt (find_largest_ratio (body, stiffness)), find_largest_ratio (body, damping));
  memcpy (body->states, states, body->n * sizeof *states);
  articulated_body_update (body);
  return rate;
}

/* Steps. */

/* Finds the accelerations of a step at whose end no joint is beyond its limit. */
static void
accelerate_within_limits (ArticulatedBody *body, const ArticulatedForces *forces, double step, double *accelerations)
{
  Work *work = body->work;
  bool again = true;

  memset (work->stopped, 0, body->n_freedoms * sizeof *work->stopped);
  for (int round = 0; again && round < MAX_ROUNDS; round++) {
    again = false;
    articulated_body_accelerate (body, forces, step, accelerations);
    for (guint i = 0; i < body->n; i++) {
      const ArticulatedLink *link = &body->links[i];
      const guint k = link->freedom;
      double rate, next, stop;

      if ((link->kind != ARTICULATED_SLIDE && link->kind != ARTICULATED_HINGE) || work->stopped[k] ||
          (forces->driven != NULL && forces->driven[k]))
        continue;
      rate = body->states[i].rate[0] + step * accelerations[k];
      next = body->states[i].position[0] + step * rate;
      if (next >= link->low && next <= link->high)
        continue;
      stop = next < link->low ? link->low : link->high;
      work->stopped[k] = again = true;
      work->stops[k] = ((stop - body->states[i].position[0]) / step - body->states[i].rate[0]) / step;
    }
  }
}

static void
rotate_ball (ArticulatedState *state, double seconds)
{
  const KgVector v = kg_vector_scale (kg_vector (state->rate[0], state->rate[1], state->rate[2]), seconds);
  const KgRotation q = kg_rotation_normalize (kg_rotation_multiply (
      (KgRotation){ state->position[0], state->position[1], state->position[2], state->position[3] },
      linkage_rotation_from_vector (v)));

  state->position[0] = q.w;
  state->position[1] = q.x;
  state->position[2] = q.y;
  state->position[3] = q.z;
}

static void
step_semi_implicit (ArticulatedBody *body, const ArticulatedForces *forces, double seconds)
{
  double *accelerations = body->work->rates;

  accelerate_within_limits (body, forces, seconds, accelerations);
  for (guint i = 0; i < body->n; i++) {
    const ArticulatedLink *link = &body->links[i];
    ArticulatedState *state = &body->states[i];
    const guint n = articulated_link_count_freedoms (link);

    for (guint c = 0; c < n; c++)
      state->rate[c] += seconds * accelerations[link->freedom + c];
    if (n == 1)
      state->position[0] = kg_clamp (state->position[0] + seconds * state->rate[0], link->low, link->high);
    else if (n == 3)
      rotate_ball (state, seconds);
  }
  memset (body->work->stopped, 0, body->n_freedoms * sizeof *body->work->stopped);
  articulated_body_update (body);
}

/* Rates of change of a state: its rates, as those of a quaternion for a ball, and the accelerations. */
typedef struct {
  double position[4], rate[3];
} Slope;

static void
get_slopes (ArticulatedBody *body, const ArticulatedForces *forces, Slope *slopes)
{
  double *accelerations = body->work->rates;

  articulated_body_accelerate (body, forces, 0, accelerations);
  for (guint i = 0; i < body->n; i++) {
    const ArticulatedLink *link = &body->links[i];
    const ArticulatedState *state = &body->states[i];
    const guint n = articulated_link_count_freedoms (link);

    slopes[i] = (Slope){ { 0 }, { 0 } };
    for (guint c = 0; c < n; c++)
      slopes[i].rate[c] = accelerations[link->freedom + c];
    if (n == 1) {
      slopes[i].position[0] = state->rate[0];
    } else if (n == 3) {
      const KgRotation q = kg_rotation_multiply (
          (KgRotation){ state->position[0], state->position[1], state->position[2], state->position[3] },
          (KgRotation){ 0, 0.5 * state->rate[0], 0.5 * state->rate[1], 0.5 * state->rate[2] });

      slopes[i].position[0] = q.w;
      slopes[i].position[1] = q.x;
      slopes[i].position[2] = q.y;
      slopes[i].position[3] = q.z;
    }
  }
}

/* states = from + seconds * slopes */
static void
go (ArticulatedBody *body, const ArticulatedState *from, double seconds, const Slope *slopes)
{
  for (guint i = 0; i < body->n; i++) {
    for (int c = 0; c < 4; c++)
      body->states[i].position[c] = from[i].position[c] + seconds * slopes[i].position[c];
    for (int c = 0; c < 3; c++)
      body->states[i].rate[c] = from[i].rate[c] + seconds * slopes[i].rate[c];
  }
  articulated_body_update (body);
}

static void
normalize (ArticulatedState *state)
{
  const KgRotation q = kg_rotation_normalize (
      (KgRotation){ state->position[0], state->position[1], state->position[2], state->position[3] });

  state->position[0] = q.w;
  state->position[1] = q.x;
  state->position[2] = q.y;
  state->position[3] = q.z;
}

static void
step_runge_kutta (ArticulatedBody *body, const ArticulatedForces *forces, double seconds)
{
  const guint n = body->n;
  g_autofree ArticulatedState *from = g_memdup2 (body->states, n * sizeof *from);
  g_autofree Slope *k = g_new (Slope, 4 * (gsize) n), *sum = g_new (Slope, n);
  bool meets = false;

  get_slopes (body, forces, k);
  go (body, from, 0.5 * seconds, k);
  get_slopes (body, forces, k + n);
  go (body, from, 0.5 * seconds, k + n);
  get_slopes (body, forces, k + 2 * (gsize) n);
  go (body, from, seconds, k + 2 * (gsize) n);
  get_slopes (body, forces, k + 3 * (gsize) n);
  for (guint i = 0; i < n; i++) {
    for (int c = 0; c < 4; c++)
      sum[i].position[c] = (k[i].position[c] + 2 * (k[n + i].position[c] + k[2 * (gsize) n + i].position[c]) +
                            k[3 * (gsize) n + i].position[c]) /
                           6;
    for (int c = 0; c < 3; c++)
      sum[i].rate[c] =
          (k[i].rate[c] + 2 * (k[n + i].rate[c] + k[2 * (gsize) n + i].rate[c]) + k[3 * (gsize) n + i].rate[c]) / 6;
  }
  go (body, from, seconds, sum);
  for (guint i = 0; i < n; i++) {
    const ArticulatedLink *link = &body->links[i];

    if (link->kind == ARTICULATED_BALL)
      normalize (&body->states[i]);
    else if (link->kind != ARTICULATED_FIXED)
      meets |= body->states[i].position[0] < link->low || body->states[i].position[0] > link->high;
  }
  if (!meets) {
    articulated_body_update (body);
    return;
  }
  memcpy (body->states, from, n * sizeof *from);
  articulated_body_update (body);
  step_semi_implicit (body, forces, seconds);
}

bool
articulated_body_step (ArticulatedBody *body, const ArticulatedForces *forces, double seconds, ArticulatedMethod method,
                       guint *joint)
{
  if (method == ARTICULATED_RUNGE_KUTTA)
    step_runge_kutta (body, forces, seconds);
  else
    step_semi_implicit (body, forces, seconds);
  for (guint i = 0; i < body->n; i++) {
    const ArticulatedState *state = &body->states[i];
    double sum = 0;

    for (int c = 0; c < 4; c++)
      sum += fabs (state->position[c]) + (c < 3 ? fabs (state->rate[c]) : 0);
    if (!(sum < 1e12)) {
      *joint = body->links[i].joint;
      return false;
    }
  }
  return true;
}

void
articulated_body_measure (const ArticulatedBody *body, KgVector gravity, ArticulatedMeasure *measure)
{
  *measure = (ArticulatedMeasure){ 0 };
  for (guint i = 0; i < body->n; i++) {
    const ArticulatedLink *link = &body->links[i];
    const KgVector c = kg_vector_add (link->point, link->arm);
    const KgVector v = kg_vector_add (link->velocity, kg_vector_cross (link->omega, link->arm));
    const KgVector spin = symmetric_matrix_apply (link->world_inertia, link->omega);

    measure->mass += link->mass;
    measure->center = kg_vector_add_scaled (measure->center, link->mass, c);
    measure->momentum = kg_vector_add_scaled (measure->momentum, link->mass, v);
    measure->angular_momentum = kg_vector_add (
        measure->angular_momentum, kg_vector_add (spin, kg_vector_scale (kg_vector_cross (c, v), link->mass)));
    measure->kinetic += 0.5 * (link->mass * kg_vector_dot (v, v) + kg_vector_dot (spin, link->omega));
    measure->potential -= link->mass * kg_vector_dot (gravity, c);
  }
  measure->center = kg_vector_scale (measure->center, 1 / measure->mass);
}
