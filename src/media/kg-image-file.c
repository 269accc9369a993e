/* kg-image-file: images in and out, but for OpenEXR (kg-exr-file.c).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-image-file.h"

#include "kg-exr-file.h"
#include "kg-image-import.h"
#include "kg-kernel.h"
#include "kg-output-file.h"
#include "kg-regular-file.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <png.h>
#include <string.h>
#include <zlib.h>

#define COMMENT_KEY "kineograph"

bool
kg_image_format_from_path (const char *path, KgImageFormat *format)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);

  if (g_str_has_suffix (lower, ".png"))
    *format = KG_IMAGE_PNG8;
  else if (g_str_has_suffix (lower, ".exr"))
    *format = KG_IMAGE_EXR_HALF;
  else
    return false;
  return true;
}

bool
kg_image_format_set_bits (KgImageFormat *format, int bits)
{
  const bool png = *format == KG_IMAGE_PNG8 || *format == KG_IMAGE_PNG16;

  if (png && (bits == 8 || bits == 16))
    *format = bits == 8 ? KG_IMAGE_PNG8 : KG_IMAGE_PNG16;
  else if (!png && (bits == 16 || bits == 32))
    *format = bits == 16 ? KG_IMAGE_EXR_HALF : KG_IMAGE_EXR_FLOAT;
  else
    return false;
  return true;
}

/* Loading. */

/* From 8-bit sRGB-encoded, unpremultiplied pixels of 3 or 4 channels, rows stride bytes apart.  (transfer full) (nullable) */
static KgImage *
new_from_bytes (const uint8_t *rows, int width, int height, size_t stride, int channels, GError **error)
{
  KgImage *image = kg_image_new (width, height, false, error);
  float decode[256];
  float *pixels;

  if (image == NULL)
    return NULL;
  for (int i = 0; i < 256; i++)
    decode[i] = (float) kg_srgb_decode (i / 255.0);
  pixels = kg_image_edit_pixels (image);
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < height; y++) {
    const uint8_t *from = rows + (size_t) y * stride;
    float *to = pixels + 4 * (size_t) y * (size_t) width;

    for (int x = 0; x < width; x++, from += channels, to += 4) {
      const float alpha = channels == 4 ? (float) from[3] / 255 : 1;

      for (int c = 0; c < 3; c++)
        to[c] = alpha * decode[from[c]];
      to[3] = alpha;
    }
  }
  return image;
}

/* From 16-bit sRGB-encoded, unpremultiplied pixels of 4 channels.  (transfer full) (nullable) */
static KgImage *
new_from_words (const uint16_t *words, int width, int height, GError **error)
{
  const size_t n = (size_t) width * (size_t) height;
  KgImage *image = kg_image_new (width, height, false, error);
  g_autofree float *decode = image != NULL ? g_try_new (float, 65536) : NULL;
  float *pixels;

  if (decode == NULL) {
    if (image != NULL)
      kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for an image of %d × %d pixels", width, height);
    g_clear_pointer (&image, kg_image_unref);
    return NULL;
  }
  for (int i = 0; i < 65536; i++)
    decode[i] = (float) kg_srgb_decode (i / 65535.0);
  pixels = kg_image_edit_pixels (image);
#pragma omp parallel for schedule(static) if (n >= KG_PARALLEL_FROM)
  for (size_t i = 0; i < n; i++) {
    const float alpha = (float) words[4 * i + 3] / 65535;

    for (size_t c = 0; c < 3; c++)
      pixels[4 * i + c] = alpha * decode[words[4 * i + c]];
    pixels[4 * i + 3] = alpha;
  }
  return image;
}

/* What a reader replied, with every check but that its numbers are finite.  (transfer full) (nullable) */
static KgImage *
new_unchecked (const char *path, const KgImportImage *header, GBytes *memory, GError **error)
{
  static const size_t bytes_per_pixel[] = { [KG_IMPORT_RGB8] = 3,
                                            [KG_IMPORT_RGBA8] = 4,
                                            [KG_IMPORT_RGBA16] = 8,
                                            [KG_IMPORT_FLOAT] = 16,
                                            [KG_IMPORT_FLOAT_AND_DEPTH] = 20 };
  const bool is_float = header->layout == KG_IMPORT_FLOAT || header->layout == KG_IMPORT_FLOAT_AND_DEPTH;
  const size_t channels = header->layout == KG_IMPORT_RGB8 ? 3 : 4;
  KgImage *image;
  const uint8_t *bytes;
  size_t n, length;

  if (!kg_image_check_size (header->width, header->height, error))
    return NULL;
  n = (size_t) header->width * (size_t) header->height;
  bytes = memory != NULL ? (const uint8_t *) g_bytes_get_data (memory, &length) : NULL;
  if (bytes == NULL || header->layout >= KG_IMPORT_N_LAYOUTS || length != n * bytes_per_pixel[header->layout] ||
      !(header->aspect >= KG_IMPORT_MIN_ASPECT && header->aspect <= 1 / KG_IMPORT_MIN_ASPECT)) {
    kg_import_refuse (path, error);
    return NULL;
  }
  if (is_float) {
    image = kg_image_new (header->width, header->height, header->layout == KG_IMPORT_FLOAT_AND_DEPTH, error);
    if (image == NULL)
      return NULL;
    memcpy (kg_image_edit_pixels (image), bytes, 16 * n);
    if (header->layout == KG_IMPORT_FLOAT_AND_DEPTH)
      memcpy (kg_image_edit_depth (image), bytes + 16 * n, 4 * n);
  } else {
    image =
        header->layout == KG_IMPORT_RGBA16
            ? new_from_words ((const uint16_t *) (const void *) bytes, (int) header->width, (int) header->height, error)
            : new_from_bytes (bytes, (int) header->width, (int) header->height, channels * (size_t) header->width,
                              (int) channels, error);
    if (image == NULL)
      return NULL;
  }
  kg_image_set_pixel_aspect (image, header->aspect);
  return image;
}

KgImage *
kg_image_new_from_import (const char *path, const KgImportImage *header, GBytes *memory, GError **error)
{
  KgImage *image = new_unchecked (path, header, memory, error);

  if (image != NULL && !kg_image_check_finite (image, error)) {
    g_prefix_error (error, "%s: ", path);
    g_clear_pointer (&image, kg_image_unref);
  }
  return image;
}

/* Asks a reader for the image, or for its comment. */
static bool
request_image (const char *path, const char *part, KgImportOperation operation, const KgProgressMonitor *monitor,
               GPtrArray *warnings, KgImportReply *reply, GBytes **memory, GError **error)
{
  KgImportRequest request = { .operation = operation };
  g_autoptr (KgImport) import = NULL;

  *memory = NULL;
  if (g_strlcpy (request.part, part, sizeof request.part) >= sizeof request.part) {
    kg_set_error (error, KG_ERROR_LIMIT, "%s: the name of a part has at most %d bytes", path, KG_IMPORT_MAX_PART - 1);
    return false;
  }
  if (!kg_regular_file_check (path, "an image", error))
    return false;
  import = kg_import_new ("image", path, NULL, error);
  return import != NULL && kg_import_request (import, &request, monitor, warnings, reply, memory, error);
}

KgImage *
kg_image_load (const char *path, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (GBytes) memory = NULL;
  KgImportReply reply;

  return request_image (path, "", KG_IMPORT_READ, monitor, NULL, &reply, &memory, error)
             ? kg_image_new_from_import (path, &reply.image, memory, error)
             : NULL;
}

KgImage *
kg_image_load_mended (const char *path, const char *part, KgImageReplacement rule, KgImageReplaced *mended,
                      GPtrArray *warnings, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (GBytes) memory = NULL;
  KgImportReply reply;
  KgImage *image;

  *mended = (KgImageReplaced){ 0 };
  if (!request_image (path, part, KG_IMPORT_READ, monitor, warnings, &reply, &memory, error))
    return NULL;
  image = new_unchecked (path, &reply.image, memory, error);
  if (image != NULL && !kg_image_replace_not_finite (image, rule, mended, error)) {
    g_prefix_error (error, "%s: ", path);
    g_clear_pointer (&image, kg_image_unref);
  }
  return image;
}

/* Saving. */

/* One component, unpremultiplied, encoded, in 0..1. */
static double
encode (const float *pixel, int c)
{
  const double alpha = (double) pixel[3];

  if (c == 3)
    return kg_clamp (alpha, 0, 1);
  return kg_clamp (kg_srgb_encode (alpha > 0 ? (double) pixel[c] / alpha : 0), 0, 1);
}

/* The places where the rounded value changes: the curve is monotonic, so that counting those that a linear value reaches
 * gives the same bytes as computing it, without a power for each.  Floats that share sign, exponent and seven bits of
 * the mantissa have at most two such places among them, so that two comparisons are enough. */
#define BUCKET_SHIFT 16
#define LAST_BUCKET (0x3f800000 >> BUCKET_SHIFT) /* that of 1 */

typedef struct {
  float threshold[257]; /* the last two are never reached */
  uint8_t reached[LAST_BUCKET + 1];
} EncodeTable;

static gpointer
make_table (gpointer data)
{
  EncodeTable *table = g_new (EncodeTable, 1);
  int reached = 0;

  (void) data;
  for (int i = 0; i < 255; i++)
    table->threshold[i] = (float) kg_srgb_decode ((i + 0.5) / 255);
  table->threshold[255] = table->threshold[256] = NAN;
  for (int i = 0; i <= LAST_BUCKET; i++) {
    const int32_t bits = i << BUCKET_SHIFT;
    float least;

    memcpy (&least, &bits, sizeof least);
    while (least >= table->threshold[reached])
      reached++;
    table->reached[i] = (uint8_t) reached;
  }
  return table;
}

static uint8_t
encode_byte (const EncodeTable *table, float x)
{
  int32_t bits;
  int reached;

  memcpy (&bits, &x, sizeof bits);
  reached = table->reached[CLAMP (bits, 0, 0x3f800000) >> BUCKET_SHIFT];
  reached += x >= table->threshold[reached];
  reached += x >= table->threshold[reached];
  return (uint8_t) reached;
}

void
kg_image_to_rgba8 (const KgImage *image, uint8_t *rgba)
{
  static GOnce once = G_ONCE_INIT;
  const EncodeTable *table = (const EncodeTable *) g_once (&once, make_table, NULL);
  const size_t n = (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image);
  const float *pixels = kg_image_get_pixels (image);

#pragma omp parallel for schedule(dynamic, 16384)
  for (size_t i = 0; i < n; i++) {
    const float *p = pixels + 4 * i;
    const float inverse = p[3] > 0 ? 1 / p[3] : 0;

    for (int c = 0; c < 3; c++)
      rgba[4 * i + (size_t) c] = encode_byte (table, p[c] * inverse);
    rgba[4 * i + 3] = (uint8_t) (kg_clamp ((double) p[3], 0, 1) * 255 + 0.5);
  }
}

typedef struct {
  char message[200];
} PngError;

static void
on_png_error (png_structp png, png_const_charp message)
{
  g_strlcpy (((PngError *) png_get_error_ptr (png))->message, message, sizeof ((PngError *) NULL)->message);
  png_longjmp (png, 1);
}

static void
on_png_warning (png_structp png, png_const_charp message)
{
  (void) png;
  (void) message;
}

/* Like libpng's own, but with a message about the file. */
static void
write_bytes (png_structp png, png_bytep bytes, size_t n)
{
  if (fwrite (bytes, 1, n, (FILE *) png_get_io_ptr (png)) != n)
    png_error (png, g_strerror (errno));
}

static void
flush_bytes (png_structp png)
{
  (void) png;
}

static void
write_rows (png_structp png, const KgImage *image, bool deep, uint8_t *rows)
{
  const size_t width = (size_t) kg_image_get_width (image), height = (size_t) kg_image_get_height (image);
  const float *pixels = kg_image_get_pixels (image);

  if (!deep) {
    kg_image_to_rgba8 (image, rows);
    for (size_t y = 0; y < height; y++)
      png_write_row (png, rows + y * width * 4);
    return;
  }
  for (size_t y = 0; y < height; y++) {
    for (size_t i = 0; i < width * 4; i++) {
      const unsigned value = (unsigned) (encode (pixels + 4 * (y * width + i / 4), (int) (i % 4)) * 65535 + 0.5);

      rows[2 * i] = (uint8_t) (value >> 8);
      rows[2 * i + 1] = (uint8_t) value;
    }
    png_write_row (png, rows);
  }
}

/* libpng leaves by a long jump: nothing in here is changed between setting it up and the end. */
static bool
write_png (FILE *file, const KgImage *image, bool deep, const char *comment, GError **error)
{
  const size_t width = (size_t) kg_image_get_width (image), height = (size_t) kg_image_get_height (image);
  PngError png_error = { "" };
  png_structp png = png_create_write_struct (PNG_LIBPNG_VER_STRING, &png_error, on_png_error, on_png_warning);
  png_infop info = png_create_info_struct (png);
  uint8_t *const rows = (uint8_t *) g_malloc (deep ? width * 8 : width * height * 4);
  png_text text = { .compression = PNG_TEXT_COMPRESSION_NONE,
                    .key = (char *) COMMENT_KEY,
                    .text = (char *) (size_t) comment };

  if (setjmp (png_jmpbuf (png))) {
    png_destroy_write_struct (&png, &info);
    g_free (rows);
    g_set_error_literal (error, KG_ERROR, KG_ERROR_IO, png_error.message);
    return false;
  }
  png_set_write_fn (png, file, write_bytes, flush_bytes);
  png_set_compression_level (png, 4);
  png_set_IHDR (png, info, (png_uint_32) width, (png_uint_32) height, deep ? 16 : 8, PNG_COLOR_TYPE_RGBA,
                PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB (png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (comment != NULL)
    png_set_text (png, info, &text, 1);
  png_write_info (png, info);
  write_rows (png, image, deep, rows);
  png_write_end (png, info);
  png_destroy_write_struct (&png, &info);
  g_free (rows);
  return true;
}

bool
kg_image_write_png (const KgImage *image, FILE *file, bool deep, GError **error)
{
  return write_png (file, image, deep, NULL, error);
}

bool
kg_image_save (const KgImage *image, const char *path, KgImageFormat format, double rate, const char *comment,
               GError **error)
{
  g_autoptr (KgOutputFile) file = kg_output_file_open (path, error);
  bool good = file != NULL;

  if (good && (format == KG_IMAGE_EXR_HALF || format == KG_IMAGE_EXR_FLOAT))
    good = kg_exr_write (image, kg_output_file_get_stream (file), format == KG_IMAGE_EXR_HALF, rate, comment, error);
  else if (good)
    good = write_png (kg_output_file_get_stream (file), image, format == KG_IMAGE_PNG16, comment, error);
  if (good && kg_output_file_complete (file, error))
    return true;
  kg_prefix_error (error, "%s cannot be written: ", path);
  return false;
}

/* The chunks of a PNG (ISO/IEC 15948). */

/* Longer comments are none of ours. */
#define MAX_COMMENT 65536

/* The next big-endian number of the file. */
static bool
read_uint (FILE *file, uint32_t *number)
{
  uint8_t bytes[4];

  if (fread (bytes, 1, 4, file) != 4)
    return false;
  *number = (uint32_t) bytes[0] << 24 | (uint32_t) bytes[1] << 16 | (uint32_t) bytes[2] << 8 | bytes[3];
  return true;
}

/* One chunk, which is as long as it says and has the sum it says.  type: (out) of 4 characters.  text: (out) (transfer full)
 * (nullable) its content if it is a text that is not too long. */
static bool
read_chunk (FILE *file, char *type, GString **text)
{
  uint8_t block[16384];
  uint32_t left, sum;
  uLong found;

  *text = NULL;
  if (!read_uint (file, &left) || fread (type, 1, 4, file) != 4)
    return false;
  if (memcmp (type, "tEXt", 4) == 0 && left <= MAX_COMMENT)
    *text = g_string_sized_new (left);
  found = crc32 (0, (const uint8_t *) type, 4);
  while (left > 0) {
    const size_t n = fread (block, 1, MIN (left, sizeof block), file);

    if (n == 0)
      return false;
    if (*text != NULL)
      g_string_append_len (*text, (const char *) block, (gssize) n);
    found = crc32 (found, block, (uInt) n);
    left -= (uint32_t) n;
  }
  return read_uint (file, &sum) && sum == (uint32_t) found;
}

/* True for a PNG that is complete.  Decoding the pixels would reveal no more and take ten times as long.  comment:
 * (out) (optional) (transfer full) (nullable) ours, with which reading ends. */
static bool
read_chunks (FILE *file, char **comment)
{
  uint8_t signature[8];
  char type[4] = "";
  bool good = fread (signature, 1, 8, file) == 8 && png_sig_cmp (signature, 0, 8) == 0;

  while (good && memcmp (type, "IEND", 4) != 0) {
    GString *text;

    good = read_chunk (file, type, &text);
    if (good && text != NULL && comment != NULL && strcmp (text->str, COMMENT_KEY) == 0 &&
        text->len > strlen (COMMENT_KEY)) {
      *comment = g_strdup (text->str + strlen (COMMENT_KEY) + 1);
      good = false;
    }
    if (text != NULL)
      g_string_free (text, TRUE);
  }
  return good && fgetc (file) == EOF;
}

/* Like kg_image_is_complete.  comment: see read_chunks. */
static bool
read_png (const char *path, char **comment)
{
  FILE *file = g_fopen (path, "rb");
  const bool good = file != NULL && read_chunks (file, comment);

  if (file != NULL)
    fclose (file);
  return good;
}

static bool
is_exr (const char *path)
{
  KgImageFormat format;

  return kg_image_format_from_path (path, &format) && format != KG_IMAGE_PNG8;
}

char *
kg_image_read_comment (const char *path)
{
  g_autoptr (GBytes) memory = NULL;
  char *comment = NULL;
  KgImportReply reply;

  if (!kg_regular_file_check (path, "an image", NULL))
    return NULL;
  if (!is_exr (path))
    read_png (path, &comment);
  else if (request_image (path, "", KG_IMPORT_COMMENT, NULL, NULL, &reply, &memory, NULL) && reply.text[0] != '\0')
    comment = g_strdup (reply.text);
  return comment;
}

bool
kg_image_is_complete (const char *path)
{
  g_autoptr (KgImage) image = NULL;

  if (!kg_regular_file_check (path, "an image", NULL))
    return false;
  if (!is_exr (path))
    return read_png (path, NULL);
  /* The sums of an EXR are within its compressed chunks. */
  image = kg_image_load (path, NULL, NULL);
  return image != NULL;
}
