/* import-movie: single frames out of movies, through the FFmpeg libraries.
 *
 * The times of all frames are read beforehand, from the packets of the container: a frame is found by its time, and not by
 * what a container thinks is near it.  Decoding goes on where it was when that is before the frame and after its key frame,
 * and starts again at the key frame otherwise.  The last few frames that were decoded are kept, since threads that each
 * take the next frame ask for them a little out of order.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import-container.h"
#include "kg-image.h"
#include "kg-math.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

#define N_KEPT 8
#define MAX_FRAMES 10000000
/* Of a frame. */
#define MAX_PIXELS ((int64_t) 1 << 27)

typedef struct {
  int64_t time; /* in units of the stream */
  bool key;
} Moment;

typedef struct {
  ImportContainer file;
  GArray *moments; /* (nullable) Moment, in the order of time */
  AVCodecContext *codec;
  AVPacket *packet;
  AVFrame *kept[N_KEPT]; /* empty: without data */
  guint next_kept;       /* the oldest */
  struct SwsContext *scaler;
  int stream;
  int64_t position; /* the frame that was decoded last; -1 after a start */
  bool drained;     /* the decoder knows that nothing follows */
} Movie;

/* FFmpeg's own decoders of VP8 and VP9 leave out the coverage that a WebM has beside the image; libvpx does not. */
static const AVCodec *
find_alpha_decoder (const AVStream *stream, const AVCodec *decoder)
{
  const AVDictionaryEntry *mode = av_dict_get (stream->metadata, "alpha_mode", NULL, 0);
  const char *name = stream->codecpar->codec_id == AV_CODEC_ID_VP9   ? "libvpx-vp9"
                     : stream->codecpar->codec_id == AV_CODEC_ID_VP8 ? "libvpx"
                                                                     : NULL;
  const AVCodec *other =
      mode != NULL && strcmp (mode->value, "1") == 0 && name != NULL ? avcodec_find_decoder_by_name (name) : NULL;

  return other != NULL ? other : decoder;
}

static void
close_movie (Movie *movie)
{
  avcodec_free_context (&movie->codec);
  import_container_close (&movie->file);
}

static bool
open_movie (Movie *movie, GError **error)
{
  const AVCodec *decoder = NULL;
  int code;

  if (!import_container_open (&movie->file, _ ("it is not a readable movie"), error))
    return false;
  movie->stream = av_find_best_stream (movie->file.format, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
  if (movie->stream < 0)
    return import_fail (movie->file.path, movie->stream, _ ("it has no video that can be decoded"), error);
  for (unsigned i = 0; i < movie->file.format->nb_streams; i++)
    movie->file.format->streams[i]->discard = (int) i == movie->stream ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
  decoder = find_alpha_decoder (movie->file.format->streams[movie->stream], decoder);
  movie->codec = avcodec_alloc_context3 (decoder);
  code = avcodec_parameters_to_context (movie->codec, movie->file.format->streams[movie->stream]->codecpar);
  movie->codec->max_pixels = MAX_PIXELS;
  if (code >= 0)
    code = avcodec_open2 (movie->codec, decoder, NULL);
  if (code < 0)
    return import_fail (movie->file.path, code, _ ("its frames cannot be decoded"), error);
  movie->position = -1;
  movie->drained = false;
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
find_moments (Movie *movie, GError **error)
{
  guint n = 0;

  while (av_read_frame (movie->file.format, movie->packet) >= 0) {
    const Moment moment = { get_packet_time (movie->packet), movie->packet->flags & AV_PKT_FLAG_KEY };

    if (movie->packet->stream_index == movie->stream && moment.time != AV_NOPTS_VALUE &&
        !(movie->packet->flags & AV_PKT_FLAG_DISCARD) && movie->moments->len < MAX_FRAMES)
      g_array_append_val (movie->moments, moment);
    av_packet_unref (movie->packet);
  }
  g_array_sort (movie->moments, compare_moments);
  for (guint i = 0; i < movie->moments->len; i++) {
    const Moment *moment = &g_array_index (movie->moments, Moment, i);

    if (n == 0 || moment->time != g_array_index (movie->moments, Moment, n - 1).time)
      g_array_index (movie->moments, Moment, n++) = *moment;
  }
  g_array_set_size (movie->moments, n);
  if (n > 0)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_FILE, "%s: none of its frames has a time", movie->file.path);
  return false;
}

static void
measure (const Movie *movie, KgImportMovie *reply)
{
  const AVStream *stream = movie->file.format->streams[movie->stream];
  const int64_t n = movie->moments->len, first = g_array_index (movie->moments, Moment, 0).time;
  const double seconds = (double) (g_array_index (movie->moments, Moment, n - 1).time - first) *
                         av_q2d (stream->time_base);
  const size_t frame = (size_t) MAX (stream->codecpar->width, 0) * (size_t) MAX (stream->codecpar->height, 0) * 2;

  reply->n_frames = n;
  if (stream->avg_frame_rate.num > 0 && stream->avg_frame_rate.den > 0)
    reply->rate = av_q2d (stream->avg_frame_rate);
  else
    reply->rate = seconds > 0 ? (double) (n - 1) / seconds : 24;
  /* Frames that are kept, and about as many that the decoder refers to. */
  reply->bytes = 2 * N_KEPT * frame + movie->moments->len * sizeof (Moment);
}

/* Looks through the whole movie, and stands at its beginning again. */
static bool
open_first (Movie *movie, KgImportMovie *reply, GError **error)
{
  movie->moments = g_array_new (FALSE, FALSE, sizeof (Moment));
  if (!open_movie (movie, error) || !find_moments (movie, error))
    return false;
  measure (movie, reply);
  close_movie (movie);
  return open_movie (movie, error);
}

/* Decoding. */

static AVFrame *
find_kept (Movie *movie, int64_t time)
{
  for (guint i = 0; i < N_KEPT; i++)
    if (movie->kept[i]->buf[0] != NULL && movie->kept[i]->best_effort_timestamp == time)
      return movie->kept[i];
  return NULL;
}

/* The number of the last frame that is not later. */
static int64_t
find_frame (const Movie *movie, int64_t time)
{
  int64_t low = 0, high = movie->moments->len;

  while (high - low > 1) {
    const int64_t middle = (low + high) / 2;

    if (g_array_index (movie->moments, Moment, middle).time <= time)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static int64_t
find_key (const Movie *movie, int64_t frame)
{
  while (frame > 0 && !g_array_index (movie->moments, Moment, frame).key)
    frame--;
  return frame;
}

/* Goes to a key frame; from the very start where the container cannot. */
static bool
go_to (Movie *movie, int64_t key, GError **error)
{
  const int64_t time = g_array_index (movie->moments, Moment, key).time;

  if (key > 0 && av_seek_frame (movie->file.format, movie->stream, time, AVSEEK_FLAG_BACKWARD) >= 0) {
    avcodec_flush_buffers (movie->codec);
    movie->position = -1;
    movie->drained = false;
    return true;
  }
  close_movie (movie);
  return open_movie (movie, error);
}

/* The next frame in time, into the oldest place of those that are kept.  AVERROR_EOF after the last. */
static int
decode_next (Movie *movie)
{
  AVFrame *frame = movie->kept[movie->next_kept];
  int code;

  av_frame_unref (frame);
  while ((code = avcodec_receive_frame (movie->codec, frame)) != 0) {
    if (code == AVERROR_EOF || movie->drained)
      return AVERROR_EOF;
    /* A packet that is damaged costs its own frame, and not those after it. */
    if (av_read_frame (movie->file.format, movie->packet) >= 0) {
      if (movie->packet->stream_index == movie->stream)
        avcodec_send_packet (movie->codec, movie->packet);
      av_packet_unref (movie->packet);
    } else {
      movie->drained = true;
      avcodec_send_packet (movie->codec, NULL);
    }
  }
  movie->position = find_frame (movie, frame->best_effort_timestamp);
  movie->next_kept = (movie->next_kept + 1) % N_KEPT;
  return 0;
}

/* (nullable) Decodes until the frame is there; NULL when it was passed. */
static AVFrame *
decode_to (Movie *movie, int64_t frame)
{
  const int64_t time = g_array_index (movie->moments, Moment, frame).time;
  AVFrame *found = NULL;

  while (found == NULL && movie->position < frame && decode_next (movie) >= 0)
    found = find_kept (movie, time);
  return found;
}

/* Into the memory of the result. */
static bool
convert (Movie *movie, const AVFrame *frame, KgImportImage *image, GError **error)
{
  const bool full = frame->color_range == AVCOL_RANGE_JPEG;
  /* What does not say which it is follows custom: large images are BT.709. */
  const int matrix = frame->colorspace != AVCOL_SPC_UNSPECIFIED && frame->colorspace != AVCOL_SPC_RGB
                         ? (int) frame->colorspace
                     : frame->height >= 720 ? SWS_CS_ITU709
                                            : SWS_CS_ITU601;
  /* What has more than 8 bits keeps them. */
  const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get ((enum AVPixelFormat) frame->format);
  const bool deep = pixels != NULL && pixels->comp[0].depth > 8;
  const size_t row = (size_t) frame->width * (deep ? 8 : 4), stride = (row + 63) / 64 * 64;
  const double aspect = frame->sample_aspect_ratio.num > 0 && frame->sample_aspect_ratio.den > 0
                            ? av_q2d (frame->sample_aspect_ratio)
                            : 1;
  g_autofree uint8_t *rgba = NULL;
  uint8_t *to;

  if (!kg_image_check_size (frame->width, frame->height, error))
    return false;
  rgba = g_try_malloc (stride * (size_t) frame->height);
  movie->scaler = sws_getCachedContext (movie->scaler, frame->width, frame->height, (enum AVPixelFormat) frame->format,
                                        frame->width, frame->height, deep ? AV_PIX_FMT_RGBA64 : AV_PIX_FMT_RGBA,
                                        SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_BITEXACT, NULL, NULL,
                                        NULL);
  if (rgba == NULL || movie->scaler == NULL)
    return import_fail (movie->file.path, AVERROR (ENOMEM), _ ("a frame cannot be converted"), error);
  sws_setColorspaceDetails (movie->scaler, sws_getCoefficients (matrix), full, sws_getCoefficients (SWS_CS_DEFAULT), 1,
                            0, 1 << 16, 1 << 16);
  sws_scale (movie->scaler, (const uint8_t *const *) frame->data, frame->linesize, 0, frame->height,
             (uint8_t *[]){ rgba }, (int[]){ (int) stride });
  to = (uint8_t *) kg_import_take_memory (movie->file.server, row * (size_t) frame->height, error);
  if (to == NULL)
    return false;
  for (int y = 0; y < frame->height; y++)
    memcpy (to + row * (size_t) y, rgba + stride * (size_t) y, row);
  *image = (KgImportImage){ frame->width, frame->height, kg_clamp (aspect, 1e-4, 1e4),
                            deep ? KG_IMPORT_RGBA16 : KG_IMPORT_RGBA8 };
  return true;
}

static bool
read_frame (Movie *movie, int64_t frame, KgImportImage *image, GError **error)
{
  const int64_t key = find_key (movie, frame);
  AVFrame *found = find_kept (movie, g_array_index (movie->moments, Moment, frame).time);

  if (found == NULL && (movie->file.format == NULL || movie->position >= frame || movie->position < key) &&
      !go_to (movie, key, error))
    return false;
  if (found == NULL)
    found = decode_to (movie, frame);
  /* Some containers seek to a later place than requested. */
  if (found == NULL) {
    if (!go_to (movie, 0, error))
      return false;
    found = decode_to (movie, frame);
  }
  if (found != NULL)
    return convert (movie, found, image, error);
  /* FFmpeg 5 opens them, but decodes only still images. */
  if (movie->file.format != NULL && strstr (movie->file.format->iformat->name, "webp") != NULL) {
    kg_set_error (
        error, KG_ERROR_INVALID_FILE,
        "%s: this version of FFmpeg cannot decode animated WebP: use a movie in another format, such as .apng",
        movie->file.path);
    return false;
  }
  kg_set_error (error, KG_ERROR_INVALID_FILE,
                "%s: frame %" PRId64 " of %u cannot be decoded: the movie is damaged there", movie->file.path,
                frame + 1, movie->moments->len);
  return false;
}

static Movie *
make_movie (KgImportServer *server)
{
  Movie *movie = g_new0 (Movie, 1);

  av_log_set_level (AV_LOG_FATAL); /* FFmpeg prints too much */
  movie->file.server = server;
  movie->file.path = kg_import_get_path (server);
  movie->packet = av_packet_alloc ();
  for (guint i = 0; i < N_KEPT; i++)
    movie->kept[i] = av_frame_alloc ();
  return movie;
}

/* The program is for one movie, from which frame after frame is asked; all ends with it. */
static bool
answer (KgImportServer *server, const KgImportRequest *request, KgImportReply *reply, GError **error)
{
  static Movie *movie;

  if (movie == NULL)
    movie = make_movie (server);
  if (request->operation == KG_IMPORT_OPEN && movie->moments == NULL)
    return open_first (movie, &reply->movie, error);
  if (request->operation == KG_IMPORT_FRAME && movie->moments != NULL && request->frame >= 0 &&
      request->frame < movie->moments->len)
    return read_frame (movie, request->frame, &reply->image, error);
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "the request is not for a frame of a movie");
  return false;
}

int
main (int argc, char **argv)
{
  static const KgImportReader reader = { .memory = (uint64_t) 4 << 30, .answer = answer };

  return kg_import_serve (argc, argv, &reader);
}
