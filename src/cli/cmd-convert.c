/* kineo convert: pictures and meshes from one file format to another.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"
#include "kg-mesh-file.h"

#include <glib/gi18n.h>

static CliStatus
convert_image (const char *from, const char *to, KgImageFormat format)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgImage) image = kg_image_load (from, &error);

  if (image == NULL) {
    cli_complain ("%s", error->message);
    return CLI_INVALID_FILE;
  }
  if (kg_image_save (image, to, format, NULL, &error))
    return CLI_DONE;
  return cli_fail (g_steal_pointer (&error));
}

static CliStatus
convert_mesh (const char *from, const char *to)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgGeometry) geometry = kg_mesh_load (from, false, &error);

  if (geometry == NULL) {
    cli_complain ("%s", error->message);
    return CLI_INVALID_FILE;
  }
  if (kg_mesh_save (geometry, to, &error))
    return CLI_DONE;
  return cli_fail (g_steal_pointer (&error));
}

static CliStatus
convert_run (char ***arguments)
{
  g_autofree char *bits = NULL;
  KgImageFormat format;
  const char *from, *to;
  CliStatus status = CLI_DONE;
  const GOptionEntry entries[] = {
    { "bits", 'b', 0, G_OPTION_ARG_STRING, &bits, N_ ("Bits of each colour component: 8 or 16 (PNG), 16 or 32 (EXR)"),
      N_ ("N") },
    { 0 },
  };

  if (!cli_parse (&cli_convert, entries, arguments, &status) ||
      !cli_check_count (&cli_convert, *arguments, 2, 2, &status))
    return status;
  from = (*arguments)[1];
  to = (*arguments)[2];
  if (kg_image_format_from_path (to, &format)) {
    if (kg_mesh_path_is_readable (from))
      return cli_usage (&cli_convert, _ ("%s is a mesh, %s a picture: render it in a graph"), from, to);
    return cli_parse_bits (&cli_convert, bits, to, &format, &status) ? convert_image (from, to, format) : status;
  }
  if (!kg_mesh_path_is_writable (to))
    return cli_usage (&cli_convert,
                      _ ("%s: the name must end with .png, .exr (pictures), .obj, .ply, .gltf or .glb (meshes)"), to);
  if (bits != NULL)
    return cli_usage (&cli_convert, _ ("--bits is for pictures"));
  return convert_mesh (from, to);
}

const CliCommand cli_convert = {
  .name = "convert",
  .arguments = "IN OUT",
  .summary = N_ ("Convert a picture or a mesh to another file format"),
  .description =
      N_ ("Pictures are read in any format that gdk-pixbuf knows and written as .png or .exr; meshes are read in\n"
          "any format that Assimp knows and written as .obj, .ply, .gltf or .glb."),
  .run = convert_run,
};
