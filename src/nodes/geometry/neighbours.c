/* geometry/neighbours: which points are near which.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/point_tree.h"
#include "kg-node.h"

/* More do not fit a table. */
#define NEIGHBOURS_LIMIT (KG_TABLE_MAX_CELLS / 3)

typedef struct {
  KgGeometry *geometry;
  const KgGeometry *among;
  int method;
  int64_t count;
  double radius;
  int make;
  KgGeometry *counted;
  KgGeometry *lines;
  KgTable *table;
  int64_t pairs;
  double nearest;
  double mean;
} Neighbours;

enum { METHOD_TREE, METHOD_GRID, N_METHODS };

static const KgChoice neighbours_methods[] = {
  [METHOD_TREE] = { "tree", N_ ("Tree") },
  [METHOD_GRID] = { "grid", N_ ("Cells") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (neighbours_methods, N_METHODS);

enum { MAKE_NOTHING, MAKE_PAIRS, MAKE_ALL, N_MAKES };

static const KgChoice neighbours_makes[] = {
  [MAKE_NOTHING] = { "nothing", N_ ("Nothing") },
  [MAKE_PAIRS] = { "pairs", N_ ("Each pair once") },
  [MAKE_ALL] = { "all", N_ ("From each point") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (neighbours_makes, N_MAKES);

/* The neighbours of a point are in the order of their distances, which are the same from both sides. */
static bool
neighbours_has (const PointNeighbours *found, uint32_t of, size_t wanted, float distance2)
{
  size_t low = found->first[of], high = found->first[of + 1];

  while (low < high) {
    const size_t middle = low + (high - low) / 2;

    if (found->items[middle].distance2 < distance2)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < found->first[of + 1] && found->items[low].distance2 == distance2; low++)
    if (found->items[low].index == wanted)
      return true;
  return false;
}

/* Asked now and then. */
static bool
neighbours_is_cancelled (const KgContext *ctx, size_t i)
{
  return i % 1024 == 0 && kg_context_is_cancelled (ctx);
}

/* Lines between neighbours.  Of two points that are neighbours of each other there is one line, unless all are wanted. */
static bool
neighbours_make_lines (Neighbours *n, const KgContext *ctx, const KgGeometry *among, const PointNeighbours *found,
                       bool own, GError **error)
{
  const size_t offset = own ? 0 : found->n;
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_autoptr (GArray) lengths = g_array_new (FALSE, FALSE, sizeof (float));

  n->lines = kg_geometry_new ();
  if (n->make == MAKE_NOTHING)
    return true;
  if (found->first[found->n] > G_MAXUINT / 2) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu lines are too many: use a smaller radius", found->first[found->n]);
    return false;
  }
  for (size_t i = 0; i < found->n; i++) {
    if (neighbours_is_cancelled (ctx, i))
      return false;
    for (size_t k = found->first[i]; k < found->first[i + 1]; k++) {
      const uint32_t other = found->items[k].index, line[] = { (uint32_t) i, (uint32_t) (offset + other) };
      const float length = sqrtf (found->items[k].distance2);

      if (n->make == MAKE_PAIRS && own && other < i && neighbours_has (found, other, i, found->items[k].distance2))
        continue;
      g_array_append_vals (ends, line, 2);
      g_array_append_val (lengths, length);
    }
  }
  if (!kg_geometry_set_n_points (n->lines, found->n + (own ? 0 : kg_geometry_get_n_points (among)), error))
    return false;
  memcpy (kg_geometry_edit_positions (n->lines), kg_geometry_get_positions (n->geometry),
          found->n * 3 * sizeof (float));
  if (!own)
    memcpy (kg_geometry_edit_positions (n->lines) + 3 * found->n, kg_geometry_get_positions (among),
            kg_geometry_get_n_points (among) * 3 * sizeof (float));
  if (lengths->len > 0) {
    kg_geometry_add_primitives (n->lines, KG_POLYLINE, false, lengths->len, 2, (const uint32_t *) (void *) ends->data);
    memcpy (kg_geometry_edit_float (n->lines, KG_PRIMITIVES, "distance", 1), lengths->data,
            lengths->len * sizeof (float));
  }
  return true;
}

/* How many neighbours each point has, which is the nearest one, and how far it is. */
static void
neighbours_note (Neighbours *n, const PointNeighbours *found)
{
  int32_t *counts, *indices;
  float *distances;
  double sum = 0, least = INFINITY;
  size_t met = 0;

  kg_geometry_make_writable (&n->geometry);
  counts = kg_geometry_edit_int (n->geometry, KG_POINTS, "neighbours", 1);
  indices = kg_geometry_edit_int (n->geometry, KG_POINTS, "nearest", 1);
  distances = kg_geometry_edit_float (n->geometry, KG_POINTS, "distance", 1);
  for (size_t i = 0; i < found->n; i++) {
    const size_t count = found->first[i + 1] - found->first[i];
    const PointNear *nearest = count > 0 ? &found->items[found->first[i]] : NULL;

    counts[i] = (int32_t) MIN (count, G_MAXINT32);
    indices[i] = nearest != NULL ? (int32_t) nearest->index : -1;
    distances[i] = nearest != NULL ? sqrtf (nearest->distance2) : 0;
    if (nearest != NULL) {
      sum += (double) distances[i];
      least = fmin (least, (double) distances[i]);
      met++;
    }
  }
  n->pairs = (int64_t) found->first[found->n];
  n->nearest = met > 0 ? least : 0;
  n->mean = met > 0 ? sum / (double) met : 0;
  n->counted = g_steal_pointer (&n->geometry);
}

/* A row for each neighbour of each point. */
static bool
neighbours_make_table (Neighbours *n, const KgContext *ctx, const PointNeighbours *found, GError **error)
{
  static const char *const names[] = { "point", "neighbour", "distance" };
  double *cells;

  n->table = kg_table_new (3, names, found->first[found->n], error);
  if (n->table == NULL)
    return false;
  cells = kg_table_edit (n->table);
  for (size_t i = 0; i < found->n; i++) {
    if (neighbours_is_cancelled (ctx, i))
      return false;
    for (size_t k = found->first[i]; k < found->first[i + 1]; k++) {
      *cells++ = (double) i;
      *cells++ = found->items[k].index;
      *cells++ = sqrt ((double) found->items[k].distance2);
    }
  }
  return true;
}

static bool
neighbours_evaluate (Neighbours *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const bool own = n->among == NULL || kg_geometry_get_n_points (n->among) == 0;
  const KgGeometry *among = own ? n->geometry : n->among;
  const PointQuery query = { .k = (size_t) n->count,
                             .radius = n->radius > 0 ? (float) n->radius : INFINITY,
                             .skip = own,
                             .grid = n->method == METHOD_GRID };
  g_auto (PointNeighbours) found = { 0 };

  if (query.k == 0 && isinf (query.radius)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "both the count and the radius are 0, so that all points are neighbours of each other: set one of "
                  "them");
    return false;
  }
  if (!point_neighbours_find (&found, kg_geometry_get_positions (n->geometry), kg_geometry_get_n_points (n->geometry),
                              kg_geometry_get_positions (among), kg_geometry_get_n_points (among), &query,
                              NEIGHBOURS_LIMIT, &monitor, error) ||
      !neighbours_make_lines (n, ctx, among, &found, own, error) || !neighbours_make_table (n, ctx, &found, error))
    return false;
  neighbours_note (n, &found);
  return true;
}

static const KgSlot neighbours_slots[] = {
  KG_INPUT (Neighbours, geometry, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("The points whose neighbours are searched for.")),
  KG_INPUT (Neighbours, among, GEOMETRY, .label = N_ ("Among"), .optional = true,
            .help = N_ ("The points that may be neighbours; without a link, those of the geometry itself.")),
  KG_INPUT (Neighbours, method, CHOICE, .label = N_ ("Method"), .choices = neighbours_methods,
            .help = N_ ("Both give the same result. Cells suit a radius without a count, and are faster to set up.")),
  KG_INPUT (Neighbours, count, INTEGER, .label = N_ ("Count"), .def = 3, .min = 0, .max = 10000, .soft_max = 20,
            .help = N_ ("Largest number of neighbours, nearest first; 0 finds all within the radius.")),
  KG_INPUT (Neighbours, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .min = 0, .max = 1e9, .soft_max = 1,
            .help = N_ ("Largest distance of a neighbour; 0 sets no limit.")),
  KG_INPUT (Neighbours, make, CHOICE, .label = N_ ("Lines"), .choices = neighbours_makes, .def = MAKE_PAIRS,
            .help = N_ ("Which lines are drawn between neighbours.")),
  KG_OUTPUT (
      Neighbours, counted, GEOMETRY, .label = N_ ("Geometry"),
      .help = N_ (
          "The points with the attributes neighbours (how many), nearest (index of the nearest, or -1) and distance (to it).")),
  KG_OUTPUT (Neighbours, lines, GEOMETRY, .label = N_ ("Lines"),
             .help = N_ ("A line from each point to each neighbour, with its length in the attribute distance.")),
  KG_OUTPUT (Neighbours, table, TABLE, .label = N_ ("Table"),
             .help = N_ ("A row for each neighbour of each point: both indices, and the distance.")),
  KG_OUTPUT (Neighbours, pairs, INTEGER, .label = N_ ("Neighbours"),
             .help = N_ ("Number of neighbours of all points together.")),
  KG_OUTPUT (Neighbours, nearest, NUMBER, .label = N_ ("Least distance"), .unit = KG_METRES,
             .help = N_ ("Between any two neighbours; 0 if there are none.")),
  KG_OUTPUT (Neighbours, mean, NUMBER, .label = N_ ("Mean distance"), .unit = KG_METRES,
             .help = N_ ("Average distance from a point to its nearest neighbour.")),
};

KG_NODE (
    geometry, neighbours, Neighbours, .label = N_ ("Neighbours"), .version = 1, .since = "0.1",
    .tags = N_ ("nearest closest near proximity k-d tree grid hash network web plexus connect distance"),
    .source = "Bentley, Multidimensional binary search trees, 1975; Teschner et al., Optimized spatial hashing, 2003",
    .help = N_ ("Finds the points that are near each point, and joins them by lines: webs, crystals, networks, or the "
                "distance to the nearest other point."));
