/* pixel_vectors: pixels as vectors, for kernels whose sums must stay in registers: loops over channels are not all compiled to these.
 * A pixel is four floats; eight, two pixels, are not passed by value, which depends on the processor.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <stdint.h>
#include <string.h>

typedef float FourFloats __attribute__ ((vector_size (16)));
typedef float EightFloats __attribute__ ((vector_size (32)));
typedef double FourDoubles __attribute__ ((vector_size (32)));
/* Of comparisons. */
typedef int32_t FourMasks __attribute__ ((vector_size (16)));
typedef int32_t EightMasks __attribute__ ((vector_size (32)));

static inline FourFloats
four_floats_at (const float *p)
{
  FourFloats pixel;

  memcpy (&pixel, p, sizeof pixel);
  return pixel;
}
