/* channels: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/channels.h"

static void
fill_channel (const ImageBlock *block, ChannelFrom from, float *to)
{
  const float *const own[] = { block->r, block->g, block->b, block->a };

  if (from <= CHANNEL_ALPHA)
    memcpy (to, own[from], block->n * sizeof *to);
  else if (from >= CHANNEL_OTHER_RED && from <= CHANNEL_OTHER_ALPHA)
    memcpy (to, block->others[0][from - CHANNEL_OTHER_RED], block->n * sizeof *to);
  else if (from == CHANNEL_LUMINANCE)
    for (size_t i = 0; i < block->n; i++)
      to[i] = image_luminance (own[0][i], own[1][i], own[2][i]);
  else if (from == CHANNEL_OTHER_LUMINANCE)
    for (size_t i = 0; i < block->n; i++)
      to[i] = image_luminance (block->others[0][0][i], block->others[0][1][i], block->others[0][2][i]);
  else
    for (size_t i = 0; i < block->n; i++)
      to[i] = from == CHANNEL_ONE;
}

void
channels_block (const ImageBlock *block, const void *data)
{
  const Channels *channels = (const Channels *) data;
  float *const to[] = { block->r, block->g, block->b, block->a };
  float made[4][IMAGE_BLOCK];

  for (int c = 0; c < 4; c++)
    fill_channel (block, channels->from[c], made[c]);
  for (int c = 0; c < 4; c++)
    for (size_t i = 0; i < block->n; i++)
      to[c][i] = channels->premultiply && c < 3 ? made[c][i] * made[3][i] : made[c][i];
}

KG_KERNEL static void
multiply (float *restrict v, const float *restrict a, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    v[i] *= a[i];
}

KG_KERNEL static void
divide (float *restrict v, const float *restrict a, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    const float quotient = v[i] / (a[i] != 0 ? a[i] : 1);

    v[i] = a[i] != 0 ? quotient : 0;
  }
}

void
premultiply_block (const ImageBlock *block, const void *data)
{
  float *const to[] = { block->r, block->g, block->b };

  (void) data;
  for (int c = 0; c < 3; c++)
    multiply (to[c], block->a, block->n);
}

void
unpremultiply_block (const ImageBlock *block, const void *data)
{
  float *const to[] = { block->r, block->g, block->b };

  (void) data;
  for (int c = 0; c < 3; c++)
    divide (to[c], block->a, block->n);
}

void
matte_block (const ImageBlock *block, const void *data)
{
  const Matte *matte = (const Matte *) data;
  float *const to[] = { block->r, block->g, block->b, block->a };
  const float *const *m = block->others[1];

  for (size_t i = 0; i < block->n; i++) {
    const float value = matte->luminance ? image_luminance (m[0][i], m[1][i], m[2][i]) : m[3][i];
    const float share = (float) kg_clamp ((double) value, 0, 1);
    const float w = matte->one_bit ? value >= matte->threshold : share, f = matte->invert ? 1 - w : w;

    for (int c = 0; c < 4; c++)
      to[c][i] = f == 0 ? to[c][i] : f == 1 ? block->others[0][c][i] : (1 - f) * to[c][i] + f * block->others[0][c][i];
  }
}
