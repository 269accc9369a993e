/* skeleton_figure: a geometry read as a figure of rods and hinges between points.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/skeleton_figure.h"

typedef struct {
  const KgGeometry *geometry;
  const SkeletonFigureOptions *options;
  const float *places;
  const float *length, *shortest, *longest, *angles;
  SkeletonFigure *figure;
  GHashTable *rods; /* both points in one number -> number of the first rod between them, and one more */
} Reading;

static KgVector
get_place (const Reading *reading, uint32_t i)
{
  const float *p = reading->places + 3 * (size_t) i;

  return kg_vector ((double) p[0], (double) p[1], reading->options->plane ? 0 : (double) p[2]);
}

static gpointer
make_pair (uint32_t a, uint32_t b)
{
  return GSIZE_TO_POINTER ((gsize) MIN (a, b) << 32 | MAX (a, b));
}

static const SkeletonRod *
find_rod (const Reading *reading, uint32_t a, uint32_t b, guint *index)
{
  const guint found = GPOINTER_TO_UINT (g_hash_table_lookup (reading->rods, make_pair (a, b)));

  if (found == 0)
    return NULL;
  *index = found - 1;
  return &g_array_index (reading->figure->rods, SkeletonRod, found - 1);
}

static bool
check_room (const GArray *array, bool of_rods, GError **error)
{
  if (array->len < SKELETON_FIGURE_MAX)
    return true;
  kg_set_error (error, KG_ERROR_LIMIT,
                of_rods ? N_ ("more than %d rods: use a smaller figure")
                        : N_ ("more than %d hinges: use a smaller figure"),
                SKELETON_FIGURE_MAX);
  return false;
}

static bool
add_rod (Reading *reading, size_t primitive, uint32_t a, uint32_t b, GError **error)
{
  const float *length = reading->length, *longest = reading->longest, *shortest = reading->shortest;
  const bool own = longest != NULL && longest[primitive] > 0;
  const double least = own ? (shortest != NULL ? (double) shortest[primitive] : 1) : reading->options->shortest;
  const double most = own ? (double) longest[primitive] : reading->options->longest;
  double rest = kg_vector_distance (get_place (reading, a), get_place (reading, b));
  const guint number = reading->figure->rods->len;
  const SkeletonRod *other;
  SkeletonRod rod;
  guint index;

  if (length != NULL && length[primitive] > 0)
    rest = (double) length[primitive];
  if (!(rest > 1e-9)) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "rod %u, from point %u to point %u, has no length: move its ends apart, or merge them into one point",
                  number, a, b);
    return false;
  }
  rod = (SkeletonRod){ a, b, rest * least, rest * most };
  if (!(rod.shortest >= 0 && rod.shortest <= rod.longest)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "rod %u, from point %u to point %u, must be at least %g and at most %g m long: swap the limits",
                  number, a, b, rod.shortest, rod.longest);
    return false;
  }
  other = find_rod (reading, a, b, &index);
  if (other != NULL) {
    /* Neighbouring polygons share their edges. */
    if (other->shortest == rod.shortest && other->longest == rod.longest)
      return true;
    if (fmax (other->shortest, rod.shortest) > fmin (other->longest, rod.longest) * (1 + 1e-6)) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "rods %u and %u both join points %u and %u, one with %g to %g m and the other with %g to %g m: no length satisfies both; remove one",
          index, number, a, b, other->shortest, other->longest, rod.shortest, rod.longest);
      return false;
    }
  } else
    g_hash_table_insert (reading->rods, make_pair (a, b), GUINT_TO_POINTER (number + 1));
  g_array_append_val (reading->figure->rods, rod);
  return check_room (reading->figure->rods, true, error);
}

/* The turn on the way over three points. */
static double
measure_turn (const Reading *reading, const uint32_t v[3])
{
  const KgVector from = kg_vector_subtract (get_place (reading, v[1]), get_place (reading, v[0]));
  const KgVector to = kg_vector_subtract (get_place (reading, v[2]), get_place (reading, v[1]));
  const KgVector cross = kg_vector_cross (from, to);

  return atan2 (reading->options->plane ? cross.z : kg_vector_length (cross), kg_vector_dot (from, to));
}

static bool
add_hinge (Reading *reading, const uint32_t v[3], double low, double high, GError **error)
{
  const guint number = reading->figure->hinges->len;
  SkeletonHinge hinge = { v[0], v[1], v[2], low, high };

  if (v[0] == v[1] || v[1] == v[2] || v[0] == v[2]) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "hinge %u has points %u, %u and %u: a hinge needs three different points", number, v[0], v[1], v[2]);
    return false;
  }
  if (!(low <= high)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "hinge %u at point %u must rotate by at least %g and at most %g degrees: swap the limits", number,
                  v[1], low / KG_DEGREE, high / KG_DEGREE);
    return false;
  }
  /* Without a plane there is no left and right: what is left is how far it folds. */
  if (!reading->options->plane && low < 0) {
    hinge.low = high < 0 ? -high : 0;
    hinge.high = fmax (-low, high);
  }
  g_array_append_val (reading->figure->hinges, hinge);
  return check_room (reading->figure->hinges, false, error);
}

bool
skeleton_figure_is_hinge (const KgGeometry *geometry, size_t primitive)
{
  const float *number = kg_geometry_get_float (geometry, KG_PRIMITIVES, "hinge", 1);
  const int32_t *whole = kg_geometry_get_int (geometry, KG_PRIMITIVES, "hinge", 1);

  return (number != NULL && number[primitive] != 0) || (whole != NULL && whole[primitive] != 0);
}

/* Hinges between all neighbouring edges of a line. */
static bool
add_bends (Reading *reading, const KgPrimitive *primitive, bool closed, GError **error)
{
  const double bend = reading->options->bend;
  const uint32_t n = primitive->n_vertices;

  for (uint32_t i = 0; n >= 3 && i < (closed ? n : n - 2); i++) {
    const uint32_t v[] = { primitive->vertices[i], primitive->vertices[(i + 1) % n], primitive->vertices[(i + 2) % n] };
    const double turn = measure_turn (reading, v);
    const double low = reading->options->plane ? turn - bend : fmax (turn - bend, 0);

    if (!add_hinge (reading, v, low, turn + bend, error))
      return false;
  }
  return true;
}

static bool
read_primitive (Reading *reading, size_t index, GError **error)
{
  KgPrimitive primitive;
  bool closed;

  kg_geometry_get_primitive (reading->geometry, index, &primitive);
  if (skeleton_figure_is_hinge (reading->geometry, index)) {
    const float *angles = reading->angles != NULL ? reading->angles + 2 * index : NULL;

    if (primitive.n_vertices != 3) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "primitive %zu is marked as a hinge but has %u points: a hinge has three", index,
                    primitive.n_vertices);
      return false;
    }
    return add_hinge (reading, primitive.vertices, angles != NULL ? (double) angles[0] * KG_DEGREE : -KG_PI,
                      angles != NULL ? (double) angles[1] * KG_DEGREE : KG_PI, error);
  }
  if (reading->options->hinges_only)
    return true;
  closed = primitive.kind == KG_POLYGON || primitive.closed;
  for (uint32_t i = 0; i + (closed ? 0 : 1) < primitive.n_vertices && primitive.n_vertices > 1; i++)
    if (!add_rod (reading, index, primitive.vertices[i], primitive.vertices[(i + 1) % primitive.n_vertices], error))
      return false;
  return !(reading->options->bend < KG_PI) || primitive.kind == KG_POLYGON ||
         add_bends (reading, &primitive, closed, error);
}

static void
set_contradiction (const SkeletonFigure *figure, guint one, guint two, GError **error)
{
  const SkeletonHinge *a = &g_array_index (figure->hinges, SkeletonHinge, one);
  const SkeletonHinge *b = &g_array_index (figure->hinges, SkeletonHinge, two);

  kg_set_error (
      error, KG_ERROR_INVALID_VALUE,
      "hinge %u (points %u %u %u, %g to %g degrees) and hinge %u (points %u %u %u, %g to %g degrees): no angle satisfies both; remove one",
      one, a->a, a->b, a->c, a->low / KG_DEGREE, a->high / KG_DEGREE, two, b->a, b->b, b->c, b->low / KG_DEGREE,
      b->high / KG_DEGREE);
}

/* Hinges over the same three points, either way round. */
static bool
check_hinge_pairs (const Reading *reading, GError **error)
{
  const GArray *hinges = reading->figure->hinges;
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, NULL);
  g_autofree gint64 *keys = g_new (gint64, MAX (hinges->len, 1));

  for (guint i = 0; i < hinges->len; i++) {
    const SkeletonHinge *hinge = &g_array_index (hinges, SkeletonHinge, i);
    const uint32_t first = MIN (hinge->a, hinge->c), last = MAX (hinge->a, hinge->c);
    gpointer found;

    /* Points are fewer than 2^30; three of them do not fit into 64 bits, so the middle is mixed in and then compared. */
    keys[i] = (gint64) (((guint64) first << 32 | last) ^ (guint64) hinge->b * UINT64_C (0x9e3779b97f4a7c15));
    if (g_hash_table_lookup_extended (seen, &keys[i], NULL, &found)) {
      const guint earlier = GPOINTER_TO_UINT (found);
      const SkeletonHinge *other = &g_array_index (hinges, SkeletonHinge, earlier);
      const bool reversed = reading->options->plane && other->a == hinge->c;
      const double low = reversed ? -other->high : other->low, high = reversed ? -other->low : other->high;
      const bool same = other->b == hinge->b && MIN (other->a, other->c) == first && MAX (other->a, other->c) == last;

      if (same && fmax (low, hinge->low) > fmin (high, hinge->high) + 1e-9) {
        set_contradiction (reading->figure, earlier, i, error);
        return false;
      }
    } else
      g_hash_table_insert (seen, &keys[i], GUINT_TO_POINTER (i));
  }
  return true;
}

/* A hinge within a triangle of rods: the two stiff arms and the turn say how far the ends are apart. */
static bool
check_triangles (const Reading *reading, GError **error)
{
  const GArray *hinges = reading->figure->hinges;

  for (guint i = 0; i < hinges->len; i++) {
    const SkeletonHinge *hinge = &g_array_index (hinges, SkeletonHinge, i);
    guint one, two, base;
    const SkeletonRod *p = find_rod (reading, hinge->a, hinge->b, &one);
    const SkeletonRod *q = find_rod (reading, hinge->b, hinge->c, &two);
    const SkeletonRod *r = find_rod (reading, hinge->a, hinge->c, &base);
    double least, most, nearest, farthest;

    if (p == NULL || q == NULL || r == NULL || p->shortest < p->longest || q->shortest < q->longest)
      continue;
    least = hinge->low > 0 ? hinge->low : hinge->high < 0 ? -hinge->high : 0;
    most = fmin (fmax (fabs (hinge->low), fabs (hinge->high)), KG_PI);
    least = fmin (least, KG_PI);
    nearest =
        sqrt (fmax (0, p->longest * p->longest + q->longest * q->longest + 2 * p->longest * q->longest * cos (most)));
    farthest =
        sqrt (fmax (0, p->longest * p->longest + q->longest * q->longest + 2 * p->longest * q->longest * cos (least)));
    if (r->longest < nearest * (1 - 1e-4) || r->shortest > farthest * (1 + 1e-4)) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "hinge %u (points %u %u %u, %g to %g degrees) keeps points %u and %u between %g and %g m apart, but rod %u keeps them %g to %g m apart: change one of them",
          i, hinge->a, hinge->b, hinge->c, hinge->low / KG_DEGREE, hinge->high / KG_DEGREE, hinge->a, hinge->c, nearest,
          farthest, base, r->shortest, r->longest);
      return false;
    }
  }
  return true;
}

bool
skeleton_figure_read (SkeletonFigure *figure, const KgGeometry *geometry, const SkeletonFigureOptions *options,
                      GError **error)
{
  Reading reading = { .geometry = geometry, .options = options, .figure = figure };
  bool good = true;

  reading.places = kg_geometry_get_positions (geometry);
  reading.length = kg_geometry_get_float (geometry, KG_PRIMITIVES, "length", 1);
  reading.shortest = kg_geometry_get_float (geometry, KG_PRIMITIVES, "shortest", 1);
  reading.longest = kg_geometry_get_float (geometry, KG_PRIMITIVES, "longest", 1);
  reading.angles = kg_geometry_get_float (geometry, KG_PRIMITIVES, "angles", 2);
  reading.rods = g_hash_table_new (NULL, NULL);
  figure->rods = g_array_new (FALSE, FALSE, sizeof (SkeletonRod));
  figure->hinges = g_array_new (FALSE, FALSE, sizeof (SkeletonHinge));
  for (size_t i = 0; good && i < kg_geometry_get_n_primitives (geometry); i++)
    good = read_primitive (&reading, i, error);
  good = good && check_hinge_pairs (&reading, error) && check_triangles (&reading, error);
  g_hash_table_unref (reading.rods);
  return good;
}

guint
skeleton_figure_find_loose_hinge (const SkeletonFigure *figure)
{
  const SkeletonHinge *hinges = (const SkeletonHinge *) (const void *) figure->hinges->data;
  g_autoptr (GHashTable) rods = NULL;
  guint i = 0;

  if (figure->hinges->len == 0)
    return 0;
  rods = g_hash_table_new (NULL, NULL);
  for (guint k = 0; k < figure->rods->len; k++) {
    const SkeletonRod *rod = &g_array_index (figure->rods, SkeletonRod, k);

    g_hash_table_add (rods, make_pair (rod->a, rod->b));
  }
  while (i < figure->hinges->len && g_hash_table_contains (rods, make_pair (hinges[i].a, hinges[i].b)) &&
         g_hash_table_contains (rods, make_pair (hinges[i].b, hinges[i].c)))
    i++;
  return i;
}

void
skeleton_figure_clear (SkeletonFigure *figure)
{
  g_clear_pointer (&figure->rods, g_array_unref);
  g_clear_pointer (&figure->hinges, g_array_unref);
}
