/* import-sound: the samples of sound files, and of the sound of movies, through the FFmpeg libraries.
 *
 * All of the best stream of sound is decoded, as float32.  What the container says of times is believed where it leaves a
 * gap: before a sound that begins later than its movie, and for packets that are lost, there is silence, so that what
 * follows keeps its time.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import-container.h"
#include "kg-sound.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <libavcodec/avcodec.h>
#include <libswresample/swresample.h>
#include <math.h>
#include <string.h>

/* Samples of each channel that are converted at a time. */
#define BLOCK 65536
/* Containers round times: a gap that is no longer, in seconds, is none. */
#define MIN_GAP 0.05

typedef struct {
  ImportContainer file;
  AVCodecContext *codec;
  AVPacket *packet;
  AVFrame *frame;
  struct SwrContext *to_float; /* of frames like the last one */
  AVChannelLayout layout;      /* of these */
  int format;
  int stream;
  int rate, n_channels;
  /* What was decoded: samples of all channels. */
  float *samples;
  uint64_t n_samples, n_allocated; /* of each channel */
  uint64_t n_gaps, n_invalid, n_damaged;
} Sound;

static bool
fail (const Sound *sound, int code, const char *what, GError **error)
{
  return import_fail (sound->file.path, code, what, error);
}

static void
close_sound (Sound *sound)
{
  swr_free (&sound->to_float);
  av_channel_layout_uninit (&sound->layout);
  avcodec_free_context (&sound->codec);
  import_container_close (&sound->file);
  av_packet_free (&sound->packet);
  av_frame_free (&sound->frame);
  g_clear_pointer (&sound->samples, g_free);
}

static bool
open_codec (Sound *sound, GError **error)
{
  const AVCodec *decoder = NULL;
  AVFormatContext *format = sound->file.format;
  int code;

  sound->stream = av_find_best_stream (format, AVMEDIA_TYPE_AUDIO, -1, -1, &decoder, 0);
  if (sound->stream < 0)
    return fail (sound, sound->stream, _ ("it has no sound that can be decoded"), error);
  for (unsigned i = 0; i < format->nb_streams; i++)
    format->streams[i]->discard = (int) i == sound->stream ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
  sound->codec = avcodec_alloc_context3 (decoder);
  code = avcodec_parameters_to_context (sound->codec, format->streams[sound->stream]->codecpar);
  /* For the samples that an encoder has added at both ends. */
  sound->codec->pkt_timebase = format->streams[sound->stream]->time_base;
  if (code >= 0)
    code = avcodec_open2 (sound->codec, decoder, NULL);
  return code >= 0 || fail (sound, code, _ ("its sound cannot be decoded"), error);
}

/* Room for n more samples of each channel. */
static bool
reserve (Sound *sound, uint64_t n, GError **error)
{
  const uint64_t most = KG_SOUND_MAX_SAMPLES / (uint64_t) sound->n_channels;
  const size_t width = (size_t) sound->n_channels * sizeof (float);
  float *samples;
  uint64_t wanted;

  if (n > most || sound->n_samples > most - n) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%s: its sound is too long: %" PRIu64 " samples per channel are the most for %d channels",
                  sound->file.path, most, sound->n_channels);
    return false;
  }
  if (sound->n_samples + n <= sound->n_allocated)
    return true;
  wanted = MIN (most, MAX (sound->n_samples + n, sound->n_allocated + sound->n_allocated / 2));
  samples = (float *) g_try_realloc (sound->samples, (size_t) wanted * width);
  if (samples == NULL)
    return fail (sound, AVERROR (ENOMEM), _ ("its sound is too long to fit into memory"), error);
  sound->samples = samples;
  sound->n_allocated = wanted;
  return true;
}

static bool
add_silence (Sound *sound, uint64_t n, GError **error)
{
  if (!reserve (sound, n, error))
    return false;
  memset (sound->samples + sound->n_samples * (uint64_t) sound->n_channels, 0,
          (size_t) n * (size_t) sound->n_channels * sizeof (float));
  sound->n_samples += n;
  return true;
}

/* The first frame says what the sound is like. */
static bool
set_form (Sound *sound, GError **error)
{
  const AVFrame *frame = sound->frame;
  g_autoptr (GError) reason = NULL;

  if (sound->n_channels == 0) {
    if (!kg_sound_check (frame->sample_rate, frame->ch_layout.nb_channels, 0, &reason)) {
      kg_set_error (error, KG_ERROR_LIMIT, "%s: %s", sound->file.path, reason->message);
      return false;
    }
    sound->rate = frame->sample_rate;
    sound->n_channels = frame->ch_layout.nb_channels;
  } else if (frame->sample_rate != sound->rate || frame->ch_layout.nb_channels != sound->n_channels) {
    kg_set_error (error, KG_ERROR_INVALID_FILE,
                  "%s: its sound changes from %d channels at %d Hz to %d at %d Hz: convert it with ffmpeg",
                  sound->file.path, sound->n_channels, sound->rate, frame->ch_layout.nb_channels, frame->sample_rate);
    return false;
  }
  if (sound->to_float != NULL && sound->format == frame->format)
    return true;
  swr_free (&sound->to_float);
  av_channel_layout_uninit (&sound->layout);
  /* What channels are called is of no interest here, and unknown names are refused. */
  sound->layout = (AVChannelLayout){ .order = AV_CHANNEL_ORDER_UNSPEC, .nb_channels = sound->n_channels };
  sound->format = frame->format;
  if (swr_alloc_set_opts2 (&sound->to_float, &sound->layout, AV_SAMPLE_FMT_FLT, sound->rate, &sound->layout,
                           (enum AVSampleFormat) frame->format, sound->rate, 0, NULL) < 0 ||
      swr_init (sound->to_float) < 0)
    return fail (sound, AVERROR (EINVAL), _ ("its samples cannot be converted"), error);
  return true;
}

/* Silence up to the time of the frame, where that is later than what was decoded. */
static bool
fill_gap (Sound *sound, GError **error)
{
  const AVFormatContext *format = sound->file.format;
  const int64_t start = format->start_time != AV_NOPTS_VALUE ? format->start_time : 0;
  double seconds, gap;

  if (sound->frame->best_effort_timestamp == AV_NOPTS_VALUE)
    return true;
  seconds = (double) sound->frame->best_effort_timestamp * av_q2d (format->streams[sound->stream]->time_base) -
            (double) start / AV_TIME_BASE;
  gap = seconds - (double) sound->n_samples / sound->rate;
  if (!(gap > MIN_GAP))
    return true;
  sound->n_gaps += sound->n_samples > 0;
  return add_silence (sound, (uint64_t) (MIN (gap * sound->rate, (double) KG_SOUND_MAX_SAMPLES) + 0.5), error);
}

static bool
add_frame (Sound *sound, GError **error)
{
  const AVFrame *frame = sound->frame;
  float *to;
  int n;

  if (frame->nb_samples < 1)
    return true;
  if (!set_form (sound, error) || !fill_gap (sound, error) || !reserve (sound, (uint64_t) frame->nb_samples, error))
    return false;
  to = sound->samples + sound->n_samples * (uint64_t) sound->n_channels;
  n = swr_convert (sound->to_float, (uint8_t *[]){ (uint8_t *) to }, frame->nb_samples,
                   (const uint8_t **) frame->extended_data, frame->nb_samples);
  if (n < 0)
    return fail (sound, n, _ ("its samples cannot be converted"), error);
  for (size_t i = 0; i < (size_t) n * (size_t) sound->n_channels; i++)
    if (!isfinite (to[i])) {
      to[i] = 0;
      sound->n_invalid++;
    }
  sound->n_samples += (uint64_t) n;
  return true;
}

/* Hands a packet (NULL: the end) to the decoder, and takes what comes out of it. */
static bool
decode (Sound *sound, const AVPacket *packet, GError **error)
{
  int code = avcodec_send_packet (sound->codec, packet);
  bool good = true;

  sound->n_damaged += code < 0 && code != AVERROR_EOF;
  while (good && avcodec_receive_frame (sound->codec, sound->frame) >= 0) {
    good = add_frame (sound, error);
    av_frame_unref (sound->frame);
  }
  return good;
}

static bool
decode_all (Sound *sound, GError **error)
{
  bool good = true;

  sound->packet = av_packet_alloc ();
  sound->frame = av_frame_alloc ();
  while (good && av_read_frame (sound->file.format, sound->packet) >= 0) {
    if (sound->packet->stream_index == sound->stream)
      good = decode (sound, sound->packet, error);
    av_packet_unref (sound->packet);
  }
  if (!good || !decode (sound, NULL, error))
    return false;
  if (sound->n_samples > 0)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_FILE, "%s: %s", sound->file.path,
                sound->n_damaged > 0 ? _ ("its sound is damaged: no part of it can be decoded")
                                     : _ ("its sound is empty"));
  return false;
}

static void
warn (Sound *sound)
{
  const AVStream *stream = sound->file.format->streams[sound->stream];
  const double seconds = (double) sound->n_samples / sound->rate;
  const double expected = stream->duration != AV_NOPTS_VALUE ? (double) stream->duration * av_q2d (stream->time_base)
                                                             : 0;
  g_autofree char *invalid = NULL, *lost = NULL, *shorter = NULL;

  if (sound->n_invalid > 0) {
    invalid = g_strdup_printf (_ ("%zu samples were not numbers: they are silent"), (size_t) sound->n_invalid);
    kg_import_warn (sound->file.server, invalid);
  }
  if (sound->n_gaps + sound->n_damaged > 0) {
    lost = g_strdup_printf (_ ("the sound is damaged: %zu parts are missing"),
                            (size_t) MAX (sound->n_gaps, sound->n_damaged));
    kg_import_warn (sound->file.server, lost);
  }
  /* An estimate, in files without a header that says it. */
  if (expected > 1.02 * seconds + 0.1) {
    shorter =
        g_strdup_printf (_ ("the sound ends after %.2f of %.2f seconds: the file is incomplete"), seconds, expected);
    kg_import_warn (sound->file.server, shorter);
  }
}

/* Results. */

static float *
take_result (Sound *sound, int64_t rate, uint64_t n_samples, KgImportSound *reply, GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (!kg_sound_check (rate, sound->n_channels, n_samples, &reason)) {
    kg_set_error (error, KG_ERROR_LIMIT, "%s: %s", sound->file.path, reason->message);
    return NULL;
  }
  *reply = (KgImportSound){ .rate = rate, .n_channels = sound->n_channels, .n_samples = n_samples };
  return (float *) kg_import_take_memory (sound->file.server, n_samples * (uint64_t) sound->n_channels * sizeof (float),
                                          error);
}

/* The number of samples of each channel is that of before times the ratio of the rates, rounded. */
static bool
resample (Sound *sound, int rate, KgImportSound *reply, GError **error)
{
  const uint64_t n =
      MAX (1, (sound->n_samples * (uint64_t) rate + (uint64_t) sound->rate / 2) / (uint64_t) sound->rate);
  const size_t width = (size_t) sound->n_channels;
  AVChannelLayout layout = { .order = AV_CHANNEL_ORDER_UNSPEC, .nb_channels = sound->n_channels };
  struct SwrContext *converter = NULL;
  float *to = take_result (sound, rate, n, reply, error);
  uint64_t from = 0, done = 0;
  int code;

  if (to == NULL)
    return false;
  code = swr_alloc_set_opts2 (&converter, &layout, AV_SAMPLE_FMT_FLT, rate, &layout, AV_SAMPLE_FMT_FLT, sound->rate, 0,
                              NULL);
  if (code >= 0)
    code = swr_init (converter);
  while (code >= 0 && done < n) {
    const int some = (int) MIN (sound->n_samples - from, BLOCK);

    /* At the end, what the filter still holds. */
    code = swr_convert (
        converter, (uint8_t *[]){ (uint8_t *) (to + done * width) }, (int) MIN (n - done, (uint64_t) G_MAXINT / 2),
        some > 0 ? (const uint8_t *[]){ (const uint8_t *) (sound->samples + from * width) } : NULL, some);
    if (code <= 0 && some == 0)
      break;
    from += (uint64_t) some;
    done += (uint64_t) MAX (code, 0);
  }
  swr_free (&converter);
  return code >= 0 || fail (sound, code, _ ("its rate cannot be converted"), error);
}

static bool
copy (Sound *sound, KgImportSound *reply, GError **error)
{
  float *to = take_result (sound, sound->rate, sound->n_samples, reply, error);

  if (to != NULL)
    memcpy (to, sound->samples, (size_t) sound->n_samples * (size_t) sound->n_channels * sizeof *to);
  return to != NULL;
}

static bool
read_sound (Sound *sound, uint32_t rate, KgImportSound *reply, GError **error)
{
  if (!import_container_open (&sound->file, _ ("it is not a readable sound or movie"), error) ||
      !open_codec (sound, error) || !decode_all (sound, error))
    return false;
  warn (sound);
  return rate == 0 || (int) rate == sound->rate ? copy (sound, reply, error)
                                                : resample (sound, (int) rate, reply, error);
}

static bool
answer (KgImportServer *server, const KgImportRequest *request, KgImportReply *reply, GError **error)
{
  Sound sound = { .file = { .server = server, .path = kg_import_get_path (server) } };
  bool done;

  av_log_set_level (AV_LOG_FATAL); /* FFmpeg prints too much */
  if (request->operation != KG_IMPORT_READ || request->rate > KG_SOUND_MAX_RATE) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the request is not for a sound");
    return false;
  }
  done = read_sound (&sound, request->rate, &reply->sound, error);
  close_sound (&sound);
  g_clear_error (&sound.file.refusal);
  return done;
}

int
main (int argc, char **argv)
{
  static const KgImportReader reader = { .memory = (uint64_t) 6 << 30, .answer = answer };

  return kg_import_serve (argc, argv, &reader);
}
