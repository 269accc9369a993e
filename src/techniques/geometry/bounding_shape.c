/* bounding_shape: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/bounding_shape.h"

#include "geometry/symmetric_matrix.h"
#include "kg-error.h"

/* Faces of a hull that boxes are tried on. */
#define MAX_FACES 20000
/* Rounds of pivoting; each makes the sphere larger. */
#define MAX_ROUNDS 1000

/* Spheres. */

/* Rounding may leave points outside by a hair: the radius grows. */
static void
contain_all (BoundingSphere *sphere, const KgVector *points, size_t n)
{
  double radius = sphere->radius;

#pragma omp parallel for schedule(dynamic, 8192) reduction(max : radius) if (n > 100000)
  for (size_t i = 0; i < n; i++)
    radius = fmax (radius, kg_vector_distance (points[i], sphere->center));
  sphere->radius = radius;
}

BoundingSphere
bounding_sphere_find_quick (const KgVector *points, size_t n)
{
  BoundingSphere sphere = { .radius = -1 };
  size_t ends[3][2] = { { 0 } };

  for (size_t i = 1; i < n; i++)
    for (size_t c = 0; c < 3; c++) {
      const double x = kg_vector_get (points[i], c);

      if (x < kg_vector_get (points[ends[c][0]], c))
        ends[c][0] = i;
      if (x > kg_vector_get (points[ends[c][1]], c))
        ends[c][1] = i;
    }
  for (size_t c = 0; c < 3; c++) {
    const KgVector a = points[ends[c][0]], b = points[ends[c][1]];
    const double radius = 0.5 * kg_vector_distance (a, b);

    if (radius > sphere.radius) {
      sphere.center = kg_vector_lerp (a, b, 0.5);
      sphere.radius = radius;
    }
  }
  for (size_t i = 0; i < n; i++) {
    const double distance = kg_vector_distance (points[i], sphere.center);

    if (distance > sphere.radius) {
      sphere.radius = 0.5 * (sphere.radius + distance);
      sphere.center = kg_vector_lerp (points[i], sphere.center, sphere.radius / distance);
    }
  }
  contain_all (&sphere, points, n);
  return sphere;
}

/* The sphere through up to four points with its centre between them: c0 + sum l_i (p_i - c0), 2 G l = diag G.  False when a
 * point adds no dimension. */
static bool
find_through (const KgVector *points, const uint32_t *support, guint n, BoundingSphere *sphere)
{
  double m[3][4];
  KgVector d[3];

  sphere->n_support = n;
  memcpy (sphere->support, support, n * sizeof *support);
  sphere->center = points[support[0]];
  sphere->radius = 0;
  for (guint i = 0; i + 1 < n; i++)
    d[i] = kg_vector_subtract (points[support[i + 1]], points[support[0]]);
  for (guint i = 0; i + 1 < n; i++) {
    for (guint k = 0; k + 1 < n; k++)
      m[i][k] = 2 * kg_vector_dot (d[i], d[k]);
    m[i][3] = kg_vector_dot (d[i], d[i]);
  }
  /* Gauss with pivots on the diagonal: the matrix is positive definite. */
  for (guint i = 0; i + 1 < n; i++) {
    if (!(m[i][i] > 1e-13 * kg_vector_dot (d[i], d[i])))
      return false;
    for (guint k = i + 1; k + 1 < n; k++) {
      const double f = m[k][i] / m[i][i];

      for (guint j = i; j + 1 < n; j++)
        m[k][j] -= f * m[i][j];
      m[k][3] -= f * m[i][3];
    }
  }
  for (guint i = n - 1; i-- > 0;) {
    for (guint k = i + 1; k + 1 < n; k++)
      m[i][3] -= m[i][k] * m[k][3];
    m[i][3] /= m[i][i];
    sphere->center = kg_vector_add_scaled (sphere->center, m[i][3], d[i]);
  }
  sphere->radius = kg_vector_distance (sphere->center, points[support[0]]);
  return true;
}

static bool
holds (const BoundingSphere *sphere, KgVector x)
{
  return kg_vector_distance (sphere->center, x) <= sphere->radius * (1 + 1e-13) + 1e-300;
}

/* The smallest sphere around at most five points: the smallest one through some of them that holds all. */
static BoundingSphere
find_of_few (const KgVector *points, const uint32_t *which, guint n)
{
  BoundingSphere best = { .radius = INFINITY };

  for (guint set = 1; set < 1u << n; set++) {
    uint32_t support[5] = { 0 };
    guint size = 0;
    BoundingSphere sphere;
    bool all = true;

    for (guint i = 0; i < n; i++)
      if (set >> i & 1)
        support[size++] = which[i];
    if (size > 4 || !find_through (points, support, size, &sphere) || sphere.radius >= best.radius)
      continue;
    for (guint i = 0; i < n && all; i++)
      all = holds (&sphere, points[which[i]]);
    if (all)
      best = sphere;
  }
  return best;
}

static size_t
find_farthest (const KgVector *points, size_t n, KgVector from)
{
  size_t found = 0;
  double best = -1;

  for (size_t i = 0; i < n; i++) {
    const double distance = kg_vector_distance (points[i], from);

    if (distance > best) {
      best = distance;
      found = i;
    }
  }
  return found;
}

BoundingSphere
bounding_sphere_find_smallest (const KgVector *points, size_t n)
{
  BoundingSphere sphere = { .center = points[0], .n_support = 1 };

  for (int round = 0; round < MAX_ROUNDS; round++) {
    const size_t far = find_farthest (points, n, sphere.center);
    uint32_t which[5];
    BoundingSphere next;

    if (holds (&sphere, points[far]))
      break;
    memcpy (which, sphere.support, sphere.n_support * sizeof *which);
    which[sphere.n_support] = (uint32_t) far;
    next = find_of_few (points, which, sphere.n_support + 1);
    /* It grows from round to round, but for rounding at the end. */
    if (!(next.radius > sphere.radius) || isinf (next.radius))
      break;
    sphere = next;
  }
  contain_all (&sphere, points, n);
  return sphere;
}

/* Slabs. */

void
bounding_slabs_find (const KgVector *points, size_t n, const KgVector *directions, size_t n_directions, double *low,
                     double *high)
{
#pragma omp parallel for schedule(dynamic) if (n > 100000)
  for (size_t k = 0; k < n_directions; k++) {
    double l = INFINITY, h = -INFINITY;

    for (size_t i = 0; i < n; i++) {
      const double x = kg_vector_dot (points[i], directions[k]);

      l = x < l ? x : l;
      h = x > h ? x : h;
    }
    low[k] = l;
    high[k] = h;
  }
}

size_t
bounding_slabs_get_directions (guint n_sides, KgVector directions[13])
{
  static const KgVector axes[] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  static const KgVector corners[] = { { 1, 1, 1 }, { 1, 1, -1 }, { 1, -1, 1 }, { -1, 1, 1 } };
  static const KgVector edges[] = { { 1, 1, 0 }, { 1, -1, 0 }, { 1, 0, 1 }, { 1, 0, -1 }, { 0, 1, 1 }, { 0, 1, -1 } };
  size_t n = 3;

  memcpy (directions, axes, sizeof axes);
  if (n_sides == 14 || n_sides == 26) {
    memcpy (directions + n, corners, sizeof corners);
    n += 4;
  }
  if (n_sides == 18 || n_sides == 26) {
    memcpy (directions + n, edges, sizeof edges);
    n += 6;
  }
  return n;
}

/* Corners of the polyhedron: where three planes meet that are not cut off by others. */
static bool
add_corner (const KgVector *normals, const double *distances, size_t n, size_t a, size_t b, size_t c, double slack,
            GArray *corners)
{
  const KgVector bc = kg_vector_cross (normals[b], normals[c]);
  const double determinant = kg_vector_dot (normals[a], bc);
  KgVector x;

  if (fabs (determinant) < 1e-9)
    return false;
  x = kg_vector_scale (bc, distances[a]);
  x = kg_vector_add_scaled (x, distances[b], kg_vector_cross (normals[c], normals[a]));
  x = kg_vector_add_scaled (x, distances[c], kg_vector_cross (normals[a], normals[b]));
  x = kg_vector_scale (x, 1 / determinant);
  for (size_t i = 0; i < n; i++)
    if (kg_vector_dot (normals[i], x) > distances[i] + slack)
      return true;
  g_array_append_val (corners, x);
  return true;
}

bool
bounding_slabs_make_hull (const KgVector *directions, const double *low, const double *high, size_t n_directions,
                          ConvexHull *hull, GError **error)
{
  const HullOptions options = { .tolerance = 1e-9 };
  const size_t n = 2 * n_directions;
  g_autofree KgVector *normals = g_new (KgVector, MAX (n, 1));
  g_autofree double *distances = g_new (double, MAX (n, 1));
  g_autoptr (GArray) corners = g_array_new (FALSE, FALSE, sizeof (KgVector));
  double size = 0, thickness = 0;
  bool encloses = false;

  *hull = (ConvexHull){ 0 };
  for (size_t i = 0; i < n_directions; i++) {
    const double length = kg_vector_length (directions[i]);

    if (!(length > 1e-150)) {
      kg_set_error (error, KG_ERROR_DEGENERATE, "direction %zu of the slabs is zero: remove it", i);
      return false;
    }
    normals[2 * i] = kg_vector_scale (directions[i], 1 / length);
    normals[2 * i + 1] = kg_vector_scale (directions[i], -1 / length);
    distances[2 * i] = high[i] / length;
    distances[2 * i + 1] = -low[i] / length;
    size = fmax (size, fmax (fabs (distances[2 * i]), fabs (distances[2 * i + 1])));
    thickness = fmax (thickness, distances[2 * i] + distances[2 * i + 1]);
  }
  for (size_t a = 0; a < n; a++)
    for (size_t b = a + 1; b < n; b++)
      for (size_t c = b + 1; c < n; c++)
        encloses |= add_corner (normals, distances, n, a, b, c, 1e-11 * size, corners);
  if (!encloses || corners->len == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the directions of the slabs lie in one plane and enclose nothing: add a direction across it");
    return false;
  }
  /* Of a single place the corners differ by rounding only. */
  if (thickness <= 1e-12 * size)
    g_array_set_size (corners, 1);
  return convex_hull_find (hull, (const KgVector *) (const void *) corners->data, corners->len, &options, NULL, error);
}

/* Oriented boxes. */

/* Along three axes; sides in order of length. */
static OrientedBox
fit_box (const ConvexHull *hull, const KgVector axes[3])
{
  OrientedBox box = { .center = { 0, 0, 0 } };
  double low[3], high[3];
  int order[3] = { 0, 1, 2 };

  bounding_slabs_find (hull->points, hull->n_points, axes, 3, low, high);
  for (int i = 1; i < 3; i++)
    for (int k = i; k > 0 && high[order[k]] - low[order[k]] > high[order[k - 1]] - low[order[k - 1]]; k--) {
      const int swap = order[k];

      order[k] = order[k - 1];
      order[k - 1] = swap;
    }
  for (int i = 0; i < 3; i++) {
    const int k = order[i];

    box.axes[i] = axes[k];
    *kg_vector_component (&box.half, (size_t) i) = 0.5 * (high[k] - low[k]);
    box.center = kg_vector_add_scaled (box.center, 0.5 * (high[k] + low[k]), axes[k]);
  }
  /* Several signs make the same box: takes those that point forward. */
  for (int i = 0; i < 2; i++)
    if (box.axes[i].x + box.axes[i].y + box.axes[i].z < 0)
      box.axes[i] = kg_vector_scale (box.axes[i], -1);
  box.axes[2] = kg_vector_cross (box.axes[0], box.axes[1]);
  return box;
}

double
oriented_box_get_volume (const OrientedBox *box)
{
  return 8 * box->half.x * box->half.y * box->half.z;
}

/* For flat geometry the box with the smaller area is better. */
static double
get_cost (const OrientedBox *box, double size)
{
  const KgVector h = box->half;
  const double least = 1e-6 * size;

  return (h.x + least) * (h.y + least) * (h.z + least);
}

static void
take_better (OrientedBox *best, const ConvexHull *hull, const KgVector axes[3], double size)
{
  const OrientedBox box = fit_box (hull, axes);

  if (get_cost (&box, size) < (1 - 1e-12) * get_cost (best, size))
    *best = box;
}

/* Covariance of the surface; of lower hulls that of the corners. */
static SymmetricMatrix
get_covariance (const ConvexHull *hull)
{
  SymmetricMatrix c = { 0 };
  KgVector mean = { 0, 0, 0 };
  double sum = 0;

  for (size_t i = 0; i < hull->n_faces; i++)
    for (uint32_t k = hull->first[i] + 1; k + 1 < hull->first[i + 1]; k++) {
      const KgVector p = hull->points[hull->corners[hull->first[i]]], q = hull->points[hull->corners[k]];
      const KgVector r = hull->points[hull->corners[k + 1]];
      const KgVector m = kg_vector_scale (kg_vector_add (p, kg_vector_add (q, r)), 1.0 / 3);
      const double area = 0.5 *
                          kg_vector_length (kg_vector_cross (kg_vector_subtract (q, p), kg_vector_subtract (r, p)));

      sum += area;
      mean = kg_vector_add_scaled (mean, area, m);
      c = symmetric_matrix_add_square (c, 9 * area / 12, m);
      c = symmetric_matrix_add_square (c, area / 12, p);
      c = symmetric_matrix_add_square (c, area / 12, q);
      c = symmetric_matrix_add_square (c, area / 12, r);
    }
  for (size_t i = 0; !(sum > 0) && i < hull->n_points; i++) {
    mean = kg_vector_add (mean, hull->points[i]);
    c = symmetric_matrix_add_square (c, 1, hull->points[i]);
  }
  sum = sum > 0 ? sum : (double) hull->n_points;
  mean = kg_vector_scale (mean, 1 / sum);
  return symmetric_matrix_add_square (symmetric_matrix_scale (c, 1 / sum), -1, mean);
}

/* A hull as boxes that are flush with one of its faces need it: the normals, and which two faces share each edge. */
typedef struct {
  const ConvexHull *hull;
  double size;
  KgVector *normals;
  size_t n_edges;
  uint32_t (*edges)[4]; /* a face, its neighbour, and the ends */
  bool closed;
} Flush;

typedef struct {
  double cost;
  KgVector axes[3];
} FlushBox;

static int
compare_edges (const void *a, const void *b)
{
  const uint32_t *x = (const uint32_t *) a, *y = (const uint32_t *) b;

  for (guint i = 2; i < 4; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return x[0] < y[0] ? -1 : x[0] > y[0];
}

static void
flush_clear (Flush *flush)
{
  g_free (flush->normals);
  g_free (flush->edges);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Flush, flush_clear)

static void
flush_init (Flush *flush, const ConvexHull *hull, double size)
{
  const size_t n = hull->first[hull->n_faces];
  size_t kept = 0;

  *flush = (Flush){ .hull = hull, .size = size, .closed = hull->dimension == 3 };
  flush->normals = g_new (KgVector, MAX (hull->n_faces, 1));
  flush->edges = (uint32_t (*)[4]) g_malloc (MAX (n, 1) * sizeof *flush->edges);
  for (size_t i = 0; i < hull->n_faces; i++) {
    double distance;

    flush->normals[i] = convex_hull_get_plane (hull, i, &distance);
    for (uint32_t k = hull->first[i]; k < hull->first[i + 1]; k++) {
      const uint32_t from = hull->corners[k];
      const uint32_t to = hull->corners[k + 1 < hull->first[i + 1] ? k + 1 : hull->first[i]];

      flush->edges[k][0] = flush->edges[k][1] = (uint32_t) i;
      flush->edges[k][2] = MIN (from, to);
      flush->edges[k][3] = MAX (from, to);
    }
  }
  qsort (flush->edges, n, sizeof *flush->edges, compare_edges);
  for (size_t i = 0; i < n && flush->closed; i += 2) {
    flush->closed = i + 1 < n && flush->edges[i][2] == flush->edges[i + 1][2] &&
                    flush->edges[i][3] == flush->edges[i + 1][3];
    if (flush->closed) {
      memmove (flush->edges[kept], flush->edges[i], sizeof *flush->edges);
      flush->edges[kept++][1] = flush->edges[i + 1][0];
    }
  }
  flush->n_edges = kept;
}

/* The corners that can be on the outline of the hull as seen along a direction: ends of edges between a face that looks
 * there and one that does not. */
static size_t
find_outline (const Flush *flush, KgVector along, double *looks, uint8_t *seen, uint32_t *corners)
{
  const ConvexHull *hull = flush->hull;
  size_t n = 0;

  memset (seen, flush->closed ? 0 : 1, hull->n_points);
  for (size_t i = 0; flush->closed && i < hull->n_faces; i++)
    looks[i] = kg_vector_dot (flush->normals[i], along);
  for (size_t i = 0; flush->closed && i < flush->n_edges; i++) {
    const uint32_t *edge = flush->edges[i];

    if ((looks[edge[0]] > 0) != (looks[edge[1]] > 0))
      seen[edge[2]] = seen[edge[3]] = 1;
  }
  for (size_t i = 0; i < hull->n_points; i++)
    if (seen[i])
      corners[n++] = (uint32_t) i;
  return n;
}

static double
get_flat_extent (const double (*flat)[2], const uint32_t *corners, size_t n, double u, double v)
{
  double low = INFINITY, high = -INFINITY;

  for (size_t i = 0; i < n; i++) {
    const double x = flat[corners[i]][0] * u + flat[corners[i]][1] * v;

    low = fmin (low, x);
    high = fmax (high, x);
  }
  return high - low;
}

/* Ends of edges along the view are one corner of the outline, but for rounding: such an edge has any direction. */
static size_t
leave_out_short_edges (const double (*flat)[2], uint32_t *corners, size_t n, double shortest)
{
  size_t kept = 0;

  for (size_t i = 0; i < n; i++) {
    const double *a = flat[corners[i]], *b = flat[corners[kept > 0 ? kept - 1 : n - 1]];

    if (hypot (a[0] - b[0], a[1] - b[1]) > shortest)
      corners[kept++] = corners[i];
  }
  return kept;
}

/* What is farthest along (u, v) of a polygon that turns counter-clockwise, going on from corner k. */
static size_t
advance_caliper (const double (*flat)[2], const uint32_t *corners, size_t n, size_t k, double u, double v)
{
  for (size_t steps = 0; steps < n; steps++) {
    const double *a = flat[corners[k]], *b = flat[corners[(k + 1) % n]];

    if (!((b[0] - a[0]) * u + (b[1] - a[1]) * v > 0))
      break;
    k = (k + 1) % n;
  }
  return k;
}

/* The best box with one side in the plane of a face: in that plane, one side along an edge of the outline. */
static FlushBox
find_flush_box (const Flush *flush, size_t face, double *looks, uint8_t *seen, uint32_t *candidates)
{
  const ConvexHull *hull = flush->hull;
  const KgVector normal = flush->normals[face];
  const KgVector x = kg_vector_perpendicular (normal), y = kg_vector_cross (normal, x);
  const size_t n_candidates = find_outline (flush, normal, looks, seen, candidates);
  g_autofree double (*flat)[2] = g_malloc (MAX (n_candidates, 1) * sizeof *flat);
  g_autofree uint32_t *corners = g_new (uint32_t, MAX (n_candidates, 1));
  FlushBox best = { .cost = INFINITY };
  double low = INFINITY, high = -INFINITY;
  size_t n, right = 0, top = 0, left = 0;

  if (!(kg_vector_length (normal) > 0))
    return best;
  for (size_t i = 0; i < hull->n_points; i++) {
    const double z = kg_vector_dot (hull->points[i], normal);

    low = fmin (low, z);
    high = fmax (high, z);
  }
  for (size_t i = 0; i < n_candidates; i++) {
    flat[i][0] = kg_vector_dot (hull->points[candidates[i]], x);
    flat[i][1] = kg_vector_dot (hull->points[candidates[i]], y);
  }
  n = convex_hull_of_plane ((const double (*)[2]) flat, n_candidates, corners);
  n = leave_out_short_edges ((const double (*)[2]) flat, corners, n, 1e-9 * flush->size);
  for (size_t i = 0; i < n; i++) {
    const double *a = flat[corners[i]], *b = flat[corners[(i + 1) % n]];
    const double length = hypot (b[0] - a[0], b[1] - a[1]), u = (b[0] - a[0]) / length, v = (b[1] - a[1]) / length;
    OrientedBox box = { .half = { 0.5 * (high - low), 0, 0 } };

    if (!(length > 1e-12 * flush->size))
      continue;
    if (n < 4) {
      box.half.y = 0.5 * get_flat_extent ((const double (*)[2]) flat, corners, n, u, v);
      box.half.z = 0.5 * get_flat_extent ((const double (*)[2]) flat, corners, n, -v, u);
    } else {
      const double *r, *t, *l;

      /* Each caliper goes once around while the edge does, and none falls behind the one before it. */
      right = advance_caliper ((const double (*)[2]) flat, corners, n, right == 0 ? i : right, u, v);
      top = advance_caliper ((const double (*)[2]) flat, corners, n, top == 0 ? right : top, -v, u);
      left = advance_caliper ((const double (*)[2]) flat, corners, n, left == 0 ? top : left, -u, -v);
      r = flat[corners[right]];
      t = flat[corners[top]];
      l = flat[corners[left]];
      box.half.y = 0.5 * ((r[0] - l[0]) * u + (r[1] - l[1]) * v);
      box.half.z = 0.5 * ((a[1] - t[1]) * -u + (a[0] - t[0]) * v);
    }
    if (get_cost (&box, flush->size) < best.cost) {
      best.cost = get_cost (&box, flush->size);
      best.axes[0] = normal;
      best.axes[1] = kg_vector_add_scaled (kg_vector_scale (x, u), v, y);
      best.axes[2] = kg_vector_cross (normal, best.axes[1]);
    }
  }
  return best;
}

/* Of very fine hulls, some of the faces: the boxes next to each other are hardly different. */
static void
try_faces (OrientedBox *best, const ConvexHull *hull, double size, const KgProgressMonitor *monitor)
{
  const size_t step = 1 + hull->n_faces / MAX_FACES, count = (hull->n_faces + step - 1) / step;
  g_autofree FlushBox *boxes = g_new (FlushBox, MAX (count, 1));
  g_auto (Flush) flush = { NULL };

  flush_init (&flush, hull, size);
#pragma omp parallel if (count * hull->n_points > 100000)
  {
    g_autofree double *looks = g_new (double, MAX (hull->n_faces, 1));
    g_autofree uint8_t *seen = g_new (uint8_t, hull->n_points);
    g_autofree uint32_t *candidates = g_new (uint32_t, hull->n_points);

#pragma omp for schedule(dynamic, 16)
    for (size_t i = 0; i < count; i++)
      boxes[i] = kg_progress_is_cancelled (monitor) ? (FlushBox){ .cost = INFINITY }
                                                    : find_flush_box (&flush, i * step, looks, seen, candidates);
  }
  for (size_t i = 0; i < count; i++)
    if (boxes[i].cost < (1 - 1e-12) * get_cost (best, size))
      take_better (best, hull, boxes[i].axes, size);
}

OrientedBox
oriented_box_find (const ConvexHull *hull, bool exact, const KgProgressMonitor *monitor)
{
  const KgVector world[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  OrientedBox best = fit_box (hull, world);
  const double size = kg_vector_length (best.half);
  KgVector axes[3];
  double values[3];

  symmetric_matrix_decompose (get_covariance (hull), values, axes);
  take_better (&best, hull, axes, size);
  if (hull->dimension == 1) {
    axes[0] = kg_vector_normalize_or (kg_vector_subtract (hull->points[1], hull->points[0]), kg_vector (1, 0, 0));
    axes[1] = kg_vector_perpendicular (axes[0]);
    axes[2] = kg_vector_cross (axes[0], axes[1]);
    take_better (&best, hull, axes, size);
  }
  if (exact && hull->n_faces > 0)
    try_faces (&best, hull, size, monitor);
  return best;
}

/* Capsules. */

double
bounding_capsule_get_volume (const BoundingCapsule *capsule)
{
  const double r = capsule->radius, length = kg_vector_distance (capsule->ends[0], capsule->ends[1]);

  return KG_PI * r * r * (length + 4.0 / 3 * r);
}

/* flat: room for the points. */
static BoundingCapsule
fit_capsule (const ConvexHull *hull, KgVector axis, KgVector *flat)
{
  const KgVector origin = hull->points[0];
  BoundingCapsule capsule;
  BoundingSphere circle;
  double low = INFINITY, high = -INFINITY;

  for (size_t i = 0; i < hull->n_points; i++) {
    const KgVector d = kg_vector_subtract (hull->points[i], origin);

    flat[i] = kg_vector_add_scaled (d, -kg_vector_dot (d, axis), axis);
  }
  circle = bounding_sphere_find_smallest (flat, hull->n_points);
  for (size_t i = 0; i < hull->n_points; i++) {
    const double across = kg_vector_distance (flat[i], circle.center), r = circle.radius;
    const double along = kg_vector_dot (kg_vector_subtract (hull->points[i], origin), axis);
    const double cap = sqrt (fmax (r * r - across * across, 0));

    low = fmin (low, along + cap);
    high = fmax (high, along - cap);
  }
  /* One ball contains all, wherever it is between the two. */
  if (high < low)
    low = high = 0.5 * (low + high);
  capsule.radius = circle.radius;
  capsule.ends[0] = kg_vector_add (origin, kg_vector_add_scaled (circle.center, low, axis));
  capsule.ends[1] = kg_vector_add (origin, kg_vector_add_scaled (circle.center, high, axis));
  return capsule;
}

BoundingCapsule
bounding_capsule_find (const ConvexHull *hull, const OrientedBox *box)
{
  g_autofree KgVector *flat = g_new (KgVector, hull->n_points);
  BoundingCapsule best = fit_capsule (hull, box->axes[0], flat);

  for (int i = 1; i < 3; i++) {
    const BoundingCapsule capsule = fit_capsule (hull, box->axes[i], flat);

    if (bounding_capsule_get_volume (&capsule) < bounding_capsule_get_volume (&best))
      best = capsule;
  }
  return best;
}
