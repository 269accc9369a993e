/* recovery: work that no file holds is kept, found after the program was killed, and gone once it is saved.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-recovery.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static char *program; /* this one */
static char *state;   /* XDG_STATE_HOME */
static KgTypes *types;

static void
edit (KgDocument *document, const char *title)
{
  kg_graph_set_title (kg_document_get_graph (document), title);
}

static char *
get_folder (void)
{
  return g_build_filename (state, "kineograph", "recovery", NULL);
}

static guint
count_files (void)
{
  g_autofree char *folder = get_folder ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
assert_found (guint n)
{
  g_autoptr (GPtrArray) entries = kg_recovery_find ();

  g_assert_cmpuint (entries->len, ==, n);
}

static void
wait_until (bool (*condition) (gpointer), gpointer data)
{
  const gint64 end = g_get_monotonic_time () + 300 * G_USEC_PER_SEC;

  while (!condition (data)) {
    g_assert_cmpint (g_get_monotonic_time (), <, end);
    g_main_context_iteration (NULL, FALSE);
    g_usleep (1000);
  }
}

/* What another program does with a document until it is killed. */
static int
run_child (const char *path)
{
  g_autoptr (KgDocument) document = NULL;
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgRecovery) recovery = NULL;

  document = *path != '\0' ? kg_document_load (types, path, problems) : kg_document_new (types);
  g_assert_nonnull (document);
  recovery = kg_recovery_new (document);
  kg_recovery_set_interval (recovery, 0.05);
  edit (document, "Lost");
  for (;;)
    g_main_context_iteration (NULL, TRUE);
  return 0;
}

static bool
copy_is_there (gpointer data)
{
  g_autofree char *folder = get_folder ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  (void) data;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".json"))
      return true;
  return false;
}

/* Starts a program that changes path (or an empty document), and waits until it has kept a copy. */
static GSubprocess *
start_child (const char *path)
{
  g_autoptr (GError) error = NULL;
  GSubprocess *child = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, &error, program, "--child", path, NULL);

  g_assert_no_error (error);
  wait_until (copy_is_there, NULL);
  return child;
}

static void
kill_child (GSubprocess *child)
{
  g_subprocess_send_signal (child, SIGKILL);
  g_assert_true (g_subprocess_wait (child, NULL, NULL));
}

/* (transfer full) The only thing to be found, opened. */
static KgDocument *
open_found (void)
{
  g_autoptr (GPtrArray) entries = kg_recovery_find ();
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  KgDocument *document;

  g_assert_cmpuint (entries->len, ==, 1);
  document = kg_recovery_open (types, (const KgRecoveryEntry *) g_ptr_array_index (entries, 0), problems);
  g_assert_cmpuint (problems->len, ==, 0);
  g_assert_nonnull (document);
  return document;
}

static void
test_unchanged (void)
{
  g_autoptr (KgDocument) document = kg_document_new (types);
  g_autoptr (KgRecovery) recovery = kg_recovery_new (document);
  g_autoptr (GError) error = NULL;

  g_assert_true (kg_recovery_save_now (recovery, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (count_files (), ==, 0);
}

static void
test_saved (void)
{
  g_autoptr (KgDocument) document = kg_document_new (types);
  g_autoptr (KgRecovery) recovery = kg_recovery_new (document);
  g_autofree char *path = g_build_filename (state, "saved.kineo.json", NULL);
  g_autoptr (GError) error = NULL;

  edit (document, "Saved");
  g_assert_true (kg_recovery_save_now (recovery, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (count_files (), ==, 2);
  assert_found (0); /* its owner runs: this program */
  g_assert_true (kg_document_save (document, path, &error));
  g_assert_cmpuint (count_files (), ==, 0);
  /* And again after more changes. */
  edit (document, "Changed");
  g_assert_true (kg_recovery_save_now (recovery, &error));
  g_assert_cmpuint (count_files (), ==, 2);
  kg_recovery_clear (recovery);
  g_assert_cmpuint (count_files (), ==, 0);
}

static void
test_timer (void)
{
  g_autoptr (KgDocument) document = kg_document_new (types);
  g_autoptr (KgRecovery) recovery = kg_recovery_new (document);

  kg_recovery_set_interval (recovery, 0.01);
  edit (document, "Timed");
  g_assert_cmpuint (count_files (), ==, 0);
  wait_until (copy_is_there, NULL);
  kg_recovery_clear (recovery);
  g_assert_cmpuint (count_files (), ==, 0);
}

static void
test_freed (void)
{
  g_autoptr (KgDocument) document = kg_document_new (types);
  g_autoptr (KgRecovery) recovery = kg_recovery_new (document);
  g_autoptr (GPtrArray) entries = NULL;

  edit (document, "Freed");
  g_assert_true (kg_recovery_save_now (recovery, NULL));
  g_clear_object (&recovery);
  entries = kg_recovery_find ();
  g_assert_cmpuint (entries->len, ==, 1);
  kg_recovery_discard ((const KgRecoveryEntry *) g_ptr_array_index (entries, 0));
  g_assert_cmpuint (count_files (), ==, 0);
}

static void
test_killed (void)
{
  g_autoptr (GSubprocess) child = start_child ("");
  g_autoptr (KgDocument) document = NULL;
  g_autoptr (KgRecovery) recovery = NULL;
  g_autofree char *path = g_build_filename (state, "killed.kineo.json", NULL);

  assert_found (0); /* it runs */
  kill_child (child);
  document = open_found ();
  g_assert_cmpstr (kg_graph_get_title (kg_document_get_graph (document)), ==, "Lost");
  g_assert_true (kg_document_is_modified (document));
  g_assert_null (kg_document_get_path (document));
  assert_found (1); /* until somebody takes care of it */
  recovery = kg_recovery_new (document);
  assert_found (0);
  g_assert_cmpuint (count_files (), ==, 2);
  g_assert_true (kg_document_save (document, path, NULL));
  g_assert_cmpuint (count_files (), ==, 0);
}

static void
test_killed_with_file (void)
{
  g_autofree char *path = g_build_filename (state, "ünder % way.kineo.json", NULL);
  g_autoptr (KgDocument) original = kg_document_new (types);
  g_autoptr (GSubprocess) child = NULL;
  g_autoptr (GPtrArray) entries = NULL;
  g_autoptr (KgDocument) document = NULL;
  g_autoptr (KgRecovery) recovery = NULL;

  edit (original, "Original");
  g_assert_true (kg_document_save (original, path, NULL));
  child = start_child (path);
  kill_child (child);
  entries = kg_recovery_find ();
  g_assert_cmpuint (entries->len, ==, 1);
  g_assert_cmpstr (((KgRecoveryEntry *) g_ptr_array_index (entries, 0))->path, ==, path);
  g_assert_cmpstr (((KgRecoveryEntry *) g_ptr_array_index (entries, 0))->title, ==, "Lost");
  g_assert_false (((KgRecoveryEntry *) g_ptr_array_index (entries, 0))->file_is_newer);
  document = open_found ();
  g_assert_cmpstr (kg_document_get_path (document), ==, path);
  g_assert_cmpstr (kg_graph_get_folder (kg_document_get_graph (document)), ==, state);
  /* Saving asks where the file was changed since, be it before or after the recovery. */
  g_assert_cmpint (kg_document_check_file (document), ==, KG_FILE_SAME);
  {
    g_autoptr (GPtrArray) problems = kg_problems_new ();
    KgRecoveryEntry *entry = (KgRecoveryEntry *) g_ptr_array_index (entries, 0);
    g_autoptr (KgDocument) later = NULL;

    entry->file_is_newer = true;
    later = kg_recovery_open (types, entry, problems);
    g_assert_cmpint (kg_document_check_file (later), ==, KG_FILE_CHANGED);
  }
  g_assert_true (g_file_set_contents (path, "{}", -1, NULL));
  g_assert_cmpint (kg_document_check_file (document), ==, KG_FILE_CHANGED);
  recovery = kg_recovery_new (document);
  kg_recovery_clear (recovery);
  g_assert_cmpuint (count_files (), ==, 0);
}

/* Recovered, and killed again before anything was saved: still there, once. */
static void
test_killed_twice (void)
{
  g_autoptr (GSubprocess) child = start_child ("");
  g_autoptr (KgDocument) document = NULL;
  g_autoptr (KgRecovery) recovery = NULL;

  kill_child (child);
  document = open_found ();
  recovery = kg_recovery_new (document);
  edit (document, "Later");
  g_assert_true (kg_recovery_save_now (recovery, NULL));
  g_clear_object (&recovery); /* what the kernel does to a killed program: the lock is gone, nothing else */
  g_clear_object (&document);
  document = open_found ();
  g_assert_cmpstr (kg_graph_get_title (kg_document_get_graph (document)), ==, "Later");
  recovery = kg_recovery_new (document);
  kg_recovery_clear (recovery);
  g_assert_cmpuint (count_files (), ==, 0);
}

static void
test_damaged (void)
{
  g_autofree char *folder = get_folder ();
  g_autofree char *copy = g_build_filename (folder, "damaged.json", NULL);
  g_autofree char *alone = g_build_filename (folder, "alone.info", NULL);
  g_autoptr (GPtrArray) entries = NULL;
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  const KgRecoveryEntry *entry;

  g_assert_true (g_file_set_contents (copy, "{ \"kineograph\": 1, ", -1, NULL));
  g_assert_true (g_file_set_contents (alone, "not a key file", -1, NULL));
  entries = kg_recovery_find ();
  g_assert_cmpuint (entries->len, ==, 1);
  g_assert_false (g_file_test (alone, G_FILE_TEST_EXISTS));
  entry = (const KgRecoveryEntry *) g_ptr_array_index (entries, 0);
  g_assert_cmpstr (entry->file, ==, copy);
  g_assert_null (entry->path);
  g_assert_null (kg_recovery_open (types, entry, problems));
  g_assert_cmpuint (problems->len, >, 0);
  /* What cannot be read is not thrown away by trying. */
  g_assert_true (g_file_test (copy, G_FILE_TEST_EXISTS));
  kg_recovery_discard (entry);
  g_assert_cmpuint (count_files (), ==, 0);
}

static void
on_failed (KgRecovery *recovery, const char *message, guint *n)
{
  (void) recovery;
  g_assert_nonnull (message);
  ++*n;
}

static bool
has_failed (gpointer data)
{
  return *(guint *) data > 0;
}

/* The state folder cannot be made: that is reported, and tried again. */
static void
test_unwritable (void)
{
  g_autofree char *folder = get_folder (), *parent = g_path_get_dirname (folder);
  g_autoptr (KgDocument) document = kg_document_new (types);
  g_autoptr (KgRecovery) recovery = kg_recovery_new (document);
  guint n_failed = 0;

  g_rmdir (folder);
  g_rmdir (parent);
  g_assert_true (g_file_set_contents (parent, "in the way", -1, NULL));
  g_signal_connect (recovery, "failed", G_CALLBACK (on_failed), &n_failed);
  kg_recovery_set_interval (recovery, 0.01);
  edit (document, "Kept in the end");
  wait_until (has_failed, &n_failed);
  g_unlink (parent);
  wait_until (copy_is_there, NULL);
  kg_recovery_clear (recovery);
}

static void
remove_state (void)
{
  g_autofree char *folder = get_folder (), *parent = g_path_get_dirname (folder);
  g_autoptr (GDir) dir = g_dir_open (state, 0, NULL);
  const char *name;

  g_rmdir (folder);
  g_rmdir (parent);
  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (state, name, NULL);

    g_unlink (path);
  }
  g_assert_cmpint (g_rmdir (state), ==, 0);
}

int
main (int argc, char **argv)
{
  int status;

  setlocale (LC_ALL, "");
  program = g_canonicalize_filename (argv[0], NULL);
  types = kg_types_new (kg_node_table);
  if (argc == 3 && g_str_equal (argv[1], "--child"))
    return run_child (argv[2]);
  state = g_dir_make_tmp ("kineograph-recovery-XXXXXX", NULL);
  g_assert_nonnull (state);
  g_setenv ("XDG_STATE_HOME", state, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recovery/unchanged", test_unchanged);
  g_test_add_func ("/recovery/saved", test_saved);
  g_test_add_func ("/recovery/timer", test_timer);
  g_test_add_func ("/recovery/freed", test_freed);
  g_test_add_func ("/recovery/killed", test_killed);
  g_test_add_func ("/recovery/killed-with-file", test_killed_with_file);
  g_test_add_func ("/recovery/killed-twice", test_killed_twice);
  g_test_add_func ("/recovery/damaged", test_damaged);
  g_test_add_func ("/recovery/unwritable", test_unwritable);
  status = g_test_run ();
  remove_state ();
  kg_types_unref (types);
  g_free (program);
  g_free (state);
  return status;
}
