/* keys_along: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/keys_along.h"
#include "kg-floats.h"

/* Most keys of all lines. */
#define MAX_KEYS 10000000
/* Keys this often ask for cancelling. */
#define CANCEL_EVERY 256

typedef struct {
  double at, factor;
} Stop;

static int
compare_stops (gconstpointer a, gconstpointer b)
{
  const Stop *p = (const Stop *) a, *q = (const Stop *) b;

  return (p->at > q->at) - (p->at < q->at);
}

/* (element-type Stop) (transfer full) (nullable) */
static GArray *
read_stops (const KgTable *table, GError **error)
{
  g_autoptr (GArray) stops = g_array_new (false, false, sizeof (Stop));

  for (size_t row = 0; table != NULL && row < kg_table_get_n_rows (table); row++) {
    const double *r = kg_table_get_row (table, row);
    const Stop stop = { r[0], r[1] };

    if (!isfinite (stop.at) || !(stop.factor >= 0 && stop.factor <= 1e6)) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "sizes along lines, row %zu: a factor of %g at %g: write a position from 0 to 1 and a factor of at least 0",
          row + 1, stop.factor, stop.at);
      return NULL;
    }
    g_array_append_val (stops, stop);
  }
  g_array_sort (stops, compare_stops);
  return g_steal_pointer (&stops);
}

static double
get_factor (const GArray *stops, double at)
{
  const Stop *s = (const Stop *) (const void *) stops->data;
  guint i = 0;

  if (stops->len == 0)
    return 1;
  while (i < stops->len && s[i].at <= at)
    i++;
  if (i == 0 || i == stops->len)
    return s[i == 0 ? 0 : i - 1].factor;
  return s[i - 1].factor + (at - s[i - 1].at) / (s[i].at - s[i - 1].at) * (s[i].factor - s[i - 1].factor);
}

static KgVector
get_point (const KgGeometry *geometry, const KgPrimitive *line, uint32_t i)
{
  return kg_floats_get_vector (kg_geometry_get_positions (geometry), (size_t) line->vertices[i % line->n_vertices]);
}

static uint32_t
count_pieces (const KgPrimitive *line)
{
  return line->n_vertices > 1 ? line->n_vertices - (line->closed || line->kind == KG_POLYGON ? 0 : 1) : 0;
}

static double
count_keys (const KeysAlongOptions *options, double length)
{
  return options->spacing > 0 ? MAX (1, round (length / options->spacing)) : (double) options->per_piece;
}

/* The extent of the influence along the pieces: their x axis where keys are aligned, else in that direction. */
static double
get_extent (const KeysAlongOptions *options, KgVector direction)
{
  const KgVector a = options->influence;
  double sum = 0;

  if (options->aligned)
    return a.x;
  for (size_t c = 0; c < 3; c++)
    sum += pow (fabs (kg_vector_get (direction, c) / kg_vector_get (a, c)), options->power);
  return pow (sum, -1 / options->power);
}

/* The field of a long row of keys of force 1, in units of the level, at a distance from their line: midway between two of
 * them, or (first 0) beside one.  All lengths are relative to their influence. */
static double
get_row_field (const KeysAlongOptions *options, double step, double first, double distance)
{
  const double n = options->power, reach = density_get_reach (&options->density);
  double sum = first == 0 ? density_get (&options->density, distance * distance, NULL) : 0;

  for (double x = first == 0 ? step : first; x < reach; x += step)
    sum += 2 * density_get (&options->density, pow (pow (distance, n) + pow (x, n), 2 / n), NULL);
  return sum / options->density.level;
}

/* Rows that are denser than this part of the influence are summed in steps of it. */
#define MIN_STEP 1e-3

/* The factor of the forces; and whether the row is seen beside its keys, but not between them. */
static double
find_force (const KeysAlongOptions *options, double step, bool *gap)
{
  const double force = MAX (fabs (options->force), 1), dense = MAX (step, MIN_STEP);

  *gap = options->force > 0 && options->force * get_row_field (options, dense, 0, 0) > 1 &&
         options->force * get_row_field (options, dense, 0.5 * dense, 0) <= 1;
  /* Too far apart they cannot be made even: to bridge the gap would blow up the keys. */
  if (!options->even_thickness || step > 2 * density_get_body (&options->density, 2 * force))
    return 1;
  /* The field of still denser rows is proportional to their density. */
  return step / dense /
         (force * get_row_field (options, dense, 0.5 * dense, density_get_body (&options->density, force)));
}

typedef struct {
  KgVector a, direction; /* of the piece as it is now; direction 0 where it has no length */
  KgRotation turn;
  double length;     /* over which keys are spread */
  double start, end; /* in the line, 0..1 */
} Piece;

/* bound: the piece keeps its length at rest. */
static Piece
piece_new (const KeysAlongOptions *options, KgVector a, KgVector b, bool bound, KgVector rest_a, KgVector rest_b)
{
  const KgVector d = kg_vector_subtract (b, a), rest = kg_vector_subtract (rest_b, rest_a);
  const double length = sqrt (kg_vector_dot (d, d)), kept = sqrt (kg_vector_dot (rest, rest));
  Piece piece = { .a = a, .turn = kg_rotation_identity (), .length = bound ? kept : length };

  if (length > 0)
    piece.direction = kg_vector_scale (d, 1 / length);
  if (!options->aligned || !(length > 0))
    return piece;
  if (bound && kept > 0)
    piece.turn = kg_rotation_multiply (kg_rotation_between (rest, d), kg_rotation_between (kg_vector (1, 0, 0), rest));
  else
    piece.turn = kg_rotation_between (kg_vector (1, 0, 0), d);
  return piece;
}

/* False: cancelled. */
static bool
fill_piece (const KeysAlongOptions *options, const Piece *piece, const GArray *along_piece, const GArray *along_line,
            GArray *keys, size_t *gaps, const KgProgressMonitor *monitor)
{
  const double count = count_keys (options, piece->length), extent = get_extent (options, piece->direction);
  const double parts = options->inclusive && count > 1 ? count - 1 : count;
  /* Of keys that are spread evenly, which all have the same step, the field is summed once. */
  double known_step = 0, known_force = 1;
  bool any_gap = false;

  for (double k = 0; k < count; k++) {
    const double u = options->inclusive && count > 1 ? k / parts : (k + 0.5) / count;
    const double size = get_factor (along_piece, u) *
                        get_factor (along_line, piece->start + u * (piece->end - piece->start));
    const double step = piece->length / parts / (size * extent);
    KeyAlong key = { .place = kg_vector_add_scaled (piece->a, u * piece->length, piece->direction),
                     .turn = piece->turn,
                     .size = size,
                     .force = 1 };

    if (keys->len % CANCEL_EVERY == 0 && kg_progress_is_cancelled (monitor))
      return false;
    if (isfinite (step) && step > 0 && count > 1) {
      if (step != known_step) {
        bool gap;

        known_force = find_force (options, step, &gap);
        known_step = step;
        any_gap = any_gap || gap;
      }
      key.force = known_force;
    }
    g_array_append_val (keys, key);
  }
  *gaps += any_gap;
  return true;
}

/* The length of a line up to each of its points, from which its keys are spread.  (transfer full) */
static double *
measure_line (const KgGeometry *geometry, const KgPrimitive *line, uint32_t n_pieces)
{
  double *lengths = g_new0 (double, n_pieces + 1);

  for (uint32_t v = 0; v < n_pieces; v++) {
    const KgVector d = kg_vector_subtract (get_point (geometry, line, v + 1), get_point (geometry, line, v));

    lengths[v + 1] = lengths[v] + sqrt (kg_vector_dot (d, d));
  }
  return lengths;
}

static bool
add_line (const KgGeometry *lines, const KgPrimitive *line, const KgPrimitive *rest_line,
          const KeysAlongOptions *options, const GArray *along_piece, const GArray *along_line, GArray *keys,
          size_t *gaps, const KgProgressMonitor *monitor, GError **error)
{
  const bool bound = options->rest != NULL;
  const KgGeometry *rest = bound ? options->rest : lines;
  const uint32_t n_pieces = count_pieces (line);
  g_autofree double *lengths = measure_line (rest, rest_line, n_pieces);
  const double whole = lengths[n_pieces];
  double count = keys->len;

  for (uint32_t v = 0; v < n_pieces; v++)
    count += count_keys (options, lengths[v + 1] - lengths[v]);
  if (!(count <= MAX_KEYS)) {
    kg_set_error (error, KG_ERROR_LIMIT, "these lines would have %g keys, more than %d: use fewer on each piece", count,
                  MAX_KEYS);
    return false;
  }
  for (uint32_t v = 0; v < n_pieces; v++) {
    Piece piece = piece_new (options, get_point (lines, line, v), get_point (lines, line, v + 1), bound,
                             get_point (rest, rest_line, v), get_point (rest, rest_line, v + 1));

    piece.start = whole > 0 ? lengths[v] / whole : 0;
    piece.end = whole > 0 ? lengths[v + 1] / whole : 0;
    if (!fill_piece (options, &piece, along_piece, along_line, keys, gaps, monitor)) {
      kg_set_error (error, KG_ERROR_CANCELLED, "cancelled");
      return false;
    }
  }
  return true;
}

bool
keys_along (const KgGeometry *lines, const KeysAlongOptions *options, GArray *keys, size_t *gaps,
            const KgProgressMonitor *monitor, GError **error)
{
  const size_t n_lines = kg_geometry_get_n_primitives (lines);
  g_autoptr (GArray) along_piece = read_stops (options->along_piece, error), along_line = NULL;

  *gaps = 0;
  if (along_piece == NULL)
    return false;
  along_line = read_stops (options->along_line, error);
  if (along_line == NULL || !kg_geometry_check_finite (lines, error) ||
      (options->rest != NULL && !kg_geometry_check_finite (options->rest, error)))
    return false;
  if (options->rest != NULL && kg_geometry_get_n_primitives (options->rest) != n_lines) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "there are %zu lines and %zu at rest: link the same lines before they are moved", n_lines,
                  kg_geometry_get_n_primitives (options->rest));
    return false;
  }
  for (size_t i = 0; i < n_lines; i++) {
    KgPrimitive line, rest_line;

    kg_geometry_get_primitive (lines, i, &line);
    kg_geometry_get_primitive (options->rest != NULL ? options->rest : lines, i, &rest_line);
    if (count_pieces (&line) != count_pieces (&rest_line)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "line %zu has %u segments, but %u at rest: link the same lines as they are before they move", i + 1,
                    count_pieces (&line), count_pieces (&rest_line));
      return false;
    }
    if (!add_line (lines, &line, &rest_line, options, along_piece, along_line, keys, gaps, monitor, error))
      return false;
  }
  return true;
}
