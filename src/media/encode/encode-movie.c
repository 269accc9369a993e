/* encode-movie: movies through the FFmpeg libraries.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-encode.h"

#include "config.h"

#include <glib/gi18n-lib.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <string.h>

struct _KgMovieEncoder {
  AVFormatContext *container;
  AVCodecContext *codec;
  struct SwsContext *scaler; /* from RGBA; NULL where it is indexed */
  int bytes;                 /* of a pixel given */
  AVFrame *frame;
  AVPacket *packet;
  AVStream *stream; /* of the container */
  int64_t n_frames;
  bool opened; /* the container's header is written */
};

/* FFmpeg's own words after ours. */
static bool
fail (int code, const char *what, char **reason)
{
  char text[AV_ERROR_MAX_STRING_SIZE] = "";

  av_strerror (code, text, sizeof text);
  *reason = g_strdup_printf ("%s: %s", what, text);
  return false;
}

static bool
open_codec (KgMovieEncoder *encoder, const KgMovieEncoding *encoding, char **reason)
{
  const AVCodec *codec = avcodec_find_encoder_by_name (encoding->codec);
  const AVRational rate = { encoding->rate, encoding->per };
  AVCodecContext *context;
  AVDictionary *options = NULL;
  int code;

  if (codec == NULL) {
    *reason = g_strdup_printf (_ ("the FFmpeg libraries were built without the encoder %s"), encoding->codec);
    return false;
  }
  encoder->codec = context = avcodec_alloc_context3 (codec);
  if (context == NULL)
    return fail (AVERROR (ENOMEM), _ ("cannot start the movie"), reason);
  context->width = encoding->width;
  context->height = encoding->height;
  context->pix_fmt = av_get_pix_fmt (encoding->pixels);
  context->time_base = av_inv_q (rate);
  context->framerate = rate;
  context->thread_count = encoding->n_threads;
  context->flags |= AV_CODEC_FLAG_BITEXACT;
  if (!(av_pix_fmt_desc_get (context->pix_fmt)->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL))) {
    context->color_primaries = AVCOL_PRI_BT709;
    context->color_trc = AVCOL_TRC_IEC61966_2_1;
    context->colorspace = AVCOL_SPC_BT709;
    context->color_range = AVCOL_RANGE_MPEG;
  }
  if (encoder->container->oformat->flags & AVFMT_GLOBALHEADER)
    context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  av_dict_parse_string (&options, encoding->codec_options, "=", ":", 0);
  code = avcodec_open2 (context, codec, &options);
  av_dict_free (&options);
  if (code < 0) {
    g_autofree char *what =
        g_strdup_printf (_ ("%s cannot encode %d x %d pixels"), codec->name, encoding->width, encoding->height);

    return fail (code, what, reason);
  }
  return true;
}

static bool
open_container (KgMovieEncoder *encoder, const KgMovieEncoding *encoding, char **reason)
{
  AVDictionary *options = NULL;
  int code;

  encoder->stream = avformat_new_stream (encoder->container, NULL);
  if (encoder->stream == NULL)
    return fail (AVERROR (ENOMEM), _ ("cannot start the movie"), reason);
  encoder->stream->time_base = encoder->codec->time_base;
  encoder->stream->avg_frame_rate = encoder->codec->framerate;
  encoder->container->flags |= AVFMT_FLAG_BITEXACT;
  code = avcodec_parameters_from_context (encoder->stream->codecpar, encoder->codec);
  if (code < 0)
    return fail (code, _ ("cannot start the movie"), reason);
  /* faststart opens the file again by this name. */
  encoder->container->url = av_strdup (encoding->file);
  code = encoder->container->url != NULL ? avio_open (&encoder->container->pb, encoder->container->url, AVIO_FLAG_WRITE)
                                         : AVERROR (ENOMEM);
  if (code < 0)
    return fail (code, _ ("cannot be written"), reason);
  av_dict_parse_string (&options, encoding->container_options, "=", ":", 0);
  code = avformat_write_header (encoder->container, &options);
  av_dict_free (&options);
  if (code < 0)
    return fail (code, _ ("cannot be written"), reason);
  encoder->opened = true;
  return true;
}

static bool
open_frame (KgMovieEncoder *encoder, const KgMovieEncoding *encoding, char **reason)
{
  const int width = encoding->width, height = encoding->height;
  int code;

  encoder->packet = av_packet_alloc ();
  encoder->frame = av_frame_alloc ();
  if (encoder->packet == NULL || encoder->frame == NULL)
    return fail (AVERROR (ENOMEM), _ ("cannot start the movie"), reason);
  encoder->bytes = encoding->deep ? 8 : 4;
  encoder->frame->format = encoder->codec->pix_fmt;
  encoder->frame->width = width;
  /* Some encoders ask the frame, not the stream. */
  encoder->frame->color_primaries = encoder->codec->color_primaries;
  encoder->frame->color_trc = encoder->codec->color_trc;
  encoder->frame->colorspace = encoder->codec->colorspace;
  encoder->frame->color_range = encoder->codec->color_range;
  encoder->frame->height = height;
  code = av_frame_get_buffer (encoder->frame, 0);
  if (code < 0)
    return fail (code, _ ("cannot start the movie"), reason);
  if (encoding->indexed)
    return true;
  encoder->scaler = sws_getContext (
      width, height, encoding->deep ? AV_PIX_FMT_RGBA64 : AV_PIX_FMT_RGBA, width, height, encoder->codec->pix_fmt,
      SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP | SWS_BITEXACT, NULL, NULL, NULL);
  if (encoder->scaler == NULL)
    return fail (AVERROR (EINVAL), _ ("cannot convert colours"), reason);
  sws_setColorspaceDetails (encoder->scaler, sws_getCoefficients (SWS_CS_ITU709), 1,
                            sws_getCoefficients (SWS_CS_ITU709), 0, 0, 1 << 16, 1 << 16);
  return true;
}

static void
encoder_free (KgMovieEncoder *encoder)
{
  sws_freeContext (encoder->scaler);
  av_frame_free (&encoder->frame);
  av_packet_free (&encoder->packet);
  avcodec_free_context (&encoder->codec);
  if (encoder->container != NULL) {
    /* Some containers free what they hold only with their trailer. */
    if (encoder->opened)
      av_write_trailer (encoder->container);
    avio_closep (&encoder->container->pb);
    avformat_free_context (encoder->container);
  }
  g_free (encoder);
}

static KgMovieEncoder *
encoder_open (const KgMovieEncoding *encoding, char **reason)
{
  KgMovieEncoder *encoder = g_new0 (KgMovieEncoder, 1);
  int code;

  if (av_log_get_level () == AV_LOG_INFO) /* as nobody chose it: FFmpeg's chatter is no message of ours */
    av_log_set_level (AV_LOG_FATAL);
  code = avformat_alloc_output_context2 (&encoder->container, NULL, encoding->container, NULL);
  if (code < 0)
    fail (code, _ ("cannot start the movie"), reason);
  if (code >= 0 && open_codec (encoder, encoding, reason) && open_container (encoder, encoding, reason) &&
      open_frame (encoder, encoding, reason))
    return encoder;
  encoder_free (encoder);
  return NULL;
}

/* Hands a frame (NULL: the end) to the encoder and what comes out of it to the container. */
static bool
encode (KgMovieEncoder *encoder, AVFrame *frame, char **reason)
{
  int code = avcodec_send_frame (encoder->codec, frame);

  while (code >= 0) {
    code = avcodec_receive_packet (encoder->codec, encoder->packet);
    if (code == AVERROR (EAGAIN) || code == AVERROR_EOF)
      return true;
    if (code < 0)
      break;
    encoder->packet->duration = 1;
    encoder->packet->stream_index = encoder->stream->index;
    av_packet_rescale_ts (encoder->packet, encoder->codec->time_base, encoder->stream->time_base);
    code = av_interleaved_write_frame (encoder->container, encoder->packet);
    if (code >= 0)
      code = encoder->container->pb->error;
  }
  return fail (code, _ ("a frame cannot be written"), reason);
}

static bool
encoder_add (KgMovieEncoder *encoder, const uint8_t *pixels, const uint32_t *palette, char **reason)
{
  AVFrame *frame = encoder->frame;
  const int code = av_frame_make_writable (frame), width = frame->width, height = frame->height;

  if (code < 0)
    return fail (code, _ ("cannot add a frame"), reason);
  if (encoder->scaler != NULL)
    sws_scale (encoder->scaler, (const uint8_t *const[]){ pixels }, (const int[]){ encoder->bytes * width }, 0, height,
               frame->data, frame->linesize);
  else {
    memcpy (frame->data[1], palette, 256 * sizeof *palette);
    for (ptrdiff_t y = 0; y < height; y++)
      memcpy (frame->data[0] + y * frame->linesize[0], pixels + y * width, (size_t) width);
  }
  frame->pts = encoder->n_frames++;
  return encode (encoder, frame, reason);
}

static bool
encoder_finish (KgMovieEncoder *encoder, char **reason)
{
  int code;

  if (!encode (encoder, NULL, reason))
    return false;
  code = av_write_trailer (encoder->container);
  encoder->opened = false;
  if (code >= 0)
    code = encoder->container->pb->error;
  if (code >= 0)
    code = avio_closep (&encoder->container->pb);
  return code >= 0 || fail (code, _ ("cannot be completed"), reason);
}

extern const KgMovieModule kg_encode_movie;
__attribute__ ((visibility ("default")))
const KgMovieModule kg_encode_movie = { encoder_open, encoder_add, encoder_finish, encoder_free };
