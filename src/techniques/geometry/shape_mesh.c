/* shape_mesh: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/shape_mesh.h"

static void
set_point (KgGeometry *mesh, size_t i, KgVector x)
{
  float *p = kg_geometry_edit_positions (mesh) + 3 * i;

  for (size_t c = 0; c < 3; c++)
    p[c] = (float) kg_vector_get (x, c);
}

KgGeometry *
shape_mesh_new_box (KgTransform transform)
{
  static const uint32_t faces[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 },
                                        { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } };
  KgGeometry *mesh = kg_geometry_new ();

  kg_geometry_set_n_points (mesh, 8, NULL);
  for (size_t i = 0; i < 8; i++)
    set_point (mesh, i,
               kg_transform_point (transform, kg_vector (i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5)));
  kg_geometry_add_primitives (mesh, KG_POLYGON, true, 6, 4, faces[0]);
  return mesh;
}

/* Rings of latitude i of n from the top on, moved along the axis by shifts[i]; axes: right-handed, the second to the top. */
static KgGeometry *
new_rings (KgVector center, double radius, const KgVector axes[3], const double *latitudes, const double *shifts,
           guint rings, guint segments)
{
  KgGeometry *mesh = kg_geometry_new ();
  const uint32_t top = 0, bottom = 1 + (rings - 1) * segments;

  kg_geometry_set_n_points (mesh, (size_t) bottom + 1, NULL);
  set_point (mesh, top, kg_vector_add_scaled (center, radius + shifts[0], axes[1]));
  set_point (mesh, bottom, kg_vector_add_scaled (center, -radius + shifts[rings], axes[1]));
  for (guint i = 1; i < rings; i++)
    for (guint k = 0; k < segments; k++) {
      const double a = latitudes[i], b = 2 * KG_PI * k / segments;
      const KgVector d =
          kg_vector_add_scaled (kg_vector_add_scaled (kg_vector_scale (axes[0], sin (a) * sin (b)), cos (a), axes[1]),
                                sin (a) * cos (b), axes[2]);

      set_point (mesh, 1 + (i - 1) * segments + k,
                 kg_vector_add_scaled (kg_vector_add_scaled (center, radius, d), shifts[i], axes[1]));
    }
  for (guint k = 0; k < segments; k++) {
    const uint32_t next = (k + 1) % segments, last = 1 + (rings - 2) * segments;
    const uint32_t cap[] = { top, 1 + k, 1 + next }, foot[] = { bottom, last + next, last + k };

    kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, 3, cap);
    kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, 3, foot);
    for (guint i = 0; i + 2 < rings; i++) {
      const uint32_t from = 1 + i * segments,
                     side[] = { from + k, from + segments + k, from + segments + next, from + next };

      kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, 4, side);
    }
  }
  return mesh;
}

KgGeometry *
shape_mesh_new_sphere (KgVector center, double radius, guint segments)
{
  static const KgVector axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  const guint rings = segments / 2;
  g_autofree double *latitudes = g_new (double, rings + 1), *shifts = g_new0 (double, rings + 1);

  for (guint i = 0; i <= rings; i++)
    latitudes[i] = KG_PI * i / rings;
  return new_rings (center, radius, axes, latitudes, shifts, rings, segments);
}

KgGeometry *
shape_mesh_new_capsule (KgVector from, KgVector to, double radius, guint segments)
{
  const KgVector way = kg_vector_subtract (to, from), up = kg_vector_normalize_or (way, kg_vector (0, 1, 0));
  const KgVector across = kg_vector_perpendicular (up), axes[3] = { across, up, kg_vector_cross (across, up) };
  const guint half = MAX (segments / 4, 1), rings = 2 * half + 1;
  g_autofree double *latitudes = g_new (double, rings + 1), *shifts = g_new (double, rings + 1);

  for (guint i = 0; i <= rings; i++) {
    latitudes[i] = KG_PI / 2 * (i <= half ? i : i - 1) / half;
    shifts[i] = (i <= half ? 0.5 : -0.5) * kg_vector_length (way);
  }
  return new_rings (kg_vector_lerp (from, to, 0.5), radius, axes, latitudes, shifts, rings, segments);
}

KgGeometry *
shape_mesh_new_wire (const KgGeometry *mesh)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  KgGeometry *wire = kg_geometry_ref (mesh);

  for (size_t i = 0; i < kg_geometry_get_n_primitives (mesh); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (mesh, i, &primitive);
    for (uint32_t k = 0; k + (primitive.closed || primitive.kind == KG_POLYGON ? 0 : 1) < primitive.n_vertices; k++) {
      const uint32_t a = primitive.vertices[k], b = primitive.vertices[(k + 1) % primitive.n_vertices];
      const uint32_t edge[] = { MIN (a, b), MAX (a, b) };
      const gint64 key = (gint64) edge[0] << 32 | edge[1];

      if (g_hash_table_add (known, g_memdup2 (&key, sizeof key)))
        g_array_append_vals (ends, edge, 2);
    }
  }
  kg_geometry_make_writable (&wire);
  kg_geometry_clear_primitives (wire);
  if (ends->len > 0)
    kg_geometry_add_primitives (wire, KG_POLYLINE, false, ends->len / 2, 2, (const uint32_t *) (void *) ends->data);
  return wire;
}
