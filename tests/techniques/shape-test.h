/* shape-test: meshes and clouds for tests of techniques about shapes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "../near.h"
#include "kg-error.h"
#include "kg-geometry.h"
#include "kg-random.h"

/* (transfer full) Points, without primitives. */
static inline KgGeometry *
new_cloud (const KgVector *points, size_t n)
{
  KgGeometry *geometry = kg_geometry_new ();
  float *p;

  g_assert_true (kg_geometry_set_n_points (geometry, n, NULL));
  p = kg_geometry_edit_positions (geometry);
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < 3; c++)
      p[3 * i + c] = (float) kg_vector_get (points[i], c);
  return geometry;
}

/* (transfer full) Random points of the cube 0..1, or of the unit sphere. */
static inline KgGeometry *
new_random_cloud (size_t n, uint64_t seed, bool sphere)
{
  g_autofree KgVector *points = g_new (KgVector, MAX (n, 1));

  for (size_t i = 0; i < n; i++)
    points[i] = sphere ? kg_random_direction (seed, i, 0)
                       : kg_vector (kg_random_uniform (seed, i, 0), kg_random_uniform (seed, i, 1),
                                    kg_random_uniform (seed, i, 2));
  return new_cloud (points, n);
}

/* Appends a box of six squares that face outwards; a rotation about its centre. */
static inline void
add_box (KgGeometry *geometry, KgVector center, KgVector size, KgRotation rotation)
{
  static const uint32_t faces[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 },
                                        { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } };
  const size_t first = kg_geometry_get_n_points (geometry);
  float *p;

  g_assert_true (kg_geometry_set_n_points (geometry, first + 8, NULL));
  p = kg_geometry_edit_positions (geometry);
  for (size_t i = 0; i < 8; i++) {
    const KgVector corner = { (i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y,
                              (i & 4 ? 0.5 : -0.5) * size.z };
    const KgVector x = kg_vector_add (center, kg_rotation_apply (rotation, corner));

    for (size_t c = 0; c < 3; c++)
      p[3 * (first + i) + c] = (float) kg_vector_get (x, c);
  }
  for (int f = 0; f < 6; f++) {
    uint32_t vertices[4];

    for (int k = 0; k < 4; k++)
      vertices[k] = (uint32_t) first + faces[f][k];
    kg_geometry_add_primitives (geometry, KG_POLYGON, true, 1, 4, vertices);
  }
}

/* (transfer full) */
static inline KgGeometry *
new_box (KgVector center, KgVector size)
{
  KgGeometry *geometry = kg_geometry_new ();

  add_box (geometry, center, size, kg_rotation_identity ());
  return geometry;
}

/* (transfer full) The L block of 50-47: polygons with dents. */
static inline KgGeometry *
new_l (void)
{
  const KgVector outline[] = { { 0, 0, 0 }, { 2, 0, 0 }, { 2, 1, 0 }, { 1, 1, 0 }, { 1, 2, 0 }, { 0, 2, 0 } };
  KgVector points[12];
  uint32_t bottom[6], top[6];
  KgGeometry *mesh;

  for (guint i = 0; i < 6; i++) {
    points[i] = outline[i];
    points[6 + i] = kg_vector (outline[i].x, outline[i].y, 1);
    bottom[i] = 5 - i;
    top[i] = 6 + i;
  }
  mesh = new_cloud (points, 12);
  kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, 6, bottom);
  kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, 6, top);
  for (uint32_t i = 0; i < 6; i++) {
    const uint32_t side[] = { i, (i + 1) % 6, 6 + (i + 1) % 6, 6 + i };

    kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, 4, side);
  }
  return mesh;
}

/* (transfer full) A ball of 8 · 4^level triangles: an octahedron, divided and blown up. */
static inline KgGeometry *
new_ball (double radius, guint level)
{
  const guint n = 1u << level;
  KgGeometry *geometry = kg_geometry_new ();
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (KgVector));
  g_autoptr (GArray) corners = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  for (guint octant = 0; octant < 8; octant++) {
    const double sx = octant & 1 ? -1 : 1, sy = octant & 2 ? -1 : 1, sz = octant & 4 ? -1 : 1;

    for (guint i = 0; i < n; i++)
      for (guint k = 0; k < n - i; k++)
        for (guint half = 0; half < (k + 1 < n - i ? 2u : 1u); half++) {
          const guint at[3][2] = { { i + half, k + half }, { i + 1, k }, { i, k + 1 } };
          uint32_t triangle[3];

          for (guint c = 0; c < 3; c++) {
            const KgVector x = { sx * at[c][0], sy * at[c][1], sz * ((double) n - at[c][0] - at[c][1]) };
            char *key = g_strdup_printf ("%g %g %g", x.x + 0.0, x.y + 0.0, x.z + 0.0);
            gpointer found;

            if (!g_hash_table_lookup_extended (known, key, NULL, &found)) {
              const KgVector p = kg_vector_scale (x, radius / kg_vector_length (x));

              found = GUINT_TO_POINTER (points->len);
              g_array_append_val (points, p);
              g_hash_table_insert (known, key, found);
            } else
              g_free (key);
            triangle[c] = GPOINTER_TO_UINT (found);
          }
          /* Mirrored octants turn the other way, and so do the triangles between two others. */
          if ((sx * sy * sz < 0) != (half == 1)) {
            const uint32_t swap = triangle[1];

            triangle[1] = triangle[2];
            triangle[2] = swap;
          }
          g_array_append_vals (corners, triangle, 3);
        }
  }
  g_assert_true (kg_geometry_set_n_points (geometry, points->len, NULL));
  for (guint i = 0; i < points->len; i++)
    for (size_t c = 0; c < 3; c++)
      kg_geometry_edit_positions (geometry)[3 * i + c] = (float) kg_vector_get (g_array_index (points, KgVector, i), c);
  kg_geometry_add_primitives (geometry, KG_POLYGON, true, corners->len / 3, 3, (const uint32_t *) corners->data);
  return geometry;
}
