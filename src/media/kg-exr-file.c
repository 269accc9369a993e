/* kg-exr-file: OpenEXR out, through OpenEXRCore.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-exr-file.h"

#include "kg-exr-private.h"
#include "kg-frame-rate.h"

#include <errno.h>

/* Saving. */

static bool
write_chunks (exr_context_t context, const KgImage *image, GError **error)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  const float *pixels = kg_image_get_pixels (image), *depth = kg_image_get_depth (image);
  exr_encode_pipeline_t pipeline = EXR_ENCODE_PIPELINE_INITIALIZER;
  int32_t lines = 1;
  bool first = true, good;

  good = kg_exr_check (exr_get_scanlines_per_chunk (context, 0, &lines), error);
  for (int y = 0; good && y < height; y += lines) {
    exr_chunk_info_t chunk;

    good = kg_exr_check (exr_write_scanline_chunk_info (context, 0, y, &chunk), error) &&
           kg_exr_check (first ? exr_encoding_initialize (context, 0, &chunk, &pipeline)
                               : exr_encoding_update (context, 0, &chunk, &pipeline),
                         error);
    for (int c = 0; good && c < pipeline.channel_count; c++) {
      exr_coding_channel_info_t *channel = &pipeline.channels[c];
      const int offset = kg_exr_find_channel (channel->channel_name);
      const float *from = offset < 0 ? depth + (size_t) y * (size_t) width
                                     : pixels + 4 * (size_t) y * (size_t) width + offset;

      channel->user_data_type = EXR_PIXEL_FLOAT;
      channel->user_bytes_per_element = 4;
      channel->user_pixel_stride = offset < 0 ? 4 : 16;
      channel->user_line_stride = channel->user_pixel_stride * width;
      channel->encode_from_ptr = (const uint8_t *) from;
    }
    if (good && first)
      good = kg_exr_check (exr_encoding_choose_default_routines (context, 0, &pipeline), error);
    good = good && kg_exr_check (exr_encoding_run (context, 0, &pipeline), error);
    first = false;
  }
  exr_encoding_destroy (context, &pipeline);
  return good;
}

static bool
write_header (exr_context_t context, const KgImage *image, bool half, double rate, const char *comment, GError **error)
{
  /* ITU-R BT.709, with the white of D65. */
  static const exr_attr_chromaticities_t primaries = { .red_x = 0.64f,
                                                       .red_y = 0.33f,
                                                       .green_x = 0.3f,
                                                       .green_y = 0.6f,
                                                       .blue_x = 0.15f,
                                                       .blue_y = 0.06f,
                                                       .white_x = 0.3127f,
                                                       .white_y = 0.329f };
  static const char *const names[] = { "A", "B", "G", "R" };
  const int32_t width = kg_image_get_width (image), height = kg_image_get_height (image);
  const exr_attr_box2i_t window = { .min = { .x = 0, .y = 0 }, .max = { .x = width - 1, .y = height - 1 } };
  const exr_attr_v2f_t center = { .x = 0, .y = 0 };
  int part;

  if (!kg_exr_check (exr_add_part (context, "kineograph", EXR_STORAGE_SCANLINE, &part), error) ||
      !kg_exr_check (exr_initialize_required_attr (context, part, &window, &window,
                                                   (float) kg_image_get_pixel_aspect (image), &center, 1,
                                                   EXR_LINEORDER_INCREASING_Y, EXR_COMPRESSION_ZIP),
                     error))
    return false;
  for (int c = 0; c < 4; c++)
    if (!kg_exr_check (exr_add_channel (context, part, names[c], half ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT,
                                        EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1),
                       error))
      return false;
  if (kg_image_get_depth (image) != NULL &&
      !kg_exr_check (exr_add_channel (context, part, "Z", EXR_PIXEL_FLOAT, EXR_PERCEPTUALLY_LINEAR, 1, 1), error))
    return false;
  if (!kg_exr_check (exr_attr_set_chromaticities (context, part, "chromaticities", &primaries), error))
    return false;
  if (rate > 0) {
    exr_attr_rational_t fraction;
    int numerator, denominator;

    kg_frame_rate_find (rate, &numerator, &denominator);
    fraction = (exr_attr_rational_t){ .num = numerator, .denom = (uint32_t) denominator };
    if (!kg_exr_check (exr_attr_set_rational (context, part, "framesPerSecond", &fraction), error))
      return false;
  }
  if (comment != NULL && !kg_exr_check (exr_attr_set_string (context, part, KG_EXR_COMMENT, comment), error))
    return false;
  return kg_exr_check (exr_write_header (context), error);
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
kg_exr_write (const KgImage *image, FILE *file, bool half, double rate, const char *comment, GError **error)
{
  g_autoptr (GError) reason = NULL;
  Output output = { .file = file };
  exr_context_initializer_t init;
  exr_context_t context;
  bool good;

  kg_exr_init_context (&init);
  init.user_data = &output;
  init.write_fn = write_bytes;
  /* The name is for messages only, and must not be empty. */
  good = kg_exr_check (exr_start_write (&context, "picture", EXR_WRITE_FILE_DIRECTLY, &init), &reason);
  if (good) {
    good = write_header (context, image, half, rate, comment, &reason) && write_chunks (context, image, &reason);
    if (!kg_exr_check (exr_finish (&context), good ? &reason : NULL))
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
