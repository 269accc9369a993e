/* tests/graph/output-file: a file is written whole or stays what it was.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-output-file.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  char *folder, *path, *link;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->folder = g_dir_make_tmp ("kineographXXXXXX", NULL);
  f->path = g_build_filename (f->folder, "a.txt", NULL);
  f->link = g_build_filename (f->folder, "link.txt", NULL);
}

/* Nothing is left behind but what a test knows of. */
static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  g_unlink (f->link);
  g_unlink (f->path);
  g_assert_cmpint (g_rmdir (f->folder), ==, 0);
  g_free (f->folder);
  g_free (f->path);
  g_free (f->link);
}

static void
check_text (const char *path, const char *expected)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, expected);
}

static void
write_text (const char *path, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgOutputFile) file = kg_output_file_open (path, &error);

  g_assert_no_error (error);
  g_assert_true (kg_output_file_write (file, text, strlen (text), &error));
  g_assert_true (kg_output_file_complete (file, &error));
  g_assert_no_error (error);
}

static void
test_replaced_at_the_end (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgOutputFile) file = NULL;

  (void) data;
  write_text (f->path, "the old text");
  check_text (f->path, "the old text");
  file = kg_output_file_open (f->path, &error);
  g_assert_true (kg_output_file_write (file, "new", 3, &error));
  g_assert_true (kg_output_file_flush (file, &error));
  check_text (f->path, "the old text");
  g_assert_true (kg_output_file_complete (file, &error));
  g_assert_no_error (error);
  check_text (f->path, "new");
}

static void
test_given_up (Fixture *f, gconstpointer data)
{
  KgOutputFile *file;

  (void) data;
  file = kg_output_file_open (f->path, NULL);
  g_assert_true (kg_output_file_write (file, "new", 3, NULL));
  g_assert_true (kg_output_file_flush (file, NULL));
  kg_output_file_free (file);
  g_assert_false (g_file_test (f->path, G_FILE_TEST_EXISTS));
  write_text (f->path, "the old text");
  file = kg_output_file_open (f->path, NULL);
  g_assert_true (kg_output_file_write (file, "new", 3, NULL));
  kg_output_file_free (file);
  check_text (f->path, "the old text");
}

/* Two who write at once do not meet in one temporary file: the last to be complete wins, and is whole. */
static void
test_two_at_once (Fixture *f, gconstpointer data)
{
  g_autoptr (KgOutputFile) one = kg_output_file_open (f->path, NULL), two = kg_output_file_open (f->path, NULL);

  (void) data;
  g_assert_true (kg_output_file_write (one, "one", 3, NULL));
  g_assert_true (kg_output_file_write (two, "the second", 10, NULL));
  g_assert_true (kg_output_file_complete (two, NULL));
  check_text (f->path, "the second");
  g_assert_true (kg_output_file_complete (one, NULL));
  check_text (f->path, "one");
}

/* What a killed program left is removed, and what a running one writes is not. */
static void
test_swept (Fixture *f, gconstpointer data)
{
  g_autofree char *left = g_strconcat (f->path, ".kineo-partial", NULL);
  g_autofree char *second = g_strconcat (f->path, ".kineo-partial-1", NULL);
  int fd;

  (void) data;
  g_assert_true (g_file_set_contents (left, "half a", -1, NULL));
  g_assert_true (g_file_set_contents (second, "half a", -1, NULL));
  kg_output_file_sweep (f->path);
  g_assert_false (g_file_test (left, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (second, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_set_contents (left, "half a", -1, NULL));
  write_text (f->path, "whole");
  g_assert_false (g_file_test (left, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_set_contents (left, "half a", -1, NULL));
  fd = g_open (left, O_RDONLY | O_CLOEXEC, 0);
  g_assert_cmpint (flock (fd, LOCK_EX), ==, 0);
  kg_output_file_sweep (f->path);
  write_text (f->path, "the second");
  check_text (left, "half a");
  check_text (f->path, "the second");
  close (fd);
  kg_output_file_sweep (f->path);
  g_assert_false (g_file_test (left, G_FILE_TEST_EXISTS));
  /* Not ours. */
  g_assert_cmpint (symlink ("a.txt", left), ==, 0);
  write_text (f->path, "the third");
  check_text (f->path, "the third");
  g_assert_true (g_file_test (left, G_FILE_TEST_IS_SYMLINK));
  g_assert_cmpint (g_unlink (left), ==, 0);
}

/* A library may open what is written to by name. */
static void
test_path (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgOutputFile) file = kg_output_file_open (f->path, &error);
  FILE *again;

  (void) data;
  g_assert_no_error (error);
  again = g_fopen (kg_output_file_get_path (file), "r+b");
  g_assert_nonnull (again);
  g_assert_cmpint (fputs ("by name", again), >=, 0);
  g_assert_cmpint (fclose (again), ==, 0);
  g_assert_false (g_file_test (f->path, G_FILE_TEST_EXISTS));
  g_assert_true (kg_output_file_complete (file, &error));
  check_text (f->path, "by name");
}

/* A name as long as names may be leaves no room for a suffix. */
static void
test_long_name (Fixture *f, gconstpointer data)
{
  char name[256];
  g_autofree char *path = NULL;

  (void) data;
  memset (name, 'n', 255);
  name[255] = '\0';
  path = g_build_filename (f->folder, name, NULL);
  write_text (path, "one");
  write_text (path, "two");
  check_text (path, "two");
  g_assert_cmpint (g_unlink (path), ==, 0);
}

static void
test_link_and_mode (Fixture *f, gconstpointer data)
{
  struct stat info;

  (void) data;
  write_text (f->path, "the old text");
  g_assert_cmpint (g_chmod (f->path, 0604), ==, 0);
  g_assert_cmpint (symlink ("a.txt", f->link), ==, 0);
  write_text (f->link, "new");
  g_assert_true (g_file_test (f->link, G_FILE_TEST_IS_SYMLINK));
  check_text (f->path, "new");
  g_assert_cmpint (g_stat (f->path, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 07777, ==, 0604);
}

static void
check_failure (GError **error, const char *message)
{
  g_assert_error (*error, KG_ERROR, KG_ERROR_IO);
  g_assert_cmpstr ((*error)->message, ==, message);
  g_clear_error (error);
}

static void
test_failures (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgOutputFile) file = NULL;

  (void) data;
  g_assert_cmpint (symlink ("/dev/full", f->link), ==, 0);
  file = kg_output_file_open (f->link, &error);
  g_assert_no_error (error);
  g_assert_true (kg_output_file_write (file, "new", 3, &error));
  g_assert_false (kg_output_file_complete (file, &error));
  check_failure (&error, "No space left on device");
  g_clear_pointer (&file, kg_output_file_free);
  g_assert_true (g_file_test (f->link, G_FILE_TEST_IS_SYMLINK));
  g_assert_null (kg_output_file_open (f->folder, &error));
  check_failure (&error, "Is a directory");
  g_assert_null (kg_output_file_open ("/nowhere/a.txt", &error));
  check_failure (&error, "cannot create a temporary file beside it: No such file or directory");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/output-file/replaced-at-the-end", Fixture, NULL, set_up, test_replaced_at_the_end, tear_down);
  g_test_add ("/output-file/given-up", Fixture, NULL, set_up, test_given_up, tear_down);
  g_test_add ("/output-file/two-at-once", Fixture, NULL, set_up, test_two_at_once, tear_down);
  g_test_add ("/output-file/swept", Fixture, NULL, set_up, test_swept, tear_down);
  g_test_add ("/output-file/path", Fixture, NULL, set_up, test_path, tear_down);
  g_test_add ("/output-file/long-name", Fixture, NULL, set_up, test_long_name, tear_down);
  g_test_add ("/output-file/link-and-mode", Fixture, NULL, set_up, test_link_and_mode, tear_down);
  g_test_add ("/output-file/failures", Fixture, NULL, set_up, test_failures, tear_down);
  return g_test_run ();
}
