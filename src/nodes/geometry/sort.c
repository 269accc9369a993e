/* geometry/sort: points in another order.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/point_order.h"
#include "kg-node.h"
#include "kg-random.h"

typedef struct {
  const KgGeometry *geometry;
  int by;
  KgVector direction;
  const char *name;
  int64_t seed;
  bool reverse;
  KgGeometry *sorted;
} Sort;

enum { SORT_DEPTH, SORT_ATTRIBUTE, SORT_RANDOM, SORT_INDEX, N_SORTS };

static const KgChoice sort_orders[] = {
  [SORT_DEPTH] = { "depth", N_ ("Along a direction") },
  [SORT_ATTRIBUTE] = { "attribute", N_ ("By an attribute") },
  [SORT_RANDOM] = { "random", N_ ("At random") },
  [SORT_INDEX] = { "index", N_ ("As they are") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (sort_orders, N_SORTS);

/* The number of each point by which it is sorted: the first component of an attribute. */
static bool
sort_fill (const Sort *n, float *values, size_t count, GError **error)
{
  const float *p = kg_geometry_get_positions (n->geometry);
  KgAttribute attribute;

  if (n->by == SORT_ATTRIBUTE &&
      (!kg_geometry_find_attribute (n->geometry, KG_POINTS, n->name, &attribute) || attribute.scalar == KG_STRING)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the points have no attribute \"%s\" of numbers: type the name of one that they have", n->name);
    return false;
  }
  for (size_t i = 0; i < count; i++)
    if (n->by == SORT_DEPTH)
      values[i] = (float) (n->direction.x * (double) p[3 * i] + n->direction.y * (double) p[3 * i + 1] +
                           n->direction.z * (double) p[3 * i + 2]);
    else if (n->by == SORT_ATTRIBUTE)
      values[i] = attribute.scalar == KG_INT32 ? (float) ((const int32_t *) attribute.data)[attribute.size * i]
                                               : ((const float *) attribute.data)[attribute.size * i];
    else
      values[i] = n->by == SORT_RANDOM ? (float) kg_random_uniform ((uint64_t) n->seed, i, 0) : 0;
  return true;
}

static bool
sort_evaluate (Sort *n, const KgContext *ctx, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->geometry);
  g_autofree float *values = g_new (float, MAX (count, 1));
  g_autofree uint32_t *order = g_new (uint32_t, MAX (count, 1));

  (void) ctx;
  if (!sort_fill (n, values, count, error))
    return false;
  point_order_sort (values, count, order);
  for (size_t i = 0; n->reverse && i < count / 2; i++) {
    const uint32_t other = order[i];

    order[i] = order[count - 1 - i];
    order[count - 1 - i] = other;
  }
  n->sorted = point_order_apply (n->geometry, order);
  return true;
}

static const KgSlot sort_slots[] = {
  KG_INPUT (Sort, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The geometry whose points are sorted.")),
  KG_INPUT (Sort, by, CHOICE, .label = N_ ("Order"), .choices = sort_orders, .help = N_ ("What the order depends on.")),
  KG_INPUT (Sort, direction, VECTOR, .label = N_ ("Direction"), .def_v = { 0, 0, 1 }, .shown_when = "by=depth",
            .handle = { KG_HANDLE_NONE },
            .help = N_ ("Points farther along this direction come later: point it towards the camera, so that near "
                        "points are drawn over far ones.")),
  KG_INPUT (Sort, name, TEXT, .label = N_ ("Attribute"), .def_text = "age", .shown_when = "by=attribute",
            .help = N_ ("Name of the attribute of points to sort by; its first number is used.")),
  KG_INPUT (Sort, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100, .shown_when = "by=random",
            .help = N_ ("Each number gives a different order.")),
  KG_INPUT (Sort, reverse, BOOLEAN, .label = N_ ("Reverse"), .help = N_ ("Reverses the order.")),
  KG_OUTPUT (Sort, sorted, GEOMETRY, .label = N_ ("Sorted"),
             .help = N_ ("The same geometry with its points in that order; primitives follow their points.")),
};

KG_NODE (
    geometry, sort, Sort, .label = N_ ("Sort"), .version = 1, .since = "0.1",
    .tags = N_ ("order depth painter shuffle random reverse index"),
    .source = "Knuth, The Art of Computer Programming 3, 5.2.5",
    .help = N_ ("Sorts points by their depth, by an attribute, or at random. Points that are equal keep their order. "
                "Transparent points need to be drawn from the farthest to the nearest."));
