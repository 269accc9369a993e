/* video_codec: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/video_codec.h"

#include "kg-base.h"
#include "kg-math.h"

#define MAX_PATTERN 60

static inline float
get (const CodecPlanes *planes, int c, int x, int y)
{
  x = CLAMP (x, 0, planes->width[c] - 1);
  y = CLAMP (y, 0, planes->height[c] - 1);
  return planes->a[c][(size_t) y * (size_t) planes->width[c] + (size_t) x];
}

static double
compare_block (const CodecPlanes *current, const CodecPlanes *reference, int x, int y, int dx, int dy, double most)
{
  double sum = 0;

  for (int j = y; j < MIN (y + VIDEO_BLOCK, current->height[0]) && sum <= most; j++)
    for (int i = x; i < MIN (x + VIDEO_BLOCK, current->width[0]); i++)
      sum += fabs ((double) (get (current, 0, i, j) - get (reference, 0, i + dx, j + dy)));
  return sum;
}

static int
get_vector_bits (int v)
{
  int bits = 1;

  for (v = ABS (v); v > 0; v >>= 1)
    bits += 2;
  return bits;
}

double
video_codec_predict (const CodecPlanes *current, const CodecPlanes *reference, int search, int *vectors,
                     CodecPlanes *prediction)
{
  const int across = (current->width[0] + VIDEO_BLOCK - 1) / VIDEO_BLOCK;
  const int down = (current->height[0] + VIDEO_BLOCK - 1) / VIDEO_BLOCK;
  double bits = 0;

  *prediction = codec_planes_copy (reference);
#pragma omp parallel for schedule(dynamic, 1)
  for (int by = 0; by < down; by++)
    for (int bx = 0; bx < across; bx++) {
      int *v = vectors + 2 * (by * across + bx);
      double best = compare_block (current, reference, bx * VIDEO_BLOCK, by * VIDEO_BLOCK, 0, 0, HUGE_VAL);

      v[0] = v[1] = 0;
      for (int dy = -search; dy <= search; dy++)
        for (int dx = -search; dx <= search; dx++) {
          const double sum = compare_block (current, reference, bx * VIDEO_BLOCK, by * VIDEO_BLOCK, dx, dy, best);

          if (sum < best || (sum <= best && dx * dx + dy * dy < v[0] * v[0] + v[1] * v[1])) {
            best = sum;
            v[0] = dx;
            v[1] = dy;
          }
        }
    }
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < current->height[c]; y++)
      for (int x = 0; x < current->width[c]; x++) {
        const int size = c == 0 ? VIDEO_BLOCK : VIDEO_BLOCK / 2;
        const int *v = vectors + 2 * (y / size * across + x / size);

        prediction->a[c][(size_t) y * (size_t) current->width[c] + (size_t) x] =
            get (reference, c, x + (c == 0 ? v[0] : v[0] / 2), y + (c == 0 ? v[1] : v[1] / 2));
      }
  for (int k = 0; k < 2 * across * down; k++)
    bits += get_vector_bits (vectors[k]);
  return bits;
}

char
video_codec_get_type (const char *pattern, int64_t k)
{
  const int64_t n = (int64_t) strlen (pattern);

  return pattern[(k % n + n) % n];
}

void
video_codec_get_references (const char *pattern, int64_t k, int64_t references[2])
{
  const char type = video_codec_get_type (pattern, k);

  references[0] = references[1] = -1;
  if (type == 'I')
    return;
  references[0] = k - 1;
  while (references[0] > 0 && video_codec_get_type (pattern, references[0]) == 'B')
    references[0]--;
  if (type != 'B')
    return;
  references[1] = k + 1;
  while (video_codec_get_type (pattern, references[1]) == 'B')
    references[1]++;
}

GArray *
video_codec_get_chain (const char *pattern, int64_t k)
{
  GArray *chain = g_array_new (FALSE, FALSE, sizeof (int64_t));
  int64_t references[2], at = k;

  /* The anchors back to an I frame, from the one in front if there is one. */
  video_codec_get_references (pattern, k, references);
  if (references[1] >= 0) {
    g_array_append_val (chain, k);
    at = references[1];
  }
  for (;;) {
    int64_t before[2];

    g_array_prepend_val (chain, at);
    video_codec_get_references (pattern, at, before);
    if (before[0] < 0)
      break;
    at = before[0];
  }
  /* A B frame before an I frame needs the anchors behind it, too. */
  if (references[1] >= 0 && video_codec_get_type (pattern, references[1]) == 'I')
    for (at = references[0]; at >= 0;) {
      int64_t before[2];

      g_array_prepend_val (chain, at);
      video_codec_get_references (pattern, at, before);
      at = before[0];
    }
  return chain;
}

void
video_codec_get_order (const char *pattern, int *order)
{
  const int n = (int) strlen (pattern);
  int turn = 0, waiting = 0;

  for (int k = 0; k < n; k++) {
    if (pattern[k] == 'B')
      continue;
    order[k] = turn++;
    for (; waiting < k; waiting++)
      if (pattern[waiting] == 'B')
        order[waiting] = turn++;
    waiting = k + 1;
  }
  /* Those at the end wait for the next pattern's I. */
  for (; waiting < n; waiting++)
    order[waiting] = ++turn;
}

bool
video_codec_check (const char *pattern, GError **error)
{
  const size_t n = strlen (pattern);

  if (n >= 1 && n <= MAX_PATTERN && pattern[0] == 'I' && strspn (pattern, "IPB") == n)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "\"%s\" is not a pattern of frames: use up to %d letters I, P and B, the first one I", pattern,
                MAX_PATTERN);
  return false;
}
