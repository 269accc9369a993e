/* fuzz-recovery: what a crash left behind may be any two files: what is said of the copy, and after the first zero byte the copy.
 * It is listed with a title that can be shown, and opens or gives problems.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-recovery.h"
#include "kineograph.h"

#include <glib/gstdio.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* The state folder of the user, for the time of this program. */
static const char *
get_folder (void)
{
  static char *folder;

  if (folder == NULL) {
    const char *where = g_file_test ("/dev/shm", G_FILE_TEST_IS_DIR) ? "/dev/shm" : g_get_tmp_dir ();
    g_autofree char *state = g_strdup_printf ("%s/kineograph-fuzz-%d", where, (int) getpid ());

    g_setenv ("XDG_STATE_HOME", state, TRUE);
    folder = g_build_filename (g_get_user_state_dir (), "kineograph", "recovery", NULL);
  }
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  return folder;
}

/* The folder and the two above it, which are empty then. */
static void
remove_folders (const char *folder)
{
  g_autofree char *middle = g_path_get_dirname (folder), *top = g_path_get_dirname (middle);

  g_rmdir (folder);
  g_rmdir (middle);
  g_rmdir (top);
}

static void
write_file (const char *path, const uint8_t *data, size_t size)
{
  g_assert_true (
      g_file_set_contents_full (path, (const char *) data, (gssize) size, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static KgTypes *types;
  const uint8_t *end = size > 0 ? memchr (data, 0, size) : NULL;
  const size_t length = end != NULL ? (size_t) (end - data) : size;
  const char *folder = get_folder ();
  g_autofree char *info = g_build_filename (folder, "lost.info", NULL);
  g_autofree char *copy = g_build_filename (folder, "lost.json", NULL);
  g_autoptr (GPtrArray) entries = NULL;

  if (types == NULL)
    types = kg_types_new (kg_node_table);
  write_file (info, data, length);
  if (end != NULL)
    write_file (copy, end + 1, size - length - 1);
  entries = kg_recovery_find ();
  g_assert_cmpuint (entries->len, ==, end != NULL);
  for (guint i = 0; i < entries->len; i++) {
    const KgRecoveryEntry *entry = (const KgRecoveryEntry *) g_ptr_array_index (entries, i);
    g_autoptr (GPtrArray) problems = kg_problems_new ();
    KgDocument *document = kg_recovery_open (types, entry, problems);

    g_assert_true (g_utf8_validate (entry->title, -1, NULL));
    g_assert_true ((document == NULL) == (problems->len > 0));
    if (document != NULL)
      g_assert_true (kg_document_is_modified (document));
    g_clear_object (&document);
    kg_recovery_discard (entry);
    g_assert_false (g_file_test (copy, G_FILE_TEST_EXISTS));
  }
  /* What is said of a copy that is not there is removed by who looks. */
  g_assert_false (g_file_test (info, G_FILE_TEST_EXISTS));
  remove_folders (folder);
  return 0;
}
