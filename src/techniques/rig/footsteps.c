/* footsteps: a walk along a way.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/footsteps.h"

#include "kg-math.h"

#define MOST_STEPS 1000000.0
/* Angle of an arc between two of its points. */
#define ARC_STEP (KG_PI / 36)

/* A straight piece of the way, or an arc from its start on. */
typedef struct {
  double from, length; /* metres along the way */
  KgVector start;
  KgVector ahead;  /* unit, at its start */
  KgVector inward; /* unit, to the centre of the arc */
  double radius;   /* 0: straight */
} Piece;

struct _Footsteps {
  FootstepsOptions options;
  GArray *pieces; /* Piece */
  double length;
  guint n;
};

void
footsteps_free (Footsteps *walk)
{
  g_array_unref (walk->pieces);
  g_free (walk);
}

static void
add_piece (Footsteps *walk, Piece piece)
{
  if (!(piece.length > 0))
    return;
  piece.from = walk->length;
  walk->length += piece.length;
  g_array_append_val (walk->pieces, piece);
}

/* The points that differ from those before them.  (element-type KgVector) (transfer full) */
static GArray *
drop_repeated (const KgVector *points, size_t n)
{
  GArray *kept = g_array_new (false, false, sizeof (KgVector));

  for (size_t i = 0; i < n; i++)
    if (kept->len == 0 || kg_vector_distance (points[i], g_array_index (kept, KgVector, kept->len - 1)) > 1e-9)
      g_array_append_val (kept, points[i]);
  return kept;
}

/* Legs between points, each shortened by the arcs at its ends.  An arc takes at most half of the shorter leg beside it. */
static void
lay_out (Footsteps *walk, const KgVector *p, guint n)
{
  double taken = 0;

  for (guint i = 0; i + 1 < n; i++) {
    const double leg = kg_vector_distance (p[i], p[i + 1]);
    const KgVector ahead = kg_vector_scale (kg_vector_subtract (p[i + 1], p[i]), 1 / leg);
    const KgVector start = kg_vector_add_scaled (p[i], taken, ahead);
    KgVector next, inward;
    double following, turn, tangent;

    if (i + 2 == n) {
      add_piece (walk, (Piece){ .length = leg - taken, .start = start, .ahead = ahead });
      return;
    }
    following = kg_vector_distance (p[i + 1], p[i + 2]);
    next = kg_vector_scale (kg_vector_subtract (p[i + 2], p[i + 1]), 1 / following);
    turn = acos (kg_clamp (kg_vector_dot (ahead, next), -1, 1));
    inward =
        kg_vector_normalize_or (kg_vector_add_scaled (next, -kg_vector_dot (next, ahead), ahead), kg_vector (0, 0, 0));
    /* Straight on needs no arc, and there is none straight back. */
    tangent = turn > 1e-6 && turn < KG_PI - 1e-3 ? MIN (walk->options.corner * tan (turn / 2), MIN (leg, following) / 2)
                                                 : 0;
    add_piece (walk, (Piece){ .length = leg - taken - tangent, .start = start, .ahead = ahead });
    if (tangent > 0)
      add_piece (walk, (Piece){ .length = turn * tangent / tan (turn / 2),
                                .start = kg_vector_add_scaled (p[i + 1], -tangent, ahead),
                                .ahead = ahead,
                                .inward = inward,
                                .radius = tangent / tan (turn / 2) });
    taken = tangent;
  }
}

Footsteps *
footsteps_new (const KgVector *points, size_t n, const FootstepsOptions *options, GError **error)
{
  g_autoptr (Footsteps) walk = g_new0 (Footsteps, 1);
  g_autoptr (GArray) p = drop_repeated (points, n);
  double count;

  walk->options = *options;
  walk->pieces = g_array_new (false, false, sizeof (Piece));
  lay_out (walk, (const KgVector *) (const void *) p->data, p->len);
  if (walk->pieces->len == 0)
    add_piece (walk, (Piece){ .length = 1e-12, .start = g_array_index (p, KgVector, 0), .ahead = { 1, 0, 0 } });
  count = ceil (walk->length / options->step - 1e-9);
  if (!(count <= MOST_STEPS)) {
    kg_set_error (error, KG_ERROR_LIMIT, "the path of %g m takes %.3g steps of %g m, more than %g: use longer steps",
                  walk->length, count, options->step, MOST_STEPS);
    return NULL;
  }
  walk->n = walk->length < options->step / 4 ? 0 : (guint) count;
  return g_steal_pointer (&walk);
}

double
footsteps_get_length (const Footsteps *walk)
{
  return walk->length;
}

guint
footsteps_get_n (const Footsteps *walk)
{
  return walk->n;
}

double
footsteps_get_step (const Footsteps *walk)
{
  return walk->n > 0 ? walk->length / walk->n : 0;
}

void
footsteps_set_duration (Footsteps *walk, double duration)
{
  walk->options.duration = duration;
}

double
footsteps_get_beats (const Footsteps *walk)
{
  return walk->options.slow_ends ? (walk->n > 1 ? walk->n + 2 : 2 * walk->n) : walk->n;
}

double
footsteps_get_duration (const Footsteps *walk)
{
  return footsteps_get_beats (walk) * walk->options.duration;
}

Footprint
footsteps_get_way (const Footsteps *walk, double distance)
{
  const double s = kg_clamp (distance, 0, walk->length);
  guint low = 0, high = walk->pieces->len;
  const Piece *piece;
  KgVector ahead, place;
  double along;

  while (high - low > 1) {
    const guint middle = (low + high) / 2;

    *(g_array_index (walk->pieces, Piece, middle).from <= s ? &low : &high) = middle;
  }
  piece = &g_array_index (walk->pieces, Piece, low);
  along = MIN (s - piece->from, piece->length);
  ahead = piece->ahead;
  if (piece->radius > 0) {
    const double angle = along / piece->radius, c = cos (angle), sine = sin (angle);

    place = kg_vector_add_scaled (kg_vector_add_scaled (piece->start, piece->radius * sine, piece->ahead),
                                  piece->radius * (1 - c), piece->inward);
    ahead = kg_vector_add_scaled (kg_vector_scale (piece->ahead, c), sine, piece->inward);
  } else
    place = kg_vector_add_scaled (piece->start, along, piece->ahead);
  return (Footprint){ place, atan2 (-ahead.z, ahead.x) };
}

GArray *
footsteps_get_rounded (const Footsteps *walk)
{
  GArray *points = g_array_new (false, false, sizeof (KgVector));
  KgVector end;

  for (guint i = 0; i < walk->pieces->len; i++) {
    const Piece *piece = &g_array_index (walk->pieces, Piece, i);
    const guint n = piece->radius > 0 ? (guint) ceil (piece->length / piece->radius / ARC_STEP) : 1;

    for (guint k = 0; k < n; k++) {
      const KgVector at = footsteps_get_way (walk, piece->from + piece->length * k / n).place;

      g_array_append_val (points, at);
    }
  }
  end = footsteps_get_way (walk, walk->length).place;
  g_array_append_val (points, end);
  return points;
}

/* To the left of the heading by a distance. */
static KgVector
move_aside (Footprint at, double left)
{
  return kg_vector_add_scaled (at.place, left, kg_vector (-sin (at.heading), 0, -cos (at.heading)));
}

static int
get_stepping_foot (const Footsteps *walk, guint k)
{
  return (k % 2 == 1) == (walk->options.first == FOOTSTEPS_LEFT) ? FOOTSTEPS_LEFT : FOOTSTEPS_RIGHT;
}

static Footprint
get_print_of (const Footsteps *walk, int foot, guint k)
{
  Footprint print = footsteps_get_way (walk, footsteps_get_step (walk) * MIN (k, walk->n));

  print.place = move_aside (print, (foot == FOOTSTEPS_LEFT ? 0.5 : -0.5) * walk->options.width);
  return print;
}

Footprint
footsteps_get_print (const Footsteps *walk, guint k, int *foot)
{
  *foot = get_stepping_foot (walk, k);
  return get_print_of (walk, *foot, k);
}

double
footsteps_get_phase (const Footsteps *walk, double time)
{
  const double n = walk->n, end = footsteps_get_beats (walk), beat = kg_clamp (time / walk->options.duration, 0, end);

  if (walk->n == 0)
    return 0;
  if (!walk->options.slow_ends)
    return beat;
  /* From rest to full speed and back in one step is half as fast on the way as full speed. */
  if (walk->n == 1)
    return beat <= 1 ? beat * beat / 2 : 1 - (2 - beat) * (2 - beat) / 2;
  return beat <= 2 ? beat * beat / 4 : beat >= end - 2 ? n - (end - beat) * (end - beat) / 4 : beat - 1;
}

double
footsteps_get_time (const Footsteps *walk, double phase)
{
  const double n = walk->n, end = footsteps_get_beats (walk), p = kg_clamp (phase, 0, n);
  double beat = p;

  if (walk->options.slow_ends && walk->n == 1)
    beat = p <= 0.5 ? sqrt (2 * p) : 2 - sqrt (2 * (1 - p));
  else if (walk->options.slow_ends)
    beat = p <= 1 ? 2 * sqrt (p) : p >= n - 1 ? end - 2 * sqrt (n - p) : p + 1;
  return beat * walk->options.duration;
}

void
footsteps_get_swing (const Footsteps *walk, guint k, double *from, double *to)
{
  /* A foot lands half a step before the body is over it; the last one as the body arrives. */
  const double swing = 2 * (1 - walk->options.carry), n = walk->n;

  *to = k <= walk->n ? k - 0.5 : n;
  *from = MAX (*to - swing, k <= walk->n ? 0 : n - 0.5);
}

static Footprint
swing_between (const Footsteps *walk, Footprint from, Footprint to, double u)
{
  const double q = kg_fade (u), turn = remainder (to.heading - from.heading, 2 * KG_PI);
  Footprint at = { kg_vector_lerp (from.place, to.place, q), from.heading + q * turn };

  at.place.y += walk->options.lift * 16 * u * u * (1 - u) * (1 - u);
  return at;
}

Footprint
footsteps_get_foot (const Footsteps *walk, int foot, double phase, bool *planted)
{
  /* Its steps are every second one: the first of them that is not over yet. */
  const guint first = get_stepping_foot (walk, 1) == foot ? 1 : 2;
  guint k = first;
  double from, to;

  *planted = true;
  if (walk->n == 0)
    return get_print_of (walk, foot, 0);
  if (phase > 4)
    k += 2 * ((guint) (phase - 3) / 2);
  for (; k <= walk->n + 1; k += 2) {
    footsteps_get_swing (walk, k, &from, &to);
    if (phase >= to)
      continue;
    if (phase <= from)
      break;
    *planted = false;
    return swing_between (walk, get_print_of (walk, foot, k >= 2 ? k - 2 : 0), get_print_of (walk, foot, k),
                          (phase - from) / (to - from));
  }
  return get_print_of (walk, foot, k >= 2 ? k - 2 : 0);
}

double
footsteps_get_sway (const Footsteps *walk, double phase)
{
  const double p = kg_clamp (phase, 0, walk->n), edge = MIN (MIN (p, walk->n - p), 1);
  const double side = get_stepping_foot (walk, 1) == FOOTSTEPS_LEFT ? -1 : 1;

  return walk->n == 0 ? 0 : side * cos (KG_PI * p) * kg_fade (edge);
}
