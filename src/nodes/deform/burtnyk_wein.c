/* deform/burtnyk_wein: a drawing fixed to the bones of a skeleton in the plane.
 * Source: Burtnyk and Wein 1976, as van Overveld describes it: each point has coordinates along and across one bone.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-kernel.h"
#include "kg-node.h"
#include "deform/skin.h"

typedef struct {
  KgGeometry *geometry;
  const KgGeometry *rest;
  const KgGeometry *posed;
  const KgSkeleton *skeleton;
  int mode;
  int thickness;
  KgGeometry *deformed;
} BurtnykWein;

enum { MODE_BONES, MODE_QUADS, N_MODES };
enum { THICKNESS_KEEP, THICKNESS_SCALE, N_THICKNESSES };

static const KgChoice burtnyk_wein_modes[] = {
  [MODE_BONES] = { "bones", N_ ("Bones: each point with the nearest") },
  [MODE_QUADS] = { "quads", N_ ("Quads: joined along the bisectors of the joints") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (burtnyk_wein_modes, N_MODES);

static const KgChoice burtnyk_wein_thicknesses[] = {
  [THICKNESS_KEEP] = { "keep", N_ ("Keeps") },
  [THICKNESS_SCALE] = { "scale", N_ ("Grows with the length of the bone") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (burtnyk_wein_thicknesses, N_THICKNESSES);

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
burtnyk_wein_find_bones (const BurtnykWein *n)
{
  GArray *bones = g_array_new (FALSE, FALSE, sizeof (Bone));
  const guint n_joints = n->skeleton != NULL ? kg_skeleton_get_n_joints (n->skeleton) : 0;

  for (guint i = 0; i < n_joints; i++) {
    const int parent = kg_skeleton_get_joint (n->skeleton, i)->parent;

    if (parent >= 0)
      add_bone (bones, (uint32_t) parent, i);
  }
  if (n->skeleton != NULL)
    return bones;
  add_edges (bones, n->rest);
  if (kg_geometry_get_n_primitives (n->rest) == 0)
    for (uint32_t i = 0; i + 1 < kg_geometry_get_n_points (n->rest); i++)
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
                ? N_ ("bone %u, from point %u to point %u, has no length as it is posed: move its ends apart in the plane of x and y")
                : N_ ("bone %u, from point %u to point %u, has no length at rest: move its ends apart in the plane of x and y"),
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
get_border (Plane left, Plane other, double longest)
{
  const Plane sum = { left.x + other.x, left.y + other.y };
  const double size = hypot (sum.x, sum.y);

  /* Folded up: there is no side where the angle is the smaller one. */
  if (!(size > 1e-9))
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

static void
burtnyk_wein_set_borders (const BurtnykWein *n, GArray *bones, size_t n_points)
{
  g_autofree guint *joined = find_joined (bones, n_points);

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

        /* The neighbour as it is passed on the way along this bone: on from its start, or towards its end. */
        if (n->mode == MODE_QUADS && neighbour != bone)
          across = get_border (left, get_left (neighbour, posed, other % 2 == end), longest);
        longest = fmax (LONGEST_BORDER, hypot (across.x, across.y));
        if (posed && n->thickness == THICKNESS_SCALE)
          across = scale (across, n->mode == MODE_QUADS ? stretch : own_stretch);
        (posed ? &bone->posed : &bone->rest)->across[end] = across;
      }
    }
  }
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

static bool
burtnyk_wein_evaluate (BurtnykWein *n, const KgContext *ctx, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->geometry);
  const bool quads = n->mode == MODE_QUADS;
  g_auto (SkinSkeleton) skeleton = { .n = 0 };
  g_autoptr (GArray) bones = NULL;
  float *p;

  if (!skin_skeleton_read (&skeleton, n->rest, n->posed, n->skeleton, error))
    return false;
  bones = burtnyk_wein_find_bones (n);
  if (!measure_bones (bones, &skeleton, error))
    return false;
  if (bones->len == 0)
    kg_context_warn (ctx, "the skeleton has no bones: everything stays where it is");
  burtnyk_wein_set_borders (n, bones, skeleton.n);
  kg_geometry_make_writable (&n->geometry);
  p = kg_geometry_edit_positions (n->geometry);
#pragma omp parallel for schedule(static) if (count * bones->len > KG_PARALLEL_FROM)
  for (size_t i = 0; i < count; i++)
    move_point (bones, quads, p + 3 * i);
  if (kg_geometry_get_float (n->geometry, KG_POINTS, "N", 3) != NULL)
    kg_geometry_compute_normals (n->geometry);
  n->deformed = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot burtnyk_wein_slots[] = {
  KG_INPUT (BurtnykWein, geometry, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("The drawing, as it is around the skeleton at rest. Its z stays.")),
  KG_INPUT (BurtnykWein, rest, GEOMETRY, .label = N_ ("Rest"), .optional = true,
            .help = N_ ("The skeleton at rest: its lines are the bones, or its points in order where it has none. Not "
                        "used while Skeleton is linked.")),
  KG_INPUT (BurtnykWein, posed, GEOMETRY, .label = N_ ("Posed"), .optional = true,
            .help = N_ ("The same skeleton as it moves: the same points in the same order.")),
  KG_INPUT (BurtnykWein, skeleton, SKELETON, .label = N_ ("Skeleton"), .optional = true,
            .help = N_ ("A skeleton of joints in place of Rest and Posed.")),
  KG_INPUT (
      BurtnykWein, mode, CHOICE, .label = N_ ("Mode"), .choices = burtnyk_wein_modes,
      .help = N_ ("With bones alone a bend tears the drawing apart on the outside and folds it over on the inside. "
                  "Quads keep it together, with a kink.")),
  KG_INPUT (BurtnykWein, thickness, CHOICE, .label = N_ ("Thickness"), .choices = burtnyk_wein_thicknesses,
            .help = N_ ("What becomes of the distance from the bone where a bone gets longer or shorter.")),
  KG_OUTPUT (BurtnykWein, deformed, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("As the bones move it.")),
};

KG_NODE (
    deform, burtnyk_wein, BurtnykWein, .label = N_ ("Burtnyk-Wein Skeleton"), .version = 1, .since = "0.1",
    .tags = N_ ("skeleton bones key frame cartoon cut out limb bend 2d relative coordinates"),
    .help = N_ ("The first skeletons of computer animation: each point of a flat drawing keeps its place along and "
                "across the bone nearest to it. Straight lines beside the bones stay straight, and get a kink where "
                "one bone follows another, which Skeleton Skin does not leave."));
