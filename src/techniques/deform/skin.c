/* skin: what follows the points of a skeleton.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "deform/skin.h"

#include "kg-floats.h"
#include "kg-kernel.h"

#include <gsl/gsl_linalg.h>
#include <string.h>

/* Points of one block: their coordinates and sums stay in the first-level cache. */
#define BLOCK 256
/* Blocks that a thread takes at a time: a thread that is held up leaves the rest to the others. */
#define BLOCKS_AT_ONCE 16

/* The skeleton. */

static void
allocate (SkinSkeleton *skeleton, size_t n)
{
  skeleton->n = n;
  skeleton->rest = g_new (KgVector, MAX (n, 1));
  skeleton->posed = g_new (KgVector, MAX (n, 1));
}

static void
find_flat (SkinSkeleton *skeleton)
{
  skeleton->flat = true;
  for (size_t i = 0; i < skeleton->n; i++)
    skeleton->flat &= skeleton->rest[i].z == skeleton->rest[0].z && skeleton->posed[i].z == skeleton->rest[0].z;
}

static void
read_joints (SkinSkeleton *skeleton, const KgSkeleton *joints)
{
  const guint n = kg_skeleton_get_n_joints (joints);
  g_autofree KgTransform *world = g_new (KgTransform, MAX (n, 1));

  allocate (skeleton, n);
  kg_skeleton_get_rest_world (joints, world);
  for (guint i = 0; i < n; i++)
    skeleton->rest[i] = kg_transform_get_place (&world[i]);
  kg_skeleton_get_world (joints, world);
  for (guint i = 0; i < n; i++)
    skeleton->posed[i] = kg_transform_get_place (&world[i]);
}

bool
skin_skeleton_read (SkinSkeleton *skeleton, const KgGeometry *rest, const KgGeometry *posed, const KgSkeleton *joints,
                    GError **error)
{
  if (joints != NULL) {
    read_joints (skeleton, joints);
    find_flat (skeleton);
    return true;
  }
  if (rest == NULL || posed == NULL) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED,
                  "%s is not linked: link the figure at rest to rest, and the same figure in motion to posed",
                  rest == NULL ? "rest" : "posed");
    return false;
  }
  if (kg_geometry_get_n_points (rest) != kg_geometry_get_n_points (posed)) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "the skeleton has %zu points at rest and %zu in the pose: link the same points in the same order to both",
        kg_geometry_get_n_points (rest), kg_geometry_get_n_points (posed));
    return false;
  }
  allocate (skeleton, kg_geometry_get_n_points (rest));
  for (size_t i = 0; i < skeleton->n; i++)
    for (size_t c = 0; c < 3; c++) {
      *kg_vector_component (&skeleton->rest[i], c) = (double) kg_geometry_get_positions (rest)[3 * i + c];
      *kg_vector_component (&skeleton->posed[i], c) = (double) kg_geometry_get_positions (posed)[3 * i + c];
    }
  find_flat (skeleton);
  return true;
}

void
skin_skeleton_pick (const SkinSkeleton *whole, const uint32_t *numbers, size_t n, SkinSkeleton *part)
{
  allocate (part, n);
  for (size_t i = 0; i < n; i++) {
    part->rest[i] = whole->rest[numbers[i]];
    part->posed[i] = whole->posed[numbers[i]];
  }
  /* Parts that touch must not turn by different rules. */
  part->flat = whole->flat;
}

void
skin_skeleton_clear (SkinSkeleton *skeleton)
{
  g_clear_pointer (&skeleton->rest, g_free);
  g_clear_pointer (&skeleton->posed, g_free);
  skeleton->n = 0;
}

static bool
is_equal (KgVector a, KgVector b)
{
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static gint
compare_places (gconstpointer a, gconstpointer b, gpointer data)
{
  const size_t i = *(const size_t *) a, k = *(const size_t *) b;
  const KgVector p = ((const KgVector *) data)[i], q = ((const KgVector *) data)[k];

  for (size_t c = 0; c < 3; c++)
    if (kg_vector_get (p, c) != kg_vector_get (q, c))
      return kg_vector_get (p, c) < kg_vector_get (q, c) ? -1 : 1;
  return (i > k) - (i < k);
}

bool
skin_skeleton_find_tear (const SkinSkeleton *skeleton, size_t *a, size_t *b)
{
  g_autofree size_t *order = g_new (size_t, MAX (skeleton->n, 1));

  for (size_t i = 0; i < skeleton->n; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) skeleton->n, sizeof *order, compare_places, skeleton->rest);
  for (size_t i = 1; i < skeleton->n; i++)
    if (is_equal (skeleton->rest[order[i - 1]], skeleton->rest[order[i]]) &&
        !is_equal (skeleton->posed[order[i - 1]], skeleton->posed[order[i]])) {
      *a = order[i - 1];
      *b = order[i];
      return false;
    }
  return true;
}

bool
skin_skeleton_check (const SkinSkeleton *skeleton, GError **warning)
{
  size_t a, b;

  if (skeleton->n == 0) {
    kg_set_error (warning, KG_ERROR_DEGENERATE, "the skeleton has no points: the geometry is not deformed");
    return false;
  }
  if (!skin_skeleton_find_tear (skeleton, &a, &b)) {
    kg_set_error (
        warning, KG_ERROR_DEGENERATE,
        "points %zu and %zu of the skeleton coincide at rest but move apart: the geometry there moves to a position between them",
        a, b);
    return false;
  }
  return true;
}

/* Its turn. */

/* Passes of SKIN_ROTATION_REPEATED: each leaves about a third of the angle. */
#define MAX_PASSES 200

/* Places from the centre: p at rest, d posed. */
typedef struct {
  size_t n;
  KgVector *p, *d;
  double size; /* of the larger of the two */
} Centered;

static KgVector
get_mean (const KgVector *x, size_t n)
{
  KgVector sum = { 0, 0, 0 };

  for (size_t i = 0; i < n; i++)
    sum = kg_vector_add (sum, x[i]);
  return kg_vector_scale (sum, 1 / (double) MAX (n, 1));
}

static void
center (const SkinSkeleton *skeleton, Centered *centered)
{
  const KgVector before = get_mean (skeleton->rest, skeleton->n), after = get_mean (skeleton->posed, skeleton->n);

  centered->n = skeleton->n;
  centered->p = g_new (KgVector, MAX (skeleton->n, 1));
  centered->d = g_new (KgVector, MAX (skeleton->n, 1));
  centered->size = 0;
  for (size_t i = 0; i < skeleton->n; i++) {
    centered->p[i] = kg_vector_subtract (skeleton->rest[i], before);
    centered->d[i] = kg_vector_subtract (skeleton->posed[i], after);
    centered->size = fmax (centered->size, fmax (kg_vector_length (centered->p[i]), kg_vector_length (centered->d[i])));
  }
}

static void
centered_clear (Centered *centered)
{
  g_clear_pointer (&centered->p, g_free);
  g_clear_pointer (&centered->d, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Centered, centered_clear)

static KgTransform
rotate_in_plane (double angle)
{
  KgTransform turn = kg_transform_identity ();

  turn.m[0][0] = turn.m[1][1] = cos (angle);
  turn.m[1][0] = sin (angle);
  turn.m[0][1] = -turn.m[1][0];
  return turn;
}

/* The turn of one point about the centre, as an axis as long as the angle; false where the point has no direction. */
static bool
get_point_rotation (const Centered *centered, size_t i, bool flat, KgVector *turn)
{
  const KgVector p = centered->p[i], d = centered->d[i], cross = kg_vector_cross (p, d);
  const double least = 1e-9 * centered->size;

  if (kg_vector_length (p) <= least || kg_vector_length (d) <= least)
    return false;
  if (flat)
    *turn = kg_vector (0, 0, atan2 (cross.z, kg_vector_dot (p, d)));
  else
    *turn = kg_vector_scale (kg_vector_normalize_or (cross, kg_vector (0, 0, 0)),
                             atan2 (kg_vector_length (cross), kg_vector_dot (p, d)));
  return true;
}

static KgVector
get_mean_rotation (const Centered *centered, bool flat)
{
  KgVector sum = { 0, 0, 0 }, first = { 0, 0, 0 };
  size_t n = 0;

  for (size_t i = 0; i < centered->n; i++) {
    KgVector turn;

    if (!get_point_rotation (centered, i, flat, &turn))
      continue;
    /* In the plane 179 and -179 degrees are neighbours. */
    if (flat && n > 0)
      turn.z = first.z + remainder (turn.z - first.z, 2 * KG_PI);
    if (n++ == 0)
      first = turn;
    sum = kg_vector_add (sum, turn);
  }
  return kg_vector_scale (sum, 1 / (double) MAX (n, 1));
}

static KgTransform
find_average (Centered *centered, bool flat, bool repeated)
{
  const KgVector one = { 1, 1, 1 }, zero = { 0, 0, 0 };
  KgRotation all = kg_rotation_identity ();

  for (guint pass = 0; pass < (repeated ? MAX_PASSES : 1); pass++) {
    const KgVector turn = get_mean_rotation (centered, flat);
    const KgRotation step = kg_rotation_from_axis_angle (turn, kg_vector_length (turn));

    if (flat && !repeated)
      return rotate_in_plane (turn.z);
    all = kg_rotation_multiply (step, all);
    if (kg_vector_length (turn) < 1e-12)
      break;
    for (size_t i = 0; i < centered->n; i++)
      centered->p[i] = kg_rotation_apply (step, centered->p[i]);
  }
  return kg_transform_from_parts (zero, kg_rotation_normalize (all), one);
}

/* The sum of d pᵀ. */
static KgTransform
get_correlation (const Centered *centered)
{
  KgTransform sum = { { { 0 } } };

  for (size_t i = 0; i < centered->n; i++)
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        sum.m[r][c] += kg_vector_get (centered->d[i], r) / centered->size *
                       (kg_vector_get (centered->p[i], c) / centered->size);
  return sum;
}

static KgVector
get_column (const gsl_matrix *m, size_t c)
{
  return kg_vector (gsl_matrix_get (m, 0, c), gsl_matrix_get (m, 1, c), gsl_matrix_get (m, 2, c));
}

/* The first two pairs of singular vectors, u of the rows and v of the columns, and their values. */
static void
find_singular (const KgTransform *m, KgVector u[2], KgVector v[2], double value[2])
{
  double a_data[9], v_data[9], s_data[3];
  gsl_matrix_view a = gsl_matrix_view_array (a_data, 3, 3), w = gsl_matrix_view_array (v_data, 3, 3);
  gsl_vector_view s = gsl_vector_view_array (s_data, 3);

  for (int i = 0; i < 9; i++)
    a_data[i] = m->m[i / 3][i % 3];
  gsl_linalg_SV_decomp_jacobi (&a.matrix, &w.matrix, &s.vector);
  for (size_t i = 0; i < 2; i++) {
    u[i] = get_column (&a.matrix, i);
    v[i] = get_column (&w.matrix, i);
    value[i] = s_data[i];
  }
}

/* The rotation that takes v[0] to u[0] and v[1] to u[1]. */
static KgTransform
join (const KgVector u[2], const KgVector v[2])
{
  const KgVector to[] = { u[0], u[1], kg_vector_cross (u[0], u[1]) };
  const KgVector from[] = { v[0], v[1], kg_vector_cross (v[0], v[1]) };
  KgTransform turn = kg_transform_identity ();

  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      turn.m[r][c] = kg_vector_get (to[0], r) * kg_vector_get (from[0], c) +
                     kg_vector_get (to[1], r) * kg_vector_get (from[1], c) +
                     kg_vector_get (to[2], r) * kg_vector_get (from[2], c);
  return turn;
}

/* Kabsch's rotation.  Points on one line say nothing about a turn around it: there, and gradually near there, the
 * turn is the least that takes the line to where it is now. */
static KgTransform
find_best (const Centered *centered, bool *mirrored)
{
  const double line = 1e-4;
  KgTransform correlation = get_correlation (centered), least;
  KgVector u[2], v[2];
  double value[2], missing;

  find_singular (&correlation, u, v, value);
  *mirrored = kg_transform_determinant (correlation) < -1e-9 * value[0] * value[0] * value[0];
  missing = line * value[0] - value[1];
  if (!(missing > 0))
    return join (u, v);
  least = kg_transform_from_parts (kg_vector (0, 0, 0), kg_rotation_between (v[0], u[0]), kg_vector (1, 1, 1));
  /* Both correlation and least have zeros and a one beside their linear parts. */
  {
    KgTransform back = least;

    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        back.m[r][c] = least.m[c][r];
    correlation = kg_transform_multiply (correlation, back);
  }
  for (int i = 0; i < 3; i++)
    correlation.m[i][i] += missing;
  find_singular (&correlation, u, v, value);
  return kg_transform_multiply (join (u, v), least);
}

static KgTransform
find_best_in_plane (const Centered *centered, bool *mirrored)
{
  const KgTransform m = get_correlation (centered);
  const double sum = m.m[0][0] + m.m[1][1], difference = m.m[1][0] - m.m[0][1];
  const double size = hypot (hypot (m.m[0][0], m.m[0][1]), hypot (m.m[1][0], m.m[1][1]));

  *mirrored = m.m[0][0] * m.m[1][1] - m.m[0][1] * m.m[1][0] < -1e-9 * size * size;
  return hypot (sum, difference) > 1e-12 * size ? rotate_in_plane (atan2 (difference, sum)) : kg_transform_identity ();
}

KgTransform
skin_find_rotation (const SkinSkeleton *skeleton, SkinRotation method, bool *mirrored)
{
  g_auto (Centered) centered = { .n = 0 };

  *mirrored = false;
  if (method == SKIN_ROTATION_NONE || skeleton->n < 2)
    return kg_transform_identity ();
  center (skeleton, &centered);
  if (!(centered.size > 0))
    return kg_transform_identity ();
  if (method != SKIN_ROTATION_BEST)
    return find_average (&centered, skeleton->flat, method == SKIN_ROTATION_REPEATED);
  return skeleton->flat ? find_best_in_plane (&centered, mirrored) : find_best (&centered, mirrored);
}

/* The field. */

/* Distances are measured in sizes of the skeleton, and never more than these, beyond which all weights are equal. */
#define FARTHEST 1e9f
/* Added to squares of distances, so that they can be divided by: less than their rounding anywhere but on a point. */
#define LEAST_SQUARE 1e-18f

struct _SkinField {
  size_t n;
  float pivot[3];
  float inverse_size;
  bool turns;
  float turn[3][3];    /* less the identity */
  float inverse_reach; /* 0: no limit */
  float half_power;
  bool inverse_square; /* power 2 without a limit */
  float *at[3];        /* of each point: its place, as distances are measured, ... */
  float *move[3];      /* ... and what it does beyond the turn */
};

SkinField *
skin_field_new (const SkinSkeleton *skeleton, const KgTransform *turn, double power, double radius)
{
  SkinField *field = g_new0 (SkinField, 1);
  float *numbers = g_new0 (float, MAX (6 * skeleton->n, 1));
  const KgVector middle = get_mean (skeleton->rest, skeleton->n);
  double size = 0;

  field->n = skeleton->n;
  for (size_t i = 0; i < skeleton->n; i++)
    size = fmax (size, kg_vector_distance (skeleton->rest[i], middle));
  size = kg_clamp (size, 1e-30, 1e30);
  field->inverse_size = (float) (1 / size);
  field->inverse_reach = radius > 0 ? (float) kg_clamp (size / radius, 1e-30, 1e30) : 0;
  field->half_power = (float) (0.5 * power);
  field->inverse_square = power == 2 && !(radius > 0);
  for (int r = 0; r < 3; r++) {
    field->pivot[r] = (float) kg_vector_get (middle, r);
    for (int c = 0; c < 3; c++) {
      field->turn[r][c] = (float) (turn->m[r][c] - (r == c ? 1 : 0));
      field->turns |= field->turn[r][c] != 0;
    }
  }
  for (size_t c = 0; c < 3; c++) {
    field->at[c] = numbers + c * field->n;
    field->move[c] = numbers + (3 + c) * field->n;
  }
  for (size_t i = 0; i < skeleton->n; i++) {
    const KgVector pivot = kg_floats_get_vector (field->pivot, 0);
    const KgVector from = kg_vector_subtract (skeleton->rest[i], pivot);
    const KgVector turned = kg_vector_subtract (kg_transform_direction (*turn, from), from);
    const KgVector moved = kg_vector_subtract (skeleton->posed[i], skeleton->rest[i]);

    for (size_t c = 0; c < 3; c++) {
      /* Computed like the coordinates of the geometry, so that a vertex on the point is at distance 0. */
      field->at[c][i] = ((float) kg_vector_get (skeleton->rest[i], c) - field->pivot[c]) * field->inverse_size;
      field->move[c][i] = (float) (kg_vector_get (moved, c) - kg_vector_get (turned, c));
    }
  }
  return field;
}

void
skin_field_free (SkinField *field)
{
  g_free (field->at[0]);
  g_free (field);
}

/* Sums over the skeleton for the points of a block: of weights times moves, and of weights. */
typedef float (*Sums)[BLOCK];

/* Weights of 1 / d².  Two points of the skeleton share a division, which takes longer than all the rest. */
static inline void
weigh_inverse_square (const SkinField *field, float (*restrict x)[BLOCK], size_t n, float (*restrict sum)[BLOCK])
{
  size_t k = 0;

  for (; k + 1 < field->n; k += 2) {
    const float ax = field->at[0][k], ay = field->at[1][k], az = field->at[2][k];
    const float bx = field->at[0][k + 1], by = field->at[1][k + 1], bz = field->at[2][k + 1];
    const float au = field->move[0][k], av = field->move[1][k], aw = field->move[2][k];
    const float bu = field->move[0][k + 1], bv = field->move[1][k + 1], bw = field->move[2][k + 1];

    for (size_t p = 0; p < n; p++) {
      const float adx = x[0][p] - ax, ady = x[1][p] - ay, adz = x[2][p] - az;
      const float bdx = x[0][p] - bx, bdy = x[1][p] - by, bdz = x[2][p] - bz;
      const float a = adx * adx + ady * ady + adz * adz + LEAST_SQUARE;
      const float b = bdx * bdx + bdy * bdy + bdz * bdz + LEAST_SQUARE;
      const float both = 1 / (a * b);
      const float wa = both * b, wb = both * a;

      sum[0][p] += wa * au + wb * bu;
      sum[1][p] += wa * av + wb * bv;
      sum[2][p] += wa * aw + wb * bw;
      sum[3][p] += wa + wb;
    }
  }
  for (; k < field->n; k++)
    for (size_t p = 0; p < n; p++) {
      const float dx = x[0][p] - field->at[0][k], dy = x[1][p] - field->at[1][k], dz = x[2][p] - field->at[2][k];
      const float w = 1 / (dx * dx + dy * dy + dz * dz + LEAST_SQUARE);

      sum[0][p] += w * field->move[0][k];
      sum[1][p] += w * field->move[1][k];
      sum[2][p] += w * field->move[2][k];
      sum[3][p] += w;
    }
}

/* The square of the distance to point k, as it counts: within a limited reach r as d / (1 - d / r), infinite outside. */
static inline float
get_square (const SkinField *field, size_t k, float x, float y, float z)
{
  const float dx = x - field->at[0][k], dy = y - field->at[1][k], dz = z - field->at[2][k];
  const float square = dx * dx + dy * dy + dz * dz;
  const float left = 1 - field->inverse_reach * sqrtf (square), stretched = square / (left * left);

  return left > 0 ? stretched : INFINITY;
}

/* Weights of any power, in shares of the nearest point's, which neither overflow nor divide by zero. */
static inline void
weigh (const SkinField *field, float (*restrict x)[BLOCK], size_t n, float (*restrict sum)[BLOCK])
{
  const float half_power = field->half_power;
  float nearest[BLOCK], share[BLOCK], raised[BLOCK];

  for (size_t p = 0; p < n; p++)
    nearest[p] = INFINITY;
  for (size_t k = 0; k < field->n; k++)
    for (size_t p = 0; p < n; p++) {
      const float square = get_square (field, k, x[0][p], x[1][p], x[2][p]);

      nearest[p] = square < nearest[p] ? square : nearest[p];
    }
  for (size_t k = 0; k < field->n; k++) {
    const float u = field->move[0][k], v = field->move[1][k], w = field->move[2][k];

    for (size_t p = 0; p < n; p++) {
      const float square = get_square (field, k, x[0][p], x[1][p], x[2][p]);
      /* Not a number where both are 0, or both infinite; then it is not used. */
      const float ratio = nearest[p] / square, reached = square > nearest[p] ? ratio : 1;

      share[p] = square < INFINITY ? reached : 0;
    }
    for (size_t p = 0; p < n; p++)
      raised[p] = kg_power_single (share[p], half_power);
    for (size_t p = 0; p < n; p++) {
      const float weight = share[p] > 0 ? raised[p] : 0;

      sum[0][p] += weight * u;
      sum[1][p] += weight * v;
      sum[2][p] += weight * w;
      sum[3][p] += weight;
    }
  }
}

static inline float
limit (float x)
{
  const float low = x > -FARTHEST ? x : -FARTHEST;

  return low < FARTHEST ? low : FARTHEST;
}

/* How far the n points with these coordinates from the pivot move. */
static inline void
displace (const SkinField *field, float (*restrict d)[BLOCK], size_t n, float (*restrict out)[BLOCK])
{
  float x[3][BLOCK], sum[4][BLOCK];

  for (int c = 0; c < 3; c++)
    for (size_t p = 0; p < n; p++)
      x[c][p] = limit (d[c][p] * field->inverse_size);
  memset (sum, 0, sizeof sum);
  if (field->inverse_square)
    weigh_inverse_square (field, x, n, sum);
  else
    weigh (field, x, n, sum);
  for (int c = 0; c < 3; c++) {
    const float *m = field->turn[c];

    /* Out of every point's reach nothing happens. */
    for (size_t p = 0; p < n; p++)
      out[c][p] = sum[3][p] > 0 ? sum[c][p] / sum[3][p] : 0;
    if (field->turns)
      for (size_t p = 0; p < n; p++)
        out[c][p] += m[0] * d[0][p] + m[1] * d[1][p] + m[2] * d[2][p];
  }
}

KG_KERNEL static void
sample_block (const SkinField *field, const float *const *places, size_t n, float *const *out)
{
  float d[3][BLOCK], moved[3][BLOCK];

  for (int c = 0; c < 3; c++)
    for (size_t p = 0; p < n; p++)
      d[c][p] = places[c][p] - field->pivot[c];
  displace (field, d, n, moved);
  for (int c = 0; c < 3; c++)
    memcpy (out[c], moved[c], n * sizeof (float));
}

void
skin_field_sample (const SkinField *field, const float *x, const float *y, const float *z, size_t n, float *const *out)
{
  for (size_t first = 0; first < n; first += BLOCK) {
    const float *const places[] = { x + first, y + first, z + first };
    float *const moves[] = { out[0] + first, out[1] + first, out[2] + first };

    sample_block (field, places, MIN (BLOCK, n - first), moves);
  }
}

KG_KERNEL static void
deform_block (const SkinField *field, const float *from, float *to, size_t n)
{
  float at[3][BLOCK], d[3][BLOCK], moved[3][BLOCK];

  kg_split3 (from, n, at[0], at[1], at[2]);
  for (int c = 0; c < 3; c++)
    for (size_t p = 0; p < n; p++)
      d[c][p] = at[c][p] - field->pivot[c];
  displace (field, d, n, moved);
  for (int c = 0; c < 3; c++)
    for (size_t p = 0; p < n; p++)
      at[c][p] += moved[c][p];
  kg_join3 (at[0], at[1], at[2], n, to);
}

bool
skin_field_deform (const SkinField *field, const float *from, float *to, size_t n, const KgProgressMonitor *monitor)
{
  const size_t n_blocks = (n + BLOCK - 1) / BLOCK;

#pragma omp parallel for schedule(dynamic, BLOCKS_AT_ONCE) if (n * field->n > KG_PARALLEL_FROM)
  for (size_t b = 0; b < n_blocks; b++)
    if (!kg_progress_is_cancelled (monitor))
      deform_block (field, from + 3 * b * BLOCK, to + 3 * b * BLOCK, MIN (BLOCK, n - b * BLOCK));
  return !kg_progress_is_cancelled (monitor);
}

/* Points that do not lie beside each other. */
static void
deform_scattered (const SkinField *field, float *points, const uint32_t *numbers, size_t n)
{
  float some[3 * BLOCK] = { 0 };

  for (size_t p = 0; p < n; p++)
    memcpy (some + 3 * p, points + 3 * (size_t) numbers[p], 3 * sizeof (float));
  deform_block (field, some, some, n);
  for (size_t p = 0; p < n; p++)
    memcpy (points + 3 * (size_t) numbers[p], some + 3 * p, 3 * sizeof (float));
}

bool
skin_field_deform_some (const SkinField *field, float *points, const uint32_t *numbers, size_t n,
                        const KgProgressMonitor *monitor)
{
  const size_t n_blocks = (n + BLOCK - 1) / BLOCK;

#pragma omp parallel for schedule(dynamic, BLOCKS_AT_ONCE) if (n * field->n > KG_PARALLEL_FROM)
  for (size_t b = 0; b < n_blocks; b++)
    if (!kg_progress_is_cancelled (monitor))
      deform_scattered (field, points, numbers + b * BLOCK, MIN (BLOCK, n - b * BLOCK));
  return !kg_progress_is_cancelled (monitor);
}
