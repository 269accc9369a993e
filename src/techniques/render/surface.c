/* surface: polygons, colours and objects as triangles; see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/surface_private.h"
#include "geometry/triangulate.h"
#include "render/contours.h"

#include <glib/gi18n-lib.h>

/* Primitives or points that one thread works on at a time. */
#define BLOCK 2048

/* Colours. */

static void
surface_find_colors (const KgGeometry *geometry, KgDomain domain, const float **color, guint *size)
{
  *size = 4;
  *color = kg_geometry_get_float (geometry, domain, "Cd", 4);
  if (*color == NULL) {
    *size = 3;
    *color = kg_geometry_get_float (geometry, domain, "Cd", 3);
  }
}

static void
multiply_color (const SurfaceObject *o, const float *c, guint size, float out[4])
{
  const double *base = &o->object->material.color.r;

  for (guint i = 0; i < 4; i++)
    out[i] = (float) base[i] * (c != NULL && i < size ? c[i] : 1);
}

void
surface_set_point_color (const SurfaceObject *o, size_t point, float out[4])
{
  multiply_color (o, o->color != NULL ? o->color + o->color_size * point : NULL, o->color_size, out);
}

void
surface_set_color (const SurfaceObject *o, size_t point, size_t primitive, float out[4])
{
  if (o->primitive_color != NULL)
    multiply_color (o, o->primitive_color + o->primitive_color_size * primitive, o->primitive_color_size, out);
  else
    surface_set_point_color (o, point, out);
}

/* Points. */

/* The vertices of the points from first to end, of all those that polygons may use. */
static void
fill_point_vertices (const SurfaceObject *o, size_t first, size_t end, RasterVertex *vertices)
{
  const KgMaterial *material = &o->object->material;
  const KgTransform turn = kg_transform_for_normals (o->object->transform);

  for (size_t i = first; i < end; i++) {
    const KgVector p = surface_get_point (o, i), world = kg_transform_point (o->object->transform, p);
    RasterVertex v = { .position = { (float) world.x, (float) world.y, (float) world.z } };
    double at[3];

    surface_make_camera_space (o, p, at);
    o->codes[i] = surface_get_code (o->surface, at);
    if (!isfinite (v.position[0]) || !isfinite (v.position[1]) || !isfinite (v.position[2]) || surface_is_far (at))
      o->codes[i] |= SURFACE_CODE_FAR;
    if ((o->codes[i] & (SURFACE_CODE_FAR | 1)) == 0)
      surface_project (o->surface, at, 1, &v);
    if (o->normals != NULL) {
      const float *given = o->normals + 3 * i;
      double normal[3], length;

      for (int k = 0; k < 3; k++)
        normal[k] = turn.m[k][0] * (double) given[0] + turn.m[k][1] * (double) given[1] +
                    turn.m[k][2] * (double) given[2];
      length = sqrt (normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
      for (int k = 0; k < 3; k++)
        v.normal[k] = length > 0 ? (float) (normal[k] / length) : 0;
    }
    surface_set_point_color (o, i, v.color);
    if (o->shares && material->shading == KG_SHADE_GOURAUD && (o->codes[i] & SURFACE_CODE_FAR) == 0)
      shading_light (&o->surface->shading, material, v.normal, v.position, v.color);
    vertices[i] = v;
  }
}

static void
make_point_vertices (SurfaceObject *o)
{
  enum { STEP = 1024 };
  const size_t n = kg_geometry_get_n_points (o->geometry);
  RasterVertex *vertices;

  o->base = o->surface->raster.vertices->len;
  g_array_set_size (o->surface->raster.vertices, (guint) (o->base + n));
  o->codes = g_new (uint8_t, MAX (n, 1));
  vertices = &g_array_index (o->surface->raster.vertices, RasterVertex, o->base);
#pragma omp parallel for schedule(dynamic)
  for (size_t i = 0; i < n; i += STEP)
    fill_point_vertices (o, i, MIN (i + STEP, n), vertices);
}

/* Polygons. */

/* Adds the share of the edge from a to b in Newell's normal. */
static inline void
add_edge (const float *a, const float *b, KgVector *sum)
{
  sum->x += ((double) a[1] - (double) b[1]) * ((double) a[2] + (double) b[2]);
  sum->y += ((double) a[2] - (double) b[2]) * ((double) a[0] + (double) b[0]);
  sum->z += ((double) a[0] - (double) b[0]) * ((double) a[1] + (double) b[1]);
}

/* Newell's normal of n corners in the world. */
static KgVector
get_polygon_normal (const SurfaceBlock *block, const SurfacePlace *places, guint n)
{
  KgVector sum = { 0, 0, 0 };

  for (guint i = 0; i < n; i++)
    add_edge (surface_block_get_vertex (block, places[i].vertex)->position,
              surface_block_get_vertex (block, places[i + 1 < n ? i + 1 : 0].vertex)->position, &sum);
  return kg_vector_normalize_or (sum, kg_vector (0, 0, 0));
}

/* Adds a ring of the polygon to places; false when one of its points cannot be drawn. */
static bool
add_ring (SurfaceBlock *block, const KgPrimitive *primitive)
{
  const uint32_t n = primitive->n_vertices;
  const guint first = block->places->len;

  g_array_set_size (block->places, first + n);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t point = primitive->vertices[i];

    if (block->o->codes[point] & SURFACE_CODE_FAR)
      return false;
    g_array_index (block->places, SurfacePlace, first + i) = (SurfacePlace){ block->o->base + point, point };
  }
  g_array_append_val (block->ends, block->places->len);
  return true;
}

/* Gives the polygon vertices of its own, where shading or colours differ from face to face. */
static void
make_own_vertices (SurfaceBlock *block, size_t primitive, KgVector normal)
{
  const SurfaceObject *o = block->o;
  const KgMaterial *material = &o->object->material;
  SurfacePlace *places = (SurfacePlace *) (void *) block->places->data;
  const guint n = g_array_index (block->ends, uint32_t, 0);
  float middle[3] = { 0, 0, 0 };

  for (guint i = 0; i < n; i++)
    for (int c = 0; c < 3; c++)
      middle[c] += surface_block_get_vertex (block, places[i].vertex)->position[c] / (float) n;
  for (guint i = 0; i < block->places->len; i++) {
    RasterVertex v = *surface_block_get_vertex (block, places[i].vertex);

    surface_set_color (o, places[i].point, primitive, v.color);
    if (!o->smooth)
      for (int c = 0; c < 3; c++)
        v.normal[c] = (float) kg_vector_get (normal, c);
    else if (i >= n && o->own_normals &&
             (double) v.normal[0] * normal.x + (double) v.normal[1] * normal.y + (double) v.normal[2] * normal.z < 0)
      /* A hole turns the other way, and so do the normals that come from it. */
      for (int c = 0; c < 3; c++)
        v.normal[c] = -v.normal[c];
    if (material->shading == KG_SHADE_GOURAUD)
      shading_light (&o->surface->shading, material, v.normal, v.position, v.color);
    else if (material->shading == KG_SHADE_FLAT)
      /* One light for the whole face, from its middle. */
      shading_light (&o->surface->shading, material, v.normal, middle, v.color);
    places[i].vertex = SURFACE_LOCAL | block->vertices->len;
    g_array_append_val (block->vertices, v);
  }
}

static double
get_turn (const double *p, const double *q, const double *r)
{
  return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

/* Whether all corners turn the same way, and around once: then a fan does. */
static bool
is_convex (const double *plane, guint n)
{
  guint left = 0, right = 0, changes = 0;

  for (guint i = 0; i < n; i++) {
    const guint j = i + 1 < n ? i + 1 : 0, k = j + 1 < n ? j + 1 : 0;
    const double *p = plane + 2 * i, *q = plane + 2 * j, *r = plane + 2 * k;
    const double turn = get_turn (p, q, r);

    left += turn > 0;
    right += turn < 0;
    changes += (q[0] > p[0]) != (r[0] > q[0]);
  }
  return (left == n || right == n) && changes <= 2;
}

/* The main direction of the normal. */
static inline int
find_main_axis (KgVector normal)
{
  const double x = fabs (normal.x), y = fabs (normal.y), z = fabs (normal.z);

  return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

/* Where its corners are, seen along the main direction of the normal. */
static void
flatten (const SurfaceBlock *block, const SurfacePlace *places, guint n, KgVector normal, double *plane)
{
  const int drop = find_main_axis (normal);

  for (guint i = 0; i < n; i++) {
    const float *p = surface_block_get_vertex (block, places[i].vertex)->position;

    plane[2 * i] = (double) p[(drop + 1) % 3];
    plane[2 * i + 1] = (double) p[(drop + 2) % 3];
  }
}

/* The same of four corners, and whether a fan does. */
static bool
is_convex_quad (const RasterVertex *const v[4])
{
  KgVector sum = { 0, 0, 0 };
  double plane[8];
  int right, up;

  for (guint i = 0; i < 4; i++)
    add_edge (v[i]->position, v[(i + 1) % 4]->position, &sum);
  right = (find_main_axis (kg_vector_normalize_or (sum, kg_vector (0, 0, 0))) + 1) % 3;
  up = (right + 1) % 3;
  for (guint i = 0; i < 4; i++) {
    plane[2 * i] = (double) v[i]->position[right];
    plane[2 * i + 1] = (double) v[i]->position[up];
  }
  return is_convex (plane, 4);
}

/* Adds a fan of the n vertices of points that all are within the image's planes and quite opaque. */
static void
add_opaque_fan (SurfaceBlock *block, const SurfacePlace *places, guint n)
{
  const guint first = block->triangles->len;
  RasterTriangle *triangles;

  g_array_set_size (block->triangles, first + n - 2);
  triangles = &g_array_index (block->triangles, RasterTriangle, first);
  for (guint i = 2; i < n; i++)
    triangles[i - 2] = (RasterTriangle){ { places[0].vertex, places[i - 1].vertex, places[i].vertex },
                                         block->o->material & RASTER_LIT,
                                         KG_BLEND_OVER };
}

/* What most polygons are, without arrays that grow: a few corners, no holes and the points' own vertices.  False when it is
 * something else, or not convex. */
static bool
draw_plain (SurfaceBlock *block, const KgPrimitive *primitive)
{
  enum { FEW = 4 };
  const SurfaceObject *o = block->o;
  const guint n = primitive->n_vertices;
  const RasterVertex *v[FEW];
  SurfacePlace places[FEW];
  bool opaque = o->object->material.blend == KG_BLEND_OVER;
  uint8_t codes = 0;

  if (!o->shares || o->contours != NULL || n > FEW)
    return false;
  for (guint i = 0; i < n; i++) {
    const uint32_t point = primitive->vertices[i];

    places[i] = (SurfacePlace){ o->base + point, point };
    codes |= o->codes[point];
    v[i] = surface_block_get_vertex (block, places[i].vertex);
    opaque = opaque && v[i]->color[3] >= 1;
  }
  if (codes & SURFACE_CODE_FAR)
    return false;
  if (n == FEW && !is_convex_quad (v))
    return false;
  if (codes == 0 && opaque) {
    add_opaque_fan (block, places, n);
    return true;
  }
  for (guint i = 2; i < n; i++)
    surface_block_add_triangle (block, &places[0], &places[i - 1], &places[i]);
  return true;
}

static void
draw_polygon (SurfaceBlock *block, size_t index, const KgPrimitive *primitive, guint object)
{
  const SurfaceObject *o = block->o;
  const guint n = primitive->n_vertices;
  bool holes = false, good;
  KgVector normal = { 0, 0, 0 };
  const SurfacePlace *places;
  double *plane;

  if (draw_plain (block, primitive))
    return;
  g_array_set_size (block->places, 0);
  g_array_set_size (block->ends, 0);
  good = add_ring (block, primitive);
  if (good && o->contours != NULL)
    for (uint32_t h = o->contours->next[index]; good && h != CONTOURS_NONE; h = o->contours->next[h]) {
      KgPrimitive hole;

      kg_geometry_get_primitive (o->geometry, h, &hole);
      good = add_ring (block, &hole);
      holes = true;
    }
  if (!good) {
    surface_block_report (block, index, object, _ ("it is too far away to compute"));
    return;
  }
  places = (const SurfacePlace *) (const void *) block->places->data;
  if (n > 3 || holes || !o->shares)
    normal = get_polygon_normal (block, places, n);
  if (!o->shares || holes)
    make_own_vertices (block, index, normal);
  if (n == 3 && !holes) {
    surface_block_add_triangle (block, &places[0], &places[1], &places[2]);
    return;
  }
  g_array_set_size (block->plane, 2 * block->places->len);
  plane = (double *) (void *) block->plane->data;
  flatten (block, places, block->places->len, normal, plane);
  if (!holes && is_convex (plane, n)) {
    for (guint i = 2; i < n; i++)
      surface_block_add_triangle (block, &places[0], &places[i - 1], &places[i]);
    return;
  }
  g_array_set_size (block->ears, 0);
  triangulate (plane, (const uint32_t *) (const void *) block->ends->data, block->ends->len, block->ears);
  for (guint i = 0; i < block->ears->len; i += 3) {
    const uint32_t *ear = &g_array_index (block->ears, uint32_t, i);

    surface_block_add_triangle (block, &places[ear[0]], &places[ear[1]], &places[ear[2]]);
  }
}

/* Objects. */

typedef enum { DRAW_PRIMITIVES, DRAW_WIRES, DRAW_POINTS } Stage;

/* What the stages go through. */
typedef struct {
  const SurfaceObject *o;
  guint object;
  const GArray *edges;
  const uint8_t *used; /* points of primitives */
  bool polygons;       /* there are some */
} Drawing;

static void
draw_primitive (SurfaceBlock *block, const Drawing *drawing, size_t i)
{
  const SurfaceObject *o = drawing->o;
  KgPrimitive primitive;

  kg_geometry_get_primitive (o->geometry, i, &primitive);
  if (primitive.kind == KG_POLYGON && primitive.n_vertices >= 3) {
    if (o->contours == NULL || !o->contours->is_hole[i])
      draw_polygon (block, i, &primitive, drawing->object);
  } else if (primitive.kind == KG_POLYLINE)
    surface_draw_line (block, i, &primitive, drawing->object);
  else if (primitive.kind == KG_SPLINE)
    surface_draw_spline (block, i, &primitive, drawing->object);
}

static void
draw_block (SurfaceBlock *block, const Drawing *drawing, Stage stage, size_t first, size_t end)
{
  for (size_t i = first; i < end; i++)
    if (stage == DRAW_PRIMITIVES)
      draw_primitive (block, drawing, i);
    else if (stage == DRAW_WIRES) {
      const uint64_t edge = g_array_index (drawing->edges, uint64_t, i);

      surface_block_add_wire (block, (uint32_t) (edge >> 32), (uint32_t) edge);
    } else if (!drawing->used[i])
      surface_block_add_disc (block, i);
}

/* base: of the block's own vertices, of which there are so many. */
static void
append_triangles (GArray *to, GArray *from, uint32_t base, guint n_own)
{
  for (guint i = 0; n_own > 0 && i < from->len; i++) {
    RasterTriangle *triangle = &g_array_index (from, RasterTriangle, i);

    for (int c = 0; c < 3; c++)
      if (triangle->vertices[c] & SURFACE_LOCAL)
        triangle->vertices[c] = base + (triangle->vertices[c] & ~SURFACE_LOCAL);
  }
  g_array_append_vals (to, from->data, from->len);
}

static bool
append_block (Surface *surface, SurfaceBlock *block, GError **error)
{
  const uint32_t base = surface->raster.vertices->len;

  if ((uint64_t) base + block->vertices->len >= SURFACE_LOCAL) {
    kg_set_error (error, KG_ERROR_LIMIT, "the scene has too many vertices: simplify it");
    return false;
  }
  g_array_append_vals (surface->raster.vertices, block->vertices->data, block->vertices->len);
  append_triangles (surface->raster.triangles, block->triangles, base, block->vertices->len);
  append_triangles (surface->raster.transparent, block->transparent, base, block->vertices->len);
  for (guint i = 0; i < block->problems->len && surface->problems->len < SURFACE_MAX_PROBLEMS; i++)
    g_ptr_array_add (surface->problems, g_strdup (g_ptr_array_index (block->problems, i)));
  return true;
}

/* Blocks are worked on by any thread, and put together in their order.  As many at a time as keep all threads busy, so
 * that the pieces do not lie about in memory twice. */
static bool
draw_stage (const Drawing *drawing, Stage stage, size_t n, const KgProgressMonitor *monitor, GError **error)
{
  enum { ROUND = 64 };
  bool good = true;

  for (size_t start = 0; good && start < n; start += ROUND * BLOCK) {
    const size_t blocks = MIN ((n - start + BLOCK - 1) / BLOCK, ROUND);
    SurfaceBlock round[ROUND];

    if (kg_progress_is_cancelled (monitor))
      return false;
#pragma omp parallel for schedule(dynamic)
    for (size_t b = 0; b < blocks; b++) {
      const size_t first = start + b * BLOCK;

      surface_block_init (&round[b], drawing->o);
      draw_block (&round[b], drawing, stage, first, MIN (first + BLOCK, n));
    }
    for (size_t b = 0; b < blocks; b++) {
      good = good && append_block (drawing->o->surface, &round[b], error);
      surface_block_clear (&round[b]);
    }
  }
  return good;
}

/* Which points primitives use, and whether there are polygons among these. */
static uint8_t *
find_used_points (const KgGeometry *geometry, bool *polygons)
{
  uint8_t *used = g_new0 (uint8_t, MAX (kg_geometry_get_n_points (geometry), 1));

  *polygons = false;
  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    *polygons = *polygons || primitive.kind == KG_POLYGON;
    for (uint32_t k = 0; k < primitive.n_vertices; k++)
      used[primitive.vertices[k]] = 1;
  }
  return used;
}

static void
set_up_object (SurfaceObject *o, KgGeometry **geometry)
{
  const KgMaterial *material = &o->object->material;

  o->smooth = material->shading == KG_SHADE_GOURAUD || material->shading == KG_SHADE_PHONG;
  o->own_normals = o->smooth && kg_geometry_get_float (*geometry, KG_POINTS, "N", 3) == NULL;
  if (o->own_normals) {
    kg_geometry_make_writable (geometry);
    kg_geometry_compute_normals (*geometry);
  }
  o->geometry = *geometry;
  o->p = kg_geometry_get_positions (*geometry);
  o->normals = o->smooth ? kg_geometry_get_float (*geometry, KG_POINTS, "N", 3) : NULL;
  o->width = kg_geometry_get_float (*geometry, KG_POINTS, "width", 1);
  surface_find_colors (*geometry, KG_POINTS, &o->color, &o->color_size);
  surface_find_colors (*geometry, KG_PRIMITIVES, &o->primitive_color, &o->primitive_color_size);
  o->shares = o->primitive_color == NULL && material->shading != KG_SHADE_FLAT;
  o->to_camera = kg_transform_multiply (o->surface->view, o->object->transform);
  if (material->shading == KG_SHADE_PHONG) {
    o->material = o->surface->shading.materials->len;
    g_array_append_vals (o->surface->shading.materials, material, 1);
  }
}

/* Instances. */

/* Triangles of instances that are collected before they are drawn. */
#define MOST_TRIANGLES (1u << 18)

/* The object in one of its places, drawn by one thread, with vertices of the block's own. */
static void
draw_instance (SurfaceBlock *block, const Drawing *drawing, const KgInstancePlaces *placement, size_t i, uint8_t *codes)
{
  const SurfaceObject *whole = drawing->o;
  const KgColor tint = kg_instance_places_get_color (placement, i);
  const size_t n_points = kg_geometry_get_n_points (whole->geometry);
  KgObject object = *whole->object;
  SurfaceObject one = *whole;
  Drawing here = *drawing;

  object.transform = kg_object_get_instance (whole->object, placement, i);
  object.material.color.r *= tint.r;
  object.material.color.g *= tint.g;
  object.material.color.b *= tint.b;
  object.material.color.a *= tint.a;
  one.object = &object;
  one.to_camera = kg_transform_multiply (one.surface->view, object.transform);
  one.codes = codes;
  block->o = here.o = &one;
  if (here.polygons) {
    one.base = SURFACE_LOCAL | block->vertices->len;
    g_array_set_size (block->vertices, (guint) (block->vertices->len + n_points));
    fill_point_vertices (&one, 0, n_points, &g_array_index (block->vertices, RasterVertex, one.base & ~SURFACE_LOCAL));
  }
  draw_block (block, &here, DRAW_PRIMITIVES, 0, kg_geometry_get_n_primitives (whole->geometry));
  if (here.edges != NULL)
    draw_block (block, &here, DRAW_WIRES, 0, here.edges->len);
  draw_block (block, &here, DRAW_POINTS, 0, n_points);
  block->o = whole;
}

static bool
draw_instances (const Drawing *drawing, const KgInstancePlaces *placement, const KgProgressMonitor *monitor,
                GError **error)
{
  enum { ROUND = 64 };
  Surface *surface = drawing->o->surface;
  const size_t n_points = kg_geometry_get_n_points (drawing->o->geometry);
  /* As much work as in a block of primitives. */
  const size_t per_block = MAX (BLOCK / MAX (n_points + kg_geometry_get_n_primitives (drawing->o->geometry), 1), 1);
  bool good = true;

  for (size_t start = 0; good && start < placement->n; start += ROUND * per_block) {
    const size_t blocks = MIN ((placement->n - start + per_block - 1) / per_block, ROUND);
    SurfaceBlock round[ROUND];

    if (kg_progress_is_cancelled (monitor))
      return false;
#pragma omp parallel for schedule(dynamic)
    for (size_t b = 0; b < blocks; b++) {
      const size_t first = start + b * per_block, end = MIN (first + per_block, placement->n);
      g_autofree uint8_t *codes = g_new (uint8_t, MAX (n_points, 1));

      surface_block_init (&round[b], drawing->o);
      for (size_t i = first; i < end && !kg_progress_is_cancelled (monitor); i++)
        draw_instance (&round[b], drawing, placement, i, codes);
    }
    for (size_t b = 0; b < blocks; b++) {
      good = good && append_block (surface, &round[b], error) &&
             (surface->raster.triangles->len < MOST_TRIANGLES || raster_flush (&surface->raster, monitor, error));
      surface_block_clear (&round[b]);
    }
  }
  return good && !kg_progress_is_cancelled (monitor);
}

bool
surface_add_object (Surface *surface, const KgProgressMonitor *monitor, const KgObject *object, guint index,
                    GError **error)
{
  g_autoptr (KgGeometry) geometry = kg_geometry_ref (object->geometry);
  const size_t n_points = kg_geometry_get_n_points (geometry);
  SurfaceObject o = { .surface = surface, .object = object, .material = RASTER_LIT };
  Drawing drawing = { .o = &o, .object = index };
  g_autoptr (GArray) edges = NULL;
  g_autofree uint8_t *used = NULL;
  KgInstancePlaces placement;
  bool good;

  drawing.used = used = find_used_points (geometry, &drawing.polygons);
  set_up_object (&o, &geometry);
  if (drawing.polygons) {
    o.contours = contours_find (geometry);
    drawing.edges = edges = object->material.wireframe ? surface_find_edges (geometry) : NULL;
  }
  if (kg_object_get_placement (object, &placement)) {
    good = draw_instances (&drawing, &placement, monitor, error);
  } else if (surface->raster.vertices->len + n_points >= SURFACE_LOCAL) {
    kg_set_error (error, KG_ERROR_LIMIT, "the scene has too many vertices: simplify it");
    good = false;
  } else {
    if (drawing.polygons)
      make_point_vertices (&o);
    good = draw_stage (&drawing, DRAW_PRIMITIVES, kg_geometry_get_n_primitives (geometry), monitor, error) &&
           (edges == NULL || draw_stage (&drawing, DRAW_WIRES, edges->len, monitor, error)) &&
           draw_stage (&drawing, DRAW_POINTS, n_points, monitor, error);
  }
  g_free (o.codes);
  g_clear_pointer (&o.contours, contours_free);
  return good;
}

bool
surface_init (Surface *surface, const KgCamera *camera, const KgScene *scene, int width, int height, int samples,
              GError **error)
{
  *surface = (Surface){ .camera = *camera };
  if (!(camera->near_plane > 0) || !(camera->far_plane > camera->near_plane) ||
      !kg_transform_invert (camera->transform, &surface->view)) {
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "the camera sees from %g to %g metres: near must be above 0 and less than far, and its transform must not be flat",
        camera->near_plane, camera->far_plane);
    return false;
  }
  surface->focal = (double) (height * samples) / (camera->orthographic ? camera->height : 2 * tan (0.5 * camera->fov));
  shading_init (&surface->shading, camera, scene);
  raster_init (&surface->raster, width, height, samples, camera->orthographic);
  surface->raster.shade = shading_light_sample;
  surface->raster.shade_data = &surface->shading;
  surface->problems = g_ptr_array_new_with_free_func (g_free);
  return true;
}

void
surface_clear (Surface *surface)
{
  shading_clear (&surface->shading);
  raster_clear (&surface->raster);
  g_ptr_array_unref (surface->problems);
}
