/* convex_contact: where two convex shapes touch, see convex_shape.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/convex_shape_private.h"

/* Most corners of a face that take part in clipping; larger faces lose some of theirs. */
#define MAX_CLIP 64
/* The cosine from which a face counts as lying across the normal. */
#define FLAT 0.9995

/* Features: the corner, segment or face of a core that reaches farthest along a direction. */

typedef struct {
  guint n;
  KgVector points[MAX_CLIP];
  uint32_t ids[MAX_CLIP];
  KgVector normal; /* of a face, outward */
  uint32_t face;
} Feature;

static void
get_box_face (const ConvexPlaced *placed, KgVector direction, Feature *feature)
{
  const KgVector d = convex_to_local (placed, direction), half = placed->shape->half;
  const double x = fabs (d.x), y = fabs (d.y), z = fabs (d.z);
  const size_t axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
  const double side = kg_vector_get (d, axis) < 0 ? -1 : 1;
  static const double corners[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } };

  feature->n = 4;
  feature->face = (uint32_t) (2 * axis + (side < 0));
  feature->normal = kg_vector_scale (placed->axes[axis], side);
  for (guint i = 0; i < 4; i++) {
    const guint from = side > 0 ? i : 3 - i;
    KgVector local = { 0, 0, 0 };

    *kg_vector_component (&local, axis) = side * kg_vector_get (half, axis);
    *kg_vector_component (&local, u) = corners[from][0] * kg_vector_get (half, u);
    *kg_vector_component (&local, v) = corners[from][1] * kg_vector_get (half, v);
    feature->points[i] = kg_vector_add (placed->position, convex_to_world (placed, local));
    feature->ids[i] = (uint32_t) ((local.x > 0) | (local.y > 0) << 1 | (local.z > 0) << 2);
  }
}

static void
get_hull_face (const ConvexPlaced *placed, KgVector direction, Feature *feature)
{
  const ConvexFaces *faces = placed->shape->faces;
  const KgVector d = convex_to_local (placed, direction);
  double best = -INFINITY;
  guint face = 0, n;

  for (guint i = 0; i < faces->n_faces; i++) {
    const double x = kg_vector_dot (faces->normals[i], d);

    if (x > best) {
      best = x;
      face = i;
    }
  }
  feature->face = face;
  feature->normal = convex_to_world (placed, faces->normals[face]);
  n = faces->first[face + 1] - faces->first[face];
  feature->n = MIN (n, MAX_CLIP / 2);
  for (guint i = 0; i < feature->n; i++) {
    const uint32_t corner = faces->corners[faces->first[face] + (guint) ((gsize) i * n / feature->n)];

    feature->points[i] = kg_vector_add (placed->position, convex_to_world (placed, faces->points[corner]));
    feature->ids[i] = corner;
  }
}

static void
get_feature (const ConvexPlaced *placed, KgVector direction, Feature *feature)
{
  const ConvexShape *shape = placed->shape;

  /* Only what is used: there is room for many corners. */
  feature->n = 1;
  feature->face = 0;
  feature->normal = direction;
  if (shape->kind == CONVEX_BOX)
    get_box_face (placed, direction, feature);
  else if (shape->kind == CONVEX_HULL && shape->faces->n_faces > 0)
    get_hull_face (placed, direction, feature);
  else if (shape->kind == CONVEX_CAPSULE || (shape->kind == CONVEX_HULL && shape->faces->n_points == 2)) {
    feature->n = 2;
    for (uint32_t i = 0; i < 2; i++) {
      const KgVector local = shape->kind == CONVEX_HULL ? shape->faces->points[i]
                                                        : kg_vector (0, i == 0 ? -shape->half.y : shape->half.y, 0);

      feature->points[i] = kg_vector_add (placed->position, convex_to_world (placed, local));
      feature->ids[i] = i;
    }
  }
}

/* Whether a feature lies across the normal, so that it may touch in more than one point. */
static bool
lies_across (const Feature *feature, KgVector direction)
{
  if (feature->n == 2) {
    const KgVector along = kg_vector_subtract (feature->points[1], feature->points[0]);

    return fabs (kg_vector_dot (along, direction)) < 0.1 * kg_vector_length (along);
  }
  return feature->n > 2 && kg_vector_dot (feature->normal, direction) > FLAT;
}

/* Clipping. */

/* Keeps what of a polygon or segment is behind a plane. */
static void
clip (Feature *feature, KgVector normal, KgVector at, uint32_t id)
{
  Feature kept;
  const guint n = feature->n;

  kept.n = 0;
  for (guint i = 0; i < n && kept.n + 2 < MAX_CLIP; i++) {
    const guint next = (i + 1) % n;
    const double d = kg_vector_dot (normal, kg_vector_subtract (feature->points[i], at));
    const double e = kg_vector_dot (normal, kg_vector_subtract (feature->points[next], at));

    if (d <= 0) {
      kept.points[kept.n] = feature->points[i];
      kept.ids[kept.n++] = feature->ids[i];
    }
    /* The two ends of a segment are joined once. */
    if ((d < 0 && e > 0) || (d > 0 && e < 0)) {
      if (n == 2 && i == 1)
        continue;
      kept.points[kept.n] = kg_vector_lerp (feature->points[i], feature->points[next], d / (d - e));
      kept.ids[kept.n++] = (feature->ids[i] * 31 + feature->ids[next]) * 131 + 64 + id;
    }
  }
  feature->n = kept.n;
  memcpy (feature->points, kept.points, kept.n * sizeof kept.points[0]);
  memcpy (feature->ids, kept.ids, kept.n * sizeof kept.ids[0]);
}

/* Behind the planes through the edges of a face, or through the ends of a segment. */
static void
clip_by (Feature *feature, const Feature *by)
{
  for (guint i = 0; i < by->n && feature->n > 0; i++) {
    const KgVector a = by->points[i], b = by->points[(i + 1) % by->n];

    if (by->n == 2)
      clip (feature, kg_vector_subtract (a, b), a, i);
    else
      clip (feature, kg_vector_cross (kg_vector_subtract (b, a), by->normal), a, i);
  }
}

void
convex_keep_contacts (ConvexManifold *manifold, const ConvexContact *all, guint n)
{
  guint picked[CONVEX_MAX_CONTACTS] = { 0 }, n_picked = 1;
  double best = -1, low = 0, high = 0;
  KgVector across;

  manifold->n = n;
  if (n <= CONVEX_MAX_CONTACTS) {
    memcpy (manifold->contacts, all, n * sizeof *all);
    return;
  }
  for (guint i = 1; i < n; i++)
    if (all[i].depth > all[picked[0]].depth + 1e-12)
      picked[0] = i;
  for (guint i = 0; i < n; i++) {
    const double distance = kg_vector_distance (all[i].point, all[picked[0]].point);

    if (distance > best) {
      best = distance;
      picked[1] = i;
    }
  }
  n_picked = 2;
  across = kg_vector_cross (manifold->normal, kg_vector_subtract (all[picked[1]].point, all[picked[0]].point));
  for (guint i = 0; i < n; i++) {
    const double side = kg_vector_dot (across, kg_vector_subtract (all[i].point, all[picked[0]].point));

    if (side > high) {
      high = side;
      picked[2] = i;
    }
    if (side < low) {
      low = side;
      picked[3] = i;
    }
  }
  manifold->n = 0;
  for (guint k = 0; k < 4; k++)
    if (k < n_picked || (k == 2 && high > 0) || (k == 3 && low < 0))
      manifold->contacts[manifold->n++] = all[picked[k]];
}

/* The nearest points of the cores become those of the surfaces, which are the radii nearer. */
static void
set_by_cores (const ConvexPlaced *a, const ConvexPlaced *b, double core_depth, KgVector normal, KgVector on_a,
              KgVector on_b, ConvexManifold *manifold)
{
  manifold->normal = normal;
  manifold->depth = core_depth + a->shape->radius + b->shape->radius;
  manifold->on_a = kg_vector_add_scaled (on_a, -a->shape->radius, normal);
  manifold->on_b = kg_vector_add_scaled (on_b, b->shape->radius, normal);
}

/* The nearest points of the edges of both that reach farthest towards each other. */
static void
find_edge_points (const ConvexPlaced *a, const ConvexPlaced *b, ConvexManifold *manifold)
{
  /* Pulled apart to where they nearly touch, the nearest points are those of the edges. */
  ConvexPlaced pulled = *a;
  const double by = manifold->depth + 1e-3 * fmax (manifold->depth, 1e-6);
  KgVector axis = manifold->normal;
  ConvexSimplex simplex;

  pulled.position = kg_vector_add_scaled (a->position, by, manifold->normal);
  convex_find_core_distance (&pulled, b, INFINITY, NULL, &axis, &simplex, &manifold->on_a, &manifold->on_b);
  manifold->on_a = kg_vector_add_scaled (manifold->on_a, -by, manifold->normal);
}

/* The same along an axis; normal: that of the axis. */
static void
set_by_axis (const ConvexPlaced *a, const ConvexPlaced *b, KgVector normal, ConvexManifold *manifold)
{
  ConvexManifold along = { .normal = normal, .depth = manifold->depth - a->shape->radius - b->shape->radius };

  find_edge_points (a, b, &along);
  set_by_cores (a, b, along.depth, normal, along.on_a, along.on_b, &along);
  manifold->on_a = along.on_a;
  manifold->on_b = along.on_b;
}

/* One contact between the nearest or deepest points. */
static void
fill_one (ConvexManifold *manifold)
{
  manifold->n = 1;
  manifold->contacts[0] = (ConvexContact){ kg_vector_lerp (manifold->on_a, manifold->on_b, 0.5), manifold->depth, 0 };
}

/* The contacts of a manifold whose normal and depth are known.  Returns false where its nearest points are wanted for the only
 * one, but not known (points). */
static bool
fill_contacts (const ConvexPlaced *a, const ConvexPlaced *b, double margin, bool points, ConvexManifold *manifold)
{
  const KgVector n = manifold->normal, back = kg_vector_scale (n, -1);
  const double radii = a->shape->radius + b->shape->radius;
  ConvexContact contacts[MAX_CLIP];
  Feature of_a, of_b, *reference, *incident;
  bool flip, flat;
  guint kept = 0;

  get_feature (a, back, &of_a);
  get_feature (b, n, &of_b);
  /* Of faces that are nearly parallel two edges may be a little nearer, but the faces touch. */
  flat = of_a.n > 2 && of_b.n > 2 && lies_across (&of_a, back) && lies_across (&of_b, n);
  if ((manifold->edges && !flat) || of_a.n < 2 || of_b.n < 2 ||
      !(lies_across (&of_a, back) || lies_across (&of_b, n)) || (of_a.n == 2 && !lies_across (&of_a, back)) ||
      (of_b.n == 2 && !lies_across (&of_b, n))) {
    if (points)
      fill_one (manifold);
    return points;
  }
  /* The face that lies better across the normal is the one to clip by; of equal ones that of b. */
  flip = of_b.n == 2 || (of_a.n > 2 && kg_vector_dot (of_a.normal, back) > kg_vector_dot (of_b.normal, n) + 1e-6);
  reference = flip ? &of_a : &of_b;
  incident = flip ? &of_b : &of_a;
  if (manifold->edges) {
    manifold->normal = flip ? kg_vector_scale (of_a.normal, -1) : of_b.normal;
    manifold->edges = false;
  }
  if (of_a.n == 2 && of_b.n == 2) {
    const KgVector u = kg_vector_subtract (of_a.points[1], of_a.points[0]),
                   v = kg_vector_subtract (of_b.points[1], of_b.points[0]);

    if (kg_vector_length (kg_vector_cross (u, v)) > 0.05 * kg_vector_length (u) * kg_vector_length (v)) {
      if (points)
        fill_one (manifold);
      return points;
    }
    reference->normal = flip ? back : n;
  }
  clip_by (incident, reference);
  for (guint i = 0; i < incident->n; i++) {
    const KgVector x = incident->points[i], outward = reference->normal;
    const double gap = kg_vector_dot (outward, kg_vector_subtract (x, reference->points[0])) - radii;

    if (gap > margin)
      continue;
    /* Between the surfaces of both. */
    contacts[kept++] = (ConvexContact){
      kg_vector_add_scaled (x, -0.5 * gap - (flip ? b : a)->shape->radius, outward), -gap,
      (flip ? 0x80000000u : 0) |
          ((reference->face * 2654435761u + incident->face * 40503u + incident->ids[i]) & 0x7fffffffu)
    };
  }
  if (kept > 0)
    convex_keep_contacts (manifold, contacts, kept);
  else if (points)
    fill_one (manifold);
  return kept > 0 || points;
}

/* Distances. */

static KgVector
get_first_axis (const ConvexPlaced *a, const ConvexPlaced *b)
{
  return kg_vector_subtract (a->position, b->position);
}

/* The way between the middles of two hulls, b to a, and its length: what the balls within and around them say about theirs. */
static double
get_way (const ConvexPlaced *a, const ConvexPlaced *b, KgVector *way)
{
  const KgVector at_a = kg_vector_add (a->position, convex_to_world (a, a->shape->faces->middle));
  const KgVector at_b = kg_vector_add (b->position, convex_to_world (b, b->shape->faces->middle));

  *way = kg_vector_subtract (at_a, at_b);
  return kg_vector_length (*way);
}

double
convex_find_distance (const ConvexPlaced *a, const ConvexPlaced *b, KgVector *on_a, KgVector *on_b)
{
  const double radii = a->shape->radius + b->shape->radius;
  KgVector axis = get_first_axis (a, b), normal;
  ConvexSimplex simplex;
  const double distance = convex_find_core_distance (a, b, INFINITY, NULL, &axis, &simplex, on_a, on_b);

  normal = kg_vector_normalize_or (kg_vector_subtract (*on_a, *on_b), kg_vector (0, 0, 0));
  *on_a = kg_vector_add_scaled (*on_a, -a->shape->radius, normal);
  *on_b = kg_vector_add_scaled (*on_b, b->shape->radius, normal);
  return fmax (distance - radii, 0);
}

bool
convex_overlap (const ConvexPlaced *a, const ConvexPlaced *b, KgVector *axis)
{
  const double radii = a->shape->radius + b->shape->radius;
  KgVector first = axis != NULL && kg_vector_dot (*axis, *axis) > 0 ? *axis : get_first_axis (a, b);
  ConvexWithin within = { .radius = 0 };
  double distance;

  if (a->shape->kind == CONVEX_HULL && b->shape->kind == CONVEX_HULL) {
    const ConvexFaces *of_a = a->shape->faces, *of_b = b->shape->faces;
    KgVector way;

    distance = get_way (a, b, &way);
    if (axis != NULL && distance > of_a->outer + of_b->outer + radii)
      *axis = way;
    if (distance > of_a->outer + of_b->outer + radii)
      return false;
    if (distance < of_a->inner + of_b->inner + radii)
      return true;
    within = (ConvexWithin){ way, of_a->inner + of_b->inner };
  }
  distance = convex_find_core_distance (a, b, radii, within.radius > 0 ? &within : NULL, &first, NULL, NULL, NULL);
  if (axis != NULL)
    *axis = first;
  return distance <= radii;
}

/* Contacts. */

static bool
find_by_axes (const ConvexPlaced *a, const ConvexPlaced *b, double margin, bool points, ConvexManifold *manifold)
{
  const double radii = a->shape->radius + b->shape->radius;
  const ConvexAxes axes = convex_try_axes (a, b, margin + radii);

  *manifold =
      (ConvexManifold){ .normal = axes.normal, .depth = axes.depth, .way = CONVEX_BY_AXES, .edges = axes.edges };
  manifold->depth += radii;
  if (axes.gap > 0)
    /* A face of a box that is still apart, but has something in front of it, has the contacts that it will have when they
     * touch; else the distance decides. */
    return !points && !axes.edges && a->shape->kind == CONVEX_BOX && b->shape->kind == CONVEX_BOX &&
           fill_contacts (a, b, margin, false, manifold);
  if (points)
    set_by_axis (a, b, axes.normal, manifold);
  if (!fill_contacts (a, b, margin, points, manifold)) {
    set_by_axis (a, b, axes.normal, manifold);
    fill_one (manifold);
  }
  return true;
}

/* points: the nearest points are wanted, too. */
static bool
find_contacts (const ConvexPlaced *a, const ConvexPlaced *b, double margin, bool points, ConvexManifold *manifold)
{
  const double radii = a->shape->radius + b->shape->radius;
  const bool few = convex_has_few_axes (a, b);
  KgVector axis = get_first_axis (a, b), on_a, on_b, normal;
  ConvexSimplex simplex;
  double distance;

  *manifold = (ConvexManifold){ .way = CONVEX_APART };
  if (a->shape->kind == CONVEX_HULL && b->shape->kind == CONVEX_HULL) {
    KgVector way;
    const double between = get_way (a, b, &way), reach = a->shape->faces->outer + b->shape->faces->outer + radii;

    if (between > reach + margin) {
      manifold->normal = kg_vector_scale (way, 1 / between);
      manifold->depth = reach - between;
      return false;
    }
  }
  if (few && find_by_axes (a, b, margin, points, manifold))
    return true;
  if (few && -manifold->depth > margin) {
    manifold->way = CONVEX_APART;
    return false;
  }
  distance = convex_find_core_distance (a, b, margin + radii, NULL, &axis, &simplex, &on_a, &on_b);
  if (distance > margin + radii) {
    *manifold = (ConvexManifold){ .way = CONVEX_APART,
                                  .normal = kg_vector_normalize_or (axis, kg_vector (0, 1, 0)),
                                  .depth = radii - distance };
    return false;
  }
  *manifold = (ConvexManifold){ .way = CONVEX_BY_DISTANCE };
  if (distance > 0)
    normal = kg_vector_scale (kg_vector_subtract (on_a, on_b), 1 / distance);
  else {
    distance = -convex_find_core_depth (a, b, &simplex, &normal, &on_a, &on_b);
    manifold->way = CONVEX_BY_POLYTOPE;
  }
  set_by_cores (a, b, -distance, normal, on_a, on_b, manifold);
  fill_contacts (a, b, margin, true, manifold);
  return true;
}

bool
convex_find_contacts (const ConvexPlaced *a, const ConvexPlaced *b, double margin, ConvexManifold *manifold)
{
  return find_contacts (a, b, margin, true, manifold);
}

bool
convex_find_contacts_only (const ConvexPlaced *a, const ConvexPlaced *b, double margin, ConvexManifold *manifold)
{
  return find_contacts (a, b, margin, false, manifold);
}
