/* planar_shadow: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/planar_shadow.h"

#include "geometry/convex_hull.h"
#include "kg-error.h"
#include "kg-floats.h"

/* A point this much of the light's height below it has a shadow that is far away, but not at infinity. */
#define BELOW_LIGHT 1e-3
#define DISC_SEGMENTS 48
#define DISC_RINGS 16

static double
get_height (const PlanarShadow *shadow, KgVector p)
{
  return kg_vector_dot (shadow->normal, kg_vector_subtract (p, shadow->point));
}

KgVector
planar_shadow_project (const PlanarShadow *shadow, KgVector p)
{
  const double h = get_height (shadow, p);

  switch (shadow->kind) {
  case SHADOW_POINT: {
    const double high = get_height (shadow, shadow->light);

    p = kg_vector_add_scaled (shadow->light, high / (high - h), kg_vector_subtract (p, shadow->light));
    break;
  }
  case SHADOW_PARALLEL:
    p = kg_vector_add_scaled (p, -h / kg_vector_dot (shadow->normal, shadow->light), shadow->light);
    break;
  default:
    p = kg_vector_add_scaled (p, -h, shadow->normal);
  }
  return kg_vector_add_scaled (p, shadow->lift, shadow->normal);
}

static bool
check_light (const PlanarShadow *shadow, GError **error)
{
  if (shadow->kind == SHADOW_POINT && !(get_height (shadow, shadow->light) > 1e-9)) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "the light is %g m above the ground: move it above what casts the shadow",
                  get_height (shadow, shadow->light));
    return false;
  }
  if (shadow->kind == SHADOW_PARALLEL &&
      !(kg_vector_dot (shadow->normal, shadow->light) < -1e-6 * kg_vector_length (shadow->light))) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the light does not shine down on the ground: turn its direction downwards");
    return false;
  }
  return true;
}

typedef struct {
  const PlanarShadow *shadow;
  const KgGeometry *caster;
  KgGeometry *out;
  double top;     /* points above have no shadow */
  GArray *points; /* KgVector: cut corners, after those of the caster */
} Work;

static KgVector
get_point (const Work *work, uint32_t i)
{
  const size_t n = kg_geometry_get_n_points (work->caster);
  const float *p = kg_geometry_get_positions (work->caster);

  if (i >= n)
    return g_array_index (work->points, KgVector, i - n);
  return kg_floats_get_vector (p, i);
}

static bool
is_below (const Work *work, uint32_t i)
{
  return get_height (work->shadow, get_point (work, i)) <= work->top;
}

/* Sutherland and Hodgman 1974, at the height of the light. */
static void
clip_polygon (Work *work, const KgPrimitive *polygon, GArray *corners)
{
  const size_t n = kg_geometry_get_n_points (work->caster);

  for (uint32_t i = 0; i < polygon->n_vertices; i++) {
    const uint32_t a = polygon->vertices[i], b = polygon->vertices[(i + 1) % polygon->n_vertices];

    if (is_below (work, a))
      g_array_append_val (corners, a);
    if (is_below (work, a) != is_below (work, b)) {
      const KgVector p = get_point (work, a), q = get_point (work, b);
      const double hp = get_height (work->shadow, p), hq = get_height (work->shadow, q);
      const KgVector cut = kg_vector_lerp (p, q, (work->top - hp) / (hq - hp));
      const uint32_t index = (uint32_t) (n + work->points->len);

      g_array_append_val (work->points, cut);
      g_array_append_val (corners, index);
    }
  }
}

/* The area of a polygon's shadow, positive where it turns around the plane's normal as seen from above. */
static double
get_area (const Work *work, const uint32_t *corners, guint n)
{
  const KgVector origin = planar_shadow_project (work->shadow, get_point (work, corners[0]));
  KgVector sum = { 0 };

  for (guint i = 1; i + 1 < n; i++) {
    const KgVector a = kg_vector_subtract (planar_shadow_project (work->shadow, get_point (work, corners[i])), origin);
    const KgVector b =
        kg_vector_subtract (planar_shadow_project (work->shadow, get_point (work, corners[i + 1])), origin);

    sum = kg_vector_add (sum, kg_vector_cross (a, b));
  }
  return kg_vector_dot (sum, work->shadow->normal);
}

static void
add_primitive (Work *work, const KgPrimitive *primitive, GArray *corners)
{
  KgPrimitive copy = *primitive;

  g_array_set_size (corners, 0);
  if (primitive->kind == KG_POLYGON) {
    clip_polygon (work, primitive, corners);
    copy.n_vertices = corners->len;
    copy.vertices = (const uint32_t *) (const void *) corners->data;
    if (corners->len < 3 || (work->shadow->sides == SHADOW_LIT && get_area (work, copy.vertices, corners->len) <= 0))
      return;
  } else
    for (uint32_t i = 0; i < primitive->n_vertices; i++)
      if (!is_below (work, primitive->vertices[i]))
        return;
  /* Cut corners get their places when all are known. */
  if (!kg_geometry_set_n_points (work->out, kg_geometry_get_n_points (work->caster) + work->points->len, NULL))
    return;
  kg_geometry_add_primitive (work->out, &copy);
}

/* One polygon around all points in the plane; without an area there is none. */
static void
make_outline (const PlanarShadow *shadow, KgGeometry *out)
{
  const size_t n = kg_geometry_get_n_points (out);
  const KgVector u = kg_vector_perpendicular (shadow->normal), v = kg_vector_cross (shadow->normal, u);
  const float *p = kg_geometry_get_positions (out);
  g_autofree double (*places)[2] = (double (*)[2]) g_new (double, 2 * n + 2);
  g_autofree uint32_t *corners = g_new (uint32_t, n + 1);
  g_autofree uint8_t *keep = g_new0 (uint8_t, n + 1);
  size_t count;

  for (size_t i = 0; i < n; i++) {
    const KgVector at = kg_floats_get_vector (p, i);

    places[i][0] = kg_vector_dot (at, u);
    places[i][1] = kg_vector_dot (at, v);
  }
  count = convex_hull_of_plane ((const double (*)[2]) places, n, corners);
  kg_geometry_clear_primitives (out);
  if (count >= 3)
    kg_geometry_add_primitives (out, KG_POLYGON, true, 1, (uint32_t) count, corners);
  for (size_t i = 0; i < count && count >= 3; i++)
    keep[corners[i]] = 1;
  kg_geometry_keep_points (out, keep);
}

KgGeometry *
planar_shadow_make (const PlanarShadow *shadow, const KgGeometry *caster, const KgProgressMonitor *monitor,
                    GError **error)
{
  const size_t n = kg_geometry_get_n_points (caster), count = kg_geometry_get_n_primitives (caster);
  g_autoptr (KgGeometry) out = kg_geometry_new ();
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (KgVector));
  g_autoptr (GArray) corners = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  Work work = { .shadow = shadow, .caster = caster, .out = out, .points = points, .top = INFINITY };
  g_autofree uint8_t *keep = NULL;
  size_t all;
  float *p;

  if (!check_light (shadow, error) || !kg_geometry_set_n_points (out, n, error))
    return NULL;
  if (shadow->kind == SHADOW_POINT)
    work.top = (1 - BELOW_LIGHT) * get_height (shadow, shadow->light);
  for (size_t i = 0; i < count; i++) {
    KgPrimitive primitive;

    if (i % 4096 == 0 && kg_progress_is_cancelled (monitor))
      return NULL;
    kg_geometry_get_primitive (caster, i, &primitive);
    add_primitive (&work, &primitive, corners);
  }
  all = n + points->len;
  if (!kg_geometry_set_n_points (out, all, error))
    return NULL;
  keep = g_new (uint8_t, all + 1);
  p = kg_geometry_edit_positions (out);
  for (size_t i = 0; i < all; i++) {
    KgVector at = kg_vector (0, 0, 0);

    keep[i] = is_below (&work, (uint32_t) i);
    if (keep[i])
      at = planar_shadow_project (shadow, get_point (&work, (uint32_t) i));
    for (size_t c = 0; c < 3; c++)
      p[3 * i + c] = (float) kg_clamp (kg_vector_get (at, c), -1e30, 1e30);
  }
  /* A cut corner is at the very height. */
  for (size_t i = n; i < all; i++)
    if (!keep[i]) {
      const KgVector at = planar_shadow_project (shadow, get_point (&work, (uint32_t) i));

      keep[i] = 1;
      for (size_t c = 0; c < 3; c++)
        p[3 * i + c] = (float) kg_clamp (kg_vector_get (at, c), -1e30, 1e30);
    }
  kg_geometry_keep_points (out, keep);
  if (shadow->sides == SHADOW_OUTLINE)
    make_outline (shadow, out);
  return (KgGeometry *) g_steal_pointer (&out);
}

double
planar_shadow_get_falloff (double softness, double r)
{
  const double from = 1 - kg_clamp (softness, 0, 1), t = from < 1 ? kg_clamp ((r - from) / (1 - from), 0, 1) : r >= 1;

  return 1 - t * t * (3 - 2 * t);
}

KgGeometry *
planar_shadow_make_disc (const PlanarShadow *shadow, const ShadowDisc *disc, KgColor color, const KgGeometry *caster,
                         GError **error)
{
  const size_t n = kg_geometry_get_n_points (caster);
  const float *p = kg_geometry_get_positions (caster);
  g_autoptr (KgGeometry) out = kg_geometry_new ();
  const KgVector u = kg_vector_perpendicular (shadow->normal), v = kg_vector_cross (shadow->normal, u);
  double low[3] = { INFINITY, INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, radius = 0, softness, opacity;
  KgVector centre;
  float *q, *rgba;

  if (n == 0)
    return (KgGeometry *) g_steal_pointer (&out);
  for (size_t i = 0; i < n; i++) {
    const KgVector at = kg_vector_subtract (kg_floats_get_vector (p, i), shadow->point);
    const double place[3] = { kg_vector_dot (at, u), kg_vector_dot (at, v), kg_vector_dot (at, shadow->normal) };

    for (int c = 0; c < 3; c++)
      low[c] = fmin (low[c], place[c]);
    for (int c = 0; c < 2; c++)
      high[c] = fmax (high[c], place[c]);
  }
  for (size_t i = 0; i < n; i++) {
    const KgVector at = kg_vector_subtract (kg_floats_get_vector (p, i), shadow->point);

    radius = fmax (radius, hypot (kg_vector_dot (at, u) - 0.5 * (low[0] + high[0]),
                                  kg_vector_dot (at, v) - 0.5 * (low[1] + high[1])));
  }
  low[2] = fmax (low[2], 0);
  radius *= 1 + disc->grow * low[2];
  softness = kg_clamp (disc->soft + disc->blur * low[2], 0, 1);
  opacity = kg_clamp (color.a, 0, 1) / (1 + fmax (disc->fade, 0) * low[2]);
  centre =
      kg_vector_add_scaled (kg_vector_add_scaled (kg_vector_add_scaled (shadow->point, 0.5 * (low[0] + high[0]), u),
                                                  0.5 * (low[1] + high[1]), v),
                            shadow->lift, shadow->normal);
  /* A fan around the centre, and quadrilaterals between rings.  No point is without a face: it would be drawn as a dot. */
  if (!kg_geometry_set_n_points (out, 1 + DISC_RINGS * DISC_SEGMENTS, error))
    return NULL;
  q = kg_geometry_edit_positions (out);
  rgba = kg_geometry_edit_float (out, KG_POINTS, "Cd", 4);
  for (size_t i = 0; i < 1 + DISC_RINGS * DISC_SEGMENTS; i++) {
    const double r = i == 0 ? 0 : (double) (1 + (i - 1) / DISC_SEGMENTS) / DISC_RINGS,
                 a = i == 0 ? 0 : 2 * KG_PI * (double) ((i - 1) % DISC_SEGMENTS) / DISC_SEGMENTS;
    const KgVector at =
        kg_vector_add_scaled (kg_vector_add_scaled (centre, radius * r * cos (a), u), radius * r * sin (a), v);
    const double shown[4] = { color.r, color.g, color.b, opacity * planar_shadow_get_falloff (softness, r) };

    for (size_t c = 0; c < 3; c++)
      q[3 * i + c] = (float) kg_clamp (kg_vector_get (at, c), -1e30, 1e30);
    for (size_t c = 0; c < 4; c++)
      rgba[4 * i + c] = (float) shown[c];
  }
  for (uint32_t i = 0; i < DISC_RINGS * DISC_SEGMENTS; i++) {
    /* On the ring outside. */
    const uint32_t at = 1 + i, next = 1 + i / DISC_SEGMENTS * DISC_SEGMENTS + (i + 1) % DISC_SEGMENTS;

    if (i < DISC_SEGMENTS)
      kg_geometry_add_primitives (out, KG_POLYGON, true, 1, 3, (const uint32_t[]){ 0, at, next });
    else
      kg_geometry_add_primitives (out, KG_POLYGON, true, 1, 4,
                                  (const uint32_t[]){ at - DISC_SEGMENTS, at, next, next - DISC_SEGMENTS });
  }
  return (KgGeometry *) g_steal_pointer (&out);
}
