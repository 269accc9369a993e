/* kg-gegl: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-gegl.h"

#include "config.h"
#include "kg-import.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Programs that wait for the next operation: starting one takes as long as many operations. */
#define MAX_IDLE 2
/* What a description of all operations can need. */
#define MAX_LIST ((size_t) 16 << 20)

static GMutex lock;
static KgImport *idle[MAX_IDLE]; /* (nullable) under the lock */

/* (transfer full) (nullable) */
static KgImport *
take_program (GError **error)
{
  KgImport *import = NULL;

  if (!KG_HAVE_GEGL) {
    kg_set_error (error, KG_ERROR_UNKNOWN_TYPE,
                  "this build has no operations of GEGL: build it with GEGL (libgegl-dev)");
    return NULL;
  }
  g_mutex_lock (&lock);
  for (guint i = 0; i < MAX_IDLE && import == NULL; i++)
    import = g_steal_pointer (&idle[i]);
  g_mutex_unlock (&lock);
  return import != NULL ? import : kg_import_new ("gegl", "GEGL", NULL, error);
}

/* import: (transfer full) */
static void
give_program (KgImport *import)
{
  g_mutex_lock (&lock);
  for (guint i = 0; i < MAX_IDLE && import != NULL && kg_import_is_usable (import); i++)
    if (idle[i] == NULL)
      idle[i] = g_steal_pointer (&import);
  g_mutex_unlock (&lock);
  kg_import_free (import);
}

KgJson *
kg_gegl_list (GError **error)
{
  const KgImportRequest request = { .operation = KG_IMPORT_LIST };
  KgImport *import = take_program (error);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (GBytes) memory = NULL;
  g_autoptr (GError) reason = NULL;
  KgImportReply reply;
  KgJson *list = NULL;
  bool good;

  if (import == NULL)
    return NULL;
  good = kg_import_request (import, &request, NULL, NULL, &reply, &memory, &reason);
  give_program (import);
  if (good && memory != NULL && g_bytes_get_size (memory) <= MAX_LIST)
    list = kg_json_parse ((const char *) g_bytes_get_data (memory, NULL), (gssize) g_bytes_get_size (memory), problems);
  if (list == NULL) {
    kg_set_error (error, KG_ERROR_UNKNOWN_TYPE, "GEGL does not list its operations (%s): install it again",
                  reason != NULL ? reason->message : "");
  }
  return list;
}

static bool
write_all (int file, const void *bytes, size_t n)
{
  const char *from = (const char *) bytes;

  while (n > 0) {
    const ssize_t done = write (file, from, n);

    if (done < 0 && errno != EINTR)
      return false;
    from += MAX (done, 0);
    n -= (size_t) MAX (done, 0);
  }
  return true;
}

static size_t
count_bytes (const KgImage *image)
{
  return (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image) * 4 * sizeof (float);
}

static void
set_size (KgJson *to, const KgImage *image)
{
  kg_json_set (to, "width", kg_json_new_number (kg_image_get_width (image)));
  kg_json_set (to, "height", kg_json_new_number (kg_image_get_height (image)));
}

/* (transfer full) What is requested, up to the pixels. */
static GString *
write_words (const char *operation, const KgJson *properties, const KgGeglImage *images, guint n_images,
             const KgImage *frame)
{
  g_autoptr (KgJson) words = kg_json_new (KG_JSON_OBJECT);
  KgJson *list = kg_json_new (KG_JSON_ARRAY);
  GString *text = g_string_new (NULL);

  kg_json_set (words, "operation", kg_json_new_string (operation));
  set_size (words, frame);
  kg_json_set (words, "properties", kg_json_copy (properties));
  kg_json_set (words, "images", list);
  for (guint i = 0; i < n_images; i++) {
    KgJson *image = kg_json_new (KG_JSON_OBJECT);

    kg_json_set (image, "pad", kg_json_new_string (images[i].pad));
    set_size (image, images[i].image);
    kg_json_append (list, image);
  }
  kg_json_write (words, text);
  do
    g_string_append_c (text, '\0');
  while (text->len % 16 != 0);
  return text;
}

/* -1: no memory. */
static int
write_input (const GString *words, const KgGeglImage *images, guint n_images, uint64_t *bytes)
{
  const int file = memfd_create ("kineograph-gegl", MFD_CLOEXEC);
  bool good = file >= 0 && write_all (file, words->str, words->len);

  *bytes = words->len;
  for (guint i = 0; good && i < n_images; i++) {
    const size_t n = count_bytes (images[i].image);

    good = write_all (file, kg_image_get_pixels (images[i].image), n);
    *bytes += n;
  }
  if (good || file < 0)
    return file;
  close (file);
  return -1;
}

/* Instead of the messages about files. */
static bool
fail_ended (const char *operation, GError **error)
{
  const bool late = g_error_matches (*error, KG_ERROR, KG_ERROR_LIMIT);

  g_clear_error (error);
  kg_set_error (error, late ? KG_ERROR_LIMIT : KG_ERROR_DEGENERATE,
                late ? N_ ("the operation %s of GEGL needs too much time or memory with these values: choose smaller "
                           "ones, or a smaller image")
                     : N_ ("the operation %s of GEGL crashed with these values: choose others"),
                operation);
  return false;
}

bool
kg_gegl_apply (const char *operation, const KgJson *properties, const KgGeglImage *images, guint n_images,
               KgImage *frame, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (GString) words = write_words (operation, properties, images, n_images, frame);
  KgImportRequest request = { .operation = KG_IMPORT_APPLY };
  KgImport *import = take_program (error);
  g_autoptr (GError) reason = NULL;
  g_autoptr (GBytes) memory = NULL;
  KgImportReply reply;
  bool good = false;
  int input;

  if (import == NULL)
    return false;
  input = write_input (words, images, n_images, &request.bytes);
  if (input < 0) {
    give_program (import);
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for the images of %s: choose smaller ones", operation);
    return false;
  }
  good = kg_import_request_with (import, &request, input, monitor, NULL, &reply, &memory, &reason);
  close (input);
  if (!good && reason != NULL && !kg_import_is_usable (import))
    fail_ended (operation, &reason);
  give_program (import);
  if (!good) {
    /* (Whoever cancels gets no reason.) */
    if (reason != NULL)
      g_propagate_error (error, g_steal_pointer (&reason));
    return false;
  }
  if (memory == NULL || g_bytes_get_size (memory) != count_bytes (frame))
    return kg_import_refuse ("GEGL", error);
  memcpy (kg_image_edit_pixels (frame), g_bytes_get_data (memory, NULL), count_bytes (frame));
  return true;
}
