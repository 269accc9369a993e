/* planar_shadow: the shadow of a geometry on a plane, as geometry.
 * Source: Blinn, Me and my (fake) shadow, IEEE Computer Graphics and Applications, January 1988; flattened copies and discs are
 * older than computers.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef enum {
  SHADOW_POINT,    /* light: where it is */
  SHADOW_PARALLEL, /* light: the direction in which it shines */
  SHADOW_FLATTEN,  /* straight down */
  SHADOW_N_LIGHTS
} ShadowLight;

/* Which polygons have a shadow. */
typedef enum {
  SHADOW_LIT,     /* those that face the light: one layer of a closed convex body */
  SHADOW_ALL,     /* all of them */
  SHADOW_OUTLINE, /* one, the convex outline of the shadow: no seams where it is transparent */
  SHADOW_N_SIDES
} ShadowSides;

typedef struct {
  KgVector point, normal; /* of the plane; the normal is a unit vector */
  ShadowLight kind;
  KgVector light;
  double lift; /* above the plane */
  ShadowSides sides;
} PlanarShadow;

/* The shadow of one point of space, which must be below a light of SHADOW_POINT. */
KgVector planar_shadow_project (const PlanarShadow *shadow, KgVector p);

/* (transfer full) (nullable) Points and primitives in the plane, without other attributes.  Polygons are clipped where they reach up
 * to the light; what else does so is left out.  Fails with KG_ERROR_DEGENERATE where the light is on the plane or below, or shines
 * along it or up. NULL without *error when cancelled. */
KgGeometry *planar_shadow_make (const PlanarShadow *shadow, const KgGeometry *caster, const KgProgressMonitor *monitor,
                                GError **error);

/* How a disc tells the height h of what is above it. */
typedef struct {
  double grow;       /* radius: the caster's times 1 + grow h */
  double soft, blur; /* softness: soft + blur h, 0..1: the part of the radius over which it fades */
  double fade;       /* opacity: 1 / (1 + fade h) */
} ShadowDisc;

/* (transfer full) (nullable) A disc below the caster, with its opacity in Cd, of color; h is the height of its lowest point.  An empty
 * geometry below nothing. */
KgGeometry *planar_shadow_make_disc (const PlanarShadow *shadow, const ShadowDisc *disc, KgColor color,
                                     const KgGeometry *caster, GError **error);
/* Its opacity at a distance from the centre of the radius times r: 1 within, 0 at 1 and beyond. */
double planar_shadow_get_falloff (double softness, double r);

G_END_DECLS
