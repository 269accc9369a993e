/* polygonize: the surface of a body that a scalar field stands for, as polygons.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/symmetric_matrix.h"
#include "kg-floats.h"
#include "geometry/triangle.h"
#include "soft/cube_loops.h"
#include "soft/polygonize_private.h"
#include "soft/surface_cubes.h"
#include "value/disjoint_sets.h"

/* Steps of the root finding on an edge of the lattice; regula falsi in the manner of Illinois needs five to eight. */
#define ROOT_STEPS 12
/* Of gradients where the class of the field has none, relative to the cell. */
#define GRADIENT_STEP 1e-2

static void
mesher_clear (Mesher *mesher)
{
  lattice_map_clear (&mesher->map);
  g_clear_pointer (&mesher->cubes, g_array_unref);
  g_clear_pointer (&mesher->edges, g_array_unref);
  g_clear_pointer (&mesher->p, g_free);
  g_clear_pointer (&mesher->unknown, g_array_unref);
  g_clear_pointer (&mesher->gradients, g_free);
  g_clear_pointer (&mesher->memo, surface_memo_free);
  g_clear_pointer (&mesher->sizes, g_array_unref);
  g_clear_pointer (&mesher->corners, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Mesher, mesher_clear)

uint32_t
mesher_add_edge (Mesher *mesher, const CutEdge *edge)
{
  uint32_t index;

  if (lattice_map_add (&mesher->map, lattice_key (edge->x, edge->y, edge->z, edge->along), mesher->edges->len, &index))
    g_array_append_vals (mesher->edges, edge, 1);
  return index;
}

/* The vertex on the edge between corners a and b of a cube, a being below b along every axis. */
static uint32_t
mesher_get_vertex (Mesher *mesher, const SurfaceCube *cube, guint a, guint b)
{
  const CutEdge edge = { .x = cube->x + (int32_t) (a & 1),
                         .y = cube->y + (int32_t) (a >> 1 & 1),
                         .z = cube->z + (int32_t) (a >> 2),
                         .length = 1,
                         .along = (guint8) (a ^ b),
                         .first_hot = (cube->hot >> a & 1) != 0,
                         .values = { cube->values[a], cube->values[b] } };

  return mesher_add_edge (mesher, &edge);
}

void
mesher_add_polygon (Mesher *mesher, const uint32_t *vertices, guint n)
{
  g_array_append_val (mesher->sizes, n);
  g_array_append_vals (mesher->corners, vertices, n);
}

static void
mesher_cut_cube (Mesher *mesher, const SurfaceCube *cube)
{
  const guint ambiguous = cube_loops_get_ambiguous (cube->hot);
  CubeLoops loops;
  guint join = 0;

  if (mesher->o->ambiguity == POLYGONIZE_JOIN)
    join = ambiguous;
  else if (mesher->o->ambiguity == POLYGONIZE_DECIDE && ambiguous != 0)
    join = cube_loops_decide (cube->hot, ambiguous, cube->values, mesher->o->level);
  cube_loops_trace (cube->hot, join, &loops);
  for (guint l = 0; l < loops.n_loops; l++) {
    uint32_t vertices[CUBE_N_EDGES];

    for (guint i = 0; i < loops.size[l]; i++) {
      const guint8 *ends = cube_edges[loops.edges[l][i]];

      vertices[i] = mesher_get_vertex (mesher, cube, ends[0], ends[1]);
    }
    mesher_add_polygon (mesher, vertices, loops.size[l]);
  }
}

/* Whether the polygon through the middles of edges of a tetrahedron has to turn round, so that it faces the cold corners. */
static bool
faces_hot (const guint8 ends[][2], guint n, guint hot)
{
  KgVector normal = { 0, 0, 0 }, towards = { 0, 0, 0 }, middle[4];

  for (guint i = 0; i < n; i++) {
    const guint h = (hot >> ends[i][0] & 1) != 0 ? ends[i][0] : ends[i][1], c = ends[i][0] + ends[i][1] - h;
    const KgVector from = { h & 1, h >> 1 & 1, h >> 2 }, to = { c & 1, c >> 1 & 1, c >> 2 };

    middle[i] = kg_vector_scale (kg_vector_add (from, to), 0.5);
    towards = kg_vector_add (towards, kg_vector_subtract (to, from));
  }
  for (guint i = 1; i + 1 < n; i++)
    normal = kg_vector_add (normal, kg_vector_cross (kg_vector_subtract (middle[i], middle[0]),
                                                     kg_vector_subtract (middle[i + 1], middle[0])));
  return kg_vector_dot (normal, towards) < 0;
}

/* One of the tetrahedra along the diagonal from corner 0 to 7: its corners ascend along every axis. */
static void
mesher_cut_tetrahedron (Mesher *mesher, const SurfaceCube *cube, const guint corners[4])
{
  guint inside[4], outside[4], n_inside = 0, n_outside = 0, n;
  guint8 ends[4][2];
  uint32_t vertices[4];

  for (guint i = 0; i < 4; i++)
    if ((cube->hot >> corners[i] & 1) != 0)
      inside[n_inside++] = corners[i];
    else
      outside[n_outside++] = corners[i];
  if (n_inside == 0 || n_outside == 0)
    return;
  n = n_inside == 2 ? 4 : 3;
  for (guint i = 0; i < n; i++) {
    /* Around a quadrilateral: in 0 out 0, in 0 out 1, in 1 out 1, in 1 out 0. */
    const guint in = n == 4 ? inside[i / 2] : n_inside == 1 ? inside[0] : inside[i];
    const guint out = n == 4 ? outside[i == 1 || i == 2] : n_outside == 1 ? outside[0] : outside[i];

    ends[i][0] = (guint8) MIN (in, out);
    ends[i][1] = (guint8) MAX (in, out);
  }
  for (guint i = 0; i < n; i++) {
    const guint at = faces_hot (ends, n, cube->hot) ? n - 1 - i : i;

    vertices[i] = mesher_get_vertex (mesher, cube, ends[at][0], ends[at][1]);
  }
  mesher_add_polygon (mesher, vertices, n);
}

static void
mesher_cut_tetrahedra (Mesher *mesher, const SurfaceCube *cube)
{
  static const guint8 orders[6][2] = { { 1, 2 }, { 1, 4 }, { 2, 1 }, { 2, 4 }, { 4, 1 }, { 4, 2 } };

  for (guint i = 0; i < 6; i++)
    mesher_cut_tetrahedron (mesher, cube, (const guint[]){ 0, orders[i][0], orders[i][0] + orders[i][1], 7 });
}

/* Where a vertex is on its edge, 0..1, by linear interpolation. */
static double
get_crossing (const CutEdge *edge, double level)
{
  const double a = (double) edge->values[0], b = (double) edge->values[1], t = (level - a) / (b - a);

  return t >= 0 && t <= 1 ? t : 0.5;
}

static void
mesher_place (Mesher *mesher, size_t i, double t)
{
  const CutEdge *edge = &g_array_index (mesher->edges, CutEdge, i);
  const PolygonizeOptions *o = mesher->o;
  KgVector at = surface_cubes_get_corner (o, edge->x, edge->y, edge->z);

  at = kg_vector_add_scaled (at, t * edge->length * o->cell,
                             kg_vector (edge->along & 1, edge->along >> 1 & 1, edge->along >> 2));
  kg_floats_set_vector (mesher->p, i, at);
}

/* The state of a root between two places on an edge. */
typedef struct {
  double low, high;     /* places, 0..1 */
  double f_low, f_high; /* of different signs */
  double t;
  int side; /* which end was kept last: +1 high, -1 low */
} Root;

static void
root_step (Root *root, double f)
{
  const bool low = (f >= 0) == (root->f_low >= 0);

  if (low) {
    root->low = root->t;
    root->f_low = f;
  } else {
    root->high = root->t;
    root->f_high = f;
  }
  /* An end that stays twice is pulled in (Dowell and Jarratt 1971). */
  if (low && root->side > 0)
    root->f_high *= 0.5;
  else if (!low && root->side < 0)
    root->f_low *= 0.5;
  root->side = low ? 1 : -1;
  if (f == 0)
    root->low = root->high = root->t;
  else
    root->t = root->low + (root->high - root->low) * root->f_low / (root->f_low - root->f_high);
}

/* Copies numbers of vertices, 3 each, out of all or back to them. */
static void
gather (float *out, const float *all, const uint32_t *indices, size_t n)
{
  for (size_t i = 0; i < n; i++)
    memcpy (out + 3 * i, all + 3 * (size_t) indices[i], 3 * sizeof *out);
}

static void
scatter (float *all, const float *in, const uint32_t *indices, size_t n)
{
  for (size_t i = 0; i < n; i++)
    memcpy (all + 3 * (size_t) indices[i], in + 3 * i, 3 * sizeof *in);
}

/* Moves vertices to where the field has the level. */
static void
mesher_find_roots (Mesher *mesher, const uint32_t *vertices, size_t n)
{
  const PolygonizeOptions *o = mesher->o;
  Root roots[KG_FIELD_BLOCK];
  float places[3 * KG_FIELD_BLOCK], values[KG_FIELD_BLOCK];

  for (size_t i = 0; i < n; i++) {
    const CutEdge *edge = &g_array_index (mesher->edges, CutEdge, vertices[i]);

    roots[i] = (Root){ .high = 1,
                       .f_low = (double) edge->values[0] - o->level,
                       .f_high = (double) edge->values[1] - o->level,
                       .t = get_crossing (edge, o->level) };
  }
  for (int step = 0; step < ROOT_STEPS; step++) {
    gather (places, mesher->p, vertices, n);
    kg_field_sample_points (mesher->field, places, n, o->time, values);
    for (size_t i = 0; i < n; i++) {
      if (roots[i].high - roots[i].low > 1e-7)
        root_step (&roots[i], (double) values[i] - o->level);
      mesher_place (mesher, vertices[i], roots[i].t);
    }
  }
}

/* Where gradients are asked for at all, they are known with the places. */
static void
mesher_recall_vertices (Mesher *mesher)
{
  const bool gradients = mesher->o->normals || mesher->o->surface == POLYGONIZE_DUAL;

  if (mesher->memo != NULL && gradients)
    mesher->gradients = g_new (float, 3 * MAX (mesher->n_points, 1));
  for (uint32_t i = 0; i < mesher->n_points; i++) {
    const CutEdge *edge = &g_array_index (mesher->edges, CutEdge, i);
    const LatticePlace corner = { edge->x, edge->y, edge->z };
    const SurfaceVertex *vertex = mesher->memo != NULL ? surface_memo_find_vertex (mesher->memo, corner, edge->along)
                                                       : NULL;

    if (vertex == NULL) {
      mesher_place (mesher, i, get_crossing (edge, mesher->o->level));
      g_array_append_val (mesher->unknown, i);
      continue;
    }
    memcpy (mesher->p + 3 * (size_t) i, vertex->p, sizeof vertex->p);
    if (gradients)
      memcpy (mesher->gradients + 3 * (size_t) i, vertex->gradient, sizeof vertex->gradient);
  }
}

bool
mesher_place_vertices (Mesher *mesher, GError **error)
{
  const uint32_t *vertices;
  size_t n;

  mesher->n_points = mesher->edges->len;
  mesher->p = g_new (float, 3 * MAX (mesher->n_points, 1));
  mesher_recall_vertices (mesher);
  vertices = (const uint32_t *) (const void *) mesher->unknown->data;
  n = mesher->unknown->len;
  for (size_t first = 0; mesher->o->exact && first < n; first += 16 * KG_FIELD_BLOCK) {
    const size_t end = MIN (n, first + 16 * KG_FIELD_BLOCK);

    if (kg_progress_is_cancelled (mesher->monitor)) {
      kg_set_error (error, KG_ERROR_CANCELLED, "cancelled");
      return false;
    }
#pragma omp parallel for schedule(static)
    for (size_t i = first; i < end; i += KG_FIELD_BLOCK)
      mesher_find_roots (mesher, vertices + i, MIN (KG_FIELD_BLOCK, end - i));
  }
  return true;
}

/* At n places.  (transfer full) */
static float *
mesher_sample_gradients (const Mesher *mesher, const float *places, size_t n)
{
  g_autofree float *values = g_new (float, MAX (n, 1));
  float *gradients = g_new (float, 3 * MAX (n, 1));

  kg_field_sample_gradients (mesher->field, places, n, mesher->o->time, GRADIENT_STEP * mesher->o->cell, values,
                             gradients);
  return gradients;
}

const float *
mesher_get_gradients (Mesher *mesher)
{
  const uint32_t *vertices = (const uint32_t *) (const void *) mesher->unknown->data;
  const size_t n = mesher->unknown->len;
  g_autofree float *places = NULL, *gradients = NULL;

  if (n == mesher->edges->len && mesher->gradients == NULL) {
    mesher->gradients = mesher_sample_gradients (mesher, mesher->p, n);
    return mesher->gradients;
  }
  places = g_new (float, 3 * MAX (n, 1));
  gather (places, mesher->p, vertices, n);
  gradients = mesher_sample_gradients (mesher, places, n);
  scatter (mesher->gradients, gradients, vertices, n);
  return mesher->gradients;
}

/* What was found is for the next frame. */
static void
mesher_remember (Mesher *mesher)
{
  const uint32_t *vertices = (const uint32_t *) (const void *) mesher->unknown->data;

  if (mesher->memo == NULL)
    return;
  for (guint i = 0; i < mesher->unknown->len; i++) {
    const size_t at = 3 * (size_t) vertices[i];
    const CutEdge *edge = &g_array_index (mesher->edges, CutEdge, vertices[i]);

    surface_memo_add_vertex (mesher->memo, (LatticePlace){ edge->x, edge->y, edge->z }, edge->along, mesher->p + at,
                             mesher->gradients != NULL ? mesher->gradients + at : NULL);
  }
  surface_memo_keep (mesher->memo);
}

KgVector
mesher_find_dual_vertex (const Mesher *mesher, KgVector low, double size, const uint32_t *vertices, guint n,
                         const float *gradients)
{
  KgVector mean = { 0, 0, 0 }, right = { 0, 0, 0 }, axes[3], at;
  SymmetricMatrix square = { 0 };
  double values[3];

  for (guint i = 0; i < n; i++) {
    const float *p = mesher->p + 3 * (size_t) vertices[i];

    mean = kg_vector_add_scaled (mean, 1.0 / n, kg_floats_get_vector (p, 0));
  }
  for (guint i = 0; i < n; i++) {
    const float *p = mesher->p + 3 * (size_t) vertices[i], *g = gradients + 3 * (size_t) vertices[i];
    const KgVector normal = kg_vector_normalize_or (kg_floats_get_vector (g, 0), kg_vector (0, 0, 0));
    const KgVector from = kg_vector_subtract (kg_floats_get_vector (p, 0), mean);

    square = symmetric_matrix_add_square (square, 1, normal);
    right = kg_vector_add_scaled (right, kg_vector_dot (normal, from), normal);
  }
  symmetric_matrix_decompose (square, values, axes);
  at = mean;
  /* Directions that the planes hardly determine stay at the mean: singular values below 0.1. */
  for (int k = 0; k < 3; k++)
    if (values[k] > 0.01)
      at = kg_vector_add_scaled (at, kg_vector_dot (right, axes[k]) / values[k], axes[k]);
  return kg_vector (kg_clamp (at.x, low.x, low.x + size), kg_clamp (at.y, low.y, low.y + size),
                    kg_clamp (at.z, low.z, low.z + size));
}

/* The numbers of the four cubes around an edge of the lattice, counter-clockwise about its axis; false if one is not there. */
static bool
find_cubes_around (const LatticeMap *cubes, const CutEdge *edge, uint32_t around[4])
{
  static const int8_t steps[4][2] = { { -1, -1 }, { 0, -1 }, { 0, 0 }, { -1, 0 } };
  const guint axis = edge->along == 1 ? 0 : edge->along == 2 ? 1 : 2;

  for (guint i = 0; i < 4; i++) {
    int32_t at[] = { edge->x, edge->y, edge->z };
    uint64_t key;

    at[(axis + 1) % 3] += steps[i][0];
    at[(axis + 2) % 3] += steps[i][1];
    key = lattice_key (at[0], at[1], at[2], 0);
    if (!lattice_map_contains (cubes, key))
      return false;
    around[i] = cubes->values[lattice_map_find_slot (cubes, key)];
  }
  return true;
}

/* One vertex a cube, and a quadrilateral around each cut edge. */
static bool
mesher_make_dual (Mesher *mesher, GError **error)
{
  const size_t n_cubes = mesher->cubes->len;
  g_autofree float *dual = g_new (float, 3 * MAX (n_cubes, 1));
  const float *gradients;
  g_auto (LatticeMap) numbers = { 0 };

  for (size_t i = 0; i < n_cubes; i++) {
    const SurfaceCube *cube = &g_array_index (mesher->cubes, SurfaceCube, i);
    uint32_t ignored;

    lattice_map_add (&numbers, lattice_key (cube->x, cube->y, cube->z, 0), (uint32_t) i, &ignored);
    for (guint e = 0; e < CUBE_N_EDGES; e++)
      if ((cube->hot >> cube_edges[e][0] & 1) != (cube->hot >> cube_edges[e][1] & 1))
        mesher_get_vertex (mesher, cube, cube_edges[e][0], cube_edges[e][1]);
  }
  if (!mesher_place_vertices (mesher, error))
    return false;
  gradients = mesher_get_gradients (mesher);
  mesher_remember (mesher);
  for (size_t i = 0; i < n_cubes; i++) {
    const SurfaceCube *cube = &g_array_index (mesher->cubes, SurfaceCube, i);
    uint32_t vertices[CUBE_N_EDGES];
    KgVector at;
    guint n = 0;

    for (guint e = 0; e < CUBE_N_EDGES; e++)
      if ((cube->hot >> cube_edges[e][0] & 1) != (cube->hot >> cube_edges[e][1] & 1))
        vertices[n++] = mesher_get_vertex (mesher, cube, cube_edges[e][0], cube_edges[e][1]);
    at = mesher_find_dual_vertex (mesher, surface_cubes_get_corner (mesher->o, cube->x, cube->y, cube->z),
                                  mesher->o->cell, vertices, n, gradients);
    kg_floats_set_vector (dual, i, at);
  }
  for (guint i = 0; i < mesher->edges->len; i++) {
    const CutEdge *edge = &g_array_index (mesher->edges, CutEdge, i);
    uint32_t around[4];

    if (!find_cubes_around (&numbers, edge, around))
      continue;
    if (!edge->first_hot) {
      const uint32_t second = around[1];

      around[1] = around[3];
      around[3] = second;
    }
    mesher_add_polygon (mesher, around, 4);
  }
  g_free (mesher->p);
  mesher->p = g_steal_pointer (&dual);
  mesher->n_points = n_cubes;
  return true;
}

/* The surface cubes themselves, without the faces between them. */
static void
mesher_make_boxes (Mesher *mesher)
{
  g_autoptr (GArray) places = g_array_new (false, false, sizeof (float));
  g_auto (LatticeMap) numbers = { 0 }, corners = { 0 };
  uint32_t ignored;

  for (guint i = 0; i < mesher->cubes->len; i++) {
    const SurfaceCube *cube = &g_array_index (mesher->cubes, SurfaceCube, i);

    lattice_map_add (&numbers, lattice_key (cube->x, cube->y, cube->z, 0), i, &ignored);
  }
  for (guint i = 0; i < mesher->cubes->len; i++) {
    const SurfaceCube *cube = &g_array_index (mesher->cubes, SurfaceCube, i);

    for (guint f = 0; f < CUBE_N_FACES; f++) {
      const int32_t step = f % 2 == 0 ? -1 : 1;
      uint32_t vertices[4];

      if (lattice_map_contains (&numbers,
                                lattice_key (cube->x + (f / 2 == 0 ? step : 0), cube->y + (f / 2 == 1 ? step : 0),
                                             cube->z + (f / 2 == 2 ? step : 0), 0)))
        continue;
      for (guint k = 0; k < 4; k++) {
        const guint c = cube_faces[f][k];
        const int32_t x = cube->x + (int32_t) (c & 1), y = cube->y + (int32_t) (c >> 1 & 1),
                      z = cube->z + (int32_t) (c >> 2);

        if (lattice_map_add (&corners, lattice_key (x, y, z, 0), places->len / 3, &vertices[k])) {
          const KgVector at = surface_cubes_get_corner (mesher->o, x, y, z);
          const float p[] = { (float) at.x, (float) at.y, (float) at.z };

          g_array_append_vals (places, p, 3);
        }
      }
      mesher_add_polygon (mesher, vertices, 4);
    }
  }
  mesher->n_points = places->len / 3;
  mesher->p = (float *) (void *) g_array_free (g_steal_pointer (&places), false);
}

static bool
mesher_make (Mesher *mesher, PolygonizeResult *result, GError **error)
{
  const SurfaceSampling sampling = { mesher->field, mesher->o, mesher->monitor };

  if (mesher->o->method == POLYGONIZE_ADAPTIVE)
    return mesher_make_adaptive (mesher, result, error);
  if (mesher->o->memos != NULL && mesher->o->method == POLYGONIZE_WALK)
    mesher->memo = surface_memo_new (&sampling);
  mesher->cubes = surface_cubes_find (&sampling, mesher->memo, result, error);
  if (mesher->cubes == NULL)
    return false;
  result->cubes = mesher->cubes->len;
  if (mesher->o->surface == POLYGONIZE_BOXES) {
    mesher_make_boxes (mesher);
    mesher_remember (mesher);
    return true;
  }
  if (mesher->o->surface == POLYGONIZE_DUAL)
    return mesher_make_dual (mesher, error);
  for (guint i = 0; i < mesher->cubes->len; i++) {
    const SurfaceCube *cube = &g_array_index (mesher->cubes, SurfaceCube, i);

    if (mesher->o->ambiguity == POLYGONIZE_TETRAHEDRA)
      mesher_cut_tetrahedra (mesher, cube);
    else
      mesher_cut_cube (mesher, cube);
  }
  if (!mesher_place_vertices (mesher, error))
    return false;
  if (mesher->o->normals)
    mesher_get_gradients (mesher);
  mesher_remember (mesher);
  return true;
}

static void
mesher_count (const Mesher *mesher, PolygonizeResult *result)
{
  g_autofree uint32_t *parents = g_new (uint32_t, MAX (mesher->n_points, 1));
  const uint32_t *corners = (const uint32_t *) (const void *) mesher->corners->data;
  g_auto (LatticeMap) sides = { 0 };
  size_t at = 0;

  for (uint32_t i = 0; i < mesher->n_points; i++)
    parents[i] = i;
  result->pieces = mesher->n_points;
  for (guint f = 0; f < mesher->sizes->len; f++) {
    const guint n = g_array_index (mesher->sizes, guint, f);

    for (guint i = 0; i < n; i++) {
      const uint32_t a = corners[at + i], b = corners[at + (i + 1) % n];
      const uint32_t first = disjoint_sets_find (parents, a), second = disjoint_sets_find (parents, b);
      uint32_t ignored;

      lattice_map_add (&sides, (uint64_t) MIN (a, b) << 32 | MAX (a, b), 0, &ignored);
      if (first != second) {
        parents[MAX (first, second)] = MIN (first, second);
        result->pieces--;
      }
    }
    at += n;
  }
  /* Boxes of different sizes do not share their edges. */
  if (mesher->o->surface != POLYGONIZE_BOXES || mesher->o->method != POLYGONIZE_ADAPTIVE)
    result->n_open = 2 * sides.n > at ? 2 * sides.n - at : 0;
  result->euler = (int64_t) mesher->n_points - (int64_t) sides.n + (int64_t) mesher->sizes->len;
}

static KgVector
mesher_get_point (const Mesher *mesher, uint32_t i)
{
  return kg_floats_get_vector (mesher->p, (size_t) i);
}

/* The largest angle of the triangles of a fan. */
static double
get_largest_angle (const KgVector *p, guint n, guint start)
{
  double smallest = 1; /* cosine */

  for (guint i = 1; i + 1 < n; i++) {
    const KgVector corners[] = { p[start], p[(start + i) % n], p[(start + i + 1) % n] };

    for (guint c = 0; c < 3; c++) {
      const KgVector u = kg_vector_subtract (corners[(c + 1) % 3], corners[c]);
      const KgVector v = kg_vector_subtract (corners[(c + 2) % 3], corners[c]);
      const double lengths = kg_vector_length (u) * kg_vector_length (v);

      if (lengths > 0)
        smallest = MIN (smallest, kg_vector_dot (u, v) / lengths);
    }
  }
  return acos (kg_clamp (smallest, -1, 1));
}

/* Writes the corners of n - 2 triangles: the fan with the smallest largest angle, the first of equals. */
static void
mesher_fan (const Mesher *mesher, const uint32_t *polygon, guint n, uint32_t *out)
{
  g_autofree KgVector *many = n > CUBE_N_EDGES ? g_new (KgVector, n) : NULL;
  KgVector few[CUBE_N_EDGES], *p = many != NULL ? many : few;
  double least = INFINITY;
  guint best = 0;

  for (guint i = 0; i < n; i++)
    p[i] = mesher_get_point (mesher, polygon[i]);
  for (guint start = 0; n > 3 && start < n; start++) {
    const double angle = get_largest_angle (p, n, start);

    if (angle < least - 1e-6) {
      least = angle;
      best = start;
    }
  }
  for (guint i = 1; i + 1 < n; i++) {
    *out++ = polygon[best];
    *out++ = polygon[(best + i) % n];
    *out++ = polygon[(best + i + 1) % n];
  }
}

/* All polygons in fans.  (element-type uint32_t) (transfer full) */
static GArray *
mesher_cut_triangles (const Mesher *mesher)
{
  const uint32_t *corners = (const uint32_t *) (const void *) mesher->corners->data;
  const guint n_triangles = mesher->corners->len - 2 * mesher->sizes->len;
  GArray *triangles = g_array_sized_new (false, false, sizeof (uint32_t), 3 * n_triangles);
  uint32_t *to;

  g_array_set_size (triangles, 3 * n_triangles);
  to = (uint32_t *) (void *) triangles->data;
  for (guint f = 0; f < mesher->sizes->len; f++) {
    const guint n = g_array_index (mesher->sizes, guint, f);

    mesher_fan (mesher, corners, n, to);
    corners += n;
    to += 3 * (n - 2);
  }
  return triangles;
}

static void
mesher_measure (const Mesher *mesher, const GArray *triangles, PolygonizeResult *result)
{
  const uint32_t *t = (const uint32_t *) (const void *) triangles->data;
  const KgVector about = mesher->n_points > 0 ? mesher_get_point (mesher, 0) : kg_vector (0, 0, 0);

  for (guint i = 0; i < triangles->len; i += 3) {
    KgVector corners[3];

    for (guint c = 0; c < 3; c++)
      corners[c] = kg_vector_subtract (mesher_get_point (mesher, t[i + c]), about);
    result->volume += kg_vector_dot (corners[0], kg_vector_cross (corners[1], corners[2])) / 6;
    result->area += triangle_get_area (corners);
  }
}

/* Where the surface passes through a corner of the lattice, vertices of several edges are in one place: they become one, and
 * triangles between them go. */
static void
mesher_collapse (const Mesher *mesher, GArray *triangles)
{
  uint32_t *t = (uint32_t *) (void *) triangles->data;
  g_autofree uint32_t *same = g_new (uint32_t, MAX (mesher->n_points, 1));
  g_auto (LatticeMap) corners = { 0 };
  guint kept = 0;

  if (mesher->o->surface != POLYGONIZE_POLYGONS)
    return;
  for (uint32_t i = 0; i < mesher->n_points; i++) {
    const CutEdge *e = &g_array_index (mesher->edges, CutEdge, i);
    const bool first = (double) e->values[0] == mesher->o->level, second = (double) e->values[1] == mesher->o->level;
    const int32_t by = second ? e->length : 0;
    const int32_t x = by * (e->along & 1), y = by * (e->along >> 1 & 1), z = by * (e->along >> 2);

    same[i] = i;
    if (first || second)
      lattice_map_add (&corners, lattice_key (e->x + x, e->y + y, e->z + z, 0), i, &same[i]);
  }
  if (corners.n == 0)
    return;
  for (guint i = 0; i < triangles->len; i += 3) {
    const uint32_t a = same[t[i]], b = same[t[i + 1]], c = same[t[i + 2]];

    if (a == b || b == c || c == a)
      continue;
    t[kept++] = a;
    t[kept++] = b;
    t[kept++] = c;
  }
  g_array_set_size (triangles, kept);
}

/* False: too small to have a direction. */
static bool
find_normal (const PolygonizeOptions *o, const float gradient[3], float normal[3])
{
  const double x = (double) gradient[0], y = (double) gradient[1], z = (double) gradient[2];
  const double length = sqrt (x * x + y * y + z * z);

  if (!(length * o->cell > 1e-9 * fabs (o->level)) || !isfinite (length))
    return false;
  normal[0] = (float) (-x / length);
  normal[1] = (float) (-y / length);
  normal[2] = (float) (-z / length);
  return true;
}

static void
set_normals (Mesher *mesher, KgGeometry *mesh)
{
  const size_t n = mesher->n_points;
  g_autofree float *sampled = NULL;
  const float *gradients = mesher->gradients;
  float *normals = kg_geometry_edit_float (mesh, KG_POINTS, "N", 3);
  bool all = true;

  if (mesher->o->surface != POLYGONIZE_POLYGONS)
    gradients = sampled = mesher_sample_gradients (mesher, mesher->p, n);
  else if (gradients == NULL)
    gradients = mesher_get_gradients (mesher);
  for (size_t i = 0; i < n; i++)
    all = find_normal (mesher->o, gradients + 3 * i, normals + 3 * i) && all;
  if (all)
    return;
  /* Of the polygons, where the field has none. */
  kg_geometry_compute_normals (mesh);
  normals = kg_geometry_edit_float (mesh, KG_POINTS, "N", 3);
  for (size_t i = 0; i < n; i++)
    find_normal (mesher->o, gradients + 3 * i, normals + 3 * i);
}

/* Drops the points that collapsed triangles have left behind. */
static void
drop_unused_points (KgGeometry *mesh, const GArray *triangles)
{
  const size_t n = kg_geometry_get_n_points (mesh);
  g_autofree uint8_t *used = g_new0 (uint8_t, MAX (n, 1));
  size_t n_used = 0;

  for (guint i = 0; i < triangles->len; i++)
    used[g_array_index (triangles, uint32_t, i)] = 1;
  for (size_t i = 0; i < n; i++)
    n_used += used[i];
  if (n_used < n)
    kg_geometry_keep_points (mesh, used);
}

static KgGeometry *
mesher_make_geometry (Mesher *mesher, const GArray *triangles, GError **error)
{
  const uint32_t *corners = (const uint32_t *) (const void *) mesher->corners->data;
  g_autoptr (KgGeometry) mesh = kg_geometry_new ();

  if (!kg_geometry_set_n_points (mesh, mesher->n_points, error))
    return NULL;
  memcpy (kg_geometry_edit_positions (mesh), mesher->p, 3 * mesher->n_points * sizeof (float));
  if (mesher->o->triangles)
    kg_geometry_add_primitives (mesh, KG_POLYGON, true, triangles->len / 3, 3,
                                (const uint32_t *) (const void *) triangles->data);
  for (guint f = 0; !mesher->o->triangles && f < mesher->sizes->len; f++) {
    const KgPrimitive polygon = {
      .kind = KG_POLYGON, .closed = true, .n_vertices = g_array_index (mesher->sizes, guint, f), .vertices = corners
    };

    kg_geometry_add_primitive (mesh, &polygon);
    corners += polygon.n_vertices;
  }
  if (mesher->o->normals)
    set_normals (mesher, mesh);
  if (mesher->o->color != NULL)
    kg_field_sample_points (mesher->o->color, mesher->p, mesher->n_points, mesher->o->time,
                            kg_geometry_edit_float (mesh, KG_POINTS, "Cd", 3));
  if (mesher->o->triangles)
    drop_unused_points (mesh, triangles);
  return g_steal_pointer (&mesh);
}

bool
polygonize (const KgField *field, const PolygonizeOptions *options, const KgProgressMonitor *monitor,
            PolygonizeResult *result, GError **error)
{
  g_auto (Mesher) mesher = { .field = field,
                             .o = options,
                             .monitor = monitor,
                             .edges = g_array_new (false, false, sizeof (CutEdge)),
                             .sizes = g_array_new (false, false, sizeof (guint)),
                             .corners = g_array_new (false, false, sizeof (uint32_t)),
                             .unknown = g_array_new (false, false, sizeof (uint32_t)) };
  g_autoptr (GArray) triangles = NULL;

  *result = (PolygonizeResult){ 0 };
  if (!mesher_make (&mesher, result, error))
    return false;
  mesher_count (&mesher, result);
  triangles = mesher_cut_triangles (&mesher);
  mesher_measure (&mesher, triangles, result);
  mesher_collapse (&mesher, triangles);
  result->mesh = mesher_make_geometry (&mesher, triangles, error);
  return result->mesh != NULL;
}
