/* tests/techniques/voxel-growth: plants that grow through voxels.
 * The numbers in names are those of the catalogue of techniques.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "geometry/shape_mesh.h"
#include "nature/voxel_growth.h"

#include <string.h>

static const KgVector origin = { 0, 0.025, 0 };

static VoxelGrowth
new_growth (void)
{
  return (VoxelGrowth){ .low = { -2, 0, -2 },
                        .high = { 2, 4, 2 },
                        .cell = 0.05,
                        .segment = 0.15,
                        .trials = 12,
                        .rays = 8,
                        .light = { 0, 1, 0 },
                        .weight_light = 1,
                        .weight_up = 0.2,
                        .weight_straight = 0.5,
                        .branch = 0.3,
                        .cling = INFINITY,
                        .tip_radius = 0.01,
                        .max_segments = 1500,
                        .generations = 25,
                        .seed = 3 };
}

static void
run (const VoxelGrowth *growth, const KgTransform *box, VoxelPlant *plant)
{
  g_autoptr (KgGeometry) geometry = box != NULL ? shape_mesh_new_box (*box) : NULL;
  g_autoptr (TriangleMesh) mesh = box != NULL ? triangle_mesh_new (geometry, NULL, NULL) : NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (voxel_growth_run (growth, &origin, 1, mesh, plant, NULL, &error));
  g_assert_no_error (error);
}

typedef struct {
  GHashTable *owners;
  int64_t own, start;
  bool clash;
} Claims;

static bool
claim (gpointer data, int64_t i, int64_t j, int64_t k)
{
  Claims *claims = (Claims *) data;
  const int64_t cell = (k * 1000 + j) * 1000 + i;

  if (cell == claims->start)
    return true;
  claims->clash = claims->clash || g_hash_table_contains (claims->owners, &cell);
  g_hash_table_add (claims->owners, g_memdup2 (&cell, sizeof cell));
  return true;
}

static bool
mark (gpointer data, int64_t i, int64_t j, int64_t k)
{
  *(int64_t *) data = (k * 1000 + j) * 1000 + i;
  return false;
}

/* No voxel is used twice; widths; the same seed is the same plant. */
static void
test_rules (void)
{
  const VoxelGrowth growth = new_growth ();
  g_auto (VoxelPlant) plant = { NULL, 0, 0, false }, again = { NULL, 0, 0, false };
  g_autoptr (GHashTable) owners = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autofree double *squares = NULL;
  g_autoptr (KgGeometry) lines = NULL, tips = NULL;
  size_t n_tips = 0;

  run (&growth, NULL, &plant);
  run (&growth, NULL, &again);
  g_assert_cmpuint (plant.n, >, 60);
  g_assert_cmpuint (plant.n, ==, again.n);
  squares = g_new0 (double, plant.n);
  for (size_t i = 0; i < plant.n; i++) {
    const VoxelNode *node = &plant.nodes[i];
    Claims claims = { owners, 0, -1, false };
    KgVector a, b;

    assert_near (kg_vector_distance (node->place, again.nodes[i].place), 0, 0);
    n_tips += node->tip;
    if (node->parent < 0)
      continue;
    g_assert_cmpint (node->parent, <, (int) i);
    squares[node->parent] += node->radius * node->radius;
    assert_near (kg_vector_distance (node->place, plant.nodes[node->parent].place), 0.15, 1e-9);
    a = kg_vector_scale (kg_vector_subtract (plant.nodes[node->parent].place, growth.low), 1 / growth.cell);
    b = kg_vector_scale (kg_vector_subtract (node->place, growth.low), 1 / growth.cell);
    voxel_walk (a, b, mark, &claims.start);
    voxel_walk (a, b, claim, &claims);
    g_assert_false (claims.clash);
  }
  for (size_t i = 0; i < plant.n; i++)
    assert_near (plant.nodes[i].radius, plant.nodes[i].tip ? 0.01 : sqrt (squares[i]), 1e-12);
  assert_near (plant.nodes[0].radius, 0.01 * sqrt ((double) n_tips), 1e-12);
  lines = voxel_plant_make_lines (&plant, NULL);
  tips = voxel_plant_make_tips (&plant, NULL);
  g_assert_cmpuint (kg_geometry_get_n_points (tips), ==, n_tips);
  g_assert_cmpuint (kg_geometry_get_n_points (lines), ==, plant.n);
}

static double
get_mean (const VoxelPlant *plant)
{
  double sum = 0;

  for (size_t i = 0; i < plant->n; i++)
    sum += plant->nodes[i].place.x;
  return sum / (double) plant->n;
}

/* It grows to the light. */
static void
test_light (void)
{
  VoxelGrowth growth = new_growth ();
  g_auto (VoxelPlant) dark = { NULL, 0, 0, false }, bright = { NULL, 0, 0, false };
  /* A roof over the half of the space with x < 0. */
  const KgTransform roof =
      kg_transform_from_parts (kg_vector (-1.1, 1.2, 0), kg_rotation_identity (), kg_vector (2, 0.1, 4));

  growth.generations = 12;
  growth.weight_light = 0;
  run (&growth, &roof, &dark);
  growth.weight_light = 4;
  run (&growth, &roof, &bright);
  g_assert_cmpfloat (get_mean (&bright), >, get_mean (&dark) + 0.05);
}

/* Out of a closed box nothing grows; a climber stays at the wall. */
static void
test_walls (void)
{
  VoxelGrowth growth = new_growth ();
  g_auto (VoxelPlant) shut = { NULL, 0, 0, false }, ivy = { NULL, 0, 0, false };
  const KgTransform box =
      kg_transform_from_parts (kg_vector (0, 0.4, 0), kg_rotation_identity (), kg_vector (1.2, 1.2, 1.2));
  const KgTransform wall =
      kg_transform_from_parts (kg_vector (0, 2, -0.25), kg_rotation_identity (), kg_vector (4, 4, 0.2));

  growth.weight_light = 0;
  run (&growth, &box, &shut);
  for (size_t i = 0; i < shut.n; i++)
    g_assert_true (fabs (shut.nodes[i].place.x) < 0.6 && fabs (shut.nodes[i].place.z) < 0.6 &&
                   shut.nodes[i].place.y < 1);
  g_assert_cmpuint (shut.n_dead, >, 0);
  growth.cling = 0.2;
  run (&growth, &wall, &ivy);
  g_assert_cmpuint (ivy.n, >, 50);
  for (size_t i = 1; i < ivy.n; i++)
    assert_near (ivy.nodes[i].place.z, -0.05, 0.1);
}

static void
test_bad (void)
{
  VoxelGrowth growth = new_growth ();
  const KgVector away = { 1e30, 0, 0 };
  g_auto (VoxelPlant) plant = { NULL, 0, 0, false };
  g_autoptr (GError) error = NULL;

  g_assert_true (voxel_growth_run (&growth, &away, 1, NULL, &plant, NULL, &error));
  g_assert_cmpuint (plant.n, ==, 0);
  voxel_plant_clear (&plant);
  growth.cell = 1e-4;
  g_assert_false (voxel_growth_run (&growth, &origin, 1, NULL, &plant, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/voxel-growth/55-107-rules", test_rules);
  g_test_add_func ("/voxel-growth/55-107-light", test_light);
  g_test_add_func ("/voxel-growth/55-107-walls", test_walls);
  g_test_add_func ("/voxel-growth/55-107-bad", test_bad);
  return g_test_run ();
}
