/* soft_bodies: rigid motion of soft objects that press against each other and against a floor.
 *
 * A body is a soft object that moves as a whole; its shape yields for the looks only.  Where two overlap, each part dA of the
 * contact surface pushes with the pressure p = max (κ g + λ v, 0), g being the compression and v the speed at which they
 * close in on each other, and with friction up to μ p.  Steps are drift, kick, drift, of second order; they are short enough for
 * h² κ ∫ k dA < m/2.  Units: metres, kilograms, seconds; κ in Pa per unit of the field.
 * Source: Gascuel, Verroust and Puech, A Modeling System for Complex Deformable Bodies Suited to Animation and Collision
 * Processing, 1991; Gascuel 1993.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"
#include "sim/rigid_body.h"
#include "soft/soft_keys.h"

G_BEGIN_DECLS

/* Most bodies. */
#define SOFT_BODIES_MAX 64
/* Doubles of a body in the memory of a state. */
#define SOFT_BODIES_MEMORY 13

typedef struct {
  int32_t id; /* of the attribute body */
  SoftKeys *keys;
  KgGeometry *geometry; /* the keys at rest */
  RigidBody rigid;
  GArray *samples; /* KgVector: of the surface at rest */
  double cell;     /* between these, about */
} SoftBody;

typedef struct {
  GPtrArray *bodies; /* SoftBody */
  double level;
} SoftBodies;

typedef struct {
  double density;    /* kg/m³ */
  double cell;       /* in which bodies are measured; 0: 16 in the longest side of a body */
  KgVector velocity; /* of all */
} SoftBodiesOptions;

typedef struct {
  double stiffness, damping, friction; /* κ, λ (Pa s/m), μ */
  KgVector gravity;
  const KgField *force; /* (nullable) acceleration */
  bool ground;
  double ground_height;
  guint substeps;
} SoftBodiesSettings;

typedef struct {
  guint n_contacts;
  guint n_steps; /* in all; more than the substeps where contacts are too stiff for these */
} SoftBodiesReport;

/* Keys with the same integer attribute body (or part, else all) are one body; its first key may have v.
 * KG_ERROR_INVALID_VALUE (a body without a surface), KG_ERROR_LIMIT, KG_ERROR_CANCELLED.  (transfer full) (nullable) */
SoftBodies *soft_bodies_new (const KgGeometry *keys, const SoftOptions *soft, const SoftBodiesOptions *options,
                             const KgProgressMonitor *monitor, GError **error);
void soft_bodies_free (SoftBodies *bodies);
size_t soft_bodies_get_bytes (const SoftBodies *bodies);

/* motions: one for each body; samples: (nullable) (out) the last contacts, appended (SoftBodiesContact).  False: cancelled. */
bool soft_bodies_advance (const SoftBodies *bodies, RigidMotion *motions, const SoftBodiesSettings *settings,
                          double time, double dt, SoftBodiesReport *report, const KgProgressMonitor *monitor);

/* A part of a contact surface, and the pressure on it (Pa). */
typedef struct {
  int32_t a, b; /* indices of bodies; -1: the ground */
  KgVector p, normal;
  double area, pressure;
} SoftBodiesContact;

/* The forces at one moment: on each body force and torque about its centre, (out) nullable; contacts: (out) appended, nullable.
 * Returns how many pairs touch. */
guint soft_bodies_get_forces (const SoftBodies *bodies, const RigidMotion *motions, const SoftBodiesSettings *settings,
                              KgVector *forces, KgVector *torques, GArray *contacts);

/* Where a body has gone since it was at rest. */
KgTransform soft_body_get_transform (const SoftBody *body, const RigidMotion *motion);

static inline const SoftBody *
soft_bodies_get (const SoftBodies *bodies, guint i)
{
  return (const SoftBody *) g_ptr_array_index (bodies->bodies, i);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SoftBodies, soft_bodies_free)

G_END_DECLS
