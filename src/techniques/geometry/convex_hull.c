/* convex_hull: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/convex_hull_private.h"
#include "kg-error.h"

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>

/* Fewer points are not worth leaving some out. */
#define THIN_FROM 500
/* Directions of extreme points, each also backwards. */
#define N_DIRECTIONS 13

void
convex_hull_clear (ConvexHull *hull)
{
  g_clear_pointer (&hull->points, g_free);
  g_clear_pointer (&hull->source, g_free);
  g_clear_pointer (&hull->first, g_free);
  g_clear_pointer (&hull->corners, g_free);
  hull->n_points = hull->n_faces = 0;
}

/* In the plane. */

typedef struct {
  double x, y;
  uint32_t index;
} FlatPoint;

static int
compare_flat (const void *a, const void *b)
{
  const FlatPoint *p = a, *q = b;

  if (p->x != q->x)
    return p->x < q->x ? -1 : 1;
  if (p->y != q->y)
    return p->y < q->y ? -1 : 1;
  return (p->index > q->index) - (p->index < q->index);
}

/* Whether c is to the left of the line from a to b, and not on it but for rounding. */
static bool
turns_left (FlatPoint a, FlatPoint b, FlatPoint c)
{
  const double p = (b.x - a.x) * (c.y - a.y), q = (b.y - a.y) * (c.x - a.x);

  return p - q > 4 * DBL_EPSILON * (fabs (p) + fabs (q));
}

size_t
convex_hull_of_plane (const double (*points)[2], size_t n, uint32_t *corners)
{
  g_autofree FlatPoint *sorted = g_new (FlatPoint, MAX (n, 1)), *chain = g_new (FlatPoint, 2 * MAX (n, 1));
  size_t m = 0, length = 0, lower;

  for (size_t i = 0; i < n; i++)
    sorted[i] = (FlatPoint){ points[i][0], points[i][1], (uint32_t) i };
  qsort (sorted, n, sizeof *sorted, compare_flat);
  /* Each place once. */
  for (size_t i = 0; i < n; i++)
    if (m == 0 || sorted[i].x != sorted[m - 1].x || sorted[i].y != sorted[m - 1].y)
      sorted[m++] = sorted[i];
  for (size_t i = 0; i < m; i++) {
    while (length >= 2 && !turns_left (chain[length - 2], chain[length - 1], sorted[i]))
      length--;
    chain[length++] = sorted[i];
  }
  lower = length;
  for (size_t i = m; i-- > 0;) {
    if (i + 1 == m)
      continue;
    while (length > lower && !turns_left (chain[length - 2], chain[length - 1], sorted[i]))
      length--;
    chain[length++] = sorted[i];
  }
  /* The first point came round again. */
  if (m > 1)
    length--;
  for (size_t i = 0; i < length; i++)
    corners[i] = chain[i].index;
  return length;
}

/* One polygon, segment or point of the given points. */
static void
fill_flat (ConvexHull *hull, const KgVector *points, const uint32_t *which, size_t n)
{
  *hull = (ConvexHull){ .n_points = n,
                        .points = g_new (KgVector, n),
                        .source = g_new (uint32_t, n),
                        .n_faces = n >= 3 ? 1 : 0,
                        .first = g_new0 (uint32_t, 2),
                        .corners = g_new (uint32_t, n),
                        .dimension = n >= 3 ? 2 : (int) n - 1 };
  for (uint32_t i = 0; i < n; i++) {
    hull->points[i] = points[which[i]];
    hull->source[i] = which[i];
    hull->corners[i] = i;
  }
  hull->first[1] = n >= 3 ? (uint32_t) n : 0;
}

bool
convex_hull_find_plane (ConvexHull *hull, const KgVector *points, size_t n, KgVector normal, GError **error)
{
  g_autofree double (*flat)[2] = g_malloc (MAX (n, 1) * sizeof *flat);
  g_autofree uint32_t *corners = g_new (uint32_t, MAX (n, 1));
  KgVector x, y;

  *hull = (ConvexHull){ 0 };
  if (n == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "there are no points to make a hull of: link a geometry that has some");
    return false;
  }
  convex_hull_get_basis (normal, &x, &y);
  for (size_t i = 0; i < n; i++) {
    flat[i][0] = kg_vector_dot (points[i], x);
    flat[i][1] = kg_vector_dot (points[i], y);
  }
  fill_flat (hull, points, corners, convex_hull_of_plane ((const double (*)[2]) flat, n, corners));
  hull->along = normal;
  return true;
}

/* How many dimensions the points fill. */

typedef struct {
  KgVector corners[4]; /* far apart */
  uint32_t index[4];
  int dimension;
  double size;
  KgVector normal; /* of a plane */
} Extent;

/* The point farthest from what is spanned so far. */
static double
find_farthest (const KgVector *points, size_t n, const Extent *extent, int dimension, KgVector direction,
               uint32_t *found)
{
  double best = -1;

  for (size_t i = 0; i < n; i++) {
    const KgVector d = kg_vector_subtract (points[i], extent->corners[0]);
    const KgVector off = dimension == 1 ? d : kg_vector_add_scaled (d, -kg_vector_dot (d, direction), direction);
    const double distance = dimension == 3 ? fabs (kg_vector_dot (d, direction)) : kg_vector_length (off);

    if (distance > best) {
      best = distance;
      *found = (uint32_t) i;
    }
  }
  return best;
}

static void
measure_extent (const KgVector *points, size_t n, double tolerance, Extent *extent)
{
  KgVector direction = { 0, 0, 0 };

  *extent = (Extent){ .dimension = 0 };
  extent->corners[0] = points[0];
  for (int dimension = 1; dimension <= 3; dimension++) {
    const double distance = find_farthest (points, n, extent, dimension, direction, &extent->index[dimension]);

    if (dimension == 1)
      extent->size = distance;
    if (!(distance > (dimension == 1 ? 0 : tolerance * extent->size)))
      return;
    extent->corners[dimension] = points[extent->index[dimension]];
    extent->dimension = dimension;
    if (dimension == 1)
      direction = kg_vector_scale (kg_vector_subtract (extent->corners[1], extent->corners[0]), 1 / distance);
    else if (dimension == 2) {
      direction = kg_vector_cross (direction, kg_vector_subtract (extent->corners[2], extent->corners[0]));
      direction = kg_vector_normalize_or (direction, kg_vector (0, 0, 1));
      extent->normal = direction;
    }
  }
}

/* The two ends of points on one line. */
static void
fill_line (ConvexHull *hull, const KgVector *points, size_t n, const Extent *extent)
{
  const KgVector along = kg_vector_subtract (extent->corners[1], extent->corners[0]);
  uint32_t ends[2] = { 0, 0 };

  for (uint32_t i = 0; i < n; i++) {
    if (kg_vector_dot (along, points[i]) < kg_vector_dot (along, points[ends[0]]))
      ends[0] = i;
    if (kg_vector_dot (along, points[i]) > kg_vector_dot (along, points[ends[1]]))
      ends[1] = i;
  }
  fill_flat (hull, points, ends, extent->dimension == 0 ? 1 : 2);
}

/* Quickhull. */

/* Copies the facets out of the library's lists, oriented and in order. */
static void
take_facets (qhT *qh, HullFacets *facets)
{
  facetT *facet;

  FORALLfacets
  {
    setT *vertices = qh_facet3vertex (qh, facet);
    vertexT *vertex, **vertexp;
    guint end = facets->corners->len + (guint) qh_setsize (qh, vertices), k = end;

    g_array_set_size (facets->corners, end);
    FOREACHvertex_ (vertices)
    {
      /* They come clockwise, seen from outside. */
      g_array_index (facets->corners, uint32_t, --k) = (uint32_t) qh_pointid (qh, vertex->point);
    }
    qh_settempfree (qh, &vertices);
    g_array_append_val (facets->ends, end);
  }
}

/* The library reports mistakes by a jump, in this function too. */
static int
take_facets_guarded (qhT *qh, HullFacets *facets)
{
  const int code = setjmp (qh->errexit);

  if (code == 0) {
    qh->NOerrexit = False;
    take_facets (qh, facets);
  }
  qh->NOerrexit = True;
  return code;
}

/* Facets that the library makes between two reports, which are where it can be stopped. */
#define REPORT_AFTER "20000"

/* What it writes: reports of its progress, and why it failed. */
typedef struct {
  qhT *qh;
  const KgProgressMonitor *monitor;
  GString *said;
  bool stopped;
} Listener;

static ssize_t
listener_write (void *cookie, const char *text, size_t length)
{
  Listener *listener = cookie;

  if (listener->said->len > 0 || g_strstr_len (text, (gssize) length, "QH") != NULL)
    g_string_append_len (listener->said, text, (gssize) length);
  /* As if it had been asked for this many corners. */
  if (kg_progress_is_cancelled (listener->monitor)) {
    listener->stopped = true;
    listener->qh->STOPadd = 1;
  }
  return (ssize_t) length;
}

/* False, without an error, when it was cancelled. */
static bool
quick_hull (const HullCloud *cloud, HullFacets *facets, GError **error)
{
  /* The library reads the coordinates where they are: a vector is three doubles. */
  coordT *coordinates = (coordT *) (gpointer) cloud->points;
  char options[] = "qhull Pp TF" REPORT_AFTER;
  g_autoptr (GString) said = g_string_new (NULL);
  qhT qh;
  Listener listener = { &qh, cloud->monitor, said, false };
  FILE *stream = fopencookie (&listener, "w", (cookie_io_functions_t){ .write = listener_write });
  int code, current, total;

  if (stream == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "out of memory for the hull of %zu points: use fewer", cloud->n);
    return false;
  }
  setvbuf (stream, NULL, _IONBF, 0);
  qh_zero (&qh, stream);
  code = qh_new_qhull (&qh, 3, (int) cloud->n, coordinates, False, options, NULL, stream);
  if (code == 0 && !listener.stopped)
    code = take_facets_guarded (&qh, facets);
  qh_freeqhull (&qh, !qh_ALL);
  qh_memfreeshort (&qh, &current, &total);
  fclose (stream);
  if (listener.stopped)
    return false;
  if (code != 0) {
    g_string_truncate (said, strcspn (said->str, "\n"));
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the hull of %zu points failed (%s): use the method of wrapping, or fewer points", cloud->n,
                  said->str);
  }
  return code == 0;
}

/* The planes of a polyhedron of extreme points, and some way inside of them. */
typedef struct {
  size_t n;
  KgVector normals[128];
  double distances[128];
} Core;

static KgVector
get_direction (guint i)
{
  /* Axes, diagonals of faces and of the cube. */
  static const int8_t directions[N_DIRECTIONS][3] = {
    { 1, 0, 0 }, { 0, 1, 0 },  { 0, 0, 1 }, { 1, 1, 1 },  { 1, 1, -1 }, { 1, -1, 1 }, { -1, 1, 1 },
    { 1, 1, 0 }, { 1, -1, 0 }, { 1, 0, 1 }, { 1, 0, -1 }, { 0, 1, 1 },  { 0, 1, -1 },
  };

  return kg_vector (directions[i][0], directions[i][1], directions[i][2]);
}

static bool
make_core (const KgVector *points, size_t n, double slack, Core *core)
{
  KgVector extremes[2 * N_DIRECTIONS];
  const HullOptions options = { .method = HULL_QUICK, .tolerance = 1e-9, .triangles = true };
  g_auto (ConvexHull) hull = { 0 };

#pragma omp parallel for schedule(dynamic) if (n > 100000)
  for (guint k = 0; k < N_DIRECTIONS; k++) {
    const KgVector d = get_direction (k);
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < n; i++) {
      const double x = kg_vector_dot (d, points[i]);

      if (x < low) {
        low = x;
        extremes[2 * k] = points[i];
      }
      if (x > high) {
        high = x;
        extremes[2 * k + 1] = points[i];
      }
    }
  }
  if (!convex_hull_find (&hull, extremes, 2 * N_DIRECTIONS, &options, NULL, NULL) || hull.dimension != 3 ||
      hull.n_faces > G_N_ELEMENTS (core->normals))
    return false;
  core->n = hull.n_faces;
  for (size_t i = 0; i < hull.n_faces; i++) {
    core->normals[i] = convex_hull_get_plane (&hull, i, &core->distances[i]);
    core->distances[i] -= slack;
  }
  return true;
}

static bool
is_inside_core (const Core *core, KgVector x)
{
  for (size_t i = 0; i < core->n; i++)
    if (!(kg_vector_dot (core->normals[i], x) < core->distances[i]))
      return false;
  return true;
}

/* The points that may be corners: (transfer full) uint32_t, or NULL: all of them. */
static GArray *
leave_out_inside (const KgVector *points, size_t n, double slack)
{
  g_autofree uint8_t *inside = NULL;
  GArray *kept;
  Core core;

  if (n < THIN_FROM || !make_core (points, n, slack, &core))
    return NULL;
  inside = g_new (uint8_t, n);
#pragma omp parallel for schedule(dynamic, 4096) if (n > 10000)
  for (size_t i = 0; i < n; i++)
    inside[i] = is_inside_core (&core, points[i]);
  kept = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  for (uint32_t i = 0; i < n; i++)
    if (!inside[i])
      g_array_append_val (kept, i);
  return kept;
}

/* Facets in one plane as one polygon. */

typedef struct {
  const HullCloud *cloud;
  const HullFacets *facets;
  guint n;
  uint32_t *across; /* of the edge that begins at a place of corners: the facet on the other side */
  uint32_t *next;   /* of a place of corners: the next one of its facet */
  uint32_t *facet;  /* of a place of corners */
  uint32_t *region; /* of a facet, from 1 */
} Merging;

static guint
get_first (const HullFacets *facets, guint i)
{
  return i > 0 ? g_array_index (facets->ends, guint, i - 1) : 0;
}

static uint32_t
get_corner (const HullFacets *facets, guint at)
{
  return g_array_index (facets->corners, uint32_t, at);
}

/* Twice the area vector of a facet (Newell). */
static KgVector
get_area_vector (const HullCloud *cloud, const HullFacets *facets, guint i)
{
  const guint from = get_first (facets, i), to = get_first (facets, i + 1);
  const KgVector a = cloud->points[get_corner (facets, from)];
  KgVector sum = { 0, 0, 0 };

  for (guint k = from + 1; k + 1 < to; k++)
    sum = kg_vector_add (sum, kg_vector_cross (kg_vector_subtract (cloud->points[get_corner (facets, k)], a),
                                               kg_vector_subtract (cloud->points[get_corner (facets, k + 1)], a)));
  return sum;
}

/* Pairs each edge with the one that goes the other way.  False when some have none, or when it is cancelled. */
static bool
find_partners (Merging *merging)
{
  const HullFacets *facets = merging->facets;
  const guint n = facets->corners->len;
  g_autoptr (GHashTable) edges = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autofree gint64 *keys = g_new (gint64, 2 * (gsize) MAX (n, 1));

  for (guint i = 0; i < merging->n; i++)
    for (guint k = get_first (facets, i), from = k, to = get_first (facets, i + 1); k < to; k++) {
      merging->next[k] = k + 1 < to ? k + 1 : from;
      merging->facet[k] = i;
    }
  for (guint k = 0; k < n; k++) {
    const gint64 a = get_corner (facets, k), b = get_corner (facets, merging->next[k]);

    if (k % 65536 == 0 && kg_progress_is_cancelled (merging->cloud->monitor))
      return false;
    keys[2 * k] = a << 32 | b;
    keys[2 * k + 1] = b << 32 | a;
    if (!g_hash_table_insert (edges, &keys[2 * k], GUINT_TO_POINTER (k)))
      return false;
  }
  for (guint k = 0; k < n; k++) {
    gpointer found;

    if (k % 65536 == 0 && kg_progress_is_cancelled (merging->cloud->monitor))
      return false;
    if (!g_hash_table_lookup_extended (edges, &keys[2 * k + 1], NULL, &found))
      return false;
    merging->across[k] = GPOINTER_TO_UINT (found);
  }
  return true;
}

static bool
is_in_plane (const Merging *merging, guint facet, KgVector normal, KgVector at)
{
  for (guint k = get_first (merging->facets, facet); k < get_first (merging->facets, facet + 1); k++) {
    const KgVector x = merging->cloud->points[get_corner (merging->facets, k)];

    if (fabs (kg_vector_dot (normal, kg_vector_subtract (x, at))) > merging->cloud->slack)
      return false;
  }
  return true;
}

/* From a facet on to all neighbours that lie in its plane. */
static void
grow_region (Merging *merging, guint seed, uint32_t region)
{
  const KgVector normal =
      kg_vector_normalize_or (get_area_vector (merging->cloud, merging->facets, seed), kg_vector (0, 0, 0));
  const KgVector at = merging->cloud->points[get_corner (merging->facets, get_first (merging->facets, seed))];
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));

  merging->region[seed] = region;
  g_array_append_val (stack, seed);
  while (stack->len > 0) {
    const guint facet = g_array_index (stack, guint, stack->len - 1);

    g_array_set_size (stack, stack->len - 1);
    for (guint k = get_first (merging->facets, facet); k < get_first (merging->facets, facet + 1); k++) {
      const guint other = merging->facet[merging->across[k]];

      if (merging->region[other] != 0 || !is_in_plane (merging, other, normal, at))
        continue;
      merging->region[other] = region;
      g_array_append_val (stack, other);
    }
  }
}

static bool
is_border (const Merging *merging, guint k)
{
  return merging->region[merging->facet[k]] != merging->region[merging->facet[merging->across[k]]];
}

/* Walks around a region, from one of its border edges on, and appends its corners. */
static void
append_border (const Merging *merging, guint start, const uint8_t *bends, HullFacets *merged)
{
  guint k = start, end;

  do {
    const uint32_t corner = get_corner (merging->facets, k);

    if (bends[corner])
      g_array_append_val (merged->corners, corner);
    /* The next border edge out of the corner where this one ends. */
    k = merging->next[k];
    while (!is_border (merging, k))
      k = merging->next[merging->across[k]];
  } while (k != start);
  end = merged->corners->len;
  g_array_append_val (merged->ends, end);
}

/* Where fewer than three regions meet, an edge only goes straight on. */
static void
count_regions (const Merging *merging, uint8_t *bends)
{
  for (guint k = 0; k < merging->facets->corners->len; k++)
    if (is_border (merging, k)) {
      const uint32_t corner = get_corner (merging->facets, k);

      bends[corner] = (uint8_t) MIN (bends[corner] + 1, 3);
    }
  for (size_t i = 0; i < merging->cloud->n; i++)
    bends[i] = bends[i] >= 3;
}

static int
compare_sizes (gconstpointer a, gconstpointer b, gpointer data)
{
  const double *sizes = data;
  const guint x = *(const guint *) a, y = *(const guint *) b;

  if (sizes[x] != sizes[y])
    return sizes[x] > sizes[y] ? -1 : 1;
  return (x > y) - (x < y);
}

/* Large facets know their plane best: regions grow from them first. */
static void
merge_regions (Merging *merging, HullFacets *merged)
{
  g_autofree double *sizes = g_new (double, merging->n);
  g_autoptr (GArray) order = g_array_sized_new (FALSE, FALSE, sizeof (guint), merging->n);
  g_autofree uint8_t *bends = g_new0 (uint8_t, merging->cloud->n);
  g_autofree uint8_t *done = g_new0 (uint8_t, (gsize) merging->n + 1);
  uint32_t region = 0;

  for (guint i = 0; i < merging->n; i++) {
    sizes[i] = kg_vector_length (get_area_vector (merging->cloud, merging->facets, i));
    g_array_append_val (order, i);
  }
  g_array_sort_with_data (order, compare_sizes, sizes);
  for (guint i = 0; i < merging->n; i++)
    if (merging->region[g_array_index (order, guint, i)] == 0)
      grow_region (merging, g_array_index (order, guint, i), ++region);
  count_regions (merging, bends);
  for (guint k = 0; k < merging->facets->corners->len; k++) {
    const uint32_t of = merging->region[merging->facet[k]];

    if (done[of] || !is_border (merging, k))
      continue;
    done[of] = 1;
    append_border (merging, k, bends, merged);
  }
}

static bool
merge_facets (const HullCloud *cloud, HullFacets *facets)
{
  const guint n = facets->ends->len, n_corners = facets->corners->len;
  g_autofree uint32_t *buffer = g_new0 (uint32_t, 3 * (gsize) n_corners + n + 1);
  Merging merging = {
    cloud, facets, n, buffer, buffer + n_corners, buffer + 2 * (gsize) n_corners, buffer + 3 * (gsize) n_corners
  };
  HullFacets merged;

  if (!find_partners (&merging))
    return false;
  merged = (HullFacets){ g_array_new (FALSE, FALSE, sizeof (guint)), g_array_new (FALSE, FALSE, sizeof (uint32_t)) };
  merge_regions (&merging, &merged);
  g_array_unref (facets->ends);
  g_array_unref (facets->corners);
  *facets = merged;
  return true;
}

static void
cut_facets (HullFacets *facets)
{
  HullFacets cut = { g_array_new (FALSE, FALSE, sizeof (guint)), g_array_new (FALSE, FALSE, sizeof (uint32_t)) };

  for (guint i = 0; i < facets->ends->len; i++) {
    const guint from = get_first (facets, i);

    for (guint k = from + 1; k + 1 < get_first (facets, i + 1); k++) {
      const uint32_t triangle[] = { get_corner (facets, from), get_corner (facets, k), get_corner (facets, k + 1) };
      guint end;

      g_array_append_vals (cut.corners, triangle, 3);
      end = cut.corners->len;
      g_array_append_val (cut.ends, end);
    }
  }
  g_array_unref (facets->ends);
  g_array_unref (facets->corners);
  *facets = cut;
}

/* The corners that are used, in the order of the points.  kept: (nullable) which of the given points the cloud is. */
static void
fill_solid (ConvexHull *hull, const HullCloud *cloud, const HullFacets *facets, const GArray *kept)
{
  const guint n_corners = facets->corners->len;
  g_autofree uint32_t *number = g_new0 (uint32_t, cloud->n);

  *hull = (ConvexHull){ .n_faces = facets->ends->len, .dimension = 3 };
  for (guint k = 0; k < n_corners; k++)
    number[get_corner (facets, k)] = 1;
  for (size_t i = 0; i < cloud->n; i++)
    hull->n_points += number[i];
  hull->points = g_new (KgVector, MAX (hull->n_points, 1));
  hull->source = g_new (uint32_t, MAX (hull->n_points, 1));
  for (uint32_t i = 0, k = 0; i < cloud->n; i++)
    if (number[i] != 0) {
      hull->points[k] = cloud->points[i];
      hull->source[k] = kept != NULL ? g_array_index (kept, uint32_t, i) : i;
      number[i] = k++;
    }
  hull->first = g_new0 (uint32_t, hull->n_faces + 1);
  for (guint i = 0; i < hull->n_faces; i++)
    hull->first[i + 1] = g_array_index (facets->ends, guint, i);
  hull->corners = g_new (uint32_t, MAX (n_corners, 1));
  for (guint k = 0; k < n_corners; k++)
    hull->corners[k] = number[get_corner (facets, k)];
}

static bool
find_solid (ConvexHull *hull, const HullCloud *all, const HullOptions *options, GError **error)
{
  g_autoptr (GArray) kept = options->method == HULL_QUICK ? leave_out_inside (all->points, all->n, all->slack) : NULL;
  g_autofree KgVector *points = NULL;
  HullFacets facets = { g_array_new (FALSE, FALSE, sizeof (guint)), g_array_new (FALSE, FALSE, sizeof (uint32_t)) };
  HullCloud cloud = *all;
  bool done;

  if (kept != NULL) {
    points = g_new (KgVector, MAX (kept->len, 1));
    for (guint i = 0; i < kept->len; i++)
      points[i] = all->points[g_array_index (kept, uint32_t, i)];
    cloud.points = points;
    cloud.n = kept->len;
  }
  done = options->method == HULL_WRAP ? convex_hull_wrap (&cloud, options->steps, &facets, error)
                                      : quick_hull (&cloud, &facets, error);
  if (done) {
    if (!options->triangles && options->method == HULL_QUICK)
      merge_facets (&cloud, &facets);
    if (options->triangles)
      cut_facets (&facets);
    done = !kg_progress_is_cancelled (cloud.monitor);
  }
  if (done)
    fill_solid (hull, &cloud, &facets, kept);
  g_array_unref (facets.ends);
  g_array_unref (facets.corners);
  return done;
}

bool
convex_hull_find (ConvexHull *hull, const KgVector *points, size_t n, const HullOptions *options,
                  const KgProgressMonitor *monitor, GError **error)
{
  Extent extent;
  HullCloud cloud = { .points = points, .n = n, .monitor = monitor };

  *hull = (ConvexHull){ 0 };
  if (n == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "there are no points to make a hull of: link a geometry that has some");
    return false;
  }
  if (n > G_MAXINT32 / 8) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu points are too many for a hull: use at most %d", n, G_MAXINT32 / 8);
    return false;
  }
  measure_extent (points, n, fmax (options->tolerance, 1e-12), &extent);
  if (kg_progress_is_cancelled (monitor))
    return false;
  if (extent.dimension < 2)
    fill_line (hull, points, n, &extent);
  else if (extent.dimension == 2)
    return convex_hull_find_plane (hull, points, n, extent.normal, error);
  else {
    cloud.slack = fmax (options->tolerance, 1e-12) * extent.size;
    return find_solid (hull, &cloud, options, error);
  }
  return true;
}

/* Measures. */

KgVector
convex_hull_get_plane (const ConvexHull *hull, size_t face, double *distance)
{
  const uint32_t from = hull->first[face], to = hull->first[face + 1];
  const KgVector a = hull->points[hull->corners[from]];
  KgVector sum = { 0, 0, 0 };

  for (uint32_t k = from + 1; k + 1 < to; k++)
    sum = kg_vector_add (sum, kg_vector_cross (kg_vector_subtract (hull->points[hull->corners[k]], a),
                                               kg_vector_subtract (hull->points[hull->corners[k + 1]], a)));
  sum = kg_vector_normalize_or (sum, kg_vector (0, 0, 0));
  *distance = kg_vector_dot (sum, a);
  return sum;
}

static double
sum_faces (const ConvexHull *hull, bool volume)
{
  const bool seen = kg_vector_dot (hull->along, hull->along) > 0;
  double sum = 0;

  for (size_t i = 0; i < hull->n_faces; i++) {
    const KgVector origin = hull->points[0], a = hull->points[hull->corners[hull->first[i]]];

    for (uint32_t k = hull->first[i] + 1; k + 1 < hull->first[i + 1]; k++) {
      const KgVector cross = kg_vector_cross (kg_vector_subtract (hull->points[hull->corners[k]], a),
                                              kg_vector_subtract (hull->points[hull->corners[k + 1]], a));

      sum += volume ? kg_vector_dot (cross, kg_vector_subtract (a, origin)) / 6
             : seen ? 0.5 * kg_vector_dot (cross, hull->along)
                    : 0.5 * kg_vector_length (cross);
    }
  }
  return sum;
}

double
convex_hull_get_volume (const ConvexHull *hull)
{
  return hull->dimension == 3 ? sum_faces (hull, true) : 0;
}

double
convex_hull_get_area (const ConvexHull *hull)
{
  return hull->n_points > 0 ? sum_faces (hull, false) : 0;
}
