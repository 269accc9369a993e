/* shadow_pair: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/shadow_pair.h"

#include "geometry/convex_hull.h"
#include "kg-math.h"

/* Shares of the size of the receiver: how far from a plane points may lie in it, and how near to it a caster touches it. */
#define FLAT 1e-5
#define NEAR 1e-6
/* Sine of the angle to a plane below which light passes along it. */
#define ALONG 1e-6

/* Points p with normal·p >= offset are kept. */
typedef struct {
  KgVector normal;
  double offset;
} HalfSpace;

static double
get_height (const HalfSpace *space, KgVector p)
{
  return kg_vector_dot (space->normal, p) - space->offset;
}

static KgVector
get_place (const KgGeometry *geometry, uint32_t i)
{
  const float *p = kg_geometry_get_positions (geometry) + 3 * (size_t) i;

  return kg_vector ((double) p[0], (double) p[1], (double) p[2]);
}

/* corners: KgVector, of a convex or simple polygon. */
static void
clip_corners (GArray **corners, GArray **spare, const HalfSpace *space)
{
  const guint n = (*corners)->len;
  GArray *kept = *spare;

  g_array_set_size (kept, 0);
  for (guint i = 0; i < n; i++) {
    const KgVector a = g_array_index (*corners, KgVector, i), b = g_array_index (*corners, KgVector, (i + 1) % n);
    const double ha = get_height (space, a), hb = get_height (space, b);

    if (ha >= 0)
      g_array_append_val (kept, a);
    if ((ha >= 0) != (hb >= 0)) {
      const KgVector cut = kg_vector_lerp (a, b, ha / (ha - hb));

      g_array_append_val (kept, cut);
    }
  }
  *spare = *corners;
  *corners = kept;
}

/* (transfer full) (nullable) The polygons of a geometry within all half-spaces. */
static KgGeometry *
clip (const KgGeometry *geometry, const HalfSpace *spaces, guint n, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (KgGeometry) out = kg_geometry_new ();
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, 3 * sizeof (float));
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  GArray *corners = g_array_new (FALSE, FALSE, sizeof (KgVector));
  GArray *spare = g_array_new (FALSE, FALSE, sizeof (KgVector));
  const size_t count = kg_geometry_get_n_primitives (geometry);
  bool good = true;
  guint at = 0;

  for (size_t i = 0; i < count && good; i++) {
    KgPrimitive primitive;

    good = i % 4096 != 0 || !kg_progress_is_cancelled (monitor);
    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.kind != KG_POLYGON)
      continue;
    g_array_set_size (corners, 0);
    for (uint32_t k = 0; k < primitive.n_vertices; k++) {
      const KgVector p = get_place (geometry, primitive.vertices[k]);

      g_array_append_val (corners, p);
    }
    for (guint k = 0; k < n && corners->len > 0; k++)
      clip_corners (&corners, &spare, &spaces[k]);
    if (corners->len < 3)
      continue;
    for (guint k = 0; k < corners->len; k++) {
      const KgVector p = g_array_index (corners, KgVector, k);
      const float place[] = { (float) p.x, (float) p.y, (float) p.z };
      const uint32_t index = points->len;

      g_array_append_val (points, place);
      g_array_append_val (indices, index);
    }
    g_array_append_val (sizes, corners->len);
  }
  g_array_unref (corners);
  g_array_unref (spare);
  if (!good || !kg_geometry_set_n_points (out, points->len, error))
    return NULL;
  if (points->len > 0)
    memcpy (kg_geometry_edit_positions (out), points->data, 3 * sizeof (float) * (size_t) points->len);
  for (guint i = 0; i < sizes->len; i++) {
    const uint32_t size = g_array_index (sizes, uint32_t, i);

    kg_geometry_add_primitives (out, KG_POLYGON, true, 1, size, &g_array_index (indices, uint32_t, at));
    at += size;
  }
  return g_steal_pointer (&out);
}

/* Newell 1972; its length is twice the area. */
static KgVector
find_normal (const KgVector *corners, guint n)
{
  KgVector sum = { 0 };

  for (guint i = 0; i < n; i++) {
    const KgVector a = kg_vector_subtract (corners[i], corners[0]);
    const KgVector b = kg_vector_subtract (corners[(i + 1) % n], corners[0]);

    sum = kg_vector_add (sum, kg_vector_cross (a, b));
  }
  return sum;
}

/* A convex patch of a plane; one_sided: which is dark anyway where it faces away from the light. */
static bool
add_patch (KgGeometry **shadow, const KgGeometry *caster, const KgVector *corners, guint n, bool one_sided,
           const PlanarShadow *light, const KgProgressMonitor *monitor, GError **error)
{
  const KgVector normal = find_normal (corners, n);
  const double size = sqrt (kg_vector_length (normal));
  PlanarShadow own = *light;
  g_autoptr (KgGeometry) front = NULL, whole = NULL, part = NULL;
  g_autofree HalfSpace *edges = g_new (HalfSpace, n);
  HalfSpace plane;
  KgVector towards;
  double side;

  if (!(size > 0))
    return true;
  own.point = corners[0];
  own.normal = kg_vector_normalize_or (normal, kg_vector (0, 0, 0));
  towards = light->kind == SHADOW_POINT ? kg_vector_subtract (light->light, own.point)
                                        : kg_vector_scale (light->light, -1);
  side = kg_vector_dot (own.normal, kg_vector_normalize_or (towards, kg_vector (0, 0, 0)));
  if (fabs (side) < ALONG || (one_sided && side < 0))
    return true;
  if (side < 0)
    own.normal = kg_vector_scale (own.normal, -1);
  for (guint i = 0; i < n; i++) {
    const KgVector along = kg_vector_subtract (corners[(i + 1) % n], corners[i]);

    /* Inwards, as normal turns around the corners. */
    edges[i].normal = kg_vector_normalize_or (kg_vector_cross (normal, along), kg_vector (0, 0, 0));
    edges[i].offset = kg_vector_dot (edges[i].normal, corners[i]);
  }
  plane.normal = own.normal;
  plane.offset = kg_vector_dot (own.normal, own.point) + NEAR * size;
  front = clip (caster, &plane, 1, monitor, error);
  if (front == NULL)
    return false;
  if (kg_geometry_get_n_primitives (front) == 0)
    return true;
  whole = planar_shadow_make (&own, front, monitor, error);
  part = whole != NULL ? clip (whole, edges, n, monitor, error) : NULL;
  return part != NULL && kg_geometry_append (*shadow, part, error);
}

/* (transfer full) (nullable) The convex outline of points in one plane; without error NULL where they are not in one. */
static GArray *
find_outline (const KgGeometry *receiver)
{
  const size_t n = kg_geometry_get_n_points (receiver), count = kg_geometry_get_n_primitives (receiver);
  g_autoptr (GArray) corners = g_array_new (FALSE, FALSE, sizeof (KgVector));
  KgVector normal = { 0 }, origin, u, v, low = { 0 }, high = { 0 };
  double size;

  if (n < 3)
    return NULL;
  origin = low = high = get_place (receiver, 0);
  for (size_t i = 0; i < n; i++) {
    const KgVector p = get_place (receiver, (uint32_t) i);

    low = kg_vector_min (low, p);
    high = kg_vector_max (high, p);
  }
  size = kg_vector_length (kg_vector_subtract (high, low));
  for (size_t i = 0; i < count && kg_vector_length (normal) <= 1e-9 * size * size; i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (receiver, i, &primitive);
    g_array_set_size (corners, 0);
    for (uint32_t k = 0; k < primitive.n_vertices; k++) {
      const KgVector p = get_place (receiver, primitive.vertices[k]);

      g_array_append_val (corners, p);
    }
    if (primitive.kind == KG_POLYGON && corners->len >= 3)
      normal = find_normal ((const KgVector *) (const void *) corners->data, corners->len);
  }
  if (!(kg_vector_length (normal) > 0))
    return NULL;
  normal = kg_vector_normalize_or (normal, kg_vector (0, 0, 0));
  u = kg_vector_perpendicular (normal);
  v = kg_vector_cross (normal, u);
  {
    g_autofree double (*places)[2] = (double (*)[2]) g_new (double, 2 * n);
    g_autofree uint32_t *hull = g_new (uint32_t, n + 1);
    size_t n_hull;

    for (size_t i = 0; i < n; i++) {
      const KgVector p = kg_vector_subtract (get_place (receiver, (uint32_t) i), origin);

      if (fabs (kg_vector_dot (p, normal)) > FLAT * size)
        return NULL;
      places[i][0] = kg_vector_dot (p, u);
      places[i][1] = kg_vector_dot (p, v);
    }
    n_hull = convex_hull_of_plane ((const double (*)[2]) places, n, hull);
    g_array_set_size (corners, 0);
    for (size_t i = 0; i < n_hull; i++) {
      const KgVector p = get_place (receiver, hull[i]);

      g_array_append_val (corners, p);
    }
  }
  return corners->len >= 3 ? g_steal_pointer (&corners) : NULL;
}

bool
shadow_pair_add (KgGeometry **shadow, const KgGeometry *caster, const KgGeometry *receiver, const PlanarShadow *light,
                 const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (GArray) outline = find_outline (receiver);
  const size_t count = outline != NULL ? 1 : kg_geometry_get_n_primitives (receiver);
  g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (KgVector));

  kg_geometry_make_writable (shadow);
  for (size_t i = 0; i < count; i++) {
    const GArray *corners = outline != NULL ? outline : own;

    if (outline == NULL) {
      KgPrimitive primitive;

      kg_geometry_get_primitive (receiver, i, &primitive);
      g_array_set_size (own, 0);
      for (uint32_t k = 0; primitive.kind == KG_POLYGON && k < primitive.n_vertices; k++) {
        const KgVector p = get_place (receiver, primitive.vertices[k]);

        g_array_append_val (own, p);
      }
    }
    if (corners->len >= 3 && !add_patch (shadow, caster, (const KgVector *) (const void *) corners->data, corners->len,
                                         outline == NULL, light, monitor, error))
      return false;
  }
  return true;
}
