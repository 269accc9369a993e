/* voxel_growth: see voxel_growth.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "nature/voxel_growth.h"
#include "kg-floats.h"
#include "kg-random.h"

/* What is known of a cell. */
enum { UNKNOWN, FREE, BLOCKED, GROWN };

/* Most cells along one segment. */
#define WALK_MAX 4096

typedef struct {
  const VoxelGrowth *growth;
  const TriangleMesh *obstacles;
  const KgProgressMonitor *monitor;
  size_t size[3];
  uint8_t *cells;
  KgVector rays[VOXEL_MAX_RAYS]; /* to the sky, as long as the space */
  GArray *nodes;
} Space;

bool
voxel_walk (KgVector a, KgVector b, VoxelVisit visit, gpointer data)
{
  int64_t at[3], step[3];
  double next[3], width[3];
  const KgVector d = kg_vector_subtract (b, a);
  int64_t count = 0;

  for (size_t c = 0; c < 3; c++) {
    const double from = kg_vector_get (a, c), x = kg_vector_get (d, c);

    at[c] = (int64_t) floor (from);
    step[c] = x > 0 ? 1 : -1;
    next[c] = x != 0 ? ((double) (at[c] + (x > 0)) - from) / x : INFINITY;
    width[c] = x != 0 ? 1 / fabs (x) : INFINITY;
    count += llabs ((int64_t) floor (kg_vector_get (b, c)) - at[c]);
  }
  /* As many steps as there are planes between the ends. */
  for (; count >= 0; count--) {
    const size_t c = next[0] <= next[1] && next[0] <= next[2] ? 0 : next[1] <= next[2] ? 1 : 2;

    if (!visit (data, at[0], at[1], at[2]))
      return false;
    at[c] += step[c];
    next[c] += width[c];
  }
  return true;
}

static KgVector
to_cells (const Space *s, KgVector x)
{
  return kg_vector_scale (kg_vector_subtract (x, s->growth->low), 1 / s->growth->cell);
}

/* What a cell is; -1: outside.  Obstacles are looked for when they are asked for. */
static int
look (Space *s, int64_t i, int64_t j, int64_t k, size_t *index)
{
  if (i < 0 || j < 0 || k < 0 || (size_t) i >= s->size[0] || (size_t) j >= s->size[1] || (size_t) k >= s->size[2])
    return -1;
  *index = ((size_t) k * s->size[1] + (size_t) j) * s->size[0] + (size_t) i;
  if (s->cells[*index] == UNKNOWN) {
    const double c = s->growth->cell;
    const KgVector centre = kg_vector_add (
        s->growth->low, kg_vector (((double) i + 0.5) * c, ((double) j + 0.5) * c, ((double) k + 0.5) * c));

    /* No surface passes a cell that is farther from it than its corners are. */
    s->cells[*index] = s->obstacles != NULL && s->obstacles->n > 0 &&
                               triangle_mesh_find_nearest (s->obstacles, centre).distance <= 0.5 * sqrt (3.0) * c
                           ? BLOCKED
                           : FREE;
  }
  return s->cells[*index];
}

typedef struct {
  Space *space;
  size_t *passed; /* (nullable) */
  size_t n;
  size_t start;
} Walk;

static bool
pass_free (gpointer data, int64_t i, int64_t j, int64_t k)
{
  Walk *walk = (Walk *) data;
  size_t index = 0;
  const int what = look (walk->space, i, j, k, &index);

  if (what < 0 || walk->n == WALK_MAX)
    return false;
  if (index == walk->start)
    return true;
  walk->passed[walk->n++] = index;
  return what == FREE;
}

static bool
pass_light (gpointer data, int64_t i, int64_t j, int64_t k)
{
  Walk *walk = (Walk *) data;
  size_t index = 0;
  const int what = look (walk->space, i, j, k, &index);

  /* Outside is the sky: nothing is in the way from there on. */
  if (what < 0) {
    walk->n = 1;
    return false;
  }
  return index == walk->start || what == FREE;
}

static size_t
get_cell (Space *s, KgVector x)
{
  const KgVector p = to_cells (s, x);
  size_t index = SIZE_MAX;

  if (!(fabs (p.x) < 1e9 && fabs (p.y) < 1e9 && fabs (p.z) < 1e9))
    return SIZE_MAX;
  return look (s, (int64_t) floor (p.x), (int64_t) floor (p.y), (int64_t) floor (p.z), &index) < 0 ? SIZE_MAX : index;
}

static double
get_light (Space *s, KgVector x)
{
  const KgVector from = to_cells (s, x);
  guint n = 0;

  for (guint r = 0; r < s->growth->rays; r++) {
    Walk walk = { .space = s, .start = get_cell (s, x) };

    voxel_walk (from, kg_vector_add (from, s->rays[r]), pass_light, &walk);
    n += walk.n > 0;
  }
  return s->growth->rays > 0 ? (double) n / s->growth->rays : 1;
}

/* Evenly over the half of the sky around the light (Fibonacci's lattice). */
static void
aim_rays (Space *s)
{
  const KgRotation turn = kg_rotation_between (kg_vector (0, 1, 0), s->growth->light);
  const double length = (double) (s->size[0] + s->size[1] + s->size[2]);

  for (guint r = 0; r < s->growth->rays; r++) {
    const double y = 1 - ((double) r + 0.5) / s->growth->rays, angle = r * KG_PI * (3 - sqrt (5.0)),
                 across = sqrt (1 - y * y);

    s->rays[r] =
        kg_vector_scale (kg_rotation_apply (turn, kg_vector (across * cos (angle), y, across * sin (angle))), length);
  }
}

typedef struct {
  double score;
  KgVector end;
} Try;

static bool
try_segment (Space *s, size_t tip, KgVector d, KgVector previous, size_t *passed, size_t *n, Try *result)
{
  const VoxelGrowth *g = s->growth;
  const KgVector from = g_array_index (s->nodes, VoxelNode, tip).place, to = kg_vector_add_scaled (from, g->segment, d);
  Walk walk = { .space = s, .passed = passed, .start = get_cell (s, from) };
  double light;

  if (!voxel_walk (to_cells (s, from), to_cells (s, to), pass_free, &walk) || walk.n == 0)
    return false;
  if (isfinite (g->cling) && (s->obstacles == NULL || s->obstacles->n == 0 ||
                              triangle_mesh_find_nearest (s->obstacles, to).distance > g->cling))
    return false;
  light = g->weight_light != 0 || g->least_light > 0 ? get_light (s, to) : 1;
  if (light < g->least_light)
    return false;
  *n = walk.n;
  *result =
      (Try){ g->weight_light * light + g->weight_up * d.y + g->weight_straight * kg_vector_dot (d, previous), to };
  return true;
}

static void
grow (Space *s, size_t tip, const Try *found, bool first, guint age)
{
  const VoxelNode node = { found->end, (int32_t) tip, age, first, true, s->growth->tip_radius };
  size_t passed[WALK_MAX];
  Walk walk = { .space = s, .passed = passed, .start = get_cell (s, g_array_index (s->nodes, VoxelNode, tip).place) };

  voxel_walk (to_cells (s, g_array_index (s->nodes, VoxelNode, tip).place), to_cells (s, found->end), pass_free, &walk);
  for (size_t i = 0; i < walk.n; i++)
    s->cells[passed[i]] = GROWN;
  g_array_index (s->nodes, VoxelNode, tip).tip = false;
  g_array_append_val (s->nodes, node);
}

/* The best of the places that are free around a tip; false: there is none. */
static bool
find_best (Space *s, size_t tip, KgVector previous, Try *best)
{
  const VoxelGrowth *g = s->growth;
  size_t passed[WALK_MAX], n;

  *best = (Try){ -INFINITY, { 0, 0, 0 } };
  for (guint t = 0; t < g->trials && !kg_progress_is_cancelled (s->monitor); t++) {
    KgVector d = kg_random_direction (g->seed, tip, t);
    Try result;

    d = kg_vector_add_scaled (kg_vector_add_scaled (d, g->weight_straight, previous), g->weight_up,
                              kg_vector (0, 1, 0));
    d = kg_vector_normalize_or (d, previous);
    if (try_segment (s, tip, d, previous, passed, &n, &result) && result.score > best->score)
      *best = result;
  }
  return isfinite (best->score);
}

/* False: it has no room. */
static bool
grow_tip (Space *s, size_t tip, guint age)
{
  const VoxelGrowth *g = s->growth;
  const VoxelNode *node = &g_array_index (s->nodes, VoxelNode, tip);
  const KgVector previous =
      node->parent >= 0 ? kg_vector_normalize_or (
                              kg_vector_subtract (node->place, g_array_index (s->nodes, VoxelNode, node->parent).place),
                              kg_vector (0, 1, 0))
                        : kg_vector (0, 1, 0);
  Try best;

  if (!find_best (s, tip, previous, &best))
    return false;
  grow (s, tip, &best, true, age);
  /* The second one goes where there is room beside the first. */
  if (s->nodes->len < g->max_segments && kg_random_uniform (g->seed, tip, 1 << 20) < g->branch &&
      find_best (s, tip, previous, &best))
    grow (s, tip, &best, false, age);
  return true;
}

static void
set_radii (GArray *nodes)
{
  g_autofree double *squares = g_new0 (double, nodes->len + 1);

  for (guint i = nodes->len; i-- > 0;) {
    VoxelNode *node = &g_array_index (nodes, VoxelNode, i);

    if (squares[i] > 0)
      node->radius = sqrt (squares[i]);
    if (node->parent >= 0)
      squares[node->parent] += node->radius * node->radius;
  }
}

bool
voxel_growth_run (const VoxelGrowth *growth, const KgVector *seeds, size_t n_seeds, const TriangleMesh *obstacles,
                  VoxelPlant *plant, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (VoxelNode));
  g_autofree uint8_t *cells = NULL;
  Space s = { .growth = growth, .obstacles = obstacles, .monitor = monitor, .nodes = nodes };
  double count = 1;
  guint first = 0;

  *plant = (VoxelPlant){ NULL, 0, 0, false };
  for (size_t c = 0; c < 3; c++) {
    const double n =
        fmax (ceil ((kg_vector_get (growth->high, c) - kg_vector_get (growth->low, c)) / growth->cell - 1e-9), 1);

    count *= n;
    s.size[c] = n < 1e9 ? (size_t) n : 0;
  }
  if (!(count <= (double) VOXEL_MAX_CELLS)) {
    kg_set_error (error, KG_ERROR_LIMIT, "%.3g voxels are more than %.3g: enlarge the cells, or reduce the space",
                  count, (double) VOXEL_MAX_CELLS);
    return false;
  }
  s.cells = cells = g_new0 (uint8_t, (size_t) count);
  aim_rays (&s);
  for (size_t i = 0; i < n_seeds && nodes->len < growth->max_segments; i++) {
    const VoxelNode node = { seeds[i], -1, 0, true, true, growth->tip_radius };
    const size_t cell = get_cell (&s, seeds[i]);

    /* A seed outside, or in the cell of another, does not grow. */
    if (cell == SIZE_MAX || cells[cell] == GROWN)
      continue;
    cells[cell] = GROWN;
    g_array_append_val (nodes, node);
  }
  for (guint age = 1; age <= growth->generations && first < nodes->len; age++) {
    const guint end = nodes->len;

    for (guint tip = first; tip < end; tip++) {
      if (kg_progress_is_cancelled (monitor))
        return false;
      if (nodes->len >= growth->max_segments) {
        plant->limited = true;
        break;
      }
      plant->n_dead += !grow_tip (&s, tip, age);
    }
    kg_progress_report (monitor, (double) age / growth->generations);
    first = end;
    if (plant->limited)
      break;
  }
  set_radii (nodes);
  plant->n = nodes->len;
  plant->nodes = g_memdup2 (nodes->data, nodes->len * sizeof (VoxelNode));
  return true;
}

void
voxel_plant_clear (VoxelPlant *plant)
{
  g_clear_pointer (&plant->nodes, g_free);
}

static KgVector
get_direction (const VoxelPlant *plant, size_t i)
{
  const VoxelNode *node = &plant->nodes[i];

  return node->parent < 0 ? kg_vector (0, 1, 0)
                          : kg_vector_normalize_or (kg_vector_subtract (node->place, plant->nodes[node->parent].place),
                                                    kg_vector (0, 1, 0));
}

KgGeometry *
voxel_plant_make_lines (const VoxelPlant *plant, GError **error)
{
  g_autoptr (KgGeometry) lines = kg_geometry_new ();
  g_autofree int32_t *next = g_new (int32_t, plant->n + 1);
  g_autoptr (GArray) line = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  float *p, *width, *age, *tangent;

  if (!kg_geometry_set_n_points (lines, plant->n, error))
    return NULL;
  p = kg_geometry_edit_positions (lines);
  width = kg_geometry_edit_float (lines, KG_POINTS, "width", 1);
  age = kg_geometry_edit_float (lines, KG_POINTS, "age", 1);
  tangent = kg_geometry_edit_float (lines, KG_POINTS, "tangent", 3);
  for (size_t i = 0; i < plant->n; i++) {
    const VoxelNode *node = &plant->nodes[i];

    kg_floats_set_vector (p, i, node->place);
    kg_floats_set_vector (tangent, i, get_direction (plant, i));
    width[i] = (float) (2 * node->radius);
    age[i] = (float) node->age;
    next[i] = -1;
    if (node->parent >= 0 && node->first)
      next[node->parent] = (int32_t) i;
  }
  for (size_t i = 0; i < plant->n; i++) {
    const VoxelNode *node = &plant->nodes[i];
    KgPrimitive primitive = { .kind = KG_POLYLINE };

    if (node->parent >= 0 && node->first)
      continue;
    g_array_set_size (line, 0);
    if (node->parent >= 0) {
      const uint32_t parent = (uint32_t) node->parent;

      g_array_append_val (line, parent);
    }
    for (int32_t k = (int32_t) i; k >= 0; k = next[k]) {
      const uint32_t vertex = (uint32_t) k;

      g_array_append_val (line, vertex);
    }
    if (line->len < 2)
      continue;
    primitive.n_vertices = line->len;
    primitive.vertices = (const uint32_t *) (gpointer) line->data;
    kg_geometry_add_primitive (lines, &primitive);
  }
  return g_steal_pointer (&lines);
}

KgGeometry *
voxel_plant_make_tips (const VoxelPlant *plant, GError **error)
{
  g_autoptr (KgGeometry) tips = kg_geometry_new ();
  size_t count = 0;
  float *p, *normal, *age;

  for (size_t i = 0; i < plant->n; i++)
    count += plant->nodes[i].tip;
  if (!kg_geometry_set_n_points (tips, count, error))
    return NULL;
  p = kg_geometry_edit_positions (tips);
  normal = kg_geometry_edit_float (tips, KG_POINTS, "N", 3);
  age = kg_geometry_edit_float (tips, KG_POINTS, "age", 1);
  count = 0;
  for (size_t i = 0; i < plant->n; i++) {
    if (!plant->nodes[i].tip)
      continue;
    kg_floats_set_vector (p, count, plant->nodes[i].place);
    kg_floats_set_vector (normal, count, get_direction (plant, i));
    age[count++] = (float) plant->nodes[i].age;
  }
  return g_steal_pointer (&tips);
}
