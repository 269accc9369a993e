/* shading: how bright a point of a surface is.
 * Source: Phong 1975.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-scene.h"

typedef struct {
  GArray *lights;    /* KgLight */
  GArray *materials; /* KgMaterial, for shading at each sample */
  KgVector eye;      /* where the camera is; orthographic: the direction towards it */
  bool orthographic;
} Shading;

/* The lights of the scene; without any, one at the camera and some from all around. */
void shading_init (Shading *shading, const KgCamera *camera, const KgScene *scene);
void shading_clear (Shading *shading);

/* Lights a colour in place; unpremultiplied. */
void shading_light (const Shading *shading, const KgMaterial *material, const float normal[3], const float position[3],
                    float color[4]);

/* A RasterShade for the materials. */
void shading_light_sample (gconstpointer shading, uint32_t material, const float normal[3], const float position[3],
                           float color[4]);
