/* kg-base: the names that every floor uses: GLib, errors, hashes and shared buffers.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-error.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* After all headers of GLib, some of whose functions it takes the place of. */
#include "kg-memory.h"

G_BEGIN_DECLS

/* A 128-bit fingerprint; see kg-hash.h. */
typedef struct {
  uint64_t a, b;
} KgHash;

typedef struct _KgBuffer KgBuffer;

G_END_DECLS
