/* kg-stream: frames one after the other into an open file.
 * Sources: the YUV4MPEG2 format as in yuv4mpeg(5); ITU-R BT.709-6 for the matrix and the range.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-stream.h"

#include "kg-frame-rate.h"
#include "kg-image-file.h"

#include <errno.h>
#include <glib/gi18n-lib.h>

struct _KgStream {
  FILE *file;
  KgStreamFormat format;
  int bits;
  double rate;
  int width, height; /* of the first frame; 0 before it */
};

KgStream *
kg_stream_new (FILE *file, KgStreamFormat format, int bits, double rate)
{
  KgStream *stream = g_new (KgStream, 1);

  *stream = (KgStream){ .file = file, .format = format, .bits = bits, .rate = rate };
  return stream;
}

void
kg_stream_free (KgStream *stream)
{
  g_free (stream);
}

static bool
fail (GError **error)
{
  kg_set_error (error, KG_ERROR_IO, "the frame cannot be written: %s", g_strerror (errno));
  return false;
}

static bool
write_y4m_header (KgStream *stream, const KgImage *image, GError **error)
{
  /* A ratio of two ints in the header, which no image that anybody looks at exceeds. */
  const double aspect = kg_clamp (kg_image_get_pixel_aspect (image), 1e-4, 1e4);
  const int parts = aspect == 1 ? 1 : 10000;
  int rate, per;

  kg_frame_rate_find (stream->rate, &rate, &per);
  stream->width = kg_image_get_width (image);
  stream->height = kg_image_get_height (image);
  if (fprintf (stream->file, "YUV4MPEG2 W%d H%d F%d:%d Ip A%d:%d C420jpeg XCOLORRANGE=LIMITED\n", stream->width,
               stream->height, rate, per, (int) (aspect * parts + 0.5), parts) < 0)
    return fail (error);
  return true;
}

/* Component c (Y, Cb, Cr) of the mean of n pixels whose encoded components add up to rgb. */
static uint8_t
get_component (const unsigned *rgb, unsigned n, int c)
{
  const double scale = 1 / (255.0 * n);
  const double r = scale * rgb[0], g = scale * rgb[1], b = scale * rgb[2];
  const double y = 0.2126 * r + 0.7152 * g + 0.0722 * b;

  return (uint8_t) ((c == 0   ? 16 + 219 * y
                     : c == 1 ? 128 + 224 * (b - y) / 1.8556
                              : 128 + 224 * (r - y) / 1.5748) +
                    0.5);
}

/* One plane, of which each value stands for side × side pixels, fewer at the right and lower edges of odd sizes. */
static uint8_t *
fill_plane (const uint8_t *rgba, int width, int height, int c, int side, uint8_t *out)
{
  for (int y = 0; y < height; y += side)
    for (int x = 0; x < width; x += side) {
      unsigned sum[3] = { 0 }, n = 0;

      for (int j = y; j < MIN (y + side, height); j++)
        for (int i = x; i < MIN (x + side, width); i++, n++)
          for (int k = 0; k < 3; k++)
            sum[k] += rgba[4 * ((size_t) j * (size_t) width + (size_t) i) + (size_t) k];
      *out++ = get_component (sum, n, c);
    }
  return out;
}

static bool
write_y4m (KgStream *stream, const KgImage *image, GError **error)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  const size_t n = (size_t) width * (size_t) height;
  g_autoptr (KgImage) opaque = kg_image_ref (image);
  g_autofree uint8_t *rgba = NULL, *planes = NULL;
  uint8_t *end;
  float *pixels;

  if (stream->width == 0 && !write_y4m_header (stream, image, error))
    return false;
  if (width != stream->width || height != stream->height) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "this frame has %d x %d pixels, but the first %d x %d: all frames must have the same size", width,
                  height, stream->width, stream->height);
    return false;
  }
  rgba = g_try_malloc_n (n, 4);
  planes = g_try_malloc_n (n, 3);
  if (rgba == NULL || planes == NULL) {
    errno = ENOMEM;
    return fail (error);
  }
  /* The colour is premultiplied: over black only the coverage changes. */
  kg_image_make_writable (&opaque);
  pixels = kg_image_edit_pixels (opaque);
  for (size_t i = 0; i < n; i++)
    pixels[4 * i + 3] = 1;
  kg_image_to_rgba8 (opaque, rgba);
  end = fill_plane (rgba, width, height, 0, 1, planes);
  end = fill_plane (rgba, width, height, 1, 2, end);
  end = fill_plane (rgba, width, height, 2, 2, end);
  if (fputs ("FRAME\n", stream->file) < 0 ||
      fwrite (planes, 1, (size_t) (end - planes), stream->file) != (size_t) (end - planes))
    return fail (error);
  return true;
}

bool
kg_stream_add (KgStream *stream, const KgImage *image, GError **error)
{
  const bool good = stream->format == KG_STREAM_Y4M
                        ? write_y4m (stream, image, error)
                        : kg_image_write_png (image, stream->file, stream->bits == 16, error);

  if (!good)
    return false;
  return fflush (stream->file) == 0 || fail (error);
}
