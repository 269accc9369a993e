/* kg-half: numbers of 16 bits (IEEE 754 binary16), in which images are kept and come in files.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Rounded to the nearest, ties to even; beyond the range the largest finite number; 0 for what is not a number. */
guint16 kg_half_from_float (float x);
/* Exactly. */
float kg_half_to_float (guint16 half);

G_END_DECLS
