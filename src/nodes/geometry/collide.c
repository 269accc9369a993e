/* geometry/collide: whether, where and how deep two geometries touch, and when they will.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/bounding_shape.h"
#include "geometry/convex_shape.h"
#include "geometry/point_cloud.h"
#include "geometry/triangle_mesh.h"
#include "kg-node.h"
#include "kg-floats.h"

/* Pairs of boxes around triangles that may overlap. */
#define COLLIDE_MAX_PAIRS 50000000

typedef struct {
  KgGeometry *a;
  KgGeometry *b;
  int shape;
  KgTransform transform_a;
  KgTransform transform_b;
  double margin;
  KgVector move;
  KgGeometry *contacts;
  KgTable *table;
  bool touching;
  double depth;
  KgVector normal;
  double distance;
  KgVector closest_a;
  KgVector closest_b;
  double time;
  KgVector impact;
  KgVector impact_normal;
  int64_t count;
  int64_t tests;
} Collide;

enum { SHAPE_MESH, SHAPE_HULL, SHAPE_ORIENTED, SHAPE_BOX, SHAPE_SPHERE, N_SHAPES };

static const KgChoice collide_shapes[] = {
  [SHAPE_MESH] = { "mesh", N_ ("Polygons") },
  [SHAPE_HULL] = { "hull", N_ ("Convex hull") },
  [SHAPE_ORIENTED] = { "oriented", N_ ("Oriented box") },
  [SHAPE_BOX] = { "box", N_ ("Box") },
  [SHAPE_SPHERE] = { "sphere", N_ ("Sphere") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (collide_shapes, N_SHAPES);

/* Kinds of contacts, as the attribute kind says them. */
enum { CONTACT_FACE, CONTACT_EDGE_OF_A, CONTACT_EDGE_OF_B, CONTACT_EDGES };

typedef struct {
  KgVector point, normal;
  double depth;
  int32_t kind, a, b; /* primitives, or -1 */
} Contact;

static void
collide_add (GArray *contacts, KgVector point, KgVector normal, double depth, int32_t kind, int32_t a, int32_t b)
{
  const Contact contact = { point, normal, depth, kind, a, b };

  g_array_append_val (contacts, contact);
}

/* A row for each contact. */
static bool
collide_make_table (Collide *n, const GArray *contacts, GError **error)
{
  static const char *const names[] = { "x", "y", "z", "nx", "ny", "nz", "depth", "kind", "a", "b" };
  double *cells;

  n->table = kg_table_new (G_N_ELEMENTS (names), names, contacts->len, error);
  if (n->table == NULL)
    return false;
  cells = kg_table_edit (n->table);
  for (guint i = 0; i < contacts->len; i++) {
    const Contact *contact = &g_array_index (contacts, Contact, i);
    const double row[] = { contact->point.x,  contact->point.y, contact->point.z, contact->normal.x, contact->normal.y,
                           contact->normal.z, contact->depth,   contact->kind,    contact->a,        contact->b };

    memcpy (cells + G_N_ELEMENTS (names) * i, row, sizeof row);
  }
  return true;
}

/* Points with attributes. */
static bool
collide_publish (Collide *n, const GArray *contacts, GError **error)
{
  float *p, *normal, *depth;
  int32_t *kind, *of_a, *of_b;

  n->count = contacts->len;
  n->contacts = kg_geometry_new ();
  if (!collide_make_table (n, contacts, error) || !kg_geometry_set_n_points (n->contacts, contacts->len, error))
    return false;
  p = kg_geometry_edit_positions (n->contacts);
  normal = kg_geometry_edit_float (n->contacts, KG_POINTS, "N", 3);
  depth = kg_geometry_edit_float (n->contacts, KG_POINTS, "depth", 1);
  kind = kg_geometry_edit_int (n->contacts, KG_POINTS, "kind", 1);
  of_a = kg_geometry_edit_int (n->contacts, KG_POINTS, "a", 1);
  of_b = kg_geometry_edit_int (n->contacts, KG_POINTS, "b", 1);
  for (size_t i = 0; i < contacts->len; i++) {
    const Contact *contact = &g_array_index (contacts, Contact, i);

    kg_floats_set_vector (p, i, contact->point);
    kg_floats_set_vector (normal, i, contact->normal);
    depth[i] = (float) contact->depth;
    kind[i] = contact->kind;
    of_a[i] = contact->a;
    of_b[i] = contact->b;
  }
  return true;
}

/* Convex shapes. */

static bool
collide_make_shape (const Collide *n, const KgGeometry *geometry, const KgProgressMonitor *monitor, ConvexShape *shape,
                    ConvexPlaced *placed, GError **error)
{
  const HullOptions options = { .tolerance = 1e-6, .steps = -1 };
  size_t count;
  g_autofree KgVector *points = point_cloud_get_points (geometry, NULL, &count, NULL, error);
  g_auto (ConvexHull) hull = { 0 };
  BoundingSphere sphere;
  OrientedBox box;
  KgVector low, high;

  if (points == NULL)
    return false;
  if (n->shape == SHAPE_SPHERE) {
    sphere = bounding_sphere_find_smallest (points, count);
    *shape = convex_shape_ball (sphere.radius);
    *placed = convex_shape_place (shape, sphere.center, kg_rotation_identity ());
    return true;
  }
  if (n->shape == SHAPE_BOX) {
    kg_geometry_get_bounds (geometry, &low, &high);
    *shape = convex_shape_box (kg_vector_scale (kg_vector_subtract (high, low), 0.5));
    *placed = convex_shape_place (shape, kg_vector_lerp (low, high, 0.5), kg_rotation_identity ());
    return true;
  }
  if (!convex_hull_find (&hull, points, count, &options, monitor, error))
    return false;
  if (n->shape == SHAPE_HULL) {
    *shape = convex_shape_hull (&hull, 0);
    *placed = convex_shape_place (shape, kg_vector (0, 0, 0), kg_rotation_identity ());
    return true;
  }
  box = oriented_box_find (&hull, true, monitor);
  *shape = convex_shape_box (box.half);
  *placed = convex_shape_place (shape, box.center, kg_rotation_identity ());
  for (int i = 0; i < 3; i++)
    placed->axes[i] = box.axes[i];
  return true;
}

/* A direction without a length is where the first shape lies from the second. */
static void
collide_compare_shapes (Collide *n, const ConvexPlaced *a, const ConvexPlaced *b, double size, GArray *contacts)
{
  ConvexManifold manifold;

  n->distance = convex_find_distance (a, b, &n->closest_a, &n->closest_b);
  n->touching = n->distance <= 0;
  if (convex_find_contacts (a, b, fmax (n->margin, n->touching ? 0 : n->distance * (1 + 1e-9)), &manifold)) {
    n->normal = manifold.normal;
    n->depth = fmax (manifold.depth, 0);
    if (manifold.depth > 0) {
      n->touching = true;
      n->distance = 0;
    }
    if (n->touching) {
      n->closest_a = manifold.on_a;
      n->closest_b = manifold.on_b;
    }
    for (guint i = 0; i < manifold.n && n->distance <= n->margin; i++)
      collide_add (contacts, manifold.contacts[i].point, manifold.normal, manifold.contacts[i].depth,
                   manifold.edges ? CONTACT_EDGES : CONTACT_FACE, -1, -1);
  }
  n->tests = 1;
  n->time = n->touching ? 0 : -1;
  if (!n->touching && kg_vector_length (n->move) > 0) {
    const ConvexMotion motion = { .velocity = n->move }, still = { .velocity = { 0, 0, 0 } };
    double time;

    if (convex_find_impact (a, &motion, b, &still, 1e-9 * size, &time)) {
      const ConvexPlaced there = convex_move (a, &motion, time);

      n->time = time;
      /* They are next to each other now, and face each other. */
      if (convex_find_contacts (&there, b, 1e-6 * size, &manifold)) {
        n->impact = kg_vector_lerp (manifold.on_a, manifold.on_b, 0.5);
        n->impact_normal = manifold.normal;
      }
    }
  }
}

static bool
collide_shapes_of (Collide *n, const KgProgressMonitor *monitor, double size, GArray *contacts, GError **error)
{
  g_auto (ConvexShape) shape_a = { 0 }, shape_b = { 0 };
  ConvexPlaced a, b;

  if (!collide_make_shape (n, n->a, monitor, &shape_a, &a, error) ||
      !collide_make_shape (n, n->b, monitor, &shape_b, &b, error))
    return false;
  collide_compare_shapes (n, &a, &b, size, contacts);
  return true;
}

/* Meshes. */

/* Corners that a thread looks at in one go. */
#define COLLIDE_BLOCK 256

/* Of corners from ... to - 1 of one mesh that are inside of the other, the first of those that are deepest; a distance of 0: none is.
 * known: (inout) shared between threads: some corner is as deep, so that others need only be looked at if they are deeper. */
static MeshNearest
collide_find_deepest_of (const TriangleMesh *of, const TriangleMesh *in, const MeshWinding *winding, size_t from,
                         size_t to, double *known, size_t *corner)
{
  const BoundingBox box = box_tree_get_bounds (in->tree);
  MeshNearest deepest = { .distance = 0 };

  for (size_t i = from; i < to; i++) {
    const KgVector x = triangle_mesh_get_point (of, (uint32_t) i);
    MeshNearest nearest;
    double enough;

#pragma omp atomic read
    enough = *known;
    /* A hair less: of corners that are as deep the first one counts, whichever was found first. */
    if (bounding_box_get_distance2 (&box, x) > 0 || triangle_mesh_is_within (in, x, enough * (1 - 1e-9)) ||
        !triangle_mesh_contains (in, winding, INSIDE_RAY, x))
      continue;
    nearest = triangle_mesh_find_nearest (in, x);
    if (nearest.distance > deepest.distance) {
      deepest = nearest;
      *corner = i;
    }
    if (nearest.distance > enough) {
#pragma omp critical(collide_known)
      if (nearest.distance > *known) {
#pragma omp atomic write
        *known = nearest.distance;
      }
    }
  }
  return deepest;
}

/* Corners of one mesh that are inside of the other: which is deepest, and its way out.  False when cancelled. */
static bool
collide_find_deepest (Collide *n, const TriangleMesh *of, const TriangleMesh *in, bool of_a,
                      const KgProgressMonitor *monitor)
{
  const size_t n_points = kg_geometry_get_n_points (of->geometry);
  const size_t n_blocks = (n_points + COLLIDE_BLOCK - 1) / COLLIDE_BLOCK;
  const BoundingBox box_in = box_tree_get_bounds (in->tree);
  g_autoptr (MeshWinding) winding = NULL;
  g_autofree MeshNearest *nearest = NULL;
  g_autofree size_t *corners = NULL;
  double known = n->depth;
  BoundingBox box_of;
  KgVector low, high;

  kg_geometry_get_bounds (of->geometry, &low, &high);
  box_of = bounding_box_from_vectors (low, high);
  if (in->n_open > 0 || !bounding_box_overlaps (&box_of, &box_in))
    return true;
  winding = mesh_winding_new (in);
  nearest = g_new0 (MeshNearest, MAX (n_blocks, 1));
  corners = g_new0 (size_t, MAX (n_blocks, 1));
#pragma omp parallel for schedule(dynamic) if (n_blocks > 4)
  for (size_t k = 0; k < n_blocks; k++)
    if (!kg_progress_is_cancelled (monitor))
      nearest[k] = collide_find_deepest_of (of, in, winding, k * COLLIDE_BLOCK, MIN (n_points, (k + 1) * COLLIDE_BLOCK),
                                            &known, &corners[k]);
  for (size_t k = 0; k < n_blocks; k++)
    if (nearest[k].distance > n->depth) {
      const KgVector x = triangle_mesh_get_point (of, (uint32_t) corners[k]);
      const KgVector out = kg_vector_subtract (nearest[k].point, x);

      n->depth = nearest[k].distance;
      n->normal = kg_vector_scale (out, (of_a ? 1 : -1) / n->depth);
      n->closest_a = of_a ? x : nearest[k].point;
      n->closest_b = of_a ? nearest[k].point : x;
      n->touching = true;
    }
  return !kg_progress_is_cancelled (monitor);
}

static bool
collide_cross (Collide *n, const TriangleMesh *a, const TriangleMesh *b, const KgProgressMonitor *monitor,
               GArray *contacts, GError **error)
{
  size_t n_tests = 0;
  g_autoptr (GArray) crossings = triangle_mesh_find_crossings (a, b, COLLIDE_MAX_PAIRS, &n_tests, monitor, error);

  if (crossings == NULL)
    return false;
  n->tests = (int64_t) n_tests;
  n->touching = crossings->len > 0;
  for (guint i = 0; i < crossings->len; i++) {
    const MeshCrossing *crossing = &g_array_index (crossings, MeshCrossing, i);

    collide_add (contacts, crossing->point, crossing->normal, crossing->depth,
                 crossing->edge_of_a ? CONTACT_EDGE_OF_A : CONTACT_EDGE_OF_B, (int32_t) a->polygon[crossing->a],
                 (int32_t) b->polygon[crossing->b]);
  }
  if (!collide_find_deepest (n, a, b, true, monitor) || !collide_find_deepest (n, b, a, false, monitor))
    return false;
  /* Bars that cross have no corner inside of each other: the shallowest way out of all crossings. */
  if (n->depth <= 0 && crossings->len > 0) {
    const MeshCrossing *least = &g_array_index (crossings, MeshCrossing, 0);

    for (guint i = 1; i < crossings->len; i++)
      if (g_array_index (crossings, MeshCrossing, i).depth < least->depth)
        least = &g_array_index (crossings, MeshCrossing, i);
    n->depth = least->depth;
    n->normal = least->normal;
    n->closest_a = n->closest_b = least->point;
  }
  return true;
}

static bool
collide_meshes (Collide *n, const KgProgressMonitor *monitor, GArray *contacts, GError **error)
{
  g_autoptr (TriangleMesh) a = triangle_mesh_new (n->a, monitor, error);
  g_autoptr (TriangleMesh) b = a != NULL ? triangle_mesh_new (n->b, monitor, error) : NULL;

  if (b == NULL)
    return false;
  if (a->n == 0 || b->n == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "input %s has no polygons: give it some, or compare hulls, boxes or spheres instead",
                  a->n == 0 ? "a" : "b");
    return false;
  }
  if (!collide_cross (n, a, b, monitor, contacts, error))
    return false;
  n->time = n->touching ? 0 : -1;
  if (n->touching)
    return true;
  n->distance = triangle_mesh_find_distance (a, b, &n->closest_a, &n->closest_b);
  n->touching = n->distance <= 0;
  n->normal = kg_vector_normalize_or (kg_vector_subtract (n->closest_a, n->closest_b), kg_vector (0, 1, 0));
  if (n->distance <= n->margin)
    collide_add (contacts, kg_vector_lerp (n->closest_a, n->closest_b, 0.5), n->normal, -n->distance, CONTACT_FACE, -1,
                 -1);
  if (n->touching)
    n->time = 0;
  else if (kg_vector_length (n->move) > 0) {
    MeshImpact impact;

    if (!triangle_mesh_find_impact (a, b, n->move, COLLIDE_MAX_PAIRS, &impact, monitor, error))
      return false;
    n->time = impact.time;
    n->impact = impact.point;
    n->impact_normal = impact.normal;
  }
  return true;
}

static void
collide_place (KgGeometry **geometry, const KgTransform *transform)
{
  const KgTransform identity = kg_transform_identity ();

  if (memcmp (transform, &identity, sizeof identity) == 0)
    return;
  kg_geometry_make_writable (geometry);
  kg_geometry_transform (*geometry, transform);
}

static bool
collide_evaluate (Collide *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (GArray) contacts = g_array_new (FALSE, FALSE, sizeof (Contact));
  KgVector low_a, high_a, low_b, high_b;
  double size;
  bool done;

  n->time = -1;
  if (kg_geometry_get_n_points (n->a) == 0 || kg_geometry_get_n_points (n->b) == 0) {
    kg_context_warn (ctx, "input %s is empty: nothing touches it", kg_geometry_get_n_points (n->a) == 0 ? "a" : "b");
    return collide_publish (n, contacts, error);
  }
  collide_place (&n->a, &n->transform_a);
  collide_place (&n->b, &n->transform_b);
  kg_geometry_get_bounds (n->a, &low_a, &high_a);
  kg_geometry_get_bounds (n->b, &low_b, &high_b);
  size = fmax (kg_vector_distance (low_a, high_a), kg_vector_distance (low_b, high_b));
  done = n->shape == SHAPE_MESH ? collide_meshes (n, &monitor, contacts, error)
                                : collide_shapes_of (n, &monitor, size, contacts, error);
  /* The impact is now. */
  if (done && n->touching) {
    n->impact = kg_vector_lerp (n->closest_a, n->closest_b, 0.5);
    n->impact_normal = n->normal;
  }
  return done && collide_publish (n, contacts, error);
}

static const KgSlot collide_slots[] = {
  KG_INPUT (Collide, a, GEOMETRY, .label = N_ ("A"), .help = N_ ("The first geometry.")),
  KG_INPUT (Collide, b, GEOMETRY, .label = N_ ("B"), .help = N_ ("The second geometry.")),
  KG_INPUT (
      Collide, shape, CHOICE, .label = N_ ("Compare"), .choices = collide_shapes,
      .help = N_ (
          "Polygons: where edges of one go through faces of the other. The others take a convex shape around each geometry: faster, with up to four points of contact.")),
  KG_INPUT (Collide, transform_a, TRANSFORM, .label = N_ ("Transform of A"),
            .help = N_ ("Moves A before it is compared.")),
  KG_INPUT (Collide, transform_b, TRANSFORM, .label = N_ ("Transform of B"),
            .help = N_ ("Moves B before it is compared.")),
  KG_INPUT (Collide, margin, NUMBER, .label = N_ ("Margin"), .unit = KG_METRES, .min = 0, .max = 1e9, .soft_max = 1,
            .help = N_ ("Objects closer than this also have contacts.")),
  KG_INPUT (Collide, move, VECTOR, .label = N_ ("Move"), .unit = KG_METRES, .handle = { KG_HANDLE_NONE },
            .help = N_ (
                "How A moves relative to B: Time reports when it hits. Fast objects do not pass through undetected.")),
  KG_OUTPUT (
      Collide, contacts, GEOMETRY, .label = N_ ("Contacts"),
      .help = N_ (
          "Points of contact with the attributes N (the way out for A), depth (negative: still apart), kind (0 face, 1 edge of A through a face of B, 2 edge of B through a face of A, 3 edge against edge), and a and b (the polygons, or -1).")),
  KG_OUTPUT (Collide, table, TABLE, .label = N_ ("Table"),
             .help = N_ ("The contacts as exact numbers: position, normal, depth, kind and polygons.")),
  KG_OUTPUT (Collide, touching, BOOLEAN, .label = N_ ("Touching"), .help = N_ ("Whether they touch or overlap.")),
  KG_OUTPUT (Collide, depth, NUMBER, .label = N_ ("Depth"), .unit = KG_METRES,
             .help = N_ ("How far A has to move along the normal. For polygons, how deep the deepest corner is.")),
  KG_OUTPUT (Collide, normal, VECTOR, .label = N_ ("Normal"),
             .help = N_ ("Direction that moves A out of B, or from B to A when they are apart.")),
  KG_OUTPUT (Collide, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES,
             .help = N_ ("Between the nearest points; 0 if they touch.")),
  KG_OUTPUT (Collide, closest_a, VECTOR, .label = N_ ("Closest of A"), .unit = KG_METRES,
             .help = N_ ("The point of A that is nearest to B, or deepest in it.")),
  KG_OUTPUT (Collide, closest_b, VECTOR, .label = N_ ("Closest of B"), .unit = KG_METRES,
             .help = N_ ("The point of B that is nearest to A, or deepest in it.")),
  KG_OUTPUT (Collide, time, NUMBER, .label = N_ ("Time"),
             .help = N_ ("When A hits B, as a share of the movement from 0 to 1; 0 if they touch at the start, -1 "
                         "if they never do.")),
  KG_OUTPUT (Collide, impact, VECTOR, .label = N_ ("Impact"), .unit = KG_METRES,
             .help = N_ ("Where A hits B at that time.")),
  KG_OUTPUT (Collide, impact_normal, VECTOR, .label = N_ ("Impact normal"),
             .help = N_ ("Direction in which A is pushed back there, of length 1.")),
  KG_OUTPUT (Collide, count, INTEGER, .label = N_ ("Count"), .help = N_ ("Number of contacts.")),
  KG_OUTPUT (Collide, tests, INTEGER, .label = N_ ("Tests"), .help = N_ ("How many bounding boxes were compared.")),
};

KG_NODE (
    geometry, collide, Collide, .label = N_ ("Collide"), .version = 1, .since = "0.1",
    .tags = N_ (
        "collision contact overlap intersect touch penetration depth distance closest gjk separating axis impact sweep"),
    .source =
        "Parent, Computer Animation, 4.2 and B.2.10; Gilbert, Johnson, Keerthi 1988; Gottschalk, Lin, Manocha 1996; van den Bergen 2001; Mirtich 1996",
    .help = N_ (
        "Finds out whether two objects touch: where, how deep, in which direction they separate, how far apart they are, and when a moving one will hit the other."));
