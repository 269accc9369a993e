/* kg-hash: hashes of buffers, by libxxhash.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-hash.h"

#include <xxhash.h>

/* Numbers that are normalised at a time: they and their copies fit into the first-level cache. */
#define BLOCK 512

KgHash
kg_hash_bytes (KgHash h, const void *data, size_t length)
{
  const XXH128_hash_t digest = XXH3_128bits (data, length);

  return kg_hash_join (h, (KgHash){ digest.low64, digest.high64 });
}

KgHash
kg_hash_doubles (KgHash h, const double *x, size_t n)
{
  for (size_t i = 0; i < n; i += BLOCK) {
    const size_t m = MIN (BLOCK, n - i);
    double block[BLOCK];

    for (size_t k = 0; k < m; k++)
      block[k] = x[i + k] + 0.0;
    h = kg_hash_bytes (h, block, m * sizeof *block);
  }
  return kg_hash_uint (h, n);
}
