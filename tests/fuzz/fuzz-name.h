/* fuzz-name: inputs whose first line says which of many readers they are for, by its name, so that a corpus goes on meaning
 * the same when node types are added; any other line means one of them, too.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <stdint.h>
#include <string.h>

/* The names are long enough, and what comes without a line end is all name. */
#define FUZZ_MAX_NAME 100

/* (transfer full) The first line; data and size become what follows it. */
static char *
take_name (const uint8_t **data, size_t *size)
{
  const size_t most = MIN (*size, FUZZ_MAX_NAME);
  const uint8_t *end = most > 0 ? memchr (*data, '\n', most) : NULL;
  const size_t length = end != NULL ? (size_t) (end - *data) : most;
  char *name = g_strndup ((const char *) *data, length);

  *data += length + (end != NULL);
  *size -= length + (end != NULL);
  return name;
}

/* Which of the names it is. */
static guint
choose_name (const char *name, const GPtrArray *names)
{
  for (guint i = 0; i < names->len; i++)
    if (g_str_equal (name, g_ptr_array_index (names, i)))
      return i;
  return g_str_hash (name) % names->len;
}
