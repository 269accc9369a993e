/* kg-memory: what happens when memory runs out.
 *
 * GLib's g_malloc and g_new end the program when there is no memory.  In Kineograph a block of KG_MEMORY_LARGE bytes or
 * more ends only the node that requested it: kg_memory_guard takes all calls below it back, and the variables that clean
 * up after themselves (g_autofree, g_autoptr) do so on the way.  That leaves no room for what holds a lock or is half
 * done in a value that others see: large blocks are taken before, not in between.  Smaller blocks, blocks taken inside a
 * parallel loop, texts and tables of GLib, and blocks outside of a guard end the program as before.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

#define KG_MEMORY_LARGE ((gsize) 1 << 16)

typedef bool (*KgMemoryTask) (gpointer data, GError **error);

/* Runs task and returns its result; when memory runs out in it, false and KG_ERROR_LIMIT. */
bool kg_memory_guard (KgMemoryTask task, gpointer data, GError **error);
/* So many bytes cannot be allocated: returns to the innermost guard of this thread. */
G_NORETURN void kg_memory_give_up (gsize bytes);

gpointer kg_malloc (gsize bytes) G_GNUC_MALLOC G_GNUC_ALLOC_SIZE (1);
gpointer kg_malloc0 (gsize bytes) G_GNUC_MALLOC G_GNUC_ALLOC_SIZE (1);
gpointer kg_malloc_n (gsize n, gsize bytes) G_GNUC_MALLOC G_GNUC_ALLOC_SIZE2 (1, 2);
gpointer kg_malloc0_n (gsize n, gsize bytes) G_GNUC_MALLOC G_GNUC_ALLOC_SIZE2 (1, 2);
gpointer kg_realloc (gpointer block, gsize bytes) G_GNUC_WARN_UNUSED_RESULT;
gpointer kg_realloc_n (gpointer block, gsize n, gsize bytes) G_GNUC_WARN_UNUSED_RESULT;
gpointer kg_memdup (gconstpointer block, gsize bytes) G_GNUC_ALLOC_SIZE (2);

/* Gives up where GLib would end the program, which does not say how much an array has room for: it doubles. */
GArray *kg_array_sized_new (gboolean zero_terminated, gboolean clear, guint size, guint n);
GArray *kg_array_set_size (GArray *array, guint n);
GArray *kg_array_append_vals (GArray *array, gconstpointer values, guint n);

/* g_new, g_new0 and g_renew are made of these. */
#define g_malloc(bytes) kg_malloc (bytes)
#define g_malloc0(bytes) kg_malloc0 (bytes)
#define g_malloc_n(n, bytes) kg_malloc_n (n, bytes)
#define g_malloc0_n(n, bytes) kg_malloc0_n (n, bytes)
#define g_realloc(block, bytes) kg_realloc (block, bytes)
#define g_realloc_n(block, n, bytes) kg_realloc_n (block, n, bytes)
#define g_memdup2(block, bytes) kg_memdup (block, bytes)
#define g_array_sized_new(zero_terminated, clear, size, n) kg_array_sized_new (zero_terminated, clear, size, n)
#define g_array_set_size(array, n) kg_array_set_size (array, n)
#define g_array_append_vals(array, values, n) kg_array_append_vals (array, values, n)

G_END_DECLS
