/* convex_parts: see the header.
 *
 * A part is the solid within a convex cell of cutting planes.  Its surface are the triangles of the mesh, clipped by the
 * planes, and the caps in the planes.  A cap is only needed for volumes, so that it need not be a polygon: the edges along which
 * triangles were clipped, each joined to one point of the plane, are triangles whose signed areas make the cap.  Corners
 * of a part within the solid are corners of its cell.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/convex_parts.h"

#include "geometry/symmetric_matrix.h"

/* What is nearer to a plane is on it, as a share of the size of the mesh. */
#define ON_PLANE 1e-7
/* How far into a cell the solid is looked for at its corners, as a share of the size. */
#define BEHIND 1e-5
/* Dents that are not deeper than this share of the size are none. */
#define NO_DENT 1e-5
/* Planes of faces at inward edges that are tried for a cut, and planes along each axis, evenly between both ends. */
#define PLANES_OF_FACES 16
#define PLANES_PER_AXIS 3
/* Surfaces with more faces than this are fine enough to be cut across their own axes only. */
#define MANY_FACES 4000
/* The share of what its hull has too much that a cut has to take off a part, and else the least share of the hull that is cut
 * off. */
#define BETTER 0.1
#define LEAST_SHARE 0.1
/* The sine of the angle between two faces up to which they are one. */
#define FLAT_SINE 1e-3
/* Two parts whose common hull is larger by this share than their own are not joined: what is between them may be far from all
 * corners. */
#define MUCH_BETWEEN 0.05

typedef enum {
  FACE_OF_MESH,
  FACE_FLUSH, /* one of the mesh that lies in a cutting plane, where the cap is too */
  FACE_OF_CAP /* one of signed triangles */
} FaceKind;

typedef struct {
  uint32_t corners[3]; /* which points */
  FaceKind kind;
} Face;

/* Points and the faces between them. */
typedef struct {
  GArray *points; /* KgVector */
  GArray *faces;  /* Face */
} Surface;

/* normal · x <= distance is kept. */
typedef struct {
  KgVector normal;
  double distance;
} Plane;

typedef struct {
  Surface surface;
  GArray *planes; /* Plane: of the cell */
  ConvexHull hull;
  double volume;      /* of the solid in the cell */
  double hull_volume; /* 0: the part is flat, and left out */
  double depth;       /* of its deepest dent */
  bool whole;         /* no plane makes it better */
} Part;

/* An edge at which the surface goes inwards. */
typedef struct {
  KgVector ends[2];
  KgVector normals[2]; /* of its faces, outwards */
  double weight;       /* its length times the sine of the angle between them */
  uint32_t number;
} InwardEdge;

typedef struct {
  const TriangleMesh *mesh;
  double tolerance; /* of dents */
  double near;      /* to a plane */
  bool inside_out;
  GArray *edges; /* InwardEdge, those with most weight first */
  const KgProgressMonitor *monitor;
} Cutting;

static Surface
surface_new (void)
{
  return (Surface){ g_array_new (FALSE, FALSE, sizeof (KgVector)), g_array_new (FALSE, FALSE, sizeof (Face)) };
}

static void
surface_clear (Surface *surface)
{
  g_clear_pointer (&surface->points, g_array_unref);
  g_clear_pointer (&surface->faces, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Surface, surface_clear)

static inline KgVector
get_point (const Surface *surface, uint32_t i)
{
  return g_array_index (surface->points, KgVector, i);
}

static uint32_t
add_point (Surface *surface, KgVector x)
{
  g_array_append_val (surface->points, x);
  return surface->points->len - 1;
}

static KgVector
get_area (const Surface *surface, const Face *face)
{
  const KgVector x = get_point (surface, face->corners[0]);

  return kg_vector_cross (kg_vector_subtract (get_point (surface, face->corners[1]), x),
                          kg_vector_subtract (get_point (surface, face->corners[2]), x));
}

static void
part_free (Part *part)
{
  if (part == NULL)
    return;
  surface_clear (&part->surface);
  g_clear_pointer (&part->planes, g_array_unref);
  convex_hull_clear (&part->hull);
  g_free (part);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Part, part_free)

static Part *
part_new (void)
{
  Part *part = g_new0 (Part, 1);

  part->surface = surface_new ();
  part->planes = g_array_new (FALSE, FALSE, sizeof (Plane));
  return part;
}

static double
get_height (const Cutting *cutting, const Plane *plane, KgVector x)
{
  const double height = kg_vector_dot (plane->normal, x) - plane->distance;

  return fabs (height) < cutting->near ? 0 : height;
}

/* A surface that is being clipped. */
typedef struct {
  const Surface *from;
  Surface *to;
  const double *heights; /* of the points, over the plane */
  uint32_t *kept;        /* of each point its index in to, or UINT32_MAX */
  GHashTable *crossings; /* of edges: their points in to, + 1 */
} Clipping;

static uint32_t
keep_point (const Clipping *clipping, uint32_t i)
{
  if (clipping->kept[i] == UINT32_MAX)
    clipping->kept[i] = add_point (clipping->to, get_point (clipping->from, i));
  return clipping->kept[i];
}

/* Where an edge goes through the plane: once for both of its faces. */
static uint32_t
keep_crossing (const Clipping *clipping, uint32_t i, uint32_t k)
{
  const uint32_t a = MIN (i, k), b = MAX (i, k);
  const double from = clipping->heights[a], to = clipping->heights[b];
  const gint64 edge = (gint64) ((uint64_t) a << 32 | b);
  guint known;
  gint64 *key;

  if (from == 0 || to == 0)
    return keep_point (clipping, from == 0 ? a : b);
  known = GPOINTER_TO_UINT (g_hash_table_lookup (clipping->crossings, &edge));
  if (known > 0)
    return known - 1;
  known = add_point (clipping->to,
                     kg_vector_lerp (get_point (clipping->from, a), get_point (clipping->from, b), from / (from - to)));
  key = g_new (gint64, 1);
  *key = edge;
  g_hash_table_insert (clipping->crossings, key, GUINT_TO_POINTER (known + 1));
  return known;
}

/* Adds what of a face is behind the plane.  What is on the plane counts as before it, so that the cap is also where faces lie
 * in the plane, and a part has nothing of those that only touch it from the other side.  ends: (out) the edge along the
 * plane.  Returns whether there is one. */
static bool
clip_face (const Clipping *clipping, const Face *face, bool is_side, uint32_t ends[2])
{
  const double *h = clipping->heights;
  uint32_t kept[4];
  guint n = 0, n_ends = 0, n_behind = 0, n_on = 0;

  for (guint i = 0; i < 3; i++) {
    n_behind += h[face->corners[i]] < 0;
    n_on += h[face->corners[i]] == 0;
  }
  if (n_behind == 0) {
    /* In the plane, it is a side of what is behind it if it faces the same way. */
    if (face->kind != FACE_OF_CAP && n_on == 3 && is_side) {
      const Face flush = { { keep_point (clipping, face->corners[0]), keep_point (clipping, face->corners[1]),
                             keep_point (clipping, face->corners[2]) },
                           FACE_FLUSH };

      g_array_append_val (clipping->to->faces, flush);
    }
    return false;
  }
  for (guint i = 0; i < 3; i++) {
    const uint32_t corner = face->corners[i], next = face->corners[(i + 1) % 3];

    if (h[corner] < 0)
      kept[n++] = keep_point (clipping, corner);
    if ((h[corner] < 0) != (h[next] < 0)) {
      const uint32_t at = keep_crossing (clipping, corner, next);

      kept[n++] = at;
      /* The triangle leaves at ends[0], and comes back at ends[1]. */
      ends[h[corner] < 0 ? 0 : 1] = at;
      n_ends++;
    }
  }
  for (guint i = 1; i + 1 < n; i++) {
    const Face piece = { { kept[0], kept[i], kept[i + 1] }, face->kind };

    g_array_append_val (clipping->to->faces, piece);
  }
  return n_ends == 2 && face->kind != FACE_FLUSH;
}

/* What of a surface is behind a plane, without or with the cap. */
static void
clip_surface (const Cutting *cutting, const Surface *from, const Plane *plane, bool with_cap, Surface *to)
{
  const guint n = from->points->len;
  g_autofree double *heights = g_new (double, MAX (n, 1));
  g_autofree uint32_t *kept = g_new (uint32_t, MAX (n, 1));
  g_autoptr (GHashTable) crossings = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GArray) cuts = g_array_new (FALSE, FALSE, 2 * sizeof (uint32_t));
  const Clipping clipping = { from, to, heights, kept, crossings };
  KgVector middle = { 0, 0, 0 };
  uint32_t apex;

  for (guint i = 0; i < n; i++) {
    heights[i] = get_height (cutting, plane, get_point (from, i));
    kept[i] = UINT32_MAX;
  }
  for (guint i = 0; i < from->faces->len; i++) {
    const Face *face = &g_array_index (from->faces, Face, i);
    const bool is_side = (kg_vector_dot (get_area (from, face), plane->normal) > 0) != cutting->inside_out;
    uint32_t ends[2];

    if ((with_cap || face->kind != FACE_OF_CAP) && clip_face (&clipping, face, is_side, ends) && with_cap)
      g_array_append_vals (cuts, ends, 1);
  }
  if (cuts->len == 0)
    return;
  for (guint i = 0; i < 2 * cuts->len; i++)
    middle =
        kg_vector_add_scaled (middle, 0.5 / cuts->len, get_point (to, ((const uint32_t *) (gpointer) cuts->data)[i]));
  apex = add_point (to, middle);
  for (guint i = 0; i < cuts->len; i++) {
    const uint32_t *ends = &((const uint32_t *) (gpointer) cuts->data)[2 * i];
    const Face cap = { { apex, ends[1], ends[0] }, FACE_OF_CAP };

    g_array_append_val (to->faces, cap);
  }
}

static double
measure_volume (const Surface *surface)
{
  const KgVector origin = surface->points->len > 0 ? get_point (surface, 0) : kg_vector (0, 0, 0);
  double sum = 0;

  for (guint i = 0; i < surface->faces->len; i++) {
    const Face *face = &g_array_index (surface->faces, Face, i);

    if (face->kind != FACE_FLUSH)
      sum +=
          kg_vector_dot (kg_vector_subtract (get_point (surface, face->corners[0]), origin), get_area (surface, face));
  }
  return sum / 6;
}

/* Where three planes meet: sum of distance times opposite edge of the corner. */
static KgVector
meet (const KgVector edges[3], double a, double b, double c)
{
  return kg_vector_add_scaled (kg_vector_add_scaled (kg_vector_scale (edges[0], a), b, edges[1]), c, edges[2]);
}

/* Corners of the cell that are in the solid, or on its surface with the solid behind them. */
static void
add_cell_corners (const Cutting *cutting, const GArray *planes, GArray *points)
{
  const Plane *p = (const Plane *) (const void *) planes->data;

  for (guint i = 0; i < planes->len; i++)
    for (guint k = i + 1; k < planes->len; k++)
      for (guint m = k + 1; m < planes->len; m++) {
        KgVector edges[3] = { kg_vector_cross (p[k].normal, p[m].normal), kg_vector_cross (p[m].normal, p[i].normal),
                              kg_vector_cross (p[i].normal, p[k].normal) };
        const double det = kg_vector_dot (p[i].normal, edges[0]);
        KgVector x, in;
        bool good = fabs (det) > 1e-6;

        for (int j = 0; j < 3 && good; j++)
          edges[j] = kg_vector_scale (edges[j], 1 / det);
        x = meet (edges, p[i].distance, p[k].distance, p[m].distance);
        in = kg_vector_normalize_or (meet (edges, -1, -1, -1), kg_vector (0, 0, 0));
        in = kg_vector_add_scaled (x, BEHIND * cutting->mesh->size, in);
        for (guint j = 0; j < planes->len && good; j++)
          good = get_height (cutting, &p[j], x) <= 0 && get_height (cutting, &p[j], in) <= 0;
        if (good && triangle_mesh_contains (cutting->mesh, NULL, INSIDE_RAY, in))
          g_array_append_val (points, x);
      }
}

/* The hull of a surface within a cell; false without *error: it is flat. */
static bool
find_hull (const Cutting *cutting, const Surface *surface, const GArray *planes, ConvexHull *hull, double *volume,
           GError **error)
{
  const HullOptions options = { .tolerance = 1e-6, .steps = -1 };
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (KgVector));
  g_autofree uint8_t *taken = g_new0 (uint8_t, MAX (surface->points->len, 1));

  *volume = 0;
  for (guint i = 0; i < surface->faces->len; i++) {
    const Face *face = &g_array_index (surface->faces, Face, i);

    for (guint k = 0; face->kind != FACE_OF_CAP && k < 3; k++)
      if (taken[face->corners[k]] == 0) {
        const KgVector x = get_point (surface, face->corners[k]);

        taken[face->corners[k]] = 1;
        g_array_append_val (points, x);
      }
  }
  if (points->len == 0)
    return false;
  add_cell_corners (cutting, planes, points);
  if (!convex_hull_find (hull, (const KgVector *) (const void *) points->data, points->len, &options, cutting->monitor,
                         error))
    return false;
  if (hull->dimension < 3)
    return false;
  *volume = convex_hull_get_volume (hull);
  return *volume > 0;
}

/* How far it is from x along a unit vector until the sides are left. */
static double
get_way_out (const Plane *sides, size_t n, KgVector x, KgVector along)
{
  double way = INFINITY;

  for (size_t f = 0; f < n; f++) {
    const double rate = kg_vector_dot (sides[f].normal, along);

    if (rate > 0)
      way = fmin (way, (sides[f].distance - kg_vector_dot (sides[f].normal, x)) / rate);
  }
  return isfinite (way) ? fmax (way, 0) : 0;
}

/* The longest way out of the surface that is still in the hull. */
static double
find_depth (const Cutting *cutting, const ConvexHull *hull, const Surface *surface)
{
  g_autofree Plane *sides = g_new (Plane, MAX (hull->n_faces, 1));
  double deepest = 0;

  for (size_t f = 0; f < hull->n_faces; f++)
    sides[f].normal = convex_hull_get_plane (hull, f, &sides[f].distance);
  for (guint i = 0; i < surface->faces->len; i++) {
    const Face *face = &g_array_index (surface->faces, Face, i);
    const KgVector area = get_area (surface, face);
    KgVector out, middle = { 0, 0, 0 };

    /* What is as thin as a line has no direction. */
    if (face->kind == FACE_OF_CAP || !(kg_vector_length (area) > cutting->near * cutting->near))
      continue;
    out = kg_vector_normalize_or (kg_vector_scale (area, cutting->inside_out ? -1 : 1), kg_vector (0, 0, 0));
    for (guint k = 0; k < 3; k++) {
      const KgVector x = get_point (surface, face->corners[k]);

      deepest = fmax (deepest, get_way_out (sides, hull->n_faces, x, out));
      middle = kg_vector_add_scaled (middle, 1.0 / 3, x);
    }
    deepest = fmax (deepest, get_way_out (sides, hull->n_faces, middle, out));
  }
  return deepest;
}

/* How far the sides of a hull that are not in the solid are from it. */
static double
find_distance (const Cutting *cutting, const ConvexHull *hull)
{
  double farthest = 0;

  for (size_t f = 0; f < hull->n_faces; f++) {
    const uint32_t *corners = hull->corners + hull->first[f], n = hull->first[f + 1] - hull->first[f];
    KgVector middle = { 0, 0, 0 };

    for (uint32_t i = 0; i < n; i++)
      middle = kg_vector_add_scaled (middle, 1.0 / n, hull->points[corners[i]]);
    for (uint32_t i = 0; i <= n; i++) {
      const KgVector x = i == n ? middle
                                : kg_vector_lerp (hull->points[corners[i]], hull->points[corners[(i + 1) % n]], 0.5);
      const double distance = triangle_mesh_find_nearest (cutting->mesh, x).distance;

      if (distance > farthest && !triangle_mesh_contains (cutting->mesh, NULL, INSIDE_RAY, x))
        farthest = distance;
    }
  }
  return farthest;
}

/* Fills in what is known of a part's faces and planes. */
static bool
measure_part (const Cutting *cutting, Part *part, GError **error)
{
  g_autoptr (GError) local = NULL;

  part->volume = fabs (measure_volume (&part->surface));
  if (!find_hull (cutting, &part->surface, part->planes, &part->hull, &part->hull_volume, &local)) {
    part->hull_volume = 0;
    part->whole = true;
    if (local != NULL)
      g_propagate_error (error, g_steal_pointer (&local));
    else if (!kg_progress_is_cancelled (cutting->monitor))
      return true;
    return false;
  }
  part->depth = fmax (find_depth (cutting, &part->hull, &part->surface), find_distance (cutting, &part->hull));
  return true;
}

/* Where to cut. */

static int
compare_edges (gconstpointer a, gconstpointer b)
{
  const InwardEdge *x = (const InwardEdge *) a, *y = (const InwardEdge *) b;

  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static GArray *
find_inward_edges (const TriangleMesh *mesh, bool inside_out)
{
  g_autoptr (GHashTable) edges = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  GArray *found = g_array_new (FALSE, FALSE, sizeof (InwardEdge));

  for (size_t i = 0; i < mesh->n; i++)
    for (uint32_t k = 0; k < 3; k++) {
      gint64 *key = g_new (gint64, 1);

      *key = (gint64) ((uint64_t) mesh->corners[i][k] << 32 | mesh->corners[i][(k + 1) % 3]);
      g_hash_table_insert (edges, key, GSIZE_TO_POINTER (i + 1));
    }
  for (size_t i = 0; i < mesh->n; i++)
    for (uint32_t k = 0; k < 3; k++) {
      const uint32_t from = mesh->corners[i][k], to = mesh->corners[i][(k + 1) % 3];
      const gint64 back = (gint64) ((uint64_t) to << 32 | from);
      const size_t other = GPOINTER_TO_SIZE (g_hash_table_lookup (edges, &back));
      InwardEdge edge = { .number = (uint32_t) found->len };
      KgVector corners[2][3], middle;
      double sine;

      if (other == 0 || from > to)
        continue;
      for (int side = 0; side < 2; side++) {
        KgVector *c = corners[side];

        triangle_mesh_get_corners (mesh, side == 0 ? i : other - 1, c);
        edge.normals[side] = kg_vector_normalize_or (
            kg_vector_cross (kg_vector_subtract (c[1], c[0]), kg_vector_subtract (c[2], c[0])), kg_vector (0, 0, 0));
        if (inside_out)
          edge.normals[side] = kg_vector_scale (edge.normals[side], -1);
      }
      middle = kg_vector_scale (kg_vector_add (kg_vector_add (corners[1][0], corners[1][1]), corners[1][2]), 1.0 / 3);
      edge.ends[0] = triangle_mesh_get_point (mesh, from);
      edge.ends[1] = triangle_mesh_get_point (mesh, to);
      sine = kg_vector_length (kg_vector_cross (edge.normals[0], edge.normals[1]));
      if (sine < FLAT_SINE || kg_vector_dot (edge.normals[0], kg_vector_subtract (middle, edge.ends[0])) <= 0)
        continue;
      edge.weight = sine * kg_vector_distance (edge.ends[0], edge.ends[1]);
      g_array_append_val (found, edge);
    }
  g_array_sort (found, compare_edges);
  return found;
}

static void
add_candidate (GArray *candidates, double near, KgVector normal, KgVector through)
{
  Plane plane = { kg_vector_normalize_or (normal, kg_vector (0, 0, 0)), 0 };

  if (!(kg_vector_length (plane.normal) > 0.5))
    return;
  plane.distance = kg_vector_dot (plane.normal, through);
  for (guint i = 0; i < candidates->len; i++) {
    const Plane *known = &g_array_index (candidates, Plane, i);
    const double along = kg_vector_dot (known->normal, plane.normal);

    if (fabs (along) > 1 - 1e-9 && fabs (known->distance - (along > 0 ? plane.distance : -plane.distance)) < near)
      return;
  }
  g_array_append_val (candidates, plane);
}

/* Whether an edge goes through the inside of a cell. */
static bool
is_in_cell (const Cutting *cutting, const GArray *planes, const InwardEdge *edge)
{
  double low = 0, high = 1;

  for (guint i = 0; i < planes->len; i++) {
    const Plane *plane = &g_array_index (planes, Plane, i);
    const double from = get_height (cutting, plane, edge->ends[0]), to = get_height (cutting, plane, edge->ends[1]);

    if (from >= 0 && to >= 0)
      return false;
    if (from > 0)
      low = fmax (low, from / (from - to));
    else if (to > 0)
      high = fmin (high, from / (from - to));
  }
  return high > low;
}

/* (transfer full) Plane: all that are tried for a part. */
static GArray *
find_candidates (const Cutting *cutting, const Part *part)
{
  GArray *candidates = g_array_new (FALSE, FALSE, sizeof (Plane));
  const bool many = part->surface.faces->len > MANY_FACES;
  SymmetricMatrix second = { 0, 0, 0, 0, 0, 0 };
  KgVector center = { 0, 0, 0 }, axes[3];
  double values[3];

  for (guint i = 0; i < cutting->edges->len && !many && candidates->len < PLANES_OF_FACES; i++) {
    const InwardEdge *edge = &g_array_index (cutting->edges, InwardEdge, i);

    if (!is_in_cell (cutting, part->planes, edge))
      continue;
    add_candidate (candidates, cutting->near, edge->normals[0], edge->ends[0]);
    add_candidate (candidates, cutting->near, edge->normals[1], edge->ends[0]);
  }
  for (size_t i = 0; i < part->hull.n_points; i++)
    center = kg_vector_add_scaled (center, 1 / (double) part->hull.n_points, part->hull.points[i]);
  for (size_t i = 0; i < part->hull.n_points; i++)
    second = symmetric_matrix_add_square (second, 1, kg_vector_subtract (part->hull.points[i], center));
  symmetric_matrix_decompose (second, values, axes);
  for (int axis = many ? 3 : 0; axis < 6; axis++) {
    const KgVector along = axis >= 3 ? axes[axis - 3] : kg_vector (axis == 0, axis == 1, axis == 2);
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < part->hull.n_points; i++) {
      low = fmin (low, kg_vector_dot (along, part->hull.points[i]));
      high = fmax (high, kg_vector_dot (along, part->hull.points[i]));
    }
    for (int k = 0; k < PLANES_PER_AXIS; k++)
      add_candidate (candidates, cutting->near, along,
                     kg_vector_scale (along, low + (high - low) * (k + 1) / (PLANES_PER_AXIS + 1)));
  }
  return candidates;
}

static double
get_width (const ConvexHull *hull)
{
  KgVector low = { INFINITY, INFINITY, INFINITY }, high = { -INFINITY, -INFINITY, -INFINITY };

  for (size_t i = 0; i < hull->n_points; i++) {
    const KgVector x = hull->points[i];

    low = kg_vector_min (low, x);
    high = kg_vector_max (high, x);
  }
  return kg_vector_distance (low, high);
}

/* What the hulls of both sides of a plane enclose together, and by_width each times its width; INFINITY: one is nothing, or
 * by_width hardly anything. */
static double
try_plane (const Cutting *cutting, const Part *part, const Plane *plane, bool by_width)
{
  double sum = 0;

  for (int side = 0; side < 2; side++) {
    const Plane half = side == 0 ? *plane : (Plane){ kg_vector_scale (plane->normal, -1), -plane->distance };
    g_auto (Surface) surface = surface_new ();
    g_autoptr (GArray) planes = g_array_copy (part->planes);
    g_auto (ConvexHull) hull = { .n_points = 0 };
    double volume = 0;

    g_array_append_val (planes, half);
    clip_surface (cutting, &part->surface, &half, false, &surface);
    if (!find_hull (cutting, &surface, planes, &hull, &volume, NULL) ||
        (by_width && volume < LEAST_SHARE * part->hull_volume))
      return INFINITY;
    sum += by_width ? volume * get_width (&hull) : volume;
  }
  return sum;
}

/* The plane that leaves least to enclose, if that is much less than before.  Half of a ring fills the hole as the whole ring does:
 * then it is the plane that leaves the most compact parts.  False: no plane makes it better. */
static bool
choose_plane (const Cutting *cutting, const Part *part, Plane *plane)
{
  g_autoptr (GArray) candidates = find_candidates (cutting, part);
  g_autofree double *sums = g_new (double, MAX (candidates->len, 1));

  for (int by_width = 0; by_width < 2; by_width++) {
    double least = by_width != 0 ? part->hull_volume * get_width (&part->hull)
                                 : part->hull_volume - BETTER * fmax (part->hull_volume - part->volume, 0);
    bool found = false;

#pragma omp parallel for schedule(dynamic, 1)
    for (guint i = 0; i < candidates->len; i++)
      sums[i] = kg_progress_is_cancelled (cutting->monitor)
                    ? INFINITY
                    : try_plane (cutting, part, &g_array_index (candidates, Plane, i), by_width != 0);
    /* Of equal ones the first. */
    for (guint i = 0; i < candidates->len; i++)
      if (sums[i] < least * (1 - 1e-9)) {
        least = sums[i];
        *plane = g_array_index (candidates, Plane, i);
        found = true;
      }
    if (found)
      return true;
  }
  return false;
}

/* (transfer full) The part behind a plane; NULL and *error, or without: cancelled. */
static Part *
cut_part (const Cutting *cutting, const Part *part, Plane plane, GError **error)
{
  g_autoptr (Part) piece = part_new ();

  g_array_append_vals (piece->planes, part->planes->data, part->planes->len);
  g_array_append_val (piece->planes, plane);
  clip_surface (cutting, &part->surface, &plane, true, &piece->surface);
  return measure_part (cutting, piece, error) ? g_steal_pointer (&piece) : NULL;
}

static bool
cut (const Cutting *cutting, GPtrArray *parts, guint most, GError **error)
{
  while (parts->len < most) {
    Part *worst = NULL;
    guint at = 0;
    Plane plane;

    for (guint i = 0; i < parts->len; i++) {
      Part *part = (Part *) g_ptr_array_index (parts, i);

      if (part->whole || part->depth <= cutting->tolerance)
        continue;
      if (worst == NULL || part->hull_volume - part->volume > worst->hull_volume - worst->volume) {
        worst = part;
        at = i;
      }
    }
    if (worst == NULL)
      return true;
    if (!choose_plane (cutting, worst, &plane)) {
      if (kg_progress_is_cancelled (cutting->monitor))
        return false;
      worst->whole = true;
      continue;
    }
    {
      g_autoptr (Part) behind = cut_part (cutting, worst, plane, error);
      g_autoptr (Part) before =
          behind != NULL
              ? cut_part (cutting, worst, (Plane){ kg_vector_scale (plane.normal, -1), -plane.distance }, error)
              : NULL;

      if (before == NULL)
        return false;
      g_ptr_array_remove_index (parts, at);
      g_ptr_array_insert (parts, (int) at, g_steal_pointer (&before));
      g_ptr_array_insert (parts, (int) at, g_steal_pointer (&behind));
    }
    kg_progress_report (cutting->monitor, (double) parts->len / most);
  }
  return true;
}

static void
add_surface (Surface *surface, const Surface *other)
{
  const uint32_t first = surface->points->len;

  g_array_append_vals (surface->points, other->points->data, other->points->len);
  for (guint i = 0; i < other->faces->len; i++) {
    Face face = g_array_index (other->faces, Face, i);

    for (guint k = 0; k < 3; k++)
      face.corners[k] += first;
    g_array_append_val (surface->faces, face);
  }
}

/* Joins the two parts that are one again with the shallowest dent, if that is none.  False: cancelled, or *error. */
static bool
join_parts (const Cutting *cutting, GPtrArray *parts, bool *joined, GError **error)
{
  const double enough = fmax (cutting->tolerance, NO_DENT * cutting->mesh->size);
  g_autoptr (Part) best = NULL;
  guint first = 0, second = 0;

  for (guint i = 0; i < parts->len; i++)
    for (guint k = i + 1; k < parts->len; k++) {
      const Part *a = (const Part *) g_ptr_array_index (parts, i), *b = (const Part *) g_ptr_array_index (parts, k);
      g_autoptr (Part) both = NULL;
      const HullOptions options = { .tolerance = 1e-6, .steps = -1 };
      g_autofree KgVector *points = g_new (KgVector, MAX (a->hull.n_points + b->hull.n_points, 1));

      if (kg_progress_is_cancelled (cutting->monitor))
        return false;
      if (a->hull_volume == 0 || b->hull_volume == 0)
        continue;
      both = part_new ();
      memcpy (points, a->hull.points, a->hull.n_points * sizeof *points);
      memcpy (points + a->hull.n_points, b->hull.points, b->hull.n_points * sizeof *points);
      if (!convex_hull_find (&both->hull, points, a->hull.n_points + b->hull.n_points, &options, cutting->monitor,
                             error))
        return false;
      both->hull_volume = convex_hull_get_volume (&both->hull);
      both->volume = a->volume + b->volume;
      if (both->hull_volume > (a->hull_volume + b->hull_volume) * (1 + MUCH_BETWEEN))
        continue;
      add_surface (&both->surface, &a->surface);
      add_surface (&both->surface, &b->surface);
      both->depth = find_depth (cutting, &both->hull, &both->surface);
      if (both->depth <= enough)
        both->depth = fmax (both->depth, find_distance (cutting, &both->hull));
      if (both->depth <= enough && (best == NULL || both->depth < best->depth)) {
        g_clear_pointer (&best, part_free);
        best = g_steal_pointer (&both);
        first = i;
        second = k;
      }
    }
  *joined = best != NULL;
  if (best == NULL)
    return true;
  g_ptr_array_remove_index (parts, second);
  g_ptr_array_remove_index (parts, first);
  g_ptr_array_insert (parts, (int) first, g_steal_pointer (&best));
  return true;
}

/* (transfer full) The whole mesh. */
static Part *
read_mesh (Cutting *cutting, GError **error)
{
  g_autoptr (Part) all = part_new ();

  for (size_t i = 0; i < kg_geometry_get_n_points (cutting->mesh->geometry); i++)
    add_point (&all->surface, triangle_mesh_get_point (cutting->mesh, (uint32_t) i));
  for (size_t i = 0; i < cutting->mesh->n; i++) {
    const uint32_t *c = cutting->mesh->corners[i];
    const Face face = { { c[0], c[1], c[2] }, FACE_OF_MESH };

    g_array_append_val (all->surface.faces, face);
  }
  cutting->inside_out = measure_volume (&all->surface) < 0;
  return measure_part (cutting, all, error) ? g_steal_pointer (&all) : NULL;
}

ConvexParts *
convex_parts_find (const TriangleMesh *mesh, guint most, double tolerance, const KgProgressMonitor *monitor,
                   GError **error)
{
  Cutting cutting = {
    .mesh = mesh, .tolerance = fmax (tolerance, NO_DENT * mesh->size), .near = ON_PLANE * mesh->size, .monitor = monitor
  };
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) part_free);
  g_autoptr (GArray) edges = NULL;
  g_autoptr (ConvexParts) found = NULL;
  Part *all = read_mesh (&cutting, error);
  double sum = 0;

  if (all == NULL)
    return NULL;
  g_ptr_array_add (parts, all);
  found = g_new0 (ConvexParts, 1);
  found->hulls = g_array_new (FALSE, TRUE, sizeof (ConvexHull));
  found->volume = all->volume;
  edges = cutting.edges = find_inward_edges (mesh, cutting.inside_out);
  if (!cut (&cutting, parts, CLAMP (most, 1, CONVEX_PARTS_MOST), error))
    return NULL;
  for (bool joined = true; joined;)
    if (!join_parts (&cutting, parts, &joined, error))
      return NULL;
  for (guint i = 0; i < parts->len; i++) {
    Part *part = (Part *) g_ptr_array_index (parts, i);

    if (part->hull_volume == 0)
      continue;
    g_array_append_val (found->hulls, part->hull);
    part->hull = (ConvexHull){ .n_points = 0 };
    sum += part->hull_volume;
    found->depth = fmax (found->depth, part->depth);
  }
  found->filled = fmax (0, sum - found->volume);
  return g_steal_pointer (&found);
}

void
convex_parts_free (ConvexParts *parts)
{
  if (parts->hulls != NULL) {
    for (guint i = 0; i < parts->hulls->len; i++)
      convex_hull_clear (&g_array_index (parts->hulls, ConvexHull, i));
    g_array_unref (parts->hulls);
  }
  g_free (parts);
}
