/* bone_coordinates: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "deform/bone_coordinates.h"

#include "kg-kernel.h"

/* A border between quads that is this many times as long as the bone is thick, or as at rest where it is longer: else two
 * bones that fold up would throw out a spike. */
#define LONGEST_BORDER 4.0

typedef struct {
  double x, y;
} Plane;

/* A bone, at rest or posed.  Across: what one metre of thickness is at either end; all over in bones. */
typedef struct {
  Plane from, along; /* along: to its other end */
  Plane across[2];
} Frame;

typedef struct {
  uint32_t points[2];
  double length[2]; /* at rest, posed */
  Frame rest, posed;
} Bone;

static Plane
subtract (Plane a, Plane b)
{
  return (Plane){ a.x - b.x, a.y - b.y };
}

static double
dot (Plane a, Plane b)
{
  return a.x * b.x + a.y * b.y;
}

static Plane
scale (Plane a, double s)
{
  return (Plane){ a.x * s, a.y * s };
}

static Plane
get_place (const SkinSkeleton *skeleton, bool posed, uint32_t i)
{
  const KgVector *p = posed ? &skeleton->posed[i] : &skeleton->rest[i];

  return (Plane){ p->x, p->y };
}

struct _BoneCoordinates {
  GArray *bones; /* Bone */
  bool quads;
  int folded; /* a point, or -1 */
};

/* Which points are joined. */

static void
add_bone (GArray *bones, uint32_t a, uint32_t b)
{
  const Bone bone = { .points = { a, b } };

  g_array_append_val (bones, bone);
}

static void
add_edges (GArray *bones, const KgGeometry *figure)
{
  const float *hinge = kg_geometry_get_float (figure, KG_PRIMITIVES, "hinge", 1);
  const int32_t *hinge_whole = kg_geometry_get_int (figure, KG_PRIMITIVES, "hinge", 1);

  for (size_t i = 0; i < kg_geometry_get_n_primitives (figure); i++) {
    KgPrimitive line;
    bool closed;

    /* Hinges of figures lie over rods. */
    if ((hinge != NULL && hinge[i] != 0) || (hinge_whole != NULL && hinge_whole[i] != 0))
      continue;
    kg_geometry_get_primitive (figure, i, &line);
    closed = line.kind == KG_POLYGON || line.closed;
    for (uint32_t k = 0; line.n_vertices > 1 && k + (closed ? 0 : 1) < line.n_vertices; k++)
      add_bone (bones, line.vertices[k], line.vertices[(k + 1) % line.n_vertices]);
  }
}

static GArray *
find_bones (const KgGeometry *figure, const KgSkeleton *joints)
{
  GArray *bones = g_array_new (FALSE, FALSE, sizeof (Bone));
  const guint n_joints = joints != NULL ? kg_skeleton_get_n_joints (joints) : 0;

  for (guint i = 0; i < n_joints; i++) {
    const int parent = kg_skeleton_get_joint (joints, i)->parent;

    if (parent >= 0)
      add_bone (bones, (uint32_t) parent, i);
  }
  if (joints != NULL)
    return bones;
  add_edges (bones, figure);
  if (kg_geometry_get_n_primitives (figure) == 0)
    for (uint32_t i = 0; i + 1 < kg_geometry_get_n_points (figure); i++)
      add_bone (bones, i, i + 1);
  return bones;
}

static bool
measure_bones (GArray *bones, const SkinSkeleton *skeleton, GError **error)
{
  for (guint i = 0; i < bones->len; i++) {
    Bone *bone = &g_array_index (bones, Bone, i);

    for (int posed = 0; posed < 2; posed++) {
      Frame *frame = posed ? &bone->posed : &bone->rest;

      frame->from = get_place (skeleton, posed, bone->points[0]);
      frame->along = subtract (get_place (skeleton, posed, bone->points[1]), frame->from);
      bone->length[posed] = hypot (frame->along.x, frame->along.y);
      if (!(bone->length[posed] > 1e-30)) {
        kg_set_error (
            error, KG_ERROR_DEGENERATE,
            posed
                ? N_ ("bone %u, from point %u to point %u, has zero length in the pose: move its ends apart in the xy plane")
                : N_ ("bone %u, from point %u to point %u, has zero length at rest: move its ends apart in the xy plane"),
            i, bone->points[0], bone->points[1]);
        return false;
      }
    }
  }
  return true;
}

/* Borders of the bones. */

/* The unit vector to the left of the way along a bone, or back along it. */
static Plane
get_left (const Bone *bone, bool posed, bool reversed)
{
  const Plane along = scale (posed ? bone->posed.along : bone->rest.along, (reversed ? -1 : 1) / bone->length[posed]);

  return (Plane){ -along.y, along.x };
}

/* Where two bones meet the border halves the angle, and is so long that lines beside the bones meet on it. */
static Plane
get_border (Plane left, Plane other, double longest, bool *folded)
{
  const Plane sum = { left.x + other.x, left.y + other.y };
  const double size = hypot (sum.x, sum.y);

  /* Folded up: there is no side where the angle is the smaller one. */
  *folded = !(size > 1e-9);
  if (*folded)
    return left;
  return scale (sum, fmin (2 / size, longest) / size);
}

/* For each point how many bones meet there, and the first two: 2 k where bone k starts there, 2 k + 1 where it ends. */
static guint *
find_joined (const GArray *bones, size_t n_points)
{
  guint *joined = g_new0 (guint, MAX (3 * n_points, 1));

  for (guint i = 0; i < bones->len; i++)
    for (guint end = 0; end < 2; end++) {
      guint *entry = joined + 3 * (size_t) g_array_index (bones, Bone, i).points[end];

      if (entry[0] < 2)
        entry[1 + entry[0]] = 2 * i + end;
      entry[0]++;
    }
  return joined;
}

/* Returns the first point where bones are folded up in the pose, or -1. */
static int
set_borders (const BoneStyle *style, GArray *bones, size_t n_points)
{
  g_autofree guint *joined = find_joined (bones, n_points);
  int first = -1;

  for (guint i = 0; i < bones->len; i++) {
    Bone *bone = &g_array_index (bones, Bone, i);

    for (guint end = 0; end < 2; end++) {
      const guint *entry = joined + 3 * (size_t) bone->points[end];
      const guint other = entry[0] == 2 ? (entry[1] == 2 * i + end ? entry[2] : entry[1]) : 2 * i + end;
      const Bone *neighbour = &g_array_index (bones, Bone, other / 2);
      const double own_stretch = bone->length[1] / bone->length[0];
      const double stretch = 0.5 * (own_stretch + neighbour->length[1] / neighbour->length[0]);
      double longest = INFINITY;

      for (int posed = 0; posed < 2; posed++) {
        const Plane left = get_left (bone, posed, false);
        Plane across = left;
        bool folded = false;

        /* The neighbour as it is passed on the way along this bone: on from its start, or towards its end. */
        if (style->quads && neighbour != bone)
          across = get_border (left, get_left (neighbour, posed, other % 2 == end), longest, &folded);
        if (folded && posed && first < 0)
          first = (int) bone->points[end];
        longest = fmax (LONGEST_BORDER, hypot (across.x, across.y));
        if (posed && style->scales)
          across = scale (across, style->quads ? stretch : own_stretch);
        (posed ? &bone->posed : &bone->rest)->across[end] = across;
      }
    }
  }
  return first;
}

/* Coordinates. */

/* Along (0 to 1) and across (metres) of a point at rest: at rest one metre of any border is one metre across. */
static void
get_coordinates (const Bone *bone, Plane q, double *u, double *v)
{
  const Frame *rest = &bone->rest;
  const Plane along = scale (rest->along, 1 / bone->length[0]), left = { -along.y, along.x };
  const Plane from = subtract (q, rest->from);
  const double start = dot (along, rest->across[0]), end = dot (along, rest->across[1]);
  double length;

  *v = dot (left, from);
  length = bone->length[0] + *v * (end - start);
  /* Beyond where the borders of a quad cross there are no coordinates: other bones are nearer there. */
  *u = length > 1e-9 * bone->length[0] ? (dot (along, from) - *v * start) / length : 0.5;
}

static double
get_square_distance (const Bone *bone, Plane q)
{
  const Plane from = subtract (q, bone->rest.from);
  const double share = dot (from, bone->rest.along) / dot (bone->rest.along, bone->rest.along);
  /* At the ends as bones that meet there get it, to the last bit. */
  const Plane end = { bone->rest.from.x + bone->rest.along.x, bone->rest.from.y + bone->rest.along.y };
  const Plane nearest = share <= 0   ? bone->rest.from
                        : share >= 1 ? end
                                     : (Plane){ bone->rest.from.x + share * bone->rest.along.x,
                                                bone->rest.from.y + share * bone->rest.along.y };
  const Plane d = subtract (q, nearest);

  return dot (d, d);
}

/* Of the bones that are about as near as the nearest, that in whose quad the point is. */
static const Bone *
find_bone (const GArray *bones, Plane q, bool quads)
{
  const Bone *best = NULL;
  double least = INFINITY, outside = INFINITY;

  for (guint i = 0; i < bones->len; i++) {
    const Bone *bone = &g_array_index (bones, Bone, i);
    const double square = get_square_distance (bone, q), tolerance = quads ? 1e-9 * square : 0;
    double u, v, own;

    if (square > least + tolerance)
      continue;
    get_coordinates (bone, q, &u, &v);
    own = quads ? fmax (0, fmax (-u, u - 1)) : 0;
    if (square < least - tolerance || own < outside) {
      best = bone;
      outside = own;
    }
    least = fmin (least, square);
  }
  return best;
}

static void
move_point (const GArray *bones, bool quads, float *p)
{
  const Plane q = { (double) p[0], (double) p[1] };
  const Bone *bone = find_bone (bones, q, quads);
  const Frame *to;
  double u, v;

  if (bone == NULL)
    return;
  to = &bone->posed;
  get_coordinates (bone, q, &u, &v);
  p[0] = (float) (to->from.x + u * to->along.x + v * ((1 - u) * to->across[0].x + u * to->across[1].x));
  p[1] = (float) (to->from.y + u * to->along.y + v * ((1 - u) * to->across[0].y + u * to->across[1].y));
}

BoneCoordinates *
bone_coordinates_new (const SkinSkeleton *skeleton, const KgGeometry *figure, const KgSkeleton *joints,
                      const BoneStyle *style, GError **error)
{
  g_autoptr (BoneCoordinates) coordinates = g_new0 (BoneCoordinates, 1);

  coordinates->quads = style->quads;
  coordinates->bones = find_bones (figure, joints);
  if (!measure_bones (coordinates->bones, skeleton, error))
    return NULL;
  coordinates->folded = set_borders (style, coordinates->bones, skeleton->n);
  return g_steal_pointer (&coordinates);
}

void
bone_coordinates_free (BoneCoordinates *coordinates)
{
  g_array_unref (coordinates->bones);
  g_free (coordinates);
}

guint
bone_coordinates_get_n_bones (const BoneCoordinates *coordinates)
{
  return coordinates->bones->len;
}

int
bone_coordinates_get_folded (const BoneCoordinates *coordinates)
{
  return coordinates->folded;
}

void
bone_coordinates_move (const BoneCoordinates *coordinates, float *points, size_t n)
{
#pragma omp parallel for schedule(dynamic, 1024) if (n * coordinates->bones->len > KG_PARALLEL_FROM)
  for (size_t i = 0; i < n; i++)
    move_point (coordinates->bones, coordinates->quads, points + 3 * i);
}
