/* spring_body: a geometry as masses and springs: how its springs are laid, what a simulation keeps of them, strikes, and
 * how faces split where they tear.
 *
 * Sources: Parent, Computer Animation, 4.4.1 to 4.4.4 (edges as springs, braces, hinges); O'Brien and Hodgins 1999 (a torn
 * point is doubled, and its faces are divided by the plane across the tension).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/spring_net.h"

G_BEGIN_DECLS

typedef enum { SPREAD_EVEN, SPREAD_LENGTH, SPREAD_AREA, SPREAD_VOLUME, N_SPREADS } SpringSpread;

typedef enum {
  BRACE_NONE,
  BRACE_FACES,    /* diagonals of faces of more than three corners */
  BRACE_INTERIOR, /* from each point to the one farthest away in its piece */
  BRACE_BOTH,
  BRACE_SECOND, /* from neighbour to neighbour of a point, straight across it */
  N_BRACES
} SpringBrace;

typedef struct {
  double mass; /* kg of all points, unless they have the attribute mass */
  SpringSpread spread;
  SpringBrace brace;
  double brace_share; /* of the stiffness */
  bool per_length;    /* a spring of twice the length is half as stiff: the stiffness is that of a metre */
  bool hinges;        /* between faces, and at the corners of lines */
  KgVector velocity;  /* besides the attribute v */
} SpringBodyOptions;

/* What a simulation keeps.  body: the points as they start (P, attributes, primitives) with how they move; springs, hinges: a
 * point for each. */
typedef struct {
  KgGeometry *body, *springs, *hinges;
} SpringBodyState;

/* The attributes of the three, as KgSlot.keeps says them. */
#define SPRING_BODY_KEEPS "points motion int 16; points goal_from float 3; whole spectrum int 16"
#define SPRING_BODY_SPRING_KEEPS "points spring int 16"
#define SPRING_BODY_HINGE_KEEPS "points hinge int 16"

typedef struct {
  size_t n_zero;  /* edges without length, left out */
  size_t n_loose; /* points without springs */
  size_t n_tetrahedra;
  size_t n_flat; /* of them that have no volume, or are inside out: only springs */
  size_t n_hinges;
} SpringBodyNotes;

/* Fills state (transfer full) from a geometry; closed lines of four points whose integer attribute tetrahedron is not 0 are
 * tetrahedra; the attribute stiffness of points (mean of both ends) multiplies that of springs.
 * KG_ERROR_DEGENERATE: no edges; KG_ERROR_INVALID_VALUE: a mass that is not above 0, a stiffness below 0;
 * KG_ERROR_LIMIT: braces that are too many.  False without an error: cancelled. */
bool spring_body_start (const KgGeometry *geometry, const SpringBodyOptions *options, SpringBodyState *state,
                        SpringBodyNotes *notes, const KgProgressMonitor *monitor, GError **error);
/* Sets up a net from a state. */
bool spring_body_load (const SpringBodyState *state, SpringNet *net, GError **error);
/* Writes back what moved and aged. */
void spring_body_store (const SpringNet *net, SpringBodyState *state);

/* As counted once, at the start. */
SpringSpectrum spring_body_get_spectrum (const KgGeometry *body);

/* Gives an impulse (N s) to the point nearest to a place, or to the corners of the face nearest to it, shared equally. */
void spring_net_strike (SpringNet *net, const KgGeometry *body, KgVector place, KgVector impulse, bool face);

/* Splits faces at the ends of edges whose strain exceeds tear.  Returns the number of points that were doubled; *refused:
 * those for which there is no room.  state: stored. */
size_t spring_body_split (SpringBodyState *state, double tear, size_t max_points, size_t *refused);

/* (transfer full) (nullable) The geometry as it is now, with v, and plastic (largest permanent strain of the springs at a
 * point) and piece (index of the connected piece) where they are wanted.  Edges that tore are cut: lines are divided, faces
 * are left out. */
KgGeometry *spring_body_get_geometry (const SpringBodyState *state, bool plastic, bool piece, size_t *n_torn,
                                      GError **error);

G_END_DECLS
