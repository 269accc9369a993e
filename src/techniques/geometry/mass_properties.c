/* mass_properties: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/mass_properties.h"

#include "curve/curve.h"
#include "kg-error.h"
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

typedef struct {
  const KgGeometry *geometry;
  const float *p;
  KgVector origin; /* near the geometry, so that far from the origin of the world no digits are lost */
  bool second;     /* whether second moments are wanted */
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

/* A number for the edge between two points, the other way round its negative: those of a closed surface add up to 0,
 * others (but for one in 2^64) do not. */
static inline uint64_t
get_edge (uint32_t a, uint32_t b)
{
  const uint64_t x = kg_hash_mix (((uint64_t) MIN (a, b) << 32) | MAX (a, b));

  return a == b ? 0 : a < b ? x : -x;
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
  if (reading->second) {
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
    sums->boundary += get_edge (v[i], v[i + 1 < n ? i + 1 : 0]);
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

typedef struct {
  guint n;
  float corners[4][3][LANES]; /* of a triangle, the last one twice */
  double sums[N_SUMS][LANES]; /* of sheets and of tetrahedra to the origin: measure, first moments, second moments */
} Batch;

/* The same as add_polygon (), without branches; what is beyond n has no area. */
KG_KERNEL static void
add_batch (Batch *batch, double x0, double y0, double z0, bool second)
{
  const float (*restrict p)[3][LANES] = (const float (*)[3][LANES]) batch->corners;
  double (*restrict s)[LANES] = batch->sums;

  for (int l = 0; l < LANES; l++) {
    const double ax = (double) p[0][0][l] - x0, ay = (double) p[0][1][l] - y0, az = (double) p[0][2][l] - z0;
    const double bx = (double) p[1][0][l] - x0, by = (double) p[1][1][l] - y0, bz = (double) p[1][2][l] - z0;
    const double cx = (double) p[2][0][l] - x0, cy = (double) p[2][1][l] - y0, cz = (double) p[2][2][l] - z0;
    const double dx = (double) p[3][0][l] - x0, dy = (double) p[3][1][l] - y0, dz = (double) p[3][2][l] - z0;
    const double bax = bx - ax, bay = by - ay, baz = bz - az, cax = cx - ax, cay = cy - ay, caz = cz - az;
    const double dax = dx - ax, day = dy - ay, daz = dz - az;
    const double ux = bay * caz - baz * cay, uy = baz * cax - bax * caz, uz = bax * cay - bay * cax;
    const double vx = cay * daz - caz * day, vy = caz * dax - cax * daz, vz = cax * day - cay * dax;
    const double fx = ux + vx, fy = uy + vy, fz = uz + vz, f = sqrt (fx * fx + fy * fy + fz * fz);
    const double scale = f > 0 ? 0.5 / f : 0;
    const double area_u = (ux * fx + uy * fy + uz * fz) * scale, area_v = (vx * fx + vy * fy + vz * fz) * scale;
    const double volume_u = (ax * ux + ay * uy + az * uz) / 6, volume_v = (ax * vx + ay * vy + az * vz) / 6;
    const double px = ax + bx + cx, py = ay + by + cy, pz = az + bz + cz;
    const double qx = ax + cx + dx, qy = ay + cy + dy, qz = az + cz + dz;

    s[0][l] += area_u + area_v;
    s[1][l] += (area_u * px + area_v * qx) / 3;
    s[2][l] += (area_u * py + area_v * qy) / 3;
    s[3][l] += (area_u * pz + area_v * qz) / 3;
    s[10][l] += volume_u + volume_v;
    s[11][l] += (volume_u * px + volume_v * qx) / 4;
    s[12][l] += (volume_u * py + volume_v * qy) / 4;
    s[13][l] += (volume_u * pz + volume_v * qz) / 4;
    if (second) {
      const double uxx = ax * ax + bx * bx + cx * cx + px * px, vxx = ax * ax + cx * cx + dx * dx + qx * qx;
      const double uyy = ay * ay + by * by + cy * cy + py * py, vyy = ay * ay + cy * cy + dy * dy + qy * qy;
      const double uzz = az * az + bz * bz + cz * cz + pz * pz, vzz = az * az + cz * cz + dz * dz + qz * qz;
      const double uxy = ax * ay + bx * by + cx * cy + px * py, vxy = ax * ay + cx * cy + dx * dy + qx * qy;
      const double uxz = ax * az + bx * bz + cx * cz + px * pz, vxz = ax * az + cx * cz + dx * dz + qx * qz;
      const double uyz = ay * az + by * bz + cy * cz + py * pz, vyz = ay * az + cy * cz + dy * dz + qy * qz;

      s[4][l] += (area_u * uxx + area_v * vxx) / 12;
      s[5][l] += (area_u * uyy + area_v * vyy) / 12;
      s[6][l] += (area_u * uzz + area_v * vzz) / 12;
      s[7][l] += (area_u * uxy + area_v * vxy) / 12;
      s[8][l] += (area_u * uxz + area_v * vxz) / 12;
      s[9][l] += (area_u * uyz + area_v * vyz) / 12;
      s[14][l] += (volume_u * uxx + volume_v * vxx) / 20;
      s[15][l] += (volume_u * uyy + volume_v * vyy) / 20;
      s[16][l] += (volume_u * uzz + volume_v * vzz) / 20;
      s[17][l] += (volume_u * uxy + volume_v * vxy) / 20;
      s[18][l] += (volume_u * uxz + volume_v * vxz) / 20;
      s[19][l] += (volume_u * uyz + volume_v * vyz) / 20;
    }
  }
}

static void
flush_batch (const Reading *reading, Batch *batch)
{
  if (batch->n == 0)
    return;
  /* The rest of the lanes: a corner alone. */
  for (guint l = batch->n; l < LANES; l++)
    for (int k = 0; k < 4; k++)
      for (int c = 0; c < 3; c++)
        batch->corners[k][c][l] = batch->corners[0][c][0];
  add_batch (batch, reading->origin.x, reading->origin.y, reading->origin.z, reading->second);
  batch->n = 0;
}

static inline void
add_to_batch (const Reading *reading, const KgPrimitive *primitive, Batch *batch, Sums *sums)
{
  const uint32_t n = primitive->n_vertices, *v = primitive->vertices;

  sums->n_polygons++;
  for (uint32_t i = 0; i < n; i++)
    sums->boundary += get_edge (v[i], v[i + 1 < n ? i + 1 : 0]);
  for (uint32_t k = 0; k < 4; k++) {
    const float *x = reading->p + 3 * (size_t) v[k < n ? k : n - 1];

    for (int c = 0; c < 3; c++)
      batch->corners[k][c][batch->n] = x[c];
  }
  if (++batch->n == LANES)
    flush_batch (reading, batch);
}

static Moments
get_moments (const double *sums)
{
  return (Moments){ sums[0],
                    { sums[1], sums[2], sums[3] },
                    { .xx = sums[4], .yy = sums[5], .zz = sums[6], .xy = sums[7], .xz = sums[8], .yz = sums[9] } };
}

/* What is in the lanes, in their order. */
static void
close_batch (const Reading *reading, Batch *batch, Sums *sums)
{
  double totals[N_SUMS] = { 0 };
  Moments shell, solid;

  flush_batch (reading, batch);
  for (int k = 0; k < N_SUMS; k++)
    for (int l = 0; l < LANES; l++)
      totals[k] += batch->sums[k][l];
  shell = get_moments (totals);
  solid = get_moments (totals + 10);
  moments_join (&sums->shell, &shell);
  moments_join (&sums->solid, &solid);
}

static void
add_block (const Reading *reading, size_t from, size_t to, Sums *sums)
{
  Batch batch;

  batch.n = 0;
  memset (batch.sums, 0, sizeof batch.sums);
  for (size_t i = from; i < to; i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (reading->geometry, i, &primitive);
    if (primitive.kind == KG_POLYGON && (primitive.n_vertices == 3 || primitive.n_vertices == 4))
      add_to_batch (reading, &primitive, &batch, sums);
    else if (primitive.kind == KG_POLYGON)
      add_polygon (reading, &primitive, sums);
    else if (primitive.kind == KG_SPLINE)
      add_curve (reading, i, sums);
    else
      add_line (reading, &primitive, sums);
  }
  close_batch (reading, &batch, sums);
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
start_reading (const KgGeometry *geometry, bool second, KgVector *size)
{
  KgVector low, high;

  kg_geometry_get_bounds (geometry, &low, &high);
  *size = kg_vector_subtract (high, low);
  return (Reading){ geometry, kg_geometry_get_positions (geometry), kg_vector_lerp (low, high, 0.5), second };
}

bool
mass_properties_get_extent (const KgGeometry *geometry, const KgProgressMonitor *monitor, MassExtent *extent,
                            KgVector *center)
{
  KgVector size;
  const Reading reading = start_reading (geometry, false, &size);
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

bool
mass_properties_get_area_vector (const KgGeometry *geometry, const KgProgressMonitor *monitor, KgVector *area)
{
  const float *p = kg_geometry_get_positions (geometry);
  KgVector polygons = { 0, 0, 0 }, lines = { 0, 0, 0 };
  bool any = false;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    if (i % 65536 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    kg_geometry_get_primitive (geometry, i, &primitive);
    any |= primitive.kind == KG_POLYGON;
    if (primitive.kind == KG_POLYGON)
      polygons = kg_vector_add (polygons, get_area_vector (p, &primitive));
    else if (primitive.kind == KG_POLYLINE && primitive.closed)
      lines = kg_vector_add (lines, get_area_vector (p, &primitive));
  }
  *area = any ? polygons : lines;
  return true;
}

static bool
check_solid (const KgGeometry *geometry, const Sums *sums, MassExtent *extent, KgVector size, GError **warning,
             GError **error)
{
  if (sums->n_polygons == 0)
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "there are no polygons, and so nothing is enclosed: weigh lines or points instead of a solid");
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
    kg_set_error (error, KG_ERROR_DEGENERATE, "the geometry has no points, and so no mass: link one that has");
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
  const Reading reading = start_reading (geometry, true, &size);
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
