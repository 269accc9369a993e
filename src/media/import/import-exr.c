/* import-exr: OpenEXR through OpenEXRCore.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import-exr.h"

#include "kg-exr-private.h"
#include "kg-half.h"
#include "kg-image.h"

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* At most so many channels, layers and parts are named. */
#define MOST_NAMED 8

/* The least bytes of a chunk: its place in the table, its first line, its size, and a byte of content. */
#define LEAST_CHUNK 17
/* What zlib makes of a byte at most, and runs of one value of a pair of bytes. */
#define MOST_ZIPPED 1032
#define MOST_RUN 64

/* Pixels of all windows that are decoded at once, such as of a tile or a deep line. */
#define MOST_CHUNK ((size_t) 1 << 26)

/* What is in the file, and what becomes of it: the image has the size of the display window; window is where there are pixels. */
typedef struct {
  int part; /* of the file */
  exr_attr_box2i_t window, display;
  const exr_attr_chlist_t *channels;
  const char *layer; /* (nullable) what the names of the channels begin with, without the point */
  int64_t width, height;
  double aspect;
  exr_storage_t storage;
  bool grey, alpha, depth, opaque; /* opaque: without alpha, where there are pixels */
  float primaries[3][3];           /* to those of the image */
  bool has_primaries;
} Header;

/* Numbers of a pixel of a block: R, G, B and A, and one for channels that nobody wants. With only R, G, B and A beside one
 * another, OpenEXRCore 3.1 takes a routine of its own for files of 16 bits, which writes them in reverse. */
enum { BLOCK_PLACES = 5 };

/* What is read, beside one another: width by height pixels from (x, y) on, in the coordinates of the file. */
typedef struct {
  int64_t x, y, width, height;
  float *pixels, *depth; /* BLOCK_PLACES, and one, for each pixel; depth: (nullable) */
} Block;

typedef enum { CHANNEL_GREY = 4, CHANNEL_DEPTH, CHANNEL_OTHER } Channel;

/* Where the numbers of a channel are: 0 to 3 for R G B A, or a Channel. */
static int
find_channel (const Header *header, const char *name)
{
  const char *point = strrchr (name, '.');
  int offset;

  if (header->layer != NULL) {
    const size_t length = strlen (header->layer);

    if (point == NULL || (size_t) (point - name) != length || strncmp (name, header->layer, length) != 0)
      return strcmp (name, "Z") == 0 ? CHANNEL_DEPTH : CHANNEL_OTHER;
    name = point + 1;
  }
  offset = kg_exr_find_channel (name);
  if (offset >= 0)
    return offset;
  return offset == -1 ? CHANNEL_DEPTH : header->grey && strcmp (name, "Y") == 0 ? CHANNEL_GREY : CHANNEL_OTHER;
}

/* Puts what lies within the display window into the image. */
static void
place_block (const Header *header, const Block *block, float *pixels, float *depth)
{
  const int64_t x0 = MAX (block->x, header->display.min.x),
                x1 = MIN (block->x + block->width, header->display.max.x + (int64_t) 1);
  const int64_t y0 = MAX (block->y, header->display.min.y),
                y1 = MIN (block->y + block->height, header->display.max.y + (int64_t) 1);

  for (int64_t y = y0; y < y1 && x0 < x1; y++) {
    const size_t from = (size_t) ((y - block->y) * block->width + x0 - block->x);
    const size_t to = (size_t) ((y - header->display.min.y) * header->width + x0 - header->display.min.x);
    const size_t n = (size_t) (x1 - x0);

    for (size_t i = 0; i < n; i++) {
      float *p = pixels + 4 * (to + i);

      memcpy (p, block->pixels + BLOCK_PLACES * (from + i), 4 * sizeof *p);
      if (header->grey)
        p[1] = p[2] = p[0];
      if (header->opaque)
        p[3] = 1;
      if (header->has_primaries) {
        const float rgb[3] = { p[0], p[1], p[2] };

        for (int c = 0; c < 3; c++)
          p[c] = header->primaries[c][0] * rgb[0] + header->primaries[c][1] * rgb[1] + header->primaries[c][2] * rgb[2];
      }
    }
    if (depth != NULL)
      memcpy (depth + to, block->depth + from, n * sizeof *depth);
  }
}

static float *
make_room (size_t width, size_t lines, bool depth, Block *block, GError **error)
{
  const size_t n = width * lines;
  float *room = n <= MOST_CHUNK ? g_try_new0 (float, n *(BLOCK_PLACES + (depth ? 1 : 0))) : NULL;

  if (room == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for its lines");
    return NULL;
  }
  block->pixels = room;
  block->depth = depth ? room + BLOCK_PLACES * n : NULL;
  return room;
}

static void
set_places (const Header *header, exr_decode_pipeline_t *pipeline, const Block *block)
{
  for (int c = 0; c < pipeline->channel_count; c++) {
    exr_coding_channel_info_t *channel = &pipeline->channels[c];
    const int offset = find_channel (header, channel->channel_name);
    const bool depth = offset == CHANNEL_DEPTH && block->depth != NULL;
    float *to = depth                    ? block->depth
                : offset < 4             ? block->pixels + offset
                : offset == CHANNEL_GREY ? block->pixels
                                         : block->pixels + BLOCK_PLACES - 1;

    /* Some routines of OpenEXRCore write all channels, also those without a place. */
    channel->user_data_type = EXR_PIXEL_FLOAT;
    channel->user_bytes_per_element = 4;
    channel->user_pixel_stride = (depth ? 1 : BLOCK_PLACES) * (int32_t) sizeof *to;
    channel->user_line_stride = channel->user_pixel_stride * (int32_t) block->width;
    channel->decode_to_ptr = (uint8_t *) to;
  }
}

/* The next chunk, decoded into the block. */
static bool
decode (exr_const_context_t context, const Header *header, const exr_chunk_info_t *chunk, bool first,
        exr_decode_pipeline_t *pipeline, const Block *block, GError **error)
{
  if (!kg_exr_check (first ? exr_decoding_initialize (context, header->part, chunk, pipeline)
                           : exr_decoding_update (context, header->part, chunk, pipeline),
                     error))
    return false;
  set_places (header, pipeline, block);
  return (!first || kg_exr_check (exr_decoding_choose_default_routines (context, header->part, pipeline), error)) &&
         kg_exr_check (exr_decoding_run (context, header->part, pipeline), error);
}

/* depth: (nullable) */
static bool
read_lines (exr_const_context_t context, const Header *header, float *pixels, float *depth, GError **error)
{
  const int64_t width = (int64_t) header->window.max.x - header->window.min.x + 1;
  exr_decode_pipeline_t pipeline = EXR_DECODE_PIPELINE_INITIALIZER;
  g_autofree float *room = NULL;
  int32_t lines = 1;
  Block block = { 0 };
  bool first = true, good;

  good = kg_exr_check (exr_get_scanlines_per_chunk (context, header->part, &lines), error);
  room = good ? make_room ((size_t) width, (size_t) MAX (lines, 1), header->depth, &block, error) : NULL;
  good = room != NULL;
  for (int64_t y = header->window.min.y; good && y <= header->window.max.y; y += lines) {
    exr_chunk_info_t chunk;

    block.x = header->window.min.x;
    block.y = y;
    block.width = width;
    block.height = MIN (lines, header->window.max.y - y + 1);
    good = kg_exr_check (exr_read_scanline_chunk_info (context, header->part, (int) y, &chunk), error) &&
           decode (context, header, &chunk, first, &pipeline, &block, error);
    if (good)
      place_block (header, &block, pixels, depth);
    first = false;
  }
  exr_decoding_destroy (context, &pipeline);
  return good;
}

/* Those of the largest level. */
static bool
read_tiles (exr_const_context_t context, const Header *header, float *pixels, float *depth, GError **error)
{
  const int64_t width = (int64_t) header->window.max.x - header->window.min.x + 1;
  const int64_t height = (int64_t) header->window.max.y - header->window.min.y + 1;
  exr_decode_pipeline_t pipeline = EXR_DECODE_PIPELINE_INITIALIZER;
  g_autofree float *room = NULL;
  int32_t tile_width = 1, tile_height = 1;
  Block block = { 0 };
  bool first = true, good;

  good = kg_exr_check (exr_get_tile_sizes (context, header->part, 0, 0, &tile_width, &tile_height), error);
  if (good && (tile_width < 1 || tile_height < 1)) {
    kg_set_error (error, KG_ERROR_INVALID_FILE, "its tiles have no size");
    good = false;
  }
  /* Tiles may be larger than the image. */
  tile_width = (int32_t) MIN (tile_width, width);
  tile_height = (int32_t) MIN (tile_height, height);
  room = good ? make_room ((size_t) tile_width, (size_t) tile_height, header->depth, &block, error) : NULL;
  good = room != NULL;
  for (int64_t j = 0; good && j * tile_height < height; j++)
    for (int64_t i = 0; good && i * tile_width < width; i++) {
      exr_chunk_info_t chunk;

      block.x = header->window.min.x + i * tile_width;
      block.y = header->window.min.y + j * tile_height;
      block.width = MIN (tile_width, width - i * tile_width);
      block.height = MIN (tile_height, height - j * tile_height);
      good = kg_exr_check (exr_read_tile_chunk_info (context, header->part, (int) i, (int) j, 0, 0, &chunk), error);
      if (good && (chunk.width != block.width || chunk.height != block.height)) {
        kg_set_error (error, KG_ERROR_INVALID_FILE, "a tile has another size than its header says");
        good = false;
      }
      good = good && decode (context, header, &chunk, first, &pipeline, &block, error);
      if (good)
        place_block (header, &block, pixels, depth);
      first = false;
    }
  exr_decoding_destroy (context, &pipeline);
  return good;
}

/* Deep lines. */

/* What is compressed are the differences of bytes, those at even places first. */
static void
join_bytes (uint8_t *apart, uint8_t *bytes, size_t n)
{
  for (size_t i = 1; i < n; i++)
    apart[i] = (uint8_t) (apart[i - 1] + apart[i] - 128);
  for (size_t i = 0; i < n; i++)
    bytes[i] = apart[i / 2 + (i % 2 == 0 ? 0 : (n + 1) / 2)];
}

static bool
unzip (const uint8_t *packed, size_t n_packed, uint8_t *bytes, size_t n)
{
  g_autoptr (GZlibDecompressor) zip = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB);
  g_autofree uint8_t *apart = g_try_new (uint8_t, n + 1);
  size_t done = 0, taken = 0;
  GConverterResult result = G_CONVERTER_CONVERTED;

  while (apart != NULL && result == G_CONVERTER_CONVERTED && done < n) {
    size_t read = 0, written = 0;

    result = g_converter_convert (G_CONVERTER (zip), packed + taken, n_packed - taken, apart + done, n - done,
                                  G_CONVERTER_INPUT_AT_END, &read, &written, NULL);
    taken += read;
    done += written;
  }
  if (apart == NULL || done != n)
    return false;
  join_bytes (apart, bytes, n);
  return true;
}

static bool
unrun (const uint8_t *packed, size_t n_packed, uint8_t *bytes, size_t n)
{
  g_autofree uint8_t *apart = g_try_new (uint8_t, n + 1);
  size_t done = 0, i = 0;

  while (apart != NULL && i < n_packed) {
    const int count = (int8_t) packed[i++];
    const size_t length = count < 0 ? (size_t) -count : (size_t) count + 1;

    if (length > n - done || (count < 0 ? length : 1) > n_packed - i)
      return false;
    if (count < 0)
      memcpy (apart + done, packed + i, length);
    else
      memset (apart + done, packed[i], length);
    i += count < 0 ? length : 1;
    done += length;
  }
  if (apart == NULL || done != n)
    return false;
  join_bytes (apart, bytes, n);
  return true;
}

static bool
fail_deep (GError **error)
{
  kg_set_error (error, KG_ERROR_INVALID_FILE,
                "its deep lines are damaged, or compressed in a way that deep images are not");
  return false;
}

/* What does not become smaller is stored as it is. */
static bool
unpack (int compression, const uint8_t *packed, size_t n_packed, uint8_t *bytes, size_t n, GError **error)
{
  bool good = n_packed == n;

  if (good)
    memcpy (bytes, packed, n);
  else if (n_packed < n && (compression == EXR_COMPRESSION_ZIPS || compression == EXR_COMPRESSION_ZIP))
    good = unzip (packed, n_packed, bytes, n);
  else if (n_packed < n && compression == EXR_COMPRESSION_RLE)
    good = unrun (packed, n_packed, bytes, n);
  return good || fail_deep (error);
}

static float
read_number (exr_pixel_type_t type, const uint8_t *bytes)
{
  float x;

  if (type == EXR_PIXEL_HALF)
    return kg_half_to_float ((guint16) (bytes[0] | bytes[1] << 8));
  if (type == EXR_PIXEL_FLOAT) {
    memcpy (&x, bytes, sizeof x);
    return x;
  }
  return (float) ((uint32_t) bytes[0] | (uint32_t) bytes[1] << 8 | (uint32_t) bytes[2] << 16 |
                  (uint32_t) bytes[3] << 24);
}

typedef struct {
  float rgba[4], z;
} Sample;

static int
compare_samples (const void *a, const void *b)
{
  const float p = ((const Sample *) a)->z, q = ((const Sample *) b)->z;

  return (p > q) - (p < q);
}

/* The samples of a pixel over each other, the nearest in front. */
static void
flatten (Sample *samples, size_t n, bool alpha, float *pixel, float *depth)
{
  double through = 1, sum[4] = { 0 };

  qsort (samples, n, sizeof *samples, compare_samples);
  *depth = INFINITY;
  for (size_t i = 0; i < n; i++) {
    const float a = alpha ? samples[i].rgba[3] : 1, covered = a > 0 ? MIN (a, 1) : 0;

    for (int c = 0; c < 3; c++)
      sum[c] += through * (double) samples[i].rgba[c];
    sum[3] += through * (double) a;
    if (a > 0 && isinf (*depth))
      *depth = samples[i].z;
    through *= 1 - (double) covered;
  }
  for (int c = 0; c < 4; c++)
    pixel[c] = (float) sum[c];
}

/* A line: counts has, for each pixel, how many samples there are up to it; bytes the channels one after the other. */
static bool
read_deep_line (const Header *header, const uint8_t *counts, const uint8_t *bytes, size_t n_bytes, Block *block,
                GError **error)
{
  g_autofree Sample *samples = NULL;
  uint32_t before = 0, all, each = 0;

  memcpy (&all, counts + 4 * (size_t) (block->width - 1), sizeof all);
  for (int c = 0; c < header->channels->num_channels; c++)
    each += header->channels->entries[c].pixel_type == EXR_PIXEL_HALF ? 2 : 4;
  samples = (uint64_t) all * each == n_bytes ? g_try_new0 (Sample, (size_t) all + 1) : NULL;
  if (samples == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_FILE, "a deep line has not as many samples as it says");
    return false;
  }
  for (int c = 0; c < header->channels->num_channels; c++) {
    const exr_attr_chlist_entry_t *entry = &header->channels->entries[c];
    const int offset = find_channel (header, entry->name.str);
    const size_t size = entry->pixel_type == EXR_PIXEL_HALF ? 2 : 4;

    for (size_t i = 0; i < all; i++, bytes += size) {
      const float x = read_number ((exr_pixel_type_t) entry->pixel_type, bytes);

      if (offset <= CHANNEL_GREY)
        samples[i].rgba[offset == CHANNEL_GREY ? 0 : offset] = x;
      else if (offset == CHANNEL_DEPTH)
        samples[i].z = x;
    }
  }
  for (int64_t x = 0; x < block->width; x++) {
    uint32_t end;

    memcpy (&end, counts + 4 * (size_t) x, sizeof end);
    if (end < before || end > all) {
      kg_set_error (error, KG_ERROR_INVALID_FILE, "a deep line has not as many samples as it says");
      return false;
    }
    flatten (samples + before, end - before, header->alpha, block->pixels + BLOCK_PLACES * x, block->depth + x);
    before = end;
  }
  return true;
}

static bool
read_deep (exr_const_context_t context, const Header *header, float *pixels, float *depth, GError **error)
{
  const int64_t width = (int64_t) header->window.max.x - header->window.min.x + 1;
  g_autofree float *room = NULL;
  Block block = { .x = header->window.min.x, .width = width, .height = 1 };

  room = make_room ((size_t) width, 1, true, &block, error);
  for (int64_t y = header->window.min.y; room != NULL && y <= header->window.max.y; y++) {
    g_autofree uint8_t *packed = NULL, *table = NULL, *counts = g_new (uint8_t, 4 * (size_t) width), *bytes = NULL;
    exr_chunk_info_t chunk;

    if (!kg_exr_check (exr_read_scanline_chunk_info (context, header->part, (int) y, &chunk), error))
      return false;
    packed = chunk.packed_size <= G_MAXUINT32 ? g_try_malloc (chunk.packed_size + 1) : NULL;
    table = chunk.sample_count_table_size <= G_MAXUINT32 ? g_try_malloc (chunk.sample_count_table_size + 1) : NULL;
    bytes = chunk.unpacked_size <= G_MAXUINT32 ? g_try_malloc (chunk.unpacked_size + 1) : NULL;
    if (packed == NULL || table == NULL || bytes == NULL) {
      kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for its lines");
      return false;
    }
    block.y = y;
    if (chunk.height != 1)
      return fail_deep (error);
    if (!kg_exr_check (exr_read_deep_chunk (context, header->part, &chunk, packed, table), error) ||
        !unpack (chunk.compression, table, chunk.sample_count_table_size, counts, 4 * (size_t) width, error) ||
        !unpack (chunk.compression, packed, chunk.packed_size, bytes, chunk.unpacked_size, error) ||
        !read_deep_line (header, counts, bytes, chunk.unpacked_size, &block, error))
      return false;
    place_block (header, &block, pixels, depth);
  }
  return room != NULL;
}

/* Other primaries. */

/* Of column vectors: m m^-1 = 1; false where there is no inverse. */
static bool
invert (double m[3][3], double inverse[3][3])
{
  double determinant = 0;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;

      inverse[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
    }
  for (int j = 0; j < 3; j++)
    determinant += m[0][j] * inverse[j][0];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      inverse[i][j] /= determinant;
  return fabs (determinant) > 1e-9 && isfinite (determinant);
}

static void
multiply (double a[3][3], double b[3][3], double product[3][3])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      product[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

/* Red, green, blue and white as x, y: RGB to XYZ with a Y of white of 1.  white: X, Y and Z. */
static bool
find_rgb_to_xyz (const double xy[4][2], double to_xyz[3][3], double white[3])
{
  double columns[3][3], inverse[3][3];

  for (int i = 0; i < 4; i++)
    if (!(fabs (xy[i][1]) > 1e-6))
      return false;
  for (int i = 0; i < 3; i++) {
    columns[0][i] = xy[i][0];
    columns[1][i] = xy[i][1];
    columns[2][i] = 1 - xy[i][0] - xy[i][1];
  }
  white[0] = xy[3][0] / xy[3][1];
  white[1] = 1;
  white[2] = (1 - xy[3][0] - xy[3][1]) / xy[3][1];
  if (!invert (columns, inverse))
    return false;
  for (int j = 0; j < 3; j++) {
    const double light = inverse[j][0] * white[0] + inverse[j][1] * white[1] + inverse[j][2] * white[2];

    for (int i = 0; i < 3; i++)
      to_xyz[i][j] = columns[i][j] * light;
  }
  return true;
}

/* What makes colours of the primaries in the header into those of images here, ITU-R BT.709, with the white adapted (Bradford);
 * *other is false where they are the same, or make no sense. */
static void
find_primaries (exr_const_context_t context, int part, float primaries[3][3], bool *other)
{
  static const double ours[4][2] = { { 0.64, 0.33 }, { 0.3, 0.6 }, { 0.15, 0.06 }, { 0.3127, 0.329 } };
  double bradford[3][3] = { { 0.8951, 0.2664, -0.1614 }, { -0.7502, 1.7135, 0.0367 }, { 0.0389, -0.0685, 1.0296 } };
  double from[3][3], to[3][3], back[3][3], cones[3][3], adapt[3][3] = { { 0 } }, a[3][3], b[3][3], white[2][3],
                                                        xy[4][2];
  exr_attr_chromaticities_t c;
  double difference = 0;

  *other = false;
  if (exr_attr_get_chromaticities (context, part, "chromaticities", &c) != EXR_ERR_SUCCESS)
    return;
  memcpy (xy,
          (double[4][2]){ { (double) c.red_x, (double) c.red_y },
                          { (double) c.green_x, (double) c.green_y },
                          { (double) c.blue_x, (double) c.blue_y },
                          { (double) c.white_x, (double) c.white_y } },
          sizeof xy);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 2; k++)
      difference = fmax (difference, fabs (xy[i][k] - ours[i][k]));
  if (!(difference > 1e-3) || !find_rgb_to_xyz (xy, from, white[0]) || !find_rgb_to_xyz (ours, to, white[1]) ||
      !invert (to, back) || !invert (bradford, cones))
    return;
  for (int i = 0; i < 3; i++) {
    double was = 0, is = 0;

    for (int k = 0; k < 3; k++) {
      was += bradford[i][k] * white[0][k];
      is += bradford[i][k] * white[1][k];
    }
    if (!(fabs (was) > 1e-6))
      return;
    adapt[i][i] = is / was;
  }
  multiply (bradford, from, a);
  multiply (adapt, a, b);
  multiply (cones, b, a);
  multiply (back, a, b);
  *other = true;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      primaries[i][k] = (float) b[i][k];
      *other = *other && isfinite (primaries[i][k]);
    }
}

/* Headers. */

static bool
has_channel (const Header *header, const char *name)
{
  for (int i = 0; i < header->channels->num_channels; i++)
    if (strcmp (header->channels->entries[i].name.str, name) == 0)
      return true;
  return false;
}

/* Whether there is a channel of this name in the layer. */
static bool
has_channel_in (const Header *header, const char *layer, const char *name)
{
  g_autofree char *all = g_strconcat (layer, ".", name, NULL);

  return has_channel (header, all);
}

/* (transfer full) (nullable) The first layer with the channels R, G and B. */
static char *
find_layer (const Header *header)
{
  for (int i = 0; i < header->channels->num_channels; i++) {
    const char *name = header->channels->entries[i].name.str, *point = strrchr (name, '.');
    g_autofree char *layer = point != NULL ? g_strndup (name, (gsize) (point - name)) : NULL;

    if (layer != NULL && has_channel_in (header, layer, "R") && has_channel_in (header, layer, "G") &&
        has_channel_in (header, layer, "B"))
      return g_steal_pointer (&layer);
  }
  return NULL;
}

static void
refuse_channels (const Header *header, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (int i = 0; i < header->channels->num_channels && i < MOST_NAMED; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", header->channels->entries[i].name.str);
  kg_set_error (error, KG_ERROR_INVALID_FILE,
                "it has no colours: none of the channels R, G, B and Y, nor a layer with R, G and B (it has: %s)",
                names->str);
}

static void
warn_of_layer (KgImportServer *server, const char *layer)
{
  g_autofree char *warning =
      g_strdup_printf (_ ("it has no channels R, G and B of its own: the layer %s is read"), layer);

  kg_import_warn (server, warning);
}

static void
warn_of_overscan (KgImportServer *server, const Header *header)
{
  g_autofree char *warning = g_strdup_printf (
      _ ("its data window of %d × %d pixels is not within its display window of %d × %d: what lies outside is cut off"),
      header->window.max.x - header->window.min.x + 1, header->window.max.y - header->window.min.y + 1,
      header->display.max.x - header->display.min.x + 1, header->display.max.y - header->display.min.y + 1);

  kg_import_warn (server, warning);
}

static bool
has_layer (const Header *header, const char *layer)
{
  static const char *const names[] = { "R", "G", "B", "Y", "A", "Z" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (has_channel_in (header, layer, names[i]))
      return true;
  return false;
}

static bool
has_colors (const Header *header)
{
  return has_channel (header, "R") || has_channel (header, "G") || has_channel (header, "B") ||
         has_channel (header, "Y");
}

/* Adds the name to those that an error lists, once. */
static void
add_name (GPtrArray *names, const char *name, gssize length)
{
  g_autofree char *copy = length < 0 ? g_strdup (name) : g_strndup (name, (gsize) length);

  if (*copy != '\0' && names->len < MOST_NAMED && !g_ptr_array_find_with_equal_func (names, copy, g_str_equal, NULL))
    g_ptr_array_add (names, g_steal_pointer (&copy));
}

/* (transfer none) Empty where it has none. */
static const char *
get_part_name (exr_const_context_t context, int part)
{
  const char *name = NULL;

  return exr_get_name (context, part, &name) == EXR_ERR_SUCCESS && name != NULL ? name : "";
}

static void
refuse_part (exr_const_context_t context, int n_parts, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *list = NULL;

  for (int i = 0; i < n_parts; i++) {
    const exr_attr_chlist_t *channels;

    add_name (names, get_part_name (context, i), -1);
    if (exr_get_channels (context, i, &channels) != EXR_ERR_SUCCESS)
      continue;
    for (int c = 0; c < channels->num_channels; c++) {
      const char *channel = channels->entries[c].name.str, *point = strrchr (channel, '.');

      if (point != NULL)
        add_name (names, channel, point - channel);
    }
  }
  g_ptr_array_add (names, NULL);
  list = g_strjoinv (", ", (char **) names->pdata);
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "it has no part or layer named %s (it has: %s)", name, list);
}

static void
warn_of_parts (KgImportServer *server, int n_parts, const char *name)
{
  g_autofree char *warning = g_strdup_printf (_ ("it has %d parts: the part %s is read"), n_parts, name);

  kg_import_warn (server, warning);
}

/* Which part of the file is read: the one of that name, or with such a layer, which *layer then is; without a name the first with
 * colours. */
static bool
choose_part (KgImportServer *server, exr_const_context_t context, const char *name, Header *header, char **layer,
             GError **error)
{
  int n_parts;

  if (!kg_exr_check (exr_get_count (context, &n_parts), error))
    return false;
  for (int i = 0; i < n_parts && *name != '\0'; i++)
    if (strcmp (get_part_name (context, i), name) == 0) {
      header->part = i;
      return true;
    }
  for (int i = 0; i < n_parts; i++) {
    if (!kg_exr_check (exr_get_channels (context, i, &header->channels), error))
      return false;
    if (*name == '\0' ? !has_colors (header) : !has_layer (header, name))
      continue;
    header->part = i;
    if (*name != '\0')
      *layer = g_strdup (name);
    break;
  }
  if (*name != '\0' && *layer == NULL) {
    refuse_part (context, n_parts, name, error);
    return false;
  }
  if (*name == '\0' && n_parts > 1)
    warn_of_parts (server, n_parts, get_part_name (context, header->part));
  return true;
}

/* Images without alpha are opaque; a channel that is subsampled is none of ours. */
static bool
inspect_channels (KgImportServer *server, Header *header, char **layer, GError **error)
{
  for (int i = 0; i < header->channels->num_channels; i++) {
    const exr_attr_chlist_entry_t *entry = &header->channels->entries[i];

    if (entry->x_sampling != 1 || entry->y_sampling != 1) {
      kg_set_error (
          error, KG_ERROR_INVALID_FILE,
          "the channel %s is subsampled, which is not supported: save the image with all channels in full resolution",
          entry->name.str);
      return false;
    }
  }
  header->depth = has_channel (header, "Z");
  if (*layer != NULL) {
    header->layer = *layer;
    header->depth = header->depth || has_channel_in (header, *layer, "Z");
    header->alpha = has_channel_in (header, *layer, "A");
    header->grey = has_channel_in (header, *layer, "Y") && !has_channel_in (header, *layer, "R");
    return true;
  }
  header->alpha = has_channel (header, "A");
  if (has_channel (header, "R") || has_channel (header, "G") || has_channel (header, "B"))
    return true;
  if (has_channel (header, "Y")) {
    header->grey = true;
    return true;
  }
  *layer = find_layer (header);
  if (*layer != NULL) {
    header->layer = *layer;
    header->alpha = has_channel_in (header, *layer, "A");
    warn_of_layer (server, *layer);
    return true;
  }
  /* A depth or a matte alone. */
  if (header->depth || header->alpha)
    return true;
  refuse_channels (header, error);
  return false;
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

/* A header that promises more than the rest of the file can hold is wrong: no memory is allocated for it. */
static bool
check_size (exr_const_context_t context, const Header *header, uint64_t size, GError **error)
{
  const uint64_t width = (uint64_t) ((int64_t) header->window.max.x - header->window.min.x + 1);
  const uint64_t height = (uint64_t) ((int64_t) header->window.max.y - header->window.min.y + 1);
  uint64_t bytes = 0, ratio;
  exr_compression_t compression;
  int32_t chunks;

  if (!kg_exr_check (exr_get_chunk_count (context, header->part, &chunks), error) ||
      !kg_exr_check (exr_get_compression (context, header->part, &compression), error))
    return false;
  /* Of deep images each pixel has at least its number of samples. */
  for (int i = 0; i < header->channels->num_channels && header->storage != EXR_STORAGE_DEEP_SCANLINE; i++)
    bytes += width * height * (header->channels->entries[i].pixel_type == EXR_PIXEL_HALF ? 2 : 4);
  if (header->storage == EXR_STORAGE_DEEP_SCANLINE)
    bytes = 4 * width * height;
  ratio = get_most_ratio (compression);
  if (chunks >= 0 && (uint64_t) chunks * LEAST_CHUNK <= size && (ratio == 0 || bytes / ratio <= size))
    return true;
  kg_set_error (error, KG_ERROR_INVALID_FILE,
                "%" PRIu64 " × %" PRIu64 " pixels cannot be in a file of %" PRIu64
                " bytes: it is damaged; write it again",
                width, height, size);
  return false;
}

static bool
read_header (KgImportServer *server, exr_const_context_t context, Header *header, char **layer, GError **error)
{
  const exr_attr_box2i_t *w = &header->window, *d = &header->display;
  float aspect = 1;

  if (!kg_exr_check (exr_get_storage (context, header->part, &header->storage), error) ||
      !kg_exr_check (exr_get_data_window (context, header->part, &header->window), error) ||
      !kg_exr_check (exr_get_display_window (context, header->part, &header->display), error) ||
      !kg_exr_check (exr_get_channels (context, header->part, &header->channels), error))
    return false;
  if (header->storage == EXR_STORAGE_DEEP_TILED) {
    kg_set_error (error, KG_ERROR_INVALID_FILE, "deep tiles are not supported: convert the file to deep scan lines");
    return false;
  }
  if (!kg_image_check_size ((int64_t) w->max.x - w->min.x + 1, (int64_t) w->max.y - w->min.y + 1, error))
    return false;
  header->width = (int64_t) d->max.x - d->min.x + 1;
  header->height = (int64_t) d->max.y - d->min.y + 1;
  if (!kg_image_check_size (header->width, header->height, error) || !inspect_channels (server, header, layer, error) ||
      !check_size (context, header, kg_import_get_size (server), error))
    return false;
  header->aspect = 1;
  if (exr_get_pixel_aspect_ratio (context, header->part, &aspect) == EXR_ERR_SUCCESS && aspect >= 0.01f &&
      aspect <= 100)
    header->aspect = (double) aspect;
  find_primaries (context, header->part, header->primaries, &header->has_primaries);
  if (w->min.x < d->min.x || w->min.y < d->min.y || w->max.x > d->max.x || w->max.y > d->max.y)
    warn_of_overscan (server, header);
  return true;
}

static bool
read_image (KgImportServer *server, exr_const_context_t context, const char *part, KgImportImage *image, GError **error)
{
  Header header = { 0 };
  g_autofree char *layer = NULL;
  float *pixels, *depth = NULL;
  size_t n;
  bool good;

  if (!choose_part (server, context, part, &header, &layer, error) ||
      !read_header (server, context, &header, &layer, error))
    return false;
  n = (size_t) header.width * (size_t) header.height;
  header.depth = header.depth || header.storage == EXR_STORAGE_DEEP_SCANLINE;
  header.opaque = !header.alpha && header.storage != EXR_STORAGE_DEEP_SCANLINE;
  pixels = (float *) kg_import_take_memory (server, n * (header.depth ? 20 : 16), error);
  if (pixels == NULL)
    return false;
  if (header.depth)
    depth = pixels + 4 * n;
  /* Where there are no pixels, there is nothing. */
  for (size_t i = 0; depth != NULL && i < n; i++)
    depth[i] = INFINITY;
  good = header.storage == EXR_STORAGE_DEEP_SCANLINE ? read_deep (context, &header, pixels, depth, error)
         : header.storage == EXR_STORAGE_TILED       ? read_tiles (context, &header, pixels, depth, error)
                                                     : read_lines (context, &header, pixels, depth, error);
  *image = (KgImportImage){ header.width, header.height, header.aspect,
                            header.depth ? KG_IMPORT_FLOAT_AND_DEPTH : KG_IMPORT_FLOAT };
  return good;
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
import_exr_read (KgImportServer *server, const char *part, KgImportImage *image, GError **error)
{
  exr_context_t context = open_context (server, error);
  const bool good = context != NULL && read_image (server, context, part, image, error);

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
