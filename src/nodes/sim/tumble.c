/* sim/tumble: a rigid body that turns freely in flight.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/mass_properties.h"
#include "kg-node.h"
#include "motion/tumble.h"

typedef struct {
  KgGeometry *body;
  KgVector moments;
  KgVector spin;
  KgRotation orientation;
  KgVector position;
  KgVector torque;
  int method;
  int64_t substeps;
  /* The rotation of the principal axes, the angular momentum and the moments; closed form: at the start. */
  KgRotation turned;
  KgVector momentum;
  KgVector moments_before;
  KgTransform transform;
  KgRotation rotation;
  KgVector angular_velocity;
  KgVector body_velocity;
  KgVector angular_momentum;
  double energy;
  KgVector principal_moments;
  KgGeometry *geometry;
} TumbleNode;

enum { METHOD_ELLIPTIC, METHOD_MIDPOINT, METHOD_RK4, N_METHODS };

static const KgChoice tumble_methods[] = {
  [METHOD_ELLIPTIC] = { "elliptic", N_ ("Closed form: elliptic functions") },
  [METHOD_MIDPOINT] = { "midpoint", N_ ("Midpoint steps") },
  [METHOD_RK4] = { "rk4", N_ ("Runge-Kutta steps") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (tumble_methods, N_METHODS);

/* What turns: a geometry with its principal axes, or moments about the axes of the world. */
typedef struct {
  KgVector moments, center;
  KgRotation axes; /* from the principal axes to the geometry */
} TumbleBody;

static bool
tumble_get_body (const TumbleNode *n, const KgContext *ctx, TumbleBody *body, GError **error)
{
  const MassFilling filling = { .model = MASS_AUTO, .density = 1000, .thickness = 0.01 };
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  GError *warning = NULL;
  MassProperties properties;
  MassExtent extent;
  KgVector axes[3];
  double values[3];
  bool impossible, done;

  *body = (TumbleBody){ .moments = n->moments, .axes = kg_rotation_identity () };
  if (n->body != NULL && kg_geometry_get_n_points (n->body) > 0) {
    done = mass_properties_measure (n->body, &filling, &monitor, &properties, &extent, &warning, error);
    kg_context_take_warning (ctx, warning);
    if (!done)
      return false;
    symmetric_matrix_decompose (properties.inertia, values, axes);
    body->moments = kg_vector (values[0], values[1], values[2]);
    body->axes = symmetric_matrix_get_rotation (axes);
    body->center = properties.center;
  }
  if (!tumble_check (body->moments, &impossible, error))
    return false;
  if (impossible)
    kg_context_warn (
        ctx,
        "one of the moments (%g, %g, %g) is greater than the sum of the others, which no body can have: correct them",
        body->moments.x, body->moments.y, body->moments.z);
  return true;
}

static bool
tumble_start (TumbleNode *n, const KgContext *ctx, GError **error)
{
  TumbleBody body;

  if (!tumble_get_body (n, ctx, &body, error))
    return false;
  n->turned = kg_rotation_multiply (n->orientation, body.axes);
  n->momentum = tumble_get_momentum (body.moments, n->turned, n->spin);
  n->moments_before = body.moments;
  return true;
}

static bool
tumble_advance (TumbleNode *n, const KgContext *ctx, double dt, GError **error)
{
  Tumble tumble = { n->moments_before, n->turned, n->momentum };
  const KgVector before = n->moments_before;
  TumbleBody body;

  if (!tumble_get_body (n, ctx, &body, error))
    return false;
  if (n->method == METHOD_ELLIPTIC) {
    if (kg_vector_length (n->torque) == 0 &&
        kg_vector_distance (body.moments, n->moments_before) <= 1e-6 * kg_vector_length (body.moments))
      return true;
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the closed form supports neither a torque nor a body that changes: choose a method with steps");
    return false;
  }
  for (int64_t i = 0; i < n->substeps; i++) {
    if (i % 1024 == 1023 && kg_context_is_cancelled (ctx))
      return false;
    tumble_step (&tumble, n->method == METHOD_RK4 ? TUMBLE_RK4 : TUMBLE_MIDPOINT, dt / (double) n->substeps,
                 kg_vector_lerp (before, body.moments, (double) (i + 1) / (double) n->substeps), n->torque);
  }
  if (!kg_vector_is_finite (tumble.momentum) || !isfinite (tumble.rotation.w)) {
    kg_set_error (error, KG_ERROR_DIVERGED,
                  "the angular velocity grows beyond all bounds at frame %g: use a smaller torque", ctx->frame);
    return false;
  }
  n->turned = tumble.rotation;
  n->momentum = tumble.momentum;
  n->moments_before = body.moments;
  return true;
}

static bool
tumble_evaluate (TumbleNode *n, const KgContext *ctx, GError **error)
{
  Tumble tumble = { n->moments_before, n->turned, n->momentum };
  TumbleBody body;
  KgTransform back;

  if (!tumble_get_body (n, ctx, &body, error))
    return false;
  if (n->method == METHOD_ELLIPTIC)
    tumble = tumble_get_free (&tumble, ctx->time);
  n->rotation = kg_rotation_multiply (tumble.rotation, kg_rotation_conjugate (body.axes));
  back = kg_transform_from_parts (kg_vector_scale (body.center, -1), kg_rotation_identity (), kg_vector (1, 1, 1));
  n->transform = kg_transform_multiply (kg_transform_from_parts (n->position, n->rotation, kg_vector (1, 1, 1)), back);
  n->angular_velocity = tumble_get_omega (&tumble);
  n->body_velocity = kg_rotation_apply (kg_rotation_conjugate (tumble.rotation), n->angular_velocity);
  n->angular_momentum = tumble.momentum;
  n->energy = tumble_get_energy (&tumble);
  n->principal_moments = tumble.moments;
  if (n->body != NULL) {
    kg_geometry_make_writable (&n->body);
    kg_geometry_transform (n->body, &n->transform);
    n->geometry = g_steal_pointer (&n->body);
  }
  return true;
}

static const KgSlot tumble_slots[] = {
  KG_INPUT (TumbleNode, body, GEOMETRY, .label = N_ ("Body"), .optional = true,
            .help = N_ (
                "Geometry of the body: its mass is spread evenly inside it, or over its surface if it is open. Without "
                "geometry, the moments are used.")),
  KG_INPUT (TumbleNode, moments, VECTOR, .label = N_ ("Moments"), .def_v = { 1, 2, 3 }, .soft_min = 0.1, .soft_max = 10,
            .handle = { KG_HANDLE_NONE },
            .help = N_ ("Moments of inertia about x, y and z in kg m², where no body is linked. With steps they may "
                        "change: arms that are drawn in make a skater spin faster.")),
  KG_INPUT (TumbleNode, spin, VECTOR, .label = N_ ("Spin"), .unit = KG_DEGREES, .def_v = { 5, 360, 0 },
            .soft_min = -720, .soft_max = 720, .fixed = true, .handle = { KG_HANDLE_NONE },
            .help = N_ ("Angular velocity at the first frame, in degrees per second about x, y and z of the world.")),
  KG_INPUT (TumbleNode, orientation, ROTATION, .label = N_ ("Orientation"), .def_v = { 1, 0, 0, 0 }, .fixed = true,
            .handle = { KG_HANDLE_NONE }, .help = N_ ("Rotation of the body at the first frame.")),
  KG_INPUT (TumbleNode, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES,
            .help = N_ ("Position of its centre of mass: link the place of a Law of Motion to throw it.")),
  KG_INPUT (TumbleNode, torque, VECTOR, .label = N_ ("Torque"), .soft_min = -10, .soft_max = 10,
            .handle = { KG_HANDLE_NONE }, .shown_when = "method=midpoint|rk4",
            .help = N_ ("In N m, about x, y and z of the world.")),
  KG_INPUT (TumbleNode, method, CHOICE, .label = N_ ("Method"), .choices = tumble_methods, .fixed = true,
            .group = N_ ("Solver"),
            .help = N_ ("The closed form is exact at any time; steps also support torques and bodies that change.")),
  KG_INPUT (TumbleNode, substeps, INTEGER, .label = N_ ("Substeps"), .def = 4, .min = 1, .max = 100000, .soft_max = 100,
            .shown_when = "method=midpoint|rk4", .group = N_ ("Solver"),
            .help = N_ ("Number of equal steps in each frame.")),
  KG_STATE (TumbleNode, turned, ROTATION),
  KG_STATE (TumbleNode, momentum, VECTOR),
  KG_STATE (TumbleNode, moments_before, VECTOR),
  KG_OUTPUT (TumbleNode, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("Places the body: its rotation about its centre of mass, and its position.")),
  KG_OUTPUT (TumbleNode, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("Rotation of the body alone.")),
  KG_OUTPUT (TumbleNode, angular_velocity, VECTOR, .label = N_ ("Angular velocity"), .unit = KG_DEGREES,
             .help = N_ ("In degrees per second, about x, y and z of the world.")),
  KG_OUTPUT (TumbleNode, body_velocity, VECTOR, .label = N_ ("In the body"), .unit = KG_DEGREES,
             .help = N_ ("The same about the principal axes of the body, in the order of the moments.")),
  KG_OUTPUT (TumbleNode, angular_momentum, VECTOR, .label = N_ ("Angular momentum"),
             .help = N_ ("In kg m²/s: constant without a torque.")),
  KG_OUTPUT (TumbleNode, energy, NUMBER, .label = N_ ("Energy"),
             .help = N_ ("Kinetic energy of the rotation, in joules.")),
  KG_OUTPUT (TumbleNode, principal_moments, VECTOR, .label = N_ ("Principal moments"),
             .help = N_ ("The current moments of inertia, in kg m².")),
  KG_OUTPUT (TumbleNode, geometry, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The body at its current position.")),
};

KG_SIMULATION (
    sim, tumble, TumbleNode, .label = N_ ("Tumble"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("spin rotate free flight rigid body euler equations tennis racket gyroscope top precession inertia"),
    .formula = "I₁ω₁′ = (I₂ − I₃) ω₂ω₃ and cyclic; ω₁ = A₁ cn(pt), ω₂ = A₂ sn(pt), ω₃ = A₃ dn(pt)\n"
               "about the momentum: φ′ = L (I₁ω₁² + I₂ω₂²)/(I₁²ω₁² + I₂²ω₂²), an integral of the third kind\n"
               "steps: L′ = torque, ω = I⁻¹L, q′ = ½ ω q",
    .source = "Landau and Lifshitz, Mechanics, 36 and 37; Parent, Computer Animation, 4.4",
    .help = N_ (
        "Rotates a body as in free flight: steadily about its longest and shortest axes, and flipping over repeatedly "
        "about the intermediate one, like a tennis racket. A torque drives it, and changing moments speed it up or "
        "slow it down."));
