/* import-image: images through gdk-pixbuf and OpenEXRCore, PNG of 16 bits through libpng.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import-exr.h"
#include "import-png.h"
#include "kg-image.h"

#include <inttypes.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <string.h>
#include <unistd.h>

/* Pixels of which a byte of a file is the code at most: of one bit each, packed by zlib as well as it can. */
#define MOST_PIXELS_PER_BYTE 8800

/* Whether the format has such a limit. */
static bool
is_bounded (const GdkPixbufFormat *format)
{
  static const char *const names[] = { "png", "jpeg", "gif", "bmp", "ico", "tga", "pnm", NULL };
  g_autofree char *name = gdk_pixbuf_format_get_name ((GdkPixbufFormat *) (size_t) format);

  return g_strv_contains (names, name);
}

/* What the header says is checked before memory is allocated for a pixel. */
static bool
check_header (KgImportServer *server, GError **error)
{
  const char *path = kg_import_get_path (server);
  const uint64_t size = kg_import_get_size (server);
  const GdkPixbufFormat *format;
  int width, height;

  format = gdk_pixbuf_get_file_info (path, &width, &height);
  if (format == NULL) /* loading it says why */
    return true;
  if (!kg_image_check_size (width, height, error)) {
    g_prefix_error (error, "%s: ", path);
    return false;
  }
  if (!is_bounded (format) || (uint64_t) width * (uint64_t) height / MOST_PIXELS_PER_BYTE <= size)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_FILE,
                "%s: %d × %d pixels cannot be in a file of %" PRIu64 " bytes: it is damaged; write it again", path,
                width, height, size);
  return false;
}

static bool
read_pixbuf (KgImportServer *server, KgImportImage *image, GError **error)
{
  const char *path = kg_import_get_path (server);
  g_autoptr (GdkPixbuf) stored = NULL, pixbuf = NULL;
  g_autoptr (GError) reason = NULL;
  size_t row, stride;
  const uint8_t *from;
  uint8_t *to;

  if (!check_header (server, error))
    return false;
  stored = gdk_pixbuf_new_from_file (path, &reason);
  if (stored == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_FILE, "%s: %s", path, reason->message);
    return false;
  }
  /* Upright, however the camera was held. */
  pixbuf = gdk_pixbuf_apply_embedded_orientation (stored);
  if (pixbuf == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "%s: not enough memory", path);
    return false;
  }
  g_clear_object (&stored);
  image->width = gdk_pixbuf_get_width (pixbuf);
  image->height = gdk_pixbuf_get_height (pixbuf);
  image->aspect = 1;
  image->layout = gdk_pixbuf_get_n_channels (pixbuf) == 4 ? KG_IMPORT_RGBA8 : KG_IMPORT_RGB8;
  if (!kg_image_check_size (image->width, image->height, error)) {
    g_prefix_error (error, "%s: ", path);
    return false;
  }
  row = (size_t) image->width * (size_t) gdk_pixbuf_get_n_channels (pixbuf);
  stride = (size_t) gdk_pixbuf_get_rowstride (pixbuf);
  from = gdk_pixbuf_read_pixels (pixbuf);
  to = (uint8_t *) kg_import_take_memory (server, row * (size_t) image->height, error);
  for (int64_t y = 0; to != NULL && y < image->height; y++)
    memcpy (to + row * (size_t) y, from + stride * (size_t) y, row);
  return to != NULL;
}

/* Whatever its name is: what came from standard input has none. */
static bool
is_exr (const char *path, int fd)
{
  static const uint8_t magic[] = { 0x76, 0x2f, 0x31, 0x01 };
  g_autofree char *lower = g_ascii_strdown (path, -1);
  uint8_t start[sizeof magic];

  return g_str_has_suffix (lower, ".exr") ||
         (pread (fd, start, sizeof start, 0) == (ssize_t) sizeof start && memcmp (start, magic, sizeof magic) == 0);
}

/* fd: taken. */
static bool
read_deep_png (KgImportServer *server, int fd, KgImportImage *image, GError **error)
{
  FILE *file = fdopen (fd, "rb");
  bool good;

  if (file == NULL) {
    close (fd);
    kg_set_error (error, KG_ERROR_LIMIT, "%s: not enough memory", kg_import_get_path (server));
    return false;
  }
  good = check_header (server, error) && import_png_read (server, file, image, error);
  fclose (file);
  return good;
}

static bool
answer (KgImportServer *server, const KgImportRequest *request, KgImportReply *reply, GError **error)
{
  const char *path = kg_import_get_path (server);
  const int fd = kg_import_open (server, path, error);
  bool exr;

  if (fd < 0)
    return false;
  exr = is_exr (path, fd);
  if (request->operation == KG_IMPORT_READ && import_png_is_deep (fd))
    return read_deep_png (server, fd, &reply->image, error);
  close (fd);
  if (request->operation == KG_IMPORT_READ)
    return exr ? import_exr_read (server, request->part, &reply->image, error)
               : read_pixbuf (server, &reply->image, error);
  if (request->operation == KG_IMPORT_COMMENT && exr)
    return import_exr_read_comment (server, reply->text, error);
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "the request is not for an image");
  return false;
}

int
main (int argc, char **argv)
{
  /* The largest image of 8 bits, read and handed on, or with halves to be made whole. */
  static const KgImportReader reader = { .memory = (uint64_t) 4 << 30, .answer = answer };

  return kg_import_serve (argc, argv, &reader);
}
