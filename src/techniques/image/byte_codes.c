/* byte_codes: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/byte_codes.h"

#include <string.h>

/* Codes of 12 bits in a GIF, of 16 in the plain flavour. */
#define GIF_CODES 4096
#define PLAIN_CODES 65536

void
byte_codes_run_lengths (const uint8_t *bytes, size_t n, GByteArray *to)
{
  for (size_t i = 0; i < n;) {
    guint8 pair[2] = { 1, bytes[i] };

    while (pair[0] < 255 && i + pair[0] < n && bytes[i + pair[0]] == pair[1])
      pair[0]++;
    g_byte_array_append (to, pair, 2);
    i += pair[0];
  }
}

void
byte_codes_expand_runs (const uint8_t *pairs, size_t n, GByteArray *to)
{
  guint8 run[255];

  for (size_t i = 0; i + 1 < n; i += 2) {
    memset (run, pairs[i + 1], pairs[i]);
    g_byte_array_append (to, run, pairs[i]);
  }
}

/* The dictionary as a tree: what follows a string, by its code and the next byte. */
typedef struct {
  guint32 *children; /* hash table of (code, byte) to code + 1 */
  guint64 *keys;
  guint size;
} Dictionary;

static guint
find_place (const Dictionary *dictionary, guint code, uint8_t byte, guint64 *key)
{
  guint at;

  *key = ((guint64) code << 8 | byte) + 1;
  at = (guint) ((*key * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 40) % dictionary->size;
  while (dictionary->keys[at] != 0 && dictionary->keys[at] != *key)
    at = (at + 1) % dictionary->size;
  return at;
}

size_t
byte_codes_lzw (const uint8_t *bytes, size_t n, LzwFlavour flavour, GArray *codes)
{
  const guint first = flavour == LZW_GIF ? 258 : 256, limit = flavour == LZW_GIF ? GIF_CODES : PLAIN_CODES;
  Dictionary dictionary = { .size = 2 * limit };
  g_autofree guint32 *children = dictionary.children = g_new0 (guint32, dictionary.size);
  g_autofree guint64 *keys = dictionary.keys = g_new0 (guint64, dictionary.size);
  guint next = first, width = flavour == LZW_GIF ? 9 : 16, code = 0;
  size_t bits = 0;

  if (flavour == LZW_GIF) {
    const guint16 clear = 256;

    g_array_append_val (codes, clear);
    bits += width;
  }
  for (size_t i = 0; i < n; i++) {
    guint64 key;
    guint at;
    guint16 out;

    if (i == 0) {
      code = bytes[0];
      continue;
    }
    at = find_place (&dictionary, code, bytes[i], &key);
    if (keys[at] != 0) {
      code = children[at];
      continue;
    }
    out = (guint16) code;
    g_array_append_val (codes, out);
    bits += width;
    if (next < limit) {
      keys[at] = key;
      children[at] = next;
      if (flavour == LZW_GIF && next == 1U << width && width < 12)
        width++;
      next++;
    } else if (flavour == LZW_GIF) {
      const guint16 clear = 256;

      g_array_append_val (codes, clear);
      bits += width;
      memset (keys, 0, dictionary.size * sizeof *keys);
      next = first;
      width = 9;
    }
    code = bytes[i];
  }
  if (n > 0) {
    const guint16 out = (guint16) code;

    g_array_append_val (codes, out);
    bits += width;
  }
  if (flavour == LZW_GIF) {
    const guint16 end = 257;

    g_array_append_val (codes, end);
    bits += width;
  }
  return bits;
}

bool
byte_codes_expand_lzw (const GArray *codes, LzwFlavour flavour, GByteArray *to)
{
  const guint first = flavour == LZW_GIF ? 258 : 256, limit = flavour == LZW_GIF ? GIF_CODES : PLAIN_CODES;
  /* Where each string lies in what is out already, and how long it is. */
  g_autofree size_t *starts = g_new0 (size_t, limit), *lengths = g_new0 (size_t, limit);
  guint next = first;
  size_t last = 0, last_length = 0;

  for (guint i = 0; i < codes->len; i++) {
    const guint code = g_array_index (codes, guint16, i);
    const size_t at = to->len;

    if (flavour == LZW_GIF && code == 257)
      return true;
    if (flavour == LZW_GIF && code == 256) {
      next = first;
      last_length = 0;
      continue;
    }
    /* The string before and one byte more is this entry: the code may name it already. */
    if (last_length > 0 && next < limit) {
      starts[next] = last;
      lengths[next] = last_length + 1;
      next++;
    }
    if (code < 256) {
      const guint8 byte = (guint8) code;

      g_byte_array_append (to, &byte, 1);
      last_length = 1;
    } else if (code >= first && code < next) {
      last_length = lengths[code];
      for (size_t k = 0; k < last_length; k++) {
        const guint8 byte = to->data[starts[code] + k];

        g_byte_array_append (to, &byte, 1);
      }
    } else
      return false;
    last = at;
  }
  return flavour == LZW_PLAIN;
}
