/* surface_memo: what is known of a surface from before.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/surface_memo.h"

/* Cells along the sides of a block: larger blocks have more keys that may change, smaller ones more to look up. */
#define SIDE 16
#define N_CELLS (SIDE * SIDE * SIDE)
#define N_WORDS (N_CELLS / 64)
/* Around a block, in cells: gradients by differences look that far (GRADIENT_STEP of polygonize). */
#define MARGIN 0.05

typedef struct {
  guint64 known[N_WORDS], hot[N_WORDS];
} Sides;

/* The cubes and exits of a part, among those of its block. */
typedef struct {
  guint first_cube, n_cubes, first_exit, n_exits;
} PartRange;

/* What is kept of a block: read only. */
typedef struct {
  Sides sides;
  guint16 *part_of; /* of each cell: 1 + the index of its part, or 0; NULL where the surface is not */
  SurfaceCube *cubes;
  LatticePlace *exits;
  PartRange *parts;
  SurfaceVertex *vertices; /* by their edges, ascending */
  guint n_cubes, n_parts, n_vertices;
} Block;

/* A block in this call. */
typedef struct {
  KgHash key;
  const Block *known; /* (nullable) from before */
  uint8_t *taken;     /* of the parts of known */
  Sides *sides;       /* those of known, and new ones; NULL: no new ones */
  GArray *cubes;      /* SurfaceCube: new ones; NULL: none */
  GArray *vertices;   /* SurfaceVertex: new ones; NULL: none */
} State;

struct _SurfaceMemo {
  SurfaceSampling sampling;
  LatticeRange range; /* cubes */
  KgHash hash;        /* of what is the same for all blocks */
  LatticeMap map;     /* of the blocks, by their places */
  GArray *states;     /* State */
  uint64_t last_key;  /* of the block asked for last, as one asks for its neighbours next */
  guint last;
};

static void
block_free (gpointer data)
{
  Block *block = (Block *) data;

  g_free (block->part_of);
  g_free (block->cubes);
  g_free (block->exits);
  g_free (block->parts);
  g_free (block->vertices);
  g_free (block);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Block, block_free)

/* Without its exits. */
static size_t
block_get_bytes (const Block *block)
{
  return sizeof *block + (block->part_of != NULL ? N_CELLS * sizeof *block->part_of : 0) +
         block->n_cubes * sizeof *block->cubes + block->n_parts * sizeof *block->parts +
         block->n_vertices * sizeof *block->vertices;
}

static void
state_clear (gpointer data)
{
  State *state = (State *) data;

  g_free (state->taken);
  g_free (state->sides);
  g_clear_pointer (&state->cubes, g_array_unref);
  g_clear_pointer (&state->vertices, g_array_unref);
}

static int32_t
get_block (int32_t at)
{
  return at >= 0 ? at / SIDE : -((SIDE - 1 - at) / SIDE);
}

static guint
get_cell (LatticePlace at)
{
  return (guint) (at.x & (SIDE - 1)) + SIDE * (guint) (at.y & (SIDE - 1)) + SIDE * SIDE * (guint) (at.z & (SIDE - 1));
}

/* The lowest cell of a block, and the highest within the box. */
static LatticeRange
get_cells (const SurfaceMemo *memo, LatticePlace block)
{
  const LatticePlace low = { block.x * SIDE, block.y * SIDE, block.z * SIDE };

  return (
      LatticeRange){ { MAX (low.x, memo->range.low.x), MAX (low.y, memo->range.low.y), MAX (low.z, memo->range.low.z) },
                     { MIN (low.x + SIDE - 1, memo->range.high.x), MIN (low.y + SIDE - 1, memo->range.high.y),
                       MIN (low.z + SIDE - 1, memo->range.high.z) } };
}

/* False: the field does not say what it depends on. */
static bool
hash_block (const SurfaceMemo *memo, LatticePlace block, KgHash *hash)
{
  const PolygonizeOptions *o = memo->sampling.options;
  const LatticeRange cells = get_cells (memo, block);
  const LatticePlace from = { block.x * SIDE, block.y * SIDE, block.z * SIDE };
  const int32_t places[] = { block.x,     block.y,      block.z,      cells.low.x, cells.low.y,
                             cells.low.z, cells.high.x, cells.high.y, cells.high.z };
  KgVector low = surface_cubes_get_corner (o, from.x, from.y, from.z);
  KgVector high = surface_cubes_get_corner (o, from.x + SIDE, from.y + SIDE, from.z + SIDE);

  /* Places are sampled as floats: rounded. */
  for (size_t axis = 0; axis < 3; axis++) {
    const double most = MAX (fabs (kg_vector_get (low, axis)), fabs (kg_vector_get (high, axis)));
    const double margin = MARGIN * o->cell + 1e-6 * most;

    *kg_vector_component (&low, axis) -= margin;
    *kg_vector_component (&high, axis) += margin;
  }
  *hash = kg_hash_bytes (memo->hash, places, sizeof places);
  return kg_field_hash_within (memo->sampling.field, low, high, hash);
}

SurfaceMemo *
surface_memo_new (const SurfaceSampling *sampling)
{
  const PolygonizeOptions *o = sampling->options;
  const double numbers[] = { o->cell, o->origin.x, o->origin.y, o->origin.z, o->level };
  g_autoptr (SurfaceMemo) memo = g_new0 (SurfaceMemo, 1);
  KgHash hash;

  memo->sampling = *sampling;
  memo->states = g_array_new (false, false, sizeof (State));
  g_array_set_clear_func (memo->states, state_clear);
  memo->last_key = UINT64_MAX;
  memo->hash = kg_hash_doubles (kg_hash_begin (KG_HASH_SURFACE_BLOCK, 0), numbers, G_N_ELEMENTS (numbers));
  /* Vertices without gradients are of no use to those who want them. */
  memo->hash =
      kg_hash_uint (memo->hash, (uint64_t) o->exact | (uint64_t) (o->normals || o->surface == POLYGONIZE_DUAL) << 1);
  if (!surface_search_get_range (o, 2, &memo->range, NULL) ||
      !hash_block (memo, (LatticePlace){ get_block (memo->range.low.x), 0, 0 }, &hash))
    return NULL;
  return g_steal_pointer (&memo);
}

void
surface_memo_free (SurfaceMemo *memo)
{
  lattice_map_clear (&memo->map);
  g_array_unref (memo->states);
  g_free (memo);
}

/* The block of a corner or cube.  (transfer none) */
static State *
get_state (SurfaceMemo *memo, LatticePlace at)
{
  const LatticePlace block = { get_block (at.x), get_block (at.y), get_block (at.z) };
  const uint64_t key = lattice_key (block.x, block.y, block.z, 0);
  uint32_t index = memo->last;

  if (key != memo->last_key && lattice_map_add (&memo->map, key, memo->states->len, &index)) {
    const KgMemoStore *store = memo->sampling.options->memos;
    State state = { 0 };

    /* Of other blocks it could: a field does not change its mind. */
    if (!hash_block (memo, block, &state.key))
      g_return_val_if_reached (NULL);
    state.known = (const Block *) store->find (store->data, state.key);
    if (state.known != NULL && state.known->n_parts > 0)
      state.taken = g_new0 (uint8_t, state.known->n_parts);
    g_array_append_val (memo->states, state);
  }
  memo->last_key = key;
  memo->last = index;
  return &g_array_index (memo->states, State, index);
}

SurfaceSide
surface_memo_get_side (SurfaceMemo *memo, LatticePlace corner)
{
  const State *state = get_state (memo, corner);
  const Sides *sides = state->sides != NULL ? state->sides : state->known != NULL ? &state->known->sides : NULL;
  const guint cell = get_cell (corner);
  const guint64 bit = (guint64) 1 << cell % 64;

  if (sides == NULL || (sides->known[cell / 64] & bit) == 0)
    return SURFACE_UNKNOWN;
  return (sides->hot[cell / 64] & bit) != 0 ? SURFACE_HOT : SURFACE_COLD;
}

void
surface_memo_set_side (SurfaceMemo *memo, LatticePlace corner, bool hot)
{
  State *state = get_state (memo, corner);
  const guint cell = get_cell (corner);
  const guint64 bit = (guint64) 1 << cell % 64;

  if (state->sides == NULL)
    state->sides = state->known != NULL ? g_memdup2 (&state->known->sides, sizeof *state->sides) : g_new0 (Sides, 1);
  state->sides->known[cell / 64] |= bit;
  if (hot)
    state->sides->hot[cell / 64] |= bit;
}

bool
surface_memo_take_part (SurfaceMemo *memo, LatticePlace cube, SurfacePart *part)
{
  const State *state = get_state (memo, cube);
  const Block *block = state->known;
  const guint number = block != NULL && block->part_of != NULL ? block->part_of[get_cell (cube)] : 0;
  const PartRange *range;

  if (number == 0)
    return false;
  *part = (SurfacePart){ 0 };
  if (state->taken[number - 1])
    return true;
  state->taken[number - 1] = 1;
  range = &block->parts[number - 1];
  *part = (SurfacePart){ block->cubes + range->first_cube, range->n_cubes, block->exits + range->first_exit,
                         range->n_exits };
  return true;
}

void
surface_memo_add_cube (SurfaceMemo *memo, const SurfaceCube *cube)
{
  State *state = get_state (memo, (LatticePlace){ cube->x, cube->y, cube->z });

  if (state->cubes == NULL)
    state->cubes = g_array_new (false, false, sizeof (SurfaceCube));
  g_array_append_vals (state->cubes, cube, 1);
}

static int
compare_edge (gconstpointer edge, gconstpointer vertex)
{
  const guint a = *(const guint16 *) edge, b = ((const SurfaceVertex *) vertex)->edge;

  return (a > b) - (a < b);
}

static int
compare_vertices (gconstpointer a, gconstpointer b)
{
  return compare_edge (&((const SurfaceVertex *) a)->edge, b);
}

static guint16
get_edge (LatticePlace corner, guint along)
{
  return (guint16) (get_cell (corner) << 3 | along);
}

const SurfaceVertex *
surface_memo_find_vertex (SurfaceMemo *memo, LatticePlace corner, guint along)
{
  const Block *block = get_state (memo, corner)->known;
  const guint16 edge = get_edge (corner, along);

  if (block == NULL || block->n_vertices == 0)
    return NULL;
  return (const SurfaceVertex *) bsearch (&edge, block->vertices, block->n_vertices, sizeof *block->vertices,
                                          compare_edge);
}

void
surface_memo_add_vertex (SurfaceMemo *memo, LatticePlace corner, guint along, const float p[3], const float gradient[3])
{
  SurfaceVertex vertex = { .edge = get_edge (corner, along), .p = { p[0], p[1], p[2] } };
  State *state = get_state (memo, corner);

  if (gradient != NULL)
    memcpy (vertex.gradient, gradient, sizeof vertex.gradient);
  if (state->vertices == NULL)
    state->vertices = g_array_new (false, false, sizeof (SurfaceVertex));
  g_array_append_val (state->vertices, vertex);
}

/* The parts of a block while they are sorted out. */
typedef struct {
  const SurfaceCube *all; /* cubes of the block, in any order */
  guint16 *index;         /* of each cell: 1 + that of its cube, or 0 */
  Block *block;
  GArray *exits, *parts;
} Parts;

static bool
shares_block (LatticePlace a, LatticePlace b)
{
  return get_block (a.x) == get_block (b.x) && get_block (a.y) == get_block (b.y) && get_block (a.z) == get_block (b.z);
}

/* Adds a cube to the last part, unless it has one. */
static void
parts_add (Parts *parts, guint cell)
{
  Block *block = parts->block;

  if (parts->index[cell] == 0 || block->part_of[cell] != 0)
    return;
  block->part_of[cell] = (guint16) parts->parts->len;
  block->cubes[block->n_cubes++] = parts->all[parts->index[cell] - 1];
}

/* The part that starts with a cell: the cubes of the block that are found from there through faces the surface crosses. */
static void
parts_flood (Parts *parts, guint cell)
{
  Block *block = parts->block;
  PartRange part = { .first_cube = block->n_cubes, .first_exit = parts->exits->len };

  g_array_append_val (parts->parts, part);
  parts_add (parts, cell);
  for (guint i = part.first_cube; i < block->n_cubes; i++) {
    const LatticePlace at = { block->cubes[i].x, block->cubes[i].y, block->cubes[i].z };

    for (guint f = 0; f < CUBE_N_FACES; f++) {
      const LatticePlace next = surface_cubes_get_neighbour (at, f);

      if (!surface_cubes_leaves_through (block->cubes[i].hot, f))
        continue;
      if (shares_block (at, next))
        parts_add (parts, get_cell (next));
      else
        g_array_append_val (parts->exits, next);
    }
  }
  part.n_cubes = block->n_cubes - part.first_cube;
  part.n_exits = parts->exits->len - part.first_exit;
  g_array_index (parts->parts, PartRange, parts->parts->len - 1) = part;
}

/* Returns the number of exits. */
static guint
block_set_cubes (Block *block, const State *state)
{
  const Block *known = state->known;
  g_autoptr (GArray) all = g_array_new (false, false, sizeof (SurfaceCube));
  g_autoptr (GArray) exits = g_array_new (false, false, sizeof (LatticePlace));
  g_autoptr (GArray) ranges = g_array_new (false, false, sizeof (PartRange));
  g_autofree guint16 *index = g_new0 (guint16, N_CELLS);
  Parts parts = { .index = index, .block = block, .exits = exits, .parts = ranges };
  guint n_exits;

  if (known != NULL && known->n_cubes > 0)
    g_array_append_vals (all, known->cubes, known->n_cubes);
  if (state->cubes != NULL)
    g_array_append_vals (all, state->cubes->data, state->cubes->len);
  if (all->len == 0)
    return 0;
  block->part_of = g_new0 (guint16, N_CELLS);
  block->cubes = g_new (SurfaceCube, all->len);
  parts.all = (const SurfaceCube *) (const void *) all->data;
  for (guint i = 0; i < all->len; i++)
    index[get_cell ((LatticePlace){ parts.all[i].x, parts.all[i].y, parts.all[i].z })] = (guint16) (i + 1);
  for (guint cell = 0; cell < N_CELLS; cell++)
    if (index[cell] != 0 && block->part_of[cell] == 0)
      parts_flood (&parts, cell);
  n_exits = exits->len;
  block->n_parts = ranges->len;
  block->parts = (PartRange *) (void *) g_array_free (g_steal_pointer (&ranges), false);
  block->exits = (LatticePlace *) (void *) g_array_free (g_steal_pointer (&exits), false);
  return n_exits;
}

static void
block_set_vertices (Block *block, const State *state)
{
  const Block *known = state->known;
  g_autoptr (GArray) all = g_array_new (false, false, sizeof (SurfaceVertex));

  if (known != NULL && known->n_vertices > 0)
    g_array_append_vals (all, known->vertices, known->n_vertices);
  if (state->vertices != NULL)
    g_array_append_vals (all, state->vertices->data, state->vertices->len);
  g_array_sort (all, compare_vertices);
  block->n_vertices = all->len;
  block->vertices = (SurfaceVertex *) (void *) g_array_free (g_steal_pointer (&all), false);
}

void
surface_memo_keep (SurfaceMemo *memo)
{
  const KgMemoStore *store = memo->sampling.options->memos;

  for (guint i = 0; i < memo->states->len; i++) {
    const State *state = &g_array_index (memo->states, State, i);
    g_autoptr (Block) block = NULL;
    size_t bytes;

    if (state->sides == NULL && state->cubes == NULL && state->vertices == NULL)
      continue;
    block = g_new0 (Block, 1);
    if (state->sides != NULL)
      block->sides = *state->sides;
    else if (state->known != NULL)
      block->sides = state->known->sides;
    bytes = block_set_cubes (block, state) * sizeof (LatticePlace);
    block_set_vertices (block, state);
    bytes += block_get_bytes (block);
    store->keep (store->data, state->key, g_steal_pointer (&block), bytes, block_free);
  }
}
