/* kg-movie-file: movies through the FFmpeg libraries.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-movie-file.h"

#include "kg-frame-rate.h"
#include "kg-image-file.h"
#include "kg-module.h"
#include "kg-output-file.h"
#include "kg-palette.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* Rates beyond these have no exact time base in the containers. */
#define MIN_RATE 0.01
#define MAX_RATE 1000.0
/* A GIF counts in hundredths of a second. */
#define MAX_GIF_RATE 100.0
#define SMALL 64
/* Fixed, because the number of threads changes the bits that x264 writes. */
#define N_THREADS 4

typedef struct {
  const char *suffix;
  const char *container;
  const char *codec;
  const char *pixels, *alpha_pixels;             /* as FFmpeg calls them, without and with coverage; NULL: never */
  bool indexed;                                  /* with a palette for each frame */
  bool even;                                     /* needs even width and height */
  bool deep;                                     /* given 16 bits a component */
  bool jpeg;                                     /* each frame is a JPEG image, with JPEG's colours */
  const char *codec_options, *container_options; /* key=value:key=value */
  const char *sound_codec, *sound_options;       /* NULL: it has no sound */
  const char *small_options; /* (nullable) of the codec, for frames of less than SMALL pixels a side */
} KgMovieFormat;

/* Quality: x264 crf 18 and VP9 crf 24 are hard to distinguish from the frames themselves. */
static const KgMovieFormat formats[] = {
  { ".mp4", "mp4", "libx264", "yuv420p", NULL, false, true, false, false, "preset=medium:crf=18", "movflags=faststart",
    "aac", "b=192k" },
  { ".webm", "webm", "libvpx-vp9", "yuv420p", "yuva420p", false, true, false, false,
    "crf=24:b=0:deadline=good:cpu-used=2:row-mt=1", "", "libopus", "b=160k" },
  { ".mov", "mov", "prores_ks", NULL, "yuva444p10le", false, false, true, false,
    "profile=4444:vendor=apl0:alpha_bits=16", "", "pcm_s24le", "" },
  /* A master: nothing is lost but what 16 bits of sRGB round.  Each frame by itself, in slices with checksums; small frames
   * are not cut, because FFmpeg loses slices of less than a block. */
  { ".mkv", "matroska", "ffv1", NULL, "gbrap16le", false, false, true, false, "level=3:g=1:slices=16:slicecrc=1", "",
    "flac", "", "level=1:g=1" },
  /* The finest quantisation; 236 is FFmpeg's 2 for it. */
  { ".avi", "avi", "mjpeg", "yuvj422p", NULL, false, false, false, true, "flags=+qscale:global_quality=236", "",
    "pcm_s16le", "" },
  { ".gif", "gif", "gif", "pal8", NULL, true, false, false, false, "", "loop=0", NULL, NULL },
  { ".apng", "apng", "apng", NULL, "rgba", false, false, false, false, "", "plays=0", NULL, NULL },
  { ".webp", "webp", "libwebp_anim", NULL, "bgra", false, false, false, false, "lossless=1", "loop=0", NULL, NULL },
};

/* Files of sound alone: nothing for frames. */
static const KgMovieFormat sound_formats[] = {
  { .suffix = ".wav", .container = "wav", .sound_codec = "pcm_s24le" },
  { .suffix = ".flac", .container = "flac", .sound_codec = "flac" },
  { .suffix = ".ogg", .container = "ogg", .sound_codec = "libvorbis", .sound_options = "b=192k" },
  { .suffix = ".opus", .container = "opus", .sound_codec = "libopus", .sound_options = "b=160k" },
  { .suffix = ".mp3", .container = "mp3", .sound_codec = "libmp3lame", .sound_options = "b=192k" },
  { .suffix = ".m4a", .container = "ipod", .sound_codec = "aac", .sound_options = "b=192k" },
};

struct _KgMovie {
  /* Owned. */
  char *path;
  KgOutputFile *file;
  KgMovieEncoder *encoder;
  uint8_t *rgba; /* a padded image; deep: of 16 bits */

  /* Borrowed. */
  const KgMovieFormat *format;
  const KgMovieModule *module;

  int width, height;               /* of the images */
  int padded_width, padded_height; /* of the movie */
  int64_t n_frames;
  bool alpha; /* keeps coverage */
};

static const KgMovieFormat *
find_in (const char *path, const KgMovieFormat *list, size_t n)
{
  const char *suffix = strrchr (path, '.');

  for (size_t i = 0; suffix != NULL && i < n; i++) {
    if (g_ascii_strcasecmp (suffix, list[i].suffix) == 0)
      return &list[i];
  }
  return NULL;
}

static const KgMovieFormat *
find_format (const char *path)
{
  return find_in (path, formats, G_N_ELEMENTS (formats));
}

static const KgMovieFormat *
find_sound_format (const char *path)
{
  return find_in (path, sound_formats, G_N_ELEMENTS (sound_formats));
}

bool
kg_movie_path_is_sound (const char *path)
{
  return find_sound_format (path) != NULL;
}

bool
kg_movie_path_has_sound (const char *path)
{
  const KgMovieFormat *format = find_format (path);

  return find_sound_format (path) != NULL || (format != NULL && format->sound_codec != NULL);
}

bool
kg_movie_path_is_movie (const char *path)
{
  return find_format (path) != NULL;
}

/* Takes reason. */
static bool
fail (const KgMovie *movie, char *reason, GError **error)
{
  kg_set_error (error, KG_ERROR_IO, "%s: %s", movie->path, reason);
  g_free (reason);
  return false;
}

static bool
fail_without_memory (const KgMovie *movie, GError **error)
{
  return fail (movie, g_strdup (_ ("not enough memory for a frame")), error);
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
open_encoder (KgMovie *movie, double rate, const KgMovieSound *sound, GError **error)
{
  const KgMovieFormat *format = movie->format;
  const bool is_small = MIN (movie->padded_width, movie->padded_height) < SMALL && format->small_options != NULL;
  KgMovieEncoding encoding = { .file = kg_output_file_get_path (movie->file),
                               .container = format->container,
                               .codec = format->codec,
                               .container_options = format->container_options,
                               .codec_options = is_small ? format->small_options : format->codec_options,
                               .pixels = movie->alpha ? format->alpha_pixels : format->pixels,
                               .indexed = format->indexed,
                               .deep = format->deep,
                               .jpeg = format->jpeg,
                               .width = movie->padded_width,
                               .height = movie->padded_height,
                               .n_threads = N_THREADS };
  char *reason = NULL;

  if (format->codec != NULL)
    kg_frame_rate_find (rate, &encoding.rate, &encoding.per);
  if (sound != NULL) {
    encoding.sound_codec = format->sound_codec;
    encoding.sound_options = format->sound_options != NULL ? format->sound_options : "";
    encoding.sound_rate = sound->rate;
    encoding.n_sound_channels = (int) sound->n_channels;
  }
  movie->encoder = movie->module->open (&encoding, &reason);
  return movie->encoder != NULL || fail (movie, reason, error);
}

static bool
check (const char *path, const KgMovieFormat *format, int width, int height, double rate, GError **error)
{
  const double max_rate = format != NULL && format->indexed ? MAX_GIF_RATE : MAX_RATE;

  if (format == NULL)
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%s is not a movie: its name must end with .mp4, .webm, .mov, .mkv, .avi, .gif, .apng or .webp",
                  path);
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

static bool
check_sound (const char *path, const KgMovieFormat *format, const KgMovieSound *sound, GError **error)
{
  if (sound == NULL)
    return true;
  if (format->sound_codec == NULL)
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s cannot have sound: use .mp4, .webm, .mov, .mkv or .avi", path);
  else if (sound->n_channels < 1 || sound->n_channels > KG_MOVIE_MAX_CHANNELS)
    kg_set_error (error, KG_ERROR_LIMIT, "%s: a sound of %u channels cannot be written: use 1 to %d", path,
                  sound->n_channels, KG_MOVIE_MAX_CHANNELS);
  else
    return true;
  return false;
}

/* (transfer full) (nullable) Nothing is opened yet. */
static KgMovie *
make_movie (const char *path, const KgMovieFormat *format, GError **error)
{
  const KgMovieModule *module = kg_module_get_movie (error);
  KgMovie *movie;

  if (module == NULL) {
    kg_prefix_error (error, "%s: cannot be written: ", path);
    return NULL;
  }
  movie = g_new0 (KgMovie, 1);
  movie->path = g_strdup (path);
  movie->format = format;
  movie->module = module;
  return movie;
}

KgMovie *
kg_movie_new_sound (const char *path, const KgMovieSound *sound, GError **error)
{
  const KgMovieFormat *format = find_sound_format (path);
  KgMovie *movie;

  if (format == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%s is not a sound: its name must end with .wav, .flac, .ogg, .opus, .mp3 or .m4a", path);
    return NULL;
  }
  movie = check_sound (path, format, sound, error) ? make_movie (path, format, error) : NULL;
  if (movie != NULL && (!open_file (movie, error) || !open_encoder (movie, 0, sound, error)))
    g_clear_pointer (&movie, kg_movie_cancel);
  return movie;
}

KgMovie *
kg_movie_new (const char *path, int width, int height, double rate, bool alpha, GError **error)
{
  return kg_movie_new_with_sound (path, width, height, rate, alpha, NULL, error);
}

KgMovie *
kg_movie_new_with_sound (const char *path, int width, int height, double rate, bool alpha, const KgMovieSound *sound,
                         GError **error)
{
  const KgMovieFormat *format = find_format (path);
  KgMovie *movie;

  if (!check (path, format, width, height, rate, error) || !check_sound (path, format, sound, error))
    return NULL;
  movie = make_movie (path, format, error);
  if (movie == NULL)
    return NULL;
  movie->width = width;
  movie->height = height;
  movie->alpha = format->alpha_pixels != NULL && (alpha || format->pixels == NULL);
  movie->padded_width = format->even ? (width + 1) & ~1 : width;
  movie->padded_height = format->even ? (height + 1) & ~1 : height;
  movie->rgba = g_try_malloc_n ((size_t) movie->padded_width * (size_t) movie->padded_height, format->deep ? 8 : 4);
  if ((movie->rgba == NULL && !fail_without_memory (movie, error)) || !open_file (movie, error) ||
      !open_encoder (movie, rate, sound, error)) {
    kg_movie_cancel (movie);
    return NULL;
  }
  return movie;
}

/* Straight sRGB components of 16 bits. */
static void
fill_deep (const KgImage *image, uint16_t *to)
{
  const size_t n = (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image);
  const float *from = kg_image_get_pixels (image);

#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++) {
    const double alpha = kg_clamp ((double) from[4 * i + 3], 0, 1);

    for (size_t c = 0; c < 3; c++) {
      const double x = alpha > 0 ? (double) from[4 * i + c] / alpha : 0;

      to[4 * i + c] = (uint16_t) (65535 * kg_srgb_encode (kg_clamp (x, 0, 1)) + 0.5);
    }
    to[4 * i + 3] = (uint16_t) (65535 * alpha + 0.5);
  }
}

/* Fills movie->rgba: straight, or laid over black where the movie has no coverage; sRGB, the last row and column repeated
 * where the movie is larger. */
static bool
fill_rgba (KgMovie *movie, const KgImage *image, GError **error)
{
  const size_t width = (size_t) movie->width, padded = (size_t) movie->padded_width;
  const size_t bytes = movie->format->deep ? 8 : 4, n_pixels = width * (size_t) movie->height;
  KgImage *opaque;
  float *pixels;

  if (movie->format->deep)
    fill_deep (image, (uint16_t *) (void *) movie->rgba);
  else if (movie->alpha)
    kg_image_to_rgba8 (image, movie->rgba);
  else {
    opaque = kg_image_ref (image);
    kg_image_make_writable (&opaque);
    pixels = kg_image_edit_pixels (opaque);
    if (pixels == NULL) {
      kg_image_unref (opaque);
      return fail_without_memory (movie, error);
    }
    /* The colour is premultiplied: over black only the coverage changes. */
    for (size_t i = 0; i < n_pixels; i++)
      pixels[4 * i + 3] = 1;
    kg_image_to_rgba8 (opaque, movie->rgba);
    kg_image_unref (opaque);
  }
  for (size_t y = (size_t) movie->height; padded != width && y-- > 0;) {
    memmove (movie->rgba + bytes * padded * y, movie->rgba + bytes * width * y, bytes * width);
    memcpy (movie->rgba + bytes * (padded * y + width), movie->rgba + bytes * (padded * y + width - 1), bytes);
  }
  if (movie->padded_height != movie->height)
    memcpy (movie->rgba + bytes * padded * (size_t) movie->height,
            movie->rgba + bytes * padded * (size_t) (movie->height - 1), bytes * padded);
  return true;
}

bool
kg_movie_has_alpha (const KgMovie *movie)
{
  return movie->alpha;
}

static bool
encode (KgMovie *movie, GError **error)
{
  const size_t n = (size_t) movie->padded_width * (size_t) movie->padded_height;
  g_autofree uint8_t *indices = movie->format->indexed ? g_try_malloc (n) : NULL;
  uint32_t palette[256] = { 0 };
  char *reason = NULL;

  if (movie->format->indexed && indices == NULL)
    return fail_without_memory (movie, error);
  if (indices != NULL)
    kg_palette_reduce (movie->rgba, n, palette, indices);
  movie->n_frames++;
  return movie->module->add (movie->encoder, indices != NULL ? indices : movie->rgba, palette, &reason) ||
         fail (movie, reason, error);
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
  return fill_rgba (movie, image, error) && encode (movie, error);
}

bool
kg_movie_add_sound (KgMovie *movie, const float *samples, size_t n, GError **error)
{
  char *reason = NULL;

  return movie->module->add_sound (movie->encoder, samples, n, &reason) || fail (movie, reason, error);
}

static bool
complete (KgMovie *movie, GError **error)
{
  char *reason = NULL;

  if (!movie->module->finish (movie->encoder, &reason))
    return fail (movie, reason, error);
  if (kg_output_file_complete (movie->file, error))
    return true;
  kg_prefix_error (error, "%s: cannot be completed: ", movie->path);
  return false;
}

bool
kg_movie_finish (KgMovie *movie, GError **error)
{
  bool done;

  if (movie->n_frames == 0 && movie->format->codec != NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s: a movie needs at least one frame", movie->path);
    done = false;
  } else {
    done = complete (movie, error);
  }
  kg_movie_cancel (movie);
  return done;
}

void
kg_movie_cancel (KgMovie *movie)
{
  if (movie == NULL)
    return;
  if (movie->encoder != NULL)
    movie->module->free (movie->encoder);
  kg_output_file_free (movie->file);
  g_free (movie->path);
  g_free (movie->rgba);
  g_free (movie);
}
