/* rigid_state: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_state.h"

#include "kg-error.h"
#include "kg-floats.h"
#include "sim/kept_record.h"

typedef struct {
  KgVector place;
  KgRotation turn;
  double still;
} KeptPlace;

typedef struct {
  KgVector velocity, angular;
  double asleep, unused;
} KeptMotion;

typedef struct {
  KgVector gravity;
  double depth, gap;
  int32_t events, passes, joint, other, n_broken, n_awake;
} KeptReport;

typedef struct {
  double impulse;
  KgVector slide, roll;
  double total;
} KeptImpulse;

typedef struct {
  KgVector place, normal;
  double depth, approach;
} KeptWhere;

typedef struct {
  KgVector pin_a, pin_b;
  double length, angle;
} KeptPins;

typedef struct {
  KgRotation frame_a, frame_b;
} KeptFrames;

typedef struct {
  double load, gap, tension;
  double unused[5];
} KeptLoad;

/* link: kind, bodies, broken; pair: bodies, feature, and twice the kind, and 1 where it is from the log. */

IS_KEPT (KeptPlace);
IS_KEPT (KeptMotion);
IS_KEPT (KeptReport);
IS_KEPT (KeptImpulse);
IS_KEPT (KeptWhere);
IS_KEPT (KeptPins);
IS_KEPT (KeptFrames);
IS_KEPT (KeptLoad);

static void
save_bodies (KgGeometry *state, const RigidWorld *world, KgVector gravity, const RigidReport *report)
{
  KeptPlace *places = (KeptPlace *) edit_kept (state, KG_POINTS, "place");
  KeptMotion *motions = (KeptMotion *) edit_kept (state, KG_POINTS, "motion");

  for (guint i = 0; i < world->n; i++) {
    const RigidMotion *motion = &world->motions[i];

    places[i] = (KeptPlace){ motion->place, motion->turn, motion->still };
    motions[i] = (KeptMotion){ motion->velocity, motion->angular, motion->asleep, 0 };
  }
  *(KeptReport *) edit_kept (state, KG_WHOLE, "report") = (KeptReport){ gravity,
                                                                        report->depth,
                                                                        report->gap,
                                                                        (int32_t) report->events,
                                                                        (int32_t) report->passes,
                                                                        (int32_t) report->joint,
                                                                        (int32_t) report->other,
                                                                        (int32_t) report->n_broken,
                                                                        (int32_t) report->n_awake };
}

static bool
save_contacts (KgGeometry *state, const RigidWorld *world, GError **error)
{
  const guint n = world->contacts->len, all = n + world->log->len;
  int32_t *pairs;
  KeptImpulse *impulses;
  KeptWhere *where;

  if (!kg_geometry_set_n_points (state, all, error))
    return false;
  pairs = kg_geometry_edit_int (state, KG_POINTS, "pair", 4);
  impulses = (KeptImpulse *) edit_kept (state, KG_POINTS, "impulse");
  where = (KeptWhere *) edit_kept (state, KG_POINTS, "where");
  for (guint k = 0; k < all; k++) {
    const RigidContact *contact = k < n ? &g_array_index (world->contacts, RigidContact, k)
                                        : &g_array_index (world->log, RigidContact, k - n);

    pairs[4 * k] = (int32_t) contact->a;
    pairs[4 * k + 1] = (int32_t) contact->b;
    memcpy (&pairs[4 * k + 2], &contact->feature, sizeof contact->feature);
    pairs[4 * k + 3] = contact->kind << 1 | (k >= n);
    /* What is only told needs nothing to go on from. */
    impulses[k] =
        (KeptImpulse){ contact->impulse, k < n ? contact->slide : contact->rubbed, contact->roll, contact->total };
    where[k] = (KeptWhere){ contact->place, contact->normal, contact->depth, contact->approach };
  }
  return true;
}

static bool
save_joints (KgGeometry *state, const RigidWorld *world, GError **error)
{
  int32_t *links;
  KeptPins *pins;
  KeptFrames *frames;
  KeptLoad *kept;

  if (!kg_geometry_set_n_points (state, world->joints->len, error))
    return false;
  links = kg_geometry_edit_int (state, KG_POINTS, "link", 4);
  pins = (KeptPins *) edit_kept (state, KG_POINTS, "pins");
  frames = (KeptFrames *) edit_kept (state, KG_POINTS, "frames");
  kept = (KeptLoad *) edit_kept (state, KG_POINTS, "kept");
  for (guint k = 0; k < world->joints->len; k++) {
    const RigidJoint *joint = &g_array_index (world->joints, RigidJoint, k);

    links[4 * k] = (int32_t) joint->kind;
    links[4 * k + 1] = (int32_t) joint->a;
    links[4 * k + 2] = (int32_t) joint->b;
    links[4 * k + 3] = joint->broken;
    pins[k] = (KeptPins){ joint->pin_a, joint->pin_b, joint->length, joint->angle };
    frames[k] = (KeptFrames){ joint->frame_a, joint->frame_b };
    kept[k] = (KeptLoad){ .load = joint->load, .gap = joint->gap, .tension = joint->tension };
  }
  return true;
}

bool
rigid_state_save (RigidState *state, const RigidWorld *world, KgVector gravity, const RigidReport *report,
                  GError **error)
{
  save_bodies (state->bodies, world, gravity, report);
  return save_contacts (state->touching, world, error) && save_joints (state->joined, world, error);
}

bool
rigid_state_new (RigidState *state, const RigidWorld *world, KgVector gravity, GError **error)
{
  const RigidReport report = { .n_awake = world->n };

  state->bodies = kg_geometry_new ();
  state->touching = kg_geometry_new ();
  state->joined = kg_geometry_new ();
  return kg_geometry_set_n_points (state->bodies, world->n, error) &&
         rigid_state_save (state, world, gravity, &report, error);
}

/* Reading: what comes from a file may be anything. */

static bool
load_joints (const KgGeometry *state, RigidWorld *world, GError **error)
{
  const int32_t *links = kg_geometry_get_int (state, KG_POINTS, "link", 4);
  const KeptPins *pins = (const KeptPins *) get_kept (state, KG_POINTS, "pins");
  const KeptFrames *frames = (const KeptFrames *) get_kept (state, KG_POINTS, "frames");
  const KeptLoad *kept = (const KeptLoad *) get_kept (state, KG_POINTS, "kept");
  const size_t n = kg_geometry_get_n_points (state);

  if (n != world->joints->len) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "the simulation started with %zu joints but now has %u: keep their number, and let joints break by their strength",
        n, world->joints->len);
    return false;
  }
  for (guint k = 0; k < n; k++) {
    RigidJoint *joint = &g_array_index (world->joints, RigidJoint, k);

    if (links[4 * k] != (int32_t) joint->kind || links[4 * k + 1] != (int32_t) joint->a ||
        links[4 * k + 2] != (int32_t) joint->b) {
      g_autofree char *name = rigid_joint_dup_name (joint);

      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "%s joined other bodies at the start: the bodies of a joint cannot change", name);
      return false;
    }
    joint->pin_a = pins[k].pin_a;
    joint->pin_b = pins[k].pin_b;
    joint->length = pins[k].length;
    joint->angle = pins[k].angle;
    joint->frame_a = kg_rotation_normalize (frames[k].frame_a);
    joint->frame_b = kg_rotation_normalize (frames[k].frame_b);
    joint->broken = links[4 * k + 3] != 0;
    joint->load = kept[k].load;
    joint->gap = kept[k].gap;
    joint->tension = kept[k].tension;
  }
  return true;
}

static void
load_contacts (const KgGeometry *state, RigidWorld *world)
{
  const int32_t *pairs = kg_geometry_get_int (state, KG_POINTS, "pair", 4);
  const KeptImpulse *impulses = (const KeptImpulse *) get_kept (state, KG_POINTS, "impulse");
  const KeptWhere *where = (const KeptWhere *) get_kept (state, KG_POINTS, "where");

  g_array_set_size (world->contacts, 0);
  g_array_set_size (world->log, 0);
  for (size_t k = 0; k < kg_geometry_get_n_points (state); k++) {
    const bool logged = (pairs[4 * k + 3] & 1) != 0;
    RigidContact contact = { .a = (uint32_t) pairs[4 * k], .b = (uint32_t) pairs[4 * k + 1] };

    memcpy (&contact.feature, &pairs[4 * k + 2], sizeof contact.feature);
    if (contact.a >= world->n || contact.b > world->n)
      continue;
    contact.kind = (pairs[4 * k + 3] >> 1) & 3;
    contact.impulse = impulses[k].impulse;
    contact.slide = impulses[k].slide;
    contact.roll = impulses[k].roll;
    contact.total = impulses[k].total;
    contact.place = where[k].place;
    contact.normal = where[k].normal;
    contact.depth = where[k].depth;
    contact.approach = where[k].approach;
    /* Of contacts that sleep, as much for each unit of what they bear as last. */
    contact.rubbed = logged || !(contact.impulse > 0)
                         ? contact.slide
                         : kg_vector_scale (contact.slide, contact.total / contact.impulse);
    g_array_append_val (logged ? world->log : world->contacts, contact);
  }
}

bool
rigid_state_load (const RigidState *state, RigidWorld *world, KgVector *gravity, GError **error)
{
  const size_t kept = kg_geometry_get_n_points (state->bodies);
  const KeptPlace *places = (const KeptPlace *) get_kept (state->bodies, KG_POINTS, "place");
  const KeptMotion *motions = (const KeptMotion *) get_kept (state->bodies, KG_POINTS, "motion");

  if (kept != world->n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the kept state is of %zu bodies, but there are %u: remove it from the cache folder", kept, world->n);
    return false;
  }
  for (guint i = 0; i < world->n; i++)
    world->motions[i] = (RigidMotion){ .place = places[i].place,
                                       .turn = kg_rotation_normalize (places[i].turn),
                                       .velocity = motions[i].velocity,
                                       .angular = motions[i].angular,
                                       .still = places[i].still,
                                       .asleep = motions[i].asleep != 0 };
  *gravity = ((const KeptReport *) get_kept (state->bodies, KG_WHOLE, "report"))->gravity;
  load_contacts (state->touching, world);
  return load_joints (state->joined, world, error);
}

void
rigid_state_get_report (const KgGeometry *bodies, RigidReport *report)
{
  const KeptReport *kept = (const KeptReport *) get_kept (bodies, KG_WHOLE, "report");

  *report = (RigidReport){ .events = (guint) kept->events,
                           .depth = kept->depth,
                           .gap = kept->gap,
                           .passes = (guint) MAX (kept->passes, 0),
                           .joint = (guint) MAX (kept->joint, 0),
                           .other = (guint) MAX (kept->other, 0),
                           .n_broken = (guint) MAX (kept->n_broken, 0),
                           .n_awake = (guint) MAX (kept->n_awake, 0) };
}

/* Results. */

void
rigid_state_move_points (const RigidWorld *world, const KgGeometry *rest, KgGeometry *geometry)
{
  const size_t n = kg_geometry_get_n_points (rest);
  const int32_t *owners = world->set->owners;
  const float *from = kg_geometry_get_positions (rest), *normals = kg_geometry_get_float (rest, KG_POINTS, "N", 3);
  float *p = kg_geometry_edit_positions (geometry), *v = kg_geometry_edit_float (geometry, KG_POINTS, "v", 3),
        *turned = normals != NULL ? kg_geometry_edit_float (geometry, KG_POINTS, "N", 3) : NULL;
  g_autofree KgVector *omegas = g_new (KgVector, MAX (world->n, 1));

  for (guint i = 0; i < world->n; i++)
    omegas[i] = rigid_body_get_omega (rigid_set_get_body (world->set, i), &world->motions[i]);
#pragma omp parallel for schedule(static) if (n > 8192)
  for (size_t i = 0; i < n; i++) {
    const RigidMotion *motion;
    const RigidBody *body;
    KgRotation turn;
    KgVector arm;

    if (owners[i] < 0)
      continue;
    body = rigid_set_get_body (world->set, (guint) owners[i]);
    motion = &world->motions[owners[i]];
    turn = kg_rotation_multiply (motion->turn, kg_rotation_conjugate (body->turn));
    arm = kg_rotation_apply (turn, kg_vector_subtract (kg_floats_get_vector (from, i), body->center));
    kg_floats_set_vector (p, i, kg_vector_add (motion->place, arm));
    kg_floats_set_vector (v, i, kg_vector_add (motion->velocity, kg_vector_cross (omegas[owners[i]], arm)));
    if (normals != NULL)
      kg_floats_set_vector (turned, i, kg_rotation_apply (turn, kg_floats_get_vector (normals, i)));
  }
}

KgGeometry *
rigid_state_new_points (const RigidWorld *world, const KgGeometry *copies, GError **error)
{
  const guint n = world->set->n_own;
  g_autoptr (KgGeometry) points = copies != NULL ? kg_geometry_ref (copies) : kg_geometry_new ();
  float *p, *v, *w, *orient, *mass;
  int32_t *id, *asleep;

  kg_geometry_make_writable (&points);
  if (copies == NULL && !kg_geometry_set_n_points (points, n, error))
    return NULL;
  p = kg_geometry_edit_positions (points);
  v = kg_geometry_edit_float (points, KG_POINTS, "v", 3);
  w = kg_geometry_edit_float (points, KG_POINTS, "w", 3);
  orient = kg_geometry_edit_float (points, KG_POINTS, "orient", 4);
  mass = kg_geometry_edit_float (points, KG_POINTS, "mass", 1);
  id = kg_geometry_edit_int (points, KG_POINTS, "id", 1);
  asleep = kg_geometry_edit_int (points, KG_POINTS, "asleep", 1);
  for (guint i = 0; i < n; i++) {
    const RigidBody *body = rigid_set_get_body (world->set, i);
    const RigidMotion *motion = &world->motions[i];
    const KgVector arm = kg_rotation_apply (motion->turn, body->origin), omega = rigid_body_get_omega (body, motion);

    kg_floats_set_vector (p, i, kg_vector_add (motion->place, arm));
    kg_floats_set_vector (v, i, kg_vector_add (motion->velocity, kg_vector_cross (omega, arm)));
    kg_floats_set_vector (w, i, omega);
    kg_floats_set_rotation (orient, i, motion->turn);
    mass[i] = (float) body->mass;
    id[i] = (int32_t) i;
    asleep[i] = motion->asleep;
  }
  return g_steal_pointer (&points);
}

/* How a moves against b now, where they touch: what it slides, and how fast it spins about the normal. */
static KgVector
get_sliding (const RigidWorld *world, const RigidContact *contact, double *spinning)
{
  KgVector u = { 0, 0, 0 };

  *spinning = 0;
  for (int side = 0; side < 2; side++) {
    const uint32_t body = side == 0 ? contact->a : contact->b;
    const RigidMotion *motion = &world->motions[body];
    KgVector omega;

    if (body == world->n || rigid_set_get_body (world->set, body)->kind == RIGID_FIXED)
      continue;
    omega = rigid_body_get_omega (rigid_set_get_body (world->set, body), motion);
    *spinning += (side == 0 ? 1 : -1) * kg_vector_dot (omega, contact->normal);
    u = kg_vector_add_scaled (
        u, side == 0 ? 1 : -1,
        kg_vector_add (motion->velocity, kg_vector_cross (omega, kg_vector_subtract (contact->place, motion->place))));
  }
  return kg_vector_add_scaled (u, -kg_vector_dot (u, contact->normal), contact->normal);
}

KgGeometry *
rigid_state_new_contacts (const RigidWorld *world, GError **error)
{
  const guint n = world->log->len;
  g_autoptr (KgGeometry) points = kg_geometry_new ();
  float *p, *normal, *impulse, *friction, *speed, *slide, *spin, *depth;
  int32_t *a, *b, *kind;

  if (!kg_geometry_set_n_points (points, n, error))
    return NULL;
  p = kg_geometry_edit_positions (points);
  normal = kg_geometry_edit_float (points, KG_POINTS, "N", 3);
  impulse = kg_geometry_edit_float (points, KG_POINTS, "impulse", 1);
  friction = kg_geometry_edit_float (points, KG_POINTS, "friction_impulse", 3);
  speed = kg_geometry_edit_float (points, KG_POINTS, "speed", 1);
  slide = kg_geometry_edit_float (points, KG_POINTS, "slide", 3);
  spin = kg_geometry_edit_float (points, KG_POINTS, "spinning", 1);
  depth = kg_geometry_edit_float (points, KG_POINTS, "depth", 1);
  kind = kg_geometry_edit_int (points, KG_POINTS, "kind", 1);
  a = kg_geometry_edit_int (points, KG_POINTS, "a", 1);
  b = kg_geometry_edit_int (points, KG_POINTS, "b", 1);
  for (guint k = 0; k < n; k++) {
    const RigidContact *contact = &g_array_index (world->log, RigidContact, k);
    double spinning;

    kg_floats_set_vector (p, k, contact->place);
    kg_floats_set_vector (normal, k, contact->normal);
    impulse[k] = (float) contact->total;
    kg_floats_set_vector (friction, k, contact->rubbed);
    kg_floats_set_vector (slide, k, get_sliding (world, contact, &spinning));
    spin[k] = (float) spinning;
    kind[k] = contact->kind;
    speed[k] = (float) contact->approach;
    depth[k] = (float) contact->depth;
    a[k] = (int32_t) contact->a;
    b[k] = contact->b == world->n ? -1 : (int32_t) contact->b;
  }
  return g_steal_pointer (&points);
}

KgGeometry *
rigid_state_new_joints (const RigidWorld *world, GError **error)
{
  g_autoptr (KgGeometry) lines = kg_geometry_new ();
  g_autoptr (GArray) vertices = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  guint n = 0;
  float *p, *load, *residual;
  int32_t *kind;

  for (guint k = 0; k < world->joints->len; k++)
    n += !g_array_index (world->joints, RigidJoint, k).broken;
  if (!kg_geometry_set_n_points (lines, 2 * (size_t) n, error))
    return NULL;
  for (uint32_t i = 0; i < 2 * n; i++)
    g_array_append_val (vertices, i);
  kg_geometry_add_primitives (lines, KG_POLYLINE, false, n, 2, (const uint32_t *) (const void *) vertices->data);
  p = kg_geometry_edit_positions (lines);
  load = kg_geometry_edit_float (lines, KG_PRIMITIVES, "load", 1);
  residual = kg_geometry_edit_float (lines, KG_PRIMITIVES, "residual", 1);
  kind = kg_geometry_edit_int (lines, KG_PRIMITIVES, "kind", 1);
  for (guint k = 0, at = 0; k < world->joints->len; k++) {
    const RigidJoint *joint = &g_array_index (world->joints, RigidJoint, k);

    if (joint->broken)
      continue;
    for (int side = 0; side < 2; side++) {
      const RigidMotion *motion = &world->motions[side == 0 ? joint->a : joint->b];
      const KgVector pin = side == 0 ? joint->pin_a : joint->pin_b;

      kg_floats_set_vector (p, 2 * (size_t) at + (size_t) side,
                            kg_vector_add (motion->place, kg_rotation_apply (motion->turn, pin)));
    }
    load[at] = (float) joint->load;
    residual[at] = (float) joint->gap;
    kind[at++] = (int32_t) joint->kind;
  }
  return g_steal_pointer (&lines);
}
