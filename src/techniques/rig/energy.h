/* energy: rigid things that are pulled together by energies, which are 0 where constraints are met.
 *
 * Every energy is a sum of squares of residuals, so that steps of Gauss and Newton solve it, and the flow dx/dt = -rate grad E
 * makes things chase what they are held to.  Rotations change by rotation vectors, which are scaled by the size of the thing:
 * a radian counts as the way its surface goes.  Gradients are analytic.
 * Sources: Witkin, Fleischer and Barr, Energy Constraints on Parameterized Models, 1987; Parent, Computer Animation, 4.5.3.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/triangle_mesh.h"
#include "kg-math.h"
#include "value/least_squares.h"

G_BEGIN_DECLS

/* What has an inside: I(x) < 0.  Distances are exact. */
typedef enum {
  ENERGY_MESH,
  ENERGY_BALL,
  ENERGY_BOX,
  ENERGY_CYLINDER,
  ENERGY_PLANE,
  ENERGY_N_SURFACES
} EnergySurfaceKind;

typedef struct {
  EnergySurfaceKind kind;
  KgVector center;
  KgVector size; /* box: half its sides; ball: x is the radius; cylinder along y: radius, half height; plane: normal */
  const TriangleMesh *mesh; /* (nullable) */
} EnergySurface;

/* I(x) and its gradient, of length 1. */
double energy_surface_get (const EnergySurface *surface, KgVector x, KgVector *gradient);

typedef enum {
  ENERGY_FIX,      /* a point to a place */
  ENERGY_JOIN,     /* two points */
  ENERGY_ABUT,     /* two points, with opposite normals */
  ENERGY_FLOAT,    /* a point on a surface */
  ENERGY_REST,     /* a point on a surface, with opposite normals */
  ENERGY_DISTANCE, /* two points at a distance */
  ENERGY_APART,    /* a point not inside */
  ENERGY_ABOVE,    /* a point not below a height */
  ENERGY_ALIGN,    /* two directions are the same */
  ENERGY_N_KINDS
} EnergyKind;

typedef struct {
  EnergyKind kind;
  guint a, b;                /* things */
  KgVector point_a, point_b; /* of the things; of ENERGY_FIX b is a place of the world */
  KgVector normal_a, normal_b;
  EnergySurface surface; /* of b */
  double value;          /* distance, height */
  double weight;
  guint place; /* of ENERGY_FIX: 1 + the index of the place that the caller puts into point_b; 0: point_b is read */
  guint line;  /* of the text, from 1 */
} EnergyConstraint;

typedef struct {
  KgVector place; /* of the thing's origin */
  KgRotation turn;
} EnergyPose;

typedef struct {
  guint n_things, n_constraints;
  const EnergyConstraint *constraints;
  const bool *held;
  const KgVector *center; /* about which things turn, in their own coordinates */
  const double *size;     /* metres for a radian, above 0 */
} EnergyModel;

/* Reads constraints, one per line; empty lines and what follows # are skipped.  Points and directions in the coordinates of
 * their things, things counted from 0:
 *   fix A x y z to X Y Z, or to place N; join A x y z B x y z; distance A x y z B x y z d; abut A x y z nx ny nz B x y z nx ny nz;
 *   align A dx dy dz B dx dy dz; float A x y z on B [surface]; rest A x y z nx ny nz on B [surface]; apart A x y z from B
 *   [surface]; above A x y z height
 * with [surface] one of ball x y z r, box x y z hx hy hz, cylinder x y z r h, plane x y z nx ny nz; the thing's faces without
 * one.  Each may end with "weight w".  Errors name the line.  (transfer full) (nullable) EnergyConstraint */
GArray *energy_read (const char *text, guint n_things, GError **error);

/* The energy, and (nullable) its gradient: six numbers for each thing, by its place and by its rotation times its size. */
double energy_get (const EnergyModel *model, const EnergyPose *poses, double *gradient);
/* One constraint's. */
double energy_get_one (const EnergyModel *model, const EnergyPose *poses, guint constraint);
/* Moves poses to where the energy is least nearby.  False when it is cancelled. */
bool energy_solve (const EnergyModel *model, EnergyPose *poses, guint max_iterations, double tolerance,
                   LeastSquaresReport *report, const KgProgressMonitor *monitor);
/* An Euler step of the flow, divided until the energy does not grow.  Returns how often it was halved. */
guint energy_flow (const EnergyModel *model, EnergyPose *poses, double h);

G_END_DECLS
