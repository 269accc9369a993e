/* heap_container: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/heap_container.h"

/* Levels from top to bottom, and points across each. */
#define LEVELS 64
#define ACROSS 12
/* Steps of the pattern search, each half as long as the one before. */
#define HALVINGS 16
/* A neck is narrower than this share of what is on both sides of it. */
#define NARROWER 0.8

typedef struct {
  const TriangleMesh *mesh;
  const MeshWinding *winding;
  KgVector down, u, v;    /* unit, across each other */
  double low[3], high[3]; /* of the mesh along u, v and down */
} Looking;

static KgVector
get_place (const Looking *looking, const double x[3])
{
  return kg_vector_add_scaled (kg_vector_add_scaled (kg_vector_scale (looking->u, x[0]), x[1], looking->v), x[2],
                               looking->down);
}

static double
get_clearance (const Looking *looking, const double x[3])
{
  const KgVector at = get_place (looking, x);

  if (!triangle_mesh_contains (looking->mesh, looking->winding, INSIDE_RAY, at))
    return 0;
  return triangle_mesh_find_nearest (looking->mesh, at).distance;
}

/* The point of a level with most room; x[2]: the level. */
static double
find_clearance (const Looking *looking, double x[3])
{
  double best = 0, step[2];

  for (int i = 0; i < ACROSS; i++)
    for (int k = 0; k < ACROSS; k++) {
      const double at[3] = { kg_lerp (looking->low[0], looking->high[0], (i + 0.5) / ACROSS),
                             kg_lerp (looking->low[1], looking->high[1], (k + 0.5) / ACROSS), x[2] };
      const double clearance = get_clearance (looking, at);

      if (clearance > best) {
        best = clearance;
        memcpy (x, at, sizeof at);
      }
    }
  for (int c = 0; c < 2; c++)
    step[c] = 0.5 * (looking->high[c] - looking->low[c]) / ACROSS;
  for (int halving = 0; best > 0 && halving < HALVINGS; halving++) {
    bool better = false;

    /* Along ridges, too, on which only a way across both axes leads up. */
    for (int way = 0; way < 8; way++) {
      static const double ways[8][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 },  { 0, -1 },
                                         { 1, 1 }, { -1, 1 }, { 1, -1 }, { -1, -1 } };
      const double at[3] = { x[0] + ways[way][0] * step[0], x[1] + ways[way][1] * step[1], x[2] };
      const double clearance = get_clearance (looking, at);

      if (clearance > best) {
        best = clearance;
        memcpy (x, at, sizeof at);
        better = true;
      }
    }
    for (int c = 0; c < 2 && !better; c++)
      step[c] *= 0.5;
  }
  return best;
}

/* The narrowest place around a level. */
static double
refine (const Looking *looking, double level, double spacing, double x[3])
{
  const double golden = 0.5 * (sqrt (5) - 1);
  double from = level - spacing, to = level + spacing, least = INFINITY;

  for (int i = 0; i < 12; i++) {
    double a[3] = { x[0], x[1], to - golden * (to - from) }, b[3] = { x[0], x[1], from + golden * (to - from) };
    const double of_a = find_clearance (looking, a), of_b = find_clearance (looking, b);

    if (fmin (of_a, of_b) < least) {
      least = fmin (of_a, of_b);
      memcpy (x, of_a < of_b ? a : b, sizeof a);
    }
    if (of_a < of_b)
      to = b[2];
    else
      from = a[2];
  }
  return least;
}

static bool
find_neck (const Looking *looking, const KgProgressMonitor *monitor, HeapNeck *neck)
{
  const double spacing = (looking->high[2] - looking->low[2]) / LEVELS;
  double clearances[LEVELS], places[LEVELS][3], above = 0, after[LEVELS + 1] = { 0 };
  int narrowest = -1;

  for (int i = 0; i < LEVELS; i++) {
    if (kg_progress_is_cancelled (monitor))
      return false;
    places[i][0] = places[i][1] = 0;
    places[i][2] = looking->low[2] + (i + 0.5) * spacing;
    clearances[i] = find_clearance (looking, places[i]);
  }
  for (int i = LEVELS - 1; i >= 0; i--)
    after[i] = fmax (after[i + 1], clearances[i]);
  for (int i = 0; i < LEVELS; i++) {
    if (clearances[i] < NARROWER * fmin (above, after[i + 1]) &&
        (narrowest < 0 || clearances[i] < clearances[narrowest]))
      narrowest = i;
    above = fmax (above, clearances[i]);
  }
  if (narrowest >= 0) {
    double *x = places[narrowest];

    neck->is = true;
    neck->clearance = fmin (clearances[narrowest], refine (looking, x[2], spacing, x));
    neck->place = get_place (looking, x);
  }
  return true;
}

bool
heap_container_find_neck (const TriangleMesh *mesh, KgVector down, const KgProgressMonitor *monitor, HeapNeck *neck)
{
  g_autoptr (MeshWinding) winding = NULL;
  Looking looking = { .mesh = mesh,
                      .down = kg_vector_normalize_or (down, kg_vector (0, 0, 0)),
                      .low = { INFINITY, INFINITY, INFINITY },
                      .high = { -INFINITY, -INFINITY, -INFINITY } };

  *neck = (HeapNeck){ .is = false };
  if (mesh->n == 0 || mesh->n_open > 0 || !(kg_vector_length (looking.down) > 0.5))
    return true;
  looking.winding = winding = mesh_winding_new (mesh);
  looking.u = kg_vector_perpendicular (looking.down);
  looking.v = kg_vector_cross (looking.down, looking.u);
  for (size_t i = 0; i < mesh->n; i++) {
    KgVector corners[3];

    triangle_mesh_get_corners (mesh, i, corners);
    for (int k = 0; k < 3; k++) {
      const double x[3] = { kg_vector_dot (looking.u, corners[k]), kg_vector_dot (looking.v, corners[k]),
                            kg_vector_dot (looking.down, corners[k]) };

      for (int c = 0; c < 3; c++) {
        looking.low[c] = fmin (looking.low[c], x[c]);
        looking.high[c] = fmax (looking.high[c], x[c]);
      }
    }
  }
  return find_neck (&looking, monitor, neck);
}

bool
heap_container_count_outside (const TriangleMesh *mesh, const float *p, size_t n, const KgProgressMonitor *monitor,
                              size_t *n_outside)
{
  g_autoptr (MeshWinding) winding = NULL;

  *n_outside = 0;
  if (mesh->n == 0 || mesh->n_open > 0)
    return true;
  winding = mesh_winding_new (mesh);
  for (size_t i = 0; i < n; i++) {
    if (i % 1024 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    *n_outside += !triangle_mesh_contains (mesh, winding, INSIDE_RAY,
                                           kg_vector ((double) p[3 * i], (double) p[3 * i + 1], (double) p[3 * i + 2]));
  }
  if (2 * *n_outside >= n)
    *n_outside = 0;
  return true;
}
