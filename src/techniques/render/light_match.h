/* light_match: the lamp of a photographed scene, from the shading of matt samples or from the shadow of a post.
 *
 * Brightness over the ambient level is n·s, where s points to the lamp and is as long as it is strong: least squares over the lit
 * samples, and once more without those that s leaves in the dark.
 * Source: R. J. Woodham, Photometric Method for Determining Surface Orientation from Multiple Images, 1980, with normals and light
 * exchanged.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"
#include "kg-value.h"

G_BEGIN_DECLS

typedef struct {
  KgVector normal;      /* unit */
  double brightness[3]; /* linear red, green, blue */
} LightSample;

typedef struct {
  double ambient, floor; /* the floor is above the ambient level */
  double clip;           /* samples with a channel as bright as this are left out */
} LightMatchLimits;

typedef struct {
  KgVector light;  /* the direction to the lamp times its strength, by luminance */
  double color[3]; /* of luminance 1 */
  double residual; /* root of the mean square of what luminance differs by */
  size_t lit;      /* samples used */
  size_t clipped;
} LightMatch;

/* Fails where less than three samples are lit or their normals are in a plane, without an error when monitor (nullable) says
 * that it is cancelled. */
bool light_match_solve (const LightSample *samples, size_t n, const LightMatchLimits *limits, LightMatch *match,
                        const KgProgressMonitor *monitor, GError **error);
/* The unit direction from the tip of the shadow to the top of a post; straight up, and false, where those are one point or
 * the shadow has no length. */
bool light_match_shadow (KgVector foot, KgVector tip, KgVector up, double height, KgVector *direction);

G_END_DECLS
