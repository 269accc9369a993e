/* moving_points: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "morph/moving_points.h"
#include "kg-floats.h"

#include <string.h>

/* A moving point that misses a key by more than this share of its size is reported. */
#define MISS 1e-4
/* Places of a path that are looked at for the one nearest to a key. */
#define SEARCH 512

typedef struct {
  guint row;        /* of attachments, for messages; the ends have none */
  guint first, n;   /* keys */
  double *u;        /* where on each of them */
  double *shares;   /* how far along its path it is at each of them */
  KgVector *misses; /* from the path there to the key */
  Curve *path;      /* NULL: straight */
  const KgMotion *pace;
} Mover;

static void
mover_free (gpointer data)
{
  Mover *mover = (Mover *) data;

  g_free (mover->u);
  g_free (mover->shares);
  g_free (mover->misses);
  g_clear_pointer (&mover->path, curve_free);
  g_free (mover);
}

struct _MovingPoints {
  const InbetweenKey *keys;
  const double *times;
  guint n_keys;
  GPtrArray *movers;
  guint key;     /* the time is between this one and the next */
  GArray *sides; /* Side, then */
};

/* How far along its path a moving point is between two keys. */
static double
mover_get_share (const MovingPoints *moving, const Mover *mover, guint key, double tau)
{
  const double *times = moving->times;
  const guint i = key - mover->first;

  if (mover->pace != NULL) {
    const double start = times[mover->first], end = times[mover->first + mover->n - 1];
    const double now = kg_lerp (times[key], times[key + (tau > 0)], tau);

    return kg_clamp (kg_motion_evaluate (mover->pace, (now - start) / (end - start), 0), 0, 1);
  }
  return kg_lerp (mover->shares[i], mover->shares[i + (tau > 0)], tau);
}

static KgVector
mover_get_path_point (const Mover *mover, double share)
{
  return curve_evaluate (mover->path, curve_get_parameter (mover->path, share * curve_get_length (mover->path)), 0);
}

static KgVector
mover_get (const MovingPoints *moving, const Mover *mover, guint key, double tau)
{
  const guint i = key - mover->first;
  const KgVector from = inbetween_key_get (&moving->keys[key], mover->u[i]);
  const KgVector to = inbetween_key_get (&moving->keys[key + 1], mover->u[i + 1]);

  if (mover->path == NULL) {
    double share = tau;

    /* A straight way has a pace for each stretch; what it misses at the keys is made up for on the way. */
    if (mover->pace != NULL)
      share = kg_motion_evaluate (mover->pace, tau, tau) - (1 - tau) * kg_motion_evaluate (mover->pace, 0, 0) -
              tau * (kg_motion_evaluate (mover->pace, 1, 1) - 1);
    return kg_vector_lerp (from, to, share);
  }
  return kg_vector_add (mover_get_path_point (mover, mover_get_share (moving, mover, key, tau)),
                        kg_vector_lerp (mover->misses[i], mover->misses[i + 1], tau));
}

/* The share of a path, from a share on, that is nearest to a place. */
static double
mover_find_share (const Mover *mover, double from, KgVector place)
{
  double best = from, least = INFINITY, step = (1 - from) / SEARCH;

  for (int i = 0; i <= SEARCH; i++) {
    const double d = kg_vector_distance (mover_get_path_point (mover, from + i * step), place);

    if (d < least) {
      least = d;
      best = from + i * step;
    }
  }
  for (; step > 1e-12; step *= 0.5)
    for (int side = -1; side <= 1; side += 2) {
      const double at = kg_clamp (best + side * step, from, 1);
      const double d = kg_vector_distance (mover_get_path_point (mover, at), place);

      if (d < least) {
        least = d;
        best = at;
      }
    }
  return best;
}

/* Where on its path the point is at each key, and by how much the path misses them. */
static bool
mover_attach (const MovingPoints *moving, Mover *mover, bool snap, GError **warning, GError **error)
{
  double size = 0, worst = 0;
  guint worst_key = 0;

  mover->shares = g_new0 (double, mover->n);
  mover->misses = g_new0 (KgVector, mover->n);
  if (mover->path == NULL)
    return true;
  for (guint i = 0; i < mover->n; i++) {
    const KgVector place = inbetween_key_get (&moving->keys[mover->first + i], mover->u[i]);

    mover->shares[i] = i + 1 == mover->n ? 1 : i == 0 ? 0 : mover_find_share (mover, mover->shares[i - 1], place);
    size = fmax (size, curve_get_length (moving->keys[mover->first + i].curve));
  }
  for (guint i = 0; i < mover->n; i++) {
    const KgVector place = inbetween_key_get (&moving->keys[mover->first + i], mover->u[i]);
    const double share = mover_get_share (moving, mover, mover->first + i, 0);
    double miss;

    mover->misses[i] = kg_vector_subtract (place, mover_get_path_point (mover, share));
    miss = kg_vector_length (mover->misses[i]);
    if (miss > worst) {
      worst = miss;
      worst_key = mover->first + i;
    }
  }
  if (!(worst > MISS * size))
    return true;
  if (!snap) {
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "moving point %u is %g m away from its attachment on key %u: correct its path, its attachment or its timing, or turn on snap",
        mover->row, worst, worst_key);
    return false;
  }
  kg_set_error (warning, KG_ERROR_DEGENERATE,
                "moving point %u misses its attachment on key %u by %.4g m: its path was bent to pass through it",
                mover->row, worst_key, worst);
  return true;
}

/* A side of the patches between two keys: a moving point, or an end that goes straight. */
typedef struct {
  const Mover *mover;
  double u[2];
} Side;

static int
compare_sides (gconstpointer a, gconstpointer b)
{
  const Side *x = (const Side *) a, *y = (const Side *) b;

  if (x->u[0] != y->u[0])
    return x->u[0] < y->u[0] ? -1 : 1;
  return x->u[1] < y->u[1] ? -1 : x->u[1] > y->u[1];
}

static GArray *
get_sides (const MovingPoints *moving, GError **error)
{
  const guint key = moving->key;
  g_autoptr (GArray) sides = g_array_new (FALSE, FALSE, sizeof (Side));
  const bool closed = curve_is_closed (moving->keys[key].curve);
  bool has_start = false, has_end = false;

  for (guint i = 0; i < moving->movers->len; i++) {
    const Mover *mover = (const Mover *) moving->movers->pdata[i];
    Side side = { .mover = mover };

    if (mover->first > key || mover->first + mover->n < key + 2)
      continue;
    memcpy (side.u, mover->u + (key - mover->first), sizeof side.u);
    g_array_append_val (sides, side);
    has_start = has_start || (side.u[0] == 0 && side.u[1] == 0);
    has_end = has_end || (side.u[0] == 1 && side.u[1] == 1);
  }
  /* The start of a closed curve is its end as well. */
  for (guint i = sides->len; closed && has_start != has_end && i > 0; i--) {
    Side side = g_array_index (sides, Side, i - 1);

    if (side.u[0] == side.u[1] && side.u[0] == (has_start ? 0 : 1)) {
      side.u[0] = side.u[1] = 1 - side.u[0];
      g_array_append_val (sides, side);
      has_start = has_end = true;
    }
  }
  if (!has_start)
    g_array_append_val (sides, ((Side){ NULL, { 0, 0 } }));
  if (!has_end)
    g_array_append_val (sides, ((Side){ NULL, { 1, 1 } }));
  g_array_sort (sides, compare_sides);
  for (guint i = 1; i < sides->len; i++) {
    const Side *a = &g_array_index (sides, Side, i - 1), *b = a + 1;

    if (b->u[1] < a->u[1] || (b->u[0] == a->u[0] && b->u[1] == a->u[1])) {
      kg_set_error (
          error, KG_ERROR_DEGENERATE,
          "moving points %d and %d cross between keys %u and %u: %g comes before %g on the first, but %g does not come before %g on the second (-1 is an end of the curve); change their attachments",
          a->mover != NULL ? (int) a->mover->row : -1, b->mover != NULL ? (int) b->mover->row : -1, key, key + 1,
          a->u[0], b->u[0], a->u[1], b->u[1]);
      return NULL;
    }
  }
  return g_steal_pointer (&sides);
}

typedef struct {
  const MovingPoints *moving;
  const Side *sides; /* two, one after the other */
} Patch;

static KgVector
side_get (const MovingPoints *moving, const Side *side, double tau)
{
  const guint key = moving->key;

  if (side->mover != NULL)
    return mover_get (moving, side->mover, key, tau);
  return kg_vector_lerp (inbetween_key_get (&moving->keys[key], side->u[0]),
                         inbetween_key_get (&moving->keys[key + 1], side->u[1]), tau);
}

static KgVector
patch_get_key (const void *data, guint which, double sigma)
{
  const Patch *patch = (const Patch *) data;

  return inbetween_key_get (&patch->moving->keys[patch->moving->key + which],
                            kg_lerp (patch->sides[0].u[which], patch->sides[1].u[which], sigma));
}

static KgVector
patch_get_side (const void *data, guint which, double tau)
{
  const Patch *patch = (const Patch *) data;

  return side_get (patch->moving, &patch->sides[which], tau);
}

static KgVector
patch_get_tangent (const void *data, guint which, double sigma)
{
  /* From within the patch, as the curve may have a corner at its side. */
  const double h = sigma > 0 ? -1e-5 : 1e-5;

  return kg_vector_scale (
      kg_vector_subtract (patch_get_key (data, which, sigma + h), patch_get_key (data, which, sigma)), 1 / h);
}

/* A polyline of count points, all at the origin yet.  (transfer full) (nullable) */
static KgGeometry *
new_line (size_t count, bool closed, GError **error)
{
  g_autofree uint32_t *vertices = g_new (uint32_t, MAX (count, 1));
  g_autoptr (KgGeometry) line = kg_geometry_new ();

  if (!kg_geometry_set_n_points (line, count, error))
    return NULL;
  for (size_t i = 0; i < count; i++)
    vertices[i] = (uint32_t) i;
  kg_geometry_add_primitive (
      line,
      &(KgPrimitive){ .kind = KG_POLYLINE, .closed = closed, .n_vertices = (uint32_t) count, .vertices = vertices });
  return g_steal_pointer (&line);
}

/* All patches at a time between the keys, one after the other.  Neighbours share their side; a closed curve comes back to
 * its first.  (transfer full) (nullable) */
KgGeometry *
moving_points_draw (const MovingPoints *moving, InbetweenBlend blend, size_t samples, double tau, GError **error)
{
  const bool closed = curve_is_closed (moving->keys[0].curve);
  g_autoptr (KgGeometry) line = new_line ((moving->sides->len - 1) * samples + (closed ? 0 : 1), closed, error);
  size_t count = 0;
  float *p;

  if (line == NULL)
    return NULL;
  p = kg_geometry_edit_positions (line);
  for (guint i = 0; i + 1 < moving->sides->len; i++) {
    const Patch data = { moving, &g_array_index (moving->sides, Side, i) };
    const InbetweenPatch patch = { patch_get_key, patch_get_side, patch_get_tangent, &data };

    for (size_t k = 0; k < samples; k++)
      kg_floats_set_vector (p, count++, inbetween_patch_get (&patch, blend, (double) k / (double) samples, tau));
  }
  if (!closed)
    kg_floats_set_vector (p, count,
                          side_get (moving, &g_array_index (moving->sides, Side, moving->sides->len - 1), tau));
  return g_steal_pointer (&line);
}

MovingPoints *
moving_points_new (const InbetweenKey *keys, const double *times, guint n_keys)
{
  MovingPoints *moving = g_new0 (MovingPoints, 1);

  moving->keys = keys;
  moving->times = times;
  moving->n_keys = n_keys;
  moving->movers = g_ptr_array_new_with_free_func (mover_free);
  return moving;
}

void
moving_points_free (MovingPoints *moving)
{
  g_ptr_array_unref (moving->movers);
  g_clear_pointer (&moving->sides, g_array_unref);
  g_free (moving);
}

bool
moving_points_add (MovingPoints *moving, guint first, const double *u, guint n, Curve *path, const KgMotion *pace,
                   bool snap, GError **warning, GError **error)
{
  Mover *mover;

  g_return_val_if_fail (n >= 2 && first + n <= moving->n_keys, false);
  mover = g_new0 (Mover, 1);
  mover->row = moving->movers->len;
  mover->first = first;
  mover->n = n;
  mover->u = g_memdup2 (u, n * sizeof *u);
  mover->path = path;
  mover->pace = pace;
  g_ptr_array_add (moving->movers, mover);
  return mover_attach (moving, mover, snap, warning, error);
}

guint
moving_points_get_n (const MovingPoints *moving)
{
  return moving->movers->len;
}

bool
moving_points_set_key (MovingPoints *moving, guint key, GError **error)
{
  moving->key = key;
  g_clear_pointer (&moving->sides, g_array_unref);
  moving->sides = get_sides (moving, error);
  return moving->sides != NULL;
}

guint
moving_points_get_n_sides (const MovingPoints *moving)
{
  return moving->sides->len;
}

KgVector
moving_points_get_side (const MovingPoints *moving, guint side, double tau)
{
  return side_get (moving, &g_array_index (moving->sides, Side, side), tau);
}
