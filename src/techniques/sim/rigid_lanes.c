/* rigid_lanes: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_lanes.h"

#include "kg-kernel.h"

#define LANES RIGID_LANES
/* Most contacts of a bundle. */
#define MAX_POINTS 4

#define INLINE static inline __attribute__ ((always_inline))

typedef double Lane[LANES];

/* Bundles side by side; lanes without one have no mass and the body that stands for nothing. */
typedef struct {
  uint32_t a[LANES], b[LANES];
  guint first_point, n_points; /* most of any lane */
  Lane directions[3][3];       /* normal, along, across */
  Lane friction, friction_static;
  Lane inverse_mass[2], yields[2]; /* 1 or 0: whether the body turns by impulses */
  Lane factors[2][6];              /* of both bodies, see factorize () */
  Lane mass_roll;
} Group;

/* A contact of each lane. */
typedef struct {
  Lane numbers[RIGID_N_NUMBERS];
  Lane arms[3][2][3]; /* arm × direction, of a and of b, in the world */
  Lane rows[3][2][3]; /* the same along u */
  Lane mass[3], bias;
  Lane counts;            /* 1, or 0 in a lane whose bundle has fewer contacts than others */
  Lane starts[2][3], gap; /* when it was found */
} Point;

struct _RigidLanes {
  guint n_bodies, n_groups, n_points;
  Group *groups;
  Point *points;
  RigidLaneStep step;
  double (*moving)[6];  /* v and u of each body, and of nothing */
  double (*known)[6];   /* v and w of each body, as the speeds had them last */
  double (*kept)[6];    /* v and u then */
  double (*factors)[6]; /* G: xx, yx, yy, zx, zy, zz */
  double (*yields)[2];  /* inverse mass, and whether it turns */
  double (*moved)[12];  /* how far a body has come, and its rotation without the identity */
  Lane (*before)[3], (*way)[3];
  double last;
};

INLINE KgVector
get (const Lane x[3], size_t lane)
{
  return (KgVector){ x[0][lane], x[1][lane], x[2][lane] };
}

INLINE void
set (Lane x[3], size_t lane, KgVector v)
{
  x[0][lane] = v.x;
  x[1][lane] = v.y;
  x[2][lane] = v.z;
}

INLINE bool
resists_turning (const RigidLaneStep *step)
{
  return step->rolling > 0 || step->spinning > 0;
}

INLINE KgVector
get_roll (const Point *point, size_t lane)
{
  return (KgVector){ point->numbers[RIGID_ROLL_X][lane], point->numbers[RIGID_ROLL_Y][lane],
                     point->numbers[RIGID_ROLL_Z][lane] };
}

INLINE void
set_roll (Point *point, size_t lane, KgVector v)
{
  point->numbers[RIGID_ROLL_X][lane] = v.x;
  point->numbers[RIGID_ROLL_Y][lane] = v.y;
  point->numbers[RIGID_ROLL_Z][lane] = v.z;
}

/* Bundles. */

typedef struct {
  guint first, n; /* contacts */
  guint level;    /* how many bundles wait for each other before it */
} Bundle;

static bool
belong_together (const RigidPush *x, const RigidPush *y)
{
  return x->a == y->a && x->b == y->b && x->normal.x == y->normal.x && x->normal.y == y->normal.y &&
         x->normal.z == y->normal.z;
}

static GArray *
find_bundles (const RigidPush *pushes, guint n, const RigidSpeed *speeds, guint n_bodies, guint *n_levels)
{
  GArray *bundles = g_array_new (FALSE, FALSE, sizeof (Bundle));
  g_autofree guint *levels = g_new0 (guint, n_bodies);

  *n_levels = 0;
  for (guint i = 0; i < n;) {
    const uint32_t a = pushes[i].a, b = pushes[i].b;
    Bundle bundle = { .first = i, .level = 0 };

    while (i < n && i - bundle.first < MAX_POINTS && belong_together (&pushes[bundle.first], &pushes[i]))
      i++;
    bundle.n = i - bundle.first;
    /* What does not yield is there for all at once. */
    if (speeds[a].inverse_mass > 0)
      bundle.level = levels[a];
    if (speeds[b].inverse_mass > 0)
      bundle.level = MAX (bundle.level, levels[b]);
    levels[a] = levels[b] = bundle.level + 1;
    *n_levels = MAX (*n_levels, bundle.level + 1);
    g_array_append_val (bundles, bundle);
  }
  return bundles;
}

/* Those of a level beside each other, those with many contacts first; places: (out) of n_levels times MAX_POINTS kinds, where they
 * end. */
static Bundle *
sort_bundles (const GArray *bundles, guint n_levels, guint *ends)
{
  Bundle *sorted = g_new (Bundle, MAX (bundles->len, 1));
  const guint n = n_levels * MAX_POINTS;

  for (int pass = 0; pass < 2; pass++) {
    for (guint i = 0; i < bundles->len; i++) {
      const Bundle *bundle = &g_array_index (bundles, Bundle, i);
      const guint kind = bundle->level * MAX_POINTS + MAX_POINTS - bundle->n;

      if (pass == 0)
        ends[kind + 1]++;
      else
        sorted[ends[kind]++] = *bundle;
    }
    for (guint i = 0; pass == 0 && i < n; i++)
      ends[i + 1] += ends[i];
  }
  return sorted;
}

static void
fill_lane (RigidLanes *lanes, Group *group, guint lane, RigidPush *pushes, const Bundle *bundle)
{
  const RigidPush *first = &pushes[bundle->first];

  group->a[lane] = first->a;
  group->b[lane] = first->b;
  group->friction[lane] = first->contact->friction;
  group->friction_static[lane] = first->contact->friction_static;
  set (group->directions[0], lane, first->normal);
  set (group->directions[1], lane, first->along);
  set (group->directions[2], lane, first->across);
  for (guint i = 0; i < bundle->n; i++) {
    RigidPush *push = &pushes[bundle->first + i];
    const RigidContact *contact = push->contact;
    Point *point = &lanes->points[group->first_point + i];

    push->numbers = &point->numbers[0][lane];
    point->counts[lane] = 1;
    point->numbers[RIGID_NORMAL][lane] = contact->impulse;
    point->numbers[RIGID_ALONG][lane] = kg_vector_dot (contact->slide, push->along);
    point->numbers[RIGID_ACROSS][lane] = kg_vector_dot (contact->slide, push->across);
    set_roll (point, lane, contact->roll);
    point->gap[lane] = point->numbers[RIGID_GAP][lane] = -contact->depth;
    for (int row = 0; row < 3; row++) {
      const KgVector direction = get (group->directions[row], lane);

      set (point->arms[row][0], lane, kg_vector_cross (push->arm_a, direction));
      set (point->arms[row][1], lane, kg_vector_cross (push->arm_b, direction));
    }
    set (point->starts[0], lane, push->start_a);
    set (point->starts[1], lane, push->start_b);
  }
}

RigidLanes *
rigid_lanes_new (RigidPush *pushes, guint n, const RigidSpeed *speeds, guint n_bodies)
{
  g_autoptr (RigidLanes) lanes = g_new0 (RigidLanes, 1);
  guint n_levels;
  g_autoptr (GArray) bundles = find_bundles (pushes, n, speeds, n_bodies, &n_levels);
  g_autofree guint *ends = g_new0 (guint, n_levels * MAX_POINTS + 1);
  g_autofree Bundle *sorted = sort_bundles (bundles, n_levels, ends);
  guint first = 0;

  lanes->n_bodies = n_bodies;
  for (int pass = 0; pass < 2; pass++) {
    lanes->n_groups = lanes->n_points = 0;
    first = 0;
    for (guint level = 0; level < n_levels; level++) {
      const guint end = ends[(level + 1) * MAX_POINTS - 1];

      while (first < end) {
        const guint count = MIN (end - first, LANES), n_points = sorted[first].n;

        if (pass == 1) {
          Group *group = &lanes->groups[lanes->n_groups];

          group->first_point = lanes->n_points;
          group->n_points = n_points;
          for (guint lane = 0; lane < LANES; lane++)
            group->a[lane] = group->b[lane] = n_bodies;
          /* Only where a lane stays empty, for there are many: those with fewest contacts come last. */
          for (guint i = count == LANES ? sorted[first + LANES - 1].n : 0; i < n_points; i++)
            memset (&lanes->points[lanes->n_points + i], 0, sizeof *lanes->points);
          for (guint lane = 0; lane < count; lane++)
            fill_lane (lanes, group, lane, pushes, &sorted[first + lane]);
        }
        lanes->n_groups++;
        lanes->n_points += n_points;
        first += count;
      }
    }
    if (pass == 0) {
      lanes->groups = g_new0 (Group, MAX (lanes->n_groups, 1));
      lanes->points = g_new (Point, MAX (lanes->n_points, 1));
    }
  }
  lanes->moving = g_malloc0_n (n_bodies + 1, sizeof *lanes->moving);
  lanes->known = g_malloc0_n (n_bodies + 1, sizeof *lanes->known);
  lanes->kept = g_malloc0_n (n_bodies + 1, sizeof *lanes->kept);
  lanes->factors = g_malloc0_n (n_bodies + 1, sizeof *lanes->factors);
  lanes->yields = g_malloc0_n (n_bodies + 1, sizeof *lanes->yields);
  lanes->moved = g_malloc0_n (n_bodies + 1, sizeof *lanes->moved);
  return g_steal_pointer (&lanes);
}

void
rigid_lanes_free (RigidLanes *lanes)
{
  g_free (lanes->groups);
  g_free (lanes->points);
  g_free (lanes->moving);
  g_free (lanes->known);
  g_free (lanes->kept);
  g_free (lanes->factors);
  g_free (lanes->yields);
  g_free (lanes->moved);
  g_free (lanes->before);
  g_free (lanes->way);
  g_free (lanes);
}

/* Gaps. */

KG_KERNEL static void
measure_groups (RigidLanes *lanes)
{
  for (guint k = 0; k < lanes->n_groups; k++) {
    const Group *group = &lanes->groups[k];
    Lane moved[2][12], way, turns[2][3];

    for (size_t lane = 0; lane < LANES; lane++)
      for (size_t i = 0; i < 12; i++) {
        moved[0][i][lane] = lanes->moved[group->a[lane]][i];
        moved[1][i][lane] = lanes->moved[group->b[lane]][i];
      }
#pragma omp simd
    for (size_t lane = 0; lane < LANES; lane++) {
      const KgVector n = get (group->directions[0], lane);

      way[lane] = kg_vector_dot (n, kg_vector_subtract (get (moved[0], lane), get (moved[1], lane)));
      /* The rotation's transpose turns the normal once, in place of each arm. */
      for (size_t side = 0; side < 2; side++)
        for (size_t c = 0; c < 3; c++)
          turns[side][c][lane] = kg_vector_dot (n, get (&moved[side][3 + 3 * c], lane));
    }
    for (guint i = 0; i < group->n_points; i++) {
      Point *point = &lanes->points[group->first_point + i];

#pragma omp simd
      for (size_t lane = 0; lane < LANES; lane++)
        point->numbers[RIGID_GAP][lane] =
            point->gap[lane] + (way[lane] + kg_vector_dot (get (turns[0], lane), get (point->starts[0], lane)) -
                                kg_vector_dot (get (turns[1], lane), get (point->starts[1], lane)));
    }
  }
}

void
rigid_lanes_measure (RigidLanes *lanes, const RigidMotion *motions, const KgVector *places, const KgRotation *turned)
{
  for (guint i = 0; i < lanes->n_bodies; i++) {
    const KgVector way = kg_vector_subtract (motions[i].place, places[i]);
    const KgRotation q = turned[i];
    /* The columns of the rotation without the identity: small rotations keep their digits. */
    const double moved[12] = { way.x,
                               way.y,
                               way.z,
                               -2 * (q.y * q.y + q.z * q.z),
                               2 * (q.x * q.y + q.w * q.z),
                               2 * (q.x * q.z - q.w * q.y),
                               2 * (q.x * q.y - q.w * q.z),
                               -2 * (q.x * q.x + q.z * q.z),
                               2 * (q.y * q.z + q.w * q.x),
                               2 * (q.x * q.z + q.w * q.y),
                               2 * (q.y * q.z - q.w * q.x),
                               -2 * (q.x * q.x + q.y * q.y) };

    memcpy (lanes->moved[i], moved, sizeof moved);
  }
  measure_groups (lanes);
}

/* Velocities. */

/* The Cholesky factor of a tensor; what has none stays 0. */
static void
factorize (SymmetricMatrix tensor, double factor[6])
{
  const double xx = tensor.xx > 0 ? sqrt (tensor.xx) : 0, yx = xx > 0 ? tensor.xy / xx : 0,
               zx = xx > 0 ? tensor.xz / xx : 0;
  const double y = tensor.yy - yx * yx, yy = y > 0 ? sqrt (y) : 0, zy = yy > 0 ? (tensor.yz - zx * yx) / yy : 0;
  const double z = tensor.zz - zx * zx - zy * zy, zz = z > 0 ? sqrt (z) : 0;
  const double all[6] = { xx, yx, yy, zx, zy, zz };

  memcpy (factor, all, sizeof all);
}

/* v and w into v and u. */
static void
read_speed (RigidLanes *lanes, guint i, const RigidSpeed *speed)
{
  const double *g = lanes->factors[i];
  double *m = lanes->moving[i];
  const double now[6] = { speed->v.x, speed->v.y, speed->v.z, speed->w.x, speed->w.y, speed->w.z };

  memcpy (lanes->known[i], now, sizeof now);
  memcpy (m, now, sizeof now);
  m[3] = g[0] > 0 ? now[3] / g[0] : 0;
  m[4] = g[2] > 0 ? (now[4] - g[1] * m[3]) / g[2] : 0;
  m[5] = g[5] > 0 ? (now[5] - g[3] * m[3] - g[4] * m[4]) / g[5] : 0;
  memcpy (lanes->kept[i], m, sizeof now);
}

static void
read_body (RigidLanes *lanes, guint i, const RigidSpeed *speed)
{
  static const double identity[6] = { 1, 0, 1, 0, 0, 1 };

  lanes->yields[i][0] = speed->inverse_mass;
  lanes->yields[i][1] = speed->inverse_mass > 0;
  if (speed->inverse_mass > 0)
    factorize (speed->inverse_inertia, lanes->factors[i]);
  else
    memcpy (lanes->factors[i], identity, sizeof identity);
  read_speed (lanes, i, speed);
}

void
rigid_lanes_read_speeds (RigidLanes *lanes, const RigidSpeed *speeds)
{
  for (guint i = 0; i < lanes->n_bodies; i++) {
    const double *known = lanes->known[i];
    const KgVector v = speeds[i].v, w = speeds[i].w;

    if (known[0] != v.x || known[1] != v.y || known[2] != v.z || known[3] != w.x || known[4] != w.y || known[5] != w.z)
      read_speed (lanes, i, &speeds[i]);
  }
}

void
rigid_lanes_write_speeds (RigidLanes *lanes, RigidSpeed *speeds)
{
  for (guint i = 0; i < lanes->n_bodies; i++) {
    const double *m = lanes->moving[i], *kept = lanes->kept[i], *g = lanes->factors[i];

    if (lanes->yields[i][1] == 0)
      continue;
    if (m[0] != kept[0] || m[1] != kept[1] || m[2] != kept[2])
      speeds[i].v = kg_vector (m[0], m[1], m[2]);
    /* What nothing has touched keeps its bits. */
    if (m[3] != kept[3] || m[4] != kept[4] || m[5] != kept[5])
      speeds[i].w = kg_vector (g[0] * m[3], g[1] * m[3] + g[2] * m[4], g[3] * m[3] + g[4] * m[4] + g[5] * m[5]);
    {
      const double now[6] = {
        speeds[i].v.x, speeds[i].v.y, speeds[i].v.z, speeds[i].w.x, speeds[i].w.y, speeds[i].w.z
      };

      memcpy (lanes->known[i], now, sizeof now);
      memcpy (lanes->kept[i], m, sizeof now);
    }
  }
}

/* Gᵀ x */
INLINE KgVector
apply_factor (const Lane factor[6], size_t lane, KgVector x)
{
  return (KgVector){ factor[0][lane] * x.x + factor[1][lane] * x.y + factor[3][lane] * x.z,
                     factor[2][lane] * x.y + factor[4][lane] * x.z, factor[5][lane] * x.z };
}

/* G u */
INLINE KgVector
unapply_factor (const Lane factor[6], size_t lane, KgVector u)
{
  return (KgVector){ factor[0][lane] * u.x, factor[1][lane] * u.x + factor[2][lane] * u.y,
                     factor[3][lane] * u.x + factor[4][lane] * u.y + factor[5][lane] * u.z };
}

KG_KERNEL static void
begin_groups (RigidLanes *lanes)
{
  const RigidLaneStep step = lanes->step;

  for (guint k = 0; k < lanes->n_groups; k++) {
    Group *group = &lanes->groups[k];

    for (size_t lane = 0; lane < LANES; lane++) {
      const uint32_t a = group->a[lane], b = group->b[lane];

      group->inverse_mass[0][lane] = lanes->yields[a][0];
      group->inverse_mass[1][lane] = lanes->yields[b][0];
      group->yields[0][lane] = lanes->yields[a][1];
      group->yields[1][lane] = lanes->yields[b][1];
      for (size_t i = 0; i < 6; i++) {
        group->factors[0][i][lane] = lanes->factors[a][i];
        group->factors[1][i][lane] = lanes->factors[b][i];
      }
    }
    for (size_t lane = 0; resists_turning (&step) && lane < LANES; lane++) {
      double sum = 0;

      for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < 6; i++)
          sum += group->yields[side][lane] * group->factors[side][i][lane] * group->factors[side][i][lane];
      group->mass_roll[lane] = sum > 0 ? 3 / sum : 0;
    }
    for (guint i = 0; i < group->n_points; i++) {
      Point *point = &lanes->points[group->first_point + i];

      for (size_t row = 0; row < 3; row++)
#pragma omp simd
        for (size_t lane = 0; lane < LANES; lane++) {
          const KgVector a = apply_factor (group->factors[0], lane, get (point->arms[row][0], lane)),
                         b = apply_factor (group->factors[1], lane, get (point->arms[row][1], lane));
          const double sum = group->inverse_mass[0][lane] + group->inverse_mass[1][lane] +
                             group->yields[0][lane] * kg_vector_dot (a, a) +
                             group->yields[1][lane] * kg_vector_dot (b, b);

          set (point->rows[row][0], lane, a);
          set (point->rows[row][1], lane, b);
          point->mass[row][lane] = sum > 0 ? point->counts[lane] / sum : 0;
        }
#pragma omp simd
      for (size_t lane = 0; lane < LANES; lane++) {
        const double gap = point->numbers[RIGID_GAP][lane], deep = gap + step.slop,
                     part = step.bias * (deep < 0 ? deep : 0);

        point->bias[lane] = gap > 0 ? gap / step.h : part > -step.recover ? part : -step.recover;
      }
    }
  }
}

void
rigid_lanes_begin (RigidLanes *lanes, const RigidSpeed *speeds, const RigidLaneStep *step)
{
  lanes->step = *step;
  for (guint i = 0; i < lanes->n_bodies; i++)
    read_body (lanes, i, &speeds[i]);
  begin_groups (lanes);
}

/* Passes. */

/* All lanes at once, as one value: loops over them leave the compiler with more addresses than it has registers for. */
typedef double Vector __attribute__ ((vector_size (LANES * sizeof (double)), aligned (8), may_alias));
typedef int64_t Mask __attribute__ ((vector_size (LANES * sizeof (double)), aligned (8), may_alias));
typedef struct {
  Vector x, y, z;
} Vectors;

#define AT(lane) (*(const Vector *) (lane))
#define AT3(lanes) ((Vectors){ AT ((lanes)[0]), AT ((lanes)[1]), AT ((lanes)[2]) })
#define DOT(a, b) ((a).x * (b).x + (a).y * (b).y + (a).z * (b).z)
#define SCALE(a, s) ((Vectors){ (a).x * (s), (a).y * (s), (a).z * (s) })
#define ADD(a, b) ((Vectors){ (a).x + (b).x, (a).y + (b).y, (a).z + (b).z })
#define SUBTRACT(a, b) ((Vectors){ (a).x - (b).x, (a).y - (b).y, (a).z - (b).z })
/* a where the mask is set, else 0. */
#define KEEP(mask, a) ((Vector) ((mask) & (Mask) (a)))
#define CHOOSE(mask, a, b) ((Vector) (((mask) & (Mask) (a)) | (~(mask) & (Mask) (b))))

/* The velocities of the two bodies of each lane. */
typedef struct {
  Vectors v[2], u[2];
} Pair;

INLINE void
load (const RigidLanes *lanes, const Group *group, Pair *pair)
{
  for (int side = 0; side < 2; side++) {
    const uint32_t *bodies = side == 0 ? group->a : group->b;
    const double *m0 = lanes->moving[bodies[0]], *m1 = lanes->moving[bodies[1]], *m2 = lanes->moving[bodies[2]],
                 *m3 = lanes->moving[bodies[3]];

    pair->v[side] =
        (Vectors){ { m0[0], m1[0], m2[0], m3[0] }, { m0[1], m1[1], m2[1], m3[1] }, { m0[2], m1[2], m2[2], m3[2] } };
    pair->u[side] =
        (Vectors){ { m0[3], m1[3], m2[3], m3[3] }, { m0[4], m1[4], m2[4], m3[4] }, { m0[5], m1[5], m2[5], m3[5] } };
  }
}

INLINE void
store (const RigidLanes *lanes, const Group *group, const Pair *pair)
{
  for (int side = 0; side < 2; side++)
    for (size_t lane = 0; lane < LANES; lane++) {
      double *m = lanes->moving[side == 0 ? group->a[lane] : group->b[lane]];

      m[0] = pair->v[side].x[lane];
      m[1] = pair->v[side].y[lane];
      m[2] = pair->v[side].z[lane];
      m[3] = pair->u[side].x[lane];
      m[4] = pair->u[side].y[lane];
      m[5] = pair->u[side].z[lane];
    }
}

/* An impulse on both, and what it turns along u. */
INLINE void
push_pair (const Group *group, Pair *pair, const Vectors *impulse, const Vectors *turn_a, const Vectors *turn_b)
{
  pair->v[0] = ADD (pair->v[0], SCALE (*impulse, AT (group->inverse_mass[0])));
  pair->v[1] = SUBTRACT (pair->v[1], SCALE (*impulse, AT (group->inverse_mass[1])));
  pair->u[0] = ADD (pair->u[0], SCALE (*turn_a, AT (group->yields[0])));
  pair->u[1] = SUBTRACT (pair->u[1], SCALE (*turn_b, AT (group->yields[1])));
}

/* An impulse along the normal. */
INLINE void
push_along (const Group *group, const Point *point, Pair *pair, const Vector *normal)
{
  const Vectors impulse = SCALE (AT3 (group->directions[0]), *normal),
                turn_a = SCALE (AT3 (point->rows[0][0]), *normal), turn_b = SCALE (AT3 (point->rows[0][1]), *normal);

  push_pair (group, pair, &impulse, &turn_a, &turn_b);
}

/* One across it. */
INLINE void
push_across (const Group *group, const Point *point, Pair *pair, const Vector *along, const Vector *across)
{
  const Vectors impulse = ADD (SCALE (AT3 (group->directions[1]), *along), SCALE (AT3 (group->directions[2]), *across)),
                turn_a = ADD (SCALE (AT3 (point->rows[1][0]), *along), SCALE (AT3 (point->rows[2][0]), *across)),
                turn_b = ADD (SCALE (AT3 (point->rows[1][1]), *along), SCALE (AT3 (point->rows[2][1]), *across));

  push_pair (group, pair, &impulse, &turn_a, &turn_b);
}

/* A twist of both bodies. */
INLINE void
twist_pair (const Group *group, Pair *pair, size_t lane, KgVector twist)
{
  for (size_t side = 0; side < 2; side++) {
    const KgVector turn = kg_vector_scale (apply_factor (group->factors[side], lane, twist),
                                           (side == 0 ? 1 : -1) * group->yields[side][lane]);

    pair->u[side].x[lane] += turn.x;
    pair->u[side].y[lane] += turn.y;
    pair->u[side].z[lane] += turn.z;
  }
}

/* The velocity of a along a direction, as b sees it; v: how fast its centre is against that of b. */
#define SPEED(group, point, pair, v, row)                                                                              \
  (DOT (v, AT3 ((group)->directions[row])) +                                                                           \
   (DOT ((pair)->u[0], AT3 ((point)->rows[row][0])) - DOT ((pair)->u[1], AT3 ((point)->rows[row][1]))))

/* Within the disc of static friction; what leaves it slides with kinetic friction. */
INLINE void
solve_friction (const Group *group, Point *point, Pair *pair)
{
  const Vectors v = SUBTRACT (pair->v[0], pair->v[1]);
  const Vector before_along = AT (point->numbers[RIGID_ALONG]), before_across = AT (point->numbers[RIGID_ACROSS]),
               pressed = AT (point->numbers[RIGID_NORMAL]), limit = AT (group->friction_static) * pressed;
  Vector along = before_along - AT (point->mass[1]) * SPEED (group, point, pair, v, 1),
         across = before_across - AT (point->mass[2]) * SPEED (group, point, pair, v, 2);
  const Vector square = along * along + across * across;
  const Mask beyond = square > limit * limit;

  /* Where nothing slides, as in heaps that have come to rest, there is no need to wait for roots. */
  if ((beyond[0] | beyond[1] | beyond[2] | beyond[3]) != 0) {
    const Vector length = { sqrt (square[0]), sqrt (square[1]), sqrt (square[2]), sqrt (square[3]) },
                 one = { 1, 1, 1, 1 }, share = CHOOSE (beyond, AT (group->friction) * pressed / length, one);

    along *= share;
    across *= share;
  }
  *(Vector *) point->numbers[RIGID_ALONG] = along;
  *(Vector *) point->numbers[RIGID_ACROSS] = across;
  along -= before_along;
  across -= before_across;
  push_across (group, point, pair, &along, &across);
}

INLINE KgVector
limit_length (KgVector v, double most)
{
  const double length = sqrt (kg_vector_dot (v, v));

  return kg_vector_scale (v, length > most ? most / length : 1);
}

/* Resistance to spinning, where it is given, is that about the normal, and resistance to rolling across it; else one for all. */
INLINE KgVector
limit_turning (const RigidLaneStep *step, KgVector twist, KgVector normal, double pressed)
{
  const double about = kg_vector_dot (twist, normal), most = step->spinning * pressed;
  KgVector across;

  if (!(step->spinning > 0))
    return limit_length (twist, step->rolling * pressed);
  across = limit_length (kg_vector_add_scaled (twist, -about, normal), step->rolling * pressed);
  return kg_vector_add_scaled (across, about > most ? most : about < -most ? -most : about, normal);
}

INLINE void
solve_rolling (const RigidLanes *lanes, const Group *group, Point *point, Pair *pair)
{
  for (size_t lane = 0; lane < LANES; lane++) {
    const KgVector u_a = { pair->u[0].x[lane], pair->u[0].y[lane], pair->u[0].z[lane] },
                   u_b = { pair->u[1].x[lane], pair->u[1].y[lane], pair->u[1].z[lane] };
    const KgVector w_a = unapply_factor (group->factors[0], lane, u_a),
                   w_b = unapply_factor (group->factors[1], lane, u_b);
    const KgVector before = get_roll (point, lane),
                   next = kg_vector_add_scaled (before, -group->mass_roll[lane], kg_vector_subtract (w_a, w_b));
    const double pressed = point->numbers[RIGID_NORMAL][lane];
    const KgVector kept = limit_turning (&lanes->step, next, get (group->directions[0], lane), pressed);

    set_roll (point, lane, kept);
    twist_pair (group, pair, lane, kg_vector_subtract (kept, before));
  }
}

INLINE void
solve_normal (const Group *group, Point *point, Pair *pair, Vector *change, Vector *most)
{
  const Vectors v = SUBTRACT (pair->v[0], pair->v[1]);
  const Vector before = AT (point->numbers[RIGID_NORMAL]),
               wanted = before - AT (point->mass[0]) * (SPEED (group, point, pair, v, 0) + AT (point->bias)),
               next = KEEP (wanted > 0, wanted), by = next - before, size = CHOOSE (by < 0, -by, by);

  *(Vector *) point->numbers[RIGID_NORMAL] = next;
  push_along (group, point, pair, &by);
  *change = CHOOSE (size > *change, size, *change);
  *most = CHOOSE (next > *most, next, *most);
}

KG_KERNEL static void
pass_groups (RigidLanes *lanes, bool backwards, Lane changes, Lane mosts)
{
  const bool turns = resists_turning (&lanes->step);
  Vector change = { 0 }, most = { 0 };

  for (guint i = 0; i < lanes->n_groups; i++) {
    const Group *group = &lanes->groups[backwards ? lanes->n_groups - 1 - i : i];
    Pair pair;

    load (lanes, group, &pair);
    for (guint k = 0; k < group->n_points; k++) {
      Point *point = &lanes->points[group->first_point + (backwards ? group->n_points - 1 - k : k)];

      solve_friction (group, point, &pair);
      if (turns)
        solve_rolling (lanes, group, point, &pair);
      solve_normal (group, point, &pair, &change, &most);
    }
    store (lanes, group, &pair);
  }
  *(Vector *) changes = change;
  *(Vector *) mosts = most;
}

void
rigid_lanes_pass (RigidLanes *lanes, bool backwards, double *change, double *most)
{
  Lane changes = { 0 }, mosts = { 0 };

  pass_groups (lanes, backwards, changes, mosts);
  *change = *most = 0;
  for (size_t lane = 0; lane < LANES; lane++) {
    *change = fmax (*change, changes[lane]);
    *most = fmax (*most, mosts[lane]);
  }
}

KG_KERNEL static void
apply_groups (RigidLanes *lanes, bool rolls)
{
  for (guint i = 0; i < lanes->n_groups; i++) {
    const Group *group = &lanes->groups[i];
    Pair pair;

    load (lanes, group, &pair);
    for (guint k = 0; k < group->n_points; k++) {
      const Point *point = &lanes->points[group->first_point + k];

      push_along (group, point, &pair, &AT (point->numbers[RIGID_NORMAL]));
      push_across (group, point, &pair, &AT (point->numbers[RIGID_ALONG]), &AT (point->numbers[RIGID_ACROSS]));
      if (rolls)
        for (size_t lane = 0; lane < LANES; lane++)
          twist_pair (group, &pair, lane, get_roll (point, lane));
    }
    store (lanes, group, &pair);
  }
}

void
rigid_lanes_apply (RigidLanes *lanes)
{
  apply_groups (lanes, resists_turning (&lanes->step));
}

/* Extrapolation. */

void
rigid_lanes_begin_extrapolation (RigidLanes *lanes)
{
  if (lanes->before == NULL) {
    lanes->before = g_malloc0_n (MAX (lanes->n_points, 1), sizeof *lanes->before);
    lanes->way = g_malloc0_n (MAX (lanes->n_points, 1), sizeof *lanes->way);
  }
  memset (lanes->way, 0, MAX (lanes->n_points, 1) * sizeof *lanes->way);
  lanes->last = 0;
}

void
rigid_lanes_keep (RigidLanes *lanes)
{
  for (guint k = 0; k < lanes->n_points; k++)
    memcpy (lanes->before[k], lanes->points[k].numbers, sizeof lanes->before[k]);
}

void
rigid_lanes_extrapolate (RigidLanes *lanes)
{
  double sum = 0, share;

  for (guint k = 0; k < lanes->n_points; k++)
    for (size_t c = 0; c < 3; c++)
      for (size_t lane = 0; lane < LANES; lane++) {
        const double change = lanes->points[k].numbers[c][lane] - lanes->before[k][c][lane];

        lanes->before[k][c][lane] = change;
        sum += change * change;
      }
  share = lanes->last > 0 ? sum / lanes->last : INFINITY;
  lanes->last = sum;
  if (!(share <= 1))
    share = 0;
  for (guint i = 0; i < lanes->n_groups; i++) {
    const Group *group = &lanes->groups[i];
    Pair pair;

    load (lanes, group, &pair);
    for (guint k = group->first_point; k < group->first_point + group->n_points; k++) {
      Point *point = &lanes->points[k];

      Vector way[3];

      for (size_t c = 0; c < 3; c++) {
        way[c] = AT (lanes->way[k][c]) * share;
        *(Vector *) point->numbers[c] += way[c];
        *(Vector *) lanes->way[k][c] = way[c] + AT (lanes->before[k][c]);
      }
      push_along (group, point, &pair, &way[0]);
      push_across (group, point, &pair, &way[1], &way[2]);
    }
    store (lanes, group, &pair);
  }
}
