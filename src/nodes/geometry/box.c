/* geometry/box: a closed box of squares.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgVector size;
  KgVector center;
  int64_t divisions;
  KgGeometry *geometry;
} Box;

/* Points of an (d + 1)^3 raster that lie on its surface, numbered as they come. */
static uint32_t
box_get_point (GHashTable *known, GArray *points, const Box *n, const guint at[3])
{
  const double d = (double) n->divisions;
  const guint64 key = ((guint64) at[0] << 42) | ((guint64) at[1] << 21) | at[2];
  gpointer found;
  float p[3];

  if (g_hash_table_lookup_extended (known, &key, NULL, &found))
    return GPOINTER_TO_UINT (found);
  p[0] = (float) (n->center.x + n->size.x * (at[0] / d - 0.5));
  p[1] = (float) (n->center.y + n->size.y * (at[1] / d - 0.5));
  p[2] = (float) (n->center.z + n->size.z * (at[2] / d - 0.5));
  g_array_append_vals (points, p, 3);
  g_hash_table_insert (known, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (points->len / 3 - 1));
  return points->len / 3 - 1;
}

static bool
box_evaluate (Box *n, const KgContext *ctx, GError **error)
{
  const guint d = (guint) n->divisions;
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (float));
  g_autofree uint32_t *vertices = g_new (uint32_t, (size_t) 24 * d * d);
  size_t k = 0;

  (void) ctx;
  for (guint axis = 0; axis < 3; axis++)
    for (guint side = 0; side < 2; side++)
      for (guint j = 0; j < d; j++)
        for (guint i = 0; i < d; i++) {
          /* Counter-clockwise seen from outside: the two axes swap on the near side. */
          static const guint corners[2][4][2] = { { { 0, 0 }, { 0, 1 }, { 1, 1 }, { 1, 0 } },
                                                  { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } } };

          for (guint c = 0; c < 4; c++) {
            guint at[3];

            at[axis] = side * d;
            at[(axis + 1) % 3] = i + corners[side][c][0];
            at[(axis + 2) % 3] = j + corners[side][c][1];
            vertices[k++] = box_get_point (known, points, n, at);
          }
        }
  n->geometry = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->geometry, points->len / 3, error))
    return false;
  memcpy (kg_geometry_edit_positions (n->geometry), points->data, points->len * sizeof (float));
  kg_geometry_add_primitives (n->geometry, KG_POLYGON, true, (size_t) 6 * d * d, 4, vertices);
  return true;
}

static const KgSlot box_slots[] = {
  KG_INPUT (Box, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES,
            .handle = { KG_HANDLE_SIZE, .anchor = "center" }, .def_v = { 1, 1, 1 },
            .help = N_ ("Width, height and depth.")),
  KG_INPUT (Box, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES, .help = N_ ("Position of the centre.")),
  KG_INPUT (Box, divisions, INTEGER, .label = N_ ("Divisions"), .def = 1, .min = 1, .max = 1000, .soft_max = 50,
            .help = N_ ("Number of squares along each edge: more squares let the box bend.")),
  KG_OUTPUT (Box, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("A closed mesh.")),
};

KG_NODE (geometry, box, Box, .label = N_ ("Box"), .version = 1, .since = "0.1", .tags = N_ ("cube block cuboid"),
         .help = N_ ("Makes a closed box. Divide its sides if it is to be bent."));
