/* skeleton_solver: point masses whose rods and hinges are repaired, sweep by sweep, after each has moved alone.
 * Source: van Overveld, skeleton dynamics by decoupled constraints (statements 1 to 17 in the comments).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/skeleton_figure.h"

/* Most walls. */
#define SKELETON_MAX_WALLS 31
#define SKELETON_ALL_WALLS 0x7fffffffu

/* What stays: places where u . r >= distance. */
typedef struct {
  KgVector normal; /* unit */
  double distance;
} SkeletonWall;

/* How corrections of one sweep see each other. */
typedef enum {
  SKELETON_SEQUENTIAL,   /* each sees those before it */
  SKELETON_AVERAGED,     /* none does, and where many rods meet each does less */
  SKELETON_SIMULTANEOUS, /* none does: as printed; diverges where more than three rods meet */
  SKELETON_N_SWEEPS
} SkeletonSweep;

/* Which ends move when a rod is corrected. */
typedef enum {
  SKELETON_BY_MASS, /* in inverse proportion to the masses: one rod alone is right at once */
  SKELETON_HALVES, /* half of the correction each, whatever the masses and whether the other end can move: as printed */
  SKELETON_N_CORRECTIONS
} SkeletonCorrection;

/* Along which line a rod is corrected. */
typedef enum {
  SKELETON_ALONG_TRIAL, /* as it is now: as printed; angular momentum drifts at first order in the step */
  SKELETON_ALONG_START, /* as it was at the start of the step: angular momentum is kept to rounding */
  SKELETON_N_DIRECTIONS
} SkeletonDirection;

/* How a hinge is corrected. */
typedef enum {
  SKELETON_GRADIENT, /* along the gradient of the angle: neither momentum nor torque is left over */
  SKELETON_PAPER,    /* as printed, with the sign of its torque put right: some torque is left over */
  SKELETON_N_HINGE_RULES
} SkeletonHingeRule;

typedef enum {
  SKELETON_FIRM,   /* the wall guides a point that touches it for a step, so that the body behind is thrown back */
  SKELETON_MIRROR, /* place and speed of the point alone are reflected: rods then swallow most of the bounce */
  SKELETON_N_BOUNCES
} SkeletonBounce;

/* What went on in a step that people should know of. */
typedef enum {
  SKELETON_AMBIGUOUS_FOLD = 1 << 0, /* a hinge in space, straight or folded, had to turn some way */
  SKELETON_COINCIDENT = 1 << 1,     /* points of a hinge, or the ends of a rod, lay in one place */
  SKELETON_WALLED_IN = 1 << 2,      /* walls left a point no room */
  SKELETON_HELD_APART = 1 << 3,     /* a rod between points that are both held does not fit */
  SKELETON_DIVERGED = 1 << 4,       /* numbers that are not finite */
  SKELETON_PRESSED = 1 << 5,        /* nor does one between points that walls keep along it */
  SKELETON_BURIED = 1 << 6 /* a point that did not come into a firm wall by itself, and is deep in it, was lifted */
} SkeletonEvents;

typedef struct {
  SkeletonSweep sweep;
  SkeletonCorrection correction;
  SkeletonDirection direction;
  SkeletonHingeRule hinge_rule;
  SkeletonBounce bounce;
  guint max_sweeps;        /* at least 1 */
  double length_tolerance; /* relative */
  double angle_tolerance;  /* radians */
  double relax;            /* share of each correction that is made, 0..1 */
  bool plane;              /* all z are 0 */
  double restitution, friction;
} SkeletonSettings;

typedef struct _SkeletonSolver SkeletonSolver;

/* (transfer full) Copies the rods and hinges.  All places, momenta and masses are 0 (0, and 1). */
SkeletonSolver *skeleton_solver_new (size_t n_points, const SkeletonFigure *figure, const SkeletonSettings *settings);
void skeleton_solver_free (SkeletonSolver *solver);
void skeleton_solver_set_walls (SkeletonSolver *solver, const SkeletonWall *walls, guint n);

/* The arrays, to be read and written between steps. */
typedef struct {
  KgVector *places, *momenta;
  double *masses;     /* above 0 */
  uint8_t *held;      /* not 0: goes to its target whatever happens */
  KgVector *targets;  /* where held points are at the end of the next step */
  uint32_t *touching; /* walls that the point met in the last step, one bit each */
  uint32_t *buried; /* walls that it may be deep in without having run into them: at first, and where it is held, all */
} SkeletonPoints;
SkeletonPoints skeleton_solver_get_points (SkeletonSolver *solver);

/* One step of dt seconds, forces excepted (the caller has added dt times the force to each momentum).  Returns the sweeps of
 * the part of the figure that took the most.  events: what happened is added.
 * trace (nullable): room for max_sweeps + 1 numbers: the deviation before the first sweep and after each (parts that need
 * fewer sweeps keep their last). */
guint skeleton_solver_step (SkeletonSolver *solver, double dt, guint *events, double *trace);

/* By how much rods are too short or too long, together, as a share of their lengths together. */
double skeleton_solver_get_deviation (const SkeletonSolver *solver);
/* The first rod that is between two held points and does not fit.  (nullable) */
const SkeletonRod *skeleton_solver_find_held_apart (const SkeletonSolver *solver);
/* By how many radians the hinge that is worst is beyond its limits. */
double skeleton_solver_get_angle_deviation (const SkeletonSolver *solver);

/* One correction of a hinge at three places: the impulses times dt on its points.  False when there is none to make.
 * weights: inverse masses. */
bool skeleton_solver_correct_hinge (const SkeletonHinge *hinge, const SkeletonSettings *settings,
                                    const KgVector places[3], const double weights[3], KgVector impulses[3]);

/* The places of a hinge of equal masses in the plane while it is corrected, stage by stage: as it is; by the printed rule with
 * its outer arm turned, both arms turned back, all three shifted; by the gradient at once.  turn: (out) over the places of the
 * last.  Returns how many stages there are: 1 where an arm has no length. */
guint skeleton_solver_list_stages (const SkeletonHinge *hinge, SkeletonHingeRule rule, const KgVector places[3],
                                   KgVector stages[4][3], double *turn);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SkeletonSolver, skeleton_solver_free)
