/* movie-file: movies are written, then read with FFmpeg's own reader: frames, rate, size, colours, tags.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-movie-file.h"
#include "kg-palette.h"
#include "kg-value.h"

#include <glib/gstdio.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
#include <string.h>

#define N_FRAMES 10

static char *folder;

/* Left half: a colour that moves with the frame; right half: a fixed one with coverage 1/2 (over black). */
static KgImage *
make_frame (int width, int height, int frame)
{
  KgImage *image = kg_image_new (width, height, false, NULL);
  float *p = kg_image_edit_pixels (image);

  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++, p += 4) {
      const bool left = x < width / 2;

      p[0] = left ? (float) (frame + 1) / N_FRAMES : 0.1f;
      p[1] = left ? 0.2f : 0.25f;
      p[2] = left ? 0.05f : 0.4f;
      p[3] = left ? 1.0f : 0.5f;
    }
  }
  return image;
}

static void
write_movie (const char *path, int width, int height, double rate)
{
  g_autoptr (GError) error = NULL;
  KgMovie *movie = kg_movie_new (path, width, height, rate, false, &error);

  g_assert_no_error (error);
  for (int i = 0; i < N_FRAMES; i++) {
    g_autoptr (KgImage) image = make_frame (width, height, i);

    g_assert_true (kg_movie_add (movie, image, &error));
    g_assert_no_error (error);
  }
  kg_movie_finish (movie, &error);
  g_assert_no_error (error);
}

typedef struct {
  int n_frames, width, height;
  AVRational rate;
  enum AVColorTransferCharacteristic transfer;
  enum AVColorSpace space;
  double mean[N_FRAMES][2][3]; /* 0..255, of the inner part of each half */
  double duration;             /* seconds, between the first and the last frame */
  bool straight;               /* colours beside coverage, that of the right half being a half */
} Movie;

/* Planes of green, blue, red and coverage, of 16 bits. */
static void
measure_planes (Movie *movie, const AVFrame *frame)
{
  static const int planes[] = { 2, 0, 1 };

  for (int half = 0; half < 2 && movie->n_frames < N_FRAMES; half++) {
    for (int c = 0; c < 3; c++) {
      const uint8_t *row = frame->data[planes[c]] + frame->height / 2 * frame->linesize[planes[c]];
      uint16_t value;

      memcpy (&value, row + 2 * (half * frame->width / 2 + frame->width / 4), sizeof value);
      movie->mean[movie->n_frames][half][c] = value / 257.0;
    }
  }
  movie->straight = true;
  movie->n_frames++;
}

static void
measure_frame (Movie *movie, const AVFrame *frame)
{
  const int width = frame->width, height = frame->height;
  g_autofree uint8_t *rgb = g_malloc ((size_t) width * (size_t) height * 3);
  uint8_t *const planes[1] = { rgb };
  const int strides[1] = { 3 * width };
  struct SwsContext *scaler = sws_getContext (width, height, frame->format, width, height, AV_PIX_FMT_RGB24,
                                              SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, NULL, NULL, NULL);

  sws_setColorspaceDetails (
      scaler, sws_getCoefficients (frame->colorspace == AVCOL_SPC_BT470BG ? SWS_CS_ITU601 : SWS_CS_ITU709),
      frame->color_range == AVCOL_RANGE_JPEG, sws_getCoefficients (SWS_CS_ITU709), 1, 0, 1 << 16, 1 << 16);
  sws_scale (scaler, (const uint8_t *const *) frame->data, frame->linesize, 0, height, planes, strides);
  sws_freeContext (scaler);
  for (int half = 0; half < 2 && movie->n_frames < N_FRAMES; half++) {
    for (int c = 0; c < 3; c++) {
      double sum = 0;
      int n = 0;

      for (int y = 4; y < height - 4; y++) {
        for (int x = half * width / 2 + 6; x < (half + 1) * width / 2 - 6; x++, n++)
          sum += rgb[3 * (y * width + x) + c];
      }
      movie->mean[movie->n_frames][half][c] = sum / n;
    }
  }
  movie->n_frames++;
}

static void
read_movie (const char *path, Movie *movie)
{
  AVFormatContext *container = NULL;
  AVCodecContext *codec;
  AVPacket *packet = av_packet_alloc ();
  AVFrame *frame = av_frame_alloc ();
  int64_t first = AV_NOPTS_VALUE, last = 0;
  const AVStream *stream;

  memset (movie, 0, sizeof *movie);
  g_assert_cmpint (avformat_open_input (&container, path, NULL, NULL), >=, 0);
  g_assert_cmpint (avformat_find_stream_info (container, NULL), >=, 0);
  g_assert_cmpuint (container->nb_streams, ==, 1);
  stream = container->streams[0];
  codec = avcodec_alloc_context3 (avcodec_find_decoder (stream->codecpar->codec_id));
  avcodec_parameters_to_context (codec, stream->codecpar);
  g_assert_cmpint (avcodec_open2 (codec, NULL, NULL), >=, 0);
  movie->rate = stream->avg_frame_rate;
  for (bool more = true; more;) {
    more = av_read_frame (container, packet) >= 0;
    g_assert_cmpint (avcodec_send_packet (codec, more ? packet : NULL), >=, 0);
    av_packet_unref (packet);
    while (avcodec_receive_frame (codec, frame) >= 0) {
      if (first == AV_NOPTS_VALUE)
        first = frame->best_effort_timestamp;
      last = frame->best_effort_timestamp;
      movie->width = frame->width;
      movie->height = frame->height;
      movie->transfer = frame->color_trc;
      movie->space = frame->colorspace;
      if (frame->format == AV_PIX_FMT_GBRAP16LE)
        measure_planes (movie, frame);
      else
        measure_frame (movie, frame);
    }
  }
  movie->duration = (double) (last - first) * av_q2d (stream->time_base);
  av_frame_free (&frame);
  av_packet_free (&packet);
  avcodec_free_context (&codec);
  avformat_close_input (&container);
}

/* tolerance in levels of 255. */
static void
check_colors (const Movie *movie, double tolerance)
{
  for (int i = 0; i < N_FRAMES; i++) {
    const double linear[2][3] = { { (i + 1.0) / N_FRAMES, 0.2, 0.05 }, { 0.1, 0.25, 0.4 } };

    for (int half = 0; half < 2; half++) {
      for (int c = 0; c < 3; c++)
        g_assert_cmpfloat_with_epsilon (movie->mean[i][half][c],
                                        255 * kg_srgb_encode (linear[half][c] * (half == 1 && movie->straight ? 2 : 1)),
                                        tolerance);
    }
  }
}

static char *
get_path (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
assert_no_leftovers (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name = g_dir_read_name (dir); name != NULL; name = g_dir_read_name (dir))
    g_assert_false (g_str_has_suffix (name, ".partial"));
}

static void
test_mp4 (void)
{
  g_autofree char *path = get_path ("a.mp4");
  Movie movie;

  write_movie (path, 96, 64, 24);
  read_movie (path, &movie);
  g_assert_cmpint (movie.n_frames, ==, N_FRAMES);
  g_assert_cmpint (movie.width, ==, 96);
  g_assert_cmpint (movie.height, ==, 64);
  g_assert_cmpint (movie.rate.num, ==, 24);
  g_assert_cmpint (movie.rate.den, ==, 1);
  g_assert_cmpint (movie.transfer, ==, AVCOL_TRC_IEC61966_2_1);
  g_assert_cmpint (movie.space, ==, AVCOL_SPC_BT709);
  /* 8-bit YUV rounds each of three components to 1/219 of the range; crf 18 adds about one level. */
  check_colors (&movie, 4);
  assert_no_leftovers ();
}

static void
test_webm (void)
{
  g_autofree char *path = get_path ("a.webm");
  Movie movie;

  write_movie (path, 96, 64, 25);
  read_movie (path, &movie);
  g_assert_cmpint (movie.n_frames, ==, N_FRAMES);
  g_assert_cmpint (movie.width, ==, 96);
  g_assert_cmpint (movie.height, ==, 64);
  g_assert_cmpfloat_with_epsilon (av_q2d (movie.rate), 25, 0.01); /* WebM counts milliseconds */
  g_assert_cmpint (movie.space, ==, AVCOL_SPC_BT709);
  check_colors (&movie, 5);
}

/* Nothing is lost but the rounding to 16 bits. */
static void
test_mkv (void)
{
  g_autofree char *path = get_path ("a.mkv");
  Movie movie;

  write_movie (path, 97, 65, 24);
  read_movie (path, &movie);
  g_assert_cmpint (movie.n_frames, ==, N_FRAMES);
  g_assert_cmpint (movie.width, ==, 97);
  g_assert_cmpint (movie.height, ==, 65);
  g_assert_cmpfloat_with_epsilon (av_q2d (movie.rate), 24, 0.01); /* Matroska counts milliseconds */
  check_colors (&movie, 0.002);
  assert_no_leftovers ();
}

static void
test_gif (void)
{
  g_autofree char *path = get_path ("a.gif");
  Movie movie;

  write_movie (path, 97, 65, 24);
  read_movie (path, &movie);
  g_assert_cmpint (movie.n_frames, ==, N_FRAMES);
  g_assert_cmpint (movie.width, ==, 97);
  g_assert_cmpint (movie.height, ==, 65);
  /* Nine intervals of 1/24 s, to the nearest hundredth. */
  g_assert_cmpfloat_with_epsilon (movie.duration, 9.0 / 24, 0.011);
  check_colors (&movie, 0.51); /* two colours a frame: exact but for rounding to 8 bits */
}

static void
test_ntsc_rates (void)
{
  const struct {
    double rate;
    int num, den;
  } cases[] = { { 23.976, 24000, 1001 }, { 29.97, 30000, 1001 }, { 30000.0 / 1001, 30000, 1001 }, { 12.5, 25, 2 } };
  g_autofree char *path = get_path ("rate.mp4");

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    Movie movie;

    write_movie (path, 32, 32, cases[i].rate);
    read_movie (path, &movie);
    g_assert_cmpint (movie.rate.num, ==, cases[i].num);
    g_assert_cmpint (movie.rate.den, ==, cases[i].den);
  }
}

static void
test_odd_size (void)
{
  g_autofree char *path = get_path ("odd.mp4");
  Movie movie;

  write_movie (path, 95, 63, 24);
  read_movie (path, &movie);
  g_assert_cmpint (movie.width, ==, 96);
  g_assert_cmpint (movie.height, ==, 64);
  g_assert_cmpint (movie.n_frames, ==, N_FRAMES);
}

static void
test_same_bytes (void)
{
  const char *const suffixes[] = { "mp4", "webm", "mkv", "gif" };

  for (size_t i = 0; i < G_N_ELEMENTS (suffixes); i++) {
    g_autofree char *name_a = g_strconcat ("same-a.", suffixes[i], NULL);
    g_autofree char *name_b = g_strconcat ("same-b.", suffixes[i], NULL);
    g_autofree char *path_a = get_path (name_a), *path_b = get_path (name_b);
    g_autofree char *a = NULL, *b = NULL;
    gsize length_a, length_b;

    write_movie (path_a, 64, 64, 24);
    write_movie (path_b, 64, 64, 24);
    g_assert_true (g_file_get_contents (path_a, &a, &length_a, NULL));
    g_assert_true (g_file_get_contents (path_b, &b, &length_b, NULL));
    g_assert_cmpuint (length_a, ==, length_b);
    g_assert_true (memcmp (a, b, length_a) == 0);
  }
}

static void
test_cancel_keeps_old (void)
{
  g_autofree char *path = get_path ("old.mp4");
  g_autofree char *contents = NULL;
  g_autoptr (KgImage) image = make_frame (32, 32, 0);
  KgMovie *movie;

  g_assert_true (g_file_set_contents (path, "old", -1, NULL));
  movie = kg_movie_new (path, 32, 32, 24, false, NULL);
  g_assert_true (kg_movie_add (movie, image, NULL));
  kg_movie_cancel (movie);
  g_assert_true (g_file_get_contents (path, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, "old");
  assert_no_leftovers ();
}

static void
test_bad_input (void)
{
  const struct {
    const char *name;
    int width, height;
    double rate;
    KgError code;
    const char *part;
  } cases[] = {
    { "a.mpg", 32, 32, 24, KG_ERROR_INVALID_VALUE,
      "must end with .mp4, .webm, .mov, .mkv, .avi, .gif, .apng or .webp" },
    { "a", 32, 32, 24, KG_ERROR_INVALID_VALUE, "must end with .mp4, .webm, .mov, .mkv, .avi, .gif, .apng or .webp" },
    { "a.mp4", 0, 32, 24, KG_ERROR_LIMIT, "0 x 32 pixels" },
    { "a.mp4", 32, 100000, 24, KG_ERROR_LIMIT, "32 x 100000 pixels" },
    { "a.mp4", 32, 32, 0, KG_ERROR_INVALID_VALUE, "a rate of 0 frames per second is not possible" },
    { "a.mp4", 32, 32, NAN, KG_ERROR_INVALID_VALUE, "a rate of nan frames per second is not possible" },
    { "a.gif", 32, 32, 120, KG_ERROR_INVALID_VALUE,
      "a rate of 120 frames per second is not possible: use 0.01 to 100" },
    { "a.mp4", 60000, 60000, 24, KG_ERROR_IO, "libx264 cannot encode 60000 x 60000 pixels" },
    { "missing/a.mp4", 32, 32, 24, KG_ERROR_IO, "cannot create a temporary file beside it: No such file or directory" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = get_path (cases[i].name);
    g_autoptr (GError) error = NULL;

    g_assert_null (kg_movie_new (path, cases[i].width, cases[i].height, cases[i].rate, false, &error));
    g_assert_error (error, KG_ERROR, (int) cases[i].code);
    if (strstr (error->message, cases[i].part) == NULL)
      g_error ("%s", error->message);
  }
  assert_no_leftovers ();
}

static void
test_wrong_frame_and_none (void)
{
  g_autofree char *path = get_path ("wrong.gif");
  g_autoptr (KgImage) image = make_frame (16, 32, 0);
  g_autoptr (GError) error = NULL;
  KgMovie *movie = kg_movie_new (path, 32, 32, 24, false, &error);

  g_assert_no_error (error);
  g_assert_false (kg_movie_add (movie, image, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  g_clear_error (&error);
  g_assert_false (kg_movie_finish (movie, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  assert_no_leftovers ();
}

static void
test_palette (void)
{
  /* A ramp of 64 x 64 x 4 colours: the mean error of 256 colours for n cells is bounded by the cells' size.  256
   * colours over 64 x 64 x 4 leave boxes of about 64 colours: 8 x 8 cells of 4 levels, so at most 16 levels off. */
  const size_t n = 64 * 64 * 4;
  g_autofree uint8_t *rgba = g_malloc (n * 4), *indices = g_malloc (n);
  uint32_t palette[KG_PALETTE_SIZE];
  double error = 0;

  for (size_t i = 0; i < n; i++) {
    rgba[4 * i] = (uint8_t) (i % 64 * 4);
    rgba[4 * i + 1] = (uint8_t) (i / 64 % 64 * 4);
    rgba[4 * i + 2] = (uint8_t) (i / 4096 * 16);
    rgba[4 * i + 3] = 255;
  }
  kg_palette_reduce (rgba, n, palette, indices);
  for (size_t i = 0; i < n; i++) {
    const uint32_t color = palette[indices[i]];

    error += abs ((int) (color >> 16 & 255) - rgba[4 * i]) + abs ((int) (color >> 8 & 255) - rgba[4 * i + 1]) +
             abs ((int) (color & 255) - rgba[4 * i + 2]);
  }
  g_assert_cmpfloat (error / (double) n / 3, <, 8);
}

static void
test_palette_few (void)
{
  const uint8_t rgba[] = { 1, 2, 3, 255, 200, 100, 50, 255, 1, 2, 3, 0, 255, 255, 255, 255 };
  const uint32_t expected[] = { 0xff010203, 0xffc86432, 0xff010203, 0xffffffff };
  uint32_t palette[KG_PALETTE_SIZE];
  uint8_t indices[4];

  kg_palette_reduce (rgba, 4, palette, indices);
  for (int i = 0; i < 4; i++)
    g_assert_cmphex (palette[indices[i]], ==, expected[i]);
}

/* V20: 256 colours stay what they are, also those beside each other; of more, so many as are asked for are chosen. */
static void
test_palette_exact (void)
{
  g_autofree uint8_t *rgba = g_malloc (4 * 1024);
  uint32_t palette[KG_PALETTE_SIZE];
  uint8_t indices[1024];

  for (int i = 0; i < 1024; i++) {
    rgba[4 * i] = (uint8_t) (i * 7);
    rgba[4 * i + 1] = (uint8_t) (100 + i * 7 % 256 / 128);
    rgba[4 * i + 2] = 50;
  }
  kg_palette_reduce (rgba, 1024, palette, indices);
  for (int i = 0; i < 1024; i++)
    g_assert_cmphex (palette[indices[i]], ==,
                     0xff000000 | (guint) rgba[4 * i] << 16 | (guint) rgba[4 * i + 1] << 8 | rgba[4 * i + 2]);
  g_assert_cmpuint (kg_palette_choose (rgba, 1024, 256, palette), ==, 256);
  g_assert_cmpuint (kg_palette_choose (rgba, 1024, 7, palette), ==, 7);
  g_assert_cmpuint (kg_palette_choose (rgba, 1024, 1, palette), ==, 1);
  g_assert_cmpuint (kg_palette_choose (rgba, 0, 256, palette), ==, 0);
  g_assert_cmpuint (kg_palette_choose (rgba, 3, 256, palette), ==, 3);
}

static void
remove_files (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name = g_dir_read_name (dir); name != NULL; name = g_dir_read_name (dir)) {
    g_autofree char *path = get_path (name);

    g_unlink (path);
  }
}

/* V18: Motion JPEG.  Every frame is a whole JPEG image, which a decoder shows that has seen no other. */
static void
test_avi (void)
{
  g_autofree char *path = get_path ("a.avi");
  AVFormatContext *container = NULL;
  AVPacket *packet = av_packet_alloc ();
  AVFrame *frame = av_frame_alloc ();
  int n = 0;
  Movie movie;

  write_movie (path, 97, 63, 30000.0 / 1001);
  read_movie (path, &movie);
  g_assert_cmpint (movie.n_frames, ==, N_FRAMES);
  g_assert_cmpint (movie.width, ==, 97);
  g_assert_cmpint (movie.height, ==, 63);
  g_assert_cmpint (movie.rate.num, ==, 30000);
  g_assert_cmpint (movie.rate.den, ==, 1001);
  check_colors (&movie, 2);
  g_assert_cmpint (avformat_open_input (&container, path, NULL, NULL), >=, 0);
  for (; av_read_frame (container, packet) >= 0; n++) {
    AVCodecContext *codec = avcodec_alloc_context3 (avcodec_find_decoder (AV_CODEC_ID_MJPEG));

    g_assert_cmpint (packet->data[0] << 8 | packet->data[1], ==, 0xffd8);
    g_assert_cmpint (avcodec_open2 (codec, NULL, NULL), >=, 0);
    g_assert_cmpint (avcodec_send_packet (codec, packet), >=, 0);
    g_assert_cmpint (avcodec_send_packet (codec, NULL), >=, 0);
    g_assert_cmpint (avcodec_receive_frame (codec, frame), >=, 0);
    g_assert_cmpint (frame->width, ==, 97);
    avcodec_free_context (&codec);
    av_packet_unref (packet);
  }
  g_assert_cmpint (n, ==, N_FRAMES);
  av_packet_free (&packet);
  av_frame_free (&frame);
  avformat_close_input (&container);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("kineograph-movie-XXXXXX", NULL);
  g_test_add_func ("/movie-file/mp4", test_mp4);
  g_test_add_func ("/movie-file/webm", test_webm);
  g_test_add_func ("/movie-file/V21-mkv", test_mkv);
  g_test_add_func ("/movie-file/V18-avi", test_avi);
  g_test_add_func ("/movie-file/gif", test_gif);
  g_test_add_func ("/movie-file/ntsc-rates", test_ntsc_rates);
  g_test_add_func ("/movie-file/odd-size", test_odd_size);
  g_test_add_func ("/movie-file/same-bytes", test_same_bytes);
  g_test_add_func ("/movie-file/cancel-keeps-old", test_cancel_keeps_old);
  g_test_add_func ("/movie-file/bad-input", test_bad_input);
  g_test_add_func ("/movie-file/wrong-frame-and-none", test_wrong_frame_and_none);
  g_test_add_func ("/movie-file/palette", test_palette);
  g_test_add_func ("/movie-file/V20-palette-exact", test_palette_exact);
  g_test_add_func ("/movie-file/palette-few", test_palette_few);
  status = g_test_run ();
  remove_files ();
  g_rmdir (folder);
  g_free (folder);
  return status;
}
