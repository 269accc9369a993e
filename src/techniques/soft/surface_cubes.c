/* surface_cubes: the cubes of a lattice that the surface of a field passes through.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/surface_cubes.h"

#include "kg-floats.h"
#include "soft/surface_memo.h"
#include "soft/surface_octree.h"

/* Of the coarse scan, along the longest side of the box. */
#define SCAN_SAMPLES 48
/* Cancelling is asked for once in so many cells along x. */
#define CANCEL_EVERY 1024

typedef struct {
  SurfaceSampling sampling;
  const PolygonizeOptions *options; /* of the sampling */
  LatticeRange cubes;
  size_t n_samples;
  GArray *found; /* SurfaceCube */
  /* Walking. */
  SurfaceMemo *memo; /* (nullable) */
  LatticeCorners corners;
  LatticeMap seen; /* cubes that no part which is known holds */
  GArray *wave;    /* LatticePlace: those to look into next */
  GArray *entered; /* LatticePlace: cubes behind the faces of known parts */
  size_t n_known;  /* cubes of known parts */
} Search;

/* Adds the cube if the surface passes through it. */
static bool
search_add (Search *search, LatticePlace at, const float values[8])
{
  const float level = (float) search->options->level;
  SurfaceCube cube = { .x = at.x, .y = at.y, .z = at.z };

  for (guint i = 0; i < 8; i++)
    if (values[i] >= level)
      cube.hot |= (guint8) (1u << i);
  if (cube.hot == 0 || cube.hot == 255)
    return false;
  memcpy (cube.values, values, sizeof cube.values);
  g_array_append_val (search->found, cube);
  return true;
}

/* All cubes of the range, layer by layer. */
static bool
search_full (Search *search, GError **error)
{
  const LatticeRange *r = &search->cubes;
  const size_t nx = (size_t) (r->high.x - r->low.x) + 2, ny = (size_t) (r->high.y - r->low.y) + 2, n = nx * ny;
  g_autofree float *places = g_new (float, 3 * n), *below = g_new (float, n), *above = g_new (float, n);

  for (int32_t z = r->low.z; z <= r->high.z + 1; z++) {
    float *const swap = below;

    below = above;
    above = swap;
    for (size_t i = 0; i < n; i++)
      surface_search_fill_place (search->options,
                                 (LatticePlace){ r->low.x + (int32_t) (i % nx), r->low.y + (int32_t) (i / nx), z },
                                 places + 3 * i);
    search->n_samples += n;
    if (!surface_search_sample (&search->sampling, places, n, above, error))
      return false;
    for (size_t i = 0; z > r->low.z && i < (nx - 1) * (ny - 1); i++) {
      const size_t x = i % (nx - 1), y = i / (nx - 1), at = y * nx + x;
      const float values[] = { below[at], below[at + 1], below[at + nx], below[at + nx + 1],
                               above[at], above[at + 1], above[at + nx], above[at + nx + 1] };

      search_add (search, (LatticePlace){ r->low.x + (int32_t) x, r->low.y + (int32_t) y, z - 1 }, values);
    }
    kg_progress_report (search->sampling.monitor, 0.8 * (double) (z - r->low.z) / (double) (r->high.z + 2 - r->low.z));
  }
  return true;
}

static bool
is_hot (Search *search, LatticePlace at)
{
  LatticeCorners *corners = &search->corners;
  const SurfaceSide side = search->memo != NULL ? surface_memo_get_side (search->memo, at) : SURFACE_UNKNOWN;
  uint32_t index;
  bool hot;

  if (side != SURFACE_UNKNOWN)
    return side == SURFACE_HOT;
  index = lattice_corners_ask (corners, search->options, at);
  if (corners->asked->len > 0 && !lattice_corners_answer (corners, &search->sampling, NULL))
    return false; /* cancelled: the next step finds that too */
  hot = g_array_index (corners->values, float, index) >= (float) search->options->level;
  if (search->memo != NULL)
    surface_memo_set_side (search->memo, at, hot);
  return hot;
}

static bool
range_contains (const LatticeRange *range, LatticePlace p)
{
  return p.x >= range->low.x && p.x <= range->high.x && p.y >= range->low.y && p.y <= range->high.y &&
         p.z >= range->low.z && p.z <= range->high.z;
}

/* Adds the known part that the cube belongs to, and looks into the cubes behind it; false: there is none. */
static bool
search_take_part (Search *search, LatticePlace at)
{
  SurfacePart part;

  if (search->memo == NULL || !surface_memo_take_part (search->memo, at, &part))
    return false;
  g_array_append_vals (search->found, part.cubes, part.n_cubes);
  g_array_append_vals (search->entered, part.exits, part.n_exits);
  search->n_known += part.n_cubes;
  return true;
}

/* Appends the cube to the wave if it is within the range and new. */
static void
visit (Search *search, LatticePlace at)
{
  uint32_t ignored;

  for (;;) {
    if (range_contains (&search->cubes, at) && !search_take_part (search, at) &&
        lattice_map_add (&search->seen, lattice_key (at.x, at.y, at.z, 0), 0, &ignored))
      g_array_append_val (search->wave, at);
    if (search->entered->len == 0)
      return;
    at = g_array_index (search->entered, LatticePlace, search->entered->len - 1);
    g_array_set_size (search->entered, search->entered->len - 1);
  }
}

/* From the corner next to a place along +x, until the side of the surface changes: the cube there; from outside, as in a
 * cavity, on to where it is left again. */
static void
visit_from (Search *search, KgVector seed)
{
  const PolygonizeOptions *o = search->options;
  const LatticeRange *r = &search->cubes;
  LatticePlace at = { (int32_t) CLAMP (round ((seed.x - o->origin.x) / o->cell), r->low.x, r->high.x),
                      (int32_t) CLAMP (round ((seed.y - o->origin.y) / o->cell), r->low.y, r->high.y),
                      (int32_t) CLAMP (round ((seed.z - o->origin.z) / o->cell), r->low.z, r->high.z) };
  bool hot = is_hot (search, at);

  for (; at.x <= r->high.x && (at.x % CANCEL_EVERY != 0 || !kg_progress_is_cancelled (search->sampling.monitor));
       at.x++)
    if (is_hot (search, (LatticePlace){ at.x + 1, at.y, at.z }) != hot) {
      visit (search, at);
      if (hot)
        return;
      hot = true;
    }
}

/* Goes on over the surface: through each face with corners on both sides into the next cube. */
static void
visit_neighbours (Search *search, const SurfaceCube *cube)
{
  const LatticePlace at = { cube->x, cube->y, cube->z };
  const guint8 hot = cube->hot;

  for (guint f = 0; f < CUBE_N_FACES; f++)
    if (surface_cubes_leaves_through (hot, f))
      visit (search, surface_cubes_get_neighbour (at, f));
}

/* Walks on from the cubes of the wave until the surface is covered. */
static bool
search_walk_waves (Search *search, GError **error)
{
  g_autoptr (GArray) wave = g_array_new (false, false, sizeof (LatticePlace));
  g_autoptr (GArray) indices = g_array_new (false, false, 8 * sizeof (uint32_t));
  LatticeCorners *corners = &search->corners;

  for (;;) {
    if (surface_search_check_cancelled (&search->sampling, error))
      return false;
    if (search->seen.n + search->n_known > search->options->limit) {
      kg_set_error (error, KG_ERROR_LIMIT,
                    "the surface passes through more than %zu cells: use larger cells, or raise the limit",
                    search->options->limit);
      return false;
    }
    if (search->wave->len == 0)
      return true;
    g_array_set_size (wave, 0);
    g_array_append_vals (wave, search->wave->data, search->wave->len);
    g_array_set_size (search->wave, 0);
    g_array_set_size (indices, wave->len);
    for (guint i = 0; i < wave->len; i++) {
      const LatticePlace at = g_array_index (wave, LatticePlace, i);
      uint32_t *index = (uint32_t *) (void *) (indices->data + (size_t) i * 8 * sizeof (uint32_t));

      for (guint c = 0; c < 8; c++)
        index[c] = lattice_corners_ask (corners, search->options, lattice_place_add (at, 1, c));
    }
    if (!lattice_corners_answer (corners, &search->sampling, error))
      return false;
    for (guint i = 0; i < wave->len; i++) {
      const uint32_t *index = (const uint32_t *) (const void *) (indices->data + (size_t) i * 8 * sizeof (uint32_t));
      SurfaceCube cube;
      float values[8];

      for (guint c = 0; c < 8; c++)
        values[c] = g_array_index (corners->values, float, index[c]);
      if (!search_add (search, g_array_index (wave, LatticePlace, i), values))
        continue;
      cube = g_array_index (search->found, SurfaceCube, search->found->len - 1);
      if (search->memo != NULL)
        surface_memo_add_cube (search->memo, &cube);
      visit_neighbours (search, &cube);
    }
  }
}

/* Which of the places of a scan are inside.  Places that are known from before need no look at the field. */
static bool
search_find_sides (Search *search, const LatticePlace *corners, const float *places, size_t n, bool memo, uint8_t *hot,
                   GError **error)
{
  g_autofree float *values = g_new (float, n), *asked = g_new (float, 3 * n);
  const float level = (float) search->options->level;
  size_t n_asked = 0;

  for (size_t i = 0; i < n; i++) {
    const SurfaceSide side = memo ? surface_memo_get_side (search->memo, corners[i]) : SURFACE_UNKNOWN;

    hot[i] = (uint8_t) side;
    if (side == SURFACE_UNKNOWN)
      memcpy (asked + 3 * n_asked++, places + 3 * i, 3 * sizeof *asked);
  }
  search->n_samples += n_asked;
  if (!surface_search_sample (&search->sampling, asked, n_asked, values, error))
    return false;
  n_asked = 0;
  for (size_t i = 0; i < n; i++) {
    const bool known = hot[i] != SURFACE_UNKNOWN;

    hot[i] = known ? hot[i] == SURFACE_HOT : values[n_asked++] >= level;
    if (!known && memo)
      surface_memo_set_side (search->memo, corners[i], hot[i] != 0);
  }
  return true;
}

/* Where a coarse scan along x changes sides: the seeds of pieces that the field does not name.  least: about how many cubes
 * the surface passes through at least. */
static bool
find_scan_seeds (Search *search, GArray *seeds, double *least, GError **error)
{
  const LatticeRange *r = &search->cubes;
  const int32_t sizes[] = { r->high.x - r->low.x + 2, r->high.y - r->low.y + 2, r->high.z - r->low.z + 2 };
  const int32_t longest = MAX (MAX (sizes[0], sizes[1]), sizes[2]), step = MAX (1, longest / SCAN_SAMPLES);
  const size_t nx = (size_t) ((sizes[0] - 1) / step) + 1, ny = (size_t) ((sizes[1] - 1) / step) + 1;
  const size_t nz = (size_t) ((sizes[2] - 1) / step) + 1, n = nx * ny * nz;
  g_autofree float *places = g_new (float, 3 * n);
  g_autofree LatticePlace *corners = g_new (LatticePlace, n);
  g_autofree uint8_t *hot = g_new (uint8_t, n);

  for (size_t i = 0; i < n; i++) {
    corners[i] = (LatticePlace){ r->low.x + step * (int32_t) (i % nx), r->low.y + step * (int32_t) (i / nx % ny),
                                 r->low.z + step * (int32_t) (i / nx / ny) };
    surface_search_fill_place (search->options, corners[i], places + 3 * i);
  }
  if (!search_find_sides (search, corners, places, n, search->memo != NULL && step <= SURFACE_MEMO_MAX_STEP, hot,
                          error))
    return false;
  for (size_t i = 0; i < n; i++) {
    const bool changes = i % nx > 0 ? hot[i] != hot[i - 1] : hot[i] != 0;
    const size_t from = i % nx > 0 ? i - 1 : i;

    if (changes) {
      const KgVector seed = kg_floats_get_vector (places, from);

      g_array_append_val (seeds, seed);
    }
  }
  *least = (double) seeds->len * step * step;
  return true;
}

static int
compare_cubes (gconstpointer a, gconstpointer b)
{
  const SurfaceCube *p = (const SurfaceCube *) a, *q = (const SurfaceCube *) b;

  return p->z != q->z   ? (p->z > q->z) - (p->z < q->z)
         : p->y != q->y ? (p->y > q->y) - (p->y < q->y)
                        : (p->x > q->x) - (p->x < q->x);
}

static bool
search_walk (Search *search, PolygonizeResult *result, GError **error)
{
  g_autoptr (GArray) seeds = g_array_new (false, false, sizeof (KgVector));
  g_autoptr (GArray) scanned = g_array_new (false, false, sizeof (KgVector));
  double least;
  size_t n_named;

  if (!find_scan_seeds (search, scanned, &least, error))
    return false;
  /* Before memory is taken for them.  A surface of any direction passes through up to three times as many. */
  if (least > (double) search->options->limit) {
    kg_set_error (
        error, KG_ERROR_LIMIT,
        "the surface passes through more than %.3g cells of %g m, and the limit is %zu: use cells of %.3g m, or "
        "raise the limit",
        least, search->options->cell, search->options->limit,
        search->options->cell * sqrt (3.2 * least / (double) search->options->limit));
    return false;
  }
  kg_field_add_seeds (search->sampling.field, seeds);
  for (guint i = 0; i < seeds->len; i++)
    visit_from (search, g_array_index (seeds, KgVector, i));
  if (!search_walk_waves (search, error))
    return false;
  n_named = search->found->len;
  for (guint i = 0; i < scanned->len; i++)
    visit_from (search, g_array_index (scanned, KgVector, i));
  if (!search_walk_waves (search, error))
    return false;
  result->n_missed = search->found->len - n_named;
  search->n_samples += search->corners.values->len;
  g_array_sort (search->found, compare_cubes);
  return true;
}

static bool
search_octree (Search *search, GError **error)
{
  g_autoptr (SurfaceOctree) octree = surface_octree_new (&search->sampling, error);

  if (octree == NULL)
    return false;
  for (guint i = 0; i < surface_octree_get_n_leaves (octree); i++) {
    const OctreeLeaf leaf = surface_octree_get_leaf (octree, i);
    float values[8];

    if (leaf.size > 1 || leaf.hot == 0 || leaf.hot == 255)
      continue;
    surface_octree_get_values (octree, i, values);
    search_add (search, leaf.low, values);
  }
  search->n_samples += surface_octree_get_n_samples (octree);
  return true;
}

/* Whether so few cubes are in the box that all of them can be looked into. */
static bool
check_full (const Search *search, GError **error)
{
  const LatticeRange *r = &search->cubes;
  const PolygonizeOptions *o = search->options;
  const double n_cubes = ((double) r->high.x - r->low.x + 1) * ((double) r->high.y - r->low.y + 1) *
                         ((double) r->high.z - r->low.z + 1);

  if (n_cubes <= (double) o->limit)
    return true;
  kg_set_error (
      error, KG_ERROR_LIMIT,
      "the box holds %.4g cells of %g m, more than %zu: use cells of %.3g m, walk over the surface, or raise the limit",
      n_cubes, o->cell, o->limit, 1.01 * o->cell * cbrt (n_cubes / (double) o->limit));
  return false;
}

static void
search_clear (Search *search)
{
  lattice_corners_clear (&search->corners);
  lattice_map_clear (&search->seen);
  g_clear_pointer (&search->found, g_array_unref);
  g_clear_pointer (&search->wave, g_array_unref);
  g_clear_pointer (&search->entered, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

GArray *
surface_cubes_find (const SurfaceSampling *sampling, SurfaceMemo *memo, PolygonizeResult *result, GError **error)
{
  const PolygonizeOptions *options = sampling->options;
  g_auto (Search) search = { .sampling = *sampling,
                             .options = options,
                             .memo = memo,
                             .found = g_array_new (false, false, sizeof (SurfaceCube)),
                             .wave = g_array_new (false, false, sizeof (LatticePlace)),
                             .entered = g_array_new (false, false, sizeof (LatticePlace)) };

  lattice_corners_init (&search.corners);
  if (!surface_search_get_range (options, 2, &search.cubes, error))
    return NULL;
  if (options->method == POLYGONIZE_WALK     ? !search_walk (&search, result, error)
      : options->method == POLYGONIZE_OCTREE ? !search_octree (&search, error)
                                             : !check_full (&search, error) || !search_full (&search, error))
    return NULL;
  result->n_samples = search.n_samples;
  return g_steal_pointer (&search.found);
}
