/* scatter: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/scatter.h"

#include "curve/curve.h"
#include "geometry/point_tree.h"
#include "geometry/triangle.h"
#include "kg-error.h"
#include "kg-floats.h"
#include "kg-random.h"
#include "value/distribution.h"

#include <string.h>

/* What a random number of a point is for (counters of kg-random.h). */
enum { DRAW_PART, DRAW_A, DRAW_B, DRAW_DENSITY, DRAW_SPIN, DRAW_X, DRAW_Y, DRAW_Z };

/* Places that are drawn at once, between two checks for cancelling. */
#define BLOCK 4096

void
scatter_clear (Scatter *scatter)
{
  g_free (scatter->id);
  g_free (scatter->part);
  g_free (scatter->at);
  *scatter = (Scatter){ 0 };
}

size_t
scatter_get_bytes (const Scatter *scatter)
{
  return sizeof *scatter +
         scatter->n * (sizeof *scatter->id + sizeof *scatter->at + (scatter->part != NULL ? sizeof *scatter->part : 0));
}

/* What places are drawn on, at rest. */
typedef struct {
  const KgGeometry *geometry;
  const TriangleMesh *mesh; /* (nullable) */
  const ScatterRule *rule;
  MeshWinding *winding;
  GPtrArray *curves; /* Curve, NULL where a primitive has none */
  double *sums;      /* of areas or lengths up to each part */
  size_t n_parts;
  double measure;
  const float *density; /* (nullable) of the points of the geometry */
} Ground;

static void
ground_clear (Ground *ground)
{
  g_clear_pointer (&ground->winding, mesh_winding_free);
  g_clear_pointer (&ground->curves, g_ptr_array_unref);
  g_clear_pointer (&ground->sums, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ground, ground_clear)

static void
free_curve (gpointer curve)
{
  if (curve != NULL)
    curve_free ((Curve *) curve);
}

/* All primitives as curves, polygons as their outlines; NULL for those of one point. */
static GPtrArray *
read_curves (const KgGeometry *geometry, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (GPtrArray) curves = g_ptr_array_new_with_free_func (free_curve);
  const size_t n = kg_geometry_get_n_primitives (geometry);

  for (size_t i = 0; i < n; i++) {
    KgPrimitive primitive;
    Curve *curve;

    if (kg_progress_is_cancelled (monitor))
      return NULL;
    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.n_vertices < 2) {
      g_ptr_array_add (curves, NULL);
      continue;
    }
    curve = curve_new (geometry, i, error);
    if (curve == NULL) {
      g_prefix_error (error, "primitive %zu: ", i);
      return NULL;
    }
    g_ptr_array_add (curves, curve);
    if (!curve_prepare_lengths (curve, monitor))
      return NULL;
  }
  return g_steal_pointer (&curves);
}

static double
get_area (const TriangleMesh *mesh, size_t triangle)
{
  KgVector corners[3];

  triangle_mesh_get_corners (mesh, triangle, corners);
  return triangle_get_area (corners);
}

/* Of the tetrahedra between the first corner and all triangles. */
static double
get_volume (const TriangleMesh *mesh)
{
  double sum = 0;

  for (size_t i = 0; i < mesh->n; i++) {
    KgVector corners[3];
    const KgVector origin = triangle_mesh_get_point (mesh, mesh->corners[0][0]);

    triangle_mesh_get_corners (mesh, i, corners);
    for (int k = 0; k < 3; k++)
      corners[k] = kg_vector_subtract (corners[k], origin);
    sum += kg_vector_dot (corners[0], kg_vector_cross (corners[1], corners[2]));
  }
  return fabs (sum) / 6;
}

static bool
refuse_nothing (ScatterDomain domain, GError **error)
{
  kg_set_error (error, KG_ERROR_DEGENERATE,
                domain == SCATTER_SURFACE
                    ? N_ ("the geometry has no polygon with an area: link one with faces, or scatter along its curves")
                : domain == SCATTER_VOLUME
                    ? N_ ("the geometry encloses no volume: link a closed mesh, or scatter on its surface")
                    : N_ ("the geometry has no line with a length: link one with lines or splines"));
  return false;
}

static bool
ground_read (Ground *ground, const KgProgressMonitor *monitor, GError **error)
{
  const ScatterDomain domain = ground->rule->domain;
  const char *attribute = domain == SCATTER_VOLUME ? NULL : ground->rule->attribute;

  if (attribute != NULL && attribute[0] != '\0') {
    ground->density = kg_geometry_get_float (ground->geometry, KG_POINTS, attribute, 1);
    if (ground->density == NULL) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "the points have no attribute \"%s\" of one number: set it with Attribute, or leave the name empty",
                    attribute);
      return false;
    }
  }
  if (domain == SCATTER_CURVE) {
    ground->curves = read_curves (ground->geometry, monitor, error);
    if (ground->curves == NULL)
      return false;
    ground->n_parts = ground->curves->len;
  } else
    ground->n_parts = ground->mesh->n;
  if (domain == SCATTER_VOLUME) {
    ground->measure = ground->n_parts > 0 ? get_volume (ground->mesh) : 0;
    ground->winding = mesh_winding_new (ground->mesh);
  } else {
    ground->sums = g_new (double, MAX (ground->n_parts, 1));
    for (size_t i = 0; i < ground->n_parts; i++) {
      const Curve *curve = ground->curves != NULL ? g_ptr_array_index (ground->curves, i) : NULL;

      ground->measure += ground->curves == NULL ? get_area (ground->mesh, i)
                         : curve != NULL        ? curve_get_length (curve)
                                                : 0;
      ground->sums[i] = ground->measure;
    }
  }
  return ground->measure > 0 && isfinite (ground->measure) ? true : refuse_nothing (domain, error);
}

/* One place. */
typedef struct {
  uint32_t part;
  double at[3];
} Draw;

static Draw
draw_on_parts (const Ground *ground, uint64_t id)
{
  const uint64_t seed = ground->rule->seed;
  const double x = kg_random_uniform (seed, id, DRAW_PART) * ground->measure;
  const size_t part = distribution_find_part (ground->sums, ground->n_parts, x);
  Draw draw = { .part = (uint32_t) part };

  if (ground->curves != NULL) {
    const double before = part > 0 ? ground->sums[part - 1] : 0;

    draw.at[0] = curve_get_parameter (g_ptr_array_index (ground->curves, part), x - before);
  } else {
    const double s = sqrt (kg_random_uniform (seed, id, DRAW_A)), b = kg_random_uniform (seed, id, DRAW_B);

    draw.at[0] = 1 - s;
    draw.at[1] = s * (1 - b);
    draw.at[2] = s * b;
  }
  return draw;
}

/* Natural parameter of a curve, as a place between two of its vertices: exact where each segment joins two of them. */
static double
find_vertices (const Curve *curve, const KgPrimitive *primitive, double u, uint32_t *a, uint32_t *b)
{
  const bool closed = curve_is_closed (curve);
  const double spans = closed ? primitive->n_vertices : primitive->n_vertices - 1;
  const double x = kg_clamp (u / curve_get_n_segments (curve) * spans, 0, spans);
  const uint32_t i = (uint32_t) fmin (floor (x), spans - 1);

  *a = primitive->vertices[i];
  *b = primitive->vertices[(i + 1) % primitive->n_vertices];
  return x - i;
}

static KgVector
mix_corners (const TriangleMesh *mesh, const float *p, const Draw *draw)
{
  KgVector sum = { 0, 0, 0 };

  for (int k = 0; k < 3; k++) {
    const float *x = p + 3 * (size_t) mesh->corners[draw->part][k];

    sum = kg_vector_add_scaled (sum, draw->at[k], kg_floats_get_vector (x, 0));
  }
  return sum;
}

static KgVector
ground_get_place (const Ground *ground, const Draw *draw)
{
  if (ground->rule->domain == SCATTER_VOLUME)
    return kg_vector (draw->at[0], draw->at[1], draw->at[2]);
  if (ground->curves != NULL)
    return curve_evaluate (g_ptr_array_index (ground->curves, draw->part), draw->at[0], 0);
  return mix_corners (ground->mesh, ground->mesh->p, draw);
}

/* The painted density at a place. */
static double
ground_get_painted (const Ground *ground, const Draw *draw)
{
  const float *density = ground->density;
  double sum = 0;

  if (density == NULL)
    return 1;
  if (ground->curves != NULL) {
    KgPrimitive primitive;
    uint32_t a, b;
    double t;

    kg_geometry_get_primitive (ground->geometry, draw->part, &primitive);
    t = find_vertices (g_ptr_array_index (ground->curves, draw->part), &primitive, draw->at[0], &a, &b);
    return kg_lerp ((double) density[a], (double) density[b], t);
  }
  for (int k = 0; k < 3; k++)
    sum += draw->at[k] * (double) density[ground->mesh->corners[draw->part][k]];
  return sum;
}

/* Draws, and what is known of each. */
typedef struct {
  GArray *draws;  /* Draw */
  GArray *ids;    /* int32_t */
  GArray *places; /* 3 floats */
  GArray *shares; /* double: density at each */
} Draws;

static void
draws_clear (Draws *draws)
{
  g_clear_pointer (&draws->draws, g_array_unref);
  g_clear_pointer (&draws->ids, g_array_unref);
  g_clear_pointer (&draws->places, g_array_unref);
  g_clear_pointer (&draws->shares, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Draws, draws_clear)

static Draws
draws_new (void)
{
  return (Draws){ .draws = g_array_new (FALSE, FALSE, sizeof (Draw)),
                  .ids = g_array_new (FALSE, FALSE, sizeof (int32_t)),
                  .places = g_array_new (FALSE, FALSE, 3 * sizeof (float)),
                  .shares = g_array_new (FALSE, FALSE, sizeof (double)) };
}

/* A block of draws from first on, with their places; keep: whether a volume holds them. */
static void
draw_block (const Ground *ground, uint64_t first, size_t n, Draw *draws, float (*places)[3], uint8_t *keep)
{
  const ScatterRule *rule = ground->rule;
  KgVector low = { 0, 0, 0 }, high = { 0, 0, 0 };

  if (rule->domain == SCATTER_VOLUME)
    kg_geometry_get_bounds (ground->geometry, &low, &high);
#pragma omp parallel for schedule(dynamic, 64)
  for (size_t i = 0; i < n; i++) {
    KgVector place;

    keep[i] = true;
    if (rule->domain == SCATTER_VOLUME) {
      for (uint64_t c = 0; c < 3; c++)
        draws[i].at[c] = kg_lerp (kg_vector_get (low, c), kg_vector_get (high, c),
                                  kg_random_uniform (rule->seed, first + i, DRAW_X + c));
      draws[i].part = 0;
      keep[i] = triangle_mesh_contains (ground->mesh, ground->winding, INSIDE_WINDING,
                                        kg_vector (draws[i].at[0], draws[i].at[1], draws[i].at[2]));
    } else
      draws[i] = draw_on_parts (ground, first + i);
    place = ground_get_place (ground, &draws[i]);
    kg_floats_set_vector (places[i], 0, place);
  }
}

/* The density at the places of a block, 0 to 1. */
static void
get_shares (const Ground *ground, const Draw *draws, const float (*places)[3], size_t n, float *field, double *shares)
{
  const KgField *density = ground->rule->density;

  if (density != NULL)
    kg_field_sample_points (density, places[0], n, ground->rule->time, field);
  for (size_t i = 0; i < n; i++) {
    const double share = ground_get_painted (ground, &draws[i]) * (density != NULL ? (double) field[i] : 1);

    shares[i] = share > 0 ? fmin (share, 1) : 0;
  }
}

/* Draws until there are count, before the density thins them.  thinned: each draw is left with the probability of its density;
 * with whole, until count are left.  tried: places after which it gave up, or as before. */
static bool
draw_places (const Ground *ground, size_t count, bool whole, Draws *all, size_t *tried,
             const KgProgressMonitor *monitor)
{
  g_autofree Draw *draws = g_new (Draw, BLOCK);
  g_autofree float (*places)[3] = g_malloc (BLOCK * sizeof *places);
  g_autofree float *field = g_new (float, BLOCK);
  g_autofree double *shares = g_new (double, BLOCK);
  g_autofree uint8_t *keep = g_new (uint8_t, BLOCK);
  /* Where hardly a draw is left, there is as good as nothing to be on. */
  const uint64_t most = 1000 * (uint64_t) count + 1000000;
  uint64_t id = 0;

  for (size_t found = 0; found < count;) {
    const size_t n = (size_t) MIN ((uint64_t) BLOCK, MIN (most, G_MAXINT32) - id);

    if (kg_progress_is_cancelled (monitor))
      return false;
    if (n == 0) {
      *tried = (size_t) id;
      return true;
    }
    draw_block (ground, id, n, draws, places, keep);
    get_shares (ground, draws, (const float (*)[3]) places, n, field, shares);
    for (size_t i = 0; i < n && found < count; i++) {
      const int32_t number = (int32_t) (id + i);
      const bool left = kg_random_uniform (ground->rule->seed, id + i, DRAW_DENSITY) < shares[i];

      if (!keep[i])
        continue;
      found += left || !whole;
      if (!left)
        continue;
      g_array_append_val (all->draws, draws[i]);
      g_array_append_val (all->ids, number);
      g_array_append_vals (all->places, places[i], 1);
      g_array_append_val (all->shares, shares[i]);
    }
    id += n;
    kg_progress_report (monitor, 0.5 * (double) found / (double) count);
  }
  return true;
}

/* How many dimensions the density is by. */
static int
get_dimensions (ScatterDomain domain)
{
  return domain == SCATTER_CURVE ? 1 : domain == SCATTER_SURFACE ? 2 : 3;
}

/* Darts. */

/* The accepted darts by cells as large as the distance, in a table of chains. */
typedef struct {
  uint32_t *heads; /* 1 + index; 0: none */
  uint32_t *next;
  size_t mask;
  double cell;
} DartCells;

static size_t
dart_cells_find (const DartCells *cells, const int64_t at[3])
{
  const uint64_t key = (uint64_t) at[0] * UINT64_C (0x9e3779b97f4a7c15) ^
                       (uint64_t) at[1] * UINT64_C (0xc2b2ae3d27d4eb4f) ^
                       (uint64_t) at[2] * UINT64_C (0x165667b19e3779f9);

  return kg_hash_mix (key) & cells->mask;
}

static bool
dart_is_free (const DartCells *cells, const float (*places)[3], const float p[3], const int64_t at[3])
{
  for (int64_t z = -1; z <= 1; z++)
    for (int64_t y = -1; y <= 1; y++)
      for (int64_t x = -1; x <= 1; x++) {
        const int64_t cell[] = { at[0] + x, at[1] + y, at[2] + z };

        for (uint32_t i = cells->heads[dart_cells_find (cells, cell)]; i != 0; i = cells->next[i - 1]) {
          const float *q = places[i - 1];
          const double dx = (double) (p[0] - q[0]), dy = (double) (p[1] - q[1]), dz = (double) (p[2] - q[2]);

          if (dx * dx + dy * dy + dz * dz < cells->cell * cells->cell)
            return false;
        }
      }
  return true;
}

/* In the order of their numbers: a dart that lands stays whatever comes later. */
static bool
throw_darts (const Draws *draws, double distance, uint8_t *keep, const KgProgressMonitor *monitor)
{
  const size_t n = draws->draws->len;
  const float (*places)[3] = (const float (*)[3]) (void *) draws->places->data;
  g_autofree uint32_t *heads = NULL, *next = g_new (uint32_t, MAX (n, 1));
  DartCells cells = { .next = next, .cell = distance, .mask = 1023 };

  while (cells.mask < n)
    cells.mask = 2 * cells.mask + 1;
  heads = cells.heads = g_new0 (uint32_t, cells.mask + 1);
  for (size_t i = 0; i < n; i++) {
    int64_t at[3];
    size_t slot;

    if (i % 1024 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    /* Numbers of cells that are too large to be told apart are still valid. */
    for (int c = 0; c < 3; c++)
      at[c] = (int64_t) kg_clamp (floor ((double) places[i][c] / distance), -1e18, 1e18);
    keep[i] = dart_is_free (&cells, places, places[i], at);
    if (!keep[i])
      continue;
    slot = dart_cells_find (&cells, at);
    next[i] = heads[slot];
    heads[slot] = (uint32_t) i + 1;
  }
  return true;
}

/* Elimination. */

/* Crowding of each candidate, the most crowded on top. */
typedef struct {
  uint32_t *heap;
  uint32_t *where; /* of each candidate in the heap */
  double *weight;
  size_t n;
} Crowd;

/* Equal weights fall to the later draw, so that the order is one whatever the heap does. */
static bool
crowd_is_above (const Crowd *crowd, uint32_t a, uint32_t b)
{
  return crowd->weight[a] != crowd->weight[b] ? crowd->weight[a] > crowd->weight[b] : a > b;
}

static void
crowd_put (Crowd *crowd, size_t at, uint32_t candidate)
{
  crowd->heap[at] = candidate;
  crowd->where[candidate] = (uint32_t) at;
}

static void
crowd_sink (Crowd *crowd, size_t at)
{
  const uint32_t candidate = crowd->heap[at];

  for (;;) {
    size_t child = 2 * at + 1;

    if (child + 1 < crowd->n && crowd_is_above (crowd, crowd->heap[child + 1], crowd->heap[child]))
      child++;
    if (child >= crowd->n || !crowd_is_above (crowd, crowd->heap[child], candidate))
      break;
    crowd_put (crowd, at, crowd->heap[child]);
    at = child;
  }
  crowd_put (crowd, at, candidate);
}

/* The largest distance that count points may keep (Yuksel 2015, 3.1; for curves half of the spacing). */
static double
get_largest_radius (ScatterDomain domain, double measure, double count)
{
  switch (domain) {
  case SCATTER_CURVE:
    return measure / (2 * count);
  case SCATTER_VOLUME:
    return cbrt (measure / (4 * sqrt (2) * count));
  case SCATTER_SURFACE:
  case SCATTER_N_DOMAINS:
  default:
    return sqrt (measure / (2 * sqrt (3) * count));
  }
}

/* Yuksel 2015, 3.2: (1 - d / 2 r_max)^8, where nearer ones than 2 r_min count as at that distance. */
static double
get_crowding (double distance, double most, double least)
{
  const double x = 1 - fmax (distance, least) / most, x2 = x * x, x4 = x2 * x2;

  return x > 0 ? x4 * x4 : 0;
}

/* Pairs of candidates that crowd each other, at most. */
#define MAX_PAIRS ((size_t) 1 << 26)

/* Where the density is low, crowding reaches further; but not so far that dense places have too many neighbours. */
static bool
find_crowding (const Draws *draws, double reach, double thinnest, PointNeighbours *near,
               const KgProgressMonitor *monitor, GError **error)
{
  const float *places = (const float *) (void *) draws->places->data;
  const size_t n = draws->draws->len;
  PointQuery query = { .skip = true, .grid = true };

  for (double widest = 1 / fmax (thinnest, 1.0 / 3);; widest = 1) {
    g_autoptr (GError) problem = NULL;

    query.radius = (float) (reach * widest);
    if (point_neighbours_find (near, places, n, places, n, &query, MAX_PAIRS, monitor, &problem))
      return true;
    point_neighbours_clear (near);
    if (problem == NULL)
      return false;
    if (widest > 1)
      continue;
    kg_set_error (
        error, KG_ERROR_LIMIT,
        "more than %zu pairs of points crowd each other, because parts of the geometry lie in each other: use fewer points, or another pattern",
        MAX_PAIRS);
    return false;
  }
}

static bool
eliminate (const Ground *ground, const Draws *draws, size_t count, uint8_t *keep, const KgProgressMonitor *monitor,
           GError **error)
{
  const size_t n = draws->draws->len;
  const double ratio = (double) count / (double) n;
  const double *shares = (const double *) (void *) draws->shares->data;
  const int dimensions = get_dimensions (ground->rule->domain);
  g_auto (PointNeighbours) near = { 0 };
  g_autofree uint32_t *heap = g_new (uint32_t, n), *where = g_new (uint32_t, n);
  g_autofree double *weight = g_new0 (double, n), *spread = g_new (double, n);
  Crowd crowd = { heap, where, weight, n };
  double sum = 0, thinnest = 1, most, least;

  memset (keep, 1, n);
  /* Where the density is half, each has room for two. */
  for (size_t i = 0; i < n; i++)
    sum += 1 / shares[i];
  most = 2 * get_largest_radius (ground->rule->domain, ground->measure * (double) n / sum, (double) count);
  least = most * 0.65 * (1 - pow (ratio, 1.5));
  for (size_t i = 0; i < n; i++) {
    spread[i] = pow (shares[i], 1.0 / dimensions);
    thinnest = fmin (thinnest, spread[i]);
  }
  if (!find_crowding (draws, most, thinnest, &near, monitor, error))
    return false;
  for (uint32_t i = 0; i < n; i++) {
    for (size_t k = near.first[i]; k < near.first[i + 1]; k++)
      weight[i] += get_crowding (
          sqrt ((double) near.items[k].distance2) * fmax (spread[i], spread[near.items[k].index]), most, least);
    crowd_put (&crowd, i, i);
  }
  for (size_t i = n / 2; i-- > 0;)
    crowd_sink (&crowd, i);
  while (crowd.n > count) {
    const uint32_t worst = heap[0];

    if (crowd.n % 1024 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    keep[worst] = false;
    crowd.n--;
    if (crowd.n == 0)
      break;
    crowd_put (&crowd, 0, heap[crowd.n]);
    crowd_sink (&crowd, 0);
    for (size_t k = near.first[worst]; k < near.first[worst + 1]; k++) {
      const uint32_t other = near.items[k].index;

      if (!keep[other])
        continue;
      weight[other] -=
          get_crowding (sqrt ((double) near.items[k].distance2) * fmax (spread[worst], spread[other]), most, least);
      /* It only gets lighter, and so can only sink. */
      crowd_sink (&crowd, where[other]);
    }
  }
  return true;
}

/* Results. */

static void
take_draws (Scatter *scatter, const Draws *draws, const uint8_t *keep)
{
  const Draw *all = (const Draw *) (void *) draws->draws->data;
  const size_t n = draws->draws->len;
  size_t count = 0;

  for (size_t i = 0; i < n; i++)
    count += keep == NULL || keep[i];
  scatter->n = count;
  scatter->id = g_new (int32_t, MAX (count, 1));
  scatter->at = g_malloc (MAX (count, 1) * sizeof *scatter->at);
  if (scatter->domain != SCATTER_VOLUME)
    scatter->part = g_new (uint32_t, MAX (count, 1));
  count = 0;
  for (size_t i = 0; i < n; i++) {
    if (keep != NULL && !keep[i])
      continue;
    scatter->id[count] = g_array_index (draws->ids, int32_t, i);
    memcpy (scatter->at[count], all[i].at, sizeof all[i].at);
    if (scatter->part != NULL)
      scatter->part[count] = all[i].part;
    count++;
  }
}

/* How many darts fit at most, as a share of the measure over the distance (to the power of the dimensions): random sequential
 * packings fill 0.7476 of a line (Rényi 1958), 0.547 of a plane and 0.384 of space. */
static double
estimate_darts (const Ground *ground)
{
  static const double fits[] = { [1] = 0.7476, [2] = 0.6965, [3] = 0.7334 };
  const int dimensions = get_dimensions (ground->rule->domain);

  return fits[dimensions] * ground->measure / pow (ground->rule->distance, dimensions);
}

/* Darts for each that fits: what is left has room for few more. */
#define DARTS 20

bool
scatter_find (Scatter *scatter, const KgGeometry *geometry, const TriangleMesh *mesh, const ScatterRule *rule,
              const KgProgressMonitor *monitor, GError **error)
{
  g_auto (Ground) ground = { .geometry = geometry, .mesh = mesh, .rule = rule };
  g_auto (Draws) draws = draws_new ();
  g_autofree uint8_t *keep = NULL;
  const bool even = rule->pattern == SCATTER_EVEN;
  size_t count = rule->count;

  *scatter = (Scatter){ .domain = rule->domain };
  if (!ground_read (&ground, monitor, error))
    return false;
  scatter->measure = ground.measure;
  scatter->n_open = rule->domain == SCATTER_VOLUME ? mesh->n_open : 0;
  if (rule->pattern == SCATTER_DISC) {
    const double fit = estimate_darts (&ground);

    if (!(fit * DARTS <= SCATTER_MAX_POINTS)) {
      kg_set_error (error, KG_ERROR_LIMIT,
                    "about %.3g points fit with a distance of %g m, more than %d: raise the distance", fit,
                    rule->distance, SCATTER_MAX_POINTS / DARTS);
      return false;
    }
    count = (size_t) (fit * DARTS) + 100;
  }
  if (even && count > SCATTER_MAX_EVEN) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu points are too many to spread evenly: use at most %d, or another pattern",
                  count, SCATTER_MAX_EVEN);
    return false;
  }
  if (count > SCATTER_MAX_POINTS) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu points are too many: use at most %d", count, SCATTER_MAX_POINTS);
    return false;
  }
  if (!draw_places (&ground, even ? 5 * count : count, even, &draws, &scatter->n_tried, monitor))
    return false;
  keep = rule->pattern != SCATTER_RANDOM ? g_new (uint8_t, MAX (draws.draws->len, 1)) : NULL;
  if (rule->pattern == SCATTER_DISC && !throw_darts (&draws, rule->distance, keep, monitor))
    return false;
  if (even && draws.draws->len <= count)
    memset (keep, 1, draws.draws->len);
  else if (even && !eliminate (&ground, &draws, count, keep, monitor, error))
    return false;
  take_draws (scatter, &draws, keep);
  return true;
}

/* Points. */

typedef struct {
  const float *from;
  float *to;
  uint8_t size;
} Carried;

/* All float attributes of points that mean the same between them. */
static GArray *
find_carried (const KgGeometry *geometry, KgGeometry *points)
{
  static const char *const own[] = {
    "P", "N", "orient", "tangent", "tangent_in", "tangent_out", "tcb", "weight", NULL
  };
  GArray *carried = g_array_new (FALSE, FALSE, sizeof (Carried));

  for (guint i = 0; i < kg_geometry_get_n_attributes (geometry, KG_POINTS); i++) {
    KgAttribute attribute;
    Carried one;

    kg_geometry_get_attribute (geometry, KG_POINTS, i, &attribute);
    if (attribute.scalar != KG_FLOAT32 || g_strv_contains (own, attribute.name))
      continue;
    one = (Carried){ (const float *) attribute.data,
                     kg_geometry_edit_float (points, KG_POINTS, attribute.name, attribute.size), attribute.size };
    g_array_append_val (carried, one);
  }
  return carried;
}

static void
carry (const GArray *carried, size_t i, const uint32_t *corners, const double *weights, int n)
{
  for (guint a = 0; a < carried->len; a++) {
    const Carried *one = &g_array_index (carried, Carried, a);

    for (uint8_t c = 0; c < one->size; c++) {
      double sum = 0;

      for (int k = 0; k < n; k++)
        sum += weights[k] * (double) one->from[one->size * (size_t) corners[k] + c];
      one->to[one->size * i + c] = (float) sum;
    }
  }
}

/* What the points are written with. */
typedef struct {
  const KgGeometry *geometry;
  const TriangleMesh *rest;
  const Scatter *scatter;
  const float *p, *normals;
  GPtrArray *curves;
  GArray *carried;
  uint64_t seed;
  double spin;
  float *to, *n, *orient;
  int32_t *primitive;
} Writer;

/* z along the normal, x near a direction, and a turn about the normal. */
static void
write_axes (const Writer *w, size_t i, KgVector normal, KgVector along)
{
  const KgVector flat = kg_vector_add_scaled (along, -kg_vector_dot (along, normal), normal);
  const KgVector x = kg_vector_normalize_or (flat, kg_vector_perpendicular (normal)), y = kg_vector_cross (normal, x);
  const KgTransform axes = {
    { { x.x, y.x, normal.x, 0 }, { x.y, y.y, normal.y, 0 }, { x.z, y.z, normal.z, 0 }, { 0, 0, 0, 1 } }
  };
  const double angle = w->spin * kg_random_signed (w->seed, (uint64_t) w->scatter->id[i], DRAW_SPIN);
  const KgRotation turn =
      kg_rotation_multiply (kg_rotation_from_axis_angle (normal, angle), kg_rotation_from_transform (axes));

  if (w->n != NULL)
    kg_floats_set_vector (w->n, i, normal);
  kg_floats_set_rotation (w->orient, i, turn);
}

static void
write_on_surface (const Writer *w, size_t i)
{
  const Draw draw = { w->scatter->part[i], { w->scatter->at[i][0], w->scatter->at[i][1], w->scatter->at[i][2] } };
  const uint32_t *corners = w->rest->corners[draw.part];
  const KgVector a = kg_floats_get_vector (w->p, corners[0]), b = kg_floats_get_vector (w->p, corners[1]),
                 c = kg_floats_get_vector (w->p, corners[2]);
  const KgVector face = kg_vector_normalize_or (kg_vector_cross (kg_vector_subtract (b, a), kg_vector_subtract (c, a)),
                                                kg_vector (0, 1, 0));
  KgVector normal = { 0, 0, 0 };

  kg_floats_set_vector (w->to, i, mix_corners (w->rest, w->p, &draw));
  for (int k = 0; k < 3 && w->normals != NULL; k++)
    normal = kg_vector_add_scaled (normal, draw.at[k], kg_floats_get_vector (w->normals, corners[k]));
  write_axes (w, i, kg_vector_normalize_or (normal, face), kg_vector_subtract (b, a));
  carry (w->carried, i, corners, draw.at, 3);
  w->primitive[i] = (int32_t) w->rest->polygon[draw.part];
}

static void
write_on_curve (const Writer *w, size_t i)
{
  const uint32_t part = w->scatter->part[i];
  const Curve *curve = g_ptr_array_index (w->curves, part);
  const double u = w->scatter->at[i][0];
  const KgVector tangent = curve_get_tangent (curve, u);
  KgVector up = { 0, 1, 0 };
  KgPrimitive primitive;
  uint32_t vertices[2];
  double t;

  kg_geometry_get_primitive (w->geometry, part, &primitive);
  t = find_vertices (curve, &primitive, u, &vertices[0], &vertices[1]);
  if (w->normals != NULL)
    up = kg_vector_lerp (kg_floats_get_vector (w->normals, vertices[0]), kg_floats_get_vector (w->normals, vertices[1]),
                         t);
  up = kg_vector_add_scaled (up, -kg_vector_dot (up, tangent), tangent);
  kg_floats_set_vector (w->to, i, curve_evaluate (curve, u, 0));
  write_axes (w, i,
              kg_vector_length (up) > 1e-6 ? kg_vector_normalize_or (up, tangent) : kg_vector_perpendicular (tangent),
              tangent);
  carry (w->carried, i, vertices, (const double[]){ 1 - t, t }, 2);
  w->primitive[i] = (int32_t) part;
}

static void
write_in_volume (const Writer *w, size_t i)
{
  const double *at = w->scatter->at[i];

  kg_floats_set_vector (w->to, i, kg_vector (at[0], at[1], at[2]));
  write_axes (w, i, kg_vector (0, 0, 1), kg_vector (1, 0, 0));
}

KgGeometry *
scatter_make_points (const Scatter *scatter, const KgGeometry *geometry, const TriangleMesh *rest, uint64_t seed,
                     double spin, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (KgGeometry) points = kg_geometry_new ();
  g_autoptr (GPtrArray) curves = NULL;
  g_autoptr (GArray) carried = NULL;
  const bool parts = scatter->domain != SCATTER_VOLUME;
  Writer w = { .geometry = geometry, .rest = rest, .scatter = scatter, .seed = seed, .spin = spin };

  if (scatter->domain == SCATTER_CURVE) {
    curves = w.curves = read_curves (geometry, monitor, error);
    if (curves == NULL)
      return NULL;
  }
  if (!kg_geometry_set_n_points (points, scatter->n, error))
    return NULL;
  carried = w.carried = parts ? find_carried (geometry, points) : g_array_new (FALSE, FALSE, sizeof (Carried));
  w.p = kg_geometry_get_positions (geometry);
  w.normals = kg_geometry_get_float (geometry, KG_POINTS, "N", 3);
  w.n = parts ? kg_geometry_edit_float (points, KG_POINTS, "N", 3) : NULL;
  w.orient = kg_geometry_edit_float (points, KG_POINTS, "orient", 4);
  w.primitive = parts ? kg_geometry_edit_int (points, KG_POINTS, "primitive", 1) : NULL;
  memcpy (kg_geometry_edit_int (points, KG_POINTS, "id", 1), scatter->id, scatter->n * sizeof *scatter->id);
  w.to = kg_geometry_edit_positions (points);
  for (size_t first = 0; first < scatter->n; first += 16 * BLOCK) {
    const size_t end = MIN (first + 16 * BLOCK, scatter->n);

    if (kg_progress_is_cancelled (monitor))
      return NULL;
#pragma omp parallel for schedule(dynamic, 256)
    for (size_t i = first; i < end; i++) {
      if (scatter->domain == SCATTER_SURFACE)
        write_on_surface (&w, i);
      else if (scatter->domain == SCATTER_CURVE)
        write_on_curve (&w, i);
      else
        write_in_volume (&w, i);
    }
  }
  return g_steal_pointer (&points);
}
