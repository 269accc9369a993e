/* mesh_crossing: where two meshes cross, and how far apart they are, see triangle_mesh.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/triangle_mesh.h"

/* Pairs of triangles that one thread takes in one go. */
#define BLOCK 1024

/* The ends of an edge are on different sides of the plane of a face, and it goes through inside of the face.  An end that
 * lies in the plane counts as in front of it. */
static bool
pierce (const KgVector edge[2], const KgVector face[3], MeshCrossing *crossing)
{
  const KgVector cross = kg_vector_cross (kg_vector_subtract (face[1], face[0]), kg_vector_subtract (face[2], face[0]));
  const double d0 = kg_vector_dot (cross, kg_vector_subtract (edge[0], face[0]));
  const double d1 = kg_vector_dot (cross, kg_vector_subtract (edge[1], face[0]));
  const double size2 = kg_vector_dot (cross, cross);
  KgVector x;

  if ((d0 < 0) == (d1 < 0) || !(size2 > 0))
    return false;
  x = kg_vector_lerp (edge[0], edge[1], d0 / (d0 - d1));
  for (int k = 0; k < 3; k++) {
    const KgVector side = kg_vector_subtract (face[(k + 1) % 3], face[k]);

    if (kg_vector_dot (cross, kg_vector_cross (side, kg_vector_subtract (x, face[k]))) < 0)
      return false;
  }
  crossing->point = x;
  crossing->depth = -fmin (d0, d1) / sqrt (size2);
  crossing->normal = kg_vector_scale (cross, 1 / sqrt (size2));
  return true;
}

/* Whether all corners of a triangle are on one side of the plane of another one. */
static bool
is_beside (const KgVector a[3], const KgVector b[3])
{
  const KgVector cross = kg_vector_cross (kg_vector_subtract (b[1], b[0]), kg_vector_subtract (b[2], b[0]));
  double d[3];

  for (int k = 0; k < 3; k++)
    d[k] = kg_vector_dot (cross, kg_vector_subtract (a[k], b[0]));
  return (d[0] > 0 && d[1] > 0 && d[2] > 0) || (d[0] < 0 && d[1] < 0 && d[2] < 0);
}

/* Edges of the one through the other one; each edge once, though two triangles have it. */
static void
try_edges (const TriangleMesh *mesh, uint32_t triangle, const KgVector corners[3], const KgVector face[3],
           MeshCrossing crossing, GArray *found)
{
  for (int k = 0; k < 3; k++) {
    /* From the lower index to the higher: the same point to the last bit from either triangle. */
    const uint32_t i = mesh->corners[triangle][k], j = mesh->corners[triangle][(k + 1) % 3];
    const KgVector a = corners[k], b = corners[(k + 1) % 3];
    const KgVector edge[2] = { i < j ? a : b, i < j ? b : a };

    if ((mesh->edges[triangle] >> k & 1) == 0 || !pierce (edge, face, &crossing))
      continue;
    if (!crossing.edge_of_a)
      crossing.normal = kg_vector_scale (crossing.normal, -1);
    g_array_append_val (found, crossing);
  }
}

static void
cross_pair (const TriangleMesh *a, const TriangleMesh *b, BoxPair pair, GArray *found)
{
  KgVector of_a[3], of_b[3];

  triangle_mesh_get_corners (a, pair.a, of_a);
  triangle_mesh_get_corners (b, pair.b, of_b);
  if (is_beside (of_a, of_b) || is_beside (of_b, of_a))
    return;
  try_edges (a, pair.a, of_a, of_b, (MeshCrossing){ .a = pair.a, .b = pair.b, .edge_of_a = true }, found);
  try_edges (b, pair.b, of_b, of_a, (MeshCrossing){ .a = pair.a, .b = pair.b, .edge_of_a = false }, found);
}

GArray *
triangle_mesh_find_crossings (const TriangleMesh *a, const TriangleMesh *b, size_t limit, size_t *n_tests,
                              const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (GArray) pairs = box_tree_find_pairs (a->tree, b->tree, limit, n_tests, monitor, error);
  const guint n_blocks = pairs != NULL ? (pairs->len + BLOCK - 1) / BLOCK : 0;
  g_autofree GArray **blocks = g_new0 (GArray *, MAX (n_blocks, 1));
  GArray *found;

  if (pairs == NULL)
    return NULL;
#pragma omp parallel for schedule(dynamic, 1) if (n_blocks > 1)
  for (guint k = 0; k < n_blocks; k++) {
    blocks[k] = g_array_new (FALSE, FALSE, sizeof (MeshCrossing));
    for (guint i = k * BLOCK; i < MIN (pairs->len, (k + 1) * BLOCK) && !kg_progress_is_cancelled (monitor); i++)
      cross_pair (a, b, g_array_index (pairs, BoxPair, i), blocks[k]);
  }
  found = g_array_new (FALSE, FALSE, sizeof (MeshCrossing));
  for (guint k = 0; k < n_blocks; k++) {
    if (blocks[k]->len > 0)
      g_array_append_vals (found, blocks[k]->data, blocks[k]->len);
    g_array_unref (blocks[k]);
  }
  if (kg_progress_is_cancelled (monitor))
    g_clear_pointer (&found, g_array_unref);
  return found;
}

/* Distances. */

/* The nearest points of two segments (Ericson 2005, 5.1.9). */
static void
find_nearest (KgVector p, KgVector u, KgVector q, KgVector v, KgVector *on_p, KgVector *on_q)
{
  const KgVector w = kg_vector_subtract (p, q);
  const double uu = kg_vector_dot (u, u), vv = kg_vector_dot (v, v), uv = kg_vector_dot (u, v);
  const double uw = kg_vector_dot (u, w), vw = kg_vector_dot (v, w), across = uu * vv - uv * uv;
  double s = across > 1e-14 * uu * vv ? kg_clamp ((uv * vw - vv * uw) / across, 0, 1) : 0, t;

  t = vv > 0 ? kg_clamp ((uv * s + vw) / vv, 0, 1) : 0;
  s = uu > 0 ? kg_clamp ((uv * t - uw) / uu, 0, 1) : 0;
  *on_p = kg_vector_add_scaled (p, s, u);
  *on_q = kg_vector_add_scaled (q, t, v);
}

typedef struct {
  const TriangleMesh *a, *b;
  double distance2;
  KgVector on_a, on_b;
} Apart;

static void
take_points (Apart *apart, KgVector on_a, KgVector on_b)
{
  const KgVector d = kg_vector_subtract (on_a, on_b);
  const double distance2 = kg_vector_dot (d, d);

  if (distance2 < apart->distance2) {
    apart->distance2 = distance2;
    apart->on_a = on_a;
    apart->on_b = on_b;
  }
}

static void
measure_pair (gpointer data, uint32_t i, uint32_t k)
{
  Apart *apart = data;
  KgVector a[3], b[3];

  triangle_mesh_get_corners (apart->a, i, a);
  triangle_mesh_get_corners (apart->b, k, b);
  for (int m = 0; m < 3; m++) {
    const KgVector u = kg_vector_subtract (a[(m + 1) % 3], a[m]);

    take_points (apart, a[m], triangle_find_nearest (b, a[m]));
    take_points (apart, triangle_find_nearest (a, b[m]), b[m]);
    for (int j = 0; j < 3; j++) {
      KgVector on_a, on_b;

      find_nearest (a[m], u, b[j], kg_vector_subtract (b[(j + 1) % 3], b[j]), &on_a, &on_b);
      take_points (apart, on_a, on_b);
    }
  }
}

double
triangle_mesh_find_distance (const TriangleMesh *a, const TriangleMesh *b, KgVector *on_a, KgVector *on_b)
{
  Apart apart = { .a = a, .b = b, .distance2 = INFINITY };

  box_tree_visit_near_pairs (a->tree, b->tree, &apart.distance2, measure_pair, &apart);
  *on_a = apart.on_a;
  *on_b = apart.on_b;
  return sqrt (apart.distance2);
}
