/* convex_distance: the distance of two convex cores, and how deep they are in each other.
 *
 * The simplex of the difference of both that is nearest to the origin (Gilbert, Johnson and Keerthi 1988), with the nearest
 * point of a simplex by its Voronoi regions (Ericson, Real-Time Collision Detection, 2005, 5.1).  Where only whether they overlap
 * is wanted, the first directions are those of Chung and Wang (Quick Collision Detection of Polytopes, 1996).  Once the origin is inside,
 * the simplex is blown up until its nearest face is a face of the difference (van den Bergen 2001).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/convex_shape_private.h"

#include "kg-kernel.h"

#define MAX_ROUNDS 128
#define MAX_CORNERS 160
#define MAX_FACES (2 * MAX_CORNERS)

/* Nearest points of simplices. */

/* The corners of a simplex that span the part of it nearest to the origin, with their weights. */
typedef struct {
  guint n, at[3];
  double weights[3];
} Part;

static inline Part
take_one (guint a)
{
  return (Part){ .n = 1, .at = { a }, .weights = { 1 } };
}

static inline Part
take_two (guint a, guint b, double t)
{
  return (Part){ .n = 2, .at = { a, b }, .weights = { 1 - t, t } };
}

static inline Part
find_on_segment (const ConvexCorner *corners, guint i, guint k)
{
  const KgVector a = corners[i].w, b = corners[k].w, ab = kg_vector_subtract (b, a);
  const double t = -kg_vector_dot (a, ab), length2 = kg_vector_dot (ab, ab);

  if (t <= 0 || !(length2 > 0))
    return take_one (i);
  return t >= length2 ? take_one (k) : take_two (i, k, t / length2);
}

/* Of the triangle of the corners i, j and k. */
static inline Part
find_on_triangle (const ConvexCorner *corners, guint i, guint j, guint k)
{
  const KgVector a = corners[i].w, b = corners[j].w, c = corners[k].w;
  const KgVector ab = kg_vector_subtract (b, a), ac = kg_vector_subtract (c, a);
  const double d1 = -kg_vector_dot (ab, a), d2 = -kg_vector_dot (ac, a);
  const double d3 = -kg_vector_dot (ab, b), d4 = -kg_vector_dot (ac, b);
  const double d5 = -kg_vector_dot (ab, c), d6 = -kg_vector_dot (ac, c);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, sum = va + vb + vc;

  if (va > 0 && vb > 0 && vc > 0)
    return (Part){ .n = 3, .at = { i, j, k }, .weights = { va / sum, vb / sum, vc / sum } };
  if (d1 <= 0 && d2 <= 0)
    return take_one (i);
  if (d3 >= 0 && d4 <= d3)
    return take_one (j);
  if (d6 >= 0 && d5 <= d6)
    return take_one (k);
  if (vc <= 0 && d1 >= 0 && d3 <= 0)
    return take_two (i, j, d1 / (d1 - d3));
  if (vb <= 0 && d2 >= 0 && d6 <= 0)
    return take_two (i, k, d2 / (d2 - d6));
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
    return take_two (j, k, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
  return (Part){ .n = 3, .at = { i, j, k }, .weights = { va / sum, vb / sum, vc / sum } };
}

static inline KgVector
get_nearest_of (const ConvexCorner *corners, const Part *part)
{
  KgVector v = { 0, 0, 0 };

  for (guint i = 0; i < part->n; i++)
    v = kg_vector_add_scaled (v, part->weights[i], corners[part->at[i]].w);
  return v;
}

/* Of the three faces with the newest corner, the last of these four, those that have the origin on their outer side; none (n = 0):
 * it is inside.  Never the face of the other three: the newest corner was farthest along the way from it to the origin. */
static inline Part
find_on_tetrahedron (const ConvexCorner *corners, const guint at[4])
{
  const KgVector d = corners[at[3]].w;
  Part best = { .n = 0 };
  double least = INFINITY;

  for (int i = 0; i < 3; i++) {
    const guint j = at[i], k = at[(i + 1) % 3], l = at[(i + 2) % 3];
    const KgVector b = kg_vector_subtract (corners[j].w, d), c = kg_vector_subtract (corners[k].w, d);
    const KgVector other = corners[l].w, normal = kg_vector_cross (b, c);
    const double inside = kg_vector_dot (normal, kg_vector_subtract (other, d)), origin = -kg_vector_dot (normal, d);
    Part part;
    KgVector v;

    /* A flat tetrahedron has no inside: it is flat where its height is 1e-13 of its distance. */
    if (inside * origin > 0 && inside * inside > 1e-26 * kg_vector_dot (normal, normal) * kg_vector_dot (other, other))
      continue;
    part = find_on_triangle (corners, j, k, at[3]);
    v = get_nearest_of (corners, &part);
    if (kg_vector_dot (v, v) < least) {
      least = kg_vector_dot (v, v);
      best = part;
    }
  }
  return best;
}

/* A simplex in search of the nearest one: its corners stay where they are, for they are long. */
typedef struct {
  guint n, at[4];
  double weights[4];
  ConvexCorner corners[4];
} Search;

static inline void
set_part (Search *search, const Part *part)
{
  search->n = part->n;
  for (guint i = 0; i < 3; i++) {
    search->at[i] = part->at[i];
    search->weights[i] = part->weights[i];
  }
}

/* Of at most three corners. */
static inline Part
get_part (const Search *search)
{
  Part part = { .n = search->n };

  for (guint i = 0; i < 3; i++) {
    part.at[i] = search->at[i];
    part.weights[i] = search->weights[i];
  }
  return part;
}

/* Leaves only the corners that matter.  The nearest point; where a tetrahedron contains the origin, it stays as it is. */
static inline KgVector
reduce (Search *search)
{
  const ConvexCorner *corners = search->corners;
  const guint *at = search->at;
  Part part;

  if (search->n == 1)
    part = take_one (at[0]);
  else if (search->n == 2)
    part = find_on_segment (corners, at[0], at[1]);
  else if (search->n == 3)
    part = find_on_triangle (corners, at[0], at[1], at[2]);
  else
    part = find_on_tetrahedron (corners, at);
  if (part.n > 0)
    set_part (search, &part);
  return get_nearest_of (corners, &part);
}

static inline bool
has_corner (const Search *search, KgVector w)
{
  for (guint i = 0; i < search->n; i++) {
    const KgVector x = search->corners[search->at[i]].w;

    if (x.x == w.x && x.y == w.y && x.z == w.z)
      return true;
  }
  return false;
}

/* Puts a corner where none is; it has no weight yet. */
static inline void
add_corner (Search *search, const ConvexCorner *corner)
{
  guint used = 0, place = 0;

  for (guint i = 0; i < search->n; i++)
    used |= 1u << search->at[i];
  while (used >> place & 1)
    place++;
  search->corners[place] = *corner;
  search->weights[search->n] = 0;
  search->at[search->n++] = place;
}

static void
get_points (const ConvexSimplex *simplex, KgVector *on_a, KgVector *on_b)
{
  *on_a = *on_b = kg_vector (0, 0, 0);
  for (guint i = 0; i < simplex->n; i++) {
    *on_a = kg_vector_add_scaled (*on_a, simplex->weights[i], simplex->corners[i].a);
    *on_b = kg_vector_add_scaled (*on_b, simplex->weights[i], simplex->corners[i].b);
  }
}

/* What was found, as it is handed out where it is wanted. */
static inline void
finish (const Search *search, ConvexSimplex *simplex, KgVector *on_a, KgVector *on_b)
{
  if (simplex == NULL)
    return;
  simplex->n = search->n;
  for (guint i = 0; i < search->n; i++) {
    simplex->corners[i] = search->corners[search->at[i]];
    simplex->weights[i] = search->weights[i];
  }
  get_points (simplex, on_a, on_b);
}

/* Whether the origin is in what is between a point and a ball that does not have it: at a share s of the way from the point to the
 * middle of the ball all within s times the radius belongs to that, so the square of the distance less that of the radius there,
 * a s² + 2 b s + c, is below 0 for some s up to 1. */
static inline bool
is_in_cone (KgVector point, const ConvexWithin *within)
{
  const KgVector way = kg_vector_subtract (within->middle, point);
  const double a = kg_vector_dot (way, way) - within->radius * within->radius, b = kg_vector_dot (point, way);

  return b < 0 && -b <= a && b * b >= a * kg_vector_dot (point, point);
}

KG_KERNEL double
convex_find_core_distance (const ConvexPlaced *a, const ConvexPlaced *b, double enough, const ConvexWithin *within,
                           KgVector *axis, ConvexSimplex *simplex, KgVector *on_a, KgVector *on_b)
{
  KgVector v = kg_vector_dot (*axis, *axis) > 0 ? *axis : kg_vector (1, 0, 0), aim = v, nearest = { 0, 0, 0 };
  double size2 = 0;
  bool aimed = false;
  Search search; /* not cleared: it is long */

  set_part (&search, &(Part){ .n = 0 });
  for (int round = 0; round < MAX_ROUNDS; round++) {
    const ConvexCorner corner = convex_get_corner (a, b, kg_vector_scale (v, -1));
    const double vw = kg_vector_dot (v, corner.w), vv = kg_vector_dot (v, v), ww = kg_vector_dot (corner.w, corner.w);
    Part before;

    size2 = ww > size2 ? ww : size2;
    if (vw > 0 && vw * vw > enough * enough * vv) {
      *axis = v;
      if (simplex != NULL)
        simplex->n = 0;
      return vw / sqrt (vv);
    }
    if (aimed && has_corner (&search, corner.w)) {
      aimed = false;
      v = nearest;
      continue;
    }
    if (!aimed && search.n > 0 && (vv - vw <= 1e-14 * vv || has_corner (&search, corner.w)))
      break;
    before = get_part (&search);
    add_corner (&search, &corner);
    nearest = reduce (&search);
    if (search.n == 4 || kg_vector_dot (nearest, nearest) <= 1e-28 * size2) {
      finish (&search, simplex, on_a, on_b);
      return 0;
    }
    if (within != NULL && is_in_cone (nearest, within))
      return 0;
    /* Not nearer: what is left is rounding. */
    if (!aimed && before.n > 0 && !(kg_vector_dot (nearest, nearest) < vv)) {
      set_part (&search, &before);
      break;
    }
    *axis = v = nearest;
    /* Where only yes or no is wanted, two rounds look on the other side of the corner that refuted the last direction (Chung and
     * Wang 1996), which separates or finds a corner across the origin from it; no more, for a tetrahedron needs its newest corner
     * to be the farthest along the way from the others to the origin. */
    aimed = simplex == NULL && round < 2;
    if (aimed)
      v = aim = kg_vector_add_scaled (aim, -2 * kg_vector_dot (aim, corner.w) / ww, corner.w);
  }
  finish (&search, simplex, on_a, on_b);
  return kg_vector_length (v);
}

/* The polytope. */

typedef struct {
  guint corners[3];
  KgVector normal;
  double distance;
  bool gone;
} Face;

typedef struct {
  const ConvexPlaced *a, *b;
  ConvexCorner corners[MAX_CORNERS];
  Face faces[MAX_FACES];
  guint n_corners, n_faces;
} Polytope;

static bool
add_face (Polytope *polytope, guint a, guint b, guint c)
{
  const KgVector p = polytope->corners[a].w;
  const KgVector cross =
      kg_vector_cross (kg_vector_subtract (polytope->corners[b].w, p), kg_vector_subtract (polytope->corners[c].w, p));
  const KgVector normal = kg_vector_normalize_or (cross, kg_vector (0, 0, 0));

  if (polytope->n_faces == MAX_FACES)
    return false;
  /* A face without area is nearest to nothing. */
  polytope->faces[polytope->n_faces++] =
      (Face){ { a, b, c }, normal, kg_vector_dot (normal, normal) > 0 ? kg_vector_dot (normal, p) : INFINITY, false };
  return true;
}

/* A corner along a direction or against it that is off the plane or line through the others. */
static bool
blow_up (Polytope *polytope, KgVector direction, double size)
{
  for (int side = 0; side < 2; side++) {
    const KgVector d = kg_vector_scale (direction, side == 0 ? 1 : -1);
    const ConvexCorner corner = convex_get_corner (polytope->a, polytope->b, d);

    if (kg_vector_dot (d, kg_vector_subtract (corner.w, polytope->corners[0].w)) > 1e-10 * size) {
      polytope->corners[polytope->n_corners++] = corner;
      return true;
    }
  }
  return false;
}

/* A tetrahedron around what there is of a simplex.  False when the difference is flat: direction is across it then. */
static bool
start (Polytope *polytope, const ConvexSimplex *simplex, double size, KgVector *direction)
{
  KgVector ab, ac;

  polytope->n_corners = 0;
  for (guint i = 0; i < simplex->n; i++)
    polytope->corners[polytope->n_corners++] = simplex->corners[i];
  if (polytope->n_corners == 1) {
    bool found = false;

    for (size_t c = 0; c < 3 && !found; c++) {
      *direction = kg_vector (0, 0, 0);
      *kg_vector_component (direction, c) = 1;
      found = blow_up (polytope, *direction, size);
    }
    if (!found)
      return false;
  }
  ab = kg_vector_subtract (polytope->corners[1].w, polytope->corners[0].w);
  if (polytope->n_corners == 2) {
    const KgVector across = kg_vector_perpendicular (kg_vector_normalize_or (ab, kg_vector (1, 0, 0)));

    *direction = across;
    if (!blow_up (polytope, across, size)) {
      *direction = kg_vector_normalize_or (kg_vector_cross (ab, across), across);
      if (!blow_up (polytope, *direction, size))
        return false;
    }
  }
  ac = kg_vector_subtract (polytope->corners[2].w, polytope->corners[0].w);
  *direction = kg_vector_normalize_or (kg_vector_cross (ab, ac), kg_vector (0, 0, 1));
  return polytope->n_corners == 4 || blow_up (polytope, *direction, size);
}

static guint
find_nearest_face (const Polytope *polytope)
{
  guint best = 0;
  double least = INFINITY;

  for (guint i = 0; i < polytope->n_faces; i++)
    if (!polytope->faces[i].gone && polytope->faces[i].distance < least) {
      least = polytope->faces[i].distance;
      best = i;
    }
  return best;
}

/* Replaces the faces that a new corner sees by faces from their border to it. */
static bool
expand (Polytope *polytope, const ConvexCorner *corner)
{
  guint border[MAX_FACES][2], n = 0;
  const guint number = polytope->n_corners;

  if (polytope->n_corners == MAX_CORNERS)
    return false;
  for (guint i = 0; i < polytope->n_faces; i++) {
    Face *face = &polytope->faces[i];

    if (face->gone || !(kg_vector_dot (face->normal, corner->w) > face->distance || isinf (face->distance)))
      continue;
    face->gone = true;
    for (guint k = 0; k < 3; k++) {
      const guint from = face->corners[k], to = face->corners[(k + 1) % 3];
      guint j = 0;

      while (j < n && !(border[j][0] == to && border[j][1] == from))
        j++;
      if (j < n) {
        n--;
        border[j][0] = border[n][0];
        border[j][1] = border[n][1];
      } else if (n < MAX_FACES) {
        border[n][0] = from;
        border[n++][1] = to;
      }
    }
  }
  polytope->corners[polytope->n_corners++] = *corner;
  /* Room comes free. */
  {
    guint kept = 0;

    for (guint i = 0; i < polytope->n_faces; i++)
      if (!polytope->faces[i].gone)
        polytope->faces[kept++] = polytope->faces[i];
    polytope->n_faces = kept;
  }
  for (guint i = 0; i < n; i++)
    if (!add_face (polytope, border[i][0], border[i][1], number))
      return false;
  return n > 0;
}

static void
get_face_points (const Polytope *polytope, const Face *face, KgVector *on_a, KgVector *on_b)
{
  const guint *c = face->corners;
  const Part part = find_on_triangle (polytope->corners, c[0], c[1], c[2]);

  *on_a = *on_b = kg_vector (0, 0, 0);
  for (guint i = 0; i < part.n; i++) {
    *on_a = kg_vector_add_scaled (*on_a, part.weights[i], polytope->corners[part.at[i]].a);
    *on_b = kg_vector_add_scaled (*on_b, part.weights[i], polytope->corners[part.at[i]].b);
  }
}

KG_KERNEL double
convex_find_core_depth (const ConvexPlaced *a, const ConvexPlaced *b, const ConvexSimplex *simplex, KgVector *normal,
                        KgVector *on_a, KgVector *on_b)
{
  static const guint faces[4][3] = { { 0, 1, 2 }, { 0, 2, 3 }, { 0, 3, 1 }, { 1, 3, 2 } };
  Polytope polytope = { .a = a, .b = b };
  double size = 0, depth = 0;
  KgVector direction = { 0, 1, 0 };

  for (guint i = 0; i < simplex->n; i++)
    size = fmax (size, kg_vector_length (simplex->corners[i].w));
  for (size_t c = 0; c < 3; c++) {
    KgVector axis = { 0, 0, 0 };

    *kg_vector_component (&axis, c) = 1;
    size = fmax (size, kg_vector_length (convex_get_corner (a, b, axis).w));
  }
  if (!start (&polytope, simplex, size, &direction)) {
    *normal = direction;
    get_points (simplex, on_a, on_b);
    return 0;
  }
  {
    const KgVector p = polytope.corners[0].w;
    const KgVector cross =
        kg_vector_cross (kg_vector_subtract (polytope.corners[1].w, p), kg_vector_subtract (polytope.corners[2].w, p));

    /* The fourth corner is behind the face of the first three. */
    if (kg_vector_dot (cross, kg_vector_subtract (polytope.corners[3].w, p)) > 0) {
      const ConvexCorner swap = polytope.corners[1];

      polytope.corners[1] = polytope.corners[2];
      polytope.corners[2] = swap;
    }
  }
  for (int i = 0; i < 4; i++)
    add_face (&polytope, faces[i][0], faces[i][1], faces[i][2]);
  for (int round = 0; round < MAX_CORNERS; round++) {
    const Face nearest = polytope.faces[find_nearest_face (&polytope)];
    const ConvexCorner corner = convex_get_corner (a, b, nearest.normal);

    depth = nearest.distance;
    /* What is pushed out of the difference: a - b moves against the normal of the face. */
    *normal = kg_vector_scale (nearest.normal, -1);
    get_face_points (&polytope, &nearest, on_a, on_b);
    if (kg_vector_dot (nearest.normal, corner.w) - nearest.distance <= 1e-10 * size || !expand (&polytope, &corner))
      break;
  }
  return fmax (depth, 0);
}
