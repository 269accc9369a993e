/* fuzz-as-file: for readers that take the name of a file: the bytes, in a file of memory where there is one.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <glib/gstdio.h>
#include <stdint.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* (transfer full) The name of a file with all but the first byte, which chooses one of the n suffixes; to be removed. */
static char *
write_file (const uint8_t *data, size_t size, const char *const *suffixes, guint n)
{
  const char *folder = g_file_test ("/dev/shm", G_FILE_TEST_IS_DIR) ? "/dev/shm" : g_get_tmp_dir ();
  char *path = g_strdup_printf ("%s/kineograph-fuzz-%d%s", folder, (int) getpid (), suffixes[data[0] % n]);

  g_assert_true (g_file_set_contents_full (path, (const char *) data + 1, (gssize) size - 1, G_FILE_SET_CONTENTS_NONE,
                                           0600, NULL));
  return path;
}
