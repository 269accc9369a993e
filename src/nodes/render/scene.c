/* render/scene: pictures of solid things.
 * Sources: Phong 1975 and Gouraud 1971 (shading); Sutherland and Hodgman 1974 (clipping).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../curve/curve.h"
#include "kg-node.h"
#include "raster.h"

/* Most corners of one polygon after clipping. */
#define SCENE_MAX_CORNERS 4096
/* Lines are drawn this much nearer than the surface they lie on. */
#define SCENE_BIAS 1.002f

typedef struct {
  KgList scenes;
  int64_t width;
  int64_t height;
  KgColor background;
  int antialias;
  double shutter;
  int64_t blur;
  KgImage *image;
} Scene;

static const KgChoice scene_antialias[] = {
  { "1", N_ ("None") }, { "2", N_ ("2 × 2") }, { "4", N_ ("4 × 4") }, { "8", N_ ("8 × 8") }, { NULL, NULL },
};

/* All that drawing one scene needs. */
typedef struct {
  const Scene *node;
  const KgScene *scene;
  KgCamera camera;
  KgTransform view; /* world to camera */
  double focal;     /* samples for a metre at distance 1 (orthographic: for a metre) */
  Raster raster;
  GArray *materials; /* KgMaterial, for shading at each sample */
  GArray *lights;    /* KgLight */
} SceneWork;

/* The box around all objects, in the world. */
typedef struct {
  KgVector low, high;
  bool any;
} SceneBounds;

static void
scene_add_bounds (SceneBounds *bounds, const KgScene *scene)
{
  for (guint i = 0; i < kg_scene_get_n_objects (scene); i++) {
    const KgObject *object = kg_scene_get_object (scene, i);
    KgVector a, b;

    if (!kg_geometry_get_bounds (object->geometry, &a, &b))
      continue;
    for (int k = 0; k < 8; k++) {
      const KgVector p =
          kg_transform_point (object->transform, kg_vector (k & 1 ? a.x : b.x, k & 2 ? a.y : b.y, k & 4 ? a.z : b.z));
      const KgVector *l = &bounds->low, *h = &bounds->high;

      bounds->low = bounds->any ? kg_vector (fmin (l->x, p.x), fmin (l->y, p.y), fmin (l->z, p.z)) : p;
      bounds->high = bounds->any ? kg_vector (fmax (h->x, p.x), fmax (h->y, p.y), fmax (h->z, p.z)) : p;
      bounds->any = true;
    }
  }
}

/* Where the camera stands when the scene has none: in front and a little above, with everything in view. */
static KgCamera
scene_frame_camera (const SceneBounds *bounds)
{
  const KgVector center = kg_vector_lerp (bounds->low, bounds->high, 0.5);
  const double radius = fmax (0.5 * kg_vector_distance (bounds->low, bounds->high), 1e-3);
  const KgVector z = kg_vector_normalize_or (kg_vector (0.35, 0.35, 1), kg_vector (0, 0, 1));
  const KgVector x = kg_vector_normalize_or (kg_vector_cross (kg_vector (0, 1, 0), z), kg_vector (1, 0, 0));
  const KgVector y = kg_vector_cross (z, x);
  KgCamera camera;
  KgVector eye;

  kg_camera_init (&camera);
  eye = kg_vector_add_scaled (center, 1.15 * radius / sin (0.5 * camera.fov), z);
  camera.transform =
      (KgTransform){ { { x.x, y.x, z.x, eye.x }, { x.y, y.y, z.y, eye.y }, { x.z, y.z, z.z, eye.z }, { 0, 0, 0, 1 } } };
  camera.near_plane = 1e-3 * radius;
  camera.far_plane = 100 * radius + kg_vector_distance (eye, center);
  return camera;
}

/* Without lights: one at the camera, and enough from all around to see the rest by. */
static void
scene_find_lights (SceneWork *work)
{
  const KgTransform *t = &work->camera.transform;
  const KgLight head = { .kind = KG_LIGHT_DIRECTIONAL,
                         .direction = { -t->m[0][2], -t->m[1][2], -t->m[2][2] },
                         .color = { 1, 1, 1, 1 },
                         .intensity = 0.85 };
  const KgLight ambient = { .kind = KG_LIGHT_AMBIENT, .color = { 1, 1, 1, 1 }, .intensity = 0.15 };

  for (guint i = 0; i < kg_scene_get_n_lights (work->scene); i++)
    g_array_append_vals (work->lights, kg_scene_get_light (work->scene, i), 1);
  if (work->lights->len == 0) {
    g_array_append_val (work->lights, head);
    g_array_append_val (work->lights, ambient);
  }
}

/* Shading. */

/* What is left of a lamp's light after a distance.  It stops growing at a thousandth of the distance where it has its
 * intensity: a lamp is not a point, and what it stands in is not infinitely bright. */
static double
scene_falloff (const KgLight *light, double distance)
{
  const double share = light->distance / fmax (distance, 1e-3 * light->distance);

  return light->falloff == KG_FALLOFF_LINEAR ? share : share * share;
}

static void
scene_light (const SceneWork *work, const KgMaterial *material, const float normal[3], const float position[3],
             float color[4])
{
  const KgTransform *t = &work->camera.transform;
  const KgVector p = { (double) position[0], (double) position[1], (double) position[2] };
  const KgVector eye =
      work->camera.orthographic
          ? kg_vector (t->m[0][2], t->m[1][2], t->m[2][2])
          : kg_vector_normalize_or (kg_vector_subtract (kg_vector (t->m[0][3], t->m[1][3], t->m[2][3]), p),
                                    kg_vector (0, 0, 1));
  KgVector n = kg_vector_normalize_or (kg_vector ((double) normal[0], (double) normal[1], (double) normal[2]), eye);
  double sum[3] = { 0, 0, 0 }, shine[3] = { 0, 0, 0 };

  /* Both sides of a surface are lit. */
  if (kg_vector_dot (n, eye) < 0)
    n = kg_vector_scale (n, -1);
  for (guint i = 0; i < work->lights->len; i++) {
    const KgLight *light = &g_array_index (work->lights, KgLight, i);
    const double *rgb = &light->color.r;
    KgVector to_light;
    double cosine, highlight = 0, intensity = light->intensity;

    if (light->kind == KG_LIGHT_AMBIENT) {
      for (int c = 0; c < 3; c++)
        sum[c] += material->ambient * light->intensity * rgb[c];
      continue;
    }
    to_light = light->kind == KG_LIGHT_DIRECTIONAL ? kg_vector_scale (light->direction, -1)
                                                   : kg_vector_subtract (light->position, p);
    if (light->kind == KG_LIGHT_POINT && light->falloff != KG_FALLOFF_NONE)
      intensity *= scene_falloff (light, kg_vector_length (to_light));
    to_light = kg_vector_normalize_or (to_light, n);
    cosine = kg_vector_dot (n, to_light);
    if (cosine <= 0)
      continue;
    if (material->specular > 0) {
      const KgVector mirror = kg_vector_subtract (kg_vector_scale (n, 2 * cosine), to_light);

      highlight = material->specular * pow (fmax (0, kg_vector_dot (mirror, eye)), material->shininess);
    }
    for (int c = 0; c < 3; c++) {
      sum[c] += material->diffuse * cosine * intensity * rgb[c];
      shine[c] += highlight * intensity * rgb[c];
    }
  }
  for (int c = 0; c < 3; c++)
    color[c] = (float) ((double) color[c] * sum[c] + shine[c]);
}

static void
scene_shade_sample (gconstpointer data, uint32_t material, const float normal[3], const float position[3],
                    float color[4])
{
  const SceneWork *work = (const SceneWork *) data;

  scene_light (work, &g_array_index (work->materials, KgMaterial, material), normal, position, color);
}

/* Projection and clipping: corners are carried in camera space (x, y, z with -z ahead). */

typedef struct {
  double at[3];   /* camera space */
  RasterVertex v; /* attributes */
} Corner;

/* Signed distances from the planes that bound what can be drawn: near, far, and a wide guard around the picture. */
static double
scene_plane (const SceneWork *work, const Corner *c, int plane)
{
  const double depth = -c->at[2], guard = 0.4 * RASTER_GUARD / work->focal;
  const double reach = work->camera.orthographic ? guard : guard * depth;

  switch (plane) {
  case 0:
    return depth - work->camera.near_plane;
  case 1:
    return work->camera.far_plane - depth;
  case 2:
    return reach - c->at[0];
  case 3:
    return reach + c->at[0];
  case 4:
    return reach - c->at[1];
  default:
    return reach + c->at[1];
  }
}

static Corner
scene_mix (const Corner *a, const Corner *b, double t)
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
scene_clip (const SceneWork *work, Corner *corners, guint n)
{
  Corner out[16];

  for (int plane = 0; plane < 6 && n > 0; plane++) {
    guint m = 0, inside = 0;

    for (guint i = 0; i < n; i++)
      inside += scene_plane (work, &corners[i], plane) >= 0;
    if (inside == n)
      continue;
    for (guint i = 0; i < n && m + 2 <= G_N_ELEMENTS (out); i++) {
      const Corner *a = &corners[i], *b = &corners[(i + 1) % n];
      const double da = scene_plane (work, a, plane), db = scene_plane (work, b, plane);

      if (da >= 0)
        out[m++] = *a;
      if ((da >= 0) != (db >= 0))
        out[m++] = scene_mix (a, b, da / (da - db));
    }
    n = m;
    memcpy (corners, out, n * sizeof *out);
  }
  return n;
}

static uint32_t
scene_project (SceneWork *work, const Corner *corner, float bias)
{
  const int samples = work->raster.samples;
  const double depth = -corner->at[2], scale = work->camera.orthographic ? work->focal : work->focal / depth;
  RasterVertex v = corner->v;

  v.x = (float) (0.5 * work->raster.width * samples + scale * corner->at[0]);
  v.y = (float) (0.5 * work->raster.height * samples - scale * corner->at[1]);
  v.nearness = work->camera.orthographic ? (float) -depth / bias : (float) (1 / depth) * bias;
  v.inverse = work->camera.orthographic ? 1 : (float) (1 / depth);
  g_array_append_val (work->raster.vertices, v);
  return work->raster.vertices->len - 1;
}

/* A triangle: whole ones share their vertices' work, cut ones become fans. */
static void
scene_add_triangle (SceneWork *work, const Corner *a, const Corner *b, const Corner *c, uint32_t material, float bias)
{
  const bool clear = a->v.color[3] < 1 || b->v.color[3] < 1 || c->v.color[3] < 1;
  GArray *list = clear ? work->raster.transparent : work->raster.triangles;
  Corner corners[16] = { *a, *b, *c };
  const guint n = scene_clip (work, corners, 3);
  uint32_t first, before;

  if (n < 3)
    return;
  first = scene_project (work, &corners[0], bias);
  before = scene_project (work, &corners[1], bias);
  for (guint i = 2; i < n; i++) {
    const uint32_t next = scene_project (work, &corners[i], bias);
    const RasterTriangle triangle = { { first, before, next }, material };

    g_array_append_val (list, triangle);
    before = next;
  }
}

/* Objects. */

typedef struct {
  SceneWork *work;
  const KgObject *object;
  const KgGeometry *geometry;
  const float *p, *normals, *color, *primitive_color, *width;
  guint color_size, primitive_color_size;
  KgTransform to_camera;
  uint32_t material; /* RASTER_LIT unless shaded at each sample */
} ObjectWork;

static void
scene_find_colors (const KgGeometry *geometry, KgDomain domain, const float **color, guint *size)
{
  *size = 4;
  *color = kg_geometry_get_float (geometry, domain, "Cd", 4);
  if (*color == NULL) {
    *size = 3;
    *color = kg_geometry_get_float (geometry, domain, "Cd", 3);
  }
}

static void
scene_set_color (const ObjectWork *o, size_t point, size_t primitive, float out[4])
{
  const double *base = &o->object->material.color.r;
  const float *c = o->primitive_color != NULL ? o->primitive_color + o->primitive_color_size * primitive
                   : o->color != NULL         ? o->color + o->color_size * point
                                              : NULL;
  const guint size = o->primitive_color != NULL ? o->primitive_color_size : o->color_size;

  for (guint i = 0; i < 4; i++)
    out[i] = (float) base[i] * (c != NULL && i < size ? c[i] : 1);
}

static Corner
scene_make_corner (const ObjectWork *o, KgVector p)
{
  Corner corner = { .at = { 0, 0, 0 } };
  const KgVector world = kg_transform_point (o->object->transform, p), at = kg_transform_point (o->to_camera, p);

  for (int c = 0; c < 3; c++) {
    corner.at[c] = (&at.x)[c];
    corner.v.position[c] = (float) (&world.x)[c];
  }
  return corner;
}

static KgVector
scene_point (const ObjectWork *o, size_t i)
{
  return kg_vector ((double) o->p[3 * i], (double) o->p[3 * i + 1], (double) o->p[3 * i + 2]);
}

/* The normal of a polygon in the world (Newell), from its corners' positions. */
static KgVector
scene_polygon_normal (const Corner *corners, guint n)
{
  KgVector sum = { 0, 0, 0 };

  for (guint i = 0; i < n; i++) {
    const float *a = corners[i].v.position, *b = corners[(i + 1) % n].v.position;

    sum.x += ((double) a[1] - (double) b[1]) * ((double) a[2] + (double) b[2]);
    sum.y += ((double) a[2] - (double) b[2]) * ((double) a[0] + (double) b[0]);
    sum.z += ((double) a[0] - (double) b[0]) * ((double) a[1] + (double) b[1]);
  }
  return kg_vector_normalize_or (sum, kg_vector (0, 0, 0));
}

static double
scene_turn (const Corner *a, const Corner *b, const Corner *c, int u, int v)
{
  const float *p = a->v.position, *q = b->v.position, *r = c->v.position;

  return ((double) q[u] - (double) p[u]) * ((double) r[v] - (double) p[v]) -
         ((double) q[v] - (double) p[v]) * ((double) r[u] - (double) p[u]);
}

/* Cuts off ears, seen along the main direction of the normal; convex polygons give a fan in one round. */
static void
scene_add_polygon (const ObjectWork *o, const Corner *corners, guint n, KgVector normal)
{
  const double nx = fabs (normal.x), ny = fabs (normal.y), nz = fabs (normal.z);
  const int drop = nx >= ny && nx >= nz ? 0 : ny >= nz ? 1 : 2;
  const double sign = (&normal.x)[drop] < 0 ? -1 : 1;
  const int u = (drop + 1) % 3, v = (drop + 2) % 3;
  g_autofree guint *left = g_new (guint, n);
  guint count = n, at = 0, tries = 0;

  for (guint i = 0; i < n; i++)
    left[i] = i;
  while (count > 3 && tries < count) {
    const guint a = left[at % count], b = left[(at + 1) % count], c = left[(at + 2) % count];
    bool ear = sign * scene_turn (&corners[a], &corners[b], &corners[c], u, v) > 0;

    for (guint i = 3; ear && i < count; i++) {
      const Corner *p = &corners[left[(at + i) % count]];

      ear = !(sign * scene_turn (&corners[a], &corners[b], p, u, v) >= 0 &&
              sign * scene_turn (&corners[b], &corners[c], p, u, v) >= 0 &&
              sign * scene_turn (&corners[c], &corners[a], p, u, v) >= 0);
    }
    if (!ear) {
      at++;
      tries++;
      continue;
    }
    scene_add_triangle (o->work, &corners[a], &corners[b], &corners[c], o->material, 1);
    memmove (left + (at + 1) % count, left + (at + 1) % count + 1, (count - (at + 1) % count - 1) * sizeof *left);
    if ((at + 1) % count < at % count)
      at--;
    count--;
    at %= count;
    tries = 0;
  }
  /* What is left is one triangle, or crosses itself: a fan shows it. */
  for (guint i = 2; i < count; i++)
    scene_add_triangle (o->work, &corners[left[0]], &corners[left[i - 1]], &corners[left[i]], o->material, 1);
}

/* A ribbon from a to b that faces the camera. */
static void
scene_add_ribbon (const ObjectWork *o, const Corner *a, const Corner *b, double wa, double wb, float bias)
{
  const bool flat = o->work->camera.orthographic;
  const KgVector p = { a->at[0], a->at[1], a->at[2] }, q = { b->at[0], b->at[1], b->at[2] };
  const KgVector along = kg_vector_subtract (q, p), sight = flat ? kg_vector (0, 0, 1) : kg_vector_lerp (p, q, 0.5);
  const KgVector side = kg_vector_normalize_or (kg_vector_cross (along, sight), kg_vector (0, 0, 0));
  Corner corners[4] = { *a, *a, *b, *b };

  for (int c = 0; c < 3; c++) {
    corners[0].at[c] += 0.5 * wa * (&side.x)[c];
    corners[1].at[c] -= 0.5 * wa * (&side.x)[c];
    corners[2].at[c] -= 0.5 * wb * (&side.x)[c];
    corners[3].at[c] += 0.5 * wb * (&side.x)[c];
  }
  scene_add_triangle (o->work, &corners[0], &corners[1], &corners[2], RASTER_LIT, bias);
  scene_add_triangle (o->work, &corners[0], &corners[2], &corners[3], RASTER_LIT, bias);
}

/* A wire about a pixel and a half wide, wherever it is. */
static void
scene_add_wire (const ObjectWork *o, const Corner *a, const Corner *b)
{
  const double *rgba = &o->object->material.wire_color.r;
  const double thickness = 1.4 * o->work->raster.samples / o->work->focal;
  const bool flat = o->work->camera.orthographic;
  Corner ends[] = { *a, *b };

  for (int i = 0; i < 2; i++)
    for (int c = 0; c < 4; c++)
      ends[i].v.color[c] = (float) rgba[c];
  scene_add_ribbon (o, &ends[0], &ends[1], flat ? thickness : thickness * fmax (-a->at[2], 0),
                    flat ? thickness : thickness * fmax (-b->at[2], 0), SCENE_BIAS);
}

static void
scene_draw_polygon (const ObjectWork *o, size_t index, const KgPrimitive *primitive, Corner *corners)
{
  const KgMaterial *material = &o->object->material;
  const guint n = MIN (primitive->n_vertices, SCENE_MAX_CORNERS);
  KgVector normal;

  for (guint i = 0; i < n; i++) {
    corners[i] = scene_make_corner (o, scene_point (o, primitive->vertices[i]));
    scene_set_color (o, primitive->vertices[i], index, corners[i].v.color);
  }
  normal = scene_polygon_normal (corners, n);
  for (guint i = 0; i < n; i++) {
    const float *given = o->normals != NULL ? o->normals + 3 * (size_t) primitive->vertices[i] : NULL;

    for (int c = 0; c < 3; c++)
      corners[i].v.normal[c] = material->shading != KG_SHADE_FLAT && given != NULL ? given[c] : (float) (&normal.x)[c];
    if (material->shading == KG_SHADE_GOURAUD)
      scene_light (o->work, material, corners[i].v.normal, corners[i].v.position, corners[i].v.color);
  }
  if (material->shading == KG_SHADE_FLAT) {
    /* One light for the whole face, from its middle. */
    float middle[3] = { 0, 0, 0 };

    for (guint i = 0; i < n; i++)
      for (int c = 0; c < 3; c++)
        middle[c] += corners[i].v.position[c] / (float) n;
    for (guint i = 0; i < n; i++)
      scene_light (o->work, material, corners[0].v.normal, middle, corners[i].v.color);
  }
  scene_add_polygon (o, corners, n, normal);
  for (guint i = 0; material->wireframe && i < n; i++)
    scene_add_wire (o, &corners[i], &corners[(i + 1) % n]);
}

static double
scene_width (const ObjectWork *o, size_t point)
{
  return o->width != NULL ? (double) o->width[point] : o->object->material.width;
}

static void
scene_draw_line (const ObjectWork *o, size_t index, const KgPrimitive *primitive)
{
  const uint32_t n = primitive->n_vertices;

  for (uint32_t i = 0; i + 1 < n + (primitive->closed ? 1 : 0); i++) {
    const size_t a = primitive->vertices[i], b = primitive->vertices[(i + 1) % n];
    Corner p = scene_make_corner (o, scene_point (o, a)), q = scene_make_corner (o, scene_point (o, b));

    scene_set_color (o, a, index, p.v.color);
    scene_set_color (o, b, index, q.v.color);
    scene_add_ribbon (o, &p, &q, scene_width (o, a), scene_width (o, b), 1);
  }
}

static bool
scene_draw_spline (const ObjectWork *o, size_t index, const KgPrimitive *primitive, GError **error)
{
  g_autoptr (Curve) curve = curve_new (o->geometry, index, error);
  const guint steps = 16;
  Corner before;

  if (curve == NULL)
    return false;
  for (guint i = 0; i <= steps * curve_get_n_segments (curve); i++) {
    Corner at = scene_make_corner (o, curve_evaluate (curve, (double) i / steps, 0));

    scene_set_color (o, primitive->vertices[0], index, at.v.color);
    if (i > 0)
      scene_add_ribbon (o, &before, &at, scene_width (o, primitive->vertices[0]),
                        scene_width (o, primitive->vertices[0]), 1);
    before = at;
  }
  return true;
}

/* Loose points as discs that face the camera. */
static void
scene_draw_points (const ObjectWork *o)
{
  const size_t n = kg_geometry_get_n_points (o->geometry);
  g_autofree uint8_t *used = g_new0 (uint8_t, MAX (n, 1));

  for (size_t i = 0; i < kg_geometry_get_n_primitives (o->geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (o->geometry, i, &primitive);
    for (uint32_t k = 0; k < primitive.n_vertices; k++)
      used[primitive.vertices[k]] = 1;
  }
  for (size_t i = 0; i < n; i++) {
    enum { SIDES = 10 };
    const double radius = 0.5 * scene_width (o, i);
    Corner center, rim[SIDES];

    if (used[i] || !(radius > 0))
      continue;
    center = scene_make_corner (o, scene_point (o, i));
    scene_set_color (o, i, 0, center.v.color);
    for (int k = 0; k < SIDES; k++) {
      rim[k] = center;
      rim[k].at[0] += radius * cos (2 * KG_PI * k / SIDES);
      rim[k].at[1] += radius * sin (2 * KG_PI * k / SIDES);
    }
    for (int k = 0; k < SIDES; k++)
      scene_add_triangle (o->work, &center, &rim[k], &rim[(k + 1) % SIDES], RASTER_LIT, 1);
  }
}

static bool
scene_draw_object (SceneWork *work, const KgObject *object, GError **error)
{
  g_autoptr (KgGeometry) geometry = kg_geometry_ref (object->geometry);
  g_autofree Corner *corners = g_new (Corner, SCENE_MAX_CORNERS);
  ObjectWork o = { .work = work, .object = object, .material = RASTER_LIT };
  const bool smooth = object->material.shading == KG_SHADE_GOURAUD || object->material.shading == KG_SHADE_PHONG;

  if (smooth && kg_geometry_get_float (geometry, KG_POINTS, "N", 3) == NULL) {
    kg_geometry_make_writable (&geometry);
    kg_geometry_compute_normals (geometry);
  }
  kg_geometry_make_writable (&geometry);
  /* Normals go along into the world; places are transformed corner by corner, in double precision. */
  if (smooth) {
    g_autoptr (KgGeometry) turned = kg_geometry_ref (geometry);
    const float *normals;

    kg_geometry_make_writable (&turned);
    kg_geometry_transform (turned, &object->transform);
    normals = kg_geometry_get_float (turned, KG_POINTS, "N", 3);
    memcpy (kg_geometry_edit_float (geometry, KG_POINTS, "N", 3), normals,
            3 * kg_geometry_get_n_points (geometry) * sizeof (float));
  }
  o.geometry = geometry;
  o.p = kg_geometry_get_positions (geometry);
  o.normals = smooth ? kg_geometry_get_float (geometry, KG_POINTS, "N", 3) : NULL;
  o.width = kg_geometry_get_float (geometry, KG_POINTS, "width", 1);
  scene_find_colors (geometry, KG_POINTS, &o.color, &o.color_size);
  scene_find_colors (geometry, KG_PRIMITIVES, &o.primitive_color, &o.primitive_color_size);
  o.to_camera = kg_transform_multiply (work->view, object->transform);
  if (object->material.shading == KG_SHADE_PHONG) {
    o.material = work->materials->len;
    g_array_append_val (work->materials, object->material);
  }
  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.kind == KG_POLYGON && primitive.n_vertices >= 3)
      scene_draw_polygon (&o, i, &primitive, corners);
    else if (primitive.kind == KG_POLYLINE)
      scene_draw_line (&o, i, &primitive);
    else if (primitive.kind == KG_SPLINE && !scene_draw_spline (&o, i, &primitive, error))
      return false;
  }
  scene_draw_points (&o);
  return true;
}

static KgScene *
scene_join (KgList list)
{
  KgScene *all = kg_scene_new ();

  for (guint i = 0; i < list.n; i++)
    kg_scene_append (all, list.items[i].scene);
  return all;
}

/* One moment; standard: the camera of a scene without one. */
static KgImage *
scene_draw (const Scene *n, const KgContext *ctx, const KgScene *all, const KgCamera *standard, GError **error)
{
  static const int samples[] = { 1, 2, 4, 8 };
  g_autoptr (KgImage) image = kg_image_new (n->width, n->height, true, error);
  SceneWork work = { .node = n,
                     .scene = all,
                     .camera = kg_scene_get_n_cameras (all) > 0 ? *kg_scene_get_camera (all, 0) : *standard };
  bool good;

  if (image == NULL)
    return NULL;
  if (!(work.camera.near_plane > 0) || !(work.camera.far_plane > work.camera.near_plane) ||
      !kg_transform_invert (work.camera.transform, &work.view)) {
    g_set_error (error, KG_ERROR, KG_ERROR_DEGENERATE,
                 "the camera sees from %g to %g metres: near must be above 0 and below far, and its transform not flat",
                 work.camera.near_plane, work.camera.far_plane);
    return NULL;
  }
  raster_init (&work.raster, (int) n->width, (int) n->height, samples[n->antialias], work.camera.orthographic);
  work.focal = (double) (n->height * work.raster.samples) /
               (work.camera.orthographic ? work.camera.height : 2 * tan (0.5 * work.camera.fov));
  work.materials = g_array_new (FALSE, FALSE, sizeof (KgMaterial));
  work.lights = g_array_new (FALSE, FALSE, sizeof (KgLight));
  work.raster.shade = scene_shade_sample;
  work.raster.shade_data = &work;
  scene_find_lights (&work);
  good = true;
  for (guint i = 0; good && i < kg_scene_get_n_objects (all); i++)
    good = !kg_context_is_cancelled (ctx) && scene_draw_object (&work, kg_scene_get_object (all, i), error);
  good = good && raster_draw (&work.raster, n->background, image, error);
  raster_clear (&work.raster);
  g_array_unref (work.materials);
  g_array_unref (work.lights);
  return good ? g_steal_pointer (&image) : NULL;
}

static bool
scene_demand (const Scene *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  (void) error;
  for (int64_t i = 0; i < n->blur; i++) {
    const double t = n->blur > 1 ? ((double) i + 0.5) / (double) n->blur - 0.5 : 0;

    kg_demand_at (demand, offsetof (Scene, scenes), ctx->time + t * n->shutter / ctx->rate);
  }
  return true;
}

/* Adds a moment's share to the picture.  Its depth is that of the nearest thing seen at any moment, as it is the nearest
 * of all samples of a pixel: whatever the picture shows a trace of has a distance. */
static void
scene_add_moment (KgImage *image, const KgImage *moment, float share, bool first)
{
  const size_t n = (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image);
  const float *restrict pixels = kg_image_get_pixels (moment), *restrict distance = kg_image_get_depth (moment);
  float *restrict sum = kg_image_edit_pixels (image), *restrict depth = kg_image_edit_depth (image);

#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++) {
    for (size_t c = 4 * i; c < 4 * i + 4; c++)
      sum[c] = (first ? 0 : sum[c]) + share * pixels[c];
    depth[i] = first || distance[i] < depth[i] ? distance[i] : depth[i];
  }
}

static bool
scene_evaluate (Scene *n, const KgContext *ctx, GError **error)
{
  const guint moments = kg_context_get_n_samples (ctx, offsetof (Scene, scenes));
  g_autoptr (GPtrArray) scenes = g_ptr_array_new_with_free_func ((GDestroyNotify) kg_scene_unref);
  SceneBounds bounds = { .any = false };
  KgCamera standard;

  /* One standard camera for as long as the shutter is open: framed anew at each moment, nothing would move. */
  for (guint i = 0; i < moments; i++) {
    KgScene *scene = scene_join (kg_context_get_list (ctx, offsetof (Scene, scenes), i));

    g_ptr_array_add (scenes, scene);
    scene_add_bounds (&bounds, scene);
  }
  standard = scene_frame_camera (&bounds);
  if (moments > 1 && (n->image = kg_image_new (n->width, n->height, true, error)) == NULL)
    return false;
  for (guint i = 0; i < moments; i++) {
    g_autoptr (KgImage) moment = scene_draw (n, ctx, g_ptr_array_index (scenes, i), &standard, error);

    if (moment == NULL)
      return false;
    if (moments > 1)
      scene_add_moment (n->image, moment, 1 / (float) moments, i == 0);
    else
      n->image = g_steal_pointer (&moment);
    kg_context_progress (ctx, (double) (i + 1) / moments);
  }
  return true;
}

static const KgSlot scene_slots[] = {
  KG_INPUTS (
      Scene, scenes, SCENE, .label = N_ ("Scenes"), .optional = true,
      .help = N_ ("Objects, lights and a camera. The first camera counts; without one everything is in view, for as "
                  "long as the shutter is open.")),
  KG_INPUT (Scene, width, INTEGER, .label = N_ ("Width"), .unit = KG_PIXELS, .early = true, .def = 640, .min = 1,
            .max = 16384, .soft_max = 3840, .help = N_ ("Of the picture.")),
  KG_INPUT (Scene, height, INTEGER, .label = N_ ("Height"), .unit = KG_PIXELS, .early = true, .def = 360, .min = 1,
            .max = 16384, .soft_max = 2160, .help = N_ ("Of the picture.")),
  KG_INPUT (Scene, background, COLOR, .label = N_ ("Background"), .def_v = { 0, 0, 0, 0 },
            .help = N_ ("Behind everything; transparent by default.")),
  KG_INPUT (Scene, antialias, CHOICE, .label = N_ ("Smoothing"), .choices = scene_antialias, .def = 1,
            .help = N_ ("Samples in each pixel: more give smoother edges and take longer.")),
  KG_INPUT (Scene, shutter, NUMBER, .label = N_ ("Shutter"), .unit = KG_FRAMES, .early = true, .def = 0.5, .min = 0,
            .max = 10, .soft_max = 1, .group = N_ ("Motion blur"), .help = N_ ("How long it is open.")),
  KG_INPUT (Scene, blur, INTEGER, .label = N_ ("Samples"), .early = true, .def = 1, .min = 1, .max = 256,
            .soft_max = 32, .group = N_ ("Motion blur"),
            .help = N_ ("Moments looked at while the shutter is open. 1 is a sharp picture, 8 and more blur.")),
  KG_OUTPUT (
      Scene, image, IMAGE, .label = N_ ("Image"),
      .help = N_ ("The picture, with the distance of everything in it: of the nearest thing that each pixel shows at "
                  "any moment the shutter is open.")),
};

KG_NODE_WITH_DEMAND (
    render, scene, Scene, .label = N_ ("Render Scene"), .version = 2, .since = "0.1",
    .tags = N_ ("3d camera light shade phong gouraud wireframe z-buffer picture depth"),
    .help = N_ ("Makes a picture of solid things: surfaces lit by lights, hidden by what is nearer, seen "
                "through a camera. Lines become ribbons and points discs that face the camera."));
