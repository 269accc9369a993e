/* convex_distance: the distance of two convex cores, and how deep they are in each other.
 *
 * The simplex of the difference of both that is nearest to the origin (Gilbert, Johnson and Keerthi 1988), with the nearest
 * point of a simplex by its Voronoi regions (Ericson, Real-Time Collision Detection, 2005, 5.1).  Once the origin is inside,
 * the simplex is blown up until its nearest face is a face of the difference (van den Bergen 2001).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/convex_shape_private.h"

#define MAX_ROUNDS 128
#define MAX_CORNERS 160
#define MAX_FACES (2 * MAX_CORNERS)

/* Nearest points of simplices.  Each leaves the corners that matter, with their weights. */

static void
keep_one (ConvexSimplex *simplex, guint i)
{
  simplex->corners[0] = simplex->corners[i];
  simplex->weights[0] = 1;
  simplex->n = 1;
}

static void
keep_two (ConvexSimplex *simplex, guint i, guint k, double t)
{
  const ConvexCorner a = simplex->corners[i], b = simplex->corners[k];

  simplex->corners[0] = a;
  simplex->corners[1] = b;
  simplex->weights[0] = 1 - t;
  simplex->weights[1] = t;
  simplex->n = 2;
}

static void
reduce_segment (ConvexSimplex *simplex)
{
  const KgVector a = simplex->corners[0].w, b = simplex->corners[1].w, ab = kg_vector_subtract (b, a);
  const double t = -kg_vector_dot (a, ab), length2 = kg_vector_dot (ab, ab);

  if (t <= 0 || !(length2 > 0))
    keep_one (simplex, 0);
  else if (t >= length2)
    keep_one (simplex, 1);
  else
    keep_two (simplex, 0, 1, t / length2);
}

static void
reduce_triangle (ConvexSimplex *simplex)
{
  const KgVector a = simplex->corners[0].w, b = simplex->corners[1].w, c = simplex->corners[2].w;
  const KgVector ab = kg_vector_subtract (b, a), ac = kg_vector_subtract (c, a);
  const double d1 = -kg_vector_dot (ab, a), d2 = -kg_vector_dot (ac, a);
  const double d3 = -kg_vector_dot (ab, b), d4 = -kg_vector_dot (ac, b);
  const double d5 = -kg_vector_dot (ab, c), d6 = -kg_vector_dot (ac, c);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, sum = va + vb + vc;

  if (d1 <= 0 && d2 <= 0)
    keep_one (simplex, 0);
  else if (d3 >= 0 && d4 <= d3)
    keep_one (simplex, 1);
  else if (d6 >= 0 && d5 <= d6)
    keep_one (simplex, 2);
  else if (vc <= 0 && d1 >= 0 && d3 <= 0)
    keep_two (simplex, 0, 1, d1 / (d1 - d3));
  else if (vb <= 0 && d2 >= 0 && d6 <= 0)
    keep_two (simplex, 0, 2, d2 / (d2 - d6));
  else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
    keep_two (simplex, 1, 2, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
  else {
    simplex->weights[0] = va / sum;
    simplex->weights[1] = vb / sum;
    simplex->weights[2] = vc / sum;
  }
}

static KgVector
get_nearest (const ConvexSimplex *simplex)
{
  KgVector v = { 0, 0, 0 };

  for (guint i = 0; i < simplex->n; i++)
    v = kg_vector_add_scaled (v, simplex->weights[i], simplex->corners[i].w);
  return v;
}

/* The faces that have the origin on their outer side; none: it is inside, and the simplex stays. */
static void
reduce_tetrahedron (ConvexSimplex *simplex)
{
  static const guint faces[4][4] = { { 0, 1, 2, 3 }, { 0, 2, 3, 1 }, { 0, 3, 1, 2 }, { 1, 3, 2, 0 } };
  ConvexSimplex best = { 0 };
  double least = INFINITY;

  for (int i = 0; i < 4; i++) {
    const KgVector a = simplex->corners[faces[i][0]].w, b = simplex->corners[faces[i][1]].w;
    const KgVector c = simplex->corners[faces[i][2]].w, other = simplex->corners[faces[i][3]].w;
    const KgVector normal = kg_vector_cross (kg_vector_subtract (b, a), kg_vector_subtract (c, a));
    const double inside = kg_vector_dot (normal, kg_vector_subtract (other, a)), origin = -kg_vector_dot (normal, a);
    ConvexSimplex face = { .n = 3 };
    KgVector v;

    /* A flat tetrahedron has no inside. */
    if (inside * origin > 0 && fabs (inside) > 1e-13 * kg_vector_length (normal) * kg_vector_length (other))
      continue;
    for (int k = 0; k < 3; k++)
      face.corners[k] = simplex->corners[faces[i][k]];
    reduce_triangle (&face);
    v = get_nearest (&face);
    if (kg_vector_dot (v, v) < least) {
      least = kg_vector_dot (v, v);
      best = face;
    }
  }
  if (best.n > 0)
    *simplex = best;
}

static bool
has_corner (const ConvexSimplex *simplex, KgVector w)
{
  for (guint i = 0; i < simplex->n; i++)
    if (simplex->corners[i].w.x == w.x && simplex->corners[i].w.y == w.y && simplex->corners[i].w.z == w.z)
      return true;
  return false;
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

double
convex_find_core_distance (const ConvexPlaced *a, const ConvexPlaced *b, double enough, KgVector *axis,
                           ConvexSimplex *simplex, KgVector *on_a, KgVector *on_b)
{
  KgVector v = kg_vector_dot (*axis, *axis) > 0 ? *axis : kg_vector (1, 0, 0);
  double size2 = 0, lower = 0;

  simplex->n = 0;
  for (int round = 0; round < MAX_ROUNDS; round++) {
    const ConvexCorner corner = convex_get_corner (a, b, kg_vector_scale (v, -1));
    const double vw = kg_vector_dot (v, corner.w), vv = kg_vector_dot (v, v);

    size2 = fmax (size2, kg_vector_dot (corner.w, corner.w));
    if (vw > 0)
      lower = fmax (lower, vw / sqrt (vv));
    if (lower > enough) {
      *axis = v;
      return lower;
    }
    if (simplex->n > 0 && (vv - vw <= 1e-14 * vv || has_corner (simplex, corner.w)))
      break;
    simplex->corners[simplex->n] = corner;
    simplex->weights[simplex->n++] = 0;
    if (simplex->n == 1)
      keep_one (simplex, 0);
    else if (simplex->n == 2)
      reduce_segment (simplex);
    else if (simplex->n == 3)
      reduce_triangle (simplex);
    else
      reduce_tetrahedron (simplex);
    v = get_nearest (simplex);
    if (simplex->n == 4 || kg_vector_dot (v, v) <= 1e-28 * size2) {
      get_points (simplex, on_a, on_b);
      return 0;
    }
    *axis = v;
  }
  get_points (simplex, on_a, on_b);
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
  ConvexSimplex simplex = { .n = 3 };

  for (int i = 0; i < 3; i++)
    simplex.corners[i] = polytope->corners[face->corners[i]];
  reduce_triangle (&simplex);
  get_points (&simplex, on_a, on_b);
}

double
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
