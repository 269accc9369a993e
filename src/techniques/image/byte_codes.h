/* byte_codes: lossless codes of bytes.
 * Sources: Welch, A Technique for High-Performance Data Compression, 1984 (LZW, of Lempel and Ziv 1978); CompuServe, GIF89a,
 * appendix F (variable width of codes, clear code).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* Appends pairs of count (1..255) and value (GByteArray). */
void byte_codes_run_lengths (const uint8_t *bytes, size_t n, GByteArray *to);
void byte_codes_expand_runs (const uint8_t *pairs, size_t n, GByteArray *to);

typedef enum {
  LZW_PLAIN, /* codes from 256 on without end, in 16 bits each */
  LZW_GIF    /* clear and end codes, widths of 9 to 12 bits, begun anew when the dictionary is full */
} LzwFlavour;

/* Appends the codes (guint16); returns how many bits they take. */
size_t byte_codes_lzw (const uint8_t *bytes, size_t n, LzwFlavour flavour, GArray *codes);
/* False where the codes are none. */
bool byte_codes_expand_lzw (const GArray *codes, LzwFlavour flavour, GByteArray *to);

G_END_DECLS
