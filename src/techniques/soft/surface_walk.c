/* surface_walk: the cubes of a surface, found by walking over it from seeds.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/surface_walk.h"

#include "kg-kernel.h"
#include "soft/surface_memo.h"

#include <omp.h>

/* Most samples of the coarse scan along the longest side of the box. */
#define SCAN_SAMPLES 48
/* Of a patch along each axis: a power of two. */
#define SIDE SURFACE_MEMO_PATCH_SIDE
#define N_CORNERS SURFACE_MEMO_PATCH_SIZE
#define NOTHING UINT32_MAX
/* Cancelling is asked for once in so many cells along an axis. */
#define CANCEL_EVERY 1024

/* Cells of a patch, bit x + 4 y + 16 z, that are the last along an axis. */
static const uint64_t last_cells[3] = { 0x8888888888888888, 0xf000f000f000f000, 0xffff000000000000 };
static const guint strides[3] = { 1, SIDE, SIDE *SIDE };

typedef struct {
  LatticePlace at;   /* in patches */
  uint32_t links[8]; /* those at +x, +y, +z by the bits 1, 2, 4; NOTHING: not asked for yet */
  enum { PATCH_NEW, PATCH_ASKED, PATCH_KNOWN } state;
  bool queued;
  uint64_t within;  /* cells of the range */
  uint64_t hot;     /* corners */
  uint64_t entered; /* cells to look into */
  uint64_t done;    /* that were looked into */
  uint64_t mixed;   /* among these, that the surface passes through */
  float values[N_CORNERS];
} Patch;

typedef struct {
  const SurfaceSampling *sampling;
  SurfaceMemo *memo; /* (nullable) */
  LatticeRange range;
  LatticeMap map;  /* of patches */
  GArray *patches; /* Patch */
  GArray *queue;   /* uint32_t: patches with cells to look into */
  GArray *asked;   /* uint32_t: patches to sample */
  uint64_t last_key;
  uint32_t last; /* found last, as one asks for its neighbours next */
  size_t n_samples, n_seen, n_mixed;
} Walk;

static void
walk_clear (Walk *walk)
{
  lattice_map_clear (&walk->map);
  g_clear_pointer (&walk->patches, g_array_unref);
  g_clear_pointer (&walk->queue, g_array_unref);
  g_clear_pointer (&walk->asked, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

static Patch *
walk_get (const Walk *walk, uint32_t index)
{
  return &g_array_index (walk->patches, Patch, index);
}

static int32_t
get_patch (int32_t at)
{
  return (at - (at & (SIDE - 1))) / SIDE;
}

static guint
get_corner (LatticePlace at)
{
  return (guint) (at.x & (SIDE - 1)) + SIDE * (guint) (at.y & (SIDE - 1)) + SIDE * SIDE * (guint) (at.z & (SIDE - 1));
}

/* The cells of a patch that lie within a range along one axis, which begins and ends at cells counted from the patch. */
static uint64_t
get_slab (guint axis, int32_t low, int32_t high)
{
  uint64_t first = ~(last_cells[axis] | last_cells[axis] >> strides[axis] | last_cells[axis] >> 2 * strides[axis]);
  uint64_t cells = 0;

  for (int32_t i = MAX (low, 0); i <= MIN (high, SIDE - 1); i++)
    cells |= first << (guint) i * strides[axis];
  return cells;
}

static uint32_t
walk_find (Walk *walk, LatticePlace at)
{
  const uint64_t key = lattice_key (at.x, at.y, at.z, 0);
  const LatticeRange *r = &walk->range;

  if (key != walk->last_key && lattice_map_add (&walk->map, key, walk->patches->len, &walk->last)) {
    Patch *patch;

    g_array_set_size (walk->patches, walk->patches->len + 1);
    patch = walk_get (walk, walk->last);
    patch->at = at;
    memset (patch->links, 0xff, sizeof patch->links);
    patch->links[0] = walk->last;
    patch->state = PATCH_NEW;
    patch->queued = false;
    patch->within = get_slab (0, r->low.x - SIDE * at.x, r->high.x - SIDE * at.x) &
                    get_slab (1, r->low.y - SIDE * at.y, r->high.y - SIDE * at.y) &
                    get_slab (2, r->low.z - SIDE * at.z, r->high.z - SIDE * at.z);
    patch->hot = patch->entered = patch->done = patch->mixed = 0;
  }
  walk->last_key = key;
  return walk->last;
}

/* The patch beyond one along the axes whose bits are set. */
static uint32_t
walk_follow (Walk *walk, uint32_t index, guint along)
{
  const Patch *patch = walk_get (walk, index);
  uint32_t found = patch->links[along];

  if (found == NOTHING) {
    found = walk_find (walk, lattice_place_add (patch->at, 1, along));
    walk_get (walk, index)->links[along] = found; /* patches may have moved */
  }
  return found;
}

static void
walk_ask (Walk *walk, uint32_t index)
{
  Patch *patch = walk_get (walk, index);

  if (patch->state != PATCH_NEW)
    return;
  patch->state = PATCH_ASKED;
  g_array_append_val (walk->asked, index);
}

/* Its values are there. */
static void
patch_know (Patch *patch, float level)
{
  patch->state = PATCH_KNOWN;
  for (guint i = 0; i < N_CORNERS; i++)
    patch->hot |= (uint64_t) (patch->values[i] >= level) << i;
}

static LatticePlace
get_low (const Patch *patch)
{
  return (LatticePlace){ SIDE * patch->at.x, SIDE * patch->at.y, SIDE * patch->at.z };
}

/* The places of the corners of a patch. */
static void
fill_places (const PolygonizeOptions *o, LatticePlace low, float *restrict x, float *restrict y, float *restrict z)
{
  float ends[3][SIDE];

  for (int32_t i = 0; i < SIDE; i++) {
    const KgVector at = surface_cubes_get_corner (o, low.x + i, low.y + i, low.z + i);

    ends[0][i] = (float) at.x;
    ends[1][i] = (float) at.y;
    ends[2][i] = (float) at.z;
  }
  for (guint c = 0; c < N_CORNERS; c++) {
    x[c] = ends[0][c % SIDE];
    y[c] = ends[1][c / SIDE % SIDE];
    z[c] = ends[2][c / SIDE / SIDE];
  }
}

#define PATCHES_AT_ONCE (KG_FIELD_BLOCK / N_CORNERS)

/* Samples up to PATCHES_AT_ONCE patches. */
static void
walk_sample (const Walk *walk, const uint32_t *indices, size_t n)
{
  const SurfaceSampling *sampling = walk->sampling;
  float x[KG_FIELD_BLOCK], y[KG_FIELD_BLOCK], z[KG_FIELD_BLOCK], values[KG_FIELD_BLOCK], *to = values;
  const KgFieldBlock block = { .n = n * N_CORNERS, .x = x, .y = y, .z = z, .time = sampling->options->time };

  for (size_t i = 0; i < n; i++)
    fill_places (sampling->options, get_low (walk_get (walk, indices[i])), x + i * N_CORNERS, y + i * N_CORNERS,
                 z + i * N_CORNERS);
  kg_field_sample (sampling->field, &block, &to);
  for (size_t i = 0; i < n; i++) {
    Patch *patch = walk_get (walk, indices[i]);

    memcpy (patch->values, values + i * N_CORNERS, sizeof patch->values);
    patch_know (patch, (float) sampling->options->level);
  }
}

/* Samples the patches that were asked for.  KG_ERROR_CANCELLED. */
static bool
walk_answer (Walk *walk, GError **error)
{
  /* Between two looks whether to stop. */
  const size_t most = (size_t) omp_get_max_threads () * 4 * PATCHES_AT_ONCE;
  uint32_t *asked = (uint32_t *) (void *) walk->asked->data;
  size_t n = 0;

  for (guint i = 0; i < walk->asked->len; i++) {
    Patch *patch = walk_get (walk, asked[i]);

    if (walk->memo != NULL && surface_memo_find_patch (walk->memo, get_low (patch), patch->values))
      patch_know (patch, (float) walk->sampling->options->level);
    else
      asked[n++] = asked[i];
  }
  for (size_t from = 0; from < n; from += most) {
    const size_t count = MIN (n - from, most);

    if (surface_search_check_cancelled (walk->sampling, error))
      return false;
    KG_PARALLEL (count, PATCHES_AT_ONCE, count > PATCHES_AT_ONCE,
                 walk_sample (walk, asked + from + first, end - first));
  }
  for (size_t i = 0; walk->memo != NULL && i < n; i++) {
    const Patch *patch = walk_get (walk, asked[i]);

    surface_memo_add_patch (walk->memo, get_low (patch), patch->values);
  }
  walk->n_samples += n * N_CORNERS;
  g_array_set_size (walk->asked, 0);
  return true;
}

/* Corners one further along an axis: those of the patch, and of the one beyond it. */
static uint64_t
shift (uint64_t corners, uint64_t beyond, guint axis)
{
  const guint stride = strides[axis];

  return (corners & ~(last_cells[axis] >> (SIDE - 1) * stride)) >> stride |
         (beyond << (SIDE - 1) * stride & last_cells[axis]);
}

/* Of each corner of the cells of a patch the bits of those cells where it is hot; sides: corners of the patch and of those
 * beyond it, 0 where they are not known. */
static void
find_corners (const uint64_t sides[8], uint64_t corners[8])
{
  uint64_t by_x[8], by_y[8]; /* bit 1, then 2 too: moved by a cell along that axis, not by a patch */

  for (guint i = 0; i < 8; i += 2) {
    by_x[i] = sides[i];
    by_x[i + 1] = shift (sides[i], sides[i + 1], 0);
  }
  for (guint i = 0; i < 8; i++)
    by_y[i] = (i & 2) == 0 ? by_x[i] : shift (by_x[i - 2], by_x[i], 1);
  for (guint i = 0; i < 8; i++)
    corners[i] = (i & 4) == 0 ? by_y[i] : shift (by_y[i - 4], by_y[i], 2);
}

static void
walk_queue (Walk *walk, uint32_t index)
{
  Patch *patch = walk_get (walk, index);

  patch->entered &= patch->within;
  if (patch->queued || (patch->entered & ~patch->done) == 0)
    return;
  patch->queued = true;
  g_array_append_val (walk->queue, index);
}

/* To the cells behind one face of some of a patch, which the surface crosses. */
static void
walk_enter (Walk *walk, uint32_t index, uint64_t cells, guint axis, bool up)
{
  const guint stride = strides[axis], whole = (SIDE - 1) * stride;
  Patch *patch = walk_get (walk, index);
  const uint64_t border = up ? last_cells[axis] : last_cells[axis] >> whole;
  const uint64_t leaving = cells & border, staying = cells & ~border;
  LatticePlace at = patch->at;
  uint32_t next;

  patch->entered |= (up ? staying << stride : staying >> stride) & patch->within;
  if (leaving == 0)
    return;
  if (up) {
    next = walk_follow (walk, index, 1u << axis);
  } else {
    *(axis == 0 ? &at.x : axis == 1 ? &at.y : &at.z) -= 1;
    next = walk_find (walk, at);
  }
  walk_get (walk, next)->entered |= up ? leaving >> whole : leaving << whole;
  walk_queue (walk, next);
}

/* The cells all of whose corners are known, and asks for the patches that the others among todo need. */
static uint64_t
walk_get_ready (Walk *walk, uint32_t index, uint64_t todo, uint64_t sides[8])
{
  uint64_t ready = UINT64_MAX;

  for (guint i = 0; i < 8; i++) {
    uint64_t needing = UINT64_MAX;
    uint32_t other;

    for (guint axis = 0; axis < 3; axis++)
      if ((i >> axis & 1) != 0)
        needing &= last_cells[axis];
    sides[i] = 0;
    if ((needing & todo) == 0) {
      ready &= ~needing;
      continue;
    }
    other = walk_follow (walk, index, i);
    if (walk_get (walk, other)->state == PATCH_KNOWN) {
      sides[i] = walk_get (walk, other)->hot;
      continue;
    }
    walk_ask (walk, other);
    ready &= ~needing;
  }
  return ready;
}

/* Looks into cells of a patch, and goes on over the surface within it, until it has to wait for corners or ends. */
static void
walk_go_on (Walk *walk, uint32_t index)
{
  for (;;) {
    Patch *patch = walk_get (walk, index);
    const uint64_t todo = patch->entered & patch->within & ~patch->done;
    uint64_t sides[8], corners[8], now, mixed;

    if (todo == 0)
      return;
    now = todo & walk_get_ready (walk, index, todo, sides);
    if (now == 0) {
      walk_queue (walk, index);
      return;
    }
    find_corners (sides, corners);
    mixed = now &
            (corners[0] | corners[1] | corners[2] | corners[3] | corners[4] | corners[5] | corners[6] | corners[7]) &
            ~(corners[0] & corners[1] & corners[2] & corners[3] & corners[4] & corners[5] & corners[6] & corners[7]);
    patch = walk_get (walk, index);
    patch->done |= now;
    patch->mixed |= mixed;
    walk->n_seen += (guint) __builtin_popcountll (now);
    walk->n_mixed += (guint) __builtin_popcountll (mixed);
    for (guint face = 0; mixed != 0 && face < CUBE_N_FACES; face++) {
      const guint8 *c = cube_faces[face];
      const uint64_t any = corners[c[0]] | corners[c[1]] | corners[c[2]] | corners[c[3]];
      const uint64_t all = corners[c[0]] & corners[c[1]] & corners[c[2]] & corners[c[3]];

      walk_enter (walk, index, mixed & any & ~all, face / 2, face % 2 != 0);
    }
  }
}

/* Until the surface is covered. */
static bool
walk_on (Walk *walk, GError **error)
{
  const size_t limit = walk->sampling->options->limit;
  g_autoptr (GArray) wave = g_array_new (false, false, sizeof (uint32_t));

  while (walk->queue->len > 0) {
    if (surface_search_check_cancelled (walk->sampling, error) || !walk_answer (walk, error))
      return false;
    g_array_set_size (wave, 0);
    g_array_append_vals (wave, walk->queue->data, walk->queue->len);
    g_array_set_size (walk->queue, 0);
    for (guint i = 0; i < wave->len; i++) {
      const uint32_t index = g_array_index (wave, uint32_t, i);

      walk_get (walk, index)->queued = false;
      walk_go_on (walk, index);
    }
    if (walk->n_seen > limit) {
      kg_set_error (error, KG_ERROR_LIMIT,
                    "the surface passes through more than %zu cells: use larger cells, or raise the limit", limit);
      return false;
    }
  }
  return true;
}

static bool
walk_is_hot (Walk *walk, LatticePlace at)
{
  const uint32_t index = walk_find (walk, (LatticePlace){ get_patch (at.x), get_patch (at.y), get_patch (at.z) });

  if (walk_get (walk, index)->state != PATCH_KNOWN) {
    walk_ask (walk, index);
    if (!walk_answer (walk, NULL))
      return false; /* cancelled: the next step finds that too */
  }
  return (walk_get (walk, index)->hot >> get_corner (at) & 1) != 0;
}

static void
walk_visit (Walk *walk, LatticePlace cell)
{
  const LatticePlace at = { get_patch (cell.x), get_patch (cell.y), get_patch (cell.z) };
  const uint32_t index = walk_find (walk, at);

  walk_get (walk, index)->entered |= (uint64_t) 1 << get_corner (cell);
  walk_queue (walk, index);
}

/* Along an axis up or down from a corner, until the side of the surface changes: the cube there; from outside, as in a cavity,
 * on to where it is left again.  False: it does not change up to the end of the box. */
static bool
walk_along (Walk *walk, LatticePlace at, guint axis, int32_t step)
{
  const LatticeRange *r = &walk->range;
  int32_t *const along = axis == 0 ? &at.x : axis == 1 ? &at.y : &at.z;
  const int32_t low = axis == 0 ? r->low.x : axis == 1 ? r->low.y : r->low.z;
  const int32_t high = axis == 0 ? r->high.x : axis == 1 ? r->high.y : r->high.z;
  bool hot = walk_is_hot (walk, at), found = false;

  while ((step > 0 ? *along <= high : *along > low) &&
         (*along % CANCEL_EVERY != 0 || !kg_progress_is_cancelled (walk->sampling->monitor))) {
    const LatticePlace before = at;

    *along += step;
    if (walk_is_hot (walk, at) == hot)
      continue;
    /* Cubes are named by their lower corner. */
    walk_visit (walk, step > 0 ? before : at);
    found = true;
    if (hot)
      break;
    hot = true;
  }
  return found;
}

/* From a corner to the surface; along +x, unless there is none that way. */
static void
walk_from (Walk *walk, LatticePlace at)
{
  bool done = false;

  for (guint way = 0; way < 6 && !done; way++)
    done = walk_along (walk, at, way / 2, way % 2 == 0 ? 1 : -1);
}

/* The corner next to a place, within the range. */
static LatticePlace
get_nearest (const Walk *walk, KgVector seed)
{
  const PolygonizeOptions *o = walk->sampling->options;
  const LatticeRange *r = &walk->range;

  return (LatticePlace){ (int32_t) CLAMP (round ((seed.x - o->origin.x) / o->cell), r->low.x, r->high.x),
                         (int32_t) CLAMP (round ((seed.y - o->origin.y) / o->cell), r->low.y, r->high.y),
                         (int32_t) CLAMP (round ((seed.z - o->origin.z) / o->cell), r->low.z, r->high.z) };
}

/* Which of the places of a scan are inside.  Places that are known from before need no look at the field. */
static bool
find_sides (Walk *walk, const LatticePlace *corners, size_t n, bool memo, uint8_t *hot, GError **error)
{
  const PolygonizeOptions *o = walk->sampling->options;
  g_autofree float *values = g_new (float, n), *asked = g_new (float, 3 * n);
  size_t n_asked = 0;

  for (size_t i = 0; i < n; i++) {
    const SurfaceSide side = memo ? surface_memo_get_side (walk->memo, corners[i]) : SURFACE_UNKNOWN;

    hot[i] = (uint8_t) side;
    if (side == SURFACE_UNKNOWN)
      surface_search_fill_place (o, corners[i], asked + 3 * n_asked++);
  }
  walk->n_samples += n_asked;
  if (!surface_search_sample (walk->sampling, asked, n_asked, values, error))
    return false;
  n_asked = 0;
  for (size_t i = 0; i < n; i++) {
    const bool known = hot[i] != SURFACE_UNKNOWN;

    hot[i] = known ? hot[i] == SURFACE_HOT : values[n_asked++] >= (float) o->level;
    if (!known && memo)
      surface_memo_set_side (walk->memo, corners[i], hot[i] != 0);
  }
  return true;
}

/* Where a coarse scan along x changes sides: the seeds of pieces that the field does not name.  least: about how many cubes
 * the surface passes through at least. */
static bool
find_scan_seeds (Walk *walk, GArray *seeds, double *least, GError **error)
{
  const LatticeRange *r = &walk->range;
  const int32_t sizes[] = { r->high.x - r->low.x + 2, r->high.y - r->low.y + 2, r->high.z - r->low.z + 2 };
  const int32_t longest = MAX (MAX (sizes[0], sizes[1]), sizes[2]);
  const int32_t step = (longest + SCAN_SAMPLES - 1) / SCAN_SAMPLES;
  const size_t nx = (size_t) ((sizes[0] - 1) / step) + 1, ny = (size_t) ((sizes[1] - 1) / step) + 1;
  const size_t nz = (size_t) ((sizes[2] - 1) / step) + 1, n = nx * ny * nz;
  g_autofree LatticePlace *corners = g_new (LatticePlace, n);
  g_autofree uint8_t *hot = g_new (uint8_t, n);

  for (size_t i = 0; i < n; i++)
    corners[i] = (LatticePlace){ r->low.x + step * (int32_t) (i % nx), r->low.y + step * (int32_t) (i / nx % ny),
                                 r->low.z + step * (int32_t) (i / nx / ny) };
  if (!find_sides (walk, corners, n, walk->memo != NULL && step <= SURFACE_MEMO_MAX_STEP, hot, error))
    return false;
  for (size_t i = 0; i < n; i++) {
    const bool changes = i % nx > 0 ? hot[i] != hot[i - 1] : hot[i] != 0;
    const LatticePlace from = corners[i % nx > 0 ? i - 1 : i];

    if (changes)
      g_array_append_val (seeds, from);
  }
  *least = (double) seeds->len * step * step;
  return true;
}

static int
compare_patches (gconstpointer a, gconstpointer b)
{
  return lattice_place_compare ((*(const Patch *const *) a)->at, (*(const Patch *const *) b)->at);
}

/* Of each cell of a patch the patches beyond, by the bits of links, that hold its corners, and their bits there. */
typedef struct {
  guint8 beyond[N_CORNERS][8], bit[N_CORNERS][8];
} CellCorners;

static void
cell_corners_fill (CellCorners *corners)
{
  for (guint cell = 0; cell < N_CORNERS; cell++)
    for (guint c = 0; c < 8; c++) {
      const guint x = cell % SIDE + (c & 1), y = cell / SIDE % SIDE + (c >> 1 & 1), z = cell / SIDE / SIDE + (c >> 2);

      corners->beyond[cell][c] = (guint8) (x / SIDE | y / SIDE << 1 | z / SIDE << 2);
      corners->bit[cell][c] = (guint8) (x % SIDE + SIDE * (y % SIDE) + SIDE * SIDE * (z % SIDE));
    }
}

/* The cubes of one layer z and row y of cells in a row of patches. */
static size_t
add_row (const Walk *walk, const CellCorners *corners, const Patch *const *row, size_t n, guint y, guint z,
         SurfaceCube *cubes)
{
  const guint start = SIDE * y + SIDE * SIDE * z;
  size_t n_cubes = 0;

  for (size_t i = 0; i < n; i++) {
    const Patch *patch = row[i];
    guint cells = (guint) (patch->mixed >> start) & ((1u << SIDE) - 1);

    for (; cells != 0; cells &= cells - 1) {
      const guint x = (guint) __builtin_ctz (cells);
      SurfaceCube *cube = &cubes[n_cubes++];

      cube->x = SIDE * patch->at.x + (int32_t) x;
      cube->y = SIDE * patch->at.y + (int32_t) y;
      cube->z = SIDE * patch->at.z + (int32_t) z;
      cube->hot = 0;
      for (guint c = 0; c < 8; c++) {
        const guint beyond = corners->beyond[start + x][c], bit = corners->bit[start + x][c];
        const Patch *of = beyond == 0 ? patch : walk_get (walk, patch->links[beyond]);

        cube->values[c] = of->values[bit];
        cube->hot |= (guint8) ((of->hot >> bit & 1) << c);
      }
    }
  }
  return n_cubes;
}

/* The cubes of the patches that share their z, in the order of z, y, x. */
static void
add_slab (const Walk *walk, const CellCorners *corners, const Patch *const *patches, size_t n, SurfaceCube *cubes)
{
  for (guint z = 0; z < SIDE; z++)
    for (size_t first = 0, end; first < n; first = end) {
      for (end = first + 1; end < n && patches[end]->at.y == patches[first]->at.y;)
        end++;
      for (guint y = 0; y < SIDE; y++)
        cubes += add_row (walk, corners, patches + first, end - first, y, z, cubes);
    }
}

/* (element-type SurfaceCube) (transfer full) */
static GArray *
walk_get_cubes (const Walk *walk)
{
  GArray *cubes = g_array_sized_new (false, false, sizeof (SurfaceCube), (guint) MAX (walk->n_mixed, 1));
  SurfaceCube *to = (SurfaceCube *) (void *) cubes->data;
  g_autofree const Patch **patches = g_new (const Patch *, MAX ((size_t) walk->patches->len, 1));
  g_autofree size_t *starts = NULL, *first_cubes = NULL; /* of slabs */
  size_t n = 0, n_slabs = 0, n_cubes = 0;
  CellCorners corners;

  g_array_set_size (cubes, (guint) walk->n_mixed);
  for (guint i = 0; i < walk->patches->len; i++)
    if (walk_get (walk, i)->mixed != 0)
      patches[n++] = walk_get (walk, i);
  qsort (patches, n, sizeof *patches, compare_patches);
  starts = g_new (size_t, n + 1);
  first_cubes = g_new (size_t, n + 1);
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || patches[i]->at.z != patches[i - 1]->at.z) {
      starts[n_slabs] = i;
      first_cubes[n_slabs++] = n_cubes;
    }
    n_cubes += (size_t) __builtin_popcountll (patches[i]->mixed);
  }
  starts[n_slabs] = n;
  cell_corners_fill (&corners);
#pragma omp parallel for schedule(dynamic) if (n_cubes > KG_PARALLEL_FROM)
  for (size_t s = 0; s < n_slabs; s++)
    add_slab (walk, &corners, patches + starts[s], starts[s + 1] - starts[s], to + first_cubes[s]);
  return cubes;
}

GArray *
surface_walk (const SurfaceSampling *sampling, const LatticeRange *range, SurfaceMemo *memo, PolygonizeResult *result,
              GError **error)
{
  const PolygonizeOptions *o = sampling->options;
  g_auto (Walk) walk = { .sampling = sampling,
                         .memo = memo,
                         .range = *range,
                         .patches = g_array_new (false, false, sizeof (Patch)),
                         .queue = g_array_new (false, false, sizeof (uint32_t)),
                         .asked = g_array_new (false, false, sizeof (uint32_t)),
                         .last_key = UINT64_MAX };
  g_autoptr (GArray) seeds = g_array_new (false, false, sizeof (KgVector));
  g_autoptr (GArray) scanned = g_array_new (false, false, sizeof (LatticePlace));
  double least;
  size_t n_named;

  if (!find_scan_seeds (&walk, scanned, &least, error))
    return NULL;
  /* Before memory is taken for them.  A surface of any direction passes through up to three times as many. */
  if (least > (double) o->limit) {
    kg_set_error (
        error, KG_ERROR_LIMIT,
        "the surface passes through more than %.3g cells of %g m, and the limit is %zu: use cells of %.3g m, or "
        "raise the limit",
        least, o->cell, o->limit, o->cell * sqrt (3.2 * least / (double) o->limit));
    return NULL;
  }
  kg_field_add_seeds (sampling->field, seeds);
  for (guint i = 0; i < seeds->len; i++)
    walk_from (&walk, get_nearest (&walk, g_array_index (seeds, KgVector, i)));
  if (!walk_on (&walk, error))
    return NULL;
  n_named = walk.n_mixed;
  for (guint i = 0; i < scanned->len; i++)
    walk_from (&walk, g_array_index (scanned, LatticePlace, i));
  if (!walk_on (&walk, error))
    return NULL;
  result->n_missed = walk.n_mixed - n_named;
  result->n_samples = walk.n_samples;
  return walk_get_cubes (&walk);
}
