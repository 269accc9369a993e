/* geometry/momentum: momentum, energy, forces and torques of moving points.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/momentum.h"
#include "kg-node.h"

/* Points are stored as float32. */
#define MOMENTUM_BALANCE 1e-6

typedef struct {
  const KgGeometry *geometry;
  int about;
  KgVector point;
  KgVector gravity;
  bool weigh;
  bool springs;
  double mass;
  KgVector center;
  KgVector velocity;
  KgVector momentum;
  KgVector angular;
  double kinetic;
  double potential;
  double energy;
  KgVector force;
  KgVector torque;
  bool balanced;
} Momentum;

enum { ABOUT_ORIGIN, ABOUT_CENTER, ABOUT_POINT, N_ABOUTS };

static const KgChoice momentum_abouts[] = {
  [ABOUT_ORIGIN] = { "origin", N_ ("Origin") },
  [ABOUT_CENTER] = { "center", N_ ("Centre of mass") },
  [ABOUT_POINT] = { "point", N_ ("Point") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (momentum_abouts, N_ABOUTS);

static bool
momentum_evaluate (Momentum *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const KgVector about = n->about == ABOUT_POINT ? n->point : kg_vector (0, 0, 0);
  MomentumSums sums;
  double stored = 0;

  if (!momentum_measure (n->geometry, about, n->gravity, n->weigh, &monitor, &sums, error))
    return false;
  if (n->about == ABOUT_CENTER &&
      !momentum_measure (n->geometry, sums.center, n->gravity, n->weigh, &monitor, &sums, error))
    return false;
  if (n->springs && !momentum_get_spring_energy (n->geometry, &monitor, &stored))
    return false;
  if (n->springs && kg_geometry_get_float (n->geometry, KG_PRIMITIVES, "stiffness", 1) == NULL)
    kg_context_warn (ctx, "no line has an attribute stiffness (N/m): springs store no energy");
  if (!(sums.mass > 0))
    kg_context_warn (ctx, "the total mass is 0: give the points an attribute mass above 0");
  n->mass = sums.mass;
  n->center = sums.center;
  n->velocity = sums.velocity;
  n->momentum = sums.momentum;
  n->angular = sums.angular;
  n->kinetic = sums.kinetic;
  n->potential = sums.potential + stored;
  n->energy = n->kinetic + n->potential;
  n->force = sums.force;
  n->torque = sums.torque;
  n->balanced = momentum_is_balanced (&sums, MOMENTUM_BALANCE);
  return true;
}

static const KgSlot momentum_slots[] = {
  KG_INPUT (
      Momentum, geometry, GEOMETRY, .label = N_ ("Geometry"),
      .help = N_ (
          "Points with the attributes mass (kg; without it 1 each), v (m/s), force (N), and, for bodies, spin (radians per second) and inertia (9 numbers).")),
  KG_INPUT (
      Momentum, about, CHOICE, .label = N_ ("About"), .choices = momentum_abouts,
      .help = N_ ("The point about which angular momentum and torque are measured, and where potential energy is 0.")),
  KG_INPUT (Momentum, point, VECTOR, .label = N_ ("Point"), .unit = KG_METRES, .shown_when = "about=point",
            .help = N_ ("Point about which angular momentum and torque are measured.")),
  KG_INPUT (Momentum, gravity, VECTOR, .label = N_ ("Gravity"), .unit = KG_METRES_PER_SECOND2, .def_v = { 0, -9.81, 0 },
            .help = N_ ("For the potential energy.")),
  KG_INPUT (Momentum, weigh, BOOLEAN, .label = N_ ("Add weight"),
            .help = N_ ("Includes the weight of the points in the forces.")),
  KG_INPUT (
      Momentum, springs, BOOLEAN, .label = N_ ("Springs"),
      .help = N_ (
          "Adds the energy that lines store as springs to the potential energy: their primitives have the attributes stiffness (N/m) and length (m, at rest), for each segment.")),
  KG_OUTPUT (Momentum, mass, NUMBER, .label = N_ ("Mass"), .unit = KG_KILOGRAMS, .help = N_ ("Mass of all points.")),
  KG_OUTPUT (Momentum, center, VECTOR, .label = N_ ("Centre of mass"), .unit = KG_METRES,
             .help = N_ ("The mean position, weighted by mass.")),
  KG_OUTPUT (Momentum, velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND,
             .help = N_ ("Velocity of the centre of mass.")),
  KG_OUTPUT (Momentum, momentum, VECTOR, .label = N_ ("Momentum"),
             .help = N_ ("Sum of mass times velocity; only external forces change it.")),
  KG_OUTPUT (Momentum, angular, VECTOR, .label = N_ ("Angular momentum"),
             .help = N_ ("Sum of r × m v, and of the spin of bodies; only external torques change it.")),
  KG_OUTPUT (Momentum, kinetic, NUMBER, .label = N_ ("Kinetic energy"), .help = N_ ("In joules.")),
  KG_OUTPUT (Momentum, potential, NUMBER, .label = N_ ("Potential energy"),
             .help = N_ ("In joules: the energy that falling to the height of the point would release.")),
  KG_OUTPUT (Momentum, energy, NUMBER, .label = N_ ("Energy"),
             .help = N_ ("Kinetic and potential energy together; constant if no energy is lost.")),
  KG_OUTPUT (Momentum, force, VECTOR, .label = N_ ("Force"), .help = N_ ("Sum of all forces, in newtons.")),
  KG_OUTPUT (Momentum, torque, VECTOR, .label = N_ ("Torque"), .help = N_ ("Sum of r × force, in newton metres.")),
  KG_OUTPUT (Momentum, balanced, BOOLEAN, .label = N_ ("Balanced"),
             .help = N_ ("Whether forces and torques cancel, so that an object at rest stays at rest.")),
};

KG_NODE (
    geometry, momentum, Momentum, .label = N_ ("Momentum"), .version = 1, .since = "0.1",
    .tags = N_ ("momentum angular energy kinetic potential torque force balance equilibrium conservation centre mass"),
    .formula = "p = Σ m v\nL = Σ (r − Q) × m v + Σ I ω\nτ = Σ (r − Q) × F\nE = Σ ½ m v² + Σ ½ ω·I ω − Σ m g·(r − Q)",
    .source = "Parent, Computer Animation, B.6",
    .help = N_ (
        "Computes the momentum, angular momentum and energy of moving points, and the forces and torques on them. Plot the results to see whether a simulation conserves what nature conserves."));
