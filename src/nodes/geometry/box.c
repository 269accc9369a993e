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

/* Points of a (d + 1)^3 raster that lie on its surface, numbered as they come. */
typedef struct {
  const Box *box;
  guint d;
  uint32_t *known; /* 1 + the number of each, by place; 0: none yet */
  GArray *points;  /* 3 floats each */
} Raster;

/* Where a point is in known: first the two sides across x, then the rings between. */
static size_t
raster_find (const Raster *raster, const guint at[3])
{
  const size_t d = raster->d, side = (d + 1) * (d + 1);
  const size_t before = 2 * side + ((size_t) at[0] - 1) * 4 * d;

  if (at[0] == 0 || at[0] == d)
    return (at[0] == 0 ? 0 : side) + at[1] * (d + 1) + at[2];
  if (at[1] == 0 || at[1] == d)
    return before + (at[1] == 0 ? 0 : d + 1) + at[2];
  return before + 2 * (d + 1) + 2 * ((size_t) at[1] - 1) + (at[2] == d);
}

static uint32_t
raster_get_point (Raster *raster, const guint at[3])
{
  uint32_t *known = &raster->known[raster_find (raster, at)];
  const Box *n = raster->box;
  const double d = raster->d;

  if (*known == 0) {
    const float p[] = { (float) (n->center.x + n->size.x * (at[0] / d - 0.5)),
                        (float) (n->center.y + n->size.y * (at[1] / d - 0.5)),
                        (float) (n->center.z + n->size.z * (at[2] / d - 0.5)) };

    g_array_append_vals (raster->points, p, 3);
    *known = raster->points->len / 3;
  }
  return *known - 1;
}

/* The corners of the squares of one side of the box; false: cancelled. */
static bool
raster_add_side (Raster *raster, const KgContext *ctx, guint axis, guint side, uint32_t *vertices)
{
  /* Counter-clockwise seen from outside: the two axes swap on the near side. */
  static const guint corners[2][4][2] = { { { 0, 0 }, { 0, 1 }, { 1, 1 }, { 1, 0 } },
                                          { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } } };

  for (guint j = 0; j < raster->d; j++) {
    if (kg_context_is_cancelled (ctx))
      return false;
    for (guint i = 0; i < raster->d; i++)
      for (guint c = 0; c < 4; c++) {
        guint at[3];

        at[axis] = side * raster->d;
        at[(axis + 1) % 3] = i + corners[side][c][0];
        at[(axis + 2) % 3] = j + corners[side][c][1];
        *vertices++ = raster_get_point (raster, at);
      }
  }
  return true;
}

static bool
box_evaluate (Box *n, const KgContext *ctx, GError **error)
{
  const guint d = (guint) n->divisions;
  g_autofree uint32_t *vertices = g_new (uint32_t, (size_t) 24 * d * d),
                      *known = g_new0 (uint32_t, (size_t) 6 * d * d + 2);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (float));
  Raster raster = { n, d, known, points };

  for (guint k = 0; k < 6; k++)
    if (!raster_add_side (&raster, ctx, k / 2, k % 2, vertices + (size_t) k * 4 * d * d))
      return false;
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
