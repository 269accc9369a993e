/* spring_net: what its parts share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/spring_net.h"

#include "kg-kernel.h"

/* Loops over more springs or points than this are shared between threads, in pieces of so many.  Solving for one step of an
 * implicit method runs eight of them a hundred times. */
#define SPRING_MANY 4096
#define SPRING_PIECE 1024

/* Vectors of a number for each point. */
enum { SPRING_X, SPRING_V, SPRING_FORCE, SPRING_A, SPRING_B, SPRING_C, SPRING_D, SPRING_E, SPRING_N_VECTORS };

/* A spring in a matrix: along d dᵀ + across I, minus the same for the other end. */
typedef struct {
  KgVector d;
  double along, across;
} SpringBlock;

/* A hinge in a matrix: weight g gᵀ. */
typedef struct {
  KgVector g[4];
  double weight;
} SpringBend;

/* A corner of a line bends out of its plane too: + h hᵀ, h being across times the factors at the points before, after and at it. */
typedef struct {
  KgVector across;
  double factors[4]; /* the last is 0 */
} SpringTilt;

static inline bool
spring_is_corner (const SpringHinge *hinge)
{
  return hinge->points[2] == hinge->points[3];
}

typedef struct _SpringWork SpringWork;
struct _SpringWork {
  KgVector *vectors[SPRING_N_VECTORS];
  KgVector *parts;   /* of springs, then four of each hinge, then three of each triangle */
  size_t *start;     /* of the entries of each point */
  uint32_t *entries; /* parts, times two; odd: the opposite */
  SpringBlock *blocks;
  SpringBend *bends;
  SpringTilt *tilts;  /* of hinges: only those of corners are used */
  SpringBlock *gusts; /* of triangles: how much less force a corner gets for the velocity of each */
  SymmetricMatrix *diagonal;
  double *sums;
};

void spring_net_evaluate (SpringNet *net, const SpringSettings *settings, const KgVector *x, const KgVector *v,
                          double time, KgVector *forces);
/* The matrix of_stiffness K + of_damping C at the places x, to be applied. */
void spring_net_set_blocks (SpringNet *net, const SpringSettings *settings, const KgVector *x, double of_stiffness,
                            double of_damping);
/* result = (the matrix + of_drag D) w, D of the air that the last forces came from. */
void spring_net_apply_blocks (SpringNet *net, const KgVector *w, double of_drag, KgVector *result);
double spring_net_dot (SpringNet *net, const KgVector *a, const KgVector *b);
