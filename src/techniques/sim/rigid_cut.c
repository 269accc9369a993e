/* rigid_cut: outlines cut into convex polygons, see rigid_set.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/triangulate.h"
#include "sim/rigid_set.h"

typedef struct {
  const double (*places)[2];
  const uint32_t *ends;
  guint n_rings;
} Rings;

static uint32_t
get_first (const Rings *rings, guint ring)
{
  return ring == 0 ? 0 : rings->ends[ring - 1];
}

static double
get_ring_area (const Rings *rings, guint ring)
{
  double sum = 0;

  for (uint32_t i = get_first (rings, ring), last = rings->ends[ring] - 1; i < rings->ends[ring]; last = i++)
    sum += rings->places[last][0] * rings->places[i][1] - rings->places[i][0] * rings->places[last][1];
  return 0.5 * sum;
}

static bool
ring_contains (const Rings *rings, guint ring, const double x[2])
{
  bool inside = false;

  for (uint32_t i = get_first (rings, ring), last = rings->ends[ring] - 1; i < rings->ends[ring]; last = i++) {
    const double *a = rings->places[last], *b = rings->places[i];

    if ((a[1] > x[1]) != (b[1] > x[1]) && x[0] < a[0] + (x[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]))
      inside = !inside;
  }
  return inside;
}

/* How many rings are around each, and the smallest of them. */
static void
find_nesting (const Rings *rings, guint *depth, int *around)
{
  for (guint i = 0; i < rings->n_rings; i++) {
    double least = INFINITY;

    depth[i] = 0;
    around[i] = -1;
    for (guint k = 0; k < rings->n_rings; k++) {
      const double area = fabs (get_ring_area (rings, k));

      if (k == i || !(area > fabs (get_ring_area (rings, i))) ||
          !ring_contains (rings, k, rings->places[get_first (rings, i)]))
        continue;
      depth[i]++;
      if (area < least) {
        least = area;
        around[i] = (int) k;
      }
    }
  }
}

/* The triangles of an outline and its holes, as indices of all places, counter-clockwise. */
static void
cut_outline (const Rings *rings, guint outline, const guint *depth, const int *around, GArray *triangles)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, 2 * sizeof (double));
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  for (guint pass = 0; pass < 2; pass++)
    for (guint r = 0; r < rings->n_rings; r++) {
      if (pass == 0 ? r != outline : !(around[r] == (int) outline && depth[r] == depth[outline] + 1))
        continue;
      for (uint32_t i = get_first (rings, r); i < rings->ends[r]; i++) {
        g_array_append_vals (places, rings->places[i], 1);
        g_array_append_val (numbers, i);
      }
      g_array_append_val (ends, places->len);
    }
  triangulate ((const double *) (const void *) places->data, (const uint32_t *) (const void *) ends->data, ends->len,
               found);
  for (guint t = 0; t + 2 < found->len; t += 3) {
    uint32_t corners[3];
    const double *a, *b, *c;
    double area;

    for (guint k = 0; k < 3; k++)
      corners[k] = g_array_index (numbers, uint32_t, g_array_index (found, uint32_t, t + k));
    a = rings->places[corners[0]];
    b = rings->places[corners[1]];
    c = rings->places[corners[2]];
    area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    if (area < 0) {
      const uint32_t kept = corners[1];

      corners[1] = corners[2];
      corners[2] = kept;
    }
    if (area != 0)
      g_array_append_vals (triangles, corners, 3);
  }
}

/* Convex polygons that grow out of triangles. */

typedef struct {
  const double (*places)[2];
  GPtrArray *polygons; /* GArray of uint32_t, counter-clockwise; NULL: joined to another */
} Joining;

static double
get_turn (const Joining *joining, uint32_t i, uint32_t j, uint32_t k)
{
  const double *a = joining->places[i], *b = joining->places[j], *c = joining->places[k];

  return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
}

/* Joins b to a across the edge from corner i of a, which is the one from corner k of b backwards, if the result is convex. */
static bool
try_join (const Joining *joining, GArray *a, guint i, const GArray *b, guint k)
{
  const uint32_t *p = (const uint32_t *) (const void *) a->data, *q = (const uint32_t *) (const void *) b->data;
  const guint n = a->len, m = b->len;
  uint32_t rest[64];

  if (n + m - 2 > G_N_ELEMENTS (rest) || get_turn (joining, p[(i + n - 1) % n], p[i], q[(k + 2) % m]) < 0 ||
      get_turn (joining, q[(k + m - 1) % m], q[k], p[(i + 2) % n]) < 0)
    return false;
  for (guint j = 0; j + 2 < m; j++)
    rest[j] = q[(k + 2 + j) % m];
  g_array_insert_vals (a, i + 1, rest, m - 2);
  return true;
}

static bool
join_once (const Joining *joining, guint at)
{
  GArray *a = (GArray *) g_ptr_array_index (joining->polygons, at);

  for (guint other = at + 1; other < joining->polygons->len; other++) {
    GArray *b = (GArray *) g_ptr_array_index (joining->polygons, other);

    if (b == NULL)
      continue;
    for (guint i = 0; i < a->len; i++)
      for (guint k = 0; k < b->len; k++)
        if (g_array_index (a, uint32_t, i) == g_array_index (b, uint32_t, (k + 1) % b->len) &&
            g_array_index (a, uint32_t, (i + 1) % a->len) == g_array_index (b, uint32_t, k) &&
            try_join (joining, a, i, b, k)) {
          g_array_unref (b);
          joining->polygons->pdata[other] = NULL;
          return true;
        }
  }
  return false;
}

guint
rigid_cut_convex (const double (*places)[2], const uint32_t *ends, guint n_rings, GArray *corners, GArray *firsts,
                  const KgProgressMonitor *monitor)
{
  const Rings rings = { places, ends, n_rings };
  g_autofree guint *depth = g_new (guint, MAX (n_rings, 1));
  g_autofree int *around = g_new (int, MAX (n_rings, 1));
  g_autoptr (GArray) triangles = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_autoptr (GPtrArray) polygons = g_ptr_array_new ();
  const Joining joining = { places, polygons };
  guint n = 0;

  find_nesting (&rings, depth, around);
  for (guint r = 0; r < n_rings; r++)
    if (depth[r] % 2 == 0)
      cut_outline (&rings, r, depth, around, triangles);
  for (guint t = 0; t + 2 < triangles->len; t += 3) {
    GArray *polygon = g_array_new (FALSE, FALSE, sizeof (uint32_t));

    g_array_append_vals (polygon, &g_array_index (triangles, uint32_t, t), 3);
    g_ptr_array_add (polygons, polygon);
  }
  for (guint i = 0; i < polygons->len; i++)
    while (g_ptr_array_index (polygons, i) != NULL && !kg_progress_is_cancelled (monitor) && join_once (&joining, i))
      ;
  for (guint i = 0; i < polygons->len; i++) {
    GArray *polygon = (GArray *) g_ptr_array_index (polygons, i);

    if (polygon == NULL)
      continue;
    g_array_append_val (firsts, corners->len);
    g_array_append_vals (corners, polygon->data, polygon->len);
    g_array_unref (polygon);
    n++;
  }
  g_array_append_val (firsts, corners->len);
  return n;
}
