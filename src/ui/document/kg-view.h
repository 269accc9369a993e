/* kg-view: from where, and how, geometry, skeletons and scenes are looked at.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-evaluate.h"
#include "kg-scene.h"

G_BEGIN_DECLS

typedef enum { KG_STYLE_SHADED, KG_STYLE_WIREFRAME, KG_STYLE_POINTS } KgSolidStyle;

typedef struct {
  int width, height;            /* pixels; nothing is drawn when one is 0 */
  int beside_width;             /* of the image beside it, of the same height */
  double scale;                 /* pixels for one of the widget */
  bool from_scene;              /* through a camera of the scene, when it has one */
  KgVector eye, target;         /* the camera of the viewport */
  bool orthographic;            /* no perspective: height_metres from bottom to top */
  double fov;                   /* degrees, vertical */
  double height_metres;         /* of what is seen at the distance of the target */
  double near_plane, far_plane; /* metres */
  bool headlight;               /* instead of the lights of the scene */
  KgSolidStyle style;
  bool draft;  /* coarse and quick, because the view moves: a better image is requested when this one is there */
  int coarser; /* what is dragged is evaluated with details of 2^coarser times their size (KgSlot.draft); 0: as it is */
  int proxy;   /* pixels of images along a side for one that is made, where images are shown; up to 1: all are */
  KgImagePart
      part;     /* of the image that is shown, so large with the proxy: only this is made; no part_width: all of it */
  bool refines; /* the better one: whatever is requested next replaces it at once */
} KgView;

/* The camera of the viewport, without a scene's.  Its planes are moved out far enough for a parallel view. */
void kg_view_get_camera (const KgView *view, KgCamera *camera);

G_END_DECLS
