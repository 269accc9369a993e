/* color_profile: colours of a device that an ICC profile describes, as linear light and back.
 * Sources: ICC.1:2022, 8.3 (matrices and curves of three components) and 6.3.4.3 (colours about D50); Lam 1985 (Bradford
 * adaptation to D65).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"

G_BEGIN_DECLS

#define COLOR_PROFILE_MAX_CURVE 65536
#define COLOR_PROFILE_MAX_TABLE 129

typedef struct _ColorProfile ColorProfile;

/* By curves and a matrix.  curves: n numbers for each component, the light of signals 0..1 at equal steps, none below the one
 * before; matrix: from light of the device to X, Y, Z about D50.  to_device: light becomes signals.  KG_ERROR_INVALID_FILE where it
 * has no inverse, or a curve falls or does not rise. (transfer full) (nullable) */
ColorProfile *color_profile_new_curves (const float *curves, guint n, const float matrix[9], bool to_device,
                                        GError **error);
/* By a table of size entries a side, the first component fastest: from signals to linear light of BT.709 primaries, or from
 * light under the curve of sRGB to signals.  (transfer full) (nullable) */
ColorProfile *color_profile_new_table (const float *table, guint size, bool to_device, GError **error);
void color_profile_free (ColorProfile *profile);

/* n colours in place.  Signals are limited to 0..1, on either side; light is not. */
void color_profile_apply (const ColorProfile *profile, float *r, float *g, float *b, size_t n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ColorProfile, color_profile_free)

G_END_DECLS
