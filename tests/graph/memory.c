/* tests/graph/memory: a large block that is not there ends what asked for it, and frees what that held.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-base.h"

#include <sys/resource.h>

/* More than any machine has. */
static volatile gsize too_much = (gsize) 1 << 60;

typedef struct {
  int freed, reached;
} Count;

typedef Count Held;

static void
held_free (Held *held)
{
  held->freed++;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Held, held_free)

static char *
fail_deeper (Count *count, int depth)
{
  g_autoptr (Held) held = count;
  g_autofree char *block = NULL;

  count->reached++;
  block = depth > 0 ? fail_deeper (count, depth - 1) : g_new (char, too_much);
  count->reached = -1;
  return g_steal_pointer (&block);
}

static bool
fail (gpointer data, GError **error)
{
  (void) error;
  g_free (fail_deeper ((Count *) data, 9));
  return true;
}

static bool
succeed (gpointer data, GError **error)
{
  g_autofree char *block = g_new0 (char, 2 * KG_MEMORY_LARGE);

  (void) data;
  g_set_error_literal (error, KG_ERROR, KG_ERROR_IO, "its own");
  return block[KG_MEMORY_LARGE] != 0;
}

static bool
fail_inside (gpointer data, GError **error)
{
  g_autoptr (GError) inner = NULL;

  g_assert_false (kg_memory_guard (fail, data, &inner));
  g_assert_error (inner, KG_ERROR, KG_ERROR_LIMIT);
  return kg_memory_guard (fail, data, error);
}

static void
test_guard (void)
{
  g_autoptr (GError) error = NULL;
  Count count = { 0 };

  for (int i = 1; i <= 3; i++) {
    g_assert_false (kg_memory_guard (fail, &count, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
    g_assert_cmpstr (
        error->message, ==,
        "no memory for a block of 1152921504606.8 MB: use fewer points or pixels, or close other programs");
    g_clear_error (&error);
    g_assert_cmpint (count.reached, ==, 10 * i);
    g_assert_cmpint (count.freed, ==, 10 * i);
  }
  g_assert_false (kg_memory_guard (succeed, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
  g_clear_error (&error);
  g_assert_false (kg_memory_guard (fail_inside, &count, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  g_assert_cmpint (count.freed, ==, 50);
}

static bool
overflow (gpointer data, GError **error)
{
  g_autofree double *numbers = g_new (double, 8 * too_much);

  (void) data;
  (void) error;
  return numbers != NULL;
}

static bool
grow (gpointer data, GError **error)
{
  g_autoptr (GArray) array = g_array_new (FALSE, FALSE, 1024);

  (void) data;
  (void) error;
  g_array_set_size (array, G_MAXUINT / 2);
  return true;
}

static void
test_sizes (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (kg_memory_guard (overflow, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
}

/* As GLib's own: nothing of no bytes, zeros, what was there before. */
static void
test_blocks (void)
{
  g_autofree int *numbers = g_new0 (int, 10), *copy = NULL;

  g_assert_null (g_malloc (0));
  g_assert_null (g_new (int, 0));
  g_assert_null (g_memdup2 (NULL, 4));
  for (int i = 0; i < 10; i++)
    g_assert_cmpint (numbers[i]++, ==, 0);
  numbers = g_renew (int, numbers, 1000);
  copy = g_memdup2 (numbers, 10 * sizeof (int));
  for (int i = 0; i < 10; i++)
    g_assert_cmpint (copy[i], ==, 1);
}

/* The limit of memory that the process has. */
static void
test_arrays (void)
{
  if (g_test_subprocess ()) {
    g_autoptr (GError) error = NULL;
    struct rlimit limit = { (rlim_t) 2 << 30, (rlim_t) 2 << 30 };

    g_assert_cmpint (setrlimit (RLIMIT_AS, &limit), ==, 0);
    g_assert_false (kg_memory_guard (grow, NULL, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
    return;
  }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memory/guard", test_guard);
  g_test_add_func ("/memory/sizes", test_sizes);
  g_test_add_func ("/memory/blocks", test_blocks);
#ifndef __SANITIZE_ADDRESS__
  g_test_add_func ("/memory/arrays", test_arrays);
#endif
  return g_test_run ();
}
