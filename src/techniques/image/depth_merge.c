/* depth_merge: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/depth_merge.h"

#include "image/image_operation.h"

/* Where on the edge from p to q, of opposite signs, both are equally far, from p: 0..1. */
static double
get_crossing (double p, double q)
{
  const double e = p / (p - q);

  /* Infinitely far at one end or both: the surface with an end there ends at the corner that is finite, or halfway. */
  if (isfinite (e) && isfinite (p) && isfinite (q))
    return e;
  return isfinite (p) ? 0 : isfinite (q) ? 1 : 0.5;
}

/* The triangle that corner c has for itself. */
static double
get_corner (const double d[4], int c)
{
  return 0.5 * get_crossing (d[c], d[(c + 1) % 4]) * get_crossing (d[c], d[(c + 3) % 4]);
}

static double
get_diagonal (const double d[4], int front, DepthDiagonal diagonal)
{
  const double f = get_corner (d, front) + get_corner (d, (front + 2) % 4);
  const double b = get_corner (d, (front + 1) % 4) + get_corner (d, (front + 3) % 4);
  const double across = d[0] + d[2] - d[1] - d[3], saddle = (d[0] * d[2] - d[1] * d[3]) / across;

  switch (diagonal) {
  case DEPTH_DIAGONAL_TRIANGLES:
    return f;
  case DEPTH_DIAGONAL_SADDLE:
    return isfinite (saddle) && saddle < 0 ? 1 - b : f;
  default:
    return 0.5 * (1 + f - b);
  }
}

double
depth_get_beta (const double d[4], DepthDiagonal diagonal)
{
  int n = 0, first = -1, last_back = -1;

  for (int c = 0; c < 4; c++)
    if (d[c] < 0) {
      n++;
      if (!(d[(c + 3) % 4] < 0))
        first = c;
    } else
      last_back = c;
  switch (n) {
  case 0:
    return 0;
  case 1:
    return get_corner (d, first);
  case 2:
    if ((d[0] < 0) == (d[2] < 0))
      return get_diagonal (d, first % 2, diagonal);
    return 0.5 * (get_crossing (d[first], d[(first + 3) % 4]) + get_crossing (d[(first + 1) % 4], d[(first + 2) % 4]));
  case 3:
    return 1 - get_corner (d, last_back);
  default:
    return 1;
  }
}

/* The depth at the corner left of and above pixel (x, y): the mean of the finite ones around it, infinite if there is none. */
static double
get_corner_depth (const float *depth, int width, int height, int x, int y)
{
  double sum = 0;
  int n = 0;

  for (int j = MAX (y - 1, 0); j <= MIN (y, height - 1); j++)
    for (int i = MAX (x - 1, 0); i <= MIN (x, width - 1); i++) {
      const double z = (double) depth[(size_t) j * (size_t) width + (size_t) i];

      if (isfinite (z)) {
        sum += z;
        n++;
      }
    }
  return n > 0 ? sum / n : (double) INFINITY;
}

typedef struct {
  int width, height;
  const float *front, *front_depth, *back, *back_depth;
  float *to, *to_depth, *shares;
  bool comp;
  DepthDiagonal diagonal;
} Work;

static double
get_share (const Work *work, int x, int y)
{
  static const int corners[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
  const size_t at = (size_t) y * (size_t) work->width + (size_t) x;
  double d[4];

  /* Where one of them is nowhere, so is its share. */
  if (!work->comp || isinf (work->front_depth[at]) || isinf (work->back_depth[at]))
    return work->front_depth[at] < work->back_depth[at];
  for (int c = 0; c < 4; c++) {
    const int i = x + corners[c][0], j = y + corners[c][1];

    d[c] = get_corner_depth (work->front_depth, work->width, work->height, i, j) -
           get_corner_depth (work->back_depth, work->width, work->height, i, j);
  }
  return depth_get_beta (d, work->diagonal);
}

static void
merge_rows (gpointer data, int first, int end)
{
  const Work *work = (const Work *) data;

  for (int y = first; y < end; y++)
    for (int x = 0; x < work->width; x++) {
      const size_t at = (size_t) y * (size_t) work->width + (size_t) x;
      const float *f = work->front + 4 * at, *b = work->back + 4 * at;
      const double share = get_share (work, x, y);
      const double keep_b = 1 - kg_clamp ((double) f[3], 0, 1), keep_f = 1 - kg_clamp ((double) b[3], 0, 1);

      if (work->shares != NULL)
        work->shares[at] = (float) share;
      work->to_depth[at] = MIN (work->front_depth[at], work->back_depth[at]);
      for (int c = 0; c < 4; c++) {
        const double over = (double) f[c] + keep_b * (double) b[c], under = (double) b[c] + keep_f * (double) f[c];
        const double mixed = share * over + (1 - share) * under;

        work->to[4 * at + (size_t) c] = !work->comp ? (share > 0 ? f[c] : b[c])
                                                    : (float) kg_clamp (mixed, -(double) FLT_MAX, (double) FLT_MAX);
      }
    }
}

bool
depth_merge (KgImage **back, const KgImage *front, bool comp, DepthDiagonal diagonal, float *shares,
             const KgProgressMonitor *monitor)
{
  g_autoptr (KgImage) old = kg_image_ref (*back);
  Work work = { .width = kg_image_get_width (old),
                .height = kg_image_get_height (old),
                .front = kg_image_get_pixels (front),
                .front_depth = kg_image_get_depth (front),
                .back = kg_image_get_pixels (old),
                .back_depth = kg_image_get_depth (old),
                .shares = shares,
                .comp = comp,
                .diagonal = diagonal };

  g_return_val_if_fail (work.front_depth != NULL && work.back_depth != NULL &&
                            work.width == kg_image_get_width (front) && work.height == kg_image_get_height (front),
                        false);
  kg_image_make_writable (back);
  work.to = kg_image_edit_pixels (*back);
  work.to_depth = kg_image_edit_depth (*back);
  return image_each_rows (work.width, work.height, merge_rows, &work, monitor);
}
