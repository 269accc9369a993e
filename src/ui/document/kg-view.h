/* kg-view: from where, and how, geometry, skeletons and scenes are looked at.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-value.h"

G_BEGIN_DECLS

typedef enum { KG_STYLE_SHADED, KG_STYLE_WIREFRAME, KG_STYLE_POINTS } KgSolidStyle;

typedef struct {
  int width, height;            /* pixels; nothing is drawn when one is 0 */
  bool from_scene;              /* through the first camera of the scene, when it has one */
  KgVector eye, target;         /* the camera of the viewport */
  double fov;                   /* degrees, vertical */
  double near_plane, far_plane; /* metres */
  KgSolidStyle style;
} KgView;

G_END_DECLS
