/* encode-movie: movies through the FFmpeg libraries.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-encode.h"

#include "config.h"

#include <glib/gi18n-lib.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
#include <string.h>

/* Samples of each channel that are converted at a time. */
#define SOUND_BLOCK 16384
/* In a frame of a codec that takes any number of them. */
#define SOUND_FRAME 4096

typedef struct {
  AVCodecContext *codec; /* NULL without sound */
  AVStream *stream;
  struct SwrContext *converter; /* to the samples of the codec */
  AVAudioFifo *waiting;         /* until there are enough for a frame */
  AVFrame *frame;
  int rate;                   /* of the samples that are given */
  int64_t n_given, n_waiting; /* samples of each channel: given, at that rate; converted, at that of the codec */
  int64_t n_encoded;
} Sound;

struct _KgMovieEncoder {
  AVFormatContext *container;
  Sound sound;
  AVCodecContext *codec;     /* NULL without frames */
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
    context->colorspace = encoding->jpeg ? AVCOL_SPC_BT470BG : AVCOL_SPC_BT709;
    context->color_range = encoding->jpeg ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
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

/* Of those that the codec has, the lowest rate that is not lower, or else the highest. */
static int
choose_rate (const AVCodec *codec, int rate)
{
  int higher = 0, highest = 0;

  for (const int *r = codec->supported_samplerates; r != NULL && *r != 0; r++) {
    highest = FFMAX (highest, *r);
    if (*r >= rate && (higher == 0 || *r < higher))
      higher = *r;
  }
  return higher > 0 ? higher : highest > 0 ? highest : rate;
}

static bool
open_sound_codec (KgMovieEncoder *encoder, const KgMovieEncoding *encoding, char **reason)
{
  const AVCodec *codec = avcodec_find_encoder_by_name (encoding->sound_codec);
  AVCodecContext *context;
  AVDictionary *options = NULL;
  int code;

  if (codec == NULL) {
    *reason = g_strdup_printf (_ ("the FFmpeg libraries were built without the encoder %s"), encoding->sound_codec);
    return false;
  }
  encoder->sound.codec = context = avcodec_alloc_context3 (codec);
  if (context == NULL)
    return fail (AVERROR (ENOMEM), _ ("cannot start the sound"), reason);
  context->sample_rate = choose_rate (codec, encoding->sound_rate);
  context->sample_fmt = codec->sample_fmts != NULL ? codec->sample_fmts[0] : AV_SAMPLE_FMT_FLTP;
  /* Lossless codecs name the sample with the fewest bits first. */
  for (const enum AVSampleFormat *f = codec->sample_fmts; f != NULL && *f != AV_SAMPLE_FMT_NONE; f++)
    if (*f == AV_SAMPLE_FMT_S32)
      context->sample_fmt = *f;
  if (context->sample_fmt == AV_SAMPLE_FMT_S32)
    context->bits_per_raw_sample = 24;
  av_channel_layout_default (&context->ch_layout, encoding->n_sound_channels);
  context->time_base = (AVRational){ 1, context->sample_rate };
  context->thread_count = 1;
  context->flags |= AV_CODEC_FLAG_BITEXACT;
  if (encoder->container->oformat->flags & AVFMT_GLOBALHEADER)
    context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  av_dict_parse_string (&options, encoding->sound_options, "=", ":", 0);
  code = avcodec_open2 (context, codec, &options);
  av_dict_free (&options);
  if (code < 0) {
    g_autofree char *what = g_strdup_printf (_ ("%s cannot encode a sound of %d channels and %d samples per second"),
                                             codec->name, encoding->n_sound_channels, encoding->sound_rate);

    return fail (code, what, reason);
  }
  return true;
}

static bool
open_sound (KgMovieEncoder *encoder, const KgMovieEncoding *encoding, char **reason)
{
  Sound *sound = &encoder->sound;
  int code;

  if (encoding->sound_codec == NULL)
    return true;
  if (!open_sound_codec (encoder, encoding, reason))
    return false;
  sound->rate = encoding->sound_rate;
  code = swr_alloc_set_opts2 (&sound->converter, &sound->codec->ch_layout, sound->codec->sample_fmt,
                              sound->codec->sample_rate, &sound->codec->ch_layout, AV_SAMPLE_FMT_FLT, sound->rate, 0,
                              NULL);
  if (code >= 0)
    code = swr_init (sound->converter);
  if (code < 0)
    return fail (code, _ ("cannot convert the sound"), reason);
  sound->waiting = av_audio_fifo_alloc (sound->codec->sample_fmt, encoding->n_sound_channels, SOUND_BLOCK);
  sound->frame = av_frame_alloc ();
  sound->stream = avformat_new_stream (encoder->container, NULL);
  if (sound->waiting == NULL || sound->frame == NULL || sound->stream == NULL)
    return fail (AVERROR (ENOMEM), _ ("cannot start the sound"), reason);
  sound->stream->time_base = sound->codec->time_base;
  code = avcodec_parameters_from_context (sound->stream->codecpar, sound->codec);
  return code >= 0 || fail (code, _ ("cannot start the sound"), reason);
}

static bool
open_video_stream (KgMovieEncoder *encoder, char **reason)
{
  int code;

  if (encoder->codec == NULL)
    return true;
  encoder->stream = avformat_new_stream (encoder->container, NULL);
  if (encoder->stream == NULL)
    return fail (AVERROR (ENOMEM), _ ("cannot start the movie"), reason);
  encoder->stream->time_base = encoder->codec->time_base;
  encoder->stream->avg_frame_rate = encoder->codec->framerate;
  code = avcodec_parameters_from_context (encoder->stream->codecpar, encoder->codec);
  return code >= 0 || fail (code, _ ("cannot start the movie"), reason);
}

static bool
open_container (KgMovieEncoder *encoder, const KgMovieEncoding *encoding, char **reason)
{
  AVDictionary *options = NULL;
  int code;

  if (!open_video_stream (encoder, reason) || !open_sound (encoder, encoding, reason))
    return false;
  encoder->container->flags |= AVFMT_FLAG_BITEXACT;
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
  if (encoder->codec == NULL)
    return true;
  encoder->bytes = encoding->deep ? 8 : 4;
  encoder->frame->quality = encoder->codec->global_quality;
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
                            sws_getCoefficients (encoding->jpeg ? SWS_CS_ITU601 : SWS_CS_ITU709), encoding->jpeg, 0,
                            1 << 16, 1 << 16);
  return true;
}

static void
encoder_free (KgMovieEncoder *encoder)
{
  sws_freeContext (encoder->scaler);
  av_frame_free (&encoder->frame);
  av_packet_free (&encoder->packet);
  avcodec_free_context (&encoder->codec);
  swr_free (&encoder->sound.converter);
  if (encoder->sound.waiting != NULL)
    av_audio_fifo_free (encoder->sound.waiting);
  av_frame_free (&encoder->sound.frame);
  avcodec_free_context (&encoder->sound.codec);
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
  if (code >= 0 && (encoding->codec == NULL || open_codec (encoder, encoding, reason)) &&
      open_container (encoder, encoding, reason) && open_frame (encoder, encoding, reason))
    return encoder;
  encoder_free (encoder);
  return NULL;
}

/* Hands a frame (NULL: the end) to the encoder of the frames or of the sound, and what comes out of it to the container.
 * duration: of a packet, where the encoder does not say it; 0: it does. */
static bool
encode_with (KgMovieEncoder *encoder, AVCodecContext *codec, AVStream *stream, AVFrame *frame, int64_t duration,
             char **reason)
{
  int code = avcodec_send_frame (codec, frame);

  while (code >= 0) {
    code = avcodec_receive_packet (codec, encoder->packet);
    if (code == AVERROR (EAGAIN) || code == AVERROR_EOF)
      return true;
    if (code < 0)
      break;
    if (duration > 0)
      encoder->packet->duration = duration;
    encoder->packet->stream_index = stream->index;
    av_packet_rescale_ts (encoder->packet, codec->time_base, stream->time_base);
    code = av_interleaved_write_frame (encoder->container, encoder->packet);
    if (code >= 0)
      code = encoder->container->pb->error;
  }
  return fail (code, codec == encoder->codec ? _ ("a frame cannot be written") : _ ("the sound cannot be written"),
               reason);
}

static bool
encode (KgMovieEncoder *encoder, AVFrame *frame, char **reason)
{
  return encode_with (encoder, encoder->codec, encoder->stream, frame, 1, reason);
}

/* Sound. */

/* The next n samples that wait, as a frame. */
static bool
encode_waiting (KgMovieEncoder *encoder, int n, char **reason)
{
  Sound *sound = &encoder->sound;
  AVFrame *frame = sound->frame;
  int code;
  bool good;

  frame->format = sound->codec->sample_fmt;
  frame->sample_rate = sound->codec->sample_rate;
  frame->nb_samples = n;
  code = av_channel_layout_copy (&frame->ch_layout, &sound->codec->ch_layout);
  if (code >= 0)
    code = av_frame_get_buffer (frame, 0);
  if (code < 0 || av_audio_fifo_read (sound->waiting, (void **) frame->extended_data, n) < n)
    return fail (code < 0 ? code : AVERROR (ENOMEM), _ ("the sound cannot be written"), reason);
  frame->pts = sound->n_encoded;
  sound->n_encoded += n;
  good = encode_with (encoder, sound->codec, sound->stream, frame, 0, reason);
  av_frame_unref (frame);
  return good;
}

/* Frames of the size that the codec takes; with all, also the rest. */
static bool
encode_sound_frames (KgMovieEncoder *encoder, bool all, char **reason)
{
  Sound *sound = &encoder->sound;
  const bool any_size = sound->codec->codec->capabilities & AV_CODEC_CAP_VARIABLE_FRAME_SIZE;
  const int size = any_size || sound->codec->frame_size < 1 ? SOUND_FRAME : sound->codec->frame_size;

  while (av_audio_fifo_size (sound->waiting) >= (all ? 1 : size))
    if (!encode_waiting (encoder, FFMIN (size, av_audio_fifo_size (sound->waiting)), reason))
      return false;
  return true;
}

/* Converts n samples (samples NULL: what the converter still holds, up to so many) and lets them wait. */
static int
convert_sound (Sound *sound, const float *samples, int n)
{
  const int room = samples != NULL ? swr_get_out_samples (sound->converter, n) : n;
  uint8_t **converted = NULL;
  int code = av_samples_alloc_array_and_samples (&converted, NULL, sound->codec->ch_layout.nb_channels, FFMAX (room, 1),
                                                 sound->codec->sample_fmt, 0);

  if (code < 0)
    return code;
  code = swr_convert (sound->converter, converted, room,
                      samples != NULL ? (const uint8_t *[]){ (const uint8_t *) samples } : NULL,
                      samples != NULL ? n : 0);
  if (code > 0)
    code = av_audio_fifo_write (sound->waiting, (void **) converted, code);
  sound->n_waiting += FFMAX (code, 0);
  av_freep (&converted[0]);
  av_freep (&converted);
  return code;
}

static bool
encoder_add_sound (KgMovieEncoder *encoder, const float *samples, size_t n, char **reason)
{
  Sound *sound = &encoder->sound;

  while (n > 0) {
    const int some = (int) FFMIN (n, SOUND_BLOCK);
    const int code = convert_sound (sound, samples, some);

    if (code < 0)
      return fail (code, _ ("cannot convert the sound"), reason);
    sound->n_given += some;
    samples += (size_t) some * (size_t) sound->codec->ch_layout.nb_channels;
    n -= (size_t) some;
    if (!encode_sound_frames (encoder, false, reason))
      return false;
  }
  return true;
}

/* What the converter holds, as far as it belongs to the samples that were given: not the tail of its filter. */
static bool
finish_sound (KgMovieEncoder *encoder, char **reason)
{
  Sound *sound = &encoder->sound;
  int64_t left;

  if (sound->codec == NULL)
    return true;
  left = av_rescale (sound->n_given, sound->codec->sample_rate, sound->rate) - sound->n_waiting;
  while (left > 0) {
    const int code = convert_sound (sound, NULL, (int) FFMIN (left, SOUND_BLOCK));

    if (code < 0)
      return fail (code, _ ("cannot convert the sound"), reason);
    if (code == 0)
      break;
    left -= code;
  }
  return encode_sound_frames (encoder, true, reason) &&
         encode_with (encoder, sound->codec, sound->stream, NULL, 0, reason);
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

  if ((encoder->codec != NULL && !encode (encoder, NULL, reason)) || !finish_sound (encoder, reason))
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
const KgMovieModule kg_encode_movie = { encoder_open, encoder_add, encoder_add_sound, encoder_finish, encoder_free };
