/* kg-data: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-data.h"

#include "config.h"

#include <glib/gi18n-lib.h>

/* How many folders above the program the build folder may be. */
#define MAX_STEPS_UP 4
/* In a build folder, which may lie anywhere: the path of the source tree, written by meson.  It is not installed. */
#define SOURCE_MARK "kineograph-source-tree"

/* (transfer full) (nullable) The path if there is something. */
static char *
steal_if_exists (char *path)
{
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return path;
  g_free (path);
  return NULL;
}

/* (transfer full) (nullable) The build folder that the program runs in. */
static char *
find_build_folder (void)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = program != NULL ? g_path_get_dirname (program) : NULL;

  for (guint i = 0; folder != NULL && i < MAX_STEPS_UP; i++) {
    g_autofree char *mark = g_build_filename (folder, SOURCE_MARK, NULL);
    char *up;

    if (g_file_test (mark, G_FILE_TEST_EXISTS))
      return g_steal_pointer (&folder);
    up = g_path_get_dirname (folder);
    g_free (folder);
    folder = up;
  }
  return NULL;
}

/* (transfer full) (nullable) The top of the source tree, when the program runs in a build folder. */
static char *
find_source_tree (void)
{
  g_autofree char *build = find_build_folder ();
  g_autofree char *mark = build != NULL ? g_build_filename (build, SOURCE_MARK, NULL) : NULL;
  g_autoptr (GError) error = NULL;
  char *source = NULL;

  if (mark != NULL && g_file_get_contents (mark, &source, NULL, &error))
    return g_strchomp (source);
  if (error != NULL)
    g_printerr (_ ("warning: the files that come with the program are not found: %s\n"), error->message);
  return NULL;
}

char *
kg_data_find (const char *name)
{
  const char *chosen = g_getenv ("KINEOGRAPH_DATA");
  g_autofree char *source = find_source_tree ();
  char *path = NULL;

  if (chosen != NULL)
    path = steal_if_exists (g_build_filename (chosen, name, NULL));
  if (path == NULL && source != NULL)
    path = steal_if_exists (g_build_filename (source, name, NULL));
  if (path == NULL && source != NULL)
    path = steal_if_exists (g_build_filename (source, "data", name, NULL));
  if (path == NULL)
    path = steal_if_exists (g_build_filename (KG_DATA_DIR, name, NULL));
  return path;
}

char *
kg_data_find_program (const char *name)
{
  const char *chosen = g_getenv ("KINEOGRAPH_PROGRAMS");
  g_autofree char *build = find_build_folder ();

  if (chosen != NULL)
    return steal_if_exists (g_build_filename (chosen, name, NULL));
  return build != NULL ? steal_if_exists (g_build_filename (build, "src", "media", "import", name, NULL))
                       : steal_if_exists (g_build_filename (KG_PROGRAM_DIR, name, NULL));
}

char *
kg_data_find_module (const char *name)
{
  g_autofree char *build = find_build_folder ();

  return build != NULL ? steal_if_exists (g_build_filename (build, "src", "media", "encode", name, NULL))
                       : steal_if_exists (g_build_filename (KG_PROGRAM_DIR, name, NULL));
}
