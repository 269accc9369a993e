/* mesh_impact: when a mesh that moves straight, without turning, first touches another.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/triangle_mesh.h"

/* Pairs of triangles that a thread takes at a time. */
#define BLOCK 1024
/* Borders of triangles and ends of edges count, in shares of them. */
#define BORDER 1e-9

typedef struct {
  KgVector a[3], b[3], move;
  MeshImpact best;
} Meeting;

/* The sooner one; of those at once the first one offered, faces before edges. */
static void
offer (Meeting *meeting, double time, KgVector point, KgVector normal, bool edges)
{
  const double length = kg_vector_length (normal);
  const bool sooner = meeting->best.time < 0 || time < meeting->best.time - 1e-12 ||
                      (meeting->best.edges && !edges && time < meeting->best.time + 1e-12);

  if (!sooner || !(time >= 0 && time <= 1))
    return;
  meeting->best.time = time;
  meeting->best.point = point;
  meeting->best.normal = kg_vector_scale (normal, (kg_vector_dot (normal, meeting->move) > 0 ? -1 : 1) / length);
  meeting->best.edges = edges;
}

static bool
is_in_triangle (const KgVector t[3], KgVector normal, KgVector x)
{
  const double size = kg_vector_dot (normal, normal);
  bool inside = true;

  for (guint i = 0; i < 3; i++) {
    const KgVector edge = kg_vector_subtract (t[(i + 1) % 3], t[i]), to = kg_vector_subtract (x, t[i]);

    inside = inside && kg_vector_dot (kg_vector_cross (edge, to), normal) >= -BORDER * size;
  }
  return inside;
}

/* A corner that moves against a triangle that does not; point: where it meets it, as seen by the second mesh. */
static void
meet_face (Meeting *meeting, KgVector corner, KgVector move, const KgVector t[3], bool of_a)
{
  const KgVector normal = kg_vector_cross (kg_vector_subtract (t[1], t[0]), kg_vector_subtract (t[2], t[0]));
  const double speed = kg_vector_dot (normal, move), height = kg_vector_dot (normal, kg_vector_subtract (corner, t[0]));
  const double time = -height / speed;
  const KgVector there = kg_vector_add_scaled (corner, time, move);

  if (fabs (speed) > 1e-12 * kg_vector_length (normal) * kg_vector_length (move) && is_in_triangle (t, normal, there))
    offer (meeting, time, of_a ? there : corner, normal, false);
}

static void
meet_edges (Meeting *meeting, KgVector p, KgVector u, KgVector q, KgVector v)
{
  const KgVector c = kg_vector_cross (u, v), d = kg_vector_subtract (q, p);
  const double size = kg_vector_dot (c, c), speed = kg_vector_dot (c, meeting->move),
               time = kg_vector_dot (c, d) / speed;
  const KgVector rest = kg_vector_add_scaled (d, -time, meeting->move);
  const double s = kg_vector_dot (kg_vector_cross (rest, v), c) / size,
               t = kg_vector_dot (kg_vector_cross (rest, u), c) / size;

  if (!(size > 1e-18 * kg_vector_dot (u, u) * kg_vector_dot (v, v)) ||
      !(fabs (speed) > 1e-12 * sqrt (size) * kg_vector_length (meeting->move)))
    return;
  if (s >= -BORDER && s <= 1 + BORDER && t >= -BORDER && t <= 1 + BORDER)
    offer (meeting, time, kg_vector_add_scaled (q, t, v), c, true);
}

static void
meet (Meeting *meeting)
{
  for (guint i = 0; i < 3; i++)
    meet_face (meeting, meeting->a[i], meeting->move, meeting->b, true);
  for (guint i = 0; i < 3; i++)
    meet_face (meeting, meeting->b[i], kg_vector_scale (meeting->move, -1), meeting->a, false);
  for (guint i = 0; i < 3; i++)
    for (guint k = 0; k < 3; k++)
      meet_edges (meeting, meeting->a[i], kg_vector_subtract (meeting->a[(i + 1) % 3], meeting->a[i]), meeting->b[k],
                  kg_vector_subtract (meeting->b[(k + 1) % 3], meeting->b[k]));
}

/* Boxes around all that triangles pass over. */
static BoxTree *
new_swept_tree (const TriangleMesh *mesh, KgVector move, const KgProgressMonitor *monitor)
{
  g_autofree BoundingBox *boxes = g_new (BoundingBox, MAX (mesh->n, 1));

  for (size_t i = 0; i < mesh->n; i++) {
    KgVector corners[3], low = { INFINITY, INFINITY, INFINITY }, high = { -INFINITY, -INFINITY, -INFINITY };

    triangle_mesh_get_corners (mesh, i, corners);
    for (guint k = 0; k < 6; k++) {
      const KgVector x = k < 3 ? corners[k] : kg_vector_add (corners[k - 3], move);

      low = kg_vector_min (low, x);
      high = kg_vector_max (high, x);
    }
    boxes[i] = bounding_box_from_vectors (low, high);
  }
  return box_tree_new (boxes, mesh->n, monitor);
}

bool
triangle_mesh_find_impact (const TriangleMesh *a, const TriangleMesh *b, KgVector move, size_t limit,
                           MeshImpact *impact, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (BoxTree) swept = new_swept_tree (a, move, monitor);
  g_autoptr (GArray) pairs = swept != NULL ? box_tree_find_pairs (swept, b->tree, limit, NULL, monitor, error) : NULL;
  const guint n_blocks = pairs != NULL ? (pairs->len + BLOCK - 1) / BLOCK : 0;
  g_autofree MeshImpact *first = g_new (MeshImpact, MAX (n_blocks, 1));

  *impact = (MeshImpact){ .time = -1 };
  if (pairs == NULL)
    return false;
#pragma omp parallel for schedule(dynamic, 1) if (n_blocks > 1)
  for (guint k = 0; k < n_blocks; k++) {
    Meeting meeting = { .move = move, .best = { .time = -1 } };

    for (guint i = k * BLOCK; i < MIN (pairs->len, (k + 1) * BLOCK) && !kg_progress_is_cancelled (monitor); i++) {
      const BoxPair pair = g_array_index (pairs, BoxPair, i);
      const MeshImpact before = meeting.best;

      triangle_mesh_get_corners (a, pair.a, meeting.a);
      triangle_mesh_get_corners (b, pair.b, meeting.b);
      meet (&meeting);
      if (meeting.best.time != before.time || meeting.best.edges != before.edges) {
        meeting.best.a = pair.a;
        meeting.best.b = pair.b;
      }
    }
    first[k] = meeting.best;
  }
  for (guint k = 0; k < n_blocks; k++)
    if (first[k].time >= 0 && (impact->time < 0 || first[k].time < impact->time - 1e-12 ||
                               (impact->edges && !first[k].edges && first[k].time < impact->time + 1e-12)))
      *impact = first[k];
  return !kg_progress_is_cancelled (monitor);
}
