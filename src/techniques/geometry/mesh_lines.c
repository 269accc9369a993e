/* mesh_lines: ways along a line over a mesh where a number given at its points is zero: sections by a plane, and straight lines
 * in surface parameters.
 * Source: Parent, Computer Animation, 3.4.3.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/mesh_walk_private.h"

/* Walking along a line where a number that is given at the points is zero. */

typedef struct {
  const MeshWalk *walk;
  double (*height) (const void *data, uint32_t point);
  const void *data;
  double zero; /* a point at exactly zero counts as above for 1, as below for -1 */
} Line;

static bool
is_above (const Line *line, uint32_t point)
{
  const double h = line->height (line->data, point);

  return h > 0 || (h == 0 && line->zero > 0);
}

/* The place on the edge k of a triangle where the line crosses; false when it does not. */
static bool
get_crossing (const Line *line, uint32_t triangle, guint k, KgVector *p)
{
  const uint32_t a = line->walk->corners[3 * (size_t) triangle + k];
  const uint32_t b = line->walk->corners[3 * (size_t) triangle + (k + 1) % 3];
  double ha, hb;

  if (is_above (line, a) == is_above (line, b))
    return false;
  ha = line->height (line->data, a);
  hb = line->height (line->data, b);
  *p = ha == hb ? line->walk->points[a] : kg_vector_lerp (line->walk->points[a], line->walk->points[b], ha / (ha - hb));
  return true;
}

/* From a triangle that the line crosses out over its edge k, until is_end says yes.  False at a border, or when it
 * comes round to where it began. */
static bool
follow_line (const Line *line, uint32_t triangle, guint k, bool (*is_end) (const void *data, uint32_t triangle),
             const void *data, MeshPath *path)
{
  const uint32_t start = triangle;

  for (size_t step = 0; step <= line->walk->n_triangles && mesh_path_continues (path); step++) {
    KgVector p;
    uint32_t next;
    guint side, out = 3;

    if (is_end (data, triangle))
      return true;
    if (!get_crossing (line, triangle, k, &p))
      return false;
    mesh_path_add (path, p, triangle);
    next = line->walk->across[3 * (size_t) triangle + k];
    if (next == MESH_NONE || next == start)
      return false;
    side = mesh_walk_find_side (line->walk, next, triangle);
    for (guint i = 0; i < 3; i++)
      if (i != side && get_crossing (line, next, i, &p))
        out = i;
    triangle = next;
    if (out == 3)
      return is_end (data, triangle);
    k = out;
  }
  return false;
}

/* Plane sections. */

typedef struct {
  const MeshWalk *walk;
  KgVector origin, normal;
  MeshPlace end;
  double same; /* what is closer to the plane is on it: rows of points along it are then read one way */
} Section;

static double
section_height (const void *data, uint32_t point)
{
  const Section *section = (const Section *) data;
  const double height =
      kg_vector_dot (section->normal, kg_vector_subtract (section->walk->points[point], section->origin));

  return fabs (height) <= section->same ? 0 : height;
}

static bool
section_is_end (const void *data, uint32_t triangle)
{
  const Section *section = (const Section *) data;
  KgVector closest;

  return triangle == section->end.triangle ||
         mesh_walk_get_distance (section->walk, triangle, section->end.position, &closest) <= section->same;
}

/* Tries the ways out of a triangle; keeps the shortest. */
static void
try_section (const Section *section, MeshPlace start, uint32_t triangle, double zero, MeshPath *best)
{
  const Line line = { section->walk, section_height, section, zero };

  for (guint k = 0; k < 3; k++) {
    g_autoptr (MeshPath) path = mesh_path_new_like (best);
    KgVector p;

    if (best->cancelled || !get_crossing (&line, triangle, k, &p))
      continue;
    mesh_path_add (path, start.position, triangle);
    if (!follow_line (&line, triangle, k, section_is_end, section, path)) {
      best->cancelled = path->cancelled;
      best->ticks = path->ticks;
      continue;
    }
    mesh_path_add (path, section->end.position, section->end.triangle);
    if (best->positions->len == 0 || path->length < best->length) {
      const MeshPath swap = *best;

      *best = *path;
      *path = swap;
    }
  }
}

bool
mesh_walk_cut (const MeshWalk *walk, MeshPlace start, MeshPlace end, MeshPath *path, GError **error)
{
  const KgVector way = kg_vector_subtract (end.position, start.position);
  const KgVector sum = kg_vector_add (mesh_walk_get_normal (walk, start), mesh_walk_get_normal (walk, end));
  Section section = { .walk = walk, .origin = start.position, .end = end };
  KgVector closest;

  mesh_path_clear (path);
  if (kg_vector_length (way) <= MESH_SAME * walk->size) {
    mesh_path_add (path, start.position, start.triangle);
    return true;
  }
  section.normal = kg_vector_cross (kg_vector_scale (way, 1 / kg_vector_length (way)),
                                    kg_vector_normalize_or (sum, kg_vector (0, 0, 0)));
  if (!(kg_vector_length (sum) > 1e-6) || !(kg_vector_length (section.normal) > 1e-6)) {
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "start and end face away from each other, or lie one behind the other: no plane contains both points and their normals; go by way of a point between them");
    return false;
  }
  section.normal = kg_vector_normalize_or (section.normal, section.normal);
  if (start.triangle == end.triangle) {
    mesh_path_add (path, start.position, start.triangle);
    mesh_path_add (path, end.position, end.triangle);
    return true;
  }
  /* The start may be on an edge or at a point: all triangles that touch it, and both readings of "on the plane". */
  for (int attempt = 0; attempt < 4 && path->positions->len == 0 && !path->cancelled; attempt++) {
    const double side = attempt % 2 == 0 ? 1 : -1;

    section.same = (attempt < 2 ? MESH_SAME : MESH_ROUNDED) * walk->size;
    try_section (&section, start, start.triangle, side, path);
    for (guint k = 0; k < 3; k++) {
      const uint32_t point = walk->corners[3 * (size_t) start.triangle + k];

      for (uint32_t i = walk->first_around[point]; i < walk->first_around[point + 1]; i++)
        if (walk->around[i] != start.triangle &&
            mesh_walk_get_distance (walk, walk->around[i], start.position, &closest) <= section.same)
          try_section (&section, start, walk->around[i], side, path);
    }
  }
  if (path->cancelled || path->positions->len > 0)
    return !path->cancelled;
  kg_set_error (
      error, KG_ERROR_DEGENERATE,
      "the plane through start and end meets the border of the surface before it reaches the end: the surface has a hole there or is not connected; go by way of another point, or along edges");
  return false;
}

/* Straight lines in surface parameters. */

/* A straight line over a chart. */
typedef struct {
  const MeshWalk *walk;
  const float *uv;
  double start[2], way[2], end[2];
} Straight;

static double
chart_height (const void *data, uint32_t point)
{
  const Straight *straight = (const Straight *) data;
  const double u = (double) straight->uv[2 * (size_t) point] - straight->start[0];
  const double v = (double) straight->uv[2 * (size_t) point + 1] - straight->start[1];

  const double height = straight->way[0] * v - straight->way[1] * u;

  return fabs (height) <= MESH_SAME * hypot (straight->way[0], straight->way[1]) ? 0 : height;
}

/* Weights of the corners for a pair of parameters, and by how much the smallest is below zero. */
static double
chart_weights (const Straight *straight, uint32_t triangle, const double at[2], double w[3])
{
  double x[3], y[3], area;

  for (guint k = 0; k < 3; k++) {
    const size_t point = straight->walk->corners[3 * (size_t) triangle + k];

    x[k] = (double) straight->uv[2 * point];
    y[k] = (double) straight->uv[2 * point + 1];
  }
  area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
  if (!(fabs (area) > 1e-30))
    return INFINITY;
  for (guint k = 0; k < 3; k++) {
    const guint a = (k + 1) % 3, b = (k + 2) % 3;

    w[k] = ((x[a] - at[0]) * (y[b] - at[1]) - (x[b] - at[0]) * (y[a] - at[1])) / area;
  }
  return fmax (fmax (-w[0], -w[1]), fmax (-w[2], 0));
}

static bool
chart_is_end (const void *data, uint32_t triangle)
{
  const Straight *straight = (const Straight *) data;
  double w[3];

  return chart_weights (straight, triangle, straight->end, w) <= MESH_SAME;
}

/* The triangle that has a pair of parameters, of some. */
static uint32_t
chart_find (const Straight *straight, const GArray *triangles, const double at[2], KgVector *position)
{
  uint32_t best = MESH_NONE;
  double least = MESH_CHART_TOLERANCE, w[3];

  for (guint i = 0; i < triangles->len; i++) {
    const uint32_t triangle = g_array_index (triangles, uint32_t, i);
    const double outside = chart_weights (straight, triangle, at, w);

    if (outside < least) {
      least = outside;
      best = triangle;
      *position = mesh_walk_mix (straight->walk, triangle, w);
    }
  }
  return best;
}

/* How far along the line a triangle's edge is crossed. */
static bool
chart_get_share (const Straight *straight, const Line *line, uint32_t triangle, guint k, double *share)
{
  const size_t a = straight->walk->corners[3 * (size_t) triangle + k];
  const size_t b = straight->walk->corners[3 * (size_t) triangle + (k + 1) % 3];
  const double ha = chart_height (straight, (uint32_t) a), hb = chart_height (straight, (uint32_t) b);
  double t;

  if (is_above (line, (uint32_t) a) == is_above (line, (uint32_t) b))
    return false;
  t = ha == hb ? 0 : ha / (ha - hb);
  *share = 0;
  for (guint c = 0; c < 2; c++)
    *share += straight->way[c] *
              (kg_lerp ((double) straight->uv[2 * a + c], (double) straight->uv[2 * b + c], t) - straight->start[c]);
  return true;
}

bool
mesh_walk_parameters (const MeshWalk *walk, const MeshChart *chart, const double start[2], const double end[2],
                      MeshPath *path, GError **error)
{
  const Straight straight = {
    walk, chart->uv, { start[0], start[1] }, { end[0] - start[0], end[1] - start[1] }, { end[0], end[1] }
  };
  g_autoptr (GArray) triangles = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  KgVector from = { 0, 0, 0 }, to = { 0, 0, 0 };
  uint32_t first, last;

  mesh_path_clear (path);
  mesh_chart_collect (chart, end, triangles);
  last = chart_find (&straight, triangles, end, &to);
  mesh_chart_collect (chart, start, triangles);
  first = chart_find (&straight, triangles, start, &from);
  if (first == MESH_NONE || last == MESH_NONE) {
    const double *missing = first == MESH_NONE ? start : end;

    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "no face contains the UV coordinates %g, %g: choose coordinates that the attribute uv covers",
                  missing[0], missing[1]);
    return false;
  }
  mesh_path_add (path, from, first);
  if (first == last) {
    mesh_path_add (path, to, last);
    return true;
  }
  for (int side = 1; side >= -1; side -= 2) {
    const Line line = { walk, chart_height, &straight, side };
    const double size = straight.way[0] * straight.way[0] + straight.way[1] * straight.way[1];
    double w[3];

    /* The start may be on an edge: any triangle that has it and that the line leaves forwards. */
    for (guint t = 0; t < triangles->len; t++) {
      const uint32_t i = g_array_index (triangles, uint32_t, t);
      double best = -1e-9 * size, share;
      guint out = 3;

      if (i != first && chart_weights (&straight, i, start, w) > MESH_SAME)
        continue;
      for (guint k = 0; k < 3; k++)
        if (chart_get_share (&straight, &line, i, k, &share) && share > best) {
          best = share;
          out = k;
        }
      if (out == 3)
        continue;
      mesh_path_clear (path);
      mesh_path_add (path, from, i);
      if (follow_line (&line, i, out, chart_is_end, &straight, path)) {
        mesh_path_add (path, to, last);
        return true;
      }
      if (path->cancelled)
        return false;
    }
  }
  kg_set_error (error, KG_ERROR_DEGENERATE,
                "the line between the UV coordinates leaves the surface: there is a hole or a UV seam between them");
  return false;
}
