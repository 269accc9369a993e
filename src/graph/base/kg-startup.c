/* kg-startup: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-startup.h"

#include <malloc.h>
#include <stdbool.h>
#include <unistd.h>

/* Set while the program begins for the second time; its value tells whether the tunables of the C library are ours. */
#define AGAIN "KINEOGRAPH_BEGINS_AGAIN"

/* Huge pages for the heap (of glibc 2.35 and later; others do without). */
#define TUNABLES "GLIBC_TUNABLES"
#define HUGE_HEAP "glibc.malloc.hugetlb=1"

/* Bytes by which the heap grows at least, and from which on a block is a mapping of its own. */
#define HEAP_STEP (2 << 20)
#define LARGEST_IN_HEAP (32 << 20)

void
kg_startup_begin_again (char **argv)
{
  /* By its own name, which is what lists of processes show. */
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  const char *again = g_getenv (AGAIN);
  bool is_ours;

  if (again == NULL) {
    if (program == NULL || g_getenv ("OMP_WAIT_POLICY") != NULL || g_getenv ("GOMP_SPINCOUNT") != NULL)
      return;
    is_ours = g_getenv (TUNABLES) == NULL;
    if (g_setenv ("OMP_WAIT_POLICY", "passive", TRUE) && (!is_ours || g_setenv (TUNABLES, HUGE_HEAP, TRUE)) &&
        g_setenv (AGAIN, is_ours ? "tunables" : "1", TRUE))
      execv (program, argv);
  } else
    is_ours = g_str_equal (again, "tunables");
  /* They have been read; programs that this one starts decide for themselves. */
  g_unsetenv ("OMP_WAIT_POLICY");
  g_unsetenv (AGAIN);
  if (is_ours)
    g_unsetenv (TUNABLES);
}

void
kg_startup_join_blocks (void)
{
#ifdef M_MXFAST
  mallopt (M_MXFAST, 0);
#endif
#ifdef M_TOP_PAD
  /* A value for one of these ends glibc's own adjustment of the others, which would come to these two in the end. */
  mallopt (M_TOP_PAD, HEAP_STEP);
  mallopt (M_MMAP_THRESHOLD, LARGEST_IN_HEAP);
  mallopt (M_TRIM_THRESHOLD, 2 * LARGEST_IN_HEAP);
#endif
}
