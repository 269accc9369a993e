/* rigid_set: geometry read as rigid bodies, see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_set.h"

#include "geometry/bounding_shape.h"
#include "geometry/convex_parts.h"
#include "geometry/mass_properties.h"
#include "geometry/triangle.h"
#include "kg-error.h"
#include "kg-floats.h"
#include "value/disjoint_sets.h"

/* Outlines of plates with more corners than this are not cut. */
#define MAX_OUTLINE 2000
/* A hull that encloses no more than this beyond the mesh is the mesh. */
#define CONVEX_SLACK 2e-3
/* Dents of moving bodies that are not deeper than this share of their size are filled. */
#define DENT_SHARE 0.01
/* Points on a ball deviate from its radius by no more than this share; there are so many at least. */
#define BALL_SLACK 1e-3
#define BALL_POINTS 32
/* A ball of few corners encloses this share of its volume at least; a coin, whose corners are on a ball too, never does. */
#define BALL_SHARE 0.65
/* The cosine between neighbouring faces from which they count as flat. */
#define FLAT_COSINE 0.99995

RigidSet *
rigid_set_new (void)
{
  RigidSet *set = g_new0 (RigidSet, 1);

  set->bodies = g_array_new (FALSE, TRUE, sizeof (RigidBody));
  set->parts = g_array_new (FALSE, TRUE, sizeof (RigidPart));
  set->surfaces = g_ptr_array_new ();
  set->warnings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  return set;
}

static void
surface_free (RigidSurface *surface)
{
  g_clear_pointer (&surface->mesh, triangle_mesh_free);
  g_free (surface->inner);
  g_free (surface);
}

void
rigid_set_free (RigidSet *set)
{
  for (guint i = 0; i < set->parts->len; i++)
    convex_shape_clear (&g_array_index (set->parts, RigidPart, i).shape);
  for (guint i = 0; i < set->surfaces->len; i++)
    surface_free ((RigidSurface *) g_ptr_array_index (set->surfaces, i));
  g_array_unref (set->bodies);
  g_array_unref (set->parts);
  g_ptr_array_unref (set->surfaces);
  g_ptr_array_unref (set->warnings);
  g_free (set->owners);
  g_free (set->obstacle_owners);
  g_free (set);
}

size_t
rigid_set_get_bytes (const RigidSet *set)
{
  size_t bytes = set->bodies->len * sizeof (RigidBody) + set->parts->len * (sizeof (RigidPart) + 1024) +
                 (set->n_points + set->n_obstacle_points) * sizeof (int32_t);

  for (guint i = 0; i < set->surfaces->len; i++)
    bytes += ((const RigidSurface *) g_ptr_array_index (set->surfaces, i))->mesh->n * 64;
  return bytes;
}

void
rigid_set_begin_obstacles (RigidSet *set)
{
  set->n_own = set->bodies->len;
}

static void
add_warning (RigidSet *set, GError *warning)
{
  g_ptr_array_add (set->warnings, warning);
}

/* Attributes. */

/* Where the attributes of a body are. */
typedef struct {
  const KgGeometry *geometry;
  int64_t primitive, point; /* or -1 */
} Source;

static const float *
find_floats (const Source *source, const char *name, uint8_t size)
{
  const float *found = NULL;

  if (source->primitive >= 0 && (found = kg_geometry_get_float (source->geometry, KG_PRIMITIVES, name, size)) != NULL)
    return found + size * source->primitive;
  if (source->point >= 0 && (found = kg_geometry_get_float (source->geometry, KG_POINTS, name, size)) != NULL)
    return found + size * source->point;
  return kg_geometry_get_float (source->geometry, KG_WHOLE, name, size);
}

static double
find_number (const Source *source, const char *name, double fallback)
{
  const float *found = find_floats (source, name, 1);

  return found != NULL ? (double) *found : fallback;
}

static KgVector
find_vector (const Source *source, const char *name)
{
  const float *found = find_floats (source, name, 3);

  return found != NULL ? kg_floats_get_vector (found, 0) : kg_vector (0, 0, 0);
}

static const char *const kind_names[RIGID_N_KINDS] = { "moving", "fixed", "driven" };

static bool
find_kind_in (const KgGeometry *geometry, KgDomain domain, size_t element, int *kind, const char **text)
{
  const int32_t *number = kg_geometry_get_int (geometry, domain, "kind", 1);
  const float *real = kg_geometry_get_float (geometry, domain, "kind", 1);
  KgAttribute attribute;

  *text = NULL;
  if (number != NULL)
    *kind = number[element];
  else if (real != NULL)
    *kind = isfinite (real[element]) ? (int) kg_clamp ((double) real[element], -1e9, 1e9) : -1;
  else if (kg_geometry_find_attribute (geometry, domain, "kind", &attribute) && attribute.scalar == KG_STRING) {
    *text = kg_geometry_get_text (geometry, domain, "kind", element);
    if (*text == NULL || **text == 0)
      return false;
    *kind = -1;
    for (int k = 0; k < RIGID_N_KINDS; k++)
      if (strcmp (*text, kind_names[k]) == 0)
        *kind = k;
  } else
    return false;
  return true;
}

static bool
find_kind (const Source *source, guint body, RigidKind fallback, RigidKind *kind, GError **error)
{
  const char *text = NULL;
  int found = (int) fallback;

  if (!(source->primitive >= 0 &&
        find_kind_in (source->geometry, KG_PRIMITIVES, (size_t) source->primitive, &found, &text)) &&
      !(source->point >= 0 && find_kind_in (source->geometry, KG_POINTS, (size_t) source->point, &found, &text)))
    find_kind_in (source->geometry, KG_WHOLE, 0, &found, &text);
  if (found < 0 || found >= RIGID_N_KINDS) {
    if (text != NULL)
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the kind of body %u is \"%s\": use moving, fixed or driven", body,
                    text);
    else
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the kind of body %u is %d: use 0 (moving), 1 (fixed) or 2 (driven)",
                    body, found);
    return false;
  }
  *kind = (RigidKind) found;
  return true;
}

/* Reads everything but the shape; volume: what the density is multiplied by. */
static bool
read_attributes (RigidSet *set, RigidBody *body, guint number, const Source *source, const RigidOptions *options,
                 double volume, GError **error)
{
  const double density = find_number (source, "density", options->density);
  const double hold = find_number (source, "friction_static", options->friction_static);
  const KgVector spin = find_vector (source, "spin");

  if (!find_kind (source, number, options->kind, &body->kind, error))
    return false;
  body->mass = find_number (source, "mass", density * volume);
  body->restitution = find_number (source, "restitution", options->restitution);
  body->friction = find_number (source, "friction", options->friction);
  body->friction_static = fmax (body->friction, hold);
  /* The first one speaks for all. */
  if (hold > 0 && hold < body->friction && !set->weak_hold) {
    set->weak_hold = true;
    add_warning (
        set,
        kg_error_new (
            KG_ERROR_INVALID_VALUE,
            "body %u has a static friction of %g, less than its friction of %g, which is used instead: raise the static friction, or set it to 0",
            number, hold, body->friction));
  }
  if (body->kind == RIGID_MOVING) {
    body->velocity = kg_vector_add (options->velocity, find_vector (source, "v"));
    body->omega = kg_vector_add_scaled (options->omega, KG_DEGREE, spin);
  }
  if (!(body->restitution >= 0 && body->restitution <= 1)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the restitution of body %u is %g: use 0 (no bounce) to 1 (no loss); more would create energy",
                  number, body->restitution);
    return false;
  }
  if (!(body->friction >= 0 && body->friction_static < 1e6)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the friction of body %u is %g: use 0 or more", number,
                  body->friction < 0 ? body->friction : body->friction_static);
    return false;
  }
  if (body->kind == RIGID_MOVING && !(body->mass > 0 && body->mass < 1e30)) {
    if (find_floats (source, "mass", 1) == NULL && !(density > 0))
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the density of body %u is %g: use a density above 0", number,
                    density);
    else
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "the mass of body %u is %g kg: use a mass above 0 and below 1e30; to hold the body, set its attribute kind to fixed",
          number, body->mass);
    return false;
  }
  return true;
}

/* Shapes. */

/* A body that is being read: points and triangles from its centre, once that is known. */
typedef struct {
  RigidSet *set;
  const RigidOptions *options;
  KgGeometry *piece; /* its points and polygons */
  TriangleMesh *mesh;
  KgVector *points;
  size_t n_points;
  ConvexHull hull;
  bool closed, convex, flat;
  double volume; /* with thickness */
  MassProperties properties;
  const KgProgressMonitor *monitor;
} Shaping;

static void
shaping_clear (Shaping *shaping)
{
  g_clear_pointer (&shaping->piece, kg_geometry_unref);
  g_clear_pointer (&shaping->mesh, triangle_mesh_free);
  g_clear_pointer (&shaping->points, g_free);
  convex_hull_clear (&shaping->hull);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Shaping, shaping_clear)

/* Only the given primitives that are polygons, and their points.  numbers: (out) which points of the geometry they are. */
static KgGeometry *
extract_piece (const KgGeometry *geometry, const uint32_t *primitives, guint n, GArray *numbers, GError **error)
{
  g_autoptr (KgGeometry) piece = kg_geometry_new ();
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) vertices = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  const float *from = kg_geometry_get_positions (geometry);
  float *to;

  for (guint k = 0; k < n; k++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, primitives[k], &primitive);
    for (uint32_t i = 0; i < primitive.n_vertices; i++) {
      const uint32_t vertex = primitive.vertices[i];

      if (!g_hash_table_contains (known, GUINT_TO_POINTER (vertex))) {
        g_hash_table_insert (known, GUINT_TO_POINTER (vertex), GUINT_TO_POINTER (numbers->len));
        g_array_append_val (numbers, vertex);
      }
    }
  }
  if (!kg_geometry_set_n_points (piece, numbers->len, error))
    return NULL;
  to = kg_geometry_edit_positions (piece);
  for (guint i = 0; i < numbers->len; i++)
    memcpy (to + 3 * (size_t) i, from + 3 * (size_t) g_array_index (numbers, uint32_t, i), 3 * sizeof *to);
  for (guint k = 0; k < n; k++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, primitives[k], &primitive);
    if (primitive.kind != KG_POLYGON || primitive.n_vertices < 3)
      continue;
    g_array_set_size (vertices, 0);
    for (uint32_t i = 0; i < primitive.n_vertices; i++) {
      const uint32_t vertex = GPOINTER_TO_UINT (g_hash_table_lookup (known, GUINT_TO_POINTER (primitive.vertices[i])));

      g_array_append_val (vertices, vertex);
    }
    primitive.vertices = (const uint32_t *) (const void *) vertices->data;
    kg_geometry_add_primitive (piece, &primitive);
  }
  return g_steal_pointer (&piece);
}

/* Outlines in a plane: the parts that they are cut into are added as plates, and measured. */
static void
add_plates (Shaping *shaping, Moments *moments)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, 2 * sizeof (double));
  g_autoptr (GArray) rings = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_autoptr (GArray) source = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_autoptr (GArray) corners = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_autoptr (GArray) firsts = g_array_new (FALSE, FALSE, sizeof (guint));
  double distance;
  const KgVector normal = convex_hull_get_plane (&shaping->hull, 0, &distance), u = kg_vector_perpendicular (normal),
                 v = kg_vector_cross (normal, u);
  guint n;

  for (size_t k = 0; k < kg_geometry_get_n_primitives (shaping->piece); k++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (shaping->piece, k, &primitive);
    for (uint32_t i = 0; i < primitive.n_vertices; i++) {
      const KgVector p = shaping->points[primitive.vertices[i]];
      const double place[2] = { kg_vector_dot (p, u), kg_vector_dot (p, v) };

      g_array_append_vals (places, place, 1);
      g_array_append_val (source, primitive.vertices[i]);
    }
    g_array_append_val (rings, places->len);
  }
  n = rigid_cut_convex ((const double (*)[2]) (const void *) places->data,
                        (const uint32_t *) (const void *) rings->data, rings->len, corners, firsts, shaping->monitor);
  for (guint k = 0; k < n; k++) {
    const guint first = g_array_index (firsts, guint, k), end = g_array_index (firsts, guint, k + 1);
    uint32_t indices[64], ends[2] = { 0, end - first };
    KgVector points[64];
    const ConvexHull hull = {
      .n_points = end - first, .points = points, .n_faces = 1, .first = ends, .corners = indices, .dimension = 2
    };
    RigidPart part = { .turn = kg_rotation_identity () };

    for (guint i = first; i < end; i++) {
      indices[i - first] = i - first;
      points[i - first] = shaping->points[g_array_index (source, uint32_t, g_array_index (corners, uint32_t, i))];
    }
    for (guint i = 1; i + 1 < end - first; i++) {
      const KgVector triangle[3] = { points[0], points[i], points[i + 1] };

      moments_add (moments, triangle, 3, triangle_get_area (triangle));
    }
    part.shape = convex_shape_hull (&hull, 0.5 * shaping->options->thickness);
    g_array_append_val (shaping->set->parts, part);
  }
}

/* Of the triangles of a mesh: the inside where it closes, else the surface. */
static void
measure_mesh (Shaping *shaping, Moments *moments)
{
  const TriangleMesh *mesh = shaping->mesh;
  const KgVector origin = shaping->points[0];

  for (int solid = shaping->closed ? 1 : 0; solid >= 0; solid--) {
    *moments = (Moments){ .measure = 0 };
    for (size_t i = 0; i < mesh->n; i++) {
      KgVector corners[4], area;

      triangle_mesh_get_corners (mesh, i, corners);
      corners[3] = origin;
      area = kg_vector_scale (
          kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0])),
          0.5);
      if (solid == 1)
        moments_add (moments, corners, 4, kg_vector_dot (area, kg_vector_subtract (corners[0], origin)) / 3);
      else
        moments_add (moments, corners, 3, kg_vector_length (area));
    }
    shaping->closed = solid == 1;
    if (solid == 0 || fabs (moments->measure) > 1e-9 * pow (mesh->size, 3))
      break;
  }
  if (moments->measure < 0) {
    moments->measure = -moments->measure;
    moments->first = kg_vector_scale (moments->first, -1);
    moments->second = symmetric_matrix_scale (moments->second, -1);
  }
}

static bool
is_ball (const Shaping *shaping, KgVector center, double *radius)
{
  double low = INFINITY, high = 0;

  for (size_t i = 0; i < shaping->hull.n_points; i++) {
    const double r = kg_vector_distance (shaping->hull.points[i], center);

    low = fmin (low, r);
    high = fmax (high, r);
  }
  *radius = high;
  return shaping->hull.n_points >= BALL_POINTS && high - low < BALL_SLACK * high &&
         shaping->volume > BALL_SHARE * 4 / 3 * KG_PI * high * high * high;
}

/* Eight corners, each joined by its face to three others at right angles. */
static bool
is_box (const ConvexHull *hull, KgVector *half, KgVector *center, KgRotation *turn)
{
  KgVector sides[3], axes[3], middle = { 0, 0, 0 };
  guint n = 0;

  if (hull->dimension != 3 || hull->n_points != 8 || hull->n_faces != 6)
    return false;
  for (size_t f = 0; f < 6; f++) {
    const uint32_t *corners = hull->corners + hull->first[f], count = hull->first[f + 1] - hull->first[f];

    if (count != 4)
      return false;
    for (uint32_t i = 0; i < 4 && n < 3; i++) {
      const uint32_t next = corners[(i + 1) % 4];

      if (corners[i] == 0 || next == 0) {
        const KgVector side = kg_vector_subtract (hull->points[corners[i] == 0 ? next : corners[i]], hull->points[0]);
        bool known = false;

        for (guint k = 0; k < n; k++)
          known |= kg_vector_distance (side, sides[k]) < 1e-6 * kg_vector_length (side);
        if (!known)
          sides[n++] = side;
      }
    }
  }
  if (n < 3)
    return false;
  for (size_t i = 0; i < 8; i++)
    middle = kg_vector_add_scaled (middle, 0.125, hull->points[i]);
  for (guint i = 0; i < 3; i++) {
    const KgVector next = sides[(i + 1) % 3];

    if (fabs (kg_vector_dot (sides[i], next)) > 1e-5 * kg_vector_length (sides[i]) * kg_vector_length (next))
      return false;
    axes[i] = kg_vector_normalize_or (sides[i], kg_vector (1, 0, 0));
  }
  *half = kg_vector (0.5 * kg_vector_length (sides[0]), 0.5 * kg_vector_length (sides[1]),
                     0.5 * kg_vector_length (sides[2]));
  if (kg_vector_dot (kg_vector_cross (axes[0], axes[1]), axes[2]) < 0)
    axes[2] = kg_vector_scale (axes[2], -1);
  axes[1] = kg_vector_cross (axes[2], axes[0]);
  *turn = symmetric_matrix_get_rotation (axes);
  *center = middle;
  return true;
}

/* Sets the mass of a ball or box, which its mesh only approximates. */
static void
take_simple (Shaping *shaping, MassShape shape, KgVector size, KgVector center, KgRotation turn)
{
  shaping->volume = mass_shape_get_volume (shape, size);
  shaping->properties = mass_properties_move (
      &(MassProperties){ 1, kg_vector (0, 0, 0), mass_shape_get_properties (shape, size, 1).inertia }, turn, center);
}

static RigidPart
make_part (const ConvexHull *hull, double radius)
{
  RigidPart part = { .turn = kg_rotation_identity () };
  KgVector half;

  if (radius == 0 && is_box (hull, &half, &part.offset, &part.turn))
    part.shape = convex_shape_box (half);
  else
    part = (RigidPart){ .shape = convex_shape_hull (hull, radius), .turn = kg_rotation_identity () };
  return part;
}

/* Adds the parts of a closed mesh.  depth: (inout) of the deepest dent that is filled. */
static bool
add_parts_of_mesh (Shaping *shaping, const TriangleMesh *mesh, guint most, double *depth, GError **error)
{
  g_autoptr (ConvexParts)
      parts = convex_parts_find (mesh, most, DENT_SHARE * shaping->mesh->size, shaping->monitor, error);

  if (parts == NULL)
    return false;
  for (guint i = 0; i < parts->hulls->len; i++) {
    const RigidPart part = make_part (&g_array_index (parts->hulls, ConvexHull, i), 0);

    g_array_append_val (shaping->set->parts, part);
  }
  *depth = fmax (*depth, parts->depth);
  return true;
}

/* Of each primitive a number that it shares with those that it is connected to. */
static uint32_t *
label_pieces (const KgGeometry *geometry)
{
  const size_t n = kg_geometry_get_n_primitives (geometry), n_points = kg_geometry_get_n_points (geometry);
  uint32_t *labels = g_new (uint32_t, MAX (n, 1));
  g_autofree uint32_t *parents = g_new (uint32_t, MAX (n_points, 1));

  for (size_t i = 0; i < n_points; i++)
    parents[i] = (uint32_t) i;
  for (int pass = 0; pass < 2; pass++)
    for (size_t k = 0; k < n; k++) {
      KgPrimitive primitive;

      kg_geometry_get_primitive (geometry, k, &primitive);
      labels[k] = primitive.n_vertices > 0 ? disjoint_sets_find (parents, primitive.vertices[0]) : 0;
      for (uint32_t i = 1; pass == 0 && i < primitive.n_vertices; i++)
        parents[disjoint_sets_find (parents, primitive.vertices[i])] =
            disjoint_sets_find (parents, primitive.vertices[0]);
    }
  return labels;
}

/* (transfer full) The meshes of the pieces of a body that are solids by themselves; empty: there is one piece only, or some are
 * hollows in others.  NULL and *error, or cancelled. */
static GPtrArray *
find_solid_pieces (const Shaping *shaping, GError **error)
{
  const size_t n = kg_geometry_get_n_primitives (shaping->piece);
  g_autoptr (GPtrArray) meshes = g_ptr_array_new_with_free_func ((GDestroyNotify) triangle_mesh_free);
  g_autofree uint32_t *labels = label_pieces (shaping->piece);
  g_autofree uint8_t *taken = g_new0 (uint8_t, MAX (n, 1));
  int sign = 0;

  for (size_t k = 0; k < n; k++) {
    g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    g_autoptr (KgGeometry) piece = NULL;
    TriangleMesh *mesh;
    double volume = 0;

    if (taken[k] != 0)
      continue;
    for (size_t i = k; i < n; i++)
      if (labels[i] == labels[k]) {
        const uint32_t member = (uint32_t) i;

        taken[i] = 1;
        g_array_append_val (members, member);
      }
    if (members->len == n)
      return g_steal_pointer (&meshes);
    piece =
        extract_piece (shaping->piece, (const uint32_t *) (const void *) members->data, members->len, numbers, error);
    if (piece == NULL || (mesh = triangle_mesh_new (piece, shaping->monitor, error)) == NULL)
      return NULL;
    g_ptr_array_add (meshes, mesh);
    for (size_t i = 0; i < mesh->n; i++) {
      KgVector c[3];

      triangle_mesh_get_corners (mesh, i, c);
      volume += kg_vector_dot (kg_vector_subtract (c[0], shaping->points[0]),
                               kg_vector_cross (kg_vector_subtract (c[1], c[0]), kg_vector_subtract (c[2], c[0])));
    }
    if (sign != 0 && (volume > 0) != (sign > 0)) {
      g_ptr_array_set_size (meshes, 0);
      return g_steal_pointer (&meshes);
    }
    sign = volume > 0 ? 1 : -1;
  }
  return g_steal_pointer (&meshes);
}

/* Adds the convex parts of a solid with dents. */
static bool
add_dented (Shaping *shaping, guint number, GError **error)
{
  const guint before = shaping->set->parts->len;
  g_autoptr (GPtrArray) pieces = find_solid_pieces (shaping, error);
  double depth = 0;

  if (pieces == NULL)
    return false;
  if (pieces->len == 0 && !add_parts_of_mesh (shaping, shaping->mesh, shaping->options->parts, &depth, error))
    return false;
  for (guint i = 0; i < pieces->len; i++)
    if (!add_parts_of_mesh (shaping, (const TriangleMesh *) g_ptr_array_index (pieces, i),
                            MAX (shaping->options->parts / pieces->len, 1), &depth, error))
      return false;
  if (depth > DENT_SHARE * shaping->mesh->size)
    add_warning (shaping->set,
                 g_error_new (KG_ERROR, KG_ERROR_DEGENERATE,
                              g_dngettext (GETTEXT_PACKAGE,
                                           "body %u touches with %u convex part, which fills dents up to %g m "
                                           "deep: allow more parts for each body",
                                           "body %u touches with %u convex parts, which fill dents up to %g m "
                                           "deep: allow more parts for each body",
                                           shaping->set->parts->len - before),
                              number, shaping->set->parts->len - before, depth));
  return true;
}

/* Adds the parts that a solid body touches with; the tensor is for a mass of 1. */
static bool
add_solid (Shaping *shaping, guint number, bool may_yield, GError **error)
{
  const RigidShape wanted = shaping->options->shape;
  RigidPart part = { .turn = kg_rotation_identity () };
  KgVector half, center;
  KgRotation turn;
  double radius;

  if (wanted == RIGID_SHAPE_BALL ||
      (wanted == RIGID_SHAPE_AUTO && shaping->closed && is_ball (shaping, shaping->properties.center, &radius))) {
    if (wanted == RIGID_SHAPE_BALL) {
      const BoundingSphere sphere = bounding_sphere_find_smallest (shaping->points, shaping->n_points);

      radius = sphere.radius;
      part.offset = sphere.center;
    } else
      part.offset = shaping->properties.center;
    if (!(radius > 0))
      return true;
    part.shape = convex_shape_ball (radius);
    take_simple (shaping, MASS_ELLIPSOID, kg_vector (2 * radius, 2 * radius, 2 * radius), part.offset, part.turn);
    shaping->convex = true;
  } else if (wanted == RIGID_SHAPE_BOX) {
    KgVector low = shaping->points[0], high = low;

    for (size_t i = 0; i < shaping->n_points; i++) {
      const KgVector p = shaping->points[i];

      low = kg_vector_min (low, p);
      high = kg_vector_max (high, p);
    }
    half = kg_vector_scale (kg_vector_subtract (high, low), 0.5);
    half = kg_vector (fmax (half.x, 0.5 * shaping->options->thickness),
                      fmax (half.y, 0.5 * shaping->options->thickness),
                      fmax (half.z, 0.5 * shaping->options->thickness));
    part.offset = kg_vector_lerp (low, high, 0.5);
    part.shape = convex_shape_box (half);
    take_simple (shaping, MASS_BOX, kg_vector_scale (half, 2), part.offset, part.turn);
    shaping->convex = true;
  } else if (is_box (&shaping->hull, &half, &center, &turn) && (shaping->convex || wanted == RIGID_SHAPE_CONVEX)) {
    part.shape = convex_shape_box (half);
    part.offset = center;
    part.turn = turn;
  } else if (may_yield && wanted == RIGID_SHAPE_AUTO && shaping->closed && !shaping->convex) {
    return add_dented (shaping, number, error);
  } else if (shaping->convex || may_yield || wanted == RIGID_SHAPE_CONVEX)
    part.shape = convex_shape_hull (&shaping->hull, shaping->flat ? 0.5 * shaping->options->thickness : 0);
  else
    return true;
  g_array_append_val (shaping->set->parts, part);
  return true;
}

/* Which edges a surface goes on flat or inwards across. */
static uint8_t *
find_inner_edges (const TriangleMesh *mesh)
{
  g_autoptr (GHashTable) edges = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  uint8_t *inner = g_new0 (uint8_t, MAX (mesh->n, 1));

  for (size_t i = 0; i < mesh->n; i++)
    for (uint32_t k = 0; k < 3; k++) {
      gint64 *key = g_new (gint64, 1);

      *key = (gint64) ((uint64_t) mesh->corners[i][k] << 32 | mesh->corners[i][(k + 1) % 3]);
      g_hash_table_insert (edges, key, GSIZE_TO_POINTER (i + 1));
    }
  for (size_t i = 0; i < mesh->n; i++) {
    KgVector own[3], normal;

    triangle_mesh_get_corners (mesh, i, own);
    normal = kg_vector_normalize_or (
        kg_vector_cross (kg_vector_subtract (own[1], own[0]), kg_vector_subtract (own[2], own[0])),
        kg_vector (0, 0, 0));
    for (uint32_t k = 0; k < 3; k++) {
      const gint64 back = (gint64) ((uint64_t) mesh->corners[i][(k + 1) % 3] << 32 | mesh->corners[i][k]);
      const size_t other = GPOINTER_TO_SIZE (g_hash_table_lookup (edges, &back));
      KgVector corners[3], theirs, middle;

      if (other == 0)
        continue;
      triangle_mesh_get_corners (mesh, other - 1, corners);
      theirs = kg_vector_normalize_or (
          kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0])),
          kg_vector (0, 0, 0));
      middle = kg_vector_scale (kg_vector_add (kg_vector_add (corners[0], corners[1]), corners[2]), 1.0 / 3);
      if (kg_vector_dot (normal, theirs) > FLAT_COSINE ||
          kg_vector_dot (normal, kg_vector_subtract (middle, own[k])) > 0)
        inner[i] |= (uint8_t) (1u << k);
    }
  }
  return inner;
}

/* Makes everything relative to the centre. */
static void
center_body (RigidSet *set, RigidBody *body)
{
  body->radius = 0;
  for (guint i = 0; i < body->n_parts; i++) {
    RigidPart *part = &g_array_index (set->parts, RigidPart, body->first_part + i);
    ConvexPlaced placed;
    KgVector low, high;

    part->offset = kg_vector_subtract (part->offset, body->center);
    placed = convex_shape_place (&part->shape, part->offset, part->turn);
    convex_get_bounds (&placed, &low, &high);
    low = kg_vector (fmax (fabs (low.x), fabs (high.x)), fmax (fabs (low.y), fabs (high.y)),
                     fmax (fabs (low.z), fabs (high.z)));
    body->radius = fmax (body->radius, kg_vector_length (low));
  }
}

/* Six masses that stand for the body when fields are sampled. */
static void
find_probes (RigidBody *body)
{
  const double half = 0.5 * (body->inertia.xx + body->inertia.yy + body->inertia.zz);
  const SymmetricMatrix second = { half - body->inertia.xx, half - body->inertia.yy, half - body->inertia.zz,
                                   -body->inertia.xy,       -body->inertia.xz,       -body->inertia.yz };
  double values[3];
  KgVector axes[3];

  symmetric_matrix_decompose (second, values, axes);
  for (int i = 0; i < 3; i++)
    body->probes[i] = kg_vector_scale (axes[i], body->mass > 0 ? sqrt (fmax (3 * values[i] / body->mass, 0)) : 0);
}

static bool
finish_body (RigidSet *set, RigidBody *body, guint number, const MassProperties *unit, GError **error)
{
  body->inertia = symmetric_matrix_scale (unit->inertia, body->mass);
  if (body->kind == RIGID_MOVING) {
    body->inverse_mass = 1 / body->mass;
    if (!symmetric_matrix_invert (body->inertia, &body->inverse_inertia)) {
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    "body %u is as thin as a line, and cannot resist rotation about it: give it some width", number);
      return false;
    }
  }
  find_probes (body);
  if (set->bodies->len == RIGID_MAX_BODIES) {
    kg_set_error (error, KG_ERROR_LIMIT, "more than %d bodies: use a smaller geometry", RIGID_MAX_BODIES);
    return false;
  }
  g_array_append_vals (set->bodies, body, 1);
  return true;
}

/* Reads what a piece is: its hull, whether it closes, and the properties of a mass of 1. */
static bool
shaping_read (Shaping *shaping, guint number, GError **error)
{
  const HullOptions options = { .tolerance = 1e-6, .steps = -1 };
  const float *p = kg_geometry_get_positions (shaping->piece);
  Moments moments = { .measure = 0 };
  double scale = 1;

  shaping->n_points = kg_geometry_get_n_points (shaping->piece);
  shaping->points = g_new (KgVector, MAX (shaping->n_points, 1));
  for (size_t i = 0; i < shaping->n_points; i++)
    shaping->points[i] = kg_floats_get_vector (p, i);
  shaping->mesh = triangle_mesh_new (shaping->piece, shaping->monitor, error);
  if (shaping->mesh == NULL ||
      !convex_hull_find (&shaping->hull, shaping->points, shaping->n_points, &options, shaping->monitor, error))
    return false;
  if (shaping->hull.dimension < 2 || shaping->mesh->n == 0) {
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "body %u has no volume: its polygons are all at one position or on one line; give it faces, or remove it",
        number);
    return false;
  }
  shaping->flat = shaping->hull.dimension == 2;
  shaping->closed = !shaping->flat && shaping->mesh->n_open == 0;
  if (shaping->flat && shaping->options->shape == RIGID_SHAPE_AUTO &&
      kg_geometry_get_n_vertices (shaping->piece) <= MAX_OUTLINE) {
    add_plates (shaping, &moments);
    scale = shaping->options->thickness;
    shaping->convex = true;
  } else {
    measure_mesh (shaping, &moments);
    scale = shaping->closed ? 1 : shaping->options->thickness;
    if (shaping->closed && shaping->hull.dimension == 3)
      shaping->convex = convex_hull_get_volume (&shaping->hull) < moments.measure * (1 + CONVEX_SLACK);
  }
  if (!moments_get_mass_properties (&moments, 1, &shaping->properties)) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "body %u has no volume: give it faces with an area, or remove it",
                  number);
    return false;
  }
  shaping->volume = moments.measure * scale;
  return true;
}

/* Reads the body of some primitives. */
static bool
add_body (RigidSet *set, const KgGeometry *geometry, const uint32_t *primitives, guint n, uint32_t source,
          const RigidOptions *options, int32_t *owners, const KgProgressMonitor *monitor, GError **error)
{
  const guint number = set->bodies->len;
  g_auto (Shaping) shaping = { .set = set, .options = options, .monitor = monitor };
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  RigidBody body = {
    .turn = kg_rotation_identity (), .first_part = set->parts->len, .surface = -1, .source = source, .scale = 1
  };
  Source attributes = { geometry, primitives[0], -1 };
  RigidKind kind;

  shaping.piece = extract_piece (geometry, primitives, n, numbers, error);
  if (shaping.piece == NULL || !shaping_read (&shaping, number, error))
    return false;
  attributes.point = g_array_index (numbers, uint32_t, 0);
  if (!find_kind (&attributes, number, options->kind, &kind, error))
    return false;
  if (set->parts->len == body.first_part && !add_solid (&shaping, number, kind == RIGID_MOVING, error))
    return false;
  if (!shaping.closed && !shaping.flat && kind == RIGID_MOVING && options->shape <= RIGID_SHAPE_CONVEX)
    add_warning (set, g_error_new (KG_ERROR, KG_ERROR_DEGENERATE,
                                   kg_translate ("body %u is open (%zu edges have one face only): it weighs as a sheet "
                                                 "and touches with its convex hull; close it if it is a solid"),
                                   number, shaping.mesh->n_open));
  if (!read_attributes (set, &body, number, &attributes, options, shaping.volume, error))
    return false;
  body.center = shaping.properties.center;
  body.n_parts = set->parts->len - body.first_part;
  center_body (set, &body);
  if (body.n_parts == 0) {
    RigidSurface *surface = g_new0 (RigidSurface, 1);

    surface->inner = find_inner_edges (shaping.mesh);
    surface->mesh = g_steal_pointer (&shaping.mesh);
    body.surface = (int) set->surfaces->len;
    body.radius = surface->mesh->size;
    g_ptr_array_add (set->surfaces, surface);
  }
  for (guint i = 0; i < numbers->len; i++)
    if (owners[g_array_index (numbers, uint32_t, i)] < 0)
      owners[g_array_index (numbers, uint32_t, i)] = (int32_t) number;
  return finish_body (set, &body, number, &shaping.properties, error);
}

/* Bodies of a geometry. */

/* Of each primitive a number that it shares with those of its body. */
static uint32_t *
label_primitives (const KgGeometry *geometry, const RigidOptions *options, GError **error)
{
  const size_t n = kg_geometry_get_n_primitives (geometry);
  uint32_t *labels;
  const int32_t *group;

  if (options->division == RIGID_BY_PIECE)
    return label_pieces (geometry);
  labels = g_new (uint32_t, MAX (n, 1));
  switch (options->division) {
  case RIGID_BY_PRIMITIVE:
    for (size_t k = 0; k < n; k++)
      labels[k] = (uint32_t) k;
    return labels;
  case RIGID_BY_GROUP:
    group = kg_geometry_get_int (geometry, KG_PRIMITIVES, options->group, 1);
    if (group == NULL && n > 0) {
      kg_set_error (error, KG_ERROR_UNKNOWN_NAME,
                    "the polygons have no whole number called \"%s\": set one with Attribute, or divide into pieces",
                    options->group);
      g_free (labels);
      return NULL;
    }
    for (size_t k = 0; k < n; k++)
      labels[k] = (uint32_t) group[k];
    return labels;
  default:
    g_return_val_if_reached (labels);
  }
}

bool
rigid_set_add_geometry (RigidSet *set, const KgGeometry *geometry, const RigidOptions *options,
                        const KgProgressMonitor *monitor, GError **error)
{
  const size_t n = kg_geometry_get_n_primitives (geometry), n_points = kg_geometry_get_n_points (geometry);
  g_autoptr (GHashTable) bodies = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  g_autoptr (GPtrArray) order = g_ptr_array_new ();
  g_autofree uint32_t *labels = label_primitives (geometry, options, error);
  const bool own = set->owners == NULL;
  int32_t *owners = g_new (int32_t, MAX (n_points, 1));

  *(own ? &set->owners : &set->obstacle_owners) = owners;
  *(own ? &set->n_points : &set->n_obstacle_points) = n_points;
  for (size_t i = 0; i < n_points; i++)
    owners[i] = -1;
  if (labels == NULL)
    return false;
  for (size_t k = 0; k < n; k++) {
    const uint32_t number = (uint32_t) k;
    KgPrimitive primitive;
    GArray *members;

    kg_geometry_get_primitive (geometry, k, &primitive);
    if (primitive.kind != KG_POLYGON || primitive.n_vertices < 3)
      continue;
    members = (GArray *) g_hash_table_lookup (bodies, GUINT_TO_POINTER (labels[k]));
    if (members == NULL) {
      members = g_array_new (FALSE, FALSE, sizeof (uint32_t));
      g_hash_table_insert (bodies, GUINT_TO_POINTER (labels[k]), members);
      g_ptr_array_add (order, members);
    }
    g_array_append_val (members, number);
  }
  for (guint i = 0; i < order->len; i++) {
    const GArray *members = (const GArray *) g_ptr_array_index (order, i);

    if (kg_progress_is_cancelled (monitor) || !add_body (set, geometry, (const uint32_t *) (const void *) members->data,
                                                         members->len, i, options, owners, monitor, error))
      return false;
  }
  return true;
}

/* Copies. */

bool
rigid_set_add_copies (RigidSet *set, const KgGeometry *points, const KgGeometry *shape, const RigidOptions *options,
                      const KgProgressMonitor *monitor, GError **error)
{
  const size_t n = kg_geometry_get_n_points (points), n_primitives = kg_geometry_get_n_primitives (shape);
  const float *p = kg_geometry_get_positions (points), *orient = kg_geometry_get_float (points, KG_POINTS, "orient", 4),
              *width = kg_geometry_get_float (points, KG_POINTS, "width", 1);
  g_autofree uint32_t *all = g_new (uint32_t, MAX (n_primitives, 1));
  g_autoptr (GHashTable) sizes = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_auto (Shaping) shaping = { .set = set, .options = options, .monitor = monitor };
  const guint original = set->parts->len;
  guint n_parts;

  set->owners = g_new (int32_t, MAX (n, 1));
  set->n_points = n;
  for (size_t k = 0; k < n_primitives; k++)
    all[k] = (uint32_t) k;
  shaping.piece = extract_piece (shape, all, (guint) n_primitives, numbers, error);
  if (shaping.piece == NULL || !shaping_read (&shaping, 0, error))
    return false;
  if (set->parts->len == original && !add_solid (&shaping, 0, true, error))
    return false;
  n_parts = set->parts->len - original;
  for (guint i = 0; i < n_parts; i++) {
    RigidPart *part = &g_array_index (set->parts, RigidPart, original + i);

    part->offset = kg_vector_subtract (part->offset, shaping.properties.center);
  }
  for (size_t i = 0; i < n; i++) {
    const double scale = width != NULL ? (double) width[i] : 1;
    const Source attributes = { points, -1, (int64_t) i };
    RigidBody body = { .turn = kg_rotation_identity (), .surface = -1, .source = (uint32_t) i, .scale = scale };
    MassProperties unit = shaping.properties;
    uint32_t bits;
    float kept = (float) scale;

    if (i % 1024 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    if (!(scale > 0 && scale < 1e9)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the width of point %zu is %g: use a size above 0", i, scale);
      return false;
    }
    memcpy (&bits, &kept, sizeof bits);
    body.first_part = GPOINTER_TO_UINT (g_hash_table_lookup (sizes, GUINT_TO_POINTER (bits)));
    if (scale == 1)
      body.first_part = original;
    else if (body.first_part == 0) {
      body.first_part = set->parts->len;
      for (guint k = 0; k < n_parts; k++) {
        RigidPart part = g_array_index (set->parts, RigidPart, original + k);

        part.offset = kg_vector_scale (part.offset, scale);
        part.shape = convex_shape_scale (&part.shape, scale);
        g_array_append_val (set->parts, part);
      }
      g_hash_table_insert (sizes, GUINT_TO_POINTER (bits), GUINT_TO_POINTER (body.first_part));
    }
    body.n_parts = n_parts;
    for (guint k = 0; k < n_parts; k++) {
      const RigidPart *part = &g_array_index (set->parts, RigidPart, body.first_part + k);
      const ConvexPlaced placed = convex_shape_place (&part->shape, part->offset, part->turn);
      KgVector low, high;

      convex_get_bounds (&placed, &low, &high);
      body.radius = fmax (body.radius, kg_vector_length (kg_vector (fmax (fabs (low.x), fabs (high.x)),
                                                                    fmax (fabs (low.y), fabs (high.y)),
                                                                    fmax (fabs (low.z), fabs (high.z)))));
    }
    if (orient != NULL)
      body.turn = kg_rotation_normalize (kg_floats_get_rotation (orient, i));
    body.origin = kg_vector_scale (shaping.properties.center, -scale);
    body.center = kg_vector_subtract (kg_floats_get_vector (p, i), kg_rotation_apply (body.turn, body.origin));
    unit.inertia = symmetric_matrix_scale (unit.inertia, scale * scale);
    if (!read_attributes (set, &body, set->bodies->len, &attributes, options, shaping.volume * pow (scale, 3), error))
      return false;
    set->owners[i] = (int32_t) set->bodies->len;
    if (!finish_body (set, &body, set->bodies->len, &unit, error))
      return false;
  }
  return true;
}
