/* field/vortex: turns things about an axis.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgVector center;
  KgVector axis;
  int kind;
  int profile;
  double strength;
  double pull;
  double up;
  double radius;
  double height;
  double hold;
  KgField *field;
  KgField *air;
} Vortex;

enum { VORTEX_PUSH, VORTEX_FLOW, N_VORTEX_KINDS, VORTEX_AIR = N_VORTEX_KINDS };
enum { VORTEX_GAUSS, VORTEX_RANKINE, VORTEX_LAMB_OSEEN, VORTEX_INVERSE, N_VORTEX_PROFILES };
enum {
  P_X,
  P_Y,
  P_Z,
  P_AXIS_X,
  P_AXIS_Y,
  P_AXIS_Z,
  P_KIND,
  P_PROFILE,
  P_STRENGTH,
  P_PULL,
  P_UP,
  P_RADIUS,
  P_HEIGHT,
  P_HOLD,
  N_PARAMETERS
};

/* An inverse profile turns like a solid within this share of the radius, so that it is finite. */
#define CORE 1e-3f

static const KgChoice vortex_kinds[] = {
  [VORTEX_PUSH] = { "push", N_ ("Accelerates things") },
  [VORTEX_FLOW] = { "flow", N_ ("Air that takes things along") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (vortex_kinds, N_VORTEX_KINDS);

static const KgChoice vortex_profiles[] = {
  [VORTEX_GAUSS] = { "gauss", N_ ("Fades as a Gaussian") },
  [VORTEX_RANKINE] = { "rankine", N_ ("Solid core, inverse outside (Rankine)") },
  [VORTEX_LAMB_OSEEN] = { "lamb-oseen", N_ ("Smooth core, inverse outside (Lamb and Oseen)") },
  [VORTEX_INVERSE] = { "inverse", N_ ("Inverse of the distance") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (vortex_profiles, N_VORTEX_PROFILES);

/* What turns and draws in, for each metre from the axis, 1 in the core; and what rises.  q: the square of the distance from
 * the axis in radii. */
static inline float
get_shape (int profile, float q, float *rise)
{
  *rise = expf (-q);
  switch (profile) {
  case VORTEX_RANKINE:
    *rise = q <= 1 ? 1 : 0;
    return q <= 1 ? 1 : 1 / q;
  case VORTEX_LAMB_OSEEN:
    return q > 1e-6f ? -expm1f (-q) / q : 1;
  case VORTEX_INVERSE:
    return 1 / fmaxf (q, CORE * CORE);
  default:
    return *rise;
  }
}

/* 1 along the axis, and 0 beyond its ends, which are as soft as the vortex is wide. */
static inline float
get_share (float along, float half, float radius)
{
  const float soft = fminf (radius, half), t = (half - fabsf (along)) / soft;

  return t >= 1 ? 1 : t <= 0 ? 0 : t * t * (3 - 2 * t);
}

/* Along axis × r, inwards and along the axis; of air that flows, a = hold (u - v). */
static void
vortex_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const double *p = kg_field_get_parameters (field);
  const float cx = (float) p[P_X], cy = (float) p[P_Y], cz = (float) p[P_Z];
  const float ax = (float) p[P_AXIS_X], ay = (float) p[P_AXIS_Y], az = (float) p[P_AXIS_Z];
  const float strength = (float) p[P_STRENGTH], pull = (float) p[P_PULL], up = (float) p[P_UP];
  const float radius = (float) p[P_RADIUS], scale = (float) (1 / (p[P_RADIUS] * p[P_RADIUS]));
  const float half = (float) (0.5 * p[P_HEIGHT]), hold = (float) p[P_HOLD];
  const int kind = (int) p[P_KIND], profile = (int) p[P_PROFILE];
  const bool moving = kind == VORTEX_FLOW && block->vx != NULL;

  for (size_t i = 0; i < block->n; i++) {
    const float x = block->x[i] - cx, y = block->y[i] - cy, z = block->z[i] - cz;
    const float along = x * ax + y * ay + z * az;
    const float rx = x - along * ax, ry = y - along * ay, rz = z - along * az;
    float rise, share = half > 0 ? get_share (along, half, radius) : 1;
    const float shape = get_shape (profile, scale * (rx * rx + ry * ry + rz * rz), &rise);

    rise *= up;
    out[0][i] = shape * (strength * (ay * rz - az * ry) - pull * rx) + rise * ax;
    out[1][i] = shape * (strength * (az * rx - ax * rz) - pull * ry) + rise * ay;
    out[2][i] = shape * (strength * (ax * ry - ay * rx) - pull * rz) + rise * az;
    if (kind == VORTEX_FLOW)
      share *= hold;
    out[0][i] = share * (out[0][i] - (moving ? block->vx[i] : 0));
    out[1][i] = share * (out[1][i] - (moving ? block->vy[i] : 0));
    out[2][i] = share * (out[2][i] - (moving ? block->vz[i] : 0));
  }
}

static double
vortex_get_hold (const KgField *field)
{
  const double *p = kg_field_get_parameters (field);

  return p[P_KIND] == VORTEX_FLOW ? p[P_HOLD] : 0;
}

static const KgFieldClass vortex_class = {
  .name = "vortex", .width = 3, .sample = vortex_sample, .get_hold = vortex_get_hold
};

static bool
vortex_evaluate (Vortex *n, const KgContext *ctx, GError **error)
{
  const KgVector axis = kg_vector_normalize_or (n->axis, kg_vector (0, 1, 0));
  double parameters[N_PARAMETERS] = { n->center.x, n->center.y, n->center.z, axis.x, axis.y,    axis.z,    n->kind,
                                      n->profile,  n->strength, n->pull,     n->up,  n->radius, n->height, n->hold };

  if (!(kg_vector_length (n->axis) > 1e-300))
    kg_context_warn (ctx, "the axis is 0 0 0: the vortex stands upright; set an axis");
  n->field = kg_field_new (&vortex_class, parameters, N_PARAMETERS, NULL, 0, error);
  if (n->kind == VORTEX_FLOW)
    parameters[P_KIND] = VORTEX_AIR;
  n->air = n->field != NULL ? kg_field_new (&vortex_class, parameters, N_PARAMETERS, NULL, 0, error) : NULL;
  return n->air != NULL;
}

static const KgSlot vortex_slots[] = {
  KG_INPUT (Vortex, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES,
            .help = N_ ("A point on the axis; if the axis has a height, its middle.")),
  KG_INPUT (Vortex, axis, VECTOR, .label = N_ ("Axis"), .def_v = { 0, 1, 0 }, .help = N_ ("Direction of the axis.")),
  KG_INPUT (Vortex, kind, CHOICE, .label = N_ ("Kind"), .choices = vortex_kinds,
            .help = N_ ("Whether the numbers below are accelerations, or velocities of air that takes things along: "
                        "dust at once, stones hardly, and nothing is flung out.")),
  KG_INPUT (Vortex, profile, CHOICE, .label = N_ ("Profile"), .choices = vortex_profiles,
            .help = N_ ("How the rotation changes with the distance from the axis. Within the core, all profiles "
                        "rotate like a solid; the inverse one has a core of a thousandth of the radius.")),
  KG_INPUT (
      Vortex, strength, NUMBER, .label = N_ ("Strength"), .def = 4, .soft_min = -20, .soft_max = 20,
      .help = N_ ("Sideways acceleration, or velocity of the air, per metre of distance from the axis in the core; "
                  "negative values rotate the other way. The circulation of an inverse profile is 2 π radius² times "
                  "that.")),
  KG_INPUT (Vortex, pull, NUMBER, .label = N_ ("Pull"), .def = 2, .soft_min = -20, .soft_max = 20,
            .help = N_ ("The same towards the axis, which keeps things circling.")),
  KG_INPUT (Vortex, up, NUMBER, .label = N_ ("Up"), .soft_min = -20, .soft_max = 20,
            .help = N_ ("Acceleration, or velocity of the air, along the axis, in the core.")),
  KG_INPUT (Vortex, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 3, .min = 1e-3, .max = 1e6,
            .soft_max = 20,
            .help = N_ ("Radius of the core: distance from the axis at which a Gaussian has faded to about a third.")),
  KG_INPUT (Vortex, height, NUMBER, .label = N_ ("Height"), .unit = KG_METRES, .min = 0, .max = 1e6, .soft_max = 20,
            .help = N_ ("Length of the axis, at whose ends the vortex fades out; 0 is without end.")),
  KG_INPUT (Vortex, hold, NUMBER, .label = N_ ("Hold"), .shown_when = "kind=flow", .def = 4, .min = 0, .max = 1000,
            .soft_max = 20,
            .help = N_ ("How strongly the air takes things along: small for stones, large for leaves and smoke.")),
  KG_OUTPUT (Vortex, field, FIELD, .label = N_ ("Field"), .help = N_ ("Field for the forces of a simulation.")),
  KG_OUTPUT (Vortex, air, FIELD, .label = N_ ("Air"),
             .help = N_ ("The velocity of the air itself, or the acceleration, as a field to be drawn or added.")),
};

KG_NODE (field, vortex, Vortex, .label = N_ ("Vortex"), .version = 1, .since = "0.1",
         .tags = N_ ("force swirl tornado whirl spin"),
         .formula = "gauss: s r exp(−r²/R²);  rankine: s r, r ≤ R; s R²/r;  lamb-oseen: s R²/r (1 − exp(−r²/R²));  "
                    "inverse: s R²/r;  flow: a = hold (u − v)",
         .source = "Parent, Computer Animation, 4.5; Sims 1990; Saffman, Vortex Dynamics, 1992, 13.1",
         .help = N_ ("Makes things whirl about an axis, like leaves in a corner of a yard, or lifts them like a "
                     "tornado."));
