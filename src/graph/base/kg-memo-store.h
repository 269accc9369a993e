/* kg-memo-store: where long work finds again what it computed before, and keeps it for later.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"

G_BEGIN_DECLS

/* Given to work that is often repeated with little changed.  A memo is found by a hash of everything that it depends on, and
 * may be gone at any time: nothing but speed depends on it.  It is shared between threads: read only once it is kept. */
typedef struct {
  /* The memo stays until the work returns.  (transfer none) (nullable) */
  gconstpointer (*find) (gpointer data, KgHash key);
  /* In place of what is there.  bytes: of the memo.  memo: (transfer full) */
  void (*keep) (gpointer data, KgHash key, gpointer memo, size_t bytes, GDestroyNotify destroy);
  gpointer data;
} KgMemoStore;

G_END_DECLS
