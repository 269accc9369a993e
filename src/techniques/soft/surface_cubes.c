/* surface_cubes: the cubes of a lattice that the surface of a field passes through.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/surface_cubes.h"

#include "soft/surface_memo.h"
#include "soft/surface_octree.h"
#include "soft/surface_walk.h"

typedef struct {
  SurfaceSampling sampling;
  const PolygonizeOptions *options; /* of the sampling */
  LatticeRange cubes;
  size_t n_samples;
  GArray *found;     /* SurfaceCube */
  SurfaceMemo *memo; /* (nullable) */
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

/* The blocks of the lattice that the range touches, and which of them have to be looked into. */
typedef struct {
  LatticePlace low; /* of the first block */
  int32_t counts[3];
  uint8_t *fresh; /* (nullable) of all blocks in the order of z, y, x; NULL: all of them are */
} Blocks;

static int32_t
get_block_start (int32_t at)
{
  const int32_t within = at % SURFACE_MEMO_SIDE;

  return at - (within < 0 ? within + SURFACE_MEMO_SIDE : within);
}

/* The number of the block along an axis that a cell is in. */
static int32_t
get_block_number (int32_t low, int32_t cell)
{
  return (cell - low) / SURFACE_MEMO_SIDE;
}

static size_t
blocks_get_row (const Blocks *blocks, int32_t y, int32_t z)
{
  return (size_t) (z * blocks->counts[1] + y) * (size_t) blocks->counts[0];
}

/* Takes the cubes of blocks that are known, and promises to look into the others. */
static Blocks
search_take_blocks (Search *search)
{
  const LatticeRange *r = &search->cubes;
  Blocks blocks = { .low = { get_block_start (r->low.x), get_block_start (r->low.y), get_block_start (r->low.z) } };
  size_t n;

  if (search->memo == NULL)
    return blocks;
  blocks.counts[0] = get_block_number (blocks.low.x, r->high.x) + 1;
  blocks.counts[1] = get_block_number (blocks.low.y, r->high.y) + 1;
  blocks.counts[2] = get_block_number (blocks.low.z, r->high.z) + 1;
  n = (size_t) blocks.counts[0] * (size_t) blocks.counts[1] * (size_t) blocks.counts[2];
  blocks.fresh = g_new (uint8_t, n);
  for (size_t i = 0; i < n; i++) {
    const size_t nx = (size_t) blocks.counts[0], ny = (size_t) blocks.counts[1];
    const LatticePlace cell = { blocks.low.x + SURFACE_MEMO_SIDE * (int32_t) (i % nx),
                                blocks.low.y + SURFACE_MEMO_SIDE * (int32_t) (i / nx % ny),
                                blocks.low.z + SURFACE_MEMO_SIDE * (int32_t) (i / nx / ny) };

    blocks.fresh[i] = !surface_memo_take_block (search->memo, cell, search->found);
    if (blocks.fresh[i])
      surface_memo_complete_block (search->memo, cell);
  }
  return blocks;
}

/* Whether each corner of a row belongs to a cell that has to be looked into. */
static void
blocks_mark_row (const Blocks *blocks, const LatticeRange *r, int32_t y, int32_t z, uint8_t *wanted)
{
  const size_t n = (size_t) (r->high.x - r->low.x) + 2;

  memset (wanted, blocks->fresh == NULL, n);
  for (int i = 0; blocks->fresh != NULL && i < 4; i++) {
    const int32_t cell_y = y - (i & 1), cell_z = z - (i >> 1);
    const uint8_t *row;

    if (cell_y < r->low.y || cell_y > r->high.y || cell_z < r->low.z || cell_z > r->high.z)
      continue;
    row = blocks->fresh +
          blocks_get_row (blocks, get_block_number (blocks->low.y, cell_y), get_block_number (blocks->low.z, cell_z));
    for (size_t x = 0; x + 1 < n; x++)
      if (row[get_block_number (blocks->low.x, r->low.x + (int32_t) x)])
        wanted[x] = wanted[x + 1] = 1;
  }
}

static int
compare_cubes (gconstpointer a, gconstpointer b)
{
  const SurfaceCube *p = (const SurfaceCube *) a, *q = (const SurfaceCube *) b;

  return lattice_place_compare ((LatticePlace){ p->x, p->y, p->z }, (LatticePlace){ q->x, q->y, q->z });
}

/* The values at the corners of a layer that are wanted. */
static bool
search_sample_layer (Search *search, const Blocks *blocks, int32_t z, float *places, uint8_t *wanted, float *sampled,
                     float *values, GError **error)
{
  const LatticeRange *r = &search->cubes;
  const size_t nx = (size_t) (r->high.x - r->low.x) + 2, ny = (size_t) (r->high.y - r->low.y) + 2;
  size_t n = 0;

  for (size_t y = 0; y < ny; y++) {
    blocks_mark_row (blocks, r, r->low.y + (int32_t) y, z, wanted + y * nx);
    for (size_t x = 0; x < nx; x++)
      if (wanted[y * nx + x])
        surface_search_fill_place (search->options, (LatticePlace){ r->low.x + (int32_t) x, r->low.y + (int32_t) y, z },
                                   places + 3 * n++);
  }
  search->n_samples += n;
  if (n == nx * ny)
    return surface_search_sample (&search->sampling, places, n, values, error);
  if (!surface_search_sample (&search->sampling, places, n, sampled, error))
    return false;
  for (size_t i = 0, next = 0; i < nx * ny; i++)
    values[i] = wanted[i] ? sampled[next++] : 0;
  return true;
}

/* The cubes of a row between two layers, from its first corner on. */
static void
search_add_row (Search *search, const Blocks *blocks, int32_t y, int32_t z, const float *below, const float *above)
{
  const LatticeRange *r = &search->cubes;
  const size_t nx = (size_t) (r->high.x - r->low.x) + 2;
  const uint8_t *fresh = blocks->fresh == NULL
                             ? NULL
                             : blocks->fresh + blocks_get_row (blocks, get_block_number (blocks->low.y, y),
                                                               get_block_number (blocks->low.z, z));

  for (size_t x = 0; x + 1 < nx; x++) {
    const LatticePlace at = { r->low.x + (int32_t) x, y, z };
    const float values[] = { below[x], below[x + 1], below[x + nx], below[x + nx + 1],
                             above[x], above[x + 1], above[x + nx], above[x + nx + 1] };

    if ((fresh == NULL || fresh[get_block_number (blocks->low.x, at.x)]) && search_add (search, at, values) &&
        search->memo != NULL)
      surface_memo_add_cube (search->memo, &g_array_index (search->found, SurfaceCube, search->found->len - 1));
  }
}

/* All cubes of the range, layer by layer. */
static bool
search_full (Search *search, GError **error)
{
  const LatticeRange *r = &search->cubes;
  const size_t nx = (size_t) (r->high.x - r->low.x) + 2, ny = (size_t) (r->high.y - r->low.y) + 2, n = nx * ny;
  g_autofree float *places = g_new (float, 3 * n), *below = g_new (float, n), *above = g_new (float, n);
  g_autofree float *sampled = g_new (float, n);
  g_autofree uint8_t *wanted = g_new (uint8_t, n), *fresh = NULL;
  const Blocks blocks = search_take_blocks (search);
  const guint n_known = search->found->len;

  fresh = blocks.fresh;
  for (int32_t z = r->low.z; z <= r->high.z + 1; z++) {
    float *const swap = below;

    below = above;
    above = swap;
    if (!search_sample_layer (search, &blocks, z, places, wanted, sampled, above, error))
      return false;
    for (size_t y = 0; z > r->low.z && y + 1 < ny; y++)
      search_add_row (search, &blocks, r->low.y + (int32_t) y, z - 1, below + y * nx, above + y * nx);
    kg_progress_report (search->sampling.monitor, 0.8 * (double) (z - r->low.z) / (double) (r->high.z + 2 - r->low.z));
  }
  if (n_known > 0)
    g_array_sort (search->found, compare_cubes);
  return true;
}

static bool
search_octree (Search *search, GError **error)
{
  g_autoptr (SurfaceOctree) octree = surface_octree_new (&search->sampling, search->memo, error);

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
  g_clear_pointer (&search->found, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

GArray *
surface_cubes_find (const SurfaceSampling *sampling, SurfaceMemo *memo, PolygonizeResult *result, GError **error)
{
  const PolygonizeOptions *options = sampling->options;
  g_auto (Search) search = {
    .sampling = *sampling, .options = options, .memo = memo, .found = g_array_new (false, false, sizeof (SurfaceCube))
  };

  if (!surface_search_get_range (options, 2, &search.cubes, error))
    return NULL;
  if (options->method == POLYGONIZE_WALK)
    return surface_walk (sampling, &search.cubes, memo, result, error);
  if (options->method == POLYGONIZE_OCTREE ? !search_octree (&search, error)
                                           : !check_full (&search, error) || !search_full (&search, error))
    return NULL;
  result->n_samples = search.n_samples;
  return g_steal_pointer (&search.found);
}
