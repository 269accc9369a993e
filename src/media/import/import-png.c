/* import-png: see the header.  Source: Portable Network Graphics (PNG) Specification, second edition, 2003, 11.2.2 (IHDR).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import-png.h"

#include "kg-image.h"

#include <png.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>

/* Of the header: where the bits of a sample are. */
#define DEPTH_OFFSET 24
#define BYTES_PER_PIXEL 8

bool
import_png_is_deep (int fd)
{
  static const uint8_t start[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R' };
  uint8_t header[DEPTH_OFFSET + 1];

  return pread (fd, header, sizeof header, 0) == (ssize_t) sizeof header && memcmp (header, start, sizeof start) == 0 &&
         header[DEPTH_OFFSET] == 16;
}

/* What libpng says last; it goes back to where it was called. */
static void
fail (png_structp png, png_const_charp words)
{
  g_strlcpy ((char *) png_get_error_ptr (png), words, 128);
  png_longjmp (png, 1);
}

static void
ignore (png_structp png, png_const_charp words)
{
  (void) png;
  (void) words;
}

/* Everything as red, green, blue, alpha, in the order of bytes of this machine. */
static void
set_layout (png_structp png, png_infop info)
{
  const bool lacks_alpha = (png_get_color_type (png, info) & PNG_COLOR_MASK_ALPHA) == 0 &&
                           !png_get_valid (png, info, PNG_INFO_tRNS);

  png_set_expand_16 (png);
  png_set_gray_to_rgb (png);
  if (lacks_alpha)
    png_set_add_alpha (png, 0xffff, PNG_FILLER_AFTER);
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  png_set_swap (png);
#endif
  png_set_interlace_handling (png);
  png_read_update_info (png, info);
}

/* No variable of it changes between setjmp and longjmp.  False with *error, or with words of libpng. */
static bool
read_image (KgImportServer *server, png_structp png, png_infop info, FILE *file, KgImportImage *image, png_bytep **rows,
            GError **error)
{
  uint8_t *memory;

  if (setjmp (png_jmpbuf (png)) != 0)
    return false;
  png_init_io (png, file);
  png_set_user_limits (png, KG_IMAGE_MAX_SIDE, KG_IMAGE_MAX_SIDE);
  png_read_info (png, info);
  set_layout (png, info);
  image->width = png_get_image_width (png, info);
  image->height = png_get_image_height (png, info);
  image->aspect = 1;
  image->layout = KG_IMPORT_RGBA16;
  if (!kg_image_check_size (image->width, image->height, error)) {
    g_prefix_error (error, "%s: ", kg_import_get_path (server));
    return false;
  }
  if (png_get_rowbytes (png, info) != (size_t) image->width * BYTES_PER_PIXEL)
    png_error (png, "its header contradicts itself");
  memory = (uint8_t *) kg_import_take_memory (
      server, (uint64_t) image->width * (uint64_t) image->height * BYTES_PER_PIXEL, error);
  if (memory == NULL)
    return false;
  *rows = g_new (png_bytep, image->height);
  for (int64_t y = 0; y < image->height; y++)
    (*rows)[y] = memory + (size_t) y * (size_t) image->width * BYTES_PER_PIXEL;
  png_read_image (png, *rows);
  return true;
}

bool
import_png_read (KgImportServer *server, FILE *file, KgImportImage *image, GError **error)
{
  char words[128] = "";
  png_structp png = png_create_read_struct (PNG_LIBPNG_VER_STRING, words, fail, ignore);
  png_infop info = png != NULL ? png_create_info_struct (png) : NULL;
  png_bytep *rows = NULL;
  GError *reason = NULL;
  bool good = false;

  if (info != NULL)
    good = read_image (server, png, info, file, image, &rows, &reason);
  if (!good && reason == NULL)
    kg_set_error (&reason, KG_ERROR_INVALID_FILE, "%s: %s", kg_import_get_path (server), words);
  if (!good)
    g_propagate_error (error, reason);
  g_free (rows);
  png_destroy_read_struct (&png, &info, NULL);
  return good;
}
