/* surface: points, polygons, ribbons and discs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/surface.h"

#include "curve/curve.h"
#include "render/contours.h"
#include "geometry/triangulate.h"

#include <glib/gi18n-lib.h>

/* Lines are drawn this much nearer than the surface they lie on. */
#define WIRE_BIAS 1.002f
/* Primitives or points that one thread works on at a time. */
#define BLOCK 2048
/* Problems worth telling of one object. */
#define MAX_PROBLEMS 20
/* Straight pieces of one piece of a curve, and for each of its control points where one piece has many. */
#define CURVE_STEPS 16
#define CURVE_STEPS_PER_POINT 4
/* Sides of the largest disc, and corners of what is clipped: a disc, and one more for each plane. */
#define MAX_SIDES 64
#define MAX_CORNERS (MAX_SIDES + 8)

/* Marks a vertex of a block's own, not yet among all others. */
#define LOCAL 0x80000000u

/* Outside of a plane, by bits 0 to 5; a point that cannot be computed with. */
#define CODE_FAR 0x40

/* Metres from the camera beyond which clipping would overflow. */
#define FAR 1e100

typedef struct {
  double at[3];   /* camera space: x, y, z with -z ahead */
  RasterVertex v; /* x, y, nearness and inverse not yet set */
} Corner;

/* A corner of a polygon: its vertex, and the point it comes from. */
typedef struct {
  uint32_t vertex, point;
} Place;

typedef struct {
  Surface *surface;
  const KgObject *object;
  const KgGeometry *geometry;
  const float *p, *normals, *color, *primitive_color, *width;
  guint color_size, primitive_color_size;
  KgTransform to_camera;
  uint32_t material; /* RASTER_LIT unless shaded at each sample */
  bool smooth;       /* shading needs normals of points */
  bool own_normals;  /* which are worked out here, from polygons */
  bool shares;       /* polygons use the points' vertices as they are */
  uint32_t base;     /* the first point's vertex */
  uint8_t *codes;    /* of points */
  Contours *contours;
} ObjectWork;

/* What one thread makes of a block. */
typedef struct {
  const ObjectWork *o;
  GArray *vertices;                /* RasterVertex */
  GArray *triangles, *transparent; /* RasterTriangle */
  GPtrArray *problems;
  GArray *places, *ends, *plane, *ears; /* of one polygon: Place, uint32_t, double, uint32_t */
} Block;

/* Clipping and projection. */

/* Signed distances from the planes that bound what can be drawn: near, far, and a wide guard around the picture. */
static double
get_plane (const Surface *surface, const double at[3], int plane)
{
  const double depth = -at[2], guard = 0.4 * RASTER_GUARD / surface->focal;
  const double reach = surface->camera.orthographic ? guard : guard * depth;

  switch (plane) {
  case 0:
    return depth - surface->camera.near_plane;
  case 1:
    return surface->camera.far_plane - depth;
  case 2:
    return reach - at[0];
  case 3:
    return reach + at[0];
  case 4:
    return reach - at[1];
  default:
    return reach + at[1];
  }
}

static bool
is_far (const double at[3])
{
  return !(fabs (at[0]) < FAR && fabs (at[1]) < FAR && fabs (at[2]) < FAR);
}

static uint8_t
get_code (const Surface *surface, const double at[3])
{
  int code = 0;

  for (int plane = 0; plane < 6; plane++)
    code |= (get_plane (surface, at, plane) < 0) << plane;
  return (uint8_t) code;
}

static Corner
mix (const Corner *a, const Corner *b, double t)
{
  Corner m = *a;
  const float s = (float) t;

  for (int c = 0; c < 3; c++) {
    m.at[c] = kg_lerp (a->at[c], b->at[c], t);
    m.v.normal[c] += s * (b->v.normal[c] - a->v.normal[c]);
    m.v.position[c] += s * (b->v.position[c] - a->v.position[c]);
  }
  for (int c = 0; c < 4; c++)
    m.v.color[c] += s * (b->v.color[c] - a->v.color[c]);
  return m;
}

/* Clips a convex polygon, in place; returns how many corners are left. */
static guint
clip (const Surface *surface, Corner *corners, guint n)
{
  Corner out[MAX_CORNERS];

  for (int plane = 0; plane < 6 && n > 0; plane++) {
    guint m = 0, inside = 0;

    for (guint i = 0; i < n; i++)
      inside += get_plane (surface, corners[i].at, plane) >= 0;
    if (inside == n)
      continue;
    for (guint i = 0; i < n && m + 2 <= G_N_ELEMENTS (out); i++) {
      const Corner *a = &corners[i], *b = &corners[(i + 1) % n];
      const double da = get_plane (surface, a->at, plane), db = get_plane (surface, b->at, plane);

      if (da >= 0)
        out[m++] = *a;
      if ((da >= 0) != (db >= 0))
        out[m++] = mix (a, b, da / (da - db));
    }
    n = m;
    memcpy (corners, out, n * sizeof *out);
  }
  return n;
}

static void
project (const Surface *surface, const double at[3], float bias, RasterVertex *v)
{
  const Raster *raster = &surface->raster;
  const double depth = -at[2], scale = surface->camera.orthographic ? surface->focal : surface->focal / depth;

  v->x = (float) (0.5 * raster->width * raster->samples + scale * at[0]);
  v->y = (float) (0.5 * raster->height * raster->samples - scale * at[1]);
  v->nearness = surface->camera.orthographic ? (float) -depth / bias : (float) (1 / depth) * bias;
  v->inverse = surface->camera.orthographic ? 1 : (float) (1 / depth);
}

/* Blocks. */

static void
block_init (Block *block, const ObjectWork *o)
{
  *block = (Block){ .o = o };
  block->vertices = g_array_new (FALSE, FALSE, sizeof (RasterVertex));
  block->triangles = g_array_new (FALSE, FALSE, sizeof (RasterTriangle));
  block->transparent = g_array_new (FALSE, FALSE, sizeof (RasterTriangle));
  block->problems = g_ptr_array_new_with_free_func (g_free);
  block->places = g_array_new (FALSE, FALSE, sizeof (Place));
  block->ends = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  block->plane = g_array_new (FALSE, FALSE, sizeof (double));
  block->ears = g_array_new (FALSE, FALSE, sizeof (uint32_t));
}

static void
block_clear (Block *block)
{
  g_array_unref (block->vertices);
  g_array_unref (block->triangles);
  g_array_unref (block->transparent);
  g_ptr_array_unref (block->problems);
  g_array_unref (block->places);
  g_array_unref (block->ends);
  g_array_unref (block->plane);
  g_array_unref (block->ears);
}

static void
block_report (Block *block, size_t primitive, guint object, const char *message)
{
  if (block->problems->len < MAX_PROBLEMS)
    g_ptr_array_add (block->problems, g_strdup_printf (_ ("primitive %u of object %u is left out: %s"),
                                                       (guint) primitive, object, message));
}

static RasterVertex *
block_vertex (const Block *block, uint32_t vertex)
{
  return vertex & LOCAL ? &g_array_index (block->vertices, RasterVertex, vertex & ~LOCAL)
                        : &g_array_index (block->o->surface->raster.vertices, RasterVertex, vertex);
}

/* Whether a colour lets through what is behind (1), or is not seen at all (2). */
static int
get_clearness (const float alpha[], guint n)
{
  int clear = 2;

  for (guint i = 0; i < n; i++)
    if (alpha[i] > 0)
      clear = 1;
  for (guint i = 0; i < n && clear == 1; i++)
    if (alpha[i] < 1)
      return 1;
  return clear == 2 ? 2 : 0;
}

/* A convex polygon that is nobody else's: clipped, and a fan. */
static void
block_add_convex (Block *block, Corner *corners, guint n, uint32_t material, float bias)
{
  const Surface *surface = block->o->surface;
  float alpha[MAX_CORNERS];
  uint32_t first = LOCAL | block->vertices->len;
  int clear;

  for (guint i = 0; i < n; i++) {
    if (is_far (corners[i].at))
      return;
    alpha[i] = corners[i].v.color[3];
  }
  clear = get_clearness (alpha, n);
  n = clear < 2 ? clip (surface, corners, n) : 0;
  if (n < 3)
    return;
  for (guint i = 0; i < n; i++) {
    project (surface, corners[i].at, bias, &corners[i].v);
    g_array_append_val (block->vertices, corners[i].v);
  }
  for (guint i = 2; i < n; i++) {
    const RasterTriangle triangle = { { first, first + i - 1, first + i }, material };

    g_array_append_val (clear > 0 ? block->transparent : block->triangles, triangle);
  }
}

static void
make_camera_space (const ObjectWork *o, KgVector p, double at[3])
{
  const KgVector q = kg_transform_point (o->to_camera, p);

  at[0] = q.x;
  at[1] = q.y;
  at[2] = q.z;
}

static KgVector
get_point (const ObjectWork *o, size_t i)
{
  return kg_vector ((double) o->p[3 * i], (double) o->p[3 * i + 1], (double) o->p[3 * i + 2]);
}

/* A triangle of vertices that are there already; those that are cut get some of their own. */
static void
block_add_triangle (Block *block, const Place *a, const Place *b, const Place *c)
{
  const ObjectWork *o = block->o;
  const uint8_t *codes = o->codes;
  const uint8_t any = codes[a->point] | codes[b->point] | codes[c->point];

  if ((codes[a->point] & codes[b->point] & codes[c->point]) != 0)
    return;
  if (any == 0) {
    const float alpha[] = { block_vertex (block, a->vertex)->color[3], block_vertex (block, b->vertex)->color[3],
                            block_vertex (block, c->vertex)->color[3] };
    const RasterTriangle triangle = { { a->vertex, b->vertex, c->vertex }, o->material };
    const int clear = get_clearness (alpha, 3);

    if (clear < 2)
      g_array_append_val (clear > 0 ? block->transparent : block->triangles, triangle);
  } else {
    const Place *places[] = { a, b, c };
    Corner corners[MAX_CORNERS];

    for (int i = 0; i < 3; i++) {
      make_camera_space (o, get_point (o, places[i]->point), corners[i].at);
      corners[i].v = *block_vertex (block, places[i]->vertex);
    }
    block_add_convex (block, corners, 3, o->material, 1);
  }
}

/* Colours. */

static void
find_colors (const KgGeometry *geometry, KgDomain domain, const float **color, guint *size)
{
  *size = 4;
  *color = kg_geometry_get_float (geometry, domain, "Cd", 4);
  if (*color == NULL) {
    *size = 3;
    *color = kg_geometry_get_float (geometry, domain, "Cd", 3);
  }
}

static void
multiply_color (const ObjectWork *o, const float *c, guint size, float out[4])
{
  const double *base = &o->object->material.color.r;

  for (guint i = 0; i < 4; i++)
    out[i] = (float) base[i] * (c != NULL && i < size ? c[i] : 1);
}

static void
set_point_color (const ObjectWork *o, size_t point, float out[4])
{
  multiply_color (o, o->color != NULL ? o->color + o->color_size * point : NULL, o->color_size, out);
}

static void
set_color (const ObjectWork *o, size_t point, size_t primitive, float out[4])
{
  if (o->primitive_color != NULL)
    multiply_color (o, o->primitive_color + o->primitive_color_size * primitive, o->primitive_color_size, out);
  else
    set_point_color (o, point, out);
}

/* Points. */

/* Normals go along into the world as planes do: by the cofactors, which are the inverse transpose but for length. */
static void
get_normal_transform (const KgTransform *t, double m[3][3])
{
  const double sign = kg_transform_determinant (*t) < 0 ? -1 : 1;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;

      m[i][j] = sign * (t->m[a][c] * t->m[b][d] - t->m[a][d] * t->m[b][c]);
    }
}

/* Vertices for all points that polygons may use. */
static void
make_point_vertices (ObjectWork *o)
{
  const size_t n = kg_geometry_get_n_points (o->geometry);
  const KgMaterial *material = &o->object->material;
  RasterVertex *vertices;
  double turn[3][3];

  o->base = o->surface->raster.vertices->len;
  g_array_set_size (o->surface->raster.vertices, (guint) (o->base + n));
  o->codes = g_new (uint8_t, MAX (n, 1));
  vertices = &g_array_index (o->surface->raster.vertices, RasterVertex, o->base);
  get_normal_transform (&o->object->transform, turn);
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++) {
    const KgVector p = get_point (o, i), world = kg_transform_point (o->object->transform, p);
    RasterVertex v = { .position = { (float) world.x, (float) world.y, (float) world.z } };
    double at[3];

    make_camera_space (o, p, at);
    o->codes[i] = get_code (o->surface, at);
    if (!isfinite (v.position[0]) || !isfinite (v.position[1]) || !isfinite (v.position[2]) || is_far (at))
      o->codes[i] |= CODE_FAR;
    if ((o->codes[i] & (CODE_FAR | 1)) == 0)
      project (o->surface, at, 1, &v);
    if (o->normals != NULL) {
      const float *given = o->normals + 3 * i;
      double normal[3], length;

      for (int k = 0; k < 3; k++)
        normal[k] = turn[k][0] * (double) given[0] + turn[k][1] * (double) given[1] + turn[k][2] * (double) given[2];
      length = sqrt (normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
      for (int k = 0; k < 3; k++)
        v.normal[k] = length > 0 ? (float) (normal[k] / length) : 0;
    }
    set_point_color (o, i, v.color);
    if (o->shares && material->shading == KG_SHADE_GOURAUD && (o->codes[i] & CODE_FAR) == 0)
      shading_light (&o->surface->shading, material, v.normal, v.position, v.color);
    vertices[i] = v;
  }
}

/* Polygons. */

/* Newell's normal of n corners in the world. */
static KgVector
get_polygon_normal (const Block *block, const Place *places, guint n)
{
  KgVector sum = { 0, 0, 0 };

  for (guint i = 0; i < n; i++) {
    const float *a = block_vertex (block, places[i].vertex)->position;
    const float *b = block_vertex (block, places[i + 1 < n ? i + 1 : 0].vertex)->position;

    sum.x += ((double) a[1] - (double) b[1]) * ((double) a[2] + (double) b[2]);
    sum.y += ((double) a[2] - (double) b[2]) * ((double) a[0] + (double) b[0]);
    sum.z += ((double) a[0] - (double) b[0]) * ((double) a[1] + (double) b[1]);
  }
  return kg_vector_normalize_or (sum, kg_vector (0, 0, 0));
}

/* Adds a ring of the polygon to places; false when one of its points cannot be drawn. */
static bool
add_ring (Block *block, const KgPrimitive *primitive)
{
  const uint32_t n = primitive->n_vertices;
  const guint first = block->places->len;

  g_array_set_size (block->places, first + n);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t point = primitive->vertices[i];

    if (block->o->codes[point] & CODE_FAR)
      return false;
    g_array_index (block->places, Place, first + i) = (Place){ block->o->base + point, point };
  }
  g_array_append_val (block->ends, block->places->len);
  return true;
}

/* Gives the polygon vertices of its own, where shading or colours differ from face to face. */
static void
make_own_vertices (Block *block, size_t primitive, KgVector normal)
{
  const ObjectWork *o = block->o;
  const KgMaterial *material = &o->object->material;
  Place *places = (Place *) (void *) block->places->data;
  const guint n = g_array_index (block->ends, uint32_t, 0);
  float middle[3] = { 0, 0, 0 };

  for (guint i = 0; i < n; i++)
    for (int c = 0; c < 3; c++)
      middle[c] += block_vertex (block, places[i].vertex)->position[c] / (float) n;
  for (guint i = 0; i < block->places->len; i++) {
    RasterVertex v = *block_vertex (block, places[i].vertex);

    set_color (o, places[i].point, primitive, v.color);
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
    places[i].vertex = LOCAL | block->vertices->len;
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
    const double *p = plane + 2 * i, *q = plane + 2 * ((i + 1) % n), *r = plane + 2 * ((i + 2) % n);
    const double turn = get_turn (p, q, r);

    left += turn > 0;
    right += turn < 0;
    changes += (q[0] > p[0]) != (r[0] > q[0]);
  }
  return (left == n || right == n) && changes <= 2;
}

static void
draw_polygon (Block *block, size_t index, const KgPrimitive *primitive, guint object)
{
  const ObjectWork *o = block->o;
  const guint n = primitive->n_vertices;
  bool holes = false, good;
  KgVector normal = { 0, 0, 0 };
  const Place *places;
  double *plane;
  int drop;

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
    block_report (block, index, object, _ ("it reaches too far to compute with"));
    return;
  }
  places = (const Place *) (const void *) block->places->data;
  if (n > 3 || holes || !o->shares)
    normal = get_polygon_normal (block, places, n);
  if (!o->shares || holes)
    make_own_vertices (block, index, normal);
  if (n == 3 && !holes) {
    block_add_triangle (block, &places[0], &places[1], &places[2]);
    return;
  }
  /* Seen along the main direction of the normal. */
  drop = fabs (normal.x) >= fabs (normal.y) && fabs (normal.x) >= fabs (normal.z) ? 0
         : fabs (normal.y) >= fabs (normal.z)                                     ? 1
                                                                                  : 2;
  g_array_set_size (block->plane, 2 * block->places->len);
  plane = (double *) (void *) block->plane->data;
  for (guint i = 0; i < block->places->len; i++) {
    const float *p = block_vertex (block, places[i].vertex)->position;

    plane[2 * i] = (double) p[(drop + 1) % 3];
    plane[2 * i + 1] = (double) p[(drop + 2) % 3];
  }
  if (!holes && is_convex (plane, n)) {
    for (guint i = 2; i < n; i++)
      block_add_triangle (block, &places[0], &places[i - 1], &places[i]);
    return;
  }
  g_array_set_size (block->ears, 0);
  triangulate (plane, (const uint32_t *) (const void *) block->ends->data, block->ends->len, block->ears);
  for (guint i = 0; i < block->ears->len; i += 3) {
    const uint32_t *ear = &g_array_index (block->ears, uint32_t, i);

    block_add_triangle (block, &places[ear[0]], &places[ear[1]], &places[ear[2]]);
  }
}

/* Lines: ribbons that face the camera. */

static Corner
make_corner (const ObjectWork *o, KgVector p)
{
  Corner corner = { .at = { 0, 0, 0 } };

  make_camera_space (o, p, corner.at);
  return corner;
}

static double
get_width (const ObjectWork *o, size_t point)
{
  return o->width != NULL ? (double) o->width[point] : o->object->material.width;
}

/* To the side of the way from a to b, unit. */
static KgVector
get_side (const ObjectWork *o, const Corner *a, const Corner *b)
{
  const KgVector p = { a->at[0], a->at[1], a->at[2] }, q = { b->at[0], b->at[1], b->at[2] };
  const KgVector sight = o->surface->camera.orthographic ? kg_vector (0, 0, 1) : kg_vector_lerp (p, q, 0.5);

  return kg_vector_normalize_or (kg_vector_cross (kg_vector_subtract (q, p), sight), kg_vector (0, 0, 0));
}

static Corner
move (const Corner *a, KgVector side, double by)
{
  Corner moved = *a;

  for (int c = 0; c < 3; c++)
    moved.at[c] += by * kg_vector_get (side, c);
  return moved;
}

/* From a to b, whose sides need not be parallel. */
static void
add_ribbon (Block *block, const Corner *a, const Corner *b, double wa, double wb, KgVector sa, KgVector sb, float bias)
{
  Corner corners[MAX_CORNERS];

  corners[0] = move (a, sa, 0.5 * wa);
  corners[1] = move (a, sa, -0.5 * wa);
  corners[2] = move (b, sb, -0.5 * wb);
  corners[3] = move (b, sb, 0.5 * wb);
  block_add_convex (block, corners, 4, RASTER_LIT, bias);
}

/* Fills the gap on the outer side of a bend: a piece of a disc. */
static void
add_joint (Block *block, const Corner *at, double width, KgVector before, KgVector after, KgVector along)
{
  const double angle = acos (kg_clamp (kg_vector_dot (before, after), -1, 1));
  const double sign = kg_vector_dot (before, along) > 0 ? -0.5 : 0.5;
  const guint n = 1 + (guint) (angle / (KG_PI / 10));
  Corner corners[MAX_CORNERS];

  corners[0] = *at;
  for (guint i = 0; i <= n; i++)
    corners[i + 1] =
        move (at, kg_vector_normalize_or (kg_vector_lerp (before, after, (double) i / n), before), sign * width);
  block_add_convex (block, corners, n + 2, RASTER_LIT, 1);
}

/* The side at a joint where two pieces meet: on both of their edges, so that they join without a gap and without
 * covering each other.  False where the bend is too sharp for that. */
static bool
get_mitre (KgVector before, KgVector after, KgVector *side)
{
  const double cosine = kg_vector_dot (before, after);

  if (!(cosine > 0.5))
    return false;
  /* Half the sum is as long as the cosine of half the angle; the edges meet at one over that. */
  *side = kg_vector_scale (kg_vector_add (before, after), 1 / (1 + cosine));
  return true;
}

static void
add_strip (Block *block, const Corner *corners, const double *widths, guint n, bool closed)
{
  const ObjectWork *o = block->o;
  const guint pieces = closed ? n : n - 1;
  g_autofree KgVector *sides = g_new (KgVector, MAX (pieces, 1));
  guint m = 0;
  g_autofree guint *from = g_new (guint, MAX (pieces, 1));

  /* Pieces without length have no side: the others go on from where they were. */
  for (guint i = 0; i < pieces; i++) {
    sides[m] = get_side (o, &corners[i], &corners[(i + 1) % n]);
    from[m] = i;
    m += kg_vector_length (sides[m]) > 0;
  }
  for (guint i = 0; i < m; i++) {
    const guint a = from[i], b = (a + 1) % n;
    const bool first = i == 0 && !closed, last = i + 1 == m && !closed;
    const KgVector before = sides[(i + m - 1) % m], after = sides[(i + 1) % m];
    KgVector start = sides[i], end = sides[i];

    if (!first)
      get_mitre (before, sides[i], &start);
    if (!last && !get_mitre (sides[i], after, &end)) {
      const Corner *p = &corners[b], *q = &corners[(from[(i + 1) % m] + 1) % n];

      add_joint (block, p, widths[b], sides[i], after,
                 kg_vector (q->at[0] - p->at[0], q->at[1] - p->at[1], q->at[2] - p->at[2]));
    }
    add_ribbon (block, &corners[a], &corners[b], widths[a], widths[b], start, end, 1);
  }
}

static void
draw_line (Block *block, size_t index, const KgPrimitive *primitive, guint object)
{
  const ObjectWork *o = block->o;
  const uint32_t n = primitive->n_vertices;
  g_autofree Corner *corners = g_new (Corner, MAX (n, 1));
  g_autofree double *widths = g_new (double, MAX (n, 1));
  bool far = false;

  for (uint32_t i = 0; i < n; i++) {
    corners[i] = make_corner (o, get_point (o, primitive->vertices[i]));
    set_color (o, primitive->vertices[i], index, corners[i].v.color);
    widths[i] = get_width (o, primitive->vertices[i]);
    far = far || is_far (corners[i].at);
  }
  if (far)
    block_report (block, index, object, _ ("it reaches too far to compute with"));
  else if (n >= 2)
    add_strip (block, corners, widths, n, primitive->closed && n > 2);
}

/* Colours and widths run evenly from control point to control point. */
static void
draw_spline (Block *block, size_t index, const KgPrimitive *primitive, guint object)
{
  const ObjectWork *o = block->o;
  g_autoptr (GError) error = NULL;
  g_autoptr (Curve) curve = curve_new (o->geometry, index, &error);
  guint pieces, steps, n;
  g_autofree Corner *corners = NULL;
  g_autofree double *widths = NULL;
  bool closed;

  if (curve == NULL) {
    block_report (block, index, object, error->message);
    return;
  }
  closed = curve_is_closed (curve);
  pieces = curve_get_n_segments (curve);
  steps = MAX (CURVE_STEPS, CURVE_STEPS_PER_POINT * primitive->n_vertices / pieces);
  n = steps * pieces + (closed ? 0 : 1);
  corners = g_new (Corner, n);
  widths = g_new (double, n);
  for (guint i = 0; i < n; i++) {
    const double spans = primitive->n_vertices - (closed ? 0 : 1), u = (double) i / (steps * pieces) * spans;
    const guint k = (guint) kg_clamp (floor (u), 0, fmax (spans - 1, 0));
    const size_t a = primitive->vertices[k], b = primitive->vertices[(k + 1) % primitive->n_vertices];
    float next[4];

    corners[i] = make_corner (o, curve_evaluate (curve, (double) i / steps, 0));
    set_color (o, a, index, corners[i].v.color);
    set_color (o, b, index, next);
    for (int c = 0; c < 4; c++)
      corners[i].v.color[c] += (float) (u - k) * (next[c] - corners[i].v.color[c]);
    widths[i] = kg_lerp (get_width (o, a), get_width (o, b), u - k);
  }
  add_strip (block, corners, widths, n, closed);
}

/* A wire about a pixel and a half wide, wherever it is. */
static void
add_wire (Block *block, uint32_t from, uint32_t to)
{
  const ObjectWork *o = block->o;
  const double *rgba = &o->object->material.wire_color.r;
  const double thickness = 1.4 * o->surface->raster.samples / o->surface->focal;
  const bool flat = o->surface->camera.orthographic;
  Corner a = make_corner (o, get_point (o, from)), b = make_corner (o, get_point (o, to));
  const KgVector side = get_side (o, &a, &b);

  for (int c = 0; c < 4; c++)
    a.v.color[c] = b.v.color[c] = (float) rgba[c];
  if ((o->codes[from] & o->codes[to]) == 0 && ((o->codes[from] | o->codes[to]) & CODE_FAR) == 0)
    add_ribbon (block, &a, &b, flat ? thickness : thickness * fmax (-a.at[2], 0),
                flat ? thickness : thickness * fmax (-b.at[2], 0), side, side, WIRE_BIAS);
}

static int
compare_uint64 (gconstpointer a, gconstpointer b)
{
  const uint64_t p = *(const uint64_t *) a, q = *(const uint64_t *) b;

  return p < q ? -1 : p > q;
}

/* The edges of all polygons, each once however many share it: wires may be transparent.  (transfer full) */
static GArray *
find_edges (const KgGeometry *geometry)
{
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  guint n = 0;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.kind != KG_POLYGON || primitive.n_vertices < 3)
      continue;
    for (uint32_t k = 0; k < primitive.n_vertices; k++) {
      const uint32_t a = primitive.vertices[k], b = primitive.vertices[(k + 1) % primitive.n_vertices];
      const uint64_t edge = (uint64_t) MIN (a, b) << 32 | MAX (a, b);

      g_array_append_val (edges, edge);
    }
  }
  qsort (edges->data, edges->len, sizeof (uint64_t), compare_uint64);
  for (guint i = 0; i < edges->len; i++)
    if (n == 0 || g_array_index (edges, uint64_t, i) != g_array_index (edges, uint64_t, n - 1))
      g_array_index (edges, uint64_t, n++) = g_array_index (edges, uint64_t, i);
  g_array_set_size (edges, n);
  return edges;
}

/* A disc that faces the camera, as round as it is large, and of the same area as if it were quite round. */
static void
add_disc (Block *block, size_t point)
{
  const ObjectWork *o = block->o;
  const double radius = 0.5 * get_width (o, point);
  Corner corners[MAX_CORNERS];
  Corner center = make_corner (o, get_point (o, point));
  const double depth = o->surface->camera.orthographic ? 1 : -center.at[2];
  const double samples = radius * o->surface->focal / depth;
  double rim;
  int sides;

  if (!(radius > 0) || !(depth > 0) || !isfinite (samples))
    return;
  /* The sagitta of a side is less than a quarter of a sample. */
  sides = (int) kg_clamp (ceil (KG_PI * sqrt (2 * samples)), 8, MAX_SIDES);
  rim = radius * sqrt (2 * KG_PI / sides / sin (2 * KG_PI / sides));
  set_point_color (o, point, center.v.color);
  for (int k = 0; k < sides; k++)
    corners[k] = move (&center, kg_vector (cos (2 * KG_PI * k / sides), sin (2 * KG_PI * k / sides), 0), rim);
  block_add_convex (block, corners, (guint) sides, RASTER_LIT, 1);
}

/* Objects. */

typedef enum { DRAW_PRIMITIVES, DRAW_WIRES, DRAW_POINTS } Stage;

/* What the stages go through. */
typedef struct {
  const ObjectWork *o;
  guint object;
  const GArray *edges;
  const uint8_t *used; /* points of primitives */
} Drawing;

static void
draw_primitive (Block *block, const Drawing *drawing, size_t i)
{
  const ObjectWork *o = drawing->o;
  KgPrimitive primitive;

  kg_geometry_get_primitive (o->geometry, i, &primitive);
  if (primitive.kind == KG_POLYGON && primitive.n_vertices >= 3) {
    if (o->contours == NULL || !o->contours->is_hole[i])
      draw_polygon (block, i, &primitive, drawing->object);
  } else if (primitive.kind == KG_POLYLINE)
    draw_line (block, i, &primitive, drawing->object);
  else if (primitive.kind == KG_SPLINE)
    draw_spline (block, i, &primitive, drawing->object);
}

static void
draw_block (Block *block, const Drawing *drawing, Stage stage, size_t first, size_t end)
{
  for (size_t i = first; i < end; i++)
    if (stage == DRAW_PRIMITIVES)
      draw_primitive (block, drawing, i);
    else if (stage == DRAW_WIRES) {
      const uint64_t edge = g_array_index (drawing->edges, uint64_t, i);

      add_wire (block, (uint32_t) (edge >> 32), (uint32_t) edge);
    } else if (!drawing->used[i])
      add_disc (block, i);
}

static void
append_triangles (GArray *to, GArray *from, uint32_t base)
{
  for (guint i = 0; i < from->len; i++) {
    RasterTriangle *triangle = &g_array_index (from, RasterTriangle, i);

    for (int c = 0; c < 3; c++)
      if (triangle->vertices[c] & LOCAL)
        triangle->vertices[c] = base + (triangle->vertices[c] & ~LOCAL);
  }
  g_array_append_vals (to, from->data, from->len);
}

static bool
append_block (Surface *surface, Block *block, GError **error)
{
  const uint32_t base = surface->raster.vertices->len;

  if ((uint64_t) base + block->vertices->len >= LOCAL) {
    kg_set_error (error, KG_ERROR_LIMIT, "the scene has more corners than can be counted: simplify it");
    return false;
  }
  g_array_append_vals (surface->raster.vertices, block->vertices->data, block->vertices->len);
  append_triangles (surface->raster.triangles, block->triangles, base);
  append_triangles (surface->raster.transparent, block->transparent, base);
  for (guint i = 0; i < block->problems->len && surface->problems->len < MAX_PROBLEMS; i++)
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
    Block round[ROUND];

    if (kg_progress_is_cancelled (monitor))
      return false;
#pragma omp parallel for schedule(dynamic)
    for (size_t b = 0; b < blocks; b++) {
      const size_t first = start + b * BLOCK;

      block_init (&round[b], drawing->o);
      draw_block (&round[b], drawing, stage, first, MIN (first + BLOCK, n));
    }
    for (size_t b = 0; b < blocks; b++) {
      good = good && append_block (drawing->o->surface, &round[b], error);
      block_clear (&round[b]);
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
set_up_object (ObjectWork *o, KgGeometry **geometry)
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
  find_colors (*geometry, KG_POINTS, &o->color, &o->color_size);
  find_colors (*geometry, KG_PRIMITIVES, &o->primitive_color, &o->primitive_color_size);
  o->shares = o->primitive_color == NULL && material->shading != KG_SHADE_FLAT;
  o->to_camera = kg_transform_multiply (o->surface->view, o->object->transform);
  if (material->shading == KG_SHADE_PHONG) {
    o->material = o->surface->shading.materials->len;
    g_array_append_vals (o->surface->shading.materials, material, 1);
  }
}

bool
surface_add_object (Surface *surface, const KgProgressMonitor *monitor, const KgObject *object, guint index,
                    GError **error)
{
  g_autoptr (KgGeometry) geometry = kg_geometry_ref (object->geometry);
  const size_t n_points = kg_geometry_get_n_points (geometry);
  ObjectWork o = { .surface = surface, .object = object, .material = RASTER_LIT };
  Drawing drawing = { .o = &o, .object = index };
  g_autoptr (GArray) edges = NULL;
  g_autofree uint8_t *used = NULL;
  bool polygons, good;

  drawing.used = used = find_used_points (geometry, &polygons);
  set_up_object (&o, &geometry);
  if (polygons) {
    if (surface->raster.vertices->len + n_points >= LOCAL) {
      kg_set_error (error, KG_ERROR_LIMIT, "the scene has more corners than can be counted: simplify it");
      return false;
    }
    make_point_vertices (&o);
    o.contours = contours_find (geometry);
    drawing.edges = edges = object->material.wireframe ? find_edges (geometry) : NULL;
  }
  good = draw_stage (&drawing, DRAW_PRIMITIVES, kg_geometry_get_n_primitives (geometry), monitor, error) &&
         (edges == NULL || draw_stage (&drawing, DRAW_WIRES, edges->len, monitor, error)) &&
         draw_stage (&drawing, DRAW_POINTS, n_points, monitor, error);
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
        "the camera sees from %g to %g metres: near must be above 0 and below far, and its transform not flat",
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
