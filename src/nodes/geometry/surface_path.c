/* geometry/surface_path: ways over a surface, from place to place or downhill.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/frames.h"
#include "kg-floats.h"
#include "kg-hash.h"
#include "kg-node.h"
#include "geometry/mesh_walk.h"

#include <inttypes.h>

/* Farther from the surface than this share of its size, a start or end is said to be off it. */
#define OFF_SURFACE 1e-3
/* Pieces that a path in surface parameters is taken in, for each segment of its curve. */
#define PARAMETER_STEPS 32

typedef struct {
  const KgGeometry *geometry;
  int method;
  KgVector start;
  int64_t start_point;
  KgVector end;
  int64_t end_point;
  KgVector start_uv;
  KgVector end_uv;
  const KgGeometry *uv_curve;
  bool wrap;
  bool search;
  KgVector up;
  const KgField *height;
  double step;
  int64_t max_steps;
  KgGeometry *path;
  double length;
  KgVector direction;
  double slope;
  bool at_minimum;
} SurfacePath;

enum { SURFACE_PLANE, SURFACE_EDGES, SURFACE_FACES, SURFACE_PARAMETERS, SURFACE_DOWNHILL, N_METHODS };

static const KgChoice surface_methods[] = {
  [SURFACE_PLANE] = { "plane", N_ ("In a plane through start and end") },
  [SURFACE_EDGES] = { "edges", N_ ("Along edges") },
  [SURFACE_FACES] = { "faces", N_ ("Straight across faces") },
  [SURFACE_PARAMETERS] = { "parameters", N_ ("Straight in UV coordinates") },
  [SURFACE_DOWNHILL] = { "downhill", N_ ("Downhill") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (surface_methods, N_METHODS);

typedef struct {
  const SurfacePath *n;
  const KgContext *ctx;
  const MeshWalk *walk;
  const float *uv;
} Build;

static void *
surface_build (gpointer data, size_t *bytes, GError **error)
{
  const Build *build = (const Build *) data;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);
  MeshWalk *walk = mesh_walk_new (build->n->geometry, &monitor, error);

  if (walk != NULL)
    *bytes = mesh_walk_get_bytes (walk);
  return walk;
}

static const MeshWalk *
surface_get_walk (const SurfacePath *n, const KgContext *ctx, GError **error)
{
  const KgHash key = kg_hash_text (kg_context_get_fingerprint (ctx, offsetof (SurfacePath, geometry)), "mesh walk");
  Build build = { .n = n, .ctx = ctx };

  if (n->geometry == NULL) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "the surface is missing: link a geometry with polygons");
    return NULL;
  }
  return (const MeshWalk *) kg_context_memo (ctx, key, surface_build, &build, (GDestroyNotify) mesh_walk_free, error);
}

/* The place of a start or end: a point of the mesh, or the place closest to a point in space. */
static bool
surface_find (const SurfacePath *n, const KgContext *ctx, const MeshWalk *walk, bool start, MeshPlace *place,
              GError **error)
{
  const char *name = start ? "start" : "end";
  const int64_t point = start ? n->start_point : n->end_point;
  const KgVector at = start ? n->start : n->end;
  double away;

  if (point >= 0) {
    if (point < (int64_t) mesh_walk_get_n_points (walk) && mesh_walk_find_point (walk, (uint32_t) point, place))
      return true;
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%s_point is %" PRId64
                  ": the surface has %zu points, counted from 0, and the point must belong to a face",
                  name, point, mesh_walk_get_n_points (walk));
    return false;
  }
  *place = mesh_walk_find (walk, at);
  away = kg_vector_distance (place->position, at);
  if (!(away <= OFF_SURFACE * mesh_walk_get_size (walk)))
    kg_context_warn (ctx, "%s is %.4g m off the surface: the closest point (%g, %g, %g) is used", name, away,
                     place->position.x, place->position.y, place->position.z);
  return true;
}

/* Surface parameters. */

static void *
surface_build_chart (gpointer data, size_t *bytes, GError **error)
{
  const Build *build = (const Build *) data;
  MeshChart *chart = mesh_chart_new (build->walk, build->uv);

  (void) error;
  *bytes = mesh_chart_get_bytes (chart);
  return chart;
}

static void
surface_append (MeshPath *path, const MeshPath *piece)
{
  for (guint i = 0; i < piece->positions->len; i++) {
    g_array_append_val (path->positions, g_array_index (piece->positions, KgVector, i));
    g_array_append_val (path->places, g_array_index (piece->places, uint32_t, i));
  }
  path->length += piece->length;
}

static bool
surface_walk_line (const MeshWalk *walk, const MeshChart *chart, const double a[2], const double b[2], MeshPath *path,
                   GError **error)
{
  g_autoptr (MeshPath) piece = mesh_path_new ();

  piece->monitor = path->monitor;
  if (!mesh_walk_parameters (walk, chart, a, b, piece, error))
    return false;
  surface_append (path, piece);
  return true;
}

/* One straight line; over the seam where that is shorter: out at one side of the chart and in at the other. */
static bool
surface_walk_straight (const SurfacePath *n, const MeshWalk *walk, const MeshChart *chart, const double a[2],
                       const double b[2], MeshPath *path, GError **error)
{
  double seam_a[2], seam_b[2], out, beyond, t;
  guint c = 0;

  while (c < 2 && !(n->wrap && fabs (b[c] - a[c]) > 0.5))
    c++;
  if (c == 2)
    return surface_walk_line (walk, chart, a, b, path, error);
  out = b[c] > a[c] ? 0 : 1;
  beyond = b[c] > a[c] ? b[c] - 1 : b[c] + 1;
  t = beyond != a[c] ? (out - a[c]) / (beyond - a[c]) : 0;
  seam_a[c] = out;
  seam_b[c] = 1 - out;
  seam_a[1 - c] = seam_b[1 - c] = kg_lerp (a[1 - c], b[1 - c], t);
  return surface_walk_line (walk, chart, a, seam_a, path, error) &&
         surface_walk_line (walk, chart, seam_b, b, path, error);
}

static bool
surface_walk_parameters (const SurfacePath *n, const KgContext *ctx, const MeshWalk *walk, MeshPath *path,
                         GError **error)
{
  const float *uv = kg_geometry_get_float (n->geometry, KG_POINTS, "uv", 2);
  const KgHash key = kg_hash_text (kg_context_get_fingerprint (ctx, offsetof (SurfacePath, geometry)), "mesh chart");
  Build build = { .walk = walk, .uv = uv };
  g_autoptr (Curve) curve = NULL;
  const MeshChart *chart;
  guint steps;
  double a[2];

  if (uv == NULL) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME,
                  "the points of the surface have no attribute uv: a Grid has it, and so do many imported meshes");
    return false;
  }
  chart = (const MeshChart *) kg_context_memo (ctx, key, surface_build_chart, &build, (GDestroyNotify) mesh_chart_free,
                                               error);
  if (chart == NULL)
    return false;
  if (n->uv_curve == NULL) {
    const double start[2] = { n->start_uv.x, n->start_uv.y }, end[2] = { n->end_uv.x, n->end_uv.y };

    return surface_walk_straight (n, walk, chart, start, end, path, error);
  }
  curve = curve_new (n->uv_curve, 0, error);
  if (curve == NULL) {
    g_prefix_error (error, "uv_curve: ");
    return false;
  }
  steps = curve_get_n_segments (curve) * PARAMETER_STEPS;
  for (guint i = 0; i <= steps; i++) {
    const KgVector p = curve_evaluate (curve, (double) i / PARAMETER_STEPS, 0);
    const double b[2] = { p.x, p.y };

    if (kg_context_is_cancelled (ctx) || (i > 0 && !surface_walk_straight (n, walk, chart, a, b, path, error)))
      return false;
    a[0] = b[0];
    a[1] = b[1];
  }
  return true;
}

/* Downhill on a field of heights over the plane across up. */

typedef struct {
  const SurfacePath *n;
  KgVector up;
  double time;
} Hill;

/* The height above the ground: the number of the field, or how far its vector reaches upwards. */
static double
hill_sample (const Hill *hill, KgVector ground)
{
  const float at[3] = { (float) ground.x, (float) ground.y, (float) ground.z };
  float out[3] = { 0, 0, 0 };

  kg_field_sample_points (hill->n->height, at, 1, hill->time, out);
  if (kg_field_get_width (hill->n->height) == 1)
    return (double) out[0];
  return kg_vector_dot (kg_floats_get_vector (out, 0), hill->up);
}

static KgVector
hill_get_ground (const Hill *hill, KgVector p)
{
  return kg_vector_add_scaled (p, -kg_vector_dot (p, hill->up), hill->up);
}

static KgVector
hill_get_normal (const Hill *hill, KgVector ground)
{
  /* Fields are floats: a step of a thousandth loses few digits either way. */
  const double h = fmax (0.05 * hill->n->step, 1e-3 * (1 + kg_vector_length (ground)));
  const KgVector x = kg_vector_perpendicular (hill->up), y = kg_vector_cross (hill->up, x);
  const double dx = (hill_sample (hill, kg_vector_add_scaled (ground, h, x)) -
                     hill_sample (hill, kg_vector_add_scaled (ground, -h, x))) /
                    (2 * h);
  const double dy = (hill_sample (hill, kg_vector_add_scaled (ground, h, y)) -
                     hill_sample (hill, kg_vector_add_scaled (ground, -h, y))) /
                    (2 * h);

  return kg_vector_normalize_or (kg_vector_add_scaled (kg_vector_add_scaled (hill->up, -dx, x), -dy, y), hill->up);
}

static bool
surface_walk_field (SurfacePath *n, const KgContext *ctx, KgVector up, MeshPath *path, GArray *normals, GError **error)
{
  const Hill hill = { n, up, ctx->time };
  KgVector ground = hill_get_ground (&hill, n->start), p;
  double height, step = n->step;

  height = hill_sample (&hill, ground);
  p = kg_vector_add_scaled (ground, height, up);
  for (int64_t i = 0; i <= n->max_steps; i++) {
    const KgVector normal = hill_get_normal (&hill, ground), d = mesh_walk_get_downhill (normal, up);
    double next_height;
    KgVector next;

    if (i % 64 == 63 && kg_context_is_cancelled (ctx))
      return false;
    if (!kg_vector_is_finite (p) || !kg_vector_is_finite (normal)) {
      kg_set_error (error, KG_ERROR_DIVERGED, "the height field is not finite at (%g, %g, %g)", ground.x, ground.y,
                    ground.z);
      return false;
    }
    if (i == 0)
      n->direction = d;
    g_array_append_val (path->positions, p);
    g_array_append_val (normals, normal);
    if (i == n->max_steps)
      return true;
    /* A step that leads up again goes beyond the lowest place: shorter ones. */
    do {
      next = hill_get_ground (&hill, kg_vector_add_scaled (p, step, d));
      next_height = hill_sample (&hill, next);
    } while (next_height >= height && (step *= 0.5) > 1e-4 * n->step);
    if (!(kg_vector_length (d) > 1e-6) || next_height >= height) {
      n->at_minimum = true;
      return true;
    }
    ground = next;
    height = next_height;
    next = kg_vector_add_scaled (ground, height, up);
    path->length += kg_vector_distance (p, next);
    p = next;
  }
  return true;
}

/* The path as a polyline with the normals of the surface; a path of one place as a line of no length. */
static bool
surface_make_path (SurfacePath *n, const MeshWalk *walk, const MeshPath *path, const GArray *normals, GError **error)
{
  const size_t found = path->positions->len, count = MAX (found, 2);
  g_autofree uint32_t *vertices = g_new (uint32_t, count);
  const bool points = path->points->len == found;
  float *p, *normal;
  int32_t *ids;

  n->path = kg_geometry_new ();
  n->length = path->length;
  if (!kg_geometry_set_n_points (n->path, count, error))
    return false;
  p = kg_geometry_edit_positions (n->path);
  normal = kg_geometry_edit_float (n->path, KG_POINTS, "N", 3);
  ids = points ? kg_geometry_edit_int (n->path, KG_POINTS, "id", 1) : NULL;
  for (size_t i = 0; i < count; i++) {
    const guint from = (guint) MIN (i, found - 1);
    const KgVector at = g_array_index (path->positions, KgVector, from);
    const KgVector up =
        normals != NULL ? g_array_index (normals, KgVector, from)
                        : mesh_walk_get_normal (walk, (MeshPlace){ g_array_index (path->places, uint32_t, from), at });

    kg_floats_set_vector (p, i, at);
    kg_floats_set_vector (normal, i, up);
    if (points)
      ids[i] = (int32_t) g_array_index (path->points, uint32_t, from);
    vertices[i] = (uint32_t) i;
  }
  kg_geometry_add_primitive (
      n->path, &(KgPrimitive){ .kind = KG_POLYLINE, .n_vertices = (uint32_t) count, .vertices = vertices });
  return true;
}

static bool
surface_walk (SurfacePath *n, const KgContext *ctx, const MeshWalk *walk, KgVector up, MeshPath *path, GError **error)
{
  MeshPlace start, end = { 0, { 0, 0, 0 } };

  if (n->method == SURFACE_PARAMETERS)
    return surface_walk_parameters (n, ctx, walk, path, error);
  if (!surface_find (n, ctx, walk, true, &start, error) ||
      (n->method != SURFACE_DOWNHILL && !surface_find (n, ctx, walk, false, &end, error)))
    return false;
  n->direction = mesh_walk_get_face_downhill (walk, start, up);
  switch (n->method) {
  case SURFACE_EDGES:
    return mesh_walk_edges (
        walk, n->start_point >= 0 ? (uint32_t) n->start_point : mesh_walk_get_nearest_point (walk, start),
        n->end_point >= 0 ? (uint32_t) n->end_point : mesh_walk_get_nearest_point (walk, end), n->search, path, error);
  case SURFACE_FACES:
    return mesh_walk_faces (walk, start, end, path, error);
  case SURFACE_DOWNHILL:
    mesh_walk_downhill (walk, start, up, (guint) n->max_steps, path);
    n->at_minimum = path->ended;
    return !path->cancelled;
  case SURFACE_PLANE:
  default:
    return mesh_walk_cut (walk, start, end, path, error);
  }
}

static bool
surface_path_evaluate (SurfacePath *n, const KgContext *ctx, GError **error)
{
  g_autoptr (MeshPath) path = mesh_path_new ();
  g_autoptr (GArray) normals = NULL;
  const MeshWalk *walk = NULL;
  const double size = kg_vector_get_largest (n->up);
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  KgVector up = { 0, 1, 0 };
  GError *warning = NULL;

  path->monitor = &monitor;
  if (size > 0)
    up = kg_vector_normalize_or (kg_vector (n->up.x / size, n->up.y / size, n->up.z / size), up);
  if (n->method == SURFACE_DOWNHILL)
    frames_check_up (n->up, &warning);
  kg_context_take_warning (ctx, warning);
  if (n->method == SURFACE_DOWNHILL && n->height != NULL) {
    normals = g_array_new (FALSE, FALSE, sizeof (KgVector));
    if (!surface_walk_field (n, ctx, up, path, normals, error))
      return false;
  } else {
    walk = surface_get_walk (n, ctx, error);
    if (walk == NULL || !surface_walk (n, ctx, walk, up, path, error))
      return false;
  }
  n->slope = asin (kg_clamp (kg_vector_length (n->direction), 0, 1));
  if (n->method == SURFACE_DOWNHILL && path->positions->len == 1 && n->at_minimum)
    kg_context_warn (ctx, "no path leads down from the start: it is level there, or everything around is higher");
  return surface_make_path (n, walk, path, normals, error);
}

static const KgSlot surface_path_slots[] = {
  KG_INPUT (SurfacePath, geometry, GEOMETRY, .label = N_ ("Surface"), .optional = true,
            .help = N_ ("A geometry with polygons: a terrain, a sphere, a face.")),
  KG_INPUT (
      SurfacePath, method, CHOICE, .label = N_ ("Method"), .choices = surface_methods,
      .help = N_ (
          "How the path is found. A plane through start and end is the most reliable and gives smooth paths. Along edges and straight across faces choose the direction closest to the end at each step, and may get stuck. Straight in UV coordinates follows the UV layout of the surface.")),
  KG_INPUT (SurfacePath, start, VECTOR, .shown_when = "method=plane|edges|faces|downhill", .label = N_ ("Start"),
            .unit = KG_METRES, .def_v = { -1, 0, 0 },
            .help = N_ ("Start of the path: the closest point of the surface is used.")),
  KG_INPUT (SurfacePath, start_point, INTEGER, .shown_when = "method=plane|edges|faces|downhill",
            .label = N_ ("Start point"), .def = -1, .min = -1, .max = 2e9, .soft_max = 1000,
            .help = N_ ("Index of the point of the surface at which the path starts; -1 uses Start.")),
  KG_INPUT (SurfacePath, end, VECTOR, .shown_when = "method=plane|edges|faces", .label = N_ ("End"), .unit = KG_METRES,
            .def_v = { 1, 0, 0 }, .help = N_ ("End of the path.")),
  KG_INPUT (SurfacePath, end_point, INTEGER, .shown_when = "method=plane|edges|faces", .label = N_ ("End point"),
            .def = -1, .min = -1, .max = 2e9, .soft_max = 1000,
            .help = N_ ("Index of the point of the surface at which the path ends; -1 uses End.")),
  KG_INPUT (SurfacePath, search, BOOLEAN, .shown_when = "method=edges", .label = N_ ("Search"), .def = 1,
            .help = N_ ("Uses the shortest path if the path along edges reaches a dead end.")),
  KG_INPUT (SurfacePath, start_uv, VECTOR, .shown_when = "method=parameters", .label = N_ ("Start UV"),
            .def_v = { 0.1, 0.1, 0 }, .soft_max = 1,
            .help = N_ ("The u and v at which the path starts; the third component is not used.")),
  KG_INPUT (SurfacePath, end_uv, VECTOR, .shown_when = "method=parameters", .label = N_ ("End UV"),
            .def_v = { 0.9, 0.9, 0 }, .soft_max = 1, .help = N_ ("The u and v at which the path ends.")),
  KG_INPUT (SurfacePath, uv_curve, GEOMETRY, .shown_when = "method=parameters", .label = N_ ("Curve"), .optional = true,
            .help = N_ ("A flat curve whose x and y are u and v: while linked, the path follows it.")),
  KG_INPUT (
      SurfacePath, wrap, BOOLEAN, .shown_when = "method=parameters", .label = N_ ("Wrap"),
      .help = N_ ("UV coordinates wrap around: 0 is next to 1, and the path crosses the seam if that is shorter.")),
  KG_INPUT (SurfacePath, up, VECTOR, .shown_when = "method=downhill", .label = N_ ("Up"), .def_v = { 0, 1, 0 },
            .help = N_ ("Up direction; downhill is the opposite.")),
  KG_INPUT (
      SurfacePath, height, FIELD, .shown_when = "method=downhill", .label = N_ ("Height"), .optional = true,
      .help = N_ (
          "A height field, used instead of the geometry: the height of the surface above the ground plane through the origin. For vector fields, such as Noise, the component along Up is used.")),
  KG_INPUT (SurfacePath, step, NUMBER, .shown_when = "method=downhill", .label = N_ ("Step"), .unit = KG_METRES,
            .def = 0.05, .min = 1e-6, .max = 1e6, .soft_max = 1,
            .help = N_ ("Length of a step on a height field. On a mesh a step crosses a face.")),
  KG_INPUT (SurfacePath, max_steps, INTEGER, .shown_when = "method=downhill", .label = N_ ("Maximum steps"),
            .def = 1000, .min = 1, .max = 1000000, .soft_max = 5000,
            .help = N_ ("Number of steps after which the path ends at the latest.")),
  KG_OUTPUT (
      SurfacePath, path, GEOMETRY, .label = N_ ("Path"),
      .help =
          N_ ("A polyline on the surface, with its normals N; along edges also with the index of each point, as id.")),
  KG_OUTPUT (SurfacePath, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES,
             .help = N_ ("Length of the path.")),
  KG_OUTPUT (SurfacePath, direction, VECTOR, .label = N_ ("Direction"),
             .help = N_ ("Downhill direction at the start; its length is the sine of the slope.")),
  KG_OUTPUT (SurfacePath, slope, NUMBER, .label = N_ ("Slope"), .unit = KG_DEGREES,
             .help = N_ ("Angle of the slope at the start.")),
  KG_OUTPUT (SurfacePath, at_minimum, BOOLEAN, .label = N_ ("At minimum"),
             .help = N_ ("Downhill: whether the path ends because nothing is lower, rather than at the border.")),
};

KG_NODE (
    geometry, surface_path, SurfacePath, .label = N_ ("Surface Path"), .version = 1, .since = "0.1",
    .time = KG_TIME_READS,
    .tags = N_ ("walk over terrain geodesic shortest downhill water flow ball roll greedy dijkstra"),
    .formula = "plane: through start A with the normal (B − A) × (n_A + n_B); "
               "crosses an edge at p + d₀/(d₀ − d₁) · (q − p)\n"
               "edges: at C the neighbour X with the largest (X − C) · (D − C)/(|X − C| |D − C|), D the "
               "end; with a search Dijkstra's way\n"
               "faces: the same, including paths across faces, along C → D projected into them\n"
               "parameters: S((1 − t)(u, v)_A + t (u, v)_B)\n"
               "downhill: D = N (N · up) − up, |D| = sin of the slope",
    .source = "Parent, Computer Animation, 3.4.3; Dijkstra 1959",
    .help = N_ (
        "Finds a path over a surface, from one point to another or downhill. Let something follow it with Follow Path, or draw it as a road or a river."));
