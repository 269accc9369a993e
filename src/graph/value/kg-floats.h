/* kg-floats: what arrays of float32 hold, as attributes of geometries and pixels of images are.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

/* The numbers from 3 i on. */
static inline KgVector
kg_floats_get_vector (const float *floats, size_t i)
{
  const float *x = floats + 3 * i;

  return (KgVector){ (double) x[0], (double) x[1], (double) x[2] };
}

static inline void
kg_floats_set_vector (float *floats, size_t i, KgVector v)
{
  float *x = floats + 3 * i;

  x[0] = (float) v.x;
  x[1] = (float) v.y;
  x[2] = (float) v.z;
}

/* The relative luminance of linear light (ITU-R BT.709). */
static inline double
kg_floats_get_luminance (const float *rgb)
{
  return 0.2126 * (double) rgb[0] + 0.7152 * (double) rgb[1] + 0.0722 * (double) rgb[2];
}

/* The numbers from 4 i on: w, x, y, z.  As they are written: of unit length only to float32. */
static inline KgRotation
kg_floats_get_rotation (const float *floats, size_t i)
{
  const float *x = floats + 4 * i;

  return (KgRotation){ (double) x[0], (double) x[1], (double) x[2], (double) x[3] };
}

static inline void
kg_floats_set_rotation (float *floats, size_t i, KgRotation q)
{
  float *x = floats + 4 * i;

  x[0] = (float) q.w;
  x[1] = (float) q.x;
  x[2] = (float) q.y;
  x[3] = (float) q.z;
}
