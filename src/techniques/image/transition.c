/* transition: see transition.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/transition.h"

#include "image/image_operation.h"
#include "kg-math.h"

typedef struct {
  const ImageSource *first, *second; /* NULL: transparent */
  TransitionKind kind;
  double progress, softness;
  double aspect; /* of a pixel */
  float *pixels;
  int width, height;
} Transition;

/* How much of the second image there is at a place that an edge of some softness reaches when position, from 0 to 1, of its
 * way is behind it. */
static double
get_share (const Transition *t, double position)
{
  const double edge = t->progress * (1 + t->softness);

  if (t->softness <= 0)
    return position <= t->progress ? 1 : 0;
  return kg_clamp ((edge - position) / t->softness, 0, 1);
}

/* The share at the centre of a pixel. */
static double
get_share_at (const Transition *t, int x, int y)
{
  const double u = (x + 0.5) / t->width, v = (y + 0.5) / t->height;

  switch (t->kind) {
  case TRANSITION_LEFT:
    return get_share (t, u);
  case TRANSITION_RIGHT:
    return get_share (t, 1 - u);
  case TRANSITION_TOP:
    return get_share (t, v);
  case TRANSITION_BOTTOM:
    return get_share (t, 1 - v);
  case TRANSITION_IRIS: {
    const double w = t->width * t->aspect;

    return get_share (t, hypot ((2 * u - 1) * w, (2 * v - 1) * t->height) / hypot (w, t->height));
  }
  case TRANSITION_CUT:
  case TRANSITION_DISSOLVE:
  case TRANSITION_FADE:
  case TRANSITION_N:
  default:
    return t->progress;
  }
}

static void
mix_pixel (const Transition *t, double share, const float *a, const float *b, float *to)
{
  const double fade_out = fmax (1 - 2 * share, 0), fade_in = fmax (2 * share - 1, 0);
  const bool fades = t->kind == TRANSITION_FADE;

  for (int c = 0; c < 4; c++) {
    const double p = fades && c < 3 ? fade_out : 1 - share, q = fades && c < 3 ? fade_in : share;

    to[c] = q == 0 && p == 1 ? a[c] : p == 0 && q == 1 ? b[c] : (float) (p * (double) a[c] + q * (double) b[c]);
  }
}

static void
mix_rows (gpointer data, int first, int end)
{
  const Transition *t = (const Transition *) data;
  const size_t n = (size_t) t->width;
  g_autofree float *nothing = g_new0 (float, 4 * n), *scratch = g_new (float, 8 * n);

  for (int y = first; y < end; y++) {
    const float *a = t->first != NULL ? image_source_fetch (t->first, 0, y, n, scratch) : nothing;
    const float *b = t->second != NULL ? image_source_fetch (t->second, 0, y, n, scratch + 4 * n) : nothing;
    float *to = t->pixels + 4 * n * (size_t) y;

    for (int x = 0; x < t->width; x++)
      mix_pixel (t, get_share_at (t, x, y), a + 4 * x, b + 4 * x, to + 4 * x);
  }
}

bool
transition_mix (const KgImage *first, const KgImage *second, TransitionKind kind, double progress, double softness,
                KgImage *out, const KgProgressMonitor *monitor)
{
  ImageSource sources[2];
  Transition t = { .kind = kind,
                   .progress = kg_clamp (progress, 0, 1),
                   .softness = kg_clamp (softness, 0, 1),
                   .aspect = kg_image_get_pixel_aspect (out),
                   .pixels = kg_image_edit_pixels (out),
                   .width = kg_image_get_width (out),
                   .height = kg_image_get_height (out) };

  if (kind == TRANSITION_CUT)
    t.progress = t.progress < 0.5 ? 0 : 1;
  if (first != NULL) {
    sources[0] = image_source (first, out, 0, 0);
    t.first = &sources[0];
  }
  if (second != NULL) {
    sources[1] = image_source (second, out, 0, 0);
    t.second = &sources[1];
  }
  return image_each_rows (t.width, t.height, mix_rows, &t, monitor);
}
