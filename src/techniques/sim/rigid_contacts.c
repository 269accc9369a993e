/* rigid_contacts: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_contacts.h"

#include "geometry/box_tree.h"
#include "kg-error.h"

/* Most pairs of boxes that are looked at. */
#define MAX_PAIRS 3000000
/* Pairs that one thread looks at in a row. */
#define BLOCK 32
/* The cosine from which two normals count as the same. */
#define SAME_NORMAL 0.999
/* Most contacts of a body with a surface, before those that do not matter are left out. */
#define MAX_FOUND 256
/* The share of the range of depths from the deepest on that counts as deep. */
#define DEEP 0.1
/* How far out of a face of a part, and from its rim, another part is looked for, as a share of the size of the body; and how deep in
 * it that is inside. */
#define OUTSIDE 1e-3
#define INSIDE 2e-5

typedef struct {
  const RigidSet *set;
  const RigidMotion *motions;
  const KgVector *omegas;
  const RigidContactOptions *options;
} Finding;

/* Order by bodies and feature. */
static int
rigid_contact_compare (const void *a, const void *b)
{
  const RigidContact *x = (const RigidContact *) a, *y = (const RigidContact *) b;

  if (x->a != y->a)
    return x->a < y->a ? -1 : 1;
  if (x->b != y->b)
    return x->b < y->b ? -1 : 1;
  if (x->feature != y->feature)
    return x->feature < y->feature ? -1 : 1;
  /* Features of two parts may have the same number. */
  for (size_t c = 0; c < 3; c++) {
    const double p = kg_vector_get (x->place, c), q = kg_vector_get (y->place, c);

    if (p != q)
      return p < q ? -1 : 1;
  }
  return 0;
}

void
rigid_contacts_sort (GArray *contacts, int (*compare) (const void *a, const void *b))
{
  RigidContact *all = (RigidContact *) (void *) contacts->data;
  const guint n = contacts->len;
  g_autofree RigidContact *sorted = NULL;
  g_autofree guint *order = NULL, *merged = NULL;
  bool done = false;

  for (guint i = 1; i < n && order == NULL; i++)
    if (compare (&all[i - 1], &all[i]) > 0)
      order = g_new (guint, n);
  if (order == NULL)
    return;
  merged = g_new (guint, n);
  for (guint i = 0; i < n; i++)
    order[i] = i;
  /* Neighbouring runs that are in order are merged until there is one. */
  while (!done) {
    done = true;
    for (guint first = 0; first < n;) {
      guint middle = first + 1, end, i = first, k, at = first;

      while (middle < n && compare (&all[order[middle - 1]], &all[order[middle]]) <= 0)
        middle++;
      end = k = middle;
      if (end < n) {
        end++;
        while (end < n && compare (&all[order[end - 1]], &all[order[end]]) <= 0)
          end++;
      }
      done = done && first == 0 && end == n;
      while (at < end)
        if (k == end || (i < middle && compare (&all[order[i]], &all[order[k]]) <= 0))
          merged[at++] = order[i++];
        else
          merged[at++] = order[k++];
      first = end;
    }
    memcpy (order, merged, n * sizeof *order);
  }
  sorted = g_new (RigidContact, n);
  for (guint i = 0; i < n; i++)
    sorted[i] = all[order[i]];
  memcpy (all, sorted, n * sizeof *sorted);
}

/* Few, from the first on, each to its place. */
static void
insert_sorted (GArray *contacts, guint first)
{
  RigidContact *all = (RigidContact *) (void *) contacts->data;

  for (guint i = first + 1; i < contacts->len; i++) {
    const RigidContact contact = all[i];
    guint at = i;

    while (at > first && rigid_contact_compare (&all[at - 1], &contact) > 0) {
      all[at] = all[at - 1];
      at--;
    }
    all[at] = contact;
  }
}

ConvexPlaced
rigid_part_place (const RigidPart *part, KgVector place, KgRotation turn)
{
  return convex_shape_place (&part->shape, kg_vector_add (place, kg_rotation_apply (turn, part->offset)),
                             kg_rotation_multiply (turn, part->turn));
}

static const RigidPart *
get_part (const Finding *finding, uint32_t body, guint i)
{
  return &g_array_index (finding->set->parts, RigidPart, rigid_set_get_body (finding->set, body)->first_part + i);
}

static ConvexPlaced
place_part (const Finding *finding, uint32_t body, guint i)
{
  return rigid_part_place (get_part (finding, body, i), finding->motions[body].place, finding->motions[body].turn);
}

/* How far any point of a body may move. */
static double
get_reach (const Finding *finding, uint32_t body)
{
  const double omega = kg_vector_length (finding->omegas[body]) * finding->options->ahead;

  return kg_vector_length (finding->motions[body].velocity) * finding->options->ahead +
         fmin (omega, 2) * rigid_set_get_body (finding->set, body)->radius;
}

static double
combine (RigidCombine how, double a, double b)
{
  switch (how) {
  case RIGID_LEAST:
    return fmin (a, b);
  case RIGID_MOST:
    return fmax (a, b);
  case RIGID_MEAN:
    return 0.5 * (a + b);
  case RIGID_PRODUCT:
    return a * b;
  default:
    return sqrt (a * b);
  }
}

/* Narrow phase. */

typedef struct {
  const Finding *finding;
  uint32_t a, b;
  double margin;
  GArray *contacts;
} Touching;

static void
add_manifold (const Touching *touching, const ConvexManifold *manifold, uint32_t part, double round_a, double round_b)
{
  const RigidContactOptions *options = touching->finding->options;
  const RigidBody *a = rigid_set_get_body (touching->finding->set, touching->a),
                  *b = touching->b < touching->finding->set->bodies->len
                           ? rigid_set_get_body (touching->finding->set, touching->b)
                           : NULL;
  const RigidGround *ground = &options->ground;

  for (guint i = 0; i < manifold->n; i++) {
    const RigidContact contact = {
      .a = touching->a,
      .b = touching->b,
      .feature = manifold->contacts[i].id ^ part * 2654435761u,
      .kind = manifold->edges ? RIGID_TOUCH_EDGES : RIGID_TOUCH_FACE,
      .place = manifold->contacts[i].point,
      .normal = manifold->normal,
      .depth = manifold->contacts[i].depth,
      .round_a = round_a,
      .round_b = round_b,
      .friction = combine (options->combine, a->friction, b != NULL ? b->friction : ground->friction),
      .friction_static =
          combine (options->combine, a->friction_static, b != NULL ? b->friction_static : ground->friction_static),
      .restitution = combine (options->combine, a->restitution, b != NULL ? b->restitution : ground->restitution),
    };

    g_array_append_val (touching->contacts, contact);
  }
}

/* The contacts of many small parts or faces, until those that matter are known. */
typedef struct {
  guint n;
  ConvexContact contacts[MAX_FOUND];
  KgVector normals[MAX_FOUND];
  bool edges[MAX_FOUND];
  double round_a, round_b;
} Found;

static void
find_more (Found *found, const ConvexManifold *manifold, uint32_t part)
{
  for (guint i = 0; i < manifold->n && found->n < MAX_FOUND; i++) {
    found->normals[found->n] = manifold->normal;
    found->edges[found->n] = manifold->edges;
    found->contacts[found->n] = manifold->contacts[i];
    found->contacts[found->n++].id ^= part * 40503u;
  }
}

/* Adds those of n contacts with one normal that matter. */
static void
add_same (const Touching *touching, const Found *found, KgVector normal, bool edges, const ConvexContact *same, guint n)
{
  ConvexManifold manifold = { .normal = normal, .edges = edges };

  convex_keep_contacts (&manifold, same, n);
  add_manifold (touching, &manifold, 0, found->round_a, found->round_b);
}

/* The same of a body with many parts: the outermost contacts need not be those that are deep, as where a ring lies on its
 * round underside. */
static void
add_deep_and_wide (const Touching *touching, const Found *found, KgVector normal, bool edges, const ConvexContact *same,
                   guint n)
{
  ConvexContact deep[MAX_FOUND], others[MAX_FOUND];
  double most = -INFINITY, least = INFINITY;
  guint n_deep = 0, n_others = 0;

  for (guint i = 0; i < n; i++) {
    most = fmax (most, same[i].depth);
    least = fmin (least, same[i].depth);
  }
  for (guint i = 0; i < n; i++)
    if (same[i].depth >= most - DEEP * (most - least))
      deep[n_deep++] = same[i];
    else
      others[n_others++] = same[i];
  add_same (touching, found, normal, edges, deep, n_deep);
  if (n_others > 0)
    add_same (touching, found, normal, edges, others, n_others);
}

/* Contacts with one normal are one manifold. */
static void
add_found (const Touching *touching, Found *found, bool many)
{
  while (found->n > 0) {
    const KgVector normal = found->normals[0];
    const bool edges = found->edges[0];
    ConvexContact same[MAX_FOUND];
    guint n_same = 0, left = 0;

    for (guint i = 0; i < found->n; i++)
      if (kg_vector_dot (found->normals[i], normal) > SAME_NORMAL)
        same[n_same++] = found->contacts[i];
      else {
        found->contacts[left] = found->contacts[i];
        found->edges[left] = found->edges[i];
        found->normals[left++] = found->normals[i];
      }
    found->n = left;
    if (many && n_same > CONVEX_MAX_CONTACTS)
      add_deep_and_wide (touching, found, normal, edges, same, n_same);
    else
      add_same (touching, found, normal, edges, same, n_same);
  }
}

/* Whether a contact of a part is none of its body, for parts meet there: what is pushed out of a face, along a unit vector at a
 * point of the side of the part, comes to be in another part; or an edge pushes in a direction in which another part, which
 * has that point too, goes on. */
static bool
is_inner (const ConvexPlaced *parts, guint n, guint part, double size, KgVector side, KgVector out)
{
  const bool face = convex_get_facing (&parts[part], out) > SAME_NORMAL;
  const KgVector back = kg_vector_subtract (convex_get_middle (&parts[part]), side),
                 along = kg_vector_normalize_or (kg_vector_add_scaled (back, -kg_vector_dot (back, out), out),
                                                 kg_vector (0, 0, 0));
  const KgVector x =
      face ? kg_vector_add_scaled (kg_vector_add_scaled (side, OUTSIDE * size, out), OUTSIDE * size, along) : side;

  for (guint i = 0; i < n; i++) {
    double distance, low, high;
    KgVector way;

    if (i == part)
      continue;
    distance = convex_get_distance_of_point (&parts[i], x, &way);
    convex_get_interval (&parts[i], out, &low, &high);
    if (face ? distance < -INSIDE * size : distance < INSIDE * size && high > kg_vector_dot (side, out) + INSIDE * size)
      return true;
  }
  return false;
}

/* Leaves out what is not on the surface of a, or of b, unless nothing would be left.  inner: of each contact that was found. */
static void
leave_out_inner (Found *found, const bool *inner)
{
  guint n = 0;

  for (guint i = 0; i < found->n; i++)
    n += !inner[i];
  if (n == 0 || n == found->n)
    return;
  n = 0;
  for (guint i = 0; i < found->n; i++)
    if (!inner[i]) {
      found->contacts[n] = found->contacts[i];
      found->edges[n] = found->edges[i];
      found->normals[n++] = found->normals[i];
    }
  found->n = n;
}

static bool
is_apart (KgVector low, KgVector high, KgVector from, KgVector to, double margin)
{
  return from.x - margin > high.x || from.y - margin > high.y || from.z - margin > high.z || to.x + margin < low.x ||
         to.y + margin < low.y || to.z + margin < low.z;
}

/* The convex parts of a body, where they are. */
typedef struct {
  guint n;
  double size;
  ConvexPlaced *placed;
  KgVector (*bounds)[2];
} Parts;

static void
parts_clear (Parts *parts)
{
  g_clear_pointer (&parts->placed, g_free);
  g_clear_pointer (&parts->bounds, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Parts, parts_clear)

static Parts
place_parts (const Finding *finding, uint32_t body, KgVector place, KgRotation turn)
{
  const RigidBody *b = rigid_set_get_body (finding->set, body);
  Parts parts = { .n = b->n_parts, .size = b->radius };

  parts.placed = g_new (ConvexPlaced, MAX (parts.n, 1));
  parts.bounds = g_malloc_n (MAX (parts.n, 1), sizeof *parts.bounds);
  for (guint i = 0; i < parts.n; i++) {
    parts.placed[i] = rigid_part_place (get_part (finding, body, i), place, turn);
    convex_get_bounds (&parts.placed[i], &parts.bounds[i][0], &parts.bounds[i][1]);
  }
  return parts;
}

/* Which contacts from the first on push part i of a, or part k of b, into another one of its body.  b: (nullable) */
static void
mark_inner (const Found *found, guint first, const Parts *a, guint i, const Parts *b, guint k, bool *inner)
{
  for (guint c = first; c < found->n; c++) {
    const KgVector n = found->normals[c];
    const ConvexContact *contact = &found->contacts[c];

    inner[c] =
        (a->n > 1 &&
         is_inner (a->placed, a->n, i, a->size, kg_vector_add_scaled (contact->point, -0.5 * contact->depth, n),
                   kg_vector_scale (n, -1))) ||
        (b != NULL && b->n > 1 &&
         is_inner (b->placed, b->n, k, b->size, kg_vector_add_scaled (contact->point, 0.5 * contact->depth, n), n));
  }
}

/* Bodies of many parts. */
static void
touch_many (const Touching *touching)
{
  const Finding *finding = touching->finding;
  const RigidMotion *at_a = &finding->motions[touching->a], *at_b = &finding->motions[touching->b];
  g_auto (Parts) a = place_parts (finding, touching->a, at_a->place, at_a->turn);
  g_auto (Parts) b = place_parts (finding, touching->b, at_b->place, at_b->turn);
  g_autofree Found *found = g_new (Found, 1);
  bool inner[MAX_FOUND];

  found->n = 0;
  for (guint i = 0; i < a.n; i++)
    for (guint k = 0; k < b.n; k++) {
      const guint first = found->n;
      ConvexManifold manifold;

      if (is_apart (a.bounds[i][0], a.bounds[i][1], b.bounds[k][0], b.bounds[k][1], touching->margin) ||
          !convex_find_contacts_only (&a.placed[i], &b.placed[k], touching->margin, &manifold))
        continue;
      find_more (found, &manifold, i * b.n + k);
      mark_inner (found, first, &a, i, &b, k, inner);
    }
  leave_out_inner (found, inner);
  found->round_a = a.n > 0 ? a.placed[0].shape->radius : 0;
  found->round_b = b.n > 0 ? b.placed[0].shape->radius : 0;
  add_found (touching, found, true);
}

static void
touch_parts (const Touching *touching)
{
  const Finding *finding = touching->finding;
  ConvexManifold manifold;
  ConvexPlaced a, b;

  if (rigid_set_get_body (finding->set, touching->a)->n_parts != 1 ||
      rigid_set_get_body (finding->set, touching->b)->n_parts != 1) {
    touch_many (touching);
    return;
  }
  a = place_part (finding, touching->a, 0);
  b = place_part (finding, touching->b, 0);
  if (convex_find_contacts_only (&a, &b, touching->margin, &manifold))
    add_manifold (touching, &manifold, 0, a.shape->radius, b.shape->radius);
}

static void
touch_ground (const Touching *touching)
{
  const RigidBody *body = rigid_set_get_body (touching->finding->set, touching->a);
  g_autofree Found *found = g_new (Found, 1);

  found->n = 0;
  found->round_a = found->round_b = 0;
  for (guint i = 0; i < body->n_parts; i++) {
    const ConvexPlaced a = place_part (touching->finding, touching->a, i);
    ConvexManifold manifold;

    found->round_a = a.shape->radius;
    if (convex_find_plane_contacts (&a, kg_vector (0, 1, 0), touching->finding->options->ground.height,
                                    touching->margin, &manifold))
      find_more (found, &manifold, i);
  }
  add_found (touching, found, body->n_parts > 1);
}

/* Surfaces. */

/* A part of a body, where the surface is at rest, and what is found of it. */
typedef struct {
  const RigidSurface *surface;
  ConvexPlaced part;
  double margin;
  Found found;
} Crossing;

/* Whether a normal is one that the triangle may push along: that of its face, or one between two faces that bend outwards. */
static bool
check_normal (const Crossing *crossing, uint32_t triangle, const KgVector corners[3], KgVector face, KgVector at,
              KgVector *normal)
{
  const double along = kg_vector_dot (*normal, face);
  const KgVector side = along < 0 ? kg_vector_scale (face, -1) : face;
  bool on_edge = false;

  if (fabs (along) > SAME_NORMAL) {
    *normal = side;
    return true;
  }
  for (uint32_t k = 0; k < 3; k++) {
    const KgVector edge = kg_vector_subtract (corners[(k + 1) % 3], corners[k]);
    const double away = kg_vector_length (kg_vector_cross (edge, kg_vector_subtract (at, corners[k]))) /
                        kg_vector_dot (edge, edge);

    if (away > 1e-3)
      continue;
    on_edge = true;
    if ((crossing->surface->inner[triangle] >> k & 1) != 0)
      return false;
  }
  if (!on_edge)
    *normal = side;
  return true;
}

static bool
touch_triangle (gpointer data, uint32_t triangle)
{
  Crossing *crossing = (Crossing *) data;
  const KgRotation none = kg_rotation_identity ();
  KgVector corners[3], face;
  ConvexManifold manifold;
  ConvexShape shape;
  ConvexPlaced placed;

  triangle_mesh_get_corners (crossing->surface->mesh, triangle, corners);
  face = kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0]));
  if (!(kg_vector_length (face) > 0))
    return true;
  face = kg_vector_normalize_or (face, kg_vector (0, 1, 0));
  shape = convex_shape_triangle (corners, 0);
  placed = convex_shape_place (&shape, kg_vector (0, 0, 0), none);
  if (convex_find_contacts (&crossing->part, &placed, crossing->margin, &manifold) &&
      check_normal (crossing, triangle, corners, face, manifold.on_b, &manifold.normal)) {
    manifold.edges = manifold.edges && fabs (kg_vector_dot (manifold.normal, face)) < SAME_NORMAL;
    find_more (&crossing->found, &manifold, triangle);
  }
  convex_shape_clear (&shape);
  return crossing->found.n < MAX_FOUND;
}

static void
touch_surface (const Touching *touching)
{
  const Finding *finding = touching->finding;
  const RigidBody *a = rigid_set_get_body (finding->set, touching->a),
                  *b = rigid_set_get_body (finding->set, touching->b);
  const RigidMotion *motion = &finding->motions[touching->b], *own = &finding->motions[touching->a];
  const KgRotation back = kg_rotation_conjugate (motion->turn);
  const KgVector place =
      kg_vector_add (b->center, kg_rotation_apply (back, kg_vector_subtract (own->place, motion->place)));
  const KgRotation turn = kg_rotation_multiply (back, own->turn);
  g_auto (Parts) parts = place_parts (finding, touching->a, place, turn);

  for (guint i = 0; i < a->n_parts; i++) {
    g_autofree Crossing *crossing = g_new (Crossing, 1);
    const KgVector grow = { touching->margin, touching->margin, touching->margin };
    bool inner[MAX_FOUND];
    BoundingBox box;

    crossing->surface = (const RigidSurface *) g_ptr_array_index (finding->set->surfaces, (guint) b->surface);
    crossing->part = parts.placed[i];
    crossing->margin = touching->margin;
    crossing->found.n = 0;
    crossing->found.round_a = crossing->part.shape->radius;
    crossing->found.round_b = 0;
    box = bounding_box_from_vectors (kg_vector_subtract (parts.bounds[i][0], grow),
                                     kg_vector_add (parts.bounds[i][1], grow));
    box_tree_visit_overlaps (crossing->surface->mesh->tree, &box, touch_triangle, crossing);
    mark_inner (&crossing->found, 0, &parts, i, NULL, 0, inner);
    leave_out_inner (&crossing->found, inner);
    for (guint k = 0; k < crossing->found.n; k++) {
      ConvexContact *contact = &crossing->found.contacts[k];

      crossing->found.normals[k] = kg_rotation_apply (motion->turn, crossing->found.normals[k]);
      contact->point = kg_vector_add (motion->place,
                                      kg_rotation_apply (motion->turn, kg_vector_subtract (contact->point, b->center)));
      contact->id += i * 2654435761u;
    }
    add_found (touching, &crossing->found, false);
  }
}

static void
touch (const Touching *touching)
{
  if (touching->b == touching->finding->set->bodies->len)
    touch_ground (touching);
  else if (rigid_set_get_body (touching->finding->set, touching->b)->surface >= 0)
    touch_surface (touching);
  else
    touch_parts (touching);
}

/* Broad phase. */

static BoundingBox
get_bounds (const Finding *finding, uint32_t body)
{
  const RigidBody *b = rigid_set_get_body (finding->set, body);
  const KgVector place = finding->motions[body].place;
  const double reach = get_reach (finding, body) + 0.5 * finding->options->margin;
  KgVector low = { INFINITY, INFINITY, INFINITY }, high = { -INFINITY, -INFINITY, -INFINITY };

  if (b->surface >= 0) {
    low = kg_vector_add (place, kg_vector (-b->radius, -b->radius, -b->radius));
    high = kg_vector_add (place, kg_vector (b->radius, b->radius, b->radius));
  }
  for (guint i = 0; i < b->n_parts; i++) {
    const ConvexPlaced placed = place_part (finding, body, i);
    KgVector from, to;

    convex_get_bounds (&placed, &from, &to);
    low = kg_vector_min (low, from);
    high = kg_vector_max (high, to);
  }
  return bounding_box_from_vectors (kg_vector_subtract (low, kg_vector (reach, reach, reach)),
                                    kg_vector_add (high, kg_vector (reach, reach, reach)));
}

/* Moving bodies that do not sleep, and driven ones on the way. */
static bool
is_awake (const Finding *finding, uint32_t body)
{
  switch (rigid_set_get_body (finding->set, body)->kind) {
  case RIGID_MOVING:
    return !finding->motions[body].asleep;
  case RIGID_DRIVEN:
    return kg_vector_length (finding->motions[body].velocity) > 0 || kg_vector_length (finding->omegas[body]) > 0;
  default:
    return false;
  }
}

static int
compare_pairs (const void *a, const void *b)
{
  const RigidPair *x = (const RigidPair *) a, *y = (const RigidPair *) b;

  return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

/* Pairs of which at least one is awake. */
static bool
find_pairs (const Finding *finding, const RigidPair *unlinked, guint n_unlinked, GArray *pairs,
            const KgProgressMonitor *monitor, GError **error)
{
  const guint n = finding->set->bodies->len;
  g_autofree uint32_t *movers = g_new (uint32_t, MAX (n, 1)), *others = g_new (uint32_t, MAX (n, 1));
  g_autofree BoundingBox *boxes = g_new (BoundingBox, MAX (n, 1)), *other_boxes = g_new (BoundingBox, MAX (n, 1));
  g_autoptr (BoxTree) tree = NULL, other_tree = NULL;
  guint n_movers = 0, n_others = 0;

  for (guint i = 0; i < n; i++)
    if (rigid_set_get_body (finding->set, i)->kind == RIGID_MOVING)
      movers[n_movers++] = i;
    else
      others[n_others++] = i;
#pragma omp parallel for schedule(static) if (n_movers > 256)
  for (guint i = 0; i < n_movers; i++)
    boxes[i] = get_bounds (finding, movers[i]);
  for (guint i = 0; i < n_others; i++)
    other_boxes[i] = get_bounds (finding, others[i]);
  if ((tree = box_tree_new (boxes, n_movers, monitor)) == NULL ||
      (other_tree = box_tree_new (other_boxes, n_others, monitor)) == NULL)
    return false;
  for (int pass = 0; pass < 2; pass++) {
    g_autoptr (GError) local = NULL;
    g_autoptr (GArray)
        found = box_tree_find_pairs (tree, pass == 0 ? NULL : other_tree, MAX_PAIRS, NULL, monitor, &local);

    if (found == NULL) {
      if (local != NULL)
        kg_set_error (error, KG_ERROR_LIMIT,
                      "more than %d pairs of bodies touch: spread them, so that they are not all at one place",
                      MAX_PAIRS);
      return false;
    }
    for (guint k = 0; k < found->len; k++) {
      const BoxPair *pair = &g_array_index (found, BoxPair, k);
      RigidPair kept = { movers[pair->a], pass == 0 ? movers[pair->b] : others[pair->b] };

      if (pass == 0 && kept.a > kept.b)
        kept = (RigidPair){ kept.b, kept.a };
      if ((is_awake (finding, kept.a) || is_awake (finding, kept.b)) &&
          (n_unlinked == 0 || bsearch (&kept, unlinked, n_unlinked, sizeof kept, compare_pairs) == NULL))
        g_array_append_val (pairs, kept);
    }
  }
  for (guint i = 0; i < n_movers && finding->options->ground.on; i++)
    if (is_awake (finding, movers[i]) && (double) boxes[i].low[1] <= finding->options->ground.height) {
      const RigidPair pair = { movers[i], n };

      g_array_append_val (pairs, pair);
    }
  g_array_sort (pairs, compare_pairs);
  return true;
}

/* Contacts from step to step. */

/* Takes the impulses of the same contact, or of the nearest one of the same bodies. */
static void
take_over (const RigidContact *before, guint n_before, RigidContact *now, guint n_now, double near)
{
  g_autofree uint8_t *taken = g_new0 (uint8_t, MAX (n_before, 1));
  guint from = 0;

  for (guint i = 0; i < n_now;) {
    guint end = i, until;

    while (end < n_now && now[end].a == now[i].a && now[end].b == now[i].b)
      end++;
    while (from < n_before && (before[from].a < now[i].a || (before[from].a == now[i].a && before[from].b < now[i].b)))
      from++;
    until = from;
    while (until < n_before && before[until].a == now[i].a && before[until].b == now[i].b)
      until++;
    for (int pass = 0; pass < 2; pass++)
      for (guint k = i; k < end; k++) {
        double least = near;
        guint best = until;

        for (guint j = from; j < until && now[k].impulse == 0; j++) {
          const double distance = kg_vector_distance (before[j].place, now[k].place);

          if (taken[j] || before[j].impulse == 0 || (pass == 0 && before[j].feature != now[k].feature))
            continue;
          if (pass == 0 || distance < least) {
            least = distance;
            best = j;
            if (pass == 0)
              break;
          }
        }
        if (best == until)
          continue;
        taken[best] = 1;
        now[k].impulse = before[best].impulse;
        now[k].slide = before[best].slide;
        now[k].roll = before[best].roll;
      }
    from = until;
    i = end;
  }
}

bool
rigid_contacts_find (const RigidSet *set, const RigidMotion *motions, const KgVector *omegas,
                     const RigidContactOptions *options, const RigidPair *unlinked, guint n_unlinked, GArray *contacts,
                     const KgProgressMonitor *monitor, GError **error)
{
  const Finding finding = { set, motions, omegas, options };
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (RigidPair));
  g_autoptr (GArray) before = g_array_new (FALSE, FALSE, sizeof (RigidContact));
  GArray **blocks;
  guint n_blocks, n = 0;

  if (!find_pairs (&finding, unlinked, n_unlinked, pairs, monitor, error))
    return false;
  if (contacts->len > 0)
    g_array_append_vals (before, contacts->data, contacts->len);
  g_array_set_size (contacts, 0);
  n_blocks = (pairs->len + BLOCK - 1) / BLOCK;
  blocks = g_new0 (GArray *, MAX (n_blocks, 1));
#pragma omp parallel for schedule(dynamic) if (n_blocks > 4)
  for (guint k = 0; k < n_blocks; k++) {
    blocks[k] = g_array_sized_new (FALSE, FALSE, sizeof (RigidContact), 4 * BLOCK);
    for (guint i = k * BLOCK; i < MIN ((k + 1) * BLOCK, pairs->len) && !kg_progress_is_cancelled (monitor); i++) {
      const RigidPair *pair = &g_array_index (pairs, RigidPair, i);
      const Touching touching = { &finding, pair->a, pair->b,
                                  options->margin + get_reach (&finding, pair->a) +
                                      (pair->b < set->bodies->len ? get_reach (&finding, pair->b) : 0),
                                  blocks[k] };
      const guint n_before = blocks[k]->len;

      touch (&touching);
      insert_sorted (blocks[k], n_before);
    }
  }
  for (guint k = 0; k < n_blocks; k++)
    n += blocks[k]->len;
  g_array_set_size (contacts, n);
  n = 0;
  for (guint k = 0; k < n_blocks; k++) {
    if (blocks[k]->len > 0)
      memcpy (&g_array_index (contacts, RigidContact, n), blocks[k]->data, blocks[k]->len * sizeof (RigidContact));
    n += blocks[k]->len;
    g_array_unref (blocks[k]);
  }
  g_free (blocks);
  if (kg_progress_is_cancelled (monitor))
    return false;
  /* Bodies that sleep together still touch. */
  for (guint i = 0; i < before->len; i++) {
    const RigidContact *contact = &g_array_index (before, RigidContact, i);

    if (!is_awake (&finding, contact->a) && (contact->b >= set->bodies->len || !is_awake (&finding, contact->b)))
      g_array_append_vals (contacts, contact, 1);
  }
  rigid_contacts_sort (contacts, rigid_contact_compare);
  take_over ((const RigidContact *) (const void *) before->data, before->len, (RigidContact *) (void *) contacts->data,
             contacts->len, 2 * options->margin);
  return true;
}
