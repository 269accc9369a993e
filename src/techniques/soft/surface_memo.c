/* surface_memo: what is known of a surface from before.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/surface_memo.h"

#define SIDE SURFACE_MEMO_SIDE
#define N_CELLS (SIDE * SIDE * SIDE)
#define N_WORDS (N_CELLS / 64)
/* Around a block, in cells: gradients by differences look that far (GRADIENT_STEP of polygonize). */
#define MARGIN 0.05

typedef struct {
  guint64 known[N_WORDS], hot[N_WORDS];
} Sides;

/* The values at the corners of a patch, by the number of its lowest within the block. */
typedef struct {
  guint32 corner;
  float values[SURFACE_MEMO_PATCH_SIZE];
} Patch;

/* A value at a corner, or 1 for a cube in which the surface bends, by what it is of within its block. */
typedef struct {
  guint32 what;
  float number;
} Finding;

/* What is kept of a block: read only. */
typedef struct {
  Sides sides;
  bool complete;           /* all of its cells were looked into */
  SurfaceCube *cubes;      /* if it is complete */
  Patch *patches;          /* ascending */
  SurfaceVertex *vertices; /* by their edges, ascending */
  Finding *findings;       /* ascending */
  guint n_cubes, n_patches, n_vertices, n_findings;
} Block;

/* A block in this call. */
typedef struct {
  KgHash key;
  const Block *known; /* (nullable) from before */
  Sides *sides;       /* those of known, and new ones; NULL: no new ones */
  GArray *cubes;      /* SurfaceCube: new ones; NULL: none */
  GArray *patches;    /* Patch: new ones; NULL: none */
  GArray *vertices;   /* SurfaceVertex: new ones; NULL: none */
  GArray *findings;   /* Finding: new ones; NULL: none */
  bool complete;      /* the new cubes are all there are */
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

  g_free (block->cubes);
  g_free (block->patches);
  g_free (block->vertices);
  g_free (block->findings);
  g_free (block);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Block, block_free)

static size_t
block_get_bytes (const Block *block)
{
  return sizeof *block + block->n_cubes * sizeof *block->cubes + block->n_patches * sizeof *block->patches +
         block->n_vertices * sizeof *block->vertices + block->n_findings * sizeof *block->findings;
}

static void
state_clear (gpointer data)
{
  State *state = (State *) data;

  g_free (state->sides);
  g_clear_pointer (&state->cubes, g_array_unref);
  g_clear_pointer (&state->patches, g_array_unref);
  g_clear_pointer (&state->vertices, g_array_unref);
  g_clear_pointer (&state->findings, g_array_unref);
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
  /* What is flat depends on what may bend. */
  if (o->method == POLYGONIZE_ADAPTIVE)
    memo->hash = kg_hash_doubles (memo->hash, &o->max_angle, 1);
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

void
surface_memo_add_cube (SurfaceMemo *memo, const SurfaceCube *cube)
{
  State *state = get_state (memo, (LatticePlace){ cube->x, cube->y, cube->z });

  if (state->cubes == NULL)
    state->cubes = g_array_new (false, false, sizeof (SurfaceCube));
  g_array_append_vals (state->cubes, cube, 1);
}

bool
surface_memo_take_block (SurfaceMemo *memo, LatticePlace cell, GArray *cubes)
{
  const Block *block = get_state (memo, cell)->known;

  if (block == NULL || !block->complete)
    return false;
  if (block->n_cubes > 0)
    g_array_append_vals (cubes, block->cubes, block->n_cubes);
  return true;
}

void
surface_memo_complete_block (SurfaceMemo *memo, LatticePlace cell)
{
  get_state (memo, cell)->complete = true;
}

/* All begin with a number within their block that they are sorted by. */
static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  const guint32 p = *(const guint32 *) a, q = *(const guint32 *) b;

  return (p > q) - (p < q);
}

bool
surface_memo_find_patch (SurfaceMemo *memo, LatticePlace low, float values[SURFACE_MEMO_PATCH_SIZE])
{
  const Block *block = get_state (memo, low)->known;
  const guint32 corner = get_cell (low);
  const Patch *patch =
      block == NULL || block->n_patches == 0
          ? NULL
          : (const Patch *) bsearch (&corner, block->patches, block->n_patches, sizeof *patch, compare_numbers);

  if (patch != NULL)
    memcpy (values, patch->values, sizeof patch->values);
  return patch != NULL;
}

void
surface_memo_add_patch (SurfaceMemo *memo, LatticePlace low, const float values[SURFACE_MEMO_PATCH_SIZE])
{
  State *state = get_state (memo, low);
  Patch patch = { .corner = get_cell (low) };

  memcpy (patch.values, values, sizeof patch.values);
  if (state->patches == NULL)
    state->patches = g_array_new (false, false, sizeof (Patch));
  g_array_append_val (state->patches, patch);
}

/* The power of two that a length of up to a block is; else -1. */
static int
get_halvings (int32_t length)
{
  int k = 0;

  while (1 << k < length)
    k++;
  return length > 0 && length <= SIDE && 1 << k == length ? k : -1;
}

static bool
find_finding (SurfaceMemo *memo, LatticePlace at, guint32 what, float *number)
{
  const Block *block = get_state (memo, at)->known;
  const Finding *finding =
      block == NULL || block->n_findings == 0
          ? NULL
          : (const Finding *) bsearch (&what, block->findings, block->n_findings, sizeof *finding, compare_numbers);

  if (finding != NULL)
    *number = finding->number;
  return finding != NULL;
}

static void
add_finding (SurfaceMemo *memo, LatticePlace at, guint32 what, float number)
{
  const Finding finding = { what, number };
  State *state = get_state (memo, at);

  if (state->findings == NULL)
    state->findings = g_array_new (false, false, sizeof (Finding));
  g_array_append_val (state->findings, finding);
}

bool
surface_memo_find_value (SurfaceMemo *memo, LatticePlace corner, float *value)
{
  return find_finding (memo, corner, get_cell (corner), value);
}

void
surface_memo_add_value (SurfaceMemo *memo, LatticePlace corner, float value)
{
  add_finding (memo, corner, get_cell (corner), value);
}

/* Beyond the numbers of corners. */
static guint32
get_cube (LatticePlace low, int halvings)
{
  return N_CELLS * (guint32) (halvings + 1) + get_cell (low);
}

bool
surface_memo_find_shape (SurfaceMemo *memo, LatticePlace low, int32_t size, bool *bent)
{
  const int halvings = get_halvings (size);
  float number;

  if (halvings < 0 || !find_finding (memo, low, get_cube (low, halvings), &number))
    return false;
  *bent = number > 0;
  return true;
}

void
surface_memo_add_shape (SurfaceMemo *memo, LatticePlace low, int32_t size, bool bent)
{
  const int halvings = get_halvings (size);

  if (halvings >= 0)
    add_finding (memo, low, get_cube (low, halvings), bent ? 1 : 0);
}

static guint32
get_edge (LatticePlace corner, guint along, int halvings)
{
  return (guint32) halvings << 16 | get_cell (corner) << 3 | along;
}

const SurfaceVertex *
surface_memo_find_vertex (SurfaceMemo *memo, LatticePlace corner, guint along, int32_t length)
{
  const int halvings = get_halvings (length);
  const Block *block = halvings < 0 ? NULL : get_state (memo, corner)->known;
  guint32 edge;

  if (block == NULL || block->n_vertices == 0)
    return NULL;
  edge = get_edge (corner, along, halvings);
  return (const SurfaceVertex *) bsearch (&edge, block->vertices, block->n_vertices, sizeof *block->vertices,
                                          compare_numbers);
}

void
surface_memo_add_vertex (SurfaceMemo *memo, LatticePlace corner, guint along, int32_t length, const float p[3],
                         const float gradient[3])
{
  const int halvings = get_halvings (length);
  SurfaceVertex vertex = { .p = { p[0], p[1], p[2] } };
  State *state;

  if (halvings < 0)
    return;
  vertex.edge = get_edge (corner, along, halvings);
  state = get_state (memo, corner);
  if (gradient != NULL)
    memcpy (vertex.gradient, gradient, sizeof vertex.gradient);
  if (state->vertices == NULL)
    state->vertices = g_array_new (false, false, sizeof (SurfaceVertex));
  g_array_append_val (state->vertices, vertex);
}

static void
block_set_cubes (Block *block, const State *state)
{
  const SurfaceCube *cubes = state->complete ? NULL : state->known != NULL ? state->known->cubes : NULL;

  block->n_cubes = state->complete ? (state->cubes != NULL ? state->cubes->len : 0)
                                   : (state->known != NULL ? state->known->n_cubes : 0);
  if (state->complete && state->cubes != NULL)
    cubes = (const SurfaceCube *) (const void *) state->cubes->data;
  if (block->n_cubes > 0)
    block->cubes = (SurfaceCube *) g_memdup2 (cubes, block->n_cubes * sizeof *cubes);
}

/* What is known and what is new of a kind, sorted.  new: (nullable) (transfer full) */
static gpointer
merge (gconstpointer known, guint n_known, const GArray *more, gsize size, guint *n)
{
  g_autoptr (GArray) all = g_array_new (false, false, (guint) size);

  if (n_known > 0)
    g_array_append_vals (all, known, n_known);
  if (more != NULL && more->len > 0) {
    g_array_append_vals (all, more->data, more->len);
    g_array_sort (all, compare_numbers);
  }
  *n = all->len;
  return g_array_free (g_steal_pointer (&all), false);
}

void
surface_memo_keep (SurfaceMemo *memo)
{
  const KgMemoStore *store = memo->sampling.options->memos;

  for (guint i = 0; i < memo->states->len; i++) {
    const State *state = &g_array_index (memo->states, State, i);
    g_autoptr (Block) block = NULL;

    if (state->sides == NULL && state->patches == NULL && state->vertices == NULL && state->findings == NULL &&
        !state->complete)
      continue;
    block = g_new0 (Block, 1);
    if (state->sides != NULL)
      block->sides = *state->sides;
    else if (state->known != NULL)
      block->sides = state->known->sides;
    block->complete = state->complete || (state->known != NULL && state->known->complete);
    block_set_cubes (block, state);
    block->patches = merge (state->known != NULL ? state->known->patches : NULL,
                            state->known != NULL ? state->known->n_patches : 0, state->patches, sizeof (Patch),
                            &block->n_patches);
    block->vertices = merge (state->known != NULL ? state->known->vertices : NULL,
                             state->known != NULL ? state->known->n_vertices : 0, state->vertices,
                             sizeof (SurfaceVertex), &block->n_vertices);
    block->findings = merge (state->known != NULL ? state->known->findings : NULL,
                             state->known != NULL ? state->known->n_findings : 0, state->findings, sizeof (Finding),
                             &block->n_findings);
    {
      const size_t bytes = block_get_bytes (block);

      store->keep (store->data, state->key, g_steal_pointer (&block), bytes, block_free);
    }
  }
}
