/* image/import: an image, or one of a sequence of images, from a file.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/reduce.h"
#include "kg-image-file.h"
#include "kg-node.h"
#include "kg-regular-file.h"
#include "kg-render.h"

/* Frame numbers of files. */
#define IMPORT_MAX_FRAME 1e9

enum { IMPORT_BLACK, IMPORT_NEIGHBOURS, IMPORT_REFUSE, N_NOT_FINITE };

static const KgChoice import_not_finite[] = {
  [IMPORT_BLACK] = { "black", N_ ("Black") },
  [IMPORT_NEIGHBOURS] = { "neighbours", N_ ("Mean of the neighbours") },
  [IMPORT_REFUSE] = { "error", N_ ("Error: refuse the image") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (import_not_finite, N_NOT_FINITE);

typedef struct {
  const char *path;
  double frame;
  int not_finite;
  const char *part;
  KgImage *image;
} Import;

/* (transfer full) The file of a frame, as the input names it. */
static char *
import_expand (const Import *n, double frame)
{
  /* Frame 12 is what is seen around 12: while the shutter is open over it, one image is shown and not two. */
  return kg_render_expand_path (n->path, (int64_t) floor (frame + 0.5));
}

static bool
import_demand (const Import *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  g_autofree char *zero = import_expand (n, 0), *one = import_expand (n, 1);

  (void) ctx;
  (void) error;
  /* One image for all frames does not depend on the time, and neither do the nodes below. */
  if (g_str_equal (zero, one))
    kg_demand_none (demand, offsetof (Import, frame));
  return true;
}

typedef struct {
  const char *path, *part;
  int not_finite;
  KgHash hash;
  KgProgressMonitor monitor;
} ImportBuild;

/* An image, with what there is to say about it whenever it is used. */
typedef struct {
  KgImage *image;
  KgImageReplaced mended;
  char **warnings; /* of what read it */
} ImportFile;

static void
import_file_free (ImportFile *file)
{
  kg_image_unref (file->image);
  g_strfreev (file->warnings);
  g_free (file);
}

static void *
import_build (gpointer data, size_t *bytes, GError **error)
{
  const ImportBuild *build = data;
  KgImageReplaced mended = { 0 };
  static const KgImageReplacement rules[] = { [IMPORT_BLACK] = KG_IMAGE_REPLACE_BLACK,
                                              [IMPORT_NEIGHBOURS] = KG_IMAGE_REPLACE_NEIGHBOURS,
                                              [IMPORT_REFUSE] = KG_IMAGE_REPLACE_REFUSE };
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  KgImage *image = kg_image_load_mended (build->path, build->part, rules[build->not_finite], &mended, warnings,
                                         &build->monitor, error);
  ImportFile *file;

  if (image == NULL)
    return NULL;
  /* The same file for another frame is the same image. */
  kg_image_set_fingerprint (image, build->hash);
  file = g_new (ImportFile, 1);
  g_ptr_array_add (warnings, NULL);
  *file = (ImportFile){ image, mended, g_strdupv ((char **) warnings->pdata) };
  *bytes = (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image) *
           (kg_image_get_depth (image) != NULL ? 20 : 16);
  return file;
}

static void
import_warn (const KgContext *ctx, const char *path, const ImportFile *file, int not_finite)
{
  g_autofree char *name = g_path_get_basename (path);
  const KgImageReplaced *mended = &file->mended;

  for (guint i = 0; file->warnings[i] != NULL; i++)
    kg_context_take_warning (ctx, g_error_new (KG_ERROR, KG_ERROR_INVALID_FILE, "%s: %s", name, file->warnings[i]));

  if (mended->n > 0 && not_finite == IMPORT_BLACK)
    kg_context_warn (
        ctx,
        "%s: pixels that are not finite became black (%zu of them, the first at row %zu, column %zu): render the image again, or set Not-a-number pixels to the mean of the neighbours",
        name, mended->n, mended->row, mended->column);
  else if (mended->n > 0)
    kg_context_warn (
        ctx,
        "%s: pixels that are not finite became the mean of their neighbours (%zu of them, the first at row %zu, column %zu): render the image again",
        name, mended->n, mended->row, mended->column);
}

static bool
import_evaluate (Import *n, const KgContext *ctx, GError **error)
{
  g_autofree char *name = NULL, *path = NULL;
  ImportBuild build;
  const ImportFile *file;

  if (n->path[0] == '\0') {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "path is empty: choose an image (.png, .jpg, .exr ...), or a sequence (name.%%04d.png)");
    return false;
  }
  name = import_expand (n, n->frame);
  path = kg_context_dup_path (ctx, name, error);
  if (path == NULL)
    return false;
  build.hash = kg_hash_text (kg_regular_file_hash (path, kg_hash_begin (KG_HASH_IMAGE_FILE, n->not_finite)), path);
  build.hash = kg_hash_text (build.hash, n->part);
  build.path = path;
  build.part = n->part;
  build.not_finite = n->not_finite;
  build.monitor = kg_context_get_progress_monitor (ctx);
  file = kg_context_memo (ctx, build.hash, import_build, &build, (GDestroyNotify) import_file_free, error);
  if (file == NULL)
    return false;
  import_warn (ctx, path, file, n->not_finite);
  n->image = image_reduce (file->image, kg_context_get_proxy (ctx), error);
  return n->image != NULL;
}

static const KgSlot import_slots[] = {
  KG_INPUT (
      Import, path, TEXT, .label = N_ ("File"), .fixed = true, .early = true, .path = true,
      .help = N_ (
          "An image (.png, .jpg, .exr and other formats that gdk-pixbuf reads), relative to the folder of the graph. %d, %4d or %04d stands for the frame number: one image per frame, as written by rendering. %% is a percent sign.")),
  KG_INPUT (
      Import, frame, NUMBER, .label = N_ ("Frame"), .unit = KG_FRAMES, .driver = KG_DRIVER_FRAME,
      .min = -IMPORT_MAX_FRAME, .max = IMPORT_MAX_FRAME, .soft_min = 1, .soft_max = 1000,
      .help = N_ (
          "Frame of the image to read, rounded to a whole number. Without a source, the current frame; the expression 1 + mod (frame - 1, 24) repeats 24 images.")),
  KG_INPUT (
      Import, not_finite, CHOICE, .label = N_ ("Not-a-number pixels"), .choices = import_not_finite,
      .help = N_ (
          "What becomes of pixels with a component that is infinite or not a number, which renderers leave in EXR files. Black sets their colour to 0 and keeps their alpha, or makes them transparent if that is not finite either. A depth that is not a number becomes infinite. A warning reports how many there are, and where the first one is.")),
  KG_INPUT (Import, part, TEXT, .label = N_ ("Part or Layer"), .def_text = "",
            .help = N_ ("Name of the part or layer of an OpenEXR file. Empty: the first one with colours.")),
  KG_OUTPUT (Import, image, IMAGE, .label = N_ ("Image"),
             .help = N_ ("The image in linear light, with its transparency, and for EXR files with their depth. EXR "
                         "images have the size of their display window; deep samples are laid over each other by "
                         "their depth.")),
};

KG_NODE_WITH_DEMAND (
    image, import, Import, .label = N_ ("Import Image"), .version = 3, .since = "0.1", .role = KG_ROLE_FILE_INPUT,
    .reads = ".exr image/*", .tags = N_ ("load read file picture photo texture plate sequence png jpeg jpg exr open"),
    .help = N_ ("Reads an image from a file, or the image of the current frame from a sequence of numbered files."));
