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
/* Of a step, relative to the edge: what is left then is far less, as the steps get smaller ever faster. */
#define ROOT_ENOUGH 1e-6
/* Of gradients where the class of the field has none, relative to the cell. */
#define GRADIENT_STEP 1e-2

static void
mesher_clear (Mesher *mesher)
{
  lattice_map_clear (&mesher->map);
  lattice_map_clear (&mesher->turned);
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

static CutEdge
get_cut_edge (const SurfaceCube *cube, guint a, guint b)
{
  return (CutEdge){ .x = cube->x + (int32_t) (a & 1),
                    .y = cube->y + (int32_t) (a >> 1 & 1),
                    .z = cube->z + (int32_t) (a >> 2),
                    .length = 1,
                    .along = (guint8) (a ^ b),
                    .first_hot = (cube->hot >> a & 1) != 0,
                    .values = { cube->values[a], cube->values[b] } };
}

/* The vertex on the edge between corners a and b of a cube, a being below b along every axis. */
static uint32_t
mesher_get_vertex (Mesher *mesher, const SurfaceCube *cube, guint a, guint b)
{
  const CutEdge edge = get_cut_edge (cube, a, b);

  return mesher_add_edge (mesher, &edge);
}

void
mesher_add_polygon (Mesher *mesher, const uint32_t *vertices, guint n)
{
  g_array_append_val (mesher->sizes, n);
  g_array_append_vals (mesher->corners, vertices, n);
}

/* The key of a face of a cube, which is the same for both cubes that share it. */
static uint64_t
get_face_key (const SurfaceCube *cube, guint face)
{
  const guint axis = face / 2;
  const int32_t far = (int32_t) (face % 2);

  return lattice_key (cube->x + (axis == 0 ? far : 0), cube->y + (axis == 1 ? far : 0), cube->z + (axis == 2 ? far : 0),
                      axis);
}

static void
mesher_trace (const Mesher *mesher, const SurfaceCube *cube, guint ambiguous, CubeLoops *loops)
{
  guint join = 0;

  if (mesher->o->ambiguity == POLYGONIZE_JOIN)
    join = ambiguous;
  else if (mesher->o->ambiguity == POLYGONIZE_DECIDE && ambiguous != 0)
    join = cube_loops_decide (cube->hot, ambiguous, cube->values, mesher->o->level);
  for (guint f = 0; mesher->turned.n > 0 && f < CUBE_N_FACES; f++)
    if ((ambiguous >> f & 1) != 0 && lattice_map_contains (&mesher->turned, get_face_key (cube, f)))
      join ^= 1u << f;
  cube_loops_trace (cube->hot, join, loops);
}

/* The polygons that have been added last, up to the n-th, are of a cube. */
static void
own_polygons (const PolygonizeOptions *o, const SurfaceCube *cube, guint n, GArray *owners)
{
  const PolygonOwner owner = { surface_cubes_get_corner (o, cube->x, cube->y, cube->z), o->cell };

  while (owners->len < n)
    g_array_append_val (owners, owner);
}

/* The vertices of a cube, NO_VERTEX on edges that are not cut, and the cubes before it along x, y and z: they have been cut. */
#define NO_VERTEX UINT32_MAX
#define NO_CUBE UINT32_MAX
#define ROOM_FOR 1024

typedef struct {
  uint32_t vertices[CUBE_N_EDGES];
  uint32_t before[3];
} CutCube;

/* The edges of the face of a cube that is low along an axis, and what the same edges are called in the cube before it. */
static const guint8 shared_edges[3][4][2] = { { { 4, 5 }, { 6, 7 }, { 8, 9 }, { 10, 11 } },
                                              { { 0, 1 }, { 2, 3 }, { 8, 10 }, { 9, 11 } },
                                              { { 0, 2 }, { 1, 3 }, { 4, 6 }, { 5, 7 } } };

/* Cubes are in the order of z, y, x, and so are those before them. */
static void
find_before (const GArray *cubes, CutCube *cut)
{
  const SurfaceCube *all = (const SurfaceCube *) (const void *) cubes->data;
  guint at[3] = { 0, 0, 0 };

  for (guint i = 0; i < cubes->len; i++)
    for (guint axis = 0; axis < 3; axis++) {
      const int32_t x = all[i].x - (axis == 0), y = all[i].y - (axis == 1), z = all[i].z - (axis == 2);
      const SurfaceCube *other;

      while (other = &all[at[axis]],
             other->z < z || (other->z == z && (other->y < y || (other->y == y && other->x < x))))
        at[axis]++;
      cut[i].before[axis] = other->x == x && other->y == y && other->z == z ? at[axis] : NO_CUBE;
    }
}

/* Takes over the vertices on the three low faces, and counts the sides of polygons there, which have a polygon on either side. */
static size_t
cut_cube_share (CutCube *cut, guint i)
{
  size_t n_shared = 0;

  memset (cut[i].vertices, 0xff, sizeof cut[i].vertices);
  for (guint axis = 0; axis < 3; axis++) {
    guint n = 0;

    if (cut[i].before[axis] == NO_CUBE)
      continue;
    for (guint e = 0; e < 4; e++) {
      const uint32_t vertex = cut[cut[i].before[axis]].vertices[shared_edges[axis][e][1]];

      n += vertex != NO_VERTEX;
      cut[i].vertices[shared_edges[axis][e][0]] = vertex;
    }
    n_shared += n / 2;
  }
  return n_shared;
}

/* Of all masks: their faces that are ambiguous, and the loops where these are separated. */
typedef struct {
  CubeLoops loops[256];
  guint8 ambiguous[256];
} MaskTable;

static const MaskTable *
get_table (void)
{
  static MaskTable table;
  static gsize done = 0;

  if (g_once_init_enter (&done)) {
    for (guint hot = 0; hot < 256; hot++) {
      cube_loops_trace (hot, 0, &table.loops[hot]);
      table.ambiguous[hot] = (guint8) cube_loops_get_ambiguous (hot);
    }
    g_once_init_leave (&done, 1);
  }
  return &table;
}

/* A vertex belongs to an edge, and the four cubes around an edge that is cut are all there unless the box ends: each has it from
 * one before it.  owners: (nullable) gets the PolygonOwner of each polygon. */
static void
mesher_cut_cubes (Mesher *mesher, GArray *owners)
{
  const guint n_cubes = mesher->cubes->len;
  const SurfaceCube *cubes = (const SurfaceCube *) (const void *) mesher->cubes->data;
  const MaskTable *table = get_table ();
  g_autofree CutCube *cut = g_new (CutCube, MAX ((size_t) n_cubes, 1));
  guint n_corners = 0, n_edges = 0, n_polygons = 0, *sizes = NULL;
  uint32_t *corners = NULL;
  CutEdge *edges = NULL;

  find_before (mesher->cubes, cut);
  for (guint i = 0; i < n_cubes; i++) {
    const SurfaceCube *cube = &cubes[i];
    const guint ambiguous = table->ambiguous[cube->hot];
    const CubeLoops *loops = &table->loops[cube->hot];
    CubeLoops traced;

    mesher->n_shared += cut_cube_share (cut, i);
    if (ambiguous != 0) {
      mesher_trace (mesher, cube, ambiguous, &traced);
      loops = &traced;
    }
    /* Room for the most that so many cubes can have. */
    if (i % ROOM_FOR == 0) {
      g_array_set_size (mesher->corners, n_corners + ROOM_FOR * CUBE_N_EDGES);
      g_array_set_size (mesher->edges, n_edges + ROOM_FOR * CUBE_N_EDGES);
      g_array_set_size (mesher->sizes, n_polygons + ROOM_FOR * CUBE_MAX_LOOPS);
      corners = (uint32_t *) (void *) mesher->corners->data;
      edges = (CutEdge *) (void *) mesher->edges->data;
      sizes = (guint *) (void *) mesher->sizes->data;
    }
    for (guint l = 0; l < loops->n_loops; l++) {
      for (guint k = 0; k < loops->size[l]; k++) {
        const guint e = loops->edges[l][k];

        if (cut[i].vertices[e] == NO_VERTEX) {
          edges[n_edges] = get_cut_edge (cube, cube_edges[e][0], cube_edges[e][1]);
          cut[i].vertices[e] = n_edges++;
        }
        corners[n_corners++] = cut[i].vertices[e];
      }
      sizes[n_polygons++] = loops->size[l];
    }
    if (owners != NULL)
      own_polygons (mesher->o, cube, n_polygons, owners);
  }
  g_array_set_size (mesher->corners, n_corners);
  g_array_set_size (mesher->edges, n_edges);
  g_array_set_size (mesher->sizes, n_polygons);
}

/* Whether one loop passes through all four edges of a face. */
static bool
passes_twice (const CubeLoops *loops, guint face)
{
  for (guint l = 0; l < loops->n_loops; l++) {
    guint n = 0;

    for (guint i = 0; i < loops->size[l]; i++) {
      const guint8 *ends = cube_edges[loops->edges[l][i]];
      /* Corners of the lower face along the axis have its bit clear. */
      const guint bit = 1u << face / 2, side = face % 2 == 0 ? 0 : bit;

      n += (ends[0] & bit) == side && (ends[1] & bit) == side;
    }
    if (n == 4)
      return true;
  }
  return false;
}

/* Faces through which one polygon passes twice from either side would be edges of four polygons of the dual: their diagonal
 * corners are taken the other way, so that there are two polygons on each side (Wenger, Isosurfaces, 2013, 5.3: only cubes
 * without other such faces have them, which is why this ends). */
static void
mesher_turn_faces (Mesher *mesher)
{
  const MaskTable *table = get_table ();

  for (size_t n_before = SIZE_MAX; n_before != mesher->turned.n;) {
    g_auto (LatticeMap) twice = { 0 };

    n_before = mesher->turned.n;
    for (guint i = 0; i < mesher->cubes->len; i++) {
      const SurfaceCube *cube = &g_array_index (mesher->cubes, SurfaceCube, i);
      const guint ambiguous = table->ambiguous[cube->hot];
      CubeLoops loops;
      uint32_t ignored;

      if (ambiguous == 0)
        continue;
      mesher_trace (mesher, cube, ambiguous, &loops);
      for (guint f = 0; f < CUBE_N_FACES; f++)
        if ((ambiguous >> f & 1) != 0 && passes_twice (&loops, f) &&
            !lattice_map_add (&twice, get_face_key (cube, f), 0, &ignored))
          lattice_map_add (&mesher->turned, get_face_key (cube, f), 0, &ignored);
    }
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
  KgVector from, along; /* the edge */
  uint32_t vertex;
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

static Root
mesher_begin_root (const Mesher *mesher, uint32_t vertex)
{
  const PolygonizeOptions *o = mesher->o;
  const CutEdge *edge = &g_array_index (mesher->edges, CutEdge, vertex);
  const double length = edge->length * o->cell;

  return (Root){ .high = 1,
                 .f_low = (double) edge->values[0] - o->level,
                 .f_high = (double) edge->values[1] - o->level,
                 .t = get_crossing (edge, o->level),
                 .from = surface_cubes_get_corner (o, edge->x, edge->y, edge->z),
                 .along = kg_vector (length * (edge->along & 1), length * (edge->along >> 1 & 1),
                                     length * (edge->along >> 2)),
                 .vertex = vertex };
}

/* Moves vertices to where the field has the level.  Those that a step does not move any more, as floats or by more than
 * ROOT_ENOUGH, are done. */
static void
mesher_find_roots (Mesher *mesher, const uint32_t *vertices, size_t n)
{
  const PolygonizeOptions *o = mesher->o;
  Root roots[KG_FIELD_BLOCK];
  float x[KG_FIELD_BLOCK], y[KG_FIELD_BLOCK], z[KG_FIELD_BLOCK], values[KG_FIELD_BLOCK], *to = values;

  for (size_t i = 0; i < n; i++)
    roots[i] = mesher_begin_root (mesher, vertices[i]);
  for (int step = 0; step < ROOT_STEPS && n > 0; step++) {
    const KgFieldBlock block = { .n = n, .x = x, .y = y, .z = z, .time = o->time };
    size_t n_moving = 0;

    for (size_t i = 0; i < n; i++) {
      const KgVector at = kg_vector_add_scaled (roots[i].from, roots[i].t, roots[i].along);

      x[i] = (float) at.x;
      y[i] = (float) at.y;
      z[i] = (float) at.z;
    }
    kg_field_sample (mesher->field, &block, &to);
    for (size_t i = 0; i < n; i++) {
      Root *root = &roots[i];
      const double before = root->t;
      KgVector at;
      float *p = mesher->p + 3 * (size_t) root->vertex;

      root_step (root, (double) values[i] - o->level);
      at = kg_vector_add_scaled (root->from, root->t, root->along);
      kg_floats_set_vector (p, 0, at);
      if (fabs (root->t - before) > ROOT_ENOUGH && (p[0] != x[i] || p[1] != y[i] || p[2] != z[i]))
        roots[n_moving++] = *root;
    }
    n = n_moving;
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
    const SurfaceVertex *vertex =
        mesher->memo != NULL ? surface_memo_find_vertex (mesher->memo, corner, edge->along, edge->length) : NULL;

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

/* Vertices are put together by blocks of so many cells, as a power of two. */
#define NEAR_BITS 2
#define DIGIT_BITS 11

typedef struct {
  uint64_t block;
  uint32_t vertex;
} Near;

/* By their blocks, those of one block in their order: digit by digit, but for the digits that all have in common. */
static void
sort_near (Near *near, size_t n)
{
  g_autofree Near *other = g_new (Near, MAX (n, 1));
  Near *from = near, *to = other;
  uint64_t different = 0;

  for (size_t i = 1; i < n; i++)
    different |= near[i].block ^ near[0].block;
  for (guint digit = 0; digit < 64; digit += DIGIT_BITS) {
    size_t starts[(1 << DIGIT_BITS) + 1] = { 0 };
    const uint64_t mask = (1 << DIGIT_BITS) - 1;

    if ((different >> digit & mask) == 0)
      continue;
    for (size_t i = 0; i < n; i++)
      starts[(from[i].block >> digit & mask) + 1]++;
    for (size_t d = 0; d < mask; d++)
      starts[d + 1] += starts[d];
    for (size_t i = 0; i < n; i++)
      to[starts[from[i].block >> digit & mask]++] = from[i];
    {
      Near *const swap = from;

      from = to;
      to = swap;
    }
  }
  if (from != near)
    memcpy (near, from, n * sizeof *near);
}

/* Puts those that are near each other together: of many keys, only those near all places of a block are looked at. */
static void
mesher_sort_unknown (Mesher *mesher)
{
  const size_t n = mesher->unknown->len;
  uint32_t *unknown = (uint32_t *) (void *) mesher->unknown->data;
  g_autofree Near *near = g_new (Near, MAX (n, 1));

  for (size_t i = 0; i < n; i++) {
    const CutEdge *edge = &g_array_index (mesher->edges, CutEdge, unknown[i]);

    near[i] = (Near){ lattice_key (edge->x >> NEAR_BITS, edge->y >> NEAR_BITS, edge->z >> NEAR_BITS, 0), unknown[i] };
  }
  sort_near (near, n);
  for (size_t i = 0; i < n; i++)
    unknown[i] = near[i].vertex;
}

/* Of all edges: fills p.  KG_ERROR_CANCELLED. */
static bool
mesher_place_vertices (Mesher *mesher, GError **error)
{
  const uint32_t *vertices;
  size_t n;

  mesher->n_points = mesher->edges->len;
  mesher->p = g_new (float, 3 * MAX (mesher->n_points, 1));
  mesher_recall_vertices (mesher);
  mesher_sort_unknown (mesher);
  vertices = (const uint32_t *) (const void *) mesher->unknown->data;
  n = mesher->unknown->len;
  for (size_t first = 0; mesher->o->exact && first < n; first += 16 * KG_FIELD_BLOCK) {
    const size_t end = MIN (n, first + 16 * KG_FIELD_BLOCK);

    if (!kg_progress_check (mesher->monitor, error))
      return false;
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

/* Of the field at the vertices of edges, 3 numbers each. */
static void
mesher_find_gradients (Mesher *mesher)
{
  const uint32_t *vertices = (const uint32_t *) (const void *) mesher->unknown->data;
  const size_t n = mesher->unknown->len;
  g_autofree float *places = NULL, *gradients = NULL;

  if (mesher->gradients == NULL)
    mesher->gradients = g_new (float, 3 * MAX (mesher->n_points, 1));
  places = g_new (float, 3 * MAX (n, 1));
  gather (places, mesher->p, vertices, n);
  gradients = mesher_sample_gradients (mesher, places, n);
  scatter (mesher->gradients, gradients, vertices, n);
}

void
mesher_remember (Mesher *mesher)
{
  const uint32_t *vertices = (const uint32_t *) (const void *) mesher->unknown->data;

  if (mesher->memo == NULL)
    return;
  for (guint i = 0; i < mesher->unknown->len; i++) {
    const size_t at = 3 * (size_t) vertices[i];
    const CutEdge *edge = &g_array_index (mesher->edges, CutEdge, vertices[i]);

    surface_memo_add_vertex (mesher->memo, (LatticePlace){ edge->x, edge->y, edge->z }, edge->along, edge->length,
                             mesher->p + at, mesher->gradients != NULL ? mesher->gradients + at : NULL);
  }
  surface_memo_keep (mesher->memo);
}

/* The place within a cube that is nearest to the planes of the surface through the given vertices. */
static KgVector
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

/* A corner of a polygon: the polygon, and the vertices before and after. */
typedef struct {
  uint32_t polygon, before, after;
} Corner;

/* The polygons around a vertex, counter-clockwise from outside; 0 where they do not close. */
static guint
order_around (const Corner *corners, guint n, uint32_t *ring)
{
  guint at = 0;

  for (guint i = 0; i < n; i++) {
    guint next = 0;

    ring[i] = corners[at].polygon;
    /* The one beyond the edge that leads here has it the other way round. */
    while (next < n && corners[next].after != corners[at].before)
      next++;
    if (next == n || (next == 0) != (i == n - 1))
      return 0;
    at = next;
  }
  return n;
}

/* Exchanges the polygons for those of the dual surface: a vertex for each polygon where the planes of the surface in its cube
 * meet, and a polygon around each of its vertices.  The dual of a closed surface is closed, also where the surface passes
 * through a cube more than once (Nielson, Dual Marching Cubes, 2004).  After gradients; owners: PolygonOwner
 * of each polygon. */
static void
mesher_make_dual (Mesher *mesher, const GArray *owners)
{
  const size_t n_dual = mesher->sizes->len, n_vertices = mesher->n_points;
  const uint32_t *corners = (const uint32_t *) (const void *) mesher->corners->data;
  g_autofree float *dual = g_new (float, 3 * MAX (n_dual, 1));
  const float *gradients = mesher->gradients;
  g_autofree guint *starts = g_new0 (guint, n_vertices + 1);
  g_autofree Corner *around = g_new (Corner, MAX (mesher->corners->len, 1));
  g_autoptr (GArray) sizes = mesher->sizes, primal = mesher->corners;
  g_autoptr (GArray) ring = g_array_new (false, false, sizeof (uint32_t));
  size_t at = 0;

  for (guint i = 0; i < primal->len; i++)
    starts[corners[i] + 1]++;
  for (size_t i = 0; i < n_vertices; i++)
    starts[i + 1] += starts[i];
  for (uint32_t f = 0; f < n_dual; f++) {
    const guint n = g_array_index (sizes, guint, f);
    const PolygonOwner *owner = &g_array_index (owners, PolygonOwner, f);
    const KgVector place = mesher_find_dual_vertex (mesher, owner->low, owner->size, corners + at, n, gradients);

    kg_floats_set_vector (dual, f, place);
    /* starts[v] moves to where the corners of v end, which is where those of v + 1 begin. */
    for (guint i = 0; i < n; i++)
      around[starts[corners[at + i]]++] = (Corner){ f, corners[at + (i + n - 1) % n], corners[at + (i + 1) % n] };
    at += n;
  }
  mesher->sizes = g_array_new (false, false, sizeof (guint));
  mesher->corners = g_array_new (false, false, sizeof (uint32_t));
  for (size_t v = 0; v < n_vertices; v++) {
    const guint first = v > 0 ? starts[v - 1] : 0;
    guint n = starts[v] - first;

    g_array_set_size (ring, n);
    n = order_around (around + first, n, (uint32_t *) (void *) ring->data);
    if (n > 2)
      mesher_add_polygon (mesher, (const uint32_t *) (const void *) ring->data, n);
  }
  g_free (mesher->p);
  mesher->p = g_steal_pointer (&dual);
  mesher->n_points = n_dual;
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

bool
mesher_finish (Mesher *mesher, const GArray *owners, GError **error)
{
  const bool dual = mesher->o->surface == POLYGONIZE_DUAL;

  if (!mesher_place_vertices (mesher, error))
    return false;
  if (dual || mesher->o->normals)
    mesher_find_gradients (mesher);
  mesher_remember (mesher);
  if (dual)
    mesher_make_dual (mesher, owners);
  return true;
}

static bool
mesher_make (Mesher *mesher, PolygonizeResult *result, GError **error)
{
  const SurfaceSampling sampling = { mesher->field, mesher->o, mesher->monitor };
  const bool dual = mesher->o->surface == POLYGONIZE_DUAL;
  g_autoptr (GArray) owners = g_array_new (false, false, sizeof (PolygonOwner));

  if (mesher->o->memos != NULL)
    mesher->memo = surface_memo_new (&sampling);
  if (mesher->o->method == POLYGONIZE_ADAPTIVE)
    return mesher_make_adaptive (mesher, result, error);
  mesher->cubes = surface_cubes_find (&sampling, mesher->memo, result, error);
  if (mesher->cubes == NULL)
    return false;
  result->cubes = mesher->cubes->len;
  if (mesher->o->surface == POLYGONIZE_BOXES) {
    mesher_make_boxes (mesher);
    mesher_remember (mesher);
    return true;
  }
  if (dual)
    mesher_turn_faces (mesher);
  if (mesher->o->ambiguity == POLYGONIZE_TETRAHEDRA && !dual)
    for (guint i = 0; i < mesher->cubes->len; i++)
      mesher_cut_tetrahedra (mesher, &g_array_index (mesher->cubes, SurfaceCube, i));
  else
    mesher_cut_cubes (mesher, dual ? owners : NULL);
  return mesher_finish (mesher, owners, error);
}

/* The corners of the cell that a place is in, from the nearest of them on. */
static void
list_corners (const PolygonizeOptions *o, KgVector place, float *p)
{
  int32_t low[3];
  guint nearest = 0;

  for (size_t axis = 0; axis < 3; axis++) {
    const double at = (kg_vector_get (place, axis) - kg_vector_get (o->origin, axis)) / o->cell;

    low[axis] = (int32_t) CLAMP (floor (at), -LATTICE_MAX, LATTICE_MAX - 1);
    nearest |= at - low[axis] >= 0.5 ? 1u << axis : 0;
  }
  for (guint c = 0; c < 8; c++) {
    const guint corner = c ^ nearest;

    kg_floats_set_vector (p, c,
                          surface_cubes_get_corner (o, low[0] + (int32_t) (corner & 1),
                                                    low[1] + (int32_t) (corner >> 1 & 1),
                                                    low[2] + (int32_t) (corner >> 2)));
  }
}

static bool
is_within (const PolygonizeOptions *o, KgVector place)
{
  for (size_t axis = 0; axis < 3; axis++)
    if (!(kg_vector_get (place, axis) >= kg_vector_get (o->low, axis)) ||
        !(kg_vector_get (place, axis) <= kg_vector_get (o->high, axis)))
      return false;
  return true;
}

/* Seeds within the body, while no corner of their cell is: it passes between the corners there, and no method sees it. */
static bool
mesher_count_thin (const Mesher *mesher, size_t *n_thin, GError **error)
{
  const PolygonizeOptions *o = mesher->o;
  const SurfaceSampling sampling = { mesher->field, o, mesher->monitor };
  g_autoptr (GArray) seeds = g_array_new (false, false, sizeof (KgVector));
  g_autofree float *places = NULL, *values = NULL;
  size_t n = 0;

  kg_field_add_seeds (mesher->field, seeds);
  places = g_new (float, 6 * MAX ((size_t) seeds->len, 1));
  values = g_new (float, 2 * MAX ((size_t) seeds->len, 1));
  for (guint i = 0; i < seeds->len; i++) {
    const KgVector seed = g_array_index (seeds, KgVector, i);
    float corners[24];

    if (!is_within (o, seed))
      continue;
    list_corners (o, seed, corners);
    g_array_index (seeds, KgVector, n) = seed;
    kg_floats_set_vector (places, 2 * n, seed);
    memcpy (places + 6 * n++ + 3, corners, 3 * sizeof *corners);
  }
  if (!surface_search_sample (&sampling, places, 2 * n, values, error))
    return false;
  for (size_t i = 0; i < n; i++) {
    float corners[24], at[8];
    bool cold = true;

    if (!((double) values[2 * i] >= o->level) || (double) values[2 * i + 1] >= o->level)
      continue;
    list_corners (o, g_array_index (seeds, KgVector, i), corners);
    kg_field_sample_points (mesher->field, corners, 8, o->time, at);
    for (guint c = 0; c < 8; c++)
      cold = cold && !((double) at[c] >= o->level);
    *n_thin += cold;
  }
  return true;
}

/* Sides of polygons that two polygons have in common. */
static size_t
mesher_count_shared (const Mesher *mesher)
{
  const uint32_t *corners = (const uint32_t *) (const void *) mesher->corners->data;
  g_auto (LatticeMap) sides = { 0 };

  for (guint f = 0; f < mesher->sizes->len; f++) {
    const guint n = g_array_index (mesher->sizes, guint, f);

    for (guint i = 0; i < n; i++) {
      const uint32_t a = corners[i], b = corners[(i + 1) % n];
      uint32_t ignored;

      lattice_map_add (&sides, (uint64_t) MIN (a, b) << 32 | MAX (a, b), 0, &ignored);
    }
    corners += n;
  }
  return mesher->corners->len - sides.n;
}

static size_t
mesher_count_pieces (const Mesher *mesher)
{
  g_autofree uint32_t *parents = g_new (uint32_t, MAX (mesher->n_points, 1));
  const uint32_t *corners = (const uint32_t *) (const void *) mesher->corners->data;
  size_t pieces = mesher->n_points;

  for (uint32_t i = 0; i < mesher->n_points; i++)
    parents[i] = i;
  for (guint f = 0; f < mesher->sizes->len; f++) {
    const guint n = g_array_index (mesher->sizes, guint, f);
    uint32_t root = disjoint_sets_find (parents, corners[0]);

    for (guint i = 1; i < n; i++) {
      const uint32_t other = disjoint_sets_find (parents, corners[i]);

      if (other == root)
        continue;
      parents[MAX (root, other)] = MIN (root, other);
      root = MIN (root, other);
      pieces--;
    }
    corners += n;
  }
  return pieces;
}

static void
mesher_count (const Mesher *mesher, PolygonizeResult *result)
{
  const bool primal = mesher->o->surface == POLYGONIZE_POLYGONS && mesher->o->method != POLYGONIZE_ADAPTIVE &&
                      mesher->o->ambiguity != POLYGONIZE_TETRAHEDRA;
  const size_t n_ways = mesher->corners->len, n_shared = primal ? mesher->n_shared : mesher_count_shared (mesher);

  result->pieces = mesher_count_pieces (mesher);
  /* Boxes of different sizes do not share their edges. */
  if (mesher->o->surface != POLYGONIZE_BOXES || mesher->o->method != POLYGONIZE_ADAPTIVE)
    result->n_open = n_ways > 2 * n_shared ? n_ways - 2 * n_shared : 0;
  result->euler = (int64_t) mesher->n_points - (int64_t) (n_ways - n_shared) + (int64_t) mesher->sizes->len;
}

static KgVector
mesher_get_point (const Mesher *mesher, uint32_t i)
{
  return kg_floats_get_vector (mesher->p, (size_t) i);
}

/* Distances between the corners of a polygon: their squares, and the inverse or, in one place, 0. */
typedef struct {
  double square[CUBE_N_EDGES][CUBE_N_EDGES], inverse[CUBE_N_EDGES][CUBE_N_EDGES];
} Distances;

static void
measure_distances (const KgVector *p, guint n, Distances *d)
{
  for (guint i = 0; i < n; i++)
    for (guint k = i + 1; k < n; k++) {
      const KgVector side = kg_vector_subtract (p[k], p[i]);
      const double square = kg_vector_dot (side, side);

      d->square[i][k] = d->square[k][i] = square;
      d->inverse[i][k] = d->inverse[k][i] = square > 0 ? 1 / sqrt (square) : 0;
    }
}

/* The cosine of the largest angle of a triangle, which is opposite to its longest side; 1 where that has no end. */
static double
get_cosine (const Distances *d, guint a, guint b, guint c)
{
  const guint swap = a;
  double inverse;

  if (d->square[a][b] >= d->square[b][c] && d->square[a][b] >= d->square[a][c]) {
    a = c;
    c = swap;
  } else if (d->square[a][c] >= d->square[b][c]) {
    a = b;
    b = swap;
  }
  inverse = d->inverse[a][b] * d->inverse[a][c];
  return inverse > 0 ? 0.5 * (d->square[a][b] + d->square[a][c] - d->square[b][c]) * inverse : 1;
}

/* The cosine of the largest angle of the triangles of a fan. */
static double
get_least_cosine (const Distances *d, guint n, guint start)
{
  double least = 1;

  for (guint i = 1, b = start; i + 1 < n; i++) {
    guint c;

    b = b + 1 < n ? b + 1 : 0;
    c = b + 1 < n ? b + 1 : 0;
    least = MIN (least, get_cosine (d, start, b, c));
  }
  return least;
}

/* Whether the angle of one cosine is smaller than that of another, by more than rounding makes of equal ones.  An angle is never nearer
 * to another than their cosines are. */
static bool
is_smaller_angle (double cosine, double than)
{
  const double equal = 1e-6; /* radians */

  return cosine > than + equal ||
         (cosine > than && acos (kg_clamp (cosine, -1, 1)) < acos (kg_clamp (than, -1, 1)) - equal);
}

/* Where the fan with the smallest largest angle begins, the first of equals. */
static guint
mesher_find_fan (const Mesher *mesher, const uint32_t *polygon, guint n)
{
  KgVector p[CUBE_N_EDGES];
  Distances distances;
  double most = 0;
  guint best = 0;

  for (guint i = 0; i < n; i++)
    p[i] = mesher_get_point (mesher, polygon[i]);
  measure_distances (p, n, &distances);
  /* Quadrilaterals have two diagonals. */
  for (guint start = 0; start < (n == 4 ? 2 : n); start++) {
    const double cosine = get_least_cosine (&distances, n, start);

    if (start == 0 || is_smaller_angle (cosine, most)) {
      most = cosine;
      best = start;
    }
  }
  return best;
}

/* Writes the corners of n - 2 triangles. */
static void
mesher_fan (const Mesher *mesher, const uint32_t *polygon, guint n, uint32_t *out)
{
  const guint start = n > 3 && n <= CUBE_N_EDGES ? mesher_find_fan (mesher, polygon, n) : 0;
  guint at = start;

  for (guint i = 1; i + 1 < n; i++) {
    at = at + 1 < n ? at + 1 : 0;
    *out++ = polygon[start];
    *out++ = polygon[at];
    *out++ = polygon[at + 1 < n ? at + 1 : 0];
  }
}

/* Polygons that are cut and measured together: sums are of these, so that they have the same bits for any number of threads. */
#define POLYGONS_AT_ONCE 4096

typedef struct {
  const guint *sizes;
  const uint32_t *corners;
  guint n;
  uint32_t *triangles;
  double volume, area;
} PolygonBlock;

static void
mesher_cut_block (const Mesher *mesher, PolygonBlock *block)
{
  const KgVector about = mesher_get_point (mesher, 0);
  const uint32_t *corners = block->corners;
  uint32_t *to = block->triangles;

  for (guint f = 0; f < block->n; f++) {
    const guint n = block->sizes[f];

    mesher_fan (mesher, corners, n, to);
    corners += n;
    to += 3 * (n - 2);
  }
  for (const uint32_t *t = block->triangles; t < to; t += 3) {
    KgVector places[3];

    for (guint c = 0; c < 3; c++)
      places[c] = kg_vector_subtract (mesher_get_point (mesher, t[c]), about);
    block->volume += kg_vector_dot (places[0], kg_vector_cross (places[1], places[2])) / 6;
    block->area += triangle_get_area (places);
  }
}

/* All polygons in fans, and what they enclose.  (element-type uint32_t) (transfer full) */
static GArray *
mesher_cut_triangles (const Mesher *mesher, PolygonizeResult *result)
{
  const guint n = mesher->sizes->len, n_blocks = (n + POLYGONS_AT_ONCE - 1) / POLYGONS_AT_ONCE;
  const guint *sizes = (const guint *) (const void *) mesher->sizes->data;
  const uint32_t *corners = (const uint32_t *) (const void *) mesher->corners->data;
  const guint n_triangles = mesher->corners->len - 2 * n;
  GArray *triangles = g_array_sized_new (false, false, sizeof (uint32_t), MAX (3 * n_triangles, 1));
  g_autofree PolygonBlock *blocks = g_new0 (PolygonBlock, MAX (n_blocks, 1));
  uint32_t *to;

  g_array_set_size (triangles, 3 * n_triangles);
  to = (uint32_t *) (void *) triangles->data;
  for (guint b = 0; b < n_blocks; b++) {
    const guint first = b * POLYGONS_AT_ONCE;

    blocks[b] = (PolygonBlock){
      .sizes = sizes + first, .corners = corners, .n = MIN (POLYGONS_AT_ONCE, n - first), .triangles = to
    };
    for (guint f = 0; f < blocks[b].n; f++) {
      corners += sizes[first + f];
      to += 3 * (sizes[first + f] - 2);
    }
  }
#pragma omp parallel for schedule(dynamic) if (n_blocks > 1)
  for (guint b = 0; b < n_blocks; b++)
    mesher_cut_block (mesher, &blocks[b]);
  for (guint b = 0; b < n_blocks; b++) {
    result->volume += blocks[b].volume;
    result->area += blocks[b].area;
  }
  return triangles;
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
  if (!mesher_make (&mesher, result, error) || !mesher_count_thin (&mesher, &result->n_thin, error))
    return false;
  mesher_count (&mesher, result);
  triangles = mesher_cut_triangles (&mesher, result);
  mesher_collapse (&mesher, triangles);
  result->mesh = mesher_make_geometry (&mesher, triangles, error);
  return result->mesh != NULL;
}
