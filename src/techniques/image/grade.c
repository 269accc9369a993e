/* grade: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/grade.h"

#include "kg-error.h"

bool
grade_set (Grade *grade, KgColor black, KgColor white, KgColor lift, KgColor gain, KgColor multiply, KgColor offset,
           KgColor gamma, GError **error)
{
  const double *const b = &black.r, *const w = &white.r, *const l = &lift.r, *const g = &gain.r;
  const double *const m = &multiply.r, *const o = &offset.r, *const e = &gamma.r;

  for (int c = 0; c < 3; c++) {
    const double range = w[c] - b[c], slope = m[c] * (g[c] - l[c]) / range;

    if (fabs (range) < 1e-9) {
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    "the black point and the white point are both %g: use different values, which become lift and gain",
                    b[c]);
      return false;
    }
    grade->slope[c] = (float) slope;
    grade->offset[c] = (float) (m[c] * l[c] + o[c] - slope * b[c]);
    grade->power[c] = (float) (1 / fmax (e[c], 0.01));
  }
  return true;
}

bool
grade_keeps (const Grade *grade)
{
  return !grade->clamp_black && !grade->clamp_white && grade->power[0] == 1 && grade->power[1] == 1 &&
         grade->power[2] == 1;
}

/* Several vectors at a time: counting would take as long as the work. */
KG_KERNEL static void
scale (float *restrict v, float slope, float offset, size_t n)
{
  enum { AT_ONCE = 32 };
  size_t done = 0;

  for (; done + AT_ONCE <= n; done += AT_ONCE)
#pragma GCC unroll 4
    for (size_t i = done; i < done + AT_ONCE; i++)
      v[i] = slope * v[i] + offset;
  for (; done < n; done++)
    v[done] = slope * v[done] + offset;
}

KG_KERNEL static void
bend (float *restrict v, float power, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    const float bent = image_power (v[i], power);

    v[i] = v[i] > 0 ? bent : v[i];
  }
}

KG_KERNEL static void
limit (float *restrict v, float low, float high, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    const float top = v[i] > high ? high : v[i];

    v[i] = top < low ? low : top;
  }
}

void
grade_block (const ImageBlock *block, const void *data)
{
  const Grade *grade = (const Grade *) data;
  float *const channels[] = { block->r, block->g, block->b };

  for (int c = 0; c < 3; c++) {
    if (grade->slope[c] != 1 || grade->offset[c] != 0)
      scale (channels[c], grade->slope[c], grade->offset[c], block->n);
    if (grade->power[c] != 1)
      bend (channels[c], grade->power[c], block->n);
    if (grade->clamp_black || grade->clamp_white)
      limit (channels[c], grade->clamp_black ? 0 : -FLT_MAX, grade->clamp_white ? 1 : FLT_MAX, block->n);
  }
}
