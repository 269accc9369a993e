/* spring_net: masses joined by springs, dampers and hinges: the one solver of flexible bodies, cloth and spring lattices.
 *
 * A spring from a to b of length r and rest length l pulls a by k (r - l) + c ((v_b - v_a) . d) along d, the unit vector
 * from a to b, and b by the opposite: dampers act along their springs only, so that turning is not braked.  Hinges hold the
 * angle between two faces, corners the angle between two segments of a line, and tetrahedra of rest volume V0 have the energy 1/2 B V0 (V / V0 - 1)².  Faces feel wind, and the pressure of what they enclose.  Forces are computed per element and
 * gathered per point in a fixed order: the same bits for any number of threads.
 *
 * Sources: Parent, Computer Animation, 4.4 (springs, dampers, angular springs); Baraff and Witkin 1998 (implicit steps);
 * Grinspun and others 2003, Bridson and others 2003 (gradients of the hinge angle); Bergou and others 2008, 4.2 (a straight
 * corner bends in two directions alike); Choi and Ko 2002 (what pushes has no
 * stiffness across); Terzopoulos and Fleischer 1988 (plastic and viscoelastic springs).
 * Units: metres, kilograms, seconds, newtons, radians.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/symmetric_matrix.h"
#include "geometry/triangle_mesh.h"
#include "kg-field.h"
#include "kg-progress.h"

G_BEGIN_DECLS

#define SPRING_NET_MAX 50000000 /* springs */

typedef enum {
  SPRING_EDGE,
  SPRING_FACE,     /* diagonal of a face */
  SPRING_INTERIOR, /* to the point that is farthest away */
  SPRING_SECOND,   /* to the neighbour of a neighbour, straight ahead */
  SPRING_N_KINDS
} SpringKind;

/* What is kept of each point from step to step; 64 bytes, as are springs and hinges. */
typedef struct {
  KgVector x, v;
  double mass;
  double origin; /* its index in the geometry at the start: tearing doubles points */
} SpringPoint;

typedef struct {
  uint32_t a, b;
  uint32_t kind; /* SpringKind */
  uint32_t torn;
  double rest;    /* metres, at the start */
  double plastic; /* permanent strain: the rest length is rest (1 + plastic) */
  double branch;  /* newtons in the spring that relaxes */
  double share;   /* of the stiffness */
  double damping; /* share of the damping */
  double unused;
} Spring;

/* Points 2 and 3 are the ends of the hinge, 0 and 1 the outer points of its two faces.  Where 2 and 3 are one point, it is a corner
 * of a line, and 0 and 1 are the points before and after it.  Or the corners of a tetrahedron, which keeps its volume instead
 * of an angle. */
typedef struct {
  uint32_t points[4];
  double rest, plastic; /* radians */
  double share;
  double volume; /* m³ of a tetrahedron at rest; 0: it is a hinge */
  double unused[2];
} SpringHinge;

G_STATIC_ASSERT (sizeof (SpringPoint) == 64 && sizeof (Spring) == 64 && sizeof (SpringHinge) == 64);

typedef enum {
  SPRING_SEMI_IMPLICIT, /* velocities first, then positions with the new ones */
  SPRING_VERLET,
  SPRING_MIDPOINT,
  SPRING_RK4,
  SPRING_IMPLICIT, /* one Newton step of backward Euler */
  SPRING_EXPLICIT, /* both from the old state: gains energy, for comparison */
  SPRING_N_METHODS
} SpringMethod;

typedef struct {
  double stiffness, damping; /* N/m, N s/m */
  bool stretch_only;         /* no push */
  double bend, bend_damping; /* N m/rad, N m s/rad */
  double bulk;               /* Pa of a tetrahedron at twice its volume at rest */
  bool average;              /* hinges: the axis takes half of the outer forces at each end, which leaves a torque */
  double pressure;           /* Pa at the volume at the start; the gas is compressed */
  double volume;             /* m³ at the start */
  KgVector gravity;
  const KgField *force;             /* (nullable) */
  bool weigh;                       /* it is a force; else an acceleration */
  const KgField *air;               /* (nullable) velocity of the air */
  double drag;                      /* kg/m³: density times coefficient */
  bool drag_normal;                 /* along the normal of a face; else along the wind */
  double max_force;                 /* N of a spring; 0: any */
  double yield, creep, plastic_max; /* strain (0: elastic), 1/s, strain */
  double relax_time, relax_share;   /* s (0: none), share of the stiffness in the branch that relaxes */
  double tear;                      /* strain (0: never) */
  bool tear_springs;                /* after each step; else the caller splits the faces */
} SpringSettings;

/* An obstacle of points. */
typedef struct {
  bool ground;
  double height;
  const TriangleMesh *obstacle; /* (nullable) */
  const float *obstacle_v;      /* (nullable) three floats for each of its points */
  double thickness;             /* kept free around it */
  double restitution, friction;
} SpringContact;

typedef struct {
  size_t n_points, n_springs, n_hinges, n_triangles;
  SpringPoint *points;
  Spring *springs;
  SpringHinge *hinges;
  uint32_t (*triangles)[3];
  double *inverse;          /* 1/mass; 0: the point is held, and moves with its velocity */
  double *pull;             /* N/m towards target */
  KgVector *target, *drift; /* where it is at target_time, and its velocity */
  double target_time;
  double pull_damping; /* N s/m where there is a pull, of the velocity against drift */
  KgVector *impulse;   /* N s, spent by the next step */
  size_t n_sliver;     /* hinges without an angle at the last evaluation */
  double solver_rest;  /* of the last implicit step, relative */
  struct _SpringWork *work;
} SpringNet;

/* Takes the arrays (transfer full, from g_malloc).  Fails with KG_ERROR_LIMIT, and with KG_ERROR_INVALID_VALUE where an
 * element names a point that is not there or a number is not finite; all arrays are freed then. */
bool spring_net_init (SpringNet *net, SpringPoint *points, size_t n_points, Spring *springs, size_t n_springs,
                      SpringHinge *hinges, size_t n_hinges, uint32_t (*triangles)[3], size_t n_triangles,
                      GError **error);
void spring_net_clear (SpringNet *net);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SpringNet, spring_net_clear)

/* All forces at the present places and velocities, one for each point; gravity included. */
void spring_net_get_forces (SpringNet *net, const SpringSettings *settings, double time, KgVector *forces);

/* One step of h seconds that ends at time + h.  False when it is cancelled. */
bool spring_net_step (SpringNet *net, const SpringSettings *settings, SpringMethod method, double time, double h,
                      const KgProgressMonitor *monitor);
/* Corrects places and velocities after a step; before: the places at its start. */
void spring_net_collide (SpringNet *net, const SpringContact *contact, const KgVector *before);
/* Plastic flow, the branch that relaxes, and tearing, after a step of h seconds; before: the places at its start.  Returns
 * the number of springs that tore. */
size_t spring_net_age (SpringNet *net, const SpringSettings *settings, const KgVector *before, double h);

/* y = K x for the stiffness per unit of (stiffness, bend, damping) at the present places: for tests and spectra. */
void spring_net_multiply (SpringNet *net, double stiffness, double bend, const KgVector *x, KgVector *y);

/* Largest eigenvalues, 1/s² or 1/s, of stiffness, damping, bending and bulk of one unit each, by Lanczos' method from a fixed
 * start; those of the settings are at most stiffness * springs + bend * hinges + bulk * volumes, damping * dampers + .... */
typedef struct {
  double springs, dampers, hinges, volumes;
} SpringSpectrum;

SpringSpectrum spring_net_get_spectrum (SpringNet *net, const KgProgressMonitor *monitor);
/* The stiffest and the most damped pull on a point, for its mass: 1/s², 1/s. */
typedef struct {
  double stiffness, damping;
} SpringPulls;

SpringPulls spring_net_get_pulls (const SpringNet *net);
/* The longest step, seconds, with which the method does not gain energy; INFINITY: any; 0: none, as of midpoint and explicit
 * steps where nothing is damped.  Those of Runge and Kutta are stable where |R (h λ)| <= 1, R being the exponential series
 * up to the order of the method, and λ² + c λ + k = 0 for the fastest mode (Hairer and Wanner 1996, IV.2). */
double spring_get_step_limit (const SpringSpectrum *spectrum, const SpringSettings *settings, SpringPulls pulls,
                              SpringMethod method);

typedef struct {
  double kinetic, elastic;    /* joules: of springs, hinges, tetrahedra and pulls */
  double max_strain;          /* largest |elastic strain| of a spring */
  double speed;               /* m/s: the fastest wave along springs */
  double volume;              /* m³ */
  KgVector momentum, angular; /* about the origin */
} SpringReport;

void spring_net_measure (SpringNet *net, const SpringSettings *settings, SpringReport *report);

/* The angle between two faces, -pi to pi, 0 where flat, and its gradients at the four points (those of SpringHinge).  False
 * for slivers. */
bool spring_hinge_get (const KgVector x[4], double *angle, KgVector gradients[4]);
/* By how much a line turns at the corner x[2] on its way from x[0] to x[1], 0 to pi, its gradients at the three points (the
 * fourth is 0), and the direction across the plane of the turn: where the line is straight, any across the line.  False where a
 * segment has no length, or the line turns right back. */
bool spring_corner_get (const KgVector x[3], double *angle, KgVector gradients[4], KgVector *across);
/* The wind's force on a triangle. */
KgVector spring_get_drag (const KgVector x[3], KgVector mean_v, KgVector air, double drag, bool normal);
/* The permanent strain after h seconds of a strain that is held: independent of how h is divided. */
double spring_flow (double strain, double plastic, double yield, double creep, double plastic_max, double h);

G_END_DECLS
