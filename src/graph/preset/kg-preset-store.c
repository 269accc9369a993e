/* kg-preset-store: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preset-store.h"

#include "kg-preset-json.h"
#include "kg-output-file.h"
#include "kg-regular-file.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <unistd.h>

char *
kg_preset_dup_user_folder (void)
{
  return g_build_filename (g_get_user_data_dir (), "kineograph", "presets", NULL);
}

/* (transfer full) (nullable) A text that a file says of itself; the file may be anything. */
static char *
read_member (const char *path, const char *name)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  gsize length;
  g_autofree char *text = kg_regular_file_read (path, "a preset", &length, NULL);
  g_autoptr (KgJson) json = text != NULL ? kg_json_parse (text, (gssize) length, problems) : NULL;
  const KgJson *member = json != NULL ? kg_json_get (json, name) : NULL;

  return g_strdup (kg_json_get_string (member));
}

static bool
is_same_file (const char *a, const char *b)
{
  g_autoptr (GFile) x = g_file_new_for_path (a), y = g_file_new_for_path (b);

  return g_file_equal (x, y);
}

/* (transfer full) (nullable) The path of a preset file in a folder, whether it can be used or not;
 * except: (nullable) one that does not count. */
static char *
find_file (const char *folder, const char *name, const char *value, const char *except)
{
  g_autoptr (GPtrArray) paths = kg_preset_list_folder (folder, NULL);

  for (guint i = 0; i < paths->len; i++) {
    const char *path = (const char *) g_ptr_array_index (paths, i);
    g_autofree char *said = except == NULL || !is_same_file (path, except) ? read_member (path, name) : NULL;

    if (g_strcmp0 (said, value) == 0)
      return g_strdup (path);
  }
  return NULL;
}

/* A dangling symbolic link counts as existing. */
static bool
is_there (const char *path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS) || g_file_test (path, G_FILE_TEST_IS_SYMLINK);
}

/* (transfer full) The path of a new file for a preset of that id in a folder. */
static char *
dup_free_path (const char *folder, const char *id)
{
  const char *slash = strchr (id, '/');
  g_autofree char *whole = g_strdelimit (g_strdup (id), "/", '_');
  const char *const stems[] = { slash != NULL ? slash + 1 : id, whole };

  for (guint i = 0;; i++) {
    g_autofree char *name = i < 2 ? g_strconcat (stems[i], KG_PRESET_SUFFIX, NULL)
                                  : g_strdup_printf ("%s_%u%s", whole, i, KG_PRESET_SUFFIX);
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (!is_there (path))
      return g_steal_pointer (&path);
  }
}

/* (transfer full) (nullable) The image of a preset, if it has one. */
static char *
dup_image (const KgPreset *preset)
{
  const char *name = kg_preset_get_text (preset, "thumbnail"), *path = kg_preset_get_path (preset);
  g_autofree char *folder = path != NULL ? g_path_get_dirname (path) : NULL;
  g_autofree char *image = name != NULL && folder != NULL ? g_build_filename (folder, name, NULL) : NULL;

  return image != NULL && g_file_test (image, G_FILE_TEST_IS_REGULAR) ? g_steal_pointer (&image) : NULL;
}

static bool
copy_file (const char *from, const char *to, GError **error)
{
  g_autoptr (GFile) source = g_file_new_for_path (from), target = g_file_new_for_path (to);

  return g_file_equal (source, target) || g_file_copy (source, target, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, error);
}

bool
kg_preset_owns_image (const char *path, const char *image)
{
  g_autofree char *folder = g_path_get_dirname (path), *name = g_path_get_basename (image);
  g_autofree char *said = read_member (path, "thumbnail"), *other = NULL;
  g_autofree char *named = said != NULL ? g_build_filename (folder, said, NULL) : NULL;

  if (named == NULL || !is_same_file (named, image))
    return false;
  other = find_file (folder, "thumbnail", name, path);
  return other == NULL;
}

/* (transfer full) Where the image of a preset that is written to path goes: it replaces the image of the definition that
 * it replaces, and no other file. */
static char *
dup_image_target (const char *path, const char *image)
{
  g_autofree char *stem = g_str_has_suffix (path, KG_PRESET_SUFFIX)
                              ? g_strndup (path, strlen (path) - strlen (KG_PRESET_SUFFIX))
                              : g_strdup (path);

  for (guint i = 1;; i++) {
    g_autofree char *target = i == 1 ? g_strconcat (stem, ".png", NULL) : g_strdup_printf ("%s_%u.png", stem, i);

    if (!is_there (target) || is_same_file (target, image) || kg_preset_owns_image (path, target))
      return g_steal_pointer (&target);
  }
}

/* (transfer full) The text of a definition, one member a line, with the name of an image (nullable: without one). */
static char *
to_text (const KgJson *json, const char *thumbnail)
{
  g_autoptr (KgJson) copy = kg_json_copy (json);

  if (thumbnail != NULL)
    kg_json_set (copy, "thumbnail", kg_json_new_string (thumbnail));
  else
    kg_json_remove (copy, "thumbnail");
  return kg_preset_json_to_text (copy);
}

static bool
write_to (const KgJson *json, const char *path, const char *image, GError **error)
{
  g_autofree char *target = image != NULL ? dup_image_target (path, image) : NULL;
  g_autofree char *name = target != NULL ? g_path_get_basename (target) : NULL, *text = to_text (json, name);

  /* The image first: whoever sees the definition finds it. */
  return (image == NULL || copy_file (image, target, error)) && kg_output_file_save (path, text, error);
}

static void
refuse_folder (const char *id, const char *folder, const char *reason, GError **error)
{
  kg_set_error (
      error, KG_ERROR_IO,
      "%s cannot be saved in the library %s: %s. Make the folder writable, or export the preset to another folder of KINEOGRAPH_PRESET_PATH.",
      id, folder, reason);
}

/* (transfer full) (nullable) The file for a preset in a folder, which is made where it is not there.  One that has the id
 * already is replaced only where types are given and it can be read and is older: what is broken is for mending. */
static char *
choose_file (const KgJson *json, const char *folder, KgTypes *types, GError **error)
{
  const KgJson *id = kg_json_get (json, "id"), *version = kg_json_get (json, "version");
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autofree char *there = NULL;
  g_autoptr (KgPreset) preset = NULL;

  if (g_mkdir_with_parents (folder, 0777) != 0) {
    refuse_folder (kg_json_get_string (id), folder, g_strerror (errno), error);
    return NULL;
  }
  there = find_file (folder, "id", kg_json_get_string (id), NULL);
  if (there == NULL)
    return dup_free_path (folder, kg_json_get_string (id));
  preset = types != NULL ? kg_preset_load (types, there, problems) : NULL;
  if (preset == NULL && types != NULL)
    kg_set_error (
        error, KG_ERROR_DUPLICATE,
        "%s is a preset %s that cannot be read: repair it or move it away, and save again (kineo presets check reports what is wrong with it).",
        there, kg_json_get_string (id));
  else if (preset == NULL)
    kg_set_error (error, KG_ERROR_DUPLICATE,
                  "%s already has the id %s, whether it is readable or not: choose another id, or move that file away.",
                  there, kg_json_get_string (id));
  else if (version != NULL && kg_preset_get_version (preset) >= kg_json_get_number (version))
    kg_set_error (error, KG_ERROR_DUPLICATE,
                  "%s already has version %u of %s, and this would be version %g: save it as a later version.", there,
                  kg_preset_get_version (preset), kg_json_get_string (id), kg_json_get_number (version));
  else
    return g_steal_pointer (&there);
  return NULL;
}

static char *
store (const char *text, const char *folder, KgTypes *types, const char *image, GError **error)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgJson) json = kg_json_parse (text, -1, problems);
  const KgJson *id = json != NULL ? kg_json_get (json, "id") : NULL;
  g_autofree char *path = NULL;
  g_autoptr (GError) reason = NULL;

  g_return_val_if_fail (kg_json_is (id, KG_JSON_STRING), NULL);
  path = choose_file (json, folder, types, error);
  if (path == NULL || write_to (json, path, image, &reason))
    return g_steal_pointer (&path);
  refuse_folder (kg_json_get_string (id), folder, reason->message, error);
  return NULL;
}

char *
kg_preset_store (const char *text, const char *folder, const char *image, GError **error)
{
  return store (text, folder, NULL, image, error);
}

/* The place of a folder in the order of search; G_MAXUINT: it is not searched. */
static guint
find_turn (const KgTypes *types, const char *folder)
{
  const char *const *folders = kg_types_get_preset_folders (types);
  g_autofree char *wanted = g_canonicalize_filename (folder, NULL);

  for (guint i = 0; folders != NULL && folders[i] != NULL; i++) {
    g_autofree char *other = g_canonicalize_filename (folders[i], NULL);

    if (g_str_equal (other, wanted))
      return i;
  }
  return G_MAXUINT;
}

/* Whether a folder comes after the user's, like that of the program: such folders are not written to. */
static bool
is_behind_user (const KgTypes *types, const char *folder)
{
  g_autofree char *user = kg_preset_dup_user_folder ();
  const guint turn = find_turn (types, folder);

  return turn != G_MAXUINT && find_turn (types, user) < turn;
}

/* Whether the user of the program can write files there. */
static bool
can_write (const char *folder)
{
  g_autofree char *path = g_canonicalize_filename (folder, NULL);

  /* A missing folder can be made if the nearest existing one around it can be written. */
  while (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    char *parent = g_path_get_dirname (path);

    g_free (path);
    path = parent;
  }
  return g_file_test (path, G_FILE_TEST_IS_DIR) && g_access (path, W_OK | X_OK) == 0;
}

char **
kg_preset_dup_writable_folders (const KgTypes *types)
{
  const char *const *folders = kg_types_get_preset_folders (types);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *user = kg_preset_dup_user_folder ();

  g_strv_builder_add (builder, user);
  g_hash_table_add (seen, g_canonicalize_filename (user, NULL));
  for (guint i = 0; folders != NULL && folders[i] != NULL; i++)
    if (g_hash_table_add (seen, g_canonicalize_filename (folders[i], NULL)) && !is_behind_user (types, folders[i]) &&
        can_write (folders[i]))
      g_strv_builder_add (builder, folders[i]);
  return g_strv_builder_end (builder);
}

/* (transfer full) The folder that a preset is in; the user's for what comes with the program, or has no file. */
static char *
dup_own_folder (const KgPreset *preset, const KgTypes *types)
{
  const char *path = kg_preset_get_path (preset);
  g_autofree char *folder = path != NULL ? g_path_get_dirname (path) : NULL;

  return folder != NULL && !is_behind_user (types, folder) ? g_steal_pointer (&folder) : kg_preset_dup_user_folder ();
}

char *
kg_preset_store_version (const KgPreset *preset, const char *text, KgTypes *types, GError **error)
{
  g_autofree char *image = dup_image (preset), *folder = dup_own_folder (preset, types);

  return store (text, folder, types, image, error);
}

/* Whether a preset has the id, or a preset file with errors in a folder. */
static bool
is_taken (const char *id, const char *folder, const KgTypes *types)
{
  g_autofree char *there = kg_types_find (types, id) == NULL ? find_file (folder, "id", id, NULL) : NULL;

  return there != NULL || kg_types_find (types, id) != NULL;
}

char *
kg_preset_duplicate (const KgPreset *preset, const KgTypes *types, GError **error)
{
  g_autoptr (KgJson) json = kg_json_copy (kg_preset_get_json (preset));
  g_autofree char *folder = dup_own_folder (preset, types), *image = dup_image (preset), *text = NULL, *id = NULL;
  g_autofree char *title = g_strdup_printf (_ ("%s (copy)"), kg_preset_get_type (preset)->label);

  if (!can_write (folder)) {
    g_free (folder);
    folder = kg_preset_dup_user_folder ();
  }
  for (guint i = 1; id == NULL || is_taken (id, folder, types); i++) {
    g_free (id);
    id = i == 1 ? g_strdup_printf ("%s_copy", kg_preset_get_id (preset))
                : g_strdup_printf ("%s_copy%u", kg_preset_get_id (preset), i);
  }
  kg_json_set (json, "id", kg_json_new_string (id));
  kg_json_set (json, "version", kg_json_new_number (1));
  kg_json_set (json, "title", kg_json_new_string (title));
  kg_json_remove (json, "renamed");
  text = to_text (json, NULL);
  return kg_preset_store (text, folder, image, error);
}

bool
kg_preset_delete (const KgPreset *preset, const KgTypes *types, GError **error)
{
  const char *path = kg_preset_get_path (preset), *id = kg_preset_get_id (preset);
  g_autofree char *folder = path != NULL ? g_path_get_dirname (path) : NULL, *image = dup_image (preset);
  bool with_image;

  if (path == NULL) {
    kg_set_error (error, KG_ERROR_IO, "%s has no file: its definition is stored in the graph.", id);
    return false;
  }
  if (is_behind_user (types, folder)) {
    kg_set_error (error, KG_ERROR_IO, "%s comes with the program and cannot be deleted.", id);
    return false;
  }
  with_image = image != NULL && kg_preset_owns_image (path, image);
  if (g_remove (path) != 0) {
    kg_set_error (error, KG_ERROR_IO, "%s cannot be deleted: %s: %s", id, path, g_strerror (errno));
    return false;
  }
  if (with_image)
    g_remove (image);
  return true;
}

bool
kg_preset_export (const KgPreset *preset, const char *path, GError **error)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (KgJson) json = kg_preset_to_json (preset, known);
  g_autofree char *image = dup_image (preset);

  return write_to (json, path, image, error);
}

/* A preset after a folder that has the id would not be found: fails, and names that folder. */
static bool
check_turn (const KgPreset *there, const char *folder, const KgTypes *types, GError **error)
{
  const char *path = kg_preset_get_path (there);
  g_autofree char *before = path != NULL ? g_path_get_dirname (path) : NULL;

  if (before == NULL || find_turn (types, before) >= find_turn (types, folder))
    return true;
  kg_set_error (error, KG_ERROR_DUPLICATE,
                "%s is in the library %s, which comes before %s: import it there, or delete it there first.",
                kg_preset_get_id (there), before, folder);
  return false;
}

char *
kg_preset_import (KgTypes *types, const char *path, const char *folder, GError **error)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgPreset) preset = kg_preset_load (types, path, problems);
  g_autofree char *chosen = g_strdup (folder), *image = NULL, *text = NULL;
  const KgNodeType *there;

  if (preset == NULL) {
    g_autofree char *list = kg_problems_to_text (problems, path);

    g_set_error_literal (error, KG_ERROR, KG_ERROR_INVALID_FILE, g_strchomp (list));
    return NULL;
  }
  there = kg_types_find (types, kg_preset_get_id (preset));
  if (there != NULL && there->definition == NULL) {
    kg_set_error (error, KG_ERROR_DUPLICATE, "%s is a built-in node type: give the preset another id.", there->id);
    return NULL;
  }
  if (there != NULL && there->version >= kg_preset_get_version (preset)) {
    kg_set_error (
        error, KG_ERROR_DUPLICATE,
        "%s is in the library as version %u, and the file has version %u: delete it from the library first, or raise the version in the file.",
        there->id, there->version, kg_preset_get_version (preset));
    return NULL;
  }
  if (there != NULL && folder != NULL && !check_turn (kg_type_get_preset (there), folder, types, error))
    return NULL;
  image = dup_image (preset);
  text = kg_preset_to_text (preset);
  if (chosen == NULL)
    chosen = there != NULL ? dup_own_folder (kg_type_get_preset (there), types) : kg_preset_dup_user_folder ();
  return store (text, chosen, types, image, error);
}
