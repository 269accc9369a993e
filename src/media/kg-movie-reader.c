/* kg-movie-reader: single frames out of films.
 *
 * The times of all frames are read beforehand, from the packets of the container: a frame is found by its time, and not by
 * what a container thinks is near it.  Decoding goes on where it was when that is before the frame and after its key frame,
 * and starts again at the key frame otherwise.  The last few frames that were decoded are kept, since threads that each
 * take the next frame ask for them a little out of order.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-movie-reader.h"

#include "kg-image-file.h"
#include "kg-regular-file.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>

#define N_KEPT 8
#define MAX_FRAMES 10000000

typedef struct {
  int64_t time; /* in units of the stream */
  bool key;
} Moment;

struct _KgMovieReader {
  char *path;
  GArray *moments; /* Moment, in the order of time */
  double rate;
  size_t bytes;
  GMutex lock;
  /* Under the lock. */
  AVFormatContext *container;
  AVCodecContext *codec;
  AVPacket *packet;
  AVFrame *kept[N_KEPT]; /* empty: without data */
  guint next_kept;       /* the oldest */
  struct SwsContext *scaler;
  int stream;
  int64_t position; /* the frame that was decoded last; -1 after a start */
  bool drained;     /* the decoder was told that nothing follows */
};

static void *
fail (const KgMovieReader *reader, int code, const char *what, GError **error)
{
  char reason[AV_ERROR_MAX_STRING_SIZE] = "";

  av_strerror (code, reason, sizeof reason);
  kg_set_error (error, KG_ERROR_INVALID_FILE, "%s: %s: %s", reader->path, what, reason);
  return NULL;
}

/* Opening. */

static void
close_file (KgMovieReader *reader)
{
  avcodec_free_context (&reader->codec);
  avformat_close_input (&reader->container);
}

static bool
open_file (KgMovieReader *reader, GError **error)
{
  const AVCodec *decoder = NULL;
  int code = avformat_open_input (&reader->container, reader->path, NULL, NULL);

  if (code >= 0)
    code = avformat_find_stream_info (reader->container, NULL);
  if (code < 0)
    return fail (reader, code, _ ("it is not a readable movie"), error);
  reader->stream = av_find_best_stream (reader->container, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
  if (reader->stream < 0)
    return fail (reader, reader->stream, _ ("it has no video that can be decoded"), error);
  for (unsigned i = 0; i < reader->container->nb_streams; i++)
    reader->container->streams[i]->discard = (int) i == reader->stream ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
  reader->codec = avcodec_alloc_context3 (decoder);
  code = avcodec_parameters_to_context (reader->codec, reader->container->streams[reader->stream]->codecpar);
  if (code >= 0)
    code = avcodec_open2 (reader->codec, decoder, NULL);
  if (code < 0)
    return fail (reader, code, _ ("its frames cannot be decoded"), error);
  reader->position = -1;
  reader->drained = false;
  return true;
}

static int
compare_moments (gconstpointer a, gconstpointer b)
{
  const Moment *x = a, *y = b;

  return (x->time > y->time) - (x->time < y->time);
}

static int64_t
get_packet_time (const AVPacket *packet)
{
  return packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
}

static bool
find_moments (KgMovieReader *reader, GError **error)
{
  guint n = 0;

  while (av_read_frame (reader->container, reader->packet) >= 0) {
    const Moment moment = { get_packet_time (reader->packet), reader->packet->flags & AV_PKT_FLAG_KEY };

    if (reader->packet->stream_index == reader->stream && moment.time != AV_NOPTS_VALUE &&
        !(reader->packet->flags & AV_PKT_FLAG_DISCARD) && reader->moments->len < MAX_FRAMES)
      g_array_append_val (reader->moments, moment);
    av_packet_unref (reader->packet);
  }
  g_array_sort (reader->moments, compare_moments);
  for (guint i = 0; i < reader->moments->len; i++) {
    const Moment *moment = &g_array_index (reader->moments, Moment, i);

    if (n == 0 || moment->time != g_array_index (reader->moments, Moment, n - 1).time)
      g_array_index (reader->moments, Moment, n++) = *moment;
  }
  g_array_set_size (reader->moments, n);
  if (n > 0)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_FILE, "%s: none of its frames has a time", reader->path);
  return false;
}

static void
measure (KgMovieReader *reader)
{
  const AVStream *stream = reader->container->streams[reader->stream];
  const int64_t n = reader->moments->len, first = g_array_index (reader->moments, Moment, 0).time;
  const double seconds = (double) (g_array_index (reader->moments, Moment, n - 1).time - first) *
                         av_q2d (stream->time_base);
  const size_t frame = (size_t) MAX (stream->codecpar->width, 0) * (size_t) MAX (stream->codecpar->height, 0) * 2;

  if (stream->avg_frame_rate.num > 0 && stream->avg_frame_rate.den > 0)
    reader->rate = av_q2d (stream->avg_frame_rate);
  else
    reader->rate = seconds > 0 ? (double) (n - 1) / seconds : 24;
  /* Frames that are kept, and about as many that the decoder refers to. */
  reader->bytes = sizeof *reader + 2 * N_KEPT * frame + reader->moments->len * sizeof (Moment);
}

KgMovieReader *
kg_movie_reader_new (const char *path, GError **error)
{
  KgMovieReader *reader;

  if (!kg_regular_file_check (path, "a movie", error))
    return NULL;
  if (av_log_get_level () == AV_LOG_INFO) /* as nobody chose it: FFmpeg's chatter is no message of ours */
    av_log_set_level (AV_LOG_FATAL);
  reader = g_new0 (KgMovieReader, 1);
  g_mutex_init (&reader->lock);
  reader->path = g_strdup (path);
  reader->moments = g_array_new (FALSE, FALSE, sizeof (Moment));
  reader->packet = av_packet_alloc ();
  for (guint i = 0; i < N_KEPT; i++)
    reader->kept[i] = av_frame_alloc ();
  if (open_file (reader, error) && find_moments (reader, error)) {
    measure (reader);
    close_file (reader);
    if (open_file (reader, error))
      return reader;
  }
  kg_movie_reader_free (reader);
  return NULL;
}

void
kg_movie_reader_free (KgMovieReader *reader)
{
  if (reader == NULL)
    return;
  close_file (reader);
  sws_freeContext (reader->scaler);
  for (guint i = 0; i < N_KEPT; i++)
    av_frame_free (&reader->kept[i]);
  av_packet_free (&reader->packet);
  g_array_unref (reader->moments);
  g_mutex_clear (&reader->lock);
  g_free (reader->path);
  g_free (reader);
}

int64_t
kg_movie_reader_get_n_frames (const KgMovieReader *reader)
{
  return reader->moments->len;
}

double
kg_movie_reader_get_rate (const KgMovieReader *reader)
{
  return reader->rate;
}

size_t
kg_movie_reader_get_bytes (const KgMovieReader *reader)
{
  return reader->bytes;
}

/* Decoding. */

static AVFrame *
find_kept (KgMovieReader *reader, int64_t time)
{
  for (guint i = 0; i < N_KEPT; i++)
    if (reader->kept[i]->buf[0] != NULL && reader->kept[i]->best_effort_timestamp == time)
      return reader->kept[i];
  return NULL;
}

/* The number of the last frame that is not later. */
static int64_t
find_frame (const KgMovieReader *reader, int64_t time)
{
  int64_t low = 0, high = reader->moments->len;

  while (high - low > 1) {
    const int64_t middle = (low + high) / 2;

    if (g_array_index (reader->moments, Moment, middle).time <= time)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static int64_t
find_key (const KgMovieReader *reader, int64_t frame)
{
  while (frame > 0 && !g_array_index (reader->moments, Moment, frame).key)
    frame--;
  return frame;
}

/* Goes to a key frame; from the very start where the container cannot. */
static bool
go_to (KgMovieReader *reader, int64_t key, GError **error)
{
  const int64_t time = g_array_index (reader->moments, Moment, key).time;

  if (key > 0 && av_seek_frame (reader->container, reader->stream, time, AVSEEK_FLAG_BACKWARD) >= 0) {
    avcodec_flush_buffers (reader->codec);
    reader->position = -1;
    reader->drained = false;
    return true;
  }
  close_file (reader);
  return open_file (reader, error);
}

/* The next frame in time, into the oldest place of those that are kept.  AVERROR_EOF after the last. */
static int
decode_next (KgMovieReader *reader)
{
  AVFrame *frame = reader->kept[reader->next_kept];
  int code;

  av_frame_unref (frame);
  while ((code = avcodec_receive_frame (reader->codec, frame)) != 0) {
    if (code == AVERROR_EOF || reader->drained)
      return AVERROR_EOF;
    /* A packet that is damaged costs its own frame, and not those after it. */
    if (av_read_frame (reader->container, reader->packet) >= 0) {
      if (reader->packet->stream_index == reader->stream)
        avcodec_send_packet (reader->codec, reader->packet);
      av_packet_unref (reader->packet);
    } else {
      reader->drained = true;
      avcodec_send_packet (reader->codec, NULL);
    }
  }
  reader->position = find_frame (reader, frame->best_effort_timestamp);
  reader->next_kept = (reader->next_kept + 1) % N_KEPT;
  return 0;
}

/* (nullable) Decodes until the frame is there; NULL when it was passed, or cancelled. */
static AVFrame *
decode_to (KgMovieReader *reader, int64_t frame, KgMovieCancelled cancelled, gconstpointer data)
{
  const int64_t time = g_array_index (reader->moments, Moment, frame).time;
  AVFrame *found = NULL;

  while (found == NULL && reader->position < frame && !(cancelled != NULL && cancelled (data)) &&
         decode_next (reader) >= 0)
    found = find_kept (reader, time);
  return found;
}

static KgImage *
convert (KgMovieReader *reader, const AVFrame *frame, GError **error)
{
  const bool full = frame->color_range == AVCOL_RANGE_JPEG;
  /* What does not say which it is follows custom: large pictures are BT.709. */
  const int matrix = frame->colorspace != AVCOL_SPC_UNSPECIFIED && frame->colorspace != AVCOL_SPC_RGB
                         ? (int) frame->colorspace
                     : frame->height >= 720 ? SWS_CS_ITU709
                                            : SWS_CS_ITU601;
  const size_t stride = ((size_t) frame->width * 4 + 63) / 64 * 64;
  g_autofree uint8_t *rgba = NULL;
  KgImage *image;

  if (frame->width > KG_IMAGE_MAX_SIDE || frame->height > KG_IMAGE_MAX_SIDE)
    return kg_image_new (frame->width, frame->height, false, error);
  rgba = g_try_malloc (stride * (size_t) frame->height);
  reader->scaler = sws_getCachedContext (
      reader->scaler, frame->width, frame->height, (enum AVPixelFormat) frame->format, frame->width, frame->height,
      AV_PIX_FMT_RGBA, SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_BITEXACT, NULL, NULL, NULL);
  if (rgba == NULL || reader->scaler == NULL)
    return fail (reader, AVERROR (ENOMEM), _ ("a frame cannot be converted"), error);
  sws_setColorspaceDetails (reader->scaler, sws_getCoefficients (matrix), full, sws_getCoefficients (SWS_CS_DEFAULT), 1,
                            0, 1 << 16, 1 << 16);
  sws_scale (reader->scaler, (const uint8_t *const *) frame->data, frame->linesize, 0, frame->height,
             (uint8_t *[]){ rgba }, (int[]){ (int) stride });
  image = kg_image_new_from_bytes (rgba, frame->width, frame->height, stride, 4, error);
  if (image != NULL && frame->sample_aspect_ratio.num > 0 && frame->sample_aspect_ratio.den > 0)
    kg_image_set_pixel_aspect (image, av_q2d (frame->sample_aspect_ratio));
  return image;
}

static KgImage *
read_frame (KgMovieReader *reader, int64_t frame, KgMovieCancelled cancelled, gconstpointer data, GError **error)
{
  const int64_t key = find_key (reader, frame);
  AVFrame *found = find_kept (reader, g_array_index (reader->moments, Moment, frame).time);

  if (found == NULL && (reader->container == NULL || reader->position >= frame || reader->position < key) &&
      !go_to (reader, key, error))
    return NULL;
  if (found == NULL)
    found = decode_to (reader, frame, cancelled, data);
  /* Some containers go to a later place than they were told. */
  if (found == NULL && !(cancelled != NULL && cancelled (data))) {
    if (!go_to (reader, 0, error))
      return NULL;
    found = decode_to (reader, frame, cancelled, data);
  }
  if (found != NULL)
    return convert (reader, found, error);
  if (!(cancelled != NULL && cancelled (data)))
    kg_set_error (error, KG_ERROR_INVALID_FILE,
                  "%s: frame %" PRId64 " of %u cannot be decoded: the movie is damaged there", reader->path, frame + 1,
                  reader->moments->len);
  return NULL;
}

KgImage *
kg_movie_reader_read (KgMovieReader *reader, int64_t frame, KgMovieCancelled cancelled, gconstpointer data,
                      GError **error)
{
  KgImage *image;

  g_return_val_if_fail (frame >= 0 && frame < kg_movie_reader_get_n_frames (reader), NULL);
  g_mutex_lock (&reader->lock);
  image = read_frame (reader, frame, cancelled, data, error);
  g_mutex_unlock (&reader->lock);
  return image;
}
