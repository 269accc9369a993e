/* lens: the distortion of lenses.
 * Source: Brown 1966, "Decentering distortion of lenses"; Conrady 1919.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <stdbool.h>

typedef struct {
  double centre[2]; /* of the distortion */
  double unit[2];   /* lengths of x and y that count as 1 */
  double k[3];      /* radial: of r², r⁴, r⁶ */
  double p[2];      /* decentering */
} Lens;

/* Where the lens shows what an ideal one shows at (x, y): d = c + u (1 + k₁ r² + k₂ r⁴ + k₃ r⁶) + decentering. */
void lens_distort (const Lens *lens, double x, double y, double *to);
/* The other way, by Newton's method; false where no place within the lens's first fold is shown there. */
bool lens_undistort (const Lens *lens, double x, double y, double *to);
