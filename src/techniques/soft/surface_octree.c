/* surface_octree: cubes of a lattice, large where there is no surface or where it is flat, and small elsewhere.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/surface_octree.h"

#include "kg-floats.h"
#include "soft/cube_loops.h"
#include "soft/surface_cubes.h"
#include "soft/surface_memo.h"

/* Of gradients where the class of the field has none, relative to the cell. */
#define GRADIENT_STEP 1e-2
/* A cube is not flat where the field is further from the trilinear interpolation of its corners than by this part of its size:
 * what is small and between the corners is seen so. */
#define MAX_DEVIATION 0.25
/* The corners of a cube, the middles of its edges and faces, and its centre. */
#define N_PROBES 27

typedef struct {
  LatticePlace low;
  int32_t size;
  uint32_t children; /* of the first of eight; 0: none */
  guint8 hot;
  bool outside; /* of a box that was given */
} Node;

struct _SurfaceOctree {
  SurfaceSampling sampling;
  LatticeRange range; /* of cells */
  LatticePlace low;   /* of the first of the largest cubes */
  int32_t counts[3];  /* of the largest cubes along each axis */
  int32_t largest;    /* their size */
  bool clipped;       /* the field may have a surface outside of the range, which is not wanted */
  LatticeCorners corners;
  GArray *nodes;  /* Node: the largest cubes in the order of z, y, x, then the children */
  GArray *leaves; /* guint: of the nodes */
  GArray *seeds;  /* Seed */
};

/* A cell in which the field is known to be inside or outside. */
typedef struct {
  LatticePlace at;
  bool hot;
} Seed;

void
surface_octree_free (SurfaceOctree *octree)
{
  lattice_corners_clear (&octree->corners);
  g_clear_pointer (&octree->nodes, g_array_unref);
  g_clear_pointer (&octree->leaves, g_array_unref);
  g_clear_pointer (&octree->seeds, g_array_unref);
  g_free (octree);
}

static Node *
get_node (const SurfaceOctree *octree, guint index)
{
  return &g_array_index (octree->nodes, Node, index);
}

static int32_t
divide_down (int32_t a, int32_t b)
{
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* The smallest node of at least a size that the cell at is in; NULL outside of all. */
static const Node *
find_node (const SurfaceOctree *octree, LatticePlace at, int32_t size)
{
  const int32_t x = divide_down (at.x - octree->low.x, octree->largest),
                y = divide_down (at.y - octree->low.y, octree->largest),
                z = divide_down (at.z - octree->low.z, octree->largest);
  const Node *node;

  if (x < 0 || y < 0 || z < 0 || x >= octree->counts[0] || y >= octree->counts[1] || z >= octree->counts[2])
    return NULL;
  node = get_node (octree, (guint) ((z * octree->counts[1] + y) * octree->counts[0] + x));
  while (node->size > size && node->children != 0) {
    const int32_t half = node->size / 2;

    node = get_node (octree, node->children + (at.x >= node->low.x + half ? 1 : 0) +
                                 (at.y >= node->low.y + half ? 2 : 0) + (at.z >= node->low.z + half ? 4 : 0));
  }
  return node;
}

/* Whether the cube of a size at a multiple of it is divided. */
static bool
is_divided (const SurfaceOctree *octree, LatticePlace low, int32_t size)
{
  const Node *node = find_node (octree, low, size);

  return node != NULL && node->size == size && node->children != 0;
}

static bool
is_mixed (const Node *node)
{
  return node->hot != 0 && node->hot != 255;
}

static Node
make_node (const SurfaceOctree *octree, LatticePlace low, int32_t size)
{
  const LatticeRange *r = &octree->range;

  return (Node){ .low = low,
                 .size = size,
                 .outside = octree->clipped &&
                            (low.x > r->high.x || low.y > r->high.y || low.z > r->high.z || low.x + size <= r->low.x ||
                             low.y + size <= r->low.y || low.z + size <= r->low.z) };
}

static bool
reaches_outside (const SurfaceOctree *octree, const Node *node)
{
  const LatticeRange *r = &octree->range;

  return octree->clipped && (node->low.x < r->low.x || node->low.y < r->low.y || node->low.z < r->low.z ||
                             node->low.x + node->size > r->high.x + 1 || node->low.y + node->size > r->high.y + 1 ||
                             node->low.z + node->size > r->high.z + 1);
}

static bool
split (SurfaceOctree *octree, guint index, GArray *children, GError **error)
{
  const Node parent = *get_node (octree, index);
  const guint first = octree->nodes->len;

  if (first + 8 > octree->sampling.options->limit) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "more than %zu cells have to be searched: use larger cells, or raise the limit",
                  octree->sampling.options->limit);
    return false;
  }
  for (guint c = 0; c < 8; c++) {
    const Node child = make_node (octree, lattice_place_add (parent.low, parent.size / 2, c), parent.size / 2);
    const guint i = first + c;

    g_array_append_val (octree->nodes, child);
    g_array_append_val (children, i);
  }
  get_node (octree, index)->children = first;
  return true;
}

/* Finds which corners of new nodes are inside. */
static bool
look_at_corners (SurfaceOctree *octree, const GArray *fresh, GError **error)
{
  const float level = (float) octree->sampling.options->level;

  for (guint i = 0; i < fresh->len; i++) {
    const Node *node = get_node (octree, g_array_index (fresh, guint, i));

    for (guint c = 0; c < 8; c++)
      lattice_corners_ask (&octree->corners, lattice_place_add (node->low, node->size, c));
  }
  if (!lattice_corners_answer (&octree->corners, &octree->sampling, error))
    return false;
  for (guint i = 0; i < fresh->len; i++) {
    Node *node = get_node (octree, g_array_index (fresh, guint, i));

    for (guint c = 0; c < 8; c++)
      if (lattice_corners_get (&octree->corners, lattice_place_add (node->low, node->size, c)) >= level)
        node->hot |= (guint8) (1u << c);
  }
  return true;
}

/* The cells of seeds, and whether the field is inside there. */
static bool
read_seeds (SurfaceOctree *octree, GError **error)
{
  const PolygonizeOptions *o = octree->sampling.options;
  g_autoptr (GArray) places = g_array_new (false, false, sizeof (KgVector));
  g_autofree float *p = NULL, *values = NULL;

  kg_field_add_seeds (octree->sampling.field, places);
  p = g_new (float, 3 * MAX (places->len, 1));
  values = g_new (float, MAX (places->len, 1));
  for (guint i = 0; i < places->len; i++)
    for (guint c = 0; c < 3; c++)
      p[3 * i + c] = (float) kg_vector_get (g_array_index (places, KgVector, i), c);
  if (!surface_search_sample (&octree->sampling, p, places->len, values, error))
    return false;
  for (guint i = 0; i < places->len; i++) {
    const KgVector at =
        kg_vector_scale (kg_vector_subtract (g_array_index (places, KgVector, i), o->origin), 1 / o->cell);
    Seed seed = { .hot = (double) values[i] >= o->level };

    if (!(fabs (at.x) < LATTICE_MAX) || !(fabs (at.y) < LATTICE_MAX) || !(fabs (at.z) < LATTICE_MAX))
      continue;
    seed.at = (LatticePlace){ (int32_t) floor (at.x), (int32_t) floor (at.y), (int32_t) floor (at.z) };
    g_array_append_val (octree->seeds, seed);
  }
  return true;
}

/* Sets marks[i] for the nodes whose corners are all on one side, but which have a seed on the other. */
static void
mark_by_seeds (const SurfaceOctree *octree, const GArray *fresh, uint8_t *marks)
{
  g_auto (LatticeMap) numbers = { 0 };
  uint32_t ignored;

  /* All of a kind have their low corners to themselves. */
  for (guint i = 0; octree->seeds->len > 0 && i < fresh->len; i++) {
    const Node *node = get_node (octree, g_array_index (fresh, guint, i));

    lattice_map_add (&numbers, lattice_key (node->low.x, node->low.y, node->low.z, 0), i, &ignored);
  }
  for (guint s = 0; numbers.n > 0 && s < octree->seeds->len; s++) {
    const Seed *seed = &g_array_index (octree->seeds, Seed, s);
    const Node *node = find_node (octree, seed->at, 1);
    uint64_t key;

    if (node == NULL || (seed->hot ? node->hot != 0 : node->hot != 255))
      continue;
    key = lattice_key (node->low.x, node->low.y, node->low.z, 0);
    if (lattice_map_contains (&numbers, key))
      marks[numbers.values[lattice_map_find_slot (&numbers, key)]] = 1;
  }
}

/* The surface in a cube, as its corners and the places where its edges are crossed show it. */
typedef struct {
  guint first, n; /* of the crossings */
  double slope;
} Probe;

/* How far the field is from the trilinear interpolation between the corners, at most. */
static double
get_deviation (const SurfaceOctree *octree, const Node *node)
{
  float values[N_PROBES];
  double most = 0;

  for (guint i = 0; i < N_PROBES; i++) {
    const int32_t half = node->size / 2;

    values[i] = lattice_corners_get (&octree->corners, (LatticePlace){ node->low.x + half * (int32_t) (i % 3),
                                                                       node->low.y + half * (int32_t) (i / 3 % 3),
                                                                       node->low.z + half * (int32_t) (i / 9) });
  }
  for (guint i = 0; i < N_PROBES; i++) {
    const guint at[] = { i % 3, i / 3 % 3, i / 9 };
    double mean = 0;

    for (guint c = 0; c < 8; c++) {
      double weight = 1;

      for (guint k = 0; k < 3; k++)
        weight *= at[k] == 1 ? 0.5 : (at[k] == 2) == ((c >> k & 1) != 0) ? 1 : 0;
      mean += weight * (double) values[2 * (c & 1) + 6 * (c >> 1 & 1) + 18 * (c >> 2)];
    }
    most = MAX (most, fabs ((double) values[i] - mean));
  }
  return most;
}

static void
append_place (GArray *places, KgVector at)
{
  const float p[] = { (float) at.x, (float) at.y, (float) at.z };

  g_array_append_vals (places, p, 3);
}

/* Appends where the edges of a cube are crossed, by linear interpolation. */
static guint
add_crossings (const SurfaceOctree *octree, const Node *node, GArray *places)
{
  const PolygonizeOptions *o = octree->sampling.options;
  guint n = 0;

  for (guint e = 0; e < CUBE_N_EDGES; e++) {
    const guint a = cube_edges[e][0], b = cube_edges[e][1];
    const LatticePlace from = lattice_place_add (node->low, node->size, a),
                       to = lattice_place_add (node->low, node->size, b);
    double first, second;
    KgVector at;

    if ((node->hot >> a & 1) == (node->hot >> b & 1))
      continue;
    first = (double) lattice_corners_get (&octree->corners, from);
    second = (double) lattice_corners_get (&octree->corners, to);
    at = kg_vector_lerp (surface_cubes_get_corner (o, from.x, from.y, from.z),
                         surface_cubes_get_corner (o, to.x, to.y, to.z),
                         kg_clamp ((o->level - first) / (second - first), 0, 1));
    append_place (places, at);
    n++;
  }
  return n;
}

/* Values and gradients at places; checks for cancelling first. (transfer full) (nullable) */
static float *
sample_gradients (const SurfaceOctree *octree, const GArray *places, float *values, GError **error)
{
  const PolygonizeOptions *o = octree->sampling.options;
  const size_t n = places->len / 3, most = (size_t) 64 * KG_FIELD_BLOCK;
  const float *p = (const float *) (const void *) places->data;
  g_autofree float *gradients = g_new (float, 3 * MAX (n, 1));

  for (size_t i = 0; i < n; i += most) {
    if (surface_search_check_cancelled (&octree->sampling, error))
      return NULL;
    kg_field_sample_gradients (octree->sampling.field, p + 3 * i, MIN (n - i, most), o->time, GRADIENT_STEP * o->cell,
                               values + i, gradients + 3 * i);
  }
  return g_steal_pointer (&gradients);
}

/* The largest angle between the normals at the crossings of a cube, and the mean length of the gradients. */
static double
get_angle (Probe *probe, const float *gradients)
{
  double least = 1;

  probe->slope = 0;
  for (guint i = 0; i < probe->n; i++) {
    const KgVector a = kg_floats_get_vector (gradients, (size_t) (probe->first + i));
    const double length = kg_vector_length (a);

    probe->slope += length / probe->n;
    for (guint j = 0; j < i; j++) {
      const KgVector b = kg_floats_get_vector (gradients, (size_t) (probe->first + j));
      const double lengths = length * kg_vector_length (b);

      least = MIN (least, lengths > 0 ? kg_vector_dot (a, b) / lengths : -1);
    }
  }
  return acos (kg_clamp (least, -1, 1));
}

/* Where the polygon of a cube has its middle: the mean of the crossings, each moved onto the surface. */
static void
add_middle (const Probe *probe, const float *places, const float *values, const float *gradients, double level,
            GArray *middles)
{
  KgVector mean = { 0, 0, 0 };

  for (guint i = 0; i < probe->n; i++) {
    const size_t k = probe->first + i;
    const KgVector g = kg_floats_get_vector (gradients, k);
    const double square = kg_vector_dot (g, g);

    mean = kg_vector_add_scaled (mean, 1.0 / probe->n, kg_floats_get_vector (places, k));
    if (square > 0)
      mean = kg_vector_add_scaled (mean, (level - (double) values[k]) / square / probe->n, g);
  }
  append_place (middles, mean);
}

/* Sets marks[i] for the mixed nodes of a list in which the surface is not flat. */
static bool
mark_by_shape (SurfaceOctree *octree, const GArray *fresh, uint8_t *marks, GError **error)
{
  const PolygonizeOptions *o = octree->sampling.options;
  g_autoptr (GArray) places = g_array_new (false, false, sizeof (float));
  g_autoptr (GArray) middles = g_array_new (false, false, sizeof (float));
  g_autofree Probe *probes = g_new0 (Probe, MAX (fresh->len, 1));
  g_autofree float *values = NULL, *gradients = NULL, *middle_values = NULL, *middle_gradients = NULL;
  /* The middle of a polygon may be moved out of its cube, to what is not known to be the same. */
  SurfaceMemo *const memo = o->max_error > 0 ? NULL : octree->corners.memo;

  for (guint i = 0; i < fresh->len; i++) {
    const Node *node = get_node (octree, g_array_index (fresh, guint, i));
    const int32_t half = node->size / 2;
    bool bent;

    if (marks[i] != 0 || node->size == 1 || !is_mixed (node))
      continue;
    if (memo != NULL && surface_memo_find_shape (memo, node->low, node->size, &bent)) {
      marks[i] = bent;
      continue;
    }
    for (int32_t p = 0; p < N_PROBES; p++)
      lattice_corners_ask (&octree->corners,
                           (LatticePlace){ node->low.x + half * (p % 3), node->low.y + half * (p / 3 % 3),
                                           node->low.z + half * (p / 9) });
    probes[i].first = places->len / 3;
    probes[i].n = add_crossings (octree, node, places);
  }
  values = g_new (float, MAX (places->len, 1));
  if (!lattice_corners_answer (&octree->corners, &octree->sampling, error) ||
      (gradients = sample_gradients (octree, places, values, error)) == NULL)
    return false;
  for (guint i = 0; i < fresh->len; i++) {
    const Node *node = get_node (octree, g_array_index (fresh, guint, i));

    if (probes[i].n == 0)
      continue;
    if (get_angle (&probes[i], gradients) > o->max_angle ||
        !(get_deviation (octree, node) <= MAX_DEVIATION * node->size * o->cell * probes[i].slope))
      marks[i] = 1;
    if (memo != NULL)
      surface_memo_add_shape (memo, node->low, node->size, marks[i] != 0);
    add_middle (&probes[i], (const float *) (const void *) places->data, values, gradients, o->level, middles);
  }
  if (!(o->max_error > 0))
    return true;
  middle_values = g_new (float, MAX (middles->len, 1));
  middle_gradients = sample_gradients (octree, middles, middle_values, error);
  if (middle_gradients == NULL)
    return false;
  for (guint i = 0, m = 0; i < fresh->len; i++) {
    if (probes[i].n == 0)
      continue;
    /* Its distance from the surface, to first order. */
    if (fabs ((double) middle_values[m] - o->level) >
        o->max_error * kg_vector_length (kg_floats_get_vector (middle_gradients, (size_t) m)))
      marks[i] = 1;
    m++;
  }
  return true;
}

/* Divides nodes, and those that come of it, as far as the surface asks for it.  Appends all that are looked at to seen. */
static bool
refine (SurfaceOctree *octree, GArray *fresh, GArray *seen, GError **error)
{
  const bool adaptive = octree->sampling.options->method == POLYGONIZE_ADAPTIVE;

  while (fresh->len > 0) {
    g_autofree uint8_t *marks = g_new0 (uint8_t, fresh->len);
    g_autoptr (GArray) children = g_array_new (false, false, sizeof (guint));

    g_array_append_vals (seen, fresh->data, fresh->len);
    if (!look_at_corners (octree, fresh, error))
      return false;
    mark_by_seeds (octree, fresh, marks);
    for (guint i = 0; i < fresh->len; i++) {
      const Node *node = get_node (octree, g_array_index (fresh, guint, i));

      if (is_mixed (node) && (!adaptive || reaches_outside (octree, node)))
        marks[i] = 1;
    }
    if (adaptive && !mark_by_shape (octree, fresh, marks, error))
      return false;
    for (guint i = 0; i < fresh->len; i++) {
      const guint index = g_array_index (fresh, guint, i);
      const Node *node = get_node (octree, index);

      /* Following the surface may have divided it already. */
      if (marks[i] != 0 && node->size > 1 && node->children == 0 && !node->outside &&
          !split (octree, index, children, error))
        return false;
    }
    g_array_set_size (fresh, 0);
    g_array_append_vals (fresh, children->data, children->len);
  }
  return true;
}

/* The cell next to a face of a node: what the surface enters there. */
static LatticePlace
get_across (const Node *node, guint face)
{
  LatticePlace at = node->low;
  int32_t *const along = face / 2 == 0 ? &at.x : face / 2 == 1 ? &at.y : &at.z;

  *along += face % 2 == 0 ? -1 : node->size;
  return at;
}

/* Divides cubes that the surface enters from one that is smaller by more than steps halvings; they go to fresh.  Leaves in
 * seen those that are to be looked at again. */
static bool
follow_surface (SurfaceOctree *octree, GArray *seen, GArray *fresh, int32_t steps, GError **error)
{
  guint kept = 0;

  for (guint i = 0; i < seen->len; i++) {
    const guint index = g_array_index (seen, guint, i);
    const Node node = *get_node (octree, index);
    bool again = false;

    if (node.children != 0 || node.outside || !is_mixed (&node))
      continue;
    for (guint f = 0; f < CUBE_N_FACES; f++) {
      const Node *next = find_node (octree, get_across (&node, f), 1);
      guint n_hot = 0;

      for (guint k = 0; k < 4; k++)
        n_hot += node.hot >> cube_faces[f][k] & 1;
      if (n_hot == 0 || n_hot == 4 || next == NULL || next->outside || next->size <= node.size << steps)
        continue;
      again = true;
      if (!split (octree, (guint) (next - get_node (octree, 0)), fresh, error))
        return false;
    }
    if (again)
      g_array_index (seen, guint, kept++) = index;
  }
  g_array_set_size (seen, kept);
  return true;
}

static int
compare_leaves (gconstpointer a, gconstpointer b, gpointer data)
{
  const SurfaceOctree *octree = (const SurfaceOctree *) data;
  const LatticePlace *p = &get_node (octree, *(const guint *) a)->low, *q = &get_node (octree, *(const guint *) b)->low;

  return lattice_place_compare (*p, *q);
}

/* Lays out the largest cubes. */
static bool
lay_out (SurfaceOctree *octree, GArray *fresh, GError **error)
{
  const LatticeRange *r = &octree->range;
  const size_t limit = octree->sampling.options->limit;
  const int32_t s = octree->largest;
  double n = 1;

  octree->low =
      (LatticePlace){ s * divide_down (r->low.x, s), s * divide_down (r->low.y, s), s * divide_down (r->low.z, s) };
  octree->counts[0] = divide_down (r->high.x - octree->low.x, s) + 1;
  octree->counts[1] = divide_down (r->high.y - octree->low.y, s) + 1;
  octree->counts[2] = divide_down (r->high.z - octree->low.z, s) + 1;
  for (guint axis = 0; axis < 3; axis++)
    n *= octree->counts[axis];
  if (n > (double) limit) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "the box holds %.4g cubes of %g m, more than %zu: use more levels, larger cells, or raise the limit",
                  n, s * octree->sampling.options->cell, limit);
    return false;
  }
  for (guint i = 0; i < (guint) n; i++) {
    const guint nx = (guint) octree->counts[0], ny = (guint) octree->counts[1];
    const Node node =
        make_node (octree,
                   (LatticePlace){ octree->low.x + s * (int32_t) (i % nx), octree->low.y + s * (int32_t) (i / nx % ny),
                                   octree->low.z + s * (int32_t) (i / nx / ny) },
                   s);

    g_array_append_val (octree->nodes, node);
    g_array_append_val (fresh, i);
  }
  return true;
}

/* Whether the field is below its level outside of the box. */
static bool
ends_in_box (const SurfaceSampling *sampling)
{
  const PolygonizeOptions *o = sampling->options;
  KgVector low, high;

  return o->level >= kg_field_get_level (sampling->field) && kg_field_get_bounds (sampling->field, &low, &high) &&
         low.x >= o->low.x && low.y >= o->low.y && low.z >= o->low.z && high.x <= o->high.x && high.y <= o->high.y &&
         high.z <= o->high.z;
}

SurfaceOctree *
surface_octree_new (const SurfaceSampling *sampling, SurfaceMemo *memo, GError **error)
{
  const PolygonizeOptions *o = sampling->options;
  const bool adaptive = o->method == POLYGONIZE_ADAPTIVE;
  g_autoptr (SurfaceOctree) octree = g_new0 (SurfaceOctree, 1);
  g_autoptr (GArray) fresh = g_array_new (false, false, sizeof (guint));
  g_autoptr (GArray) seen = g_array_new (false, false, sizeof (guint));

  octree->sampling = *sampling;
  octree->largest = 1 << CLAMP (o->levels, 0, POLYGONIZE_MAX_LEVELS);
  octree->clipped = !ends_in_box (sampling);
  lattice_corners_init (&octree->corners, memo);
  octree->nodes = g_array_new (false, false, sizeof (Node));
  octree->leaves = g_array_new (false, false, sizeof (guint));
  octree->seeds = g_array_new (false, false, sizeof (Seed));
  if (!surface_search_get_range (o, octree->largest + 2, &octree->range, error) || !lay_out (octree, fresh, error) ||
      !read_seeds (octree, error))
    return NULL;
  while (fresh->len > 0) {
    if (!refine (octree, fresh, seen, error))
      return NULL;
    if ((!adaptive || o->graded) && !follow_surface (octree, seen, fresh, adaptive ? 1 : 0, error))
      return NULL;
  }
  for (guint i = 0; i < octree->nodes->len; i++)
    if (get_node (octree, i)->children == 0 && !get_node (octree, i)->outside)
      g_array_append_val (octree->leaves, i);
  g_array_sort_with_data (octree->leaves, compare_leaves, octree);
  return g_steal_pointer (&octree);
}

guint
surface_octree_get_n_leaves (const SurfaceOctree *octree)
{
  return octree->leaves->len;
}

OctreeLeaf
surface_octree_get_leaf (const SurfaceOctree *octree, guint index)
{
  const Node *node = get_node (octree, g_array_index (octree->leaves, guint, index));

  return (OctreeLeaf){ node->low, node->size, node->hot };
}

void
surface_octree_get_values (const SurfaceOctree *octree, guint index, float values[8])
{
  const Node *node = get_node (octree, g_array_index (octree->leaves, guint, index));

  for (guint c = 0; c < 8; c++)
    values[c] = lattice_corners_get (&octree->corners, lattice_place_add (node->low, node->size, c));
}

bool
surface_octree_find (const SurfaceOctree *octree, LatticePlace cell, OctreeLeaf *leaf)
{
  const Node *node = find_node (octree, cell, 1);

  if (node == NULL || node->outside)
    return false;
  *leaf = (OctreeLeaf){ node->low, node->size, node->hot };
  return true;
}

size_t
surface_octree_get_n_samples (const SurfaceOctree *octree)
{
  return octree->corners.n_samples;
}

/* A part of the border of a face, from a corner that is inside or outside. */
typedef struct {
  OctreePiece piece;
  bool hot; /* the corner it begins at, as the face is walked */
} BorderPiece;

/* From the piece where the surface enters a face to the piece where it leaves it. */
typedef struct {
  OctreePiece entered, left;
} Segment;

void
octree_loops_init (OctreeLoops *loops)
{
  *loops = (OctreeLoops){ .pieces = g_array_new (false, false, sizeof (OctreePiece)),
                          .sizes = g_array_new (false, false, sizeof (guint)),
                          .segments = g_array_new (false, false, sizeof (Segment)),
                          .border = g_array_new (false, false, sizeof (BorderPiece)) };
}

void
octree_loops_clear (OctreeLoops *loops)
{
  g_clear_pointer (&loops->pieces, g_array_unref);
  g_clear_pointer (&loops->sizes, g_array_unref);
  g_clear_pointer (&loops->segments, g_array_unref);
  g_clear_pointer (&loops->border, g_array_unref);
}

static LatticePlace
step_along (LatticePlace at, guint axis, int32_t by)
{
  return (LatticePlace){ at.x + (axis == 0 ? by : 0), at.y + (axis == 1 ? by : 0), at.z + (axis == 2 ? by : 0) };
}

/* Appends the pieces of an edge in the order in which it is walked. */
static void
walk_edge (const SurfaceOctree *octree, LatticePlace low, guint axis, int32_t length, bool backwards, GArray *border)
{
  const guint u = (axis + 1) % 3, v = (axis + 2) % 3;
  const int32_t half = length / 2;

  if (length > 1 && (is_divided (octree, low, length) || is_divided (octree, step_along (low, u, -length), length) ||
                     is_divided (octree, step_along (low, v, -length), length) ||
                     is_divided (octree, step_along (step_along (low, u, -length), v, -length), length))) {
    walk_edge (octree, backwards ? step_along (low, axis, half) : low, axis, half, backwards, border);
    walk_edge (octree, backwards ? low : step_along (low, axis, half), axis, half, backwards, border);
  } else {
    const float first = lattice_corners_get (&octree->corners, low);
    const float second = lattice_corners_get (&octree->corners, step_along (low, axis, length));
    const BorderPiece piece = { { low, length, axis, { first, second } },
                                (backwards ? second : first) >= (float) octree->sampling.options->level };

    g_array_append_val (border, piece);
  }
}

/* Whether the parts of a face that are inside are one. */
static bool
joins (const SurfaceOctree *octree, const GArray *border, const float corners[4])
{
  const PolygonizeOptions *o = octree->sampling.options;
  const double a = (double) corners[0], b = (double) corners[1], c = (double) corners[2], d = (double) corners[3];

  if (o->ambiguity != POLYGONIZE_DECIDE)
    return o->ambiguity == POLYGONIZE_JOIN;
  /* Sums in an order that is the same from both sides.  The saddle of the bilinear interpolation, where it has one between diagonal corners (Nielson and Hamann 1991). */
  if (border->len == 4)
    return (a * c - b * d) / ((a + c) - (b + d)) >= o->level;
  return ((a + c) + (b + d)) / 4 >= o->level;
}

/* Appends the segments of a face that is not divided. */
static void
walk_face (const SurfaceOctree *octree, LatticePlace low, int32_t size, guint face, OctreeLoops *loops)
{
  GArray *border = loops->border;
  float corners[4];
  guint n_runs = 0, first = 0;

  g_array_set_size (border, 0);
  for (guint k = 0; k < 4; k++) {
    /* Corners of the unit cube on this face; low is on it already. */
    const guint plane = 1u << face / 2, a = cube_faces[face][k] & ~plane, b = cube_faces[face][(k + 1) % 4] & ~plane;
    const guint axis = (a ^ b) == 1 ? 0 : (a ^ b) == 2 ? 1 : 2;

    corners[k] = lattice_corners_get (&octree->corners, lattice_place_add (low, size, a));
    walk_edge (octree, lattice_place_add (low, size, a & b), axis, size, a > b, border);
  }
  for (guint i = 0; i < border->len; i++)
    if (!g_array_index (border, BorderPiece, i).hot && g_array_index (border, BorderPiece, (i + 1) % border->len).hot) {
      first = n_runs++ == 0 ? i : first;
    }
  for (guint run = 0, at = first; run < n_runs; run++) {
    const guint n = border->len;
    Segment segment = { .entered = g_array_index (border, BorderPiece, at).piece };

    do
      at = (at + 1) % n;
    while (g_array_index (border, BorderPiece, (at + 1) % n).hot);
    segment.left = g_array_index (border, BorderPiece, at).piece;
    g_array_append_val (loops->segments, segment);
    while (!g_array_index (border, BorderPiece, (at + 1) % n).hot)
      at = (at + 1) % n;
  }
  /* Joined, entering leads back around the part outside before it. */
  if (n_runs > 1 && joins (octree, border, corners)) {
    Segment *segments = &g_array_index (loops->segments, Segment, loops->segments->len - n_runs);
    const OctreePiece last = segments[n_runs - 1].left;

    for (guint i = n_runs - 1; i > 0; i--)
      segments[i].left = segments[i - 1].left;
    segments[0].left = last;
  }
}

static void
visit_face (const SurfaceOctree *octree, LatticePlace low, int32_t size, guint face, OctreeLoops *loops)
{
  const guint axis = face / 2;

  if (!is_divided (octree, step_along (low, axis, face % 2 == 0 ? -size : 0), size)) {
    walk_face (octree, low, size, face, loops);
    return;
  }
  for (guint c = 0; c < 8; c++)
    if ((c >> axis & 1) == 0)
      visit_face (octree, lattice_place_add (low, size / 2, c), size / 2, face, loops);
}

static bool
is_same_piece (const OctreePiece *a, const OctreePiece *b)
{
  return a->low.x == b->low.x && a->low.y == b->low.y && a->low.z == b->low.z && a->axis == b->axis;
}

void
surface_octree_trace (const SurfaceOctree *octree, guint leaf, OctreeLoops *loops)
{
  const OctreeLeaf l = surface_octree_get_leaf (octree, leaf);
  GArray *segments = loops->segments;

  g_array_set_size (loops->pieces, 0);
  g_array_set_size (loops->sizes, 0);
  g_array_set_size (segments, 0);
  for (guint f = 0; f < CUBE_N_FACES; f++)
    visit_face (octree, f % 2 == 0 ? l.low : step_along (l.low, f / 2, l.size), l.size, f, loops);
  while (segments->len > 0) {
    const OctreePiece start = g_array_index (segments, Segment, 0).entered;
    OctreePiece at = start;
    guint n = 0;

    do {
      guint i = 0;

      while (i < segments->len && !is_same_piece (&g_array_index (segments, Segment, i).entered, &at))
        i++;
      g_return_if_fail (i < segments->len);
      g_array_append_val (loops->pieces, at);
      n++;
      at = g_array_index (segments, Segment, i).left;
      g_array_remove_index (segments, i);
    } while (!is_same_piece (&at, &start));
    g_array_append_val (loops->sizes, n);
  }
}
