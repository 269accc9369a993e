/* cage: a closed mesh whose corners carry along what is around and inside of it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "deform/cage.h"

#include "geometry/symmetric_matrix.h"
#include "geometry/triangle_mesh.h"
#include "kg-error.h"
#include "kg-hash.h"
#include "kg-kernel.h"

#include <omp.h>
#include <string.h>

/* Points that are computed side by side. */
#define LANES 8
/* Blocks that a thread takes at a time. */
#define BLOCKS_AT_ONCE 8
/* Nearer to the plane of a triangle than this share of the size, a point is taken to be in it.  Weights of the triangle are wrong
 * by 1e-16 over the distance, and leaving them out is by the distance, so that both errors are the same there. */
#define FLAT 1e-8
/* Far away weights cancel: their errors grow with the fourth power of the distance and are 1e-4 at a thousand times the size.  From
 * there to ten times as far the blend fades out; these are shares of the distance that the size is. */
#define FAR_FROM 1e-3
#define FAR_TO 1e-4

typedef struct {
  uint32_t from, to; /* corners */
} CageEdge;

typedef struct {
  uint32_t corners[3];
  uint32_t edges[3]; /* opposite of each */
  double signs[3];   /* of the edge, as the triangle goes round */
  double flat;       /* six times the volume of the tetrahedron over it that is FLAT high */
} CageTriangle;

struct _Cage {
  size_t n_points, n_corners, n_edges, n_triangles;
  uint32_t *points; /* of each corner */
  KgVector *places;
  CageEdge *edges;
  CageTriangle *triangles;
  KgVector center;
  double size, tolerance;
  double facing; /* 1, or -1 inside out */
};

struct _CageWeights {
  size_t n;
  float *weights;  /* of blocks of LANES points: those of each corner side by side */
  uint8_t *inside; /* of each point */
};

/* Reading. */

typedef struct {
  float p[3];
} Place;

static guint
hash_place (gconstpointer place)
{
  uint32_t bits[3];

  memcpy (bits, place, sizeof bits);
  return (guint) kg_hash_mix (kg_hash_mix ((uint64_t) bits[0] << 32 | bits[1]) ^ bits[2]);
}

static gboolean
is_same_place (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (Place)) == 0;
}

/* Numbers the corners in the order of the triangles.  Points at one place are one corner: seams of imported meshes, and faces that
 * were drawn one by one, are no holes. */
static void
number_corners (Cage *cage, const TriangleMesh *mesh, uint32_t *numbers)
{
  g_autoptr (GHashTable) known = g_hash_table_new (hash_place, is_same_place);
  g_autofree Place *places = g_new (Place, MAX (cage->n_points, 1));

  memset (numbers, 0xff, cage->n_points * sizeof *numbers);
  for (size_t i = 0; i < mesh->n; i++)
    for (int k = 0; k < 3; k++) {
      const uint32_t point = mesh->corners[i][k];
      Place *place = &places[point];
      gpointer number;

      if (numbers[point] != G_MAXUINT32)
        continue;
      /* 0 and -0 are one place. */
      for (size_t c = 0; c < 3; c++)
        place->p[c] = mesh->p[3 * (size_t) point + c] + 0.0F;
      if (!g_hash_table_lookup_extended (known, place, NULL, &number)) {
        number = GUINT_TO_POINTER (cage->n_corners);
        g_hash_table_insert (known, place, number);
        cage->points[cage->n_corners] = point;
        cage->places[cage->n_corners++] = triangle_mesh_get_point (mesh, point);
      }
      numbers[point] = GPOINTER_TO_UINT (number);
    }
}

static void
add_triangle (Cage *cage, const uint32_t corners[3], GHashTable *known, int32_t *balances, double *volume)
{
  CageTriangle *triangle = &cage->triangles[cage->n_triangles++];
  KgVector p[3];

  for (int k = 0; k < 3; k++) {
    const uint32_t a = corners[(k + 1) % 3], b = corners[(k + 2) % 3];
    const int64_t key = (int64_t) ((uint64_t) MIN (a, b) << 32 | MAX (a, b));
    gpointer number;

    if (!g_hash_table_lookup_extended (known, &key, NULL, &number)) {
      number = GUINT_TO_POINTER (cage->n_edges);
      cage->edges[cage->n_edges++] = (CageEdge){ MIN (a, b), MAX (a, b) };
      g_hash_table_insert (known, g_memdup2 (&key, sizeof key), number);
    }
    triangle->corners[k] = corners[k];
    triangle->edges[k] = GPOINTER_TO_UINT (number);
    triangle->signs[k] = a < b ? 1 : -1;
    balances[triangle->edges[k]] += a < b ? 1 : -1;
    /* From the first corner of the cage, for precision far from the origin. */
    p[k] = kg_vector_subtract (cage->places[corners[k]], cage->places[0]);
  }
  triangle->flat = cage->tolerance * kg_vector_length (kg_vector_cross (kg_vector_subtract (p[1], p[0]),
                                                                        kg_vector_subtract (p[2], p[0])));
  *volume += kg_vector_dot (p[0], kg_vector_cross (p[1], p[2])) / 6;
}

/* Returns how many edges lack a partner of the opposite direction. */
static size_t
read_triangles (Cage *cage, const TriangleMesh *mesh, const uint32_t *numbers)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autofree int32_t *balances = g_new0 (int32_t, 3 * mesh->n);
  double volume = 0;
  size_t n_open = 0;

  for (size_t i = 0; i < mesh->n; i++) {
    const uint32_t corners[] = { numbers[mesh->corners[i][0]], numbers[mesh->corners[i][1]],
                                 numbers[mesh->corners[i][2]] };

    if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0])
      add_triangle (cage, corners, known, balances, &volume);
  }
  for (size_t i = 0; i < cage->n_edges; i++)
    n_open += (size_t) abs (balances[i]);
  cage->facing = fabs (volume) > 1e-10 * cage->size * cage->size * cage->size ? copysign (1, volume) : 0;
  return n_open;
}

static bool
check_cage (const Cage *cage, size_t n_open, GError **error)
{
  if (cage->n_triangles == 0)
    kg_set_error (error, KG_ERROR_DEGENERATE, "the cage has no faces: link a closed mesh, such as a box");
  else if (n_open > 0)
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "%zu edges of the cage have no face on their other side, or one that faces the other way: close it, with all faces outwards",
        n_open);
  else if (cage->facing == 0)
    kg_set_error (error, KG_ERROR_DEGENERATE, "the cage has no volume: give it a depth");
  else
    return true;
  return false;
}

Cage *
cage_new (const KgGeometry *rest, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (TriangleMesh) mesh = triangle_mesh_new (rest, monitor, error);
  g_autoptr (Cage) cage = g_new0 (Cage, 1);
  g_autofree uint32_t *numbers = NULL;
  KgVector low, high;
  size_t most;

  if (mesh == NULL)
    return NULL;
  if (mesh->n > CAGE_MAX_TRIANGLES) {
    kg_set_error (error, KG_ERROR_LIMIT, "the cage has %zu triangles, and %d are possible: use a coarser mesh", mesh->n,
                  CAGE_MAX_TRIANGLES);
    return NULL;
  }
  cage->n_points = kg_geometry_get_n_points (rest);
  cage->size = mesh->size;
  kg_geometry_get_bounds (rest, &low, &high);
  cage->center = kg_vector_lerp (low, high, 0.5);
  cage->tolerance = FLAT * mesh->size;
  most = MIN (cage->n_points, 3 * mesh->n);
  cage->points = g_new (uint32_t, MAX (most, 1));
  cage->places = g_new (KgVector, MAX (most, 1));
  cage->edges = g_new (CageEdge, MAX (3 * mesh->n, 1));
  cage->triangles = g_new (CageTriangle, MAX (mesh->n, 1));
  numbers = g_new (uint32_t, MAX (cage->n_points, 1));
  number_corners (cage, mesh, numbers);
  return check_cage (cage, read_triangles (cage, mesh, numbers), error) ? g_steal_pointer (&cage) : NULL;
}

void
cage_free (Cage *cage)
{
  g_free (cage->points);
  g_free (cage->places);
  g_free (cage->edges);
  g_free (cage->triangles);
  g_free (cage);
}

size_t
cage_get_n_points (const Cage *cage)
{
  return cage->n_points;
}

/* Weights of a block of points. */

typedef struct {
  double (*to)[4][LANES];    /* from each point to each corner, and how far */
  double (*edges)[4][LANES]; /* the cross product of each edge's ends, and its angle over the length of that */
  double (*weights)[LANES];  /* of each corner */
  double sum[LANES], magnitude[LANES];
  double flat[LANES]; /* above 0: the point is in the plane of a triangle */
} Work;

static size_t
get_work_numbers (const Cage *cage)
{
  return LANES * (5 * cage->n_corners + 4 * cage->n_edges);
}

static Work
work_new (const Cage *cage, double *numbers)
{
  Work work = { 0 };

  work.to = (double (*)[4][LANES]) (void *) numbers;
  work.edges = (double (*)[4][LANES]) (void *) (numbers + 4 * LANES * cage->n_corners);
  work.weights = (double (*)[LANES]) (void *) (numbers + 4 * LANES * (cage->n_corners + cage->n_edges));
  return work;
}

/* The angle between two vectors over the length of their cross product, from that and from their scalar product: 1 over the
 * scalar product where the angle is 0, infinite where it is 180°.  The arc tangent of half the angle by Cephes' rational function
 * (Moshier 1989), without branches. */
static inline double
get_angle_over_sine (double cross, double dot, double lengths)
{
  const double q = cross / (lengths + fabs (dot));
  const double far = q > 0.66 ? 1.0 : 0.0, x = q > 0.66 ? (q - 1) / (q + 1) : q, z = x * x;
  const double p =
      (((-8.750608600031904122785e-1 * z - 1.615753718733365076637e1) * z - 7.500855792314704667340e1) * z -
       1.228866684490136173410e2) *
          z -
      6.485021904942025371773e1;
  const double d =
      ((((z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2) * z + 4.328810604912902668951e2) * z +
       4.853903996359136964868e2) *
          z +
      1.945506571482613964425e2;
  const double ratio = 1 + z * (p / d), half = far * (KG_PI / 4) + x * ratio;
  const double near = q > 0.66 ? 2 * half / cross : 2 * ratio / (lengths + fabs (dot));

  return dot < 0 ? (KG_PI - 2 * half) / cross : near;
}

/* All loops over LANES are computed in vectors. */
KG_KERNEL static void
find_block (const Cage *cage, const double (*restrict points)[LANES], Work *restrict work)
{
  double flat[LANES] = { 0 };

  for (size_t i = 0; i < cage->n_corners; i++) {
    const KgVector p = cage->places[i];
    double (*restrict to)[LANES] = work->to[i];

    for (int l = 0; l < LANES; l++) {
      const double x = p.x - points[0][l], y = p.y - points[1][l], z = p.z - points[2][l];

      to[0][l] = x;
      to[1][l] = y;
      to[2][l] = z;
      to[3][l] = sqrt (x * x + y * y + z * z);
      work->weights[i][l] = 0;
    }
  }
  for (size_t e = 0; e < cage->n_edges; e++) {
    const double (*restrict a)[LANES] = (const double (*)[LANES]) work->to[cage->edges[e].from];
    const double (*restrict b)[LANES] = (const double (*)[LANES]) work->to[cage->edges[e].to];
    double (*restrict edge)[LANES] = work->edges[e];

    for (int l = 0; l < LANES; l++) {
      const double x = a[1][l] * b[2][l] - a[2][l] * b[1][l], y = a[2][l] * b[0][l] - a[0][l] * b[2][l];
      const double z = a[0][l] * b[1][l] - a[1][l] * b[0][l];

      edge[0][l] = x;
      edge[1][l] = y;
      edge[2][l] = z;
      edge[3][l] = get_angle_over_sine (sqrt (x * x + y * y + z * z),
                                        a[0][l] * b[0][l] + a[1][l] * b[1][l] + a[2][l] * b[2][l], a[3][l] * b[3][l]);
    }
  }
  for (size_t t = 0; t < cage->n_triangles; t++) {
    const CageTriangle *triangle = &cage->triangles[t];
    const double (*restrict a)[LANES] = (const double (*)[LANES]) work->edges[triangle->edges[0]];
    const double (*restrict b)[LANES] = (const double (*)[LANES]) work->edges[triangle->edges[1]];
    const double (*restrict c)[LANES] = (const double (*)[LANES]) work->edges[triangle->edges[2]];
    const double (*restrict v)[LANES] = (const double (*)[LANES]) work->to[triangle->corners[0]];
    double *restrict u0 = work->weights[triangle->corners[0]], *restrict u1 = work->weights[triangle->corners[1]];
    double *restrict u2 = work->weights[triangle->corners[2]];
    const double s0 = triangle->signs[0], s1 = triangle->signs[1], s2 = triangle->signs[2];

    for (int l = 0; l < LANES; l++) {
      /* Twice the integral of unit vectors over the triangle as the point sees it: angles of its edges times the normals of
       * their planes. */
      const double ka = s0 * a[3][l], kb = s1 * b[3][l], kc = s2 * c[3][l];
      const double mx = ka * a[0][l] + kb * b[0][l] + kc * c[0][l], my = ka * a[1][l] + kb * b[1][l] + kc * c[1][l];
      const double mz = ka * a[2][l] + kb * b[2][l] + kc * c[2][l];
      const double volume = s0 * (v[0][l] * a[0][l] + v[1][l] * a[1][l] + v[2][l] * a[2][l]);
      const double high = fabs (volume) > triangle->flat ? 1.0 : 0.0, scale = 0.5 / volume;

      /* Seen edge on, a triangle counts nothing, or the point is on it. */
      u0[l] += high > 0 ? s0 * (a[0][l] * mx + a[1][l] * my + a[2][l] * mz) * scale : 0;
      u1[l] += high > 0 ? s1 * (b[0][l] * mx + b[1][l] * my + b[2][l] * mz) * scale : 0;
      u2[l] += high > 0 ? s2 * (c[0][l] * mx + c[1][l] * my + c[2][l] * mz) * scale : 0;
      flat[l] += 1 - high;
    }
  }
  for (int l = 0; l < LANES; l++) {
    work->sum[l] = work->magnitude[l] = 0;
    work->flat[l] = flat[l];
  }
  for (size_t i = 0; i < cage->n_corners; i++)
    for (int l = 0; l < LANES; l++) {
      work->sum[l] += work->weights[i][l];
      work->magnitude[l] += fabs (work->weights[i][l]);
    }
}

/* The areas opposite of the corners, of a point on a triangle. */
static bool
find_on_triangle (const Cage *cage, size_t number, KgVector point, double weights[3])
{
  const uint32_t *corners = cage->triangles[number].corners;
  const KgVector p[] = { cage->places[corners[0]], cage->places[corners[1]], cage->places[corners[2]] };
  const KgVector on = triangle_find_nearest (p, point);
  double sum = 0;

  if (!(kg_vector_distance (point, on) <= cage->tolerance))
    return false;
  for (int k = 0; k < 3; k++) {
    weights[k] = kg_vector_length (
        kg_vector_cross (kg_vector_subtract (p[(k + 1) % 3], on), kg_vector_subtract (p[(k + 2) % 3], on)));
    sum += weights[k];
  }
  /* Triangles without an area: their neighbours have the point too. */
  if (!(sum > cage->tolerance * cage->tolerance))
    return false;
  for (int k = 0; k < 3; k++)
    weights[k] /= sum;
  return true;
}

/* Replaces the weights of a point that is on a triangle. */
static bool
repair_lane (const Cage *cage, KgVector point, Work *work, int lane)
{
  double weights[3];

  for (size_t t = 0; t < cage->n_triangles; t++)
    if (find_on_triangle (cage, t, point, weights)) {
      for (size_t i = 0; i < cage->n_corners; i++)
        work->weights[i][lane] = 0;
      for (int k = 0; k < 3; k++)
        work->weights[cage->triangles[t].corners[k]][lane] = weights[k];
      return true;
    }
  return false;
}

/* Divides the weights of a block by their sums.  share: (out) how much the blend counts, less than 1 far away. */
static void
finish_block (const Cage *cage, const double (*points)[LANES], Work *work, bool *inside, double *share)
{
  double scale[LANES];

  for (int l = 0; l < LANES; l++) {
    const KgVector x = kg_vector (points[0][l], points[1][l], points[2][l]);
    const double near = cage->size / kg_vector_distance (x, cage->center);

    if (work->flat[l] > 0 && repair_lane (cage, x, work, l)) {
      inside[l] = true;
      share[l] = scale[l] = 1;
      continue;
    }
    /* Outwards, each ray leaves the cage once more than it enters it, or as often and first enters. */
    inside[l] = near > 1 && work->sum[l] * cage->facing > 0;
    share[l] = kg_clamp ((near - FAR_TO) / (FAR_FROM - FAR_TO), 0, 1);
    /* Between coincident walls there may be nothing left. */
    if (!(fabs (work->sum[l]) > 1e-12 * work->magnitude[l]))
      share[l] = 0;
    scale[l] = share[l] > 0 ? share[l] / work->sum[l] : 0;
  }
  for (size_t i = 0; i < cage->n_corners; i++)
    for (int l = 0; l < LANES; l++)
      work->weights[i][l] = share[l] > 0 ? work->weights[i][l] * scale[l] : 0;
}

bool
cage_find_weights (const Cage *cage, KgVector point, double *weights, bool *inside)
{
  g_autofree double *numbers = g_new (double, get_work_numbers (cage));
  Work work = work_new (cage, numbers);
  double points[3][LANES], share[LANES];
  bool within[LANES];

  for (size_t c = 0; c < 3; c++)
    for (int l = 0; l < LANES; l++)
      points[c][l] = kg_vector_get (point, c);
  find_block (cage, (const double (*)[LANES]) points, &work);
  finish_block (cage, (const double (*)[LANES]) points, &work, within, share);
  memset (weights, 0, cage->n_points * sizeof *weights);
  for (size_t i = 0; i < cage->n_corners; i++)
    weights[cage->points[i]] = work.weights[i][0];
  if (inside != NULL)
    *inside = within[0];
  return share[0] == 1;
}

/* Of points from number first on; missing ones of the last block repeat the last point. */
static void
read_block (const float *from, size_t first, size_t n, double points[3][LANES])
{
  for (size_t l = 0; l < LANES; l++)
    for (size_t c = 0; c < 3; c++)
      points[c][l] = (double) from[3 * MIN (first + l, n - 1) + c];
}

size_t
cage_get_weights_bytes (const Cage *cage, size_t n)
{
  return sizeof (CageWeights) + n + (n + LANES - 1) / LANES * LANES * cage->n_corners * sizeof (float);
}

/* Scratch memory of all threads that a loop may have. */
static double *
new_scratch (const Cage *cage)
{
  return g_new (double, get_work_numbers (cage) * (size_t) omp_get_max_threads ());
}

static Work
get_own_work (const Cage *cage, double *scratch)
{
  return work_new (cage, scratch + get_work_numbers (cage) * (size_t) omp_get_thread_num ());
}

CageWeights *
cage_weights_new (const Cage *cage, const float *points, size_t n, const KgProgressMonitor *monitor)
{
  const size_t n_blocks = (n + LANES - 1) / LANES;
  g_autofree double *scratch = new_scratch (cage);
  g_autoptr (CageWeights) weights = g_new0 (CageWeights, 1);

  weights->n = n;
  weights->weights = g_new (float, MAX (n_blocks * LANES * cage->n_corners, 1));
  weights->inside = g_new (uint8_t, MAX (n_blocks * LANES, 1));
#pragma omp parallel for schedule(dynamic, BLOCKS_AT_ONCE) if (n * cage->n_triangles >= KG_PARALLEL_FROM)
  for (size_t b = 0; b < n_blocks; b++) {
    Work work = get_own_work (cage, scratch);
    float *to = weights->weights + b * LANES * cage->n_corners;
    double block[3][LANES], share[LANES];
    bool inside[LANES];

    if (kg_progress_is_cancelled (monitor))
      continue;
    read_block (points, b * LANES, n, block);
    find_block (cage, (const double (*)[LANES]) block, &work);
    finish_block (cage, (const double (*)[LANES]) block, &work, inside, share);
    for (size_t i = 0; i < cage->n_corners; i++)
      for (int l = 0; l < LANES; l++)
        to[LANES * i + (size_t) l] = (float) work.weights[i][l];
    for (size_t l = 0; l < LANES; l++)
      weights->inside[b * LANES + l] = inside[l];
    if (b % 1024 == 0)
      kg_progress_report (monitor, (double) b / (double) n_blocks);
  }
  return kg_progress_is_cancelled (monitor) ? NULL : g_steal_pointer (&weights);
}

void
cage_weights_free (CageWeights *weights)
{
  g_free (weights->weights);
  g_free (weights->inside);
  g_free (weights);
}

/* Moving. */

typedef struct {
  KgVector center, translation;
  KgVector rows[3];   /* of the linear part of the affine map, less the identity */
  double (*rests)[3]; /* what is left of the movement of each corner */
  bool at_rest;
} Movement;

/* By least squares over the corners. */
static void
find_movement (const Cage *cage, const float *posed, Movement *movement)
{
  const size_t n = cage->n_corners;
  SymmetricMatrix squares = { 0 }, inverse;
  KgVector products[3] = { { 0 }, { 0 }, { 0 } };

  movement->at_rest = true;
  movement->center = movement->translation = kg_vector (0, 0, 0);
  for (size_t i = 0; i < n; i++) {
    const float *p = posed + 3 * (size_t) cage->points[i];
    const KgVector rest = cage->places[i];

    movement->rests[i][0] = (double) p[0] - rest.x;
    movement->rests[i][1] = (double) p[1] - rest.y;
    movement->rests[i][2] = (double) p[2] - rest.z;
    movement->center = kg_vector_add_scaled (movement->center, 1.0 / (double) n, rest);
    movement->translation =
        kg_vector_add_scaled (movement->translation, 1.0 / (double) n,
                              kg_vector (movement->rests[i][0], movement->rests[i][1], movement->rests[i][2]));
    for (size_t c = 0; c < 3; c++)
      movement->at_rest &= movement->rests[i][c] == 0;
  }
  for (size_t i = 0; i < n; i++) {
    const KgVector x = kg_vector_subtract (cage->places[i], movement->center);

    squares = symmetric_matrix_add_square (squares, 1, x);
    for (size_t c = 0; c < 3; c++)
      products[c] =
          kg_vector_add_scaled (products[c], movement->rests[i][c] - kg_vector_get (movement->translation, c), x);
  }
  /* A cage with a volume determines it; should it be too thin for that, all is blended. */
  symmetric_matrix_invert (squares, &inverse);
  for (size_t c = 0; c < 3; c++)
    movement->rows[c] = symmetric_matrix_apply (inverse, products[c]);
  for (size_t i = 0; i < n; i++) {
    const KgVector x = kg_vector_subtract (cage->places[i], movement->center);

    for (size_t c = 0; c < 3; c++)
      movement->rests[i][c] -= kg_vector_get (movement->translation, c) + kg_vector_dot (movement->rows[c], x);
  }
}

/* Blends what is left of the movement; weights are rounded here, so that it does not matter whether they were kept. */
KG_KERNEL static void
blend_block (const Movement *movement, const float *restrict weights, size_t n, double (*restrict sums)[LANES])
{
  double x[LANES] = { 0 }, y[LANES] = { 0 }, z[LANES] = { 0 };

  for (size_t i = 0; i < n; i++) {
    const double *rest = movement->rests[i];

    for (int l = 0; l < LANES; l++) {
      const double w = (double) weights[LANES * i + (size_t) l];

      x[l] += w * rest[0];
      y[l] += w * rest[1];
      z[l] += w * rest[2];
    }
  }
  for (int l = 0; l < LANES; l++) {
    sums[0][l] = x[l];
    sums[1][l] = y[l];
    sums[2][l] = z[l];
  }
}

static void
move_block (const Movement *movement, const double (*points)[LANES], const double (*sums)[LANES], const uint8_t *moves,
            const float *from, float *to, size_t n)
{
  for (size_t l = 0; l < n; l++) {
    const KgVector x = kg_vector (points[0][l], points[1][l], points[2][l]);
    const KgVector far = kg_vector_subtract (x, movement->center);

    for (size_t c = 0; c < 3; c++)
      to[3 * l + c] = moves[l] ? (float) (kg_vector_get (x, c) + (kg_vector_get (movement->translation, c) +
                                                                  kg_vector_dot (movement->rows[c], far) + sums[c][l]))
                               : from[3 * l + c];
  }
}

bool
cage_deform (const Cage *cage, const CageWeights *weights, const float *posed, const float *from, float *to, size_t n,
             bool inside_only, const KgProgressMonitor *monitor)
{
  const size_t n_blocks = (n + LANES - 1) / LANES;
  g_autofree double *scratch = weights == NULL ? new_scratch (cage) : NULL;
  g_autofree float *rounded = weights == NULL ? g_new (float, LANES * cage->n_corners * (size_t) omp_get_max_threads ())
                                              : NULL;
  g_autofree double (*rests)[3] = g_malloc (cage->n_corners * sizeof *rests);
  Movement movement = { .rests = rests };

  find_movement (cage, posed, &movement);
  if (movement.at_rest) {
    memmove (to, from, 3 * n * sizeof *to);
    return true;
  }
#pragma omp parallel for schedule(dynamic, BLOCKS_AT_ONCE) if (n * cage->n_triangles >= KG_PARALLEL_FROM)
  for (size_t b = 0; b < n_blocks; b++) {
    const size_t first = b * LANES, count = MIN (LANES, n - first);
    double block[3][LANES], sums[3][LANES], share[LANES];
    const float *own = weights != NULL ? weights->weights + first * cage->n_corners : NULL;
    bool inside[LANES];
    uint8_t moves[LANES];

    if (kg_progress_is_cancelled (monitor))
      continue;
    read_block (from, first, n, block);
    if (weights == NULL) {
      Work work = get_own_work (cage, scratch);
      float *w = rounded + LANES * cage->n_corners * (size_t) omp_get_thread_num ();

      find_block (cage, (const double (*)[LANES]) block, &work);
      finish_block (cage, (const double (*)[LANES]) block, &work, inside, share);
      for (size_t i = 0; i < cage->n_corners; i++)
        for (int l = 0; l < LANES; l++)
          w[LANES * i + (size_t) l] = (float) work.weights[i][l];
      own = w;
      if (b % 1024 == 0)
        kg_progress_report (monitor, (double) b / (double) n_blocks);
    }
    for (size_t l = 0; l < count; l++)
      moves[l] = !inside_only || (weights != NULL ? weights->inside[first + l] : inside[l]);
    blend_block (&movement, own, cage->n_corners, sums);
    move_block (&movement, (const double (*)[LANES]) block, (const double (*)[LANES]) sums, moves, from + 3 * first,
                to + 3 * first, count);
  }
  return !kg_progress_is_cancelled (monitor);
}
