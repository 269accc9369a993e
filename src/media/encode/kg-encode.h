/* kg-encode: what movies and meshes are written with: FFmpeg and Assimp, which need more than a hundred other libraries.  They
 * are modules that are loaded when the first file is written, so that a program that writes none starts at once.
 *
 * A module allocates little by itself, and nothing that it could not do without: it has no guard (kg-memory.h).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* Movies: symbol kg_encode_movie of kineograph-encode-movie.so. */

typedef struct _KgMovieEncoder KgMovieEncoder;

typedef struct {
  const char *file; /* to write */
  const char *container, *codec;
  const char *container_options, *codec_options; /* key=value:key=value */
  const char *pixels;                            /* FFmpeg's name of the format of pixels */
  bool jpeg;                                     /* YUV is BT.601 of full range, as in JPEG files; or else BT.709 */
  bool indexed;                                  /* with a palette for each frame */
  bool deep;                                     /* given 16 bits a component */
  int width, height;
  int rate, per; /* frames per so many seconds */
  int n_threads;
  /* Sound beside the frames, or alone: then codec is NULL, as all that belongs to frames. */
  const char *sound_codec; /* (nullable) without sound */
  const char *sound_options;
  int sound_rate, n_sound_channels;
} KgMovieEncoding;

/* Where one fails, *reason says why (transfer full). */
typedef struct {
  /* (nullable) (transfer full) */
  KgMovieEncoder *(*open) (const KgMovieEncoding *encoding, char **reason);
  /* RGBA of 8 or (deep) 16 bits without gaps, sRGB, straight; or indices, and a palette of 256 ARGB. */
  bool (*add) (KgMovieEncoder *encoder, const uint8_t *pixels, const uint32_t *palette, char **reason);
  /* n samples of each channel, interleaved, which follow those given before; to keep frames and sound together in the
   * file, about as long as the frames that were added. */
  bool (*add_sound) (KgMovieEncoder *encoder, const float *samples, size_t n, char **reason);
  /* The file is complete after it. */
  bool (*finish) (KgMovieEncoder *encoder, char **reason);
  void (*free) (KgMovieEncoder *encoder);
} KgMovieModule;

/* Meshes: symbol kg_encode_mesh of kineograph-encode-mesh.so. */

typedef struct {
  size_t n_points;
  const float *positions, *normals, *uv; /* 3 each; normals, uv: (nullable) */
  const float *colors;                   /* (nullable) 4 each */
  size_t n_faces;
  const uint32_t *sizes;
  const uint32_t *const *faces;
} KgMeshScene;

/* Of files that name each other: the first is the one that was requested. */
typedef struct {
  char *name, *bytes;
  size_t length;
} KgMeshPart;

typedef struct {
  /* (transfer full) (nullable) (element-type KgMeshPart) format: one of Assimp; triangles: faces are divided.  *memory is set
   * where it was memory that lacked. */
  GPtrArray *(*encode) (const KgMeshScene *scene, const char *path, const char *format, bool triangles, bool *memory);
} KgMeshModule;

G_END_DECLS
