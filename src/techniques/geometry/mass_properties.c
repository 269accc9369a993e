/* mass_properties: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/mass_properties.h"

#include "curve/curve.h"
#include "kg-error.h"
#include "kg-geometry-polygons.h"
#include "kg-hash.h"
#include "kg-kernel.h"

/* Primitives or points that are added up in one go. */
#define BLOCK 2048

/* Moments. */

void
moments_add (Moments *moments, const KgVector *corners, guint n, double measure)
{
  const double weight = measure / (n * (n + 1.0));
  KgVector sum = { 0, 0, 0 };

  for (guint i = 0; i < n; i++) {
    sum = kg_vector_add (sum, corners[i]);
    moments->second = symmetric_matrix_add_square (moments->second, weight, corners[i]);
  }
  moments->second = symmetric_matrix_add_square (moments->second, weight, sum);
  moments->first = kg_vector_add_scaled (moments->first, measure / n, sum);
  moments->measure += measure;
}

/* The tensor of second moments C about the centre: trace(C) 1 - C. */
static SymmetricMatrix
get_inertia (SymmetricMatrix c)
{
  return (SymmetricMatrix){ c.yy + c.zz, c.xx + c.zz, c.xx + c.yy, -c.xy, -c.xz, -c.yz };
}

bool
moments_get_mass_properties (const Moments *moments, double mass, MassProperties *result)
{
  const double density = mass / moments->measure;
  SymmetricMatrix second;

  *result = (MassProperties){ .mass = mass };
  if (!(fabs (moments->measure) > 1e-250) || !isfinite (density))
    return false;
  result->center = kg_vector_scale (moments->first, 1 / moments->measure);
  second = symmetric_matrix_scale (moments->second, density);
  second = symmetric_matrix_add_square (second, -mass, result->center);
  result->inertia = get_inertia (second);
  return true;
}

static void
moments_join (Moments *to, const Moments *from)
{
  to->measure += from->measure;
  to->first = kg_vector_add (to->first, from->first);
  to->second = symmetric_matrix_add_scaled (to->second, 1, from->second);
}

/* Sums over a geometry. */

typedef struct {
  Moments solid, shell, lines;
  uint64_t boundary; /* 0 when every edge of the polygons is passed as often in one direction as in the other */
  size_t n_polygons;
} Sums;

/* Which second moments are wanted; of solids alone: the first moments of the surface are not, either. */
typedef enum { SECOND_NONE, SECOND_SOLID, SECOND_ALL } Second;

typedef struct {
  const KgGeometry *geometry;
  const float *p;
  size_t n_points;
  KgVector origin; /* near the geometry, so that far from the origin of the world no digits are lost */
  Second second;
} Reading;

static inline KgVector
get_point (const Reading *reading, uint32_t i)
{
  const float *x = reading->p + 3 * (size_t) i;

  return kg_vector ((double) x[0] - reading->origin.x, (double) x[1] - reading->origin.y,
                    (double) x[2] - reading->origin.z);
}

static void
add_line (const Reading *reading, const KgPrimitive *primitive, Sums *sums)
{
  const uint32_t n = primitive->n_vertices, *v = primitive->vertices;

  for (uint32_t i = 0; i + (primitive->closed ? 0 : 1) < n; i++) {
    const KgVector ends[] = { get_point (reading, v[i]), get_point (reading, v[(i + 1) % n]) };

    moments_add (&sums->lines, ends, 2, kg_vector_distance (ends[0], ends[1]));
  }
}

/* Along the curve itself, by Gauss's rule of five points on parts of each segment.  A curve with too few points is none. */
static void
add_curve (const Reading *reading, size_t index, Sums *sums)
{
  static const double places[] = { -0.906179845938664, -0.538469310105683, 0, 0.538469310105683, 0.906179845938664 };
  static const double weights[] = { 0.236926885056189, 0.478628670499366, 0.568888888888889, 0.478628670499366,
                                    0.236926885056189 };
  g_autoptr (Curve) curve = curve_new (reading->geometry, index, NULL);
  const guint n_parts = 16;

  for (guint i = 0; curve != NULL && i < curve_get_n_segments (curve) * n_parts; i++)
    for (guint k = 0; k < G_N_ELEMENTS (places); k++) {
      const double t = (i % n_parts + 0.5 + 0.5 * places[k]) / n_parts;
      const KgVector at = kg_vector_subtract (curve_evaluate_segment (curve, i / n_parts, t, 0), reading->origin);
      const double length = kg_vector_length (curve_evaluate_segment (curve, i / n_parts, t, 1));

      moments_add (&sums->lines, &at, 1, 0.5 * weights[k] / n_parts * length);
    }
}

/* Two numbers of a point, below 2^31. */
typedef struct {
  int32_t r, s;
} Mark;

static inline Mark
get_mark (uint32_t point)
{
  uint32_t r = point * 0x8da6b343U, s;

  r = (r ^ r >> 15) * 0x7feb352dU;
  r ^= r >> 16;
  s = (r ^ 0x5bd1e995U) * 0x846ca68bU;
  s ^= s >> 14;
  return (Mark){ (int32_t) (r >> 1), (int32_t) (s >> 1) };
}

/* A number for the edge between two points, the other way round its negative: those of a closed surface add up to 0,
 * others (but for one in 2^30) do not. */
static inline uint64_t
get_edge (Mark a, Mark b)
{
  return (uint64_t) a.r * (uint64_t) b.s - (uint64_t) b.r * (uint64_t) a.s;
}

/* The sum of those of a triangle, with fewer products. */
static inline uint64_t
get_edges (Mark a, Mark b, Mark c)
{
  return (uint64_t) ((int64_t) (b.r - a.r) * (c.s - a.s)) - (uint64_t) ((int64_t) (c.r - a.r) * (b.s - a.s));
}

/* A triangle weighs as a sheet and as the tetrahedron to the origin: both have the same sums of corners and squares. */
static inline void
add_triangle (const Reading *reading, KgVector a, KgVector b, KgVector c, double area, double volume, Sums *sums)
{
  const KgVector sum = kg_vector_add (a, kg_vector_add (b, c));

  sums->shell.measure += area;
  sums->shell.first = kg_vector_add_scaled (sums->shell.first, area / 3, sum);
  sums->solid.measure += volume;
  sums->solid.first = kg_vector_add_scaled (sums->solid.first, volume / 4, sum);
  if (reading->second != SECOND_NONE) {
    SymmetricMatrix square = { 0 };

    square = symmetric_matrix_add_square (square, 1, a);
    square = symmetric_matrix_add_square (square, 1, b);
    square = symmetric_matrix_add_square (square, 1, c);
    square = symmetric_matrix_add_square (square, 1, sum);
    sums->shell.second = symmetric_matrix_add_scaled (sums->shell.second, area / 12, square);
    sums->solid.second = symmetric_matrix_add_scaled (sums->solid.second, volume / 20, square);
  }
}

/* Triangles from the first corner, counted by the direction they face: right for polygons with dents too. */
static void
add_polygon (const Reading *reading, const KgPrimitive *primitive, Sums *sums)
{
  const uint32_t n = primitive->n_vertices, *v = primitive->vertices;
  KgVector a, b, facing = { 0, 0, 0 };

  if (n == 0)
    return;
  sums->n_polygons++;
  for (uint32_t i = 0; i < n; i++)
    sums->boundary += get_edge (get_mark (v[i]), get_mark (v[i + 1 < n ? i + 1 : 0]));
  a = get_point (reading, v[0]);
  if (n > 3) {
    for (uint32_t i = 1; i + 1 < n; i++)
      facing = kg_vector_add (facing, kg_vector_cross (kg_vector_subtract (get_point (reading, v[i]), a),
                                                       kg_vector_subtract (get_point (reading, v[i + 1]), a)));
    facing = kg_vector_normalize_or (facing, kg_vector (0, 0, 0));
  }
  if (n < 3)
    return;
  b = get_point (reading, v[1]);
  for (uint32_t i = 2; i < n; i++) {
    const KgVector c = get_point (reading, v[i]);
    const KgVector cross = kg_vector_cross (kg_vector_subtract (b, a), kg_vector_subtract (c, a));
    const double area = 0.5 * (n > 3 ? kg_vector_dot (cross, facing) : kg_vector_length (cross));

    add_triangle (reading, a, b, c, area, kg_vector_dot (a, cross) / 6, sums);
    b = c;
  }
}

/* Triangles and quadrilaterals, which most meshes are made of, side by side. */
#define LANES 8
#define N_SUMS 20
/* Polygons whose corners are fetched before they are computed: what is written number by number must have arrived when it is
 * read as a vector. */
#define PIECE 256

typedef struct {
  size_t n;
  float corners[12][PIECE]; /* x, y and z of each */
  /* Of sheets and of tetrahedra to the origin: measure, first moments, second moments, times what get_moments () divides by. */
  double sums[N_SUMS][LANES];
} Batch;

/* The same as add_polygon (), without branches. */
static inline void
add_lane (const float (*restrict c)[PIECE], size_t i, size_t l, KgVector o, bool four, Second second,
          double (*restrict s)[LANES])
{
  const double ax = (double) c[0][i] - o.x, ay = (double) c[1][i] - o.y, az = (double) c[2][i] - o.z;
  const double bx = (double) c[3][i] - o.x, by = (double) c[4][i] - o.y, bz = (double) c[5][i] - o.z;
  const double cx = (double) c[6][i] - o.x, cy = (double) c[7][i] - o.y, cz = (double) c[8][i] - o.z;
  const double bax = bx - ax, bay = by - ay, baz = bz - az, cax = cx - ax, cay = cy - ay, caz = cz - az;
  const double ux = bay * caz - baz * cay, uy = baz * cax - bax * caz, uz = bax * cay - bay * cax;
  /* The squares of three corners and of their sum are those of the sums of two: a product less in each. */
  const double abx = ax + bx, aby = ay + by, abz = az + bz, acx = ax + cx, acy = ay + cy, acz = az + cz;
  const double bcx = bx + cx, bcy = by + cy, bcz = bz + cz, px = abx + cx, py = aby + cy, pz = abz + cz;
  const double volume_u = ax * ux + ay * uy + az * uz;
  double uxx = 0, uyy = 0, uzz = 0, uxy = 0, uxz = 0, uyz = 0;

  if (second != SECOND_NONE) {
    uxx = abx * abx + acx * acx + bcx * bcx;
    uyy = aby * aby + acy * acy + bcy * bcy;
    uzz = abz * abz + acz * acz + bcz * bcz;
    uxy = abx * aby + acx * acy + bcx * bcy;
    uxz = abx * abz + acx * acz + bcx * bcz;
    uyz = aby * abz + acy * acz + bcy * bcz;
  }
  if (four) {
    const double dx = (double) c[9][i] - o.x, dy = (double) c[10][i] - o.y, dz = (double) c[11][i] - o.z;
    const double dax = dx - ax, day = dy - ay, daz = dz - az;
    const double vx = cay * daz - caz * day, vy = caz * dax - cax * daz, vz = cax * day - cay * dax;
    const double fx = ux + vx, fy = uy + vy, fz = uz + vz, f = sqrt (fx * fx + fy * fy + fz * fz);
    const double volume_v = ax * vx + ay * vy + az * vz;
    const double adx = ax + dx, ady = ay + dy, adz = az + dz, cdx = cx + dx, cdy = cy + dy, cdz = cz + dz;
    const double qx = acx + dx, qy = acy + dy, qz = acz + dz;
    const double scale = second != SECOND_SOLID && f > 0 ? 1 / f : 0;
    double area_u = 0, area_v = 0;

    /* The two areas along the direction that both face. */
    s[0][l] += f;
    if (second != SECOND_SOLID) {
      area_u = (ux * fx + uy * fy + uz * fz) * scale;
      area_v = (vx * fx + vy * fy + vz * fz) * scale;
      s[1][l] += area_u * px + area_v * qx;
      s[2][l] += area_u * py + area_v * qy;
      s[3][l] += area_u * pz + area_v * qz;
    }
    s[10][l] += volume_u + volume_v;
    s[11][l] += volume_u * px + volume_v * qx;
    s[12][l] += volume_u * py + volume_v * qy;
    s[13][l] += volume_u * pz + volume_v * qz;
    if (second != SECOND_NONE) {
      const double vxx = acx * acx + adx * adx + cdx * cdx, vyy = acy * acy + ady * ady + cdy * cdy;
      const double vzz = acz * acz + adz * adz + cdz * cdz, vxy = acx * acy + adx * ady + cdx * cdy;
      const double vxz = acx * acz + adx * adz + cdx * cdz, vyz = acy * acz + ady * adz + cdy * cdz;

      if (second == SECOND_ALL) {
        s[4][l] += area_u * uxx + area_v * vxx;
        s[5][l] += area_u * uyy + area_v * vyy;
        s[6][l] += area_u * uzz + area_v * vzz;
        s[7][l] += area_u * uxy + area_v * vxy;
        s[8][l] += area_u * uxz + area_v * vxz;
        s[9][l] += area_u * uyz + area_v * vyz;
      }
      s[14][l] += volume_u * uxx + volume_v * vxx;
      s[15][l] += volume_u * uyy + volume_v * vyy;
      s[16][l] += volume_u * uzz + volume_v * vzz;
      s[17][l] += volume_u * uxy + volume_v * vxy;
      s[18][l] += volume_u * uxz + volume_v * vxz;
      s[19][l] += volume_u * uyz + volume_v * vyz;
    }
  } else {
    const double area = sqrt (ux * ux + uy * uy + uz * uz);

    s[0][l] += area;
    if (second != SECOND_SOLID) {
      s[1][l] += area * px;
      s[2][l] += area * py;
      s[3][l] += area * pz;
    }
    s[10][l] += volume_u;
    s[11][l] += volume_u * px;
    s[12][l] += volume_u * py;
    s[13][l] += volume_u * pz;
    if (second == SECOND_ALL) {
      s[4][l] += area * uxx;
      s[5][l] += area * uyy;
      s[6][l] += area * uzz;
      s[7][l] += area * uxy;
      s[8][l] += area * uxz;
      s[9][l] += area * uyz;
    }
    if (second != SECOND_NONE) {
      s[14][l] += volume_u * uxx;
      s[15][l] += volume_u * uyy;
      s[16][l] += volume_u * uzz;
      s[17][l] += volume_u * uxy;
      s[18][l] += volume_u * uxz;
      s[19][l] += volume_u * uyz;
    }
  }
}

static inline void
add_lanes (Batch *batch, KgVector origin, bool four, Second second)
{
  double sums[N_SUMS][LANES];

  /* The rest of the lanes: a corner alone, which has no area. */
  for (size_t i = batch->n; i % LANES != 0; i++)
    for (size_t k = 0; k < 12; k++)
      batch->corners[k][i] = batch->corners[k % 3][0];
  memcpy (sums, batch->sums, sizeof sums);
  for (size_t i = 0; i < batch->n; i += LANES)
#pragma omp simd
    for (size_t l = 0; l < LANES; l++)
      add_lane ((const float (*)[PIECE]) batch->corners, i + l, l, origin, four, second, sums);
  memcpy (batch->sums, sums, sizeof sums);
}

/* Adds the polygons of the batch, which are triangles unless four.  Each case is a loop of its own, so that nothing is asked in it. */
KG_KERNEL static void
add_batch (Batch *batch, KgVector origin, bool four, Second second)
{
  if (four)
    second == SECOND_NONE    ? add_lanes (batch, origin, true, SECOND_NONE)
    : second == SECOND_SOLID ? add_lanes (batch, origin, true, SECOND_SOLID)
                             : add_lanes (batch, origin, true, SECOND_ALL);
  else
    second == SECOND_NONE    ? add_lanes (batch, origin, false, SECOND_NONE)
    : second == SECOND_SOLID ? add_lanes (batch, origin, false, SECOND_SOLID)
                             : add_lanes (batch, origin, false, SECOND_ALL);
}

typedef float Four __attribute__ ((vector_size (16)));
typedef uint32_t FourIndices __attribute__ ((vector_size (16)));

/* The corners of four quadrilaterals, one after the other, as four arrays. */
static inline void
turn_indices (const uint32_t *vertices, uint32_t (*corners)[PIECE], size_t i)
{
  FourIndices a, b, c, d, ab, cd, turned;

  memcpy (&a, vertices, sizeof a);
  memcpy (&b, vertices + 4, sizeof b);
  memcpy (&c, vertices + 8, sizeof c);
  memcpy (&d, vertices + 12, sizeof d);
  ab = __builtin_shufflevector (a, b, 0, 4, 1, 5);
  cd = __builtin_shufflevector (c, d, 0, 4, 1, 5);
  turned = __builtin_shufflevector (ab, cd, 0, 1, 4, 5);
  memcpy (&corners[0][i], &turned, sizeof turned);
  turned = __builtin_shufflevector (ab, cd, 2, 3, 6, 7);
  memcpy (&corners[1][i], &turned, sizeof turned);
  ab = __builtin_shufflevector (a, b, 2, 6, 3, 7);
  cd = __builtin_shufflevector (c, d, 2, 6, 3, 7);
  turned = __builtin_shufflevector (ab, cd, 0, 1, 4, 5);
  memcpy (&corners[2][i], &turned, sizeof turned);
  turned = __builtin_shufflevector (ab, cd, 2, 3, 6, 7);
  memcpy (&corners[3][i], &turned, sizeof turned);
}

/* Coordinates of four points.  Read as four numbers each, the last of which is of the next point, and turned: with as few loads and
 * stores as that takes. */
static inline void
fetch_four (const float *p, const uint32_t *points, float *x, float *y, float *z)
{
  Four a, b, c, d, low_ab, low_cd, turned;

  memcpy (&a, p + 3 * (size_t) points[0], sizeof a);
  memcpy (&b, p + 3 * (size_t) points[1], sizeof b);
  memcpy (&c, p + 3 * (size_t) points[2], sizeof c);
  memcpy (&d, p + 3 * (size_t) points[3], sizeof d);
  low_ab = __builtin_shufflevector (a, b, 0, 4, 1, 5);
  low_cd = __builtin_shufflevector (c, d, 0, 4, 1, 5);
  turned = __builtin_shufflevector (low_ab, low_cd, 0, 1, 4, 5);
  memcpy (x, &turned, sizeof turned);
  turned = __builtin_shufflevector (low_ab, low_cd, 2, 3, 6, 7);
  memcpy (y, &turned, sizeof turned);
  turned = __builtin_shufflevector (__builtin_shufflevector (a, b, 2, 6, 3, 7),
                                    __builtin_shufflevector (c, d, 2, 6, 3, 7), 0, 1, 4, 5);
  memcpy (z, &turned, sizeof turned);
}

static inline void
fetch_one (const float *p, uint32_t point, float *x, float *y, float *z)
{
  *x = p[3 * (size_t) point];
  *y = p[3 * (size_t) point + 1];
  *z = p[3 * (size_t) point + 2];
}

/* The coordinates of n polygons of so many corners. */
static inline void
fetch_coordinates (Batch *batch, const Reading *reading, const uint32_t (*corners)[PIECE], size_t n, size_t size)
{
  const float *p = reading->p;

  for (size_t k = 0; k < size; k++) {
    const uint32_t *points = corners[k];
    float *x = batch->corners[3 * k], *y = batch->corners[3 * k + 1], *z = batch->corners[3 * k + 2];
    size_t i = 0;

    for (; i + 4 <= n; i += 4) {
      const uint32_t most = MAX (MAX (points[i], points[i + 1]), MAX (points[i + 2], points[i + 3]));

      /* There is nothing behind the last point to be read with it. */
      if (most + 1 == reading->n_points)
        for (size_t l = i; l < i + 4; l++)
          fetch_one (p, points[l], x + l, y + l, z + l);
      else
        fetch_four (p, points + i, x + i, y + i, z + i);
    }
    for (; i < n; i++)
      fetch_one (p, points[i], x + i, y + i, z + i);
  }
}

/* Puts n polygons of three or four corners into the empty batch (first: where the corners of each begin; same: all have as many);
 * the sum of their edges.  A triangle among quadrilaterals is one whose last corner stands twice. */
static inline uint64_t
fetch_polygons (Batch *batch, const Reading *reading, const uint32_t *vertices, const uint32_t *first, size_t n,
                bool same, bool four)
{
  const size_t size = four ? 4 : 3;
  uint32_t corners[4][PIECE];
  uint64_t sum = 0;
  size_t i = 0;

  for (; same && four && i + 4 <= n; i += 4)
    turn_indices (vertices + first[0] + 4 * i, corners, i);
  if (same)
    for (; i < n; i++)
      for (size_t k = 0; k < size; k++)
        corners[k][i] = vertices[first[0] + size * i + k];
  else
    for (; i < n; i++)
      for (size_t k = 0; k < size; k++)
        corners[k][i] = vertices[k < 3 ? first[i] + k : first[i + 1] - 1];
  fetch_coordinates (batch, reading, (const uint32_t (*)[PIECE]) corners, n, size);
#pragma omp simd reduction(+ : sum)
  for (size_t k = 0; k < n; k++) {
    const Mark a = get_mark (corners[0][k]), b = get_mark (corners[1][k]), c = get_mark (corners[2][k]);

    sum += get_edges (a, b, c);
    if (four)
      sum += get_edges (a, c, get_mark (corners[3][k]));
  }
  batch->n = n;
  return sum;
}

KG_KERNEL static uint64_t
fill_batch (Batch *batch, const Reading *reading, const uint32_t *vertices, const uint32_t *first, size_t n, bool same,
            bool four)
{
  if (!same)
    return fetch_polygons (batch, reading, vertices, first, n, false, true);
  return four ? fetch_polygons (batch, reading, vertices, first, n, true, true)
              : fetch_polygons (batch, reading, vertices, first, n, true, false);
}

static Moments
get_moments (const double *sums, double measure, double first, double second)
{
  return (Moments){ sums[0] / measure,
                    { sums[1] / first, sums[2] / first, sums[3] / first },
                    { .xx = sums[4] / second,
                      .yy = sums[5] / second,
                      .zz = sums[6] / second,
                      .xy = sums[7] / second,
                      .xz = sums[8] / second,
                      .yz = sums[9] / second } };
}

/* What is in the lanes, in their order. */
static void
close_batch (const Batch *batch, Sums *sums)
{
  double totals[N_SUMS] = { 0 };
  Moments shell, solid;

  for (int k = 0; k < N_SUMS; k++)
    for (int l = 0; l < LANES; l++)
      totals[k] += batch->sums[k][l];
  /* Triangles: half of the cross product, a third and a twelfth of the corners and their squares.  Tetrahedra: a sixth, a fourth
   * and a twentieth. */
  shell = get_moments (totals, 2, 2 * 3, 2 * 12);
  solid = get_moments (totals + 10, 6, 6 * 4, 6 * 20);
  moments_join (&sums->shell, &shell);
  moments_join (&sums->solid, &solid);
}

/* One by one: polygons of many corners, lines and curves. */
static void
add_each (const Reading *reading, size_t from, size_t to, Sums *sums)
{
  for (size_t i = from; i < to; i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (reading->geometry, i, &primitive);
    if (primitive.kind == KG_POLYGON)
      add_polygon (reading, &primitive, sums);
    else if (primitive.kind == KG_SPLINE)
      add_curve (reading, i, sums);
    else
      add_line (reading, &primitive, sums);
  }
}

static void
add_block (const Reading *reading, size_t from, size_t to, Sums *sums)
{
  const uint32_t *vertices, *first;
  uint32_t least, most;
  Batch batch;

  memset (batch.sums, 0, sizeof batch.sums);
  for (size_t i = from; i < to; i += PIECE) {
    const size_t end = MIN (to, i + PIECE);

    if (kg_geometry_get_polygons (reading->geometry, i, end, &vertices, &first, &least, &most) && least >= 3 &&
        most <= 4) {
      sums->n_polygons += end - i;
      sums->boundary += fill_batch (&batch, reading, vertices, first + i, end - i, least == most, most == 4);
      add_batch (&batch, reading->origin, most == 4, reading->second);
    } else
      add_each (reading, i, end, sums);
  }
  close_batch (&batch, sums);
}

/* False when cancelled. */
static bool
add_primitives (const Reading *reading, const KgProgressMonitor *monitor, Sums *sums)
{
  const size_t n = kg_geometry_get_n_primitives (reading->geometry), n_blocks = (n + BLOCK - 1) / BLOCK;
  g_autofree Sums *blocks = g_new0 (Sums, MAX (n_blocks, 1));

  *sums = (Sums){ 0 };
#pragma omp parallel for schedule(dynamic) if (n_blocks > 4)
  for (size_t k = 0; k < n_blocks; k++)
    if (!kg_progress_is_cancelled (monitor))
      add_block (reading, k * BLOCK, MIN (n, (k + 1) * BLOCK), &blocks[k]);
  if (kg_progress_is_cancelled (monitor))
    return false;
  for (size_t k = 0; k < n_blocks; k++) {
    moments_join (&sums->solid, &blocks[k].solid);
    moments_join (&sums->shell, &blocks[k].shell);
    moments_join (&sums->lines, &blocks[k].lines);
    sums->boundary += blocks[k].boundary;
    sums->n_polygons += blocks[k].n_polygons;
  }
  return true;
}

static void
add_points_block (const Reading *reading, const float *mass, size_t from, size_t to, Moments *moments)
{
  for (size_t i = from; i < to; i++) {
    const KgVector x = get_point (reading, (uint32_t) i);

    moments_add (moments, &x, 1, mass != NULL ? (double) mass[i] : 1);
  }
}

/* mass: (nullable) of each point. */
static bool
add_points (const Reading *reading, const float *mass, const KgProgressMonitor *monitor, Moments *sums)
{
  const size_t n = kg_geometry_get_n_points (reading->geometry), n_blocks = (n + BLOCK - 1) / BLOCK;
  g_autofree Moments *blocks = g_new0 (Moments, MAX (n_blocks, 1));

  *sums = (Moments){ 0 };
#pragma omp parallel for schedule(dynamic) if (n_blocks > 4)
  for (size_t k = 0; k < n_blocks; k++)
    if (!kg_progress_is_cancelled (monitor))
      add_points_block (reading, mass, k * BLOCK, MIN (n, (k + 1) * BLOCK), &blocks[k]);
  if (kg_progress_is_cancelled (monitor))
    return false;
  for (size_t k = 0; k < n_blocks; k++)
    moments_join (sums, &blocks[k]);
  return true;
}

static int
compare_numbers (const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return (x > y) - (x < y);
}

size_t
mesh_count_open_edges (const KgGeometry *geometry)
{
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  size_t open = 0;

  /* The direction is the last bit: edges of both directions lie side by side. */
  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    for (uint32_t k = 0; primitive.kind == KG_POLYGON && k < primitive.n_vertices; k++) {
      const uint32_t a = primitive.vertices[k], b = primitive.vertices[(k + 1) % primitive.n_vertices];
      const uint64_t edge = (uint64_t) MIN (a, b) << 32 | (uint64_t) MAX (a, b) << 1 | (a < b);

      if (a != b)
        g_array_append_val (edges, edge);
    }
  }
  if (edges->len == 0)
    return 0;
  qsort (edges->data, edges->len, sizeof (uint64_t), compare_numbers);
  for (guint i = 0, k; i < edges->len; i = k) {
    const uint64_t edge = g_array_index (edges, uint64_t, i) >> 1;
    int64_t balance = 0;

    for (k = i; k < edges->len && g_array_index (edges, uint64_t, k) >> 1 == edge; k++)
      balance += (g_array_index (edges, uint64_t, k) & 1) != 0 ? 1 : -1;
    open += (size_t) (balance < 0 ? -balance : balance);
  }
  return open;
}

/* What is left of the volume of a flat thing by rounding is no weight to divide by. */
static bool
encloses_volume (const Sums *sums, KgVector size)
{
  return fabs (sums->solid.measure) > 1e-9 * size.x * size.y * size.z && sums->solid.measure != 0;
}

static void
fill_extent (const Sums *sums, MassExtent *extent)
{
  extent->area = sums->shell.measure;
  extent->length = sums->lines.measure;
  extent->closed = sums->n_polygons > 0 && sums->boundary == 0;
  extent->volume = extent->closed ? sums->solid.measure : 0;
  extent->inside_out = extent->volume < 0;
}

static MassModel
choose_model (const Sums *sums, const MassExtent *extent, KgVector size)
{
  if (extent->closed && encloses_volume (sums, size))
    return MASS_SOLID;
  return sums->shell.measure > 0 ? MASS_SHELL : sums->lines.measure > 0 ? MASS_LINES : MASS_POINTS;
}

static Reading
start_reading (const KgGeometry *geometry, Second second, KgVector *size)
{
  KgVector low, high;

  kg_geometry_get_bounds (geometry, &low, &high);
  *size = kg_vector_subtract (high, low);
  return (Reading){ geometry, kg_geometry_get_positions (geometry), kg_geometry_get_n_points (geometry),
                    kg_vector_lerp (low, high, 0.5), second };
}

bool
mass_properties_get_extent (const KgGeometry *geometry, const KgProgressMonitor *monitor, MassExtent *extent,
                            KgVector *center)
{
  KgVector size;
  const Reading reading = start_reading (geometry, SECOND_NONE, &size);
  Moments moments;
  Sums sums;

  *extent = (MassExtent){ 0 };
  *center = kg_vector (0, 0, 0);
  if (!add_primitives (&reading, monitor, &sums))
    return false;
  fill_extent (&sums, extent);
  extent->model = choose_model (&sums, extent, size);
  moments = extent->model == MASS_SOLID ? sums.solid : extent->model == MASS_SHELL ? sums.shell : sums.lines;
  if (extent->model == MASS_POINTS && !add_points (&reading, NULL, monitor, &moments))
    return false;
  if (moments.measure != 0)
    *center = kg_vector_add (reading.origin, kg_vector_scale (moments.first, 1 / moments.measure));
  return true;
}

/* From the first corner, so that nothing is lost far from the origin. */
static KgVector
get_area_vector (const float *p, const KgPrimitive *primitive)
{
  KgVector first = { 0, 0, 0 }, before = { 0, 0, 0 }, sum = { 0, 0, 0 };

  for (uint32_t i = 0; i < primitive->n_vertices; i++) {
    const float *x = p + 3 * (size_t) primitive->vertices[i];
    const KgVector at = kg_vector ((double) x[0], (double) x[1], (double) x[2]);
    const KgVector edge = kg_vector_subtract (at, i == 0 ? at : first);

    first = i == 0 ? at : first;
    sum = kg_vector_add_scaled (sum, 0.5, kg_vector_cross (before, edge));
    before = edge;
  }
  return sum;
}

typedef struct {
  KgVector polygons, lines;
  bool any; /* polygons */
} AreaVectors;

static void
add_area_vectors (const KgGeometry *geometry, size_t from, size_t to, AreaVectors *sums)
{
  const float *p = kg_geometry_get_positions (geometry);

  for (size_t i = from; i < to; i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    sums->any |= primitive.kind == KG_POLYGON;
    if (primitive.kind == KG_POLYGON)
      sums->polygons = kg_vector_add (sums->polygons, get_area_vector (p, &primitive));
    else if (primitive.kind == KG_POLYLINE && primitive.closed)
      sums->lines = kg_vector_add (sums->lines, get_area_vector (p, &primitive));
  }
}

bool
mass_properties_get_area_vector (const KgGeometry *geometry, const KgProgressMonitor *monitor, KgVector *area)
{
  const size_t n = kg_geometry_get_n_primitives (geometry), n_blocks = (n + BLOCK - 1) / BLOCK;
  g_autofree AreaVectors *blocks = g_new0 (AreaVectors, MAX (n_blocks, 1));
  AreaVectors sums = { 0 };

#pragma omp parallel for schedule(dynamic) if (n_blocks > 4)
  for (size_t k = 0; k < n_blocks; k++)
    if (!kg_progress_is_cancelled (monitor))
      add_area_vectors (geometry, k * BLOCK, MIN (n, (k + 1) * BLOCK), &blocks[k]);
  if (kg_progress_is_cancelled (monitor))
    return false;
  for (size_t k = 0; k < n_blocks; k++) {
    sums.any |= blocks[k].any;
    sums.polygons = kg_vector_add (sums.polygons, blocks[k].polygons);
    sums.lines = kg_vector_add (sums.lines, blocks[k].lines);
  }
  *area = sums.any ? sums.polygons : sums.lines;
  return true;
}

static void
write_areas (const KgGeometry *geometry, size_t from, size_t to, float *area)
{
  const float *p = kg_geometry_get_positions (geometry);

  for (size_t i = from; i < to; i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    area[i] = primitive.kind == KG_POLYGON ? (float) kg_vector_length (get_area_vector (p, &primitive)) : 0;
  }
}

bool
mass_properties_get_areas (const KgGeometry *geometry, const KgProgressMonitor *monitor, float *area)
{
  const size_t n = kg_geometry_get_n_primitives (geometry), n_blocks = (n + BLOCK - 1) / BLOCK;

#pragma omp parallel for schedule(dynamic) if (n_blocks > 4)
  for (size_t k = 0; k < n_blocks; k++)
    if (!kg_progress_is_cancelled (monitor))
      write_areas (geometry, k * BLOCK, MIN (n, (k + 1) * BLOCK), area);
  return !kg_progress_is_cancelled (monitor);
}

static bool
check_solid (const KgGeometry *geometry, const Sums *sums, MassExtent *extent, KgVector size, GError **warning,
             GError **error)
{
  if (sums->n_polygons == 0)
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "there are no polygons, so nothing is enclosed: weigh lines or points instead of a solid");
  else if (!extent->closed)
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "the surface is not closed (%zu of its edges have no polygon on the other side, or one that faces the "
        "other way): fuse its points, close the holes or weigh a shell",
        mesh_count_open_edges (geometry));
  else if (!encloses_volume (sums, size))
    kg_set_error (error, KG_ERROR_DEGENERATE, "the surface is closed, but encloses no volume (%g m³): weigh a shell",
                  sums->solid.measure);
  else {
    if (extent->inside_out && *warning == NULL)
      *warning = kg_error_new (KG_ERROR_DEGENERATE,
                               "the polygons face inwards (volume %g m³): the surface was turned inside out",
                               sums->solid.measure);
    return true;
  }
  return false;
}

static bool
check_masses (const float *mass, size_t n, GError **error)
{
  for (size_t i = 0; mass != NULL && i < n; i++)
    if (!(mass[i] >= 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "point %zu has a mass of %g kg: give it a mass of 0 or more", i,
                    (double) mass[i]);
      return false;
    }
  return true;
}

/* The moments that the model weighs, and the mass of one unit of their measure. */
static bool
weigh (const Reading *reading, const Sums *sums, const MassFilling *filling, MassExtent *extent, KgVector size,
       const KgProgressMonitor *monitor, Moments *moments, double *density, GError **warning, GError **error)
{
  const size_t n = kg_geometry_get_n_points (reading->geometry);
  const float *mass = kg_geometry_get_float (reading->geometry, KG_POINTS, "mass", 1);

  switch (extent->model) {
  case MASS_SOLID:
    *moments = sums->solid;
    *density = filling->density;
    return check_solid (reading->geometry, sums, extent, size, warning, error);
  case MASS_SHELL:
    *moments = sums->shell;
    *density = filling->density * filling->thickness;
    break;
  case MASS_LINES:
    *moments = sums->lines;
    *density = filling->density * 0.25 * KG_PI * filling->thickness * filling->thickness;
    break;
  default:
    *density = 1;
    if (!check_masses (mass, n, error) || !add_points (reading, mass, monitor, moments))
      return false;
  }
  if (moments->measure > 0)
    return true;
  if (extent->model == MASS_SHELL)
    kg_set_error (error, KG_ERROR_DEGENERATE, "there are no polygons with an area: weigh lines or points");
  else if (extent->model == MASS_LINES)
    kg_set_error (error, KG_ERROR_DEGENERATE, "there are no lines with a length: weigh the points");
  else if (n == 0)
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the geometry has no points, so it has no mass: link one that has points");
  else
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the masses of all points are 0: give some of them an attribute mass > 0");
  return false;
}

bool
mass_properties_measure (const KgGeometry *geometry, const MassFilling *filling, const KgProgressMonitor *monitor,
                         MassProperties *result, MassExtent *extent, GError **warning, GError **error)
{
  KgVector size;
  /* What is asked for is known, unless it depends on whether the surface is closed. */
  const Second second = filling->model == MASS_SOLID                                    ? SECOND_SOLID
                        : filling->model == MASS_LINES || filling->model == MASS_POINTS ? SECOND_NONE
                                                                                        : SECOND_ALL;
  const Reading reading = start_reading (geometry, second, &size);
  double density, total;
  Moments moments;
  Sums sums;

  *result = (MassProperties){ 0 };
  *extent = (MassExtent){ 0 };
  if (!add_primitives (&reading, monitor, &sums))
    return false;
  fill_extent (&sums, extent);
  extent->model = filling->model != MASS_AUTO ? filling->model : choose_model (&sums, extent, size);
  if (!weigh (&reading, &sums, filling, extent, size, monitor, &moments, &density, warning, error))
    return false;
  if (filling->model == MASS_AUTO && extent->model == MASS_SHELL && *warning == NULL)
    *warning =
        extent->closed
            ? kg_error_new (KG_ERROR_DEGENERATE, "the surface encloses no volume: its polygons were weighed as sheets")
            : kg_error_new (KG_ERROR_DEGENERATE,
                            "the surface is not closed (%zu open edges): its polygons were weighed as sheets",
                            mesh_count_open_edges (geometry));
  total = filling->total > 0 ? filling->total : density * fabs (moments.measure);
  if (!(total > 0)) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "the mass is 0: give a density, a thickness or a total mass above 0");
    return false;
  }
  if (!moments_get_mass_properties (&moments, total, result)) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "there is too little to weigh (%g): use larger units", moments.measure);
    return false;
  }
  result->center = kg_vector_add (result->center, reading.origin);
  return true;
}

/* Closed forms. */

/* Round shapes of any proportions are what is round, stretched along the axes, so that all of them fit their boxes. */

/* Half of the height of each end of a capsule, and of the whole cylinder between them. */
static void
get_capsule (KgVector size, double *end, double *height)
{
  *end = 0.5 * fmin (size.y, fmin (size.x, size.z));
  *height = size.y - 2 * *end;
}

/* Radii of the ring and, in its plane, of the tube of a torus, which does not cut itself. */
static void
get_torus (KgVector size, double *ring, double *tube)
{
  *tube = fmin (0.5 * size.y, 0.25 * size.x);
  *ring = 0.5 * size.x - *tube;
}

/* x² of a round thing becomes z² where it is stretched. */
static SymmetricMatrix
get_stretched_inertia (double xx, double yy, KgVector size)
{
  const double stretch = size.x > 0 ? size.z / size.x : 1;

  return get_inertia ((SymmetricMatrix){ xx, yy, xx * stretch * stretch, 0, 0, 0 });
}

double
mass_shape_get_volume (MassShape shape, KgVector size)
{
  const double box = size.x * size.y * size.z, r = 0.5 * size.x;
  double tube, ring, end, height;

  switch (shape) {
  case MASS_ELLIPSOID:
    return KG_PI / 6 * box;
  case MASS_HOLLOW_BALL:
    return 4 * KG_PI / 3 * r * r * r;
  case MASS_CYLINDER:
    return KG_PI / 4 * box;
  case MASS_CONE:
    return KG_PI / 12 * box;
  case MASS_CAPSULE:
    get_capsule (size, &end, &height);
    return KG_PI / 4 * size.x * size.z * (height + 4.0 / 3 * end);
  case MASS_TORUS:
    get_torus (size, &ring, &tube);
    return size.x > 0 ? 2 * KG_PI * KG_PI * ring * tube * 0.5 * size.y * size.z / size.x : 0;
  default:
    return box;
  }
}

/* Cylinder and two halves of an ellipsoid, which together make an ellipsoid that is cut in the middle. */
static SymmetricMatrix
get_capsule_inertia (KgVector size, double m)
{
  const double r = 0.5 * size.x, volume = mass_shape_get_volume (MASS_CAPSULE, size);
  double end, h, ends, cylinder;

  get_capsule (size, &end, &h);
  ends = volume > 0 ? m * (KG_PI / 3 * end * size.x * size.z) / volume : 0;
  cylinder = m - ends;
  return get_stretched_inertia (r * r * (cylinder / 4 + ends / 5),
                                cylinder * h * h / 12 + ends * (h * h / 4 + 3.0 / 8 * h * end + end * end / 5), size);
}

MassProperties
mass_shape_get_properties (MassShape shape, KgVector size, double m)
{
  const double a = size.x * size.x, b = size.y * size.y, c = size.z * size.z;
  MassProperties result = { .mass = m };
  double tube, ring, x;

  switch (shape) {
  case MASS_ELLIPSOID:
    result.inertia = symmetric_matrix_scale ((SymmetricMatrix){ b + c, a + c, a + b, 0, 0, 0 }, m / 20);
    break;
  case MASS_HOLLOW_BALL:
    x = m * a / 6;
    result.inertia = (SymmetricMatrix){ x, x, x, 0, 0, 0 };
    break;
  case MASS_CYLINDER:
    result.inertia = (SymmetricMatrix){ m * (c / 16 + b / 12), m * (a + c) / 16, m * (a / 16 + b / 12), 0, 0, 0 };
    break;
  case MASS_CONE:
    result.center = kg_vector (0, -0.25 * size.y, 0);
    result.inertia = (SymmetricMatrix){ 3 * m / 80 * (c + b), 3 * m / 80 * (a + c), 3 * m / 80 * (a + b), 0, 0, 0 };
    break;
  case MASS_CAPSULE:
    result.inertia = get_capsule_inertia (size, m);
    break;
  case MASS_TORUS:
    get_torus (size, &ring, &tube);
    result.inertia = get_stretched_inertia (m * (0.5 * ring * ring + 3.0 / 8 * tube * tube), m * b / 16, size);
    break;
  default:
    result.inertia = symmetric_matrix_scale ((SymmetricMatrix){ b + c, a + c, a + b, 0, 0, 0 }, m / 12);
  }
  return result;
}

/* Other points and axes. */

SymmetricMatrix
mass_properties_get_inertia_about (const MassProperties *properties, KgVector d)
{
  const double m = properties->mass, dd = m * kg_vector_dot (d, d);
  const SymmetricMatrix moved = symmetric_matrix_add_square (properties->inertia, -m, d);

  return symmetric_matrix_add_scaled (moved, 1, (SymmetricMatrix){ dd, dd, dd, 0, 0, 0 });
}

MassProperties
mass_properties_join (const MassProperties *a, const MassProperties *b)
{
  MassProperties result = { .mass = a->mass + b->mass };

  if (!(result.mass > 0))
    return *a;
  result.center = kg_vector_lerp (a->center, b->center, b->mass / result.mass);
  result.inertia = symmetric_matrix_add_scaled (
      mass_properties_get_inertia_about (a, kg_vector_subtract (result.center, a->center)), 1,
      mass_properties_get_inertia_about (b, kg_vector_subtract (result.center, b->center)));
  return result;
}

MassProperties
mass_properties_move (const MassProperties *properties, KgRotation rotation, KgVector translation)
{
  return (MassProperties){ .mass = properties->mass,
                           .center = kg_vector_add (translation, kg_rotation_apply (rotation, properties->center)),
                           .inertia = symmetric_matrix_rotate (properties->inertia, rotation) };
}
