/* kg-frame-rate: frames per second as fractions, which movies and sequences of images have in their headers.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

/* 23.976, 29.97 and 59.94 are assumed to be the n * 1000/1001 of film and television. */
void kg_frame_rate_find (double rate, int *numerator, int *denominator);
