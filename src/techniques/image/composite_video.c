/* composite_video: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/composite_video.h"

#include "kg-math.h"
#include "kg-random.h"

/* Taps to each side of a filter, at most. */
#define MAX_TAPS 64
/* IRE. */
#define SYNC (-40.0)
#define BLACK 7.5
#define BURST 20.0

const double composite_video_parts[5] = { 0, 1.5, 6.2, 10.9, 63.556 };

/* Y', U, V of one pixel, sRGB-coded. */
static void
get_yuv (const float *p, double yuv[3])
{
  const double r = kg_srgb_encode (kg_clamp ((double) p[0], 0, 1)), g = kg_srgb_encode (kg_clamp ((double) p[1], 0, 1)),
               b = kg_srgb_encode (kg_clamp ((double) p[2], 0, 1));

  yuv[0] = 0.299 * r + 0.587 * g + 0.114 * b;
  yuv[1] = 0.492 * (b - yuv[0]);
  yuv[2] = 0.877 * (r - yuv[0]);
}

/* A low-pass of this bandwidth (periods a sample; 0.5: all), as a windowed sine.  Returns its taps to each side. */
static int
make_filter (double cutoff, double *taps)
{
  const int n = cutoff >= 0.5 ? 0 : (int) kg_clamp (ceil (1.5 / cutoff), 2, MAX_TAPS);
  double sum = 0;

  for (int i = -n; i <= n; i++) {
    const double x = 2 * KG_PI * cutoff * i;

    taps[i + n] = (i == 0 ? 1 : sin (x) / x) * (0.54 + 0.46 * cos (KG_PI * i / (n + 1)));
    sum += taps[i + n];
  }
  for (int i = 0; i <= 2 * n; i++)
    taps[i] /= sum;
  return n;
}

static void
filter (const double *from, double *to, int n, const double *taps, int reach)
{
  for (int x = 0; x < n; x++) {
    double sum = 0;

    for (int i = -reach; i <= reach; i++)
      sum += taps[i + reach] * from[CLAMP (x + i, 0, n - 1)];
    to[x] = sum;
  }
}

/* Sine and cosine of the subcarrier: quarters of a period a pixel, half a period on from line to line. */
static void
get_carrier (int x, int y, double *s, double *c)
{
  static const double sines[4] = { 0, 1, 0, -1 };
  const int quarter = (x + 2 * (y % 2)) % 4;

  *s = sines[quarter];
  *c = sines[(quarter + 1) % 4];
}

typedef struct {
  const KgImage *image;
  const CompositeStyle *style;
  double luma[2 * MAX_TAPS + 1], chroma[2 * MAX_TAPS + 1];
  int luma_reach, chroma_reach;
  int width, height;
} Encoder;

/* The signal of a line and, beside it, its Y for a separate wire. */
static void
encode_line (const Encoder *n, int y, double *work, double *signal, double *luma)
{
  double *y_in = work, *u = work + n->width, *v = u + n->width, *filtered = v + n->width;
  const float *row;

  y = CLAMP (y, 0, n->height - 1);
  row = kg_image_get_pixels (n->image) + 4 * (size_t) y * (size_t) n->width;
  for (int x = 0; x < n->width; x++) {
    double yuv[3];

    get_yuv (row + 4 * x, yuv);
    y_in[x] = yuv[0];
    u[x] = yuv[1];
    v[x] = yuv[2];
  }
  filter (y_in, luma, n->width, n->luma, n->luma_reach);
  for (int k = 0; k < 2; k++) {
    double *c = k == 0 ? u : v;

    filter (c, filtered, n->width, n->chroma, n->chroma_reach);
    memcpy (c, filtered, (size_t) n->width * sizeof *c);
  }
  for (int x = 0; x < n->width; x++) {
    double s, c;

    get_carrier (x, y, &s, &c);
    signal[x] =
        luma[x] + u[x] * s + v[x] * c +
        (n->style->noise > 0 ? n->style->noise * kg_random_normal (n->style->seed, (uint64_t) y, (uint64_t) x) : 0);
  }
}

static void
decode_line (const Encoder *n, int y, float *to)
{
  const int width = n->width;
  g_autofree double *numbers = g_new (double, 11 * (size_t) width);
  double *work = numbers, *here = work + 4 * width, *luma = here + width, *above = luma + width, *other = above + width;
  double *colour = other + width, *u = colour + width, *v = u + width;
  const double shift =
      n->style->jitter > 0 ? n->style->jitter * kg_random_normal (n->style->seed, (uint64_t) y, G_MAXUINT32) : 0;
  const double ps = sin (n->style->phase), pc = cos (n->style->phase);

  encode_line (n, y, work, here, luma);
  encode_line (n, y > 0 ? y - 1 : 1, work, above, other);
  for (int x = 0; x < width; x++) {
    /* Two lines are half a period apart: their difference is colour.  Else everything near the subcarrier is. */
    if (n->style->decoder == COMPOSITE_COMB)
      colour[x] = 0.5 * (here[x] - above[x]);
    else if (n->style->decoder == COMPOSITE_SEPARATE)
      colour[x] = here[x] - luma[x];
    else
      colour[x] = 0.5 * here[x] - 0.25 * (here[MAX (x - 2, 0)] + here[MIN (x + 2, width - 1)]);
  }
  for (int x = 0; x < width; x++) {
    double s, c;

    get_carrier (x, y, &s, &c);
    other[x] = here[x] - colour[x];
    u[x] = 2 * colour[x] * (s * pc - c * ps);
    v[x] = 2 * colour[x] * (c * pc + s * ps);
  }
  if (n->style->decoder == COMPOSITE_SEPARATE)
    memcpy (other, luma, (size_t) width * sizeof *other);
  /* The products with the carrier have twice its frequency beside the colour. */
  {
    double taps[2 * MAX_TAPS + 1];
    const int reach = make_filter (0.125, taps);

    filter (u, work, width, taps, reach);
    filter (v, work + width, width, taps, reach);
  }
  for (int x = 0; x < width; x++) {
    const int from = (int) kg_clamp (floor (x + shift + 0.5), 0, width - 1);
    const double l = other[from], cu = work[from], cv = work[width + from];
    const double r = l + cv / 0.877, b = l + cu / 0.492, g = (l - 0.299 * r - 0.114 * b) / 0.587;

    to[4 * x] = (float) kg_srgb_decode (kg_clamp (r, 0, 1));
    to[4 * x + 1] = (float) kg_srgb_decode (kg_clamp (g, 0, 1));
    to[4 * x + 2] = (float) kg_srgb_decode (kg_clamp (b, 0, 1));
    to[4 * x + 3] = kg_image_get_pixels (n->image)[4 * ((size_t) y * (size_t) width + (size_t) x) + 3];
  }
}

/* Periods a pixel of that many lines over the height, two of which are a period. */
static double
get_cutoff (const KgImage *image, double lines)
{
  return lines > 0 ? fmin (0.5 * lines / kg_image_get_height (image), 0.5) : 0.5;
}

bool
composite_video_apply (const KgImage *image, const CompositeStyle *style, KgImage *out,
                       const KgProgressMonitor *monitor)
{
  float *pixels = kg_image_edit_pixels (out);
  Encoder encoder = {
    .image = image, .style = style, .width = kg_image_get_width (image), .height = kg_image_get_height (image)
  };

  encoder.luma_reach = make_filter (get_cutoff (image, style->luma_lines), encoder.luma);
  encoder.chroma_reach = make_filter (get_cutoff (image, style->chroma_lines), encoder.chroma);
#pragma omp parallel for schedule(dynamic, 4)
  for (int y = 0; y < encoder.height; y++)
    if (!kg_progress_is_cancelled (monitor))
      decode_line (&encoder, y, pixels + 4 * (size_t) y * (size_t) encoder.width);
  return !kg_progress_is_cancelled (monitor);
}

void
composite_video_scan (const KgImage *image, int row, bool color, double *ire, guint n)
{
  const double *parts = composite_video_parts;
  const int width = kg_image_get_width (image);

  for (guint i = 0; i < n; i++) {
    const double at = parts[4] * (i + 0.5) / n, carrier = 2 * KG_PI * COMPOSITE_SUBCARRIER * at + KG_PI * (row % 2);

    if (at < parts[1])
      ire[i] = 0;
    else if (at < parts[2])
      ire[i] = SYNC;
    else if (at < parts[3])
      /* Nine periods on the back porch, against U. */
      ire[i] = color && at > parts[2] + 0.6 && at < parts[2] + 0.6 + 9 / COMPOSITE_SUBCARRIER ? -BURST * sin (carrier)
                                                                                              : 0;
    else {
      const int x = (int) kg_clamp ((at - parts[3]) / (parts[4] - parts[3]) * width, 0, width - 1);
      double yuv[3];

      get_yuv (kg_image_get_pixels (image) + 4 * ((size_t) row * (size_t) width + (size_t) x), yuv);
      ire[i] = BLACK + (100 - BLACK) * (yuv[0] + (color ? yuv[1] * sin (carrier) + yuv[2] * cos (carrier) : 0));
    }
  }
}
