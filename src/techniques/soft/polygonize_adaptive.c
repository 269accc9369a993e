/* polygonize_adaptive: the polygons of cubes of several sizes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/cube_loops.h"
#include "kg-floats.h"
#include "soft/polygonize_private.h"
#include "soft/surface_cubes.h"
#include "soft/surface_octree.h"

/* Cancelling is asked for once in so many cubes. */
#define CANCEL_EVERY 4096

static bool
check_cancelled (const Mesher *mesher, guint i, GError **error)
{
  return i % CANCEL_EVERY == 0 && !kg_progress_check (mesher->monitor, error);
}

/* The loops of all cubes as polygons, and an owner for each. */
static bool
cut_leaves (Mesher *mesher, const SurfaceOctree *octree, GArray *owners, size_t *n_cubes, GError **error)
{
  g_autoptr (GArray) vertices = g_array_new (false, false, sizeof (uint32_t));
  g_auto (OctreeLoops) loops;

  octree_loops_init (&loops);
  for (guint i = 0; i < surface_octree_get_n_leaves (octree); i++) {
    const OctreeLeaf leaf = surface_octree_get_leaf (octree, i);
    const PolygonOwner owner = { surface_cubes_get_corner (mesher->o, leaf.low.x, leaf.low.y, leaf.low.z),
                                 leaf.size * mesher->o->cell };
    guint at = 0;

    if (check_cancelled (mesher, i, error))
      return false;
    /* Nothing divides what belongs to the smallest. */
    if (leaf.size == 1 && (leaf.hot == 0 || leaf.hot == 255))
      continue;
    surface_octree_trace (octree, i, &loops);
    *n_cubes += loops.sizes->len > 0;
    for (guint l = 0; l < loops.sizes->len; l++) {
      const guint n = g_array_index (loops.sizes, guint, l);

      g_array_set_size (vertices, 0);
      for (guint k = 0; k < n; k++) {
        const OctreePiece *piece = &g_array_index (loops.pieces, OctreePiece, at + k);
        const CutEdge edge = { .x = piece->low.x,
                               .y = piece->low.y,
                               .z = piece->low.z,
                               .length = piece->length,
                               .along = (guint8) (1u << piece->axis),
                               .first_hot = piece->values[0] >= (float) mesher->o->level,
                               .values = { piece->values[0], piece->values[1] } };
        const uint32_t vertex = mesher_add_edge (mesher, &edge);

        g_array_append_val (vertices, vertex);
      }
      at += n;
      /* Without extent: what is on either side of two meets there. */
      if (n < 3)
        continue;
      mesher_add_polygon (mesher, (const uint32_t *) (const void *) vertices->data, n);
      g_array_append_val (owners, owner);
    }
  }
  return true;
}

/* Corners of boxes that are there already. */
typedef struct {
  LatticeMap numbers;
  GArray *places; /* float */
} Boxes;

static void
boxes_add_face (Mesher *mesher, Boxes *boxes, LatticePlace low, int32_t size, guint face)
{
  uint32_t vertices[4];

  for (guint k = 0; k < 4; k++) {
    const LatticePlace at = lattice_place_add (low, size, cube_faces[face][k] & ~(1u << face / 2));

    if (lattice_map_add (&boxes->numbers, lattice_key (at.x, at.y, at.z, 0), boxes->places->len / 3, &vertices[k])) {
      float p[3];

      surface_search_fill_place (mesher->o, at, p);
      g_array_append_vals (boxes->places, p, 3);
    }
  }
  mesher_add_polygon (mesher, vertices, 4);
}

/* Those parts of a face of a cube that no other cube of the surface is next to. */
static void
boxes_visit_face (Mesher *mesher, Boxes *boxes, const SurfaceOctree *octree, LatticePlace low, int32_t size, guint face)
{
  const guint axis = face / 2;
  const int32_t back = face % 2 == 0 ? -1 : 0;
  const LatticePlace across = { low.x + (axis == 0 ? back : 0), low.y + (axis == 1 ? back : 0),
                                low.z + (axis == 2 ? back : 0) };
  OctreeLeaf next;

  if (!surface_octree_find (octree, across, &next) || (next.size >= size && (next.hot == 0 || next.hot == 255))) {
    boxes_add_face (mesher, boxes, low, size, face);
    return;
  }
  for (guint c = 0; next.size < size && c < 8; c++)
    if ((c >> axis & 1) == 0)
      boxes_visit_face (mesher, boxes, octree, lattice_place_add (low, size / 2, c), size / 2, face);
}

static void
make_boxes (Mesher *mesher, const SurfaceOctree *octree, size_t *n_cubes)
{
  g_autoptr (GArray) places = g_array_new (false, false, sizeof (float));
  Boxes boxes = { .places = places };

  for (guint i = 0; i < surface_octree_get_n_leaves (octree); i++) {
    const OctreeLeaf leaf = surface_octree_get_leaf (octree, i);

    if (leaf.hot == 0 || leaf.hot == 255)
      continue;
    ++*n_cubes;
    for (guint f = 0; f < CUBE_N_FACES; f++) {
      LatticePlace low = leaf.low;
      int32_t *const along = f / 2 == 0 ? &low.x : f / 2 == 1 ? &low.y : &low.z;

      *along += f % 2 == 0 ? 0 : leaf.size;
      boxes_visit_face (mesher, &boxes, octree, low, leaf.size, f);
    }
  }
  lattice_map_clear (&boxes.numbers);
  mesher->n_points = places->len / 3;
  mesher->p = (float *) (void *) g_array_free (g_steal_pointer (&places), false);
}

bool
mesher_make_adaptive (Mesher *mesher, PolygonizeResult *result, GError **error)
{
  const SurfaceSampling sampling = { mesher->field, mesher->o, mesher->monitor };
  g_autoptr (SurfaceOctree) octree = NULL;
  g_autoptr (GArray) owners = g_array_new (false, false, sizeof (PolygonOwner));

  if (mesher->o->surface == POLYGONIZE_POLYGONS && mesher->o->ambiguity == POLYGONIZE_TETRAHEDRA) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "tetrahedra need cells of one size: choose another rule of diagonal corners, or another method");
    return false;
  }
  octree = surface_octree_new (&sampling, mesher->memo, error);
  if (octree == NULL)
    return false;
  result->n_samples = surface_octree_get_n_samples (octree);
  if (mesher->o->surface == POLYGONIZE_BOXES) {
    make_boxes (mesher, octree, &result->cubes);
    mesher_remember (mesher);
    return true;
  }
  return cut_leaves (mesher, octree, owners, &result->cubes, error) && mesher_finish (mesher, owners, error);
}
