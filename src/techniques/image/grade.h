/* grade: the levels of each channel.
 * Source: the model of colour decision lists (ASC CDL, 2008: slope, offset, power), written as film compositors do: black and
 * white point, lift, gain, multiply, offset, gamma.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/image_operation.h"

G_BEGIN_DECLS

/* y = slope x + offset; where gamma is not 1, y becomes y^(1/gamma), and stays where it is negative. */
typedef struct {
  float slope[3], offset[3], power[3]; /* power: 1/gamma */
  bool clamp_black, clamp_white;
} Grade;

/* y = multiply ((gain - lift) (x - black) / (white - black) + lift) + offset.  False and KG_ERROR_DEGENERATE where black is
 * white in a channel. */
bool grade_set (Grade *grade, KgColor black, KgColor white, KgColor lift, KgColor gain, KgColor multiply,
                KgColor offset, KgColor gamma, GError **error);
/* Whether what is not finite stays so (see ImageWear): powers and limits make numbers of it. */
bool grade_keeps (const Grade *grade);
/* An ImageKernel; data: Grade. */
void grade_block (const ImageBlock *block, const void *data);

G_END_DECLS
