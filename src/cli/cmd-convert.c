/* kineo convert: images and meshes from one file format to another.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"
#include "kg-mesh-file.h"

#include <errno.h>
#include <gio/gunixinputstream.h>
#include <gio/gunixoutputstream.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <unistd.h>

static bool
is_stream (const char *path)
{
  return g_str_equal (path, "-");
}

/* The libraries read files only: standard input becomes one. (transfer full) (nullable) */
static char *
store_input (GError **error)
{
  g_autoptr (GInputStream) from = g_unix_input_stream_new (STDIN_FILENO, FALSE);
  g_autoptr (GOutputStream) to = NULL;
  char *path = NULL;
  const int fd = g_file_open_tmp ("kineo-XXXXXX", &path, error);

  if (fd < 0)
    return NULL;
  to = g_unix_output_stream_new (fd, TRUE);
  if (g_output_stream_splice (to, from, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, cli_watch_signals (), error) >= 0)
    return path;
  g_unlink (path);
  g_free (path);
  return NULL;
}

/* Says the name that the user knows. */
static CliStatus
fail_to_read (const char *from, const char *file, const GError *error)
{
  g_autoptr (GString) message = g_string_new (error->message);

  if (is_stream (from))
    g_string_replace (message, file, _ ("standard input"), 0);
  cli_print_error ("%s", message->str);
  return CLI_INVALID_FILE;
}

static CliStatus
write_image (const KgImage *image, const char *to, KgImageFormat format)
{
  g_autoptr (GError) error = NULL;

  if (!is_stream (to))
    return kg_image_save (image, to, format, 0, NULL, &error) ? CLI_DONE : cli_fail (g_steal_pointer (&error));
  if (kg_image_write_png (image, stdout, format == KG_IMAGE_PNG16, &error)) {
    if (fflush (stdout) == 0)
      return CLI_DONE;
    g_set_error_literal (&error, KG_ERROR, KG_ERROR_IO, g_strerror (errno));
  }
  cli_print_error (_ ("cannot write to standard output: %s"), error->message);
  return CLI_FAILED;
}

/* file: where the content of from is. */
static CliStatus
convert_image (const char *from, const char *file, const char *to, KgImageFormat format)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgImage) image = kg_image_load (file, NULL, &error);

  /* Nothing else about an image is a wrong number. */
  if (g_error_matches (error, KG_ERROR, KG_ERROR_INVALID_VALUE)) {
    g_autofree char *message = g_steal_pointer (&error->message);

    error->message =
        g_strdup_printf (_ ("%s; in a graph, Import Image replaces such pixels (input not_finite)"), message);
  }
  return image != NULL ? write_image (image, to, format) : fail_to_read (from, file, error);
}

static CliStatus
convert_mesh (const char *from, const char *file, const char *to, char **permitted)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (KgGeometry) geometry =
      kg_mesh_load (file, KG_MESH_SPACE_METRES, false, (const char *const *) permitted, NULL, warnings, &error);

  for (guint i = 0; i < warnings->len; i++)
    cli_print_error ("%s", (const char *) warnings->pdata[i]);
  if (geometry == NULL)
    return fail_to_read (from, file, error);
  if (kg_mesh_save (geometry, to, &error))
    return CLI_DONE;
  return cli_fail (g_steal_pointer (&error));
}

static CliStatus
convert (const char *from, const char *to, bool image, KgImageFormat format, char **permitted)
{
  g_autofree char *stored = NULL;
  g_autoptr (GError) error = NULL;
  const char *file = from;
  CliStatus status;

  if (is_stream (from)) {
    file = stored = store_input (&error);
    if (file == NULL)
      return cli_fail (g_steal_pointer (&error));
  }
  status = image ? convert_image (from, file, to, format) : convert_mesh (from, file, to, permitted);
  if (stored != NULL)
    g_unlink (stored);
  return status;
}

/* Which kind of file to names, and whether from can be converted to it. */
static bool
check_names (const char *from, const char *to, bool *image, KgImageFormat *format, CliStatus *status)
{
  *format = KG_IMAGE_PNG8;
  *image = is_stream (to) || kg_image_format_from_path (to, format);
  if (*image && kg_mesh_path_is_readable (from))
    *status = is_stream (to)
                  ? cli_usage (&cli_convert, _ ("%s is a mesh: only images can be written to standard output"), from)
                  : cli_usage (&cli_convert, _ ("%s is a mesh, but %s is an image: render it in a graph"), from, to);
  else if (!*image && !kg_mesh_path_is_writable (to))
    *status = cli_usage (&cli_convert,
                         _ ("%s: the name must end with .png, .exr (images), .obj, .ply, .gltf or .glb (meshes)"), to);
  else if (!*image && is_stream (from))
    *status = cli_usage (&cli_convert, _ ("standard input is read as an image, but %s is a mesh: name a file"), to);
  else if (is_stream (to) && isatty (STDOUT_FILENO))
    *status =
        cli_usage (&cli_convert, _ ("a terminal cannot show images: redirect standard output to a file or a program"));
  else
    return true;
  return false;
}

static CliStatus
convert_run (char ***arguments)
{
  g_autofree char *bits = NULL;
  g_auto (GStrv) permitted = NULL;
  KgImageFormat format;
  const char *from, *to;
  CliStatus status = CLI_DONE;
  bool image;
  const GOptionEntry entries[] = {
    { "bits", 'b', 0, G_OPTION_ARG_STRING, &bits, N_ ("Bits per colour component: 8 or 16 (PNG), 16 or 32 (EXR)"),
      N_ ("N") },
    { "allow-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &permitted,
      N_ ("Let the mesh refer to files in this folder, too"), N_ ("DIR") },
    { 0 },
  };

  if (!cli_parse (&cli_convert, entries, arguments, &status) ||
      !cli_check_count (&cli_convert, *arguments, 2, 2, &status) ||
      !cli_check_folders (&cli_convert, "--allow-path", permitted, &status))
    return status;
  from = (*arguments)[1];
  to = (*arguments)[2];
  if (!check_names (from, to, &image, &format, &status))
    return status;
  if (!image && bits != NULL)
    return cli_usage (&cli_convert, _ ("--bits applies only to images"));
  return cli_parse_bits (&cli_convert, bits, to, &format, &status) ? convert (from, to, image, format, permitted)
                                                                   : status;
}

const CliCommand cli_convert = {
  .name = "convert",
  .arguments = "IN OUT",
  .summary = N_ ("Convert an image or a mesh to another file format"),
  .description = N_ (
      "Images are read in any format that gdk-pixbuf supports, and OpenEXR, and written as .png or .exr; meshes are\nread in any format that Assimp supports and written as .obj, .ply, .gltf or .glb, upright and in metres if the\nfile says which axis points up and how long its unit is (FBX).  As IN, - is an image on standard input; as OUT,\na PNG on standard output."),
  .run = convert_run,
};
