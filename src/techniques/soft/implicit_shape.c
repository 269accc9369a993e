/* implicit_shape: simple bodies as scalar fields.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/implicit_shape.h"

#include "kg-error.h"

enum {
  SHAPE,
  SIZE,
  NORTH_SOUTH = SIZE + 3,
  EAST_WEST,
  TO_WORLD,
  TO_SHAPE = TO_WORLD + 12,
  N_PARAMETERS = TO_SHAPE + 12
};

/* Distance from a corner of which x and y are the (signed) distances from its two sides. */
static double
get_corner_distance (double x, double y)
{
  return hypot (MAX (x, 0), MAX (y, 0)) + MIN (MAX (x, y), 0);
}

static double
get_segment_distance (double x, double y, double ax, double ay, double bx, double by)
{
  const double dx = bx - ax, dy = by - ay;
  const double t = kg_clamp (((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy), 0, 1);

  return hypot (x - ax - t * dx, y - ay - t * dy);
}

/* Its outline in a plane through the axis: the base, and the slope from there to the tip. */
static double
get_cone_distance (double radius, double half, double r, double y)
{
  const double base = get_segment_distance (r, y, 0, -half, radius, -half);
  const double slope = get_segment_distance (r, y, radius, -half, 0, half);
  const bool inside = y > -half && r * 2 * half < radius * (half - y);

  return inside ? -MIN (base, slope) : MIN (base, slope);
}

/* Of degree 1 in the distance from the centre, so that high powers do not make it steep: S^(ε₁/2) − 1. */
static double
get_superquadric (const ImplicitOptions *o, KgVector p)
{
  const double x = fabs (p.x / o->size.x), y = fabs (p.y / o->size.y), z = fabs (p.z / o->size.z);
  const double largest = MAX (MAX (x, y), z), e1 = o->north_south, e2 = o->east_west;
  double around;

  if (!(largest > 0))
    return -1;
  around = pow (pow (x / largest, 2 / e2) + pow (y / largest, 2 / e2), e2 / e1);
  return largest * pow (around + pow (z / largest, 2 / e1), e1 / 2) - 1;
}

/* f at a place in the shape's own coordinates. */
static double
implicit_shape_get (const ImplicitOptions *o, KgVector p)
{
  const double r = hypot (p.x, p.z);

  switch (o->shape) {
  case IMPLICIT_BOX: {
    const KgVector q = { fabs (p.x) - o->size.x, fabs (p.y) - o->size.y, fabs (p.z) - o->size.z };

    return kg_vector_length (kg_vector (MAX (q.x, 0), MAX (q.y, 0), MAX (q.z, 0))) + MIN (MAX (MAX (q.x, q.y), q.z), 0);
  }
  case IMPLICIT_CYLINDER:
    return get_corner_distance (r - o->size.x, fabs (p.y) - o->size.y);
  case IMPLICIT_CONE:
    return get_cone_distance (o->size.x, o->size.y, r, p.y);
  case IMPLICIT_TORUS:
    return hypot (r - o->size.x, p.y) - o->size.y;
  case IMPLICIT_PLANE:
    return p.y;
  case IMPLICIT_SUPERQUADRIC:
    return get_superquadric (o, p);
  default:
    return kg_vector_length (p) - o->size.x;
  }
}

static KgVector
get_half (const ImplicitOptions *o)
{
  const KgVector s = o->size;

  switch (o->shape) {
  case IMPLICIT_CYLINDER:
  case IMPLICIT_CONE:
    return kg_vector (s.x, s.y, s.x);
  case IMPLICIT_TORUS:
    return kg_vector (s.x + s.y, s.y, s.x + s.y);
  case IMPLICIT_SPHERE:
    return kg_vector (s.x, s.x, s.x);
  default:
    return s;
  }
}

static void
write_transform (KgTransform t, double out[12])
{
  for (int i = 0; i < 12; i++)
    out[i] = t.m[i / 4][i % 4];
}

static KgTransform
read_transform (const double in[12])
{
  KgTransform t = kg_transform_identity ();

  for (int i = 0; i < 12; i++)
    t.m[i / 4][i % 4] = in[i];
  return t;
}

static ImplicitOptions
get_options (const KgField *field, KgTransform *to_shape)
{
  const double *p = kg_field_get_parameters (field);

  if (to_shape != NULL)
    *to_shape = read_transform (p + TO_SHAPE);
  return (ImplicitOptions){ .shape = (ImplicitShape) p[SHAPE],
                            .size = { p[SIZE], p[SIZE + 1], p[SIZE + 2] },
                            .north_south = p[NORTH_SOUTH],
                            .east_west = p[EAST_WEST],
                            .transform = read_transform (p + TO_WORLD) };
}

static void
implicit_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  KgTransform to_shape;
  const ImplicitOptions o = get_options (field, &to_shape);

  for (size_t i = 0; i < block->n; i++) {
    const KgVector p = { (double) block->x[i], (double) block->y[i], (double) block->z[i] };

    out[0][i] = (float) (1 - implicit_shape_get (&o, kg_transform_point (to_shape, p)));
  }
}

/* The field falls from 1 on the surface by 1 in a metre; that of a superquadric in its own size. */
static bool
implicit_get_bounds_at (const KgField *field, double level, KgVector *low, KgVector *high)
{
  const ImplicitOptions o = get_options (field, NULL);
  const double more = 1 - level;
  KgVector half = get_half (&o);

  for (size_t c = 0; c < 3; c++) {
    const double size = kg_vector_get (half, c);

    *kg_vector_component (&half, c) = MAX (o.shape == IMPLICIT_SUPERQUADRIC ? size * (1 + more) : size + more, 0);
  }
  for (int i = 0; i < 8; i++) {
    const KgVector corner = { i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z };
    const KgVector p = kg_transform_point (o.transform, corner);

    *low = i == 0 ? p : kg_vector (MIN (low->x, p.x), MIN (low->y, p.y), MIN (low->z, p.z));
    *high = i == 0 ? p : kg_vector (MAX (high->x, p.x), MAX (high->y, p.y), MAX (high->z, p.z));
  }
  return o.shape != IMPLICIT_PLANE;
}

static bool
implicit_get_bounds (const KgField *field, KgVector *low, KgVector *high)
{
  return implicit_get_bounds_at (field, 1, low, high);
}

static double
implicit_get_level (const KgField *field)
{
  (void) field;
  return 1;
}

static void
implicit_add_seeds (const KgField *field, GArray *seeds)
{
  const ImplicitOptions o = get_options (field, NULL);
  const KgVector inside = { o.shape == IMPLICIT_TORUS ? o.size.x : 0, 0, 0 };
  const KgVector seed = kg_transform_point (o.transform, inside);

  g_array_append_val (seeds, seed);
}

static const KgFieldClass implicit_class = {
  .name = "implicit shape",
  .width = 1,
  .sample = implicit_sample,
  .get_bounds = implicit_get_bounds,
  .get_bounds_at = implicit_get_bounds_at,
  .get_level = implicit_get_level,
  .add_seeds = implicit_add_seeds,
  .hash_within = kg_field_hash_tree_within,
};

KgField *
implicit_shape_new (const ImplicitOptions *o, GError **error)
{
  double parameters[N_PARAMETERS] = { [SHAPE] = (double) o->shape,    [SIZE] = o->size.x,
                                      [SIZE + 1] = o->size.y,         [SIZE + 2] = o->size.z,
                                      [NORTH_SOUTH] = o->north_south, [EAST_WEST] = o->east_west };
  KgTransform inverse;

  if (!kg_transform_invert (o->transform, &inverse)) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the transform flattens the shape: scale it by more than 0 along each axis");
    return NULL;
  }
  write_transform (o->transform, parameters + TO_WORLD);
  write_transform (inverse, parameters + TO_SHAPE);
  return kg_field_new (&implicit_class, parameters, N_PARAMETERS, NULL, 0, error);
}
