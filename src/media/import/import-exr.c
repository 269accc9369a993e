/* import-exr: OpenEXR through OpenEXRCore.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import-exr.h"

#include "kg-exr-private.h"
#include "kg-image.h"

#include <inttypes.h>

/* The least bytes of a chunk: its place in the table, its first line, its size, and a byte of content. */
#define LEAST_CHUNK 17
/* What zlib makes of a byte at most, and runs of one value of a pair of bytes. */
#define MOST_ZIPPED 1032
#define MOST_RUN 64

typedef struct {
  exr_attr_box2i_t window;
  const exr_attr_chlist_t *channels;
  int64_t width, height;
  bool alpha, depth;
} Header;

/* depth: (nullable) */
static bool
read_chunks (exr_const_context_t context, const Header *header, float *pixels, float *depth, GError **error)
{
  const size_t width = (size_t) header->width;
  exr_decode_pipeline_t pipeline = EXR_DECODE_PIPELINE_INITIALIZER;
  g_autofree float *ignored = NULL;
  int32_t lines = 1;
  bool first = true, good;

  good = kg_exr_check (exr_get_scanlines_per_chunk (context, 0, &lines), error);
  /* Some routines of OpenEXRCore write all channels, also those without a place. */
  ignored = good ? g_try_new (float, width *(size_t) MAX (lines, 1)) : NULL;
  if (good && ignored == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for its lines");
    good = false;
  }
  for (int y = 0; good && y < header->height; y += lines) {
    exr_chunk_info_t chunk;

    good = kg_exr_check (exr_read_scanline_chunk_info (context, 0, header->window.min.y + y, &chunk), error) &&
           kg_exr_check (first ? exr_decoding_initialize (context, 0, &chunk, &pipeline)
                               : exr_decoding_update (context, 0, &chunk, &pipeline),
                         error);
    for (int c = 0; good && c < pipeline.channel_count; c++) {
      exr_coding_channel_info_t *channel = &pipeline.channels[c];
      const int offset = kg_exr_find_channel (channel->channel_name);
      float *to = offset >= 0    ? pixels + 4 * (size_t) y * width + offset
                  : offset == -1 ? depth + (size_t) y * width
                                 : ignored;

      channel->user_data_type = EXR_PIXEL_FLOAT;
      channel->user_bytes_per_element = 4;
      channel->user_pixel_stride = offset < 0 ? 4 : 16;
      channel->user_line_stride = channel->user_pixel_stride * (int32_t) width;
      channel->decode_to_ptr = (uint8_t *) to;
    }
    if (good && first)
      good = kg_exr_check (exr_decoding_choose_default_routines (context, 0, &pipeline), error);
    good = good && kg_exr_check (exr_decoding_run (context, 0, &pipeline), error);
    first = false;
  }
  exr_decoding_destroy (context, &pipeline);
  return good;
}

/* Images without alpha are opaque; a channel that is subsampled is none of ours. */
static bool
inspect_channels (Header *header, GError **error)
{
  for (int i = 0; i < header->channels->num_channels; i++) {
    const exr_attr_chlist_entry_t *entry = &header->channels->entries[i];

    if (entry->x_sampling != 1 || entry->y_sampling != 1) {
      kg_set_error (error, KG_ERROR_INVALID_FILE, "the channel %s is subsampled, which is not supported",
                    entry->name.str);
      return false;
    }
    header->alpha |= strcmp (entry->name.str, "A") == 0;
    header->depth |= strcmp (entry->name.str, "Z") == 0;
  }
  return true;
}

/* How many times as large as in the file the lines can be at most; 0: unlimited. */
static uint64_t
get_most_ratio (exr_compression_t compression)
{
  switch (compression) {
  case EXR_COMPRESSION_NONE:
    return 1;
  case EXR_COMPRESSION_RLE:
    return MOST_RUN;
  case EXR_COMPRESSION_ZIPS:
  case EXR_COMPRESSION_ZIP:
    return MOST_ZIPPED;
  default:
    return 0;
  }
}

/* A header that promises more than the rest of the file can hold is wrong: memory is not taken for it. */
static bool
check_size (exr_const_context_t context, const Header *header, uint64_t size, GError **error)
{
  uint64_t bytes = 0, ratio;
  exr_compression_t compression;
  int32_t chunks;

  if (!kg_exr_check (exr_get_chunk_count (context, 0, &chunks), error) ||
      !kg_exr_check (exr_get_compression (context, 0, &compression), error))
    return false;
  for (int i = 0; i < header->channels->num_channels; i++)
    bytes += (uint64_t) header->width * (uint64_t) header->height *
             (header->channels->entries[i].pixel_type == EXR_PIXEL_HALF ? 2 : 4);
  ratio = get_most_ratio (compression);
  if (chunks >= 0 && (uint64_t) chunks * LEAST_CHUNK <= size && (ratio == 0 || bytes / ratio <= size))
    return true;
  kg_set_error (error, KG_ERROR_INVALID_FILE,
                "%" PRId64 " × %" PRId64 " pixels cannot be in a file of %" PRIu64
                " bytes: it is damaged; write it again",
                header->width, header->height, size);
  return false;
}

static bool
read_header (KgImportServer *server, exr_const_context_t context, Header *header, GError **error)
{
  exr_storage_t storage;

  if (!kg_exr_check (exr_get_storage (context, 0, &storage), error) ||
      !kg_exr_check (exr_get_data_window (context, 0, &header->window), error) ||
      !kg_exr_check (exr_get_channels (context, 0, &header->channels), error))
    return false;
  if (storage != EXR_STORAGE_SCANLINE) {
    kg_set_error (error, KG_ERROR_INVALID_FILE, "only scan-line images are supported: convert the file");
    return false;
  }
  header->width = (int64_t) header->window.max.x - header->window.min.x + 1;
  header->height = (int64_t) header->window.max.y - header->window.min.y + 1;
  return kg_image_check_size (header->width, header->height, error) && inspect_channels (header, error) &&
         check_size (context, header, kg_import_get_size (server), error);
}

static bool
read_image (KgImportServer *server, exr_const_context_t context, KgImportImage *image, GError **error)
{
  Header header = { 0 };
  float *pixels, *depth = NULL;
  size_t n;

  if (!read_header (server, context, &header, error))
    return false;
  n = (size_t) header.width * (size_t) header.height;
  pixels = (float *) kg_import_take_memory (server, n * (header.depth ? 20 : 16), error);
  if (pixels == NULL)
    return false;
  if (header.depth)
    depth = pixels + 4 * n;
  if (!read_chunks (context, &header, pixels, depth, error))
    return false;
  for (size_t i = 0; !header.alpha && i < n; i++)
    pixels[4 * i + 3] = 1;
  *image =
      (KgImportImage){ header.width, header.height, 1, header.depth ? KG_IMPORT_FLOAT_AND_DEPTH : KG_IMPORT_FLOAT };
  return true;
}

/* (nullable) */
static exr_context_t
open_context (KgImportServer *server, GError **error)
{
  exr_context_initializer_t init;
  exr_context_t context = NULL;

  kg_exr_init_context (&init);
  if (kg_exr_check (exr_start_read (&context, kg_import_get_path (server), &init), error))
    return context;
  exr_finish (&context);
  return NULL;
}

bool
import_exr_read (KgImportServer *server, KgImportImage *image, GError **error)
{
  exr_context_t context = open_context (server, error);
  const bool good = context != NULL && read_image (server, context, image, error);

  exr_finish (&context);
  if (!good)
    g_prefix_error (error, "%s: ", kg_import_get_path (server));
  return good;
}

bool
import_exr_read_comment (KgImportServer *server, char *text, GError **error)
{
  exr_context_t context = open_context (server, error);
  const char *comment = NULL;
  int32_t length = 0;

  if (context == NULL)
    return false;
  if (exr_attr_get_string (context, 0, KG_EXR_COMMENT, &length, &comment) == EXR_ERR_SUCCESS && comment != NULL &&
      length >= 0 && length < KG_IMPORT_MAX_TEXT)
    memcpy (text, comment, (size_t) length);
  exr_finish (&context);
  return true;
}
