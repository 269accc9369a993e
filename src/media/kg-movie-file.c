/* kg-movie-file: films through the FFmpeg libraries.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-movie-file.h"

#include "kg-image-file.h"
#include "kg-output-file.h"
#include "kg-palette.h"

#include <glib/gi18n-lib.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
#include <math.h>

/* Rates beyond these have no exact time base in the containers. */
#define MIN_RATE 0.01
#define MAX_RATE 1000.0
/* A GIF counts in hundredths of a second. */
#define MAX_GIF_RATE 100.0
/* Fixed, because the number of threads changes the bits that x264 writes. */
#define N_THREADS 4

typedef struct {
  const char *suffix;
  const char *container;
  const char *codec;
  enum AVPixelFormat format;
  bool even;                                     /* needs even width and height */
  const char *codec_options, *container_options; /* key=value:key=value */
} KgMovieFormat;

/* Quality: x264 crf 18 and VP9 crf 24 are hard to tell from the frames themselves. */
static const KgMovieFormat formats[] = {
  { ".mp4", "mp4", "libx264", AV_PIX_FMT_YUV420P, true, "preset=medium:crf=18", "movflags=faststart" },
  { ".webm", "webm", "libvpx-vp9", AV_PIX_FMT_YUV420P, true, "crf=24:b=0:deadline=good:cpu-used=2:row-mt=1", "" },
  { ".gif", "gif", "gif", AV_PIX_FMT_PAL8, false, "", "loop=0" },
};

struct _KgMovie {
  /* Owned. */
  char *path;
  KgOutputFile *file;
  AVFormatContext *container;
  AVCodecContext *codec;
  struct SwsContext *scaler; /* RGBA to YUV; NULL for GIF */
  AVFrame *frame;
  AVPacket *packet;
  uint8_t *rgba; /* a padded picture */

  /* Borrowed. */
  const KgMovieFormat *format;
  AVStream *stream;

  int width, height;               /* of the pictures */
  int padded_width, padded_height; /* of the film */
  int64_t n_frames;
  bool opened; /* the container's header is written */
};

static const KgMovieFormat *
find_format (const char *path)
{
  const char *suffix = strrchr (path, '.');

  for (size_t i = 0; suffix != NULL && i < G_N_ELEMENTS (formats); i++) {
    if (g_ascii_strcasecmp (suffix, formats[i].suffix) == 0)
      return &formats[i];
  }
  return NULL;
}

bool
kg_movie_path_is_movie (const char *path)
{
  return find_format (path) != NULL;
}

/* Fails with FFmpeg's own words after ours. */
static bool
fail (const KgMovie *movie, int code, const char *what, GError **error)
{
  char reason[AV_ERROR_MAX_STRING_SIZE] = "";

  av_strerror (code, reason, sizeof reason);
  kg_set_error (error, KG_ERROR_IO, "%s: %s: %s", movie->path, what, reason);
  return false;
}

static AVRational
find_rate (double rate)
{
  const int whole = (int) ceil (rate);
  const double tolerance = 0.005;

  if (rate != whole && rate > 1 && fabs (rate - whole * 1000.0 / 1001.0) < tolerance)
    return (AVRational){ whole * 1000, 1001 };
  return av_d2q (rate, 100000);
}

void
kg_movie_find_rate (double rate, int *numerator, int *denominator)
{
  const AVRational fraction = find_rate (rate);

  *numerator = fraction.num;
  *denominator = fraction.den;
}

static bool
open_file (KgMovie *movie, GError **error)
{
  movie->file = kg_output_file_open (movie->path, error);
  if (movie->file == NULL)
    kg_prefix_error (error, "%s: cannot be written: ", movie->path);
  return movie->file != NULL;
}

static bool
open_codec (KgMovie *movie, AVRational rate, GError **error)
{
  const AVCodec *codec = avcodec_find_encoder_by_name (movie->format->codec);
  AVCodecContext *context;
  AVDictionary *options = NULL;
  int code;

  if (codec == NULL) {
    kg_set_error (error, KG_ERROR_IO, "%s: the FFmpeg libraries were built without the encoder %s", movie->path,
                  movie->format->codec);
    return false;
  }
  movie->codec = context = avcodec_alloc_context3 (codec);
  if (context == NULL)
    return fail (movie, AVERROR (ENOMEM), _ ("cannot start the movie"), error);
  context->width = movie->padded_width;
  context->height = movie->padded_height;
  context->pix_fmt = movie->format->format;
  context->time_base = av_inv_q (rate);
  context->framerate = rate;
  context->thread_count = N_THREADS;
  context->flags |= AV_CODEC_FLAG_BITEXACT;
  if (movie->format->format == AV_PIX_FMT_YUV420P) {
    context->color_primaries = AVCOL_PRI_BT709;
    context->color_trc = AVCOL_TRC_IEC61966_2_1;
    context->colorspace = AVCOL_SPC_BT709;
    context->color_range = AVCOL_RANGE_MPEG;
  }
  if (movie->container->oformat->flags & AVFMT_GLOBALHEADER)
    context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  av_dict_parse_string (&options, movie->format->codec_options, "=", ":", 0);
  code = avcodec_open2 (context, codec, &options);
  av_dict_free (&options);
  if (code < 0) {
    g_autofree char *what =
        g_strdup_printf (_ ("%s cannot encode %d x %d pixels"), codec->name, movie->width, movie->height);

    return fail (movie, code, what, error);
  }
  return true;
}

static bool
open_container (KgMovie *movie, AVRational rate, GError **error)
{
  AVDictionary *options = NULL;
  int code;

  movie->stream = avformat_new_stream (movie->container, NULL);
  if (movie->stream == NULL)
    return fail (movie, AVERROR (ENOMEM), _ ("cannot start the movie"), error);
  movie->stream->time_base = movie->codec->time_base;
  movie->stream->avg_frame_rate = rate;
  movie->container->flags |= AVFMT_FLAG_BITEXACT;
  code = avcodec_parameters_from_context (movie->stream->codecpar, movie->codec);
  if (code < 0)
    return fail (movie, code, _ ("cannot start the movie"), error);
  /* faststart opens the file again by this name. */
  movie->container->url = av_strdup (kg_output_file_get_path (movie->file));
  code = movie->container->url != NULL ? avio_open (&movie->container->pb, movie->container->url, AVIO_FLAG_WRITE)
                                       : AVERROR (ENOMEM);
  if (code < 0)
    return fail (movie, code, _ ("cannot be written"), error);
  av_dict_parse_string (&options, movie->format->container_options, "=", ":", 0);
  code = avformat_write_header (movie->container, &options);
  av_dict_free (&options);
  if (code < 0)
    return fail (movie, code, _ ("cannot be written"), error);
  movie->opened = true;
  return true;
}

static bool
open_frame (KgMovie *movie, GError **error)
{
  const int width = movie->padded_width, height = movie->padded_height;
  int code;

  movie->packet = av_packet_alloc ();
  movie->frame = av_frame_alloc ();
  movie->rgba = g_try_malloc_n ((size_t) width * (size_t) height, 4);
  if (movie->packet == NULL || movie->frame == NULL || movie->rgba == NULL)
    return fail (movie, AVERROR (ENOMEM), _ ("cannot start the movie"), error);
  movie->frame->format = movie->format->format;
  movie->frame->width = width;
  movie->frame->height = height;
  code = av_frame_get_buffer (movie->frame, 0);
  if (code < 0)
    return fail (movie, code, _ ("cannot start the movie"), error);
  if (movie->format->format == AV_PIX_FMT_PAL8)
    return true;
  movie->scaler = sws_getContext (width, height, AV_PIX_FMT_RGBA, width, height, movie->format->format,
                                  SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP | SWS_BITEXACT, NULL, NULL, NULL);
  if (movie->scaler == NULL)
    return fail (movie, AVERROR (EINVAL), _ ("cannot convert colours"), error);
  sws_setColorspaceDetails (movie->scaler, sws_getCoefficients (SWS_CS_ITU709), 1, sws_getCoefficients (SWS_CS_ITU709),
                            0, 0, 1 << 16, 1 << 16);
  return true;
}

static bool
check (const char *path, const KgMovieFormat *format, int width, int height, double rate, GError **error)
{
  const double max_rate = format != NULL && format->format == AV_PIX_FMT_PAL8 ? MAX_GIF_RATE : MAX_RATE;

  if (format == NULL)
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is not a movie: its name must end with .mp4, .webm or .gif", path);
  else if (width < 1 || height < 1 || width > KG_IMAGE_MAX_SIDE || height > KG_IMAGE_MAX_SIDE)
    kg_set_error (error, KG_ERROR_LIMIT, "%s: a movie of %d x %d pixels is not possible (use 1 to %d each)", path,
                  width, height, KG_IMAGE_MAX_SIDE);
  else if (!(rate >= MIN_RATE && rate <= max_rate))
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s: a rate of %g frames per second is not possible: use %g to %g",
                  path, rate, MIN_RATE, max_rate);
  else
    return true;
  return false;
}

KgMovie *
kg_movie_new (const char *path, int width, int height, double rate, GError **error)
{
  const KgMovieFormat *format = find_format (path);
  KgMovie *movie;
  AVRational fraction;
  int code;

  if (!check (path, format, width, height, rate, error))
    return NULL;
  if (av_log_get_level () == AV_LOG_INFO) /* as nobody chose it: FFmpeg's chatter is no message of ours */
    av_log_set_level (AV_LOG_FATAL);
  movie = g_new0 (KgMovie, 1);
  movie->path = g_strdup (path);
  movie->format = format;
  movie->width = width;
  movie->height = height;
  movie->padded_width = format->even ? (width + 1) & ~1 : width;
  movie->padded_height = format->even ? (height + 1) & ~1 : height;
  fraction = find_rate (rate);
  code = avformat_alloc_output_context2 (&movie->container, NULL, format->container, NULL);
  if (code < 0)
    fail (movie, code, _ ("cannot start the movie"), error);
  if (code < 0 || !open_file (movie, error) || !open_codec (movie, fraction, error) ||
      !open_container (movie, fraction, error) || !open_frame (movie, error)) {
    kg_movie_cancel (movie);
    return NULL;
  }
  return movie;
}

/* Fills movie->rgba: laid over black, sRGB, the last row and column repeated where the film is larger. */
static bool
fill_rgba (KgMovie *movie, const KgImage *image, GError **error)
{
  KgImage *opaque = kg_image_ref (image);
  const size_t width = (size_t) movie->width, padded = (size_t) movie->padded_width;
  const size_t n_pixels = width * (size_t) movie->height;
  float *pixels;

  kg_image_make_writable (&opaque);
  pixels = kg_image_edit_pixels (opaque);
  if (pixels == NULL) {
    kg_image_unref (opaque);
    return fail (movie, AVERROR (ENOMEM), _ ("cannot add a frame"), error);
  }
  /* The colour is premultiplied: over black only the coverage changes. */
  for (size_t i = 0; i < n_pixels; i++)
    pixels[4 * i + 3] = 1;
  kg_image_to_rgba8 (opaque, movie->rgba);
  kg_image_unref (opaque);
  for (size_t y = (size_t) movie->height; padded != width && y-- > 0;) {
    memmove (movie->rgba + 4 * padded * y, movie->rgba + 4 * width * y, 4 * width);
    memcpy (movie->rgba + 4 * (padded * y + width), movie->rgba + 4 * (padded * y + width - 1), 4);
  }
  if (movie->padded_height != movie->height)
    memcpy (movie->rgba + 4 * padded * (size_t) movie->height, movie->rgba + 4 * padded * (size_t) (movie->height - 1),
            4 * padded);
  return true;
}

static bool
fill_frame (KgMovie *movie, GError **error)
{
  const size_t width = (size_t) movie->padded_width, height = (size_t) movie->padded_height;
  const int code = av_frame_make_writable (movie->frame);

  if (code < 0)
    return fail (movie, code, _ ("cannot add a frame"), error);
  if (movie->scaler != NULL) {
    const uint8_t *const planes[1] = { movie->rgba };
    const int strides[1] = { 4 * movie->padded_width };

    sws_scale (movie->scaler, planes, strides, 0, movie->padded_height, movie->frame->data, movie->frame->linesize);
  } else {
    g_autofree uint8_t *indices = g_try_malloc (width * height);

    if (indices == NULL)
      return fail (movie, AVERROR (ENOMEM), _ ("cannot add a frame"), error);
    kg_palette_reduce (movie->rgba, width * height, (uint32_t *) (void *) movie->frame->data[1], indices);
    for (size_t y = 0; y < height; y++)
      memcpy (movie->frame->data[0] + (ptrdiff_t) y * movie->frame->linesize[0], indices + y * width, width);
  }
  movie->frame->pts = movie->n_frames++;
  return true;
}

/* Hands a frame (NULL: the end) to the encoder and what comes out of it to the container. */
static bool
encode (KgMovie *movie, AVFrame *frame, GError **error)
{
  int code = avcodec_send_frame (movie->codec, frame);

  while (code >= 0) {
    code = avcodec_receive_packet (movie->codec, movie->packet);
    if (code == AVERROR (EAGAIN) || code == AVERROR_EOF)
      return true;
    if (code < 0)
      break;
    movie->packet->duration = 1;
    movie->packet->stream_index = movie->stream->index;
    av_packet_rescale_ts (movie->packet, movie->codec->time_base, movie->stream->time_base);
    code = av_interleaved_write_frame (movie->container, movie->packet);
    if (code >= 0)
      code = movie->container->pb->error;
  }
  return fail (movie, code, _ ("a frame cannot be written"), error);
}

bool
kg_movie_add (KgMovie *movie, const KgImage *image, GError **error)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);

  if (width != movie->width || height != movie->height) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%s: this frame has %d x %d pixels, but the movie %d x %d: all frames must have the same size",
                  movie->path, width, height, movie->width, movie->height);
    return false;
  }
  return fill_rgba (movie, image, error) && fill_frame (movie, error) && encode (movie, movie->frame, error);
}

static bool
close_file (KgMovie *movie, GError **error)
{
  int code = av_write_trailer (movie->container);

  movie->opened = false;
  if (code >= 0)
    code = movie->container->pb->error;
  if (code >= 0)
    code = avio_closep (&movie->container->pb);
  if (code < 0)
    return fail (movie, code, _ ("cannot be completed"), error);
  if (kg_output_file_complete (movie->file, error))
    return true;
  kg_prefix_error (error, "%s: cannot be completed: ", movie->path);
  return false;
}

bool
kg_movie_finish (KgMovie *movie, GError **error)
{
  bool done;

  if (movie->n_frames == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s: a movie needs at least one frame", movie->path);
    done = false;
  } else {
    done = encode (movie, NULL, error) && close_file (movie, error);
  }
  kg_movie_cancel (movie);
  return done;
}

void
kg_movie_cancel (KgMovie *movie)
{
  if (movie == NULL)
    return;
  sws_freeContext (movie->scaler);
  av_frame_free (&movie->frame);
  av_packet_free (&movie->packet);
  avcodec_free_context (&movie->codec);
  if (movie->container != NULL) {
    /* Some containers free what they hold only with their trailer. */
    if (movie->opened)
      av_write_trailer (movie->container);
    avio_closep (&movie->container->pb);
    avformat_free_context (movie->container);
  }
  kg_output_file_free (movie->file);
  g_free (movie->path);
  g_free (movie->rgba);
  g_free (movie);
}
