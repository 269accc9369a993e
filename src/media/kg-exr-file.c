/* kg-exr-file: OpenEXR through OpenEXRCore.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-exr-file.h"

#include <OpenEXR/openexr.h>
#include <errno.h>
#include <string.h>

#define COMMENT_KEY "kineograph"

/* The library would print its messages; ours come out of the result codes. */
static void
on_error (exr_const_context_t context, exr_result_t code, const char *message)
{
  (void) context;
  (void) code;
  (void) message;
}

static bool
check (exr_result_t code, GError **error)
{
  if (code == EXR_ERR_SUCCESS)
    return true;
  kg_set_error (error, code == EXR_ERR_FILE_ACCESS || code == EXR_ERR_WRITE_IO ? KG_ERROR_IO : KG_ERROR_INVALID_FILE,
                "OpenEXR: %s", exr_get_default_error_message (code));
  return false;
}

static void
init_context (exr_context_initializer_t *init)
{
  const exr_context_initializer_t defaults = EXR_DEFAULT_CONTEXT_INITIALIZER;

  *init = defaults;
  init->error_handler_fn = on_error;
}

/* Where the numbers of a channel are in our memory: offset within R G B A, -1 for depth, -2 for none of ours. */
static int
find_channel (const char *name)
{
  static const char *const names[] = { "R", "G", "B", "A" };

  for (int i = 0; i < 4; i++)
    if (strcmp (name, names[i]) == 0)
      return i;
  return strcmp (name, "Z") == 0 ? -1 : -2;
}

/* Saving. */

static bool
write_chunks (exr_context_t context, const KgImage *image, GError **error)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  const float *pixels = kg_image_get_pixels (image), *depth = kg_image_get_depth (image);
  exr_encode_pipeline_t pipeline = EXR_ENCODE_PIPELINE_INITIALIZER;
  int32_t lines = 1;
  bool first = true, good;

  good = check (exr_get_scanlines_per_chunk (context, 0, &lines), error);
  for (int y = 0; good && y < height; y += lines) {
    exr_chunk_info_t chunk;

    good = check (exr_write_scanline_chunk_info (context, 0, y, &chunk), error) &&
           check (first ? exr_encoding_initialize (context, 0, &chunk, &pipeline)
                        : exr_encoding_update (context, 0, &chunk, &pipeline),
                  error);
    for (int c = 0; good && c < pipeline.channel_count; c++) {
      exr_coding_channel_info_t *channel = &pipeline.channels[c];
      const int offset = find_channel (channel->channel_name);
      const float *from = offset < 0 ? depth + (size_t) y * (size_t) width
                                     : pixels + 4 * (size_t) y * (size_t) width + offset;

      channel->user_data_type = EXR_PIXEL_FLOAT;
      channel->user_bytes_per_element = 4;
      channel->user_pixel_stride = offset < 0 ? 4 : 16;
      channel->user_line_stride = channel->user_pixel_stride * width;
      channel->encode_from_ptr = (const uint8_t *) from;
    }
    if (good && first)
      good = check (exr_encoding_choose_default_routines (context, 0, &pipeline), error);
    good = good && check (exr_encoding_run (context, 0, &pipeline), error);
    first = false;
  }
  exr_encoding_destroy (context, &pipeline);
  return good;
}

static bool
write_header (exr_context_t context, const KgImage *image, bool half, const char *comment, GError **error)
{
  static const char *const names[] = { "A", "B", "G", "R" };
  const int32_t width = kg_image_get_width (image), height = kg_image_get_height (image);
  const exr_attr_box2i_t window = { .min = { .x = 0, .y = 0 }, .max = { .x = width - 1, .y = height - 1 } };
  const exr_attr_v2f_t center = { .x = 0, .y = 0 };
  int part;

  if (!check (exr_add_part (context, "kineograph", EXR_STORAGE_SCANLINE, &part), error) ||
      !check (exr_initialize_required_attr (context, part, &window, &window, (float) kg_image_get_pixel_aspect (image),
                                            &center, 1, EXR_LINEORDER_INCREASING_Y, EXR_COMPRESSION_ZIP),
              error))
    return false;
  for (int c = 0; c < 4; c++)
    if (!check (exr_add_channel (context, part, names[c], half ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT,
                                 EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1),
                error))
      return false;
  if (kg_image_get_depth (image) != NULL &&
      !check (exr_add_channel (context, part, "Z", EXR_PIXEL_FLOAT, EXR_PERCEPTUALLY_LINEAR, 1, 1), error))
    return false;
  if (comment != NULL && !check (exr_attr_set_string (context, part, COMMENT_KEY, comment), error))
    return false;
  return check (exr_write_header (context), error);
}

/* Where the library writes: it says only that writing failed, so the reason is kept here. */
typedef struct {
  FILE *file;
  int code; /* the first errno, 0 while all went well */
} Output;

static int64_t
write_bytes (exr_const_context_t context, void *user_data, const void *bytes, uint64_t n, uint64_t offset,
             exr_stream_error_func_ptr_t report)
{
  Output *output = (Output *) user_data;

  (void) context;
  (void) report;
  if (fseeko (output->file, (off_t) offset, SEEK_SET) == 0 && fwrite (bytes, 1, n, output->file) == n)
    return (int64_t) n;
  if (output->code == 0)
    output->code = errno;
  return -1;
}

bool
kg_exr_write (const KgImage *image, FILE *file, bool half, const char *comment, GError **error)
{
  g_autoptr (GError) reason = NULL;
  Output output = { .file = file };
  exr_context_initializer_t init;
  exr_context_t context;
  bool good;

  init_context (&init);
  init.user_data = &output;
  init.write_fn = write_bytes;
  /* The name is for messages only, and must not be empty. */
  good = check (exr_start_write (&context, "picture", EXR_WRITE_FILE_DIRECTLY, &init), &reason);
  if (good) {
    good = write_header (context, image, half, comment, &reason) && write_chunks (context, image, &reason);
    if (!check (exr_finish (&context), good ? &reason : NULL))
      good = false;
  }
  if (good)
    return true;
  if (output.code == ESPIPE)
    kg_set_error (error, KG_ERROR_IO, "OpenEXR needs to seek in its file, which a pipe cannot do: name a file");
  else if (output.code != 0)
    g_set_error_literal (error, KG_ERROR, KG_ERROR_IO, g_strerror (output.code));
  else
    g_propagate_error (error, g_steal_pointer (&reason));
  return false;
}

/* Loading. */

static bool
read_chunks (exr_const_context_t context, const exr_attr_box2i_t *window, KgImage *image, GError **error)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  float *pixels = kg_image_edit_pixels (image);
  float *depth = kg_image_get_depth (image) != NULL ? kg_image_edit_depth (image) : NULL;
  exr_decode_pipeline_t pipeline = EXR_DECODE_PIPELINE_INITIALIZER;
  int32_t lines = 1;
  bool first = true, good;

  good = check (exr_get_scanlines_per_chunk (context, 0, &lines), error);
  for (int y = 0; good && y < height; y += lines) {
    exr_chunk_info_t chunk;

    good = check (exr_read_scanline_chunk_info (context, 0, window->min.y + y, &chunk), error) &&
           check (first ? exr_decoding_initialize (context, 0, &chunk, &pipeline)
                        : exr_decoding_update (context, 0, &chunk, &pipeline),
                  error);
    for (int c = 0; good && c < pipeline.channel_count; c++) {
      exr_coding_channel_info_t *channel = &pipeline.channels[c];
      const int offset = find_channel (channel->channel_name);
      float *to = offset >= 0    ? pixels + 4 * (size_t) y * (size_t) width + offset
                  : offset == -1 ? depth + (size_t) y * (size_t) width
                                 : NULL;

      channel->user_data_type = EXR_PIXEL_FLOAT;
      channel->user_bytes_per_element = 4;
      channel->user_pixel_stride = offset < 0 ? 4 : 16;
      channel->user_line_stride = channel->user_pixel_stride * width;
      channel->decode_to_ptr = (uint8_t *) to;
    }
    if (good && first)
      good = check (exr_decoding_choose_default_routines (context, 0, &pipeline), error);
    good = good && check (exr_decoding_run (context, 0, &pipeline), error);
    first = false;
  }
  exr_decoding_destroy (context, &pipeline);
  return good;
}

/* Images without alpha are opaque; a channel that is subsampled is none of ours. */
static bool
inspect_channels (const exr_attr_chlist_t *channels, bool *alpha, bool *depth, GError **error)
{
  *alpha = *depth = false;
  for (int i = 0; i < channels->num_channels; i++) {
    const exr_attr_chlist_entry_t *entry = &channels->entries[i];

    if (entry->x_sampling != 1 || entry->y_sampling != 1) {
      kg_set_error (error, KG_ERROR_INVALID_FILE, "the channel %s is subsampled, which is not supported",
                    entry->name.str);
      return false;
    }
    *alpha |= strcmp (entry->name.str, "A") == 0;
    *depth |= strcmp (entry->name.str, "Z") == 0;
  }
  return true;
}

static KgImage *
read_image (exr_const_context_t context, GError **error)
{
  g_autoptr (KgImage) image = NULL;
  const exr_attr_chlist_t *channels;
  exr_attr_box2i_t window;
  exr_storage_t storage;
  bool alpha, depth;

  if (!check (exr_get_storage (context, 0, &storage), error) ||
      !check (exr_get_data_window (context, 0, &window), error) ||
      !check (exr_get_channels (context, 0, &channels), error))
    return NULL;
  if (storage != EXR_STORAGE_SCANLINE) {
    kg_set_error (error, KG_ERROR_INVALID_FILE, "only scan-line images are supported: convert the file");
    return NULL;
  }
  if (!inspect_channels (channels, &alpha, &depth, error))
    return NULL;
  image =
      kg_image_new ((int64_t) window.max.x - window.min.x + 1, (int64_t) window.max.y - window.min.y + 1, depth, error);
  if (image == NULL || !read_chunks (context, &window, image, error))
    return NULL;
  if (!alpha) {
    const size_t n = (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image);
    float *pixels = kg_image_edit_pixels (image);

    for (size_t i = 0; i < n; i++)
      pixels[4 * i + 3] = 1;
  }
  return g_steal_pointer (&image);
}

KgImage *
kg_exr_load (const char *path, GError **error)
{
  exr_context_initializer_t init;
  exr_context_t context;
  KgImage *image;

  init_context (&init);
  if (!check (exr_start_read (&context, path, &init), error)) {
    g_prefix_error (error, "%s: ", path);
    return NULL;
  }
  image = read_image (context, error);
  exr_finish (&context);
  if (image != NULL && !kg_image_check_finite (image, error))
    g_clear_pointer (&image, kg_image_unref);
  if (image == NULL)
    g_prefix_error (error, "%s: ", path);
  return image;
}

char *
kg_exr_read_comment (const char *path)
{
  exr_context_initializer_t init;
  exr_context_t context;
  const char *text = NULL;
  int32_t length = 0;
  char *comment = NULL;

  init_context (&init);
  if (exr_start_read (&context, path, &init) != EXR_ERR_SUCCESS)
    return NULL;
  if (exr_attr_get_string (context, 0, COMMENT_KEY, &length, &text) == EXR_ERR_SUCCESS && text != NULL)
    comment = g_strndup (text, (gsize) length);
  exr_finish (&context);
  return comment;
}
