/* field/rotating_frame: the accelerations that seem to act in a frame that turns or is pushed.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/vectors.h"
#include "kg-node.h"

typedef struct {
  KgVector center;
  KgVector axis;
  double angular_speed;
  double angular_acceleration;
  KgVector acceleration;
  bool centrifugal;
  bool coriolis;
  bool euler;
  KgField *field;
} RotatingFrame;

enum {
  P_CENTER,
  P_OMEGA = P_CENTER + 3,
  P_ALPHA = P_OMEGA + 3,
  P_PUSH = P_ALPHA + 3,
  P_CENTRIFUGAL = P_PUSH + 3,
  P_CORIOLIS,
  N_PARAMETERS
};

static KgVector
rotating_frame_read (const double *p)
{
  return kg_vector (p[0], p[1], p[2]);
}

/* -a₀ - α × r - ω × (ω × r) - 2 ω × v; ω and α are 0 where a term is left out. */
static void
rotating_frame_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const double *p = kg_field_get_parameters (field);
  const KgVector center = rotating_frame_read (p + P_CENTER), omega = rotating_frame_read (p + P_OMEGA);
  const KgVector alpha = rotating_frame_read (p + P_ALPHA), push = rotating_frame_read (p + P_PUSH);
  const KgVector coriolis = kg_vector_scale (omega, 2 * p[P_CORIOLIS]);
  const KgVector centrifugal = kg_vector_scale (omega, p[P_CENTRIFUGAL]);

  for (size_t i = 0; i < block->n; i++) {
    const KgVector r =
        kg_vector_subtract (kg_vector ((double) block->x[i], (double) block->y[i], (double) block->z[i]), center);
    KgVector a = kg_vector_add (push, kg_vector_cross (alpha, r));

    a = kg_vector_add (a, kg_vector_cross (centrifugal, kg_vector_cross (omega, r)));
    if (block->vx != NULL)
      a = kg_vector_add (a, kg_vector_cross (coriolis, kg_vector ((double) block->vx[i], (double) block->vy[i],
                                                                  (double) block->vz[i])));
    out[0][i] = (float) -a.x;
    out[1][i] = (float) -a.y;
    out[2][i] = (float) -a.z;
  }
}

static const KgFieldClass rotating_frame_class = { "rotating frame", 3, rotating_frame_sample };

static bool
rotating_frame_evaluate (RotatingFrame *n, const KgContext *ctx, GError **error)
{
  KgVector axis, omega, alpha;

  (void) ctx;
  if (!vectors_normalize (n->axis, &axis)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the axis is zero: give it a direction");
    return false;
  }
  omega = kg_vector_scale (axis, n->angular_speed);
  alpha = kg_vector_scale (axis, n->euler ? n->angular_acceleration : 0);
  {
    const double parameters[N_PARAMETERS] = { n->center.x,    n->center.y,       n->center.z,       omega.x,
                                              omega.y,        omega.z,           alpha.x,           alpha.y,
                                              alpha.z,        n->acceleration.x, n->acceleration.y, n->acceleration.z,
                                              n->centrifugal, n->coriolis };

    n->field = kg_field_new (&rotating_frame_class, parameters, N_PARAMETERS, NULL, 0, error);
  }
  return n->field != NULL;
}

static const KgSlot rotating_frame_slots[] = {
  KG_INPUT (RotatingFrame, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES,
            .help = N_ ("A point of the axis.")),
  KG_INPUT (RotatingFrame, axis, VECTOR, .label = N_ ("Axis"), .def_v = { 0, 1, 0 },
            .help = N_ ("Axis about which the frame rotates, by the right-hand rule.")),
  KG_INPUT (RotatingFrame, angular_speed, NUMBER, .label = N_ ("Angular speed"), .unit = KG_DEGREES, .def = 90,
            .soft_min = -720, .soft_max = 720, .help = N_ ("Degrees per second.")),
  KG_INPUT (RotatingFrame, angular_acceleration, NUMBER, .label = N_ ("Angular acceleration"), .unit = KG_DEGREES,
            .soft_min = -360, .soft_max = 360,
            .help = N_ ("How fast the angular speed changes, in degrees per second squared.")),
  KG_INPUT (RotatingFrame, acceleration, VECTOR, .label = N_ ("Acceleration"), .unit = KG_METRES_PER_SECOND2,
            .help = N_ ("How the frame itself is accelerated, as a lift or a braking car.")),
  KG_INPUT (RotatingFrame, centrifugal, BOOLEAN, .label = N_ ("Centrifugal"), .def = 1,
            .help = N_ ("Flings things outwards, away from the axis.")),
  KG_INPUT (RotatingFrame, coriolis, BOOLEAN, .label = N_ ("Coriolis"), .def = 1,
            .help = N_ ("Deflects moving things sideways.")),
  KG_INPUT (RotatingFrame, euler, BOOLEAN, .label = N_ ("Euler"), .def = 1,
            .help = N_ ("Pushes things backwards while the frame rotates faster and faster.")),
  KG_OUTPUT (RotatingFrame, field, FIELD, .label = N_ ("Field"), .help = N_ ("Field for the forces of a simulation.")),
};

KG_NODE (
    field, rotating_frame, RotatingFrame, .label = N_ ("Rotating Frame"), .version = 1, .since = "0.1",
    .tags = N_ ("force centrifugal coriolis euler inertia carousel apparent fictitious lift"),
    .formula = "a = −a₀ − α × r − ω × (ω × r) − 2 ω × v",
    .source = "Parent, Computer Animation, B.6; Landau and Lifshitz, Mechanics, § 39",
    .help = N_ (
        "Adds the forces that things feel on a carousel, in a lift or in a braking car: what is simulated there moves as seen by someone who rides along."));
