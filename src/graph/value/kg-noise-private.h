/* kg-noise-private: derivatives of gradient noise.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The derivative of kg_noise, taken i times along x, j times along y and k times along z: exact, as the noise is a
 * polynomial within each cell of its lattice.  Continuous up to the second order. */
double kg_noise_derivative (uint64_t seed, double x, double y, double z, guint i, guint j, guint k);

G_END_DECLS
