/* run-corpus: runs a fuzz target without libFuzzer: over the files of a corpus, and over a fixed number of mutations of
 * them that are the same every time.  With clang, link the target with -fsanitize=fuzzer instead.
 *
 * run-corpus FOLDER MUTATIONS
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-random.h"

#include <glib.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static const char *const tokens[] = { "{",
                                      "}",
                                      "[",
                                      "]",
                                      "\"",
                                      ":",
                                      ",",
                                      "null",
                                      "1e999",
                                      "-",
                                      "\\u0000",
                                      "\xff",
                                      "{\"link\": \"a.b\"}",
                                      "{\"expr\": \"t\"}",
                                      "(",
                                      ")",
                                      "a.x",
                                      "^",
                                      "?",
                                      "+",
                                      "0",
                                      "9999999999",
                                      "/",
                                      "noise(" };

/* One to eight small changes: a bit, a byte gone, a stretch doubled, a token put in, a cut. */
static GByteArray *
mutate (const GByteArray *from, uint64_t id)
{
  GByteArray *to = g_byte_array_new ();
  const guint changes = 1 + (guint) (kg_random_bits (1, id, 0) % 8);

  g_byte_array_append (to, from->data, from->len);
  for (guint i = 0; i < changes && to->len > 0; i++) {
    const uint64_t bits = kg_random_bits (2, id, i);
    const guint at = (guint) (bits >> 8) % to->len, length = 1 + (guint) (bits >> 40) % MIN (32, to->len - at);

    switch (bits % 5) {
    case 0:
      to->data[at] ^= (guint8) (1u << (bits >> 3 & 7));
      break;
    case 1:
      g_byte_array_remove_range (to, at, length);
      break;
    case 2: {
      g_autofree guint8 *piece = g_memdup2 (to->data + at, length);

      g_byte_array_append (to, piece, length);
      break;
    }
    case 3: {
      const char *token = tokens[(bits >> 20) % G_N_ELEMENTS (tokens)];
      g_autofree guint8 *tail = g_memdup2 (to->data + at, to->len - at);
      const guint tail_length = to->len - at;

      g_byte_array_set_size (to, at);
      g_byte_array_append (to, (const guint8 *) token, (guint) strlen (token));
      g_byte_array_append (to, tail, tail_length);
      break;
    }
    default:
      if (bits >> 60 == 0)
        g_byte_array_set_size (to, at);
      else
        to->data[at] = (guint8) (bits >> 12);
      break;
    }
  }
  return to;
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) corpus = g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref);
  const guint mutations = argc > 2 ? (guint) atoi (argv[2]) : 0;
  const char *name;
  GDir *folder = argc > 1 ? g_dir_open (argv[1], 0, NULL) : NULL;

  g_assert_nonnull (folder);
  while ((name = g_dir_read_name (folder)) != NULL) {
    g_autofree char *path = g_build_filename (argv[1], name, NULL);
    char *text;
    gsize length;

    if (g_file_get_contents (path, &text, &length, NULL))
      g_ptr_array_add (corpus, g_byte_array_new_take ((guint8 *) text, length));
  }
  g_dir_close (folder);
  g_print ("1..2\n");
  for (guint i = 0; i < corpus->len; i++) {
    const GByteArray *one = (const GByteArray *) corpus->pdata[i];

    LLVMFuzzerTestOneInput (one->data, one->len);
  }
  g_print ("ok 1 %u files of the corpus\n", corpus->len);
  for (guint i = 0; i < mutations; i++) {
    g_autoptr (GByteArray) one = mutate ((const GByteArray *) corpus->pdata[i % corpus->len], i);

    LLVMFuzzerTestOneInput (one->data, one->len);
  }
  g_print ("ok 2 %u mutations\n", mutations);
  return 0;
}
