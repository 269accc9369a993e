/* cube_loops: how a surface passes through a cube whose corners are inside (hot) or outside (cold).
 *
 * Corner i = x + 2y + 4z.  Edges 0 to 3 run along x from corners 0, 2, 4, 6; 4 to 7 along y from 0, 1, 4, 5; 8 to 11 along z
 * from 0, 1, 2, 3.  Each face is walked counter-clockwise as it is seen from outside; every run of hot corners gives a segment
 * from the edge where it is entered to the edge where it is left, and the segments of the six faces chain into loops, which
 * run counter-clockwise as seen from the cold side.
 * Sources: Wyvill, McPheeters and Wyvill 1986; Nielson and Hamann, The Asymptotic Decider, 1991.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define CUBE_MAX_LOOPS 4
#define CUBE_N_EDGES 12
#define CUBE_N_FACES 6

typedef struct {
  guint n_loops;
  guint size[CUBE_MAX_LOOPS];
  guint8 edges[CUBE_MAX_LOOPS][CUBE_N_EDGES];
} CubeLoops;

/* The corners at the ends of each edge, the lower first. */
extern const guint8 cube_edges[CUBE_N_EDGES][2];
/* The corners of each face, counter-clockwise from outside: x = 0, x = 1, y = 0, y = 1, z = 0, z = 1. */
extern const guint8 cube_faces[CUBE_N_FACES][4];

/* hot: bit i for corner i.  join: bit f where the hot corners of face f are joined if two diagonal ones are hot; otherwise they
 * are separated.  Loops begin at their lowest edge, and are in the order of these. */
void cube_loops_trace (guint hot, guint join, CubeLoops *loops);
/* Bit f where two diagonal corners of face f are hot and the other two are not. */
guint cube_loops_get_ambiguous (guint hot);
/* Those faces among ambiguous where the surface of the bilinear interpolation joins the hot corners. */
guint cube_loops_decide (guint hot, guint ambiguous, const float values[8], double level);

G_END_DECLS
