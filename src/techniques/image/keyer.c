/* keyer: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/keyer.h"

static inline float
clamp01 (float x)
{
  return x > 0 ? (x < 1 ? x : 1) : 0;
}

static int
find_strongest (const float rgb[3])
{
  return rgb[0] > rgb[1] && rgb[0] > rgb[2] ? 0 : rgb[1] >= rgb[2] ? 1 : 2;
}

/* How much stronger channel k is than the others. */
static inline float
get_excess (const float rgb[3], int k)
{
  const float p = rgb[(k + 1) % 3], q = rgb[(k + 2) % 3];

  return rgb[k] - (p > q ? p : q);
}

/* The distance of chromas: B - Y and R - Y, scaled as Cb and Cr of ITU-R BT.709. */
static inline float
get_chroma_distance (const float p[3], const float q[3])
{
  const float y = image_luminance (p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  const float cb = (p[2] - q[2] - y) / 1.8556f, cr = (p[0] - q[0] - y) / 1.5748f;

  return sqrtf (cb * cb + cr * cr);
}

static inline float
ramp (float x, float from, float range)
{
  return range > 0 ? clamp01 ((x - from) / range) : x > from;
}

static float
get_alpha (const Keyer *keyer, int k, const float p[3], const float plate[3])
{
  float alpha;

  switch (keyer->method) {
  case KEYER_COLOR_DIFFERENCE: {
    const float screen = get_excess (keyer->screen, k), own = get_excess (p, k);

    alpha = 1 - clamp01 (own / (screen > 1e-4f ? screen : 1e-4f));
    break;
  }
  case KEYER_CHROMA:
    alpha = ramp (get_chroma_distance (p, keyer->screen), keyer->tolerance, keyer->softness);
    break;
  case KEYER_LUMA:
    alpha = ramp (image_luminance (p[0], p[1], p[2]), keyer->low, keyer->high - keyer->low);
    break;
  default: {
    float most = 0;

    for (int c = 0; c < 3; c++)
      most = MAX (most, fabsf (p[c] - plate[c]));
    alpha = ramp (most, keyer->tolerance, keyer->softness);
  }
  }
  alpha = ramp (alpha, keyer->black, keyer->white - keyer->black);
  return keyer->invert ? 1 - alpha : alpha;
}

static float
get_matte (const float *const rgba[4], size_t i, bool luminance)
{
  return clamp01 (luminance ? image_luminance (rgba[0][i], rgba[1][i], rgba[2][i]) : rgba[3][i]);
}

void
keyer_block (const ImageBlock *block, const void *data)
{
  const Keyer *keyer = (const Keyer *) data;
  const int k = find_strongest (keyer->screen);

  for (size_t i = 0; i < block->n; i++) {
    const float p[3] = { block->r[i], block->g[i], block->b[i] }, own = clamp01 (block->a[i]);
    const float *const *plates = block->others[0];
    const float plate[3] = { plates[0][i], plates[1][i], plates[2][i] };
    const float *behind = keyer->method == KEYER_DIFFERENCE ? plate : keyer->screen;
    float *const to[] = { block->r + i, block->g + i, block->b + i };
    float alpha = get_alpha (keyer, k, p, plate), rgb[3];

    if (keyer->has_keep)
      alpha = MAX (alpha, get_matte (block->others[1], i, keyer->keep_luminance));
    for (int c = 0; c < 3; c++) {
      /* No light is less than none; what was negative before stays. */
      const float left = p[c] - (1 - alpha) * behind[c] * own;

      rgb[c] = !keyer->subtract_screen || keyer->method == KEYER_LUMA ? p[c] * alpha
               : left > MIN (p[c], 0)                                 ? left
                                                                      : MIN (p[c], 0);
    }
    if (keyer->despill > 0) {
      const float x = rgb[(k + 1) % 3], y = rgb[(k + 2) % 3];
      const float limit = keyer->spill == KEYER_SPILL_AVERAGE ? 0.5f * (x + y) : MAX (x, y);

      rgb[k] -= keyer->despill * MAX (rgb[k] - limit, 0);
    }
    alpha *= own;
    /* What is behind garbage is no screen: it fades as it is, instead of having the screen taken out of it. */
    if (keyer->has_drop) {
      const float kept = 1 - get_matte (block->others[2], i, keyer->drop_luminance);

      alpha *= kept;
      for (int c = 0; c < 3; c++)
        rgb[c] *= kept;
    }
    for (int c = 0; c < 3; c++)
      *to[c] = keyer->show_matte ? alpha : alpha > 0 ? rgb[c] : 0;
    block->a[i] = keyer->show_matte ? 1 : alpha;
  }
}
