/* figure_walls: the walls that simulations of figures and bodies offer.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/figure_walls.h"

const KgTableColumn figure_walls_columns[] = {
  { "x", N_ ("x"), 0, false },
  { "y", N_ ("y"), 0, false },
  { "z", N_ ("z"), 0, false },
  { "normal_x", N_ ("Normal x"), 0, false },
  { "normal_y", N_ ("Normal y"), 0, false },
  { "normal_z", N_ ("Normal z"), 0, false },
  KG_TABLE_COLUMNS_END,
};

static bool
add_wall (SkeletonWall *walls, guint *n_walls, KgVector point, KgVector normal, GError **error)
{
  const double size = kg_vector_length (normal);
  KgVector unit;

  if (!(size > 1e-150)) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the normal of a wall is 0: let it point to the side on which the "
                  "figure is");
    return false;
  }
  if (*n_walls == SKELETON_MAX_WALLS) {
    kg_set_error (error, KG_ERROR_LIMIT, "more than %d walls: remove some", SKELETON_MAX_WALLS);
    return false;
  }
  unit = kg_vector_scale (normal, 1 / size);
  walls[(*n_walls)++] = (SkeletonWall){ unit, kg_vector_dot (unit, point) };
  return true;
}

static bool
add_box (const FigureWalls *from, SkeletonWall *walls, guint *n_walls, GError **error)
{
  for (int c = 0; c < (from->plane ? 2 : 3); c++) {
    const double low = kg_vector_get (from->box_low, c), high = kg_vector_get (from->box_high, c);
    KgVector normal = kg_vector (0, 0, 0);

    if (!(low < high)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "the box goes from %g to %g along %c: the lower corner must have the smaller value", low, high,
                    "xyz"[c]);
      return false;
    }
    *kg_vector_component (&normal, c) = 1;
    if (!add_wall (walls, n_walls, from->box_low, normal, error))
      return false;
    *kg_vector_component (&normal, c) = -1;
    if (!add_wall (walls, n_walls, from->box_high, normal, error))
      return false;
  }
  return true;
}

bool
figure_walls_read (const FigureWalls *from, SkeletonWall *walls, guint *n_walls, GError **error)
{
  *n_walls = 0;
  if (from->kind == FIGURE_WALLS_PLANE && !add_wall (walls, n_walls, from->point, from->normal, error))
    return false;
  if (from->kind == FIGURE_WALLS_BOX && !add_box (from, walls, n_walls, error))
    return false;
  for (size_t i = 0; i < kg_table_get_n_rows (from->planes); i++) {
    const double *x = kg_table_get_row (from->planes, i);

    if (!add_wall (walls, n_walls, kg_vector (x[0], x[1], x[2]), kg_vector (x[3], x[4], x[5]), error))
      return false;
  }
  return true;
}
