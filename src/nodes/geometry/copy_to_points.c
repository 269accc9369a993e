/* geometry/copy_to_points: one copy of a geometry on each point of another.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/variants.h"
#include "kg-kernel.h"
#include "kg-floats.h"
#include "kg-node.h"
#include "kg-instance-places.h"

/* Most points of the result. */
#define COPY_MAX_POINTS 200000000

typedef struct {
  const KgGeometry *geometry;
  KgList variants;
  const KgGeometry *points;
  double scale;
  bool orient;
  KgGeometry *copies;
} CopyToPoints;

KG_KERNEL static void
copy_to_points_move (const KgTransform *t, const float *restrict from, size_t count, float *restrict to)
{
  for (size_t k = 0; k < count; k++) {
    const KgVector x = kg_transform_point (*t, kg_floats_get_vector (from, k));

    kg_floats_set_vector (to, k, x);
  }
}

/* One attribute of three floats that has to follow the copies. */
typedef struct {
  const float *from;
  float *to;
  size_t per_copy;
  enum { FOLLOW_PLACE, FOLLOW_DIRECTION, FOLLOW_NORMAL } how;
} Follower;

/* Most followers: P, v, three tangents, and N of points and of primitives. */
#define COPY_MAX_FOLLOWERS 7

static guint
copy_to_points_find_followers (const CopyToPoints *n, Follower *followers)
{
  static const struct {
    KgDomain domain;
    const char *name;
    int how;
  } known[COPY_MAX_FOLLOWERS] = {
    { KG_POINTS, "P", FOLLOW_PLACE },
    { KG_POINTS, "v", FOLLOW_DIRECTION },
    { KG_POINTS, "tangent", FOLLOW_DIRECTION },
    { KG_POINTS, "tangent_in", FOLLOW_DIRECTION },
    { KG_POINTS, "tangent_out", FOLLOW_DIRECTION },
    { KG_POINTS, "N", FOLLOW_NORMAL },
    { KG_PRIMITIVES, "N", FOLLOW_NORMAL },
  };
  guint n_followers = 0;

  for (guint i = 0; i < COPY_MAX_FOLLOWERS; i++) {
    const float *from = kg_geometry_get_float (n->geometry, known[i].domain, known[i].name, 3);

    if (from == NULL)
      continue;
    followers[n_followers++] = (Follower){
      .from = from,
      .to = kg_geometry_edit_float (n->copies, known[i].domain, known[i].name, 3),
      .per_copy = known[i].domain == KG_POINTS ? kg_geometry_get_n_points (n->geometry)
                                               : kg_geometry_get_n_primitives (n->geometry),
      .how = known[i].how,
    };
  }
  return n_followers;
}

/* Along its own axes; what is perpendicular to a surface is stretched the other way round. */
static KgVector
copy_to_points_stretch (KgVector axes, const float scale[3], bool normal)
{
  const double x = (double) scale[0], y = (double) scale[1], z = (double) scale[2];

  if (normal)
    return kg_vector (axes.x * y * z, axes.y * x * z, axes.z * x * y);
  return kg_vector (axes.x * x, axes.y * y, axes.z * z);
}

static void
copy_to_points_normalize (float *normals, size_t count)
{
  for (size_t k = 0; k < count; k++) {
    float *v = normals + 3 * k;
    const float length = sqrtf (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);

    for (int c = 0; c < 3 && length > 0; c++)
      v[c] /= length;
  }
}

/* Puts copy i, which is still where the original is, in its place. */
static void
copy_to_points_place (const KgInstancePlaces *stand, size_t i, const Follower *followers, guint n_followers)
{
  const float *p = stand->p + 3 * i;
  const double s = kg_instance_places_get_size (stand, i);
  /* A mirrored solid has its outside where it was inside: normals turn round with it. */
  const double side = s < 0 ? -1 : 1;
  const KgRotation turn = kg_instance_places_get_rotation (stand, i);
  const KgVector at = kg_floats_get_vector (p, 0), zero = { 0, 0, 0 };

  for (guint k = 0; k < n_followers; k++) {
    const Follower *f = &followers[k];
    const double size = f->how == FOLLOW_NORMAL ? side : s;
    KgVector axes = { size, size, size };
    KgTransform t;

    if (stand->scale != NULL)
      axes = copy_to_points_stretch (axes, stand->scale + 3 * i, f->how == FOLLOW_NORMAL);
    t = kg_transform_from_parts (f->how == FOLLOW_PLACE ? at : zero, turn, axes);

    copy_to_points_move (&t, f->from, f->per_copy, f->to + 3 * i * f->per_copy);
    if (f->how == FOLLOW_NORMAL && stand->scale != NULL)
      copy_to_points_normalize (f->to + 3 * i * f->per_copy, f->per_copy);
  }
}

static void
copy_to_points_set_color (const CopyToPoints *n, size_t count, size_t per_copy)
{
  for (uint8_t size = 3; size <= 4; size++) {
    const float *from = kg_geometry_get_float (n->points, KG_POINTS, "Cd", size);
    float *to;

    if (from == NULL)
      continue;
    to = kg_geometry_edit_float (n->copies, KG_POINTS, "Cd", size);
#pragma omp parallel for schedule(dynamic, 64)
    for (size_t i = 0; i < count; i++)
      for (size_t k = 0; k < per_copy; k++)
        memcpy (to + size * (i * per_copy + k), from + size * i, size * sizeof (float));
  }
}

/* Copies of one geometry. */
static bool
copy_to_points_copy (CopyToPoints *n, const KgContext *ctx, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->points), per_copy = kg_geometry_get_n_points (n->geometry);
  KgInstancePlaces stand;
  Follower followers[COPY_MAX_FOLLOWERS];
  guint n_followers;

  if (per_copy > 0 && count > COPY_MAX_POINTS / per_copy) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu copies of %zu points are too many: make at most %d points in all", count,
                  per_copy, COPY_MAX_POINTS);
    return false;
  }
  kg_instance_places_init (&stand, n->points, n->scale, n->orient);
  n->copies = kg_geometry_new_copies (n->geometry, count, error);
  if (n->copies == NULL)
    return false;
  n_followers = count > 0 ? copy_to_points_find_followers (n, followers) : 0;
#pragma omp parallel for schedule(dynamic, 64)
  for (size_t i = 0; i < count; i++)
    if (!kg_context_is_cancelled (ctx))
      copy_to_points_place (&stand, i, followers, n_followers);
  copy_to_points_set_color (n, count, per_copy);
  return true;
}

/* Those of each variant on its points, one after the other. */
static bool
copy_to_points_evaluate (CopyToPoints *n, const KgContext *ctx, GError **error)
{
  const guint count = n->variants.n + 1;
  g_autoptr (KgGeometry) all = NULL;
  g_autofree uint32_t *which = NULL;

  if (count == 1)
    return copy_to_points_copy (n, ctx, error);
  which = g_new (uint32_t, kg_geometry_get_n_points (n->points) + 1);
  variants_choose (n->points, count, which);
  for (guint k = 0; k < count; k++) {
    g_autoptr (KgGeometry) points = variants_take (n->points, which, k);
    CopyToPoints part = { .geometry = k == 0 ? n->geometry : n->variants.items[k - 1].geometry,
                          .points = points,
                          .scale = n->scale,
                          .orient = n->orient };
    bool good = copy_to_points_copy (&part, ctx, error);

    if (good && all != NULL)
      good = kg_geometry_append (all, part.copies, error);
    if (good && all == NULL)
      all = g_steal_pointer (&part.copies);
    g_clear_pointer (&part.copies, kg_geometry_unref);
    if (!good)
      return false;
    kg_geometry_make_writable (&all);
  }
  n->copies = g_steal_pointer (&all);
  return true;
}

static const KgSlot copy_to_points_slots[] = {
  KG_INPUT (CopyToPoints, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The geometry to copy.")),
  KG_INPUTS (CopyToPoints, variants, GEOMETRY, .label = N_ ("Variants"), .optional = true,
             .help = N_ ("Other geometries that are copied to some of the points: those with 1, 2 ... in the "
                         "attribute variant. Points without this attribute get one of the geometries, chosen at "
                         "random.")),
  KG_INPUT (CopyToPoints, points, GEOMETRY, .label = N_ ("Points"),
            .help = N_ ("The points on which the copies are placed.")),
  KG_INPUT (
      CopyToPoints, scale, NUMBER, .label = N_ ("Scale"), .def = 1, .soft_max = 4,
      .help = N_ (
          "Size of the copies, multiplied by the attributes width and scale (along each axis of the copy) of the points if they have them.")),
  KG_INPUT (
      CopyToPoints, orient, BOOLEAN, .label = N_ ("Orient"), .def = 1,
      .help = N_ (
          "Rotates the copies by the attributes of the points: by orient (a quaternion: w, x, y, z), or else with z along N, or else with x along tangent.")),
  KG_OUTPUT (CopyToPoints, copies, GEOMETRY, .label = N_ ("Copies"),
             .help = N_ ("All copies, with the colours of the points.")),
};

KG_NODE (
    geometry, copy_to_points, CopyToPoints, .label = N_ ("Copy to Points"), .version = 1, .since = "0.1",
    .tags = N_ ("instance scatter duplicate stamp array"),
    .help = N_ (
        "Places a copy of one geometry on each point of another: leaves on a twig, lamps along a path, sparks on particles. Normals, velocities and tangents rotate with the copies."));
