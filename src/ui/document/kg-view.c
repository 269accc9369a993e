/* kg-view: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-view.h"

#include "config.h"

/* Distances to the target that a parallel view sees on either side of it. */
#define PARALLEL_REACH 500.0

void
kg_view_get_camera (const KgView *view, KgCamera *camera)
{
  const KgVector away = kg_vector_subtract (view->eye, view->target);
  const double distance = kg_vector_length (away);
  const KgVector z = kg_vector_normalize_or (away, kg_vector (0, 0, 1));
  const KgVector x = kg_vector_normalize_or (kg_vector_cross (kg_vector (0, 1, 0), z), kg_vector (1, 0, 0));
  const KgVector y = kg_vector_cross (z, x);
  /* What is behind the eye is seen too where lines of sight are parallel. */
  const KgVector eye = view->orthographic ? kg_vector_add_scaled (view->target, PARALLEL_REACH * distance, z)
                                          : view->eye;

  kg_camera_init (camera);
  camera->transform =
      (KgTransform){ { { x.x, y.x, z.x, eye.x }, { x.y, y.y, z.y, eye.y }, { x.z, y.z, z.z, eye.z }, { 0, 0, 0, 1 } } };
  camera->orthographic = view->orthographic;
  camera->fov = view->fov * KG_DEGREE;
  camera->height = view->height_metres;
  camera->near_plane = view->orthographic ? 1e-3 * distance : view->near_plane;
  camera->far_plane = view->orthographic ? 2 * PARALLEL_REACH * distance : view->far_plane;
}
