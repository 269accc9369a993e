/* cube_loops: how a surface passes through a cube whose corners are inside or outside.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/cube_loops.h"

#include <stdbool.h>
#include <string.h>

const guint8 cube_edges[CUBE_N_EDGES][2] = { { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 }, { 0, 2 }, { 1, 3 },
                                             { 4, 6 }, { 5, 7 }, { 0, 4 }, { 1, 5 }, { 2, 6 }, { 3, 7 } };

const guint8 cube_faces[CUBE_N_FACES][4] = { { 0, 4, 6, 2 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
                                             { 2, 6, 7, 3 }, { 0, 2, 3, 1 }, { 4, 5, 7, 6 } };

#define NO_EDGE 255

static guint8
find_edge (guint a, guint b)
{
  for (guint8 e = 0; e < CUBE_N_EDGES; e++)
    if ((cube_edges[e][0] == a && cube_edges[e][1] == b) || (cube_edges[e][0] == b && cube_edges[e][1] == a))
      return e;
  g_return_val_if_reached (NO_EDGE);
}

static bool
is_ambiguous (guint hot, guint face)
{
  const guint8 *c = cube_faces[face];
  const guint a = hot >> c[0] & 1, b = hot >> c[1] & 1;

  return a != b && a == (hot >> c[2] & 1) && b == (hot >> c[3] & 1);
}

guint
cube_loops_get_ambiguous (guint hot)
{
  guint faces = 0;

  for (guint f = 0; f < CUBE_N_FACES; f++)
    faces |= is_ambiguous (hot, f) ? 1u << f : 0;
  return faces;
}

/* Notes in next where the segments of a face lead: from the edge where hot is entered to the edge where it is left. */
static void
trace_face (guint hot, guint face, bool join, guint8 next[CUBE_N_EDGES])
{
  const guint8 *c = cube_faces[face];
  guint8 entered[2], left[2];
  guint n_entered = 0, n_left = 0;

  for (guint i = 0; i < 4; i++) {
    const guint from = c[i], to = c[(i + 1) % 4];
    const bool was = (hot >> from & 1) != 0, is = (hot >> to & 1) != 0;

    if (!was && is)
      entered[n_entered++] = find_edge (from, to);
    else if (was && !is)
      left[n_left++] = find_edge (from, to);
  }
  if (n_entered == 1)
    next[entered[0]] = left[0];
  if (n_entered < 2)
    return;
  /* Two runs.  The walk may begin in one: then it is left first. */
  if ((hot >> c[0] & 1) != 0) {
    const guint8 first = left[0];

    left[0] = left[1];
    left[1] = first;
  }
  /* Separated, each run is left where it ends; joined, entering leads back around the cold corner before it. */
  next[entered[0]] = join ? left[1] : left[0];
  next[entered[1]] = join ? left[0] : left[1];
}

void
cube_loops_trace (guint hot, guint join, CubeLoops *loops)
{
  guint8 next[CUBE_N_EDGES];
  guint done = 0;

  memset (next, NO_EDGE, sizeof next);
  for (guint f = 0; f < CUBE_N_FACES; f++)
    trace_face (hot, f, (join >> f & 1) != 0, next);
  loops->n_loops = 0;
  for (guint8 e = 0; e < CUBE_N_EDGES; e++) {
    guint n = 0;

    if (next[e] == NO_EDGE || (done >> e & 1) != 0)
      continue;
    for (guint8 at = e; (done >> at & 1) == 0; at = next[at]) {
      done |= 1u << at;
      loops->edges[loops->n_loops][n++] = at;
    }
    loops->size[loops->n_loops++] = n;
  }
}

guint
cube_loops_decide (guint hot, guint ambiguous, const float values[8], double level)
{
  guint join = 0;

  for (guint f = 0; f < CUBE_N_FACES; f++) {
    const guint8 *c = cube_faces[f];
    const guint first = (hot >> c[0] & 1) != 0 ? 0 : 1;
    double a, b, d, e;

    if ((ambiguous >> f & 1) == 0)
      continue;
    a = (double) values[c[first]];
    b = (double) values[c[first + 1]];
    d = (double) values[c[first + 2]];
    e = (double) values[c[(first + 3) % 4]];
    /* The saddle (a d − b e)/(a + d − b − e), a and d being hot: the divisor is positive. */
    if (a * d - b * e >= level * (a + d - b - e))
      join |= 1u << f;
  }
  return join;
}
